//! What a run reports besides the answers: run-time errors, limits, vacuous properties, missing
//! traces.

use engine::check::{ErrorPlace, Outcome};
use engine::property::Property;
use report::{Finding, LengthRecord, PropertyKindRecord, RunRecord, TraceKind, Within, runtime_error};
use sweepline::vacuity::{Reason, Vacuous};

use super::properties::Questions;
use super::stop_advice::stop_advice;
use crate::explain::codes;
use crate::input::model_file::ModelFile;
use crate::options::SearchOptions;

/// The findings of a finished search: its run-time error, and why it stopped early.
pub fn findings_of(
    outcome: &Outcome,
    file: &ModelFile,
    questions: &Questions,
    options: &SearchOptions,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(error) = &outcome.error {
        let (within, (origin, text)) = match error.place {
            ErrorPlace::Action(_) => (Within::Step, (file.path.clone(), file.text.clone())),
            ErrorPlace::Property(number) => (Within::Expression, questions.text_of(number, file)),
        };
        findings.push(runtime_error(&error.error, within, &origin, &text));
    }
    findings.extend(outcome.stopped.as_ref().map(|reason| stop_advice(reason, Some(options))));
    findings
}

/// A warning for each property that holds vacuously.
pub fn vacuity_warnings(vacuous: &[Vacuous], properties: &[Property], file: &ModelFile) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for Vacuous { property, reason } in vacuous {
        let name = &properties[*property].name;
        let (message, help) = match reason {
            Reason::UnreachablePremise(premise) => {
                let premise = file.model.measure_text(std::slice::from_ref(premise));
                (
                    format!("`{name}` holds vacuously: its premise `{premise}` is unreachable"),
                    format!("is the premise what you mean? --reach \"{premise}\" searches for it"),
                )
            }
            Reason::ImpliedByTypes => (
                format!("`{name}` holds vacuously: the types of its variables imply it"),
                "it says nothing about the model; is it what you mean?".to_owned(),
            ),
        };
        if !findings.iter().any(|known| known.message == message) {
            findings.push(Finding::warning(codes::VACUOUS, message, help));
        }
    }
    findings
}

/// Whether the record has a trace that may not be a shortest one. Components have no shortest
/// trace.
pub fn has_longer_trace(record: &RunRecord) -> bool {
    use PropertyKindRecord::{Deadlock, Invariant, Reach};
    let has_shortest = |kind| matches!(kind, Deadlock | Invariant | Reach);
    let of_property = record.properties.iter().filter(|property| has_shortest(property.kind));
    let mut traces = of_property.filter_map(|property| record.traces.get(property.trace?));
    traces.any(|trace| trace.kind == TraceKind::Finite && trace.length != Some(LengthRecord::Shortest))
}

/// Advice after a search that kept all states ran out of memory. `searched` says whether Sweepline
/// has searched for a measure already.
pub fn sweep_advice(searched: bool) -> Finding {
    let message = "this search keeps all states in memory; a sweep does not";
    let help = match searched {
        true => {
            "name a progress measure by --measure EXPR; `sweepline progress --thorough --prefer memory` searches harder for one"
        }
        false => {
            "name a progress measure by --measure EXPR, or by a line `// progress: EXPR` in the model; --measure auto searches for one"
        }
    };
    Finding::warning(codes::SWEEP_WOULD_HELP, message, help)
}

/// A limit stopped the second search, for shortest traces.
pub fn not_shortened() -> Finding {
    let message = "there may be a shorter trace: a limit stopped the search for it";
    let help = "raise --state-limit, --memory or --time-limit; that search keeps all states in memory";
    Finding::warning(codes::NOT_SHORTENED, message, help)
}

/// There is no trace for `--trace-out`.
pub fn no_trace() -> Finding {
    let help = "a trace is a counterexample or a witness; a property that holds in all states has none";
    Finding::warning(codes::NO_TRACE, "there is no trace to save", help)
}

/// `--trace-out` saved one of several traces.
pub fn several_traces(name: &str, count: usize) -> Finding {
    let message = format!("the saved trace is that of `{name}`, one of {count}");
    let help = "--json keeps all traces; to save another one, check its property alone";
    Finding::warning(codes::SEVERAL_TRACES, message, help)
}
