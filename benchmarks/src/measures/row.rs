//! One instance: what its two records say, and whether they agree.
//!
//! Abandoned measures count. What was expanded is summed over all attempts, and the peak is the highest of
//! them; regress edges, sweeps, layers and the comparison with the estimate are those of the run that was kept.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::binary::Exploration;

/// An estimated number of states may differ by this share.
const TOLERANCE: f64 = 0.05;

/// The figures of one instance.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    /// As counted by full exploration.
    pub states: u64,
    pub measure: Measure,
    /// The share of regress edges among all that the kept run met.
    pub regress_share: f64,
    pub sweeps: u64,
    pub layers: u64,
    /// Of all attempts.
    pub work: Work,
    /// Of the run that was kept.
    pub kept: Work,
    pub expected: Option<Expected>,
    pub seconds: Seconds,
    /// Runs, with the one that was kept.
    pub attempts: usize,
    /// The share of the largest strongly connected component, where the finder's sample was the whole model.
    pub component: Option<f64>,
    /// What contradicts full exploration.
    pub wrong: Option<String>,
}

/// The measure that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Full exploration.
    None,
    Proved(String),
    Estimated(String),
}

/// Expansions, and the most states in memory at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    pub explored: u64,
    pub peak: u64,
}

/// What the finder promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    pub peak_share: f64,
    pub revisits: f64,
}

/// Times on the clock; `sweep` includes `finding`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds {
    pub breadth: f64,
    pub sweep: f64,
    pub finding: f64,
}

impl Row {
    /// Reads the runs of an instance that has `expected_states`.
    pub fn new(name: &str, expected_states: u64, breadth: &Exploration, sweep: &Exploration) -> Result<Row> {
        let states = breadth.all_states().context("breadth")?;
        if !sweep.complete {
            bail!("sweep: {}", sweep.errors.first().map_or("the search was cut off", String::as_str));
        }
        let record = &sweep.record;
        let (plan, search) = (&record["plan"]["measure"], &record["search"]);
        let number = |value: &Value, what: &str| {
            value.as_u64().with_context(|| format!("the record of the sweep has no {what}"))
        };
        let kept = Work {
            explored: number(&search["states"]["explored"], "expansions")?,
            peak: number(&search["states"]["peak_stored"], "peak")?,
        };
        let attempts = record["measure_search"]["attempts"].as_array().map_or(&[][..], Vec::as_slice);
        let regress = search["transitions"]["regress"].as_u64().unwrap_or(0) as f64;
        let expected = &plan["expected"];
        let mut row = Row {
            name: name.to_owned(),
            states,
            measure: measure(plan),
            regress_share: regress / sweep.transitions.unwrap_or(0).max(1) as f64,
            sweeps: search["sweeps"].as_u64().unwrap_or(1),
            layers: sweep.layers.unwrap_or(1).max(1),
            work: all_attempts(attempts, kept),
            kept,
            expected: expected["peak_share"]
                .as_f64()
                .zip(expected["revisits"].as_f64())
                .map(|(peak_share, revisits)| Expected { peak_share, revisits }),
            seconds: Seconds {
                breadth: breadth.wall_seconds,
                sweep: sweep.wall_seconds,
                finding: record["measure_search"]["seconds"].as_f64().unwrap_or(0.0),
            },
            attempts: attempts.len().max(1),
            component: whole_sample_component(&record["measure_search"]["searches"]),
            wrong: None,
        };
        row.wrong = row.contradiction(expected_states, breadth, sweep);
        Ok(row)
    }

