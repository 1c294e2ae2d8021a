//! Translation of a formula to a Büchi automaton that accepts the words of which the formula is
//! true.
//!
//! The construction is that of Gastin and Oddoux (*Fast LTL to Büchi automata translation*, CAV
//! 2001) with labels and acceptance sets on edges as in Couvreur (*On-the-fly verification of
//! linear temporal logic*, FM 1999):
//!
//! 1. the formula is brought into negation normal form and simplified ([`ltl`](super::ltl));
//! 2. a state is a set of formulas that must be true from now on; its edges come from the *moves*
//!    of these formulas: a cube that is true now, and what must be true next. Each `U` gives an
//!    acceptance set, which an edge is in unless it puts the `U` off;
//! 3. the automaton is made smaller, and with acceptance by states ([`Buchi::degeneralised`]) once
//!    more.
//!
//! Declarative constructions by all subsets of subformulas are simpler, but always exponential. A
//! construction by derivatives with decision diagrams finds slightly smaller automata and needs a
//! package of such diagrams.
//!
//! In the worst case the automaton is exponential in the formula. [`Limits`] bound the work; within
//! the default ones a translation takes a few seconds at most.

mod moves;
mod tableau;

use super::buchi::Buchi;
use super::buchi::reduction::AcceptanceBy;
use super::ltl::Ltl;
use super::ltl::formula_table::FormulaTable;
use tableau::Tableau;

/// Bounds of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operators, propositions and constants of the formula.
    pub operators: usize,
    /// Depth of nested operators.
    pub depth: usize,
    /// States before the automaton is reduced.
    pub states: usize,
    /// Edges of all states.
    pub edges: usize,
    /// Edges of one state, and alternatives of one formula.
    pub alternatives: usize,
    /// Pairs of alternatives that are compared, which takes most of the time.
    pub comparisons: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            operators: 2_000,
            depth: 500,
            states: 10_000,
            edges: 50_000,
            alternatives: 1_000,
            comparisons: 500_000_000,
        }
    }
}

/// The formula, or its automaton, is larger than the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaTooLarge {
    /// Too long.
    #[error("the formula has more than {0} operators and propositions")]
    Operators(usize),
    /// Too deep.
    #[error("the formula has more than {0} operators inside one another")]
    Depth(usize),
    /// Too many states.
    #[error("the automaton of the formula has more than {0} states")]
    States(usize),
    /// Too many edges.
    #[error("the automaton of the formula has more than {0} edges")]
    Edges(usize),
    /// Too many alternatives.
    #[error("a part of the formula has more than {0} alternatives for one step")]
    Alternatives(usize),
    /// Too much to do.
    #[error("the translation of the formula takes more than {0} comparisons")]
    Comparisons(usize),
    /// More acceptance sets than an edge has bits for.
    #[error("the formula has more than {0} different untils, each of which needs an acceptance set")]
    AcceptanceSets(u32),
}

impl FormulaTooLarge {
    /// Advice for the user.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Operators(_) | Self::Depth(_) => {
                "give parts of it that speak of one state names, as propositions of the model"
            }
            Self::States(_)
            | Self::Edges(_)
            | Self::Alternatives(_)
            | Self::Comparisons(_)
            | Self::AcceptanceSets(_) => {
                "check the parts of a conjunction one by one, each as a property of its own"
            }
        }
    }
}

