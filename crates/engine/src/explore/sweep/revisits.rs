//! Revisits: an estimate of how many different states a sweep has expanded, although it forgets
//! them.
//!
//! The states whose hash begins with some zeros are a fair sample of all states. Their hashes are
//! kept, with the number of times each was expanded; whenever there are too many, one more zero is
//! required. So a few thousand numbers say, within a percent or two, how many different states
//! there were, and how often each was expanded in the mean.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};

/// Most hashes that are kept. The relative error is about one over the square root of half of them.
const MOST: usize = 1 << 14;
/// The same in very little memory: the error is still less than five percent.
const LEAST: usize = 1 << 10;
/// Bytes of a slot of the table: a hash, a number, and a byte that says whether the slot is taken.
const SLOT: usize = size_of::<(u64, u32)>() + 1;
/// Slots of the table for each hash, at most, where their number is a power of two.
const SLOTS: usize = 2;

/// Counts expansions of a sample of the states.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Revisits {
    /// Most hashes that are kept, a power of two.
    most: usize,
    /// The greatest hash that is sampled.
    greatest: Greatest,
    expansions: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    /// The sum of the expansions.
    total: u64,
}

/// A greatest hash. At first all hashes are sampled.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Greatest(u64);

impl Default for Greatest {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

/// A hasher for keys that are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers of 64 bits");
    }

    fn write_u64(&mut self, hash: u64) {
        // The first bits are zero in all sampled hashes.
        self.0 = hash.rotate_left(32);
    }
}

impl Revisits {
    /// An empty sample that takes at most `bytes` bytes, if that is not very few.
    pub fn within(bytes: usize) -> Self {
        let fits = (bytes / (SLOT * SLOTS)).max(1);
        let most = (1 << fits.ilog2()).clamp(LEAST, MOST);
        Self { most, greatest: Greatest::default(), expansions: HashMap::default(), total: 0 }
    }

    /// Counts the expansion of a state with this hash.
    #[inline(always)]
    pub fn expanded(&mut self, hash: u64) {
        if hash <= self.greatest.0 {
            self.count(hash);
        }
    }

    #[cold]
    #[inline(never)]
    fn count(&mut self, hash: u64) {
        *self.expansions.entry(hash).or_default() += 1;
        self.total += 1;
        while self.expansions.len() > self.most {
            self.greatest.0 /= 2;
            self.expansions.retain(|hash, _| *hash <= self.greatest.0);
            self.total = self.expansions.values().map(|count| u64::from(*count)).sum();
        }
    }

    /// Estimates the number of different states among this many expansions.
    pub fn different(&self, explored: u64) -> u64 {
        if self.total == 0 {
            return explored;
        }
        (explored as f64 * self.expansions.len() as f64 / self.total as f64) as u64
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        // Seven of eight slots are used before the table grows.
        (self.expansions.capacity() * 8).div_ceil(7).next_power_of_two() * SLOT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hash::hash_state;

    #[test]
    fn few_states_are_counted_exactly_and_many_within_some_percent() {
        for states in [1u64, 1_000, 16_000, 100_000, 3_000_000] {
            let mut revisits = Revisits::within(usize::MAX);
            let mut explored = 0;
            for state in 0..states {
                for _ in 0..=state % 3 {
                    revisits.expanded(hash_state(&[state, 7]));
                    explored += 1;
                }
            }
            let error = (revisits.different(explored) as f64 / states as f64 - 1.0).abs();
            assert!(error <= if states <= MOST as u64 { 0.0 } else { 0.03 }, "{states}: {error}");
        }
    }
}
