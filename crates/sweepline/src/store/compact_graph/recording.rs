//! From steps between states to rows of numbers, by sorting.
//!
//! While the search runs, two rows of records grow: `(state, number)` for each state that is expanded, `(target, source, action)` for each step. The
//! initial states are targets of steps from nowhere. Afterwards:
//!
//! 1. all numbers of a state but the first are *copies*, found by one look through the sorted states;
//! 2. sorted states and sorted steps are read side by side, which gives each target its number; steps from copies are left out;
//! 3. steps are sorted again, by source, and become rows.

use std::io;

use super::{Edge, RecordedGraph, RowWriter, damaged};
use crate::store::bit_vector::{BitVector, Ranks};
use crate::store::external::disk::{Disk, FileClass};
use crate::store::external::run::Run;
use crate::store::external::sort::{SortedRuns, Sorter};

/// Runs that are merged together.
const FAN: usize = 16;
/// Records between two questions whether to go on.
const RECORDS_PER_LOOK: u32 = 1 << 16;
/// The source of initial states.
const NOWHERE: u64 = u64::MAX;

/// What may be in memory.
#[derive(Clone, Copy, Debug)]
pub struct GraphMemory {
    /// Bytes for sorting: states, and as many for steps.
    pub sorted: usize,
    /// Nodes and steps of a block of rows.
    pub block: usize,
}

/// States and steps of a search that runs.
#[derive(Debug)]
pub struct GraphRecording {
    disk: Disk,
    width: usize,
    memory: GraphMemory,
    states: Sorter,
    steps: Sorter,
    /// Whether a layer begins with the state of this number.
    layers: BitVector,
    /// For each proposition, whether it is true in the state of this number.
    truths: Vec<BitVector>,
    record: Vec<u64>,
}

fn sorter(disk: &Disk, stride: usize, memory: GraphMemory) -> Sorter {
    Sorter::new(SortedRuns::new(disk, FileClass::Steps, stride, stride, FAN), memory.sorted)
}

fn for_each(run: &Run, mut each: impl FnMut(&[u64]) -> io::Result<()>) -> io::Result<()> {
    let mut reader = run.reader();
    while let Some(record) = reader.peek()? {
        each(record)?;
        reader.advance();
    }
    Ok(())
}

/// Asks, now and then, whether to go on.
struct Patience<'a> {
    goes_on: &'a mut dyn FnMut() -> bool,
    calls: u32,
}

impl Patience<'_> {
    fn try_on(&mut self) -> io::Result<()> {
        self.calls = self.calls.wrapping_add(1);
        if self.calls.is_multiple_of(RECORDS_PER_LOOK) && !(self.goes_on)() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}

impl GraphRecording {
    /// Nothing yet. States have `width` words.
    pub fn new(disk: &Disk, width: usize, propositions: usize, memory: GraphMemory) -> Self {
        Self {
            disk: disk.clone(),
            width,
            memory,
            states: sorter(disk, width + 1, memory),
            steps: sorter(disk, width + 2, memory),
            layers: BitVector::default(),
            truths: vec![BitVector::default(); propositions],
            record: Vec::new(),
        }
    }

    /// The state with the next number was expanded. A layer may begin with it.
    pub fn add_state(&mut self, state: &[u64], truth: u64, begins_layer: bool) -> io::Result<()> {
        self.record.clear();
        self.record.extend_from_slice(&state[..self.width]);
        self.record.push(self.layers.len());
        self.layers.push(begins_layer);
        for (bit, truths) in self.truths.iter_mut().enumerate() {
            truths.push(truth >> bit & 1 != 0);
        }
        self.states.push(&self.record)
    }

    /// A step from the state with this number.
    pub fn add_step(&mut self, source: u64, action: u32, target: &[u64]) -> io::Result<()> {
        self.record.clear();
        self.record.extend_from_slice(&target[..self.width]);
        self.record.extend([source, u64::from(action)]);
        self.steps.push(&self.record)
    }

    /// The initial state with this number.
    pub fn add_initial(&mut self, number: u32, state: &[u64]) -> io::Result<()> {
        self.add_step(NOWHERE, number, state)
    }

    /// States that were expanded.
    pub fn states(&self) -> u64 {
        self.layers.len()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let bits = self.layers.bytes() + self.truths.iter().map(BitVector::bytes).sum::<usize>();
        self.states.bytes() + self.steps.bytes() + bits
    }

