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
//! Layers may be remembered for a while after they were expanded: a [window](window) behind the front, into which steps may fall for nothing.
//!
//! Initial states are persistent from the start (*pinned*), unless that is switched off: for one state more, models that return
//! to their beginning do not repeat the first sweep.

mod as_search;
mod held;
mod layers;
mod on_disk;
mod order;
mod revisits;
mod sorted_successors;
mod taking;
mod waiting_vectors;
mod window;

use serde::{Deserialize, Serialize};

use crate::progress::Comparison;
use crate::store::future_layers::FutureLayers;
use crate::store::layer::{Layer, LayerFull, Width, with_width};
use crate::store::pages::OutOfMemory;
use crate::store::persistent_states::PersistentStates;
use crate::store::recent_states::RecentStates;
use model::successor_batch::SuccessorBatch;
use model::transition_system::Expander;

pub use on_disk::{InMemory, Spilling};
pub use order::{Initial, Nesting, OnRegress, Order, Retention};

use held::Counting;
use on_disk::OnDisk;
use revisits::Revisits;
use sorted_successors::{Behind, Staying};
use waiting_vectors::WaitingVectors;
use window::Window;

use super::course::Course;
use super::observer::{Observer, Record};
use super::origin::NO_PARENT;
use super::search::{Counters, Limits, Monitor, Search, SearchEnd, StopReason, consult};

/// Successors that are inserted together. Enough to overlap their cache misses, few enough to stay in the first cache.
const BATCH: usize = 256;
/// Batches between two looks of the monitor.
const BATCHES_PER_LOOK: u32 = 64;
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
    counting: Counting,
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
            counting: Counting::default(),
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
        expander: &mut dyn Expander,
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
            let trouble = self.expand(width, expander, &mut batch);
            let taken = self.take(width, expander, &batch, None, observer);
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

    /// Records so far: states that were stored in a layer and not expanded by an earlier sweep.
    #[inline(always)]
    fn records(&self) -> u64 {
        match self.disk.current {
            Some(_) => self.disk.records,
            None => self.front.first + (self.layer.len() - self.front.known) as u64,
        }
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
            // What waited behind is persistent now.
            let closed = closed.and_then(|()| self.relieve(self.bytes() + observer.bytes()));
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
