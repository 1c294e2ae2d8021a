//! The properties of a model.

pub mod accepting_cycles;
pub mod acceptor;
pub mod components;
pub mod ctl;
pub mod fairness;
pub mod intermediate;
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
use service::{Halt, ServiceProperty};

use crate::store::fingerprint::Fingerprint;

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
    /// The predicate is true in every reachable state without a successor. It says which ends are
    /// valid.
    ProperEnd(P),
    /// The predicate is true in every reachable state: `AG p`.
    Invariant(P),
    /// The predicate is true in every state that a search reaches, also in intermediate states, which
    /// are no states of the model: an assertion inside of an atomic sequence.
    Assertion(P),
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
            Self::ProperEnd(predicate)
            | Self::Invariant(predicate)
            | Self::Assertion(predicate)
            | Self::Reachable(predicate)
            | Self::AlwaysPossible(predicate)
            | Self::PossiblyForEver(predicate) => std::slice::from_ref(predicate),
            Self::Linear(property) => property.propositions(),
            Self::Branching(property) => &property.propositions,
            Self::Service(property) => property.predicates(),
            Self::DeadlockFree => &[],
        }
    }

    /// How it is decided.
    pub fn decision(&self) -> Decision {
        match self {
            Self::DeadlockFree
            | Self::ProperEnd(_)
            | Self::Invariant(_)
            | Self::Assertion(_)
            | Self::Reachable(_) => Decision::States,
            Self::AlwaysPossible(_) | Self::PossiblyForEver(_) => Decision::Components,
            Self::Linear(_) => Decision::Cycles,
            Self::Branching(_) => Decision::Graph,
            Self::Service(_) => Decision::StatesOfProduct,
        }
    }

    /// What a state or a component that a search finds shows, and what a complete search without
    /// one shows.
    pub fn claim(&self) -> Claim {
        match self {
            Self::Reachable(_) | Self::PossiblyForEver(_) => Claim::Existential,
            Self::DeadlockFree
            | Self::ProperEnd(_)
            | Self::Invariant(_)
            | Self::Assertion(_)
            | Self::AlwaysPossible(_)
            | Self::Linear(_)
            | Self::Branching(_)
            | Self::Service(_) => Claim::Universal,
        }
    }

    /// Whether a search by layers decides it.
    pub fn needs_layers(&self) -> bool {
        matches!(self.decision(), Decision::Components | Decision::Cycles | Decision::Graph)
    }

    /// Whether it needs a search of its own.
    pub fn needs_own_search(&self) -> bool {
        matches!(self.decision(), Decision::Cycles | Decision::Graph | Decision::StatesOfProduct)
    }

    /// Whether the terminal strongly connected components of layers decide it.
    pub fn is_about_components(&self) -> bool {
        self.decision() == Decision::Components
    }

    /// The name of the kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DeadlockFree => "free of deadlocks",
            Self::ProperEnd(_) => "proper end",
            Self::Invariant(_) => "invariant",
            Self::Assertion(_) => "assertion",
            Self::Reachable(_) => "reachable",
            Self::AlwaysPossible(_) => "always possible",
            Self::PossiblyForEver(_) => "possibly forever",
            Self::Linear(_) => "ltl",
            Self::Branching(_) => "ctl",
            Self::Service(_) => "conforms",
        }
    }

    /// Adds everything that it specifies to the fingerprint, apart from its predicates. Properties
    /// that differ must differ here.
    pub fn identify(&self, fingerprint: &mut Fingerprint) {
        fingerprint.add(self.name());
        match self {
            Self::DeadlockFree
            | Self::ProperEnd(_)
            | Self::Invariant(_)
            | Self::Assertion(_)
            | Self::Reachable(_)
            | Self::AlwaysPossible(_)
            | Self::PossiblyForEver(_) => {}
            Self::Linear(linear) => {
                fingerprint.add(&(linear.automaton(), linear.formula(), linear.runs()));
            }
            Self::Branching(branching) => fingerprint.add(&branching.formula),
            Self::Service(service) => {
                let halt = match service.halt() {
                    Halt::Prefix => "prefix",
                    Halt::Deadlock => "deadlock",
                    Halt::When(_) => "predicate",
                };
                fingerprint.add(&(service.given(), service.events(), halt));
            }
        }
    }
}

/// How a kind of property is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// By a state of the model, while a search runs.
    States,
    /// By the terminal strongly connected components of a layer, while a search runs.
    Components,
    /// By accepting cycles of the product with an automaton.
    Cycles,
    /// On the recorded graph, [as a CTL formula](PropertyKind::as_branching).
    Graph,
    /// By a state of the product with a service.
    StatesOfProduct,
}

/// What a property claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Something is nowhere: one example violates the property.
    Universal,
    /// Something is somewhere: one example shows the property.
    Existential,
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
    /// The same property as a CTL formula, if it is decided on the graph, or by terminal components
    /// of layers. The formula is decided also if the measure is not monotone.
    pub fn as_branching(&self) -> Option<Self> {
        let truth = Ctl::Proposition(0);
        let (formula, predicate) = match self {
            Self::AlwaysPossible(predicate) => (Ctl::always_globally(Ctl::exists_finally(truth)), predicate),
            Self::PossiblyForEver(predicate) => (Ctl::exists_finally(Ctl::always_globally(truth)), predicate),
            Self::Branching(_) => return Some(self.clone()),
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
