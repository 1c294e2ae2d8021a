//! Counterexamples and witnesses in the run record.
//!
//! A trace is recorded as its initial state and the changes of each step. All traces come from a
//! replay on the interpreter.

use engine::verdict::trace::{Change, Trace};
use engine::verdict::{Component, Length};
use model::guarded_commands::{ActionId, CellId, GuardedCommands};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of states of a terminal component that are recorded.
const RECORDED_OF_COMPONENT: usize = 100;

/// A run of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TraceRecord {
    /// The kind of the trace.
    pub kind: TraceKind,
    /// For a lasso, the number of steps before the loop; the other steps repeat forever. If there
    /// are no others, the last state repeats forever.
    pub loop_start: Option<usize>,
    /// Whether the interpreter replayed the trace.
    pub replayed: bool,
    /// The steps.
    pub steps: Vec<StepRecord>,
    /// All variables before the first step.
    pub initial: Vec<ValueRecord>,
    /// How the length compares with that of other traces for the same verdict.
    #[serde(default)]
    pub length: Option<LengthRecord>,
    /// For a terminal component, its states.
    #[serde(default)]
    pub component: Option<ComponentRecord>,
}

/// How the length of a trace compares with that of other traces for the same verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LengthRecord {
    /// No other trace is shorter.
    Shortest,
    /// The trace has the fewest regress edges, then the least progress at the end, then the fewest
    /// steps in the last layer.
    SubjectToProgress,
    /// No guarantee.
    AsFound,
}

/// A terminal strongly connected component: states that no run leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComponentRecord {
    /// Number of states, if it is known.
    pub size: Option<u64>,
    /// The first hundred states.
    pub states: Vec<Vec<ValueRecord>>,
}

/// Kind of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TraceKind {
    /// A finite run.
    Finite,
    /// A run that ends in a loop.
    Lasso,
    /// A run that ends in a terminal strongly connected component.
    Component,
}

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StepRecord {
    /// Name of the action.
    pub action: String,
    /// The changes of variables.
    pub changes: Vec<ChangeRecord>,
    /// Number of the action in the model. Two actions may have the same name.
    pub number: u32,
    /// The processes that take the step, the sender first.
    #[serde(default)]
    pub participants: Vec<String>,
    /// The channel over which they synchronise, or to which a buffered message is sent.
    #[serde(default)]
    pub channel: Option<String>,
}

/// A variable, or a cell of one, that a step changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChangeRecord {
    /// Name of the variable.
    pub variable: String,
    /// Value before the step.
    pub from: String,
    /// Value after the step.
    pub to: String,
}

/// A variable, or a cell of one, with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ValueRecord {
    /// Name of the variable.
    pub variable: String,
    /// The value.
    pub value: String,
}

impl TraceRecord {
    /// Records a finite run.
    pub fn new(commands: &GuardedCommands, trace: &Trace) -> Self {
        let steps = trace.steps.iter().enumerate().map(|(number, step)| StepRecord {
            action: commands.action_name(step.action),
            changes: ChangeRecord::all(commands, &trace.changes(number)),
            number: step.action.0,
            participants: participants(commands, step.action),
            channel: channel(commands, step.action),
        });
        Self {
            kind: TraceKind::Finite,
            loop_start: None,
            replayed: true,
            steps: steps.collect(),
            initial: ValueRecord::all(commands, &trace.initial),
            length: None,
            component: None,
        }
    }

    /// Records a run into a terminal component.
    pub(super) fn with_component(commands: &GuardedCommands, trace: &Trace, component: &Component) -> Self {
        let recorded = component.states.iter().take(RECORDED_OF_COMPONENT);
        let component = ComponentRecord {
            size: component.complete.then_some(component.states.len() as u64),
            states: recorded.map(|state| ValueRecord::all(commands, state)).collect(),
        };
        // The search does not compare the ways into a component.
        let length = Some(LengthRecord::AsFound);
        Self { kind: TraceKind::Component, length, component: Some(component), ..Self::new(commands, trace) }
    }
}

/// Names of the processes that take part in an action, in a model of several processes.
fn participants(commands: &GuardedCommands, action: ActionId) -> Vec<String> {
    if commands.processes.len() < 2 {
        return Vec::new();
    }
    let participants = commands.action(action).participants.iter();
    participants.map(|one| commands.process(one.process).name.clone()).collect()
}

/// The channel that an action uses, in a model of several processes.
fn channel(commands: &GuardedCommands, action: ActionId) -> Option<String> {
    let channel = commands.action(action).channel.clone();
    channel.filter(|_| commands.processes.len() > 1)
}

impl From<Length> for LengthRecord {
    fn from(length: Length) -> Self {
        match length {
            Length::Shortest => Self::Shortest,
            Length::SubjectToProgress => Self::SubjectToProgress,
            Length::AsFound => Self::AsFound,
        }
    }
}

impl ChangeRecord {
    /// Records changes by the names of their variables.
    pub fn all(commands: &GuardedCommands, changes: &[Change]) -> Vec<Self> {
        let named = |change: &Change| Self {
            variable: commands.cell_name(change.cell),
            from: commands.value_name(change.cell, change.from),
            to: commands.value_name(change.cell, change.to),
        };
        changes.iter().map(named).collect()
    }
}

impl ValueRecord {
    /// Records all cells of a state by their names.
    pub fn all(commands: &GuardedCommands, state: &[i64]) -> Vec<Self> {
        let cells = (0..).map(CellId).zip(state);
        cells
            .map(|(cell, &value)| Self {
                variable: commands.cell_name(cell),
                value: commands.value_name(cell, value),
            })
            .collect()
    }
}
