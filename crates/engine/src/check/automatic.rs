//! Checks without a given measure: search first, plan beside it.
//!
//! The check starts with full exploration at once. When that has become large, a thread
//! [beside] the search looks for a measure. If one promises enough, the search changes over
//! to it without a restart; if the kind of check relies on its measure from the first state on, it
//! starts again. If memory runs out before, the best measure is swept, whatever it promises; without
//! one, the model is explored by partitions.
//!
//! If memory counts more than time, or a sweep was requested, the finder runs first.
//!
//! A measure is estimated from a sample, and estimates can be wrong. So the sweep is monitored. When
//! states are expanded again more often than expected, the finder looks once more beside the sweep.
//! If it finds a measure that promises enough, that one replaces the first before the next sweep.
//! Otherwise the run continues as full exploration and forgets nothing more. It does not start
//! again: layers that were swept stay swept. From then on, each state is expanded at most once more.

mod beside;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::explore::phase::Finding;
use crate::explore::search::Limits;
use crate::explore::sweep::{Nesting, Retention};
use crate::explore::{Counters, Monitor, Phase, StopReason};
use crate::progress::finder::{
    Aim, Cost, Effort, FinderOptions, Findings, Kind, Proposal, RunningSearch, SampleFacts, find,
    find_beside, judge,
};
use crate::progress::{ExpressionMeasure, prove_monotone};
use crate::property::Property;
use crate::property::soundness::needs_monotone;
use crate::verdict::Verdict;
use model::guarded_commands::{Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::transition_system::{Execution, StateFunctions};

use super::commands::layout_for;
use super::{CheckError, Engine, Outcome, Packing, Plan, Reduction, SearchPlan, SweepPlan, check};

use beside::{Begin, FinderBeside};

/// Number of actions from which on it takes long to compile a model: some tenths of a second.
const SLOWLY_COMPILED: usize = 512;
/// Limit on re-expansions: expansions for each state beyond the first, times α, from which on a
/// sweep counts as runaway. The work done by then is not lost, so a generous limit is cheap.
const RUNAWAY: f64 = 4.5;

/// How an automatic check finds its measure.
#[derive(Clone, Copy, Debug)]
pub struct AutomaticPlan {
    /// The options of the measure finder.
    pub finder: FinderOptions,
    /// What happens first.
    pub start: Start,
}

/// What an automatic check does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It looks for a measure, and then searches.
    Finder,
    /// It searches. The finder runs beside the search once that holds this many bytes, or a quarter
    /// of the memory limit.
    Search {
        /// Bytes of states.
        threshold: usize,
    },
}

/// Bytes of states at which the finder starts, by default: some twenty million states, or two
/// seconds. A change stores again what the front has not passed, and a smaller search ends before a
/// sweep could make up for that. With 32 MiB, searches of three million states took up to 1.48 times
/// as long as full exploration (exit.1, pgm_protocol.8), with 8 MiB up to 1.31, and with 4 MiB those
/// of a million states up to 1.65 times. Where memory is limited, a quarter of it counts.
pub const THRESHOLD: usize = 256 << 20;

/// An outcome, and the attempts that led to it.
#[derive(Clone, Debug)]
pub struct Automatic {
    /// The outcome of the last attempt.
    pub outcome: Outcome,
    /// All attempts, in order.
    pub attempts: Vec<Attempt>,
    /// All searches for a measure, in order.
    pub searches: Vec<MeasureSearch>,
    /// Changes of the measure during the last attempt, in order.
    pub changes: Vec<ChangeFacts>,
}

/// A change of measure, as it was decided.
#[derive(Clone, Copy, Debug)]
pub struct ChangeFacts {
    /// Bytes of states at which the finder was started: the threshold, or those of a sweep that
    /// disappointed.
    pub threshold: u64,
    /// Number of states that were expanded before the change.
    pub explored: u64,
    /// Number of states that were stored then.
    pub stored: u64,
    /// Bytes held then.
    pub bytes: u64,
    /// Time since the search began.
    pub after: Duration,
    /// The cost of a sweep over the sample.
    pub expected: Cost,
}

/// A search for measures, with its result.
#[derive(Clone, Debug)]
pub struct MeasureSearch {
    /// The measures found.
    pub findings: Findings,
    /// The effort of the search.
    pub effort: Effort,
    /// The time the search took.
    pub time: Duration,
}

/// One run of a search.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The engine.
    pub engine: Engine,
    /// The measure; `None` for full exploration.
    pub proposal: Option<Proposal>,
    /// How the attempt ended.
    pub end: AttemptEnd,
    /// The counters of the search.
    pub counters: Counters,
    /// Number of different states visited, estimated.
    pub different: u64,
    /// The time the attempt took.
    pub time: Duration,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// The outcome of this attempt is the outcome of the check.
    Kept,
    /// A better measure was found.
    BetterMeasure,
    /// Memory ran out.
    Memory,
}

