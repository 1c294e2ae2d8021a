//! Questions about a model: expressions, progress measures and formulas of temporal logic.
//!
//! A question is a text about a model in any language. `tokens` and `parse` read it to the trees in
//! `syntax`, `resolve` gives its names their meaning, and `temporal` numbers the propositions of a
//! formula. `text` and `formula_text` write what was understood. The names come from the module
//! `names`, which also says how the model's language writes them.
//!
//! # Expressions
//!
//! [`Model::expression`](crate::Model::expression) reads a statement about one state, which is true
//! if its value is not 0. From the loosest to the tightest, the operators are `imply`; `or` `||`;
//! `and` `&&`; `|`; `^`; `&`; `==` `!=`; `<` `<=` `>` `>=`; `<<` `>>`; `+` `-`; `*` `/` `%`; and
//! the prefix operators `-` `~` `not` `!`. They group to the left. `P->v` is variable `v` of
//! process `P`, and `P.s` is 1 while `P` is in state `s`. A name that is no word of letters, digits
//! and `_` is written in double quotes: `"p-busy"`. The name of an array alone is its first
//! element, with a warning.
//!
//! # Formulas
//!
//! [`Model::ltl`](crate::Model::ltl) and [`Model::ctl`](crate::Model::ctl) read one syntax, which
//! includes those of SPIN, BEEM, LTSmin and others:
//!
//! | operator | spellings |
//! |---|---|
//! | not | `!` `not` `~` |
//! | and, or | `&&` `and` `/\`, `\|\|` `or` `\/` |
//! | implies, equivalent | `->` `=>` `imply` `implies`, `<->` `<=>` `equivalent` |
//! | next, finally, globally | `X` `next`, `F` `<>` `eventually`, `G` `[]` `always`; several as one word: `GF` |
//! | until, release | `U` `until` `stronguntil`, `R` `V` `release` |
//! | weak until, strong release | `W` `weakuntil`, `M` |
//! | on all paths, on some path (CTL) | `AX` `AF` `AG`, `EX` `EF` `EG`; `A[]` `E<>`; `A[f U g]` `E(f W g)`; `AGEF` |
//!
//! From the tightest to the loosest: prefix operators; arithmetic and comparisons of the model;
//! `U`, `R`, `W` and `M`, which group to the right; *and*; *or*; *implies*, which groups to the
//! right unless it is spelt `imply`, as in DVE; *equivalent*. A temporal prefix operator takes a
//! whole comparison: `F x == 1` is `F (x == 1)`. Bit operators need parentheses beside temporal
//! operators.
//!
//! In CTL the four forms `EF e`, `AG e`, `AG EF e` and `EF AG e` are an exception that users rely
//! on. If no other temporal operator follows, they take everything: `AG p or q` is `AG (p or q)`.
//! `E[…]` and `A[…]` hold a `U`, `R`, `W` or `M` that is weaker than every other operator inside.
//!
//! A part without temporal operators is an expression of the model, as large as possible:
//! `G (x == 1 and P.wait -> F P->done > 2)` has two propositions, `x == 1 and P.wait` and
//! `P->done > 2`. A text in double quotes is an expression, too. A name of the model that is spelt
//! like an operator stays a name where it can be one. `~` is *not* where a truth value is expected,
//! and complements bits elsewhere. An arrow after the name of a process reads a variable if the
//! process has one of that name. Comments extend from `#` or `//` to the end of the line.
//!
//! # Progress measures
//!
//! A measure maps every state to a list of numbers in lexicographic order: the first component
//! counts most. A DVE file declares one in a line comment, which other tools skip:
//!
//! ```text
//! // progress: (round, Sender, acknowledged)
//! ```
//!
//! In square brackets the components are a vector, compared component by component. A step makes
//! progress if it lowers none of them. Two vectors of which neither is at most the other are
//! incomparable, and a step between them is a regress edge.
//!
//! ```text
//! // progress: [Sender->block, Receiver->stored]
//! ```
//!
//! The components are expressions, and may use a few forms that only measures have:
//!
//! - `Sender`, the name of a process alone, is the number of the state that it is in. States count
//!   from 0 in the order of their declaration.
//! - `order(x: 0 < 1, 2 < 5)` is the rank of `x` in an order of its values: 0 for the value 0, 1
//!   for 1 and for 2, 2 for 5, and 3 for all others. Values are numbers, with or without a sign,
//!   and names of constants. They lie less than 4096 apart, and none appears twice. The operand is
//!   any expression. If it is the name of a process alone, values are the names of its states, or
//!   their numbers: `order(Sender: idle < sending, waiting)`.
//! - `c.length` is the number of messages in the queue of a channel, `c[0]` the oldest message and
//!   `c[0].1` its second part, where messages have several. Slots without a message are zero.
//!
//! A global variable hides a process of the same name, and both hide a channel. `process Sender`
//! and `channel c[0]` say which one is meant. So every number that a state holds has a name, and
//! [`Model::measure_text`](crate::Model::measure_text) uses it. Variables and processes may be
//! called `order`: only measures have a word in front of a parenthesis.
//!
//! A state space of the `ss` format always has a measure: the progress values in its file.

