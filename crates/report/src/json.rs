//! The run record as JSON text, indented and with a line break at the end, so that it is readable
//! in a pager and in version control. The structure is that of [`RunRecord`].

use std::io::{self, Write};

use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

use crate::RunRecord;

/// Writes a record, of a run or of a trace.
///
/// # Errors
/// Errors of the writer.
pub fn write_json(record: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, record)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The JSON schema of run records: the fields, their types and their meaning.
pub fn run_record_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
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
