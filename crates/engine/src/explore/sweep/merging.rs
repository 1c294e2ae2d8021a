//! Merging layers: several threads need layers that are large enough to share.
//!
//! Layers of a few hundred states are expanded by one thread while the others wait. Dropping the
//! lowest bits of all progress values joins neighbouring layers, and the result is a measure like
//! any other. A merged layer holds a little more than its parts held one by one, and some ten thousand
//! states are little memory.
//!
//! The number of bits is chosen when layers have been small for a while, from the usual distance of
//! their values. The mean would not do: when a component of a tuple changes, the value jumps.
//! It takes effect when the sweep enters a group of layers that it has not begun: no state of a
//! merged layer is behind the front. Steps that fall inside a merged layer are not noticed, so there
//! is no merging where regress edges are to be found, nor where groups or windows are named by bits,
//! nor where layers wait on disk.

use model::measure::Comparison;
use serde::{Deserialize, Serialize};

use crate::explore::search::Counters;
use crate::store::behind::Retention;
use crate::store::settled::Settled;

use super::Sweep;
use super::order::OnRegress;

/// Layers are merged if they have fewer states than this, in the mean.
const SMALL: u64 = 1 << 12;
/// States that a merged layer should have, and the most that may wait for one.
const WANTED: u64 = 1 << 14;
const MOST: u64 = 1 << 18;
/// Layers between two judgements.
const JUDGED: u64 = 64;
/// Binary logarithms of distances that are told apart.
const DISTANCES: usize = 32;
/// Most bits that are dropped.
const MOST_BITS: u32 = 48;

/// How layers are merged.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Merging {
    /// Bits of progress values that are dropped.
    pub(super) bits: u32,
    /// Bits that will be dropped besides, as soon as the sweep enters a group of layers.
    planned: u32,
    /// Numbers of layers and expansions at the last judgement.
    judged: (u64, u64),
    /// Distances of neighbouring layers since then, counted by their binary logarithms.
    distances: [u32; DISTANCES],
    /// Whether an observer allows it.
    pub(super) is_allowed: bool,
}

impl Merging {
    /// Nothing is merged yet by the measure that follows.
    pub(super) fn restarted(&self, counters: &Counters) -> Self {
        let judged = (counters.layers, counters.explored);
        Self { judged, is_allowed: self.is_allowed, ..Self::default() }
    }
}

impl Sweep {
    /// Merges layers before the sweep moves to this value, if they are small. Returns the value in
    /// the new measure.
    pub(super) fn merge_small_layers(&mut self, next: u64) -> u64 {
        if !self.team.merges(self.figures.counters.explored) || !self.merging.is_allowed {
            return next;
        }
        if let Some(logarithm) = next.checked_sub(self.front.value).and_then(u64::checked_ilog2) {
            self.merging.distances[(logarithm as usize).min(DISTANCES - 1)] += 1;
        }
        self.plan_merging();
        let bits = self.merging.planned;
        let is_group_begun = self.current.has_expanded() && next >> bits == self.front.value >> bits;
        let can_merge = self.ahead.can_merge()
            && self.behind.can_merge()
            && self.settled.as_ref().is_none_or(Settled::can_merge);
        if bits == 0 || is_group_begun || !can_merge {
            return next;
        }
        self.ahead.merge(bits);
        self.behind.merge(bits);
        self.settled.iter_mut().for_each(|settled| settled.merge(bits));
        self.merging.bits += bits;
        self.merging.planned = 0;
        self.front.value >>= bits;
        self.front.floor >>= bits;
        self.front.merged = self.merging.bits;
        self.figures.counters.merged_bits = self.merging.bits;
        next >> bits
    }

    /// Every few layers, decides how many bits to drop.
    #[inline(always)]
    fn plan_merging(&mut self) {
        let (layers, explored) = (self.figures.counters.layers, self.figures.counters.explored);
        let (layers_before, explored_before) = self.merging.judged;
        if layers < layers_before + JUDGED {
            return;
        }
        self.merging.judged = (layers, explored);
        let mean = (explored - explored_before) / (layers - layers_before);
        self.merging.planned = if mean < SMALL && self.may_merge() { self.bits_for(mean) } else { 0 };
        self.merging.distances = [0; DISTANCES];
    }

    fn may_merge(&self) -> bool {
        self.rules.is_measured
            && self.rules.comparison == Comparison::Total
            && self.rules.nesting.parts == 0
            && self.rules.nesting.monotone.is_none()
            && self.rules.retention == Retention::Immediate
            && self.rules.regress == OnRegress::Sweep
            && self.merging.bits < MOST_BITS
    }

    /// The number of bits without which layers have about as many states as wanted, if the values that
    /// wait are not too close for that.
    #[cold]
    fn bits_for(&self, mean: u64) -> u32 {
        let distances = &self.merging.distances;
        let half = distances.iter().sum::<u32>().div_ceil(2);
        let mut counted = 0;
        let usual = distances.iter().position(|number| {
            counted += number;
            counted >= half
        });
        let joined = (WANTED / mean.max(1)).max(2).ilog2();
        let most = MOST_BITS - self.merging.bits;
        let bits = (usual.unwrap_or(0) as u32 + joined).min(most);
        let waiting = self.ahead.sizes();
        (1..=bits).rev().find(|bits| largest_group(&waiting, *bits) <= MOST).unwrap_or(0)
    }
}

/// The most entries whose values agree without the lowest bits. Values are in order.
fn largest_group(waiting: &[(u64, usize)], bits: u32) -> u64 {
    let groups = waiting.chunk_by(|one, other| one.0 >> bits == other.0 >> bits);
    groups.map(|group| group.iter().map(|(_, entries)| *entries as u64).sum()).max().unwrap_or(0)
}
