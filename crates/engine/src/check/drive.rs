//! The loop that drives every search, for every kind of property.
//!
//! A search returns when it cannot continue alone. A state that cannot be expanded with the current
//! layout is *trouble*. The model then expands it slowly. It either gives the successors, which are
//! supplied to the search, or another layout, to which everything is repacked. A *pause* is for a
//! checkpoint, or for the monitor, which may look at the search and let it continue by another
//! measure.
//!
//! The loop depends neither on the kind of model nor on the properties. Both are behind
//! [`DrivenModel`], so each search is compiled once, in this crate. When searches were compiled for
//! each kind of model in each crate, that took most of the build time.

use std::io;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::any_search::AnySearch;
use super::checkpoint::{CheckpointFolder, Checkpointing, Pauses};
use super::executable::{Executable, Expanded, Outgrown};
use super::identity::RunIdentity;
use super::observers::Observers;
use super::{CheckError, OnRuntimeError};
use crate::explore::observer::Successors;
use crate::explore::search::Translation;
use crate::explore::sweep::Spilling;
use crate::explore::{
    AfterPause, Change, Counters, Monitor, Observer, PausedSearch, Phase, Record, Search, SearchEnd,
    StopReason,
};
use crate::progress::ExpressionMeasure;
use crate::store::saved::{Loader, Saver};
use model::guarded_commands::ActionId;
use model::records::RecordShape;
use model::state_layout::Field;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, Expander, TransitionSystem};

/// A model with the predicates that the search evaluates, as the driver sees it.
pub(super) trait DrivenModel<'m> {
    /// Number of words of a packed state in the current layout.
    fn words(&self) -> usize;

    /// Shape of packed states in the current layout.
    fn shape(&self) -> RecordShape;

    /// The positions of cells in a state, if states consist of cells.
    fn fields(&self) -> &[Field];

    /// Makes the model executable with the current layout.
    fn prepare(&self) -> Result<Box<dyn TransitionSystem + 'm>, ExecutionError>;

    /// Appends the packed initial states.
    fn initial(&self, batch: &mut SuccessorBatch);

    /// Expands a state that the system could not expand.
    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> SlowExpansion;

    /// The values of the cells of a state, if states consist of cells.
    fn cells(&self, state: &[u64]) -> Option<Vec<i64>>;

    /// Follows this measure from now on: systems that are prepared evaluate it. Returns `false` if
    /// the model cannot.
    fn follow(&mut self, measure: &ExpressionMeasure) -> bool;

    /// Saves the current layout.
    fn save(&self, to: &mut Saver) -> io::Result<()>;
}

/// The result of a slow expansion.
pub(super) enum SlowExpansion {
    /// The successors are in the batch. Erroneous steps are not among them.
    Successors,
    /// The successors are in the batch, and at least one step is a run-time error.
    WithError,
    /// The model has no room for a step.
    Outgrown(Outgrown),
    /// States have another layout from now on.
    Widened(Translation),
}

/// A model and the predicates that the search evaluates.
pub(super) struct Asked<'a, M: Executable> {
    pub(super) subject: &'a mut M,
    pub(super) predicates: &'a [M::Predicate],
    /// The first run-time error, with its action.
    pub(super) fault: Option<(ActionId, M::Fault)>,
}

impl<'m, M: Executable> DrivenModel<'m> for Asked<'_, M>
where
    M::System: 'm,
{
    fn words(&self) -> usize {
        self.subject.words()
    }

    fn shape(&self) -> RecordShape {
        self.subject.shape()
    }

    fn fields(&self) -> &[Field] {
        self.subject.structure().map_or(&[], |structure| structure.fields())
    }

    fn prepare(&self) -> Result<Box<dyn TransitionSystem + 'm>, ExecutionError> {
        Ok(Box::new(self.subject.prepare(self.predicates)?))
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        self.subject.initial(batch);
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> SlowExpansion {
        match self.subject.expand(state, batch) {
            Expanded::Widened(translate) => SlowExpansion::Widened(translate),
            Expanded::Outgrown(outgrown) => SlowExpansion::Outgrown(outgrown),
            Expanded::Successors(None) => SlowExpansion::Successors,
            Expanded::Successors(fault) => {
                self.fault = self.fault.take().or(fault);
                SlowExpansion::WithError
            }
        }
    }

    fn cells(&self, state: &[u64]) -> Option<Vec<i64>> {
        self.subject.structure()?.cells(state)
    }

    fn follow(&mut self, measure: &ExpressionMeasure) -> bool {
        self.subject.follow(measure)
    }

    fn save(&self, to: &mut Saver) -> io::Result<()> {
        self.subject.save(to)
    }
}

/// The settings of checkpoints, and the identity of the run.
pub(super) struct Checkpoints<'a> {
    pub(super) settings: &'a Checkpointing,
    pub(super) identity: RunIdentity,
}

