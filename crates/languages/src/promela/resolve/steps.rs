//! Basic statements, which are one step each.

use model::guarded_commands::Span;

use super::super::program::{AfterRun, Basic, Expression, ExpressionKind, LeafKind, Place};
use super::super::syntax::{self, BinaryOperator, Reference, Statement, StatementKind};
use super::expressions::RunCall;
use super::statements::Statements;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};

impl Statements<'_, '_> {
    pub(super) fn basic(&mut self, statement: &Statement) -> Checked<Basic> {
        let expressions = &mut self.expressions;
        Ok(match &statement.kind {
            // A claim cannot create processes.
            StatementKind::Expression(condition) if self.signature.is_none() => {
                Basic::Condition(expressions.condition(condition)?)
            }
            StatementKind::Expression(condition) => {
                let (condition, run) = expressions.with_run(condition)?;
                match run {
                    Some(call) => run_basic(call, AfterRun::Condition(condition)),
                    None => Basic::Condition(condition),
                }
            }
            StatementKind::Assign { target, value } => self.assign(target, value)?,
            StatementKind::Increment(target) => self.change(target, BinaryOperator::Add, statement.span)?,
            StatementKind::Decrement(target) => {
                self.change(target, BinaryOperator::Subtract, statement.span)?
            }
            StatementKind::Assert(condition) => Basic::Assert(expressions.condition(condition)?),
            StatementKind::Print { format, arguments } => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(expressions.value(argument)?);
                }
                Basic::Print { format: format.clone(), arguments: values }
            }
            StatementKind::PrintMessage(value) => {
                Basic::Print { format: "%e".to_owned(), arguments: vec![expressions.value(value)?] }
            }
            StatementKind::Send { channel, sorted, arguments } => {
                let (place, arguments) = (expressions.channel(channel), expressions.arguments(arguments));
                let (channel, arguments) = (place?, arguments?);
                expressions.message(&channel, arguments.len(), statement.span);
                Basic::Send { channel, sorted: *sorted, arguments }
            }
            StatementKind::Receive { channel, any, copies, arguments } => {
                let place = expressions.channel(channel);
                let arguments = expressions.receive_arguments(arguments);
                let (channel, arguments) = (place?, arguments?);
                expressions.message(&channel, arguments.len(), statement.span);
                Basic::Receive { channel, any: *any, copies: *copies, arguments }
            }
            StatementKind::SetPriority(pid, priority) => {
                expressions.usage.mentions.priorities = true;
                let (pid, priority) = (expressions.value(pid), expressions.value(priority));
                Basic::SetPriority { pid: pid?, priority: priority? }
            }
            // The others are no basic statements, and do not come here.
            _ => Basic::Condition(Expression::number(1, statement.span)),
        })
    }

    fn assign(&mut self, target: &Reference, value: &syntax::Expression) -> Checked<Basic> {
        let expressions = &mut self.expressions;
        if let Some(scratch) = Scratch::of(target) {
            let (value, run) = expressions.with_run(value)?;
            let always = Expression::number(1, target.span);
            return Ok(match (scratch, run) {
                (Scratch::Ignored, Some(call)) => run_basic(call, AfterRun::Condition(always)),
                // The value is computed, as it may be an error, and not kept.
                (Scratch::Ignored, None) => Basic::Print { format: String::new(), arguments: vec![value] },
                (Scratch::OwnPriority, None) => {
                    expressions.usage.mentions.priorities = true;
                    let pid = Expression::new(ExpressionKind::Pid, target.span);
                    Basic::SetPriority { pid, priority: value }
                }
                (Scratch::OwnPriority, Some(_)) => {
                    let message = "no process can be created in an assignment to `_priority`";
                    let error = Diagnostic::error(codes::MISPLACED_RUN, target.span, message, "with `run`");
                    return Err(expressions.diagnostics.report(error.help("use two statements")));
                }
            });
        }
        let place = expressions.target(target);
        let value = expressions.with_run(value);
        let ((place, _), (value, run)) = (place?, value?);
        Ok(match run {
            Some(call) => run_basic(call, AfterRun::Assign(place, value)),
            None => Basic::Assign(vec![(place, value)]),
        })
    }

    /// `x++` and `x--`.
    fn change(&mut self, target: &Reference, operator: BinaryOperator, span: Span) -> Checked<Basic> {
        let expressions = &mut self.expressions;
        if let Some(Scratch::OwnPriority) = Scratch::of(target) {
            expressions.usage.mentions.priorities = true;
            let pid = Expression::new(ExpressionKind::Pid, span);
            let own = Expression::new(ExpressionKind::OwnPriority, span);
            return Ok(Basic::SetPriority { pid, priority: plus(operator, own, span) });
        }
        let (place, kind) = expressions.target(target)?;
        if kind == LeafKind::Channel {
            let message = "a channel is no number, and cannot be counted up or down";
            let error = Diagnostic::error(codes::NOT_ASSIGNABLE, target.span, message, "a channel");
            return Err(expressions.diagnostics.report(error.help("use an array of channels, and an index")));
        }
        let value = plus(operator, read(&place), span);
        Ok(Basic::Assign(vec![(place, value)]))
    }
}

/// Predefined names that can be assigned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scratch {
    /// `_`
    Ignored,
    /// `_priority`
    OwnPriority,
}

impl Scratch {
    fn of(target: &Reference) -> Option<Self> {
        match target.parts.as_slice() {
            [part] if part.index.is_none() => match part.name.text.as_str() {
                "_" => Some(Self::Ignored),
                "_priority" => Some(Self::OwnPriority),
                _ => None,
            },
            _ => None,
        }
    }
}

fn run_basic(call: RunCall, then: AfterRun) -> Basic {
    let RunCall { proctype, arguments, priority } = call;
    Basic::Run { proctype, arguments, priority, then }
}

pub(super) fn read(place: &Place) -> Expression {
    Expression::new(ExpressionKind::Read(place.clone()), place.span)
}

/// `value + 1` or `value - 1`.
pub(super) fn plus(operator: BinaryOperator, value: Expression, span: Span) -> Expression {
    let one = Box::new(Expression::number(1, span));
    Expression::new(ExpressionKind::Binary(operator, Box::new(value), one), span)
}
