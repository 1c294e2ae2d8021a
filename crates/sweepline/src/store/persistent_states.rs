//! Persistent states: targets of regress edges, kept for the whole run.
//!
//! One set holds all of them. Beside it, their numbers are listed by progress value: those to be expanded in the next sweep, those to be expanded in
//! this one, and those expanded before. A sweep that comes to a progress value copies the persistent states of that value to the current layer, so
//! successors that stay in the layer or come from below are looked up in one place; only regress edges ask the set.

use std::collections::BTreeMap;

use super::layer::{Inserted, Layer, LayerFull, Width, with_width};
use super::pages::OutOfMemory;

/// Numbers of states, by progress value.
type ByValue = BTreeMap<u64, Vec<u32>>;

/// Estimated bytes of a list and its place in the tree.
const LIST_BYTES: usize = 64;

/// States that are not forgotten.
#[derive(Debug)]
pub struct PersistentStates {
    set: Layer,
    /// Where each state comes from, where that is wanted.
    origins: Option<Vec<u64>>,
    expanded: ByValue,
    roots: ByValue,
    found: ByValue,
}

impl PersistentStates {
    /// No states.
    pub fn new(width: usize, budget: usize, origins: bool) -> Result<Self, OutOfMemory> {
        Ok(Self {
            set: Layer::new(width, budget)?,
            origins: origins.then(Vec::new),
            expanded: ByValue::new(),
            roots: ByValue::new(),
            found: ByValue::new(),
        })
    }

    /// Number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let lists = self.expanded.len() + self.roots.len() + self.found.len();
        let origins = self.origins.as_ref().map_or(0, |origins| origins.capacity() * 8);
        self.set.bytes() + origins + self.len() * 8 + lists * LIST_BYTES
    }

    /// Makes the state persistent and a root of the next sweep, unless it is persistent already.
    pub fn insert<W: Width>(
        &mut self,
        width: W,
        value: u64,
        state: &[u64],
        origin: u64,
    ) -> Result<Inserted, LayerFull> {
        let inserted = self.set.insert(width, state)?;
        if let Inserted::New(number) = inserted {
            self.found.entry(value).or_default().push(number);
            if let Some(origins) = &mut self.origins {
                origins.push(origin);
            }
        }
        Ok(inserted)
    }

    /// Whether the state is persistent.
    pub fn contains(&self, state: &[u64]) -> bool {
        with_width!(self.set.width(), width => self.set.contains(width, state))
    }

    /// What was found becomes the roots of a new sweep; `false` if nothing was.
    pub fn begin_sweep(&mut self) -> bool {
        debug_assert!(self.roots.is_empty(), "a sweep ends when all its roots are expanded");
        self.roots = std::mem::take(&mut self.found);
        !self.roots.is_empty()
    }

    /// The least progress value of a root of this sweep.
    pub fn first_root(&self) -> Option<u64> {
        self.roots.first_key_value().map(|(value, _)| *value)
    }

    /// States of this value, each with where it comes from: first those that an earlier sweep expanded, then, from the
    /// number that is given as well, the roots of this one, which count as expanded from now on.
    pub fn enter(&mut self, value: u64) -> (Vec<(&[u64], u64)>, usize) {
        let mut numbers = self.expanded.remove(&value).unwrap_or_default();
        let known = numbers.len();
        numbers.extend(self.roots.remove(&value).unwrap_or_default());
        let numbers =
            if numbers.is_empty() { &[][..] } else { self.expanded.entry(value).or_insert(numbers) };
        let origin = |number: u32| self.origins.as_ref().map_or(0, |origins| origins[number as usize]);
        let entry = |&number: &u32| (self.set.state(number as usize), origin(number));
        (numbers.iter().map(entry).collect(), known)
    }

    /// Gives all states another layout of `width` words, and tells how many bytes that took at its peak.
    pub fn repack(
        &mut self,
        width: usize,
        translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        self.set.repack(width, translate)
    }
}
