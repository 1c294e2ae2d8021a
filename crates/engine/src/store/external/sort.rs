//! Sorting: sorted runs of records, merged when there are too many of them.

use std::io;

use super::block::Block;
use super::disk::{Disk, FileClass};
use super::merge::Merge;
use super::run::{Run, RunReader, RunWriter};
use crate::store::records::EntryShape;
use crate::store::saved::{Loader, Saver};

/// Records in memory: contiguous states and, in a separate array, the origin of each.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The states, contiguous.
    pub states: &'a [u64],
    /// Shape of a state, or of an entry where `origins` is `None`.
    pub shape: EntryShape,
    /// The origin of each state, if they have origins.
    pub origins: Option<&'a [u64]>,
}

impl Rows<'_> {
    /// Writes the records as a sorted run. Of duplicates, the least record stays.
    pub fn write_sorted(&self, disk: &Disk, class: FileClass) -> io::Result<Run> {
        let origin = |row: u32| self.origins.map(|origins| origins[row as usize]);
        // Start of each record, where lengths vary. Others are found by their numbers.
        let mut starts: Vec<u32> = Vec::new();
        if self.shape.stride().is_none() {
            let mut start = 0;
            for record in self.shape.entries(self.states) {
                starts.push(u32::try_from(start).map_err(io::Error::other)?);
                start += record.len();
            }
        }
        let state = |row: u32| match self.shape.stride() {
            Some(stride) => &self.states[row as usize * stride..(row as usize + 1) * stride],
            None => {
                let rest = &self.states[starts[row as usize] as usize..];
                &rest[..self.shape.len_of(rest)]
            }
        };
        let rows = self.shape.stride().map_or(starts.len(), |stride| self.states.len() / stride);
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_unstable_by(|&a, &b| state(a).cmp(state(b)).then_with(|| origin(a).cmp(&origin(b))));
        let mut run = RunWriter::new(disk, class, self.shape.with_origin(self.origins.is_some()));
        let mut record = Vec::new();
        let mut before: &[u64] = &[];
        for row in order {
            let same = self.shape.identity(state(row));
            if std::mem::replace(&mut before, same) != same {
                record.clear();
                record.extend_from_slice(state(row));
                record.extend(origin(row));
                run.push(&record)?;
            }
        }
        run.finish()
    }
}

/// Sorted runs. When there are `fan` runs of one size, they are merged to one run of the next size.
#[derive(Debug)]
pub struct SortedRuns {
    disk: Disk,
    class: FileClass,
    shape: EntryShape,
    fan: usize,
    levels: Vec<Vec<Run>>,
}

impl SortedRuns {
    /// No runs yet. Of duplicates, the least record will stay.
    pub fn new(disk: &Disk, class: FileClass, shape: EntryShape, fan: usize) -> Self {
        Self { disk: disk.clone(), class, shape, fan, levels: Vec::new() }
    }

