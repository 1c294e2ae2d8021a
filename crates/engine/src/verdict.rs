//! Verdicts, and the traces that show them.

pub mod replay;
pub mod trace;
pub mod trace_log;

use crate::explore::{CompleteSearch, StopReason};
use crate::verdict::replay::ReplayedTrace;

/// The answer to a question about a model with runs of type `R` and states of type `T`.
#[derive(Clone, Debug)]
pub enum Verdict<R = ReplayedTrace, T = Vec<i64>> {
    /// The property holds.
    Holds(Evidence<R, T>),
    /// The property does not hold.
    Violated(Evidence<R, T>),
    /// The search could not decide it.
    Unknown(UnknownReason),
}

impl<R, T> Verdict<R, T> {
    /// Whether the property holds.
    pub fn is_holding(&self) -> bool {
        matches!(self, Self::Holds(_))
    }

    /// Whether the property is violated.
    pub fn is_violated(&self) -> bool {
        matches!(self, Self::Violated(_))
    }
}

/// What a verdict rests on. None can be forged: one comes from a search that ran out of states, the others from
/// a replay by the model.
#[derive(Clone, Debug)]
pub enum Evidence<R = ReplayedTrace, T = Vec<i64>> {
    /// A search met all reachable states.
    Search(CompleteSearch),
    /// This run of the model shows it.
    Trace(R, Length),
    /// An infinite run, a lasso: its last state is the one with this number, and the run continues as from there.
    /// If that is the last state itself, it is repeated forever.
    Lasso(R, usize),
    /// A run into a terminal strongly connected component.
    Component(R, Component<T>),
}

/// The length of a run, compared with others that show the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// None is shorter.
    Shortest,
    /// It has the fewest regress edges, then ends at the least progress (of vectors, a minimal one), then has the
    /// fewest steps in its last layer.
    SubjectToProgress,
    /// As the search found it.
    AsFound,
}

/// A terminal strongly connected component: each state can be reached from every other, and nothing else can. The
/// model computed the states again, from the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component<T = Vec<i64>> {
    /// The states, beginning with the last one of the run.
    pub states: Vec<T>,
    /// Whether these are all of them.
    pub complete: bool,
}

/// Why a property is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The search was stopped before the end.
    Stopped(StopReason),
    /// The model has a run-time error; the states after it are not explored.
    RuntimeError,
    /// There is a regress edge, with which the search cannot decide the property, or which was not expected.
    NotMonotone,
}

impl std::fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(reason) => write!(f, "{reason}"),
            Self::RuntimeError => write!(f, "the model has a run-time error"),
            Self::NotMonotone => write!(f, "progress falls"),
        }
    }
}
