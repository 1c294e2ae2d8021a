//! A proof, action by action, that a tuple of expressions is monotone: it never decreases along a
//! step of the model.
//!
//! The tuple is compared from left to right. For each action its expressions are examined in that
//! order: one that does not change leaves the decision to the next one; one that always increases
//! decides; one that never decreases may leave the decision to the next one; one that may decrease
//! ends the attempt. The proof compares the value before the step with the values that the interval
//! analysis gives for afterwards: for all values before the step if there are few, and by the
//! distance between both for sums of cells (`algorithms.md`, 9.4).
//!
//! If the rest of the tuple is monotone only in the cases in which an expression stays, those cases
//! are tried one by one. That is how `(rank of the location, counter inside a loop, rank again
//! without the counted steps)` is proved.
//!
//! The proof is one-sided. A doubt does not mean that there is a step that decreases the tuple.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::abstract_step::{Knowledge, StepAnalysis, all_cells};
use super::value_graph::{MOST_CASES, Move, Pieces, ValueGraph, each_case, moves_of, singles};
use model::guarded_commands::{
    ActionId, BinaryOperator, CellId, Expression, GuardedCommands, Span, UnaryOperator,
};
use model::interpreter::Interpreter;
use model::interval::{CellRange, Interval};

/// Limit on the evaluated operators of one proof.
const WORK: u64 = 20_000_000;
/// Limit on the cases, in which an expression stays, that are tried one by one.
const MOST_SPLITS: usize = 256;
/// Bound of sums that certainly do not wrap around.
const LARGEST_SUM: i128 = 1 << 56;

/// The reason why a tuple of expressions is monotone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonotoneProof {
    components: Vec<Vec<RaisingAction>>,
}

/// An action that increases an expression, where the ones before it stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaisingAction {
    /// The action.
    pub action: ActionId,
    /// Its transitions in the source, one for each participant.
    pub spans: Vec<Span>,
    /// Whether it always does.
    pub raise: Raise,
}

/// How certainly an action increases an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raise {
    /// The expression increases whenever the action fires and the ones before it stay.
    Always,
    /// The expression increases or stays.
    Sometimes,
}

/// An action that may decrease the tuple, as far as the proof can tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expression {} may fall, where the ones before it do not rise", .component + 1)]
pub struct Doubt {
    /// The action.
    pub action: ActionId,
    /// Number of the expression that may decrease, from zero.
    pub component: usize,
    /// The action's transitions in the source, one for each participant.
    pub spans: Vec<Span>,
}

impl MonotoneProof {
    /// The actions that increase the expression with this number.
    pub fn raised_by(&self, component: usize) -> &[RaisingAction] {
        &self.components[component]
    }

    /// For each expression, the actions that increase it.
    pub fn components(&self) -> &[Vec<RaisingAction>] {
        &self.components
    }

    /// The source ranges that increase the expression with this number, each once, in order.
    pub fn spans(&self, component: usize) -> Vec<Span> {
        let mut spans: Vec<Span> =
            self.components[component].iter().flat_map(|one| one.spans.iter().copied()).collect();
        spans.sort_unstable_by_key(|span| (span.start, span.end));
        spans.dedup();
        spans
    }
}

/// Proves that the tuple of `components`, compared from left to right, never decreases along a step
/// of the model.
///
/// # Errors
/// The first action for which the proof fails.
pub fn prove_monotone(model: &GuardedCommands, components: &[Expression]) -> Result<MonotoneProof, Doubt> {
    Prover::new(model, WORK).prove(components)
}

/// Proves that no component of the vector of `components` decreases along a step of the model.
///
/// # Errors
/// The first action for which the proof fails.
pub fn prove_monotone_vector(
    model: &GuardedCommands,
    components: &[Expression],
) -> Result<MonotoneProof, Doubt> {
    let mut proof = MonotoneProof { components: Vec::with_capacity(components.len()) };
    for (component, expression) in components.iter().enumerate() {
        let alone = prove_monotone(model, std::slice::from_ref(expression));
        proof.components.extend(alone.map_err(|doubt| Doubt { component, ..doubt })?.components);
    }
    Ok(proof)
}

/// Everything about one model that proofs need.
pub(super) struct Prover<'m> {
    pub steps: StepAnalysis<'m>,
    interpreter: Interpreter<'m>,
    graphs: RefCell<HashMap<CellId, Option<Rc<ValueGraph>>>>,
}

