//! Stubborn sets against all steps: how much of the state space is left when only deadlocks are asked for.
//!
//! Each net or model is checked four times, `--reduction none` and `stubborn` by `--engine breadth` and by `sweep`, and all that come to an answer must give the same.
//! All deadlocks are to be listed (`--terminal-states`), so that no search stops at the first one; how many there are must be the same, too.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use oracles::{NetAnswer, Petri};

use crate::binary::{Exploration, Sweepline};
use crate::measure::Pinning;
use crate::table::{self, Align, Table};

/// Nets of the model checking contest; the first six have no deadlock.
const NETS: [&str; 16] = [
    "Kanban-PT-00005",
    "ERK-PT-000010",
    "Peterson-PT-2",
    "FMS-PT-00002",
    "TokenRing-PT-005",
    "DatabaseWithMutex-PT-02",
    "AirplaneLD-PT-0020",
    "BridgeAndVehicles-PT-V10P10N10",
    "Philosophers-PT-000010",
    "ClientsAndServers-PT-N0001P0",
    "Eratosthenes-PT-020",
    "ShieldRVs-PT-003A",
    "Angiogenesis-PT-01",
    "PermAdmissibility-PT-01",
    "IBM5964-PT-none",
    "Sudoku-PT-AN03",
];

/// Instances of the BEEM benchmark.
const BEEM: [&str; 6] = ["peterson.4", "elevator2.3", "brp.4", "needham.3", "firewire_link.3", "lamport.5"];

const TIME_LIMIT: &str = "60";

/// A search ends itself at the time limit, and then has this long to write its record.
const GRACE: Duration = Duration::from_secs(30);

/// The command line of `reductions`.
#[derive(clap::Args)]
#[command(mut_arg("time_limit", |limit| limit.default_value(TIME_LIMIT)))]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
}

/// What is checked, and what others know about it.
struct Subject {
    model: PathBuf,
    states: Option<u64>,
    has_deadlock: Option<bool>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// No deadlock in all there is.
    Whole,
    Deadlock,
    OutOfTime,
}

/// One run. What a run out of time came to is a lower bound.
#[derive(Clone, Copy, Debug)]
struct Run {
    end: End,
    deadlocks: Option<u64>,
    /// For `breadth`, those that were met; for `sweep`, expansions. Unknown without a record.
    states: Option<u64>,
    peak: Option<u64>,
    seconds: f64,
}

/// The same engine without and with the reduction.
#[derive(Clone, Copy, Debug)]
struct Pair {
    full: Run,
    reduced: Run,
}

/// A net or model and its four runs.
struct Row {
    name: &'static str,
    breadth: Pair,
    sweep: Pair,
}

impl Run {
    fn of(run: &Exploration, engine: &str, limit: Duration) -> Result<Self> {
        let out_of_time = run.wall_seconds >= limit.as_secs_f64();
        let end = match run.record["properties"][0]["verdict"].as_str() {
            Some("violated") if run.complete => End::Deadlock,
            Some("violated") if out_of_time => End::OutOfTime,
            Some("holds") if run.complete => End::Whole,
            Some("unknown") if out_of_time => End::OutOfTime,
            _ => bail!("no answer: {}", run.cut_off()),
        };
        let (explored, peak) = run.all_attempts().context("the record has no expansions or no peak")?;
        let states = if engine == "breadth" { run.distinct_states } else { Some(explored) };
        let states = Some(states.context("the record does not know how many states there are")?);
        let deadlocks = run.record["search"]["deadlocks"].as_u64();
        Ok(Self { end, deadlocks, states, peak: Some(peak), seconds: run.wall_seconds })
    }

    /// Stopped from outside, without a record.
    fn stopped(limit: Duration) -> Self {
        Self { end: End::OutOfTime, deadlocks: None, states: None, peak: None, seconds: limit.as_secs_f64() }
    }

    /// A figure of this run, marked where it is only a lower bound.
    fn show(&self, figure: Option<u64>) -> String {
        let sign = if self.end == End::OutOfTime { "> " } else { "" };
        format!("{sign}{}", figure.map_or("?".into(), table::grouped))
    }
}

