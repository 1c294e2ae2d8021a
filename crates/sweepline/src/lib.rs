//! Sweepline is an explicit-state model checker that implements the *sweep-line method*: it explores
//! a state space in order of progress, one layer at a time, and deletes the layers behind the front.
//! Edges that lead back (regress edges) make their targets persistent and start another sweep, so
//! coverage stays complete.
//!
//! There are two ways in.
//!
//! # Check a model file
//!
//! [`ModelFile`] reads DVE, Petri nets (PNML, LoLA) and explicit state spaces. [`Questions`] says
//! what to decide, [`Plan`] how to search; both defaults need no thought.
//!
#![cfg_attr(feature = "model-files", doc = "```")]
#![cfg_attr(not(feature = "model-files"), doc = "```ignore")]
//! use sweepline::{ModelFile, Plan, Questions};
//!
//! let lock = ModelFile::read("../../models/dve/broken_lock.dve")?;
//! let questions = Questions::new().invariant("inside <= 1").no_deadlock();
//! let outcome = lock.check(&questions, &Plan::new().shortest())?;
//!
//! assert!(!outcome.holds());
//! assert!(outcome.verdict("inside <= 1").is_some_and(|verdict| verdict.is_violated()));
//! let counterexample = outcome.trace("inside <= 1").expect("a violated invariant has a counterexample");
//! assert_eq!(counterexample.steps().len(), 6);
//! println!("{counterexample}");
//! # Ok::<(), sweepline::Error>(())
//! ```
//!
//! # Check a Rust model
//!
//! A [`Model`] is a plain Rust type. [`check`] explores it, and [`Checked::assert_holds`] makes a test
//! of it. [`rust_model`] has the details and [a guide](rust_model::guide).
//!
//! ```
//! use sweepline::{Model, Properties, Steps, check};
//!
//! struct Counter;
//!
//! impl Model for Counter {
//!     type State = u32;
//!     type Action = &'static str;
//!
//!     fn initial_states(&self) -> Vec<u32> {
//!         vec![0]
//!     }
//!     fn steps(&self, count: &u32, steps: &mut Steps<Self>) {
//!         if *count < 10 {
//!             steps.add("increment", count + 1);
//!         }
//!     }
//!     fn properties(&self, properties: &mut Properties<Self>) {
//!         properties.always("at most ten", |_, count| *count <= 10);
//!     }
//! }
//!
//! check(&Counter).assert_holds();
//! ```
//!
//! # Features
//!
//! `model-files` and `native-code` are on by default. Rust models need neither: with
//! `default-features = false` there is no code generator to build.

#[cfg(feature = "model-files")]
mod error;
#[cfg(feature = "model-files")]
mod model_file;
#[cfg(feature = "model-files")]
mod outcome;
#[cfg(feature = "model-files")]
mod plan;
#[cfg(feature = "model-files")]
mod questions;

pub use engine::rust_model;
pub use engine::rust_model::{
    Checked, Checker, Engine, Model, Path, Properties, Steps, check, lexicographic,
};
pub use engine::verdict::{Evidence, Length, UnknownReason, Verdict};

#[cfg(feature = "model-files")]
pub use engine::property::{fairness::Fairness, linear::DeadEnds};
#[cfg(feature = "model-files")]
pub use error::{Error, Problem};
#[cfg(feature = "model-files")]
pub use model_file::ModelFile;
#[cfg(feature = "model-files")]
pub use outcome::{Outcome, Step, Trace};
#[cfg(feature = "model-files")]
pub use plan::Plan;
#[cfg(feature = "model-files")]
pub use questions::Questions;

// What the command line and other front ends of this workspace share. Not a stable interface.
#[doc(hidden)]
pub mod execution;
#[doc(hidden)]
pub mod greatest_value;
#[doc(hidden)]
pub mod planning;
#[cfg(feature = "model-files")]
#[doc(hidden)]
pub mod properties;
#[doc(hidden)]
pub mod vacuity;
