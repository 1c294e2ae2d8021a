//! Tests of the parser: what it reads, by way of a short notation for trees, and what it refuses.

mod declarations;
mod expressions;
mod formulas;
mod hostile;
mod inlines;
mod mistakes;
mod places;
mod shown;
mod statements;

use super::parse;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::promela::syntax::File;

/// Reads a text without included files.
fn read(text: &str) -> Result<File, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let file = parse(text, &[], &|_, _| Err("there are no files".to_owned()), &mut diagnostics);
    diagnostics.check(file)
}

fn file(text: &str) -> File {
    read(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// The first error in a text, as its code, the text that it is about, and its message.
fn error(text: &str) -> (&'static str, &str, String) {
    let errors = read(text).expect_err(text);
    let span = errors[0].span;
    (errors[0].code, &text[span.start as usize..span.end as usize], errors[0].message.clone())
}

/// The help of the first error.
fn help(text: &str) -> String {
    read(text).expect_err(text)[0].help.clone().unwrap_or_default()
}

/// The body of a process, in the short notation.
fn body(text: &str) -> String {
    let text = format!("init {{ {text} }}");
    shown::file(&file(&text)).strip_prefix("init: ").expect("the text is one process").to_owned()
}
