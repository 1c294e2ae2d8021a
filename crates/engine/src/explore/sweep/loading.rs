//! Loading: how the current layer ends, and how the next one is filled from the tiers.
//!
//! A layer is filled in this order: persistent states that an earlier sweep expanded, which are
//! known and not expanded again; roots; then the states that waited ahead. Each tier gives its half
//! in memory first, then its half on disk. Where very many states are known and few come, as in
//! late sweeps of a bad measure, the known ones are not entered: the few are looked up instead.

use std::io;

use crate::explore::expansion::BATCH;
use crate::explore::observer::Observer;
use crate::explore::origin::{UNKNOWN, tell_origin};
use crate::explore::search::SearchEnd;
use crate::store::ahead::Buffer;
use crate::store::behind::KeptLayer;
use crate::store::memory::layer_bytes;
use crate::store::records::Records;

use super::Sweep;
use super::routing::Front;
use super::worker::Worker;

/// A layer looks known states up if they are this many times as many as the states that come into
/// it.
const MANY_KNOWN: usize = 8;

/// Passes the end of a search through a function that can only fail with an error of the disk.
fn carry(end: &mut Option<SearchEnd>, result: Result<(), SearchEnd>) -> io::Result<()> {
    result.map_err(|why| {
        *end = Some(why);
        io::Error::other("the search ends")
    })
}

/// The end that was passed through, or the result.
fn carried(end: Option<SearchEnd>, result: io::Result<()>) -> Result<(), SearchEnd> {
    match end {
        Some(end) => Err(end),
        None => Ok(result?),
    }
}

