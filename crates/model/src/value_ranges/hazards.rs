//! Expressions that may have no value: an index out of range, a zero divisor, a shift count that is
//! too large.

use super::knowledge::{Facts, Known};
use crate::guarded_commands::{BinaryOperator, Expression, GuardedCommands, Span, VariableId};
use crate::interval::CellRange;

/// An operation that may have no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// The operation.
    pub kind: HazardKind,
    /// The values of its critical operand.
    pub range: CellRange,
    /// Its range in the source text.
    pub span: Span,
}

/// The kind of an operation that may have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HazardKind {
    /// The index into this array may be out of range.
    Index(VariableId),
    /// The divisor may be zero.
    Divisor,
    /// The shift count may be outside 0 to 63.
    ShiftCount,
}

impl Hazard {
    /// The hazard of the outermost operation, given the ranges of its operands.
    fn of(
        model: &GuardedCommands,
        expression: &Expression,
        range: impl Fn(&Expression) -> CellRange,
    ) -> Option<Self> {
        let (kind, allowed, operand, span) = match expression {
            Expression::Element { array, index, span } => {
                let last = model.variable(*array).cell_count() as i64 - 1;
                (HazardKind::Index(*array), CellRange { low: 0, high: last }, index, span)
            }
            Expression::Binary { operator, right, span, .. } if operator.is_partial() => match operator {
                BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                    (HazardKind::ShiftCount, CellRange { low: 0, high: 63 }, right, span)
                }
                _ => {
                    let range = range(right);
                    return range.contains(0).then_some(Self {
                        kind: HazardKind::Divisor,
                        range,
                        span: *span,
                    });
                }
            },
            _ => return None,
        };
        let range = range(operand);
        (!allowed.covers(range)).then_some(Self { kind, range, span: *span })
    }

    /// The hazard as a sentence without a capital.
    pub fn describe(&self, model: &GuardedCommands) -> String {
        let CellRange { low, high } = self.range;
        match self.kind {
            HazardKind::Index(array) => {
                let variable = model.variable(array);
                let (name, length) = (&variable.name, variable.cell_count());
                format!(
                    "the index into `{name}` may be anything from {low} to {high}, \
                     and `{name}` has {length} elements"
                )
            }
            HazardKind::Divisor => {
                format!("the divisor may be anything from {low} to {high}, zero included")
            }
            HazardKind::ShiftCount => {
                format!("the shift count may be anything from {low} to {high}, and 0 to 63 is allowed")
            }
        }
    }
}

/// The first operation, operands before operators, that may have no value if the cells lie in
/// `ranges`. Conditions that guard an operand do not count.
pub fn first_hazard(
    model: &GuardedCommands,
    ranges: &[CellRange],
    expression: &Expression,
) -> Option<Hazard> {
    let range = |operand: &Expression| super::expression_range(model, ranges, operand);
    let mut operands = expression.operands();
    operands
        .find_map(|operand| first_hazard(model, ranges, operand))
        .or_else(|| Hazard::of(model, expression, range))
}

impl Facts<'_> {
    /// Whether the expression may have no value, given what is known.
    pub fn may_err(self, expression: &Expression, known: &Known<'_>) -> bool {
        match expression {
            // The right operand is evaluated only if the left one does not decide.
            Expression::Binary { operator, left, right, .. } if operator.is_logical() => {
                self.may_err(left, known) || {
                    let mut known = known.clone();
                    self.assume(left, *operator != BinaryOperator::Or, &mut known)
                        && self.may_err(right, &known)
                }
            }
            // One branch is evaluated, where the condition has one truth.
            Expression::Conditional { condition, then, otherwise } => {
                let branch_may_err = |branch: &Expression, truth| {
                    let mut known = known.clone();
                    self.assume(condition, truth, &mut known) && self.may_err(branch, &known)
                };
                self.may_err(condition, known)
                    || branch_may_err(then, true)
                    || branch_may_err(otherwise, false)
            }
            _ => {
                expression.operands().any(|operand| self.may_err(operand, known))
                    || Hazard::of(self.model, expression, |operand| self.range(operand, known)).is_some()
            }
        }
    }
}
