//! The sweep as a [`Search`]: how it begins, is supplied, is saved, and what it reports.

use std::io;

use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::TransitionSystem;

use crate::explore::course::Course;
use crate::explore::expansion::BATCH;
use crate::explore::inner_steps::InnerActions;
use crate::explore::observer::{Observer, Record, Successors};
use crate::explore::origin::{NO_PARENT, UNKNOWN, initial_origin, origin_of, tell_origin};
use crate::explore::search::{Counters, Limits, Monitor, Search, SearchEnd, Snapshot, Spills};
use crate::store::ahead::Ahead;
use crate::store::behind::{Behind, Retention, Window};
use crate::store::current::Current;
use crate::store::layer::LayerFull;
use crate::store::memory::Budget;
use crate::store::pages::OutOfMemory;
use crate::store::records::{RecordShape, with_records};
use crate::store::saved::{Loader, Saver};
use crate::store::settled::Settled;

use super::figures::Figures;
use super::merging::Merging;
use super::order::{NewOrder, Rules};
use super::routing::Front;
use super::team::Alone;
use super::threads::{TeamState, Threads, WorkerFigures};
use super::worker::{Scratch, Worker};
use super::{Initial, Order, Spilling, Sweep};
use crate::progress::Comparison;

/// A search by progress.
#[derive(Debug)]
pub struct SweepSearch {
    sweep: Sweep,
    scratch: Scratch,
    /// Whether no observer needs all steps or whole layers: those rely on the measure from the
    /// first state on.
    may_change_over: bool,
}

impl SweepSearch {
    /// A search over states of this shape.
    pub fn new(shape: RecordShape, order: Order, limits: Limits) -> Result<Self, OutOfMemory> {
        // There are no more record numbers.
        let limits = Limits { states: limits.states.min(NO_PARENT - 1 - BATCH as u64), ..limits };
        let rules = Rules::new(order);
        let Rules { comparison, retention, is_measured, .. } = rules;
        let budget = Budget::new(limits.memory);
        let sweep = Sweep {
            rules,
            front: Front { comparison, ..Front::default() },
            current: Current::new(shape, limits.memory, !is_measured)?,
            ahead: Ahead::new(shape, false, comparison),
            behind: Behind::new(shape, limits.memory, comparison, retention)?,
            settled: None,
            initial: 0,
            figures: Figures::new(budget),
            inner: InnerActions::default(),
            limits,
            budget,
            spilling: None,
            batches: 0,
            team: TeamState::default(),
            workers: Vec::new(),
            merging: Merging::default(),
            since_look: 0,
            failure: None,
        };
        Ok(Self { sweep, scratch: Scratch::new(shape), may_change_over: false })
    }

    /// Lets threads share the work.
    pub fn with_threads(mut self, threads: Threads) -> Self {
        self.sweep.team = TeamState::new(threads);
        self.sweep.current.set_threads(threads.number.get(), threads.claim_numbers());
        self
    }

    /// Records the course of the search, of a model with this many actions.
    pub fn with_course(mut self, actions: usize) -> Self {
        self.sweep.figures.course = Some(Course::new(actions));
        self
    }

    /// Counts steps by these actions apart.
    pub fn with_inner(mut self, inner: InnerActions) -> Self {
        self.sweep.inner = inner;
        self
    }

    /// Lets states spill to disk when there is no room for them. Vectors stay in memory: no queue
    /// keeps their partial order.
    pub fn spill_to(mut self, spilling: Spilling) -> Self {
        if self.sweep.rules.comparison == Comparison::Total {
            self.sweep.spill_tiers_to(&spilling);
            self.sweep.spilling = Some(spilling);
        }
        self
    }

    /// Calls `each` with all persistent states: progress value, words, and origin, which is the
    /// number of the parent, unless it is an initial state, and the action.
    pub fn persistent_states(
        &mut self,
        mut each: impl FnMut(u64, &[u64], (Option<Record>, ActionId)),
    ) -> io::Result<()> {
        self.sweep.behind.for_each(UNKNOWN, |value, state, origin| each(value, state, origin_of(origin)))
    }
}

