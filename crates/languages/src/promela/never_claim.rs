//! Never claims, in which SPIN and its translators write Büchi automata in Promela.
//!
//! ```text
//! never { /* ! [] (wait -> <> cs) */
//! T0_init:
//!         do
//!         :: (wait && !cs) -> goto accept_S1
//!         :: (1) -> goto T0_init
//!         od;
//! accept_S1:
//!         if
//!         :: (!cs) -> goto accept_S1
//!         fi;
//! }
//! ```
//!
//! Every statement that reads a state of the model is a state of the automaton. The first one is
//! initial, and those with a label that begins with `accept` are accepting. Of Promela, the reader
//! knows what translators write: `if`, `do`, `goto`, `break`, `skip`, `else`, `atomic`, `d_step`,
//! and conditions, which are expressions of the model. A claim that reaches its end has matched,
//! and so has one whose `assert` fails; both are an accepting state that is never left.

use std::collections::BTreeMap;

use logic::buchi::{Cube, Edge};
use model::guarded_commands::{Expression, Span};

use crate::automata::{AutomatonFormat, AutomatonWithPropositions, Growing, Label, place_of};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::question::proposition::Propositions;
use crate::question::syntax::Purpose;
use crate::question::tokens::{Token, TokenKind, tokens};
use crate::spelling::did_you_mean;
use crate::{Model, question};

/// Advice on the statements of a claim.
const STATEMENTS: &str = "a never claim consists of labels, `if` and `do` with options `:: condition -> goto label`, conditions, `skip` and `goto`";

/// Reads a claim about a model.
pub(crate) fn read(text: &str, model: &Model) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let tokens = tokens(text, 0, Purpose::Formula, &mut diagnostics).tokens;
    diagnostics.check(Ok(()))?;
    let mut reader = Reader { text, tokens, next: 0, diagnostics: &mut diagnostics };
    let statements = reader.claim();
    let statements = diagnostics.check(statements)?;
    let built = Builder::new(text, model, &mut diagnostics).automaton(&statements);
    let built = diagnostics.check(built)?;
    Ok(AutomatonWithPropositions { warnings: diagnostics.into_warnings(), ..built })
}

/// One statement of a claim.
struct Statement<'text> {
    /// The labels with their places.
    labels: Vec<(&'text str, Span)>,
    kind: StatementKind<'text>,
    span: Span,
}

enum StatementKind<'text> {
    /// A condition, or several of which one is chosen.
    Options(Vec<Branch<'text>>),
    Goto(&'text str, Span),
}

/// One branch of a choice.
struct Branch<'text> {
    condition: Condition,
    target: Target<'text>,
    span: Span,
}

#[derive(Clone, Copy)]
enum Condition {
    True,
    /// Taken if no other branch can be taken.
    Else,
    /// An expression at this place.
    Expression(Span),
}

#[derive(Clone, Copy)]
enum Target<'text> {
    Label(&'text str, Span),
    /// The statement that follows.
    Next,
    /// The same statement.
    Again,
    /// The claim has matched.
    Matched,
}

struct Reader<'text, 'run> {
    text: &'text str,
    tokens: Vec<Token>,
    next: usize,
    diagnostics: &'run mut Diagnostics,
}

