//! Reading a state space, in two passes.
//!
//! A state may be defined after its use as a target. So the first pass gives every state its
//! number, and the second reads the lines. That costs a second pass over the text and avoids a list
//! of references to patch. A line is reported at its first mistake and then skipped: what follows
//! in it is usually shifted.

use std::collections::HashMap;

use model::guarded_commands::Span;

use super::words::{Word, Words, lines, shown};
use super::{Arc, LARGEST_TEXT, StateRow, StateSpace};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported, too_long};
use crate::question::tokens::is_name;
use crate::spelling::did_you_mean;

/// Reads a whole file.
pub(super) fn space(text: &str) -> Result<StateSpace, Vec<Diagnostic>> {
    if text.len() > LARGEST_TEXT {
        return Err(vec![too_long("the state space", text, LARGEST_TEXT)]);
    }
    let mut diagnostics = Diagnostics::default();
    let mut reader = Reader {
        numbers: HashMap::new(),
        propositions: None,
        actions: HashMap::new(),
        space: StateSpace::default(),
        truths: Vec::new(),
        diagnostics: &mut diagnostics,
    };
    reader.number_states(text);
    reader.read_states(text);
    let space = reader.space;
    diagnostics.check(Ok(space))
}

struct Reader<'text, 'run> {
    /// The states by name.
    numbers: HashMap<&'text str, u32>,
    /// The propositions, once a line has been read.
    propositions: Option<Vec<&'text str>>,
    actions: HashMap<&'text str, u32>,
    space: StateSpace,
    /// The truth value of each proposition in the current line.
    truths: Vec<Option<bool>>,
    diagnostics: &'run mut Diagnostics,
}

