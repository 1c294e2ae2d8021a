//! The automatic measure search in the run record: the searches, their proposals, and the attempts
//! to explore the model with them.
//!
//! As in the rest of the record, fields are only added. Shares are between 0 and 1.

use engine::check::{Attempt, AttemptEnd, Automatic, ChangeOutcome, Engine, MeasureSearch};
use engine::progress::finder::{Cost, Effort, Kind, Proposal, SampleFacts};
use languages::Model;
use model::guarded_commands::Expression;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run_record::{
    EngineRecord, MeasureChangeRecord, MeasureOrigin, MeasureRecord, PlanRecord, RunRecord,
};

/// Maximum length of a short form of a measure, in characters.
const BRIEF: usize = 100;

/// The automatic measure search of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MeasureSearchRecord {
    /// Time of all searches for measures, in seconds.
    pub seconds: f64,
    /// The searches for measures, in order.
    pub searches: Vec<FinderRecord>,
    /// The attempts to explore the model, in order; the last one gave the verdicts.
    pub attempts: Vec<AttemptRecord>,
}

/// One search for measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FinderRecord {
    /// Time in seconds.
    pub seconds: f64,
    /// Effort of the search.
    pub effort: EffortRecord,
    /// The sample on which the measures were judged.
    pub sample: SampleRecord,
    /// Measures that are better than full exploration, best first.
    pub proposals: Vec<ProposalRecord>,
}

/// Effort of a search for measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EffortRecord {
    /// About a tenth of a second, beside the search.
    Beside,
    /// About a fifth of a second.
    Quick,
    /// About a second.
    Thorough,
    /// All states instead of a sample.
    Exact,
}

/// The part of a state space on which measures are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SampleRecord {
    /// Number of expanded states.
    pub expanded: u64,
    /// Number of distinct states, including those that were not expanded.
    pub states: u64,
    /// Number of transitions of the expanded states.
    pub steps: u64,
    /// Whether the sample is the whole state space.
    pub complete: bool,
    /// Number of states of the largest strongly connected component, if it was computed. A monotone
    /// measure stores at least as many states.
    #[serde(default)]
    pub largest_component: Option<u64>,
}

/// A measure and its cost on a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProposalRecord {
    /// The measure, in the notation of `--measure`.
    pub expression: String,
    /// A short form for people.
    pub summary: String,
    /// Estimated cost of a sweep.
    #[serde(flatten)]
    pub expected: ExpectedRecord,
    /// Whether the sample has no regress edge.
    pub monotone: bool,
    /// Whether the simulation was abandoned because of too many expansions; the costs are then
    /// lower bounds.
    #[serde(default)]
    pub given_up: bool,
    /// For nested sweeps, the number of leading components that are monotone in the sample. Layers
    /// that agree in them are swept to the end before the sweep continues. `--measure` sweeps
    /// without nesting.
    #[serde(default)]
    pub nested: Option<u64>,
    /// The window behind the front, if there is one, in the notation of `--window`.
    #[serde(default)]
    pub window: Option<WindowRecord>,
}

/// A window behind the front of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WindowRecord {
    /// Number of the component of the measure, from one.
    pub component: u64,
    /// Layers are kept while the component is at most this far below its maximum so far.
    pub reach: u64,
}

impl WindowRecord {
    fn of(proposal: &Proposal) -> Option<Self> {
        match proposal.kind {
            Kind::Window(reach) => Some(Self { component: proposal.monotone as u64 + 1, reach }),
            Kind::Flat | Kind::Nested => None,
        }
    }
}

/// The notation of `--window`.
impl std::fmt::Display for WindowRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.component {
            1 => write!(f, "{}", self.reach),
            component => write!(f, "{component}:{}", self.reach),
        }
    }
}

/// Estimated cost of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ExpectedRecord {
    /// Peak share of all states in memory.
    pub peak_share: f64,
    /// Mean number of expansions per state.
    pub revisits: f64,
    /// Share of regress edges among all transitions.
    pub regress_share: f64,
    /// Number of distinct progress values in the sample.
    pub layers: u64,
}

