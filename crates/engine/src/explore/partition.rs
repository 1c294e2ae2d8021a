//! Partitioned search: one partition of the states in memory, the others on disk.
//!
//! PART (Bao and Jones 2005) with dynamic partitioning (Evangelista and Kristensen). Each partition has a run of visited states and
//! a run of candidates. The partition with the longest queue is loaded: its visited states, then its candidates, of which most turn out to be known. All
//! that is new is expanded, in memory; successors of other partitions are appended to the candidates of these, without a look at
//! anything but a small cache. When nothing is left to expand, the new states are appended to the run of visited ones, and the next partition is loaded. The
//! end is reached when nobody has candidates. Each state is stored and expanded exactly once.
//!
//! There is one partition at first: as long as everything fits, nothing is written. A partition that outgrows memory is split by one more bit of
//! the state (see [`function`]): all its states are written to the runs of its two parts, those that are still to be expanded with
//! their record numbers.
//!
//! What it costs: a visited state is read whenever its partition is loaded, and written again when it is split. What was rejected: keeping one part in memory
//! after a split, for which the layer would have to be filled anew anyway. A wider layout makes the bits that partitions are told apart by
//! meaningless: everything is poured into one partition again, which is split as usual. Layouts are widened early, if at all.

mod exchange;
mod function;
mod partitions;

use std::io;

use crate::store::external::disk::Disk;
use crate::store::external::run::RunReader;
use crate::store::layer::{Inserted, Layer, LayerFull, Width, with_width};
use crate::store::pages::OutOfMemory;
use crate::store::recent_states::RecentStates;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, TransitionSystem, Truth};

use function::{RecentSteps, best_test};
use partitions::Partitions;

use super::observer::{Observer, Record, Successors};
use super::origin::{NO_PARENT, UNKNOWN, initial_origin, origin};
use super::search::{
    CompleteSearch, Counters, Held, Limits, Monitor, Search, SearchEnd, StopReason, consult,
};

/// Successors that are inserted together.
const BATCH: usize = 256;
/// States in a batch at the most: those without successors fill no batch.
const STATES: usize = 256;
/// States that are expanded before their successors are announced.
const AT_A_TIME: usize = 8;
/// More states than are stored between two looks at their number.
const STORED_TOGETHER: u64 = 1 << 24;
/// Batches between two looks of the monitor.
const BATCHES_PER_LOOK: u32 = 64;
/// Steps of a batch that are kept as a sample.
const SAMPLED_STEPS: usize = 4;
/// Bytes for the records of a partition on their way to disk, if there is room: three blocks.
const BUFFERS: usize = 3 << 16;

/// A search that holds one partition in memory.
#[derive(Debug)]
pub struct PartitionSearch {
    layer: Layer,
    front: Front,
    partitions: Partitions,
    disk: Disk,
    /// States of a partition in memory at the most, but for those of a last batch; and about so many on their way to others.
    most_states: usize,
    batch: SuccessorBatch,
    recent: RecentStates,
    steps: RecentSteps,
    staying: Staying,
    /// Numbers of the successors in the batch that belong to other partitions.
    leaving: Vec<u32>,
    /// States that were stored so far.
    records: Record,
    /// Counts on when a run goes on after trouble, so that no run escapes the monitor.
    batches: u32,
    counters: Counters,
    limits: Limits,
    /// Bytes of the observer when it was last asked.
    observer_bytes: usize,
    peak_bytes: usize,
    /// Why the search cannot go on: something may be lost.
    failure: Option<StopReason>,
}

/// The partition in memory. Its states lie in the layer: those visited before, those that waited with a record number, and new
/// ones, whose numbers follow each other.
#[derive(Debug, Default)]
struct Front {
    partition: Option<usize>,
    /// States that were expanded before it was loaded.
    known: usize,
    /// Record numbers of the states behind them that waited.
    waited: Vec<Record>,
    /// The record number of the first new state.
    first: Record,
    /// The next state to be expanded.
    cursor: usize,
    /// Candidates that are still to be taken in.
    candidates: Option<RunReader>,
}

impl Front {
    #[inline(always)]
    fn record(&self, place: usize) -> Record {
        let number = place - self.known;
        self.waited.get(number).copied().unwrap_or_else(|| self.first + (number - self.waited.len()) as u64)
    }
}

/// States that are about to be inserted into the layer.
#[derive(Debug, Default)]
struct Staying {
    words: Vec<u64>,
    /// Where they come from: their numbers in the batch, or their origins.
    origins: Vec<u64>,
}

