//! Expressions: from Promela to guarded commands.
//!
//! Promela computes with 32-bit integers, guarded commands with 64-bit ones. Each value carries a
//! range, and is cut only where the range leaves 32 bits. Constant parts are computed at once, with
//! `_pid` as a constant of its slot, so that most indices are known.
//!
//! A [`View`] says from where a state is seen. Inside of an atomic sequence, the locations of the
//! processes that have moved are known and not yet in the state.

use model::guarded_commands::{
    BinaryOperator as Ir, CellId, Expression as Value, IntegerType, Shape, Span, Target,
    UnaryOperator as IrUnary, VariableId,
};

use super::super::graph::LocationNumber;
use super::super::program::{Expression, ExpressionKind, LeafId, Place};
use super::super::syntax::{BinaryOperator, UnaryOperator};
use super::Lowering;
use super::known::is_truth;
use super::system::{Channel, Storage};
use crate::lowering::fold;

/// Who reads a state, and what is known of it.
#[derive(Clone, Copy, Default)]
pub(super) struct View<'v> {
    /// The process whose names are meant; `None` for claims and properties.
    pub(super) slot: Option<usize>,
    /// Processes that have moved in this step, with their locations; `None` if they are gone.
    pub(super) moved: &'v [(usize, Option<LocationNumber>)],
    /// Whether `timeout` is known to be false: a process has control, or the question is whether any
    /// process can move without it.
    pub(super) no_timeout: bool,
    /// The pid of the process that this statement has created.
    pub(super) created: Option<u32>,
    /// The number of processes, where it is known.
    pub(super) count: Option<u32>,
}

/// A value with bounds.
#[derive(Clone, Debug)]
pub(super) struct Bounded {
    pub(super) value: Value,
    low: i64,
    high: i64,
}

const INT: IntegerType = IntegerType { bits: 32, signed: true };

impl Bounded {
    fn new(value: Value, low: i64, high: i64) -> Self {
        Self { value, low, high }
    }

    /// A value that is known to be in a range.
    pub(super) fn within(value: Value, low: i64, high: i64) -> Self {
        Self::new(value, low, high)
    }

    fn constant(value: i64) -> Self {
        Self::new(Value::Constant(value), value, value)
    }

    fn truth(value: Value) -> Self {
        match value {
            Value::Constant(value) => Self::constant(i64::from(value != 0)),
            value => Self::new(value, 0, 1),
        }
    }

    fn of_type(value: Value, kind: IntegerType) -> Self {
        Self::new(value, kind.min(), kind.max())
    }

    /// The value as a variable of this type would hold it.
    pub(super) fn cut(self, kind: IntegerType) -> Self {
        if self.low >= kind.min() && self.high <= kind.max() {
            return self;
        }
        if let Value::Constant(value) = self.value {
            return Self::constant(kind.wrap(value));
        }
        let binary = |operator, left, right: i64| {
            fold::binary(operator, left, Value::Constant(right), Span::default())
        };
        let value = if kind.signed {
            let unused = 64 - i64::from(kind.bits);
            binary(Ir::ShiftRight, binary(Ir::ShiftLeft, self.value, unused), unused)
        } else {
            binary(Ir::BitAnd, self.value, kind.max())
        };
        Self::of_type(value, kind)
    }
}

/// `a && b`, without what is known.
pub(super) fn and(conditions: impl IntoIterator<Item = Value>) -> Value {
    let mut kept = Vec::new();
    for condition in conditions {
        match condition {
            Value::Constant(0) => return Value::Constant(0),
            Value::Constant(_) => {}
            other => kept.push(other),
        }
    }
    fold::all(kept)
}

/// `a || b`, without what is known.
pub(super) fn or(conditions: impl IntoIterator<Item = Value>) -> Value {
    let mut kept = Vec::new();
    for condition in conditions {
        match condition {
            Value::Constant(0) => {}
            Value::Constant(_) => return Value::Constant(1),
            other => kept.push(other),
        }
    }
    fold::any(kept)
}

/// `!a`
pub(super) fn not(condition: Value) -> Value {
    match condition {
        Value::Unary(IrUnary::Not, inner) if is_truth(&inner) => *inner,
        other => fold::unary(IrUnary::Not, other),
    }
}

pub(super) fn equal(left: Value, right: Value) -> Value {
    fold::binary(Ir::Equal, left, right, Span::default())
}

pub(super) fn compare(operator: Ir, left: Value, right: i64) -> Value {
    fold::binary(operator, left, Value::Constant(right), Span::default())
}

fn conditional(condition: Value, then: Value, otherwise: Value) -> Value {
    match condition {
        Value::Constant(0) => otherwise,
        Value::Constant(_) => then,
        condition => Value::Conditional {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        },
    }
}

