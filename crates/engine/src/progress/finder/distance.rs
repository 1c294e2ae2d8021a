//! Weighted sums that approximate the distance from the initial state.
//!
//! A breadth-first search never finds a new state behind its front, because nearer states were
//! visited before. So a measure that is nearly the distance decreases only to visited states, by as
//! much as steps lead back. A sweep that keeps as many layers expands each state once, whatever
//! cycles the model has. Distances are no sum of cells, but often nearly one: the number of steps
//! that each process has taken since its initial location. In many nets they are exactly that.
//!
//! A sample that is not the whole state space cannot show this: the target of a decreasing step was
//! visited by a path that the sample need not contain. So the fit of sums to distances is judged as
//! well, and the simulation of a sweep may rely on it.

use crate::progress::linear_changes::{Column, LinearChanges};
use crate::progress::linear_measure::LinearPrograms;

use super::sample::Sample;

/// About the number of states of a sample that are used.
const STATES: usize = 4_000;
/// Limit on the number of cells: the time is quadratic in it.
const CELLS: usize = 250;
/// Regularisation that keeps cells that hardly vary from large weights.
const RIDGE: f64 = 1e-3;
/// Least R² at which a sum counts as the distance.
const EXPLAINED: f64 = 0.9;

/// A sum that approximates the distance from the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceSum {
    /// Weights by cell of the matrix.
    pub weights: Vec<i64>,
    /// Whether the sum counts as the distance: no step increases it by more than one, so that it is
    /// never greater, and it is nearly the distance in the sample.
    pub is_distance: bool,
}

/// Sums that approximate the distance from the initial state.
pub fn distance_sums(
    changes: &LinearChanges,
    programs: &LinearPrograms<'_>,
    frequency: &[f64],
    sample: &Sample,
) -> Vec<DistanceSum> {
    let cells = programs.cells();
    if cells.len() > CELLS {
        return Vec::new();
    }
    let points = points(changes, cells, sample);
    let Some(fitted) = fitted(&points) else { return Vec::new() };
    let explains = explained(&points, &fitted) >= EXPLAINED;
    let mut weights = vec![0.0; changes.cells.len()];
    cells.iter().zip(&fitted).for_each(|(cell, weight)| weights[*cell] = *weight);
    let rounded = weights.iter().map(|weight| weight.round() as i64).collect();
    // No step increases the distance by more than one.
    let delta = |column: &Column| -> f64 {
        let sum: f64 = column.iter().map(|(cell, change)| weights[*cell] * *change as f64).sum();
        sum.round().min(1.0)
    };
    let wanted: Vec<f64> = changes.columns.iter().map(delta).collect();
    let mut sums: Vec<DistanceSum> = Vec::new();
    for weights in programs.closest(&wanted, frequency).into_iter().chain([rounded]) {
        let Some(deltas) = changes.deltas(&weights).filter(|deltas| deltas.iter().any(|delta| *delta > 0))
        else {
            continue;
        };
        let is_distance = explains && deltas.iter().all(|delta| *delta <= 1);
        let sum = DistanceSum { weights, is_distance };
        if !sums.contains(&sum) {
            sums.push(sum);
        }
    }
    sums
}

/// For some states, the values of these cells, a one, and the distance from the initial state.
fn points(changes: &LinearChanges, cells: &[usize], sample: &Sample) -> Vec<Vec<f64>> {
    let distances = distances(sample);
    // Roots of the sample are far away by steps that it does not contain.
    let states = || (0..sample.len()).filter(|state| distances[*state] != FAR);
    let point = |state: usize| {
        let values = cells.iter().map(|cell| f64::from(sample.value(changes.cells[*cell].index(), state)));
        values.chain([1.0, f64::from(distances[state])]).collect()
    };
    states().step_by(states().count().div_ceil(STATES).max(1)).map(point).collect()
}

/// Least squares: the last number of the points as a sum of the others, by elimination of the
/// normal equations.
fn fitted(points: &[Vec<f64>]) -> Option<Vec<f64>> {
    let unknowns = points.first()?.len() - 1;
    let mut rows = vec![vec![0.0; unknowns + 1]; unknowns];
    for point in points {
        for (row, factor) in rows.iter_mut().zip(point).filter(|(_, factor)| **factor != 0.0) {
            row.iter_mut().zip(point).for_each(|(entry, term)| *entry += factor * term);
        }
    }
    (0..unknowns).for_each(|at| rows[at][at] += RIDGE);
    for at in 0..unknowns {
        let largest =
            (at..unknowns).max_by(|one, other| rows[*one][at].abs().total_cmp(&rows[*other][at].abs()))?;
        rows.swap(at, largest);
        let pivot = rows[at].clone();
        for row in rows[at + 1..].iter_mut().filter(|row| row[at] != 0.0) {
            let factor = row[at] / pivot[at];
            row.iter_mut().zip(&pivot).for_each(|(entry, other)| *entry -= factor * other);
        }
    }
    let mut solution = vec![0.0; unknowns];
    for at in (0..unknowns).rev() {
        let known: f64 = (at + 1..unknowns).map(|other| rows[at][other] * solution[other]).sum();
        solution[at] = (rows[at][unknowns] - known) / rows[at][at];
    }
    solution.iter().all(|weight| weight.abs() < 1e6).then_some(solution)
}

