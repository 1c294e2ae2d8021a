//! A Rust model as a search sees it.
//!
//! A state is decoded once, when it is expanded. What a search asks for next, the truth of the predicates in the states it has just
//! expanded and the progress of their successors, is computed while the values are at hand and kept until it asks. Whether it asks for just
//! these is seen by comparing words; for others, states are decoded anew.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expansion, MAX_ACTIONS, TransitionSystem, Truth};

use super::encoding::{TESTED, decode, encode, pack, test, unpack, words_for};
use super::{Model, Predicate, Steps};

/// Answers that are kept until a search asks for them. More than a search expands at once.
const KEPT: usize = 1024;

/// A model and how its states are words.
pub(super) struct States<'m, M: Model> {
    pub(super) model: &'m M,
    /// Without duplicates.
    pub(super) initial: Rc<[M::State]>,
    pub(super) words: usize,
    pub(super) measured: bool,
}

impl<M: Model> Clone for States<'_, M> {
    fn clone(&self) -> Self {
        Self { initial: Rc::clone(&self.initial), ..*self }
    }
}

impl<M: Model> States<'_, M> {
    /// The bytes of a state, in an empty buffer.
    pub(super) fn encode(&self, state: &M::State, bytes: &mut Vec<u8>) {
        bytes.clear();
        encode(state, bytes);
    }

    pub(super) fn decode(&self, packed: &[u64], bytes: &mut Vec<u8>) -> M::State {
        unpack(packed, bytes);
        decode(bytes)
    }

    pub(super) fn progress(&self, state: &M::State) -> u64 {
        let value = self.model.progress(state);
        value.unwrap_or_else(|| {
            panic!("the model has progress in an initial state, but none in {state:?}");
        })
    }

    /// Where the steps lead.
    pub(super) fn steps<'s>(
        &self,
        state: &M::State,
        steps: &'s mut Steps<M>,
    ) -> impl Iterator<Item = (ActionId, &'s M::State)> {
        steps.list.clear();
        self.model.steps(state, steps);
        let count = steps.list.len();
        assert!(count < MAX_ACTIONS, "a state has {count} steps, and {MAX_ACTIONS} are too many");
        steps.list.iter().enumerate().map(|(number, (_, state))| (ActionId(number as u32), state))
    }
}

/// A model with states of a fixed number of words.
pub(super) struct RustSystem<'m, M: Model> {
    states: States<'m, M>,
    predicates: Vec<Predicate<M>>,
    work: RefCell<Work<M>>,
    /// Encodings that are still to be tested.
    untested: Cell<u32>,
}

/// Buffers that are used again and again, and answers that will be asked for.
struct Work<M: Model> {
    bytes: Vec<u8>,
    packed: Vec<u64>,
    steps: Steps<M>,
    /// The truth of the predicates in states that were expanded, from `asked` on.
    judged: Answers<Truth>,
    asked: usize,
    /// The progress of the successors that the last call found.
    measured: Answers<u64>,
}

/// Answers for states that lie one behind the other.
struct Answers<A> {
    words: Vec<u64>,
    answers: Vec<A>,
}

impl<A> Answers<A> {
    fn new() -> Self {
        Self { words: Vec::new(), answers: Vec::new() }
    }

    fn clear(&mut self) {
        self.words.clear();
        self.answers.clear();
    }

    fn push(&mut self, state: &[u64], answer: A) {
        self.words.extend_from_slice(state);
        self.answers.push(answer);
    }
}

impl<'m, M: Model> RustSystem<'m, M> {
    pub(super) fn new(states: States<'m, M>, predicates: Vec<Predicate<M>>) -> Self {
        let work = Work {
            bytes: Vec::new(),
            packed: Vec::new(),
            steps: Steps::new(),
            judged: Answers::new(),
            asked: 0,
            measured: Answers::new(),
        };
        let untested = if cfg!(debug_assertions) { u32::MAX } else { TESTED };
        Self { states, predicates, work: RefCell::new(work), untested: Cell::new(untested) }
    }

    fn judge(&self, state: &M::State) -> Truth {
        let mut holds = 0;
        for (number, predicate) in self.predicates.iter().enumerate() {
            holds |= u64::from((predicate.test)(self.states.model, state)) << number;
        }
        Truth { holds, undefined: 0 }
    }

    /// Appends the successors of one state, as long as they fit; `false` if one does not.
    fn expand_one(&self, packed: &[u64], work: &mut Work<M>, batch: &mut SuccessorBatch) -> bool {
        let Work { bytes, packed: buffer, steps, judged, measured, .. } = work;
        let state = self.states.decode(packed, bytes);
        for (action, next) in self.states.steps(&state, steps) {
            self.states.encode(next, bytes);
            if words_for(bytes.len()) > self.states.words {
                return false;
            }
            if self.untested.get() > 0 {
                self.untested.set(self.untested.get() - u32::from(!cfg!(debug_assertions)));
                test(next, bytes);
            }
            buffer.clear();
            pack(bytes, self.states.words, buffer);
            if self.states.measured {
                measured.push(buffer, self.states.progress(next));
            }
            batch.push(action, buffer);
        }
        if !self.predicates.is_empty() {
            judged.push(packed, self.judge(&state));
        }
        true
    }
}

impl<M: Model> TransitionSystem for RustSystem<'_, M> {
    fn state_words(&self) -> usize {
        self.states.words
    }

    fn expand(&self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let work = &mut *self.work.borrow_mut();
        work.measured.clear();
        if work.asked == work.judged.answers.len() || work.judged.answers.len() > KEPT {
            work.judged.clear();
            work.asked = 0;
        }
        let mut expanded = 0;
        for state in states.chunks_exact(self.states.words) {
            if batch.is_full() {
                break;
            }
            if !self.expand_one(state, work, batch) {
                batch.discard_unfinished();
                return Expansion { states: expanded, trouble: true };
            }
            batch.end_state();
            expanded += 1;
        }
        Expansion { states: expanded, trouble: false }
    }

    fn predicates(&self, state: &[u64]) -> Truth {
        let work = &mut *self.work.borrow_mut();
        let start = work.asked * self.states.words;
        if work.judged.words.get(start..start + self.states.words) == Some(state) {
            work.asked += 1;
            return work.judged.answers[work.asked - 1];
        }
        self.judge(&self.states.decode(state, &mut work.bytes))
    }

    fn progress(&self, states: &[u64], values: &mut Vec<u64>) {
        let work = &mut *self.work.borrow_mut();
        if !self.states.measured {
            values.resize(values.len() + states.len() / self.states.words, 0);
        } else if work.measured.words == states {
            values.extend_from_slice(&work.measured.answers);
        } else {
            let states = states.chunks_exact(self.states.words);
            values.extend(
                states.map(|state| self.states.progress(&self.states.decode(state, &mut work.bytes))),
            );
        }
    }
}
