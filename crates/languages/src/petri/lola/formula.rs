//! The tasks of LoLA: `FORMULA …` and `ANALYSE …`.
//!
//! A formula has `AND OR XOR NOT -> <->`, comparisons of sums of places, `FIREABLE(t)`, `DEADLOCK`,
//! `INITIAL`, `TRUE` and `FALSE`. The quantifiers are `ALLPATH` or `A` and `EXPATH` or `E`.
//! Temporal operators are `ALWAYS` or `G`, `EVENTUALLY` or `F`, `NEXTSTATE`, `NEXTSTEP` or `X`, and
//! between two formulas `UNTIL` or `U`, `RELEASE` or `R`. Prefix operators bind tightest, then
//! `UNTIL` and `RELEASE`, *and*, *or*, *implies*. A formula without any temporal operator asks
//! whether a marking that satisfies it is reachable, as the tasks of LoLA 1 do.
//!
//! Names may contain signs of operators (`p-1`, `t.[x=2]`): a text between blanks is a name if the
//! net has it, and is split otherwise.

use model::guarded_commands::{BinaryOperator, CellId, Expression, Span};

use super::tokens::{Braces, Cursor, Token, tokens};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::lowering::fold;
use crate::petri::contest::tree::{State, Tree, connected, negated, quantified};
use crate::petri::contest::{ContestQuestion, logic};
use crate::petri::lower::enabled;
use crate::petri::net::Net;
use crate::spelling::did_you_mean;

/// Levels of the deepest formula.
const DEEPEST: usize = 256;

/// Signs, longer ones first.
const OPERATORS: [(&str, Sign); 15] = [
    ("<->", Sign::Equivalent),
    ("->", Sign::Implies),
    ("<=", Sign::Compare(BinaryOperator::LessOrEqual)),
    (">=", Sign::Compare(BinaryOperator::GreaterOrEqual)),
    ("!=", Sign::Compare(BinaryOperator::NotEqual)),
    ("<>", Sign::Compare(BinaryOperator::NotEqual)),
    ("=>", Sign::LeadsTo),
    ("==", Sign::Compare(BinaryOperator::Equal)),
    ("=", Sign::Compare(BinaryOperator::Equal)),
    ("#", Sign::Compare(BinaryOperator::NotEqual)),
    ("<", Sign::Compare(BinaryOperator::Less)),
    (">", Sign::Compare(BinaryOperator::Greater)),
    ("+", Sign::Arithmetic(BinaryOperator::Add)),
    ("-", Sign::Arithmetic(BinaryOperator::Subtract)),
    ("*", Sign::Arithmetic(BinaryOperator::Multiply)),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    Equivalent,
    Implies,
    /// In automata, between a condition and a state.
    LeadsTo,
    Compare(BinaryOperator),
    Arithmetic(BinaryOperator),
}

/// Reads a task.
pub(super) fn task(text: &str, net: &Net) -> Result<ContestQuestion, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let words = words(text, Braces::Comments, net, &mut diagnostics);
    let mut reader = Reader { words, nesting: 0, net, help: TASK, diagnostics: &mut diagnostics };
    let question = reader.task();
    diagnostics.check(question)
}

/// Advice on how a task is written.
const TASK: &str = "a task is `FORMULA EXPATH EVENTUALLY (p > 0 AND q = 1)`";

/// The words of a text about a net.
pub(super) fn words<'text>(
    text: &'text str,
    braces: Braces,
    net: &Net,
    diagnostics: &mut Diagnostics,
) -> Cursor<'text> {
    let words = tokens(text, braces, diagnostics);
    Cursor::new(words.iter().flat_map(|word| taken_apart(*word, net)).collect())
}

