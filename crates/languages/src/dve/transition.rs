//! One transition with its names resolved: half an action, or a whole one.
//!
//! A use of a buffer is dissolved here into a guard and an effect. A use of a channel without a buffer stays as
//! it is until it meets its partners in [`lower`](super::lower).

use std::collections::BTreeMap;

use model::guarded_commands::{
    Assignment, BinaryOperator, Effect, Expression, LocationId, Participant, ProcessId, Span,
};

use super::declare::unknown_location;
use super::resolve::{ChannelScope, ProcessScope, Resolver, TypedPlace};
use super::syntax::{self, Message, Name, Process, Synchronisation, Transition};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::spelling::did_you_mean;

/// A transition whose names are resolved.
pub(crate) struct Half {
    pub(crate) participant: Participant,
    pub(crate) effects: Vec<Effect>,
    /// The channel it uses, if any.
    pub(crate) channel: Option<String>,
    pub(crate) part: Part,
}

/// What a transition does in an action.
pub(crate) enum Part {
    /// It is one by itself; a buffer it uses is already among its guards and effects.
    Alone,
    /// It sends these values to a partner.
    Sender(Vec<Expression>),
    /// It stores what a partner sends; the place of the `?` in the text.
    Receiver(Vec<TypedPlace>, Span),
}

/// A synchronisation with its names resolved.
enum Use<'a> {
    Unbuffered { channel: &'a ChannelScope, part: Part },
    Buffered { channel: &'a ChannelScope, ready: Expression, effect: Effect },
}

/// Resolves the transitions of one process.
pub(crate) struct TransitionReader<'a, 'run> {
    pub(crate) id: ProcessId,
    pub(crate) process: &'a Process<'a>,
    pub(crate) scope: &'a ProcessScope,
    pub(crate) channels: &'a BTreeMap<String, Checked<ChannelScope>>,
    pub(crate) resolver: Resolver<'a, 'run>,
}

impl<'a> TransitionReader<'a, '_> {
    /// Resolves one transition.
    pub(crate) fn transition(&mut self, transition: &Transition<'_>) -> Checked<Half> {
        // Every part is looked at before the first error ends it: mistakes of one transition come together.
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
            Some(Use::Buffered { channel, ready, effect }) => {
                guards.insert(0, ready);
                effects.insert(0, effect);
                (Some(channel), Part::Alone)
            }
        };
        let participant = Participant { process: self.id, from, to, guards, span: transition.span };
        Ok(Half { participant, effects, channel: channel.map(|channel| channel.name.clone()), part })
    }

    fn location(&mut self, name: Name<'_>) -> Checked<LocationId> {
        match self.scope.locations.get(name.text) {
            Some(location) => Ok(*location),
            None => Err(unknown_location(self.process, name, self.resolver.diagnostics)),
        }
    }

    fn assignment(&mut self, assignment: &syntax::Assignment<'_>) -> Checked<Effect> {
        let place = self.resolver.place(&assignment.place);
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
                let places: Vec<Checked<TypedPlace>> =
                    places.iter().map(|place| self.resolver.place(place)).collect();
                let places: Checked<Vec<TypedPlace>> = places.into_iter().collect();
                self.receive(channel?, places?, synchronisation.span)
            }
        }
    }

    fn send(&mut self, channel: &'a ChannelScope, values: Vec<Expression>, span: Span) -> Checked<Use<'a>> {
        self.fits(channel, values.len(), span)?;
        let Some(buffer) = &channel.buffer else {
            return Ok(Use::Unbuffered { channel, part: Part::Sender(values) });
        };
        let capacity = Expression::Constant(i64::from(buffer.capacity));
        let ready = Expression::binary(BinaryOperator::Less, Expression::Cell(buffer.length), capacity);
        Ok(Use::Buffered { channel, ready, effect: Effect::Push { queue: buffer.queue, values } })
    }

    fn receive(
        &mut self,
        channel: &'a ChannelScope,
        places: Vec<TypedPlace>,
        span: Span,
    ) -> Checked<Use<'a>> {
        if !places.is_empty() {
            self.fits(channel, places.len(), span)?;
        }
        let Some(buffer) = &channel.buffer else {
            return Ok(Use::Unbuffered { channel, part: Part::Receiver(places, span) });
        };
        let (length, none) = (Expression::Cell(buffer.length), Expression::Constant(0));
        let ready = Expression::binary(BinaryOperator::Greater, length, none);
        // `c?` takes the message and drops it.
        let mut places: Vec<_> = places.into_iter().map(|place| Some(place.place)).collect();
        places.resize_with(channel.fields.as_ref().map_or(0, Vec::len), || None);
        Ok(Use::Buffered { channel, ready, effect: Effect::Pop { queue: buffer.queue, targets: places } })
    }

    /// Checks the number of values against the type of the channel, if it has one.
    fn fits(&mut self, channel: &ChannelScope, count: usize, span: Span) -> Checked<()> {
        let Some(fields) = channel.fields.as_ref().filter(|fields| fields.len() != count) else {
            return Ok(());
        };
        let message =
            format!("a message on `{}` has {} values, and this one {count}", channel.name, fields.len());
        let label = "another number of values";
        let error = Diagnostic::error(codes::MESSAGE_MISMATCH, span, message, label);
        Err(self.resolver.diagnostics.report(error.help("several values stand in braces: `c!{1, 2}`")))
    }

    fn channel(&mut self, name: Name<'_>) -> Checked<&'a ChannelScope> {
        if let Some(channel) = self.channels.get(name.text) {
            return channel.as_ref().map_err(|reported| *reported);
        }
        let message = format!("no channel `{}` in this model", name.text);
        let error = Diagnostic::error(codes::UNKNOWN_CHANNEL, name.span, message, "unknown channel");
        let help = did_you_mean(name.text, self.channels.keys().map(String::as_str));
        Err(self.resolver.diagnostics.report(error.help_if_any(help)))
    }
}
