//! Checks by a progress measure that Sweepline finds itself.
//!
//! The measure is estimated from a sample, and estimates can be wrong. So the run is monitored.
//! When states are expanded again more often than expected, the run continues as full exploration
//! and forgets nothing more. It does not start again: layers that were swept stay swept. From then
//! on, each state is expanded at most once more.
//!
//! Full exploration is used where no measure was found. If it turns out to be long, it pauses once
//! for a second, thorough search for a measure. The outcome lists the attempts.

use std::time::{Duration, Instant};

use crate::explore::search::{Limits, Snapshot};
use crate::explore::sweep::{Nesting, Retention};
use crate::explore::{Counters, Monitor, Phase, StopReason};
use crate::progress::finder::{
    Aim, Cost, Effort, FinderOptions, Findings, Kind, Proposal, SampleFacts, find, judge,
};
use crate::progress::{ExpressionMeasure, prove_monotone};
use crate::property::Property;
use crate::property::soundness::needs_monotone;
use crate::verdict::Verdict;
use model::guarded_commands::GuardedCommands;
use model::transition_system::{Execution, StateFunctions};

use super::commands::layout_for;
use super::{CheckError, Engine, Outcome, Packing, Plan, SearchPlan, SweepPlan, WhenFull, check};

/// Number of expanded states at which a full exploration pauses to look for a measure once more.
const LARGE: u64 = 20_000_000;
/// Limit on re-expansions: expansions for each state beyond the first, times α, from which on a
/// sweep counts as runaway. The work done by then is not lost, so a generous limit is cheap.
const RUNAWAY: f64 = 4.5;
/// Largest estimated cost at which a measure replaces a full exploration: half of the memory for
/// the same work.
const WORTH_IT: f64 = 0.5;

/// An outcome, and the attempts that led to it.
#[derive(Clone, Debug)]
pub struct Automatic {
    /// The outcome of the last attempt.
    pub outcome: Outcome,
    /// All attempts, in order.
    pub attempts: Vec<Attempt>,
    /// All searches for a measure, in order.
    pub searches: Vec<MeasureSearch>,
}

/// A search for measures, with its result.
#[derive(Clone, Debug)]
pub struct MeasureSearch {
    /// The measures found.
    pub findings: Findings,
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
    Ok(MeasureSearch { findings, time: start.elapsed() })
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

/// Checks the properties by a measure, which it looks for first.
///
/// # Errors
/// The errors of [`check`](super::check()).
pub fn check_automatically(
    model: &GuardedCommands,
    execution: &dyn Execution,
    properties: &[Property],
    plan: &Plan,
    options: &FinderOptions,
    monitor: &mut dyn Monitor,
) -> Result<Automatic, CheckError> {
    plan.require_kept(properties)?;
    let mut run = AutomaticRun {
        model,
        execution,
        properties,
        plan,
        options: *options,
        monitor,
        attempts: Vec::new(),
        searches: Vec::new(),
    };
    run.monitor.phase(Phase::FindingMeasure { again: false });
    run.look(Effort::Quick)?;
    let outcome = match run.best() {
        Some(proposal) => run.sweep(&proposal)?,
        None => run.explore_watched()?,
    };
    Ok(Automatic { outcome, attempts: run.attempts, searches: run.searches })
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

/// The best measure of a search by which these properties can be checked.
fn suitable<'s>(
    model: &GuardedCommands,
    properties: &[Property],
    search: &'s MeasureSearch,
) -> Option<&'s Proposal> {
    let needs_proof = needs_monotone(properties).is_some();
    let mut proposals = search.findings.proposals.iter();
    proposals.find(|one| !needs_proof || prove_monotone(model, &one.components).is_ok())
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

struct AutomaticRun<'a> {
    model: &'a GuardedCommands,
    execution: &'a dyn Execution,
    properties: &'a [Property],
    plan: &'a Plan,
    options: FinderOptions,
    monitor: &'a mut dyn Monitor,
    attempts: Vec<Attempt>,
    searches: Vec<MeasureSearch>,
}