impl<'text> Reader<'text, '_> {
    fn number_states(&mut self, text: &'text str) {
        for mut line in lines(text) {
            let Some(id) = line.next() else { continue };
            let number = self.numbers.len() as u32;
            if self.numbers.contains_key(id.text) {
                let message = format!("a second line for state {}", shown(id.text));
                let error = Diagnostic::error(codes::DECLARED_TWICE, id.span, message, "the name is taken");
                self.diagnostics.report(error.help("give each state one line with all its successors"));
            } else {
                self.numbers.insert(id.text, number);
            }
        }
        if self.numbers.is_empty() {
            let span = Span::new(text.len(), text.len());
            let error = Diagnostic::error(
                codes::NO_STATES,
                span,
                "the state space has no states",
                "expected a state",
            );
            let help = "write a line `state progress count propositions… action successor…` for each state";
            self.diagnostics.report(error.help(help));
        }
    }

    fn read_states(&mut self, text: &'text str) {
        self.space.states.reserve_exact(self.numbers.len());
        for line in lines(text).filter(|line| !line.is_blank()) {
            if self.diagnostics.is_full() {
                return;
            }
            // A line with an error makes no state; the whole space is refused in the end.
            if let Ok(Some(state)) = self.state(line) {
                self.space.states.push(state);
            }
        }
        let names = self.propositions.take().unwrap_or_default();
        self.space.propositions = names.into_iter().map(str::to_owned).collect();
    }

    /// `state = id progress count { proposition } { action successor }`
    fn state(&mut self, mut line: Words<'text>) -> Checked<Option<StateRow>> {
        let Some(id) = line.next() else { return Ok(None) };
        let progress = self.expect(&mut line, "a progress value")?;
        let progress = self.progress(progress)?;
        let count = self.expect(&mut line, "the number of propositions")?;
        let truths = self.propositions(&mut line, count)?;
        let arcs = self.arcs(&mut line)?;
        Ok(Some(StateRow { id: id.text.into(), progress, truths, arcs }))
    }

    fn expect(&mut self, line: &mut Words<'text>, what: &str) -> Checked<Word<'text>> {
        if let Some(word) = line.next() {
            return Ok(word);
        }
        let message = format!("expected {what}, found the end of the line");
        let error =
            Diagnostic::error(codes::INCOMPLETE_STATE, line.end(), message, format!("expected {what}"));
        let help = "a line is `state progress count propositions… action successor…`";
        Err(self.diagnostics.report(error.help(help)))
    }

    fn progress(&mut self, word: Word<'_>) -> Checked<u32> {
        if let Some(value) = number(word.text) {
            return Ok(value);
        }
        let message =
            format!("the progress value {} is not a number from 0 to {}", shown(word.text), u32::MAX);
        let error = Diagnostic::error(codes::BAD_PROGRESS_VALUE, word.span, message, "not a progress value");
        let help = "only the order of progress values counts, so they can be shifted or renumbered";
        Err(self.diagnostics.report(error.help(help)))
    }

    /// The announced number of propositions, as truth values in the order of the first line.
    fn propositions(&mut self, line: &mut Words<'text>, count: Word<'text>) -> Checked<Box<[bool]>> {
        let Some(announced) = number(count.text) else {
            let message = format!("the number of propositions is not a number but {}", shown(count.text));
            return Err(self.bad_count(count, message));
        };
        let is_first = self.propositions.is_none();
        let mut names = self.propositions.take().unwrap_or_default();
        self.truths.clear();
        self.truths.resize(names.len(), None);
        let mut read = Ok(());
        for place in 0..announced as usize {
            read = self.proposition(line, count, place, is_first, &mut names);
            if read.is_err() {
                break;
            }
        }
        let missing = self.truths.iter().position(Option::is_none).map(|place| names[place]);
        // After an error in the first line, the next one defines the propositions.
        self.propositions = (!is_first || read.is_ok()).then_some(names);
        read?;
        match missing {
            Some(name) => Err(self.missing(name, count)),
            None => Ok(self.truths.iter().map(|truth| *truth == Some(true)).collect()),
        }
    }

    /// `proposition = [ "!" ] name`
    fn proposition(
        &mut self,
        line: &mut Words<'text>,
        count: Word<'text>,
        place: usize,
        is_first: bool,
        names: &mut Vec<&'text str>,
    ) -> Checked<()> {
        let Some(word) = line.next() else {
            let message = format!("{} propositions are announced, and {place} follow", shown(count.text));
            return Err(self.bad_count(count, message));
        };
        let (name, holds) = match word.text.strip_prefix('!') {
            Some(name) => (name, false),
            None => (word.text, true),
        };
        if !is_name(name) {
            return Err(self.bad_proposition(word));
        }
        // Most files list propositions in one order, so the same position is tried first.
        let same_place = names.get(place).filter(|known| **known == name).map(|_| place);
        let known = same_place.or_else(|| names.iter().position(|known| *known == name));
        match known {
            Some(known) if self.truths[known].is_some() => {
                let message = format!("proposition {} is listed twice in one state", shown(name));
                let error = Diagnostic::error(codes::DECLARED_TWICE, word.span, message, "listed twice");
                Err(self.diagnostics.report(error.help("keep one of them, and check the number before them")))
            }
            Some(known) => {
                self.truths[known] = Some(holds);
                Ok(())
            }
            None if is_first => {
                names.push(name);
                self.truths.push(Some(holds));
                Ok(())
            }
            None => {
                let message = format!("the first state has no proposition {}", shown(name));
                let label = "unknown proposition";
                let error = Diagnostic::error(codes::UNKNOWN_PROPOSITION, word.span, message, label);
                let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| {
                    "every state must list the same propositions as the first one".to_owned()
                });
                Err(self.diagnostics.report(error.help(help)))
            }
        }
    }

    fn arcs(&mut self, line: &mut Words<'text>) -> Checked<Box<[Arc]>> {
        let mut arcs = Vec::new();
        while let Some(action) = line.next() {
            self.not_a_proposition(action)?;
            let Some(target) = line.next() else {
                let message = format!("the action {} has no successor", shown(action.text));
                let error =
                    Diagnostic::error(codes::INCOMPLETE_ARC, action.span, message, "leads to no state");
                let help = "after the propositions, actions and successors alternate";
                return Err(self.diagnostics.report(error.help(help)));
            };
            let Some(target) = self.numbers.get(target.text) else {
                return Err(self.unknown_state(target));
            };
            let next = self.actions.len() as u32;
            let number = *self.actions.entry(action.text).or_insert(next);
            if number == next {
                self.space.actions.push(action.text.to_owned());
            }
            arcs.push(Arc { action: number, target: *target });
        }
        Ok(arcs.into())
    }

    /// Reports a literal in the place of an action: there are more propositions than announced.
    fn not_a_proposition(&mut self, action: Word<'_>) -> Checked<()> {
        if !action.text.strip_prefix('!').is_some_and(is_name) {
            return Ok(());
        }
        let message = format!("{} follows the announced propositions", shown(action.text));
        let error =
            Diagnostic::error(codes::BAD_PROPOSITION_COUNT, action.span, message, "one proposition too many");
        Err(self.diagnostics.report(error.help("correct the number of propositions in this line")))
    }

    fn unknown_state(&mut self, id: Word<'_>) -> Reported {
        let message = format!("no line defines state {}", shown(id.text));
        let error = Diagnostic::error(codes::UNKNOWN_STATE, id.span, message, "unknown state");
        let help = "give it a line of its own; is the file complete?";
        self.diagnostics.report(error.help(help))
    }

    fn bad_count(&mut self, count: Word<'_>, message: String) -> Reported {
        let label = "not the number of propositions";
        let error = Diagnostic::error(codes::BAD_PROPOSITION_COUNT, count.span, message, label);
        self.diagnostics.report(error.help("write how many propositions follow in this line"))
    }

    fn bad_proposition(&mut self, word: Word<'_>) -> Reported {
        let message = format!("{} is not a proposition", shown(word.text));
        let error = Diagnostic::error(codes::BAD_PROPOSITION, word.span, message, "expected `p` or `!p`");
        let help = "names have letters, digits and `_`, start with no digit and are no reserved word; \
                    is the number of propositions right?";
        self.diagnostics.report(error.help(help))
    }

    fn missing(&mut self, name: &str, count: Word<'_>) -> Reported {
        let message = format!("the state does not say whether {} holds", shown(name));
        let label = "one of the first state's propositions is missing";
        let error = Diagnostic::error(codes::MISSING_PROPOSITION, count.span, message, label);
        self.diagnostics.report(error.help(format!("write `{name}` or `!{name}`, and count it")))
    }
}

/// A number without a sign. `parse` alone would accept `+1`.
fn number(word: &str) -> Option<u32> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}
