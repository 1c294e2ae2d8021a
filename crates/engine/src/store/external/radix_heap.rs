//! The external radix heap: a queue for keys that never fall below the last one taken out.
//!
//! The bucket of a record is given by the highest digit in which its key differs from the last key
//! taken out, and by that digit of its key. So the least keys are all in the first bucket that is
//! not empty. When the queue comes to that bucket, its records move to buckets before it. No record
//! is compared with another, none moves back, and none moves more often than a key has digits.
//! Buckets are runs: appended to, and read once, in order.
//!
//! Digits have six bits. With single bits, as in the textbooks, records move several times as
//! often. With more bits, the buffers of all buckets take too much memory.

use std::io;

use super::disk::{Disk, FileClass};
use super::duplicates::Duplicates;
use super::run::RunWriter;
use super::{ExternalQueue, Receiver};
use crate::store::records::EntryShape;
use crate::store::saved::{Loader, Saver};

/// Bits of a digit.
const DIGIT: u32 = 6;
/// Number of digits, and one more for the last key itself.
const POSITIONS: usize = 1 + 64usize.div_ceil(DIGIT as usize);

/// Records, by the key in their first word.
#[derive(Debug)]
pub struct RadixHeap {
    buckets: Buckets,
    duplicates: Duplicates,
    /// Records of a block that move to other buckets.
    moving: Vec<u64>,
}

#[derive(Debug)]
struct Buckets {
    disk: Disk,
    shape: EntryShape,
    /// The last key taken out. No key is smaller.
    last: u64,
    /// By position and value of the digit: the least keys first.
    buckets: Vec<Option<Box<Bucket>>>,
    /// For each position, a bit for each bucket that exists.
    filled: [u64; POSITIONS],
}

#[derive(Debug)]
struct Bucket {
    records: RunWriter,
    least: u64,
}

impl Buckets {
    /// The number of the bucket of this key.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let Some(bit) = (key ^ self.last).checked_ilog2() else { return 0 };
        let position = bit / DIGIT;
        let digit = key >> (position * DIGIT) & ((1 << DIGIT) - 1);
        ((position as usize + 1) << DIGIT) + digit as usize
    }

    #[inline]
    fn bucket(&mut self, key: u64) -> &mut Bucket {
        debug_assert!(key >= self.last, "keys never fall");
        let place = self.place(key);
        let Self { disk, shape, buckets, filled, .. } = self;
        let bucket = buckets[place].get_or_insert_with(|| {
            filled[place >> DIGIT] |= 1 << (place & ((1 << DIGIT) - 1));
            Box::new(Bucket { records: RunWriter::new(disk, FileClass::Queue, *shape), least: key })
        });
        bucket.least = bucket.least.min(key);
        bucket
    }

    #[inline]
    fn push(&mut self, record: &[u64]) -> io::Result<()> {
        self.bucket(record[0]).records.push(record)
    }

    /// The number of the first bucket.
    fn first(&self) -> Option<usize> {
        let position = self.filled.iter().position(|buckets| *buckets != 0)?;
        Some((position << DIGIT) + self.filled[position].trailing_zeros() as usize)
    }

    fn take(&mut self, place: usize) -> Option<Box<Bucket>> {
        self.filled[place >> DIGIT] &= !(1 << (place & ((1 << DIGIT) - 1)));
        self.buckets[place].take()
    }
}

impl RadixHeap {
    /// An empty queue of records of this shape, which have keys. `memory` bytes are used to find
    /// duplicates.
    pub fn new(disk: &Disk, shape: EntryShape, memory: usize) -> io::Result<Self> {
        let buckets = std::iter::repeat_with(|| None).take(POSITIONS << DIGIT).collect();
        let buckets = Buckets { disk: disk.clone(), shape, last: 0, buckets, filled: [0; POSITIONS] };
        Ok(Self { buckets, duplicates: Duplicates::new(shape, memory)?, moving: Vec::new() })
    }

    fn runs(&self) -> impl Iterator<Item = &RunWriter> {
        let Buckets { buckets, filled, .. } = &self.buckets;
        let places = buckets.chunks(1 << DIGIT).zip(filled).filter(|(_, filled)| **filled != 0);
        places.flat_map(|(buckets, _)| buckets).flatten().map(|bucket| &bucket.records)
    }
}

impl ExternalQueue for RadixHeap {
    fn push(&mut self, record: &[u64]) -> io::Result<()> {
        self.buckets.push(record)
    }

    fn push_all(&mut self, key: u64, entries: &[u64]) -> io::Result<()> {
        self.buckets.bucket(key).records.push_all(key, entries)
    }

    fn first(&mut self) -> io::Result<Option<u64>> {
        let first = self.buckets.first().and_then(|place| self.buckets.buckets[place].as_ref());
        Ok(first.map(|bucket| bucket.least))
    }

    fn take(&mut self, key: u64, receiver: &mut dyn Receiver) -> io::Result<()> {
        let Self { buckets, duplicates, moving } = self;
        let Some(bucket) = buckets.first().and_then(|place| buckets.take(place)) else { return Ok(()) };
        debug_assert_eq!(bucket.least, key, "the least key is taken");
        buckets.last = key;
        let mut records = bucket.records.into_reader()?;
        let shape = buckets.shape;
        let mut is_first = true;
        while let Some(block) = records.next_block()? {
            moving.clear();
            let mut rest = block;
            while let Some(first) = rest.first() {
                let is_here = *first == key;
                let same = shape.words_while(rest, |record| (record[0] == key) == is_here);
                let (records, others) = rest.split_at(same);
                rest = others;
                if is_here { receiver.receive(records)? } else { moving.extend_from_slice(records) }
            }
            if moving.is_empty() {
                continue;
            }
            if std::mem::take(&mut is_first) {
                duplicates.clear()?;
            }
            duplicates.filter(
                moving,
                |record| {
                    if receiver.offer(record) { Ok(()) } else { buckets.push(record) }
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
        let places = self.buckets.buckets.capacity() * size_of::<Option<Box<Bucket>>>();
        let buckets = self.runs().map(|run| size_of::<Bucket>() + run.bytes()).sum::<usize>();
        places + buckets + self.duplicates.bytes() + self.moving.capacity() * 8
    }

    fn save(&self, to: &mut Saver) -> io::Result<()> {
        let filled = || {
            self.buckets.buckets.iter().enumerate().filter_map(|(place, one)| Some((place, one.as_ref()?)))
        };
        to.put(&(self.buckets.last, self.duplicates.habits(), filled().count()))?;
        filled().try_for_each(|(place, bucket)| {
            to.put(&(place, bucket.least))?;
            bucket.records.save(to)
        })
    }

    fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let (last, habits, count) = from.get()?;
        self.buckets.last = last;
        self.duplicates.set_habits(habits);
        for _ in 0usize..count {
            let (place, least): (usize, u64) = from.get()?;
            let records = RunWriter::load(&self.buckets.disk, FileClass::Queue, from)?;
            let bucket = self.buckets.buckets.get_mut(place);
            *bucket.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))? =
                Some(Box::new(Bucket { records, least }));
            self.buckets.filled[place >> DIGIT] |= 1 << (place & ((1 << DIGIT) - 1));
        }
        Ok(())
    }
}
