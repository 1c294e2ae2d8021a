//! The command line of the thesis of 2017 (section 7.5), as printed there: `sweepline -m FILE -f
//! FORMULA -s` and similar, on explicit state spaces with the progress values of the file.
//!
//! | options | question | regress edges allowed? |
//! |---|---|---|
//! | `-f FORMULA -s` | `EF p`, `AG p` | yes |
//! | `-f FORMULA -c` | `AGEF p`, `EFAG p`, too | yes; then the recorded graph decides the last two |
//! | `-a AUTOMATON -s` | is an acceptance state reachable? | yes |
//! | `-a AUTOMATON -l` | does the automaton, of a negated formula, accept no run? | yes |
//! | `-f FORMULA -l` | does the LTL formula hold of every run? | yes |
//!
//! A trace is written to `trace.txt`, one state of the model per line, followed by the states of a
//! terminal component, or of the cycle of a lasso. Without a trace, the file of an earlier run is
//! removed. For `-l`, a finite run repeats its last state, as in all other commands. The thesis
//! reports whether there is a trace; the exit code says whether the formula holds, as in all other
//! commands.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::error::ErrorKind;
use clap::{ArgGroup, CommandFactory, Parser};
use engine::check::{CheckError, Engine, Outcome, Plan, SearchPlan};
use engine::explore::search::Limits;
use engine::property::linear::Runs;
use engine::property::{Property, PropertyKind};
use engine::verdict::trace::Trace;
use engine::verdict::{Component, Evidence, Verdict};
use languages::format::STATE_SPACE;
use languages::state_space::model_state;
use languages::{Automaton, CtlForm, Format, Model, StateSpace};
use model::guarded_commands::GuardedCommands;
use model::measure::ExpressionMeasure;
use report::{Count, Detail, Exit, Finding, NO_RUNTIME_ERROR, States, Within, runtime_error};
use sweepline::execution::Execution;
use sweepline::properties::{PropertyReader, of_form};

use crate::check::properties::refused;
use crate::check::stop_advice::stop_advice;
use crate::command_line::STYLES;
use crate::explain::codes;
use crate::input::model_file::in_text;
use crate::input::text_file::{LARGEST_MODEL, LARGEST_STATE_SPACE, read_text};
use crate::monitor::{Interrupt, SearchMonitor};
use crate::options::same_file;
use crate::output::console::Console;
use crate::output::failure::{Failure, bug};
use crate::output::output_file::{OutputFile, result_lost};

/// File of the trace.
const TRACE: &str = "trace.txt";
/// The line between a trace and a component.
const COMPONENT: &str = "terminal strongly connected component:";
/// The line between a trace and the states that repeat.
const CYCLE: &str = "repeated forever:";

/// Advice for a formula that a sweep cannot decide: this command line has no other search.
const ALL_STATES: &str = "use `sweepline check FILE --ctl FORMULA --engine breadth`, which keeps all states; or make the progress values monotone";

/// The options of the tool of the thesis.
#[derive(Debug, Parser)]
#[command(
    name = "sweepline",
    about = "The command line of the thesis, for explicit state spaces",
    after_help = "A trace is written to trace.txt. `sweepline --help` shows everything else.",
    styles = STYLES,
    group = ArgGroup::new("kind").required(true),
    group = ArgGroup::new("property").required(true),
)]
pub struct ThesisArguments {
    /// File path to model
    #[arg(short = 'm', value_name = "FILE")]
    pub model: PathBuf,
    /// Check for safety properties
    #[arg(short = 's', group = "kind")]
    pub safety: bool,
    /// Check for LTL properties
    #[arg(short = 'l', group = "kind")]
    pub ltl: bool,
    /// Check for CTL properties
    #[arg(short = 'c', group = "kind", conflicts_with = "automaton")]
    pub ctl: bool,
    /// File path to CTL formula, or with -l to LTL formula
    #[arg(short = 'f', value_name = "FILE", group = "property")]
    pub formula: Option<PathBuf>,
    /// File path to automaton
    #[arg(short = 'a', value_name = "FILE", group = "property")]
    pub automaton: Option<PathBuf>,
}

