//! Linear temporal logic: properties of runs.
//!
//! A run is an infinite sequence of states; a proposition is true or false in each of them. Six
//! operators suffice, and everything else is built from them: `F f` is `true U f`, `G f` is `false
//! R f`, `f W g` is `g R (f or g)`.
//!
//! A formula is a tree, and all its algorithms are recursive, even dropping it. A depth of a
//! thousand operators is safe on the stack of any thread; readers of formulas should refuse deeper
//! ones. The translation to automata does: see [`Limits`](super::ltl_to_buchi::Limits).

use serde::Serialize;

pub mod display;
pub(super) mod formula_table;
mod implication;
pub mod normal_form;
pub mod on_lasso;
mod simplify;

/// The number of a proposition: the bit of [`Truth::holds`] that says whether it holds.
///
/// [`Truth::holds`]: model::transition_system::Truth::holds
pub type Proposition = u8;

/// A formula of linear temporal logic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Ltl {
    /// Always true.
    True,
    /// Never true.
    False,
    /// True in the first state.
    Proposition(Proposition),
    /// Negation.
    Not(Box<Ltl>),
    /// Conjunction.
    And(Box<Ltl>, Box<Ltl>),
    /// Disjunction.
    Or(Box<Ltl>, Box<Ltl>),
    /// True of the run that begins with the next state.
    Next(Box<Ltl>),
    /// The second becomes true, and until then the first is.
    Until(Box<Ltl>, Box<Ltl>),
    /// The second is true up to and including the state in which the first is; if the first never
    /// is, the second is always true.
    Release(Box<Ltl>, Box<Ltl>),
}

impl Ltl {
    /// `not f`
    pub fn negation(f: Self) -> Self {
        Self::Not(Box::new(f))
    }

    /// `f and g`
    pub fn and(f: Self, g: Self) -> Self {
        Self::And(Box::new(f), Box::new(g))
    }

    /// `f or g`
    pub fn or(f: Self, g: Self) -> Self {
        Self::Or(Box::new(f), Box::new(g))
    }

    /// `f -> g`
    pub fn implies(f: Self, g: Self) -> Self {
        Self::or(Self::negation(f), g)
    }

    /// `f <-> g`
    pub fn equivalent(f: Self, g: Self) -> Self {
        Self::or(Self::and(f.clone(), g.clone()), Self::and(Self::negation(f), Self::negation(g)))
    }

    /// `X f`
    pub fn next(f: Self) -> Self {
        Self::Next(Box::new(f))
    }

    /// `f U g`
    pub fn until(f: Self, g: Self) -> Self {
        Self::Until(Box::new(f), Box::new(g))
    }

    /// `f R g`
    pub fn release(f: Self, g: Self) -> Self {
        Self::Release(Box::new(f), Box::new(g))
    }

    /// `f W g`: `f U g`, or `f` always.
    pub fn weak_until(f: Self, g: Self) -> Self {
        Self::release(g.clone(), Self::or(f, g))
    }

    /// `f M g`: `f R g`, and `f` does become true.
    pub fn strong_release(f: Self, g: Self) -> Self {
        Self::until(g.clone(), Self::and(f, g))
    }

    /// `F f`
    pub fn finally(f: Self) -> Self {
        Self::until(Self::True, f)
    }

    /// `G f`
    pub fn globally(f: Self) -> Self {
        Self::release(Self::False, f)
    }

    /// The formulas directly below.
    pub fn operands(&self) -> impl Iterator<Item = &Self> {
        let (first, second) = match self {
            Self::True | Self::False | Self::Proposition(_) => (None, None),
            Self::Not(f) | Self::Next(f) => (Some(f), None),
            Self::And(f, g) | Self::Or(f, g) | Self::Until(f, g) | Self::Release(f, g) => (Some(f), Some(g)),
        };
        first.into_iter().chain(second).map(Box::as_ref)
    }

    /// Whether the formula has no `X`: then it is stutter-invariant.
    pub fn is_next_free(&self) -> bool {
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            if matches!(formula, Self::Next(_)) {
                return false;
            }
            open.extend(formula.operands());
        }
        true
    }

    /// The number of operators, propositions and constants.
    pub fn size(&self) -> usize {
        let mut size = 0;
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            size += 1;
            open.extend(formula.operands());
        }
        size
    }

    /// The depth of nested operators.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self, 0)];
        while let Some((formula, depth)) = open.pop() {
            deepest = deepest.max(depth);
            open.extend(formula.operands().map(|operand| (operand, depth + 1)));
        }
        deepest
    }
}

#[cfg(test)]
pub(super) mod random_formulas {
    //! Random formulas and random words, for all tests of formulas and automata.

    use super::*;
    use model::random::Random;

    /// Propositions that occur.
    pub const PROPOSITIONS: usize = 3;

    /// A formula with about as many operators.
    pub fn formula(random: &mut Random, operators: usize) -> Ltl {
        if operators == 0 {
            return match random.below(12) {
                0 => Ltl::True,
                1 => Ltl::False,
                _ => Ltl::Proposition(random.below(PROPOSITIONS) as u8),
            };
        }
        let left = random.below(operators);
        let right = operators - 1 - left;
        match random.below(10) {
            0 => Ltl::negation(formula(random, operators - 1)),
            1 => Ltl::next(formula(random, operators - 1)),
            2 => Ltl::finally(formula(random, operators - 1)),
            3 => Ltl::globally(formula(random, operators - 1)),
            4 => Ltl::and(formula(random, left), formula(random, right)),
            5 => Ltl::or(formula(random, left), formula(random, right)),
            6 => Ltl::until(formula(random, left), formula(random, right)),
            7 => Ltl::release(formula(random, left), formula(random, right)),
            8 => Ltl::weak_until(formula(random, left), formula(random, right)),
            _ => Ltl::implies(formula(random, left), formula(random, right)),
        }
    }

    /// A word: its stem, and the cycle that is repeated.
    pub fn lasso(random: &mut Random) -> (Vec<u64>, Vec<u64>) {
        let mut letters = |count: usize| (0..count).map(|_| random.below(1 << PROPOSITIONS) as u64).collect();
        let stem: Vec<u64> = letters(3);
        let cycle: Vec<u64> = letters(4);
        let (from, to) = (random.below(4), 1 + random.below(4));
        (stem[from..].to_vec(), cycle[..to].to_vec())
    }
}
