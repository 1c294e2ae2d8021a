//! Record numbers of the current layer, and how far its states are expanded.

use serde::{Deserialize, Serialize};

/// Where the search is in the arena, and which numbers the states in it have.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// The record number of the first state that is not known.
    pub(super) first: u64,
    /// Number of states at the beginning that an earlier sweep expanded.
    pub(super) known: usize,
    /// The next state to expand.
    pub(super) cursor: usize,
    /// The end of the breadth-first level.
    pub(super) level_end: usize,
}

impl Span {
    /// The record number of the state at this place.
    #[inline(always)]
    pub fn record(&self, place: usize) -> u64 {
        self.first + (place - self.known) as u64
    }

    /// The record number of the state `number` places after the next one to expand.
    #[inline(always)]
    pub fn record_ahead(&self, number: usize) -> u64 {
        self.record(self.cursor + number)
    }
}

/// How the layer began, and what this sweep has done: nothing may be lost, and nothing taken twice.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Begun {
    /// The record number of the first state that was stored in the layer since.
    pub(super) at: u64,
    /// Whether this sweep was in the layer before.
    pub(super) is_resumed: bool,
    /// The first record number of this sweep.
    pub(super) sweep_at: u64,
    /// Number of states that this sweep has expanded.
    pub(super) expanded: u64,
}
