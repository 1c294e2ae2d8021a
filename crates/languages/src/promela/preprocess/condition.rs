//! Conditions of `#if` and `#elif`: integer expressions of C, in 64 bits.
//!
//! `&&`, `||` and `? :` evaluate lazily, so `defined(N) && 10 / N` is no division by zero. A name
//! that is no macro is 0.

use super::Preprocessor;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::promela::tokens::{Token, TokenKind, character};

/// Parentheses and operators in one another, at most.
const DEEPEST: usize = 128;

/// What is wrong with a condition, and the token where it is.
type Wrong = (Option<Token>, &'static str);

impl Preprocessor<'_> {
    /// Computes the condition that follows a directive. A wrong one is reported and false.
    pub(super) fn condition(&mut self, word: Token, line: Vec<Token>) -> bool {
        self.stack.in_condition = true;
        let tokens = self.expanded(line);
        self.stack.in_condition = false;
        let mut reader = Reader { tokens: &tokens, next: 0, nesting: 0, preprocessor: self };
        let value = match reader.conditional(true) {
            Ok(value) if reader.next == tokens.len() => Ok(value),
            Ok(_) => Err((reader.token(), "expected an operator in this condition")),
            Err(wrong) => Err(wrong),
        };
        match value {
            Ok(value) => value != 0,
            Err((at, message)) => {
                self.wrong_condition(word, at, message);
                false
            }
        }
    }

    fn wrong_condition(&mut self, word: Token, at: Option<Token>, message: &str) {
        let at = at.unwrap_or(word);
        let error = Diagnostic::error(codes::BAD_DIRECTIVE, at.span, message, "in this condition");
        self.complain(at, error.help("a condition is an integer expression of C with `defined(NAME)`"));
    }

    /// The value of `defined NAME` or `defined(NAME)`, after the first word. A macro may contain
    /// it. If it is malformed, the word remains, and is reported later.
    pub(super) fn is_defined(&mut self, word: Token) -> Token {
        let mut next = self.next_unexpanded();
        if next.is_some_and(|next| next.kind == TokenKind::OpenParenthesis) {
            next = self.next_unexpanded();
            let close = self.next_unexpanded();
            next = next.filter(|_| close.is_some_and(|close| close.kind == TokenKind::CloseParenthesis));
        }
        let Some(name) = next.filter(|next| next.kind == TokenKind::Name) else { return word };
        let value = if self.macros.contains_key(&name.symbol) { "1" } else { "0" };
        Token { kind: TokenKind::Number, symbol: self.symbols.number(value), ..word }
    }
}

struct Reader<'run, 'all> {
    tokens: &'run [Token],
    next: usize,
    nesting: usize,
    preprocessor: &'run Preprocessor<'all>,
}

impl Reader<'_, '_> {
    fn token(&self) -> Option<Token> {
        self.tokens.get(self.next).copied()
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.token().is_some_and(|token| token.kind == kind);
        self.next += usize::from(found);
        found
    }

