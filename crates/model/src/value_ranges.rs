//! Interval analysis: the values that each cell can take, proved from the guarded commands.
//!
//! One interval per cell for the whole run. Locations are not distinguished, since the field of a
//! cell must hold the union anyway. Each action is executed on intervals, narrowed by what its
//! guards say about the cells they compare. The values it writes are joined into the result until
//! nothing grows. Bounds that keep growing jump to the next constant of the model, then to the
//! declared type, so that the analysis ends soon (widening with thresholds). An assignment that may
//! leave the declared type gives all values of the type, because the value wraps around.
//!
//! Sound by construction: each store of a run, intermediate ones included, is covered by a join. A
//! test compares the result with the values that really occur.
//!
//! `knowledge.rs` evaluates and narrows, `execution.rs` runs effects, `hazards.rs` finds
//! expressions that may have no value.

mod execution;
mod hazards;
mod knowledge;

use std::collections::BTreeSet;

use crate::guarded_commands::{Action, CellId, Expression, GuardedCommands, Overflow};
use crate::interval::CellRange;
use crate::meaning::{execute, execute_effects};

use execution::IntervalStep;
use knowledge::{Facts, Known};

pub use hazards::{Hazard, HazardKind, first_hazard};

/// Rounds in which bounds may grow by any amount before they jump.
const PATIENT_ROUNDS: usize = 20;
/// Rounds in which bounds may jump from constant to constant before they jump to the declared type.
const JUMPING_ROUNDS: usize = 100;

/// The values that the type of each cell allows.
pub fn declared_ranges(model: &GuardedCommands) -> Vec<CellRange> {
    model.cells.iter().map(|cell| cell.declared.range()).collect()
}

/// For each cell, a range that it never leaves.
pub fn proved_ranges(model: &GuardedCommands) -> Vec<CellRange> {
    Analysis::finished(model).ranges
}

/// What the analysis could not prove about an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    /// The action may end in a run-time error, in a guard or in an effect.
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

/// Whether the expression may have no value in a reachable state, if `ranges` covers those of its
/// cells.
pub fn may_err(model: &GuardedCommands, ranges: &[CellRange], expression: &Expression) -> bool {
    Facts { model, ranges }.may_err(expression, &Known::default())
}

/// The values that an expression can have in a reachable state, if `ranges` covers those of its
/// cells.
pub fn expression_range(model: &GuardedCommands, ranges: &[CellRange], expression: &Expression) -> CellRange {
    Facts { model, ranges }.range(expression, &Known::default())
}

struct Analysis<'m> {
    model: &'m GuardedCommands,
    ranges: Vec<CellRange>,
    /// By process and location, whether some analysed action leads there.
    reached: Vec<Vec<bool>>,
    thresholds: Vec<i64>,
    round: usize,
    changed: bool,
}

impl<'m> Analysis<'m> {
    /// The analysis before its first round, which covers the initial state only.
    fn new(model: &'m GuardedCommands) -> Self {
        let mut analysis = Self {
            model,
            ranges: model.cells.iter().map(|cell| CellRange::exactly(cell.initial)).collect(),
            reached: model.processes.iter().map(|process| vec![false; process.locations.len()]).collect(),
            thresholds: constants(model).into_iter().collect(),
            round: 0,
            changed: false,
        };
        for (process, reached) in model.processes.iter().zip(&mut analysis.reached) {
            reached[model.cells[process.location.index()].initial as usize] = true;
        }
        analysis
    }

    /// The analysis at its fixed point.
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

    fn facts(&self) -> Facts<'_> {
        Facts { model: self.model, ranges: &self.ranges }
    }

    /// Joins the values that the action writes, wherever it may be enabled, into the ranges.
    fn run(&mut self, action: &'m Action) {
        let mut known = Known::default();
        for participant in &action.participants {
            let from = participant.from.0 as usize;
            if !self.reached[participant.process.0 as usize][from] {
                return;
            }
            let location = self.model.process(participant.process).location;
            known.set_cell(location, CellRange::exactly(from as i64));
        }
        for guard in action.guards() {
            if !self.facts().assume(guard, true, &mut known) {
                return;
            }
        }
        // If a guard between effects is never true, what was stored before it is covered all the same.
        _ = execute(&mut IntervalStep { analysis: self, known, doubts: None }, action);
    }

    /// What the finished ranges do not prove about the action. Participants are tested one after
    /// the other, as by the interpreter: an error of the first one counts wherever the second one
    /// is.
    fn doubts(&mut self, action: &'m Action) -> Doubts {
        let (mut doubts, mut known) = (Doubts::default(), Known::default());
        for participant in &action.participants {
            let from = participant.from.0 as usize;
            if !self.reached[participant.process.0 as usize][from] {
                return doubts;
            }
            let location = self.model.process(participant.process).location;
            known.set_cell(location, CellRange::exactly(from as i64));
            for guard in &participant.guards {
                doubts.may_err |= self.facts().may_err(guard, &known);
                if !self.facts().assume(guard, true, &mut known) {
                    return doubts;
                }
            }
        }
        let mut step = IntervalStep { analysis: self, known, doubts: Some(doubts) };
        _ = execute_effects(&mut step, action);
        let mut doubts = step.doubts.take().unwrap_or_default();
        let is_error = |cell: &CellId| self.model.cells[cell.index()].overflow == Overflow::IsError;
        doubts.may_err |= doubts.may_outgrow.iter().any(is_error);
        doubts
    }

    /// Joins values into the range of a cell, with widening after some rounds.
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
}