/// One attempt to explore the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AttemptRecord {
    /// The search.
    pub engine: EngineRecord,
    /// The measure; `null` for full exploration.
    pub measure: Option<String>,
    /// How the attempt ended.
    pub end: AttemptEndRecord,
    /// Number of expansions.
    pub explored: u64,
    /// Estimated number of distinct states.
    pub different: u64,
    /// Peak number of states in memory.
    pub peak_stored: u64,
    /// Time in seconds.
    pub seconds: f64,
    /// A short form of the measure for people.
    pub summary: Option<String>,
    /// Estimated cost.
    pub expected: Option<ExpectedRecord>,
    /// Number of expansions after which no layer was dropped any more, because too many states were
    /// expanded again.
    pub remembers_from: Option<u64>,
    /// The window behind the front, if there was one.
    #[serde(default)]
    pub window: Option<WindowRecord>,
}

/// End of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AttemptEndRecord {
    /// It gave the verdicts.
    Kept,
    /// A better measure was found.
    BetterMeasure,
    /// It reached the memory limit.
    Memory,
}

/// A measure for a line of text. If it is long, the values of orders are elided, then the last
/// components.
pub fn brief_measure(model: &Model, components: &[Expression]) -> String {
    let whole = model.measure_summary(components);
    if fits(&whole) {
        return whole;
    }
    let mut parts = components.iter().map(|component| {
        let text = model.measure_summary(std::slice::from_ref(component));
        match text.split_once(": ") {
            Some((order, _)) if order.starts_with("order(") => format!("{order}: …)"),
            _ => text,
        }
    });
    let mut text = parts.next().unwrap_or_default();
    for part in parts {
        let longer = format!("{text}, {part}");
        if !fits(&format!("({longer}, …)")) {
            return format!("({text}, …)");
        }
        text = longer;
    }
    if components.len() == 1 { text } else { format!("({text})") }
}

fn fits(text: &str) -> bool {
    text.chars().count() <= BRIEF
}

impl RunRecord {
    /// Records the measure search and the plan that followed from it.
    pub fn set_automatic(&mut self, model: &Model, automatic: &Automatic, engine: Engine) {
        let kept = automatic.attempts.last().and_then(|attempt| attempt.proposal.as_ref());
        let changed = automatic.outcome.changes.last();
        let execution = self.plan.execution.take().unwrap_or_default();
        self.plan = match (kept, changed) {
            (None, None) => PlanRecord::new(engine, execution),
            // A resumed run does not know what was expected of its measure.
            (None, Some(changed)) => {
                let components = changed.change.measure.components();
                let text = model.measure_text(components);
                let plan = PlanRecord::new(engine, execution).with_measure(text, MeasureOrigin::Derived);
                let summary = Some(brief_measure(model, components));
                PlanRecord { measure: MeasureRecord { summary, ..plan.measure }, ..plan }
            }
            (Some(proposal), _) => {
                let text = model.measure_text(&proposal.components);
                let plan = PlanRecord::new(engine, execution).with_measure(text, MeasureOrigin::Derived);
                let measure = MeasureRecord {
                    expected: Some((&proposal.cost).into()),
                    summary: Some(brief_measure(model, &proposal.components)),
                    window: WindowRecord::of(proposal),
                    ..plan.measure
                };
                PlanRecord { measure, ..plan }
            }
        };
        let changes = automatic.outcome.changes.iter();
        self.plan.earlier_changes = changes.map(|changed| change_record(model, changed, automatic)).collect();
        self.plan.change = self.plan.earlier_changes.pop();
        self.measure_search = Some(MeasureSearchRecord::new(model, automatic));
    }
}

/// What was decided about the change, and what came of it.
fn change_record(model: &Model, changed: &ChangeOutcome, automatic: &Automatic) -> MeasureChangeRecord {
    // A resumed run has no facts about changes before.
    let facts = automatic.changes.iter().find(|facts| facts.explored == changed.explored);
    let figures = &automatic.outcome.figures;
    let states = figures.distinct.unwrap_or(figures.estimated_distinct).max(1) as f64;
    MeasureChangeRecord {
        threshold_bytes: facts.map(|facts| facts.threshold),
        seconds: facts.map(|facts| facts.after.as_secs_f64()),
        explored: changed.explored,
        states_held: facts.map(|facts| facts.stored),
        bytes_held: facts.map(|facts| facts.bytes),
        predicted_peak_share: facts.map(|facts| facts.expected.peak_share()),
        actual_peak: changed.peak_after,
        actual_peak_share: changed.peak_after as f64 / states,
        predicted_revisits: facts.map(|facts| facts.expected.revisits()),
        actual_revisits: changed.revisits,
        between_sweeps: changed.regress > 0,
        measure: model.measure_text(changed.change.measure.components()),
    }
}

