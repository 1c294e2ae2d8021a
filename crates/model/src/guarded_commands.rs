//! Guarded commands: the one small language that every front end lowers to.
//!
//! A model is a set of typed variables, processes with control locations, and actions. An action is
//! enabled when each of its participants stands in its source location and all its guards are true;
//! firing it runs its effects in order and moves the participants. Analysis, compilation, reductions
//! and progress measures work on this form only, so it stays small: integers, arrays of integers,
//! bounded queues, and expressions over them.
//!
//! A state of the model is a vector of *cells*, one integer each. A scalar and a control location take one
//! cell, an array one per element, a queue one for its length followed by its messages, oldest first, with
//! unused places at zero. So equal states have equal cells, and everything that stores or compares states
//! can forget about types.
//!
//! The meaning of all this is given by [`Interpreter`](super::interpreter::Interpreter).

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::value_order::ValueOrder;

/// A byte range in the source text of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Number of a variable, in order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct VariableId(pub u32);

/// Number of a cell: one integer of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct CellId(pub u32);

/// Number of a process, in order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct ProcessId(pub u32);

/// Number of a location inside its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct LocationId(pub u32);

/// Number of an action, in order of declaration. It identifies one step from a given state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct ActionId(pub u32);

impl CellId {
    /// The cell's place in a decoded state.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a cell can hold by declaration. A value outside wraps around when it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct IntegerType {
    /// Width, 1 to 32.
    pub bits: u8,
    /// Whether the values are in two's complement.
    pub signed: bool,
}

impl IntegerType {
    /// 0 to 255.
    pub const BYTE: Self = Self { bits: 8, signed: false };
    /// -32768 to 32767.
    pub const SHORT: Self = Self { bits: 16, signed: true };

    /// An unsigned type just wide enough for `0..=max`.
    pub fn unsigned_up_to(max: u32) -> Self {
        Self { bits: (32 - max.leading_zeros()).max(1) as u8, signed: false }
    }

    /// The least value.
    pub fn min(self) -> i64 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// The greatest value.
    pub fn max(self) -> i64 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }

    /// Whether `value` needs no wrapping.
    pub fn contains(self, value: i64) -> bool {
        (self.min()..=self.max()).contains(&value)
    }

    /// `value` cut to this type, as on assignment.
    pub fn wrap(self, value: i64) -> i64 {
        let unused = 64 - u32::from(self.bits);
        if self.signed { (value << unused) >> unused } else { ((value as u64) << unused >> unused) as i64 }
    }
}

/// How a variable spreads over cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Shape {
    /// One cell.
    Scalar(IntegerType),
    /// `length` cells of one type.
    Array {
        /// Type of each element.
        element: IntegerType,
        /// Number of elements.
        length: u32,
    },
    /// A length cell, then `capacity` messages of `fields.len()` cells each, oldest first.
    Queue {
        /// The types of the parts of a message.
        fields: Vec<IntegerType>,
        /// How many messages fit.
        capacity: u32,
    },
    /// The control location of a process: one cell.
    Location(ProcessId),
}

/// A variable of the model.
#[derive(Clone, Debug, Serialize)]
pub struct Variable {
    /// The name as the user wrote it, without its process.
    pub name: String,
    /// The process that owns it, if it is local.
    pub process: Option<ProcessId>,
    /// Cells and types.
    pub shape: Shape,
    /// Its first cell; the others follow.
    pub first_cell: CellId,
    /// Where it is declared.
    pub span: Span,
}

impl Variable {
    /// The number of cells it takes.
    pub fn cell_count(&self) -> usize {
        match &self.shape {
            Shape::Scalar(_) | Shape::Location(_) => 1,
            Shape::Array { length, .. } => *length as usize,
            Shape::Queue { fields, capacity } => 1 + fields.len() * *capacity as usize,
        }
    }
}

/// One integer of the state.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The variable it is part of.
    pub variable: VariableId,
    /// What it may hold by declaration.
    pub declared: IntegerType,
    /// Its value in the initial state.
    pub initial: i64,
    /// What happens when a value that `declared` does not contain is assigned.
    pub overflow: Overflow,
}

