//! Interval analysis: the values that each cell can take, proved from the guarded commands.
//!
//! One interval per cell for the whole run (no distinction by location: the field must hold the union anyway). Each
//! action is executed on intervals, with what its guards say about the cells they compare; what it writes is joined
//! into the result, until nothing grows. Bounds that keep growing jump to the next constant of the model, then to the
//! declared type, so that the analysis ends soon. An assignment that may leave the declared type gives all of the
//! type, because the value wraps around.
//!
//! Sound by construction: each store of a run, intermediate ones included, is covered by a join. A test compares it
//! with the values that really occur.

use std::collections::BTreeSet;

use super::guarded_commands::{
    Action, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType, Overflow,
    Place, Shape, UnaryOperator, VariableId,
};
use super::state_layout::CellRange;

/// Rounds in which bounds may creep before they jump.
const PATIENT_ROUNDS: usize = 20;
/// Rounds in which bounds may jump from constant to constant before they go to the declared type.
const JUMPING_ROUNDS: usize = 100;

/// What the type of each cell allows.
pub fn declared_ranges(model: &GuardedCommands) -> Vec<CellRange> {
    let range = |declared: IntegerType| CellRange { low: declared.min(), high: declared.max() };
    model.cells.iter().map(|cell| range(cell.declared)).collect()
}

/// For each cell, a range that it never leaves.
pub fn proved_ranges(model: &GuardedCommands) -> Vec<CellRange> {
    Analysis::finished(model).ranges
}

/// What is not proved of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    /// It may end in a run-time error, in a guard or in an effect.
    pub may_err: bool,
    /// Cells for which it may compute a value that their types do not contain.
    pub may_outgrow: Vec<CellId>,
}

/// The ranges that cells never leave, and for each action what they do not prove.
pub fn proved_ranges_and_doubts(model: &GuardedCommands) -> (Vec<CellRange>, Vec<Doubts>) {
    let mut analysis = Analysis::finished(model);
    let doubts = model.actions.iter().map(|action| analysis.doubts(action)).collect();
    (analysis.ranges, doubts)
}

/// Whether the expression may have no value in a reachable state, if `ranges` covers those of its cells.
pub fn may_err(model: &GuardedCommands, ranges: &[CellRange], expression: &Expression) -> bool {
    let mut analysis = Analysis::new(model);
    analysis.ranges = ranges.to_vec();
    analysis.may_err(expression, &Known::default())
}

struct Analysis<'m> {
    model: &'m GuardedCommands,
    ranges: Vec<CellRange>,
    reached: Vec<Vec<bool>>,
    thresholds: Vec<i64>,
    round: usize,
    changed: bool,
    /// Where values are noted that do not fit.
    outgrown: Option<Vec<CellId>>,
}

/// What is known while one action runs: the cells it tested or wrote, and array elements it compared.
#[derive(Clone, Default)]
struct Known<'m> {
    cells: Vec<(CellId, CellRange)>,
    elements: Vec<(&'m Expression, CellRange)>,
}

/// Where an assignment may go, by the values its index has before anything is written.
enum Target {
    Cell(CellId),
    Element(VariableId, CellRange),
}

const EVERYTHING: CellRange = CellRange { low: i64::MIN, high: i64::MAX };
const TRUTH: CellRange = CellRange { low: 0, high: 1 };

impl<'m> Analysis<'m> {
    /// Nothing is known but the initial state.
    fn new(model: &'m GuardedCommands) -> Self {
        let mut analysis = Self {
            model,
            ranges: model.cells.iter().map(|cell| CellRange::exactly(cell.initial)).collect(),
            reached: model.processes.iter().map(|process| vec![false; process.locations.len()]).collect(),
            thresholds: constants(model).into_iter().collect(),
            round: 0,
            changed: false,
            outgrown: None,
        };
        for (process, reached) in model.processes.iter().zip(&mut analysis.reached) {
            reached[model.cells[process.location.index()].initial as usize] = true;
        }
        analysis
    }

