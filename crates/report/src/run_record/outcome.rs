//! From the engine's outcome to the run record.
//!
//! This is the only file that reads the engine's `Outcome` and `Plan`.

use engine::check::{
    Engine, ErrorPlace, GraphSummary, ModelError, Outcome, Plan, Reduction, Regress, SearchPlan, SweepPlan,
};
use engine::explore::StopReason;
use engine::explore::sweep::{OnRegress, Retention, WorkerFigures};
use engine::property::{Property, PropertyKind};
use engine::store::external::disk::{FileClass, IoCount, IoCounts};
use engine::verdict::{Evidence, Verdict};
use model::guarded_commands::{ActionId, GuardedCommands};

use super::RunRecord;
use super::plan::{MeasureOrigin, ReductionRecord};
use super::property::{
    AnswerRecord, NO_RUNTIME_ERROR, PROGRESS_NEVER_FALLS, PropertyKindRecord, PropertyRecord,
};
use super::search::{
    ClassIoRecord, GraphRecord, HeldRecord, IoRecord, SearchRecord, StatesRecord, TransitionsRecord,
    WorkerRecord,
};
use super::state_table::StateTableRecord;
use super::trace::{LengthRecord, TraceKind, TraceRecord};
use crate::profile_record::{ActionRecord, ProfileRecord};
use crate::survey::SurveyRecord;

/// A search that has ended, with its inputs.
#[derive(Clone, Copy, Debug)]
pub struct FinishedSearch<'a> {
    /// The plan of the search.
    pub plan: &'a Plan,
    /// The model.
    pub commands: &'a GuardedCommands,
    /// The properties that were checked.
    pub properties: &'a [Property],
    /// The outcome.
    pub outcome: &'a Outcome,
}

impl RunRecord {
    /// Records the outcome of the search.
    pub fn set_outcome(&mut self, finished: FinishedSearch<'_>) {
        let FinishedSearch { plan, properties, outcome, .. } = finished;
        self.model.state_bits = Some(outcome.figures.state_bits);
        self.model.state_words = Some(outcome.figures.state_words);
        self.search = SearchRecord::new(finished);
        self.plan.set_reduction(plan.reduction, outcome.given_up);
        self.plan.threads = match plan.search {
            SearchPlan::Depth => 1,
            _ => u32::try_from(plan.threads.number.get()).unwrap_or(u32::MAX),
        };
        if self.plan.measure.origin != MeasureOrigin::None {
            // Those before a change were regress edges by another measure.
            let before = outcome.changes.last().map_or(0, |change| change.regress);
            let regresses = outcome.regress.is_some() || outcome.figures.counters.regress > before;
            // A reduction may have left out regress edges. None was noticed before a change of
            // measure, nor inside of merged layers.
            let all = outcome.complete
                && self.plan.reduction == ReductionRecord::None
                && outcome.changes.is_empty()
                && outcome.figures.counters.merged_bits == 0;
            self.plan.measure.monotone = if regresses { Some(false) } else { all.then_some(true) };
        }
        self.resources.peak_state_bytes = Some(outcome.figures.peak_state_bytes);
        self.resources.disk_bytes = Some(outcome.figures.disk_bytes);
        for (property, verdict) in properties.iter().zip(&outcome.verdicts) {
            self.add_verdict(finished.commands, property, verdict);
        }
        if plan.search.on_regress() == OnRegress::Stop {
            self.add_monotonicity(finished);
        }
        if let Some(error) = &outcome.error {
            self.add_runtime_error(finished, error);
        }
    }

    /// Adds a property with its verdict and its counterexample or witness.
    fn add_verdict(&mut self, commands: &GuardedCommands, property: &Property, verdict: &Verdict) {
        let (answer, reason, evidence) = match verdict {
            Verdict::Holds(evidence) => (AnswerRecord::Holds, None, Some(evidence)),
            Verdict::Violated(evidence) => {
                (AnswerRecord::Violated, violation_reason(property, evidence), Some(evidence))
            }
            Verdict::Unknown(reason) => (AnswerRecord::Unknown, Some(reason.to_string()), None),
        };
        let trace = evidence.and_then(|evidence| evidence_record(commands, evidence));
        let trace = trace.map(|trace| self.add_trace(trace));
        let (name, kind) = (property.name.clone(), property.into());
        self.properties.push(PropertyRecord { name, kind, verdict: answer, reason, trace });
    }

