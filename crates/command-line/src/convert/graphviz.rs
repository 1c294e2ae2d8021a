//! A state space as a drawing for Graphviz, in the style of figure 2 of the survey: one box for
//! each layer, in the order of progress, and regress edges in red.

use std::collections::BTreeMap;
use std::fmt::Write;

use model::guarded_commands::{CellId, GuardedCommands};

use engine::progress::Comparison;

use crate::convert::reachable_states::ReachableStates;
use crate::input::chosen_measure::Measure;
use crate::input::model_file::ModelFile;

/// Greatest number of variables that are shown in a state.
const SHOWN: usize = 8;

/// The drawing in Graphviz's language, with a label for each state.
pub fn drawing(
    graph: &ReachableStates,
    progress: &[u64],
    measure: Option<&Measure>,
    labels: &[String],
    file: &ModelFile,
) -> String {
    let commands = &file.model.commands;
    let mut layers: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (state, &value) in progress.iter().enumerate() {
        layers.entry(value).or_default().push(state);
    }
    let mut text = format!("digraph {} {{\n", quoted(&file.path));
    text.push_str("  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n");
    text.push_str("  start [shape=point];\n  start -> s1;\n");
    for (number, (&value, states)) in layers.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  subgraph cluster_{number} {{");
        let label = measure.map_or("all states".into(), |one| format!("progress {}", one.packed.show(value)));
        let _ = writeln!(text, "    label={}; style=rounded; color=gray;", quoted(&label));
        for &state in states {
            let _ =
                writeln!(text, "    s{}{};", state + 1, attributes(state, &labels[state], graph, commands));
        }
        text.push_str("  }\n");
    }
    // Invisible edges from layer to layer keep the boxes in order.
    let firsts: Vec<usize> = layers.values().map(|states| states[0]).collect();
    for pair in firsts.windows(2) {
        let _ = writeln!(text, "  s{} -> s{} [style=invis];", pair[0] + 1, pair[1] + 1);
    }
    for (from, steps) in graph.steps.iter().enumerate() {
        for &(action, to) in steps {
            let to = to as usize;
            let comparison = measure.map_or(Comparison::Total, |one| one.packed.comparison());
            let regress = if !comparison.is_at_most(progress[from], progress[to]) {
                ", style=dashed, color=red, fontcolor=red, constraint=false"
            } else {
                ""
            };
            let label = quoted(&commands.action_name(action));
            let _ = writeln!(text, "  s{} -> s{} [label={label}{regress}];", from + 1, to + 1);
        }
    }
    text.push_str("}\n");
    text
}

/// The attributes of a state: its number, and the variables that differ from the initial state. The
/// initial state is blue; terminal states have a double border.
fn attributes(state: usize, label: &str, graph: &ReachableStates, commands: &GuardedCommands) -> String {
    let (cells, initial) = (&graph.states[state], &graph.states[0]);
    let mut lines = vec![(state + 1).to_string()];
    if !label.is_empty() {
        lines.push(label.into());
    }
    let most = lines.len() + SHOWN;
    let differs = |cell: &usize| cells[*cell] != initial[*cell];
    for cell in (0..cells.len()).filter(differs) {
        if lines.len() >= most {
            lines.push("…".into());
            break;
        }
        let id = CellId(cell as u32);
        lines.push(format!("{} = {}", commands.cell_name(id), commands.value_name(id, cells[cell])));
    }
    let initial = if state == 0 { ", fillcolor=lightblue" } else { "" };
    let terminal = if graph.steps[state].is_empty() { ", peripheries=2" } else { "" };
    format!(" [label={}{initial}{terminal}]", quoted(&lines.join("\n")))
}

/// A text in quotation marks.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_kind_are_quoted() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
    }
}
