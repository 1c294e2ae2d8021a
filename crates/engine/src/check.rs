//! From a model, properties and a plan to verdicts.
//!
//! [`check`] chooses a layout, has the model made executable, runs the search, and deals with what a search cannot
//! deal with itself: a value that outgrows its field (a wider layout, and on from where it was), a run-time error of the
//! model, and traces, which are replayed on the interpreter and tested against the property before anyone sees them.
//!
//! [`check_subject`] does the same for any [`Subject`]: guarded commands are one kind of model, plain Rust types are another.

mod automatic;
pub mod checkpoint;
mod commands;
mod ctl;
mod each;
mod linear;
mod linear_on_graph;
mod nested_depth;
mod observed_search;
mod product;
mod run;
mod service;
mod subject;

use std::io;
use std::path::PathBuf;

use crate::explore::depth::DepthSearch;
use crate::explore::partition::PartitionSearch;
use crate::explore::search::Limits;
use crate::explore::sweep::{InMemory, Initial, Nesting, OnRegress, Order, Retention, Spilling, SweepSearch};
use crate::explore::{Counters, Course, Monitor, Phase, SearchEnd, StopReason};
use crate::progress::ExpressionMeasure;
use crate::property::soundness::{SearchKind, Unsound, needs_monotone, require_kept, require_sound};
use crate::property::survey::Surveyed;
use crate::property::{Property, predicates};
use crate::reduce::Kept;
use crate::store::ahead::QueueKind;
use crate::store::external::disk::{Disk, IoCounts};
use crate::store::layer::LayerFull;
use crate::store::saved::Loader;
use crate::verdict::replay::{ReplayError, ReplayedTrace};
use crate::verdict::{Evidence, Length, Verdict};
use model::guarded_commands::{ActionId, GuardedCommands};
use model::interpreter::RuntimeError;
use model::transition_system::{Execution, ExecutionError, MAX_ACTIONS, MAX_PREDICATES};

pub use automatic::{
    Attempt, AttemptEnd, Automatic, MeasureSearch, check_automatically, find_measures, judge_measure,
};
pub use commands::CommandsSubject;
pub use ctl::{CtlOutcome, CtlOutcomeOf, CtlWitness, GraphSummary, check_ctl, record_graph};
pub use each::{check_alone, check_each};
pub use subject::{Expanded, Subject, Translation};

use checkpoint::{CheckpointFolder, Checkpointing};
use run::Run;

/// States ahead that [`Engine::SweepDisk`] has in memory at the most, and as many persistent ones: a few megabytes. With a quarter of that, runs on instances of some million
/// states took a tenth to a quarter longer.
const IN_MEMORY: usize = 200_000;

/// In which order states are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Breadth-first, everything in memory: shortest traces.
    #[default]
    Breadth,
    /// Depth-first, everything in memory.
    Depth,
    /// By progress, one layer at a time, and what lies behind is forgotten. What lies ahead goes to disk when there is no room.
    Sweep,
    /// The same, and all but some hundred thousand of the states that lie ahead, and of persistent ones, are on disk, however much memory there is.
    SweepDisk,
    /// Breadth-first, all states on disk: duplicates are found when a level is complete. Shortest traces.
    BreadthDisk,
    /// Partition by partition, and those that are not at work are on disk: for what fits into no memory and has no progress.
    Partition,
}

impl Engine {
    /// What it is called.
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

    /// Whether it follows progress.
    pub fn is_sweep(self) -> bool {
        matches!(self, Self::Sweep | Self::SweepDisk)
    }
}

/// What may go to disk.
#[derive(Clone, Debug)]
pub struct DiskUse {
    /// Where files are. They have no names.
    pub directory: PathBuf,
    /// Bytes of states in files at the most.
    pub limit: u64,
    /// What states that lie ahead are in there.
    pub queue: QueueKind,
    /// States ahead, persistent ones, and those of the current layer, that are in memory at the most, however much of it there is.
    pub in_memory: usize,
    /// Whether [`Engine::Breadth`] goes on there when memory is full. Otherwise it ends.
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

/// What to do when the model has a run-time error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnRuntimeError {
    /// Show it and end.
    #[default]
    Stop,
    /// Leave out the erroneous step and explore the rest.
    GoOn,
}