    fn contradiction(
        &self,
        expected_states: u64,
        breadth: &Exploration,
        sweep: &Exploration,
    ) -> Option<String> {
        if self.states != expected_states {
            return Some(format!("breadth finds {} states, not {expected_states}", self.states));
        }
        if let Some(distinct) = sweep.distinct_states {
            if distinct != self.states {
                return Some(format!("the sweep finds {distinct} states, not {}", self.states));
            }
        } else {
            let Some(estimate) = sweep.record["search"]["states"]["distinct_estimate"].as_u64() else {
                return Some("the sweep does not say how many states there are".into());
            };
            if (estimate as f64 / self.states as f64 - 1.0).abs() > TOLERANCE {
                return Some(format!("the sweep finds about {estimate} states, not {}", self.states));
            }
        }
        // A sweep that revisits states keeps a bounded number of deadlocks to recognise duplicates.
        if sweep.deadlocks.is_some() && sweep.deadlocks != breadth.deadlocks {
            let show = |count: Option<u64>| count.map_or_else(|| "unknown".into(), |count| count.to_string());
            let (ours, theirs) = (show(sweep.deadlocks), show(breadth.deadlocks));
            return Some(format!("deadlocks: {ours} by the sweep, {theirs} by breadth"));
        }
        if matches!(self.measure, Measure::Proved(_)) && self.regress_share > 0.0 {
            return Some("a measure proved monotone falls".into());
        }
        None
    }

    /// Expansions for each state, abandoned measures included.
    pub fn explored(&self) -> f64 {
        self.work.explored as f64 / self.states as f64
    }

    /// The largest share of the states that was in memory, abandoned measures included.
    pub fn peak(&self) -> f64 {
        self.work.peak as f64 / self.states as f64
    }

    /// Time as a multiple of that of full exploration, finding and switching included.
    pub fn time(&self) -> f64 {
        self.seconds.sweep / self.seconds.breadth
    }

    /// The time of an expansion as a multiple of that in full exploration, finding aside.
    pub fn pace(&self) -> f64 {
        (self.seconds.sweep - self.seconds.finding) / self.seconds.breadth / self.explored()
    }

    /// The states of a layer, in the mean over all sweeps.
    pub fn mean_layer(&self) -> f64 {
        self.kept.explored as f64 / self.layers as f64
    }

    /// Whether finding took at most this long, or at most this share of the run.
    pub fn is_found_within(&self, seconds: f64, share: f64) -> bool {
        self.seconds.finding <= seconds || self.seconds.finding <= share * self.seconds.sweep
    }

    /// A line for those who wait.
    pub fn brief(&self) -> String {
        let wrong = self.wrong.as_ref().map_or_else(String::new, |wrong| format!(" WRONG: {wrong}"));
        format!(
            "{} states, peak {:.3}, explored {:.2}, {:.2} x the time of breadth ({:.2} s), found in {:.2} s{wrong}",
            crate::table::grouped(self.states),
            self.peak(),
            self.explored(),
            self.time(),
            self.seconds.breadth,
            self.seconds.finding,
        )
    }
}

fn measure(plan: &Value) -> Measure {
    let Some(text) = plan["summary"].as_str().or_else(|| plan["expression"].as_str()) else {
        return Measure::None;
    };
    match plan["proved"].as_bool() {
        Some(true) => Measure::Proved(text.to_owned()),
        _ => Measure::Estimated(text.to_owned()),
    }
}

/// The last attempt is the kept run, whose figures are more exact.
fn all_attempts(attempts: &[Value], kept: Work) -> Work {
    let abandoned = attempts.split_last().map_or(&[][..], |(_, abandoned)| abandoned);
    abandoned.iter().fold(kept, |work, attempt| Work {
        explored: work.explored + attempt["explored"].as_u64().unwrap_or(0),
        peak: work.peak.max(attempt["peak_stored"].as_u64().unwrap_or(0)),
    })
}

fn whole_sample_component(searches: &Value) -> Option<f64> {
    searches.as_array()?.iter().find_map(|search| component_share(&search["sample"]))
}

