//! Service automata: the sequences of visible events that a model may show.
//!
//! Two notations are read. In the first, which is meant for people, each line makes one statement,
//! in any order:
//!
//! ```text
//! # a message is delivered once
//! initial idle
//! final idle
//! idle -> busy : send
//! busy -> idle : receive message
//! busy -> busy
//! ```
//!
//! The text after the colon is the event; `epsilon`, or no colon at all, means a step without a
//! visible event. A state exists as soon as it is named. Comments extend from `#` or `//` to the
//! end of the line. Without `final`, every state is final.
//!
//! The second notation is that of the automata of the thesis of 2017, with events instead of
//! labels. The first line is the initial state, the second the final ones, and each other line is
//! `state event successor event successor …`. There `*` is a step without a visible event, as in
//! state spaces. A text with an arrow, or with the word `initial` at the start of a line, is in the
//! first notation.

use std::collections::BTreeMap;

use model::guarded_commands::Span;

use crate::automata::LARGEST_TEXT;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported, too_long};
use crate::spelling::did_you_mean;
use crate::state_space::INTERNAL;

/// The word for a step without a visible event.
const EPSILON: &str = "epsilon";

/// A safety automaton over events, as in its file.
///
/// ```
/// use languages::ServiceText;
///
/// let service = ServiceText::read("initial a\nfinal a\na -> b : send\nb -> a : receive\nb -> b\n").expect("an automaton");
/// assert_eq!(service.states, ["a", "b"]);
/// assert_eq!(service.transitions[0].event.as_deref(), Some("send"));
/// assert_eq!(service.transitions[2].event, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceText {
    /// The names of its states.
    pub states: Vec<String>,
    /// The number of the initial state.
    pub initial: usize,
    /// The numbers of the final states, in order.
    pub finals: Vec<usize>,
    /// The steps, in the order of the text.
    pub transitions: Vec<ServiceTransition>,
}

/// A step of a service automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceTransition {
    /// Number of the source state.
    pub from: usize,
    /// The event; none if the step is internal.
    pub event: Option<String>,
    /// Number of the target state.
    pub to: usize,
    /// The place of the step.
    pub span: Span,
}

impl ServiceText {
    /// Reads a service automaton.
    ///
    /// # Errors
    /// What is wrong with the text, at most twenty findings in the order of the text.
    pub fn read(text: &str) -> Result<Self, Vec<Diagnostic>> {
        if text.len() > LARGEST_TEXT {
            return Err(vec![too_long("the automaton", text, LARGEST_TEXT)]);
        }
        let lines: Vec<Line<'_>> = lines(text).collect();
        let has_words = lines.iter().any(|line| line.parts().0 == "initial" || line.code().contains("->"));
        let mut diagnostics = Diagnostics::default();
        let mut reader =
            Reader { numbers: BTreeMap::new(), names: Vec::new(), diagnostics: &mut diagnostics };
        let read = if has_words { reader.by_words(text, &lines) } else { reader.by_columns(text, &lines) };
        diagnostics.check(read)
    }
}

/// A line and its offset.
#[derive(Clone, Copy)]
struct Line<'text> {
    text: &'text str,
    start: usize,
}

impl<'text> Line<'text> {
    /// The line without its comment and surrounding space.
    fn code(self) -> &'text str {
        let comment = self.text.find('#').into_iter().chain(self.text.find("//")).min();
        self.text[..comment.unwrap_or(self.text.len())].trim()
    }

    /// The first word, and the rest.
    fn parts(self) -> (&'text str, &'text str) {
        let code = self.code();
        code.split_once(char::is_whitespace).map_or((code, ""), |(word, rest)| (word, rest.trim_start()))
    }

    /// The span of a part of this line.
    fn place(self, part: &str) -> Span {
        // Parts are slices of the line.
        let offset =
            (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        let start = self.start + offset;
        Span::new(start, start + part.len())
    }
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut start = mark;
    text[mark..].split_inclusive('\n').map(move |line| {
        let found = Line { text: line, start };
        start += line.len();
        found
    })
}

struct Reader<'text, 'run> {
    numbers: BTreeMap<&'text str, usize>,
    names: Vec<String>,
    diagnostics: &'run mut Diagnostics,
}

