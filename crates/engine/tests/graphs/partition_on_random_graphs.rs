//! Partitioned search on random graphs, with so few states in memory that partitions are split all the time: it meets what breadth-first search meets,
//! each state once, and answers every question alike. Also where layouts are widened meanwhile, and where the disk is full.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::check::{
    CheckError, DiskUse, Engine, Executable, Expanded, Fingerprint, OnRuntimeError, Outcome, Plan,
    ProgressValues, Semantics, SweepPlan, TerminalList, check_subject,
};
use engine::explore::StopReason;
use engine::explore::search::Limits;
use engine::explore::sweep::Retention;
use engine::property::soundness::Unsound;
use engine::property::{Property, PropertyKind};
use engine::verdict::replay::ReplayError;
use engine::verdict::trace_log::LoggedRun;
use engine::verdict::{Evidence, Length, Verdict};
use model::guarded_commands::ActionId;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, Expander, Expansion, TransitionSystem, Truth};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::random_graph::{Graph, GraphSubject, answer, run, sweep};

/// Graphs of 1 to 40 states.
fn graphs() -> impl Strategy<Value = Graph> {
    let shape = (1..41usize, 0..4usize, 0..4usize);
    shape.prop_flat_map(|(states, density, width)| {
        let edges = prop::collection::vec((0..states, 0..states), 0..states * (density + 1) + 1);
        let marked = prop::collection::vec(prop::bool::weighted(0.1), states);
        (edges, marked).prop_map(move |(edges, marked)| {
            let mut successors = vec![Vec::new(); states];
            edges.into_iter().for_each(|(from, to)| successors[from].push(to));
            Graph { successors, progress: vec![0; states], marked, width, ..Graph::default() }
        })
    })
}

fn partition(in_memory: usize) -> Plan {
    let disk = DiskUse { in_memory, ..DiskUse::default() };
    Plan { search: Engine::Partition.into(), disk, ..Plan::default() }
}

/// The graph with a layout that changes: generation `g` has `g + 1` words and holds states below
/// `8 << g`. The driver of the search must expand some states, as if a step were an error.
struct Widening {
    graph: Graph,
    generation: u32,
}

impl Widening {
    fn key(generation: u32) -> u64 {
        0x9E37_79B9_7F4A_7C15u64.wrapping_mul(u64::from(generation))
    }

    fn pack(generation: u32, state: usize) -> Vec<u64> {
        let word = |word| (state as u64 ^ Self::key(generation)).rotate_left(7 * word);
        (0..=generation).map(word).collect()
    }

    fn unpack(generation: u32, state: &[u64]) -> usize {
        (state[0] ^ Self::key(generation)) as usize
    }

    fn fits(&self, state: usize) -> bool {
        state < 8 << self.generation
    }
}

impl TransitionSystem for Widening {
    fn shape(&self) -> RecordShape {
        RecordShape::Fixed(self.generation as usize + 1)
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(self)
    }
}

impl Expander for &Widening {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        for (number, state) in self.shape().states(states).enumerate() {
            let state = Widening::unpack(self.generation, state);
            let successors = &self.graph.successors[state];
            if state % 5 == 4 || !successors.iter().all(|next| self.fits(*next)) {
                return Expansion { states: number, trouble: true };
            }
            for (action, next) in successors.iter().enumerate() {
                batch.push(ActionId(action as u32), &Widening::pack(self.generation, *next));
            }
            batch.end_state();
        }
        Expansion { states: self.shape().count(states), trouble: false }
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        truths.extend(self.shape().states(states).map(|state| {
            let marked = self.graph.marked[Widening::unpack(self.generation, state)];
            Truth { holds: u64::from(marked) * u64::MAX, undefined: 0 }
        }));
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        let progress = |state| Widening::unpack(self.generation, state) as u64 % 7;
        values.extend(self.shape().states(states).map(progress));
    }
}

struct WideningSubject(Widening);

