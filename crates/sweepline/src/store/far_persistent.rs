//! Persistent states that do not fit into memory, on disk.
//!
//! What a sweep finds behind it gathers in [memory](super::persistent_states), and goes to sorted runs when it takes too much. The states of earlier
//! sweeps are two runs, sorted by progress value: those that were expanded, and the roots of this sweep. Both are read along as the sweep
//! advances: when it comes to a progress value, the states of that value join the current layer. At the end of a sweep all runs are read
//! side by side once: what was found and is not known becomes the roots of the next sweep.
//!
//! A filter in memory knows some of the states that were found lately. It compares states, so that what it knows is known: it need not be written
//! again.

use std::io;

use super::external::disk::{Disk, FileClass};
use super::external::merge::Merge;
use super::external::run::{Run, RunReader, RunWriter};
use super::external::sort::{SortedRuns, Sorter, join};
use super::layer::Width;
use super::persistent_states::{Fate, PersistentStates};
use super::recent_states::RecentStates;

/// Bytes for sorting states anew when their layout changes.
const SORTED_IN_MEMORY: usize = 1 << 20;
/// Runs that are merged together.
const FAN: usize = 8;
/// Bytes of the filter.
const FILTER: usize = 1 << 20;
/// Entries that are given together.
const TOGETHER: usize = 256;

/// Persistent states on disk. A record is its progress value, the state, and, if wanted, where it comes from.
#[derive(Debug)]
pub struct FarPersistent {
    disk: Disk,
    width: usize,
    stride: usize,
    expanded: Along,
    roots: Along,
    /// States that this sweep expanded and that are not to be forgotten.
    remembered: SortedRuns,
    found: SortedRuns,
    filter: RecentStates,
}

/// A run that is read along with the sweep.
#[derive(Debug)]
struct Along {
    run: Run,
    reader: RunReader,
}

impl Along {
    fn new(run: Run) -> Self {
        Self { reader: run.reader(), run }
    }

    /// Gives `each` the records of this value, some at a time; those of smaller ones are passed over.
    fn take(
        &mut self,
        value: u64,
        stride: usize,
        mut each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut together = Vec::with_capacity(TOGETHER * stride);
        while let Some(record) = self.reader.peek()?.filter(|record| record[0] <= value) {
            if record[0] == value {
                together.extend_from_slice(record);
            }
            self.reader.advance();
            if together.len() == TOGETHER * stride {
                each(&together)?;
                together.clear();
            }
        }
        each(&together)
    }

    fn is_read(&self) -> bool {
        self.reader.is_at_end()
    }

    fn in_memory(&self) -> usize {
        self.run.in_memory() + self.reader.in_memory()
    }

    fn bytes(&self) -> usize {
        self.run.bytes() + self.reader.bytes()
    }
}

impl FarPersistent {
    /// Without states. Those have `width` words, and say where they come from, or not.
    pub fn new(disk: &Disk, width: usize, origins: bool) -> io::Result<Self> {
        let stride = 1 + width + usize::from(origins);
        let none = || RunWriter::new(disk, FileClass::Persistent, stride).finish();
        let runs = || SortedRuns::new(disk, FileClass::Persistent, stride, width + 1, FAN);
        Ok(Self {
            disk: disk.clone(),
            width,
            stride,
            expanded: Along::new(none()?),
            roots: Along::new(none()?),
            remembered: runs(),
            found: runs(),
            filter: RecentStates::with_bytes(width, FILTER),
        })
    }

    /// Takes over all states, with what is to become of them.
    pub fn take_over(&mut self, near: &mut PersistentStates) -> io::Result<()> {
        for fate in [Fate::Expanded, Fate::Root, Fate::Found] {
            let mut run = RunWriter::new(&self.disk, FileClass::Persistent, self.stride);
            let mut record = Vec::with_capacity(self.stride);
            near.for_each_sorted(fate, |value, state, origin| {
                record.clear();
                record.push(value);
                record.extend_from_slice(state);
                record.push(origin);
                run.push(&record[..self.stride])
            })?;
            let run = run.finish()?;
            match fate {
                Fate::Expanded => self.remembered.add(run)?,
                Fate::Found => self.found.add(run)?,
                Fate::Root if run.records() == 0 => {}
                Fate::Root => {
                    debug_assert_eq!(self.roots.run.records(), 0, "roots come once");
                    self.roots = Along::new(run);
                }
            }
        }
        near.forget_all().map_err(io::Error::other)
    }

    /// What was expanded before this sweep is read along with it from now on. For the first time that states go to disk.
    pub fn read_along(&mut self) -> io::Result<()> {
        debug_assert_eq!(self.expanded.run.records(), 0, "nothing is read along yet");
        self.expanded = Along::new(self.remembered.take().into_one()?);
        Ok(())
    }

    /// Drops those of the states, found with less progress, that were here lately.
    pub fn sift<W: Width>(&mut self, width: W, words: &mut Vec<u64>, described: &mut Vec<(u64, u64)>) {
        let mut filter = self.filter.look(width);
        let mut kept = 0;
        for number in 0..described.len() {
            let state = number * width.get()..(number + 1) * width.get();
            if !filter.knows(&words[state.clone()]) {
                words.copy_within(state, kept * width.get());
                described[kept] = described[number];
                kept += 1;
            }
        }
        words.truncate(kept * width.get());
        described.truncate(kept);
    }

