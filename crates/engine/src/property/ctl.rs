//! Computation tree logic on a recorded graph.
//!
//! The formulas are in [`logic::ctl`]; here is the [graph](graph_recorder) that a search records, the
//! [evaluation](evaluation) by reverse passes, and the [paths](witness) that show the result.

pub mod evaluation;
pub mod graph_recorder;
pub mod witness;
