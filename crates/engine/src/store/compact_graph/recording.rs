//! Recording: from steps between states to rows of numbers, by sorting.
//!
//! While the search runs, two sequences of records grow: the expanded states in the order of their
//! numbers, and the steps as target, source and action. Initial states are targets of steps without
//! a source. Afterwards:
//!
//! 1. States are sorted. All numbers of a state except the first are *copies*, which one pass
//!    finds.
//! 2. Sorted states and sorted steps are joined, which gives each target its number. Steps from
//!    copies are dropped.
//! 3. Steps are sorted again, by source, and become rows.
//!
//! A step inside a layer has numbers at both ends as soon as the search takes it. In the first
//! sweep no state has two numbers, so such steps need no sorting. They come in the order of their
//! sources, and are merged with the others at the end. A breadth-first search, which has one layer,
//! sorts nothing.

use std::io;

use super::{Edge, RecordedGraph, RowWriter, damaged};
use crate::store::bit_vector::{BitVector, Ranks};
use crate::store::external::disk::{Disk, FileClass};
use crate::store::external::run::{Run, RunReader, RunWriter};
use crate::store::external::sort::{SortedRuns, Sorter};
use crate::store::records::{EntryShape, RecordShape};

/// Number of runs that are merged together.
const FAN: usize = 16;
/// Number of records between two calls of `goes_on`.
const RECORDS_PER_LOOK: u32 = 1 << 16;
/// Number of bits of an action number, below the number of a source in the same word. Models have
/// no more actions.
const ACTION: u32 = 24;
/// The source number that stands for no source, for initial states.
const NOWHERE: u64 = u64::MAX >> ACTION;

/// Source and action in one word.
fn origin(source: u64, action: u32) -> u64 {
    debug_assert!(action >> ACTION == 0 && source <= NOWHERE);
    source << ACTION | u64::from(action)
}

fn origin_of(word: u64) -> (u64, u32) {
    (word >> ACTION, (word & ((1 << ACTION) - 1)) as u32)
}

/// Sizes of the buffers in memory.
#[derive(Clone, Copy, Debug)]
pub struct GraphMemory {
    /// Bytes for sorting states, and as many for steps.
    pub sorted: usize,
    /// Number of nodes and steps of a block of rows.
    pub block: usize,
}

/// States and steps of a running search.
#[derive(Debug)]
pub struct GraphRecording {
    disk: Disk,
    shape: EntryShape,
    memory: GraphMemory,
    /// Expanded states in the order of their numbers.
    states: RunWriter,
    initial: Vec<(u32, Vec<u64>)>,
    /// Target, then source and action.
    steps: Sorter,
    has_steps: bool,
    /// Source and action, then the number of the target; in the order of sources.
    numbered: RunWriter,
    /// Whether a layer begins with the state of this number.
    layers: BitVector,
    /// For each proposition, whether it is true in the state of this number.
    truths: Vec<BitVector>,
    record: Vec<u64>,
}

/// Shape of a step between numbered states: source and action, then target.
fn numbered_step() -> EntryShape {
    EntryShape::words(2)
}

fn sorter(disk: &Disk, shape: EntryShape, memory: GraphMemory) -> Sorter {
    Sorter::new(SortedRuns::new(disk, FileClass::Steps, shape, FAN), memory.sorted)
}

fn for_each(reader: &mut RunReader, mut each: impl FnMut(&[u64]) -> io::Result<()>) -> io::Result<()> {
    while let Some(record) = reader.peek()? {
        each(record)?;
        reader.advance();
    }
    Ok(())
}

