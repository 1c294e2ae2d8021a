//! Progress measures: one expression, or a list `(a, b, c)` of which the first counts most.
//!
//! A parenthesis in front does not tell the two apart: `(a) + b` is an expression. A list is what has a comma
//! directly inside its first parenthesis. Lists do not nest: comparing `(a, (b, c))` would be comparing
//! `(a, b, c)`, so nothing is lost by asking for the plain one.
//!
//! A file declares its measure in a comment, `// progress: x + y`, so that other tools still read the file.

use sweepline::model::guarded_commands::Span;

use super::Parser;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::dve::syntax::{Expression, Measure};
use crate::dve::tokens::TokenKind;

/// Reads a measure that fills the part of `text` at `span`.
pub(crate) fn measure<'text>(
    text: &'text str,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Checked<Vec<Expression<'text>>> {
    let part = text.get(..span.end as usize).unwrap_or(text);
    let mut parser = Parser::starting_at(span.start as usize, part, diagnostics);
    parser.in_measure = true;
    let components = parser.components()?;
    parser.expect(TokenKind::End)?;
    Ok(components)
}

/// Reads the measure that the comments of a file declare at `places`; there should be at most one.
pub(super) fn declared<'text>(
    text: &'text str,
    places: &[Span],
    diagnostics: &mut Diagnostics,
) -> Option<Measure<'text>> {
    let (first, others) = places.split_first()?;
    for other in others {
        let message = "a second progress measure";
        let error = Diagnostic::error(codes::REPEATED_MEASURE, *other, message, "the model has one already");
        let help = "keep one `// progress:` comment; several values are compared in order as `(a, b)`";
        diagnostics.report(error.help(help));
    }
    let components = measure(text, *first, diagnostics).ok()?;
    Some(Measure { text: &text[first.start as usize..first.end as usize], span: *first, components })
}

impl<'text> Parser<'text, '_> {
    /// `measure = expression | "(" expression "," expression { "," expression } ")"`
    fn components(&mut self) -> Checked<Vec<Expression<'text>>> {
        if !self.at_list() {
            return Ok(vec![self.expression()?]);
        }
        self.expect(TokenKind::OpenParenthesis)?;
        let components = self.separated(Self::expression)?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(components)
    }

    /// Whether a parenthesis opens here that has a comma directly inside.
    fn at_list(&self) -> bool {
        let mut open = 0_usize;
        for token in &self.tokens[self.next..] {
            match token.kind {
                TokenKind::OpenParenthesis | TokenKind::OpenBracket => open += 1,
                TokenKind::CloseParenthesis | TokenKind::CloseBracket => open = open.saturating_sub(1),
                TokenKind::Comma if open == 1 => return true,
                _ => {}
            }
            if open == 0 {
                return false;
            }
        }
        false
    }
}
