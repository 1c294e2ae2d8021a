//! Sweepline, an explicit-state model checker that forgets.
//!
//! The principal function of this crate is [`check::check`]: it takes a model as
//! [guarded commands](model::guarded_commands::GuardedCommands), the properties to decide and a plan, explores the
//! state space and gives a verdict for each property, with a replayed trace.
//!
//! The modules follow the way of a model through the program: [`model`] (what a state is and how the next ones
//! come about), [`reduce`] (which of them are enough), [`store`] (where states are kept), [`explore`] (in which order they are met), [`property`] (what is
//! asked of them), [`verdict`] (what is answered) and [`check`] (all of it together).

pub mod check;
pub mod explore;
pub mod progress;
pub mod property;
pub mod reduce;
pub mod rust_model;
pub mod store;
pub mod verdict;
