//! The numbers that bound the search, with the reason for each.
//!
//! They trade time of the search for quality of the measure. None of them affects soundness: a
//! worse choice finds a worse measure, or none.

use super::super::learned_orders::Ranking;
use super::super::simulation::Aim;

/// Bits of a progress value.
pub(super) const BITS: u32 = 63;

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
}

impl Tuning {
    /// The numbers for an objective. Where only memory counts, the search accepts more regress
    /// edges.
    pub fn new(aim: Aim) -> Self {
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
            rises_per_fall: if only_memory { 1 } else { 2 },
        }
    }

    /// Whether a component increases so much more often than it decreases that it is tried.
    pub fn is_promising(&self, ranking: &Ranking) -> bool {
        ranking.rising > self.rises_per_fall * ranking.falling
    }
}
