//! From a request to a plan: which search, by which measure, within which limits.
//!
//! A [`Request`] says what a user asked for and leaves the rest open. [`PlannedSearch::new`] fills in
//! the rest by these rules:
//!
//! - A search that follows no measure is taken as requested, even if the model declares a measure.
//! - A given measure is swept.
//! - If the measure is open, full exploration starts at once, and the check looks for a measure
//!   beside it once it has become large. If memory counts more than time, or a sweep was requested,
//!   the check looks for a measure first.
//! - Without any measure, the search is breadth-first.

use std::path::PathBuf;

use engine::check::{
    Automatic, AutomaticPlan, ChangeOutcome, Engine, OnRuntimeError, Plan, Reduction, SearchPlan, Start,
    SweepPlan, SweepStorage, THRESHOLD, TerminalList, TraceChoice, WhenFull,
};
use engine::explore::search::Limits;
use engine::explore::sweep::{Initial, OnRegress, Retention, Threads};
use engine::progress::finder::{FinderOptions, Prefer, SmallModels};
use engine::progress::{Comparison, ExpressionMeasure};
use engine::store::ahead::QueueKind;
use model::guarded_commands::{Expression, GuardedCommands};
use thiserror::Error;

/// The kind of search that a user can ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineRequest {
    /// A sweep if there is a measure. Otherwise breadth-first search, which becomes a sweep when it
    /// is large and a measure is found.
    #[default]
    Auto,
    /// A sweep, of small models, too.
    Sweep,
    /// A sweep that keeps nearly all states ahead of the front on disk.
    SweepDisk,
    /// This search, which follows no measure.
    Unguided(UnguidedEngine),
}

/// A search that follows no progress measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnguidedEngine {
    /// [`SearchPlan::Breadth`].
    Breadth,
    /// [`SearchPlan::Depth`].
    Depth,
    /// [`SearchPlan::BreadthDisk`].
    BreadthDisk,
    /// [`SearchPlan::Partition`].
    Partition,
}

impl EngineRequest {
    /// Whether the search may follow a measure.
    pub fn may_sweep(self) -> bool {
        !matches!(self, Self::Unguided(_))
    }
}

/// The search, with default settings.
impl From<UnguidedEngine> for SearchPlan {
    fn from(engine: UnguidedEngine) -> Self {
        match engine {
            UnguidedEngine::Breadth => Self::Breadth(WhenFull::Stop),
            UnguidedEngine::Depth => Self::Depth,
            UnguidedEngine::BreadthDisk => Self::BreadthDisk,
            UnguidedEngine::Partition => Self::Partition,
        }
    }
}

/// The progress measure that a user asked for.
#[derive(Clone, Debug, Default)]
pub enum MeasureRequest {
    /// No measure: all states have the same progress.
    None,
    /// This measure, of the user or declared by the model.
    Given(ExpressionMeasure),
    /// Neither the user nor the model names a measure.
    #[default]
    Open,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To decide properties, with traces of this kind.
    Check(TraceChoice),
    /// To visit all states, past run-time errors.
    Explore,
}

/// States that a sweep remembers behind its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Component of the measure that is compared; the first one has number 1.
    pub component: usize,
    /// Greatest distance of a remembered layer below the maximum reached so far.
    pub reach: u64,
}

/// How a sweep treats particular states and edges.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepRequest {
    /// Whether the initial state may be forgotten.
    pub initial: Initial,
    /// What the sweep does about a regress edge.
    pub on_regress: OnRegress,
    /// The window behind the front, if there is to be one.
    pub window: Option<Window>,
}

/// Where and how states are kept on disk; `None` is the default of the engine.
#[derive(Clone, Debug, Default)]
pub struct DiskRequest {
    /// Directory for temporary files.
    pub directory: Option<PathBuf>,
    /// Greatest number of bytes.
    pub limit: Option<u64>,
    /// Queue for states ahead of the front.
    pub queue: QueueKind,
}

/// What a user asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The search.
    pub engine: EngineRequest,
    /// The measure that a sweep follows.
    pub measure: MeasureRequest,
    /// Objective of the measure search.
    pub prefer: Prefer,
    /// Random seed of the measure search.
    pub seed: u64,
    /// Details of a sweep.
    pub sweep: SweepRequest,
    /// What the run is for.
    pub purpose: Purpose,
    /// The reduction.
    pub reduction: Reduction,
    /// The threads of the search.
    pub threads: Threads,
    /// Whether all terminal states are listed.
    pub terminal_states: TerminalList,
    /// When the search stops.
    pub limits: Limits,
    /// What the search may keep on disk.
    pub disk: DiskRequest,
}

impl Request {
    /// A request that leaves everything open.
    pub fn new(purpose: Purpose) -> Self {
        Self {
            engine: EngineRequest::default(),
            measure: MeasureRequest::default(),
            prefer: Prefer::default(),
            seed: 0,
            sweep: SweepRequest::default(),
            purpose,
            reduction: Reduction::default(),
            threads: Threads::of_this_machine(),
            terminal_states: TerminalList::default(),
            limits: Limits::of_this_machine(),
            disk: DiskRequest::default(),
        }
    }
}

