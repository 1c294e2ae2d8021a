//! Finds progress measures: learned from a sample of the state space, judged by simulating the sweep on it.
mod sample;
mod simulation;
mod value_graph;

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::guarded_commands::{CellId, Expression, GuardedCommands, UnaryOperator};
use crate::model::state_layout::{CellRange, StateLayout};
use crate::model::transition_system::TransitionSystem;
use crate::model::value_order::ValueOrder;
use crate::random::Random;
use crate::store::layer::LayerFull;

pub use sample::Sample;
pub use simulation::{Cost, Kind, Ordered, simulate};
use value_graph::{Ranking, ValueGraph};

/// Bits of a progress value.
const BITS: u32 = 63;
/// Candidates that are simulated in each step.
const SIMULATED: usize = 10;
/// Candidates that are compared on the large sample.
const COMPARED: usize = 3;
/// Components of a measure at the most.
const MOST_COMPONENTS: usize = 16;
/// Steps without gain before the search for more components ends.
const PATIENCE: usize = 2;
/// What a further component must gain.
const GAIN: f64 = 0.98;

/// Tuning of the search for a measure.
#[derive(Clone, Copy, Debug)]
pub struct Preference {
    /// How much more an expansion counts than a state in memory: cost = peak × explored ^ α.
    pub alpha: f64,
}

/// A measure that was found, and what it should cost.
#[derive(Clone, Debug)]
pub struct FoundMeasure {
    /// Components, the one that counts most first.
    pub components: Vec<Expression>,
    /// The cost on the sample.
    pub cost: Cost,
    /// How many leading components were never seen to fall.
    pub monotone: usize,
}

/// One more component.
#[derive(Clone, Debug)]
struct Candidate {
    cell: usize,
    ranking: Ranking,
    form: Form,
}

/// How a component is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Ascending,
    Descending,
    Learned,
}

/// A search for a measure, step by step. Orders of values are learned from the large sample; candidates are compared on the
/// small one first, and the best of them on the large one.
pub struct Finder<'a> {
    layout: &'a StateLayout,
    small: &'a Sample,
    large: &'a Sample,
    alpha: f64,
    /// By cell, the values that occur.
    values: Vec<Vec<u32>>,
}

/// A measure so far.
struct Prefix {
    small: Ordered,
    large: Ordered,
    components: Vec<Expression>,
    bits: u32,
    /// By step of the large sample, whether it leaves all components as they are.
    is_stationary: Vec<bool>,
}

/// A measure with one more component.
struct Extension {
    price: f64,
    cost: Cost,
    candidate: Candidate,
    small: Ordered,
    large: Ordered,
}

impl<'a> Finder<'a> {
    /// A search on these samples.
    pub fn new(
        layout: &'a StateLayout,
        small: &'a Sample,
        large: &'a Sample,
        preference: Preference,
    ) -> Self {
        let values = (0..large.cells())
            .map(|cell| {
                let mut seen: Vec<u32> = [small, large]
                    .into_iter()
                    .flat_map(|sample| {
                        let changes = sample.changes(cell).iter().flat_map(|change| [change.from, change.to]);
                        sample.column(cell).iter().copied().chain(changes)
                    })
                    .collect();
                seen.sort_unstable();
                seen.dedup();
                seen
            })
            .collect();
        Self { layout, small, large, alpha: preference.alpha, values }
    }

    /// Builds a measure component by component.
    pub fn find(&self) -> Option<FoundMeasure> {
        let mut prefix = Prefix {
            small: Ordered::constant(self.small),
            large: Ordered::constant(self.large),
            components: Vec::new(),
            bits: 0,
            is_stationary: vec![true; self.large.steps()],
        };
        let mut best: Option<(f64, FoundMeasure)> = None;
        let mut without_gain = 0;
        while prefix.components.len() < MOST_COMPONENTS && without_gain <= PATIENCE {
            let Some(extension) = self.next(&prefix) else { break };
            let (price, cost) = (extension.price, extension.cost);
            self.append(&mut prefix, extension);
            let bar = best.as_ref().map_or(1.0, |(price, _)| *price);
            if price < bar * GAIN {
                without_gain = 0;
                best =
                    Some((price, FoundMeasure { components: prefix.components.clone(), cost, monotone: 0 }));
            } else {
                without_gain += 1;
            }
        }
        best.map(|(_, found)| found)
    }

