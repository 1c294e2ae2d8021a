//! The nets of LoLA, a low-level Petri net analyser.
//!
//! ```text
//! PLACE SAFE 2: p, q; r;
//! MARKING p: 2, r;
//! TRANSITION t WEAK FAIR CONSUME p, r: 3; PRODUCE q;
//! ```
//!
//! Names are any characters except blanks, `,` `;` `:` `(` `)` `{` `}`. A missing number after a
//! name means 1; a place that is listed several times gets the sum. Comments are enclosed in
//! braces, which may be nested, or in `/*` and `*/` where a name could begin.
//!
//! `SAFE n` is a claim of the net's author. It is read but not relied on: the bounds in use are
//! proved from the net itself. Properties of runs consider the runs that are fair to the
//! transitions declared `FAIR`. High-level nets of LoLA 1 (`SORT`, `FUNCTION`, `GUARD`) are
//! refused, as in LoLA 2.

mod automaton;
mod formula;
mod read;
mod tokens;

use super::contest::{ContestQuestion, not_a_net};
use crate::Model;
use crate::diagnostic::Diagnostic;
pub(crate) use automaton::automaton;
pub(super) use read::net;

/// Reads a task of LoLA, `FORMULA …` or `ANALYSE …`, about a model that must be a Petri net.
///
/// # Errors
/// What is wrong with the task.
pub fn task(model: &Model, text: &str) -> Result<ContestQuestion, Vec<Diagnostic>> {
    match model.net() {
        Some(net) => formula::task(text, net),
        None => Err(vec![not_a_net(text)]),
    }
}

/// Reads the task that follows a net in the text that the model was read from. None, if there is no
/// task.
///
/// # Errors
/// What is wrong with the task.
pub fn task_after_net(model: &Model, text: &str) -> Result<Option<ContestQuestion>, Vec<Diagnostic>> {
    let start = model.net().and_then(|net| net.task);
    let Some((start, rest)) = start.and_then(|start| Some((start, text.get(start..)?))) else {
        return Ok(None);
    };
    // Blanks replace the net, so that spans point into the whole text.
    task(model, &(" ".repeat(start) + rest)).map(Some)
}
