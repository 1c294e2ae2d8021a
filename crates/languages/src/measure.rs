//! Progress measures that a model file declares.
//!
//! A measure maps every state to a list of numbers, compared like words in a dictionary: the first component
//! counts most. A DVE file declares one in a line comment, which other tools skip:
//!
//! ```text
//! // progress: (round, Sender, acknowledged)
//! ```
//!
//! The components are expressions of the model's own language, with one addition: the name of a process alone,
//! like `Sender` above, is the number of the state that it is in, counted from 0 in the order of their declaration.
//! A global variable of the same name comes first. Elsewhere, as in invariants, a process is asked for a state by
//! `Sender.idle`.
//!
//! A state space of the `ss` format always has a measure: the progress values in its file.

use sweepline::model::guarded_commands::{Expression, Span};

/// A measure and where it is declared.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredMeasure {
    /// The measure as written.
    pub text: String,
    /// Its place in the model's text; empty, at the start, if it stands nowhere in particular.
    pub span: Span,
    /// Its components, the one that counts most first. There is at least one.
    pub components: Vec<Expression>,
}