mod ctl;
pub(crate) mod formula_text;
mod ltl;
mod measure;
mod order;
pub(crate) mod parse;
pub(crate) mod proposition;
mod queue_cells;
pub(crate) mod resolve;
pub(crate) mod syntax;
pub(crate) mod temporal;
pub(crate) mod text;
pub(crate) mod tokens;

use model::guarded_commands::{Expression, Span};

use crate::diagnostic::{Checked, Diagnostic, Diagnostics, too_long};
use crate::names::Names;
use resolve::Resolver;

pub use ctl::{CtlForm, CtlFormula};
pub use ltl::LtlFormula;
pub use measure::{DeclaredMeasure, MeasureExpressions};
pub use proposition::Proposition;

/// Bytes of the longest expression or measure. Spans are 32 bits wide.
const LARGEST_TEXT: usize = 64 << 20;

/// Reads one expression outside of all processes, and returns it with its warnings.
pub(crate) fn expression(
    text: &str,
    names: &Names,
) -> Result<(Expression, Vec<Diagnostic>), Vec<Diagnostic>> {
    check_size(text)?;
    let mut diagnostics = Diagnostics::default();
    let parsed = parse::expression_at(text, Span::new(0, text.len()), names.syntax, &mut diagnostics);
    let parsed = diagnostics.check(parsed)?;
    let resolved = Resolver::new(names, None, &mut diagnostics).expression(&parsed);
    Ok((diagnostics.check(resolved)?, diagnostics.into_warnings()))
}

/// Reads a progress measure.
pub(crate) fn measure(text: &str, names: &Names) -> Result<MeasureExpressions, Vec<Diagnostic>> {
    check_size(text)?;
    let mut diagnostics = Diagnostics::default();
    let parsed = parse::measure::measure(text, Span::new(0, text.len()), names.syntax, &mut diagnostics);
    let (parsed, kind) = diagnostics.check(parsed)?;
    let resolved = Resolver::for_measures(names, &mut diagnostics).expressions(&parsed);
    let components = diagnostics.check(resolved)?;
    Ok(MeasureExpressions { components, kind, warnings: diagnostics.into_warnings() })
}

/// Reads one expression that makes up a part of a text, outside of all processes, as a truth value.
pub(crate) fn truth_at(
    text: &str,
    span: Span,
    names: &Names,
    diagnostics: &mut Diagnostics,
) -> Checked<Expression> {
    let parsed = parse::expression_at(text, span, names.syntax, diagnostics)?;
    Resolver::new(names, None, diagnostics).truth(&parsed)
}

fn check_size(text: &str) -> Result<(), Vec<Diagnostic>> {
    if text.len() <= LARGEST_TEXT {
        return Ok(());
    }
    Err(vec![too_long("the text", text, LARGEST_TEXT)])
}
