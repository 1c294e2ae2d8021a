//! The grammar of DVE files, on the cursor that questions use too.
//!
//! After an error the parser does not give up. It skips to the next token where its position in the
//! grammar is certain (`,` `;` `}` or the start of a process) and continues, so one run reports
//! several mistakes. [`declaration`] and [`process`] hold the parts of a file, and this module the
//! file as a whole. Expressions and measures are those of [`question`](crate::question).

mod declaration;
mod process;

use super::syntax::{File, SystemClause, Timing};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::names::ARROW_AND_DOT;
use crate::question::parse::{Expected, Parser, measure};
use crate::question::syntax::Purpose;
use crate::question::tokens::TokenKind;

/// Reads a whole file. After a reported error the tree lacks what could not be read.
pub(crate) fn file<'text>(text: &'text str, diagnostics: &mut Diagnostics) -> File<'text> {
    let mut parser = Parser::starting_at(0, text, Purpose::Model, diagnostics);
    let mut file = parser.file();
    let measures = std::mem::take(&mut parser.measures);
    let mut about_measure = Diagnostics::default();
    let measure = measure::declared(text, &measures, ARROW_AND_DOT, &mut about_measure);
    match about_measure.check(Ok(measure)) {
        Ok(measure) => file.measure = measure,
        Err(errors) => file.measure_errors = errors,
    }
    file
}

impl<'text> Parser<'text, '_> {
    /// Skips to the first token of a kind in `stops`, outside of braces opened on the way, but
    /// never past the start of a process or the system clause. Does not take the stop itself.
    fn skip_to(&mut self, stops: &[TokenKind]) {
        let mut open_braces = 0_usize;
        loop {
            match self.kind() {
                TokenKind::End | TokenKind::Process | TokenKind::System => return,
                kind if open_braces == 0 && stops.contains(&kind) => return,
                TokenKind::OpenBrace => open_braces += 1,
                TokenKind::CloseBrace => open_braces = open_braces.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// Ends a list that was read: takes its `;`, or reports and skips to it.
    fn end_section(&mut self) {
        if self.expect(TokenKind::Semicolon).is_err() {
            self.skip_section();
        }
    }

    /// Skips to the end of a section after an error in it.
    fn skip_section(&mut self) {
        self.skip_to(&[TokenKind::Semicolon, TokenKind::CloseBrace]);
        self.eat(TokenKind::Semicolon);
    }

    /// Takes a section's keyword, and reports it if the section is a repetition.
    fn section(&mut self, keyword: TokenKind, seen: &mut Vec<TokenKind>) -> bool {
        let span = self.span();
        if !self.eat(keyword) {
            return false;
        }
        if seen.contains(&keyword) {
            let message = format!("a second {} section", keyword.describe());
            let error = Diagnostic::error(codes::REPEATED_SECTION, span, message, "repeated here");
            self.diagnostics.report(error.help("join both lists with commas"));
        }
        seen.push(keyword);
        true
    }

    /// `file = { declaration | channels | process } system`
    fn file(&mut self) -> File<'text> {
        let mut file = File::default();
        while !self.diagnostics.is_full() && !self.at(TokenKind::End) {
            if self.at_declaration() {
                self.declarations(&mut file.variables);
            } else if self.at(TokenKind::Channel) {
                self.channels(&mut file.channels);
            } else if self.at(TokenKind::Process) {
                file.processes.extend(self.process());
            } else if self.at(TokenKind::System) {
                let clause = self.system_clause();
                let clause = self.only_system_clause(clause, file.system.as_ref());
                file.system = file.system.or(clause);
            } else {
                self.expected.retain(|expected| *expected != Expected::Token(TokenKind::End));
                self.unexpected();
                self.advance();
                self.skip_to(&[TokenKind::Byte, TokenKind::Int, TokenKind::Const, TokenKind::Channel]);
            }
        }
        // After an error the clause may be in a part that was skipped.
        if file.system.is_none() && !self.diagnostics.has_errors() {
            self.missing_system_clause();
        }
        file
    }

    /// `system = "system" ( "async" | "sync" ) [ "property" name ] ";"`
    fn system_clause(&mut self) -> Option<SystemClause<'text>> {
        let start = self.span();
        self.advance();
        let timing = if self.eat(TokenKind::Async) {
            Timing::Asynchronous
        } else if self.eat(TokenKind::Sync) {
            Timing::Synchronous
        } else {
            self.unexpected();
            self.skip_section();
            return None;
        };
        let property = match self.eat(TokenKind::Property).then(|| self.name()) {
            Some(Err(_)) => {
                self.skip_section();
                None
            }
            name => {
                self.end_section();
                name.and_then(Checked::ok)
            }
        };
        Some(SystemClause { timing, property, span: start.to(self.previous_span()) })
    }

    /// Reports a clause that is not the first.
    fn only_system_clause(
        &mut self,
        clause: Option<SystemClause<'text>>,
        first: Option<&SystemClause<'text>>,
    ) -> Option<SystemClause<'text>> {
        let clause = clause?;
        if first.is_some() {
            let message = "a second `system` clause";
            let label = "the model has one already";
            self.diagnostics.report(Diagnostic::error(codes::REPEATED_SECTION, clause.span, message, label));
        }
        Some(clause)
    }

    fn missing_system_clause(&mut self) {
        let span = self.span();
        let message = "the model has no `system` clause";
        let error = Diagnostic::error(codes::MISSING_SECTION, span, message, "expected `system async;`");
        self.diagnostics.report(error.help("end the model with `system async;`"));
    }
}
