//! Formulas of temporal logic, linear and branching, around expressions of the model.
//!
//! One precedence climb reads everything: the operators of the model, the connectives and the
//! temporal operators. A part without temporal operators stays an expression, as large as possible,
//! and becomes one proposition. The order of strength, which [`question`](crate::question)
//! documents, puts that of SPIN around that of DVE:
//!
//! ```text
//! <->   ->   or   and   |   ^   &   U R W M   == !=   < <= > >=   << >>   + -   * / %   ! - ~ X F G
//! ```
//!
//! with one exception: temporal prefix operators take a whole comparison, so `F x == 1` is
//! `F (x == 1)`. Bit operators are weaker than `U` and cannot be applied to formulas. So `F p & q`,
//! which tools read differently, is an error and not a guess.
//!
//! In branching time `EF` and `AG` have always taken everything that follows, and `AG p or q` means
//! `AG (p or q)`. That remains so for the four forms `EF e`, `AG e`, `AG EF e` and `EF AG e`. All
//! other formulas are read like linear ones, where a prefix operator is strong. A branching formula
//! is therefore read twice: first with the wide reach, and again if it is none of the four forms.
//!
//! `->` both implies and reads a variable of a process. The names decide: it reads a variable after
//! a process that has this variable, or after a name that can only be a process.

use model::guarded_commands::{BinaryOperator, Span, UnaryOperator};

use super::expression::{DEEPEST, binary_operator};
use super::formula_tree::{Both, both, state};
use super::operator_words::{Between, Prefix, between, glued_between, glued_prefix, prefixes, quantifier};
use super::{Parser, expression_at};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::names::Names;
use crate::question::syntax::{
    BinaryTemporal, Connective, Expression, ExpressionKind, Formula, FormulaKind, Name, Purpose, Runs,
    UnaryTemporal,
};
use crate::question::tokens::{Token, TokenKind};

/// The logic of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    /// Linear time: a formula about runs.
    Linear,
    /// Branching time: a formula about states and the runs that start there.
    Branching,
}

/// How far a prefix operator reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Comparison,
    Everything,
}

/// Strengths of the operators that the model does not have. Those of the model are 1 (`imply`) to
/// 11, shifted by one from [`UNTIL`] on.
const EQUIVALENT: u8 = 0;
const IMPLIES: u8 = 1;
const UNTIL: u8 = 7;

/// An operator between two operands.
#[derive(Clone, Copy)]
pub(super) enum Infix {
    Equivalent,
    /// Groups to the right, unlike DVE's `imply`.
    Implies,
    Temporal(BinaryTemporal),
    Model(BinaryOperator),
}

impl Infix {
    fn connective(self) -> Option<Connective> {
        match self {
            Self::Equivalent => Some(Connective::Equivalent),
            Self::Implies | Self::Model(BinaryOperator::Imply) => Some(Connective::Implies),
            Self::Model(BinaryOperator::And) => Some(Connective::And),
            Self::Model(BinaryOperator::Or) => Some(Connective::Or),
            Self::Temporal(_) | Self::Model(_) => None,
        }
    }
}

/// Reads a formula that makes up the whole text, about a model with these names. Without names,
/// every name is a proposition and connectives stay apart.
pub(crate) fn formula<'text>(
    text: &'text str,
    logic: Logic,
    names: Option<&Names>,
    diagnostics: &mut Diagnostics,
) -> Checked<Formula<'text>> {
    if logic == Logic::Branching {
        let mut unheard = Diagnostics::default();
        let read = Reader::new(text, logic, names, Reach::Everything, &mut unheard).whole();
        if let Ok(formula) = unheard.check(read)
            && is_special(&formula)
        {
            return Ok(formula);
        }
    }
    Reader::new(text, logic, names, Reach::Comparison, diagnostics).whole()
}

/// Whether the formula is one of the four forms in which operators take everything.
fn is_special(formula: &Formula<'_>) -> bool {
    let inside = |formula: &Formula<'_>| match &formula.kind {
        FormulaKind::Unary { runs: Runs::Some, operator: UnaryTemporal::Finally, .. } => Some(Runs::Some),
        FormulaKind::Unary { runs: Runs::Every, operator: UnaryTemporal::Globally, .. } => Some(Runs::Every),
        _ => None,
    };
    let FormulaKind::Unary { operand, .. } = &formula.kind else { return false };
    match (inside(formula), &operand.kind) {
        (Some(_), FormulaKind::State(_)) => true,
        (Some(outer), FormulaKind::Unary { operand: innermost, .. }) => {
            let is_other = inside(operand).is_some_and(|inner| inner != outer);
            is_other && matches!(innermost.kind, FormulaKind::State(_))
        }
        _ => false,
    }
}

