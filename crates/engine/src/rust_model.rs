//! Models that are plain Rust types.
//!
//! The principal type is the trait [`Model`]. A state is any type that derives a few traits, and
//! the model defines the initial states and the steps. [`check`] explores the whole state space and
//! decides the properties:
//!
//! ```
//! use sweepline::rust_model::{Model, Properties, Steps, check};
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
//! let checked = check(&Counter);
//! checked.assert_holds();
//! assert_eq!(checked.distinct(), Some(11));
//! ```
//!
//! The [guide] is an introduction. The store holds states as bytes (see [`encoding`]); they are
//! Rust values only while they are expanded. A state is decoded once for all of its successors,
//! their progress, and its properties. The model itself replays every counterexample before it is
//! shown.
//!
//! There is no `eventually` here. That an event happens on every run is a linear-time property, and
//! the command line checks those on model files. For Rust models, [`Properties::always_possible`]
//! checks that it stays *possible*.

mod changes;
mod checker;
pub mod encoding;
mod path;
mod subject;
mod system;

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::property::{Property, PropertyKind};

pub use crate::check::Engine;
pub use checker::{Checked, Checker, check};
pub use path::Path;

#[doc = include_str!("../../../docs/book/rust-models.md")]
pub mod guide {}

/// A model: its initial states and its steps.
///
/// All methods must be functions of their arguments: the same result, in the same order, for the
/// same arguments. No clock, no randomness, no iteration over a `HashMap`. A panic in any of them
/// ends the check.
pub trait Model: Sized + Sync {
    /// A state. Equal states must have equal encodings: see [`encoding`].
    type State: Clone + Eq + Hash + Debug + Serialize + DeserializeOwned + Send + Sync;
    /// The name of a step.
    type Action: Debug + Send;

    /// The initial states; at least one.
    fn initial_states(&self) -> Vec<Self::State>;

    /// Adds all steps that are possible in the state.
    fn steps(&self, state: &Self::State, steps: &mut Steps<Self>);

    /// The progress value of a state. The sweep explores states in the order of this number, and
    /// forgets those of smaller values.
    ///
    /// `None` in all states means that there is no progress measure. A monotone measure, which no
    /// step lowers, is best. A step that lowers it is a regress edge, and parts of the state space
    /// are then explored again. [`lexicographic`] combines several numbers into one.
    fn progress(&self, _state: &Self::State) -> Option<u64> {
        None
    }

    /// Adds the properties of the model.
    fn properties(&self, _properties: &mut Properties<Self>) {}

    /// A step as text; by default its `Debug`.
    fn show_action(&self, _state: &Self::State, action: &Self::Action) -> String {
        format!("{action:?}")
    }

    /// A state as text; by default its pretty `Debug`, of which traces show the lines that a step
    /// changes. A single line is shown as it is.
    fn show_state(&self, state: &Self::State) -> String {
        format!("{state:#?}")
    }
}

/// The steps of one state.
#[derive(Debug)]
pub struct Steps<M: Model> {
    list: Vec<(M::Action, M::State)>,
}

impl<M: Model> Steps<M> {
    fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Adds the step `action` to the state `next`.
    pub fn add(&mut self, action: M::Action, next: M::State) {
        self.list.push((action, next));
    }

    /// Adds the step `action` to a copy of `state` with this `change`.
    pub fn change(&mut self, state: &M::State, action: M::Action, change: impl FnOnce(&mut M::State)) {
        let mut next = state.clone();
        change(&mut next);
        self.add(action, next);
    }
}

/// The properties of a model.
pub struct Properties<M: Model> {
    list: Vec<Property<Predicate<M>>>,
}

impl<M: Model> Properties<M> {
    fn of(model: &M) -> Self {
        let mut properties = Self { list: Vec::new() };
        model.properties(&mut properties);
        properties
    }

    /// Adds an invariant: the predicate is true in every reachable state.
    pub fn always(
        &mut self,
        name: impl Into<String>,
        test: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) {
        self.add(name, PropertyKind::Invariant(Predicate { test: Arc::new(test) }));
    }

    /// Adds a goal: the predicate is true in some reachable state.
    pub fn sometimes(
        &mut self,
        name: impl Into<String>,
        test: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) {
        self.add(name, PropertyKind::Reachable(Predicate { test: Arc::new(test) }));
    }

    /// Adds the property that from every reachable state, a state in which the predicate is true
    /// can be reached. With a monotone measure, and with [`Engine::Breadth`], the layers decide.
    /// Otherwise a second search records the graph of all states, and decides on it.
    /// [`Engine::Depth`] and [`Engine::Partition`] cannot decide it.
    pub fn always_possible(
        &mut self,
        name: impl Into<String>,
        test: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) {
        self.add(name, PropertyKind::AlwaysPossible(Predicate { test: Arc::new(test) }));
    }

    /// Adds the property that every reachable state has a step.
    pub fn deadlock_free(&mut self, name: impl Into<String>) {
        self.add(name, PropertyKind::DeadlockFree);
    }

    fn add(&mut self, name: impl Into<String>, kind: PropertyKind<Predicate<M>>) {
        let name = name.into();
        assert!(self.list.iter().all(|other| other.name != name), "two properties are called `{name}`");
        self.list.push(Property::new(name, kind));
    }
}

type Test<M> = dyn Fn(&M, &<M as Model>::State) -> bool + Send + Sync;

/// A predicate over states.
struct Predicate<M: Model> {
    test: Arc<Test<M>>,
}

impl<M: Model> Clone for Predicate<M> {
    fn clone(&self) -> Self {
        Self { test: Arc::clone(&self.test) }
    }
}

/// Combines several numbers into one, the most significant one first. Each part is a value and a
/// bound that it stays below.
///
/// ```
/// use sweepline::rust_model::lexicographic;
/// assert!(lexicographic([(2, 10), (0, 5)]) > lexicographic([(1, 10), (4, 5)]));
/// ```
///
/// # Panics
/// If a value reaches its bound, or if the bounds allow more than 2^64 combinations.
pub fn lexicographic<const N: usize>(parts: [(u64, u64); N]) -> u64 {
    let mut combinations = 1u64;
    let mut number = 0;
    for (value, bound) in parts {
        assert!(value < bound, "a part of the progress measure is {value}, and should be below {bound}");
        combinations =
            combinations.checked_mul(bound).expect("the bounds of the progress measure are too large");
        number = number * bound + value;
    }
    number
}
