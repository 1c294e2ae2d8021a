//! `resume`: a run that continues from a checkpoint.
//!
//! A checkpoint holds the state of the search, the command line of the run, the folder in which it
//! was started, and checksums of the model, measure and property files. `resume` parses that
//! command line again, so that the run continues with its original options. Only limits and output
//! files may be replaced.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use engine::check::checkpoint::{CheckpointFolder, Checkpointing};
use engine::store::external::block::checksum;
use report::{Exit, Finding};
use serde::{Deserialize, Serialize};

use crate::check::{CheckRun, Task};
use crate::command_line::{Arguments, Command};
use crate::explain::codes;
use crate::input::model_file::ModelFile;
use crate::options::amounts::{duration, memory_size};
use crate::options::{OutputOptions, SearchOptions, is_standard_stream};
use crate::output::console::Console;
use crate::output::failure::Failure;

/// Default time between two checkpoints.
const EVERY: Duration = Duration::from_secs(300);

/// `sweepline resume`.
#[derive(Clone, Debug, Args)]
pub struct ResumeArguments {
    /// Folder that was given to --checkpoint
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// New hard memory limit for states
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub memory: Option<usize>,
    /// New directory for spilled states
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub disk: Option<PathBuf>,
    /// New limit on disk space for states
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub disk_limit: Option<usize>,
    /// Stop after this time, counted from now
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop after storing N states, including those before the checkpoint
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub state_limit: Option<u64>,
    /// Write the run record as JSON; - for stdout, which moves readable text to stderr
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write a report as a self-contained web page; - for stdout
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Print only the answers
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Print complete traces and more statistics
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// The run that a checkpoint belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invocation {
    /// Version of this program.
    version: String,
    /// The command line.
    arguments: Vec<String>,
    /// The folder in which it was started.
    folder: PathBuf,
    /// The files that the result depends on.
    inputs: Vec<InputFile>,
    /// Whether this process continues it.
    #[serde(skip)]
    resumes: bool,
}

impl Invocation {
    /// The first input that differs from the saved run.
    fn changed_input(&self, inputs: &[InputFile]) -> Option<String> {
        let differs = |index: &usize| self.inputs.get(*index) != inputs.get(*index);
        let index = (0..inputs.len().max(self.inputs.len())).find(differs)?;
        inputs.get(index).or(self.inputs.get(index)).map(|input| input.path.clone())
    }

    /// The run that this process was started for.
    pub fn of_process() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            arguments: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            folder: std::env::current_dir().unwrap_or_default(),
            inputs: Vec::new(),
            resumes: false,
        }
    }

    /// When and where to save the run, if the options ask for it.
    ///
    /// # Errors
    /// The folder has a checkpoint of another run, or the inputs have changed.
    pub fn checkpoints(&self, task: Task<'_>, file: &ModelFile) -> Result<Option<Checkpointing>, Finding> {
        let options = task.search();
        let Some(directory) = options.checkpoint.clone() else { return Ok(None) };
        if is_standard_stream(task.model()) {
            let help = "write the model to a file: `resume` must read it again";
            return Err(Finding::error(
                codes::ANOTHER_RUN,
                "a run on a model from stdin cannot be saved",
                help,
            ));
        }
        let inputs = InputFile::all(task, file);
        if let Some(changed) = self.changed_input(&inputs).filter(|_| self.resumes) {
            let message = format!("`{changed}` has changed since the checkpoint was made");
            let help =
                "run the original command again from the beginning, with another folder for checkpoints";
            return Err(Finding::error(codes::ANOTHER_RUN, message, help));
        }
        if !self.resumes && CheckpointFolder::new(&directory).is_used() {
            let message = format!("`{}` already has a checkpoint", directory.display());
            let help = format!(
                "`sweepline resume {}` continues it; for a new run, remove the folder or name another one",
                directory.display()
            );
            return Err(Finding::error(codes::CHECKPOINT_IN_USE, message, help));
        }
        let about = serde_json::to_string(&Self { inputs, ..self.clone() }).unwrap_or_default();
        let every = options.checkpoint_every.unwrap_or(EVERY);
        Ok(Some(Checkpointing { directory, every, about, resumes: self.resumes }))
    }
}

