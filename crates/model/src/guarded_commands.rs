//! Guarded commands: the one small language that every front end lowers to.
//!
//! A model is a set of typed variables, processes with control locations, and actions. An action is
//! enabled if each of its participants is in its source location and all its guards are true,
//! including [guards between its effects](Effect::Guard).
//! Firing it runs its effects in order and moves the participants. Analysis, compilation,
//! reductions and progress measures work on this form only, so it stays small: integers, arrays of
//! integers, bounded queues, and expressions over them.
//!
//! A state of the model is a vector of *cells*, one integer each. A scalar and a control location
//! take one cell, an array one per element, a queue one for its length followed by its messages,
//! oldest first, with unused cells at zero. So equal states have equal cells, and stores and
//! comparisons of states need no types.
//!
//! [`meaning`](crate::meaning) defines what effects and expressions mean, and the
//! [`Interpreter`](crate::interpreter::Interpreter) is the semantics.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

mod effect;
mod expression;
mod location;
mod operators;

pub use effect::{Assignment, Effect, Target};
pub use expression::Expression;
pub use location::{Location, LocationKind};
pub use operators::{BinaryOperator, UnaryOperator};

use crate::interval::CellRange;

/// A byte range in the source text of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VariableId(pub u32);

/// Number of a cell: one integer of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// The cell's position in a decoded state.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The values that a cell can hold by declaration. A value outside wraps around when it is stored.
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

    /// All values.
    pub fn range(self) -> CellRange {
        CellRange { low: self.min(), high: self.max() }
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

/// The cells that a variable takes.
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
        /// The types of the fields of a message.
        fields: Vec<IntegerType>,
        /// The number of messages that fit.
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
    /// The type of its values.
    pub declared: IntegerType,
    /// Its value in the initial state.
    pub initial: i64,
    /// The treatment of values that `declared` does not contain.
    pub overflow: Overflow,
    /// The names of the values from 0 on, if they have names: those of messages, for example.
    #[serde(skip)]
    pub names: Option<Arc<[String]>>,
}

/// The treatment of a value that is too large, or too small, for the cell that it is assigned to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Overflow {
    /// The value is cut to the declared type.
    #[default]
    Wraps,
    /// The step is a run-time error. For languages whose numbers have no bounds, such as the tokens
    /// of a Petri net.
    IsError,
    /// The case does not occur: the front end has a proof that the analyses here do not have, such
    /// as the bounds of a Petri net. (The value would be cut.)
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

/// One process that takes part in an action.
#[derive(Clone, Debug, Serialize)]
pub struct Participant {
    /// The process.
    pub process: ProcessId,
    /// Its source location.
    pub from: LocationId,
    /// Its target location.
    pub to: LocationId,
    /// Conditions, evaluated in this order after the location was tested.
    pub guards: Vec<Expression>,
    /// The transition in the source.
    pub span: Span,
}

/// A step that the model can take.
#[derive(Clone, Debug, Serialize)]
pub struct Action {
    /// The processes that move. Locations and guards are tested participant by participant, in this
    /// order.
    pub participants: Vec<Participant>,
    /// The changes of the state, each effect seeing the ones before it. Locations change after the
    /// last one.
    pub effects: Vec<Effect>,
    /// The channel over which the participants synchronise, or that one of them uses.
    pub channel: Option<String>,
    /// Its name, if not derived from the participants.
    pub name: Option<String>,
}

impl Action {
    /// The guards of all participants, in the order of their evaluation. Guards between effects are
    /// not among them: they are evaluated in other states.
    pub fn guards(&self) -> impl Iterator<Item = &Expression> {
        self.participants.iter().flat_map(|participant| &participant.guards)
    }

    /// Whether the action may turn out not to be enabled while its effects run.
    pub fn has_later_guards(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Guard(_)))
    }
}

/// A property that the model file declares.
#[derive(Clone, Debug, Serialize)]
pub struct DeclaredProperty {
    /// The name the user selects it by.
    pub name: String,
    /// The question.
    pub kind: DeclaredPropertyKind,
    /// Where it is declared.
    pub span: Span,
}

/// The question of a declared property.
#[derive(Clone, Debug, Serialize)]
pub enum DeclaredPropertyKind {
    /// The expression is true in every reachable state.
    Invariant(Expression),
    /// No infinite run is accepted by the automaton, which moves with every step of the model.
    NoAcceptedRun(BuchiAutomaton),
}

/// A Büchi automaton over states: each step of the model is paired with a transition whose guard is
/// true before it.
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
    /// Actions, by [`ActionId`]. Successors come in this order, grouped by the first participant's
    /// process.
    pub actions: Vec<Action>,
    /// Properties that the file declares.
    pub properties: Vec<DeclaredProperty>,
    /// Actions for which the model has no room, such as the creation of more processes than it has
    /// places for; ascending. A search ends when one of them is enabled, and a larger model can be
    /// made. Their last effect fails.
    pub outgrowing: Vec<ActionId>,
    /// Actions that the file declares fair. Only fair runs count for properties of runs.
    pub fair_actions: Vec<(ActionId, Strength)>,
}

/// The kind of fairness of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Strength {
    /// The action is taken if it stays enabled from some point on.
    Weak,
    /// The action is taken infinitely often if it is enabled infinitely often.
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
            self.cells.push(Cell {
                variable: id,
                declared,
                initial,
                overflow: Overflow::default(),
                names: None,
            });
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

    /// The elements that an index in `range` can name. Other indices are run-time errors.
    pub fn elements(&self, array: VariableId, range: CellRange) -> impl DoubleEndedIterator<Item = CellId> {
        let variable = self.variable(array);
        let Shape::Array { length, .. } = variable.shape else { unreachable!("only arrays are indexed") };
        let first = variable.first_cell.0;
        let (low, high) = (range.low.max(0), range.high.min(i64::from(length) - 1));
        (low..=high).map(move |index| CellId(first + index as u32))
    }

    /// The values of all cells in the initial state.
    pub fn initial_state(&self) -> Vec<i64> {
        self.cells.iter().map(|cell| cell.initial).collect()
    }

    /// The name of a cell: `number[2]`, `P_0.j`, `P_0` for a location, `c.length`, `c[0].1`.
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

    /// The name of a value of a cell: a location's name, a name of the cell's own, or the number.
    pub fn value_name(&self, cell: CellId, value: i64) -> String {
        let names = self.cells[cell.index()].names.as_deref();
        let own = || names?.get(usize::try_from(value).ok()?).map(String::as_str);
        self.location_name(cell, value).or_else(own).map_or_else(|| value.to_string(), str::to_owned)
    }

    /// The name of the location that a cell holds; `None` if the value is only a number.
    pub fn location_name(&self, cell: CellId, value: i64) -> Option<&str> {
        let Shape::Location(process) = self.variable(self.cells[cell.index()].variable).shape else {
            return None;
        };
        let location = self.process(process).locations.get(usize::try_from(value).ok()?)?;
        Some(&location.name)
    }

    /// The name of an action: its own name, or `P_0: NCS -> choose`, participants joined by `|`.
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
}
