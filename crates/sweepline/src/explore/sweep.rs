//! The sweep: least progress first, one layer at a time, and what lies behind is forgotten.
//!
//! The generalised sweep-line method (Kristensen and Mailund 2002; Jensen, Kristensen and Mailund 2012), with the repair that their
//! figure 3 needs: the last layer of a sweep is forgotten like any other. A layer is the set of states of one progress value that one sweep meets. The
//! current layer is expanded until nothing in it is new. A step to a greater value is appended to a [future layer](crate::store::future_layers); a
//! step to a smaller one, a regress edge, leads to a [persistent state](crate::store::persistent_states), which is never
//! forgotten and is a root of the next sweep, unless it is persistent already. When there are no more roots, every
//! reachable state was expanded at least once: with a measure that never falls, exactly once.
//!
//! Full exploration, breadth-first, is the sweep with the constant measure: all states are one layer. There is
//! no second loop.
//!
//! Inside a layer the cursor runs through the arena behind which new states are appended, so the order is breadth-first from all states that enter the
//! layer. States are expanded in batches, so that the memory accesses of a few hundred insertions overlap. With the constant measure a
//! batch never crosses the end of a breadth-first level: their number is exact, and a path in the trace log is a
//! shortest one. With others, it is shortest subject to progress: the fewest regress edges, then the least progress of the
//! last state, then the fewest steps in its layer.
//!
//! Vectors that are compared component by component are a partial order. Then the next layer is that of any
//! [minimal vector](waiting_vectors), and a step to an incomparable vector is a regress edge like one to a smaller one. What its target is
//! is a question of the moment: it may wait in this sweep, and be met by it all the same; then it is
//! persistent, and no root of the next sweep. A path then has the fewest regress edges and a goal below which there is none, and the rest as
//! above.
//!
//! Initial states are persistent from the start (*pinned*), unless that is switched off: for one state more, models that return
//! to their beginning do not repeat the first sweep.

mod layers;
mod on_disk;
mod order;
mod revisits;
mod sorted_successors;
mod waiting_vectors;
mod window;

use std::io;

use serde::{Deserialize, Serialize};

use crate::model::successor_batch::SuccessorBatch;
use crate::model::transition_system::TransitionSystem;
use crate::progress::Comparison;
use crate::store::future_layers::FutureLayers;
use crate::store::hash::hash_state;
use crate::store::layer::{Inserted, Layer, LayerFull, Width, with_width};
use crate::store::pages::OutOfMemory;
use crate::store::persistent_states::PersistentStates;
use crate::store::recent_states::RecentStates;
use crate::store::saved::{Loader, Saver};

pub use on_disk::{InMemory, Spilling};
pub use order::{Initial, Nesting, OnRegress, Order, Retention};

use on_disk::OnDisk;
use revisits::Revisits;
use sorted_successors::{Behind, Staying};
use waiting_vectors::WaitingVectors;
use window::Window;

use super::course::Course;
use super::observer::{Observer, Record, Step, Successors};
use super::origin::{NO_PARENT, initial_origin, origin, tell_origin};
use super::search::{Counters, Held, Limits, Monitor, RegressEdge, Search, SearchEnd, StopReason, consult};

/// Successors that are inserted together. Enough to overlap their cache misses, few enough to stay in the first cache.
const BATCH: usize = 256;
/// Batches between two looks of the monitor.
const BATCHES_PER_LOOK: u32 = 64;
/// Future states are counted as a set, without duplicates, at each new peak, as long as removing them costs no more than this many
/// entries in all.
const COUNTED_EXACTLY: u64 = 1 << 19;
/// From then on duplicates are removed when what is held has grown by this part of itself, so that a peak is too large by no more; as long as no
/// more entries were left over than this, and one for each four states expanded, which is little beside expanding them.
const COUNTED_GROWTH: u64 = 4;
const COUNTED_NEARLY: u64 = 1 << 21;

/// Entries of future layers from which on their duplicates are removed whenever they have grown by as much as is worth it.
const COMPACTED_FROM: usize = 1 << 18;
/// Shares of entries that are left are counted in so many parts.
const LEFT_OF: u64 = 1 << 10;

