//! The tokens of LoLA's files.

use model::guarded_commands::Span;

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A word or a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'text> {
    /// The spelling; empty at the end of the text.
    pub(super) text: &'text str,
    pub(super) span: Span,
}

/// Signs that are tokens by themselves.
const SIGNS: [char; 5] = [',', ';', ':', '(', ')'];

/// The meaning of braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Braces {
    /// Comments, in nets and tasks.
    Comments,
    /// Lists, in automata.
    Lists,
}

/// All tokens. The last one is empty.
pub(super) fn tokens<'text>(
    text: &'text str,
    braces_are: Braces,
    diagnostics: &mut Diagnostics,
) -> Vec<Token<'text>> {
    let mut tokens = Vec::new();
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first == '{' && braces_are == Braces::Comments {
            braces(rest).unwrap_or_else(|| unclosed(text, at, "}", diagnostics))
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let length = comment.find("*/").map(|end| end + "/**/".len());
            length.unwrap_or_else(|| unclosed(text, at, "*/", diagnostics))
        } else {
            let length = if SIGNS.contains(&first) || matches!(first, '{' | '}') {
                first.len_utf8()
            } else {
                let ends =
                    |one: char| one.is_whitespace() || SIGNS.contains(&one) || one == '{' || one == '}';
                rest.find(ends).unwrap_or(rest.len())
            };
            tokens.push(Token { text: &rest[..length], span: Span::new(at, at + length) });
            length
        };
        at += length;
    }
    tokens.push(Token { text: "", span: Span::new(text.len(), text.len()) });
    tokens
}

/// A cursor over a list of tokens, which ends with an empty one.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'text> {
    tokens: Vec<Token<'text>>,
    next: usize,
}

impl<'text> Cursor<'text> {
    pub(super) fn new(tokens: Vec<Token<'text>>) -> Self {
        Self { tokens, next: 0 }
    }

    /// The next token; at the end, always the last one.
    pub(super) fn token(&self) -> Token<'text> {
        self.ahead(0)
    }

    /// The token at this distance after the next one.
    pub(super) fn ahead(&self, count: usize) -> Token<'text> {
        self.tokens[(self.next + count).min(self.tokens.len() - 1)]
    }

    /// The token that was taken last.
    pub(super) fn last(&self) -> Token<'text> {
        self.tokens[self.next.saturating_sub(1)]
    }

    pub(super) fn at(&self, text: &str) -> bool {
        self.token().text == text
    }

    pub(super) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    /// Takes the next token if it is one of these.
    pub(super) fn eat(&mut self, texts: &[&str]) -> bool {
        let found = texts.iter().any(|text| self.at(text));
        if found {
            self.advance();
        }
        found
    }

    /// The error that the next token is not the expected one.
    pub(super) fn unexpected(&self, expected: &str, help: &str) -> Diagnostic {
        let token = self.token();
        let found = match token.text {
            "" => "the end of the text".to_owned(),
            text => format!("`{}`", text.chars().take(40).collect::<String>()),
        };
        let message = format!("expected {expected}, found {found}");
        let label = format!("expected {expected}");
        Diagnostic::error(codes::UNEXPECTED_TOKEN, token.span, message, label).help(help)
    }
}

/// The length of a comment in braces, which may be nested.
fn braces(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, one) in text.char_indices() {
        match one {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Reports a comment without an end, and skips the rest of the text.
fn unclosed(text: &str, at: usize, end: &str, diagnostics: &mut Diagnostics) -> usize {
    let span = Span::new(at, at + 1);
    let error =
        Diagnostic::error(codes::UNCLOSED_COMMENT, span, "this comment is never closed", "opened here");
    diagnostics.report(error.help(format!("close it with `{end}`")));
    text.len() - at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut diagnostics = Diagnostics::default();
        let words = tokens(text, Braces::Comments, &mut diagnostics).iter().map(|token| token.text).collect();
        diagnostics.check(Ok(())).unwrap();
        words
    }

    #[test]
    fn comments_end_words_and_may_hold_others() {
        assert_eq!(words("a{b {c} d}e /* { */ f"), ["a", "e", "f", ""]);
        // The second of these is a name, since a comment begins only where a name could.
        assert_eq!(words("/**/ */* x"), ["*/*", "x", ""]);
    }

    #[test]
    fn names_are_nearly_anything() {
        assert_eq!(words("rl.[y=2]:3,☃;"), ["rl.[y=2]", ":", "3", ",", "☃", ";", ""]);
    }

    #[test]
    fn braces_of_automata_are_signs() {
        let mut diagnostics = Diagnostics::default();
        let words = tokens("accept {a,b};", Braces::Lists, &mut diagnostics);
        let words: Vec<&str> = words.iter().map(|token| token.text).collect();
        assert_eq!(words, ["accept", "{", "a", ",", "b", "}", ";", ""]);
    }

    #[test]
    fn open_comments_are_reported() {
        for text in ["a { b { c }", "/* x"] {
            let mut diagnostics = Diagnostics::default();
            tokens(text, Braces::Comments, &mut diagnostics);
            assert_eq!(diagnostics.check(Ok(())).unwrap_err()[0].code, codes::UNCLOSED_COMMENT);
        }
    }
}
