//! The sweep on random graphs with random measures, against a reference that is nothing but sets: what it expands, how
//! often, what it holds, which paths it finds, and that it answers every question as full exploration does.

use std::collections::BTreeSet;

use engine::check::{DiskUse, Engine, Plan, SweepPlan, TerminalList};
use engine::explore::StopReason;
use engine::explore::search::Limits;
use engine::explore::sweep::{Initial, Nesting, OnRegress};
use engine::property::PropertyKind;
use engine::store::ahead::QueueKind;
use engine::store::external::array_heap::Parameters;
use engine::verdict::{Evidence, Length, Verdict};
use proptest::prelude::*;

use crate::random_graph::{Graph, answer, run, sweep};
use crate::sweep_reference::{agrees_with_full_exploration, graphs, reference};

/// Steps of the trace that shows it, and whether none is said to be shorter.
fn length(verdict: &Verdict<Vec<usize>, usize>) -> Option<(usize, Length)> {
    match verdict {
        Verdict::Holds(Evidence::Trace(run, length)) | Verdict::Violated(Evidence::Trace(run, length)) => {
            Some((run.len(), *length))
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// With hardly any room for states, and both queues: the same states, deadlocks and answers.
    #[test]
    fn everything_may_be_on_disk(graph in graphs(), in_memory in 0..4usize, array: bool, marks: bool) {
        let tiny = Parameters { in_memory: 2, written: 1, runs: 2 };
        let queue = if array { QueueKind::Array(tiny) } else { QueueKind::Radix };
        let disk = DiskUse { queue, in_memory, ..DiskUse::default() };
        let plan = Plan { terminal_states: TerminalList::Listed, ..sweep() };
        let properties = || if marks { vec![PropertyKind::Reachable(())] } else { vec![] };
        let inside = run(&graph, properties(), &Plan { explore_all: true, ..plan.clone() });
        let outside = run(&graph, properties(), &Plan { explore_all: true, disk, ..plan });
        prop_assert!(outside.complete);
        prop_assert_eq!(outside.figures.counters.explored, inside.figures.counters.explored);
        prop_assert_eq!(outside.figures.counters.sweeps, inside.figures.counters.sweeps);
        prop_assert_eq!(outside.figures.counters.persistent, inside.figures.counters.persistent);
        prop_assert_eq!(outside.figures.deadlocks, inside.figures.deadlocks);
        let answers = |verdicts: &[Verdict<_, _>]| verdicts.iter().map(|one| answer(one).0).collect::<Vec<_>>();
        prop_assert_eq!(answers(&outside.verdicts), answers(&inside.verdicts));
    }

    /// Breadth-first on disk is breadth-first: the same levels, the same answers, shortest traces.
    #[test]
    fn levels_on_disk_are_levels(graph in graphs(), in_memory in 0..9usize) {
        let kinds = || vec![PropertyKind::Reachable(()), PropertyKind::Invariant(()), PropertyKind::DeadlockFree];
        let plan = |engine: Engine| Plan { search: engine.into(), disk: DiskUse { in_memory, ..DiskUse::default() }, ..Plan::default() };
        let inside = run(&graph, kinds(), &Plan { explore_all: true, ..plan(Engine::Breadth) });
        let outside = run(&graph, kinds(), &Plan { explore_all: true, ..plan(Engine::BreadthDisk) });
        prop_assert!(outside.complete && outside.figures.counters.spilled.current == 1);
        prop_assert_eq!(outside.figures.distinct, inside.figures.distinct);
        prop_assert_eq!(outside.figures.counters.explored, inside.figures.counters.explored);
        prop_assert_eq!(outside.figures.counters.transitions, inside.figures.counters.transitions);
        prop_assert_eq!(outside.figures.counters.depth, inside.figures.counters.depth);
        prop_assert_eq!(outside.figures.deadlocks, inside.figures.deadlocks);
        for (one, other) in outside.verdicts.iter().zip(&inside.verdicts) {
            prop_assert_eq!(answer(one).0, answer(other).0);
            prop_assert_eq!(length(one), length(other));
        }
    }

    #[test]
    fn coverage_bounds_and_figures_are_those_of_the_algorithm(graph in graphs(), pinned: bool) {
        let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
        let outcome = run(&graph, vec![], &Plan { search: SweepPlan { initial, ..SweepPlan::default() }.into(), terminal_states: TerminalList::Listed, ..sweep() });
        let counters = outcome.figures.counters;
        let expected = reference(&graph, initial);
        let reachable = graph.reachable(0);
        prop_assert!(outcome.complete);
        prop_assert_eq!(&expected.met, &reachable);
        prop_assert_eq!(counters.explored, expected.explored);
        prop_assert_eq!(counters.sweeps, expected.sweeps);
        prop_assert_eq!(counters.persistent, expected.persistent);
        prop_assert_eq!(counters.peak.total(), expected.peak);
        let terminal: BTreeSet<usize> = reachable.iter().copied().filter(|s| graph.successors[*s].is_empty()).collect();
        prop_assert_eq!(outcome.figures.deadlocks, Some(terminal.len() as u64));
        let listed: Vec<usize> = outcome.terminal_states.unwrap();
        prop_assert_eq!(listed.len(), terminal.len());
        prop_assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), terminal);

        let (states, targets) = (reachable.len() as u64, graph.regress_targets().len() as u64);
        let most_regress = graph.least_regress().into_values().max().unwrap() as u64;
        prop_assert!(counters.explored <= (targets + 1) * states && counters.sweeps <= targets + 1);
        prop_assert!(counters.explored <= (most_regress + 2) * states && counters.sweeps <= most_regress + 2);
        if graph.is_monotone() {
            prop_assert_eq!((counters.explored, counters.sweeps, counters.regress), (states, 1, 0));
            prop_assert_eq!(counters.persistent, u64::from(pinned));
            prop_assert_eq!(outcome.figures.distinct, Some(states));
        } else {
            prop_assert!(counters.regress > 0 && outcome.figures.distinct.is_none_or(|distinct| distinct == states));
        }
    }

    #[test]
    fn every_question_is_answered_as_by_full_exploration(graph in graphs()) {
        let ask = |kind: fn(()) -> PropertyKind<()>, plan: &Plan| answer(&run(&graph, vec![kind(())], plan).verdicts[0]);
        let breadth = Plan::default();
        let reachable = graph.reachable(0);
        let some = reachable.iter().any(|state| graph.marked[*state]);
        let all = reachable.iter().all(|state| graph.marked[*state]);
        let deadlock = reachable.iter().any(|state| graph.successors[*state].is_empty());
        for plan in [&sweep(), &breadth, &Plan { search: Engine::Depth.into(), ..Plan::default() }] {
            prop_assert_eq!(ask(PropertyKind::Reachable, plan).0, some);
            prop_assert_eq!(ask(PropertyKind::Invariant, plan).0, all);
            prop_assert_eq!(ask(|()| PropertyKind::DeadlockFree, plan).0, !deadlock);
        }
        // By brute force, from every state.
        let possible = |from: &usize| graph.reachable(*from).iter().any(|state| graph.marked[*state]);
        let forever = |from: &usize| graph.reachable(*from).iter().all(|state| graph.marked[*state]);
        let (home, stays) = (reachable.iter().all(possible), reachable.iter().any(forever));
        prop_assert_eq!(ask(PropertyKind::AlwaysPossible, &breadth).0, home);
        prop_assert_eq!(ask(PropertyKind::PossiblyForEver, &breadth).0, stays);
        if graph.is_monotone() {
            prop_assert_eq!(ask(PropertyKind::AlwaysPossible, &sweep()).0, home);
            prop_assert_eq!(ask(PropertyKind::PossiblyForEver, &sweep()).0, stays);
        }
    }

    /// The fewest regress edges, then the least progress of the goal, then the fewest steps in the goal's layer.
    #[test]
    fn a_path_is_shortest_subject_to_progress(graph in graphs(), pinned: bool) {
        let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
        let outcome = run(&graph, vec![PropertyKind::Reachable(())], &Plan { search: SweepPlan { initial, ..SweepPlan::default() }.into(), ..sweep() });
        let Verdict::Holds(Evidence::Trace(path, _)) = &outcome.verdicts[0] else { return Ok(()) };
        let regress = path.windows(2).filter(|step| graph.is_regress(step[0], step[1])).count();
        let least = graph.least_regress();
        let best = least
            .iter()
            .filter(|(state, _)| graph.marked[**state])
            .map(|(state, regress)| (*regress, graph.progress[*state]))
            .min()
            .unwrap();
        prop_assert_eq!((regress, graph.progress[*path.last().unwrap()]), best);
        prop_assert!(path[..path.len() - 1].iter().all(|state| !graph.marked[*state]));
    }

    #[test]
    fn an_expected_monotone_measure_is_checked_edge_by_edge(graph in graphs()) {
        let outcome = run(&graph, vec![], &Plan { search: SweepPlan { on_regress: OnRegress::Stop, ..SweepPlan::default() }.into(), ..sweep() });
        prop_assert_eq!(outcome.complete, graph.is_monotone());
        if let Some(regress) = outcome.regress {
            let [.., from, to] = regress.trace[..] else { panic!("a step has two states") };
            prop_assert_eq!((regress.before, regress.after), (graph.progress[from], graph.progress[to]));
            prop_assert!(regress.after < regress.before);
        } else {
            prop_assert!(graph.is_monotone());
        }
    }

    /// The order of successors changes neither what is met nor how often.
    #[test]
    fn the_order_of_successors_does_not_matter(graph in graphs()) {
        let mut turned = graph.clone();
        turned.successors.iter_mut().for_each(|successors| successors.reverse());
        let [one, other] = [run(&graph, vec![], &sweep()), run(&turned, vec![], &sweep())].map(|o| o.figures.counters);
        prop_assert_eq!(one, other);
    }
}

