//! One transition with its names resolved: half an action, or a whole one.
//!
//! The use of a buffered channel becomes a guard and an effect here. The use of a channel without a
//! buffer keeps its part until [`rendezvous`](crate::lowering::rendezvous) pairs it.

use std::collections::BTreeMap;

use model::guarded_commands::{
    Assignment, CellId, Effect, Expression, LocationId, Participant, ProcessId, Span, Target,
};

use super::declare::unknown_location;
use super::syntax::{self, Message, Process, Synchronisation, Transition};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::lowering::TypedPlace;
use crate::lowering::queue::QueueUse;
use crate::lowering::rendezvous::{Half, Part};
use crate::names::{ChannelNames, ProcessNames, Symbol};
use crate::question::resolve::Resolver;
use crate::question::syntax::Name;
use crate::spelling::did_you_mean;

/// A synchronisation with its names resolved.
enum Use<'a> {
    Unbuffered { channel: &'a ChannelNames, part: Part },
    Buffered { channel: &'a ChannelNames, used: QueueUse },
}

/// Resolves the transitions of one process.
pub(crate) struct TransitionReader<'a, 'run> {
    pub(crate) id: ProcessId,
    pub(crate) process: &'a Process<'a>,
    pub(crate) known: &'a ProcessNames,
    pub(crate) channels: &'a BTreeMap<String, Checked<ChannelNames>>,
    pub(crate) resolver: Resolver<'a, 'run>,
}

impl<'a> TransitionReader<'a, '_> {
    /// Resolves one transition.
    pub(crate) fn transition(&mut self, transition: &Transition<'_>) -> Checked<Half> {
        // Every part is resolved before the first error ends the transition, so its mistakes are
        // reported together.
        let (from, to) = (self.location(transition.from), self.location(transition.to));
        let guards = self.resolver.expressions(&transition.guards);
        let used = transition.synchronisation.as_ref().map(|one| self.synchronisation(one)).transpose();
        let effects: Vec<Checked<Effect>> =
            transition.effects.iter().map(|effect| self.assignment(effect)).collect();
        let effects: Checked<Vec<Effect>> = effects.into_iter().collect();
        let (from, to, mut guards, mut effects) = (from?, to?, guards?, effects?);
        let (channel, part) = match used? {
            None => (None, Part::Alone),
            Some(Use::Unbuffered { channel, part }) => (Some(channel), part),
            Some(Use::Buffered { channel, used: QueueUse { ready, effect } }) => {
                guards.insert(0, ready);
                effects.insert(0, effect);
                (Some(channel), Part::Alone)
            }
        };
        let participant = Participant { process: self.id, from, to, guards, span: transition.span };
        Ok(Half { participant, effects, channel: channel.map(|channel| channel.name.clone()), part })
    }

    fn location(&mut self, name: Name<'_>) -> Checked<LocationId> {
        match self.known.locations.get(name.text) {
            Some(location) => Ok(*location),
            None => Err(unknown_location(self.process, name, self.resolver.diagnostics)),
        }
    }

    /// Resolves the target of an assignment.
    fn place(&mut self, place: &syntax::Place<'_>) -> Checked<TypedPlace> {
        let resolver = &mut self.resolver;
        let (symbol, index) = (resolver.visible(place.name), place.index.as_ref());
        let index = index.map(|index| resolver.expression(index)).transpose();
        match (symbol?, index?) {
            (Symbol::Broken(reported), _) => Err(*reported),
            (Symbol::Scalar { cell, integer }, None) => {
                Ok(TypedPlace { place: Target::Cell(*cell), integer: *integer })
            }
            (Symbol::Array { variable, first_cell, length, integer }, Some(index)) => {
                let place = match index {
                    Expression::Constant(value) => {
                        let offset = resolver.offset(value, *length, place.name, place.span)?;
                        Target::Cell(CellId(first_cell.0 + offset))
                    }
                    index => Target::Element { array: *variable, index, span: place.span },
                };
                Ok(TypedPlace { place, integer: *integer })
            }
            (Symbol::Scalar { .. }, Some(_)) => resolver.not_an_array(place.name),
            (Symbol::Array { first_cell, integer, .. }, None) => {
                resolver.bare_array(place.name);
                Ok(TypedPlace { place: Target::Cell(*first_cell), integer: *integer })
            }
            (Symbol::Constant(_) | Symbol::ConstantArray { .. }, _) => {
                let message = format!("`{}` is a constant", place.name.text);
                let error =
                    Diagnostic::error(codes::NOT_ASSIGNABLE, place.span, message, "cannot be assigned");
                Err(resolver.diagnostics.report(error.help("declare it without `const`")))
            }
        }
    }

    fn assignment(&mut self, assignment: &syntax::Assignment<'_>) -> Checked<Effect> {
        let place = self.place(&assignment.place);
        let value = self.resolver.expression(&assignment.value);
        Ok(Effect::Assign(vec![Assignment { target: place?.place, value: value? }]))
    }

    fn synchronisation(&mut self, synchronisation: &Synchronisation<'_>) -> Checked<Use<'a>> {
        let channel = self.channel(synchronisation.channel);
        match &synchronisation.message {
            Message::Send(values) => {
                let values = self.resolver.expressions(values);
                self.send(channel?, values?, synchronisation.span)
            }
            Message::Receive(places) => {
                let places: Vec<Checked<TypedPlace>> = places.iter().map(|place| self.place(place)).collect();
                let places: Checked<Vec<TypedPlace>> = places.into_iter().collect();
                self.receive(channel?, places?, synchronisation.span)
            }
        }
    }

    fn send(&mut self, channel: &'a ChannelNames, values: Vec<Expression>, span: Span) -> Checked<Use<'a>> {
        self.fits(channel, values.len(), span)?;
        Ok(match &channel.queue {
            None => Use::Unbuffered { channel, part: Part::Sender(values) },
            Some(queue) => Use::Buffered { channel, used: queue.send(values) },
        })
    }

    fn receive(
        &mut self,
        channel: &'a ChannelNames,
        places: Vec<TypedPlace>,
        span: Span,
    ) -> Checked<Use<'a>> {
        if !places.is_empty() {
            self.fits(channel, places.len(), span)?;
        }
        let Some(queue) = &channel.queue else {
            return Ok(Use::Unbuffered { channel, part: Part::Receiver(places, span) });
        };
        // `c?` takes the message and drops it.
        let mut places: Vec<_> = places.into_iter().map(|place| Some(place.place)).collect();
        places.resize_with(channel.parts(), || None);
        Ok(Use::Buffered { channel, used: queue.receive(places) })
    }

    /// Checks the number of values against the type of the channel, if it has one.
    fn fits(&mut self, channel: &ChannelNames, count: usize, span: Span) -> Checked<()> {
        let Some(fields) = channel.fields.as_ref().filter(|fields| fields.len() != count) else {
            return Ok(());
        };
        let message =
            format!("a message on `{}` has {} values, and this one {count}", channel.name, fields.len());
        let label = "another number of values";
        let error = Diagnostic::error(codes::MESSAGE_MISMATCH, span, message, label);
        Err(self.resolver.diagnostics.report(error.help("enclose several values in braces: `c!{1, 2}`")))
    }

    fn channel(&mut self, name: Name<'_>) -> Checked<&'a ChannelNames> {
        if let Some(channel) = self.channels.get(name.text) {
            return channel.as_ref().map_err(|reported| *reported);
        }
        let message = format!("no channel `{}` in this model", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_CHANNEL, name.span, message, "unknown channel");
        let help = did_you_mean(name.text, self.channels.keys().map(String::as_str));
        Err(self.resolver.diagnostics.report(error.help_if_any(help)))
    }
}
