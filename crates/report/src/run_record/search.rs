//! The results of a search in the run record: counts, disk I/O, and the lists that were requested.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state_table::StateTableRecord;
use crate::profile_record::{ActionRecord, ProfileRecord};
use crate::survey::SurveyRecord;

/// Results of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SearchRecord {
    /// Whether every reachable state was visited; with a reduction, every state of the reduced
    /// state space.
    pub complete: bool,
    /// Counts of states.
    pub states: StatesRecord,
    /// Counts of transitions.
    pub transitions: TransitionsRecord,
    /// Number of sweeps.
    pub sweeps: Option<u64>,
    /// Number of layers, over all sweeps.
    pub layers: Option<u64>,
    /// Number of states without successors.
    pub deadlocks: Option<u64>,
    /// States written to and read from disk.
    pub io: IoRecord,
    /// Number of breadth-first levels.
    pub levels: Option<u64>,
    /// Peak number of entries on the stack of a depth-first search.
    pub stack_depth: Option<u64>,
    /// Number of states with a transition that is a run-time error.
    pub erroneous: Option<u64>,
    /// Why the search is incomplete; `null` if it is complete, or if it stopped because all
    /// verdicts were known.
    pub stopped: Option<String>,
    /// All states without successors, if they were requested.
    #[serde(default)]
    pub terminal_states: Option<StateTableRecord>,
    /// The state-space report, if it was requested.
    #[serde(default)]
    pub survey: Option<SurveyRecord>,
    /// Number of sweeps over a group of layers before the main sweep continued.
    #[serde(default)]
    pub local_sweeps: Option<u64>,
    /// The graph that was recorded to decide a CTL formula; the first one of several.
    #[serde(default)]
    pub graph: Option<GraphRecord>,
    /// States in memory, layer by layer.
    #[serde(default)]
    pub profile: Option<ProfileRecord>,
    /// All actions of the model, with the number of times each was taken.
    #[serde(default)]
    pub actions: Option<Vec<ActionRecord>>,
    /// What each thread did while threads shared the work; `null` if there was one thread, or nothing
    /// to share.
    #[serde(default)]
    pub workers: Option<Vec<WorkerRecord>>,
    /// Number of lowest bits of progress values that were dropped to merge small layers for several
    /// threads. Transitions and layers are then counted by the merged measure.
    #[serde(default)]
    pub merged_bits: Option<u32>,
}

/// What a thread did while threads shared the work. The first thread also stored all states.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WorkerRecord {
    /// Number of states that it expanded.
    pub states: u64,
    /// Number of transitions from them.
    pub transitions: u64,
    /// Time without work, in seconds.
    pub waiting_seconds: f64,
}

/// A graph without its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GraphRecord {
    /// Number of distinct states.
    pub nodes: u64,
    /// Number of transitions.
    pub edges: u64,
    /// Size in bits.
    pub bits: u64,
    /// Size in bits by the formula of the literature, (2w + n)|V| + |E|(⌈log₂|T|⌉ + ⌈log₂|V|⌉), for
    /// n propositions and words of w bits.
    pub formula_bits: u64,
    /// Number of passes over the whole graph.
    pub passes: u64,
}

/// Counts of states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StatesRecord {
    /// Number of distinct states, without intermediate ones.
    pub distinct: Option<u64>,
    /// Number of expansions, without those of intermediate states; a state that is expanded twice
    /// counts twice.
    pub explored: Option<u64>,
    /// Peak number of states in memory.
    pub peak_stored: Option<u64>,
    /// The same by where the states were.
    pub peak: Option<HeldRecord>,
    /// Number of states in the largest layer.
    pub peak_layer: Option<u64>,
    /// Number of persistent states.
    pub persistent: Option<u64>,
    /// Number of successors that were known already.
    pub matched: Option<u64>,
    /// Number of distinct states, estimated if it is not known.
    #[serde(default)]
    pub distinct_estimate: Option<u64>,
    /// Number of expansions of intermediate states: of those inside an atomic sequence, which are
    /// stored but are no states of the model. `null` if there were none. Numbers of stored states
    /// include them.
    #[serde(default)]
    pub intermediate: Option<u64>,
}

/// States in memory at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HeldRecord {
    /// In the current layer and the window, without persistent states.
    pub current: u64,
    /// In future layers, duplicates included.
    pub future: u64,
    /// Persistent states.
    pub persistent: u64,
}

/// Counts of transitions by the direction of progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TransitionsRecord {
    /// All transitions, without those to intermediate states: a path through an atomic sequence
    /// counts with its last one. The other numbers include them.
    pub total: Option<u64>,
    /// Transitions to a greater progress value.
    pub forward: Option<u64>,
    /// Transitions to the same progress value.
    pub stationary: Option<u64>,
    /// Regress edges: transitions to a smaller or incomparable progress value.
    pub regress: Option<u64>,
}

/// States written to and read from disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct IoRecord {
    /// Number of states written.
    pub states_written: Option<u64>,
    /// Number of states read.
    pub states_read: Option<u64>,
    /// Bytes written, compressed.
    pub bytes_written: Option<u64>,
    /// Bytes read.
    pub bytes_read: Option<u64>,
    /// The same by the kind of the states: `queue`, `persistent`, ...; kinds without I/O are left
    /// out.
    pub classes: BTreeMap<String, ClassIoRecord>,
}

/// States of one kind written to and read from disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClassIoRecord {
    /// Number of states written.
    pub states_written: u64,
    /// Number of states read.
    pub states_read: u64,
    /// Bytes written, compressed.
    pub bytes_written: u64,
    /// Bytes read.
    pub bytes_read: u64,
}
