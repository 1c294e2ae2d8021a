//! `trace`: shows or converts a saved trace by replaying it.
//!
//! The states in the file are not trusted: the model is executed again. If it does something else
//! than the file says, the model has changed, and that is an error.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use languages::Format;
use report::{
    ComponentText, Exit, Finding, ItfTrace, Length, Steps, TraceFile, TraceKind, TraceRecord, TraceText,
    TraceView,
};

use crate::explain::codes;
use crate::input::model_file::ModelFile;
use crate::input::text_file::{LARGEST_TRACE, read_text};
use crate::options::{ModelOptions, choice, default_name, is_standard_stream, same_file};
use crate::output::console::Console;
use crate::output::failure::Failure;
use crate::output::output_file::{OutputFile, result_lost};

/// `sweepline trace`.
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// Trace file, or - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Model file, if it is not where the trace says
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Language of the model [default: by the file name extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = choice::<&'static Format>())]
    pub language: Option<&'static Format>,
    /// What to show
    #[arg(
        long,
        value_name = "VIEW",
        value_parser = choice::<TraceView>(),
        default_value = default_name::<TraceView>()
    )]
    pub view: TraceView,
    /// Write the trace in a format of other tools instead of showing it
    #[arg(long, value_name = "FORMAT", value_enum, conflicts_with = "view")]
    pub to: Option<TraceFormat>,
    /// Output file of --to; - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-", requires = "to")]
    pub output: PathBuf,
}

/// Formats of converted traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// Informal Trace Format of Apalache and Quint: JSON with all states
    Itf,
}

/// Shows a saved trace, or writes it in another format.
///
/// # Errors
/// The input is bad, the trace does not replay, or the result cannot be written.
pub fn show(arguments: &TraceArguments, console: Console) -> Result<Exit, Failure> {
    let shown = arguments.file.display();
    let out = arguments.to.map(|_| OutputFile::probe(&arguments.output)).transpose()?;
    let text = read_text(&arguments.file, LARGEST_TRACE)?;
    let saved = TraceFile::read(&text).map_err(|error| {
        let help = "expected a file that --trace-out wrote";
        Finding::error(codes::NOT_A_TRACE, format!("`{shown}`: {error}"), help)
    })?;
    if arguments.model.is_none() && is_standard_stream(Path::new(&saved.model)) {
        let message = format!("`{shown}` is a trace of a model that came from stdin");
        let help = "name the file of that model by --model";
        return Err(Finding::error(codes::MODEL_FROM_STDIN, message, help).into());
    }
    let path = arguments.model.clone().unwrap_or_else(|| find_model(&saved.model, &arguments.file));
    let constants: Vec<(String, i64)> = saved.constants.clone().into_iter().collect();
    let file = ModelFile::read(&path, &ModelOptions { constants, language: arguments.language })?;
    let replayed = saved.replay(&file.model.commands).map_err(|error| {
        let message = format!("the trace is not a run of `{}`: {error}", file.path);
        let help = "the model has changed, or is the wrong one (--model names another): check it again";
        Finding::error(codes::NO_LONGER_A_RUN, message, help)
    })?;
    if let (Some(TraceFormat::Itf), Some(out)) = (arguments.to, out) {
        if [&arguments.file, &path].into_iter().any(|input| same_file(input, &arguments.output)) {
            let message = format!("--output would overwrite `{}`", arguments.output.display());
            return Err(Finding::error(codes::UNWRITABLE, message, "name another file").into());
        }
        let (commands, trace) = (&file.model.commands, replayed.trace());
        let (property, loop_start) = (saved.property.as_deref(), saved.loop_start);
        let itf = ItfTrace { model: &file.path, property, commands, trace, loop_start };
        out.write_by(|out| itf.write(out)).map_err(|error| lost(&error))?;
        return Ok(Exit::Holds);
    }
    let kind = if saved.loop_start.is_some() { TraceKind::Lasso } else { TraceKind::Finite };
    let trace = TraceRecord {
        kind,
        loop_start: saved.loop_start,
        ..TraceRecord::new(&file.model.commands, replayed.trace())
    };
    let about = saved.property.map_or(String::new(), |property| format!(" for `{property}`"));
    let body = TraceText { trace: &trace, view: arguments.view, length: Length::All };
    let mut text = format!("{} of `{}`{about}, replayed:\n\n{body}", Steps(trace.steps.len()), file.path);
    if let Some(component) = saved.component.as_ref().filter(|_| arguments.view != TraceView::None) {
        // A replay cannot show that a component has no exit.
        text.push_str("\nAs saved, not replayed: ");
        text.push_str(&ComponentText { component, view: arguments.view }.to_string());
    }
    console.print(&text).map_err(|error| lost(&error))?;
    Ok(Exit::Holds)
}

fn lost(error: &std::io::Error) -> Failure {
    Failure { exit: Exit::Unknown, findings: vec![result_lost("the trace", error)] }
}

/// The likely location of the model: as the trace says, or relative to the folder of the trace.
fn find_model(model: &str, trace: &Path) -> PathBuf {
    let as_given = PathBuf::from(model);
    let beside = trace.parent().unwrap_or(Path::new("")).to_path_buf();
    let name = as_given.file_name().map(|name| beside.join(name));
    let places = [Some(beside.join(&as_given)), name];
    if as_given.is_file() {
        return as_given;
    }
    places.into_iter().flatten().find(|place| place.is_file()).unwrap_or(as_given)
}
