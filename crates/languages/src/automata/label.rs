//! Labels of edges: what must be true of a state for an edge to be taken.
//!
//! Labels are Boolean combinations, but edges of a [`Buchi`](logic::buchi::Buchi) have cubes. So a
//! label is expanded into cubes, by distributing *and* over *or*. Cubes that another one covers are
//! left out. There is no further minimisation: labels have few propositions.

use logic::buchi::Cube;
use model::guarded_commands::{BinaryOperator, Expression, Span, UnaryOperator};

use crate::diagnostic::{Checked, Diagnostics};
use crate::question::proposition::{Literal, Propositions};

/// The most cubes of a label, and of any part of it.
const MOST_CUBES: usize = 1024;

/// A Boolean combination of propositions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Label {
    Literal(Literal),
    Not(Box<Label>),
    And(Vec<Label>),
    Or(Vec<Label>),
}

impl Label {
    pub(crate) const TRUE: Self = Self::Literal(Literal::Constant(true));
    pub(crate) const FALSE: Self = Self::Literal(Literal::Constant(false));

    pub(crate) fn negation(label: Self) -> Self {
        Self::Not(Box::new(label))
    }

    /// The conjunction. A chain of conjunctions stays flat, however long it is: every function here
    /// is recursive.
    pub(crate) fn and(left: Self, right: Self) -> Self {
        match left {
            Self::And(mut parts) => {
                parts.push(right);
                Self::And(parts)
            }
            left => Self::And(vec![left, right]),
        }
    }

    /// The disjunction.
    pub(crate) fn or(left: Self, right: Self) -> Self {
        match left {
            Self::Or(mut parts) => {
                parts.push(right);
                Self::Or(parts)
            }
            left => Self::Or(vec![left, right]),
        }
    }

    /// Splits an expression at its logical operators. It stays whole where its right operand may
    /// fail: propositions are evaluated one by one, so `i < 3 and a[i]` must not make `a[i]` a
    /// proposition of its own.
    pub(crate) fn of(
        expression: Expression,
        place: Span,
        propositions: &mut Propositions,
        text: &dyn Fn(&Expression) -> String,
        diagnostics: &mut Diagnostics,
    ) -> Checked<Self> {
        let mut part = |expression, diagnostics: &mut Diagnostics| {
            Self::of(expression, place, propositions, text, diagnostics)
        };
        match expression {
            Expression::Unary(UnaryOperator::Not, operand) => {
                Ok(Self::negation(part(*operand, diagnostics)?))
            }
            Expression::Binary {
                operator: operator @ (BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Imply),
                left,
                right,
                ..
            } if !may_fail(&right) => {
                let (left, right) = (part(*left, diagnostics)?, part(*right, diagnostics)?);
                Ok(match operator {
                    BinaryOperator::And => Self::and(left, right),
                    BinaryOperator::Or => Self::or(left, right),
                    _ => Self::or(Self::negation(left), right),
                })
            }
            expression => {
                let text = text(&expression);
                let place = place_of(&expression).unwrap_or(place);
                propositions.literal(&text, expression, place, diagnostics).map(Self::Literal)
            }
        }
    }

    /// The cubes in which the label is true; none if there are too many.
    pub(crate) fn cubes(&self) -> Option<Vec<Cube>> {
        self.cubes_if(true)
    }

    /// The cubes in which the label has this value.
    fn cubes_if(&self, value: bool) -> Option<Vec<Cube>> {
        match self {
            Self::Literal(literal) => Some(match literal.when(value) {
                Literal::Constant(true) => vec![Cube::TRUE],
                Literal::Constant(false) => Vec::new(),
                Literal::Proposition { number, holds: true } => vec![Cube::proposition(number)],
                Literal::Proposition { number, holds: false } => vec![Cube::negated(number)],
            }),
            Self::Not(label) => label.cubes_if(!value),
            Self::And(parts) | Self::Or(parts) => {
                let is_union = matches!(self, Self::Or(_)) == value;
                let mut all = if is_union { Vec::new() } else { vec![Cube::TRUE] };
                for part in parts {
                    let cubes = part.cubes_if(value)?;
                    if is_union {
                        all.extend(cubes);
                    } else {
                        all = simplest(product(&all, &cubes)?)?;
                    }
                }
                simplest(all)
            }
        }
    }
}

fn product(left: &[Cube], right: &[Cube]) -> Option<Vec<Cube>> {
    if left.len() * right.len() > 64 * MOST_CUBES {
        return None;
    }
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| one.and(*other)));
    Some(pairs.flatten().collect())
}

