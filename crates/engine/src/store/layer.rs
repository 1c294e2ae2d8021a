//! A layer: an insertion-ordered set of packed states.
//!
//! The states are in an arena in the order in which they were stored, so the set of seen states and
//! the queue of unprocessed ones are one object: a cursor runs through the arena. Beside the arena
//! is an index of 32-bit slots in buckets of one cache line (sixteen slots), with linear probing
//! from bucket to bucket. The low bits of a slot are a record number plus one, where zero means
//! empty. The high bits are a tag from the hash. The larger the table, the fewer bits are left for
//! the tag. Where states vary in length, a third array holds the offset of each state in the arena.
//!
//! What that buys:
//! - A look-up costs one cache line of the index and, only if a tag matches, one of the arena. Both
//!   are fetched ahead for a whole batch, so that their latencies overlap
//!   ([`Layer::insert_batch`]).
//! - Growing needs no second copy: neither arena nor index moves, and the index is filled again
//!   from the arena.
//! - 4 bytes a slot at 42 to 85 % load make five to nine bytes per state beside its words. The
//!   offset of a state of varying length takes four more.
//! - To forget the layer is to drop the arena.
//!
//! What was tried: Growing by half saves one byte per state on average and takes 10 to 25 % more
//! time. Moving the records inside the index when it grows (bucket numbers only rise) reads the
//! arena at random, which took longer than writing the index at random. States inside the slots
//! save one cache miss, and lose the queue and the compact index.

mod chunks;
#[cfg(test)]
mod claim_schedules;
pub mod claims;
mod copy;
mod filling;
mod index_view;
mod shared;
mod sync;

use std::io;

use super::hash::hash_state;
use super::pages::{MemoryAhead, OutOfMemory, PagedTable, PagedVec};
use super::records::{RecordShape, Records, with_records};
use super::saved::{Loader, Saver};

pub use copy::LayerCopy;
pub use index_view::TagMatch;
pub use shared::SharedView;

use index_view::{IndexView, prefetch};

/// Slots in a bucket: one cache line.
const BUCKET: usize = 16;
/// Load at which the index grows.
const MAX_LOAD: f64 = 0.85;
/// Factor by which the index grows.
const GROWTH: f64 = 2.0;

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
    /// Offsets of states of varying length have 32 bits, and count words.
    #[error("a layer of states of varying length holds at most 32 GiB of states")]
    Offsets,
}

/// The outcome of inserting one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The state is new and has this record number.
    New(u32),
    /// The state was there under this record number.
    Known(u32),
}

/// The hint for a state that was not found.
pub const NOT_FOUND: u32 = u32::MAX;

/// An insertion-ordered set of packed states.
#[derive(Debug)]
pub struct Layer {
    shape: RecordShape,
    arena: PagedVec,
    /// Offset of each state in the arena, in words, if states vary in length.
    offsets: Option<PagedVec<u32>>,
    index: PagedTable,
    buckets: usize,
    /// Bits of a slot that hold the record number.
    record_bits: u32,
    count: usize,
    /// The index grows before this many states are exceeded.
    capacity: usize,
    budget: usize,
    /// The first budget, for which address space is reserved.
    limit: usize,
    hashes: Vec<u64>,
    matches: Vec<TagMatch>,
    /// Threads that fill a larger index.
    threads: usize,
    /// Provisional numbers that [claims] need.
    claim_numbers: usize,
    /// Rises with every new index: claims in an old one are void.
    generation: u64,
    /// Whether the index has claims that are void.
    has_void_claims: bool,
}

impl Layer {
    /// An empty layer that uses at most `budget` bytes.
    pub fn new(shape: RecordShape, budget: usize) -> Result<Self, OutOfMemory> {
        let most = budget.min(super::pages::available_memory());
        let varies = shape == RecordShape::Prefixed;
        Ok(Self {
            shape,
            arena: PagedVec::with_limit(most)?,
            offsets: if varies { Some(PagedVec::with_limit(most)?) } else { None },
            index: PagedTable::with_limit(most)?,
            buckets: 0,
            record_bits: 0,
            count: 0,
            capacity: 0,
            budget,
            limit: budget,
            hashes: Vec::new(),
            matches: Vec::new(),
            threads: 1,
            claim_numbers: 0,
            generation: 0,
            has_void_claims: false,
        })
    }

