//! Sweeps over Petri nets by measures that the program finds itself, against LoLA's sweep-line method on the same nets.
//!
//! LoLA makes one linear measure of the incidence matrix; what it held at its peak is known for these nets (LoLA 2 of 2021, no other reduction). Ours sweeps each net
//! twice, for balance and for memory, and must hold fewer states. The cost of revisits has a column
//! of its own; LoLA's is not known here.

use std::path::Path;

use anyhow::{Context, Result, bail};
use oracles::{NetAnswer, Petri};
use serde_json::Value;

use crate::binary::{Exploration, Sweepline};
use crate::measure::Pinning;
use crate::table::{self, Align, Table};

/// A net of the model checking contest, and what LoLA held at its peak, in percent of all states.
struct Published {
    name: &'static str,
    peak: f64,
}

const fn published(name: &'static str, peak: f64) -> Published {
    Published { name, peak }
}

/// The token ring is the unfolded form of its coloured net.
const LOLA: &[Published] = &[
    published("Eratosthenes-PT-020", 45.1),
    published("AirplaneLD-PT-0020", 58.5),
    published("BridgeAndVehicles-PT-V10P10N10", 15.3),
    published("PermAdmissibility-PT-01", 71.1),
    published("IBM5964-PT-none", 83.2),
    published("Sudoku-PT-AN03", 58.7),
    published("DoubleExponent-PT-003", 0.4),
    published("ClientsAndServers-PT-N0001P0", 62.8),
    published("Philosophers-PT-000010", 94.3),
    published("TokenRing-COL-010", 76.9),
    published("ERK-PT-000010", 99.8),
    published("Peterson-PT-2", 61.5),
    published("FMS-PT-00002", 97.0),
    published("ShieldRVs-PT-003A", 79.8),
    published("Kanban-PT-00005", 77.7),
    published("Angiogenesis-PT-01", 128.0),
];

/// The command line of `nets`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
}

/// One sweep over a net.
struct Sweep {
    peak: u64,
    explored: u64,
    /// How far behind the front it remembers, as `--window` reads it.
    window: Option<String>,
    seconds: f64,
}

/// A net and both of its sweeps.
struct Row {
    published: &'static Published,
    states: u64,
    balanced: Sweep,
    memory: Sweep,
}

impl Sweep {
    fn of(run: &Exploration) -> Result<Self> {
        if !run.complete {
            bail!("incomplete: {}", run.cut_off());
        }
        Ok(Self {
            peak: run.peak_stored.context("the record has no peak")?,
            explored: run.record["search"]["states"]["explored"]
                .as_u64()
                .context("the record has no expansions")?,
            window: window(&run.record["plan"]["measure"]["window"]),
            seconds: run.wall_seconds,
        })
    }
}

/// A window of a run record in the words of `--window`.
fn window(record: &Value) -> Option<String> {
    let (component, reach) = (record["component"].as_u64()?, record["reach"].as_u64()?);
    Some(if component == 1 { reach.to_string() } else { format!("{component}:{reach}") })
}

impl Row {
    /// Of all states, in percent.
    fn share(&self, number: u64) -> f64 {
        100.0 * number as f64 / self.states as f64
    }

    /// How the peak of a sweep compares with LoLA's.
    fn verdict(&self, sweep: &Sweep) -> &'static str {
        match self.share(sweep.peak) {
            share if share <= self.published.peak / 2.0 => "half",
            share if share <= self.published.peak => "less",
            _ => "**more**",
        }
    }
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<()> {
    let petri = Petri::find()
        .context("the nets are not here: set SWEEPLINE_ORACLES to a folder that has petri/expected.csv")?;
    let answers = petri.answers()?;
    let temporary = tempfile::tempdir()?;
    // Not on one core: measures are looked for by two threads.
    let sweepline = Sweepline::build(Pinning::None)?;
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for published in LOLA.iter().filter(|one| options.selection.takes(one.name)) {
        let sweep = |answer: &NetAnswer, model: &Path, prefer: &str| -> Result<Sweep> {
            let words = ["--engine", "sweep", "--measure", "auto", "--prefer", prefer].map(String::from);
            let run = sweepline.explore_by(model, &words, options.selection.time_limit())?;
            match (run.distinct_states, answer.states) {
                (Some(ours), Some(theirs)) if ours != theirs => bail!("{ours} states instead of {theirs}"),
                _ => Sweep::of(&run),
            }
        };
        let row = || -> Result<Row> {
            let is_asked =
                |answer: &&NetAnswer| answer.instance() == published.name && answer.states.is_some();
            let answer = answers.iter().find(is_asked).context("its states are not known")?;
            let model = petri.net(answer, temporary.path())?;
            let states = answer.states.context("its states are not known")?;
            let [balanced, memory] = ["balanced", "memory"].map(|prefer| sweep(answer, &model, prefer));
            Ok(Row { published, states, balanced: balanced?, memory: memory? })
        };
        match row() {
            Ok(row) => {
                let (share, lola) = (row.share(row.memory.peak), published.peak);
                eprintln!("{}: {share:.2} % at the peak, LoLA {lola} %", published.name);
                rows.push(row);
            }
            Err(error) => {
                eprintln!("{}: FAILED: {error:#}", published.name);
                failed.push(format!("{}: {error:#}", published.name));
            }
        }
    }
    let page = page(&rows, &failed);
    println!("{page}");
    if options.selection.write {
        table::write_page("nets.md", &page)?;
    }
    if failed.is_empty() { Ok(()) } else { bail!("{} nets failed", failed.len()) }
}

