//! Orders of the values of one cell that few steps decrease, learned from the steps of a sample.

use crate::progress::levels::levels;

use super::sample::Change;

/// Number of values from which on only the order of numbers is tried.
pub const MOST_VALUES: usize = 256;

/// The changes of one cell: an edge from value to value, with the number of steps that make it.
#[derive(Clone, Debug)]
pub struct ValueGraph {
    /// The values that occur, ascending.
    values: Vec<u32>,
    /// Numbers of steps from value to value, by the ranks of both, row by row.
    weights: Vec<u32>,
}

/// An order of the values of a cell, with the steps that respect it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// For each value that occurs, its rank.
    pub ranks: Vec<(u32, u32)>,
    /// Steps that increase the rank.
    pub rising: u64,
    /// Steps that decrease the rank.
    pub falling: u64,
}

impl Ranking {
    /// Number of ranks.
    pub fn classes(&self) -> usize {
        self.ranks.iter().map(|(_, rank)| *rank).max().unwrap_or(0) as usize + 1
    }

    /// The rank of a value that occurs.
    pub fn lookup(&self) -> impl Fn(u32) -> u32 + use<> {
        let first = self.ranks.first().map_or(0, |(value, _)| *value);
        let last = self.ranks.last().map_or(0, |(value, _)| *value);
        let mut table = vec![0; if last - first < 1 << 16 { (last - first) as usize + 1 } else { 0 }];
        let sorted = if table.is_empty() { self.ranks.clone() } else { Vec::new() };
        if !table.is_empty() {
            self.ranks.iter().for_each(|(value, rank)| table[(value - first) as usize] = *rank);
        }
        move |value| {
            if table.is_empty() {
                return sorted[sorted.partition_point(|(other, _)| *other < value)].1;
            }
            table[(value - first) as usize]
        }
    }
}

impl ValueGraph {
    /// The graph of these changes over these values, if there are not too many.
    pub fn new<'c>(values: &[u32], changes: impl Iterator<Item = &'c Change>) -> Option<Self> {
        let count = values.len();
        if count > MOST_VALUES {
            return None;
        }
        let mut weights = vec![0; count * count];
        let place = |value: u32| values.partition_point(|other| *other < value);
        for change in changes {
            weights[place(change.from) * count + place(change.to)] += change.steps;
        }
        Some(Self { values: values.to_vec(), weights })
    }

    fn weight(&self, from: usize, to: usize) -> u32 {
        self.weights[from * self.values.len() + to]
    }

    /// Whether a step leads to or from each value. The rank of any other would be arbitrary.
    pub fn is_connected(&self) -> bool {
        let count = self.values.len();
        (0..count)
            .all(|one| (0..count).any(|other| self.weight(one, other) > 0 || self.weight(other, one) > 0))
    }

    fn ranking(&self, ranks: &[u32]) -> Ranking {
        let (mut rising, mut falling) = (0, 0);
        for (from, &before) in ranks.iter().enumerate() {
            for (to, &after) in ranks.iter().enumerate() {
                let weight = u64::from(self.weight(from, to));
                rising += if after > before { weight } else { 0 };
                falling += if after < before { weight } else { 0 };
            }
        }
        Ranking { ranks: self.values.iter().copied().zip(ranks.iter().copied()).collect(), rising, falling }
    }

    /// Values as they are, smallest first.
    pub fn ascending(&self) -> Ranking {
        self.ranking(&(0..self.values.len() as u32).collect::<Vec<_>>())
    }

    /// Values as they are, greatest first.
    pub fn descending(&self) -> Ranking {
        self.ranking(&(0..self.values.len() as u32).rev().collect::<Vec<_>>())
    }

    /// Levels of the strongly connected components, which no step decreases.
    pub fn levels(&self) -> Ranking {
        let count = self.values.len();
        let leaving: Vec<Vec<usize>> =
            (0..count).map(|from| (0..count).filter(|to| self.weight(from, *to) > 0).collect()).collect();
        let ranks: Vec<u32> = levels(&leaving).into_iter().map(|level| level as u32).collect();
        self.ranking(&ranks)
    }

    /// An order that few steps decrease: sources first, sinks last, and between them the value with
    /// the greatest excess of outgoing over incoming steps (Eades, Lin and Smyth 1993), weighted.
    pub fn feedback_order(&self) -> Ranking {
        let count = self.values.len();
        let mut out: Vec<i64> =
            (0..count).map(|from| (0..count).map(|to| i64::from(self.weight(from, to))).sum()).collect();
        let mut into: Vec<i64> =
            (0..count).map(|to| (0..count).map(|from| i64::from(self.weight(from, to))).sum()).collect();
        let mut is_left = vec![true; count];
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let left = || (0..count).filter(|value| is_left[*value]);
            let sink = left().find(|value| out[*value] == 0 && into[*value] > 0);
            let chosen = sink.or_else(|| {
                left().max_by_key(|value| {
                    (into[*value] == 0, out[*value] - into[*value], std::cmp::Reverse(*value))
                })
            });
            let Some(chosen) = chosen else { break };
            is_left[chosen] = false;
            if sink.is_some() {
                last.push(chosen)
            } else {
                first.push(chosen)
            }
            for other in 0..count {
                if is_left[other] {
                    into[other] -= i64::from(self.weight(chosen, other));
                    out[other] -= i64::from(self.weight(other, chosen));
                }
            }
        }
        let mut ranks = vec![0; count];
        for (rank, value) in first.into_iter().chain(last.into_iter().rev()).enumerate() {
            ranks[value] = rank as u32;
        }
        self.ranking(&ranks)
    }
}
