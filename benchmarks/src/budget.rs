//! What a small budget of memory costs: twenty instances above a million states, explored with all memory and with 32 MiB.
//!
//! Both times the engine is the one that the program chooses. Under the limit it must come to the end with the same answer,
//! and the whole process may need little more than the budget, which is for states: the rest is the program, the compiled model, and buffers.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use oracles::{Beem, Instance};

use crate::binary::{Exploration, Sweepline};
use crate::measure::Pinning;
use crate::table::{self, Align, Table};

/// Twenty families, between one and fifteen million states.
const INSTANCES: [&str; 20] = [
    "adding.6",
    "at.4",
    "bakery.5",
    "brp.4",
    "brp2.6",
    "cambridge.6",
    "elevator2.3",
    "elevator_planning.2",
    "exit.1",
    "extinction.4",
    "fischer.6",
    "peterson.4",
    "iprotocol.4",
    "lamport.6",
    "leader_election.5",
    "lifts.7",
    "needham.4",
    "pgm_protocol.8",
    "phils.6",
    "rether.6",
];

/// Memory for states, in MiB.
const BUDGET: u64 = 32;

/// What the process may need beside, in MiB.
const BESIDE: u64 = 24;

/// The command line of `budget`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
}

/// The two runs on an instance.
struct Row {
    name: String,
    /// As BEEM, or we for a reason that is known, count them.
    states: u64,
    free: Exploration,
    limited: Exploration,
    /// Everything that is not as it should be.
    wrong: Vec<String>,
}

/// Runs the comparison.
pub fn run(options: &Options) -> Result<()> {
    let beem = crate::beem()?;
    // Not on one core: files are written by a thread of their own, and measures looked for by two.
    let sweepline = Sweepline::build(Pinning::None)?;
    let instances = beem.instances()?;
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for name in INSTANCES.into_iter().filter(|name| options.selection.takes(name)) {
        let instance = instances.iter().find(|instance| instance.name == name && instance.complete);
        let instance = instance.with_context(|| format!("BEEM has no complete count of {name}"))?;
        match measure(&sweepline, &beem, instance, options.selection.time_limit()) {
            Ok(row) => {
                eprintln!("{name}: {:.2} x the time of the run without a limit", row.ratio());
                row.wrong.iter().for_each(|wrong| eprintln!("{name}: WRONG: {wrong}"));
                rows.push(row);
            }
            Err(error) => {
                eprintln!("{name}: FAILED: {error:#}");
                failed.push(format!("{name}: {error:#}"));
            }
        }
    }
    let words: String = options.selection.only.iter().map(|word| format!(" --only {word}")).collect();
    let page = page(&words, &rows, &failed);
    println!("{page}");
    if options.selection.write {
        table::write_page("budget.md", &page)?;
    }
    let wrong = rows.iter().filter(|row| !row.wrong.is_empty()).count();
    match (wrong, failed.len()) {
        (0, 0) => Ok(()),
        (wrong, failed) => bail!("{wrong} instances are wrong, {failed} failed"),
    }
}

fn measure(sweepline: &Sweepline, beem: &Beem, instance: &Instance, time_limit: Duration) -> Result<Row> {
    let model = beem.dve(&instance.name);
    let free = sweepline.explore_by(&model, &[], time_limit).context("without a limit")?;
    let words = ["--memory".to_owned(), format!("{BUDGET}MiB")];
    let limited = sweepline.explore_by(&model, &words, time_limit).context("with the limit")?;
    Ok(Row::new(&instance.name, instance.expected_states(), free, limited))
}

impl Row {
    fn new(name: &str, expected: u64, free: Exploration, limited: Exploration) -> Row {
        let mut wrong = Vec::new();
        for (which, run) in [("without a limit", &free), ("with the limit", &limited)] {
            if !run.complete {
                wrong.push(format!("{which}: incomplete: {}", run.cut_off()));
            } else if let Some(states) = run.distinct_states.filter(|states| *states != expected) {
                let (states, expected) = (table::grouped(states), table::grouped(expected));
                wrong.push(format!("{which}: {states} states, not {expected}"));
            }
        }
        if free.complete && limited.complete && free.deadlocks != limited.deadlocks {
            wrong.push(format!(
                "deadlocks: {:?} without a limit, {:?} with it",
                free.deadlocks, limited.deadlocks
            ));
        }
        if limited.peak_rss_bytes > (BUDGET + BESIDE) << 20 {
            let resident = table::mebibytes(limited.peak_rss_bytes);
            wrong.push(format!("{resident} MiB resident, more than {BUDGET} + {BESIDE}"));
        }
        Row { name: name.to_owned(), states: expected, free, limited, wrong }
    }

    /// What was compared, if it is right.
    fn counts(&self) -> &'static str {
        match (self.wrong.is_empty(), self.limited.distinct_states) {
            (false, _) => "WRONG",
            (true, Some(_)) => "right",
            (true, None) => "right (deadlocks only)",
        }
    }

    fn ratio(&self) -> f64 {
        self.limited.wall_seconds / self.free.wall_seconds
    }
}

