//! The run record: one JSON object with everything that is known about a run.
//!
//! Other programs read it, so its fields are an interface. The order of the declarations is the
//! order in the file. An unknown figure is `null`: it is never omitted and never guessed. New
//! fields are added at the end of an object, and no field is renamed; an incompatible change would
//! change [`RunRecord::FORMAT`]. Before the first release, `search.terminal_states` has become a
//! table; the list that it was is still read.
//!
//! A record starts with every figure unknown and is filled in during the run: the model when it is
//! read, the outcome when the search ends, findings when they occur. A run that ends early
//! therefore has a record, too, with more `null`s.
//!
//! The types are plain data and can be read back. What has a fixed set of names is an enum with
//! these names (`EngineRecord`, `PropertyKindRecord`), so that views match on variants, not on
//! text. Only `outcome.rs` reads the engine's outcome and plan.

mod outcome;
mod plan;
mod property;
mod search;
mod state_table;
mod trace;

use std::collections::BTreeMap;

use engine::property::Property;
use languages::Severity;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::Finding;
use crate::exit::Exit;
use crate::measure_search::MeasureSearchRecord;
use crate::profile_record::RateRecord;
use crate::space::SpaceRecord;

pub use outcome::FinishedSearch;
pub use plan::{
    EngineRecord, GivenUpRecord, MeasureChangeRecord, MeasureOrigin, MeasureRecord, PlanRecord,
    ReductionRecord,
};
pub use property::{
    AnswerRecord, NO_RUNTIME_ERROR, PROGRESS_NEVER_FALLS, PropertyKindRecord, PropertyRecord,
};
pub use search::{
    ClassIoRecord, GraphRecord, HeldRecord, IoRecord, SearchRecord, StatesRecord, TransitionsRecord,
    WorkerRecord,
};
pub use state_table::{CellRecord, StateTableRecord};
pub use trace::{
    ChangeRecord, ComponentRecord, LengthRecord, StepRecord, TraceKind, TraceRecord, ValueRecord,
};

/// Everything that is known about one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunRecord {
    /// Name and version of the format, [`RunRecord::FORMAT`].
    pub format: String,
    /// Exit code of the process.
    pub exit_code: u8,
    /// The model.
    pub model: ModelRecord,
    /// How the model was explored.
    pub plan: PlanRecord,
    /// Counts and other results of the search.
    pub search: SearchRecord,
    /// The properties with their verdicts.
    pub properties: Vec<PropertyRecord>,
    /// Counterexamples and witnesses. Properties refer to them by index.
    pub traces: Vec<TraceRecord>,
    /// Errors and warnings.
    pub diagnostics: Vec<DiagnosticRecord>,
    /// Time, memory and disk space of the run.
    pub resources: ResourcesRecord,
    /// The search for a measure, if there was one.
    #[serde(default)]
    pub measure_search: Option<MeasureSearchRecord>,
    /// The state space itself, if it is small enough to be drawn.
    #[serde(default)]
    pub space: Option<SpaceRecord>,
}

/// The model of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ModelRecord {
    /// The file, as named on the command line.
    pub path: String,
    /// The language of the model.
    pub language: Option<String>,
    /// Number of variables, control locations included.
    pub variables: Option<u64>,
    /// Bits of a packed state.
    pub state_bits: Option<u64>,
    /// 64-bit words of a packed state.
    pub state_words: Option<u64>,
    /// Constants that were set on the command line.
    #[serde(default)]
    pub constants: BTreeMap<String, i64>,
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DiagnosticRecord {
    /// The code, such as `E0203`.
    pub code: String,
    /// The severity.
    pub severity: SeverityRecord,
    /// The message.
    pub message: String,
    /// Line in `source`, from one.
    pub line: Option<usize>,
    /// Column in characters, from one.
    pub column: Option<usize>,
    /// Advice.
    pub help: Option<String>,
    /// The text that `line` and `column` refer to: a file, or an option whose value is an
    /// expression.
    pub source: Option<String>,
}

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SeverityRecord {
    /// The command does nothing, or does not finish.
    Error,
    /// The run continues.
    Warning,
}

/// Cost of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ResourcesRecord {
    /// Wall time, in seconds.
    pub wall_seconds: Option<f64>,
    /// CPU time of all threads, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Peak resident memory of the process, in bytes.
    pub peak_rss_bytes: Option<u64>,
    /// Peak memory for states, their index and buffers, in bytes.
    pub peak_state_bytes: Option<u64>,
    /// Bytes on disk: the trace log, and the peak of spilled states.
    pub disk_bytes: Option<u64>,
    /// Expansions over time, in chronological order.
    #[serde(default)]
    pub rate: Option<Vec<RateRecord>>,
    /// The parts of `wall_seconds`.
    #[serde(default)]
    pub times: Option<TimesRecord>,
}

/// Wall time of the parts of a run, in seconds, from the start of the process to the verdicts.
///
/// Their sum is `wall_seconds`. Writing the record and other files comes after that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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

/// Resources that the process used, as far as the operating system reports them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Wall time, in seconds.
    pub wall_seconds: Option<f64>,
    /// CPU time of all threads, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Peak resident memory of the process, in bytes.
    pub peak_rss_bytes: Option<u64>,
}

impl RunRecord {
    /// Name and version of the format.
    pub const FORMAT: &str = "sweepline-run/1";

    /// Creates the record of a run that has just started.
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

    /// Records the constants that were set on the command line.
    pub fn set_constants(&mut self, constants: &[(String, i64)]) {
        self.model.constants = constants.iter().cloned().collect();
    }

    /// Records the model when it is read.
    pub fn set_model(&mut self, model: &languages::Model) {
        self.model.set(model);
    }

    /// Adds errors and warnings.
    pub fn report(&mut self, findings: &[Finding]) {
        self.diagnostics.extend(findings.iter().map(Finding::record));
    }

    /// Records that the search failed, so that no property is decided.
    pub fn set_undecided(&mut self, properties: &[Property], reason: &str) {
        self.search.stopped = Some(reason.into());
        for property in properties {
            self.properties.push(PropertyRecord::undecided(property, reason));
        }
    }

    /// Records the resources that the process has used so far.
    pub fn set_usage(&mut self, usage: Usage) {
        self.resources.set_usage(usage);
    }

    /// The exit that follows from the verdicts.
    ///
    /// A violation counts even if other properties are unknown. An incomplete search is never a
    /// success, even if no property was checked.
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

    /// Adds a trace and returns its index.
    fn add_trace(&mut self, trace: TraceRecord) -> usize {
        self.traces.push(trace);
        self.traces.len() - 1
    }
}

impl ModelRecord {
    /// Records language and size of the model when it is read.
    pub fn set(&mut self, model: &languages::Model) {
        self.language = Some(model.format.name.into());
        self.variables = Some(model.commands.variables.len() as u64);
    }
}

impl ResourcesRecord {
    /// Records the resources that the process has used so far.
    pub fn set_usage(&mut self, usage: Usage) {
        self.wall_seconds = usage.wall_seconds;
        self.cpu_seconds = usage.cpu_seconds;
        self.peak_rss_bytes = usage.peak_rss_bytes;
    }
}

impl SeverityRecord {
    /// The name in records and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl From<Severity> for SeverityRecord {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
        }
    }
}
