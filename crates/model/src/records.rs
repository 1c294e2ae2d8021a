//! Records: the layout of states in a sequence of 64-bit words.
//!
//! States of guarded commands all have the same number of words, which a layout decides. States of
//! Rust types vary in length. Padding them to the longest one would let a single long state widen
//! all others. So there are two shapes. A *fixed* record is nothing but its words. A *prefixed*
//! record begins with a head word whose low 16 bits give the length of the record in words,
//! including the head. The other 48 bits of the head belong to the state. So a small state takes
//! one word, and the length costs it two bytes.
//!
//! The length takes sixteen bits, because the payload then begins at a whole byte, and packing
//! bytes is a copy. Eight bits would leave one byte more for the state. They would limit it to 2
//! KiB, which the states of a log or a queue exceed. Twelve bits would gain no whole byte.
//!
//! Prefixed records need no special order. Compared word by word, equal records are adjacent: equal
//! heads mean equal lengths, so two records are aligned as far as they agree.
//!
//! Code that handles every single state is generic over [`Records`], so that fixed records of one
//! to four words compile to straight-line code. Elsewhere the shape is a value, [`RecordShape`].

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

/// Number of bits of a head word that hold the length of a prefixed record.
pub const LENGTH_BITS: u32 = 16;

/// Most words of a prefixed state that a model may produce: 524,224 bytes.
///
/// The head could express seven words more. Wrappers append words to the states of a model: a
/// product appends the state of its automaton, and a queue on disk appends a progress value.
pub const LONGEST_STATE: usize = (1 << LENGTH_BITS) - 8;

/// Mask of the length in a head word.
const LENGTH: u64 = (1 << LENGTH_BITS) - 1;

/// Number of words of the prefixed record with this head.
#[inline(always)]
pub fn prefixed_len(head: u64) -> usize {
    (head & LENGTH) as usize
}

/// The shape of all states of a model, known at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RecordShape {
    /// States of this many words.
    Fixed(usize),
    /// States of varying length. The low 16 bits of the first word give the number of words.
    Prefixed,
}

impl RecordShape {
    /// Number of words of the state at the beginning of `words`.
    #[inline(always)]
    pub fn len_of(self, words: &[u64]) -> usize {
        match self {
            Self::Fixed(len) => len,
            Self::Prefixed => prefixed_len(words[0]),
        }
    }

    /// The state at the beginning of `words`.
    #[inline(always)]
    pub fn first(self, words: &[u64]) -> &[u64] {
        &words[..self.len_of(words)]
    }

    /// The states in a sequence of whole states.
    #[inline]
    pub fn states(self, words: &[u64]) -> Entries<'_> {
        self.entries(words, 0)
    }

    /// The entries in a sequence of whole entries, each a state followed by `after` words.
    #[inline]
    pub fn entries(self, words: &[u64], after: usize) -> Entries<'_> {
        self.entries_between(words, 0, after)
    }

    /// The entries in a sequence of whole entries, each a state between `before` and `after` other
    /// words.
    #[inline]
    pub fn entries_between(self, words: &[u64], before: usize, after: usize) -> Entries<'_> {
        match self {
            Self::Fixed(len) => Entries::Fixed(words.chunks_exact(before + len + after)),
            Self::Prefixed => Entries::Prefixed(PrefixedEntries { words, before, after }),
        }
    }

    /// Number of states in a sequence of whole states. Linear in their number for prefixed ones.
    pub fn count(self, words: &[u64]) -> usize {
        match self {
            Self::Fixed(len) => words.len() / len,
            Self::Prefixed => self.states(words).count(),
        }
    }

    /// Number of words of the first `count` states in a sequence of whole states, or of all if
    /// there are fewer.
    pub fn words_of(self, words: &[u64], count: usize) -> usize {
        match self {
            Self::Fixed(len) => words.len().min(count * len),
            Self::Prefixed => self.states(words).take(count).map(<[u64]>::len).sum(),
        }
    }

    /// The shape of states with one more word at the end.
    pub fn extended(self) -> Self {
        match self {
            Self::Fixed(len) => Self::Fixed(len + 1),
            Self::Prefixed => Self::Prefixed,
        }
    }

    /// Appends the state with one more word at its end: a record of the [extended](Self::extended)
    /// shape.
    #[inline]
    pub fn append_extended(self, state: &[u64], word: u64, to: &mut Vec<u64>) {
        let start = to.len();
        to.extend_from_slice(state);
        to.push(word);
        if self == Self::Prefixed {
            debug_assert!(prefixed_len(state[0]) < LENGTH as usize, "the head has no room for more words");
            to[start] += 1;
        }
    }

    /// Appends a state that [`append_extended`](Self::append_extended) made, without its last word.
    #[inline]
    pub fn append_shortened(self, state: &[u64], to: &mut Vec<u64>) {
        let start = to.len();
        to.extend_from_slice(&state[..state.len() - 1]);
        if self == Self::Prefixed {
            to[start] -= 1;
        }
    }
}

