//! DVE, the language of the DiVinE model checker and of the BEEM benchmark.
//!
//! A text goes through four steps, each a module: [`parse`] (to the tree in [`syntax`]),
//! [`declare`] (variables, and the [names](crate::names)), [`transition`] (each transition by
//! itself) and [`lower`] (actions). The lexer, expressions and measures are those of
//! [`question`](crate::question). A step after the parser starts only if the text could be read:
//! guesses about a half-read file would only produce follow-up errors.

mod constants;
mod declare;
mod lower;
mod parse;
mod property;
mod syntax;
mod transition;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::{Extras, Model, format};
use lower::Lowered;

/// Reads a whole file, with other values for some of its constants.
pub(crate) fn read(text: &str, constants: &[(String, i64)]) -> Result<Model, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let file = parse::file(text, &mut diagnostics);
    let file = diagnostics.check(Ok(file))?;
    let lowered = lower::file(&file, &constants::replacements(constants), &mut diagnostics);
    let Lowered { commands, names, progress, progress_errors } = diagnostics.check(Ok(lowered))?;
    let warnings = diagnostics.into_warnings();
    let (format, extras) = (&format::DVE, Extras::None);
    let (formulas, optional, valid_end) = Default::default();
    Ok(Model {
        format,
        commands,
        warnings,
        progress,
        progress_errors,
        formulas,
        optional,
        valid_end,
        extras,
        names,
    })
}
