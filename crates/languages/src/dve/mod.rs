//! DVE, the language of the DiVinE model checker and of the BEEM benchmark.
//!
//! A text goes through five steps, each a module: [`tokens`], [`parse`] (to the tree in [`syntax`]), [`declare`]
//! (variables, and the names for [`resolve`]), [`transition`] (each transition by itself) and [`lower`] (actions).
//! A step after the parser starts only if the text could be read: guesses about a half-read file would only
//! produce follow-up errors.

mod declare;
mod fold;
mod lower;
mod parse;
mod property;
mod resolve;
mod syntax;
mod tokens;
mod transition;

use sweepline::model::guarded_commands::{Expression, GuardedCommands, Span};

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use resolve::Resolver;
pub(crate) use resolve::Scope;

/// Spans are 32 bits wide, and nobody writes a model of this size.
const LARGEST_TEXT: usize = 64 << 20;

/// What a DVE file means.
pub(crate) struct Meaning {
    pub(crate) commands: GuardedCommands,
    pub(crate) scope: Scope,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Reads a whole file.
pub(crate) fn read(text: &str) -> Result<Meaning, Vec<Diagnostic>> {
    check_size(text)?;
    let mut diagnostics = Diagnostics::default();
    let file = parse::file(text, &mut diagnostics);
    let file = diagnostics.check(Ok(file))?;
    let meaning = lower::file(&file, &mut diagnostics);
    let (commands, scope) = diagnostics.check(Ok(meaning))?;
    Ok(Meaning { commands, scope, warnings: diagnostics.into_warnings() })
}

/// Reads one expression as if it stood outside of all processes.
pub(crate) fn expression(text: &str, scope: &Scope) -> Result<Expression, Vec<Diagnostic>> {
    check_size(text)?;
    let mut diagnostics = Diagnostics::default();
    let parsed = parse::expression(text, &mut diagnostics);
    let parsed = diagnostics.check(parsed)?;
    let resolved = Resolver { scope, locals: None, diagnostics: &mut diagnostics }.expression(&parsed);
    diagnostics.check(resolved)
}

fn check_size(text: &str) -> Result<(), Vec<Diagnostic>> {
    if text.len() <= LARGEST_TEXT {
        return Ok(());
    }
    let message = format!("the text is longer than {LARGEST_TEXT} bytes");
    let span = Span::new(LARGEST_TEXT, text.len());
    Err(vec![Diagnostic::error(codes::TEXT_TOO_LARGE, span, message, "from here on")])
}