impl Lowering<'_, '_> {
    /// The value of an expression.
    pub(super) fn value(&self, expression: &Expression, view: View<'_>) -> Value {
        self.bounded(expression, view).value
    }

    /// The value of an expression, with bounds.
    pub(super) fn bounded(&self, expression: &Expression, view: View<'_>) -> Bounded {
        let span = expression.span;
        let truth = Bounded::truth;
        match &expression.kind {
            ExpressionKind::Number(value) => Bounded::constant(*value),
            ExpressionKind::Read(place) => self.read(place, view),
            ExpressionKind::Unary(operator, operand) => self.unary(*operator, self.bounded(operand, view)),
            ExpressionKind::Binary(operator, left, right) => {
                self.binary(*operator, self.bounded(left, view), self.bounded(right, view), span)
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                let condition = self.value(condition, view);
                let (then, otherwise) = (self.bounded(then, view), self.bounded(otherwise, view));
                let (low, high) = (then.low.min(otherwise.low), then.high.max(otherwise.high));
                Bounded::new(conditional(condition, then.value, otherwise.value), low, high)
            }
            ExpressionKind::Timeout if view.no_timeout => Bounded::constant(0),
            ExpressionKind::Timeout => truth(self.timeout()),
            ExpressionKind::NonProgress => truth(self.non_progress(view)),
            ExpressionKind::Pid => {
                Bounded::constant(view.slot.map_or(0, |slot| i64::from(self.system.slots[slot].pid)))
            }
            ExpressionKind::ProcessCount => match view.count {
                Some(count) => Bounded::constant(i64::from(count)),
                None => Bounded::new(Value::Cell(self.system.count), 0, 255),
            },
            ExpressionKind::Last => {
                self.system.last.map_or(Bounded::constant(0), |last| Bounded::new(Value::Cell(last), 0, 255))
            }
            ExpressionKind::OwnPriority => {
                let cell = view.slot.and_then(|slot| self.system.slots[slot].priority);
                cell.map_or(Bounded::constant(1), |cell| Bounded::new(Value::Cell(cell), 0, 255))
            }
            ExpressionKind::Created => Bounded::constant(view.created.map_or(0, i64::from)),
            ExpressionKind::Length(channel) => self.length(channel, view),
            ExpressionKind::Empty(channel) => truth(compare(Ir::Equal, self.length(channel, view).value, 0)),
            ExpressionKind::NonEmpty(channel) => {
                truth(compare(Ir::Greater, self.length(channel, view).value, 0))
            }
            ExpressionKind::Full(channel) => truth(self.is_full(channel, view)),
            ExpressionKind::NonFull(channel) => truth(not(self.is_full(channel, view))),
            ExpressionKind::Poll { channel, any, arguments } => {
                truth(self.has_message(channel, *any, arguments, view))
            }
            ExpressionKind::Enabled(pid) => {
                let pid = self.value(pid, view);
                let slots = 0..self.system.slots.len();
                truth(or(slots.map(|slot| {
                    let number = i64::from(self.system.slots[slot].pid);
                    and([compare(Ir::Equal, pid.clone(), number), self.can_move(slot, true)])
                })))
            }
            ExpressionKind::ProgramCounter(pid) => {
                let pid = self.value(pid, view);
                let by_slot = self.system.slots.iter().rev().fold(Value::Constant(0), |rest, slot| {
                    let is_meant = compare(Ir::Equal, pid.clone(), i64::from(slot.pid));
                    let here = Value::Cell(slot.location);
                    let exists = compare(Ir::NotEqual, here.clone(), 0);
                    conditional(and([is_meant, exists]), here, rest)
                });
                Bounded::new(by_slot, 0, i64::from(u16::MAX))
            }
            ExpressionKind::Priority(pid) => {
                let pid = self.value(pid, view);
                let by_slot = self.system.slots.iter().rev().fold(Value::Constant(0), |rest, slot| {
                    let is_meant = compare(Ir::Equal, pid.clone(), i64::from(slot.pid));
                    let exists = compare(Ir::NotEqual, Value::Cell(slot.location), 0);
                    let priority = slot.priority.map_or(Value::Constant(1), Value::Cell);
                    conditional(and([is_meant, exists]), priority, rest)
                });
                Bounded::new(by_slot, 0, 255)
            }
            ExpressionKind::RemoteLocation { proctype, pid, label } => {
                let pid = pid.as_ref().map(|pid| self.value(pid, view));
                let Some(location) = self.system.graphs[proctype.0].labels.get(label.as_str()) else {
                    return Bounded::constant(0);
                };
                let slots = (0..self.system.slots.len())
                    .filter(|slot| self.system.slots[*slot].proctype == proctype.0);
                truth(or(slots.map(|slot| {
                    let number = i64::from(self.system.slots[slot].pid);
                    let is_meant =
                        pid.clone().map_or(Value::Constant(1), |pid| compare(Ir::Equal, pid, number));
                    and([is_meant, self.at(slot, *location, view)])
                })))
            }
            ExpressionKind::RemoteVariable { proctype, pid, local, indices } => {
                let pid = pid.as_ref().map(|pid| self.value(pid, view));
                let mut value = Bounded::constant(0);
                for slot in (0..self.system.slots.len()).rev() {
                    if self.system.slots[slot].proctype != proctype.0 {
                        continue;
                    }
                    let leaf = self.system.leaf(LeafId::Local(*local), Some(slot));
                    let storage = self.system.slots[slot].locals[*local];
                    let element = self.element_index(&leaf.dimensions, indices, view);
                    let read = self.read_element(storage, leaf.kind.integer(), element, span);
                    let number = i64::from(self.system.slots[slot].pid);
                    let exists = compare(Ir::NotEqual, Value::Cell(self.system.slots[slot].location), 0);
                    let is_meant = pid.clone().map_or(exists, |pid| compare(Ir::Equal, pid, number));
                    let (low, high) = (value.low.min(read.low), value.high.max(read.high));
                    value = Bounded::new(conditional(is_meant, read.value, value.value), low, high);
                }
                value
            }
        }
    }

