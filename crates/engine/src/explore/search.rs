//! The interface of all searches: how they are driven, what they count, how they end.

use std::io;

use serde::{Deserialize, Serialize};

use crate::progress::ExpressionMeasure;
use crate::store::layer::LayerFull;
use crate::store::pages::available_memory;
use crate::store::saved::{Loader, Saver};
use crate::store::spilling::StoreError;
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::TransitionSystem;

use super::course::Course;
use super::observer::{Observer, Record, Successors};
use super::phase::Phase;
use super::sweep::{NewOrder, Spilling, WorkerFigures};

/// A search that can be run, interrupted and resumed.
///
/// A state that cannot be expanded with the present layout ends [`run`](Search::run) with
/// [`SearchEnd::Trouble`]. The driver then either supplies that state's successors by
/// [`supply`](Search::supply), or gives all states another layout by [`repack`](Search::repack),
/// and calls `run` again.
pub trait Search {
    /// Searches until one of the ends in [`SearchEnd`].
    fn run<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd;

    /// Stores the initial states.
    fn start<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull>;

    /// Continues after the state that caused trouble, with its successors in the batch.
    /// `successors` says whether there are more that are run-time errors.
    fn supply<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd>;

    /// Converts every stored state to another layout of `width` words. Returns the peak number of
    /// bytes that this took. After an error the search cannot continue.
    fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull>;

    /// Whether [`save`](Self::save) is possible.
    fn can_be_saved(&self) -> bool {
        false
    }

    /// Saves the search, between two calls of [`run`](Self::run).
    fn save(&self, _to: &mut Saver) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Loads the checkpoint of a search of the same kind and width into this search, which has
    /// started.
    fn load(&mut self, _from: &mut Loader) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The state that caused trouble.
    fn troubled(&self) -> &[u64];

    /// Whether [`change_over`](Self::change_over) is possible now: the search has no measure yet, or
    /// is between two sweeps.
    fn can_change_over(&self) -> bool {
        false
    }

    /// Continues in another order. The system evaluates the new measure. The search may spill to
    /// this disk from now on. A search without a measure expands nothing again because of the change.
    /// Only if [possible](Self::can_change_over).
    fn change_over<O: Observer>(
        &mut self,
        _system: &dyn TransitionSystem,
        _order: NewOrder,
        _spilling: Spilling,
        _observer: &mut O,
    ) -> Result<(), SearchEnd> {
        unreachable!("this search keeps its order")
    }

    /// Calls `each` with at most `most` of the states that are in memory, evenly chosen.
    fn sample(&self, _most: usize, _each: &mut dyn FnMut(&[u64])) {}

    /// Number of states that are held now.
    fn stored(&self) -> usize;

    /// Number of distinct states, if the search knows it.
    fn distinct(&self) -> Option<u64>;

    /// Number of distinct states, or an estimate.
    fn estimated_distinct(&self) -> u64 {
        self.distinct().unwrap_or(self.counters().explored)
    }

    /// Number of states that are not expanded yet, or of successors on the stack.
    fn waiting(&self) -> u64;

    /// The progress value of the current layer.
    fn progress(&self) -> u64 {
        0
    }

    /// The counters so far.
    fn counters(&self) -> Counters;

    /// What each thread did, if there are several.
    fn workers(&self) -> &[WorkerFigures] {
        &[]
    }

    /// The course of the search, if it is recorded.
    fn course(&self) -> Option<Course> {
        None
    }

    /// Bytes of memory held.
    fn bytes(&self) -> usize;

    /// Peak bytes of memory held, as far as they were counted.
    fn peak_bytes(&self) -> usize {
        self.bytes()
    }
}

/// Converts a packed state to another layout.
pub type Translation = Box<dyn FnMut(&[u64], &mut Vec<u64>)>;

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Number of states that were expanded.
    pub explored: u64,
    /// Number of steps, also those to known states.
    pub transitions: u64,
    /// Number of steps to intermediate states.
    pub into_intermediate: u64,
    /// Number of intermediate states that were expanded.
    pub intermediate: u64,
    /// Expanded states without successors.
    pub deadlocks: u64,
    /// Expanded states with a step that is a run-time error.
    pub erroneous: u64,
    /// Number of breadth-first levels that were begun; the greatest depth of the stack in
    /// depth-first search.
    pub depth: u64,
    /// Steps to a greater progress value.
    pub forward: u64,
    /// Steps to a smaller one.
    pub regress: u64,
    /// Number of passes over the progress values.
    pub sweeps: u64,
    /// Number of sweeps of a group of layers, before the sweep left the group.
    pub local_sweeps: u64,
    /// Number of expansions after which the sweep stopped deleting states, because it expanded too
    /// many of them again.
    pub remembers_from: Option<u64>,
    /// Lowest bits of progress values that were dropped last, to merge small layers.
    pub merged_bits: u32,
    /// Number of layers that were expanded, in all sweeps.
    pub layers: u64,
    /// How often states were spilled.
    pub spilled: Spills,
    /// Number of states of the largest layer.
    pub largest_layer: u64,
    /// The states in memory at the peak.
    pub peak: Held,
    /// The states in memory at the peak after the last change of measure.
    pub peak_since_change: Held,
    /// Number of persistent states.
    pub persistent: u64,
}

