//! The experiment of Evangelista and Kristensen, "Combining the Sweep-Line Method with the Use of an External-Memory
//! Priority Queue" (SPIN 2012, section 4): the sweep with its queue on disk against the sweep in memory, against a partitioned
//! search and against breadth-first search on disk.
//!
//! The instances are those of the paper's table 3 that the BEEM folder has. For each, one measure is looked for and saved, and every
//! sweep takes that one; then the engines explore the instance one after the other, once each. As in the paper, the other searches on
//! disk get as much memory as the sweep on disk took. One that runs out of time is shown with what it came to, a lower bound, and counts in no average.
//!
//! `row` compares the runs of an instance, `page` writes it all down.

mod page;
mod row;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use oracles::Beem;

use crate::binary::Sweepline;
use crate::measure::Pinning;
use crate::table;

use page::Page;
use row::{Row, Run};

/// The instances of table 3, and their states there.
const PAPER: &[(&str, u64)] = &[
    ("bakery.6", 11_845_035),
    ("bopdp.7", 15_236_725),
    ("brp.4", 12_068_447),
    ("cambridge.6", 3_354_295),
    ("elevator2.3", 7_667_712),
    ("extinction.7", 20_769_427),
    ("firewire_link.5", 18_553_032),
    ("firewire_tree.5", 3_807_023),
    ("iprotocol.6", 41_387_484),
    ("leader_election.5", 4_803_952),
    ("needham.4", 6_525_019),
    ("peterson.4", 1_119_560),
    ("pgm_protocol.10", 29_679_589),
    ("plc.4", 3_763_999),
    ("rether.6", 5_919_694),
    ("synapse.7", 10_198_141),
];

const TIME_LIMIT: &str = "600";
/// Bytes for states that the other searches on disk get at the least: their buffers take some of it.
const LEAST_MEMORY: u64 = 4 << 20;

/// A search ends itself at the time limit, and then has this long to write its record.
const GRACE: Duration = Duration::from_secs(60);

/// The command line of `external`.
#[derive(clap::Args)]
#[command(mut_arg("time_limit", |limit| limit.default_value(TIME_LIMIT)))]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
}

impl Options {
    /// What was asked for on the command line, but for where the page goes.
    fn words(&self) -> String {
        let mut words: Vec<String> =
            self.selection.only.iter().map(|word| format!(" --only {word}")).collect();
        if self.selection.time_limit.to_string() != TIME_LIMIT {
            words.push(format!(" --time-limit {}", self.selection.time_limit));
        }
        words.concat()
    }
}

/// What is run on every instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    Sweep,
    /// With the radix heap, which is the default.
    SweepDisk,
    Partition,
    BreadthDisk,
    /// The sweep on disk with the paper's queue.
    ArrayHeap,
}

impl Search {
    const ALL: [Search; 5] =
        [Search::Sweep, Search::SweepDisk, Search::Partition, Search::BreadthDisk, Search::ArrayHeap];

    fn name(self) -> &'static str {
        match self {
            Search::Sweep => "sweep",
            Search::SweepDisk => "sweep-disk",
            Search::Partition => "partition",
            Search::BreadthDisk => "breadth-disk",
            Search::ArrayHeap => "sweep-disk, array heap",
        }
    }

    fn options(self, measure: &Path, memory: u64) -> Vec<String> {
        let engine = if self == Search::ArrayHeap { "sweep-disk" } else { self.name() };
        let mut words = vec!["--engine".to_owned(), engine.to_owned()];
        if matches!(self, Search::Sweep | Search::SweepDisk | Search::ArrayHeap) {
            words.extend(["--measure".to_owned(), format!("@{}", measure.display())]);
        }
        if matches!(self, Search::Partition | Search::BreadthDisk) {
            words.extend(["--memory".to_owned(), format!("{}KiB", memory >> 10)]);
        }
        if self == Search::ArrayHeap {
            words.extend(["--queue", "array"].map(str::to_owned));
        }
        words
    }
}

