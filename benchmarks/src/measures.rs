//! The measures that the program finds itself, on every instance of the BEEM benchmark above 20,000 states.
//!
//! Each instance is explored twice by the release binary: in full (`--engine breadth`), and by a sweep whose measure is
//! looked for (`--engine sweep --measure auto`; naming the engine makes it sweep also what it would explore in full for being
//! small). The table, what it comes to, and the goals that were set for it make one page. An instance that fails is named on
//! the page and does not end the benchmark; a long benchmark can be stopped and taken up again (`--records`).
//!
//! `row` reads and checks the two records of an instance, `summary` has the goals, `bound` asks what a measure
//! that never falls could save at best, `page` writes it all down.

mod bound;
mod page;
mod row;
mod summary;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oracles::{Beem, Instance};

use crate::binary::{Exploration, Sweepline};
use crate::measure::Pinning;
use crate::{sweep, table};

use bound::Bounds;
use page::Page;
use row::Row;

/// Smaller instances say nothing: the finder's sample would hold them all.
const LEAST_STATES: u64 = 20_000;

/// From here on, times are long enough to compare.
const LARGE: u64 = 1_000_000;

/// Larger instances are left out unless they are asked for: they take most of the time.
const MOST_STATES: u64 = 20_000_000;

/// Runs of each engine on large instances.
const REPETITIONS: u32 = 2;

/// The whole graph of an instance is built up to this size.
const EXACT_STATES: u64 = 300_000;

/// The instances of the SPIN 2012 paper that the page compares with, whatever their size.
const PAPER: &[Published] = &[
    published("bakery.6", 11_845_035, 30_119, 1.305),
    published("brp.4", 12_068_447, 43_892, 1.122),
    published("cambridge.6", 3_354_295, 39_392, 12.360),
    published("elevator2.3", 7_667_712, 30_811, 1.172),
    published("iprotocol.6", 41_387_484, 89_480, 1.724),
    published("leader_election.5", 4_803_952, 32_400, 1.000),
    published("needham.4", 6_525_019, 30_420, 1.000),
    published("peterson.4", 1_119_560, 38_338, 5.286),
    published("rether.6", 5_919_694, 31_599, 1.496),
];

/// A row of table 3 of Evangelista and Kristensen, SPIN 2012: their sweep-line with a queue on disk.
struct Published {
    name: &'static str,
    states: u64,
    peak: u64,
    revisits: f64,
}

const fn published(name: &'static str, states: u64, peak: u64, revisits: f64) -> Published {
    Published { name, states, peak, revisits }
}

/// The command line of `measures`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
    /// Leave out instances with more states, but for those of the paper
    #[arg(long, value_name = "N", default_value_t = MOST_STATES, conflicts_with = "all")]
    most_states: u64,
    /// Take the largest instances as well
    #[arg(long)]
    all: bool,
    /// Run each engine this often, in turns, on instances above a million states; the shortest time counts
    #[arg(long, value_name = "N", default_value_t = REPETITIONS, value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: u32,
    /// Ask for the lower bound of instances with at most this many states
    #[arg(long, value_name = "N", default_value_t = EXACT_STATES)]
    exact_states: u64,
    /// Keep the run records here, and take what is there for measured: to go on after a stop
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

impl Options {
    fn takes(&self, instance: &Instance) -> bool {
        let published = PAPER.iter().any(|published| published.name == instance.name);
        let fits = self.all || published || instance.states <= self.most_states;
        fits && self.is_asked(instance)
    }

    /// What was asked for on the command line, but for where the page and the records go.
    fn words(&self) -> String {
        let mut words: Vec<String> =
            self.selection.only.iter().map(|word| format!(" --only {word}")).collect();
        if self.all {
            words.push(" --all".into());
        } else if self.most_states != MOST_STATES {
            words.push(format!(" --most-states {}", self.most_states));
        }
        if self.repetitions != REPETITIONS {
            words.push(format!(" --repetitions {}", self.repetitions));
        }
        if self.exact_states != EXACT_STATES {
            words.push(format!(" --exact-states {}", self.exact_states));
        }
        words.concat()
    }

    fn is_asked(&self, instance: &Instance) -> bool {
        instance.complete && instance.states > LEAST_STATES && self.selection.takes(&instance.name)
    }
}

