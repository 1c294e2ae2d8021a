//! What is known of the state in the middle of a step.
//!
//! A path through an atomic sequence assigns constants, and its conditions compare cells with
//! constants. So loops like `for (i : 0 .. 3)` are unrolled: each test of `i` is decided, and no state
//! in between is stored.

use std::collections::BTreeMap;

use model::guarded_commands::{
    Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, Shape, Target, VariableId,
};

use crate::lowering::fold;

/// Cells with known values.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    cells: BTreeMap<CellId, i64>,
}

impl Known {
    /// The expression with known cells replaced by their values.
    pub(super) fn in_expression(&self, commands: &GuardedCommands, expression: Expression) -> Expression {
        if self.cells.is_empty() {
            return expression;
        }
        self.replaced(commands, &expression)
    }

    fn replaced(&self, commands: &GuardedCommands, expression: &Expression) -> Expression {
        let below = |one: &Expression| self.replaced(commands, one);
        match expression {
            Expression::Constant(value) => Expression::Constant(*value),
            Expression::Cell(cell) => {
                self.cells.get(cell).map_or_else(|| expression.clone(), |value| Expression::Constant(*value))
            }
            Expression::Element { array, index, span } => {
                let index = below(index);
                match element(commands, *array, &index) {
                    Some(cell) => below(&Expression::Cell(cell)),
                    None => Expression::Element { array: *array, index: Box::new(index), span: *span },
                }
            }
            Expression::Unary(operator, operand) => fold::unary(*operator, below(operand)),
            Expression::Binary { operator, left, right, span } => {
                let (left, right) = (below(left), below(right));
                match (operator, &left, &right) {
                    // `true && b` is `b`, where `b` is a truth value.
                    (BinaryOperator::And, Expression::Constant(value), _)
                        if *value != 0 && is_truth(&right) =>
                    {
                        right
                    }
                    (BinaryOperator::Or, Expression::Constant(0), _) if is_truth(&right) => right,
                    _ => fold::binary(*operator, left, right, *span),
                }
            }
            Expression::Conditional { condition, then, otherwise } => match below(condition) {
                Expression::Constant(0) => below(otherwise),
                Expression::Constant(_) => below(then),
                condition => Expression::Conditional {
                    condition: Box::new(condition),
                    then: Box::new(below(then)),
                    otherwise: Box::new(below(otherwise)),
                },
            },
            Expression::Rank(operand, order) => {
                Expression::Rank(Box::new(below(operand)), std::sync::Arc::clone(order))
            }
        }
    }

    /// Notes that a condition is true.
    pub(super) fn assume(&mut self, condition: &Expression) {
        let Expression::Binary { operator, left, right, .. } = condition else { return };
        match (operator, &**left, &**right) {
            (BinaryOperator::And, left, right) => {
                self.assume(left);
                self.assume(right);
            }
            (BinaryOperator::Equal, Expression::Cell(cell), Expression::Constant(value)) => {
                self.cells.insert(*cell, *value);
            }
            _ => {}
        }
    }

    /// Replaces known cells in an effect, and notes what it changes.
    pub(super) fn in_effect(&mut self, commands: &GuardedCommands, mut effect: Effect) -> Effect {
        match &mut effect {
            Effect::Assign(assignments) => {
                for Assignment { target, value } in &mut *assignments {
                    *value = self.replaced(commands, value);
                    self.in_target(commands, target);
                }
                for Assignment { target, value } in assignments {
                    self.assign(commands, target, value);
                }
            }
            Effect::Push { queue, values } => {
                for value in values {
                    *value = self.replaced(commands, value);
                }
                self.forget(commands, *queue);
            }
            Effect::Pop { queue, targets } => {
                for target in targets.iter_mut().flatten() {
                    self.in_target(commands, target);
                }
                self.forget(commands, *queue);
                for target in targets.iter().flatten() {
                    match target {
                        Target::Cell(cell) => _ = self.cells.remove(cell),
                        Target::Element { array, .. } => self.forget(commands, *array),
                    }
                }
            }
            Effect::Guard(condition) => {
                *condition = self.replaced(commands, condition);
                self.assume(condition);
            }
            Effect::Fail { .. } => {}
        }
        effect
    }

    fn in_target(&self, commands: &GuardedCommands, target: &mut Target) {
        if let Target::Element { array, index, .. } = target {
            *index = self.replaced(commands, index);
            if let Some(cell) = element(commands, *array, index) {
                *target = Target::Cell(cell);
            }
        }
    }

    fn assign(&mut self, commands: &GuardedCommands, target: &Target, value: &Expression) {
        match (target, value) {
            (Target::Cell(cell), Expression::Constant(value)) => {
                self.cells.insert(*cell, commands.cells[cell.index()].declared.wrap(*value));
            }
            (Target::Cell(cell), _) => _ = self.cells.remove(cell),
            (Target::Element { array, .. }, _) => self.forget(commands, *array),
        }
    }

    fn forget(&mut self, commands: &GuardedCommands, variable: VariableId) {
        let variable = commands.variable(variable);
        let first = variable.first_cell.0;
        let cells = CellId(first)..CellId(first + variable.cell_count() as u32);
        let gone: Vec<CellId> = self.cells.range(cells).map(|(cell, _)| *cell).collect();
        for cell in gone {
            self.cells.remove(&cell);
        }
    }
}

/// The cell of an element with a known index in range.
fn element(commands: &GuardedCommands, array: VariableId, index: &Expression) -> Option<CellId> {
    let variable = commands.variable(array);
    match (&variable.shape, index) {
        (Shape::Array { length, .. }, Expression::Constant(index)) => {
            let index = u32::try_from(*index).ok().filter(|index| index < length)?;
            Some(CellId(variable.first_cell.0 + index))
        }
        _ => None,
    }
}

/// Whether the value is 0 or 1.
pub(super) fn is_truth(value: &Expression) -> bool {
    match value {
        Expression::Constant(value) => *value == 0 || *value == 1,
        Expression::Unary(model::guarded_commands::UnaryOperator::Not, _) => true,
        Expression::Binary { operator, .. } => operator.is_logical() || operator.comparison(true).is_some(),
        _ => false,
    }
}
