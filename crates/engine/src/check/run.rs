//! One run of a search: through trouble, checkpoints and layouts that widen, to the verdicts.

use std::io;
use std::time::Instant;

use crate::explore::observer::{Both, Successors};
use crate::explore::sweep::{OnRegress, Order, Retention};
use crate::explore::{CompleteSearch, Monitor, Record, RegressEdge, SearchEnd, StopReason};
use crate::property::soundness::{SearchKind, Unsound, needs_monotone};
use crate::property::survey::Survey;
use crate::property::terminal_states::TerminalStates;
use crate::property::watch::PropertyWatch;
use crate::property::{Property, PropertyKind, predicates};
use crate::store::external::disk::IoCounts;
use crate::store::layer::LayerFull;
use crate::store::saved::Loader;
use crate::verdict::trace_log::{LoggedRun, TraceLog};
use crate::verdict::{Evidence, Length, UnknownReason, Verdict};
use model::successor_batch::SuccessorBatch;

use super::checkpoint::{CheckpointFolder, Checkpointing, Pauses};
use super::identity::RunIdentity;
use super::observed_search::ObservedBy;
use super::subject::{Expanded, Subject};
use super::{
    CheckError, Engine, ErrorPlace, ModelError, ModelErrorOf, OnRuntimeError, Outcome, OutcomeOf, Plan,
    Reduction, Regress, TerminalList, service,
};

/// Terminal states that are kept to tell those of several sweeps apart, if nobody wants to see them.
const TERMINAL_STATES: usize = 1 << 16;

/// Who watches a search: the properties, and what is wanted beside them.
pub(super) type Observers =
    Both<PropertyWatch, Both<Option<TraceLog>, Both<Option<TerminalStates>, Option<Survey>>>>;

/// One run of a search.
pub(super) struct Run<'a, M: Subject, Q> {
    pub(super) subject: M,
    pub(super) properties: &'a [Property<M::Predicate>],
    pub(super) plan: &'a Plan,
    pub(super) search: Q,
    pub(super) kind: SearchKind,
    pub(super) observer: Observers,
    pub(super) error: Option<ModelErrorOf<M>>,
    widenings: u32,
    /// The most that a repacking took.
    peak_bytes: usize,
    /// What is to be gone on from.
    saved: Option<Loader>,
    /// States that were expanded after the search.
    pub(super) expanded_later: u64,
}

impl<'a, M: Subject, Q: ObservedBy<Observers>> Run<'a, M, Q> {
    pub(super) fn new(
        subject: M,
        properties: &'a [Property<M::Predicate>],
        plan: &'a Plan,
        search: Q,
        kind: SearchKind,
        saved: Option<Loader>,
    ) -> Result<Self, CheckError> {
        if plan.checkpoint.is_some() && !search.can_be_saved() {
            return Err(CheckError::NotSaved);
        }
        if plan.survey && (!matches!(kind, SearchKind::Layers(_)) || plan.engine == Engine::BreadthDisk) {
            return Err(Unsound::SurveyWithoutLayers.into());
        }
        // A run without properties shows no traces, unless it goes wrong: `GoOn` only counts errors.
        let traces = !properties.is_empty()
            || plan.on_runtime_error == OnRuntimeError::Stop
            || plan.on_regress == OnRegress::Stop;
        let terminal = match (plan.terminal_states, kind) {
            (TerminalList::Listed, _) => Some(usize::MAX),
            // One pass meets every state once.
            (_, SearchKind::Depth | SearchKind::Partitions | SearchKind::Layers(Order::Constant)) => None,
            (TerminalList::Counted, _) => Some(TERMINAL_STATES),
        };
        let terminal = terminal.map(|limit| TerminalStates::new(subject.words(), limit)).transpose();
        let terminal = terminal.map_err(|error| CheckError::NoMemory(LayerFull::System(error)))?;
        let watch = PropertyWatch::new(properties, plan.explore_all);
        let survey = if plan.survey { subject.survey() } else { None };
        let log = traces.then(|| TraceLog::new(plan.disk.directory.clone()));
        Ok(Self {
            subject,
            properties,
            plan,
            search,
            kind,
            observer: Both(watch, Both(log, Both(terminal, survey))),
            error: None,
            widenings: 0,
            peak_bytes: 0,
            saved,
            expanded_later: 0,
        })
    }

