//! Negation normal form: negations only before propositions.
//!
//! De Morgan's laws and the duality of `U` and `R` push a negation inwards; `X` lets it through.
//! The result has as many operators, apart from negations. (Equivalences are written with both
//! signs of their sides from the start: see [`Ltl::equivalent`].)

use super::Ltl;

/// Whether to convert the formula or its negation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plain,
    Negated,
}

impl Ltl {
    /// The same formula, with negations before propositions only.
    pub fn normal_form(&self) -> Self {
        with_sign(self, Sign::Plain)
    }

    /// The normal form of the negation.
    pub fn negated_normal_form(&self) -> Self {
        with_sign(self, Sign::Negated)
    }
}

fn with_sign(formula: &Ltl, sign: Sign) -> Ltl {
    let below = |f: &Ltl| Box::new(with_sign(f, sign));
    match (formula, sign) {
        (Ltl::True, Sign::Plain) | (Ltl::False, Sign::Negated) => Ltl::True,
        (Ltl::False, Sign::Plain) | (Ltl::True, Sign::Negated) => Ltl::False,
        (Ltl::Proposition(_), Sign::Plain) => formula.clone(),
        (Ltl::Proposition(_), Sign::Negated) => Ltl::negation(formula.clone()),
        (Ltl::Not(f), Sign::Plain) => with_sign(f, Sign::Negated),
        (Ltl::Not(f), Sign::Negated) => with_sign(f, Sign::Plain),
        (Ltl::Next(f), _) => Ltl::Next(below(f)),
        (Ltl::And(f, g), Sign::Plain) | (Ltl::Or(f, g), Sign::Negated) => Ltl::And(below(f), below(g)),
        (Ltl::Or(f, g), Sign::Plain) | (Ltl::And(f, g), Sign::Negated) => Ltl::Or(below(f), below(g)),
        (Ltl::Until(f, g), Sign::Plain) | (Ltl::Release(f, g), Sign::Negated) => {
            Ltl::Until(below(f), below(g))
        }
        (Ltl::Release(f, g), Sign::Plain) | (Ltl::Until(f, g), Sign::Negated) => {
            Ltl::Release(below(f), below(g))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_formulas::{formula, lasso};
    use super::*;
    use model::random::Random;

    fn is_normal(formula: &Ltl) -> bool {
        match formula {
            Ltl::Not(f) => matches!(**f, Ltl::Proposition(_)),
            f => f.operands().all(is_normal),
        }
    }

    #[test]
    fn the_normal_form_is_normal_and_says_the_same() {
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            let size = random.below(12);
            let formula = formula(&mut random, size);
            let (plain, negated) = (formula.normal_form(), formula.negated_normal_form());
            assert!(is_normal(&plain) && is_normal(&negated), "{formula}");
            let (stem, cycle) = lasso(&mut random);
            let truth = formula.is_true_of(&stem, &cycle);
            assert_eq!(plain.is_true_of(&stem, &cycle), truth, "{formula}");
            assert_eq!(negated.is_true_of(&stem, &cycle), !truth, "{formula}");
        }
    }
}
