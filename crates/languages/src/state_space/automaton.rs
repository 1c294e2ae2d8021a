//! Automata over the propositions of a state space, in the file format of the thesis of 2017
//! (section 7.4.2).
//!
//! The first line names the initial state, the second the acceptance states (it is empty if there
//! are none), and every other line is `state label successor label successor …`. A label is `true`,
//! which fits every state, or adjacent propositions, each with `!` in front if it must not hold:
//! `p!q` is "p and not q".
//!
//! Adjacent, `pq` could be one proposition or two. The propositions of the space decide: the reader
//! takes the longest one that fits. Every state needs a line, even one without labels: a name that
//! is only a successor is more likely a mistake.

use std::collections::HashMap;

use model::guarded_commands::Span;

use super::words::{Word, Words, lines, shown};
use crate::automata::LARGEST_TEXT;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported, too_long};
use crate::spelling;

/// The label that fits every state.
const ANYTHING: &str = "true";

/// A nondeterministic automaton that reads states.
///
/// ```
/// use languages::Automaton;
///
/// let propositions = ["p".to_owned(), "q".to_owned()];
/// let automaton = Automaton::read("0\n1\n0 true 0 p!q 1\n1 !q 1\n", &propositions).expect("an automaton");
/// assert_eq!(automaton.states, ["0", "1"]);
/// assert_eq!(automaton.accepting, [false, true]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The propositions of its labels.
    pub propositions: Vec<String>,
    /// The names of its states, in the order of their lines.
    pub states: Vec<String>,
    /// The number of the initial state.
    pub initial: usize,
    /// For each state, whether it is an acceptance state.
    pub accepting: Vec<bool>,
    /// For each state, the steps that leave it.
    pub transitions: Vec<Vec<Transition>>,
}

/// A step of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The propositions that the state must satisfy; empty for `true`.
    pub label: Vec<Literal>,
    /// The number of the successor.
    pub target: usize,
}

/// A proposition that must, or must not, hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The number of the proposition in [`Automaton::propositions`].
    pub proposition: usize,
    /// Whether it must hold.
    pub holds: bool,
}

impl Automaton {
    /// Reads an automaton whose labels use `propositions`.
    ///
    /// # Errors
    /// What is wrong with the text, at most twenty findings in the order of the text.
    pub fn read(text: &str, propositions: &[String]) -> Result<Self, Vec<Diagnostic>> {
        if text.len() > LARGEST_TEXT {
            return Err(vec![too_long("the automaton", text, LARGEST_TEXT)]);
        }
        let mut diagnostics = Diagnostics::default();
        let automaton =
            Reader { numbers: HashMap::new(), propositions, diagnostics: &mut diagnostics }.automaton(text);
        diagnostics.check(automaton)
    }
}

struct Reader<'text, 'run> {
    /// The states by name.
    numbers: HashMap<&'text str, usize>,
    propositions: &'run [String],
    diagnostics: &'run mut Diagnostics,
}

