//! Upper bounds on the tokens of places, proved from the structure of the net.
//!
//! A *weighting* gives every place a number `y ≥ 0` such that no transition increases the weighted
//! sum of tokens. Then the sum never exceeds that of the initial marking, and place `p` never holds
//! more than `y·m₀ / y_p` tokens. The extreme weightings are found by Farkas's elimination. It
//! begins with one row for each place, and removes each transition that increases a row by adding
//! rows that it decreases (Colom and Silva, *Convex geometry and semiflows in P/T nets*, 1991, for
//! equalities; here a sum may also decrease). The least bound over these rows equals the bound of
//! the linear program over the state equation, and it is exact: there are no fractions to round,
//! unlike in a solver that was considered first.
//!
//! There may be exponentially many rows. Each is a proof by itself. So rows with many places are
//! dropped when there are too many, and the elimination stops when it takes too long: a bound may
//! be missed, but none is wrong. The result is checked once more against the net. Inhibitor arcs
//! only forbid steps, so they do not affect the bounds.

use std::collections::{BTreeMap, BTreeSet};

use super::net::Net;

/// The most rows made for one transition.
const COMBINATIONS: usize = 4_000;
/// The most rows kept at a time, beyond one for each place.
const ROWS: usize = 2_000;
/// The most entries of rows written in total.
const WORK: usize = 20_000_000;

/// For each place, its proved upper bound on tokens, if there is one.
pub fn proved_bounds(net: &Net) -> Vec<Option<u32>> {
    let changes: Vec<Vec<(u32, i64)>> =
        net.transitions.iter().map(|transition| transition.changes()).collect();
    let mut bounds = vec![None; net.places.len()];
    for weighting in weightings(net, &changes) {
        if never_grows(&weighting, &changes) {
            apply(&weighting, net, &mut bounds);
        }
    }
    bounds
}

/// Weights of places, in the order of places; other places have weight 0.
type Weighting = Vec<(u32, i64)>;

/// Candidates: those of the elimination, and if it had to stop, sums that are likely to be
/// constant.
fn weightings(net: &Net, changes: &[Vec<(u32, i64)>]) -> Vec<Weighting> {
    let mut found = Elimination::new(net.places.len(), changes).run();
    let sum_of = |places: &[u32]| {
        let places: BTreeSet<u32> = places.iter().copied().collect();
        places.into_iter().map(|place| (place, 1)).collect::<Weighting>()
    };
    found.extend(net.units.iter().map(|unit| sum_of(&unit.places)));
    found.push((0..net.places.len() as u32).map(|place| (place, 1)).collect());
    found
}

/// Whether no transition increases the weighted sum.
fn never_grows(weighting: &Weighting, changes: &[Vec<(u32, i64)>]) -> bool {
    let weights: BTreeMap<u32, i64> = weighting.iter().copied().collect();
    let weight = |place: &u32| i128::from(weights.get(place).copied().unwrap_or(0));
    weighting.iter().all(|(_, weight)| *weight >= 0)
        && changes.iter().all(|changes| {
            let change = changes.iter().map(|(place, change)| weight(place) * i128::from(*change));
            change.sum::<i128>() <= 0
        })
}

fn apply(weighting: &Weighting, net: &Net, bounds: &mut [Option<u32>]) {
    let tokens = |place: u32| i128::from(net.places[place as usize].tokens);
    let sum: i128 = weighting.iter().map(|(place, weight)| i128::from(*weight) * tokens(*place)).sum();
    for (place, weight) in weighting.iter().filter(|(_, weight)| *weight > 0) {
        if let Ok(bound) = u32::try_from(sum / i128::from(*weight)) {
            let known = &mut bounds[*place as usize];
            *known = Some(known.map_or(bound, |known: u32| known.min(bound)));
        }
    }
}

/// A weighting, with the change of its sum by each transition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    weights: Weighting,
    effects: Vec<(u32, i64)>,
}

impl Row {
    fn effect(&self, transition: u32) -> i64 {
        self.effects.binary_search_by_key(&transition, |(known, _)| *known).map_or(0, |at| self.effects[at].1)
    }

