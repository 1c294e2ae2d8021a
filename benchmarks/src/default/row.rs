//! One instance: its runs, what they have in common, and how they compare.

use std::sync::Barrier;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use super::MOST_MEMORY;
use super::instances::Subject;
use crate::binary::{Exploration, OutOfTime, Sweepline};
use crate::table;

/// How an instance is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Full exploration on one thread, with which the others are compared.
    Breadth,
    Default,
    DefaultOnTwo,
    BreadthOnTwo,
}

/// The figures of one process.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub seconds: f64,
    pub resident: u64,
    pub threads: u32,
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    pub deadlocks: Option<u64>,
    /// Expansions of the search that came to the end.
    pub explored: Option<u64>,
    /// Expansions, and the peak number of states in memory, of all attempts.
    pub work: Option<(u64, u64)>,
    pub change: Change,
    /// Why the search is not complete.
    pub cut_off: Option<String>,
}

/// What the default did after it had begun with full exploration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// The record does not say.
    Unknown,
    Stayed,
    /// It changed to a sweep: when, and the predicted and the actual peak as shares of all states.
    Changed {
        seconds: Option<f64>,
        predicted: Option<f64>,
        peak: Option<f64>,
    },
}

/// The shortest run of each way.
pub struct Row {
    pub name: String,
    pub states: u64,
    pub repetitions: u32,
    /// In the order of [`Way::ALL`].
    runs: [Run; 4],
    /// The longer time of two simultaneous runs of full exploration, each on one thread; `None` if
    /// they need too much memory.
    pub pair: Option<f64>,
    /// Everything in which a run contradicts what is known, or another run.
    pub wrong: Vec<String>,
}

/// Why an instance has no row.
pub enum Trouble {
    /// Full exploration needs too much time or memory.
    TooLarge(String),
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Self {
        Trouble::Failed(error)
    }
}

/// How instances are measured.
pub struct Measurement<'a> {
    pub sweepline: &'a Sweepline,
    pub repetitions: Option<u32>,
    pub time_limit: Duration,
}

impl Way {
    pub const ALL: [Way; 4] = [Way::Breadth, Way::Default, Way::DefaultOnTwo, Way::BreadthOnTwo];

    fn threads(self) -> u32 {
        match self {
            Way::Breadth | Way::Default => 1,
            Way::DefaultOnTwo | Way::BreadthOnTwo => 2,
        }
    }

    fn is_breadth(self) -> bool {
        matches!(self, Way::Breadth | Way::BreadthOnTwo)
    }

    fn title(self) -> String {
        let engine = if self.is_breadth() { "breadth" } else { "default" };
        format!("{engine}, --threads {}", self.threads())
    }

    pub fn words(self) -> Vec<String> {
        let engine = self.is_breadth().then_some(["--engine".to_owned(), "breadth".to_owned()]);
        let threads = ["--threads".to_owned(), self.threads().to_string()];
        engine.into_iter().flatten().chain(threads).collect()
    }
}

impl Run {
    pub fn of(run: &Exploration) -> Self {
        Self {
            seconds: run.process_seconds,
            resident: run.peak_rss_bytes,
            threads: run.threads,
            states: run.distinct_states,
            transitions: run.transitions,
            deadlocks: run.deadlocks,
            explored: run.record["search"]["states"]["explored"].as_u64(),
            work: run.all_attempts(),
            change: Change::of(&run.record),
            cut_off: (!run.complete).then(|| run.cut_off().to_owned()),
        }
    }

    /// What this run of `way` says that cannot be, given the first run of full exploration.
    fn contradictions(&self, way: Way, subject: &Subject, breadth: &Run) -> Vec<String> {
        if let Some(why) = &self.cut_off {
            return vec![format!("{}: incomplete: {why}", way.title())];
        }
        let is_single = self.explored == Some(subject.states);
        let known = [
            ("states", self.states, Some(subject.states)),
            ("transitions", self.transitions.filter(|_| is_single), subject.transitions),
            ("transitions", self.transitions.filter(|_| is_single), breadth.transitions),
            ("deadlocks", self.deadlocks, breadth.deadlocks),
        ];
        let mut wrong: Vec<String> = known
            .into_iter()
            .filter_map(|(what, found, expected)| {
                let (found, expected) = found.zip(expected).filter(|(found, expected)| found != expected)?;
                let (found, expected) = (table::grouped(found), table::grouped(expected));
                Some(format!("{}: {found} {what}, not {expected}", way.title()))
            })
            .collect();
        if way.is_breadth() && self.states.is_none() {
            wrong.push(format!("{}: the number of states is not known", way.title()));
        }
        wrong
    }
}

impl Change {
    fn of(record: &Value) -> Change {
        let Some(change) = record["plan"].get("change") else { return Change::Unknown };
        if change.is_null() {
            return Change::Stayed;
        }
        Change::Changed {
            seconds: change["seconds"].as_f64(),
            predicted: change["predicted_peak_share"].as_f64(),
            peak: change["actual_peak_share"].as_f64(),
        }
    }

