//! A model together with an automaton that watches it: again a transition system.
//!
//! A state of the product is a state of the model and one of the automaton, which lies in bits that the model's states do not need, or in a word of its own. A step of the
//! product is a step of the model and one of the automaton whose label is true *before* it, so labels are evaluated once for each state and
//! not for each step. Several steps of the automaton for one of the model are several steps of the product with the same action: a list of actions is a run
//! of the model, and that is all that is ever shown.

use std::sync::Arc;

use super::fairness::FairnessConditions;
use super::linear::{DeadEnds, LinearProperty};
use logic::buchi::{Buchi, Cube};
use logic::strong_components::strong_components;
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, Expansion, MAX_ACTIONS, TransitionSystem, Truth};

/// The action of a state without successors that is repeated.
pub const REPEATED: ActionId = ActionId(MAX_ACTIONS as u32 - 1);

/// Successors of the model that are computed together.
const TOGETHER: usize = 64;
/// Bits of a progress value.
const MOST_BITS: u32 = 63;

/// Where the automaton's state lies in a state of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Words of a state of the model.
    model: usize,
    word: usize,
    shift: u32,
    mask: u64,
}

impl Place {
    /// For automata of so many states, in bits of the model's states from this one on, or else in a word of its own.
    pub fn new(model: usize, states: usize, spare: Option<(usize, u32)>) -> Self {
        let mask = (1 << Self::bits(states)) - 1;
        let (word, shift) = spare.unwrap_or((model, 0));
        Self { model, word, shift, mask }
    }

    /// Bits that automata of so many states need.
    pub fn bits(states: usize) -> u32 {
        (states.max(2) - 1).ilog2() + 1
    }

    /// Words of a state of the product.
    pub fn words(&self) -> usize {
        self.model.max(self.word + 1)
    }

    /// The automaton's state.
    #[inline]
    pub fn automaton(&self, state: &[u64]) -> u32 {
        (state[self.word] >> self.shift & self.mask) as u32
    }

    /// Appends the model's state.
    #[inline]
    pub fn append_model(&self, state: &[u64], to: &mut Vec<u64>) {
        let start = to.len();
        to.extend_from_slice(&state[..self.model]);
        if self.word < self.model {
            to[start + self.word] &= !(self.mask << self.shift);
        }
    }

    /// A state of the product, in place of what there is.
    #[inline]
    pub fn join(&self, model: &[u64], automaton: u32, to: &mut Vec<u64>) {
        to.clear();
        to.extend_from_slice(model);
        to.resize(self.words(), 0);
        to[self.word] |= u64::from(automaton) << self.shift;
    }
}

/// The automaton, as far as a search needs it. If only fair runs count, a state of it has the counter of [`fairness`](super::fairness) in its lowest bits, and what is guessed above them.
#[derive(Clone, Debug)]
pub struct Acceptor {
    edges: Vec<Vec<(Cube, u32)>>,
    accepting: Vec<bool>,
    /// Whether a cycle through the state may be accepted.
    in_cycles: Vec<bool>,
    initial: Vec<u32>,
    /// The propositions that each state asks for.
    asked: Vec<u64>,
    dead_ends: DeadEnds,
    /// If only fair runs count.
    fair: Option<FairnessConditions>,
    /// Bits of the counter.
    counter: u32,
    /// Bits of the counter and of what is guessed.
    beside: u32,
    /// If the automaton's progress counts below that of the model.
    ranks: Option<Ranks>,
}

/// The automaton's components in topological order: whatever it reads, it never goes back, and cycles of the product stay in one of them. So where the model's progress stands
/// still the component is progress, and layers become smaller.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// By state of the automaton.
    of: Vec<u64>,
    bits: u32,
    /// Whether the model has progress of its own.
    below_model: bool,
}

impl Ranks {
    /// These, below the progress of the model, which takes so many bits, or has none. Not if there is only one, or no room for them.
    pub fn new(of: Vec<u64>, model: Option<u32>) -> Option<Self> {
        let count = of.iter().max().map_or(0, |last| last + 1);
        let bits = Place::bits(count as usize);
        let is_useful = count > 1 && model.unwrap_or(0) + bits <= MOST_BITS;
        is_useful.then_some(Self { of, bits, below_model: model.is_some() })
    }

    /// Appends the progress of states of the product: of the model's part, if it has progress, and of the automaton's below it.
    pub fn append(
        &self,
        model: impl FnOnce(&mut Vec<u64>),
        automata: impl ExactSizeIterator<Item = usize>,
        values: &mut Vec<u64>,
    ) {
        let start = values.len();
        if self.below_model {
            model(values);
        } else {
            values.resize(start + automata.len(), 0);
        }
        for (value, automaton) in values[start..].iter_mut().zip(automata) {
            *value = *value << self.bits | self.of[automaton];
        }
    }
}

