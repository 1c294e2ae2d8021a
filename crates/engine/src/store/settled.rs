//! Settled: states ahead of the front that were expanded before the search followed its measure.
//!
//! A search may begin as full exploration and change over to a sweep. The states that it has
//! expanded by then need not be expanded again, but the sweep must recognise them. They wait here
//! by progress value, like the layers [ahead](super::ahead), and enter the layer of their value as
//! known states. What the front has passed is forgotten. At the end of the first sweep nothing is
//! left.
//!
//! The tier is a second instance of the layers ahead, without origins: it has the same half on
//! disk.

use std::io;

use model::measure::Comparison;

use super::ahead::{Ahead, Buffer};
use super::memory::Budget;
use super::records::{RecordShape, Records};
use super::saved::{Loader, Saver};
use super::spilling::Spilling;

/// Expanded states, by progress value.
#[derive(Debug)]
pub struct Settled {
    layers: Ahead,
}

impl Settled {
    /// No states. Those will have this shape.
    pub fn new(shape: RecordShape) -> Self {
        Self { layers: Ahead::new(shape, false, Comparison::Total) }
    }

    /// Lets states spill to disk.
    pub fn spill_to(&mut self, spilling: &Spilling, budget: Budget) {
        self.layers.spill_to(spilling, budget);
    }

    /// Adds a state of this progress value, which is expanded.
    #[inline]
    pub fn add<R: Records>(&mut self, records: R, value: u64, state: &[u64]) {
        self.layers.append(records, value, state, 0);
    }

    /// Number of states of this value that are in memory.
    pub fn count(&self, value: u64) -> usize {
        self.layers.entries_of(value)
    }

    /// Number of states in memory.
    pub fn held(&self) -> u64 {
        self.layers.held()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.layers.bytes()
    }

    /// Bytes of memory that [`spill`](Self::spill) can free.
    pub fn near_bytes(&self) -> usize {
        self.layers.near_bytes()
    }

    /// Moves the farther half of the states to disk.
    pub fn spill(&mut self) -> io::Result<()> {
        self.layers.forget_spare();
        self.layers.spill(None)
    }

    /// Takes out the states of this value; `each` gets some at a time. Once states have spilled,
    /// all those of smaller values must be [forgotten](Self::forget_below) before.
    pub fn take(&mut self, value: u64, mut each: impl FnMut(&[u64]) -> io::Result<()>) -> io::Result<()> {
        for chunk in self.layers.take(value).into_iter().flat_map(Buffer::into_chunks) {
            each(&chunk)?;
            self.layers.recycle(chunk);
        }
        self.layers.take_far(value, each)
    }

    /// Forgets all states of values that are less than this one.
    pub fn forget_below(&mut self, value: u64) -> io::Result<()> {
        while let Some(first) = self.layers.next_value(None, |_| 0)?.filter(|first| *first < value) {
            for chunk in self.layers.take(first).into_iter().flat_map(Buffer::into_chunks) {
                self.layers.recycle(chunk);
            }
            self.layers.take_far(first, |_| Ok(()))?;
        }
        Ok(())
    }

    /// Drops the lowest bits of all progress values, if all states are in memory.
    pub fn merge(&mut self, bits: u32) {
        self.layers.merge(bits);
    }

    /// Whether all states are in memory.
    pub fn can_merge(&self) -> bool {
        self.layers.can_merge()
    }

    /// Gives all states another layout of `width` words.
    pub fn repack(&mut self, width: usize, translate: impl FnMut(&[u64], &mut Vec<u64>)) -> io::Result<()> {
        self.layers.repack(width, translate)
    }

    /// Saves the tier.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.layers.save(to)
    }

    /// Loads what was saved, in place of what is here.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.layers.load(from, std::iter::empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::records::Fixed;

    #[test]
    fn states_come_out_by_value_and_those_that_were_passed_are_forgotten() {
        let mut settled = Settled::new(RecordShape::Fixed(1));
        for number in 0..10_000u64 {
            settled.add(Fixed::<1>, number % 7, &[number]);
        }
        let mut found = Vec::new();
        settled.forget_below(3).unwrap();
        let keep = |words: &[u64]| {
            found.extend_from_slice(words);
            Ok(())
        };
        settled.take(3, keep).unwrap();
        found.sort_unstable();
        assert_eq!(found, (0..10_000).filter(|number| number % 7 == 3).collect::<Vec<u64>>());
        let passed = (0..10_000).filter(|number| number % 7 > 3).count() as u64;
        assert_eq!((settled.held(), settled.count(2), settled.count(3)), (passed, 0, 0));
        settled.forget_below(u64::MAX).unwrap();
        assert_eq!(settled.held(), 0);
    }
}