    pub(super) fn finish(mut self, monitor: &mut dyn Monitor) -> Result<OutcomeOf<M>, CheckError> {
        let end = self.search_through(monitor)?;
        let folder = self.plan.checkpoint.as_ref().map(|one| CheckpointFolder::new(&one.directory));
        // Unless somebody may want to go on.
        let folder = folder.filter(|_| !matches!(end, SearchEnd::Stopped(_)));
        self.note_undefined()?;
        let complete = if let SearchEnd::Complete(token) = end { Some(token) } else { None };
        let regress = if let SearchEnd::Regress(edge) = end { Some(self.regress(edge)?) } else { None };
        let falls = regress.is_some();
        let regress = regress.filter(|_| self.plan.on_regress == OnRegress::Stop);
        if falls
            && regress.is_none()
            && let Some(name) = needs_monotone(self.properties)
            && (0..self.properties.len()).all(|number| self.observer.0.decided(number).is_none())
        {
            return Err(Unsound::ComponentsAcrossLayers(name.into()).into());
        }
        let stopped = if let SearchEnd::Stopped(reason) = &end { Some(reason) } else { None };
        let verdicts = (0..self.properties.len())
            .map(|number| self.verdict(number, complete, falls, stopped))
            .collect::<Result<Vec<_>, _>>()?;
        // All answers are there.
        folder.iter().for_each(CheckpointFolder::remove);
        Ok(self.outcome(end, regress, verdicts))
    }

    /// What the run was like, with these verdicts.
    pub(super) fn outcome(
        self,
        end: SearchEnd,
        regress: Option<Regress<M::Run>>,
        verdicts: Vec<Verdict<M::Run, M::State>>,
    ) -> OutcomeOf<M> {
        let Both(log, Both(terminal, survey)) = &self.observer.1;
        let counters = self.search.counters();
        let listed = terminal.as_ref().filter(|_| self.plan.terminal_states == TerminalList::Listed);
        let observer_bytes = log.as_ref().map_or(0, TraceLog::bytes_held);
        let is_complete = matches!(end, SearchEnd::Complete(_));
        Outcome {
            verdicts,
            error: self.error,
            regress,
            complete: is_complete,
            stopped: if let SearchEnd::Stopped(reason) = end { Some(reason) } else { None },
            distinct: self.search.distinct(),
            estimated_distinct: self.search.estimated_distinct(),
            // Where no state was expanded twice, none was counted twice.
            deadlocks: match (self.search.distinct(), terminal) {
                (None, Some(terminal)) => terminal.count(),
                _ => Some(counters.deadlocks),
            },
            terminal_states: listed
                .map(|states| states.states().map(|one| self.subject.decode(one)).collect()),
            survey: survey.as_ref().map(Survey::surveyed),
            counters,
            peak_state_bytes: (self.search.peak_bytes() + observer_bytes).max(self.peak_bytes) as u64,
            disk_bytes: log.as_ref().map_or(0, TraceLog::disk_bytes),
            io: IoCounts::default(),
            state_bits: self.subject.bits() as u64,
            state_words: self.subject.words() as u64,
            widenings: self.widenings,
            graph: None,
            course: self.search.course(),
        }
    }

    /// A predicate that has no value is an error of the model.
    pub(super) fn note_undefined(&mut self) -> Result<(), CheckError> {
        if let Some(record) = self.observer.0.undefined_at() {
            self.error = self.undefined_predicate(record)?;
        }
        Ok(())
    }

