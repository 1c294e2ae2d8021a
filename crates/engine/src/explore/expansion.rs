//! Expansion in batches: what all searches that expand states side by side have in common.
//!
//! A few states are expanded, their successors are sorted out, then the next few follow, until a
//! batch is full. Sorting announces to the store which states will be inserted, so that the parts
//! of its index that they need are fetched while the next states are expanded.

use model::successor_batch::SuccessorBatch;
use model::transition_system::Expander;

use crate::store::records::Records;

use super::observer::Successors;

/// Successors that are inserted together. Enough to overlap their cache misses, few enough to stay
/// in the first-level cache.
pub(super) const BATCH: usize = 256;
/// Most states in a batch: those without successors do not fill one.
pub(super) const STATES: usize = 256;
/// States that are expanded before their successors are announced.
const AT_A_TIME: usize = 8;

/// A few states that were expanded together.
pub(super) struct Few<'a> {
    /// The batch, with the successors of those states at its end.
    pub(super) batch: &'a SuccessorBatch,
    /// The number of their first successor.
    pub(super) from: usize,
}

/// Expands states until all are expanded or the batch is full, a few at a time; `each` gets those
/// few. Returns whether a state cannot be expanded with the present layout.
#[inline(always)]
pub(super) fn expand<R: Records>(
    records: R,
    expander: &mut dyn Expander,
    mut states: &[u64],
    batch: &mut SuccessorBatch,
    mut each: impl FnMut(&mut dyn Expander, Few<'_>),
) -> bool {
    while !states.is_empty() && !batch.is_full() {
        let from = batch.len();
        let few = records.words_of(states, AT_A_TIME);
        let expansion = expander.expand(&states[..few], batch);
        let expanded = records.words_of(states, expansion.states);
        each(expander, Few { batch, from });
        if expansion.trouble {
            return true;
        }
        states = &states[expanded..];
    }
    false
}

/// States that are about to be inserted into the current layer.
#[derive(Debug, Default)]
pub(super) struct Staying {
    /// The states, contiguous.
    pub(super) words: Vec<u64>,
    /// The number of each in its batch, or its origin.
    pub(super) tags: Vec<u64>,
    /// The hash of each, once it is announced.
    pub(super) hashes: Vec<u64>,
    /// The record number of each, or [`NOT_FOUND`](crate::store::layer::NOT_FOUND), where a thread
    /// beside the owner of the layer has looked them up.
    pub(super) hints: Vec<u32>,
}

impl Staying {
    /// Forgets the states, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.tags.clear();
        self.hashes.clear();
        self.hints.clear();
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        let words = self.words.capacity() + self.tags.capacity() + self.hashes.capacity();
        words * 8 + self.hints.capacity() * 4
    }
}

/// Finds the state that a successor comes from, for successors in ascending order.
#[derive(Clone, Debug)]
pub(super) struct Parents<'a> {
    ends: &'a [u32],
    number: usize,
}

impl<'a> Parents<'a> {
    #[inline(always)]
    pub(super) fn new(batch: &'a SuccessorBatch) -> Self {
        Self::from(batch, 0)
    }

    /// Begins at the expanded state with this number.
    #[inline(always)]
    pub(super) fn from(batch: &'a SuccessorBatch, number: usize) -> Self {
        Self { ends: batch.ends(), number }
    }

    /// The number of the expanded state that the last successor came from.
    #[inline(always)]
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The number, among the expanded states, of the one that successor `i` comes from.
    #[inline(always)]
    pub(super) fn of(&mut self, i: usize) -> usize {
        while self.ends[self.number] as usize <= i {
            self.number += 1;
        }
        self.number
    }
}

/// For each expanded state of a batch with these ends, what is known of its successors. `kind` is that of the only
/// state of a batch that the search was supplied with.
#[inline(always)]
pub(super) fn successors(ends: &[u32], kind: Option<Successors>) -> impl Iterator<Item = Successors> {
    let mut start = 0;
    ends.iter().map(move |&end| {
        let steps = (end - start) as usize;
        start = end;
        kind.unwrap_or(Successors::Steps(steps))
    })
}
