//! Partial-order reduction: following only those steps that a question needs.
//!
//! Steps of independent processes can be taken in any order, and all orders lead to the same state.
//! A *stubborn set* is a set of actions that outside actions neither disable nor enable, and whose
//! enabled members commute with them (A. Valmari, *Stubborn sets for reduced state space
//! generation*, 1989). It is sufficient to follow the set: actions outside it can be taken later.
//!
//! What is sufficient depends on what the reduced state space must preserve, see [`Kept`]. The set
//! is a function of the model's state alone, never of the search: a sweep forgets states and
//! expands them again, and the product with an automaton must see one graph.

mod action_sets;
pub mod cell_access;
pub mod gain;
pub mod independence;
pub mod reduced_system;
pub mod stubborn_sets;
pub mod visibility;

/// What a reduced state space preserves of the full one.
///
/// A *reduced expansion* of a state leaves out steps. A *visible* action can change the truth of
/// what is asked. *Keys* order all states: by progress, then by the values of the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// States without successors. Every stubborn set preserves them.
    Deadlocks,
    /// The reachable truths of predicates, and deadlocks. A reduced expansion has no visible step,
    /// and at least one step to a greater key, so that no action is postponed indefinitely.
    States,
    /// Runs up to stuttering, and all of the above. A reduced expansion has no visible step, and
    /// all its steps lead to greater keys, so that every cycle has a fully expanded state.
    Runs,
}