impl Staying {
    /// Adds candidates of `stride` words.
    fn extend<W: Width>(&mut self, width: W, candidates: &[u64], stride: usize) {
        for candidate in candidates.chunks_exact(stride) {
            self.words.extend_from_slice(&candidate[..width.get()]);
            self.origins.push(candidate.get(width.get()).copied().unwrap_or(UNKNOWN));
        }
    }

    fn clear(&mut self) {
        self.words.clear();
        self.origins.clear();
    }
}

fn disk_failed(error: io::Error) -> StopReason {
    StopReason::Disk(error.to_string())
}

impl PartitionSearch {
    /// A search over states of `width` words.
    pub fn new(width: usize, limits: Limits, disk: Disk) -> Result<Self, OutOfMemory> {
        // There are no more record numbers.
        let limits = Limits { states: limits.states.min(NO_PARENT - STORED_TOGETHER), ..limits };
        Ok(Self {
            layer: Layer::new(width, limits.memory)?,
            front: Front::default(),
            partitions: Partitions::new(&disk, width, false, BUFFERS),
            disk,
            most_states: usize::MAX,
            batch: SuccessorBatch::new(width, BATCH),
            recent: RecentStates::new(width),
            steps: RecentSteps::new(width),
            staying: Staying::default(),
            leaving: Vec::new(),
            records: 0,
            batches: 0,
            counters: Counters { sweeps: 1, ..Counters::default() },
            limits,
            observer_bytes: 0,
            peak_bytes: 0,
            failure: None,
        })
    }

    /// Splits partitions of more than `most` states, however much memory there is.
    pub fn with_states_in_memory(mut self, most: usize) -> Self {
        self.most_states = most.max(1);
        self.batch = SuccessorBatch::new(self.layer.width(), self.most_states.min(BATCH));
        self
    }

