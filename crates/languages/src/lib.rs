//! Model files, read into guarded commands.
//!
//! The principal function of this crate is [`read_model`]. It takes the text of a model and returns
//! either a [`Model`], whose [`GuardedCommands`] every engine understands, or all that is wrong
//! with the text, each finding with a code and a place.
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
//! // Questions use the names of the model.
//! assert!(model.expression("Lamp.on imply turn == 2").is_ok());
//!
//! let errors = model.expression("Lamp.onn").expect_err("no such state");
//! assert_eq!(errors[0].code, "E0203");
//! assert_eq!(errors[0].help.as_deref(), Some("did you mean `on`?"));
//! ```
//!
//! [`read_model_with`] reads other languages, by [`ReadOptions`]. [`format`](mod@format) is the
//! table of them: DVE, explicit state spaces ([`state_space`]) and Petri nets ([`petri`]). A new
//! language is a module that reads a text into a [`Model`], and a row of that table. What a model
//! *is* does not depend on how it was written down.
//!
//! [`question`] describes what can be asked about a model of any language, [`automata`] the
//! automata that can be read. [`codes`] lists all diagnostics.

pub mod automata;
pub mod codes;
mod diagnostic;
mod dve;
pub mod format;
mod lowering;
mod names;
pub mod petri;
pub mod promela;
pub mod question;
mod source;
pub mod spelling;
pub mod state_space;

use std::path::PathBuf;
use std::sync::Arc;

use logic::ctl::Ctl;
use logic::ltl::Ltl;
use model::guarded_commands::{
    ActionId, BuchiAutomaton, DeclaredProperty, Expression, GuardedCommands, Span,
};
use model::measure::MeasureKind;

pub use automata::{
    AutomatonFormat, AutomatonWithPropositions, ServiceOfModel, ServiceText, ServiceTransition,
};
pub use diagnostic::{Diagnostic, Severity};
pub use format::Format;
pub use question::{CtlForm, CtlFormula, DeclaredMeasure, LtlFormula, MeasureExpressions, Proposition};
pub use source::{Position, Source};
pub use state_space::{Automaton, StateSpace};

/// How to read a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format of the text.
    pub format: &'static Format,
    /// Values for global constants, which replace those in the text before anything is computed
    /// from them. Of several values for one name the last counts.
    pub constants: Vec<(String, i64)>,
    /// Macros for formats with a preprocessor, with the text of each.
    pub macros: Vec<(String, String)>,
    /// The folder of the file, in which included files are looked up. Without it there are none.
    pub folder: Option<PathBuf>,
    /// Processes that a Promela model is known to create.
    pub created: promela::CreatedProcesses,
}

/// A model that was read from a text.
#[derive(Clone, Debug)]
pub struct Model {
    /// The format of its text.
    pub format: &'static Format,
    /// The meaning.
    pub commands: GuardedCommands,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
    /// The progress measure that its file declares.
    pub progress: Option<DeclaredMeasure>,
    /// What is wrong with the measure that its file declares; then there is none. The model is good
    /// without it.
    pub progress_errors: Vec<Diagnostic>,
    /// The formulas of linear temporal logic that its file declares.
    pub formulas: Vec<DeclaredFormula>,
    /// Properties that its file declares and that are checked only if they are named.
    pub optional: Vec<DeclaredProperty>,
    /// Where a run may end, if the language says so. A state without successors where it is false is
    /// an invalid end.
    pub valid_end: Option<Expression>,
    /// What some formats know beyond guarded commands.
    pub extras: Extras,
    names: names::Names,
}

/// A formula that the file of a model declares as a property.
#[derive(Clone, Debug)]
pub struct DeclaredFormula {
    /// The name that the user selects it by.
    pub name: String,
    /// The formula.
    pub formula: LtlFormula,
    /// Where it is declared.
    pub span: Span,
}

/// What a model knows beyond guarded commands.
#[derive(Clone, Debug)]
pub enum Extras {
    /// Nothing.
    None,
    /// The Petri net that the model was made from.
    Net(Arc<petri::Net>),
    /// The model is written in Promela: the steps that create a process for which it has no place.
    Promela(Arc<promela::MissingProcesses>),
    /// The model is an explicit state space: its one process has a location for every state, and
    /// its declared measure is the variable of progress values.
    Space,
}

impl Model {
    /// The net that the model was made from, if it is a Petri net.
    pub fn net(&self) -> Option<&Arc<petri::Net>> {
        match &self.extras {
            Extras::Net(net) => Some(net),
            Extras::None | Extras::Promela(_) | Extras::Space => None,
        }
    }

    /// How to read the text of the model again, so that it has room for a step that it had none for:
    /// this action, from this state.
    pub fn options_for(&self, action: ActionId, state: &[i64], options: &ReadOptions) -> Option<ReadOptions> {
        let Extras::Promela(missing) = &self.extras else { return None };
        Some(ReadOptions { created: missing.needed(action, state)?, ..options.clone() })
    }

    /// Whether the model is an explicit state space.
    pub fn is_state_space(&self) -> bool {
        matches!(self.extras, Extras::Space)
    }

    /// Reads an expression about a state. It sees the global names, and those of a process `P` as
    /// `P->variable` and `P.state`; [`question`] describes the syntax. Spans, also those of
    /// diagnostics, point into `text`.
    ///
    /// # Errors
    /// All that is wrong with the expression, in the order of its text.
    pub fn expression(&self, text: &str) -> Result<Expression, Vec<Diagnostic>> {
        self.expression_with_warnings(text).map(|(expression, _)| expression)
    }

