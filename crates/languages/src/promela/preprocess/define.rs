//! Definitions of macros, in the text and from outside.

use std::cell::Cell;
use std::rc::Rc;

use model::guarded_commands::Span;

use super::Preprocessor;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::promela::lexer;
use crate::promela::origin::Place;
use crate::promela::tokens::{Symbol, Token, TokenKind, is_word};
use crate::spelling::did_you_mean;

/// A macro.
pub(super) struct Macro {
    pub(super) name: Symbol,
    /// `None` for a macro without parentheses.
    pub(super) parameters: Option<Parameters>,
    pub(super) body: Vec<Piece>,
    pub(super) defined: Place,
    /// Whether its expansion is being read.
    pub(super) is_active: Cell<bool>,
}

pub(super) struct Parameters {
    pub(super) names: Vec<Symbol>,
    /// The last one takes all further arguments.
    pub(super) takes_rest: bool,
}

/// A token of a body.
pub(super) struct Piece {
    pub(super) token: Token,
    pub(super) role: Role,
    /// A `##` follows.
    pub(super) is_pasted: bool,
}

/// What a token of a body stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    /// The parameter with this number.
    Parameter(usize),
    /// The text of the argument for it.
    Quoted(usize),
}

impl Macro {
    /// Whether the last parameter takes all further arguments.
    pub(super) fn takes_rest(&self) -> bool {
        self.parameters.as_ref().is_some_and(|parameters| parameters.takes_rest)
    }

    /// Whether two definitions mean the same.
    fn equals(&self, other: &Self) -> bool {
        let parameters = |known: &Self| {
            known.parameters.as_ref().map(|parameters| (parameters.names.clone(), parameters.takes_rest))
        };
        let same = |(one, two): (&Piece, &Piece)| {
            one.token.symbol == two.token.symbol && one.role == two.role && one.is_pasted == two.is_pasted
        };
        parameters(self) == parameters(other)
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(same)
    }
}

