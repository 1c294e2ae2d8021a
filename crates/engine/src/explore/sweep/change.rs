//! Changing over: the search continues by another measure, without a restart. Full exploration
//! becomes a sweep at any time; a sweep changes its measure before the next sweep.
//!
//! Full exploration holds all states in one layer, the expanded ones before the cursor and the
//! others behind it. To continue as a sweep, the states that are not expanded are filed ahead by
//! their progress value, with their origins, which the trace log gives back. They lose their record
//! numbers, and get new ones when they enter their layer. The expanded ones are
//! [settled](crate::store::settled): they are known in the layer of their value, and forgotten when
//! the front has passed it. So nothing is expanded again because of the change, and every count
//! continues.
//!
//! The sweep begins at the least value of a state that waits. Settled states of smaller values are
//! forgotten at once, unless a window may reach back to them: only a regress edge could lead to
//! them, and its target becomes persistent like that of any other regress edge.
//!
//! The change takes one pass over the states. The index is freed before it, and the memory of expanded
//! states as soon as they are filed: so the change takes hardly more memory than there was.
//!
//! Between two sweeps nothing depends on the measure but the lists of persistent states. Every state
//! that was met is expanded, or is a root of the next sweep: whichever measure that follows, it
//! begins at these roots, and persistent states that are expanded are known to it. So the lists are
//! made again, with the new values. States that were deleted may be expanded once more, as in any
//! sweep. Only where persistent states are on disk, sorted by their values, does the measure stay.

use crate::explore::expansion::BATCH;
use crate::explore::observer::Observer;
use crate::explore::origin::{UNKNOWN, initial_origin, origin};
use crate::explore::search::{Held, Limits, SearchEnd, StopReason};
use crate::store::ahead::Ahead;
use crate::store::behind::{Behind, Retention};
use crate::store::hash::hash_state;
use crate::store::records::Records;
use crate::store::settled::Settled;
use model::transition_system::Expander;

use super::order::{NewOrder, OnRegress, Rules};
use super::routing::Front;
use super::{Spilling, Sweep};

/// States whose memory is given back together when they are filed.
const RELEASED_TOGETHER: usize = 1 << 16;

impl Sweep {
    /// Whether the search can continue by another measure: it has none yet, or is between two sweeps,
    /// and what must be filed is in memory.
    pub(super) fn can_change_over(&self) -> bool {
        let is_possible = match self.rules.is_measured {
            false => !self.current.is_split(),
            true => self.is_between_sweeps() && !self.behind.has_far(),
        };
        is_possible && self.rules.regress == OnRegress::Sweep && self.failure.is_none()
    }

    /// Whether only persistent states are left of the last sweep, and the next one has not begun.
    fn is_between_sweeps(&self) -> bool {
        !self.current.has_expanded()
            && !self.current.has_work()
            && self.ahead.is_empty()
            && self.settled.is_none()
    }

