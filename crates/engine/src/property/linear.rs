//! A linear-time property as a search checks it: the runs that violate it, as an automaton.
//!
//! The automaton reads each state of a run before the model leaves it. The property holds when no run of the model
//! is accepted.
//!
//! A run that ends in a state without successors repeats its last state forever, as in SPIN and DiVinE, or is no run
//! at all: see [`DeadEnds`]. All engines use the same rule.

use serde::Serialize;

use super::fairness::Fairness;
use logic::buchi::Buchi;
use logic::ltl::Ltl;
use logic::ltl_to_buchi::{FormulaTooLarge, Limits, buchi_of};
use model::guarded_commands::Expression;

/// The treatment of a run that ends in a state without successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum DeadEnds {
    /// Its last state is repeated forever.
    #[default]
    Repeated,
    /// It does not count: only infinite runs do.
    Ignored,
}

/// The runs that a property is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Runs {
    /// Runs that end in a state without successors.
    pub dead_ends: DeadEnds,
    /// Runs that are unfair to a process.
    pub fairness: Fairness,
}

/// A property of runs.
#[derive(Clone, Debug)]
pub struct LinearProperty<P = Expression> {
    /// The runs that violate it. It accepts by states, and a run may be accepted from each of them.
    automaton: Buchi,
    /// What its labels speak of.
    propositions: Vec<P>,
    /// What is asked, where that is known.
    formula: Option<Ltl>,
    runs: Runs,
}

impl<P> LinearProperty<P> {
    /// The formula is true of every run.
    ///
    /// # Errors
    /// If its automaton is too large.
    pub fn of_formula(formula: Ltl, propositions: Vec<P>, limits: &Limits) -> Result<Self, FormulaTooLarge> {
        let automaton = buchi_of(&Ltl::negation(formula.clone()), limits)?;
        let property = Self::of_automaton(&automaton, propositions);
        Ok(Self { formula: Some(formula), ..property })
    }

    /// No run is accepted by the automaton.
    pub fn of_automaton(automaton: &Buchi, propositions: Vec<P>) -> Self {
        let accepts_by_states = automaton.acceptance_sets == 1 && automaton.accepts_by_states();
        let automaton = if accepts_by_states { automaton.clone() } else { automaton.degeneralised() };
        Self { automaton: automaton.useful(), propositions, formula: None, runs: Runs::default() }
    }

    /// Of these runs.
    pub fn of_runs(self, runs: Runs) -> Self {
        Self { runs, ..self }
    }

    /// The runs that violate it.
    pub fn automaton(&self) -> &Buchi {
        &self.automaton
    }

    /// What its labels speak of.
    pub fn propositions(&self) -> &[P] {
        &self.propositions
    }

    /// What is asked, where it was asked by a formula.
    pub fn formula(&self) -> Option<&Ltl> {
        self.formula.as_ref()
    }

    /// The runs that it is about.
    pub fn runs(&self) -> Runs {
        self.runs
    }

    /// Whether a run that goes on like this, for ever in the cycle, violates it: by the word of the automaton, and, where there is one, of
    /// the formula.
    pub fn is_violated_by(&self, stem: &[u64], cycle: &[u64]) -> bool {
        self.automaton.accepts(stem, cycle)
            && self.formula.as_ref().is_none_or(|formula| !formula.is_true_of(stem, cycle))
    }
}