/// Expansions before it is asked whether states are expanded again too often.
const JUDGED_FROM: u64 = 10_000;
/// A search by progress.
#[derive(Debug)]
pub struct SweepSearch {
    order: Order,
    nesting: Nesting,
    comparison: Comparison,
    /// The vectors that wait, if they are compared component by component.
    vectors: Option<WaitingVectors>,
    layer: Layer,
    future: FutureLayers,
    persistent: PersistentStates,
    /// Where states may go that do not fit.
    spilling: Option<Spilling>,
    /// Numbers of states from which on they go there in any case.
    most: InMemory,
    /// What went there.
    disk: OnDisk,
    /// What is behind and remembered.
    window: Window,
    front: Front,
    batch: SuccessorBatch,
    /// The progress values of the successors in the batch.
    values: Vec<u64>,
    recent: RecentStates,
    revisits: Revisits,
    /// Whether an observer wants to hear of steps to states that were stored lately, too.
    all_steps: bool,
    /// Whether it needs the whole of a layer in memory.
    whole_layers: bool,
    /// Whether it wants to hear where states come from.
    wants_origins: bool,
    staying: Staying,
    /// Numbers of the successors in the batch that leave the layer.
    leaving: Vec<u32>,
    behind: Behind,
    cursor: usize,
    level_end: usize,
    /// Counts on when a run goes on after trouble, so that no run escapes the monitor.
    batches: u32,
    counters: Counters,
    /// Entries that were looked at to count states exactly.
    counting: u64,
    /// States that were held when duplicates had been removed to count them.
    compacted: u64,
    /// The share of entries that was left then.
    left: u64,
    /// Entries of future layers at which duplicates are removed next.
    compacted_at: usize,
    /// Whether a layer is taken out and not yet entered.
    is_loading: bool,
    /// The number of the first record of the layer.
    loaded_at: Record,
    /// A sweep counts when it has expanded a state: one that only finds that all its roots are known does not.
    is_sweep_counted: bool,
    limits: Limits,
    peak_bytes: usize,
    queue: QueueBalance,
    /// What is held and done, if somebody wants to know.
    course: Option<Course>,
}

/// Where the search stands.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Front {
    /// The progress value of the current layer.
    value: u64,
    /// States of smaller values are behind, and forgotten.
    floor: u64,
    /// Whether this sweep was here before.
    is_taken_up: bool,
    /// States at the beginning of the layer that an earlier sweep expanded.
    known: usize,
    /// States of the layer that are persistent, those included.
    persistent: usize,
    /// The record number of the first state that is to be expanded.
    first: Record,
    /// Whether states that an earlier sweep expanded are not in the layer, but looked up.
    looks_up: bool,
}

impl Front {
    #[inline(always)]
    fn record(&self, place: usize) -> Record {
        self.first + (place - self.known) as u64
    }
}

/// What one sweep has recorded and expanded, for the assertion that no state is lost or taken twice.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct QueueBalance {
    /// The number of its first record.
    first: Record,
    taken: u64,
}

/// Whether a state of the current layer, or of one ahead, is a persistent one that need not be stored for this sweep. In a total order all persistent
/// ones are: what this sweep found lies behind. In a partial order it may be ahead, and is to be met as if it had not been found.
fn is_known(persistent: &PersistentStates, comparison: Comparison, state: &[u64]) -> bool {
    match comparison {
        Comparison::Total => persistent.contains(state),
        Comparison::ComponentWise { .. } => persistent.contains_earlier(state),
    }
}

fn out_of_memory(full: LayerFull) -> SearchEnd {
    SearchEnd::Stopped(StopReason::Memory(full))
}

