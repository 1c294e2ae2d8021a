//! A Rust model as a transition system.
//!
//! A state is decoded once, when it is expanded. A search then requests the truth of the predicates
//! in the states that it has just expanded, and the progress of their successors. Both are computed
//! while the values are decoded, and kept until the search requests them. A comparison of words
//! shows whether it requests these states; other states are decoded again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::guarded_commands::ActionId;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, Expansion, MAX_ACTIONS, TransitionSystem, Truth};

use super::encoding::{EncodedState, TESTED, test};
use super::{Model, Predicate, Steps};

/// Most kept answers: more than a search expands at once.
const KEPT: usize = 1024;

/// A model and its states.
pub(super) struct States<'m, M: Model> {
    pub(super) model: &'m M,
    /// The initial states, without duplicates.
    pub(super) initial: Arc<[M::State]>,
    pub(super) measured: bool,
    pub(super) lengths: Arc<Lengths>,
}

impl<M: Model> Clone for States<'_, M> {
    fn clone(&self) -> Self {
        let (initial, lengths) = (Arc::clone(&self.initial), Arc::clone(&self.lengths));
        Self { model: self.model, initial, measured: self.measured, lengths }
    }
}

/// Lengths of states: the number of computed states, and their words.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    states: AtomicU64,
    words: AtomicU64,
}

impl Lengths {
    pub(super) fn add(&self, states: usize, words: usize) {
        self.states.fetch_add(states as u64, Ordering::Relaxed);
        self.words.fetch_add(words as u64, Ordering::Relaxed);
    }

    /// Mean number of bits of a state.
    pub(super) fn mean_bits(&self) -> usize {
        let (states, words) = (self.states.load(Ordering::Relaxed), self.words.load(Ordering::Relaxed));
        (words * 64).div_ceil(states.max(1)) as usize
    }
}

impl<M: Model> States<'_, M> {
    pub(super) fn progress(&self, state: &M::State) -> u64 {
        let value = self.model.progress(state);
        value.unwrap_or_else(|| {
            panic!("the model has progress in an initial state, but none in {state:?}");
        })
    }

    /// Computes the steps of a state.
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

/// A model as a transition system.
pub(super) struct RustSystem<'m, M: Model> {
    states: States<'m, M>,
    predicates: Vec<Predicate<M>>,
}

/// An expander for states of a model, with reusable buffers and kept answers.
struct RustExpander<'s, 'm, M: Model> {
    system: &'s RustSystem<'m, M>,
    encoded: EncodedState,
    record: Vec<u64>,
    steps: Steps<M>,
    /// Truth of the predicates in expanded states. The search has already requested the first
    /// `asked` of them, which have `asked_words` words.
    judged: Answers<Truth>,
    asked: usize,
    asked_words: usize,
    /// Progress of the successors that the last call computed.
    measured: Answers<u64>,
    /// Number of encodings that remain to be tested.
    untested: u32,
}

/// Answers for contiguous states.
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
    fn shape(&self) -> RecordShape {
        RecordShape::Prefixed
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(RustExpander {
            system: self,
            encoded: EncodedState::default(),
            record: Vec::new(),
            steps: Steps::new(),
            judged: Answers::new(),
            asked: 0,
            asked_words: 0,
            measured: Answers::new(),
            untested: if cfg!(debug_assertions) { u32::MAX } else { TESTED },
        })
    }
}

impl<M: Model> RustExpander<'_, '_, M> {
    /// Appends the successors of one state. Returns `false` if one of them is too long to be
    /// stored.
    fn expand_one(&mut self, packed: &[u64], batch: &mut SuccessorBatch) -> bool {
        let Self { system, encoded, record, steps, judged, measured, untested, .. } = self;
        let RustSystem { states, predicates } = system;
        let state = encoded.decode(packed);
        for (action, next) in states.steps(&state, steps) {
            let bytes = encoded.encode(next);
            if *untested > 0 {
                *untested -= u32::from(!cfg!(debug_assertions));
                test(next, bytes);
            }
            if encoded.pack(record).is_err() {
                return false;
            }
            if states.measured {
                measured.push(record, states.progress(next));
            }
            batch.push(action, record);
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
            (self.asked, self.asked_words) = (0, 0);
        }
        let before = (batch.len(), batch.words().len());
        let (mut expanded, mut trouble) = (0, false);
        for state in RecordShape::Prefixed.states(states) {
            if batch.is_full() {
                break;
            }
            if !self.expand_one(state, batch) {
                batch.discard_unfinished();
                trouble = true;
                break;
            }
            batch.end_state();
            expanded += 1;
        }
        self.system.states.lengths.add(batch.len() - before.0, batch.words().len() - before.1);
        Expansion { states: expanded, trouble }
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        for state in RecordShape::Prefixed.states(states) {
            // Equal heads mean equal lengths.
            let truth = if self.judged.words[self.asked_words..].starts_with(state) {
                (self.asked, self.asked_words) = (self.asked + 1, self.asked_words + state.len());
                self.judged.answers[self.asked - 1]
            } else {
                self.system.judge(&self.encoded.decode(state))
            };
            truths.push(truth);
        }
    }

    fn progress(&mut self, words: &[u64], values: &mut Vec<u64>) {
        let states = &self.system.states;
        if !states.measured {
            values.resize(values.len() + RecordShape::Prefixed.count(words), 0);
        } else if self.measured.words == words {
            values.extend_from_slice(&self.measured.answers);
        } else {
            let encoded = &mut self.encoded;
            let records = RecordShape::Prefixed.states(words);
            values.extend(records.map(|record| states.progress(&encoded.decode(record))));
        }
    }
}
