//! The trace log: for each stored state, the record number of its parent and the action that led to
//! it.
//!
//! The log is append-only, and read only after the search. Records are packed into two to three
//! bytes a state, in groups of seven bits. The parent is stored as a difference to the parent
//! before, because states of one parent come together. The action is stored as it is. Every 4096
//! records a new block begins, and the blocks' positions stay in memory, so one step of a trace
//! reads one block. The file has no name, so nothing is left on disk after the run ends in any way.
//! A log that fits into its buffer never becomes a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::explore::Record;
use crate::store::saved::{Loader, Saver};
use model::guarded_commands::ActionId;

/// Number of records in a block.
const BLOCK: u64 = 4096;
/// Bytes of the buffer.
const BUFFER: usize = 256 << 10;
/// The buffer is written when it has this many bytes. The rest is room for a block, which usually
/// takes less: without that room the buffer would double, for a few records.
const WRITTEN_FROM: usize = BUFFER - BLOCK as usize * 8;

/// A run as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRun {
    /// The number of the initial state, as the search received it.
    pub initial: ActionId,
    /// The steps from there.
    pub actions: Vec<ActionId>,
}

/// Parents and actions of all stored states.
#[derive(Debug)]
pub struct TraceLog {
    directory: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
    /// Number of bytes in the file.
    written: u64,
    /// Position of each block.
    blocks: Vec<u64>,
    records: u64,
    last_parent: u64,
    failure: Option<String>,
}

impl TraceLog {
    /// Creates an empty log. If it outgrows its buffer, it becomes a nameless file in `directory`.
    pub fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            file: None,
            buffer: Vec::with_capacity(4096),
            written: 0,
            blocks: Vec::new(),
            records: 0,
            last_parent: 0,
            failure: None,
        }
    }

    /// Appends the record of the next state. A state without a parent is an initial state.
    #[inline]
    pub fn append(&mut self, parent: Option<Record>, action: ActionId) {
        if self.records.is_multiple_of(BLOCK) {
            self.begin_block();
        }
        // No state is its own parent, so its own number stands for none.
        let parent = parent.unwrap_or(self.records);
        let difference = parent.wrapping_sub(self.last_parent) as i64;
        self.last_parent = parent;
        write_number(&mut self.buffer, (difference << 1 ^ difference >> 63) as u64);
        write_number(&mut self.buffer, u64::from(action.0));
        self.records += 1;
    }

    #[cold]
    fn begin_block(&mut self) {
        if self.buffer.len() >= WRITTEN_FROM
            && self.failure.is_none()
            && let Err(error) = self.flush()
        {
            self.failure = Some(format!("the trace log cannot be written: {error}"));
        }
        self.blocks.push(self.written + self.buffer.len() as u64);
        self.last_parent = 0;
    }

    fn flush(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(&self.directory)?),
        };
        file.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Saves all records.
    pub fn save(&mut self, to: &mut Saver) -> io::Result<()> {
        to.put(&(self.written, &self.blocks, self.records, self.last_parent))?;
        to.put_bytes(&self.buffer)?;
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(0))?;
            let mut bytes = vec![0; BUFFER];
            for start in (0..self.written).step_by(BUFFER) {
                let bytes = &mut bytes[..BUFFER.min((self.written - start) as usize)];
                file.read_exact(bytes)?;
                to.put_bytes(bytes)?;
            }
            file.seek(SeekFrom::End(0))?;
        }
        Ok(())
    }

    /// Loads saved records. This log must be empty.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let written: u64;
        (written, self.blocks, self.records, self.last_parent) = from.get()?;
        let buffer = from.get_bytes()?;
        while self.written < written {
            self.buffer = from.get_bytes()?;
            self.flush()?;
        }
        self.buffer = buffer;
        Ok(())
    }

    /// The run to this record.
    pub fn run_to(&mut self, mut record: Record) -> io::Result<LoggedRun> {
        let mut actions = Vec::new();
        let mut block = (u64::MAX, Vec::new());
        loop {
            if block.0 != record / BLOCK {
                block = (record / BLOCK, self.read_block(record / BLOCK)?);
            }
            let (parent, action) =
                BlockRecords::new(&block.1).nth((record % BLOCK) as usize).ok_or_else(damaged)?;
            if parent == record {
                actions.reverse();
                return Ok(LoggedRun { initial: action, actions });
            }
            actions.push(action);
            if parent > record {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a state is older than its parent"));
            }
            record = parent;
        }
    }

    /// Removes all records from this one on. `each` gets the parent and the action of each of them,
    /// in order.
    pub fn retract(
        &mut self,
        first: Record,
        mut each: impl FnMut(Option<Record>, ActionId),
    ) -> io::Result<()> {
        let mut end = (self.written + self.buffer.len() as u64, self.last_parent);
        for block in first / BLOCK..self.blocks.len() as u64 {
            let bytes = self.read_block(block)?;
            let mut records = BlockRecords::new(&bytes);
            for record in block * BLOCK..self.records.min((block + 1) * BLOCK) {
                if record == first {
                    end = (self.blocks[block as usize] + records.position() as u64, records.parent);
                }
                let (parent, action) = records.next().ok_or_else(damaged)?;
                if record >= first {
                    each(Some(parent).filter(|parent| *parent != record), action);
                }
            }
        }
        let (position, last_parent) = end;
        if position < self.written {
            if let Some(file) = &mut self.file {
                file.set_len(position)?;
                file.seek(SeekFrom::End(0))?;
            }
            self.written = position;
            self.buffer.clear();
        } else {
            self.buffer.truncate((position - self.written) as usize);
        }
        self.blocks.truncate(first.div_ceil(BLOCK) as usize);
        (self.records, self.last_parent) = (first.min(self.records), last_parent);
        Ok(())
    }

    fn read_block(&mut self, block: u64) -> io::Result<Vec<u8>> {
        let start = self.blocks[block as usize];
        let end =
            self.blocks.get(block as usize + 1).copied().unwrap_or(self.written + self.buffer.len() as u64);
        let mut bytes = vec![0; (end.min(self.written).saturating_sub(start)) as usize];
        if let Some(file) = &mut self.file
            && !bytes.is_empty()
        {
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut bytes)?;
            file.seek(SeekFrom::End(0))?;
        }
        if end > self.written {
            let from = start.max(self.written) - self.written;
            bytes.extend_from_slice(&self.buffer[from as usize..(end - self.written) as usize]);
        }
        Ok(bytes)
    }

    /// Bytes of memory held.
    pub fn bytes_held(&self) -> usize {
        self.buffer.capacity() + self.blocks.capacity() * 8
    }

    /// The reason why the log cannot be written, if there is one.
    pub fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    /// Bytes on disk.
    pub fn disk_bytes(&self) -> u64 {
        self.written
    }
}

