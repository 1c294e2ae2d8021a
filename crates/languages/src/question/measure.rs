//! Progress measures as expressions. [`question`](crate::question) describes how they are written.

use model::guarded_commands::{Expression, GuardedCommands, Span};
use model::measure::{ExpressionMeasure, MeasureError, MeasureKind};

use crate::diagnostic::Diagnostic;

/// The meaning of a measure's text.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureExpressions {
    /// The components; of a tuple, the one that counts most first. There is at least one.
    pub components: Vec<Expression>,
    /// How components are compared. A single one is a tuple.
    pub kind: MeasureKind,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

impl MeasureExpressions {
    /// Packs the measure into one progress value, as a search uses it.
    ///
    /// # Errors
    /// The components do not fit into a progress value, or may have no value.
    pub fn pack(&self, commands: &GuardedCommands) -> Result<ExpressionMeasure, MeasureError> {
        ExpressionMeasure::of_kind(commands, &self.components, self.kind)
    }
}

/// A measure and where it is declared.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredMeasure {
    /// The measure as written.
    pub text: String,
    /// The place in the model's text; empty, at the start, if the text has no such place.
    pub span: Span,
    /// The components; of a tuple, the one that counts most first. There is at least one.
    pub components: Vec<Expression>,
    /// How components are compared. A single one is a tuple.
    pub kind: MeasureKind,
}

impl DeclaredMeasure {
    /// The meaning of the measure. Its warnings are among those of the model.
    pub fn expressions(&self) -> MeasureExpressions {
        MeasureExpressions { components: self.components.clone(), kind: self.kind, warnings: Vec::new() }
    }
}
