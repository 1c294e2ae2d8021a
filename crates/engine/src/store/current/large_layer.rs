//! A layer on disk that is larger than memory, with delayed duplicate detection.
//!
//! The states that were met are *closed*: sorted runs. States that wait to be expanded are in a run
//! of their own, in the order of their numbers, and come to memory some at a time. Their successors
//! inside the layer are *candidates*: it is not known yet whether they are closed. When all states
//! that waited are expanded, a round ends: candidates and closed states are read side by side, in
//! order. Candidates that are new become closed and wait for the next round. A round is a level of
//! a breadth-first search.

use std::io;

use crate::store::external::disk::{Disk, FileClass};
use crate::store::external::run::{RunReader, RunWriter};
use crate::store::external::sort::{Rows, SortedRuns, Sorter, join};
use crate::store::records::{EntryShape, RecordShape};
use crate::store::saved::{Loader, Saver};

/// Bytes for sorting states again when their layout changes.
const SORTED_IN_MEMORY: usize = 1 << 20;
/// Number of runs of candidates that are merged together.
const FAN: usize = 8;

/// The part of a layer that is on disk.
#[derive(Debug)]
pub struct LargeLayer {
    disk: Disk,
    shape: EntryShape,
    /// Shape of a candidate, with or without its origin.
    candidate: EntryShape,
    closed: SortedRuns,
    waiting: RunReader,
    waiting_left: u64,
    /// States that wait for the next round.
    next: RunWriter,
    candidates: SortedRuns,
}

impl LargeLayer {
    /// Without states. Those have this shape, and candidates have origins or not.
    pub fn new(disk: &Disk, shape: RecordShape, origins: bool) -> io::Result<Self> {
        let shape = EntryShape::of(shape);
        let candidate = shape.with_origin(origins);
        let writer = || RunWriter::new(disk, FileClass::Layer, shape);
        Ok(Self {
            disk: disk.clone(),
            shape,
            candidate,
            // Every round reads them: as few runs as possible.
            closed: SortedRuns::new(disk, FileClass::Layer, shape, 2),
            waiting: writer().into_reader()?,
            waiting_left: 0,
            next: writer(),
            candidates: SortedRuns::new(disk, FileClass::Layer, candidate, FAN),
        })
    }

    fn writer(&self) -> RunWriter {
        RunWriter::new(&self.disk, FileClass::Layer, self.shape)
    }