/// The share of the largest component of a sample that is the whole model.
pub fn component_share(sample: &Value) -> Option<f64> {
    let is_whole = sample["complete"].as_bool()?;
    let share = sample["largest_component"].as_u64()? as f64 / sample["states"].as_u64()?.max(1) as f64;
    is_whole.then_some(share)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A row with these shares, of a model of which every million states takes a second by breadth.
    pub fn made_up(name: &str, states: u64, peak: f64, explored: f64, time: f64) -> Row {
        let whole = |share: f64| (share * states as f64).round() as u64;
        let work = Work { explored: whole(explored), peak: whole(peak) };
        let breadth = states as f64 / 1e6;
        Row {
            name: name.into(),
            states,
            measure: Measure::Estimated("(a, b)".into()),
            regress_share: 0.01,
            sweeps: 2,
            layers: 10,
            work,
            kept: work,
            expected: Some(Expected { peak_share: peak, revisits: explored }),
            seconds: Seconds { breadth, sweep: time * breadth, finding: 0.5 },
            attempts: 1,
            component: None,
            wrong: None,
        }
    }

    const BREADTH: &str = r#"{"format": "sweepline-run/1", "plan": {"threads": 1},
      "search": {"complete": true, "states": {"distinct": 1000}, "transitions": {"total": 3000}, "deadlocks": 3},
      "resources": {"wall_seconds": 2.0}}"#;

    const SWEEP: &str = r#"{"format": "sweepline-run/1",
      "plan": {"threads": 1, "measure": {"expression": "(a, b)", "summary": "(a, …)", "proved": false,
        "expected": {"peak_share": 0.1, "revisits": 1.2, "regress_share": 0.01, "layers": 9}}},
      "search": {"complete": true,
        "states": {"distinct": null, "explored": 1100, "peak_stored": 200, "distinct_estimate": 990},
        "transitions": {"total": 3300, "regress": 33}, "sweeps": 4, "layers": 11, "deadlocks": 3},
      "resources": {"wall_seconds": 3.0},
      "measure_search": {"seconds": 0.5,
        "searches": [{"sample": {"complete": true, "states": 1000, "largest_component": 400}}],
        "attempts": [{"explored": 700, "peak_stored": 300}, {"explored": 1100, "peak_stored": 200}]}}"#;

    fn row(breadth: &str, sweep: &str) -> Result<Row> {
        let read = |text| Exploration::from_record(text).unwrap();
        Row::new("a.1", 1000, &read(breadth), &read(sweep))
    }

    #[test]
    fn abandoned_attempts_count_as_work_but_not_against_the_estimate() {
        let row = row(BREADTH, SWEEP).unwrap();
        assert_eq!(row.wrong, None);
        assert_eq!(row.work, Work { explored: 1800, peak: 300 });
        assert_eq!(row.kept, Work { explored: 1100, peak: 200 });
        assert_eq!((row.attempts, row.sweeps), (2, 4));
        assert_eq!((row.time(), row.mean_layer(), row.regress_share), (1.5, 100.0, 0.01));
        assert_eq!(row.measure, Measure::Estimated("(a, …)".into()));
        assert_eq!(row.component, Some(0.4));
    }

    #[test]
    fn a_run_that_contradicts_full_exploration_is_wrong() {
        let wrong = |from: &str, to: &str| {
            assert!(SWEEP.contains(from));
            row(BREADTH, &SWEEP.replace(from, to)).unwrap().wrong
        };
        assert!(wrong("\"distinct_estimate\": 990", "\"distinct_estimate\": 940").is_some());
        assert!(wrong("\"distinct_estimate\": 990", "\"distinct_estimate\": null").is_some());
        assert!(wrong("\"distinct\": null", "\"distinct\": 999").is_some(), "a known count must be exact");
        assert!(wrong("\"deadlocks\": 3", "\"deadlocks\": 4").is_some());
        assert!(wrong("\"deadlocks\": 3", "\"deadlocks\": null").is_none());
        assert!(wrong("\"proved\": false", "\"proved\": true").is_some(), "there are regress edges");
        let breadth = BREADTH.replace("\"distinct\": 1000", "\"distinct\": 1001");
        assert!(row(&breadth, SWEEP).unwrap().wrong.is_some());
    }

    #[test]
    fn a_search_that_was_cut_off_gives_no_row() {
        assert!(row(BREADTH, &SWEEP.replacen("\"complete\": true", "\"complete\": false", 1)).is_err());
    }

    #[test]
    fn finding_is_quick_by_the_clock_or_by_its_share() {
        let mut row = made_up("a.1", 50_000_000, 0.1, 1.0, 1.0);
        row.seconds.finding = 2.0;
        assert!(!row.is_found_within(1.0, 0.01));
        assert!(row.is_found_within(1.0, 0.05), "2 s of 50 s");
        assert!(row.is_found_within(3.0, 0.01));
    }
}