/// Looks for progress measures of a model.
///
/// # Errors
/// The model cannot be made executable, or there is no memory for the sample.
pub fn find_measures(
    model: &GuardedCommands,
    execution: &dyn Execution,
    packing: Packing,
    options: &FinderOptions,
) -> Result<MeasureSearch, CheckError> {
    let start = Instant::now();
    let layout = layout_for(model, packing);
    let system = execution.prepare(model, &layout, StateFunctions::default())?;
    let findings = find(model, &layout, &*system, options).map_err(CheckError::NoMemory)?;
    Ok(MeasureSearch { findings, effort: options.effort, time: start.elapsed() })
}

/// Estimates the cost of a measure on a sample of the model.
///
/// # Errors
/// The model cannot be made executable, or there is no memory for the sample.
pub fn judge_measure(
    model: &GuardedCommands,
    execution: &dyn Execution,
    packing: Packing,
    measure: &ExpressionMeasure,
    options: &FinderOptions,
) -> Result<(Cost, SampleFacts), CheckError> {
    let layout = layout_for(model, packing);
    let functions = StateFunctions { progress: Some(measure.packed()), ..StateFunctions::default() };
    let system = execution.prepare(model, &layout, functions)?;
    judge(model, &layout, &*system, options).map_err(CheckError::NoMemory)
}

/// Checks the properties without a given measure.
///
/// # Errors
/// The errors of [`check`](super::check()).
pub fn check_automatically(
    model: &GuardedCommands,
    execution: &dyn Execution,
    properties: &[Property],
    (plan, automatic): (&Plan, &AutomaticPlan),
    monitor: &mut dyn Monitor,
) -> Result<Automatic, CheckError> {
    plan.require_kept(properties)?;
    let check = AutomaticCheck { model, execution, properties, plan };
    let mut run = AutomaticRun {
        check,
        options: check.options(&automatic.finder),
        monitor,
        attempts: Vec::new(),
        searches: Vec::new(),
        changes: Vec::new(),
    };
    let outcome = match automatic.start {
        Start::Finder => run.find_and_search()?,
        Start::Search { threshold } => run.search_and_find(threshold)?,
    };
    Ok(Automatic { outcome, attempts: run.attempts, searches: run.searches, changes: run.changes })
}

/// Adds the verdicts of an earlier attempt, in case this one was stopped before it reached them.
fn with_answers_of(earlier: Outcome, mut outcome: Outcome) -> Outcome {
    for (verdict, before) in outcome.verdicts.iter_mut().zip(earlier.verdicts) {
        if matches!(verdict, Verdict::Unknown(_)) && !matches!(before, Verdict::Unknown(_)) {
            *verdict = before;
        }
    }
    outcome.error = outcome.error.or(earlier.error);
    outcome
}

impl Proposal {
    /// The groups that a sweep by this measure sweeps on their own.
    pub fn nesting(&self, measure: &ExpressionMeasure) -> Nesting {
        match self.kind {
            Kind::Flat | Kind::Window(_) => Nesting::default(),
            Kind::Nested => Nesting {
                parts: measure.lowest_bit(self.monotone).map_or(0, |bit| 1 << bit),
                monotone: measure.lowest_bit(self.monotone),
            },
        }
    }

    /// How long a sweep by this measure remembers layers behind the front.
    pub fn retention(&self, measure: &ExpressionMeasure) -> Retention {
        match (self.kind, measure.lowest_bit(self.monotone + 1)) {
            (Kind::Window(reach), Some(bit)) => Retention::Window { bit, reach },
            _ => Retention::Immediate,
        }
    }
}

impl SearchPlan {
    /// A sweep by a measure that was found. Settings that do not depend on the measure are those of
    /// this plan, if it is a sweep.
    pub fn sweep_by(&self, proposal: &Proposal, measure: ExpressionMeasure) -> SweepPlan {
        let (nesting, retention) = (proposal.nesting(&measure), proposal.retention(&measure));
        let settings = self.sweep().cloned().unwrap_or_default();
        SweepPlan { measure: Some(measure), nesting, retention, ..settings }
    }
}

/// What is checked, and how.
#[derive(Clone, Copy)]
struct AutomaticCheck<'a> {
    model: &'a GuardedCommands,
    execution: &'a dyn Execution,
    properties: &'a [Property],
    plan: &'a Plan,
}

