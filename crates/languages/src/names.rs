//! The names of a model: what expressions, formulas and measures can refer to.
//!
//! Every language fills [`Names`] while it lowers a model. The table outlives reading the file,
//! because [questions](crate::question) that come later are resolved against it. It knows no
//! language: a Petri net has places as variables, a state space has propositions, DVE has all of
//! it.
//!
//! Four kinds of names have a table each: variables and constants, processes, locations of a
//! process, and channels. So a location may share its name with a variable.
//!
//! Languages differ in how they write a name that belongs to a process: DVE has `P->v` and `P.s`,
//! Promela has `P:v` and `P@label`. [`NameSyntax`] is the seam between them. A language that brings
//! its own implementation gets questions in its own notation, in reading, in output and in advice.

use std::collections::BTreeMap;
use std::fmt;

use model::guarded_commands::{CellId, IntegerType, LocationId, Span, VariableId};

use crate::diagnostic::{Checked, Reported};
use crate::question::parse::Parser;
use crate::question::syntax::{Expression, ExpressionKind};
use crate::question::tokens::TokenKind;

/// All names of a model.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// Variables and constants outside of all processes.
    pub(crate) globals: Symbols,
    pub(crate) processes: BTreeMap<String, ProcessNames>,
    /// Channels with and without a queue. An error stands for a declaration that is wrong.
    pub(crate) channels: BTreeMap<String, Checked<ChannelNames>>,
    /// The process that is a property and not a part of the model, if there is one.
    pub(crate) property: Option<String>,
    /// How names of processes are written in questions.
    pub(crate) syntax: &'static dyn NameSyntax,
}

impl Default for Names {
    fn default() -> Self {
        let (globals, processes, channels) = Default::default();
        Self { globals, processes, channels, property: None, syntax: ARROW_AND_DOT }
    }
}

/// Variables and constants of one process or of the whole model.
pub(crate) type Symbols = BTreeMap<String, Symbol>;

/// A variable or constant.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A declaration that is wrong and was reported; uses of it are not at fault.
    Broken(Reported),
    Constant(i64),
    ConstantArray {
        variable: VariableId,
        values: Vec<i64>,
    },
    Scalar {
        cell: CellId,
        integer: IntegerType,
    },
    Array {
        variable: VariableId,
        first_cell: CellId,
        length: u32,
        integer: IntegerType,
    },
}

/// The names of one process.
#[derive(Clone, Debug)]
pub(crate) struct ProcessNames {
    /// The cell that holds its location.
    pub(crate) location: CellId,
    pub(crate) locations: BTreeMap<String, LocationId>,
    pub(crate) symbols: Symbols,
}

/// A channel.
#[derive(Clone, Debug)]
pub(crate) struct ChannelNames {
    pub(crate) name: String,
    /// Its declaration.
    pub(crate) span: Span,
    /// The types of a message's parts, if the channel is typed.
    pub(crate) fields: Option<Vec<IntegerType>>,
    /// Its queue; a channel without one is a rendezvous.
    pub(crate) queue: Option<Queue>,
}

impl ChannelNames {
    /// Number of parts of a message.
    pub(crate) fn parts(&self) -> usize {
        self.fields.as_ref().map_or(0, Vec::len)
    }
}

/// The queue of a buffered channel.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) variable: VariableId,
    /// The cell that counts its messages.
    pub(crate) length: CellId,
    /// Messages that it can hold.
    pub(crate) capacity: u32,
}

impl Queue {
    /// The cell of one part of the message at `slot`, the oldest message being at 0. Messages have
    /// `parts` parts.
    pub(crate) fn cell(&self, slot: u32, part: u32, parts: u32) -> CellId {
        CellId(self.length.0 + 1 + slot * parts + part)
    }
}

/// How a language writes names in questions about its models.
pub(crate) trait NameSyntax: fmt::Debug + Sync {
    /// Reads an operand that begins with a word: a variable, a variable of a process, or a test of
    /// a location.
    ///
    /// # Errors
    /// The text is no such operand.
    fn operand<'text>(&self, parser: &mut Parser<'text, '_>) -> Checked<Expression<'text>>;

    /// The text of a variable of a process. [`operand`](Self::operand) reads it back.
    fn variable(&self, process: &str, variable: &str) -> String;

    /// The text of the test whether a process is at a location. [`operand`](Self::operand) reads it
    /// back.
    fn location(&self, process: &str, location: &str) -> String;
}

/// The notation of DVE, which languages without processes of their own use as well.
pub(crate) const ARROW_AND_DOT: &dyn NameSyntax = &ArrowAndDot;

#[derive(Debug)]
struct ArrowAndDot;

impl NameSyntax for ArrowAndDot {
    /// `name [ "." location | "->" name ] [ index ]`
    fn operand<'text>(&self, parser: &mut Parser<'text, '_>) -> Checked<Expression<'text>> {
        let first = parser.name()?;
        if parser.eat(TokenKind::Dot) {
            let location = parser.location_name()?;
            let (kind, span) =
                (ExpressionKind::At { process: first, location }, first.span.to(location.span));
            return Ok(Expression { kind, span, depth: 1 });
        }
        let owned = if parser.eat(TokenKind::Arrow) { Some(parser.name()?) } else { None };
        match owned {
            Some(name) => {
                parser.indexed(first.span, |index| ExpressionKind::Foreign { process: first, name, index })
            }
            None => parser.variable(first),
        }
    }

    fn variable(&self, process: &str, variable: &str) -> String {
        format!("{process}->{variable}")
    }

    fn location(&self, process: &str, location: &str) -> String {
        format!("{process}.{location}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A notation with a colon, as Promela has it.
    #[derive(Debug)]
    struct Colon;

    impl NameSyntax for Colon {
        fn operand<'text>(&self, parser: &mut Parser<'text, '_>) -> Checked<Expression<'text>> {
            let first = parser.name()?;
            if !parser.eat(TokenKind::Colon) {
                return parser.variable(first);
            }
            let name = parser.name()?;
            parser.indexed(first.span, |index| ExpressionKind::Foreign { process: first, name, index })
        }

        fn variable(&self, process: &str, variable: &str) -> String {
            format!("{process}:{variable}")
        }

        fn location(&self, process: &str, location: &str) -> String {
            format!("{process}@{location}")
        }
    }

    #[test]
    fn a_language_brings_its_own_notation_for_names() {
        let text = "byte x; process P { byte v, a[2]; state s; init s; } system async;";
        let mut model = crate::read_model(text).unwrap();
        let meant = model.expression("P->v + P->a[1] > x").unwrap();
        let implied = model.ltl("G (P->v == 1 -> x == 1)").unwrap().formula;
        model.names.syntax = &Colon;
        let read = model.measure("P:v + P:a[1] > x").unwrap();
        assert_eq!(model.measure_text(&read.components), "P:v + P:a[1] > x");
        assert_eq!(model.measure_text(std::slice::from_ref(&meant)), "P:v + P:a[1] > x");
        assert_eq!(model.ltl("G (P:v == 1 -> x == 1)").unwrap().formula, implied);
        assert!(model.expression("P->v").is_err());
        let help = model.expression("v == 1").unwrap_err()[0].help.clone();
        assert_eq!(help.as_deref(), Some("process `P` has one: write `P:v`"));
    }
}
