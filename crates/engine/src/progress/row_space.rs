//! Exact linear algebra on an incidence matrix, and LoLA's progress measure.
//!
//! Firing a transition adds the number y · C_t to a linear measure y · M. So the vectors of these
//! changes are the row space of C, and no other vector belongs to a function of the marking
//! (`algorithms.md`, 9.1). The rows are brought to reduced echelon form, and each carries the
//! weights of the places that it combines. A row has a *pivot*, a transition that no other row
//! touches. The sum of the rows, with equal pivots, adds the same to each pivot, and a determined
//! amount to every other transition. This is LoLA's measure. Then rows are subtracted instead of
//! added as long as fewer steps decrease the measure. LoLA also flips the signs of rows one by one,
//! but counts transitions; this counts how often they fire.
//!
//! The choice of pivots is free. Pivots never decrease the measure, unless rows are flipped, so the
//! transitions that fire most often are chosen first.
//!
//! Integers have 128 bits. Rows are divided by the common divisor of their entries, and a matrix
//! whose rows still exceed 128 bits is given up.

use super::linear_changes::LinearChanges;

/// Limit on the weights of places: sums of larger ones over 32-bit places would not fit into a
/// word.
pub const LARGEST_WEIGHT: i128 = 1 << 20;
/// Limit on the entries of a matrix.
pub const MOST_ENTRIES: usize = 400_000;

/// A row of the reduced matrix.
#[derive(Clone, Debug)]
pub struct ReducedRow {
    /// The column that only this row has; its entry is positive.
    pub pivot: usize,
    /// The change by column.
    pub deltas: Vec<i128>,
    /// The weights of the cells that it combines.
    pub weights: Vec<i128>,
}

