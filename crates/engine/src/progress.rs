//! Progress measures: a value for each state that says how far the model has come.
//!
//! A sweep expands states of least progress first and forgets those behind its front. Any function
//! of the state is a measure. A good one seldom decreases along a step, and has many small layers.

mod abstract_step;
mod abstract_value;
pub mod finder;
mod levels;
mod linear_changes;
mod linear_measure;
mod monotone_proof;
mod row_space;
mod semiflows;
mod static_measure;
pub mod step_changes;
mod value_graph;

pub use model::measure::{Comparison, ExpressionMeasure, MeasureError, MeasureKind};
pub use monotone_proof::{Doubt, MonotoneProof, Raise, RaisingAction, prove_monotone, prove_monotone_vector};
pub use static_measure::{StaticComponent, control_orders, static_measure};
