//! DVE, the language of the DiVinE model checker and of the BEEM benchmark.
//!
//! A text goes through five steps, each a module: [`mod@tokens`], [`parse`] (to the tree in [`syntax`]), [`declare`]
//! (variables, and the names for [`resolve`]), [`transition`] (each transition by itself) and [`lower`] (actions).
//! A step after the parser starts only if the text could be read: guesses about a half-read file would only
//! produce follow-up errors.
//!
//! Progress measures may say more than DVE does: [`buffer`] and [`order`]. [`text`] writes them. Formulas of temporal logic are
//! read by [`parse`], too; [`temporal`] gives them a meaning.

mod buffer;
mod constants;
mod declare;
mod fold;
mod lower;
mod order;
mod parse;
mod property;
mod resolve;
mod syntax;
mod temporal;
mod temporal_text;
mod text;
mod tokens;
mod transition;

use model::guarded_commands::{Expression, GuardedCommands, Span};

use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::measure::{DeclaredMeasure, MeasureExpressions};
pub(crate) use constants::unknown_constant;
use lower::Lowered;
use resolve::Resolver;
pub(crate) use resolve::{ProcessScope, Scope, Symbol};
pub(crate) use syntax::Purpose;
pub(crate) use temporal::{ctl, ctl_over_names, ltl, ltl_over_names};
pub(crate) use temporal_text::proposition as proposition_text;
pub(crate) use text::{measure as measure_text, summary as measure_summary};
pub(crate) use tokens::{Token, TokenKind, is_name, tokens};

/// Spans are 32 bits wide, and nobody writes a model of this size.
const LARGEST_TEXT: usize = 64 << 20;

/// What a DVE file means.
pub(crate) struct Meaning {
    pub(crate) commands: GuardedCommands,
    pub(crate) scope: Scope,
    pub(crate) progress: Option<DeclaredMeasure>,
    pub(crate) progress_errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Reads a whole file, with other values for some of its constants.
pub(crate) fn read(text: &str, constants: &[(String, i64)]) -> Result<Meaning, Vec<Diagnostic>> {
    check_size(text)?;
    let mut diagnostics = Diagnostics::default();
    let file = parse::file(text, &mut diagnostics);
    let file = diagnostics.check(Ok(file))?;
    let lowered = lower::file(&file, &constants::replacements(constants), &mut diagnostics);
    let Lowered { commands, scope, progress, progress_errors } = diagnostics.check(Ok(lowered))?;
    Ok(Meaning { commands, scope, progress, progress_errors, warnings: diagnostics.into_warnings() })
}

/// Reads one expression as if it stood outside of all processes.
pub(crate) fn expression(text: &str, scope: &Scope) -> Result<Expression, Vec<Diagnostic>> {
    check_size(text)?;
    let mut diagnostics = Diagnostics::default();
    let parsed = parse::expression(text, &mut diagnostics);
    let parsed = diagnostics.check(parsed)?;
    let resolved = Resolver::new(scope, None, &mut diagnostics).expression(&parsed);
    diagnostics.check(resolved)
}

/// Reads a progress measure.
pub(crate) fn measure(text: &str, scope: &Scope) -> Result<MeasureExpressions, Vec<Diagnostic>> {
    check_size(text)?;
    let mut diagnostics = Diagnostics::default();
    let parsed = parse::measure(text, Span::new(0, text.len()), &mut diagnostics);
    let (parsed, kind) = diagnostics.check(parsed)?;
    let resolved = Resolver::for_measures(scope, &mut diagnostics).expressions(&parsed);
    Ok(MeasureExpressions { components: diagnostics.check(resolved)?, kind })
}

/// Reads one expression that makes up a part of a text, as if it stood outside of all processes.
pub(crate) fn expression_at(
    text: &str,
    span: Span,
    scope: &Scope,
    diagnostics: &mut Diagnostics,
) -> Checked<Expression> {
    let parsed = parse::expression_at(text, span, diagnostics)?;
    Resolver::new(scope, None, diagnostics).truth(&parsed)
}

fn check_size(text: &str) -> Result<(), Vec<Diagnostic>> {
    if text.len() <= LARGEST_TEXT {
        return Ok(());
    }
    let message = format!("the text is longer than {LARGEST_TEXT} bytes");
    let span = Span::new(LARGEST_TEXT, text.len());
    Err(vec![Diagnostic::error(codes::TEXT_TOO_LARGE, span, message, "from here on")])
}