impl Semantics for WideningSubject {
    type Predicate = ();
    type State = usize;
    type Run = Vec<usize>;
    type Fault = Infallible;

    fn steps(&self, state: &usize) -> Vec<(ActionId, Option<usize>)> {
        let numbered = (0..).zip(&self.0.graph.successors[*state]);
        numbered.map(|(number, next)| (ActionId(number), Some(*next))).collect()
    }

    fn holds(&self, (): &(), state: &usize) -> Result<bool, Infallible> {
        Ok(self.0.graph.marked[*state])
    }

    fn replay(&self, run: &LoggedRun) -> Result<Vec<usize>, ReplayError> {
        GraphSubject(self.0.graph.clone()).replay(run)
    }

    fn states(run: &Vec<usize>) -> Vec<&usize> {
        run.iter().collect()
    }

    fn last_state(run: &Vec<usize>) -> &usize {
        run.last().unwrap()
    }

    fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(&self.0.graph.successors);
    }

    fn identify_predicate(&self, _: &(), _: &mut Fingerprint) {}
}

impl Executable for WideningSubject {
    type System = Widening;

    fn shape(&self) -> RecordShape {
        RecordShape::Fixed(self.0.generation as usize + 1)
    }

    fn bits(&self) -> usize {
        64
    }

    fn progress(&self) -> Option<ProgressValues> {
        Some(ProgressValues::default())
    }

    fn prepare(&self, _: &[()]) -> Result<Widening, ExecutionError> {
        Ok(Widening { graph: self.0.graph.clone(), generation: self.0.generation })
    }

    fn initial(&self, batch: &mut SuccessorBatch) {
        batch.push(ActionId(0), &Widening::pack(0, 0));
    }

    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<Infallible> {
        let old = self.0.generation;
        let successors = self.0.graph.successors[Widening::unpack(old, state)].clone();
        while !successors.iter().all(|next| self.0.fits(*next)) {
            self.0.generation += 1;
        }
        let new = self.0.generation;
        if new > old {
            return Expanded::Widened(Box::new(move |state, wider| {
                *wider = Widening::pack(new, Widening::unpack(old, state));
            }));
        }
        for (action, next) in successors.iter().enumerate() {
            batch.push(ActionId(action as u32), &Widening::pack(new, *next));
        }
        Expanded::Successors(None)
    }

    fn decode(&self, state: &[u64]) -> usize {
        Widening::unpack(self.0.generation, state)
    }
}

fn run_widening(
    graph: &Graph,
    properties: &[Property<()>],
    plan: &Plan,
) -> Outcome<Vec<usize>, usize, Infallible> {
    let subject = WideningSubject(Widening { graph: graph.clone(), generation: 0 });
    check_subject(subject, properties, plan, &mut ()).unwrap()
}

fn questions() -> Vec<PropertyKind<()>> {
    vec![PropertyKind::Reachable(()), PropertyKind::Invariant(()), PropertyKind::DeadlockFree]
}

type Found = Outcome<Vec<usize>, usize, Infallible>;

/// Everything that must be the same whatever the order of the search.
fn agrees(graph: &Graph, found: &Found, expected: &Found) -> Result<(), TestCaseError> {
    prop_assert!(found.complete, "{:?}", found.stopped);
    let counts = |one: &Found| {
        let counters = one.figures.counters;
        (
            counters.explored,
            counters.transitions,
            counters.deadlocks,
            one.figures.distinct,
            one.figures.deadlocks,
        )
    };
    prop_assert_eq!(counts(found), counts(expected));
    let terminal = |one: &Found| {
        let listed = one.terminal_states.as_ref().unwrap();
        (listed.len(), listed.iter().copied().collect::<BTreeSet<_>>())
    };
    prop_assert_eq!(terminal(found), terminal(expected));
    for (one, other) in found.verdicts.iter().zip(&expected.verdicts) {
        prop_assert_eq!(answer(one).0, answer(other).0);
        let evidence = match one {
            Verdict::Holds(evidence) | Verdict::Violated(evidence) => evidence,
            Verdict::Unknown(_) => return Err(TestCaseError::fail("an answer is missing")),
        };
        if let Evidence::Trace(path, length) = evidence {
            prop_assert_eq!(*length, Length::AsFound);
            prop_assert!(path[0] == 0);
            prop_assert!(path.windows(2).all(|step| graph.successors[step[0]].contains(&step[1])));
        }
    }
    Ok(())
}

