//! Intermediate states and the steps to them, which a search counts apart.
//!
//! Intermediate states are inside an atomic sequence, and no states of the model. Whether a step
//! leads to one follows from its action, so no target is looked at. [Expanded](IntermediateStates)
//! ones are told by a predicate, which only models with such states have.

use std::sync::Arc;

use model::successor_batch::SuccessorBatch;
use model::transition_system::Truth;
use serde::{Deserialize, Serialize};

/// The bit in the truth of a state of a product by which it marks intermediate states.
pub const INTERMEDIATE: u64 = 1 << 63;

/// The actions that lead to intermediate states. By default there are none.
#[derive(Clone, Debug, Default)]
pub struct InnerActions(Option<Arc<[bool]>>);

impl InnerActions {
    /// Creates the set from one flag for each action.
    pub fn new(flags: &[bool]) -> Self {
        Self(flags.contains(&true).then(|| flags.into()))
    }

    /// Number of actions of the model; zero if none leads to an intermediate state.
    pub fn actions(&self) -> usize {
        self.0.as_ref().map_or(0, |flags| flags.len())
    }

    /// Number of steps to intermediate states among steps by these actions. Actions that the model
    /// does not have lead to no other state.
    #[inline]
    pub fn count(&self, actions: &[u32]) -> u64 {
        let Some(flags) = &self.0 else { return 0 };
        actions.iter().filter(|action| flags.get(**action as usize) == Some(&true)).count() as u64
    }

    /// The same for the steps of a batch.
    #[inline]
    pub fn count_batch(&self, batch: &SuccessorBatch) -> u64 {
        self.count(batch.actions(0..batch.len()))
    }

    /// The same, given how often each action was taken.
    pub fn count_taken(&self, taken: &[u32]) -> u64 {
        let Some(flags) = &self.0 else { return 0 };
        flags.iter().zip(taken).filter(|(flag, _)| **flag).map(|(_, taken)| u64::from(*taken)).sum()
    }
}

/// Counts the intermediate states that a search expands.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct IntermediateStates {
    /// Bits of a truth that tell them.
    pub bits: u64,
    /// Their number so far.
    pub count: u64,
}

impl IntermediateStates {
    /// Whether this is the truth of an intermediate state.
    #[inline]
    pub fn includes(&self, truth: Truth) -> bool {
        truth.holds & self.bits != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_by_their_actions() {
        let inner = InnerActions::new(&[false, true, true]);
        assert_eq!(inner.count(&[0, 1, 2, 1, 9]), 3);
        assert_eq!(inner.count_taken(&[5, 2, 1]), 3);
        assert_eq!(inner.actions(), 3);
        let none = InnerActions::new(&[false; 3]);
        assert_eq!((none.count(&[1, 2]), none.count_taken(&[1, 1, 1]), none.actions()), (0, 0, 0));
    }
}
