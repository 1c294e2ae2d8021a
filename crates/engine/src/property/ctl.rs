//! Computation tree logic on a recorded graph.
//!
//! The formulas are in [`logic::ctl`]. This module contains the [recorder](graph_recorder) of the
//! graph, the [evaluation] by reverse passes, and the [paths](witness) that show the
//! result.

pub mod evaluation;
pub mod graph_recorder;
pub mod witness;
