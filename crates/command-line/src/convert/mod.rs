//! `convert`: writes the state space of a model in another format, or the automaton of a formula.
//!
//! | format | written by |
//! |---|---|
//! | `ss` | this file |
//! | `dot` | `graphviz` |
//! | `aut`, `graphml` | `labelled_graph` |
//! | `svg` | `space_record`, and `report` draws it |
//! | `graph` | `compact_graph`, which needs no memory for the states |
//! | `hoa` | `hoa_automaton` |

mod arguments;
mod compact_graph;
mod graphviz;
mod hoa_automaton;
mod labelled_graph;
pub mod reachable_states;
pub mod space_record;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use languages::state_space::{Arc as SpaceArc, INTERNAL, StateRow};
use languages::{Model, StateSpace};
use model::guarded_commands::{ActionId, Expression};
use model::interpreter::Interpreter;
use report::{Count, Exit, Finding, Within, runtime_error, svg};

pub use arguments::ConvertArguments;
use arguments::Format;
use compact_graph::write_graph;
use graphviz::drawing;
use hoa_automaton::write_automaton;
use labelled_graph::{StateData, write_aldebaran, write_graphml};
use reachable_states::{ReachableStates, TooManyStates};
use space_record::space_record;

use crate::explain::codes;
use crate::input::chosen_measure::{self, Measure};
use crate::input::model_file::{ModelFile, in_text};
use crate::output::console::Console;
use crate::output::failure::Failure;
use crate::output::output_file::{OutputFile, result_lost};

/// Default limit of `dot`. A larger drawing is unreadable.
const DRAWN: u32 = 2_000;
/// Default limit of `svg`, which draws large state spaces layer by layer.
const PICTURED: u32 = 200_000;
/// Default limit of `ss` and `aut`. Read as a model, each arc takes half a kilobyte.
const WRITTEN: u32 = 1_000_000;
/// Default limit of `graphml`, which has all values of each state.
const DESCRIBED: u32 = 100_000;

/// A proposition of the converted state space.
pub struct Proposition {
    /// Its name, one word.
    pub name: String,
    /// The expression as the user wrote it.
    pub text: Arc<str>,
    /// The expression.
    pub expression: Expression,
}

/// Formats that list states one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listing {
    Space,
    Drawing,
    Steps,
    Graph,
    Picture,
}

/// Converts a model.
///
/// # Errors
/// The input is bad, the state space is too large, or the result cannot be written.
pub fn convert(arguments: &ConvertArguments, console: Console, start: Instant) -> Result<Exit, Failure> {
    match arguments.to {
        Format::Ss => list(arguments, Listing::Space, console),
        Format::Dot => list(arguments, Listing::Drawing, console),
        Format::Aut => list(arguments, Listing::Steps, console),
        Format::Graphml => list(arguments, Listing::Graph, console),
        Format::Svg => list(arguments, Listing::Picture, console),
        Format::Graph => write_graph(arguments, console, start),
        Format::Hoa => write_automaton(arguments, console),
    }
}

