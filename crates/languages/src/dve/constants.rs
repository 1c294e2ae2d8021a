//! Values for constants of a DVE file that come from its user.
//!
//! A model is often a family: one file, and a constant that gives the number of processes or
//! messages. The value replaces the one in the file before anything is computed from it, so array
//! sizes, initial values and other constants follow. Only global constants that hold one number can
//! be replaced: everything else belongs to the model itself, not to its size.

use std::collections::BTreeMap;

use super::syntax::{Declaration, File, Mutability};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::format::unknown_constant;
use crate::spelling::nearest;

/// The most names that a message lists.
const LISTED: usize = 12;

/// Values by the name of the constant. Of several values for a name the last one counts, as with
/// compilers.
pub(crate) type Replacements<'run> = BTreeMap<&'run str, i64>;

/// The given values by name.
pub(crate) fn replacements(constants: &[(String, i64)]) -> Replacements<'_> {
    constants.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

/// The given value of a declaration, if there is one.
pub(crate) fn replaced(
    declaration: &Declaration<'_>,
    replacements: &Replacements<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Checked<i64>> {
    let value = *replacements.get(declaration.name.text).filter(|_| is_replaceable(declaration))?;
    if declaration.integer.contains(value) {
        return Some(Ok(value));
    }
    let (name, least, most) = (declaration.name.text, declaration.integer.min(), declaration.integer.max());
    let message = format!("the value {value} does not fit the constant `{name}`");
    let label = format!("holds {least} to {most}");
    let error = Diagnostic::error(codes::CONSTANT_OUT_OF_RANGE, declaration.name.span, message, label);
    Some(Err(diagnostics.report(error.help(format!("give `{name}` a value from {least} to {most}")))))
}

/// Reports every name that is no replaceable constant.
pub(crate) fn check(file: &File<'_>, replacements: &Replacements<'_>, diagnostics: &mut Diagnostics) {
    let known: Vec<&str> =
        file.variables.iter().filter(|one| is_replaceable(one)).map(|one| one.name.text).collect();
    for name in replacements.keys().filter(|name| !known.contains(name)) {
        let declared = file.variables.iter().find(|one| one.name.text == *name);
        match declared {
            Some(declaration) => not_replaceable(declaration, diagnostics),
            None => unknown(file, name, &known, diagnostics),
        }
    }
}

fn is_replaceable(declaration: &Declaration<'_>) -> bool {
    declaration.mutability == Mutability::Constant && declaration.length.is_none()
}

fn not_replaceable(declaration: &Declaration<'_>, diagnostics: &mut Diagnostics) {
    let name = declaration.name.text;
    let (what, help) = match declaration.mutability {
        Mutability::Variable => {
            ("a variable", format!("declare it with `const` to set `{name}` from outside"))
        }
        Mutability::Constant => ("an array", "only constants that hold one number can be set".to_owned()),
    };
    let message = format!("`{name}` is {what}, and only a single constant can be set from outside");
    let error = Diagnostic::error(codes::UNKNOWN_CONSTANT, declaration.name.span, message, what);
    diagnostics.report(error.help(help));
}

fn unknown(file: &File<'_>, name: &str, known: &[&str], diagnostics: &mut Diagnostics) {
    let owner =
        file.processes.iter().find(|process| process.variables.iter().any(|one| one.name.text == name));
    let help = match owner {
        Some(owner) => format!("process `{}` has one, but only global constants can be set", owner.name.text),
        None => list(name, known),
    };
    diagnostics.report_outside(unknown_constant(name, help));
}

/// Lists the constants of the model, the nearest one first.
fn list(name: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return "the model has no global constants: declare one with `const int N = 3;`".to_owned();
    }
    let guess = nearest(name, known.iter().copied());
    let guess = guess.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    let names: Vec<String> = known.iter().take(LISTED).map(|one| format!("`{one}`")).collect();
    let more = if known.len() > LISTED { ", …" } else { "" };
    format!("{guess}the model has {}{more}", names.join(", "))
}
