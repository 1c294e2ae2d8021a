//! Operators of expressions and the value of each one: the only place that evaluates an operator on
//! numbers.
//!
//! The interpreter, constant folding and the exact cases of the interval analysis all call
//! [`UnaryOperator::apply`] and [`BinaryOperator::apply`]. Machine code is the only second
//! implementation, and differential tests compare the two.

use serde::{Deserialize, Serialize};

use crate::meaning::RuntimeErrorKind;

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOperator {
    /// `-a`
    Negate,
    /// `~a`
    Complement,
    /// `!a`: 1 if `a` is 0, otherwise 0
    Not,
}

/// Operators with two operands. Comparisons and logical operators give 0 or 1; every value except 0
/// counts as true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The count must be 0 to 63; other counts are a run-time error.
    ShiftLeft,
    /// Keeps the sign; the count must be 0 to 63, and other counts are a run-time error.
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

impl UnaryOperator {
    /// The value of `operator operand`.
    #[inline]
    pub fn apply(self, operand: i64) -> i64 {
        match self {
            Self::Negate => operand.wrapping_neg(),
            Self::Complement => !operand,
            Self::Not => i64::from(operand == 0),
        }
    }
}

impl BinaryOperator {
    /// The value of `left operator right`. Logical operators take both values; the caller
    /// implements short-circuit evaluation with [`decided_by`](Self::decided_by).
    ///
    /// # Errors
    /// Division by zero, and shift counts outside 0 to 63.
    #[inline]
    pub fn apply(self, left: i64, right: i64) -> Result<i64, RuntimeErrorKind> {
        let shift_count = || match u32::try_from(right) {
            Ok(count) if count < 64 => Ok(count),
            _ => Err(RuntimeErrorKind::ShiftOutOfRange(right)),
        };
        Ok(match self {
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide | Self::Remainder if right == 0 => return Err(RuntimeErrorKind::DivisionByZero),
            Self::Divide => left.wrapping_div(right),
            Self::Remainder => left.wrapping_rem(right),
            Self::BitAnd => left & right,
            Self::BitOr => left | right,
            Self::BitXor => left ^ right,
            Self::ShiftLeft => left << shift_count()?,
            Self::ShiftRight => left >> shift_count()?,
            Self::Equal => i64::from(left == right),
            Self::NotEqual => i64::from(left != right),
            Self::Less => i64::from(left < right),
            Self::LessOrEqual => i64::from(left <= right),
            Self::Greater => i64::from(left > right),
            Self::GreaterOrEqual => i64::from(left >= right),
            Self::And => i64::from(left != 0 && right != 0),
            Self::Or => i64::from(left != 0 || right != 0),
            Self::Imply => i64::from(left == 0 || right != 0),
        })
    }

    /// The value of a logical operator whose left operand decides it, so that the right operand is
    /// not evaluated. `None` for every other operator and operand.
    #[inline]
    pub fn decided_by(self, left: i64) -> Option<i64> {
        match self {
            Self::And if left == 0 => Some(0),
            Self::Or if left != 0 => Some(1),
            Self::Imply if left == 0 => Some(1),
            _ => None,
        }
    }

    /// Whether the operator may skip its right operand.
    pub fn is_logical(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Imply)
    }

    /// Whether some operands have no value: a zero divisor, or a shift count outside 0 to 63.
    pub fn is_partial(self) -> bool {
        matches!(self, Self::Divide | Self::Remainder | Self::ShiftLeft | Self::ShiftRight)
    }

    /// The comparison that is true exactly when this one has the given truth. `None` for operators
    /// that are not comparisons.
    pub fn comparison(self, truth: bool) -> Option<Self> {
        Some(match (self, truth) {
            (Self::Equal, true) | (Self::NotEqual, false) => Self::Equal,
            (Self::NotEqual, true) | (Self::Equal, false) => Self::NotEqual,
            (Self::Less, true) | (Self::GreaterOrEqual, false) => Self::Less,
            (Self::LessOrEqual, true) | (Self::Greater, false) => Self::LessOrEqual,
            (Self::Greater, true) | (Self::LessOrEqual, false) => Self::Greater,
            (Self::GreaterOrEqual, true) | (Self::Less, false) => Self::GreaterOrEqual,
            _ => return None,
        })
    }

    /// The operator that gives the same value when a comparison's operands are exchanged. Other
    /// operators are returned as they are.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_integer_divided_by_minus_one_wraps() {
        assert_eq!(BinaryOperator::Divide.apply(i64::MIN, -1), Ok(i64::MIN));
        assert_eq!(BinaryOperator::Remainder.apply(i64::MIN, -1), Ok(0));
        assert_eq!(BinaryOperator::Divide.apply(-7, 2), Ok(-3));
        assert_eq!(BinaryOperator::Remainder.apply(-7, 2), Ok(-1));
        assert_eq!(BinaryOperator::ShiftLeft.apply(1, 64), Err(RuntimeErrorKind::ShiftOutOfRange(64)));
    }

    #[test]
    fn a_deciding_left_operand_gives_the_value_for_every_right_one() {
        for operator in [BinaryOperator::And, BinaryOperator::Or, BinaryOperator::Imply] {
            for left in [0, 1, -3] {
                let values = [0, 1, 7].map(|right| operator.apply(left, right));
                if let Some(decided) = operator.decided_by(left) {
                    assert!(values.iter().all(|value| *value == Ok(decided)));
                } else {
                    assert_eq!(values, [Ok(0), Ok(1), Ok(1)]);
                }
            }
        }
    }
}