/// The properties of one expression that the proof needs.
struct Component<'e> {
    expression: &'e Expression,
    /// First and last cells of the pieces that it reads.
    reads: Vec<(u32, u32)>,
    /// Cells and factors, if it is a sum.
    sum: Option<Vec<(CellId, i128)>>,
    /// If it reads a single cell of few values: its graph and the expression's value for each of
    /// them.
    table: Option<(CellId, Rc<ValueGraph>, HashMap<i64, i64>)>,
}

/// Ranges of some cells before a step.
type Case = Vec<(CellId, CellRange)>;

/// The effect of an action on an expression.
enum Finding {
    /// The action cannot fire.
    Impossible,
    Unchanged,
    Rises,
    /// It never decreases; if that was found case by case, these are the cases in which it may
    /// stay.
    Keeps {
        may_rise: bool,
        staying: Option<Vec<Case>>,
    },
    MayFall,
}

type Raises = BTreeMap<usize, Raise>;

impl<'m> Prover<'m> {
    pub fn new(model: &'m GuardedCommands, work: u64) -> Self {
        let steps = StepAnalysis::new(model, work);
        Self { steps, interpreter: Interpreter::new(model), graphs: RefCell::default() }
    }

    /// The value graph of a cell; `None` if it has too many values, or the limit on the work is
    /// reached.
    pub fn graph(&self, cell: CellId) -> Option<Rc<ValueGraph>> {
        if let Some(graph) = self.graphs.borrow().get(&cell) {
            return graph.clone();
        }
        let graph = ValueGraph::new(&self.steps, cell, &self.steps.writers(cell)).map(Rc::new);
        self.graphs.borrow_mut().insert(cell, graph.clone());
        graph
    }

    pub fn prove(&self, components: &[Expression]) -> Result<MonotoneProof, Doubt> {
        let model = self.steps.model;
        let described: Vec<Component<'_>> = components.iter().map(|one| self.describe(one)).collect();
        let mut proof = MonotoneProof { components: vec![Vec::new(); components.len()] };
        for (number, commands) in model.actions.iter().enumerate() {
            let action = ActionId(number as u32);
            let spans = || commands.participants.iter().map(|participant| participant.span).collect();
            match self.walk(action, &described, 0, &[]) {
                Ok(raises) => {
                    for (component, raise) in raises {
                        proof.components[component].push(RaisingAction { action, spans: spans(), raise });
                    }
                }
                Err(component) => return Err(Doubt { action, component, spans: spans() }),
            }
        }
        Ok(proof)
    }

