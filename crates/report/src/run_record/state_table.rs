//! Many states in the run record: the names of the variables once, then a row of values per state.
//!
//! A list of terminal states can have millions of values. With the name beside every value, the
//! record of a net with 48,422 dead markings and 89 places had 678 MB, nearly all of it names.
//! A value is a number, or a text if the model has a name for it. Rows are dense: leaving out zeros
//! would need the index of each other value, and a zero takes only two bytes.
//!
//! Earlier versions wrote a list of states, each a list of names with values. Such a list is read
//! as a table.

use std::fmt;

use model::guarded_commands::{CellId, GuardedCommands};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::trace::ValueRecord;

/// States of the same variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StateTableRecord {
    /// Names of the variables, or cells of variables.
    pub variables: Vec<String>,
    /// The states. Each has one value per variable, in the order of `variables`.
    pub states: Vec<Vec<CellRecord>>,
}

/// The value of a variable, or of a cell of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum CellRecord {
    /// A number.
    Number(i64),
    /// The name of the value, such as a location.
    Name(Box<str>),
}

impl StateTableRecord {
    /// Records states by the names of their cells.
    pub fn new(commands: &GuardedCommands, states: &[Vec<i64>]) -> Self {
        let cells = || (0..).map(CellId).take(commands.cells.len());
        let value = |(cell, &value): (CellId, &i64)| match commands.location_name(cell, value) {
            Some(name) => CellRecord::Name(name.into()),
            None => CellRecord::Number(value),
        };
        Self {
            variables: cells().map(|cell| commands.cell_name(cell)).collect(),
            states: states.iter().map(|state| cells().zip(state).map(value).collect()).collect(),
        }
    }

    /// The first states, each value with the name of its variable.
    pub fn first(&self, number: usize) -> Vec<Vec<ValueRecord>> {
        let named = |(variable, value): (&String, &CellRecord)| ValueRecord {
            variable: variable.clone(),
            value: value.to_string(),
        };
        let states = self.states.iter().take(number);
        states.map(|state| self.variables.iter().zip(state).map(named).collect()).collect()
    }

    /// The table of states that have the names of their variables.
    fn of_named_states(states: Vec<Vec<ValueRecord>>) -> Result<Self, String> {
        let first = states.first().map(Vec::as_slice).unwrap_or_default();
        let variables: Vec<String> = first.iter().map(|value| value.variable.clone()).collect();
        let row = |state: Vec<ValueRecord>| {
            if !state.iter().map(|value| &value.variable).eq(&variables) {
                return Err("states of different variables".into());
            }
            Ok(state.into_iter().map(|value| CellRecord::of_text(value.value)).collect())
        };
        let states = states.into_iter().map(row).collect::<Result<_, String>>()?;
        Ok(Self { variables, states })
    }
}

impl CellRecord {
    /// A number if the text is exactly that number, else a name.
    fn of_text(text: String) -> Self {
        match text.parse::<i64>() {
            Ok(number) if number.to_string() == text => Self::Number(number),
            _ => Self::Name(text.into()),
        }
    }
}

impl fmt::Display for CellRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for StateTableRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TableOrList)
    }
}

/// Reads a table, or the list that earlier versions wrote.
///
/// An untagged enum would read both as well, but keeps everything in memory twice and has no
/// line and column in its errors.
struct TableOrList;

#[derive(Deserialize)]
struct Table {
    variables: Vec<String>,
    states: Vec<Vec<CellRecord>>,
}

impl<'de> Visitor<'de> for TableOrList {
    type Value = StateTableRecord;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of states, or a list of states")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let Table { variables, states } = Table::deserialize(MapAccessDeserializer::new(map))?;
        match states.iter().all(|state| state.len() == variables.len()) {
            true => Ok(StateTableRecord { variables, states }),
            false => Err(A::Error::custom("a state without exactly one value per variable")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        let states = Vec::deserialize(SeqAccessDeserializer::new(list))?;
        StateTableRecord::of_named_states(states).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<StateTableRecord, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let json = r#"{"variables":["x","P"],"states":[[-3,"left"],[0,"2"]]}"#;
        let table = read(json).unwrap();
        assert_eq!(table.states[1], [CellRecord::Number(0), CellRecord::Name("2".into())]);
        assert_eq!(serde_json::to_string(&table).unwrap(), json);
        let value =
            |variable: &str, value: &str| ValueRecord { variable: variable.into(), value: value.into() };
        assert_eq!(table.first(1), [[value("x", "-3"), value("P", "left")]]);
    }

    #[test]
    fn a_list_of_an_earlier_version_is_read_as_a_table() {
        let json = r#"[[{"variable":"x","value":"-3"},{"variable":"P","value":"07"}]]"#;
        let table = read(json).unwrap();
        assert_eq!(serde_json::to_string(&table).unwrap(), r#"{"variables":["x","P"],"states":[[-3,"07"]]}"#);
        assert_eq!(read("[]").unwrap(), StateTableRecord::default());
    }

    #[test]
    fn states_that_do_not_fit_the_variables_are_refused() {
        let short = r#"{"variables":["x","y"],"states":[[1]]}"#;
        assert!(read(short).unwrap_err().contains("exactly one value per variable"));
        let other = r#"[[{"variable":"x","value":"1"}],[{"variable":"y","value":"1"}]]"#;
        assert!(read(other).unwrap_err().contains("different variables"));
        assert!(read("3").unwrap_err().contains("a table of states"));
    }
}
