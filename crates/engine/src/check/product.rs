//! The product of a model and an automaton as a subject: everything but the automaton's state is the model's business.

use std::io;
use std::sync::Arc;

use super::identity::Fingerprint;
use super::subject::{Expanded, Subject};
use crate::progress::Comparison;
use crate::property::fairness::FairnessConditions;
use crate::property::linear::LinearProperty;
use crate::property::product::{Acceptor, Expanding, Place, Product, REPEATED, append_steps};
use crate::store::saved::{Loader, Saver};
use crate::verdict::replay::ReplayError;
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::{ActionId, Strength};
use model::successor_batch::SuccessorBatch;
use model::transition_system::ExecutionError;

/// A model, watched by an automaton.
pub struct ProductSubject<M: Subject> {
    model: M,
    acceptor: Arc<Acceptor>,
    propositions: Vec<M::Predicate>,
    place: Place,
}

impl<M: Subject> ProductSubject<M> {
    /// The model, watched by the automaton of the property.
    pub fn new(model: M, property: &LinearProperty<M::Predicate>, fair: Option<FairnessConditions>) -> Self {
        let acceptor = Acceptor::new(property, fair);
        let may_rank = match model.has_measure() {
            true => model.progress_bits().is_some() && model.comparison() == Comparison::Total,
            false => true,
        };
        let acceptor = if may_rank { acceptor.with_ranks(model.progress_bits()) } else { acceptor };
        let acceptor = Arc::new(acceptor);
        let place = place(&model, &acceptor);
        Self { model, acceptor, propositions: property.propositions().to_vec(), place }
    }

    /// The automaton.
    pub fn acceptor(&self) -> &Arc<Acceptor> {
        &self.acceptor
    }

    /// Where the automaton's state lies.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Which propositions hold in a state of the model. One without a value does not: nobody asked for it, or the search has ended there.
    pub fn truth(&self, state: &M::State) -> u64 {
        let holds = |proposition| self.model.holds(proposition, state).unwrap_or(false);
        let bits = self.propositions.iter().enumerate();
        bits.fold(0, |truth, (number, proposition)| truth | u64::from(holds(proposition)) << number)
    }
}

fn place<M: Subject>(model: &M, acceptor: &Acceptor) -> Place {
    let states = acceptor.states();
    Place::new(model.words(), states, model.spare_bits(Place::bits(states)))
}

impl<M: Subject> Subject for ProductSubject<M> {
    type Predicate = M::Predicate;
    type System = Product<M::System>;
    type State = M::State;
    type Run = M::Run;
    type Fault = M::Fault;

    fn words(&self) -> usize {
        self.place.words()
    }

    fn bits(&self) -> usize {
        self.model.bits() + Place::bits(self.acceptor.states()) as usize
    }

    fn has_measure(&self) -> bool {
        self.model.has_measure() || self.acceptor.has_ranks()
    }

    fn comparison(&self) -> Comparison {
        self.model.comparison()
    }

    fn prepare(&self, predicates: &[M::Predicate]) -> Result<Self::System, ExecutionError> {
        Ok(Product::new(self.model.prepare(predicates)?, self.place, self.acceptor.clone()))
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        let mut model = SuccessorBatch::new(self.model.words(), 1);
        self.model.initial(&mut model);
        let mut joined = Vec::new();
        for i in 0..model.len() {
            for automaton in self.acceptor.initial() {
                self.place.join(model.state(i), automaton, &mut joined);
                batch.push(model.action(i), &joined);
            }
        }
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<M::Fault> {
        let old = self.place;
        let mut plain = Vec::new();
        old.append_model(state, &mut plain);
        let mut steps = SuccessorBatch::new(self.model.words(), 1);
        match self.model.expand(&plain, &mut steps) {
            Expanded::Widened(mut translate) => {
                let new = place(&self.model, &self.acceptor);
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
                let mut targets = Vec::new();
                let truth = self.truth(&self.model.decode(&plain));
                self.acceptor.targets(old.automaton(state), truth, &mut targets);
                let successors = (0..steps.len()).map(|i| (steps.action(i), steps.state(i)));
                // A state with an erroneous step has a step.
                if steps.is_empty() && fault.is_some() {
                    targets.clear();
                }
                let (place, acceptor) = (self.place, &*self.acceptor);
                let expanding =
                    Expanding { state: &plain, automaton: old.automaton(state), targets: &targets };
                append_steps(place, acceptor, expanding, successors, batch, &mut Vec::new());
                Expanded::Successors(fault)
            }
        }
    }

    fn decode(&self, state: &[u64]) -> M::State {
        let mut plain = Vec::new();
        self.place.append_model(state, &mut plain);
        self.model.decode(&plain)
    }

    /// Repeating a last state is no step of the model.
    fn replay(&self, run: &LoggedRun) -> Result<M::Run, ReplayError> {
        let is_step = |action: &ActionId| *action != REPEATED;
        let actions = run.actions.iter().copied().filter(is_step).collect();
        self.model.replay(&LoggedRun { initial: run.initial, actions })
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
        self.place = place(&self.model, &self.acceptor);
        Ok(())
    }

    fn successors(&self, state: &M::State) -> Vec<M::State> {
        self.model.successors(state)
    }

    fn is_terminal(&self, state: &M::State) -> bool {
        self.model.is_terminal(state)
    }

    fn actions(&self) -> usize {
        self.model.actions()
    }

    fn processes_of_actions(&self) -> Vec<Vec<u32>> {
        self.model.processes_of_actions()
    }

    fn fair_actions(&self) -> Vec<(ActionId, Strength)> {
        self.model.fair_actions()
    }

    fn enabled(&self, state: &M::State) -> Vec<ActionId> {
        self.model.enabled(state)
    }
}