fn page(words: &str, rows: &[Row], failed: &[String]) -> String {
    let mut text = format!(
        "# {BUDGET} MiB for states\n\n\
         Written by `cargo run --release -p benchmarks -- budget{words} --write`. {}.\n\n\
         Instances of BEEM between one and fifteen million states, each explored twice: `explore MODEL`, \
         and `explore MODEL --memory {BUDGET}MiB`. In both cases Sweepline chooses engine and measure; \
         the time is that of the whole run, including the measure search. *Resident* is the peak memory \
         of the process as the kernel reports it, *spilled* the number of states written to disk with the \
         limit.\n\n",
        table::machine(),
    );
    text += &table_of(rows);
    let troubles = rows.iter().flat_map(|row| row.wrong.iter().map(|wrong| format!("{}: {wrong}", row.name)));
    let lines: String =
        troubles.chain(failed.iter().cloned()).map(|line| format!("- **WRONG** {line}\n")).collect();
    if lines.is_empty() {
        text += &format!(
            "\nAll runs are complete. The number of states is that of BEEM if the search knows it (a \
             sweep with regress edges does not), both runs of an instance have the same number of \
             deadlocks, and no process with the limit had more than {BUDGET} + {BESIDE} MiB resident: the \
             program, the compiled model and file buffers come on top of the {BUDGET} MiB for states.\n"
        );
    } else {
        text += &format!("\n{lines}");
    }
    text + "\nWhat this does not show: files of this size stay in the page cache, so times include hardly \
    any waiting for a disk. Every run was made once, in the order of the table.\n"
}

fn table_of(rows: &[Row]) -> String {
    let mut table = Table::new(&[
        ("instance", Align::Left),
        ("states", Align::Right),
        ("deadlocks", Align::Right),
        ("engine", Align::Left),
        ("with the limit", Align::Left),
        ("resident MiB", Align::Right),
        ("with the limit", Align::Right),
        ("s", Align::Right),
        ("with the limit", Align::Right),
        ("ratio", Align::Right),
        ("spilled", Align::Right),
        ("counts", Align::Left),
    ]);
    let number = |count: Option<u64>| count.map_or("–".into(), table::grouped);
    for row in rows {
        let (free, limited) = (&row.free, &row.limited);
        table.row(vec![
            row.name.clone(),
            table::grouped(row.states),
            number(free.deadlocks),
            engine(free),
            engine(limited),
            table::mebibytes(free.peak_rss_bytes),
            table::mebibytes(limited.peak_rss_bytes),
            format!("{:.2}", free.wall_seconds),
            format!("{:.2}", limited.wall_seconds),
            format!("{:.2}", row.ratio()),
            number(limited.states_written),
            row.counts().into(),
        ]);
    }
    let ratios: Vec<f64> = rows.iter().filter(|row| row.wrong.is_empty()).map(Row::ratio).collect();
    let means = match (table::median(&ratios), table::geometric_mean(&ratios)) {
        (Some(median), Some(mean)) => {
            format!(
                "\nTime with the limit / without: {median:.2} in the median, {mean:.2} in the geometric mean.\n"
            )
        }
        _ => String::new(),
    };
    table.markdown() + &means
}

fn engine(run: &Exploration) -> String {
    run.record["plan"]["engine"].as_str().unwrap_or("–").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(distinct: &str, resident: u64) -> Exploration {
        let record = format!(
            r#"{{"format": "sweepline-run/1", "plan": {{"engine": "sweep"}},
                "search": {{"complete": true, "deadlocks": 1, "states": {{"distinct": {distinct}}},
                "io": {{"states_written": 12345}}}},
                "resources": {{"wall_seconds": 2.0, "peak_rss_bytes": {}}}}}"#,
            resident << 20
        );
        Exploration::from_record(&record).unwrap()
    }

    fn row(limited: Exploration) -> Row {
        Row::new("a.1", 100, run("100", 200), limited)
    }

    #[test]
    fn a_right_row_shows_what_was_spilled() {
        let row = row(run("100", 56));
        assert_eq!(row.counts(), "right");
        let text = page("", &[row], &[]);
        assert!(text.contains("12,345") && text.contains("All runs are complete"), "{text}");
    }

    #[test]
    fn a_sweep_need_not_know_how_many_states_there_are() {
        assert_eq!(row(run("null", 30)).counts(), "right (deadlocks only)");
    }

    #[test]
    fn whatever_is_wrong_is_named() {
        let wrong = |limited| row(limited).wrong.join("; ");
        assert_eq!(wrong(run("99", 30)), "with the limit: 99 states, not 100");
        assert_eq!(wrong(run("100", 57)), "57.0 MiB resident, more than 32 + 24");
        let other = Exploration { deadlocks: Some(2), ..run("100", 30) };
        assert!(wrong(other).starts_with("deadlocks:"));
        let cut_off = Exploration { complete: false, ..run("50", 30) };
        assert_eq!(wrong(cut_off), "with the limit: incomplete: the search was cut off");
        let text = page("", &[row(run("99", 30))], &["b.1: no result".into()]);
        assert!(text.contains("**WRONG** a.1: with the limit") && text.contains("**WRONG** b.1"), "{text}");
    }

    #[test]
    fn twenty_families_are_taken_once_each() {
        let families: std::collections::BTreeSet<&str> =
            INSTANCES.iter().filter_map(|name| Some(name.split_once('.')?.0)).collect();
        assert_eq!(families.len(), INSTANCES.len());
    }
}
