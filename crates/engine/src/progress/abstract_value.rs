//! What is known about a value in the midst of a step: where it lies, and how far it lies from a cell's value before.
//!
//! Distances are exact: they are computed with 128 bits, and 64-bit arithmetic that may wrap around loses its distance.
//! Ranges are those of the interval analysis; operands that are single values give a single value.

use model::guarded_commands::{BinaryOperator, IntegerType, UnaryOperator};

use model::state_layout::CellRange;
use model::value_ranges::combine;

/// Integers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub low: i128,
    pub high: i128,
}

/// More than every distance of two values.
pub(super) const FAR: i128 = 1 << 66;
const ANYTHING: Interval = Interval { low: -FAR, high: FAR };
const TRUTH: Interval = Interval { low: 0, high: 1 };

impl Interval {
    pub fn exactly(value: i64) -> Self {
        Self { low: i128::from(value), high: i128::from(value) }
    }

    pub fn single(self) -> Option<i64> {
        if self.low == self.high { i64::try_from(self.low).ok() } else { None }
    }

    pub fn meet(self, other: Self) -> Option<Self> {
        let met = Self { low: self.low.max(other.low), high: self.high.min(other.high) };
        (met.low <= met.high).then_some(met)
    }

    pub fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    pub fn minus(self, other: Self) -> Self {
        self.plus(other.times(-1))
    }

    pub fn times(self, factor: i128) -> Self {
        let ends = [self.low * factor, self.high * factor];
        Self { low: ends[0].min(ends[1]), high: ends[0].max(ends[1]) }
    }

    pub fn fits_a_word(self) -> bool {
        self.low >= i128::from(i64::MIN) && self.high <= i128::from(i64::MAX)
    }

    /// As a range of 64-bit values; what lies beyond is cut off.
    pub fn range(self) -> CellRange {
        let clamp = |value: i128| value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        CellRange { low: clamp(self.low), high: clamp(self.high) }
    }
}

impl From<CellRange> for Interval {
    fn from(range: CellRange) -> Self {
        Self { low: i128::from(range.low), high: i128::from(range.high) }
    }
}

/// What is known about a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// Where it lies.
    pub range: Interval,
    /// How far it lies from the origin.
    pub distance: Interval,
}

impl Value {
    pub fn within(range: Interval) -> Self {
        Self { range, distance: ANYTHING }
    }

    pub fn meet(self, other: Self) -> Option<Self> {
        let (range, distance) = (self.range.meet(other.range)?, self.distance.meet(other.distance)?);
        Some(Self { range, distance })
    }

    pub fn join(self, other: Self) -> Self {
        Self { range: self.range.join(other.range), distance: self.distance.join(other.distance) }
    }

    /// A value cut to a type.
    pub fn wrapped(self, declared: IntegerType) -> Self {
        let whole = Interval::from(CellRange { low: declared.min(), high: declared.max() });
        if whole.low <= self.range.low && self.range.high <= whole.high {
            return self;
        }
        if self.range.high - self.range.low < 1 << declared.bits {
            // Fewer values than the type has: they stay in order unless its end lies between them.
            let CellRange { low, high } = self.range.range();
            let (low, high) = (declared.wrap(low), declared.wrap(high));
            if low <= high {
                return Value::within(CellRange { low, high }.into());
            }
        }
        Value::within(whole)
    }
}

/// The values of an expression with one operand in `range`.
pub(super) fn unary(operator: UnaryOperator, range: Interval) -> Interval {
    match operator {
        UnaryOperator::Negate if range.times(-1).fits_a_word() => range.times(-1),
        UnaryOperator::Negate => CellRange { low: i64::MIN, high: i64::MAX }.into(),
        UnaryOperator::Complement => Interval { low: -1 - range.high, high: -1 - range.low },
        UnaryOperator::Not if (range.low, range.high) == (0, 0) => Interval::exactly(1),
        UnaryOperator::Not if range.low > 0 || range.high < 0 => Interval::exactly(0),
        UnaryOperator::Not => TRUTH,
    }
}

pub(super) fn binary(operator: BinaryOperator, a: Value, b: Value) -> Value {
    if let (Some(left), Some(right)) = (a.range.single(), b.range.single())
        && let Ok(value) = operator.apply(left, right)
    {
        return Value::within(Interval::exactly(value));
    }
    let range = combine(operator, a.range.range(), b.range.range()).into();
    let distance = match operator {
        BinaryOperator::Add if a.range.plus(b.range).fits_a_word() => {
            a.distance.plus(b.range).meet(b.distance.plus(a.range))
        }
        BinaryOperator::Subtract if a.range.minus(b.range).fits_a_word() => Some(a.distance.minus(b.range)),
        _ => None,
    };
    let distance = distance.and_then(|distance| distance.meet(ANYTHING)).unwrap_or(ANYTHING);
    Value { range, distance }
}

/// What is left of `range` when it differs from a value that may only be `other`. Nothing left is an interval upside down.
pub(super) fn without(range: Interval, other: Interval) -> Interval {
    if other.low != other.high {
        return range;
    }
    let low = range.low + i128::from(range.low == other.low);
    Interval { low, high: range.high - i128::from(range.high == other.low) }
}

/// Where two values lie if the comparison is true.
pub(super) fn compared(operator: BinaryOperator, a: Interval, b: Interval) -> (Interval, Interval) {
    let below = |high: i128| Interval { low: -FAR, high };
    let above = |low: i128| Interval { low, high: FAR };
    match operator {
        BinaryOperator::Equal => (b, a),
        BinaryOperator::NotEqual => (without(a, b), without(b, a)),
        BinaryOperator::Less => (below(b.high - 1), above(a.low + 1)),
        BinaryOperator::LessOrEqual => (below(b.high), above(a.low)),
        BinaryOperator::Greater => (above(b.low + 1), below(a.high - 1)),
        BinaryOperator::GreaterOrEqual => (above(b.low), below(a.high)),
        _ => (ANYTHING, ANYTHING),
    }
}
