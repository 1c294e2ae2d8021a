//! Blocks of records on their way to disk and back.
//!
//! The first words of all records come first, then the second ones. Of a row of words, only the bytes are written in which they differ. Where records
//! come in order, neighbours are alike: then the rows are of differences between records, and compressed. A checksum tells a damaged block from
//! a whole one.

use std::io;

use crate::store::hash::hash_state;

/// Number of words, of bytes behind the head, of bytes before they were compressed; checksum of all but itself.
const HEAD: usize = 20;
/// Set in the number of words if rows are of differences.
const DIFFERENCES: u32 = 1 << 31;
/// Words of a block, about, if its records are not long.
const WORDS: usize = 2048;
/// Records of a block at the least: writing one has a price.
const RECORDS: usize = 256;

/// Records of one length, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Block {
    words: Vec<u64>,
    stride: usize,
    /// Words of a full block: asked for with every record, and a division to find out.
    full: usize,
}

/// Room for the bytes of a block.
#[derive(Debug, Default)]
pub struct Scratch {
    rows: Vec<u8>,
    bytes: Vec<u8>,
    column: Vec<u64>,
}

impl Scratch {
    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() + self.bytes.capacity() + self.column.capacity() * 8
    }
}

impl Block {
    /// An empty block for records of `stride` words.
    pub fn new(stride: usize) -> Self {
        Self::from_words(Vec::new(), stride)
    }

    /// An empty block that will be full.
    pub fn to_be_filled(stride: usize) -> Self {
        Self::from_words(Vec::with_capacity(Self::capacity(stride) * stride), stride)
    }

    /// Records of a full block.
    pub fn capacity(stride: usize) -> usize {
        (WORDS / stride).max(RECORDS)
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.words.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there is no room for one more record.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.words.len() >= self.full
    }

    /// The records, one behind the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Appends a record.
    #[inline]
    pub fn push(&mut self, record: &[u64]) {
        debug_assert_eq!(record.len(), self.stride, "a record is as long as all others");
        self.words.extend_from_slice(record);
    }

    /// The records, one behind the other, as a block.
    pub fn from_words(words: Vec<u64>, stride: usize) -> Self {
        Self { words, stride, full: Self::capacity(stride) * stride }
    }

