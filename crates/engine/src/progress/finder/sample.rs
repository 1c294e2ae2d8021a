//! A sample of the state space that shows how the whole behaves.
//!
//! What is sampled matters more than how much. Three kinds of states are expanded: sub-spaces in
//! which only a few processes move (they contain whole cycles, which a breadth-first prefix of a
//! large model never closes), a breadth-first prefix, and small breadth-first probes from random
//! leaves of both. Every state of the sample is reachable from the initial state through expanded
//! states, so a search can be simulated on it.
//!
//! The sample contains all steps of each expanded state. Steps that make the same changes are of
//! one *kind*. There are far fewer kinds than steps, so the finder learns from kinds.

use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::records::{RecordShape, with_records};
use logic::strong_components::components_by_edges;
use model::guarded_commands::{ActionId, GuardedCommands};
use model::random::Random;
use model::state_layout::{Field, StateLayout};
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, TransitionSystem};

/// Shares of the expansions, in percent, for sub-spaces and for the breadth-first prefix; the rest
/// is for probes.
const SUB_SPACES: usize = 25;
const PREFIX: usize = 40;
/// Limit on the number of sub-spaces.
const MOST_SUB_SPACES: usize = 40;
/// Expansions of one probe.
const PROBE: usize = 100;
/// Probes that continue from each other.
const CHAIN: usize = 20;

/// States that are expanded together.
const TOGETHER: usize = 32;

/// The number of a state that is not expanded.
const LEAF: u32 = u32::MAX;

/// A change of one cell by steps of one kind: contents of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Number of the kind.
    pub kind: u32,
    /// Steps of this kind.
    pub steps: u32,
    /// Content before the step.
    pub from: u32,
    /// Content after the step.
    pub to: u32,
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
    /// By cell.
    changes: Vec<Vec<Change>>,
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

    /// Draws a sample of about `size` expansions.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn draw(
        model: &GuardedCommands,
        system: &dyn TransitionSystem,
        layout: &StateLayout,
        size: usize,
        random: &mut Random,
    ) -> Result<Self, LayerFull> {
        let mut drawing = Drawing::new(system, layout)?;
        let mut initial = vec![0; layout.words()];
        if layout.encode(&model.initial_state(), &mut initial).is_ok() {
            with_records!(layout.shape(), records => drawing.states.insert(records, &initial)?);
            drawing.expansion.push(LEAF);
            drawing.sub_spaces(model, size * SUB_SPACES / 100, random)?;
            let prefix = drawing.expanded.len() + size * PREFIX / 100;
            drawing.spread(0, prefix, |_| true)?;
            drawing.probes(size, random)?;
        }
        drawing.finish(layout)
    }
}

struct Drawing<'a> {
    expander: Box<dyn Expander + 'a>,
    states: Layer,
    /// For each state its number among the expanded ones, or [`LEAF`].
    expansion: Vec<u32>,
    /// States in the order of their expansion.
    expanded: Vec<u32>,
    first_step: Vec<u32>,
    /// State and action of each step.
    steps: Vec<(u32, ActionId)>,
    batch: SuccessorBatch,
    /// States that are expanded together.
    words: Vec<u64>,
    /// By state, the number of the last walk that visited it.
    met: Vec<u32>,
    walk: u32,
    /// States that machine code cannot expand.
    is_troubled: bool,
}

impl<'a> Drawing<'a> {
    fn new(system: &'a dyn TransitionSystem, layout: &StateLayout) -> Result<Self, LayerFull> {
        Ok(Self {
            expander: system.expander(),
            states: Layer::new(layout.shape(), usize::MAX)?,
            expansion: Vec::new(),
            expanded: Vec::new(),
            first_step: vec![0],
            steps: Vec::new(),
            batch: SuccessorBatch::new(layout.shape(), 4 * TOGETHER),
            words: Vec::new(),
            met: Vec::new(),
            walk: 0,
            is_troubled: false,
        })
    }

