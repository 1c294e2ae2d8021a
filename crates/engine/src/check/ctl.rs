//! Formulas of computation tree logic: a search by layers whose graph is recorded, and then evaluated.
//!
//! The [search](recorded_search) forgets states as ever; what is kept of them is the [compact graph](crate::store::compact_graph), on which
//! the formula is [evaluated](crate::property::ctl::evaluation) for all nodes. It holds if it is true in every initial state. An answer
//! needs the whole graph, so there is one only after a complete search. Where a path can show it, a
//! [path](crate::property::ctl::witness) is found in the graph, executed by the model, and [tested](shown_path), before anyone sees it.
//!
//! Memory: a bit for each state and each proposition while the search runs, and afterwards one for each state and each different
//! subformula. All else may be on disk.

mod graph_alone;
mod recorded_search;
mod shown_path;

use std::io;

use crate::explore::sweep::{Order, Retention, SweepSearch};
use crate::explore::{CompleteSearch, Counters, Course, Monitor, Phase, SearchEnd, Snapshot, StopReason};
use crate::property::ctl::evaluation::{BLOCK_BYTES, Evaluation, sets_held};
use crate::property::ctl::graph_recorder::GraphRecorder;
use crate::property::ctl::witness::{GraphPath, Level, path};
use crate::property::soundness::Unsound;
use crate::store::bit_vector::BitVector;
use crate::store::compact_graph::{GraphSize, RecordedGraph};
use crate::store::external::disk::{Disk, IoCounts};
use crate::store::layer::LayerFull;
use crate::verdict::replay::ReplayedTrace;
use crate::verdict::trace_log::LoggedRun;
use crate::verdict::{Evidence, Length, UnknownReason, Verdict};
use logic::ctl::Ctl;
use model::guarded_commands::ActionId;
use model::interpreter::RuntimeError;
use model::transition_system::MAX_PREDICATES;

use super::subject::Subject;
use super::{CheckError, Engine, ModelError, Outcome, Plan, Reduction};

pub(super) use recorded_search::GraphObservers;
use recorded_search::{Ended, RecordedSearch};
use shown_path::test_path;

pub use graph_alone::record_graph;

/// Bytes of a node in the search for a path, about.
const SEARCHED: usize = 64;

/// Everything that is known after a formula was checked.
#[derive(Clone, Debug)]
pub struct CtlOutcome<R = ReplayedTrace, T = Vec<i64>, F = RuntimeError> {
    /// The answer. It rests on a complete search.
    pub verdict: Verdict<R, T>,
    /// A path that shows it, where one can.
    pub witness: Option<CtlWitness<R>>,
    /// The first run-time error. The number of a property is that of a proposition.
    pub error: Option<ModelError<F, R>>,
    /// The graph, if it was evaluated.
    pub graph: Option<GraphSummary>,
    /// Why it was not.
    pub stopped: Option<StopReason>,
    /// What the search counted.
    pub counters: Counters,
    /// The greatest number of bytes for states and the graph.
    pub peak_state_bytes: u64,
    /// Bytes on disk at the most.
    pub disk_bytes: u64,
    /// What went to disk, and came from there.
    pub io: IoCounts,
    /// Bits of a state at the end of the run.
    pub state_bits: u64,
    /// Words of a state at the end of the run.
    pub state_words: u64,
    /// How often a value outgrew its field.
    pub widenings: u32,
    /// What was held layer by layer, and how often actions were taken, if that was wanted.
    pub course: Option<Course>,
}

/// What is known after a formula was checked on this kind of model.
pub type CtlOutcomeOf<M> = CtlOutcome<<M as Subject>::Run, <M as Subject>::State, <M as Subject>::Fault>;

impl<R, T, F> From<CtlOutcome<R, T, F>> for Outcome<R, T, F> {
    fn from(outcome: CtlOutcome<R, T, F>) -> Self {
        let evidence = outcome.witness.map(|CtlWitness { stem, cycle, run, .. }| {
            if cycle.is_empty() {
                Evidence::Trace(run, Length::AsFound)
            } else {
                Evidence::Lasso(run, stem.actions.len())
            }
        });
        let verdict = match (outcome.verdict, evidence) {
            (Verdict::Holds(_), Some(shown)) => Verdict::Holds(shown),
            (Verdict::Violated(_), Some(shown)) => Verdict::Violated(shown),
            (verdict, _) => verdict,
        };
        let distinct = outcome.graph.map(|graph| graph.nodes);
        Self {
            complete: distinct.is_some(),
            verdicts: vec![verdict],
            error: outcome.error,
            regress: None,
            stopped: outcome.stopped,
            distinct,
            estimated_distinct: distinct.unwrap_or(outcome.counters.explored),
            deadlocks: None,
            terminal_states: None,
            survey: None,
            counters: outcome.counters,
            peak_state_bytes: outcome.peak_state_bytes,
            disk_bytes: outcome.disk_bytes,
            io: outcome.io,
            state_bits: outcome.state_bits,
            state_words: outcome.state_words,
            widenings: outcome.widenings,
            graph: outcome.graph,
            course: outcome.course,
        }
    }
}