    /// `a` times this row plus `b` times another one, divided by common factors. None, if the
    /// numbers become too large.
    fn plus(&self, a: i64, other: &Row, b: i64) -> Option<Row> {
        let mut weights = combined(&self.weights, a, &other.weights, b)?;
        let mut effects = combined(&self.effects, a, &other.effects, b)?;
        let common = weights.iter().chain(&effects).fold(0, |known, (_, number)| gcd(known, *number));
        if common > 1 {
            weights.iter_mut().chain(&mut effects).for_each(|(_, number)| *number /= common);
        }
        Some(Row { weights, effects })
    }
}

fn combined(left: &[(u32, i64)], a: i64, right: &[(u32, i64)], b: i64) -> Option<Vec<(u32, i64)>> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut sum = Vec::with_capacity(left.len() + right.len());
    loop {
        let next = match (left.peek(), right.peek()) {
            (None, None) => return Some(sum),
            (Some((x, _)), Some((y, _))) => *x.min(y),
            (Some((one, _)), None) | (None, Some((one, _))) => *one,
        };
        let x = left.next_if(|(one, _)| *one == next).map_or(0, |(_, number)| *number);
        let y = right.next_if(|(one, _)| *one == next).map_or(0, |(_, number)| *number);
        let number = x.checked_mul(a)?.checked_add(y.checked_mul(b)?)?;
        if number != 0 {
            sum.push((next, number));
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

struct Elimination {
    rows: Vec<Row>,
    transitions: usize,
    most_rows: usize,
    work: usize,
}

impl Elimination {
    /// One row for each place.
    fn new(places: usize, changes: &[Vec<(u32, i64)>]) -> Self {
        let mut effects = vec![Vec::new(); places];
        for (transition, changes) in (0..).zip(changes) {
            for (place, change) in changes {
                effects[*place as usize].push((transition, *change));
            }
        }
        let rows = (0..).zip(effects).map(|(place, effects)| Row { weights: vec![(place, 1)], effects });
        Self { rows: rows.collect(), transitions: changes.len(), most_rows: places + ROWS, work: 0 }
    }

    fn run(mut self) -> Vec<Weighting> {
        while self.work < WORK {
            let Some(transition) = self.cheapest() else { break };
            self.remove(transition);
        }
        let done = |row: &Row| row.effects.iter().all(|(_, effect)| *effect <= 0);
        self.rows.into_iter().filter(done).map(|row| row.weights).collect()
    }

    /// Of the transitions that increase a row, the one that needs the fewest new rows.
    fn cheapest(&mut self) -> Option<u32> {
        let mut counts = vec![(0_usize, 0_usize); self.transitions];
        for (transition, effect) in self.rows.iter().flat_map(|row| &row.effects) {
            let (grow, shrink) = &mut counts[*transition as usize];
            *(if *effect > 0 { grow } else { shrink }) += 1;
        }
        self.work += self.rows.iter().map(|row| row.effects.len()).sum::<usize>();
        let growing = (0..).zip(counts).filter(|(_, (grow, _))| *grow > 0);
        growing.min_by_key(|(_, (grow, shrink))| grow * shrink).map(|(transition, _)| transition)
    }

    /// Replaces the rows that a transition increases by sums that it does not.
    fn remove(&mut self, transition: u32) {
        let rows = std::mem::take(&mut self.rows);
        let (mut growing, kept): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.effect(transition) > 0);
        let mut shrinking: Vec<&Row> = kept.iter().filter(|row| row.effect(transition) < 0).collect();
        growing.sort_by_key(|row| row.weights.len());
        shrinking.sort_by_key(|row| row.weights.len());
        // A few pairs of each row are better than all pairs of a few.
        let partners = (COMBINATIONS / growing.len().max(1)).max(1);
        let mut sums = BTreeSet::new();
        for row in &growing {
            for other in shrinking.iter().take(partners) {
                let (up, down) = (row.effect(transition), other.effect(transition).unsigned_abs());
                let Ok(down) = i64::try_from(down) else { continue };
                let common = gcd(up, down);
                if let Some(sum) = row.plus(down / common, other, up / common) {
                    self.work += sum.weights.len() + sum.effects.len();
                    sums.insert(sum);
                }
            }
            if self.work > WORK {
                break;
            }
        }
        self.rows = kept;
        self.rows.extend(sums);
        self.keep_smallest();
    }

    /// Drops the rows with the most places if there are too many: they give the largest bounds.
    fn keep_smallest(&mut self) {
        self.rows.sort_by_key(|row| row.weights.len());
        self.rows.truncate(self.most_rows);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lola;
    use super::*;

    fn bounds(text: &str) -> Vec<Option<u32>> {
        proved_bounds(&lola::net(text).unwrap())
    }

    #[test]
    fn a_cycle_keeps_its_tokens() {
        let text =
            "PLACE p, q; MARKING p: 3; TRANSITION t CONSUME p; PRODUCE q; TRANSITION u CONSUME q; PRODUCE p;";
        assert_eq!(bounds(text), [Some(3), Some(3)]);
    }

    #[test]
    fn weights_count() {
        // Two of p make one of q, so q holds half as many.
        let text = "PLACE p, q; MARKING p: 5; TRANSITION t CONSUME p: 2; PRODUCE q; TRANSITION u CONSUME q; PRODUCE p: 2;";
        assert_eq!(bounds(text), [Some(5), Some(2)]);
    }

    #[test]
    fn a_place_that_only_loses_keeps_its_bound_and_a_source_has_none() {
        let text = "PLACE p, q, r; MARKING p: 7; TRANSITION t CONSUME p: 3; PRODUCE q; TRANSITION u CONSUME; PRODUCE r;";
        assert_eq!(bounds(text), [Some(7), Some(2), None]);
    }

    #[test]
    fn the_smaller_of_two_sums_decides() {
        let text = "PLACE free, used, p, q; MARKING free: 2, p: 9; \
            TRANSITION t CONSUME free, p; PRODUCE used, q; TRANSITION u CONSUME used, q; PRODUCE free, p;";
        assert_eq!(bounds(text), [Some(2), Some(2), Some(9), Some(2)]);
    }

    /// A small net with arcs of these weights: input and output, for each transition and place.
    fn random_net(tokens: &[u32], arcs: &[(u32, u32)]) -> Net {
        use crate::petri::net::{Fairness, NetArc, NetPlace, NetTransition};
        let mut net = Net::default();
        let span = Default::default();
        for (number, tokens) in tokens.iter().enumerate() {
            net.add_place(NetPlace { name: format!("p{number}"), tokens: *tokens, span }, "p");
        }
        for (number, weights) in arcs.chunks(tokens.len()).enumerate() {
            let arcs = |weight: fn(&(u32, u32)) -> u32| -> Vec<NetArc> {
                let numbered = (0..).zip(weights).map(|(place, one)| NetArc { place, weight: weight(one) });
                numbered.filter(|arc| arc.weight > 0).collect()
            };
            let (inputs, outputs, inhibitors) = (arcs(|one| one.0), arcs(|one| one.1), Vec::new());
            let (name, fairness) = (format!("t{number}"), Fairness::None);
            net.add_transition(NetTransition { name, inputs, outputs, inhibitors, fairness, span }, "t");
        }
        net
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_reachable_marking_is_above_a_bound(
            tokens in prop::collection::vec(0..4_u32, 4),
            arcs in prop::collection::vec((0..3_u32, 0..3_u32), 16),
        ) {
            let net = random_net(&tokens, &arcs);
            let bounds = proved_bounds(&net);
            let mut seen = BTreeSet::from([tokens.clone()]);
            let mut queue = vec![tokens];
            while let Some(marking) = queue.pop() {
                for (tokens, bound) in marking.iter().zip(&bounds) {
                    prop_assert!(bound.is_none_or(|bound| *tokens <= bound), "{marking:?} is above {bounds:?}");
                }
                for transition in &net.transitions {
                    if transition.inputs.iter().all(|arc| marking[arc.place as usize] >= arc.weight) && seen.len() < 500 {
                        let mut next = marking.clone();
                        for (place, change) in transition.changes() {
                            next[place as usize] = (i64::from(next[place as usize]) + change) as u32;
                        }
                        if seen.insert(next.clone()) {
                            queue.push(next);
                        }
                    }
                }
            }
        }
    }
}
