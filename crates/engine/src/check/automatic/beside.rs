//! The measure finder beside a search.
//!
//! Full exploration starts at once. When it holds many states, it pauses for a moment: some of them
//! are handed to a thread that looks for a measure, at low priority, while the search continues. When
//! the thread has ended, the search pauses again. If a measure promises enough, the search changes
//! over to it, or, if it cannot, ends and starts again with it. A search that ends first stops the
//! thread, and has paid nothing but a sample.
//!
//! Full exploration is a good answer, and a sweep that expands states again is not: only a measure by
//! which hardly any state is expanded twice is [worth](Proposal::is_worth_changing) a change. If none
//! is, full exploration continues. A second look, when the search had grown, was tried: it found a
//! measure for one more model of 66, brp.4, which took three times as long with it. If memory runs
//! out, any measure is better than none; that is decided [elsewhere](super).
//!
//! A sweep may disappoint all the same. Then the thread looks once more, with persistent states and
//! those of the current layer as its sample: there are the regress edges that the first sample did
//! not show. A measure that is worth it replaces the one that failed before the next sweep.
//! Meanwhile the sweep continues to delete states. If none is found, it stops.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Instant;

use crate::explore::phase::Finding;
use crate::explore::search::Snapshot;
use crate::explore::sweep::NewOrder;
use crate::explore::{AfterPause, Change, Monitor, PausedSearch, Phase, StopReason};
use crate::progress::ExpressionMeasure;
use crate::progress::finder::{FinderOptions, Proposal};
use model::guarded_commands::Expression;

use super::{AutomaticCheck, ChangeFacts, MeasureSearch};

/// States of the search that the finder gets.
const SAMPLED: usize = 4096;
/// The finder starts when this part of the memory limit is in use, as a divisor, or earlier.
const QUARTER: u64 = 4;
/// Expansions for each state from which on a sweep that the search changed to disappoints.
const DISAPPOINTING: f64 = 1.1;
/// How often the finder looks again because a sweep disappoints. Each time, the states that the sweep
/// has deleted may be expanded once more.
const FURTHER_LOOKS: u32 = 1;

/// A monitor that looks for a measure beside the search.
pub(super) struct FinderBeside<'scope, 'env: 'scope> {
    check: AutomaticCheck<'env>,
    options: FinderOptions,
    scope: &'scope Scope<'scope, 'env>,
    stop: &'env AtomicBool,
    monitor: &'env mut dyn Monitor,
    start: Instant,
    /// Bytes at which the finder starts, or has started.
    threshold: u64,
    stage: Stage<'scope>,
    /// How often the finder may look again.
    further_looks: u32,
    /// The search when it was last looked at.
    seen: Snapshot,
    /// Whether the search is known to be a sweep. One that resumes may be, without a change here.
    is_sweep: bool,
    /// The measure that the search follows, if this monitor chose it.
    followed: Option<ExpressionMeasure>,
    /// The components of measures that disappointed.
    failed: Vec<Vec<Expression>>,
    pub(super) searches: Vec<MeasureSearch>,
    /// The measure that the search followed last, or should start again with.
    pub(super) chosen: Option<Proposal>,
    pub(super) changes: Vec<ChangeFacts>,
}

/// How the search begins.
pub(super) enum Begin {
    /// As full exploration. The finder starts at this number of bytes, or at a part of the memory
    /// limit.
    Full { threshold: usize },
    /// As a sweep by this measure.
    Sweep(Proposal),
}

enum Stage<'scope> {
    /// The search is not large enough.
    Waiting,
    /// The finder runs.
    Looking(ScopedJoinHandle<'scope, Option<MeasureSearch>>),
    /// The search follows a measure that was found.
    Sweeping,
    /// The sweep repeats too much work.
    Disappointed,
    /// Another measure is to be followed between two sweeps.
    Found(Box<(Proposal, ExpressionMeasure)>),
    /// The same, and the search is between two sweeps.
    BetweenSweeps(Box<(Proposal, ExpressionMeasure)>),
    /// There is nothing more to look for.
    Done,
}

impl<'scope, 'env> FinderBeside<'scope, 'env> {
    pub(super) fn new(
        check: AutomaticCheck<'env>,
        (options, begin): (FinderOptions, Begin),
        (scope, stop): (&'scope Scope<'scope, 'env>, &'env AtomicBool),
        monitor: &'env mut dyn Monitor,
    ) -> Self {
        let memory = check.plan.limits.memory as u64;
        let (threshold, chosen) = match begin {
            Begin::Full { threshold } => (threshold as u64, None),
            Begin::Sweep(proposal) => (0, Some(proposal)),
        };
        let followed =
            chosen.as_ref().and_then(|one| ExpressionMeasure::new(check.model, &one.components).ok());
        Self {
            check,
            options,
            scope,
            stop,
            monitor,
            start: Instant::now(),
            threshold: threshold.min(memory / QUARTER),
            stage: if followed.is_some() { Stage::Sweeping } else { Stage::Waiting },
            further_looks: FURTHER_LOOKS,
            seen: Snapshot::default(),
            is_sweep: followed.is_some(),
            followed,
            failed: Vec::new(),
            searches: Vec::new(),
            chosen,
            changes: Vec::new(),
        }
    }

    /// Whether the search should pause for this monitor.
    fn is_due(&self) -> bool {
        match &self.stage {
            Stage::Waiting => self.seen.bytes >= self.threshold,
            Stage::Looking(finder) => finder.is_finished(),
            Stage::Disappointed | Stage::BetweenSweeps(_) => true,
            Stage::Sweeping | Stage::Found(_) | Stage::Done => false,
        }
    }

