//! Persistent states: targets of regress edges, kept for the whole run.
//!
//! One set holds all of them. Beside it, their numbers are listed by progress value: those to be expanded in the next sweep, those to be expanded in
//! this one, and those expanded before. A sweep that comes to a progress value copies the persistent states of that value to the current layer, so
//! successors that stay in the layer or come from below are looked up in one place; only regress edges ask the set.

use std::collections::BTreeMap;
use std::io;
use std::ops::RangeInclusive;

use crate::store::layer::{Inserted, Layer, LayerFull, Width, with_width};
use crate::store::pages::OutOfMemory;
use crate::store::saved::{Loader, Saver};

/// Numbers of states, by progress value.
type ByValue = BTreeMap<u64, Vec<u32>>;

/// States that are copied together.
const TOGETHER: usize = 256;
/// States that are forgotten together, at least.
const LEAST_FORGOTTEN: usize = 1 << 12;
/// Estimated bytes of a list and its place in the tree.
const LIST_BYTES: usize = 64;

/// What becomes of a persistent state in this sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is expanded already.
    Expanded,
    /// It will be expanded.
    Root,
    /// It will be expanded in the next one.
    Found,
}

/// States that are not forgotten.
#[derive(Debug)]
pub struct PersistentStates {
    set: Layer,
    /// Where each state comes from, where that is wanted.
    origins: Option<Vec<u64>>,
    expanded: ByValue,
    roots: ByValue,
    found: ByValue,
    /// States in the set when the last sweep through all values began: those with greater numbers were found in it.
    earlier: usize,
    /// States in the set that are in no list any more.
    forgotten: usize,
    budget: usize,
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
            earlier: 0,
            forgotten: 0,
            budget,
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

    /// Makes the states in `words` persistent and roots of the next sweep, but for those that are persistent already.
    /// `describe` gives each one's progress value and where it comes from.
    pub fn insert<W: Width>(
        &mut self,
        width: W,
        words: &[u64],
        mut describe: impl Iterator<Item = (u64, u64)>,
    ) -> Result<(), LayerFull> {
        let (found, origins) = (&mut self.found, &mut self.origins);
        self.set.insert_batch(width, words, |inserted| {
            let (value, origin) = describe.next().expect("each state is described");
            if let Inserted::New(number) = inserted {
                found.entry(value).or_default().push(number);
                if let Some(origins) = origins {
                    origins.push(origin);
                }
            }
        })
    }

    /// Makes states of this value persistent that were expanded already.
    pub fn remember<W: Width>(&mut self, width: W, value: u64, words: &[u64]) -> Result<(), LayerFull> {
        let (expanded, origins) = (self.expanded.entry(value).or_default(), &mut self.origins);
        for words in words.chunks(TOGETHER * width.get()) {
            self.set.insert_batch(width, words, |inserted| {
                if let Inserted::New(number) = inserted {
                    expanded.push(number);
                    // Nobody will ask: only roots are expanded.
                    origins.iter_mut().for_each(|origins| origins.push(0));
                }
            })?;
        }
        Ok(())
    }

    /// All states, with their progress values, and where they come from, if that is known.
    pub fn for_each(&self, mut each: impl FnMut(u64, &[u64], u64)) {
        for (value, numbers) in self.expanded.iter().chain(&self.roots).chain(&self.found) {
            for number in numbers {
                let origin = self.origins.as_ref().map_or(0, |origins| origins[*number as usize]);
                each(*value, self.set.state(*number as usize), origin);
            }
        }
    }