    /// Reads a part inside an operator or a parenthesis.
    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Result<i64, Wrong>) -> Result<i64, Wrong> {
        if self.nesting >= DEEPEST {
            return Err((self.token(), "a condition that is nested too deeply"));
        }
        self.nesting += 1;
        let value = inner(self);
        self.nesting -= 1;
        value
    }

    /// `c ? a : b`, or less. Without `counts` the value is not needed, and nothing can go wrong in
    /// computing it.
    fn conditional(&mut self, counts: bool) -> Result<i64, Wrong> {
        let condition = self.binary(0, counts)?;
        if !self.eat(TokenKind::Question) {
            return Ok(condition);
        }
        let holds = condition != 0;
        let first = self.nested(|reader| reader.conditional(counts && holds))?;
        if !self.eat(TokenKind::Colon) {
            return Err((self.token(), "expected `:` in this condition"));
        }
        let second = self.nested(|reader| reader.conditional(counts && !holds))?;
        Ok(if holds { first } else { second })
    }

    fn binary(&mut self, weakest: u8, counts: bool) -> Result<i64, Wrong> {
        let mut left = self.prefixed(counts)?;
        while let Some(operator) = self.token()
            && let Some(strength) = strength(operator.kind).filter(|strength| *strength >= weakest)
        {
            self.next += 1;
            let needs_right = match operator.kind {
                TokenKind::AmpersandAmpersand => counts && left != 0,
                TokenKind::BarBar => counts && left == 0,
                _ => counts,
            };
            let right = self.nested(|reader| reader.binary(strength + 1, needs_right))?;
            left = match apply(operator.kind, left, right) {
                Some(value) => value,
                None if counts => return Err((Some(operator), "this condition divides by zero")),
                None => 0,
            };
        }
        Ok(left)
    }

    fn prefixed(&mut self, counts: bool) -> Result<i64, Wrong> {
        let Some(token) = self.token() else {
            return Err((self.tokens.last().copied(), "this condition ends too early"));
        };
        self.next += 1;
        match token.kind {
            TokenKind::Bang => {
                self.nested(|reader| reader.prefixed(counts)).map(|value| i64::from(value == 0))
            }
            TokenKind::Minus => self.nested(|reader| reader.prefixed(counts)).map(i64::wrapping_neg),
            TokenKind::Tilde => self.nested(|reader| reader.prefixed(counts)).map(|value| !value),
            TokenKind::Plus => self.nested(|reader| reader.prefixed(counts)),
            TokenKind::OpenParenthesis => {
                let value = self.nested(|reader| reader.conditional(counts))?;
                if self.eat(TokenKind::CloseParenthesis) {
                    Ok(value)
                } else {
                    Err((self.token().or(Some(token)), "expected `)` in this condition"))
                }
            }
            TokenKind::Name if token.symbol == self.preprocessor.words.defined => {
                Err((Some(token), "expected the name of a macro after `defined`"))
            }
            TokenKind::Name => Ok(0),
            TokenKind::Number | TokenKind::BadNumber => number(self.preprocessor.symbols.text(token.symbol))
                .ok_or((Some(token), "this is no number of C")),
            TokenKind::Character => Ok(character(self.preprocessor.symbols.text(token.symbol))),
            _ => Err((Some(token), "expected a number, a name or `(` in this condition")),
        }
    }
}

/// The strength of an operator, loosest first.
fn strength(kind: TokenKind) -> Option<u8> {
    Some(match kind {
        TokenKind::BarBar => 1,
        TokenKind::AmpersandAmpersand => 2,
        TokenKind::Bar => 3,
        TokenKind::Caret => 4,
        TokenKind::Ampersand => 5,
        TokenKind::EqualEqual | TokenKind::BangEqual => 6,
        TokenKind::Less | TokenKind::LessEqual | TokenKind::Greater | TokenKind::GreaterEqual => 7,
        TokenKind::LessLess | TokenKind::GreaterGreater => 8,
        TokenKind::Plus | TokenKind::Minus => 9,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 10,
        _ => return None,
    })
}

/// The value of an operation; none for a division by zero.
fn apply(operator: TokenKind, left: i64, right: i64) -> Option<i64> {
    // A shift by more than the width is undefined in C.
    let distance = u32::try_from(right.clamp(0, 63)).unwrap_or(0);
    Some(match operator {
        TokenKind::BarBar => i64::from(left != 0 || right != 0),
        TokenKind::AmpersandAmpersand => i64::from(left != 0 && right != 0),
        TokenKind::Bar => left | right,
        TokenKind::Caret => left ^ right,
        TokenKind::Ampersand => left & right,
        TokenKind::EqualEqual => i64::from(left == right),
        TokenKind::BangEqual => i64::from(left != right),
        TokenKind::Less => i64::from(left < right),
        TokenKind::LessEqual => i64::from(left <= right),
        TokenKind::Greater => i64::from(left > right),
        TokenKind::GreaterEqual => i64::from(left >= right),
        TokenKind::LessLess => left.wrapping_shl(distance),
        TokenKind::GreaterGreater => left.wrapping_shr(distance),
        TokenKind::Plus => left.wrapping_add(right),
        TokenKind::Minus => left.wrapping_sub(right),
        TokenKind::Star => left.wrapping_mul(right),
        TokenKind::Slash if right != 0 => left.wrapping_div(right),
        TokenKind::Percent if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}

/// The value of a number of C: decimal, octal or hexadecimal, with suffixes.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let lower = digits.to_ascii_lowercase();
    let value = if let Some(hexadecimal) = lower.strip_prefix("0x") {
        u64::from_str_radix(hexadecimal, 16)
    } else if lower.len() > 1 && lower.starts_with('0') {
        u64::from_str_radix(&lower, 8)
    } else {
        lower.parse()
    };
    value.ok().map(u64::cast_signed)
}
