//! What the order of a sweep follows.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::progress::Comparison;

/// What the order of states follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All states are one layer: full exploration, breadth-first.
    Constant,
    /// The model's progress measure.
    Progress {
        /// Whether initial states are persistent from the start.
        initial: Initial,
        /// What to do when progress falls.
        regress: OnRegress,
        /// Which parts of a progress value are swept on their own. Ignored where vectors are compared component by component: there is no
        /// component that counts more than the others.
        nesting: Nesting,
        /// How progress values are compared.
        comparison: Comparison,
        /// How long layers are remembered that are expanded. Ignored where vectors are compared component by component, where groups are swept
        /// on their own, where progress must not fall, and where an observer needs to hear of all steps: what it does with them rests on persistent states.
        retention: Retention,
    },
}

/// How long a sweep remembers layers that are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Retention {
    /// Not at all: a step to smaller progress leads to a persistent state.
    #[default]
    Immediate,
    /// As long as the greatest value so far is greater by no more than `reach`, if only bits from `bit` on count.
    Window {
        /// The lowest bit of the component that counts.
        bit: u32,
        /// How far it may fall.
        reach: u64,
    },
}

/// Parts of progress values. States whose values agree from some bit upwards are a group: before the sweep leaves a group, it
/// sweeps again from the persistent states that were found in it. What lies ahead of the group waits meanwhile, and is
/// swept once. So a regress edge costs a sweep of the smallest group around it, not of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nesting {
    /// The lowest bit of each part. Without parts, all states are one group: the sweep of the papers.
    pub parts: u64,
    /// Values from this bit upwards are said never to fall: persistent states are dropped with their group. Should they fall all the
    /// same, dropping ends, and the search is complete as ever.
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
    /// They are forgotten like all others, as in the papers.
    Forgotten,
}

/// What to do when progress falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum OnRegress {
    /// Sweep again from there.
    #[default]
    Sweep,
    /// End the search and show the step.
    Stop,
}