/// The constants in the model and their neighbours: where a growing bound is likely to stop.
fn constants(model: &GuardedCommands) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    let mut collect = |expression: &Expression| {
        expression.for_each_subexpression(&mut |one| {
            if let Expression::Constant(value) = one {
                found.extend([value.saturating_sub(1), *value, value.saturating_add(1)]);
            }
        });
    };
    for action in &model.actions {
        action.guards().for_each(&mut collect);
        action.effects.iter().flat_map(|effect| effect.values()).for_each(&mut collect);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarded_commands::{
        Assignment, BinaryOperator, Effect, IntegerType, Location, LocationId, LocationKind, Participant,
        Shape, Span, Target,
    };

    const X: Expression = Expression::Cell(CellId(0));

    /// A byte `x`, an array of two bytes, and one action with these effects.
    fn model(effects: Vec<Effect>) -> GuardedCommands {
        let mut model = GuardedCommands::default();
        let byte = IntegerType::BYTE;
        model.add_variable("x", None, Shape::Scalar(byte), &[0], Span::default());
        model.add_variable("a", None, Shape::Array { element: byte, length: 2 }, &[], Span::default());
        let location = Location { name: "l".into(), kind: LocationKind::Ordinary, span: Span::default() };
        let process = model.add_process("P", vec![location], LocationId(0), Span::default());
        let (from, to) = (LocationId(0), LocationId(0));
        let participant = Participant { process, from, to, guards: vec![], span: Span::default() };
        model.actions.push(Action { participants: vec![participant], effects, channel: None, name: None });
        model
    }

    fn set(cell: u32, value: Expression) -> Effect {
        Effect::Assign(vec![Assignment { target: Target::Cell(CellId(cell)), value }])
    }

    fn less(limit: i64) -> Expression {
        Expression::binary(BinaryOperator::Less, X, Expression::Constant(limit))
    }

    fn more() -> Expression {
        Expression::binary(BinaryOperator::Add, X, Expression::Constant(1))
    }

    fn element_at_x() -> Expression {
        Expression::Element {
            array: crate::guarded_commands::VariableId(1),
            index: Box::new(X),
            span: Span::default(),
        }
    }

    #[test]
    fn a_guard_between_effects_bounds_what_comes_after_it() {
        let bounded = model(vec![Effect::Guard(less(5)), set(0, more())]);
        assert_eq!(proved_ranges(&bounded)[0], CellRange { low: 0, high: 5 });
        // The value is stored before the guard is tested.
        let late = model(vec![set(0, more()), Effect::Guard(less(5))]);
        assert!(proved_ranges(&late)[0].high >= 5);
        let element = vec![set(0, more()), Effect::Guard(less(2)), set(1, element_at_x())];
        assert!(!proved_ranges_and_doubts(&model(element)).1[0].may_err);
        let never = model(vec![Effect::Guard(Expression::Constant(0)), set(0, more())]);
        assert_eq!(proved_ranges(&never)[0], CellRange::exactly(0));
    }

    #[test]
    fn a_branch_is_evaluated_where_its_condition_holds() {
        let zero = Expression::Constant(0);
        let guarded = |value| model(vec![set(0, Expression::conditional(less(9), more(), X)), set(1, value)]);
        let good = guarded(Expression::conditional(less(2), element_at_x(), zero.clone()));
        let (ranges, doubts) = proved_ranges_and_doubts(&good);
        assert_eq!((ranges[0].high, doubts[0].may_err), (9, false));
        let bad = guarded(Expression::conditional(less(2), zero, element_at_x()));
        assert!(proved_ranges_and_doubts(&bad).1[0].may_err);
    }

    #[test]
    fn a_conditional_guard_narrows_by_the_branch_that_can_be_true() {
        let mut one = model(vec![set(0, more())]);
        let by_branch = Expression::conditional(less(3), Expression::Constant(1), Expression::Constant(0));
        one.actions[0].participants[0].guards.push(by_branch);
        assert_eq!(proved_ranges(&one)[0], CellRange { low: 0, high: 3 });
    }
}
