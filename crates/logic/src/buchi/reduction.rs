//! Smaller automata that accept the same words.
//!
//! Each state of the automaton is multiplied with each state of the model, so a state less here
//! saves millions. These steps are repeated until nothing becomes smaller:
//!
//! 1. useless states are removed ([`Buchi::useful`]);
//! 2. acceptance is kept only where it decides: in components with an accepting cycle, and there
//!    only the sets without which another cycle would accept (Somenzi and Bloem, CAV 2000, prune in
//!    a similar way);
//! 3. labels of edges get shorter;
//! 4. states with the same edges are merged (bisimulation, by refinement of a partition: cheap);
//! 5. states that simulate each other are merged (`simulation`: quadratic, for automata of moderate
//!    size).

use std::collections::HashMap;

use super::labels::shorten;
use super::{Buchi, Edge};
use crate::strong_components::StrongComponents;

/// Limit on edges for simulation, whose time is quadratic in them.
const MOST_EDGES_FOR_SIMULATION: usize = 1_500;

/// Limit on the edges of a state for comparing labels, which is done pairwise.
const MOST_EDGES_TO_SHORTEN: usize = 200;

/// The kind of acceptance that the reduction must preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptanceBy {
    /// On edges, in as many sets as are needed.
    Edges,
    /// One set, with all edges out of a state or none.
    States,
}

impl Buchi {
    /// A smaller automaton, as far as one is found.
    pub(crate) fn reduced(&self, by: AcceptanceBy) -> Self {
        let mut automaton = self.useful();
        let mut size = None;
        loop {
            match by {
                AcceptanceBy::Edges => automaton.decide_by_few_sets(),
                AcceptanceBy::States => automaton.accept_where_it_changes_nothing(),
            }
            let few = automaton.states.iter_mut().filter(|edges| edges.len() <= MOST_EDGES_TO_SHORTEN);
            few.for_each(shorten);
            automaton = automaton.without_bisimilar_states();
            if automaton.edges() <= MOST_EDGES_FOR_SIMULATION {
                automaton = automaton.without_simulated_states();
            }
            automaton = automaton.useful();
            let before = size.replace(automaton.weight());
            if before.is_some_and(|before| before <= automaton.weight()) {
                debug_assert!(by == AcceptanceBy::Edges || automaton.accepts_by_states());
                return automaton;
            }
        }
    }

    /// A size that becomes smaller in every round except the last: states, edges, acceptance sets,
    /// literals.
    fn weight(&self) -> [usize; 4] {
        let literals = |(_, edge): (_, &Edge)| (edge.label.holds | edge.label.fails).count_ones() as usize;
        let sets = self.acceptance_sets as usize;
        [self.states.len(), self.edges(), sets, self.all_edges().map(literals).sum()]
    }

    /// Keeps acceptance only on edges that decide, in as few sets as possible. An edge between
    /// components is taken once, so its sets do not matter, and it is put into every set.
    fn decide_by_few_sets(&mut self) {
        let components = self.components();
        let accepting = self.accepting_among(&components);
        let needed = self.needed_sets(&components);
        let sets = |state: usize| {
            if accepting[state] { needed[components.of[state] as usize].count_ones() } else { 1 }
        };
        let has_cycle = |state: usize| {
            let component = components.of[state];
            accepting[state]
                || self.states[state].iter().any(|edge| components.of[edge.target as usize] == component)
        };
        let most = (0..self.states.len()).filter(|&state| has_cycle(state)).map(sets).max().unwrap_or(0);
        self.acceptance_sets = most;
        let all = self.all_sets();
        for (from, edges) in self.states.iter_mut().enumerate() {
            let component = components.of[from];
            for edge in edges {
                edge.accepting = if components.of[edge.target as usize] != component {
                    all
                } else if accepting[from] {
                    packed(edge.accepting, needed[component as usize]) & all
                } else {
                    0
                };
            }
        }
    }

    /// For each component, acceptance sets without which another cycle would be accepting.
    pub(super) fn needed_sets(&self, components: &StrongComponents) -> Vec<u32> {
        let mut needed = vec![self.all_sets(); components.count];
        for set in 0..self.acceptance_sets {
            // What is left of each component without the edges of this set.
            let mut rest = self.clone();
            for (from, edges) in rest.states.iter_mut().enumerate() {
                edges.retain(|edge| {
                    components.of[edge.target as usize] == components.of[from]
                        && edge.accepting >> set & 1 == 0
                });
            }
            let parts = rest.components();
            let mut met = vec![None; parts.count];
            for (from, edge) in rest.all_edges() {
                let part = parts.of[from as usize];
                if parts.of[edge.target as usize] == part {
                    met[part as usize] = Some(met[part as usize].unwrap_or(0) | edge.accepting);
                }
            }
            let mut decides = vec![false; components.count];
            for (state, &part) in parts.of.iter().enumerate() {
                let others = needed[components.of[state] as usize] & !(1 << set);
                decides[components.of[state] as usize] |=
                    met[part as usize].is_some_and(|met| others & !met == 0);
            }
            for (needed, _) in needed.iter_mut().zip(decides).filter(|(_, decides)| !decides) {
                *needed &= !(1 << set);
            }
        }
        needed
    }

