//! Persistent states that do not fit into memory, on disk.
//!
//! What a sweep finds behind it gathers in [memory](super::persistent_states), and goes to sorted runs when it takes too much. The states of earlier
//! sweeps are sorted runs, too, by progress value: those that were expanded, and the roots of this sweep. Both are read along as the sweep
//! advances: when it comes to a progress value, the states of that value join the current layer. At the end of a sweep all runs are read
//! side by side once: what was found and is not known becomes the roots of the next sweep. What is known is not written again for that.
//!
//! A filter in memory knows some of the states that were found lately. It compares states, so that what it knows is known: it need not be written
//! again.

use std::io;

use super::external::disk::{Disk, FileClass};
use super::external::merge::Merge;
use super::external::run::{Run, RunWriter};
use super::external::sort::{SortedRuns, Sorter, join};
use super::layer::Width;
use super::persistent_states::{Fate, PersistentStates};
use super::recent_states::RecentStates;
use super::saved::{Loader, Saver};

/// Bytes for sorting states anew when their layout changes.
const SORTED_IN_MEMORY: usize = 1 << 20;
/// Runs that are merged together: of what is read again in each sweep, and of what is read once.
const FEW: usize = 2;
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
    expanded_along: Along,
    roots: Run,
    roots_along: Along,
    /// States that this sweep expanded and that are not to be forgotten.
    remembered: SortedRuns,
    found: SortedRuns,
    /// Number of different states that earlier sweeps expanded.
    known: u64,
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

    /// Gives `each` the records of this value, some at a time; those of smaller ones are passed over.
    fn take(
        &mut self,
        value: u64,
        stride: usize,
        mut each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut together = Vec::new();
        while let Some(record) = self.peek()?.filter(|record| record[0] <= value) {
            if record[0] == value {
                together.extend_from_slice(record);
            }
            self.advance();
            if together.len() == TOGETHER * stride {
                each(&together)?;
                together.clear();
            }
        }
        if together.is_empty() { Ok(()) } else { each(&together) }
    }
}

impl FarPersistent {
    /// Without states. Those have `width` words, and say where they come from, or not.
    pub fn new(disk: &Disk, width: usize, origins: bool) -> io::Result<Self> {
        let stride = 1 + width + usize::from(origins);
        let runs = |fan| SortedRuns::new(disk, FileClass::Persistent, stride, width + 1, fan);
        let nothing = || Along::new(Merge::new(width + 1, Vec::new()));
        Ok(Self {
            disk: disk.clone(),
            width,
            stride,
            expanded: runs(FEW),
            expanded_along: nothing(),
            roots: RunWriter::new(disk, FileClass::Persistent, stride).finish()?,
            roots_along: nothing(),
            remembered: runs(MANY),
            found: runs(MANY),
            known: 0,
            filter: RecentStates::with_bytes(width, FILTER),
        })
    }

    /// Reads what this sweep needs along with it, from the beginning.
    fn read_along(&mut self) {
        self.expanded_along = Along::new(self.expanded.merge());
        self.roots_along = Along::new(Merge::new(self.width + 1, vec![self.roots.reader()]));
    }

