//! `check` and `explore`: answers, formulas, sweeps.

mod answers;
mod components;
mod formulas;
mod safety_automata;
mod sweep;
