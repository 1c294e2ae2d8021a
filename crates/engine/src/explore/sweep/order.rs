//! The order of a sweep, and the rules that follow from it.

use std::ops::RangeInclusive;

use model::measure::Comparison;
use serde::{Deserialize, Serialize};

use crate::store::behind::Retention;

/// The order in which a sweep visits states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All states are one layer: full exploration, breadth-first.
    Constant,
    /// The model's progress measure.
    Progress {
        /// Whether initial states are persistent from the start.
        initial: Initial,
        /// What to do at a regress edge.
        regress: OnRegress,
        /// The groups of layers that are swept separately. Ignored if vectors are compared
        /// component by component, because no component is more significant than the others.
        nesting: Nesting,
        /// How progress values are compared.
        comparison: Comparison,
        /// How long expanded layers are kept. Ignored if vectors are compared component by
        /// component, if groups are swept separately, if the measure must be monotone, and if an
        /// observer needs all steps, because it relies on persistent states.
        retention: Retention,
    },
}

/// The order in which a search continues after a change of measure. Values are compared as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewOrder {
    /// The groups of layers that are swept separately.
    pub nesting: Nesting,
    /// How long expanded layers are kept.
    pub retention: Retention,
    /// Mean number of expansions per state above which the sweep stops deleting states. Those before
    /// a change between two sweeps do not count.
    pub revisits: f64,
}

impl NewOrder {
    /// The order, for a search that begins in it.
    pub fn order(self) -> Order {
        Order::Progress {
            initial: Initial::Pinned,
            regress: OnRegress::Sweep,
            nesting: self.nesting,
            comparison: Comparison::Total,
            retention: self.retention,
        }
    }
}

/// The rules of one search: its order, without the parts that do not apply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Whether the measure is not constant.
    pub(super) is_measured: bool,
    pub(super) initial: Initial,
    pub(super) regress: OnRegress,
    pub(super) nesting: Nesting,
    pub(super) comparison: Comparison,
    pub(super) retention: Retention,
}

impl Rules {
    pub(super) fn new(order: Order) -> Self {
        let Order::Progress { initial, regress, nesting, comparison, retention } = order else {
            return Self {
                is_measured: false,
                initial: Initial::default(),
                regress: OnRegress::default(),
                nesting: Nesting::default(),
                comparison: Comparison::default(),
                retention: Retention::default(),
            };
        };
        let is_total = comparison == Comparison::Total;
        let nesting = if is_total { nesting } else { Nesting::default() };
        let has_window = is_total && nesting.parts == 0 && regress == OnRegress::Sweep;
        let retention = if has_window { retention } else { Retention::Immediate };
        Self { is_measured: true, initial, regress, nesting, comparison, retention }
    }

    /// Whether a sweep may return to smaller values without a window.
    pub(super) fn is_nested(&self) -> bool {
        self.nesting.parts != 0 || self.comparison != Comparison::Total
    }

    /// Records a regress edge. It may show that a part of the values that was assumed to be
    /// monotone is not.
    #[inline(always)]
    pub(super) fn note_regress(&mut self, before: u64, after: u64) {
        if self.nesting.monotone.is_some_and(|bit| after >> bit < before >> bit) {
            self.nesting.monotone = None;
        }
    }
}

/// Groups of layers that are swept separately (nested sweeps). States whose values agree from some
/// bit upwards are a group. Before the sweep leaves a group, it sweeps the group again from the
/// persistent states that were found in it. Future layers outside the group wait, and are swept
/// once. So a regress edge costs a sweep of the smallest group around it, not of all layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nesting {
    /// The lowest bit of each part. Without parts, all states are one group, as in the papers.
    pub parts: u64,
    /// Values from this bit upwards are assumed to be monotone, so persistent states are deleted
    /// with their group. After a regress edge in these bits no more are deleted, and the search is
    /// still complete.
    pub monotone: Option<u32>,
}

impl Nesting {
    /// The values of the largest group that is left on the way from `here` to `next`.
    pub(super) fn left(self, here: u64, next: u64) -> RangeInclusive<u64> {
        let highest = 63 - (here ^ next).leading_zeros().min(63);
        // The parts up to that bit.
        let parts = self.parts & (u64::MAX >> (63 - highest));
        match parts.checked_ilog2() {
            Some(part) => here >> part << part..=here,
            // Groups are left at the end only.
            None => here..=here,
        }
    }
}

/// What happens to initial states once they are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Initial {
    /// They are persistent.
    #[default]
    Pinned,
    /// They are deleted like all other states, as in the papers.
    Forgotten,
}

/// What to do at a regress edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum OnRegress {
    /// Make its target persistent, and sweep again from there.
    #[default]
    Sweep,
    /// End the search, and report the regress edge.
    Stop,
}
