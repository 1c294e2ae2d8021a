//! What is answered: verdicts, and the traces that show them.

pub mod replay;
pub mod trace;
pub mod trace_log;

use crate::explore::{CompleteSearch, StopReason};
use crate::verdict::replay::ReplayedTrace;

/// The answer to a question about a model.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The property holds.
    Holds(Evidence),
    /// The property does not hold.
    Violated(Evidence),
    /// The search could not decide it.
    Unknown(UnknownReason),
}

/// What a verdict rests on. Neither kind can be made up: one comes from a search that ran out of states, the other
/// from a replay on the interpreter.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// All reachable states were looked at.
    Search(CompleteSearch),
    /// This run of the model shows it.
    Trace(ReplayedTrace),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The search was stopped before the end.
    Stopped(StopReason),
    /// The model has a run-time error; what lies behind it is not explored.
    RuntimeError,
    /// This version cannot decide properties of this kind.
    NotSupported(String),
}

impl std::fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(reason) => write!(f, "{reason}"),
            Self::RuntimeError => write!(f, "the model has a run-time error"),
            Self::NotSupported(what) => write!(f, "{what}"),
        }
    }
}
