//! The progress measure of a run: the one on the command line or in a file that it names, else the
//! one that the model declares. Otherwise the choice is open, and the run searches for a measure.

use std::path::Path;
use std::sync::Arc;

use engine::progress::{ExpressionMeasure, MeasureError};
use languages::{DeclaredMeasure, MeasureExpressions};
use model::guarded_commands::{Expression, Span};
use report::{Excerpt, Finding, brief_measure};

use crate::explain::codes;
use crate::input::model_file::{ModelFile, in_text};
use crate::input::text_file::{LARGEST_MODEL, read_text};

/// Advice about a measure when the language has none.
const ADVICE: &str = "a measure is an expression, a tuple like `(round, x)`, or a vector `[x, y]` that is compared component by component; it may use global variables, `Process->variable`, and `Process` for the number of its current state";

/// A measure, ready for a search.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The measure as the user wrote it.
    pub text: String,
    /// A short form of a measure from a file, which may be long.
    pub summary: Option<String>,
    /// Its components, the most significant one first.
    pub components: Vec<Expression>,
    /// All components packed into one number.
    pub packed: ExpressionMeasure,
    /// Warnings about its text. Those about a declared measure are among those of the model.
    pub warnings: Vec<Finding>,
}

/// The text that a measure was read from, for diagnostics.
struct Place<'a> {
    origin: &'a str,
    text: &'a Arc<str>,
    span: Span,
}

/// What the value of `--measure` means for a model.
#[derive(Clone, Debug)]
pub enum Choice {
    /// No measure.
    None,
    /// This measure.
    Given(Measure),
    /// Neither the command line nor the model names a measure.
    Open,
}

impl Choice {
    /// The measure, if there is one.
    pub fn given(self) -> Option<Measure> {
        match self {
            Self::Given(measure) => Some(measure),
            Self::None | Self::Open => None,
        }
    }
}

/// Chooses the measure, by the value of `--measure` and what the model declares.
///
/// # Errors
/// Everything that is wrong with it.
pub fn choose(option: Option<&str>, file: &ModelFile) -> Result<Choice, Vec<Finding>> {
    match option.map(str::trim) {
        Some("none") => Ok(Choice::None),
        None | Some("auto") if !file.model.progress_errors.is_empty() => Err(unreadable(file)),
        None | Some("auto") => match &file.model.progress {
            Some(measure) => declared(measure, file).map(Choice::Given),
            None => Ok(Choice::Open),
        },
        Some(text) => given("--measure", text, file).map(Choice::Given),
    }
}

/// Reads the measure that is the value of an option, or in a file that the value names.
///
/// # Errors
/// Everything that is wrong with it, or with the file.
pub fn given(option: &str, text: &str, file: &ModelFile) -> Result<Measure, Vec<Finding>> {
    let Some(path) = text.trim().strip_prefix('@') else {
        let shared: Arc<str> = text.into();
        return written(text, file, &Place { origin: option, text: &shared, span: Span::new(0, text.len()) });
    };
    let saved: Arc<str> = read_text(Path::new(path), LARGEST_MODEL).map_err(|finding| vec![finding])?.into();
    let place = Place { origin: path, text: &saved, span: Span::new(0, saved.trim_end().len()) };
    let measure = written(&without_comments(&saved), file, &place)?;
    let text = measure.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let summary = Some(brief_measure(&file.model, &measure.components));
    Ok(Measure { text, summary, ..measure })
}

/// The text with comments replaced by blanks, so that positions stay the same.
fn without_comments(text: &str) -> String {
    let blank = |line: &str| match line.trim_start().starts_with("//") {
        true => line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect(),
        false => line.to_owned(),
    };
    text.split_inclusive('\n').map(blank).collect()
}

fn written(text: &str, file: &ModelFile, place: &Place<'_>) -> Result<Measure, Vec<Finding>> {
    let expressions = file.model.measure(text).map_err(|diagnostics| {
        let mut findings = in_text(diagnostics, place.origin, place.text);
        for finding in &mut findings {
            finding.help.get_or_insert_with(|| ADVICE.into());
        }
        findings
    })?;
    packed(text, expressions, file, place)
}

/// What is wrong with the measure that the model declares. It is an error only if the run uses it.
fn unreadable(file: &ModelFile) -> Vec<Finding> {
    const COMMENT: &str =
        "a comment that begins with `progress:` is read as a measure; --measure none ignores it";
    let mut findings = in_text(file.model.progress_errors.clone(), &file.path, &file.text);
    for finding in &mut findings {
        finding.help = Some(match finding.help.take() {
            Some(help) => format!("{help}; {COMMENT}"),
            None => COMMENT.into(),
        });
    }
    findings
}

/// The measure that the model declares.
///
/// # Errors
/// Everything that is wrong with it.
pub fn declared(measure: &DeclaredMeasure, file: &ModelFile) -> Result<Measure, Vec<Finding>> {
    let place = Place { origin: &file.path, text: &file.text, span: measure.span };
    packed(&measure.text, measure.expressions(), file, &place)
}

fn packed(
    text: &str,
    expressions: MeasureExpressions,
    file: &ModelFile,
    place: &Place<'_>,
) -> Result<Measure, Vec<Finding>> {
    match expressions.pack(&file.model.commands) {
        Ok(packed) => {
            let MeasureExpressions { components, warnings, .. } = expressions;
            let warnings = in_text(warnings, place.origin, place.text);
            Ok(Measure { text: text.into(), summary: None, components, packed, warnings })
        }
        Err(error) => Err(vec![refused(&error, place)]),
    }
}

fn refused(error: &MeasureError, place: &Place<'_>) -> Finding {
    let (span, label, help) = match error {
        MeasureError::MayFail { span, .. } => (
            *span,
            "may have no value",
            "a measure must have a value in every state: leave out this part, or write an expression that cannot fail",
        ),
        MeasureError::TooWide { .. } => (
            place.span,
            "has too many values",
            "leave out the least significant component, or divide it: `x / 1000` has fewer values than `x`",
        ),
        MeasureError::Empty => (place.span, "is empty", ADVICE),
    };
    let (origin, text) = (place.origin.into(), Arc::clone(place.text));
    let excerpt = Excerpt { origin, text, span, label: label.into() };
    let finding = Finding::error(codes::BAD_MEASURE, error.to_string(), help);
    Finding { excerpt: Some(Box::new(excerpt)), ..finding }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_blanks() {
        let text = "// für x\n(x,\n  // y\n y)\n";
        let blank = without_comments(text);
        assert_eq!(blank.split_whitespace().collect::<Vec<_>>(), ["(x,", "y)"]);
        assert_eq!(blank.len(), text.len());
        assert_eq!(blank.find('x'), text.rfind('x'));
    }
}
