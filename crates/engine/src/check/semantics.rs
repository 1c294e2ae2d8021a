//! The semantics of a model, independent of how searches execute it.
//!
//! A search works on packed states, often in machine code. Each of its claims is tested here before
//! it becomes a verdict: a trace is replayed step by step, and its states are judged by the model
//! itself.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

use crate::store::fingerprint::Fingerprint;
use crate::verdict::Component;
use crate::verdict::replay::ReplayError;
use crate::verdict::trace_log::LoggedRun;
use model::guarded_commands::ActionId;

/// Most states of a component that are computed to be shown and tested. Larger components are shown
/// in part.
const COMPONENT: usize = 100_000;

/// What a model means: its steps, its runs, and the truth of predicates.
pub trait Semantics {
    /// A predicate over states.
    type Predicate: Clone;
    /// An unpacked state, as shown to users.
    type State: Clone + Eq + Hash;
    /// A run of the model.
    type Run;
    /// A run-time error.
    type Fault;

    /// The steps from a state: each action that is enabled, with the state that it leads to. A step
    /// that is a run-time error leads to no state.
    fn steps(&self, state: &Self::State) -> Vec<(ActionId, Option<Self::State>)>;

    /// Whether the predicate is true in the state.
    fn holds(&self, predicate: &Self::Predicate, state: &Self::State) -> Result<bool, Self::Fault>;

    /// Executes a run that a search logged.
    fn replay(&self, run: &LoggedRun) -> Result<Self::Run, ReplayError>;

    /// All states of a run, at least one.
    fn states(run: &Self::Run) -> Vec<&Self::State>;

    /// The state in which a run ends.
    fn last_state(run: &Self::Run) -> &Self::State;

    /// Adds the model to the fingerprint. Models that differ must differ here, for every layout of
    /// their states.
    fn identify(&self, fingerprint: &mut Fingerprint);

    /// Adds a predicate to the fingerprint of a property.
    fn identify_predicate(&self, predicate: &Self::Predicate, fingerprint: &mut Fingerprint);

    /// Whether the state has no step at all, not even an erroneous one.
    fn is_terminal(&self, state: &Self::State) -> bool {
        self.steps(state).is_empty()
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
            for successor in self.steps(&next).into_iter().filter_map(|(_, successor)| successor) {
                if seen.insert(successor.clone()) {
                    queue.push_back(successor);
                }
            }
            states.push(next);
        }
        Some(Component { states, complete: true })
    }
}
