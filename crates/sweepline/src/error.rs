//! Errors of checks of model files.

use std::fmt;
use std::path::PathBuf;

use engine::check::CheckError;
use languages::{Diagnostic, Source};
use logic::ltl_to_buchi::FormulaTooLarge;
use model::measure::MeasureError;

use crate::planning::PlanError;
use crate::properties::QuestionError;

/// Codes that the command line explains, too.
const TOO_LARGE: &str = "E0045";
const BAD_MEASURE: &str = "E0018";

/// Why a model file could not be read or checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text of the model, a question or a measure has errors. There is at least one.
    #[error("{}", Problem::list(.0))]
    Text(Vec<Problem>),
    /// Fair runs were asked for, and no question is about runs.
    #[error(
        "fairness is about runs, and no question is: ask for an LTL formula, or for a property process that the file declares"
    )]
    FairnessWithoutRuns,
    /// Parts of the plan contradict each other.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The search cannot decide a question, or could not be run.
    #[error(transparent)]
    Check(#[from] CheckError),
}

impl Error {
    /// Findings of a language about a text.
    pub(crate) fn in_text(found: Vec<Diagnostic>, origin: &str, text: &str) -> Self {
        let source = Source::new(text);
        let problem = |found: Diagnostic| {
            let position = source.start_of(found.span);
            Problem {
                code: found.code,
                origin: origin.to_owned(),
                line: position.line,
                column: position.column,
                message: found.message,
                help: found.help,
            }
        };
        Self::Text(found.into_iter().map(problem).collect())
    }

    /// A question that is not a property.
    pub(crate) fn question(error: QuestionError, origin: &str, text: &str) -> Self {
        match error {
            QuestionError::Text(found) => Self::in_text(found, origin, text),
            QuestionError::TooLarge(formula) => Self::Text(vec![Problem::too_large(origin, &formula.error)]),
        }
    }

    /// A measure that cannot be packed into a progress value.
    pub(crate) fn measure(error: &MeasureError) -> Self {
        Self::Text(vec![Problem::whole(BAD_MEASURE, "measure", error.to_string(), None)])
    }
}

/// An error in the text of a model, a question or a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The error code; `sweepline explain CODE` explains it.
    pub code: &'static str,
    /// The file, or the kind of question.
    pub origin: String,
    /// Line of the error, from 1.
    pub line: usize,
    /// Column of the error, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it, if that can be guessed.
    pub help: Option<String>,
}

impl Problem {
    /// A formula whose automaton is too large.
    fn too_large(origin: &str, error: &FormulaTooLarge) -> Self {
        Self::whole(TOO_LARGE, origin, error.to_string(), Some(error.advice().into()))
    }

    /// A problem with a text as a whole.
    fn whole(code: &'static str, origin: &str, message: String, help: Option<String>) -> Self {
        Self { code, origin: origin.to_owned(), line: 1, column: 1, message, help }
    }

    fn list(problems: &[Self]) -> String {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, origin, line, column, message, help } = self;
        write!(f, "{origin}:{line}:{column}: error[{code}]: {message}")?;
        help.as_ref().map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}
