//! The successors of a batch, sorted by where they go: into the current layer, to another one, behind.

use crate::progress::Comparison;
use crate::store::records::Records;
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
    /// Words of those that were announced to the layer.
    announced: usize,
    /// Their numbers in the batch.
    pub(super) numbers: Vec<u32>,
}

impl Staying {
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.announced = 0;
        self.numbers.clear();
    }
}

/// Sorts successors out without a branch that depends on them: everything is written down, and what does not belong there is
/// overwritten by the next. Whether a successor is new is what no processor can predict.
struct Sorted<'a, R> {
    records: R,
    words: &'a mut [u64],
    numbers: &'a mut [u32],
    leaving: &'a mut [u32],
    stay: usize,
    /// Words of those that stay, of varying length.
    end: usize,
    leave: usize,
}

impl<'a, R: Records> Sorted<'a, R> {
    /// Room for `more` successors of so many words.
    #[inline(always)]
    fn begin(
        records: R,
        staying: &'a mut Staying,
        leaving: &'a mut Vec<u32>,
        (more, words): (usize, usize),
    ) -> Self {
        let (stay, end, leave) = (staying.numbers.len(), staying.words.len(), leaving.len());
        staying.words.resize(end + words, 0);
        staying.numbers.resize(stay + more, 0);
        leaving.resize(leave + more, 0);
        Self { records, words: &mut staying.words, numbers: &mut staying.numbers, leaving, stay, end, leave }
    }

    #[inline(always)]
    fn stays(&mut self, number: usize, state: &[u64], truly: bool) {
        let (start, len) = (self.records.start(self.stay, self.end), self.records.len_of(state));
        self.words[start..start + len].copy_from_slice(&state[..len]);
        self.numbers[self.stay] = number as u32;
        self.stay += usize::from(truly);
        self.end += if truly { len } else { 0 };
    }

    #[inline(always)]
    fn leaves(&mut self, number: usize, truly: bool) {
        self.leaving[self.leave] = number as u32;
        self.leave += usize::from(truly);
    }

    /// How many stay, how many words these have, and how many leave, those of earlier calls included.
    #[inline(always)]
    fn counts(&self) -> (usize, usize, usize) {
        (self.stay, self.records.start(self.stay, self.end), self.leave)
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
    pub(super) fn expand<R: Records>(
        &mut self,
        records: R,
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
            self.sort(records, expander, batch, announced);
            if expansion.trouble {
                return true;
            }
            next += expansion.states;
        }
        false
    }

    /// Sorts the successors from number `from` on by where they go, and announces those that stay in the layer.
    #[inline(always)]
    pub(super) fn sort<R: Records>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        from: usize,
    ) {
        if !self.is_measured() {
            self.sift(records, batch, from);
        } else if self.vectors.is_none() {
            self.measure::<false, _>(records, expander, batch, from);
        } else {
            self.measure_vectors(records, expander, batch, from);
        }
        let announced = records.start(self.layer.announced(), self.staying.announced);
        self.layer.announce(records, &self.staying.words[announced..]);
        self.staying.announced = self.staying.words.len();
    }

    /// Out of line: the loop over tuples stays small.
    #[inline(never)]
    fn measure_vectors<R: Records>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        from: usize,
    ) {
        self.measure::<true, _>(records, expander, batch, from);
    }

    /// All of them stay, but for those that were stored lately.
    #[inline(always)]
    fn sift<R: Records>(&mut self, records: R, batch: &SuccessorBatch, from: usize) {
        let words = batch.words_from(records, from);
        let (mut recent, all) = (self.recent.look(records), self.all_steps);
        let mut sorted =
            Sorted::begin(records, &mut self.staying, &mut self.leaving, (batch.len() - from, words.len()));
        for (number, state) in records.states(words).enumerate() {
            let is_recent = recent.knows(state) & !all;
            sorted.stays(from + number, state, !is_recent);
        }
        let counts = sorted.counts();
        self.end_sorting(counts);
    }

    /// Their progress says where they go. `VECTORS` are compared component by component.
    #[inline(always)]
    fn measure<const VECTORS: bool, R: Records>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        from: usize,
    ) {
        debug_assert_eq!(self.values.len(), from);
        let words = batch.words_from(records, from);
        expander.progress(words, &mut self.values);
        let (current, floor, all) = (self.front.value, self.front.floor, self.all_steps);
        let comparison = if VECTORS { self.comparison } else { Comparison::Total };
        let before = (self.staying.numbers.len(), self.staying.words.len());
        let mut recent = self.recent.look(records);
        let mut sorted =
            Sorted::begin(records, &mut self.staying, &mut self.leaving, (batch.len() - from, words.len()));
        // Forward edges in the lower half, regress edges in the upper one.
        let mut kinds = 0u64;
        for ((number, state), &value) in records.states(words).enumerate().zip(&self.values[from..]) {
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
        self.end_sorting(counts);
        self.counters.forward += kinds & u64::from(u32::MAX);
        self.counters.regress += kinds >> 32;
        if self.front.looks_up {
            self.drop_known(records, before);
        }
    }

    #[inline(always)]
    fn end_sorting(&mut self, (stay, words, leave): (usize, usize, usize)) {
        self.staying.words.truncate(words);
        self.staying.numbers.truncate(stay);
        self.leaving.truncate(leave);
    }

    /// Of those that stay, from this number and this word on, states that an earlier sweep expanded need not.
    #[cold]
    #[inline(never)]
    fn drop_known<R: Records>(&mut self, records: R, (from, first): (usize, usize)) {
        let Staying { words, numbers, .. } = &mut self.staying;
        let (mut stay, mut end, mut start) = (from, first, first);
        for number in from..numbers.len() {
            let state = start..start + records.len_of(&words[start..]);
            start = state.end;
            if !is_known(&self.persistent, self.comparison, &words[state.clone()]) {
                let len = state.len();
                words.copy_within(state, end);
                numbers[stay] = numbers[number];
                (stay, end) = (stay + 1, end + len);
            }
        }
        words.truncate(end);
        numbers.truncate(stay);
    }
}