/// How states are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// Proved ranges, or observed ones where they save words.
    #[default]
    Auto,
    /// Proved ranges only.
    Proved,
    /// Observed ranges wherever they are smaller.
    Observed,
}

/// Which of several traces is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceChoice {
    /// The one that the search finds first.
    #[default]
    First,
    /// A shortest one, if a second, breadth-first search finds it within the limits.
    Shortest,
}

/// Whether terminal states are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalList {
    /// They are only counted.
    #[default]
    Counted,
    /// All of them are listed.
    Listed,
}

/// Whether steps are left out that are not needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// All steps are taken.
    #[default]
    None,
    /// Those of [stubborn sets](crate::reduce) are.
    Stubborn,
}

impl Reduction {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stubborn => "stubborn",
        }
    }
}

/// How a model is to be checked.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The search.
    pub engine: Engine,
    /// What progress is, for the sweep. Without it, all states are one layer. Models that are no guarded commands
    /// bring their own.
    pub measure: Option<ExpressionMeasure>,
    /// What a sweep does with initial states.
    pub initial: Initial,
    /// What a sweep does when progress falls.
    pub on_regress: OnRegress,
    /// Which parts of a progress value are swept on their own. Ignored with a product measure.
    pub nesting: Nesting,
    /// How long a sweep remembers what lies behind. Ignored where [`Order::Progress`] says so.
    pub retention: Retention,
    /// Which steps are left out. Only of guarded commands, and not with every question: see [`soundness`](crate::property::soundness).
    pub reduction: Reduction,
    /// When to stop.
    pub limits: Limits,
    /// What to do about run-time errors.
    pub on_runtime_error: OnRuntimeError,
    /// Whether to explore all states even when all properties are decided.
    pub explore_all: bool,
    /// How states are packed.
    pub packing: Packing,
    /// Which trace is shown.
    pub traces: TraceChoice,
    /// Whether terminal states are listed.
    pub terminal_states: TerminalList,
    /// Whether values and actions that occur are told, and where runs end up.
    pub survey: bool,
    /// Whether it is told what was held layer by layer, and how often actions were taken.
    pub course: bool,
    /// What may go to disk: the trace log, and states that a sweep has no room for.
    pub disk: DiskUse,
    /// When the run is saved, if it is.
    pub checkpoint: Option<Checkpointing>,
}

impl Plan {
    /// What the search does.
    fn phase(&self) -> Phase<'_> {
        match (self.engine, &self.measure) {
            (Engine::Sweep | Engine::SweepDisk, Some(measure)) => Phase::Sweeping(measure),
            (Engine::Partition, _) => Phase::Partitioning,
            _ => Phase::Exploring,
        }
    }

    /// What must be the same for a run to go on from a checkpoint.
    fn fingerprint(&self) -> String {
        let Self { engine, measure, initial, on_regress, nesting, retention, packing, .. } = self;
        let Self { on_runtime_error, explore_all, terminal_states, survey, reduction, .. } = self;
        let queue = self.disk.queue;
        format!(
            "{engine:?} {measure:?} {initial:?} {on_regress:?} {nesting:?} {retention:?} {packing:?} {on_runtime_error:?} {explore_all} {terminal_states:?} {survey} {queue:?} {reduction:?}"
        )
    }

    /// Whether a sweep for these properties may remember what lies behind. Where all steps are looked at, every state that progress falls to must be a
    /// persistent one.
    fn may_remember<P>(&self, properties: &[Property<P>]) -> bool {
        let looks_at_steps =
            |one: &Property<P>| one.kind.needs_own_search() || one.kind.is_about_components();
        !self.survey && self.on_regress == OnRegress::Sweep && !properties.iter().any(looks_at_steps)
    }

    /// Refuses to decide these properties with a reduction that does not keep what they are about.
    fn require_kept<P>(&self, properties: &[Property<P>]) -> Result<(), Unsound> {
        if self.reduction == Reduction::None {
            return Ok(());
        }
        // All states without successors are kept, so that a list of them is as long as ever.
        let is_list = self.terminal_states == TerminalList::Listed && !properties.is_empty();
        let is_about_all =
            (self.explore_all && !is_list) || self.survey || self.on_regress == OnRegress::Stop;
        if is_about_all { Err(Unsound::ReducedCounts) } else { require_kept(properties) }
    }

    /// Has the model reduced, if it is to be.
    fn reduce<M: Subject>(&self, model: &mut M, kept: Kept) -> Result<(), Unsound> {
        match self.reduction {
            Reduction::Stubborn if !model.reduce(kept) => Err(Unsound::NotGuardedCommands),
            _ => Ok(()),
        }
    }

    /// What goes to disk, and when.
    fn spilling(&self, disk: &Disk) -> Spilling {
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

/// A run-time error of the model, with the run that leads to it.
#[derive(Clone, Debug)]
pub struct ModelError<F = RuntimeError, R = ReplayedTrace> {
    /// What went wrong.
    pub error: F,
    /// The run to the state in which it goes wrong.
    pub trace: R,
    /// Where the error is.
    pub place: ErrorPlace,
}

/// Where a run-time error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorPlace {
    /// In this action of the model.
    Action(ActionId),
    /// In the expression of the property with this number.
    Property(usize),
}

