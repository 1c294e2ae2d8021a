//! The plan of a check: the engine and its settings.

use std::path::PathBuf;

use serde::Serialize;

use super::checkpoint::Checkpointing;
use super::subject::Subject;
use crate::explore::Phase;
use crate::explore::search::Limits;
use crate::explore::sweep::{InMemory, Initial, Nesting, OnRegress, Order, Retention, Spilling};
use crate::progress::ExpressionMeasure;
use crate::property::Property;
use crate::property::soundness::{SearchKind, Unsound, require_kept};
use crate::reduce::Kept;
use crate::store::ahead::QueueKind;
use crate::store::external::disk::Disk;

/// Most states ahead that [`Engine::SweepDisk`] holds in memory, and most persistent ones: a few
/// megabytes. With a quarter of that, runs on instances of some million states took a tenth to a
/// quarter longer.
const IN_MEMORY: usize = 200_000;

/// The search: the order in which states are visited, and where they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Engine {
    /// Breadth-first, all states in memory: shortest traces.
    #[default]
    Breadth,
    /// Depth-first, all states in memory.
    Depth,
    /// The sweep: by progress, one layer at a time. Layers behind the front are forgotten. States
    /// ahead spill to disk when memory is short.
    Sweep,
    /// The sweep with at most 200,000 states ahead in memory, and as many persistent ones. All
    /// others are on disk, even if there is more memory.
    SweepDisk,
    /// Breadth-first, all states on disk, with delayed duplicate detection: when a level is
    /// complete. Shortest traces.
    BreadthDisk,
    /// Partitioned search: all partitions but the active one are on disk. For state spaces that do
    /// not fit into memory and have no progress measure.
    Partition,
}

impl Engine {
    /// The engine's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Breadth => "breadth",
            Self::Depth => "depth",
            Self::Sweep => "sweep",
            Self::SweepDisk => "sweep-disk",
            Self::BreadthDisk => "breadth-disk",
            Self::Partition => "partition",
        }
    }

    /// Whether the engine follows a progress measure.
    pub fn is_sweep(self) -> bool {
        matches!(self, Self::Sweep | Self::SweepDisk)
    }
}

/// The use of the disk.
#[derive(Clone, Debug)]
pub struct DiskUse {
    /// The folder for files. The files have no names.
    pub directory: PathBuf,
    /// Most bytes of states in files.
    pub limit: u64,
    /// The kind of queue for states ahead that are in files.
    pub queue: QueueKind,
    /// Most states ahead, persistent states, and states of the current layer that are in memory,
    /// even if there is more of it.
    pub in_memory: usize,
    /// Whether [`Engine::Breadth`] continues on disk when memory is full. Otherwise it ends.
    pub breadth_goes_on: bool,
}

impl Default for DiskUse {
    fn default() -> Self {
        Self {
            directory: std::env::temp_dir(),
            limit: u64::MAX,
            queue: QueueKind::default(),
            in_memory: usize::MAX,
            breadth_goes_on: false,
        }
    }
}

/// The reaction to a run-time error of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum OnRuntimeError {
    /// Show the error and end.
    #[default]
    Stop,
    /// Leave out the erroneous step and explore the rest.
    GoOn,
}

/// The packing of states into bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Packing {
    /// Proved ranges, or observed ones where they save words.
    #[default]
    Auto,
    /// Proved ranges only.
    Proved,
    /// Observed ranges wherever they are smaller.
    Observed,
}

/// The choice between several traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceChoice {
    /// The trace that the search finds first.
    #[default]
    First,
    /// A shortest trace, if a second, breadth-first search finds it within the limits.
    Shortest,
}

/// Whether terminal states are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum TerminalList {
    /// Terminal states are only counted.
    #[default]
    Counted,
    /// All terminal states are listed.
    Listed,
}

/// The partial-order reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Reduction {
    /// All steps are taken.
    #[default]
    None,
    /// Only the steps of [stubborn sets](crate::reduce) are taken.
    Stubborn,
}

impl Reduction {
    /// The reduction's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stubborn => "stubborn",
        }
    }
}

