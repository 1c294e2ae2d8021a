//! Syntactic implication between formulas.
//!
//! The rules are those of Somenzi and Bloem (*Efficient Büchi automata from LTL formulae*, CAV
//! 2000), and two for eventual and universal formulas. They compare the two outermost operators and
//! continue with the operands. Every answer is cached, so that all of them together take time
//! quadratic in the number of subformulas. "No" means that no rule applies.

use super::formula_table::{FormulaId, FormulaTable, Node};

impl FormulaTable {
    /// Whether the rules show that the first implies the second.
    pub fn implies(&mut self, first: FormulaId, second: FormulaId) -> bool {
        if first == second || first == Self::FALSE || second == Self::TRUE {
            return true;
        }
        if let Some(&known) = self.implications.get(&(first, second)) {
            return known;
        }
        let answer = self.by_the_first(first, second)
            || self.by_the_second(first, second)
            || self.by_both(first, second);
        self.implications.insert((first, second), answer);
        answer
    }

    /// Consequences of the first, whatever the second is.
    fn by_the_first(&mut self, first: FormulaId, second: FormulaId) -> bool {
        match self.node(first).clone() {
            Node::And(parts) => parts.iter().any(|&part| self.implies(part, second)),
            Node::Or(parts) => parts.iter().all(|&part| self.implies(part, second)),
            // One of them is true now; and if the second operand of `U` is enough later, the first
            // does not matter.
            Node::Until(f, g) => {
                self.implies(g, second) && (self.shape(second).eventual || self.implies(f, second))
            }
            Node::Release(_, g) => self.implies(g, second),
            Node::Next(f) => self.shape(second).eventual && self.implies(f, second),
            _ => false,
        }
    }

    /// Sufficient conditions of the second, whatever the first is.
    fn by_the_second(&mut self, first: FormulaId, second: FormulaId) -> bool {
        match self.node(second).clone() {
            Node::And(parts) => parts.iter().all(|&part| self.implies(first, part)),
            Node::Or(parts) => parts.iter().any(|&part| self.implies(first, part)),
            Node::Release(f, g) => {
                self.implies(first, g) && (self.shape(first).universal || self.implies(first, f))
            }
            Node::Until(_, g) => self.implies(first, g),
            Node::Next(f) => self.shape(first).universal && self.implies(first, f),
            _ => false,
        }
    }

    /// Operators of the same kind, operand by operand.
    fn by_both(&mut self, first: FormulaId, second: FormulaId) -> bool {
        match (self.node(first).clone(), self.node(second).clone()) {
            (Node::Next(f), Node::Next(g)) => self.implies(f, g),
            (Node::Until(f, g), Node::Until(h, k)) | (Node::Release(f, g), Node::Release(h, k)) => {
                self.implies(f, h) && self.implies(g, k)
            }
            _ => false,
        }
    }
}
