//! The property files of the Model Checking Contest, which TAPAAL's queries share.
//!
//! A file is a `property-set`; each `property` has an `id` and a `formula`. A formula about single
//! states (`integer-le`, `tokens-count` over several places, `is-fireable` for any of several
//! transitions, `deadlock`) becomes an expression of the model, however large. Temporal operators
//! around it make a formula of computation tree logic or of linear time. In files for coloured
//! nets, names are those of coloured places and transitions: tokens of all colours are counted, and
//! a transition is fireable if one of its instances is.
//!
//! The text of `A X f` does not tell whether it is about branching or linear time, and at a dead
//! marking it makes a difference. In linear time a run that ends there repeats its last marking
//! infinitely often; in branching time `AX` is true and `EX` false. The examination decides, which
//! the contest writes into the `id`. Without one, a formula is one of branching time if it can be.
//! Recorded verdicts of the contest agree with this reading.

mod global;
pub(super) mod logic;
mod read;
pub(super) mod tree;

use model::guarded_commands::{Expression, Span};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::{CtlFormula, LtlFormula, Model};

pub use global::Examination;
pub(crate) use read::not_a_net;

/// A property of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ContestProperty {
    /// The `id`.
    pub name: String,
    /// The question that it asks.
    pub question: ContestQuestion,
    /// Its place in the file.
    pub span: Span,
}

/// The question that a property asks.
#[derive(Clone, Debug, PartialEq)]
pub enum ContestQuestion {
    /// Is a dead marking reachable?
    Deadlock,
    /// Is the expression true in a reachable marking?
    Reachable(Expression),
    /// Is the expression true in every reachable marking?
    Invariant(Expression),
    /// Is the formula true in the initial marking?
    Branching(CtlFormula),
    /// Is the formula true of every run?
    EveryRun(LtlFormula),
    /// Is the formula false of some run?
    NotEveryRun(LtlFormula),
    /// What is the greatest value of the expression in a reachable marking?
    Bound(Expression),
}

/// Reads the properties in a file of the Model Checking Contest, about a model that must be a Petri
/// net.
///
/// ```
/// use languages::petri::contest::{self, ContestQuestion};
/// use languages::{ReadOptions, format, read_model_with};
///
/// let net = "PLACE p, q; MARKING p: 1; TRANSITION t CONSUME p; PRODUCE q;";
/// let options = ReadOptions { format: &format::LOLA, ..ReadOptions::default() };
/// let model = read_model_with(net, &options).expect("a net");
/// let text = "<property-set><property><id>a</id><formula><exists-path><finally><is-fireable><transition>t</transition>\
///     </is-fireable></finally></exists-path></formula></property></property-set>";
/// let properties = contest::properties(&model, text).expect("a property");
/// assert!(matches!(properties[0].question, ContestQuestion::Reachable(_)));
/// ```
///
/// # Errors
/// What is wrong with the file, at most twenty findings in the order of the text.
pub fn properties(model: &Model, text: &str) -> Result<Vec<ContestProperty>, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let properties = read::properties(text, model.net().map(|net| &**net), &mut diagnostics);
    diagnostics.check(properties)
}

#[cfg(test)]
mod tests;
