//! Persistent states that do not fit into memory, on disk.
//!
//! What a sweep finds behind it gathers in [memory](super::persistent_states), and goes to sorted runs when it takes too much. The next sweep reads
//! these along as it advances, and so it does the states that earlier sweeps expanded, which are sorted runs, too: when it comes to a progress
//! value, the states of that value join the current layer, first those that were expanded. Of those that were found, the ones that the layer does not know
//! are its roots. So all are read once in a sweep, or less, where the sweep does not come to their values, and only what is new is written. The last sweep
//! finds that nothing is.
//!
//! A filter in memory knows some of the states that were found lately. It compares states, so that what it knows is known: it need not be written
//! again.

use std::io;

use super::persistent_states::{Fate, PersistentStates};
use crate::store::external::disk::{Disk, FileClass};
use crate::store::external::merge::Merge;
use crate::store::external::run::{RunReader, RunWriter};
use crate::store::external::sort::{SortedRuns, Sorter};
use crate::store::layer::Width;
use crate::store::recent_states::RecentStates;
use crate::store::saved::{Loader, Saver};

/// Bytes for sorting states anew when their layout changes.
const SORTED_IN_MEMORY: usize = 1 << 20;
/// Runs that are merged together: of what is read again in each sweep, and of what is read once.
const FEW: usize = 8;
const MANY: usize = 16;
/// Bytes of the filter.
const FILTER: usize = 1 << 18;
/// Entries that are given together.
const TOGETHER: usize = 256;

/// Persistent states on disk. A record is its progress value, the state, and, if wanted, where it comes from.
#[derive(Debug)]
pub struct FarPersistent {
    disk: Disk,
    width: usize,
    stride: usize,
    /// States that earlier sweeps expanded.
    expanded: SortedRuns,
    expanded_along: Vec<RunReader>,
    /// States that the last sweep found. Those that are not expanded yet are the roots of this one.
    proposed: SortedRuns,
    proposed_along: Along,
    /// Roots that this sweep has come to.
    entered: RunWriter,
    /// States that this sweep expanded and that are not to be forgotten.
    remembered: SortedRuns,
    /// Whether some of those are in other runs, too.
    has_duplicates: bool,
    found: SortedRuns,
    filter: RecentStates,
}

/// Runs that are read along with the sweep.
#[derive(Debug)]
struct Along {
    merge: Merge,
    /// Whether the next record is at hand.
    has_next: bool,
    is_at_end: bool,
}

impl Along {
    fn new(merge: Merge) -> Self {
        Self { merge, has_next: false, is_at_end: false }
    }

    fn peek(&mut self) -> io::Result<Option<&[u64]>> {
        if !self.has_next && !self.is_at_end {
            self.has_next = self.merge.next()?.is_some();
            self.is_at_end = !self.has_next;
        }
        Ok(self.has_next.then(|| self.merge.current()))
    }

    fn advance(&mut self) {
        self.has_next = false;
    }
}

impl FarPersistent {
    /// Without states. Those have `width` words, and say where they come from, or not.
    pub fn new(disk: &Disk, width: usize, origins: bool) -> io::Result<Self> {
        let stride = 1 + width + usize::from(origins);
        let runs = |fan| SortedRuns::new(disk, FileClass::Persistent, stride, width + 1, fan);
        Ok(Self {
            disk: disk.clone(),
            width,
            stride,
            expanded: runs(FEW),
            expanded_along: Vec::new(),
            proposed: runs(MANY),
            proposed_along: Along::new(Merge::new(width + 1, Vec::new())),
            entered: RunWriter::new(disk, FileClass::Persistent, stride),
            remembered: runs(MANY),
            has_duplicates: false,
            found: runs(MANY),
            filter: RecentStates::with_bytes(width, FILTER),
        })
    }

    /// Reads what this sweep needs along with it, from the beginning.
    fn read_along(&mut self) {
        self.expanded_along = self.expanded.readers().collect();
        self.proposed_along = Along::new(self.proposed.merge());
    }

