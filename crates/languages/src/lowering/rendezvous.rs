//! Rendezvous: transitions of two processes that synchronise on a channel without a queue.
//!
//! A transition that synchronises with no other is an action. On a channel without a queue every
//! sender is paired with every receiver of another process. Each pair is an action with two
//! participants: the message travels first, then the sender's effects run, then the receiver's.
//! Pairing before the run costs memory in the number of pairs, and no later part of the checker
//! needs to know about rendezvous.
//!
//! Actions keep the order of the text: by process and transition of the first participant, then by
//! process and transition of the receiver.

use std::collections::{BTreeMap, BTreeSet};

use model::guarded_commands::{
    Action, Assignment, BinaryOperator, Effect, Expression, GuardedCommands, IntegerType, LocationKind,
    Participant, Span,
};

use super::{TypedPlace, fold};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::names::{ChannelNames, Names};

/// Bytes of text that the transitions of all actions may add up to. Pairing repeats transitions, so
/// a file of a few megabytes could otherwise ask for terabytes.
const LARGEST_UNFOLDING: usize = 16 << 20;

/// A transition whose names are resolved.
pub(crate) struct Half {
    pub(crate) participant: Participant,
    pub(crate) effects: Vec<Effect>,
    /// The channel it uses, if any.
    pub(crate) channel: Option<String>,
    pub(crate) part: Part,
}

/// The part of a transition in an action.
pub(crate) enum Part {
    /// An action by itself; the queue it uses is already among its guards and effects.
    Alone,
    /// Sends these values to a partner.
    Sender(Vec<Expression>),
    /// Stores what a partner sends; with the place of the `?` in the text.
    Receiver(Vec<TypedPlace>, Span),
}

/// All transitions of a model, with their names resolved.
#[derive(Default)]
pub(crate) struct Halves {
    all: Vec<Half>,
    /// Receivers, by channel without a queue.
    receivers: BTreeMap<String, Vec<usize>>,
    /// The channels without a queue that are in use.
    channels: BTreeSet<String>,
}

impl Halves {
    /// Adds a transition, after those that precede it in the text.
    pub(crate) fn add(&mut self, half: Half) {
        if let (Some(channel), Part::Sender(_) | Part::Receiver(..)) = (&half.channel, &half.part) {
            self.channels.insert(channel.clone());
            if let Part::Receiver(..) = half.part {
                self.receivers.entry(channel.clone()).or_default().push(self.all.len());
            }
        }
        self.all.push(half);
    }

    /// The receivers that a sender can meet: those of other processes.
    fn partners(&self, sender: &Half, channel: &str) -> impl Iterator<Item = &Half> {
        let receivers = self.receivers.get(channel).into_iter().flatten().map(|number| &self.all[*number]);
        let process = sender.participant.process;
        receivers.filter(move |receiver| receiver.participant.process != process)
    }

    /// All actions, in order. `commands` tells which locations are committed.
    pub(crate) fn actions(
        &self,
        commands: &GuardedCommands,
        names: &Names,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Action> {
        let mut pairing = Pairing::new(commands, names, diagnostics);
        for half in &self.all {
            match (&half.part, &half.channel) {
                (Part::Alone, _) => pairing.actions.push(alone(half)),
                (Part::Sender(values), Some(channel)) => {
                    for receiver in self.partners(half, channel) {
                        if pairing.meet(half, values, receiver).is_err() {
                            return pairing.actions;
                        }
                    }
                }
                (Part::Sender(_) | Part::Receiver(..), _) => {}
            }
        }
        let idle = self.channels.iter().filter(|channel| !pairing.met.contains(channel.as_str()));
        for channel in idle {
            if let Some(Ok(channel)) = names.channels.get(channel) {
                pairing.diagnostics.warn(one_sided(channel));
            }
        }
        pairing.actions
    }
}

/// The pairing of senders and receivers.
struct Pairing<'halves, 'run> {
    commands: &'run GuardedCommands,
    names: &'run Names,
    diagnostics: &'run mut Diagnostics,
    actions: Vec<Action>,
    /// Bytes of text of all pairs.
    unfolded: usize,
    /// Channels on which a sender has met a receiver.
    met: BTreeSet<&'halves str>,
    /// The places of receivers that disagreed with a sender: each meets every sender, but is
    /// reported once.
    mismatched: BTreeSet<u32>,
}

impl<'halves, 'run> Pairing<'halves, 'run> {
    fn new(commands: &'run GuardedCommands, names: &'run Names, diagnostics: &'run mut Diagnostics) -> Self {
        let (actions, met, mismatched) = Default::default();
        Self { commands, names, diagnostics, actions, unfolded: 0, met, mismatched }
    }