    /// Whether a process is at a location of its graph.
    pub(super) fn at(&self, slot: usize, location: LocationNumber, view: View<'_>) -> Value {
        if let Some((_, now)) = view.moved.iter().rev().find(|(moved, _)| *moved == slot) {
            return Value::Constant(i64::from(*now == Some(location)));
        }
        match self.system.visible(slot, location) {
            Some(number) => Value::cell_equals(self.system.slots[slot].location, i64::from(number)),
            None => Value::Constant(0),
        }
    }

    /// `np_`: no process is at a progress label.
    fn non_progress(&self, view: View<'_>) -> Value {
        let mut at_progress = Vec::new();
        for slot in 0..self.system.slots.len() {
            for (number, location) in self.system.graph(slot).locations.iter().enumerate() {
                if location.labels.iter().any(|label| label.starts_with("progress")) {
                    at_progress.push(self.at(slot, number, view));
                }
            }
        }
        not(or(at_progress))
    }

    /// The value of a variable.
    fn read(&self, place: &Place, view: View<'_>) -> Bounded {
        let leaf = self.system.leaf(place.leaf, view.slot);
        let element = self.element_index(&leaf.dimensions, &place.indices, view);
        let storage = self.system.storage(place.leaf, view.slot);
        self.read_element(storage, leaf.kind.integer(), element, place.span)
    }

    fn read_element(
        &self,
        storage: Storage,
        kind: IntegerType,
        element: Option<Value>,
        span: Span,
    ) -> Bounded {
        match storage {
            Storage::Channels(first) => {
                let first = Value::Constant(Channel::number(first));
                let number = match element {
                    Some(element) => fold::binary(Ir::Add, first, element, span),
                    None => first,
                };
                match number {
                    Value::Constant(number) => Bounded::constant(number),
                    number => Bounded::of_type(number, kind),
                }
            }
            Storage::Variable(variable) => {
                let value = match self.cell_of(variable, element.as_ref()) {
                    Some(cell) => Value::Cell(cell),
                    None => Value::Element {
                        array: variable,
                        index: Box::new(element.unwrap_or(Value::Constant(0))),
                        span,
                    },
                };
                Bounded::of_type(value, kind)
            }
        }
    }

    /// The cell of an element, if its index is known and in range.
    fn cell_of(&self, variable: VariableId, element: Option<&Value>) -> Option<CellId> {
        let variable = self.system.commands.variable(variable);
        let first = variable.first_cell;
        match (&variable.shape, element) {
            (Shape::Array { length, .. }, Some(Value::Constant(index))) => {
                let index = u32::try_from(*index).ok().filter(|index| index < length)?;
                Some(CellId(first.0 + index))
            }
            (Shape::Array { .. }, _) => None,
            _ => Some(first),
        }
    }

    /// The number of an element in the order of memory; `None` for a scalar. An index that is out of
    /// range makes the number negative, so that using it is a run-time error.
    pub(super) fn element_index(
        &self,
        dimensions: &[u32],
        indices: &[Expression],
        view: View<'_>,
    ) -> Option<Value> {
        let mut whole: Option<Value> = None;
        for (length, index) in dimensions.iter().zip(indices) {
            let index = self.value(index, view);
            let length = i64::from(*length);
            whole = Some(match whole {
                None => index,
                Some(outer) => {
                    let before = fold::binary(Ir::Multiply, outer, Value::Constant(length), Span::default());
                    let sum = fold::binary(Ir::Add, before, index.clone(), Span::default());
                    let is_in_range = and([
                        compare(Ir::GreaterOrEqual, index.clone(), 0),
                        compare(Ir::Less, index, length),
                    ]);
                    conditional(is_in_range, sum, Value::Constant(-1))
                }
            });
        }
        whole
    }

