//! The interpreter: the semantics of a model. Small, obvious, slow.
//!
//! It executes the common [meaning](crate::meaning) of actions on numbers. Machine code must give
//! the same successors in the same order, and every trace is replayed here before a user sees it.
//! States are plain vectors of cell values, independent of any layout.
//!
//! Decisions that the languages leave open:
//! - a participant's guards are evaluated only if it is in the source location, and those of the
//!   second participant only if all guards of the first are true;
//! - `and`, `or` and `imply` do not evaluate the right operand if the left one decides, and a
//!   conditional evaluates one branch;
//! - an error in a guard counts as an erroneous step of that action;
//! - effects and the guards between them are executed in order: an error before a guard that is
//!   false counts, and one behind it does not.

use crate::guarded_commands::{
    Action, ActionId, BinaryOperator, Cell, CellId, Expression, GuardedCommands, LocationId, LocationKind,
    Overflow, ProcessId, Span, UnaryOperator, VariableId,
};
use crate::meaning::{Requirement, StateDomain, ValueDomain, evaluate, execute};
pub use crate::meaning::{RuntimeError, RuntimeErrorKind};
use crate::value_order::ValueOrder;

/// Executes guarded commands on states given as vectors of cell values.
#[derive(Debug)]
pub struct Interpreter<'m> {
    model: &'m GuardedCommands,
    /// For each process and each of its locations, the actions that start there.
    actions_from: Vec<Vec<Vec<ActionId>>>,
}

impl<'m> Interpreter<'m> {
    /// An interpreter for this model.
    pub fn new(model: &'m GuardedCommands) -> Self {
        Self { model, actions_from: actions_by_location(model) }
    }

