//! The Büchi automata of LoLA.
//!
//! ```text
//! buechi {
//! start:
//!     p = 0 => taken
//!     TRUE  => start,
//! taken:
//!     p = 0 => taken
//! }
//! accept { taken };
//! ```
//!
//! The first state is initial. Conditions are those of [tasks](super::formula), without temporal
//! operators. The condition of a step is evaluated in the marking that the step leaves, as in all
//! other automata. Braces do not enclose comments here.

use std::collections::HashMap;

use model::guarded_commands::{Expression, Span};

use super::formula::{Reader, words};
use super::tokens::{Braces, Token};
use crate::automata::{AutomatonFormat, AutomatonWithPropositions, Growing, Label};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::petri::contest::tree::Tree;
use crate::petri::net::Net;
use crate::question::proposition::Propositions;
use crate::spelling::did_you_mean;

/// Advice on how an automaton is written.
const AUTOMATON: &str = "an automaton is `buechi { s: p > 0 => t, t: TRUE => t } accept { t };`";

/// A step as written.
struct Step<'text> {
    from: usize,
    condition: Expression,
    condition_text: String,
    span: Span,
    to: Token<'text>,
}

/// Reads an automaton.
pub(crate) fn automaton(text: &str, net: &Net) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let words = words(text, Braces::Lists, net, &mut diagnostics);
    let mut reader = Reader { words, nesting: 0, net, help: AUTOMATON, diagnostics: &mut diagnostics };
    let automaton = reader.automaton();
    diagnostics.check(automaton)
}

