//! Full exploration that becomes a sweep at a random moment: nothing is lost, nothing is expanded again because of the
//! change, and every question is answered as before.

use std::collections::BTreeMap;
use std::time::Duration;

use engine::check::checkpoint::Checkpointing;
use engine::check::{DiskUse, Plan, SearchPlan, TerminalList, check_subject};
use engine::explore::search::{Limits, Snapshot};
use engine::explore::sweep::{Nesting, NewOrder, Retention};
use engine::explore::{AfterPause, Change, Monitor, PausedSearch, StopReason};
use engine::progress::ExpressionMeasure;
use engine::property::{Property, PropertyKind};
use engine::verdict::{Evidence, Length, Verdict};
use model::guarded_commands::{Expression, GuardedCommands};
use proptest::prelude::*;

use crate::random_graph::{Graph, GraphOutcome, GraphSubject};
use crate::sweep_reference::graphs;
use crate::threads_on_random_graphs::threads;

/// Lets the search change over at its look with this number, and ends it at another one.
struct ChangesAt {
    change: u32,
    end: u32,
    order: NewOrder,
    looks: u32,
}

impl Monitor for ChangesAt {
    fn look(&mut self, _: &Snapshot) -> Option<StopReason> {
        self.looks += 1;
        match self.looks {
            looks if looks == self.end => Some(StopReason::Interrupted),
            looks if looks == self.change => Some(StopReason::Pause),
            _ => None,
        }
    }

    fn paused(&mut self, search: &PausedSearch<'_>) -> AfterPause {
        if self.looks != self.change || !search.can_change_over {
            return AfterPause::Continue;
        }
        // The graph brings its own progress values.
        AfterPause::Follow(Box::new(Change { measure: measure(0), order: self.order }))
    }
}

/// The measure of the graph with this number.
pub fn measure(number: usize) -> ExpressionMeasure {
    let number = Expression::Constant(number as i64);
    ExpressionMeasure::new(&GuardedCommands::default(), &[number]).unwrap()
}

pub const PLAIN: NewOrder = NewOrder {
    nesting: Nesting { parts: 0, monotone: None },
    retention: Retention::Immediate,
    revisits: f64::INFINITY,
};

/// A plan that looks at the monitor before every batch.
pub fn adaptive() -> Plan {
    Plan {
        search: SearchPlan::Adaptive,
        explore_all: true,
        terminal_states: TerminalList::Listed,
        limits: Limits { batches_per_look: 1, ..Limits::default() },
        ..Plan::default()
    }
}

pub fn ask(graph: &Graph, plan: &Plan, monitor: &mut dyn Monitor) -> GraphOutcome {
    let kinds = [PropertyKind::Reachable(()), PropertyKind::Invariant(()), PropertyKind::DeadlockFree];
    let properties = kinds.map(|kind| Property::new("asked", kind));
    check_subject(GraphSubject(graph.clone()), &properties, plan, monitor).unwrap()
}

/// Tests an outcome against the graph. `expanded` are all states in the order of their expansion.
pub fn is_right(graph: &Graph, outcome: &GraphOutcome, expanded: &[usize]) {
    let reachable = graph.reachable(0);
    let mut times: BTreeMap<usize, usize> = BTreeMap::new();
    expanded.iter().for_each(|state| *times.entry(*state).or_default() += 1);
    assert!(times.keys().eq(reachable.iter()), "what is reachable was expanded");
    assert_eq!(outcome.figures.counters.explored, expanded.len() as u64);
    let steps: usize = expanded.iter().map(|state| graph.successors[*state].len()).sum();
    assert_eq!(outcome.figures.counters.transitions, steps as u64);
    if graph.is_monotone() {
        assert!(times.values().all(|times| *times == 1), "nothing was expanded twice: {times:?}");
        assert_eq!(outcome.figures.distinct, Some(reachable.len() as u64));
    }
    has_right_answers(graph, outcome);
}

/// Tests all of an outcome that does not depend on the number of expansions.
pub fn has_right_answers(graph: &Graph, outcome: &GraphOutcome) {
    let reachable = graph.reachable(0);
    assert!(outcome.complete);
    if let Some(distinct) = outcome.figures.distinct {
        assert_eq!(distinct, reachable.len() as u64);
    }
    let deadlocks = reachable.iter().filter(|state| graph.successors[**state].is_empty()).count();
    assert_eq!(outcome.figures.deadlocks, Some(deadlocks as u64));
    assert_eq!(outcome.terminal_states.as_ref().unwrap().len(), deadlocks);
    let expected = [
        (reachable.iter().any(|state| graph.marked[*state]), true),
        (reachable.iter().all(|state| graph.marked[*state]), false),
        (deadlocks == 0, false),
    ];
    for (verdict, (holds, is_reach)) in outcome.verdicts.iter().zip(expected) {
        let (is_held, evidence) = match verdict {
            Verdict::Holds(evidence) => (true, evidence),
            Verdict::Violated(evidence) => (false, evidence),
            Verdict::Unknown(reason) => panic!("{reason}"),
        };
        assert_eq!(is_held, holds);
        // A trace was replayed: it is a run. Where it is said to be shortest, it is.
        if let Evidence::Trace(run, length) = evidence {
            assert_eq!(run[0], 0);
            if *length == Length::Shortest && is_reach {
                assert_eq!(run.len(), shortest(graph) + 1);
            }
            if *length == Length::SubjectToProgress && is_reach {
                let regress = run.windows(2).filter(|step| graph.is_regress(step[0], step[1])).count();
                let least = graph.least_regress();
                let least = least.iter().filter(|(state, _)| graph.marked[**state]).map(|(_, least)| *least);
                assert_eq!(Some(regress), least.min(), "the fewest regress edges");
            }
        }
    }
}

