//! The static value graph of a cell: which values can follow which, by any action, whatever the
//! other cells hold.
//!
//! For each action that may write the cell and each value before the step, the step is executed on
//! intervals with the cell fixed. If it writes an element of an array, the index is fixed, too, as
//! far as that is affordable: otherwise a write to another element would count as one to this
//! element. The values of the cell along a run are a path in this graph, so values that are not
//! reached from the initial one never occur.
//!
//! Costs one abstract step for each action and value (and index), within the limit of the
//! [`StepAnalysis`].

use std::collections::BTreeSet;

use super::abstract_step::StepAnalysis;
use model::guarded_commands::{Action, ActionId, CellId, Effect, Expression, GuardedCommands, Shape, Target};
use model::interval::{CellRange, Interval};
use model::value_order::WIDEST_ORDER;

/// Limit on the combinations of values that are tried for one action and one cell.
pub(super) const MOST_CASES: u128 = WIDEST_ORDER as u128;

/// Number of values up to which an index is split value by value.
const FEW_INDICES: u64 = 16;

/// A cell's value before a step, and its range afterwards. A value may have several moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub before: i64,
    pub after: CellRange,
}

/// Which values of a cell can follow which.
pub(super) struct ValueGraph {
    low: i64,
    reached: Vec<bool>,
    /// For each action that can change the cell, in order, its moves from values that are reached,
    /// those that change nothing included.
    pub moves: Vec<(ActionId, Vec<Move>)>,
}

impl ValueGraph {
    /// The graph of a cell; `None` if it has too many values, or the work is at its limit.
    pub fn new(steps: &StepAnalysis<'_>, cell: CellId, writers: &[ActionId]) -> Option<Self> {
        let CellRange { low, high } = steps.proved[cell.index()];
        if high.abs_diff(low) >= WIDEST_ORDER {
            return None;
        }
        let mut moves = Vec::new();
        for &action in writers {
            let of_action = moves_of(steps, action, cell, &[])?;
            if of_action.iter().any(|one| one.after != CellRange::exactly(one.before)) {
                moves.push((action, of_action));
            }
        }
        let mut graph = Self { low, reached: vec![false; high.abs_diff(low) as usize + 1], moves };
        graph.reach(steps.model.cells[cell.index()].initial);
        for (_, moves) in &mut graph.moves {
            moves.retain(|one| graph.reached[one.before.abs_diff(low) as usize]);
        }
        Some(graph)
    }

    fn reach(&mut self, initial: i64) {
        let mut leaving: Vec<Vec<CellRange>> = vec![Vec::new(); self.reached.len()];
        for one in self.moves.iter().flat_map(|(_, moves)| moves) {
            leaving[one.before.abs_diff(self.low) as usize].push(one.after);
        }
        let mut unseen: BTreeSet<i64> = self.range().collect();
        let mut waiting = vec![initial];
        unseen.remove(&initial);
        while let Some(value) = waiting.pop() {
            let number = value.abs_diff(self.low) as usize;
            self.reached[number] = true;
            for after in &leaving[number] {
                let new: Vec<i64> = unseen.range(after.low..=after.high).copied().collect();
                new.iter().for_each(|value| _ = unseen.remove(value));
                waiting.extend(new);
            }
        }
    }

    fn range(&self) -> impl Iterator<Item = i64> + use<> {
        self.low..=self.low + (self.reached.len() as i64 - 1)
    }

    /// Whether the cell can hold the value.
    pub fn is_reached(&self, value: i64) -> bool {
        value >= self.low
            && self.reached.get(value.abs_diff(self.low) as usize).is_some_and(|reached| *reached)
    }

    /// The values that the cell can hold, ascending.
    pub fn values(&self) -> impl Iterator<Item = i64> {
        self.range().filter(|value| self.is_reached(*value))
    }

    /// The values in `range` that the cell can hold, ascending.
    pub fn values_in(&self, range: CellRange) -> impl Iterator<Item = i64> + Clone {
        (range.low..=range.high).filter(|value| self.is_reached(*value))
    }

    /// The action's moves, if it can change the cell.
    pub fn moves_by(&self, action: ActionId) -> Option<&[Move]> {
        let place = self.moves.binary_search_by_key(&action, |(other, _)| *other).ok()?;
        Some(&self.moves[place].1)
    }

    /// Whether all values of the proved range are reached.
    pub fn is_full(&self) -> bool {
        self.reached.iter().all(|reached| *reached)
    }
}

