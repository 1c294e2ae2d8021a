//! The footprint of an action: for each cell, the range that the action requires, whether it reads
//! the cell, and how it changes it.
//!
//! Most accesses are simple: a guard requires a cell to lie in an interval, an effect adds a
//! constant or sets one. For these it can be computed whether two actions interfere, and which
//! actions can make a guard true. A location is such a cell: a participant requires one number and
//! adds the difference. So is a place of a Petri net. Every other access is "reads it" and "may
//! write anything".
//!
//! Proved ranges sharpen this. An interval that covers all values of a cell is no test, and setting
//! a cell whose value is known is adding to it.
//!
//! A guard between effects is like any other if no effect before it writes what it reads. Otherwise
//! it depends on everything that the action has read so far.
//!
//! Committed and intermediate locations are implicit guards: an action from lesser locations
//! requires all other processes to be outside of them. Each process that has some of one kind gets an
//! extra cell after those of the model, which is 1 while the process is in one.

use std::collections::BTreeMap;

use model::guarded_commands::{
    Action, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, LocationKind, Overflow,
    Participant, Process, ProcessId, Target, UnaryOperator, VariableId,
};
use model::interval::CellRange;
use model::value_ranges::{Doubts, expression_range};

/// How an action changes a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The action does not change it.
    None,
    /// The action adds this constant, and the sum never leaves the type.
    Add(i64),
    /// The action sets it to this constant.
    Set(i64),
    /// The action changes it in some other way.
    Any,
}

/// How an action uses a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The range of the cell whenever the action is enabled, within its proved range before and
    /// after.
    pub wanted: CellRange,
    /// Whether the guards narrow the proved range.
    pub is_test: bool,
    /// Whether the action depends on the cell in any other way.
    pub is_read: bool,
    /// The change of the cell.
    pub change: Change,
}

impl Access {
    fn new(proved: CellRange) -> Self {
        Self { wanted: proved, is_test: false, is_read: false, change: Change::None }
    }

    /// Whether the cell may have another value afterwards.
    pub fn writes(&self) -> bool {
        self.change != Change::None
    }

    /// Whether the action can move the cell into the range from outside.
    pub fn can_enter(&self, range: CellRange) -> bool {
        let before = |low: i64, high: i64| low.max(self.wanted.low) <= high.min(self.wanted.high);
        match self.change {
            Change::None => false,
            Change::Any => true,
            Change::Set(value) => range.contains(value),
            Change::Add(more) if more > 0 => {
                range.low != i64::MIN && before(range.low.saturating_sub(more), range.low - 1)
            }
            Change::Add(less) => {
                range.high != i64::MAX && before(range.high + 1, range.high.saturating_sub(less))
            }
        }
    }

    /// Whether the action can move the cell out of the range.
    pub fn can_leave(&self, range: CellRange) -> bool {
        let (low, high) = (range.low.max(self.wanted.low), range.high.min(self.wanted.high));
        match self.change {
            Change::None => false,
            Change::Any => true,
            Change::Set(value) => low <= high && !range.contains(value),
            Change::Add(change) => {
                low <= high && (!range.contains(sum(low, change)) || !range.contains(sum(high, change)))
            }
        }
    }

    /// Whether both actions can be enabled in one state, judged by this cell alone.
    pub fn is_compatible(&self, other: &Self) -> bool {
        self.wanted.meet(other.wanted).is_some()
    }

    /// Whether the actions are independent at this cell where both are enabled: neither changes
    /// what the other one depends on, and their changes commute.
    pub fn accords(&self, other: &Self) -> bool {
        let commute = match (self.change, other.change) {
            (Change::None, _) | (_, Change::None) | (Change::Add(_), Change::Add(_)) => true,
            (Change::Set(one), Change::Set(another)) => one == another,
            _ => false,
        };
        commute && self.leaves_alone(other) && other.leaves_alone(self)
    }

    /// Whether the other action is enabled and has the same effect after this one.
    fn leaves_alone(&self, other: &Self) -> bool {
        if !self.writes() {
            return true;
        }
        let both = CellRange {
            low: self.wanted.low.max(other.wanted.low),
            high: self.wanted.high.min(other.wanted.high),
        };
        !other.is_read && (!other.is_test || !Self { wanted: both, ..*self }.can_leave(other.wanted))
    }
}

fn sum(value: i64, change: i64) -> i64 {
    value.saturating_add(change)
}

/// A test of a guard that is not the interval of one cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// The cell does not hold this value.
    Differs(CellId, i64),
    /// A condition that depends on these cells.
    DependsOn(Vec<CellId>),
}

