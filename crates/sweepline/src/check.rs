//! From a model, properties and a plan to verdicts.
//!
//! [`check`] chooses a layout, has the model made executable, runs the search, and deals with what a search cannot
//! deal with itself: a value that outgrows its field (a wider layout, and on from where it was), a run-time error of the
//! model, and traces, which are replayed on the interpreter and tested against the property before anyone sees them.

use std::io;
use std::path::PathBuf;

use crate::explore::breadth::BreadthSearch;
use crate::explore::depth::DepthSearch;
use crate::explore::observer::{Both, Successors};
use crate::explore::search::Limits;
use crate::explore::{CompleteSearch, Counters, Monitor, Record, Search, SearchEnd, StopReason};
use crate::model::guarded_commands::{ActionId, GuardedCommands};
use crate::model::interpreter::{Interpreter, RuntimeError};
use crate::model::observed_ranges::observed_ranges;
use crate::model::state_layout::{CellRange, Repacking, StateLayout};
use crate::model::successor_batch::SuccessorBatch;
use crate::model::transition_system::{Execution, ExecutionError, MAX_PREDICATES};
use crate::model::value_ranges::proved_ranges;
use crate::property::watch::PropertyWatch;
use crate::property::{Property, PropertyKind};
use crate::store::layer::LayerFull;
use crate::verdict::replay::{ReplayError, ReplayedTrace, replay};
use crate::verdict::trace_log::TraceLog;
use crate::verdict::{Evidence, UnknownReason, Verdict};

/// In which order states are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Breadth-first, everything in memory: shortest traces.
    #[default]
    Breadth,
    /// Depth-first, everything in memory.
    Depth,
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

/// How a model is to be checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The search.
    pub engine: Engine,
    /// When to stop.
    pub limits: Limits,
    /// What to do about run-time errors.
    pub on_runtime_error: OnRuntimeError,
    /// Whether to explore all states even when all properties are decided.
    pub explore_all: bool,
    /// How states are packed.
    pub packing: Packing,
    /// Where the trace log may put its file.
    pub disk: PathBuf,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            engine: Engine::default(),
            limits: Limits::default(),
            on_runtime_error: OnRuntimeError::default(),
            explore_all: false,
            packing: Packing::default(),
            disk: std::env::temp_dir(),
        }
    }
}

/// A run-time error of the model, with the run that leads to it.
#[derive(Clone, Debug)]
pub struct ModelError {
    /// What went wrong.
    pub error: RuntimeError,
    /// The run to the state in which it goes wrong.
    pub trace: ReplayedTrace,
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

/// Everything that is known after a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One verdict for each property, in order.
    pub verdicts: Vec<Verdict>,
    /// The first run-time error.
    pub error: Option<ModelError>,
    /// Whether every reachable state was met.
    pub complete: bool,
    /// Why not.
    pub stopped: Option<StopReason>,
    /// Number of different states that were met.
    pub distinct: u64,
    /// What the search counted.
    pub counters: Counters,
    /// The greatest number of bytes for states, their index and the buffers around them.
    pub peak_state_bytes: u64,
    /// Bytes that the trace log wrote to disk.
    pub disk_bytes: u64,
    /// The layout at the end of the run.
    pub layout: StateLayout,
    /// How often a value outgrew its field.
    pub widenings: u32,
}

/// A run that could not be made or finished.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// More expressions than a search evaluates together.
    #[error("at most {MAX_PREDICATES} expressions can be checked in one run, and there are {0}")]
    TooManyPredicates(usize),
    /// The model could not be made executable.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    /// There is no memory even for the beginning.
    #[error("the search cannot begin: {0}")]
    NoMemory(LayerFull),
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
pub fn check<E: Execution>(
    model: &GuardedCommands,
    execution: &E,
    properties: &[Property],
    plan: &Plan,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, CheckError> {
    let predicates = PropertyWatch::predicates(properties).len();
    if predicates > MAX_PREDICATES {
        return Err(CheckError::TooManyPredicates(predicates));
    }
    let packing = PackedRanges::choose(model, plan.packing);
    let width = packing.layout.words();
    let no_memory = |error| CheckError::NoMemory(LayerFull::System(error));
    match plan.engine {
        Engine::Breadth => {
            let search = BreadthSearch::new(width, plan.limits).map_err(no_memory)?;
            Run::new(model, execution, properties, plan, packing, search).finish(monitor)
        }
        Engine::Depth => {
            let search = DepthSearch::new(width, plan.limits).map_err(no_memory)?;
            Run::new(model, execution, properties, plan, packing, search).finish(monitor)
        }
    }
}

/// A layout together with the ranges it was made from.
struct PackedRanges {
    proved: Vec<CellRange>,
    wanted: Vec<CellRange>,
    layout: StateLayout,
}

impl PackedRanges {
    fn choose(model: &GuardedCommands, packing: Packing) -> Self {
        let proved = proved_ranges(model);
        let layout = StateLayout::proved(model, &proved);
        if packing == Packing::Proved || (packing == Packing::Auto && layout.words() == 1) {
            return Self { wanted: proved.clone(), proved, layout };
        }
        let wanted = observed_ranges(model);
        let tight = StateLayout::observed(model, &wanted, &proved);
        if packing == Packing::Observed || tight.words() < layout.words() {
            Self { proved, wanted, layout: tight }
        } else {
            Self { wanted: proved.clone(), proved, layout }
        }
    }
}

/// One run of a search.
struct Run<'a, E: Execution, Q> {
    model: &'a GuardedCommands,
    interpreter: Interpreter<'a>,
    execution: &'a E,
    properties: &'a [Property],
    plan: &'a Plan,
    packing: PackedRanges,
    search: Q,
    observer: Both<PropertyWatch, Option<TraceLog>>,
    error: Option<ModelError>,
    widenings: u32,
    /// The most that a repacking took.
    peak_bytes: usize,
}