/// The moves of a cell with few values by one action, given where some cells lie before the step;
/// `None` if the work is at its limit.
pub(super) fn moves_of(
    steps: &StepAnalysis<'_>,
    action: ActionId,
    cell: CellId,
    fixed: &[(CellId, CellRange)],
) -> Option<Vec<Move>> {
    let commands = steps.model.action(action);
    let Some(known) = steps.begin(action, fixed, Some(cell)) else { return Some(Vec::new()) };
    let before = known.cell(cell).range.range();
    let mut after = known.clone();
    if !after.execute(commands) {
        return Some(Vec::new());
    }
    let after = after.cell(cell);
    // Holds for all values before the step at once.
    let summary = |value: i64| after.distance.plus(Interval::exactly(value)).meet(after.range);
    let exact = after.range.single().is_some() || after.distance.single().is_some();
    if !guards_read(steps.model, commands, cell) && (exact || !effects_read(steps.model, commands, cell)) {
        let one = |value| Some(Move { before: value, after: summary(value)?.range() });
        steps.spend(4 * before.high.abs_diff(before.low));
        return Some((before.low..=before.high).filter_map(one).collect());
    }
    let mut cases = vec![(cell, singles(before))];
    for index in index_cells(steps.model, commands, cell) {
        let is_fixed = index == cell || fixed.iter().any(|(other, _)| *other == index);
        let pieces = around(steps.model, cell, known.cell(index).range.range());
        if !is_fixed && count(&cases) * pieces.len() as u128 <= MOST_CASES {
            cases.push((index, pieces));
        }
    }
    let mut moves: Vec<Move> = Vec::new();
    each_case(&cases, |case| {
        if !steps.has_time() {
            return;
        }
        let Some(mut known) = steps.begin(action, &[fixed, case].concat(), None) else { return };
        if !known.execute(commands) {
            return;
        }
        let before = case[0].1.low;
        let Some(after) = summary(before).and_then(|all| all.meet(known.cell(cell).range)) else { return };
        let one = Move { before, after: after.range() };
        // All cases of one value come one after the other.
        if !moves.iter().rev().take_while(|other| other.before == one.before).any(|other| *other == one) {
            moves.push(one);
        }
    });
    steps.has_time().then_some(moves)
}

/// The values of a range, one by one.
pub(super) fn singles(range: CellRange) -> Vec<CellRange> {
    (range.low..=range.high).map(CellRange::exactly).collect()
}

/// The values of an index, in pieces: the ones that hit the cell and its neighbours are single.
fn around(model: &GuardedCommands, cell: CellId, range: CellRange) -> Vec<CellRange> {
    if range.high.abs_diff(range.low) < FEW_INDICES {
        return singles(range);
    }
    let offset = i64::from(cell.0 - model.variable(model.cells[cell.index()].variable).first_cell.0);
    let pieces = [
        CellRange { low: range.low, high: range.high.min(offset - 2) },
        CellRange::exactly(offset - 1),
        CellRange::exactly(offset),
        CellRange::exactly(offset + 1),
        CellRange { low: range.low.max(offset + 2), high: range.high },
    ];
    pieces.into_iter().filter(|piece| piece.low <= piece.high && range.covers(*piece)).collect()
}

/// Cells, and the pieces in which each of their ranges is looked at.
pub(super) type Pieces = Vec<(CellId, Vec<CellRange>)>;

/// How many combinations of pieces there are.
pub(super) fn count(cells: &Pieces) -> u128 {
    cells.iter().map(|(_, pieces)| pieces.len() as u128).fold(1, u128::saturating_mul)
}

/// Calls `visit` with each combination of pieces, those with the same piece of the first cell one
/// after the other.
pub(super) fn each_case(cells: &Pieces, mut visit: impl FnMut(&[(CellId, CellRange)])) {
    let mut places = vec![0; cells.len()];
    let mut case: Vec<(CellId, CellRange)> = cells.iter().map(|(cell, pieces)| (*cell, pieces[0])).collect();
    loop {
        visit(&case);
        let next = (0..cells.len()).rev().find(|&place| places[place] + 1 < cells[place].1.len());
        let Some(next) = next else { return };
        places[next] += 1;
        places[next + 1..].fill(0);
        for place in next..cells.len() {
            case[place].1 = cells[place].1[places[place]];
        }
    }
}

/// Whether the action's guards depend on the cell. Those between effects may do so through other
/// cells.
fn guards_read(model: &GuardedCommands, action: &Action, cell: CellId) -> bool {
    let variable = model.cells[cell.index()].variable;
    action.guards().any(|guard| guard.reads_variable(model, variable))
        || (action.has_later_guards() && effects_read(model, action, cell))
}

/// Whether what the action does to the cell depends on its value: an effect reads it, or it is an
/// element that an effect may keep.
fn effects_read(model: &GuardedCommands, action: &Action, cell: CellId) -> bool {
    let variable = model.cells[cell.index()].variable;
    let reads = |effect: &Effect| {
        let indices = effect.targets().filter_map(Target::index);
        effect.queue() == Some(variable)
            || effect.values().chain(indices).any(|one| one.reads_variable(model, variable))
    };
    !matches!(model.variable(variable).shape, Shape::Scalar(_) | Shape::Location(_))
        || action.effects.iter().any(reads)
}

/// The cells in the indices with which the action writes to the cell's array.
fn index_cells(model: &GuardedCommands, action: &Action, cell: CellId) -> Vec<CellId> {
    let (variable, mut found) = (model.cells[cell.index()].variable, Vec::new());
    for target in action.effects.iter().flat_map(Effect::targets) {
        if let Target::Element { array, index, .. } = target
            && *array == variable
        {
            index.for_each_subexpression(&mut |one| {
                if let Expression::Cell(cell) = one {
                    found.push(*cell);
                }
            });
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