/// What becomes of a value that is too large, or too small, for the cell that it is assigned to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Overflow {
    /// It is cut to the declared type.
    #[default]
    Wraps,
    /// The step is a run-time error. For languages whose numbers have no bounds, as the tokens of a Petri net.
    IsError,
    /// It does not happen: who made the model has a proof that the analyses here do not have, such as the bounds of a Petri net. (It would be
    /// cut.)
    IsExcluded,
}

/// A process: a named control location that actions move.
#[derive(Clone, Debug, Serialize)]
pub struct Process {
    /// The name in the model.
    pub name: String,
    /// The cell that holds the location's number.
    pub location: CellId,
    /// The locations, by number.
    pub locations: Vec<Location>,
    /// Where it is declared.
    pub span: Span,
}

/// A control location.
#[derive(Clone, Debug, Serialize)]
pub struct Location {
    /// The name in the model.
    pub name: String,
    /// While any process stands in a committed location, only actions fire whose participants all do.
    pub committed: bool,
    /// Where it is declared.
    pub span: Span,
}

/// One process that takes part in an action.
#[derive(Clone, Debug, Serialize)]
pub struct Participant {
    /// The process.
    pub process: ProcessId,
    /// Where it must stand.
    pub from: LocationId,
    /// Where it goes.
    pub to: LocationId,
    /// What must be true, in this order, evaluated after the location was tested.
    pub guards: Vec<Expression>,
    /// The transition in the source.
    pub span: Span,
}

/// A step that the model can take.
#[derive(Clone, Debug, Serialize)]
pub struct Action {
    /// Who moves: locations and guards are tested participant by participant, in this order.
    pub participants: Vec<Participant>,
    /// What happens, each effect seeing the ones before it. Locations change after the last one.
    pub effects: Vec<Effect>,
    /// The channel over which the participants synchronise, or that one of them uses.
    pub channel: Option<String>,
    /// What people call it, if not by what the participants do.
    pub name: Option<String>,
}

/// One change of the state.
#[derive(Clone, Debug, Serialize)]
pub enum Effect {
    /// All values and all indices are read first, then all places are written, in order.
    Assign(Vec<Assignment>),
    /// Appends a message. The action's guards must make sure that there is room.
    Push {
        /// A variable of shape [`Shape::Queue`].
        queue: VariableId,
        /// One value per field.
        values: Vec<Expression>,
    },
    /// Takes the oldest message. The action's guards must make sure that there is one.
    Pop {
        /// A variable of shape [`Shape::Queue`].
        queue: VariableId,
        /// Where each field goes, if anywhere.
        places: Vec<Option<Place>>,
    },
}

/// `place = value`, cut to the type of the place.
#[derive(Clone, Debug, Serialize)]
pub struct Assignment {
    /// Where the value goes.
    pub place: Place,
    /// What is stored.
    pub value: Expression,
}

/// Something that can be assigned.
#[derive(Clone, Debug, Serialize)]
pub enum Place {
    /// A cell known before the run.
    Cell(CellId),
    /// An element of an array; an index out of range is a run-time error.
    Element {
        /// A variable of shape [`Shape::Array`].
        array: VariableId,
        /// Which element.
        index: Expression,
        /// The place in the source.
        span: Span,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum UnaryOperator {
    /// `-a`
    Negate,
    /// `~a`
    Complement,
    /// `!a`: 1 if `a` is 0, otherwise 0
    Not,
}

/// Operators with two operands. Comparisons and logical operators give 0 or 1; any value but 0 counts as true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    /// Rounds towards zero; division by zero is a run-time error.
    Divide,
    /// Has the sign of the left operand; a run-time error for zero.
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    /// The count must be 0 to 63, anything else is a run-time error.
    ShiftLeft,
    /// Keeps the sign; the count must be 0 to 63, anything else is a run-time error.
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// The right operand is not evaluated when the left one is false.
    And,
    /// The right operand is not evaluated when the left one is true.
    Or,
    /// The right operand is not evaluated when the left one is false.
    Imply,
}

/// An expression over the cells of a state. Arithmetic is on 64-bit integers and wraps around.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Expression {
    /// A literal.
    Constant(i64),
    /// The value of a cell.
    Cell(CellId),
    /// An element of an array; an index out of range is a run-time error.
    Element {
        /// A variable of shape [`Shape::Array`].
        array: VariableId,
        /// Which element.
        index: Box<Expression>,
        /// The place in the source.
        span: Span,
    },
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator with two operands.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// Evaluated first.
        left: Box<Expression>,
        /// Evaluated second.
        right: Box<Expression>,
        /// The place in the source.
        span: Span,
    },
    /// The rank of the operand's value in an order.
    Rank(Box<Expression>, #[serde(serialize_with = "shared")] Arc<ValueOrder>),
}

