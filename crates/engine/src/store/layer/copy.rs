//! A copy of a complete layer, in no more memory than it needs.

use super::index_view::{IndexView, TagMatch};
use super::{BUCKET, Layer, LayerFull, MAX_LOAD};
use crate::store::hash::hash_state;
use crate::store::records::{Entries, RecordShape, Records, with_records};

/// States that are looked up together.
const TOGETHER: usize = 256;
/// An index this many times as large as needed is not copied, but built again.
const WIDEST: usize = 3;

/// A bucket of the index, aligned to a cache line as in a layer.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket {
    _slots: [u32; BUCKET],
}

/// The states of a layer. They can be looked up, and become a layer again.
#[derive(Debug)]
pub struct LayerCopy {
    shape: RecordShape,
    words: Vec<u64>,
    /// Where each state begins in `words`, for states of varying length.
    offsets: Vec<u32>,
    count: usize,
    index: Vec<Bucket>,
    record_bits: u32,
}

/// Number of buckets of an index for this many states. At least a seventh of the slots stays empty.
/// Zero for no states.
fn buckets_for(states: usize) -> usize {
    (states as f64 / MAX_LOAD / BUCKET as f64).ceil() as usize
}

impl LayerCopy {
    /// Copies the states of a layer.
    pub fn new(layer: &Layer) -> Self {
        let words = layer.states(0..layer.count).to_vec();
        // A layer that follows a large one has the index of that one.
        if layer.buckets > WIDEST * buckets_for(layer.count) {
            return Self::of(layer.shape, words);
        }
        let offsets = layer.offsets.as_ref().map_or(Vec::new(), |offsets| offsets.as_slice().to_vec());
        let slots = layer.index.start().cast::<Bucket>();
        // SAFETY: the index of a layer has this many buckets of sixteen slots. All slots are
        // written, with zeros at first. The index begins at the boundary of a page, and is not
        // written while the layer is borrowed.
        let index = unsafe { std::slice::from_raw_parts(slots, layer.buckets) }.to_vec();
        let record_bits = layer.record_bits;
        Self { shape: layer.shape, words, offsets, count: layer.count, index, record_bits }
    }

    /// A copy of these states, no two of which are equal.
    pub fn of(shape: RecordShape, words: Vec<u64>) -> Self {
        let count = shape.count(&words);
        let mut offsets = Vec::new();
        if shape == RecordShape::Prefixed {
            offsets.reserve_exact(count);
            let mut start = 0;
            for state in shape.states(&words) {
                offsets.push(start);
                start += state.len() as u32;
            }
        }
        let buckets = buckets_for(count);
        let record_bits = usize::BITS - (buckets * BUCKET).leading_zeros();
        let mut index = vec![Bucket { _slots: [0; BUCKET] }; buckets];
        let slots = index.as_mut_ptr().cast();
        let view = IndexView::new(slots, buckets, record_bits, words.as_ptr(), offsets.as_ptr());
        for (record, state) in shape.states(&words).enumerate() {
            // SAFETY: the index belongs to this function, and all its slots are written. There are
            // more slots than states, so one is empty, and the number of a slot, and so of a
            // record, fits into the bits.
            unsafe { view.enter(hash_state(state), record as u32) };
        }
        Self { shape, words, offsets, count, index, record_bits }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The states, contiguous.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The states, in the order in which they were stored.
    pub fn states(&self) -> Entries<'_> {
        self.shape.states(&self.words)
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.offsets.capacity() * 4 + self.index.capacity() * size_of::<Bucket>()
    }

    fn view(&self) -> IndexView {
        // A look-up writes nothing.
        let slots = self.index.as_ptr().cast::<u32>().cast_mut();
        let (words, offsets) = (self.words.as_ptr(), self.offsets.as_ptr());
        IndexView::new(slots, self.index.len(), self.record_bits, words, offsets)
    }

    /// Fetches the bucket where the state would be found. Returns its hash.
    #[inline]
    pub fn announce<R: Records>(&self, records: R, state: &[u64]) -> u64 {
        let hash = hash_state(records.first(state));
        self.view().fetch(hash);
        hash
    }

    /// Whether the copy has the state, which was announced.
    #[inline]
    pub fn contains_announced<R: Records>(&self, records: R, state: &[u64], hash: u64) -> bool {
        debug_assert_eq!(records.shape(), self.shape);
        // SAFETY: there are buckets with some empty slots, and the other slots name records of
        // `words`.
        !self.index.is_empty() && unsafe { self.view().find(records, state, hash, None) }.is_ok()
    }

    /// Whether the copy has the state.
    pub fn contains(&self, state: &[u64]) -> bool {
        with_records!(self.shape, records => {
            self.contains_announced(records, state, hash_state(records.first(state)))
        })
    }

