//! How a measure was looked for, as part of a run record: the searches, their proposals, and the runs by them.
//!
//! As in the rest of the record, fields are only added. Shares are between 0 and 1.

use engine::check::{Attempt, AttemptEnd, Automatic, Engine, MeasureSearch};
use engine::progress::finder::{Cost, Effort, Kind, Proposal, SampleFacts};
use languages::Model;
use model::guarded_commands::Expression;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run_record::{MeasureOrigin, MeasureRecord, PlanRecord, RunRecord};

/// The length, in characters, from which on a measure is cut short for people.
const BRIEF: usize = 100;

/// All that was done to find a measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasureSearchRecord {
    /// The time of all searches for measures.
    pub seconds: f64,
    /// The searches for measures, in order.
    pub searches: Vec<FinderRecord>,
    /// The runs, in order; the answers are those of the last one.
    pub attempts: Vec<AttemptRecord>,
}

/// One search for measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FinderRecord {
    /// How long it took.
    pub seconds: f64,
    /// How much was tried.
    pub effort: EffortRecord,
    /// What the measures were judged on.
    pub sample: SampleRecord,
    /// Measures that are better than none, the best one first.
    pub proposals: Vec<ProposalRecord>,
}

/// How much is tried to find a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EffortRecord {
    /// A tenth of a second or so.
    Quick,
    /// A second or so.
    Thorough,
    /// All states.
    Exact,
}

/// The part of a state space that measures are judged on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SampleRecord {
    /// Expanded states.
    pub expanded: u64,
    /// Different states, with those that were not expanded.
    pub states: u64,
    /// Steps of the expanded states.
    pub steps: u64,
    /// Whether this is the whole state space.
    pub complete: bool,
    /// States of the largest strongly connected component, if somebody looked: a measure that never falls holds no fewer.
    #[serde(default)]
    pub largest_component: Option<u64>,
}

/// A measure and what it costs on a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalRecord {
    /// The whole measure; `--measure` reads it.
    pub expression: String,
    /// A short form for people.
    pub summary: String,
    /// What a sweep by it costs.
    #[serde(flatten)]
    pub expected: ExpectedRecord,
    /// Whether no step of the sample goes back.
    pub monotone: bool,
    /// Whether the sweep over the sample was given up because it expanded too much: then it costs more than this.
    #[serde(default)]
    pub given_up: bool,
    /// Where sweeps are nested, the number of leading components that never fell: what they are equal for is swept to the end
    /// before the sweep goes on. `--measure` sweeps without nesting.
    #[serde(default)]
    pub nested: Option<u64>,
    /// What the sweep remembers behind its front, if anything. `--window` reads it.
    #[serde(default)]
    pub window: Option<WindowRecord>,
}

/// A window behind the front of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowRecord {
    /// The component of the measure that counts; the first one has number 1.
    pub component: u64,
    /// States are remembered as long as it is less than the greatest so far by no more than this.
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

/// As `--window` reads it.
impl std::fmt::Display for WindowRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.component {
            1 => write!(f, "{}", self.reach),
            component => write!(f, "{component}:{}", self.reach),
        }
    }
}

/// What a sweep costs by the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedRecord {
    /// The share of all states that is in memory at one time, at the most.
    pub peak_share: f64,
    /// How often a state is expanded, in the mean.
    pub revisits: f64,
    /// The share of all steps that goes back.
    pub regress_share: f64,
    /// Different progress values in the sample.
    pub layers: u64,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptRecord {
    /// The search.
    pub engine: String,
    /// The whole measure; none for full exploration.
    pub measure: Option<String>,
    /// How it ended.
    pub end: AttemptEndRecord,
    /// Expansions.
    pub explored: u64,
    /// About so many different states were met.
    pub different: u64,
    /// The most states that were in memory at one time.
    pub peak_stored: u64,
    /// How long it took.
    pub seconds: f64,
    /// A short form of the measure, for people.
    pub summary: Option<String>,
    /// What it should have cost.
    pub expected: Option<ExpectedRecord>,
    /// Expansions after which nothing was forgotten any more, because too many states were expanded again.
    pub remembers_from: Option<u64>,
    /// What it remembered behind its front, if anything.
    #[serde(default)]
    pub window: Option<WindowRecord>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttemptEndRecord {
    /// The answers are its answers.
    Kept,
    /// A better measure was found.
    BetterMeasure,
    /// Memory was short.
    Memory,
}

/// A measure for a line of text. Where it is long, orders lose their values, and then the last components are left out.
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
    /// The measure was looked for, and this came out: a search by this engine.
    pub fn set_automatic(&mut self, model: &Model, automatic: &Automatic, engine: Engine) {
        let kept = automatic.attempts.last().and_then(|attempt| attempt.proposal.as_ref());
        let execution = self.plan.execution.take().unwrap_or_default();
        self.plan = match kept {
            None => PlanRecord::new(engine, execution),
            Some(proposal) => {
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
        self.measure_search = Some(MeasureSearchRecord::new(model, automatic));
    }
}

impl MeasureSearchRecord {
    fn new(model: &Model, automatic: &Automatic) -> Self {
        let Automatic { attempts, searches, .. } = automatic;
        // A quick search is the first one and no other.
        let efforts = [Effort::Quick].into_iter().chain(std::iter::repeat(Effort::Thorough));
        let searches: Vec<FinderRecord> = searches
            .iter()
            .zip(efforts)
            .map(|(search, effort)| FinderRecord::new(model, search, effort.into()))
            .collect();
        Self {
            seconds: searches.iter().map(|search| search.seconds).sum(),
            searches,
            attempts: attempts.iter().map(|attempt| AttemptRecord::new(model, attempt)).collect(),
        }
    }
}

impl FinderRecord {
    /// A search for measures of this model.
    pub fn new(model: &Model, search: &MeasureSearch, effort: EffortRecord) -> Self {
        let proposals = search.findings.proposals.iter();
        Self {
            seconds: search.time.as_secs_f64(),
            effort,
            sample: (&search.findings.sample).into(),
            proposals: proposals.map(|proposal| ProposalRecord::of(model, proposal)).collect(),
        }
    }
}

impl ProposalRecord {
    /// A measure of this model with its cost.
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
            engine: engine.name().into(),
            measure: proposal.map(|proposal| model.measure_text(&proposal.components)),
            end: (*end).into(),
            explored: counters.explored,
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