impl SweepSearch {
    /// A search over states of `width` words.
    pub fn new(width: usize, order: Order, limits: Limits) -> Result<Self, OutOfMemory> {
        // There are no more record numbers.
        let limits = Limits { states: limits.states.min(NO_PARENT - 1 - BATCH as u64), ..limits };
        let (nesting, comparison) = match order {
            Order::Progress { nesting, comparison: Comparison::Total, .. } => (nesting, Comparison::Total),
            Order::Progress { comparison, .. } => (Nesting::default(), comparison),
            Order::Constant => <_>::default(),
        };
        let retention = match order {
            Order::Progress { retention, regress: OnRegress::Sweep, .. }
                if comparison == Comparison::Total && nesting.parts == 0 =>
            {
                retention
            }
            _ => Retention::Immediate,
        };
        Ok(Self {
            order,
            nesting,
            comparison,
            vectors: (comparison != Comparison::Total).then(|| WaitingVectors::new(comparison)),
            layer: Layer::new(width, limits.memory)?,
            future: FutureLayers::new(width, false),
            persistent: PersistentStates::new(width, limits.memory, false)?,
            spilling: None,
            most: InMemory::default(),
            disk: OnDisk::default(),
            window: Window::new(retention),
            front: Front::default(),
            batch: SuccessorBatch::new(width, BATCH),
            values: Vec::new(),
            recent: RecentStates::new(width),
            revisits: Revisits::default(),
            all_steps: false,
            whole_layers: false,
            wants_origins: false,
            staying: Staying::default(),
            leaving: Vec::new(),
            behind: Behind::default(),
            cursor: 0,
            level_end: 0,
            batches: 0,
            counters: Counters { sweeps: 1, ..Counters::default() },
            counting: 0,
            compacted: 0,
            left: LEFT_OF,
            compacted_at: COMPACTED_FROM,
            is_loading: false,
            loaded_at: 0,
            is_sweep_counted: true,
            limits,
            peak_bytes: 0,
            queue: QueueBalance::default(),
            course: None,
        })
    }

    /// Keeps its course, of a model with so many actions.
    pub fn with_course(self, actions: usize) -> Self {
        Self { course: Some(Course::new(actions)), ..self }
    }

    fn is_measured(&self) -> bool {
        self.order != Order::Constant
    }

    fn run_with<W: Width, O: Observer>(
        &mut self,
        width: W,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        if let Some(reason) = &self.disk.failure {
            return SearchEnd::Stopped(StopReason::Disk(reason.clone()));
        }
        if let Err(end) = self.split_at_once(width) {
            return end;
        }
        loop {
            // A batch ends with a level only where levels are counted.
            if self.cursor >= self.level_end
                && let Err(end) = self.next_level(width, observer, monitor)
            {
                return end;
            }
            if self.records() > self.limits.states {
                return SearchEnd::Stopped(StopReason::StateLimit(self.limits.states));
            }
            self.batches = self.batches.wrapping_add(1);
            if self.batches.is_multiple_of(BATCHES_PER_LOOK)
                && let Some(reason) = self.look(observer, monitor)
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
            if self.has_too_many()
                && let Err(end) = self.spill_surplus()
            {
                return end;
            }
            if trouble {
                return SearchEnd::Trouble(self.front.record(self.cursor));
            }
        }
    }

    /// Goes on to the next level of the layer, or to the next layer, or to the next sweep.
    #[inline(always)]
    fn next_level<W: Width, O: Observer>(
        &mut self,
        width: W,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        loop {
            if self.disk.current.is_some() && self.next_part(width, observer, monitor)? {
                return Ok(());
            }
            if self.cursor == self.layer.len() {
                self.next_layer(width, observer)?;
            }
            if self.disk.current.is_none() {
                self.level_end = self.layer.len();
                return self.begin_level();
            }
        }
    }

    fn begin_level(&mut self) -> Result<(), SearchEnd> {
        if self.counters.depth > self.limits.levels {
            return Err(SearchEnd::Stopped(StopReason::LevelLimit(self.limits.levels)));
        }
        self.counters.depth += u64::from(!self.is_measured());
        Ok(())
    }

    /// Shows the states at the cursor to the observer, stores the successors in the batch, moves the cursor.
    #[inline(always)]
    fn take<W: Width, O: Observer>(
        &mut self,
        width: W,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        kind: Option<Successors>,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        // With their kinds, which were counted when they were measured, also if this state ends the search.
        self.counters.transitions += batch.len() as u64;
        if let Some(course) = &mut self.course {
            course.take(batch.actions(0..batch.len()));
        }
        let mut start = 0;
        for (number, &end) in batch.ends().iter().enumerate() {
            let steps = (end - start) as usize;
            start = end;
            let place = self.cursor + number;
            let successors = kind.unwrap_or(Successors::Steps(steps));
            self.counters.deadlocks += u64::from(successors == Successors::Steps(0));
            if self.is_measured() {
                self.revisits.expanded(hash_state(&self.layer.state(place)[..width.get()]));
            }
            let record = self.front.record(place);
            if observer.taken(system, record, self.layer.state(place), successors).is_break() {
                return Err(SearchEnd::Decided);
            }
        }
        self.store_leaving(width, batch, observer)?;
        if self.layer.len() + self.staying.numbers.len() > self.most.current {
            self.split_and_announce(width)?;
        }
        if let Err(full) = self.store_staying(width, batch, observer) {
            self.store_with_more_room(width, batch, observer, full)?;
        }
        self.queue.taken += batch.ends().len() as u64;
        if !self.is_sweep_counted && !batch.ends().is_empty() {
            self.is_sweep_counted = true;
            self.counters.sweeps += 1;
        }
        self.cursor += batch.ends().len();
        self.counters.explored += batch.ends().len() as u64;
        Ok(())
    }