    fn next(&self, prefix: &Prefix) -> Option<Extension> {
        let mut compared: Vec<(f64, Candidate, Ordered)> = Vec::new();
        for candidate in self.shortlist(prefix) {
            if prefix.bits + self.bits(&candidate) > BITS {
                continue;
            }
            let ordered = self.order(self.small, &prefix.small, &candidate);
            // Only the best few go on.
            let limit = compared.get(COMPARED - 1).map_or(f64::INFINITY, |(price, ..)| *price);
            let price = simulate(self.small, &ordered, Kind::Flat, self.alpha, limit).price(self.alpha);
            if price.is_finite() {
                let place = compared.partition_point(|(other, ..)| *other <= price);
                compared.insert(place, (price, candidate, ordered));
                compared.truncate(COMPARED);
            }
        }
        let mut best: Option<Extension> = None;
        for (_, candidate, small) in compared {
            let large = self.order(self.large, &prefix.large, &candidate);
            let limit = best.as_ref().map_or(f64::INFINITY, |best| best.price);
            let cost = simulate(self.large, &large, Kind::Flat, self.alpha, limit);
            let price = cost.price(self.alpha);
            if price < limit {
                best = Some(Extension { price, cost, candidate, small, large });
            }
        }
        best
    }

    fn order(&self, sample: &Sample, before: &Ordered, candidate: &Candidate) -> Ordered {
        let column = sample.column(candidate.cell);
        let values = candidate.ranking.ranks.iter().map(|(_, rank)| *rank).max().unwrap_or(0) as usize + 1;
        let last = candidate.ranking.ranks.last().map_or(0, |(value, _)| *value) as usize;
        let never_falls = candidate.ranking.falling == 0;
        let component: Vec<u32> = if column.is_empty() {
            // It never changes here.
            vec![0; sample.len()]
        } else if last < 1 << 16 {
            let mut table = vec![0; last + 1];
            candidate.ranking.ranks.iter().for_each(|(value, rank)| table[*value as usize] = *rank);
            column.iter().map(|value| table[*value as usize]).collect()
        } else {
            let ranks = &candidate.ranking.ranks;
            column.iter().map(|value| ranks[ranks.partition_point(|(other, _)| *other < *value)].1).collect()
        };
        before.refined(&component, values, never_falls)
    }

    fn append(&self, prefix: &mut Prefix, extension: Extension) {
        let Extension { candidate, small, large, .. } = extension;
        let ranks: HashMap<u32, u32> = candidate.ranking.ranks.iter().copied().collect();
        for change in self.large.changes(candidate.cell) {
            if ranks.get(&change.from) != ranks.get(&change.to) {
                prefix.is_stationary[change.step as usize] = false;
            }
        }
        prefix.small = small;
        prefix.large = large;
        prefix.bits += self.bits(&candidate);
        prefix.components.push(self.expression(&candidate));
    }

    /// The candidates that are worth a simulation.
    fn shortlist(&self, prefix: &Prefix) -> Vec<Candidate> {
        let mut all: Vec<Candidate> = Vec::new();
        for cell in 0..self.large.cells() {
            all.extend(self.candidates(cell, prefix));
        }
        all.retain(|one| one.ranking.rising > 2 * one.ranking.falling);
        let mut chosen: Vec<Candidate> = Vec::new();
        let balance = |one: &Candidate| one.ranking.rising as i64 - 4 * one.ranking.falling as i64;
        all.sort_by_key(|one| (std::cmp::Reverse(balance(one)), one.cell));
        chosen.extend(all.iter().take(SIMULATED / 2).cloned());
        let share = |one: &Candidate| one.ranking.falling as f64 / one.ranking.rising as f64;
        let mut rest: Vec<Candidate> = all.into_iter().skip(SIMULATED / 2).collect();
        rest.sort_by(|one, other| {
            share(one).total_cmp(&share(other)).then(other.ranking.rising.cmp(&one.ranking.rising))
        });
        chosen.extend(rest.into_iter().take(SIMULATED - SIMULATED / 2));
        chosen
    }