    /// Reads an expression about a state, as [`expression`](Self::expression) does, and says what
    /// is odd about it.
    ///
    /// ```
    /// let model = languages::read_model("byte e[3]; system async;").expect("a model");
    /// let (_, warnings) = model.expression_with_warnings("e == 1").expect("an expression");
    /// assert_eq!(warnings[0].help.as_deref(), Some("write `e[0]`"));
    /// ```
    ///
    /// # Errors
    /// All that is wrong with the expression, in the order of its text.
    pub fn expression_with_warnings(
        &self,
        text: &str,
    ) -> Result<(Expression, Vec<Diagnostic>), Vec<Diagnostic>> {
        question::expression(text, &self.names)
    }

    /// Reads a progress measure: an expression, a tuple `(a, b, c)` of which the first counts most,
    /// or a vector `[a, b, c]` that is compared component by component. A measure may use more
    /// forms than an [`expression`](Self::expression): the name of a process alone, orders of
    /// values, and the queues of channels. [`question`] describes them.
    ///
    /// # Errors
    /// All that is wrong with the measure, in the order of its text.
    pub fn measure(&self, text: &str) -> Result<MeasureExpressions, Vec<Diagnostic>> {
        question::measure(text, &self.names)
    }

    /// Writes a tuple, or a single expression, as the text of a measure. [`measure`](Self::measure)
    /// reads the same components back, with constant parts computed. The components must be about
    /// this model.
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

    /// Writes a measure of either kind, as [`measure_text`](Self::measure_text) writes a tuple.
    ///
    /// ```
    /// let model = languages::read_model("byte x, y; system async;").expect("a model");
    /// let measure = model.measure("[x, (y)]").expect("a measure");
    /// assert_eq!(model.measure_text_of_kind(&measure.components, measure.kind), "[x, y]");
    /// ```
    pub fn measure_text_of_kind(&self, components: &[Expression], kind: MeasureKind) -> String {
        question::text::measure(&self.commands, &self.names, components, kind)
    }

    /// Writes a measure for a table or a heading: as [`measure_text`](Self::measure_text), with an
    /// ellipsis in each component of more than about 40 characters.
    pub fn measure_summary(&self, components: &[Expression]) -> String {
        question::text::summary(&self.commands, &self.names, components)
    }

    /// Reads a formula of linear temporal logic, or a file with one. [`question`] describes the
    /// syntax.
    ///
    /// # Errors
    /// All that is wrong with the formula, in the order of its text.
    pub fn ltl(&self, text: &str) -> Result<LtlFormula, Vec<Diagnostic>> {
        question::temporal::ltl(text, &self.names)
    }

    /// Reads a formula of computation tree logic, or a file with one. [`question`] describes the
    /// syntax.
    ///
    /// # Errors
    /// All that is wrong with the formula, in the order of its text.
    pub fn ctl(&self, text: &str) -> Result<CtlFormula, Vec<Diagnostic>> {
        question::temporal::ctl(text, &self.names)
    }

    /// Reads a Büchi automaton about this model: in the Hanoi format, as a never claim, as an
    /// automaton of LoLA, or as the file of the thesis. The first word tells which. Its
    /// propositions are expressions of the model.
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

    /// An automaton that this model declares, with numbered propositions. Their spans point into
    /// the text of the model.
    ///
    /// # Errors
    /// There are more than 64 propositions, or a guard is too large.
    pub fn declared_automaton(
        &self,
        declared: &BuchiAutomaton,
    ) -> Result<AutomatonWithPropositions, Vec<Diagnostic>> {
        automata::property_process(declared, self)
    }

    /// Reads a service automaton, whose events are actions of this model. [`ServiceOfModel`]
    /// describes how events are written.
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

    /// The variables that can be propositions by their name alone: those of a state space, or all
    /// scalar global variables.
    pub(crate) fn proposition_names(&self) -> Vec<String> {
        let progress = self.progress.as_ref().filter(|_| self.is_state_space());
        let progress = progress.map(|measure| measure.text.as_str());
        let scalars = self.names.globals.iter();
        let scalars = scalars.filter(|(_, symbol)| matches!(symbol, names::Symbol::Scalar { .. }));
        scalars.map(|(name, _)| name.clone()).filter(|name| Some(name.as_str()) != progress).collect()
    }
}

/// Reads a formula of linear temporal logic without a model: every part about one state is a
/// proposition, known by its text.
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
    question::temporal::ltl_over_names(text)
}

/// Reads a formula of computation tree logic without a model, as [`ltl_over_names`] does.
///
/// # Errors
/// What is wrong with the formula.
pub fn ctl_over_names(text: &str) -> Result<(Ctl, Vec<String>), Vec<Diagnostic>> {
    question::temporal::ctl_over_names(text)
}

/// Reads the text of a DVE model, with the constants that it declares.
///
/// # Errors
/// What is wrong with the text, at most twenty findings, in the order of the text. There is at
/// least one, and all of them are errors.
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
/// What is wrong with the text or with the constants, at most twenty findings, in the order of the
/// text. There is at least one, and all of them are errors. A finding about a constant that the
/// text does not have has an empty span at the start of the text.
pub fn read_model_with(text: &str, options: &ReadOptions) -> Result<Model, Vec<Diagnostic>> {
    options.format.read(text, options)
}
