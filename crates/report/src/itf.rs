//! A trace in the Informal Trace Format, the JSON of Apalache, Quint and trace viewers.
//!
//! The format has states, not changes: each state is an object with all variables. An array is a
//! list. A buffer is a list of its messages, and a message of several fields is a tuple. The
//! location of a process is a string. Numbers that not every JSON reader represents exactly are
//! written as text. The format has no place for actions, so each one is in the free field `#meta`
//! of its target state.
//!
//! In a lasso, `loop` is the index of the state that follows the last one. Here a loop ends with
//! the state in which it starts, which is therefore left out; the action that closes the loop is
//! `loop-action` in the `#meta` of the trace.
//!
//! States are written one by one, one per line, so a long trace takes no memory.

use std::collections::BTreeSet;
use std::io::{self, Write};

use engine::verdict::trace::Trace;
use model::guarded_commands::{CellId, GuardedCommands, Shape, Variable};
use serde_json::{Map, Value, json};

/// The field that is not a variable.
const META: &str = "#meta";
/// Numbers from here on are written as text, because doubles cannot represent all of them.
const EXACT: u64 = 1 << 53;

/// A trace with its model and property.
#[derive(Clone, Copy, Debug)]
pub struct ItfTrace<'a> {
    /// File of the model.
    pub model: &'a str,
    /// Name of the property, if there is one.
    pub property: Option<&'a str>,
    /// The model.
    pub commands: &'a GuardedCommands,
    /// The run.
    pub trace: &'a Trace,
    /// For a lasso, the number of steps before the loop.
    pub loop_start: Option<usize>,
}

impl ItfTrace<'_> {
    /// Writes the trace.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let names = names(self.commands);
        let steps = self.trace.steps.len();
        // The last state of a loop equals its first one, unless a single state repeats forever.
        let closing = self.loop_start.filter(|start| *start < steps).and(self.trace.steps.last());
        let action = |step: usize| self.commands.action_name(self.trace.steps[step].action);
        let mut meta = json!({
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": self.model,
        });
        if let Some(property) = self.property {
            meta["description"] = format!("a trace for `{property}`").into();
        }
        if closing.is_some() {
            meta["loop-action"] = action(steps - 1).into();
        }
        writeln!(out, "{{\n  \"{META}\": {meta},\n  \"vars\": {},", json!(names))?;
        if let Some(start) = self.loop_start {
            writeln!(out, "  \"loop\": {start},")?;
        }
        write!(out, "  \"states\": [")?;
        for number in 0..=steps - usize::from(closing.is_some()) {
            let mut meta = json!({ "index": number });
            if let Some(step) = number.checked_sub(1) {
                meta["action"] = action(step).into();
            }
            let state = state(self.commands, &names, self.trace.state(number), meta);
            write!(out, "{}\n    {state}", if number == 0 { "" } else { "," })?;
        }
        writeln!(out, "\n  ]\n}}")?;
        out.flush()
    }
}

