//! What is asked of a model.

pub mod watch;

use crate::model::guarded_commands::Expression;

/// A question about a model.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name in reports.
    pub name: String,
    /// What is asked.
    pub kind: PropertyKind,
}

/// What can be asked.
#[derive(Clone, Debug)]
pub enum PropertyKind {
    /// Every reachable state has a successor.
    DeadlockFree,
    /// The expression is true in every reachable state.
    Invariant(Expression),
    /// The expression is true in some reachable state.
    Reachable(Expression),
    /// No infinite run is accepted by a Büchi automaton. Read from models, not decided by this version.
    Ltl,
}

impl PropertyKind {
    /// The name in run records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DeadlockFree => "deadlock",
            Self::Invariant(_) => "invariant",
            Self::Reachable(_) => "reach",
            Self::Ltl => "ltl",
        }
    }

    /// The expression that is evaluated in every state.
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Invariant(expression) | Self::Reachable(expression) => Some(expression),
            Self::DeadlockFree | Self::Ltl => None,
        }
    }
}