/// Whole entries, one after the other. See [`RecordShape::entries`].
#[derive(Clone, Debug)]
pub enum Entries<'w> {
    /// Entries of the same length.
    Fixed(std::slice::ChunksExact<'w, u64>),
    /// Entries of varying length.
    Prefixed(PrefixedEntries<'w>),
}

impl<'w> Iterator for Entries<'w> {
    type Item = &'w [u64];

    #[inline(always)]
    fn next(&mut self) -> Option<&'w [u64]> {
        match self {
            Self::Fixed(entries) => entries.next(),
            Self::Prefixed(entries) => entries.next(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Fixed(entries) => entries.size_hint(),
            Self::Prefixed(entries) => entries.size_hint(),
        }
    }
}

/// Entries of varying length, one after the other.
#[derive(Clone, Debug)]
pub struct PrefixedEntries<'w> {
    words: &'w [u64],
    before: usize,
    after: usize,
}

impl<'w> Iterator for PrefixedEntries<'w> {
    type Item = &'w [u64];

    #[inline(always)]
    fn next(&mut self) -> Option<&'w [u64]> {
        let head = *self.words.get(self.before)?;
        // A length of zero is not a valid record. Treated as one word, a damaged sequence still
        // ends.
        let len = self.before + prefixed_len(head).max(1) + self.after;
        let (entry, rest) = self.words.split_at(len);
        self.words = rest;
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let least = self.before + self.after + 1;
        (usize::from(self.words.len() >= least), Some(self.words.len() / least))
    }
}

/// The shape of states, as a type where it is known to the compiler.
pub trait Records: Copy + Debug + Send + Sync {
    /// Whether states vary in length, so that the position of a state does not follow from its
    /// number.
    const VARYING: bool;

    /// The shape as a value.
    fn shape(self) -> RecordShape;

    /// Number of words of the state at the beginning of `words`.
    fn len_of(self, words: &[u64]) -> usize;

    /// The state at the beginning of `words`.
    #[inline(always)]
    fn first(self, words: &[u64]) -> &[u64] {
        &words[..self.len_of(words)]
    }

    /// Number of words of a fixed record. Zero for varying ones, where the position of a state is
    /// looked up.
    fn fixed_len(self) -> usize;

    /// Position of the state with this number: computed for fixed records, otherwise `offset`.
    #[inline(always)]
    fn start(self, number: usize, offset: usize) -> usize {
        if Self::VARYING { offset } else { number * self.fixed_len() }
    }

    /// The states in a sequence of whole states.
    #[inline(always)]
    fn states<'w>(self, words: &'w [u64]) -> impl Iterator<Item = &'w [u64]> + Clone + use<'w, Self> {
        self.entries(words, 0)
    }

    /// The entries in a sequence of whole entries, each a state followed by `after` words.
    fn entries<'w>(
        self,
        words: &'w [u64],
        after: usize,
    ) -> impl Iterator<Item = &'w [u64]> + Clone + use<'w, Self>;

    /// Splits a sequence of whole states into parts of at most `count` states.
    #[inline(always)]
    fn parts<'w>(self, words: &'w [u64], count: usize) -> impl Iterator<Item = &'w [u64]> + use<'w, Self> {
        self.entry_parts(words, 0, count)
    }

    /// Splits a sequence of whole entries, each a state and `after` words, into parts of at most
    /// `count` entries.
    #[inline(always)]
    fn entry_parts<'w>(
        self,
        words: &'w [u64],
        after: usize,
        count: usize,
    ) -> impl Iterator<Item = &'w [u64]> + use<'w, Self> {
        let mut rest = words;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let len = if Self::VARYING {
                self.entries(rest, after).take(count).map(<[u64]>::len).sum()
            } else {
                rest.len().min(count * (self.fixed_len() + after))
            };
            let (part, others) = rest.split_at(len);
            rest = others;
            Some(part)
        })
    }

    /// Number of words of the first `count` states in a sequence of whole states, or of all if
    /// there are fewer.
    #[inline(always)]
    fn words_of(self, words: &[u64], count: usize) -> usize {
        if Self::VARYING {
            self.states(words).take(count).map(<[u64]>::len).sum()
        } else {
            words.len().min(count * self.fixed_len())
        }
    }

    /// Whether a sequence of whole states has this many of them.
    #[inline(always)]
    fn has_count(self, words: &[u64], count: usize) -> bool {
        if Self::VARYING {
            self.states(words).count() == count
        } else {
            count * self.fixed_len() == words.len()
        }
    }
}