/// Events of a search, as the driver counted them.
#[derive(Clone, Debug, Default)]
pub(super) struct Driven {
    /// Number of times that a value outgrew its field.
    pub(super) widenings: u32,
    /// Peak bytes of repacking.
    pub(super) peak_bytes: usize,
    /// The first state with a step that is a run-time error, if there is a log to show the run to
    /// it.
    pub(super) erroneous_at: Option<Record>,
    /// The changes of measure, in order. The search follows the measure of the last one.
    pub(super) changes: Vec<DrivenChange>,
}

/// A change of measure while the search ran.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DrivenChange {
    pub(super) change: Change,
    /// Number of states that were expanded before it.
    pub(super) explored: u64,
    /// Number of regress edges before it.
    pub(super) regress: u64,
    /// What came of it, once another change has followed.
    pub(super) result: Option<ChangeResult>,
}

/// What came of a change of measure, up to the next one or to the end.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct ChangeResult {
    /// The most states that the sweep held at one time.
    pub(super) peak: u64,
    /// Mean number of expansions per state, of the whole search so far.
    pub(super) revisits: f64,
}

impl ChangeResult {
    /// The result of the last change, by the figures of the search.
    pub(super) fn new(counters: &Counters, distinct: u64) -> Self {
        let peak = counters.peak_since_change.total();
        Self { peak, revisits: counters.explored as f64 / distinct.max(1) as f64 }
    }
}

/// Drives a search to its end.
pub(super) struct Driver<'a, 'm> {
    pub(super) model: &'a mut dyn DrivenModel<'m>,
    pub(super) observers: &'a mut Observers,
    pub(super) on_runtime_error: OnRuntimeError,
    pub(super) checkpoints: Option<Checkpoints<'a>>,
    /// The disk that the search may spill to after a change of measure.
    pub(super) spilling: Option<Spilling>,
    /// The folder of the trace log.
    pub(super) log_directory: &'a Path,
    /// The checkpoint to resume from, read up to the layout of states.
    pub(super) saved: Option<Loader>,
    pub(super) driven: &'a mut Driven,
}