impl Pair {
    /// Reduced by full.
    fn ratio(&self, figure: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
        Some(figure(&self.reduced)? / figure(&self.full)?)
    }

    fn states(&self) -> Option<f64> {
        self.ratio(|run| run.states.map(|states| states as f64))
    }

    fn time(&self) -> Option<f64> {
        self.ratio(|run| Some(run.seconds))
    }

    /// A ratio, or the bound that it is if one of the runs was out of time.
    fn show(&self, ratio: Option<f64>) -> String {
        let sign = match [self.full.end, self.reduced.end].map(|end| end == End::OutOfTime) {
            [false, false] => "",
            [true, false] => "< ",
            [false, true] => "> ",
            [true, true] => return "–".into(),
        };
        ratio.map_or("–".into(), |ratio| format!("{sign}{}", table::short(ratio)))
    }

    fn is_whole(&self) -> bool {
        ![self.full.end, self.reduced.end].contains(&End::OutOfTime)
    }
}

impl Row {
    /// Compares the runs with each other and with what is known.
    fn new(name: &'static str, subject: &Subject, breadth: Pair, sweep: Pair) -> Result<Self> {
        let row = Self { name, breadth, sweep };
        let ends = row.runs().map(|run| run.end);
        if ends.contains(&End::Whole) && ends.contains(&End::Deadlock) {
            bail!("the verdicts differ: {ends:?} by breadth, breadth reduced, sweep, sweep reduced");
        }
        match (row.has_deadlock(), subject.has_deadlock) {
            (Some(ours), Some(theirs)) if ours != theirs => {
                bail!("a deadlock: {ours} instead of {theirs}");
            }
            _ => {}
        }
        let whole = || row.runs().into_iter().filter(|run| run.end != End::OutOfTime);
        if whole().any(|run| whole().next().is_some_and(|first| first.deadlocks != run.deadlocks)) {
            bail!("the numbers of deadlocks differ");
        }
        let full = row.breadth.full;
        match (full.states, subject.states) {
            (Some(ours), Some(theirs)) if full.end != End::OutOfTime && ours != theirs => {
                bail!("{ours} states instead of {theirs}");
            }
            _ => {}
        }
        if row.breadth.is_whole() && row.breadth.reduced.states > full.states {
            bail!("more states with the reduction than without");
        }
        Ok(row)
    }

    /// In the order of the table.
    fn runs(&self) -> [&Run; 4] {
        [&self.breadth.full, &self.breadth.reduced, &self.sweep.full, &self.sweep.reduced]
    }

    /// What the runs that came to an answer say.
    fn has_deadlock(&self) -> Option<bool> {
        let decided = self.runs().into_iter().find(|run| run.end != End::OutOfTime);
        decided.map(|run| run.end == End::Deadlock)
    }

