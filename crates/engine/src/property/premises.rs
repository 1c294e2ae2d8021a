//! The premises of a property: conditions without which it says nothing.
//!
//! `G (request -> F answer)` is true of every run of a model without requests, which is seldom what
//! its author meant. The left side of an implication that occurs positively in the formula is a
//! *premise*. A property that holds while a premise is unreachable holds vacuously (Beer,
//! Ben-David, Eisner, Rodeh: vacuity detection in temporal model checking). Only premises about
//! single states are considered, so that a search for such a state decides.

use model::guarded_commands::{BinaryOperator, Expression, GuardedCommands, Overflow, UnaryOperator};
use model::state_layout::CellRange;
use model::value_ranges::{declared_ranges, expression_range};

use super::PropertyKind;
use logic::ctl::Ctl;
use logic::ltl::Ltl;

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

/// Whether the expression is true for all values of the variables' types. Places of a net have
/// unbounded numbers, and the types of their variables were not declared: they are proved bounds.
/// So a premise about a place is still worth a check.
pub fn is_true_by_type(model: &GuardedCommands, expression: &Expression) -> bool {
    if model.cells.iter().any(|cell| cell.overflow != Overflow::Wraps) {
        return false;
    }
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

/// A formula of either logic, in the form that the search for premises needs.
enum Form<'f, F> {
    Truth(bool),
    Proposition(u8),
    Not(&'f F),
    And(&'f F, &'f F),
    Or(&'f F, &'f F),
    /// A temporal operator: it refers to other states, and is monotonically increasing in these
    /// operands.
    Temporal(Vec<&'f F>),
}

/// A formula in which premises can be found.
trait WithPremises: Sized {
    fn form(&self) -> Form<'_, Self>;

    /// Adds the premises of the formula; if `is_positive` is false, those of its negation.
    fn premises(&self, is_positive: bool, propositions: &[Expression], found: &mut Vec<Expression>) {
        match self.form() {
            Form::Truth(_) | Form::Proposition(_) => {}
            Form::Not(operand) => operand.premises(!is_positive, propositions, found),
            Form::Or(left, right) if is_positive => {
                let assumed = |one: &Self| match one.form() {
                    Form::Not(premise) => premise.as_expression(propositions),
                    _ => None,
                };
                let (premise, rest): (_, &[&Self]) = match (assumed(left), assumed(right)) {
                    (Some(premise), _) => (Some(premise), &[right]),
                    (None, premise @ Some(_)) => (premise, &[left]),
                    (None, None) => (None, &[left, right]),
                };
                found.extend(premise);
                rest.iter().for_each(|part| part.premises(true, propositions, found));
            }
            Form::And(left, right) | Form::Or(left, right) => {
                [left, right].into_iter().for_each(|part| part.premises(is_positive, propositions, found));
            }
            Form::Temporal(parts) => {
                parts.into_iter().for_each(|part| part.premises(is_positive, propositions, found));
            }
        }
    }

    /// The formula as an expression, if it refers to one state only.
    fn as_expression(&self, propositions: &[Expression]) -> Option<Expression> {
        let of = |part: &Self| part.as_expression(propositions);
        match self.form() {
            Form::Truth(truth) => Some(Expression::Constant(truth.into())),
            Form::Proposition(number) => propositions.get(usize::from(number)).cloned(),
            Form::Not(operand) => of(operand).map(not),
            Form::And(left, right) => Some(Expression::binary(BinaryOperator::And, of(left)?, of(right)?)),
            Form::Or(left, right) => Some(Expression::binary(BinaryOperator::Or, of(left)?, of(right)?)),
            Form::Temporal(_) => None,
        }
    }
}

impl WithPremises for Ltl {
    fn form(&self) -> Form<'_, Self> {
        match self {
            Self::True => Form::Truth(true),
            Self::False => Form::Truth(false),
            Self::Proposition(number) => Form::Proposition(*number),
            Self::Not(operand) => Form::Not(operand),
            Self::And(left, right) => Form::And(left, right),
            Self::Or(left, right) => Form::Or(left, right),
            Self::Next(operand) => Form::Temporal(vec![operand]),
            // `f W g`, in which `f` is a claim, even if it is a negation.
            Self::Release(until, both) if matches!(&**both, Self::Or(_, last) if last == until) => {
                Form::Temporal(vec![until])
            }
            Self::Until(left, right) | Self::Release(left, right) => Form::Temporal(vec![left, right]),
        }
    }
}

impl WithPremises for Ctl {
    fn form(&self) -> Form<'_, Self> {
        match self {
            Self::True => Form::Truth(true),
            Self::False => Form::Truth(false),
            Self::Proposition(number) => Form::Proposition(*number),
            Self::Not(operand) => Form::Not(operand),
            Self::And(left, right) => Form::And(left, right),
            Self::Or(left, right) => Form::Or(left, right),
            Self::ExistsNext(operand) | Self::ExistsGlobally(operand) => Form::Temporal(vec![operand]),
            Self::ExistsUntil(left, right) => Form::Temporal(vec![left, right]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property::BranchingProperty;
    use model::guarded_commands::CellId;

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
        // An implication inside another one.
        assert_eq!(of_ltl(&always(Ltl::implies(r.clone(), response.clone()))), [cell(2), cell(0)]);
        // Negated, it claims that there is such a state.
        assert_eq!(of_ltl(&Ltl::negation(always(response.clone()))), []);
        assert_eq!(of_ltl(&Ltl::implies(always(response), q)), []);
        // A condition that should hold until an event is a claim.
        assert_eq!(of_ltl(&Ltl::weak_until(Ltl::negation(p.clone()), r.clone())), []);
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
