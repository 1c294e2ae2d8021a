//! Büchi automata: sets of infinite runs.
//!
//! An automaton reads the states of a run one after the other. From state `q` it takes an edge
//! whose label is true in the state that it reads; if there is none, it has no run. It accepts if
//! it takes edges of every acceptance set infinitely often. With no set at all, every infinite run
//! is accepted. An automaton whose states accept has one set, which contains all edges out of these
//! states: see [`Buchi::accepts_by_states`].

pub mod acceptance;
pub mod degeneralise;
pub mod emptiness;
pub mod hoa;
mod labels;
pub(super) mod reduction;
mod simulation;

use serde::Serialize;

use super::ltl::Proposition;

/// A Büchi automaton, in general with several acceptance sets on its edges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Buchi {
    /// Edges out of each state.
    pub states: Vec<Vec<Edge>>,
    /// The states in which it starts.
    pub initial: Vec<u32>,
    /// Number of acceptance sets, at most 32.
    pub acceptance_sets: u32,
}

/// A step of an automaton.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Edge {
    /// The condition on the state that is read. There is one edge for each alternative.
    pub label: Cube,
    /// The target.
    pub target: u32,
    /// The acceptance sets that it is in: bit `i` for set `i`.
    pub accepting: u32,
}

/// A conjunction of propositions and negated propositions, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cube {
    /// Propositions that must hold.
    pub holds: u64,
    /// Propositions that must not hold.
    pub fails: u64,
}

impl Cube {
    /// True in every state.
    pub const TRUE: Self = Self { holds: 0, fails: 0 };

    /// One proposition.
    pub fn proposition(proposition: Proposition) -> Self {
        Self { holds: 1 << proposition, fails: 0 }
    }

    /// The negation of one proposition.
    pub fn negated(proposition: Proposition) -> Self {
        Self { holds: 0, fails: 1 << proposition }
    }

    /// Whether the cube is true where exactly these propositions hold.
    pub fn is_true_of(self, propositions: u64) -> bool {
        propositions & self.holds == self.holds && propositions & self.fails == 0
    }

    /// Whether the cube implies the other one.
    pub fn implies(self, other: Self) -> bool {
        self.holds & other.holds == other.holds && self.fails & other.fails == other.fails
    }

    /// The conjunction; `None` if the cubes contradict each other.
    pub fn and(self, other: Self) -> Option<Self> {
        let both = Self { holds: self.holds | other.holds, fails: self.fails | other.fails };
        (both.holds & both.fails == 0).then_some(both)
    }
}

impl Buchi {
    /// Whether states accept: there is one set, and for each state it contains all outgoing edges
    /// or none.
    pub fn accepts_by_states(&self) -> bool {
        self.acceptance_sets == 1
            && self
                .states
                .iter()
                .all(|edges| edges.windows(2).all(|pair| pair[0].accepting == pair[1].accepting))
    }

    /// The automaton that reads the states in which the proposition does not hold, and waits in the
    /// others. A run that it waits for forever is accepted if it waits in an accepting state. It
    /// accepts by states.
    pub fn skipping(&self, skipped: Proposition) -> Self {
        debug_assert!(self.accepts_by_states(), "a state accepts or not, also while it waits");
        let here = Cube::negated(skipped);
        let states = (0..).zip(&self.states).map(|(number, edges)| {
            let accepting = edges.first().map_or(0, |edge| edge.accepting);
            let wait = Edge { label: Cube::proposition(skipped), target: number, accepting };
            let read =
                edges.iter().filter_map(|edge| Some(Edge { label: edge.label.and(here)?, ..edge.clone() }));
            read.chain([wait]).collect()
        });
        Self { states: states.collect(), ..self.clone() }
    }

    /// All acceptance sets, as bits.
    pub fn all_sets(&self) -> u32 {
        1_u32.checked_shl(self.acceptance_sets).unwrap_or(0).wrapping_sub(1)
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }
}
