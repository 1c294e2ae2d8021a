//! External memory: records in files, and queues made of them.
//!
//! [`disk`] owns the files and counts what is written and read. A [`run`] is a row of records that
//! is written once and read in order. Both queues consist of runs.

pub mod array_heap;
pub mod block;
pub mod disk;
mod duplicates;
pub mod merge;
pub mod radix_heap;
pub mod run;
pub mod sort;

use std::io;

use crate::store::saved::{Loader, Saver};

/// A queue of records on disk. The first word of a record is its key. No key is smaller than the
/// last one taken out.
pub trait ExternalQueue: std::fmt::Debug + Send {
    /// Adds a record.
    fn push(&mut self, record: &[u64]) -> io::Result<()>;

    /// Adds the records of `entries`, which are contiguous and lack the key; all have the key
    /// `key`.
    fn push_all(&mut self, key: u64, entries: &[u64]) -> io::Result<()>;

    /// The least key.
    fn first(&mut self) -> io::Result<Option<u64>>;

    /// Takes out all records of the least key, `key`, and passes them to the receiver. Most
    /// duplicates are dropped on the way. The queue may offer records of the next keys to the
    /// receiver, one by one.
    fn take(&mut self, key: u64, receiver: &mut dyn Receiver) -> io::Result<()>;

    /// Resets the keys: any key may follow. The queue is empty.
    fn restart(&mut self);

    /// Number of records, in memory and on disk.
    fn records(&self) -> u64;

    /// Number of records in memory.
    fn in_memory(&self) -> u64;

    /// Bytes of memory held.
    fn bytes(&self) -> usize;

    /// Saves the queue.
    fn save(&self, to: &mut Saver) -> io::Result<()>;

    /// Loads a saved queue into this one, which is empty.
    fn load(&mut self, from: &mut Loader) -> io::Result<()>;
}

/// A consumer of records that are taken out of a queue.
pub trait Receiver {
    /// Takes some records of the key that was asked for. They are contiguous.
    fn receive(&mut self, records: &[u64]) -> io::Result<()>;

    /// Is offered a record of another key. Returns whether it takes the record.
    fn offer(&mut self, record: &[u64]) -> bool;
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::array_heap::{ArrayHeap, Parameters};
    use super::disk::{Disk, FileClass};
    use super::radix_heap::RadixHeap;
    use super::*;
    use crate::store::records::{EntryShape, RecordShape};

    fn disk() -> Disk {
        Disk::new(&std::env::temp_dir(), u64::MAX)
    }

    /// A state of one word. Records have a key before it and a word behind it.
    const FIXED: RecordShape = RecordShape::Fixed(1);

    fn shape(state: RecordShape) -> EntryShape {
        EntryShape::of(state).keyed().with_origin(true)
    }

    /// A record with this state. Its number is in the upper bits of a word. Where lengths vary, up
    /// to six words follow.
    fn record(shape: RecordShape, key: u64, state: u64) -> Vec<u64> {
        let len = if shape == FIXED { 1 } else { 1 + state % 7 };
        let head = if shape == FIXED { state << 16 } else { state << 16 | len };
        [key, head].into_iter().chain((1..len).map(|word| state ^ word)).chain([state + 1]).collect()
    }

    fn queues(disk: &Disk, state: RecordShape) -> Vec<Box<dyn ExternalQueue>> {
        let tiny = Parameters { in_memory: 7, written: 4, runs: 3 };
        let shape = shape(state);
        let heap = |parameters| Box::new(ArrayHeap::new(disk, shape, parameters)) as Box<dyn ExternalQueue>;
        let radix = |memory| Box::new(RadixHeap::new(disk, shape, memory).unwrap()) as Box<dyn ExternalQueue>;
        vec![heap(tiny), heap(Parameters::default()), radix(100), radix(1 << 20)]
    }

    struct Taken {
        shape: RecordShape,
        key: u64,
        states: BTreeSet<u64>,
    }

