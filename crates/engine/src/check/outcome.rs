//! The outcome of a run: everything that is known after it.

use super::branching::GraphSummary;
use super::semantics::Semantics;
use crate::explore::sweep::WorkerFigures;
use crate::explore::{Change, Counters, Course, StopReason};
use crate::property::survey::Surveyed;
use crate::reduce::gain::Gain;
use crate::store::external::disk::IoCounts;
use crate::verdict::Verdict;
use crate::verdict::replay::ReplayedTrace;
use model::guarded_commands::ActionId;
use model::interpreter::RuntimeError;

/// A run-time error of the model, with the run that leads to it.
#[derive(Clone, Debug)]
pub struct ModelError<F = RuntimeError, R = ReplayedTrace> {
    /// The error.
    pub error: F,
    /// The run to the state in which the error occurs.
    pub trace: R,
    /// The place of the error.
    pub place: ErrorPlace,
}

/// The place of a run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorPlace {
    /// This action of the model.
    Action(ActionId),
    /// The expression of the property with this number.
    Property(usize),
}

/// A regress edge, with the run that ends with it.
#[derive(Clone, Debug)]
pub struct Regress<R = ReplayedTrace> {
    /// The run. Its last step lowers progress.
    pub trace: R,
    /// The progress value before the step.
    pub before: u64,
    /// The progress value after the step.
    pub after: u64,
}

/// The outcome of a run, by any engine.
#[derive(Clone, Debug)]
pub struct Outcome<R = ReplayedTrace, T = Vec<i64>, F = RuntimeError> {
    /// One verdict for each property, in order.
    pub verdicts: Vec<Verdict<R, T>>,
    /// The first run-time error.
    pub error: Option<ModelError<F, R>>,
    /// The first regress edge, if it ended the search.
    pub regress: Option<Regress<R>>,
    /// Whether every reachable state was visited; with a reduction, every state of the reduced
    /// state space.
    pub complete: bool,
    /// The reason why the search was stopped, if it was.
    pub stopped: Option<StopReason>,
    /// The changes of measure while the search ran, in order.
    pub changes: Vec<ChangeOutcome>,
    /// Numbers of states, and memory.
    pub figures: Figures,
    /// The states without successors, if they were to be listed.
    pub terminal_states: Option<Vec<T>>,
    /// The values and actions that occur, if a survey was requested.
    pub survey: Option<Surveyed>,
    /// The size of the graph, if one was recorded.
    pub graph: Option<GraphSummary>,
    /// The states held layer by layer, and the number of times that each action was taken. Present
    /// if it was requested and the search has layers.
    pub course: Option<Course>,
    /// What a sample showed, if the reduction was given up because of it. The search then took all
    /// steps, and counts are those of the full state space.
    pub given_up: Option<Gain>,
}

/// A change of measure, without a restart: from full exploration to a sweep, or between two sweeps.
#[derive(Clone, Debug)]
pub struct ChangeOutcome {
    /// The measure, and the details of the sweep.
    pub change: Change,
    /// Number of states that were expanded before the change.
    pub explored: u64,
    /// Number of regress edges before the change. There are none if it ended full exploration, and at
    /// least one if it was made between two sweeps.
    pub regress: u64,
    /// The most states that the sweep held at one time after the change, up to the next one.
    pub peak_after: u64,
    /// Mean number of expansions per state up to then, in the whole search.
    pub revisits: f64,
}

/// What a run counted: states, steps, bytes.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Number of different states visited, where known.
    pub distinct: Option<u64>,
    /// Number of different states visited, estimated.
    pub estimated_distinct: u64,
    /// Number of different states without successors visited, where known.
    pub deadlocks: Option<u64>,
    /// The counters of the search.
    pub counters: Counters,
    /// Peak bytes of states, their index and the buffers around them.
    pub peak_state_bytes: u64,
    /// Bytes on disk: of the trace log, and of states at their peak.
    pub disk_bytes: u64,
    /// Numbers of states that were written to disk and read from it.
    pub io: IoCounts,
    /// Bits per state at the end of the run.
    pub state_bits: u64,
    /// Words per state at the end of the run.
    pub state_words: u64,
    /// Number of times that a value outgrew its field.
    pub widenings: u32,
    /// What each thread did while threads shared their work. Empty for a search by one thread.
    pub workers: Vec<WorkerFigures>,
}

/// The outcome of a run over this kind of model.
pub type OutcomeOf<M> = Outcome<<M as Semantics>::Run, <M as Semantics>::State, <M as Semantics>::Fault>;
/// A run-time error of this kind of model.
pub(super) type ModelErrorOf<M> = ModelError<<M as Semantics>::Fault, <M as Semantics>::Run>;