/// A path that shows why a formula is true, or false.
#[derive(Clone, Debug)]
pub struct CtlWitness<R = ReplayedTrace> {
    /// The path to its end, or to where the loop begins.
    pub stem: LoggedRun,
    /// The actions of the loop.
    pub cycle: Vec<ActionId>,
    /// What it shows of its states, level by level.
    pub levels: Vec<Level>,
    /// The run, executed: the path, and then the loop, once.
    pub run: R,
}

/// The graph that was evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSummary {
    /// Different states.
    pub nodes: u64,
    /// Steps between them.
    pub edges: u64,
    /// What it takes, and what the literature says that it takes.
    pub size: GraphSize,
    /// Parts of it that were in memory at one time.
    pub blocks: usize,
    /// How often all of it was read.
    pub passes: u64,
}

impl GraphSummary {
    fn new(recorded: &RecordedGraph, passes: u64) -> Self {
        let graph = &recorded.graph;
        let (nodes, edges, blocks) = (graph.nodes(), graph.edges(), graph.blocks());
        Self { nodes, edges, size: graph.size(recorded.truths.len()), blocks, passes }
    }
}

/// Checks a formula, in which propositions are numbers of predicates in a list.
///
/// # Panics
/// If the number of a proposition is too large for the list.
pub fn check_ctl<M: Subject>(
    subject: M,
    formula: &Ctl,
    propositions: &[M::Predicate],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<CtlOutcomeOf<M>, CheckError> {
    decide_on_graph(subject, (propositions, propositions.len()), plan, monitor, |subject, graph| {
        Question { subject, formula, propositions }.answer(graph)
    })
}

/// Explores the model, records its graph with the truth of the first so many predicates, and has something decided on it.
pub(super) fn decide_on_graph<M: Subject>(
    subject: M,
    predicates: (&[M::Predicate], usize),
    plan: &Plan,
    monitor: &mut dyn Monitor,
    decide: impl FnOnce(&M, FinishedSearch<'_>) -> Result<Answer<M>, CheckError>,
) -> Result<CtlOutcomeOf<M>, CheckError> {
    let disk = Disk::new(&plan.disk.directory, plan.disk.limit);
    let ended = searched(subject, predicates, plan, &disk, monitor)?;
    let Ended { end, subject, recorder, error, mut figures } = ended;
    let answer = match (end, &error) {
        (_, Some(_)) => Err(UnknownReason::RuntimeError),
        (SearchEnd::Complete(token), None) => {
            decide(&subject, FinishedSearch { recorder, token, plan, figures: &mut figures, monitor })?
        }
        (SearchEnd::Stopped(reason), None) => Err(UnknownReason::Stopped(reason)),
        (SearchEnd::Regress(_), None) => Err(UnknownReason::NotMonotone),
        (SearchEnd::Decided | SearchEnd::Trouble(_), None) => {
            return Err(CheckError::WrongTrace("a formula".into()));
        }
    };
    let stopped = match &answer {
        Err(UnknownReason::Stopped(reason)) => Some(reason.clone()),
        _ => None,
    };
    let (verdict, witness, graph) = match answer {
        Ok((verdict, witness, graph)) => (verdict, witness, Some(graph)),
        Err(reason) => (Verdict::Unknown(reason), None, None),
    };
    Ok(CtlOutcome {
        verdict,
        witness,
        error,
        graph,
        stopped,
        counters: figures.counters,
        peak_state_bytes: figures.peak_bytes as u64,
        disk_bytes: figures.log_bytes + disk.bytes(),
        io: disk.counts(),
        state_bits: subject.bits() as u64,
        state_words: subject.words() as u64,
        widenings: figures.widenings,
        course: figures.course,
    })
}

/// Explores the model, and records its graph on the way.
fn searched<M: Subject>(
    subject: M,
    (predicates, recorded): (&[M::Predicate], usize),
    plan: &Plan,
    disk: &Disk,
    monitor: &mut dyn Monitor,
) -> Result<Ended<M>, CheckError> {
    if predicates.len() > MAX_PREDICATES {
        return Err(CheckError::TooManyPredicates(predicates.len()));
    }
    if plan.reduction != Reduction::None {
        return Err(Unsound::ReducedCounts.into());
    }
    let order = match plan.engine {
        Engine::Depth | Engine::Partition => return Err(Unsound::GraphWithoutLayers.into()),
        Engine::Sweep | Engine::SweepDisk if subject.has_measure() => Order::Progress {
            initial: plan.initial,
            regress: plan.on_regress,
            nesting: plan.nesting,
            comparison: subject.comparison(),
            retention: Retention::Immediate,
        },
        _ => Order::Constant,
    };
    if plan.checkpoint.is_some() {
        return Err(CheckError::TemporalNotSaved);
    }
    let search = SweepSearch::new(subject.shape(), order, plan.limits);
    let mut search = search.map_err(|error| CheckError::NoMemory(LayerFull::System(error)))?;
    if plan.course {
        search = search.with_course(subject.actions());
    }
    if plan.engine != Engine::Breadth || plan.disk.breadth_goes_on {
        search = search.spill_to(plan.spilling(disk));
    }
    RecordedSearch::new(subject, (predicates, recorded), plan, search, disk).run(monitor)
}

/// What is asked, and of which model.
struct Question<'a, M: Subject> {
    subject: &'a M,
    formula: &'a Ctl,
    propositions: &'a [M::Predicate],
}

/// What a search counted.
#[derive(Default)]
pub(super) struct Figures {
    counters: Counters,
    widenings: u32,
    peak_bytes: usize,
    /// Bytes of the trace log on disk.
    log_bytes: u64,
    course: Option<Course>,
}

/// An answer, a path, and the graph; or why there is none.
pub(super) type Answer<M> = Result<
    (
        Verdict<<M as Subject>::Run, <M as Subject>::State>,
        Option<CtlWitness<<M as Subject>::Run>>,
        GraphSummary,
    ),
    UnknownReason,
>;

/// A complete search whose graph was recorded.
pub(super) struct FinishedSearch<'a> {
    recorder: GraphRecorder,
    pub(super) token: CompleteSearch,
    plan: &'a Plan,
    figures: &'a mut Figures,
    monitor: &'a mut dyn Monitor,
}

