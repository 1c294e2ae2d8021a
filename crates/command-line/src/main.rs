//! The command `sweepline`: reads the command line, has the work done, prints, and ends with a code that says it all.
//!
//! Each subcommand is a module: `exploration` (check, explore), `measures` (progress), `simulation`, `saved_trace`, `conversion` (with `labelled_graph`, `graph_conversion` and `automaton_conversion`),
//! `comparison` (compare), `run_page` (report); the command line of the thesis is `thesis`. Everything that goes wrong becomes a [`Finding`](report::Finding) with a code; a panic, which is always a defect of this program, ends with the exit
//! code for defects instead of Rust's.

mod amounts;
mod arguments;
mod automaton_conversion;
mod codes;
mod comparison;
mod comparison_options;
mod console;
mod contest;
mod contest_bounds;
mod conversion;
mod drawing;
mod drawn_space;
mod engine_process;
mod execution;
mod explanation;
mod exploration;
mod failure;
mod graph_conversion;
mod interrupt;
mod labelled_graph;
mod lean_execution;
mod live;
mod manual;
mod measure;
mod measures;
mod model_file;
mod options;
mod output_file;
mod planning;
mod premises;
mod proof;
mod questions;
mod reachable_states;
mod resumption;
mod run_page;
mod saved_trace;
mod simulation;
mod stop_advice;
mod text_file;
mod thesis;
mod usage;
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use report::Exit;

use arguments::{Arguments, Command};
use comparison::Comparison;
use console::Console;
use exploration::Exploration;
use failure::{Failure, defect};
use measures::Measures;
use thesis::ThesisArguments;

fn main() -> ExitCode {
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
            // Help and version go to stdout with code 0, mistakes to stderr with code 2.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::BadInput.code()));
        }
    };
    let exit = catch_unwind(AssertUnwindSafe(|| run(&asked, console))).unwrap_or_else(|_| {
        console.report(&[defect("it came to a state that it should never be in (see the message above)")]);
        Exit::Defect
    });
    ExitCode::from(exit.code())
}

/// What the command line says, in one of its two forms.
enum Asked {
    Command(Box<Command>),
    Thesis(ThesisArguments),
}

fn run(asked: &Asked, console: Console) -> Exit {
    let result = match asked {
        Asked::Thesis(arguments) => thesis::check(arguments, console),
        Asked::Command(command) => run_command(command, console),
    };
    result.unwrap_or_else(|Failure { exit, findings }| {
        console.report(&findings);
        exit
    })
}

fn run_command(command: &Command, console: Console) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => Ok(Exploration::check(arguments, console).run()),
        Command::Explore(arguments) => Ok(Exploration::explore(arguments, console).run()),
        Command::Progress(arguments) => Ok(Measures::new(arguments, console).run()),
        Command::Simulate(arguments) => simulation::simulate(arguments, console),
        Command::Trace(arguments) => saved_trace::show(arguments, console),
        Command::Convert(arguments) => conversion::convert(arguments, console),
        Command::Resume(arguments) => resumption::resume(arguments, console),
        Command::Compare(arguments) => Ok(Comparison::new(arguments, console).run()),
        Command::Report(arguments) => run_page::make_page(arguments, console),
        Command::Completions { shell } => Ok(printed("the script", &manual::completions(*shell), console)),
        Command::Man { command } => {
            let page = manual::man_page(command.as_deref()).unwrap_or_default();
            Ok(printed("the man page", &page, console))
        }
        Command::Explain { code } => explanation::explain(*code, console),
    }
}

fn printed(what: &str, text: &[u8], console: Console) -> Exit {
    match console.print(&String::from_utf8_lossy(text)) {
        Ok(()) => Exit::Holds,
        Err(error) => {
            console.report(&[output_file::result_lost(what, &error)]);
            Exit::Unknown
        }
    }
}
