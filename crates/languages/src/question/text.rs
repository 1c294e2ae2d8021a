//! Expressions as text, in the syntax of progress measures.
//!
//! The text reads back as the same expression, apart from spans, with constant parts computed.
//! Names are qualified (`process P`, `channel c[0]`) only where another name hides them, and
//! parentheses appear only where the parser would group otherwise.
//!
//! Three expressions have no text, and no user needs them: one deeper than the parser allows, an
//! order with the least 64-bit number as a value, and an order with an empty class, which is
//! omitted. A conditional expression, which only models have, is written as `(c -> a : b)` and is
//! not read back.

use model::guarded_commands::{
    BinaryOperator, CellId, Expression, GuardedCommands, Process, Shape, UnaryOperator, Variable,
};
use model::measure::MeasureKind;
use model::value_order::ValueOrder;

use super::parse::expression::{TIGHTEST, spelling};
use super::queue_cells::LENGTH;
use super::tokens::is_name;
use crate::names::Names;

/// Approximate number of characters of a component in a summary.
const SUMMARY: usize = 40;

/// Writes a measure that reads back as these components.
pub(crate) fn measure(
    commands: &GuardedCommands,
    names: &Names,
    components: &[Expression],
    kind: MeasureKind,
) -> String {
    let writer = Writer { commands, names };
    list(components.iter().map(|component| writer.text(component)).collect(), kind)
}

/// Writes a measure to be recognised by people: long components are cut.
pub(crate) fn summary(commands: &GuardedCommands, names: &Names, components: &[Expression]) -> String {
    let writer = Writer { commands, names };
    list(components.iter().map(|component| writer.summary(component)).collect(), MeasureKind::Lexicographic)
}

fn list(mut components: Vec<String>, kind: MeasureKind) -> String {
    match components.as_mut_slice() {
        [only] => std::mem::take(only),
        _ if kind == MeasureKind::Product => format!("[{}]", components.join(", ")),
        _ => format!("({})", components.join(", ")),
    }
}

struct Writer<'m> {
    commands: &'m GuardedCommands,
    names: &'m Names,
}

impl<'m> Writer<'m> {
    fn text(&self, expression: &Expression) -> String {
        let mut text = String::new();
        self.expression(expression, 0, &mut text);
        text
    }

    /// Appends an expression, in parentheses if its operator is weaker than `weakest`.
    fn expression(&self, expression: &Expression, weakest: u8, text: &mut String) {
        match expression {
            Expression::Constant(value) => text.push_str(&constant(*value)),
            Expression::Cell(cell) => text.push_str(&self.cell(*cell)),
            Expression::Element { array, index, .. } => {
                text.push_str(&self.variable(self.commands.variable(*array)));
                text.push('[');
                self.expression(index, 0, text);
                text.push(']');
            }
            Expression::Unary(operator, operand) => {
                text.push(match operator {
                    UnaryOperator::Negate => '-',
                    UnaryOperator::Complement => '~',
                    UnaryOperator::Not => '!',
                });
                self.expression(operand, TIGHTEST, text);
            }
            Expression::Binary { operator, left, right, .. } => {
                if let Some(test) = self.location_test(*operator, left, right) {
                    text.push_str(&test);
                    return;
                }
                let (strength, spelling) = spelling(*operator);
                let (open, close) = if strength < weakest { ("(", ")") } else { ("", "") };
                text.push_str(open);
                self.expression(left, strength, text);
                text.push_str(&format!(" {spelling} "));
                // Operators of equal strength group to the left.
                self.expression(right, strength + 1, text);
                text.push_str(close);
            }
            Expression::Conditional { condition, then, otherwise } => {
                for (before, operand) in [("(", condition), (" -> ", then), (" : ", otherwise)] {
                    text.push_str(before);
                    self.expression(operand, 0, text);
                }
                text.push(')');
            }
            Expression::Rank(operand, order) => {
                let Rank { opening, classes } = self.rank(operand, order);
                let classes: Vec<String> = classes.iter().map(|class| class.join(", ")).collect();
                text.push_str(&format!("{opening}{})", classes.join(" < ")));
            }
        }
    }

    /// `P.s`, which is a comparison in guarded commands.
    fn location_test(
        &self,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
    ) -> Option<String> {
        let (BinaryOperator::Equal, Expression::Cell(cell), Expression::Constant(value)) =
            (operator, left, right)
        else {
            return None;
        };
        let process = self.process_at(*cell)?;
        Some(self.names.syntax.location(&process.name, &location_name(process, *value)?))
    }