    /// Nothing grows any more.
    fn finished(model: &'m GuardedCommands) -> Self {
        let mut analysis = Self::new(model);
        loop {
            analysis.changed = false;
            for action in &model.actions {
                analysis.run(action);
            }
            if !analysis.changed {
                return analysis;
            }
            analysis.round += 1;
        }
    }

    /// What the finished ranges do not prove of the action. Participants are tested one after the other, as the interpreter does it: an error of the
    /// first one counts wherever the second one stands.
    fn doubts(&mut self, action: &'m Action) -> Doubts {
        let (mut doubts, mut known) = (Doubts::default(), Known::default());
        for participant in &action.participants {
            let from = participant.from.0 as usize;
            if !self.reached[participant.process.0 as usize][from] {
                return doubts;
            }
            let location = self.model.process(participant.process).location;
            known.cells.push((location, CellRange::exactly(from as i64)));
            for guard in &participant.guards {
                doubts.may_err |= self.may_err(guard, &known);
                if !self.assume(guard, true, &mut known) {
                    return doubts;
                }
            }
        }
        self.outgrown = Some(Vec::new());
        for effect in &action.effects {
            match effect {
                Effect::Assign(assignments) => {
                    for Assignment { place, value } in assignments {
                        doubts.may_err |= self.may_err(value, &known) || self.place_may_err(place, &known);
                    }
                    self.assign(assignments, &mut known);
                }
                Effect::Push { queue, values } => {
                    doubts.may_err |= values.iter().any(|value| self.may_err(value, &known));
                    self.push(*queue, values, &mut known);
                }
                Effect::Pop { queue, places } => {
                    // Indices are evaluated after the message is gone: what is known before does not count.
                    let nothing = Known::default();
                    doubts.may_err |=
                        places.iter().flatten().any(|place| self.place_may_err(place, &nothing));
                    self.pop(*queue, places, &mut known);
                }
            }
        }
        doubts.may_outgrow = self.outgrown.take().unwrap_or_default();
        let is_error = |cell: &CellId| self.model.cells[cell.index()].overflow == Overflow::IsError;
        doubts.may_err |= doubts.may_outgrow.iter().any(is_error);
        doubts
    }

    fn place_may_err(&self, place: &'m Place, known: &Known<'m>) -> bool {
        match place {
            Place::Cell(_) => false,
            Place::Element { array, index, .. } => self.index_may_err(*array, index, known),
        }
    }

    fn index_may_err(&self, array: VariableId, index: &'m Expression, known: &Known<'m>) -> bool {
        let last = self.model.variable(array).cell_count() as i64 - 1;
        self.may_err(index, known) || !CellRange { low: 0, high: last }.covers(self.range(index, known))
    }

    /// Whether the expression may have no value.
    fn may_err(&self, expression: &'m Expression, known: &Known<'m>) -> bool {
        use BinaryOperator as Op;
        match expression {
            Expression::Constant(_) | Expression::Cell(_) => false,
            Expression::Element { array, index, .. } => self.index_may_err(*array, index, known),
            Expression::Unary(_, operand) | Expression::Rank(operand, _) => self.may_err(operand, known),
            Expression::Binary { operator, left, right, .. } => {
                if self.may_err(left, known) {
                    return true;
                }
                match operator {
                    // The right operand is evaluated only if the left one does not decide.
                    Op::And | Op::Or | Op::Imply => {
                        let mut known = known.clone();
                        self.assume(left, *operator != Op::Or, &mut known) && self.may_err(right, &known)
                    }
                    _ => {
                        let divisor = self.range(right, known);
                        self.may_err(right, known)
                            || match operator {
                                Op::Divide | Op::Remainder => divisor.low <= 0 && divisor.high >= 0,
                                Op::ShiftLeft | Op::ShiftRight => {
                                    !CellRange { low: 0, high: 63 }.covers(divisor)
                                }
                                _ => false,
                            }
                    }
                }
            }
        }
    }

