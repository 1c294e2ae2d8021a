//! One action on incomplete knowledge: what the cells can hold after a step, given what some of
//! them hold before it.
//!
//! The knowledge about a value is an interval, and a second interval for its distance from one
//! cell's value before the step, the *origin*. The second one proves that `x := x + 1` increases
//! however wide `x` is, and `x < y -> x := y`. For a cell that is fixed to one value before the
//! step, the first one is enough. Everything else about a cell is its proved range.
//!
//! The order of events is that of [`model::meaning`]: guards, effects one after the other
//! (an assignment reads everything before it writes anything), locations last. A step that ends in
//! a run-time error stores nothing, so the analysis may assume that there is none: an index lies
//! within its array, a divisor is not zero. Guarded commands promise that a queue is not full when
//! a message is pushed, and not empty when one is popped.

use std::cell::Cell as Counter;
use std::convert::Infallible;

use super::abstract_value::{Value, binary};
use model::guarded_commands::{
    Action, ActionId, BinaryOperator, Cell, CellId, Effect, Expression, GuardedCommands, LocationId,
    Overflow, ProcessId, Shape, Span, Target, UnaryOperator, VariableId,
};
use model::interval::{self, CellRange, Interval};
use model::meaning::{self, Destination, Requirement, StateDomain, ValueDomain};
use model::value_order::ValueOrder;
use model::value_ranges::{expression_range, proved_ranges};

/// The actions of a model, ready for abstract execution, with a limit on the work.
pub(super) struct StepAnalysis<'m> {
    pub model: &'m GuardedCommands,
    pub proved: Vec<CellRange>,
    /// For each action, the first and last cells of the pieces that it may write.
    writes: Vec<Vec<(u32, u32)>>,
    weights: Vec<u64>,
    work_left: Counter<u64>,
}

impl<'m> StepAnalysis<'m> {
    /// An analysis that evaluates at most about this many operators.
    pub fn new(model: &'m GuardedCommands, work: u64) -> Self {
        let proved = proved_ranges(model);
        let writes = model.actions.iter().map(|action| written(model, &proved, action)).collect();
        let weights = model.actions.iter().map(|action| weight(model, action)).collect();
        Self { model, proved, writes, weights, work_left: Counter::new(work) }
    }

    /// Whether the work is still below its limit. Later steps are as sound as others, but take too
    /// long.
    pub fn has_time(&self) -> bool {
        self.work_left.get() > 0
    }

    /// Counts work that is not a step.
    pub fn spend(&self, work: u64) {
        self.work_left.set(self.work_left.get().saturating_sub(work));
    }

    /// Raises the rest of the limit to at least this much work.
    pub fn grant(&self, work: u64) {
        self.work_left.set(self.work_left.get().max(work));
    }

    /// Whether the action may write a cell of this piece.
    pub fn may_write(&self, action: ActionId, (first, last): (u32, u32)) -> bool {
        self.writes[action.0 as usize].iter().any(|piece| piece.0 <= last && first <= piece.1)
    }

    /// The actions that may write the cell, in order.
    pub fn writers(&self, cell: CellId) -> Vec<ActionId> {
        let actions = (0..self.model.actions.len() as u32).map(ActionId);
        actions.filter(|action| self.may_write(*action, (cell.0, cell.0))).collect()
    }

