//! What a measure that never falls could save at best.
//!
//! Such a measure has one value on a strongly connected component, so the largest component is in memory at one time. Its
//! share is known where the finder's sample held the whole model; otherwise `sweepline progress --exact` is asked, on small
//! instances only, since it builds the whole graph. Smaller instances of a family do not answer for larger ones: all of
//! `anderson.4` is one component, and `anderson.1` has a counter that keeps growing. Measures that fall now and then may go
//! below the bound: it says why proofs do not help, not what is possible.

use anyhow::Result;
use serde_json::Value;
use std::time::Duration;

use super::row::{Row, component_share};

/// One `progress --exact` may take this long.
pub const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Looks bounds up, and has those computed that are not known.
pub struct Bounds<A> {
    /// The most states of an instance that is asked for.
    pub exact_states: u64,
    /// Gives the record of `progress --exact` for an instance.
    pub ask: A,
}

impl<A: FnMut(&str) -> Result<Value>> Bounds<A> {
    /// The least share of the states that a measure that never falls has in memory.
    pub fn of(&mut self, row: &Row) -> Option<f64> {
        if row.component.is_some() || row.states > self.exact_states {
            return row.component;
        }
        match (self.ask)(&row.name) {
            Ok(record) => component_share(&record["sample"]),
            Err(error) => {
                eprintln!("{}: no lower bound: {error:#}", row.name);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::made_up;
    use super::*;
    use serde_json::json;

    fn answer(complete: bool) -> Value {
        json!({"sample": {"complete": complete, "states": 200_000, "largest_component": 100_000}})
    }

    fn bound(row: &Row, answer: Result<Value>) -> Option<f64> {
        let mut answer = Some(answer);
        Bounds { exact_states: 300_000, ask: |_: &str| answer.take().unwrap() }.of(row)
    }

    #[test]
    fn only_small_instances_without_a_known_component_are_asked_for() {
        let mut small = made_up("a.1", 200_000, 0.1, 1.0, 1.0);
        assert_eq!(bound(&small, Ok(answer(true))), Some(0.5));
        small.component = Some(0.25);
        assert_eq!(bound(&small, Ok(answer(true))), Some(0.25));
        let large = made_up("a.2", 9_000_000, 0.1, 1.0, 1.0);
        assert_eq!(bound(&large, Ok(answer(true))), None);
    }

    #[test]
    fn neither_a_part_of_the_states_nor_a_failure_bounds_anything() {
        let row = made_up("a.1", 200_000, 0.1, 1.0, 1.0);
        assert_eq!(bound(&row, Ok(answer(false))), None);
        assert_eq!(bound(&row, Err(anyhow::anyhow!("not there yet"))), None);
    }
}