    /// Makes room in the layer for the successors that stay in it.
    #[cold]
    fn split_and_announce<W: Width>(&mut self, width: W) -> Result<(), SearchEnd> {
        if self.can_split() {
            self.split_layer(width)?;
            self.layer.announce(width, &self.staying.words);
        }
        Ok(())
    }

    /// Makes room in the layer for the successors that stay in it, at the cost of what is remembered behind or by way of the disk, and stores them.
    #[cold]
    fn store_with_more_room<W: Width, O: Observer>(
        &mut self,
        width: W,
        batch: &SuccessorBatch,
        observer: &mut O,
        full: LayerFull,
    ) -> Result<(), SearchEnd> {
        if self.window.is_open() {
            self.close_window(width)?;
            self.grant_layer(observer.bytes());
            self.layer.announce(width, &self.staying.words);
            if self.store_staying(width, batch, observer).is_ok() {
                return Ok(());
            }
        }
        if !self.can_split() {
            return Err(out_of_memory(full));
        }
        self.split_and_announce(width)?;
        self.store_staying(width, batch, observer).map_err(out_of_memory)
    }

    /// Stores the successors in other layers: ahead, or, for the next sweep, behind.
    #[inline(always)]
    fn store_leaving<W: Width, O: Observer>(
        &mut self,
        width: W,
        batch: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let (ends, comparison) = (batch.ends(), self.comparison);
        let mut number = 0;
        for i in self.leaving.drain(..).map(|i| i as usize) {
            let value = self.values[i];
            while ends[number] as usize <= i {
                number += 1;
            }
            let record = self.front.record(self.cursor + number);
            observer.step(Step {
                from: record,
                action: batch.action(i),
                target: batch.state(i),
                number: None,
            });
            observer.progress_step(self.front.value, value);
            let origin = origin(record, batch.action(i));
            if comparison.is_below(self.front.value, value) {
                self.future.append(width, value, batch.state(i), origin);
            } else if comparison == Comparison::Total && value >= self.front.floor {
                self.window.announce(width, value, batch.state(i), (i as u32, origin));
            } else {
                if let Order::Progress { regress: OnRegress::Stop, .. } = self.order {
                    let (action, before) = (batch.action(i), self.front.value);
                    return Err(SearchEnd::Regress(RegressEdge {
                        from: record,
                        action,
                        before,
                        after: value,
                    }));
                }
                if self.nesting.monotone.is_some_and(|bit| value >> bit < self.front.value >> bit) {
                    self.nesting.monotone = None;
                }
                self.behind.words.extend_from_slice(batch.state(i));
                self.behind.origins.push((value, origin));
            }
        }
        self.values.clear();
        let future = &mut self.future;
        self.window.unknown(
            width,
            |number| batch.state(number as usize),
            |value, state, origin| {
                future.append(width, value, state, origin);
            },
        );
        if self.behind.origins.is_empty() { Ok(()) } else { self.persist(width) }
    }

    /// Makes what lies behind persistent.
    fn persist<W: Width>(&mut self, width: W) -> Result<(), SearchEnd> {
        let Behind { words, origins } = &mut self.behind;
        if let Some(far) = &mut self.disk.persistent {
            far.sift(width, words, origins);
        }
        let inserted = self.persistent.insert(width, words, origins.drain(..));
        words.clear();
        inserted.map_err(out_of_memory)
    }

