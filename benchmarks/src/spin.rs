//! The race against SPIN: every state stored once, no reduction, one core, both sides at their best.
//!
//! A pair is a DVE model for us and a Promela model for SPIN. The pairs in `benchmarks/models` were written
//! together and have the same states; those of the BEEM benchmark are its own translations, whose counts
//! differ for most models, so that only rates and bytes per state compare.
//!
//! SPIN is not handicapped: its verifier is compiled for safety only, compiling is not counted, and an
//! uncounted first run finds the depth and the number of states, so that the stack is no larger and the
//! hash table no smaller than needed. The table alternates between one slot a state and twice as many,
//! and SPIN is credited with the shorter time of the one and the smaller memory of the other. Reduction is
//! off on both sides: the point is the cost of a state.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use crate::binary::Sweepline;
use crate::measure::{self, Measured, Pinning};
use crate::table::{self, Align, Table};

/// What the C compiler gets, beside the source.
const COMPILER_FLAGS: &[&str] = &["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000"];

/// Pairs in `benchmarks/models`.
const OWN_PAIRS: &[&str] = &[
    "peterson",
    "bakery",
    "sliding_window",
    "ring_election",
    "philosophers",
    "elevator",
    "two_phase_commit",
    "cache_coherence",
];

/// BEEM instances with a Promela version that SPIN explores completely in about a minute and 8 GB, and
/// that has more than half a million states.
const BEEM_PAIRS: &[&str] = &[
    "adding.4",
    "adding.6",
    "at.3",
    "at.4",
    "bakery.5",
    "bakery.6",
    "blocks.3",
    "bopdp.3",
    "brp.3",
    "brp.4",
    "elevator2.3",
    "fischer.4",
    "fischer.6",
    "hanoi.2",
    "iprotocol.3",
    "iprotocol.4",
    "lamport.6",
    "lann.3",
    "leader_filters.5",
    "needham.4",
    "peg_solitaire.4",
    "peterson.4",
    "phils.5",
    "reader_writer.3",
    "rether.6",
    "rether.7",
    "sokoban.2",
];

/// The command line of `spin`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
    /// How often each side runs; the best run counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: u32,
    /// Run SPIN alone
    #[arg(long)]
    spin_alone: bool,
}

struct Pair {
    name: String,
    dve: PathBuf,
    promela: PathBuf,
    origin: Origin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Own,
    Beem,
}

/// The best of several runs of one tool.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Best {
    states: u64,
    seconds: f64,
    peak_rss_bytes: u64,
}

impl Best {
    fn rate(&self) -> f64 {
        self.states as f64 / self.seconds
    }

    fn bytes_per_state(&self) -> f64 {
        self.peak_rss_bytes as f64 / self.states as f64
    }

    /// The shortest time and the smallest peak: noise only ever adds.
    fn improve(best: Option<Best>, run: Best) -> Result<Option<Best>> {
        let Some(best) = best else { return Ok(Some(run)) };
        if best.states != run.states {
            bail!("two runs stored {} and {} states", best.states, run.states);
        }
        Ok(Some(Best {
            states: run.states,
            seconds: best.seconds.min(run.seconds),
            peak_rss_bytes: best.peak_rss_bytes.min(run.peak_rss_bytes),
        }))
    }
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<()> {
    let spin_version = require_tools()?;
    let pinning = Pinning::detect();
    let sweepline = if options.spin_alone { None } else { Some(Sweepline::build(pinning)?) };
    let time_limit = options.selection.time_limit();

    let mut results = Vec::new();
    for pair in pairs(&options.selection) {
        eprint!("{} ", pair.name);
        match race(&pair, sweepline.as_ref(), options.repetitions, pinning, time_limit) {
            Ok((spin, ours)) => {
                eprintln!("{}", summary(spin, ours));
                results.push((pair, spin, ours));
            }
            Err(error) => eprintln!("left out: {error:#}"),
        }
    }
    let page = page(&results, &spin_version, options.repetitions, pinning);
    println!("{page}");
    if options.selection.write {
        table::write_page("spin.md", &page)?;
    }
    Ok(())
}

fn pairs(selection: &crate::Selection) -> Vec<Pair> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut pairs: Vec<Pair> = OWN_PAIRS
        .iter()
        .map(|name| Pair {
            name: name.to_string(),
            dve: models.join(format!("{name}.dve")),
            promela: models.join(format!("{name}.pml")),
            origin: Origin::Own,
        })
        .collect();
    match oracles::Beem::find() {
        Some(beem) => pairs.extend(BEEM_PAIRS.iter().map(|name| Pair {
            name: name.to_string(),
            dve: beem.dve(name),
            promela: beem.promela(name),
            origin: Origin::Beem,
        })),
        None => {
            eprintln!("The BEEM models are not here (SWEEPLINE_ORACLES): only the project's own pairs run.")
        }
    }
    pairs.retain(|pair| selection.takes(&pair.name));
    pairs
}

