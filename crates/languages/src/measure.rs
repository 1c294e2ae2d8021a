//! Progress measures that a model file declares.
//!
//! A measure maps every state to a list of numbers, compared like words in a dictionary: the first component
//! counts most. A DVE file declares one in a line comment, which other tools skip:
//!
//! ```text
//! // progress: (round, Sender, acknowledged)
//! ```
//!
//! In square brackets they are a vector, compared component by component: progress is what lowers none of them, and two
//! vectors of which neither is at most the other are incomparable. A step between such is a step backwards.
//!
//! ```text
//! // progress: [Sender->block, Receiver->stored]
//! ```
//!
//! The components are expressions of the model's own language, and a few things more that can be said in
//! measures only:
//!
//! - `Sender`, the name of a process alone, is the number of the state that it is in, counted from 0 in the order of
//!   their declaration. Elsewhere, as in invariants, a process is asked for a state by `Sender.idle`.
//! - `order(x: 0 < 1, 2 < 5)` is the rank of `x` in an order of its values: 0 for the value 0, 1 for 1 and for 2, 2 for
//!   5, and 3 for all others. Values are numbers, with or without a sign, and names of constants; they lie less than
//!   4096 apart, and none is named twice. The operand is any expression. Where it is the name of a process alone, values are the
//!   names of its states, or their numbers: `order(Sender: idle < sending, waiting)`.
//! - `c.length` is the number of messages in the buffer of a channel, `c[0]` the oldest one and `c[0].1` its second
//!   part, where messages have several. Places without a message are zero.
//!
//! A global variable hides a process of the same name, and both hide a channel: `process Sender` and `channel c[0]` say
//! which one is meant. So every number that a state holds can be named, and [`Model::measure_text`] does.
//! A word in front of a parenthesis is nothing else in DVE, so variables and processes may be called `order`.
//!
//! [`Model::measure_text`]: crate::Model::measure_text
//!
//! A state space of the `ss` format always has a measure: the progress values in its file.

use model::guarded_commands::{Expression, GuardedCommands, Span};
use model::measure::{ExpressionMeasure, MeasureError, MeasureKind};

/// What a measure's text means.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureExpressions {
    /// Its components; of a tuple, the one that counts most first. There is at least one.
    pub components: Vec<Expression>,
    /// How they are compared. A single one is a tuple.
    pub kind: MeasureKind,
}

impl MeasureExpressions {
    /// The measure as a search takes it.
    ///
    /// # Errors
    /// If the components do not fit into a progress value, or may have no value.
    pub fn pack(&self, commands: &GuardedCommands) -> Result<ExpressionMeasure, MeasureError> {
        ExpressionMeasure::of_kind(commands, &self.components, self.kind)
    }
}

/// A measure and where it is declared.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredMeasure {
    /// The measure as written.
    pub text: String,
    /// Its place in the model's text; empty, at the start, if it stands nowhere in particular.
    pub span: Span,
    /// Its components; of a tuple, the one that counts most first. There is at least one.
    pub components: Vec<Expression>,
    /// How they are compared. A single one is a tuple.
    pub kind: MeasureKind,
}

impl DeclaredMeasure {
    /// What it means.
    pub fn expressions(&self) -> MeasureExpressions {
        MeasureExpressions { components: self.components.clone(), kind: self.kind }
    }
}
