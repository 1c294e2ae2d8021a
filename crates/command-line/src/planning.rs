//! From options and a model to a plan: which search, by which measure, executed how, within which limits.

use engine::check::{Automatic, Engine, OnRuntimeError, Plan, TerminalList, TraceChoice};
use engine::explore::search::Limits;
use engine::explore::sweep::{Initial, OnRegress, Retention};
use engine::progress::finder::{FinderOptions, Prefer, SmallModels};
use engine::progress::{Comparison, ExpressionMeasure};
use engine::store::external::array_heap::Parameters;
use engine::store::far_layers::QueueKind;
use model::guarded_commands::{Expression, GuardedCommands};
use report::{Finding, MeasureOrigin, MeasureRecord, PlanRecord, WindowRecord};

use crate::codes;
use crate::execution::execution_for;
use crate::measure::{self, Choice, Measure};
use crate::model_file::ModelFile;
use crate::options::{EngineChoice, ExecutionChoice, QueueChoice, SearchOptions, WindowChoice};

/// With a limit of so many states, no measure is looked for: as many are expanded to find one.
const SHORT: u64 = 60_000;

/// How a model will be searched.
#[derive(Clone, Debug)]
pub struct Planned {
    /// For the search.
    pub plan: Plan,
    /// How the model is executed.
    pub execution: ExecutionChoice,
    /// How a measure is looked for, if it is. Then engine and measure of the plan are still open.
    pub finder: Option<FinderOptions>,
    /// The measure as the user knows it.
    measure: Option<Measure>,
    /// What is remembered behind the front, as the user knows it.
    window: Option<WindowChoice>,
}

/// The order in which states are met.
enum Guidance {
    /// By this search, which needs no measure.
    Engine(Engine),
    /// By this measure.
    Measure(Measure),
    /// By a measure that is looked for.
    Finder(FinderOptions),
}

/// What is wanted besides what the options of a search say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Answers to questions.
    Check(TraceChoice),
    /// All states, whatever they are.
    Explore,
}

impl Planned {
    /// Follows the options.
    ///
    /// # Errors
    /// What is wrong with the measure, or that there is none although the options need one.
    pub fn new(options: &SearchOptions, purpose: Purpose, file: &ModelFile) -> Result<Self, Vec<Finding>> {
        let (engine, measure, finder) = match guidance(options, file)? {
            Guidance::Engine(engine) => (engine, None, None),
            Guidance::Measure(measure) => (sweep_engine(options), Some(measure), None),
            Guidance::Finder(finder) => (sweep_engine(options), None, Some(finder)),
        };
        let mut plan = Plan { engine, ..Plan::default() };
        let limits = Limits::default();
        plan.limits = Limits {
            states: options.state_limit.unwrap_or(limits.states),
            memory: options.memory.unwrap_or(limits.memory),
            ..limits
        };
        match purpose {
            Purpose::Check(traces) => plan.traces = traces,
            Purpose::Explore => {
                plan.on_runtime_error = OnRuntimeError::GoOn;
                plan.explore_all = true;
            }
        }
        plan.reduction = options.reduction.into();
        if options.unpinned {
            plan.initial = Initial::Forgotten;
        }
        // "All" is an answer only after the last state, also when the properties are decided before.
        if options.expect_monotone {
            plan.on_regress = OnRegress::Stop;
            plan.explore_all = true;
        }
        if options.terminal_states {
            plan.terminal_states = TerminalList::Listed;
            plan.explore_all = true;
        }
        if let Some(disk) = &options.disk {
            plan.disk.directory.clone_from(disk);
        }
        if let Some(limit) = options.disk_limit {
            plan.disk.limit = limit as u64;
        }
        if options.queue == QueueChoice::Array {
            plan.disk.queue = QueueKind::Array(Parameters::default());
        }
        plan.disk.breadth_goes_on = options.engine.has_layers();
        let execution = execution_for(options.execution, &file.model);
        plan.measure = measure.as_ref().map(|measure| measure.packed.clone());
        plan.retention = match (&measure, options.window) {
            (Some(measure), Some(window)) => retention(measure, window).map_err(|error| vec![error])?,
            _ => Retention::Immediate,
        };
        Ok(Self { plan, execution, finder, measure, window: options.window })
    }

    /// The plan for the run record.
    pub fn record(&self) -> PlanRecord {
        let reduction = self.plan.reduction;
        if self.finder.is_some() {
            return PlanRecord::asked(None, Some(self.execution.name()), None).with_reduction(reduction);
        }
        let record = PlanRecord::new(self.plan.engine, self.execution.name()).with_reduction(reduction);
        let Some(measure) = &self.measure else { return record };
        let record = record.with_measure(&measure.text, MeasureOrigin::User);
        let window =
            self.window.map(|one| WindowRecord { component: one.component as u64, reach: one.reach });
        let measure = MeasureRecord { summary: measure.summary.clone(), window, ..record.measure };
        PlanRecord { measure, ..record }
    }
}

impl Planned {
    /// The plan of the run that the outcome is from, after a measure was looked for.
    pub fn kept(&self, automatic: &Automatic, commands: &GuardedCommands) -> Plan {
        let proposal = automatic.attempts.last().and_then(|last| last.proposal.as_ref());
        let measure = proposal.and_then(|kept| ExpressionMeasure::new(commands, &kept.components).ok());
        let engine = automatic.attempts.last().map_or(self.plan.engine, |last| last.engine);
        let kept = proposal.zip(measure.as_ref());
        let nesting = kept.map_or(self.plan.nesting, |(kept, measure)| kept.nesting(measure));
        let retention = kept.map_or(self.plan.retention, |(kept, measure)| kept.retention(measure));
        Plan { engine, measure, nesting, retention, ..self.plan.clone() }
    }

