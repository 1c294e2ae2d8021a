//! A search by layers whose graph is recorded.
//!
//! Driven like the one of [`check_subject`](crate::check::check_subject): layouts widen, and a run-time error ends it, or is left out and noted.

use crate::explore::observer::{Both, Successors};
use crate::explore::sweep::SweepSearch;
use crate::explore::{Monitor, Observer, Record, Search, SearchEnd, StopReason};
use crate::property::ctl::evaluation::BLOCK_BYTES;
use crate::property::ctl::graph_recorder::GraphRecorder;
use crate::store::compact_graph::recording::GraphMemory;
use crate::store::external::disk::Disk;
use crate::store::memory::Budget;
use crate::verdict::trace_log::TraceLog;
use model::successor_batch::SuccessorBatch;

use super::Figures;
use crate::check::observed_search::ObservedBy;
use crate::check::subject::{Expanded, Subject};
use crate::check::{CheckError, ErrorPlace, ModelError, ModelErrorOf, OnRuntimeError, Plan};

/// Who watches such a search. The log is for runs to errors.
pub(in crate::check) type GraphObservers = Both<GraphRecorder, TraceLog>;

pub(super) struct RecordedSearch<'a, M: Subject> {
    subject: M,
    propositions: &'a [M::Predicate],
    plan: &'a Plan,
    search: SweepSearch,
    observer: GraphObservers,
    error: Option<ModelErrorOf<M>>,
    figures: Figures,
}

/// What is left of a search.
pub(super) struct Ended<M: Subject> {
    pub(super) end: SearchEnd,
    pub(super) subject: M,
    pub(super) recorder: GraphRecorder,
    pub(super) error: Option<ModelErrorOf<M>>,
    pub(super) figures: Figures,
}

fn graph_memory(plan: &Plan, width: usize) -> GraphMemory {
    let (few, budget) = (plan.disk.in_memory, Budget::new(plan.limits.memory));
    GraphMemory {
        sorted: budget.for_graph_sort().min(few.saturating_mul(8 * (width + 2))),
        block: (budget.for_graph_block() / BLOCK_BYTES).min(few),
    }
}

impl<'a, M: Subject> RecordedSearch<'a, M> {
    pub(super) fn new(
        subject: M,
        (propositions, recorded): (&'a [M::Predicate], usize),
        plan: &'a Plan,
        search: SweepSearch,
        disk: &Disk,
    ) -> Self {
        let width = subject.words();
        let recorder = GraphRecorder::new(disk, width, recorded, graph_memory(plan, width));
        let observer = Both(recorder, TraceLog::new(plan.disk.directory.clone()));
        Self { subject, propositions, plan, search, observer, error: None, figures: Figures::default() }
    }

    pub(super) fn run(mut self, monitor: &mut dyn Monitor) -> Result<Ended<M>, CheckError> {
        let end = self.search_through(monitor)?;
        if let Some(record) = self.observer.0.undefined_at() {
            self.error = Some(self.undefined_proposition(record)?);
        }
        let observed = Observer::bytes(&self.observer);
        let Self { subject, search, observer: Both(recorder, log), error, mut figures, .. } = self;
        figures.counters = search.counters();
        figures.course = search.course();
        figures.peak_bytes = figures.peak_bytes.max(search.peak_bytes() + observed);
        figures.log_bytes = log.disk_bytes();
        Ok(Ended { end, subject, recorder, error, figures })
    }

    fn search_through(&mut self, monitor: &mut dyn Monitor) -> Result<SearchEnd, CheckError> {
        let mut system = self.subject.prepare(self.propositions)?;
        let mut initial = SuccessorBatch::new(self.subject.words(), 1);
        self.subject.initial(&mut initial);
        self.observer.0.begin(&initial);
        self.search.start_observed(&system, &initial, &mut self.observer).map_err(CheckError::NoMemory)?;
        loop {
            let end = self.search.run_observed(&system, &mut self.observer, monitor);
            let SearchEnd::Trouble(record) = end else { return Ok(end) };
            let mut batch = SuccessorBatch::new(self.subject.words(), 1);
            match self.subject.expand(self.search.troubled(), &mut batch) {
                Expanded::Widened(mut translate) => {
                    drop(system);
                    self.figures.widenings += 1;
                    let words = self.subject.words();
                    Observer::repack(&mut self.observer, words, &mut *translate);
                    match self.search.repack(words, &mut *translate) {
                        Ok(peak) => self.figures.peak_bytes = self.figures.peak_bytes.max(peak),
                        Err(full) => return Ok(SearchEnd::Stopped(StopReason::Memory(full))),
                    }
                    system = self.subject.prepare(self.propositions)?;
                }
                Expanded::Successors(fault) => {
                    let is_faulty = fault.is_some();
                    if let (Some((action, error)), None) = (fault, &self.error) {
                        let trace = self.trace_to(record)?;
                        self.error = Some(ModelError { error, trace, place: ErrorPlace::Action(action) });
                    }
                    let steps = Successors::Steps(batch.len());
                    let kind = if is_faulty { Successors::WithError } else { steps };
                    batch.end_state();
                    if let Err(end) = self.search.supply_observed(&system, &batch, kind, &mut self.observer) {
                        return Ok(end);
                    }
                    if is_faulty && self.plan.on_runtime_error == OnRuntimeError::Stop {
                        return Ok(SearchEnd::Decided);
                    }
                }
            }
        }
    }

    fn trace_to(&mut self, record: Record) -> Result<M::Run, CheckError> {
        let run = self.observer.1.run_to(record)?;
        Ok(self.subject.replay(&run)?)
    }

    fn undefined_proposition(&mut self, record: Record) -> Result<ModelErrorOf<M>, CheckError> {
        let trace = self.trace_to(record)?;
        for (number, proposition) in self.propositions.iter().enumerate() {
            if let Err(error) = self.subject.holds(proposition, M::last_state(&trace)) {
                return Ok(ModelError { error, trace, place: ErrorPlace::Property(number) });
            }
        }
        Err(CheckError::WrongTrace("run-time error in a proposition".into()))
    }
}