/// A file that the result of a run depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct InputFile {
    /// Its name, as the command line has it.
    path: String,
    /// Checksum of its content.
    checksum: u64,
}

impl InputFile {
    /// All files that a run depends on: the model, the measure, and the properties.
    fn all(task: Task<'_>, file: &ModelFile) -> Vec<Self> {
        let model = Self { path: file.path.clone(), checksum: checksum(file.text.as_bytes()) };
        let measure = task.search().measure.as_deref().and_then(|text| text.trim().strip_prefix('@'));
        let properties = task.properties().into_iter().flat_map(|asked| {
            [&asked.property_files, &asked.automata, &asked.services].into_iter().flatten()
        });
        let others = measure.into_iter().chain(properties.map(String::as_str));
        let content = |path: &str| std::fs::read(path).unwrap_or_default();
        let others = others.map(|path| Self { path: path.into(), checksum: checksum(&content(path)) });
        [model].into_iter().chain(others).collect()
    }
}

/// Continues a run from a checkpoint.
///
/// # Errors
/// There is none, or it cannot be used.
pub fn resume(arguments: &ResumeArguments, console: Console, start: Instant) -> Result<Exit, Failure> {
    let named = &arguments.folder;
    let unusable = |message: String| {
        let help = "name the folder that was given to --checkpoint";
        Finding::error(codes::NO_CHECKPOINT, message, help)
    };
    let folder = named
        .canonicalize()
        .map_err(|error| unusable(format!("`{}` cannot be opened: {error}", named.display())))?;
    let checkpoint = CheckpointFolder::new(&folder)
        .open()
        .map_err(|error| unusable(format!("`{}` has no usable checkpoint: {error}", named.display())))?;
    let another = |why: String| {
        let message = format!("the checkpoint in `{}` cannot be used: {why}", named.display());
        let help = "run the original command again, from the beginning";
        Finding::error(codes::ANOTHER_RUN, message, help)
    };
    let invocation: Invocation = serde_json::from_str(&checkpoint.about)
        .map_err(|_| another("it was not made by this program".into()))?;
    if invocation.version != env!("CARGO_PKG_VERSION") {
        return Err(another(format!("it was made by version {}", invocation.version)).into());
    }
    if let Some(why) = checkpoint.fallback {
        let message = format!("the last checkpoint is damaged ({why}); the one before it is used");
        let help = "states found since then will be explored again";
        console.report(&[Finding::warning(codes::OLDER_CHECKPOINT, message, help)]);
    }
    // Relative file names on each command line refer to the folder in which it was typed.
    let arguments = arguments.made_absolute();
    std::env::set_current_dir(&invocation.folder).map_err(|error| {
        another(format!(
            "the folder of the run, `{}`, cannot be entered: {error}",
            invocation.folder.display()
        ))
    })?;
    let mut command = Arguments::read_again(&invocation.arguments)
        .map_err(|_| another("this version does not understand its command line".into()))?;
    let invocation = Invocation { resumes: true, ..invocation };
    match &mut command {
        Command::Check(check) => {
            arguments.renew(&mut check.search, &mut check.output, &folder);
            Ok(CheckRun::new(Task::Check(check), console, start).of(invocation).run())
        }
        Command::Explore(explore) => {
            arguments.renew(&mut explore.search, &mut explore.output, &folder);
            Ok(CheckRun::new(Task::Explore(explore), console, start).of(invocation).run())
        }
        _ => Err(another("it is not a checkpoint of `check` or `explore`".into()).into()),
    }
}

impl ResumeArguments {
    /// The arguments with absolute file names.
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

    /// Replaces options of the original command line by those given now.
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