    /// Saves everything.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.set.save(to)?;
        to.put(&self.origins)?;
        to.put(&(&self.expanded, &self.roots, &self.found, self.earlier, self.forgotten))
    }

    /// What was saved, in place of these, which are none.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.set.load(from)?;
        self.origins = from.get()?;
        (self.expanded, self.roots, self.found, self.earlier, self.forgotten) = from.get()?;
        Ok(())
    }

    /// Gives `each` the states of this fate, with their values and where they come from, sorted by value and state.
    pub fn for_each_sorted<E>(
        &mut self,
        fate: Fate,
        mut each: impl FnMut(u64, &[u64], u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let lists = match fate {
            Fate::Expanded => &mut self.expanded,
            Fate::Root => &mut self.roots,
            Fate::Found => &mut self.found,
        };
        for (value, list) in lists {
            list.sort_unstable_by_key(|number| self.set.state(*number as usize));
            for &number in &*list {
                let origin = self.origins.as_ref().map_or(0, |origins| origins[number as usize]);
                each(*value, self.set.state(number as usize), origin)?;
            }
        }
        Ok(())
    }

    /// Forgets all of them after all, and gives their memory back.
    pub fn forget_all(&mut self) -> Result<(), LayerFull> {
        *self = Self::new(self.set.width(), self.budget, self.origins.is_some())?;
        Ok(())
    }

    /// Whether the state is persistent.
    pub fn contains(&self, state: &[u64]) -> bool {
        with_width!(self.set.width(), width => self.set.contains(width, state))
    }

    /// Whether the state was persistent already when the last sweep through all values began: it is expanded, or a root of that sweep. For
    /// sweeps without parts.
    pub fn contains_earlier(&self, state: &[u64]) -> bool {
        let number = with_width!(self.set.width(), width => self.set.number_of(width, state));
        number.is_some_and(|number| (number as usize) < self.earlier)
    }

    /// States of this value that were found in this sweep, and that its layer, now complete, met all the same, are expanded: they are no
    /// roots of the next. Tells how many. In a total order there are none, as no layer is ahead whose states are found by regress edges.
    pub fn settle(&mut self, value: u64, layer: &Layer) -> usize {
        let Some(found) = self.found.get_mut(&value) else { return 0 };
        let set = &self.set;
        let is_met = |number: &mut u32| with_width!(set.width(), width => layer.contains(width, set.state(*number as usize)));
        let met: Vec<u32> = found.extract_if(.., is_met).collect();
        if found.is_empty() {
            self.found.remove(&value);
        }
        if !met.is_empty() {
            self.expanded.entry(value).or_default().extend(&met);
        }
        met.len()
    }

    /// What was found at these progress values becomes roots of a sweep; `false` if nothing was.
    pub fn begin_sweep(&mut self, values: RangeInclusive<u64>) -> bool {
        if values == (0..=u64::MAX) {
            self.earlier = self.len();
        }
        if self.found.range(values.clone()).next().is_none() {
            return false;
        }
        for (value, found) in self.found.extract_if(values, |_, _| true) {
            self.roots.entry(value).or_default().extend(found);
        }
        true
    }

    /// Nothing will lead to states of these progress values any more: those that are expanded may go. They do when they are
    /// most of all. While one of them is still to be expanded, all stay: what follows it may lead to the others.
    ///
    /// # Errors
    /// If there is no room for those that stay, while they move.
    pub fn forget(&mut self, values: RangeInclusive<u64>) -> Result<(), LayerFull> {
        if [&self.roots, &self.found].into_iter().any(|lists| lists.range(values.clone()).next().is_some()) {
            return Ok(());
        }
        self.forgotten +=
            self.expanded.extract_if(values, |_, _| true).map(|(_, list)| list.len()).sum::<usize>();
        if self.forgotten < LEAST_FORGOTTEN || self.forgotten * 2 < self.len() {
            return Ok(());
        }
        self.forgotten = 0;
        with_width!(self.set.width(), width => self.keep_listed(width))
    }

    fn keep_listed<W: Width>(&mut self, width: W) -> Result<(), LayerFull> {
        let mut words = Vec::new();
        let mut origins = self.origins.as_ref().map(|_| Vec::new());
        let mut kept = 0;
        for list in
            [&mut self.expanded, &mut self.roots, &mut self.found].into_iter().flat_map(ByValue::values_mut)
        {
            for number in list {
                words.extend_from_slice(self.set.state(*number as usize));
                if let (Some(new), Some(old)) = (&mut origins, &self.origins) {
                    new.push(old[*number as usize]);
                }
                *number = kept;
                kept += 1;
            }
        }
        self.origins = origins;
        self.set = Layer::new(width.get(), self.budget)?;
        for words in words.chunks(TOGETHER * width.get()) {
            self.set.insert_batch(width, words, |_| {})?;
        }
        debug_assert_eq!(self.set.len(), kept as usize, "each state is listed once");
        Ok(())
    }

    /// Whether there are roots that are not expanded yet, of this sweep or of the next.
    pub fn is_root_ahead(&self) -> bool {
        !self.roots.is_empty() || !self.found.is_empty()
    }

    /// The least progress value of a root of this sweep.
    pub fn first_root(&self) -> Option<u64> {
        self.roots.first_key_value().map(|(value, _)| *value)
    }

    /// The progress values of the roots of this sweep.
    pub fn root_values(&self) -> impl Iterator<Item = u64> {
        self.roots.keys().copied()
    }

    /// Enters the states of this value that an earlier sweep expanded into the current layer, which is empty.
    pub fn enter_expanded<W: Width>(&self, width: W, value: u64, layer: &mut Layer) -> Result<(), LayerFull> {
        self.expanded.get(&value).map_or(Ok(()), |numbers| Self::copy(width, &self.set, numbers, layer))
    }

    /// Enters the roots of this value into the current layer; `root` hears where each comes from. From now on they count as
    /// expanded.
    pub fn enter_roots<W: Width>(
        &mut self,
        width: W,
        value: u64,
        layer: &mut Layer,
        mut root: impl FnMut(u64),
    ) -> Result<(), LayerFull> {
        let Some(roots) = self.roots.remove(&value) else { return Ok(()) };
        Self::copy(width, &self.set, &roots, layer)?;
        for &number in &roots {
            root(self.origins.as_ref().map_or(0, |origins| origins[number as usize]));
        }
        self.expanded.entry(value).or_default().extend(roots);
        Ok(())
    }

    /// Number of states of this value that were expanded, and of those that are roots.
    pub fn count(&self, value: u64) -> (usize, usize) {
        let count = |lists: &ByValue| lists.get(&value).map_or(0, Vec::len);
        (count(&self.expanded), count(&self.roots))
    }

    /// The states lie far apart: they are fetched ahead, some hundred at a time.
    fn copy<W: Width>(width: W, set: &Layer, numbers: &[u32], layer: &mut Layer) -> Result<(), LayerFull> {
        let mut words = Vec::with_capacity(TOGETHER.min(numbers.len()) * width.get());
        for numbers in numbers.chunks(TOGETHER) {
            numbers.iter().for_each(|number| set.fetch(*number as usize));
            words.clear();
            numbers.iter().for_each(|number| words.extend_from_slice(set.state(*number as usize)));
            layer.insert_batch(width, &words, |_| {})?;
        }
        Ok(())
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
