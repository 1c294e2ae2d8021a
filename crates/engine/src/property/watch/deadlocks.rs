//! Properties that a state without successors decides.

use serde::{Deserialize, Serialize};

use super::answers::Answers;
use crate::explore::Record;
use model::transition_system::Truth;

/// Properties that end with the first deadlock.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct DeadlockWatch {
    /// The properties that are not decided yet.
    properties: Vec<usize>,
    /// If not zero, only a state where one of these predicates is true is a deadlock.
    unfinished: u64,
    /// Properties that are decided only where this predicate is false.
    improper: Vec<(usize, u64)>,
}

impl DeadlockWatch {
    /// Watches for a state without successors.
    pub(super) fn add(&mut self, property: usize) {
        self.properties.push(property);
    }

    /// Watches for a state without successors where one of these predicates is true.
    pub(super) fn add_unfinished(&mut self, property: usize, predicates: u64) {
        self.properties.push(property);
        self.unfinished |= predicates;
    }

    /// Watches for a state without successors where this predicate is false.
    pub(super) fn add_unless(&mut self, property: usize, predicate: u64) {
        self.improper.push((property, predicate));
    }

    /// Whether a state without successors, with this truth, decides something.
    #[inline(always)]
    pub(super) fn is_news(&self, truth: Truth) -> bool {
        self.is_deadlock(truth) || self.improper.iter().any(|(_, proper)| truth.holds & proper == 0)
    }

    #[inline(always)]
    fn is_deadlock(&self, truth: Truth) -> bool {
        !self.properties.is_empty() && (self.unfinished == 0 || truth.holds & self.unfinished != 0)
    }

    /// Whether the truth of predicates matters.
    #[inline(always)]
    pub(super) fn wants_truth(&self) -> bool {
        self.unfinished != 0 || !self.improper.is_empty()
    }

    /// Notes a deadlock.
    pub(super) fn decide(&mut self, record: Record, truth: Truth, answers: &mut Answers) {
        if self.is_deadlock(truth) {
            for property in std::mem::take(&mut self.properties) {
                answers.settle(property, record);
            }
        }
        self.improper.retain(|(property, proper)| {
            let is_proper = truth.holds & proper != 0;
            if !is_proper {
                answers.settle(*property, record);
            }
            is_proper
        });
    }
}