/// The share of the variance of the points' last number that the solution explains (R²).
fn explained(points: &[Vec<f64>], solution: &[f64]) -> f64 {
    let mean = points.iter().filter_map(|point| point.last()).sum::<f64>() / points.len() as f64;
    let (mut errors, mut all) = (0.0, 0.0);
    for (point, distance) in points.iter().filter_map(|point| Some((point, point.last()?))) {
        let sum: f64 = solution.iter().zip(point).map(|(weight, value)| weight * value).sum();
        errors += (distance - sum).powi(2);
        all += (distance - mean).powi(2);
    }
    if all == 0.0 { 0.0 } else { 1.0 - errors / all }
}

/// The distance of a state that no steps of the sample lead to.
const FAR: u32 = u32::MAX;

/// The distance of each state of a sample from the initial state, inside the sample.
fn distances(sample: &Sample) -> Vec<u32> {
    let mut distances = vec![FAR; sample.len()];
    let mut queue = Vec::with_capacity(sample.len());
    distances[0] = 0;
    queue.push(0);
    let mut next = 0;
    while let Some(&state) = queue.get(next) {
        next += 1;
        for &to in sample.inner_successors(state) {
            if distances[to as usize] == FAR {
                distances[to as usize] = distances[state] + 1;
                queue.push(to as usize);
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::finder::sample::{Knowledge, Source};
    use crate::progress::linear_changes::tests::net;
    use model::guarded_commands::GuardedCommands;
    use model::interpreted_model::Interpreted;
    use model::random::Random;
    use model::state_layout::StateLayout;
    use model::transition_system::{Execution, StateFunctions};
    use model::value_ranges::proved_ranges;
    use std::sync::atomic::AtomicBool;

    /// The weight of each column in the sums that are found on a sample of `size` states, and
    /// whether a sum is accepted as the BFS distance.
    fn found(model: &GuardedCommands, size: usize) -> Vec<(Vec<i64>, bool)> {
        let layout = StateLayout::proved(model, &proved_ranges(model));
        let system = Interpreted.prepare(model, &layout, StateFunctions::default()).unwrap();
        let stop = AtomicBool::new(false);
        let source = Source { model, system: &system, layout: &layout, explored: &[], stop: &stop };
        let sample = Sample::draw(&source, size, Knowledge::Kinds, &mut Random::new(0)).unwrap();
        let changes = LinearChanges::new(model);
        let programs = LinearPrograms::new(&changes).unwrap();
        let sums = distance_sums(&changes, &programs, &vec![1.0; changes.columns.len()], &sample);
        sums.into_iter().map(|sum| (changes.deltas(&sum.weights).unwrap(), sum.is_distance)).collect()
    }

    /// Two rings of three places with four tokens each, of which a step of each needs the same
    /// tool.
    fn rings() -> GuardedCommands {
        let step = |from: usize, to: usize, tool: (i64, i64)| {
            let mut arcs = vec![(0, 0); 7];
            (arcs[from], arcs[to], arcs[6]) = ((1, 0), (0, 1), tool);
            arcs
        };
        let ring = |first: usize| {
            [
                step(first, first + 1, (1, 0)),
                step(first + 1, first + 2, (0, 1)),
                step(first + 2, first, (0, 0)),
            ]
        };
        net(&[4, 0, 0, 4, 0, 0, 1], &[ring(0), ring(3)].concat())
    }

    #[test]
    fn rings_are_as_far_away_as_their_tokens_have_gone() {
        // A part of the 375 markings shows it as well as all of them.
        for size in [1_000, 150] {
            let sums = found(&rings(), size);
            assert!(sums.contains(&(vec![1, 1, -2, 1, 1, -2], true)), "{size}: {sums:?}");
        }
    }

    /// Any number of tokens at once, and one by one back: what is far by one way is near by
    /// another.
    #[test]
    fn what_is_no_sum_does_not_pass_for_one() {
        let model = net(
            &[12, 0, 0],
            &[
                vec![(1, 0), (0, 1), (0, 0)],
                vec![(7, 0), (0, 7), (0, 0)],
                vec![(0, 0), (11, 4), (0, 7)],
                vec![(0, 5), (0, 0), (5, 0)],
            ],
        );
        let sums = found(&model, 1_000);
        assert!(sums.iter().all(|(_, is_distance)| !is_distance), "{sums:?}");
    }
}
