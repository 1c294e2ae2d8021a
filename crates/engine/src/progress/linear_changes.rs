//! The incidence matrix of a model: the change of each cell by each action, where it is constant.
//!
//! For a Petri net this is the matrix of the state equation: places are cells, and a transition
//! adds a constant to each. Other models are treated alike as far as possible: a cell that some
//! action sets, or changes by varying amounts, is left out, and no linear measure may use it. The
//! effect of an action counts, not its form: `p := 0` behind the guard `p >= 1` takes one token
//! from a place that holds at most one, and the abstract step, on which all proofs rest, knows
//! that.
//!
//! A linear measure is y · state, so an action adds y · (its column), wherever it fires. Actions
//! with equal columns are alike to all linear measures and share one.

use std::collections::HashMap;

use super::abstract_step::StepAnalysis;
use model::guarded_commands::{ActionId, BinaryOperator, CellId, Expression, GuardedCommands};

/// Limit on the evaluated operators.
const WORK: u64 = 1_000_000;

/// Changes of some cells, by their positions in [`LinearChanges::cells`], ascending.
pub type Column = Vec<(usize, i64)>;

/// The constant changes of cells by actions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearChanges {
    /// Cells that change, always by constants.
    pub cells: Vec<CellId>,
    /// The different changes that actions make, of at least one cell each.
    pub columns: Vec<Column>,
    /// By action, its column; none for actions that change none of these cells, or never fire.
    pub of_action: Vec<Option<usize>>,
}

impl LinearChanges {
    /// The changes of a model; none if it would take too long to analyse all its actions.
    pub fn new(model: &GuardedCommands) -> Self {
        let steps = StepAnalysis::new(model, WORK);
        let mut is_linear = vec![true; model.cells.len()];
        // The numbers of locations are names: sums of them mean nothing.
        model.processes.iter().for_each(|process| is_linear[process.location.index()] = false);
        let mut changes: Vec<Vec<(CellId, i64)>> = Vec::with_capacity(model.actions.len());
        for number in 0..model.actions.len() {
            let action = ActionId(number as u32);
            let mut constant = Vec::new();
            for cell in steps.written_cells(action) {
                if !is_linear[cell.index()] {
                    continue;
                }
                if !steps.has_time() {
                    return Self::default();
                }
                let known = steps.begin(action, &[], Some(cell));
                let after = known.and_then(|mut known| known.execute(model.action(action)).then_some(known));
                let Some(after) = after else {
                    // The action never fires, whatever the other cells hold.
                    constant.clear();
                    break;
                };
                match after.cell(cell).distance.single() {
                    Some(0) => {}
                    Some(change) => constant.push((cell, change)),
                    None => is_linear[cell.index()] = false,
                }
            }
            changes.push(constant);
        }
        Self::of_changes(&is_linear, changes)
    }

    fn of_changes(is_linear: &[bool], changes: Vec<Vec<(CellId, i64)>>) -> Self {
        let mut cells: Vec<CellId> = changes.iter().flatten().map(|(cell, _)| *cell).collect();
        cells.sort_unstable();
        cells.dedup();
        cells.retain(|cell| is_linear[cell.index()]);
        let mut found = Self { cells, ..Self::default() };
        let mut numbers: HashMap<Column, usize> = HashMap::new();
        for constant in changes {
            let place = |(cell, change)| Some((found.cells.binary_search(&cell).ok()?, change));
            let mut column: Column = constant.into_iter().filter_map(place).collect();
            column.sort_unstable();
            if column.is_empty() {
                found.of_action.push(None);
                continue;
            }
            let next = found.columns.len();
            let number = *numbers.entry(column.clone()).or_insert(next);
            if number == next {
                found.columns.push(column);
            }
            found.of_action.push(Some(number));
        }
        found
    }

    /// The sum of these weights for each column; `None` if it exceeds 64 bits.
    pub fn deltas(&self, weights: &[i64]) -> Option<Vec<i64>> {
        let delta = |column: &Column| {
            let sum: i128 =
                column.iter().map(|(cell, change)| i128::from(weights[*cell]) * i128::from(*change)).sum();
            i64::try_from(sum).ok()
        };
        self.columns.iter().map(delta).collect()
    }
}

