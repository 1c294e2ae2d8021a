//! The command line: what can be asked, how, within which limits, and where the answers go.
//!
//! Only what exists is listed. Options that contradict each other are refused here, before anything else happens.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::ErrorKind;
use clap::{Args, ColorChoice, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::amounts::{duration, memory_size};
use crate::comparison_options::CompareArguments;
use crate::explanation::Explanation;
use crate::live::LiveChoice;
use crate::manual::commands;
use crate::options::{
    ExecutionChoice, FormatChoice, LanguageChoice, ModelOptions, OutputOptions, PreferChoice,
    QuestionOptions, SearchOptions, TraceFormatChoice, ViewChoice, named_expression,
};

/// Part of the help of several commands.
macro_rules! exit_codes {
    () => {
        "\
Exit codes:
  0  every checked property holds, and the search was complete
  1  at least one property is violated
  2  bad input: command line, model or property; nothing was checked
  3  unknown: a limit was reached, or the run was interrupted; no violation found
  4  a defect in sweepline itself"
    };
}

/// The same of `compare`.
macro_rules! comparison_exit_codes {
    () => {
        "\
Exit codes:
  0  all runs are complete, and they agree
  2  bad input: command line, model or measure
  3  a run is not complete: a limit was reached, or it was interrupted
  4  complete runs disagree: a defect in sweepline itself"
    };
}

const EXIT_CODES: &str = exit_codes!();

const CHECK_HELP: &str = concat!(
    "\
Examples:
  sweepline check model.dve                              no deadlock, and what the file declares
  sweepline check model.dve --invariant \"not P.failed\"   true in every state?
  sweepline check model.dve --ltl \"G (P.asks -> F P.has)\" --html run.html
  sweepline check model.dve -D PACKETS=800 --memory 512MiB --checkpoint saved
  sweepline check net.pnml --properties ReachabilityCardinality.xml

",
    exit_codes!()
);

const EXPLORE_HELP: &str = concat!(
    "\
Examples:
  sweepline explore model.dve                  how many states, steps and deadlocks
  sweepline explore net.pnml --survey          bounds, dead and live transitions, home markings
  sweepline explore model.dve --engine sweep --measure \"(phase, round)\" --html run.html

",
    exit_codes!()
);

const PROGRESS_HELP: &str = "\
Examples:
  sweepline progress model.dve                        measures to choose from
  sweepline progress model.dve --judge \"(phase, x)\"   what is mine worth?
  sweepline progress model.dve --thorough --prefer memory --save best.measure
  sweepline check model.dve --measure @best.measure";

const SIMULATE_HELP: &str = "\
Examples:
  sweepline simulate model.dve                           choose each step
  sweepline simulate model.dve --random --seed 7 --steps 100 --trace-out walk.json";

const TRACE_HELP: &str = "\
Examples:
  sweepline check model.dve --invariant \"x < 3\" --trace-out t.json
  sweepline trace t.json --view full
  sweepline trace t.json --to itf -o t.itf.json";

const CONVERT_HELP: &str = "\
Examples:
  sweepline convert model.dve --to svg -o layers.svg
  sweepline convert model.dve --to aut -o model.aut      for CADP and mCRL2
  sweepline convert model.dve --to ss --proposition \"done=P.done\"
  sweepline convert model.dve --to hoa --ltl \"G F P.done\"";

const COMPARE_HELP: &str = concat!(
    "\
Examples:
  sweepline compare model.dve --engines breadth,sweep,sweep-disk
  sweepline compare *.dve --engines breadth,sweep --time-limit 1m --csv table.csv

",
    comparison_exit_codes!()
);

const ABOUT_ALL: &str = concat!(
    "\
The command line of the thesis works, too, on explicit state spaces:
  sweepline -m FILE -f FORMULA_FILE -s    EF and AG, with any progress values
  sweepline -m FILE -f FORMULA_FILE -c    also AGEF and EFAG
  sweepline -m FILE -a AUTOMATON_FILE -s  an acceptance state can be reached
  sweepline -m FILE -a AUTOMATON_FILE -l  no run is accepted; -f FORMULA_FILE for a formula of LTL

",
    exit_codes!()
);

/// The colours of help.
pub const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold());

