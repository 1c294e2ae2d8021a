//! Blocks of records on their way to disk and back.
//!
//! A block is written column by column: the first words of all records, then the second words. Of a
//! column, only the bytes in which its words differ are written. Neighbours in sorted blocks are
//! alike, so there the columns hold differences between neighbours, and are compressed. A checksum
//! detects a damaged block.
//!
//! Columns of records of varying length are ragged: the n-th column has a word of each record that
//! has n words or more. The columns up to the heads are complete, and the heads tell a reader how
//! long the others are. So short records do not pay for long ones.

use std::io;

use crate::store::hash::hash_state;
use crate::store::records::{EntryShape, LENGTH_BITS};

/// Bytes of the head: checksum of the rest, number of words, bytes after the head, and bytes before
/// compression.
const HEAD: usize = 20;
/// Flag in the number of words: columns hold differences.
const DIFFERENCES: u32 = 1 << 31;
/// Approximate number of words of a block whose records are not long, or vary in length.
const WORDS: usize = 2048;
/// Least number of records of a block, because each block has a fixed cost.
const RECORDS: usize = 256;
/// Most words of a record, where lengths vary.
const LONGEST: usize = (1 << LENGTH_BITS) + 8;

/// Contiguous records.
#[derive(Clone, Debug)]
pub struct Block {
    words: Vec<u64>,
    records: usize,
    shape: EntryShape,
    /// Words of a full block. Kept because it is needed for every record and takes a division to
    /// compute.
    full: usize,
}

/// Scratch space for the bytes of a block.
#[derive(Debug, Default)]
pub struct Scratch {
    rows: Vec<u8>,
    bytes: Vec<u8>,
    column: Vec<u64>,
    /// Start and end of each record, where lengths vary.
    records: Vec<(u32, u32)>,
}

impl Scratch {
    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let bytes = self.rows.capacity() + self.bytes.capacity();
        bytes + (self.column.capacity() + self.records.capacity()) * 8
    }
}

impl Block {
    /// An empty block for records of this shape.
    pub fn new(shape: EntryShape) -> Self {
        Self::from_words(Vec::new(), shape)
    }

    /// An empty block with memory for as many records as fit.
    pub fn to_be_filled(shape: EntryShape) -> Self {
        let mut block = Self::new(shape);
        block.words.reserve_exact(block.full);
        block
    }

    /// Number of words of a full block of records of this shape.
    fn full(shape: EntryShape) -> usize {
        shape.stride().map_or(WORDS, |stride| Self::capacity(stride) * stride)
    }

    /// Number of records in a full block of records of `stride` words.
    pub fn capacity(stride: usize) -> usize {
        WORDS.checked_div(stride).unwrap_or(WORDS).max(RECORDS)
    }

    /// Number of records in a full block of records of this shape; an estimate where lengths vary.
    pub fn estimated_capacity(shape: EntryShape) -> usize {
        shape.stride().map_or(RECORDS, Self::capacity)
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.records
    }