/// Serialises what several expressions share. (The feature of serde that does so would be compiled into every crate.)
fn shared<S: Serializer>(order: &Arc<ValueOrder>, to: S) -> Result<S::Ok, S::Error> {
    order.serialize(to)
}

impl Expression {
    /// `left operator right`, without a place in the source.
    pub fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Self {
        Self::Binary { operator, left: Box::new(left), right: Box::new(right), span: Span::default() }
    }

    /// True exactly when the cell holds the value.
    pub fn cell_equals(cell: CellId, value: i64) -> Self {
        Self::binary(BinaryOperator::Equal, Self::Cell(cell), Self::Constant(value))
    }

    /// True exactly when this one is false.
    pub fn negated(self) -> Self {
        Self::Unary(UnaryOperator::Not, Box::new(self))
    }
}

/// A property that the model file declares.
#[derive(Clone, Debug, Serialize)]
pub struct DeclaredProperty {
    /// The name the user selects it by.
    pub name: String,
    /// What is asked.
    pub kind: DeclaredPropertyKind,
    /// Where it is declared.
    pub span: Span,
}

/// What a declared property asks.
#[derive(Clone, Debug, Serialize)]
pub enum DeclaredPropertyKind {
    /// The expression is true in every reachable state.
    Invariant(Expression),
    /// No infinite run is accepted by the automaton, which moves with every step of the model.
    NoAcceptedRun(BuchiAutomaton),
}

/// A Büchi automaton over states: each step of the model is paired with a transition whose guard is true before it.
#[derive(Clone, Debug, Serialize)]
pub struct BuchiAutomaton {
    /// State names; the first transition leaves from `initial`.
    pub states: Vec<String>,
    /// Number of the initial state.
    pub initial: u32,
    /// Accepting states.
    pub accepting: Vec<u32>,
    /// `(from, to, guard)`
    pub transitions: Vec<(u32, u32, Expression)>,
}

/// A whole model.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GuardedCommands {
    /// Variables, by [`VariableId`].
    pub variables: Vec<Variable>,
    /// Cells, by [`CellId`].
    pub cells: Vec<Cell>,
    /// Processes, by [`ProcessId`].
    pub processes: Vec<Process>,
    /// Actions, by [`ActionId`]. Successors come in this order, grouped by the first participant's process.
    pub actions: Vec<Action>,
    /// Properties that the file declares.
    pub properties: Vec<DeclaredProperty>,
    /// Actions of which the file says that they do not wait for ever. Only runs that respect it count for properties of runs.
    pub fair_actions: Vec<(ActionId, Strength)>,
}

/// How fair runs are to an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Strength {
    /// It is taken if it can be taken always, from some point on.
    Weak,
    /// It is taken infinitely often if it can be taken infinitely often.
    Strong,
}