impl AutomaticRun<'_> {
    /// Options of the search for measures.
    fn options(&self) -> FinderOptions {
        let windows = self.options.windows && self.plan.may_remember(self.properties);
        FinderOptions { windows, ..self.options }
    }

    fn look(&mut self, effort: Effort) -> Result<(), CheckError> {
        let options = FinderOptions { effort, memory: self.plan.limits.memory, ..self.options() };
        let search = find_measures(self.model, self.execution, self.plan.packing, &options)?;
        self.searches.push(search);
        Ok(())
    }

    /// The best measure of the last search by which these properties can be checked, if there is
    /// one.
    fn best(&self) -> Option<Proposal> {
        suitable(self.model, self.properties, self.searches.last()?).cloned()
    }

    /// Mean number of expansions per state from which on the sweep forgets nothing.
    fn limit(&self, proposal: &Proposal) -> f64 {
        let expected = proposal.cost.revisits();
        match self.options.aim {
            Aim::Product { alpha } => (expected * (1.0 + 0.6 / alpha)).max(1.0 + RUNAWAY / alpha),
            Aim::Bounded { .. } => f64::INFINITY,
        }
    }

    /// Explores in full, unless that takes long and a second search finds a measure.
    fn explore_watched(&mut self) -> Result<Outcome, CheckError> {
        let is_whole = self.searches.last().is_some_and(|search| search.findings.sample.complete);
        // A run with checkpoints resumes with the engine and the measure that it began with.
        let is_saved = self.plan.checkpoint.is_some();
        let outcome = self.explore((!is_whole && !is_saved).then_some(LARGE))?;
        let end = match &outcome.stopped {
            Some(StopReason::BetterWay) => AttemptEnd::BetterMeasure,
            Some(StopReason::Memory(_)) if !is_saved => AttemptEnd::Memory,
            _ => return Ok(outcome),
        };
        if end == AttemptEnd::Memory && self.searches.len() == 1 {
            self.monitor.phase(Phase::FindingMeasure { again: true });
            self.look(Effort::Thorough)?;
        }
        let again = match self.best() {
            Some(proposal) => {
                self.ended(end);
                self.sweep(&proposal)?
            }
            // Components and cycles need whole layers.
            None if end == AttemptEnd::Memory
                && self.properties.iter().all(|one| !one.kind.needs_layers()) =>
            {
                self.ended(end);
                self.partition()?
            }
            None => return Ok(outcome),
        };
        Ok(with_answers_of(outcome, again))
    }

    /// Explores in full, on disk.
    fn partition(&mut self) -> Result<Outcome, CheckError> {
        let plan = Plan { search: SearchPlan::Partition, ..self.plan.clone() };
        let start = Instant::now();
        let outcome = check(self.model, self.execution, self.properties, &plan, self.monitor)?;
        self.attempted(plan.search.engine(), None, &outcome, start.elapsed());
        Ok(outcome)
    }

    fn sweep(&mut self, proposal: &Proposal) -> Result<Outcome, CheckError> {
        let Ok(measure) = ExpressionMeasure::new(self.model, &proposal.components) else {
            return self.explore(None);
        };
        let search = SearchPlan::Sweep(self.plan.search.sweep_by(proposal, measure));
        let limits = Limits { revisits: self.limit(proposal), ..self.plan.limits };
        let plan = Plan { search, limits, ..self.plan.clone() };
        let start = Instant::now();
        let outcome = check(self.model, self.execution, self.properties, &plan, self.monitor)?;
        self.attempted(plan.search.engine(), Some(proposal.clone()), &outcome, start.elapsed());
        Ok(outcome)
    }

    /// Explores in full. At `until` expansions, the measure finder runs. If it finds a good
    /// measure, the exploration ends. A run with checkpoints continues on disk when memory is full.
    fn explore(&mut self, until: Option<u64>) -> Result<Outcome, CheckError> {
        let when_full = if self.plan.checkpoint.is_some() { WhenFull::Spill } else { WhenFull::Stop };
        let plan = Plan { search: SearchPlan::Breadth(when_full), ..self.plan.clone() };
        let (model, execution, packing) = (self.model, self.execution, self.plan.packing);
        let properties = self.properties;
        let memory = self.plan.limits.memory;
        let options = FinderOptions { effort: Effort::Thorough, memory, ..self.options() };
        let mut watch = LargeWatch {
            until,
            look: || {
                let search = find_measures(model, execution, packing, &options).ok()?;
                let best = suitable(model, properties, &search);
                let is_worth_it = best.is_some_and(|best| options.aim.price(&best.cost) < WORTH_IT);
                Some((search, is_worth_it))
            },
            search: None,
            monitor: &mut *self.monitor,
        };
        let start = Instant::now();
        let outcome = check(model, execution, properties, &plan, &mut watch)?;
        let time = start.elapsed();
        let search = watch.search;
        self.attempted(plan.search.engine(), None, &outcome, time);
        self.searches.extend(search);
        Ok(outcome)
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

/// Monitor that looks for a measure once an exploration is large. The exploration pauses meanwhile.
/// It continues if the measure is not worth a restart.
struct LargeWatch<'a, F> {
    /// Number of expansions at which the exploration counts as large. `None` once it was reached.
    until: Option<u64>,
    look: F,
    search: Option<MeasureSearch>,
    monitor: &'a mut dyn Monitor,
}

