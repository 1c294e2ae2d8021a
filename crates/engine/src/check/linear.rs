//! Linear-time properties: the product with an automaton is swept, and an accepting cycle is a run
//! that violates the property.
//!
//! Cycles inside a layer are found [when the layer is complete](crate::property::accepting_cycles).
//! If progress is monotone, there are no others. Otherwise the search looks for cycles [across
//! layers](crate::explore::propagation) after the sweeps have ended without one. With the constant
//! measure, all states are one layer. The check is then the usual search for strongly connected
//! components, with everything in memory.
//!
//! The result is a lasso: a stem and a loop. The model replays both. The loop must close, and the
//! automaton must accept the lasso. The lasso must also violate the formula, by an evaluator that
//! is independent of both.

mod by_nested_depth;
mod lasso;
mod on_graph;

use std::collections::HashSet;

use super::any_search::AnySearch;
use super::drive::expand_again;
use super::observers::Observers;
use super::on_the_fly::observers;
use super::product::ProductSubject;
use super::run::Run;
use super::{
    CheckError, DiskUse, Executable, OnRegress, Order, OutcomeOf, Plan, Reduction, SearchEnd, SearchKind,
    SearchPlan, StopReason, WhenFull,
};
use crate::explore::propagation::{Propagation, WaveCycle, Waves};
use crate::explore::search::{Limits, Snapshot};
use crate::explore::sweep::{Nesting, Retention};
use crate::explore::{AfterPause, Monitor, PausedSearch, Phase, Record, Search};
use crate::property::accepting_cycles::{AcceptingCycles, AcceptingState};
use crate::property::acceptor::Acceptor;
use crate::property::fairness::{Fairness, FairnessConditions, TooManyConditions};
use crate::property::linear::LinearProperty;
use crate::property::product::Place;
use crate::property::progress_graph::ProgressComponents;
use crate::property::soundness::{NotKept, Unsound};
use crate::property::{Property, PropertyKind};
use crate::reduce::Kept;
use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::records::with_records;
use crate::verdict::trace_log::{LoggedRun, TraceLog};
use crate::verdict::{Evidence, UnknownReason, Verdict};
use by_nested_depth::decide_by_nested_depth;
use lasso::Lasso;
use model::guarded_commands::{ActionId, Strength};
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, TransitionSystem};
use on_graph::decide_on_graph_of_product;

/// The location of the states of a layer during the search for cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layers {
    /// Layers are in memory. Cycles are found when a layer is complete.
    InMemory,
    /// Layers are in memory or on disk. Cycles are found in the graph when the search is complete.
    OnDisk,
}

/// Checks one linear-time property.
pub(super) fn check_linear<M: Executable>(
    mut model: M,
    property: &Property<M::Predicate>,
    plan: &Plan,
    layers: Layers,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    let PropertyKind::Linear(linear) = &property.kind else {
        return Err(CheckError::WrongTrace(property.name.clone()));
    };
    if matches!(plan.search, SearchPlan::Partition) {
        return Err(Unsound::Cycles(property.name.clone(), plan.search.engine().name()).into());
    }
    if plan.checkpoint.is_some() {
        return Err(CheckError::TemporalNotSaved);
    }
    plan.require_kept(std::slice::from_ref(property))?;
    if plan.reduction != Reduction::None && !fair_actions(&model).is_empty() {
        return Err(Unsound::Reduced(property.name.clone(), NotKept::FairRuns).into());
    }
    plan.reduce(&mut model, Kept::Runs)?;
    let fair = fairness(&model, &property.name, linear.runs().fairness)?;
    let subject = ProductSubject::with_acceptor(model, linear, fair);
    let monitor = &mut ModelProgress { monitor, rank_bits: subject.automaton().rank_bits() };
    match (&plan.search, layers) {
        (SearchPlan::Depth, _) => {
            return decide_by_nested_depth(subject, property, linear, plan, monitor);
        }
        (SearchPlan::BreadthDisk, _) | (_, Layers::OnDisk) => {
            return decide_on_graph_of_product(subject, property, linear, plan, monitor);
        }
        (_, Layers::InMemory) => {}
    }
    let plan = Plan {
        search: search_for_cycles(&plan.search, subject.automaton().rank_bits()),
        explore_all: false,
        // All remembered states would be candidates.
        limits: Limits { revisits: f64::INFINITY, ..plan.limits },
        ..plan.clone()
    };
    let kind = plan.search.kind(&subject);
    let disk = plan.disk.disk();
    let search = AnySearch::new(kind, &plan, &subject, &disk)?;
    let asked = std::slice::from_ref(property);
    let observers =
        Observers { cycles: Some(AcceptingCycles::default()), ..observers(&subject, asked, &plan, kind)? };
    let run = Run::new(subject, propositions(linear), &plan, (search, disk), observers);
    LayerSearch { run, property, kind, expanded_later: 0 }.finish(linear, monitor)
}