    /// The cells that the action may write, in order.
    pub fn written_cells(&self, action: ActionId) -> Vec<CellId> {
        let pieces = self.writes[action.0 as usize].iter();
        let mut cells: Vec<CellId> = pieces.flat_map(|(first, last)| (*first..=*last).map(CellId)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The knowledge when the action is enabled and the cells in `fixed` lie as given; `None` if
    /// that is impossible.
    pub fn begin(
        &self,
        action: ActionId,
        fixed: &[(CellId, CellRange)],
        origin: Option<CellId>,
    ) -> Option<Knowledge<'_>> {
        self.spend(self.weights[action.0 as usize]);
        let action = self.model.action(action);
        self.model.priority(action)?;
        let mut known = Knowledge {
            model: self.model,
            proved: &self.proved,
            cells: Vec::with_capacity(fixed.len() + action.participants.len() + 4),
            elements: Vec::new(),
            origin: None,
            has_begun: false,
        };
        for (cell, range) in fixed {
            if !known.narrow_cell(*cell, Value::within((*range).into())) {
                return None;
            }
        }
        if let Some(cell) = origin {
            let Value { range, .. } = known.cell(cell);
            known.origin = Some((cell, range));
            known.set(cell, Value { range, distance: Interval::exactly(0) });
        }
        for participant in &action.participants {
            let location = self.model.process(participant.process).location;
            let from = Interval::exactly(i64::from(participant.from.0));
            if !known.narrow_cell(location, Value::within(from)) {
                return None;
            }
        }
        // A later guard may narrow what an earlier one says; if cells are fixed, that is rare.
        for _ in 0..if origin.is_some() { 2 } else { 1 } {
            for guard in action.guards() {
                if !known.assume(guard, true) {
                    return None;
                }
            }
        }
        Some(known)
    }
}

/// What is known about the cells at some point of a step.
#[derive(Clone)]
pub(super) struct Knowledge<'s> {
    model: &'s GuardedCommands,
    proved: &'s [CellRange],
    /// Cells about which more is known than their proved range.
    cells: Vec<(CellId, Value)>,
    /// Elements with an unknown index that guards compared.
    elements: Vec<(&'s Expression, Value)>,
    /// The cell from whose value before the step distances are measured, and that value.
    origin: Option<(CellId, Interval)>,
    /// Whether effects may have written cells, so that conditions no longer speak of the origin.
    has_begun: bool,
}

/// The step always ends in a run-time error or is never enabled, so that it has no successor.
pub(super) struct NoSuccessor;

impl<'s> Knowledge<'s> {
    /// What is known about a cell.
    pub fn cell(&self, cell: CellId) -> Value {
        let noted = self.cells.iter().find(|(other, _)| *other == cell);
        let value =
            noted.map_or_else(|| Value::within(self.proved[cell.index()].into()), |(_, value)| *value);
        self.related(value)
    }

    /// What is known about the value of an expression, if it has one.
    pub fn value(&self, expression: &Expression) -> Value {
        let Ok(value) = meaning::evaluate(self, expression);
        value
    }

    /// The value, with its range and its distance narrowed by each other.
    fn related(&self, value: Value) -> Value {
        let Some((_, origin)) = self.origin else { return value };
        let distance = value.distance.meet(value.range.minus(origin)).unwrap_or(value.distance);
        let range = value.range.meet(origin.plus(distance)).unwrap_or(value.range);
        Value { range, distance }
    }

    /// Replaces the knowledge about a cell.
    fn set(&mut self, cell: CellId, value: Value) {
        match self.cells.iter_mut().find(|(other, _)| *other == cell) {
            Some((_, old)) => *old = value,
            None => self.cells.push((cell, value)),
        }
    }

    fn narrow_cell(&mut self, cell: CellId, wanted: Value) -> bool {
        let Some(value) = self.cell(cell).meet(wanted) else { return false };
        self.set(cell, value);
        if let Some((origin, range)) = &mut self.origin
            && *origin == cell
            && !self.has_begun
        {
            *range = value.range;
        }
        true
    }

    /// Notes that the expression has such a value too; `false` if it cannot.
    fn narrow(&mut self, expression: &'s Expression, wanted: Value) -> bool {
        let Some(new) = self.value(expression).meet(wanted) else { return false };
        match expression {
            Expression::Cell(cell) => self.narrow_cell(*cell, new),
            Expression::Element { array, index, .. } => {
                let mut cells = self.model.elements(*array, self.value(index).range.range());
                match (cells.next(), cells.next()) {
                    (Some(cell), None) => self.narrow_cell(cell, new),
                    _ => {
                        self.elements.retain(|(other, _)| *other != expression);
                        self.elements.push((expression, new));
                        true
                    }
                }
            }
            Expression::Binary { operator, left, right, .. } => {
                let (a, b) = (self.value(left).range, self.value(right).range);
                let (to_left, to_right) = match operator {
                    BinaryOperator::Add if a.plus(b).fits_a_word() => {
                        (new.range.minus(b), new.range.minus(a))
                    }
                    BinaryOperator::Subtract if a.minus(b).fits_a_word() => {
                        (new.range.plus(b), a.minus(new.range))
                    }
                    _ => return true,
                };
                self.narrow(left, Value::within(to_left)) && self.narrow(right, Value::within(to_right))
            }
            _ => true,
        }
    }