/// Calls `goes_on` now and then.
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
    /// Creates an empty recording of states of this shape.
    pub fn new(disk: &Disk, shape: RecordShape, propositions: usize, memory: GraphMemory) -> Self {
        let shape = EntryShape::of(shape);
        Self {
            disk: disk.clone(),
            shape,
            memory,
            states: RunWriter::new(disk, FileClass::Steps, shape),
            initial: Vec::new(),
            steps: sorter(disk, shape.with_word(), memory),
            has_steps: false,
            numbered: RunWriter::new(disk, FileClass::Steps, numbered_step()),
            layers: BitVector::default(),
            truths: vec![BitVector::default(); propositions],
            record: Vec::new(),
        }
    }

    /// Adds the state with the next number. A layer may begin with it.
    pub fn add_state(&mut self, state: &[u64], truth: u64, begins_layer: bool) -> io::Result<()> {
        self.layers.push(begins_layer);
        for (bit, truths) in self.truths.iter_mut().enumerate() {
            truths.push(truth >> bit & 1 != 0);
        }
        self.states.push(self.shape.state().first(state))
    }

    /// Adds a step from the state with this number.
    pub fn add_step(&mut self, source: u64, action: u32, target: &[u64]) -> io::Result<()> {
        self.has_steps = true;
        self.record.clear();
        self.record.extend_from_slice(self.shape.state().first(target));
        self.record.push(origin(source, action));
        self.steps.push(&self.record)
    }

    /// Adds a step between two numbered states. No state up to either of them has two numbers.
    /// Steps come in the order of their sources.
    #[inline]
    pub fn add_numbered_step(&mut self, source: u64, action: u32, target: u64) -> io::Result<()> {
        self.numbered.push(&[origin(source, action), target])
    }

    /// Adds the initial state with this number.
    pub fn add_initial(&mut self, number: u32, state: &[u64]) {
        self.initial.push((number, self.shape.state().first(state).to_vec()));
    }

    /// Number of expanded states.
    pub fn states(&self) -> u64 {
        self.layers.len()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let bits = self.layers.bytes() + self.truths.iter().map(BitVector::bytes).sum::<usize>();
        self.states.bytes() + self.steps.bytes() + self.numbered.bytes() + bits
    }

    /// Gives all states another layout of `width` words.
    pub fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let (shape, memory) = (EntryShape::words(width), self.memory);
        let (step, mut state) = (self.shape.with_word(), Vec::new());
        let states = std::mem::replace(&mut self.states, RunWriter::new(&self.disk, FileClass::Steps, shape));
        for_each(&mut states.into_reader()?, |record| {
            state.clear();
            translate(record, &mut state);
            self.states.push(&state)
        })?;
        let steps =
            std::mem::replace(&mut self.steps, sorter(&self.disk, shape.with_word(), memory)).finish()?;
        for_each(&mut steps.reader(), |record| {
            state.clear();
            translate(step.state_of(record), &mut state);
            state.extend(step.origin_of(record));
            self.steps.push(&state)
        })?;
        for (_, initial) in &mut self.initial {
            state.clear();
            translate(initial, &mut state);
            initial.clone_from(&state);
        }
        self.shape = shape;
        Ok(())
    }

    /// Ends the recording of a search that has expanded every state, and returns the graph. Calls
    /// `goes_on` now and then; if that returns `false`, the error has the kind `Interrupted`.
    pub fn finish(mut self, goes_on: &mut dyn FnMut() -> bool) -> io::Result<RecordedGraph> {
        let mut patience = Patience { goes_on, calls: 0 };
        if !self.has_steps {
            return self.finish_numbered(&mut patience);
        }
        for (number, state) in std::mem::take(&mut self.initial) {
            self.add_step(NOWHERE, number, &state)?;
        }
        let Self { disk, shape, memory, states, steps, numbered, layers, truths, .. } = self;
        let shape = shape.with_word();
        let states = sorted(states, &disk, shape, memory, &mut patience)?;
        let firsts = Ranks::new(first_numbers(&states, shape, layers.len())?);
        let mut rows = sorter(&disk, numbered_step(), memory);
        let initial = join(&states, &steps.finish()?, shape, &firsts, |row| {
            patience.try_on()?;
            rows.push(&row)
        })?;
        drop(states);
        let rows = [rows.finish()?.reader(), numbered.into_reader()?];
        let layers = carried_on(&layers, firsts.bits());
        let truths = truths.iter().map(|truths| kept(truths, firsts.bits())).collect();
        written(&disk, memory, rows, &layers, initial, truths, &mut patience)
    }

    /// Writes the graph if all steps have numbers.
    fn finish_numbered(self, patience: &mut Patience) -> io::Result<RecordedGraph> {
        let Self { disk, memory, states, numbered, layers, truths, initial: wanted, .. } = self;
        let mut initial = Vec::new();
        let (mut states, mut number) = (states.into_reader()?, 0);
        while initial.len() < wanted.len()
            && let Some(state) = states.peek()?
        {
            initial
                .extend(wanted.iter().filter(|(_, one)| one == state).map(|(action, _)| (*action, number)));
            states.advance();
            number += 1;
        }
        drop(states);
        initial.sort_unstable();
        let nothing = RunWriter::new(&disk, FileClass::Steps, numbered_step()).into_reader()?;
        written(&disk, memory, [nothing, numbered.into_reader()?], &layers, initial, truths, patience)
    }
}

