//! Weighted sums of cells on a sample: what the incidence matrix suggests as components.
//!
//! The matrix alone gives monotone measures. For actions on loops it matters how often they fire,
//! which the large sample shows. All sums are candidates like any others, and simulated.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::progress::linear_changes::{Column, LinearChanges, weighted_sum};
use crate::progress::linear_measure::LinearPrograms;
use crate::progress::row_space::basis_measure;
use model::guarded_commands::{CellId, Expression};
use model::random::Random;

use super::distance::{DistanceSum, distance_sums};
use super::sample::Sample;

/// Corners of the cone of monotone measures that are tried, beside the plain ones.
const CORNERS: usize = 3;
/// Number of values of a sum in a sample beyond which it is ranked.
const MOST_VALUES: u64 = 1 << 20;

/// The size of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Tiny,
    Small,
    Large,
    Explored,
}

/// A weighted sum of cells.
#[derive(Debug)]
pub struct Functional {
    /// Cells and weights.
    terms: Vec<(usize, i64)>,
    /// The change by each kind of steps of the large sample, where it is not zero.
    pub deltas: Vec<(u32, i64)>,
    /// Whether the sum approximates the distance from the initial state.
    pub is_distance: bool,
    /// By sample.
    columns: [OnceLock<Values>; 4],
}

/// The values of a sum in the states of a sample.
#[derive(Debug)]
pub struct Values {
    /// By state.
    pub values: Vec<u32>,
    /// A bound above all values.
    pub end: usize,
    /// Whether the values are ranks, so that their distances are not those of the sums.
    pub are_ranks: bool,
}

impl Functional {
    /// The sum of these terms.
    pub fn new(terms: Vec<(usize, i64)>, large: &Sample) -> Self {
        let mut by_kind = vec![0; large.kinds()];
        for (cell, weight) in &terms {
            for change in large.changes(*cell) {
                by_kind[change.kind as usize] += weight * (i64::from(change.to) - i64::from(change.from));
            }
        }
        let deltas = (0..).zip(by_kind).filter(|(_, delta)| *delta != 0).collect();
        Self { terms, deltas, is_distance: false, columns: Default::default() }
    }

    /// The sum as an expression of the model.
    pub fn expression(&self) -> Expression {
        weighted_sum(self.terms.iter().map(|(cell, weight)| (CellId(*cell as u32), *weight)))
    }

    /// The values of the sum in the states of a sample.
    pub fn column(&self, sample: &Sample, size: Size) -> &Values {
        self.columns[size as usize].get_or_init(|| self.values(sample))
    }

    fn values(&self, sample: &Sample) -> Values {
        let mut sums = vec![0i64; sample.len()];
        for (cell, weight) in &self.terms {
            sums.iter_mut()
                .zip(sample.column(*cell))
                .for_each(|(sum, value)| *sum += weight * i64::from(value));
        }
        let (low, high) =
            sums.iter().fold((i64::MAX, i64::MIN), |(low, high), sum| (low.min(*sum), high.max(*sum)));
        if high.abs_diff(low) < MOST_VALUES {
            let values = sums.iter().map(|sum| (sum - low) as u32).collect();
            return Values { values, end: (high - low) as usize + 1, are_ranks: false };
        }
        let mut distinct = sums.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let rank = |sum: &i64| distinct.partition_point(|other| other < sum) as u32;
        Values { values: sums.iter().map(rank).collect(), end: distinct.len(), are_ranks: true }
    }
}

/// Sums that the incidence matrix of a model suggests.
#[derive(Debug, Default)]
pub struct SuggestedSums {
    /// Lists of sums that belong together.
    pub lists: Vec<Vec<Functional>>,
    /// Sums that approximate the distance from the initial state, for sweeps with a window.
    pub distances: Vec<Functional>,
}