    fn run(&mut self, action: &'m Action) {
        let mut known = Known::default();
        for participant in &action.participants {
            let from = participant.from.0 as usize;
            if !self.reached[participant.process.0 as usize][from] {
                return;
            }
            let location = self.model.process(participant.process).location;
            known.cells.push((location, CellRange::exactly(from as i64)));
        }
        for guard in action.participants.iter().flat_map(|participant| &participant.guards) {
            if !self.assume(guard, true, &mut known) {
                return;
            }
        }
        for effect in &action.effects {
            match effect {
                Effect::Assign(assignments) => self.assign(assignments, &mut known),
                Effect::Push { queue, values } => self.push(*queue, values, &mut known),
                Effect::Pop { queue, places } => self.pop(*queue, places, &mut known),
            }
        }
        for participant in &action.participants {
            let reached = &mut self.reached[participant.process.0 as usize][participant.to.0 as usize];
            self.changed |= !*reached;
            *reached = true;
            let location = self.model.process(participant.process).location;
            self.join(location, CellRange::exactly(i64::from(participant.to.0)));
        }
    }

    fn assign(&mut self, assignments: &'m [Assignment], known: &mut Known<'m>) {
        let writes: Vec<(Target, CellRange)> = assignments
            .iter()
            .map(|one| (self.target(&one.place, known), self.range(&one.value, known)))
            .collect();
        for (target, value) in writes {
            self.write(target, value, known);
        }
    }

    fn push(&mut self, queue: VariableId, values: &'m [Expression], known: &mut Known<'m>) {
        let variable = self.model.variable(queue);
        let length = variable.first_cell;
        for (field, value) in values.iter().enumerate() {
            let value = self.range(value, known);
            for cell in (1 + field..variable.cell_count()).step_by(values.len()) {
                self.store(CellId(length.0 + cell as u32), value);
            }
        }
        self.forget_contents(queue, known);
        let longer = self.range(&Expression::Cell(length), known);
        self.write_cell(length, CellRange { low: longer.low + 1, high: longer.high + 1 }, known);
    }

    fn pop(&mut self, queue: VariableId, places: &'m [Option<Place>], known: &mut Known<'m>) {
        let variable = self.model.variable(queue);
        let length = variable.first_cell;
        let (cells, fields) = (variable.cell_count() as u32, places.len() as u32);
        for cell in 1..cells {
            // A queue may hold messages from the beginning.
            let next = cell + fields;
            let moved =
                if next < cells { self.ranges[(length.0 + next) as usize] } else { CellRange::exactly(0) };
            self.join(CellId(length.0 + cell), moved.join(CellRange::exactly(0)));
        }
        self.forget_contents(queue, known);
        let shorter = self.range(&Expression::Cell(length), known);
        self.write_cell(length, CellRange { low: shorter.low - 1, high: shorter.high - 1 }, known);
        let writes: Vec<(Target, CellRange)> = places
            .iter()
            .enumerate()
            .filter_map(|(field, place)| Some((place.as_ref()?, self.ranges[length.index() + 1 + field])))
            .map(|(place, content)| (self.target(place, known), content))
            .collect();
        for (target, value) in writes {
            self.write(target, value, known);
        }
    }

    /// What guards said about messages is about other ones now.
    fn forget_contents(&self, queue: VariableId, known: &mut Known<'m>) {
        let length = self.model.variable(queue).first_cell;
        let is_content = |cell: CellId| cell != length && self.model.cells[cell.index()].variable == queue;
        known.cells.retain(|(cell, _)| !is_content(*cell));
        known.elements.retain(|(element, _)| !mentions_array(self.model, element, queue));
    }

    fn target(&self, place: &Place, known: &Known<'_>) -> Target {
        match place {
            Place::Cell(cell) => Target::Cell(*cell),
            Place::Element { array, index, .. } => Target::Element(*array, self.range(index, known)),
        }
    }

    fn write(&mut self, target: Target, value: CellRange, known: &mut Known<'m>) {
        match target {
            Target::Cell(cell) => self.write_cell(cell, value, known),
            Target::Element(array, index) => {
                for cell in elements(self.model, array, index) {
                    self.store(cell, value);
                    known.cells.retain(|(other, _)| *other != cell);
                }
                known.elements.retain(|(element, _)| !mentions_array(self.model, element, array));
            }
        }
    }

