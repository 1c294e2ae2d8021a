//! Formulas of computation tree logic (CTL): a search by layers records the graph, and the formula
//! is evaluated on it.
//!
//! The search forgets states as usual. Only the [compact graph](crate::store::compact_graph) is
//! kept, and the formula is [evaluated](crate::property::ctl::evaluation) for all its nodes. The
//! formula holds if it is true in every initial state. A verdict needs the whole graph, so only a
//! complete search gives one. If a path can show the result, a
//! [path](crate::property::ctl::witness) is found in the graph. The model replays it and
//! [tests](shown_path) it before it is shown.
//!
//! Memory: one bit for each state and each proposition while the search runs. Afterwards, one bit
//! for each state and each different subformula. All else may be on disk.

mod graph_alone;
mod shown_path;

use std::io;

use super::any_search::AnySearch;
use super::executable::Executable;
use super::observers::Observers;
use super::run::Run;
use super::semantics::Semantics;
use super::{CheckError, Figures, Outcome, OutcomeOf, Plan, Reduction};
use crate::explore::sweep::Retention;
use crate::explore::{CompleteSearch, Counters, Monitor, Phase, SearchEnd, Snapshot, StopReason};
use crate::property::ctl::evaluation::{BLOCK_BYTES, Evaluation, sets_held};
use crate::property::ctl::graph_recorder::GraphRecorder;
use crate::property::ctl::witness::{GraphPath, Level, path};
use crate::property::soundness::{SearchKind, Unsound};
use crate::store::bit_vector::BitVector;
use crate::store::compact_graph::recording::GraphMemory;
use crate::store::compact_graph::{GraphSize, RecordedGraph};
use crate::store::layer::LayerFull;
use crate::store::memory::Budget;
use crate::verdict::trace_log::LoggedRun;
use crate::verdict::{Evidence, Length, UnknownReason, Verdict};
use logic::ctl::Ctl;
use model::guarded_commands::ActionId;
use model::transition_system::MAX_PREDICATES;

use shown_path::test_path;

pub use graph_alone::record_graph;

/// Approximate bytes per node in the search for a path.
const SEARCHED: usize = 64;

/// A path that shows why a formula is true, or false. The verdict contains the run.
#[derive(Clone, Debug)]
pub struct CtlWitness {
    /// The path to its end, or to the state where the loop begins.
    pub stem: LoggedRun,
    /// The actions of the loop.
    pub cycle: Vec<ActionId>,
    /// The claims of the path about its states, level by level.
    pub levels: Vec<Level>,
}

/// Size of the graph that was evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSummary {
    /// Number of nodes, that is, of different states.
    pub nodes: u64,
    /// Number of edges, that is, of steps between states.
    pub edges: u64,
    /// Size of the graph, and its size by the formula of the literature.
    pub size: GraphSize,
    /// Number of blocks into which the graph is divided; one block at a time is in memory.
    pub blocks: usize,
    /// Number of passes over the whole graph.
    pub passes: u64,
}

impl GraphSummary {
    fn new(recorded: &RecordedGraph, passes: u64) -> Self {
        let graph = &recorded.graph;
        let (nodes, edges, blocks) = (graph.nodes(), graph.edges(), graph.blocks());
        Self { nodes, edges, size: graph.size(recorded.truths.len()), blocks, passes }
    }
}

