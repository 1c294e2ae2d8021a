//! Changes of progress by steps: what an action adds to the progress value, where that is constant.
//!
//! A sweep compares the progress of each successor with that of the layer. A measure of a Petri net is
//! often a sum of more than a hundred places, and evaluating it for each successor then takes most of
//! the time. But all states of a layer have the same value, and a transition of a net adds a constant
//! to a sum of places, wherever it fires: so the value of a successor is that of the layer plus the
//! change of its action. Which changes are constant is a matter of the [abstract
//! step](super::abstract_step), as for all proofs.

use std::collections::HashMap;
use std::sync::Arc;

use model::guarded_commands::{ActionId, BinaryOperator, CellId, Expression, GuardedCommands, UnaryOperator};
use model::measure::{Comparison, ExpressionMeasure};
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, Expansion, TransitionSystem, Truth};

use super::abstract_step::StepAnalysis;

/// Limit on the evaluated operators.
const WORK: u64 = 1_000_000;
/// Operators and operands of a measure from which on evaluating it takes longer than adding.
const LONG: usize = 24;
/// Stands for a change that is not constant.
const VARYING: i64 = i64::MIN;

/// By action, what it adds to the progress value.
#[derive(Debug, PartialEq, Eq)]
pub struct StepChanges(Box<[i64]>);

impl StepChanges {
    /// The changes by the actions of a model, if the measure takes long to evaluate and at least one
    /// change is constant.
    pub fn new(model: &GuardedCommands, measure: &ExpressionMeasure) -> Option<Self> {
        let is_long = measure.packed().size() >= LONG && measure.comparison() == Comparison::Total;
        is_long.then(|| Self::of_any(model, measure)).flatten()
    }

    /// The same, however long the measure is.
    fn of_any(model: &GuardedCommands, measure: &ExpressionMeasure) -> Option<Self> {
        let steps = StepAnalysis::new(model, WORK);
        let change = |number| {
            let action = ActionId(number as u32);
            let mut step = Step { steps: &steps, model, action, written: HashMap::new() };
            step.written.extend(steps.written_cells(action).into_iter().map(|cell| (cell, None)));
            let changes: Option<Vec<i64>> =
                measure.components().iter().map(|component| step.change(component)).collect();
            measure.packed_change(&changes?)
        };
        let changes: Box<[i64]> =
            (0..model.actions.len()).map(|action| change(action).unwrap_or(VARYING)).collect();
        changes.iter().any(|change| *change != VARYING).then_some(Self(changes))
    }

    /// Appends the values of successors along these actions, of states that have the value `before`.
    /// Appends nothing and returns `false` if one of the changes is not constant.
    #[inline]
    fn append(&self, before: u64, actions: &[u32], values: &mut Vec<u64>) -> bool {
        let (len, mut is_known) = (values.len(), true);
        values.extend(actions.iter().map(|action| {
            let change = self.0[*action as usize];
            is_known &= change != VARYING;
            before.wrapping_add_signed(change)
        }));
        if !is_known {
            values.truncate(len);
        }
        is_known
    }
}

/// A step of one action.
struct Step<'a> {
    steps: &'a StepAnalysis<'a>,
    model: &'a GuardedCommands,
    action: ActionId,
    /// The cells that it may write, and how much it adds to each, once that was computed.
    written: HashMap<CellId, Option<Option<i64>>>,
}

