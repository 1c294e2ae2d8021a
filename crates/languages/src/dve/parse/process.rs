//! Processes and their transitions.

use model::guarded_commands::Span;

use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};
use crate::dve::syntax::{
    Assertion, Assignment, Declaration, Message, Place, Process, Synchronisation, Transition,
};
use crate::question::parse::Parser;
use crate::question::syntax::Name;
use crate::question::tokens::TokenKind;

/// The tokens at which a list of sections may continue after an error.
const SECTION_STARTS: &[TokenKind] = &[
    TokenKind::State,
    TokenKind::Init,
    TokenKind::Commit,
    TokenKind::Accept,
    TokenKind::Assert,
    TokenKind::Trans,
    TokenKind::CloseBrace,
];

/// The sections of a process, in the order of the text.
#[derive(Default)]
struct Sections<'text> {
    variables: Vec<Declaration<'text>>,
    locations: Vec<Name<'text>>,
    initial: Option<Name<'text>>,
    committed: Vec<Name<'text>>,
    accepting: Vec<Name<'text>>,
    assertions: Vec<Assertion<'text>>,
    transitions: Vec<Transition<'text>>,
}

impl<'text> Parser<'text, '_> {
    /// `process = "process" name "{" { declaration | section } "}"`
    pub(super) fn process(&mut self) -> Option<Process<'text>> {
        self.advance();
        let name = self.name();
        if name.is_err() {
            self.skip_to(&[TokenKind::OpenBrace]);
        }
        if self.expect(TokenKind::OpenBrace).is_err() {
            self.skip_to(&[TokenKind::OpenBrace]);
            if !self.eat(TokenKind::OpenBrace) {
                return None;
            }
        }
        let (sections, seen) = self.sections().ok()?;
        let name = name.ok()?;
        let Sections { variables, locations, initial, committed, accepting, assertions, transitions } =
            sections;
        if !seen.contains(&TokenKind::State) {
            self.missing(name, "`state`", "list its states with `state a, b;`");
        }
        if !seen.contains(&TokenKind::Init) {
            self.missing(name, "`init`", "name the state in which it starts with `init a;`");
        }
        let initial = initial?;
        Some(Process { name, variables, locations, initial, committed, accepting, assertions, transitions })
    }

    fn missing(&mut self, process: Name<'text>, section: &str, help: &str) {
        let message = format!("process `{}` has no {section} section", process.text);
        let label = format!("without {section}");
        self.diagnostics
            .report(Diagnostic::error(codes::MISSING_SECTION, process.span, message, label).help(help));
    }

    /// Reads everything up to the closing brace of a process, and returns which sections there
    /// were.
    fn sections(&mut self) -> Checked<(Sections<'text>, Vec<TokenKind>)> {
        let mut sections = Sections::default();
        let mut seen = Vec::new();
        while !self.diagnostics.is_full() && !self.eat(TokenKind::CloseBrace) {
            if self.at_declaration() {
                self.declarations(&mut sections.variables);
            } else if self.section(TokenKind::State, &mut seen) {
                self.names(&mut sections.locations);
            } else if self.section(TokenKind::Init, &mut seen) {
                match self.name() {
                    Ok(name) => {
                        sections.initial = Some(name);
                        self.end_section();
                    }
                    Err(_) => self.skip_section(),
                }
            } else if self.section(TokenKind::Commit, &mut seen) {
                self.names(&mut sections.committed);
            } else if self.section(TokenKind::Accept, &mut seen) {
                self.names(&mut sections.accepting);
            } else if self.section(TokenKind::Assert, &mut seen) {
                match self.separated(Self::assertion) {
                    Ok(assertions) => {
                        sections.assertions.extend(assertions);
                        self.end_section();
                    }
                    Err(_) => self.skip_section(),
                }
            } else if self.section(TokenKind::Trans, &mut seen) {
                self.transitions(&mut sections.transitions);
            } else {
                let reported = self.unexpected();
                self.skip_to(SECTION_STARTS);
                if matches!(self.kind(), TokenKind::End | TokenKind::Process | TokenKind::System) {
                    return Err(reported);
                }
            }
        }
        Ok((sections, seen))
    }

    fn names(&mut self, names: &mut Vec<Name<'text>>) {
        match self.separated(Self::name) {
            Ok(read) => {
                names.extend(read);
                self.end_section();
            }
            Err(_) => self.skip_section(),
        }
    }

    /// `assertion = name ":" expression`
    fn assertion(&mut self) -> Checked<Assertion<'text>> {
        let location = self.name()?;
        self.expect(TokenKind::Colon)?;
        Ok(Assertion { location, condition: self.expression()? })
    }

    /// `transition { "," transition } ";"`, or nothing but the `;`
    fn transitions(&mut self, transitions: &mut Vec<Transition<'text>>) {
        if self.eat(TokenKind::Semicolon) {
            return;
        }
        let mut source = None;
        loop {
            match self.transition(&mut source) {
                Ok(transition) => transitions.push(transition),
                Err(_) => self.skip_to(&[TokenKind::Comma, TokenKind::Semicolon, TokenKind::CloseBrace]),
            }
            if self.diagnostics.is_full() || !self.eat(TokenKind::Comma) {
                return self.end_transitions();
            }
        }
    }

    /// Takes the `;` after the last transition. The likeliest mistake is a transition that follows
    /// without a comma.
    fn end_transitions(&mut self) {
        let comma_forgotten = matches!(self.kind(), TokenKind::Word | TokenKind::Arrow);
        if !comma_forgotten {
            return self.end_section();
        }
        self.at(TokenKind::Semicolon);
        self.unexpected();
        self.skip_section();
    }

    /// `transition = [ name ] "->" name "{" { part } "}"`; without a name it leaves the source of
    /// the transition before it.
    fn transition(&mut self, source: &mut Option<Name<'text>>) -> Checked<Transition<'text>> {
        let start = self.span();
        let from = match *source {
            Some(source) if self.at(TokenKind::Arrow) => source,
            _ => self.name()?,
        };
        *source = Some(from);
        self.expect(TokenKind::Arrow)?;
        let to = self.name()?;
        self.expect(TokenKind::OpenBrace)?;
        let (mut guards, mut synchronisation, mut effects) = (Vec::new(), None, Vec::new());
        let mut seen = Vec::new();
        while !self.eat(TokenKind::CloseBrace) {
            let part = if self.section(TokenKind::Guard, &mut seen) {
                self.separated(Self::expression).map(|read| guards = read)
            } else if self.section(TokenKind::Sync, &mut seen) {
                self.synchronisation().map(|read| synchronisation = Some(read))
            } else if self.section(TokenKind::Effect, &mut seen) {
                self.separated(Self::assignment).map(|read| effects = read)
            } else {
                return Err(self.leave_transition());
            };
            match part {
                Ok(()) => self.end_section(),
                Err(_) => self.skip_section(),
            }
        }
        let span = start.to(self.previous_span());
        Ok(Transition { from, to, guards, synchronisation, effects, span })
    }

    /// Reports a token that a transition cannot contain, and skips to the end of the transition.
    fn leave_transition(&mut self) -> Reported {
        let reported = self.unexpected();
        self.skip_to(&[TokenKind::CloseBrace]);
        self.eat(TokenKind::CloseBrace);
        reported
    }

    /// `synchronisation = name ( "!" [ values ] | "?" [ places ] )`, several in braces
    fn synchronisation(&mut self) -> Checked<Synchronisation<'text>> {
        let channel = self.name()?;
        let message = if self.eat(TokenKind::Bang) {
            Message::Send(self.message(Self::expression)?)
        } else if self.eat(TokenKind::Question) {
            Message::Receive(self.message(Self::place)?)
        } else {
            return Err(self.unexpected());
        };
        Ok(Synchronisation { channel, message, span: channel.span.to(self.previous_span()) })
    }

    /// Reads nothing, one part, or several in braces.
    fn message<T>(&mut self, mut part: impl FnMut(&mut Self) -> Checked<T>) -> Checked<Vec<T>> {
        if self.at(TokenKind::Semicolon) {
            return Ok(Vec::new());
        }
        if !self.eat(TokenKind::OpenBrace) {
            return Ok(vec![part(self)?]);
        }
        let parts = self.separated(part)?;
        self.expect(TokenKind::CloseBrace)?;
        Ok(parts)
    }

    /// `assignment = place "=" expression`
    fn assignment(&mut self) -> Checked<Assignment<'text>> {
        let place = self.place()?;
        self.expect(TokenKind::Equal)?;
        Ok(Assignment { place, value: self.expression()? })
    }

    /// `place = name [ "[" expression "]" ]`
    fn place(&mut self) -> Checked<Place<'text>> {
        let name = self.name()?;
        if self.kind() == TokenKind::Arrow {
            return Err(self.foreign_place(name.span));
        }
        let index = self.bracketed()?;
        Ok(Place { name, index, span: name.span.to(self.previous_span()) })
    }

    /// Reports an assignment to a variable of another process.
    fn foreign_place(&mut self, process: Span) -> Reported {
        let message = "a process cannot assign the variables of another one";
        let span = process.to(self.span());
        let error = Diagnostic::error(codes::NOT_ASSIGNABLE, span, message, "only readable from here");
        self.diagnostics.report(error.help("make the variable global, or send the value over a channel"))
    }
}
