//! Replay: the interpreter executes a list of actions. This is the only way to make a trace.
//!
//! Searches hand over action numbers, never states. So even if machine code, layouts or stores are
//! wrong, a trace that is shown is a run of the model.

use model::guarded_commands::ActionId;
use model::interpreter::{Interpreter, RuntimeError};

use super::trace::{Step, Trace};

/// A trace that the interpreter executed.
#[derive(Clone, Debug)]
pub struct ReplayedTrace {
    trace: Trace,
}

impl ReplayedTrace {
    /// The run.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

/// The reason why actions are not a run of the model. If a search gave them, this is a defect of
/// Sweepline.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The action is not enabled here.
    #[error("step {step}: `{action}` is not enabled")]
    NotEnabled {
        /// Number of the step, from one.
        step: usize,
        /// The action that should have fired.
        action: String,
    },
    /// There is no action with this number.
    #[error("step {step}: there is no action {number}")]
    NoSuchAction {
        /// Number of the step, from one.
        step: usize,
        /// The number.
        number: u32,
    },
    /// The action is a run-time error here.
    #[error("step {step}: {error}")]
    RuntimeError {
        /// Number of the step, from one.
        step: usize,
        /// The error.
        error: RuntimeError,
    },
}

/// Executes the actions from the initial state.
pub fn replay(
    interpreter: &Interpreter<'_>,
    actions: impl IntoIterator<Item = ActionId>,
) -> Result<ReplayedTrace, ReplayError> {
    let model = interpreter.model();
    let initial = model.initial_state();
    let mut trace = Trace { initial, steps: Vec::new() };
    for (number, action) in actions.into_iter().enumerate() {
        let step = number + 1;
        if action.0 as usize >= model.actions.len() {
            return Err(ReplayError::NoSuchAction { step, number: action.0 });
        }
        match interpreter.step(trace.last_state(), action) {
            Some(Ok(state)) => trace.steps.push(Step { action, state }),
            Some(Err(error)) => return Err(ReplayError::RuntimeError { step, error }),
            None => return Err(ReplayError::NotEnabled { step, action: model.action_name(action) }),
        }
    }
    Ok(ReplayedTrace { trace })
}
