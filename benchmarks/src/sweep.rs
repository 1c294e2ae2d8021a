//! The sweep against full exploration: time, memory, and what is held, on models whose progress never falls.
//!
//! Three questions. How fast is a sweep compared with breadth-first search, which stores the same states with
//! the same code? Does memory follow what is held, when a model grows? And does a model of more than a billion
//! states run in the memory of a phone, as fast as one of ten million?

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::binary::{Exploration, Sweepline};
use crate::measure::Pinning;
use crate::table::{self, Align, Table};

/// The command line of `sweep`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
    /// Run each engine this often, in turns; the shortest time counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    repetitions: u32,
}

/// The command line of `billion`.
#[derive(clap::Args)]
pub struct BillionOptions {
    #[command(flatten)]
    selection: crate::Selection,
}

/// A model with a measure that never falls.
struct Subject {
    name: &'static str,
    /// In `models/dve`, or in the BEEM benchmark.
    origin: Origin,
    constants: &'static [&'static str],
    /// The model's own if there is none.
    measure: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Ours,
    Beem,
}

const SUBJECTS: &[Subject] = &[
    ours("stop_and_wait_ages", &["PACKETS=273", "LIMIT=12"]),
    ours("stop_and_wait_ages", &["PACKETS=1500", "LIMIT=12", "LOSS=0"]),
    ours("stop_and_wait_ages", &["PACKETS=30000", "LIMIT=5"]),
    ours("sliding_window", &["PACKETS=350", "WINDOW=4", "LAG=3", "MODULUS=8"]),
    ours("sliding_window", &["PACKETS=600", "WINDOW=3", "LAG=4", "MODULUS=8"]),
    ours("timed_lock", &["DEVICES=3", "MAX_TIME=200"]),
    beem("needham.4", NEEDHAM),
    beem("peg_solitaire.4", "0 - peg_count"),
    beem("bridge.3", "total_time"),
];

const NEEDHAM: &str = "(initiator_0, initiator_1, initiator_2, responder_0, responder_1, responder_2)";

const fn ours(name: &'static str, constants: &'static [&'static str]) -> Subject {
    Subject { name, origin: Origin::Ours, constants, measure: None }
}

const fn beem(name: &'static str, measure: &'static str) -> Subject {
    Subject { name, origin: Origin::Beem, constants: &[], measure: Some(measure) }
}

impl Subject {
    fn path(&self) -> Option<PathBuf> {
        match self.origin {
            Origin::Ours => {
                Some(crate::workspace_root().join("models/dve").join(format!("{}.dve", self.name)))
            }
            Origin::Beem => oracles::Beem::find().map(|beem| beem.dve(self.name)),
        }
    }

    fn label(&self) -> String {
        [&[self.name], self.constants].concat().join(" ")
    }

    fn options(&self, engine: &str) -> Vec<String> {
        let mut options = vec!["--engine".to_owned(), engine.to_owned()];
        options.extend(self.constants.iter().flat_map(|constant| ["-D".to_owned(), (*constant).to_owned()]));
        if let (Some(measure), "sweep") = (self.measure, engine) {
            options.extend(["--measure".to_owned(), measure.to_owned()]);
        }
        options
    }
}

/// The best of several runs of both engines.
struct Race {
    label: String,
    breadth: Exploration,
    sweep: Exploration,
}

impl Race {
    fn ratio(&self) -> f64 {
        self.sweep.wall_seconds / self.breadth.wall_seconds
    }
}

/// Runs the comparison.
pub fn run(options: &Options) -> Result<()> {
    let sweepline = Sweepline::build(Pinning::detect())?;
    let mut races = Vec::new();
    for subject in SUBJECTS.iter().filter(|subject| options.selection.takes(subject.name)) {
        let Some(path) = subject.path().filter(|path| path.exists()) else {
            eprintln!("skipped: {} (set SWEEPLINE_ORACLES to a folder with beem/models)", subject.label());
            continue;
        };
        let mut race: Option<Race> = None;
        for _ in 0..options.repetitions {
            let run = |engine| {
                let words = subject.options(engine);
                sweepline.explore_by(&path, &words, options.selection.time_limit())
            };
            let (breadth, sweep) = (run("breadth")?, run("sweep")?);
            if breadth.all_states()? != sweep.all_states()? || breadth.transitions != sweep.transitions {
                bail!("{}: the engines do not agree", subject.label());
            }
            race = Some(match race {
                None => Race { label: subject.label(), breadth, sweep },
                Some(best) => {
                    Race { breadth: faster(best.breadth, breadth), sweep: faster(best.sweep, sweep), ..best }
                }
            });
        }
        let race = race.context("at least one repetition is needed")?;
        eprintln!("{}: {:.2} x the time of breadth", race.label, race.ratio());
        races.push(race);
    }
    let mut page = String::from(
        "# The sweep compared with full exploration\n\nWritten by `cargo run --release -p benchmarks -- \
         sweep --write`. Both engines run on one core, in turn; the shortest time of each counts.\n\n",
    );
    page += &race_table(&races)?;
    if options.selection.only.is_empty() {
        page += &growth(&sweepline, options)?;
    }
    println!("{page}");
    if options.selection.write {
        table::write_page("sweep.md", &page)?;
    }
    Ok(())
}

/// The run that took less time.
pub fn faster(a: Exploration, b: Exploration) -> Exploration {
    if b.wall_seconds < a.wall_seconds { b } else { a }
}

fn race_table(races: &[Race]) -> Result<String> {
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("states", Align::Right),
        ("layers", Align::Right),
        ("largest layer", Align::Right),
        ("held at most", Align::Right),
        ("breadth s", Align::Right),
        ("sweep s", Align::Right),
        ("ratio", Align::Right),
        ("breadth ns/step", Align::Right),
        ("sweep ns/step", Align::Right),
        ("breadth MiB", Align::Right),
        ("sweep MiB", Align::Right),
    ]);
    for race in races {
        let states = race.breadth.all_states()?;
        let steps = race.breadth.transitions.context("no transitions counted")? as f64;
        let per_step = |run: &Exploration| format!("{:.1}", run.wall_seconds * 1e9 / steps);
        let mebibytes = |run: &Exploration| format!("{:.1}", run.peak_rss_bytes as f64 / f64::from(1 << 20));
        let peak = race.sweep.peak_stored.unwrap_or(states);
        table.row(vec![
            race.label.clone(),
            table::grouped(states),
            table::grouped(race.sweep.layers.unwrap_or(1)),
            table::grouped(race.sweep.peak_layer.unwrap_or(states)),
            format!("{} ({:.3} %)", table::grouped(peak), peak as f64 * 100.0 / states as f64),
            format!("{:.2}", race.breadth.wall_seconds),
            format!("{:.2}", race.sweep.wall_seconds),
            format!("{:.2}", race.ratio()),
            per_step(&race.breadth),
            per_step(&race.sweep),
            mebibytes(&race.breadth),
            mebibytes(&race.sweep),
        ]);
    }
    Ok(table.markdown())
}