    /// Lets this many threads fill a larger index, and [claim](claims) states under so many numbers.
    pub fn set_threads(&mut self, threads: usize, claim_numbers: usize) {
        self.threads = threads.max(1);
        self.claim_numbers = claim_numbers;
        if self.buckets > 0 && claim_numbers > 0 {
            // The present index has no bits for these numbers.
            self.void_claims();
        }
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

    /// Shape of the states.
    pub fn shape(&self) -> RecordShape {
        self.shape
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.arena_bytes() + self.index.bytes() + self.hashes.capacity() * 8 + self.matches.capacity() * 4
    }

    /// Bytes of a state without its share of the index; the mean of the present states if they vary
    /// in length.
    pub fn state_bytes(&self) -> usize {
        match self.shape {
            RecordShape::Fixed(width) => width * 8,
            RecordShape::Prefixed => self.arena.len() * 8 / self.count.max(1) + 4,
        }
    }

    /// Bytes of memory in use for states, without the index.
    #[inline]
    fn arena_bytes(&self) -> usize {
        self.arena.bytes() + self.offsets.as_ref().map_or(0, PagedVec::bytes)
    }

    /// Words of all states.
    pub fn words(&self) -> usize {
        self.arena.len()
    }

    /// Offset of the state with this record number in the arena. The end of the arena for the
    /// number of states.
    #[inline]
    fn offset(&self, record: usize) -> usize {
        match (self.shape, &self.offsets) {
            (RecordShape::Fixed(width), _) => record * width,
            (RecordShape::Prefixed, Some(offsets)) => {
                let is_stored = record < offsets.len();
                if is_stored { offsets.range(record..record + 1)[0] as usize } else { self.arena.len() }
            }
            (RecordShape::Prefixed, None) => 0,
        }
    }

    /// The state with this record number.
    #[inline]
    pub fn state(&self, record: usize) -> &[u64] {
        match self.shape {
            RecordShape::Fixed(width) => self.arena.range(record * width..(record + 1) * width),
            RecordShape::Prefixed => self.arena.range(self.offset(record)..self.offset(record + 1)),
        }
    }

    /// The state with this record number, where the shape is known to the compiler: no branch depends on it.
    #[inline(always)]
    pub fn record<R: Records>(&self, records: R, record: usize) -> &[u64] {
        match R::VARYING {
            true => self.state(record),
            false => {
                let start = records.start(record, 0);
                self.arena.range(start..start + records.fixed_len())
            }
        }
    }

    /// Fetches the state with this record number ahead of its use.
    #[inline]
    pub fn fetch(&self, record: usize) {
        prefetch(self.arena.start().wrapping_add(self.offset(record)));
    }

    /// The words of a run of states.
    #[inline]
    pub fn states(&self, records: std::ops::Range<usize>) -> &[u64] {
        self.arena.range(self.words_of(records))
    }

    /// Where the words of a run of states are in the arena.
    #[inline]
    pub fn words_of(&self, records: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.offset(records.start)..self.offset(records.end)
    }

    /// Hashes states that will be inserted soon, and fetches the parts of the index that they belong to.
    /// The hashes are appended to `hashes`. They stay valid whatever happens to the layer.
    #[inline]
    pub fn announce<R: Records>(&self, records: R, words: &[u64], hashes: &mut Vec<u64>) {
        let view = self.view();
        hashes.extend(records.states(words).map(|state| {
            let hash = hash_state(records.first(state));
            view.fetch(hash);
            hash
        }));
    }

    /// Inserts the states in `words`, which are contiguous. `each` is called for each of them, in order;
    /// new ones get the next record numbers.
    #[inline]
    pub fn insert_batch<R: Records>(
        &mut self,
        records: R,
        words: &[u64],
        each: impl FnMut(Inserted),
    ) -> Result<(), LayerFull> {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        self.announce(records, words, &mut hashes);
        let inserted = self.insert_announced(records, words, &hashes, each);
        self.hashes = hashes;
        inserted
    }

    /// [`insert_batch`](Self::insert_batch) for states with these hashes, which
    /// [`announce`](Self::announce) gave.
    #[inline]
    pub fn insert_announced<R: Records>(
        &mut self,
        records: R,
        words: &[u64],
        hashes: &[u64],
        mut each: impl FnMut(Inserted),
    ) -> Result<(), LayerFull> {
        debug_assert_eq!(records.shape(), self.shape);
        assert!(records.has_count(words, hashes.len()), "announced and inserted states differ");
        self.make_room(records, hashes.len(), words.len())?;
        let mut matches = std::mem::take(&mut self.matches);
        matches.clear();
        let view = self.view();
        // SAFETY: after `make_room` the index has buckets.
        matches.extend(hashes.iter().map(|&hash| unsafe { view.look(records, hash) }));
        for ((state, &hash), &matched) in records.states(words).zip(hashes).zip(&matches) {
            debug_assert_eq!(hash, hash_state(records.first(state)), "hashes belong to these states");
            // SAFETY: there is room for the whole batch, and the match was made for this hash.
            each(unsafe { self.insert_hashed(records, state, hash, Some(matched)) });
        }
        self.matches = matches;
        Ok(())
    }

    /// Whether so many states can be inserted without a larger index: then a [view](Self::shared)
    /// stays valid.
    #[inline]
    pub fn has_slots(&self, states: usize) -> bool {
        self.count + states <= self.capacity
    }

    /// The memory that the states will grow into next, if the layer is large.
    pub fn memory_ahead(&self) -> Option<MemoryAhead> {
        self.arena.memory_ahead()
    }

    /// Inserts one state.
    pub fn insert<R: Records>(&mut self, records: R, state: &[u64]) -> Result<Inserted, LayerFull> {
        debug_assert_eq!(records.shape(), self.shape);
        let state = records.first(state);
        self.make_room(records, 1, state.len())?;
        let hash = hash_state(state);
        // SAFETY: there is room for one state.
        Ok(unsafe { self.insert_hashed(records, state, hash, None) })
    }

    /// Whether the state is in the set.
    pub fn contains<R: Records>(&self, records: R, state: &[u64]) -> bool {
        self.number_of(records, state).is_some()
    }

    /// The record number of the state, if it is in the set.
    #[inline]
    pub fn number_of<R: Records>(&self, records: R, state: &[u64]) -> Option<u32> {
        debug_assert_eq!(records.shape(), self.shape);
        if self.buckets == 0 {
            return None;
        }
        // SAFETY: the index has buckets.
        unsafe { self.view().find(records, state, hash_state(records.first(state)), None) }.ok()
    }

    /// Removes all states, and makes room for about `expected` others, or for as many as there
    /// were: neighbouring layers are often alike. The memory stays, but only this much of it is
    /// touched. So from the second one on, small layers after a large one are as fast as without
    /// it.
    ///
    /// # Errors
    /// If there is no room for any state.
    pub fn restart(&mut self, expected: usize) -> Result<(), LayerFull> {
        let expected = expected.max(self.count);
        if self.bytes() > self.budget {
            *self = Self { budget: self.budget, ..self.empty()? };
        }
        self.arena.clear();
        self.offsets.iter_mut().for_each(PagedVec::clear);
        self.hashes.clear();
        self.count = 0;
        // Whether there is room for all of them is tested when they are inserted.
        let room = self.budget.saturating_sub(self.arena_bytes()) / 2;
        self.renew_index((expected as f64 / MAX_LOAD).min(room as f64 / 4.0))
    }

    /// Frees the index. From now on states can only be read.
    pub fn free_index(&mut self) -> Result<(), OutOfMemory> {
        self.index = PagedTable::with_limit(0)?;
        (self.buckets, self.capacity) = (0, 0);
        self.generation += 1;
        Ok(())
    }

    /// Gives the memory of the states before this one back to the system, as far as whole pages go.
    /// They must not be read any more.
    pub fn release_before(&mut self, record: usize) {
        self.arena.release_before(self.offset(record));
    }

    /// An empty layer with the same limits.
    pub fn empty(&self) -> Result<Self, OutOfMemory> {
        let Self { threads, claim_numbers, generation, .. } = *self;
        Ok(Self { threads, claim_numbers, generation, ..Self::new(self.shape, self.limit)? })
    }

    /// Bytes of memory that may be used.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// Saves all states.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put_words(self.states(0..self.count))
    }