impl<'text> Reader<'text, '_> {
    /// `claim = "never" [ name ] "{" { statement } "}"`
    fn claim(&mut self) -> Checked<Vec<Statement<'text>>> {
        self.advance();
        if self.word().is_some() {
            self.advance();
        }
        let open = self.expect(TokenKind::OpenBrace)?;
        let mut statements = Vec::new();
        loop {
            while self.eat(TokenKind::Semicolon) {}
            match self.kind() {
                TokenKind::CloseBrace => break,
                TokenKind::End => {
                    let message = "the claim is not closed";
                    let error = Diagnostic::error(codes::UNBALANCED, open, message, "opened here");
                    return Err(self.diagnostics.report(error.help("close it with `}`")));
                }
                _ => statements.push(self.statement()?),
            }
        }
        self.advance();
        while self.eat(TokenKind::Semicolon) {}
        if self.kind() != TokenKind::End {
            return Err(self.unexpected("the end of the text: only one claim is read"));
        }
        if statements.is_empty() {
            let message = "the claim has no statement";
            let error = Diagnostic::error(codes::NO_STATES, open, message, "nothing in here");
            return Err(self.diagnostics.report(error.help(STATEMENTS)));
        }
        Ok(statements)
    }

    /// `statement = { label ":" } ( ( "if" | "do" ) { option } ( "fi" | "od" ) | "goto" label |
    /// branch )`
    fn statement(&mut self) -> Checked<Statement<'text>> {
        let mut labels = Vec::new();
        while self.is_label() {
            labels.push((self.spelling(self.span()), self.span()));
            self.advance();
            self.advance();
        }
        let start = self.span();
        let kind = match self.word() {
            Some("if") => StatementKind::Options(self.options("fi", Target::Next)?),
            Some("do") => StatementKind::Options(self.options("od", Target::Again)?),
            Some("goto") => {
                self.advance();
                let (label, span) = self.label()?;
                StatementKind::Goto(label, span)
            }
            _ => StatementKind::Options(vec![self.branch(Target::Next, None)?]),
        };
        Ok(Statement { labels, kind, span: start.to(self.previous_span()) })
    }

    /// Whether a word and a single colon follow.
    fn is_label(&self) -> bool {
        let is_colon = |place| self.kind_at(place) == TokenKind::Colon;
        self.word().is_some()
            && is_colon(self.next + 1)
            && !(is_colon(self.next + 2) && self.touches(self.next + 1))
    }

    /// Whether a token and the next one are adjacent.
    fn touches(&self, place: usize) -> bool {
        let end = self.tokens.get(place).map(|token| token.span.end);
        let start = self.tokens.get(place + 1).map(|token| token.span.start);
        end == start
    }

    fn options(&mut self, end: &str, without_goto: Target<'text>) -> Checked<Vec<Branch<'text>>> {
        let open = self.span();
        self.advance();
        let mut branches = Vec::new();
        while self.word() != Some(end) {
            if self.kind() == TokenKind::End {
                let message = format!("`{}` is not closed", self.spelling(open));
                let error = Diagnostic::error(codes::UNBALANCED, open, message, "opened here");
                return Err(self.diagnostics.report(error.help(format!("close it with `{end}`"))));
            }
            if !self.eat(TokenKind::Colon) || !self.eat(TokenKind::Colon) {
                return Err(self.unexpected(&format!("`::` or `{end}`")));
            }
            branches.push(self.branch(without_goto, Some(end))?);
        }
        self.advance();
        Ok(branches)
    }

    /// `branch = [ "atomic" "{" ] condition { ( "->" | ";" ) action } [ "}"
    /// ]`. Outside of `if` and `do`, what follows a condition is a statement of its own.
    fn branch(&mut self, without_goto: Target<'text>, inside: Option<&str>) -> Checked<Branch<'text>> {
        let start = self.span();
        let is_grouped = matches!(self.word(), Some("atomic" | "d_step"));
        if is_grouped {
            self.advance();
            self.expect(TokenKind::OpenBrace)?;
        }
        let condition = self.condition()?;
        let mut target = without_goto;
        while self.eat(TokenKind::Arrow) || (inside.is_some() || is_grouped) && self.eat(TokenKind::Semicolon)
        {
            match self.word() {
                Some("goto") => {
                    self.advance();
                    let (label, span) = self.label()?;
                    target = Target::Label(label, span);
                }
                Some("break") if inside == Some("od") => {
                    self.advance();
                    target = Target::Next;
                }
                Some("skip") => self.advance(),
                Some("assert") => {
                    self.advance();
                    self.skip_parentheses()?;
                    target = Target::Matched;
                }
                _ if matches!(
                    self.kind(),
                    TokenKind::Colon | TokenKind::CloseBrace | TokenKind::Semicolon
                ) => {}
                Some("fi" | "od") => {}
                _ => return Err(self.bad_claim("this cannot follow a condition")),
            }
        }
        if is_grouped {
            self.expect(TokenKind::CloseBrace)?;
            while inside.is_some() && self.eat(TokenKind::Semicolon) {}
        }
        Ok(Branch { condition, target, span: start.to(self.previous_span()) })
    }

    fn condition(&mut self) -> Checked<Condition> {
        let first = self.next;
        match self.word() {
            Some("skip") => {
                self.advance();
                return Ok(Condition::True);
            }
            Some("else") => {
                self.advance();
                return Ok(Condition::Else);
            }
            Some("if" | "do" | "goto" | "break" | "assert" | "printf" | "atomic" | "d_step") => {
                return Err(self.bad_claim("this is no condition"));
            }
            _ => {}
        }
        let mut open = Vec::new();
        loop {
            match self.kind() {
                TokenKind::OpenParenthesis | TokenKind::OpenBracket => open.push(self.span()),
                TokenKind::CloseParenthesis | TokenKind::CloseBracket => drop(open.pop()),
                TokenKind::Semicolon | TokenKind::CloseBrace | TokenKind::Colon | TokenKind::End => break,
                TokenKind::Arrow if open.is_empty() && self.is_action(self.next + 1) => break,
                _ if matches!(self.word(), Some("fi" | "od" | "goto")) => break,
                _ => {}
            }
            self.advance();
        }
        if let Some(open) = open.pop() {
            return Err(self.unclosed(open));
        }
        if self.next == first {
            return Err(self.unexpected("a condition"));
        }
        Ok(Condition::Expression(self.tokens[first].span.to(self.previous_span())))
    }

    /// Whether the token at this place begins an action after a condition, and is no variable of a
    /// process.
    fn is_action(&self, place: usize) -> bool {
        let word = self.tokens.get(place).map_or("", |token| self.spelling(token.span));
        ["goto", "break", "skip", "assert", "if", "do", "atomic", "d_step", "fi", "od", "{", "::", ":"]
            .contains(&word)
    }

    fn skip_parentheses(&mut self) -> Checked<()> {
        let open = self.expect(TokenKind::OpenParenthesis)?;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.kind() {
                TokenKind::OpenParenthesis => depth += 1,
                TokenKind::CloseParenthesis => depth -= 1,
                TokenKind::End => return Err(self.unclosed(open)),
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }

    fn label(&mut self) -> Checked<(&'text str, Span)> {
        let span = self.span();
        let Some(label) = self.word() else { return Err(self.unexpected("a label")) };
        self.advance();
        Ok((label, span))
    }

    fn unclosed(&mut self, open: Span) -> Reported {
        let message = format!("`{}` is not closed", self.spelling(open));
        let error = Diagnostic::error(codes::UNBALANCED, open, message, "opened here");
        self.diagnostics.report(error.help("close it before the condition ends"))
    }

    fn bad_claim(&mut self, message: &str) -> Reported {
        let error = Diagnostic::error(codes::BAD_CLAIM, self.span(), message, "not in a never claim");
        self.diagnostics.report(error.help(STATEMENTS))
    }

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let found = match self.kind() {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.spelling(self.span()).chars().take(40).collect::<String>()),
        };
        let message = format!("expected {wanted}, found {found}");
        let error =
            Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message, format!("expected {wanted}"));
        self.diagnostics.report(error.help(STATEMENTS))
    }

    fn kind_at(&self, place: usize) -> TokenKind {
        self.tokens.get(place).map_or(TokenKind::End, |token| token.kind)
    }

    fn kind(&self) -> TokenKind {
        self.kind_at(self.next)
    }

    fn span(&self) -> Span {
        self.tokens[self.next.min(self.tokens.len() - 1)].span
    }

    fn previous_span(&self) -> Span {
        self.next.checked_sub(1).map_or_else(|| self.span(), |last| self.tokens[last].span)
    }

    fn spelling(&self, span: Span) -> &'text str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The word at the current token. Words that questions reserve are not reserved here.
    fn word(&self) -> Option<&'text str> {
        let word = self.spelling(self.span());
        word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_').then_some(word)
    }

    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Checked<Span> {
        let span = self.span();
        if self.eat(kind) { Ok(span) } else { Err(self.unexpected(&kind.describe())) }
    }
}

