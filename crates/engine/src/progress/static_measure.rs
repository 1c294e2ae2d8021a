//! A measure from the text of the model alone: a tuple of cells and orders of their values that is
//! proved to be monotone.
//!
//! The static value graph of a cell is condensed into strongly connected components, and a value
//! ranks by the longest path to its component: no step decreases that rank. The first expression of
//! the tuple is the cell whose rank the most actions always increase. Those actions are decided,
//! whatever they do to other cells. The graphs of the others are condensed again, which gives the
//! next expression, and so on. So a counter cuts the loops that increase it, and the control
//! locations inside get an order of their own (`algorithms.md`, 3.4 and 9.4, in one general form).
//!
//! Cells with too many values for a graph are tried as they are, increasing or decreasing, by the
//! distance that steps move them. The contents of queues are left out, because messages move from
//! slot to slot, hardly ever in one direction.
//!
//! The work is bounded, small cells come first, and in the end the tuple must pass the same proof
//! as a user's measure.

use std::cmp::Reverse;
use std::sync::Arc;

use super::levels::levels;
use super::monotone_proof::Prover;
use super::value_graph::ValueGraph;
use model::guarded_commands::{
    ActionId, CellId, Expression, GuardedCommands, ProcessId, Shape, UnaryOperator,
};
use model::interval::{CellRange, Interval};
use model::value_order::{ValueOrder, WIDEST_ORDER};
use model::value_ranges::expression_range;

/// Limit on the evaluated operators for graphs; the final proof may take as many again.
const WORK: u64 = 1_000_000;
/// Limit on the values of a cell times the actions that write it. Beyond, the cell counts as one of
/// too many values.
const MOST_STEPS: u64 = 1 << 14;
/// Limit on the steps in a value graph, with the members of intervals counted one by one.
const MOST_EDGES: u64 = 200_000;
/// Number of values below which a cell always gets a graph.
const FEW_VALUES: u64 = 8;
/// Bits of a progress value.
const BITS: u32 = 63;

/// One expression of a static measure.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticComponent {
    /// The cell, its negation, or the rank of its value.
    pub expression: Expression,
    /// The cell.
    pub cell: CellId,
    /// The actions that always increase the expression, of those that leave the ones before it
    /// unchanged.
    pub raised_by: Vec<ActionId>,
}

/// Expressions that are monotone if compared from left to right: `prove_monotone` accepts them, and
/// they fit into a progress value. There may be none.
pub fn static_measure(model: &GuardedCommands) -> Vec<StaticComponent> {
    let prover = Prover::new(model, WORK);
    let mut chosen = Choice::new(&prover).choose();
    prover.steps.grant(WORK);
    loop {
        let expressions: Vec<Expression> = chosen.iter().map(|one| one.expression.clone()).collect();
        match prover.prove(&expressions) {
            Ok(_) => return chosen,
            // The proof reached its limit: the expressions before are a measure, too.
            Err(doubt) => chosen.truncate(doubt.component),
        }
    }
}

/// For each process with several locations, the rank of its location in the reverse post-order of
/// its control graph: only back edges of a depth-first search decrease it. It is a heuristic, not
/// proved.
pub fn control_orders(model: &GuardedCommands) -> Vec<Expression> {
    let processes = (0..).map(ProcessId).zip(&model.processes);
    let several = processes.filter(|(_, process)| process.locations.len() > 1);
    let ranked = several.filter_map(|(id, process)| {
        let mut leaving = vec![Vec::new(); process.locations.len()];
        for participant in model.actions.iter().flat_map(|action| &action.participants) {
            if participant.process == id {
                leaving[participant.from.0 as usize].push(participant.to.0 as usize);
            }
        }
        let initial = model.cells[process.location.index()].initial as usize;
        let classes: Vec<[i64; 1]> =
            reverse_post_order(&leaving, initial).into_iter().map(|location| [location as i64]).collect();
        let order = ValueOrder::new(&classes)?;
        Some(Expression::Rank(Box::new(Expression::Cell(process.location)), Arc::new(order)))
    });
    ranked.collect()
}