/// The part of a request that needs a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeedsMeasure {
    /// A sweep was requested.
    Sweep,
    /// A sweep on disk was requested.
    SweepDisk,
    /// The search is to stop at a regress edge.
    StopOnRegress,
    /// The initial state is to be forgotten.
    ForgottenInitial,
    /// There is to be a window.
    Window,
}

/// Why there is no plan for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// A part of the request needs a measure, and there is none.
    #[error("the request needs a progress measure, and there is none")]
    NoMeasure(NeedsMeasure),
    /// Values of a product measure have no maximum.
    #[error("a window needs progress values that are totally ordered")]
    WindowWithoutOrder,
    /// The measure has fewer components.
    #[error("the measure has no component {0}")]
    NoComponent(usize),
}

/// How a model will be searched.
#[derive(Clone, Debug)]
pub struct PlannedSearch {
    /// The plan for the engine.
    pub plan: Plan,
    /// How the check finds a measure, if it does. Then the search of `plan` is a sweep without a
    /// measure, and provisional.
    pub automatic: Option<AutomaticPlan>,
}

impl PlannedSearch {
    /// Plans a search.
    ///
    /// # Errors
    /// Parts of the request contradict each other, or the measure.
    pub fn new(request: &Request) -> Result<Self, PlanError> {
        let (search, automatic) = search(request)?;
        let mut plan = Plan {
            search,
            reduction: request.reduction,
            threads: request.threads,
            terminal_states: request.terminal_states,
            limits: request.limits,
            ..Plan::default()
        };
        match request.purpose {
            Purpose::Check(traces) => plan.traces = traces,
            Purpose::Explore => plan.on_runtime_error = OnRuntimeError::GoOn,
        }
        // "No regress edge" and "all terminal states" are known only after the last state, even if
        // all properties are decided before.
        plan.explore_all = request.purpose == Purpose::Explore
            || plan.search.on_regress() == OnRegress::Stop
            || plan.terminal_states == TerminalList::Listed;
        plan.disk.directory.clone_from(&request.disk.directory);
        plan.disk.limit = request.disk.limit.unwrap_or(plan.disk.limit);
        plan.disk.queue = request.disk.queue;
        Ok(Self { plan, automatic })
    }

    /// The plan of the run that the outcome of an automatic check is from.
    pub fn adopted(&self, automatic: &Automatic, commands: &GuardedCommands) -> Plan {
        if let Some(ChangeOutcome { change, .. }) = automatic.outcome.changes.last() {
            let settings = self.plan.search.sweep().cloned().unwrap_or_default();
            let (nesting, retention) = (change.order.nesting, change.order.retention);
            let sweep = SweepPlan { measure: Some(change.measure.clone()), nesting, retention, ..settings };
            return Plan { search: SearchPlan::Sweep(sweep), ..self.plan.clone() };
        }
        let Some(last) = automatic.attempts.last() else { return self.plan.clone() };
        let swept = last.proposal.as_ref().and_then(|kept| {
            let measure = ExpressionMeasure::new(commands, &kept.components).ok()?;
            Some(SearchPlan::Sweep(self.plan.search.sweep_by(kept, measure)))
        });
        let search = swept.unwrap_or_else(|| match last.engine {
            // The search was left open, so searches that follow this one may spill to disk.
            Engine::Breadth => SearchPlan::Breadth(WhenFull::Spill),
            engine => engine.into(),
        });
        Plan { search, ..self.plan.clone() }
    }
}

/// The components of the measure that an automatic check followed, if it followed one.
pub fn adopted_components(automatic: &Automatic) -> Option<&[Expression]> {
    match automatic.outcome.changes.last() {
        Some(changed) => Some(changed.change.measure.components()),
        None => Some(&automatic.attempts.last()?.proposal.as_ref()?.components),
    }
}

/// Chooses the search, and the options of the measure search if there is to be one.
fn search(request: &Request) -> Result<(SearchPlan, Option<AutomaticPlan>), PlanError> {
    if let EngineRequest::Unguided(engine) = request.engine {
        return Ok((engine.into(), None));
    }
    let SweepRequest { initial, on_regress, window } = request.sweep;
    let storage = match request.engine {
        EngineRequest::SweepDisk => SweepStorage::Disk,
        _ => SweepStorage::Memory,
    };
    let sweep = SweepPlan { initial, on_regress, storage, ..SweepPlan::default() };
    let is_open = match &request.measure {
        MeasureRequest::Given(measure) => {
            let retention = window.map(|window| retention(measure, window)).transpose()?.unwrap_or_default();
            let sweep = SweepPlan { measure: Some(measure.clone()), retention, ..sweep };
            return Ok((SearchPlan::Sweep(sweep), None));
        }
        MeasureRequest::None => false,
        MeasureRequest::Open => true,
    };
    // A sweep can follow a measure that is found. Everything else is said of a particular measure.
    let needs = [
        (request.engine == EngineRequest::Sweep && !is_open, NeedsMeasure::Sweep),
        (request.engine == EngineRequest::SweepDisk && !is_open, NeedsMeasure::SweepDisk),
        (on_regress == OnRegress::Stop, NeedsMeasure::StopOnRegress),
        (initial == Initial::Forgotten, NeedsMeasure::ForgottenInitial),
        (window.is_some(), NeedsMeasure::Window),
    ];
    match needs.into_iter().find(|(is_needed, _)| *is_needed) {
        Some((_, part)) => Err(PlanError::NoMeasure(part)),
        None if is_open => Ok((SearchPlan::Sweep(sweep), Some(automatic(request)))),
        // The search was left open, so it may spill to disk.
        None => Ok((SearchPlan::Breadth(WhenFull::Spill), None)),
    }
}

