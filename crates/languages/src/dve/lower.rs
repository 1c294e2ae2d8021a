//! Transitions to actions: who moves together, and what happens then.
//!
//! A transition alone, or one that uses a buffer, is an action. On an unbuffered channel every `!` is paired with
//! every `?` of another process; each pair is an action with two participants, in which the message travels
//! first, then the sender's effects run, then the receiver's. Pairing before the run costs memory in the number
//! of pairs, and spares every later part of the checker the notion of a channel without a buffer.
//!
//! Actions keep the order of the text: by process and transition of the first participant, then by process and
//! transition of the receiver.

use std::collections::{BTreeMap, BTreeSet};

use model::guarded_commands::{Action, Assignment, Effect, Expression, GuardedCommands, ProcessId};

use super::constants::Replacements;
use super::declare::Declarations;
use super::property;
use super::resolve::{ChannelScope, Resolver, Scope, narrowed};
use super::syntax::{self, Process, Timing};
use super::transition::{Half, Part, TransitionReader};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::measure::DeclaredMeasure;

/// How much text the transitions of all actions may add up to. Pairing repeats them, so a file of a few
/// megabytes could otherwise ask for terabytes.
const LARGEST_UNFOLDING: usize = 16 << 20;

/// What a file means.
pub(crate) struct Lowered {
    pub(crate) commands: GuardedCommands,
    pub(crate) scope: Scope,
    pub(crate) progress: Option<DeclaredMeasure>,
    pub(crate) progress_errors: Vec<Diagnostic>,
}

/// Gives a file its meaning. The result is good only if nothing was reported.
pub(crate) fn file(
    file: &syntax::File<'_>,
    replacements: &Replacements<'_>,
    diagnostics: &mut Diagnostics,
) -> Lowered {
    if let Some(system) = file.system.filter(|system| system.timing == Timing::Synchronous) {
        let message = "synchronous systems are not supported";
        let error =
            Diagnostic::error(codes::SYNCHRONOUS_SYSTEM, system.span, message, "every process moves at once");
        let help = "use `system async;`, in which one process or one pair of processes moves at a time";
        diagnostics.report(error.help(help));
    }
    let mut declarations = Declarations::new(file, replacements, diagnostics);
    let mut halves = Halves::default();
    for (id, process) in declarations.members.clone() {
        halves.add_process(id, process, &mut declarations);
    }
    declarations.commands.actions = halves.actions(&mut declarations);
    property::declare(file, &mut declarations);
    let mut progress_errors = file.measure_errors.clone();
    let progress = file.measure.as_ref().and_then(|measure| {
        declared(measure, &declarations.scope).map_err(|errors| progress_errors.extend(errors)).ok()
    });
    Lowered { commands: declarations.commands, scope: declarations.scope, progress, progress_errors }
}

/// The measure that the file declares.
fn declared(measure: &syntax::Measure<'_>, scope: &Scope) -> Result<DeclaredMeasure, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let components = Resolver::for_measures(scope, &mut diagnostics).expressions(&measure.components);
    let components = diagnostics.check(components)?;
    Ok(DeclaredMeasure { text: measure.text.to_owned(), span: measure.span, components, kind: measure.kind })
}

/// All transitions of the model, with their names resolved.
#[derive(Default)]
struct Halves {
    all: Vec<Half>,
    /// Those that receive, by unbuffered channel.
    receivers: BTreeMap<String, Vec<usize>>,
    /// The unbuffered channels in use.
    channels: BTreeSet<String>,
}

impl Halves {
    fn add_process(&mut self, id: ProcessId, process: &Process<'_>, declarations: &mut Declarations<'_, '_>) {
        let Some(scope) = declarations.scope.processes.get(process.name.text) else { return };
        let channels = &declarations.scope.channels;
        let resolver = Resolver::new(&declarations.scope, Some(&scope.symbols), declarations.diagnostics);
        let mut reader = TransitionReader { id, process, scope, channels, resolver };
        for transition in &process.transitions {
            // A transition with an error makes no action; the whole model is refused in the end.
            if let Ok(half) = reader.transition(transition) {
                self.add(half);
            }
        }
    }

