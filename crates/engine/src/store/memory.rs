//! The memory policy: one table of shares of a hard memory limit, and who gives room to whom.
//!
//! A search holds the current layer, the layers ahead, the states behind (persistent ones and the
//! window), and small buffers. The current layer is the only tier that is probed at random, so it
//! gets all memory that the others leave. The others give way in this order:
//!
//! 1. Half of the limit is in use: memory is [short](Budget::is_short). A tier ahead or behind that
//!    holds [much](Budget::is_much) spills to disk, if the search may use a disk. Ahead, duplicates
//!    are removed first.
//! 2. Seven eighths are in use: the [window closes](Budget::closes_window). Without it the search
//!    repeats work, but is as complete.
//! 3. The current layer reaches its [budget](Budget::for_current). It is split, and all but a part
//!    of it spills, if the search may use a disk.
//! 4. The limit is exceeded, or [little](Budget::is_little) is left for the current layer. Tiers
//!    ahead and behind that hold [some](Budget::holds_some) states spill, if the search may use a disk.
//!    If more than the limit is still in use, the search stops.
//!
//! Everything here is a pure function of numbers of bytes. The tiers know their bytes, the loop
//! asks this table, and the tests below check the table alone.

use super::layer::Layer;
use super::records::RecordShape;

/// A part of the limit: a numerator and a denominator.
#[derive(Clone, Copy, Debug)]
struct Share(usize, usize);

impl Share {
    const fn of(self, bytes: usize) -> usize {
        bytes / self.1 * self.0
    }
}

/// The search begins to spill when this much is in use.
const SHORT: Share = Share(1, 2);
/// A tier spills, when memory is short, if it holds more than this.
const MUCH: Share = Share(1, 8);
/// A current layer that may be split needs this much, or others give way.
const LITTLE: Share = Share(1, 8);
/// A tier spills, when the limit is exceeded or little is left, if it holds more than this.
const SOME: Share = Share(1, 32);
/// The window closes when more than this is in use.
const WINDOW: Share = Share(7, 8);
/// Layers ahead, and persistent states, grow to this much in all before they spill: the current
/// layer must not claim it meanwhile.
const GROWTH_BEFORE_SPILL: Share = Share(1, 4);
/// States of a layer on disk that come to memory together: this part of the layer's budget. The
/// rest is for their successors.
const PART: Share = Share(1, 4);
/// A sweep looks at its memory, at the latest, when the successors that it has found since it last
/// did take this much. So a tier that holds much is noticed before it holds twice as much.
const LOOK: Share = Share(1, 16);
/// Hashes of sampled states, which tell how often a sweep expands states again.
const REVISITS: Share = Share(1, 16);
/// Persistent states found lately, where the others are on disk.
const FILTER: Share = Share(1, 16);
/// Finding duplicates among layers ahead on their way to disk.
const DUPLICATES: Share = Share(1, 16);
/// Records on their way to partitions that are not in memory.
const PARTITION_BUFFERS: Share = Share(1, 4);
/// Sorting states of a recorded graph, and as much again for sorting its edges.
const GRAPH_SORT: Share = Share(1, 16);
/// One block of rows of a recorded graph, while a formula is evaluated.
const GRAPH_BLOCK: Share = Share(1, 8);

/// Most bytes for persistent states found lately.
const MOST_FILTER: usize = 1 << 18;
/// Most bytes for finding duplicates among layers ahead.
const MOST_DUPLICATES: usize = 1 << 20;
/// Most bytes for sorting states of a recorded graph.
const MOST_GRAPH_SORT: usize = 16 << 20;
/// Least number of states of a layer on disk that come to memory together: those of a few batches.
const LEAST_PART: usize = 4 * 256;

/// Bytes of a state in a layer beside its words: its share of an index that is well filled.
const INDEXED: usize = 7;
/// The same, in an index that has just grown.
const INDEXED_AFTER_GROWTH: usize = 10;
/// Bytes of a layer of few states: its smallest tables.
const SMALL_LAYER: usize = 64 << 10;
/// Bytes for sorting a candidate that may be new: its number.
const SORTED: usize = 4;
/// Bytes for sorting a candidate of varying length: where it begins.
const SORTED_VARYING: usize = 4;
/// Bytes of the origin of a candidate, and for moving it while candidates are sorted.
const SORTED_ORIGIN: usize = 12;

