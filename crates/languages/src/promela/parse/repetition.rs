//! `for` and `select`.

use super::Parser;
use crate::diagnostic::Checked;
use crate::promela::syntax::{Reference, StatementKind};
use crate::promela::tokens::TokenKind;

impl Parser<'_> {
    /// `"for" "(" reference (":" expression ".." expression | "in" reference) ")" [";"] "{" steps "}"`
    pub(super) fn repetition(&mut self) -> Checked<StatementKind> {
        self.advance();
        self.expect(TokenKind::OpenParenthesis)?;
        let (variable, _) = self.reference()?;
        // `in` is a keyword only here.
        if self.kind() == TokenKind::Name && self.text(self.token()) == "in" {
            self.advance();
            let (collection, _) = self.reference()?;
            self.expect(TokenKind::CloseParenthesis)?;
            self.eat_separators();
            let body = self.block()?;
            return Ok(StatementKind::ForEach { variable, collection, body });
        }
        self.expect(TokenKind::Colon)?;
        let low = self.expression()?;
        self.expect(TokenKind::DotDot)?;
        let high = self.expression()?;
        self.expect(TokenKind::CloseParenthesis)?;
        self.eat_separators();
        let body = self.block()?;
        Ok(StatementKind::ForRange { variable, low, high, body })
    }

    /// `"select" "(" reference ":" expression ".." expression ")"`
    pub(super) fn selection(&mut self) -> Checked<StatementKind> {
        self.advance();
        self.expect(TokenKind::OpenParenthesis)?;
        let (variable, _) = self.reference()?;
        self.expect(TokenKind::Colon)?;
        let low_is_digits = self.kind() == TokenKind::Number && self.kind_after(1) == TokenKind::DotDot;
        let low = self.expression()?;
        self.expect(TokenKind::DotDot)?;
        let high_is_digits =
            self.kind() == TokenKind::Number && self.kind_after(1) == TokenKind::CloseParenthesis;
        let high = self.expression()?;
        self.expect(TokenKind::CloseParenthesis)?;
        let plain = low_is_digits && high_is_digits && self.calls.is_empty() && is_plain_name(&variable);
        Ok(StatementKind::Select { variable, low, high, plain })
    }
}

/// Whether SPIN's lexer expands a `select` for this variable: it reads letters and digits only.
fn is_plain_name(variable: &Reference) -> bool {
    let part = &variable.parts[0];
    variable.parts.len() == 1 && part.index.is_none() && !part.name.text.contains('_')
}
