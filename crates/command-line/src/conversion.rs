//! `convert`: the whole state space of a model, written as an explicit state space or as a labelled graph, or drawn.
//!
//! Of the other formats, `graph_conversion` writes the graph without states, `automaton_conversion` the automaton of a formula.

use std::collections::BTreeMap;
use std::sync::Arc;

use languages::state_space::{Arc as SpaceArc, INTERNAL, StateRow};
use languages::{Model, StateSpace};
use model::guarded_commands::{ActionId, Expression};
use model::interpreter::Interpreter;
use report::{Count, Exit, Finding, Within, runtime_error, svg};

use crate::arguments::ConvertArguments;
use crate::automaton_conversion::write_automaton;
use crate::codes;
use crate::console::Console;
use crate::drawing::drawing;
use crate::drawn_space::drawn_space;
use crate::failure::Failure;
use crate::graph_conversion::write_graph;
use crate::labelled_graph::{StateData, write_aldebaran, write_graphml};
use crate::measure::{self, Measure};
use crate::model_file::{ModelFile, in_text};
use crate::options::FormatChoice;
use crate::output_file::{OutputFile, result_lost};
use crate::reachable_states::{ReachableStates, TooManyStates};

/// More states are not drawn unless asked for: nobody could read it.
const DRAWN: u32 = 2_000;
/// More states are not drawn even layer by layer, unless asked for.
const PICTURED: u32 = 200_000;
/// More states are not written unless asked for: as a model, each arc takes half a kilobyte.
const WRITTEN: u32 = 1_000_000;
/// The same with all values of each state.
const DESCRIBED: u32 = 100_000;

/// A proposition of the state space to be.
pub struct Proposition {
    /// One word.
    pub name: String,
    /// The expression as written.
    pub text: Arc<str>,
    /// What it means.
    pub expression: Expression,
}

/// Formats that list all states.
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
pub fn convert(arguments: &ConvertArguments, console: Console) -> Result<Exit, Failure> {
    match arguments.to {
        FormatChoice::Ss => list(arguments, Listing::Space, console),
        FormatChoice::Dot => list(arguments, Listing::Drawing, console),
        FormatChoice::Aut => list(arguments, Listing::Steps, console),
        FormatChoice::Graphml => list(arguments, Listing::Graph, console),
        FormatChoice::Svg => list(arguments, Listing::Picture, console),
        FormatChoice::Graph => write_graph(arguments, console),
        FormatChoice::Hoa => write_automaton(arguments, console),
    }
}

fn list(arguments: &ConvertArguments, to: Listing, console: Console) -> Result<Exit, Failure> {
    let out = OutputFile::probe(&arguments.output)?;
    let file = ModelFile::read(&arguments.model, &arguments.definitions)?;
    console.report(&file.warnings());
    let measure = match to {
        Listing::Steps => None,
        _ => measure::choose(arguments.measure.as_deref(), &file)?.given(),
    };
    // Drawings and graphs show its own ones as they show all variables.
    let own = if to == Listing::Space { own_propositions(&file.model) } else { Vec::new() };
    let propositions = propositions(own, arguments, &file)?;
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
            out.write(svg(&drawn_space(&graph, &progress, packed, &file.model.commands)).as_bytes())
        }
    };
    written.map_err(|error| lost(&error))?;
    Ok(Exit::Holds)
}

/// What was converted cannot be written.
pub fn lost(error: &std::io::Error) -> Failure {
    Failure { exit: Exit::Unknown, findings: vec![result_lost("the converted model", error)] }
}

/// Which propositions hold in each state.
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

/// The propositions as a drawing shows them in a state.
fn label(truths: &[bool], propositions: &[Proposition]) -> String {
    let shown =
        |(holds, one): (&bool, &Proposition)| format!("{}{}", if *holds { "" } else { "!" }, one.name);
    truths.iter().zip(propositions).map(shown).collect::<Vec<_>>().join(" ")
}

/// The actions and the states in the terms of the format.
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

/// Progress values as the format has them: those of a single expression as they are, if they fit; otherwise 0, 1, 2, … in
/// their order, which is all that a sweep cares about.
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
    // The arcs of a state space have names of their own.
    if file.model.is_state_space() {
        return commands.action(action).channel.clone().unwrap_or_else(|| INTERNAL.into());
    }
    let name = commands.action_name(action);
    let tight = name.replace(": ", ":").replace(" -> ", "->").replace(" | ", "|");
    tight.split_whitespace().collect::<Vec<_>>().join("_")
}

/// The propositions: those that are there already, then those of the options.
///
/// # Errors
/// All that is wrong with the latter.
pub fn propositions(
    mut propositions: Vec<Proposition>,
    arguments: &ConvertArguments,
    file: &ModelFile,
) -> Result<Vec<Proposition>, Vec<Finding>> {
    let mut findings = Vec::new();
    for (name, text) in &arguments.propositions {
        if !is_proposition(name) {
            findings.push(bad_name(name));
        } else if propositions.iter().any(|known| known.name == *name) {
            let message = format!("two propositions are called `{name}`");
            let help = "give each --proposition a name of its own, which the state space does not have yet";
            findings.push(Finding::error(codes::BAD_PROPOSITION, message, help));
        }
        let text: Arc<str> = text.as_str().into();
        match file.model.expression(&text) {
            Ok(expression) => propositions.push(Proposition { name: name.clone(), text, expression }),
            Err(diagnostics) => findings.extend(in_text(diagnostics, "--proposition", &text)),
        }
    }
    if findings.is_empty() { Ok(propositions) } else { Err(findings) }
}

/// The propositions of a state space: its variables but for the progress value, which comes behind them.
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

/// Whether the name can stand in a state space: its reader decides.
fn is_proposition(name: &str) -> bool {
    StateSpace::read(&format!("1 0 1 {name}\n"))
        .is_ok_and(|space| space.propositions == [name] && space.states[0].arcs.is_empty())
}

fn bad_name(name: &str) -> Finding {
    let message = format!("`{name}` cannot be the name of a proposition");
    let help =
        "names have letters, digits and `_`, start with no digit and are no reserved word, as in p=x == 3";
    Finding::error(codes::BAD_PROPOSITION, message, help)
}

/// Said when there are more states than are to be written.
pub fn too_many_states(limit: u32, help: &str) -> Finding {
    let message = format!("the model has more than {} states", Count(limit.into()));
    Finding::error(codes::TOO_MANY_STATES, message, help)
}

fn help_with(listing: Listing) -> &'static str {
    match listing {
        Listing::Space | Listing::Steps | Listing::Graph => {
            "--limit N allows more; as text they take about a hundred bytes each, and far fewer by --to graph"
        }
        Listing::Drawing | Listing::Picture => {
            "a drawing of more is hard to read: take smaller constants by -D; or allow more by --limit N"
        }
    }
}

fn steps_left_out(erroneous: u64, stranded: u64) -> Finding {
    let steps = match erroneous {
        1 => "1 step is a run-time error and is left out".into(),
        many => format!("{} steps are run-time errors and are left out", Count(many)),
    };
    let states = match stranded {
        0 => "every state keeps a step".into(),
        1 => "1 state has no other step and becomes terminal".into(),
        many => format!("{} states have no other step and become terminal", Count(many)),
    };
    let help = "`sweepline check` shows the first one";
    Finding::warning(codes::STEPS_LEFT_OUT, format!("{steps}; {states}"), help)
}