    /// Whether the block must be written before another record is added.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.words.len() >= self.full
    }

    /// The records, contiguous.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Appends a record.
    #[inline]
    pub fn push(&mut self, record: &[u64]) {
        debug_assert_eq!(record.len(), self.shape.len_of(record), "a record is as long as its shape says");
        self.words.extend_from_slice(record);
        self.records += 1;
    }

    /// A block of these contiguous records.
    pub fn from_words(words: Vec<u64>, shape: EntryShape) -> Self {
        Self { records: shape.count(&words), words, shape, full: Self::full(shape) }
    }

    /// Appends a record that consists of this first word and the others.
    #[inline]
    pub fn push_parts(&mut self, first: u64, others: &[u64]) {
        self.words.push(first);
        self.words.extend_from_slice(others);
        self.records += 1;
    }

    /// Frees memory that no record takes: none will be added.
    pub fn shrink(&mut self) {
        self.words.shrink_to_fit();
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// Encodes the block.
    pub fn encode<'s>(&self, is_sorted: bool, scratch: &'s mut Scratch) -> &'s [u8] {
        let Scratch { rows, bytes, column, records } = scratch;
        rows.clear();
        let write = |column: &mut Vec<u64>, rows: &mut Vec<u8>| {
            if is_sorted {
                for record in (1..column.len()).rev() {
                    column[record] ^= column[record - 1];
                }
            }
            write_column(column, rows);
        };
        if let Some(stride) = self.shape.stride() {
            for word in 0..stride {
                column.clear();
                column.extend(self.words.iter().skip(word).step_by(stride));
                write(column, rows);
            }
        } else {
            rows.extend_from_slice(&(self.records as u32).to_le_bytes());
            records.clear();
            let mut start = 0;
            for record in self.shape.entries(&self.words) {
                records.push((start, start + record.len() as u32));
                start += record.len() as u32;
            }
            while !records.is_empty() {
                column.clear();
                column.extend(records.iter().map(|(next, _)| self.words[*next as usize]));
                write(column, rows);
                records.retain_mut(|(next, end)| {
                    *next += 1;
                    next < end
                });
            }
        }
        bytes.clear();
        bytes.resize(HEAD, 0);
        if is_sorted {
            bytes.resize(HEAD + lz4_flex::block::get_maximum_output_size(rows.len()), 0);
            // The output is large enough for any input.
            let size = lz4_flex::block::compress_into(rows, &mut bytes[HEAD..]).unwrap_or(usize::MAX);
            bytes.truncate(HEAD + size.min(rows.len()));
        }
        // Equal sizes mean: not compressed.
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

    /// Reads a block that takes `size` bytes.
    pub fn decode(
        &mut self,
        scratch: &mut Scratch,
        size: usize,
        read: impl FnOnce(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let Scratch { rows, bytes, column, records } = scratch;
        bytes.resize(size, 0);
        read(bytes)?;
        self.decoded(bytes, rows, (column, records))
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a file is damaged"))
    }

    fn decoded(
        &mut self,
        bytes: &[u8],
        rows: &mut Vec<u8>,
        (column, records): (&mut Vec<u64>, &mut Vec<(u32, u32)>),
    ) -> Option<()> {
        let (sum, rest) = bytes.split_first_chunk::<8>()?;
        if checksum(rest) != u64::from_le_bytes(*sum) {
            return None;
        }
        let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let (words, behind, plain) = (number(8)?, number(12)? as usize, number(16)? as usize);
        let is_sorted = words & DIFFERENCES != 0;
        let words = (words & !DIFFERENCES) as usize;
        let bytes = bytes.get(HEAD..)?;
        let stride = self.shape.stride();
        let is_whole = match stride {
            Some(stride) => words <= self.full && words.is_multiple_of(stride),
            None => words < self.full + LONGEST,
        };
        // A column has ten bytes before the bytes of its words.
        let most = words * 8 + stride.unwrap_or(words) * 10 + 4;
        if words == 0 || !is_whole || bytes.len() != behind || plain > most {
            return None;
        }
        let rows = if behind == plain {
            bytes
        } else {
            rows.resize(plain, 0);
            let size = lz4_flex::block::decompress_into(bytes, rows).ok()?;
            rows.get(..size).filter(|_| size == plain)?
        };
        self.words.clear();
        // A long record makes a long block. Its memory is not kept for the short ones that follow.
        self.words.shrink_to(self.full.max(words));
        self.words.reserve_exact(words);
        self.words.resize(words, 0);
        let Some(stride) = stride else {
            return self.decode_ragged(rows, is_sorted, column, records);
        };
        self.records = words / stride;
        let mut rows = rows;
        for word in 0..stride {
            rows = read_column(rows, self.records, &mut self.words[word..], stride)?;
        }
        if is_sorted {
            for at in stride..words {
                self.words[at] ^= self.words[at - stride];
            }
        }
        rows.is_empty().then_some(())
    }

    /// Decodes ragged columns. `self.words` has the right number of words.
    fn decode_ragged(
        &mut self,
        rows: &[u8],
        is_sorted: bool,
        column: &mut Vec<u64>,
        records: &mut Vec<(u32, u32)>,
    ) -> Option<()> {
        let (count, mut rows) = rows.split_first_chunk::<4>()?;
        self.records = u32::from_le_bytes(*count) as usize;
        let words = self.words.len();
        if self.records == 0 || self.records * self.shape.least_words() > words {
            return None;
        }
        let mut read = |records: usize, column: &mut Vec<u64>| {
            column.clear();
            column.resize(records, 0);
            rows = read_column(rows, records, column, 1)?;
            if is_sorted {
                for record in 1..records {
                    column[record] ^= column[record - 1];
                }
            }
            Some(())
        };
        // The complete columns, up to the heads, which tell where records begin.
        let (mut firsts, heads) = (Vec::new(), self.shape.head());
        for _ in 0..=heads {
            read(self.records, column)?;
            firsts.extend_from_slice(column);
        }
        records.clear();
        let mut start = 0;
        for number in 0..self.records {
            let record: [u64; 2] = std::array::from_fn(|word| {
                firsts.get(word * self.records + number).copied().unwrap_or_default()
            });
            let end = start + self.shape.len_of(&record);
            // No record ends before its head does.
            if end > words || end <= start + heads {
                return None;
            }
            self.words[start..=start + heads].copy_from_slice(&record[..=heads]);
            records.push(((start + heads) as u32, end as u32));
            start = end;
        }
        if start != words {
            return None;
        }
        let advance = |(next, end): &mut (u32, u32)| {
            *next += 1;
            *next < *end
        };
        records.retain_mut(advance);
        while !records.is_empty() {
            read(records.len(), column)?;
            for ((next, _), word) in records.iter().zip(column.iter()) {
                self.words[*next as usize] = *word;
            }
            records.retain_mut(advance);
        }
        rows.is_empty().then_some(())
    }
}