    /// Saves everything.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.roots.save(to)?;
        [&self.expanded, &self.remembered, &self.found].into_iter().try_for_each(|runs| runs.save(to))?;
        for along in [&self.expanded_along, &self.roots_along] {
            to.put(&(along.merge.position(), along.has_next, along.is_at_end))?;
        }
        to.put(&self.known)?;
        self.filter.save(to)
    }

    /// What was saved, in place of these, which are none.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.roots = Run::load(&self.disk, FileClass::Persistent, from)?;
        for runs in [&mut self.expanded, &mut self.remembered, &mut self.found] {
            runs.load(from)?;
        }
        self.read_along();
        for along in [&mut self.expanded_along, &mut self.roots_along] {
            let position;
            (position, along.has_next, along.is_at_end) = from.get()?;
            along.merge.go_to(position)?;
        }
        self.known = from.get()?;
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
                Fate::Expanded => self.remembered.add(run)?,
                Fate::Found => self.found.add(run)?,
                Fate::Root if run.records() == 0 => {}
                Fate::Root => {
                    debug_assert_eq!(self.roots.records(), 0, "roots come once");
                    self.roots = run;
                }
            }
        }
        near.forget_all().map_err(io::Error::other)
    }

    /// The first time that states go to disk: what was expanded before is read along from now on.
    pub fn begin(&mut self, near: &mut PersistentStates) -> io::Result<()> {
        self.take_over(near)?;
        self.known = self.remembered.records();
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
        self.remembered.add(run.finish()?)
    }

    /// Ends a sweep: what was found, here and in memory, and is not known becomes roots; `false` if nothing does.
    pub fn begin_sweep(&mut self, near: &mut PersistentStates) -> io::Result<bool> {
        self.take_over(near)?;
        let identity = self.width + 1;
        let earlier = self.expanded.readers().chain([self.roots.reader()]);
        let mut known = Merge::new(identity, earlier.chain(self.remembered.readers()).collect());
        let mut roots = RunWriter::new(&self.disk, FileClass::Persistent, self.stride);
        let mut count = 0;
        join(identity, &mut known, &mut self.found.take().merge(), |record, is_new| {
            count += u64::from(!is_new);
            if is_new { roots.push(record) } else { Ok(()) }
        })?;
        drop(known);
        self.known = count;
        let roots = std::mem::replace(&mut self.roots, roots.finish()?);
        self.remembered.take().into_runs().chain([roots]).try_for_each(|run| self.expanded.add(run))?;
        self.read_along();
        Ok(self.roots.records() > 0)
    }

    /// The least progress value of a root that is still to be expanded.
    pub fn first_root(&mut self) -> io::Result<Option<u64>> {
        Ok(self.roots_along.peek()?.map(|record| record[0]))
    }

    /// Whether there are roots that are still to be expanded, of this sweep or of the next.
    pub fn is_root_ahead(&self) -> bool {
        !self.found.is_empty() || (self.roots.records() > 0 && !self.roots_along.is_at_end)
    }

    /// Gives `each` the states of this value that were expanded earlier, some at a time, without gaps.
    pub fn enter_expanded(
        &mut self,
        value: u64,
        mut each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (width, stride) = (self.width, self.stride);
        let mut states = Vec::new();
        self.expanded_along.take(value, stride, |records| {
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
        let mut entries = Vec::new();
        self.roots_along.take(value, stride, |records| {
            entries.clear();
            records.chunks_exact(stride).for_each(|record| entries.extend_from_slice(&record[1..]));
            each(&entries)
        })
    }

    /// Number of states, those that this sweep found more than once included.
    pub fn len(&self) -> u64 {
        self.known + self.roots.records() + self.remembered.records() + self.found.records()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of states in memory.
    pub fn in_memory(&self) -> u64 {
        let runs = [&self.expanded, &self.remembered, &self.found].map(SortedRuns::in_memory);
        let along = self.expanded_along.merge.in_memory() + self.roots_along.merge.in_memory();
        (runs.into_iter().sum::<usize>() + self.roots.in_memory() + along + self.filter.places()) as u64
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let runs = [&self.expanded, &self.remembered, &self.found].map(SortedRuns::bytes);
        let along = self.expanded_along.merge.bytes() + self.roots_along.merge.bytes();
        runs.into_iter().sum::<usize>() + self.roots.bytes() + along + self.filter.bytes()
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
        // Roots that were entered count as expanded: only the others are still to come. All are among the remembered ones then, as it is not
        // known which are which.
        let roots =
            Along::new(Merge::new(old + 1, self.remembered.readers().chain([self.roots.reader()]).collect()));
        new.remembered.add(sorted(roots)?)?;
        new.roots = sorted(std::mem::replace(&mut self.roots_along, Along::new(Merge::new(0, Vec::new()))))?;
        new.expanded.add(sorted(Along::new(self.expanded.merge()))?)?;
        new.found.add(sorted(Along::new(self.found.merge()))?)?;
        new.known = self.known;
        new.read_along();
        *self = new;
        Ok(())
    }
}