#[inline]
fn write_number(buffer: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        buffer.push(number as u8 | 128);
        number >>= 7;
    }
    buffer.push(number as u8);
}

fn read_number(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.next()?;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the trace log is damaged")
}

/// Parents and actions of the records of a block, in order.
struct BlockRecords<'a> {
    block: &'a [u8],
    bytes: std::iter::Copied<std::slice::Iter<'a, u8>>,
    parent: u64,
}

impl<'a> BlockRecords<'a> {
    fn new(block: &'a [u8]) -> Self {
        Self { block, bytes: block.iter().copied(), parent: 0 }
    }

    /// Number of bytes of the records so far.
    fn position(&self) -> usize {
        self.block.len() - self.bytes.len()
    }
}

impl Iterator for BlockRecords<'_> {
    type Item = (u64, ActionId);

    fn next(&mut self) -> Option<Self::Item> {
        let coded = read_number(&mut self.bytes)?;
        self.parent = self.parent.wrapping_add((coded >> 1) ^ (coded & 1).wrapping_neg());
        let action = read_number(&mut self.bytes)?;
        Some((self.parent, ActionId(u32::try_from(action).ok()?)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check_chains(parents: &[Option<u64>]) {
        let mut log = TraceLog::new(std::env::temp_dir());
        for (record, &parent) in parents.iter().enumerate() {
            log.append(parent, ActionId(record as u32 * 7 % 1000));
        }
        for record in (0..parents.len()).step_by(parents.len() / 50 + 1) {
            let mut expected = Vec::new();
            let mut at = record;
            while let Some(parent) = parents[at] {
                expected.push(ActionId(at as u32 * 7 % 1000));
                at = parent as usize;
            }
            expected.reverse();
            let initial = ActionId(at as u32 * 7 % 1000);
            assert_eq!(log.run_to(record as u64).unwrap(), LoggedRun { initial, actions: expected });
        }
    }

    proptest! {
        #[test]
        fn chains_come_back(picks in prop::collection::vec(any::<u32>(), 1..3000)) {
            let parents: Vec<Option<u64>> = picks
                .iter()
                .enumerate()
                .map(|(i, &pick)| (i > 0).then(|| u64::from(pick) % i.max(1) as u64))
                .collect();
            check_chains(&parents);
        }
    }

    /// A log that loses its last records and gets them again is the same log.
    #[test]
    fn records_that_are_retracted_can_be_appended_again() {
        let parent = |record: u64| (record > 2).then_some(record / 3);
        let action = |record: u64| ActionId((record * 7 % 1000) as u32);
        for (records, first) in [
            (10u64, 4u64),
            (10, 10),
            (5000, 0),
            (5000, 4096),
            (9000, 4095),
            (9000, 8192),
            (400_000, 399_000),
            (400_000, 100_001),
            (400_000, 4096 * 50),
            (400_000, 400_000),
        ] {
            let mut log = TraceLog::new(std::env::temp_dir());
            (0..records).for_each(|record| log.append(parent(record), action(record)));
            let mut retracted = Vec::new();
            log.retract(first, |parent, action| retracted.push((parent, action))).unwrap();
            let expected: Vec<_> = (first..records).map(|record| (parent(record), action(record))).collect();
            assert_eq!(retracted, expected, "{records} records from {first} on");
            retracted.into_iter().for_each(|(parent, action)| log.append(parent, action));
            for record in
                [0, first.saturating_sub(1), first, records - 1].into_iter().filter(|one| *one < records)
            {
                let mut expected = Vec::new();
                let mut at = record;
                while let Some(parent) = parent(at) {
                    expected.push(action(at));
                    at = parent;
                }
                expected.reverse();
                let run = log.run_to(record).unwrap();
                assert_eq!(run, LoggedRun { initial: action(at), actions: expected }, "{records}, {first}");
            }
        }
    }

    #[test]
    fn a_log_larger_than_its_buffer_goes_to_disk_and_is_small() {
        let parents: Vec<Option<u64>> = (0..400_000u64).map(|i| i.checked_sub(1).map(|i| i / 2)).collect();
        check_chains(&parents);
        let mut log = TraceLog::new(std::env::temp_dir());
        parents.iter().for_each(|&parent| log.append(parent, ActionId(3)));
        assert!(log.disk_bytes() > 0 && log.disk_bytes() < 3 * 400_000);
    }

    #[test]
    fn a_directory_that_does_not_exist_is_a_failure_not_a_crash() {
        let mut log = TraceLog::new("/nonexistent/directory".into());
        (0..400_000).for_each(|i| log.append(Some(i), ActionId(0)));
        assert!(log.failure().unwrap().contains("trace log"));
    }
}