/// Alternates between the two sides, so that a busy spell of the machine hits both.
fn race(
    pair: &Pair,
    sweepline: Option<&Sweepline>,
    repetitions: u32,
    pinning: Pinning,
    time_limit: Duration,
) -> Result<(Best, Option<Best>)> {
    let verifier = Verifier::prepare(&pair.promela, pinning, time_limit)?;
    let mut spin = None;
    let mut ours = None;
    for repetition in 0..repetitions {
        spin = Best::improve(spin, verifier.run(repetition % 2, time_limit)?)?;
        if let Some(sweepline) = sweepline {
            let run = sweepline.explore(&pair.dve, time_limit)?;
            let run = Best {
                states: run.all_states()?,
                seconds: run.wall_seconds,
                peak_rss_bytes: run.peak_rss_bytes,
            };
            ours = Best::improve(ours, run)?;
        }
    }
    let spin = spin.expect("there is at least one repetition");
    if let Some(ours) = ours
        && pair.origin == Origin::Own
        && ours.states != spin.states
    {
        bail!("{} states for SPIN and {} for us, where both should have the same", spin.states, ours.states);
    }
    Ok((spin, ours))
}

/// A compiled SPIN verifier and the parameters that fit its model.
struct Verifier {
    folder: tempfile::TempDir,
    pinning: Pinning,
    depth: u64,
    table_bits: u32,
}

impl Verifier {
    fn prepare(model: &Path, pinning: Pinning, time_limit: Duration) -> Result<Verifier> {
        if !model.is_file() {
            bail!("{} does not exist", model.display());
        }
        let folder = tempfile::tempdir()?;
        let model = std::fs::canonicalize(model)?;
        succeed(Command::new("spin").arg("-a").arg(model).current_dir(folder.path()), time_limit)?;
        let mut compiler = Command::new("gcc");
        compiler.args(COMPILER_FLAGS).args(["-o", "pan", "pan.c"]).current_dir(folder.path());
        succeed(&mut compiler, time_limit)?;

        let mut verifier = Verifier { folder, pinning, depth: 20_000_000, table_bits: 24 };
        let first = Report::parse(&verifier.start(0, time_limit)?.output)?;
        verifier.depth = first.depth + first.depth / 100 + 100;
        verifier.table_bits = table_bits(first.states);
        Ok(verifier)
    }

    fn run(&self, more_bits: u32, time_limit: Duration) -> Result<Best> {
        let measured = self.start(more_bits, time_limit)?;
        let report = Report::parse(&measured.output)?;
        // pan's clock ticks in hundredths; a run that short is not worth comparing, but must not divide by 0
        let seconds = report.seconds.max(0.01);
        Ok(Best { states: report.states, seconds, peak_rss_bytes: measured.peak_rss_bytes })
    }

    /// `-E`: a state without successors is no error here; `-n`: no list of unreached code.
    fn start(&self, more_bits: u32, time_limit: Duration) -> Result<Measured> {
        let mut command = self.pinning.command(self.folder.path().join("pan"));
        command
            .args([
                format!("-m{}", self.depth),
                format!("-w{}", self.table_bits + more_bits),
                "-n".into(),
                "-E".into(),
            ])
            .current_dir(self.folder.path());
        let measured = measure::run(&mut command, time_limit)?;
        if measured.timed_out {
            bail!("SPIN: no result after {} s", time_limit.as_secs());
        }
        Ok(measured)
    }
}

/// The smallest table with at least one slot for each state: SPIN chains what collides.
fn table_bits(states: u64) -> u32 {
    states.next_power_of_two().ilog2().clamp(10, 29)
}