    /// Gives all states another layout.
    pub fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let (old, memory) = (self.width, self.memory);
        let mut state = Vec::new();
        for (rows, behind) in [(&mut self.states, 1), (&mut self.steps, 2)] {
            let run = std::mem::replace(rows, sorter(&self.disk, width + behind, memory)).finish()?;
            for_each(&run, |record| {
                state.clear();
                translate(&record[..old], &mut state);
                state.extend_from_slice(&record[old..]);
                rows.push(&state)
            })?;
        }
        self.width = width;
        Ok(())
    }

    /// The search has expanded every state that it met: the graph. Now and then it is asked whether to go on; if not, there is an error of the
    /// kind `Interrupted`.
    pub fn finish(self, goes_on: &mut dyn FnMut() -> bool) -> io::Result<RecordedGraph> {
        let mut patience = Patience { goes_on, calls: 0 };
        let Self { disk, width, memory, states, steps, layers, truths, .. } = self;
        let states = states.finish()?;
        let firsts = Ranks::new(first_numbers(&states, width, layers.len())?);
        let mut rows = sorter(&disk, 3, memory);
        let initial = join(&states, &steps.finish()?, width, &firsts, |row| {
            patience.try_on()?;
            rows.push(&row)
        })?;
        drop(states);
        let rows = rows.finish()?;
        let layers = carried_on(&layers, firsts.bits());
        let mut writer = RowWriter::new(&disk, memory.block);
        write_rows(&rows, &layers, |edges, begins_layer| {
            patience.try_on()?;
            writer.push(edges, begins_layer)
        })?;
        let graph = writer.finish(initial)?;
        let truths = truths.iter().map(|truths| kept(truths, firsts.bits())).collect();
        Ok(RecordedGraph { graph, truths })
    }
}

/// Numbers under which a state was expanded for the first time.
fn first_numbers(states: &Run, width: usize, records: u64) -> io::Result<BitVector> {
    let mut firsts = BitVector::new(records, false);
    let mut before = Vec::new();
    for_each(states, |record| {
        let (state, number) = record.split_at(width);
        if before != state {
            firsts.set(number[0], true);
            before.clear();
            before.extend_from_slice(state);
        }
        Ok(())
    })?;
    Ok(firsts)
}

/// Gives each step as source, action and target, but for those of initial states, which are told at the end.
fn join(
    states: &Run,
    steps: &Run,
    width: usize,
    firsts: &Ranks,
    mut each: impl FnMut([u64; 3]) -> io::Result<()>,
) -> io::Result<Vec<(u32, u64)>> {
    let mut initial = Vec::new();
    let mut states = states.reader();
    for_each(steps, |step| {
        let (target, &[source, action]) = step.split_at(width) else { return Err(damaged()) };
        // The first of equal states has the least number: there the reader stays.
        while states.peek()?.is_some_and(|state| &state[..width] < target) {
            states.advance();
        }
        let state = states.peek()?.filter(|state| &state[..width] == target);
        let state = state.ok_or_else(|| io::Error::other("a successor was never expanded"))?;
        let target = firsts.rank(state[width]);
        if source == NOWHERE {
            initial.push((action as u32, target));
        } else if firsts.bits().get(source) {
            each([firsts.rank(source), action, target])?;
        }
        Ok(())
    })?;
    initial.sort_unstable();
    Ok(initial)
}

/// Gives the row of each node, and whether a layer begins with it.
fn write_rows(
    steps: &Run,
    layers: &BitVector,
    mut write: impl FnMut(&[Edge], bool) -> io::Result<()>,
) -> io::Result<()> {
    let mut steps = steps.reader();
    let mut edges = Vec::new();
    for node in 0..layers.len() {
        edges.clear();
        while let Some(&[_, action, target]) = steps.peek()?.filter(|step| step[0] == node) {
            edges.push(Edge { action: action as u32, target });
            steps.advance();
        }
        write(&edges, layers.get(node))?;
    }
    Ok(())
}

/// The bits of those that are chosen.
fn kept(bits: &BitVector, chosen: &BitVector) -> BitVector {
    let mut kept = BitVector::default();
    (0..bits.len()).filter(|number| chosen.get(*number)).for_each(|number| kept.push(bits.get(number)));
    kept
}

/// The same, and a bit of one that is not chosen goes to the next that is.
fn carried_on(bits: &BitVector, chosen: &BitVector) -> BitVector {
    let (mut kept, mut carried) = (BitVector::default(), false);
    for number in 0..bits.len() {
        carried |= bits.get(number);
        if chosen.get(number) {
            kept.push(std::mem::take(&mut carried));
        }
    }
    kept
}