#[test]
fn every_state_is_met_once_and_every_question_answered() {
    let splits = AtomicU64::new(0);
    let config = ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() };
    let cases = (graphs(), 1..9usize, any::<bool>());
    let compare = |(graph, in_memory, asked): (Graph, usize, bool)| {
        let properties = || if asked { questions() } else { vec![] };
        let all = |plan| Plan { explore_all: true, terminal_states: TerminalList::Listed, ..plan };
        let expected = run(&graph, properties(), &all(Plan::default()));
        graph.expanded.lock().unwrap().clear();
        let found = run(&graph, properties(), &all(partition(in_memory)));
        splits.fetch_add(found.figures.counters.spilled.current, Ordering::Relaxed);
        agrees(&graph, &found, &expected)?;
        let mut expanded = graph.expanded.lock().unwrap().clone();
        expanded.sort_unstable();
        prop_assert_eq!(expanded, graph.reachable(0).into_iter().collect::<Vec<_>>());
        prop_assert!(found.figures.counters.spilled.current == 0 || found.figures.counters.layers > 1);
        Ok(())
    };
    TestRunner::new(config).run(&cases, compare).unwrap();
    assert!(splits.load(Ordering::Relaxed) > 1_500, "partitions are split");
}

#[test]
fn wider_layouts_and_trouble_change_nothing() {
    let [splits, widenings] = [AtomicU64::new(0), AtomicU64::new(0)];
    let config = ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() };
    let compare = |(graph, in_memory, asked): (Graph, usize, bool)| {
        let kinds = if asked { questions() } else { vec![] };
        let properties: Vec<_> = kinds.into_iter().map(|kind| Property::new("asked", kind)).collect();
        let all = |plan| Plan { explore_all: true, terminal_states: TerminalList::Listed, ..plan };
        let expected = run_widening(&graph, &properties, &all(Plan::default()));
        let found = run_widening(&graph, &properties, &all(partition(in_memory)));
        splits.fetch_add(found.figures.counters.spilled.current, Ordering::Relaxed);
        widenings.fetch_add(u64::from(found.figures.widenings), Ordering::Relaxed);
        agrees(&graph, &found, &expected)?;
        // A sweep that remembers everything behind its front gives that the new layout, too.
        let retention = Retention::Window { bit: 0, reach: 1 << 40 };
        let swept = run_widening(
            &graph,
            &properties,
            &all(Plan { search: SweepPlan { retention, ..SweepPlan::default() }.into(), ..sweep() }),
        );
        agrees(&graph, &swept, &expected)
    };
    let cases = (graphs(), prop_oneof![1..9usize, Just(usize::MAX)], any::<bool>());
    TestRunner::new(config).run(&cases, compare).unwrap();
    assert!(splits.load(Ordering::Relaxed) > 1_000, "partitions are split");
    assert!(widenings.load(Ordering::Relaxed) > 500, "layouts are widened");
}

/// More than a batch and a block hold, mostly on disk.
fn large() -> Graph {
    let states = 60_000;
    Graph {
        successors: (0..states)
            .map(|i| vec![(i * 2 + 1) % states, (i * 2 + 2) % states, (i + 17) % states, i - i % 5])
            .collect(),
        progress: vec![0; states],
        marked: vec![false; states],
        width: 2,
        ..Graph::default()
    }
}

