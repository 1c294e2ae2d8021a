//! The run record as JSON text: indented, with a line break at the end, so that it reads well in a pager and in a
//! version control system. The structure is that of [`RunRecord`]; there is no second description of it here.

use std::io::{self, Write};

use serde::Serialize;

#[cfg(doc)]
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
