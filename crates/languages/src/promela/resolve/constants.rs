//! Values that are known before the run: lengths, capacities, widths, priorities.
//!
//! SPIN takes expressions of numbers, and as the length of an array also a variable with a constant
//! initial value, with a warning. Messages are numbers, so they are constants, too.

use model::guarded_commands::Span;

use super::super::program::{self, Initial};
use super::super::syntax::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
use super::names::{Named, Names};
use super::scopes::Scope;
use super::types::Shape;
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};

/// The longest array.
pub(super) const LONGEST_ARRAY: u32 = 65_536;

/// The largest capacity of a channel, and the most processes, as in SPIN.
pub(super) const LARGEST_BYTE: u32 = 255;

/// The value of a unary operator, as C computes it on `int`.
pub(super) fn unary(operator: UnaryOperator, operand: i64) -> i64 {
    let operand = operand as i32;
    i64::from(match operator {
        UnaryOperator::Not => i32::from(operand == 0),
        UnaryOperator::Negate => operand.wrapping_neg(),
        UnaryOperator::Complement => !operand,
    })
}

/// The value of a binary operator, as C computes it on `int`, if it is defined.
pub(super) fn binary(operator: BinaryOperator, left: i64, right: i64) -> Option<i64> {
    let (left, right) = (left as i32, right as i32);
    let shift = u32::try_from(right).ok().filter(|shift| *shift < 32);
    Some(i64::from(match operator {
        BinaryOperator::Or => i32::from(left != 0 || right != 0),
        BinaryOperator::And => i32::from(left != 0 && right != 0),
        BinaryOperator::BitOr => left | right,
        BinaryOperator::BitXor => left ^ right,
        BinaryOperator::BitAnd => left & right,
        BinaryOperator::Equal => i32::from(left == right),
        BinaryOperator::NotEqual => i32::from(left != right),
        BinaryOperator::Less => i32::from(left < right),
        BinaryOperator::LessOrEqual => i32::from(left <= right),
        BinaryOperator::Greater => i32::from(left > right),
        BinaryOperator::GreaterOrEqual => i32::from(left >= right),
        BinaryOperator::ShiftLeft => left.wrapping_shl(shift?),
        BinaryOperator::ShiftRight => left.wrapping_shr(shift?),
        BinaryOperator::Add => left.wrapping_add(right),
        BinaryOperator::Subtract => left.wrapping_sub(right),
        BinaryOperator::Multiply => left.wrapping_mul(right),
        BinaryOperator::Divide if right != 0 => left.wrapping_div(right),
        BinaryOperator::Remainder if right != 0 => left.wrapping_rem(right),
        BinaryOperator::Divide | BinaryOperator::Remainder => return None,
    }))
}

/// An expression with its constant parts computed.
pub(super) fn folded(expression: program::Expression) -> program::Expression {
    use program::ExpressionKind as Kind;
    let span = expression.span;
    let kind = match expression.kind {
        Kind::Unary(operator, operand) => {
            let operand = folded(*operand);
            match operand.kind {
                Kind::Number(value) => Kind::Number(unary(operator, value)),
                _ => Kind::Unary(operator, Box::new(operand)),
            }
        }
        Kind::Binary(operator, left, right) => {
            let (left, right) = (folded(*left), folded(*right));
            let known = match (&left.kind, &right.kind) {
                (Kind::Number(left), Kind::Number(right)) => binary(operator, *left, *right),
                _ => None,
            };
            match known {
                Some(value) => Kind::Number(value),
                None => Kind::Binary(operator, Box::new(left), Box::new(right)),
            }
        }
        other => other,
    };
    program::Expression::new(kind, span)
}

/// Computes constants at one place of the text.
pub(super) struct Constants<'a, 'file> {
    pub(super) names: &'a Names<'file>,
    pub(super) scope: &'a Scope<'file>,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl Constants<'_, '_> {
    /// A constant from `least` to `most`. `what` begins the error: "the length of an array".
    pub(super) fn size(
        &mut self,
        expression: &Expression,
        least: u32,
        most: u32,
        what: &str,
    ) -> Checked<u32> {
        let value = self.value(expression)?;
        if let (true, Ok(size)) =
            ((i64::from(least)..=i64::from(most)).contains(&value), u32::try_from(value))
        {
            return Ok(size);
        }
        let message = format!("{what} must be {least} to {most}, and this is {value}");
        let error = Diagnostic::error(codes::BAD_SIZE, expression.span, message, "outside of the limits");
        Err(self.diagnostics.report(error))
    }

    pub(super) fn value(&mut self, expression: &Expression) -> Checked<i64> {
        match &expression.kind {
            ExpressionKind::Number(value) => Ok(*value),
            ExpressionKind::Unary(operator, operand) => Ok(unary(*operator, self.value(operand)?)),
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                let value = binary(*operator, left?, right?);
                value.ok_or_else(|| {
                    self.not_constant(expression.span, "this operation has no value", "undefined")
                })
            }
            ExpressionKind::Reference(reference) => match reference.parts.as_slice() {
                [part] if part.index.is_none() => self.named(&part.name.text, expression.span),
                _ => Err(self.depends(expression.span)),
            },
            _ => Err(self.depends(expression.span)),
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Checked<i64> {
        let variable = match self.names.find(name, self.scope) {
            Some(Named::Message(value)) => return Ok(value),
            Some(Named::Variable(variable)) => variable?,
            None => return Err(self.names.unknown(name, span, self.scope, self.diagnostics)),
        };
        let leaf = self.names.global_leaf(variable).filter(|_| variable.length.is_none());
        let initial = match (leaf.map(|leaf| &leaf.initial), variable.shape) {
            (Some(Initial::Value(value)), Shape::Leaf(_)) => match value.kind {
                program::ExpressionKind::Number(value) => Some(value),
                _ => None,
            },
            _ => None,
        };
        let Some(value) = initial else { return Err(self.depends(span)) };
        let message = format!("the variable `{name}` gives a size; its initial value {value} counts");
        let warning = Diagnostic::warning(codes::VARIABLE_AS_SIZE, span, message, "not constant");
        self.diagnostics
            .warn_once(warning.help(format!("write `#define {name} {value}` instead of a variable")));
        Ok(value)
    }

    fn depends(&mut self, span: Span) -> Reported {
        self.not_constant(span, "this must be constant, and it depends on the state", "not constant")
    }

    fn not_constant(&mut self, span: Span, message: &str, label: &str) -> Reported {
        let error = Diagnostic::error(codes::NOT_CONSTANT, span, message, label);
        self.diagnostics.report(error.help("use numbers, `#define`d if they have a name"))
    }
}
