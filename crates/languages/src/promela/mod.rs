//! Promela, the language of SPIN.
//!
//! A text goes through five steps, each a module: [`preprocess`] and [`parse`] (to the tree in
//! [`syntax`]), [`resolve`] (names and types; to [`program`]), [`graph`] (control flow) and [`lower`]
//! (actions of guarded commands). A step starts only if those before it found no error.

#[cfg(test)]
mod corpus;
mod graph;
mod lexer;
mod lower;
mod measure;
pub(crate) mod never_claim;
mod origin;
mod parse;
mod preprocess;
mod program;
mod refusals;
mod resolve;
mod separators;
mod syntax;
mod tokens;

use std::path::Path;
use std::sync::Arc;

pub use self::lower::{CreatedProcesses, MissingProcesses};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::{Extras, Model, ReadOptions, format};

/// Reads a whole file.
pub(crate) fn read(text: &str, options: &ReadOptions) -> Result<Model, Vec<Diagnostic>> {
    let constants = options.constants.iter().map(|(name, value)| (name.clone(), value.to_string()));
    let definitions: Vec<(String, String)> = constants.chain(options.macros.iter().cloned()).collect();
    let include = |including: &str, name: &str| inclusion(including, name, options);
    let mut diagnostics = Diagnostics::default();
    let file = parse::parse(text, &definitions, &include, &mut diagnostics);
    let file = diagnostics.check(file)?;
    let program = resolve::resolve(&file, &mut diagnostics);
    let explained = |found| file.expansions.explained(found);
    let program = diagnostics.check(program).map_err(explained)?;
    let lowered = lower::lower(&program, text, &options.created, &mut diagnostics);
    let lower::Lowered { commands, formulas, optional, valid_end, names, missing } =
        diagnostics.check(lowered).map_err(explained)?;
    let (progress, progress_errors) = match measure::declared(text, &names) {
        Ok(progress) => (progress, Vec::new()),
        Err(errors) => (None, errors),
    };
    Ok(Model {
        format: &format::PROMELA,
        commands,
        warnings: explained(diagnostics.into_warnings()),
        progress,
        progress_errors,
        formulas,
        optional,
        valid_end: Some(valid_end),
        extras: Extras::Promela(Arc::new(missing)),
        names,
    })
}

/// An included file: its name for messages, and its text.
fn inclusion(including: &str, name: &str, options: &ReadOptions) -> Result<(String, String), String> {
    let Some(folder) = &options.folder else { return Err("this text is not a file".to_owned()) };
    let within = Path::new(including).parent().unwrap_or(Path::new("")).join(name);
    let text = std::fs::read(folder.join(&within)).map_err(|error| error.to_string())?;
    // Comments may be in any encoding.
    let text = String::from_utf8(text)
        .unwrap_or_else(|error| error.into_bytes().iter().map(|one| char::from(*one)).collect());
    Ok((within.display().to_string(), text))
}
