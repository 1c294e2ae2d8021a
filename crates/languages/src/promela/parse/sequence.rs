//! Sequences of statements: bodies, blocks and options, with separators and labels.
//!
//! `;`, `->` and the end of a line all separate. Several in a row count once. They may be missing
//! after a block and after `else`.

use super::{Expected, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::promela::syntax::{Choice, Name, Statement, StatementKind};
use crate::promela::tokens::{Token, TokenKind};

/// What a sequence is a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sequence {
    Body,
    Block,
    Choice,
}

/// Whether a token can only end a sequence.
fn ends_sequence(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, CloseBrace | ColonColon | Fi | Od | End) || kind.begins_item()
}

impl Parser<'_> {
    /// Takes separators, if there are any.
    pub(super) fn eat_separators(&mut self) -> bool {
        let mut found = false;
        while matches!(self.kind(), TokenKind::Semicolon | TokenKind::Arrow | TokenKind::LineEnd) {
            self.advance();
            found = true;
        }
        if !found {
            self.note(Expected::Token(TokenKind::Semicolon));
        }
        found
    }

    /// `"{" steps "}"`, the body of a process, with the closing brace.
    pub(super) fn body(&mut self) -> Checked<(Vec<Statement>, Token)> {
        self.braces(Sequence::Body)
    }

    /// `"{" steps "}"`
    pub(super) fn block(&mut self) -> Checked<Vec<Statement>> {
        Ok(self.braces(Sequence::Block)?.0)
    }

    fn braces(&mut self, sequence: Sequence) -> Checked<(Vec<Statement>, Token)> {
        self.expect(TokenKind::OpenBrace)?;
        // A block counts twice: it takes more of the stack than a parenthesis does. SPIN has a
        // limit of 128 blocks, too.
        let steps = self.nested(|parser| parser.nested(|parser| parser.steps(sequence)))?;
        let end = self.expect(TokenKind::CloseBrace)?;
        Ok((steps, end))
    }

    /// `option {option}`, up to a closing keyword.
    pub(super) fn choices(&mut self, end: TokenKind) -> Checked<Vec<Choice>> {
        let mut choices = Vec::new();
        while choices.is_empty() || !self.at(end) {
            let start = match self.expect(TokenKind::ColonColon) {
                Ok(start) => start.span,
                Err(reported) => {
                    self.skip_statement();
                    match self.kind() {
                        TokenKind::ColonColon => continue,
                        kind if kind == end => break,
                        TokenKind::Semicolon | TokenKind::Arrow | TokenKind::LineEnd => {
                            self.advance();
                            continue;
                        }
                        _ => return Err(reported),
                    }
                }
            };
            let body = self.nested(|parser| parser.steps(Sequence::Choice))?;
            choices.push(Choice { body, span: self.since(start) });
        }
        self.expect(end)?;
        Ok(choices)
    }

    /// `step {separator step} [separator]`
    pub(super) fn steps(&mut self, sequence: Sequence) -> Checked<Vec<Statement>> {
        let mut steps: Vec<Statement> = Vec::new();
        let mut is_first = true;
        while is_first || !ends_sequence(self.kind()) {
            if self.diagnostics.is_full() {
                return Err(self.unexpected());
            }
            let at = self.token();
            self.ends_block = false;
            match self.step() {
                Ok(Some(step)) => {
                    if is_first {
                        self.check_first(&step, sequence, at);
                    }
                    steps.push(step);
                }
                Ok(None) => {}
                Err(_) => self.skip_statement(),
            }
            is_first = false;
            let last = self.previous().map(|last| last.kind);
            let may_lack = self.ends_block || matches!(last, Some(TokenKind::CloseBrace | TokenKind::Else));
            if !self.eat_separators() && !may_lack && !ends_sequence(self.kind()) {
                self.unexpected();
                self.skip_statement();
                self.eat_separators();
            }
        }
        let end = match sequence {
            Sequence::Body | Sequence::Block => &[TokenKind::CloseBrace][..],
            Sequence::Choice => &[TokenKind::ColonColon],
        };
        for kind in end {
            self.note(Expected::Token(*kind));
        }
        Ok(steps)
    }

    /// Skips to the end of a statement after an error in it.
    fn skip_statement(&mut self) {
        let (mut braces, mut choices) = (0_usize, 0_usize);
        loop {
            match self.kind() {
                TokenKind::End => return,
                kind if kind.begins_item() => return,
                TokenKind::Semicolon | TokenKind::Arrow | TokenKind::LineEnd if braces + choices == 0 => {
                    return;
                }
                TokenKind::CloseBrace if braces == 0 => return,
                TokenKind::ColonColon | TokenKind::Fi | TokenKind::Od if braces + choices == 0 => return,
                TokenKind::OpenBrace => braces += 1,
                TokenKind::CloseBrace => braces -= 1,
                TokenKind::If | TokenKind::Do => choices += 1,
                TokenKind::Fi | TokenKind::Od => choices = choices.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// Reports a label at the start of a sequence: what can be reached by it is the whole sequence,
    /// so it must stand outside.
    fn check_first(&mut self, first: &Statement, sequence: Sequence, at: Token) {
        let labelled = match &first.kind {
            StatementKind::Unless { main, .. } => main,
            _ => first,
        };
        let (place, help) = match sequence {
            Sequence::Body => return,
            Sequence::Block => {
                ("the first statement of a block", "write it before the `{` or the word before that")
            }
            Sequence::Choice => ("the first statement of an option", "write it before the `if` or `do`"),
        };
        if let Some(label) = labelled.labels.first() {
            self.misplaced_label(label, at, place, help);
        }
    }

    /// Reports a label that cannot stand where it does.
    pub(super) fn misplaced_label(&mut self, label: &Name, at: Token, place: &str, help: &str) {
        let message = format!("label `{}` cannot stand before {place}", label.text);
        let error = Diagnostic::error(codes::MISPLACED_LABEL, label.span, message, "this label");
        self.report(at, error.help(help));
    }
}
