//! The expansion of macros: the stack of token lists, and the calls with their arguments.

use std::rc::Rc;

use model::guarded_commands::Span;

use super::define::Macro;
use super::{MOST_WORK, Preprocessor};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::promela::origin::{Origin, OriginId};
use crate::promela::tokens::{Space, Token, TokenKind};

/// Calls in arguments of calls in arguments, at most. Each level uses the stack of this program.
const DEEPEST: usize = 128;

/// A list of tokens that are read before those of the file.
pub(super) struct Context {
    tokens: Vec<Token>,
    next: usize,
    /// The macro whose expansion this is. It is not expanded again before the list is read.
    of: Option<Rc<Macro>>,
    /// Reading does not go past the end of the list.
    is_closed: bool,
}

/// Where the expansion of a call stands.
#[derive(Clone, Copy)]
pub(super) struct CallSite {
    pub(super) span: Span,
    pub(super) origin: OriginId,
    /// The space before the name.
    pub(super) before: Space,
}

/// The arguments of a call.
pub(super) struct Arguments {
    /// As they were written.
    pub(super) given: Vec<Vec<Token>>,
    /// The variable part of a variadic macro is missing, together with the comma before it.
    pub(super) lacks_rest: bool,
}

impl Preprocessor<'_> {
    /// The next token after expansion; none at the end of the text or of a closed list.
    pub(super) fn next_expanded(&mut self) -> Option<Token> {
        loop {
            let mut token = self.next_unexpanded()?;
            if token.kind != TokenKind::Name || token.painted {
                return Some(token);
            }
            if self.stack.in_condition && token.symbol == self.words.defined {
                return Some(self.is_defined(token));
            }
            let Some(known) = self.macros.get(&token.symbol).map(Rc::clone) else {
                if token.symbol == self.words.line {
                    token = self.number_of_line(token);
                }
                return Some(token);
            };
            if known.is_active.get() {
                token.painted = true;
                return Some(token);
            }
            if let Some(token) = self.call(known, token) {
                return Some(token);
            }
        }
    }

    /// The next token before expansion.
    pub(super) fn next_unexpanded(&mut self) -> Option<Token> {
        if self.is_spent() {
            return None;
        }
        while let Some(context) = self.stack.contexts.last_mut() {
            if let Some(token) = context.tokens.get(context.next) {
                context.next += 1;
                return Some(*token);
            }
            if context.is_closed {
                return None;
            }
            self.leave();
        }
        self.next_of_files()
    }

    /// Drops the current list. Its macro may be expanded again.
    fn leave(&mut self) {
        if let Some(known) = self.stack.contexts.pop().and_then(|context| context.of) {
            known.is_active.set(false);
        }
    }

    /// Expands a list of tokens on its own.
    pub(super) fn expanded(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let below = self.stack.contexts.len();
        self.stack.contexts.push(Context { tokens, next: 0, of: None, is_closed: true });
        let mut expanded = Vec::new();
        while let Some(token) = self.next_expanded() {
            expanded.push(token);
        }
        while self.stack.contexts.len() > below {
            self.leave();
        }
        expanded
    }

    /// Puts the expansion of a macro on the stack. Returns the name if it is no call.
    fn call(&mut self, known: Rc<Macro>, name: Token) -> Option<Token> {
        let mut site = CallSite { span: name.span, origin: name.origin, before: name.before };
        let mut arguments = Arguments { given: Vec::new(), lacks_rest: false };
        if known.parameters.is_some() {
            if !self.parenthesis_follows() {
                return Some(name);
            }
            let (given, end) = match self.arguments(&known, name) {
                Ok(read) => read,
                Err(()) => return Some(Token { painted: true, ..name }),
            };
            site.span = site.span.to(end);
            arguments.given = given;
            if !self.fits(&known, name, &mut arguments) {
                return Some(Token { painted: true, ..name });
            }
        }
        if site.origin == OriginId::TEXT {
            site.origin =
                self.origins.add(Origin::Macro { name: known.name, defined: known.defined.clone() });
        }
        self.spend(1, name);
        let tokens = self.substituted(&known, site, arguments);
        self.spend(tokens.len(), name);
        self.stack.owes_line |= tokens.is_empty() && name.before.new_line;
        known.is_active.set(true);
        self.stack.contexts.push(Context { tokens, next: 0, of: Some(known), is_closed: false });
        None
    }

    /// Whether the next token is a `(`. Lists that were read to their end are dropped on the way.
    fn parenthesis_follows(&mut self) -> bool {
        while let Some(context) = self.stack.contexts.last() {
            if let Some(token) = context.tokens.get(context.next) {
                return token.kind == TokenKind::OpenParenthesis;
            }
            if context.is_closed {
                return false;
            }
            self.leave();
        }
        let Some(file) = self.files.last() else { return false };
        file.file.tokens.get(file.next).is_some_and(|token| token.kind == TokenKind::OpenParenthesis)
    }

    /// Reads the arguments of a call, and returns the place of the `)`, too.
    fn arguments(&mut self, known: &Macro, name: Token) -> Result<(Vec<Vec<Token>>, Span), ()> {
        let parameters = known.parameters.as_ref().map_or(0, |parameters| parameters.names.len());
        let takes_rest = known.parameters.as_ref().is_some_and(|parameters| parameters.takes_rest);
        let mut given = vec![Vec::new()];
        let mut open = 1_usize;
        let opening = self.next_unexpanded();
        let mut breaks_line = opening.is_some_and(|token| token.before.new_line);
        while let Some(mut token) = self.next_unexpanded() {
            breaks_line |= std::mem::take(&mut token.before.new_line);
            match token.kind {
                TokenKind::OpenParenthesis => open += 1,
                TokenKind::CloseParenthesis => open -= 1,
                _ => {}
            }
            if open == 0 {
                if let Some(file) = self.files.last_mut() {
                    file.owes_line |= breaks_line;
                }
                return Ok((given, token.span));
            }
            let is_rest = takes_rest && given.len() == parameters;
            if open == 1 && token.kind == TokenKind::Comma && !is_rest {
                given.push(Vec::new());
            } else {
                given.last_mut().expect("there is always one").push(token);
            }
        }
        if !self.is_spent() {
            let message = format!("the call of macro {} is never closed", self.symbols.quoted(known.name));
            let error = Diagnostic::error(codes::BAD_MACRO_CALL, name.span, message, "called here");
            self.complain(name, error.help("close it with `)`"));
        }
        Err(())
    }

    /// Completes the arguments of a call, or reports that their number is wrong.
    fn fits(&mut self, known: &Macro, name: Token, arguments: &mut Arguments) -> bool {
        let Some(parameters) = &known.parameters else { return true };
        let (wanted, given) = (parameters.names.len(), &mut arguments.given);
        let is_empty = given.len() == 1 && given[0].is_empty();
        if wanted == 0 && is_empty {
            return true;
        }
        if parameters.takes_rest && given.len() + 1 == wanted {
            given.push(Vec::new());
            arguments.lacks_rest = true;
        }
        if given.len() == wanted {
            arguments.lacks_rest |= parameters.takes_rest && wanted == 1 && is_empty;
            return true;
        }
        let given = if is_empty { 0 } else { given.len() };
        let plural = if wanted == 1 { "" } else { "s" };
        let name_text = self.symbols.quoted(known.name);
        let message = format!("macro {name_text} takes {wanted} argument{plural}, but this call has {given}");
        let label = format!("takes {wanted} argument{plural}");
        self.complain(name, Diagnostic::error(codes::BAD_MACRO_CALL, name.span, message, label));
        false
    }

    /// Expands an argument before it replaces a parameter.
    pub(super) fn expanded_argument(&mut self, tokens: &[Token], site: CallSite) -> Vec<Token> {
        if tokens.is_empty() {
            return Vec::new();
        }
        if self.stack.nesting >= DEEPEST {
            let message = format!("macro calls in the arguments of more than {DEEPEST} others");
            let error = Diagnostic::error(codes::NESTED_TOO_DEEPLY, site.span, message, "nested too deeply");
            self.complain(Token { origin: site.origin, ..tokens[0] }, error.help("split the call"));
            self.stack.work = MOST_WORK + 1;
            return Vec::new();
        }
        self.spend(tokens.len(), tokens[0]);
        self.stack.nesting += 1;
        let expanded = self.expanded(tokens.to_vec());
        self.stack.nesting -= 1;
        expanded
    }

    fn number_of_line(&mut self, token: Token) -> Token {
        let line = match self.origins.get(token.origin) {
            Some(Origin::File { line, .. }) => *line,
            _ => self.lexed[0].line_at(token.span.start),
        };
        Token { kind: TokenKind::Number, symbol: self.symbols.number(&line.to_string()), ..token }
    }
}
