//! How many states are held, and how much memory that may take.

use serde::{Deserialize, Serialize};

use crate::explore::search::{Held, Search};
use crate::store::layer::LayerFull;

use super::{SweepSearch, is_known};

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

/// What it took to count states without duplicates.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Counting {
    /// Entries that were left over each time.
    cost: u64,
    /// States that were held when duplicates had been removed.
    compacted: u64,
    /// The share of entries that was left then.
    left: u64,
    /// Entries of future layers at which duplicates are removed next.
    next: usize,
}

impl Default for Counting {
    fn default() -> Self {
        Self { cost: 0, compacted: 0, left: LEFT_OF, next: COMPACTED_FROM }
    }
}

impl SweepSearch {
    pub(super) fn held(&self) -> Held {
        let (current, ahead, persistent) = self.held_of_disk();
        Held {
            current: (self.layer.len() - self.front.persistent + self.window.states()) as u64 + current,
            future: self.future.len() as u64 + ahead,
            persistent: self.persistent.len() as u64 + persistent,
        }
    }

    pub(super) fn note_peak(&mut self) {
        self.peak_bytes = self.peak_bytes.max(self.bytes());
        if self.held().total() <= self.counters.peak.total() {
            return;
        }
        let held = self.held().total();
        let has_grown = held > self.counting.compacted + self.counting.compacted / COUNTED_GROWTH;
        let allowance = if has_grown { COUNTED_NEARLY + self.counters.explored / 4 } else { COUNTED_EXACTLY };
        // Looking at each layer costs something, too.
        let layers = self.future.layers() as u64;
        if self.counting.cost + layers <= allowance {
            let entries = self.future.uncompacted() as u64;
            self.counting.cost += layers;
            // What is removed here need not be looked up when its layer is loaded: what is left costs.
            let cost = entries * self.counting.left / LEFT_OF;
            if entries > 0 && self.counting.cost + cost <= allowance {
                // Whether that succeeds does not matter: it is only about counting.
                let _ = self.compact();
                let left = (entries + self.held().total()).saturating_sub(held);
                self.counting.cost += left;
                self.counting.left = (left * LEFT_OF).div_ceil(entries);
                self.counting.compacted = self.held().total();
            }
        }
        if self.held().total() > self.counters.peak.total() {
            self.counters.peak = self.held();
        }
    }

    pub(super) fn compact(&mut self) -> Result<(), LayerFull> {
        let is_kept =
            |value, state: &[u64]| self.window.get(value).is_some_and(|kept| kept.states.contains(state));
        self.future.compact(|value, state| {
            is_known(&self.persistent, self.comparison, state) || is_kept(value, state)
        })
    }

    /// Removes duplicates once there are many. What is removed need not be looked up when its layer is loaded; where little is, the next time is
    /// far away.
    pub(super) fn compact_if_grown(&mut self) {
        let before = self.future.len();
        if before < self.counting.next {
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
        self.counting.next = (left * factor).max(COMPACTED_FROM);
        self.counting.compacted = self.counting.compacted.min(self.held().total());
    }

    /// Lets the current layer have the memory that nothing else needs.
    pub(super) fn grant_layer(&mut self, elsewhere: usize) {
        let others = self.bytes() - self.layer.bytes() + elsewhere;
        // What goes to disk grows to a quarter of all before it does.
        let reserved = if self.can_split() { self.limits.memory / 4 } else { 0 };
        let left = self.limits.memory.saturating_sub(others.max(reserved));
        self.layer.set_budget(if self.can_split() { self.share_of_layer(left) } else { left });
    }
}
