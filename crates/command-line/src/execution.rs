//! The two ways to execute a model: which one is chosen, and how it is done.

use languages::{Language, Model};
use sweepline::check::{CheckError, Outcome, Plan, check};
use sweepline::explore::Monitor;
use sweepline::model::guarded_commands::GuardedCommands;
use sweepline::model::interpreted_model::Interpreted;
use sweepline::property::Property;

use crate::lean_execution::Lean;
use crate::options::ExecutionChoice;

/// A state space with more arcs is interpreted. Each arc is an action, and compiling one takes longer than executing it
/// once, which is all that happens to it in a sweep that never goes back.
const COMPILED_ARCS: usize = 2_000;

/// How the model is executed: as asked, else as suits it.
pub fn execution_for(asked: Option<ExecutionChoice>, model: &Model) -> ExecutionChoice {
    let large = model.language == Language::StateSpace && model.commands.actions.len() > COMPILED_ARCS;
    asked.unwrap_or(if large { ExecutionChoice::Interpreted } else { ExecutionChoice::Compiled })
}

/// Checks the properties on the model, executed as chosen.
///
/// # Errors
/// The run could not be made or finished.
pub fn check_by(
    execution: ExecutionChoice,
    commands: &GuardedCommands,
    properties: &[Property],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, CheckError> {
    match execution {
        ExecutionChoice::Compiled => check(commands, &Lean, properties, plan, monitor),
        ExecutionChoice::Interpreted => check(commands, &Interpreted, properties, plan, monitor),
    }
}
