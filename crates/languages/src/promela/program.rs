//! A Promela program with all names resolved: what [`resolve`](super::resolve) makes of the syntax
//! tree, and what the control-flow graph and the lowering are made from.
//!
//! Structures are gone: a variable is a set of *leaves*, one for each scalar field, with one array
//! dimension for each array on the way to it. `T x[5]` with a field `byte b[3]` is the leaf `x.b` of
//! dimensions 5 and 3. `for` and `select` are replaced by what they stand for, inlines by their
//! bodies. Each proctype has one list of locals, whatever block declares them: all of them exist as
//! long as the process does.

use model::guarded_commands::{IntegerType, Span};

use super::syntax::{BinaryOperator, UnaryOperator};

/// A whole program.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Global leaves, in the order of the text.
    pub(crate) globals: Vec<Leaf>,
    pub(crate) proctypes: Vec<Proctype>,
    /// The processes that exist at the start, in the order of their pids.
    pub(crate) active: Vec<ProctypeId>,
    /// Names of messages by kind; the kind of plain `mtype` is the first.
    pub(crate) message_kinds: Vec<MessageKind>,
    pub(crate) never: Vec<Claim>,
    pub(crate) formulas: Vec<NamedFormula>,
    /// What the program mentions anywhere. What it does not mention needs no part of the state.
    pub(crate) mentions: Mentions,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mentions {
    /// `_last`
    pub(crate) last: bool,
    /// A priority of a proctype or a run, `set_priority`, `_priority`.
    pub(crate) priorities: bool,
    /// `np_`, in a claim or in a process.
    pub(crate) non_progress: bool,
}

/// A kind of messages, `mtype` or `mtype:kind`. The value of `names[i]` is `i + 1`.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageKind {
    pub(crate) names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ProctypeId(pub(crate) usize);

#[derive(Debug)]
pub(crate) struct Proctype {
    /// `init` for the initial process.
    pub(crate) name: String,
    /// All leaves: parameters first, then locals in the order of the text.
    pub(crate) locals: Vec<Leaf>,
    /// How many of the locals are parameters, flattened.
    pub(crate) parameters: usize,
    pub(crate) priority: u8,
    pub(crate) provided: Option<Expression>,
    pub(crate) body: Vec<Node>,
    /// The name, at its declaration.
    pub(crate) span: Span,
    /// The closing brace of the body.
    pub(crate) end: Span,
}

/// A scalar variable, or an array of scalars.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// As it is written with constant indices left out: `x`, `x.b`.
    pub(crate) name: String,
    pub(crate) kind: LeafKind,
    /// Lengths of the arrays on the way to the scalar, outermost first. Empty for a scalar.
    pub(crate) dimensions: Vec<u32>,
    /// Declared `hidden`.
    pub(crate) hidden: bool,
    pub(crate) initial: Initial,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    Integer(IntegerType),
    /// Values are numbers of names of this kind in [`Program::message_kinds`]; a byte.
    Message(usize),
    /// The number of a channel, 0 for none; a byte.
    Channel,
}

/// The initial values of a leaf. Those of locals are evaluated when the process is created, after
/// its parameters, in order. Those of a local that is declared after the first statement are all 0,
/// and the declaration is a step; but for channels, which always exist from the start.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    /// All elements.
    Value(Expression),
    /// One per element; those that are missing are 0.
    List(Vec<Expression>),
    /// Each element is a channel of its own.
    Channels { capacity: u32, fields: Vec<LeafKind>, span: Span },
}

/// A leaf, seen from a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LeafId {
    Global(usize),
    /// A local of the proctype that the statement belongs to.
    Local(usize),
}

