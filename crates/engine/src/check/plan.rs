//! The plan of a check: the engine and its settings.

use std::path::PathBuf;

use serde::Serialize;

use super::checkpoint::Checkpointing;
use super::executable::Executable;
use crate::explore::Phase;
use crate::explore::search::Limits;
use crate::explore::sweep::{InMemory, Initial, Nesting, OnRegress, Order, Retention, Spilling, Threads};
use crate::progress::ExpressionMeasure;
use crate::property::Property;
use crate::property::soundness::{SearchKind, Unsound, require_kept};
use crate::reduce::Kept;
use crate::store::ahead::QueueKind;
use crate::store::external::disk::Disk;
use crate::verdict::trace_log::TraceLog;

/// Most states ahead that [`Engine::SweepDisk`] holds in memory, and most persistent ones: a few
/// megabytes. With a quarter of that, runs on instances of some million states took a tenth to a
/// quarter longer.
const IN_MEMORY: usize = 200_000;

/// The name of a search: the order in which states are visited, and where they are stored.
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

/// The search, with everything that only this kind of search has.
#[derive(Clone, Debug)]
pub enum SearchPlan {
    /// [`Engine::Breadth`].
    Breadth(WhenFull),
    /// [`Engine::Breadth`], until the [monitor](crate::explore::Monitor) proposes a measure: then
    /// [`Engine::Sweep`], without a restart. Ends when memory is full, unless the run is saved.
    Adaptive,
    /// [`Engine::Depth`].
    Depth,
    /// [`Engine::Sweep`] or [`Engine::SweepDisk`].
    Sweep(SweepPlan),
    /// [`Engine::BreadthDisk`].
    BreadthDisk,
    /// [`Engine::Partition`].
    Partition,
}

/// The reaction of breadth-first search to full memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum WhenFull {
    /// The search ends.
    #[default]
    Stop,
    /// The search spills its states to disk and continues.
    Spill,
}

/// The settings of a sweep.
#[derive(Clone, Debug, Default)]
pub struct SweepPlan {
    /// The progress measure. Without one, guarded commands are one layer. Models of other kinds
    /// bring their own.
    pub measure: Option<ExpressionMeasure>,
    /// The treatment of initial states.
    pub initial: Initial,
    /// The reaction to a regress edge.
    pub on_regress: OnRegress,
    /// The parts of a progress value that are swept on their own. Ignored with a product measure.
    pub nesting: Nesting,
    /// How long layers behind the front are remembered. Ignored where [`Order::Progress`] says so.
    pub retention: Retention,
    /// Where states wait that are not in the current layer.
    pub storage: SweepStorage,
}

/// Where a sweep keeps states ahead of the current layer, and persistent states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum SweepStorage {
    /// In memory. They spill to disk when memory is short.
    #[default]
    Memory,
    /// On disk, apart from 200,000 of each.
    Disk,
}

impl Default for SearchPlan {
    fn default() -> Self {
        Self::Breadth(WhenFull::default())
    }
}

/// The search of this name, with default settings.
impl From<Engine> for SearchPlan {
    fn from(engine: Engine) -> Self {
        Self::with_measure(engine, None)
    }
}

impl From<SweepPlan> for SearchPlan {
    fn from(sweep: SweepPlan) -> Self {
        Self::Sweep(sweep)
    }
}

impl SearchPlan {
    /// The search of this name. If it is a sweep, it follows this measure.
    pub fn with_measure(engine: Engine, measure: Option<ExpressionMeasure>) -> Self {
        let sweep = |storage| Self::Sweep(SweepPlan { measure, storage, ..SweepPlan::default() });
        match engine {
            Engine::Breadth => Self::default(),
            Engine::Depth => Self::Depth,
            Engine::Sweep => sweep(SweepStorage::Memory),
            Engine::SweepDisk => sweep(SweepStorage::Disk),
            Engine::BreadthDisk => Self::BreadthDisk,
            Engine::Partition => Self::Partition,
        }
    }

    /// The name of the search.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Breadth(_) | Self::Adaptive => Engine::Breadth,
            Self::Depth => Engine::Depth,
            Self::Sweep(SweepPlan { storage: SweepStorage::Memory, .. }) => Engine::Sweep,
            Self::Sweep(SweepPlan { storage: SweepStorage::Disk, .. }) => Engine::SweepDisk,
            Self::BreadthDisk => Engine::BreadthDisk,
            Self::Partition => Engine::Partition,
        }
    }

    /// The settings of the sweep, if the search is one.
    pub fn sweep(&self) -> Option<&SweepPlan> {
        match self {
            Self::Sweep(sweep) => Some(sweep),
            _ => None,
        }
    }

    /// The progress measure of the sweep, if the search is one and the plan names a measure.
    pub fn measure(&self) -> Option<&ExpressionMeasure> {
        self.sweep()?.measure.as_ref()
    }

    /// The reaction to regress edges. A search that follows no measure has none.
    pub fn on_regress(&self) -> OnRegress {
        self.sweep().map_or(OnRegress::Sweep, |sweep| sweep.on_regress)
    }

    /// The same search. If it is a sweep, with these changes to its settings.
    pub(crate) fn changed(&self, change: impl FnOnce(&mut SweepPlan)) -> Self {
        let mut plan = self.clone();
        if let Self::Sweep(sweep) = &mut plan {
            change(sweep);
        }
        plan
    }

    /// The kind of search that this is for the model.
    pub(super) fn kind<M: Executable>(&self, model: &M) -> SearchKind {
        match (self, model.progress()) {
            (Self::Depth, _) => SearchKind::Depth,
            (Self::Partition, _) => SearchKind::Partitions,
            (Self::Sweep(sweep), Some(progress)) => SearchKind::Layers(Order::Progress {
                initial: sweep.initial,
                regress: sweep.on_regress,
                nesting: sweep.nesting,
                comparison: progress.comparison,
                retention: sweep.retention,
            }),
            (Self::Sweep(_) | Self::Breadth(_) | Self::Adaptive | Self::BreadthDisk, _) => {
                SearchKind::Layers(Order::Constant)
            }
        }
    }

    /// The phase of the run that the search is.
    pub(super) fn phase(&self) -> Phase<'_> {
        match (self, self.measure()) {
            (_, Some(measure)) => Phase::Sweeping(measure),
            (Self::Partition, None) => Phase::Partitioning,
            (_, None) => Phase::Exploring,
        }
    }
}

