//! The syntax trees of questions: what was written, before names mean anything.
//!
//! Names borrow from the text and carry their place, because every later finding points back into it.
//! An expression knows its depth: everything after the parser walks expressions recursively, so the
//! parser alone keeps them shallow.

use model::guarded_commands::{BinaryOperator, Span, UnaryOperator};
use model::measure::MeasureKind;

/// What a text is read for. A progress measure may speak of all that a state holds; a model, and what is asked about
/// it, only of what DVE has words for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Model,
    /// Something that is asked about a model, whose names may be quoted: not every language has names that are words.
    Expression,
    Measure,
    /// A formula of temporal logic, which has operators of its own around the expressions of the model.
    Formula,
}

/// A name at a place.
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

/// An expression at a place.
#[derive(Debug)]
pub(crate) struct Expression<'text> {
    pub(crate) kind: ExpressionKind<'text>,
    pub(crate) span: Span,
    /// 1 for a leaf.
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
    /// `process->name`, perhaps indexed.
    Foreign {
        process: Name<'text>,
        name: Name<'text>,
        index: Option<Box<Expression<'text>>>,
    },
    /// `process.location`
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

/// A number that the buffer of a channel holds.
#[derive(Debug)]
pub(crate) enum BufferCell<'text> {
    /// What stands after the dot: it should be `length`.
    Named(Name<'text>),
    /// A message, or one part of it.
    Message { index: Box<Expression<'text>>, part: Option<Box<Expression<'text>>> },
}

/// The rank of a value in an order.
#[derive(Debug)]
pub(crate) struct Rank<'text> {
    pub(crate) operand: Box<Expression<'text>>,
    /// The name that is all of the operand. If it is that of a process, values may be called by the names of its
    /// locations.
    pub(crate) alone: Option<Name<'text>>,
    /// Values of equal rank, from the least rank on. There is at least one class, and a value in each.
    pub(crate) classes: Vec<Vec<OrderValue<'text>>>,
    /// Where the values stand.
    pub(crate) span: Span,
}

/// A value that an order names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderValue<'text> {
    /// As it is spelt, with its sign.
    pub(crate) name: Name<'text>,
    /// What it is if it is a number.
    pub(crate) number: Option<i64>,
}

/// A formula of temporal logic at a place. Like expressions, formulas are kept shallow by the parser alone.
#[derive(Debug)]
pub(crate) struct Formula<'text> {
    pub(crate) kind: FormulaKind<'text>,
    pub(crate) span: Span,
    /// 1 for what is about one state.
    pub(crate) depth: usize,
}

#[derive(Debug)]
pub(crate) enum FormulaKind<'text> {
    /// About one state: there is no temporal operator in it.
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

/// What connects two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connective {
    And,
    Or,
    Implies,
    Equivalent,
}

/// The runs that a temporal operator speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// The one run that a formula of linear temporal logic is about.
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
