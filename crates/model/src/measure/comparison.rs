//! Comparison of progress: tuples from left to right, or vectors component by component.
//!
//! Tuples are totally ordered, and their packed values are compared as numbers. Vectors are
//! partially ordered (the product order of Kristensen and Mailund's compositional sweep-line
//! method, FORTE 2002): one is at most another if no component is greater. Packed, each component
//! has a guard bit above it, which is zero in all values. Set in the one and not in the other, it
//! says whether a subtraction borrowed: one subtraction compares all components.

use serde::{Deserialize, Serialize};

/// The meaning of a list of expressions as a measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeasureKind {
    /// Tuples, `(a, b)`: the first expression counts most.
    #[default]
    Lexicographic,
    /// Vectors, `[a, b]`: a step is progress if it decreases no component.
    Product,
}

/// How packed progress values are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// As numbers.
    #[default]
    Total,
    /// As vectors. Numbers are one of the orders that agree with this one.
    ComponentWise {
        /// The bits above the components, which are zero in values.
        guards: u64,
    },
}

impl Comparison {
    /// Whether a step from the first value to the second is no regress.
    #[inline(always)]
    pub fn is_at_most(self, one: u64, other: u64) -> bool {
        match self {
            Self::Total => one <= other,
            Self::ComponentWise { guards } => {
                debug_assert_eq!((one | other) & guards, 0, "values leave the guards free");
                ((other | guards) - one) & guards == guards
            }
        }
    }

    /// Whether the second value is greater.
    #[inline(always)]
    pub fn is_below(self, one: u64, other: u64) -> bool {
        one != other && self.is_at_most(one, other)
    }
}
