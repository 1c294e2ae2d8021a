//! Advice about a token that the grammar does not allow.

use super::expression::OPERATOR;
use super::statement::STATEMENT;
use super::{Expected, Parser};
use crate::codes;
use crate::diagnostic::{Diagnostic, Reported};
use crate::promela::tokens::{KEYWORDS, TokenKind};
use crate::spelling::did_you_mean;

impl Parser<'_> {
    /// Advice about the current token, which is unexpected.
    pub(super) fn advice(&self) -> Option<String> {
        let expects = |kind| self.cursor.expected.contains(&Expected::Token(kind));
        let expects_class = |class| self.cursor.expected.contains(&class);
        let previous = self.previous();
        let text = self.text(self.token());
        match self.kind() {
            TokenKind::Equal if expects_class(OPERATOR) => {
                Some("`==` compares; an assignment is a statement of its own".to_owned())
            }
            TokenKind::EqualEqual if expects(TokenKind::Equal) => {
                Some("`=` assigns; `==` compares".to_owned())
            }
            TokenKind::End => Some("is a `}` missing?".to_owned()),
            TokenKind::OpenParenthesis
                if previous.is_some_and(|previous| previous.kind == TokenKind::Name)
                    && expects_class(OPERATOR) =>
            {
                self.called_like_a_function()
            }
            _ if expects_class(STATEMENT) => self.advice_on_statement(),
            _ if previous.is_some_and(|previous| previous.kind == TokenKind::If) => {
                Some("a selection is `if :: condition -> … :: else -> … fi`".to_owned())
            }
            _ if previous.is_some_and(|previous| previous.kind == TokenKind::Do) => {
                Some("a loop is `do :: condition -> … :: else -> break od`".to_owned())
            }
            TokenKind::Name => self.misspelt().or_else(|| {
                let is_missing = expects(TokenKind::Semicolon);
                is_missing.then(|| "is a `;` missing before it?".to_owned())
            }),
            _ if expects(TokenKind::Name) && KEYWORDS.iter().any(|(word, _)| *word == text) => {
                Some(format!("`{text}` is a reserved word and cannot be a name"))
            }
            _ => None,
        }
    }

    /// Advice about a name with a parenthesis after it.
    fn called_like_a_function(&self) -> Option<String> {
        let name = self.text(self.previous()?);
        if name == "while" {
            return Some("a loop is `do :: condition -> … :: else -> break od`".to_owned());
        }
        if self.declared.has_proctype(name) {
            return Some(format!("`{name}` is a process: write `run {name}(…)`"));
        }
        let inlines = self.declared.inlines.keys().map(|symbol| self.symbols.text(*symbol));
        let near = did_you_mean(name, inlines);
        near.or_else(|| Some(format!("no inline `{name}` is declared before this line")))
    }

    /// Advice about a token where a statement should be.
    fn advice_on_statement(&self) -> Option<String> {
        let previous = self.previous().map(|previous| previous.kind);
        match self.kind() {
            TokenKind::CloseBrace | TokenKind::ColonColon | TokenKind::Fi | TokenKind::Od => {
                Some("a sequence needs at least one statement; `skip` does nothing".to_owned())
            }
            TokenKind::Semicolon | TokenKind::Arrow => {
                Some("remove it, or write `skip` before it".to_owned())
            }
            _ if previous == Some(TokenKind::LineEnd) => Some(
                "the line before is a complete statement; write the operator at its end, or use parentheses"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Advice about a name where something else should be.
    fn misspelt(&self) -> Option<String> {
        let name = self.text(self.token());
        let keywords = self.cursor.expected.iter().filter_map(|expected| match expected {
            Expected::Token(kind) => KEYWORDS.iter().find(|(_, known)| known == kind).map(|(word, _)| *word),
            Expected::Class(_) => None,
        });
        did_you_mean(name, keywords.filter(|word| word.len() > 2))
    }

    /// Advice about the current token if it is a misspelt keyword or type.
    pub(super) fn similar_word(&self) -> Option<String> {
        let name = self.text(self.token());
        let typedefs = self.declared.typedefs.iter().map(|symbol| self.symbols.text(*symbol));
        let words = KEYWORDS.iter().map(|(word, _)| *word).chain(typedefs);
        // Any short name is similar to `if`.
        did_you_mean(name, words.filter(|word| word.len() > 2 && name.len() > 2))
    }

    /// Reports a name where only a keyword or a type can be.
    pub(super) fn unknown_type(&mut self) -> Reported {
        let at = self.token();
        let quoted = self.symbols.quoted(at.symbol);
        let help = self.similar_word();
        let help =
            help.unwrap_or_else(|| "if it is a type, its `typedef` must stand before this line".to_owned());
        let message = format!("{quoted} is no keyword and no type");
        let error =
            Diagnostic::error(codes::UNEXPECTED_TOKEN, at.span, message, "expected a keyword or a type");
        self.report(at, error.help(help))
    }
}