    fn describe<'e>(&self, expression: &'e Expression) -> Component<'e> {
        let model = self.steps.model;
        let reads = read_by(model, expression);
        let sum = sum_of(model, expression).map(|sum| sum.terms.into_iter().collect());
        let table = match reads[..] {
            [(cell, last)] if cell == last => self.table(CellId(cell), expression),
            _ => None,
        };
        Component { expression, reads, sum, table }
    }

    fn table(
        &self,
        cell: CellId,
        expression: &Expression,
    ) -> Option<(CellId, Rc<ValueGraph>, HashMap<i64, i64>)> {
        let graph = self.graph(cell)?;
        let mut state = self.steps.model.initial_state();
        let mut values = HashMap::new();
        for value in graph.values() {
            state[cell.index()] = value;
            values.insert(value, self.interpreter.evaluate(expression, &state).ok()?);
        }
        Some((cell, graph, values))
    }

    /// The expressions from `first` on that the action increases, if the tuple does not decrease
    /// where those before `first` stay and the cells lie as in `case`; otherwise the number of one
    /// that may decrease.
    fn walk(
        &self,
        action: ActionId,
        components: &[Component<'_>],
        first: usize,
        case: &[(CellId, CellRange)],
    ) -> Result<Raises, usize> {
        let Some(component) = components.get(first) else { return Ok(Raises::new()) };
        let rest = |case: &[(CellId, CellRange)]| self.walk(action, components, first + 1, case);
        match self.find(action, component, case) {
            Finding::Impossible => Ok(Raises::new()),
            Finding::Unchanged => rest(case),
            Finding::Rises => Ok(Raises::from([(first, Raise::Always)])),
            Finding::MayFall => Err(first),
            Finding::Keeps { may_rise, staying } => {
                let mut raises = match (rest(case), staying) {
                    (Ok(raises), _) => raises,
                    (Err(_), Some(staying)) if staying.len() <= MOST_SPLITS => {
                        let each = staying.iter().map(|stays| rest(&[case, &stays[..]].concat()));
                        in_any_case(&each.collect::<Result<Vec<Raises>, usize>>()?)
                    }
                    (Err(component), _) => return Err(component),
                };
                if may_rise {
                    raises.insert(first, Raise::Sometimes);
                }
                Ok(raises)
            }
        }
    }

    fn find(&self, action: ActionId, component: &Component<'_>, case: &[(CellId, CellRange)]) -> Finding {
        if !component.reads.iter().any(|piece| self.steps.may_write(action, *piece)) {
            return Finding::Unchanged;
        }
        if !self.steps.has_time() {
            return Finding::MayFall;
        }
        let by_distance = match &component.sum {
            Some(terms) => self.by_distance(action, terms, case),
            None => Finding::MayFall,
        };
        if matches!(by_distance, Finding::Impossible | Finding::Unchanged | Finding::Rises) {
            return by_distance;
        }
        let by_cases = match &component.table {
            Some((cell, graph, values)) => self.by_table(action, (*cell, graph, values), case),
            None => self.by_cases(action, component, case),
        };
        match by_cases {
            // An attempt that reached its limit is no finding.
            Some(finding) if !matches!(finding, Finding::MayFall) => finding,
            _ => by_distance,
        }
    }

    /// Judges a sum by the distance between its values after and before the step.
    fn by_distance(
        &self,
        action: ActionId,
        terms: &[(CellId, i128)],
        case: &[(CellId, CellRange)],
    ) -> Finding {
        let mut distance = Interval::exactly(0);
        for (cell, factor) in terms.iter().filter(|term| self.steps.may_write(action, (term.0.0, term.0.0))) {
            let Some(mut known) = self.steps.begin(action, case, Some(*cell)) else {
                return Finding::Impossible;
            };
            if !known.execute(self.steps.model.action(action)) {
                return Finding::Impossible;
            }
            distance = distance.plus(known.cell(*cell).distance.times(*factor));
        }
        match distance {
            Interval { low: 0, high: 0 } => Finding::Unchanged,
            Interval { low: 1.., .. } => Finding::Rises,
            Interval { low: 0, .. } => Finding::Keeps { may_rise: true, staying: None },
            _ => Finding::MayFall,
        }
    }

    /// Judges an expression over one cell by the cell's moves.
    fn by_table(
        &self,
        action: ActionId,
        (cell, graph, values): (CellId, &ValueGraph, &HashMap<i64, i64>),
        case: &[(CellId, CellRange)],
    ) -> Option<Finding> {
        let found;
        let moves: &[Move] = if case.is_empty() {
            match graph.moves_by(action) {
                Some(moves) => moves,
                None => return Some(Finding::Unchanged),
            }
        } else {
            found = moves_of(&self.steps, action, cell, case)?;
            &found
        };
        let mut tally = Tally::default();
        for one in moves.iter().filter(|one| graph.is_reached(one.before)) {
            let after = graph.values_in(one.after).map(|value| values[&value]);
            let ends = after.fold(None, |ends: Option<(i64, i64)>, value| {
                Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
            });
            if let Some((low, high)) = ends {
                let stays = || vec![(cell, CellRange::exactly(one.before))];
                tally.count(values[&one.before], CellRange { low, high }, stays);
            }
        }
        Some(tally.finding())
    }

    /// Judges an expression over several cells by all combinations of their values.
    fn by_cases(
        &self,
        action: ActionId,
        component: &Component<'_>,
        case: &[(CellId, CellRange)],
    ) -> Option<Finding> {
        let cells = || component.reads.iter().flat_map(|(first, last)| (*first..=*last).map(CellId));
        if component.reads.iter().map(|(first, last)| u64::from(last - first) + 1).sum::<u64>() > 16 {
            return None;
        }
        let Some(known) = self.steps.begin(action, case, None) else { return Some(Finding::Impossible) };
        let ranges: Case = cells().map(|cell| (cell, known.cell(cell).range.range())).collect();
        let width = |range: &CellRange| u128::from(range.high.abs_diff(range.low)) + 1;
        if ranges.iter().map(|(_, range)| width(range)).fold(1, u128::saturating_mul) > MOST_CASES {
            return None;
        }
        let values: Pieces = ranges.into_iter().map(|(cell, range)| (cell, singles(range))).collect();
        let (mut tally, mut defined) = (Tally::default(), true);
        let mut state = self.steps.model.initial_state();
        each_case(&values, |values| {
            if !defined || !self.steps.has_time() {
                return;
            }
            let Some(mut known) = self.steps.begin(action, &[case, values].concat(), None) else { return };
            if !known.execute(self.steps.model.action(action)) {
                return;
            }
            values.iter().for_each(|(cell, value)| state[cell.index()] = value.low);
            match self.interpreter.evaluate(component.expression, &state) {
                Ok(before) => {
                    let after = self.value_after(component.expression, &known, values, &mut state);
                    tally.count(before, after, || values.to_vec());
                }
                Err(_) => defined = false,
            }
        });
        (defined && self.steps.has_time()).then(|| tally.finding())
    }

    fn value_after(
        &self,
        expression: &Expression,
        known: &Knowledge<'_>,
        cells: &[(CellId, CellRange)],
        state: &mut [i64],
    ) -> CellRange {
        for (cell, _) in cells {
            let Some(value) = known.cell(*cell).range.single() else {
                return known.value(expression).range.range();
            };
            state[cell.index()] = value;
        }
        match self.interpreter.evaluate(expression, state) {
            Ok(value) => CellRange::exactly(value),
            Err(_) => CellRange { low: i64::MIN, high: i64::MAX },
        }
    }
}

