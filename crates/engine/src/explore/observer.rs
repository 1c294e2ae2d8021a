//! What a search tells while it runs: the hooks for properties, traces and statistics.
//!
//! Observers are static: what is not asked for costs nothing.

use std::ops::ControlFlow;

use model::guarded_commands::ActionId;
use model::transition_system::Truth;

/// The number of a state that was stored, in the order of insertion. A state that is met again in a later sweep gets
/// another number.
pub type Record = u64;

/// Watches a search.
pub trait Observer {
    /// A state was taken from the queue and has this many successors. Called in the order of the
    /// search, before the successors are stored. `truth` is that of the predicates, if
    /// [`wants_truth`](Self::wants_truth). `Break` ends the search.
    fn taken(
        &mut self,
        record: Record,
        state: &[u64],
        truth: Truth,
        successors: Successors,
    ) -> ControlFlow<()>;

    /// Whether [`taken`](Self::taken) needs the truth of the predicates. Asked for every state.
    #[inline(always)]
    fn wants_truth(&self) -> bool {
        false
    }

    /// A state was stored; its record number is the next one. Initial states have no parent.
    #[inline(always)]
    fn stored(&mut self, _parent: Option<Record>, _action: ActionId) {}

    /// Whether [`stored`](Self::stored) must hear parents and actions. Asked once, before the search starts.
    fn wants_origins(&self) -> bool {
        false
    }

    /// A step from a state of the current layer. Those that leave the layer and those that stay in it come in the order of their first states,
    /// batch by batch.
    #[inline(always)]
    fn step(&mut self, _step: Step<'_>) {}

    /// A step that is a run-time error: nobody knows where it leads.
    #[inline(always)]
    fn erroneous_step(&mut self, _from: Record) {}

    /// Whether every [step](Self::step) must be heard of. Asked once, before the search starts.
    fn wants_steps(&self) -> bool {
        false
    }

    /// Whether every layer must be in memory as a whole, so that a step inside of it has a number at both ends. Asked once, before the search
    /// starts.
    fn wants_whole_layers(&self) -> bool {
        false
    }

    /// A step leads from the current layer, of the first progress value, to one of the second.
    #[inline(always)]
    fn progress_step(&mut self, _before: u64, _after: u64) {}

    /// A layer of this progress value begins. The next states to be taken have numbers from this one on.
    fn layer_begins(&mut self, _first: Record, _progress: u64) {}

    /// All states of the layer were taken, and will be forgotten. `Break` ends the search.
    fn layer_ends(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// States have another layout of `width` words from now on.
    fn repack(&mut self, _width: usize, _translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {}

    /// Why the search cannot go on observed, if so.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Bytes of memory held.
    fn bytes(&self) -> usize {
        0
    }
}

/// A step from a state of the current layer.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// The number of the state.
    pub from: Record,
    /// What is done.
    pub action: ActionId,
    /// The state that it leads to.
    pub target: &'s [u64],
    /// The number of that, if it is in the current layer and in memory, and no earlier sweep expanded it.
    pub number: Option<Record>,
}

/// How a state goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successors {
    /// It has this many steps.
    Steps(usize),
    /// At least one of its steps is a run-time error.
    WithError,
}

/// Two observers, one after the other.
#[derive(Debug, Default)]
pub struct Both<A, B>(pub A, pub B);

impl<A: Observer, B: Observer> Observer for Both<A, B> {
    #[inline(always)]
    fn taken(
        &mut self,
        record: Record,
        state: &[u64],
        truth: Truth,
        successors: Successors,
    ) -> ControlFlow<()> {
        // Both see every state that is taken, also the one that decides.
        let first = self.0.taken(record, state, truth, successors);
        let second = self.1.taken(record, state, truth, successors);
        first?;
        second
    }

    #[inline(always)]
    fn stored(&mut self, parent: Option<Record>, action: ActionId) {
        self.0.stored(parent, action);
        self.1.stored(parent, action);
    }

    #[inline(always)]
    fn wants_truth(&self) -> bool {
        self.0.wants_truth() || self.1.wants_truth()
    }

    fn wants_origins(&self) -> bool {
        self.0.wants_origins() || self.1.wants_origins()
    }

    fn wants_steps(&self) -> bool {
        self.0.wants_steps() || self.1.wants_steps()
    }

    fn wants_whole_layers(&self) -> bool {
        self.0.wants_whole_layers() || self.1.wants_whole_layers()
    }

    #[inline(always)]
    fn step(&mut self, step: Step<'_>) {
        self.0.step(step);
        self.1.step(step);
    }

    #[inline(always)]
    fn erroneous_step(&mut self, from: Record) {
        self.0.erroneous_step(from);
        self.1.erroneous_step(from);
    }

    #[inline(always)]
    fn progress_step(&mut self, before: u64, after: u64) {
        self.0.progress_step(before, after);
        self.1.progress_step(before, after);
    }

    fn layer_begins(&mut self, first: Record, progress: u64) {
        self.0.layer_begins(first, progress);
        self.1.layer_begins(first, progress);
    }

    fn layer_ends(&mut self) -> ControlFlow<()> {
        let first = self.0.layer_ends();
        let second = self.1.layer_ends();
        first?;
        second
    }

    fn repack(&mut self, width: usize, translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {
        self.0.repack(width, translate);
        self.1.repack(width, translate);
    }

    fn failure(&self) -> Option<String> {
        self.0.failure().or_else(|| self.1.failure())
    }

    fn bytes(&self) -> usize {
        self.0.bytes() + self.1.bytes()
    }
}

/// An observer that may be missing.
impl<O: Observer> Observer for Option<O> {
    #[inline(always)]
    fn taken(
        &mut self,
        record: Record,
        state: &[u64],
        truth: Truth,
        successors: Successors,
    ) -> ControlFlow<()> {
        self.as_mut().map_or(ControlFlow::Continue(()), |one| one.taken(record, state, truth, successors))
    }

    #[inline(always)]
    fn stored(&mut self, parent: Option<Record>, action: ActionId) {
        if let Some(observer) = self {
            observer.stored(parent, action);
        }
    }

    #[inline(always)]
    fn wants_truth(&self) -> bool {
        self.as_ref().is_some_and(O::wants_truth)
    }

    fn wants_origins(&self) -> bool {
        self.as_ref().is_some_and(O::wants_origins)
    }

    fn wants_steps(&self) -> bool {
        self.as_ref().is_some_and(O::wants_steps)
    }

    fn wants_whole_layers(&self) -> bool {
        self.as_ref().is_some_and(O::wants_whole_layers)
    }

    #[inline(always)]
    fn step(&mut self, step: Step<'_>) {
        if let Some(observer) = self {
            observer.step(step);
        }
    }

    #[inline(always)]
    fn erroneous_step(&mut self, from: Record) {
        if let Some(observer) = self {
            observer.erroneous_step(from);
        }
    }

    #[inline(always)]
    fn progress_step(&mut self, before: u64, after: u64) {
        if let Some(observer) = self {
            observer.progress_step(before, after);
        }
    }

    fn layer_begins(&mut self, first: Record, progress: u64) {
        if let Some(observer) = self {
            observer.layer_begins(first, progress);
        }
    }

    fn layer_ends(&mut self) -> ControlFlow<()> {
        self.as_mut().map_or(ControlFlow::Continue(()), O::layer_ends)
    }

    fn repack(&mut self, width: usize, translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {
        if let Some(observer) = self {
            observer.repack(width, translate);
        }
    }

    fn failure(&self) -> Option<String> {
        self.as_ref().and_then(O::failure)
    }

    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, O::bytes)
    }
}
