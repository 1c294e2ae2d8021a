//! Never claims, and the formulas of `ltl` blocks.

use std::collections::BTreeSet;

use super::super::program::{Claim, Formula, NamedFormula};
use super::super::syntax::{self, Statement, StatementKind};
use super::expressions::{Expressions, Position};
use super::labels::Labels;
use super::names::Names;
use super::scopes::{Owner, Scope};
use super::statements::Statements;
use super::usage::Usage;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};

/// Resolves the claims and formulas of a file.
pub(super) struct Claims<'a, 'file> {
    pub(super) names: &'a Names<'file>,
    pub(super) usage: &'a mut Usage,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) never: Vec<Claim>,
    pub(super) formulas: Vec<NamedFormula>,
    known: BTreeSet<String>,
    /// Formulas without a name so far.
    unnamed: usize,
}

impl<'a, 'file> Claims<'a, 'file> {
    pub(super) fn new(
        names: &'a Names<'file>,
        usage: &'a mut Usage,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let (never, formulas, known) = Default::default();
        Self { names, usage, diagnostics, never, formulas, known, unnamed: 0 }
    }

    pub(super) fn never(&mut self, never: &'file syntax::Never, item: usize) {
        let name = match (&never.name, self.never.len()) {
            (Some(name), _) => name.text.clone(),
            (None, 0) => "never".to_owned(),
            (None, number) => format!("never_{number}"),
        };
        let span = never.name.as_ref().map_or(never.span, |name| name.span);
        self.unique(&name, span);
        let labels = Labels::of(&never.body, self.diagnostics);
        labels.check_circles(|_| false, self.diagnostics);
        let scope = Scope::new(Owner::Claim, item);
        let expressions = Expressions::new(self.names, scope, self.usage, self.diagnostics);
        let body = Statements::new(expressions, &labels, None, &name).body(&never.body);
        self.never.push(Claim { name, body, span: never.span, end: never.end });
    }

    pub(super) fn ltl(&mut self, block: &'file syntax::LtlBlock) {
        let name = match &block.name {
            Some(name) => name.text.clone(),
            None => {
                self.unnamed += 1;
                format!("ltl_{}", self.unnamed - 1)
            }
        };
        self.unique(&name, block.name.as_ref().map_or(block.span, |name| name.span));
        // SPIN reads formulas last, so they see all declarations.
        let scope = Scope::new(Owner::Formula, usize::MAX);
        let mut expressions = Expressions::new(self.names, scope, self.usage, self.diagnostics);
        if let Ok(formula) = formula(&mut expressions, &block.formula) {
            self.formulas.push(NamedFormula { name, formula, span: block.span });
        }
    }

    fn unique(&mut self, name: &str, span: model::guarded_commands::Span) {
        if !self.known.insert(name.to_owned()) {
            let message = format!("a second claim or formula `{name}`");
            let error = Diagnostic::error(codes::DECLARED_TWICE, span, message, "the name is taken");
            self.diagnostics.report(error);
        }
    }
}

fn formula(expressions: &mut Expressions<'_, '_>, source: &syntax::Formula) -> Checked<Formula> {
    let mut one = |operand: &syntax::Formula| formula(expressions, operand).map(Box::new);
    let mut two =
        |left: &syntax::Formula, right: &syntax::Formula| -> Checked<(Box<Formula>, Box<Formula>)> {
            let (left, right) = (one(left), one(right));
            Ok((left?, right?))
        };
    let pair = |build: fn(Box<Formula>, Box<Formula>) -> Formula, (left, right)| build(left, right);
    Ok(match source {
        syntax::Formula::Proposition(proposition) => {
            Formula::Proposition(expressions.condition(proposition)?)
        }
        syntax::Formula::Not(operand) => match &**operand {
            // As in an expression, a probe has no negation.
            syntax::Formula::Proposition(proposition) => {
                let proposition = expressions.expression(proposition, Position::Operand)?;
                Formula::Not(Box::new(Formula::Proposition(proposition)))
            }
            operand => Formula::Not(one(operand)?),
        },
        syntax::Formula::Next(operand) => Formula::Next(one(operand)?),
        syntax::Formula::Always(operand) => Formula::Always(one(operand)?),
        syntax::Formula::Eventually(operand) => Formula::Eventually(one(operand)?),
        syntax::Formula::And(left, right) => pair(Formula::And, two(left, right)?),
        syntax::Formula::Or(left, right) => pair(Formula::Or, two(left, right)?),
        syntax::Formula::Implies(left, right) => pair(Formula::Implies, two(left, right)?),
        syntax::Formula::Equivalent(left, right) => pair(Formula::Equivalent, two(left, right)?),
        syntax::Formula::Until(left, right) => pair(Formula::Until, two(left, right)?),
        syntax::Formula::WeakUntil(left, right) => pair(Formula::WeakUntil, two(left, right)?),
        syntax::Formula::Release(left, right) => pair(Formula::Release, two(left, right)?),
    })
}

impl Statements<'_, '_> {
    /// Refuses what a claim cannot do: it only watches.
    pub(super) fn check_claim(&mut self, statement: &Statement) -> Checked<()> {
        let what = match &statement.kind {
            StatementKind::Declaration(_) => "declares a variable",
            StatementKind::Assign { .. }
            | StatementKind::Increment(_)
            | StatementKind::Decrement(_)
            | StatementKind::ForRange { .. }
            | StatementKind::ForEach { .. }
            | StatementKind::Select { .. } => "assigns a variable",
            StatementKind::Send { .. } => "sends a message",
            StatementKind::Receive { .. } => "receives a message",
            StatementKind::SetPriority(..) => "changes a priority",
            StatementKind::Unless { .. } => "has an `unless`",
            _ => return Ok(()),
        };
        let message = format!("this claim {what}, and claims only watch");
        let error = Diagnostic::error(codes::BAD_CLAIM, statement.span, message, "not in a claim");
        let help = "a never claim consists of conditions, `if`, `do`, `goto`, `break`, `else`, \
                    `assert` and sequences of them";
        Err(self.expressions.diagnostics.report(error.help(help)))
    }
}
