//! Checkpoints and `resume`: what a run leaves behind for whoever goes on with it.
//!
//! With the search, a checkpoint keeps the command line of the run, the folder it was started in, and a checksum of its model. `resume` reads
//! the command line again, so that the run goes on as it was asked for; only limits and where results go may be named anew.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::check::checkpoint::{CheckpointFolder, Checkpointing};
use engine::store::external::block::checksum;
use report::{Exit, Finding};
use serde::{Deserialize, Serialize};

use crate::arguments::{Arguments, Command, ResumeArguments, is_standard_stream};
use crate::codes;
use crate::console::Console;
use crate::exploration::Exploration;
use crate::failure::Failure;
use crate::model_file::ModelFile;
use crate::options::{OutputOptions, SearchOptions};

/// Time between two checkpoints, if nobody says another one.
const EVERY: Duration = Duration::from_secs(300);

/// The run that a checkpoint is of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invocation {
    /// Of this program.
    version: String,
    /// The command line.
    arguments: Vec<String>,
    /// Where it was started.
    folder: PathBuf,
    /// A checksum of the model and of a measure that is in a file.
    inputs: Option<u64>,
    /// Whether this is it again.
    #[serde(skip)]
    resumes: bool,
}

impl Invocation {
    /// The run that this process was started for.
    pub fn of_process() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            arguments: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            folder: std::env::current_dir().unwrap_or_default(),
            inputs: None,
            resumes: false,
        }
    }

    /// When and where the run is saved, if the options want it.
    ///
    /// # Errors
    /// The folder has a checkpoint of another run, or what was saved is not this run.
    pub fn checkpoints(
        &self,
        options: &SearchOptions,
        model: &Path,
        file: &ModelFile,
    ) -> Result<Option<Checkpointing>, Finding> {
        let Some(directory) = options.checkpoint.clone() else { return Ok(None) };
        if is_standard_stream(model) {
            let help = "write the model to a file: who goes on has to read it again";
            return Err(Finding::error(codes::ANOTHER_RUN, "a model from stdin cannot be saved", help));
        }
        let inputs = Some(inputs(options, file));
        if self.resumes && self.inputs != inputs {
            let message = format!("`{}` is not what it was when the checkpoint was made", file.path);
            let help = "run the command again from the beginning, with another folder for checkpoints";
            return Err(Finding::error(codes::ANOTHER_RUN, message, help));
        }
        if !self.resumes && CheckpointFolder::new(&directory).is_used() {
            let message = format!("`{}` has a checkpoint already", directory.display());
            let help = format!(
                "`sweepline resume {}` goes on from it; for a new run, remove it or name another folder",
                directory.display()
            );
            return Err(Finding::error(codes::CHECKPOINT_IN_USE, message, help));
        }
        let about = serde_json::to_string(&Self { inputs, ..self.clone() }).unwrap_or_default();
        let every = options.checkpoint_every.unwrap_or(EVERY);
        Ok(Some(Checkpointing { directory, every, about, resumes: self.resumes }))
    }
}

/// What the run depends on besides its command line.
fn inputs(options: &SearchOptions, file: &ModelFile) -> u64 {
    let measure = options.measure.as_deref().and_then(|measure| measure.trim().strip_prefix('@'));
    let measure = measure.and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    checksum(file.text.as_bytes()) ^ checksum(&measure).rotate_left(1)
}

/// Goes on from a checkpoint.
///
/// # Errors
/// There is none, or it cannot be used here.
pub fn resume(arguments: &ResumeArguments, console: Console) -> Result<Exit, Failure> {
    let named = &arguments.folder;
    let unusable = |message: String| {
        let help = "name the folder that was given to --checkpoint";
        Finding::error(codes::NO_CHECKPOINT, message, help)
    };
    let folder = named
        .canonicalize()
        .map_err(|error| unusable(format!("`{}` cannot be opened: {error}", named.display())))?;
    let checkpoint = CheckpointFolder::new(&folder).open().map_err(|error| {
        unusable(format!("`{}` has no checkpoint that can be used: {error}", named.display()))
    })?;
    let another = |why: String| {
        let message = format!("the checkpoint in `{}` cannot be used here: {why}", named.display());
        let help = "run the command that made it again, from the beginning";
        Finding::error(codes::ANOTHER_RUN, message, help)
    };
    let invocation: Invocation = serde_json::from_str(&checkpoint.about)
        .map_err(|_| another("it was not made by this program's command line".into()))?;
    if invocation.version != env!("CARGO_PKG_VERSION") {
        return Err(another(format!("it was made by version {}", invocation.version)).into());
    }
    if let Some(why) = checkpoint.fallback {
        let message = format!("the last checkpoint cannot be used ({why}); the one before it can");
        let help = "what was found since then will be found again";
        console.report(&[Finding::warning(codes::OLDER_CHECKPOINT, message, help)]);
    }
    // Names on the two command lines mean what they meant where each was written.
    let arguments = arguments.made_absolute();
    std::env::set_current_dir(&invocation.folder).map_err(|error| {
        another(format!("its folder `{}` cannot be entered: {error}", invocation.folder.display()))
    })?;
    let mut command = Arguments::read_again(&invocation.arguments)
        .map_err(|_| another("its command line is not understood".into()))?;
    let invocation = Invocation { resumes: true, ..invocation };
    match &mut command {
        Command::Check(check) => {
            arguments.renew(&mut check.search, &mut check.output, &folder);
            Ok(Exploration::check(check, console).of(invocation).run())
        }
        Command::Explore(explore) => {
            arguments.renew(&mut explore.search, &mut explore.output, &folder);
            Ok(Exploration::explore(explore, console).of(invocation).run())
        }
        _ => Err(another("it is of another command".into()).into()),
    }
}

impl ResumeArguments {
    fn made_absolute(&self) -> Self {
        let absolute = |path: &PathBuf| match is_standard_stream(path) {
            true => path.clone(),
            false => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        };
        Self {
            json: self.json.as_ref().map(absolute),
            html: self.html.as_ref().map(absolute),
            disk: self.disk.as_ref().map(absolute),
            ..self.clone()
        }
    }

    /// What is said now counts instead of what was said then.
    fn renew(&self, search: &mut SearchOptions, output: &mut OutputOptions, folder: &Path) {
        let Self { folder: _, memory, disk, disk_limit, time_limit, state_limit, .. } = self;
        let Self { json, html, quiet, verbose, .. } = self;
        search.checkpoint = Some(folder.to_owned());
        search.memory = memory.or(search.memory);
        search.disk = disk.clone().or(search.disk.take());
        search.disk_limit = disk_limit.or(search.disk_limit);
        search.time_limit = time_limit.or(search.time_limit);
        search.state_limit = state_limit.or(search.state_limit);
        output.json = json.clone().or(output.json.take());
        output.html = html.clone().or(output.html.take());
        if *quiet || *verbose {
            (output.quiet, output.verbose) = (*quiet, *verbose);
        }
    }
}