impl<'text> Reader<'text, '_> {
    /// `automaton = "buechi" "{" state { "," state } [ "," ] "}" "accept" "{" [ name { "," name } ]
    /// "}" [ ";" ]`
    fn automaton(&mut self) -> Checked<AutomatonWithPropositions> {
        self.sign("buechi")?;
        self.sign("{")?;
        let (mut states, mut steps) = (Vec::new(), Vec::new());
        while !self.words.eat(&["}"]) {
            self.state(&mut states, &mut steps)?;
            if !self.words.eat(&[","]) && !self.words.at("}") {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        if states.is_empty() {
            return Err(self.unexpected("a state"));
        }
        self.sign("accept")?;
        self.sign("{")?;
        let mut accepting = Vec::new();
        while !self.words.eat(&["}"]) {
            accepting.push(self.state_name()?);
            if !self.words.eat(&[","]) && !self.words.at("}") {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        self.words.eat(&[";"]);
        if !self.words.at("") {
            return Err(self.unexpected("the end of the automaton"));
        }
        self.assembled(&states, steps, &accepting)
    }

    /// `state = name ":" { condition "=>" name }`
    fn state(&mut self, states: &mut Vec<Token<'text>>, steps: &mut Vec<Step<'text>>) -> Checked<()> {
        let name = self.state_name()?;
        if states.iter().any(|state| state.text == name.text) {
            let message = format!("two states are called `{}`", name.text);
            let error = Diagnostic::error(codes::DECLARED_TWICE, name.span, message, "the second one");
            return Err(self.diagnostics.report(error.help("give each state a name of its own")));
        }
        let from = states.len();
        states.push(name);
        self.sign(":")?;
        while !matches!(self.words.token().text, "," | "}" | "") {
            let start = self.words.token().span;
            let tree = self.formula()?;
            let span = start.to(self.words.last().span);
            let Tree::State(state) = tree else {
                let message = "the condition of a step must be about one marking";
                let error =
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, span, message, "has a temporal operator");
                return Err(self
                    .diagnostics
                    .report(error.help("express later markings by states of the automaton")));
            };
            self.sign("=>")?;
            let to = self.state_name()?;
            steps.push(Step { from, condition: state.expression, condition_text: state.text, span, to });
        }
        Ok(())
    }

    fn assembled(
        &mut self,
        states: &[Token<'text>],
        steps: Vec<Step<'text>>,
        accepting: &[Token<'text>],
    ) -> Checked<AutomatonWithPropositions> {
        let numbers: HashMap<&str, usize> =
            (0..).zip(states).map(|(number, state)| (state.text, number)).collect();
        let mut is_accepting = vec![false; states.len()];
        for name in accepting {
            is_accepting[self.numbered(&numbers, *name)?] = true;
        }
        let mut growing = Growing::with_sets(1);
        for (number, state) in states.iter().enumerate() {
            growing.state(number, state.span, self.diagnostics)?;
        }
        let mut propositions = Propositions::default();
        for Step { from, condition, condition_text, span, to } in steps {
            let target = self.numbered(&numbers, to)?;
            let literal = propositions.literal(&condition_text, condition, span, self.diagnostics)?;
            let ends = (from as u32, target as u32);
            let accepts = u32::from(is_accepting[from]);
            growing.edge(ends, &Label::Literal(literal), accepts, span, self.diagnostics)?;
        }
        growing.automaton.initial = vec![0];
        let states = states.iter().map(|state| state.text.to_owned()).collect();
        let propositions = propositions.into_list();
        let (format, automaton) = (AutomatonFormat::Lola, growing.automaton);
        Ok(AutomatonWithPropositions { format, automaton, states, propositions, warnings: Vec::new() })
    }

    fn numbered(&mut self, numbers: &HashMap<&str, usize>, name: Token<'text>) -> Checked<usize> {
        if let Some(number) = numbers.get(name.text) {
            return Ok(*number);
        }
        let message = format!("the automaton has no state `{}`", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_STATE, name.span, message, "unknown state");
        let mut known: Vec<&str> = numbers.keys().copied().collect();
        known.sort_unstable();
        let help = did_you_mean(name.text, known).unwrap_or_else(|| format!("add `{}: …`", name.text));
        Err(self.diagnostics.report(error.help(help)))
    }

    fn state_name(&mut self) -> Checked<Token<'text>> {
        let token = self.words.token();
        if matches!(token.text, "" | "," | ";" | ":" | "(" | ")" | "{" | "}") {
            return Err(self.unexpected("the name of a state"));
        }
        self.words.advance();
        Ok(token)
    }

    fn sign(&mut self, text: &str) -> Checked<()> {
        if self.words.eat(&[text]) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::lola;

    fn read(text: &str) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
        let net = "PLACE p, q; MARKING q; TRANSITION t CONSUME q; PRODUCE p;";
        automaton(text, &lola::net(net).unwrap())
    }

    #[test]
    fn an_automaton_is_read() {
        let text = "buechi { /* by hand */ a: p=1=>b (q > 0 AND FIREABLE(t)) => a TRUE => a, b: p = 1 => b, }\naccept { b };";
        let read = read(text).unwrap();
        assert_eq!(read.states, ["a", "b"]);
        assert_eq!(read.propositions.len(), 2);
        let edges = &read.automaton.states;
        assert_eq!(edges[0].iter().map(|edge| edge.target).collect::<Vec<_>>(), [1, 0, 0]);
        assert!(edges[0].iter().all(|edge| edge.accepting == 0) && edges[1][0].accepting == 1);
        assert_eq!((edges[0][0].label.holds, edges[0][1].label.holds, edges[0][2].label.holds), (1, 2, 0));
        assert_eq!(read.automaton.initial, [0]);
    }

    #[test]
    fn nothing_may_be_accepted() {
        assert_eq!(read("buechi { good: TRUE => good } accept { }").unwrap().states, ["good"]);
    }

    #[test]
    fn mistakes_are_reported() {
        let code = |text: &str| read(text).unwrap_err()[0].code;
        assert_eq!(code("buechi { }"), codes::UNEXPECTED_TOKEN);
        assert_eq!(code("buechi { a: p = 1 => b } accept { a }"), codes::UNKNOWN_STATE);
        assert_eq!(code("buechi { a: TRUE => a } accept { b }"), codes::UNKNOWN_STATE);
        assert_eq!(code("buechi { a: TRUE => a, a: TRUE => a } accept { a }"), codes::DECLARED_TWICE);
        assert_eq!(code("buechi { a: EF p = 1 => a } accept { a }"), codes::UNEXPECTED_TOKEN);
        assert_eq!(code("buechi { a: r = 1 => a } accept { a }"), codes::UNKNOWN_NODE);
        assert_eq!(code("buechi { a: p = 1 a } accept { a }"), codes::UNEXPECTED_TOKEN);
        assert_eq!(code("buechi { a: TRUE => a } accept { a } b"), codes::UNEXPECTED_TOKEN);
    }
}
