//! The values that cells take in a sample of the state space.
//!
//! The interval analysis cannot prove that a sequence number stays below five if five processes
//! ensure it together. A sample shows it; the layout then gives the cell three bits and a test on
//! each store. The sample is a breadth-first prefix and random walks from its states, since a
//! prefix alone sees only the beginning of counters. It is deterministic.

use std::collections::HashSet;

use crate::random::Random;

use super::guarded_commands::GuardedCommands;
use super::interpreter::Interpreter;
use super::state_layout::CellRange;

/// States of the breadth-first prefix.
const PREFIX: usize = 2_000;
/// Limit on the cells that are read in the prefix, and again in the walks: a model with very large
/// states gets a smaller sample.
const CELLS: usize = 10_000_000;
/// Random walks, and the steps of each.
const WALKS: usize = 16;
const STEPS: usize = 1_000;

/// For each cell, the range of its values in the sample.
pub fn observed_ranges(model: &GuardedCommands) -> Vec<CellRange> {
    let interpreter = Interpreter::new(model);
    let initial = model.initial_state();
    let mut ranges: Vec<CellRange> = initial.iter().map(|&value| CellRange::exactly(value)).collect();
    let mut seen = HashSet::from([initial.clone()]);
    let mut queue = vec![initial];
    let mut next = 0;
    let mut work = 0;
    while next < queue.len() && queue.len() < PREFIX && work < CELLS {
        let state = queue[next].clone();
        next += 1;
        interpreter.for_each_successor(&state, |_, successor| {
            if let Ok(successor) = successor {
                work += successor.len();
                include(&mut ranges, successor);
                if !seen.contains(successor) {
                    seen.insert(successor.to_vec());
                    queue.push(successor.to_vec());
                }
            }
        });
    }
    let mut random = Random::new(0);
    let mut work = 0;
    for _ in 0..WALKS {
        let mut state = queue[random.below(queue.len())].clone();
        for _ in 0..STEPS {
            if work > CELLS {
                return ranges;
            }
            let mut successors: Vec<Vec<i64>> =
                interpreter.successors(&state).into_iter().filter_map(|(_, result)| result.ok()).collect();
            successors.iter().for_each(|successor| include(&mut ranges, successor));
            work += (successors.len() + 1) * state.len();
            if successors.is_empty() {
                break;
            }
            state = successors.swap_remove(random.below(successors.len()));
        }
    }
    ranges
}

fn include(ranges: &mut [CellRange], state: &[i64]) {
    for (range, &value) in ranges.iter_mut().zip(state) {
        *range = range.join(CellRange::exactly(value));
    }
}
