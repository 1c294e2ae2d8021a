//! From one layer to the next, and from one sweep to the next.

use crate::explore::observer::Observer;
use crate::explore::search::{CompleteSearch, SearchEnd, StopReason};
use crate::model::transition_system::TransitionSystem;
use crate::progress::Comparison;
use crate::store::far_layers::FarLayers;
use crate::store::future_layers::FutureLayers;
use crate::store::layer::{Inserted, LayerFull, Width};
use crate::store::recent_states::RecentStates;

use super::{BATCH, Front, Nesting, QueueBalance, SweepSearch, disk_failed, is_known, out_of_memory};
use crate::explore::origin::{UNKNOWN, tell_origin};

/// So many times as many states as come into a layer must be known for it to look them up.
const MANY_KNOWN: usize = 8;

/// Entries of future layers that come back from disk early, at the most.
const FROM_DISK: usize = 20_000;

impl SweepSearch {
    /// Forgets the current layer and loads the one of least progress, or a minimal one, that has states to be expanded.
    pub(super) fn next_layer<W: Width, S: TransitionSystem, O: Observer<S>>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.end_layer(width, observer)?;
        if !self.is_measured() {
            return Err(SearchEnd::Complete(CompleteSearch::attest()));
        }
        loop {
            let Some(value) = self.next_value()? else {
                self.end_sweep(observer)?;
                continue;
            };
            if value > self.front.value && self.leave_group(value).map_err(out_of_memory)? {
                continue;
            }
            let goes_on = self.queue.taken == 0 || value > self.front.value;
            debug_assert!(
                goes_on || self.nesting.parts != 0 || self.comparison != Comparison::Total,
                "tuples go back only inside a group"
            );
            self.load(width, value, observer)?;
            if self.cursor < self.layer.len() {
                return Ok(());
            }
        }
    }

    /// The progress value of the next layer of this sweep.
    fn next_value(&mut self) -> Result<Option<u64>, SearchEnd> {
        let Some(vectors) = &mut self.vectors else {
            if let Some(reason) = &self.far_failure {
                return Err(SearchEnd::Stopped(StopReason::Disk(reason.clone())));
            }
            let far = self.far.as_mut().map_or(Ok(None), FarLayers::first).map_err(disk_failed)?;
            return Ok([self.future.first(), far, self.persistent.first_root()].into_iter().flatten().min());
        };
        for vector in self.future.take_new_layers() {
            // Where there are roots it waits already.
            if self.persistent.count(vector).1 == 0 {
                vectors.add(vector);
            }
        }
        Ok(vectors.take(|vector| self.future.entries_of(vector) + self.persistent.count(vector).1))
    }

    /// All states of the current layer are expanded: now it holds most, and will be forgotten.
    fn end_layer<W: Width, S: TransitionSystem, O: Observer<S>>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        if self.layer.len() > self.front.known {
            self.counters.layers += 1;
            if self.vectors.is_some() {
                self.front.persistent += self.persistent.settle(self.front.value, &self.layer);
            }
            self.counters.largest_layer = self.counters.largest_layer.max(self.layer.len() as u64);
            self.note_peak();
            if observer.layer_ends().is_break() {
                return Err(SearchEnd::Decided);
            }
            if self.counters.remembers_from.is_some() {
                let states = self.layer.states(self.front.known..self.layer.len());
                self.persistent.remember(width, self.front.value, states).map_err(out_of_memory)?;
                // Until the next one is loaded: no state counts twice.
                self.front.persistent = self.layer.len();
            }
        }
        Ok(())
    }

    /// Before the sweep goes on to this value: `true` if there are roots in the group that it leaves.
    fn leave_group(&mut self, next: u64) -> Result<bool, LayerFull> {
        let here = self.front.value;
        if self.nesting.parts != 0 && self.persistent.begin_sweep(self.nesting.left(here, next)) {
            self.counters.local_sweeps += 1;
            return Ok(true);
        }
        if let Some(bit) = self.nesting.monotone
            && here >> bit != next >> bit
        {
            // The whole group: its last sweep may have ended below values that an earlier one had met.
            self.persistent.forget(here >> bit << bit..=here | !(u64::MAX << bit))?;
        }
        Ok(false)
    }

    /// Starts the next sweep, if there are roots.
    fn end_sweep<S: TransitionSystem, O: Observer<S>>(&mut self, observer: &mut O) -> Result<(), SearchEnd> {
        debug_assert!(self.is_nothing_ahead(), "nothing is ahead at the end of a sweep");
        if let Some(far) = &mut self.far {
            far.restart();
        }
        debug_assert_eq!(self.queue.entered, self.queue.taken, "what entered the queue was taken, once");
        self.queue = QueueBalance::default();
        self.recent = RecentStates::new(self.layer.width());
        if let Some(vectors) = &mut self.vectors {
            vectors.end_sweep();
        }
        if !self.begin_sweep() {
            return Err(SearchEnd::Complete(CompleteSearch::attest()));
        }
        self.counters.sweeps += 1;
        observer.failure().map_or(Ok(()), |reason| Err(SearchEnd::Stopped(StopReason::Observer(reason))))
    }

    /// What was found becomes roots; `false` if nothing was.
    pub(super) fn begin_sweep(&mut self) -> bool {
        let has_roots = self.persistent.begin_sweep(0..=u64::MAX);
        if let Some(vectors) = &mut self.vectors {
            self.persistent.root_values().for_each(|vector| vectors.add(vector));
        }
        has_roots
    }

    /// Makes the layer of this value the current one: its persistent states, then what was found ahead.
    fn load<W: Width, S: TransitionSystem, O: Observer<S>>(
        &mut self,
        width: W,
        value: u64,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let buffer = self.future.take(value);
        let first = self.records();
        let entries = buffer.as_ref().map_or(0, |buffer| buffer.words() / self.future.stride());
        // Should there be no room, what was taken out is not counted any more.
        self.is_loading = true;
        let (expanded, roots) = self.persistent.count(value);
        // Many that are known and few that come: to look those up takes less than to enter all that are known.
        let looks_up = expanded > MANY_KNOWN * (entries + roots) && !self.all_steps;
        let known = if looks_up { 0 } else { expanded };
        self.front = Front { value, known: 0, persistent: 0, first, looks_up };
        self.cursor = 0;
        self.layer.restart(known + roots + entries).map_err(out_of_memory)?;
        observer.layer_begins(first);
        if !looks_up {
            self.persistent.enter_expanded(width, value, &mut self.layer).map_err(out_of_memory)?;
        }
        let root = |origin| tell_origin(observer, origin);
        self.persistent.enter_roots(width, value, &mut self.layer, root).map_err(out_of_memory)?;
        debug_assert_eq!(self.layer.len(), known + roots, "a root is a root once");
        self.front = Front { known, persistent: known + roots, ..self.front };
        self.cursor = known;
        for chunk in buffer.into_iter().flat_map(|buffer| buffer.into_chunks()) {
            self.load_chunk(width, &chunk, observer).map_err(out_of_memory)?;
            self.future.recycle(chunk);
        }
        self.load_far(width, value, observer)?;
        self.queue.entered += (self.layer.len() - known) as u64;
        self.is_loading = false;
        Ok(())
    }

    /// The part of the layer that is on disk.
    fn load_far<W: Width, S: TransitionSystem, O: Observer<S>>(
        &mut self,
        width: W,
        value: u64,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let Some(mut far) = self.far.take() else { return Ok(()) };
        let mut full = None;
        let stride = self.future.stride();
        let empty = FutureLayers::new(width.get(), stride > width.get());
        let mut near = std::mem::replace(&mut self.future, empty);
        // Room for those that come in the meantime is left.
        let room = self.spilling.as_ref().map_or(0, |spilling| spilling.in_memory.min(FROM_DISK) / 2);
        let taken = far.take(value, &mut near, room, |entries| {
            self.load_chunk(width, entries, observer).map_err(|error| {
                full = Some(error);
                std::io::Error::other(error)
            })
        });
        self.future = near;
        self.far = Some(far);
        match full {
            Some(full) => Err(out_of_memory(full)),
            None => taken.map_err(disk_failed),
        }
    }

    /// Removes duplicates from future layers, and moves the farther half to disk if there are still many.
    #[cold]
    pub(super) fn spill_ahead(&mut self, in_memory: usize) -> Result<(), SearchEnd> {
        // Whether that succeeds does not matter.
        let _ = self.compact();
        if self.future.len() > in_memory / 2 { self.spill() } else { Ok(()) }
    }

    /// Moves the farther half of the future layers to disk.
    #[cold]
    pub(super) fn spill(&mut self) -> Result<(), SearchEnd> {
        let Some(spilling) = &self.spilling else { return Ok(()) };
        // From here on, values never fall inside a sweep: the queue needs that.
        self.nesting = Nesting::default();
        let far = match &mut self.far {
            Some(far) => far,
            None => {
                let (width, stride) = (self.layer.width(), self.future.stride());
                let far = FarLayers::new(&spilling.disk, spilling.queue, width, stride, self.limits.memory);
                self.far.insert(far.map_err(disk_failed)?)
            }
        };
        let kept = self.future.len() / 2;
        far.take_over(&mut self.future, kept).map_err(disk_failed)
    }

    /// Whether no state waits in another layer.
    pub(super) fn is_nothing_ahead(&self) -> bool {
        self.future.is_empty() && self.far.as_ref().is_none_or(|far| far.entries() == 0)
    }

    fn load_chunk<W: Width, S: TransitionSystem, O: Observer<S>>(
        &mut self,
        width: W,
        chunk: &[u64],
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let stride = self.future.stride();
        if stride == width.get() && !self.front.looks_up {
            // An entry is a state and nothing else.
            for states in chunk.chunks(BATCH * stride) {
                self.layer.insert_batch(width, states, |inserted| {
                    if let Inserted::New(_) = inserted {
                        tell_origin(observer, UNKNOWN);
                    }
                })?;
            }
            return Ok(());
        }
        let mut staged = std::mem::take(&mut self.staying.words);
        for entries in chunk.chunks(BATCH * stride) {
            staged.clear();
            let mut known = [false; BATCH];
            for (entry, known) in entries.chunks_exact(stride).zip(&mut known) {
                let state = &entry[..width.get()];
                *known = self.front.looks_up && is_known(&self.persistent, self.comparison, state);
                if !*known {
                    staged.extend_from_slice(state);
                }
            }
            let origin = |entry: &[u64]| entry.get(width.get()).copied().unwrap_or(UNKNOWN);
            let new = entries.chunks_exact(stride).zip(&known).filter(|(_, known)| !**known);
            let mut origins = new.map(|(entry, _)| origin(entry));
            self.layer.insert_batch(width, &staged, |inserted| {
                let origin = origins.next().unwrap_or(UNKNOWN);
                if let Inserted::New(_) = inserted {
                    tell_origin(observer, origin);
                }
            })?;
        }
        staged.clear();
        self.staying.words = staged;
        Ok(())
    }
}