/// States of a length that is part of the type: the compiler removes loops over a state.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<const WORDS: usize>;

/// States of one length that is known only at run time.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic(pub usize);

/// States of varying length.
#[derive(Clone, Copy, Debug)]
pub struct Prefixed;

impl<const WORDS: usize> Records for Fixed<WORDS> {
    const VARYING: bool = false;

    #[inline(always)]
    fn shape(self) -> RecordShape {
        RecordShape::Fixed(WORDS)
    }

    #[inline(always)]
    fn len_of(self, _: &[u64]) -> usize {
        WORDS
    }

    #[inline(always)]
    fn fixed_len(self) -> usize {
        WORDS
    }

    #[inline(always)]
    fn entries<'w>(
        self,
        words: &'w [u64],
        after: usize,
    ) -> impl Iterator<Item = &'w [u64]> + Clone + use<'w, WORDS> {
        words.chunks_exact(WORDS + after)
    }
}

impl Records for Dynamic {
    const VARYING: bool = false;

    #[inline(always)]
    fn shape(self) -> RecordShape {
        RecordShape::Fixed(self.0)
    }

    #[inline(always)]
    fn len_of(self, _: &[u64]) -> usize {
        self.0
    }

    #[inline(always)]
    fn fixed_len(self) -> usize {
        self.0
    }

    #[inline(always)]
    fn entries<'w>(
        self,
        words: &'w [u64],
        after: usize,
    ) -> impl Iterator<Item = &'w [u64]> + Clone + use<'w> {
        words.chunks_exact(self.0 + after)
    }
}

impl Records for Prefixed {
    const VARYING: bool = true;

    #[inline(always)]
    fn shape(self) -> RecordShape {
        RecordShape::Prefixed
    }

    #[inline(always)]
    fn len_of(self, words: &[u64]) -> usize {
        prefixed_len(words[0])
    }

    #[inline(always)]
    fn fixed_len(self) -> usize {
        0
    }

    #[inline(always)]
    fn entries<'w>(
        self,
        words: &'w [u64],
        after: usize,
    ) -> impl Iterator<Item = &'w [u64]> + Clone + use<'w> {
        PrefixedEntries { words, before: 0, after }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn prefixed(payload: &[u64]) -> Vec<u64> {
        let len = payload.len().max(1);
        let head = payload.first().map_or(0, |word| word << LENGTH_BITS) | len as u64;
        [head].into_iter().chain(payload.iter().skip(1).copied()).collect()
    }

    proptest! {
        #[test]
        fn prefixed_entries_are_told_apart(
            payloads in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..5), 0..40),
            before in 0..2usize, after in 0..3usize, count in 1..7usize,
        ) {
            let states: Vec<Vec<u64>> = payloads.iter().map(|payload| prefixed(payload)).collect();
            let words = states.concat();
            prop_assert_eq!(Prefixed.states(&words).collect::<Vec<_>>(), states.iter().collect::<Vec<_>>());
            prop_assert_eq!(RecordShape::Prefixed.count(&words), states.len());
            prop_assert!(Prefixed.has_count(&words, states.len()) && !Prefixed.has_count(&words, states.len() + 1));
            let parts: Vec<&[u64]> = Prefixed.parts(&words, count).collect();
            prop_assert_eq!(parts.concat(), words.clone());
            prop_assert!(parts.iter().all(|part| (1..=count).contains(&RecordShape::Prefixed.count(part))));
            let entries: Vec<Vec<u64>> =
                states.iter().map(|state| [&vec![7; before], &state[..], &vec![9; after]].concat()).collect();
            let row = entries.concat();
            let found: Vec<&[u64]> = RecordShape::Prefixed.entries_between(&row, before, after).collect();
            prop_assert_eq!(found, entries.iter().collect::<Vec<_>>());
        }

        #[test]
        fn a_word_at_the_end_comes_off_again(payload in prop::collection::vec(any::<u64>(), 1..5), word: u64) {
            for (shape, state) in [
                (RecordShape::Prefixed, prefixed(&payload)),
                (RecordShape::Fixed(payload.len()), payload.clone()),
            ] {
                let (mut longer, mut again) = (vec![5], vec![6]);
                shape.append_extended(&state, word, &mut longer);
                prop_assert_eq!(shape.extended().first(&longer[1..]), &longer[1..]);
                prop_assert_eq!(longer.len(), state.len() + 2);
                shape.append_shortened(&longer[1..], &mut again);
                prop_assert_eq!(&again[1..], &state[..]);
            }
        }
    }
}
