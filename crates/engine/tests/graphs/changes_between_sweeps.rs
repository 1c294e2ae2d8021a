//! Sweeps that follow another measure after each sweep: nothing is lost, and every question is answered as before.

use std::cell::Cell;
use std::time::Duration;

use engine::check::checkpoint::Checkpointing;
use engine::check::{DiskUse, Plan, SearchPlan, SweepPlan};
use engine::explore::search::{Limits, Snapshot};
use engine::explore::sweep::{Initial, Nesting, NewOrder, Retention, Threads};
use engine::explore::{AfterPause, Change, Monitor, PausedSearch, StopReason};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::change_over_on_random_graphs::{PLAIN, adaptive, ask, has_right_answers, is_right, measure};
use crate::random_graph::{Graph, GraphOutcome};
use crate::sweep_reference::graphs;
use crate::threads_on_random_graphs::threads;

/// Gives a search another measure whenever it can follow one: full exploration at a certain look, sweeps when they end.
#[derive(Default)]
struct Changes {
    /// The look at which full exploration changes over.
    first: u32,
    /// The look at which the search ends.
    end: u32,
    /// Orders that follow.
    orders: Vec<NewOrder>,
    /// Number of measures that were given before.
    before: usize,
    /// Changes so far, and pauses without one.
    made: usize,
    refused: usize,
    /// Whether a sweep that disappoints continues as it is. Only such a sweep then gets another measure.
    is_patient: bool,
    disappointed: u32,
    looks: u32,
}

impl Monitor for Changes {
    fn look(&mut self, _: &Snapshot) -> Option<StopReason> {
        self.looks += 1;
        match self.looks {
            looks if looks == self.end => Some(StopReason::Interrupted),
            looks if looks == self.first => Some(StopReason::Pause),
            _ => None,
        }
    }

    fn sweep_ended(&mut self, _: &Snapshot) -> bool {
        self.made < self.orders.len() && (!self.is_patient || self.disappointed > 0)
    }

    fn sweep_disappoints(&mut self) -> bool {
        self.disappointed += 1;
        self.is_patient
    }

    fn paused(&mut self, search: &PausedSearch<'_>) -> AfterPause {
        let Some(order) = self.orders.get(self.made).filter(|_| search.can_change_over) else {
            self.refused += 1;
            return AfterPause::Continue;
        };
        self.made += 1;
        let measure = measure(self.before + self.made - 1);
        AfterPause::Follow(Box::new(Change { measure, order: *order }))
    }
}

const ORDERS: [NewOrder; 4] = [
    PLAIN,
    NewOrder { nesting: Nesting { parts: 0b10, monotone: None }, ..PLAIN },
    NewOrder { nesting: Nesting { parts: 0b110, monotone: Some(1) }, ..PLAIN },
    NewOrder { retention: Retention::Window { bit: 0, reach: 2 }, ..PLAIN },
];

/// Up to four measures and orders that follow each other. The first is the measure of the graph. In most graphs all states
/// are reachable.
fn measured(graph: impl Strategy<Value = Graph>) -> impl Strategy<Value = (Graph, Vec<NewOrder>)> {
    let orders = prop::collection::vec(0..ORDERS.len(), 1..5);
    (graph, orders, prop::bool::weighted(0.7)).prop_flat_map(|(mut graph, orders, is_linked)| {
        if is_linked {
            (1..graph.successors.len()).for_each(|next| graph.successors[next - 1].push(next));
        }
        let values = prop::collection::vec(0..9u64, graph.successors.len());
        prop::collection::vec(values, 4).prop_map(move |mut others| {
            others[0].clone_from(&graph.progress);
            let orders = orders.iter().map(|number| ORDERS[*number]).collect();
            (Graph { others, ..graph.clone() }, orders)
        })
    })
}

/// A sweep from the first state on, in one of the orders.
fn swept(order: NewOrder, initial: Initial) -> Plan {
    let NewOrder { nesting, retention, .. } = order;
    let sweep = SweepPlan { nesting, retention, initial, ..SweepPlan::default() };
    Plan { search: SearchPlan::Sweep(sweep), ..adaptive() }
}