/// Splits a word that is no name at the signs inside it.
fn taken_apart<'text>(word: Token<'text>, net: &Net) -> Vec<Token<'text>> {
    let is_name = |text: &str| net.places_named(text).is_some() || net.transitions_named(text).is_some();
    let mut parts = Vec::new();
    let mut rest = word;
    while !rest.text.is_empty() && !is_name(rest.text) {
        // The longest name or number before a sign.
        let signs = rest.text.char_indices().rev().filter_map(|(at, _)| {
            let sign = OPERATORS.iter().find(|(sign, _)| rest.text[at..].starts_with(sign))?;
            let before = &rest.text[..at];
            let is_whole =
                before.is_empty() || is_name(before) || before.bytes().all(|one| one.is_ascii_digit());
            is_whole.then_some((at, sign.0.len()))
        });
        let Some((at, length)) = signs.max() else { break };
        let cut = |from: usize, to: usize| Token {
            text: &rest.text[from..to],
            span: Span::new(rest.span.start as usize + from, rest.span.start as usize + to),
        };
        parts.extend((at > 0).then(|| cut(0, at)));
        parts.push(cut(at, at + length));
        rest = cut(at + length, rest.text.len());
    }
    // The end of the text is an empty word, which is kept.
    if !rest.text.is_empty() || parts.is_empty() {
        parts.push(rest);
    }
    parts
}

pub(super) struct Reader<'text, 'run> {
    pub(super) words: Cursor<'text>,
    pub(super) nesting: usize,
    pub(super) net: &'run Net,
    /// Advice on what to write instead of an unexpected word.
    pub(super) help: &'static str,
    pub(super) diagnostics: &'run mut Diagnostics,
}

/// An operand: a formula over paths and states, or a number.
enum Operand {
    Formula(Tree),
    Number(Expression, String),
}