    /// Adds the verdict of `--expect-monotone`.
    fn add_monotonicity(&mut self, finished: FinishedSearch<'_>) {
        let FinishedSearch { commands, outcome, .. } = finished;
        let (verdict, reason, trace) = match &outcome.regress {
            Some(regress) => {
                let length = Some(LengthRecord::AsFound);
                let trace = TraceRecord { length, ..TraceRecord::new(commands, regress.trace.trace()) };
                (AnswerRecord::Violated, Some(regress_reason(regress, finished)), Some(self.add_trace(trace)))
            }
            None if outcome.complete && outcome.error.is_none() => (AnswerRecord::Holds, None, None),
            None => {
                let stopped = outcome.stopped.as_ref().map(StopReason::to_string);
                let reason = stopped.unwrap_or_else(|| "not all states were visited".into());
                (AnswerRecord::Unknown, Some(reason), None)
            }
        };
        let (name, kind) = (PROGRESS_NEVER_FALLS.into(), PropertyKindRecord::Monotone);
        self.properties.push(PropertyRecord { name, kind, verdict, reason, trace });
    }

    /// Adds the violation by a run-time error of the model.
    fn add_runtime_error(&mut self, finished: FinishedSearch<'_>, error: &ModelError) {
        let FinishedSearch { plan, commands, properties, outcome } = finished;
        let length = Some(length_by(plan, outcome.given_up.is_none()));
        let trace = TraceRecord { length, ..TraceRecord::new(commands, error.trace.trace()) };
        let trace = Some(self.add_trace(trace));
        self.properties.push(PropertyRecord {
            name: NO_RUNTIME_ERROR.into(),
            kind: PropertyKindRecord::NoRuntimeError,
            verdict: AnswerRecord::Violated,
            reason: Some(runtime_error_reason(error, commands, properties)),
            trace,
        });
    }
}

/// The trace of a verdict, if it has one.
fn evidence_record(commands: &GuardedCommands, evidence: &Evidence) -> Option<TraceRecord> {
    match evidence {
        Evidence::Trace(trace, length) => {
            Some(TraceRecord { length: Some((*length).into()), ..TraceRecord::new(commands, trace.trace()) })
        }
        Evidence::Component(trace, component) => {
            Some(TraceRecord::with_component(commands, trace.trace(), component))
        }
        Evidence::Lasso(trace, start) => Some(TraceRecord {
            kind: TraceKind::Lasso,
            loop_start: Some(*start),
            length: Some(LengthRecord::AsFound),
            ..TraceRecord::new(commands, trace.trace())
        }),
        Evidence::Search(_) => None,
    }
}

impl SearchRecord {
    /// Records the counts of a search.
    fn new(finished: FinishedSearch<'_>) -> Self {
        let FinishedSearch { plan, commands, outcome, .. } = finished;
        let (engine, counters) = (plan.search.engine(), outcome.figures.counters);
        Self {
            complete: outcome.complete,
            states: StatesRecord {
                distinct: outcome.figures.distinct,
                explored: Some(counters.model_states()),
                peak_stored: Some(counters.peak.total()),
                peak: Some(HeldRecord {
                    current: counters.peak.current,
                    future: counters.peak.future,
                    persistent: counters.peak.persistent,
                }),
                peak_layer: Some(counters.largest_layer),
                persistent: Some(counters.persistent),
                matched: states_matched(finished),
                distinct_estimate: outcome.figures.distinct.or(Some(outcome.figures.estimated_distinct)),
                intermediate: Some(counters.intermediate).filter(|states| *states > 0),
            },
            transitions: TransitionsRecord {
                total: Some(counters.model_transitions()),
                forward: Some(counters.forward),
                stationary: Some(counters.stationary()),
                regress: Some(counters.regress),
            },
            sweeps: Some(counters.sweeps),
            layers: Some(counters.layers),
            deadlocks: outcome.figures.deadlocks,
            io: IoRecord::new(&outcome.figures.io),
            levels: (engine == Engine::Breadth).then_some(counters.depth),
            stack_depth: (engine == Engine::Depth).then_some(counters.depth),
            erroneous: Some(counters.erroneous),
            stopped: match (&outcome.stopped, &outcome.regress) {
                (Some(reason), _) => Some(reason.to_string()),
                (None, Some(_)) => Some("progress decreased".into()),
                (None, None) => None,
            },
            terminal_states: outcome
                .terminal_states
                .as_ref()
                .map(|states| StateTableRecord::new(commands, states)),
            survey: outcome
                .survey
                .as_ref()
                .map(|survey| SurveyRecord::new(commands, survey, outcome.complete)),
            local_sweeps: Some(counters.local_sweeps),
            graph: outcome.graph.map(GraphRecord::from),
            profile: outcome.course.as_ref().map(|course| ProfileRecord::new(course, plan.search.measure())),
            actions: outcome.course.as_ref().map(|course| ActionRecord::all(course, commands)),
            workers: (!outcome.figures.workers.is_empty()).then(|| {
                let record = |worker: &WorkerFigures| WorkerRecord {
                    states: worker.states,
                    transitions: worker.steps,
                    waiting_seconds: worker.waited.as_secs_f64(),
                };
                outcome.figures.workers.iter().map(record).collect()
            }),
            merged_bits: Some(counters.merged_bits).filter(|bits| *bits > 0),
        }
    }
}