/// What a state takes in the current layer, if the layer may be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Bytes of a state, without its share of the index.
    pub state_bytes: usize,
    /// Whether states vary in length.
    pub varies: bool,
    /// Whether each candidate carries its origin.
    pub origins: bool,
}

impl Candidate {
    /// What a state of this layer takes.
    pub fn new(layer: &Layer, origins: bool) -> Self {
        let varies = layer.shape() == RecordShape::Prefixed;
        Self { state_bytes: layer.state_bytes(), varies, origins }
    }
}

/// A hard limit of memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    limit: usize,
}

impl Budget {
    /// The policy for a search that may use `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit }
    }

    /// The limit itself, in bytes.
    pub fn limit(self) -> usize {
        self.limit
    }

    /// Whether more is in use than the limit allows.
    pub fn is_exceeded(self, in_use: usize) -> bool {
        in_use > self.limit
    }

    /// Whether tiers that hold [much](Self::is_much) should spill.
    pub fn is_short(self, in_use: usize) -> bool {
        in_use >= SHORT.of(self.limit)
    }

    /// Whether a tier of this many bytes is worth spilling.
    pub fn is_much(self, bytes: usize) -> bool {
        bytes > MUCH.of(self.limit)
    }

    /// Whether this is too little for a current layer that may be split.
    pub fn is_little(self, bytes: usize) -> bool {
        bytes < LITTLE.of(self.limit)
    }

    /// Whether a tier of this many bytes is worth spilling when the limit is exceeded or
    /// [little](Self::is_little) is left.
    pub fn holds_some(self, bytes: usize) -> bool {
        bytes > SOME.of(self.limit)
    }

    /// Whether the window must give its memory to others.
    pub fn closes_window(self, in_use: usize) -> bool {
        in_use > WINDOW.of(self.limit)
    }

    /// Bytes for the current layer, where everything else takes `others` bytes. A layer that may be
    /// split leaves room for the growth of the tiers that spill, and for sorting its candidates.
    pub fn for_current(self, others: usize, split: Option<Candidate>) -> usize {
        let Some(Candidate { state_bytes, varies, origins }) = split else {
            return self.limit.saturating_sub(others);
        };
        let left = self.limit.saturating_sub(others.max(GROWTH_BEFORE_SPILL.of(self.limit)));
        let state = state_bytes + INDEXED;
        let sorted = SORTED + if varies { SORTED_VARYING } else { 0 };
        let beside = sorted + if origins { SORTED_ORIGIN } else { 0 };
        (left as f64 * state as f64 / (state + beside) as f64) as usize
    }

    /// Whether a search that has found `bytes` bytes of successors since it last looked at its
    /// memory should do so again.
    #[inline(always)]
    pub fn is_look_due(self, bytes: usize) -> bool {
        bytes > LOOK.of(self.limit)
    }

    /// Bytes for a sample of the expanded states.
    pub fn for_revisits(self) -> usize {
        REVISITS.of(self.limit)
    }

    /// Bytes of layers ahead up to which entries return from disk before their layer is the current
    /// one: more would spill again.
    pub fn for_early(self) -> usize {
        MUCH.of(self.limit)
    }

    /// Bytes for persistent states found lately, where the others are on disk.
    pub fn for_filter(self) -> usize {
        FILTER.of(self.limit).min(MOST_FILTER)
    }

    /// Bytes for finding duplicates among layers ahead on their way to disk.
    pub fn for_duplicates(self) -> usize {
        DUPLICATES.of(self.limit).min(MOST_DUPLICATES)
    }

    /// Bytes for records on their way to partitions that are not in memory.
    pub fn for_partition_buffers(self) -> usize {
        PARTITION_BUFFERS.of(self.limit)
    }

    /// Bytes for sorting the states of a recorded graph; its edges need as much again.
    pub fn for_graph_sort(self) -> usize {
        GRAPH_SORT.of(self.limit).min(MOST_GRAPH_SORT)
    }

    /// Bytes for one block of rows of a recorded graph.
    pub fn for_graph_block(self) -> usize {
        GRAPH_BLOCK.of(self.limit)
    }
}

