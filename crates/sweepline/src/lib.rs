//! Sweepline, an explicit-state model checker that implements the sweep-line method.

pub use engine::rust_model;
