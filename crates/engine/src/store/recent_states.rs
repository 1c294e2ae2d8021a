//! A small cache in front of the store: states that this sweep stored lately.
//!
//! Independent steps lead to the same state in every order, so most successors are duplicates of states that were stored
//! a few steps ago. A direct-mapped cache of some thousand states, small enough for the second-level cache of
//! the processor, catches many of them for two nanoseconds instead of a look-up in the layer's index or an entry in a future
//! layer's buffer. It compares states, not hashes: what it claims to know, it does know. Within a sweep no stored state
//! is forgotten before all its predecessors of that sweep are expanded, so a state that was stored once in a
//! sweep need not be stored again; for the next sweep the cache starts empty.

use std::io;

use super::layer::Width;
use super::saved::{Loader, Saver};

/// Bits of the number of places, at the most.
const BITS: u32 = 12;
/// Bytes at the most.
const BYTES: usize = 64 << 10;

/// States that were stored lately.
#[derive(Debug)]
pub struct RecentStates {
    words: Vec<u64>,
    /// The place is given by the bits of the hash above this one.
    shift: u32,
}

impl RecentStates {
    /// Knows nothing.
    pub fn new(width: usize) -> Self {
        Self::with_bytes(width, BYTES)
    }

    /// Knows nothing, and takes about so many bytes.
    pub fn with_bytes(width: usize, bytes: usize) -> Self {
        let most = if bytes > BYTES { 64 - 1 } else { BITS };
        let bits = (bytes / 8 / width.max(1)).checked_ilog2().unwrap_or(0).clamp(1, most);
        let shift = 64 - bits;
        let mut words = vec![0; width << bits];
        // An empty place holds zeros. In the place where a state of zeros belongs that would be a lie: there,
        // something is put that belongs elsewhere.
        let mut state = vec![0; width];
        let home = Self::place(&state, shift);
        while Self::place(&state, shift) == home {
            state[0] += 1;
        }
        words[home * width..][..width].copy_from_slice(&state);
        Self { words, shift }
    }

    #[inline(always)]
    fn place(state: &[u64], shift: u32) -> usize {
        let mixed = state.iter().fold(0u64, |mixed, word| mixed.rotate_left(29) ^ word);
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize
    }

    /// States that it has room for.
    pub fn places(&self) -> usize {
        1 << (64 - self.shift)
    }

    /// The cache for a loop over states of this width.
    #[inline(always)]
    pub fn look<W: Width>(&mut self, width: W) -> RecentLook<'_, W> {
        RecentLook { width, words: &mut self.words, shift: self.shift }
    }

    /// Saves what it knows.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put_words(&self.words)
    }

    /// What was saved, in a cache of the same size.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let words = from.get_words()?;
        if words.len() != self.words.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.words = words;
        Ok(())
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }
}

/// The cache, open: where its words are is looked up once for a whole loop.
pub struct RecentLook<'a, W> {
    width: W,
    words: &'a mut [u64],
    shift: u32,
}

impl<W: Width> RecentLook<'_, W> {
    /// Whether the state was here lately; from now on it was.
    #[inline(always)]
    pub fn knows(&mut self, state: &[u64]) -> bool {
        let width = self.width.get();
        let start = RecentStates::place(&state[..width], self.shift) * width;
        let place = &mut self.words[start..start + width];
        // Written in any case: a branch here would be guessed wrong every other time.
        let differs = place.iter().zip(state).fold(0, |differs, (old, new)| differs | (old ^ new));
        place.copy_from_slice(&state[..width]);
        differs == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::layer::Dynamic;

    #[test]
    fn what_is_new_is_never_known() {
        for width in 1..4 {
            let mut recent = RecentStates::new(width);
            for number in 0..10_000u64 {
                let state: Vec<u64> = (0..width as u64).map(|word| number * (word + 1) % 10_000).collect();
                assert!(!recent.look(Dynamic(width)).knows(&state), "{state:?} is new");
                assert!(recent.look(Dynamic(width)).knows(&state));
            }
        }
    }
}
