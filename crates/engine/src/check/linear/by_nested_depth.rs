//! Linear-time properties by nested depth-first search: the baseline, with all states in memory.

use super::lasso::Lasso;
use super::propositions;
use crate::check::any_search::AnySearch;
use crate::check::observers::Observers;
use crate::check::product::ProductSubject;
use crate::check::run::Run;
use crate::check::{CheckError, Executable, OutcomeOf, Plan};
use crate::explore::nested_depth::DepthCycle;
use crate::explore::{Monitor, SearchEnd};
use crate::property::Property;
use crate::property::acceptor::Acceptor;
use crate::property::linear::LinearProperty;
use crate::verdict::trace_log::LoggedRun;
use crate::verdict::{Evidence, UnknownReason, Verdict};
use model::guarded_commands::ActionId;

/// Checks a linear-time property.
pub(super) fn decide_by_nested_depth<M: Executable>(
    subject: ProductSubject<M, Acceptor>,
    property: &Property<M::Predicate>,
    linear: &LinearProperty<M::Predicate>,
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    // The search itself decides.
    let observers = Observers { log: Some(plan.disk.trace_log()), ..Observers::default() };
    let search = AnySearch::nested_depth(plan, &subject)?;
    let disk = plan.disk.disk();
    let mut run = Run::new(subject, propositions(linear), plan, (search, disk), observers);
    let end = run.search(None, None, monitor)?;
    let wrong = || CheckError::WrongTrace(property.name.clone());
    let found = match &run.search {
        AnySearch::NestedDepth(search) => search.found(),
        _ => None,
    };
    let verdict = match (found, &end, &run.error) {
        (Some(DepthCycle { stem, cycle }), ..) => {
            let initial = stem.first().copied().unwrap_or(ActionId(0));
            let stem = LoggedRun { initial, actions: stem.get(1..).unwrap_or_default().to_vec() };
            let lasso = Lasso { stem, cycle: cycle.clone() };
            let (run, start) = run.subject.lasso(linear, lasso)?.ok_or_else(wrong)?;
            Verdict::Violated(Evidence::Lasso(run, start))
        }
        (None, _, Some(_)) => Verdict::Unknown(UnknownReason::RuntimeError),
        (None, SearchEnd::Complete(token), None) => Verdict::Holds(Evidence::Search(*token)),
        (None, SearchEnd::Stopped(reason), None) => Verdict::Unknown(UnknownReason::Stopped(reason.clone())),
        _ => return Err(wrong()),
    };
    let mut outcome = run.outcome(end, None, vec![verdict]);
    outcome.figures.deadlocks = None;
    Ok(outcome)
}
