//! A transition system with partial-order reduction: it shows only the steps of stubborn sets.
//!
//! The model expands a run of states in full, and steps outside the stubborn set are removed from
//! the batch again. That costs the computation of the removed successors and saves everything after
//! it: their lookups, the states, and the states beyond them. A state with a run-time error is
//! never reduced: the model rejects it as a whole.

use super::stubborn_sets::{Steps, StubbornSets};
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, Expansion, TransitionSystem, Truth};

/// A model whose expander leaves out steps.
#[derive(Debug)]
pub struct ReducedSystem<S> {
    model: S,
    sets: StubbornSets,
    has_measure: bool,
}

impl<S> ReducedSystem<S> {
    /// The model with the steps of stubborn sets.
    pub fn new(model: S, sets: StubbornSets, has_measure: bool) -> Self {
        let has_measure = has_measure && sets.compares_keys();
        Self { model, sets, has_measure }
    }

    /// The model with all its steps.
    pub fn full(&self) -> &S {
        &self.model
    }

    /// The model with all its steps.
    pub fn into_full(self) -> S {
        self.model
    }
}

impl<S: TransitionSystem> TransitionSystem for ReducedSystem<S> {
    fn shape(&self) -> RecordShape {
        self.model.shape()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ReducingExpander {
            model: self.model.expander(),
            shape: self.model.shape(),
            sets: self.sets.clone(),
            has_measure: self.has_measure,
            before: Vec::new(),
            after: Vec::new(),
            chosen: Vec::new(),
        })
    }
}

/// An expander of the model, and buffers for the choice of a stubborn set.
struct ReducingExpander<'s> {
    model: Box<dyn Expander + 's>,
    shape: RecordShape,
    sets: StubbornSets,
    has_measure: bool,
    /// Progress values of the expanded states.
    before: Vec<u64>,
    /// Progress values of their successors.
    after: Vec<u64>,
    chosen: Vec<u32>,
}

impl ReducingExpander<'_> {
    /// Removes steps outside the stubborn sets of the last states in the batch, from number `first`
    /// on.
    fn thin_out(&mut self, states: &[u64], batch: &mut SuccessorBatch, first: usize) {
        let Self { model, shape, sets, has_measure, before, after, chosen } = self;
        let start = first.checked_sub(1).map_or(0, |last| batch.ends()[last] as usize);
        if *has_measure {
            before.clear();
            after.clear();
            model.progress(states, before);
            model.progress(batch.states(start..batch.len()), after);
        }
        let mut expanded = shape.states(states);
        batch.thin_out(first, chosen, |number, range, batch, chosen| {
            let number = number - first;
            let steps = Steps {
                state: expanded.next().unwrap_or_default(),
                actions: batch.actions(range.clone()),
                successors: batch.states(range.clone()),
                progress: has_measure
                    .then(|| (before[number], &after[range.start - start..range.end - start])),
            };
            sets.choose(&steps, range.start, chosen);
        });
    }
}

impl Expander for ReducingExpander<'_> {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let (mut rest, mut done) = (states, 0);
        loop {
            let first = batch.ends().len();
            let expansion = self.model.expand(rest, batch);
            let (expanded, others) = rest.split_at(self.shape.words_of(rest, expansion.states));
            self.thin_out(expanded, batch, first);
            let is_all = others.is_empty() || expansion.states == 0;
            (rest, done) = (others, done + expansion.states);
            if expansion.trouble || is_all || batch.is_full() {
                return Expansion { states: done, trouble: expansion.trouble };
            }
        }
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        self.model.predicates(states, truths);
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        self.model.progress(states, values);
    }
}