/// A full disk ends a search without an answer that it does not have.
#[test]
fn a_full_disk_ends_in_unknown() {
    let states = 60_000;
    let graph = Graph {
        successors: (0..states)
            .map(|i| (i * 8 + 1..i * 8 + 9).filter(|next| *next < states).collect())
            .collect(),
        progress: (0..states).map(|i| (i * 7_919 % states) as u64 * u64::from(i > 0)).collect(),
        marked: vec![false; states],
        width: 2,
        ..Graph::default()
    };
    let disk = |limit| DiskUse { limit, in_memory: 10, ..DiskUse::default() };
    let ask = |limit| run(&graph, vec![PropertyKind::Reachable(())], &Plan { disk: disk(limit), ..sweep() });
    let outcome = ask(1_000);
    assert!(matches!(outcome.stopped, Some(StopReason::Disk(_))), "{:?}", outcome.stopped);
    assert!(!outcome.complete && matches!(outcome.verdicts[0], Verdict::Unknown(_)));
    let outcome = ask(u64::MAX);
    assert!(
        outcome.complete
            && outcome.figures.counters.spilled.ahead > 0
            && outcome.figures.io.total().written > 0
    );
}

/// Long chains and wide layers: more than a batch, a chunk and an index of the smallest size hold.
#[test]
fn large_graphs_are_met_completely() {
    for (states, layer, back, width) in
        [(60_000, 20_000, 7_919, 2), (30_000, 7, 101, 2), (30_000, 3_000, 3, 2), (30_000, 3_000, 101, 0)]
    {
        let graph = Graph {
            successors: (0..states)
                .map(|i| vec![(i * 2 + 1) % states, (i + 17) % states, i - i % 5, (i + layer) % states])
                .collect(),
            progress: (0..states).map(|i| (i / layer) as u64 ^ u64::from(i % back == 0)).collect(),
            marked: vec![false; states],
            width,
            ..Graph::default()
        };
        let outcome = run(&graph, vec![PropertyKind::DeadlockFree], &sweep());
        let expected = reference(&graph, Initial::Pinned);
        assert_eq!(expected.met.len(), graph.reachable(0).len());
        assert_eq!(outcome.figures.counters.explored, expected.explored);
        assert_eq!(outcome.figures.counters.sweeps, expected.sweeps);
        assert!(outcome.figures.counters.peak.total() >= expected.peak);
        for in_memory in [100, 2_000] {
            let disk = DiskUse { in_memory, ..DiskUse::default() };
            let swept =
                run(&graph, vec![PropertyKind::DeadlockFree], &Plan { disk: disk.clone(), ..sweep() });
            assert_eq!(swept.figures.counters.explored, expected.explored);
            assert_eq!(swept.figures.counters.persistent, outcome.figures.counters.persistent);
            let spilled = swept.figures.counters.spilled;
            assert!(spilled.ahead + spilled.persistent + spilled.current > 0, "{spilled:?}");
            let plan = Plan { search: Engine::BreadthDisk.into(), disk, ..Plan::default() };
            let broad = run(&graph, vec![PropertyKind::DeadlockFree], &plan);
            assert_eq!((broad.complete, broad.figures.counters.explored), (true, expected.met.len() as u64));
        }
    }
}