/// Checks a CTL formula, in which a proposition is an index into a list of predicates. Where a path
/// can show the result, the outcome contains it as the evidence of the verdict.
///
/// # Errors
/// The errors of [`check`](super::check()).
///
/// # Panics
/// If the number of a proposition is too large for the list.
pub fn check_ctl<M: Executable>(
    subject: M,
    formula: &Ctl,
    propositions: &[M::Predicate],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<(OutcomeOf<M>, Option<CtlWitness>), CheckError> {
    let mut witness = None;
    let asked = (propositions, propositions.len());
    let outcome = decide_on_graph(subject, asked, plan, monitor, |subject, graph| {
        Question { subject, formula, propositions }.answer(graph, &mut witness)
    })?;
    Ok((outcome, witness))
}

/// A verdict and the graph that it rests on, or the reason why there is no verdict.
pub(super) type Answer<M> =
    Result<(Verdict<<M as Semantics>::Run, <M as Semantics>::State>, GraphSummary), UnknownReason>;

/// Explores the model and records its graph, with the truth of the first predicates, as many as
/// given. Then calls a function that decides on the graph.
pub(super) fn decide_on_graph<M: Executable>(
    subject: M,
    predicates: (&[M::Predicate], usize),
    plan: &Plan,
    monitor: &mut dyn Monitor,
    decide: impl FnOnce(&M, FinishedSearch<'_>) -> Result<Answer<M>, CheckError>,
) -> Result<OutcomeOf<M>, CheckError> {
    let (mut run, end, recorder) = record(subject, predicates, plan, monitor)?;
    let mut graph_bytes = 0;
    let answer = match (&end, &run.error) {
        (_, Some(_)) => Err(UnknownReason::RuntimeError),
        (SearchEnd::Complete(token), None) => {
            let (token, counters) = (*token, run.search.figures().counters);
            let peak_bytes = &mut graph_bytes;
            decide(&run.subject, FinishedSearch { recorder, token, plan, counters, peak_bytes, monitor })?
        }
        (SearchEnd::Stopped(reason), None) => Err(UnknownReason::Stopped(reason.clone())),
        (SearchEnd::Regress(_), None) => Err(UnknownReason::NotMonotone),
        (SearchEnd::Decided | SearchEnd::Trouble(_), None) => {
            return Err(CheckError::WrongTrace("a formula".into()));
        }
    };
    run.note_peak(graph_bytes);
    let stopped = match &answer {
        Err(UnknownReason::Stopped(reason)) => Some(reason.clone()),
        _ => None,
    };
    let (verdict, graph) = match answer {
        Ok((verdict, graph)) => (verdict, Some(graph)),
        Err(reason) => (Verdict::Unknown(reason), None),
    };
    Ok(Outcome { stopped, ..with_graph(run.outcome(end, None, vec![verdict]), graph) })
}

/// Adds the recorded graph, if any, to the outcome of its search: every state is a node.
fn with_graph<R, T, F>(outcome: Outcome<R, T, F>, graph: Option<GraphSummary>) -> Outcome<R, T, F> {
    let counters = &outcome.figures.counters;
    let nodes = graph.map(|graph| graph.nodes);
    // Where no state was expanded twice, no intermediate one was.
    let is_exact = |nodes: &u64| counters.intermediate == 0 || counters.explored == *nodes;
    let figures = Figures {
        distinct: nodes.filter(is_exact).map(|nodes| nodes - counters.intermediate),
        estimated_distinct: counters.model_share(nodes.unwrap_or(counters.explored)),
        deadlocks: None,
        ..outcome.figures
    };
    Outcome { complete: nodes.is_some(), figures, graph, ..outcome }
}

fn graph_memory(plan: &Plan, width: usize) -> GraphMemory {
    let (few, budget) = (plan.disk.in_memory, Budget::new(plan.limits.memory));
    GraphMemory {
        sorted: budget.for_graph_sort().min(few.saturating_mul(8 * (width + 2))),
        block: (budget.for_graph_block() / BLOCK_BYTES).min(few),
    }
}

/// Explores the model, and records its graph at the same time.
fn record<'a, M: Executable>(
    subject: M,
    (predicates, recorded): (&[M::Predicate], usize),
    plan: &'a Plan,
    monitor: &mut dyn Monitor,
) -> Result<(Run<'a, M>, SearchEnd, GraphRecorder), CheckError> {
    let evaluated = predicates.len() + subject.own_predicates();
    if evaluated > MAX_PREDICATES {
        return Err(CheckError::TooManyPredicates(evaluated));
    }
    if plan.reduction != Reduction::None {
        return Err(Unsound::ReducedCounts.into());
    }
    let search = plan.search.changed(|sweep| sweep.retention = Retention::Immediate);
    let kind = search.kind(&subject);
    if !matches!(kind, SearchKind::Layers(_)) {
        return Err(Unsound::GraphWithoutLayers.into());
    }
    if plan.checkpoint.is_some() {
        return Err(CheckError::TemporalNotSaved);
    }
    let disk = plan.disk.disk();
    let search = AnySearch::new(kind, plan, &subject, &disk)?;
    let memory = graph_memory(plan, subject.words());
    let observers = Observers {
        // For traces to run-time errors.
        log: Some(plan.disk.trace_log()),
        graph: Some(GraphRecorder::new(&disk, subject.shape(), recorded, memory)),
        ..Observers::default()
    };
    let predicates = predicates.iter().cloned().enumerate();
    let mut run = Run::new(subject, predicates, plan, (search, disk), observers);
    let end = run.search(None, None, monitor)?;
    run.note_peak(run.peak_bytes());
    let recorder = run.observers.graph.take().expect("the observers of this run record the graph");
    Ok((run, end, recorder))
}

/// A formula, and the model on which it is checked.
struct Question<'a, M: Executable> {
    subject: &'a M,
    formula: &'a Ctl,
    propositions: &'a [M::Predicate],
}

