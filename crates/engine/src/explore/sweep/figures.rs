//! Figures: what a sweep counts, and how it counts what it holds.
//!
//! The papers count the states held at a time as a set. Layers ahead are append-only and have
//! duplicates, so counting them as a set means removing those. That pays for itself in part,
//! because what is removed need not be looked up later; [`Counting`] decides how often it is worth
//! it.

use serde::{Deserialize, Serialize};

use crate::explore::course::{Course, EndedLayer};
use crate::explore::inner_steps::InnerActions;
use crate::explore::search::{Counters, Held};
use crate::store::memory::Budget;
use crate::store::settled::Settled;

use super::Sweep;
use super::batch::{Expanded, Taken};
use super::revisits::Revisits;

/// Entries that may be left over in all, while duplicates are removed at each new peak.
const COUNTED_EXACTLY: u64 = 1 << 19;
/// From then on duplicates are removed when the number of states held has grown by this part of
/// itself, so that a peak is too large by at most that.
const COUNTED_GROWTH: u64 = 4;
/// Entries that may be left over in all, from then on, beside one for each four states expanded.
/// That is little beside expanding them.
const COUNTED_NEARLY: u64 = 1 << 21;
/// Shares of entries that are left are counted in this many parts.
const LEFT_OF: u64 = 1 << 10;

/// What a sweep counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Figures {
    pub(super) counters: Counters,
    /// How many different states there are, estimated.
    pub(super) revisits: Revisits,
    /// What is held and done, layer by layer, if wanted.
    pub(super) course: Option<Course>,
    counting: Counting,
    /// Whether this sweep is counted. It counts once it has expanded a state: a sweep that only
    /// finds that its roots are known does not.
    pub(super) is_sweep_counted: bool,
    /// Most bytes that the tiers held when they were asked.
    pub(super) peak_bytes: usize,
    /// Whether the search has changed its measure, or begun without one and follows one now.
    pub(super) has_changed: bool,
    /// Mean number of expansions per state before the last change between two sweeps. After it, even
    /// a monotone measure may expand each of these states once more.
    pub(super) revisits_before: f64,
}

/// The effort of counting states without duplicates.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Counting {
    /// Entries that were left over, and layers looked at, in all.
    cost: u64,
    /// States that were held when duplicates had been removed.
    compacted: u64,
    /// The share of entries that was left then.
    left: u64,
}

impl Figures {
    /// Nothing is counted yet, in a search with this memory.
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            counters: Counters { sweeps: 1, ..Counters::default() },
            revisits: Revisits::within(budget.for_revisits()),
            course: None,
            counting: Counting { cost: 0, compacted: 0, left: LEFT_OF },
            is_sweep_counted: true,
            peak_bytes: 0,
            has_changed: false,
            revisits_before: 0.0,
        }
    }

    /// Counts the steps of a batch.
    #[inline(always)]
    pub(super) fn count_steps(&mut self, expanded: &Expanded<'_>, inner: &InnerActions) {
        let Expanded { steps, kinds: (forward, regress), taken, .. } = expanded;
        self.counters.transitions += steps.0 as u64;
        self.counters.forward += forward;
        self.counters.regress += regress;
        self.counters.into_intermediate += match taken {
            Taken::Each(actions) => inner.count(actions),
            Taken::Counted(taken) => inner.count_taken(taken),
        };
        if let Some(course) = &mut self.course {
            match taken {
                Taken::Each(actions) => course.take(actions),
                Taken::Counted(taken) => course.add_taken(taken),
            }
        }
    }

    /// Counts states that were expanded.
    #[inline(always)]
    pub(super) fn count_expanded(&mut self, states: usize) {
        if !self.is_sweep_counted && states > 0 {
            self.is_sweep_counted = true;
            self.counters.sweeps += 1;
        }
        self.counters.explored += states as u64;
    }

    /// Whether this is the first sweep.
    pub(super) fn is_first_sweep(&self) -> bool {
        self.counters.sweeps + self.counters.local_sweeps == 1
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.revisits.bytes() + self.course.as_ref().map_or(0, Course::bytes)
    }

    fn note_held(&mut self, held: Held) {
        if self.has_changed && held.total() > self.counters.peak_since_change.total() {
            self.counters.peak_since_change = held;
        }
        if held.total() > self.counters.peak.total() {
            self.counters.peak = held;
        }
    }
}

