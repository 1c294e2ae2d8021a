//! Options about results.

use std::path::PathBuf;

use clap::Args;
use report::Detail;

/// Where results go, and how much is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputOptions {
    /// Write the run record as JSON; - for stdout, which moves readable text to stderr
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a report as a self-contained web page; - for stdout
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Omit per-layer and per-action counts from the run record
    #[arg(long)]
    pub no_course: bool,
    /// Print only the answers
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print complete traces and more statistics
    #[arg(short, long)]
    pub verbose: bool,
}

impl OutputOptions {
    /// How much is printed.
    pub fn detail(&self) -> Detail {
        detail(self.quiet, self.verbose)
    }
}

/// How much is printed with `--quiet` or `--verbose`.
pub fn detail(quiet: bool, verbose: bool) -> Detail {
    match (quiet, verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    }
}
