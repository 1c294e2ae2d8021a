//! Searches on random graphs, and automata of random formulas. One binary: to compile all searches once more for each file took longer than to run them.

#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "tests say what they skip, and may fail")]

mod change_over_on_random_graphs;
mod changes_between_sweeps;
mod checkpoints;
mod checkpoints_of_other_runs;
mod ctl_on_random_graphs;
mod formulas_beside_spin;
mod labelled_graph;
mod ltl_on_random_graphs;
mod partition_on_random_graphs;
mod random_graph;
mod services_on_random_graphs;
mod sweep_on_random_graphs;
mod sweep_on_random_vectors;
mod sweep_reference;
mod threads_on_random_graphs;
mod varying_lengths;
mod windows_on_random_graphs;
