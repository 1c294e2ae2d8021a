//! The sweep on random graphs with random vectors, compared component by component. What it expands, and in which order, is followed
//! step by step by a reference that is nothing but sets.

use std::collections::BTreeSet;

use engine::check::{Engine, Plan, SweepPlan, TerminalList};
use engine::explore::sweep::{Initial, OnRegress};
use engine::progress::Comparison;
use engine::property::PropertyKind;
use engine::verdict::{Evidence, Verdict};
use proptest::prelude::*;

use crate::random_graph::{Graph, answer, run, sweep};

/// Three bits and a guard for each component.
const FIELD: u32 = 4;
const GUARDS: u64 = 0x888;

/// What a sweep may do, in sets. It follows the expansions, and does not choose: any minimal vector may be next.
#[derive(Debug, Default)]
struct Follower {
    sweeps: u64,
    peak: usize,
    regress: u64,
    /// States to be expanded in this sweep.
    waiting: BTreeSet<usize>,
    /// Those that were.
    expanded: BTreeSet<usize>,
    current: u64,
    persistent: BTreeSet<usize>,
    /// Persistent states that need not be expanded any more.
    done: BTreeSet<usize>,
    /// Roots of the next sweep.
    found: BTreeSet<usize>,
    /// States that were stored and forgotten in this sweep.
    forgotten: BTreeSet<usize>,
}

impl Follower {
    fn follow(graph: &Graph, initial: Initial, expansions: &[usize]) -> Self {
        let mut this = Self { sweeps: 1, waiting: BTreeSet::from([0]), ..Self::default() };
        if initial == Initial::Pinned {
            this.persistent.insert(0);
            this.done.insert(0);
        }
        this.current = graph.progress[0];
        for &state in expansions {
            if this.waiting.is_empty() {
                this.begin_sweep(graph);
            } else if graph.progress[state] != this.current {
                this.close(graph);
            }
            this.current = graph.progress[state];
            this.expand(graph, state);
        }
        this.close(graph);
        assert!(this.waiting.is_empty() && this.found.is_empty(), "all that is to be expanded was");
        this
    }

    fn begin_sweep(&mut self, graph: &Graph) {
        self.close(graph);
        assert!(!self.found.is_empty(), "a sweep has roots");
        self.sweeps += 1;
        self.expanded.clear();
        self.forgotten.clear();
        self.waiting = std::mem::take(&mut self.found);
        self.done.extend(&self.waiting);
    }

    fn close(&mut self, graph: &Graph) {
        let is_here = |state: &usize| graph.progress[*state] == self.current;
        assert!(!self.waiting.iter().any(is_here), "a layer is left when nothing in it waits");
        let met: BTreeSet<usize> = self
            .found
            .iter()
            .copied()
            .filter(|state| is_here(state) && self.expanded.contains(state))
            .collect();
        self.found.retain(|state| !met.contains(state));
        self.done.extend(met);
        let layer = self.expanded.iter().copied().filter(|state| is_here(state));
        self.forgotten.extend(layer.filter(|state| !self.persistent.contains(state)));
    }

    fn expand(&mut self, graph: &Graph, state: usize) {
        assert!(self.waiting.remove(&state), "{state} waits, and is expanded once in a sweep");
        let is_below = |other: &usize| graph.comparison.is_below(graph.progress[*other], self.current);
        assert!(!self.waiting.iter().any(is_below), "the layer is minimal");
        self.expanded.insert(state);
        for &next in &graph.successors[state] {
            if graph.is_regress(state, next) {
                self.regress += 1;
                if self.persistent.insert(next) {
                    self.found.insert(next);
                }
            } else if !self.done.contains(&next) && !self.expanded.contains(&next) {
                self.waiting.insert(next);
            }
            // The exact rule: what was forgotten lies neither here nor ahead.
            assert!(graph.is_regress(state, next) || !self.forgotten.contains(&next));
        }
        let layer = self.expanded.iter().copied().filter(|state| graph.progress[*state] == self.current);
        let held: BTreeSet<usize> =
            layer.chain(self.waiting.iter().chain(&self.persistent).copied()).collect();
        self.peak = self.peak.max(held.len());
    }
}

