//! One instance: its five runs, whether they agree, and how their figures compare.
//!
//! A figure of a run that was cut off is a lower bound, and so a ratio may be a bound as well. Only exact ones are averaged.

use std::fmt;
use std::time::Duration;

use super::Search;
use crate::binary::Exploration;
use crate::table;

/// What came of one run.
#[derive(Clone, Debug)]
pub enum Run {
    Finished(Box<Exploration>),
    /// Out of time: its figures are lower bounds.
    Unfinished(Box<Exploration>),
    /// Ended from outside after this many seconds, without a record.
    Ended(f64),
    /// Out of something else, memory or disk. More time would not help, and so its figures bound nothing.
    Exhausted(String),
    /// Without figures.
    Failed(String),
}

impl Run {
    /// Bytes of memory for states, at the most.
    pub fn state_bytes(&self) -> u64 {
        match self {
            Run::Finished(run) | Run::Unfinished(run) => {
                run.record["resources"]["peak_state_bytes"].as_u64().unwrap_or(0)
            }
            Run::Ended(_) | Run::Exhausted(_) | Run::Failed(_) => 0,
        }
    }

    pub fn new(run: Exploration, time_limit: Duration) -> Run {
        if run.complete {
            Run::Finished(Box::new(run))
        } else if run.wall_seconds >= time_limit.as_secs_f64() {
            Run::Unfinished(Box::new(run))
        } else if run.record["search"]["stopped"].is_string() {
            Run::Exhausted(run.cut_off().to_owned())
        } else {
            Run::Failed(run.cut_off().to_owned())
        }
    }

    /// One line for the console.
    pub fn brief(&self) -> String {
        match self {
            Run::Finished(run) => format!("{:.2} s", run.wall_seconds),
            Run::Unfinished(run) => {
                format!("not finished after {:.0} s", run.wall_seconds)
            }
            Run::Ended(seconds) => format!("not finished after {seconds:.0} s, and no record"),
            Run::Exhausted(why) => format!("not finished: {why}"),
            Run::Failed(why) => format!("FAILED: {why}"),
        }
    }

    fn finished(&self) -> Option<&Exploration> {
        match self {
            Run::Finished(run) => Some(run),
            _ => None,
        }
    }

    fn figure(&self, of: impl Fn(&Exploration) -> Option<f64>) -> Figure {
        let (run, as_figure): (_, fn(f64) -> Figure) = match self {
            Run::Finished(run) => (run, Figure::Exact),
            Run::Unfinished(run) => (run, Figure::AtLeast),
            Run::Ended(_) | Run::Exhausted(_) | Run::Failed(_) => return Figure::Unknown,
        };
        of(run).map_or(Figure::Unknown, as_figure)
    }
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The most states in memory at one time.
    Peak,
    Seconds,
    /// States written and states read, for each state of the model.
    StateIo,
}

/// A number, or what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    Exact(f64),
    AtLeast(f64),
    AtMost(f64),
    Unknown,
}

impl Figure {
    pub fn per(self, other: Figure) -> Figure {
        match (self, other) {
            (_, Figure::Exact(0.0) | Figure::AtLeast(0.0)) => Figure::Unknown,
            (Figure::Exact(one), Figure::Exact(other)) => Figure::Exact(one / other),
            (Figure::AtLeast(one), Figure::Exact(other)) => Figure::AtLeast(one / other),
            (Figure::Exact(one), Figure::AtLeast(other)) => Figure::AtMost(one / other),
            _ => Figure::Unknown,
        }
    }

    pub fn exact(self) -> Option<f64> {
        match self {
            Figure::Exact(value) => Some(value),
            _ => None,
        }
    }

    pub fn show(self, number: impl Fn(f64) -> String) -> String {
        match self {
            Figure::Exact(value) => number(value),
            Figure::AtLeast(value) => format!("> {}", number(value)),
            Figure::AtMost(value) => format!("< {}", number(value)),
            Figure::Unknown => "–".into(),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.show(table::short))
    }
}

/// How many states others counted.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// The oracle's count, where it is complete.
    pub expected: Option<u64>,
    /// The paper's.
    pub published: u64,
}

/// Whose count of the states is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum States {
    /// Of a run here, or of the oracle.
    Counted(u64),
    /// From the paper, because no other run finished.
    Published(u64),
}

impl States {
    pub fn number(self) -> u64 {
        match self {
            States::Counted(states) | States::Published(states) => states,
        }
    }
}

/// The figures of one instance.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub measure: String,
    pub states: States,
    pub published: u64,
    /// In the order of [`Search::ALL`].
    pub runs: [Run; 5],
    /// What the engines disagree on.
    pub wrong: Option<String>,
}