    /// Calls `each` with each of these entries, which are states with `after` words behind them,
    /// and whether the copy has the state.
    pub fn look_up(&self, after: usize, entries: &[u64], mut each: impl FnMut(&[u64], bool)) {
        if self.index.is_empty() {
            return self.shape.entries(entries, after).for_each(|entry| each(entry, false));
        }
        let view = self.view();
        with_records!(self.shape, records => for entries in records.entry_parts(entries, after, TOGETHER) {
            let (mut hashes, mut matches) = ([0; TOGETHER], [TagMatch::default(); TOGETHER]);
            let mut count = 0;
            for (hash, entry) in hashes.iter_mut().zip(records.entries(entries, after)) {
                *hash = hash_state(records.first(entry));
                view.fetch(*hash);
                count += 1;
            }
            // SAFETY: there are buckets with some empty slots, the other slots name records of
            // `words`, and nothing changes in between.
            unsafe {
                for (matched, hash) in matches.iter_mut().zip(hashes).take(count) {
                    *matched = view.look(records, hash);
                }
                for ((entry, hash), matched) in records.entries(entries, after).zip(hashes).zip(matches) {
                    each(entry, view.find(records, records.first(entry), hash, Some(matched)).is_ok());
                }
            }
        });
    }
}

impl Layer {
    /// Replaces all states by those of a copy, in the same order.
    ///
    /// # Errors
    /// If there is no room for them.
    pub fn restore(&mut self, copy: &LayerCopy) -> Result<(), LayerFull> {
        debug_assert_eq!(self.shape, copy.shape);
        self.restart(copy.len())?;
        with_records!(self.shape, records => {
            self.make_room(records, copy.len(), copy.words.len())?;
            // SAFETY: `make_room` reserved memory for the words of the states, and for their
            // offsets.
            unsafe {
                self.arena.append(&copy.words);
                self.offsets.iter_mut().for_each(|offsets| offsets.append(&copy.offsets));
            }
            self.count = copy.len();
            self.enter_all(records);
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::layer::Inserted;

    fn check(shape: RecordShape, state: impl Fn(u64) -> Vec<u64>, count: u64, before: u64) {
        let insert = |layer: &mut Layer, state: &[u64]| {
            with_records!(shape, records => layer.insert(records, state)).unwrap()
        };
        let mut layer = Layer::new(shape, 1 << 30).unwrap();
        (0..before)
            .for_each(|number| assert_eq!(insert(&mut layer, &state(number)), Inserted::New(number as u32)));
        layer.restart(0).unwrap();
        (0..count)
            .for_each(|number| assert_eq!(insert(&mut layer, &state(number)), Inserted::New(number as u32)));
        let copy = LayerCopy::new(&layer);
        assert_eq!((copy.len() as u64, copy.is_empty()), (count, count == 0));
        assert!(copy.bytes() as u64 <= 1_000 + count * 60, "{} bytes for {count} states", copy.bytes());
        assert!(copy.states().zip(0..).all(|(found, number)| found == state(number)));
        // A word behind each state that is no part of it.
        let entries: Vec<u64> =
            (0..2 * count + 1).flat_map(|number| [state(number), vec![9]].concat()).collect();
        let mut known = Vec::new();
        copy.look_up(1, &entries, |entry, is_known| {
            assert_eq!(copy.contains(&entry[..entry.len() - 1]), is_known);
            known.push(is_known);
        });
        let expected: Vec<bool> = (0..2 * count + 1).map(|number| number < count).collect();
        assert_eq!(known, expected);
        let mut again = Layer::new(shape, 1 << 30).unwrap();
        insert(&mut again, &state(1 << 20));
        again.restore(&copy).unwrap();
        assert_eq!(again.states(0..again.len()), layer.states(0..layer.len()));
        for number in 0..count {
            assert_eq!(insert(&mut again, &state(number)), Inserted::Known(number as u32));
        }
        assert_eq!(insert(&mut again, &state(1 << 20)), Inserted::New(count as u32));
    }

    #[test]
    fn a_copy_knows_what_the_layer_knew_and_becomes_it_again() {
        // Also after a layer that was much larger.
        for (count, before) in
            [(0, 0), (1, 0), (63, 0), (5_000, 0), (0, 900), (5, 90_000), (14, 5_000), (700, 90_000u64)]
        {
            check(RecordShape::Fixed(2), |number| vec![number * 7, number % 5], count, before);
            check(
                RecordShape::Prefixed,
                |number| [number << 16 | (1 + number % 4)].into_iter().chain(1..1 + number % 4).collect(),
                count,
                before,
            );
        }
    }
}