/// The cubes that no other one covers, if there are few.
fn simplest(mut cubes: Vec<Cube>) -> Option<Vec<Cube>> {
    let literals = |cube: &Cube| cube.holds.count_ones() + cube.fails.count_ones();
    cubes.sort_by_key(|cube| (literals(cube), *cube));
    let mut kept: Vec<Cube> = Vec::new();
    for cube in cubes {
        let is_covered = kept
            .iter()
            .any(|other| other.holds & cube.holds == other.holds && other.fails & cube.fails == other.fails);
        if !is_covered {
            kept.push(cube);
        }
        if kept.len() > MOST_CUBES {
            return None;
        }
    }
    Some(kept)
}

/// The span of an expression, if it has one.
pub(crate) fn place_of(expression: &Expression) -> Option<Span> {
    match expression {
        Expression::Binary { span, .. } | Expression::Element { span, .. } => {
            Some(*span).filter(|span| *span != Span::default())
        }
        _ => None,
    }
}

/// Whether evaluating the expression may fail in some state.
fn may_fail(expression: &Expression) -> bool {
    expression.has_subexpression(&mut |one| match one {
        Expression::Element { .. } => true,
        Expression::Binary { operator, right, .. } if operator.is_partial() => match **right {
            Expression::Constant(value) => operator.apply(1, value).is_err(),
            _ => true,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use model::guarded_commands::{CellId, VariableId};

    use super::*;

    fn p(number: u8) -> Label {
        Label::Literal(Literal::Proposition { number, holds: true })
    }

    #[test]
    fn cases_are_true_exactly_where_the_label_is() {
        let labels = [
            (Label::or(p(0), Label::and(p(1), Label::negation(p(2)))), 2),
            (Label::negation(Label::or(p(0), Label::and(p(1), p(2)))), 2),
            (Label::and(Label::or(p(0), p(1)), Label::or(p(0), p(2))), 2),
            (Label::and(p(0), Label::negation(p(0))), 0),
            (Label::or(p(0), Label::TRUE), 1),
            (Label::FALSE, 0),
        ];
        fn value(label: &Label, state: u64) -> bool {
            match label {
                Label::Literal(Literal::Constant(value)) => *value,
                Label::Literal(Literal::Proposition { number, holds }) => {
                    (state >> number & 1 == 1) == *holds
                }
                Label::Not(label) => !value(label, state),
                Label::And(parts) => parts.iter().all(|part| value(part, state)),
                Label::Or(parts) => parts.iter().any(|part| value(part, state)),
            }
        }
        for (label, cases) in labels {
            let cubes = label.cubes().unwrap();
            assert_eq!(cubes.len(), cases, "{label:?}");
            for state in 0..8 {
                let is_true = cubes.iter().any(|cube| cube.is_true_of(state));
                assert_eq!(is_true, value(&label, state), "{label:?} in {state:b}");
            }
        }
    }

    #[test]
    fn too_many_cases_are_noticed() {
        let pair = |number: u8| Label::or(p(2 * number), p(2 * number + 1));
        let all = |pairs: u8| (1..pairs).fold(pair(0), |all, number| Label::and(all, pair(number)));
        assert_eq!(all(10).cubes().map(|cubes| cubes.len()), Some(1024));
        assert_eq!(all(11).cubes(), None);
        assert_eq!(all(32).cubes(), None);
    }

    #[test]
    fn what_is_protected_stays_whole() {
        let cell = |number| Expression::Cell(CellId(number));
        let element =
            Expression::Element { array: VariableId(0), index: Box::new(cell(0)), span: Span::default() };
        let propositions_in = |right: Expression| {
            let both = Expression::binary(BinaryOperator::And, cell(1), right);
            let (mut propositions, mut diagnostics) = (Propositions::default(), Diagnostics::default());
            Label::of(both, Span::default(), &mut propositions, &|_| String::new(), &mut diagnostics)
                .unwrap();
            propositions.into_list().len()
        };
        let divided = |by| Expression::binary(BinaryOperator::Divide, cell(2), by);
        let shifted = |by| Expression::binary(BinaryOperator::ShiftLeft, cell(2), Expression::Constant(by));
        assert_eq!(propositions_in(cell(2)), 2);
        assert_eq!(propositions_in(divided(Expression::Constant(2))), 2);
        assert_eq!(propositions_in(shifted(3)), 2);
        assert_eq!(propositions_in(element.negated()), 1);
        assert_eq!(propositions_in(divided(cell(3))), 1);
        assert_eq!(propositions_in(divided(Expression::Constant(0))), 1);
        assert_eq!(propositions_in(shifted(64)), 1);
    }
}
