//! What is known about a value in the midst of a step: its range, and its distance from the value
//! of one cell before the step.
//!
//! Distances are exact: they are computed with 128 bits, and 64-bit arithmetic that may wrap around
//! loses its distance. Ranges are those of the interval analysis; operands that are single values
//! give a single value.

use model::guarded_commands::{BinaryOperator, IntegerType};
use model::interval::{self, CellRange, Interval};

/// What is known about a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// A range of 64-bit integers that contains it.
    pub range: Interval,
    /// Its distance from the origin.
    pub distance: Interval,
}

impl Value {
    /// A value of which only the range is known.
    pub fn within(range: Interval) -> Self {
        Self { range, distance: Interval::ANYTHING }
    }

    /// What both say about one value; `None` if they contradict each other.
    pub fn meet(self, other: Self) -> Option<Self> {
        let (range, distance) = (self.range.meet(other.range)?, self.distance.meet(other.distance)?);
        Some(Self { range, distance })
    }

    /// What is known about a value of which either one holds.
    pub fn join(self, other: Self) -> Self {
        Self { range: self.range.join(other.range), distance: self.distance.join(other.distance) }
    }

    /// The value after it was cut to a type.
    pub fn wrapped(self, declared: IntegerType) -> Self {
        let whole = Interval::from(declared.range());
        if whole.low <= self.range.low && self.range.high <= whole.high {
            return self;
        }
        if self.range.high - self.range.low < 1 << declared.bits {
            // Fewer values than the type has: they keep their order unless the type's end lies
            // between them.
            let CellRange { low, high } = self.range.range();
            let (low, high) = (declared.wrap(low), declared.wrap(high));
            if low <= high {
                return Value::within(CellRange { low, high }.into());
            }
        }
        Value::within(whole)
    }
}

/// What is known about `left operator right`.
pub(super) fn binary(operator: BinaryOperator, a: Value, b: Value) -> Value {
    if let (Some(left), Some(right)) = (a.range.single(), b.range.single())
        && let Ok(value) = operator.apply(left, right)
    {
        return Value::within(Interval::exactly(value));
    }
    let range = interval::binary(operator, a.range.range(), b.range.range()).into();
    let distance = match operator {
        BinaryOperator::Add if a.range.plus(b.range).fits_a_word() => {
            a.distance.plus(b.range).meet(b.distance.plus(a.range))
        }
        BinaryOperator::Subtract if a.range.minus(b.range).fits_a_word() => Some(a.distance.minus(b.range)),
        _ => None,
    };
    let distance =
        distance.and_then(|distance| distance.meet(Interval::ANYTHING)).unwrap_or(Interval::ANYTHING);
    Value { range, distance }
}
