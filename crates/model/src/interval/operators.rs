//! The ranges of operators: from ranges of the operands to a range that covers the values.
//!
//! Arithmetic wraps around at 64 bits, so a result that may exceed them is unknown. A property test
//! compares each operator with its value on numbers.

use super::CellRange;
use crate::guarded_commands::{BinaryOperator, UnaryOperator};

/// A range that covers the values of `operator operand` for operands in this range.
pub fn unary(operator: UnaryOperator, operand: CellRange) -> CellRange {
    match operator {
        UnaryOperator::Negate => exact(-i128::from(operand.high), -i128::from(operand.low)),
        UnaryOperator::Complement => CellRange { low: !operand.high, high: !operand.low },
        UnaryOperator::Not if !operand.may_be(true) => CellRange::exactly(1),
        UnaryOperator::Not if !operand.may_be(false) => CellRange::exactly(0),
        UnaryOperator::Not => CellRange::TRUTH,
    }
}

/// A range computed without overflow, or everything if it exceeds 64 bits and the value wraps
/// around.
fn exact(low: i128, high: i128) -> CellRange {
    match (i64::try_from(low), i64::try_from(high)) {
        (Ok(low), Ok(high)) => CellRange { low, high },
        _ => CellRange::EVERYTHING,
    }
}

/// A range that covers the values of `left operator right` for operands in these ranges. Operands
/// without a value, such as a zero divisor, do not count.
pub fn binary(operator: BinaryOperator, a: CellRange, b: CellRange) -> CellRange {
    use BinaryOperator as Op;
    let wide = |value: i64| i128::from(value);
    let decided = |always: bool, never: bool| match (always, never) {
        (true, _) => CellRange::exactly(1),
        (_, true) => CellRange::exactly(0),
        _ => CellRange::TRUTH,
    };
    let no_overlap = a.high < b.low || b.high < a.low;
    let same = a.low == a.high && a == b;
    let is_true = |range: CellRange| range.low > 0 || range.high < 0;
    let is_false = |range: CellRange| range == CellRange::exactly(0);
    match operator {
        Op::Add => exact(wide(a.low) + wide(b.low), wide(a.high) + wide(b.high)),
        Op::Subtract => exact(wide(a.low) - wide(b.high), wide(a.high) - wide(b.low)),
        Op::Multiply => {
            let products = [a.low, a.high].map(|x| [b.low, b.high].map(|y| wide(x) * wide(y)));
            let all = products.as_flattened().iter().copied();
            exact(all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
        }
        Op::Divide if a.low >= 0 && b.low >= 0 => {
            CellRange { low: a.low / b.high.max(1), high: a.high / b.low.max(1) }
        }
        Op::Divide => {
            let size = a.low.unsigned_abs().max(a.high.unsigned_abs());
            exact(-i128::from(size), i128::from(size))
        }
        Op::Remainder => {
            let largest = b.low.unsigned_abs().max(b.high.unsigned_abs()).saturating_sub(1);
            let largest = i64::try_from(largest).unwrap_or(i64::MAX);
            CellRange {
                low: if a.low >= 0 { 0 } else { a.low.max(-largest) },
                high: if a.high <= 0 { 0 } else { a.high.min(largest) },
            }
        }
        Op::BitAnd if a.low >= 0 && b.low >= 0 => CellRange { low: 0, high: a.high.min(b.high) },
        Op::BitAnd if a.low >= 0 => CellRange { low: 0, high: a.high },
        Op::BitAnd if b.low >= 0 => CellRange { low: 0, high: b.high },
        Op::BitOr | Op::BitXor if a.low >= 0 && b.low >= 0 => {
            let bits = 64 - (a.high | b.high).leading_zeros();
            CellRange { low: 0, high: if bits >= 63 { i64::MAX } else { (1 << bits) - 1 } }
        }
        Op::ShiftLeft if a.low >= 0 && (0..=32).contains(&b.high) => {
            exact(wide(a.low) << b.low.clamp(0, 63), wide(a.high) << b.high)
        }
        Op::ShiftRight if a.low >= 0 && b.low >= 0 => {
            CellRange { low: a.low >> b.high.min(63), high: a.high >> b.low.min(63) }
        }
        Op::BitAnd | Op::BitOr | Op::BitXor | Op::ShiftLeft | Op::ShiftRight => CellRange::EVERYTHING,
        Op::Equal => decided(same, no_overlap),
        Op::NotEqual => decided(no_overlap, same),
        Op::Less => decided(a.high < b.low, a.low >= b.high),
        Op::LessOrEqual => decided(a.high <= b.low, a.low > b.high),
        Op::Greater => decided(a.low > b.high, a.high <= b.low),
        Op::GreaterOrEqual => decided(a.low >= b.high, a.high < b.low),
        Op::And => decided(is_true(a) && is_true(b), is_false(a) || is_false(b)),
        Op::Or => decided(is_true(a) || is_true(b), is_false(a) && is_false(b)),
        Op::Imply => decided(is_false(a) || is_true(b), is_true(a) && is_false(b)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    const OPERATORS: [BinaryOperator; 19] = [
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::Remainder,
        BinaryOperator::BitAnd,
        BinaryOperator::BitOr,
        BinaryOperator::BitXor,
        BinaryOperator::ShiftLeft,
        BinaryOperator::ShiftRight,
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
        BinaryOperator::Less,
        BinaryOperator::LessOrEqual,
        BinaryOperator::Greater,
        BinaryOperator::GreaterOrEqual,
        BinaryOperator::And,
        BinaryOperator::Or,
        BinaryOperator::Imply,
    ];

    fn range() -> impl Strategy<Value = CellRange> {
        let end = prop_oneof![-5..6i64, -300..300i64, Just(i64::MIN), Just(i64::MAX), any::<i64>()];
        (end.clone(), end).prop_map(|(a, b)| CellRange { low: a.min(b), high: a.max(b) })
    }

    /// The ends of a range, values around zero, and the middle.
    fn members(range: CellRange) -> impl Iterator<Item = i64> {
        let middle = range.low / 2 + range.high / 2;
        [
            range.low,
            range.low.saturating_add(1),
            middle,
            -1,
            0,
            1,
            2,
            63,
            range.high.saturating_sub(1),
            range.high,
        ]
        .into_iter()
        .filter(move |value| range.low <= *value && *value <= range.high)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_range_of_an_operation_covers_its_values(a in range(), b in range(), number in 0..OPERATORS.len()) {
            let operator = OPERATORS[number];
            let covered = binary(operator, a, b);
            for left in members(a) {
                for right in members(b) {
                    if let Ok(value) = operator.apply(left, right) {
                        prop_assert!(
                            covered.low <= value && value <= covered.high,
                            "{left} {operator:?} {right} = {value} is not in {covered:?}"
                        );
                    }
                }
            }
        }
    }
}
