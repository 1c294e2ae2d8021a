//! One run of a search over a model: everything between the plan and the verdicts.

use super::any_search::AnySearch;
use super::drive::{Asked, ChangeResult, Checkpoints, Driven, DrivenChange, Driver};
use super::executable::{Executable, Intermediate};
use super::identity::RunIdentity;
use super::observers::Observers;
use super::{
    ChangeOutcome, CheckError, ErrorPlace, Figures, ModelError, ModelErrorOf, Outcome, OutcomeOf, Plan,
    Reduction, Regress, SearchPlan, TerminalList,
};
use crate::explore::inner_steps::IntermediateStates;
use crate::explore::{Monitor, Observer, Record, SearchEnd};
use crate::property::survey::Survey;
use crate::store::external::disk::Disk;
use crate::store::saved::Loader;
use crate::verdict::Verdict;
use crate::verdict::trace_log::{LoggedRun, TraceLog};

/// A predicate that a search evaluates, with the number of the property that it belongs to.
pub(super) type Owned<P> = (usize, P);

/// One run of a search.
pub(super) struct Run<'a, M: Executable> {
    pub(super) subject: M,
    /// The predicates that the search evaluates.
    predicates: Vec<M::Predicate>,
    /// The number by which an error in each predicate is reported.
    owners: Vec<usize>,
    pub(super) plan: &'a Plan,
    pub(super) search: AnySearch,
    pub(super) observers: Observers,
    /// The first run-time error.
    pub(super) error: Option<ModelErrorOf<M>>,
    pub(super) driven: Driven,
    /// Peak bytes held, where the check holds more than the search does.
    peak_bytes: usize,
    disk: Disk,
}

impl<'a, M: Executable> Run<'a, M> {
    /// A run that has not begun.
    pub(super) fn new(
        subject: M,
        predicates: impl IntoIterator<Item = Owned<M::Predicate>>,
        plan: &'a Plan,
        (search, disk): (AnySearch, Disk),
        mut observers: Observers,
    ) -> Self {
        let (mut owners, mut predicates): (Vec<_>, Vec<_>) = predicates.into_iter().unzip();
        let bits = subject.intermediate().map(|states| match states {
            Intermediate::Where(predicate) => {
                predicates.push(predicate);
                // It always has a value.
                owners.push(0);
                1 << (predicates.len() - 1)
            }
            Intermediate::Marked(bits) => bits,
        });
        observers.intermediate = bits.map(|bits| IntermediateStates { bits, count: 0 });
        let (error, driven, peak_bytes) = (None, Driven::default(), 0);
        Self { subject, predicates, owners, plan, search, observers, error, driven, peak_bytes, disk }
    }

    /// Runs the search to an end, from a checkpoint if there is one. Notes the first run-time
    /// error.
    pub(super) fn search(
        &mut self,
        identity: Option<RunIdentity>,
        saved: Option<Loader>,
        monitor: &mut dyn Monitor,
    ) -> Result<SearchEnd, CheckError> {
        let settings = self.plan.checkpoint.as_ref();
        let checkpoints =
            settings.zip(identity).map(|(settings, identity)| Checkpoints { settings, identity });
        let mut asked = Asked { subject: &mut self.subject, predicates: &self.predicates, fault: None };
        let driver = Driver {
            model: &mut asked,
            observers: &mut self.observers,
            on_runtime_error: self.plan.on_runtime_error,
            checkpoints,
            // The proviso of a reduction compares states by the measure: it must not change.
            spilling: (matches!(self.plan.search, SearchPlan::Adaptive | SearchPlan::Sweep(_))
                && self.plan.reduction == Reduction::None)
                .then(|| self.plan.spilling(&self.disk)),
            log_directory: &self.plan.disk.folder(),
            saved,
            driven: &mut self.driven,
        };
        let end = driver.drive(&mut self.search, monitor)?;
        let fault = asked.fault.take();
        if let (Some(record), Some((action, error))) = (self.driven.erroneous_at, fault) {
            let trace = self.trace_to(record)?;
            self.error = Some(ModelError { error, trace, place: ErrorPlace::Action(action) });
        }
        let nested = match &self.search {
            AnySearch::NestedDepth(search) => search.undefined_at(),
            _ => None,
        };
        if let Some(record) = self.observers.undefined_at().or(nested) {
            self.error = Some(self.undefined_predicate(record)?);
        }
        Ok(end)
    }

