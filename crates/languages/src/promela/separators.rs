//! Lines that end statements.
//!
//! SPIN's lexer inserts a separator at the end of a line inside of a body, a typedef or an inline,
//! if no parenthesis is open and the line ends in a token that can end a statement. So `c!m` and
//! `(x > 0)` in the next line are two statements. This pass makes those separators tokens of their
//! own. It runs after preprocessing: a macro is on one line, whatever lines its definition has.

use model::guarded_commands::Span;

use super::tokens::{Token, TokenKind};

/// Whether a line that ends in this token ends a statement. In SPIN, `timeout` becomes
/// `(timeout)`.
fn ends_statement(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Name | Number
            | Character
            | True
            | False
            | Skip
            | Timeout
            | NonProgress
            | CloseParenthesis
            | CloseBracket
            | CloseBrace
            | Od
            | Fi
            | Else
            | Break
            | PlusPlus
            | MinusMinus
    )
}

/// Whether a token can begin a statement, so that a separator before it is of any use.
fn follows_separator(kind: TokenKind) -> bool {
    use TokenKind::*;
    !matches!(kind, Unless | Semicolon | Arrow | CloseBrace | ColonColon | Fi | Od) && !kind.begins_item()
}

/// Inserts [`TokenKind::LineEnd`] tokens.
pub(super) fn with_line_ends(tokens: Vec<Token>) -> Vec<Token> {
    use TokenKind::*;
    let mut result: Vec<Token> = Vec::with_capacity(tokens.len() + tokens.len() / 8);
    // Whether the next `{` begins a body, and how many braces are open in it.
    let (mut before_body, mut braces, mut in_body) = (false, 0_usize, false);
    let mut parentheses = 0_usize;
    for token in tokens {
        if in_body
            && parentheses == 0
            && token.before.new_line
            && follows_separator(token.kind)
            && let Some(last) = result.last().filter(|last| ends_statement(last.kind))
        {
            let span = Span { start: last.span.end, end: last.span.end };
            result.push(Token { kind: LineEnd, span, ..*last });
        }
        if token.kind.begins_item() {
            // If a body is open, its `}` is missing.
            (braces, in_body) = (0, false);
        }
        match token.kind {
            Proctype | DProctype | Init | Never | Trace | NoTrace | Typedef | Inline => before_body = true,
            Ltl | Mtype if parentheses == 0 => before_body = false,
            OpenBrace => {
                in_body |= before_body && braces == 0;
                (before_body, parentheses) = (false, 0);
                braces += 1;
            }
            CloseBrace => {
                braces = braces.saturating_sub(1);
                in_body &= braces > 0;
                parentheses = 0;
            }
            OpenParenthesis | OpenBracket => parentheses += 1,
            CloseParenthesis | CloseBracket => parentheses = parentheses.saturating_sub(1),
            // No parenthesis is open here. If it looks so, a `)` is missing, and one such mistake
            // is enough.
            ColonColon | Fi | Od => parentheses = 0,
            _ => {}
        }
        result.push(token);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promela::lexer::tokens;
    use crate::promela::tokens::Symbols;

    /// The text with `¶` for every line that ends a statement.
    fn shown(text: &str) -> String {
        let mut symbols = Symbols::new();
        let mut lexed = tokens(text, &mut symbols);
        for token in &mut lexed {
            token.kind = symbols.keyword(token.symbol).unwrap_or(token.kind);
        }
        let shown: Vec<&str> = with_line_ends(lexed)
            .iter()
            .map(|token| if token.kind == TokenKind::LineEnd { "¶" } else { symbols.text(token.symbol) })
            .collect();
        shown.join(" ")
    }

    #[test]
    fn lines_end_statements_in_bodies_only() {
        assert_eq!(shown("byte a\nbyte b\ninit\n{ a\nb }"), "byte a byte b init { a ¶ b }");
        assert_eq!(
            shown("mtype { A\nB } typedef T { byte a\nbyte b\n}"),
            "mtype { A B } typedef T { byte a ¶ byte b }"
        );
        assert_eq!(shown("inline f()\n{ a\nb } ltl { a\nb }"), "inline f ( ) { a ¶ b } ltl { a b }");
        assert_eq!(shown("proctype P(mtype m) { a\nb }"), "proctype P ( mtype m ) { a ¶ b }");
    }

    #[test]
    fn a_line_that_is_not_complete_does_not_end_a_statement() {
        assert_eq!(shown("init { x =\n1 +\n2\n(y\n> 0) }"), "init { x = 1 + 2 ¶ ( y > 0 ) }");
        assert_eq!(shown("init { do\n:: x\n:: else\ny\nod\nz }"), "init { do :: x :: else ¶ y od ¶ z }");
    }

    #[test]
    fn an_escape_may_stand_in_the_next_line() {
        assert_eq!(shown("init { { a }\nunless { b }\n c }"), "init { { a } unless { b } ¶ c }");
    }

    #[test]
    fn comments_and_joined_lines_break_lines() {
        assert_eq!(shown("init { a /*\n*/ b \\\n c }"), "init { a ¶ b ¶ c }");
    }
}