    /// Stores the successors in the current layer.
    #[inline(always)]
    fn store_staying<W: Width, O: Observer>(
        &mut self,
        width: W,
        batch: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let (ends, first, front) = (batch.ends(), self.cursor, self.front);
        let mut number = 0;
        let mut numbers = self.staying.numbers.iter().map(|i| *i as usize);
        let (is_split, wants_origins) = (self.disk.current.is_some(), self.wants_origins);
        let disk = &mut self.disk;
        self.layer.insert_announced(width, &self.staying.words, |inserted| {
            let i = numbers.next().expect("each of them has a number");
            while ends[number] as usize <= i {
                number += 1;
            }
            let (parent, action) = (front.record(first + number), batch.action(i));
            let number = match inserted {
                Inserted::New(_) if is_split => {
                    if wants_origins {
                        disk.propose(origin(parent, action));
                    }
                    None
                }
                Inserted::New(place) => {
                    observer.stored(Some(parent), action);
                    Some(front.record(place as usize))
                }
                // What an earlier sweep expanded has no number here, nor has what only may be new.
                Inserted::Known(place) if is_split || (place as usize) < front.known => None,
                Inserted::Known(place) => Some(front.record(place as usize)),
            };
            observer.step(Step { from: parent, action, target: batch.state(i), number });
        })?;
        self.staying.words.clear();
        self.staying.numbers.clear();
        Ok(())
    }

    /// Records so far: states that were stored in a layer and not expanded by an earlier sweep.
    #[inline(always)]
    fn records(&self) -> u64 {
        match self.disk.current {
            Some(_) => self.disk.records,
            None => self.front.first + (self.layer.len() - self.front.known) as u64,
        }
    }

    fn held(&self) -> Held {
        let (current, ahead, persistent) = self.held_of_disk();
        Held {
            current: (self.layer.len() - self.front.persistent + self.window.states()) as u64 + current,
            future: self.future.len() as u64 + ahead,
            persistent: self.persistent.len() as u64 + persistent,
        }
    }

    fn note_peak(&mut self) {
        self.peak_bytes = self.peak_bytes.max(self.bytes());
        if self.held().total() <= self.counters.peak.total() {
            return;
        }
        let held = self.held().total();
        let has_grown = held > self.compacted + self.compacted / COUNTED_GROWTH;
        let allowance = if has_grown { COUNTED_NEARLY + self.counters.explored / 4 } else { COUNTED_EXACTLY };
        // Looking at each layer costs something, too.
        let layers = self.future.layers() as u64;
        if self.counting + layers <= allowance {
            let entries = self.future.uncompacted() as u64;
            self.counting += layers;
            // What is removed here need not be looked up when its layer is loaded: what is left costs.
            let cost = entries * self.left / LEFT_OF;
            if entries > 0 && self.counting + cost <= allowance {
                // Whether that succeeds does not matter: it is only about counting.
                let _ = self.compact();
                let left = (entries + self.held().total()).saturating_sub(held);
                self.counting += left;
                self.left = (left * LEFT_OF).div_ceil(entries);
                self.compacted = self.held().total();
            }
        }
        if self.held().total() > self.counters.peak.total() {
            self.counters.peak = self.held();
        }
    }

    fn compact(&mut self) -> Result<(), LayerFull> {
        let is_kept =
            |value, state: &[u64]| self.window.get(value).is_some_and(|kept| kept.states.contains(state));
        self.future.compact(|value, state| {
            is_known(&self.persistent, self.comparison, state) || is_kept(value, state)
        })
    }

    /// Removes duplicates once there are many. What is removed need not be looked up when its layer is loaded; where little is, the next time is
    /// far away.
    fn compact_if_grown(&mut self) {
        let before = self.future.len();
        if before < self.compacted_at {
            return;
        }
        // Without room for a set it goes on as it is.
        let _ = self.compact();
        let left = self.future.len();
        let factor = match left as f64 / before as f64 {
            ..0.5 => 2,
            ..0.8 => 3,
            _ => 8,
        };
        self.compacted_at = (left * factor).max(COMPACTED_FROM);
        self.compacted = self.compacted.min(self.held().total());
    }

    /// Lets the current layer have the memory that nothing else needs.
    fn grant_layer(&mut self, elsewhere: usize) {
        let others = self.bytes() - self.layer.bytes() + elsewhere;
        // What goes to disk grows to a quarter of all before it does.
        let reserved = if self.can_split() { self.limits.memory / 4 } else { 0 };
        let left = self.limits.memory.saturating_sub(others.max(reserved));
        self.layer.set_budget(if self.can_split() { self.share_of_layer(left) } else { left });
    }