/// An explicit-state model checker that forgets.
#[derive(Debug, Parser)]
#[command(name = "sweepline", version, styles = STYLES, after_help = ABOUT_ALL)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// How to show a running search, on stderr
    #[arg(long, global = true, value_name = "HOW", value_enum, default_value_t)]
    pub live: LiveChoice,
}

/// The things that can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Do the properties hold?
    ///
    /// Without --property, --invariant, --reach, --ltl, --automaton, --ctl, --home or --deadlock, all properties in the model file are checked, and that
    /// there is no deadlock. With one of them, exactly what they name is checked.
    #[command(after_help = CHECK_HELP)]
    Check(Box<CheckArguments>),
    /// Walk the whole state space, report its shape
    ///
    /// Deadlocks and run-time errors are counted; neither ends the walk.
    #[command(after_help = EXPLORE_HELP)]
    Explore(ExploreArguments),
    /// Propose, judge and compare progress measures
    ///
    /// Measures are judged on a sample of the state space: what a sweep over it holds and expands.
    #[command(after_help = PROGRESS_HELP)]
    Progress(ProgressArguments),
    /// Run the model step by step or at random
    #[command(after_help = SIMULATE_HELP)]
    Simulate(SimulateArguments),
    /// Show or convert a saved trace by replaying it on its model
    #[command(after_help = TRACE_HELP)]
    Trace(TraceArguments),
    /// Write the whole state space in another format, or the automaton of a formula
    ///
    /// States are numbered in breadth-first order, from 1 in ss, dot and graphml, from 0 in aut and svg; in a graph from 0, in the order of the sweep.
    #[command(after_help = CONVERT_HELP)]
    Convert(ConvertArguments),
    /// Go on from a checkpoint
    ///
    /// The run goes on as its command line asked for; limits, and where results go, may be named anew.
    #[command(after_help = EXIT_CODES)]
    Resume(ResumeArguments),
    /// Run several engines on the same models, and compare what they cost
    ///
    /// Each engine explores in a process of its own, one after the other. A model that says nothing about progress gets a measure that is
    /// found, as in `explore`; the time of a sweep is with that.
    #[command(after_help = COMPARE_HELP)]
    Compare(CompareArguments),
    /// A run record as a web page
    ///
    /// One file that opens in any browser, without a network. `check` and `explore` write it at once by --html.
    Report(ReportArguments),
    /// Write a completion script for a shell to stdout
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write a man page to stdout: `sweepline man check | man -l -` shows that of `check`
    Man {
        /// The command; without one, the page is about all of them
        #[arg(value_name = "COMMAND", value_parser = command_name)]
        command: Option<String>,
    },
    /// Explain the code of an error or a warning, and say what to do about it
    ///
    /// Without a code, all of them are listed.
    Explain {
        /// The code, like E0203
        #[arg(value_name = "CODE", value_parser = Explanation::find)]
        code: Option<Explanation>,
    },
}

impl Command {
    /// The model that it is about, if it writes files beside it.
    fn model(&self) -> Option<&Path> {
        match self {
            Self::Check(check) => Some(&check.model),
            Self::Explore(explore) => Some(&explore.model),
            Self::Progress(progress) => Some(&progress.model),
            Self::Simulate(simulate) => Some(&simulate.model),
            Self::Convert(convert) => Some(&convert.model),
            Self::Report(report) => Some(&report.record),
            _ => None,
        }
    }

    /// The files that it writes, with the options that name them.
    fn written_files(&self) -> Vec<(&'static str, &Path)> {
        let files: Vec<(&'static str, Option<&PathBuf>)> = match self {
            Self::Check(check) => vec![
                (JSON, check.output.json.as_ref()),
                (TRACE, check.trace_out.as_ref()),
                (HTML, check.output.html.as_ref()),
                ("--junit", check.junit.as_ref()),
            ],
            Self::Explore(ExploreArguments { output, .. }) => {
                vec![(JSON, output.json.as_ref()), (HTML, output.html.as_ref())]
            }
            Self::Progress(progress) => {
                vec![(JSON, progress.json.as_ref()), ("--save", progress.save.as_ref())]
            }
            Self::Simulate(simulate) => vec![(TRACE, simulate.trace_out.as_ref())],
            Self::Convert(convert) => {
                vec![(JSON, convert.json.as_ref()), ("--output", Some(&convert.output))]
            }
            Self::Report(report) => vec![(HTML, report.html.as_ref())],
            _ => return Vec::new(),
        };
        files.into_iter().filter_map(|(option, path)| Some((option, path?.as_path()))).collect()
    }
}

