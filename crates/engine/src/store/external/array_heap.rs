//! The external array heap of Brengel, Crauser, Ferragina and Meyer, as Evangelista and Kristensen
//! (SPIN 2012) use it.
//!
//! New records gather in memory. When there are too many, the largest of them become a sorted run
//! on the first level. When a level is full, its runs are merged to one run on the next level. The
//! least record is the least among those in memory and the first ones of all runs. The papers say
//! that no record on disk is smaller than one in memory. That is false once a large record was
//! added while smaller ones were on disk. What holds: the unread part of a run is not smaller than
//! the part of it that is in memory.

use std::io;

use serde::Serialize;

use super::disk::{Disk, FileClass};
use super::merge::Merge;
use super::run::{RunReader, RunWriter};
use super::{ExternalQueue, Receiver};
use crate::store::records::EntryShape;
use crate::store::saved::{Loader, Saver};

/// Sizes of the parts of the heap.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Parameters {
    /// Most records in memory (T).
    pub in_memory: usize,
    /// Number of records that become a run (B).
    pub written: usize,
    /// Most runs of a level (μ); at least two.
    pub runs: usize,
}

impl Default for Parameters {
    /// The values of the paper.
    fn default() -> Self {
        Self { in_memory: 20_000, written: 10_000, runs: 10 }
    }
}

/// Records, by the key in their first word.
#[derive(Debug)]
pub struct ArrayHeap {
    disk: Disk,
    shape: EntryShape,
    parameters: Parameters,
    /// The records in memory, contiguous.
    inserted: Vec<u64>,
    /// Number of records in memory.
    count: usize,
    /// The least key of those.
    least: Option<u64>,
    levels: Vec<Vec<SortedRun>>,
}

#[derive(Debug)]
struct SortedRun {
    reader: RunReader,
    left: u64,
}

impl ArrayHeap {
    /// An empty queue of records of this shape, which have keys.
    pub fn new(disk: &Disk, shape: EntryShape, parameters: Parameters) -> Self {
        Self {
            disk: disk.clone(),
            shape,
            parameters,
            inserted: Vec::new(),
            count: 0,
            least: None,
            levels: Vec::new(),
        }
    }

    /// Writes the largest records in memory to a run of the first level.
    fn write_largest(&mut self) -> io::Result<()> {
        let mut records: Vec<&[u64]> = self.shape.entries(&self.inserted).collect();
        records.sort_unstable();
        let kept = records.len() - self.parameters.written.min(records.len());
        let mut run = RunWriter::new(&self.disk, FileClass::Queue, self.shape);
        let mut before: &[u64] = &[];
        for record in &records[kept..] {
            let identity = self.shape.identity(record);
            if std::mem::replace(&mut before, identity) != identity {
                run.push(record)?;
            }
        }
        (self.inserted, self.count) = (records[..kept].concat(), kept);
        self.least = self.shape.entries(&self.inserted).map(|record| record[0]).min();
        self.add(0, run)
    }

    /// Adds a run to a level. The runs of a full level are merged to the next.
    fn add(&mut self, level: usize, run: RunWriter) -> io::Result<()> {
        if self.levels.len() == level {
            self.levels.push(Vec::new());
        }
        let (left, reader) = (run.records(), run.into_reader()?);
        self.levels[level].retain(|run| run.left > 0);
        self.levels[level].push(SortedRun { reader, left });
        if self.levels[level].len() < self.parameters.runs.max(2) {
            return Ok(());
        }
        let runs = std::mem::take(&mut self.levels[level]);
        let mut merged = RunWriter::new(&self.disk, FileClass::Queue, self.shape);
        let mut merge = Merge::new(self.shape, runs.into_iter().map(|run| run.reader).collect());
        while let Some(record) = merge.next()? {
            merged.push(record)?;
        }
        self.add(level + 1, merged)
    }
}

impl ExternalQueue for ArrayHeap {
    fn push(&mut self, record: &[u64]) -> io::Result<()> {
        if self.count >= self.parameters.in_memory {
            self.write_largest()?;
        }
        self.inserted.extend_from_slice(record);
        self.count += 1;
        self.least = Some(self.least.map_or(record[0], |least| least.min(record[0])));
        Ok(())
    }

    fn push_all(&mut self, key: u64, entries: &[u64]) -> io::Result<()> {
        let mut record = Vec::new();
        self.shape.unkeyed().entries(entries).try_for_each(|entry| {
            record.clear();
            record.push(key);
            record.extend_from_slice(entry);
            self.push(&record)
        })
    }

    fn first(&mut self) -> io::Result<Option<u64>> {
        let mut first = self.least;
        for run in self.levels.iter_mut().flatten() {
            if let Some(record) = run.reader.peek()? {
                first = Some(first.map_or(record[0], |first| first.min(record[0])));
            }
        }
        Ok(first)
    }

    fn take(&mut self, key: u64, receiver: &mut dyn Receiver) -> io::Result<()> {
        if self.least == Some(key) {
            let mut kept = Vec::new();
            for record in self.shape.entries(&self.inserted) {
                if record[0] != key {
                    kept.extend_from_slice(record);
                } else {
                    receiver.receive(record)?;
                    self.count -= 1;
                }
            }
            self.inserted = kept;
            self.least = self.shape.entries(&self.inserted).map(|record| record[0]).min();
        }
        for run in self.levels.iter_mut().flatten() {
            while let Some(record) = run.reader.peek()?.filter(|record| record[0] == key) {
                receiver.receive(record)?;
                run.reader.advance();
                run.left -= 1;
            }
        }
        self.levels.iter_mut().for_each(|level| level.retain(|run| run.left > 0));
        Ok(())
    }

    fn restart(&mut self) {
        debug_assert_eq!(self.records(), 0, "nothing waits");
    }

    fn records(&self) -> u64 {
        let on_disk: u64 = self.levels.iter().flatten().map(|run| run.left).sum();
        on_disk + self.count as u64
    }

    fn in_memory(&self) -> u64 {
        let read: usize = self.levels.iter().flatten().map(|run| run.reader.in_memory()).sum();
        (self.count + read) as u64
    }

    fn bytes(&self) -> usize {
        let runs = self.levels.iter().flatten().map(|run| run.reader.bytes());
        runs.sum::<usize>() + self.inserted.capacity() * 8
    }

    fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&self.levels.iter().map(Vec::len).collect::<Vec<_>>())?;
        to.put(&self.least)?;
        to.put_words(&self.inserted)?;
        self.levels.iter().flatten().try_for_each(|run| {
            to.put(&run.left)?;
            run.reader.save_rest(to)
        })
    }

    fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let levels: Vec<usize> = from.get()?;
        self.least = from.get()?;
        self.inserted = from.get_words()?;
        self.count = self.shape.count(&self.inserted);
        let mut run = |_| {
            let left = from.get()?;
            Ok(SortedRun { reader: RunReader::load_rest(&self.disk, FileClass::Queue, from)?, left })
        };
        let mut level = |runs| (0..runs).map(&mut run).collect();
        self.levels = levels.into_iter().map(&mut level).collect::<io::Result<_>>()?;
        Ok(())
    }
}
