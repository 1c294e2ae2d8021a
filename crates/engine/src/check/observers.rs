//! The observers of a search, as named fields.
//!
//! A search is generic over its observer. Checks use only this one, so each search is compiled
//! once. An observer that is not needed is `None` and costs a branch.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use crate::explore::inner_steps::IntermediateStates;
use crate::explore::observer::{Step, Successors};
use crate::explore::{Observer, Record};
use crate::property::accepting_cycles::AcceptingCycles;
use crate::property::ctl::graph_recorder::GraphRecorder;
use crate::property::survey::Survey;
use crate::property::terminal_states::TerminalStates;
use crate::property::watch::PropertyWatch;
use crate::store::saved::{Loader, Saver};
use crate::verdict::trace_log::{LoggedRun, TraceLog};
use model::guarded_commands::ActionId;
use model::transition_system::Truth;

/// All observers of a search. By default, none has anything to do.
#[derive(Debug, Default)]
pub(super) struct Observers {
    /// Decides properties on the fly.
    pub(super) watch: PropertyWatch,
    /// Finds accepting cycles, in a product with an automaton.
    pub(super) cycles: Option<AcceptingCycles>,
    /// Logs the origins of states, for traces.
    pub(super) log: Option<TraceLog>,
    /// Collects states without successors.
    pub(super) terminal: Option<TerminalStates>,
    /// Surveys values and actions.
    pub(super) survey: Option<Survey>,
    /// Records the graph.
    pub(super) graph: Option<GraphRecorder>,
    /// Counts intermediate states, if the model has any.
    pub(super) intermediate: Option<IntermediateStates>,
}

impl Observers {
    /// The run to a state.
    ///
    /// # Panics
    /// If there is no log. Traces are requested only where they are logged.
    pub(super) fn run_to(&mut self, record: Record) -> io::Result<LoggedRun> {
        self.log.as_mut().expect("traces are asked for only where they are logged").run_to(record)
    }

    /// The first state in which a predicate has no value.
    pub(super) fn undefined_at(&self) -> Option<Record> {
        self.watch
            .undefined_at()
            .or_else(|| self.cycles.as_ref()?.undefined_at())
            .or_else(|| self.graph.as_ref()?.undefined_at())
    }

    /// Saves the observations. Cycles and graphs are not saved: their searches have no checkpoints.
    pub(super) fn save(&mut self, to: &mut Saver) -> io::Result<()> {
        to.put(&self.watch)?;
        self.log.as_mut().map_or(Ok(()), |log| log.save(to))?;
        self.terminal.as_ref().map_or(Ok(()), |terminal| terminal.save(to))?;
        to.put(&self.survey)?;
        to.put(&self.intermediate)
    }

    /// Loads saved observations. They replace what these observers saw of the initial states.
    pub(super) fn load(&mut self, from: &mut Loader, log_directory: &Path) -> io::Result<()> {
        self.watch = from.get()?;
        if let Some(log) = &mut self.log {
            *log = TraceLog::new(log_directory.to_owned());
            log.load(from)?;
        }
        self.terminal.as_mut().map_or(Ok(()), |terminal| terminal.load(from))?;
        self.survey = from.get()?;
        self.intermediate = from.get()?;
        Ok(())
    }
}

/// Every observer receives every event, including the one at which another observer ends the
/// search.
impl Observer for Observers {
    #[inline(always)]
    fn taken(
        &mut self,
        record: Record,
        state: &[u64],
        truth: Truth,
        successors: Successors,
    ) -> ControlFlow<()> {
        let decided = self.watch.taken(record, state, truth, successors);
        let cycle = match &mut self.cycles {
            Some(cycles) => cycles.taken(record, state, truth, successors),
            None => ControlFlow::Continue(()),
        };
        if let Some(terminal) = &mut self.terminal {
            terminal.taken(state, successors);
        }
        let is_intermediate = self.intermediate.as_mut().is_some_and(|states| {
            let is_one = states.includes(truth);
            states.count += u64::from(is_one);
            is_one
        });
        if let Some(survey) = &mut self.survey {
            survey.taken(state, is_intermediate);
        }
        let undefined = match &mut self.graph {
            Some(graph) => graph.taken(record, state, truth, successors),
            None => ControlFlow::Continue(()),
        };
        decided?;
        cycle?;
        undefined
    }

