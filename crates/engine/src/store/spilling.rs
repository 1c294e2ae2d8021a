//! Spilling: where states go that do not fit into memory, and how many may stay.

use super::ahead::QueueKind;
use super::external::disk::Disk;
use super::layer::LayerFull;

/// How a search spills states to disk.
#[derive(Clone, Debug)]
pub struct Spilling {
    /// The disk.
    pub disk: Disk,
    /// The external queue that holds layers ahead.
    pub queue: QueueKind,
    /// How many states stay in memory, at most, however much memory there is.
    pub most: InMemory,
    /// Whether the current layer is on disk from the first state on.
    pub current_on_disk: bool,
    /// Whether the disk must keep room for a checkpoint.
    pub is_saved: bool,
}

/// Numbers of states that stay in memory, at most. By default only the memory limit counts.
#[derive(Clone, Copy, Debug)]
pub struct InMemory {
    /// Entries of layers ahead.
    pub ahead: usize,
    /// Persistent states.
    pub persistent: usize,
    /// States of the current layer.
    pub current: usize,
}

impl Default for InMemory {
    fn default() -> Self {
        Self { ahead: usize::MAX, persistent: usize::MAX, current: usize::MAX }
    }
}

impl Spilling {
    /// Says that the disk has hardly room for more, if so. With checkpoints, what is on disk and
    /// the `in_memory` bytes that are not must fit once more.
    pub fn nearly_full(&self, in_memory: usize) -> Option<String> {
        let all = self.disk.used() + in_memory as u64;
        self.disk.is_nearly_full(if self.is_saved { all } else { 0 })
    }
}

/// Why a tier of the store cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no room in memory.
    #[error(transparent)]
    Full(#[from] LayerFull),
    /// States cannot be written to disk, or read from it.
    #[error(transparent)]
    Disk(#[from] std::io::Error),
}
