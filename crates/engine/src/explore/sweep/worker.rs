//! The worker: expands states, measures and routes their successors, evaluates predicates.
//!
//! A worker owns all scratch space and an expander, reads the tiers and changes none of them: it
//! takes a slice of the current level and fills a [`RoutedBatch`], which the loop commits. Several
//! workers share a level ([`team`](super::team)), as long as their batches are committed in order.
//! Beside the owner of the tiers a worker sees only the index of the current layer, and looks its
//! successors up there: those that are found need not be committed.

use model::measure::Comparison;
use model::successor_batch::SuccessorBatch;
use model::transition_system::Expander;

use crate::explore::expansion::{self, BATCH, Few, Staying};
use crate::store::behind::Behind;
use crate::store::hash::hash_state;
use crate::store::layer::{Layer, SharedView};
use crate::store::recent_states::RecentStates;
use crate::store::records::{RecordShape, Records};

use super::batch::{RoutedBatch, Summary};
use super::look_up::{Claiming, LookUp};
use super::routing::Front;

/// How the states of a chunk were expanded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beside {
    /// Whether a state cannot be expanded.
    pub(super) trouble: bool,
    /// Whether all successors are there, instead of a summary.
    pub(super) is_whole: bool,
}

/// Expands and routes. Its scratch space outlives it, from one run of the search to the next.
pub(super) struct Worker<'s> {
    expander: Box<dyn Expander + 's>,
    scratch: &'s mut Scratch,
}

/// What a worker reads of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight<'a> {
    /// The front; `None` with the constant measure, where every successor stays in the layer.
    pub(super) front: Option<Front>,
    /// The states that are known.
    pub(super) known: Known<'a>,
    /// Whether an observer wants the truth of the predicates.
    pub(super) wants_truth: bool,
}

/// The known states that a worker reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known<'a> {
    /// All, on the thread that owns them: the current layer, and the states behind the front.
    Owned(&'a Layer, &'a Behind),
    /// The current layer, on a thread beside its owner. The layer keeps the contract of
    /// [`SharedView::find`] while the worker runs.
    Shared(SharedView, Option<Claiming<'a>>),
}

/// The scratch space of a worker.
#[derive(Debug)]
pub(super) struct Scratch {
    routed: RoutedBatch,
    recent: RecentStates,
    /// Whether an observer needs every step, also those to states that were stored a moment ago.
    all_steps: bool,
    /// Changes when batches were discarded: then the states in them were not stored.
    epoch: u64,
    look_up: LookUp,
}

/// Sorts successors without a branch that depends on them: each is written everywhere, and the next
/// one overwrites it where it does not belong. Whether a successor is new is what no processor can
/// predict.
struct Sorted<'a, R> {
    records: R,
    words: &'a mut [u64],
    tags: &'a mut [u64],
    leaving: &'a mut [u32],
    stay: usize,
    /// Number of words of those that stay, if lengths vary.
    end: usize,
    leave: usize,
}

impl<'a, R: Records> Sorted<'a, R> {
    /// Makes room for `more` successors of so many words.
    #[inline(always)]
    fn begin(
        records: R,
        staying: &'a mut Staying,
        leaving: &'a mut Vec<u32>,
        (more, words): (usize, usize),
    ) -> Self {
        let (stay, end, leave) = (staying.tags.len(), staying.words.len(), leaving.len());
        staying.words.resize(end + words, 0);
        staying.tags.resize(stay + more, 0);
        leaving.resize(leave + more, 0);
        Self { records, words: &mut staying.words, tags: &mut staying.tags, leaving, stay, end, leave }
    }

