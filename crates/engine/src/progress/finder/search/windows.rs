//! Windows behind the front: the width that suits a measure, and its cost then.
//!
//! A step that decreases a measure often leads to a state that was visited before, by a path that a
//! sample does not contain. Only a sample that is the whole state space shows what a window is
//! worth. Otherwise windows are tried only for sums that approximate the distance from the initial
//! state, for which this is known.

use super::super::sample::Sample;
use super::super::simulation::{Beyond, Cost, Kind, Ordered, Positions, Sweep, simulate};
use super::{Candidate, Finder, Form, Subject};

/// Steps that decrease by more than this share of the whole span would need a window over nearly
/// everything.
const WIDEST: f64 = 0.8;
/// Widths that are tried, in quarters of the longest decrease. A sweep that returns to a state may
/// decrease again from there.
const REACHES: [u64; 4] = [4, 5, 6, 8];

impl Finder<'_> {
    /// The price of a measure on a sample, with a window if one helps.
    pub(super) fn price(&self, sample: &Sample, ordered: &Ordered, chosen: &[&Candidate], limit: f64) -> f64 {
        let flat = simulate(sample, ordered, Sweep::Flat, self.bound(limit));
        let price = self.aim.price(&flat);
        if flat.regress > 0 && self.tuning.only_monotone {
            return f64::INFINITY;
        }
        if flat.regress == 0 {
            return price;
        }
        let Some((positions, fall)) = self.positions(sample, chosen) else { return price };
        let window = Sweep::Window { positions: &positions, reach: fall, beyond: Beyond::Persists };
        price.min(self.aim.price(&simulate(sample, ordered, window, self.bound(limit.min(price)))))
    }

    /// The cheapest of the given sweep over the large sample and sweeps with windows.
    pub(super) fn with_best_window(
        &self,
        ordered: &Ordered,
        chosen: &[&Candidate],
        found: (f64, Cost, Kind),
    ) -> (f64, Cost, Kind) {
        let mut best = found;
        let Some((positions, fall)) = self.positions(self.large, chosen) else { return best };
        let beyond = if self.large.complete { Beyond::Persists } else { Beyond::WasMet };
        for quarters in REACHES {
            let reach = (fall * quarters).div_ceil(4);
            let window = Sweep::Window { positions: &positions, reach, beyond };
            let cost = simulate(self.large, ordered, window, self.bound(best.0));
            let price = self.aim.price(&cost);
            if price < best.0 {
                best = (price, cost, Kind::Window(reach));
            }
            // A wider window holds more and expands no fewer states.
            if !cost.is_given_up && cost.explored <= cost.states {
                break;
            }
        }
        best
    }

    /// The positions of states by the first component that decreases, within those before it, and
    /// the longest decrease; `None` if a window is useless.
    fn positions(&self, sample: &Sample, chosen: &[&Candidate]) -> Option<(Positions, u64)> {
        let is_distance = matches!(chosen, [Candidate { subject: Subject::Sum(sum), .. }] if sum.is_distance);
        if !self.windows || !(sample.complete || is_distance) {
            return None;
        }
        let falling = chosen.iter().position(|one| one.ranking.falling > 0)?;
        let mut positions = self.distances(sample, chosen[falling])?;
        if falling > 0 {
            let mut groups = Ordered::constant(sample);
            chosen[..falling].iter().for_each(|one| self.refine(sample, &mut groups, one));
            groups.close_gaps();
            let span = 1u64 << chosen[falling].bits.min(32);
            positions.iter_mut().zip(groups.keys()).for_each(|(at, group)| *at += group * span);
        }
        let positions = Positions(positions);
        let fall = positions.longest_fall(sample);
        (fall as f64 <= WIDEST * positions.span() as f64).then_some((positions, fall))
    }

    /// The values of a component in a sample, with the distances they have in the model.
    fn distances(&self, sample: &Sample, candidate: &Candidate) -> Option<Vec<u64>> {
        let Candidate { subject, ranking, form, .. } = candidate;
        match (subject, form) {
            (Subject::Sum(sum), _) => {
                let column = sum.column(sample, self.size(sample));
                (!column.are_ranks).then(|| column.values.iter().map(|value| u64::from(*value)).collect())
            }
            (Subject::Cell(cell), Form::Ascending) => Some(sample.column(*cell).map(u64::from).collect()),
            (Subject::Cell(cell), Form::Descending) => {
                let greatest = sample.column(*cell).max()?;
                Some(sample.column(*cell).map(|value| u64::from(greatest - value)).collect())
            }
            (Subject::Cell(cell), Form::Levels | Form::Order) => {
                let rank = ranking.lookup();
                Some(sample.column(*cell).map(|value| u64::from(rank(value))).collect())
            }
            (Subject::Cell(_), Form::Static | Form::Sum) => None,
        }
    }
}
