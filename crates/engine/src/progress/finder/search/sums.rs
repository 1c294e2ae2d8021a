//! Candidates beside orders of one cell: weighted sums of cells, and cells that divide layers.

use std::sync::Arc;

use model::value_ranges::expression_range;

use super::super::functionals::Functional;
use super::super::learned_orders::Ranking;
use super::{Candidate, Finder, Form, Prefix, Subject};

/// Limit on the components that divide layers, for each measure in each step.
const DIVIDING: usize = 10;
/// Limit on the values of a cell that divides layers.
const MOST_DIVIDING: usize = 64;

impl Finder<'_> {
    /// A weighted sum as a candidate, judged by the kinds of steps that count.
    pub(super) fn sum(&self, sum: Arc<Functional>, counts: impl Fn(usize) -> bool) -> Candidate {
        let mut ranking = Ranking { ranks: Vec::new(), rising: 0, falling: 0 };
        for (kind, delta) in sum.deltas.iter().filter(|(kind, _)| counts(*kind as usize)) {
            let steps = u64::from(self.large.steps_of(*kind as usize));
            *if *delta > 0 { &mut ranking.rising } else { &mut ranking.falling } += steps;
        }
        let range = expression_range(self.model, self.layout.proved_ranges(), &sum.expression());
        let bits = u32::from(range.bits());
        Candidate { subject: Subject::Sum(sum), ranking, form: Form::Sum, given: None, bits }
    }

    /// Sums that increase along many of the steps that leave the measure unchanged, and decrease
    /// along few.
    pub(super) fn refining_sums(&self, prefix: &Prefix) -> Vec<Vec<Candidate>> {
        let candidate = |sum: Arc<Functional>| self.sum(sum, |kind| prefix.is_stationary[kind]);
        let is_good = |one: &Candidate| self.tuning.is_promising(&one.ranking);
        let mut lists = Vec::new();
        // Sums of the matrix are tried first on their own.
        if !prefix.chosen.is_empty() {
            for one in &self.sums {
                let Subject::Sum(sum) = &one.subject else { continue };
                lists.extend(Some(candidate(sum.clone())).filter(is_good).map(|one| vec![one]));
            }
        }
        let counts = |kind: u32| prefix.is_stationary[kind as usize];
        let by_flow: Vec<Vec<Candidate>> = (0..self.flows.flows.len())
            .map(|flow| self.flows.sums(flow, self.large, counts).into_iter().map(candidate).collect())
            .collect();
        for family in &self.flows.families {
            for form in 0..2 {
                let members = family.iter().filter_map(|flow| by_flow[*flow].get(form));
                let list: Vec<Candidate> =
                    members.filter(|one| self.tuning.is_promising_in_family(&one.ranking)).cloned().collect();
                lists.extend(Some(list).filter(|list| list.len() > 1));
            }
        }
        let mut single: Vec<Candidate> = by_flow.into_iter().flatten().filter(is_good).collect();
        let balance = |one: &Candidate| one.ranking.rising as i64 - 4 * one.ranking.falling as i64;
        single.sort_by_key(|one| std::cmp::Reverse(balance(one)));
        lists.extend(single.into_iter().take(self.tuning.simulated).map(|one| vec![one]));
        lists
    }

    /// Cells that divide the largest layer evenly. Where steps lead from layer to layer, the order
    /// inside a layer is free: its parts are dropped one by one, and their share of the next layer
    /// is held later.
    pub(super) fn dividing(&self, prefix: &Prefix) -> Vec<Candidate> {
        let members = prefix.tiny.largest_layer();
        let mut divided: Vec<(usize, usize)> = Vec::new();
        for cell in 0..self.large.cells() {
            let values = &self.values[cell];
            if values.len() < 2 || values.len() > MOST_DIVIDING || !self.tiny.is_changed(cell) {
                continue;
            }
            let mut counts = vec![0usize; values.len()];
            members.iter().for_each(|state| {
                let value = self.tiny.value(cell, *state as usize);
                counts[values.partition_point(|other| *other < value)] += 1;
            });
            let largest = counts.into_iter().max().unwrap_or(0);
            if 10 * largest < 9 * members.len() {
                divided.push((largest, cell));
            }
        }
        divided.sort_unstable();
        let mut found = Vec::new();
        for (_, cell) in divided {
            let values = &self.values[cell];
            let is_alive = |kind: u32| prefix.is_stationary[kind as usize];
            let (mut rising, mut falling) = (0, 0);
            for change in self.large.changes(cell).iter().filter(|change| is_alive(change.kind)) {
                rising += u64::from(change.to > change.from) * u64::from(change.steps);
                falling += u64::from(change.to < change.from) * u64::from(change.steps);
            }
            let up = (0..).zip(values).map(|(rank, value)| (*value, rank)).collect();
            let last = values.len() as u32 - 1;
            let down = (0..).zip(values).map(|(rank, value)| (*value, last - rank)).collect();
            let up = (Ranking { ranks: up, rising, falling }, Form::Ascending);
            let down = (Ranking { ranks: down, rising: falling, falling: rising }, Form::Descending);
            for (ranking, form) in [up, down] {
                if ranking.falling == 0 && ranking.rising == 0 {
                    let bits = self.bits(cell, form, &ranking);
                    found.push(Candidate { subject: Subject::Cell(cell), ranking, form, given: None, bits });
                }
            }
            if found.len() >= DIVIDING {
                break;
            }
        }
        found
    }
}