impl AutomaticCheck<'_> {
    /// The options of the finder, for these properties and limits.
    fn options(&self, options: &FinderOptions) -> FinderOptions {
        let windows = options.windows && self.plan.may_remember(self.properties);
        FinderOptions { windows, memory: self.plan.limits.memory, ..*options }
    }

    /// Looks for measures beside a search, with some of the states that the search has met, and the
    /// number of all of them. `None` if the finder was stopped, or could not run.
    fn find_beside(
        &self,
        options: &FinderOptions,
        (explored, met): (&[Vec<i64>], u64),
        stop: &AtomicBool,
    ) -> Option<MeasureSearch> {
        let start = Instant::now();
        let layout = layout_for(self.model, self.plan.packing);
        let mut words = Vec::with_capacity(explored.len() * layout.words());
        let mut packed = vec![0; layout.words()];
        for state in explored {
            if layout.encode(state, &mut packed).is_ok() {
                words.extend_from_slice(&packed);
            }
        }
        // Compiling cannot be stopped, and the search would have to wait for it when it ends.
        let execution: &dyn Execution =
            if self.model.actions.len() > SLOWLY_COMPILED { &Interpreted } else { self.execution };
        let system = execution.prepare(self.model, &layout, StateFunctions::default()).ok()?;
        let search = RunningSearch { states: &words, met: met as usize, stop };
        let findings = find_beside(self.model, &layout, &*system, options, search).ok()??;
        Some(MeasureSearch { findings, effort: Effort::Beside, time: start.elapsed() })
    }

    /// The best measure by which these properties can be checked, if it is worth changing to. Those
    /// that `failed` are not.
    fn worth_changing(
        &self,
        search: &MeasureSearch,
        failed: &[Vec<Expression>],
    ) -> Option<(Proposal, ExpressionMeasure)> {
        let is_other = |one: &Proposal| failed.iter().all(|components| *components != one.components);
        let proposal = self.suitable(search).find(|one| one.is_worth_changing() && is_other(one))?;
        let measure = ExpressionMeasure::new(self.model, &proposal.components).ok()?;
        Some((proposal.clone(), measure))
    }

    /// The measures of a search by which these properties can be checked, best first.
    fn suitable<'s>(&self, search: &'s MeasureSearch) -> impl Iterator<Item = &'s Proposal> {
        let needs_proof = needs_monotone(self.properties).is_some();
        let model = self.model;
        let proposals = search.findings.proposals.iter();
        proposals.filter(move |one| !needs_proof || prove_monotone(model, &one.components).is_ok())
    }

    /// Whether a sweep can change its measure: nothing relies on the one with which it begins.
    fn can_change_measure(&self) -> bool {
        self.plan.reduction == Reduction::None && self.plan.may_remember(self.properties)
    }

    /// Mean number of expansions per state from which on a sweep by this measure forgets nothing.
    fn revisits(&self, proposal: &Proposal, options: &FinderOptions) -> f64 {
        let expected = proposal.cost.revisits();
        match options.aim {
            Aim::Product { alpha } => (expected * (1.0 + 0.6 / alpha)).max(1.0 + RUNAWAY / alpha),
            Aim::Bounded { .. } => f64::INFINITY,
        }
    }
}

struct AutomaticRun<'a> {
    check: AutomaticCheck<'a>,
    options: FinderOptions,
    monitor: &'a mut dyn Monitor,
    attempts: Vec<Attempt>,
    searches: Vec<MeasureSearch>,
    changes: Vec<ChangeFacts>,
}

