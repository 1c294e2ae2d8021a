//! Linear measures by linear programs.
//!
//! *Monotone.* Weights y of the cells such that no action has a negative y · C_t form a cone, and
//! one of its inner points has the largest possible set of increasing actions: maximise Σ z_t
//! subject to y · C_t ≥ z_t, 0 ≤ z_t ≤ 1. An action leaves all of these measures unchanged if and
//! only if it can be part of a loop, as far as the matrix shows (a T-semiflow, by Farkas' lemma).
//! The same program for the remaining actions alone gives the next component of a tuple that is
//! compared from left to right. In a net the second program gives nothing, as the loops are still
//! there; the tuple has more than one expression where bounds on the weights cut off the first one.
//!
//! *Seldom decreasing.* For actions on loops, minimise Σ f_t · s_t subject to y · C_t ≥ 1 − s_t,
//! s_t ≥ 0, where f_t is the number of times that t fires. Some action of every loop has to
//! decrease the measure, and this chooses those that fire seldom.
//!
//! *Close to given changes.* Minimise Σ f_t · |y · C_t − d_t|, where d_t is the change that the
//! action should make. This gives an integer measure close to another quantity.
//!
//! *Evenly increasing.* Of the monotone measures, the one that increases as little as possible has
//! layers that are no smaller than necessary: minimise Σ f_t · y · C_t subject to y · C_t ≥ 1.
//! Other f give other corners of the same cone.
//!
//! The programs are solved in floating point, and the check afterwards is exact: a solution is
//! scaled to integers, and its claim is verified with them. A solution that is not close to a
//! vector of small fractions is dropped.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Solution, Variable};

use super::linear_changes::LinearChanges;
use super::row_space::{LARGEST_WEIGHT, MOST_ENTRIES as MOST_MATRIX, independent_cells, small_weights};

/// Bounds of the weights in a program.
const WIDEST: f64 = 1000.0;
/// Limit on columns times rows of a program: beyond, it takes seconds.
const MOST_ENTRIES: usize = 120_000;
/// Denominators that are tried.
const DENOMINATORS: [i64; 22] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 20, 24, 30, 36, 60, 120];
/// Greatest distance of a scaled weight from an integer.
const CLOSE: f64 = 1e-6;

/// Linear programs over one incidence matrix.
pub struct LinearPrograms<'c> {
    changes: &'c LinearChanges,
    /// Cells whose rows are independent; the others add nothing.
    cells: Vec<usize>,
}

impl<'c> LinearPrograms<'c> {
    /// The programs of a matrix, unless it is too large.
    pub fn new(changes: &'c LinearChanges) -> Option<Self> {
        if changes.cells.len() * changes.columns.len() > MOST_MATRIX {
            return None;
        }
        let cells = independent_cells(changes);
        let entries = cells.len() * changes.columns.len();
        (entries > 0 && entries <= MOST_ENTRIES).then_some(Self { changes, cells })
    }

    /// Weights for some independent cells, as variables of a program.
    fn weights(&self, problem: &mut Problem) -> Vec<Option<Variable>> {
        let mut weights = vec![None; self.changes.cells.len()];
        for &cell in &self.cells {
            weights[cell] = Some(problem.add_var(0.0, (-WIDEST, WIDEST)));
        }
        weights
    }

    /// The terms of y · C_t.
    fn delta(&self, weights: &[Option<Variable>], column: usize) -> Vec<(Variable, f64)> {
        let terms = self.changes.columns[column].iter();
        terms.filter_map(|(cell, change)| Some((weights[*cell]?, *change as f64))).collect()
    }

    /// Tuples of weights that are monotone if compared from left to right. Each component increases
    /// along a column that leaves those before it unchanged.
    pub fn monotone(&self) -> Vec<Vec<i64>> {
        let mut left: Vec<usize> = (0..self.changes.columns.len()).collect();
        let mut tuple = Vec::new();
        while let Some((weights, deltas)) = self.best_monotone(&left) {
            left.retain(|column| deltas[*column] == 0);
            tuple.push(weights);
        }
        tuple
    }

    /// The best weights that decrease along none of these columns, and their change by column.
    fn best_monotone(&self, columns: &[usize]) -> Option<(Vec<i64>, Vec<i64>)> {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let weights = self.weights(&mut problem);
        for &column in columns {
            let mut terms = self.delta(&weights, column);
            terms.push((problem.add_var(1.0, (0.0, 1.0)), -1.0));
            problem.add_constraint(&terms[..], ComparisonOp::Ge, 0.0);
        }
        let solution = problem.solve().ok()?;
        self.integers(&weights, &solution, |deltas| {
            columns.iter().all(|column| deltas[*column] >= 0)
                && columns.iter().any(|column| deltas[*column] > 0)
        })
    }

