//! Model files, properties and automata, from text to guarded commands.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod automata;
mod automaton_formats;
mod bare_arrays;
mod beem;
mod constants;
mod diagnostics;
mod formulas;
mod layering;
mod lowering;
mod measures;
mod petri_nets;
mod questions;
mod robustness;
mod state_spaces;
mod support;
