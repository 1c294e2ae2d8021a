//! Properties that are decided while a search runs, several at a time.
//!
//! Deadlocks, invariants, reachability and services are decided by the first state that shows an
//! answer. `AG EF p` and `EF AG p` are decided by the terminal strongly connected components of a
//! layer. A complete search decides the rest. The model replays a run that the search logged and
//! tests it against the property before it becomes evidence.

use super::any_search::AnySearch;
use super::checkpoint::{CheckpointFolder, Checkpointing};
use super::drive::DrivenChange;
use super::executable::Executable;
use super::identity::RunIdentity;
use super::observers::Observers;
use super::run::Run;
use super::service;
use super::{CheckError, OnRuntimeError, OutcomeOf, Plan, Reduction, Regress, SearchPlan, TerminalList};
use crate::explore::search::Limits;
use crate::explore::sweep::{OnRegress, Order, Retention};
use crate::explore::{CompleteSearch, Monitor, Record, RegressEdge, SearchEnd, StopReason};
use crate::property::soundness::{SearchKind, Unsound, needs_monotone, require_sound};
use crate::property::terminal_states::TerminalStates;
use crate::property::watch::PropertyWatch;
use crate::property::{Claim, Property, PropertyKind, predicates};
use crate::reduce::Kept;
use crate::store::layer::LayerFull;
use crate::store::saved::Loader;
use crate::verdict::trace_log::LoggedRun;
use crate::verdict::{Evidence, Length, UnknownReason, Verdict};
use model::transition_system::MAX_PREDICATES;

/// Number of terminal states that are kept to identify duplicates across sweeps, if they are not
/// listed.
const TERMINAL_STATES: usize = 1 << 16;

/// Checks the properties on any kind of model, by one search. Properties that need a search of
/// their own belong to [`check_alone`](super::check_alone).
///
/// # Errors
/// The errors of [`check`](super::check()).
pub fn check_subject<M: Executable>(
    subject: M,
    properties: &[Property<M::Predicate>],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    let predicates = predicates(properties).len() + subject.own_predicates();
    if predicates > MAX_PREDICATES {
        return Err(CheckError::TooManyPredicates(predicates));
    }
    if let Some(temporal) = properties.iter().find(|property| property.kind.needs_own_search()) {
        return Err(CheckError::NeedsOwnSearch(temporal.name.clone()));
    }
    decide_on_the_fly(subject, properties, plan, monitor)
}

/// Checks properties that the watch over a search decides.
pub(super) fn decide_on_the_fly<M: Executable>(
    mut subject: M,
    properties: &[Property<M::Predicate>],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    let search = match needs_monotone(properties) {
        Some(_) => plan.search.changed(|sweep| sweep.on_regress = OnRegress::Stop),
        None => plan.search.clone(),
    };
    let kind = search.kind(&subject);
    require_sound(properties, kind)?;
    plan.require_kept(properties)?;
    if plan.survey
        && (!matches!(kind, SearchKind::Layers(_)) || matches!(plan.search, SearchPlan::BreadthDisk))
    {
        return Err(Unsound::SurveyWithoutLayers.into());
    }
    plan.reduce(
        &mut subject,
        if predicates(properties).is_empty() { Kept::Deadlocks } else { Kept::States },
    )?;
    // The lock keeps other runs from writing to the folder.
    let _lock =
        plan.checkpoint.as_ref().map(|one| CheckpointFolder::new(&one.directory).lock()).transpose()?;
    let identity = plan.checkpoint.as_ref().map(|_| RunIdentity::new(&subject, properties, plan));
    let (saved, changes) = match (&plan.checkpoint, &identity) {
        (Some(settings), Some(identity)) if settings.resumes => {
            let (saved, changes) = resumed(&mut subject, identity, settings)?;
            (Some(saved), changes)
        }
        _ => (None, Vec::new()),
    };
    let disk = plan.disk.disk();
    // A run that has changed over resumes in its last order.
    let order = changes.last().map(|one: &DrivenChange| one.change.order);
    let now = order.map_or(kind, |order| SearchKind::Layers(order.order()));
    let limits = Limits { revisits: order.map_or(plan.limits.revisits, |one| one.revisits), ..plan.limits };
    let search = AnySearch::new(now, &Plan { limits, ..plan.clone() }, &subject, &disk)?;
    if plan.checkpoint.is_some() && !search.can_be_saved() {
        return Err(CheckError::NotSaved);
    }
    let observers = observers(&subject, properties, plan, kind)?;
    let owned = properties.iter().enumerate();
    let owned =
        owned.flat_map(|(number, one)| one.kind.predicates().iter().map(move |p| (number, p.clone())));
    let mut run = Run::new(subject, owned, plan, (search, disk), observers);
    run.driven.changes = changes;
    Deciding { run, properties, kind }.finish(identity, saved, monitor)
}

