//! The grammar of Promela: from tokens to the syntax tree, by recursive descent.
//!
//! [`parse`] runs all phases: the preprocessor, the refusal of embedded C, the pass that finds
//! lines that end statements, and the parser. After an error the parser skips to a separator or to
//! the end of the sequence, so one run reports several mistakes. As in the parser for questions,
//! every failed test for a token is remembered, and an error lists all that was allowed.
//!
//! This file holds the cursor. [`mod@file`] reads what stands outside of processes, [`declaration`]
//! variables and types, [`sequence`] lists of statements with their separators, [`statement`] one
//! of them, [`channel`] sends and receives, [`repetition`] `for` and `select`, [`expression`] and
//! [`operand`] expressions, [`formula`] the contents of `ltl`, and [`inline`] calls of inlines.

mod advice;
mod channel;
mod declaration;
mod expression;
mod file;
mod formula;
mod inline;
mod operand;
mod repetition;
mod sequence;
mod statement;

use std::rc::Rc;

use model::guarded_commands::Span;

use self::file::Declared;
use self::inline::Call;
use super::lexer::LexedFile;
use super::origin::{Expansions, Origins};
use super::preprocess::{Include, Preprocessed, preprocess};
use super::refusals;
use super::separators::with_line_ends;
use super::syntax::{File, Name};
use super::tokens::{Symbol, Symbols, Token, TokenKind};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};

/// Blocks, parentheses, indices and calls in one another, at most, and levels of an expression.
const DEEPEST: usize = 256;

/// Reads the text of a model.
///
/// `definitions` are names of macros with the text of their values. `include` reads an included
/// file.
///
/// # Errors
/// The text cannot be read. All that is wrong with it is in `diagnostics`.
pub(crate) fn parse(
    text: &str,
    definitions: &[(String, String)],
    include: Include<'_>,
    diagnostics: &mut Diagnostics,
) -> Checked<File> {
    let preprocessed = preprocess(text, definitions, include, diagnostics);
    let Preprocessed { tokens, symbols, mut origins, text, failed, lost } = preprocessed;
    let (mut tokens, refused) = refusals::without_embedded_c(tokens, &symbols, &origins, diagnostics);
    let mistaken = refusals::report_mistakes(&mut tokens, &symbols, &origins, diagnostics);
    if let Some(reported) = lost {
        return Err(reported);
    }
    let end = text.end();
    let mut tokens = with_line_ends(tokens);
    let symbol = tokens.last().map_or_else(Symbol::default, |last| last.symbol);
    tokens.push(Token::new(TokenKind::End, symbol, Span::new(end, end)));
    let mut parser = Parser {
        cursor: Cursor { tokens, next: 0, expected: Vec::new() },
        symbols: &symbols,
        origins: &mut origins,
        text,
        declared: Declared::default(),
        calls: Vec::new(),
        copied: 0,
        ends_block: false,
        nesting: 0,
        in_formula: false,
        failed: failed.or(refused).or(mistaken),
        diagnostics,
    };
    let mut file = parser.file();
    if let Some(reported) = parser.failed {
        return Err(reported);
    }
    let tokens = parser.cursor.tokens;
    file.expansions = Expansions::new(&tokens, origins, symbols);
    Ok(file)
}

/// A place in a list of tokens.
struct Cursor {
    /// The last one is [`TokenKind::End`].
    tokens: Vec<Token>,
    next: usize,
    /// The tests that failed at the current token.
    expected: Vec<Expected>,
}

/// A token, or a class of tokens, that the grammar allows at the current place.
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Token(TokenKind),
    /// Several tokens under one name, where a list would not help.
    Class(&'static str),
}

struct Parser<'run> {
    cursor: Cursor,
    symbols: &'run Symbols,
    origins: &'run mut Origins,
    /// The text of the model, for the numbers of its lines.
    text: Rc<LexedFile>,
    declared: Declared,
    /// The calls of inlines whose bodies are being read, innermost last.
    calls: Vec<Call>,
    /// Number of tokens that calls of inlines have produced.
    copied: usize,
    /// The statement that was read last is the call of an inline, which ends like a block.
    ends_block: bool,
    /// Number of open blocks, parentheses, indices and prefix operators.
    nesting: usize,
    in_formula: bool,
    /// One of the errors, if there was any.
    failed: Option<Reported>,
    diagnostics: &'run mut Diagnostics,
}

