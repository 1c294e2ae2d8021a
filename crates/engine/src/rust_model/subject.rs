//! A Rust model as the subject of a check: states of varying length, and the model itself as the
//! judge of traces.

use std::collections::HashSet;
use std::sync::Arc;

use crate::check::{Engine, Executable, Expanded, Fingerprint, ProgressValues, Semantics};
use crate::verdict::replay::ReplayError;
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::ActionId;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, MAX_ACTIONS};

use super::encoding::{EncodedState, StateTooLong, test};
use super::system::{Lengths, RustSystem, States};
use super::{Model, Path, Predicate, Steps};

/// A Rust model and its states.
pub(super) struct RustSubject<'m, M: Model> {
    states: States<'m, M>,
    /// The reason why the search cannot begin: an initial state is too long.
    too_long: Option<StateTooLong>,
}

impl<'m, M: Model> RustSubject<'m, M> {
    /// Creates a subject from a model.
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
        let lengths = Arc::new(Lengths::default());
        let (mut encoded, mut record, mut too_long) = (EncodedState::default(), Vec::new(), None);
        for state in &initial {
            test(state, encoded.encode(state));
            match encoded.pack(&mut record) {
                Ok(()) => lengths.add(1, record.len()),
                Err(error) => too_long = Some(error),
            }
        }
        Self { states: States { model, initial: initial.into(), measured, lengths }, too_long }
    }

    /// Whether the model has progress, and the engine follows it.
    pub(super) fn has_progress(&self) -> bool {
        self.states.measured
    }
}

impl<M: Model> Semantics for RustSubject<'_, M> {
    type Predicate = Predicate<M>;
    type State = M::State;
    type Run = Path<M>;
    type Fault = StateTooLong;

    fn steps(&self, state: &M::State) -> Vec<(ActionId, Option<M::State>)> {
        let mut steps = Steps::new();
        let steps = self.states.steps(state, &mut steps);
        steps.map(|(action, next)| (action, Some(next.clone()))).collect()
    }

    fn holds(&self, predicate: &Predicate<M>, state: &M::State) -> Result<bool, StateTooLong> {
        Ok((predicate.test)(self.states.model, state))
    }

    fn replay(&self, run: &LoggedRun) -> Result<Path<M>, ReplayError> {
        let number = run.initial.0;
        let initial = self.states.initial.get(number as usize);
        let initial = initial.ok_or(ReplayError::NoSuchAction { step: 0, number })?;
        Path::replay(self.states.model, initial.clone(), &run.actions)
    }

    fn states(run: &Path<M>) -> Vec<&M::State> {
        run.states().collect()
    }

    fn last_state(run: &Path<M>) -> &M::State {
        run.last_state()
    }

    /// The model's code cannot be hashed. Its type, its initial states and whether it has progress
    /// identify it.
    fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(&(std::any::type_name::<M>(), self.states.measured));
        let mut encoded = EncodedState::default();
        for state in self.states.initial.iter() {
            fingerprint.add(&encoded.encode(state));
        }
    }

    /// The name and the kind of its property identify a predicate.
    fn identify_predicate(&self, _: &Predicate<M>, _: &mut Fingerprint) {}
}

impl<'m, M: Model> Executable for RustSubject<'m, M> {
    type System = RustSystem<'m, M>;

    fn shape(&self) -> RecordShape {
        RecordShape::Prefixed
    }

    fn bits(&self) -> usize {
        self.states.lengths.mean_bits()
    }

    fn progress(&self) -> Option<ProgressValues> {
        self.states.measured.then(ProgressValues::default)
    }

    fn prepare(&self, predicates: &[Predicate<M>]) -> Result<RustSystem<'m, M>, ExecutionError> {
        if let Some(error) = self.too_long {
            return Err(ExecutionError::NotSupported(format!("an initial state is too long: {error}")));
        }
        Ok(RustSystem::new(self.states.clone(), predicates.to_vec()))
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        let (mut encoded, mut record) = (EncodedState::default(), Vec::new());
        for (number, state) in self.states.initial.iter().enumerate() {
            encoded.encode(state);
            // If an initial state is too long, `prepare` refuses the model.
            if encoded.pack(&mut record).is_ok() {
                batch.push(ActionId(number as u32), &record);
            }
        }
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<StateTooLong> {
        let (mut encoded, mut record, mut steps) = (EncodedState::default(), Vec::new(), Steps::new());
        let (state, mut fault) = (encoded.decode(state), None);
        for (action, next) in self.states.steps(&state, &mut steps) {
            encoded.encode(next);
            match encoded.pack(&mut record) {
                Ok(()) => batch.push(action, &record),
                Err(error) => fault = fault.or(Some((action, error))),
            }
        }
        Expanded::Successors(fault)
    }

    fn decode(&self, state: &[u64]) -> M::State {
        EncodedState::default().decode(state)
    }
}