    /// Makes the model executable with the predicates of this run.
    pub(super) fn prepare(&self) -> Result<M::System, CheckError> {
        Ok(self.subject.prepare(&self.predicates)?)
    }

    /// The run to a state, as the search logged it.
    pub(super) fn run_to(&mut self, record: Record) -> Result<LoggedRun, CheckError> {
        Ok(self.observers.run_to(record)?)
    }

    /// The run to a state, executed by the model.
    fn trace_to(&mut self, record: Record) -> Result<M::Run, CheckError> {
        let run = self.run_to(record)?;
        Ok(self.subject.replay(&run)?)
    }

    /// The error in a predicate that has no value in this state.
    fn undefined_predicate(&mut self, record: Record) -> Result<ModelErrorOf<M>, CheckError> {
        let trace = self.trace_to(record)?;
        for (predicate, owner) in self.predicates.iter().zip(&self.owners) {
            if let Err(error) = self.subject.holds(predicate, M::last_state(&trace)) {
                return Ok(ModelError { error, trace, place: ErrorPlace::Property(*owner) });
            }
        }
        Err(CheckError::WrongTrace("run-time error in a property".into()))
    }

    /// Peak bytes so far of states and of the data that observers hold.
    pub(super) fn peak_bytes(&self) -> usize {
        let Observers { log, graph, .. } = &self.observers;
        let observed =
            log.as_ref().map_or(0, TraceLog::bytes_held) + graph.as_ref().map_or(0, Observer::bytes);
        (self.search.figures().peak_bytes + observed).max(self.peak_bytes)
    }

    /// Notes a number of bytes held at one time.
    pub(super) fn note_peak(&mut self, bytes: usize) {
        self.peak_bytes = self.peak_bytes.max(bytes);
    }

    /// The outcome of the run, with these verdicts.
    pub(super) fn outcome(
        self,
        end: SearchEnd,
        regress: Option<Regress<M::Run>>,
        verdicts: Vec<Verdict<M::Run, M::State>>,
    ) -> OutcomeOf<M> {
        let peak_state_bytes = self.peak_bytes().max(self.driven.peak_bytes) as u64;
        let Observers { log, terminal, survey, .. } = &self.observers;
        let mut figures = self.search.figures();
        figures.counters.intermediate += self.observers.intermediate.map_or(0, |states| states.count);
        let listed = terminal.as_ref().filter(|_| self.plan.terminal_states == TerminalList::Listed);
        let end_result = ChangeResult::new(&figures.counters, figures.estimated_distinct);
        let changes = self.driven.changes.into_iter().map(|one| {
            let DrivenChange { change, explored, regress, result } = one;
            let ChangeResult { peak, revisits } = result.unwrap_or(end_result);
            ChangeOutcome { change, explored, regress, peak_after: peak, revisits }
        });
        Outcome {
            verdicts,
            error: self.error,
            regress,
            complete: matches!(end, SearchEnd::Complete(_)),
            changes: changes.collect(),
            stopped: if let SearchEnd::Stopped(reason) = end { Some(reason) } else { None },
            figures: Figures {
                distinct: figures.distinct.map(|all| all.saturating_sub(figures.counters.intermediate)),
                estimated_distinct: match figures.distinct {
                    Some(all) => all.saturating_sub(figures.counters.intermediate),
                    None => figures.counters.model_share(figures.estimated_distinct),
                },
                // Where no state was expanded twice, none was counted twice.
                deadlocks: match (figures.distinct, terminal) {
                    (None, Some(terminal)) => terminal.count(),
                    _ => Some(figures.counters.deadlocks),
                },
                counters: figures.counters,
                peak_state_bytes,
                disk_bytes: log.as_ref().map_or(0, TraceLog::disk_bytes) + self.disk.bytes(),
                io: self.disk.counts(),
                state_bits: self.subject.bits() as u64,
                state_words: self.subject.words() as u64,
                widenings: self.driven.widenings,
                workers: figures.workers,
            },
            terminal_states: listed
                .map(|states| states.states().map(|one| self.subject.decode(one)).collect()),
            survey: survey.as_ref().map(Survey::surveyed),
            graph: None,
            course: figures.course,
            given_up: self.subject.given_up(),
        }
    }
}