    /// Loads saved states into this layer, which is empty.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let words = from.get_words()?;
        with_records!(self.shape, records => for states in records.parts(&words, filling::TOGETHER) {
            self.insert_batch(records, states, |_| {}).map_err(io::Error::other)?;
        });
        Ok(())
    }

    /// Sets the budget, in bytes.
    pub fn set_budget(&mut self, budget: usize) {
        self.budget = budget;
    }

    /// Gives the same states, in the same order, another layout of `width` words. Returns the bytes
    /// that this took at its peak. The budget holds for the old and the new form together. After an
    /// error the states can still be read, but none can be inserted. Only for states of one length.
    pub fn repack(
        &mut self,
        width: usize,
        mut translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        debug_assert_ne!(self.shape, RecordShape::Prefixed, "states of varying length have one layout");
        // At the peak there are two arenas, and the new index.
        self.free_index()?;
        let mut layer = self.empty()?;
        layer.shape = RecordShape::Fixed(width);
        layer.budget = self.budget.saturating_sub(self.arena.bytes());
        let mut packed = Vec::with_capacity(width);
        for record in 0..self.count {
            translate(self.state(record), &mut packed);
            if !layer.arena.has_room(width) {
                layer.grow_arena(1, width)?;
            }
            // SAFETY: there is room for `width` words.
            unsafe { layer.arena.append(&packed[..width]) };
        }
        layer.count = self.count;
        with_records!(layer.shape, records => layer.grow(records, layer.count))?;
        let peak = self.arena.bytes() + layer.bytes();
        layer.budget = self.budget;
        *self = layer;
        Ok(peak)
    }

    /// # Safety
    /// `make_room` reserved room for this state. A match, if given, was made for its hash since the
    /// index last grew.
    #[inline(always)]
    unsafe fn insert_hashed<R: Records>(
        &mut self,
        records: R,
        state: &[u64],
        hash: u64,
        matched: Option<TagMatch>,
    ) -> Inserted {
        // SAFETY: after `make_room` the index has buckets.
        match unsafe { self.view().find(records, state, hash, matched) } {
            Ok(record) => Inserted::Known(record),
            Err(slot) => {
                // SAFETY: `slot` came from `find`. `make_room` reserved memory.
                unsafe { self.store_next::<R>(records.first(state), hash, slot) }
            }
        }
    }

    /// Stores a new state, under the next record number, in this slot.
    ///
    /// # Safety
    /// That of [`write_next`](Self::write_next), and of [`IndexView::publish`] for the slot.
    #[inline(always)]
    unsafe fn store_next<R: Records>(&mut self, state: &[u64], hash: u64, slot: *mut u32) -> Inserted {
        let record = self.count as u32;
        // SAFETY: by the contract of this function.
        unsafe {
            self.write_next::<R>(state);
            self.view().publish(slot, hash, record);
        }
        self.count_next::<R>(state.len());
        Inserted::New(record)
    }

    /// Writes a state behind the last one. It does not count yet.
    ///
    /// # Safety
    /// `make_room` reserved memory for the words and the offset, and made sure that the offset fits
    /// into 32 bits.
    #[inline(always)]
    unsafe fn write_next<R: Records>(&mut self, state: &[u64]) {
        // SAFETY: by the contract of this function.
        unsafe {
            if R::VARYING
                && let Some(offsets) = &mut self.offsets
            {
                offsets.write_next(&[self.arena.len() as u32]);
            }
            self.arena.write_next(state);
        }
    }

    /// Counts the state that was written behind the last one, of so many words.
    #[inline(always)]
    fn count_next<R: Records>(&mut self, words: usize) {
        if R::VARYING
            && let Some(offsets) = &mut self.offsets
        {
            offsets.count_next(1);
        }
        self.arena.count_next(words);
        self.count += 1;
    }

    /// A view of the present index.
    #[inline(always)]
    fn view(&self) -> IndexView {
        let offsets = self.offsets.as_ref().map_or(std::ptr::null(), |offsets| offsets.start().cast_const());
        IndexView::new(self.index.start(), self.buckets, self.record_bits, self.arena.start(), offsets)
    }

    /// Makes room for `more` states of `words` words in total.
    #[inline(always)]
    fn make_room<R: Records>(&mut self, records: R, more: usize, words: usize) -> Result<(), LayerFull> {
        if self.count + more > self.capacity {
            self.grow(records, self.count + more)?;
        }
        let has_offsets = !R::VARYING || self.offsets.as_ref().is_some_and(|offsets| offsets.has_room(more));
        // All offsets fit into 32 bits if the length of the arena does.
        let has_numbers = !R::VARYING || self.arena.len() + words <= u32::MAX as usize;
        if !self.arena.has_room(words) || !has_offsets || !has_numbers {
            self.grow_arena(more, words)?;
        }
        Ok(())
    }

    /// Makes room in the arena for `words` words, and for the offsets of `states` states.
    #[cold]
    #[inline(never)]
    fn grow_arena(&mut self, states: usize, words: usize) -> Result<(), LayerFull> {
        let offsets = self.offsets.as_ref().map_or(0, |offsets| offsets.bytes_with(states));
        if self.arena.bytes_with(words) + offsets + self.index.bytes() > self.budget {
            return Err(LayerFull::Budget);
        }
        if let Some(offsets) = &mut self.offsets {
            if self.arena.len() + words > u32::MAX as usize {
                return Err(LayerFull::Offsets);
            }
            offsets.reserve(states)?;
        }
        Ok(self.arena.reserve(words)?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    use crate::store::records::{Dynamic, Fixed, Prefixed};

    const ROOMY: usize = 1 << 30;

    fn agrees_with_a_map<R: Records>(width: R, states: &[Vec<u64>], batch: usize) {
        let mut layer = Layer::new(width.shape(), ROOMY).unwrap();
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

    /// One to four words, by the first of these numbers, with the others as payload.
    fn prefixed(numbers: &[u64]) -> Vec<u64> {
        let len = 1 + numbers[0] % 4;
        let head = numbers[1] << 40 | numbers[2] << 16 | len;
        [head].into_iter().chain((1..len).map(|word| numbers[2] * word)).collect()
    }

    proptest! {
        #[test]
        fn a_layer_is_an_insertion_ordered_set(
            states in prop::collection::vec(prop::collection::vec(0..6u64, 3), 1..600), batch in 1..50usize,
        ) {
            agrees_with_a_map(Fixed::<3>, &states, batch);
            agrees_with_a_map(Dynamic(3), &states, batch);
            let varying: Vec<Vec<u64>> = states.iter().map(|state| prefixed(state)).collect();
            agrees_with_a_map(Prefixed, &varying, batch);
        }
    }

    #[test]
    fn many_states_are_found_again_after_growth() {
        let mut layer = Layer::new(RecordShape::Fixed(1), ROOMY).unwrap();
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
        let mut layer = Layer::new(RecordShape::Fixed(1), ROOMY).unwrap();
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
        let mut layer = Layer::new(RecordShape::Fixed(1), 4 << 20).unwrap();
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
