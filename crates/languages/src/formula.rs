//! Formulas of temporal logic, as people type them.
//!
//! [`Model::ltl`](crate::Model::ltl) and [`Model::ctl`](crate::Model::ctl) read one syntax, which takes in those of SPIN, BEEM, LTSmin and others:
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
//! From the strongest to the weakest: prefix operators; the arithmetic and the comparisons of the model; `U`, `R`, `W` and `M`, which group to the right;
//! *and*; *or*; *implies*, which groups to the right unless it is spelt `imply`, as in DVE; *equivalent*. A temporal prefix operator takes a comparison as
//! a whole: `F x == 1` is `F (x == 1)`. Bit operators need parentheses where they stand beside temporal ones.
//! In CTL the four forms `EF e`, `AG e`, `AG EF e` and `EF AG e` are an exception that users have relied on: if no other temporal operator follows, they take
//! everything, and `AG p or q` is `AG (p or q)`. `E[…]` and `A[…]` hold a `U`, `R`, `W` or `M` that is weaker than everything else inside.
//!
//! What has no temporal operator is an expression of the model, as large as it can be: `G (x == 1 and P.wait -> F P->done > 2)` has two propositions,
//! `x == 1 and P.wait` and `P->done > 2`. Something in quotation marks is an expression, too. A name of the model that is spelt like an operator stays a
//! name where it can be one. `~` is *not* where a truth value is expected, and complements bits elsewhere. An arrow behind the name of a process reads a variable if the process has one of that name.
//! Comments reach from `#` or `//` to the end of the line.

use std::fmt;

use logic::ltl::Ltl;

use crate::proposition::Proposition;

/// A formula of linear temporal logic about a model: every run should satisfy it.
///
/// ```
/// use logic::ltl::Ltl;
///
/// let model = languages::read_model("byte x, y; system async;").expect("a model");
/// let read = model.ltl("GF x == 1 && y != 0").expect("a formula");
/// assert_eq!(read.to_string(), "G F (x == 1) && (y != 0)");
/// assert_eq!(read.propositions[1].text, "y != 0");
/// let infinitely_often = Ltl::globally(Ltl::finally(Ltl::Proposition(0)));
/// assert_eq!(read.formula, Ltl::and(infinitely_often, Ltl::Proposition(1)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LtlFormula {
    /// What it means.
    pub formula: Ltl,
    /// The expressions that its propositions stand for, at most 64.
    pub propositions: Vec<Proposition>,
    /// How it is understood: in one spelling, with parentheses.
    pub text: String,
}

impl fmt::Display for LtlFormula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
