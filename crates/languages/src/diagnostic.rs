//! Diagnostics: what is wrong with a text, and how to repair it.
//!
//! A diagnostic carries everything a renderer needs (code, place, message, label, help) and nothing
//! about how it looks. Phases do not stop at the first mistake: they push it into [`Diagnostics`]
//! and continue. Pushing an error returns a [`Reported`], and there is no other way to make one. So
//! an `Err(Reported)` cannot exist without a message to the user.

use std::fmt;

use model::guarded_commands::Span;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The text has no meaning.
    Error,
    /// The text has a meaning, perhaps not the intended one.
    Warning,
}

/// One finding about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// One of [`codes`](crate::codes).
    pub code: &'static str,
    /// How serious the finding is.
    pub severity: Severity,
    /// The mistake, in one sentence without a full stop.
    pub message: String,
    /// The place of the mistake.
    pub span: Span,
    /// A short label for the place itself.
    pub label: String,
    /// What to do, if there is a good guess.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Whether the finding is about something that is not in the text, such as a value for a
    /// constant that is not declared.
    pub fn is_outside(&self) -> bool {
        [crate::codes::UNKNOWN_CONSTANT, crate::codes::UNUSED_MACRO].contains(&self.code)
            && self.span == Span::new(0, 0)
    }

    /// Makes an error without help.
    pub(crate) fn error(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        let (message, label) = (message.into(), label.into());
        Self { code, severity: Severity::Error, message, span, label, help: None }
    }

    /// Makes a warning without help.
    pub(crate) fn warning(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message, label) }
    }

    /// Adds advice.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds advice, if there is any.
    pub(crate) fn help_if_any(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(formatter, "{severity}[{}]: {}", self.code, self.message)
    }
}

/// The error about a text of more than `largest` bytes. `what` names the text.
pub(crate) fn too_long(what: &str, text: &str, largest: usize) -> Diagnostic {
    let message = format!("{what} is longer than {largest} bytes");
    let span = Span::new(text.floor_char_boundary(largest), text.len());
    let error = Diagnostic::error(crate::codes::TEXT_TOO_LARGE, span, message, "from here on");
    error.help("make it smaller, or check that this is the file that was meant")
}

/// Proof that an error was pushed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported(());

/// A value, or an error that was reported to the user.
pub(crate) type Checked<T> = Result<T, Reported>;

/// The findings of one run, up to a number that a person may still want to read.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Diagnostics {
    /// The most findings. Further ones are most likely echoes of the first.
    pub(crate) const LIMIT: usize = 20;

    /// Adds an error.
    pub(crate) fn report(&mut self, error: Diagnostic) -> Reported {
        debug_assert_eq!(error.severity, Severity::Error);
        // One finding for one place: a second one is most likely an echo, as when the parser stops
        // at a token that the lexer has reported.
        let echo = self.errors.iter().any(|known| known.span == error.span);
        if !echo && !self.is_full() {
            self.errors.push(error);
        }
        Reported(())
    }

    /// Adds an error about no place of the text, which cannot be an echo of another one.
    pub(crate) fn report_outside(&mut self, error: Diagnostic) -> Reported {
        if !self.is_full() {
            self.errors.push(error);
        }
        Reported(())
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, warning: Diagnostic) {
        debug_assert_eq!(warning.severity, Severity::Warning);
        if self.warnings.len() < Self::LIMIT {
            self.warnings.push(warning);
        }
    }

    /// Adds a warning, unless there is one with the same code and message, for mistakes that a text
    /// repeats.
    pub(crate) fn warn_once(&mut self, warning: Diagnostic) {
        let is_same = |known: &Diagnostic| known.code == warning.code && known.message == warning.message;
        if !self.warnings.iter().any(is_same) {
            self.warn(warning);
        }
    }

    /// Whether there is any error.
    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Fails if any error was reported so far.
    pub(crate) fn so_far(&self) -> Checked<()> {
        if self.has_errors() { Err(Reported(())) } else { Ok(()) }
    }

    /// Whether further errors would be dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= Self::LIMIT
    }

    /// Ends a phase: returns its value if there was no error, and all errors otherwise.
    pub(crate) fn check<T>(&mut self, value: Checked<T>) -> Result<T, Vec<Diagnostic>> {
        match value {
            Ok(value) if self.errors.is_empty() => Ok(value),
            _ => {
                let mut errors = std::mem::take(&mut self.errors);
                errors.sort_by_key(|error| error.span.start);
                Err(errors)
            }
        }
    }

    /// The warnings, in the order of the text.
    pub(crate) fn into_warnings(mut self) -> Vec<Diagnostic> {
        self.warnings.sort_by_key(|warning| warning.span.start);
        self.warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_at(start: usize) -> Diagnostic {
        Diagnostic::error("E0105", Span::new(start, start + 1), "message", "label")
    }

    #[test]
    fn errors_come_in_the_order_of_the_text() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.report(error_at(7));
        diagnostics.report(error_at(3));
        let starts: Vec<u32> =
            diagnostics.check(Ok(())).unwrap_err().iter().map(|error| error.span.start).collect();
        assert_eq!(starts, [3, 7]);
    }

    #[test]
    fn the_flood_is_cut_off() {
        let mut diagnostics = Diagnostics::default();
        for start in 0..100 {
            diagnostics.report(error_at(start));
        }
        assert!(diagnostics.is_full());
        assert_eq!(diagnostics.check(Ok(())).unwrap_err().len(), Diagnostics::LIMIT);
    }

    #[test]
    fn without_errors_the_value_passes() {
        assert_eq!(Diagnostics::default().check(Ok(5)), Ok(5));
    }
}