impl Acceptor {
    /// Of a property, for the runs that meet these conditions, or for all.
    pub fn new<P>(property: &LinearProperty<P>, fair: Option<FairnessConditions>) -> Self {
        let automaton: &Buchi = property.automaton();
        let counter = fair.as_ref().map_or(0, |fair| Place::bits(fair.levels() as usize));
        let guesses = fair.as_ref().map_or(1, FairnessConditions::guesses);
        let guess_bits = if guesses > 1 { Place::bits(guesses as usize) } else { 0 };
        let states = automaton.states.iter();
        Self {
            edges: states
                .clone()
                .map(|edges| edges.iter().map(|edge| (edge.label, edge.target)).collect())
                .collect(),
            asked: states
                .clone()
                .map(|edges| edges.iter().fold(0, |asked, edge| asked | edge.label.holds | edge.label.fails))
                .collect(),
            accepting: states.map(|edges| edges.first().is_some_and(|edge| edge.accepting != 0)).collect(),
            in_cycles: automaton.accepting_components(),
            initial: automaton.initial.clone(),
            dead_ends: property.runs().dead_ends,
            counter,
            beside: counter + guess_bits,
            fair,
            ranks: None,
        }
    }

    /// Lets the automaton's components count as progress, below that of the model, which takes so many bits, or has none. Not if the automaton has only one, or there is no room for
    /// their numbers.
    pub fn with_ranks(self, model: Option<u32>) -> Self {
        let successors: Vec<Vec<u32>> =
            self.edges.iter().map(|edges| edges.iter().map(|(_, target)| *target).collect()).collect();
        Self { ranks: Ranks::new(strong_components(&successors).ranks(), model), ..self }
    }

    /// Whether it makes progress of its own.
    pub fn has_ranks(&self) -> bool {
        self.ranks.is_some()
    }

    /// Bits of a progress value below those of the model.
    pub fn rank_bits(&self) -> u32 {
        self.ranks.as_ref().map_or(0, |ranks| ranks.bits)
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.edges.len() << self.beside
    }

    /// The states in which it starts.
    pub fn initial(&self) -> impl Iterator<Item = u32> {
        self.initial.iter().map(|state| state << self.beside)
    }

    #[inline]
    fn mode(&self, state: u32) -> usize {
        (state >> self.beside) as usize
    }

    #[inline]
    fn guess(&self, state: u32) -> u32 {
        (state & ((1 << self.beside) - 1)) >> self.counter
    }

    /// Whether all that had to be guessed is.
    #[inline]
    fn is_guessed(&self, state: u32) -> bool {
        self.fair.as_ref().is_none_or(|fair| fair.is_guessed(self.guess(state)))
    }

    #[inline]
    fn level(&self, state: u32) -> u32 {
        state & ((1 << self.counter) - 1)
    }

    /// Whether it accepts by passing this state for ever.
    #[inline]
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[self.mode(state)] && self.level(state) == 0 && self.is_guessed(state)
    }

    /// Whether a cycle through this state may be accepted.
    #[inline]
    pub fn may_cycle(&self, state: u32) -> bool {
        self.in_cycles[self.mode(state)] && self.is_guessed(state)
    }

    /// The propositions that it asks for in this state: others need not have a value.
    #[inline]
    pub fn asked(&self, state: u32) -> u64 {
        self.asked[self.mode(state)]
    }

    /// Where it goes from a state of the model in which these propositions hold, with the counter at zero.
    #[inline]
    pub fn targets(&self, state: u32, propositions: u64, targets: &mut Vec<u32>) {
        targets.clear();
        let guess = self.guess(state) << self.counter;
        for (label, target) in &self.edges[self.mode(state)] {
            let target = target << self.beside | guess;
            if label.is_true_of(propositions) && !targets.contains(&target) {
                targets.push(target);
            }
        }
        if let Some(fair) = &self.fair
            && !self.is_guessed(state)
        {
            for number in 0..targets.len() {
                let target = targets[number];
                let guesses = (1..fair.guesses()).map(|guess| target | guess << self.counter);
                targets.extend(guesses.filter(|guessed| self.may_cycle(*guessed)));
            }
        }
    }

    /// The target with the counter as it is after a step out of this state, in which these processes can move, by an action.
    #[inline]
    fn counted(&self, target: u32, state: u32, can_move: u64, action: ActionId) -> u32 {
        match &self.fair {
            // Where nothing is accepted any more there is nothing to count.
            Some(fair) if self.may_cycle(target) => {
                let accepts = self.accepting[self.mode(state)];
                let met = fair.met(self.guess(target), can_move, fair.of(action));
                target | fair.next_level(self.level(state), accepts, met)
            }
            _ => target,
        }
    }

    /// What fair runs meet, if only those count.
    pub fn fairness(&self) -> Option<&FairnessConditions> {
        self.fair.as_ref()
    }

    /// Whether states without successors are repeated.
    pub fn repeats_dead_ends(&self) -> bool {
        self.dead_ends == DeadEnds::Repeated
    }
}

