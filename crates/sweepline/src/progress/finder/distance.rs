//! A weighted sum that is close to the distance from the initial state.
//!
//! A breadth-first search never meets a new state behind its front: what is nearer was met before. So a measure that is nearly the distance falls
//! to states that the sweep has met, by as much as steps lead back; a sweep that remembers as many layers expands each state once, however the model goes round
//! in circles. Distances are no sum of cells, but often nearly: as many steps as each process has taken since it was last where it began.

use crate::progress::linear_changes::LinearChanges;
use crate::progress::linear_measure::LinearPrograms;

use super::sample::Sample;

/// States of a sample that are looked at, about.
const STATES: usize = 4_000;
/// Cells at the most: the time is quadratic in them.
const CELLS: usize = 250;
/// Keeps cells that hardly vary from large weights.
const RIDGE: f64 = 1e-3;

/// Sums that are close to the distance from the initial state.
pub fn distance_sums(
    changes: &LinearChanges,
    programs: &LinearPrograms<'_>,
    frequency: &[f64],
    sample: &Sample,
) -> Vec<Vec<i64>> {
    let cells = programs.cells();
    let Some(weights) = fitted(changes, cells, sample) else { return Vec::new() };
    let mut rounded = vec![0; changes.cells.len()];
    cells.iter().zip(&weights).for_each(|(cell, weight)| rounded[*cell] = weight.round() as i64);
    // No step leads farther than by one.
    let delta = |column: &Vec<(usize, i64)>| -> f64 {
        let of_cell = |cell: &usize| cells.iter().position(|one| one == cell).map_or(0.0, |at| weights[at]);
        let sum: f64 = column.iter().map(|(cell, change)| of_cell(cell) * *change as f64).sum();
        sum.round().min(1.0)
    };
    let wanted: Vec<f64> = changes.columns.iter().map(delta).collect();
    let mut sums: Vec<Vec<i64>> = programs.closest(&wanted, frequency).into_iter().collect();
    if changes.deltas(&rounded).is_some_and(|deltas| deltas.iter().any(|delta| *delta != 0)) {
        sums.push(rounded);
    }
    sums
}

/// Least squares: for each of these cells, by how much a token more is farther away.
fn fitted(changes: &LinearChanges, cells: &[usize], sample: &Sample) -> Option<Vec<f64>> {
    if cells.len() > CELLS {
        return None;
    }
    // The last unknown is a constant, the last column what is to be met.
    let unknowns = cells.len() + 1;
    let mut rows = vec![vec![0.0; unknowns + 1]; unknowns];
    let mut terms = vec![1.0; unknowns + 1];
    let distances = distances(sample);
    for state in (0..sample.len()).step_by(sample.len().div_ceil(STATES).max(1)) {
        for (term, cell) in terms.iter_mut().zip(cells) {
            *term = f64::from(sample.value(changes.cells[*cell].index(), state));
        }
        terms[unknowns] = f64::from(distances[state]);
        for (row, factor) in rows.iter_mut().zip(&terms).filter(|(_, factor)| **factor != 0.0) {
            row.iter_mut().zip(&terms).for_each(|(entry, term)| *entry += factor * term);
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
    solution.truncate(cells.len());
    solution.iter().all(|weight| weight.abs() < 1e6).then_some(solution)
}

/// Steps from the initial state to each state of a sample, inside of it.
fn distances(sample: &Sample) -> Vec<u32> {
    const FAR: u32 = u32::MAX;
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
