//! Relief: what a sweep does when memory is short, and when it was told to hold few states.
//!
//! The [memory policy](crate::store::memory) says when, and each tier knows how to spill itself.
//! What is left for the sweep is what concerns two tiers at once. Persistent states and layers that
//! have spilled are read in the order of their values, so groups are not swept on their own from
//! then on, and the window closes. States that waited behind the front become persistent when the
//! window closes.

use crate::explore::observer::Observer;
use crate::explore::origin::UNKNOWN;
use crate::explore::search::{Monitor, SearchEnd, Snapshot, StopReason, consult};
use crate::store::layer::LayerFull;
use crate::store::memory::entered_bytes;
use crate::store::records::Records;

use super::worker::Worker;
use super::{Nesting, Sweep};

/// Expansions before the sweep asks whether it expands states again too often.
const JUDGED_FROM: u64 = 10_000;

impl Sweep {
    /// Before the first batch of a run: refuses to continue after an error of the disk, and moves
    /// the layer to disk if it is to be there from the start.
    pub(super) fn begin_run<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        if let Some(reason) = &self.failure {
            return Err(SearchEnd::Stopped(StopReason::Disk(reason.clone())));
        }
        if self.current.starts_on_disk() { self.split(records) } else { Ok(()) }
    }

    /// Relieves memory, and consults everything that may stop the search.
    #[cold]
    pub(super) fn look<R: Records, O: Observer>(
        &mut self,
        records: R,
        worker: &Worker<'_>,
        observer: &O,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        let elsewhere = worker.bytes() + observer.bytes();
        self.since_look = 0;
        self.figures.peak_bytes = self.figures.peak_bytes.max(self.bytes());
        self.compact_if_grown();
        self.relieve(records, elsewhere)?;
        if self.behind.window.is_open() && self.budget.closes_window(self.bytes() + elsewhere) {
            self.close_window(records)?;
            // States that waited behind the front are persistent now.
            self.relieve(records, elsewhere)?;
        }
        if self.is_pressed(elsewhere) {
            self.relieve_pressed(records, elsewhere)?;
        }
        self.grant_layer(elsewhere);
        let bytes = self.bytes() + elsewhere;
        if let Some(reason) = self.spilling.as_ref().and_then(|spilling| spilling.nearly_full(bytes)) {
            return Err(SearchEnd::Stopped(StopReason::DiskLimit(reason)));
        }
        self.judge_revisits(monitor);
        let snapshot = Snapshot { bytes: bytes as u64, ..self.snapshot() };
        consult(&snapshot, observer, &self.limits, monitor).map_or(Ok(()), |why| Err(SearchEnd::Stopped(why)))
    }

    /// Stops forgetting if states are expanded again too often, unless another measure may follow.
    fn judge_revisits(&mut self, monitor: &mut dyn Monitor) {
        let explored = self.figures.counters.explored;
        let is_too_often = self.revisits() > self.limits.revisits + self.figures.revisits_before;
        let counters = &mut self.figures.counters;
        if self.rules.is_measured
            && counters.remembers_from.is_none()
            && explored > JUDGED_FROM
            && is_too_often
            && !monitor.sweep_disappoints()
        {
            counters.remembers_from = Some(explored);
        }
    }

    /// Spills tiers that hold much, if memory is short. `elsewhere` are bytes that the tiers do not
    /// hold.
    fn relieve<R: Records>(&mut self, records: R, elsewhere: usize) -> Result<(), SearchEnd> {
        if self.spilling.is_none() || !self.budget.is_short(self.bytes() + elsewhere) {
            return Ok(());
        }
        if self.budget.is_much(self.ahead.near_bytes()) {
            self.compact();
            // Only entries can spill. What is kept beside them is freed first.
            self.ahead.forget_spare();
            if self.budget.is_much(self.ahead.near_bytes()) {
                self.spill_ahead()?;
            }
            self.ahead.forget_spare();
        }
        if let Some(settled) = &mut self.settled
            && self.budget.is_much(settled.near_bytes())
            && !self.behind.window.is_open()
        {
            settled.spill()?;
        }
        let can_spill = self.rules.is_measured && !self.behind.looks_up();
        if can_spill && self.budget.is_much(self.behind.near_bytes()) {
            self.spill_persistent(records)?;
        }
        Ok(())
    }

    /// Whether the search would have to stop, now or as soon as the current layer grows.
    fn is_pressed(&self, elsewhere: usize) -> bool {
        let in_use = self.bytes() + elsewhere;
        self.budget.is_exceeded(in_use)
            || (self.current.can_split() && self.budget.is_little(self.layer_budget(elsewhere)))
    }

    /// The last resort before the search stops: tiers that hold less than much give way, too. Two
    /// tiers that hold just less than much, each, are a quarter of the memory.
    #[cold]
    fn relieve_pressed<R: Records>(&mut self, records: R, elsewhere: usize) -> Result<(), SearchEnd> {
        if self.ahead.uncompacted() > 0 {
            self.compact();
        }
        self.ahead.forget_spare();
        // One half after the other, but nothing that is behind the head of a window.
        let mut before = usize::MAX;
        while self.budget.holds_some(self.ahead.near_bytes())
            && self.ahead.near_bytes() < before
            && self.is_pressed(elsewhere)
        {
            before = self.ahead.near_bytes();
            self.spill_ahead()?;
            self.ahead.forget_spare();
        }
        // Without a half on disk, it would take as much as the little that it frees.
        let can_spill = self.behind.has_far() && !self.behind.looks_up();
        if can_spill && self.is_pressed(elsewhere) && self.budget.holds_some(self.behind.near_bytes()) {
            self.spill_persistent(records)?;
        }
        Ok(())
    }

    /// Spills tiers that hold more states than they should.
    #[cold]
    pub(super) fn spill_surplus<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        if self.ahead.has_too_many() {
            self.spill_ahead()?;
        }
        if self.behind.has_too_many() { self.spill_persistent(records) } else { Ok(()) }
    }

    fn spill_ahead(&mut self) -> Result<(), SearchEnd> {
        if self.spilling.is_none() {
            return Ok(());
        }
        self.rules.nesting = Nesting::default();
        Ok(self.ahead.spill(self.behind.window.head())?)
    }

    /// Moves persistent states to disk. Not while states of the current layer are looked up among
    /// them.
    pub(super) fn spill_persistent<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        if self.spilling.is_none() {
            return Ok(());
        }
        self.rules.nesting = Nesting::default();
        self.close_window(records)?;
        Ok(self.behind.spill()?)
    }

    /// Makes sure that the persistent states of this value find room in the current layer: if they
    /// are many, by way of the disk.
    pub(super) fn make_room_for_known<R: Records>(
        &mut self,
        records: R,
        value: u64,
    ) -> Result<(), SearchEnd> {
        let (expanded, roots) = self.behind.count(value);
        let is_much = self.budget.is_much(entered_bytes(expanded + roots, self.behind.state_bytes()));
        if is_much && self.current.can_split() { self.spill_persistent(records) } else { Ok(()) }
    }

    /// Splits the current layer: all but a part of it goes to disk.
    #[cold]
    pub(super) fn split<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        self.note_peak();
        self.close_window(records)?;
        Ok(self.current.split(records)?)
    }

    /// Splits the current layer, which is full. If it must not be split, the search ends.
    #[cold]
    pub(super) fn split_full<R: Records>(&mut self, records: R, full: LayerFull) -> Result<(), SearchEnd> {
        if self.current.can_split() { self.split(records) } else { Err(full.into()) }
    }

    /// Gives the current layer the memory that nothing else needs.
    pub(super) fn grant_layer(&mut self, elsewhere: usize) {
        self.current.set_budget(self.layer_budget(elsewhere));
    }

    /// Bytes that nothing else needs.
    fn layer_budget(&self, elsewhere: usize) -> usize {
        let others = self.bytes() - self.current.layer_bytes() + elsewhere;
        self.budget.for_current(others, self.current.candidate())
    }

    /// Whether states wait for the layer of this value that it does not have. What the window has
    /// of the layer need not be looked at again.
    pub(super) fn has_new(&mut self, value: u64) -> bool {
        let Some(kept) = self.behind.window.get(value) else { return true };
        self.ahead.remove_known(value, &kept.states) > 0
    }

    /// Forgets the layers behind the front for good. States that wait there are roots of the next
    /// sweep.
    #[cold]
    pub(super) fn close_window<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        if !self.behind.window.is_open() {
            return Ok(());
        }
        let here = self.front.value;
        let waiting = self.ahead.values_below(here);
        for value in &waiting {
            self.has_new(*value);
        }
        self.behind.window.close(here);
        self.front.floor = here;
        let after = self.ahead.after();
        for value in waiting {
            let Some(buffer) = self.ahead.take(value) else { continue };
            for chunk in buffer.into_chunks() {
                for entry in records.entries(&chunk, after) {
                    let origin = entry.get(records.len_of(entry)).copied().unwrap_or(UNKNOWN);
                    self.behind.find(value, records.first(entry), origin);
                }
                self.ahead.recycle(chunk);
            }
        }
        self.ahead.forget_spare();
        // Without room for them they are lost, and with them the search, which ends and is not
        // saved.
        Ok(self.behind.persist(records)?)
    }
}