impl Preprocessor<'_> {
    /// Defines the names that are given from outside. Of several values for one name the last
    /// counts.
    pub(super) fn define_outside(&mut self, definitions: &[(String, String)]) {
        for (name, value) in definitions.iter().filter(|(name, _)| is_word(name)) {
            let name = self.symbols.number(name);
            let place = Span::new(0, 0);
            let tokens = lexer::tokens(value, &mut self.symbols);
            let piece =
                |token| Piece { token: Token { span: place, ..token }, role: Role::Plain, is_pasted: false };
            let body = tokens.into_iter().map(piece).collect();
            let is_active = Cell::new(false);
            let known = Macro { name, parameters: None, body, defined: Place::Outside, is_active };
            self.macros.insert(name, Rc::new(known));
        }
    }

    /// Reports names from outside that no file mentions.
    pub(super) fn report_unused(&mut self, definitions: &[(String, String)]) {
        for (at, (name, _)) in definitions.iter().enumerate() {
            let is_repeated = definitions[..at].iter().any(|(earlier, _)| earlier == name);
            let symbol = self.symbols.number(name);
            let mut tokens = self.lexed.iter().flat_map(|file| &file.tokens);
            if is_repeated || (is_word(name) && tokens.any(|token| token.symbol == symbol)) {
                continue;
            }
            let mut macros: Vec<&str> = self
                .macros
                .iter()
                .filter(|(_, known)| !matches!(known.defined, Place::Outside))
                .map(|(name, _)| self.symbols.text(*name))
                .collect();
            macros.sort_unstable();
            let near = did_you_mean(name, macros);
            let help = near.unwrap_or_else(|| "the model does not use this name anywhere".to_owned());
            let message = format!("the model does not mention the macro `{name}`");
            let warning =
                Diagnostic::warning(codes::UNUSED_MACRO, Span::new(0, 0), message, "not in this file");
            self.diagnostics.warn(warning.help(help));
        }
    }

    /// `#define`, whose `line` begins after this word.
    pub(super) fn define(&mut self, directive: Token, line: &[Token]) {
        let Some((name, rest)) = self.macro_name(directive, line) else { return };
        let (parameters, body) = match rest.first() {
            Some(open) if open.kind == TokenKind::OpenParenthesis && !open.before.any => {
                let Some((parameters, body)) = self.parameters(&rest[1..], name) else { return };
                (Some(parameters), body)
            }
            _ => (None, rest),
        };
        let Some(body) = self.pieces(parameters.as_ref(), body) else { return };
        let defined = match self.files.last() {
            Some(file) if file.included.is_some() => {
                Place::File(Rc::clone(&file.file), file.last_line.map_or(0, |(line, _)| line))
            }
            _ => Place::Text(self.lexed[0].line_at(name.span.start)),
        };
        let is_active = Cell::new(false);
        let known = Rc::new(Macro { name: name.symbol, parameters, body, defined, is_active });
        let replaced = self.macros.insert(name.symbol, Rc::clone(&known));
        if let Some(replaced) = replaced.filter(|replaced| !replaced.equals(&known)) {
            let (first, help) = match &replaced.defined {
                Place::Outside => (
                    "its value from outside".to_owned(),
                    "to keep the value from outside, enclose this line in `#ifndef` and `#endif`",
                ),
                Place::Text(line) => (
                    format!("its definition in line {line}"),
                    "if this is intended, write `#undef` before it",
                ),
                Place::File(file, line) => (
                    format!("its definition in file `{}`, line {line}", file.name),
                    "if this is intended, write `#undef` before it",
                ),
            };
            let text = self.symbols.quoted(name.symbol);
            let message = format!("macro {text} is defined again, and {first} is no longer used");
            let warning = Diagnostic::warning(codes::MACRO_REDEFINED, name.span, message, "defined again");
            self.warn(name, warning.help(help));
        }
    }

    /// Takes the name of a macro from the start of a line.
    pub(super) fn macro_name<'line>(
        &mut self,
        directive: Token,
        line: &'line [Token],
    ) -> Option<(Token, &'line [Token])> {
        let word = self.symbols.text(directive.symbol).to_owned();
        match line.split_first() {
            Some((name, rest)) if name.kind == TokenKind::Name => {
                if self.symbols.text(name.symbol) == "defined" {
                    self.bad_directive(
                        *name,
                        "`defined` cannot be the name of a macro",
                        "choose another name",
                    );
                    return None;
                }
                Some((*name, rest))
            }
            found => {
                let at = found.map_or(directive, |(found, _)| *found);
                self.bad_directive(
                    at,
                    format!("expected the name of a macro after `#{word}`"),
                    "names consist of English letters, digits and `_`",
                );
                None
            }
        }
    }

    /// Reads parameters, after the `(`.
    fn parameters<'line>(
        &mut self,
        mut line: &'line [Token],
        name: Token,
    ) -> Option<(Parameters, &'line [Token])> {
        let (mut names, mut takes_rest): (Vec<Symbol>, bool) = (Vec::new(), false);
        loop {
            match line {
                [close, rest @ ..] if close.kind == TokenKind::CloseParenthesis && names.is_empty() => {
                    return Some((Parameters { names, takes_rest }, rest));
                }
                // `...` is two tokens of Promela.
                [dots, dot, rest @ ..] if dots.kind == TokenKind::DotDot && dot.kind == TokenKind::Dot => {
                    names.push(self.symbols.number("__VA_ARGS__"));
                    (takes_rest, line) = (true, rest);
                }
                [parameter, rest @ ..]
                    if parameter.kind == TokenKind::Name && !names.contains(&parameter.symbol) =>
                {
                    names.push(parameter.symbol);
                    line = rest;
                    if let [dots, dot, rest @ ..] = line
                        && dots.kind == TokenKind::DotDot
                        && dot.kind == TokenKind::Dot
                    {
                        (takes_rest, line) = (true, rest);
                    }
                }
                _ => break,
            }
            match line {
                [close, rest @ ..] if close.kind == TokenKind::CloseParenthesis => {
                    return Some((Parameters { names, takes_rest }, rest));
                }
                [comma, rest @ ..] if comma.kind == TokenKind::Comma && !takes_rest => line = rest,
                _ => break,
            }
        }
        let at = line.first().copied().unwrap_or(name);
        let message = format!("the parameters of macro {} are malformed", self.symbols.quoted(name.symbol));
        self.bad_directive(at, message, "parameters are different names with commas, up to a `)`");
        None
    }

    /// Reads a body.
    fn pieces(&mut self, parameters: Option<&Parameters>, line: &[Token]) -> Option<Vec<Piece>> {
        let number = |token: &Token| {
            let mut names = parameters?.names.iter();
            names.position(|name| token.kind == TokenKind::Name && *name == token.symbol)
        };
        let mut pieces: Vec<Piece> = Vec::new();
        let mut tokens = line.iter();
        while let Some(token) = tokens.next() {
            let role = match token.kind {
                TokenKind::HashHash => {
                    let is_last = tokens.as_slice().is_empty();
                    let Some(left) = pieces.last_mut().filter(|_| !is_last) else {
                        self.bad_directive(
                            *token,
                            "`##` stands at the end of the body of a macro",
                            "`##` joins the token before it and the one after it",
                        );
                        return None;
                    };
                    left.is_pasted = true;
                    continue;
                }
                TokenKind::Hash if parameters.is_some() => {
                    let Some(index) = tokens.next().and_then(number) else {
                        self.bad_directive(
                            *token,
                            "`#` is not followed by a parameter of the macro",
                            "`#` makes a string of the argument for a parameter",
                        );
                        return None;
                    };
                    Role::Quoted(index)
                }
                _ => number(token).map_or(Role::Plain, Role::Parameter),
            };
            pieces.push(Piece { token: *token, role, is_pasted: false });
        }
        Some(pieces)
    }
}