    /// The text that reads back as this cell.
    fn cell(&self, cell: CellId) -> String {
        let variable = self.commands.variable(self.commands.cells[cell.index()].variable);
        let offset = cell.0 - variable.first_cell.0;
        let name = self.variable(variable);
        match &variable.shape {
            Shape::Scalar(_) | Shape::Location(_) => name,
            Shape::Array { .. } => format!("{name}[{offset}]"),
            Shape::Queue { .. } if offset == 0 => format!("{name}.{LENGTH}"),
            Shape::Queue { fields, .. } => {
                let (place, parts) = (offset as usize - 1, fields.len());
                let part = if parts > 1 { format!(".{}", place % parts) } else { String::new() };
                format!("{name}[{}]{part}", place / parts)
            }
        }
    }

    /// The name of a variable as seen from outside of all processes.
    fn variable(&self, variable: &Variable) -> String {
        let name = &variable.name;
        let is_variable = self.names.globals.contains_key(name);
        let is_process = self.names.processes.contains_key(name);
        match (&variable.shape, variable.process) {
            (Shape::Location(_), _) if is_variable => format!("process {name}"),
            (Shape::Location(_), _) => name.clone(),
            (Shape::Queue { .. }, _) if is_variable || is_process => format!("channel {name}"),
            // Names that are no words are quoted.
            (_, None) if !is_name(name) => format!("\"{name}\""),
            (_, None) => name.clone(),
            (_, Some(process)) => self.names.syntax.variable(&self.commands.process(process).name, name),
        }
    }

    /// The process whose location this cell holds.
    fn process_at(&self, cell: CellId) -> Option<&'m Process> {
        match self.commands.variable(self.commands.cells[cell.index()].variable).shape {
            Shape::Location(process) => Some(self.commands.process(process)),
            _ => None,
        }
    }

    fn rank(&self, operand: &Expression, order: &ValueOrder) -> Rank {
        let classes = order.classes();
        let process = match operand {
            Expression::Cell(cell) => self.process_at(*cell),
            _ => None,
        };
        let operand = self.text(operand);
        let in_words = |name: &dyn Fn(i64) -> Option<String>| -> Option<Vec<Vec<String>>> {
            let classes = classes.iter().filter(|class| !class.is_empty());
            classes.map(|class| class.iter().map(|value| name(*value)).collect()).collect()
        };
        let named = process.and_then(|process| in_words(&|value| location_name(process, value)));
        let (operand, classes) = match (named, process) {
            (Some(classes), _) => (operand, Some(classes)),
            // After a process in parentheses, values are numbers and never names.
            (None, Some(_)) => (format!("({operand})"), in_words(&|value| Some(value.to_string()))),
            (None, None) => (operand, in_words(&|value| Some(value.to_string()))),
        };
        Rank { opening: format!("order({operand}: "), classes: classes.unwrap_or_default() }
    }

    /// A component in about [`SUMMARY`] characters. An order loses its last values, other
    /// components their end.
    fn summary(&self, component: &Expression) -> String {
        let text = self.text(component);
        if text.chars().count() <= SUMMARY {
            return text;
        }
        if let Expression::Rank(operand, order) = component
            && let Some(text) = self.rank(operand, order).summary()
        {
            return text;
        }
        text.chars().take(SUMMARY - 1).chain(['…']).collect()
    }
}

/// The text of an order.
struct Rank {
    /// The text before the values.
    opening: String,
    classes: Vec<Vec<String>>,
}

impl Rank {
    /// The first values and an ellipsis, if any value fits.
    fn summary(&self) -> Option<String> {
        let mut text = self.opening.clone();
        let mut fitting = None;
        for class in &self.classes {
            for (place, value) in class.iter().enumerate() {
                text.push_str(value);
                let between = if place + 1 < class.len() { ", " } else { " < " };
                let cut = format!("{text}{between}…)");
                if cut.chars().count() > SUMMARY {
                    return fitting;
                }
                fitting = Some(cut);
                text.push_str(between);
            }
        }
        fitting
    }
}

/// The name of a location, if the parser reads it as one.
fn location_name(process: &Process, number: i64) -> Option<String> {
    let name = &process.locations.get(usize::try_from(number).ok()?)?.name;
    let is_number = || name.bytes().all(|byte| byte.is_ascii_digit()) && name.parse::<i64>().is_ok();
    (is_name(name) || is_number()).then(|| name.clone())
}

/// The text of a number. The parser reads the sign as an operator, and the least number has no
/// positive counterpart.
fn constant(value: i64) -> String {
    if value == i64::MIN { format!("(-{} - 1)", i64::MAX) } else { value.to_string() }
}
