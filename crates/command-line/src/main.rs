//! The command `sweepline`. This file maps commands to the modules that run them:
//!
//! | command | module |
//! |---|---|
//! | `check`, `explore` | `check/` |
//! | `progress` | `progress/` |
//! | `simulate` | `simulate` |
//! | `trace` | `trace` |
//! | `convert` | `convert/` |
//! | `resume` | `resume` |
//! | `compare` | `compare/` |
//! | `report` | `web_page` |
//! | `completions`, `man` | `manual` |
//! | `explain` | `explain/` |
//! | the thesis' command line; contest output | `foreign/` |
//!
//! `command_line` declares all commands, `options/` the options that several of them share,
//! `input/` reads models and measures, `output/` writes results, `monitor/` watches a running
//! search.
//!
//! Every error is a [`Finding`](report::Finding) with a code. A panic is always a bug of this
//! program and ends with the exit code for bugs, not with Rust's.

mod check;
mod command_line;
mod compare;
mod convert;
mod explain;
mod foreign;
mod input;
mod manual;
mod monitor;
mod options;
mod output;
mod progress;
mod resume;
mod simulate;
mod trace;
mod web_page;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use report::Exit;

use check::{CheckRun, Task};
use command_line::{Arguments, Command};
use compare::Comparison;
use foreign::thesis::{self, ThesisArguments};
use output::console::Console;
use output::failure::{Failure, bug};
use progress::ProgressRun;

fn main() -> ExitCode {
    let start = Instant::now();
    let read = if thesis::is_meant() {
        ThesisArguments::read().map(|arguments| (Asked::Thesis(arguments), Console::default()))
    } else {
        Arguments::read().map(|arguments| {
            let console = Console::new(arguments.color, arguments.live);
            (Asked::Command(Box::new(arguments.command)), console)
        })
    };
    let (asked, console) = match read {
        Ok(read) => read,
        Err(error) => {
            // clap prints help and the version to stdout with code 0, mistakes to stderr with code
            // 2.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::BadInput.code()));
        }
    };
    let exit = catch_unwind(AssertUnwindSafe(|| run(&asked, console, start))).unwrap_or_else(|_| {
        console.report(&[bug("it reached a state that should be impossible (see the message above)")]);
        Exit::Defect
    });
    ExitCode::from(exit.code())
}

/// The command line in one of its two forms.
enum Asked {
    Command(Box<Command>),
    Thesis(ThesisArguments),
}

fn run(asked: &Asked, console: Console, start: Instant) -> Exit {
    let result = match asked {
        Asked::Thesis(arguments) => thesis::check(arguments, console),
        Asked::Command(command) => run_command(command, console, start),
    };
    result.unwrap_or_else(|Failure { exit, findings }| {
        console.report(&findings);
        exit
    })
}

fn run_command(command: &Command, console: Console, start: Instant) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => Ok(CheckRun::new(Task::Check(arguments), console, start).run()),
        Command::Explore(arguments) => Ok(CheckRun::new(Task::Explore(arguments), console, start).run()),
        Command::Progress(arguments) => Ok(ProgressRun::new(arguments, console, start).run()),
        Command::Simulate(arguments) => simulate::simulate(arguments, console),
        Command::Trace(arguments) => trace::show(arguments, console),
        Command::Convert(arguments) => convert::convert(arguments, console, start),
        Command::Resume(arguments) => resume::resume(arguments, console, start),
        Command::Compare(arguments) => Ok(Comparison::new(arguments, console).run()),
        Command::Report(arguments) => web_page::make_page(arguments, console),
        Command::Completions { shell } => manual::print_completions(*shell, console),
        Command::Man { command } => manual::print_man_page(command.as_deref(), console),
        Command::Explain { code } => explain::explain(*code, console),
    }
}