    /// Shows what the search does, while the finder does not run.
    fn show_phase(&mut self) {
        self.monitor.phase(self.followed.as_ref().map_or(Phase::Exploring, Phase::Sweeping));
    }

    /// Starts the finder, with some states of the search.
    fn look_beside(&mut self, search: &PausedSearch<'_>) {
        let explored = (search.sample)(SAMPLED);
        let (check, options) = (self.check, self.options);
        let (stop, met) = (self.stop, search.met);
        let finder = self.scope.spawn(move || {
            lower_priority();
            check.find_beside(&options, (&explored, met), stop)
        });
        self.stage = Stage::Looking(finder);
        self.monitor.phase(Phase::FindingMeasure(Finding::Beside));
    }

    /// Takes the result of the finder, and decides.
    fn decide(&mut self, search: &PausedSearch<'_>) -> AfterPause {
        let Stage::Looking(finder) = std::mem::replace(&mut self.stage, Stage::Done) else {
            return AfterPause::Continue;
        };
        // A panic is a defect on either thread.
        let found = finder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Some(found) = found {
            let chosen = self.check.worth_changing(&found, &self.failed);
            self.searches.push(found);
            match chosen {
                Some((proposal, measure)) if !self.is_sweep => {
                    return self.follow(search, proposal, measure);
                }
                Some(chosen) => self.stage = Stage::Found(Box::new(chosen)),
                None => {}
            }
        }
        self.show_phase();
        AfterPause::Continue
    }

    /// Starts the finder again, because the measure of the sweep has failed.
    fn look_again(&mut self, search: &PausedSearch<'_>) {
        self.further_looks -= 1;
        self.failed.extend(self.chosen.as_ref().map(|failed| failed.components.clone()));
        self.threshold = self.seen.bytes;
        self.look_beside(search);
    }

    /// Changes the measure between two sweeps, if that is possible there.
    fn change_measure(&mut self, search: &PausedSearch<'_>) -> AfterPause {
        match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::BetweenSweeps(found) if search.can_change_over => {
                let (proposal, measure) = *found;
                self.follow(search, proposal, measure)
            }
            _ => AfterPause::Continue,
        }
    }

    fn follow(
        &mut self,
        search: &PausedSearch<'_>,
        proposal: Proposal,
        measure: ExpressionMeasure,
    ) -> AfterPause {
        let order = NewOrder {
            nesting: proposal.nesting(&measure),
            retention: proposal.retention(&measure),
            // No state should be expanded twice: a measure that disappoints is noticed early.
            revisits: DISAPPOINTING,
        };
        if !search.can_change_over {
            if self.check.plan.checkpoint.is_some() {
                self.show_phase();
                return AfterPause::Continue;
            }
            self.chosen = Some(proposal);
            return AfterPause::Stop(StopReason::BetterWay);
        }
        self.changes.push(ChangeFacts {
            threshold: self.threshold,
            explored: self.seen.counters.explored,
            stored: self.seen.stored,
            bytes: self.seen.bytes,
            after: self.start.elapsed(),
            expected: proposal.cost,
        });
        self.chosen = Some(proposal);
        self.followed = Some(measure.clone());
        self.is_sweep = true;
        self.stage = Stage::Sweeping;
        AfterPause::Follow(Box::new(Change { measure, order }))
    }
}

impl Monitor for FinderBeside<'_, '_> {
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason> {
        self.seen = *snapshot;
        self.monitor.look(snapshot).or_else(|| self.is_due().then_some(StopReason::Pause))
    }

    fn paused(&mut self, search: &PausedSearch<'_>) -> AfterPause {
        match self.monitor.paused(search) {
            AfterPause::Continue if self.is_due() => {}
            other => return other,
        }
        match self.stage {
            Stage::Waiting => {
                self.look_beside(search);
                AfterPause::Continue
            }
            Stage::Looking(_) => self.decide(search),
            Stage::Disappointed => {
                self.look_again(search);
                AfterPause::Continue
            }
            Stage::BetweenSweeps(_) => self.change_measure(search),
            Stage::Sweeping | Stage::Found(_) | Stage::Done => AfterPause::Continue,
        }
    }

    fn sweep_disappoints(&mut self) -> bool {
        self.is_sweep = true;
        if let Stage::Waiting | Stage::Sweeping = self.stage {
            self.stage = if self.further_looks > 0 { Stage::Disappointed } else { Stage::Done };
        }
        !matches!(self.stage, Stage::Done)
    }

    fn sweep_ended(&mut self, snapshot: &Snapshot) -> bool {
        self.seen = *snapshot;
        self.stage = match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Found(found) => Stage::BetweenSweeps(found),
            stage => stage,
        };
        matches!(self.stage, Stage::BetweenSweeps(_))
    }

    fn phase(&mut self, phase: Phase<'_>) {
        // Work on a recorded graph does not pause.
        if matches!(phase, Phase::FindingCycles | Phase::NumberingSteps | Phase::ReversePass) {
            self.stop.store(true, Ordering::Relaxed);
            self.stage = Stage::Done;
        }
        self.monitor.phase(phase);
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.monitor.wants_checkpoint()
    }
}

/// Lets other threads run first. Only a wish: if the system refuses, the finder competes with the
/// search.
fn lower_priority() {
    // On Linux this is the priority of the calling thread alone; elsewhere it would be that of the
    // process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 10);
}
