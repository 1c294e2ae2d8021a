//! States as words: the compact binary format of [postcard], packed eight bytes to a word and filled up with zeros.
//!
//! Numbers take one byte for each seven bits, enum variants and lengths one byte, fields nothing but their contents. The encoding of a type
//! is *prefix-free* (who decodes knows where the value ends), so neither a length nor a mark is stored: two different states
//! are different words even if one has zeros where the other is filled up. A state that needs more words than others makes all
//! states wider; for that, zeros are appended.
//!
//! What a state's type must keep to:
//! - Equal states have equal bytes, and unequal ones do not. Derived `Eq`, `Serialize` and `Deserialize` do this, with `BTreeMap` and
//!   `BTreeSet` inside, but not with `HashMap` and `HashSet`, whose order differs between equal values, nor with a `Vec` that is meant as a set and is not sorted.
//! - A state comes back as it was: no `#[serde(skip)]`.
//! - The format does not describe itself: no `#[serde(untagged)]`, `#[serde(flatten)]` or `#[serde(tag = …)]`.
//!
//! Both of the first are tested: for every state in builds with debug assertions, for the first thousand in others.

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// States that are tested in builds without debug assertions.
pub(super) const TESTED: u32 = 1000;

/// Where encoded bytes go: a buffer that is used again.
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
pub(super) fn encode<S: Serialize>(state: &S, bytes: &mut Vec<u8>) {
    if let Err(error) = postcard::serialize_with_flavor(state, Buffer(bytes)) {
        panic!("a state of type `{}` cannot be encoded: {error}", std::any::type_name::<S>());
    }
}

/// The state that is encoded at the front of the bytes.
pub(super) fn decode<S: DeserializeOwned>(bytes: &[u8]) -> S {
    match postcard::take_from_bytes(bytes) {
        Ok((state, _)) => state,
        Err(error) => panic!("a state of type `{}` cannot be decoded: {error}", std::any::type_name::<S>()),
    }
}

/// Makes sure that the state comes back from its encoding, and has no other one.
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

/// Number of words for so many bytes.
pub(super) fn words_for(bytes: usize) -> usize {
    bytes.div_ceil(8).max(1)
}

/// Appends the bytes to `packed` as `words` words.
pub(super) fn pack(bytes: &[u8], words: usize, packed: &mut Vec<u64>) {
    debug_assert!(bytes.len() <= words * 8);
    let end = packed.len() + words;
    let (whole, rest) = bytes.as_chunks::<8>();
    packed.extend(whole.iter().map(|chunk| u64::from_le_bytes(*chunk)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        packed.push(u64::from_le_bytes(last));
    }
    packed.resize(end, 0);
}

/// The bytes of the words.
pub(super) fn unpack(packed: &[u64], bytes: &mut Vec<u8>) {
    bytes.clear();
    for word in packed {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type State = (u8, Vec<Option<i32>>, BTreeMap<u16, String>, bool);

    fn packed(state: &State, words: usize) -> Vec<u64> {
        let (mut bytes, mut packed) = (Vec::new(), Vec::new());
        encode(state, &mut bytes);
        pack(&bytes, words.max(words_for(bytes.len())), &mut packed);
        packed
    }

    proptest! {
        #[test]
        fn states_come_back_and_differ_as_words_when_they_differ(one: State, other: State) {
            let words = packed(&one, 1).len().max(packed(&other, 1).len()) + 1;
            let mut bytes = Vec::new();
            unpack(&packed(&one, words), &mut bytes);
            prop_assert_eq!(decode::<State>(&bytes), one.clone());
            prop_assert_eq!(packed(&one, words) == packed(&other, words), one == other);
        }
    }

    #[test]
    fn trailing_zeros_make_no_state_equal_to_another() {
        let states: Vec<Vec<u8>> = (0..12).map(|zeros| vec![0; zeros]).collect();
        let words: std::collections::BTreeSet<Vec<u64>> = states
            .iter()
            .map(|state| {
                let (mut bytes, mut packed) = (Vec::new(), Vec::new());
                encode(state, &mut bytes);
                pack(&bytes, 2, &mut packed);
                packed
            })
            .collect();
        assert_eq!(words.len(), states.len());
    }

    #[test]
    fn a_state_of_no_bytes_is_a_word() {
        let mut packed = Vec::new();
        pack(&[], words_for(0), &mut packed);
        assert_eq!(packed, [0]);
    }
}
