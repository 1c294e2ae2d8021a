//! The graph of a model and nothing else: for whoever wants to keep it, e.g. as a [file](crate::store::compact_graph::file).

use crate::check::subject::Subject;
use crate::check::{CheckError, OnRuntimeError, Outcome, OutcomeOf, Plan};
use crate::explore::{Monitor, Phase, SearchEnd};
use crate::store::compact_graph::RecordedGraph;
use crate::store::external::disk::Disk;
use crate::verdict::UnknownReason;

use super::recorded_search::Ended;
use super::{GraphSummary, Looks, searched};

/// Explores the model and gives its graph, with the truth of the predicates in each node; or, in the outcome, why there is none.
///
/// With [`OnRuntimeError::GoOn`], steps that are run-time errors are missing in the graph, and the outcome has the first one.
///
/// # Errors
/// The run could not be made or finished.
pub fn record_graph<M: Subject>(
    subject: M,
    propositions: &[M::Predicate],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<(OutcomeOf<M>, Option<RecordedGraph>), CheckError> {
    let disk = Disk::new(&plan.disk.directory, plan.disk.limit);
    monitor.phase(plan.phase());
    let ended = searched(subject, (propositions, propositions.len()), plan, &disk, monitor)?;
    let Ended { end, subject, recorder, error, figures } = ended;
    let (recorded, stopped) = match end {
        SearchEnd::Complete(_) if error.is_none() || plan.on_runtime_error == OnRuntimeError::GoOn => {
            let mut looks = Looks { monitor, counters: figures.counters, bytes: 0, stopped: None };
            looks.monitor.phase(Phase::NumberingSteps);
            match recorder.finish(&mut || looks.go_on()) {
                Ok(recorded) => (Some(recorded), None),
                Err(error) => match looks.ended(&error) {
                    UnknownReason::Stopped(reason) => (None, Some(reason)),
                    _ => (None, None),
                },
            }
        }
        SearchEnd::Stopped(reason) => (None, Some(reason)),
        _ => (None, None),
    };
    let graph = recorded.as_ref().map(|recorded| GraphSummary::new(recorded, 0));
    let distinct = graph.map(|graph| graph.nodes);
    let outcome = Outcome {
        verdicts: Vec::new(),
        error,
        regress: None,
        complete: distinct.is_some(),
        stopped,
        distinct,
        estimated_distinct: distinct.unwrap_or(figures.counters.explored),
        deadlocks: None,
        terminal_states: None,
        survey: None,
        counters: figures.counters,
        peak_state_bytes: figures.peak_bytes as u64,
        disk_bytes: figures.log_bytes + disk.bytes(),
        io: disk.counts(),
        state_bits: subject.bits() as u64,
        state_words: subject.words() as u64,
        widenings: figures.widenings,
        graph,
        course: figures.course,
    };
    Ok((outcome, recorded))
}
