//! From questions to properties: one piece of code for [`Questions`](crate::Questions) and for the
//! command line.
//!
//! A question is a text about a model, or a property that the file of the model declares. A
//! [`PropertyReader`] turns either into a property. It also has the runs that linear-time
//! properties consider, so that no front end can forget fairness or dead ends. Names of properties
//! are the texts as Sweepline understands them; a front end may replace them.

use engine::property::linear::{DeadEnds, LinearProperty, Runs};
use engine::property::{BranchingProperty, Property, PropertyKind, Spelling};
use languages::{
    AutomatonWithPropositions, CtlForm, CtlFormula, DeclaredFormula, Diagnostic, LtlFormula, Model,
};
use logic::ltl_to_buchi::{FormulaTooLarge, Limits};
use model::guarded_commands::{DeclaredProperty, DeclaredPropertyKind, Expression};

/// The name of the property that every reachable state has a successor.
pub const NO_DEADLOCK: &str = "no deadlock";

/// The property that every reachable state without a successor is a valid end.
pub const NO_INVALID_END: &str = "no invalid end state";

/// Reads questions about a model.
#[derive(Clone, Copy, Debug)]
pub struct PropertyReader<'a> {
    /// The model.
    pub model: &'a Model,
    /// The runs that linear-time properties consider.
    pub runs: Runs,
}

/// A property that was read from a text.
#[derive(Clone, Debug)]
pub struct ReadProperty {
    /// The property.
    pub property: Property,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Why a question is not a property.
#[derive(Clone, Debug)]
pub enum QuestionError {
    /// Its text has errors. There is at least one.
    Text(Vec<Diagnostic>),
    /// The automaton of a formula is too large.
    TooLarge(TooLarge),
}

/// A formula whose automaton is too large.
#[derive(Clone, Debug)]
pub struct TooLarge {
    /// The formula as Sweepline understands it.
    pub formula: String,
    /// The limit that its automaton exceeds.
    pub error: FormulaTooLarge,
}

impl PropertyReader<'_> {
    /// Reads an expression about a state. `kind` is the property that it stands for.
    ///
    /// # Errors
    /// The text has errors.
    pub fn expression(
        &self,
        text: &str,
        kind: fn(Expression) -> PropertyKind,
    ) -> Result<ReadProperty, QuestionError> {
        let (expression, warnings) = self.model.expression_with_warnings(text)?;
        Ok(ReadProperty { property: Property::new(text.trim(), kind(expression)), warnings })
    }

    /// Reads an expression that can always become true again.
    ///
    /// # Errors
    /// The text has errors.
    pub fn home(&self, text: &str) -> Result<ReadProperty, QuestionError> {
        let (expression, warnings) = self.model.expression_with_warnings(text)?;
        let property = of_form(format!("AG EF ({})", text.trim()), CtlForm::AgEf, expression);
        Ok(ReadProperty { property, warnings })
    }

    /// Reads an LTL formula.
    ///
    /// # Errors
    /// The text has errors, or the automaton of the formula is too large.
    pub fn ltl(&self, text: &str) -> Result<ReadProperty, QuestionError> {
        let formula = self.model.ltl(text)?;
        let (name, warnings) = (formula.to_string(), formula.warnings.clone());
        Ok(ReadProperty { property: Property::new(name, self.every_run(formula)?), warnings })
    }

    /// Reads a CTL formula.
    ///
    /// # Errors
    /// The text has errors.
    pub fn ctl(&self, text: &str) -> Result<ReadProperty, QuestionError> {
        let formula = self.model.ctl(text)?;
        let (name, warnings) = (formula.to_string(), formula.warnings.clone());
        let property = match formula.special() {
            Some((form, operand)) => of_form(name, form, operand),
            None => Property::new(name, branching(formula)),
        };
        Ok(ReadProperty { property, warnings })
    }

    /// Reads an automaton that accepts no run.
    ///
    /// # Errors
    /// The text has errors.
    pub fn automaton(&self, name: String, text: &str) -> Result<ReadProperty, QuestionError> {
        let read = self.model.automaton(text)?;
        let warnings = read.warnings.clone();
        Ok(ReadProperty { property: Property::new(name, self.no_accepted_run(read)), warnings })
    }

