//! The parser: tokens to syntax trees, by recursive descent.
//!
//! Two habits make its messages good. The parser remembers every failed test for a token until it
//! takes the next token, so an error lists everything that was allowed, and no list is written by
//! hand. After an error a caller can skip to a token where the grammar is certain again, so one run
//! reports several mistakes.
//!
//! This file holds the cursor. [`mod@expression`], [`mod@measure`] and [`mod@formula`] read what
//! users ask about a model. The DVE front end adds the grammar of DVE files to the same cursor
//! ([`dve::parse`](crate::dve)), because its expressions are those of questions.

pub(crate) mod expression;
pub(crate) mod formula;
mod formula_errors;
mod formula_tree;
pub(crate) mod measure;
mod operator_words;

use model::guarded_commands::Span;

use super::syntax::{Expression, Name, Purpose};
use super::tokens::{Token, TokenKind, Tokens, tokens};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::names::NameSyntax;
use crate::spelling;

/// Reads one expression that makes up a part of the text.
pub(crate) fn expression_at<'text>(
    text: &'text str,
    span: Span,
    syntax: &'static dyn NameSyntax,
    diagnostics: &mut Diagnostics,
) -> Checked<Expression<'text>> {
    let part = text.get(..span.end as usize).unwrap_or(text);
    let mut parser = Parser::starting_at(span.start as usize, part, Purpose::Expression, diagnostics);
    parser.syntax = syntax;
    let expression = parser.expression()?;
    parser.expect(TokenKind::End)?;
    Ok(expression)
}

/// A token, or a class of tokens, that the grammar allows at the current place.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Expected {
    Token(TokenKind),
    /// Several tokens under one name, where a list would not help.
    Class(&'static str),
}

/// The cursor over the tokens.
pub(crate) struct Parser<'text, 'run> {
    text: &'text str,
    tokens: Vec<Token>,
    next: usize,
    /// The tests that failed at the current token.
    pub(crate) expected: Vec<Expected>,
    /// Number of open parentheses, indices and prefix operators.
    nesting: usize,
    /// The places of the measures that comments declare.
    pub(crate) measures: Vec<Span>,
    purpose: Purpose,
    /// How names that belong to a process are written.
    syntax: &'static dyn NameSyntax,
    pub(crate) diagnostics: &'run mut Diagnostics,
}

impl<'text, 'run> Parser<'text, 'run> {
    /// A cursor over the part of `text` that starts at this byte. Spans count from the start of
    /// `text`.
    pub(crate) fn starting_at(
        start: usize,
        text: &'text str,
        purpose: Purpose,
        diagnostics: &'run mut Diagnostics,
    ) -> Self {
        let Tokens { tokens, measures } = tokens(text, start, purpose, diagnostics);
        let expected = Vec::new();
        let syntax = crate::names::ARROW_AND_DOT;
        Self { text, tokens, next: 0, expected, nesting: 0, measures, purpose, syntax, diagnostics }
    }

    /// The current token; at the end of the text it stays the end token.
    pub(crate) fn token(&self) -> Token {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub(crate) fn kind(&self) -> TokenKind {
        self.token().kind
    }

    pub(crate) fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token taken last.
    pub(crate) fn previous_span(&self) -> Span {
        self.next.checked_sub(1).map_or_else(|| self.span(), |last| self.tokens[last].span)
    }

    /// The kind of any token; after the last one it is the end.
    pub(crate) fn kind_at(&self, place: usize) -> TokenKind {
        self.tokens.get(place).map_or(TokenKind::End, |token| token.kind)
    }

    /// The kind of a token behind the current one.
    pub(crate) fn kind_ahead(&self, distance: usize) -> TokenKind {
        self.kind_at(self.next + distance)
    }

    pub(crate) fn spelling(&self, span: Span) -> &'text str {
        &self.text[span.start as usize..span.end as usize]
    }

    pub(crate) fn advance(&mut self) {
        self.expected.clear();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    /// Whether the current token is of this kind. If not, the kind is noted as expected.
    pub(crate) fn at(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if !found {
            self.note(Expected::Token(kind));
        }
        found
    }

    pub(crate) fn note(&mut self, expected: Expected) {
        if !self.expected.contains(&expected) {
            self.expected.push(expected);
        }
    }

    /// Takes the current token if it is of this kind.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token of this kind, or reports what was expected.
    pub(crate) fn expect(&mut self, kind: TokenKind) -> Checked<Span> {
        let span = self.span();
        if self.eat(kind) { Ok(span) } else { Err(self.unexpected()) }
    }

    pub(crate) fn name(&mut self) -> Checked<Name<'text>> {
        let span = self.expect(TokenKind::Word)?;
        Ok(Name { text: self.spelling(span), span })
    }

    /// `item, item, …` with at least one item.
    pub(crate) fn separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Checked<T>) -> Checked<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Reports the current token as an error that lists everything expected.
    pub(crate) fn unexpected(&mut self) -> Reported {
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
            // A generated file may contain a name of any length.
            _ => format!("`{}`", self.spelling(self.span()).chars().take(40).collect::<String>()),
        };
        let message = format!("expected {wanted}, found {found}");
        let error =
            Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message, format!("expected {wanted}"));
        let error = error.help_if_any(self.advice());
        self.diagnostics.report(error)
    }

    /// Advice about the unexpected current token.
    fn advice(&self) -> Option<String> {
        let expects = |kind| self.expected.contains(&Expected::Token(kind));
        let line_break = || {
            let between = self.previous_span().end as usize..self.span().start as usize;
            self.text.get(between).is_some_and(|space| space.contains('\n'))
        };
        match self.kind() {
            _ if self.in_order() => Some(measure::ORDER.to_owned()),
            TokenKind::OpenParenthesis if self.spelling(self.previous_span()) == measure::ORDER_WORD => {
                Some("only progress measures have orders of values".to_owned())
            }
            TokenKind::Equal if self.expected.contains(&expression::OPERATOR) => {
                Some("`==` compares; `=` is only for declarations and after `effect`".to_owned())
            }
            TokenKind::Comma if self.purpose == Purpose::Measure => Some(
                "enclose a list of measures in one pair of parentheses or brackets: `(a, b, c)`".to_owned(),
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
}
