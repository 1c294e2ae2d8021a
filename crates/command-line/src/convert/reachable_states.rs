//! The state space as a graph in memory, for formats that list states one by one.
//!
//! The interpreter explores it, because every step is needed with its action. A few hundred
//! thousand states take seconds; larger listings are rare. `convert --to graph` has no such limit.

use std::collections::HashMap;

use model::guarded_commands::{ActionId, GuardedCommands};
use model::interpreter::Interpreter;
use model::measure::ExpressionMeasure;

/// All reachable states, in breadth-first order: the first one is initial.
#[derive(Clone, Debug, Default)]
pub struct ReachableStates {
    /// The cells of each state.
    pub states: Vec<Box<[i64]>>,
    /// The steps of each state: the action, and the number of the target state.
    pub steps: Vec<Vec<(ActionId, u32)>>,
    /// Number of steps that are run-time errors.
    pub erroneous: u64,
    /// Number of states that have only such steps.
    pub stranded: u64,
}

/// The state space exceeds the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyStates;

impl ReachableStates {
    /// Explores a model.
    ///
    /// # Errors
    /// It has more than `limit` states.
    pub fn explore(commands: &GuardedCommands, limit: u32) -> Result<Self, TooManyStates> {
        let interpreter = Interpreter::new(commands);
        let initial: Box<[i64]> = commands.initial_state().into();
        let mut numbers: HashMap<Box<[i64]>, u32> = HashMap::from([(initial.clone(), 0)]);
        let mut graph = Self { states: vec![initial], ..Self::default() };
        while graph.steps.len() < graph.states.len() {
            let mut steps = Vec::new();
            let mut found = Vec::new();
            let next = graph.states.len();
            let erroneous = graph.erroneous;
            interpreter.for_each_successor(&graph.states[graph.steps.len()], |action, result| match result {
                Err(_) => graph.erroneous += 1,
                Ok(state) => {
                    let target = numbers.get(state).copied().unwrap_or_else(|| {
                        let number = (next + found.len()) as u32;
                        numbers.insert(state.into(), number);
                        found.push(Box::from(state));
                        number
                    });
                    steps.push((action, target));
                }
            });
            graph.stranded += u64::from(steps.is_empty() && graph.erroneous > erroneous);
            graph.steps.push(steps);
            graph.states.append(&mut found);
            if graph.states.len() > limit as usize {
                return Err(TooManyStates);
            }
        }
        Ok(graph)
    }

    /// The packed progress value of each state; zero without a measure.
    pub fn progress_values(
        &self,
        measure: Option<&ExpressionMeasure>,
        commands: &GuardedCommands,
    ) -> Vec<u64> {
        let interpreter = Interpreter::new(commands);
        let value = |state: &[i64]| match measure {
            None => 0,
            // Measures that may fail are refused before.
            Some(measure) => interpreter.evaluate(measure.packed(), state).map_or(0, |value| value as u64),
        };
        self.states.iter().map(|state| value(state)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_in_breadth_first_order_and_limited() {
        let text = "byte x; process P { state s; init s; \
            trans s -> s { guard x < 4; effect x = x + 1; }, s -> s { guard x == 0; effect x = 4; }, \
            s -> s { guard x == 2; effect x = 1 / (x - 2); }; } system async;";
        let commands = languages::read_model(text).unwrap().commands;
        let graph = ReachableStates::explore(&commands, 5).unwrap();
        let values: Vec<i64> = graph.states.iter().map(|state| state[0]).collect();
        assert_eq!(values, [0, 1, 4, 2, 3]);
        assert_eq!(graph.steps.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 0, 1, 1]);
        assert_eq!((graph.erroneous, graph.stranded), (1, 0));
        assert_eq!(ReachableStates::explore(&commands, 4).unwrap_err(), TooManyStates);
    }
}
