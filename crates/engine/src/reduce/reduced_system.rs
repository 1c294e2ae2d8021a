//! A transition system that shows the steps that are enough.
//!
//! The model expands a run of states in full, and what is not needed is taken out of the batch again. That costs the successors that nobody looks at, and saves
//! everything that comes behind: the look-ups, the states, and what lies beyond them. A state with a run-time error is never reduced: the model gives it up as a whole.

use std::cell::RefCell;

use super::stubborn_sets::{Steps, StubbornSets};
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expansion, TransitionSystem, Truth};

/// A model, of whose steps some may be left out.
#[derive(Debug)]
pub struct ReducedSystem<S> {
    model: S,
    room: Option<RefCell<Room>>,
}

#[derive(Debug)]
struct Room {
    sets: StubbornSets,
    has_measure: bool,
    before: Vec<u64>,
    after: Vec<u64>,
    chosen: Vec<u32>,
}

impl<S> ReducedSystem<S> {
    /// The model as it is.
    pub fn full(model: S) -> Self {
        Self { model, room: None }
    }

    /// The model with the steps of stubborn sets.
    pub fn reduced(model: S, sets: StubbornSets, has_measure: bool) -> Self {
        let has_measure = has_measure && sets.compares_keys();
        let (before, after, chosen) = (Vec::new(), Vec::new(), Vec::new());
        Self { model, room: Some(RefCell::new(Room { sets, has_measure, before, after, chosen })) }
    }
}

impl<S: TransitionSystem> ReducedSystem<S> {
    /// Leaves out what is not needed of the steps of the last states in the batch.
    fn thin_out(&self, room: &mut Room, states: &[u64], batch: &mut SuccessorBatch, first: usize) {
        let Room { sets, has_measure, before, after, chosen } = room;
        let (words, start) =
            (self.state_words(), first.checked_sub(1).map_or(0, |last| batch.ends()[last] as usize));
        if *has_measure {
            before.clear();
            after.clear();
            self.model.progress(states, before);
            self.model.progress(&batch.words()[start * words..], after);
        }
        batch.thin_out(first, chosen, |number, range, batch, chosen| {
            let number = number - first;
            let steps = Steps {
                state: &states[number * words..(number + 1) * words],
                actions: batch.actions(range.clone()),
                successors: &batch.words()[range.start * words..range.end * words],
                progress: has_measure
                    .then(|| (before[number], &after[range.start - start..range.end - start])),
            };
            sets.choose(&steps, range.start, chosen);
        });
    }
}

impl<S: TransitionSystem> TransitionSystem for ReducedSystem<S> {
    fn state_words(&self) -> usize {
        self.model.state_words()
    }

    fn expand(&self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let Some(room) = &self.room else { return self.model.expand(states, batch) };
        let (room, words) = (&mut *room.borrow_mut(), self.state_words());
        let mut done = 0;
        loop {
            let first = batch.ends().len();
            let expansion = self.model.expand(&states[done * words..], batch);
            let end = done + expansion.states;
            self.thin_out(room, &states[done * words..end * words], batch, first);
            let is_all = end * words == states.len() || expansion.states == 0;
            done = end;
            if expansion.trouble || is_all || batch.is_full() {
                return Expansion { states: done, trouble: expansion.trouble };
            }
        }
    }

    fn predicates(&self, state: &[u64]) -> Truth {
        self.model.predicates(state)
    }

    fn progress(&self, states: &[u64], values: &mut Vec<u64>) {
        self.model.progress(states, values);
    }
}