    /// Lets everybody look who may stop the search. When memory is short, duplicates go first.
    #[cold]
    fn look<O: Observer>(&mut self, observer: &O, monitor: &mut dyn Monitor) -> Option<StopReason> {
        self.peak_bytes = self.peak_bytes.max(self.bytes());
        self.compact_if_grown();
        if let Err(SearchEnd::Stopped(reason)) = self.relieve(self.bytes() + observer.bytes()) {
            return Some(reason);
        }
        if self.window.is_open() && self.bytes() + observer.bytes() > self.limits.memory / 8 * 7 {
            let closed = with_width!(self.layer.width(), width => self.close_window(width));
            if let Err(SearchEnd::Stopped(reason)) = closed {
                return Some(reason);
            }
        }
        self.grant_layer(observer.bytes());
        if self.bytes() + observer.bytes() > self.limits.memory && self.future.uncompacted() > 0 {
            let _ = self.compact();
        }
        if let Some(reason) = self.disk_limit(self.bytes() + observer.bytes()) {
            return Some(reason);
        }
        let (explored, different) = (self.counters.explored, self.estimated_distinct());
        if self.counters.remembers_from.is_none()
            && self.is_measured()
            && explored > JUDGED_FROM
            && explored as f64 > self.limits.revisits * different as f64
        {
            self.counters.remembers_from = Some(explored);
        }
        consult(self, observer, &self.limits, monitor)
    }
}