fn reverse_post_order(leaving: &[Vec<usize>], initial: usize) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; leaving.len()], Vec::new());
    let mut path = vec![(initial, 0)];
    seen[initial] = true;
    while let Some((node, next)) = path.last_mut() {
        match leaving[*node].get(*next) {
            Some(&target) => {
                *next += 1;
                if !seen[target] {
                    seen[target] = true;
                    path.push((target, 0));
                }
            }
            None => {
                order.push(*node);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The moves of a cell by the actions that no chosen expression always increases.
enum Moves {
    /// Not computed yet: while one of these actions is left, every value can follow every other
    /// one.
    Mixed(Vec<ActionId>),
    /// From value to values. Moves that the cell's own order increases are removed afterwards.
    Graph(Vec<(ActionId, i64, CellRange)>),
    /// Distances, for a cell of too many values.
    Distances(Vec<(ActionId, Interval)>),
}

/// The next expression that a cell could give.
#[derive(Clone)]
struct Candidate {
    expression: Expression,
    /// The number of ranks.
    values: u64,
    always: Vec<ActionId>,
    sometimes: usize,
    /// The ranks of the values from the proved range's low end on, where there are few; below zero
    /// if never reached.
    ranks: Option<Vec<i64>>,
}

struct Subject {
    cell: CellId,
    moves: Moves,
    /// The ranks of its expressions so far.
    chosen: Vec<Vec<i64>>,
    /// Computed when it is needed; it depends on the moves and the ranks so far.
    candidate: Option<Option<Candidate>>,
}

struct Choice<'p, 'm> {
    prover: &'p Prover<'m>,
    subjects: Vec<Subject>,
    /// For each action, whether it always increases a chosen expression.
    done: Vec<bool>,
}

impl<'p, 'm> Choice<'p, 'm> {
    fn new(prover: &'p Prover<'m>) -> Self {
        let (model, steps) = (prover.steps.model, &prover.steps);
        let width = |cell: CellId| {
            let CellRange { low, high } = steps.proved[cell.index()];
            high.abs_diff(low)
        };
        let is_content = |cell: CellId| {
            let variable = model.variable(model.cells[cell.index()].variable);
            matches!(variable.shape, Shape::Queue { .. }) && variable.first_cell != cell
        };
        let mut cells: Vec<CellId> = (0..model.cells.len() as u32).map(CellId).collect();
        cells.retain(|cell| width(*cell) > 0 && !is_content(*cell));
        // Cells with too many values for a graph cost little.
        cells.sort_by_key(|cell| (width(*cell) < WIDEST_ORDER, width(*cell)));
        let mut subjects = Vec::new();
        for cell in cells {
            // Finding the writers visits each action.
            steps.spend(model.actions.len() as u64 / 4);
            if !steps.has_time() {
                break;
            }
            let writers = steps.writers(cell);
            let steps_of_cell = width(cell).saturating_mul(writers.len() as u64);
            let moves = if width(cell) < WIDEST_ORDER && steps_of_cell <= MOST_STEPS {
                Moves::Mixed(writers.into_iter().filter(|action| mixes(prover, *action, cell)).collect())
            } else {
                Moves::Distances(distances(prover, cell, &writers))
            };
            subjects.push(Subject { cell, moves, chosen: Vec::new(), candidate: None });
        }
        Self { prover, subjects, done: vec![false; model.actions.len()] }
    }

    fn choose(mut self) -> Vec<StaticComponent> {
        let (mut chosen, mut bits_left) = (Vec::new(), BITS);
        loop {
            let prover = self.prover;
            for subject in &mut self.subjects {
                let Subject { cell, moves, chosen, candidate } = subject;
                if matches!(moves, Moves::Mixed(mixing) if mixing.is_empty())
                    && let Some(graph) = prover.graph(*cell)
                {
                    *moves = Moves::Graph(graph_moves(&graph));
                    moves.retain(|action| !self.done[action.0 as usize]);
                }
                candidate.get_or_insert_with(|| next_expression(prover, *cell, moves, chosen));
            }
            let offers = self.subjects.iter().enumerate().filter_map(|(number, subject)| {
                let one = subject.candidate.as_ref()?.as_ref()?;
                let sometimes = if one.always.is_empty() { one.sometimes } else { 0 };
                Some(((Reverse(one.always.len()), Reverse(sometimes), one.values, subject.cell), number))
            });
            let Some((_, number)) = offers.min() else { return chosen };
            let subject = &mut self.subjects[number];
            let Some(best) = subject.candidate.take().flatten() else { return chosen };
            let range = expression_range(prover.steps.model, &prover.steps.proved, &best.expression);
            let bits = 64 - range.high.abs_diff(range.low).leading_zeros();
            if bits > bits_left {
                // Narrower ones may still fit.
                subject.candidate = Some(None);
                continue;
            }
            bits_left -= bits;
            subject.cut(&best, prover.steps.proved[subject.cell.index()].low);
            self.drop_actions(&best.always);
            let cell = self.subjects[number].cell;
            chosen.push(StaticComponent { expression: best.expression, cell, raised_by: best.always });
        }
    }

    /// Removes the moves of actions that always increase a chosen expression.
    fn drop_actions(&mut self, actions: &[ActionId]) {
        actions.iter().for_each(|action| self.done[action.0 as usize] = true);
        for subject in &mut self.subjects {
            if subject.moves.retain(|action| !self.done[action.0 as usize]) {
                subject.candidate = None;
            }
        }
    }
}

impl Moves {
    /// Keeps some actions; `true` if any was removed.
    fn retain(&mut self, keep: impl Fn(ActionId) -> bool) -> bool {
        match self {
            Self::Mixed(actions) => {
                let before = actions.len();
                actions.retain(|action| keep(*action));
                actions.len() < before
            }
            Self::Graph(moves) => {
                let before = moves.len();
                moves.retain(|(action, ..)| keep(*action));
                moves.len() < before
            }
            Self::Distances(moves) => {
                let before = moves.len();
                moves.retain(|(action, _)| keep(*action));
                moves.len() < before
            }
        }
    }
}

impl Subject {
    /// Removes the moves that its own expression increases, so that the next one of this cell is
    /// about the rest.
    fn cut(&mut self, chosen: &Candidate, low: i64) {
        self.chosen.extend(chosen.ranks.clone());
        match (&mut self.moves, &chosen.ranks) {
            (Moves::Graph(moves), Some(ranks)) => {
                let rank = |value: i64| ranks[value.abs_diff(low) as usize];
                let last = low + (ranks.len() as i64 - 1);
                moves.retain(|(_, before, after)| {
                    let mut values = after.low.max(low)..=after.high.min(last);
                    values.any(|value| rank(value) >= 0 && rank(value) <= rank(*before))
                });
            }
            (moves, _) => _ = moves.retain(|_| false),
        }
        self.candidate = None;
    }
}

fn graph_moves(graph: &ValueGraph) -> Vec<(ActionId, i64, CellRange)> {
    let all = graph.moves.iter().flat_map(|(action, moves)| moves.iter().map(|one| (*action, one)));
    all.map(|(action, one)| (action, one.before, one.after)).collect()
}

/// The distances that the actions move a cell of many values.
fn distances(prover: &Prover<'_>, cell: CellId, writers: &[ActionId]) -> Vec<(ActionId, Interval)> {
    let steps = &prover.steps;
    let moved = writers.iter().filter_map(|action| {
        let mut known = steps.begin(*action, &[], Some(cell))?;
        known.execute(steps.model.action(*action)).then(|| (*action, known.cell(cell).distance))
    });
    moved.filter(|(_, distance)| *distance != Interval::exactly(0)).collect()
}

/// Whether the action seems to lead from every value of the cell to every other one, judged by a
/// few of them. That avoids a graph without an order; no proof depends on it.
fn mixes(prover: &Prover<'_>, action: ActionId, cell: CellId) -> bool {
    let CellRange { low, high } = prover.steps.proved[cell.index()];
    let probes = [low, high, low + (high - low) / 2];
    high.abs_diff(low) >= FEW_VALUES
        && probes.into_iter().all(|value| {
            let fixed = [(cell, CellRange::exactly(value))];
            let after = prover.steps.begin(action, &fixed, None).and_then(|mut known| {
                let fires = known.execute(prover.steps.model.action(action));
                fires.then(|| known.cell(cell).range.range())
            });
            after == Some(CellRange { low, high })
        })
}

/// The candidate of the cell, by its remaining moves.
fn next_expression(
    prover: &Prover<'_>,
    cell: CellId,
    moves: &Moves,
    chosen: &[Vec<i64>],
) -> Option<Candidate> {
    match moves {
        Moves::Mixed(_) => None,
        Moves::Graph(moves) => {
            let graph = prover.graph(cell)?;
            ranked(prover, (cell, &graph), moves, chosen)
        }
        Moves::Distances(moves) => {
            let rising = moves.iter().all(|(_, distance)| distance.low >= 0);
            let falling = moves.iter().all(|(_, distance)| distance.high <= 0);
            if moves.is_empty() || !(rising || falling) {
                return None;
            }
            let surely = |distance: &Interval| if rising { distance.low > 0 } else { distance.high < 0 };
            let always = moves.iter().filter(|(_, distance)| surely(distance)).map(|(action, _)| *action);
            let expression = Expression::Cell(cell);
            let CellRange { low, high } = prover.steps.proved[cell.index()];
            Some(Candidate {
                expression: if rising { expression } else { negated(expression) },
                values: high.abs_diff(low) + 1,
                always: always.collect(),
                sometimes: moves.len(),
                ranks: None,
            })
        }
    }
}

fn negated(expression: Expression) -> Expression {
    Expression::Unary(UnaryOperator::Negate, Box::new(expression))
}

/// The cell by the ranks of its values in the condensed graph.
fn ranked(
    prover: &Prover<'_>,
    (cell, graph): (CellId, &ValueGraph),
    moves: &[(ActionId, i64, CellRange)],
    chosen: &[Vec<i64>],
) -> Option<Candidate> {
    let CellRange { low, high } = prover.steps.proved[cell.index()];
    debug_assert!(high.abs_diff(low) < WIDEST_ORDER);
    let number = |value: i64| value.abs_diff(low) as usize;
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); number(high) + 1];
    let mut edges = 0;
    for (before, after) in merged(moves) {
        edges += after.high.abs_diff(after.low) + 1;
        if edges > MOST_EDGES || !prover.steps.has_time() {
            return None;
        }
        let others = graph.values_in(after).filter(|value| *value != before);
        leaving[number(before)].extend(others.map(number));
    }
    prover.steps.spend(edges + 4 * moves.len() as u64);
    let levels = levels(&leaving);
    let mut ranks = vec![-1; levels.len()];
    graph.values().for_each(|value| ranks[number(value)] = levels[number(value)] as i64);
    let highest = *ranks.iter().max()?;
    if highest < 1 {
        return None;
    }
    // For each action, whether it increases the rank, and whether it always does.
    let (mut always, mut sometimes) = (Vec::new(), 0);
    for moves in moves.chunk_by(|one, next| one.0 == next.0) {
        let rises = |(_, before, after): &(ActionId, i64, CellRange)| {
            let before = number(*before);
            let stayed = |value: usize| chosen.iter().all(|ranks| ranks[value] == ranks[before]);
            let mut after = graph.values_in(*after).map(number);
            let any = after.clone().any(|after| ranks[after] > ranks[before] && stayed(after));
            (after.all(|after| ranks[after] > ranks[before]), any)
        };
        let rises: Vec<(bool, bool)> = moves.iter().map(rises).collect();
        sometimes += usize::from(rises.iter().any(|(_, any)| *any));
        if rises.iter().all(|(all, _)| *all) {
            always.push(moves[0].0);
        }
    }
    if always.is_empty() && sometimes == 0 {
        return None;
    }
    let (ascending, descending) = (ranks.is_sorted_by(|a, b| a < b), ranks.is_sorted_by(|a, b| a > b));
    let plain = Expression::Cell(cell);
    let expression = match graph.is_full() {
        true if ascending => plain,
        true if descending => negated(plain),
        _ => {
            let mut classes = vec![Vec::new(); highest as usize + 1];
            graph.values().for_each(|value| classes[ranks[number(value)] as usize].push(value));
            Expression::Rank(Box::new(plain), Arc::new(ValueOrder::new(&classes)?))
        }
    };
    Some(Candidate { expression, values: highest as u64 + 1, always, sometimes, ranks: Some(ranks) })
}

/// For each value, disjoint intervals of the values that can follow.
fn merged(moves: &[(ActionId, i64, CellRange)]) -> Vec<(i64, CellRange)> {
    let mut sorted: Vec<(i64, CellRange)> =
        moves.iter().map(|(_, before, after)| (*before, *after)).collect();
    sorted.sort_unstable_by_key(|(before, after)| (*before, after.low));
    let mut merged: Vec<(i64, CellRange)> = Vec::with_capacity(sorted.len());
    for (before, after) in sorted {
        match merged.last_mut() {
            Some((other, last)) if *other == before && after.low <= last.high => *last = last.join(after),
            _ => merged.push((before, after)),
        }
    }
    merged
}