/// How often states were spilled to disk, by tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spills {
    /// Number of future layers, or parts of them, that were spilled.
    pub ahead: u64,
    /// How often the persistent states were spilled.
    pub persistent: u64,
    /// Number of current layers that did not fit.
    pub current: u64,
}

impl Counters {
    /// Number of expansions of states of the model: of all but intermediate states.
    pub fn model_states(&self) -> u64 {
        self.explored.saturating_sub(self.intermediate)
    }

    /// The number of states of the model among so many different states, if intermediate states are
    /// expanded as often as others.
    pub fn model_share(&self, states: u64) -> u64 {
        match self.explored {
            _ if self.intermediate == 0 => states,
            0 => 0,
            explored => (u128::from(states) * u128::from(self.model_states()) / u128::from(explored)) as u64,
        }
    }

    /// Number of steps of the model. Each path through intermediate states counts with its last
    /// step.
    pub fn model_transitions(&self) -> u64 {
        self.transitions.saturating_sub(self.into_intermediate)
    }

    /// Number of steps inside a layer.
    pub fn stationary(&self) -> u64 {
        self.transitions - self.forward - self.regress
    }
}

/// States held at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// States in the current layer that are not persistent.
    pub current: u64,
    /// States in future layers, duplicates included; see [`ahead`](crate::store::ahead).
    pub future: u64,
    /// Persistent states, whichever layer they are in.
    pub persistent: u64,
}

impl Held {
    /// Number of states in all tiers.
    pub fn total(&self) -> u64 {
        self.current + self.future + self.persistent
    }
}

/// The figures of a running search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Snapshot {
    /// Number of stored states.
    pub stored: u64,
    /// Number of states that are stored and not yet expanded, or of successors on the stack.
    pub waiting: u64,
    /// The progress value of the current layer.
    pub progress: u64,
    /// The counters so far.
    pub counters: Counters,
    /// Bytes of memory held by the search and its observers.
    pub bytes: u64,
}

/// Watches a running search from outside, and may stop it.
pub trait Monitor {
    /// Called every few thousand states. A reason stops the search.
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason>;

    /// Called when another part of the work begins.
    fn phase(&mut self, _phase: Phase<'_>) {}

    /// Called when the search has returned with [`StopReason::Pause`], for work that takes long or
    /// that needs the search at rest.
    fn paused(&mut self, _search: &PausedSearch<'_>) -> AfterPause {
        AfterPause::Continue
    }

    /// Called every few thousand states while a sweep expands states again too often. `true` lets it
    /// continue to delete states, because another measure may follow; otherwise it
    /// [stops](Limits::revisits).
    fn sweep_disappoints(&mut self) -> bool {
        false
    }

    /// Called between two sweeps, where another measure may replace the last one. `true` pauses the
    /// search.
    fn sweep_ended(&mut self, _snapshot: &Snapshot) -> bool {
        false
    }

    /// Whether a checkpoint is wanted now. Each request is reported once.
    fn wants_checkpoint(&mut self) -> bool {
        false
    }
}

/// A search at rest, as a monitor sees it.
pub struct PausedSearch<'a> {
    /// Whether the search can [change over](Search::change_over) to a measure.
    pub can_change_over: bool,
    /// Number of different states that the search has met, estimated if it has deleted some.
    pub met: u64,
    /// At most this many of the states in memory, evenly chosen, as values of cells. None if states
    /// do not consist of cells.
    pub sample: &'a dyn Fn(usize) -> Vec<Vec<i64>>,
}

/// What happens after a pause.
#[derive(Clone, Debug)]
pub enum AfterPause {
    /// The search continues.
    Continue,
    /// The search stops.
    Stop(StopReason),
    /// The search continues as a sweep by another measure.
    Follow(Box<Change>),
}

/// A change of measure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Change {
    /// The new measure.
    pub measure: ExpressionMeasure,
    /// The details of the sweep.
    pub order: NewOrder,
}

/// A monitor that never stops a search.
impl Monitor for () {
    fn look(&mut self, _: &Snapshot) -> Option<StopReason> {
        None
    }
}

/// Why a search was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The limit of stored states is reached.
    StateLimit(u64),
    /// The limit of breadth-first levels is reached.
    LevelLimit(u64),
    /// The time limit is reached.
    TimeLimit,
    /// The memory limit is reached, or the machine has no more.
    Memory(LayerFull),
    /// A better way to search was found.
    BetterWay,
    /// The user interrupted it.
    Interrupted,
    /// An observer cannot continue, e.g. because the disk is full.
    Observer(String),
    /// States cannot be written to disk, or read from there.
    Disk(String),
    /// The disk is nearly full. Nothing is lost.
    DiskLimit(String),
    /// The search returns for a checkpoint or other work, and is continued after it.
    Pause,
}