    pub fn text(&self) -> String {
        let number = |share: Option<f64>| share.map_or_else(|| "?".into(), |share| format!("{share:.2}"));
        match self {
            Change::Unknown => "-".into(),
            Change::Stayed => "stayed".into(),
            Change::Changed { seconds, predicted, peak } => {
                let seconds = seconds.map_or_else(|| "?".into(), |seconds| format!("{seconds:.2}"));
                format!("{seconds} s, {} / {}", number(*predicted), number(*peak))
            }
        }
    }
}

/// The rate of one run on two threads, as a share of the rate of two runs at the same time, of which the
/// longer one takes `pair` seconds.
pub fn share_of_ceiling(one: f64, pair: f64) -> f64 {
    (1.0 / one) / (2.0 / pair)
}

/// Runs that a way gets if one takes so many seconds: noise is a larger share of short runs.
fn repetitions(seconds: f64) -> u32 {
    match seconds {
        short if short < 1.0 => 5,
        medium if medium < 5.0 => 3,
        _ => 1,
    }
}

impl Measurement<'_> {
    /// Explores an instance in all ways, in turn, until there are enough repetitions.
    pub fn row(&self, subject: &Subject) -> Result<Row, Trouble> {
        let first = match self.run(subject, Way::Breadth) {
            Err(error) if error.is::<OutOfTime>() => return Err(Trouble::TooLarge(format!("{error:#}"))),
            first => first?,
        };
        if let Some(why) = first.cut_off {
            return Err(Trouble::TooLarge(format!("full exploration is incomplete: {why}")));
        }
        if first.resident > MOST_MEMORY {
            let need = table::mebibytes(first.resident);
            return Err(Trouble::TooLarge(format!("full exploration needs {need} MiB")));
        }
        let repetitions = self.repetitions.unwrap_or_else(|| repetitions(first.seconds));
        let mut wrong = first.contradictions(Way::Breadth, subject, &first);
        let mut best: [Option<Run>; 4] = [Some(first.clone()), None, None, None];
        let mut pair: Option<f64> = None;
        for round in 0..repetitions {
            for (way, best) in Way::ALL.into_iter().zip(&mut best) {
                if round == 0 && way == Way::Breadth {
                    continue;
                }
                let run = self.run(subject, way).with_context(|| way.title())?;
                wrong.extend(run.contradictions(way, subject, &first));
                if way.is_breadth() && run.threads != way.threads() {
                    wrong.push(format!("{}: the record says {}", way.title(), run.threads));
                }
                let is_better = best.as_ref().is_none_or(|best| run.seconds < best.seconds);
                *best = if is_better { Some(run) } else { best.take() };
            }
            if 2 * first.resident <= MOST_MEMORY {
                let both = self.both(subject).context("two runs at the same time")?;
                for run in &both {
                    wrong.extend(run.contradictions(Way::Breadth, subject, &first));
                }
                let longer = both[0].seconds.max(both[1].seconds);
                pair = Some(pair.map_or(longer, |pair| pair.min(longer)));
            }
        }
        wrong.sort();
        wrong.dedup();
        let [Some(a), Some(b), Some(c), Some(d)] = best else {
            return Err(Trouble::Failed(anyhow!("at least one repetition is needed")));
        };
        let (name, states) = (subject.name.clone(), subject.states);
        Ok(Row { name, states, repetitions, runs: [a, b, c, d], pair, wrong })
    }

    fn run(&self, subject: &Subject, way: Way) -> Result<Run> {
        let words = way.words();
        let run = self.sweepline.ask("explore", &subject.model, &words, way.threads(), self.time_limit)?;
        Ok(Run::of(&run))
    }

    /// Two runs of full exploration, each on one thread, started together.
    fn both(&self, subject: &Subject) -> Result<[Run; 2]> {
        let start = Barrier::new(2);
        let run = || {
            start.wait();
            self.run(subject, Way::Breadth)
        };
        let (one, other) = std::thread::scope(|scope| {
            let other = scope.spawn(run);
            (run(), other.join())
        });
        Ok([one?, other.map_err(|_| anyhow!("a thread that measures panicked"))??])
    }
}

impl Row {
    pub fn run(&self, way: Way) -> &Run {
        &self.runs[way as usize]
    }

    /// The time of a way as a multiple of that of full exploration on one thread.
    pub fn time(&self, way: Way) -> f64 {
        self.run(way).seconds / self.run(Way::Breadth).seconds
    }

    /// Resident memory of the default on one thread as a multiple of that of full exploration.
    pub fn memory(&self) -> f64 {
        self.run(Way::Default).resident as f64 / self.run(Way::Breadth).resident as f64
    }

    /// The rate of full exploration on two threads as a share of that of two independent runs.
    pub fn ceiling(&self) -> Option<f64> {
        self.pair.map(|pair| share_of_ceiling(self.run(Way::BreadthOnTwo).seconds, pair))
    }