/// An instance without figures, and why.
struct Failed {
    name: String,
    why: String,
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<()> {
    let beem = crate::beem()?;
    // Not on one core: measures are looked for by two threads.
    let sweepline = Sweepline::build(Pinning::None)?;
    if let Some(folder) = &options.records {
        claim(folder, &sweepline.fingerprint()?)?;
    }
    let asked: Vec<Instance> =
        beem.instances()?.into_iter().filter(|instance| options.is_asked(instance)).collect();
    let (taken, left_out): (Vec<_>, Vec<_>) = asked.into_iter().partition(|instance| options.takes(instance));
    let bench = Bench { beem: &beem, sweepline: &sweepline, options };

    let (mut rows, mut failed, mut earlier) = (Vec::new(), Vec::new(), 0);
    for (at, instance) in taken.iter().enumerate() {
        let place = format!("{}/{} {}", at + 1, taken.len(), instance.name);
        let kept = bench.kept(instance);
        earlier += usize::from(kept.is_some());
        match bench.measure(instance, kept) {
            Ok(row) => {
                eprintln!("{place}: {}", row.brief());
                rows.push(row);
            }
            Err(error) => {
                eprintln!("{place}: FAILED: {error:#}");
                failed.push(Failed { name: instance.name.clone(), why: format!("{error:#}") });
            }
        }
    }
    let sound: Vec<&Row> = rows.iter().filter(|row| row.wrong.is_none()).collect();
    let goals = summary::goals(&sound);
    let ask = |name: &str| sweepline.progress_exact(&beem.dve(name), bound::TIME_LIMIT);
    let mut bounds = Bounds { exact_states: options.exact_states, ask };
    let page = Page { rows: &rows, failed: &failed, left_out: &left_out, goals: &goals, earlier, options };
    let page = page.text(&mut bounds);
    println!("{page}");
    if options.selection.write {
        table::write_page("measures.md", &page)?;
    }
    match (rows.len() - sound.len(), failed.len()) {
        (0, 0) => Ok(()),
        (wrong, failed) => bail!("{wrong} instances are wrong, {failed} failed"),
    }
}

/// Makes the folder one of records of this program, if it is not one of another.
fn claim(folder: &Path, fingerprint: &str) -> Result<()> {
    let mark = folder.join("program");
    match std::fs::read_to_string(&mark) {
        Ok(other) if other != fingerprint => {
            bail!("{} has records of another build of sweepline: name a new folder", folder.display())
        }
        Ok(_) => Ok(()),
        Err(_) => std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&mark, fingerprint))
            .with_context(|| format!("cannot write {}", mark.display())),
    }
}

struct Bench<'a> {
    beem: &'a Beem,
    sweepline: &'a Sweepline,
    options: &'a Options,
}

impl Bench<'_> {
    fn measure(&self, instance: &Instance, kept: Option<(Exploration, Exploration)>) -> Result<Row> {
        let (breadth, sweep) = match kept {
            Some(pair) => pair,
            None => self.race(instance)?,
        };
        Row::new(&instance.name, instance.expected_states(), &breadth, &sweep)
    }

    /// The best runs of both engines, which take turns.
    fn race(&self, instance: &Instance) -> Result<(Exploration, Exploration)> {
        let path = self.beem.dve(&instance.name);
        let run = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            self.sweepline.explore_by(&path, &words, self.options.selection.time_limit())
        };
        let both = || -> Result<(Exploration, Exploration)> {
            let breadth = run(&["--engine", "breadth"]).context("breadth")?;
            let sweep = run(&["--engine", "sweep", "--measure", "auto"]).context("sweep")?;
            Ok((breadth, sweep))
        };
        let repetitions = if instance.states > LARGE { self.options.repetitions } else { 1 };
        let mut best = both()?;
        for _ in 1..repetitions {
            let (breadth, sweep) = both()?;
            best = (sweep::faster(best.0, breadth), sweep::faster(best.1, sweep));
        }
        let is_complete = best.0.complete && best.1.complete;
        for (engine, run) in [("breadth", &best.0), ("sweep", &best.1)] {
            // What failed is tried again.
            if let Some(path) = self.record_path(instance, engine).filter(|_| is_complete) {
                std::fs::write(&path, run.record.to_string())
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(best)
    }

    /// The runs of an earlier benchmark. A record that cannot be read was cut off: it is measured again.
    fn kept(&self, instance: &Instance) -> Option<(Exploration, Exploration)> {
        let read = |engine| {
            let text = std::fs::read_to_string(self.record_path(instance, engine)?).ok()?;
            Exploration::from_record(&text).ok()
        };
        Some((read("breadth")?, read("sweep")?))
    }

    fn record_path(&self, instance: &Instance, engine: &str) -> Option<PathBuf> {
        let folder = self.options.records.as_ref()?;
        Some(folder.join(format!("{}.{engine}.json", instance.name)))
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

    fn options(words: &[&str]) -> Options {
        CommandLine::parse_from([&["measures"], words].concat()).options
    }

    fn instance(name: &str, states: u64) -> Instance {
        Instance { name: name.into(), states, complete: true, edges: None, levels: None }
    }

    #[test]
    fn large_instances_are_taken_when_asked_for_and_when_the_paper_has_them() {
        let large = instance("lamport.8", 62_669_317);
        assert!(!options(&[]).takes(&large));
        assert!(options(&["--all"]).takes(&large));
        assert!(options(&["--most-states", "70000000"]).takes(&large));
        assert!(options(&[]).takes(&instance("iprotocol.6", 41_387_484)));
        assert!(!options(&["--only", "bakery"]).takes(&instance("iprotocol.6", 41_387_484)));
        assert!(!options(&["--all"]).takes(&instance("small.1", 20_000)));
        assert!(!options(&[]).takes(&Instance { complete: false, ..instance("a.1", 100_000) }));
    }

    #[test]
    fn the_page_repeats_what_was_asked_for() {
        assert_eq!(options(&["--records", "here"]).words(), "");
        assert_eq!(options(&["--only", "brp", "--most-states", "9"]).words(), " --only brp --most-states 9");
    }

    #[test]
    fn records_of_another_build_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("records");
        claim(&records, "one").unwrap();
        claim(&records, "one").unwrap();
        assert!(claim(&records, "other").is_err());
    }
}
