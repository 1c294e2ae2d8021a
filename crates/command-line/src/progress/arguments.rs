//! The options of `progress`.

use std::path::PathBuf;

use clap::Args;
use engine::progress::finder::Prefer;
use sweepline::execution::Execution;

use crate::options::{ModelOptions, choice};

/// `sweepline progress`.
#[derive(Debug, Args)]
pub struct ProgressArguments {
    /// Model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub definitions: ModelOptions,
    /// Judge this measure, too, beside those that are found; @FILE reads it from a file
    #[arg(long, value_name = "EXPR|@FILE", allow_hyphen_values = true)]
    pub judge: Option<String>,
    /// Objective of the measure search [default: balanced]
    #[arg(long, value_name = "OBJECTIVE", value_parser = choice::<Prefer>())]
    pub prefer: Option<Prefer>,
    /// Minimise memory with at most 0, 1, 2, 5, 10 or 20 % regress edges, for levels 1 to 6
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=6), conflicts_with = "prefer")]
    pub regress_level: Option<u8>,
    /// Use a larger sample and try more candidates
    #[arg(long)]
    pub thorough: bool,
    /// Use all reachable states instead of a sample
    #[arg(long, conflicts_with = "thorough")]
    pub exact: bool,
    /// Random seed of the sample; the same seed gives the same measures
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How to execute the model [default: compiled; interpreted for large explicit state spaces]
    #[arg(long, value_name = "HOW", value_parser = choice::<Execution>())]
    pub execution: Option<Execution>,
    /// Save the best measure, or the one of --judge, for `--measure @FILE`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Write the measures as JSON; - for stdout, which moves readable text to stderr
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Print only the best measure, or `none`
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Print measures in full
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

impl ProgressArguments {
    /// The files that the command writes, with the options that name them.
    pub fn written_files(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        vec![("--json", self.json.as_ref()), ("--save", self.save.as_ref())]
    }
}
