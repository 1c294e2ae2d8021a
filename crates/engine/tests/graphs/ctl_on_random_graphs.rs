//! Formulas of computation tree logic on random graphs, by every search with layers, against sets that are computed on the graph as it is.

use std::collections::{BTreeMap, BTreeSet};

use engine::check::{
    CheckError, CtlWitness, DiskUse, Engine, ErrorPlace, Executable, OnRuntimeError, Outcome, Plan,
    SweepPlan, SweepStorage, check_ctl, record_graph,
};
use engine::explore::search::Limits;
use engine::explore::sweep::{Initial, Nesting, Order, Retention, Spilling, SweepSearch};
use engine::explore::{Search, SearchEnd, StopReason};
use engine::progress::Comparison;
use engine::property::ctl::graph_recorder::GraphRecorder;
use engine::property::ctl::witness::Shown;
use engine::store::ahead::QueueKind;
use engine::store::compact_graph::RecordedGraph;
use engine::store::compact_graph::file::{GraphNames, NamedProposition, read_graph, write_graph};
use engine::store::compact_graph::recording::GraphMemory;
use engine::store::external::disk::Disk;
use engine::verdict::{Evidence, UnknownReason, Verdict};
use logic::ctl::Ctl;
use model::successor_batch::SuccessorBatch;
use model::transition_system::TransitionSystem;
use proptest::prelude::*;

use crate::labelled_graph::Labelled;

/// Propositions of a graph.
const PROPOSITIONS: [usize; 3] = [0, 1, 2];

type Answered = Outcome<Vec<usize>, usize, &'static str>;

fn ask_for_witness(graph: &Labelled, formula: &Ctl, plan: &Plan) -> (Answered, Option<CtlWitness>) {
    check_ctl(graph.clone(), formula, &PROPOSITIONS, plan, &mut ()).unwrap()
}

fn ask(graph: &Labelled, formula: &Ctl, plan: &Plan) -> Answered {
    ask_for_witness(graph, formula, plan).0
}

fn holds(outcome: &Answered) -> bool {
    match &outcome.verdicts[..] {
        [Verdict::Holds(_)] => true,
        [Verdict::Violated(_)] => false,
        other => panic!("{other:?}"),
    }
}

/// Graphs of 1 to 16 states. Measures are constant, injective, random, or vectors; steps that would fall are turned around, or not.
fn graphs() -> impl Strategy<Value = Labelled> {
    let shape = (1..17usize, 0..4u32, 0..4u32, any::<bool>(), 0..20usize);
    shape.prop_flat_map(|(states, density, measure, monotone, wide_from)| {
        let edges = prop::collection::vec((0..states, 0..states), 0..states * (density as usize + 1) + 1);
        let progress = prop::collection::vec(0..5u64, states);
        let order = Just((0..states as u64).collect::<Vec<_>>()).prop_shuffle();
        let labels = prop::collection::vec(0..8u64, states);
        let initial = prop::collection::vec(0..states.min(wide_from.max(1)), 1..3);
        (edges, progress, order, labels, initial).prop_map(
            move |(edges, progress, order, labels, initial)| {
                let progress = match measure {
                    0 => vec![3; states],
                    1 => order,
                    2 => progress,
                    _ => progress.into_iter().map(|value| value & 1 | value >> 1 << 3).collect(),
                };
                let guards = 1 << 2 | 1 << 5;
                let comparison =
                    if measure == 3 { Comparison::ComponentWise { guards } } else { Comparison::Total };
                let mut successors = vec![Vec::new(); states];
                for (from, to) in edges {
                    let turn = monotone && progress[from] > progress[to];
                    let (from, to) = if turn { (to, from) } else { (from, to) };
                    successors[from].push(to);
                }
                Labelled {
                    successors,
                    progress,
                    comparison,
                    initial,
                    width: usize::from(labels[0] & 2 == 0),
                    labels,
                    wide_from,
                    ..Labelled::default()
                }
            },
        )
    })
}