fn list(arguments: &ConvertArguments, to: Listing, console: Console) -> Result<Exit, Failure> {
    let out = OutputFile::probe(&arguments.output)?;
    let file = ModelFile::read(&arguments.model, &arguments.definitions)?;
    console.report(&file.warnings());
    let measure = match to {
        Listing::Steps => None,
        _ => chosen_measure::choose(arguments.measure.as_deref(), &file)?.given(),
    };
    // Drawings and graphs show the propositions of a state space among its variables.
    let own = if to == Listing::Space { own_propositions(&file.model) } else { Vec::new() };
    let (propositions, warnings) = propositions(own, arguments, &file)?;
    console.report(measure.as_ref().map_or(&[], |measure| &measure.warnings));
    console.report(&warnings);
    let limit = arguments.limit.unwrap_or(match to {
        Listing::Space | Listing::Steps => WRITTEN,
        Listing::Drawing => DRAWN,
        Listing::Graph => DESCRIBED,
        Listing::Picture => PICTURED,
    });
    let graph = ReachableStates::explore(&file.model.commands, limit)
        .map_err(|TooManyStates| too_many_states(limit, help_with(to)))?;
    if graph.erroneous > 0 {
        console.report(&[steps_left_out(graph.erroneous, graph.stranded)]);
    }
    let truths = truths(&graph, &propositions, &file)?;
    let packed = measure.as_ref().map(|measure| &measure.packed);
    let progress = graph.progress_values(packed, &file.model.commands);
    let written = match to {
        Listing::Space => {
            let names = propositions.into_iter().map(|proposition| proposition.name).collect();
            let (actions, states) =
                numbered_states(&graph, &plain_progress(&progress, measure.as_ref()), truths, &file);
            let space = StateSpace { propositions: names, actions, states };
            let mut text = Vec::new();
            space.write(&mut text).expect("memory takes everything");
            out.write(&text)
        }
        Listing::Drawing => {
            let labels: Vec<String> = truths.iter().map(|truths| label(truths, &propositions)).collect();
            out.write(drawing(&graph, &progress, measure.as_ref(), &labels, &file).as_bytes())
        }
        Listing::Steps => out.write_by(|out| write_aldebaran(&graph, &file, out)).map(drop),
        Listing::Graph => {
            let names = propositions.iter().map(|proposition| proposition.name.as_str()).collect();
            let (truths, measure, progress) = (&truths[..], measure.as_ref(), &progress[..]);
            let data = StateData { propositions: names, truths, measure, progress };
            out.write_by(|out| write_graphml(&graph, &data, &file, out)).map(drop)
        }
        Listing::Picture => {
            out.write(svg(&space_record(&graph, &progress, packed, &file.model.commands)).as_bytes())
        }
    };
    written.map_err(|error| lost(&error))?;
    Ok(Exit::Holds)
}

/// The failure of a result that cannot be written.
pub fn lost(error: &std::io::Error) -> Failure {
    Failure { exit: Exit::Unknown, findings: vec![result_lost("the converted model", error)] }
}

/// The truth of each proposition in each state.
fn truths(
    graph: &ReachableStates,
    propositions: &[Proposition],
    file: &ModelFile,
) -> Result<Vec<Box<[bool]>>, Finding> {
    let interpreter = Interpreter::new(&file.model.commands);
    let truth = |proposition: &Proposition, state: &[i64]| {
        let value = interpreter.evaluate(&proposition.expression, state);
        value
            .map(|value| value != 0)
            .map_err(|error| runtime_error(&error, Within::Expression, "--proposition", &proposition.text))
    };
    let of_state = |state: &[i64]| propositions.iter().map(|one| truth(one, state)).collect();
    graph.states.iter().map(|state| of_state(state)).collect()
}

/// The label of a state in a drawing.
fn label(truths: &[bool], propositions: &[Proposition]) -> String {
    let shown =
        |(holds, one): (&bool, &Proposition)| format!("{}{}", if *holds { "" } else { "!" }, one.name);
    truths.iter().zip(propositions).map(shown).collect::<Vec<_>>().join(" ")
}

/// The actions, and the rows of the states.
fn numbered_states(
    graph: &ReachableStates,
    progress: &[u32],
    truths: Vec<Box<[bool]>>,
    file: &ModelFile,
) -> (Vec<String>, Vec<StateRow>) {
    let mut actions = Vec::new();
    let mut numbers: BTreeMap<ActionId, u32> = BTreeMap::new();
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    let mut number_of = |action: ActionId| {
        *numbers.entry(action).or_insert_with(|| {
            *names.entry(one_word(action, file)).or_insert_with_key(|name| {
                actions.push(name.clone());
                actions.len() as u32 - 1
            })
        })
    };
    let mut states = Vec::with_capacity(graph.states.len());
    for (number, (truths, steps)) in truths.into_iter().zip(&graph.steps).enumerate() {
        let arc = |&(action, target): &(ActionId, u32)| SpaceArc { action: number_of(action), target };
        states.push(StateRow {
            id: (number + 1).to_string().into(),
            progress: progress[number],
            truths,
            arcs: steps.iter().map(arc).collect(),
        });
    }
    (actions, states)
}

/// Progress values for the format. Values of a single expression are kept if they fit in 32 bits.
/// Other values are replaced by their ranks 0, 1, 2, …, because a sweep depends only on their
/// order.
fn plain_progress(progress: &[u64], measure: Option<&Measure>) -> Vec<u32> {
    if let Some(measure) = measure.filter(|measure| measure.components.len() == 1) {
        let plain = progress.iter().map(|&value| u32::try_from(measure.packed.unpack(value)[0]));
        if let Ok(plain) = plain.collect() {
            return plain;
        }
    }
    let mut ranks: BTreeMap<u64, u32> = progress.iter().map(|&value| (value, 0)).collect();
    for (rank, place) in ranks.values_mut().enumerate() {
        *place = rank as u32;
    }
    progress.iter().map(|value| ranks[value]).collect()
}

