//! A layer that is complete, in no more memory than it needs.

use super::index_view::{IndexView, TagMatch};
use super::{BUCKET, Dynamic, Layer, LayerFull, MAX_LOAD, Width, with_width};
use crate::store::hash::hash_state;

/// States that are looked up together.
const TOGETHER: usize = 256;
/// An index so many times as large as needed is not copied, but made anew.
const WIDEST: usize = 3;

/// A bucket of the index, at the boundary of a cache line as in a layer.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket {
    _slots: [u32; BUCKET],
}

/// The states of a layer as they were: it can be asked for them, and be a layer again.
#[derive(Debug)]
pub struct LayerCopy {
    width: usize,
    words: Vec<u64>,
    index: Vec<Bucket>,
    record_bits: u32,
}

/// Buckets of an index for so many states, of which at least a seventh of the slots stays empty; none for none.
fn buckets_for(states: usize) -> usize {
    (states as f64 / MAX_LOAD / BUCKET as f64).ceil() as usize
}

impl LayerCopy {
    /// The states of a layer.
    pub fn new(layer: &Layer) -> Self {
        let words = layer.states(0..layer.count).to_vec();
        // A layer after a large one has the index of that one.
        if layer.buckets > WIDEST * buckets_for(layer.count) {
            return Self::of(layer.width, words);
        }
        let slots = layer.index.start().cast::<Bucket>();
        // SAFETY: the index of a layer has so many buckets of sixteen slots, all of them written (with zeros, to begin with). It begins at the
        // boundary of a page, and is not written as long as the layer is borrowed.
        let index = unsafe { std::slice::from_raw_parts(slots, layer.buckets) }.to_vec();
        Self { width: layer.width, words, index, record_bits: layer.record_bits }
    }

