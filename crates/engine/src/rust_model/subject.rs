//! A Rust model as a check sees it: states that widen, and the model itself as the judge.

use std::collections::HashSet;
use std::convert::Infallible;

use crate::check::{Engine, Expanded, Fingerprint, Subject};
use crate::verdict::replay::ReplayError;
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, MAX_ACTIONS};

use super::encoding::{pack, test, words_for};
use super::system::{RustSystem, States};
use super::{Model, Path, Predicate, Steps};

/// A Rust model with the width of its states at present.
pub(super) struct RustSubject<'m, M: Model> {
    states: States<'m, M>,
}

impl<'m, M: Model> RustSubject<'m, M> {
    /// States are as wide as the widest initial one. What is wider will be seen.
    ///
    /// # Panics
    /// If there is no initial state.
    pub(super) fn new(model: &'m M, engine: Engine) -> Self {
        let mut seen = HashSet::new();
        let mut initial = model.initial_states();
        initial.retain(|state| seen.insert(state.clone()));
        assert!(!initial.is_empty(), "the model has no initial state");
        assert!(initial.len() < MAX_ACTIONS, "a model has fewer than {MAX_ACTIONS} initial states");
        let measured = engine.is_sweep() && model.progress(&initial[0]).is_some();
        let mut states = States { model, initial: initial.into(), words: 1, measured };
        let mut bytes = Vec::new();
        for state in states.initial.iter() {
            states.encode(state, &mut bytes);
            test(state, &bytes);
            states.words = states.words.max(words_for(bytes.len()));
        }
        Self { states }
    }
}

impl<'m, M: Model> Subject for RustSubject<'m, M> {
    type Predicate = Predicate<M>;
    type System = RustSystem<'m, M>;
    type State = M::State;
    type Run = Path<M>;
    type Fault = Infallible;

    fn words(&self) -> usize {
        self.states.words
    }

    fn bits(&self) -> usize {
        self.states.words * 64
    }

    fn has_measure(&self) -> bool {
        self.states.measured
    }

    fn prepare(&self, predicates: &[Predicate<M>]) -> Result<RustSystem<'m, M>, ExecutionError> {
        Ok(RustSystem::new(self.states.clone(), predicates.to_vec()))
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        let (mut bytes, mut packed) = (Vec::new(), Vec::new());
        for (number, state) in self.states.initial.iter().enumerate() {
            self.states.encode(state, &mut bytes);
            packed.clear();
            pack(&bytes, self.states.words, &mut packed);
            batch.push(ActionId(number as u32), &packed);
        }
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<Infallible> {
        let (mut bytes, mut steps) = (Vec::new(), Steps::new());
        let state = self.states.decode(state, &mut bytes);
        let mut encoded = Vec::new();
        for (action, next) in self.states.steps(&state, &mut steps) {
            self.states.encode(next, &mut bytes);
            encoded.push((action, bytes.clone()));
        }
        let words = encoded.iter().map(|(_, bytes)| words_for(bytes.len())).max().unwrap_or(1);
        if words > self.states.words {
            // No more than is needed: each word is paid by every state, and widening takes one pass over those there are so far.
            self.states.words = words;
            return Expanded::Widened(Box::new(move |state, wider| {
                wider.clear();
                wider.extend_from_slice(state);
                wider.resize(words, 0);
            }));
        }
        let mut packed = Vec::new();
        for (action, bytes) in encoded {
            packed.clear();
            pack(&bytes, self.states.words, &mut packed);
            batch.push(action, &packed);
        }
        Expanded::Successors(None)
    }

    fn decode(&self, state: &[u64]) -> M::State {
        self.states.decode(state, &mut Vec::new())
    }

    fn replay(&self, run: &LoggedRun) -> Result<Path<M>, ReplayError> {
        let number = run.initial.0;
        let initial = self.states.initial.get(number as usize);
        let initial = initial.ok_or(ReplayError::NoSuchAction { step: 0, number })?;
        Path::replay(self.states.model, initial.clone(), &run.actions)
    }

    fn last_state(run: &Path<M>) -> &M::State {
        run.last_state()
    }

    fn states(run: &Path<M>) -> Vec<&M::State> {
        run.states().collect()
    }

    fn holds(&self, predicate: &Predicate<M>, state: &M::State) -> Result<bool, Infallible> {
        Ok((predicate.test)(self.states.model, state))
    }

    /// The model's code has no encoding: its type, its initial states and whether it has progress are
    /// what can be told of it.
    fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(&(std::any::type_name::<M>(), self.states.measured));
        let mut bytes = Vec::new();
        for state in self.states.initial.iter() {
            self.states.encode(state, &mut bytes);
            fingerprint.add(&bytes);
        }
    }

    /// A predicate is known by the name and the kind of its property.
    fn identify_predicate(&self, _: &Predicate<M>, _: &mut Fingerprint) {}

    fn successors(&self, state: &M::State) -> Vec<M::State> {
        let mut steps = Steps::new();
        self.states.model.steps(state, &mut steps);
        steps.list.into_iter().map(|(_, state)| state).collect()
    }

    fn is_terminal(&self, state: &M::State) -> bool {
        self.successors(state).is_empty()
    }
}
