//! Questions about a model file, and the properties that they become.

use engine::property::fairness::Fairness;
use engine::property::linear::{DeadEnds, Runs};
use engine::property::{Property, PropertyKind};
use languages::Model;

use crate::Error;
use crate::properties::{PropertyReader, consider_runs};

/// What to decide about a model.
///
/// Expressions and formulas are in the language of the model, for example `x < 3 and not P.critical`
/// in DVE. An answer is found under the text of its question, or under the name of a declared property.
///
/// `Questions::default()` asks for everything that the file declares and for absence of deadlock.
#[derive(Clone, Debug)]
#[must_use]
pub struct Questions {
    list: Vec<Question>,
    runs: Runs,
}

#[derive(Clone, Debug)]
enum Question {
    Declared,
    NoDeadlock,
    Invariant(String),
    Reachable(String),
    Ltl(String),
    Ctl(String),
}

impl Default for Questions {
    fn default() -> Self {
        Self::new().no_deadlock().declared()
    }
}

impl Questions {
    /// No question yet.
    pub fn new() -> Self {
        Self { list: Vec::new(), runs: Runs::default() }
    }

    /// Asks for every property that the model file declares.
    pub fn declared(self) -> Self {
        self.with(Question::Declared)
    }

    /// Asks whether every reachable state has a successor. The answer is called `no deadlock`.
    pub fn no_deadlock(self) -> Self {
        self.with(Question::NoDeadlock)
    }

    /// Asks whether an expression is true in every reachable state.
    pub fn invariant(self, expression: impl Into<String>) -> Self {
        self.with(Question::Invariant(expression.into()))
    }

    /// Asks whether an expression is true in some reachable state.
    pub fn reachable(self, expression: impl Into<String>) -> Self {
        self.with(Question::Reachable(expression.into()))
    }

    /// Asks whether an LTL formula holds on every run, for example `G (asked -> F answered)`.
    pub fn ltl(self, formula: impl Into<String>) -> Self {
        self.with(Question::Ltl(formula.into()))
    }

    /// Asks whether a CTL formula holds in every initial state, for example `AG EF idle`.
    pub fn ctl(self, formula: impl Into<String>) -> Self {
        self.with(Question::Ctl(formula.into()))
    }

    fn with(mut self, question: Question) -> Self {
        self.list.push(question);
        self
    }

    /// Restricts LTL formulas and declared property processes to some runs.
    ///
    /// Other questions have the same answer for fair runs, or are not about runs. If there are only
    /// such questions, a check with [`Fairness::Weak`] is an error.
    ///
    /// ```
    /// use sweepline::{Fairness, ModelFile, Plan, Questions};
    ///
    /// let peterson = ModelFile::read("../../models/dve/peterson.dve")?;
    /// let question = Questions::new().ltl("G (P_0.raise -> F P_0.critical)");
    /// assert!(!peterson.check(&question, &Plan::new())?.holds());
    /// assert!(peterson.check(&question.fairness(Fairness::Weak), &Plan::new())?.holds());
    /// # Ok::<(), sweepline::Error>(())
    /// ```
    pub fn fairness(mut self, fairness: Fairness) -> Self {
        self.runs.fairness = fairness;
        self
    }

    /// Says how a run that ends in a deadlock counts for LTL formulas and declared property
    /// processes. By default its last state repeats forever.
    pub fn dead_ends(mut self, dead_ends: DeadEnds) -> Self {
        self.runs.dead_ends = dead_ends;
        self
    }

    /// The questions as properties of a model that was read from `path` and `text`.
    pub(crate) fn properties(
        &self,
        model: &Model,
        (path, text): (&str, &str),
    ) -> Result<Vec<Property>, Error> {
        let reader = PropertyReader { model, runs: self.runs };
        let mut properties = Vec::new();
        for question in &self.list {
            let (read, origin, text) = match question {
                Question::Declared => {
                    for declared in &model.commands.properties {
                        let read = reader.declared(declared);
                        properties.push(read.map_err(|error| Error::question(error, path, text))?);
                    }
                    for declared in &model.formulas {
                        let read = reader.declared_formula(declared);
                        properties.push(read.map_err(|error| Error::question(error, path, text))?);
                    }
                    continue;
                }
                Question::NoDeadlock => {
                    properties.push(reader.no_deadlock());
                    continue;
                }
                Question::Invariant(text) => {
                    (reader.expression(text, PropertyKind::Invariant), "invariant", text)
                }
                Question::Reachable(text) => {
                    (reader.expression(text, PropertyKind::Reachable), "reachable", text)
                }
                Question::Ltl(text) => (reader.ltl(text), "LTL formula", text),
                Question::Ctl(text) => (reader.ctl(text), "CTL formula", text),
            };
            let property = read.map_err(|error| Error::question(error, origin, text))?.property;
            properties.push(Property { name: text.trim().to_owned(), ..property });
        }
        if self.runs.fairness != Fairness::Unfair && !consider_runs(&properties) {
            return Err(Error::FairnessWithoutRuns);
        }
        Ok(properties)
    }
}
