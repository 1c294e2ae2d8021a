//! What all searches have in common: how they are driven, what they count, how they end.

use crate::model::successor_batch::SuccessorBatch;
use crate::model::transition_system::TransitionSystem;
use crate::store::layer::LayerFull;

use super::observer::{Observer, Record, Successors};

/// A search that can be run, interrupted and resumed.
///
/// A state that cannot be expanded with the present layout ends [`run`](Search::run) with [`SearchEnd::Trouble`]; whoever drives the
/// search then either supplies that state's successors by [`supply`](Search::supply), or gives all states
/// another layout by [`repack`](Search::repack), and runs on.
pub trait Search {
    /// Searches until there is an end of some kind.
    fn run<S: TransitionSystem, O: Observer<S>>(
        &mut self,
        system: &S,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd;

    /// Stores the initial states.
    fn start<S: TransitionSystem, O: Observer<S>>(
        &mut self,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull>;

    /// Goes on from the state that caused trouble with the successors in the batch, and what is known of the others.
    fn supply<S: TransitionSystem, O: Observer<S>>(
        &mut self,
        system: &S,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd>;

    /// Gives every stored state another layout of `width` words, and tells how many bytes that took at its peak. After an
    /// error the search cannot go on.
    fn repack(
        &mut self,
        width: usize,
        translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull>;

    /// A stored state.
    fn state(&self, record: Record) -> &[u64];

    /// Number of states that are stored, all of them distinct.
    fn stored(&self) -> usize;

    /// Number of states, or of successors on a stack, that are still to be dealt with.
    fn waiting(&self) -> u64;

    /// What was counted so far.
    fn counters(&self) -> Counters;

    /// Bytes of memory held.
    fn bytes(&self) -> usize;
}

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

/// A look at a running search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Snapshot {
    /// Stored states.
    pub stored: u64,
    /// States that are stored and not yet expanded, or successors waiting on the stack.
    pub waiting: u64,
    /// What was counted so far.
    pub counters: Counters,
    /// Bytes of memory held by the search and its observers.
    pub bytes: u64,
}

/// Whoever wants to see a running search, and may stop it.
pub trait Monitor {
    /// Called every few thousand states; a reason stops the search.
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason>;
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
    /// As many states as were allowed are stored.
    StateLimit(u64),
    /// Time is up.
    TimeLimit,
    /// The memory limit is reached, or the machine has no more.
    Memory(LayerFull),
    /// The user wants it.
    Interrupted,
    /// An observer cannot go on, e.g. because the disk is full.
    Observer(String),
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::StateLimit(limit) => write!(f, "the limit of {limit} states is reached"),
            Self::TimeLimit => write!(f, "the time limit is reached"),
            Self::Memory(full) => write!(f, "{full}"),
            Self::Interrupted => write!(f, "interrupted"),
            Self::Observer(reason) => write!(f, "{reason}"),
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
    /// This state cannot be expanded with the present layout: a value is too large, or a step is an error.
    Trouble(Record),
}

/// Limits that a search keeps by itself.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop when this many states are stored.
    pub states: u64,
    /// Bytes for the states and their index.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: u64::MAX, memory: crate::store::pages::available_memory() / 5 * 4 }
    }
}

/// Asks everybody who may stop a search whether to stop it.
pub(super) fn consult<Q: Search, S: TransitionSystem, O: Observer<S>>(
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
        counters: search.counters(),
        bytes: bytes as u64,
    })
}
