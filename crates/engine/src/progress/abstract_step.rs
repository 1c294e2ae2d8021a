//! One action on incomplete knowledge: what the cells can hold after a step, given what some of them hold before it.
//!
//! The knowledge about a value is an interval, and a second interval for its distance from one cell's value before the
//! step, the *origin*. The second one is what proves `x := x + 1` to rise however wide `x` is, and `x < y -> x := y`; for a
//! cell that is fixed to one value before the step the first one is enough. Everything else about a cell is its proved range.
//!
//! The order of events is the interpreter's: locations and guards, effects one after the other (an assignment reads
//! everything before it writes anything), locations last. A step that ends in a run-time error stores nothing, so what is
//! concluded may assume that there is none: an index lies within its array, a divisor is not zero. A queue has room when it
//! is pushed to and a message when it is popped from, which guarded commands promise.

use std::cell::Cell as Counter;

use super::abstract_value::{FAR, Interval, Value, binary, compared, unary, without};
use model::guarded_commands::{
    Action, ActionId, BinaryOperator, Cell, CellId, Effect, Expression, GuardedCommands, Overflow, Place,
    Shape, UnaryOperator, VariableId,
};
use model::state_layout::CellRange;
use model::value_ranges::{
    comparison, elements, expression_range, mentions_array, mentions_cell, proved_ranges,
};

/// The actions of a model, ready to be executed on knowledge, and a limit to the work that this may take.
pub(super) struct StepAnalysis<'m> {
    pub model: &'m GuardedCommands,
    pub proved: Vec<CellRange>,
    /// For each action, the first and last cells of the pieces that it may write.
    writes: Vec<Vec<(u32, u32)>>,
    weights: Vec<u64>,
    work_left: Counter<u64>,
}

impl<'m> StepAnalysis<'m> {
    /// Ready for at most about this many evaluated operators.
    pub fn new(model: &'m GuardedCommands, work: u64) -> Self {
        let proved = proved_ranges(model);
        let writes = model.actions.iter().map(|action| written(model, &proved, action)).collect();
        let weights = model.actions.iter().map(|action| weight(model, action)).collect();
        Self { model, proved, writes, weights, work_left: Counter::new(work) }
    }

    /// Whether the work is still below its limit. Steps beyond it are as good as others, but somebody waits.
    pub fn has_time(&self) -> bool {
        self.work_left.get() > 0
    }

    /// Counts work that is not a step.
    pub fn spend(&self, work: u64) {
        self.work_left.set(self.work_left.get().saturating_sub(work));
    }

    /// Allows at least this much work from now on.
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

    /// What is known when the action is enabled and the cells in `fixed` lie as given; `None` if that cannot be.
    pub fn begin(
        &self,
        action: ActionId,
        fixed: &[(CellId, CellRange)],
        origin: Option<CellId>,
    ) -> Option<Knowledge<'_>> {
        self.spend(self.weights[action.0 as usize]);
        let action = self.model.action(action);
        // Either all participants leave committed locations, or nobody stands in one.
        let kinds = || action.participants.iter().map(|one| self.model.is_committed(one.process, one.from));
        if kinds().any(|kind| kind) && kinds().any(|kind| !kind) {
            return None;
        }
        let mut known = Knowledge {
            model: self.model,
            proved: &self.proved,
            cells: Vec::with_capacity(fixed.len() + action.participants.len() + 4),
            elements: Vec::new(),
            origin: None,
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
        // What a later guard says may make an earlier one say more; where cells are fixed, that is rare.
        for _ in 0..if origin.is_some() { 2 } else { 1 } {
            for guard in action.participants.iter().flat_map(|participant| &participant.guards) {
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
}

/// Where an assignment may go, by the values its index has before anything is written.
enum Target {
    Cell(CellId),
    Element(VariableId, Interval),
}

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
        let value = match expression {
            Expression::Constant(value) => Value::within(Interval::exactly(*value)),
            Expression::Cell(cell) => return self.cell(*cell),
            Expression::Element { array, index, .. } => {
                let cells = elements(self.model, *array, self.value(index).range.range());
                let any = cells.map(|cell| self.cell(cell)).reduce(Value::join);
                let any = any.unwrap_or(Value::within(Interval::exactly(0)));
                let compared = self.elements.iter().find(|(other, _)| *other == expression);
                compared.and_then(|(_, value)| value.meet(any)).unwrap_or(any)
            }
            Expression::Unary(operator, operand) => {
                Value::within(unary(*operator, self.value(operand).range))
            }
            Expression::Binary { operator, left, right, .. } => {
                binary(*operator, self.value(left), self.value(right))
            }
            Expression::Rank(operand, order) => {
                let CellRange { low, high } = self.value(operand).range.range();
                let (low, high) = order.ranks_between(low, high);
                Value::within(CellRange { low, high }.into())
            }
        };
        self.related(value)
    }

    /// The value, with what its range says about its distance and the other way round.
    fn related(&self, value: Value) -> Value {
        let Some((_, origin)) = self.origin else { return value };
        let distance = value.distance.meet(value.range.minus(origin)).unwrap_or(value.distance);
        let range = value.range.meet(origin.plus(distance)).unwrap_or(value.range);
        Value { range, distance }
    }

    /// Notes what is known about a cell from now on.
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
        {
            *range = value.range;
        }
        true
    }