/// Graphs of up to 48 states with vectors of two or three components, some of them monotone.
pub fn graphs() -> impl Strategy<Value = Graph> {
    let shape = (1..49usize, 1..6u64, 2..4usize, 0..5usize, 0..3usize, any::<bool>());
    shape.prop_flat_map(|(states, levels, components, density, width, monotone)| {
        let edges = prop::collection::vec((0..states, 0..states), 0..states * (density + 1) + 1);
        let vectors = prop::collection::vec(prop::collection::vec(0..levels, components), states);
        let marked = prop::collection::vec(prop::bool::weighted(0.2), states);
        (edges, vectors, marked).prop_map(move |(edges, vectors, marked)| {
            let pack = |vector: &Vec<u64>| vector.iter().fold(0, |value, one| value << FIELD | one);
            let comparison = Comparison::ComponentWise { guards: GUARDS };
            let (successors, progress) = (vec![Vec::new(); states], vectors.iter().map(pack).collect());
            let mut graph = Graph { successors, progress, comparison, marked, width, ..Graph::default() };
            for (from, to) in edges {
                let forward = !graph.is_regress(from, to);
                if !monotone || forward {
                    graph.successors[from].push(to);
                } else if !graph.is_regress(to, from) {
                    graph.successors[to].push(from);
                }
            }
            graph
        })
    })
}

