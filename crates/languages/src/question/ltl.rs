//! Formulas of linear temporal logic. [`question`](crate::question) describes how they are written.

use std::fmt;

use logic::ltl::Ltl;

use super::proposition::Proposition;
use crate::diagnostic::Diagnostic;

/// A formula of linear temporal logic about a model, which every run should satisfy.
///
/// ```
/// use logic::ltl::Ltl;
///
/// let model = languages::read_model("byte x, y; system async;").expect("a model");
/// let read = model.ltl("GF x == 1 && y != 0").expect("a formula");
/// assert_eq!(read.to_string(), "G F (x == 1) && (y != 0)");
/// assert_eq!(read.propositions[1].text, "y != 0");
/// let infinitely_often = Ltl::globally(Ltl::finally(Ltl::Proposition(0)));
/// assert_eq!(read.formula, Ltl::and(infinitely_often, Ltl::Proposition(1)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LtlFormula {
    /// The meaning, over numbered propositions.
    pub formula: Ltl,
    /// The expressions of its propositions, at most 64.
    pub propositions: Vec<Proposition>,
    /// The formula as Sweepline understands it: in one spelling, with parentheses.
    pub text: String,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

impl fmt::Display for LtlFormula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
