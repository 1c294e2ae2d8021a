//! Windows behind the front: which a measure could do with, and what it costs then.
//!
//! What a step falls to was often met before by ways that a sample does not have: only where it is the whole state space does it show what a window is
//! worth. Otherwise windows are for sums that pass for the distance from the initial state, by which that is so.

use super::super::sample::Sample;
use super::super::simulation::{Beyond, Cost, Kind, Ordered, Positions, Sweep, simulate};
use super::{Candidate, Finder, Form, Subject};

/// Where steps fall by most of what there is, a window would be everything.
const WIDEST: f64 = 0.8;
/// Windows that are tried, as multiples of the longest fall, in quarters. A sweep that goes back may fall again from there.
const REACHES: [u64; 4] = [4, 5, 6, 8];

impl Finder<'_> {
    /// The price of a measure on a sample, with a window if it has a use for one.
    pub(super) fn price(&self, sample: &Sample, ordered: &Ordered, chosen: &[&Candidate], limit: f64) -> f64 {
        let flat = simulate(sample, ordered, Sweep::Flat, self.aim, limit);
        let price = self.aim.price(&flat);
        if flat.regress == 0 {
            return price;
        }
        let Some((positions, fall)) = self.positions(sample, chosen) else { return price };
        let window = Sweep::Window { positions: &positions, reach: fall, beyond: Beyond::Persists };
        price.min(self.aim.price(&simulate(sample, ordered, window, self.aim, limit.min(price))))
    }

    /// The best way to sweep over the large sample, of what was found and windows.
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
            let cost = simulate(self.large, ordered, window, self.aim, best.0);
            let price = self.aim.price(&cost);
            if price < best.0 {
                best = (price, cost, Kind::Window(reach));
            }
            // A wider one holds more and expands no less.
            if !cost.is_given_up && cost.explored <= cost.states {
                break;
            }
        }
        best
    }

    /// Where states are by the first component that falls, within those before it, and how far steps fall; `None` if a window is of no use.
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

    /// The values of a component in a sample, as far apart as they are in the model.
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
