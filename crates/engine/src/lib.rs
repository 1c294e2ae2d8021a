//! The engine of Sweepline, an explicit-state model checker based on the sweep-line method.
//!
//! This crate is internal: users depend on the crate `sweepline`, or on its command line. The
//! principal function is [`check::check`]. It takes a model as [guarded
//! commands](model::guarded_commands::GuardedCommands), the properties to decide and a plan. It
//! explores the state space and returns a verdict for each property, with a replayed trace.
//!
//! The modules, from the bottom up:
//!
//! - [`progress`]: progress measures, and the search for them.
//! - [`reduce`]: partial-order reduction by stubborn sets.
//! - [`store`]: storage of states, in memory and on disk.
//! - [`explore`]: searches, which visit the reachable states in some order.
//! - [`property`]: properties, and how a search decides them.
//! - [`verdict`]: verdicts, and the traces that show them.
//! - [`check`]: whole checks, from a model, properties and a plan to verdicts.
//! - [`rust_model`]: models that are plain Rust types.

pub mod check;
pub mod explore;
pub mod progress;
pub mod property;
pub mod reduce;
pub mod rust_model;
pub mod store;
pub mod verdict;