    impl Receiver for Taken {
        fn receive(&mut self, records: &[u64]) -> io::Result<()> {
            for one in shape(self.shape).entries(records) {
                assert_eq!(one, record(self.shape, self.key, one[1] >> 16), "a record is whole");
                self.states.insert(one[1] >> 16);
            }
            Ok(())
        }

        fn offer(&mut self, one: &[u64]) -> bool {
            assert!(one[0] > self.key);
            assert_eq!(one, record(self.shape, one[0], one[1] >> 16), "a record is whole");
            false
        }
    }

    /// Takes the first layer out of both, and compares them.
    fn compare_first(
        queue: &mut dyn ExternalQueue,
        model: &mut BTreeMap<u64, BTreeSet<u64>>,
        shape: RecordShape,
    ) -> Option<u64> {
        let expected = model.pop_first();
        assert_eq!(queue.first().unwrap(), expected.as_ref().map(|(key, _)| *key));
        let (key, expected) = expected?;
        let mut taken = Taken { shape, key, states: BTreeSet::new() };
        queue.take(key, &mut taken).unwrap();
        assert_eq!(taken.states, expected);
        Some(key)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Compares both queues with a map of sets: random keys that never fall below the last one,
        /// with layers taken out in between.
        #[test]
        fn layers_come_in_order_and_whole(
            steps in prop::collection::vec((0..1u64 << 40, 0..60u64, any::<u8>()), 0..400), shift in 0..40u32,
        ) {
            for (shape, mut queue) in [FIXED, RecordShape::Prefixed].into_iter().flat_map(|shape| {
                queues(&disk(), shape).into_iter().map(move |queue| (shape, queue))
            }) {
                let mut model: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
                let mut last = 0;
                for &(ahead, state, choice) in &steps {
                    if choice < 40 {
                        last = compare_first(&mut *queue, &mut model, shape).unwrap_or(last);
                    } else {
                        let key = last + (ahead >> shift);
                        queue.push(&record(shape, key, state)).unwrap();
                        model.entry(key).or_default().insert(state);
                    }
                }
                while compare_first(&mut *queue, &mut model, shape).is_some() {}
                prop_assert_eq!(queue.records(), 0);
                queue.restart();
            }
        }
    }

    #[test]
    fn many_records_become_files_and_go_again() {
        let disk = disk();
        for (shape, mut queue) in [FIXED, RecordShape::Prefixed]
            .into_iter()
            .flat_map(|shape| queues(&disk, shape).into_iter().map(move |queue| (shape, queue)))
        {
            let before = disk.count(FileClass::Queue);
            let mut model: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for number in 0..60_000u64 {
                let (key, state) = (number * 7919 % 500, number % 30_000);
                queue.push(&record(shape, key, state)).unwrap();
                model.entry(key).or_default().insert(state);
            }
            assert!(queue.bytes() < 8 << 20, "{}", queue.bytes());
            while compare_first(&mut *queue, &mut model, shape).is_some() {}
            let after = disk.count(FileClass::Queue);
            assert!(after.written > before.written, "files were written");
            assert_eq!(after.written - before.written, after.read - before.read, "and all of them was read");
            let most = if shape == FIXED { 24 } else { 48 };
            assert!(after.bytes_written - before.bytes_written < most * (after.written - before.written));
        }
        assert!(disk.bytes() > 0);
    }

    #[test]
    fn a_limit_of_the_disk_is_an_error_and_not_a_loss() {
        let disk = Disk::new(&std::env::temp_dir(), 100_000);
        let mut queue = RadixHeap::new(&disk, shape(FIXED), 0).unwrap();
        let mut random = model::random::Random::new(1);
        let pushed = (0..1_000_000).try_for_each(|_| {
            let state = random.below(usize::MAX) as u64;
            queue.push(&[state >> 3, state, state + 1])
        });
        assert_eq!(pushed.unwrap_err().kind(), io::ErrorKind::QuotaExceeded);
    }
}
