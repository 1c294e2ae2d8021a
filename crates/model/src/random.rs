//! Random choices that can be repeated: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
//!
//! The sequence of a seed is part of the program's behaviour (`--seed` promises the same run). That
//! is why it is written here and does not come from a library that may change its generator.

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence that belongs to this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `end`, which is not zero. The bias is below `end` / 2^64.
    pub fn below(&mut self, end: usize) -> usize {
        debug_assert!(end > 0, "there must be something to choose from");
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1234567);
        let numbers: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(numbers, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn every_choice_is_made_about_equally_often() {
        let mut random = Random::new(0);
        let mut counts = [0; 7];
        (0..70_000).for_each(|_| counts[random.below(7)] += 1);
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }
}