    /// Adds a run.
    pub fn add(&mut self, run: Run) -> io::Result<()> {
        if run.records() == 0 {
            return Ok(());
        }
        // How often `fan` runs of one block each fit into the run, level by level.
        let blocks = run.records() / Block::estimated_capacity(self.shape) as u64 + 1;
        let level = blocks.ilog(self.fan as u64) as usize;
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Vec::new);
        }
        self.levels[level].push(run);
        if self.levels[level].len() < self.fan {
            return Ok(());
        }
        let full = std::mem::take(&mut self.levels[level]);
        self.add(self.merged(full)?)
    }

    fn merged(&self, runs: Vec<Run>) -> io::Result<Run> {
        let mut merge = Merge::new(self.shape, runs.iter().map(Run::reader).collect());
        drop(runs);
        let mut merged = RunWriter::new(&self.disk, self.class, self.shape);
        while let Some(record) = merge.next()? {
            merged.push(record)?;
        }
        merged.finish()
    }

    /// Saves all runs.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&self.levels.iter().map(Vec::len).collect::<Vec<_>>())?;
        self.runs().try_for_each(|run| run.save(to))
    }

    /// Loads saved runs. There are none yet.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let levels: Vec<usize> = from.get()?;
        let mut level = |runs| (0..runs).map(|_| Run::load(&self.disk, self.class, from)).collect();
        self.levels = levels.into_iter().map(&mut level).collect::<io::Result<_>>()?;
        Ok(())
    }

    /// Merges all runs.
    pub fn merge(&self) -> Merge {
        Merge::new(self.shape, self.readers().collect())
    }

    /// A reader of each run, from its beginning.
    pub fn readers(&self) -> impl Iterator<Item = RunReader> {
        self.runs().map(Run::reader)
    }

    /// Merges all runs to one.
    pub fn into_one(mut self) -> io::Result<Run> {
        let mut runs: Vec<Run> = self.levels.drain(..).flatten().collect();
        if runs.len() == 1
            && let Some(run) = runs.pop()
        {
            return Ok(run);
        }
        self.merged(runs)
    }

    /// All runs, one by one.
    pub fn into_runs(self) -> impl Iterator<Item = Run> {
        self.levels.into_iter().flatten()
    }

    /// Takes all runs out.
    pub fn take(&mut self) -> Self {
        let empty = Self::new(&self.disk, self.class, self.shape, self.fan);
        std::mem::replace(self, empty)
    }

    fn runs(&self) -> impl Iterator<Item = &Run> {
        self.levels.iter().flatten()
    }

    /// Whether there is no run.
    pub fn is_empty(&self) -> bool {
        self.runs().next().is_none()
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.runs().map(Run::records).sum()
    }

    /// Number of records in memory.
    pub fn in_memory(&self) -> usize {
        self.runs().map(Run::in_memory).sum()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.runs().map(Run::bytes).sum()
    }
}

/// Sorts records of up to eight words in place; returns `false` for others. That is several times
/// as fast as sorting their numbers.
fn sort_in_place(words: &mut [u64], stride: Option<usize>) -> bool {
    match stride {
        Some(1) => words.sort_unstable(),
        Some(2) => words.as_chunks_mut::<2>().0.sort_unstable(),
        Some(3) => words.as_chunks_mut::<3>().0.sort_unstable(),
        Some(4) => words.as_chunks_mut::<4>().0.sort_unstable(),
        Some(5) => words.as_chunks_mut::<5>().0.sort_unstable(),
        Some(6) => words.as_chunks_mut::<6>().0.sort_unstable(),
        Some(7) => words.as_chunks_mut::<7>().0.sort_unstable(),
        Some(8) => words.as_chunks_mut::<8>().0.sort_unstable(),
        _ => return false,
    }
    true
}

/// Sorts any number of records that come in any order.
#[derive(Debug)]
pub struct Sorter {
    /// Most words in memory.
    most: usize,
    words: Vec<u64>,
    runs: SortedRuns,
}

impl Sorter {
    /// Sorts records into one of these runs; there are none yet. At least one record, and about
    /// `memory` bytes of them, are in memory.
    pub fn new(runs: SortedRuns, memory: usize) -> Self {
        debug_assert!(runs.is_empty());
        Self { most: (memory / 8).max(runs.shape.least_words()), words: Vec::new(), runs }
    }

    /// Adds a record.
    pub fn push(&mut self, record: &[u64]) -> io::Result<()> {
        if self.words.len() + record.len() > self.most {
            self.write()?;
        }
        self.words.extend_from_slice(record);
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let SortedRuns { ref disk, class, shape, .. } = self.runs;
        if !sort_in_place(&mut self.words, shape.stride()) {
            let rows = Rows { states: &self.words, shape, origins: None };
            let run = rows.write_sorted(disk, class)?;
            self.words.clear();
            return self.runs.add(run);
        }
        let mut run = RunWriter::new(disk, class, shape);
        let mut before: &[u64] = &[];
        for record in shape.entries(&self.words) {
            let same = shape.identity(record);
            if std::mem::replace(&mut before, same) != same {
                run.push(record)?;
            }
        }
        self.words.clear();
        self.runs.add(run.finish()?)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.runs.bytes()
    }

    /// Ends the input and returns the sorted run.
    pub fn finish(mut self) -> io::Result<Run> {
        self.write()?;
        self.words = Vec::new();
        self.runs.into_one()
    }
}