impl ThesisArguments {
    /// Parses the command line of this process.
    ///
    /// # Errors
    /// clap's error, also if the user asked for help.
    pub fn read() -> Result<Self, clap::Error> {
        let arguments = Self::try_parse()?;
        let inputs = [
            ("-m", Some(&arguments.model)),
            ("-f", arguments.formula.as_ref()),
            ("-a", arguments.automaton.as_ref()),
        ];
        let is_trace = |input: Option<&PathBuf>| input.is_some_and(|path| same_file(path, Path::new(TRACE)));
        let clash = inputs.into_iter().find(|(_, input)| is_trace(*input)).map(|(option, _)| option);
        match clash {
            Some(option) => {
                let message =
                    format!("the trace, in {TRACE}, would overwrite the file of {option}; rename that file");
                Err(Self::command().error(ErrorKind::ArgumentConflict, message))
            }
            None => Ok(arguments),
        }
    }
}

/// Whether the process was started with this command line. No other command line begins with one of
/// these options.
pub fn is_meant() -> bool {
    let first = std::env::args_os().nth(1);
    let first = first.as_ref().and_then(|argument| argument.to_str()).unwrap_or_default();
    ["-m", "-s", "-l", "-c", "-f", "-a"].into_iter().any(|option| first.starts_with(option))
}

/// A model and the property to check.
struct Question {
    model: Model,
    property: Property,
    /// The file that the property was read from, and its text.
    origin: (String, Arc<str>),
    /// Maps the name of a state of the model, which may be a product, to that of the state space.
    space_state: fn(&str) -> &str,
}

/// Checks the property and writes the trace.
///
/// # Errors
/// The input is bad, the search fails, or the results cannot be written.
pub fn check(arguments: &ThesisArguments, console: Console) -> Result<Exit, Failure> {
    let out = OutputFile::probe(Path::new(TRACE))?;
    let question = question_of(arguments)?;
    let outcome = outcome_of(&question, console)?;
    let verdict = outcome.verdicts.first().ok_or_else(|| bug("a property without a verdict"))?;
    let exit = exit_of(verdict, &outcome);
    let mut text = answer_text(&question.property.name, verdict, &outcome);
    text += &match trace_of(verdict) {
        Some((trace, ending)) => {
            let written = trace_text(&question.model.commands, question.space_state, trace, &ending);
            out.write(written.as_bytes()).map_err(|error| lost(exit, "the trace", &error))?;
            evidence_text(trace, &ending)
        }
        None => {
            let removed = out.discard().map_err(|error| lost(exit, "that there is no trace", &error))?;
            let earlier =
                if removed { format!("; {TRACE} of an earlier run is removed") } else { String::new() };
            format!("trace     no{earlier}\n")
        }
    };
    console.print(&text).map_err(|error| lost(exit, "the result", &error))?;
    Ok(exit)
}

/// Reads the files. The state space itself is dropped, so that its memory is free for the search.
fn question_of(arguments: &ThesisArguments) -> Result<Question, Failure> {
    let space = read_space(&arguments.model)?;
    match (&arguments.formula, &arguments.automaton) {
        (Some(formula), _) if arguments.ltl => by_linear(&space, formula, PropertyFile::Formula),
        (None, Some(automaton)) if arguments.ltl => by_linear(&space, automaton, PropertyFile::Automaton),
        (Some(formula), _) => by_formula(&space, formula, arguments.ctl),
        (None, Some(automaton)) => by_automaton(&space, automaton),
        (None, None) => Err(bug("neither -f nor -a came through").into()),
    }
}

fn exit_of(verdict: &Verdict, outcome: &Outcome) -> Exit {
    match verdict {
        _ if outcome.error.is_some() => Exit::Violated,
        Verdict::Holds(_) => Exit::Holds,
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Unknown(_) => Exit::Unknown,
    }
}

/// The failure of a result that could not be written. It must not be reported as a success; a
/// violation stays one.
fn lost(exit: Exit, what: &str, error: &std::io::Error) -> Failure {
    let exit = if exit == Exit::Holds { Exit::Unknown } else { exit };
    Failure { exit, findings: vec![result_lost(what, error)] }
}