impl GuardedCommands {
    /// Adds a variable; `initial` gives the first cells' values, the others start at zero.
    pub fn add_variable(
        &mut self,
        name: impl Into<String>,
        process: Option<ProcessId>,
        shape: Shape,
        initial: &[i64],
        span: Span,
    ) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        let first_cell = CellId(self.cells.len() as u32);
        let variable = Variable { name: name.into(), process, shape, first_cell, span };
        for offset in 0..variable.cell_count() {
            let declared = match &variable.shape {
                Shape::Scalar(integer) => *integer,
                Shape::Array { element, .. } => *element,
                Shape::Queue { capacity, .. } if offset == 0 => IntegerType::unsigned_up_to(*capacity),
                Shape::Queue { fields, .. } => fields[(offset - 1) % fields.len()],
                Shape::Location(_) => IntegerType { bits: 32, signed: false },
            };
            let initial = declared.wrap(initial.get(offset).copied().unwrap_or(0));
            self.cells.push(Cell { variable: id, declared, initial, overflow: Overflow::default() });
        }
        self.variables.push(variable);
        id
    }

    /// Adds a process together with the variable that holds its location.
    pub fn add_process(
        &mut self,
        name: impl Into<String>,
        locations: Vec<Location>,
        initial: LocationId,
        span: Span,
    ) -> ProcessId {
        let id = ProcessId(self.processes.len() as u32);
        let name = name.into();
        let last = locations.len().saturating_sub(1) as u32;
        let variable =
            self.add_variable(name.clone(), Some(id), Shape::Location(id), &[i64::from(initial.0)], span);
        let location = self.variables[variable.0 as usize].first_cell;
        self.cells[location.index()].declared = IntegerType::unsigned_up_to(last);
        self.processes.push(Process { name, location, locations, span });
        id
    }

    /// The variable with this number.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The process with this number.
    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.0 as usize]
    }

    /// The action with this number.
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.0 as usize]
    }

    /// The values of all cells in the initial state.
    pub fn initial_state(&self) -> Vec<i64> {
        self.cells.iter().map(|cell| cell.initial).collect()
    }

    /// What people call this cell: `number[2]`, `P_0.j`, `P_0` for a location, `c.length`, `c[0].1`.
    pub fn cell_name(&self, cell: CellId) -> String {
        let variable = self.variable(self.cells[cell.index()].variable);
        let offset = cell.0 - variable.first_cell.0;
        let owner = match (&variable.shape, variable.process) {
            (Shape::Location(_), _) | (_, None) => String::new(),
            (_, Some(process)) => format!("{}.", self.process(process).name),
        };
        let name = &variable.name;
        match &variable.shape {
            Shape::Scalar(_) | Shape::Location(_) => format!("{owner}{name}"),
            Shape::Array { .. } => format!("{owner}{name}[{offset}]"),
            Shape::Queue { .. } if offset == 0 => format!("{owner}{name}.length"),
            Shape::Queue { fields, .. } => {
                let (slot, field) =
                    ((offset - 1) as usize / fields.len(), (offset - 1) as usize % fields.len());
                if fields.len() == 1 {
                    format!("{owner}{name}[{slot}]")
                } else {
                    format!("{owner}{name}[{slot}].{field}")
                }
            }
        }
    }

    /// What people call this value of this cell: a location's name, or the number.
    pub fn value_name(&self, cell: CellId, value: i64) -> String {
        if let Shape::Location(process) = self.variable(self.cells[cell.index()].variable).shape
            && let Some(location) =
                usize::try_from(value).ok().and_then(|number| self.process(process).locations.get(number))
        {
            return location.name.clone();
        }
        value.to_string()
    }

    /// What people call this action: its own name, or `P_0: NCS -> choose`, participants joined by `|`.
    pub fn action_name(&self, id: ActionId) -> String {
        let action = self.action(id);
        if let Some(name) = &action.name {
            return name.clone();
        }
        let moves: Vec<String> = action
            .participants
            .iter()
            .map(|participant| {
                let process = self.process(participant.process);
                let name = |location: LocationId| &process.locations[location.0 as usize].name;
                format!("{}: {} -> {}", process.name, name(participant.from), name(participant.to))
            })
            .collect();
        match &action.channel {
            Some(channel) => format!("{} ({channel})", moves.join(" | ")),
            None => moves.join(" | "),
        }
    }

    /// Whether the location is committed.
    pub fn is_committed(&self, process: ProcessId, location: LocationId) -> bool {
        self.process(process).locations[location.0 as usize].committed
    }
}