/// Appends a column: its first word, which bytes differ from it in other words, and these bytes of
/// all words.
fn write_column(column: &[u64], rows: &mut Vec<u8>) {
    let first = column.first().copied().unwrap_or(0);
    let differing = column.iter().fold(0, |differing, word| differing | (word ^ first));
    let low = if differing == 0 { 0 } else { differing.trailing_zeros() / 8 };
    let bytes = ((64 - differing.leading_zeros()).div_ceil(8) - low) as usize;
    rows.extend_from_slice(&[low as u8, bytes as u8]);
    rows.extend_from_slice(&first.to_le_bytes());
    let start = rows.len();
    // Each word writes eight bytes, and the next word overwrites those that it does not need.
    rows.resize(start + column.len() * bytes + 8, 0);
    for (number, word) in column.iter().enumerate() {
        let at = start + number * bytes;
        rows[at..at + 8].copy_from_slice(&(word >> (8 * low)).to_le_bytes());
    }
    rows.truncate(start + column.len() * bytes);
}

/// Reads a column of `records` words to every `stride`-th word. Returns the remaining columns.
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
    // Reads eight bytes at a time while there are as many.
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

/// A checksum of bytes.
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
    use crate::store::records::RecordShape;

    fn decoded(shape: EntryShape, bytes: &[u8]) -> io::Result<Block> {
        let mut block = Block::new(shape);
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
            let mut block = Block::new(EntryShape::words(stride));
            for record in records {
                let word = |word: u64| if alike { record % 16 + word } else { record.wrapping_mul(word + 1) };
                block.push(&(0..stride as u64).map(word).collect::<Vec<_>>());
            }
            let mut scratch = Scratch::default();
            let bytes = block.encode(is_sorted, &mut scratch).to_vec();
            let back = decoded(EntryShape::words(stride), &bytes).unwrap();
            prop_assert_eq!(back.words(), block.words());
            prop_assert_eq!(back.records(), block.records());
        }

        #[test]
        fn a_block_of_varying_records_comes_back_as_it_went(
            lengths in prop::collection::vec((1..9u64, any::<u64>()), 1..300), long in 0..400usize,
            is_keyed: bool, has_origin: bool, is_sorted: bool,
        ) {
            let shape = EntryShape::of(RecordShape::Prefixed).with_origin(has_origin);
            let shape = if is_keyed { shape.keyed() } else { shape };
            let mut block = Block::new(shape);
            for (number, (len, payload)) in lengths.into_iter().enumerate() {
                let len = if number == long { 60_000 } else { len };
                let key = is_keyed.then_some(payload % 5);
                let state = [payload << 16 | len].into_iter().chain((1..len).map(|word| payload % (word * 1000 + 1)));
                let record: Vec<u64> = key.into_iter().chain(state).chain(has_origin.then_some(payload)).collect();
                block.push(&record);
            }
            let mut scratch = Scratch::default();
            let bytes = block.encode(is_sorted, &mut scratch).to_vec();
            let back = decoded(shape, &bytes).unwrap();
            prop_assert!(back.words() == block.words());
            prop_assert_eq!(back.records(), block.records());
        }

        #[test]
        fn a_damaged_block_is_noticed(at in 0..4096usize, bit in 0..8u32, is_sorted: bool) {
            let (fixed, varying) = (EntryShape::words(2), EntryShape::of(RecordShape::Prefixed));
            let (mut one, mut other) = (Block::new(fixed), Block::new(varying));
            (0..300u64).for_each(|number| one.push(&[number / 7, number * number]));
            (0..300u64).for_each(|number| other.push(&[number << 16 | 2, number * number]));
            for (shape, block) in [(fixed, one), (varying, other)] {
                let mut bytes = block.encode(is_sorted, &mut Scratch::default()).to_vec();
                let at = at % bytes.len();
                bytes[at] ^= 1 << bit;
                prop_assert!(decoded(shape, &bytes).is_err());
                prop_assert!(decoded(shape, &bytes[..at]).is_err(), "cut off");
            }
        }
    }
}
