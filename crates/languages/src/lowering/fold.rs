//! Constant folding: expressions built from smaller ones, with constant parts computed.
//!
//! Generated models are full of `(2 + 1) % 3`. Computing such parts once makes indices constant,
//! which turns array accesses into plain cells for every later stage. Folding never changes what a
//! run sees: values come from the interpreter's own operators, and `1 / 0` stays as it is and fails when,
//! and only when, it is evaluated.

use std::sync::Arc;

use model::guarded_commands::{BinaryOperator, Expression, Span, UnaryOperator};
use model::value_order::ValueOrder;

/// Builds `operator operand`.
pub(crate) fn unary(operator: UnaryOperator, operand: Expression) -> Expression {
    match operand {
        Expression::Constant(value) => Expression::Constant(operator.apply(value)),
        operand => Expression::Unary(operator, Box::new(operand)),
    }
}

/// Builds `left operator right`.
pub(crate) fn binary(
    operator: BinaryOperator,
    left: Expression,
    right: Expression,
    span: Span,
) -> Expression {
    let known = match (&left, &right) {
        (Expression::Constant(left), Expression::Constant(right)) => operator.apply(*left, *right).ok(),
        // The right operand would never be evaluated, so it can go, even if it would fail.
        (Expression::Constant(left), _) => operator.decided_by(*left),
        _ => None,
    };
    match known {
        Some(value) => Expression::Constant(value),
        None => Expression::Binary { operator, left: Box::new(left), right: Box::new(right), span },
    }
}

/// Builds the rank of `operand` in `order`.
pub(crate) fn rank(operand: Expression, order: ValueOrder) -> Expression {
    match operand {
        Expression::Constant(value) => Expression::Constant(order.rank(value)),
        operand => Expression::Rank(Box::new(operand), Arc::new(order)),
    }
}

/// Builds the conjunction of `conditions`, in order; true if there is none.
pub(crate) fn all(conditions: Vec<Expression>) -> Expression {
    balanced(BinaryOperator::And, conditions).unwrap_or(Expression::Constant(1))
}

/// Builds the disjunction of `conditions`, in order; false if there is none.
pub(crate) fn any(conditions: Vec<Expression>) -> Expression {
    balanced(BinaryOperator::Or, conditions).unwrap_or(Expression::Constant(0))
}

/// Builds the sum of `terms`; zero if there is none.
pub(crate) fn sum(terms: Vec<Expression>) -> Expression {
    balanced(BinaryOperator::Add, terms).unwrap_or(Expression::Constant(0))
}

/// Builds a balanced tree from the operands of an associative operator, in order; `None` if there is
/// no operand.
pub(crate) fn balanced(operator: BinaryOperator, operands: Vec<Expression>) -> Option<Expression> {
    Expression::balanced(operands, |left, right| binary(operator, left, right, Span::default()))
}

#[cfg(test)]
mod tests {
    use model::guarded_commands::CellId;

    use super::*;
    use Expression::Constant;

    fn fold(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
        binary(operator, left, right, Span::default())
    }

    #[test]
    fn run_time_errors_survive() {
        for (operator, right) in [
            (BinaryOperator::Divide, 0),
            (BinaryOperator::Remainder, 0),
            (BinaryOperator::ShiftLeft, 64),
            (BinaryOperator::ShiftRight, -1),
        ] {
            assert!(matches!(fold(operator, Constant(1), Constant(right)), Expression::Binary { .. }));
        }
    }

    #[test]
    fn arithmetic_wraps() {
        assert_eq!(fold(BinaryOperator::Divide, Constant(i64::MIN), Constant(-1)), Constant(i64::MIN));
        assert_eq!(fold(BinaryOperator::Remainder, Constant(i64::MIN), Constant(-1)), Constant(0));
        assert_eq!(fold(BinaryOperator::Remainder, Constant(-7), Constant(3)), Constant(-1));
        assert_eq!(fold(BinaryOperator::ShiftRight, Constant(-8), Constant(1)), Constant(-4));
        assert_eq!(unary(UnaryOperator::Negate, Constant(i64::MIN)), Constant(i64::MIN));
    }

    #[test]
    fn a_decided_left_operand_hides_the_right_one() {
        let cell = || Expression::Cell(CellId(0));
        assert_eq!(fold(BinaryOperator::And, Constant(0), cell()), Constant(0));
        assert_eq!(fold(BinaryOperator::Or, Constant(7), cell()), Constant(1));
        assert_eq!(fold(BinaryOperator::Imply, Constant(0), cell()), Constant(1));
        assert!(matches!(fold(BinaryOperator::And, cell(), Constant(0)), Expression::Binary { .. }));
    }

    #[test]
    fn a_long_conjunction_is_shallow_and_keeps_its_order() {
        fn depth(expression: &Expression) -> usize {
            match expression {
                Expression::Binary { left, right, .. } => 1 + depth(left).max(depth(right)),
                _ => 0,
            }
        }
        fn cells(expression: &Expression, order: &mut Vec<u32>) {
            match expression {
                Expression::Binary { left, right, .. } => {
                    cells(left, order);
                    cells(right, order);
                }
                Expression::Cell(cell) => order.push(cell.0),
                _ => {}
            }
        }
        let conjunction = all((0..1000).map(|cell| Expression::Cell(CellId(cell))).collect());
        let mut order = Vec::new();
        cells(&conjunction, &mut order);
        assert_eq!(order, (0..1000).collect::<Vec<u32>>());
        assert_eq!(depth(&conjunction), 10);
        assert_eq!(all(Vec::new()), Constant(1));
    }
}
