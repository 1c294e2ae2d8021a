//! `simulate`: runs a model one step at a time, chosen by the user or at random.
//!
//! Only the interpreter is involved, so a simulation also shows what a model means. The prompt
//! works with a pipe, too: answers from a pipe are echoed, so that the transcript reads like a
//! session.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use engine::verdict::trace::{Step, Trace};
use model::guarded_commands::{ActionId, GuardedCommands};
use model::interpreter::{Interpreter, RuntimeError};
use model::random::Random;
use report::{ChangeRecord, Exit, Steps, TraceFile, TraceRecord, ValueRecord, changes_text, state_text};

use crate::input::model_file::ModelFile;
use crate::options::{ModelOptions, free_stream};
use crate::output::console::{Console, quietly_if_closed};
use crate::output::failure::Failure;
use crate::output::output_file::{OutputFile, result_lost};

/// `sweepline simulate`.
#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub definitions: ModelOptions,
    /// Choose steps at random instead of asking
    #[arg(long)]
    pub random: bool,
    /// Random seed; the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Number of random steps
    #[arg(long, value_name = "N", default_value_t = 100, requires = "random")]
    pub steps: u64,
    /// Save the run as a trace; - for stdout
    #[arg(long, value_name = "FILE")]
    pub trace_out: Option<PathBuf>,
}

impl SimulateArguments {
    /// The files that the command writes, with the options that name them.
    pub fn written_files(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        vec![("--trace-out", self.trace_out.as_ref())]
    }
}

/// Answers to the prompt.
const HELP: &str = "\
a number   take that step
r, r N     take a random step, or N of them
b          go back a step
s          show the whole state
q          quit
";

/// Simulates a model.
///
/// # Errors
/// The input is bad, or the results cannot be written.
pub fn simulate(arguments: &SimulateArguments, console: Console) -> Result<Exit, Failure> {
    let trace_out = arguments.trace_out.as_deref().map(OutputFile::probe).transpose()?;
    let console = console.with_results_on(free_stream(&[&arguments.trace_out]));
    let file = ModelFile::read(&arguments.model, &arguments.definitions)?;
    console.report(&file.warnings());
    let mut simulation = Simulation::new(&file.model.commands, arguments.seed);
    let mut out = console.writer();
    let result = if arguments.random {
        simulation.run_at_random(arguments.steps, &mut out)
    } else {
        let echo = !io::stdin().is_terminal();
        simulation.run_by_prompt(&mut io::stdin().lock(), &mut out, echo).map(|()| Exit::Holds)
    };
    let mut exit = Exit::Holds;
    let shown = result.map(|end| exit = end).and_then(|()| out.flush());
    let saved = match trace_out {
        Some(file_out) => simulation.save(&file, &file_out),
        None => Ok(()),
    };
    for (what, result) in [("the simulation", quietly_if_closed(shown)), ("the trace", saved)] {
        result.map_err(|error| Failure { exit: Exit::Unknown, findings: vec![result_lost(what, &error)] })?;
    }
    Ok(exit)
}

/// A run of a model, up to the current state.
struct Simulation<'m> {
    interpreter: Interpreter<'m>,
    trace: Trace,
    random: Random,
}

/// An enabled action with its successor state.
type Successor = (ActionId, Result<Vec<i64>, RuntimeError>);

/// The result of a step.
enum Taken {
    Step,
    Deadlock,
    Error,
}

/// The user's answer to the prompt.
enum Answer {
    Take(usize),
    Random(u64),
    Back,
    State,
    Help,
    Quit,
    Unclear,
}

impl<'m> Simulation<'m> {
    fn new(commands: &'m GuardedCommands, seed: u64) -> Self {
        Self {
            interpreter: Interpreter::new(commands),
            trace: Trace { initial: commands.initial_state(), steps: Vec::new() },
            random: Random::new(seed),
        }
    }

    fn run_at_random(&mut self, steps: u64, out: &mut dyn Write) -> io::Result<Exit> {
        writeln!(out, "{:>5}  initial state\n{}", 0, self.state().trim_end_matches('\n'))?;
        for _ in 0..steps {
            match self.take_random(out)? {
                Taken::Step => {}
                Taken::Deadlock => return Ok(Exit::Holds),
                Taken::Error => return Ok(Exit::Violated),
            }
        }
        Ok(Exit::Holds)
    }

    fn run_by_prompt(&mut self, input: &mut dyn BufRead, out: &mut dyn Write, echo: bool) -> io::Result<()> {
        writeln!(out, "{:>5}  initial state\n{}", 0, self.state().trim_end_matches('\n'))?;
        loop {
            let successors = self.interpreter.successors(self.trace.last_state());
            self.show_choices(&successors, out)?;
            let Some(line) = ask(input, out, echo)? else { return Ok(()) };
            match Answer::read(&line, successors.len()) {
                Answer::Take(number) => {
                    if let Some(successor) = successors.into_iter().nth(number) {
                        self.take(successor, out)?;
                    }
                }
                Answer::Random(steps) => {
                    for _ in 0..steps {
                        if !matches!(self.take_random(out)?, Taken::Step) {
                            break;
                        }
                    }
                }
                Answer::Back => match self.trace.steps.pop() {
                    Some(_) => writeln!(out, "back after {}", self.steps())?,
                    None => writeln!(out, "this is the initial state")?,
                },
                Answer::State => write!(out, "{}", self.state())?,
                Answer::Help => write!(out, "{HELP}")?,
                Answer::Unclear if successors.is_empty() => writeln!(out, "expected b, s, q or ?")?,
                Answer::Unclear => writeln!(out, "expected 1 to {}, r, b, s, q or ?", successors.len())?,
                Answer::Quit => return Ok(()),
            }
        }
    }