/// What a verifier prints at its end.
#[derive(Debug, PartialEq)]
struct Report {
    states: u64,
    depth: u64,
    seconds: f64,
}

impl Report {
    fn parse(output: &str) -> Result<Report> {
        for trouble in ["Search not completed", "max search depth too small", "out of memory"] {
            if output.contains(trouble) {
                bail!("SPIN: {trouble}");
            }
        }
        if !output.contains("errors: 0") {
            bail!("SPIN found an error in the model, or nothing at all");
        }
        Ok(Report {
            states: number_before(output, " states, stored").context("SPIN printed no state count")? as u64,
            depth: number_after(output, "depth reached ").context("SPIN printed no depth")? as u64,
            seconds: number_after(output, "elapsed time ").context("SPIN printed no time")?,
        })
    }
}

/// The number that ends right before `mark`; SPIN writes large ones as `1.2e+07`.
fn number_before(text: &str, mark: &str) -> Option<f64> {
    let before = &text[..text.find(mark)?];
    before.split_whitespace().next_back()?.parse().ok()
}

/// The number that starts right after `mark`.
fn number_after(text: &str, mark: &str) -> Option<f64> {
    let after = &text[text.find(mark)? + mark.len()..];
    after.split([' ', ',', '\n']).next()?.parse().ok()
}

fn succeed(command: &mut Command, time_limit: Duration) -> Result<()> {
    let measured = measure::run(command, time_limit)?;
    if measured.exit_code != Some(0) {
        let first = measured.output.lines().next().unwrap_or("no message");
        bail!("{} failed: {first}", command.get_program().display());
    }
    Ok(())
}

/// SPIN's version, or how to get what is missing.
fn require_tools() -> Result<String> {
    let spin = Command::new("spin").arg("-V").output().map_err(|_| {
        anyhow!("`spin` is not on the PATH: install SPIN (Debian and Ubuntu: `apt install spin`, or build https://github.com/nimble-code/Spin)")
    })?;
    Command::new("gcc").arg("--version").output().map_err(|_| {
        anyhow!("`gcc` is not on the PATH: SPIN's verifiers are C programs that it has to compile")
    })?;
    let version = String::from_utf8_lossy(&spin.stdout);
    Ok(version.trim().trim_start_matches("Spin Version").trim().to_string())
}

fn summary(spin: Best, ours: Option<Best>) -> String {
    let side = |best: Best| {
        format!(
            "{} states, {:.2} s, {} MB",
            table::grouped(best.states),
            best.seconds,
            table::megabytes(best.peak_rss_bytes)
        )
    };
    match ours {
        Some(ours) => format!("SPIN {}; sweepline {}", side(spin), side(ours)),
        None => format!("SPIN {}", side(spin)),
    }
}

fn page(results: &[(Pair, Best, Option<Best>)], version: &str, repetitions: u32, pinning: Pinning) -> String {
    let mut page = String::from("# Sweepline and SPIN\n\n");
    let pinned = if pinning == Pinning::None { "not pinned" } else { "pinned to one core" };
    let _ = writeln!(
        page,
        "SPIN {version}, compiled with `{}`; sweepline `explore --engine breadth`, one thread. {}; {pinned}; best of {repetitions}.\n\
         Rates are in thousand states per second, memory is peak resident bytes per stored state; a \
         factor above 1 is in favour of Sweepline.\n",
        COMPILER_FLAGS.join(" "),
        table::machine(),
    );
    for (origin, title) in [
        (Origin::Own, "## Own pairs: the same states in both languages\n"),
        (Origin::Beem, "## BEEM: the benchmark's translations, with different states for most models\n"),
    ] {
        let rows: Vec<_> = results.iter().filter(|(pair, ..)| pair.origin == origin).collect();
        if !rows.is_empty() {
            let _ = writeln!(page, "{title}\n{}", comparison(&rows));
        }
    }
    let rows: Vec<_> = results.iter().collect();
    let _ = writeln!(page, "{}", means(&rows));
    page
}