    /// Saves the layer.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.closed.save(to)?;
        self.candidates.save(to)?;
        to.put(&self.waiting_left)?;
        self.waiting.save_rest(to)?;
        self.next.save(to)
    }

    /// Loads a saved layer into this one, which is empty.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.closed.load(from)?;
        self.candidates.load(from)?;
        self.waiting_left = from.get()?;
        self.waiting = RunReader::load_rest(&self.disk, FileClass::Layer, from)?;
        self.next = RunWriter::load(&self.disk, FileClass::Layer, from)?;
        Ok(())
    }

    /// Closes these states, which differ from all closed ones.
    pub fn close(&mut self, states: &[u64]) -> io::Result<()> {
        let rows = Rows { states, shape: self.shape, origins: None };
        let run = rows.write_sorted(&self.disk, FileClass::Layer)?;
        self.closed.add(run)
    }

    /// Lets these closed states wait for this round, before all others.
    pub fn wait(&mut self, states: &[u64]) -> io::Result<()> {
        debug_assert_eq!(self.waiting_left, 0, "others wait already");
        let mut writer = self.writer();
        self.shape.entries(states).try_for_each(|state| writer.push(state))?;
        self.waiting_left = writer.records();
        self.waiting = writer.into_reader()?;
        Ok(())
    }

    /// Lets these closed states wait for the next round, before all others.
    pub fn wait_for_next(&mut self, states: &[u64]) -> io::Result<()> {
        self.shape.entries(states).try_for_each(|state| self.next.push(state))
    }

    /// Takes the next states of this round: at most `most`, and no more once they have `most_words`
    /// words.
    pub fn take_waiting(&mut self, most: usize, most_words: usize, words: &mut Vec<u64>) -> io::Result<()> {
        words.clear();
        let mut count = 0;
        while count < most
            && (count == 0 || words.len() < most_words)
            && let Some(state) = self.waiting.peek()?
        {
            words.extend_from_slice(state);
            count += 1;
            self.waiting.advance();
            self.waiting_left -= 1;
        }
        Ok(())
    }

    /// Whether no state of this round waits any more.
    pub fn is_round_over(&self) -> bool {
        self.waiting_left == 0
    }

    /// Adds candidates, which differ from each other, with their origins.
    pub fn propose(&mut self, states: &[u64], origins: &[u64]) -> io::Result<()> {
        if states.is_empty() {
            return Ok(());
        }
        let origins = self.candidate.has_origin().then_some(origins);
        let run = Rows { states, shape: self.shape, origins }.write_sorted(&self.disk, FileClass::Layer)?;
        self.candidates.add(run)
    }

    /// Ends a round. `each` gets the origins of the new candidates, in the order in which they wait
    /// for the next round. Returns the number of states that wait.
    pub fn next_round(&mut self, mut each: impl FnMut(Option<u64>)) -> io::Result<u64> {
        debug_assert_eq!(self.waiting_left, 0, "the round is over");
        let (shapes, empty) = ((self.shape, self.candidate), self.writer());
        let mut next = std::mem::replace(&mut self.next, empty);
        if !self.candidates.is_empty() {
            let mut candidates = self.candidates.take().merge();
            let mut new = self.writer();
            join(shapes, &mut self.closed.merge(), &mut candidates, |record, is_new| {
                if is_new {
                    let (_, candidate) = shapes;
                    each(candidate.origin_of(record));
                    new.push(candidate.state_of(record))?;
                    next.push(candidate.state_of(record))?;
                }
                Ok(())
            })?;
            self.closed.add(new.finish()?)?;
        }
        self.waiting_left = next.records();
        self.waiting = next.into_reader()?;
        Ok(self.waiting_left)
    }

    /// Number of closed states.
    pub fn closed(&self) -> u64 {
        self.closed.records()
    }

    /// Calls `each` with all closed states, in order.
    pub fn for_each_closed(&self, mut each: impl FnMut(&[u64]) -> io::Result<()>) -> io::Result<()> {
        let mut merge = self.closed.merge();
        while let Some(state) = merge.next()? {
            each(state)?;
        }
        Ok(())
    }

    /// Whether all states that were met are expanded.
    pub fn is_settled(&self) -> bool {
        self.waiting() == 0 && self.candidates.is_empty()
    }

    /// Number of states in memory.
    pub fn in_memory(&self) -> u64 {
        let runs = self.closed.in_memory() + self.candidates.in_memory();
        (runs + self.waiting.in_memory() + self.next.in_memory()) as u64
    }

    /// Number of states that wait, for this round or the next.
    pub fn waiting(&self) -> u64 {
        self.waiting_left + self.next.records()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let runs = self.closed.bytes() + self.candidates.bytes();
        runs + self.waiting.bytes() + self.next.bytes()
    }

    /// Gives all states another layout of `width` words.
    pub fn repack(
        &mut self,
        width: usize,
        mut translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let mut new = Self::new(&self.disk, RecordShape::Fixed(width), self.candidate.has_origin())?;
        let mut packed = Vec::new();
        let mut sort = |shape: EntryShape, old_runs: &SortedRuns, runs: &mut SortedRuns| {
            let mut sorter = Sorter::new(runs.take(), SORTED_IN_MEMORY);
            for mut reader in old_runs.readers() {
                while let Some(record) = reader.peek()? {
                    translate(shape.state_of(record), &mut packed);
                    packed.truncate(width);
                    packed.extend(shape.origin_of(record));
                    sorter.push(&packed)?;
                    reader.advance();
                }
            }
            runs.add(sorter.finish()?)
        };
        sort(self.shape, &self.closed, &mut new.closed)?;
        sort(self.candidate, &self.candidates, &mut new.candidates)?;
        let mut translated = |mut reader: RunReader| -> io::Result<RunWriter> {
            let mut writer = RunWriter::new(&self.disk, FileClass::Layer, new.shape);
            while let Some(state) = reader.peek()? {
                translate(state, &mut packed);
                writer.push(&packed[..width])?;
                reader.advance();
            }
            Ok(writer)
        };
        let none = || RunWriter::new(&self.disk, FileClass::Layer, self.shape);
        let waiting = translated(std::mem::replace(&mut self.waiting, none().into_reader()?))?;
        new.next = translated(std::mem::replace(&mut self.next, none()).into_reader()?)?;
        new.waiting_left = waiting.records();
        new.waiting = waiting.into_reader()?;
        *self = new;
        Ok(())
    }
}
