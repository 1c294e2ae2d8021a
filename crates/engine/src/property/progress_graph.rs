//! The progress graph: which layers lead to which.
//!
//! A node is a progress value, and an edge is a pair of values that some step leads from and to. A
//! node accepts if a state of that value does. A cycle of the product is a closed walk here. So an
//! accepting cycle through several layers lies in a strongly connected component with more than one
//! node and an accepting one. Without such a component there is no such cycle, whatever the number
//! of regress edges. Otherwise nothing outside these components needs to be searched. (The idea is
//! that of the tool ASAP.)
//!
//! The graph stays small. When it has too many edges, the lowest bits of all values are dropped;
//! these are the last components of a tuple. A coarser graph excludes less, and never more.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use logic::strong_components::strong_components;

/// Most edges.
const EDGES: usize = 1 << 16;
/// Size of the cache of recent edges, indexed by a few bits of both values. Most steps repeat an
/// edge.
const LATELY: usize = 1 << 10;

/// A graph of which layers lead to which.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgressGraph {
    edges: BTreeSet<(u64, u64)>,
    accepting: BTreeSet<u64>,
    /// Number of low bits of values that are dropped.
    shift: u32,
    lately: Vec<(u64, u64)>,
}

impl Default for ProgressGraph {
    fn default() -> Self {
        Self { edges: BTreeSet::new(), accepting: BTreeSet::new(), shift: 0, lately: vec![(0, 0); LATELY] }
    }
}

impl ProgressGraph {
    /// Adds a step between two layers.
    #[inline]
    pub fn step(&mut self, before: u64, after: u64) {
        let edge = (before >> self.shift, after >> self.shift);
        let place = (edge.0.wrapping_mul(31).wrapping_add(edge.1)) as usize % LATELY;
        if self.lately[place] != edge {
            self.lately[place] = edge;
            self.add(edge);
        }
    }

    #[cold]
    fn add(&mut self, (before, after): (u64, u64)) {
        self.edges.insert((before, after));
        while self.edges.len() > EDGES {
            self.shift += 1;
            // Steps between layers that become one are kept as self-loops.
            self.edges = self.edges.iter().map(|(before, after)| (before >> 1, after >> 1)).collect();
            self.accepting = self.accepting.iter().map(|value| value >> 1).collect();
            self.lately.fill((0, 0));
        }
    }

    /// Notes that a layer has an accepting state.
    pub fn accepts(&mut self, value: u64) {
        self.accepting.insert(value >> self.shift);
    }

    /// The components in which cycles across layers can be.
    pub fn components(&self) -> ProgressComponents {
        let mut numbers = BTreeMap::new();
        for (before, after) in &self.edges {
            for value in [before, after] {
                let next = numbers.len() as u32;
                numbers.entry(*value).or_insert(next);
            }
        }
        let mut successors = vec![Vec::new(); numbers.len()];
        for (before, after) in &self.edges {
            successors[numbers[before] as usize].push(numbers[after]);
        }
        let components = strong_components(&successors);
        let of = |value: &u64| components.of[numbers[value] as usize];
        let (mut cycles, mut accepts) = (vec![false; components.count], vec![false; components.count]);
        for (before, after) in &self.edges {
            cycles[of(before) as usize] |= of(before) == of(after);
        }
        for value in numbers.keys().filter(|value| self.accepting.contains(value)) {
            accepts[of(value) as usize] = true;
        }
        let may_cycle = |component: usize| accepts[component] && cycles[component];
        let of = numbers
            .iter()
            .map(|(value, number)| (*value, components.of[*number as usize]))
            .filter(|(_, component)| may_cycle(*component as usize))
            .collect();
        ProgressComponents { of, shift: self.shift }
    }

    /// Approximate bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.edges.len() * 24 + self.accepting.len() * 12 + LATELY * 16
    }
}

/// Progress values between which there may be accepting cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgressComponents {
    of: BTreeMap<u64, u32>,
    shift: u32,
}

impl ProgressComponents {
    /// The component that a value belongs to, if there may be a cycle through its layer and others.
    pub fn of(&self, value: u64) -> Option<u32> {
        self.of.get(&(value >> self.shift)).copied()
    }

    /// Whether there are no such values.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_components_with_several_layers_and_acceptance_count() {
        let mut graph = ProgressGraph::default();
        for (before, after) in [(1, 2), (2, 1), (2, 5), (5, 6), (6, 5), (6, 9)] {
            graph.step(before, after);
        }
        graph.accepts(6);
        graph.accepts(9);
        let components = graph.components();
        assert_eq!((components.of(1), components.of(2), components.of(9)), (None, None, None));
        assert!(components.of(5).is_some() && components.of(5) == components.of(6));
    }

    #[test]
    fn a_graph_that_is_too_large_becomes_coarser_and_lets_more_pass() {
        let mut graph = ProgressGraph::default();
        for value in 0..200_000 {
            graph.step(value, value + 1);
        }
        graph.step(4, 3);
        graph.accepts(4);
        assert!(graph.edges.len() <= EDGES && graph.shift > 0);
        assert!(graph.components().of(4).is_some());
    }
}
