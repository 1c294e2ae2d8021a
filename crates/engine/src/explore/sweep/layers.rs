//! From one layer to the next, and from one sweep to the next.

use crate::explore::course::EndedLayer;
use crate::explore::observer::Observer;
use crate::explore::origin::{UNKNOWN, tell_origin};
use crate::explore::search::{CompleteSearch, Search, SearchEnd, StopReason};
use crate::progress::Comparison;
use crate::store::future_layers::Buffer;
use crate::store::layer::{Inserted, LayerFull};
use crate::store::recent_states::RecentStates;
use crate::store::records::Records;

use super::{BATCH, Front, QueueBalance, SweepSearch, is_known, out_of_memory};

/// So many times as many states as come into a layer must be known for it to look them up.
const MANY_KNOWN: usize = 8;

impl SweepSearch {
    /// Forgets the current layer and loads the one of least progress, or a minimal one, that has states to be expanded.
    pub(super) fn next_layer<R: Records, O: Observer>(
        &mut self,
        records: R,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.end_layer(records, observer)?;
        if !self.is_measured() {
            return Err(SearchEnd::Complete(CompleteSearch::attest()));
        }
        loop {
            let Some(value) = self.next_value()? else {
                self.end_sweep(observer)?;
                continue;
            };
            if !self.has_new(value) {
                continue;
            }
            if value > self.front.value && self.leave_group(value).map_err(out_of_memory)? {
                continue;
            }
            let goes_on = self.queue.taken == 0 || value > self.front.value;
            debug_assert!(
                goes_on
                    || self.nesting.parts != 0
                    || self.comparison != Comparison::Total
                    || (self.window.is_open() && value >= self.front.floor),
                "tuples go back only inside a group or a window"
            );
            self.load(records, value, observer)?;
            if self.cursor < self.layer.len() || self.disk.current.is_some() {
                return Ok(());
            }
        }
    }