impl<'text> Reader<'text, '_> {
    fn automaton(&mut self, text: &'text str) -> Checked<Automaton> {
        let mut lines = lines(text).skip_while(Words::is_blank);
        let (Some(initial), accepting) = (lines.next(), lines.next()) else {
            return Err(self.empty(text));
        };
        let states = self.number_states(lines.clone());
        let initial = self.initial(initial);
        let accepting = self.accepting(accepting, states.len());
        let transitions: Vec<Checked<Vec<Transition>>> =
            lines.filter(|line| !line.is_blank()).map(|line| self.transitions(line)).collect();
        let transitions = transitions.into_iter().collect::<Checked<Vec<_>>>();
        let propositions = self.propositions.to_vec();
        Ok(Automaton {
            propositions,
            states,
            initial: initial?,
            accepting: accepting?,
            transitions: transitions?,
        })
    }

    fn empty(&mut self, text: &str) -> Reported {
        let span = Span::new(text.len(), text.len());
        let message = "the automaton is empty";
        let error = Diagnostic::error(codes::NO_STATES, span, message, "expected the initial state");
        let help = "the first line is the initial state, the second the acceptance states, \
                    then a line `state label successor…` follows for each state";
        self.diagnostics.report(error.help(help))
    }

    fn number_states(&mut self, lines: impl Iterator<Item = Words<'text>>) -> Vec<String> {
        let mut states = Vec::new();
        for mut line in lines {
            let Some(id) = line.next() else { continue };
            if self.numbers.contains_key(id.text) {
                let message = format!("a second line for state {}", shown(id.text));
                let error = Diagnostic::error(codes::DECLARED_TWICE, id.span, message, "the name is taken");
                self.diagnostics.report(error.help("give each state one line with all its successors"));
                continue;
            }
            if id.text.contains('/') {
                let message = format!("the name {} holds a `/`", shown(id.text));
                let error =
                    Diagnostic::error(codes::BAD_AUTOMATON_STATE, id.span, message, "not without it?");
                let help = "the states of a product are called `space/automaton`: use another character";
                self.diagnostics.report(error.help(help));
            }
            self.numbers.insert(id.text, states.len());
            states.push(id.text.to_owned());
        }
        states
    }

    fn initial(&mut self, mut line: Words<'text>) -> Checked<usize> {
        let state = line.next().map(|word| self.number(word));
        if let Some(second) = line.next() {
            let message = "an automaton has one initial state";
            let error = Diagnostic::error(codes::BAD_AUTOMATON_STATE, second.span, message, "a second word");
            let help = "the first line is the initial state alone, the second the acceptance states";
            return Err(self.diagnostics.report(error.help(help)));
        }
        state.unwrap_or_else(|| Err(self.empty("")))
    }

    fn accepting(&mut self, line: Option<Words<'text>>, states: usize) -> Checked<Vec<bool>> {
        let mut accepting = vec![false; states];
        for word in line.into_iter().flatten() {
            accepting[self.number(word)?] = true;
        }
        Ok(accepting)
    }

    fn number(&mut self, state: Word<'_>) -> Checked<usize> {
        if let Some(number) = self.numbers.get(state.text) {
            return Ok(*number);
        }
        let message = format!("no line defines state {}", shown(state.text));
        let error = Diagnostic::error(codes::UNKNOWN_STATE, state.span, message, "unknown state");
        let help = spelling::did_you_mean(state.text, self.numbers.keys().copied()).unwrap_or_else(|| {
            "each state has a line of its own below the first two, without labels if it has no successor"
                .to_owned()
        });
        Err(self.diagnostics.report(error.help(help)))
    }

    fn transitions(&mut self, mut line: Words<'text>) -> Checked<Vec<Transition>> {
        let mut transitions = Vec::new();
        line.next();
        while let Some(label) = line.next() {
            let Some(target) = line.next() else {
                let message = format!("the label {} has no successor", shown(label.text));
                let error =
                    Diagnostic::error(codes::INCOMPLETE_ARC, label.span, message, "leads to no state");
                return Err(self.diagnostics.report(error.help("labels and successors alternate")));
            };
            let (label, target) = (self.label(label), self.number(target));
            transitions.push(Transition { label: label?, target: target? });
        }
        Ok(transitions)
    }

    /// `label = "true" | { [ "!" ] proposition }`
    fn label(&mut self, word: Word<'_>) -> Checked<Vec<Literal>> {
        let mut literals = Vec::new();
        let mut rest = if word.text == ANYTHING { "" } else { word.text };
        while !rest.is_empty() {
            let positive = rest.strip_prefix('!');
            let (name, holds) = (positive.unwrap_or(rest), positive.is_none());
            let fitting = self.propositions.iter().enumerate().filter(|(_, known)| name.starts_with(*known));
            let Some((proposition, known)) = fitting.max_by_key(|(_, known)| known.len()) else {
                return Err(self.bad_label(word, name));
            };
            literals.push(Literal { proposition, holds });
            rest = &name[known.len()..];
        }
        Ok(literals)
    }

    /// Reports a label from the first place where no proposition fits.
    fn bad_label(&mut self, word: Word<'_>, rest: &str) -> Reported {
        let end = word.span.end as usize;
        let message = format!("the label {} has no proposition at {}", shown(word.text), shown(rest));
        let error = Diagnostic::error(
            codes::BAD_LABEL,
            Span::new(end - rest.len(), end),
            message,
            "no proposition starts here",
        );
        let known: Vec<String> = self.propositions.iter().take(12).map(|name| format!("`{name}`")).collect();
        let help = if known.is_empty() {
            "the state space has no propositions, so `true` is the only label".to_owned()
        } else {
            format!(
                "write `true`, or literals without spaces as in `p!q`; the state space has {}",
                known.join(", ")
            )
        };
        self.diagnostics.report(error.help(help))
    }
}
