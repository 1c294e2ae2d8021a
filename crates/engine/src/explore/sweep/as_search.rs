//! The sweep as a search among others: how it begins, is supplied, is saved, and what it tells.

use std::collections::BTreeSet;
use std::io;

use crate::explore::course::Course;
use crate::explore::observer::{Observer, Successors};
use crate::explore::origin::{initial_origin, tell_origin};
use crate::explore::search::{Counters, Monitor, Search, SearchEnd};
use crate::store::future_layers::FutureLayers;
use crate::store::layer::{Inserted, LayerFull, with_width};
use crate::store::persistent_states::PersistentStates;
use crate::store::recent_states::RecentStates;
use crate::store::saved::{Loader, Saver};
use model::successor_batch::SuccessorBatch;
use model::transition_system::TransitionSystem;

use super::waiting_vectors::WaitingVectors;
use super::window::Window;
use super::{BATCH, Initial, Order, Retention, SweepSearch};

impl Search for SweepSearch {
    fn run<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        let mut expander = system.expander();
        with_width!(self.layer.width(), width => self.run_with(width, &mut *expander, observer, monitor))
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
        system.expander().progress(initial.words(), &mut values);
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
        let mut expander = system.expander();
        with_width!(self.layer.width(), width => {
            self.sort(width, &mut *expander, batch, 0);
            self.take(width, &mut *expander, batch, Some(successors), observer)
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
            self.window.repack(width, &mut *translate);
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
            let new: BTreeSet<u64> = self.future.take_new_layers().into_iter().collect();
            let waiting = self.future.values().filter(|value| !new.contains(value));
            let waiting: BTreeSet<u64> = waiting.chain(self.persistent.root_values()).collect();
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
