//! What texts resolve to.

mod corpus;
mod declarations;
mod errors;
mod expressions;
mod robustness;
mod shown;
mod statements;

use super::super::parse::parse;
use super::super::program::{Leaf, Program};
use super::resolve;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// The program of a text, with all findings.
fn read(text: &str) -> (Option<Program>, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let none = |_: &str, name: &str| Err(format!("no file {name}"));
    let file = parse(text, &[], &none, &mut diagnostics);
    let file = match diagnostics.check(file) {
        Ok(file) => file,
        Err(errors) => panic!("{text} is not read: {errors:?}"),
    };
    let program = resolve(&file, &mut diagnostics);
    match diagnostics.check(program) {
        Ok(program) => (Some(program), diagnostics.into_warnings()),
        Err(errors) => (None, errors),
    }
}

/// The program of a text without errors.
#[track_caller]
fn program(text: &str) -> Program {
    let (program, findings) = read(text);
    program.unwrap_or_else(|| panic!("{text}: {findings:?}"))
}

/// Codes and places of the errors of a text.
#[track_caller]
fn errors(text: &str) -> Vec<(&'static str, &str)> {
    let (program, errors) = read(text);
    assert!(program.is_none(), "{text} has no error");
    places(text, &errors)
}

/// Codes and places of the warnings of a text without errors.
#[track_caller]
fn warnings(text: &str) -> Vec<(&'static str, &str)> {
    let (program, warnings) = read(text);
    assert!(program.is_some(), "{text}: {warnings:?}");
    places(text, &warnings)
}

fn places<'t>(text: &'t str, findings: &[Diagnostic]) -> Vec<(&'static str, &'t str)> {
    let place =
        |finding: &Diagnostic| (finding.code, &text[finding.span.start as usize..finding.span.end as usize]);
    findings.iter().map(place).collect()
}

/// Declarations of variables as they are stored.
fn leaves(leaves: &[Leaf]) -> Vec<String> {
    leaves.iter().map(shown::leaf).collect()
}

/// The steps of a body of a process, after declarations of globals.
#[track_caller]
fn body(globals: &str, text: &str) -> String {
    let program = program(&format!("{globals}\nactive proctype P() {{ {text} }}"));
    shown::Shown(&program, 0).nodes(&program.proctypes[0].body)
}
