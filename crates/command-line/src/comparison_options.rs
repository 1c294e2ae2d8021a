//! The command line of `compare`: which models, which engines, within which limits.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::amounts::{duration, memory_size};
use crate::arguments::same_file;
use crate::options::{EngineChoice, ModelOptions, PreferChoice, SearchOptions, option_name};

/// `sweepline compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The model files; - for stdin
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub definitions: ModelOptions,
    /// What to compare; the others are measured by the first one
    #[arg(
        long,
        value_name = "ENGINE,...",
        value_enum,
        value_delimiter = ',',
        default_value = "breadth,sweep,sweep-disk",
        help_heading = "How to search"
    )]
    pub engines: Vec<EngineChoice>,
    /// What progress is, for the engines that sweep; as for `explore`
    #[arg(long, value_name = "EXPR|@FILE|auto", allow_hyphen_values = true, help_heading = "How to search")]
    pub measure: Option<String>,
    /// What a measure that is looked for is to save [default: balanced]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "How to search")]
    pub prefer: Option<PreferChoice>,
    /// Where the random choices of the search for a measure begin [default: 0]
    #[arg(long, value_name = "N", help_heading = "How to search")]
    pub seed: Option<u64>,
    /// Memory for states, for each engine [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub memory: Option<usize>,
    /// Where to keep states for which there is no room [default: the directory for temporary files]
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub disk: Option<PathBuf>,
    /// Stop each engine after this time, like 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Write the figures as JSON; - for stdout, which moves the table to stderr
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write the figures as CSV, one line a run; - for stdout, which moves the table to stderr
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,
}

impl CompareArguments {
    /// The options of one engine's run: of those about measures, the ones that it understands.
    pub fn search(&self, engine: EngineChoice) -> SearchOptions {
        let common = SearchOptions {
            engine,
            memory: self.memory,
            disk: self.disk.clone(),
            time_limit: self.time_limit,
            ..SearchOptions::default()
        };
        if !engine.has_layers() {
            return common;
        }
        SearchOptions { measure: self.measure.clone(), prefer: self.prefer, seed: self.seed, ..common }
    }

    /// What contradicts each other, as a sentence.
    pub fn contradiction(&self) -> Option<String> {
        if let Some(engine) = repeated(&self.engines) {
            let name = option_name(*engine);
            return Some(format!("--engines names {name} more than once; each engine runs once on a model"));
        }
        if let Some(model) = repeated(&self.models) {
            return Some(format!("the model `{}` is named more than once; once is enough", model.display()));
        }
        let sweeping = self.engines.iter().find(|engine| engine.has_layers());
        let about_measures = [
            (self.measure.is_some(), "--measure"),
            (self.prefer.is_some(), "--prefer"),
            (self.seed.is_some(), "--seed"),
        ];
        match (sweeping, about_measures.iter().find(|(given, _)| *given)) {
            (Some(engine), _) => {
                if let Some(message) = self.search(*engine).contradiction() {
                    return Some(message.into());
                }
            }
            (None, Some((_, option))) => {
                return Some(format!("{option} is for a sweep, and --engines names none; leave one out"));
            }
            (None, None) => {}
        }
        self.clash()
    }

    /// Files that would overwrite each other.
    fn clash(&self) -> Option<String> {
        if let (Some(json), Some(csv)) = (&self.json, &self.csv)
            && (json == csv || same_file(json, csv))
        {
            return Some("--json and --csv would write to the same place; name two different files".into());
        }
        let outputs = [("--json", &self.json), ("--csv", &self.csv)];
        let overwrites = |file: &PathBuf| self.models.iter().any(|model| same_file(model, file));
        let (option, _) = outputs.into_iter().find(|(_, file)| file.as_ref().is_some_and(overwrites))?;
        Some(format!("{option} would overwrite a model; name another file"))
    }
}

/// The first element that was there before.
fn repeated<T: PartialEq>(list: &[T]) -> Option<&T> {
    list.iter().enumerate().find(|(at, one)| list[..*at].contains(one)).map(|(_, one)| one)
}