/// Opens the checkpoint of this run. Gives states the layout that they have there, and the model the
/// measure that the search had changed to, if it had.
fn resumed<M: Executable>(
    subject: &mut M,
    identity: &RunIdentity,
    settings: &Checkpointing,
) -> Result<(Loader, Vec<DrivenChange>), CheckError> {
    let checkpoint = CheckpointFolder::new(&settings.directory).open();
    let mut loader = checkpoint.map_err(CheckError::Checkpoint)?.loader;
    let saved: RunIdentity = loader.get().map_err(CheckError::Checkpoint)?;
    if let Some(difference) = identity.difference(&saved) {
        return Err(CheckError::AnotherRun(difference));
    }
    subject.load(&mut loader).map_err(CheckError::Checkpoint)?;
    let changes: Vec<DrivenChange> = loader.get().map_err(CheckError::Checkpoint)?;
    if let Some(DrivenChange { change, .. }) = changes.last() {
        subject.follow(&change.measure);
    }
    Ok((loader, changes))
}

/// The observers of the search: those of the properties, and those that the plan requests.
pub(super) fn observers<M: Executable>(
    subject: &M,
    properties: &[Property<M::Predicate>],
    plan: &Plan,
    kind: SearchKind,
) -> Result<Observers, CheckError> {
    // A run without properties shows no traces, unless an error ends it. `GoOn` only counts errors.
    let traces = !properties.is_empty()
        || plan.on_runtime_error == OnRuntimeError::Stop
        || plan.search.on_regress() == OnRegress::Stop;
    let terminal = match (plan.terminal_states, kind) {
        (TerminalList::Listed, _) => Some(usize::MAX),
        // It may become a sweep.
        _ if matches!(plan.search, SearchPlan::Adaptive | SearchPlan::Sweep(_)) => Some(TERMINAL_STATES),
        // One pass visits every state once.
        (_, SearchKind::Depth | SearchKind::Partitions | SearchKind::Layers(Order::Constant)) => None,
        (TerminalList::Counted, _) => Some(TERMINAL_STATES),
    };
    let terminal = terminal.map(|limit| TerminalStates::new(subject.shape(), limit)).transpose();
    Ok(Observers {
        watch: PropertyWatch::new(properties, plan.explore_all),
        log: traces.then(|| plan.disk.trace_log()),
        terminal: terminal.map_err(|error| CheckError::NoMemory(LayerFull::System(error)))?,
        survey: subject.structure().filter(|_| plan.survey).and_then(|structure| structure.survey()),
        cycles: None,
        graph: None,
        intermediate: None,
    })
}

/// A run, and the properties that it decides.
struct Deciding<'a, M: Executable> {
    run: Run<'a, M>,
    properties: &'a [Property<M::Predicate>],
    kind: SearchKind,
}

