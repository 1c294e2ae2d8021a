//! Several threads on random graphs: everything that a search reports is what one thread reports, for every number of
//! threads and every size of a chunk.

use std::num::NonZero;

use engine::check::{DiskUse, Engine, Plan, SweepPlan, TerminalList};
use engine::explore::search::Limits;
use engine::explore::sweep::{Nesting, Retention, Threads};
use engine::property::PropertyKind;
use engine::verdict::{Evidence, Verdict};
use proptest::prelude::*;

use crate::random_graph::{Graph, GraphOutcome, run, sweep};
use crate::sweep_reference::graphs;

/// So many threads, which share whatever there is. Some claim few states, so that their owner inserts the others.
pub fn threads(number: usize, chunk: usize) -> Threads {
    let most_claims = [1, 3, 1 << 10][(number + chunk) % 3];
    let number = NonZero::new(number).unwrap();
    let all = Threads::new(number);
    Threads { shared_from: 1, least_chunk: 1, most_chunk: chunk, merged_from: 0, most_claims, ..all }
}

/// Verdicts with their runs.
fn shown(outcome: &GraphOutcome) -> Vec<(bool, Option<Vec<usize>>)> {
    let shown = outcome.verdicts.iter().map(|verdict| match verdict {
        Verdict::Holds(Evidence::Trace(run, _)) => (true, Some(run.clone())),
        Verdict::Violated(Evidence::Trace(run, _)) => (false, Some(run.clone())),
        Verdict::Holds(_) => (true, None),
        Verdict::Violated(_) => (false, None),
        Verdict::Unknown(reason) => panic!("{reason}"),
    });
    shown.collect()
}

/// The plans that threads apply to.
fn plans(in_memory: usize) -> Vec<Plan> {
    let with = |sweep: SweepPlan| Plan { search: sweep.into(), ..Plan::default() };
    vec![
        Plan::default(),
        sweep(),
        with(SweepPlan { nesting: Nesting { parts: 0b10, monotone: None }, ..SweepPlan::default() }),
        with(SweepPlan { retention: Retention::Window { bit: 0, reach: 2 }, ..SweepPlan::default() }),
        Plan { disk: DiskUse { in_memory, ..DiskUse::default() }, ..sweep() },
        Plan {
            search: Engine::BreadthDisk.into(),
            disk: DiskUse { in_memory, ..DiskUse::default() },
            ..Plan::default()
        },
    ]
}

fn kinds() -> Vec<PropertyKind<()>> {
    vec![PropertyKind::Reachable(()), PropertyKind::Invariant(()), PropertyKind::DeadlockFree]
}

/// What must not depend on threads. How many duplicates wait ahead does, and with it the peak.
fn agree(one: &GraphOutcome, several: &GraphOutcome, what: &str) {
    if several.figures.counters.merged_bits > 0 {
        return agree_in_answers(one, several, what);
    }
    let mut counters = several.figures.counters;
    (counters.peak, counters.spilled) = (one.figures.counters.peak, one.figures.counters.spilled);
    assert_eq!(counters, one.figures.counters, "{what}");
    assert_eq!(several.figures.distinct, one.figures.distinct, "{what}");
    assert_eq!(several.figures.deadlocks, one.figures.deadlocks, "{what}");
    assert_eq!(several.terminal_states, one.terminal_states, "{what}");
    assert_eq!((several.complete, &several.stopped), (one.complete, &one.stopped), "{what}");
    assert_eq!(shown(several), shown(one), "{what}");
}