/// Everything that an action requires, reads and changes.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// Accesses by cell. The extra cells of kinds of locations come after those of the model.
    pub cells: BTreeMap<CellId, Access>,
    /// Conditions of the guards that are no intervals.
    pub conditions: Vec<Condition>,
    /// Whether the action may end in a run-time error.
    pub may_err: bool,
    /// Whether the kinds of its locations alone forbid the action.
    pub never_fires: bool,
}

/// A process, and a kind of its locations that let others wait. It has an extra cell, which is 1
/// while the process is in such a location.
pub type Urgency = (ProcessId, LocationKind);

/// All of them, in the order of their extra cells.
pub fn urgencies(model: &GuardedCommands) -> Vec<Urgency> {
    let numbered = || (0..).map(ProcessId).zip(&model.processes);
    let of_kind = |kind| {
        let has =
            move |(_, process): &(ProcessId, &Process)| process.locations.iter().any(|one| one.kind == kind);
        numbered().filter(has).map(move |(number, _)| (number, kind))
    };
    LocationKind::ALL.into_iter().skip(1).flat_map(of_kind).collect()
}

/// Computes footprints of actions.
pub struct Footprints<'m> {
    model: &'m GuardedCommands,
    proved: &'m [CellRange],
    urgencies: Vec<Urgency>,
}

/// The cell that an expression denotes, if that is known before the run.
fn single_cell(model: &GuardedCommands, expression: &Expression) -> Option<CellId> {
    match expression {
        Expression::Cell(cell) => Some(*cell),
        Expression::Element { array, index, .. } => match **index {
            Expression::Constant(index) => only_element(model, *array, CellRange::exactly(index)),
            _ => None,
        },
        _ => None,
    }
}

fn only_element(model: &GuardedCommands, array: VariableId, index: CellRange) -> Option<CellId> {
    let mut cells = model.elements(array, index);
    match (cells.next(), cells.next()) {
        (Some(cell), None) => Some(cell),
        _ => None,
    }
}

/// Calls `found` with each cell that the expression may read.
pub fn for_each_cell(
    model: &GuardedCommands,
    proved: &[CellRange],
    expression: &Expression,
    found: &mut impl FnMut(CellId),
) {
    expression.for_each_subexpression(&mut |one| match one {
        Expression::Cell(cell) => found(*cell),
        Expression::Element { array, index, .. } => {
            model.elements(*array, expression_range(model, proved, index)).for_each(&mut *found);
        }
        _ => {}
    });
}

/// A test of one cell against a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The cell lies in the range.
    Within(CellId, CellRange),
    /// The cell does not hold this value.
    Differs(CellId, i64),
}

/// The test that the expression makes of one cell, if it compares one with a constant and has the
/// given truth.
pub fn simple_test(
    model: &GuardedCommands,
    proved: &[CellRange],
    expression: &Expression,
    truth: bool,
) -> Option<Test> {
    match expression {
        Expression::Unary(UnaryOperator::Not, operand) => simple_test(model, proved, operand, !truth),
        Expression::Binary { operator, left, right, .. } => {
            let operator = operator.comparison(truth)?;
            match (&**left, &**right) {
                (cell, Expression::Constant(value)) => {
                    compared(single_cell(model, cell)?, operator, *value, proved)
                }
                (Expression::Constant(value), cell) => {
                    compared(single_cell(model, cell)?, operator.mirrored(), *value, proved)
                }
                _ => None,
            }
        }
        _ => {
            let operator = if truth { BinaryOperator::NotEqual } else { BinaryOperator::Equal };
            compared(single_cell(model, expression)?, operator, 0, proved)
        }
    }
}

fn compared(cell: CellId, operator: BinaryOperator, value: i64, proved: &[CellRange]) -> Option<Test> {
    let at_least = |low| CellRange { low, ..CellRange::EVERYTHING };
    let at_most = |high| CellRange { high, ..CellRange::EVERYTHING };
    let range = match operator {
        BinaryOperator::Equal => CellRange::exactly(value),
        BinaryOperator::Less => at_most(value.checked_sub(1)?),
        BinaryOperator::LessOrEqual => at_most(value),
        BinaryOperator::Greater => at_least(value.checked_add(1)?),
        BinaryOperator::GreaterOrEqual => at_least(value),
        BinaryOperator::NotEqual => {
            let CellRange { low, high } = proved[cell.index()];
            match value {
                _ if value <= low => at_least(value.checked_add(1)?),
                _ if value >= high => at_most(value.checked_sub(1)?),
                _ => return Some(Test::Differs(cell, value)),
            }
        }
        _ => return None,
    };
    Some(Test::Within(cell, range))
}