    /// Expansions and peak of the default on one thread, each for one state.
    pub fn work(&self) -> Option<(f64, f64)> {
        let (explored, peak) = self.run(Way::Default).work?;
        Some((explored as f64 / self.states as f64, peak as f64 / self.states as f64))
    }

    /// A line for those who wait.
    pub fn brief(&self) -> String {
        let ceiling = self.ceiling().map_or_else(|| "-".into(), |share| format!("{share:.2}"));
        let wrong: String = self.wrong.iter().map(|wrong| format!(" WRONG: {wrong}")).collect();
        format!(
            "{:.2} s; default {:.2} x, on two threads {:.2} x, breadth on two threads {:.2} x, {ceiling} of \
             two runs; {:.2} x the memory{wrong}",
            self.run(Way::Breadth).seconds,
            self.time(Way::Default),
            self.time(Way::DefaultOnTwo),
            self.time(Way::BreadthOnTwo),
            self.memory(),
        )
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn run(seconds: f64, resident: u64) -> Run {
        Run {
            seconds,
            resident: resident << 20,
            threads: 1,
            states: Some(100),
            transitions: Some(300),
            deadlocks: Some(2),
            explored: Some(100),
            work: Some((120, 30)),
            change: Change::Stayed,
            cut_off: None,
        }
    }

    /// A row with a breadth-first search of two seconds and 100 MiB, and these multiples of its time
    /// and memory.
    pub fn made_up(name: &str, states: u64, default: f64, on_two: f64, memory: f64) -> Row {
        let resident = (memory * 100.0) as u64;
        let runs = [run(2.0, 100), run(2.0 * default, resident), run(2.0 * on_two, resident), run(1.25, 100)];
        Row { name: name.into(), states, repetitions: 3, runs, pair: Some(2.25), wrong: vec![] }
    }

    #[test]
    fn two_runs_at_once_are_the_ceiling_of_one_run_on_two_threads() {
        assert!((share_of_ceiling(1.0, 2.0) - 1.0).abs() < 1e-12, "as good as it gets");
        assert!((share_of_ceiling(2.0, 2.0) - 0.5).abs() < 1e-12, "the second thread is idle");
        let row = made_up("a.1", 100, 1.5, 0.5, 0.3);
        assert!((row.ceiling().unwrap() - 0.9).abs() < 1e-12);
        assert_eq!((row.time(Way::Default), row.time(Way::DefaultOnTwo)), (1.5, 0.5));
        assert_eq!((row.memory(), row.work()), (0.3, Some((1.2, 0.3))));
    }

    #[test]
    fn every_way_names_its_engine_and_threads() {
        let words = Way::ALL.map(|way| way.words().join(" "));
        assert_eq!(
            words,
            ["--engine breadth --threads 1", "--threads 1", "--threads 2", "--engine breadth --threads 2"]
        );
    }

    #[test]
    fn short_runs_are_repeated_more_often() {
        assert_eq!([0.9, 1.0, 4.9, 5.0].map(repetitions), [5, 3, 3, 1]);
    }

    #[test]
    fn a_change_is_read_from_the_plan() {
        let read = |plan: &str| {
            let text = format!(r#"{{"plan": {plan}}}"#);
            Change::of(&serde_json::from_str(&text).unwrap()).text()
        };
        assert_eq!(read("{}"), "-", "an earlier program");
        assert_eq!(read(r#"{"change": null}"#), "stayed");
        assert_eq!(
            read(r#"{"change": {"seconds": 0.5, "predicted_peak_share": 0.12, "actual_peak_share": 0.3}}"#),
            "0.50 s, 0.12 / 0.30"
        );
        assert_eq!(read(r#"{"change": {"seconds": 0.5}}"#), "0.50 s, ? / ?");
    }

    #[test]
    fn counts_that_differ_are_named() {
        let subject =
            Subject { name: "a".into(), model: "a.dve".into(), states: 100, transitions: Some(300) };
        let wrong = |run: Run| run.contradictions(Way::Default, &subject, &self::run(1.0, 1)).join("; ");
        let base = run(1.0, 1);
        assert_eq!(wrong(base.clone()), "");
        assert_eq!(
            wrong(Run { states: Some(99), ..base.clone() }),
            "default, --threads 1: 99 states, not 100"
        );
        assert!(wrong(Run { transitions: Some(301), ..base.clone() }).contains("301 transitions, not 300"));
        assert!(wrong(Run { deadlocks: Some(3), ..base.clone() }).contains("3 deadlocks, not 2"));
        assert!(wrong(Run { cut_off: Some("memory".into()), ..base.clone() }).contains("incomplete: memory"));
        let revisits = Run { explored: Some(120), transitions: Some(360), states: None, ..base };
        assert_eq!(wrong(revisits), "", "states that are expanded twice count their transitions twice");
    }
}