    fn candidates(&self, cell: usize, prefix: &Prefix) -> Vec<Candidate> {
        let changes = self.large.changes(cell);
        if changes.is_empty() {
            return Vec::new();
        }
        let alive = || {
            changes
                .iter()
                .filter(|change| prefix.is_stationary[change.step as usize])
                .map(|change| (change.from, change.to))
        };
        if alive().next().is_none() {
            return Vec::new();
        }
        let values = &self.values[cell];
        let mut found = Vec::new();
        let mut add = |ranking: Ranking, form: Form| {
            if ranking.rising > 0 {
                found.push(Candidate { cell, ranking, form });
            }
        };
        let span = values.last().zip(values.first()).map_or(0, |(high, low)| high - low);
        match ValueGraph::new(values, alive()) {
            Some(graph) => {
                add(graph.ascending(), Form::Ascending);
                add(graph.descending(), Form::Descending);
                if u64::from(span) < crate::model::value_order::WIDEST_ORDER {
                    add(graph.levels(), Form::Learned);
                    add(graph.feedback_order(), Form::Learned);
                }
            }
            None => {
                let (mut rising, mut falling) = (0, 0);
                for (from, to) in alive() {
                    rising += u64::from(to > from);
                    falling += u64::from(to < from);
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

    fn proved(&self, cell: usize) -> CellRange {
        self.layout.proved_ranges()[cell]
    }

    fn bits(&self, candidate: &Candidate) -> u32 {
        match candidate.form {
            Form::Ascending | Form::Descending => u32::from(self.proved(candidate.cell).bits()),
            Form::Learned => {
                let classes = candidate.ranking.ranks.iter().map(|(_, rank)| *rank).max().unwrap_or(0) + 1;
                32 - classes.leading_zeros()
            }
        }
    }

    fn expression(&self, candidate: &Candidate) -> Expression {
        let cell = Expression::Cell(CellId(candidate.cell as u32));
        match candidate.form {
            Form::Ascending => cell,
            Form::Descending => Expression::Unary(UnaryOperator::Negate, Box::new(cell)),
            Form::Learned => {
                let base = self.layout.fields()[candidate.cell].base;
                let count = candidate.ranking.ranks.iter().map(|(_, rank)| *rank).max().unwrap_or(0) + 1;
                let mut classes: Vec<Vec<i64>> = vec![Vec::new(); count as usize];
                for (value, rank) in &candidate.ranking.ranks {
                    classes[*rank as usize].push(base + i64::from(*value));
                }
                match ValueOrder::new(&classes) {
                    Some(order) => Expression::Rank(Box::new(cell), Arc::new(order)),
                    None => cell,
                }
            }
        }
    }
}

/// Draws a sample and finds a measure on it.
///
/// # Errors
/// If there is no memory for the sample.
pub fn find<S: TransitionSystem>(
    model: &GuardedCommands,
    system: &S,
    layout: &StateLayout,
    size: usize,
    preference: Preference,
) -> Result<(Sample, Option<FoundMeasure>), LayerFull> {
    let mut random = Random::new(0);
    let small = Sample::draw(model, system, layout, size / 5, &mut random)?;
    if small.complete {
        return Ok((small, None));
    }
    let large = Sample::draw(model, system, layout, size, &mut random)?;
    let found = Finder::new(layout, &small, &large, preference).find();
    Ok((large, found))
}