    /// The progress value of the next layer of this sweep.
    fn next_value(&mut self) -> Result<Option<u64>, SearchEnd> {
        let Some(vectors) = &mut self.vectors else {
            let far = self.next_value_on_disk()?;
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
    fn end_layer<R: Records, O: Observer>(&mut self, records: R, observer: &mut O) -> Result<(), SearchEnd> {
        let on_disk = self.met_on_disk();
        if self.records() > self.loaded_at {
            self.counters.layers += u64::from(!self.front.is_taken_up);
            if self.vectors.is_some() {
                self.front.persistent += self.persistent.settle(self.front.value, &self.layer);
            }
            let met = on_disk.unwrap_or(self.layer.len() as u64);
            self.counters.largest_layer = self.counters.largest_layer.max(met);
            self.note_peak();
            // What a layer that is taken up adds counts with the next one.
            if self.course.is_some() && !self.front.is_taken_up {
                let layer = EndedLayer { states: met, ..self.ending_layer() };
                self.course.iter_mut().for_each(|course| course.end_layer(layer));
            }
            if observer.layer_ends().is_break() {
                return Err(SearchEnd::Decided);
            }
            if self.counters.remembers_from.is_some() {
                self.close_window(records)?;
            }
            if self.counters.remembers_from.is_some() && on_disk.is_none() {
                let states = self.layer.states(self.front.known..self.layer.len());
                self.persistent.remember(records, self.front.value, states).map_err(out_of_memory)?;
                // Until the next one is loaded: no state counts twice.
                self.front.persistent = self.layer.len();
            }
        }
        self.end_large()
    }

    /// The current layer, as part of the course.
    pub(super) fn ending_layer(&self) -> EndedLayer {
        let is_first = self.counters.sweeps + self.counters.local_sweeps == 1;
        EndedLayer {
            sweep: self.counters.sweeps,
            progress: self.front.value,
            states: self.layer.len() as u64,
            held: self.held(),
            met: if is_first { self.records() } else { self.estimated_distinct() },
            explored: self.counters.explored,
        }
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
    fn end_sweep<O: Observer>(&mut self, observer: &mut O) -> Result<(), SearchEnd> {
        debug_assert!(self.is_nothing_ahead(), "nothing is ahead at the end of a sweep");
        if let Some(far) = &mut self.disk.layers {
            far.restart();
        }
        let recorded = self.records() - self.queue.first;
        debug_assert_eq!(recorded, self.queue.taken, "what was recorded was taken, once");
        self.queue = QueueBalance { first: self.records(), taken: 0 };
        self.recent = RecentStates::new(self.layer.shape());
        self.window.end_sweep();
        if let Some(vectors) = &mut self.vectors {
            vectors.end_sweep();
        }
        if !self.begin_sweep()? {
            return Err(SearchEnd::Complete(CompleteSearch::attest()));
        }
        self.is_sweep_counted = false;
        observer.failure().map_or(Ok(()), |reason| Err(SearchEnd::Stopped(StopReason::Observer(reason))))
    }

    /// Makes the layer of this value the current one: its persistent states, then what was found ahead.
    fn load<R: Records, O: Observer>(
        &mut self,
        records: R,
        value: u64,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.make_room_for_known(value)?;
        let first = self.records();
        self.keep_current(records, value, observer.bytes())?;
        self.make_room_beside_window(records, value, observer.bytes())?;
        if let Some(kept) = self.window.take(value) {
            return self.take_up(records, value, &kept, observer);
        }
        let buffer = self.future.take(value);
        let entries = buffer.as_ref().map_or(0, |buffer| self.future.entries_in(buffer));
        // Should there be no room, what was taken out is not counted any more.
        self.is_loading = true;
        let (expanded, roots) = self.persistent.count(value);
        // Many that are known and few that come: to look those up takes less than to enter all that are known.
        let looks_up = expanded > MANY_KNOWN * (entries + roots) && !self.all_steps;
        let known = if looks_up { 0 } else { expanded };
        self.loaded_at = first;
        let floor = self.window.floor(value);
        self.front = Front { value, floor, is_taken_up: false, known: 0, persistent: 0, first, looks_up };
        self.cursor = 0;
        self.layer.restart(known + roots + entries).map_err(out_of_memory)?;
        observer.layer_begins(first, self.front.value);
        if !looks_up {
            self.persistent.enter_expanded(records, value, &mut self.layer).map_err(out_of_memory)?;
        }
        let root = |origin| tell_origin(observer, origin);
        self.persistent.enter_roots(records, value, &mut self.layer, root).map_err(out_of_memory)?;
        debug_assert_eq!(self.layer.len(), known + roots, "a root is a root once");
        self.front = Front { known, persistent: known + roots, ..self.front };
        (self.cursor, self.level_end) = (known, known);
        self.load_far_persistent(records, value, observer)?;
        self.load_waiting(records, buffer, observer)?;
        self.load_far(records, value, observer)?;
        self.is_loading = false;
        Ok(())
    }

    /// Enters what was found ahead into the current layer.
    pub(super) fn load_waiting<R: Records, O: Observer>(
        &mut self,
        records: R,
        buffer: Option<Buffer>,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        for chunk in buffer.into_iter().flat_map(Buffer::into_chunks) {
            self.load_chunk(records, &chunk, observer)?;
            self.future.recycle(chunk);
        }
        Ok(())
    }

    /// Whether no state waits in another layer.
    pub(super) fn is_nothing_ahead(&self) -> bool {
        self.future.is_empty() && !self.disk.has_layers()
    }

    /// Enters states that wait, some at a time, into the current layer.
    pub(super) fn load_chunk<R: Records, O: Observer>(
        &mut self,
        records: R,
        chunk: &[u64],
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let after = self.future.after();
        let mut staged = std::mem::take(&mut self.staying.words);
        for entries in records.entry_parts(chunk, after, BATCH) {
            staged.clear();
            let mut known = [false; BATCH];
            let mut count = 0;
            for (entry, known) in records.entries(entries, after).zip(&mut known) {
                let state = records.first(entry);
                *known = self.front.looks_up && is_known(&self.persistent, self.comparison, state);
                if !*known {
                    staged.extend_from_slice(state);
                    count += 1;
                }
            }
            let origin = |entry: &[u64]| entry.get(records.len_of(entry)).copied().unwrap_or(UNKNOWN);
            let new = records.entries(entries, after).zip(&known).filter(|(_, known)| !**known);
            let origins = new.map(|(entry, _)| origin(entry));
            if self.layer.len() + count > self.most.current && self.can_split() {
                self.split_layer(records)?;
            }
            let mut entered = self.enter(records, &staged, origins.clone(), observer);
            if entered.is_err() && self.window.is_open() {
                self.close_window(records)?;
                self.grant_layer(observer.bytes());
                entered = self.enter(records, &staged, origins.clone(), observer);
            }
            if entered.is_err() && self.can_split() {
                self.split_layer(records)?;
                entered = self.enter(records, &staged, origins, observer);
            }
            entered.map_err(out_of_memory)?;
        }
        staged.clear();
        self.staying.words = staged;
        Ok(())
    }

    fn enter<R: Records, O: Observer>(
        &mut self,
        records: R,
        states: &[u64],
        mut origins: impl Iterator<Item = u64>,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let (is_split, wants_origins) = (self.disk.current.is_some(), self.wants_origins);
        let disk = &mut self.disk;
        self.layer.insert_batch(records, states, |inserted| {
            let origin = origins.next().unwrap_or(UNKNOWN);
            match inserted {
                Inserted::New(_) if is_split => {
                    if wants_origins {
                        disk.propose(origin);
                    }
                }
                Inserted::New(_) => tell_origin(observer, origin),
                Inserted::Known(_) => {}
            }
        })
    }
}
