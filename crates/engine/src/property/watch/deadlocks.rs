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

    /// Whether a state without successors, with this truth, decides something.
    #[inline(always)]
    pub(super) fn is_news(&self, truth: Truth) -> bool {
        !self.properties.is_empty() && (self.unfinished == 0 || truth.holds & self.unfinished != 0)
    }

    /// Whether the truth of predicates matters.
    #[inline(always)]
    pub(super) fn wants_truth(&self) -> bool {
        self.unfinished != 0
    }

    /// Notes a deadlock.
    pub(super) fn decide(&mut self, record: Record, answers: &mut Answers) {
        for property in std::mem::take(&mut self.properties) {
            answers.settle(property, record);
        }
    }
}
