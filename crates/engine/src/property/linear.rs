//! A linear-time property as a search checks it: an automaton of the runs that violate it.
//!
//! The automaton reads each state of a run before the model leaves it. The property holds when no
//! run of the model is accepted.
//!
//! A run that ends in a state without successors repeats its last state forever, as in SPIN and
//! DiVinE, or is not considered: see [`DeadEnds`]. All engines use the same rule.

use serde::Serialize;

use super::fairness::Fairness;
use logic::buchi::Buchi;
use logic::ltl::Ltl;
use logic::ltl_to_buchi::{FormulaTooLarge, Limits, buchi_of};
use model::guarded_commands::Expression;

/// The treatment of a run that ends in a state without successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum DeadEnds {
    /// The last state is repeated forever.
    #[default]
    Repeated,
    /// The run does not count: only infinite runs do.
    Ignored,
}

/// The runs that a property considers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Runs {
    /// Treatment of runs that end in a state without successors.
    pub dead_ends: DeadEnds,
    /// Treatment of runs that are unfair to a process.
    pub fairness: Fairness,
}

/// A linear-time property: a property of runs.
#[derive(Clone, Debug)]
pub struct LinearProperty<P = Expression> {
    /// The automaton of the runs that violate the property. It accepts by states, and a run may be
    /// accepted from each of them.
    automaton: Buchi,
    /// The propositions of its labels.
    propositions: Vec<P>,
    /// The formula, where known.
    formula: Option<Ltl>,
    /// The bit of the proposition that holds in states that the automaton does not read; zero if it
    /// reads all.
    skipped: u64,
    runs: Runs,
}

impl<P> LinearProperty<P> {
    /// Creates the property that the formula is true of every run.
    ///
    /// # Errors
    /// The automaton of the formula is too large.
    pub fn of_formula(formula: Ltl, propositions: Vec<P>, limits: &Limits) -> Result<Self, FormulaTooLarge> {
        let automaton = buchi_of(&Ltl::negation(formula.clone()), limits)?;
        let property = Self::of_automaton(&automaton, propositions);
        Ok(Self { formula: Some(formula), ..property })
    }

    /// Creates the property that the automaton accepts no run.
    pub fn of_automaton(automaton: &Buchi, propositions: Vec<P>) -> Self {
        let accepts_by_states = automaton.acceptance_sets == 1 && automaton.accepts_by_states();
        let automaton = if accepts_by_states { automaton.clone() } else { automaton.degeneralised() };
        let runs = Runs::default();
        Self { automaton: automaton.useful(), propositions, formula: None, skipped: 0, runs }
    }

    /// The property of the runs without the states in which the predicate is true. `None` if there
    /// are too many propositions.
    pub fn skipping(mut self, predicate: P) -> Option<Self> {
        let number = u8::try_from(self.propositions.len()).ok()?;
        self.skipped = 1_u64.checked_shl(number.into())?;
        self.automaton = self.automaton.skipping(number);
        self.propositions.push(predicate);
        Some(self)
    }

    /// Restricts the property to these runs.
    pub fn of_runs(self, runs: Runs) -> Self {
        Self { runs, ..self }
    }

    /// The automaton of the runs that violate the property.
    pub fn automaton(&self) -> &Buchi {
        &self.automaton
    }

    /// The propositions of the automaton's labels.
    pub fn propositions(&self) -> &[P] {
        &self.propositions
    }

    /// The formula, if the property was given by one.
    pub fn formula(&self) -> Option<&Ltl> {
        self.formula.as_ref()
    }

    /// The bit of the proposition that holds in states that the automaton does not read; zero if it
    /// reads all.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The runs that the property considers.
    pub fn runs(&self) -> Runs {
        self.runs
    }

    /// Whether the lasso, with the cycle repeated forever, violates the property. The automaton
    /// decides, and the formula, where there is one.
    pub fn is_violated_by(&self, stem: &[u64], cycle: &[u64]) -> bool {
        self.automaton.accepts(stem, cycle)
            && self.formula.as_ref().is_none_or(|formula| {
                let read = |letters: &[u64]| -> Vec<u64> {
                    letters.iter().copied().filter(|letter| letter & self.skipped == 0).collect()
                };
                let cycle = read(cycle);
                // A formula is about infinite runs. Here the automaton waits forever.
                cycle.is_empty() || !formula.is_true_of(&read(stem), &cycle)
            })
    }
}
