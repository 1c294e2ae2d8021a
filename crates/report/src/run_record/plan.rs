//! The plan of a run in its record: engine, execution, reduction and progress measure.

use engine::check::{Engine, Reduction};
use engine::reduce::gain::Gain;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measure_search::{ExpectedRecord, WindowRecord};

/// How a model was explored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PlanRecord {
    /// The search; `null` if none was selected.
    pub engine: Option<EngineRecord>,
    /// How the model was executed, `compiled` or `interpreted`; `null` if this was not decided.
    pub execution: Option<String>,
    /// Number of threads that explored.
    pub threads: u32,
    /// The partial-order reduction. With one, all counts are of the reduced state space.
    #[serde(default)]
    pub reduction: ReductionRecord,
    /// The sample because of which the reduction was given up, if it was. Then `reduction` is
    /// `none`, and all counts are of the full state space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction_given_up: Option<GivenUpRecord>,
    /// The progress measure.
    pub measure: MeasureRecord,
    /// The change to this measure while the search ran; `null` if there was none.
    #[serde(default)]
    pub change: Option<MeasureChangeRecord>,
    /// The changes before it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_changes: Vec<MeasureChangeRecord>,
}

/// A change of measure while the search ran: from full exploration to a sweep, or between two sweeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MeasureChangeRecord {
    /// Bytes of states at which the search for a measure started; `null` in a run that was resumed
    /// after the change.
    pub threshold_bytes: Option<u64>,
    /// Time of the change, in seconds since the search began; `null` as above.
    pub seconds: Option<f64>,
    /// Number of states expanded before the change.
    pub explored: u64,
    /// Number of states stored at the change; `null` as above.
    pub states_held: Option<u64>,
    /// Bytes of states held at the change; `null` as above.
    pub bytes_held: Option<u64>,
    /// Predicted peak of states in memory after the change, as a share of all states; `null` as
    /// above.
    pub predicted_peak_share: Option<f64>,
    /// Actual peak of states in memory after the change, up to the next one.
    pub actual_peak: u64,
    /// The same as a share of all states. Their number is an estimate if states were expanded again.
    pub actual_peak_share: f64,
    /// Predicted number of expansions per state; `null` as above.
    pub predicted_revisits: Option<f64>,
    /// Actual number of expansions per state, from the start of the search to the next change or to
    /// the end.
    pub actual_revisits: f64,
    /// Whether the change was made between two sweeps, because the measure before it disappointed.
    #[serde(default)]
    pub between_sweeps: bool,
    /// The measure that was followed from then on.
    #[serde(default)]
    pub measure: String,
}

/// A search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EngineRecord {
    /// Breadth-first search with all states in memory.
    Breadth,
    /// Depth-first search with all states in memory.
    Depth,
    /// The sweep; future layers and persistent states spill to disk if memory is full.
    Sweep,
    /// The sweep with most future and persistent states on disk.
    SweepDisk,
    /// Breadth-first search with all states on disk.
    BreadthDisk,
    /// Partitioned search; inactive partitions are on disk.
    Partition,
}

/// A partial-order reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReductionRecord {
    /// No reduction: all transitions are explored.
    #[default]
    None,
    /// Stubborn sets.
    Stubborn,
}

/// A sample that shows no gain of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GivenUpRecord {
    /// Number of states in the sample.
    pub states: u64,
    /// Number of those that a reduced search reached.
    pub reached: u64,
}

/// A progress measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MeasureRecord {
    /// The expression; `null` for the constant measure.
    pub expression: Option<String>,
    /// Where the measure comes from.
    pub origin: MeasureOrigin,
    /// Whether the measure is monotone: the search found no regress edge.
    pub monotone: Option<bool>,
    /// Whether the text of the model proves that; `null` if no proof was attempted.
    #[serde(default)]
    pub proved: Option<bool>,
    /// Estimated cost of a sweep, if there is an estimate.
    #[serde(default)]
    pub expected: Option<ExpectedRecord>,
    /// A short form for people, if the expression is long.
    #[serde(default)]
    pub summary: Option<String>,
    /// The window behind the front, if there is one.
    #[serde(default)]
    pub window: Option<WindowRecord>,
}