    /// A state of this value was expanded and is not to be forgotten. States come in the order of a merged run.
    pub fn remember(
        &mut self,
        value: u64,
        states: impl FnOnce(&mut dyn FnMut(&[u64]) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut run = RunWriter::new(&self.disk, FileClass::Persistent, self.stride);
        let mut record = Vec::with_capacity(self.stride + 1);
        states(&mut |state| {
            record.clear();
            record.push(value);
            record.extend_from_slice(state);
            record.push(0);
            run.push(&record[..self.stride])
        })?;
        self.remembered.add(run.finish()?)
    }

    /// Ends a sweep: what was found, here and in memory, and is not known becomes roots; `false` if nothing does.
    pub fn begin_sweep(&mut self, near: &mut PersistentStates) -> io::Result<bool> {
        self.take_over(near)?;
        let identity = self.width + 1;
        let earlier = [self.expanded.run.reader(), self.roots.run.reader()];
        let mut known =
            Merge::new(identity, earlier.into_iter().chain(self.remembered.take().readers()).collect());
        let mut found = self.found.take().merge();
        let writer = || RunWriter::new(&self.disk, FileClass::Persistent, self.stride);
        let (mut expanded, mut roots) = (writer(), writer());
        join(identity, &mut known, &mut found, |record, is_new| {
            if is_new { roots.push(record) } else { expanded.push(record) }
        })?;
        self.expanded = Along::new(expanded.finish()?);
        self.roots = Along::new(roots.finish()?);
        Ok(self.roots.run.records() > 0)
    }

    /// The least progress value of a root that is still to be expanded.
    pub fn first_root(&mut self) -> io::Result<Option<u64>> {
        Ok(self.roots.reader.peek()?.map(|record| record[0]))
    }

    /// Whether there are roots that are still to be expanded, of this sweep or of the next.
    pub fn is_root_ahead(&self) -> bool {
        !self.found.is_empty() || !self.roots.is_read()
    }

    /// Gives `each` the states of this value that were expanded earlier, some at a time, without gaps.
    pub fn enter_expanded(
        &mut self,
        value: u64,
        mut each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (width, stride) = (self.width, self.stride);
        let mut states = Vec::with_capacity(TOGETHER * width);
        self.expanded.take(value, stride, |records| {
            states.clear();
            records.chunks_exact(stride).for_each(|record| states.extend_from_slice(&record[1..=width]));
            each(&states)
        })
    }

    /// Gives `each` the roots of this value, as states with or without where they come from, some at a time.
    pub fn enter_roots(
        &mut self,
        value: u64,
        mut each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let stride = self.stride;
        let mut entries = Vec::with_capacity(TOGETHER * stride);
        self.roots.take(value, stride, |records| {
            entries.clear();
            records.chunks_exact(stride).for_each(|record| entries.extend_from_slice(&record[1..]));
            each(&entries)
        })
    }

    /// Number of states, those that were found more than once included.
    pub fn len(&self) -> u64 {
        let read_along = self.expanded.run.records() + self.roots.run.records();
        read_along + self.remembered.records() + self.found.records()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of states in memory.
    pub fn in_memory(&self) -> u64 {
        (self.expanded.in_memory()
            + self.roots.in_memory()
            + self.remembered.in_memory()
            + self.found.in_memory()) as u64
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let read_along = self.expanded.bytes() + self.roots.bytes();
        read_along + self.remembered.bytes() + self.found.bytes() + self.filter.bytes()
    }

    /// Gives all states another layout of `width` words.
    pub fn repack(
        &mut self,
        width: usize,
        mut translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let (old, stride) = (self.width, self.stride - self.width + width);
        let mut new = Self::new(&self.disk, width, self.stride > old + 1)?;
        let (mut record, mut packed) = (Vec::new(), Vec::new());
        let mut sorted = |mut reader: RunReader| {
            let mut sorter = Sorter::new(
                SortedRuns::new(&self.disk, FileClass::Persistent, stride, width + 1, FAN),
                SORTED_IN_MEMORY,
            );
            while let Some(one) = reader.peek()? {
                translate(&one[1..=old], &mut packed);
                record.clear();
                record.push(one[0]);
                record.extend_from_slice(&packed[..width]);
                record.extend_from_slice(&one[old + 1..]);
                sorter.push(&record)?;
                reader.advance();
            }
            sorter.finish()
        };
        new.expanded = Along::new(sorted(self.expanded.run.reader())?);
        // Those that were entered count as expanded: only the others are still to come.
        let nothing = RunWriter::new(&self.disk, FileClass::Persistent, self.stride).into_reader()?;
        let unread = std::mem::replace(&mut self.roots.reader, nothing);
        new.roots = Along::new(sorted(unread)?);
        // All roots again, as it is not known which of them were read.
        let remembered = self.remembered.readers().chain([self.roots.run.reader()]);
        remembered.map(&mut sorted).try_for_each(|run| new.remembered.add(run?))?;
        self.found.readers().map(&mut sorted).try_for_each(|run| new.found.add(run?))?;
        *self = new;
        Ok(())
    }
}