impl AutomaticRun<'_> {
    /// Looks for a measure, and sweeps by it. Without one, explores in full.
    fn find_and_search(&mut self) -> Result<Outcome, CheckError> {
        self.monitor.phase(Phase::FindingMeasure(Finding::First));
        self.look(Effort::Quick)?;
        match self.best() {
            Some(proposal) => self.sweep(&proposal),
            None => self.search_and_find(THRESHOLD),
        }
    }

    /// Searches, and looks for a measure beside the search.
    fn search_and_find(&mut self, threshold: usize) -> Result<Outcome, CheckError> {
        let (outcome, chosen) = self.explore(threshold)?;
        let end = match &outcome.stopped {
            Some(StopReason::BetterWay) => AttemptEnd::BetterMeasure,
            Some(StopReason::Memory(_)) if self.can_restart(&outcome) => AttemptEnd::Memory,
            _ => return Ok(outcome),
        };
        let again = match chosen.or(self.measure_for_memory(end)?) {
            Some(proposal) => {
                self.ended(end);
                self.sweep(&proposal)?
            }
            // Components and cycles need whole layers.
            None if self.check.properties.iter().all(|one| !one.kind.needs_layers()) => {
                self.ended(end);
                self.partition()?
            }
            None => return Ok(outcome),
        };
        Ok(with_answers_of(outcome, again))
    }

    /// Whether a search that ran out of memory may start again in another way. A run with
    /// checkpoints resumes as it began, and a sweep has spilled what it could.
    fn can_restart(&self, outcome: &Outcome) -> bool {
        self.check.plan.checkpoint.is_none() && outcome.changes.is_empty()
    }

    /// The best measure found so far, or by a thorough search, after memory has run out.
    fn measure_for_memory(&mut self, end: AttemptEnd) -> Result<Option<Proposal>, CheckError> {
        if end == AttemptEnd::Memory && self.best().is_none() {
            self.monitor.phase(Phase::FindingMeasure(Finding::Again));
            self.look(Effort::Thorough)?;
        }
        Ok(self.best())
    }

    fn look(&mut self, effort: Effort) -> Result<(), CheckError> {
        let AutomaticCheck { model, execution, plan, .. } = self.check;
        let options = FinderOptions { effort, ..self.options };
        self.searches.push(find_measures(model, execution, plan.packing, &options)?);
        Ok(())
    }

    /// The best measure of the last search by which these properties can be checked, if there is
    /// one.
    fn best(&self) -> Option<Proposal> {
        self.check.suitable(self.searches.last()?).next().cloned()
    }

    /// Explores in full, on disk.
    fn partition(&mut self) -> Result<Outcome, CheckError> {
        self.attempt(SearchPlan::Partition, self.check.plan.limits, None)
    }

    fn sweep(&mut self, proposal: &Proposal) -> Result<Outcome, CheckError> {
        let AutomaticCheck { model, plan, .. } = self.check;
        let Ok(measure) = ExpressionMeasure::new(model, &proposal.components) else {
            return self.partition();
        };
        let search = SearchPlan::Sweep(plan.search.sweep_by(proposal, measure));
        let limits = Limits { revisits: self.check.revisits(proposal, &self.options), ..plan.limits };
        if !self.check.can_change_measure() {
            return self.attempt(search, limits, Some(proposal.clone()));
        }
        let (plan, start) = (Plan { search, limits, ..plan.clone() }, Instant::now());
        let (outcome, chosen) = self.search_beside(&plan, Begin::Sweep(proposal.clone()))?;
        self.attempted(plan.search.engine(), chosen, &outcome, start.elapsed());
        Ok(outcome)
    }

    fn attempt(
        &mut self,
        search: SearchPlan,
        limits: Limits,
        proposal: Option<Proposal>,
    ) -> Result<Outcome, CheckError> {
        let AutomaticCheck { model, execution, properties, plan } = self.check;
        let plan = Plan { search, limits, ..plan.clone() };
        let start = Instant::now();
        let outcome = check(model, execution, properties, &plan, self.monitor)?;
        self.changes.clear();
        self.attempted(plan.search.engine(), proposal, &outcome, start.elapsed());
        Ok(outcome)
    }

    /// Explores in full, with the finder beside the search. Returns the measure that it changed to,
    /// or should have.
    fn explore(&mut self, threshold: usize) -> Result<(Outcome, Option<Proposal>), CheckError> {
        let plan = Plan { search: SearchPlan::Adaptive, ..self.check.plan.clone() };
        let start = Instant::now();
        let (outcome, chosen) = self.search_beside(&plan, Begin::Full { threshold })?;
        let engine = if outcome.changes.is_empty() { Engine::Breadth } else { Engine::Sweep };
        let proposal = chosen.clone().filter(|_| !outcome.changes.is_empty());
        self.attempted(engine, proposal, &outcome, start.elapsed());
        Ok((outcome, chosen))
    }

    /// Searches by this plan, with the finder beside the search. Returns the measure that it followed
    /// last, or should have.
    fn search_beside(
        &mut self,
        plan: &Plan,
        begin: Begin,
    ) -> Result<(Outcome, Option<Proposal>), CheckError> {
        let AutomaticCheck { model, execution, properties, .. } = self.check;
        let (stop, monitor) = (AtomicBool::new(false), &mut *self.monitor);
        let (outcome, searches, changes, chosen) = std::thread::scope(|scope| {
            let mut beside = FinderBeside::new(self.check, (self.options, begin), (scope, &stop), monitor);
            let outcome = check(model, execution, properties, plan, &mut beside);
            // A finder that is still at work ends at once.
            stop.store(true, Ordering::Relaxed);
            (outcome, beside.searches, beside.changes, beside.chosen)
        });
        self.searches.extend(searches);
        self.changes = changes;
        Ok((outcome?, chosen))
    }

    fn attempted(&mut self, engine: Engine, proposal: Option<Proposal>, outcome: &Outcome, time: Duration) {
        self.attempts.push(Attempt {
            engine,
            proposal,
            end: AttemptEnd::Kept,
            counters: outcome.figures.counters,
            different: outcome.figures.estimated_distinct,
            time,
        });
    }

    fn ended(&mut self, end: AttemptEnd) {
        if let Some(last) = self.attempts.last_mut() {
            last.end = end;
        }
    }
}
