//! `report`: makes a web page from a run record.

use std::path::{Path, PathBuf};

use clap::Args;
use report::{Exit, Finding, RunRecord, page};

use crate::explain::codes;
use crate::input::text_file::read_text;
use crate::options::is_standard_stream;
use crate::output::console::Console;
use crate::output::failure::Failure;
use crate::output::output_file::{OutputFile, result_lost};

/// `sweepline report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Run record that --json wrote, or - for stdin
    #[arg(value_name = "RUN")]
    pub record: PathBuf,
    /// Output file, or - for stdout [default: the name of the record with the extension `.html`]
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

impl ReportArguments {
    /// The files that the command writes, with the options that name them.
    pub fn written_files(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        vec![("--html", self.html.as_ref())]
    }
}

/// Greatest size of a run record, in bytes. A record with all traces of a large run is smaller.
const LARGEST_RECORD: u64 = 1 << 30;

/// Makes the page of a saved record.
///
/// # Errors
/// The file is not a run record, or the page cannot be written.
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
                format!("{name} has the format `{}`; expected `{}`", record.format, RunRecord::FORMAT);
            let help = "write the record again: `sweepline check MODEL --json FILE`";
            Err(Finding::error(codes::NO_RUN_RECORD, message, help))
        }
        Err(error) => {
            let message = format!("{name} is not a run record: {error}");
            let help = "a run record is what `sweepline check MODEL --json FILE` writes";
            Err(Finding::error(codes::NO_RUN_RECORD, message, help))
        }
    }
}
