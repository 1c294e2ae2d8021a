//! The successors of a batch, sorted by where they go: into the current layer, to another one, behind.

use crate::progress::Comparison;
use crate::store::layer::Width;
use model::successor_batch::SuccessorBatch;
use model::transition_system::Expander;

use super::{SweepSearch, is_known};

/// States in a batch at the most: those without successors fill no batch.
const STATES: usize = 256;
/// States that are expanded before their successors are announced.
const AT_A_TIME: usize = 8;

/// Successors in the batch that stay in the current layer.
#[derive(Debug, Default)]
pub(super) struct Staying {
    pub(super) words: Vec<u64>,
    /// Their numbers in the batch.
    pub(super) numbers: Vec<u32>,
}

/// Sorts successors out without a branch that depends on them: everything is written down, and what does not belong there is
/// overwritten by the next. Whether a successor is new is what no processor can predict.
struct Sorted<'a, W> {
    width: W,
    words: &'a mut [u64],
    numbers: &'a mut [u32],
    leaving: &'a mut [u32],
    stay: usize,
    leave: usize,
}

impl<'a, W: Width> Sorted<'a, W> {
    /// Room for `more` successors.
    #[inline(always)]
    fn begin(width: W, staying: &'a mut Staying, leaving: &'a mut Vec<u32>, more: usize) -> Self {
        let (stay, leave) = (staying.numbers.len(), leaving.len());
        staying.words.resize((stay + more) * width.get(), 0);
        staying.numbers.resize(stay + more, 0);
        leaving.resize(leave + more, 0);
        Self { width, words: &mut staying.words, numbers: &mut staying.numbers, leaving, stay, leave }
    }

    #[inline(always)]
    fn stays(&mut self, number: usize, state: &[u64], truly: bool) {
        let words = self.width.get();
        self.words[self.stay * words..(self.stay + 1) * words].copy_from_slice(&state[..words]);
        self.numbers[self.stay] = number as u32;
        self.stay += usize::from(truly);
    }

    #[inline(always)]
    fn leaves(&mut self, number: usize, truly: bool) {
        self.leaving[self.leave] = number as u32;
        self.leave += usize::from(truly);
    }

    /// How many stay and how many leave, those of earlier calls included.
    #[inline(always)]
    fn counts(&self) -> (usize, usize) {
        (self.stay, self.leave)
    }
}

/// Successors in the batch with less progress.
#[derive(Debug, Default)]
pub(super) struct Behind {
    pub(super) words: Vec<u64>,
    /// For each, its progress value and where it comes from.
    pub(super) origins: Vec<(u64, u64)>,
}

impl SweepSearch {
    /// Fills the batch with successors of the states from the cursor on, and announces to the layer those that stay in it; `true` if a
    /// state cannot be expanded. A few states at a time: while the next ones are computed, the index is fetched for these.
    #[inline(always)]
    pub(super) fn expand<W: Width>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        batch: &mut SuccessorBatch,
    ) -> bool {
        let is_whole = self.is_measured() && self.disk.current.is_none();
        let end = if is_whole { self.layer.len() } else { self.level_end };
        let end = end.min(self.cursor + STATES);
        let mut next = self.cursor;
        while next < end && !batch.is_full() {
            let announced = batch.len();
            let expansion = expander.expand(self.layer.states(next..end.min(next + AT_A_TIME)), batch);
            self.sort(width, expander, batch, announced);
            if expansion.trouble {
                return true;
            }
            next += expansion.states;
        }
        false
    }

    /// Sorts the successors from number `from` on by where they go, and announces those that stay in the layer.
    #[inline(always)]
    pub(super) fn sort<W: Width>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        from: usize,
    ) {
        if !self.is_measured() {
            self.sift(width, batch, from);
        } else if self.vectors.is_none() {
            self.measure::<false, _>(width, expander, batch, from);
        } else {
            self.measure_vectors(width, expander, batch, from);
        }
        let announced = self.layer.announced() * width.get();
        self.layer.announce(width, &self.staying.words[announced..]);
    }

    /// Out of line: the loop over tuples stays small.
    #[inline(never)]
    fn measure_vectors<W: Width>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        from: usize,
    ) {
        self.measure::<true, _>(width, expander, batch, from);
    }

    /// All of them stay, but for those that were stored lately.
    #[inline(always)]
    fn sift<W: Width>(&mut self, width: W, batch: &SuccessorBatch, from: usize) {
        let words = &batch.words()[from * width.get()..];
        let (mut recent, all) = (self.recent.look(width), self.all_steps);
        let mut sorted = Sorted::begin(width, &mut self.staying, &mut self.leaving, batch.len() - from);
        for (number, state) in words.chunks_exact(width.get()).enumerate() {
            let is_recent = recent.knows(state) & !all;
            sorted.stays(from + number, state, !is_recent);
        }
        let counts = sorted.counts();
        self.end_sorting(width, counts);
    }

    /// Their progress says where they go. `VECTORS` are compared component by component.
    #[inline(always)]
    fn measure<const VECTORS: bool, W: Width>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        from: usize,
    ) {
        debug_assert_eq!(self.values.len(), from);
        let words = &batch.words()[from * width.get()..];
        expander.progress(words, &mut self.values);
        let (current, floor, all) = (self.front.value, self.front.floor, self.all_steps);
        let comparison = if VECTORS { self.comparison } else { Comparison::Total };
        let before = self.staying.numbers.len();
        let mut recent = self.recent.look(width);
        let mut sorted = Sorted::begin(width, &mut self.staying, &mut self.leaving, batch.len() - from);
        // Forward edges in the lower half, regress edges in the upper one.
        let mut kinds = 0u64;
        for ((number, state), &value) in words.chunks_exact(width.get()).enumerate().zip(&self.values[from..])
        {
            let falls = !comparison.is_at_most(current, value);
            kinds += u64::from(value != current) << if falls { 32 } else { 0 };
            // Among vectors, a target of a regress edge is not stored in this sweep, but may be met by it later: the cache must not
            // know it.
            let is_recent = !(VECTORS && falls) && recent.knows(state) & !all;
            sorted.stays(from + number, state, (value == current) & !is_recent);
            // What lies behind may be forgotten, however recent it is.
            let is_behind = if VECTORS { falls } else { value < floor };
            sorted.leaves(from + number, is_behind | ((value != current) & !is_recent));
        }
        let counts = sorted.counts();
        self.end_sorting(width, counts);
        self.counters.forward += kinds & u64::from(u32::MAX);
        self.counters.regress += kinds >> 32;
        if self.front.looks_up {
            self.drop_known(width, before);
        }
    }

    #[inline(always)]
    fn end_sorting<W: Width>(&mut self, width: W, (stay, leave): (usize, usize)) {
        self.staying.words.truncate(stay * width.get());
        self.staying.numbers.truncate(stay);
        self.leaving.truncate(leave);
    }

    /// Of those that stay, from number `from` on, states that an earlier sweep expanded need not.
    #[cold]
    #[inline(never)]
    fn drop_known<W: Width>(&mut self, width: W, from: usize) {
        let Staying { words, numbers } = &mut self.staying;
        let (words_of, mut stay) = (width.get(), from);
        for number in from..numbers.len() {
            let state = number * words_of..(number + 1) * words_of;
            if !is_known(&self.persistent, self.comparison, &words[state.clone()]) {
                words.copy_within(state, stay * words_of);
                numbers[stay] = numbers[number];
                stay += 1;
            }
        }
        words.truncate(stay * words_of);
        numbers.truncate(stay);
    }
}
