//! Inlines: their declarations, and the calls, which are replaced by their bodies.
//!
//! A call is replaced token by token: every name in the body that is a parameter becomes the tokens
//! of the argument, and the result is read as a block. Its statements keep the places that they
//! have in the body, since that is where a user looks for a step; tokens of an argument have the
//! place of the parameter that they replace. If the body stands in an included file, or is made by
//! a macro of one, all have the place of the call.

use std::rc::Rc;

use super::sequence::Sequence;
use super::{Cursor, Parser};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};
use crate::promela::origin::{Origin, OriginId};
use crate::promela::syntax::{Reference, StatementKind};
use crate::promela::tokens::{Symbol, Token, TokenKind};

/// Tokens that calls may produce. A call of an inline of calls multiplies.
const MOST_COPIED: usize = 2_000_000;

/// An inline.
pub(super) struct Inline {
    parameters: Vec<Symbol>,
    /// The tokens between its braces, and the closing brace.
    body: Vec<Token>,
}

/// A call whose body is being read.
pub(super) struct Call {
    name: Symbol,
    /// What `return` assigns to.
    target: Option<Reference>,
}

impl Parser<'_> {
    /// `"inline" name "(" [name {"," name}] ")" "{" tokens "}"`
    pub(super) fn inline(&mut self) -> Checked<()> {
        self.advance();
        let name = self.expect(TokenKind::Name)?;
        self.expect(TokenKind::OpenParenthesis)?;
        let mut parameters = Vec::new();
        if !self.at(TokenKind::CloseParenthesis) {
            parameters = self.separated(|parser| parser.expect(TokenKind::Name))?;
        }
        self.expect(TokenKind::CloseParenthesis)?;
        let open = self.expect(TokenKind::OpenBrace)?;
        let start = self.cursor.next;
        let mut braces = 1_usize;
        while braces > 0 {
            match self.kind() {
                TokenKind::OpenBrace => braces += 1,
                TokenKind::CloseBrace => braces -= 1,
                TokenKind::End => {
                    let message = "the body of this inline is never closed";
                    let error = Diagnostic::error(codes::UNBALANCED, open.span, message, "opened here");
                    return Err(self.report(open, error.help("close it with `}`")));
                }
                _ => {}
            }
            self.advance();
        }
        let body = self.cursor.tokens[start..self.cursor.next].to_vec();
        let parameters = parameters.into_iter().map(|parameter| parameter.symbol).collect();
        let replaced = self.declared.inlines.insert(name.symbol, Rc::new(Inline { parameters, body }));
        if replaced.is_some() {
            let message = format!("a second inline {}", self.symbols.quoted(name.symbol));
            let error = Diagnostic::error(codes::DECLARED_TWICE, name.span, message, "declared again");
            self.report(name, error.help("give it another name"));
        }
        Ok(())
    }

    /// Whether the call of an inline begins here.
    pub(super) fn at_inline_call(&self) -> bool {
        self.kind() == TokenKind::Name
            && self.kind_after(1) == TokenKind::OpenParenthesis
            && self.declared.inlines.contains_key(&self.token().symbol)
    }

    /// `name "(" arguments ")"`. `target` is what `return` assigns to.
    pub(super) fn call(&mut self, target: Option<Reference>) -> Checked<StatementKind> {
        let name = self.advance();
        let arguments = self.arguments()?;
        let end = self.previous_span();
        let Some(inline) = self.declared.inlines.get(&name.symbol).map(Rc::clone) else {
            return Err(self.unexpected());
        };
        if self.calls.iter().any(|call| call.name == name.symbol) {
            let text = self.symbols.quoted(name.symbol);
            let message = format!("inline {text} calls itself");
            let help = "a call is replaced by the body; use a process or a loop instead";
            return Err(self.bad_call(name, message, help));
        }
        if inline.parameters.len() != arguments.len() {
            let (wanted, given) = (inline.parameters.len(), arguments.len());
            let text = self.symbols.quoted(name.symbol);
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("inline {text} takes {wanted} argument{plural}, but this call has {given}");
            return Err(self.bad_call(name, message, "compare the call with the declaration of the inline"));
        }
        let call_site = Token { span: name.span.to(end), ..name };
        let tokens = self.copied(&inline, &arguments, call_site)?;
        let cursor = std::mem::replace(&mut self.cursor, Cursor { tokens, next: 0, expected: Vec::new() });
        self.calls.push(Call { name: name.symbol, target });
        let in_formula = std::mem::replace(&mut self.in_formula, false);
        let body = self.nested(|parser| {
            let steps = parser.nested(|parser| parser.steps(Sequence::Block))?;
            parser.expect(TokenKind::CloseBrace)?;
            Ok(steps)
        });
        self.in_formula = in_formula;
        self.calls.pop();
        self.cursor = cursor;
        self.ends_block = true;
        Ok(StatementKind::Block(body?))
    }

    /// `"(" [argument {"," argument}] ")"`, where an argument is any balanced tokens.
    fn arguments(&mut self) -> Checked<Vec<Vec<Token>>> {
        self.expect(TokenKind::OpenParenthesis)?;
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0_usize;
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::CloseParenthesis if depth == 0 => break,
                TokenKind::End => {
                    return Err(self
                        .expect(TokenKind::CloseParenthesis)
                        .err()
                        .unwrap_or_else(|| self.unexpected()));
                }
                TokenKind::OpenParenthesis | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseParenthesis | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                    if depth == 0 {
                        self.note(super::Expected::Token(TokenKind::CloseParenthesis));
                        return Err(self.unexpected());
                    }
                    depth -= 1;
                }
                TokenKind::Comma if depth == 0 => {
                    self.advance();
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            self.advance();
            if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
        }
        self.advance();
        if let [only] = arguments.as_slice()
            && only.is_empty()
        {
            arguments.clear();
        }
        Ok(arguments)
    }

    /// The body of an inline with its arguments.
    fn copied(&mut self, inline: &Inline, arguments: &[Vec<Token>], site: Token) -> Checked<Vec<Token>> {
        // One error is enough.
        if let Some(reported) = self.failed.filter(|_| self.copied > MOST_COPIED) {
            return Err(reported);
        }
        let line = match self.origins.get(site.origin) {
            Some(Origin::Inline { line, .. } | Origin::File { line, .. }) => *line,
            _ => self.text.line_at(site.span.start),
        };
        let origin = self.origins.add(Origin::Inline { name: site.symbol, line });
        let mut tokens = Vec::with_capacity(inline.body.len() + 1);
        for token in &inline.body {
            let is_foreign = matches!(self.origins.get(token.origin), Some(Origin::File { .. }));
            let span = if is_foreign { site.span } else { token.span };
            let index = inline.parameters.iter().position(|parameter| *parameter == token.symbol);
            match index.filter(|_| token.kind == TokenKind::Name) {
                Some(index) => {
                    let argument = &arguments[index];
                    tokens.extend(argument.iter().map(|token| Token { span, origin, ..*token }));
                }
                None => {
                    let origin = if token.origin == OriginId::TEXT { origin } else { token.origin };
                    tokens.push(Token { span, origin, ..*token });
                }
            }
            if self.copied + tokens.len() > MOST_COPIED {
                self.copied = MOST_COPIED + 1;
                let message = format!("calls of inlines produce more than {MOST_COPIED} tokens");
                let error = Diagnostic::error(codes::EXPANSION_TOO_LARGE, site.span, message, "up to here");
                let help = "look for an inline that calls another one twice, many times over";
                return Err(self.report(site, error.help(help)));
            }
        }
        self.copied += tokens.len();
        let end = tokens.last().copied().unwrap_or(site);
        tokens.push(Token { kind: TokenKind::End, ..end });
        Ok(tokens)
    }

    /// `"return" expression`, an assignment in the body of an inline.
    pub(super) fn return_statement(&mut self) -> Checked<StatementKind> {
        let word = self.advance();
        let value = self.condition()?;
        match self.calls.last().and_then(|call| call.target.clone()) {
            Some(target) => Ok(StatementKind::Assign { target, value }),
            None => {
                let message = "`return` in no inline that is called as `x = f(…)`";
                let help = "only an inline can return a value, and a call of it must assign that value";
                Err(self.bad_call(word, message.to_owned(), help))
            }
        }
    }

    fn bad_call(&mut self, at: Token, message: String, help: &str) -> Reported {
        let error = Diagnostic::error(codes::BAD_INLINE, at.span, message, "here");
        self.report(at, error.help(help))
    }
}