    /// The model that is executed.
    pub fn model(&self) -> &'m GuardedCommands {
        self.model
    }

    /// Calls `visit` with each enabled action and its successor, in the order that every execution
    /// of the model keeps: by process, then in the order of the actions.
    pub fn for_each_successor(
        &self,
        state: &[i64],
        mut visit: impl FnMut(ActionId, Result<&[i64], RuntimeError>),
    ) {
        let priority = self.model.state_priority(state);
        let mut scratch = Vec::with_capacity(state.len());
        for (process, by_location) in self.model.processes.iter().zip(&self.actions_from) {
            for &id in &by_location[state[process.location.index()] as usize] {
                let action = self.model.action(id);
                match self.fire(action, priority, state, &mut scratch) {
                    Ok(false) => {}
                    Ok(true) => visit(id, Ok(&scratch)),
                    Err(error) => visit(id, Err(error)),
                }
            }
        }
    }

    /// Writes the successor by the action to `successor`; `false` if the action is not enabled.
    fn fire(
        &self,
        action: &Action,
        priority: LocationKind,
        state: &[i64],
        successor: &mut Vec<i64>,
    ) -> Result<bool, RuntimeError> {
        if self.model.priority(action) != Some(priority) || !self.is_enabled(action, state)? {
            return Ok(false);
        }
        successor.clear();
        successor.extend_from_slice(state);
        match execute(&mut Numbers { model: self.model, state: &mut successor[..] }, action) {
            Ok(()) => Ok(true),
            Err(Stop::NotEnabled) => Ok(false),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// All enabled actions with their successors.
    pub fn successors(&self, state: &[i64]) -> Vec<(ActionId, Result<Vec<i64>, RuntimeError>)> {
        let mut found = Vec::new();
        self.for_each_successor(state, |action, result| found.push((action, result.map(<[i64]>::to_vec))));
        found
    }

    /// The successor by `action`; `None` if the action is not enabled.
    pub fn step(&self, state: &[i64], action: ActionId) -> Option<Result<Vec<i64>, RuntimeError>> {
        let mut successor = Vec::new();
        match self.fire(self.model.action(action), self.model.state_priority(state), state, &mut successor) {
            Ok(true) => Some(Ok(successor)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// The value of an expression in a state.
    ///
    /// # Errors
    /// A run-time error, such as a division by zero.
    pub fn evaluate(&self, expression: &Expression, state: &[i64]) -> Result<i64, RuntimeError> {
        evaluate(&Numbers { model: self.model, state }, expression)
    }

    fn is_enabled(&self, action: &Action, state: &[i64]) -> Result<bool, RuntimeError> {
        for participant in &action.participants {
            let location = self.model.process(participant.process).location;
            if state[location.index()] != i64::from(participant.from.0) {
                return Ok(false);
            }
            for guard in &participant.guards {
                if self.evaluate(guard, state)? == 0 {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// The domain of numbers: each cell has one value. `S` is `&[i64]` for evaluation, and `&mut [i64]`
/// for execution.
struct Numbers<'m, S> {
    model: &'m GuardedCommands,
    state: S,
}

/// The reason why a step has no successor.
enum Stop {
    /// A guard between effects is false.
    NotEnabled,
    Error(RuntimeError),
}

impl From<RuntimeError> for Stop {
    fn from(error: RuntimeError) -> Self {
        Self::Error(error)
    }
}

impl<S> Numbers<'_, S> {
    fn check(&self, value: i64, requirement: Requirement, span: Span) -> Result<(), RuntimeError> {
        if requirement.allowed(self.model).contains(value) {
            return Ok(());
        }
        Err(RuntimeError { kind: requirement.error(self.model, value), span })
    }

    /// The cell of an element; the index is in range.
    fn element_cell(&self, array: VariableId, index: i64) -> CellId {
        CellId(self.model.variable(array).first_cell.0 + index as u32)
    }

    /// The value that a cell holds after an assignment.
    fn stored(&self, cell: CellId, value: i64) -> Result<i64, RuntimeError> {
        let Cell { declared, overflow, variable, .. } = self.model.cells[cell.index()];
        if overflow != Overflow::IsError || declared.contains(value) {
            return Ok(declared.wrap(value));
        }
        let kind = RuntimeErrorKind::Overflow { cell: self.model.cell_name(cell), value, declared };
        Err(RuntimeError { kind, span: self.model.variable(variable).span })
    }
}

impl ValueDomain for Numbers<'_, &[i64]> {
    type Value = i64;
    type Error = RuntimeError;

    fn constant(&self, value: i64) -> i64 {
        value
    }

    fn cell(&self, cell: CellId) -> i64 {
        self.state[cell.index()]
    }

    fn element(
        &self,
        _: &Expression,
        array: VariableId,
        index: i64,
        span: Span,
    ) -> Result<i64, RuntimeError> {
        self.check(index, Requirement::Index(array), span)?;
        Ok(self.state[self.element_cell(array, index).index()])
    }

    fn unary(&self, operator: UnaryOperator, operand: i64) -> i64 {
        operator.apply(operand)
    }

    fn binary(
        &self,
        operator: BinaryOperator,
        left: i64,
        right: i64,
        span: Span,
    ) -> Result<i64, RuntimeError> {
        operator.apply(left, right).map_err(|kind| RuntimeError { kind, span })
    }

    fn decided(&self, operator: BinaryOperator, left: &i64) -> Option<i64> {
        operator.decided_by(*left)
    }

    fn truth(&self, condition: &i64) -> Option<bool> {
        Some(*condition != 0)
    }

    fn conditional(&self, condition: i64, then: i64, otherwise: i64) -> i64 {
        if condition != 0 { then } else { otherwise }
    }

    fn rank(&self, operand: i64, order: &ValueOrder) -> i64 {
        order.rank(operand)
    }
}

impl<'m> StateDomain<'m> for Numbers<'_, &mut [i64]> {
    type Value = i64;
    type Destination = CellId;
    type Stop = Stop;

    fn evaluate(&mut self, expression: &Expression) -> Result<i64, Stop> {
        Ok(evaluate(&Numbers { model: self.model, state: &*self.state }, expression)?)
    }

    fn guard(&mut self, condition: &'m Expression) -> Result<(), Stop> {
        match self.evaluate(condition)? {
            0 => Err(Stop::NotEnabled),
            _ => Ok(()),
        }
    }

    fn fail(&mut self, reason: &'m str, span: Span) -> Stop {
        Stop::Error(RuntimeError { kind: RuntimeErrorKind::Stated(reason.to_owned()), span })
    }

    fn require(&mut self, value: &i64, requirement: Requirement, span: Span) -> Result<(), Stop> {
        Ok(self.check(*value, requirement, span)?)
    }

    fn cell_destination(&mut self, cell: CellId) -> CellId {
        cell
    }

    fn element_destination(&mut self, array: VariableId, index: i64) -> CellId {
        self.element_cell(array, index)
    }

    fn write(&mut self, cell: CellId, value: i64) -> Result<(), Stop> {
        self.state[cell.index()] = self.stored(cell, value)?;
        Ok(())
    }

    fn push(&mut self, queue: VariableId, message: Vec<i64>) -> Result<(), Stop> {
        let length = self.model.variable(queue).first_cell.index();
        let first = length + 1 + self.state[length] as usize * message.len();
        for (cell, value) in (first..).zip(message) {
            self.state[cell] = self.model.cells[cell].declared.wrap(value);
        }
        self.state[length] += 1;
        Ok(())
    }

    fn pop(&mut self, queue: VariableId, fields: usize) -> Result<Vec<i64>, Stop> {
        let variable = self.model.variable(queue);
        let length = variable.first_cell.index();
        let cells = length + 1..length + variable.cell_count();
        let message = self.state[cells.clone()][..fields].to_vec();
        self.state.copy_within(cells.start + fields..cells.end, cells.start);
        self.state[cells.end - fields..cells.end].fill(0);
        self.state[length] -= 1;
        Ok(message)
    }

    fn move_to(&mut self, process: ProcessId, location: LocationId) {
        self.state[self.model.process(process).location.index()] = i64::from(location.0);
    }
}

/// For each process and each of its locations, the actions whose first participant starts there, in
/// order.
pub fn actions_by_location(model: &GuardedCommands) -> Vec<Vec<Vec<ActionId>>> {
    let mut table: Vec<Vec<Vec<ActionId>>> =
        model.processes.iter().map(|process| vec![Vec::new(); process.locations.len()]).collect();
    for (number, action) in model.actions.iter().enumerate() {
        let first = &action.participants[0];
        table[first.process.0 as usize][first.from.0 as usize].push(ActionId(number as u32));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarded_commands::{Assignment, Effect, IntegerType, Location, Participant, Shape, Target};

    /// One process with a single location, two bytes `x` and `y`, an array of two, a queue for two
    /// bytes, and one action with these guards and effects.
    fn model(guards: Vec<Expression>, effects: Vec<Effect>) -> GuardedCommands {
        let mut model = GuardedCommands::default();
        let byte = IntegerType::BYTE;
        model.add_variable("x", None, Shape::Scalar(byte), &[1], Span::default());
        model.add_variable("y", None, Shape::Scalar(byte), &[2], Span::default());
        model.add_variable("a", None, Shape::Array { element: byte, length: 2 }, &[7, 8], Span::default());
        model.add_variable("q", None, Shape::Queue { fields: vec![byte], capacity: 2 }, &[], Span::default());
        let location = Location { name: "l".into(), kind: LocationKind::Ordinary, span: Span::default() };
        let process = model.add_process("P", vec![location], LocationId(0), Span::default());
        let at = LocationId(0);
        let participant = Participant { process, from: at, to: at, guards, span: Span::default() };
        model.actions.push(Action { participants: vec![participant], effects, channel: None, name: None });
        model
    }

    const X: Expression = Expression::Cell(CellId(0));
    const Y: Expression = Expression::Cell(CellId(1));
    const A: VariableId = VariableId(2);
    const Q: VariableId = VariableId(3);

    fn element(index: Expression) -> Expression {
        Expression::Element { array: A, index: Box::new(index), span: Span::default() }
    }

    fn set(cell: u32, value: Expression) -> Assignment {
        Assignment { target: Target::Cell(CellId(cell)), value }
    }

    fn successor(model: &GuardedCommands) -> Vec<(ActionId, Result<Vec<i64>, RuntimeError>)> {
        Interpreter::new(model).successors(&model.initial_state())
    }

    #[test]
    fn a_simultaneous_assignment_swaps() {
        let model = model(vec![], vec![Effect::Assign(vec![set(0, Y), set(1, X)])]);
        assert_eq!(successor(&model)[0].1.as_ref().unwrap()[..2], [2, 1]);
    }

    #[test]
    fn effects_see_the_ones_before_and_values_wrap() {
        let minus_three = Expression::binary(BinaryOperator::Subtract, X, Expression::Constant(3));
        let model =
            model(vec![], vec![Effect::Assign(vec![set(0, minus_three)]), Effect::Assign(vec![set(1, X)])]);
        assert_eq!(successor(&model)[0].1.as_ref().unwrap()[..2], [254, 254]);
    }

    #[test]
    fn unused_places_of_a_queue_are_zero() {
        let push = |value| Effect::Push { queue: Q, values: vec![value] };
        let pop = Effect::Pop { queue: Q, targets: vec![Some(Target::Cell(CellId(0)))] };
        let model = model(vec![], vec![push(Y), push(Expression::Constant(9)), pop]);
        // x = 2 came out; one message is left, the place behind it is zero.
        assert_eq!(successor(&model)[0].1.as_ref().unwrap()[..], [2, 2, 7, 8, 1, 9, 0, 0]);
    }

    #[test]
    fn the_right_operand_is_not_evaluated_when_the_left_one_decides() {
        let outside = || element(Expression::Constant(5));
        let guard = |operator, left| Expression::binary(operator, Expression::Constant(left), outside());
        for (operator, left, enabled) in
            [(BinaryOperator::And, 0, 0), (BinaryOperator::Or, 1, 1), (BinaryOperator::Imply, 0, 1)]
        {
            let model = model(vec![guard(operator, left)], vec![]);
            let steps = successor(&model);
            assert!(steps.len() == enabled && steps.iter().all(|(_, step)| step.is_ok()));
        }
    }

    #[test]
    fn a_conditional_evaluates_one_branch() {
        let outside = || element(Expression::Constant(5));
        let chosen = |condition, then, otherwise| {
            let value = Expression::conditional(Expression::Constant(condition), then, otherwise);
            successor(&model(vec![], vec![Effect::Assign(vec![set(0, value)])]))[0].1.clone()
        };
        assert_eq!(chosen(-3, Y, outside()).unwrap()[0], 2);
        assert_eq!(chosen(0, outside(), Y).unwrap()[0], 2);
        assert!(chosen(1, outside(), Y).is_err());
    }

    #[test]
    fn errors_in_guards_and_effects_are_erroneous_steps() {
        let outside = model(vec![element(X), element(Y)], vec![]);
        let error = successor(&outside)[0].1.clone().unwrap_err();
        assert_eq!(error.to_string(), "index 2 is out of range for `a`, which has 2 elements");
        let by_zero = Expression::binary(BinaryOperator::Divide, X, Expression::Constant(0));
        let divided = model(vec![], vec![Effect::Assign(vec![set(0, by_zero)])]);
        assert_eq!(successor(&divided)[0].1.clone().unwrap_err().kind, RuntimeErrorKind::DivisionByZero);
    }

    #[test]
    fn a_guard_between_effects_sees_the_ones_before_it() {
        let guard = |value| Effect::Guard(Expression::cell_equals(CellId(0), value));
        let copy = || Effect::Assign(vec![set(0, Y)]);
        let wrong = || Effect::Assign(vec![set(1, element(Expression::Constant(5)))]);
        assert_eq!(successor(&model(vec![], vec![guard(1), copy(), guard(2)]))[0].1.as_ref().unwrap()[0], 2);
        assert!(successor(&model(vec![], vec![copy(), guard(1)])).is_empty());
        assert!(successor(&model(vec![], vec![copy(), guard(1), wrong()])).is_empty());
        assert!(successor(&model(vec![], vec![wrong(), copy(), guard(1)]))[0].1.is_err());
        let undefined = Effect::Guard(element(Expression::Constant(5)));
        assert!(successor(&model(vec![], vec![undefined]))[0].1.is_err());
    }

    #[test]
    fn a_stated_error_counts_when_it_is_reached() {
        let fail = || Effect::Fail { reason: "no partner".into(), span: Span::new(3, 7) };
        let guard = |value| Effect::Guard(Expression::cell_equals(CellId(0), value));
        let error = successor(&model(vec![], vec![guard(1), fail()]))[0].1.clone().unwrap_err();
        assert_eq!((error.to_string().as_str(), error.span), ("no partner", Span::new(3, 7)));
        assert!(successor(&model(vec![], vec![guard(2), fail()])).is_empty());
    }

    #[test]
    fn a_value_too_large_is_an_error_where_it_must_not_wrap() {
        let more = Expression::binary(BinaryOperator::Add, X, Expression::Constant(255));
        let mut model = model(vec![], vec![Effect::Assign(vec![set(0, more)])]);
        assert_eq!(successor(&model)[0].1.as_ref().unwrap()[0], 0);
        model.cells[0].overflow = Overflow::IsError;
        let error = successor(&model)[0].1.clone().unwrap_err();
        assert_eq!(error.to_string(), "256 is out of range for `x`, which holds 0 to 255");
    }

    #[test]
    fn committed_locations_go_first() {
        let mut model = model(vec![], vec![]);
        let location = |kind| Location { name: "l".into(), kind, span: Span::default() };
        let other = model.add_process(
            "Q",
            vec![location(LocationKind::Committed), location(LocationKind::Ordinary)],
            LocationId(0),
            Span::default(),
        );
        let step = |process: ProcessId, from, to| Action {
            participants: vec![Participant {
                process,
                from: LocationId(from),
                to: LocationId(to),
                guards: vec![],
                span: Span::default(),
            }],
            effects: vec![],
            channel: None,
            name: None,
        };
        model.actions.push(step(other, 0, 1));
        let interpreter = Interpreter::new(&model);
        let first = interpreter.successors(&model.initial_state());
        assert_eq!(first.iter().map(|(action, _)| action.0).collect::<Vec<_>>(), [1]);
        let second = interpreter.successors(first[0].1.as_ref().unwrap());
        assert_eq!(second.iter().map(|(action, _)| action.0).collect::<Vec<_>>(), [0]);
    }
}
