//! Checks: from a model, properties and a plan to verdicts.
//!
//! [`check`] checks properties of guarded commands. [`check_each`] checks properties of any
//! [`Executable`] model: guarded commands are one kind of model, plain Rust types are another. Properties
//! that single states or layers decide are checked [together](on_the_fly), in one search. Temporal
//! formulas have searches of their own, for [linear] and for [branching] time.
//!
//! The same [loop](drive) drives every search. It handles what a search cannot handle itself: a
//! value that outgrows its field, a run-time error of the model, a checkpoint.

mod any_search;
mod automatic;
mod branching;
pub mod checkpoint;
mod commands;
mod drive;
mod each;
mod error;
mod executable;
mod identity;
mod linear;
mod observers;
mod on_the_fly;
mod outcome;
mod plan;
mod product;
mod run;
mod semantics;
mod service;
mod structure;

use crate::explore::search::Limits;
use crate::explore::sweep::{OnRegress, Order};
use crate::explore::{Monitor, Phase, SearchEnd, StopReason};
use crate::property::Property;
use crate::property::intermediate::of_stored_states;
use crate::property::soundness::SearchKind;
use crate::verdict::{Evidence, Length, Verdict};
use model::guarded_commands::GuardedCommands;
use model::transition_system::{Execution, MAX_ACTIONS};

pub use crate::store::fingerprint::Fingerprint;
pub use automatic::{
    Attempt, AttemptEnd, Automatic, AutomaticPlan, ChangeFacts, MeasureSearch, Start, THRESHOLD,
    check_automatically, find_measures, judge_measure,
};
pub use branching::{CtlWitness, GraphSummary, check_ctl, record_graph};
pub use commands::CommandsSubject;
pub use each::{check_alone, check_each};
pub use error::{CheckError, ErrorKind};
pub use executable::{Executable, Expanded, Intermediate, Outgrown, ProgressValues, Translation};
pub use identity::Difference;
pub use on_the_fly::check_subject;
pub use outcome::{ChangeOutcome, ErrorPlace, Figures, ModelError, Outcome, OutcomeOf, Regress};
pub use plan::{
    DiskUse, Engine, OnRuntimeError, Packing, Plan, Reduction, SearchPlan, SweepPlan, SweepStorage,
    TerminalList, TraceChoice, WhenFull,
};
pub use semantics::Semantics;
pub use structure::Structure;

use outcome::ModelErrorOf;

/// Checks the properties on the model.
pub fn check(
    model: &GuardedCommands,
    execution: &dyn Execution,
    properties: &[Property],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, CheckError> {
    // One action number is reserved for a repeated state.
    if model.actions.len() >= MAX_ACTIONS {
        return Err(CheckError::TooManyActions(model.actions.len()));
    }
    let properties = &*of_stored_states(model, properties)?;
    let subject = || CommandsSubject::new(model, execution, plan);
    monitor.phase(plan.search.phase());
    let mut outcome = check_each(subject, properties, plan, monitor)?;
    if plan.traces == TraceChoice::Shortest {
        shorten(&mut outcome, properties, |some, limits| {
            let plan = Plan {
                search: SearchPlan::default(),
                // A reduction may leave out the shortest trace.
                reduction: Reduction::None,
                on_runtime_error: OnRuntimeError::GoOn,
                explore_all: false,
                limits: Limits { levels: limits, ..plan.limits },
                checkpoint: None,
                ..plan.clone()
            };
            monitor.phase(Phase::Shortening);
            check_subject(subject(), some, &plan, monitor)
        })?;
    }
    Ok(outcome)
}

/// Replaces traces by shortest ones, as far as a search of all shorter runs finds them.
fn shorten(
    outcome: &mut Outcome,
    properties: &[Property],
    mut search: impl FnMut(&[Property], u64) -> Result<Outcome, CheckError>,
) -> Result<(), CheckError> {
    for (property, verdict) in properties.iter().zip(&mut outcome.verdicts) {
        let (Verdict::Holds(Evidence::Trace(trace, length))
        | Verdict::Violated(Evidence::Trace(trace, length))) = verdict
        else {
            continue;
        };
        // The evidence is a path in a graph, or a component. A search of shorter runs cannot find
        // it.
        if property.kind.needs_layers() {
            continue;
        }
        let steps = trace.trace().steps.len() as u64;
        if *length == Length::Shortest || steps == 0 {
            *length = Length::Shortest;
            continue;
        }
        let mut second = match search(std::slice::from_ref(property), steps - 1) {
            Ok(second) => second,
            Err(defect) if defect.kind() == ErrorKind::Defect => return Err(defect),
            // The first trace remains valid.
            Err(_) => continue,
        };
        match second.verdicts.pop() {
            Some(
                shorter @ (Verdict::Holds(Evidence::Trace(..)) | Verdict::Violated(Evidence::Trace(..))),
            ) => {
                *verdict = shorter;
            }
            _ if second.complete || matches!(second.stopped, Some(StopReason::LevelLimit(_))) => {
                *length = Length::Shortest;
            }
            _ => {}
        }
    }
    Ok(())
}