impl<'text> Reader<'text, '_> {
    fn task(&mut self) -> Checked<ContestQuestion> {
        if self.words.eat(&["ANALYSE", "ANALYZE"]) {
            return self.analysis();
        }
        self.words.eat(&["FORMULA"]);
        let start = self.words.token().span;
        let tree = self.formula()?;
        self.words.eat(&[";"]);
        if !self.words.at("") {
            return Err(self.unexpected("the end of the formula"));
        }
        if let Tree::State(state) = tree {
            return Ok(match state.is_deadlock {
                true => ContestQuestion::Deadlock,
                false => ContestQuestion::Reachable(state.expression),
            });
        }
        logic::question(&tree, None, self.net.has_fair_transitions(), start, self.diagnostics)
    }

    /// `ANALYSE PLACE p`, `ANALYSE TRANSITION t` or `ANALYSE MARKING p: 1, q: 2`
    fn analysis(&mut self) -> Checked<ContestQuestion> {
        if self.words.eat(&["PLACE"]) {
            return Ok(ContestQuestion::Bound(self.place()?.0));
        }
        if self.words.eat(&["TRANSITION"]) {
            return Ok(ContestQuestion::Reachable(self.transition()?));
        }
        if !self.words.eat(&["MARKING"]) {
            return Err(self.unexpected("`PLACE`, `TRANSITION` or `MARKING`"));
        }
        let mut counts = vec![0; self.net.places.len()];
        while !matches!(self.words.token().text, "" | ";") {
            let (Expression::Cell(CellId(place)), _) = self.place()? else {
                return Err(self.unexpected("a place"));
            };
            let count = if self.words.eat(&[":"]) { self.number()? } else { 1 };
            counts[place as usize] += i64::from(count);
            if !self.words.eat(&[","]) && !matches!(self.words.token().text, "" | ";") {
                return Err(self.unexpected("`,`"));
            }
        }
        let same = (0..).zip(counts).map(|(place, count)| Expression::cell_equals(CellId(place), count));
        let marked = fold::all(same.collect());
        Ok(ContestQuestion::Reachable(marked))
    }

    pub(super) fn formula(&mut self) -> Checked<Tree> {
        match self.implication()? {
            Operand::Formula(tree) => Ok(tree),
            Operand::Number(..) => Err(self.unexpected("a comparison")),
        }
    }

    /// Reads a part inside an operator or parenthesis.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.nesting >= DEEPEST {
            let message = format!("a formula with more than {DEEPEST} levels");
            let error = Diagnostic::error(
                codes::NESTED_TOO_DEEPLY,
                self.words.token().span,
                message,
                "nested too deeply",
            );
            return Err(self.diagnostics.report(error.help("split it into several")));
        }
        self.nesting += 1;
        let read = inner(self);
        self.nesting -= 1;
        read
    }

    fn implication(&mut self) -> Checked<Operand> {
        let left = self.connection(0)?;
        let sign = OPERATORS.iter().find(|(sign, _)| self.words.at(sign)).map(|(_, sign)| *sign);
        let span = self.words.token().span;
        match (left, sign) {
            (Operand::Formula(left), Some(Sign::Implies)) => {
                self.words.advance();
                let right = self.nested(Self::formula)?;
                Ok(Operand::Formula(connected(BinaryOperator::Or, vec![negated(left), right], span)))
            }
            (Operand::Formula(left), Some(Sign::Equivalent)) => {
                self.words.advance();
                let right = self.nested(Self::formula)?;
                Ok(Operand::Formula(equivalent(left, right, span)))
            }
            (left, _) => Ok(left),
        }
    }

    /// `OR` and `XOR`, then `AND`, then `UNTIL` and `RELEASE`.
    fn connection(&mut self, level: usize) -> Checked<Operand> {
        if level == 2 {
            return self.until();
        }
        let mut left = self.connection(level + 1)?;
        loop {
            let word = self.words.token();
            let is_here = match level {
                0 => matches!(word.text, "OR" | "XOR"),
                _ => word.text == "AND",
            };
            let tree = match left {
                Operand::Formula(tree) if is_here => tree,
                other => return Ok(other),
            };
            self.words.advance();
            let Operand::Formula(right) = self.connection(level + 1)? else {
                return Err(self.unexpected("a comparison"));
            };
            left = Operand::Formula(match word.text {
                "AND" => connected(BinaryOperator::And, vec![tree, right], word.span),
                "OR" => connected(BinaryOperator::Or, vec![tree, right], word.span),
                _ => negated(equivalent(tree, right, word.span)),
            });
        }
    }

    fn until(&mut self) -> Checked<Operand> {
        let left = self.comparison()?;
        let word = self.words.token().text;
        let left = match left {
            Operand::Formula(left) if matches!(word, "UNTIL" | "U" | "RELEASE" | "R") => left,
            other => return Ok(other),
        };
        self.words.advance();
        let Operand::Formula(right) = self.nested(Self::until)? else {
            return Err(self.unexpected("a comparison"));
        };
        Ok(Operand::Formula(match word {
            "UNTIL" | "U" => Tree::Until(Box::new(left), Box::new(right)),
            _ => negated(Tree::Until(Box::new(negated(left)), Box::new(negated(right)))),
        }))
    }

    fn comparison(&mut self) -> Checked<Operand> {
        let start = self.words.token().span;
        let (left, left_text) = match self.sum()? {
            Operand::Number(number, text) => (number, text),
            formula => return Ok(formula),
        };
        let found = OPERATORS.iter().find(|(sign, _)| self.words.at(sign));
        let Some((sign, Sign::Compare(operator))) = found else {
            return Ok(Operand::Number(left, left_text));
        };
        self.words.advance();
        let Operand::Number(right, right_text) = self.sum()? else { return Err(self.unexpected("a number")) };
        let expression = Expression::binary(*operator, left, right);
        let text = format!("{left_text} {sign} {right_text}");
        let span = start.to(self.words.last().span);
        Ok(Operand::Formula(Tree::State(State { expression, text, span, is_deadlock: false })))
    }

    fn sum(&mut self) -> Checked<Operand> {
        let mut left = self.operand()?;
        loop {
            let found = OPERATORS.iter().find(|(sign, _)| self.words.at(sign));
            let (number, text, sign, operator) = match (left, found) {
                (Operand::Number(number, text), Some((sign, Sign::Arithmetic(operator)))) => {
                    (number, text, sign, *operator)
                }
                (other, _) => return Ok(other),
            };
            self.words.advance();
            let Operand::Number(right, right_text) = self.operand()? else {
                return Err(self.unexpected("a number"));
            };
            let sum = Expression::binary(operator, number, right);
            left = Operand::Number(sum, format!("{text} {sign} {right_text}"));
        }
    }

    fn operand(&mut self) -> Checked<Operand> {
        let token = self.words.token();
        let state = |expression, is_deadlock| {
            let (text, span) = (token.text.to_owned(), token.span);
            Ok(Operand::Formula(Tree::State(State { expression, text, span, is_deadlock })))
        };
        // A place may be named like an operator; then a comparison follows.
        let behind = self.words.ahead(1).text;
        let compared = OPERATORS.iter().any(|(sign, _)| *sign == behind);
        if compared && self.net.places_named(token.text).is_some() {
            let (place, text) = self.place()?;
            return Ok(Operand::Number(place, text));
        }
        match token.text {
            "(" => {
                self.words.advance();
                let inner = self.nested(Self::implication)?;
                if self.words.eat(&[")"]) { Ok(inner) } else { Err(self.unexpected("`)`")) }
            }
            "NOT" | "!" => {
                let tree = self.prefixed()?;
                Ok(Operand::Formula(negated(tree)))
            }
            "ALLPATH" | "A" => Ok(Operand::Formula(quantified(true, self.prefixed()?))),
            "EXPATH" | "E" => Ok(Operand::Formula(quantified(false, self.prefixed()?))),
            "AG" | "AF" | "AX" | "EG" | "EF" | "EX" => {
                let inner = Box::new(self.prefixed()?);
                let path = match &token.text[1..] {
                    "G" => Tree::Globally(inner),
                    "F" => Tree::Finally(inner),
                    _ => Tree::Next(inner),
                };
                Ok(Operand::Formula(quantified(token.text.starts_with('A'), path)))
            }
            "ALWAYS" | "G" => Ok(Operand::Formula(Tree::Globally(Box::new(self.prefixed()?)))),
            "EVENTUALLY" | "F" => Ok(Operand::Formula(Tree::Finally(Box::new(self.prefixed()?)))),
            "NEXTSTATE" | "NEXTSTEP" | "X" => Ok(Operand::Formula(Tree::Next(Box::new(self.prefixed()?)))),
            "TRUE" | "FALSE" => {
                self.words.advance();
                state(Expression::Constant(i64::from(token.text == "TRUE")), false)
            }
            "DEADLOCK" => {
                self.words.advance();
                let fires = self.net.transitions.iter().map(enabled).collect();
                let fires = fold::any(fires);
                state(fires.negated(), true)
            }
            "INITIAL" => {
                self.words.advance();
                let same = (0..).zip(&self.net.places).map(|(place, initial)| {
                    Expression::cell_equals(CellId(place), i64::from(initial.tokens))
                });
                state(fold::all(same.collect()), false)
            }
            "FIREABLE" => {
                self.words.advance();
                let opened = self.words.eat(&["("]);
                let fires = self.transition()?;
                if opened && !self.words.eat(&[")"]) {
                    return Err(self.unexpected("`)`"));
                }
                state(fires, false)
            }
            "-" => {
                self.words.advance();
                let Operand::Number(number, text) = self.nested(Self::operand)? else {
                    return Err(self.unexpected("a number"));
                };
                let negative = Expression::binary(BinaryOperator::Subtract, Expression::Constant(0), number);
                Ok(Operand::Number(negative, format!("-{text}")))
            }
            text if self.net.places_named(text).is_none() && text.parse::<u32>().is_ok() => {
                self.words.advance();
                let value = i64::from(text.parse::<u32>().unwrap_or(0));
                Ok(Operand::Number(Expression::Constant(value), text.to_owned()))
            }
            _ => {
                let (place, text) = self.place()?;
                Ok(Operand::Number(place, text))
            }
        }
    }

    /// Reads the formula after a prefix operator.
    fn prefixed(&mut self) -> Checked<Tree> {
        self.words.advance();
        match self.nested(Self::comparison)? {
            Operand::Formula(tree) => Ok(tree),
            Operand::Number(..) => Err(self.unexpected("a comparison")),
        }
    }

    fn number(&mut self) -> Checked<u32> {
        let number = self.words.token().text.parse().map_err(|_| self.unexpected("a number"))?;
        self.words.advance();
        Ok(number)
    }

    fn place(&mut self) -> Checked<(Expression, String)> {
        let token = self.words.token();
        match self.net.places_named(token.text) {
            Some([place]) => {
                self.words.advance();
                Ok((Expression::Cell(CellId(*place)), token.text.to_owned()))
            }
            _ => Err(self.unknown("place", did_you_mean(token.text, self.net.place_names()))),
        }
    }

    fn transition(&mut self) -> Checked<Expression> {
        let token = self.words.token();
        match self.net.transitions_named(token.text) {
            Some([transition]) => {
                self.words.advance();
                Ok(enabled(&self.net.transitions[*transition as usize]))
            }
            _ => Err(self.unknown("transition", did_you_mean(token.text, self.net.transition_names()))),
        }
    }

    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        self.diagnostics.report(self.words.unexpected(expected, self.help))
    }

    fn unknown(&mut self, kind: &str, help: Option<String>) -> Reported {
        let token = self.words.token();
        if matches!(token.text, "" | "(" | ")" | "," | ";" | ":") {
            return self.unexpected(&format!("the name of a {kind}"));
        }
        let message = format!("the net has no {kind} `{}`", token.text);
        let error = Diagnostic::error(codes::UNKNOWN_NODE, token.span, message, format!("unknown {kind}"));
        let help = help.unwrap_or_else(|| "is this a task for another net?".to_owned());
        self.diagnostics.report(error.help(help))
    }
}

