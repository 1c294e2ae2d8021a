//! How a model file is searched.

use engine::check::{Reduction, TraceChoice};
use engine::rust_model::Engine;

use crate::planning::{EngineRequest, MeasureRequest, Purpose, Request, UnguidedEngine};

/// How to search a model. What is not set, the program chooses.
///
/// ```
/// use sweepline::Plan;
///
/// let plan = Plan::new().measure("(base, expected)").memory(512 << 20).max_states(1_000_000);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Plan {
    engine: Option<Engine>,
    measure: Option<Measure>,
    memory: Option<usize>,
    max_states: Option<u64>,
    shortest: bool,
    stubborn: bool,
}

/// The progress measure of a plan.
#[derive(Clone, Debug)]
enum Measure {
    None,
    Text(String),
}

impl Plan {
    /// A plan that leaves everything to the program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Searches with this engine.
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// Sweeps by this progress measure: an expression, a tuple `(a, b)`, or a vector `[a, b]`. By
    /// default, the measure is the one that the model declares, or one that the program finds.
    pub fn measure(self, measure: impl Into<String>) -> Self {
        Self { measure: Some(Measure::Text(measure.into())), ..self }
    }

    /// Uses no progress measure: all states are kept.
    pub fn no_measure(self) -> Self {
        Self { measure: Some(Measure::None), ..self }
    }

    /// Sets a hard memory limit for states, in bytes. States that do not fit spill to disk.
    pub fn memory(self, bytes: usize) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// Stops after this many states.
    pub fn max_states(self, states: u64) -> Self {
        Self { max_states: Some(states), ..self }
    }

    /// Shows shortest counterexamples and witnesses, by a second search if necessary.
    pub fn shortest(self) -> Self {
        Self { shortest: true, ..self }
    }

    /// Uses partial-order reduction by stubborn sets.
    pub fn stubborn_sets(self) -> Self {
        Self { stubborn: true, ..self }
    }

    /// The measure of the plan as text, if it names one.
    pub(crate) fn measure_text(&self) -> Option<&str> {
        match &self.measure {
            Some(Measure::Text(text)) => Some(text),
            Some(Measure::None) | None => None,
        }
    }

    /// The request to the planner. `given` is the measure that the plan names or the model declares.
    pub(crate) fn request(&self, given: MeasureRequest, explores: bool) -> Request {
        let traces = if self.shortest { TraceChoice::Shortest } else { TraceChoice::First };
        let mut request = Request::new(if explores { Purpose::Explore } else { Purpose::Check(traces) });
        request.engine = match self.engine {
            None => EngineRequest::Auto,
            Some(Engine::Sweep) => EngineRequest::Sweep,
            Some(Engine::SweepDisk) => EngineRequest::SweepDisk,
            Some(Engine::Breadth) => EngineRequest::Unguided(UnguidedEngine::Breadth),
            Some(Engine::Depth) => EngineRequest::Unguided(UnguidedEngine::Depth),
            Some(Engine::BreadthDisk) => EngineRequest::Unguided(UnguidedEngine::BreadthDisk),
            Some(Engine::Partition) => EngineRequest::Unguided(UnguidedEngine::Partition),
        };
        request.measure = match self.measure {
            Some(Measure::None) => MeasureRequest::None,
            Some(Measure::Text(_)) | None => given,
        };
        if self.stubborn {
            request.reduction = Reduction::Stubborn;
        }
        request.limits.memory = self.memory.unwrap_or(request.limits.memory);
        request.limits.states = self.max_states.unwrap_or(request.limits.states);
        request
    }
}