    fn run_with<W: Width, O: Observer>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        self.observer_bytes = observer.bytes();
        loop {
            if let Some(reason) = &self.failure {
                return SearchEnd::Stopped(reason.clone());
            }
            if self.records > self.limits.states {
                return SearchEnd::Stopped(StopReason::StateLimit(self.limits.states));
            }
            self.batches = self.batches.wrapping_add(1);
            if self.batches.is_multiple_of(BATCHES_PER_LOOK)
                && let Some(reason) = self.look(observer, monitor)
            {
                return SearchEnd::Stopped(reason);
            }
            match self.step(width, expander, observer) {
                Ok(None) => {}
                Ok(Some(end)) => return end,
                Err(reason) => self.failure = Some(reason),
            }
        }
    }

    /// Splits the partition, or takes in candidates, or expands a batch of states, or goes on to the next partition. After an error, something may be
    /// lost.
    #[inline(always)]
    fn step<W: Width, O: Observer>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        observer: &mut O,
    ) -> Result<Option<SearchEnd>, StopReason> {
        if self.layer.len() > self.most_states
            && let Some(test) = best_test(&self.layer, &self.steps)
        {
            return self.split(test).map(|()| None);
        }
        if self.front.candidates.is_some() {
            return self.take_in(width, observer).map(|()| None);
        }
        if self.front.cursor == self.layer.len() {
            let next = self.next_partition(width)?;
            return Ok((!next).then(|| SearchEnd::Complete(CompleteSearch::attest())));
        }
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        let trouble = self.expand(width, expander, &mut batch);
        let (partition, splits) = (self.front.partition, self.counters.spilled);
        let end = self.take(width, expander, &batch, None, observer);
        self.batch = batch;
        // After a split the state that caused trouble waits in a file. It will be met again.
        let is_here = (partition, splits) == (self.front.partition, self.counters.spilled);
        Ok(end?.or_else(|| {
            (trouble && is_here).then(|| SearchEnd::Trouble(self.front.record(self.front.cursor)))
        }))
    }

    /// Fills the batch with successors of the states from the cursor on, and announces to the layer those that stay in it; `true` if a
    /// state cannot be expanded.
    #[inline(always)]
    fn expand<W: Width>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        batch: &mut SuccessorBatch,
    ) -> bool {
        let end = self.layer.len().min(self.front.cursor + STATES);
        let mut next = self.front.cursor;
        while next < end && !batch.is_full() {
            let sorted = batch.len();
            let expansion = expander.expand(self.layer.states(next..end.min(next + AT_A_TIME)), batch);
            self.sort(width, batch, sorted);
            if expansion.trouble {
                return true;
            }
            next += expansion.states;
        }
        false
    }

    /// Sorts the successors from number `from` on by where they go, and announces those that stay in the layer. What was met lately is in the layer or in
    /// some run, and will be there for ever.
    #[inline(always)]
    fn sort<W: Width>(&mut self, width: W, batch: &SuccessorBatch, from: usize) {
        let Self { recent, partitions, staying, leaving, front, layer, .. } = self;
        let mut recent = recent.look(width);
        let announced = staying.words.len();
        for number in from..batch.len() {
            let state = &batch.state(number)[..width.get()];
            if recent.knows(state) {
                continue;
            }
            if Some(partitions.of(state)) == front.partition {
                staying.words.extend_from_slice(state);
                staying.origins.push(number as u64);
            } else {
                leaving.push(number as u32);
            }
        }
        layer.announce(width, &staying.words[announced..]);
    }

    /// Shows the states at the cursor to the observer, stores the successors in the batch, moves the cursor.
    #[inline(always)]
    fn take<W: Width, O: Observer>(
        &mut self,
        width: W,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        kind: Option<Successors>,
        observer: &mut O,
    ) -> Result<Option<SearchEnd>, StopReason> {
        self.counters.transitions += batch.len() as u64;
        let mut start = 0;
        for (number, &end) in batch.ends().iter().enumerate() {
            let steps = (end - start) as usize;
            start = end;
            let place = self.front.cursor + number;
            let successors = kind.unwrap_or(Successors::Steps(steps));
            self.counters.deadlocks += u64::from(successors == Successors::Steps(0));
            let state = self.layer.state(place);
            let truth = if observer.wants_truth() { expander.predicates(state) } else { Truth::default() };
            if observer.taken(self.front.record(place), state, truth, successors).is_break() {
                return Ok(Some(SearchEnd::Decided));
            }
        }
        self.sample(batch);
        self.store_leaving(batch).map_err(disk_failed)?;
        let stored = self.store_staying(width, batch, observer);
        self.front.cursor += batch.ends().len();
        self.counters.explored += batch.ends().len() as u64;
        if let Err(full) = stored {
            self.make_room(full)?;
            self.send_staying(width).map_err(disk_failed)?;
        }
        self.staying.clear();
        self.partitions.relieve().map_err(disk_failed)?;
        Ok(None)
    }

    /// Keeps a few steps of the batch.
    fn sample(&mut self, batch: &SuccessorBatch) {
        for number in 0..SAMPLED_STEPS.min(batch.len()) {
            let number = number * batch.len() / SAMPLED_STEPS.min(batch.len());
            let parent = batch.ends().partition_point(|&end| end as usize <= number);
            self.steps.push(self.layer.state(self.front.cursor + parent), batch.state(number));
        }
    }

    /// Appends the successors in other partitions to their candidates.
    fn store_leaving(&mut self, batch: &SuccessorBatch) -> io::Result<()> {
        let mut parent = 0;
        for number in self.leaving.drain(..).map(|number| number as usize) {
            while batch.ends()[parent] as usize <= number {
                parent += 1;
            }
            let record = self.front.record(self.front.cursor + parent);
            self.partitions.send(batch.state(number), origin(record, batch.action(number)))?;
        }
        Ok(())
    }

    /// Stores the successors in this partition. If there is no room, none is stored, and they know their origins.
    #[inline(always)]
    fn store_staying<W: Width, O: Observer>(
        &mut self,
        width: W,
        batch: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let Self { layer, front, staying, records, .. } = self;
        let mut parent = 0;
        let mut origin_of = |number: usize| {
            while batch.ends()[parent] as usize <= number {
                parent += 1;
            }
            (front.record(front.cursor + parent), batch.action(number))
        };
        let mut numbers = staying.origins.iter();
        let stored = layer.insert_announced(width, &staying.words, |inserted| {
            let number = *numbers.next().expect("each of them has a number");
            let (parent, action) = origin_of(number as usize);
            if let Inserted::New(_) = inserted {
                *records += 1;
                observer.stored(Some(parent), action);
            }
        });
        if stored.is_err() {
            for one in &mut staying.origins {
                let (parent, action) = origin_of(*one as usize);
                *one = origin(parent, action);
            }
        }
        stored
    }

    /// Makes candidates of states for which there was no room.
    fn send_staying<W: Width>(&mut self, width: W) -> io::Result<()> {
        let states = self.staying.words.chunks_exact(width.get()).zip(&self.staying.origins);
        for (number, (state, &origin)) in states.enumerate() {
            self.partitions.send(state, origin)?;
            self.partitions.look(number)?;
        }
        self.staying.clear();
        Ok(())
    }

    /// Bytes for records on their way to partitions that are not in memory.
    fn allowance(&self) -> usize {
        let all = (self.partitions.len() + 1).saturating_mul(BUFFERS);
        let most = self.most_states.saturating_mul(self.layer.width() * 8);
        all.min(self.limits.memory / 4).min(most)
    }

    /// Bytes for the partition in memory.
    fn budget(&self) -> usize {
        let buffers = self.allowance() + self.partitions.fixed_bytes();
        self.limits.memory.saturating_sub(buffers + self.fixed_bytes() + self.observer_bytes)
    }

    /// Bytes held beside the layer and the partitions.
    fn fixed_bytes(&self) -> usize {
        self.batch.bytes()
            + self.recent.bytes()
            + self.steps.bytes()
            + (self.staying.words.capacity() + self.staying.origins.capacity()) * 8
            + self.leaving.capacity() * 4
            + self.front.waited.capacity() * 8
    }

    fn note_peak(&mut self) {
        self.peak_bytes = self.peak_bytes.max(self.bytes());
        let counters = self.counters();
        (self.counters.peak, self.counters.largest_layer) = (counters.peak, counters.largest_layer);
    }

    /// Lets everybody look who may stop the search. Memory that others need now is made free by a split.
    #[cold]
    fn look<O: Observer>(&mut self, observer: &O, monitor: &mut dyn Monitor) -> Option<StopReason> {
        self.observer_bytes = observer.bytes();
        self.layer.set_budget(self.budget());
        if self.bytes() + self.observer_bytes > self.limits.memory
            && let Err(reason) = self.make_room(LayerFull::Budget)
        {
            self.failure = Some(reason.clone());
            return Some(reason);
        }
        self.note_peak();
        consult(self, observer, &self.limits, monitor)
    }
}

