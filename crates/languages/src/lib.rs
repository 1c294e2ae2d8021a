//! Model files, read into guarded commands.
//!
//! The principal function of this crate is [`read_model`]: it takes the text of a model and gives either a
//! [`Model`], whose [`GuardedCommands`] every engine understands, or all that is wrong with the text, each
//! finding with a code and a place.
//!
//! ```
//! let text = "
//!     byte turn = 1;
//!     process Lamp {
//!         state off, on;
//!         init off;
//!         trans off -> on { guard turn == 1; effect turn = 2; };
//!     }
//!     system async;
//! ";
//! let model = languages::read_model(text).expect("the text above is a model");
//! assert_eq!(model.commands.actions.len(), 1);
//!
//! // Questions are asked in the model's own language.
//! assert!(model.expression("Lamp.on imply turn == 2").is_ok());
//!
//! let errors = model.expression("Lamp.onn").expect_err("no such state");
//! assert_eq!(errors[0].code, "E0203");
//! assert_eq!(errors[0].help.as_deref(), Some("did you mean `on`?"));
//! ```
//!
//! [`read_model_with`] reads other languages, by [`ReadOptions`]: explicit state spaces are in [`state_space`], Petri nets in [`petri`].
//! Another one gets a module beside `dve`, a variant of [`Language`] and nothing else: what a model *is* does not
//! depend on how it was written down.

pub mod automata;
pub mod codes;
mod ctl;
mod diagnostic;
mod dve;
pub mod formula;
mod language;
mod measure;
pub mod petri;
mod proposition;
mod source;
pub mod spelling;
pub mod state_space;

use std::sync::Arc;

use logic::ctl::Ctl;
use logic::ltl::Ltl;
use model::guarded_commands::{BuchiAutomaton, Expression, GuardedCommands};
use model::measure::MeasureKind;

pub use automata::{
    AutomatonFormat, AutomatonWithPropositions, ServiceOfModel, ServiceText, ServiceTransition,
};
pub use ctl::{CtlForm, CtlFormula};
pub use diagnostic::{Diagnostic, Severity};
pub use formula::LtlFormula;
pub use language::{Language, ReadOptions};
pub use measure::{DeclaredMeasure, MeasureExpressions};
pub use proposition::Proposition;
pub use source::{Position, Source};
pub use state_space::{Automaton, StateSpace};

/// A model that was read from a text.
#[derive(Clone, Debug)]
pub struct Model {
    /// The language it was written in.
    pub language: Language,
    /// What it means.
    pub commands: GuardedCommands,
    /// What is odd about it, in the order of the text.
    pub warnings: Vec<Diagnostic>,
    /// The progress measure that its file declares.
    pub progress: Option<DeclaredMeasure>,
    /// What is wrong with the measure that its file declares; then there is none. The model is good without it.
    pub progress_errors: Vec<Diagnostic>,
    /// The net that it was made from, if it is a Petri net.
    pub net: Option<Arc<petri::Net>>,
    scope: dve::Scope,
}

impl Model {
    /// An expression in the model's own language, for example from `--invariant`. It sees the global names, and
    /// those of a process `P` as `P->variable` and `P.state`. Spans, also those of diagnostics, point into `text`.
    ///
    /// # Errors
    /// All that is wrong with the expression, in the order of its text.
    pub fn expression(&self, text: &str) -> Result<Expression, Vec<Diagnostic>> {
        dve::expression(text, &self.scope)
    }

    /// A progress measure in the model's own language, for example from `--progress`: an expression, a tuple
    /// `(a, b, c)` of which the first counts most, or a vector `[a, b, c]` compared component by component. In addition to what [`expression`](Self::expression) allows, the
    /// name of a process alone is the number of the state that it is in, in the order of declaration; there are orders
    /// of values, `order(x: 0 < 1, 2 < 5)`; and a buffered channel has `c.length` and the messages `c[0]`.
    ///
    /// # Errors
    /// All that is wrong with the measure, in the order of its text.
    pub fn measure(&self, text: &str) -> Result<MeasureExpressions, Vec<Diagnostic>> {
        dve::measure(text, &self.scope)
    }