/// Formulas of up to four operators below each other.
fn formulas() -> impl Strategy<Value = Ctl> {
    let leaf = prop_oneof![
        1 => Just(Ctl::True),
        1 => Just(Ctl::False),
        9 => (0..3u8).prop_map(Ctl::Proposition),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        (inner.clone(), inner, 0..14u8).prop_map(|(f, g, operator)| match operator {
            0 => Ctl::negation(f),
            1 => Ctl::and(f, g),
            2 => Ctl::or(f, g),
            3 => Ctl::exists_next(f),
            4 => Ctl::always_next(f),
            5 => Ctl::exists_until(f, g),
            6 => Ctl::always_until(f, g),
            7 => Ctl::exists_globally(f),
            8 => Ctl::always_globally(f),
            9 => Ctl::exists_finally(f),
            10 => Ctl::always_finally(f),
            11 => Ctl::always_weak_until(f, g),
            12 => Ctl::exists_release(f, g),
            _ => Ctl::implies(f, g),
        })
    })
}

/// Every search that has layers, with and without room in memory.
fn plans(in_memory: usize, pinned: bool) -> Vec<Plan> {
    let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
    let few = || DiskUse { in_memory, ..DiskUse::default() };
    vec![
        Plan::default(),
        Plan { disk: few(), ..Plan::default() },
        Plan { search: SweepPlan { initial, ..SweepPlan::default() }.into(), ..Plan::default() },
        Plan {
            search: SweepPlan { initial, storage: SweepStorage::Disk, ..SweepPlan::default() }.into(),
            disk: few(),
            ..Plan::default()
        },
        Plan { search: Engine::BreadthDisk.into(), disk: few(), ..Plan::default() },
    ]
}

/// Whether a path must be there: a formula that says that there is one, and is true, or the opposite.
fn has_path(formula: &Ctl, truth: bool) -> bool {
    match formula {
        Ctl::Not(f) => has_path(f, !truth),
        Ctl::ExistsNext(_) | Ctl::ExistsUntil(..) | Ctl::ExistsGlobally(_) => truth,
        Ctl::True | Ctl::False | Ctl::Proposition(_) => true,
        Ctl::And(..) | Ctl::Or(..) => false,
    }
}

fn test_witness(graph: &Labelled, outcome: &Answered, witness: &CtlWitness) {
    let (Verdict::Holds(evidence) | Verdict::Violated(evidence)) = &outcome.verdicts[0] else {
        panic!("a witness shows an answer")
    };
    let run = match evidence {
        Evidence::Trace(run, _) if witness.cycle.is_empty() => run,
        Evidence::Lasso(run, start) if *start == witness.stem.actions.len() => run,
        other => panic!("{other:?}"),
    };
    assert_eq!(run.len(), witness.stem.actions.len() + witness.cycle.len() + 1);
    assert!(run.windows(2).all(|step| graph.successors[step[0]].contains(&step[1])));
    let all = |formula: &Ctl, states: &[usize]| {
        let set = graph.states_of(formula);
        states.iter().all(|state| set[*state])
    };
    let (levels, looping) = (&witness.levels, !witness.cycle.is_empty());
    assert_eq!(levels[0].from, 0);
    for (number, level) in levels.iter().enumerate() {
        let next = levels.get(number + 1);
        let part = &run[level.from..=next.map_or(run.len() - 1, |next| next.from)];
        let (last, before) = part.split_last().unwrap();
        let is_last = next.is_none();
        match &level.shows {
            Shown::Until(f, g) => assert!(all(f, before) && all(g, &[*last]) && !(is_last && looping)),
            Shown::Next(f) => assert!(all(f, &part[1..]) && part.len() == 2),
            Shown::ForEver(f) => {
                assert!(all(f, part) && is_last && looping);
                assert_eq!(run[witness.stem.actions.len()], *last, "the loop closes");
            }
            Shown::UntilTheEnd(f) => assert!(all(f, part) && is_last && graph.successors[*last].is_empty()),
            Shown::Here(f) => assert!(all(f, part) && part.len() == 1 && levels.len() == 1),
        }
        // What the last state must satisfy is shown as well, if a path can.
        if let (Shown::Until(_, g) | Shown::Next(g), true) = (&level.shows, is_last) {
            assert!(!has_path(g, true) || all_propositional(g), "{g:?} is left unshown");
        }
    }
}

