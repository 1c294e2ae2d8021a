//! The graph of a model without a verdict, e.g. for a [file](crate::store::compact_graph::file).

use crate::check::executable::Executable;
use crate::check::{CheckError, OnRuntimeError, Outcome, OutcomeOf, Plan};
use crate::explore::{Monitor, Phase, SearchEnd};
use crate::store::compact_graph::RecordedGraph;
use crate::verdict::UnknownReason;

use super::{GraphSummary, Looks, record, with_graph};

/// Explores the model and returns its graph, with the truth of the predicates in each node. If
/// there is no graph, the outcome gives the reason.
///
/// With [`OnRuntimeError::GoOn`], steps that are run-time errors are missing in the graph, and the
/// outcome contains the first one.
///
/// # Errors
/// The run could not be made or finished.
pub fn record_graph<M: Executable>(
    subject: M,
    propositions: &[M::Predicate],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<(OutcomeOf<M>, Option<RecordedGraph>), CheckError> {
    monitor.phase(plan.search.phase());
    let (run, end, recorder) = record(subject, (propositions, propositions.len()), plan, monitor)?;
    let (recorded, stopped) = match &end {
        SearchEnd::Complete(_) if run.error.is_none() || plan.on_runtime_error == OnRuntimeError::GoOn => {
            let counters = run.search.figures().counters;
            let mut looks = Looks { monitor, counters, bytes: 0, stopped: None };
            looks.monitor.phase(Phase::NumberingSteps);
            match recorder.finish(&mut || looks.go_on()) {
                Ok(recorded) => (Some(recorded), None),
                Err(error) => match looks.ended(&error) {
                    UnknownReason::Stopped(reason) => (None, Some(reason)),
                    _ => (None, None),
                },
            }
        }
        SearchEnd::Stopped(reason) => (None, Some(reason.clone())),
        _ => (None, None),
    };
    let graph = recorded.as_ref().map(|recorded| GraphSummary::new(recorded, 0));
    let outcome = Outcome { stopped, ..with_graph(run.outcome(end, None, Vec::new()), graph) };
    Ok((outcome, recorded))
}