/// The lines for the verdict and for a run-time error.
fn answer_text(name: &str, verdict: &Verdict, outcome: &Outcome) -> String {
    let mut text = match verdict {
        Verdict::Holds(_) => format!("holds     {name}\n"),
        Verdict::Violated(_) => format!("violated  {name}\n"),
        Verdict::Unknown(reason) => format!("unknown   {name}: {reason}\n"),
    };
    if let Some(error) = &outcome.error {
        let _ = writeln!(text, "violated  {NO_RUNTIME_ERROR}: in `{name}`: {}", error.error);
    }
    text
}

/// How a trace ends.
enum Ending<'a> {
    /// With a state.
    State,
    /// With a terminal component.
    Component(&'a Component),
    /// With a cycle, which begins after this number of steps.
    Cycle(usize),
}

/// The lines that describe the content of the trace file.
fn evidence_text(trace: &Trace, ending: &Ending<'_>) -> String {
    let states = match ending {
        Ending::Cycle(start) => start + cycle_length(trace, *start),
        Ending::State | Ending::Component(_) => trace.steps.len() + 1,
    };
    let mut text = format!("trace     yes: {} in {TRACE}\n", States(states as u64));
    match ending {
        Ending::State => {}
        Ending::Component(component) => {
            let size = component.states.len() as u64;
            let _ = match component.complete {
                true => writeln!(text, "component {} that cannot be left, in {TRACE}", States(size)),
                false => {
                    writeln!(
                        text,
                        "component {} and more states that cannot be left, in {TRACE}",
                        Count(size)
                    )
                }
            };
        }
        Ending::Cycle(start) => {
            let _ = match cycle_length(trace, *start) as u64 {
                1 => writeln!(text, "cycle     the last of them, repeated forever"),
                many => writeln!(text, "cycle     the last {} of them, repeated forever", Count(many)),
            };
        }
    }
    text
}

/// Number of states in the cycle. A finite run repeats its last state.
fn cycle_length(trace: &Trace, start: usize) -> usize {
    (trace.steps.len() - start).max(1)
}

/// Reads a state space, whatever the extension of its file. A model in another language gets an
/// error that says so.
fn read_space(path: &Path) -> Result<StateSpace, Failure> {
    let text: Arc<str> = read_text(path, LARGEST_STATE_SPACE)?.into();
    let shown = path.display();
    StateSpace::read(&text).map_err(|found| match Format::by_ending(path).filter(|format| **format != STATE_SPACE) {
        None => in_text(found, &shown.to_string(), &text).into(),
        Some(_) => {
            let message = format!("`{shown}` is a model, and -m is for explicit state spaces");
            let help = format!(
                "use `sweepline check {shown}`, or write its states by `sweepline convert {shown} --to ss`"
            );
            Finding::error(codes::NOT_A_STATE_SPACE, message, help).into()
        }
    })
}

fn by_formula(space: &StateSpace, path: &Path, branching: bool) -> Result<Question, Failure> {
    let text: Arc<str> = read_text(path, LARGEST_MODEL)?.into();
    let model = space.model();
    let formula = model.ctl(&text).map_err(|found| in_text(found, &path.display().to_string(), &text))?;
    let Some((form, operand)) = formula.special() else {
        return Err(in_text(vec![formula.undecided(&text)], &path.display().to_string(), &text).into());
    };
    if !branching && matches!(form, CtlForm::AgEf | CtlForm::EfAg) {
        let message = format!("`{}` is not a safety property", text.trim());
        let help = "use -c instead of -s";
        return Err(Finding::error(codes::BEYOND_SAFETY, message, help).into());
    }
    let property = of_form(formula.to_string(), form, operand);
    let origin = (path.display().to_string(), text);
    Ok(Question { model, property, origin, space_state: |state| state })
}

/// The form of a linear-time property.
enum PropertyFile {
    Formula,
    Automaton,
}

fn by_linear(space: &StateSpace, path: &Path, file: PropertyFile) -> Result<Question, Failure> {
    let text: Arc<str> = read_text(path, LARGEST_MODEL)?.into();
    let origin = path.display().to_string();
    let model = space.model();
    let reader = PropertyReader { model: &model, runs: Runs::default() };
    // State spaces have no arrays, so there are no warnings.
    let read = match file {
        PropertyFile::Formula => reader.ltl(&text),
        PropertyFile::Automaton => reader.automaton(format!("`{origin}` accepts no run"), &text),
    };
    let property = read.map_err(|error| refused(error, &origin, &text))?.property;
    Ok(Question { model, property, origin: (origin, text), space_state: |state| state })
}