impl<M: Executable> Deciding<'_, M> {
    fn finish(
        mut self,
        identity: Option<RunIdentity>,
        saved: Option<Loader>,
        monitor: &mut dyn Monitor,
    ) -> Result<OutcomeOf<M>, CheckError> {
        let end = self.run.search(identity, saved, monitor)?;
        let plan = self.run.plan;
        let complete = if let SearchEnd::Complete(token) = end { Some(token) } else { None };
        let regress = if let SearchEnd::Regress(edge) = end { Some(self.regress(edge)?) } else { None };
        let falls = regress.is_some();
        let regress = regress.filter(|_| plan.search.on_regress() == OnRegress::Stop);
        if falls
            && regress.is_none()
            && let Some(name) = needs_monotone(self.properties)
            && (0..self.properties.len()).all(|number| self.run.observers.watch.decided(number).is_none())
        {
            return Err(Unsound::ComponentsAcrossLayers(name.into()).into());
        }
        let stopped = if let SearchEnd::Stopped(reason) = &end { Some(reason) } else { None };
        let verdicts = (0..self.properties.len())
            .map(|number| self.verdict(number, complete, falls, stopped))
            .collect::<Result<Vec<_>, _>>()?;
        // All answers are known. A run that was stopped may resume, and needs its checkpoint.
        let folder = plan.checkpoint.as_ref().filter(|_| !matches!(end, SearchEnd::Stopped(_)));
        if let Some(settings) = folder {
            CheckpointFolder::new(&settings.directory).remove();
        }
        Ok(self.run.outcome(end, regress, verdicts))
    }

    fn regress(&mut self, edge: RegressEdge) -> Result<Regress<M::Run>, CheckError> {
        let mut run = self.run.run_to(edge.from)?;
        run.actions.push(edge.action);
        Ok(Regress { trace: self.run.subject.replay(&run)?, before: edge.before, after: edge.after })
    }

    fn verdict(
        &mut self,
        number: usize,
        complete: Option<CompleteSearch>,
        falls: bool,
        stopped: Option<&StopReason>,
    ) -> Result<Verdict<M::Run, M::State>, CheckError> {
        let property = &self.properties[number];
        if let Some(record) = self.run.observers.watch.decided(number) {
            let run = self.run.run_to(record)?;
            let evidence = self.evidence(property, &run, record)?;
            return Ok(match property.kind.claim() {
                Claim::Existential => Verdict::Holds(evidence),
                Claim::Universal => Verdict::Violated(evidence),
            });
        }
        Ok(match (complete, &self.run.error, stopped) {
            (_, Some(_), _) => Verdict::Unknown(UnknownReason::RuntimeError),
            (Some(token), None, _) => match property.kind.claim() {
                Claim::Existential => Verdict::Violated(Evidence::Search(token)),
                Claim::Universal => Verdict::Holds(Evidence::Search(token)),
            },
            (None, None, Some(reason)) => Verdict::Unknown(UnknownReason::Stopped(reason.clone())),
            (None, None, None) if falls => Verdict::Unknown(UnknownReason::NotMonotone),
            (None, None, None) => return Err(CheckError::WrongTrace(property.name.clone())),
        })
    }

    /// Evidence from a run, if the run decides the property when the model replays it.
    fn evidence(
        &self,
        property: &Property<M::Predicate>,
        run: &LoggedRun,
        record: Record,
    ) -> Result<Evidence<M::Run, M::State>, CheckError> {
        let trace = self.run.subject.replay(run)?;
        let state = M::last_state(&trace);
        let wrong = || CheckError::WrongTrace(property.name.clone());
        let length = match self.kind {
            // The reduction may have left out a shorter run.
            _ if self.run.plan.reduction != Reduction::None && self.run.subject.given_up().is_none() => {
                Length::AsFound
            }
            // Found after the first change of measure.
            _ if self.run.driven.changes.first().is_some_and(|one| record >= one.explored) => Length::AsFound,
            SearchKind::Layers(Order::Constant) => Length::Shortest,
            // Groups are swept again before the states ahead of them are visited, and a window is
            // revisited.
            SearchKind::Layers(Order::Progress { nesting, retention, .. })
                if nesting.parts != 0 || retention != Retention::Immediate =>
            {
                Length::AsFound
            }
            // Layers were merged: progress inside of a layer was not looked at.
            _ if self.run.search.figures().counters.merged_bits > 0 => Length::AsFound,
            // The levels of a layer that did not fit into memory were mixed.
            _ if self.run.search.figures().counters.spilled.current > 0 => Length::AsFound,
            SearchKind::Layers(_) => Length::SubjectToProgress,
            SearchKind::Depth | SearchKind::Partitions => Length::AsFound,
        };
        let (shown, wanted) = match &property.kind {
            PropertyKind::DeadlockFree => (self.run.subject.is_terminal(state), true),
            PropertyKind::ProperEnd(predicate) => {
                let holds = self.run.subject.holds(predicate, state).map_err(|_| wrong())?;
                (self.run.subject.is_terminal(state) && !holds, true)
            }
            PropertyKind::Invariant(predicate) | PropertyKind::Assertion(predicate) => {
                (self.run.subject.holds(predicate, state).map_err(|_| wrong())?, false)
            }
            PropertyKind::Reachable(predicate) => {
                (self.run.subject.holds(predicate, state).map_err(|_| wrong())?, true)
            }
            PropertyKind::AlwaysPossible(predicate) => {
                let component = self.run.subject.component(state, predicate, false).ok_or_else(wrong)?;
                return Ok(Evidence::Component(trace, component));
            }
            PropertyKind::PossiblyForEver(predicate) => {
                let component = self.run.subject.component(state, predicate, true).ok_or_else(wrong)?;
                return Ok(Evidence::Component(trace, component));
            }
            PropertyKind::Service(service) => {
                let violated = service::is_violated(&self.run.subject, service, &run.actions, state);
                (violated.ok_or_else(wrong)?, true)
            }
            _ => return Err(wrong()),
        };
        if shown == wanted { Ok(Evidence::Trace(trace, length)) } else { Err(wrong()) }
    }
}
