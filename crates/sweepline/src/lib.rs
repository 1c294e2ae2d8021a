//! Sweepline, an explicit-state model checker that implements the sweep-line method.

pub use engine::rust_model;

// What the command line and other front ends share. Not a stable interface yet.
#[doc(hidden)]
pub mod execution;
#[doc(hidden)]
pub mod greatest_value;
#[doc(hidden)]
pub mod planning;
#[doc(hidden)]
pub mod vacuity;