    /// Narrows the knowledge by the truth of `expression`; `false` if it cannot have that truth.
    fn assume(&mut self, expression: &'s Expression, truth: bool) -> bool {
        use BinaryOperator as Op;
        match expression {
            Expression::Unary(UnaryOperator::Not, operand) => self.assume(operand, !truth),
            Expression::Binary { operator, left, right, .. } => match (operator, truth) {
                (Op::And, true) => self.assume(left, true) && self.assume(right, true),
                (Op::Or, false) => self.assume(left, false) && self.assume(right, false),
                (Op::Imply, false) => self.assume(left, true) && self.assume(right, false),
                (Op::And, false) => self.assume_either((left, false), (right, false)),
                (Op::Or, true) => self.assume_either((left, true), (right, true)),
                (Op::Imply, true) => self.assume_either((left, false), (right, true)),
                _ => match operator.comparison(truth) {
                    Some(operator) => self.assume_comparison(operator, left, right),
                    None => self.may_be(expression, truth),
                },
            },
            Expression::Conditional { condition, then, otherwise } => {
                match (
                    self.may_be_both((condition, true), (then, truth)),
                    self.may_be_both((condition, false), (otherwise, truth)),
                ) {
                    (true, true) => true,
                    (true, false) => self.assume(condition, true) && self.assume(then, truth),
                    (false, true) => self.assume(condition, false) && self.assume(otherwise, truth),
                    (false, false) => false,
                }
            }
            Expression::Cell(_) | Expression::Element { .. } => {
                let range = self.value(expression).range;
                let zero = Interval::exactly(0);
                self.narrow(expression, Value::within(if truth { range.without(zero) } else { zero }))
            }
            _ => self.may_be(expression, truth),
        }
    }

    /// Assumes that at least one expression has its truth. If one cannot, the other one has.
    fn assume_either(&mut self, one: (&'s Expression, bool), other: (&'s Expression, bool)) -> bool {
        match (self.may_be(one.0, one.1), self.may_be(other.0, other.1)) {
            (true, true) => true,
            (true, false) => self.assume(one.0, one.1),
            (false, true) => self.assume(other.0, other.1),
            (false, false) => false,
        }
    }

    fn may_be_both(&self, one: (&Expression, bool), other: (&Expression, bool)) -> bool {
        self.may_be(one.0, one.1) && self.may_be(other.0, other.1)
    }

    fn may_be(&self, expression: &Expression, truth: bool) -> bool {
        let Interval { low, high } = self.value(expression).range;
        if truth { (low, high) != (0, 0) } else { low <= 0 && high >= 0 }
    }

    fn assume_comparison(
        &mut self,
        operator: BinaryOperator,
        left: &'s Expression,
        right: &'s Expression,
    ) -> bool {
        let (a, b) = (self.value(left), self.value(right));
        let (left_range, right_range) = Interval::compared(operator, a.range, b.range);
        let (left_distance, right_distance) = Interval::compared(operator, a.distance, b.distance);
        self.narrow(left, Value { range: left_range, distance: left_distance })
            && self.narrow(right, Value { range: right_range, distance: right_distance })
    }

    /// Executes the action's effects and moves; `false` if that never leads to a state.
    pub fn execute(&mut self, action: &'s Action) -> bool {
        self.has_begun = true;
        meaning::execute(self, action).is_ok()
    }

    fn write_cell(&mut self, cell: CellId, value: Value) {
        let stored = self.stored(cell, value);
        self.set(cell, stored);
        self.forget_elements(self.model.cells[cell.index()].variable);
    }

    /// The noted cells from `first` to `last` that `hit` selects keep their values or take `value`.
    /// For the others the proved range holds.
    fn may_overwrite(&mut self, first: CellId, last: CellId, hit: impl Fn(CellId) -> bool, value: Value) {
        for place in 0..self.cells.len() {
            let (cell, old) = self.cells[place];
            if first <= cell && cell <= last && hit(cell) {
                self.cells[place].1 = self.related(old).join(self.stored(cell, value));
            }
        }
    }

    fn forget_elements(&mut self, variable: VariableId) {
        let model = self.model;
        self.elements.retain(|(element, _)| !element.reads_variable(model, variable));
    }

    /// The value of a cell after a store of `value`.
    fn stored(&self, cell: CellId, value: Value) -> Value {
        let Cell { declared, overflow, .. } = self.model.cells[cell.index()];
        let whole = Interval::from(declared.range());
        let value = match (overflow, value.range.meet(whole)) {
            // What does not fit is stored nowhere: the step is an error and leads to no state, or
            // there is no such step.
            (Overflow::IsError | Overflow::IsExcluded, Some(range)) => Value { range, ..value },
            _ => value.wrapped(declared),
        };
        // The range covers what is stored in the midst of a step, too.
        let range = value.range.meet(self.proved[cell.index()].into()).unwrap_or(value.range);
        self.related(Value { range, ..value })
    }

