//! The product of a state space and an automaton, for safety properties (thesis 2017, sections 3.2
//! and 3.3).
//!
//! In definition 3.3 the automaton reads the label of each state that is entered, the initial one
//! included, so it also reads a proposition that holds only where the space ends. That definition
//! has several initial states if the automaton can read the first state in two ways, but a state
//! space has one. So a product state is `(s, q)` with the automaton's state *before* it reads `s`.
//! The steps to `(t, r)` follow the steps from `s` to `t` and the labels from `q` to `r` that fit
//! `s`. The proposition [`ACCEPTING`] holds in `(s, q)` when a label that fits `s` leads from `q`
//! to an acceptance state. It holds in a reachable state exactly if a product state of definition
//! 3.3 with an acceptance state is reachable, and runs are as long as those of the space. As 3.3
//! presupposes, an initial state of the automaton that is an acceptance state makes no difference
//! until it is entered again.
//!
//! Progress values are those of the space. A product state is called `s/q`, and [`model_state`]
//! returns `s`, which is what a trace reports. The cost is one row for each reachable pair.

use std::collections::HashMap;
use std::fmt;

use super::{Arc, Automaton, Literal, StateRow, StateSpace};

/// The proposition of a product that is true where the automaton accepts. It is extended by `_` if
/// the space has a proposition of this name, and is always the last proposition of the product.
pub const ACCEPTING: &str = "accepting";

/// The reason why there is no product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProductError {
    /// The automaton uses a proposition that the space does not have.
    UnknownProposition(String),
    /// There are more states than 32 bits can number.
    TooLarge,
}

impl fmt::Display for ProductError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownProposition(name) => {
                write!(formatter, "the automaton uses `{name}`, which is no proposition of the state space")
            }
            Self::TooLarge => write!(formatter, "the product has more than {} states", u32::MAX),
        }
    }
}

impl std::error::Error for ProductError {}

/// The state of the space in the name of a product state: `s` of `s/q`.
pub fn model_state(product_state: &str) -> &str {
    product_state.rsplit_once('/').map_or(product_state, |(state, _)| state)
}

impl StateSpace {
    /// The reachable product with an automaton that was read with the propositions of this space.
    ///
    /// ```
    /// use languages::{Automaton, StateSpace};
    ///
    /// let space = StateSpace::read("1 0 1 !p * 2\n2 1 1 p\n").expect("a space");
    /// let automaton = Automaton::read("0\n1\n0 true 0 p 1\n1\n", &space.propositions).expect("an automaton");
    /// let product = space.product(&automaton).expect("small enough");
    /// assert_eq!(product.propositions, ["p", "accepting"]);
    /// assert_eq!((&*product.states[1].id, product.states[1].truths[1]), ("2/0", true));
    /// ```
    ///
    /// # Errors
    /// The automaton was read with other propositions, or there are too many states.
    pub fn product(&self, automaton: &Automaton) -> Result<StateSpace, ProductError> {
        let columns: Vec<Option<usize>> = automaton
            .propositions
            .iter()
            .map(|name| self.propositions.iter().position(|known| known == name))
            .collect();
        let used = automaton.transitions.iter().flatten().flat_map(|transition| &transition.label);
        if let Some(unknown) = used.map(|literal| literal.proposition).find(|&one| columns[one].is_none()) {
            return Err(ProductError::UnknownProposition(automaton.propositions[unknown].clone()));
        }
        let mut pairs = Pairs::default();
        if !self.states.is_empty() {
            pairs.number(0, automaton.initial as u32)?;
        }
        let mut states = Vec::new();
        let mut successors = Vec::new();
        while let Some(&(place, watcher)) = pairs.order.get(states.len()) {
            let state = &self.states[place as usize];
            automaton.read_state(watcher as usize, &state.truths, &columns, &mut successors);
            let accepts = successors.iter().any(|one| automaton.accepting[*one as usize]);
            let mut arcs = Vec::with_capacity(state.arcs.len() * successors.len());
            for arc in &state.arcs {
                for successor in &successors {
                    arcs.push(Arc { target: pairs.number(arc.target, *successor)?, ..*arc });
                }
            }
            states.push(StateRow {
                id: format!("{}/{}", state.id, automaton.states[watcher as usize]).into(),
                progress: state.progress,
                truths: state.truths.iter().copied().chain([accepts]).collect(),
                arcs: arcs.into(),
            });
        }
        let mut propositions = self.propositions.clone();
        propositions.push(self.free_name(ACCEPTING));
        Ok(StateSpace { propositions, actions: self.actions.clone(), states })
    }
}

impl Automaton {
    /// Collects the states that follow `from` when the automaton reads a state, each once, in
    /// `successors`.
    fn read_state(&self, from: usize, truths: &[bool], columns: &[Option<usize>], successors: &mut Vec<u32>) {
        successors.clear();
        let fits = |literal: &Literal| {
            columns[literal.proposition].and_then(|column| truths.get(column)) == Some(&literal.holds)
        };
        for transition in &self.transitions[from] {
            let target = transition.target as u32;
            if !successors.contains(&target) && transition.label.iter().all(fits) {
                successors.push(target);
            }
        }
    }
}

/// Product states, numbered in the order of discovery.
#[derive(Default)]
struct Pairs {
    numbers: HashMap<(u32, u32), u32>,
    order: Vec<(u32, u32)>,
}

impl Pairs {
    fn number(&mut self, place: u32, watcher: u32) -> Result<u32, ProductError> {
        let next = u32::try_from(self.order.len()).map_err(|_| ProductError::TooLarge)?;
        let number = *self.numbers.entry((place, watcher)).or_insert(next);
        if number == next {
            self.order.push((place, watcher));
        }
        Ok(number)
    }
}
