//! The run record as JSON text: indented, with a line break at the end, so that it reads well in a pager and in a
//! version control system. The structure is that of [`RunRecord`]; there is no second description of it here.

use std::io::{self, Write};

use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

use crate::RunRecord;

/// Writes a record, of a run or of a trace.
///
/// # Errors
/// What the writer says.
pub fn write_json(record: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, record)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The schema of run records, for programs that read them: all fields that are always there, and what they mean.
pub fn run_record_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<RunRecord>();
    schema.insert("title".into(), format!("A run of Sweepline ({})", RunRecord::FORMAT).into());
    schema.to_value()
}

/// Reads the record of a run.
///
/// # Errors
/// The text is none, or of another version.
pub fn read_run_record(text: &[u8]) -> io::Result<RunRecord> {
    let record: RunRecord = serde_json::from_slice(text)?;
    match record.format == RunRecord::FORMAT {
        true => Ok(record),
        false => Err(io::Error::other(format!("expected {}, found {}", RunRecord::FORMAT, record.format))),
    }
}