    /// A property that the file of the model declares. Warnings about it are among those of the
    /// model.
    ///
    /// # Errors
    /// Its automaton has too many propositions, or too large a guard.
    pub fn declared(&self, declared: &DeclaredProperty) -> Result<Property, QuestionError> {
        let kind = match &declared.kind {
            // Inside of an atomic sequence, what fails is an assertion.
            DeclaredPropertyKind::Invariant(one) if self.model.commands.intermediate().is_some() => {
                PropertyKind::Assertion(one.clone())
            }
            DeclaredPropertyKind::Invariant(one) => PropertyKind::Invariant(one.clone()),
            DeclaredPropertyKind::NoAcceptedRun(process) => {
                let mut reader = *self;
                // Labels of processes speak of cycles. A run that ends is at none for ever.
                if self.model.optional.iter().any(|one| one.name == declared.name) {
                    reader.runs.dead_ends = DeadEnds::Ignored;
                }
                reader.no_accepted_run(self.model.declared_automaton(process)?)
            }
        };
        Ok(Property::new(declared.name.clone(), kind))
    }

    /// A formula that the file of the model declares as a property.
    ///
    /// # Errors
    /// Its automaton is too large.
    pub fn declared_formula(&self, declared: &DeclaredFormula) -> Result<Property, QuestionError> {
        Ok(Property::new(declared.name.clone(), self.every_run(declared.formula.clone())?))
    }

    /// The property that a formula is true of every run.
    ///
    /// # Errors
    /// Its automaton is too large.
    pub fn every_run(&self, formula: LtlFormula) -> Result<PropertyKind, TooLarge> {
        Ok(PropertyKind::Linear(Box::new(linear(formula)?.of_runs(self.runs))))
    }

    fn no_accepted_run(&self, read: AutomatonWithPropositions) -> PropertyKind {
        let propositions = read.propositions.into_iter().map(|one| one.expression).collect();
        let linear = LinearProperty::of_automaton(&read.automaton, propositions);
        PropertyKind::Linear(Box::new(linear.of_runs(self.runs)))
    }

    /// The property that no run ends where it should not: at a state without successors, or at one
    /// that the language does not allow as an end.
    pub fn no_deadlock(&self) -> Property {
        match &self.model.valid_end {
            Some(valid) => Property::new(NO_INVALID_END, PropertyKind::ProperEnd(valid.clone())),
            None => Property::new(NO_DEADLOCK, PropertyKind::DeadlockFree),
        }
    }
}

/// The property that a formula is true of every run, with the automaton that decides it.
///
/// # Errors
/// The automaton is too large.
pub fn linear(formula: LtlFormula) -> Result<LinearProperty, TooLarge> {
    let LtlFormula { formula, propositions, text, .. } = formula;
    let propositions = propositions.into_iter().map(|one| one.expression).collect();
    LinearProperty::of_formula(formula, propositions, &Limits::default())
        .map_err(|error| TooLarge { formula: text, error })
}

/// The property that a CTL formula is true in every initial state, decided on the graph.
pub fn branching(formula: CtlFormula) -> PropertyKind {
    let propositions = formula.propositions.into_iter().map(|one| one.expression).collect();
    PropertyKind::Branching(Box::new(BranchingProperty { formula: formula.formula, propositions }))
}

/// The property that a CTL formula of a special form is: no graph is needed to decide it.
pub fn of_form(name: impl Into<String>, form: CtlForm, operand: Expression) -> Property {
    let kind = match form {
        CtlForm::Ef => PropertyKind::Reachable(operand),
        CtlForm::Ag => PropertyKind::Invariant(operand),
        CtlForm::AgEf => PropertyKind::AlwaysPossible(operand),
        CtlForm::EfAg => PropertyKind::PossiblyForEver(operand),
    };
    Property { spelling: Spelling::Ctl, ..Property::new(name, kind) }
}

/// Whether some property considers runs. Otherwise fairness has no meaning.
pub fn consider_runs(properties: &[Property]) -> bool {
    properties.iter().any(|property| matches!(property.kind, PropertyKind::Linear(_)))
}

impl From<TooLarge> for QuestionError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

impl From<Vec<Diagnostic>> for QuestionError {
    fn from(found: Vec<Diagnostic>) -> Self {
        Self::Text(found)
    }
}