/// The search that looks for cycles in layers, for an automaton whose progress has so many bits.
fn search_for_cycles(search: &SearchPlan, rank_bits: u32) -> SearchPlan {
    // A layer that is on disk is not searched for cycles.
    if let SearchPlan::Breadth(_) | SearchPlan::Adaptive = search {
        return SearchPlan::Breadth(WhenFull::Stop);
    }
    search.changed(|sweep| {
        sweep.on_regress = OnRegress::Sweep;
        // All persistent states are needed in the end, and every regress edge must lead to one.
        sweep.retention = Retention::Immediate;
        let parts = match (sweep.nesting.parts, rank_bits) {
            (parts, 0) | (parts @ 0, _) => parts,
            // The automaton's progress is a part of its own, below the others.
            (parts, bits) => parts << bits | 1,
        };
        sweep.nesting = Nesting { monotone: None, parts };
    })
}

/// The propositions of a property, which is the only one of its search.
fn propositions<P: Clone>(linear: &LinearProperty<P>) -> impl Iterator<Item = (usize, P)> {
    linear.propositions().iter().map(|proposition| (0, proposition.clone()))
}

/// Monitor that shows only the progress of the model.
struct ModelProgress<'a> {
    monitor: &'a mut dyn Monitor,
    rank_bits: u32,
}

impl Monitor for ModelProgress<'_> {
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason> {
        self.monitor.look(&Snapshot { progress: snapshot.progress >> self.rank_bits, ..*snapshot })
    }

    fn phase(&mut self, phase: Phase<'_>) {
        self.monitor.phase(phase);
    }

    fn paused(&mut self, search: &PausedSearch<'_>) -> AfterPause {
        self.monitor.paused(search)
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.monitor.wants_checkpoint()
    }
}

/// Actions that the model itself declares fair.
fn fair_actions<M: Executable>(model: &M) -> Vec<(ActionId, Strength)> {
    model.structure().map_or_else(Vec::new, |structure| structure.fair_actions())
}

/// The conditions of fair runs, if only fair runs count.
fn fairness<M: Executable>(
    model: &M,
    name: &str,
    asked: Fairness,
) -> Result<Option<FairnessConditions>, Unsound> {
    let fair_actions = fair_actions(model);
    let processes = match (asked, model.structure()) {
        (Fairness::Weak, Some(structure)) => structure.processes_of_actions(),
        _ => Vec::new(),
    };
    if asked == Fairness::Weak && processes.iter().all(Vec::is_empty) {
        return Err(Unsound::NoProcesses(name.into()));
    }
    if asked == Fairness::Unfair && fair_actions.is_empty() {
        return Ok(None);
    }
    FairnessConditions::new(&processes, &fair_actions).map(Some).map_err(|too_many| match too_many {
        TooManyConditions::All => Unsound::TooManyFair(name.into()),
        TooManyConditions::Strong => Unsound::TooManyStrong(name.into()),
    })
}

/// The product, as the propagation sees it.
struct ProductWaves<'a, M: Executable> {
    subject: &'a mut ProductSubject<M, Acceptor>,
    expander: Box<dyn Expander + 'a>,
    layers: ProgressComponents,
    log: TraceLog,
    disk: &'a DiskUse,
}

impl<M: Executable> ProductWaves<'_, M> {
    fn parts(&self) -> (&Acceptor, Place) {
        (self.subject.automaton(), self.subject.place())
    }
}

impl<M: Executable> Waves for ProductWaves<'_, M> {
    fn successors(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Result<(), SearchEnd> {
        expand_again(self.subject, &mut *self.expander, state, batch).map_err(|_| expands_differently())
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        self.expander.progress(states, values);
    }

    fn is_accepting(&self, state: &[u64]) -> bool {
        let (acceptor, place) = self.parts();
        acceptor.is_accepting(place.automaton(state))
    }

    fn may_cycle(&self, state: &[u64]) -> bool {
        let (acceptor, place) = self.parts();
        acceptor.may_cycle(place.automaton(state))
    }

    fn layers(&self, progress: u64) -> Option<u32> {
        self.layers.of(progress)
    }

    fn begin_log(&mut self) {
        self.log = self.disk.trace_log();
    }

    fn log(&mut self, parent: Option<Record>, action: ActionId) {
        self.log.append(parent, action);
    }

    fn log_bytes(&self) -> Result<usize, SearchEnd> {
        if let Some(reason) = self.log.failure() {
            return Err(SearchEnd::Stopped(StopReason::Observer(reason)));
        }
        let limit = self.disk.limit;
        if self.log.disk_bytes() > limit {
            let reason = format!("the limit of {limit} bytes for files is reached");
            return Err(SearchEnd::Stopped(StopReason::DiskLimit(reason)));
        }
        Ok(self.log.bytes_held())
    }
}

