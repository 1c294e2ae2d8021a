//! A run of a model, as states and the actions between them.

use model::guarded_commands::{ActionId, CellId};

/// A finite run: the initial state, then steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// All cells of the initial state.
    pub initial: Vec<i64>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The action that fired.
    pub action: ActionId,
    /// All cells of the state after the step.
    pub state: Vec<i64>,
}

/// A cell that a step changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The cell.
    pub cell: CellId,
    /// The value before.
    pub from: i64,
    /// The value after.
    pub to: i64,
}

impl Trace {
    /// The state after `steps` steps.
    pub fn state(&self, steps: usize) -> &[i64] {
        if steps == 0 { &self.initial } else { &self.steps[steps - 1].state }
    }

    /// The last state.
    pub fn last_state(&self) -> &[i64] {
        self.state(self.steps.len())
    }

    /// The actions, in order.
    pub fn actions(&self) -> impl Iterator<Item = ActionId> {
        self.steps.iter().map(|step| step.action)
    }

    /// The changes of the step with this number, from zero.
    pub fn changes(&self, step: usize) -> Vec<Change> {
        let (before, after) = (self.state(step), self.state(step + 1));
        before
            .iter()
            .zip(after)
            .enumerate()
            .filter(|(_, (from, to))| from != to)
            .map(|(cell, (&from, &to))| Change { cell: CellId(cell as u32), from, to })
            .collect()
    }
}