impl Row {
    pub fn new(name: &str, measure: String, counts: Counts, runs: [Run; 5]) -> Row {
        let counted = runs.iter().filter_map(Run::finished).find_map(|run| run.distinct_states);
        let states = counted.or(counts.expected).map_or(States::Published(counts.published), States::Counted);
        let wrong = contradiction(&runs, counts.expected);
        Row { name: name.to_owned(), measure, states, published: counts.published, runs, wrong }
    }

    pub fn figure(&self, quantity: Quantity, search: Search) -> Figure {
        let run = &self.runs[search as usize];
        if let (Run::Ended(seconds), Quantity::Seconds) = (run, quantity) {
            return Figure::AtLeast(*seconds);
        }
        run.figure(|run| match quantity {
            Quantity::Peak => run.peak_stored.map(|peak| peak as f64),
            Quantity::Seconds => Some(run.wall_seconds),
            Quantity::StateIo => {
                let moved = run.states_written.unwrap_or(0) + run.states_read.unwrap_or(0);
                Some(moved as f64 / self.states.number() as f64)
            }
        })
    }

    pub fn ratio(&self, ratio: &Ratio) -> Figure {
        self.figure(ratio.quantity, ratio.of).per(self.figure(ratio.quantity, ratio.to))
    }
}

/// Where finished runs, or they and the oracle, differ.
fn contradiction(runs: &[Run; 5], expected: Option<u64>) -> Option<String> {
    let named = || Search::ALL.iter().zip(runs).filter_map(|(one, run)| Some((one.name(), run.finished()?)));
    // A sweep tells those of several sweeps apart as long as they are not too many.
    let deadlocks =
        named().map(|(name, run)| (name, run.deadlocks)).filter(|(_, count)| count.is_some()).collect();
    let states = named().map(|(name, run)| (name, run.distinct_states));
    // A sweep that may have met a state twice does not know how many there are.
    let states = states.chain([("BEEM", expected)]).filter(|(_, states)| states.is_some()).collect();
    differing("deadlocks", deadlocks).or_else(|| differing("states", states))
}

fn differing(what: &str, counts: Vec<(&str, Option<u64>)>) -> Option<String> {
    let first = counts.first()?.1;
    let differs = counts.iter().any(|(_, count)| *count != first);
    let show = |count: Option<u64>| count.map_or("unknown".into(), table::grouped);
    differs.then(|| {
        let each: Vec<String> =
            counts.iter().map(|(name, count)| format!("{name} {}", show(*count))).collect();
        format!("{what}: {}", each.join(", "))
    })
}

/// Two searches that the paper compares, or that we do.
pub struct Ratio {
    pub title: &'static str,
    pub quantity: Quantity,
    pub of: Search,
    pub to: Search,
    /// The paper's mean over 60 instances and measures (its table 4).
    pub paper: Option<f64>,
}

const fn ratio(title: &'static str, quantity: Quantity, of: Search, to: Search, paper: Option<f64>) -> Ratio {
    Ratio { title, quantity, of, to, paper }
}

pub const PEAK: Ratio =
    ratio("peak, sweep / sweep-disk", Quantity::Peak, Search::Sweep, Search::SweepDisk, Some(27.74));
/// The paper has the inverse, 0.40.
pub const TIME: Ratio =
    ratio("time, sweep-disk / sweep", Quantity::Seconds, Search::SweepDisk, Search::Sweep, Some(2.5));
pub const PARTITION_IO: Ratio = ratio(
    "I/Os, partition / sweep-disk",
    Quantity::StateIo,
    Search::Partition,
    Search::SweepDisk,
    Some(9.27),
);
pub const BREADTH_IO: Ratio = ratio(
    "I/Os, breadth-disk / sweep-disk",
    Quantity::StateIo,
    Search::BreadthDisk,
    Search::SweepDisk,
    Some(217.5),
);
pub const PARTITION_TIME: Ratio = ratio(
    "time, partition / sweep-disk",
    Quantity::Seconds,
    Search::Partition,
    Search::SweepDisk,
    Some(1.88),
);
pub const BREADTH_TIME: Ratio = ratio(
    "time, breadth-disk / sweep-disk",
    Quantity::Seconds,
    Search::BreadthDisk,
    Search::SweepDisk,
    Some(8.29),
);
pub const ARRAY_TIME: Ratio =
    ratio("time, array heap / radix heap", Quantity::Seconds, Search::ArrayHeap, Search::SweepDisk, None);
