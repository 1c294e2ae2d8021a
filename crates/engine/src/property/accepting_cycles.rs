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

use serde::{Deserialize, Serialize};

use super::components::LayerComponents;
use super::progress_graph::{ProgressComponents, ProgressGraph};
use crate::explore::Record;

/// Number of states of a layer at which it is searched for the first time.
const FIRST_LOOK: usize = 1 << 14;

/// Search for accepting cycles, layer by layer.
#[derive(Debug, Serialize, Deserialize)]
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
}

/// An accepting state on an accepting cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        }
    }
}

impl AcceptingCycles {
    /// Begins a layer of this progress value, whose states have numbers from `first` on.
    pub fn begin(&mut self, first: Record, progress: u64) {
        self.layer.begin(first);
        self.next_look = FIRST_LOOK;
        self.accepts = false;
        self.value = progress;
    }

    /// Adds a step out of the layer.
    #[inline]
    pub fn add_progress(&mut self, before: u64, after: u64) {
        self.progress.step(before, after);
    }

    /// Components of progress values in which accepting cycles across layers can be.
    pub fn across_layers(&self) -> ProgressComponents {
        self.progress.components()
    }

    /// Adds the next state, with its predicates. Returns `true` if a cycle was found, which ends
    /// the search.
    pub fn add_state(&mut self, truth: u64) -> bool {
        self.layer.add_state(truth);
        self.accepts |= truth & 1 != 0;
        if self.layer.states() < self.next_look {
            return false;
        }
        self.next_look *= 2;
        self.look()
    }

    /// Adds a step inside the layer.
    #[inline]
    pub fn add_step(&mut self, from: Record, to: Record) {
        self.layer.add_inner_step(from, to);
    }

    /// Searches the layer, as far as it is known. Returns `true` if there is an accepting cycle.
    pub fn look(&mut self) -> bool {
        if self.accepts {
            self.progress.accepts(self.value);
        }
        if self.accepts && self.found.is_none() {
            let found = self.layer.accepting();
            self.found =
                found.map(|(record, truth)| AcceptingState { record, automaton: (truth >> 1) as u32 });
        }
        self.found.is_some()
    }

    /// A state of the cycle that was found.
    pub fn found(&self) -> Option<AcceptingState> {
        self.found
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.layer.bytes() + self.progress.bytes()
    }
}