    pub(super) fn search_through(&mut self, monitor: &mut dyn Monitor) -> Result<SearchEnd, CheckError> {
        let predicates = predicates(self.properties);
        let mut system = self.subject.prepare(&predicates)?;
        let mut initial = SuccessorBatch::new(self.subject.words(), 1);
        self.subject.initial(&mut initial);
        self.search.start_observed(&system, &initial, &mut self.observer).map_err(CheckError::NoMemory)?;
        if let Some(saved) = self.saved.take() {
            self.load(saved).map_err(CheckError::Checkpoint)?;
        }
        let mut pauses = Pauses::new(monitor, self.plan.checkpoint.as_ref());
        loop {
            let end = self.search.run_observed(&system, &mut self.observer, &mut pauses);
            let end = match end {
                SearchEnd::Stopped(reason) if self.plan.checkpoint.is_some() && reason.keeps_order() => {
                    let start = Instant::now();
                    if let Err(error) = self.save() {
                        let message = format!("the checkpoint cannot be written: {error}");
                        return Ok(SearchEnd::Stopped(StopReason::Disk(message)));
                    }
                    pauses.saved(start.elapsed());
                    if reason == StopReason::Pause {
                        continue;
                    }
                    return Ok(SearchEnd::Stopped(reason));
                }
                end => end,
            };
            let SearchEnd::Trouble(record) = end else { return Ok(end) };
            let mut batch = SuccessorBatch::new(self.subject.words(), 1);
            match self.subject.expand(self.search.troubled(), &mut batch) {
                Expanded::Widened(mut translate) => {
                    drop(system);
                    self.widenings += 1;
                    let words = self.subject.words();
                    // Also if the search ends here: what was observed is shown in the new layout.
                    self.repack_observer(words, &mut *translate);
                    match self.search.repack(words, &mut *translate) {
                        Ok(peak) => self.peak_bytes = self.peak_bytes.max(peak),
                        Err(full) => return Ok(SearchEnd::Stopped(StopReason::Memory(full))),
                    }
                    system = self.subject.prepare(&predicates)?;
                }
                Expanded::Successors(fault) => {
                    let kind = match fault {
                        Some(_) => Successors::WithError,
                        None => Successors::Steps(batch.len()),
                    };
                    if let Some((action, error)) = fault
                        && self.error.is_none()
                        && self.observer.1.0.is_some()
                    {
                        let trace = self.trace_to(record)?;
                        self.error = Some(ModelError { error, trace, place: ErrorPlace::Action(action) });
                    }
                    batch.end_state();
                    // The state itself is well: properties are looked at before the error ends the run.
                    if let Err(end) = self.search.supply_observed(&system, &batch, kind, &mut self.observer) {
                        return Ok(end);
                    }
                    if self.error.is_some() && self.plan.on_runtime_error == OnRuntimeError::Stop {
                        return Ok(SearchEnd::Decided);
                    }
                }
            }
        }
    }

    /// Saves everything that [`load`](Self::load) needs to go on.
    pub(super) fn save(&mut self) -> io::Result<()> {
        let Some(Checkpointing { directory, about, .. }) = &self.plan.checkpoint else { return Ok(()) };
        // The run to it would have to be saved as well. Such a run is about to end.
        if self.error.is_some() {
            return Ok(());
        }
        let identity = RunIdentity::new(&self.subject, self.properties, self.plan);
        let Both(watch, Both(log, Both(terminal, survey))) = &mut self.observer;
        CheckpointFolder::new(directory).save(about, |to| {
            to.put(&identity)?;
            self.subject.save(to)?;
            to.put(&(self.widenings, self.peak_bytes))?;
            self.search.save(to)?;
            to.put(watch)?;
            log.as_mut().map_or(Ok(()), |log| log.save(to))?;
            terminal.as_ref().map_or(Ok(()), |terminal| terminal.save(to))?;
            to.put(survey)
        })
    }

    /// Goes on from what was saved, behind the layout of states.
    pub(super) fn load(&mut self, mut from: Loader) -> io::Result<()> {
        (self.widenings, self.peak_bytes) = from.get()?;
        self.search.load(&mut from)?;
        let Both(watch, Both(log, Both(terminal, survey))) = &mut self.observer;
        *watch = from.get()?;
        if let Some(log) = log {
            *log = TraceLog::new(self.plan.disk.directory.clone());
            log.load(&mut from)?;
        }
        terminal.as_mut().map_or(Ok(()), |terminal| terminal.load(&mut from))?;
        *survey = from.get()?;
        Ok(())
    }

