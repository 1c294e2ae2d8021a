//! The meaning of expressions and effects, written once and executed on several domains.
//!
//! The same action is executed on numbers (the interpreter, which *is* the semantics), on intervals
//! (which values can a cell take?), on intervals with distances (does a measure ever decrease?) and
//! in registers (machine code). What is evaluated in which order, what is read before anything is
//! written, and which primitive operations an effect consists of is the same for all of them and is
//! decided here. A *domain* supplies the primitive operations. This is abstract interpretation
//! (Cousot and Cousot, POPL 1977) with the traversal factored out.
//!
//! Two traits, because most callers only evaluate: [`ValueDomain`] gives a value to an expression,
//! [`StateDomain`] also changes a state. Analyses that need no values, only what an action reads
//! and writes, do not use a domain; they ask [`Effect`] and [`Expression`] for their structure.
//!
//! A new effect or expression is best written here with the operations that domains already have.
//! Then no domain changes. If it needs a new operation, a provided method with a sound
//! over-approximation leaves every domain except the interpreter as it is.
//!
//! Static dispatch compiles each domain to what a hand-written traversal would be.

use crate::guarded_commands::{
    Action, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType, LocationId, ProcessId,
    Span, Target, UnaryOperator, VariableId,
};
use crate::interval::CellRange;
use crate::value_order::ValueOrder;

/// The kind of a run-time error of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeErrorKind {
    /// An array was accessed outside its bounds.
    #[error("index {index} is out of range for `{array}`, which has {length} elements")]
    IndexOutOfRange {
        /// Name of the array.
        array: String,
        /// The offending index.
        index: i64,
        /// Number of elements of the array.
        length: u32,
    },
    /// The right operand of `/` or `%` was zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The right operand of `<<` or `>>` was not in 0 to 63.
    #[error("shift by {0}, which is not in 0 to 63")]
    ShiftOutOfRange(i64),
    /// A value was assigned that a cell cannot hold, and that must not be cut.
    #[error("{value} is out of range for `{cell}`, which holds {low} to {high}", low = declared.min(), high = declared.max())]
    Overflow {
        /// Name of the cell.
        cell: String,
        /// The value.
        value: i64,
        /// The values that the cell can hold.
        declared: IntegerType,
    },
    /// The model states that the step is an error: [`Effect::Fail`].
    #[error("{0}")]
    Stated(String),
}

/// A run-time error of a model, with its range in the source text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct RuntimeError {
    /// The kind of the error.
    pub kind: RuntimeErrorKind,
    /// The expression or variable in the source text.
    pub span: Span,
}

/// A domain in which expressions have values: numbers, or sets of numbers.
pub trait ValueDomain {
    /// The value of an expression.
    type Value;
    /// The reason why an expression has no value.
    type Error;

    /// The value of a literal.
    fn constant(&self, value: i64) -> Self::Value;

    /// The value of a cell.
    fn cell(&self, cell: CellId) -> Self::Value;

    /// The value of `expression`, which is the element of `array` at `index`.
    ///
    /// # Errors
    /// If the index is out of range.
    fn element(
        &self,
        expression: &Expression,
        array: VariableId,
        index: Self::Value,
        span: Span,
    ) -> Result<Self::Value, Self::Error>;

    /// The value of an operator with one operand.
    fn unary(&self, operator: UnaryOperator, operand: Self::Value) -> Self::Value;

    /// The value of an operator with two operands.
    ///
    /// # Errors
    /// If the operands have no value under this operator.
    fn binary(
        &self,
        operator: BinaryOperator,
        left: Self::Value,
        right: Self::Value,
        span: Span,
    ) -> Result<Self::Value, Self::Error>;

    /// The value of a logical operator that the left operand decides, so that the right operand is
    /// not evaluated. A domain of sets of values need not decide anything.
    fn decided(&self, operator: BinaryOperator, left: &Self::Value) -> Option<Self::Value> {
        _ = (operator, left);
        None
    }

    /// The truth of a condition, so that only one branch is evaluated. A domain of sets of values
    /// need not know it.
    fn truth(&self, condition: &Self::Value) -> Option<bool> {
        _ = condition;
        None
    }