/// Steps of a shortest run to a marked state.
fn shortest(graph: &Graph) -> usize {
    let (mut level, mut seen, mut steps) = (vec![0], vec![false; graph.successors.len()], 0);
    while !level.iter().any(|state| graph.marked[*state]) {
        let next = level.iter().flat_map(|state| graph.successors[*state].iter().copied());
        level = next.filter(|state| !std::mem::replace(&mut seen[*state], true)).collect();
        steps += 1;
    }
    steps
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_change_at_any_moment_loses_nothing_and_repeats_nothing(
        graph in graphs(), change in 1..12u32, kind in 0..3usize, in_memory in 0..40usize, spills: bool, number in 1..4usize,
    ) {
        let order = [
            PLAIN,
            NewOrder { nesting: Nesting { parts: 0b10, monotone: None }, ..PLAIN },
            NewOrder { retention: Retention::Window { bit: 0, reach: 2 }, ..PLAIN },
        ][kind];
        let in_memory = if spills { in_memory } else { usize::MAX };
        let plan = Plan { disk: DiskUse { in_memory, ..DiskUse::default() }, threads: threads(number, 3), ..adaptive() };
        let mut monitor = ChangesAt { change, end: 0, order, looks: 0 };
        let outcome = ask(&graph, &plan, &mut monitor);
        prop_assert_eq!(!outcome.changes.is_empty(), monitor.looks >= change, "it happened when it should");
        // With threads, chunks may be expanded in vain when the search pauses.
        let expanded = graph.expanded.lock().unwrap().clone();
        if number == 1 {
            is_right(&graph, &outcome, &expanded);
        } else {
            has_right_answers(&graph, &outcome);
        }
    }

}

proptest! {
    // Checkpoints are flushed to disk.
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The run is saved before and after the change, ends, and resumes.
    #[test]
    fn a_run_that_changes_over_can_be_saved_and_resumed(graph in graphs(), change in 1..9u32, end in 1..15u32) {
        let place = tempfile::tempdir().unwrap();
        let plan = |resumes| Plan {
            checkpoint: Some(Checkpointing {
                directory: place.path().join("saved"), every: Duration::from_secs(3600), about: String::new(), resumes,
            }),
            ..adaptive()
        };
        let mut monitor = ChangesAt { change, end, order: PLAIN, looks: 0 };
        let first = ask(&graph, &plan(false), &mut monitor);
        let outcome = match first.stopped {
            None => first,
            Some(reason) => {
                prop_assert_eq!(reason, StopReason::Interrupted);
                // If it had not changed over, it does now.
                let resumed = ask(&graph, &plan(true), &mut ChangesAt { change: 1, end: 0, order: PLAIN, looks: 0 });
                prop_assert!(first.changes.len() <= resumed.changes.len(), "it remembers the change");
                resumed
            }
        };
        is_right(&graph, &outcome, &graph.expanded.lock().unwrap().clone());
    }
}

/// Thousands of states, and memory so tight that tiers spill after the change.
#[test]
fn large_graphs_change_over() {
    let states = 120_000;
    let graph = |back: usize, width| Graph {
        successors: (0..states)
            .map(|i| match i % 1_000 {
                999 => Vec::new(),
                _ => vec![
                    (i * 2 + 1).min(states - 1),
                    (i + 17).min(states - 1),
                    (i - i % 5).max(i / back * back),
                ],
            })
            .collect(),
        progress: (0..states).map(|i| (i / 500) as u64).collect(),
        marked: (0..states).map(|i| i == states - 7).collect(),
        width,
        ..Graph::default()
    };
    let mut changed = 0;
    for (back, width, memory, change) in [
        (1, 1, usize::MAX, 40),
        (1, 2, 6 << 20, 40),
        (1_000, 1, usize::MAX, 100),
        (1_000, 0, usize::MAX, 100),
        (1, 0, 12 << 20, 30),
        (1_000, 2, 6 << 20, 70),
    ] {
        let graph = graph(back, width);
        let plan = Plan { limits: Limits { memory, batches_per_look: 2, ..Limits::default() }, ..adaptive() };
        let outcome = ask(&graph, &plan, &mut ChangesAt { change, end: 0, order: PLAIN, looks: 0 });
        changed += u32::from(!outcome.changes.is_empty());
        is_right(&graph, &outcome, &graph.expanded.lock().unwrap().clone());
    }
    assert_eq!(changed, 6, "every search was large enough to change over");
}