    /// A tuple, or a single expression, as a measure in the model's own language, for `--measure` or a `// progress:` comment.
    /// [`measure`](Self::measure) gives the same components back, constant parts computed. The components must be about this
    /// model.
    ///
    /// ```
    /// let text = "byte x; process P { state NCS, CS, wait; init NCS; } system async;";
    /// let model = languages::read_model(text).expect("a model");
    /// let measure = model.measure("(order(P: 0 < 2 < 1), (x) * 2)").expect("a measure");
    /// assert_eq!(model.measure_text(&measure.components), "(order(P: NCS < wait < CS), x * 2)");
    /// ```
    pub fn measure_text(&self, components: &[Expression]) -> String {
        self.measure_text_of_kind(components, MeasureKind::Lexicographic)
    }

    /// As [`measure_text`](Self::measure_text), for both kinds of measures.
    ///
    /// ```
    /// let model = languages::read_model("byte x, y; system async;").expect("a model");
    /// let measure = model.measure("[x, (y)]").expect("a measure");
    /// assert_eq!(model.measure_text_of_kind(&measure.components, measure.kind), "[x, y]");
    /// ```
    pub fn measure_text_of_kind(&self, components: &[Expression], kind: MeasureKind) -> String {
        dve::measure_text(&self.commands, &self.scope, components, kind)
    }

    /// A measure for a table or a heading: as [`measure_text`](Self::measure_text), with an ellipsis for what makes a
    /// component longer than some 40 characters.
    pub fn measure_summary(&self, components: &[Expression]) -> String {
        dve::measure_summary(&self.commands, &self.scope, components)
    }

    /// A formula of linear temporal logic, for example from `--ltl`; also the text of a formula file. The syntax is told in [`formula`](mod@formula).
    ///
    /// # Errors
    /// All that is wrong with the formula, in the order of its text.
    pub fn ltl(&self, text: &str) -> Result<LtlFormula, Vec<Diagnostic>> {
        dve::ltl(text, &self.scope)
    }

    /// A formula of computation tree logic, for example from `--ctl`; also the text of a formula file. The syntax is told in [`formula`](mod@formula).
    ///
    /// # Errors
    /// All that is wrong with the formula, in the order of its text.
    pub fn ctl(&self, text: &str) -> Result<CtlFormula, Vec<Diagnostic>> {
        dve::ctl(text, &self.scope)
    }

    /// A Büchi automaton about this model, for example from `--automaton`: in the Hanoi format, a never claim, or the file of the thesis, which is
    /// recognised by how the text begins. Its propositions are expressions of the model.
    ///
    /// ```
    /// let model = languages::read_model("byte x; system async;").expect("a model");
    /// let claim = "never { T0: do :: (1) -> goto T0 :: (x > 2) -> goto accept od; accept: do :: (x > 2) od }";
    /// let read = model.automaton(claim).expect("a claim");
    /// assert_eq!(read.propositions[0].text, "x > 2");
    /// assert_eq!(read.automaton.states.len(), 2);
    /// assert!(read.automaton.accepts_by_states());
    /// ```
    ///
    /// # Errors
    /// What is wrong with the automaton, at most twenty findings in the order of the text.
    pub fn automaton(&self, text: &str) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
        automata::read(text, self)
    }

    /// An automaton that this model declares, with numbered propositions. Their places are those in the text of the model.
    ///
    /// # Errors
    /// There are more than 64 propositions, or a guard is too large.
    pub fn declared_automaton(
        &self,
        declared: &BuchiAutomaton,
    ) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
        automata::property_process(declared, self)
    }

    /// A service automaton, for example from `--safety-automaton`, whose events are actions of this model. How events are written is told at
    /// [`ServiceOfModel`].
    ///
    /// ```
    /// let text = "process P { state a, b; init a; trans a -> b {}, b -> a {}; } system async;";
    /// let model = languages::read_model(text).expect("a model");
    /// let service = model.service("initial 0\n0 -> 1 : P: a -> b\n1 -> 0 : P: * -> a").expect("a service");
    /// assert_eq!(service.events, [Some(0), Some(1)]);
    /// let errors = model.service("initial 0\n0 -> 1 : P: a -> c").expect_err("no such action");
    /// assert_eq!(errors[0].help.as_deref(), Some("did you mean `P: a -> b`?"));
    /// ```
    ///
    /// # Errors
    /// What is wrong with the automaton, or with its events.
    pub fn service(&self, text: &str) -> Result<ServiceOfModel, Vec<Diagnostic>> {
        automata::service(text, &self.commands)
    }

    /// The variables that can be propositions by their name alone: those of a state space, or all single global variables.
    pub(crate) fn proposition_names(&self) -> Vec<String> {
        let progress = match self.language {
            Language::StateSpace => self.progress.as_ref().map(|measure| measure.text.as_str()),
            Language::Dve | Language::Pnml | Language::Lola => None,
        };
        let scalars =
            self.scope.globals.iter().filter(|(_, symbol)| matches!(symbol, dve::Symbol::Scalar { .. }));
        scalars.map(|(name, _)| name.clone()).filter(|name| Some(name.as_str()) != progress).collect()
    }
}

