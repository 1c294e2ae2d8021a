//! Encoding of states as words: the compact binary format of [postcard] in a record of varying
//! length.
//!
//! A number takes one byte for each seven bits. An enum variant or a length takes one byte. A field
//! takes nothing but its contents. The first two bytes of the record, its head, give its length in
//! words; the encoding follows. Zeros pad the last word (see [`model::records`]). So the number of
//! words of a state is independent of other states. A state of up to six bytes takes one word.
//!
//! The encoding of a type is *prefix-free*: a decoder knows where a value ends. So no length in
//! bytes is stored, and two different states are different words even if one has zeros where the
//! other is padded.
//!
//! The type of a state must meet these requirements:
//! - Equal states have equal bytes, and unequal ones do not. Derived `Eq`, `Serialize` and
//!   `Deserialize` comply, with `BTreeMap` and `BTreeSet` inside. `HashMap` and `HashSet` do not:
//!   their order differs between equal values. Nor does an unsorted `Vec` that is meant as a set.
//! - A state survives encoding and decoding: no `#[serde(skip)]`.
//! - The format does not describe itself: no `#[serde(untagged)]`, `#[serde(flatten)]` or
//!   `#[serde(tag = …)]`.
//!
//! The first two are tested: for every state in builds with debug assertions, for the first
//! thousand in others.

use model::records::{LENGTH_BITS, LONGEST_STATE};
use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Number of states that are tested in builds without debug assertions.
pub(super) const TESTED: u32 = 1000;

/// A reusable buffer for encoded bytes.
struct Buffer<'a>(&'a mut Vec<u8>);

impl Flavor for Buffer<'_> {
    type Output = ();

    #[inline]
    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(data);
        Ok(())
    }

    #[inline]
    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.0.push(data);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Appends the encoding of the state.
fn encode<S: Serialize>(state: &S, bytes: &mut Vec<u8>) {
    if let Err(error) = postcard::serialize_with_flavor(state, Buffer(bytes)) {
        panic!("a state of type `{}` cannot be encoded: {error}", std::any::type_name::<S>());
    }
}

/// Decodes the state at the front of the bytes.
fn decode<S: DeserializeOwned>(bytes: &[u8]) -> S {
    match postcard::take_from_bytes(bytes) {
        Ok((state, _)) => state,
        Err(error) => panic!("a state of type `{}` cannot be decoded: {error}", std::any::type_name::<S>()),
    }
}

/// Tests that the state survives encoding and decoding, and has only one encoding.
pub(super) fn test<S: Serialize + DeserializeOwned + Eq + std::fmt::Debug>(state: &S, bytes: &[u8]) {
    let back: S = decode(bytes);
    assert!(
        back == *state,
        "a state does not survive its encoding (is a field skipped?)\n before: {state:?}\n  after: {back:?}"
    );
    let mut again = Vec::with_capacity(bytes.len());
    encode(&back, &mut again);
    assert!(
        again == bytes,
        "equal states have different encodings (use BTreeMap and BTreeSet instead of HashMap and HashSet): {state:?}"
    );
}

/// Number of bytes of the head before the encoding.
const HEAD: usize = LENGTH_BITS as usize / 8;

/// A state cannot be stored, because it is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a state takes {bytes} bytes, and the longest that can be stored takes {}: does the model bound its queues and logs?",
    StateTooLong::LONGEST
)]
pub struct StateTooLong {
    /// Bytes that the state takes.
    pub bytes: usize,
}

impl StateTooLong {
    /// Bytes of the longest state that can be stored.
    pub const LONGEST: usize = LONGEST_STATE * 8 - HEAD;
}

/// A state in bytes: a head that remains to be filled in, and the encoding. A reusable buffer.
#[derive(Debug, Default)]
pub(super) struct EncodedState(Vec<u8>);

impl EncodedState {
    /// Encodes a state.
    pub(super) fn encode<S: Serialize>(&mut self, state: &S) -> &[u8] {
        self.0.clear();
        self.0.extend_from_slice(&[0; HEAD]);
        encode(state, &mut self.0);
        &self.0[HEAD..]
    }

    /// Writes the state that was encoded last as a record, which replaces the contents of `record`.
    pub(super) fn pack(&mut self, record: &mut Vec<u64>) -> Result<(), StateTooLong> {
        let words = self.0.len().div_ceil(8);
        if words > LONGEST_STATE {
            return Err(StateTooLong { bytes: self.0.len() - HEAD });
        }
        self.0[..HEAD].copy_from_slice(&(words as u16).to_le_bytes());
        record.clear();
        let (whole, rest) = self.0.as_chunks::<8>();
        record.extend(whole.iter().map(|chunk| u64::from_le_bytes(*chunk)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            record.push(u64::from_le_bytes(last));
        }
        Ok(())
    }

    /// Decodes the state of a record.
    pub(super) fn decode<S: DeserializeOwned>(&mut self, record: &[u64]) -> S {
        self.0.clear();
        for word in record {
            self.0.extend_from_slice(&word.to_le_bytes());
        }
        decode(&self.0[HEAD..])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::records::RecordShape;
    use proptest::prelude::*;

    use super::*;

    type State = (u8, Vec<Option<i32>>, BTreeMap<u16, String>, bool);

    fn packed<S: Serialize>(state: &S) -> Vec<u64> {
        let (mut encoded, mut record) = (EncodedState::default(), vec![7; 3]);
        encoded.encode(state);
        encoded.pack(&mut record).unwrap();
        assert_eq!(RecordShape::Prefixed.len_of(&record), record.len());
        record
    }

    proptest! {
        #[test]
        fn states_come_back_and_differ_as_words_when_they_differ(one: State, other: State) {
            let mut encoded = EncodedState::default();
            prop_assert_eq!(encoded.decode::<State>(&packed(&one)), one.clone());
            prop_assert_eq!(packed(&one) == packed(&other), one == other);
        }
    }

    #[test]
    fn trailing_zeros_make_no_state_equal_to_another() {
        let states: Vec<Vec<u8>> = (0..30).map(|zeros| vec![0; zeros]).collect();
        let words: std::collections::BTreeSet<Vec<u64>> = states.iter().map(packed).collect();
        assert_eq!(words.len(), states.len());
    }

    #[test]
    fn a_state_takes_the_words_that_it_needs() {
        assert_eq!(packed(&()), [1]);
        assert_eq!(packed(&[9u8; 6]).len(), 1);
        assert_eq!(packed(&[9u8; 7]).len(), 2);
        assert_eq!(packed(&vec![1u8; 21]).len(), 3);
    }

    #[test]
    fn a_state_that_is_too_long_is_an_error() {
        let mut encoded = EncodedState::default();
        let mut record = Vec::new();
        // Three bytes are the length of the vector.
        let mut pack = |bytes: usize| {
            encoded.encode(&vec![1u8; bytes - 3]);
            encoded.pack(&mut record).map(|()| record.len())
        };
        assert_eq!(pack(StateTooLong::LONGEST), Ok(LONGEST_STATE));
        let error = pack(StateTooLong::LONGEST + 1).unwrap_err();
        assert_eq!(error, StateTooLong { bytes: StateTooLong::LONGEST + 1 });
        assert!(error.to_string().contains("a state takes 524223 bytes"), "{error}");
    }
}