impl Counting {
    /// Whether duplicates should be removed before a peak of `held` states is noted. `layers` is
    /// the number of layers ahead, and `entries` counts those that would be looked at.
    fn removes(
        &mut self,
        held: u64,
        explored: u64,
        layers: u64,
        entries: impl FnOnce() -> u64,
    ) -> Option<u64> {
        let has_grown = held > self.compacted + self.compacted / COUNTED_GROWTH;
        let allowance = if has_grown { COUNTED_NEARLY + explored / 4 } else { COUNTED_EXACTLY };
        // Looking at each layer costs something, too.
        if self.cost + layers > allowance {
            return None;
        }
        let entries = entries();
        self.cost += layers;
        // What is removed need not be looked up when its layer is loaded: what is left costs.
        let cost = entries * self.left / LEFT_OF;
        (entries > 0 && self.cost + cost <= allowance).then_some(entries)
    }

    /// Duplicates among `entries` were removed: `before` states were held, and `after` are now.
    fn removed(&mut self, entries: u64, before: u64, after: u64) {
        let left = (entries + after).saturating_sub(before);
        self.cost += left;
        self.left = (left * LEFT_OF).div_ceil(entries);
        self.compacted = after;
    }
}

impl Sweep {
    /// Number of states in memory, by tier.
    pub(super) fn held(&self) -> Held {
        Held {
            current: self.current.held() + self.behind.window.states() as u64,
            future: self.ahead.held() + self.settled.as_ref().map_or(0, Settled::held),
            persistent: self.behind.held(),
        }
    }

    /// Bytes of memory held, those of the worker apart.
    pub(super) fn bytes(&self) -> usize {
        let settled = self.settled.as_ref().map_or(0, Settled::bytes);
        let tiers = self.current.bytes() + self.ahead.bytes() + self.behind.bytes() + settled;
        let disk = self.spilling.as_ref().map_or(0, |spilling| spilling.disk.memory());
        tiers + disk + self.figures.bytes() + self.team.bytes
    }

    /// Notes what is held, if that is most so far. Duplicates do not count, as long as removing
    /// them is cheap.
    pub(super) fn note_peak(&mut self) {
        self.figures.peak_bytes = self.figures.peak_bytes.max(self.bytes());
        let held = self.held().total();
        if held <= self.figures.counters.peak.total() {
            self.figures.note_held(self.held());
            return;
        }
        let (explored, layers) = (self.figures.counters.explored, self.ahead.layers() as u64);
        let uncompacted = || self.ahead.uncompacted() as u64;
        if let Some(entries) = self.figures.counting.removes(held, explored, layers, uncompacted) {
            self.compact();
            let after = self.held().total();
            self.figures.counting.removed(entries, held, after);
        }
        self.figures.note_held(self.held());
    }

    /// Removes duplicates ahead. Without room for a set, they stay: no result depends on it. If
    /// memory is short, the set is not kept for the next time: it would take more than it saves.
    pub(super) fn compact(&mut self) {
        let _ = self.ahead.compact(|value, state| self.behind.remembers(value, state));
        let bytes = self.bytes();
        if self.budget.is_short(bytes) {
            self.figures.peak_bytes = self.figures.peak_bytes.max(bytes);
            self.ahead.forget_spare();
        }
    }

    /// Removes duplicates ahead once there are many.
    pub(super) fn compact_if_grown(&mut self) {
        if self.ahead.compact_if_grown(|value, state| self.behind.remembers(value, state)) {
            let held = self.held().total();
            let compacted = &mut self.figures.counting.compacted;
            *compacted = held.min(*compacted);
        }
    }

    /// Number of different states that were expanded, estimated where the sweep has forgotten some.
    pub(super) fn estimated_distinct(&self) -> u64 {
        match self.rules.is_measured {
            true => self.figures.revisits.different(self.figures.counters.explored),
            false => self.current.records(),
        }
    }

    /// Mean number of expansions per state, estimated.
    pub(super) fn revisits(&self) -> f64 {
        self.figures.counters.explored as f64 / self.estimated_distinct().max(1) as f64
    }

    /// The current layer, of which `states` were met, as part of the course.
    pub(super) fn ending_layer(&self, states: u64) -> EndedLayer {
        EndedLayer {
            sweep: self.figures.counters.sweeps,
            progress: self.front.value << self.merging.bits,
            states,
            held: self.held(),
            met: if self.figures.is_first_sweep() {
                self.current.records()
            } else {
                self.estimated_distinct()
            },
            explored: self.figures.counters.explored,
        }
    }
}
