//! The two ways to execute a model: which one is chosen, and how it is done.

use engine::check::{
    Automatic, CheckError, CommandsSubject, MeasureSearch, Outcome, Packing, Plan, check,
    check_automatically, find_measures, judge_measure, record_graph,
};
use engine::explore::Monitor;
use engine::progress::finder::{Cost, FinderOptions, SampleFacts};
use engine::property::Property;
use engine::store::compact_graph::RecordedGraph;
use languages::Model;
use model::guarded_commands::{Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::measure::ExpressionMeasure;

use crate::lean_execution::Lean;
use crate::options::ExecutionChoice;

/// A state space with more arcs is interpreted. Each arc is an action, and compiling one takes longer than executing it
/// once, which is all that happens to it in a sweep that never goes back.
const COMPILED_ARCS: usize = 2_000;

/// How the model is executed: as asked, else as suits it.
pub fn execution_for(asked: Option<ExecutionChoice>, model: &Model) -> ExecutionChoice {
    let large = model.is_state_space() && model.commands.actions.len() > COMPILED_ARCS;
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

/// Checks the properties by a measure that is found first.
///
/// # Errors
/// The run could not be made or finished.
pub fn check_automatically_by(
    execution: ExecutionChoice,
    commands: &GuardedCommands,
    properties: &[Property],
    (plan, options): (&Plan, &FinderOptions),
    monitor: &mut dyn Monitor,
) -> Result<Automatic, CheckError> {
    match execution {
        ExecutionChoice::Compiled => check_automatically(commands, &Lean, properties, plan, options, monitor),
        ExecutionChoice::Interpreted => {
            check_automatically(commands, &Interpreted, properties, plan, options, monitor)
        }
    }
}

/// Explores the model, and gives the graph of its states.
///
/// # Errors
/// The run could not be made or finished.
pub fn record_graph_by(
    execution: ExecutionChoice,
    commands: &GuardedCommands,
    propositions: &[Expression],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<(Outcome, Option<RecordedGraph>), CheckError> {
    match execution {
        ExecutionChoice::Compiled => {
            record_graph(CommandsSubject::new(commands, &Lean, plan), propositions, plan, monitor)
        }
        ExecutionChoice::Interpreted => {
            record_graph(CommandsSubject::new(commands, &Interpreted, plan), propositions, plan, monitor)
        }
    }
}

/// Looks for measures.
///
/// # Errors
/// The model cannot be made executable, or there is no memory.
pub fn find_by(
    execution: ExecutionChoice,
    commands: &GuardedCommands,
    options: &FinderOptions,
) -> Result<MeasureSearch, CheckError> {
    match execution {
        ExecutionChoice::Compiled => find_measures(commands, &Lean, Packing::default(), options),
        ExecutionChoice::Interpreted => find_measures(commands, &Interpreted, Packing::default(), options),
    }
}

/// Judges a measure.
///
/// # Errors
/// As [`find_by`].
pub fn judge_by(
    execution: ExecutionChoice,
    commands: &GuardedCommands,
    measure: &ExpressionMeasure,
    options: &FinderOptions,
) -> Result<(Cost, SampleFacts), CheckError> {
    match execution {
        ExecutionChoice::Compiled => judge_measure(commands, &Lean, Packing::default(), measure, options),
        ExecutionChoice::Interpreted => {
            judge_measure(commands, &Interpreted, Packing::default(), measure, options)
        }
    }
}