/// Sorts all states, with their numbers.
fn sorted(
    states: RunWriter,
    disk: &Disk,
    shape: EntryShape,
    memory: GraphMemory,
    patience: &mut Patience,
) -> io::Result<Run> {
    let (mut sorter, mut record, mut number) = (sorter(disk, shape, memory), Vec::new(), 0);
    for_each(&mut states.into_reader()?, |state| {
        patience.try_on()?;
        record.clear();
        record.extend_from_slice(state);
        record.push(number);
        number += 1;
        sorter.push(&record)
    })?;
    sorter.finish()
}

/// Writes the graph of these steps; both sequences are in the order of sources.
fn written(
    disk: &Disk,
    memory: GraphMemory,
    steps: [RunReader; 2],
    layers: &BitVector,
    initial: Vec<(u32, u64)>,
    truths: Vec<BitVector>,
    patience: &mut Patience,
) -> io::Result<RecordedGraph> {
    let mut writer = RowWriter::new(disk, memory.block);
    write_rows(steps, layers, |edges, begins_layer| {
        patience.try_on()?;
        writer.push(edges, begins_layer)
    })?;
    Ok(RecordedGraph { graph: writer.finish(initial)?, truths })
}

/// The numbers under which states were expanded for the first time.
fn first_numbers(states: &Run, shape: EntryShape, records: u64) -> io::Result<BitVector> {
    let mut firsts = BitVector::new(records, false);
    let mut before = Vec::new();
    for_each(&mut states.reader(), |record| {
        let (state, number) = (shape.state_of(record), shape.origin_of(record).unwrap_or_default());
        if before != state {
            firsts.set(number, true);
            before.clear();
            before.extend_from_slice(state);
        }
        Ok(())
    })?;
    Ok(firsts)
}

/// Calls `each` with every step as source, action and target. Returns the initial states.
fn join(
    states: &Run,
    steps: &Run,
    shape: EntryShape,
    firsts: &Ranks,
    mut each: impl FnMut([u64; 2]) -> io::Result<()>,
) -> io::Result<Vec<(u32, u64)>> {
    let mut initial = Vec::new();
    let mut states = states.reader();
    for_each(&mut steps.reader(), |step| {
        let (target, origin) = (shape.state_of(step), shape.origin_of(step).ok_or_else(damaged)?);
        let (source, action) = origin_of(origin);
        // Of equal states, the first has the least number: the reader stays there.
        while states.peek()?.is_some_and(|state| shape.state_of(state) < target) {
            states.advance();
        }
        let state = states.peek()?.filter(|state| shape.state_of(state) == target);
        let state = state.ok_or_else(|| io::Error::other("a successor was never expanded"))?;
        let target = firsts.rank(shape.origin_of(state).ok_or_else(damaged)?);
        if source == NOWHERE {
            initial.push((action, target));
        } else if firsts.bits().get(source) {
            each([self::origin(firsts.rank(source), action), target])?;
        }
        Ok(())
    })?;
    initial.sort_unstable();
    Ok(initial)
}

/// Calls `write` with the row of each node, and whether a layer begins with it.
fn write_rows(
    mut steps: [RunReader; 2],
    layers: &BitVector,
    mut write: impl FnMut(&[Edge], bool) -> io::Result<()>,
) -> io::Result<()> {
    let mut edges = Vec::new();
    for node in 0..layers.len() {
        edges.clear();
        for steps in &mut steps {
            while let Some(&[origin, target]) = steps.peek()? {
                let (source, action) = origin_of(origin);
                if source != node {
                    break;
                }
                edges.push(Edge { action, target });
                steps.advance();
            }
        }
        edges.sort_unstable();
        // A step that was taken when its layer spilled may have been taken twice.
        edges.dedup();
        write(&edges, layers.get(node))?;
    }
    Ok(())
}

/// The bits of chosen numbers.
fn kept(bits: &BitVector, chosen: &BitVector) -> BitVector {
    let mut kept = BitVector::default();
    (0..bits.len()).filter(|number| chosen.get(*number)).for_each(|number| kept.push(bits.get(number)));
    kept
}

/// The bits of chosen numbers. The bit of a number that is not chosen moves to the next that is.
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
