//! The threads of a search: how many, which work they share, and when.

use std::num::NonZero;
use std::time::Duration;

use crate::store::layer::claims::Claims;

/// Chunks under way for each thread: while one is worked on, others wait to be committed.
const UNDER_WAY: usize = 4;
/// States that the owner expands alone after trouble. Doubled each time, up to the second number.
const CALM: (u64, u64) = (1 << 10, 1 << 20);

/// The threads of a search, and which work they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Number of threads.
    pub number: NonZero<usize>,
    /// States that must be ready for threads to share them. A level of fewer is over before helpers
    /// are at work: with 512, short searches took up to twice as long as by one thread.
    pub shared_from: usize,
    /// Fewest states of a chunk, the unit that is shared, while more may follow.
    pub least_chunk: usize,
    /// Most states of a chunk.
    pub most_chunk: usize,
    /// Number of expansions from which on small layers are merged. Shorter searches gain too little
    /// to report other layers and peaks than one thread does.
    pub merged_from: u64,
    /// Most states that a chunk claims.
    pub most_claims: usize,
}

impl Threads {
    /// So many threads.
    pub fn new(number: NonZero<usize>) -> Self {
        Self {
            number,
            shared_from: 4096,
            least_chunk: 16,
            most_chunk: 256,
            merged_from: 1 << 22,
            most_claims: 1 << 10,
        }
    }

    pub(super) fn under_way(self) -> usize {
        UNDER_WAY * self.number.get()
    }

    /// Provisional numbers that claims need.
    pub(super) fn claim_numbers(self) -> usize {
        if self.number.get() > 1 { Claims::numbers(self.under_way(), self.most_claims) } else { 0 }
    }

    /// As many threads as processors that this process may use: its affinity and the quota of its
    /// group count.
    pub fn of_this_machine() -> Self {
        Self::new(std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN))
    }
}

impl Default for Threads {
    /// One thread.
    fn default() -> Self {
        Self::new(NonZero::<usize>::MIN)
    }
}

/// The threads of a search, and when they work together.
#[derive(Clone, Copy, Debug)]
pub(super) struct TeamState {
    pub(super) threads: Threads,
    /// Until this many states are expanded, the owner works alone.
    pub(super) alone_until: u64,
    /// States that the owner expands alone after the next trouble.
    calm: u64,
    /// Changes when caches of recent states must be emptied: when a sweep ends, and when tasks were
    /// discarded, whose states were not stored.
    pub(super) epoch: u64,
    /// Bytes of all tasks, and of the caches of helpers.
    pub(super) bytes: usize,
}

impl Default for TeamState {
    fn default() -> Self {
        Self::new(Threads::default())
    }
}

impl TeamState {
    pub(super) fn new(threads: Threads) -> Self {
        Self { threads, alone_until: 0, calm: CALM.0, epoch: 0, bytes: 0 }
    }

    /// Whether a search that has expanded so many states may merge small layers.
    pub(super) fn merges(&self, explored: u64) -> bool {
        self.has_helpers() && explored >= self.threads.merged_from
    }

    /// Whether there are helpers.
    pub(super) fn has_helpers(&self) -> bool {
        self.threads.number.get() > 1
    }

    /// Notes the bytes of a task, of a cache of recent states, and of all claims.
    pub(super) fn note_task(&mut self, task: usize, cache: usize, claims: usize) {
        let threads = self.threads.number.get();
        self.bytes = self.bytes.max(threads * (UNDER_WAY * task + cache) + claims);
    }

    /// A state caused trouble after so many expansions.
    pub(super) fn trouble(&mut self, explored: u64) {
        self.alone_until = explored + self.calm;
        self.calm = (self.calm * 2).min(CALM.1);
    }
}

/// What a thread did while threads shared their work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerFigures {
    /// States that it expanded.
    pub states: u64,
    /// Steps from them.
    pub steps: u64,
    /// Time without work.
    pub waited: Duration,
}

impl WorkerFigures {
    pub(super) fn add(&mut self, more: Self) {
        self.states += more.states;
        self.steps += more.steps;
        self.waited += more.waited;
    }
}
