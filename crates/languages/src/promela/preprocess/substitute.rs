//! The body of a macro with its arguments put in, and the operators `#` and `##`.
//!
//! An argument is expanded before it replaces a parameter, except beside `#` and `##` (C11,
//! 6.10.3.1). An empty argument beside `##` leaves the other side as it is. As in gcc,
//! `, ## __VA_ARGS__` drops the comma if there are no variable arguments.

use model::guarded_commands::Span;

use super::Preprocessor;
use super::define::{Macro, Role};
use super::expand::{Arguments, CallSite};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::promela::lexer;
use crate::promela::origin::OriginId;
use crate::promela::tokens::{Space, Token, TokenKind};

impl Preprocessor<'_> {
    /// The tokens that replace a call. All of them have its span.
    pub(super) fn substituted(&mut self, known: &Macro, site: CallSite, arguments: Arguments) -> Vec<Token> {
        let Arguments { given, lacks_rest } = arguments;
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; given.len()];
        let mut result: Vec<Token> = Vec::new();
        // Whether a `##` follows the last piece, and whether what it joins has any tokens so far.
        let (mut is_pasted, mut has_left) = (false, false);
        for (at, piece) in known.body.iter().enumerate() {
            let is_rest = |index: usize| known.takes_rest() && index + 1 == given.len();
            let mut tokens = match piece.role {
                Role::Plain => vec![piece.token],
                Role::Quoted(index) => vec![self.quoted_argument(&given[index])],
                Role::Parameter(index) => {
                    let after_comma = is_pasted
                        && is_rest(index)
                        && known.body[at - 1].token.kind == TokenKind::Comma
                        && known.body[at - 1].role == Role::Plain;
                    if after_comma {
                        is_pasted = false;
                        if lacks_rest {
                            result.pop();
                        }
                    }
                    if after_comma || is_pasted || piece.is_pasted {
                        given[index].clone()
                    } else {
                        if expanded[index].is_none() {
                            expanded[index] = Some(self.expanded_argument(&given[index], site));
                        }
                        expanded[index].clone().unwrap_or_default()
                    }
                }
            };
            if let Some(first) = tokens.first_mut() {
                first.before.any = piece.token.before.any;
            }
            self.spend(tokens.len(), Token { span: site.span, ..piece.token });
            let has_tokens = !tokens.is_empty();
            if is_pasted && has_left && has_tokens {
                let left = result.pop().expect("the left side has tokens");
                let right = tokens.remove(0);
                result.extend(self.pasted(left, right, site));
            }
            has_left = (is_pasted && has_left) || has_tokens;
            result.extend(tokens);
            is_pasted = piece.is_pasted;
        }
        for token in &mut result {
            token.span = site.span;
            token.origin = site.origin;
            token.before = Space { any: token.before.any, ..Space::default() };
        }
        if let Some(first) = result.first_mut() {
            first.before = site.before;
        }
        result
    }

    /// The text of an argument as a string.
    fn quoted_argument(&mut self, tokens: &[Token]) -> Token {
        let mut text = String::from("\"");
        for (at, token) in tokens.iter().enumerate() {
            if at > 0 && token.before.any {
                text.push(' ');
            }
            for character in self.symbols.text(token.symbol).chars() {
                let is_text = matches!(token.kind, TokenKind::String | TokenKind::Character);
                if character == '"' || (is_text && character == '\\') {
                    text.push('\\');
                }
                text.push(character);
            }
        }
        text.push('"');
        // The caller sets the span.
        let symbol = self.symbols.number(&text);
        Token::new(TokenKind::String, symbol, Span::new(0, 0))
    }

    /// The tokens that `left ## right` makes, one if all is well.
    fn pasted(&mut self, left: Token, right: Token, site: CallSite) -> Vec<Token> {
        let text = format!("{}{}", self.symbols.text(left.symbol), self.symbols.text(right.symbol));
        let tokens = lexer::tokens(&text, &mut self.symbols);
        if let [token] = tokens.as_slice()
            && (token.kind == TokenKind::BadNumber || !token.kind.is_mistake())
        {
            return vec![Token { before: left.before, ..*token }];
        }
        let (left_text, right_text) = (self.symbols.quoted(left.symbol), self.symbols.quoted(right.symbol));
        let message = format!("`##` joins {left_text} and {right_text}, which makes no token");
        let error = Diagnostic::error(codes::BAD_MACRO_CALL, site.span, message, "joined here");
        let place = Token { origin: site.origin, span: site.span, ..left };
        debug_assert!(place.origin != OriginId::TEXT, "an expansion has an origin");
        self.complain(place, error.help("`##` makes names of parts of names; remove it elsewhere"));
        vec![left, right]
    }
}
