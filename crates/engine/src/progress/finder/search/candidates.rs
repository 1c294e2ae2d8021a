//! Candidates for the next component of a measure, and their expressions.

use std::sync::Arc;

use model::guarded_commands::{CellId, Expression, GuardedCommands, UnaryOperator};
use model::state_layout::CellRange;
use model::value_order::{ValueOrder, WIDEST_ORDER};
use model::value_ranges::expression_range;

use super::super::learned_orders::{Ranking, ValueGraph};
use super::tuning::BITS;
use super::{Candidate, Finder, Form, Prefix, Subject};

impl Finder<'_> {
    /// Expressions of one cell each as candidates, without those that are constant in the sample.
    pub(super) fn given(&self, model: &GuardedCommands, expressions: &[Expression]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for expression in expressions {
            let (cell, rank): (CellId, Box<dyn Fn(i64) -> i64>) = match expression {
                Expression::Cell(cell) => (*cell, Box::new(|value| value)),
                Expression::Unary(UnaryOperator::Negate, operand) => match **operand {
                    Expression::Cell(cell) => (cell, Box::new(|value: i64| -value)),
                    _ => continue,
                },
                Expression::Rank(operand, order) => match **operand {
                    Expression::Cell(cell) => (cell, Box::new(|value| order.rank(value))),
                    _ => continue,
                },
                _ => continue,
            };
            let base = self.layout.fields()[cell.index()].base;
            let values = &self.values[cell.index()];
            let value = |content: u32| rank(base + i64::from(content));
            let mut distinct: Vec<i64> = values.iter().map(|content| value(*content)).collect();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < 2 {
                continue;
            }
            let place = |content: u32| distinct.partition_point(|other| *other < value(content)) as u32;
            let ranks: Vec<(u32, u32)> = values.iter().map(|content| (*content, place(*content))).collect();
            let (mut rising, mut falling) = (0, 0);
            for change in self.large.changes(cell.index()) {
                let (before, after) = (value(change.from), value(change.to));
                rising += u64::from(after > before) * u64::from(change.steps);
                falling += u64::from(after < before) * u64::from(change.steps);
            }
            let range = expression_range(model, self.layout.proved_ranges(), expression);
            candidates.push(Candidate {
                subject: Subject::Cell(cell.index()),
                ranking: Ranking { ranks, rising, falling },
                form: Form::Static,
                given: Some(expression.clone()),
                bits: u32::from(range.bits()),
            });
        }
        candidates
    }

    /// The candidates that are simulated: single ones, and the same one for all members of a
    /// family.
    pub(super) fn shortlist(&self, prefix: &Prefix) -> Vec<Vec<Candidate>> {
        let by_cell: Vec<Vec<Candidate>> =
            (0..self.large.cells()).map(|cell| self.candidates(cell, prefix)).collect();
        let mut all: Vec<Candidate> = by_cell.iter().flatten().cloned().collect();
        all.retain(|one| self.tuning.is_promising(&one.ranking));
        let mut chosen: Vec<Candidate> = Vec::new();
        let balance = |one: &Candidate| one.ranking.rising as i64 - 4 * one.ranking.falling as i64;
        all.sort_by_key(|one| (std::cmp::Reverse(balance(one)), one.cell()));
        chosen.extend(all.iter().take(self.tuning.simulated / 2).cloned());
        let share = |one: &Candidate| one.ranking.falling as f64 / one.ranking.rising as f64;
        let mut rest: Vec<Candidate> = all.into_iter().skip(self.tuning.simulated / 2).collect();
        rest.sort_by(|one, other| {
            share(one).total_cmp(&share(other)).then(other.ranking.rising.cmp(&one.ranking.rising))
        });
        chosen.extend(rest.into_iter().take(self.tuning.simulated - self.tuning.simulated / 2));
        let mut lists: Vec<Vec<Candidate>> = chosen.into_iter().map(|one| vec![one]).collect();
        for family in &self.families {
            for form in [Form::Ascending, Form::Descending, Form::Levels, Form::Order] {
                let list: Vec<Candidate> = family
                    .iter()
                    .filter_map(|cell| by_cell[*cell].iter().find(|one| one.form == form))
                    .filter(|one| self.tuning.is_promising_in_family(&one.ranking))
                    .cloned()
                    .collect();
                if list.len() > 1 {
                    lists.push(list);
                }
            }
        }
        // Suggestions of the text are tried as the first component only.
        if prefix.chosen.is_empty() {
            let is_tried =
                |list: &&Vec<Candidate>| list.iter().all(|one| self.tuning.is_allowed(&one.ranking));
            lists.extend(self.suggested.iter().filter(is_tried).cloned());
        }
        lists.extend(self.refining_sums(prefix));
        if !prefix.chosen.is_empty() && !self.sums.is_empty() {
            lists.extend(self.dividing(prefix).into_iter().map(|one| vec![one]));
        }
        for list in &mut lists {
            let mut bits = prefix.bits;
            let fitting = list.iter().take_while(|candidate| {
                bits += candidate.bits;
                bits <= BITS
            });
            list.truncate(fitting.count());
        }
        lists.retain(|list| !list.is_empty());
        lists
    }

    pub(super) fn candidates(&self, cell: usize, prefix: &Prefix) -> Vec<Candidate> {
        let changes = self.large.changes(cell);
        if changes.is_empty() {
            return Vec::new();
        }
        let alive = || changes.iter().filter(|change| prefix.is_stationary[change.kind as usize]);
        if alive().next().is_none() {
            return Vec::new();
        }
        let values = &self.values[cell];
        let mut found = Vec::new();
        let mut add = |ranking: Ranking, form: Form| {
            if ranking.rising > 0 {
                let bits = self.bits(cell, form, &ranking);
                let subject = Subject::Cell(cell);
                found.push(Candidate { subject, ranking, form, given: None, bits });
            }
        };
        let span = values.last().zip(values.first()).map_or(0, |(high, low)| high - low);
        match ValueGraph::new(values, alive()) {
            Some(graph) => {
                add(graph.ascending(), Form::Ascending);
                add(graph.descending(), Form::Descending);
                // Wrong orders of `brp` had values that no step led to, as far as it was known.
                let is_known = !self.tuning.only_monotone || graph.is_connected();
                if u64::from(span) < WIDEST_ORDER && is_known {
                    add(graph.levels(), Form::Levels);
                    add(graph.feedback_order(), Form::Order);
                }
            }
            None => {
                let (mut rising, mut falling) = (0, 0);
                for change in alive() {
                    rising += u64::from(change.to > change.from) * u64::from(change.steps);
                    falling += u64::from(change.to < change.from) * u64::from(change.steps);
                }
                let up: Vec<(u32, u32)> =
                    values.iter().enumerate().map(|(rank, value)| (*value, rank as u32)).collect();
                let down = values.iter().rev().enumerate().map(|(rank, value)| (*value, rank as u32));
                let mut down: Vec<(u32, u32)> = down.collect();
                down.reverse();
                add(Ranking { ranks: up, rising, falling }, Form::Ascending);
                add(Ranking { ranks: down, rising: falling, falling: rising }, Form::Descending);
            }
        }
        found
    }

    pub(super) fn proved(&self, cell: usize) -> CellRange {
        self.layout.proved_ranges()[cell]
    }

    pub(super) fn bits(&self, cell: usize, form: Form, ranking: &Ranking) -> u32 {
        match form {
            Form::Levels | Form::Order => usize::BITS - ranking.classes().leading_zeros(),
            _ => u32::from(self.proved(cell).bits()),
        }
    }

    pub(super) fn expression(&self, candidate: &Candidate) -> Expression {
        let Candidate { subject, ranking, form, given, .. } = candidate;
        if let Some(given) = given {
            return given.clone();
        }
        let cell = match subject {
            Subject::Cell(cell) => cell,
            Subject::Sum(sum) => return sum.expression(),
        };
        let expression = Expression::Cell(CellId(*cell as u32));
        match form {
            Form::Descending => Expression::Unary(UnaryOperator::Negate, Box::new(expression)),
            Form::Levels | Form::Order => {
                let base = self.layout.fields()[*cell].base;
                let mut classes: Vec<Vec<i64>> = vec![Vec::new(); ranking.classes()];
                for (value, rank) in &ranking.ranks {
                    classes[*rank as usize].push(base + i64::from(*value));
                }
                match ValueOrder::new(&classes) {
                    Some(order) => Expression::Rank(Box::new(expression), Arc::new(order)),
                    None => expression,
                }
            }
            _ => expression,
        }
    }
}
