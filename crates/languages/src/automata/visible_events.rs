//! The actions of a model that are events of a service.
//!
//! An event is written in one of three ways:
//!
//! | written | is |
//! |---|---|
//! | `Client: waiting -> broken` | every action in which `Client` moves so, alone or with others |
//! | `in` | every action over the channel `in`; in a state space, every arc with this label |
//! | `P: a -> b \| Q: c -> d (in)` | the actions that traces show like this |
//!
//! In the first two, `*` matches any text: `Client: * -> broken`, `Client: *`, `reply_*`. All other
//! actions are internal.
//!
//! Guessing would hide mistakes, so two cases are errors. An event that matches no action would
//! make the service stricter or weaker than it looks, and an action that matches two events would
//! have two meanings.

use std::collections::{BTreeMap, BTreeSet};

use logic::safety_automaton::{EventAutomaton, EventStep};
use model::guarded_commands::{Action, ActionId, GuardedCommands, Span};

use super::service_automaton::ServiceText;
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::spelling::did_you_mean;

/// The sign for any text in an event.
const ANYTHING: char = '*';

/// A service automaton, with its events as actions of a model.
///
/// An event is a move of a process, `Client: waiting -> broken`; the name of a channel, or the
/// label of an arc in a state space; or an action as traces show it. In moves and channels `*`
/// matches any text. Every event matches at least one action, and no action matches two events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceOfModel {
    /// The legal sequences of events.
    pub automaton: EventAutomaton,
    /// For each action of the model, the number of its event; `None` for internal ones.
    pub events: Vec<Option<u32>>,
}

/// Reads a service automaton whose events are actions of the model.
pub(crate) fn read(text: &str, commands: &GuardedCommands) -> Result<ServiceOfModel, Vec<Diagnostic>> {
    let service = ServiceText::read(text)?;
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut numbers = BTreeMap::new();
    for transition in &service.transitions {
        let Some(name) = &transition.event else { continue };
        numbers.entry(name.as_str()).or_insert_with(|| {
            events.push(Event { name, span: transition.span, is_met: false });
            events.len() as u32 - 1
        });
    }
    let steps = service.transitions.iter().map(|transition| EventStep {
        from: transition.from as u32,
        event: transition.event.as_deref().map(|name| numbers[name]),
        to: transition.to as u32,
    });
    let automaton = EventAutomaton {
        events: events.iter().map(|event| event.name.to_owned()).collect(),
        states: service.states.len() as u32,
        initial: vec![service.initial as u32],
        transitions: steps.collect(),
        final_states: service.finals.iter().map(|state| *state as u32).collect(),
    };
    let mut diagnostics = Diagnostics::default();
    let of_actions = of_actions(&mut events, commands, &mut diagnostics);
    for event in events.iter().filter(|event| !event.is_met) {
        diagnostics.report(unknown(event, commands));
    }
    let events = of_actions;
    diagnostics.check(Ok(ServiceOfModel { automaton, events }))
}

/// An event, as the service names it.
struct Event<'text> {
    name: &'text str,
    /// The first place that names it.
    span: Span,
    /// Whether some action is this event.
    is_met: bool,
}

impl Event<'_> {
    fn is(&self, names: &ActionNames<'_>) -> bool {
        let parts = || names.moves.iter().map(String::as_str).chain(names.channel);
        self.name == names.whole || parts().any(|part| is_like(self.name, part))
    }
}

/// The names of an action.
struct ActionNames<'model> {
    whole: String,
    moves: Vec<String>,
    channel: Option<&'model str>,
}

impl<'model> ActionNames<'model> {
    fn new(commands: &'model GuardedCommands, number: usize) -> Self {
        let Action { participants, channel, .. } = &commands.actions[number];
        let moves = participants.iter().map(|participant| {
            let process = commands.process(participant.process);
            let [from, to] = [participant.from, participant.to]
                .map(|location| process.locations[location.0 as usize].name.as_str());
            format!("{}: {from} -> {to}", process.name)
        });
        Self {
            whole: commands.action_name(ActionId(number as u32)),
            moves: moves.collect(),
            channel: channel.as_deref(),
        }
    }
}

/// The event of each action.
fn of_actions(
    events: &mut [Event<'_>],
    commands: &GuardedCommands,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<u32>> {
    let mut found = Vec::with_capacity(commands.actions.len());
    for action in 0..commands.actions.len() {
        let names = ActionNames::new(commands, action);
        let mut first: Option<usize> = None;
        for number in 0..events.len() {
            if !events[number].is(&names) {
                continue;
            }
            events[number].is_met = true;
            match first {
                None => first = Some(number),
                Some(other) => {
                    diagnostics.report(twice(&names.whole, &events[other], &events[number]));
                }
            }
        }
        found.push(first.map(|number| number as u32));
    }
    found
}

fn unknown(event: &Event<'_>, commands: &GuardedCommands) -> Diagnostic {
    let mut known = BTreeSet::new();
    for action in 0..commands.actions.len() {
        let ActionNames { whole, moves, channel } = ActionNames::new(commands, action);
        known.extend(moves);
        known.extend(channel.map(str::to_owned));
        known.insert(whole);
    }
    let message = format!("no action of the model matches the event `{}`", event.name);
    let error = Diagnostic::error(codes::UNKNOWN_EVENT, event.span, message, "matches no action");
    let near = did_you_mean(event.name, known.iter().map(String::as_str));
    let rule = "an event is a move like `P: a -> b`, a channel, or an action as traces show it; `*` matches any text";
    error.help(near.unwrap_or_else(|| rule.to_owned()))
}

fn twice(action: &str, one: &Event<'_>, other: &Event<'_>) -> Diagnostic {
    let message = format!("the action `{action}` matches two events, `{}` and `{}`", one.name, other.name);
    let error = Diagnostic::error(codes::TWO_EVENTS, other.span, message, "the second one");
    error.help("name events such that no two of them match one action")
}

/// Whether the name matches the pattern, in which `*` matches any text.
fn is_like(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once(ANYTHING) else { return pattern == name };
    let Some(mut tail) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split(ANYTHING).collect();
    // The part after the last star must end the name. The parts before it are matched as early as
    // possible, which leaves the most text for it.
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = tail.find(part) else { return false };
        tail = &tail[at + part.len()..];
    }
    tail.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_star_matches_any_text() {
        for (pattern, name) in [
            ("P: a -> b", "P: a -> b"),
            ("P: * -> b", "P: a -> b"),
            ("P: *", "P: a -> b"),
            ("*", "c"),
            ("reply_*", "reply_"),
            ("*b*b", "abb"),
        ] {
            assert!(is_like(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("P: a -> b", "P: a -> bb"),
            ("P: * -> b", "P: a -> c"),
            ("ab*ba", "aba"),
            ("*b*b", "ab"),
            ("", "c"),
        ] {
            assert!(!is_like(pattern, name), "{pattern} {name}");
        }
    }
}
