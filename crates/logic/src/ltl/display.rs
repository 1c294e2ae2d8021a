//! Formulas as text: operators are words, `G F X U R and or not`.
//!
//! Unary operators (`not`, `X`, `F`, `G`) need no parentheses, and neither do chains of `and` or of
//! `or`. Everything else is in parentheses, so readers need not know whether `U` or `and` binds
//! tighter, and every parser of formulas reads the text back.

use std::fmt::{self, Display, Formatter};

use super::{Ltl, Proposition};

/// A formula, and how its propositions are called.
pub struct Named<'a, N> {
    formula: &'a Ltl,
    name: N,
}

impl Ltl {
    /// The formula as text, with these names of propositions.
    pub fn named<S: Display, N: Fn(Proposition) -> S>(&self, name: N) -> Named<'_, N> {
        Named { formula: self, name }
    }
}

/// Propositions are called `p0`, `p1`, …
impl Display for Ltl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.named(|proposition| format!("p{proposition}")).fmt(f)
    }
}

impl<S: Display, N: Fn(Proposition) -> S> Display for Named<'_, N> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(self.formula, f)
    }
}

impl<S: Display, N: Fn(Proposition) -> S> Named<'_, N> {
    fn write(&self, formula: &Ltl, out: &mut Formatter<'_>) -> fmt::Result {
        match formula {
            Ltl::True => out.write_str("true"),
            Ltl::False => out.write_str("false"),
            Ltl::Proposition(number) => write!(out, "{}", (self.name)(*number)),
            Ltl::Not(f) => self.prefix("not", f, out),
            Ltl::Next(f) => self.prefix("X", f, out),
            Ltl::Until(f, g) if **f == Ltl::True => self.prefix("F", g, out),
            Ltl::Release(f, g) if **f == Ltl::False => self.prefix("G", g, out),
            Ltl::And(f, g) => self.infix(f, "and", g, out),
            Ltl::Or(f, g) => self.infix(f, "or", g, out),
            Ltl::Until(f, g) => self.infix(f, "U", g, out),
            Ltl::Release(f, g) => self.infix(f, "R", g, out),
        }
    }

    fn prefix(&self, word: &str, operand: &Ltl, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{word} ")?;
        self.operand(operand, is_infix(operand), out)
    }

    fn infix(&self, left: &Ltl, word: &str, right: &Ltl, out: &mut Formatter<'_>) -> fmt::Result {
        let chains = |operand: &Ltl| matches!((operand, word), (Ltl::And(..), "and") | (Ltl::Or(..), "or"));
        self.operand(left, is_infix(left) && !chains(left), out)?;
        write!(out, " {word} ")?;
        self.operand(right, is_infix(right), out)
    }

    fn operand(&self, operand: &Ltl, in_parentheses: bool, out: &mut Formatter<'_>) -> fmt::Result {
        if !in_parentheses {
            return self.write(operand, out);
        }
        out.write_str("(")?;
        self.write(operand, out)?;
        out.write_str(")")
    }
}

fn is_infix(formula: &Ltl) -> bool {
    match formula {
        Ltl::And(..) | Ltl::Or(..) => true,
        Ltl::Until(f, _) => **f != Ltl::True,
        Ltl::Release(f, _) => **f != Ltl::False,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_words_and_nesting_is_in_parentheses() {
        let name = |proposition: Proposition| ["busy", "done", "x == 1"][usize::from(proposition)];
        let [busy, done, x] = [0, 1, 2].map(Ltl::Proposition);
        let response = Ltl::globally(Ltl::implies(busy.clone(), Ltl::finally(done.clone())));
        assert_eq!(response.named(name).to_string(), "G (not busy or F done)");
        let chain = Ltl::and(Ltl::and(busy.clone(), Ltl::next(x.clone())), Ltl::or(done.clone(), Ltl::True));
        assert_eq!(chain.named(name).to_string(), "busy and X x == 1 and (done or true)");
        let nested = Ltl::until(Ltl::release(busy, done), Ltl::negation(Ltl::finally(Ltl::globally(x))));
        assert_eq!(nested.named(name).to_string(), "(busy R done) U not F G x == 1");
        assert_eq!(nested.to_string(), "(p0 R p1) U not F G p2");
    }
}
