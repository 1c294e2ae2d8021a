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
//! DVE is the only language so far. Another one gets a module beside `dve`, a variant of [`Language`] and
//! nothing else: what a model *is* does not depend on how it was written down.

pub mod codes;
mod diagnostic;
mod dve;
mod source;
pub mod spelling;

use sweepline::model::guarded_commands::{Expression, GuardedCommands};

pub use diagnostic::{Diagnostic, Severity};
pub use source::{Position, Source};

/// A language that models are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// The language of the DiVinE model checker.
    Dve,
}

impl Language {
    /// The name, as used for file endings and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dve => "dve",
        }
    }
}

/// A model that was read from a text.
#[derive(Clone, Debug)]
pub struct Model {
    /// The language it was written in.
    pub language: Language,
    /// What it means.
    pub commands: GuardedCommands,
    /// What is odd about it, in the order of the text.
    pub warnings: Vec<Diagnostic>,
    scope: dve::Scope,
}

impl Model {
    /// An expression in the model's own language, for example from `--invariant`. It sees the global names, and
    /// those of a process `P` as `P->variable` and `P.state`. Spans, also those of diagnostics, point into `text`.
    ///
    /// # Errors
    /// All that is wrong with the expression, in the order of its text.
    pub fn expression(&self, text: &str) -> Result<Expression, Vec<Diagnostic>> {
        match self.language {
            Language::Dve => dve::expression(text, &self.scope),
        }
    }
}

/// Reads the text of a model.
///
/// # Errors
/// What is wrong with the text, at most twenty findings, in the order of the text. There is at least one, and
/// all of them are errors.
pub fn read_model(text: &str) -> Result<Model, Vec<Diagnostic>> {
    let dve::Meaning { commands, scope, warnings } = dve::read(text)?;
    Ok(Model { language: Language::Dve, commands, warnings, scope })
}
