//! Expressions over the cells of a state, and their structure.
//!
//! A new kind of expression is a variant here, a line in [`Expression::operands`], and its value in
//! [`meaning::evaluate`](crate::meaning::evaluate). Every analysis that only asks what an
//! expression reads walks it with [`Expression::for_each_subexpression`], so none of them lists the
//! variants.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{BinaryOperator, CellId, GuardedCommands, Span, UnaryOperator, VariableId};
use crate::value_order::ValueOrder;

/// An expression over the cells of a state. Arithmetic is on 64-bit integers and wraps around.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expression {
    /// A literal.
    Constant(i64),
    /// The value of a cell.
    Cell(CellId),
    /// An element of an array; an index out of range is a run-time error.
    Element {
        /// A variable of shape [`Shape::Array`](super::Shape::Array).
        array: VariableId,
        /// Which element.
        index: Box<Expression>,
        /// Its range in the source text.
        span: Span,
    },
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator with two operands.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// Evaluated first.
        left: Box<Expression>,
        /// Evaluated second.
        right: Box<Expression>,
        /// Its range in the source text.
        span: Span,
    },
    /// `(condition -> then : otherwise)`: the value of one branch; the other one is not evaluated.
    Conditional {
        /// Evaluated first.
        condition: Box<Expression>,
        /// The value if the condition is true.
        then: Box<Expression>,
        /// The value if it is false.
        otherwise: Box<Expression>,
    },
    /// The rank of the operand's value in an order.
    Rank(Box<Expression>, #[serde(serialize_with = "shared", deserialize_with = "owned")] Arc<ValueOrder>),
}

/// Serialises a value that several expressions share. The feature of serde that does so would apply
/// to every crate of the workspace.
fn shared<S: Serializer>(order: &Arc<ValueOrder>, to: S) -> Result<S::Ok, S::Error> {
    order.serialize(to)
}

/// Deserialises what [`shared`] wrote. Expressions that shared it no longer do.
fn owned<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<ValueOrder>, D::Error> {
    ValueOrder::deserialize(from).map(Arc::new)
}

impl Expression {
    /// `left operator right`, without a range in the source text.
    pub fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Self {
        Self::Binary { operator, left: Box::new(left), right: Box::new(right), span: Span::default() }
    }

    /// `(condition -> then : otherwise)`
    pub fn conditional(condition: Expression, then: Expression, otherwise: Expression) -> Self {
        let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
        Self::Conditional { condition, then, otherwise }
    }

    /// An expression that is true exactly when the cell holds the value.
    pub fn cell_equals(cell: CellId, value: i64) -> Self {
        Self::binary(BinaryOperator::Equal, Self::Cell(cell), Self::Constant(value))
    }

    /// An expression that is true exactly when this one is false.
    pub fn negated(self) -> Self {
        Self::Unary(UnaryOperator::Not, Box::new(self))
    }

    /// The conjunction of `conditions`, evaluated in order; true if there are none.
    pub fn all(conditions: impl IntoIterator<Item = Expression>) -> Self {
        let and = |left, right| Self::binary(BinaryOperator::And, left, right);
        Self::balanced(conditions, and).unwrap_or(Self::Constant(1))
    }

    /// The disjunction of `conditions`, evaluated in order; false if there are none.
    pub fn any(conditions: impl IntoIterator<Item = Expression>) -> Self {
        let or = |left, right| Self::binary(BinaryOperator::Or, left, right);
        Self::balanced(conditions, or).unwrap_or(Self::Constant(0))
    }

    /// Combines the operands of an associative operator into a balanced tree; `None` if there are
    /// none. Every analysis walks expressions recursively, so a chain of thousands of operands
    /// would be too deep.
    pub fn balanced(
        operands: impl IntoIterator<Item = Expression>,
        mut combine: impl FnMut(Expression, Expression) -> Expression,
    ) -> Option<Self> {
        let mut level: Vec<Expression> = operands.into_iter().collect();
        while level.len() > 1 {
            let mut operands = level.into_iter();
            level = Vec::with_capacity(operands.len().div_ceil(2));
            while let Some(left) = operands.next() {
                level.push(match operands.next() {
                    Some(right) => combine(left, right),
                    None => left,
                });
            }
        }
        level.pop()
    }