/// A complete search whose graph was recorded.
pub(super) struct FinishedSearch<'a> {
    recorder: GraphRecorder,
    pub(super) token: CompleteSearch,
    plan: &'a Plan,
    counters: Counters,
    /// Peak bytes of the graph and its evaluation, for the outcome.
    peak_bytes: &'a mut usize,
    monitor: &'a mut dyn Monitor,
}

impl FinishedSearch<'_> {
    /// Numbers the graph and evaluates it, with at most `sets` sets of nodes at a time. The
    /// evaluation receives the greatest number of nodes that a search for a path may hold.
    pub(super) fn evaluate<T>(
        self,
        sets: usize,
        evaluate: impl FnOnce(&mut Evaluation<'_>, &[BitVector], usize) -> io::Result<T>,
    ) -> Result<(T, GraphSummary), UnknownReason> {
        let Self { recorder, plan, counters, peak_bytes, monitor, .. } = self;
        let mut looks = Looks { monitor, counters, bytes: 0, stopped: None };
        looks.monitor.phase(Phase::NumberingSteps);
        let recorded = recorder.finish(&mut || looks.go_on()).map_err(|error| looks.ended(&error))?;
        let graph = &recorded.graph;
        let sets = sets + recorded.truths.len();
        looks.bytes = graph.bytes()
            + sets.saturating_mul(graph.nodes().div_ceil(8) as usize)
            + graph.largest_block().saturating_mul(BLOCK_BYTES);
        *peak_bytes = looks.bytes;
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

impl<M: Executable> Question<'_, M> {
    /// Evaluates the formula on the graph of a complete search.
    fn answer(
        &self,
        search: FinishedSearch<'_>,
        witness: &mut Option<CtlWitness>,
    ) -> Result<Answer<M>, CheckError> {
        let token = search.token;
        let found = search.evaluate(sets_held(self.formula), |evaluation, _, most| {
            evaluate(evaluation, self.formula, most)
        });
        let ((holds, path), summary) = match found {
            Ok(found) => found,
            Err(reason) => return Ok(Err(reason)),
        };
        let evidence = match path {
            None => Evidence::Search(token),
            Some(path) => {
                let (shown, run) = test_path(self, path)?;
                let loop_begins = shown.stem.actions.len();
                let is_finite = shown.cycle.is_empty();
                *witness = Some(shown);
                match is_finite {
                    true => Evidence::Trace(run, Length::AsFound),
                    false => Evidence::Lasso(run, loop_begins),
                }
            }
        };
        let verdict = if holds { Verdict::Holds } else { Verdict::Violated };
        Ok(Ok((verdict(evidence), summary)))
    }
}

/// Calls the monitor during work on the graph.
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

    /// The reason why the work did not finish.
    fn ended(&mut self, error: &io::Error) -> UnknownReason {
        let disk = || StopReason::Disk(error.to_string());
        UnknownReason::Stopped(self.stopped.take().unwrap_or_else(disk))
    }
}

/// Whether the formula is true in all initial nodes, with a path that shows the result.
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