/// Where a progress measure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MeasureOrigin {
    /// The user, on the command line or in the model file.
    User,
    /// The automatic measure search.
    Derived,
    /// There is none: the constant measure, by which all states are one layer.
    None,
}

impl PlanRecord {
    /// Creates a plan without a progress measure, that is, with the constant measure, which is
    /// monotone.
    pub fn new(engine: Engine, execution: impl Into<String>) -> Self {
        let measure =
            MeasureRecord { monotone: Some(true), ..MeasureRecord::unknown(None, MeasureOrigin::None) };
        Self {
            engine: Some(engine.into()),
            execution: Some(execution.into()),
            threads: 1,
            reduction: ReductionRecord::None,
            reduction_given_up: None,
            measure,
            change: None,
            earlier_changes: Vec::new(),
        }
    }

    /// Creates a plan from the options alone, before the model is read.
    pub fn asked(engine: Option<Engine>, execution: Option<&str>, measure: Option<&str>) -> Self {
        let origin = if measure.is_some() { MeasureOrigin::User } else { MeasureOrigin::None };
        Self {
            engine: engine.map(EngineRecord::from),
            execution: execution.map(Into::into),
            threads: 1,
            reduction: ReductionRecord::None,
            reduction_given_up: None,
            measure: MeasureRecord::unknown(measure.map(Into::into), origin),
            change: None,
            earlier_changes: Vec::new(),
        }
    }

    /// The same plan with a reduction.
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Self { reduction: reduction.into(), ..self }
    }

    /// Records the reduction of a search, and what a sample showed if it was given up.
    pub fn set_reduction(&mut self, reduction: Reduction, given_up: Option<Gain>) {
        self.reduction = if given_up.is_some() { ReductionRecord::None } else { reduction.into() };
        self.reduction_given_up =
            given_up.map(|gain| GivenUpRecord { states: gain.states, reached: gain.reached });
    }

    /// The same plan with a measure that is not yet known to be monotone.
    pub fn with_measure(self, expression: impl Into<String>, origin: MeasureOrigin) -> Self {
        let measure = MeasureRecord::unknown(Some(expression.into()), origin);
        Self { measure, ..self }
    }

    /// Whether the search drops layers.
    pub fn is_sweep(&self) -> bool {
        matches!(self.engine, Some(EngineRecord::Sweep | EngineRecord::SweepDisk))
    }
}

impl MeasureRecord {
    /// A measure of which only the text is known.
    fn unknown(expression: Option<String>, origin: MeasureOrigin) -> Self {
        Self { expression, origin, monotone: None, proved: None, expected: None, summary: None, window: None }
    }
}

impl EngineRecord {
    /// The name in records and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Breadth => "breadth",
            Self::Depth => "depth",
            Self::Sweep => "sweep",
            Self::SweepDisk => "sweep-disk",
            Self::BreadthDisk => "breadth-disk",
            Self::Partition => "partition",
        }
    }
}

impl From<Engine> for EngineRecord {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Breadth => Self::Breadth,
            Engine::Depth => Self::Depth,
            Engine::Sweep => Self::Sweep,
            Engine::SweepDisk => Self::SweepDisk,
            Engine::BreadthDisk => Self::BreadthDisk,
            Engine::Partition => Self::Partition,
        }
    }
}

impl ReductionRecord {
    /// The name in records and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stubborn => "stubborn",
        }
    }
}

impl From<Reduction> for ReductionRecord {
    fn from(reduction: Reduction) -> Self {
        match reduction {
            Reduction::None => Self::None,
            Reduction::Stubborn | Reduction::StubbornAlways => Self::Stubborn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_and_reductions_are_written_by_their_names() {
        let engines = [
            EngineRecord::Breadth,
            EngineRecord::Depth,
            EngineRecord::Sweep,
            EngineRecord::SweepDisk,
            EngineRecord::BreadthDisk,
            EngineRecord::Partition,
        ];
        for engine in engines {
            assert_eq!(serde_json::to_value(engine).unwrap(), engine.name());
        }
        for reduction in [ReductionRecord::None, ReductionRecord::Stubborn] {
            assert_eq!(serde_json::to_value(reduction).unwrap(), reduction.name());
        }
    }
}