/// Tests what must hold of every search, whatever it changed to. With helpers, chunks may be expanded in vain.
fn agrees(graph: &Graph, outcome: &GraphOutcome, is_alone: bool) {
    if is_alone {
        is_right(graph, outcome, &graph.expanded.lock().unwrap().clone());
    } else {
        has_right_answers(graph, outcome);
    }
    for (one, next) in outcome.changes.iter().zip(&outcome.changes[1.min(outcome.changes.len())..]) {
        assert!(one.explored < next.explored && next.regress > 0, "at least one sweep lies between them");
    }
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() })
}

#[test]
fn a_sweep_may_follow_any_measure_after_any_sweep() {
    let (changed, again, refused) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let settings = (any::<bool>(), any::<bool>(), 0..40usize, any::<bool>(), 1..4usize, 0..4usize);
    let strategy = (measured(graphs()), settings);
    let tested = runner(4_000).run(
        &strategy,
        |((graph, orders), (is_full, pinned, in_memory, spills, number, order))| {
            let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
            let plan = if is_full { adaptive() } else { swept(ORDERS[order], initial) };
            let in_memory = if spills { in_memory } else { usize::MAX };
            let disk = DiskUse { in_memory, ..DiskUse::default() };
            let plan = Plan { disk, threads: threads(number, 3), ..plan };
            // A search that begins without a measure gets that of the graph first.
            let (first, before) = if is_full { (1, 0) } else { (0, 1) };
            let mut monitor = Changes { first, before, orders, ..Changes::default() };
            let outcome = ask(&graph, &plan, &mut monitor);
            prop_assert_eq!(outcome.changes.len(), monitor.made);
            agrees(&graph, &outcome, number == 1);
            // When tiers spill, a window closes, and what it has expanded may be met again.
            let counters = outcome.figures.counters;
            let most = graph.reachable(0).len() as u64 * (counters.sweeps + counters.local_sweeps);
            prop_assert!(spills || counters.explored <= most, "once in each sweep");
            changed.set(changed.get() + monitor.made - usize::from(is_full && monitor.made > 0));
            again.set(again.get() + usize::from(monitor.made > 2));
            refused.set(refused.get() + monitor.refused);
            Ok(())
        },
    );
    tested.unwrap();
    eprintln!("{changed:?} changes between sweeps, {again:?} searches with several, {refused:?} impossible");
    assert!(changed.get() > 1_000 && again.get() > 100 && refused.get() > 20);
}

#[test]
fn vectors_may_become_numbers() {
    let changed = Cell::new(0);
    let strategy = (measured(crate::sweep_on_random_vectors::graphs()), 0..40usize, 1..3usize);
    let tested = runner(1_000).run(&strategy, |((graph, orders), in_memory, number)| {
        let disk = DiskUse { in_memory, ..DiskUse::default() };
        let plan = Plan { disk, threads: threads(number, 3), ..swept(PLAIN, Initial::Pinned) };
        let mut monitor = Changes { before: 1, orders, ..Changes::default() };
        let outcome = ask(&graph, &plan, &mut monitor);
        prop_assert_eq!(outcome.changes.len(), monitor.made);
        agrees(&graph, &outcome, number == 1);
        changed.set(changed.get() + monitor.made);
        Ok(())
    });
    tested.unwrap();
    assert!(changed.get() > 100, "{changed:?}");
}

