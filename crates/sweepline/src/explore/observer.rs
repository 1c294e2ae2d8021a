//! What a search tells while it runs: the hooks for properties, traces and statistics.
//!
//! Observers are static: what is not asked for costs nothing.

use std::ops::ControlFlow;

use crate::model::guarded_commands::ActionId;
use crate::model::transition_system::TransitionSystem;

/// The number of a stored state, in the order of insertion.
pub type Record = u32;

/// Watches a search.
pub trait Observer<S: TransitionSystem> {
    /// A state was taken from the queue and has this many successors. Called in the order of the search, before the
    /// successors are stored. `Break` ends the search.
    fn taken(&mut self, system: &S, record: Record, state: &[u64], successors: Successors)
    -> ControlFlow<()>;

    /// A state was stored for the first time; its record number is the next one. The first states have no parent.
    fn stored(&mut self, parent: Option<Record>, action: ActionId);

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
        self.0.taken(system, record, state, successors)?;
        self.1.taken(system, record, state, successors)
    }

    #[inline(always)]
    fn stored(&mut self, parent: Option<Record>, action: ActionId) {
        self.0.stored(parent, action);
        self.1.stored(parent, action);
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

    fn failure(&self) -> Option<String> {
        self.as_ref().and_then(O::failure)
    }

    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, O::bytes)
    }
}