    /// The components of the measure that the run followed, which is the one of the plan or was found.
    pub fn components<'a>(&'a self, automatic: Option<&'a Automatic>) -> Option<&'a [Expression]> {
        match automatic {
            Some(automatic) => kept_components(automatic),
            None => self.measure.as_ref().map(|measure| &measure.components[..]),
        }
    }
}

/// What is remembered behind the front.
fn retention(measure: &Measure, window: WindowChoice) -> Result<Retention, Finding> {
    let count = measure.components.len();
    let refused = |message, help| Err(Finding::error(codes::NO_WINDOW, message, help));
    if measure.packed.comparison() != Comparison::Total {
        let message = "a window needs progress values of which one is the greatest".to_owned();
        return refused(message, "compare the measure as a tuple `(a, b)`, or leave --window out");
    }
    match measure.packed.lowest_bit(window.component).filter(|_| window.component <= count) {
        Some(bit) => Ok(Retention::Window { bit, reach: window.reach }),
        None => refused(
            format!("the measure has no component {}", window.component),
            "write --window N for the first component, or K:N for the component with number K",
        ),
    }
}

fn kept_components(automatic: &Automatic) -> Option<&[Expression]> {
    Some(&automatic.attempts.last()?.proposal.as_ref()?.components)
}

/// What the options alone tell, for the record of a run that does not come to a plan.
pub fn preliminary(options: &SearchOptions) -> PlanRecord {
    let asked = options.measure.as_deref().map(str::trim);
    let measure = asked.filter(|measure| !["auto", "none"].contains(measure));
    let engine = match options.engine {
        EngineChoice::Auto if measure.is_some() => Some(Engine::Sweep),
        EngineChoice::Auto if asked == Some("none") => Some(Engine::Breadth),
        EngineChoice::Auto => None,
        EngineChoice::Breadth => Some(Engine::Breadth),
        // One that finds no measure explores.
        EngineChoice::Sweep | EngineChoice::SweepDisk if measure.is_none() => None,
        EngineChoice::Sweep => Some(Engine::Sweep),
        EngineChoice::SweepDisk => Some(Engine::SweepDisk),
        EngineChoice::Depth => Some(Engine::Depth),
        EngineChoice::BreadthDisk => Some(Engine::BreadthDisk),
        EngineChoice::Partition => Some(Engine::Partition),
    };
    PlanRecord::asked(engine, options.execution.map(ExecutionChoice::name), measure)
        .with_reduction(options.reduction.into())
}

/// Tries out what can be tried out before the model is read.
///
/// # Errors
/// The directory for temporary files cannot be used. Asked for by name, so a mistake is told now, not when the log
/// outgrows memory.
pub fn probe_disk(options: &SearchOptions) -> Result<(), Finding> {
    let Some(disk) = &options.disk else { return Ok(()) };
    tempfile::tempfile_in(disk).map(drop).map_err(|error| {
        let message = format!("the directory `{}` cannot be used: {error}", disk.display());
        let help = "--disk expects a directory in which you may create files";
        Finding::error(codes::BAD_DIRECTORY, message, help)
    })
}

/// What the search follows. A measure in the file does not oblige: who asks for another search gets it.
fn guidance(options: &SearchOptions, file: &ModelFile) -> Result<Guidance, Vec<Finding>> {
    match options.engine {
        EngineChoice::Breadth => return Ok(Guidance::Engine(Engine::Breadth)),
        EngineChoice::Depth => return Ok(Guidance::Engine(Engine::Depth)),
        EngineChoice::BreadthDisk => return Ok(Guidance::Engine(Engine::BreadthDisk)),
        EngineChoice::Partition => return Ok(Guidance::Engine(Engine::Partition)),
        EngineChoice::Auto | EngineChoice::Sweep | EngineChoice::SweepDisk => {}
    }
    let choice = measure::choose(options.measure.as_deref(), file)?;
    let is_open = matches!(choice, Choice::Open);
    if let Some(measure) = choice.given() {
        return Ok(Guidance::Measure(measure));
    }
    // What is said about a measure is said about a certain one.
    let wanted_by = [
        (options.engine == EngineChoice::Sweep && !is_open, "--engine sweep"),
        (options.engine == EngineChoice::SweepDisk && !is_open, "--engine sweep-disk"),
        (options.expect_monotone, "--expect-monotone"),
        (options.unpinned, "--unpinned"),
        (options.window.is_some(), "--window"),
    ];
    match wanted_by.into_iter().find(|(wanted, _)| *wanted) {
        Some((_, option)) => Err(vec![measure::missing(option)]),
        None if is_open && !is_short(options) => Ok(Guidance::Finder(finder(options))),
        None => Ok(Guidance::Engine(Engine::Breadth)),
    }
}

fn sweep_engine(options: &SearchOptions) -> Engine {
    if options.engine == EngineChoice::SweepDisk { Engine::SweepDisk } else { Engine::Sweep }
}

/// Whether the search ends before a measure could be worth anything. Breadth-first, it finds what is near.
fn is_short(options: &SearchOptions) -> bool {
    options.engine == EngineChoice::Auto && options.state_limit.is_some_and(|limit| limit <= SHORT)
}

fn finder(options: &SearchOptions) -> FinderOptions {
    let aim = Prefer::from(options.prefer.unwrap_or_default()).aim();
    let small = match options.engine {
        EngineChoice::Sweep | EngineChoice::SweepDisk => SmallModels::Swept,
        _ => SmallModels::Explored,
    };
    FinderOptions { aim, seed: options.seed.unwrap_or(0), small, ..FinderOptions::default() }
}