/// One model with ever more packets: the states grow, what is held does not.
fn growth(sweepline: &Sweepline, options: &Options) -> Result<String> {
    let mut table = Table::new(&[
        ("packets", Align::Right),
        ("states", Align::Right),
        ("held at most", Align::Right),
        ("resident MiB", Align::Right),
        ("states/s", Align::Right),
    ]);
    let path = crate::workspace_root().join("models/dve/stop_and_wait_ages.dve");
    for packets in [30, 300, 3_000, 30_000] {
        let words =
            ["--engine", "sweep", "-D", "LIMIT=8", "-D", &format!("PACKETS={packets}")].map(str::to_owned);
        let run = sweepline.explore_by(&path, &words, options.selection.time_limit())?;
        let states = run.all_states()?;
        table.row(vec![
            packets.to_string(),
            table::grouped(states),
            table::grouped(run.peak_stored.unwrap_or(0)),
            format!("{:.1}", run.peak_rss_bytes as f64 / f64::from(1 << 20)),
            table::grouped((states as f64 / run.wall_seconds) as u64),
        ]);
    }
    Ok(format!(
        "\n## Growth\n\n`stop_and_wait_ages`, `LIMIT=8`, with 1, 10, 100 and 1000 times the packets.\n\n{}",
        table.markdown()
    ))
}

/// The run we show people: more than a billion states, exactly.
pub fn billion(options: &BillionOptions) -> Result<()> {
    const MODEL: &str = "models/dve/stop_and_wait_ages.dve";
    let sweepline = Sweepline::build(Pinning::detect())?;
    let root = crate::workspace_root();
    let mut page = String::from(
        "# A billion states\n\nWritten by `cargo run --release -p benchmarks -- billion --write`: the \
         commands and their output. The first run has about ten million states, the second more than a \
         billion; resident memory is as the kernel reports it.\n",
    );
    let mut rates = Vec::new();
    for packets in [288, 30_000] {
        let constants = [format!("PACKETS={packets}"), "LIMIT=12".into(), "LOSS=0".into()];
        let words: Vec<String> = constants.iter().flat_map(|one| ["-D".to_owned(), one.clone()]).collect();
        let run = sweepline.explore_from(&root, MODEL.as_ref(), &words, options.selection.time_limit())?;
        let states = run.all_states()?;
        let rate = states as f64 / run.wall_seconds;
        rates.push(rate);
        writeln!(
            page,
            "\n```console\n$ sweepline explore {MODEL} {}\n{}\n```\n",
            words.join(" "),
            run.said.trim()
        )?;
        writeln!(
            page,
            "{} states in {:.1} s: {} per second; peak resident {:.1} MiB; peak stored {} states.",
            table::grouped(states),
            run.wall_seconds,
            table::grouped(rate as u64),
            run.peak_rss_bytes as f64 / f64::from(1 << 20),
            table::grouped(run.peak_stored.unwrap_or(0)),
        )?;
    }
    writeln!(page, "\nThe rate of the large run is {:.3} of that of the small one.", rates[1] / rates[0])?;
    println!("{page}");
    if options.selection.write {
        table::write_page("billion.md", &page)?;
    }
    Ok(())
}