/// Whether a state alone tells if the formula is true.
fn all_propositional(formula: &Ctl) -> bool {
    match formula {
        Ctl::True | Ctl::False | Ctl::Proposition(_) => true,
        Ctl::Not(f) => all_propositional(f),
        Ctl::And(f, g) | Ctl::Or(f, g) => all_propositional(f) && all_propositional(g),
        Ctl::ExistsNext(_) | Ctl::ExistsUntil(..) | Ctl::ExistsGlobally(_) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// All searches say what the definition says, and show what can be shown.
    #[test]
    fn any_formula_is_decided(graph in graphs(), formulas in prop::collection::vec(formulas(), 1..3), in_memory in 0..6usize, pinned: bool) {
        let reachable = graph.reachable();
        let edges: usize = reachable.iter().map(|state| graph.successors[*state].len()).sum();
        for formula in &formulas {
            let expected = graph.states_of(formula);
            let expected = graph.initial.iter().all(|state| expected[*state]);
            for plan in plans(in_memory, pinned) {
                let (outcome, witness) = ask_for_witness(&graph, formula, &plan);
                prop_assert_eq!(holds(&outcome), expected);
                let summary = outcome.graph.unwrap();
                prop_assert_eq!((summary.nodes, summary.edges), (reachable.len() as u64, edges as u64));
                prop_assert!(outcome.figures.counters.explored >= summary.nodes);
                let may_be_shown = graph.initial.len() == 1 || !expected;
                prop_assert!(witness.is_some() || !may_be_shown || !has_path(formula, expected));
                match &witness {
                    Some(witness) => test_witness(&graph, &outcome, witness),
                    None => prop_assert!(matches!(
                        outcome.verdicts[0],
                        Verdict::Holds(Evidence::Search(_)) | Verdict::Violated(Evidence::Search(_))
                    )),
                }
            }
        }
    }

    /// With a measure that never falls, each operator takes one pass: layers that fit are never cut.
    #[test]
    fn one_pass_is_enough_where_progress_never_falls(graph in graphs(), formula in formulas()) {
        let operator = Ctl::exists_until(Ctl::Proposition(0), Ctl::exists_globally(Ctl::Proposition(1)));
        let size = |state: usize| 1 + graph.successors[state].len();
        let mut layers: BTreeMap<u64, usize> = BTreeMap::new();
        graph.reachable().into_iter().for_each(|state| *layers.entry(graph.progress[state]).or_default() += size(state));
        let in_memory = layers.into_values().max().unwrap();
        let plan = Plan { search: Engine::Sweep.into(), disk: DiskUse { in_memory, ..DiskUse::default() }, ..Plan::default() };
        if graph.is_monotone() {
            prop_assert_eq!(ask(&graph, &operator, &plan).graph.unwrap().passes, 2);
        }
        let passes = |plan| ask(&graph, &formula, plan).graph.unwrap().passes;
        prop_assert!(passes(&Plan::default()) <= passes(&plan));
    }

    /// Rows are the successors of states, and there is one for each state, however often it was expanded.
    #[test]
    fn the_graph_is_the_graph(graph in graphs(), few in 1..40usize, nested: bool) {
        let graph = Labelled { wide_from: usize::MAX, ..graph };
        let nesting = Nesting { parts: u64::from(nested) * 7, monotone: None };
        let (initial, regress) = Default::default();
        let (comparison, retention) = (graph.comparison, Retention::Immediate);
        let order = Order::Progress { initial, regress, nesting, comparison, retention };
        let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
        let most = engine::explore::sweep::InMemory { ahead: few, persistent: few, current: few };
        let spilling = Spilling { disk: disk.clone(), queue: QueueKind::Radix, most, current_on_disk: false, is_saved: false };
        let shape = TransitionSystem::shape(&graph);
        let mut search = SweepSearch::new(shape, order, Limits::default()).unwrap().spill_to(spilling);
        let mut recorder = GraphRecorder::new(&disk, shape, 3, GraphMemory { sorted: few * 24, block: few });
        let mut batch = SuccessorBatch::new(shape, 1);
        graph.initial(&mut batch);
        recorder.begin(&batch);
        search.start(&graph, &batch, &mut recorder).unwrap();
        prop_assert!(matches!(search.run(&graph, &mut recorder, &mut ()), SearchEnd::Complete(_)));
        let recorded = recorder.finish(&mut || true).unwrap();

        test_same(&graph, &recorded);
    }

    /// What is written to a file, and read again, is the graph of the states, by any search.
    #[test]
    fn a_graph_from_a_file_is_the_graph(graph in graphs(), in_memory in 0..6usize, pinned: bool, block in 1..40usize) {
        for plan in plans(in_memory, pinned) {
            let (outcome, recorded) = record_graph(graph.clone(), &PROPOSITIONS, &plan, &mut ()).unwrap();
            let recorded = recorded.unwrap();
            let summary = outcome.graph.unwrap();
            prop_assert!(outcome.complete && summary.nodes == graph.reachable().len() as u64);
            prop_assert_eq!(summary.size, recorded.graph.size(PROPOSITIONS.len()));
            let mut bytes = Vec::new();
            write_graph(&recorded, &names(), &mut bytes).unwrap();
            let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
            let (read, read_names) = read_graph(&mut &bytes[..], &disk, block).unwrap();
            prop_assert_eq!(read_names, names());
            test_same(&graph, &read);
        }
    }
}

fn names() -> GraphNames {
    let proposition =
        |number: &usize| NamedProposition { name: format!("p{number}"), expression: "x".into() };
    GraphNames {
        propositions: PROPOSITIONS.iter().map(proposition).collect(),
        actions: (0..100).map(|number| format!("step {number}")).collect(),
    }
}

/// Walks through both side by side, from the initial states on.
fn test_same(graph: &Labelled, recorded: &RecordedGraph) {
    let mut states: BTreeMap<u64, usize> = BTreeMap::new();
    let mut open: Vec<(u64, usize)> = recorded
        .graph
        .initial()
        .iter()
        .map(|&(number, node)| (node, graph.initial[number as usize]))
        .collect();
    let mut edges = Vec::new();
    while let Some((node, state)) = open.pop() {
        if let Some(known) = states.insert(node, state) {
            assert_eq!(known, state);
            continue;
        }
        for (bit, truths) in recorded.truths.iter().enumerate() {
            assert_eq!(truths.get(node), graph.labels[state] >> bit & 1 != 0);
        }
        recorded.graph.row(node, &mut edges).unwrap();
        let actions: Vec<u32> = edges.iter().map(|edge| edge.action).collect();
        assert_eq!(actions, (0..graph.successors[state].len() as u32).collect::<Vec<_>>());
        open.extend(edges.iter().map(|edge| (edge.target, graph.successors[state][edge.action as usize])));
    }
    let different: BTreeSet<usize> = states.values().copied().collect();
    assert_eq!(different, graph.reachable());
    assert_eq!(states.len() as u64, recorded.graph.nodes());
}

/// Many layers of a few states, each a loop, from which the next one is entered.
fn rings(layers: usize) -> Labelled {
    let states = layers * 4;
    let next = |state: usize| state - state % 4 + (state + 1) % 4;
    let ahead = |state: usize| Some(state + 6).filter(|ahead| state % 4 == 1 && *ahead < states);
    Labelled {
        successors: (0..states)
            .map(|state| [next(state)].into_iter().chain(ahead(state)).collect())
            .collect(),
        progress: (0..states).map(|state| state as u64 / 4).collect(),
        labels: (0..states).map(|state| u64::from(state + 4 >= states)).collect(),
        initial: vec![0],
        width: 1,
        wide_from: usize::MAX,
        ..Labelled::default()
    }
}

#[test]
fn passes_do_not_grow_with_the_number_of_layers() {
    let end = Ctl::Proposition(0);
    let formula = Ctl::always_globally(Ctl::and(
        Ctl::exists_finally(end.clone()),
        Ctl::or(end.clone(), Ctl::negation(Ctl::always_finally(end))),
    ));
    let plan = |engine: Engine, in_memory| Plan {
        search: engine.into(),
        disk: DiskUse { in_memory, ..DiskUse::default() },
        ..Plan::default()
    };
    for layers in [30, 3_000] {
        let graph = rings(layers);
        let outcome = ask(&graph, &formula, &plan(Engine::Sweep, 100));
        let summary = outcome.graph.unwrap();
        assert!(holds(&outcome) && summary.blocks >= layers / 20);
        assert_eq!(summary.passes, 3, "one for each operator");
        // Less than a path in words of a fixed length.
        assert!(summary.size.bits < summary.size.formula_bits / 2, "{:?}", summary.size);
        assert_eq!(ask(&graph, &formula, &Plan::default()).graph.unwrap().passes, 3);
    }
    let formula = Ctl::always_finally(Ctl::Proposition(0));
    let (_, witness) = ask_for_witness(&rings(300), &formula, &plan(Engine::SweepDisk, 3));
    let witness = witness.unwrap();
    assert_eq!((witness.stem.actions.len(), witness.cycle.len()), (0, 4));
}

#[test]
fn a_proposition_without_a_value_is_an_error_of_the_model() {
    let graph = Labelled { undefined: Some(9), ..rings(5) };
    let outcome = ask(&graph, &Ctl::exists_finally(Ctl::Proposition(0)), &Plan::default());
    assert!(matches!(outcome.verdicts[0], Verdict::Unknown(UnknownReason::RuntimeError)));
    let error = outcome.error.unwrap();
    assert_eq!((error.trace.last(), error.place), (Some(&9), ErrorPlace::Property(0)));
    // The formula does not contain the predicate that fails.
    let asked = check_ctl(graph, &Ctl::True, &[], &Plan::default(), &mut ()).unwrap();
    assert!(holds(&asked.0));
}

#[test]
fn what_lies_behind_an_error_is_unknown() {
    let graph = Labelled { erroneous: Some(9), ..rings(5) };
    let outcome = ask(&graph, &Ctl::True, &Plan { search: Engine::Sweep.into(), ..Plan::default() });
    assert!(matches!(outcome.verdicts[0], Verdict::Unknown(UnknownReason::RuntimeError)));
    assert_eq!(outcome.error.unwrap().trace.last(), Some(&9));
}

#[test]
fn a_graph_without_erroneous_steps_is_given_only_if_asked_for() {
    let graph = Labelled { erroneous: Some(9), ..rings(5) };
    let stop = Plan::default();
    let (outcome, recorded) = record_graph(graph.clone(), &[], &stop, &mut ()).unwrap();
    assert!(recorded.is_none() && outcome.error.is_some() && !outcome.complete);
    let go_on = Plan { on_runtime_error: OnRuntimeError::GoOn, ..stop };
    let (outcome, recorded) = record_graph(graph, &[], &go_on, &mut ()).unwrap();
    assert!(outcome.error.is_some() && outcome.complete);
    assert_eq!(recorded.unwrap().graph.nodes(), 20);
    let undefined = Labelled { undefined: Some(9), ..rings(5) };
    let (outcome, recorded) = record_graph(undefined, &[0], &go_on, &mut ()).unwrap();
    assert!(recorded.is_none());
    assert_eq!(outcome.error.unwrap().place, ErrorPlace::Property(0));
}

#[test]
fn a_search_that_ends_early_decides_nothing() {
    let formula = Ctl::exists_finally(Ctl::Proposition(0));
    let limits = Limits { states: 5, ..Limits::default() };
    let outcome = ask(&rings(50), &formula, &Plan { limits, ..Plan::default() });
    assert_eq!(outcome.stopped, Some(StopReason::StateLimit(5)));
    assert!(matches!(outcome.verdicts[0], Verdict::Unknown(_)) && outcome.graph.is_none());
    let disk = DiskUse { limit: 1_000, in_memory: 10, ..DiskUse::default() };
    let outcome = ask(&rings(3_000), &formula, &Plan { disk, ..Plan::default() });
    assert!(
        matches!(outcome.verdicts[0], Verdict::Unknown(UnknownReason::Stopped(_))),
        "{:?}",
        outcome.verdicts
    );
    for engine in [Engine::Depth, Engine::Partition] {
        let refused =
            check_ctl(rings(3), &formula, &[0], &Plan { search: engine.into(), ..Plan::default() }, &mut ());
        assert!(matches!(refused, Err(CheckError::Unsound(_))));
    }
}
