//! Expansion ahead: helpers compute the successors of states that their owner will come to.
//!
//! For searches whose owner routes and stores all successors itself. The owner gets the successors
//! in the order of the states, chunk by chunk, as if it had computed them.

use model::successor_batch::SuccessorBatch;
use model::transition_system::Expander;

use crate::store::records::{RecordShape, Records};

use super::exchange::{Exchange, Owner};

/// Chunks for each thread.
const CHUNKS: usize = 4;

/// States, and their successors.
#[derive(Debug)]
pub(super) struct Chunk {
    states: Vec<u64>,
    batch: SuccessorBatch,
    trouble: bool,
}

impl Chunk {
    fn new(shape: RecordShape) -> Self {
        Self { states: Vec::new(), batch: SuccessorBatch::new(shape, usize::MAX), trouble: false }
    }

    /// Expands the states.
    pub(super) fn work(&mut self, expander: &mut dyn Expander) {
        self.batch.clear();
        // It may be a batch that the owner used otherwise. All states must find room.
        self.batch.set_wanted(usize::MAX);
        let expansion = expander.expand(&self.states, &mut self.batch);
        self.trouble = expansion.trouble;
        debug_assert!(expansion.trouble || expansion.states == self.batch.shape().count(&self.states));
    }
}

/// An exchange for so many threads.
pub(super) fn exchange(shape: RecordShape, threads: usize) -> Exchange<Chunk> {
    Exchange::new((0..threads * CHUNKS).map(|_| Chunk::new(shape)))
}

/// The owner's side.
#[derive(Debug)]
pub(super) struct ExpandAhead<'x> {
    owner: Owner<'x, Chunk>,
    /// Words of the states that were handed out and not taken back.
    handed_out: usize,
    /// Most states of a chunk.
    most: usize,
}

impl<'x> ExpandAhead<'x> {
    /// Chunks have at most this many states.
    pub(super) fn new(exchange: &'x Exchange<Chunk>, most: usize) -> Self {
        Self { owner: exchange.owner(), handed_out: 0, most: most.max(1) }
    }

    /// Hands out states from the front of `ready`, the states that are to be expanded next, and puts
    /// the successors of the first ones into the batch. Returns whether the state after those cannot
    /// be expanded.
    pub(super) fn expand<R: Records>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        ready: &[u64],
        batch: &mut SuccessorBatch,
    ) -> bool {
        while self.owner.has_room() && self.handed_out < ready.len() {
            let rest = &ready[self.handed_out..];
            let words = records.words_of(rest, self.most);
            self.owner.offer(|chunk| {
                chunk.states.clear();
                chunk.states.extend_from_slice(&rest[..words]);
            });
            self.handed_out += words;
        }
        let taken = self.owner.take(
            |chunk| chunk.work(expander),
            |chunk| {
                std::mem::swap(&mut chunk.batch, batch);
                (chunk.states.len(), chunk.trouble)
            },
        );
        let (words, trouble) = taken.unwrap_or((0, false));
        self.handed_out -= words;
        trouble
    }

    /// Forgets what was handed out: the states that are to be expanded next are others.
    pub(super) fn discard(&mut self) {
        self.owner.discard_all(|_| {});
        self.handed_out = 0;
    }
}
