//! Blocks of records on their way to a file and back.
//!
//! Neighbouring records are alike: sorted ones share their progress value and most of their words. So a block is written as the differences between records, word by
//! word, compressed if that makes it smaller. A checksum tells a damaged block from a whole one.

use std::io;

use crate::store::hash::hash_state;

/// Words of a block, about.
const WORDS: usize = 8192;

/// Number of words, number of bytes that follow, checksum of these.
const HEADER: usize = 16;

/// Set in the number of bytes if they are not compressed.
const PLAIN: u32 = 1 << 31;

/// Records of one length, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Block {
    words: Vec<u64>,
    stride: usize,
}

/// Room for the bytes of a block.
#[derive(Debug, Default)]
pub struct Scratch {
    plain: Vec<u8>,
    bytes: Vec<u8>,
}

impl Block {
    /// An empty block for records of `stride` words.
    pub fn new(stride: usize) -> Self {
        Self { words: Vec::new(), stride }
    }

    /// Records of a full block.
    pub fn capacity(stride: usize) -> usize {
        (WORDS / stride).max(1)
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.words.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there is no room for one more record.
    pub fn is_full(&self) -> bool {
        self.records() >= Self::capacity(self.stride)
    }

    /// The records, one behind the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Appends a record.
    pub fn push(&mut self, record: &[u64]) {
        debug_assert_eq!(record.len(), self.stride, "a record is as long as all others");
        self.words.extend_from_slice(record);
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// The block as it is written.
    pub fn encode<'s>(&self, scratch: &'s mut Scratch) -> &'s [u8] {
        let Scratch { plain, bytes } = scratch;
        plain.clear();
        // First words of all records, then second ones: what differs little lies together.
        for word in 0..self.stride {
            let mut before = 0;
            for record in self.words.chunks_exact(self.stride) {
                plain.extend_from_slice(&(record[word] ^ before).to_le_bytes());
                before = record[word];
            }
        }
        bytes.clear();
        bytes.resize(HEADER + lz4_flex::block::get_maximum_output_size(plain.len()), 0);
        // An output that is large enough is never too small.
        let compressed = lz4_flex::block::compress_into(plain, &mut bytes[HEADER..]).unwrap_or(usize::MAX);
        let length = if compressed < plain.len() / 8 * 7 {
            bytes.truncate(HEADER + compressed);
            compressed as u32
        } else {
            bytes.truncate(HEADER);
            bytes.extend_from_slice(plain);
            plain.len() as u32 | PLAIN
        };
        let checksum = checksum(&bytes[HEADER..]);
        bytes[..4].copy_from_slice(&(self.words.len() as u32).to_le_bytes());
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
        bytes[8..HEADER].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the block that `read` gives the bytes of, piece by piece, and tells how many bytes it takes.
    pub fn decode(
        &mut self,
        scratch: &mut Scratch,
        mut read: impl FnMut(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<u64> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a file is damaged");
        let mut header = [0; HEADER];
        read(&mut header)?;
        let number =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (words, length) = (number(0) as usize, number(4));
        if words == 0 || words > WORDS.max(self.stride) || !words.is_multiple_of(self.stride) {
            return Err(damaged());
        }
        let Scratch { plain, bytes } = scratch;
        let size = (length & !PLAIN) as usize;
        if size > lz4_flex::block::get_maximum_output_size(words * 8) {
            return Err(damaged());
        }
        bytes.resize(size, 0);
        read(bytes)?;
        if checksum(bytes).to_le_bytes() != header[8..HEADER] {
            return Err(damaged());
        }
        plain.resize(words * 8, 0);
        if length & PLAIN != 0 {
            if size != words * 8 {
                return Err(damaged());
            }
            plain.copy_from_slice(bytes);
        } else if lz4_flex::block::decompress_into(bytes, plain).ok() != Some(words * 8) {
            return Err(damaged());
        }
        self.words.clear();
        self.words.resize(words, 0);
        let records = words / self.stride;
        for (word, column) in plain.chunks_exact(records * 8).enumerate() {
            let mut before = 0;
            for (record, difference) in column.as_chunks().0.iter().enumerate() {
                before ^= u64::from_le_bytes(*difference);
                self.words[record * self.stride + word] = before;
            }
        }
        Ok((HEADER + size) as u64)
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let (whole, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let ends = [u64::from_le_bytes(last), bytes.len() as u64];
    whole.chunks(64).fold(hash_state(&ends), |sum, part| {
        let mut words = [0; 65];
        part.iter().zip(&mut words).for_each(|(bytes, word)| *word = u64::from_le_bytes(*bytes));
        words[64] = sum;
        hash_state(&words)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(stride: usize, mut bytes: &[u8]) -> io::Result<(Block, u64)> {
        let mut block = Block::new(stride);
        let read = block.decode(&mut Scratch::default(), |into| io::Read::read_exact(&mut bytes, into))?;
        Ok((block, read))
    }

    proptest! {
        #[test]
        fn a_block_comes_back_as_it_went(
            stride in 1..7usize, alike in any::<bool>(), records in prop::collection::vec(any::<u64>(), 1..600),
        ) {
            let mut block = Block::new(stride);
            for record in records {
                let word = |word: u64| if alike { record % 16 + word } else { record.wrapping_mul(word + 1) };
                block.push(&(0..stride as u64).map(word).collect::<Vec<_>>());
            }
            let mut scratch = Scratch::default();
            let bytes = block.encode(&mut scratch).to_vec();
            let (back, read) = decoded(stride, &bytes).unwrap();
            prop_assert_eq!(back.words(), block.words());
            prop_assert_eq!(read, bytes.len() as u64);
        }

        #[test]
        fn a_damaged_block_is_noticed(at in 0..4096usize, bit in 0..8u32) {
            let mut block = Block::new(2);
            (0..300u64).for_each(|number| block.push(&[number / 7, number * number]));
            let mut bytes = block.encode(&mut Scratch::default()).to_vec();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert!(decoded(2, &bytes).is_err());
            prop_assert!(decoded(2, &bytes[..at]).is_err(), "cut off");
        }
    }
}
