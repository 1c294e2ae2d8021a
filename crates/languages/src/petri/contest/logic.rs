//! From a formula as written to one of the two logics, or to a form that a search decides on the
//! fly.

use logic::ctl::Ctl;
use logic::ltl::Ltl;
use model::guarded_commands::Span;

use super::ContestQuestion;
use super::tree::{State, Tree};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::question::proposition::{Literal, Propositions};
use crate::{CtlFormula, LtlFormula};

/// The question that a formula asks. If the logic is not known, the formula is one of branching
/// time if it can be, unless linear time is preferred.
pub(in crate::petri) fn question(
    tree: &Tree,
    linear: Option<bool>,
    prefers_linear: bool,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Checked<ContestQuestion> {
    match tree {
        Tree::Exists(path)
            if let Tree::Finally(inner) = &**path
                && let Tree::State(state) = &**inner =>
        {
            return Ok(if state.is_deadlock {
                ContestQuestion::Deadlock
            } else {
                ContestQuestion::Reachable(state.expression.clone())
            });
        }
        Tree::All(path)
            if let Tree::Globally(inner) = &**path
                && let Tree::State(state) = &**inner =>
        {
            return Ok(ContestQuestion::Invariant(state.expression.clone()));
        }
        _ => {}
    }
    let mut reading = Reading { propositions: Propositions::default(), diagnostics };
    let is_linear = linear.unwrap_or_else(|| !is_branching(tree) || (prefers_linear && is_linear(tree)));
    if !is_linear {
        if !is_branching(tree) {
            return Err(diagnostics.report(neither(span)));
        }
        let formula = reading.ctl(tree)?;
        let propositions = reading.propositions.into_list();
        return Ok(ContestQuestion::Branching(CtlFormula {
            formula,
            propositions,
            text: shown(tree),
            warnings: Vec::new(),
        }));
    }
    let (formula, every) = match tree {
        Tree::All(path) => (reading.ltl(path)?, true),
        Tree::Exists(path) => (Ltl::negation(reading.ltl(path)?), false),
        Tree::Not(inner) if let Tree::All(path) = &**inner => (reading.ltl(path)?, false),
        Tree::Not(inner) if let Tree::Exists(path) = &**inner => (Ltl::negation(reading.ltl(path)?), true),
        path => (reading.ltl(path)?, true),
    };
    let propositions = reading.propositions.into_list();
    let formula = LtlFormula { formula, propositions, text: shown(tree), warnings: Vec::new() };
    Ok(if every { ContestQuestion::EveryRun(formula) } else { ContestQuestion::NotEveryRun(formula) })
}

fn neither(span: Span) -> Diagnostic {
    let message = "the formula is neither one of branching nor one of linear time";
    let error = Diagnostic::error(codes::UNSUPPORTED_NET, span, message, "in this property");
    error.help("put each temporal operator directly inside a path quantifier, or one quantifier around the whole formula")
}

/// Whether every temporal operator is directly inside a quantifier, and every quantifier around
/// one.
fn is_branching(tree: &Tree) -> bool {
    match tree {
        Tree::State(_) => true,
        Tree::Not(inner) => is_branching(inner),
        Tree::And(trees) | Tree::Or(trees) => trees.iter().all(is_branching),
        Tree::All(path) | Tree::Exists(path) => match &**path {
            Tree::Next(inner) | Tree::Finally(inner) | Tree::Globally(inner) => is_branching(inner),
            Tree::Until(before, reach) => is_branching(before) && is_branching(reach),
            _ => false,
        },
        Tree::Next(_) | Tree::Finally(_) | Tree::Globally(_) | Tree::Until(..) => false,
    }
}

/// Whether there is no path quantifier, or one around the whole formula.
fn is_linear(tree: &Tree) -> bool {
    fn has_none(tree: &Tree) -> bool {
        match tree {
            Tree::State(_) => true,
            Tree::Not(inner) | Tree::Next(inner) | Tree::Finally(inner) | Tree::Globally(inner) => {
                has_none(inner)
            }
            Tree::And(trees) | Tree::Or(trees) => trees.iter().all(has_none),
            Tree::Until(before, reach) => has_none(before) && has_none(reach),
            Tree::All(_) | Tree::Exists(_) => false,
        }
    }
    match tree {
        Tree::Not(inner) => is_linear(inner),
        Tree::All(path) | Tree::Exists(path) => has_none(path),
        other => has_none(other),
    }
}

struct Reading<'a> {
    propositions: Propositions,
    diagnostics: &'a mut Diagnostics,
}