/// The run is saved at each change, ends at any moment, and resumes by the measure that it followed last.
#[test]
fn a_run_that_changes_its_measure_can_be_saved_and_resumed() {
    let (resumed_after, changed_after) = (Cell::new(0), Cell::new(0));
    let strategy = (measured(graphs()), 2..40u32, any::<bool>());
    // Checkpoints are flushed to disk.
    let tested = runner(250).run(&strategy, |((graph, orders), end, is_full)| {
        let place = tempfile::tempdir().unwrap();
        let plan = |resumes| Plan {
            checkpoint: Some(Checkpointing {
                directory: place.path().join("saved"),
                every: Duration::from_secs(3600),
                about: String::new(),
                resumes,
            }),
            ..if is_full { adaptive() } else { swept(PLAIN, Initial::Pinned) }
        };
        let (first, before) = if is_full { (1, 0) } else { (0, 1) };
        let mut monitor = Changes { first, before, end, orders: orders.clone(), ..Changes::default() };
        let outcome = ask(&graph, &plan(false), &mut monitor);
        let made = monitor.made;
        prop_assert_eq!(outcome.changes.len(), made);
        let outcome = match outcome.stopped {
            None => outcome,
            Some(reason) => {
                prop_assert_eq!(reason, StopReason::Interrupted);
                let mut monitor =
                    Changes { before: before + made, orders: orders[made..].to_vec(), ..Changes::default() };
                let resumed = ask(&graph, &plan(true), &mut monitor);
                prop_assert_eq!(resumed.changes.len(), made + monitor.made);
                resumed_after.set(resumed_after.get() + usize::from(made > usize::from(is_full)));
                changed_after.set(changed_after.get() + monitor.made);
                resumed
            }
        };
        agrees(&graph, &outcome, true);
        Ok(())
    });
    tested.unwrap();
    eprintln!(
        "{resumed_after:?} resumed after a change between sweeps, {changed_after:?} changes after that"
    );
    assert!(resumed_after.get() > 10 && changed_after.get() > 10);
}

/// A measure that most steps decrease, and after it one that few do.
#[test]
fn large_sweeps_that_disappoint_change_their_measure() {
    let states = 60_000;
    let graph = |width| Graph {
        successors: (0..states)
            .map(|i| match i % 1_000 {
                999 => Vec::new(),
                _ => vec![(i * 2 + 1).min(states - 1), (i + 17).min(states - 1), i / 1_000 * 1_000],
            })
            .collect(),
        progress: (0..states).map(|i| (i * 7_919 % 64) as u64).collect(),
        others: vec![
            (0..states).map(|i| (i * 7_919 % 64) as u64).collect(),
            (0..states).map(|i| (i / 500) as u64).collect(),
        ],
        marked: (0..states).map(|i| i == states - 7).collect(),
        width,
        ..Graph::default()
    };
    let order = NewOrder { revisits: 1.5, ..PLAIN };
    for (width, memory, number) in
        [(1, usize::MAX, 1), (0, usize::MAX, 1), (2, 12 << 20, 1), (1, usize::MAX, 3)]
    {
        let limits = Limits { memory, batches_per_look: 2, ..Limits::default() };
        // Merged layers would be a better measure.
        let threads = Threads { merged_from: u64::MAX, ..threads(number, 64) };
        let plan = Plan { limits, threads, ..adaptive() };
        let run = |orders: &[NewOrder], is_patient| {
            let graph = graph(width);
            let orders = orders.to_vec();
            let mut monitor = Changes { first: 30, orders, is_patient, ..Changes::default() };
            let outcome = ask(&graph, &plan, &mut monitor);
            assert!(monitor.disappointed > 0, "the first measure repeats work");
            agrees(&graph, &outcome, number == 1);
            outcome
        };
        let stopped = run(&[order], false);
        assert!(stopped.figures.counters.remembers_from.is_some());
        let repeated = run(&[order], true);
        assert!(repeated.figures.counters.remembers_from.is_none(), "the monitor is patient");
        let changed = run(&[order, order], true);
        assert_eq!(changed.changes.len(), 2);
        assert!(changed.figures.counters.remembers_from.is_none());
        let [bad, good] = [&repeated, &changed].map(|one| one.figures.counters.explored);
        assert!(good < bad, "{good} expansions instead of {bad}");
        let [first, second] = &changed.changes[..] else { panic!("there are two") };
        assert!(first.revisits > 1.5, "{} expansions for each state", first.revisits);
        assert!(first.peak_after > 0 && second.peak_after > 0);
    }
}
