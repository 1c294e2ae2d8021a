//! The parser: tokens to the syntax tree, by recursive descent.
//!
//! Two habits make its messages good. Every test for a token that fails is remembered until the next token is
//! taken, so an error can list all that would have been allowed without anyone writing lists down. And after an
//! error the parser does not give up: it skips to the next place where it surely knows where it is (`,` `;` `}`
//! or the start of a process) and goes on, so one run shows several mistakes.
//!
//! The grammar is spread over the files of this folder: [`declaration`], [`process`] and [`mod@expression`] for
//! models, [`mod@measure`] and [`mod@formula`] for what is asked about them. This one holds the cursor they share and
//! the file as a whole.

mod declaration;
mod expression;
mod formula;
mod formula_errors;
mod formula_tree;
mod measure;
mod operator_words;
mod process;

use model::guarded_commands::Span;

use super::syntax::{self, File, Name, Purpose, SystemClause, Timing};
use super::tokens::{Token, TokenKind, Tokens, tokens};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::spelling;

/// Reads a whole file. After a reported error the tree lacks what could not be read.
pub(crate) fn file<'text>(text: &'text str, diagnostics: &mut Diagnostics) -> File<'text> {
    let mut parser = Parser::new(text, diagnostics);
    let mut file = parser.file();
    let measures = std::mem::take(&mut parser.measures);
    let mut about_measure = Diagnostics::default();
    let measure = measure::declared(text, &measures, &mut about_measure);
    match about_measure.check(Ok(measure)) {
        Ok(measure) => file.measure = measure,
        Err(errors) => file.measure_errors = errors,
    }
    file
}

/// Reads one expression that makes up the whole text.
pub(crate) fn expression<'text>(
    text: &'text str,
    diagnostics: &mut Diagnostics,
) -> Checked<syntax::Expression<'text>> {
    expression_at(text, Span::new(0, text.len()), diagnostics)
}

/// Reads one expression that makes up a part of the text.
pub(crate) fn expression_at<'text>(
    text: &'text str,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Checked<syntax::Expression<'text>> {
    let part = text.get(..span.end as usize).unwrap_or(text);
    let mut parser = Parser::starting_at(span.start as usize, part, Purpose::Expression, diagnostics);
    let expression = parser.expression()?;
    parser.expect(TokenKind::End)?;
    Ok(expression)
}

pub(crate) use expression::{TIGHTEST, spelling};
pub(crate) use formula::{Logic, formula};
pub(crate) use measure::measure;

/// Something the grammar allows at the current place.
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Token(TokenKind),
    /// Several tokens under one name, where listing them would not help.
    Class(&'static str),
}

/// The cursor over the tokens.
struct Parser<'text, 'run> {
    text: &'text str,
    tokens: Vec<Token>,
    next: usize,
    /// What was tested for at the current token.
    expected: Vec<Expected>,
    /// How many parentheses, indices and prefix operators are open.
    nesting: usize,
    /// The measures that comments declare.
    measures: Vec<Span>,
    purpose: Purpose,
    diagnostics: &'run mut Diagnostics,
}

impl<'text, 'run> Parser<'text, 'run> {
    fn new(text: &'text str, diagnostics: &'run mut Diagnostics) -> Self {
        Self::starting_at(0, text, Purpose::Model, diagnostics)
    }

    /// A cursor over the part of `text` that starts at this byte. Places are counted from the start of `text`.
    fn starting_at(
        start: usize,
        text: &'text str,
        purpose: Purpose,
        diagnostics: &'run mut Diagnostics,
    ) -> Self {
        let Tokens { tokens, measures } = tokens(text, start, purpose, diagnostics);
        let expected = Vec::new();
        Self { text, tokens, next: 0, expected, nesting: 0, measures, purpose, diagnostics }
    }

    /// The current token; at the end it stays the end token, which is always there.
    fn token(&self) -> Token {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The place of the token taken last.
    fn previous_span(&self) -> Span {
        self.next.checked_sub(1).map_or_else(|| self.span(), |last| self.tokens[last].span)
    }

    /// The kind of any token; behind the last one there is the end.
    fn kind_at(&self, place: usize) -> TokenKind {
        self.tokens.get(place).map_or(TokenKind::End, |token| token.kind)
    }

    fn spelling(&self, span: Span) -> &'text str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn advance(&mut self) {
        self.expected.clear();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    /// Whether the current token is of this kind; if not, it is remembered as expected.
    fn at(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if !found {
            self.note(Expected::Token(kind));
        }
        found
    }

    fn note(&mut self, expected: Expected) {
        if !self.expected.contains(&expected) {
            self.expected.push(expected);
        }
    }

    /// Takes the current token if it is of this kind.
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token of this kind or reports what was expected.
    fn expect(&mut self, kind: TokenKind) -> Checked<Span> {
        let span = self.span();
        if self.eat(kind) { Ok(span) } else { Err(self.unexpected()) }
    }

    fn name(&mut self) -> Checked<Name<'text>> {
        let span = self.expect(TokenKind::Word)?;
        Ok(Name { text: self.spelling(span), span })
    }

