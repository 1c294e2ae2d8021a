//! The product of a model with an automaton that moves along with it: again a transition system.
//!
//! A state of the product is a state of the model and one of the automaton. The latter is stored in
//! bits that the model's states do not need, or in a word of its own. The [`Automaton`] defines its
//! steps and the predicates of a state. A [Büchi automaton](super::acceptor) reads the truth of
//! propositions *before* the step, so labels are evaluated once for each state and not for each
//! step. A [service](super::service_table) reads the action.
//!
//! Several steps of the automaton for one of the model are several steps of the product with the
//! same action. So a list of actions is a run of the model, and traces show nothing else.

use std::fmt::Debug;
use std::sync::Arc;

use model::guarded_commands::ActionId;
use model::records::RecordShape;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, Expansion, MAX_ACTIONS, TransitionSystem, Truth};

/// The action of a step that the model does not have: the repetition of a state without successors.
pub const REPEATED: ActionId = ActionId(MAX_ACTIONS as u32 - 1);

/// Number of successors of the model that are computed together.
const TOGETHER: usize = 64;
/// Number of bits of a progress value.
const MOST_BITS: u32 = 63;

/// An automaton that moves along with a model.
pub trait Automaton: Debug + Send + Sync {
    /// Whether its steps depend on the predicates of the model's state.
    const READS_STATES: bool;

    /// Number of states.
    fn states(&self) -> usize;

    /// The initial states.
    fn initial(&self) -> Vec<u32>;

    /// Appends the steps of one state of the product to the batch.
    fn append_steps<'s>(
        &self,
        from: &ProductState<'_>,
        steps: impl ExactSizeIterator<Item = (ActionId, &'s [u64])> + Clone,
        batch: &mut SuccessorBatch,
        scratch: &mut Scratch,
    );

    /// Whether the predicates of a product state with this state of the automaton depend on those
    /// of the model's state.
    fn asks_model(&self, state: u32) -> bool;

    /// The predicates of a state of the product, given those of the model's state, if they matter.
    fn truth(&self, state: u32, model: Truth) -> Truth;

    /// Whether the truth of states has the bit [`INTERMEDIATE`](crate::explore::inner_steps::INTERMEDIATE).
    fn marks_intermediate(&self) -> bool {
        false
    }

    /// Whether the run has ended for the automaton. Such a state has one step, to itself, and the
    /// model does not expand it.
    #[inline]
    fn is_closed(&self, _state: u32) -> bool {
        false
    }

    /// The automaton's own progress, if it counts.
    fn ranks(&self) -> Option<&Ranks>;

    /// The index of the state in [`ranks`](Self::ranks).
    #[inline]
    fn ranked(&self, state: u32) -> usize {
        state as usize
    }
}

/// A state of the product during its expansion.
#[derive(Clone, Copy, Debug)]
pub struct ProductState<'s> {
    /// The position of the automaton's part.
    pub place: Place,
    /// The model's part.
    pub model: &'s [u64],
    /// The automaton's part.
    pub automaton: u32,
    /// The predicates that hold in the model's part, if the automaton reads them.
    pub holds: u64,
}

/// Buffers of an expansion.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// States of the automaton.
    pub targets: Vec<u32>,
    /// A state of the product.
    pub joined: Vec<u64>,
}

/// The position of the automaton's state in a state of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Shape of a state of the model.
    model: RecordShape,
    /// A word of the model's states with spare bits, and the lowest of them. Without spare bits,
    /// the automaton's state is in a word of its own, the last.
    spare: Option<(usize, u32)>,
    mask: u64,
}

impl Place {
    /// Creates a place for automata with this many states. It is in spare bits of the model's
    /// states, given by word and lowest bit, or else in a word of its own.
    pub fn new(model: RecordShape, states: usize, spare: Option<(usize, u32)>) -> Self {
        Self { model, spare, mask: (1 << Self::bits(states)) - 1 }
    }

