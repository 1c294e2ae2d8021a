//! Acceptance of a lasso word: a stem, and a cycle that is repeated.
//!
//! The word is a graph, too: a line that ends in a ring. The product of automaton and word has a
//! node for each state and position. The word is accepted exactly if a component with inner edges
//! of every acceptance set is reachable in it. Time is proportional to the edges times the length
//! of the word.

use super::{Buchi, Cube, Edge};

impl Buchi {
    /// Whether the automaton accepts the word that repeats `cycle` after `stem`. The bits of a
    /// letter say which propositions hold.
    ///
    /// # Panics
    /// If the cycle is empty: the word would be finite.
    pub fn accepts(&self, stem: &[u64], cycle: &[u64]) -> bool {
        assert!(!cycle.is_empty(), "a word is infinite");
        let length = (stem.len() + cycle.len()) as u32;
        let following = |at: u32| if at + 1 == length { stem.len() as u32 } else { at + 1 };
        let letters = stem.iter().chain(cycle);
        let mut product = Self {
            states: Vec::with_capacity(self.states.len() * length as usize),
            initial: self.initial.iter().map(|&state| state * length).collect(),
            acceptance_sets: self.acceptance_sets,
        };
        for edges in &self.states {
            for (at, &letter) in (0..).zip(letters.clone()) {
                let possible = edges.iter().filter(|edge| edge.label.is_true_of(letter));
                let steps = possible.map(|edge| Edge {
                    label: Cube::TRUE,
                    target: edge.target * length + following(at),
                    accepting: edge.accepting,
                });
                product.states.push(steps.collect());
            }
        }
        !product.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_must_be_met_again_and_again() {
        let edge = |label, accepting| Edge { label, target: 0, accepting };
        let automaton = Buchi {
            states: vec![vec![
                edge(Cube::TRUE, 0),
                edge(Cube::proposition(0), 0b01),
                edge(Cube::proposition(1), 0b10),
            ]],
            initial: vec![0],
            acceptance_sets: 2,
        };
        assert!(automaton.accepts(&[], &[1, 0, 2]));
        assert!(automaton.accepts(&[0], &[3, 3]));
        assert!(!automaton.accepts(&[1, 2], &[1]));
        // One letter is read by one edge.
        assert!(automaton.accepts(&[], &[3]));
        assert!(!Buchi::default().accepts(&[], &[0]));
    }
}
