//! The run record: one JSON object that says everything about a run.
//!
//! Other programs read it, so its fields are a promise. The order of the declarations is the order in the file. A figure
//! that is not known is `null`: never left out, never guessed. New fields are added at the end of an object and
//! nothing is renamed; a change that breaks readers would change [`RunRecord::FORMAT`].
//!
//! The types are plain data that can also be read back. How they come to their values is in `filling.rs`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::check::Reduction;

use crate::course::{ActionRecord, ProfileRecord, RateRecord};
use crate::measure_search::{ExpectedRecord, MeasureSearchRecord, WindowRecord};
use crate::space::SpaceRecord;
use crate::survey::SurveyRecord;

/// Everything that is known about one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// [`RunRecord::FORMAT`].
    pub format: String,
    /// What the process returned.
    pub exit_code: u8,
    /// What was checked.
    pub model: ModelRecord,
    /// How.
    pub plan: PlanRecord,
    /// What the search met.
    pub search: SearchRecord,
    /// The answers.
    pub properties: Vec<PropertyRecord>,
    /// Runs of the model that properties refer to by their place in this list.
    pub traces: Vec<TraceRecord>,
    /// What was wrong or odd.
    pub diagnostics: Vec<DiagnosticRecord>,
    /// What it cost.
    pub resources: ResourcesRecord,
    /// How a measure was looked for, if it was.
    #[serde(default)]
    pub measure_search: Option<MeasureSearchRecord>,
    /// The state space itself, where it is small enough to be looked at.
    #[serde(default)]
    pub space: Option<SpaceRecord>,
}

impl RunRecord {
    /// Name and version of the format.
    pub const FORMAT: &str = "sweepline-run/1";
}

/// The model of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRecord {
    /// The file, as named on the command line.
    pub path: String,
    /// The language it is written in.
    pub language: Option<String>,
    /// Number of variables, control locations included.
    pub variables: Option<u64>,
    /// Bits of a packed state.
    pub state_bits: Option<u64>,
    /// 64-bit words of a packed state.
    pub state_words: Option<u64>,
    /// Constants that got their value from the command line.
    #[serde(default)]
    pub constants: BTreeMap<String, i64>,
}

/// How a model was explored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// The search; none if it was not decided.
    pub engine: Option<String>,
    /// How the model was executed; none if it was not decided.
    pub execution: Option<String>,
    /// Number of threads that explored.
    pub threads: u32,
    /// Which steps were left out: `none`, or `stubborn`. With a reduction, all that is counted is counted in the reduced state space.
    #[serde(default = "no_reduction")]
    pub reduction: String,
    /// The progress measure.
    pub measure: MeasureRecord,
}

fn no_reduction() -> String {
    Reduction::None.name().into()
}

/// A progress measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasureRecord {
    /// The expression; none for the constant measure.
    pub expression: Option<String>,
    /// Who proposed it.
    pub origin: MeasureOrigin,
    /// Whether no step goes back.
    pub monotone: Option<bool>,
    /// Whether the model's text proves that; none if nobody tried.
    #[serde(default)]
    pub proved: Option<bool>,
    /// What a sweep by it costs by the estimate, if there is one.
    #[serde(default)]
    pub expected: Option<ExpectedRecord>,
    /// A short form for people, where the expression is long.
    #[serde(default)]
    pub summary: Option<String>,
    /// What is remembered behind the front, if anything.
    #[serde(default)]
    pub window: Option<WindowRecord>,
}

/// Who proposed a progress measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MeasureOrigin {
    /// The user, on the command line or in the model file.
    User,
    /// An analysis of the model.
    Derived,
    /// Nobody: the constant measure, all states are one layer.
    None,
}