    fn lengthen(&mut self, queue: VariableId, length: CellId, before: Value, by: i64) {
        let by = Interval::exactly(by);
        let after = Value { range: before.range.plus(by), distance: before.distance.plus(by) };
        self.set(length, self.related(after));
        self.forget_elements(queue);
    }
}

impl ValueDomain for Knowledge<'_> {
    type Value = Value;
    type Error = Infallible;

    fn constant(&self, value: i64) -> Value {
        self.related(Value::within(Interval::exactly(value)))
    }

    fn cell(&self, cell: CellId) -> Value {
        self.cell(cell)
    }

    fn element(
        &self,
        expression: &Expression,
        array: VariableId,
        index: Value,
        _: Span,
    ) -> Result<Value, Infallible> {
        let cells = self.model.elements(array, index.range.range());
        let any = cells.map(|cell| self.cell(cell)).reduce(Value::join);
        let any = any.unwrap_or(Value::within(Interval::exactly(0)));
        let compared = self.elements.iter().find(|(other, _)| *other == expression);
        Ok(self.related(compared.and_then(|(_, value)| value.meet(any)).unwrap_or(any)))
    }

    fn unary(&self, operator: UnaryOperator, operand: Value) -> Value {
        self.related(Value::within(interval::unary(operator, operand.range.range()).into()))
    }

    fn binary(
        &self,
        operator: BinaryOperator,
        left: Value,
        right: Value,
        _: Span,
    ) -> Result<Value, Infallible> {
        Ok(self.related(binary(operator, left, right)))
    }

    fn truth(&self, condition: &Value) -> Option<bool> {
        match condition.range {
            Interval { low: 0, high: 0 } => Some(false),
            Interval { low, high } if low > 0 || high < 0 => Some(true),
            _ => None,
        }
    }

    fn conditional(&self, _: Value, then: Value, otherwise: Value) -> Value {
        self.related(then.join(otherwise))
    }

    fn rank(&self, operand: Value, order: &ValueOrder) -> Value {
        let CellRange { low, high } = operand.range.range();
        let (low, high) = order.ranks_between(low, high);
        self.related(Value::within(CellRange { low, high }.into()))
    }
}

