//! The syntax tree of a Promela file, after preprocessing and after inlines were expanded.
//!
//! The tree says what was written; what names mean is decided by [`resolve`](super::resolve). Spans
//! point into the text of the model: a token that a macro or an inline produced has the span of the
//! outermost call, so that every finding and every step of a trace has a place that the user wrote.

use model::guarded_commands::Span;

use super::origin::Expansions;

/// A whole file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) items: Vec<Item>,
    /// What macros and included files made, for messages about places in them.
    pub(crate) expansions: Expansions,
}

/// A part of a file, in the order of the text.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a file has few parts, and proctypes are most of them")]
pub(crate) enum Item {
    Proctype(Proctype),
    Never(Never),
    Ltl(LtlBlock),
    Typedef(Typedef),
    Mtype(MtypeDeclaration),
    Declaration(Declaration),
}

/// A name with its place.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// `proctype`, or `init`, which is a proctype called `init` with one active instance.
#[derive(Debug)]
pub(crate) struct Proctype {
    pub(crate) name: Name,
    /// The number in `active [n]`, 1 for `active` alone and for `init`; `None` without `active`.
    pub(crate) active: Option<Expression>,
    pub(crate) parameters: Vec<Declaration>,
    pub(crate) priority: Option<Expression>,
    pub(crate) provided: Option<Expression>,
    pub(crate) body: Vec<Statement>,
    /// The closing brace of the body.
    pub(crate) end: Span,
}

/// A never claim.
#[derive(Debug)]
pub(crate) struct Never {
    pub(crate) name: Option<Name>,
    pub(crate) body: Vec<Statement>,
    pub(crate) span: Span,
    /// The closing brace of the body.
    pub(crate) end: Span,
}

/// `ltl name { formula }`. Operators of expressions inside temporal ones are expressions.
#[derive(Debug)]
pub(crate) struct LtlBlock {
    pub(crate) name: Option<Name>,
    pub(crate) formula: Formula,
    /// The text between the braces.
    pub(crate) span: Span,
}

/// A formula of linear temporal logic.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Proposition(Expression),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    WeakUntil(Box<Formula>, Box<Formula>),
    /// `V`, `release`.
    Release(Box<Formula>, Box<Formula>),
}

#[derive(Debug)]
pub(crate) struct Typedef {
    pub(crate) name: Name,
    pub(crate) fields: Vec<Declaration>,
}

/// `mtype = { A, B }` or `mtype:kind = { A, B }`.
#[derive(Debug)]
pub(crate) struct MtypeDeclaration {
    pub(crate) kind: Option<Name>,
    pub(crate) names: Vec<Name>,
}

/// Variables of one type.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) hidden: bool,
    pub(crate) kind: Type,
    pub(crate) variables: Vec<Declarator>,
    pub(crate) span: Span,
}

/// A type as it was written.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// The width stands behind each declarator.
    Unsigned,
    /// With its kind, for `mtype:kind`.
    Mtype(Option<Name>),
    Chan,
    /// A typedef.
    Named(Name),
}

/// One declared variable.
#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Name,
    /// The width of an `unsigned`.
    pub(crate) width: Option<Expression>,
    /// The length of an array.
    pub(crate) length: Option<Expression>,
    pub(crate) initial: Option<Initial>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Initial {
    Value(Expression),
    /// `{1, 2, 3}`
    List(Vec<Expression>),
    /// `[capacity] of { fields }`. A field `unsigned` has no width and is an error.
    Channel {
        capacity: Expression,
        fields: Vec<Type>,
        span: Span,
    },
}

/// `name[index].field…`
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// Not empty. The first one names a variable, the others fields.
    pub(crate) parts: Vec<ReferencePart>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct ReferencePart {
    pub(crate) name: Name,
    pub(crate) index: Option<Box<Expression>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    /// A number, a character, `true`, `false`, `skip`.
    Number(i64),
    /// A variable, or the name of a message (`mtype`), or one of `_pid`, `_nr_pr`, `_last`,
    /// `_priority`.
    Reference(Reference),
    Unary(UnaryOperator, Box<Expression>),
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `(a -> b : c)`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    Timeout,
    /// `np_`
    NonProgress,
    /// `len(c)` and the like.
    Probe(Probe, Reference),
    /// `c?[m]` and `c??[m]`.
    Poll {
        channel: Reference,
        any: bool,
        arguments: Vec<ReceiveArgument>,
    },
    Run {
        proctype: Name,
        arguments: Vec<Expression>,
        priority: Option<Box<Expression>>,
    },
    Enabled(Box<Expression>),
    ProgramCounter(Box<Expression>),
    Priority(Box<Expression>),
    /// `P[e]@L`, or `P@L`.
    RemoteLocation {
        proctype: Name,
        pid: Option<Box<Expression>>,
        label: Name,
    },
    /// `P[e]:x`, or `P:x`.
    RemoteVariable {
        proctype: Name,
        pid: Option<Box<Expression>>,
        variable: Reference,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOperator {
    Not,
    Negate,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOperator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    Len,
    Empty,
    NonEmpty,
    Full,
    NonFull,
}

/// An argument of a receive.
#[derive(Clone, Debug)]
pub(crate) enum ReceiveArgument {
    /// A variable, or the name of a message: the declaration decides.
    Reference(Reference),
    /// A number, `true`, `false`.
    Constant(i64, Span),
    /// `eval(e)`
    Eval(Expression),
    /// `_`
    Ignore,
}

/// A statement with the labels before it.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) labels: Vec<Name>,
    pub(crate) kind: StatementKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    /// Anywhere in a sequence. At the start of a body it is no step.
    Declaration(Declaration),
    /// A condition, `skip`, or `run P()`.
    Expression(Expression),
    Else,
    Break,
    Goto(Name),
    Assign {
        target: Reference,
        value: Expression,
    },
    Increment(Reference),
    Decrement(Reference),
    Assert(Expression),
    Print {
        format: String,
        arguments: Vec<Expression>,
    },
    /// `printm(e)`
    PrintMessage(Expression),
    Send {
        channel: Reference,
        sorted: bool,
        arguments: Vec<Expression>,
    },
    /// `copies`: the message stays, `c?<…>`. `any`: the first one that matches, `c??…`.
    Receive {
        channel: Reference,
        any: bool,
        copies: bool,
        arguments: Vec<ReceiveArgument>,
    },
    SetPriority(Expression, Expression),
    If(Vec<Choice>),
    Do(Vec<Choice>),
    /// `{ … }`, and the body of an inline at its call.
    Block(Vec<Statement>),
    Atomic(Vec<Statement>),
    /// `d_step { … }`
    Deterministic(Vec<Statement>),
    /// `for (x : low .. high) { body }`
    ForRange {
        variable: Reference,
        low: Expression,
        high: Expression,
        body: Vec<Statement>,
    },
    /// `for (x in y) { body }`, with an array or a channel `y`.
    ForEach {
        variable: Reference,
        collection: Reference,
        body: Vec<Statement>,
    },
    /// `select (x : low .. high)`. `plain` if both bounds were written as digits, outside of an
    /// inline.
    Select {
        variable: Reference,
        low: Expression,
        high: Expression,
        plain: bool,
    },
    Unless {
        main: Box<Statement>,
        escape: Box<Statement>,
    },
}

/// An option of a selection or a loop, `:: statements`.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) body: Vec<Statement>,
    pub(crate) span: Span,
}