impl<'a, E: Execution, Q: Search> Run<'a, E, Q> {
    fn new(
        model: &'a GuardedCommands,
        execution: &'a E,
        properties: &'a [Property],
        plan: &'a Plan,
        packing: PackedRanges,
        search: Q,
    ) -> Self {
        // A run without properties shows no traces, unless it goes wrong: `GoOn` only counts errors.
        let traces = !properties.is_empty() || plan.on_runtime_error == OnRuntimeError::Stop;
        Self {
            model,
            interpreter: Interpreter::new(model),
            execution,
            properties,
            plan,
            packing,
            search,
            observer: Both(
                PropertyWatch::new(properties, plan.explore_all),
                traces.then(|| TraceLog::new(plan.disk.clone())),
            ),
            error: None,
            widenings: 0,
            peak_bytes: 0,
        }
    }

    fn finish(mut self, monitor: &mut dyn Monitor) -> Result<Outcome, CheckError> {
        let end = self.search_through(monitor)?;
        if let Some(record) = self.observer.0.undefined_at() {
            self.error = self.undefined_predicate(record)?;
        }
        let complete = if let SearchEnd::Complete(token) = end { Some(token) } else { None };
        let stopped = if let SearchEnd::Stopped(reason) = end { Some(reason) } else { None };
        let verdicts = (0..self.properties.len())
            .map(|number| self.verdict(number, complete, stopped.as_ref()))
            .collect::<Result<Vec<_>, _>>()?;
        let observer_bytes = self.observer.1.as_ref().map_or(0, TraceLog::bytes_held);
        Ok(Outcome {
            verdicts,
            error: self.error,
            complete: complete.is_some(),
            stopped,
            distinct: self.search.stored() as u64,
            counters: self.search.counters(),
            peak_state_bytes: (self.search.bytes() + observer_bytes).max(self.peak_bytes) as u64,
            disk_bytes: self.observer.1.as_ref().map_or(0, TraceLog::disk_bytes),
            layout: self.packing.layout,
            widenings: self.widenings,
        })
    }

    fn search_through(&mut self, monitor: &mut dyn Monitor) -> Result<SearchEnd, CheckError> {
        let predicates = PropertyWatch::predicates(self.properties);
        let mut system = self.execution.prepare(self.model, &self.packing.layout, &predicates)?;
        let mut initial = SuccessorBatch::new(self.packing.layout.words(), 1);
        self.encode_into(&mut initial, &[(ActionId(0), self.model.initial_state())]);
        self.search.start::<E::System<'a>, _>(&initial, &mut self.observer).map_err(CheckError::NoMemory)?;
        loop {
            let end = self.search.run(&system, &mut self.observer, monitor);
            let SearchEnd::Trouble(record) = end else { return Ok(end) };
            let mut state = Vec::new();
            self.packing.layout.decode(self.search.state(record), &mut state);
            let successors = self.interpreter.successors(&state);
            let mut good = Vec::with_capacity(successors.len());
            let mut error = None;
            for (action, result) in successors {
                match result {
                    Ok(state) => good.push((action, state)),
                    Err(found) => error = error.or(Some((action, found))),
                }
            }
            if self.widen(&good) {
                let repacked = self.repack();
                if let Err(full) = repacked {
                    return Ok(SearchEnd::Stopped(StopReason::Memory(full)));
                }
                drop(system);
                system = self.execution.prepare(self.model, &self.packing.layout, &predicates)?;
                continue;
            }
            let kind = if error.is_some() { Successors::WithError } else { Successors::Steps(good.len()) };
            if let Some((action, error)) = error
                && self.error.is_none()
                && self.observer.1.is_some()
            {
                let trace = self.trace_to(record)?;
                self.error = Some(ModelError { error, trace, place: ErrorPlace::Action(action) });
            }
            let mut batch = SuccessorBatch::new(self.packing.layout.words(), 1);
            self.encode_into(&mut batch, &good);
            batch.end_state();
            // The state itself is well: properties are looked at before the error ends the run.
            if let Err(end) = self.search.supply(&system, &batch, kind, &mut self.observer) {
                return Ok(end);
            }
            if self.error.is_some() && self.plan.on_runtime_error == OnRuntimeError::Stop {
                return Ok(SearchEnd::Decided);
            }
        }
    }

