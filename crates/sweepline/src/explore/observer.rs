//! What a search tells while it runs: the hooks for properties, traces and statistics.
//!
//! Observers are static: what is not asked for costs nothing.

use std::ops::ControlFlow;

use crate::model::guarded_commands::ActionId;
use crate::model::successor_batch::SuccessorBatch;
use crate::model::transition_system::TransitionSystem;

/// The number of a state that was stored, in the order of insertion. A state that is met again in a later sweep gets
/// another number.
pub type Record = u64;

/// Watches a search.
pub trait Observer<S: TransitionSystem> {
    /// A state was taken from the queue and has this many successors. Called in the order of the search, before the
    /// successors are stored. `Break` ends the search.
    fn taken(&mut self, system: &S, record: Record, state: &[u64], successors: Successors)
    -> ControlFlow<()>;

    /// A state was stored; its record number is the next one. Initial states have no parent.
    #[inline(always)]
    fn stored(&mut self, _parent: Option<Record>, _action: ActionId) {}

    /// Whether [`stored`](Self::stored) must hear parents and actions. Asked once, before the search starts.
    fn wants_origins(&self) -> bool {
        false
    }

    /// States with consecutive numbers from this one on were expanded, and these are all their successors. Called after they were
    /// [taken](Self::taken).
    #[inline(always)]
    fn expanded(&mut self, _first: Record, _successors: &SuccessorBatch) {}

    /// Whether every step must be heard of. Asked once, before the search starts.
    fn wants_steps(&self) -> bool {
        false
    }

    /// A step from one state of the current layer to another, or to itself. Steps come in the order of their first state.
    #[inline(always)]
    fn stationary_step(&mut self, _from: Record, _to: Record) {}

    /// A step from a state of the current layer to another layer.
    #[inline(always)]
    fn leaving_step(&mut self, _from: Record) {}

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

impl<S: TransitionSystem, A: Observer<S>, B: Observer<S>> Observer<S> for Both<A, B> {
    #[inline(always)]
    fn taken(
        &mut self,
        system: &S,
        record: Record,
        state: &[u64],
        successors: Successors,
    ) -> ControlFlow<()> {
        // Both see every state that is taken, also the one that decides.
        let first = self.0.taken(system, record, state, successors);
        let second = self.1.taken(system, record, state, successors);
        first?;
        second
    }

    #[inline(always)]
    fn stored(&mut self, parent: Option<Record>, action: ActionId) {
        self.0.stored(parent, action);
        self.1.stored(parent, action);
    }

    #[inline(always)]
    fn expanded(&mut self, first: Record, successors: &SuccessorBatch) {
        self.0.expanded(first, successors);
        self.1.expanded(first, successors);
    }

    fn wants_origins(&self) -> bool {
        self.0.wants_origins() || self.1.wants_origins()
    }

    fn wants_steps(&self) -> bool {
        self.0.wants_steps() || self.1.wants_steps()
    }

    #[inline(always)]
    fn stationary_step(&mut self, from: Record, to: Record) {
        self.0.stationary_step(from, to);
        self.1.stationary_step(from, to);
    }

    #[inline(always)]
    fn leaving_step(&mut self, from: Record) {
        self.0.leaving_step(from);
        self.1.leaving_step(from);
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
impl<S: TransitionSystem, O: Observer<S>> Observer<S> for Option<O> {
    #[inline(always)]
    fn taken(
        &mut self,
        system: &S,
        record: Record,
        state: &[u64],
        successors: Successors,
    ) -> ControlFlow<()> {
        self.as_mut().map_or(ControlFlow::Continue(()), |one| one.taken(system, record, state, successors))
    }

    #[inline(always)]
    fn stored(&mut self, parent: Option<Record>, action: ActionId) {
        if let Some(observer) = self {
            observer.stored(parent, action);
        }
    }

    #[inline(always)]
    fn expanded(&mut self, first: Record, successors: &SuccessorBatch) {
        if let Some(observer) = self {
            observer.expanded(first, successors);
        }
    }

    fn wants_origins(&self) -> bool {
        self.as_ref().is_some_and(O::wants_origins)
    }

    fn wants_steps(&self) -> bool {
        self.as_ref().is_some_and(O::wants_steps)
    }

    #[inline(always)]
    fn stationary_step(&mut self, from: Record, to: Record) {
        if let Some(observer) = self {
            observer.stationary_step(from, to);
        }
    }

    #[inline(always)]
    fn leaving_step(&mut self, from: Record) {
        if let Some(observer) = self {
            observer.leaving_step(from);
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