/// Reads two sorted rows side by side. `each` gets every record of both in order, once, and whether
/// it is only in the second row.
pub fn join(
    (old_shape, new_shape): (EntryShape, EntryShape),
    known: &mut Merge,
    candidates: &mut Merge,
    mut each: impl FnMut(&[u64], bool) -> io::Result<()>,
) -> io::Result<()> {
    let mut old = known.next()?;
    let mut new = candidates.next()?;
    loop {
        match (old, new) {
            (Some(first), Some(second)) if old_shape.identity(first) <= new_shape.identity(second) => {
                let is_same = old_shape.identity(first) == new_shape.identity(second);
                each(first, false)?;
                old = known.next()?;
                if is_same {
                    new = candidates.next()?;
                }
            }
            (Some(first), None) => {
                each(first, false)?;
                old = known.next()?;
            }
            (_, Some(second)) => {
                each(second, true)?;
                new = candidates.next()?;
            }
            (None, None) => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::store::records::RecordShape;

    fn all(run: &Run) -> Vec<Vec<u64>> {
        let (mut reader, mut records) = (run.reader(), Vec::new());
        while let Some(record) = reader.peek().unwrap() {
            records.push(record.to_vec());
            reader.advance();
        }
        records
    }

    /// A state of one to five words that begins with this number.
    fn varying(number: u64) -> Vec<u64> {
        let len = 1 + number % 5;
        [number << 16 | len].into_iter().chain((1..len).map(|word| number * word)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The same with states of varying length, and origins that do not tell records apart.
        #[test]
        fn varying_states_that_are_sorted_are_a_set_in_order(
            records in prop::collection::vec((0..300u64, 0..9u64), 0..3000), memory in 0..4000usize,
        ) {
            let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
            let shape = EntryShape::of(RecordShape::Prefixed).with_origin(true);
            let mut sorter = Sorter::new(SortedRuns::new(&disk, FileClass::Layer, shape, 2), memory);
            let mut expected: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
            for (number, origin) in records {
                let state = varying(number);
                sorter.push(&[&state[..], &[origin]].concat()).unwrap();
                let least = expected.entry(state).or_insert(origin);
                *least = origin.min(*least);
            }
            let expected: Vec<Vec<u64>> =
                expected.into_iter().map(|(state, origin)| [&state[..], &[origin]].concat()).collect();
            prop_assert_eq!(all(&sorter.finish().unwrap()), expected);
        }

        /// Merges many tiny runs: each key stays once, with its least word.
        #[test]
        fn what_is_sorted_is_a_set_in_order(records in prop::collection::vec((0..300u64, 0..9u64), 0..3000), memory in 0..4000usize) {
            let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
            let mut sorter = Sorter::new(SortedRuns::new(&disk, FileClass::Layer, EntryShape::words(1).with_origin(true), 2), memory);
            let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
            for (key, word) in records {
                sorter.push(&[key, word]).unwrap();
                let least = expected.entry(key).or_insert(word);
                *least = word.min(*least);
            }
            let expected: Vec<Vec<u64>> = expected.into_iter().map(|(key, word)| vec![key, word]).collect();
            prop_assert_eq!(all(&sorter.finish().unwrap()), expected);
        }

        #[test]
        fn what_is_joined_is_told_apart(
            known in prop::collection::btree_set(0..200u64, 0..99), new in prop::collection::btree_set(0..200u64, 0..99), varies: bool,
        ) {
            let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
            let shape = EntryShape::of(if varies { RecordShape::Prefixed } else { RecordShape::Fixed(1) });
            let state = |number: u64| if varies { varying(number) } else { vec![number << 16] };
            let merge = |set: &BTreeSet<u64>| {
                let states: Vec<u64> = set.iter().rev().flat_map(|number| state(*number)).collect();
                let run = Rows { states: &states, shape, origins: None }.write_sorted(&disk, FileClass::Layer);
                Merge::new(shape, vec![run.unwrap().reader()])
            };
            let mut told = Vec::new();
            join((shape, shape), &mut merge(&known), &mut merge(&new), |record, is_new| {
                assert_eq!(record, state(record[0] >> 16));
                told.push((record[0] >> 16, is_new));
                Ok(())
            }).unwrap();
            let expected: Vec<(u64, bool)> = known.union(&new).map(|state| (*state, !known.contains(state))).collect();
            prop_assert_eq!(told, expected);
        }
    }
}