/// What a search met.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchRecord {
    /// Whether every reachable state was met; with a reduction, every one of the reduced state space.
    pub complete: bool,
    /// Counts of states.
    pub states: StatesRecord,
    /// Counts of transitions.
    pub transitions: TransitionsRecord,
    /// Passes over the state space.
    pub sweeps: Option<u64>,
    /// Sets of states with one progress value.
    pub layers: Option<u64>,
    /// States without successors.
    pub deadlocks: Option<u64>,
    /// States moved to and from disk.
    pub io: IoRecord,
    /// Breadth-first levels.
    pub levels: Option<u64>,
    /// Greatest number of entries on the stack of a depth-first search.
    pub stack_depth: Option<u64>,
    /// States with a step that is a run-time error.
    pub erroneous: Option<u64>,
    /// Why the search was stopped before all states were met and not because the answers were known, if it was.
    pub stopped: Option<String>,
    /// All states without successors, if they were to be listed.
    #[serde(default)]
    pub terminal_states: Option<Vec<Vec<ValueRecord>>>,
    /// What the state space is like, if that was asked for.
    #[serde(default)]
    pub survey: Option<SurveyRecord>,
    /// Sweeps of a group of layers, before the sweep went on.
    #[serde(default)]
    pub local_sweeps: Option<u64>,
    /// The graph that was recorded to decide a formula of computation tree logic, the first one of several.
    #[serde(default)]
    pub graph: Option<GraphRecord>,
    /// What was held, layer by layer.
    #[serde(default)]
    pub profile: Option<ProfileRecord>,
    /// All actions of the model, with how often each was taken.
    #[serde(default)]
    pub actions: Option<Vec<ActionRecord>>,
}

/// A graph without its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphRecord {
    /// Different states.
    pub nodes: u64,
    /// Steps between them.
    pub edges: u64,
    /// What it takes.
    pub bits: u64,
    /// What it takes by the formula of the literature: (2w + n)|V| + |E|(⌈log₂|T|⌉ + ⌈log₂|V|⌉), for n propositions and words of w bits.
    pub formula_bits: u64,
    /// How often all of it was read.
    pub passes: u64,
}

/// Counts of states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatesRecord {
    /// Different states.
    pub distinct: Option<u64>,
    /// Expansions; a state that is expanded twice counts twice.
    pub explored: Option<u64>,
    /// The most that were in memory at one time.
    pub peak_stored: Option<u64>,
    /// Where those were.
    pub peak: Option<HeldRecord>,
    /// The most in one layer.
    pub peak_layer: Option<u64>,
    /// Those kept for the next sweep.
    pub persistent: Option<u64>,
    /// Successors that were known already.
    pub matched: Option<u64>,
    /// Different states, estimated where they are not known.
    #[serde(default)]
    pub distinct_estimate: Option<u64>,
}

/// States held at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldRecord {
    /// In the current layer, but for persistent ones.
    pub current: u64,
    /// In future layers; duplicates among them count as often as they are held.
    pub future: u64,
    /// Never forgotten.
    pub persistent: u64,
}

/// Counts of transitions by the direction of progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransitionsRecord {
    /// All of them.
    pub total: Option<u64>,
    /// To a greater progress value.
    pub forward: Option<u64>,
    /// To the same progress value.
    pub stationary: Option<u64>,
    /// To a smaller progress value.
    pub regress: Option<u64>,
}

/// States moved to and from disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IoRecord {
    /// To disk.
    pub states_written: Option<u64>,
    /// From disk.
    pub states_read: Option<u64>,
    /// Bytes to disk, compressed.
    pub bytes_written: Option<u64>,
    /// Bytes from disk.
    pub bytes_read: Option<u64>,
    /// The same by what the states are: `queue`, `persistent`, ...; without those of which there were none.
    pub classes: BTreeMap<String, ClassIoRecord>,
}

