//! Intervals of integers, for every analysis that computes with sets of values.
//!
//! [`CellRange`] has 64-bit ends: the values of a cell or of an expression, which never leave 64
//! bits. [`Interval`] has 128-bit ends: differences of such values, and what comparisons say about
//! them, without overflow. The ranges of operators are in `operators.rs`.

mod operators;

use serde::{Deserialize, Serialize};

pub use operators::{binary, unary};

use crate::guarded_commands::BinaryOperator;

/// The 64-bit integers from `low` to `high`: the values that a cell or an expression takes, as far
/// as an analysis or a sample knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CellRange {
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
}

impl CellRange {
    /// All 64-bit integers.
    pub const EVERYTHING: Self = Self { low: i64::MIN, high: i64::MAX };
    /// The values of comparisons and logical operators.
    pub const TRUTH: Self = Self { low: 0, high: 1 };

    /// The range with only this value.
    pub fn exactly(value: i64) -> Self {
        Self { low: value, high: value }
    }

    /// The least range that covers both.
    pub fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The values in both ranges; `None` if there are none.
    pub fn meet(self, other: Self) -> Option<Self> {
        let met = Self { low: self.low.max(other.low), high: self.high.min(other.high) };
        (met.low <= met.high).then_some(met)
    }

    /// Whether `other` lies inside this range.
    pub fn covers(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether the range contains the value.
    pub fn contains(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether a condition with these values may have the given truth.
    pub fn may_be(self, truth: bool) -> bool {
        if truth { self != Self::exactly(0) } else { self.contains(0) }
    }

    /// A range of twice as many values, within `limit`.
    pub fn doubled(self, limit: Self) -> Self {
        if self.covers(limit) {
            return self;
        }
        let size = (self.high - self.low + 1).max(1);
        let high = self.high.saturating_add(size).min(limit.high);
        let missing = size - (high - self.high);
        Self { low: self.low.saturating_sub(missing).max(limit.low), high }
    }

    /// The number of bits that distinguish the values.
    pub fn bits(self) -> u8 {
        (64 - (self.high.wrapping_sub(self.low) as u64).leading_zeros()) as u8
    }
}

/// The integers from `low` to `high`. An interval upside down is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Least value.
    pub low: i128,
    /// Greatest value.
    pub high: i128,
}

impl Interval {
    /// A bound that no difference of two 64-bit values reaches.
    pub const FAR: i128 = 1 << 66;
    /// Every difference of two 64-bit values.
    pub const ANYTHING: Self = Self { low: -Self::FAR, high: Self::FAR };

    /// The interval with only this value.
    pub fn exactly(value: i64) -> Self {
        CellRange::exactly(value).into()
    }

    /// The only value, if there is one and it is a 64-bit integer.
    pub fn single(self) -> Option<i64> {
        if self.low == self.high { i64::try_from(self.low).ok() } else { None }
    }

    /// The integers in both intervals; `None` if there are none.
    pub fn meet(self, other: Self) -> Option<Self> {
        let met = Self { low: self.low.max(other.low), high: self.high.min(other.high) };
        (met.low <= met.high).then_some(met)
    }

    /// The least interval that covers both.
    pub fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The sums.
    pub fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    /// The differences.
    pub fn minus(self, other: Self) -> Self {
        self.plus(other.times(-1))
    }

    /// The multiples.
    pub fn times(self, factor: i128) -> Self {
        let ends = [self.low * factor, self.high * factor];
        Self { low: ends[0].min(ends[1]), high: ends[0].max(ends[1]) }
    }

    /// Whether all values are 64-bit integers.
    pub fn fits_a_word(self) -> bool {
        self.low >= i128::from(i64::MIN) && self.high <= i128::from(i64::MAX)
    }

    /// The interval as a range of 64-bit values; ends beyond 64 bits are cut off.
    pub fn range(self) -> CellRange {
        let clamp = |value: i128| value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        CellRange { low: clamp(self.low), high: clamp(self.high) }
    }

    /// The values that differ from a value in `other`. Only a single value can be cut off, and only
    /// at an end.
    pub fn without(self, other: Self) -> Self {
        if other.low != other.high {
            return self;
        }
        let low = self.low + i128::from(self.low == other.low);
        Self { low, high: self.high - i128::from(self.high == other.low) }
    }

    /// Where `left` and `right` lie if the comparison `left operator right` is true.
    pub fn compared(operator: BinaryOperator, left: Self, right: Self) -> (Self, Self) {
        let at_most = |high: i128| Self { low: -Self::FAR, high };
        let at_least = |low: i128| Self { low, high: Self::FAR };
        match operator {
            BinaryOperator::Equal => (right, left),
            BinaryOperator::NotEqual => (left.without(right), right.without(left)),
            BinaryOperator::Less => (at_most(right.high - 1), at_least(left.low + 1)),
            BinaryOperator::LessOrEqual => (at_most(right.high), at_least(left.low)),
            BinaryOperator::Greater => (at_least(right.low + 1), at_most(left.high - 1)),
            BinaryOperator::GreaterOrEqual => (at_least(right.low), at_most(left.high)),
            _ => (Self::ANYTHING, Self::ANYTHING),
        }
    }
}

impl From<CellRange> for Interval {
    fn from(range: CellRange) -> Self {
        Self { low: i128::from(range.low), high: i128::from(range.high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_true_comparison_narrows_both_sides_without_overflow() {
        let everything = Interval::from(CellRange::EVERYTHING);
        let greatest = Interval::exactly(i64::MAX);
        let (left, _) = Interval::compared(BinaryOperator::Greater, everything, greatest);
        assert_eq!(left.meet(everything), None, "nothing exceeds the greatest value");
        let (left, right) = Interval::compared(
            BinaryOperator::Less,
            CellRange { low: 0, high: 9 }.into(),
            CellRange { low: -3, high: 5 }.into(),
        );
        assert_eq!((left.high, right.low), (4, 1));
        let (left, _) = Interval::compared(BinaryOperator::NotEqual, greatest, greatest);
        assert!(left.low > left.high, "nothing is left");
    }
}
