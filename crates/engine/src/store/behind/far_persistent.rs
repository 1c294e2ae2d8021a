//! Far persistent states: those that do not fit into memory, on disk.
//!
//! Targets of regress edges gather in [memory](super::persistent_states), and spill to sorted runs
//! when they take too much. The next sweep reads these runs as it advances, and also the sorted
//! runs of states that earlier sweeps expanded. When it comes to a progress value, the states of
//! that value enter the current layer, expanded ones first. Of those that were found, the ones that
//! are new in the layer are its roots. So a sweep reads each state at most once, skips values to
//! which it does not come, and writes only what is new. The last sweep finds nothing new.
//!
//! A filter in memory knows some of the states that were found lately. It compares states, not
//! hashes, so a state that it knows need not be written again.

use std::io;

use super::persistent_states::{Fate, PersistentStates};
use crate::store::external::disk::{Disk, FileClass};
use crate::store::external::merge::Merge;
use crate::store::external::run::{RunReader, RunWriter};
use crate::store::external::sort::{SortedRuns, Sorter};
use crate::store::recent_states::RecentStates;
use crate::store::records::{EntryShape, RecordShape, Records};
use crate::store::saved::{Loader, Saver};

/// Bytes for sorting states again when their layout changes.
const SORTED_IN_MEMORY: usize = 1 << 20;
/// Numbers of runs that are merged together: of states that every sweep reads, and of states that
/// one sweep reads.
const FEW: usize = 8;
const MANY: usize = 16;
/// Entries that are passed on together.
const TOGETHER: usize = 256;

/// Persistent states on disk. A record is a progress value, a state and, if wanted, its origin.
#[derive(Debug)]
pub struct FarPersistent {
    disk: Disk,
    shape: EntryShape,
    /// States that earlier sweeps expanded.
    expanded: SortedRuns,
    expanded_along: Vec<RunReader>,
    /// States that the last sweep found. Those that are not expanded yet are the roots of this one.
    proposed: SortedRuns,
    proposed_along: Along,
    /// Roots that this sweep has come to.
    entered: RunWriter,
    /// States that this sweep expanded and must not forget.
    remembered: SortedRuns,
    /// Whether other runs may have some of those, too.
    has_duplicates: bool,
    found: SortedRuns,
    filter: RecentStates,
    /// Bytes of the filter.
    memory: usize,
}

/// Runs that are read along with the sweep.
#[derive(Debug)]
struct Along {
    merge: Merge,
    /// Whether the next record was read.
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
    /// Without states. Those have this shape, with or without origins. The filter takes about
    /// `memory` bytes.
    pub fn new(disk: &Disk, shape: RecordShape, origins: bool, memory: usize) -> io::Result<Self> {
        let filter = RecentStates::with_bytes(shape, memory);
        let shape = EntryShape::of(shape).keyed().with_origin(origins);
        let runs = |fan| SortedRuns::new(disk, FileClass::Persistent, shape, fan);
        Ok(Self {
            disk: disk.clone(),
            shape,
            expanded: runs(FEW),
            expanded_along: Vec::new(),
            proposed: runs(MANY),
            proposed_along: Along::new(Merge::new(shape, Vec::new())),
            entered: RunWriter::new(disk, FileClass::Persistent, shape),
            remembered: runs(MANY),
            has_duplicates: false,
            found: runs(MANY),
            filter,
            memory,
        })
    }

    /// Begins to read the runs of this sweep.
    fn read_along(&mut self) {
        self.expanded_along = self.expanded.readers().collect();
        self.proposed_along = Along::new(self.proposed.merge());
    }

