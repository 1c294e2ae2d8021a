//! Properties that the truth of a predicate in one state decides: invariants, reachability, and the
//! illegal events of a service.

use serde::{Deserialize, Serialize};

use super::answers::{Answers, Owners};
use crate::explore::Record;
use model::transition_system::Truth;

/// Predicates of which one state with the unusual truth is an answer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct StateWatch {
    owners: Owners,
    /// Predicates that are usually true.
    expected: u64,
    /// Predicates that are not decided yet.
    open: u64,
}

impl StateWatch {
    /// Watches a predicate. A state where its truth differs from `usual` decides the property.
    pub(super) fn add(&mut self, predicate: u32, property: usize, usual: bool) {
        let bit = self.owners.add(predicate, property);
        self.open |= bit;
        if usual {
            self.expected |= bit;
        }
    }

    /// Predicates that are not decided yet.
    #[inline(always)]
    pub(super) fn open(&self) -> u64 {
        self.open
    }

    /// The open predicates that a state with this truth decides. Where a predicate has no value,
    /// its bit means nothing.
    #[inline(always)]
    pub(super) fn news(&self, truth: Truth) -> u64 {
        (truth.holds ^ self.expected) & self.open
    }

    /// Notes what the state decides.
    pub(super) fn decide(&mut self, record: Record, truth: Truth, answers: &mut Answers) {
        let news = self.news(truth) & !truth.undefined;
        self.owners.settle(news, record, answers);
        self.open &= !news;
    }
}
