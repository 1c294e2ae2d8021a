//! Reduced searches decide as full ones do, on thousands of random models.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

mod intermediate_states;
mod loose_model;
#[path = "../../../acceptance/tests/models/random_model/mod.rs"]
mod random_model;
mod relations;
mod verdicts;

use std::collections::{HashMap, VecDeque};

use model::guarded_commands::{ActionId, GuardedCommands};
use model::interpreter::Interpreter;

/// Models with more states are left out.
const MOST_STATES: usize = 3_000;

/// The whole state space, by the interpreter.
pub struct Graph {
    /// Their cells.
    pub states: Vec<Vec<i64>>,
    /// For each state, its steps; an erroneous one leads nowhere.
    pub steps: Vec<Vec<(ActionId, Option<usize>)>>,
}

impl Graph {
    /// `None` if there are too many states.
    pub fn of(model: &GuardedCommands) -> Option<Self> {
        let interpreter = Interpreter::new(model);
        let initial = model.initial_state();
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut graph = Self { states: vec![initial], steps: Vec::new() };
        let mut queue = VecDeque::from([0]);
        while let Some(number) = queue.pop_front() {
            let mut steps = Vec::new();
            for (action, result) in interpreter.successors(&graph.states[number].clone()) {
                let to = result.ok().map(|state| {
                    *numbers.entry(state.clone()).or_insert_with(|| {
                        graph.states.push(state);
                        queue.push_back(graph.states.len() - 1);
                        graph.states.len() - 1
                    })
                });
                steps.push((action, to));
            }
            graph.steps.push(steps);
            if graph.states.len() > MOST_STATES {
                return None;
            }
        }
        Some(graph)
    }

    /// Whether a step is an error.
    pub fn has_error(&self) -> bool {
        self.steps.iter().flatten().any(|(_, to)| to.is_none())
    }

    /// Whether a state has no step.
    pub fn has_deadlock(&self) -> bool {
        self.steps.iter().any(Vec::is_empty)
    }
}

/// Models of all kinds.
pub fn models(count: u64) -> impl Iterator<Item = (String, GuardedCommands)> {
    let plain = (0..count).flat_map(|seed| {
        [
            (format!("loose {seed}"), loose_model::loose_model(seed)),
            (format!("random {seed}"), random_model::random_model(seed * 7919 + 1)),
        ]
    });
    plain.chain((0..count).map(|seed| (format!("merged {seed}"), loose_model::merged_model(seed))))
}
