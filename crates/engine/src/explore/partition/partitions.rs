//! Partitions on disk: three runs each.

use std::io;

use crate::explore::observer::Record;
use crate::explore::origin::UNKNOWN;
use crate::store::external::disk::{Disk, FileClass};
use crate::store::external::run::{RunReader, RunWriter};

use super::function::{PartitionFunction, Test};

/// Records between two tests of how much memory they take.
const RECORDS_PER_LOOK: usize = 256;

/// The part of a partition that is not in memory.
#[derive(Debug)]
pub(super) struct Partition {
    /// States that were expanded.
    pub(super) visited: RunWriter,
    /// States that have a record number and wait to be expanded, with that number.
    pub(super) waiting: RunWriter,
    /// Successors found in other partitions, with their origins if wanted. Some of them may be
    /// known.
    pub(super) candidates: RunWriter,
}

impl Partition {
    fn bytes(&self) -> usize {
        self.visited.bytes() + self.waiting.bytes() + self.candidates.bytes()
    }

    /// Number of records that make it worth while to load the partition.
    fn queue(&self) -> u64 {
        self.waiting.records() + self.candidates.records()
    }
}

/// All partitions, with the function that tells them apart.
#[derive(Debug)]
pub(super) struct Partitions {
    disk: Disk,
    width: usize,
    /// Whether candidates carry their origins.
    origins: bool,
    function: PartitionFunction,
    all: Vec<Partition>,
    /// Scratch space for one record.
    record: Vec<u64>,
    /// Most bytes of records in memory, roughly.
    allowance: usize,
}

impl Partitions {
    /// One partition without states.
    pub(super) fn new(disk: &Disk, width: usize, origins: bool, allowance: usize) -> Self {
        let mut new = Self {
            disk: disk.clone(),
            width,
            origins,
            function: PartitionFunction::constant(),
            all: Vec::new(),
            record: Vec::new(),
            allowance,
        };
        new.all.push(new.partition());
        new
    }

    /// The same partitions without states, for another width.
    pub(super) fn of_width(&self, width: usize) -> Self {
        Self::new(&self.disk, width, self.origins, self.allowance)
    }

    fn partition(&self) -> Partition {
        let run = |class, more| RunWriter::new(&self.disk, class, self.width + more);
        Partition {
            visited: run(FileClass::Visited, 0),
            waiting: run(FileClass::Candidates, 1),
            candidates: run(FileClass::Candidates, usize::from(self.origins)),
        }
    }

    /// Words of a candidate.
    pub(super) fn stride(&self) -> usize {
        self.width + usize::from(self.origins)
    }

    /// Number of partitions.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The partition that the state belongs to.
    #[inline(always)]
    pub(super) fn of(&self, state: &[u64]) -> usize {
        self.function.partition(state)
    }

    pub(super) fn get(&self, number: usize) -> &Partition {
        &self.all[number]
    }

    /// Adds a state that was expanded.
    pub(super) fn keep(&mut self, state: &[u64]) -> io::Result<()> {
        let partition = self.of(state);
        self.all[partition].visited.push(state)
    }

    /// Adds a state that has a record number and waits to be expanded.
    pub(super) fn wait(&mut self, state: &[u64], record: Record) -> io::Result<()> {
        let partition = self.of(state);
        self.record.clear();
        self.record.extend_from_slice(state);
        self.record.push(record);
        self.all[partition].waiting.push(&self.record)
    }

    /// Adds a candidate.
    pub(super) fn send(&mut self, state: &[u64], origin: u64) -> io::Result<()> {
        let partition = self.of(state);
        self.record.clear();
        self.record.extend_from_slice(state);
        if self.origins {
            self.record.push(origin);
        }
        self.all[partition].candidates.push(&self.record)
    }

    /// The partition with the longest queue, if there is any.
    pub(super) fn longest_queue(&self) -> Option<usize> {
        let queues = self.all.iter().map(Partition::queue).enumerate();
        // The first, if several are as long.
        queues
            .rev()
            .max_by_key(|(_, length)| *length)
            .filter(|(_, length)| *length > 0)
            .map(|(number, _)| number)
    }

    /// Number of records that wait.
    pub(super) fn queued(&self) -> u64 {
        self.all.iter().map(Partition::queue).sum()
    }

    /// Whether no state is on disk.
    pub(super) fn are_empty(&self) -> bool {
        self.all.iter().all(|one| one.queue() + one.visited.records() == 0)
    }

    /// Takes out the states that wait in a partition, and returns its candidates.
    pub(super) fn take_queue(&mut self, number: usize) -> io::Result<RunReader> {
        let empty = self.partition();
        let one = &mut self.all[number];
        one.waiting = empty.waiting;
        std::mem::replace(&mut one.candidates, empty.candidates).into_reader()
    }

    /// Splits a partition, and returns its contents.
    pub(super) fn split(&mut self, number: usize, test: Test) -> Partition {
        self.function.split(number, test);
        let (one, other) = (self.partition(), self.partition());
        self.all.push(other);
        std::mem::replace(&mut self.all[number], one)
    }

    /// Adds all expanded states of a run.
    pub(super) fn keep_all(
        &mut self,
        mut visited: RunReader,
        stride: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let mut state = Vec::new();
        while let Some(block) = visited.next_block()? {
            for (number, record) in block.chunks_exact(stride).enumerate() {
                translate(record, &mut state);
                self.keep(&state[..self.width])?;
                self.look(number)?;
            }
        }
        Ok(())
    }

    /// Adds all states that wait of one run, and all candidates of another, of states of `width`
    /// words.
    pub(super) fn queue_all(
        &mut self,
        mut waiting: RunReader,
        candidates: RunReader,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let mut state = Vec::new();
        while let Some(block) = waiting.next_block()? {
            for (number, record) in block.chunks_exact(width + 1).enumerate() {
                translate(&record[..width], &mut state);
                self.wait(&state[..self.width], record[width])?;
                self.look(number)?;
            }
        }
        self.send_all(candidates, width, translate)
    }

    /// Adds all candidates of a run.
    pub(super) fn send_all(
        &mut self,
        mut candidates: RunReader,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let mut state = Vec::new();
        while let Some(block) = candidates.next_block()? {
            for (number, record) in block.chunks_exact(width + usize::from(self.origins)).enumerate() {
                translate(&record[..width], &mut state);
                self.send(&state[..self.width], record.get(width).copied().unwrap_or(UNKNOWN))?;
                self.look(number)?;
            }
        }
        Ok(())
    }

    /// Keeps memory small while many records are added; `number` is that of the record.
    pub(super) fn look(&mut self, number: usize) -> io::Result<()> {
        if number.is_multiple_of(RECORDS_PER_LOOK) { self.relieve() } else { Ok(()) }
    }

    /// Writes records to disk if they take too much memory.
    pub(super) fn relieve(&mut self) -> io::Result<()> {
        if self.buffered() <= self.allowance {
            return Ok(());
        }
        for one in &mut self.all {
            one.visited.write_out()?;
            one.waiting.write_out()?;
            one.candidates.write_out()?;
        }
        Ok(())
    }

    fn buffered(&self) -> usize {
        self.all.iter().map(Partition::bytes).sum()
    }

    /// Sets the bytes of memory that records may take.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.allowance = bytes;
    }

    /// Bytes of memory held, without the records.
    pub(super) fn fixed_bytes(&self) -> usize {
        self.all.capacity() * size_of::<Partition>() + self.function.bytes()
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.fixed_bytes() + self.buffered()
    }
}