    fn verdict(&self) -> &'static str {
        match self.has_deadlock() {
            Some(true) => "deadlocks",
            Some(false) => "no deadlock",
            None => "unknown",
        }
    }
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<()> {
    let petri = Petri::find()
        .context("the nets are not here: set SWEEPLINE_ORACLES to a folder that has petri/expected.csv")?;
    let answers = petri.answers()?;
    let beem = crate::beem()?;
    let instances = beem.instances()?;
    let temporary = tempfile::tempdir()?;
    // Not on one core: measures are looked for by two threads.
    let sweepline = Sweepline::build(Pinning::None)?;
    let limit = options.selection.time_limit();
    let net = |name: &str| -> Result<Subject> {
        let rows: Vec<&NetAnswer> = answers.iter().filter(|answer| answer.instance() == name).collect();
        let model = petri.net(rows.first().context("it is not here")?, temporary.path())?;
        let states = rows.iter().find_map(|answer| answer.states);
        let deadlock = rows.iter().find(|answer| answer.kind == "deadlock");
        let has_deadlock = deadlock.and_then(|answer| match answer.verdict.as_str() {
            "TRUE" => Some(true),
            "FALSE" => Some(false),
            _ => None,
        });
        Ok(Subject { model, states, has_deadlock })
    };
    let instance = |name: &str| -> Result<Subject> {
        let counted = instances.iter().find(|one| one.name == name && one.complete);
        let states = counted.map(oracles::Instance::expected_states);
        Ok(Subject { model: beem.dve(name), states, has_deadlock: None })
    };
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    let names = NETS.into_iter().chain(BEEM).filter(|name| options.selection.takes(name));
    for name in names {
        let row = || -> Result<Row> {
            let subject = if BEEM.contains(&name) { instance(name) } else { net(name) }?;
            let pair = |engine: &str| -> Result<Pair> {
                let [full, reduced] = ["none", "stubborn"].map(|reduction| {
                    check(&sweepline, &subject.model, engine, reduction, limit)
                        .with_context(|| format!("--engine {engine} --reduction {reduction}"))
                });
                Ok(Pair { full: full?, reduced: reduced? })
            };
            let (breadth, sweep) = (pair("breadth")?, pair("sweep")?);
            Row::new(name, &subject, breadth, sweep)
        };
        match row() {
            Ok(row) => {
                let ratio = row.breadth.show(row.breadth.states());
                eprintln!("{name}: {}, {ratio} x the states", row.verdict());
                rows.push(row);
            }
            Err(error) => {
                eprintln!("{name}: FAILED: {error:#}");
                failed.push(format!("{name}: {error:#}"));
            }
        }
    }
    let page = page(&rows, &failed, limit);
    println!("{page}");
    if options.selection.write {
        table::write_page("reductions.md", &page)?;
    }
    if failed.is_empty() { Ok(()) } else { bail!("{} nets or models failed", failed.len()) }
}

fn check(sweepline: &Sweepline, model: &Path, engine: &str, reduction: &str, limit: Duration) -> Result<Run> {
    let seconds = format!("{}s", limit.as_secs());
    let words = [
        "--deadlock",
        "--terminal-states",
        "--engine",
        engine,
        "--reduction",
        reduction,
        "--time-limit",
        &seconds,
    ]
    .map(String::from);
    let start = Instant::now();
    match sweepline.check_by(model, &words, limit + GRACE) {
        Ok(run) if run.record["plan"]["reduction"] != reduction => {
            bail!("the record says reduction {}", run.record["plan"]["reduction"])
        }
        Ok(run) => Run::of(&run, engine, limit),
        Err(_) if start.elapsed() > limit + GRACE => Ok(Run::stopped(limit)),
        Err(error) => Err(error),
    }
}

fn page(rows: &[Row], failed: &[String], limit: Duration) -> String {
    let mut table = Table::new(&[
        ("net or model", Align::Left),
        ("verdict", Align::Left),
        ("breadth: states", Align::Right),
        ("reduced", Align::Right),
        ("ratio", Align::Right),
        ("sweep: explored", Align::Right),
        ("reduced", Align::Right),
        ("peak: breadth", Align::Right),
        ("reduced", Align::Right),
        ("sweep", Align::Right),
        ("reduced", Align::Right),
        ("breadth: time ratio", Align::Right),
    ]);
    for row in rows {
        let [full, reduced, swept, swept_reduced] = row.runs().map(|run| run.show(run.states));
        let ratio = row.breadth.show(row.breadth.states());
        let cells = [row.name.into(), row.verdict().into(), full, reduced, ratio, swept, swept_reduced];
        let peaks = row.runs().map(|run| run.show(run.peak));
        let time = row.breadth.show(row.breadth.time());
        table.row(cells.into_iter().chain(peaks).chain([time]).collect());
    }
    let mut text = format!(
        "# Partial-order reduction with stubborn sets\n\n`cargo run --release -p benchmarks -- reductions \
         --write`, {}. `check MODEL --deadlock --terminal-states`, which lists all deadlocks and so is \
         complete, with `--reduction none` and `stubborn` (*reduced*), by \
         `--engine breadth` and by `--engine sweep`, which searches for a measure in each run; each run \
         once. *States* are the states visited, *explored* the expansions, including those of abandoned \
         measures, *peak* the peak number of states in memory; ratios are reduced / full, times those of \
         the whole run. In each row the complete runs agree, also on the number of deadlocks, and with \
         the contest's answer and number of states if they are known. `>` marks the figures of a run that \
         was stopped after {} s, and `<` and `>` mark ratios that are bounds for this reason.\n\n\
         {}\n",
        table::machine(),
        limit.as_secs(),
        table.markdown(),
    );
    text += &format!(
        "States, reduced / full, if both runs are complete: {} by breadth; {} by sweep (explored).\n",
        summary(rows, |row| row.breadth),
        summary(rows, |row| row.sweep),
    );
    for line in failed {
        text += &format!("\n- **FAILED** {line}");
    }
    text
}

