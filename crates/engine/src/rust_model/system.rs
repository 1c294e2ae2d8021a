//! A Rust model as a search sees it.
//!
//! A state is decoded once, when it is expanded. What a search asks for next, the truth of the predicates in the states it has just
//! expanded and the progress of their successors, is computed while the values are at hand and kept until it asks. Whether it asks for just
//! these is seen by comparing words; for others, states are decoded anew.

use std::sync::Arc;

use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, Expansion, MAX_ACTIONS, TransitionSystem, Truth};

use super::encoding::{TESTED, decode, encode, pack, test, unpack, words_for};
use super::{Model, Predicate, Steps};

/// Answers that are kept until a search asks for them. More than a search expands at once.
const KEPT: usize = 1024;

/// A model and how its states are words.
pub(super) struct States<'m, M: Model> {
    pub(super) model: &'m M,
    /// Without duplicates.
    pub(super) initial: Arc<[M::State]>,
    pub(super) words: usize,
    pub(super) measured: bool,
}

impl<M: Model> Clone for States<'_, M> {
    fn clone(&self) -> Self {
        Self { initial: Arc::clone(&self.initial), ..*self }
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
}

/// Expands states of a model, with buffers that are reused and answers kept for later questions.
struct RustExpander<'s, 'm, M: Model> {
    system: &'s RustSystem<'m, M>,
    bytes: Vec<u8>,
    packed: Vec<u64>,
    steps: Steps<M>,
    /// The truth of the predicates in expanded states, from `asked` on.
    judged: Answers<Truth>,
    asked: usize,
    /// The progress of the successors that the last call found.
    measured: Answers<u64>,
    /// Encodings that are still to be tested.
    untested: u32,
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
        Self { states, predicates }
    }

    fn judge(&self, state: &M::State) -> Truth {
        let mut holds = 0;
        for (number, predicate) in self.predicates.iter().enumerate() {
            holds |= u64::from((predicate.test)(self.states.model, state)) << number;
        }
        Truth { holds, undefined: 0 }
    }
}

impl<M: Model> TransitionSystem for RustSystem<'_, M> {
    fn state_words(&self) -> usize {
        self.states.words
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(RustExpander {
            system: self,
            bytes: Vec::new(),
            packed: Vec::new(),
            steps: Steps::new(),
            judged: Answers::new(),
            asked: 0,
            measured: Answers::new(),
            untested: if cfg!(debug_assertions) { u32::MAX } else { TESTED },
        })
    }
}

impl<M: Model> RustExpander<'_, '_, M> {
    /// Appends the successors of one state, as long as they fit; `false` if one does not.
    fn expand_one(&mut self, packed: &[u64], batch: &mut SuccessorBatch) -> bool {
        let Self { system, bytes, packed: buffer, steps, judged, measured, untested, .. } = self;
        let RustSystem { states, predicates } = system;
        let state = states.decode(packed, bytes);
        for (action, next) in states.steps(&state, steps) {
            states.encode(next, bytes);
            if words_for(bytes.len()) > states.words {
                return false;
            }
            if *untested > 0 {
                *untested -= u32::from(!cfg!(debug_assertions));
                test(next, bytes);
            }
            buffer.clear();
            pack(bytes, states.words, buffer);
            if states.measured {
                measured.push(buffer, states.progress(next));
            }
            batch.push(action, buffer);
        }
        if !predicates.is_empty() {
            judged.push(packed, system.judge(&state));
        }
        true
    }
}

impl<M: Model> Expander for RustExpander<'_, '_, M> {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        self.measured.clear();
        if self.asked == self.judged.answers.len() || self.judged.answers.len() > KEPT {
            self.judged.clear();
            self.asked = 0;
        }
        let mut expanded = 0;
        for state in states.chunks_exact(self.system.states.words) {
            if batch.is_full() {
                break;
            }
            if !self.expand_one(state, batch) {
                batch.discard_unfinished();
                return Expansion { states: expanded, trouble: true };
            }
            batch.end_state();
            expanded += 1;
        }
        Expansion { states: expanded, trouble: false }
    }

    fn predicates(&mut self, state: &[u64]) -> Truth {
        let states = &self.system.states;
        let start = self.asked * states.words;
        if self.judged.words.get(start..start + states.words) == Some(state) {
            self.asked += 1;
            return self.judged.answers[self.asked - 1];
        }
        self.system.judge(&states.decode(state, &mut self.bytes))
    }

    fn progress(&mut self, words: &[u64], values: &mut Vec<u64>) {
        let states = &self.system.states;
        if !states.measured {
            values.resize(values.len() + words.len() / states.words, 0);
        } else if self.measured.words == words {
            values.extend_from_slice(&self.measured.answers);
        } else {
            let bytes = &mut self.bytes;
            let words = words.chunks_exact(states.words);
            values.extend(words.map(|state| states.progress(&states.decode(state, bytes))));
        }
    }
}