    /// All records, some of them perhaps more than once.
    pub fn for_each(&self, mut each: impl FnMut(&[u64])) -> io::Result<()> {
        for runs in [&self.expanded, &self.proposed, &self.remembered, &self.found] {
            let mut merge = runs.merge();
            while let Some(record) = merge.next()? {
                each(record);
            }
        }
        let mut entered = self.entered.reader()?;
        while let Some(records) = entered.next_block()? {
            records.chunks_exact(self.stride).for_each(&mut each);
        }
        Ok(())
    }

    /// Saves everything.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        let Self { expanded, proposed, remembered, found, .. } = self;
        [expanded, proposed, remembered, found].into_iter().try_for_each(|runs| runs.save(to))?;
        self.entered.save(to)?;
        to.put(&self.expanded_along.iter().map(RunReader::position).collect::<Vec<_>>())?;
        let along = &self.proposed_along;
        to.put(&(along.merge.position(), along.has_next, along.is_at_end))?;
        to.put(&self.has_duplicates)?;
        self.filter.save(to)
    }

    /// What was saved, in place of these, which are none.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let Self { expanded, proposed, remembered, found, .. } = self;
        for runs in [expanded, proposed, remembered, found] {
            runs.load(from)?;
        }
        self.entered = RunWriter::load(&self.disk, FileClass::Persistent, from)?;
        self.read_along();
        let positions: Vec<(usize, usize)> = from.get()?;
        let mut readers = self.expanded_along.iter_mut().zip(positions);
        readers.try_for_each(|(reader, position)| reader.go_to(position))?;
        let along = &mut self.proposed_along;
        let position;
        (position, along.has_next, along.is_at_end) = from.get()?;
        along.merge.go_to(position)?;
        self.has_duplicates = from.get()?;
        self.filter.load(from)
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
                Fate::Expanded => {
                    // Roots of this sweep are among those that are entered, too.
                    self.has_duplicates |= run.records() > 0;
                    self.remembered.add(run)?;
                }
                Fate::Found => self.found.add(run)?,
                Fate::Root => self.proposed.add(run)?,
            }
        }
        near.forget_all().map_err(io::Error::other)
    }

    /// The first time that states go to disk: what was expanded before is read along from now on.
    pub fn begin(&mut self, near: &mut PersistentStates) -> io::Result<()> {
        self.take_over(near)?;
        self.has_duplicates = false;
        self.remembered.take().into_runs().try_for_each(|run| self.expanded.add(run))?;
        self.read_along();
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
        self.has_duplicates = true;
        self.remembered.add(run.finish()?)
    }

    /// Ends a sweep: what was found, here and in memory, is read along with the next one; `false` if nothing was.
    pub fn begin_sweep(&mut self, near: &mut PersistentStates) -> io::Result<bool> {
        self.take_over(near)?;
        let empty = self.writer();
        let entered = std::mem::replace(&mut self.entered, empty).finish()?;
        self.remembered.take().into_runs().chain([entered]).try_for_each(|run| self.expanded.add(run))?;
        self.proposed = self.found.take();
        self.read_along();
        if self.proposed.is_empty() && std::mem::take(&mut self.has_duplicates) {
            // It is the last time: all of them are counted, once each.
            let one = self.expanded.take().into_one()?;
            self.expanded.add(one)?;
        }
        Ok(!self.proposed.is_empty())
    }

    fn writer(&self) -> RunWriter {
        RunWriter::new(&self.disk, FileClass::Persistent, self.stride)
    }

    /// The least progress value of a root that is still to be expanded.
    pub fn first_root(&mut self) -> io::Result<Option<u64>> {
        Ok(self.proposed_along.peek()?.map(|record| record[0]))
    }

    /// Whether there are roots that are still to be expanded, of this sweep or of the next.
    pub fn is_root_ahead(&self) -> bool {
        !self.found.is_empty() || (!self.proposed.is_empty() && !self.proposed_along.is_at_end)
    }

    /// Gives `known` the states of this value that were expanded earlier, some at a time, in any order.
    pub fn enter_expanded(
        &mut self,
        value: u64,
        mut known: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (width, stride) = (self.width, self.stride);
        let mut states = Vec::new();
        for reader in &mut self.expanded_along {
            reader.pass(value)?;
            while let Some(records) = reader.next_of(value)? {
                for records in records.chunks(TOGETHER * stride) {
                    states.clear();
                    records.chunks_exact(stride).for_each(|one| states.extend_from_slice(&one[1..=width]));
                    known(&states)?;
                }
            }
        }
        Ok(())
    }

    /// Gives `each` the states of this value that the last sweep found, some at a time, in order, each with or without where it comes from. It tells of each
    /// whether it is new; where it cannot tell, all count as new.
    pub fn enter_roots(
        &mut self,
        value: u64,
        mut each: impl FnMut(&[u64], &mut Vec<bool>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut entries, mut is_new) = (Vec::new(), Vec::new());
        let words = self.stride - 1;
        loop {
            entries.clear();
            while entries.len() < TOGETHER * words
                && let Some(record) = self.proposed_along.peek()?.filter(|record| record[0] == value)
            {
                entries.extend_from_slice(&record[1..]);
                self.proposed_along.advance();
            }
            if entries.is_empty() {
                return Ok(());
            }
            is_new.clear();
            each(&entries, &mut is_new)?;
            self.has_duplicates |= is_new.is_empty();
            for (number, entry) in entries.chunks_exact(words).enumerate() {
                if is_new.get(number).copied().unwrap_or(true) {
                    self.entered.push_parts(value, entry)?;
                }
            }
        }
    }

    /// Number of states, those that this sweep found more than once included.
    pub fn len(&self) -> u64 {
        let Self { expanded, entered, remembered, found, .. } = self;
        expanded.records() + entered.records() + remembered.records() + found.records()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of states in memory.
    pub fn in_memory(&self) -> u64 {
        let Self { expanded, proposed, remembered, found, .. } = self;
        let runs = [expanded, proposed, remembered, found].map(SortedRuns::in_memory);
        let along = self.expanded_along.iter().map(RunReader::in_memory).sum::<usize>()
            + self.proposed_along.merge.in_memory();
        (runs.into_iter().sum::<usize>() + self.entered.in_memory() + along + self.filter.places()) as u64
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let Self { expanded, proposed, remembered, found, .. } = self;
        let runs = [expanded, proposed, remembered, found].map(SortedRuns::bytes);
        let along = self.expanded_along.iter().map(RunReader::bytes).sum::<usize>()
            + self.proposed_along.merge.bytes();
        runs.into_iter().sum::<usize>() + self.entered.bytes() + along + self.filter.bytes()
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
        let mut sorted = |mut along: Along| {
            let runs = SortedRuns::new(&self.disk, FileClass::Persistent, stride, width + 1, MANY);
            let mut sorter = Sorter::new(runs, SORTED_IN_MEMORY);
            while let Some(one) = along.peek()? {
                translate(&one[1..=old], &mut packed);
                record.clear();
                record.push(one[0]);
                record.extend_from_slice(&packed[..width]);
                record.extend_from_slice(&one[old + 1..]);
                sorter.push(&record)?;
                along.advance();
            }
            sorter.finish()
        };
        let entered =
            std::mem::replace(&mut self.entered, RunWriter::new(&self.disk, FileClass::Persistent, 1));
        let entered = Along::new(Merge::new(old + 1, vec![entered.into_reader()?]));
        new.remembered.add(sorted(entered)?)?;
        new.remembered.add(sorted(Along::new(self.remembered.merge()))?)?;
        // Only those are still to come that are not read yet.
        let nothing = Along::new(Merge::new(0, Vec::new()));
        new.proposed.add(sorted(std::mem::replace(&mut self.proposed_along, nothing))?)?;
        new.expanded.add(sorted(Along::new(self.expanded.merge()))?)?;
        new.found.add(sorted(Along::new(self.found.merge()))?)?;
        new.has_duplicates = self.has_duplicates;
        new.read_along();
        *self = new;
        Ok(())
    }
}