    fn write_cell(&mut self, cell: CellId, value: CellRange, known: &mut Known<'m>) {
        let stored = self.store(cell, value);
        known.cells.retain(|(other, _)| *other != cell);
        known.cells.push((cell, stored));
        let array = self.model.cells[cell.index()].variable;
        known.elements.retain(|(element, _)| {
            !mentions_cell(element, cell) && !mentions_array(self.model, element, array)
        });
    }

    /// Joins what a store of `value` leaves in the cell into its range, and returns it.
    fn store(&mut self, cell: CellId, value: CellRange) -> CellRange {
        let declared = self.model.cells[cell.index()].declared;
        let whole = CellRange { low: declared.min(), high: declared.max() };
        let fits = whole.covers(value);
        if let Some(outgrown) = self.outgrown.as_mut().filter(|_| !fits) {
            outgrown.push(cell);
        }
        let stored = if fits { value } else { whole };
        self.join(cell, stored);
        stored
    }

    fn join(&mut self, cell: CellId, value: CellRange) {
        let old = self.ranges[cell.index()];
        let mut new = old.join(value);
        if new == old {
            return;
        }
        let declared = self.model.cells[cell.index()].declared;
        if self.round >= PATIENT_ROUNDS {
            let jumps = if self.round < PATIENT_ROUNDS + JUMPING_ROUNDS { &self.thresholds[..] } else { &[] };
            if new.high > old.high {
                let next = jumps[jumps.partition_point(|&limit| limit < new.high)..].first();
                new.high = next.copied().unwrap_or(i64::MAX).min(declared.max()).max(new.high);
            }
            if new.low < old.low {
                let next = jumps[..jumps.partition_point(|&limit| limit <= new.low)].last();
                new.low = next.copied().unwrap_or(i64::MIN).max(declared.min()).min(new.low);
            }
        }
        self.ranges[cell.index()] = new;
        self.changed = true;
    }

    fn range(&self, expression: &Expression, known: &Known<'_>) -> CellRange {
        range(self.model, &self.ranges, expression, known)
    }

    /// Narrows what is known by the truth of `expression`; `false` when it cannot have it.
    fn assume(&self, expression: &'m Expression, truth: bool, known: &mut Known<'m>) -> bool {
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
                (BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Imply, _) => {
                    self.may_be(expression, truth, known)
                }
                _ => match comparison(*operator, truth) {
                    Some(comparison) => self.assume_comparison(comparison, left, right, known),
                    None => self.may_be(expression, truth, known),
                },
            },
            Expression::Cell(_) | Expression::Element { .. } if !truth => {
                self.narrow(expression, CellRange::exactly(0), known)
            }
            _ => self.may_be(expression, truth, known),
        }
    }

    fn may_be(&self, expression: &Expression, truth: bool, known: &Known<'_>) -> bool {
        let range = self.range(expression, known);
        let may_be_zero = range.low <= 0 && range.high >= 0;
        if truth { range != CellRange::exactly(0) } else { may_be_zero }
    }

    fn assume_comparison(
        &self,
        operator: BinaryOperator,
        left: &'m Expression,
        right: &'m Expression,
        known: &mut Known<'m>,
    ) -> bool {
        let (a, b) = (self.range(left, known), self.range(right, known));
        let (new_a, new_b) = match operator {
            BinaryOperator::Equal => (b, a),
            BinaryOperator::NotEqual => (without(a, b), without(b, a)),
            BinaryOperator::Less => (below(b.high, 1), above(a.low, 1)),
            BinaryOperator::LessOrEqual => (below(b.high, 0), above(a.low, 0)),
            BinaryOperator::Greater => (above(b.low, 1), below(a.high, 1)),
            BinaryOperator::GreaterOrEqual => (above(b.low, 0), below(a.high, 0)),
            _ => (EVERYTHING, EVERYTHING),
        };
        self.narrow(left, new_a, known) && self.narrow(right, new_b, known)
    }

    /// Records that the expression is in `range` too; `false` when nothing is left.
    fn narrow(&self, expression: &'m Expression, range: CellRange, known: &mut Known<'m>) -> bool {
        let old = self.range(expression, known);
        let new = CellRange { low: old.low.max(range.low), high: old.high.min(range.high) };
        if new.low > new.high {
            return false;
        }
        match expression {
            Expression::Cell(cell) => known.cells.push((*cell, new)),
            Expression::Element { .. } => known.elements.push((expression, new)),
            _ => {}
        }
        true
    }
}

