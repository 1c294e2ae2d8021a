//! Draws a sample: sub-spaces, a breadth-first prefix, and probes.
//!
//! Probes begin at random leaves, or at states that a search has explored. Those are deeper and a
//! fair choice, but no step of the sample need lead to them: they are *roots* of the sample beside
//! the initial state.

mod walks;

use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::records::with_records;
use model::guarded_commands::ActionId;
use model::random::Random;
use model::state_layout::Field;
use model::successor_batch::SuccessorBatch;
use model::transition_system::Expander;

use super::kinds::Kinds;
use super::{Knowledge, LEAF, Sample, Source};

/// Shares of the expansions, in percent, for sub-spaces and for the breadth-first prefix; the rest
/// is for probes.
const SUB_SPACES: usize = 25;
const PREFIX: usize = 40;
/// Limit on the number of sub-spaces.
const MOST_SUB_SPACES: usize = 40;
/// The share of the breadth-first prefix if probes begin at explored states.
const PREFIX_BESIDE: usize = 25;
/// Probes that continue from each other if they begin at explored states.
const CHAIN_BESIDE: usize = 4;
/// Expansions of one probe.
const PROBE: usize = 100;
/// Probes that continue from each other.
const CHAIN: usize = 20;

/// States that are expanded together.
const TOGETHER: usize = 32;

/// A sample that is being drawn.
pub(super) struct Drawing<'a> {
    source: Source<'a>,
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
    /// Whether machine code could not expand some state.
    is_troubled: bool,
    /// States that a search has explored and that were not known when a probe began at them.
    roots: Vec<u32>,
}

impl<'a> Drawing<'a> {
    pub fn new(source: &Source<'a>) -> Result<Self, LayerFull> {
        let layout = source.layout;
        Ok(Self {
            source: *source,
            expander: source.system.expander(),
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
            roots: Vec::new(),
        })
    }