    /// `item, item, …` with at least one item.
    fn separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Checked<T>) -> Checked<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Reports the current token as an error that lists everything tested for.
    fn unexpected(&mut self) -> Reported {
        let wanted: Vec<String> = self
            .expected
            .iter()
            .map(|expected| match expected {
                Expected::Token(kind) => kind.describe(),
                Expected::Class(name) => (*name).to_owned(),
            })
            .collect();
        let wanted = match wanted.split_last() {
            None => "something else".to_owned(),
            Some((only, [])) => only.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        };
        let found = match self.kind() {
            TokenKind::End => "the end of the text".to_owned(),
            // The text of a generated file may hold a name of any length.
            _ => format!("`{}`", self.spelling(self.span()).chars().take(40).collect::<String>()),
        };
        let message = format!("expected {wanted}, found {found}");
        let error =
            Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message, format!("expected {wanted}"));
        let error = error.help_if_any(self.advice());
        self.diagnostics.report(error)
    }

    /// What to do about the unexpected current token.
    fn advice(&self) -> Option<String> {
        let expects = |kind| self.expected.contains(&Expected::Token(kind));
        let line_break = || {
            let between = self.previous_span().end as usize..self.span().start as usize;
            self.text.get(between).is_some_and(|space| space.contains('\n'))
        };
        match self.kind() {
            _ if self.in_order() => Some(measure::ORDER.to_owned()),
            TokenKind::OpenParenthesis if self.spelling(self.previous_span()) == measure::ORDER_WORD => {
                Some("orders of values stand only in progress measures".to_owned())
            }
            TokenKind::Equal if self.expected.contains(&expression::OPERATOR) => {
                Some("`==` compares; `=` stands only in declarations and after `effect`".to_owned())
            }
            TokenKind::Comma if self.purpose == Purpose::Measure => Some(
                "a list of measures stands in one pair of parentheses or brackets: `(a, b, c)`".to_owned(),
            ),
            TokenKind::EqualEqual if expects(TokenKind::Equal) => {
                Some("`=` assigns; `==` compares".to_owned())
            }
            TokenKind::Word => {
                let keywords = self.expected.iter().filter_map(|expected| match expected {
                    Expected::Token(kind) => Some(kind.describe()),
                    Expected::Class(_) => None,
                });
                let keywords: Vec<String> = keywords.map(|keyword| keyword.replace('`', "")).collect();
                let keywords = keywords.iter().map(String::as_str).filter(|word| word.len() > 2);
                spelling::did_you_mean(self.spelling(self.span()), keywords).or_else(|| {
                    let missing = expects(TokenKind::Semicolon) && line_break();
                    missing.then(|| "is a `;` missing at the end of the line before?".to_owned())
                })
            }
            TokenKind::End if self.text.trim().is_empty() => Some("the text is empty".to_owned()),
            _ if expects(TokenKind::Word) && self.spelling(self.span()).starts_with(char::is_alphabetic) => {
                Some(format!("`{}` is a reserved word and cannot be a name", self.spelling(self.span())))
            }
            _ if expects(TokenKind::Semicolon) && (line_break() || self.kind() == TokenKind::CloseBrace) => {
                Some("is a `;` missing before it?".to_owned())
            }
            _ => None,
        }
    }

    /// Skips to the first token of a kind in `stops`, outside of braces opened on the way, but never past the
    /// start of a process or the system clause. Takes no stop itself.
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

    /// Ends a list that began well: takes its `;`, or reports and skips to it.
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

    /// Takes a section's keyword; reports it if the section has been seen before.
    fn section(&mut self, keyword: TokenKind, seen: &mut Vec<TokenKind>) -> bool {
        let span = self.span();
        if !self.eat(keyword) {
            return false;
        }
        if seen.contains(&keyword) {
            let message = format!("a second {} section", keyword.describe());
            let error = Diagnostic::error(codes::REPEATED_SECTION, span, message, "stands here once already");
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
        // After an error the clause may be there, in a part that was skipped.
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