    /// Number of bits that the states of such an automaton need.
    pub fn bits(states: usize) -> u32 {
        (states.max(2) - 1).ilog2() + 1
    }

    /// Shape of a state of the product.
    #[inline]
    pub fn shape(&self) -> RecordShape {
        if self.spare.is_some() { self.model } else { self.model.extended() }
    }

    /// The automaton's state in the product state at the beginning of these words.
    #[inline]
    pub fn automaton(&self, state: &[u64]) -> u32 {
        let (word, shift) = self.spare.unwrap_or_else(|| (self.shape().len_of(state) - 1, 0));
        (state[word] >> shift & self.mask) as u32
    }

    /// Appends the model's state.
    #[inline]
    pub fn append_model(&self, state: &[u64], to: &mut Vec<u64>) {
        let (start, state) = (to.len(), self.shape().first(state));
        match self.spare {
            Some((word, shift)) => {
                to.extend_from_slice(state);
                to[start + word] &= !(self.mask << shift);
            }
            None => self.model.append_shortened(state, to),
        }
    }

    /// Combines a state of the product, which replaces the contents of the buffer.
    #[inline]
    pub fn join(&self, model: &[u64], automaton: u32, to: &mut Vec<u64>) {
        to.clear();
        match self.spare {
            Some((word, shift)) => {
                to.extend_from_slice(model);
                to[word] |= u64::from(automaton) << shift;
            }
            None => self.model.append_extended(model, u64::from(automaton), to),
        }
    }
}

/// The ranks of the automaton's components, in topological order. The automaton never returns to an
/// earlier component, and a cycle of the product stays in one of them. So among states of equal
/// progress the component is progress, and layers become smaller.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// The rank of each state of the automaton.
    of: Vec<u64>,
    bits: u32,
    /// Whether the model has progress of its own.
    below_model: bool,
}

impl Ranks {
    /// Ranks below the progress of the model, which takes `model` bits, or has none. `None` if
    /// there is only one rank, or no room for them.
    pub fn new(of: Vec<u64>, model: Option<u32>) -> Option<Self> {
        let count = of.iter().max().map_or(0, |last| last + 1);
        let bits = Place::bits(count as usize);
        let is_useful = count > 1 && model.unwrap_or(0) + bits <= MOST_BITS;
        is_useful.then_some(Self { of, bits, below_model: model.is_some() })
    }

    /// Number of bits of a progress value below those of the model.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Appends the progress of states of the product: that of the model's part, if it has progress,
    /// and that of the automaton's part below it.
    pub fn append(
        &self,
        model: impl FnOnce(&mut Vec<u64>),
        automata: impl Iterator<Item = usize> + Clone,
        values: &mut Vec<u64>,
    ) {
        let start = values.len();
        if self.below_model {
            model(values);
        } else {
            values.resize(start + automata.clone().count(), 0);
        }
        for (value, automaton) in values[start..].iter_mut().zip(automata) {
            *value = *value << self.bits | self.of[automaton];
        }
    }
}

/// A model and an automaton that moves along with it.
#[derive(Debug)]
pub struct Product<S, A> {
    model: S,
    place: Place,
    automaton: Arc<A>,
}

impl<S, A: Automaton> Product<S, A> {
    /// The product of a model that evaluates the predicates, and an automaton.
    pub fn new(model: S, place: Place, automaton: Arc<A>) -> Self {
        Self { model, place, automaton }
    }
}

impl<S: TransitionSystem, A: Automaton> TransitionSystem for Product<S, A> {
    fn shape(&self) -> RecordShape {
        self.place.shape()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ProductExpander {
            model: self.model.expander(),
            place: self.place,
            automaton: &*self.automaton,
            states: Vec::new(),
            batch: SuccessorBatch::new(self.place.model, TOGETHER),
            truths: Vec::new(),
            scratch: Scratch::default(),
        })
    }
}