/// What is raised in any of the cases, and always only if it is so in each of them.
fn in_any_case(cases: &[Raises]) -> Raises {
    let mut all = Raises::new();
    for component in cases.iter().flat_map(|raises| raises.keys()) {
        let always = cases.iter().all(|raises| raises.get(component) == Some(&Raise::Always));
        all.insert(*component, if always { Raise::Always } else { Raise::Sometimes });
    }
    all
}

/// What an expression does in the cases so far.
#[derive(Default)]
struct Tally {
    any: bool,
    may_rise: bool,
    may_fall: bool,
    changes: bool,
    staying: Vec<Case>,
}

impl Tally {
    fn count(&mut self, before: i64, after: CellRange, case: impl FnOnce() -> Case) {
        self.any = true;
        self.may_rise |= after.high > before;
        self.may_fall |= after.low < before;
        self.changes |= after != CellRange::exactly(before);
        if after.low <= before {
            let case = case();
            // Moves from one value come one after the other.
            if self.staying.last() != Some(&case) {
                self.staying.push(case);
            }
        }
    }

    fn finding(self) -> Finding {
        match self {
            Self { any: false, .. } => Finding::Impossible,
            Self { may_fall: true, .. } => Finding::MayFall,
            Self { changes: false, .. } => Finding::Unchanged,
            Self { staying, .. } if staying.is_empty() => Finding::Rises,
            Self { may_rise, staying, .. } => Finding::Keeps { may_rise, staying: Some(staying) },
        }
    }
}

/// First and last cells of the pieces that the expression reads.
fn read_by(model: &GuardedCommands, expression: &Expression) -> Vec<(u32, u32)> {
    let mut pieces = Vec::new();
    expression.for_each_subexpression(&mut |one| match one {
        Expression::Cell(cell) => pieces.push((cell.0, cell.0)),
        Expression::Element { array, .. } => pieces.push(all_cells(model, *array)),
        _ => {}
    });
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

/// An expression as a sum of cells with factors and a constant, which never wraps around.
struct Sum {
    terms: BTreeMap<CellId, i128>,
    constant: i128,
    /// A bound of the absolute values of the sum and of all its partial sums.
    size: i128,
}

fn sum_of(model: &GuardedCommands, expression: &Expression) -> Option<Sum> {
    let sum = match expression {
        Expression::Constant(value) => {
            let constant = i128::from(*value);
            Sum { terms: BTreeMap::new(), constant, size: constant.abs() }
        }
        Expression::Cell(cell) => {
            let declared = model.cells[cell.index()].declared;
            let size = i128::from(declared.min().abs().max(declared.max()));
            Sum { terms: BTreeMap::from([(*cell, 1)]), constant: 0, size }
        }
        Expression::Unary(UnaryOperator::Negate, operand) => scaled(sum_of(model, operand)?, -1),
        Expression::Binary { operator, left, right, .. } => {
            let (left, right) = (sum_of(model, left)?, sum_of(model, right)?);
            match operator {
                BinaryOperator::Add => added(left, right),
                BinaryOperator::Subtract => added(left, scaled(right, -1)),
                BinaryOperator::Multiply if left.terms.is_empty() => scaled(right, left.constant),
                BinaryOperator::Multiply if right.terms.is_empty() => scaled(left, right.constant),
                _ => return None,
            }
        }
        _ => return None,
    };
    (sum.size <= LARGEST_SUM).then_some(sum)
}

fn scaled(mut sum: Sum, factor: i128) -> Sum {
    sum.terms.values_mut().for_each(|one| *one *= factor);
    Sum { terms: sum.terms, constant: sum.constant * factor, size: sum.size * factor.abs().max(1) }
}

fn added(mut left: Sum, right: Sum) -> Sum {
    for (cell, factor) in right.terms {
        *left.terms.entry(cell).or_default() += factor;
    }
    Sum { terms: left.terms, constant: left.constant + right.constant, size: left.size + right.size }
}