/// The values that an expression can have in a reachable state, if `ranges` covers those of its cells.
pub fn expression_range(model: &GuardedCommands, ranges: &[CellRange], expression: &Expression) -> CellRange {
    range(model, ranges, expression, &Known::default())
}

/// The values of an expression, given the ranges of the cells and what is known beside.
fn range(
    model: &GuardedCommands,
    ranges: &[CellRange],
    expression: &Expression,
    known: &Known<'_>,
) -> CellRange {
    let range_of = |expression: &Expression| range(model, ranges, expression, known);
    match expression {
        Expression::Constant(value) => CellRange::exactly(*value),
        Expression::Cell(cell) => known
            .cells
            .iter()
            .rev()
            .find(|(other, _)| other == cell)
            .map_or(ranges[cell.index()], |(_, range)| *range),
        Expression::Element { array, index, .. } => {
            if let Some((_, range)) = known.elements.iter().rev().find(|(other, _)| *other == expression) {
                return *range;
            }
            let index = range_of(index);
            elements(model, *array, index)
                .map(|cell| range_of(&Expression::Cell(cell)))
                .reduce(CellRange::join)
                .unwrap_or(CellRange::exactly(0))
        }
        Expression::Unary(operator, operand) => {
            let range = range_of(operand);
            match operator {
                UnaryOperator::Negate => exact(-i128::from(range.high), -i128::from(range.low)),
                UnaryOperator::Complement => CellRange { low: !range.high, high: !range.low },
                UnaryOperator::Not if range == CellRange::exactly(0) => CellRange::exactly(1),
                UnaryOperator::Not if range.low > 0 || range.high < 0 => CellRange::exactly(0),
                UnaryOperator::Not => TRUTH,
            }
        }
        Expression::Binary { operator, left, right, .. } => {
            combine(*operator, range_of(left), range_of(right))
        }
        Expression::Rank(operand, order) => {
            let CellRange { low, high } = range_of(operand);
            let (low, high) = order.ranks_between(low, high);
            CellRange { low, high }
        }
    }
}

/// The comparison that is true when this one has the given truth.
pub fn comparison(operator: BinaryOperator, truth: bool) -> Option<BinaryOperator> {
    use BinaryOperator as Op;
    Some(match (operator, truth) {
        (Op::Equal, true) | (Op::NotEqual, false) => Op::Equal,
        (Op::NotEqual, true) | (Op::Equal, false) => Op::NotEqual,
        (Op::Less, true) | (Op::GreaterOrEqual, false) => Op::Less,
        (Op::LessOrEqual, true) | (Op::Greater, false) => Op::LessOrEqual,
        (Op::Greater, true) | (Op::LessOrEqual, false) => Op::Greater,
        (Op::GreaterOrEqual, true) | (Op::Less, false) => Op::GreaterOrEqual,
        _ => return None,
    })
}

fn below(limit: i64, distance: i64) -> CellRange {
    CellRange { low: i64::MIN, high: limit.saturating_sub(distance) }
}

fn above(limit: i64, distance: i64) -> CellRange {
    CellRange { low: limit.saturating_add(distance), high: i64::MAX }
}

/// What is left of `range` when it differs from a value that may only be `other`.
fn without(range: CellRange, other: CellRange) -> CellRange {
    if other.low != other.high {
        return range;
    }
    CellRange {
        low: range.low.saturating_add(i64::from(range.low == other.low)),
        high: range.high.saturating_sub(i64::from(range.high == other.low)),
    }
}

/// The elements that an index in `range` can name; others are run-time errors and store nothing.
pub fn elements(
    model: &GuardedCommands,
    array: VariableId,
    range: CellRange,
) -> impl DoubleEndedIterator<Item = CellId> {
    let variable = model.variable(array);
    let Shape::Array { length, .. } = variable.shape else { unreachable!("only arrays are indexed") };
    let first = variable.first_cell.0;
    let (low, high) = (range.low.max(0), range.high.min(i64::from(length) - 1));
    (low..=high).map(move |index| CellId(first + index as u32))
}

