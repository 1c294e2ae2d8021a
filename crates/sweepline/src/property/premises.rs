//! What a property assumes: conditions without which it says nothing.
//!
//! `G (request -> F answer)` is true of every run of a model in which nobody asks, which is seldom what its author had in mind. The
//! left side of an implication, wherever the formula speaks of it positively, is a *premise*; a property that holds while a premise is
//! true nowhere holds for a trivial reason (Beer, Ben-David, Eisner, Rodeh: vacuity detection in temporal model checking). Only premises
//! that speak of single states are looked at, so that a search for such a state decides.

use crate::model::guarded_commands::{BinaryOperator, Expression, GuardedCommands, UnaryOperator};
use crate::model::state_layout::CellRange;
use crate::model::value_ranges::{declared_ranges, expression_range};

use super::PropertyKind;
use super::ctl::Ctl;
use super::ltl::Ltl;

/// The premises of a property, each once.
pub fn premises(kind: &PropertyKind) -> Vec<Expression> {
    let mut found = Vec::new();
    match kind {
        PropertyKind::Invariant(expression) => of_expression(expression, &mut found),
        PropertyKind::Linear(linear) => {
            if let Some(formula) = linear.formula() {
                formula.premises(true, linear.propositions(), &mut found);
            }
        }
        PropertyKind::Branching(branching) => {
            branching.formula.premises(true, &branching.propositions, &mut found);
        }
        _ => {}
    }
    let mut different: Vec<Expression> = Vec::new();
    for premise in found {
        if !different.contains(&premise) {
            different.push(premise);
        }
    }
    different
}

/// Whether the expression is true whatever variables of their types hold.
pub fn is_true_by_type(model: &GuardedCommands, expression: &Expression) -> bool {
    let CellRange { low, high } = expression_range(model, &declared_ranges(model), expression);
    low > 0 || high < 0
}

fn not(expression: Expression) -> Expression {
    Expression::Unary(UnaryOperator::Not, Box::new(expression))
}

fn of_expression(expression: &Expression, found: &mut Vec<Expression>) {
    let Expression::Binary { operator, left, right, .. } = expression else { return };
    let negated = |one: &Expression| match one {
        Expression::Unary(UnaryOperator::Not, operand) => Some((**operand).clone()),
        _ => None,
    };
    let (premise, then) = match operator {
        BinaryOperator::And => {
            of_expression(left, found);
            return of_expression(right, found);
        }
        BinaryOperator::Imply => (Some((**left).clone()), right),
        BinaryOperator::Or => match negated(left) {
            Some(premise) => (Some(premise), right),
            None => (negated(right), left),
        },
        _ => return,
    };
    if let Some(premise) = premise {
        found.push(premise);
        of_expression(then, found);
    }
}

/// A formula that premises can be found in.
trait WithPremises: Sized {
    /// The parts, if it is a disjunction.
    fn as_or(&self) -> Option<(&Self, &Self)>;

    /// What is negated, if it is a negation.
    fn as_not(&self) -> Option<&Self>;

    /// All parts, of which the formula is an increasing function unless it is a negation.
    fn parts(&self) -> Vec<&Self>;

    /// The same as an expression, if it speaks of one state only.
    fn as_expression(&self, propositions: &[Expression]) -> Option<Expression>;

    /// Adds what is assumed where the formula counts as it is, or, if it is not positive, where its negation does.
    fn premises(&self, is_positive: bool, propositions: &[Expression], found: &mut Vec<Expression>) {
        if let Some(negated) = self.as_not() {
            return negated.premises(!is_positive, propositions, found);
        }
        if let Some((left, right)) = self.as_or().filter(|_| is_positive) {
            let premise = [(left, right), (right, left)]
                .into_iter()
                .find_map(|(one, other)| Some((one.as_not()?.as_expression(propositions)?, other)));
            if let Some((premise, then)) = premise {
                found.push(premise);
                return then.premises(is_positive, propositions, found);
            }
        }
        for part in self.parts() {
            part.premises(is_positive, propositions, found);
        }
    }
}

fn joined(
    operator: BinaryOperator,
    left: Option<Expression>,
    right: Option<Expression>,
) -> Option<Expression> {
    Some(Expression::binary(operator, left?, right?))
}

impl WithPremises for Ltl {
    fn as_or(&self) -> Option<(&Self, &Self)> {
        if let Self::Or(left, right) = self { Some((left, right)) } else { None }
    }

    fn as_not(&self) -> Option<&Self> {
        if let Self::Not(operand) = self { Some(operand) } else { None }
    }

