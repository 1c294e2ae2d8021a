//! The product of a model with an automaton as a subject. It adds the automaton's state and
//! delegates all else to the model.

use std::io;
use std::sync::Arc;

use super::executable::{Executable, Expanded, Intermediate, ProgressValues};
use super::semantics::Semantics;
use super::structure::Structure;
use crate::explore::inner_steps::INTERMEDIATE;
use crate::progress::Comparison;
use crate::property::acceptor::Acceptor;
use crate::property::fairness::FairnessConditions;
use crate::property::linear::LinearProperty;
use crate::property::product::{Automaton, Place, Product, ProductState, REPEATED, Scratch};
use crate::property::service::ServiceProperty;
use crate::property::service_table::ServiceTable;
use crate::reduce::gain::Gain;
use crate::store::fingerprint::Fingerprint;
use crate::store::saved::{Loader, Saver};
use crate::verdict::replay::ReplayError;
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::{ActionId, Strength};
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::ExecutionError;

/// A model, and an automaton that moves along with it.
pub(super) struct ProductSubject<M: Executable, A> {
    model: M,
    automaton: Arc<A>,
    /// The predicates that the automaton reads.
    propositions: Vec<M::Predicate>,
    place: Place,
}

impl<M: Executable> ProductSubject<M, Acceptor> {
    /// The product with the automaton of a linear-time property.
    pub(super) fn with_acceptor(
        model: M,
        property: &LinearProperty<M::Predicate>,
        fair: Option<FairnessConditions>,
    ) -> Self {
        let acceptor = Acceptor::new(property, fair);
        let acceptor = match model.progress() {
            None => acceptor.with_ranks(None),
            Some(ProgressValues { bits: Some(bits), comparison: Comparison::Total }) => {
                acceptor.with_ranks(Some(bits))
            }
            Some(_) => acceptor,
        };
        Self::new(model, acceptor, property.propositions().to_vec())
    }
}

impl<M: Executable> ProductSubject<M, ServiceTable> {
    /// The product with the automaton of a service to which the model is to conform.
    pub(super) fn with_service(model: M, service: &ServiceProperty<M::Predicate>) -> Self {
        let table = ServiceTable::new(service);
        let table = if model.progress().is_some() { table } else { table.with_ranks(service) };
        Self::new(model, table, Vec::new())
    }
}

impl<M: Executable, A: Automaton> ProductSubject<M, A> {
    fn new(model: M, automaton: A, propositions: Vec<M::Predicate>) -> Self {
        let place = place(&model, &automaton);
        Self { model, automaton: Arc::new(automaton), propositions, place }
    }

    /// The automaton.
    pub(super) fn automaton(&self) -> &Arc<A> {
        &self.automaton
    }

    /// The bits of the automaton's state.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The propositions that hold in a state of the model. One without a value does not hold: the
    /// automaton does not read it there, or the search has ended.
    pub(super) fn truth(&self, state: &M::State) -> u64 {
        let holds = |proposition| self.model.holds(proposition, state).unwrap_or(false);
        let bits = self.propositions.iter().enumerate();
        bits.fold(0, |truth, (number, proposition)| truth | u64::from(holds(proposition)) << number)
    }
}

fn place<M: Executable, A: Automaton>(model: &M, automaton: &A) -> Place {
    let states = automaton.states();
    Place::new(model.shape(), states, model.spare_bits(Place::bits(states)))
}

impl<M: Executable, A: Automaton> Semantics for ProductSubject<M, A> {
    type Predicate = M::Predicate;
    type State = M::State;
    type Run = M::Run;
    type Fault = M::Fault;

    fn steps(&self, state: &M::State) -> Vec<(ActionId, Option<M::State>)> {
        self.model.steps(state)
    }

    fn holds(&self, predicate: &M::Predicate, state: &M::State) -> Result<bool, M::Fault> {
        self.model.holds(predicate, state)
    }

    /// Replays the run without its repetitions of a last state, which are no steps of the model.
    fn replay(&self, run: &LoggedRun) -> Result<M::Run, ReplayError> {
        let is_step = |action: &ActionId| *action != REPEATED;
        let actions = run.actions.iter().copied().filter(is_step).collect();
        self.model.replay(&LoggedRun { initial: run.initial, actions })
    }

    fn states(run: &M::Run) -> Vec<&M::State> {
        M::states(run)
    }

    fn last_state(run: &M::Run) -> &M::State {
        M::last_state(run)
    }

    /// Adds the model only: the automaton is a part of the property.
    fn identify(&self, fingerprint: &mut Fingerprint) {
        self.model.identify(fingerprint);
    }

