//! The run record as JSON text, indented and with a line break at the end, so that it is readable
//! in a pager and in version control. The structure is that of [`RunRecord`].
//!
//! An array inside an array is a row of a table, for example a state of a list of states. A row
//! takes one line. With a line per value, indentation would be most of the text of a long list.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::RunRecord;

/// Writes a record, of a run or of a trace.
///
/// # Errors
/// Errors of the writer.
pub fn write_json(record: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    record.serialize(&mut Serializer::with_formatter(&mut *out, RowFormatter::default()))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Indents everything except the rows of tables.
#[derive(Default)]
struct RowFormatter {
    indented: PrettyFormatter<'static>,
    /// Arrays and objects around the current value, the innermost one last.
    around: Vec<Container>,
    /// Length of `around` at the start of the current row.
    row: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

/// Passes an event to the formatter of the place where it happens.
macro_rules! forward {
    ($self:ident.$event:ident($($argument:expr),*)) => {
        match $self.row {
            Some(_) => CompactFormatter.$event($($argument),*),
            None => $self.indented.$event($($argument),*),
        }
    };
}

impl Formatter for RowFormatter {
    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        if self.row.is_none() && self.around.last() == Some(&Container::Array) {
            self.row = Some(self.around.len());
        }
        self.around.push(Container::Array);
        forward!(self.begin_array(out))
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        forward!(self.end_array(out))?;
        self.around.pop();
        self.row = self.row.filter(|&start| self.around.len() > start);
        Ok(())
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        forward!(self.begin_array_value(out, first))
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        forward!(self.end_array_value(out))
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.around.push(Container::Object);
        forward!(self.begin_object(out))
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.around.pop();
        forward!(self.end_object(out))
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        forward!(self.begin_object_key(out, first))
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        forward!(self.begin_object_value(out))
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        forward!(self.end_object_value(out))
    }
}

/// The JSON schema of run records: the fields, their types and their meaning.
#[cfg(feature = "schema")]
pub fn run_record_schema() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<RunRecord>();
    schema.insert("title".into(), format!("A run of Sweepline ({})", RunRecord::FORMAT).into());
    schema.to_value()
}

/// Reads the record of a run.
///
/// # Errors
/// The text is not a run record, or has another version.
pub fn read_run_record(text: &[u8]) -> io::Result<RunRecord> {
    let record: RunRecord = serde_json::from_slice(text)?;
    match record.format == RunRecord::FORMAT {
        true => Ok(record),
        false => Err(io::Error::other(format!("expected {}, found {}", RunRecord::FORMAT, record.format))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn text(value: &Value) -> String {
        let mut out = Vec::new();
        write_json(value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_row_of_a_table_is_one_line() {
        let value =
            serde_json::json!({"b": [[1, "x"], [], [{"c": [2]}, [3, 4]]], "d": [5, {"e": []}], "f": {}});
        let expected = r#"{
  "b": [
    [1,"x"],
    [],
    [{"c":[2]},[3,4]]
  ],
  "d": [
    5,
    {
      "e": []
    }
  ],
  "f": {}
}
"#;
        assert_eq!(text(&value), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).unwrap(), value);
    }

    #[test]
    fn text_without_tables_is_indented_as_usual() {
        let value = serde_json::json!({"a": {"b": [{"c": null}, 1.5]}, "d": [true, ""]});
        assert_eq!(text(&value), serde_json::to_string_pretty(&value).unwrap() + "\n");
    }
}