/// An automaton that accepts exactly the words of which the formula is true, in general with
/// several acceptance sets on its edges.
pub fn buchi_of(formula: &Ltl, limits: &Limits) -> Result<Buchi, FormulaTooLarge> {
    if formula.size() > limits.operators {
        return Err(FormulaTooLarge::Operators(limits.operators));
    }
    if formula.depth() > limits.depth {
        return Err(FormulaTooLarge::Depth(limits.depth));
    }
    let mut table = FormulaTable::new();
    let root = table.simplified(formula);
    let automaton = Tableau::new(table, root, limits)?.automaton()?;
    Ok(automaton.reduced(AcceptanceBy::Edges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::random_formulas::{formula, lasso};
    use model::random::Random;

    #[test]
    fn the_automaton_accepts_what_the_formula_says() {
        let mut random = Random::new(8);
        for _ in 0..6_000 {
            let size = random.below(13);
            let formula = formula(&mut random, size);
            let automaton = buchi_of(&formula, &Limits::default()).unwrap();
            let opposite = buchi_of(&Ltl::negation(formula.clone()), &Limits::default()).unwrap();
            let by_states = automaton.degeneralised();
            let opposite_by_states = opposite.degeneralised();
            assert!(by_states.accepts_by_states() && opposite_by_states.accepts_by_states());
            for _ in 0..8 {
                let (stem, cycle) = lasso(&mut random);
                let truth = formula.is_true_of(&stem, &cycle);
                let word = format!("{formula} on {stem:?} {cycle:?}");
                assert_eq!(automaton.accepts(&stem, &cycle), truth, "{word}\n{automaton:?}");
                assert_eq!(by_states.accepts(&stem, &cycle), truth, "{word}\n{by_states:?}");
                assert_eq!(opposite.accepts(&stem, &cycle), !truth, "{word}\n{opposite:?}");
                assert_eq!(
                    opposite_by_states.accepts(&stem, &cycle),
                    !truth,
                    "{word}\n{opposite_by_states:?}"
                );
            }
        }
    }

    /// Two formulas for which moves were dropped that looked superfluous, but were the only ones to
    /// fulfil `F p1` and `F not p2`.
    #[test]
    fn what_is_asked_for_again_in_the_next_step_is_fulfilled_now() {
        let [p0, p1, p2] = [0, 1, 2].map(Ltl::Proposition);
        let again = Ltl::globally(Ltl::finally(p1.clone()));
        let until = Ltl::until(Ltl::next(p1.clone()), p2.clone());
        let soon = Ltl::next(Ltl::and(Ltl::and(until, Ltl::finally(p1.clone())), p0.clone()));
        let first = Ltl::globally(Ltl::until(soon, Ltl::and(again, p0)));
        assert!(first.is_true_of(&[3], &[5, 2]));
        assert!(buchi_of(&first, &Limits::default()).unwrap().accepts(&[3], &[5, 2]));
        let later = Ltl::next(Ltl::finally(Ltl::negation(p2)));
        let second = Ltl::globally(Ltl::until(later.clone(), Ltl::and(later, Ltl::negation(p1))));
        assert!(second.is_true_of(&[6], &[1, 4, 2]));
        assert!(buchi_of(&second, &Limits::default()).unwrap().accepts(&[6], &[1, 4, 2]));
    }

    #[test]
    fn constants_have_the_smallest_automata() {
        let always = buchi_of(&Ltl::True, &Limits::default()).unwrap();
        assert_eq!((always.states.len(), always.acceptance_sets), (1, 0));
        assert!(always.accepts(&[], &[0]) && always.degeneralised().accepts_by_states());
        let never = buchi_of(&Ltl::False, &Limits::default()).unwrap();
        assert!(never.states.is_empty() && never.is_empty());
        assert!(never.degeneralised().accepts_by_states());
    }

    fn propositions(count: u8) -> impl Iterator<Item = Ltl> {
        (0..count).map(Ltl::Proposition)
    }

    fn conjunction(parts: impl Iterator<Item = Ltl>) -> Ltl {
        parts.fold(Ltl::True, Ltl::and)
    }

    #[test]
    fn fairness_takes_one_state_with_a_set_for_each_process() {
        let fair = conjunction(propositions(6).map(|p| Ltl::globally(Ltl::finally(p))));
        let automaton = buchi_of(&fair, &Limits::default()).unwrap();
        assert_eq!((automaton.states.len(), automaton.acceptance_sets), (1, 6));
        assert_eq!(automaton.degeneralised().states.len(), 7);
    }

    #[test]
    fn what_is_too_large_is_an_error() {
        let limits = Limits::default();
        let many = conjunction(propositions(40).map(|p| Ltl::globally(Ltl::finally(p))));
        assert_eq!(buchi_of(&many, &limits).err(), Some(FormulaTooLarge::AcceptanceSets(32)));
        let wide = conjunction(propositions(30).map(Ltl::finally));
        assert_eq!(buchi_of(&wide, &limits).err(), Some(FormulaTooLarge::Alternatives(limits.alternatives)));
        let few = Limits { states: 20, ..limits };
        let nested = conjunction(propositions(5).map(Ltl::finally));
        assert_eq!(buchi_of(&nested, &few).err(), Some(FormulaTooLarge::States(20)));
        let few = Limits { edges: 100, ..limits };
        assert_eq!(buchi_of(&nested, &few).err(), Some(FormulaTooLarge::Edges(100)));
        let few = Limits { comparisons: 1_000, ..limits };
        assert_eq!(buchi_of(&nested, &few).err(), Some(FormulaTooLarge::Comparisons(1_000)));
        let deep = |depth| (0..depth).fold(Ltl::Proposition(0), |f, _| Ltl::negation(Ltl::next(f)));
        assert_eq!(buchi_of(&deep(300), &limits), Err(FormulaTooLarge::Depth(limits.depth)));
        assert_eq!(buchi_of(&deep(200), &limits).unwrap().degeneralised().states.len(), 202);
        let long = conjunction((0..1_000).map(|_| Ltl::Proposition(0)));
        assert_eq!(buchi_of(&long, &limits).err(), Some(FormulaTooLarge::Operators(limits.operators)));
    }
}
