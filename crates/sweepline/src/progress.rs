//! Progress: a value for each state that says how far the model has come.
//!
//! A search by progress takes states of least progress first and forgets those that lie behind. Any function of the
//! state will do; a good one seldom falls along a step, and gives many small layers.

mod comparison;
mod expression_measure;
pub mod finder;

pub use comparison::{Comparison, MeasureKind};
pub use expression_measure::{ExpressionMeasure, MeasureError};