pub(super) struct Reader<'text, 'run, 'names> {
    pub(super) parser: Parser<'text, 'run>,
    pub(super) logic: Logic,
    pub(super) names: Option<&'names Names>,
    reach: Reach,
}

impl<'text, 'run, 'names> Reader<'text, 'run, 'names> {
    fn new(
        text: &'text str,
        logic: Logic,
        names: Option<&'names Names>,
        reach: Reach,
        diagnostics: &'run mut Diagnostics,
    ) -> Self {
        let mut parser = Parser::starting_at(0, text, Purpose::Formula, diagnostics);
        if let Some(names) = names {
            parser.syntax = names.syntax;
        }
        let mut reader = Self { parser, logic, names, reach };
        reader.split_words();
        reader
    }

    /// Splits words that are an operator and a name without a space between them.
    fn split_words(&mut self) {
        let tokens = std::mem::take(&mut self.parser.tokens);
        let mut split = Vec::with_capacity(tokens.len());
        for (place, token) in tokens.iter().enumerate() {
            let word = self.parser.spelling(token.span);
            let parts = if token.kind != TokenKind::Word || self.is_known(word) {
                None
            } else if let Some(parts) = glued_prefix(word, |rest| self.is_known(rest)) {
                Some(parts)
            } else {
                let is_before_parenthesis =
                    tokens.get(place + 1).is_some_and(|next| next.kind == TokenKind::OpenParenthesis);
                let parts = glued_between(word).filter(|_| is_before_parenthesis);
                parts.filter(|(name, _)| self.names.is_none() || self.is_known(name))
            };
            let Some((front, _)) = parts else {
                split.push(*token);
                continue;
            };
            let middle = token.span.start as usize + front.len();
            let spans = [(token.span.start as usize, middle), (middle, token.span.end as usize)];
            split.extend(spans.map(|(start, end)| Token { kind: token.kind, span: Span::new(start, end) }));
        }
        self.parser.tokens = split;
    }

    /// Whether the model has a variable, a constant or a process of this name.
    fn is_known(&self, name: &str) -> bool {
        let known = |names: &Names| names.globals.contains_key(name) || names.processes.contains_key(name);
        self.names.is_some_and(known)
    }

    /// Whether the model has a variable or a constant of this name.
    fn is_variable(&self, name: &str) -> bool {
        self.names.is_some_and(|names| names.globals.contains_key(name))
    }

