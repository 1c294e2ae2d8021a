//! Verdicts, and the traces that show them.

pub mod replay;
pub mod trace;
pub mod trace_log;

use crate::explore::{CompleteSearch, StopReason};
use crate::verdict::replay::ReplayedTrace;

/// The answer for a property of a model with runs of type `R` and states of type `T`.
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

/// The evidence of a verdict. It cannot be forged: one kind comes from a complete search, the
/// others from a replay by the model.
#[derive(Clone, Debug)]
pub enum Evidence<R = ReplayedTrace, T = Vec<i64>> {
    /// A search visited all reachable states.
    Search(CompleteSearch),
    /// This run of the model shows the verdict.
    Trace(R, Length),
    /// An infinite run, a lasso: its last state equals the state with this number, and the run
    /// continues as from there. If that is the last state itself, it is repeated forever.
    Lasso(R, usize),
    /// A run into a terminal strongly connected component.
    Component(R, Component<T>),
}

/// The length of a run, compared with other runs that show the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// No such run is shorter.
    Shortest,
    /// The run is least in this order: fewest regress edges, then least progress at its end (of
    /// vectors, a minimal one), then fewest steps in its last layer.
    SubjectToProgress,
    /// The run is as the search found it.
    AsFound,
}

/// A terminal strongly connected component: each state can be reached from every other, and no
/// other states can. The model computed the states again, from the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component<T = Vec<i64>> {
    /// The states, beginning with the last one of the run.
    pub states: Vec<T>,
    /// Whether the list contains all states of the component.
    pub complete: bool,
}

/// The reason why a property is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The search was stopped before the end.
    Stopped(StopReason),
    /// The model has a run-time error; the states after it are not explored.
    RuntimeError,
    /// There is a regress edge. The search cannot decide the property with it, or the plan did not
    /// expect it.
    NotMonotone,
}

impl std::fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(reason) => write!(f, "{reason}"),
            Self::RuntimeError => write!(f, "the model has a run-time error"),
            Self::NotMonotone => write!(f, "the measure is not monotone"),
        }
    }
}
