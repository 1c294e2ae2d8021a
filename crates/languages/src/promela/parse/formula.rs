//! Formulas of linear temporal logic, the contents of `ltl`.
//!
//! In order of strength, loosest first: `->` and `<->`, `||`, `&&`, the binary temporal operators,
//! all other binary operators of expressions, and prefix operators. All binary operators group to
//! the left, as in SPIN. A part without temporal operators stays an expression, as large as
//! possible, and becomes one proposition.
//!
//! Prefix operators are stronger than `==`, so `[] x == 1` compares a formula with 1. SPIN accepts
//! that and checks something else than its author meant; here it is an error.

use model::guarded_commands::Span;

use super::expression::{OPERATOR, Operand, binary_operator};
use super::{DEEPEST, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};
use crate::promela::syntax::{BinaryOperator, Formula, UnaryOperator};
use crate::promela::tokens::{Token, TokenKind};

/// The strength of the binary temporal operators. Those of expressions are weaker (`||` is 1, `&&`
/// is 2), or stronger, from 4 on.
const UNTIL: u8 = 3;

/// An operator between two formulas.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
    /// An operator of expressions; only `&&` and `||` join formulas.
    Expression(BinaryOperator),
}

#[derive(Clone, Copy)]
enum Prefix {
    Always,
    Eventually,
    Next,
    Not,
}

/// A formula while it is being read.
enum Part {
    Expression(Operand),
    Formula {
        formula: Formula,
        depth: usize,
        span: Span,
        /// The prefix operator that it begins with, without parentheses around.
        prefix: Option<Token>,
    },
}

impl Part {
    fn span(&self) -> Span {
        match self {
            Self::Expression(operand) => operand.expression.span,
            Self::Formula { span, .. } => *span,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::Expression(operand) => operand.depth,
            Self::Formula { depth, .. } => *depth,
        }
    }

    fn formula(self) -> Formula {
        match self {
            Self::Expression(operand) => Formula::Proposition(operand.expression),
            Self::Formula { formula, .. } => formula,
        }
    }
}

