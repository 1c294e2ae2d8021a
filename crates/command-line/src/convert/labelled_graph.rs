//! A state space as a graph for other tools: Aldebaran's format for tools that compare and minimise
//! behaviours (CADP, mCRL2, LTSmin), GraphML for tools that draw and analyse graphs (yEd, Gephi,
//! NetworkX).
//!
//! Aldebaran's format has labels of steps and no data of states: a line with the counts, then a
//! line for each step. GraphML has everything, state by state, and is far larger. Both are written
//! piece by piece: memory holds the graph, never its text.

use std::io::{self, Write};

use model::guarded_commands::{ActionId, CellId, GuardedCommands, Shape};
use report::Escaped;

use crate::convert::reachable_states::ReachableStates;
use crate::input::chosen_measure::Measure;
use crate::input::model_file::ModelFile;

/// Writes the steps in Aldebaran's format, states numbered from 0.
///
/// # Errors
/// The writer fails.
pub fn write_aldebaran(graph: &ReachableStates, file: &ModelFile, out: &mut dyn Write) -> io::Result<()> {
    let commands = &file.model.commands;
    let labels: Vec<String> =
        (0..).take(commands.actions.len()).map(|number| label(ActionId(number), file)).collect();
    let steps: usize = graph.steps.iter().map(Vec::len).sum();
    writeln!(out, "des (0, {steps}, {})", graph.states.len())?;
    for (from, steps) in graph.steps.iter().enumerate() {
        for (action, to) in steps {
            writeln!(out, "({from}, {}, {to})", labels[action.0 as usize])?;
        }
    }
    Ok(())
}

/// An action in quotation marks; the format allows none inside. An internal step is a plain `i`.
fn label(action: ActionId, file: &ModelFile) -> String {
    let commands = &file.model.commands;
    let name = match (file.model.is_state_space(), &commands.action(action).channel) {
        // The arcs of a state space have their own names.
        (true, None) => return "i".into(),
        (true, Some(name)) => name.clone(),
        _ => commands.action_name(action),
    };
    let plain = |character: char| match character {
        '"' => '\'',
        control if control.is_control() => ' ',
        other => other,
    };
    format!("\"{}\"", name.chars().map(plain).collect::<String>())
}

/// Data of states besides the values of their variables.
pub struct StateData<'a> {
    /// The names of propositions.
    pub propositions: Vec<&'a str>,
    /// The truth of each proposition in each state.
    pub truths: &'a [Box<[bool]>],
    /// The progress measure.
    pub measure: Option<&'a Measure>,
    /// Its packed value in each state.
    pub progress: &'a [u64],
}

/// Writes states with their values, and steps with their actions, as GraphML; the first state is
/// initial.
///
/// # Errors
/// The writer fails.
pub fn write_graphml(
    graph: &ReachableStates,
    data: &StateData<'_>,
    file: &ModelFile,
    out: &mut dyn Write,
) -> io::Result<()> {
    let commands = &file.model.commands;
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    writeln!(out, "  <desc>{}</desc>", Escaped(&file.path))?;
    write_keys(data, commands, out)?;
    writeln!(out, "  <graph id=\"states\" edgedefault=\"directed\">")?;
    for (number, cells) in graph.states.iter().enumerate() {
        write!(out, "    <node id=\"s{}\">", number + 1)?;
        for (cell, &value) in cells.iter().enumerate() {
            let value = commands.value_name(CellId(cell as u32), value);
            write!(out, "<data key=\"v{cell}\">{}</data>", Escaped(&value))?;
        }
        for (place, holds) in data.truths[number].iter().enumerate() {
            write!(out, "<data key=\"p{place}\">{holds}</data>")?;
        }
        if let Some(measure) = data.measure {
            let value = measure.packed.show(data.progress[number]);
            write!(out, "<data key=\"progress\">{}</data>", Escaped(&value))?;
        }
        writeln!(out, "</node>")?;
    }
    for (from, steps) in graph.steps.iter().enumerate() {
        for &(action, to) in steps {
            let (from, to, name) = (from + 1, to + 1, commands.action_name(action));
            write!(out, "    <edge source=\"s{from}\" target=\"s{to}\">")?;
            writeln!(out, "<data key=\"action\">{}</data></edge>", Escaped(&name))?;
        }
    }
    writeln!(out, "  </graph>\n</graphml>")
}

/// Declares the labels of states and steps.
fn write_keys(data: &StateData<'_>, commands: &GuardedCommands, out: &mut dyn Write) -> io::Result<()> {
    let mut key = |id: String, of: &str, name: &str, kind: &str| {
        let name = Escaped(name);
        writeln!(out, "  <key id=\"{id}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>")
    };
    for cell in 0..commands.cells.len() {
        let id = CellId(cell as u32);
        let shape = &commands.variable(commands.cells[cell].variable).shape;
        let kind = if matches!(shape, Shape::Location(_)) { "string" } else { "long" };
        key(format!("v{cell}"), "node", &commands.cell_name(id), kind)?;
    }
    for (place, name) in data.propositions.iter().enumerate() {
        key(format!("p{place}"), "node", name, "boolean")?;
    }
    if let Some(measure) = data.measure {
        let kind = if measure.components.len() == 1 { "long" } else { "string" };
        key("progress".into(), "node", "progress", kind)?;
    }
    key("action".into(), "edge", "action", "string")
}