/// A step that makes progress fall, with the run that ends with it.
#[derive(Clone, Debug)]
pub struct Regress<R = ReplayedTrace> {
    /// The run; its last step is the one.
    pub trace: R,
    /// Progress before the step.
    pub before: u64,
    /// Progress after it.
    pub after: u64,
}

/// Everything that is known after a run.
#[derive(Clone, Debug)]
pub struct Outcome<R = ReplayedTrace, T = Vec<i64>, F = RuntimeError> {
    /// One verdict for each property, in order.
    pub verdicts: Vec<Verdict<R, T>>,
    /// The first run-time error.
    pub error: Option<ModelError<F, R>>,
    /// The first step that makes progress fall, where that ended the search.
    pub regress: Option<Regress<R>>,
    /// Whether every reachable state was met; with a reduction, every one of the reduced state space.
    pub complete: bool,
    /// Why not.
    pub stopped: Option<StopReason>,
    /// Number of different states that were met, where that is known.
    pub distinct: Option<u64>,
    /// About so many different states were met.
    pub estimated_distinct: u64,
    /// Number of different states without successors that were met, where that is known.
    pub deadlocks: Option<u64>,
    /// Those states, where they were to be listed.
    pub terminal_states: Option<Vec<T>>,
    /// What the states and steps that were met are like, where that was asked for.
    pub survey: Option<Surveyed>,
    /// What the search counted.
    pub counters: Counters,
    /// The greatest number of bytes for states, their index and the buffers around them.
    pub peak_state_bytes: u64,
    /// Bytes on disk: of the trace log, and of states at the most.
    pub disk_bytes: u64,
    /// States that went to disk, and came from there.
    pub io: IoCounts,
    /// Bits of a state at the end of the run.
    pub state_bits: u64,
    /// Words of a state at the end of the run.
    pub state_words: u64,
    /// How often a value outgrew its field.
    pub widenings: u32,
    /// The graph, where one was recorded.
    pub graph: Option<GraphSummary>,
    /// What was held layer by layer, and how often actions were taken, if that was wanted and the search has layers.
    pub course: Option<Course>,
}

/// What is known after a run of this kind of model.
pub type OutcomeOf<M> = Outcome<<M as Subject>::Run, <M as Subject>::State, <M as Subject>::Fault>;
type ModelErrorOf<M> = ModelError<<M as Subject>::Fault, <M as Subject>::Run>;

