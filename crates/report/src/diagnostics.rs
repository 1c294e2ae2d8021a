//! Findings: errors and warnings with a code, the place in the text, and advice.
//!
//! The language crate reports about texts, the command line about files and options, and a search
//! about run-time errors of the model. All become one type here. The terminal shows it like rustc's
//! diagnostics (with the same renderer, annotate-snippets), and the run record contains it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use languages::{Diagnostic, Severity, Source};
use model::guarded_commands::Span;
use model::interpreter::{RuntimeError, RuntimeErrorKind};

use crate::run_record::DiagnosticRecord;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// Escape sequences for a terminal.
    Colored,
    /// Plain text.
    #[default]
    Plain,
}

/// An error or a warning.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The code, such as `E0203`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The message: one sentence without a full stop.
    pub message: String,
    /// The place, if it is in a text.
    pub excerpt: Option<Box<Excerpt>>,
    /// Advice.
    pub help: Option<String>,
}

/// A place in a text that is shown with a finding.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The file, or the option, that the text comes from.
    pub origin: String,
    /// The whole text.
    pub text: Arc<str>,
    /// The place.
    pub span: Span,
    /// The label at the place.
    pub label: String,
}

impl Finding {
    /// Creates an error without a place.
    pub fn error(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            excerpt: None,
            help: Some(help.into()),
        }
    }

    /// Creates a warning without a place.
    pub fn warning(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, help) }
    }

    /// Creates a finding from a diagnostic about the text from `origin`.
    pub fn in_text(diagnostic: Diagnostic, origin: &str, text: &Arc<str>) -> Self {
        let is_outside = diagnostic.is_outside();
        let Diagnostic { code, severity, message, span, label, help } = diagnostic;
        let excerpt = Excerpt { origin: origin.into(), text: Arc::clone(text), span, label };
        Self { code, severity, message, excerpt: (!is_outside).then(|| Box::new(excerpt)), help }
    }

    /// The finding as part of a run record.
    pub fn record(&self) -> DiagnosticRecord {
        let position = self.excerpt.as_ref().map(|excerpt| Source::new(&excerpt.text).start_of(excerpt.span));
        DiagnosticRecord {
            code: self.code.into(),
            severity: self.severity.into(),
            message: self.message.clone(),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            help: self.help.clone(),
            source: self.excerpt.as_ref().map(|excerpt| excerpt.origin.clone()),
        }
    }

    /// The finding as text of several lines, with a line break at the end.
    pub fn render(&self, coloring: Coloring) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(&self.message).id(self.code));
        if let Some(excerpt) = &self.excerpt {
            let annotation = AnnotationKind::Primary.span(excerpt.range()).label(&excerpt.label);
            group =
                group.element(Snippet::source(&*excerpt.text).path(&excerpt.origin).annotation(annotation));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        let renderer = match coloring {
            Coloring::Colored => Renderer::styled(),
            Coloring::Plain => Renderer::plain(),
        };
        renderer.render(&[group]) + "\n"
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Coloring::Plain))
    }
}

impl Excerpt {
    /// The place as a range inside the text that starts and ends at character boundaries.
    fn range(&self) -> Range<usize> {
        let boundary = |offset: u32| self.text.floor_char_boundary(offset as usize);
        let start = boundary(self.span.start);
        start..boundary(self.span.end).max(start)
    }
}

/// Where a run-time error occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// In an action of the model, which can be guarded.
    Step,
    /// In an expression of a property, which is evaluated in every state.
    Expression,
}

/// Codes of run-time errors with one line of explanation each, in order.
pub const RUNTIME_CODES: &[(&str, &str)] = &[
    ("E0501", "A step or a property uses an array index that is out of range."),
    ("E0502", "A step or a property divides by zero."),
    ("E0503", "A step or a property shifts by less than 0 or more than 63 bits."),
    ("E0504", "A place of a net would hold more tokens than its variable can store."),
    ("E0505", "A step does what the language of the model forbids."),
];

/// Creates a finding from a run-time error in the text from `origin`.
pub fn runtime_error(error: &RuntimeError, within: Within, origin: &str, text: &Arc<str>) -> Finding {
    let guard = |condition: &str| match within {
        Within::Step => format!("guard the step, so that it is taken only when {condition}"),
        Within::Expression => {
            format!(
                "the expression must have a value in every state: make sure that {condition}, or remove this part"
            )
        }
    };
    let (code, help) = match &error.kind {
        RuntimeErrorKind::IndexOutOfRange { length, .. } => {
            let advice = match within {
                Within::Step => "guard the step, or enlarge the array".into(),
                Within::Expression => guard("the index is one of them"),
            };
            ("E0501", format!("the indices go from 0 to {}: {advice}", length - 1))
        }
        RuntimeErrorKind::DivisionByZero => ("E0502", guard("the divisor is not 0")),
        RuntimeErrorKind::ShiftOutOfRange(_) => ("E0503", guard("the count is in 0 to 63")),
        RuntimeErrorKind::Stated(_) => {
            ("E0505", "change the model so that no run comes here; the trace shows how one does".to_owned())
        }
        RuntimeErrorKind::Overflow { .. } => {
            ("E0504", "the net violates its bound; the trace shows how".to_owned())
        }
    };
    let excerpt = Excerpt {
        origin: origin.into(),
        text: Arc::clone(text),
        span: error.span,
        label: match &error.kind {
            RuntimeErrorKind::Stated(_) => "by this statement".into(),
            _ => "in this expression".into(),
        },
    };
    Finding {
        code,
        severity: Severity::Error,
        message: format!("run-time error: {error}"),
        excerpt: Some(Box::new(excerpt)),
        help: Some(help),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn finding(text: &str, start: u32, end: u32) -> Finding {
        let excerpt = Excerpt {
            origin: "lamp.dve".into(),
            text: text.into(),
            span: Span { start, end },
            label: "here".into(),
        };
        Finding { excerpt: Some(Box::new(excerpt)), ..Finding::error("E0105", "expected `;`", "add one") }
    }

    #[test]
    fn a_finding_shows_code_place_label_and_help() {
        let text = finding("byte x\nbyte y;", 7, 11).render(Coloring::Plain);
        let parts = ["error[E0105]: expected `;`", "lamp.dve:2:1", "byte y;", "^^^^ here", "help: add one"];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert!(text.ends_with('\n') && !text.contains('\u{1b}'));
    }

    #[test]
    fn the_record_counts_lines_and_columns_from_one() {
        let record = finding("byte ü;\nbyte y;", 14, 15).record();
        assert_eq!((record.line, record.column), (Some(2), Some(6)));
        assert_eq!(record.source.as_deref(), Some("lamp.dve"));
        let record = Finding::error("E0001", "no file", "look for it").record();
        assert_eq!((record.line, record.column, record.source), (None, None, None));
    }

    proptest! {
        #[test]
        fn no_span_breaks_the_renderer(text in "(?s).{0,40}", start: u8, end: u8) {
            finding(&text, start.into(), end.into()).render(Coloring::Colored);
            finding(&text, u32::MAX, 0).render(Coloring::Plain);
        }
    }
}
