//! The external radix heap: a queue for keys that never fall below the last one taken out.
//!
//! A record lies in the bucket of the highest bit in which its key differs from the last key taken out. So the least keys are all in the first bucket that is not
//! empty, and when the queue comes to it, its records move to buckets before it; no record is compared with another, and none moves back. Buckets
//! are runs: appended to, read once, in order.

use std::io;

use super::ExternalQueue;
use super::disk::{Disk, FileClass};
use super::duplicates::Duplicates;
use super::run::RunWriter;

/// One for the last key itself, one for each bit.
const BUCKETS: usize = 65;

/// Records that wait, by the key in their first word.
#[derive(Debug)]
pub struct RadixHeap {
    buckets: Buckets,
    duplicates: Duplicates,
}

#[derive(Debug)]
struct Buckets {
    disk: Disk,
    stride: usize,
    /// No key is smaller.
    last: u64,
    buckets: [Option<Bucket>; BUCKETS],
}

#[derive(Debug)]
struct Bucket {
    records: RunWriter,
    least: u64,
}

impl Buckets {
    fn number(&self, key: u64) -> usize {
        (64 - (key ^ self.last).leading_zeros()) as usize
    }

    fn push(&mut self, record: &[u64]) -> io::Result<()> {
        let key = record[0];
        debug_assert!(key >= self.last, "keys never fall");
        let number = self.number(key);
        let bucket = self.buckets[number].get_or_insert_with(|| Bucket {
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
        let buckets = Buckets { disk: disk.clone(), stride, last: 0, buckets: std::array::from_fn(|_| None) };
        Ok(Self { buckets, duplicates: Duplicates::new(width + 1, memory)? })
    }

    fn runs(&self) -> impl Iterator<Item = &RunWriter> {
        self.buckets.buckets.iter().flatten().map(|bucket| &bucket.records)
    }
}

impl ExternalQueue for RadixHeap {
    fn push(&mut self, record: &[u64]) -> io::Result<()> {
        self.buckets.push(record)
    }

    fn first(&mut self) -> io::Result<Option<u64>> {
        Ok(self.buckets.buckets.iter().flatten().next().map(|bucket| bucket.least))
    }

    fn take(&mut self, key: u64, each: &mut dyn FnMut(&[u64]) -> io::Result<bool>) -> io::Result<()> {
        let Self { buckets, duplicates } = self;
        let number = buckets.number(key);
        let Some(bucket) = buckets.buckets[number].take() else { return Ok(()) };
        debug_assert!(
            bucket.least == key && buckets.buckets[..number].iter().all(Option::is_none),
            "the least key is taken"
        );
        buckets.last = key;
        let mut records = bucket.records.into_reader()?;
        duplicates.clear()?;
        let stride = buckets.stride;
        while let Some(block) = records.next_block()? {
            duplicates.filter(
                block,
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
