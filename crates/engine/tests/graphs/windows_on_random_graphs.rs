//! Sweeps that remember what is behind their front, on random graphs and on those that they are made for.

use engine::check::{DiskUse, Plan, SweepPlan};
use engine::explore::search::Limits;
use engine::explore::sweep::{Initial, Retention};
use engine::property::PropertyKind;
use proptest::prelude::*;

use crate::random_graph::{Graph, run, sweep};
use crate::sweep_reference::{agrees_with_full_exploration, graphs, reference_with_window};

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is behind the front and remembered is expanded once, and counts.
    #[test]
    fn a_window_is_that_of_the_algorithm(graph in graphs(), reach in 0..9u64, pinned: bool) {
        let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
        let retention = Retention::Window { bit: 0, reach };
        let outcome = run(&graph, vec![], &Plan { search: SweepPlan { initial, retention, ..SweepPlan::default() }.into(), ..sweep() });
        let expected = reference_with_window(&graph, initial, reach);
        let (counters, states) = (outcome.figures.counters, graph.reachable(0).len() as u64);
        prop_assert!(outcome.complete);
        prop_assert_eq!(expected.met.len() as u64, states);
        prop_assert_eq!(counters.explored, expected.explored);
        prop_assert_eq!(counters.sweeps, expected.sweeps);
        prop_assert_eq!(counters.persistent, expected.persistent);
        prop_assert_eq!(counters.peak.total(), expected.peak);
        if reach == 8 {
            // Wider than all values: full exploration.
            prop_assert_eq!((counters.explored, counters.sweeps, outcome.figures.distinct), (states, 1, Some(states)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sweeps_with_a_window_meet_everything(
        graph in graphs(), reach in 0..6u64, bit in 0..3u32, revisits in 0.5..4.0, in_memory in 0..30usize, forgets: bool,
    ) {
        let retention = Retention::Window { bit, reach };
        let limits = Limits { revisits, ..Limits::default() };
        let disk = DiskUse { in_memory, ..DiskUse::default() };
        let initial = if forgets { Initial::Forgotten } else { Initial::Pinned };
        agrees_with_full_exploration(&graph, &Plan { search: SweepPlan { retention, initial, ..SweepPlan::default() }.into(), ..sweep() })?;
        agrees_with_full_exploration(&graph, &Plan { search: SweepPlan { retention, initial, ..SweepPlan::default() }.into(), limits, ..sweep() })?;
        agrees_with_full_exploration(&graph, &Plan { search: SweepPlan { retention, initial, ..SweepPlan::default() }.into(), disk, ..sweep() })?;
    }
}

/// A grid of rings: each step goes on in one of them, and falls by so much where it closes one.
fn rings(size: usize) -> Graph {
    let states = size * size;
    let (next, value) =
        (|place: usize| (place + 1) % size, |state: usize| (state / size + state % size) as u64);
    Graph {
        successors: (0..states)
            .map(|state| {
                vec![next(state / size) * size + state % size, state / size * size + next(state % size)]
            })
            .collect(),
        progress: (0..states).map(value).collect(),
        marked: vec![false; states],
        width: 3,
        ..Graph::default()
    }
}

/// A window that every step back stays in expands each state once and forgets most of them; one that has to be closed for want of memory loses
/// nothing but time.
#[test]
fn rings_are_met_once_with_a_window() {
    let size = 400;
    let graph = rings(size);
    let states = (size * size) as u64;
    let ask = |reach, memory| {
        let limits = Limits { memory, ..Limits::default() };
        let plan = Plan {
            search: SweepPlan { retention: Retention::Window { bit: 0, reach }, ..SweepPlan::default() }
                .into(),
            limits,
            ..sweep()
        };
        run(&graph, vec![PropertyKind::DeadlockFree], &plan)
    };
    let whole = ask(size as u64 - 1, usize::MAX);
    assert!(
        whole.complete && whole.figures.counters.explored == states && whole.figures.distinct == Some(states)
    );
    assert!(whole.figures.counters.regress > 0 && whole.figures.counters.persistent == 1);
    assert!(whole.figures.counters.peak.total() < states * 4 / 5, "{:?}", whole.figures.counters.peak);
    assert_eq!(whole.figures.counters.layers, 2 * size as u64 - 1);
    let few = ask(size as u64 / 8, usize::MAX);
    assert!(few.complete && few.figures.counters.explored > states);
    for memory in [2 << 20, 3 << 20, 4 << 20] {
        let closed = ask(size as u64 - 1, memory);
        assert!(closed.complete && closed.figures.counters.explored > states, "{:?}", closed.stopped);
        assert!(
            closed.figures.peak_state_bytes < memory as u64 * 9 / 8,
            "{}",
            closed.figures.peak_state_bytes
        );
    }
}

/// More layers than a window keeps: what it gives up is never the layer that the sweep goes back to.
#[test]
fn the_layer_that_is_gone_back_to_is_in_the_window() {
    let last = 1 << 14;
    let mut graph = Graph {
        successors: (0..last).map(|state| vec![state + 1]).collect(),
        progress: (0..=last as u64).collect(),
        marked: vec![false; last + 2],
        width: 1,
        ..Graph::default()
    };
    // From the last layer back to the first, and a step that stays there.
    graph.successors.extend([vec![last + 1], vec![last + 1, 0]]);
    graph.progress.push(0);
    let retention = Retention::Window { bit: 0, reach: 1 << 20 };
    let outcome = run(
        &graph,
        vec![],
        &Plan { search: SweepPlan { retention, ..SweepPlan::default() }.into(), ..sweep() },
    );
    let (states, counters) = (last as u64 + 2, outcome.figures.counters);
    assert_eq!((counters.explored, counters.sweeps, outcome.figures.distinct), (states, 1, Some(states)));
    assert_eq!((counters.persistent, counters.transitions, counters.regress), (1, states + 1, 1));
}

/// Up and down at every step: a window that is gone back to for each state is given up before copying its layers takes more than sweeping again.
#[test]
fn a_window_that_costs_more_than_it_saves_is_closed() {
    let states = 6_000;
    let graph = Graph {
        successors: (0..states).map(|state| (state + 1..states).take(1).collect()).collect(),
        progress: (0..states as u64).map(|state| state % 2).collect(),
        marked: vec![false; states],
        width: 1,
        ..Graph::default()
    };
    let ask = |retention| {
        run(
            &graph,
            vec![],
            &Plan { search: SweepPlan { retention, ..SweepPlan::default() }.into(), ..sweep() },
        )
    };
    let window = ask(Retention::Window { bit: 0, reach: 1 });
    assert!(window.complete && window.figures.counters.explored == states as u64);
    // Some hundred times back and forth, and then sweep after sweep.
    assert!((100..2_900).contains(&window.figures.counters.sweeps), "{:?}", window.figures.counters);
    assert!(ask(Retention::Immediate).figures.counters.sweeps > 2_900);
}