    /// These states of `width` words, of which no two are the same.
    pub fn of(width: usize, words: Vec<u64>) -> Self {
        let buckets = buckets_for(words.len() / width);
        let record_bits = usize::BITS - (buckets * BUCKET).leading_zeros();
        let mut index = vec![Bucket { _slots: [0; BUCKET] }; buckets];
        let view = IndexView::new(index.as_mut_ptr().cast(), buckets, record_bits, words.as_ptr());
        for (record, state) in words.chunks_exact(width).enumerate() {
            // SAFETY: the index is this function's own, all its slots are written, and there are more of them than states, so that one is empty and the
            // number of a slot, and so that of a record, fits into the bits.
            unsafe { view.enter(hash_state(state), record as u32) };
        }
        Self { width, words, index, record_bits }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The states, one behind the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The states, in the order in which they came.
    pub fn states(&self) -> impl Iterator<Item = &[u64]> {
        self.words.chunks_exact(self.width)
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.index.capacity() * size_of::<Bucket>()
    }

    fn view(&self) -> IndexView {
        // Looking up writes nothing.
        let slots = self.index.as_ptr().cast::<u32>().cast_mut();
        IndexView::new(slots, self.index.len(), self.record_bits, self.words.as_ptr())
    }

    /// Fetches where the state would be found, and tells its hash.
    #[inline]
    pub fn announce<W: Width>(&self, width: W, state: &[u64]) -> u64 {
        let hash = hash_state(&state[..width.get()]);
        self.view().fetch(hash);
        hash
    }

    /// Whether the state, which was announced, is one of them.
    #[inline]
    pub fn contains_announced<W: Width>(&self, width: W, state: &[u64], hash: u64) -> bool {
        // SAFETY: there are buckets, of which some slots are empty, and the others name records of `words`.
        !self.index.is_empty() && unsafe { self.view().find(width, state, hash, None) }.is_ok()
    }

    /// Whether the state is one of them.
    pub fn contains(&self, state: &[u64]) -> bool {
        self.contains_announced(Dynamic(self.width), state, hash_state(&state[..self.width]))
    }

    /// Tells of each of these entries, which are `stride` words long and begin with a state, whether that is one of them.
    pub fn look_up(&self, stride: usize, entries: &[u64], mut each: impl FnMut(&[u64], bool)) {
        if self.index.is_empty() {
            return entries.chunks_exact(stride).for_each(|entry| each(entry, false));
        }
        let view = self.view();
        with_width!(self.width, width => for entries in entries.chunks(TOGETHER * stride) {
            let (mut hashes, mut matches) = ([0; TOGETHER], [TagMatch::default(); TOGETHER]);
            for (hash, entry) in hashes.iter_mut().zip(entries.chunks_exact(stride)) {
                *hash = hash_state(&entry[..width.get()]);
                view.fetch(*hash);
            }
            let count = entries.len() / stride;
            // SAFETY: there are buckets, of which some slots are empty, and the others name records of `words`; nothing changes in between.
            unsafe {
                for (matched, hash) in matches.iter_mut().zip(hashes).take(count) {
                    *matched = view.look(width, hash);
                }
                for ((entry, hash), matched) in entries.chunks_exact(stride).zip(hashes).zip(matches) {
                    each(entry, view.find(width, &entry[..width.get()], hash, Some(matched)).is_ok());
                }
            }
        });
    }
}

impl Layer {
    /// Forgets all states and takes those of a copy, in the same order.
    ///
    /// # Errors
    /// If there is no room for them.
    pub fn restore(&mut self, copy: &LayerCopy) -> Result<(), LayerFull> {
        debug_assert_eq!(self.width, copy.width);
        self.restart(copy.len())?;
        with_width!(self.width, width => {
            self.make_room(width, copy.len())?;
            // SAFETY: `make_room` reserved the words of so many states.
            unsafe { self.arena.append(&copy.words) };
            self.count = copy.len();
            self.enter_all(width);
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::layer::{Fixed, Inserted};

    #[test]
    fn a_copy_knows_what_the_layer_knew_and_becomes_it_again() {
        // Also where the layer before was much larger.
        for (count, before) in
            [(0, 0), (1, 0), (63, 0), (5_000, 0), (0, 900), (5, 90_000), (14, 5_000), (700, 90_000u64)]
        {
            let state = |number: u64| [number * 7, number % 5];
            let mut layer = Layer::new(2, 1 << 30).unwrap();
            for number in 0..before {
                layer.insert(Fixed::<2>, &state(number)).unwrap();
            }
            layer.restart(0).unwrap();
            for number in 0..count {
                layer.insert(Fixed::<2>, &state(number)).unwrap();
            }
            let copy = LayerCopy::new(&layer);
            assert_eq!((copy.len() as u64, copy.is_empty()), (count, count == 0));
            assert!(copy.bytes() as u64 <= 1_000 + count * 60, "{} bytes for {count} states", copy.bytes());
            // Three words an entry, of which the last is somebody else's.
            let entries: Vec<u64> =
                (0..2 * count + 1).flat_map(|number| [state(number)[0], state(number)[1], 9]).collect();
            let mut known = Vec::new();
            copy.look_up(3, &entries, |entry, is_known| {
                assert_eq!(copy.contains(&entry[..2]), is_known);
                known.push(is_known);
            });
            let expected: Vec<bool> = (0..2 * count + 1).map(|number| number < count).collect();
            assert_eq!(known, expected);
            let mut again = Layer::new(2, 1 << 30).unwrap();
            again.insert(Fixed::<2>, &[1, 1]).unwrap();
            again.restore(&copy).unwrap();
            assert_eq!(again.states(0..again.len()), layer.states(0..layer.len()));
            for number in 0..count {
                assert_eq!(again.insert(Fixed::<2>, &state(number)), Ok(Inserted::Known(number as u32)));
            }
            assert_eq!(again.insert(Fixed::<2>, &[1, 1]), Ok(Inserted::New(count as u32)));
        }
    }
}