/// A model and an automaton that watches it.
#[derive(Debug)]
pub struct Product<S> {
    model: S,
    place: Place,
    acceptor: Arc<Acceptor>,
}

impl<S> Product<S> {
    /// The product of a model that evaluates the propositions, and an automaton.
    pub fn new(model: S, place: Place, acceptor: Arc<Acceptor>) -> Self {
        Self { model, place, acceptor }
    }
}

/// A state of the product that is expanded: its two parts, and where the automaton goes.
pub struct Expanding<'s> {
    /// The model's part.
    pub state: &'s [u64],
    /// The automaton's.
    pub automaton: u32,
    /// By [`Acceptor::targets`].
    pub targets: &'s [u32],
}

/// Appends the steps of one state: each step of the model with each of the automaton.
pub fn append_steps<'s>(
    place: Place,
    acceptor: &Acceptor,
    Expanding { state, automaton, targets }: Expanding,
    steps: impl ExactSizeIterator<Item = (ActionId, &'s [u64])> + Clone,
    batch: &mut SuccessorBatch,
    joined: &mut Vec<u64>,
) {
    let fair = acceptor.fair.as_ref();
    let can_move = fair.map_or(0, |fair| steps.clone().fold(0, |all, (action, _)| all | fair.of(action)));
    let is_end = steps.len() == 0;
    if fair.is_some_and(|fair| can_move & fair.excluded(acceptor.guess(automaton)) != 0) {
        return;
    }
    let mut append = |action, successor: &[u64]| {
        for target in targets {
            place.join(successor, acceptor.counted(*target, automaton, can_move, action), joined);
            batch.push(action, joined);
        }
    };
    steps.for_each(|(action, successor)| append(action, successor));
    if is_end && acceptor.repeats_dead_ends() {
        append(REPEATED, state);
    }
}

impl<S: TransitionSystem> TransitionSystem for Product<S> {
    fn state_words(&self) -> usize {
        self.place.words()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ProductExpander {
            model: self.model.expander(),
            place: self.place,
            acceptor: &self.acceptor,
            states: Vec::new(),
            batch: SuccessorBatch::new(self.place.model, TOGETHER),
            targets: Vec::new(),
            joined: Vec::new(),
        })
    }
}

/// An expander of the model, and buffers for the model's part of states.
struct ProductExpander<'s> {
    model: Box<dyn Expander + 's>,
    place: Place,
    acceptor: &'s Acceptor,
    states: Vec<u64>,
    batch: SuccessorBatch,
    targets: Vec<u32>,
    joined: Vec<u64>,
}

impl Expander for ProductExpander<'_> {
    fn expand(&mut self, states: &[u64], batch: &mut SuccessorBatch) -> Expansion {
        let Self { model, place, acceptor, states: plain, batch: steps, targets, joined } = self;
        let words = place.words();
        plain.clear();
        states.chunks_exact(words).for_each(|state| place.append_model(state, plain));
        let mut done = 0;
        while done * words < states.len() && !batch.is_full() {
            steps.clear();
            let expansion = model.expand(&plain[done * place.model..], steps);
            let mut start = 0;
            for &end in steps.ends() {
                let state = &plain[done * place.model..(done + 1) * place.model];
                let automaton = place.automaton(&states[done * words..]);
                acceptor.targets(automaton, model.predicates(state).holds, targets);
                let range = start as usize..end as usize;
                let successors = range.map(|i| (steps.action(i), steps.state(i)));
                append_steps(
                    *place,
                    acceptor,
                    Expanding { state, automaton, targets },
                    successors,
                    batch,
                    joined,
                );
                batch.end_state();
                start = end;
                done += 1;
            }
            if expansion.trouble {
                return Expansion { states: done, trouble: true };
            }
        }
        Expansion { states: done, trouble: false }
    }

    /// Whether the automaton's state accepts, and above that bit, which state it is.
    fn predicates(&mut self, state: &[u64]) -> Truth {
        let automaton = self.place.automaton(state);
        self.states.clear();
        self.place.append_model(state, &mut self.states);
        let asked = self.acceptor.asked(automaton);
        let undefined = self.model.predicates(&self.states).undefined & asked != 0;
        let accepts = u64::from(self.acceptor.is_accepting(automaton));
        Truth { holds: accepts | u64::from(automaton) << 1, undefined: u64::from(undefined) }
    }

    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>) {
        let Self { model, place, acceptor, states: plain, .. } = self;
        plain.clear();
        for state in states.chunks_exact(place.words()) {
            place.append_model(state, plain);
        }
        let Some(ranks) = &acceptor.ranks else { return model.progress(plain, values) };
        let modes = states.chunks_exact(place.words()).map(|state| acceptor.mode(place.automaton(state)));
        ranks.append(|values| model.progress(plain, values), modes, values);
    }
}
