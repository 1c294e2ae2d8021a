//! A model together with a service: again a transition system.
//!
//! A state is one of the model and one of the deterministic automaton, at the [place](super::product::Place) where automata lie. An internal step leaves the automaton
//! where it is, an event moves it, and an illegal one leads to a state of the automaton of its own, where nothing goes on: everything behind it would be a violation, too.
//! There is no choice, so a state of the model is met as often as there are different pasts for the service, and a list of actions is a run of both.
//!
//! States that violate the service are told by a predicate, so that whatever finds a false invariant finds them.

use std::sync::Arc;

use super::product::{Place, REPEATED, Ranks};
use super::service::{Halt, ServiceProperty};
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, Expansion, TransitionSystem, Truth};

/// The predicate of states that violate the service.
pub const VIOLATED: u64 = 1;

/// The predicate of states in which no run may end.
pub const UNFINISHED: u64 = 2;

/// Successors of the model that are computed together.
const TOGETHER: usize = 64;

/// The automaton of a service, as far as a search needs it: a table.
#[derive(Clone, Debug)]
pub struct ServiceTable {
    /// For each state, the next one for each event, and then for internal actions.
    next: Vec<u32>,
    /// Events, and one for internal actions.
    columns: usize,
    /// For each action, its column.
    column_of: Vec<u32>,
    /// Of all states but the one behind an illegal event.
    is_final: Vec<bool>,
    /// Whether a predicate of the model tells where runs end.
    asks_model: bool,
    /// If its progress counts, because the model has none.
    ranks: Option<Ranks>,
}

impl ServiceTable {
    /// Of a service.
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

    /// Lets the components of the automaton be progress, for a model without any.
    pub fn with_ranks<P>(self, service: &ServiceProperty<P>) -> Self {
        let mut ranks = service.automaton().ranks();
        // Behind an illegal event.
        ranks.push(ranks.iter().max().map_or(0, |last| last + 1));
        Self { ranks: Ranks::new(ranks, None), ..self }
    }

    /// Whether it makes progress of its own.
    pub fn has_ranks(&self) -> bool {
        self.ranks.is_some()
    }

    /// Number of states, with the one behind an illegal event.
    pub fn states(&self) -> usize {
        self.is_final.len() + 1
    }

    /// Where it starts.
    pub fn initial(&self) -> u32 {
        0
    }

    /// Whether this is the state behind an illegal event.
    #[inline]
    pub fn is_illegal(&self, state: u32) -> bool {
        state as usize == self.is_final.len()
    }

    /// Where it goes with an action. Not from behind an illegal event.
    #[inline]
    pub fn after(&self, state: u32, action: ActionId) -> u32 {
        let internal = self.columns as u32 - 1;
        let column = self.column_of.get(action.0 as usize).copied().unwrap_or(internal);
        self.next[state as usize * self.columns + column as usize]
    }
}

/// A model, and a service that it must conform to.
#[derive(Debug)]
pub struct ServiceProduct<S> {
    model: S,
    place: Place,
    table: Arc<ServiceTable>,
}

impl<S> ServiceProduct<S> {
    /// The product of a model that evaluates what the service asks for, and the service.
    pub fn new(model: S, place: Place, table: Arc<ServiceTable>) -> Self {
        Self { model, place, table }
    }
}

/// Appends the steps of one state whose automaton is in state `from`.
pub fn append_steps<'s>(
    (place, table): (Place, &ServiceTable),
    from: u32,
    steps: impl Iterator<Item = (ActionId, &'s [u64])>,
    batch: &mut SuccessorBatch,
    joined: &mut Vec<u64>,
) {
    for (action, successor) in steps {
        place.join(successor, table.after(from, action), joined);
        batch.push(action, joined);
    }
}

impl<S: TransitionSystem> TransitionSystem for ServiceProduct<S> {
    fn state_words(&self) -> usize {
        self.place.words()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let model_words = self.model.state_words();
        Box::new(ServiceExpander {
            model: self.model.expander(),
            model_words,
            place: self.place,
            table: &self.table,
            states: Vec::new(),
            batch: SuccessorBatch::new(model_words, TOGETHER),
            joined: Vec::new(),
        })
    }
}

/// An expander of the model, and buffers for the model's part of states.
struct ServiceExpander<'s> {
    model: Box<dyn Expander + 's>,
    model_words: usize,
    place: Place,
    table: &'s ServiceTable,
    states: Vec<u64>,
    batch: SuccessorBatch,
    joined: Vec<u64>,
}

impl Expander for ServiceExpander<'_> {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let Self { model, model_words, place, table, states: plain, batch: steps, joined } = self;
        let (words, model_words) = (place.words(), *model_words);
        let count = states.len() / words;
        let state = |number: usize| &states[number * words..(number + 1) * words];
        let is_illegal = |number: usize| table.is_illegal(place.automaton(state(number)));
        let mut done = 0;
        while done < count && !batch.is_full() {
            if is_illegal(done) {
                // A step to itself, and not none: this is no end of the model's.
                batch.push(REPEATED, state(done));
                batch.end_state();
                done += 1;
                continue;
            }
            // The model is not asked for what lies behind an illegal event.
            let until = (done..count).find(|number| is_illegal(*number)).unwrap_or(count);
            plain.clear();
            (done..until).for_each(|number| place.append_model(state(number), plain));
            let mut expanded = 0;
            while done < until && !batch.is_full() {
                steps.clear();
                let expansion = model.expand(&plain[expanded * model_words..], steps);
                let mut start = 0;
                for &end in steps.ends() {
                    let range = start as usize..end as usize;
                    let successors = range.map(|i| (steps.action(i), steps.state(i)));
                    append_steps((*place, table), place.automaton(state(done)), successors, batch, joined);
                    batch.end_state();
                    start = end;
                    (done, expanded) = (done + 1, expanded + 1);
                }
                if expansion.trouble {
                    return Expansion { states: done, trouble: true };
                }
            }
        }
        Expansion { states: done, trouble: false }
    }

    /// [`VIOLATED`] and [`UNFINISHED`].
    fn predicates(&mut self, state: &[u64]) -> Truth {
        let automaton = self.place.automaton(state);
        if self.table.is_illegal(automaton) {
            return Truth { holds: VIOLATED, undefined: 0 };
        }
        if self.table.is_final[automaton as usize] {
            return Truth::default();
        }
        if !self.table.asks_model {
            return Truth { holds: UNFINISHED, undefined: 0 };
        }
        self.states.clear();
        self.place.append_model(state, &mut self.states);
        let halts = self.model.predicates(&self.states);
        Truth { holds: halts.holds & VIOLATED | UNFINISHED, undefined: halts.undefined & VIOLATED }
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        let Self { model, place, table, states: plain, .. } = self;
        plain.clear();
        for state in states.chunks_exact(place.words()) {
            place.append_model(state, plain);
        }
        let Some(ranks) = &table.ranks else { return model.progress(plain, values) };
        let automata = states.chunks_exact(place.words()).map(|state| place.automaton(state) as usize);
        ranks.append(|values| model.progress(plain, values), automata, values);
    }
}
