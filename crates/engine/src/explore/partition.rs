//! Partitioned search: one partition of the states in memory, the others on disk.
//!
//! PART (Bao and Jones 2005) with dynamic partitioning (Evangelista and Kristensen). Each partition
//! has a run of visited states and a run of candidates. The partition with the longest queue is
//! loaded: its visited states, then its candidates, most of which turn out to be known. New states
//! are expanded, in memory; successors of other partitions are appended to the candidates of those,
//! without a look-up in anything but a small cache. When nothing is left to expand, the new states
//! are appended to the run of visited ones, and the next partition is loaded. The search ends when
//! no partition has candidates. Each state is stored and expanded exactly once.
//!
//! There is one partition at first: as long as everything fits, nothing is written. A partition
//! that outgrows memory is split by one more bit of the state (see `function.rs`): all its states
//! are written to the runs of its two parts, those that are still to be expanded with their record
//! numbers.
//!
//! What it costs: a visited state is read whenever its partition is loaded, and written again when
//! it is split. What was rejected: keeping one part in memory after a split, for which the layer
//! would have to be filled again anyway. A wider layout makes the bits that tell partitions apart
//! meaningless: everything is poured into one partition again, which is split as usual. Layouts are
//! widened early, if at all.

mod exchange;
mod function;
mod partitions;
mod search;

use std::io;

use crate::store::external::disk::Disk;
use crate::store::external::run::RunReader;
use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::memory::Budget;
use crate::store::pages::OutOfMemory;
use crate::store::recent_states::RecentStates;
use crate::store::records::{EntryShape, RecordShape, Records};
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, TransitionSystem, Truth};

use function::{RecentSteps, best_test};
use partitions::Partitions;

use super::expand_ahead::{self, ExpandAhead};
use super::expansion::{self, BATCH, Parents, STATES, Staying, successors};
use super::inner_steps::InnerActions;
use super::observer::{Observer, Record, Successors};
use super::origin::{NO_PARENT, UNKNOWN, origin};
use super::search::{
    CompleteSearch, Counters, Limits, Monitor, Search, SearchEnd, Snapshot, StopReason, consult,
};
use super::sweep::Threads;

/// More states than are stored between two tests of the state limit.
const STORED_TOGETHER: u64 = 1 << 24;
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
    /// Most states of a partition in memory, except those of a last batch; and about as many are on
    /// their way to others.
    most_states: usize,
    scratch: Scratch,
    /// Number of states that were stored so far.
    records: Record,
    /// Number of batches so far. It continues after trouble, so that no run escapes the monitor.
    batches: u32,
    counters: Counters,
    inner: InnerActions,
    limits: Limits,
    threads: Threads,
    /// Bytes of the observer when it was last asked.
    observer_bytes: usize,
    peak_bytes: usize,
    /// Why the search cannot continue: something may be lost.
    failure: Option<StopReason>,
}

/// How states are expanded: by this thread, or also by helpers ahead of it.
struct Expanding<'a, 'x> {
    expander: &'a mut dyn Expander,
    ahead: Option<ExpandAhead<'x>>,
}

impl Expanding<'_, '_> {
    /// The next states to be expanded are others than before.
    fn discard(&mut self) {
        self.ahead.iter_mut().for_each(ExpandAhead::discard);
    }
}

/// Scratch space for expanding a batch.
#[derive(Debug)]
struct Scratch {
    batch: SuccessorBatch,
    recent: RecentStates,
    steps: RecentSteps,
    /// Successors, or candidates, that stay in this partition.
    staying: Staying,
    /// The numbers of successors in the batch that belong to other partitions.
    leaving: Vec<u32>,
    /// The truth of the predicates in each expanded state, if it is wanted.
    truths: Vec<Truth>,
}

impl Scratch {
    fn new(shape: RecordShape) -> Self {
        Self {
            batch: SuccessorBatch::new(shape, BATCH),
            recent: RecentStates::new(shape),
            steps: RecentSteps::new(shape),
            staying: Staying::default(),
            leaving: Vec::new(),
            truths: Vec::new(),
        }
    }