impl Sweep {
    /// Ends the current layer, of which all states are expanded: it holds most now, and is
    /// forgotten next, unless the sweep does not forget any more.
    pub(super) fn end_layer<R: Records, O: Observer>(
        &mut self,
        records: R,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let has_grown = self.current.has_grown();
        if has_grown {
            let is_resumed = self.current.is_resumed();
            self.figures.counters.layers += u64::from(!is_resumed);
            let settled = self.behind.settle(self.front.value, &self.current);
            self.current.count_persistent(settled);
            let met = self.current.met();
            let largest = &mut self.figures.counters.largest_layer;
            *largest = met.max(*largest);
            self.note_peak();
            // What a resumed layer adds counts with the next one.
            if self.figures.course.is_some() && !is_resumed {
                let layer = self.ending_layer(met);
                self.figures.course.iter_mut().for_each(|course| course.end_layer(layer));
            }
            if observer.layer_ends().is_break() {
                return Err(SearchEnd::Decided);
            }
        }
        let remembers = self.figures.counters.remembers_from.is_some();
        if has_grown && remembers {
            self.close_window(records)?;
        }
        match self.current.end() {
            Some(large) if remembers && self.rules.is_measured => {
                if !self.behind.has_far() {
                    self.spill_persistent(records)?;
                }
                self.behind.remember_far(self.front.value, |each| large.for_each_closed(each))?;
            }
            None if remembers && has_grown => {
                self.behind.remember(records, self.front.value, self.current.new_states())?;
                // Until the next layer is loaded: no state counts twice.
                self.current.all_persistent();
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes the layer of this value the current one.
    pub(super) fn load<R: Records, O: Observer>(
        &mut self,
        records: R,
        value: u64,
        worker: &Worker<'_>,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let elsewhere = worker.bytes() + observer.bytes();
        self.make_room_for_known(records, value)?;
        self.keep_current(records, value, elsewhere)?;
        self.make_room_beside_window(records, value, elsewhere)?;
        if let Some(kept) = self.behind.take_kept(value) {
            return self.resume(records, &kept, observer, elsewhere);
        }
        let buffer = self.ahead.take(value);
        let entries = buffer.as_ref().map_or(0, |buffer| self.ahead.entries_in(buffer));
        let (expanded, roots) = self.behind.count(value);
        let looks_up = expanded > MANY_KNOWN * (entries + roots) && !worker.all_steps();
        let known = if looks_up { 0 } else { expanded };
        let settled = self.settled.as_ref().map_or(0, |settled| settled.count(value));
        self.behind.set_looks_up(looks_up);
        self.front = Front { value, floor: self.behind.window.floor(value), ..self.front };
        self.current.begin(known + settled + roots + entries)?;
        observer.layer_begins(self.current.records(), value << self.merging.bits);
        self.behind.enter(records, value, &mut self.current, |origin| tell_origin(observer, origin))?;
        self.enter_settled(records, value)?;
        self.enter_far_persistent(records, value, observer, elsewhere)?;
        self.enter_buffer(records, buffer, observer, elsewhere)?;
        self.enter_far_ahead(records, value, observer, elsewhere)?;
        self.current.end_loading();
        Ok(())
    }

    /// Before the layer of this value is loaded: keeps the current one, if the window reaches that
    /// far and there is room for a copy of it.
    fn keep_current<R: Records>(
        &mut self,
        records: R,
        value: u64,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        let here = self.front.value;
        if !self.behind.window.advance(here, value) {
            return Ok(());
        }
        let with_copy = self.bytes() + self.current.layer_bytes() + elsewhere;
        if self.budget.is_exceeded(with_copy)
            || self.behind.window.copies_too_much(self.figures.counters.explored)
        {
            return self.close_window(records);
        }
        self.behind.keep(here, &self.current, value);
        self.figures.peak_bytes = self.figures.peak_bytes.max(self.bytes());
        Ok(())
    }

    /// Gives the layer of this value the memory that nothing else needs, and, if that is not
    /// enough, that of the window.
    fn make_room_beside_window<R: Records>(
        &mut self,
        records: R,
        value: u64,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        if !self.behind.window.is_open() {
            return Ok(());
        }
        self.grant_layer(elsewhere);
        let (expanded, roots) = self.behind.count(value);
        let kept = self.behind.window.get(value).map_or(0, |kept| kept.states.len());
        let states = expanded + roots + kept + self.ahead.entries_of(value);
        if layer_bytes(states, self.current.state_bytes()) > self.current.budget() {
            self.close_window(records)?;
            self.grant_layer(elsewhere);
        }
        Ok(())
    }

    /// Makes a layer that the window kept the current one, with what was found for it since.
    fn resume<R: Records, O: Observer>(
        &mut self,
        records: R,
        kept: &KeptLayer,
        observer: &mut O,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        let value = kept.value;
        if self.current.resume(kept).is_err() {
            self.close_window(records)?;
            self.grant_layer(elsewhere);
            return Ok(());
        }
        self.behind.set_looks_up(kept.looks_up);
        self.front = Front { value, floor: self.behind.window.floor(value), ..self.front };
        observer.layer_begins(self.current.records(), value << self.merging.bits);
        let buffer = self.ahead.take(value);
        self.enter_buffer(records, buffer, observer, elsewhere)?;
        self.current.end_loading();
        Ok(())
    }

    /// Enters the persistent states of this value that are on disk: first those that an earlier
    /// sweep expanded, then roots.
    fn enter_far_persistent<R: Records, O: Observer>(
        &mut self,
        records: R,
        value: u64,
        observer: &mut O,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        let Some(mut far) = self.behind.lend_far() else { return Ok(()) };
        let mut end = None;
        let known = far.enter_expanded(value, |states| {
            carry(&mut end, self.current.enter_known(records, states).map_err(SearchEnd::from))
        });
        let entered = carried(end.take(), known).and_then(|()| {
            self.current.end_known()?;
            let roots = far.enter_roots(value, |entries, is_new| {
                let before = self.current.len();
                let entered = self.enter(records, entries, observer, elsewhere);
                self.current.tell_new(before, entries, self.ahead.after(), is_new);
                carry(&mut end, entered)
            });
            carried(end, roots)
        });
        self.behind.put_back(far);
        entered
    }

    /// Enters the states of this value that were expanded before the search followed its measure.
    /// Until the first sweep ends there are no roots, except those of a group that the sweep has
    /// met before; there, nothing is settled any more.
    fn enter_settled<R: Records>(&mut self, records: R, value: u64) -> Result<(), SearchEnd> {
        let Some(settled) = &mut self.settled else { return Ok(()) };
        let (current, mut end) = (&mut self.current, None);
        let roots = current.has_work();
        settled.forget_below(self.front.floor)?;
        let taken = settled.take(value, |states| {
            debug_assert!(!roots || states.is_empty(), "known states enter before roots");
            carry(&mut end, current.enter_known(records, states).map_err(SearchEnd::from))
        });
        carried(end, taken)?;
        if roots { Ok(()) } else { Ok(self.current.end_known()?) }
    }

    /// Enters the states that waited in memory.
    fn enter_buffer<R: Records, O: Observer>(
        &mut self,
        records: R,
        buffer: Option<Buffer>,
        observer: &mut O,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        for chunk in buffer.into_iter().flat_map(Buffer::into_chunks) {
            self.enter(records, &chunk, observer, elsewhere)?;
            self.ahead.recycle(chunk);
        }
        Ok(())
    }

    /// Enters the states of this value that waited on disk.
    fn enter_far_ahead<R: Records, O: Observer>(
        &mut self,
        records: R,
        value: u64,
        observer: &mut O,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        let Some(mut ahead) = self.ahead.lend_far() else { return Ok(()) };
        let mut end = None;
        let taken = ahead.take_far(value, |entries| {
            let entered = self.enter(records, entries, observer, elsewhere);
            carry(&mut end, entered)
        });
        self.ahead.put_back(ahead);
        carried(end, taken)
    }

    /// Enters states that waited, each perhaps with its origin, into the current layer.
    fn enter<R: Records, O: Observer>(
        &mut self,
        records: R,
        entries: &[u64],
        observer: &mut O,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        let after = self.ahead.after();
        for entries in records.entry_parts(entries, after, BATCH) {
            let is_known = |state: &[u64]| self.behind.looks_up() && self.behind.is_known(state);
            let staged = self.current.stage(records, records.entries(entries, after), UNKNOWN, is_known);
            if self.current.has_too_many(staged) {
                self.split(records)?;
            }
            let mut tell = |origin| tell_origin(observer, origin);
            let mut entered = self.current.enter_staged(records, &mut tell);
            if entered.is_err() && self.behind.window.is_open() {
                self.close_window(records)?;
                self.grant_layer(elsewhere);
                entered = self.current.enter_staged(records, &mut tell);
            }
            if let Err(full) = entered {
                self.split_full(records, full)?;
                self.current.enter_staged(records, &mut tell)?;
            }
        }
        Ok(())
    }
}