    #[inline(always)]
    fn stays(&mut self, number: usize, state: &[u64], truly: bool) {
        let (start, len) = (self.records.start(self.stay, self.end), self.records.len_of(state));
        self.words[start..start + len].copy_from_slice(&state[..len]);
        self.tags[self.stay] = number as u64;
        self.stay += usize::from(truly);
        if R::VARYING {
            self.end += if truly { len } else { 0 };
        }
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

impl Scratch {
    /// For states of this shape.
    pub(super) fn new(shape: RecordShape) -> Self {
        Self {
            routed: RoutedBatch::new(shape, BATCH),
            recent: RecentStates::new(shape),
            all_steps: false,
            epoch: 0,
            look_up: LookUp::default(),
        }
    }

    /// Says whether an observer needs every step.
    pub(super) fn set_all_steps(&mut self, all_steps: bool) {
        self.all_steps = all_steps;
    }

    /// The states that were stored a moment ago.
    pub(super) fn recent(&self) -> &RecentStates {
        &self.recent
    }

    /// The states that were stored a moment ago, to be loaded.
    pub(super) fn recent_mut(&mut self) -> &mut RecentStates {
        &mut self.recent
    }

    /// Forgets which states were stored a moment ago.
    pub(super) fn forget_recent(&mut self) {
        self.recent = RecentStates::new(self.routed.successors.shape());
    }

    /// Begins again, for states of this shape.
    pub(super) fn repack(&mut self, shape: RecordShape) {
        *self = Self { all_steps: self.all_steps, ..Self::new(shape) };
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.routed.bytes() + self.recent.bytes()
    }

    /// Sorts the last successors of the batch by where they go, and announces those that stay.
    #[inline(always)]
    fn route<R: Records>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        few: &Few<'_>,
        sight: &Sight<'_>,
    ) {
        let before = (self.routed.staying.tags.len(), self.routed.staying.words.len());
        // Which states are stored is only known to the owner, and in the order of the search.
        let sifts = matches!(sight.known, Known::Owned(..));
        match sight.front {
            None => self.sift(records, few),
            Some(front) if front.comparison == Comparison::Total => {
                let front = Front { comparison: Comparison::Total, ..front };
                self.measure::<false, _>(records, expander, few, (front, sifts));
            }
            Some(front) => self.measure_vectors(records, expander, few, (front, sifts)),
        }
        match sight.known {
            Known::Owned(layer, behind) => {
                if behind.looks_up() && sight.front.is_some() {
                    self.drop_known(records, before, behind);
                }
                let Staying { words, hashes, .. } = &mut self.routed.staying;
                layer.announce(records, &words[before.1..], hashes);
            }
            Known::Shared(view, _) => {
                let Staying { words, hashes, .. } = &mut self.routed.staying;
                hashes.extend(records.states(&words[before.1..]).map(|state| {
                    let hash = hash_state(records.first(state));
                    view.fetch(hash);
                    hash
                }));
            }
        }
    }

    /// Looks up the states that stay and were not looked up yet, successors of this batch, if there are
    /// this many of them.
    ///
    /// # Safety
    /// The contract of [`SharedView::find`] holds for the view.
    #[inline(always)]
    unsafe fn look_up<R: Records>(
        &mut self,
        records: R,
        known: (SharedView, Option<Claiming<'_>>),
        batch: &SuccessorBatch,
        least: usize,
    ) {
        let Self { look_up, routed, all_steps, .. } = self;
        if look_up.remaining(&routed.staying) >= least {
            // SAFETY: by the contract of this function.
            unsafe { look_up.run(records, known, (&mut routed.staying, batch), *all_steps) };
        }
    }

    /// Out of line: the loop over tuples stays small.
    #[inline(never)]
    fn measure_vectors<R: Records>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        few: &Few<'_>,
        front: (Front, bool),
    ) {
        self.measure::<true, _>(records, expander, few, front);
    }

    /// With the constant measure all successors stay, except those that were stored a moment ago.
    #[inline(always)]
    fn sift<R: Records>(&mut self, records: R, few: &Few<'_>) {
        let words = few.batch.words_from(records, few.from);
        let (mut recent, all) = (self.recent.look(records), self.all_steps);
        let RoutedBatch { staying, leaving, .. } = &mut self.routed;
        let mut sorted = Sorted::begin(records, staying, leaving, (few.batch.len() - few.from, words.len()));
        for (number, state) in records.states(words).enumerate() {
            let is_recent = recent.knows(state) & !all;
            sorted.stays(few.from + number, state, !is_recent);
        }
        let counts = sorted.counts();
        self.end_sorting(counts);
    }

    /// Measures successors and sorts them by progress. `VECTORS` are compared component by
    /// component. Those that leave the layer and were stored a moment ago are dropped if `sifts`.
    #[inline(always)]
    fn measure<const VECTORS: bool, R: Records>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        few: &Few<'_>,
        (front, sifts): (Front, bool),
    ) {
        let RoutedBatch { values, staying, leaving, .. } = &mut self.routed;
        debug_assert_eq!(values.len(), few.from);
        let words = few.batch.words_from(records, few.from);
        if VECTORS || front.merged > 0 {
            expander.progress(words, values);
            values[few.from..].iter_mut().for_each(|value| *value >>= front.merged);
        } else {
            let actions = few.batch.actions(few.from..few.batch.len());
            expander.successor_progress(front.value, actions, words, values);
            #[cfg(debug_assertions)]
            {
                let mut evaluated = Vec::new();
                expander.progress(words, &mut evaluated);
                assert_eq!(values[few.from..], evaluated, "changes of progress are constant");
            }
        }
        let (current, all) = (front.value, self.all_steps);
        let mut recent = self.recent.look(records);
        let mut sorted = Sorted::begin(records, staying, leaving, (few.batch.len() - few.from, words.len()));
        // Forward edges in the lower half, steps that fall in the upper one.
        let mut kinds = 0u64;
        for ((number, state), &value) in records.states(words).enumerate().zip(&values[few.from..]) {
            let falls = front.falls(value);
            kinds += u64::from(value != current) << if falls { 32 } else { 0 };
            // Among vectors, the target of a regress edge is not stored in this sweep, but the
            // sweep may meet it later: the cache must not know it.
            let is_recent = !(VECTORS && falls) && recent.knows(state) & !all;
            sorted.stays(few.from + number, state, (value == current) & !is_recent);
            // A state behind the front may be forgotten, however recent it is.
            let leaves = front.is_regress(value) | ((value != current) & !(is_recent & sifts));
            sorted.leaves(few.from + number, leaves);
        }
        let counts = sorted.counts();
        self.end_sorting(counts);
        self.routed.forward += kinds & u64::from(u32::MAX);
        self.routed.regress += kinds >> 32;
    }

