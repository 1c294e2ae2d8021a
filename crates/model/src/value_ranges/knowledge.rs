//! Expressions on intervals, and what a condition says about the cells that it compares.
//!
//! The range of a cell holds for the whole run. While one action is analysed more is known: its
//! guards compared some cells and array elements, and its effects wrote some.

use std::convert::Infallible;

use crate::guarded_commands::{
    BinaryOperator, CellId, Expression, GuardedCommands, Span, UnaryOperator, VariableId,
};
use crate::interval::{self, CellRange, Interval};
use crate::meaning::{ValueDomain, evaluate};
use crate::value_order::ValueOrder;

/// The ranges of all cells.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub model: &'a GuardedCommands,
    pub ranges: &'a [CellRange],
}

/// What is known while one action runs: the cells it tested or wrote, and array elements it
/// compared. The last entry of a cell or an element counts.
#[derive(Clone, Default)]
pub(super) struct Known<'e> {
    cells: Vec<(CellId, CellRange)>,
    elements: Vec<(&'e Expression, CellRange)>,
}

impl Known<'_> {
    /// Notes the range of a cell.
    pub fn set_cell(&mut self, cell: CellId, range: CellRange) {
        self.cells.push((cell, range));
    }

    /// Drops what is known about the cells that `is_changed` names.
    pub fn forget_cells(&mut self, is_changed: impl Fn(CellId) -> bool) {
        self.cells.retain(|(cell, _)| !is_changed(*cell));
    }

    /// Drops the elements that depend on a variable.
    pub fn forget_elements(&mut self, model: &GuardedCommands, variable: VariableId) {
        self.elements.retain(|(element, _)| !element.reads_variable(model, variable));
    }
}

/// The domain of intervals.
struct Intervals<'a> {
    facts: Facts<'a>,
    known: &'a Known<'a>,
}

impl ValueDomain for Intervals<'_> {
    type Value = CellRange;
    type Error = Infallible;

    fn constant(&self, value: i64) -> CellRange {
        CellRange::exactly(value)
    }

    fn cell(&self, cell: CellId) -> CellRange {
        let noted = self.known.cells.iter().rev().find(|(other, _)| *other == cell);
        noted.map_or(self.facts.ranges[cell.index()], |(_, range)| *range)
    }

    fn element(
        &self,
        expression: &Expression,
        array: VariableId,
        index: CellRange,
        _: Span,
    ) -> Result<CellRange, Infallible> {
        let compared = self.known.elements.iter().rev().find(|(other, _)| *other == expression);
        if let Some((_, range)) = compared {
            return Ok(*range);
        }
        let elements = self.facts.model.elements(array, index).map(|cell| self.cell(cell));
        Ok(elements.reduce(CellRange::join).unwrap_or(CellRange::exactly(0)))
    }

    fn unary(&self, operator: UnaryOperator, operand: CellRange) -> CellRange {
        interval::unary(operator, operand)
    }

    fn binary(
        &self,
        operator: BinaryOperator,
        left: CellRange,
        right: CellRange,
        _: Span,
    ) -> Result<CellRange, Infallible> {
        Ok(interval::binary(operator, left, right))
    }

    fn truth(&self, condition: &CellRange) -> Option<bool> {
        match (condition.may_be(true), condition.may_be(false)) {
            (true, true) => None,
            (truth, _) => Some(truth),
        }
    }

    fn conditional(&self, _: CellRange, then: CellRange, otherwise: CellRange) -> CellRange {
        then.join(otherwise)
    }

    fn rank(&self, operand: CellRange, order: &ValueOrder) -> CellRange {
        let (low, high) = order.ranks_between(operand.low, operand.high);
        CellRange { low, high }
    }
}

impl Facts<'_> {
    /// The values of an expression.
    pub fn range(self, expression: &Expression, known: &Known<'_>) -> CellRange {
        // Each branch has its values where the condition has one truth.
        if let Expression::Conditional { condition, then, otherwise } = expression {
            let of_branch = |branch: &Expression, truth| {
                let mut known = known.clone();
                self.assume(condition, truth, &mut known).then(|| self.range(branch, &known))
            };
            let branches = [of_branch(then, true), of_branch(otherwise, false)];
            return branches.into_iter().flatten().reduce(CellRange::join).unwrap_or(CellRange::exactly(0));
        }
        let Ok(range) = evaluate(&Intervals { facts: self, known }, expression);
        range
    }

    /// Narrows what is known by the truth of `expression`; `false` if it cannot have that truth.
    pub fn assume<'e>(self, expression: &'e Expression, truth: bool, known: &mut Known<'e>) -> bool {
        match expression {
            Expression::Unary(UnaryOperator::Not, operand) => self.assume(operand, !truth, known),
            Expression::Binary { operator, left, right, .. } => match (operator, truth) {
                (BinaryOperator::And, true) => {
                    self.assume(left, true, known) && self.assume(right, true, known)
                }
                (BinaryOperator::Or, false) => {
                    self.assume(left, false, known) && self.assume(right, false, known)
                }
                (BinaryOperator::Imply, false) => {
                    self.assume(left, true, known) && self.assume(right, false, known)
                }
                _ => match operator.comparison(truth) {
                    Some(comparison) => self.assume_comparison(comparison, left, right, known),
                    None => self.range(expression, known).may_be(truth),
                },
            },
            Expression::Conditional { condition, then, otherwise } => {
                let [mut one, mut other] = [known.clone(), known.clone()];
                let may_be_one = self.assume(condition, true, &mut one) && self.assume(then, truth, &mut one);
                let may_be_other =
                    self.assume(condition, false, &mut other) && self.assume(otherwise, truth, &mut other);
                match (may_be_one, may_be_other) {
                    (true, false) => *known = one,
                    (false, true) => *known = other,
                    _ => {}
                }
                may_be_one || may_be_other
            }
            Expression::Cell(_) | Expression::Element { .. } if !truth => {
                self.narrow(expression, CellRange::exactly(0), known)
            }
            _ => self.range(expression, known).may_be(truth),
        }
    }

    fn assume_comparison<'e>(
        self,
        operator: BinaryOperator,
        left: &'e Expression,
        right: &'e Expression,
        known: &mut Known<'e>,
    ) -> bool {
        let (a, b) = (self.range(left, known), self.range(right, known));
        let (new_a, new_b) = Interval::compared(operator, a.into(), b.into());
        self.narrow(left, new_a.range(), known) && self.narrow(right, new_b.range(), known)
    }

    /// Notes that the expression lies in `range` too; `false` if it cannot.
    fn narrow<'e>(self, expression: &'e Expression, range: CellRange, known: &mut Known<'e>) -> bool {
        let Some(new) = self.range(expression, known).meet(range) else { return false };
        match expression {
            Expression::Cell(cell) => known.cells.push((*cell, new)),
            Expression::Element { .. } => known.elements.push((expression, new)),
            _ => {}
        }
        true
    }
}