impl<'s> StateDomain<'s> for Knowledge<'s> {
    type Value = Value;
    type Destination = Destination<Interval>;
    type Stop = NoSuccessor;

    fn evaluate(&mut self, expression: &Expression) -> Result<Value, NoSuccessor> {
        Ok(self.value(expression))
    }

    fn guard(&mut self, condition: &'s Expression) -> Result<(), NoSuccessor> {
        if self.assume(condition, true) { Ok(()) } else { Err(NoSuccessor) }
    }

    fn fail(&mut self, _: &'s str, _: Span) -> NoSuccessor {
        NoSuccessor
    }

    fn require(&mut self, value: &Value, requirement: Requirement, _: Span) -> Result<(), NoSuccessor> {
        let allowed = requirement.allowed(self.model);
        value.range.meet(allowed.into()).map(|_| ()).ok_or(NoSuccessor)
    }

    fn cell_destination(&mut self, cell: CellId) -> Destination<Interval> {
        Destination::Cell(cell)
    }

    fn element_destination(&mut self, array: VariableId, index: Value) -> Destination<Interval> {
        Destination::Element(array, index.range)
    }

    fn write(&mut self, destination: Destination<Interval>, value: Value) -> Result<(), NoSuccessor> {
        let (array, index) = match destination {
            Destination::Cell(cell) => {
                self.write_cell(cell, value);
                return Ok(());
            }
            Destination::Element(array, index) => (array, index),
        };
        let mut cells = self.model.elements(array, index.range());
        let first = cells.next().ok_or(NoSuccessor)?;
        match cells.next_back() {
            None => self.write_cell(first, value),
            Some(last) => {
                self.may_overwrite(first, last, |_| true, value);
                self.forget_elements(array);
            }
        }
        Ok(())
    }

    fn push(&mut self, queue: VariableId, message: Vec<Value>) -> Result<(), NoSuccessor> {
        let variable = self.model.variable(queue);
        let Shape::Queue { capacity, .. } = variable.shape else { unreachable!("only queues are pushed to") };
        let length = variable.first_cell;
        let not_full = Interval { low: 0, high: i128::from(capacity) - 1 };
        let before = self.cell(length).meet(Value::within(not_full)).ok_or(NoSuccessor)?;
        let CellRange { low, high } = before.range.range();
        let fields = message.len() as u32;
        let cell = |slot: i64, field: u32| CellId(length.0 + 1 + slot as u32 * fields + field);
        for (field, value) in (0..).zip(message) {
            if low == high {
                let stored = self.stored(cell(low, field), value);
                self.set(cell(low, field), stored);
            } else {
                let in_field = |other: CellId| (other.0 - length.0 - 1) % fields == field;
                self.may_overwrite(cell(low, field), cell(high, field), in_field, value);
            }
        }
        self.lengthen(queue, length, before, 1);
        Ok(())
    }

    fn pop(&mut self, queue: VariableId, fields: usize) -> Result<Vec<Value>, NoSuccessor> {
        let variable = self.model.variable(queue);
        let (length, fields) = (variable.first_cell, fields as u32);
        let last = length.0 + variable.cell_count() as u32 - 1;
        let not_empty = Interval { low: 1, high: Interval::FAR };
        let before = self.cell(length).meet(Value::within(not_empty)).ok_or(NoSuccessor)?;
        let message: Vec<Value> = (1..=fields).map(|field| self.cell(CellId(length.0 + field))).collect();
        let moved: Vec<(CellId, Value)> = self
            .cells
            .iter()
            .filter(|(cell, _)| length.0 < cell.0 && cell.0 <= last)
            .map(|(cell, _)| match cell.0 + fields {
                next if next <= last => (*cell, self.cell(CellId(next))),
                _ => (*cell, Value::within(Interval::exactly(0))),
            })
            .collect();
        moved.into_iter().for_each(|(cell, value)| self.set(cell, value));
        self.lengthen(queue, length, before, -1);
        Ok(message)
    }

    fn move_to(&mut self, process: ProcessId, location: LocationId) {
        let cell = self.model.process(process).location;
        self.write_cell(cell, Value::within(Interval::exactly(i64::from(location.0))));
    }
}

/// The cells that an action may write, as first and last cells of contiguous pieces.
fn written(model: &GuardedCommands, proved: &[CellRange], action: &Action) -> Vec<(u32, u32)> {
    let mut pieces = Vec::new();
    for effect in &action.effects {
        for target in effect.targets() {
            match target {
                Target::Cell(cell) => pieces.push((cell.0, cell.0)),
                Target::Element { array, index, .. } => {
                    let mut cells = model.elements(*array, expression_range(model, proved, index));
                    if let Some(first) = cells.next() {
                        pieces.push((first.0, cells.next_back().unwrap_or(first).0));
                    }
                }
            }
        }
        if let Some(queue) = effect.queue() {
            pieces.push(all_cells(model, queue));
        }
    }
    for participant in action.participants.iter().filter(|one| one.from != one.to) {
        let location = model.process(participant.process).location.0;
        pieces.push((location, location));
    }
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

/// The first and the last cell of a variable.
pub(super) fn all_cells(model: &GuardedCommands, variable: VariableId) -> (u32, u32) {
    let variable = model.variable(variable);
    (variable.first_cell.0, variable.first_cell.0 + variable.cell_count() as u32 - 1)
}

/// About how many operators are evaluated when the action is executed.
fn weight(model: &GuardedCommands, action: &Action) -> u64 {
    let size = |expression: &Expression| {
        let mut size = 0;
        expression.for_each_subexpression(&mut |one| {
            size += match one {
                // An unknown index reads each element.
                Expression::Element { array, .. } => 1 + model.variable(*array).cell_count() as u64,
                Expression::Rank(_, order) => 1 + order.table().len() as u64 / 8,
                _ => 1,
            }
        });
        size
    };
    let effect = |effect: &Effect| {
        let indices = effect.targets().map(|target| 1 + target.index().map_or(0, size)).sum::<u64>();
        let queue = effect.queue().map_or(0, |_| 2);
        queue + indices + effect.values().map(size).sum::<u64>()
    };
    4 + action.guards().map(|guard| 2 * size(guard)).sum::<u64>()
        + action.effects.iter().map(effect).sum::<u64>()
}
