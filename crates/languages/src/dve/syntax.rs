//! The syntax tree of a DVE file: the text before its names are resolved.
//!
//! Expressions and names are those of [`question`](crate::question).

use model::guarded_commands::{IntegerType, Span};

use crate::diagnostic::Diagnostic;
use crate::question::syntax::{Expression, Measure, Name};

/// A whole file.
#[derive(Debug, Default)]
pub(crate) struct File<'text> {
    pub(crate) variables: Vec<Declaration<'text>>,
    pub(crate) channels: Vec<Channel<'text>>,
    pub(crate) processes: Vec<Process<'text>>,
    pub(crate) system: Option<SystemClause<'text>>,
    /// The measure that a comment declares.
    pub(crate) measure: Option<Measure<'text>>,
    /// The errors in that measure. A comment does not make the file unusable.
    pub(crate) measure_errors: Vec<Diagnostic>,
}

/// Whether a declared name can be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutability {
    Constant,
    Variable,
}

/// One declarator, e.g. `a[4] = {1, 2}` after `byte`.
#[derive(Debug)]
pub(crate) struct Declaration<'text> {
    pub(crate) mutability: Mutability,
    pub(crate) integer: IntegerType,
    pub(crate) name: Name<'text>,
    pub(crate) length: Option<Expression<'text>>,
    pub(crate) initial: Option<Initial<'text>>,
}

/// The initial value after the `=` of a declaration.
#[derive(Debug)]
pub(crate) enum Initial<'text> {
    Value(Expression<'text>),
    List(Vec<Expression<'text>>, Span),
}

/// One channel of a `channel` declaration.
#[derive(Debug)]
pub(crate) struct Channel<'text> {
    pub(crate) name: Name<'text>,
    /// The types of a message's parts, if the channel is typed.
    pub(crate) fields: Option<Vec<IntegerType>>,
    pub(crate) capacity: Option<Expression<'text>>,
}

#[derive(Debug)]
pub(crate) struct Process<'text> {
    pub(crate) name: Name<'text>,
    pub(crate) variables: Vec<Declaration<'text>>,
    pub(crate) locations: Vec<Name<'text>>,
    pub(crate) initial: Name<'text>,
    pub(crate) committed: Vec<Name<'text>>,
    pub(crate) accepting: Vec<Name<'text>>,
    pub(crate) assertions: Vec<Assertion<'text>>,
    pub(crate) transitions: Vec<Transition<'text>>,
}

/// `location: condition` after `assert`.
#[derive(Debug)]
pub(crate) struct Assertion<'text> {
    pub(crate) location: Name<'text>,
    pub(crate) condition: Expression<'text>,
}

#[derive(Debug)]
pub(crate) struct Transition<'text> {
    pub(crate) from: Name<'text>,
    pub(crate) to: Name<'text>,
    pub(crate) guards: Vec<Expression<'text>>,
    pub(crate) synchronisation: Option<Synchronisation<'text>>,
    pub(crate) effects: Vec<Assignment<'text>>,
    pub(crate) span: Span,
}

/// `channel!…` or `channel?…`
#[derive(Debug)]
pub(crate) struct Synchronisation<'text> {
    pub(crate) channel: Name<'text>,
    pub(crate) message: Message<'text>,
    pub(crate) span: Span,
}

/// The content of a message; empty for a handshake.
#[derive(Debug)]
pub(crate) enum Message<'text> {
    Send(Vec<Expression<'text>>),
    Receive(Vec<Place<'text>>),
}

#[derive(Debug)]
pub(crate) struct Assignment<'text> {
    pub(crate) place: Place<'text>,
    pub(crate) value: Expression<'text>,
}

/// The target of an assignment or a `?`.
#[derive(Debug)]
pub(crate) struct Place<'text> {
    pub(crate) name: Name<'text>,
    pub(crate) index: Option<Expression<'text>>,
    pub(crate) span: Span,
}

/// How the processes take steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    Asynchronous,
    Synchronous,
}

/// The last clause of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClause<'text> {
    pub(crate) timing: Timing,
    pub(crate) property: Option<Name<'text>>,
    pub(crate) span: Span,
}
