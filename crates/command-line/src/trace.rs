//! `trace`: a saved trace, shown or converted by replaying it.
//!
//! The text in the file is not believed: what is shown is what the model does today. If that is no longer what the
//! file says, the model has changed, and this is the answer.

use std::path::{Path, PathBuf};

use report::{
    ComponentText, Exit, Finding, ItfTrace, Length, Steps, TraceFile, TraceKind, TraceRecord, TraceText,
};

use crate::arguments::{TraceArguments, is_standard_stream, same_file};
use crate::codes;
use crate::console::Console;
use crate::failure::Failure;
use crate::model_file::ModelFile;
use crate::options::{ModelOptions, TraceFormatChoice, ViewChoice};
use crate::output_file::{OutputFile, result_lost};
use crate::text_file::{LARGEST_TRACE, read_text};

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
        let help = "name a file with that model by --model";
        return Err(Finding::error(codes::MODEL_FROM_STDIN, message, help).into());
    }
    let path = arguments.model.clone().unwrap_or_else(|| find_model(&saved.model, &arguments.file));
    let constants: Vec<(String, i64)> = saved.constants.clone().into_iter().collect();
    let file = ModelFile::read(&path, &ModelOptions { constants, language: arguments.language })?;
    let replayed = saved.replay(&file.model.commands).map_err(|error| {
        let message = format!("the trace is not a run of `{}`: {error}", file.path);
        let help = "the model has changed since, or it is another one (--model names it): check it again";
        Finding::error(codes::NO_LONGER_A_RUN, message, help)
    })?;
    if let (Some(TraceFormatChoice::Itf), Some(out)) = (arguments.to, out) {
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
    let body = TraceText { trace: &trace, view: arguments.view.into(), length: Length::All };
    let mut text = format!("{} of `{}`{about}, replayed:\n\n{body}", Steps(trace.steps.len()), file.path);
    if let Some(component) = saved.component.as_ref().filter(|_| arguments.view != ViewChoice::None) {
        // A replay does not tell where one cannot go.
        text.push_str("\nAs saved, not replayed: ");
        text.push_str(&ComponentText { component, view: arguments.view.into() }.to_string());
    }
    console.print(&text).map_err(|error| lost(&error))?;
    Ok(Exit::Holds)
}

fn lost(error: &std::io::Error) -> Failure {
    Failure { exit: Exit::Unknown, findings: vec![result_lost("the trace", error)] }
}

/// Where the model probably is: as the trace says, or seen from where the trace lies.
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
