//! Which progress measure a run uses: the one on the command line, else the one that the model declares.

use std::sync::Arc;

use languages::{DeclaredMeasure, MeasureExpressions};
use report::{Excerpt, Finding};
use sweepline::model::guarded_commands::{Expression, Span};
use sweepline::progress::{ExpressionMeasure, MeasureError};

use crate::codes;
use crate::model_file::{ModelFile, in_text};

/// Said about a measure when the language has no better advice.
const NAMES: &str = "a measure is an expression or a list like `(round, x)`, or `[x, y]` to compare component by component, over global variables, `Process->variable` and processes, of which `P` is the number of the state it is in";

/// A measure, ready for a search.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The measure as written.
    pub text: String,
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

/// The measure that the value of `--measure` means for this model.
///
/// # Errors
/// All that is wrong with it.
pub fn choose(option: Option<&str>, file: &ModelFile) -> Result<Option<Measure>, Vec<Finding>> {
    match option.map(str::trim) {
        Some("none") => Ok(None),
        None | Some("auto") if !file.model.progress_errors.is_empty() => Err(unreadable(file)),
        None | Some("auto") => file.model.progress.as_ref().map(|one| declared(one, file)).transpose(),
        Some(text) => given(text, file).map(Some),
    }
}

fn given(text: &str, file: &ModelFile) -> Result<Measure, Vec<Finding>> {
    let origin = "--measure";
    let shared: Arc<str> = text.into();
    let expressions = file.model.measure(text).map_err(|diagnostics| {
        let mut findings = in_text(diagnostics, origin, &shared);
        for finding in &mut findings {
            finding.help.get_or_insert_with(|| NAMES.into());
        }
        findings
    })?;
    let place = Place { origin, text: &shared, span: Span::new(0, text.len()) };
    packed(text, expressions, file, &place)
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

fn declared(measure: &DeclaredMeasure, file: &ModelFile) -> Result<Measure, Vec<Finding>> {
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
        Ok(packed) => Ok(Measure { text: text.into(), components: expressions.components, packed }),
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
    let help = "say what progress is, by --measure EXPR or by a line `// progress: EXPR` in the model";
    Finding::error(codes::NO_MEASURE, message, help)
}
