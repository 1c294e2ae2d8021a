//! Accepting cycles inside one layer.
//!
//! A cycle of the product along which progress never changes lies in one layer. The first sweep
//! that expands one of its states expands all of them in that layer. So when a layer is complete,
//! its strongly connected components decide. A component with a step inside and an accepting state
//! is an accepted run. When progress is monotone there are no other cycles. (Lilleskare's thesis,
//! 2017, calls this the single-layer search.)
//!
//! A large layer is searched whenever it has doubled. So a violation is found long before all of
//! the layer is explored, for about twice the time of one search.

use std::ops::ControlFlow;

use super::components::LayerComponents;
use super::progress_graph::{ProgressComponents, ProgressGraph};
use crate::explore::observer::{Step, Successors};
use crate::explore::{Observer, Record};
use model::transition_system::Truth;

/// Number of states of a layer at which it is searched for the first time.
const FIRST_LOOK: usize = 1 << 14;

/// Search for accepting cycles, layer by layer.
#[derive(Debug)]
pub struct AcceptingCycles {
    layer: LayerComponents,
    /// The number of states at which the layer is searched next.
    next_look: usize,
    /// Whether some state of the layer accepts.
    accepts: bool,
    /// The progress value of the layer.
    value: u64,
    progress: ProgressGraph,
    found: Option<AcceptingState>,
    undefined_at: Option<Record>,
}

/// An accepting state on an accepting cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptingState {
    /// The number of the state.
    pub record: Record,
    /// The automaton's part of the state.
    pub automaton: u32,
}

impl Default for AcceptingCycles {
    fn default() -> Self {
        Self {
            layer: LayerComponents::default(),
            next_look: FIRST_LOOK,
            accepts: false,
            value: 0,
            progress: ProgressGraph::default(),
            found: None,
            undefined_at: None,
        }
    }
}

impl AcceptingCycles {
    /// A state of the cycle that was found.
    pub fn found(&self) -> Option<AcceptingState> {
        self.found
    }

    /// Components of progress values in which accepting cycles across layers can be.
    pub fn across_layers(&self) -> ProgressComponents {
        self.progress.components()
    }

    /// A state in which a proposition has no value.
    pub fn undefined_at(&self) -> Option<Record> {
        self.undefined_at
    }

    /// Searches the layer, as far as it is known. Ends the search if there is an accepting cycle.
    fn look(&mut self) -> ControlFlow<()> {
        if self.accepts {
            self.progress.accepts(self.value);
        }
        if self.accepts && self.found.is_none() {
            let found = self.layer.accepting();
            self.found =
                found.map(|(record, truth)| AcceptingState { record, automaton: (truth >> 1) as u32 });
        }
        if self.found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Observes the states of a product. The first predicate of a state says whether the automaton
/// accepts there; the others are the automaton's state.
impl Observer for AcceptingCycles {
    #[inline]
    fn taken(&mut self, record: Record, _: &[u64], truth: Truth, _: Successors) -> ControlFlow<()> {
        if truth.undefined != 0 {
            self.undefined_at = Some(record);
            return ControlFlow::Break(());
        }
        self.layer.add_state(truth.holds);
        self.accepts |= truth.holds & 1 != 0;
        if self.layer.states() < self.next_look {
            return ControlFlow::Continue(());
        }
        self.next_look *= 2;
        self.look()
    }

    #[inline(always)]
    fn wants_truth(&self) -> bool {
        true
    }

    fn wants_steps(&self) -> bool {
        true
    }

    fn wants_whole_layers(&self) -> bool {
        true
    }

    #[inline(always)]
    fn step(&mut self, step: Step<'_>) {
        if let Some(to) = step.number {
            self.layer.add_inner_step(step.from, to);
        }
    }

    #[inline(always)]
    fn progress_step(&mut self, before: u64, after: u64) {
        self.progress.step(before, after);
    }

    fn layer_begins(&mut self, first: Record, progress: u64) {
        self.layer.begin(first);
        self.next_look = FIRST_LOOK;
        self.accepts = false;
        self.value = progress;
    }

    fn layer_ends(&mut self) -> ControlFlow<()> {
        self.look()
    }

    fn bytes(&self) -> usize {
        self.layer.bytes() + self.progress.bytes()
    }
}
