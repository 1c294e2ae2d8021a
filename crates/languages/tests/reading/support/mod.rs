//! What several tests of this crate need.

#![allow(dead_code, reason = "no test needs all of it")]

use languages::{Diagnostic, Model, Source, StateSpace};
use model::guarded_commands::{CellId, Expression};

/// A DVE model that must be right.
#[track_caller]
pub fn read_model(text: &str) -> Model {
    languages::read_model(text).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// A state space that must be right.
#[track_caller]
pub fn read_space(text: &str) -> StateSpace {
    StateSpace::read(text).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The value of a cell, by its name.
#[track_caller]
pub fn cell_of(model: &Model, name: &str) -> Expression {
    let mut cells = (0..model.commands.cells.len() as u32).map(CellId);
    Expression::Cell(cells.find(|cell| model.commands.cell_name(*cell) == name).unwrap())
}

/// Code, line and column of every error.
pub fn places(text: &str, errors: &[Diagnostic]) -> Vec<(&'static str, usize, usize)> {
    let source = Source::new(text);
    let place = |error: &Diagnostic| {
        let start = source.start_of(error.span);
        (error.code, start.line, start.column)
    };
    errors.iter().map(place).collect()
}

/// Code, line and column of every error. All of them must have advice.
#[track_caller]
pub fn advised_places(text: &str, errors: &[Diagnostic]) -> Vec<(&'static str, usize, usize)> {
    assert!(errors.iter().all(|error| error.help.is_some()), "{errors:#?}");
    places(text, errors)
}

/// Code of the first error and the text at its place.
pub fn first<T: std::fmt::Debug>(text: &str, read: Result<T, Vec<Diagnostic>>) -> (&'static str, &str) {
    let errors = read.expect_err(text);
    let span = errors[0].span;
    (errors[0].code, &text[span.start as usize..span.end as usize])
}
