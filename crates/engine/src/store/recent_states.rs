//! Recent states: a small cache in front of the store, of states that this sweep stored lately.
//!
//! Independent steps lead to the same state in every order, so most successors are duplicates of
//! states that were stored a few steps ago. A direct-mapped cache of a few thousand states fits
//! into the second-level cache of the processor. It catches many duplicates for two nanoseconds
//! each, instead of a look-up in the index of the layer or an entry in a future layer. It compares
//! states, not hashes, so it never takes a new state for a known one. Within a sweep, no stored
//! state is forgotten before all its predecessors of that sweep are expanded. So a state that was
//! stored once in a sweep need not be stored again. For the next sweep the cache starts empty.
//!
//! States of one length have one place each. States of varying length are in a ring of words, and
//! the places hold their positions, so that short states do not pay for long ones.

use std::io;

use super::records::{RecordShape, Records};
use super::saved::{Loader, Saver};

/// Most bits of the number of places.
const BITS: u32 = 12;
/// Most bytes of the default cache.
const BYTES: usize = 64 << 10;

/// Estimated words of a state of varying length, to choose the number of places.
const VARYING_WORDS: usize = 6;

/// States that were stored lately.
#[derive(Debug)]
pub struct RecentStates {
    /// One state a place, or a ring of states if they vary in length.
    words: Vec<u64>,
    /// Number of low bits of the hash that do not choose the place.
    shift: u32,
    ring: Ring,
}

/// Positions of states of varying length in the ring of words. Positions count all words ever
/// written, so a position tells whether the words there were overwritten since.
#[derive(Debug, Default)]
struct Ring {
    /// For each place, the position of its state plus one, zero for an empty place, and the hash of the state: most
    /// states that differ are told apart without a look at the ring.
    starts: Vec<[u64; 2]>,
    /// The position of the next state.
    end: u64,
}

impl RecentStates {
    /// An empty cache.
    pub fn new(shape: RecordShape) -> Self {
        Self::with_bytes(shape, BYTES)
    }

    /// An empty cache of about this many bytes.
    pub fn with_bytes(shape: RecordShape, bytes: usize) -> Self {
        let RecordShape::Fixed(width) = shape else {
            // A power of two: places in the ring are found without a division.
            let words = 1 << (bytes / 8).checked_ilog2().unwrap_or(0).max(4);
            let bits = (words / VARYING_WORDS).ilog2().max(1);
            let ring = Ring { starts: vec![[0; 2]; 1 << bits], end: 0 };
            return Self { words: vec![0; words], shift: 64 - bits, ring };
        };
        let most = if bytes > BYTES { 64 - 1 } else { BITS };
        let bits = (bytes / 8 / width.max(1)).checked_ilog2().unwrap_or(0).clamp(1, most);
        let shift = 64 - bits;
        let mut words = vec![0; width << bits];
        // An empty place holds zeros. The place where a state of zeros belongs gets a state that
        // belongs elsewhere.
        let mut state = vec![0; width];
        let home = Self::place(&state, shift);
        while Self::place(&state, shift) == home {
            state[0] += 1;
        }
        words[home * width..][..width].copy_from_slice(&state);
        Self { words, shift, ring: Ring::default() }
    }

    #[inline(always)]
    fn hash(state: &[u64]) -> u64 {
        let mixed = state.iter().fold(0u64, |mixed, word| mixed.rotate_left(29) ^ word);
        mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    #[inline(always)]
    fn place(state: &[u64], shift: u32) -> usize {
        (Self::hash(state) >> shift) as usize
    }

    /// Number of places.
    pub fn places(&self) -> usize {
        1 << (64 - self.shift)
    }

    /// The cache, borrowed for a loop over states.
    #[inline(always)]
    pub fn look<R: Records>(&mut self, records: R) -> RecentLook<'_, R> {
        RecentLook { records, words: &mut self.words, shift: self.shift, ring: &mut self.ring }
    }

    /// Saves the cache.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put_words(&self.words)?;
        to.put_words(self.ring.starts.as_flattened())?;
        to.put(&self.ring.end)
    }

    /// Loads a saved cache. If that had another size, because the search continues with another memory
    /// limit, this one stays empty: then it knows fewer states, and none that is new.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let words = from.get_words()?;
        let starts = from.get_words()?.as_chunks().0.to_vec();
        let ring = Ring { starts, end: from.get()? };
        if words.len() == self.words.len() && ring.starts.len() == self.ring.starts.len() {
            (self.words, self.ring) = (words, ring);
        }
        Ok(())
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        (self.words.capacity() + 2 * self.ring.starts.capacity()) * 8
    }
}