impl Step<'_> {
    /// What the step adds to the value of the expression, if that is constant.
    fn change(&mut self, expression: &Expression) -> Option<i64> {
        match expression {
            Expression::Constant(_) => Some(0),
            Expression::Cell(cell) => self.cell_change(*cell),
            Expression::Unary(UnaryOperator::Negate, operand) => self.change(operand)?.checked_neg(),
            Expression::Binary { operator: BinaryOperator::Add, left, right, .. } => {
                self.change(left)?.checked_add(self.change(right)?)
            }
            Expression::Binary { operator: BinaryOperator::Subtract, left, right, .. } => {
                self.change(left)?.checked_sub(self.change(right)?)
            }
            Expression::Binary { operator: BinaryOperator::Multiply, left, right, .. } => {
                match (&**left, &**right) {
                    (Expression::Constant(factor), other) | (other, Expression::Constant(factor)) => {
                        self.change(other)?.checked_mul(*factor)
                    }
                    _ => self.unchanged(expression),
                }
            }
            _ => self.unchanged(expression),
        }
    }

    /// No change, if the step writes no cell that the expression reads.
    fn unchanged(&self, expression: &Expression) -> Option<i64> {
        let may_change = expression.has_subexpression(&mut |one| match one {
            Expression::Cell(cell) => self.written.contains_key(cell),
            Expression::Element { .. } => true,
            _ => false,
        });
        (!may_change).then_some(0)
    }

    fn cell_change(&mut self, cell: CellId) -> Option<i64> {
        match self.written.get(&cell) {
            None => return Some(0),
            Some(Some(change)) => return *change,
            Some(None) => {}
        }
        let change = self.compute(cell);
        self.written.insert(cell, Some(change));
        change
    }

    fn compute(&self, cell: CellId) -> Option<i64> {
        if !self.steps.has_time() {
            return None;
        }
        let known = self.steps.begin(self.action, &[], Some(cell));
        let after =
            known.and_then(|mut known| known.execute(self.model.action(self.action)).then_some(known));
        match after {
            Some(after) => after.cell(cell).distance.single(),
            // The action never fires.
            None => Some(0),
        }
    }
}

/// A system that knows how steps change progress.
pub struct SystemWithChanges<S> {
    system: S,
    changes: Arc<StepChanges>,
}

impl<S> SystemWithChanges<S> {
    /// The same system with this knowledge about its measure.
    pub fn new(system: S, changes: Arc<StepChanges>) -> Self {
        Self { system, changes }
    }
}

impl<S: TransitionSystem> TransitionSystem for SystemWithChanges<S> {
    fn shape(&self) -> RecordShape {
        self.system.shape()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ExpanderWithChanges { expander: self.system.expander(), changes: &self.changes })
    }
}

struct ExpanderWithChanges<'s> {
    expander: Box<dyn Expander + 's>,
    changes: &'s StepChanges,
}

impl Expander for ExpanderWithChanges<'_> {
    #[inline]
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        self.expander.expand(states, batch)
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        self.expander.predicates(states, truths);
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        self.expander.progress(states, values);
    }

    #[inline]
    fn successor_progress(&mut self, before: u64, actions: &[u32], states: &[u64], values: &mut Vec<u64>) {
        if !self.changes.append(before, actions, values) {
            self.expander.progress(states, values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::linear_changes::tests::net;
    use crate::progress::linear_changes::weighted_sum;

    #[test]
    fn a_transition_adds_a_constant_to_a_sum_of_places() {
        // Two transitions: one moves a token from the first place to the second, one takes two from
        // the second and puts three into the third.
        let model = net(&[3, 0, 0], &[vec![(1, 0), (0, 1), (0, 0)], vec![(0, 0), (2, 0), (0, 3)]]);
        let cell = |number| CellId(number);
        let sum = weighted_sum([(cell(1), 2), (cell(2), 5), (cell(0), -1)].into_iter());
        let measure = ExpressionMeasure::new(&model, &[Expression::Cell(cell(2)), sum]).unwrap();
        let changes = StepChanges::of_any(&model, &measure).unwrap();
        let bits = measure.bits() - 8;
        assert_eq!(*changes.0, [3, (3 << bits) + 15 - 4]);
        let mut values = Vec::new();
        assert!(changes.append(100, &[1, 0], &mut values));
        assert_eq!(values, [100 + (3 << bits) + 11, 103]);
        // It takes no time to evaluate: nothing need be known.
        assert_eq!(StepChanges::new(&model, &measure), None);
    }

    #[test]
    fn a_rank_changes_unless_its_cells_stay() {
        let model = net(&[1, 0, 0], &[vec![(1, 0), (0, 1), (0, 0)], vec![(0, 0), (1, 0), (0, 1)]]);
        let is_first = Expression::cell_equals(CellId(0), 1);
        let measure = ExpressionMeasure::new(&model, &[is_first]).unwrap();
        let changes = StepChanges::of_any(&model, &measure).unwrap();
        assert_eq!(*changes.0, [VARYING, 0]);
        assert!(!changes.append(0, &[1, 0], &mut Vec::new()));
    }
}
