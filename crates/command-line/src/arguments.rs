//! The command line: what can be asked, how, within which limits, and where the answers go.
//!
//! Only what exists is listed. Options that contradict each other are refused here, before anything else happens.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::ErrorKind;
use clap::{Args, ColorChoice, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use report::{Detail, TraceView};
use sweepline::check::Engine;

use crate::amounts::{duration, memory_size};

const EXIT_CODES: &str = "\
Exit codes:
  0  every checked property holds, and the search was complete
  1  at least one property is violated
  2  bad input: command line, model or property; nothing was checked
  3  unknown: a limit was reached, or the run was interrupted; no violation found
  4  a defect in sweepline itself";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold());

/// An explicit-state model checker that forgets.
#[derive(Debug, Parser)]
#[command(name = "sweepline", version, styles = STYLES, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

/// The things that can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Do the properties hold?
    ///
    /// Without --property, --invariant, --reach or --deadlock, all properties in the model file are checked, and that
    /// there is no deadlock. With one of them, exactly what they name is checked.
    #[command(after_help = EXIT_CODES)]
    Check(CheckArguments),
    /// Walk the whole state space, report its shape
    ///
    /// Deadlocks and run-time errors are counted; neither ends the walk.
    Explore(ExploreArguments),
    /// Run the model step by step or at random
    Simulate(SimulateArguments),
    /// Show a saved trace by replaying it on its model
    Trace(TraceArguments),
    /// Write a completion script for a shell to stdout
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// `sweepline check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub questions: QuestionOptions,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    /// Save the trace of the first violation, or else of the first witness; - for stdout
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    /// What to show of traces
    #[arg(long, value_name = "VIEW", value_enum, default_value_t, help_heading = "Output")]
    pub trace_view: ViewChoice,
}

/// `sweepline explore`.
#[derive(Debug, Args)]
pub struct ExploreArguments {
    /// The model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// `sweepline simulate`.
#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Choose steps at random instead of asking
    #[arg(long)]
    pub random: bool,
    /// Where the random choices begin; the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Number of random steps
    #[arg(long, value_name = "N", default_value_t = 100, requires = "random")]
    pub steps: u64,
    /// Save the run as a trace; - for stdout
    #[arg(long, value_name = "FILE")]
    pub trace_out: Option<PathBuf>,
}

/// `sweepline trace`.
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// The trace, or - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The model, if it is not where the trace says
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// What to show
    #[arg(long, value_name = "VIEW", value_enum, default_value_t)]
    pub view: ViewChoice,
}

/// What is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to check")]
pub struct QuestionOptions {
    /// A property that the model file declares; may be repeated
    #[arg(long = "property", value_name = "NAME")]
    pub properties: Vec<String>,
    /// An expression that is true in every reachable state; may be repeated
    #[arg(long = "invariant", value_name = "EXPR", allow_hyphen_values = true)]
    pub invariants: Vec<String>,
    /// An expression that is true in some reachable state; may be repeated
    #[arg(long = "reach", value_name = "EXPR", allow_hyphen_values = true)]
    pub reachable: Vec<String>,
    /// Every reachable state has a successor
    #[arg(long, conflicts_with = "no_deadlock")]
    pub deadlock: bool,
    /// Do not look for deadlocks
    #[arg(long)]
    pub no_deadlock: bool,
}

/// How to search, and when to stop.
#[derive(Debug, Args)]
pub struct SearchOptions {
    /// In which order states are met
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t, help_heading = "How to search")]
    pub engine: EngineChoice,
    /// How the model is executed
    #[arg(long, value_name = "HOW", value_enum, default_value_t, help_heading = "How to search")]
    pub execution: ExecutionChoice,
    /// Memory for states, like 512MiB or 2GiB [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub memory: Option<usize>,
    /// Where to keep what traces need [default: the directory for temporary files]
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub disk: Option<PathBuf>,
    /// Stop after this time, like 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop when this many states are stored
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub state_limit: Option<u64>,
}

/// Where the results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputOptions {
    /// Write the run record; - for stdout, which moves the text for people to stderr
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Print the answers only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print whole traces and more statistics
    #[arg(short, long)]
    pub verbose: bool,
}

/// The searches that can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    /// What fits the question
    #[default]
    Auto,
    /// Breadth-first, everything in memory: shortest traces
    Breadth,
    /// Depth-first, everything in memory
    Depth,
}

/// The ways to execute a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ExecutionChoice {
    /// As machine code
    #[default]
    Compiled,
    /// By the interpreter: slow, for comparison
    Interpreted,
}

/// The views of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ViewChoice {
    /// What each step changes
    #[default]
    Diff,
    /// The whole state after each step
    Full,
    /// The steps' names
    Actions,
    /// Nothing
    None,
}

impl EngineChoice {
    /// The search that is run. Breadth-first is the better default: its traces are as short as possible.
    pub fn engine(self) -> Engine {
        match self {
            Self::Auto | Self::Breadth => Engine::Breadth,
            Self::Depth => Engine::Depth,
        }
    }
}

impl ExecutionChoice {
    /// The name in run records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Interpreted => "interpreted",
        }
    }
}

impl From<ViewChoice> for TraceView {
    fn from(choice: ViewChoice) -> Self {
        match choice {
            ViewChoice::Diff => Self::Diff,
            ViewChoice::Full => Self::Full,
            ViewChoice::Actions => Self::Actions,
            ViewChoice::None => Self::None,
        }
    }
}

impl OutputOptions {
    /// How much is said.
    pub fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (_, true) => Detail::Verbose,
            _ => Detail::Normal,
        }
    }
}

/// Whether a file name stands for stdin or stdout.
pub fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl Arguments {
    /// Reads the command line of this process.
    ///
    /// # Errors
    /// What clap says about it, also when the user asked for help.
    pub fn read() -> Result<Self, clap::Error> {
        let arguments = Self::try_parse()?;
        let (model, json, trace) = match &arguments.command {
            Command::Check(check) => (&check.model, check.output.json.as_ref(), check.trace_out.as_ref()),
            Command::Explore(explore) => (&explore.model, explore.output.json.as_ref(), None),
            Command::Simulate(simulate) => (&simulate.model, None, simulate.trace_out.as_ref()),
            _ => return Ok(arguments),
        };
        let clash = if json
            .is_some_and(|json| Some(json) == trace || trace.is_some_and(|trace| same_file(json, trace)))
        {
            Some("--json and --trace-out would write to the same place; name two different files")
        } else if json.is_some_and(|json| same_file(model, json)) {
            Some("--json would overwrite the model; name another file")
        } else if trace.is_some_and(|trace| same_file(model, trace)) {
            Some("--trace-out would overwrite the model; name another file")
        } else {
            None
        };
        match clash {
            Some(message) => Err(Self::command().error(ErrorKind::ArgumentConflict, message)),
            None => Ok(arguments),
        }
    }
}

/// Whether two names lead to one file; standard streams are no files.
fn same_file(left: &Path, right: &Path) -> bool {
    let place = |path: &Path| {
        // A file that does not exist yet is known by its directory.
        path.canonicalize().ok().or_else(|| {
            let directory =
                path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(directory.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    !is_standard_stream(left)
        && !is_standard_stream(right)
        && place(left).is_some_and(|left| place(right) == Some(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