impl<F: FnMut() -> Option<(MeasureSearch, bool)>> Monitor for LargeWatch<'_, F> {
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason> {
        let is_large = self.until.is_some_and(|until| snapshot.counters.explored >= until);
        self.monitor.look(snapshot).or(is_large.then_some(StopReason::Pause))
    }

    fn paused(&mut self) -> Option<StopReason> {
        let stopped = self.monitor.paused();
        if stopped.is_some() || self.until.take().is_none() {
            return stopped;
        }
        self.monitor.phase(Phase::FindingMeasure { again: true });
        if let Some((search, is_worth_it)) = (self.look)() {
            self.search = Some(search);
            if is_worth_it {
                return Some(StopReason::BetterWay);
            }
        }
        self.monitor.phase(Phase::Exploring);
        None
    }

    fn phase(&mut self, phase: Phase<'_>) {
        // Work on a recorded graph does not pause.
        if matches!(phase, Phase::FindingCycles | Phase::NumberingSteps | Phase::ReversePass) {
            self.until = None;
        }
        self.monitor.phase(phase);
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.monitor.wants_checkpoint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property::PropertyKind;
    use model::guarded_commands::{
        Action, Assignment, BinaryOperator, CellId, Effect, Expression, IntegerType, Location, LocationId,
        Participant, Shape, Span, Target,
    };
    use model::interpreted_model::Interpreted;

    /// A byte that runs through all its values.
    fn counter() -> GuardedCommands {
        let mut model = GuardedCommands::default();
        model.add_variable("x", None, Shape::Scalar(IntegerType::BYTE), &[], Span::default());
        let location = Location { name: "l".into(), committed: false, span: Span::default() };
        let process = model.add_process("P", vec![location], LocationId(0), Span::default());
        let (from, to) = (LocationId(0), LocationId(0));
        let participant = Participant { process, from, to, guards: Vec::new(), span: Span::default() };
        let x = CellId(0);
        let value = Expression::binary(BinaryOperator::Add, Expression::Cell(x), Expression::Constant(1));
        let effects = vec![Effect::Assign(vec![Assignment { target: Target::Cell(x), value }])];
        model.actions.push(Action { participants: vec![participant], effects, channel: None, name: None });
        model
    }

    #[test]
    fn what_an_attempt_that_was_given_up_has_decided_stays_decided() {
        let model = counter();
        let reached = |value| {
            let x = Expression::Cell(CellId(0));
            let goal = Expression::binary(BinaryOperator::Equal, x, Expression::Constant(value));
            Property::new("goal", PropertyKind::Reachable(goal))
        };
        let properties = [reached(3), reached(200), reached(1)];
        let stopped_at = |states| {
            let plan = Plan { limits: Limits { states, ..Limits::default() }, ..Plan::default() };
            check(&model, &Interpreted, &properties, &plan, &mut ()).unwrap()
        };
        let outcome = with_answers_of(stopped_at(10), stopped_at(2));
        let holds: Vec<bool> =
            outcome.verdicts.iter().map(|verdict| matches!(verdict, Verdict::Holds(_))).collect();
        assert_eq!(holds, [true, false, true]);
        assert_eq!(outcome.stopped, Some(StopReason::StateLimit(2)));
    }
}
