//! The external radix heap: a queue for keys that never fall below the last one taken out.
//!
//! A record lies in a bucket that is given by the highest digit in which its key differs from the last key taken out, and by that digit of its key. So
//! the least keys are all in the first bucket that is not empty, and when the queue comes to it, its records move to buckets before it; no record is
//! compared with another, and none moves back, nor more often than a key has digits. Buckets are runs: appended to, read once, in order.
//!
//! Digits of four bits: with single bits, as in the textbooks, records of a queue whose keys lie far apart moved three times as often.

use std::collections::BTreeMap;
use std::io;

use super::ExternalQueue;
use super::disk::{Disk, FileClass};
use super::duplicates::Duplicates;
use super::run::RunWriter;

/// Bits of a digit.
const DIGIT: u32 = 4;

/// Records that wait, by the key in their first word.
#[derive(Debug)]
pub struct RadixHeap {
    buckets: Buckets,
    duplicates: Duplicates,
    /// Records of a block that go on to other buckets.
    moving: Vec<u64>,
}

#[derive(Debug)]
struct Buckets {
    disk: Disk,
    stride: usize,
    /// No key is smaller.
    last: u64,
    /// By position and value of the digit: the least keys first.
    buckets: BTreeMap<(u32, u64), Bucket>,
}

#[derive(Debug)]
struct Bucket {
    records: RunWriter,
    least: u64,
}

impl Buckets {
    /// The bucket of this key.
    fn place(&self, key: u64) -> (u32, u64) {
        let differing = key ^ self.last;
        let position = differing.checked_ilog2().map_or(0, |bit| 1 + bit / DIGIT);
        let digit = match position {
            0 => 0,
            position => key >> ((position - 1) * DIGIT) & ((1 << DIGIT) - 1),
        };
        (position, digit)
    }

    fn push(&mut self, record: &[u64]) -> io::Result<()> {
        let key = record[0];
        debug_assert!(key >= self.last, "keys never fall");
        let bucket = self.buckets.entry(self.place(key)).or_insert_with(|| Bucket {
            records: RunWriter::new(&self.disk, FileClass::Queue, self.stride),
            least: key,
        });
        bucket.least = bucket.least.min(key);
        bucket.records.push(record)
    }
}

impl RadixHeap {
    /// An empty queue of records whose first `width + 1` words, key and state, say whether they are the same; there may be more. `memory` is for
    /// finding duplicates.
    pub fn new(disk: &Disk, width: usize, stride: usize, memory: usize) -> io::Result<Self> {
        let buckets = Buckets { disk: disk.clone(), stride, last: 0, buckets: BTreeMap::new() };
        Ok(Self { buckets, duplicates: Duplicates::new(width + 1, memory)?, moving: Vec::new() })
    }

    fn runs(&self) -> impl Iterator<Item = &RunWriter> {
        self.buckets.buckets.values().map(|bucket| &bucket.records)
    }
}

impl ExternalQueue for RadixHeap {
    fn push(&mut self, record: &[u64]) -> io::Result<()> {
        self.buckets.push(record)
    }

    fn first(&mut self) -> io::Result<Option<u64>> {
        Ok(self.buckets.buckets.first_key_value().map(|(_, bucket)| bucket.least))
    }

    fn take(&mut self, key: u64, each: &mut dyn FnMut(&[u64]) -> io::Result<bool>) -> io::Result<()> {
        let Self { buckets, duplicates, moving } = self;
        let Some((_, bucket)) = buckets.buckets.pop_first() else { return Ok(()) };
        debug_assert_eq!(bucket.least, key, "the least key is taken");
        buckets.last = key;
        let mut records = bucket.records.into_reader()?;
        let stride = buckets.stride;
        let mut is_first = true;
        while let Some(block) = records.next_block()? {
            moving.clear();
            for record in block.chunks_exact(stride) {
                if record[0] != key {
                    moving.extend_from_slice(record);
                } else {
                    each(record)?;
                }
            }
            if moving.is_empty() {
                continue;
            }
            if std::mem::take(&mut is_first) {
                duplicates.clear()?;
            }
            duplicates.filter(
                moving,
                stride,
                |record| {
                    if each(record)? { Ok(()) } else { buckets.push(record) }
                },
            )?;
        }
        Ok(())
    }

    fn restart(&mut self) {
        debug_assert_eq!(self.records(), 0, "nothing waits");
        self.buckets.last = 0;
    }

    fn records(&self) -> u64 {
        self.runs().map(RunWriter::records).sum()
    }

    fn in_memory(&self) -> u64 {
        self.runs().map(|run| run.in_memory() as u64).sum()
    }

    fn bytes(&self) -> usize {
        self.runs().map(RunWriter::bytes).sum::<usize>() + self.duplicates.bytes()
    }
}