/// Whether the expression reads this cell directly, not through an array.
pub fn mentions_cell(expression: &Expression, cell: CellId) -> bool {
    match expression {
        Expression::Constant(_) => false,
        Expression::Cell(other) => *other == cell,
        Expression::Element { index, .. } => mentions_cell(index, cell),
        Expression::Unary(_, operand) | Expression::Rank(operand, _) => mentions_cell(operand, cell),
        Expression::Binary { left, right, .. } => mentions_cell(left, cell) || mentions_cell(right, cell),
    }
}

/// Whether the expression reads the array, by an index or by naming one of its cells.
pub fn mentions_array(model: &GuardedCommands, expression: &Expression, array: VariableId) -> bool {
    match expression {
        Expression::Constant(_) => false,
        Expression::Cell(cell) => model.cells[cell.index()].variable == array,
        Expression::Element { array: other, index, .. } => {
            *other == array || mentions_array(model, index, array)
        }
        Expression::Unary(_, operand) | Expression::Rank(operand, _) => mentions_array(model, operand, array),
        Expression::Binary { left, right, .. } => {
            mentions_array(model, left, array) || mentions_array(model, right, array)
        }
    }
}

/// A range computed without overflow, or everything when 64 bits are exceeded and the value wraps around.
fn exact(low: i128, high: i128) -> CellRange {
    match (i64::try_from(low), i64::try_from(high)) {
        (Ok(low), Ok(high)) => CellRange { low, high },
        _ => EVERYTHING,
    }
}