    fn whole(&mut self) -> Checked<Formula<'text>> {
        if self.parser.kind() == TokenKind::End {
            let message = "the formula is empty";
            let error =
                Diagnostic::error(codes::EMPTY_FORMULA, self.parser.span(), message, "expected a formula");
            let help = match self.logic {
                Logic::Linear => "write what every run does, as in `G (request -> F answer)`",
                Logic::Branching => "write what holds in the initial state, as in `AG EF idle`",
            };
            return Err(self.parser.diagnostics.report(error.help(help)));
        }
        let formula = self.binary(EQUIVALENT)?;
        if self.parser.at(TokenKind::End) { Ok(formula) } else { Err(self.misplaced()) }
    }

    /// Reads a chain of operators at least as strong as `weakest`.
    fn binary(&mut self, weakest: u8) -> Checked<Formula<'text>> {
        let mut left = self.prefixed()?;
        while let Some((strength, infix)) = self.infix().filter(|(strength, _)| *strength >= weakest) {
            let place = self.parser.span();
            self.parser.advance();
            let groups_right = matches!(infix, Infix::Temporal(_) | Infix::Implies);
            let weakest = if groups_right { strength } else { strength + 1 };
            let right = self.nested(place, |reader| reader.binary(weakest))?;
            left = self.combined(infix, place, left, right)?;
        }
        self.parser.expect_operator();
        Ok(left)
    }

    /// The infix operator at the current token. In branching time, `U` and the like are none: only
    /// a path quantifier gives them meaning.
    pub(super) fn infix(&self) -> Option<(u8, Infix)> {
        match self.parser.kind() {
            TokenKind::Arrow | TokenKind::Implies => Some((IMPLIES, Infix::Implies)),
            TokenKind::Equivalent => Some((EQUIVALENT, Infix::Equivalent)),
            TokenKind::Word => match between(self.word()?)? {
                Between::Connective(Connective::Equivalent) => Some((EQUIVALENT, Infix::Equivalent)),
                Between::Connective(_) => Some((IMPLIES, Infix::Implies)),
                Between::Temporal(operator) if self.logic == Logic::Linear => {
                    Some((UNTIL, Infix::Temporal(operator)))
                }
                Between::Temporal(_) => None,
            },
            kind => {
                let (strength, operator) = binary_operator(kind)?;
                Some((strength + u8::from(strength >= UNTIL), Infix::Model(operator)))
            }
        }
    }

    fn combined(
        &mut self,
        infix: Infix,
        place: Span,
        left: Formula<'text>,
        right: Formula<'text>,
    ) -> Checked<Formula<'text>> {
        if let Some(connective) = infix.connective() {
            return self.connected(connective, left, right);
        }
        match infix {
            Infix::Temporal(operator) => self.temporal(Runs::This, operator, left, right),
            Infix::Model(operator) => match both(left, right) {
                Both::States(left, right) => self.model(operator, left, right),
                Both::Formulas(..) => Err(self.number_expected(place)),
            },
            Infix::Equivalent | Infix::Implies => Err(self.parser.unexpected()),
        }
    }

    /// Reads a prefix operator with its operand, or an operand.
    fn prefixed(&mut self) -> Checked<Formula<'text>> {
        let operator = match self.parser.kind() {
            TokenKind::Minus => UnaryOperator::Negate,
            TokenKind::Tilde => UnaryOperator::Complement,
            TokenKind::Not | TokenKind::Bang => UnaryOperator::Not,
            _ => return self.temporal_or_operand(),
        };
        let start = self.parser.span();
        self.parser.advance();
        let operand = self.nested(start, Self::prefixed)?;
        let span = start.to(operand.span);
        match operand.kind {
            FormulaKind::State(operand) if self.names.is_some() || operator == UnaryOperator::Negate => {
                self.prefix_of_state(operator, span, operand).map(state)
            }
            _ if operator == UnaryOperator::Negate => Err(self.number_expected(start)),
            kind => {
                let depth = 1 + operand.depth;
                let kind = FormulaKind::Not(Box::new(Formula { kind, ..operand }));
                self.shallow(Formula { kind, span, depth })
            }
        }
    }

    fn temporal_or_operand(&mut self) -> Checked<Formula<'text>> {
        if let Some(prefixes) = self.prefixes_at(self.parser.next) {
            return self.prefix(&prefixes);
        }
        if let Some(runs) = self.quantifier_at(self.parser.next) {
            return self.quantified(runs);
        }
        self.operand()
    }

    /// Reads temporal operators, which are one word or sign, and their operand.
    fn prefix(&mut self, prefixes: &[Prefix]) -> Checked<Formula<'text>> {
        let start = self.parser.span();
        let is_quantified = prefixes.iter().any(|prefix| prefix.runs != Runs::This);
        match self.logic {
            Logic::Linear if is_quantified => return Err(self.quantifier_in_linear_time(start)),
            Logic::Branching if !is_quantified => return Err(self.missing_quantifier(start)),
            _ => {}
        }
        self.parser.advance();
        let takes_all = |prefix: &Prefix| {
            matches!(
                (prefix.runs, prefix.operator),
                (Runs::Some, UnaryTemporal::Finally) | (Runs::Every, UnaryTemporal::Globally)
            )
        };
        let reach = if prefixes.iter().all(takes_all) { self.reach } else { Reach::Comparison };
        self.prefix_of(start, prefixes, reach)
    }

    /// Reads the operand of `prefixes`, which began at `start`, and applies them.
    fn prefix_of(&mut self, start: Span, prefixes: &[Prefix], reach: Reach) -> Checked<Formula<'text>> {
        let weakest = if reach == Reach::Everything { EQUIVALENT } else { UNTIL + 1 };
        let mut formula = self.nested(start, |reader| reader.binary(weakest))?;
        for prefix in prefixes.iter().rev() {
            let (span, depth) = (start.to(formula.span), 1 + formula.depth);
            let (runs, operator, operand) = (prefix.runs, prefix.operator, Box::new(formula));
            let kind = FormulaKind::Unary { runs, operator, operand };
            formula = self.shallow(Formula { kind, span, depth })?;
        }
        Ok(formula)
    }

    /// `quantified = ( "E" | "A" ) ( temporal-prefix comparison | "[" path "]" | "(" path ")" )`
    fn quantified(&mut self, runs: Runs) -> Checked<Formula<'text>> {
        let start = self.parser.span();
        if self.logic == Logic::Linear {
            return Err(self.quantifier_in_linear_time(start));
        }
        self.parser.advance();
        if let Some(operator) = self.bare_operator() {
            self.parser.advance();
            return self.prefix_of(start, &[Prefix { runs, operator }], Reach::Comparison);
        }
        let open = self.parser.span();
        let close = match self.parser.kind() {
            TokenKind::OpenBracket => TokenKind::CloseBracket,
            TokenKind::OpenParenthesis => TokenKind::CloseParenthesis,
            _ if self.prefixes_at(self.parser.next).is_some() => return Err(self.missing_quantifier(open)),
            _ => return Err(self.quantifier_alone(start)),
        };
        self.parser.advance();
        let path = self.nested(start, |reader| reader.path(runs, start))?;
        let end = self.close(open, close)?;
        Ok(Formula { span: start.to(end), ..path })
    }

    /// `path = formula ( "U" | "R" | "W" | "M" ) formula | temporal-prefix comparison`
    fn path(&mut self, runs: Runs, quantifier: Span) -> Checked<Formula<'text>> {
        if let Some(operator) = self.bare_operator() {
            self.parser.advance();
            return self.prefix_of(quantifier, &[Prefix { runs, operator }], Reach::Comparison);
        }
        let left = self.binary(EQUIVALENT)?;
        let Some(Between::Temporal(operator)) = self.word().and_then(between) else {
            let is_closed = matches!(
                self.parser.kind(),
                TokenKind::CloseBracket | TokenKind::CloseParenthesis | TokenKind::End
            );
            return Err(if is_closed { self.quantifier_alone(quantifier) } else { self.misplaced() });
        };
        let place = self.parser.span();
        self.parser.advance();
        let right = self.nested(place, |reader| reader.binary(EQUIVALENT))?;
        self.temporal(runs, operator, left, right)
    }

    /// The single operator without a quantifier at the current token.
    fn bare_operator(&self) -> Option<UnaryTemporal> {
        match self.prefixes_at(self.parser.next)?.as_slice() {
            [Prefix { runs: Runs::This, operator }] => Some(*operator),
            _ => None,
        }
    }

    /// The word at the current token.
    pub(super) fn word(&self) -> Option<&'text str> {
        self.word_at(self.parser.next)
    }

    fn word_at(&self, place: usize) -> Option<&'text str> {
        let token = self.parser.tokens.get(place).filter(|token| token.kind == TokenKind::Word)?;
        Some(self.parser.spelling(token.span))
    }

    /// The temporal operators that the token at this place means.
    fn prefixes_at(&self, place: usize) -> Option<Vec<Prefix>> {
        let one = |operator| Some(vec![Prefix { runs: Runs::This, operator }]);
        match self.parser.kind_at(place) {
            TokenKind::Always => return one(UnaryTemporal::Globally),
            TokenKind::Eventually => return one(UnaryTemporal::Finally),
            _ => {}
        }
        let word = self.word_at(place)?;
        let found = prefixes(word)?;
        // A name of the model is an operator only where it cannot be a name.
        (!self.is_known(word) || self.starts_operand(place + 1)).then_some(found)
    }

    /// The path quantifier at this place, if a path formula follows.
    fn quantifier_at(&self, place: usize) -> Option<Runs> {
        let word = self.word_at(place)?;
        let runs = quantifier(word.as_bytes())?;
        let is_one = match self.parser.kind_at(place + 1) {
            TokenKind::OpenBracket => !self.is_known(word) || self.has_path(place + 1),
            _ => self.starts_operand(place + 1),
        };
        is_one.then_some(runs)
    }

    /// Whether a word like `U` is directly inside the bracket that opens here.
    fn has_path(&self, open: usize) -> bool {
        let mut depth = 0_usize;
        for place in open..self.parser.tokens.len() {
            match self.parser.kind_at(place) {
                TokenKind::OpenBracket | TokenKind::OpenParenthesis => depth += 1,
                TokenKind::CloseBracket | TokenKind::CloseParenthesis => depth = depth.saturating_sub(1),
                TokenKind::Word if depth == 1 && self.word_at(place).and_then(between).is_some() => {
                    return true;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        false
    }

    /// Whether the token starts an operand and cannot follow a name.
    fn starts_operand(&self, place: usize) -> bool {
        match self.parser.kind_at(place) {
            TokenKind::Word => {
                let word = self.word_at(place).unwrap_or_default();
                between(word).is_none() || self.is_known(word)
            }
            kind => matches!(
                kind,
                TokenKind::Number(_)
                    | TokenKind::Quoted
                    | TokenKind::OpenParenthesis
                    | TokenKind::Bang
                    | TokenKind::Not
                    | TokenKind::Tilde
                    | TokenKind::True
                    | TokenKind::False
                    | TokenKind::Always
                    | TokenKind::Eventually
            ),
        }
    }

    /// Reads a formula in parentheses, or an operand of the model.
    fn operand(&mut self) -> Checked<Formula<'text>> {
        let span = self.parser.span();
        match self.parser.kind() {
            TokenKind::OpenParenthesis => {
                self.parser.advance();
                let inner = self.nested(span, |reader| reader.binary(EQUIVALENT))?;
                let end = self.close(span, TokenKind::CloseParenthesis)?;
                let span = span.to(end);
                Ok(match inner.kind {
                    FormulaKind::State(inner) => state(Expression { span, ..inner }),
                    kind => Formula { kind, span, ..inner },
                })
            }
            TokenKind::Quoted => {
                let inside = Span { start: span.start + 1, end: span.end - 1 };
                if self.is_variable(self.parser.spelling(inside)) {
                    return Ok(state(self.parser.quoted_name()));
                }
                self.parser.advance();
                let expression =
                    expression_at(self.parser.text, inside, self.parser.syntax, self.parser.diagnostics)?;
                Ok(state(Expression { span, ..expression }))
            }
            TokenKind::Number(_) | TokenKind::True | TokenKind::False => self.parser.operand().map(state),
            TokenKind::Word if !self.lacks_operand_before() => self.named().map(state),
            _ => Err(self.missing_operand()),
        }
    }

    /// Whether the current word is an infix operator whose left operand is missing.
    fn lacks_operand_before(&self) -> bool {
        let is_between = self.word().is_some_and(|word| between(word).is_some() && !self.is_known(word));
        is_between && self.starts_operand(self.parser.next + 1)
    }

    fn named(&mut self) -> Checked<Expression<'text>> {
        let is_before_arrow = self.parser.kind_at(self.parser.next + 1) == TokenKind::Arrow;
        if !is_before_arrow || self.reads_variable() {
            return self.parser.named();
        }
        let name: Name<'text> = self.parser.name()?;
        Ok(Expression { kind: ExpressionKind::Variable { name, index: None }, span: name.span, depth: 1 })
    }

    /// Whether the arrow after this name reads a variable of a process.
    fn reads_variable(&self) -> bool {
        let (Some(names), Some(name)) = (self.names, self.word()) else { return false };
        let Some(owned) = self.word_at(self.parser.next + 2) else { return false };
        match names.processes.get(name) {
            Some(process) => process.symbols.contains_key(owned) || !names.globals.contains_key(name),
            // A misspelt process, if another process has the variable.
            None => {
                let mut processes = names.processes.values();
                !self.is_known(name)
                    && !self.is_known(owned)
                    && processes.any(|process| process.symbols.contains_key(owned))
            }
        }
    }

    /// Reads a part inside an operator or a parenthesis that was opened at `start`.
    pub(super) fn nested<T>(
        &mut self,
        start: Span,
        inner: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        if self.parser.nesting >= DEEPEST {
            return Err(self.too_deep(start));
        }
        self.parser.nesting += 1;
        let read = inner(self);
        self.parser.nesting -= 1;
        read
    }

    /// Returns the formula, unless it is too deep.
    pub(super) fn shallow(&mut self, formula: Formula<'text>) -> Checked<Formula<'text>> {
        if formula.depth > DEEPEST { Err(self.too_deep(formula.span)) } else { Ok(formula) }
    }

    /// Takes the closing token of what was opened at `open`.
    fn close(&mut self, open: Span, close: TokenKind) -> Checked<Span> {
        let span = self.parser.span();
        if self.parser.eat(close) {
            return Ok(span);
        }
        if self.parser.kind() != TokenKind::End {
            return Err(self.misplaced());
        }
        let message = format!("{} is missing at the end", close.describe());
        let error = Diagnostic::error(codes::UNBALANCED, open, message, "opened here, never closed");
        Err(self.parser.diagnostics.report(error.help("close it, or remove it")))
    }
}
