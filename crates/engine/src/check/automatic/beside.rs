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

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Instant;

use crate::explore::phase::Finding;
use crate::explore::search::Snapshot;
use crate::explore::sweep::NewOrder;
use crate::explore::{AfterPause, Change, Monitor, PausedSearch, Phase, StopReason};
use crate::progress::ExpressionMeasure;
use crate::progress::finder::{FinderOptions, Proposal};

use super::{AutomaticCheck, ChangeFacts, MeasureSearch};

/// States of the search that the finder gets.
const SAMPLED: usize = 4096;
/// The finder starts when this part of the memory limit is in use, as a divisor, or earlier.
const QUARTER: u64 = 4;
/// Expansions for each state from which on the sweep forgets nothing more.
const DISAPPOINTING: f64 = 1.1;

/// A monitor that looks for a measure beside the search.
pub(super) struct FinderBeside<'scope, 'env: 'scope> {
    check: AutomaticCheck<'env>,
    options: FinderOptions,
    scope: &'scope Scope<'scope, 'env>,
    stop: &'env AtomicBool,
    monitor: &'env mut dyn Monitor,
    start: Instant,
    /// Bytes at which the finder starts next.
    threshold: u64,
    stage: Stage<'scope>,
    /// The search when it was last looked at.
    seen: Snapshot,
    pub(super) searches: Vec<MeasureSearch>,
    /// The measure that the search changed to, or should start again with.
    pub(super) chosen: Option<Proposal>,
    pub(super) changes: Vec<ChangeFacts>,
}

enum Stage<'scope> {
    /// The search is not large enough.
    Waiting,
    /// The finder runs.
    Looking(ScopedJoinHandle<'scope, Option<MeasureSearch>>),
    /// There is nothing more to look for.
    Done,
}

impl<'scope, 'env> FinderBeside<'scope, 'env> {
    pub(super) fn new(
        check: AutomaticCheck<'env>,
        (options, threshold): (FinderOptions, usize),
        (scope, stop): (&'scope Scope<'scope, 'env>, &'env AtomicBool),
        monitor: &'env mut dyn Monitor,
    ) -> Self {
        let memory = check.plan.limits.memory as u64;
        Self {
            check,
            options,
            scope,
            stop,
            monitor,
            start: Instant::now(),
            threshold: (threshold as u64).min(memory / QUARTER),
            stage: Stage::Waiting,
            seen: Snapshot::default(),
            searches: Vec::new(),
            chosen: None,
            changes: Vec::new(),
        }
    }

    /// Whether the search should pause for this monitor.
    fn is_due(&self) -> bool {
        match &self.stage {
            Stage::Waiting => self.seen.bytes >= self.threshold,
            Stage::Looking(finder) => finder.is_finished(),
            Stage::Done => false,
        }
    }

    /// Starts the finder, with some states of the search.
    fn look_beside(&mut self, search: &PausedSearch<'_>) {
        let explored = (search.sample)(SAMPLED);
        let (check, options) = (self.check, self.options);
        let (stop, met) = (self.stop, self.seen.stored);
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
            let chosen = self.check.worth_changing(&found);
            self.searches.push(found);
            if let Some((proposal, measure)) = chosen {
                return self.follow(search, proposal, measure);
            }
        }
        self.monitor.phase(Phase::Exploring);
        AfterPause::Continue
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
                self.monitor.phase(Phase::Exploring);
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
            Stage::Done => AfterPause::Continue,
        }
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