impl IoRecord {
    /// Records the counts, in total and by kind.
    fn new(counts: &IoCounts) -> Self {
        let total = counts.total();
        let of_class = FileClass::ALL.into_iter().map(|class| (class, counts.of(class)));
        let class = |(class, count): (FileClass, IoCount)| {
            let IoCount { written, read, bytes_written, bytes_read } = count;
            let record =
                ClassIoRecord { states_written: written, states_read: read, bytes_written, bytes_read };
            (class.name().to_owned(), record)
        };
        Self {
            states_written: Some(total.written),
            states_read: Some(total.read),
            bytes_written: Some(total.bytes_written),
            bytes_read: Some(total.bytes_read),
            classes: of_class.filter(|(_, count)| *count != IoCount::default()).map(class).collect(),
        }
    }
}

impl From<GraphSummary> for GraphRecord {
    fn from(graph: GraphSummary) -> Self {
        let GraphSummary { nodes, edges, size, passes, .. } = graph;
        Self { nodes, edges, bits: size.bits, formula_bits: size.formula_bits, passes }
    }
}

/// Number of successors that were known already.
///
/// It is unknown if a search stopped after computing successors and before storing them: at the
/// memory limit, or in a depth-first search, where they wait on the stack.
fn states_matched(finished: FinishedSearch<'_>) -> Option<u64> {
    let FinishedSearch { plan, outcome, .. } = finished;
    let engine = plan.search.engine();
    let in_step = engine == Engine::Breadth && !matches!(outcome.stopped, Some(StopReason::Memory(_)));
    // The initial state is stored without a transition.
    let distinct =
        outcome.figures.distinct.filter(|_| !engine.is_sweep() && (outcome.complete || in_step))?;
    Some((outcome.figures.counters.model_transitions() + 1).saturating_sub(distinct))
}

/// How the first trace that a search finds compares with others.
fn length_by(plan: &Plan, may_be_reduced: bool) -> LengthRecord {
    match &plan.search {
        // The reduction may have left out a shorter one.
        _ if may_be_reduced && plan.reduction != Reduction::None => LengthRecord::AsFound,
        SearchPlan::Depth | SearchPlan::Partition => LengthRecord::AsFound,
        SearchPlan::Sweep(sweep) if sweep.measure.is_some() && returns_early(sweep) => LengthRecord::AsFound,
        SearchPlan::Sweep(sweep) if sweep.measure.is_some() => LengthRecord::SubjectToProgress,
        SearchPlan::Sweep(_) | SearchPlan::Breadth(_) | SearchPlan::Adaptive | SearchPlan::BreadthDisk => {
            LengthRecord::Shortest
        }
    }
}

/// Whether a sweep returns to earlier layers before it reaches the end.
fn returns_early(sweep: &SweepPlan) -> bool {
    sweep.nesting.parts != 0 || sweep.retention != Retention::Immediate
}

/// What was violated, if the trace alone does not show it.
fn violation_reason(property: &Property, evidence: &Evidence) -> Option<String> {
    let (PropertyKind::Service(service), Evidence::Trace(trace, _)) = (&property.kind, evidence) else {
        return None;
    };
    let actions: Vec<ActionId> = trace.trace().actions().collect();
    Some(service.reason(&actions))
}

/// The regress edge, with the progress values of its source and target.
fn regress_reason(regress: &Regress, finished: FinishedSearch<'_>) -> String {
    let show = |progress: u64| match finished.plan.search.measure() {
        Some(measure) => measure.show(progress),
        None => progress.to_string(),
    };
    let last = regress.trace.trace().actions().last();
    let action = last.map_or(String::new(), |action| finished.commands.action_name(action));
    format!("`{action}` leads from progress {} to {}", show(regress.before), show(regress.after))
}

/// The run-time error, with the action or property in which it occurred.
fn runtime_error_reason(error: &ModelError, commands: &GuardedCommands, properties: &[Property]) -> String {
    match error.place {
        ErrorPlace::Action(action) => format!("in `{}`: {}", commands.action_name(action), error.error),
        ErrorPlace::Property(number) => {
            let name = properties.get(number).map_or("a property", |property| &property.name);
            format!("in `{name}`: {}", error.error)
        }
    }
}
