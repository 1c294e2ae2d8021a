//! Orders of values in progress measures: `order(x: 0 < 1, 2 < 5)`.
//!
//! The operand is any expression, and values are numbers or names of constants. If the operand is
//! only the name of a process, values are the names of its locations, or their numbers. In a state
//! space most locations have a number as their name, as in `space.100`; a name takes precedence
//! over a number. To use numbers only, write `(P)`, which is an ordinary expression.

use std::collections::BTreeSet;

use model::guarded_commands::Expression;
use model::value_order::{ValueOrder, WIDEST_ORDER};

use super::resolve::Resolver;
use super::syntax::{self, ExpressionKind, Name, OrderValue, Rank};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::lowering::fold;
use crate::names::ProcessNames;

impl<'names> Resolver<'names, '_> {
    /// Resolves an order to the rank of its operand's value.
    pub(super) fn rank(&mut self, rank: &Rank<'_>) -> Checked<Expression> {
        let operand = self.expression(&rank.operand);
        let process = self.ranked_process(rank);
        let mut known = BTreeSet::new();
        let mut classes: Vec<Checked<Vec<i64>>> = Vec::with_capacity(rank.classes.len());
        for class in &rank.classes {
            let values: Vec<Checked<i64>> =
                class.iter().map(|value| self.order_value(value, process, &mut known)).collect();
            classes.push(values.into_iter().collect());
        }
        let (operand, classes) = (operand?, classes.into_iter().collect::<Checked<Vec<_>>>()?);
        match ValueOrder::new(&classes) {
            Some(order) => Ok(fold::rank(operand, order)),
            None => {
                let message = format!("the values of this order are {WIDEST_ORDER} or more apart");
                let error = Diagnostic::error(codes::ORDER_TOO_WIDE, rank.span, message, "too far apart");
                let help =
                    "values that are not named rank above all others, so the last ones can be left out";
                Err(self.diagnostics.report(error.help(help)))
            }
        }
    }

    /// The process whose locations are ordered, if the operand is one.
    fn ranked_process<'text>(&self, rank: &Rank<'text>) -> Option<(Name<'text>, &'names ProcessNames)> {
        let name = rank.alone?;
        let process = match rank.operand.kind {
            ExpressionKind::Process(_) => self.names.processes.get(name.text),
            _ => self.bare(name),
        };
        Some((name, process?))
    }

    /// The number of a value, which must not be among the `known` ones.
    fn order_value(
        &mut self,
        value: &OrderValue<'_>,
        process: Option<(Name<'_>, &ProcessNames)>,
        known: &mut BTreeSet<i64>,
    ) -> Checked<i64> {
        let number = match (process, value.number) {
            (Some((name, names)), number) => self.ordered_location(name, names, value.name, number)?,
            (None, Some(number)) => number,
            (None, None) => {
                let kind = ExpressionKind::Variable { name: value.name, index: None };
                self.constant(&syntax::Expression { kind, span: value.name.span, depth: 1 })?
            }
        };
        if known.insert(number) {
            return Ok(number);
        }
        let message = format!("the order names `{}` twice", value.name.text);
        let error =
            Diagnostic::error(codes::VALUE_ORDERED_TWICE, value.name.span, message, "has a rank already");
        Err(self.diagnostics.report(error.help("a value has one rank: keep it in one place")))
    }

    /// The number of a location that is given by its name or its number.
    fn ordered_location(
        &mut self,
        process: Name<'_>,
        known: &ProcessNames,
        name: Name<'_>,
        number: Option<i64>,
    ) -> Checked<i64> {
        let count = known.locations.len();
        match number {
            Some(number) if !known.locations.contains_key(name.text) => {
                if usize::try_from(number).is_ok_and(|number| number < count) {
                    return Ok(number);
                }
                let message = format!("process `{}` has no state {number}", process.text);
                let error = Diagnostic::error(codes::UNKNOWN_LOCATION, name.span, message, "unknown state");
                let help = format!("its states have the numbers 0 to {}", count.saturating_sub(1));
                Err(self.diagnostics.report(error.help(help)))
            }
            _ => Ok(i64::from(self.location(process, known, name)?.0)),
        }
    }
}
