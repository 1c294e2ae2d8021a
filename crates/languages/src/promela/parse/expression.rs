//! Expressions, by precedence climbing.
//!
//! Depth is limited twice: during descent, because parentheses and prefix operators use the
//! parser's stack; and on the result, because a long `a + a + …` makes a deep tree without any
//! descent, and every later stage recurses over trees.
//!
//! `full`, `empty`, `nfull` and `nempty` (*probes*) may be joined by `&&` and `||` to a condition.
//! They cannot be operands of other operators, or arguments: SPIN's reduction relies on it.

use model::guarded_commands::Span;

use super::{DEEPEST, Expected, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};
use crate::promela::syntax::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
use crate::promela::tokens::{Token, TokenKind};

/// The name of the binary operators in a list of expected tokens.
pub(super) const OPERATOR: Expected = Expected::Class("an operator");

/// An expression while it is being read.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) expression: Expression,
    /// Number of its levels.
    pub(super) depth: usize,
    /// A probe that no parenthesis of a call encloses.
    pub(super) probe: Option<Token>,
}

impl Operand {
    /// An operand without parts.
    pub(super) fn leaf(kind: ExpressionKind, span: Span) -> Self {
        Self { expression: Expression { kind, span }, depth: 1, probe: None }
    }
}

/// The strength of a binary operator, loosest first, and its meaning.
pub(super) fn binary_operator(kind: TokenKind) -> Option<(u8, BinaryOperator)> {
    Some(match kind {
        TokenKind::BarBar => (1, BinaryOperator::Or),
        TokenKind::AmpersandAmpersand => (2, BinaryOperator::And),
        TokenKind::Bar => (3, BinaryOperator::BitOr),
        TokenKind::Caret => (4, BinaryOperator::BitXor),
        TokenKind::Ampersand => (5, BinaryOperator::BitAnd),
        TokenKind::EqualEqual => (6, BinaryOperator::Equal),
        TokenKind::BangEqual => (6, BinaryOperator::NotEqual),
        TokenKind::Less => (7, BinaryOperator::Less),
        TokenKind::LessEqual => (7, BinaryOperator::LessOrEqual),
        TokenKind::Greater => (7, BinaryOperator::Greater),
        TokenKind::GreaterEqual => (7, BinaryOperator::GreaterOrEqual),
        TokenKind::LessLess => (8, BinaryOperator::ShiftLeft),
        TokenKind::GreaterGreater => (8, BinaryOperator::ShiftRight),
        TokenKind::Plus => (9, BinaryOperator::Add),
        TokenKind::Minus => (9, BinaryOperator::Subtract),
        TokenKind::Star => (10, BinaryOperator::Multiply),
        TokenKind::Slash => (10, BinaryOperator::Divide),
        TokenKind::Percent => (10, BinaryOperator::Remainder),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression in which no probe can be.
    pub(super) fn expression(&mut self) -> Checked<Expression> {
        Ok(self.value()?.expression)
    }

    /// An expression in which no probe can be, with its depth.
    pub(super) fn value(&mut self) -> Checked<Operand> {
        let operand = self.chain(0)?;
        self.without_probe(operand)
    }

    /// A condition, which may consist of probes.
    pub(super) fn condition(&mut self) -> Checked<Expression> {
        Ok(self.chain(0)?.expression)
    }

    /// Completes a condition whose first operand was read.
    pub(super) fn condition_from(&mut self, first: Operand) -> Checked<Expression> {
        Ok(self.chain_from(first, 0)?.expression)
    }

    /// Reads operators at least as strong as `weakest`, with their operands.
    pub(super) fn chain(&mut self, weakest: u8) -> Checked<Operand> {
        let first = self.prefixed()?;
        self.chain_from(first, weakest)
    }

    fn chain_from(&mut self, mut left: Operand, weakest: u8) -> Checked<Operand> {
        while let Some((strength, operator)) = binary_operator(self.kind()).filter(|found| found.0 >= weakest)
        {
            self.advance();
            let right = self.chain(strength + 1)?;
            left = self.joined(operator, left, right)?;
        }
        self.note(OPERATOR);
        Ok(left)
    }

    /// Makes the expression of an operator and its operands.
    pub(super) fn joined(
        &mut self,
        operator: BinaryOperator,
        left: Operand,
        right: Operand,
    ) -> Checked<Operand> {
        let is_connective = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
        let (left, right) = if is_connective {
            (left, right)
        } else {
            (self.without_probe(left)?, self.without_probe(right)?)
        };
        let span = left.expression.span.to(right.expression.span);
        let depth = 1 + left.depth.max(right.depth);
        let probe = left.probe.or(right.probe);
        let (left, right) = (Box::new(left.expression), Box::new(right.expression));
        let expression = Expression { kind: ExpressionKind::Binary(operator, left, right), span };
        self.shallow(Operand { expression, depth, probe })
    }

    /// Reads a prefix operator with its operand, or an operand.
    pub(super) fn prefixed(&mut self) -> Checked<Operand> {
        let operator = match self.kind() {
            TokenKind::Minus if self.at_least_number() => return Ok(self.least_number()),
            TokenKind::Minus => UnaryOperator::Negate,
            TokenKind::Tilde => UnaryOperator::Complement,
            TokenKind::Bang | TokenKind::BangBang => UnaryOperator::Not,
            _ => return self.operand(),
        };
        let start = self.advance();
        let operand = self.nested(Self::prefixed)?;
        let once = self.unary(operator, start.span, operand)?;
        // `!!x` is one token, and two operators.
        if start.kind == TokenKind::BangBang { self.unary(operator, start.span, once) } else { Ok(once) }
    }

    /// Makes the expression of a prefix operator and its operand.
    pub(super) fn unary(
        &mut self,
        operator: UnaryOperator,
        start: Span,
        operand: Operand,
    ) -> Checked<Operand> {
        let operand = self.without_probe(operand)?;
        let (span, depth) = (start.to(operand.expression.span), operand.depth + 1);
        let kind = ExpressionKind::Unary(operator, Box::new(operand.expression));
        self.shallow(Operand { expression: Expression { kind, span }, depth, probe: None })
    }

    /// Returns an operand, unless it is too deep.
    pub(super) fn shallow(&mut self, operand: Operand) -> Checked<Operand> {
        if operand.depth > DEEPEST {
            let at = self.token();
            return Err(self.too_deep(at, operand.expression.span));
        }
        Ok(operand)
    }

    /// Returns an operand, unless a probe is in it.
    pub(super) fn without_probe(&mut self, operand: Operand) -> Checked<Operand> {
        match operand.probe {
            None => Ok(operand),
            Some(probe) => Err(self.misplaced_probe(probe)),
        }
    }

    fn misplaced_probe(&mut self, probe: Token) -> Reported {
        let word = self.text(probe);
        let opposite = match probe.kind {
            TokenKind::Full => "nfull",
            TokenKind::NonFull => "full",
            TokenKind::Empty => "nempty",
            _ => "empty",
        };
        let help = format!("the opposite of `{word}` is `{opposite}`; `len` may be in any expression");
        let message = format!("`{word}` can only be a condition, or be joined with others by `&&` and `||`");
        let error =
            Diagnostic::error(codes::MISPLACED_PROBE, probe.span, message, "part of another expression");
        self.report(probe, error.help(help))
    }

    /// Whether the least number of 32 bits follows. Without its sign it would be too large.
    fn at_least_number(&self) -> bool {
        let number = self.cursor.tokens.get(self.cursor.next + 1);
        number.is_some_and(|token| token.kind == TokenKind::Number && self.text(*token) == "2147483648")
    }

    fn least_number(&mut self) -> Operand {
        let start = self.advance();
        let number = self.advance();
        Operand::leaf(ExpressionKind::Number(i64::from(i32::MIN)), start.span.to(number.span))
    }
}
