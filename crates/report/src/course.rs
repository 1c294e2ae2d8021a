//! The course of a search, as part of a run record: what was held layer by layer, how fast it went, what was taken.
//!
//! As in the rest of the record, fields are only added. Who fills it in joins neighbouring layers where there are many,
//! so that a record stays small; views join once more what is still too much for them.

use engine::explore::course::{Course, CoursePoint, SweepCourse};
use model::guarded_commands::{ActionId, GuardedCommands};
use model::measure::ExpressionMeasure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a search held, sweep by sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileRecord {
    /// The sweeps, in order; where there are very many, not all of them.
    pub sweeps: Vec<SweepProfileRecord>,
}

/// One sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweepProfileRecord {
    /// Which one it was, from one.
    pub number: u64,
    /// Layers that it went through.
    pub layers: u64,
    /// Neighbouring layers, in order of progress.
    pub points: Vec<ProfilePointRecord>,
}

/// One layer, or several neighbouring ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProfilePointRecord {
    /// The packed progress value of the first of them.
    pub progress: u64,
    /// How many layers these are.
    pub layers: u64,
    /// States that were expanded in them.
    pub expanded: u64,
    /// States of the largest of them.
    pub largest_layer: u64,
    /// States of the current layer, at the moment when most were held.
    pub current: u64,
    /// States of future layers, at that moment.
    pub future: u64,
    /// Persistent states, at that moment.
    pub persistent: u64,
    /// Different states met until then: what full exploration would hold.
    pub met: u64,
    /// The progress value as the measure shows it, such as `(3, 1)`; none where it is the number itself.
    #[serde(default)]
    pub value: Option<String>,
}

impl ProfileRecord {
    /// What a search held, by this measure.
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
    /// All states that were held at the moment when most were.
    pub fn held(&self) -> u64 {
        self.current.saturating_add(self.future).saturating_add(self.persistent)
    }
}

/// An action of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionRecord {
    /// Its number in the model. Two actions may have one name.
    pub number: u32,
    /// What people call it.
    pub action: String,
    /// How often it was taken, in all sweeps; 0 if never.
    pub fired: u64,
}

impl ActionRecord {
    /// All actions of a model.
    pub fn all(course: &Course, commands: &GuardedCommands) -> Vec<Self> {
        let taken = (0..).zip(&course.taken);
        taken
            .map(|(number, &fired)| Self { number, action: commands.action_name(ActionId(number)), fired })
            .collect()
    }
}

/// How far a search had come at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateRecord {
    /// Time since the search began.
    pub seconds: f64,
    /// Expansions until then.
    pub explored: u64,
}