/// The averages of the ratios of states.
fn summary(rows: &[Row], pair: impl Fn(&Row) -> Pair) -> String {
    let whole = rows.iter().map(pair).filter(Pair::is_whole);
    let ratios: Vec<f64> = whole.filter_map(|pair| pair.states()).collect();
    match (table::median(&ratios), table::geometric_mean(&ratios)) {
        (Some(median), Some(mean)) => format!(
            "{} in the median, {} in the geometric mean of {}",
            table::short(median),
            table::short(mean),
            ratios.len()
        ),
        _ => "none".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    fn run(end: End, states: u64) -> Run {
        Run {
            end,
            deadlocks: Some(u64::from(end == End::Deadlock)),
            states: Some(states),
            peak: Some(states),
            seconds: states as f64,
        }
    }

    fn row(full: Run, reduced: Run) -> Result<Row> {
        let subject = Subject { model: PathBuf::new(), states: Some(1000), has_deadlock: None };
        let pair = Pair { full, reduced };
        Row::new("net", &subject, pair, pair)
    }

    #[test]
    fn runs_that_do_not_agree_are_refused() {
        let whole = run(End::Whole, 1000);
        assert!(row(whole, run(End::Whole, 10)).is_ok());
        assert!(row(whole, run(End::OutOfTime, 10)).is_ok());
        assert!(row(whole, run(End::Deadlock, 10)).is_err());
        assert!(row(whole, run(End::Whole, 1001)).is_err(), "more than without the reduction");
        assert!(row(run(End::Whole, 999), run(End::Whole, 10)).is_err(), "not the number that is known");
        let subject = Subject { model: PathBuf::new(), states: None, has_deadlock: Some(true) };
        let pair = Pair { full: whole, reduced: whole };
        assert!(Row::new("net", &subject, pair, pair).is_err(), "not the answer that is known");
    }

    #[test]
    fn ratios_of_runs_out_of_time_are_bounds() {
        let show = |full, reduced| {
            let pair = Pair { full: run(full, 1000), reduced: run(reduced, 100) };
            pair.show(pair.states())
        };
        assert_eq!(show(End::Whole, End::Whole), "0.100");
        assert_eq!(show(End::OutOfTime, End::Whole), "< 0.100");
        assert_eq!(show(End::Whole, End::OutOfTime), "> 0.100");
        assert_eq!(show(End::OutOfTime, End::OutOfTime), "–");
    }

    #[test]
    fn only_whole_state_spaces_are_in_the_averages() {
        let rows = [
            row(run(End::Whole, 1000), run(End::Whole, 100)).unwrap(),
            row(run(End::Deadlock, 1000), run(End::Deadlock, 10)).unwrap(),
            row(run(End::OutOfTime, 5000), run(End::Whole, 5)).unwrap(),
        ];
        let page = page(&rows, &[], LIMIT);
        assert!(
            page.contains("0.0550 in the median, 0.0316 in the geometric mean of 2 by breadth"),
            "{page}"
        );
        assert!(page.contains("deadlocks") && page.contains("> 5,000"), "{page}");
    }
}