/// An instance without a row, and why.
struct LeftOut {
    name: &'static str,
    why: String,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let beem = crate::beem()?;
    // Not on one core: files are written by a thread of their own, and measures looked for by two.
    let sweepline = Sweepline::build(Pinning::None)?;
    let experiment = Experiment { beem: &beem, sweepline: &sweepline, options };
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for &(name, published) in PAPER.iter().filter(|(name, _)| options.selection.takes(name)) {
        match experiment.row(name, published)? {
            Ok(row) => rows.push(row),
            Err(why) => {
                eprintln!("{name}: left out: {why}");
                left_out.push(LeftOut { name, why });
            }
        }
    }
    let page = Page { rows: &rows, left_out: &left_out, options }.text();
    println!("{page}");
    if options.selection.write {
        table::write_page("external.md", &page)?;
    }
    let wrong = rows.iter().filter(|row| row.wrong.is_some()).count();
    let failed = rows.iter().flat_map(|row| &row.runs).filter(|run| matches!(run, Run::Failed(_))).count();
    match (wrong, failed) {
        (0, 0) => Ok(()),
        _ => bail!("the engines disagree on {wrong} instances, {failed} runs failed"),
    }
}

struct Experiment<'a> {
    beem: &'a Beem,
    sweepline: &'a Sweepline,
    options: &'a Options,
}

impl Experiment<'_> {
    /// All runs on an instance, or why there are none.
    fn row(&self, name: &str, published: u64) -> Result<Result<Row, String>> {
        let model = self.beem.dve(name);
        if !model.exists() {
            return Ok(Err("its model is not here".into()));
        }
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("measure");
        let limit = self.options.selection.time_limit();
        let measure = match self.sweepline.save_measure(&model, &file, limit) {
            Ok(Some(measure)) => measure,
            Ok(None) => return Ok(Err("no measure was found".into())),
            Err(error) => return Ok(Err(format!("no measure was found: {error:#}"))),
        };
        let counted = self.beem.instances()?.into_iter().find(|one| one.name == name && one.complete);
        let mut memory = LEAST_MEMORY;
        let runs = Search::ALL.map(|search| {
            let run = self.explore(&model, search.options(&file, memory));
            if search == Search::SweepDisk {
                memory = memory.max(run.state_bytes());
            }
            eprintln!("{name}, {}: {}", search.name(), run.brief());
            run
        });
        let expected = counted.map(|instance| instance.expected_states());
        Ok(Ok(Row::new(name, measure, row::Counts { expected, published }, runs)))
    }

    fn explore(&self, model: &Path, mut words: Vec<String>) -> Run {
        let limit = self.options.selection.time_limit();
        words.extend(["--time-limit".to_owned(), format!("{}s", limit.as_secs())]);
        let start = Instant::now();
        match self.sweepline.explore_by(model, &words, limit + GRACE) {
            Ok(run) => Run::new(run, limit),
            Err(_) if start.elapsed() > limit + GRACE => Run::Ended(limit.as_secs_f64()),
            Err(error) => Run::Failed(format!("{error:#}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn the_page_repeats_what_was_asked_for() {
        let words = |words: &[&str]| CommandLine::parse_from([&["external"], words].concat()).options.words();
        assert_eq!(words(&[]), "");
        assert_eq!(words(&["--only", "brp", "--time-limit", "30"]), " --only brp --time-limit 30");
    }

    #[test]
    fn runs_are_kept_in_the_order_of_searches() {
        assert!(Search::ALL.iter().enumerate().all(|(at, search)| *search as usize == at));
    }

    #[test]
    fn all_sweeps_take_the_same_measure_and_the_other_searches_the_same_memory() {
        for search in Search::ALL {
            let words = search.options(Path::new("m"), 7 << 20).join(" ");
            let sweeps = !matches!(search, Search::Partition | Search::BreadthDisk);
            assert_eq!(words.contains("--measure @m"), sweeps, "{words}");
            assert_eq!(words.contains("--memory 7168KiB"), !sweeps, "{words}");
        }
    }
}
