//! The options of `check` and `explore`.

use std::path::PathBuf;

use clap::Args;
use report::TraceView;

use crate::options::{ModelOptions, OutputOptions, PropertyOptions, SearchOptions, choice, default_name};

/// `sweepline check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub definitions: ModelOptions,
    #[command(flatten)]
    pub properties: PropertyOptions,
    #[command(flatten)]
    pub search: SearchOptions,
    /// Show shortest counterexamples, by a second search if the first finds longer ones
    #[arg(long, help_heading = "Output")]
    pub shortest: bool,
    #[command(flatten)]
    pub output: OutputOptions,
    /// Save the first counterexample, or else the first witness; - for stdout
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    /// Write the answers as JUnit XML, for continuous integration; - for stdout
    #[arg(long, value_name = "FILE", conflicts_with = "contest_output", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// What to print of traces
    #[arg(
        long,
        value_name = "VIEW",
        value_parser = choice::<TraceView>(),
        default_value = default_name::<TraceView>(),
        help_heading = "Output"
    )]
    pub trace_view: TraceView,
}

/// `sweepline explore`.
#[derive(Debug, Args)]
pub struct ExploreArguments {
    /// Model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Report bounds of variables or places, dead and live actions, and home states
    #[arg(long, help_heading = "Output")]
    pub survey: bool,
    #[command(flatten)]
    pub definitions: ModelOptions,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl CheckArguments {
    /// The files that the command writes, with the options that name them.
    pub fn written_files(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        vec![
            ("--json", self.output.json.as_ref()),
            ("--trace-out", self.trace_out.as_ref()),
            ("--html", self.output.html.as_ref()),
            ("--junit", self.junit.as_ref()),
        ]
    }
}

impl ExploreArguments {
    /// The files that the command writes, with the options that name them.
    pub fn written_files(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        vec![("--json", self.output.json.as_ref()), ("--html", self.output.html.as_ref())]
    }
}