impl Reading<'_> {
    fn literal(&mut self, state: &State) -> Checked<Literal> {
        self.propositions.literal(&state.text, state.expression.clone(), state.span, self.diagnostics)
    }

    fn ctl(&mut self, tree: &Tree) -> Checked<Ctl> {
        Ok(match tree {
            Tree::State(state) => match self.literal(state)? {
                Literal::Constant(true) => Ctl::True,
                Literal::Constant(false) => Ctl::False,
                Literal::Proposition { number, holds: true } => Ctl::Proposition(number),
                Literal::Proposition { number, holds: false } => Ctl::negation(Ctl::Proposition(number)),
            },
            Tree::Not(inner) => Ctl::negation(self.ctl(inner)?),
            Tree::And(trees) => {
                let parts: Checked<Vec<Ctl>> = trees.iter().map(|tree| self.ctl(tree)).collect();
                parts?.into_iter().reduce(Ctl::and).unwrap_or(Ctl::True)
            }
            Tree::Or(trees) => {
                let parts: Checked<Vec<Ctl>> = trees.iter().map(|tree| self.ctl(tree)).collect();
                parts?.into_iter().reduce(Ctl::or).unwrap_or(Ctl::False)
            }
            Tree::All(path) => match &**path {
                Tree::Next(inner) => Ctl::always_next(self.ctl(inner)?),
                Tree::Finally(inner) => Ctl::always_finally(self.ctl(inner)?),
                Tree::Globally(inner) => Ctl::always_globally(self.ctl(inner)?),
                Tree::Until(before, reach) => Ctl::always_until(self.ctl(before)?, self.ctl(reach)?),
                path => self.ctl(path)?,
            },
            Tree::Exists(path) => match &**path {
                Tree::Next(inner) => Ctl::exists_next(self.ctl(inner)?),
                Tree::Finally(inner) => Ctl::exists_finally(self.ctl(inner)?),
                Tree::Globally(inner) => Ctl::exists_globally(self.ctl(inner)?),
                Tree::Until(before, reach) => Ctl::exists_until(self.ctl(before)?, self.ctl(reach)?),
                path => self.ctl(path)?,
            },
            Tree::Next(_) | Tree::Finally(_) | Tree::Globally(_) | Tree::Until(..) => {
                let place = state_span(tree).unwrap_or_default();
                return Err(self.diagnostics.report(neither(place)));
            }
        })
    }

    fn ltl(&mut self, tree: &Tree) -> Checked<Ltl> {
        Ok(match tree {
            Tree::State(state) => match self.literal(state)? {
                Literal::Constant(true) => Ltl::True,
                Literal::Constant(false) => Ltl::False,
                Literal::Proposition { number, holds: true } => Ltl::Proposition(number),
                Literal::Proposition { number, holds: false } => Ltl::negation(Ltl::Proposition(number)),
            },
            Tree::Not(inner) => Ltl::negation(self.ltl(inner)?),
            Tree::And(trees) => {
                let parts: Checked<Vec<Ltl>> = trees.iter().map(|tree| self.ltl(tree)).collect();
                parts?.into_iter().reduce(Ltl::and).unwrap_or(Ltl::True)
            }
            Tree::Or(trees) => {
                let parts: Checked<Vec<Ltl>> = trees.iter().map(|tree| self.ltl(tree)).collect();
                parts?.into_iter().reduce(Ltl::or).unwrap_or(Ltl::False)
            }
            Tree::Next(inner) => Ltl::next(self.ltl(inner)?),
            Tree::Finally(inner) => Ltl::finally(self.ltl(inner)?),
            Tree::Globally(inner) => Ltl::globally(self.ltl(inner)?),
            Tree::Until(before, reach) => Ltl::until(self.ltl(before)?, self.ltl(reach)?),
            Tree::All(_) | Tree::Exists(_) => {
                let place = state_span(tree).unwrap_or_default();
                return Err(self.diagnostics.report(neither(place)));
            }
        })
    }
}

/// The span of the first part about a state.
fn state_span(tree: &Tree) -> Option<Span> {
    match tree {
        Tree::State(state) => Some(state.span),
        Tree::And(trees) | Tree::Or(trees) => trees.iter().find_map(state_span),
        Tree::Not(inner) | Tree::All(inner) | Tree::Exists(inner) => state_span(inner),
        Tree::Next(inner) | Tree::Finally(inner) | Tree::Globally(inner) => state_span(inner),
        Tree::Until(before, reach) => state_span(before).or_else(|| state_span(reach)),
    }
}

/// The formula on one line.
fn shown(tree: &Tree) -> String {
    let list = |trees: &[Tree], sign: &str| {
        let parts: Vec<String> = trees.iter().map(|tree| format!("({})", shown(tree))).collect();
        parts.join(sign)
    };
    match tree {
        Tree::State(state) => state.text.clone(),
        Tree::Not(inner) => format!("!({})", shown(inner)),
        Tree::And(trees) => list(trees, " && "),
        Tree::Or(trees) => list(trees, " || "),
        Tree::All(path) => format!("A {}", shown(path)),
        Tree::Exists(path) => format!("E {}", shown(path)),
        Tree::Next(inner) => format!("X ({})", shown(inner)),
        Tree::Finally(inner) => format!("F ({})", shown(inner)),
        Tree::Globally(inner) => format!("G ({})", shown(inner)),
        Tree::Until(before, reach) => format!("[({}) U ({})]", shown(before), shown(reach)),
    }
}