impl StopReason {
    /// Whether the search was stopped between two batches of states, so that it can be saved and
    /// resumed.
    pub fn keeps_order(&self) -> bool {
        match self {
            Self::Pause | Self::Interrupted | Self::TimeLimit | Self::StateLimit(_) | Self::DiskLimit(_) => {
                true
            }
            Self::LevelLimit(_) | Self::Memory(_) | Self::BetterWay | Self::Observer(_) | Self::Disk(_) => {
                false
            }
        }
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::StateLimit(limit) => write!(f, "the limit of {limit} states is reached"),
            Self::LevelLimit(limit) => write!(f, "all runs of {limit} steps were looked at"),
            Self::TimeLimit => write!(f, "the time limit is reached"),
            Self::Memory(full) => write!(f, "{full}"),
            Self::BetterWay => write!(f, "a better way was found"),
            Self::Interrupted => write!(f, "interrupted"),
            Self::Observer(reason) => write!(f, "{reason}"),
            Self::Disk(reason) => write!(f, "states cannot be kept on disk: {reason}"),
            Self::DiskLimit(reason) => write!(f, "{reason}"),
            Self::Pause => write!(f, "paused"),
        }
    }
}

/// Proof that a search visited every reachable state. Only a search creates one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompleteSearch(());

impl CompleteSearch {
    /// Attests that a search has just run out of states.
    pub(super) fn attest() -> Self {
        Self(())
    }
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// All reachable states were visited.
    Complete(CompleteSearch),
    /// The observer has decided all properties.
    Decided,
    /// The search was stopped.
    Stopped(StopReason),
    /// The state with this number cannot be expanded with the present layout: a value is too large,
    /// or a step is a run-time error.
    Trouble(Record),
    /// There is a regress edge, and the measure must be monotone.
    Regress(RegressEdge),
}

/// A regress edge: a step to a smaller or incomparable progress value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegressEdge {
    /// The source state.
    pub from: Record,
    /// The action of the step.
    pub action: ActionId,
    /// Progress before it.
    pub before: u64,
    /// Progress after it.
    pub after: u64,
}

/// Limits that a search checks by itself. By default there are none.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop when this many states were stored.
    pub states: u64,
    /// Stop when all states at this distance from an initial state are expanded; breadth-first
    /// only.
    pub levels: u64,
    /// Bytes for the states and their index.
    pub memory: usize,
    /// Mean number of expansions per state above which a sweep stops deleting states, unless the
    /// [monitor](Monitor::sweep_disappoints) may have another measure. From then on each state is
    /// expanded at most once more.
    pub revisits: f64,
    /// Batches of states between two calls of the monitor.
    pub batches_per_look: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states: u64::MAX,
            levels: u64::MAX,
            memory: usize::MAX,
            revisits: f64::INFINITY,
            batches_per_look: 64,
        }
    }
}

impl Limits {
    /// No limits, apart from four fifths of the memory that the system offers to this process.
    pub fn of_this_machine() -> Self {
        Self { memory: available_memory() / 5 * 4, ..Self::default() }
    }
}

impl Snapshot {
    /// The search as it is now, with an observer.
    pub(super) fn of<Q: Search, O: Observer>(search: &Q, observer: &O) -> Self {
        Self {
            stored: search.stored() as u64,
            waiting: search.waiting(),
            progress: search.progress(),
            counters: search.counters(),
            bytes: (search.bytes() + observer.bytes()) as u64,
        }
    }
}

/// Asks the observer, the memory limit and the monitor, in this order, for a reason to stop.
pub(super) fn consult<O: Observer>(
    snapshot: &Snapshot,
    observer: &O,
    limits: &Limits,
    monitor: &mut dyn Monitor,
) -> Option<StopReason> {
    if let Some(reason) = observer.failure() {
        return Some(StopReason::Observer(reason));
    }
    if snapshot.bytes > limits.memory as u64 {
        return Some(StopReason::Memory(LayerFull::Budget));
    }
    monitor.look(snapshot)
}

impl From<LayerFull> for StopReason {
    fn from(full: LayerFull) -> Self {
        Self::Memory(full)
    }
}

impl From<io::Error> for StopReason {
    fn from(error: io::Error) -> Self {
        Self::Disk(error.to_string())
    }
}

impl From<LayerFull> for SearchEnd {
    fn from(full: LayerFull) -> Self {
        Self::Stopped(full.into())
    }
}

impl From<io::Error> for SearchEnd {
    fn from(error: io::Error) -> Self {
        Self::Stopped(error.into())
    }
}

impl From<StoreError> for SearchEnd {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full(full) => full.into(),
            StoreError::Disk(error) => error.into(),
        }
    }
}
