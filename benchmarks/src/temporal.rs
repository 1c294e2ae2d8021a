//! Temporal logic although states are forgotten: linear time by the sweep against nested depth-first search, branching time on the graph of a sweep against
//! full exploration.
//!
//! Only properties that hold, so that every run goes to its end. Measures are looked for once, and are not part of the times.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::binary::{Exploration, Sweepline};
use crate::measure::Pinning;
use crate::table::{self, Align, Table};

/// Instances above a million states, with the number of a property of linear time that holds on them.
const LINEAR: [(&str, u32); 10] = [
    ("bopdp.3", 1),
    ("extinction.4", 2),
    ("leader_election.5", 2),
    ("leader_filters.5", 2),
    ("peterson.4", 4),
    ("pgm_protocol.6", 3),
    ("pgm_protocol.8", 4),
    ("rether.4", 2),
    ("rether.5", 2),
    ("rether.5", 5),
];

/// Instances above a million states, for a formula of branching time.
const BRANCHING: [&str; 11] = [
    "bopdp.3",
    "brp.4",
    "extinction.4",
    "iprotocol.4",
    "leader_filters.5",
    "needham.4",
    "peterson.4",
    "pgm_protocol.6",
    "pgm_protocol.8",
    "rether.4",
    "rether.5",
];

/// From every state, one with an infinite run can be reached: three nested fixed points.
const FORMULA: &str = "AG EF EG EX true";

/// The command line of `temporal`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
}

/// Two runs that ask the same.
struct Row {
    name: String,
    baseline: Exploration,
    sweep: Exploration,
}

/// Runs both comparisons.
pub fn run(options: &Options) -> Result<()> {
    let beem = crate::beem()?;
    let sweepline = Sweepline::build(Pinning::None)?;
    let limit = options.selection.time_limit();
    let (mut linear, mut branching, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    let mut keep = |name: &str, row: Result<Row>, rows: &mut Vec<Row>| match row {
        Ok(row) => {
            eprintln!("{name}: {:.2} x the time, {:.4} x the states", row.time(), row.peak());
            rows.push(row);
        }
        Err(error) => {
            eprintln!("{name}: FAILED: {error:#}");
            failed.push(format!("{name}: {error:#}"));
        }
    };
    for (name, number) in LINEAR.into_iter().filter(|(name, _)| options.selection.takes(name)) {
        let model = beem.dve(&format!("{name}.prop{number}"));
        let asked = ["--property".to_owned(), "LTL_property".to_owned()];
        let name = format!("{name}, property {number}");
        let row = compare(&sweepline, (&name, &model), &asked, "depth", limit);
        keep(&name, row, &mut linear);
    }
    for name in BRANCHING.into_iter().filter(|name| options.selection.takes(name)) {
        let asked = ["--ctl".to_owned(), FORMULA.to_owned()];
        let row = compare(&sweepline, (name, &beem.dve(name)), &asked, "breadth", limit);
        keep(name, row, &mut branching);
    }
    let page = page(&linear, &branching, &failed);
    println!("{page}");
    if options.selection.write {
        table::write_page("temporal.md", &page)?;
    }
    if failed.is_empty() { Ok(()) } else { bail!("{} comparisons failed", failed.len()) }
}

fn compare(
    sweepline: &Sweepline,
    (name, model): (&str, &Path),
    asked: &[String],
    baseline: &str,
    limit: Duration,
) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("measure");
    sweepline.save_measure(model, &file, limit)?.context("no measure is found")?;
    let by = |words: &[String]| {
        let words: Vec<String> = asked.iter().chain(words).cloned().collect();
        sweepline.check_by(model, &words, limit)
    };
    let baseline = by(&["--engine".into(), baseline.into()]).context("everything in memory")?;
    let measure = format!("@{}", file.display());
    let sweep = by(&["--engine".into(), "sweep".into(), "--measure".into(), measure]).context("by sweep")?;
    let verdict = |run: &Exploration| run.record["properties"][0]["verdict"].as_str().map(str::to_owned);
    if verdict(&baseline) != verdict(&sweep) || verdict(&sweep).as_deref() == Some("unknown") {
        bail!("{:?} in memory, {:?} by sweep", verdict(&baseline), verdict(&sweep));
    }
    Ok(Row { name: name.into(), baseline, sweep })
}

impl Row {
    fn time(&self) -> f64 {
        self.sweep.wall_seconds / self.baseline.wall_seconds
    }

    fn peak(&self) -> f64 {
        let stored = |run: &Exploration| run.peak_stored.unwrap_or(0) as f64;
        stored(&self.sweep) / stored(&self.baseline).max(1.0)
    }
}

fn page(linear: &[Row], branching: &[Row], failed: &[String]) -> String {
    let mut text = format!(
        "# Temporal logic while states are dropped\n\n`cargo run --release -p benchmarks -- temporal \
         --write`, {}. Each run once, in the order of the table; the measure search is not timed. \
         *Stored* is the peak number of states in memory, *resident* the peak memory of the process.\n\n\
         ## LTL: the sweep compared with nested depth-first search\n\nProperties of the BEEM benchmark \
         that hold. States are those of the product.\n\n",
        table::machine(),
    );
    text += &table_of(linear, "depth");
    text += &format!(
        "\n## CTL: the graph of a sweep compared with full exploration\n\n`{FORMULA}`. Both record the \
         graph of all transitions on disk, and evaluate the formula on it.\n\n"
    );
    text += &table_of(branching, "breadth");
    let lines: String = failed.iter().map(|line| format!("- **FAILED** {line}\n")).collect();
    if lines.is_empty() { text } else { text + "\n" + &lines }
}

fn table_of(rows: &[Row], baseline: &str) -> String {
    let mut table = Table::new(&[
        ("instance", Align::Left),
        ("verdict", Align::Left),
        (&format!("stored, {baseline}"), Align::Right),
        ("stored, sweep", Align::Right),
        ("ratio", Align::Right),
        (&format!("resident MiB, {baseline}"), Align::Right),
        ("sweep", Align::Right),
        (&format!("s, {baseline}"), Align::Right),
        ("s, sweep", Align::Right),
        ("ratio", Align::Right),
        ("sweeps", Align::Right),
    ]);
    let number = |count: Option<u64>| count.map_or("–".into(), table::grouped);
    for row in rows {
        table.row(vec![
            row.name.clone(),
            row.sweep.record["properties"][0]["verdict"].as_str().unwrap_or("–").into(),
            number(row.baseline.peak_stored),
            number(row.sweep.peak_stored),
            format!("{:.4}", row.peak()),
            table::mebibytes(row.baseline.peak_rss_bytes),
            table::mebibytes(row.sweep.peak_rss_bytes),
            format!("{:.2}", row.baseline.wall_seconds),
            format!("{:.2}", row.sweep.wall_seconds),
            format!("{:.2}", row.time()),
            number(row.sweep.record["search"]["sweeps"].as_u64()),
        ]);
    }
    let mean =
        |values: Vec<f64>| table::geometric_mean(&values).map_or("–".into(), |mean| format!("{mean:.3}"));
    let peak = mean(rows.iter().map(Row::peak).collect());
    let time = mean(rows.iter().map(Row::time).collect());
    table.markdown() + &format!("\nGeometric means: {peak} x the states in memory, {time} x the time.\n")
}
