//! Which progress measure a run uses: the one on the command line or in a file that it names, else the one that the model
//! declares, else one that is looked for.

use std::path::Path;
use std::sync::Arc;

use engine::progress::{ExpressionMeasure, MeasureError};
use languages::{DeclaredMeasure, MeasureExpressions};
use model::guarded_commands::{Expression, Span};
use report::{Excerpt, Finding, brief_measure};

use crate::codes;
use crate::model_file::{ModelFile, in_text};
use crate::text_file::{LARGEST_MODEL, read_text};

/// Said about a measure when the language has no better advice.
const NAMES: &str = "a measure is an expression or a list like `(round, x)`, or `[x, y]` to compare component by component, over global variables, `Process->variable` and processes, of which `P` is the number of the state it is in";

/// A measure, ready for a search.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The measure as written.
    pub text: String,
    /// A short form, if that is in a file and may be long.
    pub summary: Option<String>,
    /// Its expressions, the one that counts most first.
    pub components: Vec<Expression>,
    /// Them in one.
    pub packed: ExpressionMeasure,
}

/// Where a measure was read.
struct Place<'a> {
    origin: &'a str,
    text: &'a Arc<str>,
    span: Span,
}

/// What the value of `--measure` means for a model.
#[derive(Clone, Debug)]
pub enum Choice {
    /// All states are equal.
    None,
    /// This measure.
    Given(Measure),
    /// Nobody says what progress is.
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

/// The measure that the value of `--measure` means for this model.
///
/// # Errors
/// All that is wrong with it.
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

/// The measure that is the value of an option, or in a file that it names.
///
/// # Errors
/// All that is wrong with it, or with the file.
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

/// The text with blanks for lines that are comments, so that places stay what they are.
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
            finding.help.get_or_insert_with(|| NAMES.into());
        }
        findings
    })?;
    packed(text, expressions, file, place)
}

/// What is wrong with the measure that the model declares, which matters only to who needs it.
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
/// All that is wrong with it.
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
            Ok(Measure { text: text.into(), summary: None, components: expressions.components, packed })
        }
        Err(error) => Err(vec![refused(&error, place)]),
    }
}

fn refused(error: &MeasureError, place: &Place<'_>) -> Finding {
    let (span, label, help) = match error {
        MeasureError::MayFail { span, .. } => (
            *span,
            "may have no value",
            "progress must be known in every state: write an expression that always has a value, such as one without this part",
        ),
        MeasureError::TooWide { .. } => (
            place.span,
            "has too many values",
            "leave out what counts least, or divide it: `x / 1000` has fewer values than `x`",
        ),
        MeasureError::Empty => (place.span, "is empty", NAMES),
    };
    let (origin, text) = (place.origin.into(), Arc::clone(place.text));
    let excerpt = Excerpt { origin, text, span, label: label.into() };
    let finding = Finding::error(codes::BAD_MEASURE, error.to_string(), help);
    Finding { excerpt: Some(Box::new(excerpt)), ..finding }
}

/// Said when a sweep is asked for and there is no measure.
pub fn missing(wanted_by: &str) -> Finding {
    let message = format!("{wanted_by} needs a progress measure, and there is none");
    let help = "say what progress is, by --measure EXPR or by a line `// progress: EXPR` in the model; `sweepline progress` proposes measures";
    Finding::error(codes::NO_MEASURE, message, help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_leave_their_place_empty() {
        let text = "// für x\n(x,\n  // y\n y)\n";
        let blank = without_comments(text);
        assert_eq!(blank.split_whitespace().collect::<Vec<_>>(), ["(x,", "y)"]);
        assert_eq!(blank.len(), text.len());
        assert_eq!(blank.find('x'), text.rfind('x'));
    }
}