/// Unique names of the variables.
fn names(commands: &GuardedCommands) -> Vec<String> {
    let mut taken = BTreeSet::from([META.to_owned()]);
    let unique = |variable: &Variable| {
        let mut name = match (&variable.shape, variable.process) {
            (Shape::Location(_), _) | (_, None) => variable.name.clone(),
            (_, Some(process)) => format!("{}.{}", commands.process(process).name, variable.name),
        };
        // A process may have the name of a variable, and a place of a net may have any name.
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    commands.variables.iter().map(unique).collect()
}

fn state(commands: &GuardedCommands, names: &[String], cells: &[i64], meta: Value) -> Value {
    let mut state = Map::from_iter([(META.to_owned(), meta)]);
    for (variable, name) in commands.variables.iter().zip(names) {
        let first = variable.first_cell.index();
        let own = &cells[first..first + variable.cell_count()];
        state.insert(name.clone(), value(commands, variable, own));
    }
    Value::Object(state)
}

fn value(commands: &GuardedCommands, variable: &Variable, cells: &[i64]) -> Value {
    match &variable.shape {
        Shape::Scalar(_) => number(cells[0]),
        Shape::Location(_) => commands.value_name(CellId(variable.first_cell.0), cells[0]).into(),
        Shape::Array { .. } => cells.iter().copied().map(number).collect(),
        Shape::Queue { fields, .. } => {
            let length = usize::try_from(cells[0]).unwrap_or(0);
            let messages = cells[1..].chunks(fields.len().max(1)).take(length);
            messages.map(message).collect()
        }
    }
}

fn message(parts: &[i64]) -> Value {
    match parts {
        [one] => number(*one),
        parts => json!({ "#tup": parts.iter().copied().map(number).collect::<Value>() }),
    }
}

fn number(value: i64) -> Value {
    if value.unsigned_abs() < EXACT { value.into() } else { json!({ "#bigint": value.to_string() }) }
}

#[cfg(test)]
mod tests {
    use engine::verdict::replay::replay;
    use model::guarded_commands::ActionId;
    use model::interpreter::Interpreter;

    use super::*;

    /// The trace of these actions, as another program reads it.
    fn read(text: &str, actions: &[u32], loop_start: Option<usize>) -> Value {
        let commands = languages::read_model(text).unwrap().commands;
        let actions = actions.iter().map(|&action| ActionId(action));
        let replayed = replay(&Interpreter::new(&commands), actions).unwrap();
        let (commands, trace) = (&commands, replayed.trace());
        let trace = ItfTrace { model: "m.dve", property: Some("p"), commands, trace, loop_start };
        let mut written = Vec::new();
        trace.write(&mut written).unwrap();
        serde_json::from_slice(&written).unwrap()
    }

    #[test]
    fn states_have_lists_for_arrays_and_buffers_and_strings_for_locations() {
        let text = "int a[2]; channel {byte, byte} c[3]; channel {byte} d[2]; \
             process P { byte x = 7; state s, t; init s; \
             trans s -> t { sync c!{1, 2}; effect a[1] = -5; }, t -> s { sync d!x; }; } system async;";
        let read = read(text, &[0, 1], None);
        assert_eq!(read["#meta"]["format"], "ITF");
        assert_eq!(read["#meta"]["source"], "m.dve");
        assert_eq!(read["vars"], json!(["a", "c", "d", "P", "P.x"]));
        assert!(read.get("loop").is_none());
        let states = json!([
            {"#meta": {"index": 0}, "a": [0, 0], "c": [], "d": [], "P.x": 7, "P": "s"},
            {"#meta": {"index": 1, "action": "P: s -> t (c)"}, "a": [0, -5], "c": [{"#tup": [1, 2]}], "d": [], "P.x": 7, "P": "t"},
            {"#meta": {"index": 2, "action": "P: t -> s (d)"}, "a": [0, -5], "c": [{"#tup": [1, 2]}], "d": [7], "P.x": 7, "P": "s"},
        ]);
        assert_eq!(read["states"], states);
    }

    #[test]
    fn the_state_that_closes_a_loop_is_left_out() {
        let text = "byte x; process P { state s, t, u; init s; \
             trans s -> t {}, t -> u {}, u -> t {}; } system async;";
        let lasso = read(text, &[0, 1, 2], Some(1));
        assert_eq!((&lasso["loop"], &lasso["#meta"]["loop-action"]), (&1.into(), &"P: u -> t".into()));
        let places: Vec<&Value> = lasso["states"].as_array().unwrap().iter().map(|one| &one["P"]).collect();
        assert_eq!(places, ["s", "t", "u"]);
        // A state that repeats forever is a loop without steps.
        let resting = read(text, &[0], Some(1));
        assert_eq!((&resting["loop"], resting["states"].as_array().unwrap().len()), (&1.into(), 2));
        assert!(resting["#meta"].get("loop-action").is_none());
    }

    #[test]
    fn large_numbers_are_text() {
        assert_eq!(number((1 << 53) - 1), json!(9_007_199_254_740_991_i64));
        assert_eq!(number(1 << 53), json!({"#bigint": "9007199254740992"}));
        assert_eq!(number(i64::MIN), json!({"#bigint": "-9223372036854775808"}));
    }

    #[test]
    fn names_are_unique() {
        let text = "byte P; process P { state s; init s; trans s -> s {}; } system async;";
        let mut commands = languages::read_model(text).unwrap().commands;
        assert_eq!(names(&commands), ["P", "P_"]);
        commands.variables[0].name = META.into();
        assert_eq!(names(&commands), ["#meta_", "P"]);
    }
}