/// A weighted sum of cells as an expression: positive terms first, then negative ones.
pub fn weighted_sum(terms: impl Iterator<Item = (CellId, i64)>) -> Expression {
    let mut terms: Vec<(CellId, i64)> = terms.filter(|(_, weight)| *weight != 0).collect();
    terms.sort_by_key(|(cell, weight)| (*weight < 0, *cell));
    let mut sum: Option<Expression> = None;
    for (cell, weight) in terms {
        let cell = Expression::Cell(cell);
        let term = match weight.abs() {
            1 => cell,
            factor => Expression::binary(BinaryOperator::Multiply, Expression::Constant(factor), cell),
        };
        sum = Some(match sum {
            None if weight > 0 => term,
            None => Expression::binary(BinaryOperator::Subtract, Expression::Constant(0), term),
            Some(sum) if weight > 0 => Expression::binary(BinaryOperator::Add, sum, term),
            Some(sum) => Expression::binary(BinaryOperator::Subtract, sum, term),
        });
    }
    sum.unwrap_or(Expression::Constant(0))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use model::guarded_commands::{
        Action, Assignment, Effect, IntegerType, Location, LocationId, LocationKind, Overflow, Participant,
        Shape, Span, Target,
    };

    /// A net with these tokens and transitions: what each takes from places, and what it puts
    /// there. Places hold up to 255 tokens.
    pub fn net(tokens: &[i64], transitions: &[Vec<(i64, i64)>]) -> GuardedCommands {
        let mut model = GuardedCommands::default();
        for (place, tokens) in tokens.iter().enumerate() {
            let shape = Shape::Scalar(IntegerType { bits: 8, signed: false });
            model.add_variable(format!("p{place}"), None, shape, &[*tokens], Span::default());
        }
        let location = Location { name: "net".into(), kind: LocationKind::Ordinary, span: Span::default() };
        let process = model.add_process("net", vec![location], LocationId(0), Span::default());
        let (from, to) = (LocationId(0), LocationId(0));
        for transition in transitions {
            let (mut guards, mut changes) = (Vec::new(), Vec::new());
            for (place, (takes, puts)) in transition.iter().enumerate() {
                let cell = CellId(place as u32);
                let tokens = Expression::Cell(cell);
                if *takes > 0 {
                    let enough = Expression::Constant(*takes);
                    guards.push(Expression::binary(BinaryOperator::GreaterOrEqual, tokens.clone(), enough));
                }
                // Room for more: a net that stays within its places needs no other test.
                let room = Expression::Constant(100);
                guards.push(Expression::binary(BinaryOperator::LessOrEqual, tokens.clone(), room));
                if takes != puts {
                    let change = Expression::Constant(puts - takes);
                    let value = Expression::binary(BinaryOperator::Add, tokens, change);
                    changes.push(Assignment { target: Target::Cell(cell), value });
                }
            }
            let participant = Participant { process, from, to, guards, span: Span::default() };
            let effects = if changes.is_empty() { Vec::new() } else { vec![Effect::Assign(changes)] };
            model.actions.push(Action {
                participants: vec![participant],
                effects,
                channel: None,
                name: None,
            });
        }
        model
    }

    #[test]
    fn the_matrix_has_what_transitions_add() {
        let model =
            net(&[1, 0, 3], &[vec![(1, 0), (0, 2), (1, 1)], vec![(1, 0), (0, 2), (0, 0)], vec![(0, 0); 3]]);
        let changes = LinearChanges::new(&model);
        assert_eq!(changes.cells, [CellId(0), CellId(1)]);
        assert_eq!(changes.columns, [vec![(0, -1), (1, 2)]]);
        assert_eq!(changes.of_action, [Some(0), Some(0), None]);
        assert_eq!(changes.deltas(&[-3, 1]), Some(vec![5]));
    }

    #[test]
    fn a_place_of_which_only_its_maker_knows_the_bound_changes_by_constants() {
        let mut model = net(&[1, 0], &[vec![(1, 0), (0, 1)], vec![(0, 1), (1, 0)]]);
        for cell in &mut model.cells[..2] {
            (cell.declared, cell.overflow) = (IntegerType { bits: 1, signed: false }, Overflow::IsExcluded);
        }
        for action in &mut model.actions {
            // Nothing is left that says that there is room.
            action.participants[0].guards.retain(|guard| {
                !matches!(guard, Expression::Binary { operator: BinaryOperator::LessOrEqual, .. })
            });
        }
        assert_eq!(LinearChanges::new(&model).columns, [vec![(0, -1), (1, 1)], vec![(0, 1), (1, -1)]]);
    }

    #[test]
    fn a_cell_that_is_set_is_left_out_unless_its_value_is_known() {
        let mut model = net(&[1, 0], &[vec![(1, 0), (0, 1)]]);
        let set = |model: &mut GuardedCommands, value| {
            let Effect::Assign(changes) = &mut model.actions[0].effects[0] else { panic!("an assignment") };
            changes[0].value = Expression::Constant(value);
        };
        set(&mut model, 0);
        assert_eq!(LinearChanges::new(&model).cells, [CellId(0), CellId(1)], "it held one before");
        model.cells[0].initial = 7;
        assert_eq!(LinearChanges::new(&model).cells, [CellId(1)]);
    }
}
