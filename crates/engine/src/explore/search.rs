//! What all searches have in common: how they are driven, what they count, how they end.

use std::io;

use serde::{Deserialize, Serialize};

use crate::store::layer::LayerFull;
use crate::store::saved::{Loader, Saver};
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::TransitionSystem;

use super::course::Course;
use super::observer::{Observer, Record, Successors};
use super::phase::Phase;

/// A search that can be run, interrupted and resumed.
///
/// A state that cannot be expanded with the present layout ends [`run`](Search::run) with [`SearchEnd::Trouble`]; whoever drives the
/// search then either supplies that state's successors by [`supply`](Search::supply), or gives all states
/// another layout by [`repack`](Search::repack), and runs on.
pub trait Search {
    /// Searches until there is an end of some kind.
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

    /// Goes on from the state that caused trouble with the successors in the batch, and what is known of the others.
    fn supply<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd>;

    /// Gives every stored state another layout of `width` words, and tells how many bytes that took at its peak. After an
    /// error the search cannot go on.
    fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull>;

    /// Whether [`save`](Self::save) is possible.
    fn can_be_saved(&self) -> bool {
        false
    }

    /// Saves everything, between two calls of [`run`](Self::run).
    fn save(&self, _to: &mut Saver) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// What was saved by a search of the same kind and width, in this one, which is new.
    fn load(&mut self, _from: &mut Loader) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The state that caused trouble.
    fn troubled(&self) -> &[u64];

    /// Number of states that are held at present.
    fn stored(&self) -> usize;

    /// Number of different states that were met, where the search can know it.
    fn distinct(&self) -> Option<u64>;

    /// Number of different states that were met, estimated where the search cannot know it.
    fn estimated_distinct(&self) -> u64 {
        self.distinct().unwrap_or(self.counters().explored)
    }

    /// Number of states, or of successors on a stack, that are still to be dealt with.
    fn waiting(&self) -> u64;

    /// The progress value of the current layer.
    fn progress(&self) -> u64 {
        0
    }

    /// What was counted so far.
    fn counters(&self) -> Counters;

    /// What was held and done, if it was to be kept.
    fn course(&self) -> Option<Course> {
        None
    }

    /// Bytes of memory held.
    fn bytes(&self) -> usize;

    /// The most that it was, as far as somebody looked.
    fn peak_bytes(&self) -> usize {
        self.bytes()
    }
}

/// Gives a packed state another layout.
pub type Translation = Box<dyn FnMut(&[u64], &mut Vec<u64>)>;

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// States that were expanded.
    pub explored: u64,
    /// Steps, also those to known states.
    pub transitions: u64,
    /// Expanded states without successors.
    pub deadlocks: u64,
    /// Expanded states with a step that is a run-time error.
    pub erroneous: u64,
    /// Breadth-first levels that were begun; the greatest depth of the stack for depth-first search.
    pub depth: u64,
    /// Steps to a greater progress value.
    pub forward: u64,
    /// Steps to a smaller one.
    pub regress: u64,
    /// Passes over the progress values.
    pub sweeps: u64,
    /// Sweeps of a group of layers, before the sweep went on.
    pub local_sweeps: u64,
    /// Expansions after which states were not forgotten any more, because too many were expanded again.
    pub remembers_from: Option<u64>,
    /// Layers that were expanded, in all sweeps.
    pub layers: u64,
    /// What went to disk.
    pub spilled: Spills,
    /// States of the largest layer.
    pub largest_layer: u64,
    /// What was held when most states were.
    pub peak: Held,
    /// States that are never forgotten.
    pub persistent: u64,
}

/// How often states went to disk, by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spills {
    /// Future layers, or parts of them.
    pub ahead: u64,
    /// Times that the persistent states did.
    pub persistent: u64,
    /// Current layers that did not fit.
    pub current: u64,
}

impl Counters {
    /// Steps inside a layer.
    pub fn stationary(&self) -> u64 {
        self.transitions - self.forward - self.regress
    }
}

/// States held at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// In the current layer, but for persistent ones.
    pub current: u64,
    /// In future layers. There may be duplicates among them; see [`FutureLayers`](crate::store::future_layers).
    pub future: u64,
    /// Persistent ones, wherever they are.
    pub persistent: u64,
}

