//! Subjects: the requirements of a check on a model besides its transition system.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;
use std::io;

use super::identity::Fingerprint;
pub use crate::explore::search::Translation;
use crate::progress::Comparison;
use crate::property::survey::Survey;
use crate::reduce::Kept;
use crate::store::saved::{Loader, Saver};
use crate::verdict::Component;
use crate::verdict::replay::ReplayError;
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::{ActionId, Strength};
use model::records::RecordShape;
use model::state_layout::Field;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, TransitionSystem};

/// Most states of a component that are computed to be shown and tested. Larger components are shown
/// in part.
const COMPONENT: usize = 100_000;

/// A model that can be checked. It executes on packed states, and it also has an independent
/// semantics by which every claim of a search is tested.
pub trait Subject {
    /// A predicate over states.
    type Predicate: Clone;
    /// The model as a search sees it.
    type System: TransitionSystem;
    /// An unpacked state, as shown to users.
    type State: Clone + Eq + Hash;
    /// A run of the model.
    type Run;
    /// A run-time error.
    type Fault;

    /// Words of a packed state in the current layout; of states of varying length, their mean.
    fn words(&self) -> usize;

    /// Shape of packed states in the current layout.
    fn shape(&self) -> RecordShape {
        RecordShape::Fixed(self.words())
    }

    /// Number of bits of a state that are in use.
    fn bits(&self) -> usize;

    /// Whether there is a progress measure.
    fn has_measure(&self) -> bool;

    /// Number of bits of a progress value, if known.
    fn progress_bits(&self) -> Option<u32> {
        None
    }

    /// The comparison of progress values.
    fn comparison(&self) -> Comparison {
        Comparison::Total
    }

    /// Makes the model executable with the current layout of states.
    fn prepare(&self, predicates: &[Self::Predicate]) -> Result<Self::System, ExecutionError>;

    /// Appends the packed initial states, each with a number by which [`replay`](Self::replay)
    /// finds it again.
    fn initial(&self, batch: &mut SuccessorBatch);

    /// Expands a state that the system could not expand: appends its successors, or gives states
    /// another layout.
    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<Self::Fault>;

    /// Unpacks a state.
    fn decode(&self, state: &[u64]) -> Self::State;

    /// Executes a run that a search logged.
    fn replay(&self, run: &LoggedRun) -> Result<Self::Run, ReplayError>;

    /// The state in which a run ends.
    fn last_state(run: &Self::Run) -> &Self::State;

    /// All states of a run, at least one.
    fn states(run: &Self::Run) -> Vec<&Self::State>;

    /// The positions of the cells in a state in the current layout, if states consist of cells.
    fn fields(&self) -> &[Field] {
        &[]
    }

    /// An observer that surveys values and actions, if states consist of cells.
    fn survey(&self) -> Option<Survey> {
        None
    }

    /// Reduces the model from now on: leaves out steps that `_kept` does not need. Returns `false`
    /// if this kind of model has no reduction.
    fn reduce(&mut self, _kept: Kept) -> bool {
        false
    }

    /// Bits in one word of every packed state that are always zero in the current layout: the word,
    /// and the lowest bit.
    fn spare_bits(&self, _bits: u32) -> Option<(usize, u32)> {
        None
    }

    /// Whether the predicate is true in the state.
    fn holds(&self, predicate: &Self::Predicate, state: &Self::State) -> Result<bool, Self::Fault>;

    /// Adds the semantics of the model to the fingerprint. Models that differ must differ here, for
    /// every layout of their states.
    fn identify(&self, fingerprint: &mut Fingerprint);

    /// Adds the semantics of a predicate to the fingerprint of a property.
    fn identify_predicate(&self, predicate: &Self::Predicate, fingerprint: &mut Fingerprint);

    /// Saves the current layout of states.
    fn save(&self, _to: &mut Saver) -> io::Result<()> {
        Ok(())
    }

    /// Restores the layout of states that was saved.
    fn load(&mut self, _from: &mut Loader) -> io::Result<()> {
        Ok(())
    }

    /// The states that one step leads to, without erroneous steps.
    fn successors(&self, state: &Self::State) -> Vec<Self::State>;

    /// Whether the state has no step at all, not even an erroneous one.
    fn is_terminal(&self, state: &Self::State) -> bool;

    /// Number of actions; zero if unknown.
    fn actions(&self) -> usize {
        0
    }

    /// The numbers of the processes that take part in each action. Empty for models without
    /// processes.
    fn processes_of_actions(&self) -> Vec<Vec<u32>> {
        Vec::new()
    }

    /// Actions that the model itself declares fair.
    fn fair_actions(&self) -> Vec<(ActionId, Strength)> {
        Vec::new()
    }

    /// The actions that are enabled in the state. Only for models with processes.
    fn enabled(&self, _state: &Self::State) -> Vec<ActionId> {
        Vec::new()
    }

    /// All states reachable from this one. `None` if the predicate does not have this truth in all
    /// of them.
    fn component(
        &self,
        state: &Self::State,
        predicate: &Self::Predicate,
        truth: bool,
    ) -> Option<Component<Self::State>> {
        let mut seen = HashSet::from([state.clone()]);
        let mut queue = VecDeque::from([state.clone()]);
        let mut states = Vec::new();
        while let Some(next) = queue.pop_front() {
            if self.holds(predicate, &next).ok()? != truth {
                return None;
            }
            if states.len() == COMPONENT {
                return Some(Component { states, complete: false });
            }
            for successor in self.successors(&next) {
                if seen.insert(successor.clone()) {
                    queue.push_back(successor);
                }
            }
            states.push(next);
        }
        Some(Component { states, complete: true })
    }
}

/// The result of [`Subject::expand`].
pub enum Expanded<F> {
    /// The successors are in the batch. A step that is a run-time error is not among them.
    Successors(Option<(ActionId, F)>),
    /// States have another layout now. The translation converts them.
    Widened(Translation),
}
