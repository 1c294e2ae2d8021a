//! Progress measures: a number for each state that says how far the model has come.

mod comparison;
mod expression_measure;

pub use comparison::{Comparison, MeasureKind};
pub use expression_measure::{ExpressionMeasure, MeasureError};
