//! Runs that are ended again and again, and go on from their checkpoints: they end as those that were never interrupted.

use std::time::Duration;

use engine::check::checkpoint::{CheckpointFolder, Checkpointing};
use engine::check::{CheckError, DiskUse, Engine, Plan, SweepPlan, TerminalList, check_subject};
use engine::explore::search::Snapshot;
use engine::explore::sweep::{Nesting, Retention};
use engine::explore::{Monitor, StopReason};
use engine::progress::Comparison;
use engine::property::{Property, PropertyKind};
use engine::store::ahead::QueueKind;
use engine::store::external::array_heap::Parameters;
use engine::verdict::{Evidence, Verdict};

use crate::random_graph::{Graph, GraphOutcome, GraphSubject, run, sweep};

/// Ends a run at its look with this number.
struct EndsAt(u32);

impl Monitor for EndsAt {
    fn look(&mut self, _: &Snapshot) -> Option<StopReason> {
        self.0 -= 1;
        (self.0 == 0).then_some(StopReason::Interrupted)
    }
}

fn graph(states: usize, layer: usize, back: usize) -> Graph {
    Graph::large(states, layer, back, 2)
}

fn kinds() -> Vec<PropertyKind<()>> {
    vec![PropertyKind::Reachable(()), PropertyKind::DeadlockFree]
}

/// Runs it in pieces, one checkpoint each, and tells how many pieces there were.
fn in_pieces(graph: &Graph, plan: &Plan, kinds: Vec<PropertyKind<()>>, looks: u32) -> (GraphOutcome, u32) {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("checkpoints");
    let properties: Vec<Property<()>> = kinds.into_iter().map(|kind| Property::new("asked", kind)).collect();
    let mut pieces = 0;
    loop {
        let checkpoint = Checkpointing {
            directory: directory.clone(),
            every: Duration::from_secs(3600),
            about: "a test".into(),
            resumes: pieces > 0,
        };
        let plan = Plan { checkpoint: Some(checkpoint), ..plan.clone() };
        let subject = GraphSubject(graph.clone());
        let outcome = check_subject(subject, &properties, &plan, &mut EndsAt(looks)).unwrap();
        pieces += 1;
        if outcome.stopped != Some(StopReason::Interrupted) {
            assert!(!directory.exists(), "nothing is left behind");
            return (outcome, pieces);
        }
        assert_eq!(CheckpointFolder::new(&directory).open().unwrap().about, "a test");
    }
}

fn shown(outcome: &GraphOutcome) -> Vec<(bool, Vec<usize>)> {
    let shown = outcome.verdicts.iter().map(|verdict| match verdict {
        Verdict::Holds(Evidence::Trace(run, _)) => (true, run.clone()),
        Verdict::Violated(Evidence::Trace(run, _)) => (false, run.clone()),
        Verdict::Holds(_) => (true, Vec::new()),
        Verdict::Violated(_) => (false, Vec::new()),
        Verdict::Unknown(reason) => panic!("{reason}"),
    });
    shown.collect()
}

