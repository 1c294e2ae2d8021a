//! Place invariants: weights that no action changes, none of them negative.
//!
//! The places of such an invariant share a constant number of tokens. With one token they are the
//! control locations of a sequential process, and with several they are a pool of alike things.
//! Either way an order of the places is an order of progress, and gives the weights of a linear
//! measure. So invariants recover the processes that a net was made of.
//!
//! They are computed by Farkas' algorithm: columns are cancelled one by one, by adding rows of
//! opposite signs. Rows whose places include those of another row are dropped, so that the rest has
//! minimal support. There can be exponentially many; beyond a limit the result is empty.

use std::collections::BTreeSet;

use super::linear_changes::LinearChanges;

/// Limit on the rows at any time.
const MOST_ROWS: usize = 500;
/// Limits on the entries of the matrix, and on its rows times its columns over all steps.
const MOST_WORK: usize = 40_000_000;

#[derive(Clone)]
struct Row {
    deltas: Vec<i64>,
    weights: Vec<i64>,
    support: BTreeSet<usize>,
}

fn gcd(one: i64, other: i64) -> i64 {
    let (mut one, mut other) = (one.abs(), other.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl Row {
    /// The combination of both that cancels a column.
    fn combined(&self, other: &Self, column: usize) -> Option<Self> {
        let (mine, others) = (other.deltas[column].abs(), self.deltas[column].abs());
        let common = gcd(mine, others);
        let (mine, others) = (mine / common, others / common);
        let sum = |one: &[i64], other: &[i64]| -> Option<Vec<i64>> {
            let entry =
                |(one, other): (&i64, &i64)| one.checked_mul(mine)?.checked_add(other.checked_mul(others)?);
            one.iter().zip(other).map(entry).collect()
        };
        let mut row = Self {
            deltas: sum(&self.deltas, &other.deltas)?,
            weights: sum(&self.weights, &other.weights)?,
            support: self.support.union(&other.support).copied().collect(),
        };
        let common = row.deltas.iter().chain(&row.weights).fold(0, |common, entry| gcd(common, *entry));
        if common > 1 {
            row.deltas.iter_mut().chain(&mut row.weights).for_each(|entry| *entry /= common);
        }
        Some(row)
    }
}

/// The invariants of minimal support: cells, by their positions in the matrix, with their weights.
/// Empty if there are too many.
pub fn place_invariants(changes: &LinearChanges) -> Vec<Vec<(usize, i64)>> {
    invariants(changes).unwrap_or_default()
}

fn invariants(changes: &LinearChanges) -> Option<Vec<Vec<(usize, i64)>>> {
    let (height, width) = (changes.cells.len(), changes.columns.len());
    let mut work = height * (height + width);
    let mut rows: Vec<Row> = (0..height)
        .map(|cell| {
            let mut weights = vec![0; height];
            weights[cell] = 1;
            Row { deltas: vec![0; width], weights, support: BTreeSet::from([cell]) }
        })
        .collect();
    for (number, column) in changes.columns.iter().enumerate() {
        column.iter().for_each(|(cell, change)| rows[*cell].deltas[number] = *change);
    }
    let mut left: BTreeSet<usize> = (0..width).collect();
    while let Some(column) = left.iter().copied().min_by_key(|column| {
        let signs = |sign: i64| rows.iter().filter(move |row| row.deltas[*column].signum() == sign).count();
        signs(1) * signs(-1)
    }) {
        left.remove(&column);
        let (open, mut next): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.deltas[column] != 0);
        let (gain, lose): (Vec<Row>, Vec<Row>) = open.into_iter().partition(|row| row.deltas[column] > 0);
        if next.len() + gain.len() * lose.len() > 8 * MOST_ROWS {
            return None;
        }
        for gain in &gain {
            for lose in &lose {
                next.push(gain.combined(lose, column)?);
            }
        }
        next.sort_by_key(|row| row.support.len());
        rows = Vec::new();
        for row in next {
            if !rows.iter().any(|other: &Row| other.support.is_subset(&row.support)) {
                rows.push(row);
            }
        }
        work += rows.len() * (height + 2 * width);
        if rows.len() > MOST_ROWS || work > MOST_WORK {
            return None;
        }
    }
    let weighted =
        |row: Row| row.weights.into_iter().enumerate().filter(|(_, weight)| *weight != 0).collect();
    Some(rows.into_iter().map(weighted).collect())
}