/// A cache that is borrowed for a loop: its addresses are loaded once.
pub struct RecentLook<'a, R> {
    records: R,
    words: &'a mut [u64],
    shift: u32,
    ring: &'a mut Ring,
}

impl<R: Records> RecentLook<'_, R> {
    /// Whether the cache has the state. From now on it has.
    #[inline(always)]
    pub fn knows(&mut self, state: &[u64]) -> bool {
        if R::VARYING {
            return self.knows_varying(self.records.first(state));
        }
        let width = self.records.fixed_len();
        let start = RecentStates::place(&state[..width], self.shift) * width;
        let place = &mut self.words[start..start + width];
        // Written in any case: a branch here would be mispredicted half of the time.
        let differs = place.iter().zip(state).fold(0, |differs, (old, new)| differs | (old ^ new));
        place.copy_from_slice(&state[..width]);
        differs == 0
    }

    #[inline(never)]
    fn knows_varying(&mut self, state: &[u64]) -> bool {
        let (room, len) = (self.words.len() as u64, state.len() as u64);
        debug_assert!(room.is_power_of_two());
        if len > room / 4 {
            return false;
        }
        let Ring { starts, end } = &mut *self.ring;
        let hash = RecentStates::hash(state);
        let place = &mut starts[(hash >> self.shift) as usize];
        // The first words of a state are overwritten first.
        if place[1] == hash
            && let Some(start) = place[0].checked_sub(1).filter(|start| *end <= start + room)
            && self.words[(start & (room - 1)) as usize..].starts_with(state)
        {
            return true;
        }
        // No state crosses the end of the ring.
        if (*end & (room - 1)) + len > room {
            *end = end.next_multiple_of(room);
        }
        let start = (*end & (room - 1)) as usize;
        self.words[start..start + state.len()].copy_from_slice(state);
        *place = [*end + 1, hash];
        *end += len;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::records::{Dynamic, Prefixed};

    /// Against a set: the cache never knows a state that it was not asked about before.
    #[test]
    fn what_is_new_is_never_known_if_lengths_vary() {
        let mut random = model::random::Random::new(7);
        let mut recent = RecentStates::with_bytes(RecordShape::Prefixed, 4 << 10);
        let (mut seen, mut known) = (std::collections::HashSet::new(), 0);
        for _ in 0..50_000 {
            let number = random.below(3_000) as u64;
            let len = if number % 100 == 99 { 500 } else { 1 + number % 11 };
            let state: Vec<u64> = [number << 16 | len].into_iter().chain(1..len).collect();
            let knows = recent.look(Prefixed).knows(&state);
            assert!(!knows || seen.contains(&number), "{number} is new");
            assert_eq!(recent.look(Prefixed).knows(&state), len < 500, "{number} was here just now");
            seen.insert(number);
            known += u32::from(knows);
        }
        assert!(known > 500, "{known} states were known");
    }

    #[test]
    fn what_is_new_is_never_known() {
        for width in 1..4 {
            let mut recent = RecentStates::new(RecordShape::Fixed(width));
            for number in 0..10_000u64 {
                let state: Vec<u64> = (0..width as u64).map(|word| number * (word + 1) % 10_000).collect();
                assert!(!recent.look(Dynamic(width)).knows(&state), "{state:?} is new");
                assert!(recent.look(Dynamic(width)).knows(&state));
            }
        }
    }

    /// A run may resume with another memory limit.
    #[test]
    fn a_saved_cache_of_another_size_is_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cache");
        for shape in [RecordShape::Fixed(2), RecordShape::Prefixed] {
            let state = [1 << 16 | 2, 7];
            let knows = |cache: &mut RecentStates| match shape {
                RecordShape::Fixed(width) => cache.look(Dynamic(width)).knows(&state),
                RecordShape::Prefixed => cache.look(Prefixed).knows(&state),
            };
            let mut saved = RecentStates::with_bytes(shape, 4 << 10);
            assert!(!knows(&mut saved));
            let mut saver = Saver::create(&path).unwrap();
            saved.save(&mut saver).unwrap();
            saver.finish().unwrap();
            for (bytes, expected) in [(4 << 10, true), (16 << 10, false), (0, false)] {
                let mut cache = RecentStates::with_bytes(shape, bytes);
                cache.load(&mut Loader::open(&path).unwrap()).unwrap();
                assert_eq!(knows(&mut cache), expected, "{bytes} bytes");
            }
        }
    }
}
