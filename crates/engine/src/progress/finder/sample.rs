//! A sample of the state space that shows how the whole behaves.
//!
//! What is sampled matters more than how much. Three kinds of states are expanded: sub-spaces in
//! which only a few processes move (they contain whole cycles, which a breadth-first prefix of a
//! large model never closes), a breadth-first prefix, and small breadth-first probes from random
//! leaves of both. Every state of the sample is reachable from the initial state through expanded
//! states, so a search can be simulated on it.
//!
//! If a search goes on beside, probes begin at states that it has explored. They are *roots* of the
//! sample: it contains no steps to them, and the simulation makes them wait from the beginning.
//!
//! The sample contains all steps of each expanded state. Steps that make the same changes are of
//! one *kind*. There are far fewer kinds than steps, so the finder learns from kinds.

mod drawing;
mod kinds;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::store::layer::LayerFull;
use logic::strong_components::components_by_edges;
use model::guarded_commands::GuardedCommands;
use model::random::Random;
use model::state_layout::{Field, StateLayout};
use model::transition_system::TransitionSystem;

use drawing::Drawing;
pub use kinds::Change;

/// The number of a state that is not expanded.
const LEAF: u32 = u32::MAX;

/// What a sample is drawn from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The model.
    pub model: &'a GuardedCommands,
    /// The model in executable form.
    pub system: &'a dyn TransitionSystem,
    /// The layout of its states.
    pub layout: &'a StateLayout,
    /// States that a search has explored, stored contiguously. If there are any, probes begin at
    /// them.
    pub explored: &'a [u64],
    /// Once this is set, a sample is of no use. It is left unfinished then.
    pub stop: &'a AtomicBool,
}

impl Source<'_> {
    /// Whether the sample is of no use any more.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What is known of the steps of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Their kinds, so that orders can be learned from them.
    Kinds,
    /// Only where they lead. This takes a third of the time and of the memory.
    Targets,
}

/// Expanded states, numbered in the order of their expansion; the initial state is number 0.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The expanded states, stored contiguously.
    words: Vec<u64>,
    /// The fields of the cells.
    fields: Vec<Field>,
    /// The target of each step between expanded states, without loops, and the first step of each
    /// state.
    inner_targets: Vec<u32>,
    inner_first: Vec<u32>,
    steps: usize,
    /// By kind of step, how many there are.
    steps_of_kinds: Vec<u32>,
    /// By kind of step, how many there are only for tests.
    tests_of_kinds: Vec<u32>,
    /// By cell.
    changes: Vec<Vec<Change>>,
    /// By cell, whether a step changes it.
    is_changed: Vec<bool>,
    /// Expanded states beside the initial one to which no step of the sample need lead, ascending.
    roots: Vec<u32>,
    /// Whether this is the whole state space.
    pub complete: bool,
    /// Number of distinct states, leaves included.
    pub states: usize,
}

impl Sample {
    /// Number of expanded states.
    pub fn len(&self) -> usize {
        self.inner_first.len() - 1
    }

    /// The expanded states, stored contiguously.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Whether there are no expanded states, because the initial one could not be expanded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of steps from expanded states.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The contents of a cell in all expanded states.
    pub fn column(&self, cell: usize) -> impl Iterator<Item = u32> {
        let (field, width) = (self.fields[cell], self.words.len() / self.len().max(1));
        let states = self.words.chunks_exact(width.max(1));
        states.map(move |state| (state[field.word as usize] >> field.shift & field.mask()) as u32)
    }

    /// The contents of a cell in one expanded state.
    pub fn value(&self, cell: usize, state: usize) -> u32 {
        let (field, width) = (self.fields[cell], self.words.len() / self.len().max(1));
        (self.words[state * width + field.word as usize] >> field.shift & field.mask()) as u32
    }

    /// Values of a cell that occur in the sample, some of them several times. All values of
    /// expanded states are among them.
    pub fn occurring(&self, cell: usize) -> impl Iterator<Item = u32> {
        let changes = self.changes[cell].iter();
        // Without kinds, only the states are left to look at.
        let all = if self.steps_of_kinds.is_empty() { self.len() } else { 1 };
        let roots = self.roots.iter().map(move |root| self.value(cell, *root as usize));
        // The values before steps of explored states need not occur in the sample otherwise.
        let (from, to) = (changes.clone().map(|change| change.from), changes.map(|change| change.to));
        let from = from.take(if self.roots.is_empty() { 0 } else { usize::MAX });
        self.column(cell).take(all).chain(roots).chain(from).chain(to)
    }

    /// Number of steps of a kind.
    pub fn steps_of(&self, kind: usize) -> u32 {
        self.steps_of_kinds[kind]
    }

    /// Number of kinds of steps.
    pub fn kinds(&self) -> usize {
        self.steps_of_kinds.len()
    }

    /// The changes of a cell by kinds of steps.
    pub fn changes(&self, cell: usize) -> &[Change] {
        &self.changes[cell]
    }

    /// Number of steps of a kind that nothing is learned from.
    pub fn tests_of(&self, kind: usize) -> u32 {
        self.tests_of_kinds[kind]
    }

    /// Whether a step of the sample changes a cell.
    pub fn is_changed(&self, cell: usize) -> bool {
        self.is_changed[cell]
    }

    /// Expanded states beside the initial one to which no step of the sample need lead, ascending.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// Bytes held by the sample.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let changes: usize =
            self.changes.iter().map(|changes| changes.capacity() * size_of::<Change>()).sum();
        let kinds = self.steps_of_kinds.capacity() + self.tests_of_kinds.capacity();
        let steps = self.inner_targets.capacity() + self.inner_first.capacity();
        8 * self.words.capacity() + 4 * (kinds + steps + self.roots.capacity()) + changes
    }

    /// States without steps, stored contiguously.
    pub fn cloud(layout: &StateLayout, states: &[u64]) -> Self {
        let count = states.len() / layout.words().max(1);
        Self {
            words: states.to_vec(),
            fields: layout.fields().to_vec(),
            inner_targets: Vec::new(),
            inner_first: vec![0; count + 1],
            steps: 0,
            steps_of_kinds: Vec::new(),
            tests_of_kinds: Vec::new(),
            changes: vec![Vec::new(); layout.fields().len()],
            is_changed: vec![true; layout.fields().len()],
            roots: Vec::new(),
            complete: false,
            states: count,
        }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.fields.len()
    }

    /// The expanded successors of an expanded state.
    #[inline]
    pub fn inner_successors(&self, state: usize) -> &[u32] {
        &self.inner_targets[self.inner_first[state] as usize..self.inner_first[state + 1] as usize]
    }

    /// Number of states in the largest strongly connected component.
    pub fn largest_component(&self) -> usize {
        let target =
            |state: usize, step: usize| self.inner_successors(state).get(step).map(|to| *to as usize);
        let mut sizes = vec![0; self.len()];
        components_by_edges(self.len(), target)
            .of
            .into_iter()
            .for_each(|component| sizes[component as usize] += 1);
        sizes.into_iter().max().unwrap_or(0)
    }

    /// Draws a sample of about `size` expansions. A sample of explored states also learns kinds of
    /// steps from them.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn draw(
        source: &Source<'_>,
        size: usize,
        knowledge: Knowledge,
        random: &mut Random,
    ) -> Result<Self, LayerFull> {
        let mut drawing = Drawing::new(source)?;
        if drawing.begin()? {
            drawing.sub_spaces(size, random)?;
            drawing.prefix(size)?;
            drawing.probes(size, random)?;
        }
        drawing.finish(knowledge, random)
    }
}