    fn bytes(&self) -> usize {
        self.batch.bytes()
            + self.recent.bytes()
            + self.steps.bytes()
            + self.staying.bytes()
            + self.leaving.capacity() * 4
            + self.truths.capacity() * size_of::<Truth>()
    }
}

/// The partition in memory. Its states are in the layer: those visited before, those that waited
/// with a record number, and new ones, whose numbers are consecutive.
#[derive(Debug, Default)]
struct Front {
    partition: Option<usize>,
    /// Number of states that were expanded before the partition was loaded.
    known: usize,
    /// Record numbers of the states after them that waited.
    waited: Vec<Record>,
    /// The record number of the first new state.
    first: Record,
    /// The next state to be expanded.
    cursor: usize,
    /// Candidates that are still to be entered.
    candidates: Option<RunReader>,
}

impl Front {
    #[inline(always)]
    fn record(&self, place: usize) -> Record {
        let number = place - self.known;
        self.waited.get(number).copied().unwrap_or_else(|| self.first + (number - self.waited.len()) as u64)
    }
}

/// Replaces the states by candidates, each perhaps with its origin.
fn stage(staying: &mut Staying, shape: EntryShape, candidates: &[u64]) {
    staying.clear();
    for candidate in shape.entries(candidates) {
        staying.words.extend_from_slice(shape.state_of(candidate));
        staying.tags.push(shape.origin_of(candidate).unwrap_or(UNKNOWN));
    }
}

impl Scratch {
    /// Sorts the successors from number `from` on by their partition, and announces those that stay
    /// in this one. States that were met a moment ago are in the layer or in a run, and stay there.
    #[inline(always)]
    fn route<R: Records>(
        &mut self,
        records: R,
        batch: &SuccessorBatch,
        from: usize,
        (layer, partitions, current): (&Layer, &Partitions, Option<usize>),
    ) {
        let mut recent = self.recent.look(records);
        let announced = self.staying.words.len();
        for number in from..batch.len() {
            let state = batch.record(records, number);
            if recent.knows(state) {
                continue;
            }
            if Some(partitions.of(state)) == current {
                self.staying.words.extend_from_slice(state);
                self.staying.tags.push(number as u64);
            } else {
                self.leaving.push(number as u32);
            }
        }
        layer.announce(records, &self.staying.words[announced..], &mut self.staying.hashes);
    }
}

impl PartitionSearch {
    /// A search over states of this shape.
    pub fn new(shape: RecordShape, limits: Limits, disk: Disk) -> Result<Self, OutOfMemory> {
        // There are no more record numbers.
        let limits = Limits { states: limits.states.min(NO_PARENT - STORED_TOGETHER), ..limits };
        Ok(Self {
            layer: Layer::new(shape, limits.memory)?,
            front: Front::default(),
            partitions: Partitions::new(&disk, shape, false, BUFFERS),
            disk,
            most_states: usize::MAX,
            scratch: Scratch::new(shape),
            records: 0,
            batches: 0,
            counters: Counters { sweeps: 1, ..Counters::default() },
            inner: InnerActions::default(),
            limits,
            threads: Threads::default(),
            observer_bytes: 0,
            peak_bytes: 0,
            failure: None,
        })
    }

    /// Splits partitions of more than `most` states, however much memory there is.
    pub fn with_states_in_memory(mut self, most: usize) -> Self {
        self.most_states = most.max(1);
        self.scratch.batch = SuccessorBatch::new(self.layer.shape(), self.most_states.min(BATCH));
        self
    }

    /// Counts steps by these actions apart.
    pub fn with_inner(self, inner: InnerActions) -> Self {
        Self { inner, ..self }
    }

    /// Lets threads share the expansion of states.
    pub fn with_threads(self, threads: Threads) -> Self {
        Self { threads, ..self }
    }

