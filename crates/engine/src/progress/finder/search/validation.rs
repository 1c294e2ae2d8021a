//! The end of the search: the best measures are polished, and decided on the large sample.

use std::cmp::Ordering;

use super::super::simulation::{Cost, Kind, Sweep, simulate};
use super::{Candidate, Finder, Found, Subject, Tested, side_by_side};

impl Finder<'_> {
    /// The measure without components that it does not need, and with neighbours in the better
    /// order.
    pub(super) fn polished(&self, (price, chosen): &(f64, Vec<Candidate>)) -> (f64, Vec<Candidate>) {
        let (mut price, mut chosen) = (*price, chosen.clone());
        let mut number = 0;
        while number < chosen.len() && !self.is_stopped() {
            let mut without = chosen.clone();
            without.remove(number);
            if self.improves(&mut price, &without, 1.0) {
                chosen = without;
            } else {
                number += 1;
            }
        }
        for number in (1..chosen.len()).rev() {
            if self.is_stopped() {
                break;
            }
            let mut swapped = chosen.clone();
            swapped.swap(number - 1, number);
            if self.improves(&mut price, &swapped, self.tuning.gain) {
                chosen = swapped;
            }
        }
        (price, chosen)
    }

    /// Whether the measure is better on the small sample; if so, `price` becomes its price.
    fn improves(&self, price: &mut f64, chosen: &[Candidate], gain: f64) -> bool {
        let ordered = self.ordered(self.small, chosen);
        let chosen: Vec<&Candidate> = chosen.iter().collect();
        let new = self.price(self.small, &ordered, &chosen, *price * gain);
        let is_better = new <= *price * gain;
        if is_better {
            *price = new;
        }
        is_better
    }

    /// The best measures by their price on the large sample, best first.
    pub(super) fn validated(&self, met: Vec<(f64, Vec<Candidate>)>) -> Vec<Found> {
        let mut found: Vec<(f64, Found)> = side_by_side(self.threads, met, |mine| {
            let mut found: Vec<(f64, Found)> = Vec::new();
            for (_, mut chosen) in mine {
                if self.is_stopped() {
                    break;
                }
                while chosen.len() > 1 && self.mean_layer(&chosen) < self.tuning.least_layer {
                    chosen.pop();
                }
                let limit =
                    found.iter().map(|one| one.0).fold(self.tuning.worthwhile, f64::min) * self.tuning.worse;
                found.extend(self.validate(&chosen, limit));
            }
            found
        });
        // Measures of equal cost are one measure in two forms: the shorter one stays.
        found.sort_by_key(|(_, one)| one.components.len());
        let mut costs: Vec<Cost> = Vec::new();
        found.retain(|(_, one)| {
            let is_new = !costs.contains(&one.cost);
            costs.push(one.cost);
            is_new
        });
        found.sort_by(|one, other| one.0.total_cmp(&other.0));
        let worst = found.first().map_or(0.0, |best| best.0 * self.tuning.worse);
        found.into_iter().filter(|one| one.0 <= worst).map(|(_, found)| found).collect()
    }

    /// The measure with its price on the large sample, if it is worthwhile.
    fn validate(&self, chosen: &[Candidate], limit: f64) -> Option<(f64, Found)> {
        let monotone = chosen.iter().take_while(|one| one.ranking.falling == 0).count();
        let changes = self.changes(chosen);
        // The small sample, on which it was polished, has fewer steps.
        if self.tuning.only_monotone && !self.is_monotone(&changes) {
            return None;
        }
        let ordered = self.ordered(self.large, chosen);
        let flat = simulate(self.large, &ordered, Sweep::Flat, self.bound(limit));
        let mut best = (self.aim.price(&flat), flat, Kind::Flat);
        // If only the first components never decrease, the groups that they form can be swept one
        // by one.
        if flat.regress > 0 && monotone > 0 {
            let groups = self.ordered(self.large, &chosen[..monotone]);
            let nested = simulate(self.large, &ordered, Sweep::Nested(&groups), self.bound(limit));
            let price = self.aim.price(&nested);
            if price < best.0 {
                best = (price, nested, Kind::Nested);
            }
        }
        if flat.regress > 0 {
            let chosen: Vec<&Candidate> = chosen.iter().collect();
            best = self.with_best_window(&ordered, &chosen, best);
        }
        let (price, cost, kind) = best;
        let components = chosen.iter().map(|one| self.expression(one)).collect();
        (price < self.tuning.worthwhile && cost.peak_share() < 1.0 - self.tuning.saved).then(|| {
            (price, Found { components, cost, monotone, kind, tested: self.tested(chosen, &changes) })
        })
    }
    /// By kind of step in the large sample, how the measure changes along it.
    fn changes(&self, chosen: &[Candidate]) -> Vec<Ordering> {
        let mut changes = vec![Ordering::Equal; self.large.kinds()];
        for candidate in chosen {
            match &candidate.subject {
                Subject::Cell(cell) => {
                    let rank = candidate.ranking.lookup();
                    for change in self.large.changes(*cell) {
                        let one = &mut changes[change.kind as usize];
                        *one = one.then_with(|| rank(change.to).cmp(&rank(change.from)));
                    }
                }
                Subject::Sum(sum) => {
                    for (kind, delta) in &sum.deltas {
                        let one = &mut changes[*kind as usize];
                        *one = one.then(delta.cmp(&0));
                    }
                }
            }
        }
        changes
    }

    /// Whether no step that was learned from decreases the measure.
    fn is_monotone(&self, changes: &[Ordering]) -> bool {
        let mut falling = (0..).zip(changes).filter(|(_, change)| change.is_lt());
        falling.all(|(kind, _)| self.large.steps_of(kind) == 0)
    }

    /// What the steps that nothing was learned from say of the measure.
    fn tested(&self, chosen: &[Candidate], changes: &[Ordering]) -> Tested {
        let mut tested = Tested { mean_layer: self.mean_layer(chosen), ..Tested::default() };
        for (kind, change) in changes.iter().enumerate() {
            let steps = self.large.tests_of(kind) as usize;
            tested.steps += steps;
            tested.regress += if change.is_lt() { steps } else { 0 };
        }
        tested
    }

    /// Estimated number of states per layer among those that the search has met. Infinite if nothing
    /// is known of them.
    fn mean_layer(&self, chosen: &[Candidate]) -> f64 {
        let Some((explored, met)) = self.explored else { return f64::INFINITY };
        let ordered = self.ordered(explored, chosen);
        let (layers, once, twice) = ordered.layers_by_size();
        // Layers that the sample missed (Chao 1984).
        let missed = once as f64 * (once as f64 - 1.0) / (2.0 * (twice as f64 + 1.0));
        met as f64 / (layers as f64 + missed.max(0.0)).min(met as f64)
    }
}
