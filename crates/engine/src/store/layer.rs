//! A layer: an insertion-ordered set of packed states.
//!
//! The states lie in an arena in the order in which they came, so that the set of seen states and the queue of
//! unprocessed ones are the same object: a cursor runs through the arena. Beside it stands an index of 32-bit slots in buckets of a
//! cache line (sixteen slots), with linear probing from bucket to bucket. A slot is a record number (plus one; zero is empty) below
//! and a tag from the hash above; the larger the table, the fewer bits are left for the tag.
//!
//! What that buys:
//! - a look-up costs one cache line of the index and, only where a tag matches, one of the arena; both are fetched ahead
//!   for a whole batch, so that their latencies overlap ([`Layer::insert_batch`]);
//! - growing needs no second copy: neither arena nor index moves, and the index is filled anew from the arena;
//! - 4 bytes a slot at 42 to 85 % load: five to nine bytes per state beside its words;
//! - forgetting the layer is dropping the arena.
//!
//! What was tried: growing by half saves one byte per state in the mean and takes 10 to 25 % more time; moving the records inside the index when it grows (bucket numbers only rise) reads the arena at random, which
//! took longer than writing the index at random; states inside the slots save one cache miss, and lose the queue and
//! the compact index.

mod copy;
mod index_view;

use std::io;

use super::hash::hash_state;
use super::pages::{OutOfMemory, PagedTable, PagedVec};
use super::saved::{Loader, Saver};

pub use copy::LayerCopy;

use index_view::{IndexView, TagMatch, prefetch};

/// Slots in a bucket: one cache line.
const BUCKET: usize = 16;
/// Full to this share, the index grows.
const MAX_LOAD: f64 = 0.85;
/// By this factor.
const GROWTH: f64 = 2.0;
/// States that are entered together when the index is filled anew, so that writing the buckets overlaps.
const ENTERED_TOGETHER: usize = 256;

/// The number of words of a state, known to the compiler or not.
pub trait Width: Copy {
    /// The number.
    fn get(self) -> usize;
}

/// A width that is part of the type: loops over a state disappear.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<const WORDS: usize>;

/// A width that is known at run time only.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic(pub usize);

impl<const WORDS: usize> Width for Fixed<WORDS> {
    #[inline(always)]
    fn get(self) -> usize {
        WORDS
    }
}

impl Width for Dynamic {
    #[inline(always)]
    fn get(self) -> usize {
        self.0
    }
}

/// Calls the function with the width as a type where it is small, so that the common cases are specialised.
macro_rules! with_width {
    ($words:expr, $width:ident => $body:expr) => {
        match $words {
            1 => {
                let $width = $crate::store::layer::Fixed::<1>;
                $body
            }
            2 => {
                let $width = $crate::store::layer::Fixed::<2>;
                $body
            }
            3 => {
                let $width = $crate::store::layer::Fixed::<3>;
                $body
            }
            4 => {
                let $width = $crate::store::layer::Fixed::<4>;
                $body
            }
            words => {
                let $width = $crate::store::layer::Dynamic(words);
                $body
            }
        }
    };
}

pub(crate) use with_width;

/// Why a layer cannot take more states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayerFull {
    /// The budget does not allow a larger index or arena.
    #[error("the memory limit is reached")]
    Budget,
    /// The operating system gave no memory.
    #[error(transparent)]
    System(#[from] OutOfMemory),
    /// Record numbers have 32 bits.
    #[error("a layer holds at most {} states", u32::MAX - 1)]
    RecordNumbers,
}

/// The outcome of inserting one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// It was not there; this is its record number.
    New(u32),
    /// It was there under this number.
    Known(u32),
}

/// An insertion-ordered set of packed states of one width.
#[derive(Debug)]
pub struct Layer {
    width: usize,
    arena: PagedVec,
    index: PagedTable,
    buckets: usize,
    /// Bits of a slot that hold the record number.
    record_bits: u32,
    count: usize,
    /// The index grows before this many states are exceeded.
    capacity: usize,
    budget: usize,
    /// What the budget was at first: address space is reserved for that.
    limit: usize,
    hashes: Vec<u64>,
    matches: Vec<TagMatch>,
}

impl Layer {
    /// An empty layer that uses at most `budget` bytes.
    pub fn new(width: usize, budget: usize) -> Result<Self, OutOfMemory> {
        let most = budget.min(super::pages::available_memory());
        Ok(Self {
            width,
            arena: PagedVec::with_limit(most)?,
            index: PagedTable::with_limit(most)?,
            buckets: 0,
            record_bits: 0,
            count: 0,
            capacity: 0,
            budget,
            limit: budget,
            hashes: Vec::new(),
            matches: Vec::new(),
        })
    }

