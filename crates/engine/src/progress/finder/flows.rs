//! Places that share tokens, and orders of them that tokens seldom move against.
//!
//! An invariant of a net makes a set of places a process: its tokens move from place to place. That
//! gives a graph like the one of the values of a cell, with places for values. The same orders are
//! learned from it: levels of its strongly connected components, and an order with few backward
//! moves. The ranks of the places are the weights of a sum.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use crate::progress::linear_changes::LinearChanges;
use crate::progress::semiflows::place_invariants;
use model::guarded_commands::{CellId, GuardedCommands};

use super::functionals::Functional;
use super::learned_orders::{Ranking, ValueGraph};
use super::sample::{Change, Sample};

/// Limit on the number of sets of places.
const MOST_FLOWS: usize = 60;

/// Places that share tokens.
#[derive(Debug)]
pub struct Flow {
    /// The places.
    cells: Vec<usize>,
    /// How tokens move: from place to place, by their numbers.
    changes: Vec<Change>,
}

/// Sums by their terms.
type Made = HashMap<Vec<(usize, i64)>, Arc<Functional>>;

/// All flows of a model.
#[derive(Debug, Default)]
pub struct Flows {
    pub flows: Vec<Flow>,
    /// Flows that are alike.
    pub families: Vec<Vec<usize>>,
    /// Sums that were made, by their terms.
    made: Mutex<Made>,
}

impl Flows {
    /// The flows of a model, with the moves of the large sample.
    pub fn new(model: &GuardedCommands, changes: &LinearChanges, large: &Sample) -> Self {
        let mut invariants = place_invariants(changes);
        invariants.retain(|invariant| invariant.len() > 1);
        // Small invariants are processes; large ones mix several.
        invariants.sort_by_key(|invariant| invariant.len());
        invariants.truncate(MOST_FLOWS);
        let mut families: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        let mut flows = Vec::new();
        for invariant in invariants {
            let cells: Vec<usize> =
                invariant.iter().map(|(place, _)| changes.cells[*place].index()).collect();
            let stem = |cell: &usize| -> String {
                let name = model.cell_name(CellId(*cell as u32));
                name.chars().map(|one| if one.is_ascii_digit() { '#' } else { one }).collect()
            };
            let mut stems: Vec<String> = cells.iter().map(stem).collect();
            stems.sort_unstable();
            families.entry(stems).or_default().push(flows.len());
            flows.push(Flow::new(cells, large));
        }
        let families = families.into_values().filter(|family| family.len() > 1).collect();
        Self { flows, families, made: Mutex::default() }
    }

    /// The orders of a flow's places by the kinds of steps that count, as sums: levels, and few
    /// backward moves.
    pub fn sums(&self, flow: usize, large: &Sample, counts: impl Fn(u32) -> bool) -> Vec<Arc<Functional>> {
        let flow = &self.flows[flow];
        let numbers: Vec<u32> = (0..flow.cells.len() as u32).collect();
        let alive = flow.changes.iter().filter(|change| counts(change.kind));
        let Some(graph) = ValueGraph::new(&numbers, alive) else { return Vec::new() };
        let sum = |ranking: Ranking| {
            let ranks = ranking.ranks.iter().map(|(_, rank)| i64::from(*rank));
            let terms: Vec<(usize, i64)> =
                flow.cells.iter().copied().zip(ranks).filter(|(_, rank)| *rank > 0).collect();
            let mut made = self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let new = || Arc::new(Functional::new(terms.clone(), large));
            made.entry(terms.clone()).or_insert_with(new).clone()
        };
        vec![sum(graph.levels()), sum(graph.feedback_order())]
    }
}

impl Flow {
    fn new(cells: Vec<usize>, large: &Sample) -> Self {
        let mut by_kind: BTreeMap<u32, (u32, Vec<u32>, Vec<u32>)> = BTreeMap::new();
        for (number, cell) in (0..).zip(&cells) {
            for change in large.changes(*cell) {
                let (steps, from, to) = by_kind.entry(change.kind).or_default();
                *steps = change.steps;
                if change.to < change.from { from.push(number) } else { to.push(number) }
            }
        }
        let mut changes = Vec::new();
        for (kind, (steps, from, to)) in by_kind {
            for &from in &from {
                changes.extend(to.iter().map(|to| Change { kind, steps, from, to: *to }));
            }
        }
        Self { cells, changes }
    }
}
