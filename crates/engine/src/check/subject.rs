//! What a check needs of a model besides its transition system.

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
use model::state_layout::Field;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{ExecutionError, TransitionSystem};

/// States of a component that are computed to be shown and tested; larger ones are shown in part.
const COMPONENT: usize = 100_000;

/// A model that can be checked: it can be executed on packed states, and it has a meaning apart from that, by which everything
/// is tested that a search claims.
pub trait Subject {
    /// What states are judged by.
    type Predicate: Clone;
    /// The model as a search sees it.
    type System: TransitionSystem;
    /// A state as people see it.
    type State: Clone + Eq + Hash;
    /// A run of the model.
    type Run;
    /// A run-time error.
    type Fault;

    /// Words of a packed state at present.
    fn words(&self) -> usize;

    /// Bits of a state that are in use.
    fn bits(&self) -> usize;

    /// Whether there is a progress measure.
    fn has_measure(&self) -> bool;

    /// Bits that values of the measure take, if that is known.
    fn progress_bits(&self) -> Option<u32> {
        None
    }

    /// How values of the measure are compared.
    fn comparison(&self) -> Comparison {
        Comparison::Total
    }

    /// Makes the model executable with the present layout of states.
    fn prepare(&self, predicates: &[Self::Predicate]) -> Result<Self::System, ExecutionError>;

    /// Appends the packed initial states, each with a number by which [`replay`](Self::replay) finds it again.
    fn initial(&self, batch: &mut SuccessorBatch);

    /// Expands a state that the system could not expand: appends its successors, or gives states another layout.
    fn expand(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Expanded<Self::Fault>;

    /// Unpacks a state.
    fn decode(&self, state: &[u64]) -> Self::State;

    /// Executes a run that a search logged.
    fn replay(&self, run: &LoggedRun) -> Result<Self::Run, ReplayError>;

    /// The state in which a run ends.
    fn last_state(run: &Self::Run) -> &Self::State;

    /// All states of a run, of which there is at least one.
    fn states(run: &Self::Run) -> Vec<&Self::State>;

    /// Where the cells of a state lie at present, if states are made of cells.
    fn fields(&self) -> &[Field] {
        &[]
    }

    /// Looks at states and steps, to tell what they are like, if states are made of cells.
    fn survey(&self) -> Option<Survey> {
        None
    }

    /// From now on, steps are left out that are not needed for what is to be kept; `false` if nobody knows which.
    fn reduce(&mut self, _kept: Kept) -> bool {
        false
    }

    /// So many bits, in one word of every packed state, that are always zero at present: the word, and the lowest of them.
    fn spare_bits(&self, _bits: u32) -> Option<(usize, u32)> {
        None
    }

    /// Whether the predicate is true.
    fn holds(&self, predicate: &Self::Predicate, state: &Self::State) -> Result<bool, Self::Fault>;

    /// Adds everything that the model means to the fingerprint: models that differ must differ here,
    /// whatever the layout of their states is at present.
    fn identify(&self, fingerprint: &mut Fingerprint);

    /// Adds everything that a predicate means to the fingerprint of a property.
    fn identify_predicate(&self, predicate: &Self::Predicate, fingerprint: &mut Fingerprint);

    /// Saves the present layout of states.
    fn save(&self, _to: &mut Saver) -> io::Result<()> {
        Ok(())
    }

    /// From now on states have the layout that was saved.
    fn load(&mut self, _from: &mut Loader) -> io::Result<()> {
        Ok(())
    }

    /// The states that one step leads to, erroneous steps left out.
    fn successors(&self, state: &Self::State) -> Vec<Self::State>;

    /// Whether there is no step at all, not even an erroneous one.
    fn is_terminal(&self, state: &Self::State) -> bool;

    /// How many actions it has, as far as that is known.
    fn actions(&self) -> usize {
        0
    }

    /// The numbers of the processes that take part in each action. Empty for models that are not made of processes.
    fn processes_of_actions(&self) -> Vec<Vec<u32>> {
        Vec::new()
    }

    /// Actions that do not wait for ever, whatever is asked of runs.
    fn fair_actions(&self) -> Vec<(ActionId, Strength)> {
        Vec::new()
    }

    /// The actions that can be taken in the state. Nobody asks models that are not made of processes.
    fn enabled(&self, _state: &Self::State) -> Vec<ActionId> {
        Vec::new()
    }

    /// All that can be reached from the state; `None` if the predicate does not have the same truth everywhere.
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

/// How [`Subject::expand`] went.
pub enum Expanded<F> {
    /// The successors are in the batch; a step that is an error is not among them.
    Successors(Option<(ActionId, F)>),
    /// States have another layout now, and this translates them.
    Widened(Translation),
}
