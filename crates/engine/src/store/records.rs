//! Records in the store: the shape of states as a type, and of entries on disk as a value.
//!
//! In memory, code that handles every state is compiled once for each of the shapes that
//! [`with_records!`] tells apart. On disk, an entry is a state with a progress value before it or a word
//! behind it. Reading and writing entries costs more than a branch, so there one [`EntryShape`], a value,
//! serves all shapes.
//!
//! Entries are compared word by word. That is one total order for all shapes: see
//! [`model::records`].

use serde::{Deserialize, Serialize};

pub use model::records::{
    Dynamic, Entries, Fixed, LENGTH_BITS, LONGEST_STATE, Prefixed, RecordShape, Records, prefixed_len,
};

/// Evaluates an expression with the shape of states as a type. Small fixed shapes have types of their own,
/// so that the common cases are specialised.
macro_rules! with_records {
    ($shape:expr, $records:ident => $body:expr) => {
        match $shape {
            $crate::store::records::RecordShape::Fixed(1) => {
                let $records = $crate::store::records::Fixed::<1>;
                $body
            }
            $crate::store::records::RecordShape::Fixed(2) => {
                let $records = $crate::store::records::Fixed::<2>;
                $body
            }
            $crate::store::records::RecordShape::Fixed(3) => {
                let $records = $crate::store::records::Fixed::<3>;
                $body
            }
            $crate::store::records::RecordShape::Fixed(4) => {
                let $records = $crate::store::records::Fixed::<4>;
                $body
            }
            $crate::store::records::RecordShape::Fixed(words) => {
                let $records = $crate::store::records::Dynamic(words);
                $body
            }
            $crate::store::records::RecordShape::Prefixed => {
                let $records = $crate::store::records::Prefixed;
                $body
            }
        }
    };
}

pub(crate) use with_records;

/// Words of a buffer for a batch of states that it keeps in any case.
const KEPT: usize = 4096;

/// Empties a buffer for batches of states, of which the last one had `used` words. A long state makes
/// the buffer large. That memory is given back when a later batch needs much less.
#[inline]
pub fn reuse(buffer: &mut Vec<u64>, used: usize) {
    buffer.clear();
    if buffer.capacity() > KEPT.max(4 * used) {
        buffer.shrink_to(KEPT.max(2 * used));
    }
}

/// The shape of entries on disk: a state, words before it and words behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryShape {
    before: usize,
    state: RecordShape,
    after: usize,
    /// How many of the words behind the state tell entries apart. The others describe it.
    counted: usize,
}

impl EntryShape {
    /// Entries that are states of this shape.
    pub fn of(state: RecordShape) -> Self {
        Self { before: 0, state, after: 0, counted: 0 }
    }

    /// Entries of this many words.
    pub fn words(words: usize) -> Self {
        Self::of(RecordShape::Fixed(words))
    }

    /// The same entries with a key before the state, usually a progress value.
    pub fn keyed(self) -> Self {
        Self { before: 1, ..self }
    }

    /// The same entries without a key.
    pub fn unkeyed(self) -> Self {
        Self { before: 0, ..self }
    }

    /// The same entries with a word behind the state that tells where it comes from, if `origins`. Entries
    /// that differ only in this word are duplicates.
    pub fn with_origin(self, origins: bool) -> Self {
        Self { after: self.after + usize::from(origins), ..self }
    }

    /// The same entries with a word behind the state that belongs to it: entries that differ in this word
    /// are no duplicates.
    pub fn with_word(self) -> Self {
        Self { after: self.after + 1, counted: self.counted + 1, ..self }
    }

    /// Whether there is a word behind the state.
    pub fn has_origin(self) -> bool {
        self.after > 0
    }

    /// Shape of the state.
    pub fn state(self) -> RecordShape {
        self.state
    }

    /// Number of the word with the head of a state of varying length.
    pub fn head(self) -> usize {
        self.before
    }

    /// Number of words if all entries have the same.
    #[inline]
    pub fn stride(self) -> Option<usize> {
        match self.state {
            RecordShape::Fixed(words) => Some(self.before + words + self.after),
            RecordShape::Prefixed => None,
        }
    }

    /// Number of words of the shortest entry.
    pub fn least_words(self) -> usize {
        self.stride().unwrap_or(self.before + 1 + self.after)
    }

    /// Number of words of the entry at the beginning of `words`.
    #[inline(always)]
    pub fn len_of(self, words: &[u64]) -> usize {
        match self.state {
            RecordShape::Fixed(state) => self.before + state + self.after,
            RecordShape::Prefixed => self.before + prefixed_len(words[self.before]) + self.after,
        }
    }

    /// Whole entries, one after the other.
    #[inline]
    pub fn entries(self, words: &[u64]) -> Entries<'_> {
        self.state.entries_between(words, self.before, self.after)
    }

    /// Number of whole entries. Takes a walk through those of varying length.
    pub fn count(self, words: &[u64]) -> usize {
        match self.stride() {
            Some(stride) => words.len().checked_div(stride).unwrap_or(0),
            None => self.entries(words).count(),
        }
    }

    /// Words of the entries, at the beginning of a row of whole entries, for which a test holds.
    #[inline]
    pub fn words_while(self, words: &[u64], mut holds: impl FnMut(&[u64]) -> bool) -> usize {
        match self.stride() {
            Some(stride) => {
                let end = words.chunks_exact(stride).position(|entry| !holds(entry));
                end.map_or(words.len(), |count| count * stride)
            }
            None => self.entries(words).take_while(|entry| holds(entry)).map(<[u64]>::len).sum(),
        }
    }

    /// The state in an entry.
    #[inline(always)]
    pub fn state_of(self, entry: &[u64]) -> &[u64] {
        &entry[self.before..entry.len() - self.after]
    }

    /// The words of an entry by which duplicates are told: equal ones belong to duplicates.
    #[inline(always)]
    pub fn identity(self, entry: &[u64]) -> &[u64] {
        &entry[..entry.len() - (self.after - self.counted)]
    }

    /// The word behind the state, if there is one.
    #[inline(always)]
    pub fn origin_of(self, entry: &[u64]) -> Option<u64> {
        if self.after == 0 { None } else { entry.last().copied() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_state_does_not_widen_a_buffer_for_good() {
        let mut buffer = Vec::new();
        let mut batch = |words: usize| {
            let used = buffer.len();
            reuse(&mut buffer, used);
            buffer.resize(words, 0);
            buffer.capacity()
        };
        assert_eq!(batch(100_000), 100_000);
        assert_eq!(batch(50_000), 100_000, "batches that are nearly as long use the memory again");
        assert_eq!(batch(1_000), 100_000);
        assert_eq!(batch(1_000), KEPT, "short ones give it back");
        assert_eq!(batch(10), KEPT);
        assert_eq!(batch(1_000), KEPT, "what all batches need is kept");
    }
}
