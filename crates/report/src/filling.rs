//! How a run record comes to its values.
//!
//! A record begins with everything unknown and is filled in as the run proceeds: the model once it is read, the
//! outcome once there is one, findings whenever they come up. So a run that ends early, for whatever reason, has the
//! same record as any other, only with more `null`s.

use engine::check::{Engine, ErrorPlace, GraphSummary, ModelError, Outcome, Plan, Reduction, Regress};
use engine::explore::StopReason;
use engine::explore::sweep::{OnRegress, Retention};
use engine::property::{Property, PropertyKind};
use engine::store::external::disk::{FileClass, IoCount, IoCounts};
use engine::verdict::trace::{Change, Trace};
use engine::verdict::{Component, Evidence, Length, Verdict};
use model::guarded_commands::{ActionId, CellId, GuardedCommands};

use crate::course::{ActionRecord, ProfileRecord};
use crate::diagnostics::Finding;
use crate::exit::Exit;
use crate::run_record::{
    AnswerRecord, ChangeRecord, ClassIoRecord, ComponentRecord, GraphRecord, HeldRecord, IoRecord,
    LengthRecord, MeasureOrigin, MeasureRecord, ModelRecord, PlanRecord, PropertyRecord, ResourcesRecord,
    RunRecord, SearchRecord, StatesRecord, StepRecord, TraceKind, TraceRecord, TransitionsRecord,
    ValueRecord,
};

use crate::survey::SurveyRecord;

/// The name of the property that a run-time error of the model violates.
pub const NO_RUNTIME_ERROR: &str = "no run-time error";

/// The name of the property that a step violates after which progress is less than before.
pub const PROGRESS_NEVER_FALLS: &str = "progress never falls";

/// States of a component that are written down.
const SHOWN_OF_COMPONENT: usize = 100;

/// A search that came to an end, with what it was about.
#[derive(Clone, Copy, Debug)]
pub struct FinishedSearch<'a> {
    /// How it was searched.
    pub plan: &'a Plan,
    /// What was explored.
    pub commands: &'a GuardedCommands,
    /// What was asked.
    pub properties: &'a [Property],
    /// What is known now.
    pub outcome: &'a Outcome,
}

/// What the process used, as far as the system tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Time on the clock.
    pub wall_seconds: Option<f64>,
    /// Time on all processors.
    pub cpu_seconds: Option<f64>,
    /// The most memory that the process held.
    pub peak_rss_bytes: Option<u64>,
}

impl IoRecord {
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

impl PlanRecord {
    /// A plan without a progress measure: the constant measure, for which no step goes back.
    pub fn new(engine: Engine, execution: impl Into<String>) -> Self {
        let measure =
            MeasureRecord { monotone: Some(true), ..MeasureRecord::unknown(None, MeasureOrigin::None) };
        let (engine, reduction) = (Some(engine.name().into()), Reduction::None.name().into());
        Self { engine, execution: Some(execution.into()), threads: 1, reduction, measure }
    }

    /// What is known of a plan before the model is read: what the user asks for, and nothing else.
    pub fn asked(engine: Option<&str>, execution: Option<&str>, measure: Option<&str>) -> Self {
        let origin = if measure.is_some() { MeasureOrigin::User } else { MeasureOrigin::None };
        let measure = MeasureRecord::unknown(measure.map(Into::into), origin);
        let (engine, reduction) = (engine.map(Into::into), Reduction::None.name().into());
        Self { engine, execution: execution.map(Into::into), threads: 1, reduction, measure }
    }

    /// The same with a reduction.
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Self { reduction: reduction.name().into(), ..self }
    }

    /// The same with a measure, of which nobody knows yet whether it falls.
    pub fn with_measure(self, expression: impl Into<String>, origin: MeasureOrigin) -> Self {
        let measure = MeasureRecord::unknown(Some(expression.into()), origin);
        Self { measure, ..self }
    }
}

impl MeasureRecord {
    /// A measure of which only the text is known.
    fn unknown(expression: Option<String>, origin: MeasureOrigin) -> Self {
        Self { expression, origin, monotone: None, proved: None, expected: None, summary: None, window: None }
    }
}

impl ModelRecord {
    /// The model is read.
    pub fn set(&mut self, model: &languages::Model) {
        self.language = Some(model.format.name.into());
        self.variables = Some(model.commands.variables.len() as u64);
    }
}

impl ResourcesRecord {
    /// The process used this much so far.
    pub fn set_usage(&mut self, usage: Usage) {
        self.wall_seconds = usage.wall_seconds;
        self.cpu_seconds = usage.cpu_seconds;
        self.peak_rss_bytes = usage.peak_rss_bytes;
    }
}