/// States of one kind that went to disk and came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClassIoRecord {
    /// To disk.
    pub states_written: u64,
    /// From disk.
    pub states_read: u64,
    /// Bytes to disk, compressed.
    pub bytes_written: u64,
    /// Bytes from disk.
    pub bytes_read: u64,
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PropertyRecord {
    /// What the user calls it.
    pub name: String,
    /// `deadlock`, `invariant`, `reach`, `safety`, `ltl` or `ctl`.
    pub kind: String,
    /// The answer.
    pub verdict: AnswerRecord,
    /// Why there is no answer, or what exactly went wrong.
    pub reason: Option<String>,
    /// Place of the trace in [`RunRecord::traces`].
    pub trace: Option<usize>,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerRecord {
    /// Yes.
    Holds,
    /// No.
    Violated,
    /// Not decided.
    Unknown,
}

/// A run of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceRecord {
    /// What kind of run it is.
    pub kind: TraceKind,
    /// For a lasso, how many steps lead to the loop: the others are repeated for ever. If there are no others, the last state is.
    pub loop_start: Option<usize>,
    /// Whether the interpreter ran it.
    pub replayed: bool,
    /// The steps.
    pub steps: Vec<StepRecord>,
    /// All variables before the first step.
    pub initial: Vec<ValueRecord>,
    /// How it compares with other runs that show the same.
    #[serde(default)]
    pub length: Option<LengthRecord>,
    /// For a component, its states.
    #[serde(default)]
    pub component: Option<ComponentRecord>,
}

/// How long a run is, compared with others that show the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LengthRecord {
    /// None is shorter.
    Shortest,
    /// The fewest steps backwards, then the least progress at the end, then the fewest steps in the last layer.
    SubjectToProgress,
    /// As the search came across it.
    AsFound,
}

/// States that cannot be left any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentRecord {
    /// How many there are.
    pub size: Option<u64>,
    /// The first hundred of them.
    pub states: Vec<Vec<ValueRecord>>,
}

/// What kind of run a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TraceKind {
    /// It ends in a state that shows something.
    Finite,
    /// It ends in a loop.
    Lasso,
    /// It ends in a strongly connected component.
    Component,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// What people call the action.
    pub action: String,
    /// What it changed.
    pub changes: Vec<ChangeRecord>,
    /// The action's number in the model. Two actions may have one name.
    pub number: u32,
    /// The processes that take the step, the one that sends first.
    #[serde(default)]
    pub participants: Vec<String>,
    /// The channel over which they synchronise, or through which a buffered message passes.
    #[serde(default)]
    pub channel: Option<String>,
}

/// A variable, or a part of one, that a step changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeRecord {
    /// Its name.
    pub variable: String,
    /// The value before.
    pub from: String,
    /// The value after.
    pub to: String,
}

/// A variable, or a part of one, with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValueRecord {
    /// Its name.
    pub variable: String,
    /// Its value.
    pub value: String,
}

/// Something that was wrong or odd.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticRecord {
    /// The code, to be searched for.
    pub code: String,
    /// `error` or `warning`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// The line in `source`, from one.
    pub line: Option<usize>,
    /// The column in characters, from one.
    pub column: Option<usize>,
    /// What to do about it.
    pub help: Option<String>,
    /// What `line` and `column` count in: a file, or an option whose value is an expression.
    pub source: Option<String>,
}

/// What a run cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourcesRecord {
    /// Time on the clock.
    pub wall_seconds: Option<f64>,
    /// Time on all processors.
    pub cpu_seconds: Option<f64>,
    /// The most memory that the process held.
    pub peak_rss_bytes: Option<u64>,
    /// The most memory for states and what is around them.
    pub peak_state_bytes: Option<u64>,
    /// Bytes written to disk.
    pub disk_bytes: Option<u64>,
    /// How far the search had come, at moments in the order of time.
    #[serde(default)]
    pub rate: Option<Vec<RateRecord>>,
    /// The parts of `wall_seconds`.
    #[serde(default)]
    pub times: Option<TimesRecord>,
}

/// Wall-clock time of the parts of a run, in seconds, from the start of the process to the answer.
/// Together they are `wall_seconds`. Writing the record and other files comes after that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimesRecord {
    /// Reading the model: parsing, unfolding, proving bounds.
    pub reading_seconds: f64,
    /// Reading the properties and planning the search.
    pub planning_seconds: f64,
    /// The search, with the measure search before it and the replay of traces after it.
    pub search_seconds: f64,
    /// Collecting the results for the record, such as a list of all terminal states.
    pub collecting_seconds: f64,
}
