//! The command line as a whole: the commands, the options that all of them take, and the checks
//! that clap cannot express.
//!
//! Each command declares its own options beside its implementation; `options` has those that
//! several commands share. Options that contradict each other, and files that would overwrite each
//! other, are refused here, before anything else happens.

use std::path::Path;

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::check::{CheckArguments, ExploreArguments};
use crate::compare::CompareArguments;
use crate::convert::ConvertArguments;
use crate::explain::Explanation;
use crate::manual::command_name;
use crate::monitor::LiveDisplay;
use crate::options::file_names::overwritten;
use crate::progress::ProgressArguments;
use crate::resume::ResumeArguments;
use crate::simulate::SimulateArguments;
use crate::trace::TraceArguments;
use crate::web_page::ReportArguments;

/// Exit codes, for the help of several commands.
macro_rules! exit_codes {
    () => {
        "\
Exit codes:
  0  every checked property holds, and the search was complete
  1  at least one property is violated
  2  bad input: command line, model or property; nothing was checked
  3  unknown: a limit was reached, or the run was interrupted; no violation found
  4  a bug in sweepline itself"
    };
}

/// Exit codes of `compare`.
macro_rules! comparison_exit_codes {
    () => {
        "\
Exit codes:
  0  all runs are complete and agree
  2  bad input: command line, model or measure
  3  a run is incomplete: a limit was reached, or it was interrupted
  4  complete runs disagree: a bug in sweepline itself"
    };
}

const EXIT_CODES: &str = exit_codes!();

const CHECK_HELP: &str = concat!(
    "\
Examples:
  sweepline check model.dve                              deadlocks, and what the file declares
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
  sweepline progress model.dve                        propose measures
  sweepline progress model.dve --judge \"(phase, x)\"   how good is mine?
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
  sweepline -m FILE -f FORMULA_FILE -c    AGEF and EFAG, too
  sweepline -m FILE -a AUTOMATON_FILE -s  is an acceptance state reachable?
  sweepline -m FILE -a AUTOMATON_FILE -l  no run is accepted; -f FORMULA_FILE for an LTL formula

",
    exit_codes!()
);

/// Colours of the help.
pub const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold());

/// An explicit-state model checker that forgets.
#[derive(Debug, Parser)]
#[command(name = "sweepline", version, styles = STYLES, after_help = ABOUT_ALL)]
pub struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
    /// When to colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// How to show a running search, on stderr
    #[arg(long, global = true, value_name = "HOW", value_enum, default_value_t)]
    pub live: LiveDisplay,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check properties of a model
    ///
    /// Without options that name a property, all properties in the model file are checked, and that
    /// there is no deadlock. With such options, only the properties that they name are checked.
    #[command(after_help = CHECK_HELP)]
    Check(Box<CheckArguments>),
    /// Visit all reachable states and report statistics
    ///
    /// Deadlocks and run-time errors are counted and do not stop the search.
    #[command(after_help = EXPLORE_HELP)]
    Explore(ExploreArguments),
    /// Propose, judge and compare progress measures
    ///
    /// Measures are judged by simulating a sweep on a sample of the state space.
    #[command(after_help = PROGRESS_HELP)]
    Progress(ProgressArguments),
    /// Run a model step by step or at random
    #[command(after_help = SIMULATE_HELP)]
    Simulate(SimulateArguments),
    /// Show or convert a saved trace by replaying it on its model
    #[command(after_help = TRACE_HELP)]
    Trace(TraceArguments),
    /// Write the state space in another format, or the automaton of a formula
    ///
    /// States are numbered in breadth-first order, from 1 in ss, dot and graphml, from 0 in aut and
    /// svg. In a graph they are numbered from 0, in the order of the sweep.
    #[command(after_help = CONVERT_HELP)]
    Convert(ConvertArguments),
    /// Continue a run from a checkpoint
    ///
    /// The run continues with the options of its original command line. You may set new limits and
    /// output files.
    #[command(after_help = EXIT_CODES)]
    Resume(ResumeArguments),
    /// Run several engines on the same models and compare their cost
    ///
    /// Each engine explores in its own process, one after the other. If a model declares no
    /// measure, the sweep searches for one, as `explore` does; its time includes that search.
    #[command(after_help = COMPARE_HELP)]
    Compare(CompareArguments),
    /// Make a web page from a run record
    ///
    /// The page is one file that needs no network. `check --html` and `explore --html` write it
    /// directly.
    Report(ReportArguments),
    /// Write a shell completion script to stdout
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write a man page to stdout: `sweepline man check | man -l -`
    Man {
        /// The command; without one, the page is about sweepline as a whole
        #[arg(value_name = "COMMAND", value_parser = command_name)]
        command: Option<String>,
    },
    /// Explain an error or warning code
    ///
    /// Without a code, all codes are listed.
    Explain {
        /// The code, like E0203
        #[arg(value_name = "CODE", value_parser = Explanation::find)]
        code: Option<Explanation>,
    },
}

impl Command {
    /// Options that contradict each other, as a sentence.
    fn contradiction(&self) -> Option<String> {
        match self {
            Self::Check(check) => check.search.contradiction().map(Into::into),
            Self::Explore(explore) => explore.search.contradiction().map(Into::into),
            Self::Compare(compare) => compare.contradiction(),
            Self::Convert(convert) => convert.contradiction().map(Into::into),
            _ => None,
        }
    }

    /// Files that would overwrite each other or an input, as a sentence.
    fn overwritten(&self) -> Option<String> {
        let (inputs, files): (Vec<&Path>, _) = match self {
            Self::Check(check) => (vec![&check.model], check.written_files()),
            Self::Explore(explore) => (vec![&explore.model], explore.written_files()),
            Self::Progress(progress) => (vec![&progress.model], progress.written_files()),
            Self::Simulate(simulate) => (vec![&simulate.model], simulate.written_files()),
            Self::Convert(convert) => (vec![&convert.model], convert.written_files()),
            Self::Compare(compare) => {
                (compare.models.iter().map(|model| model.as_path()).collect(), compare.written_files())
            }
            Self::Report(report) => (vec![&report.record], report.written_files()),
            _ => return None,
        };
        let named: Vec<(&'static str, &Path)> =
            files.into_iter().filter_map(|(option, path)| Some((option, path?.as_path()))).collect();
        overwritten(&inputs, &named)
    }
}

impl Arguments {
    /// Parses the command line of this process.
    ///
    /// # Errors
    /// clap's error, also if the user asked for help.
    pub fn read() -> Result<Self, clap::Error> {
        Self::consistent(Self::try_parse()?)
    }

    /// Parses the command line of an earlier process.
    ///
    /// # Errors
    /// This version of the program does not understand it.
    pub fn read_again(words: &[String]) -> Result<Command, clap::Error> {
        Self::consistent(Self::try_parse_from(words)?).map(|arguments| arguments.command)
    }

    fn consistent(arguments: Self) -> Result<Self, clap::Error> {
        let command = &arguments.command;
        match command.contradiction().or_else(|| command.overwritten()) {
            Some(message) => Err(Self::command().error(ErrorKind::ArgumentConflict, message)),
            None => Ok(arguments),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_declarations() {
        Arguments::command().debug_assert();
    }
}
