//! The nets of LoLA, a low-level Petri net analyser.
//!
//! ```text
//! PLACE SAFE 2: p, q; r;
//! MARKING p: 2, r;
//! TRANSITION t WEAK FAIR CONSUME p, r: 3; PRODUCE q;
//! ```
//!
//! Names are any characters but blanks, `,` `;` `:` `(` `)` `{` `}`. A number behind a colon may be left out and is 1 then; a place that is listed several times gets the sum. Comments
//! stand in braces, also inside of each other, or between `/*` and `*/` where a name could begin.
//!
//! `SAFE n` is a promise of whoever wrote the net. It is read and not relied on: the bounds that are used are proved from the net itself. Properties of runs speak of the runs that are fair to the transitions
//! that ask for it. High-level nets of LoLA 1 (`SORT`, `FUNCTION`, `GUARD`) are refused, as LoLA 2 does.

mod automaton;
mod formula;
mod read;
mod tokens;

pub(crate) use automaton::automaton;
pub(super) use formula::task;
pub(super) use read::net;