    /// Continues as a sweep in the new order. The expander evaluates its measure.
    pub(super) fn change_over<R: Records, O: Observer>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        new: NewOrder,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        debug_assert!(self.can_change_over(), "no measure yet, or between two sweeps");
        self.note_peak();
        if self.rules.is_measured {
            self.change_measure(expander, new, observer.wants_origins());
        } else {
            self.change_to_sweep(records, expander, new, observer)?;
        }
        self.figures.has_changed = true;
        self.figures.counters.peak_since_change = Held::default();
        self.figures.peak_bytes = self.figures.peak_bytes.max(self.bytes());
        self.begin_sweep()?;
        Ok(())
    }

    /// Sets the order of the sweeps that follow.
    fn set_order(&mut self, new: NewOrder) {
        self.rules = Rules::new(new.order());
        self.front = Front { comparison: self.rules.comparison, ..Front::default() };
        self.limits = Limits { revisits: new.revisits, ..self.limits };
    }

    /// Between two sweeps: files persistent states by another measure.
    fn change_measure(&mut self, expander: &mut dyn Expander, new: NewOrder, origins: bool) {
        let before = self.rules.comparison;
        self.figures.revisits_before = self.revisits();
        self.figures.counters.remembers_from = None;
        self.set_order(new);
        self.merging = self.merging.restarted(&self.figures.counters);
        self.behind.refile(self.rules.retention, |states, values| expander.progress(states, values));
        if before != self.rules.comparison {
            // Vectors stay in memory, numbers need not.
            self.ahead = Ahead::new(self.current.shape(), origins, self.rules.comparison);
            if let Some(spilling) = self.spilling.clone() {
                self.spill_tiers_to(&spilling);
            }
        }
    }

    /// Files all states of full exploration by a measure.
    fn change_to_sweep<R: Records, O: Observer>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        new: NewOrder,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let expanded = self.current.cursor();
        if self.figures.course.is_some() {
            let layer = self.ending_layer(self.current.len() as u64);
            self.figures.course.iter_mut().for_each(|course| course.end_layer(layer));
        }
        let (shape, origins) = (self.current.shape(), observer.wants_origins());
        self.set_order(new);
        self.ahead = Ahead::new(shape, origins, self.rules.comparison);
        let (memory, retention) = (self.limits.memory, self.rules.retention);
        let no_room = |error| SearchEnd::Stopped(StopReason::Memory(error));
        self.behind = Behind::new(shape, memory, self.rules.comparison, retention)
            .map_err(|error| no_room(error.into()))?;
        self.behind.with_origins(origins, memory).map_err(|error| no_room(error.into()))?;
        self.current.free_index().map_err(|error| no_room(error.into()))?;
        let mut settled = Settled::new(shape);
        if let Some(spilling) = self.spilling.clone() {
            self.spill_tiers_to(&spilling);
            settled.spill_to(&spilling, self.budget);
        }
        let first = self.file_waiting(records, expander, expanded, observer)?;
        self.file_settled(records, expander, expanded, first, &mut settled)?;
        self.settled = Some(settled);
        self.current.end_unmeasured().map_err(no_room)
    }

    /// Lets the tiers spill to this disk.
    pub(super) fn spill_tiers_to(&mut self, spilling: &Spilling) {
        self.current.spill_to(spilling);
        self.ahead.spill_to(spilling, self.budget);
        self.behind.spill_to(spilling, self.budget);
    }

    /// Files the states that are not expanded, ahead, with their origins. Returns the least of
    /// their values.
    fn file_waiting<R: Records, O: Observer>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        expanded: usize,
        observer: &mut O,
    ) -> Result<Option<u64>, SearchEnd> {
        let mut origins = Vec::new();
        let first_record = self.current.span().record_ahead(0);
        let retracted = observer.retract(first_record, &mut |parent, action| {
            origins.push(parent.map_or_else(|| initial_origin(action), |parent| origin(parent, action)));
        });
        retracted.map_err(|error| {
            SearchEnd::Stopped(StopReason::Observer(format!("the trace log cannot be read: {error}")))
        })?;
        let mut origins = origins.into_iter();
        let (mut least, mut values) = (None, Vec::new());
        let layer = self.current.layer();
        for states in records.parts(layer.states(expanded..layer.len()), BATCH) {
            values.clear();
            expander.progress(states, &mut values);
            for (state, value) in records.states(states).zip(&values) {
                self.ahead.append(records, *value, state, origins.next().unwrap_or(UNKNOWN));
                least = Some(least.map_or(*value, |least: u64| least.min(*value)));
            }
        }
        Ok(least)
    }

    /// Files the expanded states that the sweep may meet: those of the first value at which it
    /// begins, and of greater ones. Initial states become persistent.
    fn file_settled<R: Records>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        expanded: usize,
        first: Option<u64>,
        settled: &mut Settled,
    ) -> Result<(), SearchEnd> {
        let from = match (first, self.rules.retention) {
            (Some(first), Retention::Immediate) => first,
            (Some(_), Retention::Window { .. }) => 0,
            // Nothing waits: the search is complete.
            (None, _) => u64::MAX,
        };
        let (mut number, mut values) = (0, Vec::new());
        for start in (0..expanded).step_by(RELEASED_TOGETHER) {
            let some = start..(start + RELEASED_TOGETHER).min(expanded);
            for states in records.parts(self.current.layer().states(some.clone()), BATCH) {
                values.clear();
                expander.progress(states, &mut values);
                for (state, value) in records.states(states).zip(&values) {
                    let state = records.first(state);
                    self.figures.revisits.expanded(hash_state(state));
                    if number < self.initial {
                        self.behind.remember(records, *value, state)?;
                    } else if *value >= from {
                        settled.add(records, *value, state);
                    }
                    number += 1;
                }
            }
            self.current.release_before(some.end);
        }
        Ok(())
    }
}