/// Parts and claims, most of them wrong.
fn nestings(bits: u32) -> impl Strategy<Value = Nesting> {
    (0..1u64 << bits, prop::option::of(0..=bits)).prop_map(|(parts, monotone)| Nesting { parts, monotone })
}

/// Layered graphs in which many states of a layer are led back to, one by one, and few steps lead there from below.
fn looking_up() -> impl Strategy<Value = Graph> {
    let shape = (2..6usize, 10..40usize, 0..4usize, any::<bool>());
    shape.prop_flat_map(|(layers, wide, width, to_end)| {
        let states = layers * wide + 1;
        let edges = prop::collection::vec((0..states, 0..states), 0..wide);
        let marked = prop::collection::vec(prop::bool::weighted(0.02), states);
        let scattered = prop::collection::vec(0..layers as u64, states);
        (edges, marked, scattered, any::<bool>()).prop_map(move |(edges, marked, scattered, is_scattered)| {
            let layer = |state: usize| if state == 0 { 0 } else { (state - 1) / wide };
            let progress =
                (0..states).map(|one| if is_scattered { scattered[one] } else { layer(one) as u64 * 3 });
            let mut graph = Graph {
                successors: vec![Vec::new(); states],
                progress: progress.collect(),
                marked,
                width,
                ..Graph::default()
            };
            graph.successors[0].push(1 + (layers - 1) * wide);
            for state in 1..states {
                let (here, place) = (layer(state), (state - 1) % wide);
                // Down to the same place of the layer below, and from the first layer up to the next place of the last one.
                match here.checked_sub(1) {
                    Some(below) => graph.successors[state].push(1 + below * wide + place),
                    None if place + 1 < wide || to_end => {
                        graph.successors[state].push(1 + (layers - 1) * wide + (place + 1) % wide);
                    }
                    None => {}
                }
            }
            edges.into_iter().for_each(|(from, to)| graph.successors[from].push(to));
            graph
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nested_sweeps_meet_everything(graph in graphs(), nesting in nestings(4), pinned: bool) {
        let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
        agrees_with_full_exploration(&graph, &Plan { search: SweepPlan { initial, nesting, ..SweepPlan::default() }.into(), ..sweep() })?;
    }

    #[test]
    fn sweeps_that_remember_meet_everything(graph in graphs(), nesting in nestings(4), pinned: bool, revisits in 0.0..2.0) {
        let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
        let limits = Limits { revisits, ..Limits::default() };
        agrees_with_full_exploration(&graph, &Plan { search: SweepPlan { initial, nesting, ..SweepPlan::default() }.into(), limits, ..sweep() })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sweeps_that_look_states_up_meet_everything(graph in looking_up(), nesting in nestings(5), is_flat: bool, revisits in 0.0..4.0) {
        let limits = Limits { revisits, ..Limits::default() };
        let nesting = if is_flat { Nesting::default() } else { nesting };
        agrees_with_full_exploration(&graph, &Plan { search: SweepPlan { nesting, ..SweepPlan::default() }.into(), limits, ..sweep() })?;
    }
}

/// If the sweep leaves every group with unexpanded states in it, a search that deletes the other
/// states of the group does not terminate.
#[test]
fn what_may_be_found_again_is_not_dropped() {
    let many = 5_000;
    let mut graph = Graph {
        successors: vec![Vec::new(); 2],
        progress: vec![0, 8],
        marked: vec![],
        width: 1,
        ..Graph::default()
    };
    for first in (0..many).map(|number| 2 + 4 * number) {
        graph.successors[0].push(first);
        for place in 0..4 {
            graph.progress.push(1 + place % 2);
            graph.successors.push(vec![first + (place as usize + 1) % 4]);
        }
        graph.successors[first + 1].push(1);
        graph.successors[first + 3].push(1);
    }
    graph.marked = vec![false; graph.successors.len()];
    for parts in [0, 1, 4, 8, 16] {
        let nesting = Nesting { parts, monotone: Some(3) };
        let limits = Limits { states: 200_000, ..Limits::default() };
        let outcome = run(
            &graph,
            vec![],
            &Plan { search: SweepPlan { nesting, ..SweepPlan::default() }.into(), limits, ..sweep() },
        );
        assert!(outcome.complete, "parts {parts}: {:?}", outcome.figures.counters);
    }
}

/// The last sweep of a group ends below persistent states that an earlier one expanded: they go with the group, too.
#[test]
fn persistent_states_are_dropped_with_the_whole_group() {
    let many = 5_000;
    let (last, below, ahead) = (1, 2, 3);
    let mut graph = Graph {
        successors: vec![vec![last], (4..4 + many).chain([ahead]).collect(), vec![], vec![]],
        progress: vec![0, 6, 3, 8],
        marked: vec![false; 4 + many],
        width: 1,
        ..Graph::default()
    };
    graph.successors.resize(4 + many, vec![below]);
    graph.progress.resize(4 + many, 5);
    let nesting = Nesting { parts: 8, monotone: Some(3) };
    let outcome = run(
        &graph,
        vec![],
        &Plan { search: SweepPlan { nesting, ..SweepPlan::default() }.into(), ..sweep() },
    );
    assert!(outcome.complete);
    assert_eq!((outcome.figures.counters.local_sweeps, outcome.figures.counters.persistent), (2, 0));
}

/// Large enough for states to be dropped, looked up and remembered with the limits as they are.
#[test]
fn large_graphs_are_met_completely_by_all_sweeps() {
    for (states, layer, back) in [(12_000, 500, 7), (12_000, 40, 3), (9_000, 3_000, 2)] {
        let mut graph = Graph {
            successors: (0..states)
                .map(|i| vec![(i * 2 + 1) % states, (i + 17) % states, i - i % 5, (i + layer) % states])
                .collect(),
            progress: (0..states).map(|i| (i / layer) as u64 ^ u64::from(i % back == 0)).collect(),
            marked: vec![false; 2 * states],
            width: 2,
            ..Graph::default()
        };
        // A terminal state behind each state tells that it was expanded.
        for state in 0..states {
            graph.successors[state].push(states + state);
            graph.successors.push(vec![]);
            graph.progress.push(graph.progress[state]);
        }
        let expected: BTreeSet<usize> =
            graph.reachable(0).into_iter().filter(|state| graph.successors[*state].is_empty()).collect();
        for (parts, monotone) in
            [(0, None), (0, Some(2)), (2, Some(1)), (0b1010, Some(3)), (u64::MAX, Some(0))]
        {
            for revisits in [f64::INFINITY, 1.0] {
                let nesting = Nesting { parts, monotone };
                let limits = Limits { revisits, ..Limits::default() };
                let plan = Plan {
                    search: SweepPlan { nesting, ..SweepPlan::default() }.into(),
                    limits,
                    terminal_states: TerminalList::Listed,
                    ..sweep()
                };
                let outcome = run(&graph, vec![PropertyKind::Reachable(())], &plan);
                assert!(outcome.complete);
                assert_eq!(outcome.terminal_states.unwrap().into_iter().collect::<BTreeSet<_>>(), expected);
                if revisits == 1.0 {
                    let from = outcome.figures.counters.remembers_from.unwrap();
                    // Once more at the most, and those of the layer that was current.
                    let most = from + 2 * expected.len() as u64 + outcome.figures.counters.largest_layer;
                    assert!(parts != 0 || monotone.is_some() || outcome.figures.counters.explored <= most);
                }
            }
        }
    }
}

/// A nested sweep goes back in a group before it goes on: its paths need not have the fewest steps back.
#[test]
fn a_path_of_a_nested_sweep_is_as_found() {
    let graph = Graph {
        successors: vec![vec![1], vec![2, 3], vec![], vec![]],
        progress: vec![0, 2, 1, 8],
        marked: vec![false, false, true, true],
        width: 1,
        ..Graph::default()
    };
    for (parts, path, length) in
        [(0, vec![0, 1, 3], Length::SubjectToProgress), (4, vec![0, 1, 2], Length::AsFound)]
    {
        let nesting = Nesting { parts, monotone: None };
        let outcome = run(
            &graph,
            vec![PropertyKind::Reachable(())],
            &Plan { search: SweepPlan { nesting, ..SweepPlan::default() }.into(), ..sweep() },
        );
        let Verdict::Holds(Evidence::Trace(found, as_long)) = &outcome.verdicts[0] else { panic!("a run") };
        assert_eq!((found, *as_long), (&path, length));
    }
}

#[test]
fn what_is_known_on_disk_is_not_expanded_again() {
    let graph = Graph {
        successors: vec![vec![4], vec![], vec![], vec![0], vec![5, 7, 6], vec![2, 3], vec![], vec![]],
        progress: vec![1, 0, 0, 1, 0, 1, 1, 1],
        marked: vec![false; 8],
        width: 3,
        ..Graph::default()
    };
    let tiny = Parameters { in_memory: 2, written: 1, runs: 2 };
    let disk = DiskUse { queue: QueueKind::Array(tiny), in_memory: 2, ..DiskUse::default() };
    let plan = Plan { explore_all: true, disk, ..sweep() };
    let outcome = run(&graph, vec![PropertyKind::Reachable(())], &plan);
    let expanded = graph.expanded.lock().unwrap().clone();
    assert_eq!(outcome.figures.counters.explored, 7, "{expanded:?}");
}
