//! The options of `compare`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use engine::progress::finder::Prefer;
use sweepline::planning::EngineRequest;

use crate::options::amounts::{duration, memory_size};
use crate::options::{Choice, ModelOptions, SearchOptions, choice};

/// `sweepline compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// Model files; - for stdin
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub definitions: ModelOptions,
    /// Engines to compare; the first one is the reference
    #[arg(
        long,
        value_name = "ENGINE,...",
        value_parser = choice::<EngineRequest>(),
        value_delimiter = ',',
        default_value = "breadth,sweep,sweep-disk",
        help_heading = "How to search"
    )]
    pub engines: Vec<EngineRequest>,
    /// Progress measure of the engines that sweep, as for `explore`
    #[arg(long, value_name = "EXPR|@FILE|auto", allow_hyphen_values = true, help_heading = "How to search")]
    pub measure: Option<String>,
    /// Objective of the automatic measure search [default: balanced]
    #[arg(long, value_name = "OBJECTIVE", value_parser = choice::<Prefer>(), help_heading = "How to search")]
    pub prefer: Option<Prefer>,
    /// Random seed of the automatic measure search [default: 0]
    #[arg(long, value_name = "N", help_heading = "How to search")]
    pub seed: Option<u64>,
    /// Hard memory limit for the states of each engine [default: four fifths of physical memory]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub memory: Option<usize>,
    /// Directory for spilled states [default: the system's temporary directory]
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub disk: Option<PathBuf>,
    /// Stop each engine after this time, like 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Write the comparison as JSON; - for stdout, which moves the table to stderr
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write the comparison as CSV, one line per run; - for stdout, which moves the table to stderr
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,
}

impl CompareArguments {
    /// The search options of one engine's run. An engine that does not sweep gets no measure.
    pub fn search(&self, engine: EngineRequest) -> SearchOptions {
        let common = SearchOptions {
            engine,
            memory: self.memory,
            disk: self.disk.clone(),
            time_limit: self.time_limit,
            ..SearchOptions::default()
        };
        if !engine.may_sweep() {
            return common;
        }
        SearchOptions { measure: self.measure.clone(), prefer: self.prefer, seed: self.seed, ..common }
    }

    /// Options that contradict each other, as a sentence.
    pub fn contradiction(&self) -> Option<String> {
        if let Some(engine) = repeated(&self.engines) {
            let name = engine.option_name();
            return Some(format!("--engines names {name} more than once; each engine runs once on a model"));
        }
        if let Some(model) = repeated(&self.models) {
            return Some(format!("the model `{}` is named more than once; name it once", model.display()));
        }
        let sweeping = self.engines.iter().find(|engine| engine.may_sweep());
        let about_measures = [
            (self.measure.is_some(), "--measure"),
            (self.prefer.is_some(), "--prefer"),
            (self.seed.is_some(), "--seed"),
        ];
        match (sweeping, about_measures.iter().find(|(is_given, _)| *is_given)) {
            (Some(engine), _) => self.search(*engine).contradiction().map(Into::into),
            (None, Some((_, option))) => {
                Some(format!("{option} is for a sweep, and --engines names none; drop one of them"))
            }
            (None, None) => None,
        }
    }

    /// The files that the command writes, with the options that name them.
    pub fn written_files(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        vec![("--json", self.json.as_ref()), ("--csv", self.csv.as_ref())]
    }
}

/// The first element that is equal to an earlier one.
fn repeated<T: PartialEq>(list: &[T]) -> Option<&T> {
    list.iter().enumerate().find(|(at, one)| list[..*at].contains(one)).map(|(_, one)| one)
}