pub const ARRAY_IO: Ratio =
    ratio("I/Os, array heap / radix heap", Quantity::StateIo, Search::ArrayHeap, Search::SweepDisk, None);

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(8);

    fn run(distinct: &str, deadlocks: u64, seconds: f64, moved: u64) -> Exploration {
        let record = format!(
            r#"{{"format": "sweepline-run/1", "search": {{"complete": true, "stopped": "no room", "deadlocks": {deadlocks},
                "states": {{"distinct": {distinct}, "peak_stored": 50}},
                "io": {{"states_written": {moved}, "states_read": {moved}}}}},
                "resources": {{"wall_seconds": {seconds}}}}}"#
        );
        Exploration::from_record(&record).unwrap()
    }

    fn row(runs: [Run; 5]) -> Row {
        Row::new("a.1", "x".into(), Counts { expected: None, published: 7 }, runs)
    }

    fn finished(distinct: &str, deadlocks: u64) -> Run {
        Run::new(run(distinct, deadlocks, 2.0, 100), LIMIT)
    }

    fn all(one: &Run) -> [Run; 5] {
        [(); 5].map(|()| one.clone())
    }

    #[test]
    fn figures_are_compared_for_each_state() {
        let mut runs = all(&finished("100", 0));
        runs[Search::Partition as usize] = Run::new(run("100", 0, 6.0, 450), LIMIT);
        let row = row(runs);
        assert_eq!(row.states, States::Counted(100));
        assert_eq!(row.figure(Quantity::StateIo, Search::Partition), Figure::Exact(9.0));
        assert_eq!(row.ratio(&PARTITION_IO), Figure::Exact(4.5));
        assert_eq!(row.ratio(&PARTITION_TIME), Figure::Exact(3.0));
        assert_eq!(row.wrong, None);
    }

    #[test]
    fn a_run_that_was_cut_off_gives_bounds() {
        let mut runs = all(&finished("100", 0));
        runs[Search::Sweep as usize] =
            Run::new(Exploration { complete: false, wall_seconds: 8.0, ..run("null", 0, 8.0, 0) }, LIMIT);
        let row = row(runs);
        assert_eq!(row.figure(Quantity::Seconds, Search::Sweep), Figure::AtLeast(8.0));
        assert_eq!(row.ratio(&TIME), Figure::AtMost(0.25));
        assert_eq!(row.ratio(&TIME).to_string(), "< 0.250");
        assert_eq!(row.ratio(&TIME).exact(), None);
        assert_eq!(row.ratio(&PEAK), Figure::AtLeast(1.0));
    }

    #[test]
    fn a_run_without_a_record_gives_a_bound_of_its_time_only() {
        let mut runs = all(&finished("100", 0));
        runs[Search::BreadthDisk as usize] = Run::Ended(660.0);
        let row = row(runs);
        assert_eq!(row.ratio(&BREADTH_TIME), Figure::AtLeast(330.0));
        assert_eq!(row.ratio(&BREADTH_IO), Figure::Unknown);
    }

    #[test]
    fn a_run_without_room_gives_no_bound() {
        let mut runs = all(&finished("100", 0));
        runs[Search::Sweep as usize] =
            Run::new(Exploration { complete: false, ..run("null", 0, 7.0, 0) }, LIMIT);
        let row = row(runs);
        assert_eq!(row.ratio(&TIME), Figure::Unknown);
        assert_eq!(row.runs[0].brief(), "not finished: no room");
        assert_eq!(row.wrong, None);
    }

    #[test]
    fn nothing_is_compared_with_zero() {
        let mut runs = all(&finished("100", 0));
        runs[Search::SweepDisk as usize] = Run::new(run("100", 0, 2.0, 0), LIMIT);
        assert_eq!(row(runs).ratio(&PARTITION_IO), Figure::Unknown);
    }

    #[test]
    fn engines_that_disagree_are_noticed() {
        let mut runs = all(&finished("100", 0));
        runs[Search::Sweep as usize] = finished("null", 0);
        assert_eq!(row(runs.clone()).wrong, None, "a sweep need not know how many states there are");
        runs[Search::ArrayHeap as usize] = finished("99", 0);
        let wrong = row(runs.clone()).wrong.unwrap();
        assert!(wrong.starts_with("states: sweep-disk 100, partition 100"), "{wrong}");
        runs[Search::Sweep as usize] = finished("null", 3);
        assert!(row(runs).wrong.unwrap().starts_with("deadlocks: sweep 3, sweep-disk 0"));
        let counts = Counts { expected: Some(101), published: 7 };
        assert!(Row::new("a.1", "x".into(), counts, all(&finished("100", 0))).wrong.is_some());
    }

    #[test]
    fn the_papers_count_is_taken_where_nobody_else_has_one() {
        let runs = all(&Run::Failed("disk full".into()));
        assert_eq!(row(runs).states, States::Published(7));
    }
}