    #[inline(always)]
    fn end_sorting(&mut self, (stay, words, leave): (usize, usize, usize)) {
        let RoutedBatch { staying, leaving, .. } = &mut self.routed;
        staying.words.truncate(words);
        staying.tags.truncate(stay);
        leaving.truncate(leave);
    }

    /// Drops states that an earlier sweep expanded, of those that stay, from this number and this word on.
    #[cold]
    #[inline(never)]
    fn drop_known<R: Records>(&mut self, records: R, (from, first): (usize, usize), behind: &Behind) {
        let Staying { words, tags, .. } = &mut self.routed.staying;
        let (mut stay, mut end, mut start) = (from, first, first);
        for number in from..tags.len() {
            let state = start..start + records.len_of(&words[start..]);
            start = state.end;
            if !behind.is_known(&words[state.clone()]) {
                let len = state.len();
                words.copy_within(state, end);
                tags[stay] = tags[number];
                (stay, end) = (stay + 1, end + len);
            }
        }
        words.truncate(end);
        tags.truncate(stay);
    }
}

impl<'s> Worker<'s> {
    pub(super) fn new(expander: Box<dyn Expander + 's>, scratch: &'s mut Scratch) -> Self {
        Self { expander, scratch }
    }

    /// The batch that was filled last.
    #[inline(always)]
    pub(super) fn routed(&mut self) -> &mut RoutedBatch {
        &mut self.scratch.routed
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.scratch.bytes()
    }

    /// Whether an observer needs every step.
    pub(super) fn all_steps(&self) -> bool {
        self.scratch.all_steps
    }