#[test]
fn a_run_in_pieces_is_a_run() {
    let tiny = QueueKind::Array(Parameters { in_memory: 50, written: 20, runs: 3 });
    let disk = |in_memory, queue| DiskUse { in_memory, queue, ..DiskUse::default() };
    let nesting = Nesting { parts: 0b100, monotone: None };
    let plans = [
        sweep(),
        Plan { search: SweepPlan { nesting, ..SweepPlan::default() }.into(), ..sweep() },
        Plan {
            search: SweepPlan { retention: Retention::Window { bit: 0, reach: 2 }, ..SweepPlan::default() }
                .into(),
            ..sweep()
        },
        Plan {
            search: SweepPlan { retention: Retention::Window { bit: 0, reach: 9 }, ..SweepPlan::default() }
                .into(),
            disk: disk(9_000, tiny),
            ..sweep()
        },
        Plan { disk: disk(500, QueueKind::Radix), ..sweep() },
        Plan { disk: disk(500, tiny), ..sweep() },
        Plan { search: Engine::SweepDisk.into(), ..Plan::default() },
        Plan { search: Engine::Breadth.into(), ..Plan::default() },
        Plan { search: Engine::BreadthDisk.into(), disk: disk(700, QueueKind::Radix), ..Plan::default() },
    ];
    for (states, layer, back, width) in [
        (60_000, 20_000, 7_919, 2),
        (30_000, 7, 101, 2),
        (60_000, 3_000, 3, 2),
        // States of varying length.
        (60_000, 20_000, 7_919, 0),
        (30_000, 7, 101, 0),
    ] {
        let graph = Graph { width, ..graph(states, layer, back) };
        for plan in &plans {
            let plan = Plan { explore_all: true, terminal_states: TerminalList::Listed, ..plan.clone() };
            let whole = run(&graph, kinds(), &plan);
            // Once is enough for states of varying length: it takes a while.
            let looks: &[u32] = if width == 0 { &[3] } else { &[2, 3] };
            for &looks in looks {
                let (pieces, count) = in_pieces(&graph, &plan, kinds(), looks);
                assert!(count > 2, "{count} pieces");
                assert_eq!(pieces.figures.counters, whole.figures.counters, "{plan:?}");
                assert_eq!(pieces.figures.io, whole.figures.io, "{plan:?}");
                assert_eq!(pieces.figures.distinct, whole.figures.distinct);
                assert_eq!(pieces.figures.deadlocks, whole.figures.deadlocks);
                assert_eq!(pieces.terminal_states, whole.terminal_states);
                assert_eq!(shown(&pieces), shown(&whole));
            }
        }
    }
}

#[test]
fn vectors_and_components_are_saved_as_well() {
    let mut vectors = graph(40_000, 200, 7);
    vectors.progress = (0..40_000).map(|i| ((i / 400) % 9) << 8 | (i / 3_000)).collect();
    vectors.comparison = Comparison::ComponentWise { guards: 1 << 15 | 1 << 7 };
    let plan = Plan { explore_all: true, ..sweep() };
    let whole = run(&vectors, kinds(), &plan);
    let (pieces, count) = in_pieces(&vectors, &plan, kinds(), 2);
    assert!(
        count > 2 && pieces.figures.counters == whole.figures.counters && shown(&pieces) == shown(&whole)
    );

    let mut rising = graph(60_000, 20_000, usize::MAX);
    rising.progress = (0..60_000).map(|i| i / 20_000).collect();
    rising
        .successors
        .iter_mut()
        .enumerate()
        .for_each(|(i, next)| next.retain(|to| to / 20_000 >= i / 20_000));
    let kinds = || vec![PropertyKind::AlwaysPossible(())];
    let whole = run(&rising, kinds(), &plan);
    let (pieces, count) = in_pieces(&rising, &plan, kinds(), 2);
    assert!(count > 2, "{count} pieces");
    assert_eq!(pieces.figures.counters, whole.figures.counters);
}

#[test]
fn other_options_are_noticed_and_other_searches_refused() {
    let place = tempfile::tempdir().unwrap();
    let graph = graph(60_000, 3_000, 3);
    let ask = |plan: Plan, resumes, looks| {
        let checkpoint = Checkpointing {
            directory: place.path().join("checkpoints"),
            every: Duration::from_secs(3600),
            about: String::new(),
            resumes,
        };
        let plan = Plan { checkpoint: Some(checkpoint), ..plan };
        check_subject(GraphSubject(graph.clone()), &[], &plan, &mut EndsAt(looks))
    };
    assert!(matches!(ask(sweep(), true, 1), Err(CheckError::Checkpoint(_))), "there is none");
    assert!(ask(sweep(), false, 2).unwrap().stopped.is_some());
    let breadth = Plan { search: Engine::Breadth.into(), ..Plan::default() };
    assert!(matches!(ask(breadth, true, 9), Err(CheckError::AnotherRun(_))), "it is of a sweep");
    for engine in [Engine::Depth, Engine::Partition] {
        assert!(matches!(
            ask(Plan { search: engine.into(), ..Plan::default() }, false, 9),
            Err(CheckError::NotSaved)
        ));
    }
    assert!(ask(sweep(), true, u32::MAX).unwrap().complete);
}
