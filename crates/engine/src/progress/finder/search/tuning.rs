//! The numbers that bound the search, with the reason for each.
//!
//! They trade time of the search for quality of the measure. None of them affects soundness: a
//! worse choice finds a worse measure, or none.

use super::super::Effort;
use super::super::learned_orders::Ranking;
use super::super::simulation::Aim;

/// Bits of a progress value.
pub(super) const BITS: u32 = 63;

/// Greatest share of the states that a sweep may hold for a running search to change to it. Orders
/// that are wrong about what lies ahead of the search mostly save little: those of `brp.3`, `brp.4`
/// and `brp.5` hold 0.39 to 0.74 of the sample, and all right ones at most 0.31.
pub(in super::super) const MOST_HELD: f64 = 0.35;
/// Greatest number of expansions for each state of the sample, for the same purpose.
pub(in super::super) const MOST_EXPANSIONS: f64 = 1.05;
/// Least number of steps that the measure was tested with, for the same purpose. Fewer say little:
/// one regress edge in a thousand steps can double the time.
pub(in super::super) const LEAST_TESTS: usize = 3_000;
/// Least mean number of states of a layer, for the same purpose.
pub(in super::super) const LEAST_LAYER: f64 = 100.0;

/// Bounds and thresholds of the search. Prices are relative: full exploration has the price one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// Candidates of one cell that are simulated for each measure in each step. Half are those with
    /// the best balance of increasing over decreasing steps, half those with the least share of
    /// decreasing ones. The second criterion finds components that rarely change.
    pub simulated: usize,
    /// Extensions that are the best on the tiny sample and are compared on the small one.
    pub compared: usize,
    /// Measures that are extended side by side.
    pub beam: usize,
    /// Measures that are simulated on the large sample.
    pub validated: usize,
    /// Measures that are polished: many simulations each, so only the very best.
    pub polished: usize,
    /// Steps of the search, each of which adds at least one component.
    pub most_steps: usize,
    /// Steps without gain before the search ends. More than one, since a component may pay off only
    /// together with the next.
    pub patience: usize,
    /// Factor by which a further component must lower the price to count as a gain, and an exchange
    /// of neighbours to be made.
    pub gain: f64,
    /// Factor by which a measure may be worse than the best one and still be proposed.
    pub worse: f64,
    /// The price from which on a measure is not worth it. The price of memory alone may exceed that
    /// of full exploration: repeated expansions are no reason to keep every state.
    pub worthwhile: f64,
    /// Factor by which the price on the small sample may exceed `worthwhile`, since the large one
    /// decides.
    pub hopeless: f64,
    /// Share of the states that a sweep must not hold at its peak.
    pub saved: f64,
    /// How many times as often a component must increase as decrease to be tried.
    pub rises_per_fall: u64,
    /// Whether components that decrease along any step of the sample are not tried at all. Even a
    /// few regress edges can double the expansions, and a sample hardly shows it: on `rether.5` it
    /// predicted 1.02 expansions for each state, and there were 2.6.
    pub only_monotone: bool,
    /// Least mean number of states of a layer, as far as a search has met them. Small layers cost
    /// time, so components that divide layers further are cut off.
    pub least_layer: f64,
}

impl Tuning {
    /// The numbers for an objective. Where only memory counts, the search accepts more regress
    /// edges.
    pub fn new(aim: Aim, effort: Effort) -> Self {
        if effort == Effort::Beside {
            // A third of the work, and nothing that a sample could be wrong about.
            return Self {
                simulated: 10,
                compared: 8,
                beam: 4,
                validated: 6,
                polished: 1,
                patience: 1,
                only_monotone: true,
                least_layer: 500.0,
                ..Self::new(aim, Effort::Quick)
            };
        }
        let only_memory = matches!(aim, Aim::Product { alpha } if alpha <= 1.0);
        Self {
            simulated: 12,
            compared: 20,
            beam: 8,
            validated: 12,
            polished: 3,
            most_steps: 10,
            patience: 2,
            gain: 0.98,
            worse: 1.5,
            worthwhile: if only_memory { 2.0 } else { 0.85 },
            hopeless: 1.12,
            saved: 0.03,
            only_monotone: false,
            least_layer: 0.0,
            rises_per_fall: if only_memory { 1 } else { 2 },
        }
    }

    /// Whether a component increases so much more often than it decreases that it is tried.
    pub fn is_promising(&self, ranking: &Ranking) -> bool {
        ranking.rising > self.rises_per_fall * ranking.falling && self.is_allowed(ranking)
    }

    /// Whether a component is tried together with those that are alike.
    pub fn is_promising_in_family(&self, ranking: &Ranking) -> bool {
        ranking.rising > ranking.falling && self.is_allowed(ranking)
    }

    /// Whether a component may be tried at all.
    pub fn is_allowed(&self, ranking: &Ranking) -> bool {
        !self.only_monotone || ranking.falling == 0
    }
}