/// The end of a search that expands a state again and gets other successors.
fn expands_differently() -> SearchEnd {
    let reason = "a state has other successors than before: a defect of this program".into();
    SearchEnd::Stopped(StopReason::Observer(reason))
}

/// A search for accepting cycles in layers and across them.
struct LayerSearch<'a, M: Executable> {
    run: Run<'a, ProductSubject<M, Acceptor>>,
    property: &'a Property<M::Predicate>,
    kind: SearchKind,
    /// Number of states that were expanded after the search.
    expanded_later: u64,
}

impl<M: Executable> LayerSearch<'_, M> {
    fn finish(
        mut self,
        linear: &LinearProperty<M::Predicate>,
        monitor: &mut dyn Monitor,
    ) -> Result<OutcomeOf<M>, CheckError> {
        let mut end = self.run.search(None, None, monitor)?;
        let is_complete = matches!(end, SearchEnd::Complete(_)) && self.run.error.is_none();
        let found = match self.cycles().and_then(AcceptingCycles::found) {
            Some(state) => Some(self.cycle_in_layer(state)?),
            None if is_complete && self.run.search.figures().counters.regress > 0 => {
                monitor.phase(Phase::FindingCycles);
                match self.cycle_across_layers(monitor)? {
                    Ok(found) => found,
                    Err(stopped) => {
                        end = stopped;
                        None
                    }
                }
            }
            None => None,
        };
        let verdict = match (found, &end, &self.run.error) {
            (Some(lasso), ..) => {
                let (run, start) = self.run.subject.lasso(linear, lasso)?.ok_or_else(|| self.wrong())?;
                Verdict::Violated(Evidence::Lasso(run, start))
            }
            (None, _, Some(_)) => Verdict::Unknown(UnknownReason::RuntimeError),
            (None, SearchEnd::Complete(token), None) => Verdict::Holds(Evidence::Search(*token)),
            (None, SearchEnd::Stopped(reason), None) => {
                Verdict::Unknown(UnknownReason::Stopped(reason.clone()))
            }
            _ => return Err(self.wrong()),
        };
        let expanded_later = self.expanded_later;
        let mut outcome = self.run.outcome(end, None, vec![verdict]);
        outcome.figures.counters.explored += expanded_later;
        Ok(outcome)
    }

    fn cycles(&self) -> Option<&AcceptingCycles> {
        self.run.observers.cycles.as_ref()
    }

    fn wrong(&self) -> CheckError {
        CheckError::WrongTrace(self.property.name.clone())
    }

    /// Finds a shortest cycle through the state that lies in one layer.
    fn cycle_in_layer(&mut self, found: AcceptingState) -> Result<Lasso, CheckError> {
        let stem = self.run.run_to(found.record)?;
        let system = self.run.prepare()?;
        let mut expander = system.expander();
        let starts = self.states_after(&mut *expander, &stem)?;
        let place = self.run.subject.place();
        let start = starts.into_iter().find(|state| place.automaton(state) == found.automaton);
        let start = start.ok_or_else(|| self.wrong())?;
        let cycle = self.shortest_cycle(&mut *expander, &start)?;
        Ok(Lasso { stem, cycle })
    }

    /// All states of the product in which a run of the model may end. There may be several, because
    /// the automaton is nondeterministic.
    fn states_after(
        &mut self,
        expander: &mut dyn Expander,
        run: &LoggedRun,
    ) -> Result<Vec<Vec<u64>>, CheckError> {
        let mut batch = SuccessorBatch::new(self.run.subject.shape(), 1);
        self.run.subject.initial(&mut batch);
        let mut states: Vec<Vec<u64>> = (0..batch.len())
            .filter(|i| batch.action(*i) == run.initial)
            .map(|i| batch.state(i).to_vec())
            .collect();
        for action in &run.actions {
            let mut next = Vec::new();
            let mut seen = HashSet::new();
            for state in &states {
                expand_again(&mut self.run.subject, expander, state, &mut batch).map_err(|_| self.wrong())?;
                for i in (0..batch.len()).filter(|i| batch.action(*i) == *action) {
                    if seen.insert(batch.state(i).to_vec()) {
                        next.push(batch.state(i).to_vec());
                    }
                }
            }
            states = next;
        }
        Ok(states)
    }

    /// The actions of a shortest path from the state back to itself along which progress does not
    /// change.
    fn shortest_cycle(
        &mut self,
        expander: &mut dyn Expander,
        start: &[u64],
    ) -> Result<Vec<ActionId>, CheckError> {
        let shape = self.run.subject.shape();
        let no_memory = |error| CheckError::NoMemory(LayerFull::System(error));
        let mut seen = Layer::new(shape, usize::MAX).map_err(no_memory)?;
        with_records!(shape, records => seen.insert(records, start)).map_err(CheckError::NoMemory)?;
        let mut value = Vec::new();
        expander.progress(start, &mut value);
        let mut origins = vec![(0, ActionId(0))];
        let (mut batch, mut values) = (SuccessorBatch::new(shape, 1), Vec::new());
        let mut next = 0;
        while next < seen.len() {
            let state = seen.state(next).to_vec();
            expand_again(&mut self.run.subject, expander, &state, &mut batch).map_err(|_| self.wrong())?;
            values.clear();
            expander.progress(batch.words(), &mut values);
            for (i, near) in values.iter().enumerate() {
                if batch.state(i) == start {
                    let mut cycle = vec![batch.action(i)];
                    while next > 0 {
                        let (parent, action) = origins[next];
                        cycle.push(action);
                        next = parent;
                    }
                    cycle.reverse();
                    return Ok(cycle);
                }
                let is_near = self.kind == SearchKind::Layers(Order::Constant) || *near == value[0];
                if is_near {
                    let inserted = with_records!(shape, records => seen.insert(records, batch.state(i)));
                    if let Inserted::New(_) = inserted.map_err(CheckError::NoMemory)? {
                        origins.push((next, batch.action(i)));
                    }
                }
            }
            next += 1;
        }
        Err(self.wrong())
    }

    /// Finds an accepting cycle that is not inside one layer, if there is one. The inner error is
    /// the reason why the search was stopped.
    fn cycle_across_layers(
        &mut self,
        monitor: &mut dyn Monitor,
    ) -> Result<Result<Option<Lasso>, SearchEnd>, CheckError> {
        let layers = self.cycles().map(AcceptingCycles::across_layers).unwrap_or_default();
        if layers.is_empty() {
            return Ok(Ok(None));
        }
        let (acceptor, place) = (self.run.subject.automaton().clone(), self.run.subject.place());
        let AnySearch::Sweep(search) = &mut self.run.search else { return Err(self.wrong()) };
        let mut candidates = Vec::new();
        search.persistent_states(|value, state, origin| {
            if layers.of(value).is_some() && acceptor.may_cycle(place.automaton(state)) {
                candidates.push((value, state.to_vec(), origin));
            }
        })?;
        let held = search.bytes();
        // In the order in which they were found: initial states have no parent, and come first.
        candidates
            .sort_unstable_by(|(_, state, origin), (_, other, found)| (origin, state).cmp(&(found, other)));
        let system = self.run.prepare()?;
        let memory = self.run.plan.limits.memory.saturating_sub(held);
        let limits = Limits { memory, ..self.run.plan.limits };
        let states = candidates.iter().map(|(value, state, _)| (*value, state.as_slice()));
        let mut propagation = match Propagation::new(self.run.subject.shape(), states, limits) {
            Ok(propagation) => propagation,
            Err(end) => return Ok(Err(end)),
        };
        let disk = &self.run.plan.disk;
        let log = disk.trace_log();
        let mut waves =
            ProductWaves { subject: &mut self.run.subject, expander: system.expander(), layers, log, disk };
        let found = propagation.run(&mut waves, monitor);
        self.expanded_later += propagation.counters().explored;
        let found = match found {
            Ok(found) => found,
            Err(end) => return Ok(Err(end)),
        };
        let Some(WaveCycle { candidate, last, action }) = found else { return Ok(Ok(None)) };
        let mut cycle = waves.log.run_to(last)?.actions;
        drop(waves);
        cycle.push(action);
        let start = propagation.candidate(candidate);
        let origin = candidates.iter().find(|(_, state, _)| state == start).map(|(_, _, origin)| *origin);
        let stem = match origin.ok_or_else(|| self.wrong())? {
            (Some(parent), action) => {
                let mut stem = self.run.run_to(parent)?;
                stem.actions.push(action);
                stem
            }
            (None, initial) => LoggedRun { initial, actions: Vec::new() },
        };
        Ok(Ok(Some(Lasso { stem, cycle })))
    }
}