/// The name of a command, as the command line has it.
fn command_name(text: &str) -> Result<String, String> {
    let commands = commands();
    if commands.iter().any(|name| name == text) {
        return Ok(text.into());
    }
    Err(format!("there is no such command; there are {}", commands.join(", ")))
}

/// Options that several commands have.
const JSON: &str = "--json";
const HTML: &str = "--html";
const TRACE: &str = "--trace-out";

/// `sweepline report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The run record, as --json writes it, or - for stdin
    #[arg(value_name = "RUN")]
    pub record: PathBuf,
    /// Where the page goes, or - for stdout [default: the record's name with `.html`]
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `sweepline check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub definitions: ModelOptions,
    #[command(flatten)]
    pub questions: QuestionOptions,
    #[command(flatten)]
    pub search: SearchOptions,
    /// Show shortest traces, found by a second search where the first one does not find them
    #[arg(long, help_heading = "Output")]
    pub shortest: bool,
    #[command(flatten)]
    pub output: OutputOptions,
    /// Save the trace of the first violation, or else of the first witness; - for stdout
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    /// Write the answers as JUnit XML, for continuous integration; - for stdout
    #[arg(long, value_name = "FILE", conflicts_with = "contest_output", help_heading = "Output")]
    pub junit: Option<PathBuf>,
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
    /// Report on the state space: bounds of variables or places, what never happens, home states, live actions
    #[arg(long, help_heading = "Output")]
    pub survey: bool,
    #[command(flatten)]
    pub definitions: ModelOptions,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// `sweepline resume`.
#[derive(Clone, Debug, Args)]
pub struct ResumeArguments {
    /// The folder that was given to --checkpoint
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Memory for states from now on
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub memory: Option<usize>,
    /// Where to keep states for which there is no room from now on
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub disk: Option<PathBuf>,
    /// Bytes on disk for states from now on
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub disk_limit: Option<usize>,
    /// Stop after this time, counted from now on
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop when this many states were stored, with those before the checkpoint
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub state_limit: Option<u64>,
    /// Write the run record; - for stdout, which moves the text for people to stderr
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write the run as a web page; - for stdout
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Print the answers only
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Print whole traces and more statistics
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// `sweepline progress`.
#[derive(Debug, Args)]
pub struct ProgressArguments {
    /// The model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub definitions: ModelOptions,
    /// A measure of your own, beside those that are found; @FILE reads it from a file
    #[arg(long, value_name = "EXPR|@FILE", allow_hyphen_values = true)]
    pub judge: Option<String>,
    /// What a measure is to save [default: balanced]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub prefer: Option<PreferChoice>,
    /// Least memory, with at most 0, 1, 2, 5, 10 or 20 % of steps that go back, for the levels 1 to 6
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=6), conflicts_with = "prefer")]
    pub regress_level: Option<u8>,
    /// Take a larger sample and try more
    #[arg(long)]
    pub thorough: bool,
    /// Take all states instead of a sample
    #[arg(long, conflicts_with = "thorough")]
    pub exact: bool,
    /// Where the random choices of the sample begin; the same seed gives the same measures
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How the model is executed [default: compiled; interpreted for state spaces with many arcs]
    #[arg(long, value_name = "HOW", value_enum)]
    pub execution: Option<ExecutionChoice>,
    /// Save the best measure, or the one of --judge, for `--measure @FILE`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Write what was found as JSON; - for stdout, which moves the text for people to stderr
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Print the best measure only, or `none`
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Print measures in full
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// `sweepline simulate`.
#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub definitions: ModelOptions,
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
    /// What the model is written in [default: as the file's ending tells]
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub language: Option<LanguageChoice>,
    /// What to show
    #[arg(long, value_name = "VIEW", value_enum, default_value_t)]
    pub view: ViewChoice,
    /// Write it for other tools in place of showing it
    #[arg(long, value_name = "FORMAT", value_enum, conflicts_with = "view")]
    pub to: Option<TraceFormatChoice>,
    /// For --to, where to write it; - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-", requires = "to")]
    pub output: PathBuf,
}

/// `sweepline convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The model file, or - for stdin
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub definitions: ModelOptions,
    /// The format
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub to: FormatChoice,
    /// Where to write it; - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// A proposition of the state space, true where the expression is; may be repeated
    #[arg(long = "proposition", value_name = "NAME=EXPR", value_parser = named_expression)]
    pub propositions: Vec<(String, String)>,
    /// What progress is, as for `check`; `auto` is the measure that the model declares, if any
    #[arg(long, value_name = "EXPR|@FILE|auto|none", allow_hyphen_values = true)]
    pub measure: Option<String>,
    /// Refuse larger state spaces [default: 2,000 for dot, 100,000 for graphml, 200,000 for svg, 1,000,000 for ss and aut, none for graph]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// For `--to hoa`, the formula whose violations are accepted
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Option<String>,
    /// For `--to graph`, write the run record; - for stdout
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