    /// Begins with the initial state. Returns whether it has this layout.
    pub fn begin(&mut self) -> Result<bool, LayerFull> {
        let layout = self.source.layout;
        let mut initial = vec![0; layout.words()];
        let fits = layout.encode(&self.source.model.initial_state(), &mut initial).is_ok();
        if fits {
            with_records!(layout.shape(), records => self.states.insert(records, &initial)?);
            self.expansion.push(LEAF);
        }
        Ok(fits)
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
        while next < queue.len() && self.expanded.len() < until && !self.source.is_stopped() {
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
    pub fn sub_spaces(&mut self, size: usize, random: &mut Random) -> Result<(), LayerFull> {
        let model = self.source.model;
        let size = size * SUB_SPACES / 100;
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

    /// Expands a breadth-first prefix.
    pub fn prefix(&mut self, size: usize) -> Result<(), LayerFull> {
        let share = if self.source.explored.is_empty() { PREFIX } else { PREFIX_BESIDE };
        let until = self.expanded.len() + size * share / 100;
        self.spread(0, until, |_| true)
    }

    /// Expands small probes up to a total number of expanded states.
    pub fn probes(&mut self, size: usize, random: &mut Random) -> Result<(), LayerFull> {
        if !self.source.explored.is_empty() {
            self.probes_of_explored(size, random)?;
        }
        self.probes_of_leaves(size, random)
    }

    /// Expands small probes from random states that a search has explored.
    fn probes_of_explored(&mut self, size: usize, random: &mut Random) -> Result<(), LayerFull> {
        let (shape, explored) = (self.source.layout.shape(), self.source.explored);
        let count = explored.len() / self.source.layout.words().max(1);
        let mut misses = 0;
        while self.expanded.len() < size && misses < 100 && !self.source.is_stopped() {
            let at = random.below(count) * self.source.layout.words();
            let words = &explored[at..at + self.source.layout.words()];
            let inserted = with_records!(shape, records => self.states.insert(records, words)?);
            if let Inserted::New(root) = inserted {
                self.expansion.push(LEAF);
                self.roots.push(root);
            }
            let (Inserted::New(state) | Inserted::Known(state)) = inserted;
            if self.expansion[state as usize] != LEAF {
                misses += 1;
                continue;
            }
            let before = self.expanded.len();
            self.chain(state, size, random)?;
            misses = if self.expanded.len() > before { 0 } else { misses + 1 };
        }
        Ok(())
    }

    /// Expands probes that continue from each other.
    fn chain(&mut self, from: u32, size: usize, random: &mut Random) -> Result<(), LayerFull> {
        let mut state = from;
        let chain = if self.source.explored.is_empty() { CHAIN } else { CHAIN_BESIDE };
        for _ in 0..chain {
            let known = self.states.len();
            let until = (self.expanded.len() + PROBE).min(size);
            self.spread(state, until, |_| true)?;
            // Continues from a leaf that this probe found.
            let fresh = self.states.len() - known;
            let tries = if fresh > 0 { 8 } else { 0 };
            let mut leaves = (0..tries).map(|_| known + random.below(fresh));
            let Some(next) = leaves.find(|next| self.expansion[*next] == LEAF) else { break };
            state = next as u32;
        }
        Ok(())
    }

    /// Expands small probes from random leaves.
    fn probes_of_leaves(&mut self, size: usize, random: &mut Random) -> Result<(), LayerFull> {
        let mut misses = 0;
        while self.expanded.len() < size && misses < 1_000 && !self.source.is_stopped() {
            let state = random.below(self.states.len());
            if self.expansion[state] != LEAF {
                misses += 1;
                continue;
            }
            let before = self.expanded.len();
            self.chain(state as u32, size, random)?;
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

    /// Computes what is known of the steps of the sample.
    pub fn finish(mut self, knowledge: Knowledge, random: &mut Random) -> Result<Sample, LayerFull> {
        let layout = self.source.layout;
        let mut inner_targets = Vec::with_capacity(self.steps.len());
        let mut inner_first = Vec::with_capacity(self.expanded.len() + 1);
        inner_first.push(0);
        let mut kinds = Kinds::new(layout)?;
        let mut changed = vec![0; layout.words()];
        let mut words = Vec::with_capacity(self.expanded.len() * layout.words());
        for (number, &state) in self.expanded.iter().enumerate() {
            if number.is_multiple_of(TOGETHER) && self.source.is_stopped() {
                break;
            }
            let steps = &self.steps[self.first_step[number] as usize..self.first_step[number + 1] as usize];
            let before = self.states.state(state as usize);
            words.extend_from_slice(before);
            for (target, _) in steps {
                let after = self.states.state(*target as usize);
                match knowledge {
                    Knowledge::Kinds => {
                        kinds.count(before, after)?;
                    }
                    Knowledge::Targets => {
                        let words = before.iter().zip(after);
                        changed.iter_mut().zip(words).for_each(|(bits, (one, other))| *bits |= one ^ other);
                    }
                }
            }
            let targets = steps.iter().map(|(target, _)| self.expansion[*target as usize]);
            inner_targets.extend(targets.filter(|target| *target != LEAF && *target != number as u32));
            inner_first.push(inner_targets.len() as u32);
        }
        if knowledge == Knowledge::Kinds {
            self.observe(&mut kinds, random)?;
        }
        let changes = kinds.changes();
        let is_changed = match knowledge {
            Knowledge::Kinds => changes.iter().map(|changes| !changes.is_empty()).collect(),
            Knowledge::Targets => {
                let bits = |field: &Field| changed[field.word as usize] >> field.shift & field.mask();
                layout.fields().iter().map(|field| field.bits > 0 && bits(field) != 0).collect()
            }
        };
        let mut roots: Vec<u32> = self.roots.iter().map(|root| self.expansion[*root as usize]).collect();
        roots.retain(|root| *root != LEAF && (*root as usize) < inner_first.len() - 1);
        roots.sort_unstable();
        Ok(Sample {
            words,
            fields: layout.fields().to_vec(),
            inner_targets,
            inner_first,
            steps: self.steps.len(),
            changes,
            is_changed,
            roots,
            steps_of_kinds: kinds.steps,
            tests_of_kinds: kinds.tests,
            complete: self.expanded.len() == self.states.len() && !self.is_troubled,
            states: self.states.len(),
        })
    }
}
