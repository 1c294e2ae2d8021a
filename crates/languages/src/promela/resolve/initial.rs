//! Initial values.

use super::super::program::{Expression, ExpressionKind, Initial, LeafKind};
use super::super::syntax::{self, Declarator};
use super::constants::folded;
use super::expressions::Expressions;
use super::types::{Shape, stored_kind};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};

impl Expressions<'_, '_> {
    /// The initial value of a variable that is no channel with a buffer of its own.
    pub(super) fn initial(
        &mut self,
        declarator: &Declarator,
        shape: Shape,
        length: Option<u32>,
    ) -> Checked<Initial> {
        let name = &declarator.name;
        let Some(initial) = &declarator.initial else {
            return Ok(Initial::Value(Expression::number(0, name.span)));
        };
        let Shape::Leaf(kind) = shape else {
            // SPIN accepts it, and published models have it.
            let message = format!("the initial value of the structure `{}` is ignored", name.text);
            let label = "a structure";
            let warning = Diagnostic::warning(codes::IGNORED_INITIAL_VALUE, declarator.span, message, label);
            self.diagnostics.warn(warning.help("give the fields their values in the `typedef`"));
            return Ok(Initial::Value(Expression::number(0, name.span)));
        };
        let kind = stored_kind(kind, length);
        match initial {
            syntax::Initial::Value(value) => {
                let value = self.condition(value)?;
                Ok(Initial::Value(self.stored(value, kind, declarator)))
            }
            syntax::Initial::List(values) => {
                let Some(length) = length else {
                    return self.misfit(declarator, "a list is the initial value of a single variable");
                };
                if let Some(surplus) = values.get(length as usize) {
                    let message = format!("{} initial values for {length} elements", values.len());
                    let label = "ignored from here on";
                    let warning =
                        Diagnostic::warning(codes::SURPLUS_INITIAL_VALUES, surplus.span, message, label);
                    self.diagnostics.warn(warning);
                }
                let mut stored = Vec::new();
                for value in values.iter().take(length as usize) {
                    let value = self.condition(value)?;
                    stored.push(self.stored(value, kind, declarator));
                }
                Ok(Initial::List(stored))
            }
            syntax::Initial::Channel { .. } => {
                self.misfit(declarator, "a variable that is no channel is initialised as one")
            }
        }
    }

    fn misfit(&mut self, declarator: &Declarator, message: &str) -> Checked<Initial> {
        let label = format!("does not fit `{}`", declarator.name.text);
        let error = Diagnostic::error(codes::BAD_INITIAL_VALUE, declarator.span, message, label);
        let help = "a variable takes `= 1`, an array of three also `= {1, 2, 3}`, \
                    a channel `= [2] of { byte }`";
        Err(self.diagnostics.report(error.help(help)))
    }

    /// Folds an initial value, and warns if its type cannot hold it.
    fn stored(&mut self, value: Expression, kind: LeafKind, declarator: &Declarator) -> Expression {
        let value = folded(value);
        let integer = kind.integer();
        if let ExpressionKind::Number(number) = value.kind
            && !integer.contains(number)
        {
            let stored = integer.wrap(number);
            let (least, most) = (integer.min(), integer.max());
            let message = format!("the initial value {number} does not fit and becomes {stored}");
            let label = format!("`{}` holds {least} to {most}", declarator.name.text);
            let warning = Diagnostic::warning(codes::INITIAL_VALUE_WRAPS, value.span, message, label);
            self.diagnostics.warn(warning);
            return Expression::number(stored, value.span);
        }
        value
    }
}