    fn encode_into(&self, batch: &mut SuccessorBatch, states: &[(ActionId, Vec<i64>)]) {
        let mut packed = vec![0; self.packing.layout.words()];
        for (action, state) in states {
            self.packing
                .layout
                .encode(state, &mut packed)
                .expect("the layout holds these states: widen made sure");
            batch.push(*action, &packed);
        }
    }

    /// Makes room for values that do not fit; `false` if all of them do.
    fn widen(&mut self, successors: &[(ActionId, Vec<i64>)]) -> bool {
        let mut fits = true;
        let PackedRanges { proved, wanted, layout } = &mut self.packing;
        for (_, state) in successors {
            for (cell, &value) in state.iter().enumerate() {
                if !layout.fields()[cell].capacity().covers(CellRange::exactly(value)) {
                    fits = false;
                    // What outgrew its field once is likely to grow on, and each time costs a pass over all states.
                    let grown = wanted[cell].join(CellRange::exactly(value));
                    wanted[cell] = grown.doubled(proved[cell]).doubled(proved[cell]);
                }
            }
        }
        !fits
    }

    /// Gives all stored states a layout for the widened ranges.
    fn repack(&mut self) -> Result<(), LayerFull> {
        let old = self.packing.layout.clone();
        // Values that fitted so far must fit again, also where the old fields had room to spare.
        let new = StateLayout::observed(self.model, &self.widened_ranges(&old), &self.packing.proved);
        self.widenings += 1;
        let repacking = Repacking::new(&old, &new);
        let peak = self.search.repack(new.words(), |state, packed| repacking.apply(state, packed))?;
        self.peak_bytes = self.peak_bytes.max(peak);
        self.packing.layout = new;
        Ok(())
    }

    fn widened_ranges(&mut self, old: &StateLayout) -> Vec<CellRange> {
        for ((range, field), proved) in
            self.packing.wanted.iter_mut().zip(old.fields()).zip(&self.packing.proved)
        {
            let held = field.capacity();
            let held = CellRange { low: held.low.max(proved.low), high: held.high.min(proved.high) };
            *range = range.join(held);
        }
        self.packing.wanted.clone()
    }

    fn trace_to(&mut self, record: Record) -> Result<ReplayedTrace, CheckError> {
        let log = self.observer.1.as_mut().expect("traces are asked for only where they are logged");
        Ok(replay(&self.interpreter, log.actions_to(record)?)?)
    }

    fn undefined_predicate(&mut self, record: Record) -> Result<Option<ModelError>, CheckError> {
        let trace = self.trace_to(record)?;
        let state = trace.trace().last_state();
        for (number, property) in self.properties.iter().enumerate() {
            if let Some(expression) = property.kind.expression()
                && let Err(error) = self.interpreter.evaluate(expression, state)
            {
                return Ok(Some(ModelError { error, trace, place: ErrorPlace::Property(number) }));
            }
        }
        Err(CheckError::WrongTrace("run-time error in a property".into()))
    }

    fn verdict(
        &mut self,
        number: usize,
        complete: Option<CompleteSearch>,
        stopped: Option<&StopReason>,
    ) -> Result<Verdict, CheckError> {
        let property = &self.properties[number];
        if let PropertyKind::Ltl = property.kind {
            let reason = "this version reads Büchi property processes, but does not check them yet";
            return Ok(Verdict::Unknown(UnknownReason::NotSupported(reason.into())));
        }
        if let Some(record) = self.observer.0.decided(number) {
            let trace = self.trace_to(record)?;
            if !self.shows(property, &trace) {
                return Err(CheckError::WrongTrace(property.name.clone()));
            }
            return Ok(match property.kind {
                PropertyKind::Reachable(_) => Verdict::Holds(Evidence::Trace(trace)),
                _ => Verdict::Violated(Evidence::Trace(trace)),
            });
        }
        Ok(match (complete, &self.error, stopped) {
            (_, Some(_), _) => Verdict::Unknown(UnknownReason::RuntimeError),
            (Some(token), None, _) => match property.kind {
                PropertyKind::Reachable(_) => Verdict::Violated(Evidence::Search(token)),
                _ => Verdict::Holds(Evidence::Search(token)),
            },
            (None, None, Some(reason)) => Verdict::Unknown(UnknownReason::Stopped(reason.clone())),
            (None, None, None) => return Err(CheckError::WrongTrace(property.name.clone())),
        })
    }

    /// Whether the last state of the trace decides the property, by the interpreter's word.
    fn shows(&self, property: &Property, trace: &ReplayedTrace) -> bool {
        let state = trace.trace().last_state();
        match &property.kind {
            PropertyKind::DeadlockFree => self.interpreter.successors(state).is_empty(),
            PropertyKind::Invariant(expression) => self.interpreter.evaluate(expression, state) == Ok(0),
            PropertyKind::Reachable(expression) => {
                self.interpreter.evaluate(expression, state).is_ok_and(|value| value != 0)
            }
            PropertyKind::Ltl => false,
        }
    }
}