/// Component by component, without packing.
fn is_at_most(one: u64, other: u64) -> bool {
    (0..3).all(|place| one >> (FIELD * place) & 7 <= other >> (FIELD * place) & 7)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_layer_is_minimal_and_what_is_forgotten_is_not_met_again(graph in graphs(), pinned: bool) {
        let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
        let outcome = run(&graph, vec![], &Plan { search: SweepPlan { initial, ..SweepPlan::default() }.into(), terminal_states: TerminalList::Listed, ..sweep() });
        let expansions = graph.expanded.lock().unwrap().clone();
        let followed = Follower::follow(&graph, initial, &expansions);
        let (counters, reachable) = (outcome.figures.counters, graph.reachable(0));
        prop_assert!(outcome.complete);
        prop_assert_eq!(expansions.iter().copied().collect::<BTreeSet<_>>(), reachable.clone());
        prop_assert_eq!(counters.explored, expansions.len() as u64);
        prop_assert_eq!(counters.sweeps, followed.sweeps);
        prop_assert_eq!(counters.regress, followed.regress);
        prop_assert!(counters.peak.total() >= followed.peak as u64);
        let steps = |state: &usize| graph.successors[*state].iter().map(|next| (*state, *next)).collect::<Vec<_>>();
        let falls = |(from, to): &(usize, usize)| !is_at_most(graph.progress[*from], graph.progress[*to]);
        prop_assert_eq!(counters.regress, expansions.iter().flat_map(steps).filter(falls).count() as u64);
        // All targets of regress edges, incomparable ones too, are persistent, and nothing else.
        let mut persistent = graph.regress_targets();
        persistent.extend(pinned.then_some(0));
        prop_assert_eq!(&followed.persistent, &persistent);
        prop_assert_eq!(counters.persistent, persistent.len() as u64);
        let terminal = reachable.iter().filter(|state| graph.successors[**state].is_empty()).count();
        prop_assert_eq!(outcome.figures.deadlocks, Some(terminal as u64));

        let (states, targets) = (reachable.len() as u64, graph.regress_targets().len() as u64);
        let most_regress = graph.least_regress().into_values().max().unwrap() as u64;
        prop_assert!(counters.explored <= (targets + 1) * states && counters.sweeps <= targets + 1);
        prop_assert!(counters.explored <= (most_regress + 2) * states && counters.sweeps <= most_regress + 2);
        if graph.is_monotone() {
            prop_assert_eq!((counters.explored, counters.sweeps, counters.regress), (states, 1, 0));
            prop_assert_eq!(outcome.figures.distinct, Some(states));
            prop_assert_eq!(counters.peak.total(), followed.peak as u64);
        } else {
            prop_assert!(counters.regress > 0 && outcome.figures.distinct.is_none_or(|distinct| distinct == states));
        }
    }

    #[test]
    fn every_question_is_answered_as_by_full_exploration(graph in graphs()) {
        let ask = |kind: fn(()) -> PropertyKind<()>, plan: &Plan| answer(&run(&graph, vec![kind(())], plan).verdicts[0]).0;
        let breadth = Plan { search: Engine::Breadth.into(), ..Plan::default() };
        let kinds = [PropertyKind::Reachable, PropertyKind::Invariant, |()| PropertyKind::DeadlockFree];
        for kind in kinds {
            prop_assert_eq!(ask(kind, &sweep()), ask(kind, &breadth));
        }
        if graph.is_monotone() {
            for kind in [PropertyKind::AlwaysPossible, PropertyKind::PossiblyForEver] {
                prop_assert_eq!(ask(kind, &sweep()), ask(kind, &breadth));
            }
        }
    }

    /// The fewest regress edges, then a goal below which there is none.
    #[test]
    fn a_path_is_shortest_subject_to_progress(graph in graphs(), pinned: bool) {
        let initial = if pinned { Initial::Pinned } else { Initial::Forgotten };
        let outcome = run(&graph, vec![PropertyKind::Reachable(())], &Plan { search: SweepPlan { initial, ..SweepPlan::default() }.into(), ..sweep() });
        let Verdict::Holds(Evidence::Trace(path, _)) = &outcome.verdicts[0] else { return Ok(()) };
        let regress = path.windows(2).filter(|step| graph.is_regress(step[0], step[1])).count();
        let mut goals = graph.least_regress();
        goals.retain(|state, _| graph.marked[*state]);
        prop_assert_eq!(goals.values().min(), Some(&regress));
        let end = graph.progress[*path.last().unwrap()];
        let is_below = |goal: usize| graph.comparison.is_below(graph.progress[goal], end);
        prop_assert!(!goals.iter().any(|(goal, least)| *least == regress && is_below(*goal)));
        prop_assert!(path[..path.len() - 1].iter().all(|state| !graph.marked[*state]));
    }

    #[test]
    fn an_expected_monotone_measure_is_checked_edge_by_edge(graph in graphs()) {
        let outcome = run(&graph, vec![], &Plan { search: SweepPlan { on_regress: OnRegress::Stop, ..SweepPlan::default() }.into(), ..sweep() });
        prop_assert_eq!(outcome.complete, graph.is_monotone());
        if let Some(regress) = outcome.regress {
            let [.., from, to] = regress.trace[..] else { panic!("a step has two states") };
            prop_assert_eq!((regress.before, regress.after), (graph.progress[from], graph.progress[to]));
            prop_assert!(!is_at_most(regress.before, regress.after));
        } else {
            prop_assert!(graph.is_monotone());
        }
    }
}

/// Many vectors, many states in each, and regress edges in all directions.
#[test]
fn large_graphs_are_met_completely() {
    for (states, side, back) in [(40_000, 40, 7_919), (30_000, 150, 101), (20_000, 3, 13)] {
        let vector = |i: usize| (i % side + i / 5_000, i / side % side);
        let value = |(one, other): (usize, usize)| (one as u64) << 16 | other as u64;
        let graph = Graph {
            successors: (0..states)
                .map(|i| vec![(i + 1) % states, (i + side) % states, i - i % back, (i + side + 1) % states])
                .collect(),
            progress: (0..states).map(|i| value(vector(i))).collect(),
            comparison: Comparison::ComponentWise { guards: 0x8000_8000 },
            marked: vec![false; states],
            width: 2,
            ..Graph::default()
        };
        let outcome = run(&graph, vec![PropertyKind::DeadlockFree], &sweep());
        let expansions: BTreeSet<usize> = graph.expanded.lock().unwrap().iter().copied().collect();
        assert!(outcome.complete && outcome.figures.counters.regress > 0);
        assert_eq!(expansions, graph.reachable(0));
        assert_eq!(
            outcome.figures.counters.persistent,
            (&graph.regress_targets() | &BTreeSet::from([0])).len() as u64
        );
    }
}
