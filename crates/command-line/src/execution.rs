//! The two ways to execute a model, chosen by one match.

use sweepline::check::{CheckError, Outcome, Plan, check};
use sweepline::explore::Monitor;
use sweepline::model::guarded_commands::GuardedCommands;
use sweepline::model::interpreted_model::Interpreted;
use sweepline::property::Property;

use crate::arguments::ExecutionChoice;
use crate::lean_execution::Lean;

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
