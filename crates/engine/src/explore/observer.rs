//! Observers: the hooks of a search, for properties, traces and statistics.
//!
//! Observers are dispatched statically: a hook that is not used costs nothing.

use std::io;
use std::ops::ControlFlow;

use model::guarded_commands::ActionId;
use model::transition_system::Truth;

/// The number of a stored state, in the order of insertion. A state that is visited again in a
/// later sweep gets another number.
pub type Record = u64;

/// An observer of a search.
pub trait Observer {
    /// Called when a state was taken from the queue and has this many successors. Called in the
    /// order of the search, before the successors are stored. `truth` is that of the predicates, if
    /// [`wants_truth`](Self::wants_truth). `Break` ends the search.
    fn taken(
        &mut self,
        record: Record,
        state: &[u64],
        truth: Truth,
        successors: Successors,
    ) -> ControlFlow<()>;

    /// Whether [`taken`](Self::taken) needs the truth of the predicates. Called for every state.
    #[inline(always)]
    fn wants_truth(&self) -> bool {
        false
    }

    /// Called when a state was stored; its record number is the next one. Initial states have no
    /// parent.
    #[inline(always)]
    fn stored(&mut self, _parent: Option<Record>, _action: ActionId) {}

    /// Called when the states from this record number on, none of which was taken, lose their
    /// numbers and are stored again later. `each` gets the parent and the action of each of them,
    /// in order, if the observer [wants origins](Self::wants_origins).
    fn retract(&mut self, _first: Record, _each: &mut dyn FnMut(Option<Record>, ActionId)) -> io::Result<()> {
        Ok(())
    }

    /// Whether [`stored`](Self::stored) needs parents and actions. Called once, before the search
    /// starts.
    fn wants_origins(&self) -> bool {
        false
    }

    /// Called for a step from a state of the current layer. Steps that leave the layer and steps
    /// inside it come in the order of their source states, batch by batch.
    #[inline(always)]
    fn step(&mut self, _step: Step<'_>) {}

    /// Called for a step that is a run-time error, and has no target.
    #[inline(always)]
    fn erroneous_step(&mut self, _from: Record) {}

    /// Whether the observer needs every [step](Self::step). Called once, before the search starts.
    fn wants_steps(&self) -> bool {
        false
    }

    /// Whether every layer must be in memory as a whole, so that a step inside it has a number at
    /// both ends. Called once, before the search starts.
    fn wants_whole_layers(&self) -> bool {
        false
    }

    /// Called for a step from the current layer, of the first progress value, to one of the second.
    #[inline(always)]
    fn progress_step(&mut self, _before: u64, _after: u64) {}

    /// Called when a layer of this progress value begins. The next states to be taken have numbers
    /// from `_first` on.
    fn layer_begins(&mut self, _first: Record, _progress: u64) {}

    /// Called when all states of the layer were taken, before they are forgotten. `Break` ends the
    /// search.
    fn layer_ends(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called when states get another layout, of `width` words.
    fn repack(&mut self, _width: usize, _translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {}

    /// The reason why the observer cannot continue, if there is one. It ends the search.
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
    /// The number of the source state.
    pub from: Record,
    /// The action.
    pub action: ActionId,
    /// The target state.
    pub target: &'s [u64],
    /// The number of the target, if it is in the current layer and in memory, and no earlier sweep
    /// expanded it.
    pub number: Option<Record>,
}

/// The steps of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successors {
    /// The state has this many steps, none of which is an error.
    Steps(usize),
    /// At least one of its steps is a run-time error.
    WithError,
}