fn gcd(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one.abs(), other.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// A row minus the multiple of the pivot's row that makes the pivot's entry zero.
fn eliminate(row: &mut ReducedRow, by: &ReducedRow) -> Option<()> {
    let entry = row.deltas[by.pivot];
    if entry == 0 {
        return Some(());
    }
    let common = gcd(entry, by.deltas[by.pivot]);
    let (mine, other) = (by.deltas[by.pivot] / common, entry / common);
    let combine = |row: &mut [i128], by: &[i128]| {
        for (entry, by) in row.iter_mut().zip(by) {
            if *entry != 0 || *by != 0 {
                *entry = entry.checked_mul(mine)?.checked_sub(by.checked_mul(other)?)?;
            }
        }
        Some(())
    };
    combine(&mut row.deltas, &by.deltas)?;
    combine(&mut row.weights, &by.weights)?;
    reduce(row);
    Some(())
}

/// Divides by the common divisor of all entries.
fn reduce(row: &mut ReducedRow) {
    let entries = row.deltas.iter().chain(&row.weights);
    let mut common = 0;
    for entry in entries.filter(|entry| **entry != 0) {
        common = gcd(common, *entry);
        if common == 1 {
            return;
        }
    }
    if common > 1 {
        row.deltas.iter_mut().chain(&mut row.weights).for_each(|entry| *entry /= common);
    }
}

/// The reduced rows of the matrix. Columns become pivots in this order, as far as possible. `None`
/// if the numbers or the matrix are too large.
pub fn reduced_rows(changes: &LinearChanges, order: &[usize]) -> Option<Vec<ReducedRow>> {
    let (height, width) = (changes.cells.len(), changes.columns.len());
    if height * (width + height) > MOST_ENTRIES {
        return None;
    }
    let mut open: Vec<ReducedRow> = (0..height)
        .map(|cell| {
            let mut weights = vec![0; height];
            weights[cell] = 1;
            ReducedRow { pivot: 0, deltas: vec![0; width], weights }
        })
        .collect();
    for (number, column) in changes.columns.iter().enumerate() {
        column.iter().for_each(|(cell, change)| open[*cell].deltas[number] = i128::from(*change));
    }
    let mut done: Vec<ReducedRow> = Vec::new();
    for &column in order {
        let candidates = open.iter().enumerate().filter(|(_, row)| row.deltas[column] != 0);
        // Short rows keep others short.
        let length = |row: &ReducedRow| row.deltas.iter().filter(|entry| **entry != 0).count();
        let Some((place, _)) = candidates.min_by_key(|(_, row)| (row.deltas[column].abs(), length(row)))
        else {
            continue;
        };
        let mut pivot = open.swap_remove(place);
        pivot.pivot = column;
        if pivot.deltas[column] < 0 {
            pivot.deltas.iter_mut().chain(&mut pivot.weights).for_each(|entry| *entry = -*entry);
        }
        for row in open.iter_mut().chain(&mut done) {
            eliminate(row, &pivot)?;
        }
        debug_assert!(done.iter().all(|row| row.deltas[row.pivot] > 0 && row.deltas[column] == 0));
        done.push(pivot);
    }
    Some(done)
}

/// LoLA's measure: weights of the cells. `importance` is, by column, how much a decrease matters;
/// columns of importance zero may decrease.
pub fn basis_measure(changes: &LinearChanges, importance: &[u64]) -> Option<Vec<i64>> {
    let mut order: Vec<usize> = (0..changes.columns.len()).collect();
    order.sort_by_key(|column| std::cmp::Reverse(importance[*column]));
    let mut rows = reduced_rows(changes, &order)?;
    let common = rows.iter().try_fold(1i128, |common, row| {
        let pivot = row.deltas[row.pivot];
        common.checked_mul(pivot / gcd(common, pivot)).filter(|common| *common < LARGEST_WEIGHT)
    })?;
    let mut deltas = vec![0i128; changes.columns.len()];
    for row in &mut rows {
        let factor = common / row.deltas[row.pivot];
        for entry in row.deltas.iter_mut().chain(&mut row.weights) {
            *entry = entry.checked_mul(factor).filter(|entry| entry.abs() < 1 << 100)?;
        }
        deltas.iter_mut().zip(&row.deltas).for_each(|(sum, entry)| *sum += entry);
    }
    // Each flip reduces the total decrease, so the loop ends.
    let fall = |deltas: &mut dyn Iterator<Item = i128>| -> u64 {
        deltas.zip(importance).filter(|(delta, _)| *delta < 0).map(|(_, importance)| importance).sum()
    };
    loop {
        let now = fall(&mut deltas.iter().copied());
        let after =
            |row: &ReducedRow| fall(&mut deltas.iter().zip(&row.deltas).map(|(sum, entry)| sum - 2 * entry));
        let best = rows.iter_mut().map(|row| (after(row), row)).min_by_key(|(after, _)| *after);
        let Some((_, row)) = best.filter(|(after, _)| *after < now) else { break };
        deltas.iter_mut().zip(&row.deltas).for_each(|(sum, entry)| *sum -= 2 * entry);
        row.deltas.iter_mut().chain(&mut row.weights).for_each(|entry| *entry = -*entry);
    }
    let mut weights = vec![0i128; changes.cells.len()];
    for row in &rows {
        weights.iter_mut().zip(&row.weights).for_each(|(sum, entry)| *sum += entry);
    }
    small_weights(&weights)
}

/// Weights divided by their common divisor, if they are small.
pub fn small_weights(weights: &[i128]) -> Option<Vec<i64>> {
    let common = weights.iter().fold(0, |common, weight| gcd(common, *weight)).max(1);
    let small = |weight: &i128| Some(weight / common).filter(|weight| weight.abs() <= LARGEST_WEIGHT);
    weights.iter().map(|weight| small(weight).map(|weight| weight as i64)).collect()
}

/// A prime such that products of two residues fit into 128 bits.
const PRIME: i128 = (1 << 61) - 1;

/// Cells whose rows are a basis of all rows. Residues suffice: rows that are independent modulo a
/// prime are independent, and a 61-bit prime that divides a determinant by chance would only cost a
/// row.
pub fn independent_cells(changes: &LinearChanges) -> Vec<usize> {
    let mut rows = vec![vec![0i128; changes.columns.len()]; changes.cells.len()];
    for (number, column) in changes.columns.iter().enumerate() {
        column.iter().for_each(|(cell, change)| rows[*cell][number] = i128::from(*change).rem_euclid(PRIME));
    }
    let mut basis: Vec<(usize, Vec<i128>)> = Vec::new();
    let mut independent = Vec::new();
    for (cell, mut row) in rows.into_iter().enumerate() {
        for (pivot, other) in &basis {
            let factor = row[*pivot];
            if factor != 0 {
                let rest = row.iter_mut().zip(other).filter(|(_, other)| **other != 0);
                rest.for_each(|(entry, other)| *entry = (*entry - factor * other).rem_euclid(PRIME));
            }
        }
        let Some(pivot) = row.iter().position(|entry| *entry != 0) else { continue };
        let inverse = inverse(row[pivot]);
        row.iter_mut().for_each(|entry| *entry = *entry * inverse % PRIME);
        basis.push((pivot, row));
        independent.push(cell);
    }
    independent
}

/// By Fermat's little theorem.
fn inverse(residue: i128) -> i128 {
    let (mut power, mut result, mut exponent) = (residue, 1, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * power % PRIME;
        }
        power = power * power % PRIME;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::progress::semiflows::place_invariants;
    use model::guarded_commands::CellId;

    fn matrices() -> impl Strategy<Value = LinearChanges> {
        (1..6usize, 1..6usize).prop_flat_map(|(cells, columns)| {
            let column = prop::collection::vec(-2..3i64, cells);
            prop::collection::vec(column, columns).prop_map(move |columns| LinearChanges {
                cells: (0..cells as u32).map(CellId).collect(),
                columns: columns
                    .into_iter()
                    .map(|column| column.into_iter().enumerate().filter(|(_, change)| *change != 0).collect())
                    .collect(),
                of_action: Vec::new(),
            })
        })
    }

    /// C x.
    fn product(changes: &LinearChanges, x: &[i128]) -> Vec<i128> {
        let mut sums = vec![0; changes.cells.len()];
        for (times, column) in x.iter().zip(&changes.columns) {
            column.iter().for_each(|(cell, change)| sums[*cell] += times * i128::from(*change));
        }
        sums
    }

    proptest! {
        /// Rows carry their weights; x in a basis of the kernel does not move anything, and no
        /// measure sees it.
        #[test]
        fn measures_lie_in_the_row_space(
            changes in matrices(), importance in prop::collection::vec(0..9u64, 6),
        ) {
            let width = changes.columns.len();
            let order: Vec<usize> = (0..width).collect();
            let rows = reduced_rows(&changes, &order).unwrap();
            prop_assert_eq!(rows.len(), independent_cells(&changes).len());
            for row in &rows {
                let weights: Vec<i64> = row.weights.iter().map(|weight| *weight as i64).collect();
                let deltas: Vec<i128> = changes.deltas(&weights).unwrap().into_iter().map(i128::from).collect();
                prop_assert_eq!(&deltas, &row.deltas);
            }
            let measure = basis_measure(&changes, &importance[..width]).unwrap();
            let deltas = changes.deltas(&measure).unwrap();
            for free in (0..width).filter(|column| rows.iter().all(|row| row.pivot != *column)) {
                let common: i128 = rows.iter().map(|row| row.deltas[row.pivot]).product();
                let mut x = vec![0; width];
                x[free] = common;
                rows.iter().for_each(|row| x[row.pivot] = -row.deltas[free] * (common / row.deltas[row.pivot]));
                prop_assert!(product(&changes, &x).iter().all(|sum| *sum == 0));
                prop_assert_eq!(deltas.iter().zip(&x).map(|(delta, x)| i128::from(*delta) * x).sum::<i128>(), 0);
            }
        }

        #[test]
        fn what_is_independent_needs_no_loop_to_fall(changes in matrices()) {
            // As many columns as rows of the reduced matrix: each one a pivot.
            let width = changes.columns.len();
            if independent_cells(&changes).len() == width {
                let deltas = changes.deltas(&basis_measure(&changes, &vec![1; width]).unwrap()).unwrap();
                prop_assert!(deltas.iter().all(|delta| *delta > 0));
            }
        }

        #[test]
        fn invariants_are_changed_by_nothing(changes in matrices()) {
            for invariant in place_invariants(&changes) {
                let mut weights = vec![0; changes.cells.len()];
                invariant.iter().for_each(|(cell, weight)| weights[*cell] = *weight);
                prop_assert!(invariant.iter().all(|(_, weight)| *weight > 0) && !invariant.is_empty());
                prop_assert!(changes.deltas(&weights).unwrap().iter().all(|delta| *delta == 0));
            }
        }
    }
}
