//! Transition systems: the interface between models and searches. A search depends on nothing else
//! of a model.
//!
//! All threads of a search share a [`TransitionSystem`]. Each thread has an [`Expander`] of its
//! own, which holds the scratch space. So a wrapper around a model needs no `RefCell`, and threads
//! do not wait for each other. A state is a slice of 64-bit words, of one length or of varying
//! length (see [`records`](super::records)). A search hands a sequence of states and a
//! [`SuccessorBatch`] to its expander, which fills the batch. There is no allocation and no dynamic
//! call per state.
//!
//! Contract for implementors:
//!
//! - Equal states have equal words.
//! - The order of successors is a function of the state, so that a run is repeatable.
//! - An action leads from a given state to at most one successor, so that a trace is a list of
//!   actions.

use super::guarded_commands::{Expression, GuardedCommands};
use super::records::RecordShape;
use super::state_layout::StateLayout;
use super::successor_batch::SuccessorBatch;

/// A model as a search sees it.
pub trait TransitionSystem: Sync {
    /// Shape of states in a sequence of words.
    fn shape(&self) -> RecordShape;

    /// Makes an expander with scratch space of its own, for one thread.
    fn expander(&self) -> Box<dyn Expander + '_>;
}

/// Computes successors, predicates and progress values on one thread.
pub trait Expander: Send {
    /// Expands states from the front of `states` (whole, contiguous states). It stops when the
    /// batch is full, all states are expanded, or one of them cannot be expanded with this state
    /// layout.
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion;

    /// Appends the truth of the predicates that the system was built with in each of `states`
    /// (whole, contiguous states) to `truths`.
    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>);

    /// Appends the progress value of each of `states` (whole, contiguous states) to `values`.
    /// Without a measure all values are zero.
    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>);

    /// [`progress`](Self::progress) of `states` to which these actions lead from states that all have
    /// the progress value `before`. What an action changes may be known without a look at the state.
    #[inline]
    fn successor_progress(&mut self, before: u64, actions: &[u32], states: &[u64], values: &mut Vec<u64>) {
        let _ = (before, actions);
        self.progress(states, values);
    }
}

impl<S: TransitionSystem + ?Sized> TransitionSystem for Box<S>
where
    Box<S>: Sync,
{
    fn shape(&self) -> RecordShape {
        (**self).shape()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        (**self).expander()
    }
}

/// Functions of a state that a search evaluates besides its successors.
#[derive(Clone, Copy, Debug, Default)]
pub struct StateFunctions<'a> {
    /// The predicates of [`Expander::predicates`], at most [`MAX_PREDICATES`].
    pub predicates: &'a [Expression],
    /// The measure of [`Expander::progress`]. Never negative, and defined in every reachable state:
    /// see [`ExpressionMeasure`](crate::measure::ExpressionMeasure).
    pub progress: Option<&'a Expression>,
}

/// The truth of the predicates in a state: bit `i` is for predicate `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Truth {
    /// Predicates that are true.
    pub holds: u64,
    /// Predicates that have no value, e.g. because of an index out of range.
    pub undefined: u64,
}

/// Most predicates that can be evaluated together.
pub const MAX_PREDICATES: usize = 64;

/// Bound on action numbers, all of which are smaller: they share a word with a record number.
pub const MAX_ACTIONS: usize = 1 << 24;

/// Progress of a call of [`Expander::expand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Number of states that are completely expanded in the batch.
    pub states: usize,
    /// Whether the state after them has a successor that is an error, or that has a value too large
    /// for its field. The interpreter decides which.
    pub trouble: bool,
}

/// A way to execute guarded commands: by interpretation, or as machine code.
pub trait Execution: Sync {
    /// Makes the model executable on states of this layout, together with the functions that a
    /// search evaluates on states.
    fn prepare<'m>(
        &self,
        model: &'m GuardedCommands,
        layout: &StateLayout,
        functions: StateFunctions<'_>,
    ) -> Result<Box<dyn TransitionSystem + 'm>, ExecutionError>;

    /// The name on the command line.
    fn name(&self) -> &'static str;
}

/// The reason why a model could not be made executable.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExecutionError {
    /// This machine does not support the execution.
    #[error("{0}")]
    NotSupported(String),
    /// There is no memory for it.
    #[error("{0}")]
    NoMemory(String),
    /// A defect of Sweepline.
    #[error("{0}")]
    Defect(String),
}
