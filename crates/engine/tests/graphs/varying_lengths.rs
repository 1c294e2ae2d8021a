//! States of varying length, a few of them very long, through every search: all meet the same states, with little memory, too.

use engine::check::{DiskUse, Engine, Plan, SweepPlan, TerminalList};
use engine::explore::search::Limits;
use engine::explore::sweep::Retention;
use engine::property::PropertyKind;

use crate::random_graph::{Graph, GraphOutcome, answer, run};

/// States of one to five words, some of forty, and two of five thousand.
fn graph() -> Graph {
    let states = 100_000;
    Graph {
        successors: (0..states)
            .map(|i| match i % 997 {
                996 => Vec::new(),
                _ => vec![(i * 2 + 1) % states, (i + 17) % states, i - i % 5, (i + 5_000) % states],
            })
            .collect(),
        progress: (0..states).map(|i| (i / 5_000) as u64 ^ u64::from(i % 101 == 0)).collect(),
        marked: (0..states).map(|i| i == states - 7).collect(),
        width: 0,
        ..Graph::default()
    }
}

/// Bytes of all states, without an index.
fn bytes(graph: &Graph) -> usize {
    (0..graph.successors.len()).map(|state| graph.pack(state).len() * 8).sum()
}

#[test]
fn every_search_meets_the_same_states_of_varying_length() {
    let graph = graph();
    let kinds = || vec![PropertyKind::Reachable(()), PropertyKind::DeadlockFree];
    let whole = Plan { explore_all: true, terminal_states: TerminalList::Listed, ..Plan::default() };
    let expected = run(&graph, kinds(), &whole);
    let reachable = graph.reachable(0);
    assert_eq!(expected.figures.distinct, Some(reachable.len() as u64));
    // Half of what the states take, without any index. All searches also end with 7/16. With 6/16,
    // sweeps and the partitioned search stop: buffers of a fixed size take much of so little memory.
    let small = bytes(&graph) / 2;
    assert!(small > 2_000_000, "{small}");
    let disk = |in_memory| DiskUse { in_memory, ..DiskUse::default() };
    let limits = |memory| Limits { memory, ..Limits::default() };
    let with = |engine: Engine| Plan { search: engine.into(), ..whole.clone() };
    let plans = [
        with(Engine::Depth),
        with(Engine::Sweep),
        Plan {
            search: SweepPlan { retention: Retention::Window { bit: 0, reach: 2 }, ..SweepPlan::default() }
                .into(),
            ..with(Engine::Sweep)
        },
        with(Engine::SweepDisk),
        with(Engine::BreadthDisk),
        with(Engine::Partition),
        // With less memory than the states take.
        Plan { limits: limits(small), ..with(Engine::Sweep) },
        Plan { limits: limits(small), ..with(Engine::SweepDisk) },
        Plan { limits: limits(small), ..with(Engine::BreadthDisk) },
        Plan { limits: limits(small), ..with(Engine::Partition) },
        Plan { disk: disk(1_000), ..with(Engine::Sweep) },
        Plan { disk: disk(1_000), ..with(Engine::BreadthDisk) },
        Plan { disk: disk(1_000), ..with(Engine::Partition) },
    ];
    for plan in &plans {
        let found = run(&graph, kinds(), plan);
        assert!(found.complete, "{:?} of {plan:?}", found.stopped);
        assert!(found.figures.distinct.is_none_or(|distinct| distinct == reachable.len() as u64), "{plan:?}");
        assert_eq!(found.figures.deadlocks, expected.figures.deadlocks, "{plan:?}");
        let terminal = |mut states: Vec<usize>| {
            states.sort_unstable();
            states
        };
        let listed = |one: &GraphOutcome| terminal(one.terminal_states.clone().unwrap());
        assert_eq!(listed(&found), listed(&expected), "{plan:?}");
        for (one, other) in found.verdicts.iter().zip(&expected.verdicts) {
            assert_eq!(answer(one).0, answer(other).0, "{plan:?}");
        }
    }
    let found = run(&graph, vec![], &Plan { limits: limits(small), ..with(Engine::Partition) });
    assert!(found.figures.counters.spilled.current > 0, "a partition is split");
}
