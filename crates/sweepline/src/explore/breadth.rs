//! Breadth-first search: the cursor runs through the one layer behind which new states are appended.
//!
//! States are expanded in batches, so that the memory accesses of a few hundred insertions overlap. A batch never
//! crosses the end of a breadth-first level; the number of levels is exact, and a state's path in the trace
//! log is a shortest one.

use crate::model::successor_batch::SuccessorBatch;
use crate::model::transition_system::TransitionSystem;
use crate::store::layer::{Layer, LayerFull, Width, with_width};
use crate::store::pages::OutOfMemory;

use super::observer::{Observer, Record, Successors};
use super::search::{CompleteSearch, Counters, Limits, Monitor, Search, SearchEnd, StopReason, consult};

/// Successors that are inserted together. Enough to overlap their cache misses, few enough to stay in the first cache.
const BATCH: usize = 256;
/// States in a batch at the most: those without successors fill no batch.
const STATES: usize = 256;
/// States that are expanded before their successors are announced.
const AT_A_TIME: usize = 8;
/// Batches between two looks of the monitor.
const BATCHES_PER_LOOK: u32 = 64;

/// A breadth-first search that holds all states.
#[derive(Debug)]
pub struct BreadthSearch {
    layer: Layer,
    batch: SuccessorBatch,
    cursor: usize,
    level_end: usize,
    /// Counts on when a run goes on after trouble, so that no run escapes the monitor.
    batches: u32,
    counters: Counters,
    limits: Limits,
}

impl BreadthSearch {
    /// A search over states of `width` words.
    pub fn new(width: usize, limits: Limits) -> Result<Self, OutOfMemory> {
        Ok(Self {
            layer: Layer::new(width, limits.memory)?,
            batch: SuccessorBatch::new(width, BATCH),
            cursor: 0,
            level_end: 0,
            batches: 0,
            counters: Counters::default(),
            limits,
        })
    }

    fn run_with<W: Width, S: TransitionSystem, O: Observer<S>>(
        &mut self,
        width: W,
        system: &S,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        loop {
            if self.cursor == self.level_end {
                if self.cursor == self.layer.len() {
                    return SearchEnd::Complete(CompleteSearch::attest());
                }
                self.level_end = self.layer.len();
                self.counters.depth += 1;
            }
            if self.layer.len() as u64 > self.limits.states {
                return SearchEnd::Stopped(StopReason::StateLimit(self.limits.states));
            }
            self.batches = self.batches.wrapping_add(1);
            if self.batches.is_multiple_of(BATCHES_PER_LOOK)
                && let Some(reason) = consult(self, observer, &self.limits, monitor)
            {
                return SearchEnd::Stopped(reason);
            }
            let mut batch = std::mem::take(&mut self.batch);
            batch.clear();
            let trouble = self.expand(width, system, &mut batch);
            let taken = self.take(width, system, &batch, None, observer);
            self.batch = batch;
            if let Err(end) = taken {
                return end;
            }
            if trouble {
                return SearchEnd::Trouble(self.cursor as Record);
            }
        }
    }

    /// Fills the batch with successors of the states from the cursor on, and announces them to the layer; `true` if a
    /// state cannot be expanded. A few states at a time: while the next ones are computed, the index is fetched for these.
    #[inline(always)]
    fn expand<W: Width, S: TransitionSystem>(
        &mut self,
        width: W,
        system: &S,
        batch: &mut SuccessorBatch,
    ) -> bool {
        let end = self.level_end.min(self.cursor + STATES);
        let mut next = self.cursor;
        while next < end && !batch.is_full() {
            let announced = batch.words().len();
            let expansion = system.expand(self.layer.states(next..end.min(next + AT_A_TIME)), batch);
            self.layer.announce(width, &batch.words()[announced..]);
            if expansion.trouble {
                return true;
            }
            next += expansion.states;
        }
        false
    }

    /// Shows the states at the cursor to the observer, stores the successors in the batch, moves the cursor.
    #[inline(always)]
    fn take<W: Width, S: TransitionSystem, O: Observer<S>>(
        &mut self,
        width: W,
        system: &S,
        batch: &SuccessorBatch,
        kind: Option<Successors>,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let mut start = 0;
        for (number, &end) in batch.ends().iter().enumerate() {
            let steps = (end - start) as usize;
            start = end;
            let record = self.cursor + number;
            let successors = kind.unwrap_or(Successors::Steps(steps));
            self.counters.deadlocks += u64::from(successors == Successors::Steps(0));
            if observer.taken(system, record as Record, self.layer.state(record), successors).is_break() {
                return Err(SearchEnd::Decided);
            }
        }
        let (ends, first) = (batch.ends(), self.cursor);
        let (mut number, mut i) = (0, 0);
        let inserted = self.layer.insert_announced(width, batch.words(), |is_new| {
            while ends[number] as usize <= i {
                number += 1;
            }
            if is_new {
                observer.stored(Some((first + number) as Record), batch.action(i));
            }
            i += 1;
        });
        inserted.map_err(|full| SearchEnd::Stopped(StopReason::Memory(full)))?;
        self.cursor += ends.len();
        self.counters.explored += ends.len() as u64;
        self.counters.transitions += batch.len() as u64;
        Ok(())
    }
}

impl Search for BreadthSearch {
    fn run<S: TransitionSystem, O: Observer<S>>(
        &mut self,
        system: &S,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        with_width!(self.layer.width(), width => self.run_with(width, system, observer, monitor))
    }

    fn start<S: TransitionSystem, O: Observer<S>>(
        &mut self,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        with_width!(self.layer.width(), width => {
            let mut i = 0;
            self.layer.insert_batch(width, initial.words(), |is_new| {
                if is_new {
                    observer.stored(None, initial.action(i));
                }
                i += 1;
            })
        })
    }

    fn supply<S: TransitionSystem, O: Observer<S>>(
        &mut self,
        system: &S,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.counters.erroneous += u64::from(successors == Successors::WithError);
        with_width!(self.layer.width(), width => {
            self.layer.announce(width, batch.words());
            self.take(width, system, batch, Some(successors), observer)
        })
    }

    fn repack(
        &mut self,
        width: usize,
        translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        self.batch = SuccessorBatch::new(width, BATCH);
        self.layer.repack(width, translate)
    }

    fn state(&self, record: Record) -> &[u64] {
        self.layer.state(record as usize)
    }

    fn stored(&self) -> usize {
        self.layer.len()
    }

    fn waiting(&self) -> u64 {
        (self.layer.len() - self.cursor) as u64
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn bytes(&self) -> usize {
        self.layer.bytes() + self.batch.bytes()
    }
}
