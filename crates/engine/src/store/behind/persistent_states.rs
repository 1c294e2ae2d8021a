//! Persistent states: targets of regress edges, kept for the whole run.
//!
//! One set holds all of them. Lists hold their numbers by progress value: those that the next sweep
//! expands, those that this one expands, and those that are expanded. A sweep that comes to a
//! progress value copies the persistent states of that value to the current layer. So successors
//! that stay in the layer or come from below are looked up in one place, and only regress edges
//! look up the set.

use std::collections::BTreeMap;
use std::io;
use std::ops::RangeInclusive;

use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::pages::OutOfMemory;
use crate::store::records::{Dynamic, Prefixed, RecordShape, Records, with_records};
use crate::store::saved::{Loader, Saver};

/// Numbers of states, by progress value.
type ByValue = BTreeMap<u64, Vec<u32>>;

/// States that are copied together.
const TOGETHER: usize = 256;
/// Least number of states that are forgotten together.
const LEAST_FORGOTTEN: usize = 1 << 12;
/// Estimated bytes of a list and its entry in the tree.
const LIST_BYTES: usize = 64;

/// The fate of a persistent state in this sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The state is expanded.
    Expanded,
    /// This sweep will expand the state.
    Root,
    /// The next sweep will expand the state.
    Found,
}

/// States that are not forgotten.
#[derive(Debug)]
pub struct PersistentStates {
    set: Layer,
    /// The origin of each state, if that is wanted.
    origins: Option<Vec<u64>>,
    expanded: ByValue,
    roots: ByValue,
    found: ByValue,
    /// Number of states when the last sweep through all values began. Those with greater numbers
    /// were found in it.
    earlier: usize,
    /// Number of states in the set that are in no list any more.
    forgotten: usize,
    budget: usize,
}