/// The values of `a operator b`.
pub fn combine(operator: BinaryOperator, a: CellRange, b: CellRange) -> CellRange {
    use BinaryOperator as Op;
    let wide = |value: i64| i128::from(value);
    let decided = |always: bool, never: bool| match (always, never) {
        (true, _) => CellRange::exactly(1),
        (_, true) => CellRange::exactly(0),
        _ => TRUTH,
    };
    let no_overlap = a.high < b.low || b.high < a.low;
    let same = a.low == a.high && a == b;
    let is_true = |range: CellRange| range.low > 0 || range.high < 0;
    let is_false = |range: CellRange| range == CellRange::exactly(0);
    match operator {
        Op::Add => exact(wide(a.low) + wide(b.low), wide(a.high) + wide(b.high)),
        Op::Subtract => exact(wide(a.low) - wide(b.high), wide(a.high) - wide(b.low)),
        Op::Multiply => {
            let products = [a.low, a.high].map(|x| [b.low, b.high].map(|y| wide(x) * wide(y)));
            let all = products.as_flattened().iter().copied();
            exact(all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
        }
        Op::Divide if a.low >= 0 && b.low >= 0 => {
            CellRange { low: a.low / b.high.max(1), high: a.high / b.low.max(1) }
        }
        Op::Divide => {
            let size = a.low.unsigned_abs().max(a.high.unsigned_abs());
            exact(-i128::from(size), i128::from(size))
        }
        Op::Remainder => {
            let largest = b.low.unsigned_abs().max(b.high.unsigned_abs()).saturating_sub(1);
            let largest = i64::try_from(largest).unwrap_or(i64::MAX);
            CellRange {
                low: if a.low >= 0 { 0 } else { a.low.max(-largest) },
                high: if a.high <= 0 { 0 } else { a.high.min(largest) },
            }
        }
        Op::BitAnd if a.low >= 0 && b.low >= 0 => CellRange { low: 0, high: a.high.min(b.high) },
        Op::BitAnd if a.low >= 0 => CellRange { low: 0, high: a.high },
        Op::BitAnd if b.low >= 0 => CellRange { low: 0, high: b.high },
        Op::BitOr | Op::BitXor if a.low >= 0 && b.low >= 0 => {
            let bits = 64 - (a.high | b.high).leading_zeros();
            CellRange { low: 0, high: if bits >= 63 { i64::MAX } else { (1 << bits) - 1 } }
        }
        Op::ShiftLeft if a.low >= 0 && (0..=32).contains(&b.high) => {
            exact(wide(a.low) << b.low.clamp(0, 63), wide(a.high) << b.high)
        }
        Op::ShiftRight if a.low >= 0 && b.low >= 0 => {
            CellRange { low: a.low >> b.high.min(63), high: a.high >> b.low.min(63) }
        }
        Op::BitAnd | Op::BitOr | Op::BitXor | Op::ShiftLeft | Op::ShiftRight => EVERYTHING,
        Op::Equal => decided(same, no_overlap),
        Op::NotEqual => decided(no_overlap, same),
        Op::Less => decided(a.high < b.low, a.low >= b.high),
        Op::LessOrEqual => decided(a.high <= b.low, a.low > b.high),
        Op::Greater => decided(a.low > b.high, a.high <= b.low),
        Op::GreaterOrEqual => decided(a.low >= b.high, a.high < b.low),
        Op::And => decided(is_true(a) && is_true(b), is_false(a) || is_false(b)),
        Op::Or => decided(is_true(a) || is_true(b), is_false(a) && is_false(b)),
        Op::Imply => decided(is_false(a) || is_true(b), is_true(a) && is_false(b)),
    }
}

/// The constants in the model and their neighbours: where a growing bound is likely to stop.
fn constants(model: &GuardedCommands) -> BTreeSet<i64> {
    fn collect(expression: &Expression, found: &mut BTreeSet<i64>) {
        match expression {
            Expression::Constant(value) => {
                found.extend([value.saturating_sub(1), *value, value.saturating_add(1)]);
            }
            Expression::Cell(_) => {}
            Expression::Element { index, .. } => collect(index, found),
            Expression::Unary(_, operand) | Expression::Rank(operand, _) => collect(operand, found),
            Expression::Binary { left, right, .. } => {
                collect(left, found);
                collect(right, found);
            }
        }
    }
    let mut found = BTreeSet::new();
    for action in &model.actions {
        for guard in action.participants.iter().flat_map(|participant| &participant.guards) {
            collect(guard, &mut found);
        }
        for effect in &action.effects {
            match effect {
                Effect::Assign(assignments) => {
                    assignments.iter().for_each(|one| collect(&one.value, &mut found))
                }
                Effect::Push { values, .. } => values.iter().for_each(|value| collect(value, &mut found)),
                Effect::Pop { .. } => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPERATORS: [BinaryOperator; 19] = [
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::Remainder,
        BinaryOperator::BitAnd,
        BinaryOperator::BitOr,
        BinaryOperator::BitXor,
        BinaryOperator::ShiftLeft,
        BinaryOperator::ShiftRight,
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
        BinaryOperator::Less,
        BinaryOperator::LessOrEqual,
        BinaryOperator::Greater,
        BinaryOperator::GreaterOrEqual,
        BinaryOperator::And,
        BinaryOperator::Or,
        BinaryOperator::Imply,
    ];

    fn range() -> impl Strategy<Value = CellRange> {
        let end = prop_oneof![-5..6i64, -300..300i64, Just(i64::MIN), Just(i64::MAX), any::<i64>()];
        (end.clone(), end).prop_map(|(a, b)| CellRange { low: a.min(b), high: a.max(b) })
    }

    /// The ends, what lies around zero, and a few values in between.
    fn members(range: CellRange) -> impl Iterator<Item = i64> {
        let middle = range.low / 2 + range.high / 2;
        [
            range.low,
            range.low.saturating_add(1),
            middle,
            -1,
            0,
            1,
            2,
            63,
            range.high.saturating_sub(1),
            range.high,
        ]
        .into_iter()
        .filter(move |value| range.low <= *value && *value <= range.high)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_range_of_an_operation_covers_its_values(a in range(), b in range(), number in 0..OPERATORS.len()) {
            let operator = OPERATORS[number];
            let covered = combine(operator, a, b);
            for left in members(a) {
                for right in members(b) {
                    if let Ok(value) = operator.apply(left, right) {
                        prop_assert!(
                            covered.low <= value && value <= covered.high,
                            "{left} {operator:?} {right} = {value} is not in {covered:?}"
                        );
                    }
                }
            }
        }
    }
}