    /// Number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of words of a state.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.index.bytes() + self.hashes.capacity() * 8 + self.matches.capacity() * 4
    }

    /// The state with this record number.
    #[inline]
    pub fn state(&self, record: usize) -> &[u64] {
        &self.arena.as_slice()[record * self.width..(record + 1) * self.width]
    }

    /// Fetches the state with this record number ahead of its use.
    #[inline]
    pub fn fetch(&self, record: usize) {
        prefetch(self.view().record_start(Dynamic(self.width), record as u32));
    }

    /// The words of a run of states.
    #[inline]
    pub fn states(&self, records: std::ops::Range<usize>) -> &[u64] {
        &self.arena.as_slice()[records.start * self.width..records.end * self.width]
    }

    /// Hashes states that will be inserted soon, and fetches the parts of the index that they belong to.
    /// The hashes are appended to `hashes`. They stay valid whatever happens to the layer.
    #[inline]
    pub fn announce<W: Width>(&self, width: W, words: &[u64], hashes: &mut Vec<u64>) {
        let view = self.view();
        hashes.extend(words.chunks_exact(width.get()).map(|state| {
            let hash = hash_state(&state[..width.get()]);
            view.fetch(hash);
            hash
        }));
    }

    /// Inserts the states in `words`, which are contiguous. `each` is called for each of them, in order;
    /// new ones get the next record numbers.
    #[inline]
    pub fn insert_batch<W: Width>(
        &mut self,
        width: W,
        words: &[u64],
        each: impl FnMut(Inserted),
    ) -> Result<(), LayerFull> {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        self.announce(width, words, &mut hashes);
        let inserted = self.insert_announced(width, words, &hashes, each);
        self.hashes = hashes;
        inserted
    }

    /// [`insert_batch`](Self::insert_batch) for states with these hashes, which
    /// [`announce`](Self::announce) gave.
    #[inline]
    pub fn insert_announced<W: Width>(
        &mut self,
        width: W,
        words: &[u64],
        hashes: &[u64],
        mut each: impl FnMut(Inserted),
    ) -> Result<(), LayerFull> {
        debug_assert_eq!(width.get(), self.width);
        assert_eq!(hashes.len() * width.get(), words.len(), "announced and inserted states differ");
        self.make_room(width, hashes.len())?;
        let mut matches = std::mem::take(&mut self.matches);
        matches.clear();
        let view = self.view();
        // SAFETY: after `make_room` the index has buckets.
        matches.extend(hashes.iter().map(|&hash| unsafe { view.look(width, hash) }));
        for ((state, &hash), &matched) in words.chunks_exact(width.get()).zip(hashes).zip(&matches) {
            debug_assert_eq!(hash, hash_state(&state[..width.get()]), "hashes belong to these states");
            // SAFETY: there is room for the whole batch, and the match was made for this hash.
            each(unsafe { self.insert_hashed(width, state, hash, Some(matched)) });
        }
        self.matches = matches;
        Ok(())
    }

    /// Inserts one state.
    pub fn insert<W: Width>(&mut self, width: W, state: &[u64]) -> Result<Inserted, LayerFull> {
        self.make_room(width, 1)?;
        let hash = hash_state(&state[..width.get()]);
        // SAFETY: there is room for one state.
        Ok(unsafe { self.insert_hashed(width, state, hash, None) })
    }

    /// Whether the state is in the set.
    pub fn contains<W: Width>(&self, width: W, state: &[u64]) -> bool {
        self.number_of(width, state).is_some()
    }

    /// The record number of the state, if it is in the set.
    #[inline]
    pub fn number_of<W: Width>(&self, width: W, state: &[u64]) -> Option<u32> {
        if self.buckets == 0 {
            return None;
        }
        // SAFETY: the index has buckets.
        unsafe { self.view().find(width, state, hash_state(&state[..width.get()]), None) }.ok()
    }

    /// Forgets all states, and makes room for about `expected` others, or for as many as there were: neighbouring layers
    /// are often alike. The memory stays, but only as much of it is touched: from the second on, small layers after a
    /// large one are as quick as if it had not been.
    ///
    /// # Errors
    /// If there is no room for any.
    pub fn restart(&mut self, expected: usize) -> Result<(), LayerFull> {
        let expected = expected.max(self.count);
        if self.bytes() > self.budget {
            *self = Self { budget: self.budget, ..Self::new(self.width, self.limit)? };
        }
        self.arena.clear();
        self.hashes.clear();
        self.count = 0;
        // Whether all of them find room is seen when they come.
        let room = self.budget.saturating_sub(self.arena.bytes()) / 2;
        self.renew_index((expected as f64 / MAX_LOAD).min(room as f64 / 4.0))
    }

    /// Bytes of memory that may be used.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// Saves all states.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put_words(self.states(0..self.count))
    }

    /// What was saved, in this layer, which is empty.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let words = from.get_words()?;
        with_width!(self.width, width => for states in words.chunks(ENTERED_TOGETHER * self.width) {
            self.insert_batch(width, states, |_| {}).map_err(io::Error::other)?;
        });
        Ok(())
    }

    /// From now on, use at most `budget` bytes.
    pub fn set_budget(&mut self, budget: usize) {
        self.budget = budget;
    }

    /// Gives the same states, in the same order, another layout of `width` words, and tells how many bytes that took at
    /// its peak. The budget holds for the old and the new form together. After an error the states can still be read, but
    /// none can be inserted.
    pub fn repack(
        &mut self,
        width: usize,
        mut translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        // At the peak there are two arenas, and the new index.
        self.index = PagedTable::with_limit(0)?;
        self.buckets = 0;
        let mut layer = Self::new(width, self.limit)?;
        layer.budget = self.budget.saturating_sub(self.arena.bytes());
        let mut packed = Vec::with_capacity(width);
        for record in 0..self.count {
            translate(self.state(record), &mut packed);
            if !layer.arena.has_room(width) {
                layer.grow_arena(width)?;
            }
            // SAFETY: there is room for `width` words.
            unsafe { layer.arena.append(&packed[..width]) };
        }
        layer.count = self.count;
        with_width!(width, width => layer.grow(width, layer.count))?;
        let peak = self.arena.bytes() + layer.bytes();
        layer.budget = self.budget;
        *self = layer;
        Ok(peak)
    }

    /// # Safety
    /// `make_room` allowed for this state; a match, if given, was made for its hash since the index last grew.
    #[inline(always)]
    unsafe fn insert_hashed<W: Width>(
        &mut self,
        width: W,
        state: &[u64],
        hash: u64,
        matched: Option<TagMatch>,
    ) -> Inserted {
        // SAFETY: after `make_room` the index has buckets.
        match unsafe { self.view().find(width, state, hash, matched) } {
            Ok(record) => Inserted::Known(record),
            Err(slot) => {
                let record = self.count as u32;
                // SAFETY: `slot` came from `find`, and `make_room` reserved the words.
                unsafe {
                    *slot = self.view().slot(hash, record);
                    self.arena.append(&state[..width.get()]);
                }
                self.count += 1;
                Inserted::New(record)
            }
        }
    }

    /// The index as it is now.
    #[inline(always)]
    fn view(&self) -> IndexView {
        IndexView::new(self.index.start(), self.buckets, self.record_bits, self.arena.start())
    }

    #[inline(always)]
    fn make_room<W: Width>(&mut self, width: W, more: usize) -> Result<(), LayerFull> {
        if self.count + more > self.capacity {
            self.grow(width, self.count + more)?;
        }
        if !self.arena.has_room(more * width.get()) {
            self.grow_arena(more * width.get())?;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow_arena(&mut self, more: usize) -> Result<(), LayerFull> {
        if self.arena.bytes_with(more) + self.index.bytes() > self.budget {
            return Err(LayerFull::Budget);
        }
        Ok(self.arena.reserve(more)?)
    }

    /// A larger index, filled anew from the arena.
    #[cold]
    #[inline(never)]
    fn grow<W: Width>(&mut self, width: W, needed: usize) -> Result<(), LayerFull> {
        self.renew_index((needed as f64 / MAX_LOAD).max(self.index.len() as f64 * GROWTH))?;
        self.enter_all(width);
        Ok(())
    }

    /// An empty index of at least `wanted` slots.
    fn renew_index(&mut self, wanted: f64) -> Result<(), LayerFull> {
        let buckets = (wanted / BUCKET as f64).ceil().max(4.0) as usize;
        let slots = buckets * BUCKET;
        let capacity = (slots as f64 * MAX_LOAD) as usize;
        if capacity >= u32::MAX as usize {
            return Err(LayerFull::RecordNumbers);
        }
        if self.index.bytes_with(slots) + self.arena.bytes() > self.budget {
            return Err(LayerFull::Budget);
        }
        self.index.clear();
        self.index.resize(slots)?;
        self.buckets = buckets;
        self.capacity = capacity;
        self.record_bits = usize::BITS - capacity.leading_zeros();
        Ok(())
    }

    /// Enters all states of the arena into an empty index. They are known to differ: nothing is compared.
    fn enter_all<W: Width>(&mut self, width: W) {
        let view = self.view();
        let mut hashes = [0; ENTERED_TOGETHER];
        for start in (0..self.count).step_by(ENTERED_TOGETHER) {
            let end = (start + ENTERED_TOGETHER).min(self.count);
            for (hash, state) in hashes.iter_mut().zip(self.states(start..end).chunks_exact(width.get())) {
                *hash = hash_state(&state[..width.get()]);
                view.fetch(*hash);
            }
            for (record, &hash) in (start..end).zip(&hashes) {
                // SAFETY: the index is this layer's own and has room for all states: `renew_index` made it for that, with bits for their numbers.
                unsafe { view.enter(hash, record as u32) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    const ROOMY: usize = 1 << 30;

    fn agrees_with_a_map<W: Width>(width: W, states: &[Vec<u64>], batch: usize) {
        let mut layer = Layer::new(width.get(), ROOMY).unwrap();
        let mut map: HashMap<Vec<u64>, usize> = HashMap::new();
        for some in states.chunks(batch) {
            let mut expected = Vec::new();
            for state in some {
                let next = map.len();
                expected.push(!map.contains_key(state));
                map.entry(state.clone()).or_insert(next);
            }
            let mut found = Vec::new();
            layer
                .insert_batch(width, &some.concat(), |one| found.push(matches!(one, Inserted::New(_))))
                .unwrap();
            assert_eq!(found, expected);
        }
        assert_eq!(layer.len(), map.len());
        for (state, record) in map {
            assert_eq!(layer.state(record), state);
            assert_eq!(layer.insert(width, &state), Ok(Inserted::Known(record as u32)));
        }
    }

    proptest! {
        #[test]
        fn a_layer_is_an_insertion_ordered_set(
            states in prop::collection::vec(prop::collection::vec(0..6u64, 3), 1..600), batch in 1..50usize,
        ) {
            agrees_with_a_map(Fixed::<3>, &states, batch);
            agrees_with_a_map(Dynamic(3), &states, batch);
        }
    }

    #[test]
    fn many_states_are_found_again_after_growth() {
        let mut layer = Layer::new(1, ROOMY).unwrap();
        for start in (0..3_000_000u64).step_by(300) {
            let words: Vec<u64> = (start..start + 300).map(|i| i * 64).collect();
            layer.insert_batch(Fixed::<1>, &words, |one| assert!(matches!(one, Inserted::New(_)))).unwrap();
        }
        assert_eq!(layer.len(), 3_000_000);
        for start in (0..3_000_000u64).step_by(300) {
            let words: Vec<u64> = (start..start + 300).map(|i| i * 64).collect();
            layer.insert_batch(Fixed::<1>, &words, |one| assert!(matches!(one, Inserted::Known(_)))).unwrap();
        }
        assert!(!layer.contains(Fixed::<1>, &[63]));
        let per_state = layer.bytes() as f64 / 3e6;
        // A word, and four bytes for each slot of an index that has just grown.
        let most = 8.0 + 4.0 * GROWTH / MAX_LOAD;
        assert!((8.0 + 4.0 / MAX_LOAD..most + 0.1).contains(&per_state), "{per_state} bytes per state");
    }

    #[test]
    fn a_layer_that_starts_again_knows_nothing_of_before() {
        let mut layer = Layer::new(1, ROOMY).unwrap();
        for (round, states) in [100_000u64, 7, 0, 3_000, 1].into_iter().enumerate() {
            layer.restart(states as usize / 3).unwrap();
            let words: Vec<u64> = (0..states).map(|i| i * 8).collect();
            let mut new = 0;
            layer
                .insert_batch(Fixed::<1>, &words, |one| new += u64::from(matches!(one, Inserted::New(_))))
                .unwrap();
            assert_eq!((new, layer.len() as u64), (states, states), "round {round}");
            assert!(words.iter().all(|word| layer.contains(Fixed::<1>, &[*word])));
            assert!(!layer.contains(Fixed::<1>, &[states * 8]));
        }
    }

    #[test]
    fn the_budget_is_kept() {
        let mut layer = Layer::new(1, 4 << 20).unwrap();
        let mut inserted = 0u64;
        let end = loop {
            if let Err(full) = layer.insert(Fixed::<1>, &[inserted]) {
                break full;
            }
            inserted += 1;
        };
        assert!(matches!(end, LayerFull::Budget | LayerFull::System(_)));
        assert!(layer.arena.bytes() + layer.index.bytes() <= 4 << 20);
        assert!(inserted > 200_000, "{inserted} states in 4 MiB");
    }
}