/// Reads a formula of linear temporal logic without a model: whatever is said about one state is a proposition, known by its text.
///
/// ```
/// use logic::ltl::Ltl;
///
/// let (formula, names) = languages::ltl_over_names("G (wait -> F cs)").expect("a formula");
/// assert_eq!(names, ["wait", "cs"]);
/// let answered = Ltl::finally(Ltl::Proposition(1));
/// assert_eq!(formula, Ltl::globally(Ltl::implies(Ltl::Proposition(0), answered)));
/// ```
///
/// # Errors
/// What is wrong with the formula.
pub fn ltl_over_names(text: &str) -> Result<(Ltl, Vec<String>), Vec<Diagnostic>> {
    dve::ltl_over_names(text)
}

/// Reads a formula of computation tree logic without a model, as [`ltl_over_names`] does.
///
/// # Errors
/// What is wrong with the formula.
pub fn ctl_over_names(text: &str) -> Result<(Ctl, Vec<String>), Vec<Diagnostic>> {
    dve::ctl_over_names(text)
}

/// Reads the text of a DVE model as it stands.
///
/// # Errors
/// What is wrong with the text, at most twenty findings, in the order of the text. There is at least one, and
/// all of them are errors.
pub fn read_model(text: &str) -> Result<Model, Vec<Diagnostic>> {
    read_model_with(text, &ReadOptions::default())
}

/// Reads the text of a model.
///
/// ```
/// use languages::{ReadOptions, read_model_with};
///
/// let constants = vec![("N".to_owned(), 5)];
/// let options = ReadOptions { constants, ..ReadOptions::default() };
/// let model = read_model_with("const int N = 3; byte forks[N]; system async;", &options).expect("a model");
/// assert_eq!(model.commands.cells.len(), 5);
/// ```
///
/// # Errors
/// What is wrong with the text or with the constants, at most twenty findings, in the order of the text. There is
/// at least one, and all of them are errors. A finding about a constant that the text does not have stands at the
/// start of the text.
pub fn read_model_with(text: &str, options: &ReadOptions) -> Result<Model, Vec<Diagnostic>> {
    match options.language {
        Language::Dve => {
            let dve::Meaning { commands, scope, progress, progress_errors, warnings } =
                dve::read(text, &options.constants)?;
            Ok(Model {
                language: Language::Dve,
                commands,
                warnings,
                progress,
                progress_errors,
                net: None,
                scope,
            })
        }
        Language::StateSpace => {
            state_space::refuse_constants(&options.constants, state_space::NO_CONSTANTS)?;
            Ok(StateSpace::read(text)?.model())
        }
        Language::Pnml | Language::Lola => petri::read(text, options.language, &options.constants),
    }
}