/// The use of the disk.
#[derive(Clone, Debug)]
pub struct DiskUse {
    /// The folder for files, which have no names. `None` is the system's folder for temporary files.
    pub directory: Option<PathBuf>,
    /// Most bytes of states in files.
    pub limit: u64,
    /// The kind of queue for states ahead that are in files.
    pub queue: QueueKind,
    /// Most states ahead, persistent states, and states of the current layer that are in memory,
    /// even if there is more of it.
    pub in_memory: usize,
}

impl Default for DiskUse {
    fn default() -> Self {
        Self { directory: None, limit: u64::MAX, queue: QueueKind::default(), in_memory: usize::MAX }
    }
}

impl DiskUse {
    /// The folder for files.
    pub(super) fn folder(&self) -> PathBuf {
        self.directory.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// A disk with this folder and limit. It holds nothing yet.
    pub(super) fn disk(&self) -> Disk {
        Disk::new(&self.folder(), self.limit)
    }

    /// An empty trace log in the folder.
    pub(super) fn trace_log(&self) -> TraceLog {
        TraceLog::new(self.folder())
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
    /// Only the steps of [stubborn sets](crate::reduce) are taken. If a
    /// [sample](crate::reduce::gain) shows that they leave out next to nothing, all steps are taken.
    Stubborn,
    /// Only the steps of stubborn sets are taken, whether that pays or not.
    StubbornAlways,
}

impl Reduction {
    /// The reduction's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stubborn => "stubborn",
            Self::StubbornAlways => "stubborn-always",
        }
    }
}

/// The plan of a check.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The search.
    pub search: SearchPlan,
    /// The partial-order reduction. Only for guarded commands, and not for every property: see
    /// [`soundness`](crate::property::soundness).
    pub reduction: Reduction,
    /// Number of threads that share the work of a search. Depth-first searches use one.
    pub threads: Threads,
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
    /// Whether a sweep for these properties may remember layers behind the front. Where the check
    /// needs all steps, every target of a regress edge must be a persistent state.
    pub(super) fn may_remember<P>(&self, properties: &[Property<P>]) -> bool {
        let looks_at_steps =
            |one: &Property<P>| one.kind.needs_own_search() || one.kind.is_about_components();
        !self.survey && self.search.on_regress() == OnRegress::Sweep && !properties.iter().any(looks_at_steps)
    }

    /// Refuses to decide these properties with a reduction that does not preserve them.
    pub(super) fn require_kept<P>(&self, properties: &[Property<P>]) -> Result<(), Unsound> {
        if self.reduction == Reduction::None {
            return Ok(());
        }
        // A reduction preserves all states without successors, so a list of them is complete.
        let is_list = self.terminal_states == TerminalList::Listed && !properties.is_empty();
        let is_about_all =
            (self.explore_all && !is_list) || self.survey || self.search.on_regress() == OnRegress::Stop;
        if is_about_all { Err(Unsound::ReducedCounts) } else { require_kept(properties) }
    }

    /// Reduces the model, if the plan selects a reduction.
    pub(super) fn reduce<M: Executable>(&self, model: &mut M, kept: Kept) -> Result<(), Unsound> {
        let can_be_reduced = match self.reduction {
            Reduction::None => true,
            Reduction::Stubborn => model.reduce(kept, true),
            Reduction::StubbornAlways => model.reduce(kept, false),
        };
        if can_be_reduced { Ok(()) } else { Err(Unsound::NotGuardedCommands) }
    }

    /// The parts of the search that spill to disk, and when.
    pub(super) fn spilling(&self, disk: &Disk) -> Spilling {
        let few = match &self.search {
            SearchPlan::Sweep(SweepPlan { storage: SweepStorage::Disk, .. }) => IN_MEMORY,
            _ => usize::MAX,
        };
        let most = self.disk.in_memory;
        Spilling {
            disk: disk.clone(),
            queue: self.disk.queue,
            most: InMemory { ahead: most.min(few), persistent: most.min(few), current: most },
            current_on_disk: matches!(self.search, SearchPlan::BreadthDisk),
            is_saved: self.checkpoint.is_some(),
        }
    }
}