impl<'m> Driver<'_, 'm> {
    /// Runs the search until it ends in a way that the driver cannot handle.
    ///
    /// # Errors
    /// The model cannot be made executable, there is no memory to begin, or the checkpoint is
    /// unusable.
    pub(super) fn drive(
        self,
        search: &mut AnySearch,
        monitor: &mut dyn Monitor,
    ) -> Result<SearchEnd, CheckError> {
        match search {
            AnySearch::Sweep(search) => self.drive_search(&mut **search, monitor),
            AnySearch::Depth(search) => self.drive_search(&mut **search, monitor),
            AnySearch::Partition(search) => self.drive_search(&mut **search, monitor),
            AnySearch::NestedDepth(search) => self.drive_search(&mut **search, monitor),
        }
    }

    fn drive_search<Q: Search>(
        mut self,
        search: &mut Q,
        monitor: &mut dyn Monitor,
    ) -> Result<SearchEnd, CheckError> {
        let mut system = self.model.prepare()?;
        let mut initial = SuccessorBatch::new(self.model.shape(), 1);
        self.model.initial(&mut initial);
        if let Some(graph) = &mut self.observers.graph {
            graph.begin(&initial);
        }
        search.start(&*system, &initial, self.observers).map_err(CheckError::NoMemory)?;
        if let Some(saved) = self.saved.take() {
            self.load(search, saved).map_err(CheckError::Checkpoint)?;
        }
        let settings = self.checkpoints.as_ref().map(|one| one.settings);
        let mut pauses = Pauses::new(monitor, settings);
        loop {
            let record = match search.run(&*system, self.observers, &mut pauses) {
                SearchEnd::Trouble(record) => record,
                SearchEnd::Stopped(reason) if reason.keeps_order() => {
                    let start = Instant::now();
                    if let Err(error) = self.save(search) {
                        let message = format!("the checkpoint cannot be written: {error}");
                        return Ok(SearchEnd::Stopped(StopReason::Disk(message)));
                    }
                    pauses.saved(start.elapsed());
                    let after = match reason {
                        StopReason::Pause => self.after_pause(search, &mut pauses),
                        reason => AfterPause::Stop(reason),
                    };
                    match after {
                        AfterPause::Stop(reason) => return Ok(SearchEnd::Stopped(reason)),
                        AfterPause::Continue => continue,
                        AfterPause::Follow(change) => {
                            match self.change_over(search, *change, &mut pauses)? {
                                Ok(Some(measured)) => system = measured,
                                Ok(None) => {}
                                Err(end) => return Ok(end),
                            }
                            continue;
                        }
                    }
                }
                end => return Ok(end),
            };
            let mut batch = SuccessorBatch::new(self.model.shape(), 1);
            let successors = match self.model.expand(search.troubled(), &mut batch) {
                SlowExpansion::Widened(translate) => {
                    drop(system);
                    if let Err(end) = self.widen(search, translate) {
                        return Ok(end);
                    }
                    system = self.model.prepare()?;
                    continue;
                }
                SlowExpansion::Outgrown(outgrown) => return Err(CheckError::Outgrown(outgrown)),
                SlowExpansion::Successors => Successors::Steps(batch.len()),
                SlowExpansion::WithError => Successors::WithError,
            };
            if successors == Successors::WithError && self.observers.log.is_some() {
                self.driven.erroneous_at.get_or_insert(record);
            }
            batch.end_state();
            // The state itself is valid: properties see it before the error ends the run.
            if let Err(end) = search.supply(&*system, &batch, successors, self.observers) {
                return Ok(end);
            }
            if self.driven.erroneous_at.is_some() && self.on_runtime_error == OnRuntimeError::Stop {
                return Ok(SearchEnd::Decided);
            }
        }
    }

    /// Shows the search at rest to the monitor, and asks how to continue.
    fn after_pause<Q: Search>(&self, search: &Q, monitor: &mut dyn Monitor) -> AfterPause {
        let sample = |most| {
            let mut sampled = Vec::new();
            search.sample(most, &mut |state| sampled.extend(self.model.cells(state)));
            sampled
        };
        let can_change_over = self.spilling.is_some() && search.can_change_over();
        let met = search.estimated_distinct();
        monitor.paused(&PausedSearch { can_change_over, met, sample: &sample })
    }

    /// Continues the search as a sweep by another measure, if search and model can. Returns the system
    /// that evaluates the measure, or why the search ends.
    fn change_over<Q: Search>(
        &mut self,
        search: &mut Q,
        change: Change,
        monitor: &mut dyn Monitor,
    ) -> Result<Result<Option<Box<dyn TransitionSystem + 'm>>, SearchEnd>, CheckError> {
        let spilling = self.spilling.clone().filter(|_| search.can_change_over());
        let (Some(spilling), true) = (spilling, self.model.follow(&change.measure)) else {
            return Ok(Ok(None));
        };
        let system = self.model.prepare()?;
        let counters = search.counters();
        if let Some(last) = self.driven.changes.last_mut() {
            last.result = Some(ChangeResult::new(&counters, search.estimated_distinct()));
        }
        if let Err(end) = search.change_over(&*system, change.order, spilling, self.observers) {
            return Ok(Err(end));
        }
        monitor.phase(Phase::Sweeping(&change.measure));
        let Counters { explored, regress, .. } = counters;
        self.driven.changes.push(DrivenChange { change, explored, regress, result: None });
        Ok(Ok(Some(system)))
    }

    /// Repacks all stored and observed states to the new layout of the model.
    fn widen<Q: Search>(&mut self, search: &mut Q, mut translate: Translation) -> Result<(), SearchEnd> {
        self.driven.widenings += 1;
        let words = self.model.words();
        // Repack even if the search ends here: observed states are shown in the new layout.
        self.observers.repack(words, &mut *translate);
        if let Some(survey) = &mut self.observers.survey {
            survey.set_fields(self.model.fields());
        }
        let repacked = search.repack(words, &mut *translate);
        let peak = repacked.map_err(|full| SearchEnd::Stopped(StopReason::Memory(full)))?;
        self.driven.peak_bytes = self.driven.peak_bytes.max(peak);
        Ok(())
    }

    /// Saves everything that [`load`](Self::load) needs.
    fn save<Q: Search>(&mut self, search: &Q) -> io::Result<()> {
        let Some(Checkpoints { settings, identity }) = &self.checkpoints else { return Ok(()) };
        // The run to the error would have to be saved as well. Such a search is about to end.
        if self.driven.erroneous_at.is_some() {
            return Ok(());
        }
        CheckpointFolder::new(&settings.directory).save(&settings.about, |to| {
            to.put(identity)?;
            self.model.save(to)?;
            to.put(&self.driven.changes)?;
            to.put(&(self.driven.widenings, self.driven.peak_bytes))?;
            search.save(to)?;
            self.observers.save(to)
        })
    }

    /// Resumes from the data that follows the layout of states in a checkpoint.
    fn load<Q: Search>(&mut self, search: &mut Q, mut from: Loader) -> io::Result<()> {
        (self.driven.widenings, self.driven.peak_bytes) = from.get()?;
        search.load(&mut from)?;
        self.observers.load(&mut from, self.log_directory)
    }
}

/// A state has other successors than when the search expanded it. This is a defect of Sweepline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExpandsDifferently;

/// Expands a state again that a search has expanded. The batch then holds its successors only.
pub(super) fn expand_again<M: Executable>(
    subject: &mut M,
    expander: &mut dyn Expander,
    state: &[u64],
    batch: &mut SuccessorBatch,
) -> Result<(), ExpandsDifferently> {
    batch.clear();
    if expander.expand(state, batch).trouble {
        batch.clear();
        if let Expanded::Widened(_) = subject.expand(state, batch) {
            return Err(ExpandsDifferently);
        }
    }
    Ok(())
}