fn automatic(request: &Request) -> AutomaticPlan {
    let small = match request.engine {
        EngineRequest::Sweep | EngineRequest::SweepDisk => SmallModels::Swept,
        EngineRequest::Auto | EngineRequest::Unguided(_) => SmallModels::Explored,
    };
    let start = match (small, request.prefer) {
        (SmallModels::Swept, _) | (_, Prefer::Memory) => Start::Finder,
        (SmallModels::Explored, _) => Start::Search { threshold: THRESHOLD },
    };
    let aim = request.prefer.aim();
    AutomaticPlan {
        finder: FinderOptions { aim, seed: request.seed, small, ..FinderOptions::default() },
        start,
    }
}

/// The window in terms of packed progress values.
fn retention(measure: &ExpressionMeasure, window: Window) -> Result<Retention, PlanError> {
    if measure.comparison() != Comparison::Total {
        return Err(PlanError::WindowWithoutOrder);
    }
    let components = measure.unpack(0).len();
    match measure.lowest_bit(window.component).filter(|_| window.component <= components) {
        Some(bit) => Ok(Retention::Window { bit, reach: window.reach }),
        None => Err(PlanError::NoComponent(window.component)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn check() -> Request {
        Request::new(Purpose::Check(TraceChoice::First))
    }

    fn measure(text: &str) -> ExpressionMeasure {
        let model = "byte x, y; process P { state s; init s; \
            trans s -> s { guard x < 9; effect x = x + 1; }, \
            s -> s { guard y < 9; effect y = y + 1; }; } system async;";
        let model = languages::read_model(model).unwrap();
        model.measure(text).unwrap().pack(&model.commands).unwrap()
    }

    #[test]
    fn the_search_starts_first_unless_a_sweep_is_requested_or_memory_counts() {
        let start = |request: Request| PlannedSearch::new(&request).unwrap().automatic.unwrap().start;
        assert_eq!(start(check()), Start::Search { threshold: THRESHOLD });
        assert_eq!(
            start(Request { prefer: Prefer::Time, ..check() }),
            Start::Search { threshold: THRESHOLD }
        );
        assert_eq!(start(Request { prefer: Prefer::Memory, ..check() }), Start::Finder);
        assert_eq!(start(Request { engine: EngineRequest::Sweep, ..check() }), Start::Finder);
        assert_eq!(start(Request { engine: EngineRequest::SweepDisk, ..check() }), Start::Finder);
    }

    #[test]
    fn a_given_measure_is_swept_unless_another_search_is_requested() {
        let given = Request { measure: MeasureRequest::Given(measure("(x, y)")), ..check() };
        let planned = PlannedSearch::new(&given).unwrap();
        assert!(planned.plan.search.engine() == Engine::Sweep && planned.plan.search.measure().is_some());
        let engine = EngineRequest::Unguided(UnguidedEngine::Depth);
        let planned = PlannedSearch::new(&Request { engine, ..given }).unwrap();
        assert!(matches!(planned.plan.search, SearchPlan::Depth));
    }

    #[test]
    fn requests_that_need_a_measure_are_refused_without_one() {
        let refused = |request: Request| PlannedSearch::new(&request).unwrap_err();
        let none = || Request { measure: MeasureRequest::None, ..check() };
        assert_eq!(
            refused(Request { engine: EngineRequest::Sweep, ..none() }),
            PlanError::NoMeasure(NeedsMeasure::Sweep)
        );
        let mut monotone = check();
        monotone.sweep.on_regress = OnRegress::Stop;
        assert_eq!(refused(monotone), PlanError::NoMeasure(NeedsMeasure::StopOnRegress));
    }

    #[test]
    fn a_window_needs_a_component_of_a_totally_ordered_measure() {
        let with = |text: &str, component| {
            let window = Some(Window { component, reach: 3 });
            let sweep = SweepRequest { window, ..SweepRequest::default() };
            let measure = MeasureRequest::Given(measure(text));
            PlannedSearch::new(&Request { sweep, measure, ..check() })
                .map(|planned| planned.plan.search.sweep().unwrap().retention)
        };
        assert!(matches!(with("(x, y)", 2), Ok(Retention::Window { reach: 3, .. })));
        assert_eq!(with("(x, y)", 3), Err(PlanError::NoComponent(3)));
        assert_eq!(with("[x, y]", 1), Err(PlanError::WindowWithoutOrder));
    }
}