/// Sums that the incidence matrix of a model suggests, or only those of them that no action
/// decreases.
pub fn suggested_sums(changes: &LinearChanges, large: &Sample, only_monotone: bool) -> SuggestedSums {
    let Some(programs) = LinearPrograms::new(changes) else { return SuggestedSums::default() };
    let frequency = frequencies(changes, large);
    let mut found: Vec<Vec<Vec<i64>>> = Vec::new();
    let mut distances = Vec::new();
    let monotone = programs.monotone();
    let raised = |weights: &[Vec<i64>]| -> Vec<bool> {
        let deltas: Vec<Vec<i64>> = weights.iter().filter_map(|one| changes.deltas(one)).collect();
        (0..changes.columns.len()).map(|column| deltas.iter().any(|deltas| deltas[column] != 0)).collect()
    };
    let is_raised = raised(&monotone);
    let (rising, looping): (Vec<usize>, Vec<usize>) =
        (0..changes.columns.len()).partition(|column| is_raised[*column]);
    let often: Vec<f64> = frequency.iter().map(|steps| *steps as f64).collect();
    let alike = vec![1.0; changes.columns.len()];
    if !monotone.is_empty() {
        let mut random = Random::new(1);
        found.extend(programs.even(&rising, &often).map(|one| vec![one]));
        found.extend(programs.even(&rising, &alike).map(|one| vec![one]));
        for _ in 0..CORNERS {
            let any: Vec<f64> = alike.iter().map(|_| 1.0 + random.below(100) as f64).collect();
            found.extend(programs.even(&rising, &any).map(|one| vec![one]));
        }
        found.push(monotone);
    }
    if !looping.is_empty() && !only_monotone {
        let of_loops = |frequency: &[u64]| -> Vec<u64> {
            frequency
                .iter()
                .zip(&is_raised)
                .map(|(steps, is_raised)| if *is_raised { 0 } else { *steps })
                .collect()
        };
        let once = vec![1; changes.columns.len()];
        let all: Vec<usize> = (0..changes.columns.len()).collect();
        for columns in [&looping, &all] {
            found.extend(programs.seldom_falling(columns, &often).map(|one| vec![one]));
            found.extend(programs.seldom_falling(columns, &alike).map(|one| vec![one]));
        }
        for importance in [&frequency, &of_loops(&frequency), &once, &of_loops(&once)] {
            found.extend(basis_measure(changes, importance).map(|one| vec![one]));
        }
        distances = distance_sums(changes, &programs, &often, large);
    }
    found.sort_by_key(|one| one.len());
    found.dedup();
    let terms = |weights: Vec<i64>| -> Vec<(usize, i64)> {
        let weighted = changes.cells.iter().zip(weights).filter(|(_, weight)| *weight != 0);
        weighted.map(|(cell, weight)| (cell.index(), weight)).collect()
    };
    let sums = |list: Vec<Vec<i64>>| list.into_iter().map(|one| Functional::new(terms(one), large)).collect();
    let distances = distances.into_iter().map(|DistanceSum { weights, is_distance }| Functional {
        is_distance,
        ..Functional::new(terms(weights), large)
    });
    SuggestedSums { distances: distances.collect(), lists: found.into_iter().map(sums).collect() }
}

/// The number of steps of the sample for each column.
fn frequencies(changes: &LinearChanges, large: &Sample) -> Vec<u64> {
    let mut kinds: Vec<(Column, u64)> = vec![(Column::new(), 0); large.kinds()];
    for (place, cell) in changes.cells.iter().enumerate() {
        for change in large.changes(cell.index()) {
            let (column, steps) = &mut kinds[change.kind as usize];
            column.push((place, i64::from(change.to) - i64::from(change.from)));
            *steps = u64::from(change.steps);
        }
    }
    let numbers: HashMap<&Column, usize> =
        changes.columns.iter().enumerate().map(|(number, column)| (column, number)).collect();
    let mut frequencies = vec![0; changes.columns.len()];
    for (column, steps) in &kinds {
        if let Some(number) = numbers.get(column) {
            frequencies[*number] += steps;
        }
    }
    frequencies
}
