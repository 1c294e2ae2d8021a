//! The course of a search in the run record: states in memory layer by layer, the rate of
//! expansions, and how often each action was taken.
//!
//! As in the rest of the record, fields are only added. The search merges neighbouring layers if
//! there are many, so that a record stays small; views merge further if they need to.

use engine::explore::course::{Course, CoursePoint, SweepCourse};
use model::guarded_commands::{ActionId, GuardedCommands};
use model::measure::ExpressionMeasure;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// States in memory during a search, sweep by sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProfileRecord {
    /// The sweeps, in order; if there are very many, only some of them.
    pub sweeps: Vec<SweepProfileRecord>,
}

/// One sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SweepProfileRecord {
    /// Number of the sweep, from one.
    pub number: u64,
    /// Number of layers.
    pub layers: u64,
    /// Groups of neighbouring layers, in the order of progress.
    pub points: Vec<ProfilePointRecord>,
}

/// One layer, or several neighbouring ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProfilePointRecord {
    /// Packed progress value of the first layer.
    pub progress: u64,
    /// Number of layers.
    pub layers: u64,
    /// Number of expansions.
    pub expanded: u64,
    /// Number of states in the largest layer.
    pub largest_layer: u64,
    /// States of the current layer at the time of the peak.
    pub current: u64,
    /// States of future layers at that time.
    pub future: u64,
    /// Persistent states at that time.
    pub persistent: u64,
    /// Distinct states visited so far, which full exploration would store.
    pub met: u64,
    /// Progress value in the notation of the measure, such as `(3, 1)`; `null` if it is the number.
    #[serde(default)]
    pub value: Option<String>,
}

impl ProfileRecord {
    /// Records the course of a search by this measure.
    pub fn new(course: &Course, measure: Option<&ExpressionMeasure>) -> Self {
        let point = |point: &CoursePoint| ProfilePointRecord {
            progress: point.progress,
            layers: point.layers,
            expanded: point.expanded,
            largest_layer: point.largest,
            current: point.held.current,
            future: point.held.future,
            persistent: point.held.persistent,
            met: point.met,
            value: measure.map(|measure| measure.show(point.progress)),
        };
        let sweep = |sweep: &SweepCourse| SweepProfileRecord {
            number: sweep.number,
            layers: sweep.layers,
            points: sweep.points.iter().map(point).collect(),
        };
        Self { sweeps: course.sweeps.iter().map(sweep).collect() }
    }
}

impl ProfilePointRecord {
    /// Number of all states in memory at the time of the peak.
    pub fn held(&self) -> u64 {
        self.current.saturating_add(self.future).saturating_add(self.persistent)
    }
}

/// An action of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ActionRecord {
    /// Number in the model. Two actions may have the same name.
    pub number: u32,
    /// Name of the action.
    pub action: String,
    /// Number of times it was taken, in all sweeps.
    pub fired: u64,
}

impl ActionRecord {
    /// Records all actions of a model.
    pub fn all(course: &Course, commands: &GuardedCommands) -> Vec<Self> {
        let taken = (0..).zip(&course.taken);
        taken
            .map(|(number, &fired)| Self { number, action: commands.action_name(ActionId(number)), fired })
            .collect()
    }
}

/// Number of expansions at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RateRecord {
    /// Time since the start of the search, in seconds.
    pub seconds: f64,
    /// Number of expansions so far.
    pub explored: u64,
}