impl FinishedSearch<'_> {
    /// Numbers the graph and has it evaluated, with so many sets of nodes at a time, and paths of at most so many nodes as the evaluation is told.
    pub(super) fn evaluate<T>(
        self,
        sets: usize,
        evaluate: impl FnOnce(&mut Evaluation<'_>, &[BitVector], usize) -> io::Result<T>,
    ) -> Result<(T, GraphSummary), UnknownReason> {
        let Self { recorder, plan, figures, monitor, .. } = self;
        let mut looks = Looks { monitor, counters: figures.counters, bytes: 0, stopped: None };
        looks.monitor.phase(Phase::NumberingSteps);
        let recorded = recorder.finish(&mut || looks.go_on()).map_err(|error| looks.ended(&error))?;
        let graph = &recorded.graph;
        let sets = sets + recorded.truths.len();
        looks.bytes = graph.bytes()
            + sets.saturating_mul(graph.nodes().div_ceil(8) as usize)
            + graph.largest_block().saturating_mul(BLOCK_BYTES);
        figures.peak_bytes = figures.peak_bytes.max(looks.bytes);
        let left = plan.limits.memory.checked_sub(looks.bytes);
        let left = left.ok_or(UnknownReason::Stopped(StopReason::Memory(LayerFull::Budget)))?;
        looks.monitor.phase(Phase::ReversePass);
        let mut goes_on = || looks.go_on();
        let mut evaluation = Evaluation::new(&recorded, &mut goes_on);
        let found = evaluate(&mut evaluation, &recorded.truths, left / SEARCHED);
        let passes = evaluation.passes();
        let found = found.map_err(|error| looks.ended(&error))?;
        Ok((found, GraphSummary::new(&recorded, passes)))
    }
}

impl<M: Subject> Question<'_, M> {
    /// Evaluates the formula on the graph of a complete search.
    fn answer(&self, search: FinishedSearch<'_>) -> Result<Answer<M>, CheckError> {
        let token = search.token;
        let found = search.evaluate(sets_held(self.formula), |evaluation, _, most| {
            evaluate(evaluation, self.formula, most)
        });
        let ((holds, path), summary) = match found {
            Ok(found) => found,
            Err(reason) => return Ok(Err(reason)),
        };
        let witness = path.map(|path| test_path(self, path)).transpose()?;
        let verdict = if holds { Verdict::Holds } else { Verdict::Violated };
        Ok(Ok((verdict(Evidence::Search(token)), witness, summary)))
    }
}

/// Lets the monitor look at work on the graph.
struct Looks<'a> {
    monitor: &'a mut dyn Monitor,
    counters: Counters,
    bytes: usize,
    stopped: Option<StopReason>,
}

impl Looks<'_> {
    fn go_on(&mut self) -> bool {
        let (counters, bytes) = (self.counters, self.bytes as u64);
        self.stopped = self.monitor.look(&Snapshot { counters, bytes, ..Snapshot::default() });
        self.stopped.is_none()
    }

    /// Why the work came to no end.
    fn ended(&mut self, error: &io::Error) -> UnknownReason {
        let disk = || StopReason::Disk(error.to_string());
        UnknownReason::Stopped(self.stopped.take().unwrap_or_else(disk))
    }
}

/// Whether the formula is true in all initial nodes, and a path that shows it.
fn evaluate(
    evaluation: &mut Evaluation<'_>,
    formula: &Ctl,
    most: usize,
) -> io::Result<(bool, Option<GraphPath>)> {
    let nodes = evaluation.nodes(formula)?;
    let initial = evaluation.graph().initial();
    let wrong = initial.iter().find(|(_, node)| !nodes.get(*node));
    let shown = wrong.or(initial.first()).map(|from| path(evaluation, formula, *from, most));
    Ok((wrong.is_none(), shown.transpose()?.flatten()))
}