fn equivalent(left: Tree, right: Tree, span: Span) -> Tree {
    let neither = connected(BinaryOperator::And, vec![negated(left.clone()), negated(right.clone())], span);
    let both = connected(BinaryOperator::And, vec![left, right], span);
    connected(BinaryOperator::Or, vec![both, neither], span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::lola;

    fn net() -> Net {
        lola::net("PLACE p-1, q, s.[x=2]; MARKING q; TRANSITION t CONSUME q; PRODUCE p-1;").unwrap()
    }

    fn shown(text: &str) -> String {
        match task(text, &net()).unwrap() {
            ContestQuestion::Branching(formula) => formula.text,
            ContestQuestion::EveryRun(formula) => format!("every {}", formula.text),
            ContestQuestion::NotEveryRun(formula) => format!("not every {}", formula.text),
            other => format!("{other:?}").split('(').next().unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn names_with_signs_are_names() {
        assert_eq!(shown("FORMULA ALLPATH EVENTUALLY p-1 = 1;"), "A F (p-1 = 1)");
        assert_eq!(shown("FORMULA ALLPATH EVENTUALLY p-1=1"), "A F (p-1 = 1)");
        assert_eq!(shown("FORMULA AF s.[x=2]<=q+1"), "A F (s.[x=2] <= q + 1)");
    }

    #[test]
    fn operators_bind_as_in_lola() {
        assert_eq!(shown("ALWAYS q = 0 OR EVENTUALLY q = 1"), "every (G (q = 0)) || (F (q = 1))");
        assert_eq!(shown("ALLPATH (q = 1 RELEASE q = 0)"), "!(E [(!(q = 1)) U (!(q = 0))])");
        assert_eq!(shown("EXPATH (q = 1 UNTIL FIREABLE(t))"), "E [(q = 1) U (FIREABLE)]");
    }

    #[test]
    fn what_has_no_operator_is_looked_for() {
        assert_eq!(shown("FORMULA q = 1 AND (p-1 > 0)"), "Reachable");
        assert_eq!(shown("EF DEADLOCK"), "Deadlock");
        assert_eq!(shown("AG NOT DEADLOCK"), "Invariant");
        assert_eq!(shown("ANALYSE PLACE q"), "Bound");
        assert_eq!(shown("ANALYSE TRANSITION t"), "Reachable");
        assert_eq!(shown("ANALYSE MARKING q: 2, p-1"), "Reachable");
    }

    #[test]
    fn mistakes_are_reported() {
        let code = |text: &str| task(text, &net()).unwrap_err()[0].code;
        assert_eq!(code("FORMULA r = 1"), codes::UNKNOWN_NODE);
        assert_eq!(code("FORMULA q"), codes::UNEXPECTED_TOKEN);
        assert_eq!(code(""), codes::UNEXPECTED_TOKEN);
        assert_eq!(code("FORMULA q = 1 q"), codes::UNEXPECTED_TOKEN);
        assert_eq!(code("FORMULA AG FIREABLE(u)"), codes::UNKNOWN_NODE);
        for opening in ["(", "NOT ", "- ", "q = 1 UNTIL ", "q = 1 -> "] {
            assert_eq!(code(&opening.repeat(10_000)), codes::NESTED_TOO_DEEPLY, "{opening}");
        }
    }
}
