//! The end of the search: the best measures are polished, and decided on the large sample.

use super::super::simulation::{Cost, Kind, Sweep, simulate};
use super::{Candidate, Finder, Found, side_by_side};

impl Finder<'_> {
    /// The measure without components that it does not need, and with neighbours in the better
    /// order.
    pub(super) fn polished(&self, (price, chosen): &(f64, Vec<Candidate>)) -> (f64, Vec<Candidate>) {
        let (mut price, mut chosen) = (*price, chosen.clone());
        let mut number = 0;
        while number < chosen.len() {
            let mut without = chosen.clone();
            without.remove(number);
            if self.improves(&mut price, &without, 1.0) {
                chosen = without;
            } else {
                number += 1;
            }
        }
        for number in (1..chosen.len()).rev() {
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
        let mut found: Vec<(f64, Found)> = side_by_side(met, |mine| {
            let mut found: Vec<(f64, Found)> = Vec::new();
            for (_, chosen) in mine {
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
        let ordered = self.ordered(self.large, chosen);
        let flat = simulate(self.large, &ordered, Sweep::Flat, self.aim, limit);
        let mut best = (self.aim.price(&flat), flat, Kind::Flat);
        // If only the first components never decrease, the groups that they form can be swept one
        // by one.
        if flat.regress > 0 && monotone > 0 {
            let groups = self.ordered(self.large, &chosen[..monotone]);
            let nested = simulate(self.large, &ordered, Sweep::Nested(&groups), self.aim, limit);
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
        (price < self.tuning.worthwhile && cost.peak_share() < 1.0 - self.tuning.saved)
            .then_some((price, Found { components, cost, monotone, kind }))
    }
}