impl ConvertArguments {
    /// What contradicts each other, as a sentence.
    fn contradiction(&self) -> Option<&'static str> {
        let (hoa, graph) = (self.to == FormatChoice::Hoa, self.to == FormatChoice::Graph);
        if hoa && self.ltl.is_none() {
            Some("--to hoa writes the automaton of a formula; name it by --ltl FORMULA")
        } else if !hoa && self.ltl.is_some() {
            Some("--ltl is for --to hoa; leave it out")
        } else if !graph && self.json.is_some() {
            Some("--json is for --to graph; leave it out")
        } else if hoa && (!self.propositions.is_empty() || self.measure.is_some() || self.limit.is_some()) {
            Some(
                "--proposition, --measure and --limit are about states, and --to hoa writes none; leave them out",
            )
        } else if self.to == FormatChoice::Aut && (!self.propositions.is_empty() || self.measure.is_some()) {
            Some(
                "--proposition and --measure are about states, and --to aut writes steps only; leave them out",
            )
        } else {
            None
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
        Self::consistent(Self::try_parse()?)
    }

    /// Reads a command line that was read before.
    ///
    /// # Errors
    /// If it cannot be understood any more.
    pub fn read_again(words: &[String]) -> Result<Command, clap::Error> {
        Self::consistent(Self::try_parse_from(words)?).map(|arguments| arguments.command)
    }

    fn consistent(arguments: Self) -> Result<Self, clap::Error> {
        let search = match &arguments.command {
            Command::Check(check) => Some(&check.search),
            Command::Explore(explore) => Some(&explore.search),
            _ => None,
        };
        if let Some(message) = search.and_then(SearchOptions::contradiction) {
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        if let Command::Compare(compare) = &arguments.command
            && let Some(message) = compare.contradiction()
        {
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        if let Command::Convert(convert) = &arguments.command
            && let Some(message) = convert.contradiction()
        {
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        let written = arguments.command.written_files();
        let clash = arguments.command.model().and_then(|model| {
            let mut pairs = (1..written.len()).flat_map(|end| (0..end).map(move |start| (start, end)));
            let same = pairs.find(|(one, other)| {
                let (one, other) = (written[*one].1, written[*other].1);
                one == other || same_file(one, other)
            });
            let overwritten = written.iter().find(|(_, path)| same_file(model, path));
            match (same, overwritten) {
                (Some((one, other)), _) => Some(format!(
                    "{} and {} would write to the same place; name two different files",
                    written[one].0, written[other].0
                )),
                (None, Some((option, _))) => {
                    Some(format!("{option} would overwrite the model; name another file"))
                }
                (None, None) => None,
            }
        });
        match clash {
            Some(message) => Err(Self::command().error(ErrorKind::ArgumentConflict, message)),
            None => Ok(arguments),
        }
    }
}

/// Whether two names lead to one file; standard streams are no files.
pub fn same_file(left: &Path, right: &Path) -> bool {
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