/// The plan of a check.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The engine.
    pub engine: Engine,
    /// The progress measure of a sweep. Without one, all states are one layer. Models that are not
    /// guarded commands bring their own.
    pub measure: Option<ExpressionMeasure>,
    /// The treatment of initial states by a sweep.
    pub initial: Initial,
    /// The reaction of a sweep to a regress edge.
    pub on_regress: OnRegress,
    /// The parts of a progress value that are swept on their own. Ignored with a product measure.
    pub nesting: Nesting,
    /// How long a sweep remembers layers behind the front. Ignored where [`Order::Progress`] says
    /// so.
    pub retention: Retention,
    /// The partial-order reduction. Only for guarded commands, and not for every property: see
    /// [`soundness`](crate::property::soundness).
    pub reduction: Reduction,
    /// Limits at which the search stops.
    pub limits: Limits,
    /// The reaction to run-time errors.
    pub on_runtime_error: OnRuntimeError,
    /// Whether to explore all states even when all properties are decided.
    pub explore_all: bool,
    /// The packing of states.
    pub packing: Packing,
    /// The choice of traces.
    pub traces: TraceChoice,
    /// Whether terminal states are listed.
    pub terminal_states: TerminalList,
    /// Whether the run surveys the values and actions that occur, and the terminal strongly
    /// connected components.
    pub survey: bool,
    /// Whether the run records the states held layer by layer, and how often actions were taken.
    pub course: bool,
    /// The use of the disk: for the trace log, and for states that do not fit into memory.
    pub disk: DiskUse,
    /// Settings of checkpoints, if the run is to be saved.
    pub checkpoint: Option<Checkpointing>,
}

impl Plan {
    /// The phase of the run that its search is.
    pub(super) fn phase(&self) -> Phase<'_> {
        match (self.engine, &self.measure) {
            (Engine::Sweep | Engine::SweepDisk, Some(measure)) => Phase::Sweeping(measure),
            (Engine::Partition, _) => Phase::Partitioning,
            _ => Phase::Exploring,
        }
    }

    /// The kind of search that the plan selects for this model.
    pub(super) fn search_kind<M: Subject>(&self, model: &M) -> SearchKind {
        match self.engine {
            Engine::Depth => SearchKind::Depth,
            Engine::Partition => SearchKind::Partitions,
            Engine::Sweep | Engine::SweepDisk if model.has_measure() => SearchKind::Layers(Order::Progress {
                initial: self.initial,
                regress: self.on_regress,
                nesting: self.nesting,
                comparison: model.comparison(),
                retention: self.retention,
            }),
            Engine::Sweep | Engine::SweepDisk | Engine::Breadth | Engine::BreadthDisk => {
                SearchKind::Layers(Order::Constant)
            }
        }
    }

    /// Whether a sweep for these properties may remember layers behind the front. Where the check
    /// needs all steps, every target of a regress edge must be a persistent state.
    pub(super) fn may_remember<P>(&self, properties: &[Property<P>]) -> bool {
        let looks_at_steps =
            |one: &Property<P>| one.kind.needs_own_search() || one.kind.is_about_components();
        !self.survey && self.on_regress == OnRegress::Sweep && !properties.iter().any(looks_at_steps)
    }

    /// Refuses to decide these properties with a reduction that does not preserve them.
    pub(super) fn require_kept<P>(&self, properties: &[Property<P>]) -> Result<(), Unsound> {
        if self.reduction == Reduction::None {
            return Ok(());
        }
        // A reduction preserves all states without successors, so a list of them is complete.
        let is_list = self.terminal_states == TerminalList::Listed && !properties.is_empty();
        let is_about_all =
            (self.explore_all && !is_list) || self.survey || self.on_regress == OnRegress::Stop;
        if is_about_all { Err(Unsound::ReducedCounts) } else { require_kept(properties) }
    }

    /// Reduces the model, if the plan selects a reduction.
    pub(super) fn reduce<M: Subject>(&self, model: &mut M, kept: Kept) -> Result<(), Unsound> {
        match self.reduction {
            Reduction::Stubborn if !model.reduce(kept) => Err(Unsound::NotGuardedCommands),
            _ => Ok(()),
        }
    }

    /// The parts of the search that spill to disk, and when.
    pub(super) fn spilling(&self, disk: &Disk) -> Spilling {
        let few = if self.engine == Engine::SweepDisk { IN_MEMORY } else { usize::MAX };
        let most = self.disk.in_memory;
        Spilling {
            disk: disk.clone(),
            queue: self.disk.queue,
            most: InMemory { ahead: most.min(few), persistent: most.min(few), current: most },
            current_on_disk: self.engine == Engine::BreadthDisk,
            is_saved: self.checkpoint.is_some(),
        }
    }
}
