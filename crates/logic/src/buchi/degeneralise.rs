//! Degeneralisation: from many acceptance sets on edges to accepting states.
//!
//! A state is copied once for each awaited set: the copy at level `i` waits for an edge of set `i`,
//! and continues at the next level when one is taken. The level above all sets is reached
//! infinitely often exactly if edges of every set are taken infinitely often. Its copies accept.
//! These rules keep the number of copies small (most are described by Babiak, Badie, Duret-Lutz,
//! Křetínský and Strejček, *Compositional approach to suspension and other improvements to LTL
//! translation*, SPIN 2013):
//!
//! - an edge that is in several awaited sets passes several levels at once;
//! - levels exist in components with an accepting cycle only, and count just the sets that decide
//!   there; elsewhere a state has one copy;
//! - an edge into another component may enter at any level: both ends are tried, and all orders of
//!   a few sets.
//!
//! The smallest automaton after reduction is taken.

use std::collections::HashMap;

use super::reduction::AcceptanceBy;
use super::{Buchi, Edge};

/// All orders of up to this many sets are tried, and no others.
const MOST_SETS_TO_ORDER: u32 = 4;
/// With more edges than this, one order is enough.
const MOST_EDGES_TO_ORDER: usize = 150;

/// At which level a component is entered.
#[derive(Clone, Copy)]
enum Entry {
    /// No set was met.
    Lowest,
    /// All sets were met.
    Accepting,
}

impl Buchi {
    /// An automaton that accepts the same words, with acceptance by states.
    pub fn degeneralised(&self) -> Self {
        let automaton = self.reduced(AcceptanceBy::Edges);
        let tries_orders =
            automaton.acceptance_sets <= MOST_SETS_TO_ORDER && automaton.edges() <= MOST_EDGES_TO_ORDER;
        let identity: Vec<u32> = (0..automaton.acceptance_sets).collect();
        let orders = if tries_orders { orders_of(&identity) } else { vec![identity] };
        let levels = Levels::new(&automaton);
        orders
            .iter()
            .flat_map(|order| [(order, Entry::Lowest), (order, Entry::Accepting)])
            .map(|(order, entry)| levels.unfolded(order, entry).reduced(AcceptanceBy::States))
            .min_by_key(|one| (one.states.len(), one.edges()))
            .expect("there is one order at least")
    }
}

/// All orders of some sets.
fn orders_of(sets: &[u32]) -> Vec<Vec<u32>> {
    if sets.is_empty() {
        return vec![Vec::new()];
    }
    let mut orders = Vec::new();
    for &first in sets {
        let rest: Vec<u32> = sets.iter().copied().filter(|&set| set != first).collect();
        orders.extend(orders_of(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    orders
}

struct Levels<'a> {
    automaton: &'a Buchi,
    components: Vec<u32>,
    /// Whether a state lies on an accepting cycle.
    accepting: Vec<bool>,
    /// For each component, the sets that decide in it.
    needed: Vec<u32>,
}

impl<'a> Levels<'a> {
    fn new(automaton: &'a Buchi) -> Self {
        let components = automaton.components();
        Self {
            accepting: automaton.accepting_among(&components),
            needed: automaton.needed_sets(&components),
            components: components.of,
            automaton,
        }
    }

    /// The sets that are awaited in the component of a state, in order.
    fn awaited(&self, state: u32, order: &[u32]) -> Vec<u32> {
        if !self.accepting[state as usize] {
            return Vec::new();
        }
        let needed = self.needed[self.components[state as usize] as usize];
        order.iter().copied().filter(|&set| needed >> set & 1 == 1).collect()
    }

    fn entry_level(&self, state: u32, order: &[u32], entry: Entry) -> usize {
        match entry {
            Entry::Lowest => 0,
            Entry::Accepting => self.awaited(state, order).len(),
        }
    }

    fn unfolded(&self, order: &[u32], entry: Entry) -> Buchi {
        let mut copies = Copies::default();
        let enter = |state: u32| (state, self.entry_level(state, order, entry));
        let initial = self.automaton.initial.iter().map(|&state| copies.number(enter(state))).collect();
        let mut states = Vec::new();
        while let Some(&(state, level)) = copies.met.get(states.len()) {
            let awaited = self.awaited(state, order);
            let accepts = self.accepting[state as usize] && level == awaited.len();
            let from = if level == awaited.len() { 0 } else { level };
            let mut edges = Vec::new();
            for edge in &self.automaton.states[state as usize] {
                let is_inner = self.components[edge.target as usize] == self.components[state as usize];
                let copy = if is_inner {
                    let passed = awaited[from..].iter().take_while(|&&set| edge.accepting >> set & 1 == 1);
                    (edge.target, from + passed.count())
                } else {
                    enter(edge.target)
                };
                edges.push(Edge {
                    label: edge.label,
                    target: copies.number(copy),
                    accepting: accepts.into(),
                });
            }
            states.push(edges);
        }
        Buchi { states, initial, acceptance_sets: 1 }
    }
}

/// States with their levels, numbered in the order of discovery.
#[derive(Default)]
struct Copies {
    met: Vec<(u32, usize)>,
    numbers: HashMap<(u32, usize), u32>,
}

impl Copies {
    fn number(&mut self, copy: (u32, usize)) -> u32 {
        *self.numbers.entry(copy).or_insert_with(|| {
            self.met.push(copy);
            self.met.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cube;
    use super::*;

    #[test]
    fn two_sets_take_three_copies() {
        let edge = |label, accepting| Edge { label, target: 0, accepting };
        let (p, q) = (Cube::proposition(0), Cube::proposition(1));
        let both = Cube { holds: 3, fails: 0 };
        let automaton = Buchi {
            states: vec![vec![edge(Cube::TRUE, 0), edge(p, 1), edge(q, 2), edge(both, 3)]],
            initial: vec![0],
            acceptance_sets: 2,
        };
        let by_states = automaton.degeneralised();
        assert!(by_states.accepts_by_states());
        assert_eq!(by_states.states.len(), 3);
        assert!(by_states.accepts(&[0], &[1, 0, 2]));
        assert!(!by_states.accepts(&[2, 3], &[1]));
    }

    #[test]
    fn where_every_cycle_accepts_nothing_is_copied() {
        let edge = |target, accepting| Edge { label: Cube::proposition(0), target, accepting };
        let automaton =
            Buchi { states: vec![vec![edge(1, 1)], vec![edge(0, 2)]], initial: vec![0], acceptance_sets: 2 };
        assert_eq!(automaton.degeneralised().states.len(), 1);
    }
}