impl Search for SweepSearch {
    fn run<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        with_width!(self.layer.width(), width => self.run_with(width, system, observer, monitor))
    }

    fn start<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let width = initial.width();
        self.all_steps = observer.wants_steps();
        self.whole_layers = observer.wants_whole_layers();
        self.wants_origins = observer.wants_origins();
        if self.all_steps || self.whole_layers {
            self.window = Window::new(Retention::Immediate);
        }
        let Order::Progress { initial: fate, .. } = self.order else {
            observer.layer_begins(0, 0);
            let mut origins = (0..initial.len()).map(|i| initial_origin(initial.action(i)));
            with_width!(width, width => self.layer.insert_batch(width, initial.words(), |inserted| {
                let origin = origins.next().expect("each initial state has a number");
                if let Inserted::New(_) = inserted {
                    tell_origin(observer, origin);
                }
            }))?;
            return Ok(());
        };
        let origins = self.wants_origins;
        self.future = FutureLayers::new(width, origins);
        if self.vectors.is_some() {
            self.future.list_new_layers();
        }
        self.persistent = PersistentStates::new(width, self.limits.memory, origins)?;
        let mut values = Vec::new();
        system.progress(initial.words(), &mut values);
        let origins = (0..initial.len()).map(|i| initial_origin(initial.action(i)));
        let described = values.into_iter().zip(origins);
        with_width!(width, width => match fate {
            Initial::Pinned => self.persistent.insert(width, initial.words(), described)?,
            Initial::Forgotten => {
                for (i, (value, origin)) in described.enumerate() {
                    self.future.append(width, value, initial.state(i), origin);
                }
            }
        });
        // Nothing is on disk yet that could fail.
        let _ = self.begin_sweep();
        Ok(())
    }

    fn supply<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        if successors == Successors::WithError {
            self.counters.erroneous += 1;
            observer.erroneous_step(self.front.record(self.cursor));
        }
        with_width!(self.layer.width(), width => {
            self.sort(width, system, batch, 0);
            self.take(width, system, batch, Some(successors), observer)
        })
    }

    fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        // There must be room for both forms of the states in memory.
        if self.can_split() && 2 * self.layer.bytes() > self.layer.budget() {
            let split = with_width!(self.layer.width(), old => self.split_layer(old));
            split.map_err(|_| LayerFull::Budget)?;
        }
        self.batch = SuccessorBatch::new(width, BATCH);
        self.recent = RecentStates::new(width);
        let around = self.future.bytes() + self.persistent.bytes() + self.window.bytes();
        let peak = self.layer.repack(width, &mut *translate)?;
        if self.is_measured() {
            self.persistent.repack(width, &mut *translate)?;
            self.future.repack(width, &mut *translate);
            self.window.repack(width, &mut *translate)?;
        }
        self.disk.repack(width, translate);
        Ok(peak + around.max(self.future.bytes() + self.persistent.bytes() + self.window.bytes()))
    }

    fn can_be_saved(&self) -> bool {
        true
    }

    fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&(
            self.front,
            self.cursor,
            self.level_end,
            self.batches,
            self.counters,
            self.counting,
            self.queue,
        ))?;
        to.put(&(self.nesting, self.peak_bytes, &self.revisits, self.layer.len()))?;
        to.put(&(self.loaded_at, self.is_sweep_counted, &self.course))?;
        to.put(&(self.compacted, self.left, self.compacted_at))?;
        self.layer.save(to)?;
        self.future.save(to)?;
        self.persistent.save(to)?;
        self.recent.save(to)?;
        self.window.save(to)?;
        self.save_disk(to)
    }

    fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        (self.front, self.cursor, self.level_end, self.batches, self.counters, self.counting, self.queue) =
            from.get()?;
        let states: usize;
        (self.nesting, self.peak_bytes, self.revisits, states) = from.get()?;
        (self.loaded_at, self.is_sweep_counted, self.course) = from.get()?;
        (self.compacted, self.left, self.compacted_at) = from.get()?;
        let width = self.layer.width();
        self.layer.restart(states).map_err(io::Error::other)?;
        self.layer.load(from)?;
        self.future = FutureLayers::new(width, self.future.stride() > width);
        self.future.load(from)?;
        self.persistent.forget_all().map_err(io::Error::other)?;
        self.persistent.load(from)?;
        self.recent.load(from)?;
        self.window.load(width, from)?;
        if let Order::Progress { comparison, .. } = self.order
            && self.vectors.is_some()
        {
            let mut vectors = WaitingVectors::new(comparison);
            let new: std::collections::BTreeSet<u64> = self.future.take_new_layers().into_iter().collect();
            let waiting = self.future.values().filter(|value| !new.contains(value));
            let waiting: std::collections::BTreeSet<u64> =
                waiting.chain(self.persistent.root_values()).collect();
            waiting.into_iter().for_each(|vector| vectors.add(vector));
            self.future.set_new_layers(new);
            self.vectors = Some(vectors);
        }
        self.load_disk(from)
    }

    fn troubled(&self) -> &[u64] {
        self.layer.state(self.cursor)
    }

    fn stored(&self) -> usize {
        self.held().total() as usize
    }

    /// Within one sweep no state is stored twice; from the second on, nobody knows which ones were forgotten, and before
    /// the end of the first, duplicates may wait.
    fn distinct(&self) -> Option<u64> {
        let is_expanded = self.disk.current.is_none() && self.cursor == self.layer.len();
        let all_are_here = !self.is_loading && is_expanded && self.is_nothing_ahead();
        let is_first = self.counters.sweeps + self.counters.local_sweeps == 1 && !self.is_root_ahead();
        let all_are_counted = !self.is_measured() || (all_are_here && is_first && self.window.is_exact());
        all_are_counted.then(|| self.records())
    }

    fn estimated_distinct(&self) -> u64 {
        if self.is_measured() { self.revisits.different(self.counters.explored) } else { self.records() }
    }

    fn waiting(&self) -> u64 {
        (self.layer.len() - self.cursor + self.future.len()) as u64 + self.disk.waiting()
    }

    fn progress(&self) -> u64 {
        self.front.value
    }

    fn counters(&self) -> Counters {
        let mut counters = self.counters;
        if self.held().total() > counters.peak.total() {
            counters.peak = self.held();
        }
        counters.largest_layer = counters.largest_layer.max(self.layer.len() as u64);
        counters.layers = counters.layers.max(1);
        counters.persistent = self.all_persistent();
        counters.spilled = self.disk.spills();
        counters
    }

    fn course(&self) -> Option<Course> {
        let mut course = self.course.clone()?;
        // The layer in which it was stopped.
        if course.is_behind(self.counters.explored) {
            course.end_layer(self.ending_layer());
        }
        Some(course)
    }

    fn bytes(&self) -> usize {
        self.layer.bytes()
            + self.future.bytes()
            + self.disk.bytes()
            + self.persistent.bytes()
            + self.batch.bytes()
            + self.recent.bytes()
            + self.window.bytes()
            + self.revisits.bytes()
            + self.vectors.as_ref().map_or(0, WaitingVectors::bytes)
            + self.course.as_ref().map_or(0, Course::bytes)
    }

    fn peak_bytes(&self) -> usize {
        self.peak_bytes.max(self.bytes())
    }
}