#[test]
fn large_graphs_are_met_completely() {
    let (graph, memory) = (large(), 1 << 20);
    let expected = run(&graph, vec![PropertyKind::DeadlockFree], &Plan::default());
    let limits = Limits { memory, ..Limits::default() };
    let small = Plan { limits, ..partition(usize::MAX) };
    for plan in [partition(3_000), small.clone()] {
        let outcome = run(&graph, vec![PropertyKind::DeadlockFree], &plan);
        assert!(
            outcome.complete
                && outcome.figures.counters.spilled.current > 0
                && outcome.figures.io.total().written > 0,
            "{outcome:?}"
        );
        assert_eq!(outcome.figures.distinct, expected.figures.distinct);
        assert_eq!(outcome.figures.counters.transitions, expected.figures.counters.transitions);
    }
    let alone = run(&graph, vec![], &Plan { on_runtime_error: OnRuntimeError::GoOn, ..small });
    assert!(
        alone.complete && alone.figures.peak_state_bytes <= memory as u64,
        "{} bytes",
        alone.figures.peak_state_bytes
    );
    let roomy = run(&graph, vec![], &partition(usize::MAX));
    assert_eq!(
        (
            roomy.figures.counters.spilled.current,
            roomy.figures.counters.layers,
            roomy.figures.io.total().written
        ),
        (0, 1, 0)
    );
}

#[test]
fn a_full_disk_ends_in_unknown() {
    let graph = large();
    for limit in [0, 1_000, 100_000] {
        let disk = DiskUse { limit, ..partition(3_000).disk };
        let outcome = run(&graph, questions(), &Plan { disk, ..partition(3_000) });
        assert!(matches!(outcome.stopped, Some(StopReason::Disk(_))), "{limit}: {:?}", outcome.stopped);
        // That some state is not marked is seen at once.
        assert!(!outcome.complete && matches!(outcome.verdicts[0], Verdict::Unknown(_)));
        assert!(matches!(outcome.verdicts[2], Verdict::Unknown(_)));
    }
}

/// Widening rewrites what is on disk: where there is no room for it, the search ends without an answer.
#[test]
fn a_disk_that_is_full_when_layouts_widen_ends_in_unknown() {
    let graph = large();
    let properties = [Property::new("asked", PropertyKind::DeadlockFree)];
    let ask = |limit| {
        let disk = DiskUse { limit, ..partition(3_000).disk };
        run_widening(&graph, &properties, &Plan { disk, ..partition(3_000) })
    };
    let outcome = ask(u64::MAX);
    assert!(outcome.complete && outcome.figures.widenings > 3);
    assert_eq!(outcome.figures.distinct, Some(60_000));
    for part in 1..8 {
        let outcome = ask(outcome.figures.disk_bytes / 8 * part);
        assert!(matches!(outcome.stopped, Some(StopReason::Disk(_))), "{:?}", outcome.stopped);
        assert!(!outcome.complete && matches!(outcome.verdicts[0], Verdict::Unknown(_)));
    }
}

#[test]
fn hardly_any_memory_is_a_limit_like_any_other() {
    let graph = large();
    for memory in [1, 4 << 10, 64 << 10] {
        let limits = Limits { memory, ..Limits::default() };
        let outcome =
            run(&graph, vec![PropertyKind::DeadlockFree], &Plan { limits, ..partition(usize::MAX) });
        assert!(matches!(outcome.stopped, Some(StopReason::Memory(_))), "{:?}", outcome.stopped);
        assert!(!outcome.complete && matches!(outcome.verdicts[0], Verdict::Unknown(_)));
    }
}

#[test]
fn components_are_refused() {
    let properties = [Property::new("home", PropertyKind::AlwaysPossible(()))];
    let refused = check_subject(GraphSubject(large()), &properties, &partition(1), &mut ());
    assert!(matches!(refused, Err(CheckError::Unsound(Unsound::ComponentsByPartition(_)))));
}
