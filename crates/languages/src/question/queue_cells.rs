//! The cells of a channel's queue in progress measures.
//!
//! A queue holds messages, the oldest first. `c.length` counts them, `c[0]` is the oldest message
//! and `c[0].1` its second part, where messages have several. An index must be a constant: measures
//! need no other, and guarded commands have no expression for it.

use model::guarded_commands::{Expression, Span};

use super::resolve::Resolver;
use super::syntax::{self, Name, Purpose};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};
use crate::names::{ChannelNames, Queue};
use crate::spelling::did_you_mean;

/// The name of the number of messages.
pub(crate) const LENGTH: &str = "length";

impl<'names> Resolver<'names, '_> {
    /// Whether a name alone refers to a channel here.
    pub(super) fn is_buffer(&self, name: Name<'_>) -> bool {
        self.purpose == Purpose::Measure
            && self.names.channels.contains_key(name.text)
            && !self.names.globals.contains_key(name.text)
    }

    /// `channel.length`
    pub(super) fn buffer_length(&mut self, channel: Name<'_>, cell: Name<'_>) -> Checked<Expression> {
        let (named, queue) = self.buffer(channel)?;
        if cell.text == LENGTH {
            return Ok(Expression::Cell(queue.length));
        }
        let message = format!("channel `{}` has no `{}`", channel.text, cell.text);
        Err(self.bad_cell(cell.span, message, "expected `length`", usage(named)))
    }

    /// `channel[index]` or `channel[index].part`
    pub(super) fn message(
        &mut self,
        channel: Name<'_>,
        index: &syntax::Expression<'_>,
        part: Option<&syntax::Expression<'_>>,
        span: Span,
    ) -> Checked<Expression> {
        let found = self.buffer(channel);
        let index = self.constant(index);
        let ((named, queue), index) = (found?, index?);
        let slot = self.offset(index, queue.capacity, channel, span)?;
        let parts = named.parts() as u32;
        let part = match part {
            None if parts == 1 => 0,
            None => {
                let message = format!("the messages of `{}` have {parts} parts", channel.text);
                return Err(self.bad_cell(span, message, "which part?", usage(named)));
            }
            Some(part) => {
                let number = self.constant(part)?;
                let known = u32::try_from(number).ok().filter(|number| *number < parts);
                let Some(known) = known else {
                    let message = format!("the messages of `{}` have no part {number}", channel.text);
                    let label = format!("the last part is {}", parts.saturating_sub(1));
                    return Err(self.bad_cell(part.span, message, label, usage(named)));
                };
                known
            }
        };
        Ok(Expression::Cell(queue.cell(slot, part, parts)))
    }

    /// Reports a channel that is used like a number.
    pub(super) fn whole_buffer<T>(&mut self, channel: Name<'_>) -> Checked<T> {
        let (named, _) = self.buffer(channel)?;
        let message = format!("`{}` is a channel", channel.text);
        Err(self.bad_cell(channel.span, message, "which part of its buffer?", usage(named)))
    }

    fn buffer(&mut self, name: Name<'_>) -> Checked<(&'names ChannelNames, &'names Queue)> {
        let channels = &self.names.channels;
        let channel = match channels.get(name.text) {
            Some(Ok(channel)) => channel,
            Some(Err(reported)) => return Err(*reported),
            None => {
                let help = did_you_mean(name.text, channels.keys().map(String::as_str));
                let message = format!("no channel `{}` in this model", name.text);
                let error = Diagnostic::error(codes::UNKNOWN_CHANNEL, name.span, message, "unknown channel");
                return Err(self.diagnostics.report(error.help_if_any(help)));
            }
        };
        let Some(queue) = &channel.queue else {
            let message = format!("the channel `{}` has no buffer", name.text);
            let help = "its messages are handed over in one step, and no state holds them";
            return Err(self.bad_cell(name.span, message, "nothing to measure", help.to_owned()));
        };
        Ok((channel, queue))
    }

    fn bad_cell(&mut self, span: Span, message: String, label: impl Into<String>, help: String) -> Reported {
        let error = Diagnostic::error(codes::BAD_BUFFER_CELL, span, message, label);
        self.diagnostics.report(error.help(help))
    }
}

/// Advice on what a queue has to offer.
fn usage(channel: &ChannelNames) -> String {
    let name = &channel.name;
    let part = if channel.parts() > 1 { ".0" } else { "" };
    format!("`{name}.{LENGTH}` counts its messages, and `{name}[0]{part}` is from the oldest one")
}
