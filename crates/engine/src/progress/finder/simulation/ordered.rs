//! States of a sample in the order of a measure, and their positions in it.

use super::super::sample::Sample;

/// Limit on the keys that are counted in a bit set, and the limit for each state: a sparse set
/// takes longer than sorting.
const WIDEST_SET: u64 = 1 << 24;
const SPARSEST_SET: u64 = 512;

/// States of a sample in the order of a measure.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// By state.
    pub(super) keys: Vec<u64>,
    /// Keys are smaller.
    pub(super) end: u64,
}

impl Ordered {
    /// All states are equal.
    pub fn constant(sample: &Sample) -> Self {
        Self { keys: vec![0; sample.len()], end: 1 }
    }

    /// The key of each state.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.keys.iter().copied()
    }

    /// Refines the order by a component, given as a value for each state; values are smaller than
    /// `values`.
    pub fn refine(&mut self, component: impl Iterator<Item = u32>, values: usize) {
        if self.end.saturating_mul(values as u64) > WIDEST_SET {
            self.close_gaps();
        }
        for (key, value) in self.keys.iter_mut().zip(component) {
            *key = *key * values as u64 + u64::from(value);
        }
        self.end *= values as u64;
    }

    /// The states of the largest layer, if there are no gaps.
    pub fn largest_layer(&self) -> Vec<u32> {
        let mut sizes = vec![0u32; self.end as usize];
        self.keys.iter().for_each(|key| sizes[*key as usize] += 1);
        let largest = (0..self.end).max_by_key(|key| sizes[*key as usize]);
        (0..).zip(&self.keys).filter(|(_, key)| Some(**key) == largest).map(|(state, _)| state).collect()
    }

    /// Number of layers, and of layers with one state and with two, if there are no gaps.
    pub fn layers_by_size(&self) -> (usize, usize, usize) {
        let mut sizes = vec![0u32; self.end as usize];
        self.keys.iter().for_each(|key| sizes[*key as usize] += 1);
        let of_size = |wanted: u32| sizes.iter().filter(|size| **size == wanted).count();
        (sizes.len(), of_size(1), of_size(2))
    }

    /// The order by these keys, one for each state.
    pub fn by_keys(keys: Vec<u64>) -> Self {
        let end = keys.iter().max().map_or(0, |last| last.saturating_add(1));
        Self { keys, end }
    }

    /// Replaces the keys by their ranks.
    pub fn close_gaps(&mut self) {
        if self.end > WIDEST_SET.min(SPARSEST_SET * self.keys.len() as u64) {
            let mut sorted = self.keys.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let rank = |key: &mut u64| *key = sorted.partition_point(|other| other < key) as u64;
            self.keys.iter_mut().for_each(rank);
            self.end = sorted.len() as u64;
            return;
        }
        let mut present = vec![0u64; self.end as usize / 64 + 1];
        self.keys.iter().for_each(|key| present[(key / 64) as usize] |= 1 << (key % 64));
        let mut count = 0;
        let mut before = Vec::with_capacity(present.len());
        for word in &present {
            before.push(count);
            count += word.count_ones();
        }
        for key in &mut self.keys {
            let word = (*key / 64) as usize;
            let smaller = present[word] & ((1 << (*key % 64)) - 1);
            *key = u64::from(before[word] + smaller.count_ones());
        }
        self.end = u64::from(count);
    }
}

/// Positions of states as a window counts them. The order of a measure refines it.
#[derive(Clone, Debug)]
pub struct Positions(pub Vec<u64>);

impl Positions {
    /// The longest decrease of a step.
    pub fn longest_fall(&self, sample: &Sample) -> u64 {
        let fall = |state: usize| {
            let targets = sample.inner_successors(state).iter();
            targets.map(move |to| self.0[state].saturating_sub(self.0[*to as usize])).max()
        };
        (0..sample.len()).filter_map(fall).max().unwrap_or(0)
    }

    /// The distance from the least to the greatest position.
    pub fn span(&self) -> u64 {
        let (least, greatest) = (self.0.iter().min(), self.0.iter().max());
        greatest.zip(least).map_or(0, |(greatest, least)| greatest - least)
    }
}