impl Held {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.current + self.future + self.persistent
    }
}

/// A look at a running search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Snapshot {
    /// Stored states.
    pub stored: u64,
    /// States that are stored and not yet expanded, or successors waiting on the stack.
    pub waiting: u64,
    /// The progress value of the current layer.
    pub progress: u64,
    /// What was counted so far.
    pub counters: Counters,
    /// Bytes of memory held by the search and its observers.
    pub bytes: u64,
}

/// Whoever wants to see a running search, and may stop it.
pub trait Monitor {
    /// Called every few thousand states; a reason stops the search.
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason>;

    /// Called when another part of the work begins.
    fn phase(&mut self, _phase: Phase<'_>) {}

    /// Called when the search has returned with [`StopReason::Pause`], for work that takes long. A reason
    /// stops the search; otherwise it continues.
    fn paused(&mut self) -> Option<StopReason> {
        None
    }

    /// Whether a checkpoint is wanted now. A wish is told once.
    fn wants_checkpoint(&mut self) -> bool {
        false
    }
}

/// Looks away.
impl Monitor for () {
    fn look(&mut self, _: &Snapshot) -> Option<StopReason> {
        None
    }
}

/// Why a search was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// As many states as were allowed were stored.
    StateLimit(u64),
    /// As many breadth-first levels as were allowed were expanded.
    LevelLimit(u64),
    /// Time is up.
    TimeLimit,
    /// The memory limit is reached, or the machine has no more.
    Memory(LayerFull),
    /// A better way was found.
    BetterWay,
    /// The user wants it.
    Interrupted,
    /// An observer cannot go on, e.g. because the disk is full.
    Observer(String),
    /// States cannot be written to disk, or read from there.
    Disk(String),
    /// There is hardly room on disk for more. Nothing is lost.
    DiskLimit(String),
    /// The search is to return and to continue: for a checkpoint, or for other work meanwhile.
    Pause,
}

impl StopReason {
    /// Whether the search was stopped between two batches of states, so that it can be saved, and go on.
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

/// Proof that a search met every reachable state. Only a search makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompleteSearch(());

impl CompleteSearch {
    /// For searches that have just run out of states.
    pub(super) fn attest() -> Self {
        Self(())
    }
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// There are no more states.
    Complete(CompleteSearch),
    /// The observer knows enough.
    Decided,
    /// It was stopped from outside.
    Stopped(StopReason),
    /// A state cannot be expanded with the present layout: a value is too large, or a step is an error. This is its number.
    Trouble(Record),
    /// A step made progress fall, where that was not allowed.
    Regress(RegressEdge),
}

/// A step that makes progress fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegressEdge {
    /// The state it starts from.
    pub from: Record,
    /// The step.
    pub action: ActionId,
    /// Progress before it.
    pub before: u64,
    /// Progress after it.
    pub after: u64,
}

/// Limits that a search keeps by itself.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop when this many states were stored.
    pub states: u64,
    /// Stop when all states at this distance from an initial state were expanded, breadth-first only.
    pub levels: u64,
    /// Bytes for the states and their index.
    pub memory: usize,
    /// When a state is expanded more often than this, in the mean, a sweep goes on without forgetting: from then on each
    /// state is expanded once more at the most.
    pub revisits: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states: u64::MAX,
            levels: u64::MAX,
            memory: crate::store::pages::available_memory() / 5 * 4,
            revisits: f64::INFINITY,
        }
    }
}

/// Asks everybody who may stop a search whether to stop it.
pub(super) fn consult<Q: Search, O: Observer>(
    search: &Q,
    observer: &O,
    limits: &Limits,
    monitor: &mut dyn Monitor,
) -> Option<StopReason> {
    if let Some(reason) = observer.failure() {
        return Some(StopReason::Observer(reason));
    }
    let bytes = search.bytes() + observer.bytes();
    if bytes > limits.memory {
        return Some(StopReason::Memory(LayerFull::Budget));
    }
    monitor.look(&Snapshot {
        stored: search.stored() as u64,
        waiting: search.waiting(),
        progress: search.progress(),
        counters: search.counters(),
        bytes: bytes as u64,
    })
}
