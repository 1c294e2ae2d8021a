//! What is refused before parsing: embedded C, and what the lexer could not read.
//!
//! C code is not made of Promela's tokens. It is taken out here, so that it gives one clear error
//! instead of many about `->` and `0x10`. Mistakes of the lexer are reported afterwards.

use super::origin::Origins;
use super::tokens::{Symbols, Token, TokenKind};
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics, Reported};

/// Replaces embedded C by tokens that the grammar allows there, and reports the first piece of it.
pub(super) fn without_embedded_c(
    tokens: Vec<Token>,
    symbols: &Symbols,
    origins: &Origins,
    diagnostics: &mut Diagnostics,
) -> (Vec<Token>, Option<Reported>) {
    use TokenKind::*;
    if !tokens.iter().any(|token| matches!(token.kind, CCode | CDecl | CExpr | CState | CTrack)) {
        return (tokens, None);
    }
    let mut kept = Vec::with_capacity(tokens.len());
    let (mut reported, mut braces, mut next) = (None, 0_usize, 0);
    while let Some(token) = tokens.get(next) {
        next += 1;
        match token.kind {
            OpenBrace => braces += 1,
            CloseBrace => braces = braces.saturating_sub(1),
            CCode | CDecl | CExpr | CState | CTrack => {
                if reported.is_none() {
                    reported = Some(refuse_c(*token, symbols, origins, diagnostics));
                }
                next = end_of_c(&tokens, next);
                let kind = if braces > 0 { Skip } else { Semicolon };
                kept.push(Token { kind, ..*token });
                continue;
            }
            _ => {}
        }
        kept.push(*token);
    }
    (kept, reported)
}

/// The place after embedded C whose keyword ends at `start`.
fn end_of_c(tokens: &[Token], start: usize) -> usize {
    let mut next = start;
    // c_state and c_track: strings.
    while tokens.get(next).is_some_and(|token| token.kind == TokenKind::String) {
        next += 1;
    }
    if next > start {
        return next;
    }
    // A precondition in brackets, and the code in braces.
    for (open, close) in
        [(TokenKind::OpenBracket, TokenKind::CloseBracket), (TokenKind::OpenBrace, TokenKind::CloseBrace)]
    {
        if tokens.get(next).is_none_or(|token| token.kind != open) {
            continue;
        }
        let mut depth = 0_usize;
        while let Some(token) = tokens.get(next) {
            next += 1;
            depth += usize::from(token.kind == open);
            depth -= usize::from(token.kind == close);
            if depth == 0 {
                break;
            }
        }
    }
    next
}

fn refuse_c(token: Token, symbols: &Symbols, origins: &Origins, diagnostics: &mut Diagnostics) -> Reported {
    let word = symbols.quoted(token.symbol);
    let origin = origins.explain(token.origin, symbols);
    let message = format!("embedded C is not supported: {word}{origin}");
    let error = Diagnostic::error(codes::EMBEDDED_C, token.span, message, "C code");
    diagnostics.report(error.help(
        "write it in Promela, where `d_step { … }` makes statements one step; SPIN checks models with C",
    ))
}

/// Reports what the lexer could not read, and makes of it what is most likely meant.
pub(super) fn report_mistakes(
    tokens: &mut Vec<Token>,
    symbols: &Symbols,
    origins: &Origins,
    diagnostics: &mut Diagnostics,
) -> Option<Reported> {
    let mut reported = None;
    for token in tokens.iter_mut().filter(|token| token.kind.is_mistake()) {
        let mut error = mistake(*token);
        error.message.push_str(&origins.explain(token.origin, symbols));
        reported = Some(diagnostics.report(error));
        token.kind = match token.kind {
            // The grammar is not at fault.
            TokenKind::BadNumber => TokenKind::Number,
            TokenKind::OpenString => TokenKind::String,
            other => other,
        };
    }
    tokens.retain(|token| token.kind != TokenKind::OpenComment);
    reported
}

fn mistake(token: Token) -> Diagnostic {
    let (code, message, label, help) = match token.kind {
        TokenKind::OpenComment => {
            (codes::UNCLOSED_COMMENT, "this comment is never closed", "opened here", "close it with `*/`")
        }
        TokenKind::OpenString => (
            codes::UNCLOSED_QUOTATION,
            "this string is not closed in its line",
            "opened here",
            "close it with `\"`",
        ),
        TokenKind::OpenCharacter => (
            codes::UNCLOSED_QUOTATION,
            "this quotation mark begins no character",
            "opened here",
            "a character is written as `'a'` or `'\\n'`",
        ),
        TokenKind::BadNumber => (
            codes::MALFORMED_NUMBER,
            "a number must consist of digits only",
            "not a number and not a name",
            "names start with a letter or `_`; numbers are decimal",
        ),
        _ => (
            codes::UNKNOWN_CHARACTER,
            "characters that are not part of the language",
            "not part of the language",
            "remove them; names consist of English letters, digits and `_`",
        ),
    };
    Diagnostic::error(code, token.span, message, label).help(help)
}