    /// Calls `each` with every state, some of them perhaps more than once: its progress value, its
    /// words and its origin, if that is known.
    pub fn for_each(&self, mut each: impl FnMut(u64, &[u64], Option<u64>)) -> io::Result<()> {
        let mut tell =
            |record: &[u64]| each(record[0], self.shape.state_of(record), self.shape.origin_of(record));
        for runs in [&self.expanded, &self.proposed, &self.remembered, &self.found] {
            let mut merge = runs.merge();
            while let Some(record) = merge.next()? {
                tell(record);
            }
        }
        let mut entered = self.entered.reader()?;
        while let Some(records) = entered.next_block()? {
            self.shape.entries(records).for_each(&mut tell);
        }
        Ok(())
    }

    /// Saves the states.
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

    /// Loads saved states. There are none yet.
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

    /// Takes over all states from memory, with their fates.
    pub fn take_over(&mut self, near: &mut PersistentStates) -> io::Result<()> {
        for fate in [Fate::Expanded, Fate::Root, Fate::Found] {
            let mut run = self.writer();
            let (mut record, has_origin) = (Vec::new(), self.shape.has_origin());
            near.for_each_sorted(fate, |value, state, origin| {
                record.clear();
                record.push(value);
                record.extend_from_slice(state);
                record.extend(has_origin.then_some(origin));
                run.push(&record)
            })?;
            let run = run.finish()?;
            match fate {
                Fate::Expanded => {
                    // Roots of this sweep are also among those that were entered.
                    self.has_duplicates |= run.records() > 0;
                    self.remembered.add(run)?;
                }
                Fate::Found => self.found.add(run)?,
                Fate::Root => self.proposed.add(run)?,
            }
        }
        near.forget_all().map_err(io::Error::other)
    }

    /// Takes over states for the first time: this sweep reads those that were expanded before from
    /// now on.
    pub fn begin(&mut self, near: &mut PersistentStates) -> io::Result<()> {
        self.take_over(near)?;
        self.has_duplicates = false;
        self.remembered.take().into_runs().try_for_each(|run| self.expanded.add(run))?;
        self.read_along();
        Ok(())
    }

    /// Drops states that the filter knows.
    pub fn sift<R: Records>(&mut self, records: R, words: &mut Vec<u64>, described: &mut Vec<(u64, u64)>) {
        let mut filter = self.filter.look(records);
        let (mut kept, mut start, mut end) = (0, 0, 0);
        for number in 0..described.len() {
            let state = start..start + records.len_of(&words[start..]);
            start = state.end;
            if !filter.knows(&words[state.clone()]) {
                let len = state.len();
                words.copy_within(state, end);
                described[kept] = described[number];
                (kept, end) = (kept + 1, end + len);
            }
        }
        words.truncate(end);
        described.truncate(kept);
    }

