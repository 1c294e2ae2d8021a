//! Recorder of the graph of a search, while the search runs.

use std::io;
use std::ops::ControlFlow;

use crate::explore::observer::{Step, Successors};
use crate::explore::{Observer, Record};
use crate::store::compact_graph::RecordedGraph;
use crate::store::compact_graph::recording::{GraphMemory, GraphRecording};
use crate::store::external::disk::Disk;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::Truth;

/// Records states and steps. Needs a search that takes states in the order of their numbers.
#[derive(Debug)]
pub struct GraphRecorder {
    recording: GraphRecording,
    /// The propositions.
    asked: u64,
    undefined_at: Option<Record>,
    layer_begins: bool,
    /// The progress value of the layer.
    value: Option<u64>,
    /// Whether progress values have only increased so far. Then no state was visited twice, and
    /// every state has one number only.
    is_first_sweep: bool,
    failure: Option<io::Error>,
}

impl GraphRecorder {
    /// Creates a recorder for states of this shape and this many propositions, which are the first
    /// predicates of the system.
    pub fn new(disk: &Disk, shape: RecordShape, propositions: usize, memory: GraphMemory) -> Self {
        Self {
            recording: GraphRecording::new(disk, shape, propositions, memory),
            asked: !u64::MAX.unbounded_shl(propositions as u32),
            undefined_at: None,
            layer_begins: true,
            value: None,
            is_first_sweep: true,
            failure: None,
        }
    }

    /// Records the initial states of the search.
    pub fn begin(&mut self, initial: &SuccessorBatch) {
        for number in 0..initial.len() {
            self.recording.add_initial(initial.action(number).0, initial.state(number));
        }
    }

    /// A state in which a proposition has no value.
    pub fn undefined_at(&self) -> Option<Record> {
        self.undefined_at
    }

    /// Builds the graph of a complete search. It calls `may_continue` now and then. If that returns
    /// `false`, the error has the kind `Interrupted`.
    pub fn finish(self, may_continue: &mut dyn FnMut() -> bool) -> io::Result<RecordedGraph> {
        self.failure.map_or(Ok(()), Err)?;
        self.recording.finish(may_continue)
    }

    fn note(&mut self, result: io::Result<()>) {
        if let (Err(error), None) = (result, &self.failure) {
            self.failure = Some(error);
        }
    }
}

impl Observer for GraphRecorder {
    fn taken(&mut self, record: Record, state: &[u64], truth: Truth, _: Successors) -> ControlFlow<()> {
        debug_assert_eq!(record, self.recording.states(), "states are taken in the order of their numbers");
        if truth.undefined & self.asked != 0 {
            self.undefined_at = Some(record);
            return ControlFlow::Break(());
        }
        let begins = std::mem::take(&mut self.layer_begins);
        let added = self.recording.add_state(state, truth.holds, begins);
        self.note(added);
        ControlFlow::Continue(())
    }

    fn wants_truth(&self) -> bool {
        true
    }

    fn wants_steps(&self) -> bool {
        true
    }

    #[inline]
    fn step(&mut self, step: Step<'_>) {
        let Step { from, action, target, number } = step;
        let added = match number.filter(|_| self.is_first_sweep) {
            Some(number) => self.recording.add_numbered_step(from, action.0, number),
            None => self.recording.add_step(from, action.0, target),
        };
        if added.is_err() {
            self.note(added);
        }
    }

    fn layer_begins(&mut self, _: Record, value: u64) {
        self.layer_begins = true;
        self.is_first_sweep &= self.value.is_none_or(|before| before < value);
        self.value = Some(value);
    }

    fn repack(&mut self, width: usize, translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {
        let repacked = self.recording.repack(width, translate);
        self.note(repacked);
    }

    fn failure(&self) -> Option<String> {
        self.failure.as_ref().map(|error| format!("the graph cannot be written: {error}"))
    }

    fn bytes(&self) -> usize {
        self.recording.bytes()
    }
}