impl RunRecord {
    /// The record of a run that has just begun.
    pub fn new(path: impl Into<String>, plan: PlanRecord) -> Self {
        Self {
            format: Self::FORMAT.into(),
            exit_code: Exit::Unknown.code(),
            model: ModelRecord { path: path.into(), ..ModelRecord::default() },
            plan,
            search: SearchRecord::default(),
            properties: Vec::new(),
            traces: Vec::new(),
            diagnostics: Vec::new(),
            resources: ResourcesRecord::default(),
            measure_search: None,
            space: None,
        }
    }

    /// The model is read, with these values for its constants.
    pub fn set_constants(&mut self, constants: &[(String, i64)]) {
        self.model.constants = constants.iter().cloned().collect();
    }

    /// The model is read.
    pub fn set_model(&mut self, model: &languages::Model) {
        self.model.set(model);
    }

    /// Something was wrong or odd.
    pub fn report(&mut self, findings: &[Finding]) {
        self.diagnostics.extend(findings.iter().map(Finding::record));
    }

    /// The search came to an end.
    pub fn set_outcome(&mut self, finished: FinishedSearch<'_>) {
        let FinishedSearch { commands, properties, outcome, .. } = finished;
        self.model.state_bits = Some(outcome.state_bits);
        self.model.state_words = Some(outcome.state_words);
        self.search = SearchRecord::new(finished);
        self.plan.reduction = finished.plan.reduction.name().into();
        if self.plan.measure.origin != MeasureOrigin::None {
            let falls = outcome.regress.is_some() || outcome.counters.regress > 0;
            // Steps that were left out may go back.
            let all = outcome.complete && finished.plan.reduction == Reduction::None;
            self.plan.measure.monotone = if falls { Some(false) } else { all.then_some(true) };
        }
        self.resources.peak_state_bytes = Some(outcome.peak_state_bytes);
        self.resources.disk_bytes = Some(outcome.disk_bytes);
        for (property, verdict) in properties.iter().zip(&outcome.verdicts) {
            let (verdict, reason, evidence) = match verdict {
                Verdict::Holds(evidence) => (AnswerRecord::Holds, None, Some(evidence)),
                Verdict::Violated(evidence) => {
                    (AnswerRecord::Violated, violation_reason(property, evidence), Some(evidence))
                }
                Verdict::Unknown(reason) => (AnswerRecord::Unknown, Some(reason.to_string()), None),
            };
            let trace = match evidence {
                Some(Evidence::Trace(trace, length)) => Some(self.add_trace(TraceRecord {
                    length: Some((*length).into()),
                    ..TraceRecord::new(commands, trace.trace())
                })),
                Some(Evidence::Component(trace, component)) => {
                    Some(self.add_trace(TraceRecord::with_component(commands, trace.trace(), component)))
                }
                Some(Evidence::Lasso(trace, start)) => Some(self.add_trace(TraceRecord {
                    kind: TraceKind::Lasso,
                    loop_start: Some(*start),
                    length: Some(LengthRecord::AsFound),
                    ..TraceRecord::new(commands, trace.trace())
                })),
                Some(Evidence::Search(_)) | None => None,
            };
            self.add_property(property, verdict, reason, trace);
        }
        if finished.plan.on_regress == OnRegress::Stop {
            self.add_monotonicity(finished);
        }
        if let Some(error) = &outcome.error {
            let length = Some(length_by(finished.plan));
            let trace = TraceRecord { length, ..TraceRecord::new(commands, error.trace.trace()) };
            let trace = Some(self.add_trace(trace));
            self.properties.push(PropertyRecord {
                name: NO_RUNTIME_ERROR.into(),
                kind: "safety".into(),
                verdict: AnswerRecord::Violated,
                reason: Some(runtime_error_reason(error, commands, properties)),
                trace,
            });
        }
    }

    /// The search failed, so nothing is known about the properties.
    pub fn set_undecided(&mut self, properties: &[Property], reason: &str) {
        self.search.stopped = Some(reason.into());
        for property in properties {
            self.add_property(property, AnswerRecord::Unknown, Some(reason.into()), None);
        }
    }

    /// The process used this much so far.
    pub fn set_usage(&mut self, usage: Usage) {
        self.resources.set_usage(usage);
    }

    /// What the answers amount to. A violation stays one even if the rest is unknown; and a search that was cut short
    /// never counts as a success, also when it was asked nothing.
    pub fn exit_of_answers(&self) -> Exit {
        let some = |answer| self.properties.iter().any(|property| property.verdict == answer);
        if some(AnswerRecord::Violated) {
            Exit::Violated
        } else if some(AnswerRecord::Unknown) || self.search.stopped.is_some() {
            Exit::Unknown
        } else {
            Exit::Holds
        }
    }

