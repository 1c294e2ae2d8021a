//! Questions about a model file, and the properties that they become.

use engine::property::linear::LinearProperty;
use engine::property::{BranchingProperty, Property, PropertyKind};
use languages::{CtlForm, LtlFormula, Model};
use logic::ltl_to_buchi::Limits;
use model::guarded_commands::{DeclaredPropertyKind, Expression};

use crate::Error;
use crate::error::Problem;

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
}

/// The name of the property that every reachable state has a successor.
pub(crate) const NO_DEADLOCK: &str = "no deadlock";

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
        Self { list: Vec::new() }
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

    /// The questions as properties of a model that was read from `path` and `text`.
    pub(crate) fn properties(
        &self,
        model: &Model,
        (path, text): (&str, &str),
    ) -> Result<Vec<Property>, Error> {
        let mut properties = Vec::new();
        for question in &self.list {
            match question {
                Question::Declared => properties.extend(declared(model, (path, text))?),
                Question::NoDeadlock => {
                    properties.push(Property::new(NO_DEADLOCK, PropertyKind::DeadlockFree));
                }
                Question::Invariant(text) => {
                    let read = model.expression(text);
                    let read = read.map_err(|found| Error::in_text(found, "invariant", text))?;
                    properties.push(Property::new(text.trim(), PropertyKind::Invariant(read)));
                }
                Question::Reachable(text) => {
                    let read = model.expression(text);
                    let read = read.map_err(|found| Error::in_text(found, "reachable", text))?;
                    properties.push(Property::new(text.trim(), PropertyKind::Reachable(read)));
                }
                Question::Ltl(text) => properties.push(linear(model, text)?),
                Question::Ctl(text) => properties.push(branching(model, text)?),
            }
        }
        Ok(properties)
    }
}

fn declared(model: &Model, (path, text): (&str, &str)) -> Result<Vec<Property>, Error> {
    let property = |declared: &model::guarded_commands::DeclaredProperty| {
        let kind = match &declared.kind {
            DeclaredPropertyKind::Invariant(expression) => PropertyKind::Invariant(expression.clone()),
            DeclaredPropertyKind::NoAcceptedRun(process) => {
                let read = model.declared_automaton(process);
                let read = read.map_err(|found| Error::in_text(found, path, text))?;
                let propositions = read.propositions.into_iter().map(|one| one.expression).collect();
                let linear = LinearProperty::of_automaton(&read.automaton, propositions);
                PropertyKind::Linear(Box::new(linear))
            }
        };
        Ok(Property::new(declared.name.clone(), kind))
    };
    model.commands.properties.iter().map(property).collect()
}

fn linear(model: &Model, text: &str) -> Result<Property, Error> {
    let read = model.ltl(text).map_err(|found| Error::in_text(found, "LTL formula", text))?;
    let LtlFormula { formula, propositions, .. } = read;
    let propositions = propositions.into_iter().map(|one| one.expression).collect();
    let linear = LinearProperty::of_formula(formula, propositions, &Limits::default());
    let linear = linear.map_err(|error| Error::Text(vec![Problem::too_large("LTL formula", &error)]))?;
    Ok(Property::new(text.trim(), PropertyKind::Linear(Box::new(linear))))
}

/// The property that a CTL formula of a special form is: no graph is needed to decide it.
#[doc(hidden)]
pub fn ctl_kind(form: CtlForm, operand: Expression) -> PropertyKind {
    match form {
        CtlForm::Ef => PropertyKind::Reachable(operand),
        CtlForm::Ag => PropertyKind::Invariant(operand),
        CtlForm::AgEf => PropertyKind::AlwaysPossible(operand),
        CtlForm::EfAg => PropertyKind::PossiblyForEver(operand),
    }
}

fn branching(model: &Model, text: &str) -> Result<Property, Error> {
    let formula = model.ctl(text).map_err(|found| Error::in_text(found, "CTL formula", text))?;
    let kind = match formula.special() {
        Some((form, operand)) => ctl_kind(form, operand),
        None => {
            let propositions = formula.propositions.into_iter().map(|one| one.expression).collect();
            let branching = BranchingProperty { formula: formula.formula, propositions };
            PropertyKind::Branching(Box::new(branching))
        }
    };
    Ok(Property::new(text.trim(), kind))
}