    /// Makes states of this value persistent that are expanded. They come in the order of a merged
    /// run.
    pub fn remember(
        &mut self,
        value: u64,
        states: impl FnOnce(&mut dyn FnMut(&[u64]) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut run = self.writer();
        let (mut record, has_origin) = (Vec::new(), self.shape.has_origin());
        states(&mut |state| {
            record.clear();
            record.push(value);
            record.extend_from_slice(state);
            record.extend(has_origin.then_some(0));
            run.push(&record)
        })?;
        self.has_duplicates = true;
        self.remembered.add(run.finish()?)
    }

    /// Ends a sweep. The next one reads what this one found, on disk and in memory; `false` if
    /// nothing was found.
    pub fn begin_sweep(&mut self, near: &mut PersistentStates) -> io::Result<bool> {
        self.take_over(near)?;
        let empty = self.writer();
        let entered = std::mem::replace(&mut self.entered, empty).finish()?;
        self.remembered.take().into_runs().chain([entered]).try_for_each(|run| self.expanded.add(run))?;
        self.proposed = self.found.take();
        self.read_along();
        if self.proposed.is_empty() && std::mem::take(&mut self.has_duplicates) {
            // The search ends: duplicates are removed, so that each state counts once.
            let one = self.expanded.take().into_one()?;
            self.expanded.add(one)?;
        }
        Ok(!self.proposed.is_empty())
    }

    fn writer(&self) -> RunWriter {
        RunWriter::new(&self.disk, FileClass::Persistent, self.shape)
    }

    /// The least progress value of a root that is still to be expanded.
    pub fn first_root(&mut self) -> io::Result<Option<u64>> {
        Ok(self.proposed_along.peek()?.map(|record| record[0]))
    }

    /// Whether there are roots that are still to be expanded, of this sweep or of the next.
    pub fn is_root_ahead(&self) -> bool {
        !self.found.is_empty() || (!self.proposed.is_empty() && !self.proposed_along.is_at_end)
    }

    /// Passes the states of this value that were expanded earlier to `known`, some at a time, in
    /// any order.
    pub fn enter_expanded(
        &mut self,
        value: u64,
        mut known: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (shape, mut states) = (self.shape, Vec::new());
        for reader in &mut self.expanded_along {
            reader.pass(value)?;
            while let Some(records) = reader.next_of(value)? {
                states.clear();
                for (number, one) in shape.entries(records).enumerate() {
                    if number % TOGETHER == 0 && number > 0 {
                        known(&states)?;
                        states.clear();
                    }
                    states.extend_from_slice(shape.state_of(one));
                }
                known(&states)?;
            }
        }
        Ok(())
    }

    /// Passes the states of this value that the last sweep found to `each`, some at a time, in
    /// order, with origins if they have any. `each` says of every state whether it is new. If it
    /// cannot say, all count as new.
    pub fn enter_roots(
        &mut self,
        value: u64,
        mut each: impl FnMut(&[u64], &mut Vec<bool>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut entries, mut is_new) = (Vec::new(), Vec::new());
        loop {
            entries.clear();
            let mut count = 0;
            while count < TOGETHER
                && let Some(record) = self.proposed_along.peek()?.filter(|record| record[0] == value)
            {
                entries.extend_from_slice(&record[1..]);
                count += 1;
                self.proposed_along.advance();
            }
            if entries.is_empty() {
                return Ok(());
            }
            is_new.clear();
            each(&entries, &mut is_new)?;
            self.has_duplicates |= is_new.is_empty();
            for (number, entry) in self.shape.unkeyed().entries(&entries).enumerate() {
                if is_new.get(number).copied().unwrap_or(true) {
                    self.entered.push_parts(value, entry)?;
                }
            }
        }
    }

    /// Number of states. A state that this sweep found more than once counts as often.
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
        let old = self.shape;
        let mut new = Self::new(&self.disk, RecordShape::Fixed(width), old.has_origin(), self.memory)?;
        let (mut record, mut packed, shape) = (Vec::new(), Vec::new(), new.shape);
        let mut sorted = |mut along: Along| {
            let runs = SortedRuns::new(&self.disk, FileClass::Persistent, shape, MANY);
            let mut sorter = Sorter::new(runs, SORTED_IN_MEMORY);
            while let Some(one) = along.peek()? {
                translate(old.state_of(one), &mut packed);
                record.clear();
                record.push(one[0]);
                record.extend_from_slice(&packed[..width]);
                record.extend(old.origin_of(one));
                sorter.push(&record)?;
                along.advance();
            }
            sorter.finish()
        };
        let empty = RunWriter::new(&self.disk, FileClass::Persistent, old);
        let entered = std::mem::replace(&mut self.entered, empty);
        let entered = Along::new(Merge::new(old, vec![entered.into_reader()?]));
        new.remembered.add(sorted(entered)?)?;
        new.remembered.add(sorted(Along::new(self.remembered.merge()))?)?;
        // Only states that are not read yet are still to come.
        let nothing = Along::new(Merge::new(old, Vec::new()));
        new.proposed.add(sorted(std::mem::replace(&mut self.proposed_along, nothing))?)?;
        new.expanded.add(sorted(Along::new(self.expanded.merge()))?)?;
        new.found.add(sorted(Along::new(self.found.merge()))?)?;
        new.has_duplicates = self.has_duplicates;
        new.read_along();
        *self = new;
        Ok(())
    }
}
