//! The Hanoi format, version 1, in which Spot, Owl and others exchange ω-automata (Babiak et al.,
//! CAV 2015; <https://adl.github.io/hoaf/>).
//!
//! The reader accepts nondeterministic automata with Büchi, generalised Büchi or trivial
//! acceptance, on states or on edges. Labels may be on states, on edges, or absent (then the order
//! of edges defines them). Aliases and several initial states are allowed. The name of a
//! proposition is an expression of the model: `AP: 2 "P.wait" "x > 3"`.
//!
//! Alternation and other acceptance conditions are refused. The format allows headers that begin
//! with a lower-case letter to be ignored, and the reader ignores them.

use std::collections::BTreeMap;

use model::guarded_commands::Span;

use super::acceptance::Acceptance;
use super::hoa_tokens::{Token, TokenKind, tokens};
use super::label::Label;
use super::{AutomatonFormat, AutomatonWithPropositions, Growing, too_large};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::question::proposition::{Literal, Propositions, too_many};
use crate::spelling::did_you_mean;
use crate::{Model, question};

/// Levels of the deepest label or condition.
const DEEPEST: usize = 256;

/// The most parts of a label after its aliases are expanded.
const LARGEST_LABEL: usize = 100_000;

/// A label with its size, which bounds recursion over it.
#[derive(Clone)]
struct Measured {
    label: Label,
    /// Number of parts.
    size: usize,
    depth: usize,
}

/// Reads an automaton about a model.
pub(super) fn read(text: &str, model: &Model) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let tokens = tokens(text, &mut diagnostics);
    diagnostics.check(Ok(()))?;
    let mut reader = Reader {
        text,
        model,
        tokens,
        next: 0,
        nesting: 0,
        acceptance_name: None,
        propositions: Propositions::default(),
        literals: Vec::new(),
        aliases: BTreeMap::new(),
        diagnostics: &mut diagnostics,
    };
    let read = reader.automaton();
    let read = diagnostics.check(read)?;
    Ok(AutomatonWithPropositions { warnings: diagnostics.into_warnings(), ..read })
}

pub(super) struct Reader<'text, 'run> {
    text: &'text str,
    model: &'run Model,
    tokens: Vec<Token>,
    next: usize,
    nesting: usize,
    /// The name of the acceptance condition in the file.
    pub(super) acceptance_name: Option<&'text str>,
    propositions: Propositions,
    /// The propositions of the file, by number.
    literals: Vec<Literal>,
    aliases: BTreeMap<&'text str, Measured>,
    pub(super) diagnostics: &'run mut Diagnostics,
}

/// The content of the headers.
#[derive(Default)]
struct Headers {
    states: Option<usize>,
    /// The initial states, with the places that name them.
    initial: Vec<(usize, Span)>,
    acceptance: Option<Acceptance>,
}

/// An edge before its label is known.
struct RawEdge {
    label: Option<Label>,
    target: usize,
    accepting: u32,
    span: Span,
}