    /// Makes an action of one pair. An error means that there are too many pairs.
    fn meet(&mut self, sender: &'halves Half, values: &[Expression], receiver: &Half) -> Checked<()> {
        self.met.extend(sender.channel.as_deref());
        self.unfolded += length(sender) + length(receiver);
        if self.unfolded > LARGEST_UNFOLDING {
            return Err(too_many(sender, self.diagnostics));
        }
        if let Some(message) = self.message(values, receiver)
            && can_meet(sender, receiver, self.commands)
        {
            self.actions.push(pair(sender, receiver, message));
        }
        Ok(())
    }

    /// The message as the receiver stores it. None, if the receiver expects another one.
    fn message(&mut self, values: &[Expression], receiver: &Half) -> Option<Vec<Assignment>> {
        let (Part::Receiver(places, span), Some(channel)) = (&receiver.part, &receiver.channel) else {
            return None;
        };
        if !places.is_empty() && places.len() != values.len() {
            if self.mismatched.insert(span.start) {
                let counts = format!("{} values, and this receives {}", values.len(), places.len());
                let message = format!("channel `{channel}` brings {counts}");
                let error =
                    Diagnostic::error(codes::MESSAGE_MISMATCH, *span, message, "expects another message");
                let help =
                    format!("give every `{channel}!` as many values as every `{channel}?` has variables");
                self.diagnostics.report(error.help(help));
            }
            return None;
        }
        let fields = match self.names.channels.get(channel) {
            Some(Ok(ChannelNames { fields: Some(fields), .. })) => fields.as_slice(),
            _ => &[],
        };
        let carried = places.iter().zip(values).enumerate().map(|(number, (place, value))| {
            let value = match fields.get(number) {
                Some(field) => narrowed(value.clone(), *field, place.integer),
                None => value.clone(),
            };
            Assignment { target: place.place.clone(), value }
        });
        Some(carried.collect())
    }
}

fn length(half: &Half) -> usize {
    (half.participant.span.end - half.participant.span.start) as usize
}

fn alone(half: &Half) -> Action {
    Action {
        participants: vec![half.participant.clone()],
        effects: half.effects.clone(),
        channel: half.channel.clone(),
        name: None,
    }
}

fn pair(sender: &Half, receiver: &Half, message: Vec<Assignment>) -> Action {
    let travel = (!message.is_empty()).then_some(Effect::Assign(message));
    Action {
        participants: vec![sender.participant.clone(), receiver.participant.clone()],
        effects: travel.into_iter().chain(sender.effects.iter().chain(&receiver.effects).cloned()).collect(),
        channel: sender.channel.clone(),
        name: None,
    }
}

/// Whether a pair can ever fire. While a process is in a committed location, its partner must be in
/// one too. A process with control meets any other.
fn can_meet(sender: &Half, receiver: &Half, commands: &GuardedCommands) -> bool {
    let kind = |half: &Half| commands.location_kind(half.participant.process, half.participant.from);
    let kinds = [kind(sender), kind(receiver)];
    kinds.contains(&LocationKind::Intermediate)
        || (kinds[0] == LocationKind::Committed) == (kinds[1] == LocationKind::Committed)
}

fn too_many(half: &Half, diagnostics: &mut Diagnostics) -> Reported {
    let message = "pairing senders with receivers gives too many actions";
    let label = "one action for each receiver of this";
    let error = Diagnostic::error(codes::TOO_MANY_ACTIONS, half.participant.span, message, label);
    diagnostics.report(error.help("use one channel per pair of processes"))
}

/// The warning about a channel on which no pair exists.
fn one_sided(channel: &ChannelNames) -> Diagnostic {
    let message = format!("transitions on channel `{}` can never fire", channel.name);
    let label = "no sender meets a receiver of another process";
    Diagnostic::warning(codes::ONE_SIDED_CHANNEL, channel.span, message, label)
}

/// `value` cut to `from` before it is stored as `to`. Only widening needs an operator: storing a
/// value cuts it.
fn narrowed(value: Expression, from: IntegerType, to: IntegerType) -> Expression {
    if from.signed || from.bits >= to.bits {
        return value;
    }
    fold::binary(BinaryOperator::BitAnd, value, Expression::Constant(from.max()), Span::default())
}