    fn add_property(
        &mut self,
        property: &Property,
        verdict: AnswerRecord,
        reason: Option<String>,
        trace: Option<usize>,
    ) {
        let (name, kind) = (property.name.clone(), property.kind_name().into());
        self.properties.push(PropertyRecord { name, kind, verdict, reason, trace });
    }

    /// Whether progress never falls, where that is asked.
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
                let reason = stopped.unwrap_or_else(|| "not all states were looked at".into());
                (AnswerRecord::Unknown, Some(reason), None)
            }
        };
        let (name, kind) = (PROGRESS_NEVER_FALLS.into(), "safety".into());
        self.properties.push(PropertyRecord { name, kind, verdict, reason, trace });
    }

    fn add_trace(&mut self, trace: TraceRecord) -> usize {
        self.traces.push(trace);
        self.traces.len() - 1
    }
}

impl SearchRecord {
    /// What a search counted.
    fn new(finished: FinishedSearch<'_>) -> Self {
        let FinishedSearch { plan, commands, outcome, .. } = finished;
        let (engine, counters) = (plan.engine, outcome.counters);
        let listed = outcome.terminal_states.as_ref();
        Self {
            complete: outcome.complete,
            states: StatesRecord {
                distinct: outcome.distinct,
                explored: Some(counters.explored),
                peak_stored: Some(counters.peak.total()),
                peak: Some(HeldRecord {
                    current: counters.peak.current,
                    future: counters.peak.future,
                    persistent: counters.peak.persistent,
                }),
                peak_layer: Some(counters.largest_layer),
                persistent: Some(counters.persistent),
                matched: states_matched(finished),
                distinct_estimate: outcome.distinct.or(Some(outcome.estimated_distinct)),
            },
            transitions: TransitionsRecord {
                total: Some(counters.transitions),
                forward: Some(counters.forward),
                stationary: Some(counters.stationary()),
                regress: Some(counters.regress),
            },
            sweeps: Some(counters.sweeps),
            layers: Some(counters.layers),
            deadlocks: outcome.deadlocks,
            io: IoRecord::new(&outcome.io),
            levels: (engine == Engine::Breadth).then_some(counters.depth),
            stack_depth: (engine == Engine::Depth).then_some(counters.depth),
            erroneous: Some(counters.erroneous),
            stopped: match (&outcome.stopped, &outcome.regress) {
                (Some(reason), _) => Some(reason.to_string()),
                (None, Some(_)) => Some("progress fell".into()),
                (None, None) => None,
            },
            terminal_states: listed
                .map(|states| states.iter().map(|state| ValueRecord::all(commands, state)).collect()),
            survey: outcome
                .survey
                .as_ref()
                .map(|survey| SurveyRecord::new(commands, survey, outcome.complete)),
            local_sweeps: Some(counters.local_sweeps),
            graph: outcome.graph.map(GraphRecord::from),
            profile: outcome.course.as_ref().map(|course| ProfileRecord::new(course, plan.measure.as_ref())),
            actions: outcome.course.as_ref().map(|course| ActionRecord::all(course, commands)),
        }
    }
}

impl From<GraphSummary> for GraphRecord {
    fn from(graph: GraphSummary) -> Self {
        let GraphSummary { nodes, edges, size, passes, .. } = graph;
        Self { nodes, edges, bits: size.bits, formula_bits: size.formula_bits, passes }
    }
}

/// Successors that led to known states. Not known where a search ended between computing successors and storing them:
/// with a full memory, or depth-first, where they wait on the stack.
fn states_matched(finished: FinishedSearch<'_>) -> Option<u64> {
    let FinishedSearch { plan: Plan { engine, .. }, outcome, .. } = finished;
    let in_step = *engine == Engine::Breadth && !matches!(outcome.stopped, Some(StopReason::Memory(_)));
    // The initial state is stored without a transition.
    let distinct = outcome.distinct.filter(|_| !engine.is_sweep() && (outcome.complete || in_step))?;
    Some((outcome.counters.transitions + 1).saturating_sub(distinct))
}

/// How long the run is to the first state that a search finds something in.
fn length_by(plan: &Plan) -> LengthRecord {
    match (plan.engine, &plan.measure) {
        // A shorter one may have been left out.
        _ if plan.reduction != Reduction::None => LengthRecord::AsFound,
        (Engine::Depth | Engine::Partition, _) => LengthRecord::AsFound,
        (engine, Some(_)) if engine.is_sweep() && goes_back(plan) => LengthRecord::AsFound,
        (engine, Some(_)) if engine.is_sweep() => LengthRecord::SubjectToProgress,
        _ => LengthRecord::Shortest,
    }
}