impl MeasureSearchRecord {
    fn new(model: &Model, automatic: &Automatic) -> Self {
        let Automatic { attempts, searches, .. } = automatic;
        let searches: Vec<FinderRecord> =
            searches.iter().map(|search| FinderRecord::new(model, search)).collect();
        Self {
            // The sum of no numbers would be minus zero.
            seconds: searches.iter().fold(0.0, |sum, search| sum + search.seconds),
            searches,
            attempts: attempts.iter().map(|attempt| AttemptRecord::new(model, attempt)).collect(),
        }
    }
}

impl FinderRecord {
    /// Records a search for measures.
    pub fn new(model: &Model, search: &MeasureSearch) -> Self {
        let proposals = search.findings.proposals.iter();
        Self {
            seconds: search.time.as_secs_f64(),
            effort: search.effort.into(),
            sample: (&search.findings.sample).into(),
            proposals: proposals.map(|proposal| ProposalRecord::of(model, proposal)).collect(),
        }
    }
}

impl ProposalRecord {
    /// Records a measure with its cost.
    pub fn new(model: &Model, components: &[Expression], cost: &Cost) -> Self {
        Self {
            expression: model.measure_text(components),
            summary: brief_measure(model, components),
            expected: cost.into(),
            monotone: cost.regress == 0,
            given_up: cost.is_given_up,
            nested: None,
            window: None,
        }
    }

    fn of(model: &Model, proposal: &Proposal) -> Self {
        let nested = (proposal.kind == Kind::Nested).then_some(proposal.monotone as u64);
        let window = WindowRecord::of(proposal);
        Self { nested, window, ..Self::new(model, &proposal.components, &proposal.cost) }
    }
}

impl AttemptRecord {
    fn new(model: &Model, attempt: &Attempt) -> Self {
        let Attempt { engine, proposal, end, counters, different, time } = attempt;
        let proposal = proposal.as_ref();
        Self {
            engine: (*engine).into(),
            measure: proposal.map(|proposal| model.measure_text(&proposal.components)),
            end: (*end).into(),
            explored: counters.model_states(),
            different: *different,
            peak_stored: counters.peak.total(),
            seconds: time.as_secs_f64(),
            summary: proposal.map(|proposal| brief_measure(model, &proposal.components)),
            expected: proposal.map(|proposal| (&proposal.cost).into()),
            remembers_from: counters.remembers_from,
            window: proposal.and_then(WindowRecord::of),
        }
    }
}

impl From<&Cost> for ExpectedRecord {
    fn from(cost: &Cost) -> Self {
        Self {
            peak_share: cost.peak_share(),
            revisits: cost.revisits(),
            regress_share: cost.regress_share(),
            layers: cost.layers as u64,
        }
    }
}

impl From<&SampleFacts> for SampleRecord {
    fn from(facts: &SampleFacts) -> Self {
        Self {
            expanded: facts.expanded as u64,
            states: facts.states as u64,
            steps: facts.steps as u64,
            complete: facts.complete,
            largest_component: Some(facts.largest_component as u64),
        }
    }
}

impl From<Effort> for EffortRecord {
    fn from(effort: Effort) -> Self {
        match effort {
            Effort::Beside => Self::Beside,
            Effort::Quick => Self::Quick,
            Effort::Thorough => Self::Thorough,
            Effort::Exact => Self::Exact,
        }
    }
}

impl From<AttemptEnd> for AttemptEndRecord {
    fn from(end: AttemptEnd) -> Self {
        match end {
            AttemptEnd::Kept => Self::Kept,
            AttemptEnd::BetterMeasure => Self::BetterMeasure,
            AttemptEnd::Memory => Self::Memory,
        }
    }
}
