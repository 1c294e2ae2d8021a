//! The syntax trees of questions: the text before its names are resolved.
//!
//! Names borrow from the text and carry their span, because every later finding points back into
//! it. An expression knows its depth: every stage after the parser walks expressions recursively,
//! so the parser alone keeps them shallow.

use model::guarded_commands::{BinaryOperator, Span, UnaryOperator};
use model::measure::MeasureKind;

/// The purpose for which a text is read. A progress measure may refer to all that a state holds; a
/// model, and other questions about it, only to what DVE can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Model,
    /// An expression about a model. Its names may be quoted: not every language has names that are
    /// words.
    Expression,
    Measure,
    /// A formula of temporal logic, which has operators of its own around the expressions of the
    /// model.
    Formula,
}

/// A name and its span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'text> {
    pub(crate) text: &'text str,
    pub(crate) span: Span,
}

/// A progress measure: a list of expressions, and how they are compared.
#[derive(Debug)]
pub(crate) struct Measure<'text> {
    pub(crate) text: &'text str,
    pub(crate) span: Span,
    pub(crate) components: Vec<Expression<'text>>,
    pub(crate) kind: MeasureKind,
}

/// An expression and its span.
#[derive(Debug)]
pub(crate) struct Expression<'text> {
    pub(crate) kind: ExpressionKind<'text>,
    pub(crate) span: Span,
    /// Levels of the tree; 1 for a leaf.
    pub(crate) depth: usize,
}

#[derive(Debug)]
pub(crate) enum ExpressionKind<'text> {
    Number(i64),
    /// A variable or constant of the own process or of the whole model, perhaps indexed.
    Variable {
        name: Name<'text>,
        index: Option<Box<Expression<'text>>>,
    },
    /// A variable of a process, as seen from outside, perhaps indexed: `process->name` in DVE.
    Foreign {
        process: Name<'text>,
        name: Name<'text>,
        index: Option<Box<Expression<'text>>>,
    },
    /// The test whether a process is at a location: `process.location` in DVE.
    At {
        process: Name<'text>,
        location: Name<'text>,
    },
    Unary {
        operator: UnaryOperator,
        operand: Box<Expression<'text>>,
    },
    Binary {
        operator: BinaryOperator,
        left: Box<Expression<'text>>,
        right: Box<Expression<'text>>,
    },
    /// `process name`, the number of its location. Only in measures.
    Process(Name<'text>),
    /// `channel name.length`, `channel name[0].1`, or the latter alone. Only in measures.
    Buffer {
        channel: Name<'text>,
        cell: BufferCell<'text>,
    },
    /// `order(operand: a < b, c < d)`. Only in measures.
    Rank(Rank<'text>),
}

/// A number in the queue of a channel.
#[derive(Debug)]
pub(crate) enum BufferCell<'text> {
    /// The name after the dot; it should be `length`.
    Named(Name<'text>),
    /// A message, or one part of it.
    Message { index: Box<Expression<'text>>, part: Option<Box<Expression<'text>>> },
}

/// The rank of a value in an order.
#[derive(Debug)]
pub(crate) struct Rank<'text> {
    pub(crate) operand: Box<Expression<'text>>,
    /// The name that makes up the whole operand. If it is that of a process, values may be names of
    /// its locations.
    pub(crate) alone: Option<Name<'text>>,
    /// Values of equal rank, in the order of ranks. There is at least one class, and a value in
    /// each.
    pub(crate) classes: Vec<Vec<OrderValue<'text>>>,
    /// The place of all values.
    pub(crate) span: Span,
}

/// A value that an order names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderValue<'text> {
    /// The spelling, with a sign.
    pub(crate) name: Name<'text>,
    /// The value, if it is a number.
    pub(crate) number: Option<i64>,
}

/// A formula of temporal logic and its span. As with expressions, the parser alone keeps formulas
/// shallow.
#[derive(Debug)]
pub(crate) struct Formula<'text> {
    pub(crate) kind: FormulaKind<'text>,
    pub(crate) span: Span,
    /// Levels of the tree; 1 for a part about one state.
    pub(crate) depth: usize,
}

#[derive(Debug)]
pub(crate) enum FormulaKind<'text> {
    /// A part about one state, without temporal operators.
    State(Expression<'text>),
    Not(Box<Formula<'text>>),
    Connected {
        connective: Connective,
        left: Box<Formula<'text>>,
        right: Box<Formula<'text>>,
    },
    /// `F f`, `EX f`
    Unary {
        runs: Runs,
        operator: UnaryTemporal,
        operand: Box<Formula<'text>>,
    },
    /// `f U g`, `A[f W g]`
    Binary {
        runs: Runs,
        operator: BinaryTemporal,
        left: Box<Formula<'text>>,
        right: Box<Formula<'text>>,
    },
}

/// A connective between two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connective {
    And,
    Or,
    Implies,
    Equivalent,
}

/// The runs that a temporal operator refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// The one run of a formula of linear temporal logic.
    This,
    /// Some run from the state on: `E`.
    Some,
    /// Every run from the state on: `A`.
    Every,
}

/// A temporal operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryTemporal {
    Next,
    Finally,
    Globally,
}

/// A temporal operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryTemporal {
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}
