//! Formulas of computation tree logic, and the forms that the sweep-line method decides.
//!
//! `EF f` and `AG f` are decided while states are explored. `AG EF f` and `EF AG f` need the
//! terminal strongly connected components, which a sweep finds when progress is monotone (thesis
//! 2017, section 5). [`Model::ctl`](crate::Model::ctl) reads all formulas, and
//! [`CtlFormula::special`] recognises these.

use std::fmt;

use logic::ctl::Ctl;
use model::guarded_commands::{Expression, Span};

use super::proposition::Proposition;
use crate::codes;
use crate::diagnostic::Diagnostic;

/// The temporal part of a formula that the sweep-line method decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CtlForm {
    /// `EF f`: a state where `f` holds can be reached.
    Ef,
    /// `AG f`: `f` holds in every reachable state.
    Ag,
    /// `AG EF f`: from every reachable state, one where `f` holds can be reached.
    AgEf,
    /// `EF AG f`: a state can be reached from which on `f` always holds.
    EfAg,
}

impl fmt::Display for CtlForm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Ef => "EF",
            Self::Ag => "AG",
            Self::AgEf => "AG EF",
            Self::EfAg => "EF AG",
        })
    }
}

/// A formula about a model, which the initial state should satisfy.
///
/// ```
/// use languages::CtlForm;
///
/// let model = languages::read_model("byte x, y; system async;").expect("a model");
/// let read = model.ctl("AGEF x == 1 or y == 2").expect("a formula");
/// assert_eq!(read.to_string(), "AG EF (x == 1 or y == 2)");
/// assert!(matches!(read.special(), Some((CtlForm::AgEf, _))));
/// assert_eq!(model.ctl("A[x == 0 U AF y == 2]").expect("a formula").special(), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CtlFormula {
    /// The meaning, over numbered propositions.
    pub formula: Ctl,
    /// The expressions of its propositions, at most 64.
    pub propositions: Vec<Proposition>,
    /// The formula as Sweepline understands it: in one spelling, with parentheses.
    pub text: String,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

impl CtlFormula {
    /// The formula as one of the forms that a sweep decides, if it is one, with its expression over
    /// one state. Other spellings count: `!EF f` is `AG !f`.
    pub fn special(&self) -> Option<(CtlForm, Expression)> {
        let (form, operand) = match &self.formula {
            Ctl::ExistsUntil(anything, reached) if **anything == Ctl::True => match invariant(reached) {
                Some(operand) => (CtlForm::EfAg, operand),
                None => (CtlForm::Ef, (**reached).clone()),
            },
            formula => match invariant(formula)? {
                Ctl::ExistsUntil(anything, reached) if *anything == Ctl::True => (CtlForm::AgEf, *reached),
                operand => (CtlForm::Ag, operand),
            },
        };
        Some((form, self.expression(&operand)?))
    }

    /// The error about a formula that is none of these forms, for programs that decide no others.
    pub fn undecided(&self, text: &str) -> Diagnostic {
        let message = format!("the formula `{self}` is not decided");
        let span = Span::new(text.len() - text.trim_start().len(), text.trim_end().len());
        let error = Diagnostic::error(codes::UNDECIDED_FORMULA, span, message, "not a form that is decided");
        error.help(
            "this version decides `EF f`, `AG f`, `AG EF f` and `EF AG f`, where `f` is an expression over one state; \
             a conjunction can be checked part by part",
        )
    }

    /// A formula without temporal operators as an expression over one state.
    fn expression(&self, formula: &Ctl) -> Option<Expression> {
        match formula {
            Ctl::True => Some(Expression::Constant(1)),
            Ctl::False => Some(Expression::Constant(0)),
            Ctl::Proposition(number) => Some(self.propositions.get(usize::from(*number))?.expression.clone()),
            Ctl::Not(operand) => self.expression(operand).map(Expression::negated),
            _ => None,
        }
    }
}

/// The `f` of `AG f`, which is written `not EF not f`.
fn invariant(formula: &Ctl) -> Option<Ctl> {
    let Ctl::Not(reachable) = formula else { return None };
    match &**reachable {
        Ctl::ExistsUntil(anything, bad) if **anything == Ctl::True => Some(Ctl::negation((**bad).clone())),
        _ => None,
    }
}

impl fmt::Display for CtlFormula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