impl<'text> Reader<'text, '_> {
    fn by_words(&mut self, text: &str, lines: &[Line<'text>]) -> Checked<ServiceText> {
        let (mut initial, mut finals, mut transitions) = (None, None, Vec::new());
        for line in lines.iter().filter(|line| !line.code().is_empty()) {
            match line.parts() {
                // The last arm is tested first: a state may be called `initial`.
                _ if line.code().contains("->") => {
                    if let Ok(transition) = self.transition(*line) {
                        transitions.push(transition);
                    }
                }
                ("initial", states) => self.initial(*line, states, &mut initial),
                ("final", states) => {
                    let named = states.split_whitespace().map(|state| (state, line.place(state)));
                    finals.get_or_insert_with(Vec::new).extend(named);
                }
                _ => drop(self.bad_line(*line, "this line says nothing about a state or a step")),
            }
        }
        let Some(initial) = initial else {
            let message = "there is no initial state";
            let end = Span::new(text.len(), text.len());
            let error = Diagnostic::error(codes::NO_STATES, end, message, "expected `initial STATE`");
            return Err(self.diagnostics.report(error.help("write a line `initial STATE`")));
        };
        let initial = self.number(initial);
        let finals = match finals {
            Some(finals) => {
                let known: Vec<Checked<usize>> =
                    finals.into_iter().map(|(name, span)| self.known(name, span)).collect();
                known.into_iter().collect::<Checked<Vec<usize>>>()?
            }
            None => (0..self.names.len()).collect(),
        };
        Ok(self.service(initial, finals, transitions))
    }

    fn initial(&mut self, line: Line<'text>, states: &'text str, initial: &mut Option<&'text str>) {
        let mut states = states.split_whitespace();
        let (Some(state), None) = (states.next(), states.next()) else {
            self.bad_line(line, "an automaton has one initial state");
            return;
        };
        if initial.is_some() {
            self.bad_line(line, "a second initial state");
            return;
        }
        *initial = Some(state);
    }

    /// `transition = state "->" state [ ":" event ]`
    fn transition(&mut self, line: Line<'text>) -> Checked<ServiceTransition> {
        let code = line.code();
        let (step, event) = match code.split_once(':') {
            // A colon before the arrow does not start an event.
            Some((step, event)) if step.contains("->") => (step, Some(event.trim())),
            _ => (code, None),
        };
        let Some((from, to)) = step.split_once("->") else {
            return Err(self.bad_line(line, "a step has an arrow before its colon"));
        };
        let (from, to) = (from.trim(), to.trim());
        let is_name =
            |name: &str| !name.is_empty() && !name.contains(char::is_whitespace) && !name.contains("->");
        if !is_name(from) || !is_name(to) {
            return Err(self.bad_line(line, "a step leads from one state to one state"));
        }
        if event == Some("") {
            return Err(self.bad_line(line, "there is no event after the colon"));
        }
        let event = event.filter(|event| *event != EPSILON).map(str::to_owned);
        Ok(ServiceTransition { from: self.number(from), event, to: self.number(to), span: line.place(code) })
    }

    fn by_columns(&mut self, text: &str, lines: &[Line<'text>]) -> Checked<ServiceText> {
        let mut rest = lines.iter().skip_while(|line| line.code().is_empty());
        let (Some(initial), finals) = (rest.next(), rest.next()) else {
            let end = Span::new(text.len(), text.len());
            let error =
                Diagnostic::error(codes::NO_STATES, end, "the automaton is empty", "expected a state");
            let help = "write lines like `initial a`, `final a b` and `a -> b : event`";
            return Err(self.diagnostics.report(error.help(help)));
        };
        let rows: Vec<&Line<'text>> = rest.filter(|line| !line.code().is_empty()).collect();
        for line in &rows {
            let (state, _) = line.parts();
            if self.numbers.contains_key(state) {
                let message = format!("a second line for state `{}`", shown(state));
                let error =
                    Diagnostic::error(codes::DECLARED_TWICE, line.place(state), message, "the name is taken");
                self.diagnostics.report(error.help("give each state one line with all its successors"));
            }
            self.number(state);
        }
        let initial = match initial.parts() {
            (state, "") => self.known(state, initial.place(state)),
            _ => Err(self.bad_line(*initial, "an automaton has one initial state")),
        };
        let finals = finals.map_or_else(Vec::new, |line| {
            line.code().split_whitespace().map(|state| self.known(state, line.place(state))).collect()
        });
        let steps: Vec<Checked<Vec<ServiceTransition>>> = rows.iter().map(|line| self.row(**line)).collect();
        let steps = steps.into_iter().collect::<Checked<Vec<_>>>();
        let finals = finals.into_iter().collect::<Checked<Vec<usize>>>();
        Ok(self.service(initial?, finals?, steps?.into_iter().flatten().collect()))
    }

    /// `row = state { event successor }`
    fn row(&mut self, line: Line<'text>) -> Checked<Vec<ServiceTransition>> {
        let (state, _) = line.parts();
        let from = self.number(state);
        let mut words = line.code().split_whitespace().skip(1);
        let mut transitions = Vec::new();
        while let Some(event) = words.next() {
            let span = line.place(event);
            let Some(target) = words.next() else {
                let message = format!("the event `{}` has no successor", shown(event));
                let error = Diagnostic::error(codes::INCOMPLETE_ARC, span, message, "leads to no state");
                return Err(self.diagnostics.report(error.help("events and successors alternate")));
            };
            let to = self.known(target, line.place(target))?;
            let event = (event != INTERNAL).then(|| event.to_owned());
            transitions.push(ServiceTransition { from, event, to, span: span.to(line.place(target)) });
        }
        Ok(transitions)
    }

    fn service(
        &mut self,
        initial: usize,
        mut finals: Vec<usize>,
        transitions: Vec<ServiceTransition>,
    ) -> ServiceText {
        finals.sort_unstable();
        finals.dedup();
        ServiceText { states: std::mem::take(&mut self.names), initial, finals, transitions }
    }

    /// The number of a state, which is created if it is new.
    fn number(&mut self, name: &'text str) -> usize {
        let names = &mut self.names;
        *self.numbers.entry(name).or_insert_with(|| {
            names.push(name.to_owned());
            names.len() - 1
        })
    }

    /// The number of a state that must exist.
    fn known(&mut self, name: &str, span: Span) -> Checked<usize> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        let message = format!("there is no state `{}`", shown(name));
        let error = Diagnostic::error(codes::UNKNOWN_STATE, span, message, "unknown state");
        let help = did_you_mean(name, self.numbers.keys().copied());
        let help = help.unwrap_or_else(|| "a state exists if a step leads from it or to it".to_owned());
        Err(self.diagnostics.report(error.help(help)))
    }

    fn bad_line(&mut self, line: Line<'_>, message: &str) -> Reported {
        let error =
            Diagnostic::error(codes::BAD_SERVICE_LINE, line.place(line.code()), message, "cannot be read");
        let help = "lines are `initial a`, `final a b`, `a -> b : event`, or `a -> b` for an internal step";
        self.diagnostics.report(error.help(help))
    }
}

/// A word, cut to a length that a message can show.
fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}