    /// The direct operands, in the order of their evaluation. Not all need be evaluated.
    pub fn operands(&self) -> impl Iterator<Item = &Expression> {
        let operands = match self {
            Self::Constant(_) | Self::Cell(_) => [None, None, None],
            Self::Element { index: operand, .. } | Self::Unary(_, operand) | Self::Rank(operand, _) => {
                [Some(&**operand), None, None]
            }
            Self::Binary { left, right, .. } => [Some(&**left), Some(&**right), None],
            Self::Conditional { condition, then, otherwise } => {
                [Some(&**condition), Some(&**then), Some(&**otherwise)]
            }
        };
        operands.into_iter().flatten()
    }

    /// The direct operands, to be changed.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        let operands = match self {
            Self::Constant(_) | Self::Cell(_) => [None, None, None],
            Self::Element { index: operand, .. } | Self::Unary(_, operand) | Self::Rank(operand, _) => {
                [Some(&mut **operand), None, None]
            }
            Self::Binary { left, right, .. } => [Some(&mut **left), Some(&mut **right), None],
            Self::Conditional { condition, then, otherwise } => {
                [Some(&mut **condition), Some(&mut **then), Some(&mut **otherwise)]
            }
        };
        operands.into_iter().flatten()
    }

    /// The same expression without ranges in the source text, so that equal conditions compare equal.
    pub fn without_spans(mut self) -> Self {
        self.clear_spans();
        self
    }

    fn clear_spans(&mut self) {
        if let Self::Element { span, .. } | Self::Binary { span, .. } = self {
            *span = Span::default();
        }
        self.operands_mut().for_each(Self::clear_spans);
    }

    /// Calls `visit` with this expression and every expression inside it, operators before
    /// operands.
    pub fn for_each_subexpression<'e>(&'e self, visit: &mut impl FnMut(&'e Expression)) {
        visit(self);
        self.operands().for_each(|operand| operand.for_each_subexpression(visit));
    }

    /// Whether `test` is true of this expression or of an expression inside it.
    pub fn has_subexpression(&self, test: &mut impl FnMut(&Expression) -> bool) -> bool {
        test(self) || self.operands().any(|operand| operand.has_subexpression(test))
    }

    /// The number of operators and operands.
    pub fn size(&self) -> usize {
        1 + self.operands().map(Self::size).sum::<usize>()
    }

    /// Whether the expression reads the variable, by an index or by naming one of its cells.
    pub fn reads_variable(&self, model: &GuardedCommands, variable: VariableId) -> bool {
        self.has_subexpression(&mut |one| match one {
            Self::Cell(cell) => model.cells[cell.index()].variable == variable,
            Self::Element { array, .. } => *array == variable,
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarded_commands::{IntegerType, Shape};

    fn depth(expression: &Expression) -> usize {
        1 + expression.operands().map(depth).max().unwrap_or(0)
    }

    #[test]
    fn a_long_conjunction_is_shallow_and_keeps_its_order() {
        let conjunction = Expression::all((0..1000).map(|cell| Expression::Cell(CellId(cell))));
        let mut order = Vec::new();
        conjunction.for_each_subexpression(&mut |one| {
            if let Expression::Cell(cell) = one {
                order.push(cell.0);
            }
        });
        assert_eq!(order, (0..1000).collect::<Vec<u32>>());
        assert_eq!((depth(&conjunction), conjunction.size()), (11, 1999));
        assert_eq!(Expression::all([]), Expression::Constant(1));
        assert_eq!(Expression::any([]), Expression::Constant(0));
    }

    #[test]
    fn an_index_is_part_of_what_an_expression_reads() {
        let mut model = GuardedCommands::default();
        let byte = IntegerType::BYTE;
        let index = model.add_variable("i", None, Shape::Scalar(byte), &[], Span::default());
        let other = model.add_variable("j", None, Shape::Scalar(byte), &[], Span::default());
        let shape = Shape::Array { element: byte, length: 2 };
        let array = model.add_variable("a", None, shape, &[], Span::default());
        let cell = Box::new(Expression::Cell(model.variable(index).first_cell));
        let element = Expression::Element { array, index: cell, span: Span::default() };
        let negative = Expression::Unary(UnaryOperator::Negate, Box::new(element));
        assert!(negative.reads_variable(&model, index) && negative.reads_variable(&model, array));
        assert!(!negative.reads_variable(&model, other));
    }
}
