//! From options and a model to a plan: which search, by which measure, executed how, within which limits.

use report::{Finding, MeasureOrigin, PlanRecord};
use sweepline::check::{Engine, OnRuntimeError, Plan, TerminalList, TraceChoice};
use sweepline::explore::search::Limits;
use sweepline::explore::sweep::{Initial, OnRegress};

use crate::codes;
use crate::execution::execution_for;
use crate::measure::{self, Measure};
use crate::model_file::ModelFile;
use crate::options::{EngineChoice, ExecutionChoice, SearchOptions};

/// How a model will be searched.
#[derive(Clone, Debug)]
pub struct Planned {
    /// For the search.
    pub plan: Plan,
    /// How the model is executed.
    pub execution: ExecutionChoice,
    /// The measure as the user knows it.
    measure: Option<String>,
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
        let (engine, measure) = engine_and_measure(options, file)?;
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
            plan.disk.clone_from(disk);
        }
        let text = measure.as_ref().map(|measure| measure.text.clone());
        plan.measure = measure.map(|measure| measure.packed);
        Ok(Self { plan, execution: execution_for(options.execution, &file.model), measure: text })
    }

    /// The plan for the run record.
    pub fn record(&self) -> PlanRecord {
        let record = PlanRecord::new(self.plan.engine, self.execution.name());
        match &self.measure {
            Some(measure) => record.with_measure(measure, MeasureOrigin::User),
            None => record,
        }
    }
}

/// What the options alone tell, for the record of a run that does not come to a plan.
pub fn preliminary(options: &SearchOptions) -> PlanRecord {
    let asked = options.measure.as_deref().map(str::trim);
    let measure = asked.filter(|measure| !["auto", "none"].contains(measure));
    let engine = match options.engine {
        EngineChoice::Auto if measure.is_some() => Some("sweep"),
        EngineChoice::Auto if asked == Some("none") => Some("breadth"),
        EngineChoice::Auto => None,
        EngineChoice::Breadth => Some("breadth"),
        EngineChoice::Sweep => Some("sweep"),
        EngineChoice::Depth => Some("depth"),
    };
    PlanRecord::asked(engine, options.execution.map(ExecutionChoice::name), measure)
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

/// The search, and the measure that it follows. A measure in the file does not oblige: who asks for another search gets it.
fn engine_and_measure(
    options: &SearchOptions,
    file: &ModelFile,
) -> Result<(Engine, Option<Measure>), Vec<Finding>> {
    match options.engine {
        EngineChoice::Breadth => return Ok((Engine::Breadth, None)),
        EngineChoice::Depth => return Ok((Engine::Depth, None)),
        EngineChoice::Auto | EngineChoice::Sweep => {}
    }
    if let Some(measure) = measure::choose(options.measure.as_deref(), file)? {
        return Ok((Engine::Sweep, Some(measure)));
    }
    let wanted_by = [
        (options.engine == EngineChoice::Sweep, "--engine sweep"),
        (options.expect_monotone, "--expect-monotone"),
        (options.unpinned, "--unpinned"),
    ];
    match wanted_by.into_iter().find(|(wanted, _)| *wanted) {
        Some((_, option)) => Err(vec![measure::missing(option)]),
        None => Ok((Engine::Breadth, None)),
    }
}