    fn show_choices(&self, successors: &[Successor], out: &mut dyn Write) -> io::Result<()> {
        if successors.is_empty() {
            writeln!(out, "deadlock: no action is enabled")?;
        }
        for (number, (action, result)) in successors.iter().enumerate() {
            let name = self.interpreter.model().action_name(*action);
            match result {
                Ok(_) => writeln!(out, "  ({})  {name}", number + 1)?,
                Err(error) => writeln!(out, "  ({})  {name}  (run-time error: {error})", number + 1)?,
            }
        }
        Ok(())
    }

    fn take_random(&mut self, out: &mut dyn Write) -> io::Result<Taken> {
        let mut successors = self.interpreter.successors(self.trace.last_state());
        if successors.is_empty() {
            writeln!(out, "deadlock after {}: no action is enabled", self.steps())?;
            return Ok(Taken::Deadlock);
        }
        let chosen = self.random.below(successors.len());
        self.take(successors.swap_remove(chosen), out)
    }

    fn take(&mut self, (action, result): Successor, out: &mut dyn Write) -> io::Result<Taken> {
        let commands = self.interpreter.model();
        let name = commands.action_name(action);
        match result {
            Ok(state) => {
                self.trace.steps.push(Step { action, state });
                let number = self.trace.steps.len();
                let changes = ChangeRecord::all(commands, &self.trace.changes(number - 1));
                write!(out, "{number:>5}  {name}\n{}", changes_text(&name, &changes))?;
                Ok(Taken::Step)
            }
            Err(error) => {
                writeln!(out, "run-time error after {}: in `{name}`: {error}", self.steps())?;
                Ok(Taken::Error)
            }
        }
    }

    fn steps(&self) -> Steps {
        Steps(self.trace.steps.len())
    }

    fn state(&self) -> String {
        state_text(&ValueRecord::all(self.interpreter.model(), self.trace.last_state()))
    }

    fn save(&self, file: &ModelFile, out: &OutputFile) -> io::Result<()> {
        let trace = TraceRecord::new(self.interpreter.model(), &self.trace);
        let saved = TraceFile::new(&file.path, None, &trace).with_constants(&file.constants);
        out.write_record(&saved)
    }
}

/// Reads a line; `None` at the end of the input.
fn ask(input: &mut dyn BufRead, out: &mut dyn Write, echo: bool) -> io::Result<Option<String>> {
    write!(out, "> ")?;
    out.flush()?;
    let mut line = Vec::new();
    if input.read_until(b'\n', &mut line)? == 0 {
        writeln!(out)?;
        return Ok(None);
    }
    let line = String::from_utf8_lossy(&line).trim().to_owned();
    if echo {
        writeln!(out, "{line}")?;
    }
    Ok(Some(line))
}

impl Answer {
    fn read(line: &str, choices: usize) -> Self {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("r" | "random"), None) => Self::Random(1),
            (Some("r" | "random"), Some(steps)) => steps.parse().map_or(Self::Unclear, Self::Random),
            (Some("b" | "back"), None) => Self::Back,
            (Some("s" | "state"), None) => Self::State,
            (Some("q" | "quit"), None) => Self::Quit,
            (Some("?" | "h" | "help"), None) => Self::Help,
            (Some(number), None) => match number.parse::<usize>() {
                Ok(number) if (1..=choices).contains(&number) => Self::Take(number - 1),
                _ => Self::Unclear,
            },
            _ => Self::Unclear,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "byte x; process P { state s, t; init s; \
        trans s -> s { guard x < 2; effect x = x + 1; }, s -> t { guard x == 2; }; } system async;";

    fn session(answers: &str) -> String {
        let commands = languages::read_model(MODEL).unwrap().commands;
        let mut out = Vec::new();
        let mut simulation = Simulation::new(&commands, 0);
        simulation.run_by_prompt(&mut answers.as_bytes(), &mut out, true).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn steps_can_be_undone() {
        let text = session("1\n1\n1\nb\nb\nb\nb\nq\n");
        assert!(text.contains("    2  P: s -> s\n         x: 1 -> 2\n  (1)  P: s -> t\n"), "{text}");
        assert!(text.contains("deadlock: no action is enabled\n> b\nback after 2 steps\n"), "{text}");
        assert!(text.ends_with("> b\nthis is the initial state\n  (1)  P: s -> s\n> q\n"), "{text}");
    }

    #[test]
    fn invalid_answers_and_the_end_of_input_are_handled() {
        let text = session("0\n2\nabc\n1 2\n\n99999999999999999999\n\u{0}\nr 9999\nr x\ns");
        assert_eq!(text.matches("expected 1 to 1, r, b, s, q or ?").count(), 7, "{text}");
        assert!(text.contains("deadlock after 3 steps"), "{text}");
        assert!(text.ends_with("> \n"), "{text}");
    }
}
