//! Direct simulation: states that can do everything that others do.
//!
//! State `r` simulates state `q` if, for each letter and each edge of `q`, there is an edge of `r`
//! that is in at least the same acceptance sets and leads to a state that simulates its target.
//! Then `r` accepts every word that `q` accepts. Two states that simulate each other can be merged,
//! and an edge can be dropped if a parallel one leads to a state that simulates its target
//! (Etessami and Holzmann, CONCUR 2000; Somenzi and Bloem, CAV 2000). The relation is the greatest
//! one: it starts with all pairs, and pairs that fail are removed until none does.
//!
//! The sets of an edge between two components do not matter for acceptance, since it is taken once.
//! Comparing it in the pair's favour gives a larger relation. That relation is no longer an order,
//! but still implies inclusion of the accepted words. This suffices to redirect all edges from `q`
//! to an equal `r` in a component below: no new cycle arises.

use super::labels::is_covered;
use super::{Buchi, Cube, Edge};
use crate::strong_components::StrongComponents;

/// How acceptance sets of edges are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sets {
    /// As they are.
    AsTheyAre,
    /// Between components, in the pair's favour.
    InCyclesOnly,
}

/// Which state simulates which.
struct Simulation {
    /// `above[q][r]`: state `r` simulates state `q`.
    above: Vec<Vec<bool>>,
}

impl Simulation {
    fn of(automaton: &Buchi, components: &StrongComponents, sets: Sets) -> Self {
        let states = automaton.states.len();
        let mut simulation = Self { above: vec![vec![true; states]; states] };
        loop {
            let mut changed = false;
            // States are numbered breadth first: backwards, most targets are judged before what
            // leads to them.
            for q in (0..states).rev() {
                for r in (0..states).rev() {
                    if simulation.above[q][r]
                        && q != r
                        && !simulation.still_holds(automaton, components, sets, (q, r))
                    {
                        simulation.above[q][r] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return simulation;
            }
        }
    }

    fn still_holds(
        &self,
        automaton: &Buchi,
        components: &StrongComponents,
        sets: Sets,
        (q, r): (usize, usize),
    ) -> bool {
        let counts = |from: usize, edge: &Edge| {
            sets == Sets::AsTheyAre || components.of[from] == components.of[edge.target as usize]
        };
        automaton.states[q].iter().all(|edge| {
            let wanted = if counts(q, edge) { edge.accepting } else { 0 };
            let answers = automaton.states[r].iter().filter(|answer| {
                let given = if counts(r, answer) { answer.accepting } else { u32::MAX };
                wanted & !given == 0 && self.above[edge.target as usize][answer.target as usize]
            });
            // One answer for all letters is the rule, and needs no list.
            answers.clone().any(|answer| edge.label.implies(answer.label))
                || is_covered(edge.label, &answers.map(|answer| answer.label).collect::<Vec<Cube>>())
        })
    }

    fn are_equal(&self, q: usize, r: usize) -> bool {
        self.above[q][r] && self.above[r][q]
    }
}

impl Buchi {
    /// The automaton without states and edges that others make superfluous. Some of the rest may be
    /// unreachable.
    pub(super) fn without_simulated_states(&self) -> Self {
        let simulation = Simulation::of(self, &self.components(), Sets::AsTheyAre);
        let mut automaton = self.with_first_of_equals(&simulation);
        automaton.prune_edges(&simulation);
        let components = automaton.components();
        let in_cycles = Simulation::of(&automaton, &components, Sets::InCyclesOnly);
        automaton.lead_below(&in_cycles, &components);
        automaton.prune_initial_states(&in_cycles);
        automaton
    }

    fn with_first_of_equals(&self, simulation: &Simulation) -> Self {
        let first = |state: u32| {
            (0..state).find(|&other| simulation.are_equal(state as usize, other as usize)).unwrap_or(state)
        };
        let firsts: Vec<u32> = (0..self.states.len() as u32).map(first).collect();
        let mut automaton = self.clone();
        automaton.lead_to(&firsts);
        automaton
    }

    /// Replaces each state by another one.
    fn lead_to(&mut self, others: &[u32]) {
        for edges in &mut self.states {
            edges.iter_mut().for_each(|edge| edge.target = others[edge.target as usize]);
            edges.sort_unstable();
            edges.dedup();
        }
        self.initial.iter_mut().for_each(|state| *state = others[*state as usize]);
        self.initial.sort_unstable();
        self.initial.dedup();
    }

    /// Targets are the first of their equals, so that two edges which make each other superfluous
    /// are the same.
    fn prune_edges(&mut self, simulation: &Simulation) {
        for edges in &mut self.states {
            let all = edges.clone();
            edges.retain(|edge| {
                !all.iter().any(|other| {
                    other != edge
                        && edge.label.implies(other.label)
                        && edge.accepting & !other.accepting == 0
                        && simulation.above[edge.target as usize][other.target as usize]
                })
            });
        }
    }

    fn lead_below(&mut self, simulation: &Simulation, components: &StrongComponents) {
        let states = self.states.len();
        let lowest = |state: usize| {
            (0..states)
                .filter(|&other| other == state || simulation.are_equal(state, other))
                .min_by_key(|&other| (components.of[other], other != state, other))
                .unwrap_or(state) as u32
        };
        let lowest: Vec<u32> = (0..states).map(lowest).collect();
        self.lead_to(&lowest);
    }

    fn prune_initial_states(&mut self, simulation: &Simulation) {
        let mut at = 0;
        while at < self.initial.len() {
            let state = self.initial[at] as usize;
            let others = self.initial.iter().filter(|&&other| other as usize != state);
            if others.into_iter().any(|&other| simulation.above[state][other as usize]) {
                self.initial.remove(at);
            } else {
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(label: Cube, target: u32, accepting: u32) -> Edge {
        Edge { label, target, accepting }
    }

    #[test]
    fn cases_that_cover_each_other_are_one_state() {
        let p = Cube::proposition(0);
        let not_p = Cube::negated(0);
        let automaton = Buchi {
            states: vec![
                vec![edge(p, 1, 0), edge(not_p, 2, 0)],
                vec![edge(Cube::TRUE, 2, 1)],
                vec![edge(p, 1, 1), edge(not_p, 2, 1)],
            ],
            initial: vec![0],
            acceptance_sets: 1,
        };
        let reduced = automaton.without_simulated_states().useful();
        // The first state is taken once, so that it does not matter that it does not accept.
        assert_eq!(reduced.states.len(), 1, "{reduced:?}");
    }

    #[test]
    fn an_edge_beside_a_better_one_goes() {
        let p = Cube::proposition(0);
        let automaton = Buchi {
            states: vec![
                vec![edge(p, 1, 0), edge(Cube::TRUE, 2, 0), edge(Cube::TRUE, 0, 0)],
                vec![edge(p, 1, 1)],
                vec![edge(Cube::TRUE, 2, 1)],
            ],
            initial: vec![0],
            acceptance_sets: 1,
        };
        let reduced = automaton.without_simulated_states().useful();
        assert!(reduced.all_edges().all(|(_, edge)| edge.label == Cube::TRUE), "{reduced:?}");
    }
}
