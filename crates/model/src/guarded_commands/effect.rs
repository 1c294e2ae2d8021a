//! Effects: the changes of the state that an action makes, and guards between them.
//!
//! A new kind of effect is a variant here, a line in [`Effect::contents`], and its meaning in
//! [`meaning::execute`](crate::meaning::execute). Analyses that only ask what an effect reads and
//! writes use [`Effect::values`], [`Effect::targets`] and [`Effect::queue`].

use serde::Serialize;

use super::{CellId, Expression, Span, VariableId};

/// One change of the state, or a guard between changes.
#[derive(Clone, Debug, Serialize)]
pub enum Effect {
    /// Reads all values and all indices first, then writes all targets, in order.
    Assign(Vec<Assignment>),
    /// Appends a message. The action's guards must ensure that the queue is not full.
    Push {
        /// A variable of shape [`Shape::Queue`](super::Shape::Queue).
        queue: VariableId,
        /// One value per field.
        values: Vec<Expression>,
    },
    /// Takes the oldest message. The action's guards must ensure that the queue is not empty.
    Pop {
        /// A variable of shape [`Shape::Queue`](super::Shape::Queue).
        queue: VariableId,
        /// The target of each field; `None` drops the field.
        targets: Vec<Option<Target>>,
    },
    /// Changes nothing. If the condition is false in the state that the effects before it have
    /// made, the action is not enabled. Languages that merge the steps of an atomic sequence into
    /// one action test later statements so.
    Guard(Expression),
    /// Ends the step in a run-time error. For what a language forbids, and no other error covers.
    Fail {
        /// The error as a sentence without a capital.
        reason: String,
        /// The statement in the source text.
        span: Span,
    },
}

/// `target = value`, cut to the type of the target.
#[derive(Clone, Debug, Serialize)]
pub struct Assignment {
    /// The cell or element that is assigned.
    pub target: Target,
    /// The value that is stored.
    pub value: Expression,
}

/// The left side of an assignment.
#[derive(Clone, Debug, Serialize)]
pub enum Target {
    /// A cell known before the run.
    Cell(CellId),
    /// An element of an array; an index out of range is a run-time error.
    Element {
        /// A variable of shape [`Shape::Array`](super::Shape::Array).
        array: VariableId,
        /// Which element.
        index: Expression,
        /// Its range in the source text.
        span: Span,
    },
}

/// The parts that an effect is made of, whatever its kind.
struct Contents<'e> {
    assignments: &'e [Assignment],
    values: &'e [Expression],
    targets: &'e [Option<Target>],
    queue: Option<VariableId>,
}

impl Effect {
    fn contents(&self) -> Contents<'_> {
        let none = Contents { assignments: &[], values: &[], targets: &[], queue: None };
        match self {
            Self::Assign(assignments) => Contents { assignments, ..none },
            Self::Push { queue, values } => Contents { values, queue: Some(*queue), ..none },
            Self::Pop { queue, targets } => Contents { targets, queue: Some(*queue), ..none },
            Self::Fail { .. } => none,
            Self::Guard(condition) => Contents { values: std::slice::from_ref(condition), ..none },
        }
    }

    /// The expressions whose values the effect uses, without the indices of its targets.
    pub fn values(&self) -> impl Iterator<Item = &Expression> {
        let Contents { assignments, values, .. } = self.contents();
        assignments.iter().map(|one| &one.value).chain(values)
    }

    /// The targets that the effect assigns to.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let Contents { assignments, targets, .. } = self.contents();
        assignments.iter().map(|one| &one.target).chain(targets.iter().flatten())
    }

    /// The queue that the effect reads and changes as a whole.
    pub fn queue(&self) -> Option<VariableId> {
        self.contents().queue
    }
}

impl Target {
    /// The index of an element, which is evaluated when the effect runs.
    pub fn index(&self) -> Option<&Expression> {
        match self {
            Self::Cell(_) => None,
            Self::Element { index, .. } => Some(index),
        }
    }
}