    #[inline(always)]
    fn wants_truth(&self) -> bool {
        self.watch.wants_truth()
            || self.cycles.is_some()
            || self.graph.is_some()
            || self.intermediate.is_some()
    }

    #[inline(always)]
    fn stored(&mut self, parent: Option<Record>, action: ActionId) {
        if let Some(log) = &mut self.log {
            log.append(parent, action);
        }
    }

    fn retract(&mut self, first: Record, each: &mut dyn FnMut(Option<Record>, ActionId)) -> io::Result<()> {
        self.log.as_mut().map_or(Ok(()), |log| log.retract(first, each))
    }

    fn wants_origins(&self) -> bool {
        self.log.is_some()
    }

    #[inline(always)]
    fn step(&mut self, step: Step<'_>) {
        self.watch.step(step);
        if let Some(cycles) = &mut self.cycles {
            cycles.step(step);
        }
        if let Some(survey) = &mut self.survey {
            survey.step(step);
        }
        if let Some(graph) = &mut self.graph {
            graph.step(step);
        }
    }

    #[inline(always)]
    fn erroneous_step(&mut self, from: Record) {
        self.watch.erroneous_step(from);
        if let Some(survey) = &mut self.survey {
            survey.erroneous_step(from);
        }
    }

    fn wants_steps(&self) -> bool {
        self.watch.wants_steps() || self.cycles.is_some() || self.survey.is_some() || self.graph.is_some()
    }

    fn wants_whole_layers(&self) -> bool {
        self.watch.wants_whole_layers() || self.cycles.is_some() || self.survey.is_some()
    }

    #[inline(always)]
    fn progress_step(&mut self, before: u64, after: u64) {
        if let Some(cycles) = &mut self.cycles {
            cycles.progress_step(before, after);
        }
        if let Some(survey) = &mut self.survey {
            survey.progress_step(before, after);
        }
    }

    fn layer_begins(&mut self, first: Record, progress: u64) {
        self.watch.layer_begins(first, progress);
        if let Some(cycles) = &mut self.cycles {
            cycles.layer_begins(first, progress);
        }
        if let Some(survey) = &mut self.survey {
            survey.layer_begins(first);
        }
        if let Some(graph) = &mut self.graph {
            graph.layer_begins(first, progress);
        }
    }

    fn layer_ends(&mut self) -> ControlFlow<()> {
        let decided = self.watch.layer_ends();
        if let Some(survey) = &mut self.survey {
            survey.layer_ends();
        }
        decided?;
        self.cycles.as_mut().map_or(ControlFlow::Continue(()), Observer::layer_ends)
    }

    fn repack(&mut self, width: usize, translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {
        if let Some(terminal) = &mut self.terminal {
            terminal.repack(width, translate);
        }
        if let Some(graph) = &mut self.graph {
            graph.repack(width, translate);
        }
    }

    fn failure(&self) -> Option<String> {
        let log = self.log.as_ref().and_then(TraceLog::failure);
        log.or_else(|| self.graph.as_ref().and_then(Observer::failure))
    }

    fn bytes(&self) -> usize {
        self.watch.bytes()
            + self.cycles.as_ref().map_or(0, Observer::bytes)
            + self.log.as_ref().map_or(0, TraceLog::bytes_held)
            + self.terminal.as_ref().map_or(0, TerminalStates::bytes)
            + self.survey.as_ref().map_or(0, Survey::bytes)
            + self.graph.as_ref().map_or(0, Observer::bytes)
    }
}