    /// Searches, with helpers if there are more threads than one.
    fn run_by_threads<R: Records, O: Observer>(
        &mut self,
        records: R,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        let (threads, mut expander) = (self.threads.number.get(), system.expander());
        if threads == 1 {
            return self.run_with(
                records,
                &mut Expanding { expander: &mut *expander, ahead: None },
                observer,
                monitor,
            );
        }
        let exchange = expand_ahead::exchange(self.layer.shape(), threads);
        std::thread::scope(|scope| {
            let most = self.threads.most_chunk.min(self.most_states);
            let ahead = Some(ExpandAhead::new(&exchange, most));
            for _ in 1..threads {
                scope.spawn(|| {
                    let mut expander = system.expander();
                    exchange.help(|chunk| chunk.work(&mut *expander));
                });
            }
            self.run_with(records, &mut Expanding { expander: &mut *expander, ahead }, observer, monitor)
        })
    }

    fn run_with<R: Records, O: Observer>(
        &mut self,
        records: R,
        expanding: &mut Expanding<'_, '_>,
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
            if self.batches.is_multiple_of(self.limits.batches_per_look) {
                // Memory may be so short that the partition is split.
                expanding.discard();
                if let Some(reason) = self.look(observer, monitor) {
                    return SearchEnd::Stopped(reason);
                }
            }
            match self.step(records, expanding, observer) {
                Ok(None) => {}
                Ok(Some(end)) => return end,
                Err(reason) => self.failure = Some(reason),
            }
        }
    }

    /// Splits the partition, or enters candidates, or expands a batch of states, or loads the next
    /// partition. After an error, something may be lost.
    #[inline(always)]
    fn step<R: Records, O: Observer>(
        &mut self,
        records: R,
        expanding: &mut Expanding<'_, '_>,
        observer: &mut O,
    ) -> Result<Option<SearchEnd>, StopReason> {
        if self.layer.len() > self.most_states
            && let Some(test) = best_test(&self.layer, &self.scratch.steps)
        {
            expanding.discard();
            return self.split(test).map(|()| None);
        }
        if self.front.candidates.is_some() {
            return self.take_in(records, observer).map(|()| None);
        }
        if self.front.cursor == self.layer.len() {
            let next = self.next_partition(records)?;
            return Ok((!next).then(|| SearchEnd::Complete(CompleteSearch::attest())));
        }
        let mut batch = std::mem::take(&mut self.scratch.batch);
        batch.clear();
        let Self { layer, front, scratch, partitions, .. } = self;
        let trouble = match &mut expanding.ahead {
            None => {
                let end = layer.len().min(front.cursor + STATES);
                let states = layer.states(front.cursor..end);
                expansion::expand(records, expanding.expander, states, &mut batch, |_, few| {
                    scratch.route(records, few.batch, few.from, (layer, partitions, front.partition));
                })
            }
            Some(ahead) => {
                let states = layer.states(front.cursor..layer.len());
                let trouble = ahead.expand(records, expanding.expander, states, &mut batch);
                scratch.route(records, &batch, 0, (layer, partitions, front.partition));
                trouble
            }
        };
        let (partition, splits) = (self.front.partition, self.counters.spilled);
        let end = self.take(records, expanding.expander, &batch, None, observer);
        self.scratch.batch = batch;
        // After a split the state that caused trouble waits in a file. It will be met again.
        let is_here = (partition, splits) == (self.front.partition, self.counters.spilled);
        if !is_here || trouble {
            expanding.discard();
        }
        Ok(end?.or_else(|| {
            (trouble && is_here).then(|| SearchEnd::Trouble(self.front.record(self.front.cursor)))
        }))
    }

    /// Shows the states at the cursor to the observer, stores the successors in the batch, moves
    /// the cursor.
    #[inline(always)]
    fn take<R: Records, O: Observer>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        kind: Option<Successors>,
        observer: &mut O,
    ) -> Result<Option<SearchEnd>, StopReason> {
        self.counters.transitions += batch.len() as u64;
        self.counters.into_intermediate += self.inner.count_batch(batch);
        self.scratch.truths.clear();
        if observer.wants_truth() {
            let states = self.front.cursor..self.front.cursor + batch.ends().len();
            expander.predicates(self.layer.states(states), &mut self.scratch.truths);
        }
        for (number, successors) in successors(batch.ends(), kind).enumerate() {
            let place = self.front.cursor + number;
            self.counters.deadlocks += u64::from(successors == Successors::Steps(0));
            let state = self.layer.state(place);
            let truth = self.scratch.truths.get(number).copied().unwrap_or_default();
            if observer.taken(self.front.record(place), state, truth, successors).is_break() {
                return Ok(Some(SearchEnd::Decided));
            }
        }
        if !R::VARYING {
            self.sample(batch);
        }
        self.store_leaving(batch)?;
        let stored = self.store_staying(records, batch, observer);
        self.front.cursor += batch.ends().len();
        self.counters.explored += batch.ends().len() as u64;
        if let Err(full) = stored {
            self.make_room(full)?;
            self.send_staying(records)?;
        }
        self.scratch.staying.clear();
        self.partitions.relieve()?;
        Ok(None)
    }

    /// Keeps a few steps of the batch.
    fn sample(&mut self, batch: &SuccessorBatch) {
        for number in 0..SAMPLED_STEPS.min(batch.len()) {
            let number = number * batch.len() / SAMPLED_STEPS.min(batch.len());
            let parent = batch.ends().partition_point(|&end| end as usize <= number);
            self.scratch.steps.push(self.layer.state(self.front.cursor + parent), batch.state(number));
        }
    }

    /// Appends the successors in other partitions to their candidates.
    fn store_leaving(&mut self, batch: &SuccessorBatch) -> io::Result<()> {
        let mut parents = Parents::new(batch);
        for number in self.scratch.leaving.drain(..).map(|number| number as usize) {
            let record = self.front.record(self.front.cursor + parents.of(number));
            self.partitions.send(batch.state(number), origin(record, batch.action(number)))?;
        }
        Ok(())
    }

    /// Stores the successors in this partition. If there is no room, none is stored, and their tags
    /// are their origins.
    #[inline(always)]
    fn store_staying<R: Records, O: Observer>(
        &mut self,
        records: R,
        batch: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let Self { layer, front, scratch: Scratch { staying, .. }, records: stored_records, .. } = self;
        let mut parents = Parents::new(batch);
        let mut origin_of =
            |number: usize| (front.record(front.cursor + parents.of(number)), batch.action(number));
        let mut numbers = staying.tags.iter();
        let stored = layer.insert_announced(records, &staying.words, &staying.hashes, |inserted| {
            let number = *numbers.next().expect("each of them has a number");
            let (parent, action) = origin_of(number as usize);
            if let Inserted::New(_) = inserted {
                *stored_records += 1;
                observer.stored(Some(parent), action);
            }
        });
        if stored.is_err() {
            for one in &mut staying.tags {
                let (parent, action) = origin_of(*one as usize);
                *one = origin(parent, action);
            }
        }
        stored
    }

    /// Makes candidates of states for which there was no room.
    fn send_staying<R: Records>(&mut self, records: R) -> io::Result<()> {
        let Staying { words, tags, .. } = &self.scratch.staying;
        let states = records.states(words).zip(tags);
        for (number, (state, &origin)) in states.enumerate() {
            self.partitions.send(state, origin)?;
            self.partitions.look(number)?;
        }
        self.scratch.staying.clear();
        Ok(())
    }

    /// Bytes for records on their way to partitions that are not in memory.
    fn allowance(&self) -> usize {
        let all = (self.partitions.len() + 1).saturating_mul(BUFFERS);
        let most = self.most_states.saturating_mul(self.layer.state_bytes());
        all.min(Budget::new(self.limits.memory).for_partition_buffers()).min(most)
    }

    /// Bytes for the partition in memory.
    fn budget(&self) -> usize {
        let buffers = self.allowance() + self.partitions.fixed_bytes();
        self.limits.memory.saturating_sub(buffers + self.fixed_bytes() + self.observer_bytes)
    }

    /// Bytes held beside the layer and the partitions.
    fn fixed_bytes(&self) -> usize {
        self.scratch.bytes() + self.front.waited.capacity() * 8 + self.disk.memory()
    }

    fn note_peak(&mut self) {
        self.peak_bytes = self.peak_bytes.max(self.bytes());
        let counters = self.counters();
        (self.counters.peak, self.counters.largest_layer) = (counters.peak, counters.largest_layer);
    }

    /// Consults everything that may stop the search. A split frees memory that others need now.
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
        consult(&Snapshot::of(self, observer), observer, &self.limits, monitor)
    }
}
