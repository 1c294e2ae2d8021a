//! Compiled models, on the models of this repository, on random ones and on the BEEM benchmark. One binary: to compile all searches once more for each file
//! took longer than to run them.

#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "tests say what they skip, and may fail")]

mod automatic_checks;
mod change_over;
mod corpus;
mod coverage;
mod differential;
mod found_measures;
mod oracle_counts;
mod oracle_lola;
mod oracle_ltl;
mod oracle_partition;
mod oracle_petri;
mod oracle_petri_properties;
mod oracle_promela;
mod oracle_sweep;
mod oracle_threads;
mod oracle_verdicts;
mod petri_nets;
mod proved_measures;
mod random_model;
mod reductions;
mod surveys;
mod sweep_corners;