/// Number of states that come to memory together, from the part of the current layer that is on
/// disk. `budget` is that of the layer, in bytes; `most` is a limit of states.
pub fn states_in_part(budget: usize, state_bytes: usize, most: usize) -> usize {
    (PART.of(budget) / (state_bytes + INDEXED_AFTER_GROWTH)).min(most / 2).max(LEAST_PART)
}

/// Number of words of states of varying length that come to memory together, likewise.
pub fn words_in_part(budget: usize) -> usize {
    PART.of(budget) / 8
}

/// Estimated bytes of a layer of this many states of `state_bytes` bytes.
pub fn layer_bytes(states: usize, state_bytes: usize) -> usize {
    states * (state_bytes + INDEXED_AFTER_GROWTH) + SMALL_LAYER
}

/// Estimated bytes that persistent states take when they enter the current layer.
pub fn entered_bytes(states: usize, state_bytes: usize) -> usize {
    states * state_bytes * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn tiers_give_way_in_the_documented_order() {
        let budget = Budget::new(80 * MIB);
        // In use, then: is it short, does the window close, is it exceeded?
        for (in_use, expected) in [
            (39 * MIB, (false, false, false)),
            (40 * MIB, (true, false, false)),
            (70 * MIB, (true, false, false)),
            (70 * MIB + 1, (true, true, false)),
            (80 * MIB, (true, true, false)),
            (80 * MIB + 1, (true, true, true)),
        ] {
            let found = (budget.is_short(in_use), budget.closes_window(in_use), budget.is_exceeded(in_use));
            assert_eq!(found, expected, "{in_use} bytes in use");
        }
        assert!(!budget.is_much(10 * MIB) && budget.is_much(10 * MIB + 1));
        assert!(budget.is_little(10 * MIB - 1) && !budget.is_little(10 * MIB));
        assert!(!budget.holds_some(5 * MIB / 2) && budget.holds_some(5 * MIB / 2 + 1));
        assert!(!budget.is_look_due(5 * MIB) && budget.is_look_due(5 * MIB + 1));
    }

    #[test]
    fn the_current_layer_gets_what_the_others_leave() {
        let budget = Budget::new(80 * MIB);
        assert_eq!(budget.for_current(0, None), 80 * MIB);
        assert_eq!(budget.for_current(30 * MIB, None), 50 * MIB);
        assert_eq!(budget.for_current(90 * MIB, None), 0);
        // A layer that may be split leaves a quarter to those that spill, and sorts its candidates
        // in the rest.
        let plain = Some(Candidate { state_bytes: 8, varies: false, origins: false });
        assert_eq!(budget.for_current(0, plain), 60 * MIB / 19 * 15 + 60 * MIB % 19 * 15 / 19);
        assert_eq!(budget.for_current(0, plain), budget.for_current(20 * MIB, plain));
        assert!(budget.for_current(21 * MIB, plain) < budget.for_current(20 * MIB, plain));
        let traced = Some(Candidate { state_bytes: 8, varies: false, origins: true });
        assert!(budget.for_current(0, traced) < budget.for_current(0, plain));
    }

    #[test]
    fn shares_never_exceed_the_limit() {
        for limit in [0, 1, 7, 1_000, 80 * MIB, usize::MAX] {
            let budget = Budget::new(limit);
            let current =
                budget.for_current(0, Some(Candidate { state_bytes: 32, varies: true, origins: true }));
            let shares = [
                budget.for_current(0, None),
                current,
                budget.for_revisits(),
                budget.for_early(),
                budget.for_filter(),
                budget.for_duplicates(),
                budget.for_partition_buffers(),
                budget.for_graph_sort(),
                budget.for_graph_block(),
            ];
            assert!(shares.iter().all(|share| *share <= limit), "{shares:?} of {limit}");
            assert!(!budget.is_exceeded(limit));
        }
    }

    #[test]
    fn a_part_of_a_layer_on_disk_leaves_room_for_successors() {
        assert_eq!(states_in_part(72 * MIB, 8, usize::MAX), MIB);
        assert_eq!(states_in_part(72 * MIB, 8, 10_000), 5_000);
        assert_eq!(states_in_part(0, 8, 0), LEAST_PART);
        let states = states_in_part(72 * MIB, 8, usize::MAX);
        assert!(layer_bytes(states, 8) < 72 * MIB / 3);
    }
}