/// The name of an action without blanks.
fn one_word(action: ActionId, file: &ModelFile) -> String {
    let commands = &file.model.commands;
    // The arcs of a state space have their own names.
    if file.model.is_state_space() {
        return commands.action(action).channel.clone().unwrap_or_else(|| INTERNAL.into());
    }
    let name = commands.action_name(action);
    let tight = name.replace(": ", ":").replace(" -> ", "->").replace(" | ", "|");
    tight.split_whitespace().collect::<Vec<_>>().join("_")
}

/// Adds the propositions of the options to those of the model, and returns also the warnings about
/// them.
///
/// # Errors
/// Everything that is wrong with the former.
pub fn propositions(
    mut propositions: Vec<Proposition>,
    arguments: &ConvertArguments,
    file: &ModelFile,
) -> Result<(Vec<Proposition>, Vec<Finding>), Vec<Finding>> {
    let (mut findings, mut warnings) = (Vec::new(), Vec::new());
    for (name, text) in &arguments.propositions {
        if !is_proposition(name) {
            findings.push(bad_name(name));
        } else if propositions.iter().any(|known| known.name == *name) {
            let message = format!("two propositions have the name `{name}`");
            let help = "give each --proposition a different name, which the state space does not use";
            findings.push(Finding::error(codes::BAD_PROPOSITION, message, help));
        }
        let text: Arc<str> = text.as_str().into();
        match file.model.expression_with_warnings(&text) {
            Ok((expression, odd)) => {
                warnings.extend(in_text(odd, "--proposition", &text));
                propositions.push(Proposition { name: name.clone(), text, expression });
            }
            Err(diagnostics) => findings.extend(in_text(diagnostics, "--proposition", &text)),
        }
    }
    if findings.is_empty() { Ok((propositions, warnings)) } else { Err(findings) }
}

/// The propositions of a state space: all variables before the one that holds the progress value.
pub fn own_propositions(model: &Model) -> Vec<Proposition> {
    let progress = match &model.progress {
        Some(progress) if model.is_state_space() => progress.text.as_str(),
        _ => return Vec::new(),
    };
    let own = model.commands.variables.iter().take_while(|variable| variable.name != progress);
    own.map(|variable| Proposition {
        name: variable.name.clone(),
        text: variable.name.as_str().into(),
        expression: Expression::Cell(variable.first_cell),
    })
    .collect()
}

/// Whether the reader of state spaces accepts the name.
fn is_proposition(name: &str) -> bool {
    StateSpace::read(&format!("1 0 1 {name}\n"))
        .is_ok_and(|space| space.propositions == [name] && space.states[0].arcs.is_empty())
}

fn bad_name(name: &str) -> Finding {
    let message = format!("`{name}` cannot be the name of a proposition");
    let help = "a name consists of letters, digits and `_`, does not start with a digit and is no reserved word, as in p=x == 3";
    Finding::error(codes::BAD_PROPOSITION, message, help)
}

/// The error for a state space above the limit.
pub fn too_many_states(limit: u32, help: &str) -> Finding {
    let message = format!("the model has more than {} states", Count(limit.into()));
    Finding::error(codes::TOO_MANY_STATES, message, help)
}

fn help_with(listing: Listing) -> &'static str {
    match listing {
        Listing::Space | Listing::Steps | Listing::Graph => {
            "raise the limit by --limit N; a state takes about a hundred bytes of text, far less with --to graph"
        }
        Listing::Drawing | Listing::Picture => {
            "a larger drawing is hard to read: use smaller constants by -D, or raise the limit by --limit N"
        }
    }
}

fn steps_left_out(erroneous: u64, stranded: u64) -> Finding {
    let steps = match erroneous {
        1 => "1 step is a run-time error and is left out".into(),
        many => format!("{} steps are run-time errors and are left out", Count(many)),
    };
    let states = match stranded {
        0 => "every state keeps another step".into(),
        1 => "1 state has no other step and becomes terminal".into(),
        many => format!("{} states have no other step and become terminal", Count(many)),
    };
    let help = "`sweepline check` shows the first one";
    Finding::warning(codes::STEPS_LEFT_OUT, format!("{steps}; {states}"), help)
}
