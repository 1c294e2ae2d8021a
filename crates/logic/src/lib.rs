//! Temporal logic and automata: formulas, their translation to Büchi automata, safety automata, and
//! strongly connected components. Nothing here knows a model or a search.

pub mod buchi;
pub mod ctl;
pub mod ltl;
pub mod ltl_to_buchi;
pub mod safety_automaton;
pub mod strong_components;