    /// A state may accept if all cycles through it are accepting without it: then more states are
    /// alike.
    fn accept_where_it_changes_nothing(&mut self) {
        let accepting = self.accepting_components();
        for (edges, accepting) in self.states.iter_mut().zip(accepting) {
            if !accepting {
                edges.iter_mut().for_each(|edge| edge.accepting = 0);
            }
        }
        let mut rest = self.clone();
        rest.states.iter_mut().for_each(|edges| edges.retain(|edge| edge.accepting == 0));
        let rejects: Vec<bool> = Self { acceptance_sets: 0, ..rest }.accepting_components();
        for (edges, rejects) in self.states.iter_mut().zip(rejects) {
            if !rejects {
                edges.iter_mut().for_each(|edge| edge.accepting = 1);
            }
        }
    }

    /// States with the same edges, up to states with the same edges, are one.
    fn without_bisimilar_states(&self) -> Self {
        let mut classes = vec![0; self.states.len()];
        let mut count = 1;
        loop {
            let mut numbers: HashMap<Vec<Edge>, u32> = HashMap::new();
            let refined: Vec<u32> = self
                .states
                .iter()
                .map(|edges| {
                    let known = numbers.len() as u32;
                    *numbers.entry(renamed(edges, &classes)).or_insert(known)
                })
                .collect();
            classes = refined;
            if numbers.len() <= count {
                break;
            }
            count = numbers.len();
        }
        self.with_representatives(&classes)
    }

    /// One state for each class, with the edges of the first of its members. Classes are numbered
    /// as they appear.
    fn with_representatives(&self, classes: &[u32]) -> Self {
        let mut states = Vec::new();
        for (edges, &class) in self.states.iter().zip(classes) {
            if class as usize == states.len() {
                states.push(renamed(edges, classes));
            }
        }
        let mut initial: Vec<u32> = self.initial.iter().map(|&state| classes[state as usize]).collect();
        initial.sort_unstable();
        initial.dedup();
        Self { states, initial, acceptance_sets: self.acceptance_sets }
    }
}

fn renamed(edges: &[Edge], names: &[u32]) -> Vec<Edge> {
    let mut renamed: Vec<Edge> =
        edges.iter().map(|edge| Edge { target: names[edge.target as usize], ..*edge }).collect();
    renamed.sort_unstable();
    renamed.dedup();
    renamed
}

/// The bits at the needed places, moved together; above them, ones.
fn packed(accepting: u32, needed: u32) -> u32 {
    let mut packed = u32::MAX;
    let places = (0..u32::BITS).filter(|place| needed >> place & 1 == 1);
    for (at, place) in places.enumerate() {
        if accepting >> place & 1 == 0 {
            packed &= !(1 << at);
        }
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::super::Cube;
    use super::*;
    use crate::ltl::random_formulas::lasso;
    use model::random::Random;

    /// An automaton with up to six states, three sets and three propositions.
    fn random_automaton(random: &mut Random) -> Buchi {
        let states = 1 + random.below(6);
        let sets = random.below(4) as u32;
        let mut automaton =
            Buchi { states: vec![Vec::new(); states], initial: vec![0], acceptance_sets: sets };
        if random.below(3) == 0 {
            automaton.initial.push(random.below(states) as u32);
        }
        for _ in 0..random.below(3 * states + 1) {
            let (holds, fails) = (random.below(8) as u64, random.below(8) as u64);
            let label = if random.below(3) == 0 {
                Cube::TRUE
            } else {
                Cube { holds: holds & !fails, fails: fails & !holds }
            };
            let edge = Edge {
                label,
                target: random.below(states) as u32,
                accepting: (random.below(8) | random.below(8)) as u32 & automaton.all_sets(),
            };
            automaton.states[random.below(states)].push(edge);
        }
        automaton
    }

    #[test]
    fn a_reduced_automaton_accepts_the_same_words() {
        let mut random = Random::new(7);
        let mut smaller = 0;
        for _ in 0..3_000 {
            let automaton = random_automaton(&mut random);
            let reduced = automaton.reduced(AcceptanceBy::Edges);
            assert!(reduced.states.len() <= automaton.states.len());
            smaller += automaton.useful().states.len() - reduced.states.len();
            let by_states = automaton.degeneralised();
            assert!(by_states.accepts_by_states());
            for _ in 0..6 {
                let (stem, cycle) = lasso(&mut random);
                let expected = automaton.accepts(&stem, &cycle);
                assert_eq!(reduced.accepts(&stem, &cycle), expected, "{automaton:?}\n{reduced:?}");
                assert_eq!(by_states.accepts(&stem, &cycle), expected, "{automaton:?}\n{by_states:?}");
            }
        }
        assert!(smaller > 300, "{smaller}");
    }

    #[test]
    fn a_set_that_every_accepting_cycle_meets_is_not_needed() {
        let edge = |target, accepting| Edge { label: Cube::TRUE, target, accepting };
        let automaton = Buchi {
            states: vec![vec![edge(1, 0b10), edge(0, 0b00)], vec![edge(0, 0b01)]],
            initial: vec![0],
            acceptance_sets: 2,
        };
        assert_eq!(automaton.needed_sets(&automaton.components()), [0b10]);
    }
}
