//! The table of a service in a product with a model: the automaton's state tells where the product
//! violates the service.
//!
//! An internal step does not move the deterministic automaton, and an event moves it. An illegal
//! event leads to a state of its own, where the run ends: everything after it would be a violation,
//! too. The automaton is deterministic. So a list of actions is a run of both. A state of the model
//! is visited as often as there are different pasts for the service.
//!
//! A predicate marks the states that violate the service. So the search for a false invariant finds
//! them.

use super::product::{Automaton, ProductState, Ranks, Scratch};
use super::service::{Halt, ServiceProperty};
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::Truth;

/// The predicate of states that violate the service.
pub const VIOLATED: u64 = 1;

/// The predicate of states in which no run may end.
pub const UNFINISHED: u64 = 2;

/// The deterministic automaton of a service, as a table.
#[derive(Clone, Debug)]
pub struct ServiceTable {
    /// The next state: for each state, one for each event, and then one for internal actions.
    next: Vec<u32>,
    /// Number of columns: one for each event, and one for internal actions.
    columns: usize,
    /// The column of each action.
    column_of: Vec<u32>,
    /// Whether each state is final, without the one after an illegal event.
    is_final: Vec<bool>,
    /// Whether a predicate of the model defines where runs end.
    asks_model: bool,
    /// The automaton's progress, if it counts because the model has none.
    ranks: Option<Ranks>,
}

impl ServiceTable {
    /// The table of a service.
    pub fn new<P>(service: &ServiceProperty<P>) -> Self {
        let automaton = service.automaton();
        let (states, internal) = (automaton.states(), automaton.events().len() as u32);
        let row = |state: u32| {
            let step = move |event| automaton.step(state, event).unwrap_or(states);
            (0..internal).map(step).chain([state])
        };
        Self {
            next: (0..states).flat_map(row).collect(),
            columns: internal as usize + 1,
            column_of: service.events().iter().map(|event| event.unwrap_or(internal)).collect(),
            is_final: (0..states).map(|state| automaton.is_final(state)).collect(),
            asks_model: matches!(service.halt(), Halt::When(_)),
            ranks: None,
        }
    }

    /// Lets the components of the automaton be the progress of a model that has none.
    pub fn with_ranks<P>(self, service: &ServiceProperty<P>) -> Self {
        let mut ranks = service.automaton().ranks();
        // The state after an illegal event.
        ranks.push(ranks.iter().max().map_or(0, |last| last + 1));
        Self { ranks: Ranks::new(ranks, None), ..self }
    }

    /// The state after an action. Undefined for the state after an illegal event.
    #[inline]
    fn after(&self, state: u32, action: ActionId) -> u32 {
        let internal = self.columns as u32 - 1;
        let column = self.column_of.get(action.0 as usize).copied().unwrap_or(internal);
        self.next[state as usize * self.columns + column as usize]
    }
}

impl Automaton for ServiceTable {
    const READS_STATES: bool = false;

    /// Number of states, including the one after an illegal event.
    fn states(&self) -> usize {
        self.is_final.len() + 1
    }

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn append_steps<'s>(
        &self,
        from: &ProductState<'_>,
        steps: impl ExactSizeIterator<Item = (ActionId, &'s [u64])> + Clone,
        batch: &mut SuccessorBatch,
        Scratch { joined, .. }: &mut Scratch,
    ) {
        for (action, successor) in steps {
            from.place.join(successor, self.after(from.automaton, action), joined);
            batch.push(action, joined);
        }
    }

    fn asks_model(&self, state: u32) -> bool {
        self.asks_model && !self.is_closed(state) && !self.is_final[state as usize]
    }

    /// [`VIOLATED`] and [`UNFINISHED`].
    fn truth(&self, state: u32, model: Truth) -> Truth {
        if self.is_closed(state) {
            return Truth { holds: VIOLATED, undefined: 0 };
        }
        if self.is_final[state as usize] {
            return Truth::default();
        }
        Truth { holds: model.holds & VIOLATED | UNFINISHED, undefined: model.undefined & VIOLATED }
    }

    /// Whether this is the state after an illegal event.
    #[inline]
    fn is_closed(&self, state: u32) -> bool {
        state as usize == self.is_final.len()
    }

    fn ranks(&self) -> Option<&Ranks> {
        self.ranks.as_ref()
    }
}
