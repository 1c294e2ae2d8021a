//! The properties of a model.

pub mod accepting_cycles;
pub mod acceptor;
pub mod components;
pub mod ctl;
pub mod fairness;
pub mod linear;
pub mod premises;
pub mod product;
pub mod progress_graph;
pub mod service;
pub mod service_table;
pub mod soundness;
pub mod survey;
pub mod terminal_states;
pub mod watch;

use serde::Serialize;

use model::guarded_commands::Expression;

use linear::LinearProperty;
use logic::ctl::Ctl;
use service::ServiceProperty;

/// A property of a model, with predicates of type `P` over its states.
#[derive(Clone, Debug)]
pub struct Property<P = Expression> {
    /// The name in reports.
    pub name: String,
    /// The property itself.
    pub kind: PropertyKind<P>,
    /// How the user wrote it.
    pub spelling: Spelling,
}

/// How the user wrote a property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Spelling {
    /// As an expression, or by the name of its kind.
    #[default]
    Plain,
    /// As a CTL formula.
    Ctl,
}

/// Kinds of properties.
#[derive(Clone, Debug)]
pub enum PropertyKind<P = Expression> {
    /// Every reachable state has a successor.
    DeadlockFree,
    /// The predicate is true in every reachable state: `AG p`.
    Invariant(P),
    /// The predicate is true in some reachable state: `EF p`.
    Reachable(P),
    /// From every reachable state, a state where the predicate is true can be reached: `AG EF p`.
    /// Such states are home states.
    AlwaysPossible(P),
    /// A state can be reached from which the predicate is true forever, on every run: `EF AG p`.
    PossiblyForEver(P),
    /// A linear-time property: an LTL formula, or a Büchi automaton. It needs a search of its own.
    Linear(Box<LinearProperty<P>>),
    /// A branching-time property: a CTL formula that is true in every initial state. It needs a
    /// search of its own.
    Branching(Box<BranchingProperty<P>>),
    /// Conformance: a service automaton accepts the sequence of visible actions of every run. It
    /// needs a search of its own.
    Service(Box<ServiceProperty<P>>),
}

impl<P> Property<P> {
    /// Creates a property that was not written as a formula.
    pub fn new(name: impl Into<String>, kind: PropertyKind<P>) -> Self {
        Self { name: name.into(), kind, spelling: Spelling::default() }
    }
}

impl<P> PropertyKind<P> {
    /// The predicates that are evaluated in every state.
    pub fn predicates(&self) -> &[P] {
        match self {
            Self::Invariant(predicate)
            | Self::Reachable(predicate)
            | Self::AlwaysPossible(predicate)
            | Self::PossiblyForEver(predicate) => std::slice::from_ref(predicate),
            Self::Linear(property) => property.propositions(),
            Self::Branching(property) => &property.propositions,
            Self::Service(property) => property.predicates(),
            Self::DeadlockFree => &[],
        }
    }

    /// Whether a search by layers decides it.
    pub fn needs_layers(&self) -> bool {
        self.is_about_components() || matches!(self, Self::Linear(_) | Self::Branching(_))
    }

    /// Whether it needs a search of its own.
    pub fn needs_own_search(&self) -> bool {
        matches!(self, Self::Linear(_) | Self::Branching(_) | Self::Service(_))
    }

    /// Whether the terminal strongly connected components of layers decide it.
    pub fn is_about_components(&self) -> bool {
        matches!(self, Self::AlwaysPossible(_) | Self::PossiblyForEver(_))
    }
}

/// A CTL formula.
#[derive(Clone, Debug)]
pub struct BranchingProperty<P = Expression> {
    /// The formula.
    pub formula: Ctl,
    /// The predicates of its propositions, by number.
    pub propositions: Vec<P>,
}

impl<P: Clone> PropertyKind<P> {
    /// The same property as a CTL formula, if terminal components of layers decide it. The formula
    /// is decided also if the measure is not monotone.
    pub fn as_branching(&self) -> Option<Self> {
        let truth = Ctl::Proposition(0);
        let (formula, predicate) = match self {
            Self::AlwaysPossible(predicate) => (Ctl::always_globally(Ctl::exists_finally(truth)), predicate),
            Self::PossiblyForEver(predicate) => (Ctl::exists_finally(Ctl::always_globally(truth)), predicate),
            _ => return None,
        };
        let propositions = vec![predicate.clone()];
        Some(Self::Branching(Box::new(BranchingProperty { formula, propositions })))
    }
}

/// The predicates of all properties, in the order in which [`Expander::predicates`] evaluates them.
///
/// [`Expander::predicates`]: model::transition_system::Expander::predicates
pub fn predicates<P: Clone>(properties: &[Property<P>]) -> Vec<P> {
    properties.iter().flat_map(|property| property.kind.predicates()).cloned().collect()
}
