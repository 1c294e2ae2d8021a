//! Emptiness: the states from which an automaton accepts some word.
//!
//! A run eventually stays in one strongly connected component and can take each of its edges
//! infinitely often. So some word is accepted from a state exactly if it leads to a component whose
//! inner edges are, together, in every acceptance set. States that do not lead there are useless,
//! and a search must look for cycles only inside such components.

use super::{Buchi, Edge};
use crate::strong_components::{StrongComponents, strong_components};

impl Buchi {
    /// The strongly connected components of its graph.
    pub fn components(&self) -> StrongComponents {
        let successors: Vec<Vec<u32>> =
            self.states.iter().map(|edges| edges.iter().map(|edge| edge.target).collect()).collect();
        strong_components(&successors)
    }

    /// For each state, whether it lies on an accepting cycle: in a component with inner edges of
    /// every acceptance set.
    pub fn accepting_components(&self) -> Vec<bool> {
        self.accepting_among(&self.components())
    }

    /// For each state, whether it lies on an accepting cycle, given the components.
    pub(super) fn accepting_among(&self, components: &StrongComponents) -> Vec<bool> {
        let mut sets: Vec<Option<u32>> = vec![None; components.count];
        for (from, edge) in self.all_edges() {
            let component = components.of[from as usize];
            if components.of[edge.target as usize] == component {
                let inner = &mut sets[component as usize];
                *inner = Some(inner.unwrap_or(0) | edge.accepting);
            }
        }
        components.of.iter().map(|&component| sets[component as usize] == Some(self.all_sets())).collect()
    }

    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        self.useful().initial.is_empty()
    }

    /// The automaton without unreachable states and without states from which nothing is accepted.
    /// States are numbered in breadth-first order, so automata that differ only in numbers become
    /// equal.
    pub fn useful(&self) -> Self {
        let lively = self.lively();
        let mut numbers: Vec<Option<u32>> = vec![None; self.states.len()];
        let mut order: Vec<u32> = Vec::new();
        let mut meet = |state: u32, order: &mut Vec<u32>| {
            *numbers[state as usize].get_or_insert_with(|| {
                order.push(state);
                order.len() as u32 - 1
            })
        };
        let mut initial: Vec<u32> = Vec::new();
        for &state in self.initial.iter().filter(|&&state| lively[state as usize]) {
            let number = meet(state, &mut order);
            if !initial.contains(&number) {
                initial.push(number);
            }
        }
        let mut states = Vec::new();
        while let Some(&state) = order.get(states.len()) {
            let edges = self.states[state as usize].iter().filter(|edge| lively[edge.target as usize]);
            states.push(edges.map(|edge| Edge { target: meet(edge.target, &mut order), ..*edge }).collect());
        }
        Self { states, initial, acceptance_sets: self.acceptance_sets }
    }

    /// For each state, whether something is accepted from it.
    fn lively(&self) -> Vec<bool> {
        let mut before = vec![Vec::new(); self.states.len()];
        for (from, edge) in self.all_edges() {
            before[edge.target as usize].push(from);
        }
        let mut lively = self.accepting_components();
        let mut open: Vec<u32> = (0..lively.len() as u32).filter(|&state| lively[state as usize]).collect();
        while let Some(state) = open.pop() {
            for &from in &before[state as usize] {
                if !std::mem::replace(&mut lively[from as usize], true) {
                    open.push(from);
                }
            }
        }
        lively
    }

    /// All edges, with the states that they come from.
    pub(super) fn all_edges(&self) -> impl Iterator<Item = (u32, &Edge)> {
        self.states
            .iter()
            .enumerate()
            .flat_map(|(from, edges)| edges.iter().map(move |edge| (from as u32, edge)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cube;
    use super::*;

    fn edge(target: u32, accepting: u32) -> Edge {
        Edge { label: Cube::TRUE, target, accepting }
    }

    #[test]
    fn only_what_leads_to_an_accepting_component_is_useful() {
        let automaton = Buchi {
            states: vec![
                vec![edge(1, 0), edge(3, 0)],
                vec![edge(2, 0b01), edge(4, 0b11)],
                vec![edge(1, 0b10)],
                vec![edge(3, 0b01)],
                vec![],
                vec![edge(1, 0)],
            ],
            initial: vec![0],
            acceptance_sets: 2,
        };
        assert_eq!(automaton.accepting_components(), [false, true, true, false, false, false]);
        let useful = automaton.useful();
        assert_eq!(useful.states, [vec![edge(1, 0)], vec![edge(2, 0b01)], vec![edge(1, 0b10)]]);
        assert_eq!(useful.initial, [0]);
        assert!(!automaton.is_empty());
        let one_set_is_never_met = Buchi { acceptance_sets: 3, ..automaton };
        assert!(one_set_is_never_met.is_empty());
    }

    #[test]
    fn without_acceptance_sets_every_cycle_accepts() {
        let line = Buchi { states: vec![vec![edge(1, 0)], vec![]], initial: vec![0], acceptance_sets: 0 };
        assert!(line.is_empty());
        let ring = Buchi { states: vec![vec![edge(1, 0)], vec![edge(0, 0)]], ..line };
        assert!(!ring.is_empty());
    }
}