fn by_automaton(space: &StateSpace, path: &Path) -> Result<Question, Failure> {
    let text: Arc<str> = read_text(path, LARGEST_MODEL)?.into();
    let origin = path.display().to_string();
    let automaton =
        Automaton::read(&text, &space.propositions).map_err(|found| in_text(found, &origin, &text))?;
    let product = space.product(&automaton).map_err(|error| {
        let help = "check a smaller state space";
        Finding::error(codes::TOO_MANY_STATES, error.to_string(), help)
    })?;
    let accepting = product.propositions.last().cloned().unwrap_or_default();
    let model = product.model();
    let expression =
        model.expression(&accepting).map_err(|_| bug("the product has no proposition for acceptance"))?;
    let name = format!("an acceptance state of `{origin}` is reachable");
    let property = Property::new(name, PropertyKind::Reachable(expression));
    Ok(Question { model, property, origin: (origin, text), space_state: model_state })
}

/// Sweeps with the progress values of the file.
fn outcome_of(question: &Question, console: Console) -> Result<Outcome, Failure> {
    let Question { model, property, origin: (origin, text), .. } = question;
    let progress = model.progress.as_ref().ok_or_else(|| bug("a state space without progress values"))?;
    let measure = ExpressionMeasure::new(&model.commands, &progress.components)
        .map_err(|error| bug(&error.to_string()))?;
    let plan = Plan {
        search: SearchPlan::with_measure(Engine::Sweep, Some(measure)),
        limits: Limits::of_this_machine(),
        ..Plan::default()
    };
    let live = console.live(Detail::Normal);
    let mut monitor = SearchMonitor::new(Instant::now(), None, Interrupt::listen(), (live, None));
    let execution = Execution::suited_to(model);
    let result = execution.check(&model.commands, std::slice::from_ref(property), &plan, &mut monitor);
    monitor.finish();
    let outcome = result.map_err(|error| {
        let mut failure = Failure::of_check(&error, None);
        if let (CheckError::Unsound(_), [finding]) = (&error, &mut failure.findings[..]) {
            finding.help = Some(ALL_STATES.into());
        }
        failure
    })?;
    // A state space has no run-time errors, so this is one of the formula.
    if let Some(error) = &outcome.error {
        console.report(&[runtime_error(&error.error, Within::Expression, origin, text)]);
    }
    if let Some(reason) = &outcome.stopped {
        console.report(&[stop_advice(reason, None)]);
    }
    Ok(outcome)
}

/// The trace of a verdict, and how it ends.
fn trace_of(verdict: &Verdict) -> Option<(&Trace, Ending<'_>)> {
    let (Verdict::Holds(evidence) | Verdict::Violated(evidence)) = verdict else { return None };
    match evidence {
        Evidence::Trace(trace, _) => Some((trace.trace(), Ending::State)),
        Evidence::Component(trace, component) => Some((trace.trace(), Ending::Component(component))),
        Evidence::Lasso(trace, start) => Some((trace.trace(), Ending::Cycle(*start))),
        Evidence::Search(_) => None,
    }
}

/// The states of a trace, one per line, with their names in the state space; then those of the
/// component or of the cycle.
fn trace_text(
    commands: &GuardedCommands,
    space_state: fn(&str) -> &str,
    trace: &Trace,
    ending: &Ending<'_>,
) -> String {
    let place = commands.processes.first().map(|process| process.location);
    let name = |state: &[i64]| {
        let name = place.map(|cell| commands.value_name(cell, state[cell.index()])).unwrap_or_default();
        format!("{}\n", space_state(&name))
    };
    let run = |steps: Range<usize>| steps.map(|steps| name(trace.state(steps))).collect::<String>();
    match ending {
        Ending::State => run(0..trace.steps.len() + 1),
        Ending::Component(component) => {
            let states: String = component.states.iter().map(|state| name(state)).collect();
            format!("{}{COMPONENT}\n{states}", run(0..trace.steps.len() + 1))
        }
        Ending::Cycle(start) => {
            let end = start + cycle_length(trace, *start);
            format!("{}{CYCLE}\n{}", run(0..*start), run(*start..end))
        }
    }
}