    /// The value of one of two branches, of which the condition decides.
    fn conditional(&self, condition: Self::Value, then: Self::Value, otherwise: Self::Value) -> Self::Value;

    /// The rank of a value in an order.
    fn rank(&self, operand: Self::Value, order: &ValueOrder) -> Self::Value;
}

/// The value of an expression.
///
/// # Errors
/// The first run-time error in the order of evaluation: left operands first, the right operand of
/// `and`, `or` and `imply` only if the left one does not decide, and one branch of a conditional.
pub fn evaluate<D: ValueDomain>(domain: &D, expression: &Expression) -> Result<D::Value, D::Error> {
    match expression {
        Expression::Constant(value) => Ok(domain.constant(*value)),
        Expression::Cell(cell) => Ok(domain.cell(*cell)),
        Expression::Element { array, index, span } => {
            let index = evaluate(domain, index)?;
            domain.element(expression, *array, index, *span)
        }
        Expression::Unary(operator, operand) => Ok(domain.unary(*operator, evaluate(domain, operand)?)),
        Expression::Binary { operator, left, right, span } => {
            let left = evaluate(domain, left)?;
            if let Some(value) = domain.decided(*operator, &left) {
                return Ok(value);
            }
            let right = evaluate(domain, right)?;
            domain.binary(*operator, left, right, *span)
        }
        Expression::Conditional { condition, then, otherwise } => {
            let condition = evaluate(domain, condition)?;
            match domain.truth(&condition) {
                Some(true) => evaluate(domain, then),
                Some(false) => evaluate(domain, otherwise),
                None => {
                    let (then, otherwise) = (evaluate(domain, then)?, evaluate(domain, otherwise)?);
                    Ok(domain.conditional(condition, then, otherwise))
                }
            }
        }
        Expression::Rank(operand, order) => Ok(domain.rank(evaluate(domain, operand)?, order)),
    }
}

/// The destination of a write, after its index was evaluated.
#[derive(Clone, Copy, Debug)]
pub enum Destination<I> {
    /// A cell known before the run.
    Cell(CellId),
    /// An element of an array.
    Element(VariableId, I),
}

/// A condition on a value without which a step ends in a run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The value is an index into this array.
    Index(VariableId),
}

impl Requirement {
    /// The values that meet the requirement.
    #[inline]
    pub fn allowed(self, model: &GuardedCommands) -> CellRange {
        match self {
            Self::Index(array) => CellRange { low: 0, high: model.variable(array).cell_count() as i64 - 1 },
        }
    }

    /// The run-time error of a value that does not meet it.
    #[cold]
    pub fn error(self, model: &GuardedCommands, value: i64) -> RuntimeErrorKind {
        match self {
            Self::Index(array) => {
                let variable = model.variable(array);
                let (array, length) = (variable.name.clone(), variable.cell_count() as u32);
                RuntimeErrorKind::IndexOutOfRange { array, index: value, length }
            }
        }
    }
}