/// A scalar, or an element: as many indices as the leaf has dimensions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) leaf: LeafId,
    pub(crate) indices: Vec<Expression>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExpressionKind {
    Number(i64),
    Read(Place),
    Unary(UnaryOperator, Box<Expression>),
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    Timeout,
    NonProgress,
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`
    Last,
    /// `_priority`
    OwnPriority,
    /// The pid of the process that the `run` of this statement has created: see [`Basic::Run`].
    Created,
    /// `len(c)`. The place is a channel.
    Length(Place),
    /// `empty(c)`, `nempty(c)`: `!empty`, but for rendezvous channels.
    Empty(Place),
    NonEmpty(Place),
    Full(Place),
    NonFull(Place),
    /// `c?[m]`, `c??[m]`. The arguments are only compared.
    Poll {
        channel: Place,
        any: bool,
        arguments: Vec<ReceiveArgument>,
    },
    Enabled(Box<Expression>),
    ProgramCounter(Box<Expression>),
    Priority(Box<Expression>),
    RemoteLocation {
        proctype: ProctypeId,
        pid: Option<Box<Expression>>,
        label: String,
    },
    /// A local of another process; its indices are resolved where the expression stands.
    RemoteVariable {
        proctype: ProctypeId,
        pid: Option<Box<Expression>>,
        local: usize,
        indices: Vec<Expression>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ReceiveArgument {
    /// A constant or `eval(e)`: the field must be equal.
    Equal(Expression),
    /// A variable that gets the field.
    Store(Place),
    Ignore,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) labels: Vec<Label>,
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) name: String,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "most nodes are basic statements")]
pub(crate) enum NodeKind {
    Basic(Basic),
    Else,
    /// The label exists in this proctype.
    Goto(String),
    /// There is a loop around it.
    Break,
    If(Vec<Vec<Node>>),
    Do(Vec<Vec<Node>>),
    /// Not empty.
    Block(Vec<Node>),
    Atomic(Vec<Node>),
    Deterministic(Vec<Node>),
    Unless {
        main: Box<Node>,
        escape: Box<Node>,
    },
}

/// A basic statement: one step.
#[derive(Clone, Debug)]
pub(crate) enum Basic {
    /// A condition without `run`. `skip` is the number 1.
    Condition(Expression),
    /// Assignments in order, each seeing the ones before: one for `x = e`, none for the declaration
    /// of a structure in the middle of a body.
    Assign(Vec<(Place, Expression)>),
    Assert(Expression),
    /// `printf`, `printm` (format `%e`).
    Print {
        #[allow(dead_code, reason = "only tests show it")]
        format: String,
        arguments: Vec<Expression>,
    },
    /// As many arguments as the channel has fields, with structures flattened, if the channel is
    /// known; checked for every channel that it may be by the lowering.
    Send {
        channel: Place,
        sorted: bool,
        arguments: Vec<Expression>,
    },
    Receive {
        channel: Place,
        any: bool,
        copies: bool,
        arguments: Vec<ReceiveArgument>,
    },
    /// A statement that contains `run`: the process is created first. Then the use is evaluated, with
    /// [`ExpressionKind::Created`] in the place of the `run`.
    /// There is one argument for each element of the parameters: a parameter that is an array, as a
    /// field of a structure, takes as many as it has elements.
    Run {
        proctype: ProctypeId,
        arguments: Vec<Expression>,
        priority: Option<Expression>,
        then: AfterRun,
    },
    SetPriority {
        pid: Expression,
        priority: Expression,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum AfterRun {
    /// The statement is a condition; it is executable if this is not 0 afterwards.
    Condition(Expression),
    Assign(Place, Expression),
}

/// A never claim.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) name: String,
    /// Only conditions, `else`, assertions, jumps, selections and sequences.
    pub(crate) body: Vec<Node>,
    pub(crate) span: Span,
    pub(crate) end: Span,
}

/// A formula of an `ltl` block.
#[derive(Debug)]
pub(crate) struct NamedFormula {
    /// `ltl_0` and so on for those without a name.
    pub(crate) name: String,
    pub(crate) formula: Formula,
    pub(crate) span: Span,
}

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
    Release(Box<Formula>, Box<Formula>),
}

impl LeafKind {
    /// The type of its values.
    pub(crate) fn integer(self) -> IntegerType {
        match self {
            Self::Integer(integer) => integer,
            Self::Message(_) | Self::Channel => IntegerType::BYTE,
        }
    }
}

impl Leaf {
    /// Number of elements; 1 for a scalar.
    pub(crate) fn elements(&self) -> u32 {
        self.dimensions.iter().product()
    }
}

impl Expression {
    pub(crate) fn new(kind: ExpressionKind, span: Span) -> Self {
        Self { kind, span }
    }

    pub(crate) fn number(value: i64, span: Span) -> Self {
        Self::new(ExpressionKind::Number(value), span)
    }
}
