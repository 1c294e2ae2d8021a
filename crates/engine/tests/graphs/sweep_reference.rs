//! What a sweep must do, whatever its kind: a reference that is nothing but sets, and what all sweeps have in common with full exploration.

use std::collections::{BTreeMap, BTreeSet};

use engine::check::{Plan, TerminalList};
use engine::explore::sweep::Initial;
use engine::property::PropertyKind;
use proptest::prelude::*;

use crate::random_graph::{Graph, answer, run};

/// The algorithm as it stands in the handbook: sets, and a queue for each progress value.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reference {
    pub explored: u64,
    pub sweeps: u64,
    pub peak: u64,
    pub persistent: u64,
    pub met: BTreeSet<usize>,
}

pub fn reference(graph: &Graph, initial: Initial) -> Reference {
    reference_with_window(graph, initial, 0)
}

/// Layers are forgotten when the greatest value so far is greater by more than `reach`.
pub fn reference_with_window(graph: &Graph, initial: Initial, reach: u64) -> Reference {
    let mut result = Reference::default();
    let mut persistent: BTreeSet<usize> =
        if initial == Initial::Pinned { BTreeSet::from([0]) } else { BTreeSet::new() };
    let mut nodes = BTreeSet::from([0]);
    let mut roots = vec![0];
    while !roots.is_empty() {
        result.sweeps += 1;
        let mut queue: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for root in std::mem::take(&mut roots) {
            queue.entry(graph.progress[root]).or_default().push(root);
        }
        let mut head = 0;
        let mut layers: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        while let Some((value, mut states)) = queue.pop_first() {
            head = head.max(value);
            let floor = if reach == 0 { value } else { head.saturating_sub(reach) };
            for state in layers.extract_if(..floor, |_, _| true).flat_map(|(_, layer)| layer) {
                if !persistent.contains(&state) {
                    nodes.remove(&state);
                }
            }
            while let Some(state) = states.pop() {
                layers.entry(value).or_default().push(state);
                result.explored += 1;
                result.met.insert(state);
                for &next in &graph.successors[state] {
                    if !nodes.insert(next) {
                        continue;
                    }
                    if graph.progress[next] < floor {
                        persistent.insert(next);
                        roots.push(next);
                    } else if graph.progress[next] == value {
                        states.push(next);
                    } else {
                        queue.entry(graph.progress[next]).or_default().push(next);
                    }
                }
                result.peak = result.peak.max(nodes.len() as u64);
            }
        }
        nodes.retain(|state| persistent.contains(state));
        assert_eq!(nodes, persistent, "nothing leaks at the end of a sweep");
    }
    result.persistent = persistent.len() as u64;
    result
}

/// Graphs of 1 to 24 states, with measures from constant to nearly injective, some of them monotone.
pub fn graphs() -> impl Strategy<Value = Graph> {
    let shape = (1..25usize, 1..9u64, 0..4u32, 0..4usize, any::<bool>());
    shape.prop_flat_map(|(states, levels, density, width, monotone)| {
        let edges = prop::collection::vec((0..states, 0..states), 0..states * (density as usize + 1) + 1);
        let progress = prop::collection::vec(0..levels, states);
        let marked = prop::collection::vec(prop::bool::weighted(0.2), states);
        (edges, progress, marked).prop_map(move |(edges, progress, marked)| {
            let mut graph =
                Graph { successors: vec![Vec::new(); states], progress, marked, width, ..Graph::default() };
            for (from, to) in edges {
                let turn = monotone && graph.is_regress(from, to);
                let (from, to) = if turn { (to, from) } else { (from, to) };
                graph.successors[from].push(to);
            }
            graph
        })
    })
}

/// Everything that a nested or remembering sweep must have in common with full exploration.
pub fn agrees_with_full_exploration(graph: &Graph, plan: &Plan) -> Result<(), TestCaseError> {
    let listed = Plan { terminal_states: TerminalList::Listed, ..plan.clone() };
    let outcome = run(graph, vec![], &listed);
    let counters = outcome.figures.counters;
    let reachable = graph.reachable(0);
    let states = reachable.len() as u64;
    prop_assert!(outcome.complete);
    prop_assert!(counters.explored >= states);
    prop_assert!(outcome.figures.distinct.is_none_or(|distinct| distinct == states));
    let terminal: BTreeSet<usize> =
        reachable.iter().copied().filter(|state| graph.successors[*state].is_empty()).collect();
    prop_assert_eq!(outcome.figures.deadlocks, Some(terminal.len() as u64));
    let met = outcome.terminal_states.unwrap();
    prop_assert_eq!(met.len(), terminal.len());
    prop_assert_eq!(met.into_iter().collect::<BTreeSet<_>>(), terminal);
    if graph.is_monotone() {
        prop_assert_eq!((counters.explored, outcome.figures.distinct), (states, Some(states)));
        prop_assert_eq!(counters.sweeps + counters.local_sweeps, 1);
    }
    if plan.disk.in_memory == usize::MAX {
        prop_assert!(counters.peak.total() <= states * 2 + counters.transitions);
    }
    // Each state in turn is found, by a run that is one: replaying it asks for steps that exist.
    for goal in 0..graph.successors.len() {
        let marked = (0..graph.successors.len()).map(|state| state == goal).collect();
        let graph = Graph { marked, ..graph.clone() };
        let found = run(&graph, vec![PropertyKind::Reachable(())], plan);
        prop_assert_eq!(
            answer(&found.verdicts[0]),
            (reachable.contains(&goal), reachable.get(&goal).copied())
        );
    }
    Ok(())
}
