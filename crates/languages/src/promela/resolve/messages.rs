//! The arguments of receives and polls.

use std::collections::BTreeSet;

use model::guarded_commands::Span;

use super::super::program::{Expression, Place, ReceiveArgument};
use super::super::syntax;
use super::expressions::Expressions;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};

impl Expressions<'_, '_> {
    /// The arguments of a receive. Variables are noted as assigned.
    pub(super) fn receive_arguments(
        &mut self,
        arguments: &[syntax::ReceiveArgument],
    ) -> Checked<Vec<ReceiveArgument>> {
        let resolved = self.each(arguments)?;
        let mut stored = BTreeSet::new();
        for argument in &resolved {
            let ReceiveArgument::Store(place) = argument else { continue };
            self.assigned(place);
            // Elements of arrays may differ, so only scalars are compared.
            if place.indices.is_empty() && !stored.insert(place.leaf) {
                let message = "one receive assigns this variable twice";
                let error = Diagnostic::error(codes::STORED_TWICE, place.span, message, "the second time");
                let help = "use `_` for the value that is not needed, or `eval(x)` to compare";
                return Err(self.diagnostics.report(error.help(help)));
            }
        }
        Ok(resolved)
    }

    /// The arguments of a poll, which assigns nothing.
    pub(super) fn poll_arguments(
        &mut self,
        arguments: &[syntax::ReceiveArgument],
    ) -> Checked<Vec<ReceiveArgument>> {
        let compared = |argument| match argument {
            ReceiveArgument::Store(_) => ReceiveArgument::Ignore,
            other => other,
        };
        Ok(self.each(arguments)?.into_iter().map(compared).collect())
    }

    /// Fills up the arguments of a poll, where the channel is known. SPIN compares those that are
    /// given.
    pub(super) fn complete_poll(
        &mut self,
        channel: &Place,
        arguments: &mut Vec<ReceiveArgument>,
        span: Span,
    ) {
        let fields = self.usage.fields(self.names, self.proctype(), channel.leaf).map(<[_]>::len);
        if let Some(missing) = fields.and_then(|fields| fields.checked_sub(arguments.len())) {
            arguments.extend(std::iter::repeat_n(ReceiveArgument::Ignore, missing));
        }
        self.message(channel, arguments.len(), span);
    }

    fn each(&mut self, arguments: &[syntax::ReceiveArgument]) -> Checked<Vec<ReceiveArgument>> {
        let mut resolved = Vec::with_capacity(arguments.len());
        let mut failed = Ok(());
        for argument in arguments {
            if let Err(reported) = self.receive_argument(argument, &mut resolved) {
                failed = Err(reported);
            }
        }
        failed.map(|()| resolved)
    }

    fn receive_argument(
        &mut self,
        argument: &syntax::ReceiveArgument,
        resolved: &mut Vec<ReceiveArgument>,
    ) -> Checked<()> {
        resolved.push(match argument {
            syntax::ReceiveArgument::Constant(value, span) => {
                ReceiveArgument::Equal(Expression::number(*value, *span))
            }
            syntax::ReceiveArgument::Eval(expression) => ReceiveArgument::Equal(self.value(expression)?),
            syntax::ReceiveArgument::Ignore => ReceiveArgument::Ignore,
            syntax::ReceiveArgument::Reference(reference) => {
                if let Some(access) = self.structure(reference)? {
                    let places = self.elements(&access)?;
                    resolved.extend(places.into_iter().map(ReceiveArgument::Store));
                    return Ok(());
                }
                match self.message_name(reference) {
                    Some(value) => ReceiveArgument::Equal(Expression::number(value, reference.span)),
                    None if reference.parts[0].name.text == "_" => ReceiveArgument::Ignore,
                    None => ReceiveArgument::Store(self.place(reference)?.0),
                }
            }
        });
        Ok(())
    }

    /// Checks the number of values of a message where the channel is known.
    pub(super) fn message(&mut self, channel: &Place, values: usize, span: Span) {
        self.usage.message(self.names, self.proctype(), channel.leaf, values, span);
    }
}