impl Search for PartitionSearch {
    fn run<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        with_width!(self.layer.width(), width => self.run_with(width, &mut *system.expander(), observer, monitor))
    }

    fn start<O: Observer>(
        &mut self,
        _system: &dyn TransitionSystem,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let origins = observer.wants_origins();
        self.partitions = Partitions::new(&self.disk, initial.width(), origins, self.allowance());
        for number in 0..initial.len() {
            let sent = self.partitions.send(initial.state(number), initial_origin(initial.action(number)));
            self.failure = self.failure.take().or(sent.err().map(disk_failed));
        }
        Ok(())
    }

    fn supply<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.counters.erroneous += u64::from(successors == Successors::WithError);
        let taken = with_width!(self.layer.width(), width => {
            self.sort(width, batch, 0);
            self.take(width, &mut *system.expander(), batch, Some(successors), observer)
        });
        match taken {
            Ok(None) => Ok(()),
            Ok(Some(end)) => Err(end),
            Err(reason) => {
                self.failure = Some(reason.clone());
                Err(SearchEnd::Stopped(reason))
            }
        }
    }

    fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        self.batch = SuccessorBatch::new(width, self.most_states.min(BATCH));
        self.recent = RecentStates::new(width);
        self.steps.repack(width, &mut *translate);
        if self.partitions.len() == 1
            && self.partitions.are_empty()
            && self.front.candidates.is_none()
            && let Ok(peak) = self.layer.repack(width, &mut *translate)
        {
            self.partitions = self.partitions.of_width(width);
            return Ok(peak + self.bytes() - self.layer.bytes());
        }
        // Also a layer that has no room for two copies of itself can still be read.
        if let Err(error) = self.pour_together(width, &mut *translate) {
            self.failure = self.failure.take().or(Some(disk_failed(error)));
        }
        let peak = self.bytes();
        self.unload(width)?;
        Ok(peak)
    }

    fn troubled(&self) -> &[u64] {
        self.layer.state(self.front.cursor)
    }

    /// All of them, in memory or not.
    fn stored(&self) -> usize {
        self.records as usize
    }

    fn distinct(&self) -> Option<u64> {
        Some(self.records)
    }

    fn waiting(&self) -> u64 {
        (self.layer.len() - self.front.cursor) as u64 + self.partitions.queued()
    }

    fn counters(&self) -> Counters {
        let mut counters = self.counters;
        let here = self.layer.len() as u64;
        counters.peak = Held { current: counters.peak.current.max(here), ..Held::default() };
        counters.largest_layer = counters.largest_layer.max(here);
        counters
    }

    fn bytes(&self) -> usize {
        self.layer.bytes() + self.fixed_bytes() + self.partitions.bytes()
    }

    fn peak_bytes(&self) -> usize {
        self.peak_bytes.max(self.bytes())
    }
}