/// A domain in which actions change a state. The actions that it executes live for `'m`.
pub trait StateDomain<'m> {
    /// The value of an expression.
    type Value;
    /// The destination of a write, which is fixed before anything is written.
    type Destination;
    /// The reason why a step ends without a successor: a run-time error, or a guard between effects
    /// that is false.
    type Stop;

    /// The value of an expression in the present state.
    ///
    /// # Errors
    /// If the expression has no value.
    fn evaluate(&mut self, expression: &Expression) -> Result<Self::Value, Self::Stop>;

    /// Ends the step unless the condition is true in the present state: the action is not enabled. A
    /// domain of sets of values may go on with those in which it is true, or with all.
    ///
    /// # Errors
    /// If the condition is false, or has no value.
    fn guard(&mut self, condition: &'m Expression) -> Result<(), Self::Stop>;

    /// Ends the step with a run-time error that the model states.
    fn fail(&mut self, reason: &'m str, span: Span) -> Self::Stop;

    /// Ends the step with a run-time error unless the value meets the requirement. A domain of sets of
    /// values notes that the step may end so.
    ///
    /// # Errors
    /// If no value meets it.
    fn require(
        &mut self,
        value: &Self::Value,
        requirement: Requirement,
        span: Span,
    ) -> Result<(), Self::Stop>;

    /// The destination of a write to a cell.
    fn cell_destination(&mut self, cell: CellId) -> Self::Destination;

    /// The destination of a write to the element of `array` at `index`, which meets the requirement.
    fn element_destination(&mut self, array: VariableId, index: Self::Value) -> Self::Destination;

    /// Assigns a value.
    ///
    /// # Errors
    /// If the destination cannot hold the value and must not cut it.
    fn write(&mut self, destination: Self::Destination, value: Self::Value) -> Result<(), Self::Stop>;

    /// Appends a message to a queue that is not full.
    ///
    /// # Errors
    /// If the domain knows that the queue is full.
    fn push(&mut self, queue: VariableId, message: Vec<Self::Value>) -> Result<(), Self::Stop>;

    /// Takes the oldest message, of `fields` fields, out of a queue that is not empty.
    ///
    /// # Errors
    /// If the domain knows that the queue is empty.
    fn pop(&mut self, queue: VariableId, fields: usize) -> Result<Vec<Self::Value>, Self::Stop>;

    /// Moves a process to a location.
    fn move_to(&mut self, process: ProcessId, location: LocationId);
}

/// Executes an action whose participants are enabled: its effects in order, then the moves of its
/// participants.
///
/// # Errors
/// The first run-time error, or the first guard between effects that is false.
pub fn execute<'m, D: StateDomain<'m>>(domain: &mut D, action: &'m Action) -> Result<(), D::Stop> {
    execute_effects(domain, action)?;
    for participant in &action.participants {
        domain.move_to(participant.process, participant.to);
    }
    Ok(())
}

/// Executes the effects of an action. Each one sees the changes of those before it.
///
/// # Errors
/// The first run-time error, or the first guard that is false.
pub fn execute_effects<'m, D: StateDomain<'m>>(domain: &mut D, action: &'m Action) -> Result<(), D::Stop> {
    action.effects.iter().try_for_each(|effect| execute_effect(domain, effect))
}

/// Executes one effect.
///
/// # Errors
/// The first run-time error, or that the effect is a guard that is false.
pub fn execute_effect<'m, D: StateDomain<'m>>(domain: &mut D, effect: &'m Effect) -> Result<(), D::Stop> {
    match effect {
        Effect::Assign(assignments) => {
            let mut writes = Vec::with_capacity(assignments.len());
            for assignment in assignments {
                let value = domain.evaluate(&assignment.value)?;
                writes.push((destination(domain, &assignment.target)?, value));
            }
            write_all(domain, writes)
        }
        Effect::Push { queue, values } => {
            let message = values.iter().map(|value| domain.evaluate(value)).collect::<Result<Vec<_>, _>>()?;
            domain.push(*queue, message)
        }
        Effect::Pop { queue, targets } => {
            let message = domain.pop(*queue, targets.len())?;
            let mut writes = Vec::with_capacity(targets.len());
            for (target, value) in targets.iter().zip(message) {
                if let Some(target) = target {
                    writes.push((destination(domain, target)?, value));
                }
            }
            write_all(domain, writes)
        }
        Effect::Guard(condition) => domain.guard(condition),
        Effect::Fail { reason, span } => Err(domain.fail(reason, *span)),
    }
}

fn destination<'m, D: StateDomain<'m>>(
    domain: &mut D,
    target: &'m Target,
) -> Result<D::Destination, D::Stop> {
    match target {
        Target::Cell(cell) => Ok(domain.cell_destination(*cell)),
        Target::Element { array, index, span } => {
            let index = domain.evaluate(index)?;
            domain.require(&index, Requirement::Index(*array), *span)?;
            Ok(domain.element_destination(*array, index))
        }
    }
}

fn write_all<'m, D: StateDomain<'m>>(
    domain: &mut D,
    writes: Vec<(D::Destination, D::Value)>,
) -> Result<(), D::Stop> {
    writes.into_iter().try_for_each(|(destination, value)| domain.write(destination, value))
}