    fn add(&mut self, half: Half) {
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

    /// All actions, in order.
    fn actions(&self, declarations: &mut Declarations<'_, '_>) -> Vec<Action> {
        let mut pairing = Pairing::default();
        for half in &self.all {
            match (&half.part, &half.channel) {
                (Part::Alone, _) => pairing.actions.push(alone(half)),
                (Part::Sender(values), Some(channel)) => {
                    for receiver in self.partners(half, channel) {
                        if pairing.meet(half, values, receiver, declarations).is_err() {
                            return pairing.actions;
                        }
                    }
                }
                (Part::Sender(_) | Part::Receiver(..), _) => {}
            }
        }
        let idle = self.channels.iter().filter(|channel| !pairing.met.contains(channel.as_str()));
        idle.for_each(|channel| warn_of_idle(channel, declarations));
        pairing.actions
    }
}

/// Senders and receivers being brought together.
#[derive(Default)]
struct Pairing<'halves> {
    actions: Vec<Action>,
    /// The text of all pairs, in bytes.
    unfolded: usize,
    /// Channels on which a sender has met a receiver.
    met: BTreeSet<&'halves str>,
    /// Where receivers stand that disagreed with a sender: each meets every sender, but is reported once.
    mismatched: BTreeSet<u32>,
}

impl<'halves> Pairing<'halves> {
    /// Makes one pair an action. An error here means that there are too many.
    fn meet(
        &mut self,
        sender: &'halves Half,
        values: &[Expression],
        receiver: &Half,
        declarations: &mut Declarations<'_, '_>,
    ) -> Checked<()> {
        self.met.extend(sender.channel.as_deref());
        self.unfolded += length(sender) + length(receiver);
        if self.unfolded > LARGEST_UNFOLDING {
            return Err(too_many(sender, declarations.diagnostics));
        }
        if let Some(message) = self.message(values, receiver, declarations)
            && can_meet(sender, receiver, &declarations.commands)
        {
            self.actions.push(pair(sender, receiver, message));
        }
        Ok(())
    }

    /// What travels to a receiver, or none if it expects something else.
    fn message(
        &mut self,
        values: &[Expression],
        receiver: &Half,
        declarations: &mut Declarations<'_, '_>,
    ) -> Option<Vec<Assignment>> {
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
                declarations.diagnostics.report(error.help(help));
            }
            return None;
        }
        let fields = match declarations.scope.channels.get(channel) {
            Some(Ok(ChannelScope { fields: Some(fields), .. })) => fields.as_slice(),
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

/// While a process is in a committed location, a pair needs the other one to be in one too: a mixed pair
/// never fires.
fn can_meet(sender: &Half, receiver: &Half, commands: &GuardedCommands) -> bool {
    let committed = |half: &Half| commands.is_committed(half.participant.process, half.participant.from);
    committed(sender) == committed(receiver)
}

fn too_many(half: &Half, diagnostics: &mut Diagnostics) -> Reported {
    let message = "pairing senders with receivers gives too many actions";
    let label = "one action for each receiver of this";
    let error = Diagnostic::error(codes::TOO_MANY_ACTIONS, half.participant.span, message, label);
    diagnostics.report(error.help("use one channel per pair of processes"))
}

fn warn_of_idle(channel: &str, declarations: &mut Declarations<'_, '_>) {
    let Some(Ok(ChannelScope { span, .. })) = declarations.scope.channels.get(channel) else { return };
    let message = format!("transitions on channel `{channel}` can never fire");
    let label = "no sender meets a receiver of another process";
    declarations.diagnostics.warn(Diagnostic::warning(codes::ONE_SIDED_CHANNEL, *span, message, label));
}