    /// Appends a record of this first word and the others.
    #[inline]
    pub fn push_parts(&mut self, first: u64, others: &[u64]) {
        debug_assert_eq!(others.len() + 1, self.stride, "a record is as long as all others");
        self.words.push(first);
        self.words.extend_from_slice(others);
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// The block as it is written.
    pub fn encode<'s>(&self, is_sorted: bool, scratch: &'s mut Scratch) -> &'s [u8] {
        let Scratch { rows, bytes, column } = scratch;
        rows.clear();
        for word in 0..self.stride {
            column.clear();
            column.extend(self.words.iter().skip(word).step_by(self.stride));
            if is_sorted {
                for record in (1..column.len()).rev() {
                    column[record] ^= column[record - 1];
                }
            }
            write_column(column, rows);
        }
        bytes.clear();
        bytes.resize(HEAD, 0);
        if is_sorted {
            bytes.resize(HEAD + lz4_flex::block::get_maximum_output_size(rows.len()), 0);
            // An output that is large enough is never too small.
            let size = lz4_flex::block::compress_into(rows, &mut bytes[HEAD..]).unwrap_or(usize::MAX);
            bytes.truncate(HEAD + size.min(rows.len()));
        }
        // As long as before: not compressed.
        if !is_sorted || bytes.len() == HEAD + rows.len() {
            bytes.truncate(HEAD);
            bytes.extend_from_slice(rows);
        }
        let differences = if is_sorted { DIFFERENCES } else { 0 };
        bytes[8..12].copy_from_slice(&(self.words.len() as u32 | differences).to_le_bytes());
        let behind = (bytes.len() - HEAD) as u32;
        bytes[12..16].copy_from_slice(&behind.to_le_bytes());
        bytes[16..20].copy_from_slice(&(rows.len() as u32).to_le_bytes());
        let checksum = checksum(&bytes[8..]);
        bytes[..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the block that takes so many bytes.
    pub fn decode(
        &mut self,
        scratch: &mut Scratch,
        size: usize,
        read: impl FnOnce(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let Scratch { rows, bytes, .. } = scratch;
        bytes.resize(size, 0);
        read(bytes)?;
        self.decoded(bytes, rows)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a file is damaged"))
    }

    fn decoded(&mut self, bytes: &[u8], rows: &mut Vec<u8>) -> Option<()> {
        let (sum, rest) = bytes.split_first_chunk::<8>()?;
        if checksum(rest) != u64::from_le_bytes(*sum) {
            return None;
        }
        let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let (words, behind, plain) = (number(8)?, number(12)? as usize, number(16)? as usize);
        let is_sorted = words & DIFFERENCES != 0;
        let words = (words & !DIFFERENCES) as usize;
        let bytes = bytes.get(HEAD..)?;
        let is_whole = words > 0
            && words <= Self::capacity(self.stride) * self.stride
            && words.is_multiple_of(self.stride);
        if !is_whole || bytes.len() != behind || plain > words * 8 + self.stride * 10 {
            return None;
        }
        let rows = if behind == plain {
            bytes
        } else {
            rows.resize(plain, 0);
            let size = lz4_flex::block::decompress_into(bytes, rows).ok()?;
            rows.get(..size).filter(|_| size == plain)?
        };
        let records = words / self.stride;
        self.words.clear();
        self.words.resize(words, 0);
        let mut rows = rows;
        for word in 0..self.stride {
            rows = read_column(rows, records, &mut self.words[word..], self.stride)?;
        }
        if is_sorted {
            for at in self.stride..words {
                self.words[at] ^= self.words[at - self.stride];
            }
        }
        rows.is_empty().then_some(())
    }
}

/// The first word, which bytes of words differ from it, and these bytes of all words.
fn write_column(column: &[u64], rows: &mut Vec<u8>) {
    let first = column.first().copied().unwrap_or(0);
    let differing = column.iter().fold(0, |differing, word| differing | (word ^ first));
    let low = if differing == 0 { 0 } else { differing.trailing_zeros() / 8 };
    let bytes = ((64 - differing.leading_zeros()).div_ceil(8) - low) as usize;
    rows.extend_from_slice(&[low as u8, bytes as u8]);
    rows.extend_from_slice(&first.to_le_bytes());
    let start = rows.len();
    // Eight bytes are written each time, and overwritten by the next.
    rows.resize(start + column.len() * bytes + 8, 0);
    for (number, word) in column.iter().enumerate() {
        let at = start + number * bytes;
        rows[at..at + 8].copy_from_slice(&(word >> (8 * low)).to_le_bytes());
    }
    rows.truncate(start + column.len() * bytes);
}

/// Reads every `stride`th word, of which there are so many, and gives the rest.
fn read_column<'r>(rows: &'r [u8], records: usize, words: &mut [u64], stride: usize) -> Option<&'r [u8]> {
    let ([low, bytes], rows) = rows.split_first_chunk::<2>()?;
    let (first, rows) = rows.split_first_chunk::<8>()?;
    let (low, bytes, first) = (u32::from(*low), usize::from(*bytes), u64::from_le_bytes(*first));
    if low as usize + bytes > 8 {
        return None;
    }
    let (column, rest) = rows.split_at_checked(records * bytes)?;
    if bytes == 0 {
        words.iter_mut().step_by(stride).for_each(|word| *word = first);
        return Some(rest);
    }
    let mask = u64::MAX >> (64 - 8 * bytes);
    let same = first & !(mask << (8 * low));
    // Eight bytes at a time, as long as there are so many.
    let whole = rows.len().saturating_sub(8) / bytes;
    for (number, word) in words.iter_mut().step_by(stride).enumerate() {
        let at = number * bytes;
        let part = if number <= whole && at + 8 <= rows.len() {
            rows[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk)) & mask
        } else {
            column[at..at + bytes].iter().rev().fold(0, |part, byte| part << 8 | u64::from(*byte))
        };
        *word = same | part << (8 * low);
    }
    Some(rest)
}

/// A number that tells changed bytes from those that were written.
pub fn checksum(bytes: &[u8]) -> u64 {
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

    fn decoded(stride: usize, bytes: &[u8]) -> io::Result<Block> {
        let mut block = Block::new(stride);
        block.decode(&mut Scratch::default(), bytes.len(), |into| {
            into.copy_from_slice(bytes);
            Ok(())
        })?;
        Ok(block)
    }

    proptest! {
        #[test]
        fn a_block_comes_back_as_it_went(
            stride in 1..7usize, alike: bool, is_sorted: bool, records in prop::collection::vec(any::<u64>(), 1..300),
        ) {
            let mut block = Block::new(stride);
            for record in records {
                let word = |word: u64| if alike { record % 16 + word } else { record.wrapping_mul(word + 1) };
                block.push(&(0..stride as u64).map(word).collect::<Vec<_>>());
            }
            let mut scratch = Scratch::default();
            let bytes = block.encode(is_sorted, &mut scratch).to_vec();
            let back = decoded(stride, &bytes).unwrap();
            prop_assert_eq!(back.words(), block.words());
        }

        #[test]
        fn a_damaged_block_is_noticed(at in 0..4096usize, bit in 0..8u32, is_sorted: bool) {
            let mut block = Block::new(2);
            (0..300u64).for_each(|number| block.push(&[number / 7, number * number]));
            let mut bytes = block.encode(is_sorted, &mut Scratch::default()).to_vec();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert!(decoded(2, &bytes).is_err());
            prop_assert!(decoded(2, &bytes[..at]).is_err(), "cut off");
        }
    }
}