impl Parser<'_> {
    /// The current token; at the end it stays the end token.
    fn token(&self) -> Token {
        self.cursor.tokens[self.cursor.next.min(self.cursor.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The kind of the token after `distance` others.
    fn kind_after(&self, distance: usize) -> TokenKind {
        let place = self.cursor.next.saturating_add(distance);
        self.cursor.tokens.get(place).map_or(TokenKind::End, |token| token.kind)
    }

    /// The token taken last.
    fn previous(&self) -> Option<Token> {
        self.cursor.next.checked_sub(1).map(|last| self.cursor.tokens[last])
    }

    fn previous_span(&self) -> Span {
        self.previous().map_or_else(|| self.span(), |token| token.span)
    }

    fn text(&self, token: Token) -> &str {
        self.symbols.text(token.symbol)
    }

    /// Takes the current token.
    fn advance(&mut self) -> Token {
        let token = self.token();
        self.cursor.expected.clear();
        self.cursor.next = (self.cursor.next + 1).min(self.cursor.tokens.len() - 1);
        token
    }

    /// Whether the current token is of this kind. If not, the kind is noted as expected.
    fn at(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if !found {
            self.note(Expected::Token(kind));
        }
        found
    }

    fn note(&mut self, expected: Expected) {
        if !self.cursor.expected.contains(&expected) {
            self.cursor.expected.push(expected);
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

    /// Takes a token of this kind, or reports what was expected.
    fn expect(&mut self, kind: TokenKind) -> Checked<Token> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.unexpected()) }
    }

    fn name(&mut self) -> Checked<Name> {
        let token = self.expect(TokenKind::Name)?;
        Ok(self.name_of(token))
    }

    fn name_of(&self, token: Token) -> Name {
        Name { text: self.text(token).to_owned(), span: token.span }
    }

    /// `item, item, …` with at least one item.
    fn separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Checked<T>) -> Checked<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Reads a part inside of something else.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.nesting >= DEEPEST {
            let at = self.token();
            return Err(self.too_deep(at, at.span));
        }
        self.nesting += 1;
        let read = inner(self);
        self.nesting -= 1;
        read
    }

    fn too_deep(&mut self, at: Token, span: Span) -> Reported {
        let message = format!("more than {DEEPEST} levels of blocks, parentheses or operators");
        let error = Diagnostic::error(codes::NESTED_TOO_DEEPLY, span, message, "nested too deeply");
        self.report(at, error.help("split it over several statements or variables"))
    }

    /// Reports an error about a token, and says where the token comes from.
    fn report(&mut self, at: Token, mut error: Diagnostic) -> Reported {
        error.message.push_str(&self.origins.explain(at.origin, self.symbols));
        let reported = self.diagnostics.report(error);
        self.failed = Some(reported);
        reported
    }

    /// Reports the current token as an error that lists everything expected.
    fn unexpected(&mut self) -> Reported {
        let mut wanted: Vec<&str> = Vec::new();
        for expected in &self.cursor.expected {
            wanted.push(match expected {
                Expected::Token(kind) => kind.describe(),
                Expected::Class(name) => name,
            });
        }
        let wanted = match wanted.split_last() {
            None => "something else".to_owned(),
            Some((only, [])) => (*only).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        };
        let at = self.token();
        let found = match at.kind {
            TokenKind::End | TokenKind::LineEnd => at.kind.describe().to_owned(),
            _ => self.symbols.quoted(at.symbol),
        };
        let message = format!("expected {wanted}, found {found}");
        let label = format!("expected {wanted}");
        let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, at.span, message, label);
        let advice = self.advice();
        self.report(at, error.help_if_any(advice))
    }
}

#[cfg(test)]
mod tests;