/// Whether a sweep goes back before it has gone on to the end.
fn goes_back(plan: &Plan) -> bool {
    plan.nesting.parts != 0 || plan.retention != Retention::Immediate
}

/// What is wrong, where a trace alone does not tell.
fn violation_reason(property: &Property, evidence: &Evidence) -> Option<String> {
    let (PropertyKind::Service(service), Evidence::Trace(trace, _)) = (&property.kind, evidence) else {
        return None;
    };
    let actions: Vec<ActionId> = trace.trace().actions().collect();
    Some(service.reason(&actions))
}

/// Which step makes progress fall, from where to where.
fn regress_reason(regress: &Regress, finished: FinishedSearch<'_>) -> String {
    let show = |progress: u64| match &finished.plan.measure {
        Some(measure) => measure.show(progress),
        None => progress.to_string(),
    };
    let last = regress.trace.trace().actions().last();
    let action = last.map_or(String::new(), |action| finished.commands.action_name(action));
    format!("`{action}` leads from progress {} to {}", show(regress.before), show(regress.after))
}

fn runtime_error_reason(error: &ModelError, commands: &GuardedCommands, properties: &[Property]) -> String {
    match error.place {
        ErrorPlace::Action(action) => format!("in `{}`: {}", commands.action_name(action), error.error),
        ErrorPlace::Property(number) => {
            let name = properties.get(number).map_or("a property", |property| &property.name);
            format!("in `{name}`: {}", error.error)
        }
    }
}

/// The processes that take part in an action, if there are several in the model.
fn participants(commands: &GuardedCommands, action: ActionId) -> Vec<String> {
    if commands.processes.len() < 2 {
        return Vec::new();
    }
    let participants = commands.action(action).participants.iter();
    participants.map(|one| commands.process(one.process).name.clone()).collect()
}

/// The channel that an action uses, in a model of several processes.
fn channel(commands: &GuardedCommands, action: ActionId) -> Option<String> {
    let channel = commands.action(action).channel.clone();
    channel.filter(|_| commands.processes.len() > 1)
}

impl TraceRecord {
    /// A finite run. Traces come from a replay on the interpreter and from nowhere else.
    pub fn new(commands: &GuardedCommands, trace: &Trace) -> Self {
        let steps = trace.steps.iter().enumerate().map(|(number, step)| StepRecord {
            action: commands.action_name(step.action),
            changes: ChangeRecord::all(commands, &trace.changes(number)),
            number: step.action.0,
            participants: participants(commands, step.action),
            channel: channel(commands, step.action),
        });
        Self {
            kind: TraceKind::Finite,
            loop_start: None,
            replayed: true,
            steps: steps.collect(),
            initial: ValueRecord::all(commands, &trace.initial),
            length: None,
            component: None,
        }
    }

    /// A run into states that cannot be left any more.
    fn with_component(commands: &GuardedCommands, trace: &Trace, component: &Component) -> Self {
        let shown = component.states.iter().take(SHOWN_OF_COMPONENT);
        let component = ComponentRecord {
            size: component.complete.then_some(component.states.len() as u64),
            states: shown.map(|state| ValueRecord::all(commands, state)).collect(),
        };
        // The search enters a component where it happens to; nothing is known about other ways into it.
        let length = Some(LengthRecord::AsFound);
        Self { kind: TraceKind::Component, length, component: Some(component), ..Self::new(commands, trace) }
    }
}

impl From<Length> for LengthRecord {
    fn from(length: Length) -> Self {
        match length {
            Length::Shortest => Self::Shortest,
            Length::SubjectToProgress => Self::SubjectToProgress,
            Length::AsFound => Self::AsFound,
        }
    }
}

impl ChangeRecord {
    /// The changes, with names.
    pub fn all(commands: &GuardedCommands, changes: &[Change]) -> Vec<Self> {
        let named = |change: &Change| Self {
            variable: commands.cell_name(change.cell),
            from: commands.value_name(change.cell, change.from),
            to: commands.value_name(change.cell, change.to),
        };
        changes.iter().map(named).collect()
    }
}

impl ValueRecord {
    /// All cells of a state, with names.
    pub fn all(commands: &GuardedCommands, state: &[i64]) -> Vec<Self> {
        let cells = (0..).map(CellId).zip(state);
        cells
            .map(|(cell, &value)| Self {
                variable: commands.cell_name(cell),
                value: commands.value_name(cell, value),
            })
            .collect()
    }
}