    /// Expands leaves. States that need the interpreter stay leaves.
    fn expand(&mut self, states: &[u32]) -> Result<(), LayerFull> {
        let shape = self.states.shape();
        self.words.clear();
        states.iter().for_each(|state| self.words.extend_from_slice(self.states.state(*state as usize)));
        let mut done = 0;
        while done < states.len() {
            self.batch.clear();
            let expansion =
                self.expander.expand(&self.words[shape.words_of(&self.words, done)..], &mut self.batch);
            let (batch, steps, expansions) = (&self.batch, &mut self.steps, &mut self.expansion);
            let mut number = 0;
            with_records!(shape, records => self.states.insert_batch(records, batch.words(), |inserted| {
                let (Inserted::New(next) | Inserted::Known(next)) = inserted;
                if let Inserted::New(_) = inserted {
                    expansions.push(LEAF);
                }
                steps.push((next, batch.action(number)));
                number += 1;
            }))?;
            let before = self.steps.len() as u32 - self.batch.len() as u32;
            for (state, end) in states[done..].iter().zip(self.batch.ends()) {
                self.expansion[*state as usize] = self.expanded.len() as u32;
                self.expanded.push(*state);
                self.first_step.push(before + end);
            }
            self.is_troubled |= expansion.trouble;
            done += expansion.states + usize::from(expansion.trouble);
        }
        Ok(())
    }

    /// Expands breadth-first from a state, along the followed actions, up to a total number of
    /// expanded states.
    fn spread(
        &mut self,
        from: u32,
        until: usize,
        is_followed: impl Fn(ActionId) -> bool,
    ) -> Result<(), LayerFull> {
        self.walk += 1;
        let mut queue = vec![from];
        let mut next = 0;
        self.met.resize(self.states.len(), 0);
        self.met[from as usize] = self.walk;
        while next < queue.len() && self.expanded.len() < until {
            let group = next..queue.len().min(next + TOGETHER);
            next = group.end;
            let room = until - self.expanded.len();
            let leaves = queue[group.clone()].iter().copied();
            let leaves: Vec<u32> =
                leaves.filter(|state| self.expansion[*state as usize] == LEAF).take(room).collect();
            self.expand(&leaves)?;
            self.met.resize(self.states.len(), 0);
            for place in group {
                let number = self.expansion[queue[place] as usize];
                if number == LEAF {
                    continue;
                }
                let [first, end] = [number, number + 1].map(|one| self.first_step[one as usize] as usize);
                for &(target, action) in &self.steps[first..end] {
                    if self.met[target as usize] != self.walk && is_followed(action) {
                        self.met[target as usize] = self.walk;
                        queue.push(target);
                    }
                }
            }
        }
        Ok(())
    }

    /// Expands sub-spaces in which one, two or three processes move and the others do not.
    fn sub_spaces(
        &mut self,
        model: &GuardedCommands,
        size: usize,
        random: &mut Random,
    ) -> Result<(), LayerFull> {
        let processes = model.processes.len();
        if processes < 2 {
            return Ok(());
        }
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for first in 0..processes {
            for second in first + 1..processes {
                sets.push(vec![first, second]);
            }
        }
        while sets.len() > MOST_SUB_SPACES / 2 {
            let place = random.below(sets.len());
            sets.swap_remove(place);
        }
        if processes > 3 {
            for _ in 0..MOST_SUB_SPACES / 4 {
                let mut set: Vec<usize> = (0..3).map(|_| random.below(processes)).collect();
                set.sort_unstable();
                set.dedup();
                sets.push(set);
            }
        }
        let each = size / sets.len() + 1;
        for set in sets {
            let until = self.expanded.len() + each;
            self.spread(0, until, |action| {
                model.action(action).participants.iter().all(|one| set.contains(&(one.process.0 as usize)))
            })?;
        }
        Ok(())
    }

    /// Expands small probes from random leaves.
    fn probes(&mut self, size: usize, random: &mut Random) -> Result<(), LayerFull> {
        let mut misses = 0;
        while self.expanded.len() < size && misses < 1_000 {
            let state = random.below(self.states.len());
            if self.expansion[state] != LEAF {
                misses += 1;
                continue;
            }
            let before = self.expanded.len();
            let mut state = state;
            for _ in 0..CHAIN {
                let known = self.states.len();
                let until = (self.expanded.len() + PROBE).min(size);
                self.spread(state as u32, until, |_| true)?;
                // Continues from a leaf that this probe found.
                let fresh = self.states.len() - known;
                let tries = if fresh > 0 { 8 } else { 0 };
                let mut leaves = (0..tries).map(|_| known + random.below(fresh));
                let Some(next) = leaves.find(|next| self.expansion[*next] == LEAF) else { break };
                state = next;
            }
            misses = if self.expanded.len() > before { 0 } else { misses + 1 };
        }
        // The few leaves that random choices missed.
        if misses == 1_000 {
            for state in 0..self.states.len() as u32 {
                if self.expansion[state as usize] == LEAF && self.expanded.len() < size {
                    self.spread(state, size, |_| true)?;
                }
            }
        }
        Ok(())
    }