    /// Of the weights that increase along these columns and decrease along none, those with the
    /// least total increase.
    pub fn even(&self, raised: &[usize], frequency: &[f64]) -> Option<Vec<i64>> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let weights = self.weights(&mut problem);
        let is_raised = |column: &usize| raised.binary_search(column).is_ok();
        for (column, often) in frequency.iter().enumerate() {
            let mut terms = self.delta(&weights, column);
            if !is_raised(&column) {
                problem.add_constraint(&terms[..], ComparisonOp::Ge, 0.0);
                continue;
            }
            let rise = problem.add_var(*often, (1.0, f64::INFINITY));
            terms.push((rise, -1.0));
            problem.add_constraint(&terms[..], ComparisonOp::Eq, 0.0);
        }
        let solution = problem.solve().ok()?;
        let found = self.integers(&weights, &solution, |deltas| {
            deltas.iter().all(|delta| *delta >= 0) && raised.iter().all(|column| deltas[*column] > 0)
        });
        found.map(|(weights, _)| weights)
    }

    /// Weights that seldom decrease along these columns, which fire this often.
    pub fn seldom_falling(&self, columns: &[usize], frequency: &[f64]) -> Option<Vec<i64>> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let weights = self.weights(&mut problem);
        for &column in columns {
            let mut terms = self.delta(&weights, column);
            terms.push((problem.add_var(frequency[column], (0.0, f64::INFINITY)), 1.0));
            problem.add_constraint(&terms[..], ComparisonOp::Ge, 1.0);
        }
        let solution = problem.solve().ok()?;
        let found = self.integers(&weights, &solution, |deltas| deltas.iter().any(|delta| *delta != 0));
        found.map(|(weights, _)| weights)
    }

    /// Weights whose changes are as close as possible to these, where columns count as often as
    /// they fire.
    pub fn closest(&self, changes: &[f64], frequency: &[f64]) -> Option<Vec<i64>> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let weights = self.weights(&mut problem);
        for (column, (change, often)) in changes.iter().zip(frequency).enumerate() {
            let mut terms = self.delta(&weights, column);
            let [more, less] = [(); 2].map(|()| problem.add_var(*often, (0.0, f64::INFINITY)));
            terms.extend([(more, -1.0), (less, 1.0)]);
            problem.add_constraint(&terms[..], ComparisonOp::Eq, *change);
        }
        let solution = problem.solve().ok()?;
        let found = self.integers(&weights, &solution, |deltas| deltas.iter().any(|delta| *delta != 0));
        found.map(|(weights, _)| weights)
    }

    /// Cells whose rows are independent, by their positions in the matrix.
    pub fn cells(&self) -> &[usize] {
        &self.cells
    }

    /// The solution as small integers for which the claim holds, and their change by column.
    fn integers(
        &self,
        weights: &[Option<Variable>],
        solution: &Solution,
        claim: impl Fn(&[i64]) -> bool,
    ) -> Option<(Vec<i64>, Vec<i64>)> {
        let values: Vec<f64> =
            weights.iter().map(|weight| weight.map_or(0.0, |weight| *solution.var_value(weight))).collect();
        let is_close = |scale: i64| {
            let mut scaled = values.iter().map(|value| value * scale as f64);
            scaled.all(|value| (value - value.round()).abs() < CLOSE * scale as f64)
        };
        let exact = DENOMINATORS.into_iter().find(|scale| is_close(*scale));
        // If no denominator fits, rounding often still satisfies the claim.
        [exact, Some(LARGEST_WEIGHT as i64 / WIDEST as i64)].into_iter().flatten().find_map(|scale| {
            let rounded: Vec<i128> =
                values.iter().map(|value| (value * scale as f64).round() as i128).collect();
            let weights = small_weights(&rounded)?;
            let deltas = self.changes.deltas(&weights)?;
            claim(&deltas).then_some((weights, deltas))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use proptest::prelude::*;

    use super::*;
    use crate::progress::linear_changes::tests::net;
    use crate::progress::prove_monotone;

    /// Tokens, and for each transition what it takes and puts.
    fn nets() -> impl Strategy<Value = (Vec<i64>, Vec<Vec<(i64, i64)>>)> {
        let arcs = prop_oneof![3 => Just((0, 0)), 2 => Just((1, 0)), 2 => Just((0, 1)), 1 => Just((1, 1))];
        (1..4usize, 1..5usize).prop_flat_map(move |(places, transitions)| {
            let transition = prop::collection::vec(arcs.clone(), places);
            (prop::collection::vec(0..3i64, places), prop::collection::vec(transition, transitions))
        })
    }

    /// Columns that some x ≥ 0 with C x = 0 uses. Minors of so small a matrix of −1, 0 and 1 are at
    /// most four, and so are the entries of the least such x.
    fn on_loops(changes: &LinearChanges) -> BTreeSet<usize> {
        let count = changes.columns.len();
        let mut found = BTreeSet::new();
        for number in 0..5usize.pow(count as u32) {
            let x: Vec<i64> = (0..count as u32).map(|at| (number / 5usize.pow(at) % 5) as i64).collect();
            let mut sums: HashMap<usize, i64> = HashMap::new();
            for (times, column) in x.iter().zip(&changes.columns) {
                column.iter().for_each(|(cell, change)| *sums.entry(*cell).or_default() += times * change);
            }
            if sums.values().all(|sum| *sum == 0) {
                found.extend((0..count).filter(|at| x[*at] > 0));
            }
        }
        found
    }

    proptest! {
        #[test]
        fn the_first_measure_never_falls_and_stays_exactly_on_loops((tokens, transitions) in nets()) {
            let changes = LinearChanges::new(&net(&tokens, &transitions));
            let Some(programs) = LinearPrograms::new(&changes) else { return Ok(()) };
            let tuple = programs.monotone();
            let zero = vec![0; changes.cells.len()];
            let deltas = changes.deltas(tuple.first().unwrap_or(&zero)).unwrap();
            prop_assert!(deltas.iter().all(|delta| *delta >= 0));
            let staying: BTreeSet<usize> = (0..deltas.len()).filter(|column| deltas[*column] == 0).collect();
            prop_assert_eq!(staying, on_loops(&changes));
        }

        #[test]
        fn even_measures_raise_the_same_columns((tokens, transitions) in nets()) {
            let changes = LinearChanges::new(&net(&tokens, &transitions));
            let Some(programs) = LinearPrograms::new(&changes) else { return Ok(()) };
            let loops = on_loops(&changes);
            let raised: Vec<usize> = (0..changes.columns.len()).filter(|column| !loops.contains(column)).collect();
            let weights = programs.even(&raised, &vec![1.0; changes.columns.len()]);
            let weights = weights.expect("there is one, by Farkas' lemma");
            for (column, delta) in changes.deltas(&weights).unwrap().into_iter().enumerate() {
                prop_assert!(delta >= 0 && (delta == 0) == loops.contains(&column));
            }
        }

        /// On all markings of a net, as far as they are looked at; and the prover agrees.
        #[test]
        fn tuples_never_fall_and_rise_by_what_the_matrix_says((tokens, transitions) in nets()) {
            let model = net(&tokens, &transitions);
            let changes = LinearChanges::new(&model);
            let Some(programs) = LinearPrograms::new(&changes) else { return Ok(()) };
            let tuple = programs.monotone();
            let value = |weights: &[i64], marking: &[i64]| -> i64 {
                changes.cells.iter().zip(weights).map(|(cell, weight)| weight * marking[cell.index()]).sum()
            };
            let (mut seen, mut open) = (BTreeSet::from([tokens.clone()]), vec![tokens.clone()]);
            while let Some(marking) = open.pop() {
                for (number, transition) in transitions.iter().enumerate() {
                    let fires = marking.iter().zip(transition).all(|(tokens, (takes, _))| tokens >= takes && *tokens <= 100);
                    if !fires {
                        continue;
                    }
                    let next: Vec<i64> =
                        marking.iter().zip(transition).map(|(tokens, (takes, puts))| tokens - takes + puts).collect();
                    let rises: Vec<i64> =
                        tuple.iter().map(|weights| value(weights, &next) - value(weights, &marking)).collect();
                    for (weights, rise) in tuple.iter().zip(&rises) {
                        let deltas = changes.deltas(weights).unwrap();
                        prop_assert_eq!(*rise, changes.of_action[number].map_or(0, |column| deltas[column]));
                    }
                    prop_assert!(rises.iter().find(|rise| **rise != 0).is_none_or(|rise| *rise > 0));
                    if seen.len() < 300 && seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            let cells = || changes.cells.iter().copied();
            let expressions: Vec<_> = tuple
                .iter()
                .map(|weights| super::super::linear_changes::weighted_sum(cells().zip(weights.iter().copied())))
                .collect();
            prop_assert!(prove_monotone(&model, &expressions).is_ok());
        }
    }

    #[test]
    fn a_loop_falls_where_it_fires_least() {
        // Round and round three places, and the way from the last to the first is seldom taken.
        let transitions =
            [vec![(1, 0), (0, 1), (0, 0)], vec![(0, 0), (1, 0), (0, 1)], vec![(0, 1), (0, 0), (1, 0)]];
        let changes = LinearChanges::new(&net(&[1, 0, 0], &transitions));
        let programs = LinearPrograms::new(&changes).unwrap();
        assert!(programs.monotone().is_empty());
        let weights = programs.seldom_falling(&[0, 1, 2], &[5.0, 5.0, 1.0]).unwrap();
        assert_eq!(changes.deltas(&weights).unwrap(), [1, 1, -2]);
    }
}
