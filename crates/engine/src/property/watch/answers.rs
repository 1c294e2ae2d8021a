//! The states that decide properties, as far as they are known.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::explore::Record;

/// The state that decides each property.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Answers {
    decided: Vec<Option<Record>>,
    /// Number of properties that are not decided yet.
    open: usize,
    /// Whether to continue when all properties are decided.
    explore_all: bool,
}

impl Answers {
    /// No answer yet, to this number of properties.
    pub(super) fn new(properties: usize, explore_all: bool) -> Self {
        Self { decided: vec![None; properties], open: properties, explore_all }
    }

    /// The state that decides the property.
    pub(super) fn of(&self, property: usize) -> Option<Record> {
        self.decided[property]
    }

    /// Notes the state that decides a property. The first one counts: a service is decided by an
    /// event or by an end.
    pub(super) fn settle(&mut self, property: usize, record: Record) {
        if self.decided[property].is_none() {
            self.decided[property] = Some(record);
            self.open -= 1;
        }
    }

    /// Ends the search if nothing is left to decide.
    pub(super) fn go_on(&self) -> ControlFlow<()> {
        if self.open == 0 && !self.explore_all { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Predicates, each with the property that it decides.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Owners(Vec<(u32, usize)>);

impl Owners {
    /// Adds the predicate with this number in the truth of a state. Returns its bit.
    pub(super) fn add(&mut self, predicate: u32, property: usize) -> u64 {
        self.0.push((predicate, property));
        1 << predicate
    }

    /// Settles the properties of these predicates.
    pub(super) fn settle(&self, predicates: u64, record: Record, answers: &mut Answers) {
        for (predicate, property) in &self.0 {
            if predicates & 1 << predicate != 0 {
                answers.settle(*property, record);
            }
        }
    }
}