    fn repack_observer(&mut self, words: usize, translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {
        use crate::explore::Observer;
        Observer::repack(&mut self.observer, words, translate);
        if let Some(survey) = &mut self.observer.1.1.1 {
            survey.set_fields(self.subject.fields());
        }
    }

    pub(super) fn run_to(&mut self, record: Record) -> Result<LoggedRun, CheckError> {
        let log = self.observer.1.0.as_mut().expect("traces are asked for only where they are logged");
        Ok(log.run_to(record)?)
    }

    fn trace_to(&mut self, record: Record) -> Result<M::Run, CheckError> {
        let run = self.run_to(record)?;
        Ok(self.subject.replay(&run)?)
    }

    fn regress(&mut self, edge: RegressEdge) -> Result<Regress<M::Run>, CheckError> {
        let mut run = self.run_to(edge.from)?;
        run.actions.push(edge.action);
        Ok(Regress { trace: self.subject.replay(&run)?, before: edge.before, after: edge.after })
    }

    fn undefined_predicate(&mut self, record: Record) -> Result<Option<ModelErrorOf<M>>, CheckError> {
        let trace = self.trace_to(record)?;
        for (number, property) in self.properties.iter().enumerate() {
            for predicate in property.kind.predicates() {
                if let Err(error) = self.subject.holds(predicate, M::last_state(&trace)) {
                    return Ok(Some(ModelError { error, trace, place: ErrorPlace::Property(number) }));
                }
            }
        }
        Err(CheckError::WrongTrace("run-time error in a property".into()))
    }

    fn verdict(
        &mut self,
        number: usize,
        complete: Option<CompleteSearch>,
        falls: bool,
        stopped: Option<&StopReason>,
    ) -> Result<Verdict<M::Run, M::State>, CheckError> {
        let property = &self.properties[number];
        if let Some(record) = self.observer.0.decided(number) {
            let run = self.run_to(record)?;
            let evidence = self.evidence(property, &run)?;
            return Ok(match property.kind {
                PropertyKind::Reachable(_) | PropertyKind::PossiblyForEver(_) => Verdict::Holds(evidence),
                _ => Verdict::Violated(evidence),
            });
        }
        Ok(match (complete, &self.error, stopped) {
            (_, Some(_), _) => Verdict::Unknown(UnknownReason::RuntimeError),
            (Some(token), None, _) => match property.kind {
                PropertyKind::Reachable(_) | PropertyKind::PossiblyForEver(_) => {
                    Verdict::Violated(Evidence::Search(token))
                }
                _ => Verdict::Holds(Evidence::Search(token)),
            },
            (None, None, Some(reason)) => Verdict::Unknown(UnknownReason::Stopped(reason.clone())),
            (None, None, None) if falls => Verdict::Unknown(UnknownReason::NotMonotone),
            (None, None, None) => return Err(CheckError::WrongTrace(property.name.clone())),
        })
    }

    /// What the run shows, if, by the interpreter's word, it decides the property.
    fn evidence(
        &self,
        property: &Property<M::Predicate>,
        run: &LoggedRun,
    ) -> Result<Evidence<M::Run, M::State>, CheckError> {
        let trace = self.subject.replay(run)?;
        let state = M::last_state(&trace);
        let wrong = || CheckError::WrongTrace(property.name.clone());
        let length = match self.kind {
            // A shorter one may have been left out.
            _ if self.plan.reduction != Reduction::None => Length::AsFound,
            SearchKind::Layers(Order::Constant) => Length::Shortest,
            // Groups are swept again before what lies ahead of them is met, and a window is gone back to.
            SearchKind::Layers(Order::Progress { nesting, retention, .. })
                if nesting.parts != 0 || retention != Retention::Immediate =>
            {
                Length::AsFound
            }
            // Levels of a layer that did not fit were mixed.
            _ if self.search.counters().spilled.current > 0 => Length::AsFound,
            SearchKind::Layers(_) => Length::SubjectToProgress,
            SearchKind::Depth | SearchKind::Partitions => Length::AsFound,
        };
        let (shown, wanted) = match &property.kind {
            PropertyKind::DeadlockFree => (self.subject.is_terminal(state), true),
            PropertyKind::Invariant(predicate) => {
                (self.subject.holds(predicate, state).map_err(|_| wrong())?, false)
            }
            PropertyKind::Reachable(predicate) => {
                (self.subject.holds(predicate, state).map_err(|_| wrong())?, true)
            }
            PropertyKind::AlwaysPossible(predicate) => {
                let component = self.subject.component(state, predicate, false).ok_or_else(wrong)?;
                return Ok(Evidence::Component(trace, component));
            }
            PropertyKind::PossiblyForEver(predicate) => {
                let component = self.subject.component(state, predicate, true).ok_or_else(wrong)?;
                return Ok(Evidence::Component(trace, component));
            }
            PropertyKind::Service(service) => {
                let violated = service::is_violated(&self.subject, service, &run.actions, state);
                (violated.ok_or_else(wrong)?, true)
            }
            PropertyKind::Linear(_) | PropertyKind::Branching(_) => return Err(wrong()),
        };
        if shown == wanted { Ok(Evidence::Trace(trace, length)) } else { Err(wrong()) }
    }
}
