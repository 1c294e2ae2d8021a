//! A hash over a sequence of values, for identities that outlive a process.
//!
//! The hash has fixed keys and reads the serde encoding of a value. A field that is added to a type
//! is hashed without further work.

use postcard::ser_flavors::Flavor;
use serde::Serialize;

use super::hash::hash_state;

/// A hash over a sequence of values. Equal values have the same hash in every process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fingerprint {
    hash: u64,
    word: u64,
    /// Number of bytes in `word`.
    bytes: u32,
}

impl Fingerprint {
    /// Adds a value to the hash.
    pub fn add<T: Serialize + ?Sized>(&mut self, value: &T) {
        let added = postcard::serialize_with_flavor(value, *self);
        *self =
            added.expect("a value that lives in memory has a length, which is all that postcard asks for");
    }

    /// The hash of one value.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> u64 {
        let mut fingerprint = Self::default();
        fingerprint.add(value);
        fingerprint.value()
    }

    /// The hash of what was added.
    pub fn value(&self) -> u64 {
        hash_state(&[self.hash, self.word, u64::from(self.bytes)])
    }
}

impl Flavor for Fingerprint {
    type Output = Self;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.word |= u64::from(byte) << (8 * self.bytes);
        self.bytes += 1;
        if self.bytes == 8 {
            *self = Self { hash: hash_state(&[self.hash, self.word]), ..Self::default() };
        }
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Self> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_depends_on_every_byte_and_on_the_order() {
        let of = |bytes: &[u8]| Fingerprint::of(bytes);
        for length in 0..40 {
            let bytes = vec![0; length];
            assert_ne!(of(&bytes), of(&[&bytes[..], &[0]].concat()), "{length} bytes");
            for at in 0..length {
                let mut changed = bytes.clone();
                changed[at] = 1;
                assert_ne!(of(&bytes), of(&changed), "byte {at} of {length}");
            }
        }
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
    }
}
