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
//! 4. The limit is exceeded: the search stops.
//!
//! Everything here is a pure function of numbers of bytes. The tiers know their bytes, the loop
//! asks this table, and the tests below check the table alone.

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
/// The window closes when more than this is in use.
const WINDOW: Share = Share(7, 8);
/// Layers ahead, and persistent states, grow to this much in all before they spill: the current
/// layer must not claim it meanwhile.
const GROWTH_BEFORE_SPILL: Share = Share(1, 4);
/// States of a layer on disk that come to memory together: this part of the layer's budget. The
/// rest is for their successors.
const PART: Share = Share(1, 4);
/// Finding duplicates among layers ahead on their way to disk.
const DUPLICATES: Share = Share(1, 16);
/// Records on their way to partitions that are not in memory.
const PARTITION_BUFFERS: Share = Share(1, 4);
/// Sorting states of a recorded graph, and as much again for sorting its edges.
const GRAPH_SORT: Share = Share(1, 16);
/// One block of rows of a recorded graph, while a formula is evaluated.
const GRAPH_BLOCK: Share = Share(1, 8);

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
/// Bytes of the origin of a candidate, and for moving it while candidates are sorted.
const SORTED_ORIGIN: usize = 12;

/// What a state takes in the current layer, if the layer may be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Words of a state.
    pub width: usize,
    /// Whether each candidate carries its origin.
    pub origins: bool,
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

    /// Whether the window must give its memory to others.
    pub fn closes_window(self, in_use: usize) -> bool {
        in_use > WINDOW.of(self.limit)
    }

    /// Bytes for the current layer, where everything else takes `others` bytes. A layer that may be
    /// split leaves room for the growth of the tiers that spill, and for sorting its candidates.
    pub fn for_current(self, others: usize, split: Option<Candidate>) -> usize {
        let Some(Candidate { width, origins }) = split else { return self.limit.saturating_sub(others) };
        let left = self.limit.saturating_sub(others.max(GROWTH_BEFORE_SPILL.of(self.limit)));
        let state = 8 * width + INDEXED;
        let beside = SORTED + if origins { SORTED_ORIGIN } else { 0 };
        (left as f64 * state as f64 / (state + beside) as f64) as usize
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
pub fn states_in_part(budget: usize, width: usize, most: usize) -> usize {
    (PART.of(budget) / (8 * width + INDEXED_AFTER_GROWTH)).min(most / 2).max(LEAST_PART)
}

/// Estimated bytes of a layer of this many states of `width` words.
pub fn layer_bytes(states: usize, width: usize) -> usize {
    states * (8 * width + INDEXED_AFTER_GROWTH) + SMALL_LAYER
}

/// Estimated bytes that persistent states take when they enter the current layer.
pub fn entered_bytes(states: usize, width: usize) -> usize {
    states * width * 16
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
    }

    #[test]
    fn the_current_layer_gets_what_the_others_leave() {
        let budget = Budget::new(80 * MIB);
        assert_eq!(budget.for_current(0, None), 80 * MIB);
        assert_eq!(budget.for_current(30 * MIB, None), 50 * MIB);
        assert_eq!(budget.for_current(90 * MIB, None), 0);
        // A layer that may be split leaves a quarter to those that spill, and sorts its candidates
        // in the rest.
        let plain = Some(Candidate { width: 1, origins: false });
        assert_eq!(budget.for_current(0, plain), 60 * MIB / 19 * 15 + 60 * MIB % 19 * 15 / 19);
        assert_eq!(budget.for_current(0, plain), budget.for_current(20 * MIB, plain));
        assert!(budget.for_current(21 * MIB, plain) < budget.for_current(20 * MIB, plain));
        let traced = Some(Candidate { width: 1, origins: true });
        assert!(budget.for_current(0, traced) < budget.for_current(0, plain));
    }

    #[test]
    fn shares_never_exceed_the_limit() {
        for limit in [0, 1, 7, 1_000, 80 * MIB, usize::MAX] {
            let budget = Budget::new(limit);
            let current = budget.for_current(0, Some(Candidate { width: 4, origins: true }));
            let shares = [
                budget.for_current(0, None),
                current,
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
        assert_eq!(states_in_part(72 * MIB, 1, usize::MAX), MIB);
        assert_eq!(states_in_part(72 * MIB, 1, 10_000), 5_000);
        assert_eq!(states_in_part(0, 1, 0), LEAST_PART);
        let states = states_in_part(72 * MIB, 1, usize::MAX);
        assert!(layer_bytes(states, 1) < 72 * MIB / 3);
    }
}
