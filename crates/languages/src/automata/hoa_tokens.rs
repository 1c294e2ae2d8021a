//! The lexer of the Hanoi format.

use model::guarded_commands::Span;

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word followed by a colon.
    Header,
    Word,
    /// A word after `@`.
    Alias,
    Number(u64),
    /// A text in quotation marks.
    Quoted,
    /// `--BODY--`
    Body,
    /// `--END--`
    End,
    /// `--ABORT--`
    Abort,
    /// One of `! & | ( ) [ ] { }`.
    Sign(char),
    /// Characters that are no token; the lexer has reported them.
    Unknown,
    /// The end of the text.
    EndOfText,
}

impl TokenKind {
    pub(super) fn describe(self) -> String {
        match self {
            Self::Header => "a header".to_owned(),
            Self::Word => "a word".to_owned(),
            Self::Alias => "an alias".to_owned(),
            Self::Number(_) => "a number".to_owned(),
            Self::Quoted => "a text in quotation marks".to_owned(),
            Self::Body => "`--BODY--`".to_owned(),
            Self::End => "`--END--`".to_owned(),
            Self::Abort => "`--ABORT--`".to_owned(),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::Unknown => "unknown characters".to_owned(),
            Self::EndOfText => "the end of the text".to_owned(),
        }
    }
}

/// A token and its span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// Splits a text into tokens; the last one is [`TokenKind::EndOfText`].
pub(super) fn tokens(text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("/*") {
            at += comment(rest).unwrap_or_else(|| {
                let error = Diagnostic::error(
                    codes::UNCLOSED_COMMENT,
                    Span::new(at, at + 2),
                    "this comment is never closed",
                    "opened here",
                );
                diagnostics.report(error.help("close it with `*/`; comments can be nested"));
                rest.len()
            });
            continue;
        }
        let (kind, length) = token(rest, first);
        let span = Span::new(at, at + length);
        match kind {
            TokenKind::Unknown if first == '"' => {
                let error = Diagnostic::error(
                    codes::UNCLOSED_QUOTATION,
                    span,
                    "this quotation is never closed",
                    "opened here",
                );
                diagnostics.report(error.help("close it with `\"`"));
            }
            TokenKind::Unknown => {
                let error = Diagnostic::error(
                    codes::UNKNOWN_CHARACTER,
                    span,
                    format!("unknown character {first:?}"),
                    "not part of the format",
                );
                diagnostics.report(error);
            }
            _ => {}
        }
        tokens.push(Token { kind, span });
        at += length;
    }
    tokens.push(Token { kind: TokenKind::EndOfText, span: Span::new(at, at) });
    tokens
}

/// The length of a comment, which may contain nested comments.
fn comment(text: &str) -> Option<usize> {
    let (mut at, mut open) = (0, 0_usize);
    loop {
        let next = at + text[at..].find(['/', '*'])?;
        let mark = text.get(next..next + 2).unwrap_or_default();
        at = next + 1;
        match mark {
            "/*" => (open, at) = (open + 1, next + 2),
            "*/" => (open, at) = (open - 1, next + 2),
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
}

/// The kind and the length of the token at the start of a text.
fn token(text: &str, first: char) -> (TokenKind, usize) {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let word = |text: &str| text.bytes().position(|byte| !is_word(byte)).unwrap_or(text.len());
    match first {
        '"' => quoted(text),
        '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => (TokenKind::Sign(first), 1),
        '@' if word(&text[1..]) > 0 => (TokenKind::Alias, 1 + word(&text[1..])),
        '0'..='9' => {
            let length = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
            // A number that does not fit is too large for any use here.
            (TokenKind::Number(text[..length].parse().unwrap_or(u64::MAX)), length)
        }
        '-' => {
            let marks =
                [("--BODY--", TokenKind::Body), ("--END--", TokenKind::End), ("--ABORT--", TokenKind::Abort)];
            let mark = marks.iter().find(|(mark, _)| text.starts_with(mark));
            mark.map_or((TokenKind::Unknown, 1), |(mark, kind)| (*kind, mark.len()))
        }
        _ if first.is_ascii_alphabetic() || first == '_' => {
            let length = word(text);
            if text[length..].starts_with(':') {
                (TokenKind::Header, length + 1)
            } else {
                (TokenKind::Word, length)
            }
        }
        _ => (TokenKind::Unknown, first.len_utf8()),
    }
}

/// Reads a quoted text, in which a backslash escapes the next character.
fn quoted(text: &str) -> (TokenKind, usize) {
    let mut bytes = text.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return (TokenKind::Quoted, at + 1),
            _ => {}
        }
    }
    (TokenKind::Unknown, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut diagnostics = Diagnostics::default();
        tokens(text, &mut diagnostics).into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn words_headers_and_marks() {
        use TokenKind::{Alias, Body, EndOfText, Header, Number, Quoted, Sign, Word};
        assert_eq!(
            kinds("acc-name: Buchi /* a /* b */ c */ @x 12 \"p \\\" q\" --BODY-- [!0]"),
            [
                Header,
                Word,
                Alias,
                Number(12),
                Quoted,
                Body,
                Sign('['),
                Sign('!'),
                Number(0),
                Sign(']'),
                EndOfText
            ]
        );
        assert_eq!(kinds("99999999999999999999999"), [Number(u64::MAX), EndOfText]);
    }

    #[test]
    fn what_is_no_token_is_reported() {
        for (text, code) in [
            ("§", codes::UNKNOWN_CHARACTER),
            ("-- BODY", codes::UNKNOWN_CHARACTER),
            ("@", codes::UNKNOWN_CHARACTER),
            ("/* /* */", codes::UNCLOSED_COMMENT),
            ("\"p\\\"", codes::UNCLOSED_QUOTATION),
        ] {
            let mut diagnostics = Diagnostics::default();
            tokens(text, &mut diagnostics);
            assert_eq!(diagnostics.check(Ok(())).unwrap_err()[0].code, code, "{text}");
        }
    }
}