    /// Records that the expression has such a value too; `false` when there is none. Only before anything is written.
    fn narrow(&mut self, expression: &'s Expression, wanted: Value) -> bool {
        let Some(new) = self.value(expression).meet(wanted) else { return false };
        match expression {
            Expression::Cell(cell) => self.narrow_cell(*cell, new),
            Expression::Element { array, index, .. } => {
                let mut cells = elements(self.model, *array, self.value(index).range.range());
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

    /// Narrows what is known by the truth of `expression`; `false` when it cannot have it.
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
                _ => match comparison(*operator, truth) {
                    Some(operator) => self.assume_comparison(operator, left, right),
                    None => self.may_be(expression, truth),
                },
            },
            Expression::Cell(_) | Expression::Element { .. } => {
                let range = self.value(expression).range;
                let zero = Interval::exactly(0);
                self.narrow(expression, Value::within(if truth { without(range, zero) } else { zero }))
            }
            _ => self.may_be(expression, truth),
        }
    }

    /// At least one expression has its truth. If one cannot, the other one has.
    fn assume_either(&mut self, one: (&'s Expression, bool), other: (&'s Expression, bool)) -> bool {
        match (self.may_be(one.0, one.1), self.may_be(other.0, other.1)) {
            (true, true) => true,
            (true, false) => self.assume(one.0, one.1),
            (false, true) => self.assume(other.0, other.1),
            (false, false) => false,
        }
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
        let (left_range, right_range) = compared(operator, a.range, b.range);
        let (left_distance, right_distance) = compared(operator, a.distance, b.distance);
        self.narrow(left, Value { range: left_range, distance: left_distance })
            && self.narrow(right, Value { range: right_range, distance: right_distance })
    }

    /// Executes the action's effects and moves; `false` when that always ends in a run-time error.
    pub fn execute(&mut self, action: &'s Action) -> bool {
        for effect in &action.effects {
            let stored = match effect {
                Effect::Assign(assignments) => {
                    let writes =
                        assignments.iter().map(|one| (self.target(&one.place), self.value(&one.value)));
                    let writes: Vec<(Target, Value)> = writes.collect();
                    writes.into_iter().all(|(target, value)| self.write(target, value))
                }
                Effect::Push { queue, values } => self.push(*queue, values),
                Effect::Pop { queue, places } => self.pop(*queue, places),
            };
            if !stored {
                return false;
            }
        }
        for participant in &action.participants {
            let location = self.model.process(participant.process).location;
            self.write_cell(location, Value::within(Interval::exactly(i64::from(participant.to.0))));
        }
        true
    }

    fn target(&self, place: &Place) -> Target {
        match place {
            Place::Cell(cell) => Target::Cell(*cell),
            Place::Element { array, index, .. } => Target::Element(*array, self.value(index).range),
        }
    }

    fn write(&mut self, target: Target, value: Value) -> bool {
        let (array, index) = match target {
            Target::Cell(cell) => {
                self.write_cell(cell, value);
                return true;
            }
            Target::Element(array, index) => (array, index),
        };
        let mut cells = elements(self.model, array, index.range());
        let Some(first) = cells.next() else { return false };
        match cells.next_back() {
            None => self.write_cell(first, value),
            Some(last) => {
                self.may_overwrite(first, last, |_| true, value);
                self.forget_elements(array);
            }
        }
        true
    }

    fn write_cell(&mut self, cell: CellId, value: Value) {
        let stored = self.stored(cell, value);
        self.set(cell, stored);
        let array = self.model.cells[cell.index()].variable;
        let model = self.model;
        self.elements
            .retain(|(element, _)| !mentions_cell(element, cell) && !mentions_array(model, element, array));
    }

