//! Options about the search: engine, measure, limits, checkpoints.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use engine::check::Reduction;
use engine::progress::finder::Prefer;
use sweepline::execution::Execution;
use sweepline::planning::{EngineRequest, UnguidedEngine, Window};

use super::amounts::{duration, memory_size};
use super::choice::{choice, default_name};

/// How to search, and when to stop.
#[derive(Debug, Default, Args)]
pub struct SearchOptions {
    /// Search algorithm
    #[arg(
        long,
        value_name = "ENGINE",
        value_parser = choice::<EngineRequest>(),
        default_value = default_name::<EngineRequest>(),
        help_heading = "How to search"
    )]
    pub engine: EngineRequest,
    /// Progress measure of a sweep: an expression, or a tuple `(a, b)`, most significant first
    ///
    /// `auto`, the default, is the measure that the model declares in a line `// progress: EXPR`.
    /// If there is none, Sweepline searches for a measure as `sweepline progress` does, and
    /// explores small models in full. `none` is no measure. `@FILE` reads the measure from a file.
    /// The name of a process alone is the number of its current state.
    #[arg(
        long,
        value_name = "EXPR|@FILE|auto|none",
        allow_hyphen_values = true,
        help_heading = "How to search"
    )]
    pub measure: Option<String>,
    /// Objective of the automatic measure search [default: balanced]
    #[arg(long, value_name = "OBJECTIVE", value_parser = choice::<Prefer>(), help_heading = "How to search")]
    pub prefer: Option<Prefer>,
    /// Random seed of the automatic measure search [default: 0]
    #[arg(long, value_name = "N", help_heading = "How to search")]
    pub seed: Option<u64>,
    /// Stop at the first regress edge, a step that decreases progress, and show it
    #[arg(long, help_heading = "How to search")]
    pub expect_monotone: bool,
    /// Let a sweep forget the initial state, too, as in the papers
    ///
    /// Reproduces their figures. By default the initial state is persistent.
    #[arg(long, help_heading = "How to search")]
    pub unpinned: bool,
    /// Keep layers whose progress (component K) is at most N below the maximum reached so far
    ///
    /// A regress edge into this window usually leads to a known state and then starts no new sweep.
    /// Temporal-logic properties ignore the window. An automatically found measure brings its own.
    #[arg(long, value_name = "N|K:N", value_parser = window, help_heading = "How to search")]
    pub window: Option<Window>,
    /// Number of threads [default: all processors that the process may use]
    ///
    /// Counts, verdicts and traces do not depend on it. Depth-first searches use one thread.
    #[arg(long, value_name = "N", help_heading = "How to search")]
    pub threads: Option<NonZero<usize>>,
    /// How to execute the model [default: compiled; interpreted for large explicit state spaces]
    #[arg(long, value_name = "HOW", value_parser = choice::<Execution>(), help_heading = "How to search")]
    pub execution: Option<Execution>,
    /// Partial-order reduction; state counts are then those of the reduced state space
    #[arg(
        long,
        value_name = "METHOD",
        value_parser = choice::<Reduction>(),
        default_value = default_name::<Reduction>(),
        help_heading = "How to search"
    )]
    pub reduction: Reduction,
    /// List all states without successors
    #[arg(long, help_heading = "Output")]
    pub terminal_states: bool,
    /// Hard memory limit for states, like 512MiB or 2GiB [default: four fifths of physical memory]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub memory: Option<usize>,
    /// Directory for spilled states and the trace log [default: the system's temporary directory]
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub disk: Option<PathBuf>,
    /// Limit on disk space for states, like 50GiB [default: all free space]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    pub disk_limit: Option<usize>,
    /// Priority queue on disk for states ahead of the front
    #[arg(long, value_name = "QUEUE", value_enum, default_value_t, hide = true)]
    pub queue: DiskQueue,
    /// Save the run to a folder periodically and when it stops; `sweepline resume DIR` continues it
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub checkpoint: Option<PathBuf>,
    /// Time between checkpoints [default: 5m]; SIGUSR1 requests one at once
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "checkpoint", help_heading = "Checkpoints")]
    pub checkpoint_every: Option<Duration>,
    /// Stop after this time, like 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop after storing N states, including those that a sweep has forgotten
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub state_limit: Option<u64>,
}

impl SearchOptions {
    /// Options that contradict each other, as a sentence.
    pub fn contradiction(&self) -> Option<&'static str> {
        let may_sweep = self.engine.may_sweep();
        let asked = self.measure.as_deref().map(str::trim);
        let has_measure = asked.is_some_and(|measure| measure != "none");
        let finds = may_sweep && asked.is_none_or(|measure| measure == "auto");
        if !finds && self.prefer.is_some() {
            Some(
                "--prefer is for the automatic measure search, which --measure or --engine turns off; drop it",
            )
        } else if !finds && self.seed.is_some() {
            Some("--seed is for the automatic measure search, which --measure or --engine turns off; drop it")
        } else if !may_sweep && has_measure {
            Some("--measure is for a sweep, and --engine selects another search; drop one of them")
        } else if !may_sweep && self.expect_monotone {
            Some("--expect-monotone is for a sweep, and --engine selects another search; drop one of them")
        } else if !may_sweep && self.window.is_some() {
            Some("--window is for a sweep, and --engine selects another search; drop one of them")
        } else if !may_sweep && self.unpinned {
            Some("--unpinned is for a sweep, and --engine selects another search; drop one of them")
        } else if self.checkpoint.is_some() && !self.can_be_saved() {
            Some("--checkpoint is for sweeps and breadth-first searches; choose another --engine")
        } else {
            None
        }
    }

    fn can_be_saved(&self) -> bool {
        use UnguidedEngine::{Depth, Partition};
        !matches!(self.engine, EngineRequest::Unguided(Depth | Partition))
    }
}

/// Priority queues on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DiskQueue {
    /// External radix heap
    #[default]
    Radix,
    /// External array heap of the paper, with its parameters
    Array,
}

/// Parses `N` or `K:N`.
fn window(text: &str) -> Result<Window, String> {
    let (component, reach) = text.split_once(':').unwrap_or(("1", text));
    match (component.parse(), reach.parse()) {
        (Ok(component), Ok(reach)) if component > 0 => Ok(Window { component, reach }),
        _ => Err("expected a number like 17, or a component and a number like 2:17".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_a_reach_with_an_optional_component() {
        assert_eq!(window("17"), Ok(Window { component: 1, reach: 17 }));
        assert_eq!(window("2:17"), Ok(Window { component: 2, reach: 17 }));
        for text in ["", "x", "0:3", "-1", "2:", ":3", "1:2:3"] {
            assert!(window(text).is_err(), "{text}");
        }
    }
}
