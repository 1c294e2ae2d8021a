//! `report`: a run record as a web page.

use std::path::Path;

use report::{Exit, Finding, RunRecord, page};

use crate::arguments::{ReportArguments, is_standard_stream};
use crate::codes;
use crate::console::Console;
use crate::failure::Failure;
use crate::output_file::{OutputFile, result_lost};
use crate::text_file::read_text;

/// A record with all traces of a large run takes less.
const LARGEST_RECORD: u64 = 1 << 30;

/// Makes the page of a saved record.
///
/// # Errors
/// The file is no run record, or the page cannot be written.
pub fn make_page(arguments: &ReportArguments, console: Console) -> Result<Exit, Failure> {
    let record = read_record(&arguments.record)?;
    let default = || match is_standard_stream(&arguments.record) {
        true => "-".into(),
        false => arguments.record.with_extension("html"),
    };
    let path = arguments.html.clone().unwrap_or_else(default);
    let out = OutputFile::probe(&path)?;
    out.write(page(&record).as_bytes())
        .map_err(|error| Failure { exit: Exit::Unknown, findings: vec![result_lost("the page", &error)] })?;
    if !is_standard_stream(&path) {
        let written = console.print(&format!("{}\n", path.display()));
        written.map_err(|error| Failure {
            exit: Exit::Unknown,
            findings: vec![result_lost("the result", &error)],
        })?;
    }
    Ok(Exit::Holds)
}

fn read_record(path: &Path) -> Result<RunRecord, Finding> {
    let text = read_text(path, LARGEST_RECORD)?;
    let record: Result<RunRecord, _> = serde_json::from_str(&text);
    let name = path.display();
    match record {
        Ok(record) if record.format == RunRecord::FORMAT => Ok(record),
        Ok(record) => {
            let message =
                format!("{name} has the format `{}`, and not `{}`", record.format, RunRecord::FORMAT);
            let help = "make the record anew: `sweepline check MODEL --json FILE`";
            Err(Finding::error(codes::NO_RUN_RECORD, message, help))
        }
        Err(error) => {
            let message = format!("{name} is no run record: {error}");
            let help = "a run record is what `sweepline check MODEL --json FILE` writes";
            Err(Finding::error(codes::NO_RUN_RECORD, message, help))
        }
    }
}
