//! From options and a model to a plan. The rules themselves are in [`sweepline::planning`].

use engine::check::{Engine, SearchPlan, TerminalList};
use engine::explore::search::Limits;
use engine::explore::sweep::{Initial, OnRegress, Threads};
use engine::store::ahead::QueueKind;
use engine::store::external::array_heap::Parameters;
use report::{Finding, MeasureOrigin, MeasureRecord, PlanRecord, WindowRecord};
use sweepline::execution::Execution;
use sweepline::planning::{
    DiskRequest, EngineRequest, MeasureRequest, NeedsMeasure, PlanError, PlannedSearch, Purpose, Request,
    SweepRequest, Window,
};

use crate::explain::codes;
use crate::input::chosen_measure::{self, Choice, Measure};
use crate::input::model_file::ModelFile;
use crate::options::{DiskQueue, SearchOptions};

/// How a model will be searched and executed.
#[derive(Clone, Debug)]
pub struct ChosenPlan {
    /// The plan of the search.
    pub search: PlannedSearch,
    /// How the model is executed.
    pub execution: Execution,
    /// The given measure, as the user wrote it.
    pub measure: Option<Measure>,
    window: Option<Window>,
}

impl ChosenPlan {
    /// Plans a run.
    ///
    /// # Errors
    /// What is wrong with the measure, or that there is none although the options need one.
    pub fn new(options: &SearchOptions, purpose: Purpose, file: &ModelFile) -> Result<Self, Vec<Finding>> {
        // A search that follows no measure does not care what the model declares.
        let choice = match options.engine.may_sweep() {
            true => chosen_measure::choose(options.measure.as_deref(), file)?,
            false => Choice::None,
        };
        let measure = match &choice {
            Choice::None => MeasureRequest::None,
            Choice::Given(measure) => MeasureRequest::Given(measure.packed.clone()),
            Choice::Open => MeasureRequest::Open,
        };
        let request = request(options, purpose, measure);
        let search = PlannedSearch::new(&request).map_err(|error| vec![refused(error)])?;
        let execution = options.execution.unwrap_or_else(|| Execution::suited_to(&file.model));
        Ok(Self { search, execution, measure: choice.given(), window: options.window })
    }

    /// The plan for the run record.
    pub fn record(&self) -> PlanRecord {
        let plan = &self.search.plan;
        if self.search.automatic.is_some() {
            return PlanRecord::asked(None, Some(self.execution.name()), None).with_reduction(plan.reduction);
        }
        let record =
            PlanRecord::new(plan.search.engine(), self.execution.name()).with_reduction(plan.reduction);
        let Some(measure) = &self.measure else { return record };
        let record = record.with_measure(&measure.text, MeasureOrigin::User);
        let window =
            self.window.map(|one| WindowRecord { component: one.component as u64, reach: one.reach });
        let measure = MeasureRecord { summary: measure.summary.clone(), window, ..record.measure };
        PlanRecord { measure, ..record }
    }
}

fn request(options: &SearchOptions, purpose: Purpose, measure: MeasureRequest) -> Request {
    let open = Request::new(purpose);
    Request {
        engine: options.engine,
        measure,
        prefer: options.prefer.unwrap_or_default(),
        seed: options.seed.unwrap_or(0),
        sweep: SweepRequest {
            initial: if options.unpinned { Initial::Forgotten } else { Initial::default() },
            on_regress: if options.expect_monotone { OnRegress::Stop } else { OnRegress::default() },
            window: options.window,
        },
        reduction: options.reduction,
        threads: options.threads.map_or(open.threads, Threads::new),
        terminal_states: match options.terminal_states {
            true => TerminalList::Listed,
            false => TerminalList::default(),
        },
        limits: Limits {
            states: options.state_limit.unwrap_or(open.limits.states),
            memory: options.memory.unwrap_or(open.limits.memory),
            ..open.limits
        },
        disk: DiskRequest {
            directory: options.disk.clone(),
            limit: options.disk_limit.map(|bytes| bytes as u64),
            queue: match options.queue {
                DiskQueue::Radix => QueueKind::Radix,
                DiskQueue::Array => QueueKind::Array(Parameters::default()),
            },
        },
        ..open
    }
}

/// The error for a request that cannot be planned.
fn refused(error: PlanError) -> Finding {
    match error {
        PlanError::NoMeasure(part) => {
            let option = match part {
                NeedsMeasure::Sweep => "--engine sweep",
                NeedsMeasure::SweepDisk => "--engine sweep-disk",
                NeedsMeasure::StopOnRegress => "--expect-monotone",
                NeedsMeasure::ForgottenInitial => "--unpinned",
                NeedsMeasure::Window => "--window",
            };
            let message = format!("{option} needs a progress measure, and there is none");
            let help = "name one by --measure EXPR or by a line `// progress: EXPR` in the model; `sweepline progress` proposes measures";
            Finding::error(codes::NO_MEASURE, message, help)
        }
        PlanError::WindowWithoutOrder => {
            let help = "write the measure as a tuple `(a, b)`, or leave --window out";
            Finding::error(codes::NO_WINDOW, error.to_string(), help)
        }
        PlanError::NoComponent(_) => {
            let help = "write --window N for the first component, or K:N for component K";
            Finding::error(codes::NO_WINDOW, error.to_string(), help)
        }
    }
}

/// What the options alone say, for the record of a run that fails before it has a plan.
pub fn provisional_record(options: &SearchOptions) -> PlanRecord {
    let asked = options.measure.as_deref().map(str::trim);
    let measure = asked.filter(|measure| !["auto", "none"].contains(measure));
    let engine = match options.engine {
        EngineRequest::Auto if measure.is_some() => Some(Engine::Sweep),
        EngineRequest::Auto if asked == Some("none") => Some(Engine::Breadth),
        // A sweep that finds no measure explores in full.
        EngineRequest::Auto => None,
        EngineRequest::Sweep | EngineRequest::SweepDisk if measure.is_none() => None,
        EngineRequest::Sweep => Some(Engine::Sweep),
        EngineRequest::SweepDisk => Some(Engine::SweepDisk),
        EngineRequest::Unguided(engine) => Some(SearchPlan::from(engine).engine()),
    };
    PlanRecord::asked(engine, options.execution.map(Execution::name), measure)
        .with_reduction(options.reduction)
}

/// Checks, before the model is read, that files can be created in the directory of `--disk`.
/// Without this check, a run would fail only when it first spills.
///
/// # Errors
/// They cannot.
pub fn probe_disk(options: &SearchOptions) -> Result<(), Finding> {
    let Some(disk) = &options.disk else { return Ok(()) };
    tempfile::tempfile_in(disk).map(drop).map_err(|error| {
        let message = format!("the directory `{}` cannot be used: {error}", disk.display());
        let help = "--disk expects a directory in which you may create files";
        Finding::error(codes::BAD_DIRECTORY, message, help)
    })
}