    fn identify_predicate(&self, predicate: &M::Predicate, fingerprint: &mut Fingerprint) {
        self.model.identify_predicate(predicate, fingerprint);
    }
}

impl<M: Executable, A: Automaton> Executable for ProductSubject<M, A> {
    type System = Product<M::System, A>;

    fn shape(&self) -> RecordShape {
        self.place.shape()
    }

    fn bits(&self) -> usize {
        let added = match self.place.shape() {
            RecordShape::Fixed(_) => Place::bits(self.automaton.states()),
            // A word of its own.
            RecordShape::Prefixed => 64,
        };
        self.model.bits() + added as usize
    }

    fn progress(&self) -> Option<ProgressValues> {
        let model = self.model.progress();
        let comparison = model.map(|values| values.comparison).unwrap_or_default();
        let has_values = model.is_some() || self.automaton.ranks().is_some();
        has_values.then_some(ProgressValues { bits: None, comparison })
    }

    fn prepare(&self, predicates: &[M::Predicate]) -> Result<Self::System, ExecutionError> {
        Ok(Product::new(self.model.prepare(predicates)?, self.place, self.automaton.clone()))
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        let mut model = SuccessorBatch::new(self.model.shape(), 1);
        self.model.initial(&mut model);
        let mut joined = Vec::new();
        for i in 0..model.len() {
            for automaton in self.automaton.initial() {
                self.place.join(model.state(i), automaton, &mut joined);
                batch.push(model.action(i), &joined);
            }
        }
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<M::Fault> {
        let old = self.place;
        let mut plain = Vec::new();
        old.append_model(state, &mut plain);
        let mut steps = SuccessorBatch::new(self.model.shape(), 1);
        match self.model.expand(&plain, &mut steps) {
            Expanded::Widened(mut translate) => {
                let new = place(&self.model, &*self.automaton);
                self.place = new;
                let (mut plain, mut wide) = (Vec::new(), Vec::new());
                Expanded::Widened(Box::new(move |state, packed| {
                    plain.clear();
                    old.append_model(state, &mut plain);
                    translate(&plain, &mut wide);
                    new.join(&wide, old.automaton(state), packed);
                }))
            }
            Expanded::Outgrown(outgrown) => Expanded::Outgrown(outgrown),
            Expanded::Successors(fault) => {
                // A state whose only steps are erroneous has steps, and is not repeated.
                if steps.is_empty() && fault.is_some() {
                    return Expanded::Successors(fault);
                }
                let holds = if A::READS_STATES { self.truth(&self.model.decode(&plain)) } else { 0 };
                let from = ProductState { place: old, model: &plain, automaton: old.automaton(state), holds };
                let successors = (0..steps.len()).map(|i| (steps.action(i), steps.state(i)));
                self.automaton.append_steps(&from, successors, batch, &mut Scratch::default());
                Expanded::Successors(fault)
            }
        }
    }

    fn decode(&self, state: &[u64]) -> M::State {
        let mut plain = Vec::new();
        self.place.append_model(state, &mut plain);
        self.model.decode(&plain)
    }

    fn intermediate(&self) -> Option<Intermediate<M::Predicate>> {
        self.automaton.marks_intermediate().then_some(Intermediate::Marked(INTERMEDIATE))
    }

    fn structure(&self) -> Option<&dyn Structure> {
        self.model.structure().map(|_| self as &dyn Structure)
    }

    fn given_up(&self) -> Option<Gain> {
        self.model.given_up()
    }

    fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.model.save(to)
    }

    fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.model.load(from)?;
        self.place = place(&self.model, &*self.automaton);
        Ok(())
    }
}

/// The processes and actions of the model. States of the product are not surveyed.
impl<M: Executable, A: Automaton> Structure for ProductSubject<M, A> {
    fn actions(&self) -> usize {
        self.model.structure().map_or(0, Structure::actions)
    }

    fn inner_actions(&self) -> Vec<bool> {
        self.model.structure().map_or_else(Vec::new, Structure::inner_actions)
    }

    fn processes_of_actions(&self) -> Vec<Vec<u32>> {
        self.model.structure().map_or_else(Vec::new, Structure::processes_of_actions)
    }

    fn fair_actions(&self) -> Vec<(ActionId, Strength)> {
        self.model.structure().map_or_else(Vec::new, Structure::fair_actions)
    }

    fn cells(&self, state: &[u64]) -> Option<Vec<i64>> {
        let mut plain = Vec::new();
        self.place.append_model(state, &mut plain);
        self.model.structure()?.cells(&plain)
    }
}