    fn parts(&self) -> Vec<&Self> {
        match self {
            Self::True | Self::False | Self::Proposition(_) => Vec::new(),
            Self::Not(operand) | Self::Next(operand) => vec![operand],
            Self::And(left, right)
            | Self::Or(left, right)
            | Self::Until(left, right)
            | Self::Release(left, right) => vec![left, right],
        }
    }

    fn as_expression(&self, propositions: &[Expression]) -> Option<Expression> {
        let of = |part: &Self| part.as_expression(propositions);
        match self {
            Self::True => Some(Expression::Constant(1)),
            Self::False => Some(Expression::Constant(0)),
            Self::Proposition(number) => propositions.get(usize::from(*number)).cloned(),
            Self::Not(operand) => of(operand).map(not),
            Self::And(left, right) => joined(BinaryOperator::And, of(left), of(right)),
            Self::Or(left, right) => joined(BinaryOperator::Or, of(left), of(right)),
            Self::Next(_) | Self::Until(..) | Self::Release(..) => None,
        }
    }
}

impl WithPremises for Ctl {
    fn as_or(&self) -> Option<(&Self, &Self)> {
        if let Self::Or(left, right) = self { Some((left, right)) } else { None }
    }

    fn as_not(&self) -> Option<&Self> {
        if let Self::Not(operand) = self { Some(operand) } else { None }
    }

    fn parts(&self) -> Vec<&Self> {
        match self {
            Self::True | Self::False | Self::Proposition(_) => Vec::new(),
            Self::Not(operand) | Self::ExistsNext(operand) | Self::ExistsGlobally(operand) => vec![operand],
            Self::And(left, right) | Self::Or(left, right) | Self::ExistsUntil(left, right) => {
                vec![left, right]
            }
        }
    }

    fn as_expression(&self, propositions: &[Expression]) -> Option<Expression> {
        let of = |part: &Self| part.as_expression(propositions);
        match self {
            Self::True => Some(Expression::Constant(1)),
            Self::False => Some(Expression::Constant(0)),
            Self::Proposition(number) => propositions.get(usize::from(*number)).cloned(),
            Self::Not(operand) => of(operand).map(not),
            Self::And(left, right) => joined(BinaryOperator::And, of(left), of(right)),
            Self::Or(left, right) => joined(BinaryOperator::Or, of(left), of(right)),
            Self::ExistsNext(_) | Self::ExistsUntil(..) | Self::ExistsGlobally(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::guarded_commands::CellId;
    use crate::property::BranchingProperty;

    fn cell(number: u32) -> Expression {
        Expression::Cell(CellId(number))
    }

    fn of_ltl(formula: &Ltl) -> Vec<Expression> {
        let mut found = Vec::new();
        formula.premises(true, &[cell(0), cell(1), cell(2)], &mut found);
        found
    }

    #[test]
    fn the_left_side_of_an_implication_is_a_premise_where_it_counts() {
        let [p, q, r] = [0, 1, 2].map(Ltl::Proposition);
        let response = Ltl::implies(p.clone(), Ltl::Until(Box::new(Ltl::True), Box::new(q.clone())));
        let always = |f: Ltl| Ltl::Release(Box::new(Ltl::False), Box::new(f));
        assert_eq!(of_ltl(&always(response.clone())), [cell(0)]);
        // Inside of another one.
        assert_eq!(of_ltl(&always(Ltl::implies(r.clone(), response.clone()))), [cell(2), cell(0)]);
        // Negated, it claims that there is such a state.
        assert_eq!(of_ltl(&Ltl::negation(always(response.clone()))), []);
        assert_eq!(of_ltl(&Ltl::implies(always(response), q)), []);
        // A disjunction without a negation assumes nothing.
        assert_eq!(of_ltl(&always(Ltl::or(p, r))), []);
    }

    #[test]
    fn quantifiers_over_all_paths_are_looked_through() {
        let [p, q] = [0, 1].map(Ctl::Proposition);
        let implication = Ctl::Or(Box::new(Ctl::negation(p)), Box::new(Ctl::exists_finally(q)));
        let formula = Ctl::always_globally(implication);
        let propositions = vec![cell(0), cell(1)];
        let kind = PropertyKind::Branching(Box::new(BranchingProperty { formula, propositions }));
        assert_eq!(premises(&kind), [cell(0)]);
    }

    #[test]
    fn invariants_have_premises_too() {
        let imply = |a, b| Expression::binary(BinaryOperator::Imply, a, b);
        let both = Expression::binary(
            BinaryOperator::And,
            imply(cell(0), cell(1)),
            Expression::binary(BinaryOperator::Or, not(cell(2)), imply(cell(0), cell(1))),
        );
        assert_eq!(premises(&PropertyKind::Invariant(both)), [cell(0), cell(2)]);
        assert_eq!(premises(&PropertyKind::Reachable(imply(cell(0), cell(1)))), []);
    }
}