/// Builds an automaton from statements.
struct Builder<'a, 'run> {
    text: &'a str,
    model: &'a Model,
    /// The statements by their labels.
    labels: BTreeMap<&'a str, usize>,
    propositions: Propositions,
    growing: Growing,
    diagnostics: &'run mut Diagnostics,
}

impl<'a, 'run> Builder<'a, 'run> {
    fn new(text: &'a str, model: &'a Model, diagnostics: &'run mut Diagnostics) -> Self {
        let (labels, propositions) = Default::default();
        Self { text, model, labels, propositions, growing: Growing::with_sets(1), diagnostics }
    }

    fn automaton(mut self, statements: &[Statement<'a>]) -> Checked<AutomatonWithPropositions> {
        for (number, statement) in statements.iter().enumerate() {
            self.growing.state(number, statement.span, self.diagnostics)?;
            for (label, span) in &statement.labels {
                if self.labels.insert(label, number).is_some() {
                    let message = format!("a second label `{label}`");
                    let error = Diagnostic::error(codes::DECLARED_TWICE, *span, message, "the name is taken");
                    return Err(self.diagnostics.report(error.help("rename one of them")));
                }
            }
        }
        let end = self.growing.state(statements.len(), Span::default(), self.diagnostics)?;
        let mut failed = None;
        for (number, statement) in statements.iter().enumerate() {
            let StatementKind::Options(branches) = &statement.kind else { continue };
            // All conditions are read, so that their mistakes are reported together.
            failed = self.branches(number, branches, statements).err().or(failed);
        }
        if let Some(reported) = failed {
            return Err(reported);
        }
        let initial = self.followed(0, statements)?;
        let leads_to_end = self.growing.automaton.states.iter().flatten().any(|edge| edge.target == end);
        let mut states: Vec<String> = statements.iter().enumerate().map(name_of).collect();
        if leads_to_end || initial == Some(end) {
            self.growing.automaton.states[end as usize].push(Edge {
                label: Cube::TRUE,
                target: end,
                accepting: 1,
            });
            states.push("end".to_owned());
        } else {
            self.growing.automaton.states.pop();
        }
        let mut automaton = self.growing.automaton;
        automaton.initial = initial.into_iter().collect();
        let propositions = self.propositions.into_list();
        let (format, warnings) = (AutomatonFormat::NeverClaim, Vec::new());
        Ok(AutomatonWithPropositions { format, automaton, states, propositions, warnings })
    }

    /// Adds the edges out of one statement.
    fn branches(
        &mut self,
        number: usize,
        branches: &[Branch<'a>],
        statements: &[Statement<'a>],
    ) -> Checked<()> {
        let labels: Vec<Checked<Option<Label>>> =
            branches.iter().map(|branch| self.condition(branch)).collect();
        let labels = labels.into_iter().collect::<Checked<Vec<_>>>()?;
        let others = labels.iter().flatten().cloned().reduce(Label::or);
        let otherwise = Label::negation(others.unwrap_or(Label::FALSE));
        let is_accepting = statements[number].labels.iter().any(|(label, _)| label.starts_with("accept"));
        let from = u32::try_from(number).expect("the state is there");
        for (branch, label) in branches.iter().zip(labels) {
            let target = match branch.target {
                Target::Label(label, span) => {
                    let number = self.labelled(label, span)?;
                    self.followed(number, statements)?
                }
                Target::Next => self.followed(number + 1, statements)?,
                Target::Again => Some(from),
                Target::Matched => u32::try_from(statements.len()).ok(),
            };
            let Some(target) = target else { continue };
            let label = label.unwrap_or_else(|| otherwise.clone());
            self.growing.edge(
                (from, target),
                &label,
                u32::from(is_accepting),
                branch.span,
                self.diagnostics,
            )?;
        }
        Ok(())
    }

    /// The condition of a branch; none for `else`.
    fn condition(&mut self, branch: &Branch<'a>) -> Checked<Option<Label>> {
        let span = match branch.condition {
            Condition::True => return Ok(Some(Label::TRUE)),
            Condition::Else => return Ok(None),
            Condition::Expression(span) => span,
        };
        let expression = question::truth_at(self.text, span, &self.model.names, self.diagnostics)?;
        let text = |expression: &Expression| match (place_of(expression), expression) {
            (Some(place), _) => question::formula_text::proposition(self.text, place),
            (None, Expression::Cell(cell)) => self.model.commands.cell_name(*cell),
            _ => self.model.measure_text(std::slice::from_ref(expression)),
        };
        Label::of(expression, span, &mut self.propositions, &text, self.diagnostics).map(Some)
    }

    fn labelled(&mut self, label: &str, span: Span) -> Checked<usize> {
        if let Some(number) = self.labels.get(label) {
            return Ok(*number);
        }
        let message = format!("no statement has the label `{label}`");
        let error = Diagnostic::error(codes::UNKNOWN_STATE, span, message, "unknown label");
        let help = did_you_mean(label, self.labels.keys().copied());
        let help = help.unwrap_or_else(|| format!("put `{label}:` before a statement"));
        Err(self.diagnostics.report(error.help(help)))
    }

    /// The state of a statement; of a `goto`, the state that it leads to. None, if `goto`s lead in
    /// a circle.
    fn followed(&mut self, number: usize, statements: &[Statement<'a>]) -> Checked<Option<u32>> {
        let mut number = number;
        for _ in 0..=statements.len() {
            match statements.get(number).map(|statement| &statement.kind) {
                Some(StatementKind::Goto(label, span)) => number = self.labelled(label, *span)?,
                _ => return Ok(u32::try_from(number).ok()),
            }
        }
        Ok(None)
    }
}

/// The name of a state: its first label, or its number.
fn name_of((number, statement): (usize, &Statement<'_>)) -> String {
    statement
        .labels
        .first()
        .map_or_else(|| format!("statement {}", number + 1), |(label, _)| (*label).to_owned())
}