    /// The noted cells from `first` to `last` that `hit` names keep what they hold or hold `value`. For the others the
    /// proved range says it.
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
        self.elements.retain(|(element, _)| !mentions_array(model, element, variable));
    }

    /// What a cell holds after a store of `value`.
    fn stored(&self, cell: CellId, value: Value) -> Value {
        let Cell { declared, overflow, .. } = self.model.cells[cell.index()];
        let whole = Interval::from(CellRange { low: declared.min(), high: declared.max() });
        let value = match (overflow, value.range.meet(whole)) {
            // What does not fit is stored nowhere: the step is an error and leads to no state, or there is no such step.
            (Overflow::IsError | Overflow::IsExcluded, Some(range)) => Value { range, ..value },
            _ => value.wrapped(declared),
        };
        // The range covers what is stored in the midst of a step, too.
        let range = value.range.meet(self.proved[cell.index()].into()).unwrap_or(value.range);
        self.related(Value { range, ..value })
    }

    fn push(&mut self, queue: VariableId, values: &'s [Expression]) -> bool {
        let variable = self.model.variable(queue);
        let Shape::Queue { capacity, .. } = variable.shape else { unreachable!("only queues are pushed to") };
        let length = variable.first_cell;
        let room = Interval { low: 0, high: i128::from(capacity) - 1 };
        let Some(before) = self.cell(length).meet(Value::within(room)) else { return false };
        let CellRange { low, high } = before.range.range();
        let fields = values.len() as u32;
        let message: Vec<Value> = values.iter().map(|value| self.value(value)).collect();
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
        true
    }

    fn pop(&mut self, queue: VariableId, places: &'s [Option<Place>]) -> bool {
        let variable = self.model.variable(queue);
        let (length, fields) = (variable.first_cell, places.len() as u32);
        let last = length.0 + variable.cell_count() as u32 - 1;
        let some = Interval { low: 1, high: FAR };
        let Some(before) = self.cell(length).meet(Value::within(some)) else { return false };
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
        let writes = places.iter().zip(message).filter_map(|(place, value)| Some((place.as_ref()?, value)));
        let writes: Vec<(Target, Value)> = writes.map(|(place, value)| (self.target(place), value)).collect();
        writes.into_iter().all(|(target, value)| self.write(target, value))
    }

    fn lengthen(&mut self, queue: VariableId, length: CellId, before: Value, by: i64) {
        let by = Interval::exactly(by);
        let after = Value { range: before.range.plus(by), distance: before.distance.plus(by) };
        self.set(length, self.related(after));
        self.forget_elements(queue);
    }
}

/// The cells that an action may write, in pieces.
fn written(model: &GuardedCommands, proved: &[CellRange], action: &Action) -> Vec<(u32, u32)> {
    let place = |place: &Place| match place {
        Place::Cell(cell) => Some((cell.0, cell.0)),
        Place::Element { array, index, .. } => {
            let mut cells = elements(model, *array, expression_range(model, proved, index));
            let first = cells.next()?;
            Some((first.0, cells.next_back().unwrap_or(first).0))
        }
    };
    let queue = |queue: VariableId| {
        let variable = model.variable(queue);
        (variable.first_cell.0, variable.first_cell.0 + variable.cell_count() as u32 - 1)
    };
    let mut pieces = Vec::new();
    for effect in &action.effects {
        match effect {
            Effect::Assign(assignments) => {
                pieces.extend(assignments.iter().filter_map(|one| place(&one.place)))
            }
            Effect::Push { queue: variable, .. } => pieces.push(queue(*variable)),
            Effect::Pop { queue: variable, places } => {
                pieces.push(queue(*variable));
                pieces.extend(places.iter().flatten().filter_map(place));
            }
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

/// About how many operators are evaluated when the action is executed.
fn weight(model: &GuardedCommands, action: &Action) -> u64 {
    fn size(model: &GuardedCommands, expression: &Expression) -> u64 {
        match expression {
            Expression::Constant(_) | Expression::Cell(_) => 1,
            // Unknown indices take a look at each element.
            Expression::Element { array, index, .. } => {
                1 + model.variable(*array).cell_count() as u64 + size(model, index)
            }
            Expression::Unary(_, operand) => 1 + size(model, operand),
            Expression::Rank(operand, order) => 1 + order.table().len() as u64 / 8 + size(model, operand),
            Expression::Binary { left, right, .. } => 1 + size(model, left) + size(model, right),
        }
    }
    let place = |place: &Place| match place {
        Place::Cell(_) => 1,
        Place::Element { index, .. } => 1 + size(model, index),
    };
    let effect = |effect: &Effect| match effect {
        Effect::Assign(assignments) => {
            assignments.iter().map(|one| place(&one.place) + size(model, &one.value)).sum::<u64>()
        }
        Effect::Push { values, .. } => 2 + values.iter().map(|value| size(model, value)).sum::<u64>(),
        Effect::Pop { places, .. } => 2 + places.iter().flatten().map(place).sum::<u64>(),
    };
    let guards = action.participants.iter().flat_map(|participant| &participant.guards);
    4 + guards.map(|guard| 2 * size(model, guard)).sum::<u64>()
        + action.effects.iter().map(effect).sum::<u64>()
}