    /// Expands states from the front of `states` until the batch is full, and routes their
    /// successors. Returns whether a state cannot be expanded. A few states at a time: while the
    /// next ones are expanded, the index is fetched for the successors of these.
    ///
    /// # Safety
    /// If the sight is shared, the contract of [`SharedView::find`] holds for its view.
    #[inline(always)]
    pub(super) unsafe fn expand<R: Records>(
        &mut self,
        records: R,
        states: &[u64],
        sight: &Sight<'_>,
    ) -> bool {
        let Self { expander, scratch } = self;
        scratch.routed.clear();
        let mut batch = std::mem::take(&mut scratch.routed.successors);
        scratch.look_up.begin();
        let trouble = expansion::expand(records, &mut **expander, states, &mut batch, |expander, few| {
            scratch.route(records, expander, &few, sight);
            if let Known::Shared(view, claiming) = sight.known {
                // SAFETY: by the contract of this function.
                unsafe { scratch.look_up(records, (view, claiming), few.batch, BATCH) };
            }
        });
        if let Known::Shared(view, claiming) = sight.known {
            // SAFETY: by the contract of this function.
            unsafe { scratch.look_up(records, (view, claiming), &batch, 1) };
        }
        if sight.wants_truth {
            let expanded = records.words_of(states, batch.ends().len());
            expander.predicates(&states[..expanded], &mut scratch.routed.truths);
        }
        scratch.routed.successors = batch;
        trouble
    }

    /// [`expand`](Self::expand) beside the owner of the layer, for all these states. If nothing else is
    /// left of their successors, the result is a summary; otherwise all of them are there.
    ///
    /// # Safety
    /// If the sight is shared, the contract of [`SharedView::find`] holds for its view.
    pub(super) unsafe fn expand_beside<R: Records>(
        &mut self,
        records: R,
        states: &[u64],
        sight: &Sight<'_>,
        (summary, routed): (&mut Summary, &mut RoutedBatch),
        actions: usize,
    ) -> Beside {
        self.scratch.routed.successors.set_wanted(usize::MAX);
        // SAFETY: by the contract of this function.
        let trouble = unsafe { self.expand(records, states, sight) };
        let scratch = &mut *self.scratch;
        debug_assert!(
            trouble || scratch.routed.successors.ends().len() == records.shape().count(states),
            "all states of a chunk are expanded"
        );
        if actions > 0 {
            scratch.routed.count_actions(actions);
        }
        let is_claiming = matches!(sight.known, Known::Shared(_, Some(_)));
        let is_whole =
            !is_claiming || !scratch.routed.staying.tags.is_empty() || !scratch.routed.leaving.is_empty();
        if is_whole {
            std::mem::swap(&mut scratch.routed, routed);
        } else {
            summary.copy(&scratch.routed);
        }
        scratch.routed.successors.set_wanted(BATCH);
        Beside { trouble, is_whole }
    }

    /// Forgets which states were stored a moment ago, if this is another number than before.
    pub(super) fn begin_epoch(&mut self, epoch: u64) {
        if self.scratch.epoch != epoch {
            self.scratch.epoch = epoch;
            self.scratch.forget_recent();
        }
    }

    /// Routes successors of one state, which the search was supplied with.
    pub(super) fn adopt<R: Records>(
        &mut self,
        records: R,
        state: &[u64],
        successors: &SuccessorBatch,
        sight: &Sight<'_>,
    ) {
        let Self { expander, scratch } = self;
        scratch.routed.clear();
        let mut batch = std::mem::take(&mut scratch.routed.successors);
        for i in 0..successors.len() {
            batch.push(successors.action(i), successors.state(i));
        }
        batch.end_state();
        let few = Few { batch: &batch, from: 0 };
        scratch.route(records, &mut **expander, &few, sight);
        if sight.wants_truth {
            expander.predicates(state, &mut scratch.routed.truths);
        }
        scratch.routed.successors = batch;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several workers may share a level.
    #[test]
    fn a_worker_can_move_to_another_thread() {
        const fn is_send<T: Send>() {}
        const { is_send::<Worker<'static>>() };
        const { is_send::<RoutedBatch>() };
    }
}
