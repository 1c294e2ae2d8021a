//! The product of a model and a service as a subject: everything but the automaton's state is the model's business.

use std::io;
use std::sync::Arc;

use super::identity::Fingerprint;
use super::subject::{Expanded, Subject};
use crate::progress::Comparison;
use crate::property::product::Place;
use crate::property::service::{Halt, ServiceProperty};
use crate::property::service_product::{ServiceProduct, ServiceTable, append_steps};
use crate::store::saved::{Loader, Saver};
use crate::verdict::replay::ReplayError;
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::ExecutionError;

/// A model, and a service that it is to conform to.
pub struct ServiceSubject<M: Subject> {
    model: M,
    table: Arc<ServiceTable>,
    place: Place,
}

impl<M: Subject> ServiceSubject<M> {
    /// The model, watched by the automaton of the service.
    pub fn new(model: M, service: &ServiceProperty<M::Predicate>) -> Self {
        let table = ServiceTable::new(service);
        let table = Arc::new(if model.has_measure() { table } else { table.with_ranks(service) });
        let place = place(&model, &table);
        Self { model, table, place }
    }
}

fn place<M: Subject>(model: &M, table: &ServiceTable) -> Place {
    let states = table.states();
    Place::new(model.words(), states, model.spare_bits(Place::bits(states)))
}

/// Whether the run violates the service and does so in its last state, by the word of the automaton as it was given; `None` if nobody can tell where runs end.
pub(super) fn is_violated<M: Subject>(
    subject: &M,
    service: &ServiceProperty<M::Predicate>,
    actions: &[ActionId],
    last: &M::State,
) -> Option<bool> {
    if let Some(step) = service.illegal_step(actions.iter().copied()) {
        return Some(step + 1 == actions.len());
    }
    let halts = match service.halt() {
        Halt::Prefix => false,
        Halt::Deadlock => subject.is_terminal(last),
        Halt::When(predicate) => subject.holds(predicate, last).ok()?,
    };
    Some(halts && !service.may_end(actions.iter().copied()))
}

impl<M: Subject> Subject for ServiceSubject<M> {
    type Predicate = M::Predicate;
    type System = ServiceProduct<M::System>;
    type State = M::State;
    type Run = M::Run;
    type Fault = M::Fault;

    fn words(&self) -> usize {
        self.place.words()
    }

    fn bits(&self) -> usize {
        self.model.bits() + Place::bits(self.table.states()) as usize
    }

    fn has_measure(&self) -> bool {
        self.model.has_measure() || self.table.has_ranks()
    }

    fn comparison(&self) -> Comparison {
        self.model.comparison()
    }

    fn prepare(&self, predicates: &[M::Predicate]) -> Result<Self::System, ExecutionError> {
        Ok(ServiceProduct::new(self.model.prepare(predicates)?, self.place, self.table.clone()))
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        let mut model = SuccessorBatch::new(self.model.words(), 1);
        self.model.initial(&mut model);
        let mut joined = Vec::new();
        for i in 0..model.len() {
            self.place.join(model.state(i), self.table.initial(), &mut joined);
            batch.push(model.action(i), &joined);
        }
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<M::Fault> {
        let old = self.place;
        let mut plain = Vec::new();
        old.append_model(state, &mut plain);
        let mut steps = SuccessorBatch::new(self.model.words(), 1);
        match self.model.expand(&plain, &mut steps) {
            Expanded::Widened(mut translate) => {
                let new = place(&self.model, &self.table);
                self.place = new;
                let (mut plain, mut wide) = (Vec::new(), Vec::new());
                Expanded::Widened(Box::new(move |state, packed| {
                    plain.clear();
                    old.append_model(state, &mut plain);
                    translate(&plain, &mut wide);
                    new.join(&wide, old.automaton(state), packed);
                }))
            }
            Expanded::Successors(fault) => {
                let successors = (0..steps.len()).map(|i| (steps.action(i), steps.state(i)));
                let from = old.automaton(state);
                append_steps((old, &self.table), from, successors, batch, &mut Vec::new());
                Expanded::Successors(fault)
            }
        }
    }

    fn decode(&self, state: &[u64]) -> M::State {
        let mut plain = Vec::new();
        self.place.append_model(state, &mut plain);
        self.model.decode(&plain)
    }

    fn replay(&self, run: &LoggedRun) -> Result<M::Run, ReplayError> {
        self.model.replay(run)
    }

    fn last_state(run: &M::Run) -> &M::State {
        M::last_state(run)
    }

    fn states(run: &M::Run) -> Vec<&M::State> {
        M::states(run)
    }

    fn holds(&self, predicate: &M::Predicate, state: &M::State) -> Result<bool, M::Fault> {
        self.model.holds(predicate, state)
    }

    /// The automaton is a part of the property.
    fn identify(&self, fingerprint: &mut Fingerprint) {
        self.model.identify(fingerprint);
    }

    fn identify_predicate(&self, predicate: &M::Predicate, fingerprint: &mut Fingerprint) {
        self.model.identify_predicate(predicate, fingerprint);
    }

    fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.model.save(to)
    }

    fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.model.load(from)?;
        self.place = place(&self.model, &self.table);
        Ok(())
    }

    fn successors(&self, state: &M::State) -> Vec<M::State> {
        self.model.successors(state)
    }

    fn is_terminal(&self, state: &M::State) -> bool {
        self.model.is_terminal(state)
    }
}