/// A run that could not be made or finished.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// More expressions than a search evaluates together.
    #[error("at most {MAX_PREDICATES} expressions can be checked in one run, and there are {0}")]
    TooManyPredicates(usize),
    /// A property that cannot be checked together with others.
    #[error("`{0}` needs a search of its own")]
    NeedsOwnSearch(String),
    /// More actions than there are numbers.
    #[error("a model has at most {MAX_ACTIONS} actions, and this one has {0}")]
    TooManyActions(usize),
    /// The search cannot decide the property.
    #[error(transparent)]
    Unsound(#[from] Unsound),
    /// The model could not be made executable.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    /// There is no memory even for the beginning.
    #[error("the search cannot begin: {0}")]
    NoMemory(LayerFull),
    /// This search cannot be saved.
    #[error("this search cannot be saved: checkpoints are for sweeps and breadth-first searches")]
    NotSaved,
    /// Nor can this one.
    #[error("a search beside an automaton, or for a formula of temporal logic, cannot be saved")]
    TemporalNotSaved,
    /// A checkpoint cannot be read, or belongs to another run.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(io::Error),
    /// Two runs must not save to one folder.
    #[error("another run is saving to `{}`", .0.display())]
    FolderInUse(PathBuf),
    /// The trace log cannot be read back.
    #[error("the trace log cannot be read: {0}")]
    TraceLog(#[from] io::Error),
    /// A search gave a path that is none. A defect of this program.
    #[error("a trace does not replay: {0}")]
    Replay(#[from] ReplayError),
    /// A trace does not show what it should. A defect of this program.
    #[error("the trace for `{0}` does not show what the search saw")]
    WrongTrace(String),
}

impl CheckError {
    /// Whether this is a defect of the program rather than of its input or surroundings.
    pub fn is_defect(&self) -> bool {
        matches!(self, Self::Replay(_) | Self::WrongTrace(_) | Self::Execution(ExecutionError::Defect(_)))
    }
}

/// Checks the properties on the model.
pub fn check(
    model: &GuardedCommands,
    execution: &dyn Execution,
    properties: &[Property],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, CheckError> {
    // One number stands for a state that is repeated.
    if model.actions.len() >= MAX_ACTIONS {
        return Err(CheckError::TooManyActions(model.actions.len()));
    }
    let subject = || CommandsSubject::new(model, execution, plan);
    monitor.phase(plan.phase());
    let mut outcome = check_each(subject, properties, plan, monitor)?;
    if plan.traces == TraceChoice::Shortest {
        shorten(&mut outcome, properties, |some, limits| {
            let plan = Plan {
                engine: Engine::Breadth,
                // A shortest run may be one of those that are left out.
                reduction: Reduction::None,
                on_runtime_error: OnRuntimeError::GoOn,
                explore_all: false,
                limits: Limits { levels: limits, ..plan.limits },
                checkpoint: None,
                ..plan.clone()
            };
            monitor.phase(Phase::Shortening);
            check_subject(subject(), some, &plan, monitor)
        })?;
    }
    Ok(outcome)
}

/// Replaces traces by shortest ones, as far as a search through all shorter runs finds them.
fn shorten(
    outcome: &mut Outcome,
    properties: &[Property],
    mut search: impl FnMut(&[Property], u64) -> Result<Outcome, CheckError>,
) -> Result<(), CheckError> {
    for (property, verdict) in properties.iter().zip(&mut outcome.verdicts) {
        let (Verdict::Holds(Evidence::Trace(trace, length))
        | Verdict::Violated(Evidence::Trace(trace, length))) = verdict
        else {
            continue;
        };
        // What is shown is a path in a graph, or a component: no search through shorter runs could tell.
        if property.kind.needs_layers() {
            continue;
        }
        let steps = trace.trace().steps.len() as u64;
        if *length == Length::Shortest || steps == 0 {
            *length = Length::Shortest;
            continue;
        }
        let mut second = match search(std::slice::from_ref(property), steps - 1) {
            Ok(second) => second,
            Err(defect) if defect.is_defect() => return Err(defect),
            // The first trace is as good as before.
            Err(_) => continue,
        };
        match second.verdicts.pop() {
            Some(
                shorter @ (Verdict::Holds(Evidence::Trace(..)) | Verdict::Violated(Evidence::Trace(..))),
            ) => {
                *verdict = shorter;
            }
            _ if second.complete || matches!(second.stopped, Some(StopReason::LevelLimit(_))) => {
                *length = Length::Shortest;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks the properties on any kind of model, by one search. Those that need a search of their own are for [`check_alone`].
pub fn check_subject<M: Subject>(
    subject: M,
    properties: &[Property<M::Predicate>],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    let predicates = predicates(properties).len();
    if predicates > MAX_PREDICATES {
        return Err(CheckError::TooManyPredicates(predicates));
    }
    if let Some(temporal) = properties.iter().find(|property| property.kind.needs_own_search()) {
        return Err(CheckError::NeedsOwnSearch(temporal.name.clone()));
    }
    search_subject(subject, properties, plan, monitor)
}

/// Checks properties that the watch over a search decides.
fn search_subject<M: Subject>(
    mut subject: M,
    properties: &[Property<M::Predicate>],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<OutcomeOf<M>, CheckError> {
    let on_regress = if needs_monotone(properties).is_some() { OnRegress::Stop } else { plan.on_regress };
    let order = match plan.engine {
        Engine::Sweep | Engine::SweepDisk if subject.has_measure() => {
            let Plan { initial, nesting, retention, .. } = *plan;
            let (regress, comparison) = (on_regress, subject.comparison());
            Order::Progress { initial, regress, nesting, comparison, retention }
        }
        _ => Order::Constant,
    };
    let kind = match plan.engine {
        Engine::Depth => SearchKind::Depth,
        Engine::Partition => SearchKind::Partitions,
        _ => SearchKind::Layers(order),
    };
    require_sound(properties, kind)?;
    plan.require_kept(properties)?;
    plan.reduce(
        &mut subject,
        if predicates(properties).is_empty() { Kept::Deadlocks } else { Kept::States },
    )?;
    // Nobody else writes there as long as this run does.
    let _alone =
        plan.checkpoint.as_ref().map(|one| CheckpointFolder::new(&one.directory).lock()).transpose()?;
    let saved = plan.checkpoint.as_ref().filter(|checkpoints| checkpoints.resumes);
    let saved = saved.map(|checkpoints| resumed(&mut subject, checkpoints, &plan.fingerprint()));
    let saved = saved.transpose().map_err(CheckError::Checkpoint)?;
    let width = subject.words();
    let no_memory = |error| CheckError::NoMemory(LayerFull::System(error));
    match kind {
        SearchKind::Layers(order) => {
            let disk = Disk::new(&plan.disk.directory, plan.disk.limit);
            let mut search = SweepSearch::new(width, order, plan.limits).map_err(no_memory)?;
            if plan.course {
                search = search.with_course(subject.actions());
            }
            if plan.engine != Engine::Breadth || plan.disk.breadth_goes_on {
                search = search.spill_to(plan.spilling(&disk));
            }
            let mut outcome = Run::new(subject, properties, plan, search, kind, saved)?.finish(monitor)?;
            outcome.disk_bytes += disk.bytes();
            outcome.io = disk.counts();
            Ok(outcome)
        }
        SearchKind::Depth => {
            let search = DepthSearch::new(width, plan.limits).map_err(no_memory)?;
            Run::new(subject, properties, plan, search, kind, saved)?.finish(monitor)
        }
        SearchKind::Partitions => {
            let disk = Disk::new(&plan.disk.directory, plan.disk.limit);
            let search = PartitionSearch::new(width, plan.limits, disk.clone()).map_err(no_memory)?;
            let search = search.with_states_in_memory(plan.disk.in_memory);
            let mut outcome = Run::new(subject, properties, plan, search, kind, saved)?.finish(monitor)?;
            outcome.disk_bytes += disk.bytes();
            outcome.io = disk.counts();
            Ok(outcome)
        }
    }
}

/// Opens the checkpoint of this run, and gives states the layout that they have there.
fn resumed<M: Subject>(subject: &mut M, checkpoints: &Checkpointing, plan: &str) -> io::Result<Loader> {
    let mut loader = CheckpointFolder::new(&checkpoints.directory).open()?.loader;
    let saved: String = loader.get()?;
    if saved != plan {
        return Err(io::Error::other("it belongs to a run with other options"));
    }
    subject.load(&mut loader)?;
    Ok(loader)
}