impl PersistentStates {
    /// No states.
    pub fn new(shape: RecordShape, budget: usize, origins: bool) -> Result<Self, OutOfMemory> {
        Ok(Self {
            set: Layer::new(shape, budget)?,
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

    /// The state with this number.
    pub fn state(&self, number: usize) -> &[u64] {
        self.set.state(number)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let lists = self.expanded.len() + self.roots.len() + self.found.len();
        let origins = self.origins.as_ref().map_or(0, |origins| origins.capacity() * 8);
        self.set.bytes() + origins + self.len() * 8 + lists * LIST_BYTES
    }

    /// Bytes of a state, without its share of the index.
    pub fn state_bytes(&self) -> usize {
        self.set.state_bytes()
    }

    /// Makes the states in `words` persistent and roots of the next sweep, except those that are
    /// persistent already. `describe` gives the progress value and the origin of each.
    pub fn insert<R: Records>(
        &mut self,
        records: R,
        words: &[u64],
        mut describe: impl Iterator<Item = (u64, u64)>,
    ) -> Result<(), LayerFull> {
        let (found, origins) = (&mut self.found, &mut self.origins);
        self.set.insert_batch(records, words, |inserted| {
            let (value, origin) = describe.next().expect("each state is described");
            if let Inserted::New(number) = inserted {
                found.entry(value).or_default().push(number);
                if let Some(origins) = origins {
                    origins.push(origin);
                }
            }
        })
    }

    /// Makes states of this value persistent that are expanded.
    pub fn remember<R: Records>(&mut self, records: R, value: u64, words: &[u64]) -> Result<(), LayerFull> {
        let (expanded, origins) = (self.expanded.entry(value).or_default(), &mut self.origins);
        for words in records.parts(words, TOGETHER) {
            self.set.insert_batch(records, words, |inserted| {
                if let Inserted::New(number) = inserted {
                    expanded.push(number);
                    // Only the origins of roots are needed.
                    origins.iter_mut().for_each(|origins| origins.push(0));
                }
            })?;
        }
        Ok(())
    }

    /// Drops the lowest bits of all progress values.
    pub fn merge(&mut self, bits: u32) {
        for lists in [&mut self.expanded, &mut self.roots, &mut self.found] {
            for (value, numbers) in std::mem::take(lists) {
                lists.entry(value >> bits).or_default().extend(numbers);
            }
        }
    }

    /// Files all states by another measure. `progress` appends the values of some states.
    pub fn refile(&mut self, mut progress: impl FnMut(&[u64], &mut Vec<u64>)) {
        let (mut words, mut values) = (Vec::new(), Vec::new());
        for lists in [&mut self.expanded, &mut self.roots, &mut self.found] {
            for numbers in std::mem::take(lists).values().flat_map(|numbers| numbers.chunks(TOGETHER)) {
                words.clear();
                values.clear();
                numbers.iter().for_each(|number| words.extend_from_slice(self.set.state(*number as usize)));
                progress(&words, &mut values);
                debug_assert_eq!(values.len(), numbers.len(), "each state has a value");
                for (value, number) in values.iter().zip(numbers) {
                    lists.entry(*value).or_default().push(*number);
                }
            }
        }
    }

    /// Calls `each` with every state: progress value, words and origin, if that is known.
    pub fn for_each(&self, mut each: impl FnMut(u64, &[u64], u64)) {
        for (value, numbers) in self.expanded.iter().chain(&self.roots).chain(&self.found) {
            for number in numbers {
                let origin = self.origins.as_ref().map_or(0, |origins| origins[*number as usize]);
                each(*value, self.set.state(*number as usize), origin);
            }
        }
    }

    /// Saves the states.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.set.save(to)?;
        to.put(&self.origins)?;
        to.put(&(&self.expanded, &self.roots, &self.found, self.earlier, self.forgotten))
    }

    /// Loads saved states. There are none yet.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.set.load(from)?;
        self.origins = from.get()?;
        (self.expanded, self.roots, self.found, self.earlier, self.forgotten) = from.get()?;
        Ok(())
    }

    /// Calls `each` with the states of this fate, sorted by value and state: progress value, words
    /// and origin.
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
            // Two copies of the sort are enough: comparisons dominate, whatever the length.
            match self.set.shape() {
                RecordShape::Fixed(words) => {
                    list.sort_unstable_by_key(|number| self.set.record(Dynamic(words), *number as usize));
                }
                RecordShape::Prefixed => {
                    list.sort_unstable_by_key(|number| self.set.record(Prefixed, *number as usize));
                }
            }
            for &number in &*list {
                let origin = self.origins.as_ref().map_or(0, |origins| origins[number as usize]);
                each(*value, self.set.state(number as usize), origin)?;
            }
        }
        Ok(())
    }

    /// Removes all states and frees their memory.
    pub fn forget_all(&mut self) -> Result<(), LayerFull> {
        *self = Self::new(self.set.shape(), self.budget, self.origins.is_some())?;
        Ok(())
    }

    /// Whether the state is persistent.
    pub fn contains(&self, state: &[u64]) -> bool {
        with_records!(self.set.shape(), records => self.set.contains(records, state))
    }

    /// Whether the state was persistent when the last sweep through all values began: it is
    /// expanded, or a root of that sweep. For sweeps without local sweeps.
    pub fn contains_earlier(&self, state: &[u64]) -> bool {
        let number = with_records!(self.set.shape(), records => self.set.number_of(records, state));
        number.is_some_and(|number| (number as usize) < self.earlier)
    }

    /// Marks states of this value as expanded that this sweep found and that its layer, now
    /// complete, has met nevertheless: they are no roots of the next sweep. Returns their number.
    /// There are none in a total order, where regress edges never lead to layers ahead.
    pub fn settle(&mut self, value: u64, layer: &Layer) -> usize {
        let Some(found) = self.found.get_mut(&value) else { return 0 };
        let set = &self.set;
        let is_met = |number: &mut u32| with_records!(set.shape(), records => layer.contains(records, set.state(*number as usize)));
        let met: Vec<u32> = found.extract_if(.., is_met).collect();
        if found.is_empty() {
            self.found.remove(&value);
        }
        if !met.is_empty() {
            self.expanded.entry(value).or_default().extend(&met);
        }
        met.len()
    }

    /// Makes what was found at these progress values roots of a sweep; `false` if nothing was
    /// found.
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

    /// Forgets expanded states of these progress values, to which no step will lead any more. They
    /// are removed when they are most of all. While one of them is still to be expanded, all stay:
    /// its successors may lead to the others.
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
        with_records!(self.set.shape(), records => self.keep_listed(records))
    }

    fn keep_listed<R: Records>(&mut self, records: R) -> Result<(), LayerFull> {
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
        self.set = Layer::new(records.shape(), self.budget)?;
        for words in records.parts(&words, TOGETHER) {
            self.set.insert_batch(records, words, |_| {})?;
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

    /// Enters the states of this value that an earlier sweep expanded into the current layer, which
    /// is empty.
    pub fn enter_expanded<R: Records>(
        &self,
        records: R,
        value: u64,
        layer: &mut Layer,
    ) -> Result<(), LayerFull> {
        self.expanded.get(&value).map_or(Ok(()), |numbers| Self::copy(records, &self.set, numbers, layer))
    }

    /// Enters the roots of this value into the current layer. `root` gets the origin of each. From
    /// now on they count as expanded.
    pub fn enter_roots<R: Records>(
        &mut self,
        records: R,
        value: u64,
        layer: &mut Layer,
        mut root: impl FnMut(u64),
    ) -> Result<(), LayerFull> {
        let Some(roots) = self.roots.remove(&value) else { return Ok(()) };
        Self::copy(records, &self.set, &roots, layer)?;
        for &number in &roots {
            root(self.origins.as_ref().map_or(0, |origins| origins[number as usize]));
        }
        self.expanded.entry(value).or_default().extend(roots);
        Ok(())
    }

    /// Numbers of states of this value: expanded ones, and roots.
    pub fn count(&self, value: u64) -> (usize, usize) {
        let count = |lists: &ByValue| lists.get(&value).map_or(0, Vec::len);
        (count(&self.expanded), count(&self.roots))
    }

    /// Copies states to the layer. They are far apart, so they are prefetched, a few hundred at a
    /// time.
    fn copy<R: Records>(
        records: R,
        set: &Layer,
        numbers: &[u32],
        layer: &mut Layer,
    ) -> Result<(), LayerFull> {
        let mut words = Vec::new();
        for numbers in numbers.chunks(TOGETHER) {
            numbers.iter().for_each(|number| set.fetch(*number as usize));
            words.clear();
            numbers.iter().for_each(|number| words.extend_from_slice(set.state(*number as usize)));
            layer.insert_batch(records, &words, |_| {})?;
        }
        Ok(())
    }

    /// Gives all states another layout of `width` words. Returns the bytes that this took at its
    /// peak.
    pub fn repack(
        &mut self,
        width: usize,
        translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        self.set.repack(width, translate)
    }
}