impl Parser<'_> {
    pub(super) fn formula(&mut self) -> Checked<Formula> {
        Ok(self.formula_chain(0)?.formula())
    }

    /// The operator at the current place, with its strength and the number of its tokens.
    fn infix(&self) -> Option<(u8, Infix, usize)> {
        let token = self.token();
        match token.kind {
            TokenKind::Arrow => Some((0, Infix::Implies, 1)),
            TokenKind::Less if self.kind_after(1) == TokenKind::Arrow => Some((0, Infix::Equivalent, 2)),
            TokenKind::Slash if self.kind_after(1) == TokenKind::Backslash => {
                Some((2, Infix::Expression(BinaryOperator::And), 2))
            }
            TokenKind::Backslash if self.kind_after(1) == TokenKind::Slash => {
                Some((1, Infix::Expression(BinaryOperator::Or), 2))
            }
            TokenKind::Name => match self.text(token) {
                "implies" => Some((0, Infix::Implies, 1)),
                "equivalent" => Some((0, Infix::Equivalent, 1)),
                "U" | "until" | "stronguntil" => Some((UNTIL, Infix::Until, 1)),
                "W" | "weakuntil" => Some((UNTIL, Infix::WeakUntil, 1)),
                "V" | "release" => Some((UNTIL, Infix::Release, 1)),
                _ => None,
            },
            kind => {
                let (strength, operator) = binary_operator(kind)?;
                let strength = if strength >= UNTIL { strength + 1 } else { strength };
                Some((strength, Infix::Expression(operator), 1))
            }
        }
    }

    /// The prefix operator at the current place, with the number of its tokens.
    fn prefix(&self) -> Option<(Prefix, usize)> {
        let token = self.token();
        match token.kind {
            TokenKind::Bang => Some((Prefix::Not, 1)),
            TokenKind::OpenBracket if self.kind_after(1) == TokenKind::CloseBracket => {
                Some((Prefix::Always, 2))
            }
            TokenKind::Less if self.kind_after(1) == TokenKind::Greater => Some((Prefix::Eventually, 2)),
            TokenKind::Name => match self.text(token) {
                "always" => Some((Prefix::Always, 1)),
                "eventually" => Some((Prefix::Eventually, 1)),
                "X" | "next" => Some((Prefix::Next, 1)),
                _ => None,
            },
            _ => None,
        }
    }

    fn formula_chain(&mut self, weakest: u8) -> Checked<Part> {
        let mut left = self.formula_prefixed()?;
        while let Some((strength, infix, tokens)) = self.infix().filter(|found| found.0 >= weakest) {
            let operator = self.token();
            for _ in 0..tokens {
                self.advance();
            }
            let right = self.nested(|parser| parser.formula_chain(strength + 1))?;
            left = self.formula_joined(operator, infix, left, right)?;
        }
        self.note(OPERATOR);
        Ok(left)
    }

    fn formula_joined(&mut self, operator: Token, infix: Infix, left: Part, right: Part) -> Checked<Part> {
        let (span, depth) = (left.span().to(right.span()), 1 + left.depth().max(right.depth()));
        let (left, right) = match (infix, left, right) {
            (Infix::Expression(operator), Part::Expression(left), Part::Expression(right)) => {
                return Ok(Part::Expression(self.joined(operator, left, right)?));
            }
            (Infix::Expression(meaning), left, right)
                if !matches!(meaning, BinaryOperator::And | BinaryOperator::Or) =>
            {
                return Err(self.temporal_operand(operator, &left, &right));
            }
            (_, left, right) => (Box::new(left.formula()), Box::new(right.formula())),
        };
        let formula = match infix {
            Infix::Implies => Formula::Implies(left, right),
            Infix::Equivalent => Formula::Equivalent(left, right),
            Infix::Until => Formula::Until(left, right),
            Infix::WeakUntil => Formula::WeakUntil(left, right),
            Infix::Release => Formula::Release(left, right),
            Infix::Expression(BinaryOperator::Or) => Formula::Or(left, right),
            Infix::Expression(_) => Formula::And(left, right),
        };
        self.shallow_formula(Part::Formula { formula, depth, span, prefix: None })
    }

    /// Reports an operator of expressions with a formula on one side.
    fn temporal_operand(&mut self, operator: Token, left: &Part, right: &Part) -> Reported {
        let text = self.text(operator).to_owned();
        let help = match left {
            Part::Formula { prefix: Some(prefix), .. } => {
                let prefix = match prefix.kind {
                    TokenKind::OpenBracket => "[]",
                    TokenKind::Less => "<>",
                    _ => self.text(*prefix),
                };
                format!(
                    "`{prefix}` is stronger than `{text}`; write `{prefix} (… {text} …)`, as in `[] (x == 1)`"
                )
            }
            _ => "a temporal formula is no number; are parentheses missing?".to_owned(),
        };
        let message = format!("`{text}` cannot have a temporal formula as operand");
        let span = if matches!(left, Part::Formula { .. }) { left.span() } else { right.span() };
        let error = Diagnostic::error(codes::TEMPORAL_OPERAND, span, message, "a temporal formula");
        self.report(operator, error.help(help))
    }

    /// Reads a prefix operator with its operand, or an operand.
    fn formula_prefixed(&mut self) -> Checked<Part> {
        let Some((prefix, tokens)) = self.prefix() else { return self.formula_operand() };
        let start = self.token();
        for _ in 0..tokens {
            self.advance();
        }
        let operand = self.nested(Self::formula_prefixed)?;
        let (span, depth) = (start.span.to(operand.span()), operand.depth() + 1);
        let operand = match (prefix, operand) {
            (Prefix::Not, Part::Expression(operand)) => {
                return Ok(Part::Expression(self.unary(UnaryOperator::Not, start.span, operand)?));
            }
            (_, operand) => Box::new(operand.formula()),
        };
        let formula = match prefix {
            Prefix::Always => Formula::Always(operand),
            Prefix::Eventually => Formula::Eventually(operand),
            Prefix::Next => Formula::Next(operand),
            Prefix::Not => Formula::Not(operand),
        };
        self.shallow_formula(Part::Formula { formula, depth, span, prefix: Some(start) })
    }

    /// `"(" formula ")"`, or an operand of expressions.
    fn formula_operand(&mut self) -> Checked<Part> {
        if self.kind() != TokenKind::OpenParenthesis {
            // `-`, `~` and `!!` belong to expressions.
            return Ok(Part::Expression(self.prefixed()?));
        }
        let start = self.advance().span;
        let mut inner = self.nested(|parser| parser.formula_chain(0))?;
        let end = self.expect(TokenKind::CloseParenthesis)?.span;
        match &mut inner {
            Part::Expression(operand) => operand.expression.span = start.to(end),
            Part::Formula { span, prefix, .. } => (*span, *prefix) = (start.to(end), None),
        }
        Ok(inner)
    }

    /// Returns a formula, unless it is too deep.
    fn shallow_formula(&mut self, part: Part) -> Checked<Part> {
        if part.depth() > DEEPEST {
            let at = self.token();
            return Err(self.too_deep(at, part.span()));
        }
        Ok(part)
    }
}
