//! The interpreter: what a model means. Small, obvious, slow.
//!
//! Machine code must give the same successors in the same order, and every trace is replayed here before anyone
//! sees it. States are plain vectors of cell values, independent of any layout.
//!
//! Decisions that the languages leave open:
//! - a participant's guards are evaluated only when it stands in the source location, and those of the second
//!   participant only when all guards of the first are true;
//! - `and`, `or` and `imply` do not evaluate the right operand when the left one decides;
//! - an error in a guard counts as an erroneous step of that action.

use super::guarded_commands::{
    Action, ActionId, Assignment, BinaryOperator, Cell, CellId, Effect, Expression, GuardedCommands,
    IntegerType, Overflow, Place, Shape, Span, UnaryOperator, VariableId,
};

/// What went wrong while a model ran.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeErrorKind {
    /// An array was accessed outside its bounds.
    #[error("index {index} is out of range for `{array}`, which has {length} elements")]
    IndexOutOfRange {
        /// Name of the array.
        array: String,
        /// The offending index.
        index: i64,
        /// How many elements there are.
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
        /// What the cell can hold.
        declared: IntegerType,
    },
}

/// A run-time error of the model, with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct RuntimeError {
    /// What went wrong.
    pub kind: RuntimeErrorKind,
    /// Where in the model.
    pub span: Span,
}

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

    /// Calls `visit` with each enabled action and the state it leads to, in the order that every execution of the
    /// model keeps: by process, then in the order of the actions.
    pub fn for_each_successor(
        &self,
        state: &[i64],
        mut visit: impl FnMut(ActionId, Result<&[i64], RuntimeError>),
    ) {
        let committed = self.in_committed_location(state);
        let mut scratch = Vec::with_capacity(state.len());
        for (process, by_location) in self.model.processes.iter().zip(&self.actions_from) {
            for &id in &by_location[state[process.location.index()] as usize] {
                let action = self.model.action(id);
                match self.fire(action, committed, state, &mut scratch) {
                    Ok(false) => {}
                    Ok(true) => visit(id, Ok(&scratch)),
                    Err(error) => visit(id, Err(error)),
                }
            }
        }
    }

    /// Puts the state that the action leads to into `successor`; `false` if it is not enabled.
    fn fire(
        &self,
        action: &Action,
        committed: bool,
        state: &[i64],
        successor: &mut Vec<i64>,
    ) -> Result<bool, RuntimeError> {
        if !self.may_fire(action, committed) || !self.is_enabled(action, state)? {
            return Ok(false);
        }
        successor.clear();
        successor.extend_from_slice(state);
        self.run_effects(action, successor)?;
        Ok(true)
    }

    /// All enabled actions with the states they lead to.
    pub fn successors(&self, state: &[i64]) -> Vec<(ActionId, Result<Vec<i64>, RuntimeError>)> {
        let mut found = Vec::new();
        self.for_each_successor(state, |action, result| found.push((action, result.map(<[i64]>::to_vec))));
        found
    }

    /// The state that `action` leads to, `None` if it is not enabled.
    pub fn step(&self, state: &[i64], action: ActionId) -> Option<Result<Vec<i64>, RuntimeError>> {
        let mut successor = Vec::new();
        match self.fire(self.model.action(action), self.in_committed_location(state), state, &mut successor) {
            Ok(true) => Some(Ok(successor)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// The value of an expression in a state.
    pub fn evaluate(&self, expression: &Expression, state: &[i64]) -> Result<i64, RuntimeError> {
        match expression {
            Expression::Constant(value) => Ok(*value),
            Expression::Cell(cell) => Ok(state[cell.index()]),
            Expression::Element { array, index, span } => {
                let index = self.evaluate(index, state)?;
                Ok(state[self.element(*array, index, *span)?.index()])
            }
            Expression::Unary(operator, operand) => {
                Ok(apply_unary(*operator, self.evaluate(operand, state)?))
            }
            Expression::Binary { operator, left, right, span } => {
                let left = self.evaluate(left, state)?;
                match operator {
                    BinaryOperator::And if left == 0 => return Ok(0),
                    BinaryOperator::Or if left != 0 => return Ok(1),
                    BinaryOperator::Imply if left == 0 => return Ok(1),
                    _ => {}
                }
                let right = self.evaluate(right, state)?;
                apply(*operator, left, right).map_err(|kind| RuntimeError { kind, span: *span })
            }
            Expression::Rank(operand, order) => Ok(order.rank(self.evaluate(operand, state)?)),
        }
    }

    fn in_committed_location(&self, state: &[i64]) -> bool {
        self.model
            .processes
            .iter()
            .any(|process| process.locations[state[process.location.index()] as usize].committed)
    }

    /// Whether the action starts from the right kind of locations: all committed, or none.
    fn may_fire(&self, action: &Action, committed: bool) -> bool {
        action.participants.iter().all(|one| self.model.is_committed(one.process, one.from) == committed)
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

    fn run_effects(&self, action: &Action, state: &mut [i64]) -> Result<(), RuntimeError> {
        for effect in &action.effects {
            match effect {
                Effect::Assign(assignments) => self.assign(assignments, state)?,
                Effect::Push { queue, values } => {
                    let values = values
                        .iter()
                        .map(|value| self.evaluate(value, state))
                        .collect::<Result<Vec<_>, _>>()?;
                    self.push(*queue, &values, state);
                }
                Effect::Pop { queue, places } => self.pop(*queue, places, state)?,
            }
        }
        for participant in &action.participants {
            state[self.model.process(participant.process).location.index()] = i64::from(participant.to.0);
        }
        Ok(())
    }

    fn assign(&self, assignments: &[Assignment], state: &mut [i64]) -> Result<(), RuntimeError> {
        let mut writes = Vec::with_capacity(assignments.len());
        for Assignment { place, value } in assignments {
            let value = self.evaluate(value, state)?;
            writes.push((self.place(place, state)?, value));
        }
        for (cell, value) in writes {
            state[cell.index()] = self.stored(cell, value)?;
        }
        Ok(())
    }

    fn push(&self, queue: VariableId, values: &[i64], state: &mut [i64]) {
        let length = self.model.variable(queue).first_cell.index();
        let first = length + 1 + state[length] as usize * values.len();
        for (cell, &value) in (first..).zip(values) {
            state[cell] = self.model.cells[cell].declared.wrap(value);
        }
        state[length] += 1;
    }

    fn pop(
        &self,
        queue: VariableId,
        places: &[Option<Place>],
        state: &mut [i64],
    ) -> Result<(), RuntimeError> {
        let variable = self.model.variable(queue);
        let length = variable.first_cell.index();
        let cells = length + 1..length + variable.cell_count();
        let message: Vec<i64> = state[cells.clone()][..places.len()].to_vec();
        state.copy_within(cells.start + places.len()..cells.end, cells.start);
        state[cells.end - places.len()..cells.end].fill(0);
        state[length] -= 1;
        let mut writes = Vec::with_capacity(places.len());
        for (place, value) in places.iter().zip(message) {
            if let Some(place) = place {
                writes.push((self.place(place, state)?, value));
            }
        }
        for (cell, value) in writes {
            state[cell.index()] = self.stored(cell, value)?;
        }
        Ok(())
    }

    /// What a cell holds after a value was assigned to it.
    fn stored(&self, cell: CellId, value: i64) -> Result<i64, RuntimeError> {
        let Cell { declared, overflow, variable, .. } = self.model.cells[cell.index()];
        if overflow != Overflow::IsError || declared.contains(value) {
            return Ok(declared.wrap(value));
        }
        let kind = RuntimeErrorKind::Overflow { cell: self.model.cell_name(cell), value, declared };
        Err(RuntimeError { kind, span: self.model.variable(variable).span })
    }

    fn place(&self, place: &Place, state: &[i64]) -> Result<CellId, RuntimeError> {
        match place {
            Place::Cell(cell) => Ok(*cell),
            Place::Element { array, index, span } => {
                let index = self.evaluate(index, state)?;
                self.element(*array, index, *span)
            }
        }
    }

    fn element(&self, array: VariableId, index: i64, span: Span) -> Result<CellId, RuntimeError> {
        let variable = self.model.variable(array);
        let Shape::Array { length, .. } = variable.shape else { unreachable!("only arrays are indexed") };
        if (0..i64::from(length)).contains(&index) {
            Ok(CellId(variable.first_cell.0 + index as u32))
        } else {
            let array = variable.name.clone();
            Err(RuntimeError { kind: RuntimeErrorKind::IndexOutOfRange { array, index, length }, span })
        }
    }
}

/// For each process and each of its locations, the actions whose first participant starts there, in order.
pub fn actions_by_location(model: &GuardedCommands) -> Vec<Vec<Vec<ActionId>>> {
    let mut table: Vec<Vec<Vec<ActionId>>> =
        model.processes.iter().map(|process| vec![Vec::new(); process.locations.len()]).collect();
    for (number, action) in model.actions.iter().enumerate() {
        let first = &action.participants[0];
        table[first.process.0 as usize][first.from.0 as usize].push(ActionId(number as u32));
    }
    table
}

/// `operator operand`.
pub fn apply_unary(operator: UnaryOperator, operand: i64) -> i64 {
    match operator {
        UnaryOperator::Negate => operand.wrapping_neg(),
        UnaryOperator::Complement => !operand,
        UnaryOperator::Not => i64::from(operand == 0),
    }
}

/// `left operator right`. Logical operators take both values, short-circuiting is the caller's.
pub fn apply(operator: BinaryOperator, left: i64, right: i64) -> Result<i64, RuntimeErrorKind> {
    use BinaryOperator as Op;
    let shift_count = || match u32::try_from(right) {
        Ok(count) if count < 64 => Ok(count),
        _ => Err(RuntimeErrorKind::ShiftOutOfRange(right)),
    };
    Ok(match operator {
        Op::Add => left.wrapping_add(right),
        Op::Subtract => left.wrapping_sub(right),
        Op::Multiply => left.wrapping_mul(right),
        Op::Divide if right == 0 => return Err(RuntimeErrorKind::DivisionByZero),
        Op::Divide => left.wrapping_div(right),
        Op::Remainder if right == 0 => return Err(RuntimeErrorKind::DivisionByZero),
        Op::Remainder => left.wrapping_rem(right),
        Op::BitAnd => left & right,
        Op::BitOr => left | right,
        Op::BitXor => left ^ right,
        Op::ShiftLeft => left << shift_count()?,
        Op::ShiftRight => left >> shift_count()?,
        Op::Equal => i64::from(left == right),
        Op::NotEqual => i64::from(left != right),
        Op::Less => i64::from(left < right),
        Op::LessOrEqual => i64::from(left <= right),
        Op::Greater => i64::from(left > right),
        Op::GreaterOrEqual => i64::from(left >= right),
        Op::And => i64::from(left != 0 && right != 0),
        Op::Or => i64::from(left != 0 || right != 0),
        Op::Imply => i64::from(left == 0 || right != 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarded_commands::{Location, LocationId, Participant, ProcessId};

    /// One process with a single location, two bytes `x` and `y`, an array of two, a queue for two bytes, and one
    /// action with these guards and effects.
    fn model(guards: Vec<Expression>, effects: Vec<Effect>) -> GuardedCommands {
        let mut model = GuardedCommands::default();
        let byte = IntegerType::BYTE;
        model.add_variable("x", None, Shape::Scalar(byte), &[1], Span::default());
        model.add_variable("y", None, Shape::Scalar(byte), &[2], Span::default());
        model.add_variable("a", None, Shape::Array { element: byte, length: 2 }, &[7, 8], Span::default());
        model.add_variable("q", None, Shape::Queue { fields: vec![byte], capacity: 2 }, &[], Span::default());
        let location = Location { name: "l".into(), committed: false, span: Span::default() };
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
        Assignment { place: Place::Cell(CellId(cell)), value }
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
        let pop = Effect::Pop { queue: Q, places: vec![Some(Place::Cell(CellId(0)))] };
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
    fn errors_in_guards_and_effects_are_erroneous_steps() {
        let outside = model(vec![element(X), element(Y)], vec![]);
        let error = successor(&outside)[0].1.clone().unwrap_err();
        assert_eq!(error.to_string(), "index 2 is out of range for `a`, which has 2 elements");
        let by_zero = Expression::binary(BinaryOperator::Divide, X, Expression::Constant(0));
        let divided = model(vec![], vec![Effect::Assign(vec![set(0, by_zero)])]);
        assert_eq!(successor(&divided)[0].1.clone().unwrap_err().kind, RuntimeErrorKind::DivisionByZero);
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
        let location = |committed| Location { name: "l".into(), committed, span: Span::default() };
        let other =
            model.add_process("Q", vec![location(true), location(false)], LocationId(0), Span::default());
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

    #[test]
    fn the_least_integer_divided_by_minus_one_wraps() {
        assert_eq!(apply(BinaryOperator::Divide, i64::MIN, -1), Ok(i64::MIN));
        assert_eq!(apply(BinaryOperator::Remainder, i64::MIN, -1), Ok(0));
        assert_eq!(apply(BinaryOperator::Divide, -7, 2), Ok(-3));
        assert_eq!(apply(BinaryOperator::Remainder, -7, 2), Ok(-1));
        assert_eq!(apply(BinaryOperator::ShiftLeft, 1, 64), Err(RuntimeErrorKind::ShiftOutOfRange(64)));
    }
}
