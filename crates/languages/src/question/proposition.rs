//! What formulas and automata say about single states.
//!
//! A proposition is an expression of the model, true where it is not 0. Formulas know it by number.
//! Two expressions that differ only in their spans share a number. There are at most 64, the bits
//! of the word that an engine computes for every state.

use logic::ltl;
use model::guarded_commands::{Expression, Span, UnaryOperator};

use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};

/// The most propositions: the bits of a word.
const MOST: usize = u64::BITS as usize;

/// A statement about one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposition {
    /// The expression as written.
    pub text: String,
    /// The meaning: true if the expression is not 0.
    pub expression: Expression,
    /// The first place where it is written.
    pub span: Span,
}

/// A proposition that must hold or must not hold, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    Constant(bool),
    Proposition { number: ltl::Proposition, holds: bool },
}

impl Literal {
    /// The literal itself if `holds`, its negation otherwise.
    pub(crate) fn when(self, holds: bool) -> Self {
        match self {
            _ if holds => self,
            Self::Constant(value) => Self::Constant(!value),
            Self::Proposition { number, holds } => Self::Proposition { number, holds: !holds },
        }
    }
}

/// The propositions of one formula or automaton, numbered in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct Propositions {
    list: Vec<Proposition>,
    /// The expressions without their spans, for comparison.
    bare: Vec<Expression>,
}

impl Propositions {
    /// The literal of an expression. A negation shares the number of what it negates.
    pub(crate) fn literal(
        &mut self,
        text: &str,
        expression: Expression,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Checked<Literal> {
        match expression {
            Expression::Constant(value) => Ok(Literal::Constant(value != 0)),
            Expression::Unary(UnaryOperator::Not, inner) => {
                Ok(self.literal(text, *inner, span, diagnostics)?.when(false))
            }
            expression => {
                let number = self.number(text, expression, span, diagnostics)?;
                Ok(Literal::Proposition { number, holds: true })
            }
        }
    }

    fn number(
        &mut self,
        text: &str,
        expression: Expression,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Checked<ltl::Proposition> {
        let bare = expression.clone().without_spans();
        let known = self.bare.iter().position(|known| *known == bare);
        if known.is_none() && self.list.len() >= MOST {
            return Err(diagnostics.report(too_many(span)));
        }
        if known.is_none() {
            self.bare.push(bare);
            self.list.push(Proposition { text: text.to_owned(), expression, span });
        }
        let number = known.unwrap_or(self.list.len() - 1);
        Ok(u8::try_from(number).expect("there are at most 64"))
    }

    pub(crate) fn into_list(self) -> Vec<Proposition> {
        self.list
    }
}

/// The error about one proposition too many.
pub(crate) fn too_many(span: Span) -> Diagnostic {
    let message = format!("there are more than {MOST} propositions");
    let error = Diagnostic::error(codes::TOO_MANY_PROPOSITIONS, span, message, "one too many");
    error.help("check its parts one by one, or put several into one expression in quotation marks")
}

#[cfg(test)]
mod tests {
    use model::guarded_commands::{BinaryOperator, CellId};

    use super::*;

    fn equal(cell: u32, place: usize) -> Expression {
        let (left, right) = (Expression::Cell(CellId(cell)), Expression::Constant(1));
        let (left, right, span) = (Box::new(left), Box::new(right), Span::new(place, place + 1));
        Expression::Binary { operator: BinaryOperator::Equal, left, right, span }
    }

    #[test]
    fn equal_propositions_and_negations_share_a_number() {
        let (mut propositions, mut diagnostics) = (Propositions::default(), Diagnostics::default());
        let mut number =
            |expression| propositions.literal("p", expression, Span::default(), &mut diagnostics).unwrap();
        assert_eq!(number(equal(3, 0)), Literal::Proposition { number: 0, holds: true });
        assert_eq!(number(equal(4, 0)), Literal::Proposition { number: 1, holds: true });
        assert_eq!(number(equal(3, 9).negated()), Literal::Proposition { number: 0, holds: false });
        assert_eq!(number(Expression::Constant(7).negated()), Literal::Constant(false));
        assert_eq!(propositions.into_list().len(), 2);
    }

    #[test]
    fn there_is_room_for_64() {
        let (mut propositions, mut diagnostics) = (Propositions::default(), Diagnostics::default());
        for cell in 0..64 {
            propositions.literal("p", equal(cell, 0), Span::default(), &mut diagnostics).unwrap();
        }
        assert!(propositions.literal("p", equal(7, 5), Span::default(), &mut diagnostics).is_ok());
        assert!(propositions.literal("p", equal(64, 0), Span::new(3, 4), &mut diagnostics).is_err());
        assert_eq!(diagnostics.check(Ok(())).unwrap_err()[0].code, codes::TOO_MANY_PROPOSITIONS);
    }
}