    fn finish(self, layout: &StateLayout) -> Result<Sample, LayerFull> {
        let mut inner_targets = Vec::with_capacity(self.steps.len());
        let mut inner_first = vec![0];
        let mut kinds = Kinds::new(layout)?;
        for (number, &state) in self.expanded.iter().enumerate() {
            let steps = &self.steps[self.first_step[number] as usize..self.first_step[number + 1] as usize];
            let before = self.states.state(state as usize);
            for (target, _) in steps {
                kinds.count(before, self.states.state(*target as usize))?;
            }
            let targets = steps.iter().map(|(target, _)| self.expansion[*target as usize]);
            inner_targets.extend(targets.filter(|target| *target != LEAF && *target != number as u32));
            inner_first.push(inner_targets.len() as u32);
        }
        let word = |state: &u32| self.states.state(*state as usize);
        Ok(Sample {
            words: self.expanded.iter().flat_map(word).copied().collect(),
            fields: layout.fields().to_vec(),
            inner_targets,
            inner_first,
            steps: self.steps.len(),
            changes: kinds.changes(),
            steps_of_kinds: kinds.steps,
            complete: self.expanded.len() == self.states.len() && !self.is_troubled,
            states: self.states.len(),
        })
    }
}

/// Counts steps by what they change.
struct Kinds {
    /// By bit of a state, the cell whose field it is in.
    cells: Vec<u32>,
    fields: Vec<Field>,
    /// For each kind the fields that change, before and after; all others are zero.
    records: Layer,
    /// By kind.
    steps: Vec<u32>,
    record: Vec<u64>,
}

impl Kinds {
    fn new(layout: &StateLayout) -> Result<Self, LayerFull> {
        let mut cells = vec![0; 64 * layout.words()];
        for (cell, field) in layout.fields().iter().enumerate().filter(|(_, field)| field.bits > 0) {
            let first = 64 * field.word as usize + field.shift as usize;
            cells[first..first + field.bits as usize].fill(cell as u32);
        }
        Ok(Self {
            cells,
            fields: layout.fields().to_vec(),
            records: Layer::new(RecordShape::Fixed(2 * layout.words()), usize::MAX)?,
            steps: Vec::new(),
            record: Vec::new(),
        })
    }

    fn count(&mut self, before: &[u64], after: &[u64]) -> Result<(), LayerFull> {
        self.record.clear();
        for (word, (before, after)) in before.iter().zip(after).enumerate() {
            let mut different = before ^ after;
            let mut changed = 0;
            while different != 0 {
                let cell = self.cells[64 * word + different.trailing_zeros() as usize];
                let field = self.fields[cell as usize];
                changed |= field.mask() << field.shift;
                different &= !changed;
            }
            self.record.extend([before & changed, after & changed]);
        }
        let inserted =
            with_records!(self.records.shape(), shape => self.records.insert(shape, &self.record)?);
        match inserted {
            Inserted::New(_) => self.steps.push(1),
            Inserted::Known(kind) => self.steps[kind as usize] += 1,
        }
        Ok(())
    }

    /// By cell, its changes.
    fn changes(&self) -> Vec<Vec<Change>> {
        let mut changes = vec![Vec::new(); self.fields.len()];
        for (kind, &steps) in self.steps.iter().enumerate() {
            let record = self.records.state(kind);
            for (cell, field) in self.fields.iter().enumerate().filter(|(_, field)| field.bits > 0) {
                let content = |word: u64| (word >> field.shift & field.mask()) as u32;
                let word = 2 * field.word as usize;
                let [from, to] = [record[word], record[word + 1]].map(content);
                if from != to {
                    changes[cell].push(Change { kind: kind as u32, steps, from, to });
                }
            }
        }
        changes
    }
}
