//! A layer that is larger than memory, on disk: duplicates are found late, all at once.
//!
//! The states that were met are *closed*: sorted runs. Those that wait to be expanded lie in a file of their own, in the order of their
//! numbers. They come to memory some at a time; what they lead to inside the layer are *candidates*, of which nobody knows yet whether they are
//! closed. When all that waited are expanded, a round ends: candidates and closed states are read side by side, in order, and the candidates
//! that are new are closed from then on, and wait for the next round. A round is a level of a breadth-first search.

use std::io;

use crate::store::external::disk::{Disk, FileClass};
use crate::store::external::run::{RunReader, RunWriter};
use crate::store::external::sort::{Rows, SortedRuns, Sorter, join};
use crate::store::saved::{Loader, Saver};

/// Bytes for sorting states anew when their layout changes.
const SORTED_IN_MEMORY: usize = 1 << 20;
/// Runs of candidates that are merged together.
const FAN: usize = 8;

/// The part of a layer that is on disk.
#[derive(Debug)]
pub struct LargeLayer {
    disk: Disk,
    width: usize,
    /// Whether candidates say where they come from.
    origins: bool,
    closed: SortedRuns,
    waiting: RunReader,
    waiting_left: u64,
    /// States that wait for the next round.
    next: RunWriter,
    candidates: SortedRuns,
}

impl LargeLayer {
    /// Without states. Those have `width` words, and say where they come from, or not.
    pub fn new(disk: &Disk, width: usize, origins: bool) -> io::Result<Self> {
        let writer = || RunWriter::new(disk, FileClass::Layer, width);
        let stride = width + usize::from(origins);
        Ok(Self {
            disk: disk.clone(),
            width,
            origins,
            // Read again in each round: as few runs as possible.
            closed: SortedRuns::new(disk, FileClass::Layer, width, width, 2),
            waiting: writer().into_reader()?,
            waiting_left: 0,
            next: writer(),
            candidates: SortedRuns::new(disk, FileClass::Layer, stride, width, FAN),
        })
    }

    fn writer(&self) -> RunWriter {
        RunWriter::new(&self.disk, FileClass::Layer, self.width)
    }

    /// Saves everything.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.closed.save(to)?;
        self.candidates.save(to)?;
        to.put(&self.waiting_left)?;
        self.waiting.save_rest(to)?;
        self.next.save(to)
    }

    /// What was saved, in this layer, which is empty.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.closed.load(from)?;
        self.candidates.load(from)?;
        self.waiting_left = from.get()?;
        self.waiting = RunReader::load_rest(&self.disk, FileClass::Layer, from)?;
        self.next = RunWriter::load(&self.disk, FileClass::Layer, from)?;
        Ok(())
    }

    /// These states, which differ from all that are closed, are closed as well.
    pub fn close(&mut self, states: &[u64]) -> io::Result<()> {
        let rows = Rows { states, width: self.width, origins: None };
        let run = rows.write_sorted(&self.disk, FileClass::Layer, self.width)?;
        self.closed.add(run)
    }

    /// These states, which are closed, are to be expanded in this round, before all others.
    pub fn wait(&mut self, states: &[u64]) -> io::Result<()> {
        debug_assert_eq!(self.waiting_left, 0, "others wait already");
        let mut writer = self.writer();
        states.chunks_exact(self.width).try_for_each(|state| writer.push(state))?;
        self.waiting_left = writer.records();
        self.waiting = writer.into_reader()?;
        Ok(())
    }

    /// These states, which are closed, are to be expanded in the next round, before all others.
    pub fn wait_for_next(&mut self, states: &[u64]) -> io::Result<()> {
        states.chunks_exact(self.width).try_for_each(|state| self.next.push(state))
    }

    /// The next states of this round, at most `most`.
    pub fn take_waiting(&mut self, most: usize, words: &mut Vec<u64>) -> io::Result<()> {
        words.clear();
        while words.len() < most * self.width
            && let Some(state) = self.waiting.peek()?
        {
            words.extend_from_slice(state);
            self.waiting.advance();
            self.waiting_left -= 1;
        }
        Ok(())
    }

    /// Whether no state of this round is left.
    pub fn is_round_over(&self) -> bool {
        self.waiting_left == 0
    }

    /// Adds candidates, which differ from each other, with where they come from.
    pub fn propose(&mut self, states: &[u64], origins: &[u64]) -> io::Result<()> {
        if states.is_empty() {
            return Ok(());
        }
        let rows = Rows { states, width: self.width, origins: self.origins.then_some(origins) };
        let run = rows.write_sorted(&self.disk, FileClass::Layer, self.width)?;
        self.candidates.add(run)
    }

    /// Ends a round: `each` hears where the new ones among the candidates come from, in the order in which they wait for the next round. Tells how
    /// many wait.
    pub fn next_round(&mut self, mut each: impl FnMut(Option<u64>)) -> io::Result<u64> {
        debug_assert_eq!(self.waiting_left, 0, "the round is over");
        let (width, empty) = (self.width, self.writer());
        let mut next = std::mem::replace(&mut self.next, empty);
        if !self.candidates.is_empty() {
            let mut candidates = self.candidates.take().merge();
            let mut new = self.writer();
            join(width, &mut self.closed.merge(), &mut candidates, |record, is_new| {
                if is_new {
                    each(record.get(width).copied());
                    new.push(&record[..width])?;
                    next.push(&record[..width])?;
                }
                Ok(())
            })?;
            self.closed.add(new.finish()?)?;
        }
        self.waiting_left = next.records();
        self.waiting = next.into_reader()?;
        Ok(self.waiting_left)
    }

    /// Number of states that were met and are known to differ.
    pub fn closed(&self) -> u64 {
        self.closed.records()
    }

    /// Gives `each` all states that were met, in order.
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

    /// States of this round that wait, and of the next one.
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
        let mut new = Self::new(&self.disk, width, self.origins)?;
        let (mut packed, old) = (Vec::new(), self.width);
        let mut sort = |old_runs: &SortedRuns, runs: &mut SortedRuns| {
            let mut sorter = Sorter::new(runs.take(), SORTED_IN_MEMORY);
            for mut reader in old_runs.readers() {
                while let Some(record) = reader.peek()? {
                    translate(&record[..old], &mut packed);
                    packed.truncate(width);
                    packed.extend_from_slice(&record[old..]);
                    sorter.push(&packed)?;
                    reader.advance();
                }
            }
            runs.add(sorter.finish()?)
        };
        sort(&self.closed, &mut new.closed)?;
        sort(&self.candidates, &mut new.candidates)?;
        let mut translated = |mut reader: RunReader| -> io::Result<RunWriter> {
            let mut writer = RunWriter::new(&self.disk, FileClass::Layer, width);
            while let Some(state) = reader.peek()? {
                translate(state, &mut packed);
                writer.push(&packed[..width])?;
                reader.advance();
            }
            Ok(writer)
        };
        let none = || RunWriter::new(&self.disk, FileClass::Layer, old);
        let waiting = translated(std::mem::replace(&mut self.waiting, none().into_reader()?))?;
        new.next = translated(std::mem::replace(&mut self.next, none()).into_reader()?)?;
        new.waiting_left = waiting.records();
        new.waiting = waiting.into_reader()?;
        *self = new;
        Ok(())
    }
}
