//! The default against full exploration: is `sweepline explore MODEL` the fastest way to an answer?
//!
//! Every oracle instance above 400,000 states is explored in four ways, with and without a choice of
//! engine, on one and on two threads. Two runs of full exploration on one thread at the same time tell
//! what two cores reach if they share nothing but the memory bus; one run on two threads cannot do
//! better, so its rate is a share of theirs. Small models are left out: their runs are mostly the start
//! of the process, which `compile` measures.
//!
//! Times and memory are those of whole processes, from outside, because a user waits for the process. The
//! ways take turns, and of each the shortest run counts: whatever else the machine does only adds time.
//! The kernel counts the image of the process that starts another one as memory of the latter, so this
//! process keeps figures, not records.

mod early;
mod instances;
mod ltsmin;
mod page;
mod row;
mod summary;

use std::process::Command;

use anyhow::{Result, bail};

use crate::binary::Sweepline;
use crate::measure::{self, Pinning};
use crate::table;
use page::Page;
use row::{Measurement, Row};

/// Models with fewer states are left out.
const LEAST_STATES: u64 = 400_000;

/// Memory that the runs of an instance may need at one time, in bytes.
const MOST_MEMORY: u64 = 16 << 30;

/// The command line of `default`.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    selection: crate::Selection,
    /// Only instances with more than this many states
    #[arg(long, value_name = "N", default_value_t = LEAST_STATES)]
    min_states: u64,
    /// Only instances with at most this many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Explore each instance this often in each way, whatever the time of a run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: Option<u32>,
}

impl Options {
    /// The options that determine what is measured, for the head of the page.
    fn words(&self) -> String {
        let mut words: String = self.selection.only.iter().map(|word| format!(" --only {word}")).collect();
        if self.min_states != LEAST_STATES {
            words += &format!(" --min-states {}", self.min_states);
        }
        for (name, number) in
            [("max-states", self.max_states), ("repetitions", self.repetitions.map(u64::from))]
        {
            words += &number.map_or_else(String::new, |number| format!(" --{name} {number}"));
        }
        words
    }

    fn takes(&self, name: &str, states: u64) -> bool {
        self.selection.takes(name)
            && states > self.min_states
            && states <= self.max_states.unwrap_or(u64::MAX)
    }
}

/// An instance without a row, and why.
struct LeftOut {
    name: String,
    why: String,
}

/// Runs the comparison.
pub fn run(options: &Options) -> Result<()> {
    let sweepline = Sweepline::build(Pinning::None)?;
    let temporary = tempfile::tempdir()?;
    let subjects = instances::subjects(options, temporary.path())?;
    let measurement = Measurement {
        sweepline: &sweepline,
        repetitions: options.repetitions,
        time_limit: options.selection.time_limit(),
    };
    let (mut rows, mut skipped, mut failed): (Vec<Row>, Vec<LeftOut>, Vec<LeftOut>) = Default::default();
    for (number, subject) in (1..).zip(&subjects) {
        eprint!("{number}/{} {}: ", subjects.len(), subject.name);
        let left_out = |why| LeftOut { name: subject.name.clone(), why };
        match measurement.row(subject) {
            Ok(row) => {
                eprintln!("{}", row.brief());
                rows.push(row);
            }
            Err(row::Trouble::TooLarge(why)) => {
                eprintln!("skipped: {why}");
                skipped.push(left_out(why));
            }
            Err(row::Trouble::Failed(error)) => {
                eprintln!("FAILED: {error:#}");
                failed.push(left_out(format!("{error:#}")));
            }
        }
    }
    // An error here must not cost the rows, which took an hour.
    let early = early::answers(&measurement, &options.selection).unwrap_or_else(|error| {
        failed.push(LeftOut { name: "early answers".into(), why: format!("{error:#}") });
        vec![]
    });
    for answer in &early {
        failed.extend(answer.wrong.clone().map(|why| LeftOut { name: answer.name.clone(), why }));
    }
    let least_resident = measure::run(&mut Command::new("true"), measurement.time_limit)?.peak_rss_bytes;
    let page = Page { rows: &rows, early: &early, skipped: &skipped, failed: &failed, least_resident };
    let text = page.text(&options.words());
    println!("{text}");
    if options.selection.write {
        table::write_page("default.md", &text)?;
    }
    let wrong = rows.iter().filter(|row| !row.wrong.is_empty()).map(|row| row.name.as_str());
    let names: Vec<&str> = wrong.chain(failed.iter().map(|one| one.name.as_str())).collect();
    if names.is_empty() { Ok(()) } else { bail!("wrong or failed: {}", names.join(", ")) }
}
