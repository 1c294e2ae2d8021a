//! Reductions: a part of the steps that is enough for the question.
//!
//! Steps of processes that have nothing to do with each other can be taken in any order, and all orders lead to the same state. A *stubborn set* is a
//! set of actions that outside actions neither disable nor enable, and with whose enabled members they commute (A. Valmari, *Stubborn sets for reduced
//! state space generation*, 1989). It is enough to follow the set: what is outside can as well be done later.
//!
//! What "enough" means depends on what is to be kept, see [`Kept`]. The set is a function of the model's state alone, never of what was met before: a sweep forgets
//! states and expands them again, and the product with an automaton must see one graph.

pub mod cell_access;
pub mod independence;
pub mod reduced_system;
pub mod stubborn_sets;
pub mod visibility;

/// What a reduced state space has in common with the full one.
///
/// A reduced expansion of `s` is one that leaves out steps. *Visible* is an action that can change what is asked for. Keys order all states: by progress, then by the
/// values of the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// States without successors. Stubborn sets keep them as they are.
    Deadlocks,
    /// Which truths can be reached, and deadlocks. A reduced expansion has no visible step, and at least one to a greater key: so nothing is put off for ever.
    States,
    /// Runs, but for how often a state is repeated in them, and all of the above. A reduced expansion has no visible step, and all of them lead to greater keys: so every cycle has a state that is
    /// expanded in full.
    Runs,
}