/// An expander of the model, with buffers for the model's part of states.
struct ProductExpander<'s, A> {
    model: Box<dyn Expander + 's>,
    place: Place,
    automaton: &'s A,
    states: Vec<u64>,
    batch: SuccessorBatch,
    /// Truths of the model's predicates.
    truths: Vec<Truth>,
    scratch: Scratch,
}

impl<A: Automaton> ProductExpander<'_, A> {
    /// Expands states that are not closed, up to a full batch. Returns their number.
    fn expand_open(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let Self { model, place, automaton, states: plain, batch: steps, truths, scratch } = self;
        let shape = place.shape();
        plain.clear();
        shape.states(states).for_each(|state| place.append_model(state, plain));
        let (mut done, mut rest, mut model_rest) = (0, states, &plain[..]);
        while !rest.is_empty() && !batch.is_full() {
            steps.clear();
            let expansion = model.expand(model_rest, steps);
            truths.clear();
            if A::READS_STATES {
                let expanded = place.model.words_of(model_rest, expansion.states);
                model.predicates(&model_rest[..expanded], truths);
            }
            let mut start = 0;
            for (number, &end) in steps.ends().iter().enumerate() {
                let state = place.model.first(model_rest);
                let from = ProductState {
                    place: *place,
                    model: state,
                    automaton: place.automaton(rest),
                    holds: truths.get(number).map_or(0, |truth| truth.holds),
                };
                let successors = (start as usize..end as usize).map(|i| (steps.action(i), steps.state(i)));
                automaton.append_steps(&from, successors, batch, scratch);
                batch.end_state();
                rest = &rest[shape.len_of(rest)..];
                model_rest = &model_rest[state.len()..];
                start = end;
                done += 1;
            }
            if expansion.trouble {
                return Expansion { states: done, trouble: true };
            }
        }
        Expansion { states: done, trouble: false }
    }
}

impl<A: Automaton> Expander for ProductExpander<'_, A> {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let (place, automaton, shape) = (self.place, self.automaton, self.place.shape());
        let is_open = |state: &&[u64]| !automaton.is_closed(place.automaton(state));
        let (mut done, mut rest) = (0, states);
        while !rest.is_empty() && !batch.is_full() {
            let (state, others) = rest.split_at(shape.len_of(rest));
            if !is_open(&state) {
                // A step to itself, instead of none: this is not a terminal state of the model.
                batch.push(REPEATED, state);
                batch.end_state();
                (done, rest) = (done + 1, others);
                continue;
            }
            let open = shape.states(rest).take_while(is_open).map(<[u64]>::len).sum();
            let expansion = self.expand_open(&rest[..open], batch);
            done += expansion.states;
            rest = &rest[shape.words_of(rest, expansion.states)..];
            if expansion.trouble {
                return Expansion { states: done, trouble: true };
            }
        }
        Expansion { states: done, trouble: false }
    }

    fn predicates(&mut self, states: &[u64], truths: &mut Vec<Truth>) {
        let Self { model, place, automaton, states: plain, truths: answers, .. } = self;
        plain.clear();
        answers.clear();
        let states = place.shape().states(states).map(|state| (state, place.automaton(state)));
        for (state, automaton_state) in states.clone() {
            if automaton.asks_model(automaton_state) {
                place.append_model(state, plain);
            }
        }
        if !plain.is_empty() {
            model.predicates(plain, answers);
        }
        let mut answers = answers.iter();
        truths.extend(states.map(|(_, state)| {
            let model = if automaton.asks_model(state) { answers.next().copied() } else { None };
            automaton.truth(state, model.unwrap_or_default())
        }));
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        let Self { model, place, automaton, states: plain, .. } = self;
        plain.clear();
        for state in place.shape().states(states) {
            place.append_model(state, plain);
        }
        let Some(ranks) = automaton.ranks() else { return model.progress(plain, values) };
        let ranked = place.shape().states(states).map(|state| automaton.ranked(place.automaton(state)));
        ranks.append(|values| model.progress(plain, values), ranked, values);
    }
}