impl Sweep {
    /// The search as a monitor sees it, with the bytes of the tiers.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            stored: self.held().total(),
            waiting: self.current.waiting() + self.ahead.waiting(),
            progress: self.front.value << self.merging.bits,
            counters: self.counters(),
            bytes: self.bytes() as u64,
        }
    }

    fn counters(&self) -> Counters {
        let mut counters = self.figures.counters;
        if self.held().total() > counters.peak.total() {
            counters.peak = self.held();
        }
        counters.largest_layer = counters.largest_layer.max(self.current.len() as u64);
        counters.layers = counters.layers.max(1);
        counters.persistent = self.behind.len();
        counters.spilled = Spills {
            ahead: self.ahead.spilled(),
            persistent: self.behind.spilled(),
            current: self.current.spilled(),
        };
        counters
    }

    /// Number of different states, where each was stored once: in one sweep that is complete. From
    /// the second sweep on, states may be stored again; before the end of the first, duplicates may
    /// wait.
    fn distinct(&self) -> Option<u64> {
        let is_complete = self.current.is_expanded() && self.ahead.is_empty() && !self.behind.is_root_ahead();
        let is_exact = is_complete && self.figures.is_first_sweep() && self.behind.window.is_exact();
        (is_exact || !self.rules.is_measured).then(|| self.current.records())
    }
}