fn comparison(rows: &[&(Pair, Best, Option<Best>)]) -> String {
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("states, SPIN", Align::Right),
        ("states, ours", Align::Right),
        ("s, SPIN", Align::Right),
        ("s, ours", Align::Right),
        ("rate, SPIN", Align::Right),
        ("rate, ours", Align::Right),
        ("faster", Align::Right),
        ("B/state, SPIN", Align::Right),
        ("B/state, ours", Align::Right),
        ("smaller", Align::Right),
    ]);
    let none = || "-".to_string();
    for (pair, spin, ours) in rows {
        let rate = |best: &Best| table::grouped((best.rate() / 1000.0).round() as u64);
        table.row(vec![
            pair.name.clone(),
            table::grouped(spin.states),
            ours.map_or_else(none, |ours| table::grouped(ours.states)),
            format!("{:.2}", spin.seconds),
            ours.map_or_else(none, |ours| format!("{:.2}", ours.seconds)),
            rate(spin),
            ours.as_ref().map_or_else(none, rate),
            ours.map_or_else(none, |ours| table::factor(speed_factor(spin, &ours))),
            format!("{:.1}", spin.bytes_per_state()),
            ours.map_or_else(none, |ours| format!("{:.1}", ours.bytes_per_state())),
            ours.map_or_else(none, |ours| table::factor(memory_factor(spin, &ours))),
        ]);
    }
    table.markdown()
}

fn speed_factor(spin: &Best, ours: &Best) -> f64 {
    ours.rate() / spin.rate()
}

fn memory_factor(spin: &Best, ours: &Best) -> f64 {
    spin.bytes_per_state() / ours.bytes_per_state()
}

fn means(rows: &[&(Pair, Best, Option<Best>)]) -> String {
    let both: Vec<(&Best, &Best)> =
        rows.iter().filter_map(|(_, spin, ours)| Some((spin, ours.as_ref()?))).collect();
    let speeds: Vec<f64> = both.iter().map(|(spin, ours)| speed_factor(spin, ours)).collect();
    let memories: Vec<f64> = both.iter().map(|(spin, ours)| memory_factor(spin, ours)).collect();
    let line = |what: &str, values: &[f64]| match (table::geometric_mean(values), table::least(values)) {
        (Some(mean), Some(least)) => {
            format!("{what}: geometric mean {}, least {}.\n", table::factor(mean), table::factor(least))
        }
        _ => String::new(),
    };
    line("States a second, ours to SPIN's", &speeds) + &line("Bytes per state, SPIN's to ours", &memories)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
(Spin Version 6.5.2 -- 6 December 2019)
State-vector 40 byte, depth reached 1054, errors: 0
     4398 states, stored
     6663 states, matched
    11061 transitions (= stored+matched)
  128.000	memory used for hash table (-w24)

pan: elapsed time 1.25 seconds
";

    #[test]
    fn a_verifiers_report_is_read() {
        assert_eq!(Report::parse(OUTPUT).unwrap(), Report { states: 4398, depth: 1054, seconds: 1.25 });
    }

    #[test]
    fn large_numbers_come_in_exponent_form() {
        let report = Report::parse(&OUTPUT.replace("4398 states", "1.18e+07 states")).unwrap();
        assert_eq!(report.states, 11_800_000);
    }

    #[test]
    fn a_search_that_was_cut_off_is_no_result() {
        let cut = format!("error: max search depth too small\n{OUTPUT}");
        assert!(Report::parse(&cut).is_err());
        assert!(Report::parse(&OUTPUT.replace("errors: 0", "errors: 1")).is_err());
    }

    #[test]
    fn the_table_has_a_slot_for_each_state() {
        assert_eq!(table_bits(1 << 20), 20);
        assert_eq!(table_bits((1 << 20) + 1), 21);
    }

    #[test]
    fn the_best_run_counts_and_all_runs_agree() {
        let run = |states, seconds, bytes| Best { states, seconds, peak_rss_bytes: bytes };
        let best = Best::improve(Some(run(10, 2.0, 100)), run(10, 1.0, 120)).unwrap();
        assert_eq!(best, Some(run(10, 1.0, 100)));
        assert!(Best::improve(Some(run(10, 2.0, 100)), run(11, 1.0, 100)).is_err());
    }

    #[test]
    fn every_own_pair_has_both_models() {
        let all = crate::Selection { only: vec![], time_limit: 1, write: false };
        for pair in pairs(&all).iter().filter(|pair| pair.origin == Origin::Own) {
            assert!(pair.dve.is_file() && pair.promela.is_file(), "{}", pair.name);
        }
    }
}