impl<'m> Footprints<'m> {
    /// Footprints in a model with these proved ranges of cells.
    pub fn new(model: &'m GuardedCommands, proved: &'m [CellRange]) -> Self {
        Self { model, proved, urgencies: urgencies(model) }
    }

    /// The footprint of an action.
    pub fn of(&self, action: &Action, doubts: &Doubts) -> Footprint {
        let mut footprint = Footprint { may_err: doubts.may_err, ..Footprint::default() };
        for participant in &action.participants {
            let location = self.model.process(participant.process).location;
            self.want(&mut footprint, location, CellRange::exactly(i64::from(participant.from.0)));
            for guard in &participant.guards {
                self.guard(&mut footprint, guard);
            }
        }
        for effect in &action.effects {
            self.effect(&mut footprint, effect);
        }
        for Participant { process, from, to, .. } in &action.participants {
            let location = self.model.process(*process).location;
            let change = i64::from(to.0) - i64::from(from.0);
            self.change(
                &mut footprint,
                location,
                if change == 0 { Change::None } else { Change::Add(change) },
            );
        }
        self.defer(&mut footprint, action);
        self.settle(&mut footprint, doubts);
        footprint
    }

    fn access<'f>(&self, footprint: &'f mut Footprint, cell: CellId) -> &'f mut Access {
        // The extra cells are 0 or 1.
        let proved = self.proved.get(cell.index()).copied().unwrap_or(CellRange { low: 0, high: 1 });
        footprint.cells.entry(cell).or_insert(Access::new(proved))
    }

    fn want(&self, footprint: &mut Footprint, cell: CellId, range: CellRange) {
        let access = self.access(footprint, cell);
        if !range.covers(access.wanted) {
            access.is_test = true;
            access.wanted =
                CellRange { low: access.wanted.low.max(range.low), high: access.wanted.high.min(range.high) };
        }
    }

    fn read(&self, footprint: &mut Footprint, expression: &Expression) {
        for_each_cell(self.model, self.proved, expression, &mut |cell| {
            self.access(footprint, cell).is_read = true;
        });
    }

    fn guard(&self, footprint: &mut Footprint, guard: &Expression) {
        if let Expression::Binary { operator: BinaryOperator::And, left, right, .. } = guard {
            self.guard(footprint, left);
            self.guard(footprint, right);
            return;
        }
        match simple_test(self.model, self.proved, guard, true) {
            Some(Test::Within(cell, range)) => self.want(footprint, cell, range),
            Some(Test::Differs(cell, value)) => {
                self.access(footprint, cell).is_read = true;
                footprint.conditions.push(Condition::Differs(cell, value));
            }
            None => {
                self.read(footprint, guard);
                let mut cells = Vec::new();
                for_each_cell(self.model, self.proved, guard, &mut |cell| cells.push(cell));
                cells.sort_unstable();
                cells.dedup();
                footprint.conditions.push(Condition::DependsOn(cells));
            }
        }
    }

    /// Adds a change. Two changes of one cell become any change.
    fn change(&self, footprint: &mut Footprint, cell: CellId, change: Change) {
        let access = self.access(footprint, cell);
        access.change = match access.change {
            Change::None => change,
            _ if change == Change::None => access.change,
            _ => Change::Any,
        };
    }

    fn effect(&self, footprint: &mut Footprint, effect: &Effect) {
        match effect {
            Effect::Assign(assignments) => {
                for Assignment { target, value } in assignments {
                    self.assign(footprint, target, value);
                }
                return;
            }
            Effect::Guard(condition) => return self.later_guard(footprint, condition),
            _ => {}
        }
        effect.values().for_each(|value| self.read(footprint, value));
        if let Some(queue) = effect.queue() {
            self.overwrite(footprint, queue);
        }
        effect.targets().for_each(|target| self.write_anything(footprint, target));
    }

    /// Adds a guard between effects.
    fn later_guard(&self, footprint: &mut Footprint, condition: &Expression) {
        let mut is_written = false;
        for_each_cell(self.model, self.proved, condition, &mut |cell| {
            is_written |= footprint.cells.get(&cell).is_some_and(Access::writes);
        });
        if !is_written {
            return self.guard(footprint, condition);
        }
        // What was written is a function of what was read. A cell to which a constant was added is
        // not noted as read until something depends on the sum.
        self.read(footprint, condition);
        let reads = footprint.cells.iter().filter(|(_, access)| access.is_read);
        footprint.conditions.push(Condition::DependsOn(reads.map(|(cell, _)| *cell).collect()));
    }

    /// Adds an assignment. Its constant change describes the action if no other assignment changes
    /// the cell.
    fn assign(&self, footprint: &mut Footprint, target: &Target, value: &Expression) {
        let cell = match target {
            Target::Cell(cell) => Some(*cell),
            Target::Element { array, index: Expression::Constant(index), .. } => {
                only_element(self.model, *array, CellRange::exactly(*index))
            }
            Target::Element { .. } => None,
        };
        let added = cell.and_then(|cell| self.added(cell, value)).filter(|change| *change != 0);
        match (cell, value, added) {
            (Some(cell), _, Some(change)) => self.change(footprint, cell, Change::Add(change)),
            (Some(cell), Expression::Constant(value), _) => {
                let value = self.model.cells[cell.index()].declared.wrap(*value);
                self.change(footprint, cell, Change::Set(value));
            }
            _ => {
                self.read(footprint, value);
                self.write_anything(footprint, target);
            }
        }
    }

    /// The constant that the value adds to the cell.
    fn added(&self, cell: CellId, value: &Expression) -> Option<i64> {
        let Expression::Binary { operator, left, right, .. } = value else { return None };
        let is_cell = |expression| single_cell(self.model, expression) == Some(cell);
        let small = |value: &i64| value.unsigned_abs() <= u64::from(u32::MAX);
        match (operator, &**left, &**right) {
            (BinaryOperator::Add, one, Expression::Constant(more)) if is_cell(one) && small(more) => {
                Some(*more)
            }
            (BinaryOperator::Add, Expression::Constant(more), one) if is_cell(one) && small(more) => {
                Some(*more)
            }
            (BinaryOperator::Subtract, one, Expression::Constant(less)) if is_cell(one) && small(less) => {
                Some(-less)
            }
            _ => None,
        }
    }

    fn write_anything(&self, footprint: &mut Footprint, target: &Target) {
        match target {
            Target::Cell(cell) => self.change(footprint, *cell, Change::Any),
            Target::Element { array, index, .. } => {
                self.read(footprint, index);
                let range = expression_range(self.model, self.proved, index);
                for cell in self.model.elements(*array, range) {
                    self.change(footprint, cell, Change::Any);
                }
            }
        }
    }

    /// Adds a queue that is read and written as a whole.
    fn overwrite(&self, footprint: &mut Footprint, queue: VariableId) {
        let variable = self.model.variable(queue);
        for offset in 0..variable.cell_count() as u32 {
            let cell = CellId(variable.first_cell.0 + offset);
            self.access(footprint, cell).is_read = true;
            self.change(footprint, cell, Change::Any);
        }
    }

    /// Adds the requirements of other priorities.
    fn defer(&self, footprint: &mut Footprint, action: &Action) {
        let priority = self.model.priority(action);
        footprint.never_fires = priority.is_none();
        for (number, (process, kind)) in self.urgencies.iter().enumerate() {
            let cell = CellId((self.model.cells.len() + number) as u32);
            let moves = action.participants.iter().find(|one| one.process == *process);
            if let Some(Participant { from, to, .. }) = moves {
                let [before, after] = [from, to].map(|one| self.model.location_kind(*process, *one) == *kind);
                self.want(footprint, cell, CellRange::exactly(i64::from(before)));
                let change = i64::from(after) - i64::from(before);
                self.change(footprint, cell, if change == 0 { Change::None } else { Change::Add(change) });
            } else if priority < Some(*kind) {
                self.want(footprint, cell, CellRange::exactly(0));
            }
        }
    }

    /// Weakens conclusions that overflow or errors invalidate, and drops accesses without content.
    fn settle(&self, footprint: &mut Footprint, doubts: &Doubts) {
        for (cell, access) in &mut footprint.cells {
            let overflow = self.model.cells.get(cell.index()).map(|cell| cell.overflow);
            let excluded = overflow == Some(Overflow::IsExcluded);
            match access.change {
                // The sum may wrap around, or be an error.
                Change::Add(_) if doubts.may_outgrow.contains(cell) && !excluded => {
                    access.change = Change::Any;
                    access.is_read = true;
                }
                // From one known value to another: a constant was added.
                Change::Set(value) if access.wanted.low == access.wanted.high => {
                    let change = value - access.wanted.low;
                    access.change = if change == 0 { Change::None } else { Change::Add(change) };
                }
                _ => {}
            }
            // The proved range also holds after the step.
            if let (Change::Add(change), Some(proved)) = (access.change, self.proved.get(cell.index())) {
                access.wanted.low = access.wanted.low.max(proved.low.saturating_sub(change));
                access.wanted.high = access.wanted.high.min(proved.high.saturating_sub(change));
            }
            // Whether the action errs depends on every cell it uses.
            access.is_read |= footprint.may_err;
        }
        footprint.cells.retain(|_, access| access.is_test || access.is_read || access.writes());
    }
}