impl<'text> Reader<'text, '_> {
    fn automaton(&mut self) -> Checked<AutomatonWithPropositions> {
        let headers = self.headers()?;
        let Some(acceptance) = headers.acceptance else {
            return Err(self.missing_header("Acceptance:", "1 Inf(0)"));
        };
        let mut growing = Growing::with_sets(acceptance.sets());
        let mut names = BTreeMap::new();
        while self.at_header("State:") {
            self.state(&acceptance, headers.states, &mut growing, &mut names)?;
        }
        match self.kind() {
            TokenKind::Abort => return Err(self.aborted()),
            TokenKind::End => self.advance(),
            _ => return Err(self.unexpected("`State:` or `--END--`")),
        }
        if self.kind() != TokenKind::EndOfText {
            return Err(self.unexpected("the end of the text: only one automaton is read"));
        }
        for (state, span) in headers.initial {
            self.within(state, span, headers.states)?;
            let state = growing.state(state, span, self.diagnostics)?;
            if !growing.automaton.initial.contains(&state) {
                growing.automaton.initial.push(state);
            }
        }
        // States that are declared and never mentioned lead nowhere and are not needed.
        let called = |number| names.remove(&number).unwrap_or_else(|| number.to_string());
        let states = (0..growing.automaton.states.len()).map(called).collect();
        let propositions = std::mem::take(&mut self.propositions).into_list();
        let (format, automaton) = (AutomatonFormat::Hoa, growing.automaton);
        Ok(AutomatonWithPropositions { format, automaton, states, propositions, warnings: Vec::new() })
    }

    /// `headers = "HOA:" "v1" { header } "--BODY--"`
    fn headers(&mut self) -> Checked<Headers> {
        let mut headers = Headers::default();
        self.advance();
        if self.word() != Some("v1") {
            return Err(self.bad_header("this version of the format is not known", "expected `v1`"));
        }
        self.advance();
        let mut seen: Vec<&str> = Vec::new();
        while self.kind() == TokenKind::Header {
            let (span, name) = (self.span(), self.spelling(self.span()));
            let is_repeatable = ["Start:", "Alias:", "properties:"].contains(&name);
            let is_capital = name.starts_with(|first: char| first.is_ascii_uppercase());
            if is_capital && !is_repeatable && seen.contains(&name) {
                let message = format!("a second `{name}`");
                let error = Diagnostic::error(codes::BAD_HEADER, span, message, "repeated here");
                return Err(self.diagnostics.report(error.help("remove one of them")));
            }
            seen.push(name);
            self.advance();
            match name {
                "States:" => headers.states = Some(self.size("the number of states")?),
                "Start:" => headers.initial.push(self.only_state()?),
                "AP:" => self.declare_propositions(span)?,
                "Alias:" => self.alias()?,
                "Acceptance:" => headers.acceptance = Some(self.acceptance()?),
                "acc-name:" => self.acceptance_name = self.word(),
                _ if is_capital => {
                    let known = ["States:", "Start:", "AP:", "Alias:", "Acceptance:"];
                    let message =
                        format!("the header `{name}` changes the meaning of the automaton, and is not known");
                    let error = Diagnostic::error(codes::BAD_HEADER, span, message, "unknown header");
                    return Err(self.diagnostics.report(error.help_if_any(did_you_mean(name, known))));
                }
                _ => {}
            }
            if !is_capital {
                self.skip_header();
            }
        }
        match self.kind() {
            TokenKind::Body => self.advance(),
            TokenKind::Abort => return Err(self.aborted()),
            _ => return Err(self.unexpected("a header or `--BODY--`")),
        }
        Ok(headers)
    }

    fn skip_header(&mut self) {
        let ends = [TokenKind::Header, TokenKind::Body, TokenKind::Abort, TokenKind::EndOfText];
        while !ends.contains(&self.kind()) {
            self.advance();
        }
    }

    /// `propositions = number { quoted }`
    fn declare_propositions(&mut self, header: Span) -> Checked<()> {
        let declared = self.number("the number of propositions")?;
        while self.kind() == TokenKind::Quoted {
            let span = self.span();
            if self.literals.len() >= u64::BITS as usize {
                return Err(self.diagnostics.report(too_many(span)));
            }
            self.advance();
            let inside = Span { start: span.start + 1, end: span.end - 1 };
            let expression = question::truth_at(self.text, inside, &self.model.names, self.diagnostics);
            // All names are read before the first error in them ends the list.
            let literal = match expression {
                Ok(expression) => {
                    let text = question::formula_text::proposition(self.text, inside);
                    self.propositions.literal(&text, expression, inside, self.diagnostics)?
                }
                Err(_) => Literal::Constant(false),
            };
            self.literals.push(literal);
        }
        if declared != self.literals.len() as u64 {
            let message =
                format!("{declared} propositions are announced, and {} follow", self.literals.len());
            let error = Diagnostic::error(codes::BAD_PROPOSITION_COUNT, header, message, "not that many");
            return Err(self.diagnostics.report(error.help("write the number of names that follow")));
        }
        Ok(())
    }

    /// `alias = alias-name label`
    fn alias(&mut self) -> Checked<()> {
        let span = self.expect(TokenKind::Alias)?;
        let label = self.label()?;
        self.aliases.insert(self.spelling(span), label);
        Ok(())
    }

    /// `state = "State:" [ "[" label "]" ] number [ quoted ] [ sets ] { edge }`
    fn state(
        &mut self,
        acceptance: &Acceptance,
        states: Option<usize>,
        growing: &mut Growing,
        names: &mut BTreeMap<usize, String>,
    ) -> Checked<()> {
        self.advance();
        let label = self.bracketed_label()?;
        let span = self.span();
        let number = self.size("the number of a state")?;
        self.within(number, span, states)?;
        let state = growing.state(number, span, self.diagnostics)?;
        let name = if self.kind() == TokenKind::Quoted {
            let span = self.span();
            self.advance();
            self.spelling(Span { start: span.start + 1, end: span.end - 1 }).to_owned()
        } else {
            number.to_string()
        };
        if names.insert(number, name).is_some() {
            let message = format!("state {number} is described twice");
            let error = Diagnostic::error(codes::DECLARED_TWICE, span, message, "described before");
            return Err(self.diagnostics.report(error.help("write all its edges in one place")));
        }
        let accepting = self.sets(acceptance)?;
        let mut edges = Vec::new();
        while matches!(self.kind(), TokenKind::Sign('[') | TokenKind::Number(_)) {
            edges.push(self.edge(acceptance)?);
        }
        self.name_edges(label, span, &mut edges)?;
        for edge in edges {
            self.within(edge.target, edge.span, states)?;
            let target = growing.state(edge.target, edge.span, self.diagnostics)?;
            let label = edge.label.unwrap_or(Label::TRUE);
            let accepting = acceptance.of(accepting | edge.accepting);
            growing.edge((state, target), &label, accepting, edge.span, self.diagnostics)?;
        }
        Ok(())
    }

    /// `edge = [ "[" label "]" ] number [ sets ]`
    fn edge(&mut self, acceptance: &Acceptance) -> Checked<RawEdge> {
        let label = self.bracketed_label()?;
        let (target, span) = self.only_state()?;
        let accepting = self.sets(acceptance)?;
        Ok(RawEdge { label, target, accepting, span })
    }

    /// Gives a label to each edge that has none: that of the state, or the one that its position
    /// among the edges means.
    fn name_edges(&mut self, of_state: Option<Label>, place: Span, edges: &mut [RawEdge]) -> Checked<()> {
        let labelled = edges.iter().filter(|edge| edge.label.is_some()).count();
        match of_state {
            Some(label) if labelled == 0 => {
                edges.iter_mut().for_each(|edge| edge.label = Some(label.clone()));
                return Ok(());
            }
            None if labelled == edges.len() => return Ok(()),
            _ => {}
        }
        let letters = 1_usize.checked_shl(u32::try_from(self.literals.len()).unwrap_or(u32::MAX));
        if labelled > 0 || letters != Some(edges.len()) {
            let message = "only some edges of this state have a label, or state and edges both do";
            let error = Diagnostic::error(codes::BAD_LABEL, place, message, "which edge is for what?");
            let help = "label all edges, or the state, or write one edge for each combination of the propositions in order";
            return Err(self.diagnostics.report(error.help(help)));
        }
        for (number, edge) in edges.iter_mut().enumerate() {
            let bits = self.literals.iter().enumerate();
            let letter = bits.map(|(bit, literal)| Label::Literal(literal.when(number >> bit & 1 == 1)));
            edge.label = letter.reduce(Label::and);
        }
        Ok(())
    }

    /// `sets = "{" { number } "}"`, as bits.
    fn sets(&mut self, acceptance: &Acceptance) -> Checked<u32> {
        let mut sets = 0;
        if self.eat(TokenKind::Sign('{')) {
            while let TokenKind::Number(_) = self.kind() {
                sets |= 1 << self.set(acceptance.declared)?;
            }
            self.expect(TokenKind::Sign('}'))?;
        }
        Ok(sets)
    }

    fn bracketed_label(&mut self) -> Checked<Option<Label>> {
        if !self.eat(TokenKind::Sign('[')) {
            return Ok(None);
        }
        let measured = self.label()?;
        self.expect(TokenKind::Sign(']'))?;
        Ok(Some(measured.label))
    }

    /// `label = conjunction { "|" conjunction }`
    fn label(&mut self) -> Checked<Measured> {
        let mut label = self.conjunction()?;
        while self.eat(TokenKind::Sign('|')) {
            let other = self.conjunction()?;
            label = self.combined(label, other, Label::or)?;
        }
        Ok(label)
    }

    fn conjunction(&mut self) -> Checked<Measured> {
        let mut label = self.literal()?;
        while self.eat(TokenKind::Sign('&')) {
            let other = self.literal()?;
            label = self.combined(label, other, Label::and)?;
        }
        Ok(label)
    }

    fn combined(
        &mut self,
        left: Measured,
        right: Measured,
        combine: fn(Label, Label) -> Label,
    ) -> Checked<Measured> {
        let (size, depth) = (1 + left.size + right.size, left.depth.max(1 + right.depth));
        self.bounded(Measured { label: combine(left.label, right.label), size, depth: depth.max(2) })
    }

    /// Returns the label, unless it is too large.
    fn bounded(&mut self, measured: Measured) -> Checked<Measured> {
        if measured.size <= LARGEST_LABEL && measured.depth <= 2 * DEEPEST {
            return Ok(measured);
        }
        let span = self.span();
        Err(self.diagnostics.report(too_large(span)))
    }

    /// `literal = "!" literal | "(" label ")" | "t" | "f" | number | alias`
    fn literal(&mut self) -> Checked<Measured> {
        let leaf = |label| Ok(Measured { label, size: 1, depth: 1 });
        let span = self.span();
        match self.kind() {
            TokenKind::Sign('!') => {
                self.advance();
                let Measured { label, size, depth } = self.nested(span, Self::literal)?;
                self.bounded(Measured { label: Label::negation(label), size: 1 + size, depth: 1 + depth })
            }
            TokenKind::Sign('(') => {
                self.advance();
                let label = self.nested(span, Self::label)?;
                self.expect(TokenKind::Sign(')'))?;
                Ok(label)
            }
            TokenKind::Number(number) => {
                self.advance();
                let known = usize::try_from(number).ok().and_then(|number| self.literals.get(number));
                match known {
                    Some(literal) => leaf(Label::Literal(*literal)),
                    None => Err(self.undeclared(span, "proposition", "AP:")),
                }
            }
            TokenKind::Alias => {
                self.advance();
                match self.aliases.get(self.spelling(span)) {
                    Some(label) => Ok(label.clone()),
                    None => Err(self.undeclared(span, "alias", "Alias:")),
                }
            }
            TokenKind::Word if ["t", "f"].contains(&self.spelling(span)) => {
                self.advance();
                leaf(if self.spelling(span) == "t" { Label::TRUE } else { Label::FALSE })
            }
            _ => Err(self.unexpected("a label")),
        }
    }

    /// Reads the number of one state, and returns it with its place.
    fn only_state(&mut self) -> Checked<(usize, Span)> {
        let span = self.span();
        let state = self.size("the number of a state")?;
        if self.kind() == TokenKind::Sign('&') {
            let message = "this is an alternating automaton";
            let error =
                Diagnostic::error(codes::ALTERNATING_AUTOMATON, self.span(), message, "not supported");
            let help = "alternating automata are not supported; Spot converts them by `autfilt --gba`";
            return Err(self.diagnostics.report(error.help(help)));
        }
        Ok((state, span))
    }

    /// Reports a state that is not among those that the file announces.
    fn within(&mut self, state: usize, span: Span, states: Option<usize>) -> Checked<()> {
        match states.filter(|states| state >= *states) {
            None => Ok(()),
            Some(states) => {
                let message = format!("there is no state {state}");
                let error = Diagnostic::error(codes::UNKNOWN_STATE, span, message, "unknown state");
                let help = format!("`States:` announces {states} of them, numbered from 0");
                Err(self.diagnostics.report(error.help(help)))
            }
        }
    }

    fn undeclared(&mut self, span: Span, what: &str, header: &str) -> Reported {
        let message = format!("the {what} `{}` is not declared", self.spelling(span));
        let error = Diagnostic::error(codes::UNKNOWN_SET, span, message, "not declared");
        self.diagnostics.report(error.help(format!("declare it by `{header}`; numbers start from 0")))
    }

    fn missing_header(&mut self, name: &str, example: &str) -> Reported {
        let message = format!("the header `{name}` is missing");
        let body = self.tokens.iter().find(|token| token.kind == TokenKind::Body);
        let span = body.map_or_else(|| self.span(), |token| token.span);
        let error = Diagnostic::error(codes::BAD_HEADER, span, message, "not before this");
        self.diagnostics.report(error.help(format!("write, for example, `{name} {example}`")))
    }

    fn bad_header(&mut self, message: &str, label: &str) -> Reported {
        let error = Diagnostic::error(codes::BAD_HEADER, self.span(), message, label);
        self.diagnostics.report(error.help("automata of the Hanoi format begin with `HOA: v1`"))
    }

    fn aborted(&mut self) -> Reported {
        let message = "the tool that wrote this automaton aborted";
        let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message, "expected `--END--`");
        self.diagnostics.report(error.help("run the tool again that wrote it"))
    }

    /// Reports the current token.
    pub(super) fn unexpected(&mut self, wanted: &str) -> Reported {
        let found = match self.kind() {
            TokenKind::EndOfText => "the end of the text".to_owned(),
            _ => format!("`{}`", self.spelling(self.span()).chars().take(40).collect::<String>()),
        };
        let message = format!("expected {wanted}, found {found}");
        let error =
            Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message, format!("expected {wanted}"));
        self.diagnostics.report(error.help("the format is described at https://adl.github.io/hoaf"))
    }

    /// Reads a part inside a parenthesis or after a sign at `start`.
    pub(super) fn nested<T>(
        &mut self,
        start: Span,
        inner: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        if self.nesting >= DEEPEST {
            let message = format!("a label or condition with more than {DEEPEST} levels");
            let error = Diagnostic::error(codes::NESTED_TOO_DEEPLY, start, message, "nested too deeply");
            return Err(self.diagnostics.report(error.help("use aliases, or fewer parentheses")));
        }
        self.nesting += 1;
        let read = inner(self);
        self.nesting -= 1;
        read
    }

    fn token(&self) -> Token {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.token().kind
    }

    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    fn spelling(&self, span: Span) -> &'text str {
        &self.text[span.start as usize..span.end as usize]
    }

    pub(super) fn word(&self) -> Option<&'text str> {
        (self.kind() == TokenKind::Word).then(|| self.spelling(self.span()))
    }

    fn at_header(&self, name: &str) -> bool {
        self.kind() == TokenKind::Header && self.spelling(self.span()) == name
    }

    pub(super) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> Checked<Span> {
        let span = self.span();
        if self.eat(kind) { Ok(span) } else { Err(self.unexpected(&kind.describe())) }
    }

    pub(super) fn number(&mut self, what: &str) -> Checked<u64> {
        let TokenKind::Number(number) = self.kind() else { return Err(self.unexpected(what)) };
        self.advance();
        Ok(number)
    }

    fn size(&mut self, what: &str) -> Checked<usize> {
        Ok(usize::try_from(self.number(what)?).unwrap_or(usize::MAX))
    }
}