    /// Where an assignment goes.
    pub(super) fn target(&self, place: &Place, view: View<'_>) -> Target {
        let leaf = self.system.leaf(place.leaf, view.slot);
        let Storage::Variable(variable) = self.system.storage(place.leaf, view.slot) else {
            unreachable!("what is assigned to is a variable")
        };
        let element = self.element_index(&leaf.dimensions, &place.indices, view);
        match self.cell_of(variable, element.as_ref()) {
            Some(cell) => Target::Cell(cell),
            None => Target::Element {
                array: variable,
                index: element.unwrap_or(Value::Constant(0)),
                span: place.span,
            },
        }
    }

    fn unary(&self, operator: UnaryOperator, operand: Bounded) -> Bounded {
        match operator {
            UnaryOperator::Not => Bounded::truth(not(operand.value)),
            UnaryOperator::Negate => {
                let (low, high) = (-operand.high, -operand.low);
                Bounded::new(fold::unary(IrUnary::Negate, operand.value), low, high).cut(INT)
            }
            UnaryOperator::Complement => {
                let (low, high) = (!operand.high, !operand.low);
                Bounded::new(fold::unary(IrUnary::Complement, operand.value), low, high).cut(INT)
            }
        }
    }

    fn binary(&self, operator: BinaryOperator, left: Bounded, right: Bounded, span: Span) -> Bounded {
        let comparison =
            |operator| Bounded::truth(fold::binary(operator, left.value.clone(), right.value.clone(), span));
        match operator {
            BinaryOperator::Or => return comparison(Ir::Or),
            BinaryOperator::And => return comparison(Ir::And),
            BinaryOperator::Equal => return comparison(Ir::Equal),
            BinaryOperator::NotEqual => return comparison(Ir::NotEqual),
            BinaryOperator::Less => return comparison(Ir::Less),
            BinaryOperator::LessOrEqual => return comparison(Ir::LessOrEqual),
            BinaryOperator::Greater => return comparison(Ir::Greater),
            BinaryOperator::GreaterOrEqual => return comparison(Ir::GreaterOrEqual),
            _ => {}
        }
        let products =
            [left.low * right.low, left.low * right.high, left.high * right.low, left.high * right.high];
        // All values of operands that are not negative stay below the next power of two.
        let is_natural = left.low >= 0 && right.low >= 0;
        let below = |value: i64| (1_i64 << (64 - value.leading_zeros())) - 1;
        let bits = if is_natural { (0, below(left.high.max(right.high))) } else { (INT.min(), INT.max()) };
        let largest = left.low.abs().max(left.high.abs());
        let (operator, right, (low, high)) = match operator {
            BinaryOperator::Add => {
                let bounds = (left.low + right.low, left.high + right.high);
                (Ir::Add, right, bounds)
            }
            BinaryOperator::Subtract => {
                let bounds = (left.low - right.high, left.high - right.low);
                (Ir::Subtract, right, bounds)
            }
            BinaryOperator::Multiply => {
                let low = products.into_iter().min().unwrap_or(0);
                let high = products.into_iter().max().unwrap_or(0);
                (Ir::Multiply, right, (low, high))
            }
            BinaryOperator::Divide => (Ir::Divide, right, (-largest, largest)),
            BinaryOperator::Remainder => {
                let low = if left.low < 0 { -largest } else { 0 };
                (Ir::Remainder, right, (low, largest))
            }
            BinaryOperator::BitAnd => (Ir::BitAnd, right, bits),
            BinaryOperator::BitOr => (Ir::BitOr, right, bits),
            BinaryOperator::BitXor => (Ir::BitXor, right, bits),
            BinaryOperator::ShiftLeft => {
                // The processor uses five bits of the count.
                let count = masked_count(right);
                (Ir::ShiftLeft, count, (i64::MIN, i64::MAX))
            }
            BinaryOperator::ShiftRight => {
                let count = masked_count(right);
                (Ir::ShiftRight, count, (left.low.min(0), left.high.max(0)))
            }
            _ => unreachable!("comparisons and logical operators were handled"),
        };
        let value = fold::binary(operator, left.value, right.value, span);
        match value {
            Value::Constant(value) => Bounded::constant(INT.wrap(value)),
            value => Bounded::new(value, low, high).cut(INT),
        }
    }
}

fn masked_count(count: Bounded) -> Bounded {
    if count.low >= 0 && count.high <= 31 {
        return count;
    }
    Bounded::new(fold::binary(Ir::BitAnd, count.value, Value::Constant(31), Span::default()), 0, 31)
}
