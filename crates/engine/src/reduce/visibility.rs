//! Visible actions: those that can change the truth of a predicate.
//!
//! Predicates are decomposed into tests of single cells as far as possible. An action that changes
//! the outcome of no test, and none of the other cells that predicates read, is invisible. A move
//! of a process is invisible to predicates about locations that it neither leaves nor enters.
//!
//! Every check asks for run-time errors. So the cells of an action that may err count as read by a
//! predicate.

use super::cell_access::{Test, for_each_cell, simple_test};
use super::independence::Independence;
use model::guarded_commands::{ActionId, BinaryOperator, CellId, Expression, GuardedCommands, UnaryOperator};
use model::state_layout::CellRange;

/// The tests and cells that predicates read.
#[derive(Debug, Default)]
struct Watched {
    tests: Vec<(CellId, CellRange)>,
    cells: Vec<CellId>,
}

/// For each action, whether it can change the truth of a predicate, or whether a step is an error.
pub fn visible_actions(
    model: &GuardedCommands,
    facts: &Independence,
    predicates: &[Expression],
) -> Vec<bool> {
    let mut watched = Watched::default();
    predicates.iter().for_each(|predicate| watched.add(model, facts.proved(), predicate));
    let all = || (0..facts.actions()).map(|number| facts.footprint(ActionId(number as u32)));
    for footprint in all().filter(|footprint| footprint.may_err) {
        watched.cells.extend(footprint.cells.keys());
    }
    watched.cells.sort_unstable();
    watched.cells.dedup();
    all()
        .map(|footprint| {
            let writes = |cell: &CellId| watched.cells.binary_search(cell).is_ok();
            let changes = |(cell, range): &(CellId, CellRange)| {
                let access = footprint.cells.get(cell);
                access.is_some_and(|access| access.can_enter(*range) || access.can_leave(*range))
            };
            footprint.cells.iter().any(|(cell, access)| access.writes() && writes(cell))
                || watched.tests.iter().any(changes)
        })
        .collect()
}

/// Whether some action may end in a run-time error.
pub fn may_err(facts: &Independence) -> bool {
    (0..facts.actions()).any(|number| facts.footprint(ActionId(number as u32)).may_err)
}

impl Watched {
    fn add(&mut self, model: &GuardedCommands, proved: &[CellRange], predicate: &Expression) {
        match predicate {
            Expression::Unary(UnaryOperator::Not, operand) => self.add(model, proved, operand),
            Expression::Binary {
                operator: BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Imply,
                left,
                right,
                ..
            } => {
                self.add(model, proved, left);
                self.add(model, proved, right);
            }
            _ => match simple_test(model, proved, predicate, true) {
                Some(Test::Within(cell, range)) => self.tests.push((cell, range)),
                Some(Test::Differs(cell, value)) => self.tests.push((cell, CellRange::exactly(value))),
                None => for_each_cell(model, proved, predicate, &mut |cell| self.cells.push(cell)),
            },
        }
    }
}