impl Search for SweepSearch {
    fn run<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        let Self { sweep, scratch, .. } = self;
        let mut worker = Worker::new(system.expander(), scratch);
        let ended = with_records!(sweep.current.shape(), records => match sweep.team.has_helpers() {
            false => sweep.run(records, &mut worker, observer, monitor),
            true => sweep.run_with_helpers(records, system, &mut worker, observer, monitor),
        });
        match ended {
            Err(end) => end,
        }
    }

    fn start<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        initial: &SuccessorBatch,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        self.may_change_over = !observer.wants_steps() && !observer.wants_whole_layers();
        self.sweep.merging.is_allowed = self.may_change_over;
        let Self { sweep, scratch, .. } = self;
        let (all_steps, origins) = (observer.wants_steps(), observer.wants_origins());
        scratch.set_all_steps(all_steps);
        sweep.current.with_origins(origins);
        if observer.wants_whole_layers() {
            sweep.current.stay_whole();
        }
        if all_steps || observer.wants_whole_layers() {
            sweep.behind.window = Window::new(Retention::Immediate);
        }
        let origin = |i| initial_origin(initial.action(i));
        let shape = initial.shape();
        if !sweep.rules.is_measured {
            observer.layer_begins(0, 0);
            let new = |i| tell_origin(observer, origin(i));
            with_records!(shape, records => sweep.current.start(records, initial.words(), new))?;
            sweep.initial = sweep.current.len();
            return Ok(());
        }
        sweep.ahead.with_origins(origins);
        sweep.behind.with_origins(origins, sweep.limits.memory)?;
        let mut values = Vec::new();
        system.expander().progress(initial.words(), &mut values);
        let described = values.into_iter().zip((0..initial.len()).map(origin));
        with_records!(shape, records => match sweep.rules.initial {
            Initial::Pinned => sweep.behind.insert(records, initial.words(), described)?,
            Initial::Forgotten => {
                for (i, (value, origin)) in described.enumerate() {
                    sweep.ahead.append(records, value, initial.state(i), origin);
                }
            }
        });
        // Nothing is on disk yet that could fail.
        let _ = sweep.begin_sweep();
        Ok(())
    }

    fn supply<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let Self { sweep, scratch, .. } = self;
        if successors == Successors::WithError {
            sweep.figures.counters.erroneous += 1;
            observer.erroneous_step(sweep.current.span().record_ahead(0));
        }
        let mut worker = Worker::new(system.expander(), scratch);
        with_records!(sweep.current.shape(), records => {
            worker.adopt(records, sweep.current.troubled(), batch, &sweep.sight(observer.wants_truth()));
            let elsewhere = worker.bytes();
            sweep.commit_routed(records, (worker.routed(), elsewhere), Some(successors), observer, &mut Alone)
        })
    }

    fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        let Self { sweep, scratch, .. } = self;
        if sweep.current.can_split() && !sweep.current.has_room_to_repack() {
            let split = with_records!(sweep.current.shape(), records => sweep.split(records));
            split.map_err(|_| LayerFull::Budget)?;
        }
        scratch.repack(RecordShape::Fixed(width));
        let before = sweep.ahead.bytes() + sweep.behind.bytes();
        let (peak, mut on_disk) = sweep.current.repack(width, &mut *translate)?;
        if sweep.rules.is_measured {
            on_disk = on_disk.and(sweep.behind.repack(width, &mut *translate)?);
            on_disk = on_disk.and(sweep.ahead.repack(width, &mut *translate));
            if let Some(settled) = &mut sweep.settled {
                on_disk = on_disk.and(settled.repack(width, &mut *translate));
            }
        }
        if let Err(error) = on_disk {
            sweep.failure.get_or_insert_with(|| error.to_string());
        }
        Ok(peak + before.max(sweep.ahead.bytes() + sweep.behind.bytes()))
    }

    fn can_be_saved(&self) -> bool {
        true
    }

    fn save(&self, to: &mut Saver) -> io::Result<()> {
        let Self { sweep, scratch, .. } = self;
        let Front { value, floor, .. } = sweep.front;
        to.put(&(value, floor, sweep.rules.nesting, sweep.batches, &sweep.failure, sweep.merging))?;
        to.put(&sweep.figures)?;
        sweep.current.save(to)?;
        sweep.behind.save(to)?;
        sweep.ahead.save(to)?;
        to.put(&sweep.settled.is_some())?;
        sweep.settled.as_ref().map_or(Ok(()), |settled| settled.save(to))?;
        scratch.recent().save(to)?;
        sweep.spilling.as_ref().map_or(Ok(()), |spilling| spilling.disk.save(to))
    }

    fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let Self { sweep, scratch, .. } = self;
        let Sweep { front, rules, batches, failure, merging, .. } = &mut *sweep;
        (front.value, front.floor, rules.nesting, *batches, *failure, *merging) = from.get()?;
        front.merged = merging.bits;
        sweep.figures = from.get()?;
        sweep.current.load(from)?;
        sweep.behind.load(from)?;
        sweep.ahead.load(from, sweep.behind.root_values())?;
        sweep.settled = None;
        if from.get()? {
            let mut settled = Settled::new(sweep.current.shape());
            if let Some(spilling) = &sweep.spilling {
                settled.spill_to(spilling, sweep.budget);
            }
            settled.load(from)?;
            sweep.settled = Some(settled);
        }
        scratch.recent_mut().load(from)?;
        sweep.spilling.as_ref().map_or(Ok(()), |spilling| spilling.disk.load(from))
    }

    fn can_change_over(&self) -> bool {
        self.may_change_over && self.sweep.can_change_over()
    }

    fn change_over<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        order: NewOrder,
        spilling: Spilling,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let Self { sweep, scratch, .. } = self;
        sweep.spilling.get_or_insert(spilling);
        scratch.forget_recent();
        let mut expander = system.expander();
        with_records!(sweep.current.shape(), records => sweep.change_over(records, &mut *expander, order, observer))
    }

    fn sample(&self, most: usize, each: &mut dyn FnMut(&[u64])) {
        let (layer, behind) = (self.sweep.current.layer(), &self.sweep.behind);
        let all = layer.len() + behind.near_len();
        let states = all.min(most);
        for number in 0..states {
            let number = (number as u128 * all as u128 / states as u128) as usize;
            match number.checked_sub(layer.len()) {
                None => each(layer.state(number)),
                Some(number) => each(behind.near_state(number)),
            }
        }
    }

    fn troubled(&self) -> &[u64] {
        self.sweep.current.troubled()
    }

    fn stored(&self) -> usize {
        self.sweep.held().total() as usize
    }

    fn distinct(&self) -> Option<u64> {
        self.sweep.distinct()
    }

    fn estimated_distinct(&self) -> u64 {
        self.sweep.estimated_distinct()
    }

    fn waiting(&self) -> u64 {
        self.sweep.snapshot().waiting
    }

    fn progress(&self) -> u64 {
        self.sweep.front.value << self.sweep.merging.bits
    }

    fn counters(&self) -> Counters {
        self.sweep.counters()
    }

    fn workers(&self) -> &[WorkerFigures] {
        &self.sweep.workers
    }

    fn course(&self) -> Option<Course> {
        let mut course = self.sweep.figures.course.clone()?;
        // The layer in which the search was stopped.
        if course.is_behind(self.sweep.figures.counters.explored) {
            course.end_layer(self.sweep.ending_layer(self.sweep.current.len() as u64));
        }
        Some(course)
    }

    fn bytes(&self) -> usize {
        self.sweep.bytes() + self.scratch.bytes()
    }

    fn peak_bytes(&self) -> usize {
        self.sweep.figures.peak_bytes.max(self.sweep.bytes()) + self.scratch.bytes()
    }
}