/// What must not depend on threads, even if they follow a merged measure, or spill at other moments.
fn agree_in_answers(one: &GraphOutcome, several: &GraphOutcome, what: &str) {
    let sorted = |outcome: &GraphOutcome| {
        let mut listed = outcome.terminal_states.clone();
        listed.iter_mut().for_each(|states| states.sort_unstable());
        listed
    };
    let holds = |outcome: &GraphOutcome| shown(outcome).into_iter().map(|one| one.0).collect::<Vec<_>>();
    assert_eq!(several.complete, one.complete, "{what}");
    if one.complete {
        assert_eq!(sorted(several), sorted(one), "{what}");
        assert_eq!(several.figures.deadlocks, one.figures.deadlocks, "{what}");
    }
    assert_eq!((several.complete, &several.stopped), (one.complete, &one.stopped), "{what}");
    assert_eq!(holds(several), holds(one), "{what}");
    if let (Some(one), Some(several)) = (one.figures.distinct, several.figures.distinct) {
        assert_eq!(several, one, "{what}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn several_threads_report_what_one_thread_reports(
        graph in graphs(), number in 2..9usize, chunk in 1..7usize, in_memory in 0..9usize, all: bool,
    ) {
        for plan in plans(in_memory) {
            let plan = Plan { explore_all: all, terminal_states: TerminalList::Listed, ..plan };
            let one = run(&graph, kinds(), &plan);
            let several = run(&graph, kinds(), &Plan { threads: threads(number, chunk), ..plan.clone() });
            let what = format!("{number} threads, chunks of {chunk}, {plan:?}");
            if plan.disk.in_memory < usize::MAX {
                // What spills when depends on the sizes of batches, and with it the order of states.
                agree_in_answers(&one, &several, &what);
            } else if all {
                agree(&one, &several, &what);
            } else {
                // A search that ends early has counted the batch in which it ended.
                assert_eq!(shown(&several), shown(&one), "{what}");
            }
        }
    }

    /// Which steps are sampled depends on the sizes of batches, and with it how states are split into partitions.
    #[test]
    fn partitions_by_several_threads_count_and_answer_alike(
        graph in graphs(), number in 2..9usize, chunk in 1..7usize, in_memory in 0..9usize,
    ) {
        let disk = DiskUse { in_memory, ..DiskUse::default() };
        let plan = Plan { search: Engine::Partition.into(), disk, explore_all: true, ..Plan::default() };
        let one = run(&graph, kinds(), &plan);
        let several = run(&graph, kinds(), &Plan { threads: threads(number, chunk), ..plan });
        prop_assert_eq!(several.figures.distinct, one.figures.distinct);
        prop_assert_eq!(several.figures.counters.transitions, one.figures.counters.transitions);
        agree_in_answers(&one, &several, "partitions");
    }

    /// Properties that need all steps and whole layers.
    #[test]
    fn components_and_steps_are_those_of_one_thread(graph in graphs(), number in 2..5usize, chunk in 1..7usize) {
        let kinds = || vec![PropertyKind::AlwaysPossible(()), PropertyKind::PossiblyForEver(())];
        let answers = |plan: &Plan| {
            let outcome = run(&graph, kinds(), plan);
            let holds = outcome.verdicts.iter().map(|verdict| matches!(verdict, Verdict::Holds(_)));
            (holds.collect::<Vec<_>>(), outcome.figures.counters)
        };
        let several = Plan { threads: threads(number, chunk), ..Plan::default() };
        prop_assert_eq!(answers(&Plan::default()), answers(&several));
    }
}

/// Layers and levels of thousands of states, an index that grows while others look states up in it, tight memory.
#[test]
fn large_graphs_are_the_same_for_every_number_of_threads() {
    for (states, layer, back, width) in
        [(200_000, 60_000, 7_919, 1), (60_000, 900, 101, 2), (60_000, 3_000, 3, 2), (40_000, 3_000, 101, 0)]
    {
        let graph = Graph::large(states, layer, back, width);
        let breadth = Plan::default();
        let tight = Plan { limits: Limits { memory: 3 << 20, ..Limits::default() }, ..sweep() };
        for plan in [breadth, sweep(), tight] {
            let plan = Plan { explore_all: true, terminal_states: TerminalList::Listed, ..plan };
            let one = run(&graph, kinds(), &plan);
            for number in [2, 3, 8] {
                let number = NonZero::new(number).unwrap();
                let several = run(&graph, kinds(), &Plan { threads: Threads::new(number), ..plan.clone() });
                let what = format!("{states} states, {number} threads, {plan:?}");
                match plan.limits.memory {
                    usize::MAX => agree(&one, &several, &what),
                    _ => agree_in_answers(&one, &several, &what),
                }
            }
        }
    }
}

/// Small layers are merged, and nothing is lost.
#[test]
fn merged_layers_are_met_completely() {
    let states = 60_000;
    for back in [usize::MAX, 5_003] {
        let graph = Graph {
            successors: (0..states)
                .map(|i| {
                    let falls = if i % back == back - 1 { i / 2 } else { i + 1 };
                    vec![(i + 1).min(states - 1), (i + 40).min(states - 1), falls.min(states - 1)]
                })
                .collect(),
            progress: (0..states).map(|i| (i / 20) as u64).collect(),
            marked: (0..states).map(|i| i == states - 7).collect(),
            width: 1,
            ..Graph::default()
        };
        let plan = Plan { explore_all: true, terminal_states: TerminalList::Listed, ..sweep() };
        let one = run(&graph, kinds(), &plan);
        for number in [2, 5] {
            let several = run(&graph, kinds(), &Plan { threads: threads(number, 64), ..plan.clone() });
            assert!(several.figures.counters.merged_bits > 0, "layers of twenty states are merged");
            assert!(several.figures.counters.layers < one.figures.counters.layers / 2);
            agree_in_answers(&one, &several, &format!("{number} threads"));
            if back == usize::MAX {
                assert_eq!(several.figures.distinct, Some(states as u64));
            }
        }
    }
}

/// A search that stops at a limit stops with several threads, too, and says the same.
#[test]
fn limits_stop_several_threads() {
    let states = 100_000;
    let graph = Graph {
        successors: (0..states).map(|i| vec![(i * 2 + 1) % states, (i * 2 + 2) % states]).collect(),
        progress: vec![0; states],
        marked: vec![false; states],
        width: 1,
        ..Graph::default()
    };
    let limits = Limits { states: 20_000, ..Limits::default() };
    let plan = Plan { limits, threads: Threads::new(NonZero::new(3).unwrap()), ..Plan::default() };
    let outcome = run(&graph, vec![PropertyKind::Reachable(())], &plan);
    assert!(!outcome.complete && matches!(outcome.verdicts[0], Verdict::Unknown(_)));
    let stored = outcome.figures.distinct.unwrap();
    assert!((20_000..21_000).contains(&stored), "{stored}");
}
