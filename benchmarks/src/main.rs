//! Sweepline measured against other model checkers, by running the binaries.
//!
//! `spin` races SPIN on model pairs, `limit` puts our times next to the figures that were measured for
//! other tools, `counts` compares state counts with those of the BEEM benchmark, `compile` times what happens before a
//! search, `sweep` and `billion` measure what forgetting states costs and saves, `measures` how good the progress
//! measures are that the program finds itself, `external` repeats the experiment of the SPIN 2012 paper on queues on disk, `budget`
//! explores with little memory, `default` asks whether the default is the fastest way to an answer, `temporal` checks formulas by sweeps, `nets` compares sweeps over Petri nets with LoLA's, `reductions` tells
//! what stubborn sets leave of state spaces; `generate` prints models of any size. See `README.md` beside this crate for what is measured and how.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints")]

mod binary;
mod budget;
mod compile;
mod counts;
mod default;
mod external;
mod generate;
mod limit;
mod measure;
mod measures;
mod nets;
mod reductions;
mod spin;
mod sweep;
mod table;
mod temporal;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Sweepline measured against other model checkers")]
struct CommandLine {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Subcommand)]
enum Benchmark {
    /// Race SPIN: rates and bytes per state on model pairs
    Spin(spin::Options),
    /// Our times next to the figures measured for SPIN, LTSmin and a hand-compiled driver
    Limit(limit::Options),
    /// Compare state and transition counts with those of the BEEM benchmark
    Counts(counts::Options),
    /// How long it takes to read, analyse and compile every model of the BEEM benchmark
    Compile(compile::Options),
    /// The sweep against full exploration: time, memory, growth
    Sweep(sweep::Options),
    /// The progress measures that are found, against full exploration, on the instances of the BEEM benchmark
    Measures(measures::Options),
    /// Sweeps and other searches on disk: the experiment of the SPIN 2012 paper
    External(external::Options),
    /// Large instances in little memory: right answers, resident memory, time
    Budget(budget::Options),
    /// The default of explore, on one and two threads, against full exploration
    Default(default::Options),
    /// Temporal logic by sweeps, against searches that keep all states
    Temporal(temporal::Options),
    /// Sweeps over Petri nets against LoLA's
    Nets(nets::Options),
    /// Stubborn sets against all steps, on Petri nets and BEEM models
    Reductions(reductions::Options),
    /// More than a billion states in one run
    Billion(sweep::BillionOptions),
    /// Print a model whose number of processes is a parameter
    Generate(generate::Options),
    /// All of them, one after the other
    All {
        /// Write the tables to benchmarks/results as well
        #[arg(long)]
        write: bool,
    },
}

/// What every benchmark understands.
#[derive(Args)]
pub struct Selection {
    /// Only models whose name contains one of these words
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,
    /// Give one run at most this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    time_limit: u64,
    /// Write the table to benchmarks/results as well
    #[arg(long)]
    write: bool,
}

impl Selection {
    fn takes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| name.contains(word.as_str()))
    }

    fn time_limit(&self) -> std::time::Duration {
        std::time::Duration::from_secs(self.time_limit)
    }
}

/// The BEEM models, for benchmarks that are nothing without them.
pub fn beem() -> Result<oracles::Beem> {
    oracles::Beem::find().context(
        "the BEEM models are not here: set SWEEPLINE_ORACLES to a folder that has beem/states.csv, beem/models \
         and beem/promela",
    )
}

/// The root of the workspace that this crate belongs to.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("this crate lies in a folder of the workspace").to_path_buf()
}

fn main() -> Result<()> {
    run(CommandLine::parse().benchmark)
}

fn run(benchmark: Benchmark) -> Result<()> {
    match benchmark {
        Benchmark::Spin(options) => spin::run(&options),
        Benchmark::Limit(options) => limit::run(&options),
        Benchmark::Counts(options) => counts::run(&options),
        Benchmark::Compile(options) => compile::run(&options),
        Benchmark::Sweep(options) => sweep::run(&options),
        Benchmark::Measures(options) => measures::run(&options),
        Benchmark::External(options) => external::run(&options),
        Benchmark::Budget(options) => budget::run(&options),
        Benchmark::Default(options) => default::run(&options),
        Benchmark::Temporal(options) => temporal::run(&options),
        Benchmark::Nets(options) => nets::run(&options),
        Benchmark::Reductions(options) => reductions::run(&options),
        Benchmark::Billion(options) => sweep::billion(&options),
        Benchmark::Generate(options) => generate::run(&options),
        Benchmark::All { write } => {
            for name in [
                "compile",
                "spin",
                "limit",
                "sweep",
                "billion",
                "counts",
                "measures",
                "budget",
                "default",
                "external",
                "temporal",
                "nets",
                "reductions",
            ] {
                let words = ["benchmarks", name].into_iter().chain(write.then_some("--write"));
                run(CommandLine::parse_from(words).benchmark)?;
            }
            Ok(())
        }
    }
}
