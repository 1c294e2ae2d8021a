//! A run of a Rust model.

use std::fmt;

use crate::verdict::replay::ReplayError;
use model::guarded_commands::ActionId;

use super::changes::{changes, compact};
use super::{Model, Steps};

/// A run: an initial state, then steps. The model itself executed it, step by step.
pub struct Path<M: Model> {
    initial: M::State,
    steps: Vec<(M::Action, M::State)>,
}

impl<M: Model> Path<M> {
    /// Executes the steps with these numbers.
    pub(super) fn replay(model: &M, initial: M::State, numbers: &[ActionId]) -> Result<Self, ReplayError> {
        let mut path = Self { initial, steps: Vec::with_capacity(numbers.len()) };
        for (step, number) in numbers.iter().enumerate() {
            let mut steps = Steps::new();
            model.steps(path.last_state(), &mut steps);
            if number.0 as usize >= steps.list.len() {
                return Err(ReplayError::NoSuchAction { step: step + 1, number: number.0 });
            }
            path.steps.push(steps.list.swap_remove(number.0 as usize));
        }
        Ok(path)
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether the run has no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The first state.
    pub fn initial_state(&self) -> &M::State {
        &self.initial
    }

    /// The last state.
    pub fn last_state(&self) -> &M::State {
        self.steps.last().map_or(&self.initial, |(_, state)| state)
    }

    /// The actions, each with the state that it leads to.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (&M::Action, &M::State)> {
        self.steps.iter().map(|(action, state)| (action, state))
    }

    /// All states, one more than there are actions.
    pub fn states(&self) -> impl Iterator<Item = &M::State> {
        std::iter::once(&self.initial).chain(self.steps.iter().map(|(_, state)| state))
    }

    /// The actions.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = &M::Action> {
        self.steps.iter().map(|(action, _)| action)
    }

    /// The run as text: the first state, then each step with its changes.
    pub fn display<'a>(&'a self, model: &'a M) -> impl fmt::Display + 'a {
        Shown { path: self, model }
    }
}

impl<M: Model> fmt::Debug for Path<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Path").field("initial", &self.initial).field("steps", &self.steps).finish()
    }
}

struct Shown<'a, M: Model> {
    path: &'a Path<M>,
    model: &'a M,
}

impl<M: Model> fmt::Display for Shown<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = &self.path.initial;
        let mut text = self.model.show_state(before);
        writeln!(f, "  0. {}", compact(&text))?;
        for (number, (action, state)) in self.path.steps().enumerate() {
            writeln!(f, "{:>3}. {}", number + 1, self.model.show_action(before, action))?;
            let next = self.model.show_state(state);
            for line in changes(&text, &next) {
                writeln!(f, "       {line}")?;
            }
            (before, text) = (state, next);
        }
        Ok(())
    }
}