fn page(rows: &[Row], failed: &[String]) -> String {
    let mut table = Table::new(&[
        ("net", Align::Left),
        ("states", Align::Right),
        ("LoLA, %", Align::Right),
        ("balanced: peak", Align::Right),
        ("%", Align::Right),
        ("explored", Align::Right),
        ("window", Align::Right),
        ("s", Align::Right),
        ("memory: peak", Align::Right),
        ("%", Align::Right),
        ("explored", Align::Right),
        ("window", Align::Right),
        ("s", Align::Right),
        ("than LoLA", Align::Left),
    ]);
    for row in rows {
        let figures = |sweep: &Sweep| {
            let share = format!("{:.2}", row.share(sweep.peak));
            let explored = format!("{:.2}", row.share(sweep.explored) / 100.0);
            let window = sweep.window.clone().unwrap_or_else(|| "–".into());
            [table::grouped(sweep.peak), share, explored, window, format!("{:.2}", sweep.seconds)]
        };
        let names =
            [row.published.name.to_owned(), table::grouped(row.states), row.published.peak.to_string()];
        let cells = names.into_iter().chain(figures(&row.balanced)).chain(figures(&row.memory));
        table.row(cells.chain([row.verdict(&row.memory).to_owned()]).collect());
    }
    let count = |sweep: fn(&Row) -> &Sweep| {
        let verdicts: Vec<&str> = rows.iter().map(|row| row.verdict(sweep(row))).collect();
        let half = verdicts.iter().filter(|verdict| **verdict == "half").count();
        let less = verdicts.iter().filter(|verdict| **verdict == "less").count();
        let explored = |row: &Row| row.share(sweep(row).explored) / 100.0;
        let often = rows.iter().filter(|row| explored(row) > 1.3).count();
        format!(
            "{} of {} nets need no more than LoLA, {half} of them at most half, and {often} need more \
             than 1.3 expansions per state",
            half + less,
            rows.len()
        )
    };
    let mut text = format!(
        "# Sweeps over Petri nets, compared with LoLA\n\n`cargo run --release -p benchmarks -- nets \
         --write`, {}. Each net is swept twice, with a measure that Sweepline finds: \
         `--engine sweep --measure auto` with `--prefer balanced` and with `--prefer memory`; times \
         include the measure search. *Peak* is the peak number of states in memory, including persistent \
         states, also in percent of all states; *explored* is expansions per state, *window* the width of \
         the window behind the front. The column of LoLA is the peak of LoLA 2 (2021) with its own \
         measure and no other reduction; its expansions are unknown. The last column compares the sweep \
         for memory.\n\n{}\n\
         For memory, {}; for balance, {}.\n",
        table::machine(),
        table.markdown(),
        count(|row| &row.memory),
        count(|row| &row.balanced),
    );
    for line in failed {
        text += &format!("\n- **FAILED** {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_lola_held_is_told_from_less_and_more() {
        let sweep = |peak| Sweep { peak, explored: 150, window: None, seconds: 0.5 };
        let row = |peak| Row { published: &LOLA[0], states: 100, balanced: sweep(100), memory: sweep(peak) };
        assert_eq!(
            [22, 23, 45, 46].map(|peak| row(peak).verdict(&sweep(peak))),
            ["half", "less", "less", "**more**"]
        );
        let page = page(&[row(22), row(46)], &[]);
        assert!(
            page.contains("For memory, 1 of 2 nets need no more than LoLA, 1 of them at most half"),
            "{page}"
        );
        assert!(page.contains("1.50"), "{page}");
    }
}
