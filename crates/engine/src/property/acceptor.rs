//! A Büchi automaton in a product with a model: the product accepts the runs that violate a
//! linear-time property.

use super::fairness::FairnessConditions;
use super::linear::{DeadEnds, LinearProperty};
use super::product::{Automaton, Place, ProductState, REPEATED, Ranks, Scratch};
use crate::explore::inner_steps::INTERMEDIATE;
use logic::buchi::{Buchi, Cube};
use logic::strong_components::strong_components;
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::Truth;

/// A Büchi automaton in the form that a search needs. If only fair runs count, a state has the
/// counter of [`fairness`](super::fairness) in its lowest bits, and the guess above them.
#[derive(Clone, Debug)]
pub struct Acceptor {
    edges: Vec<Vec<(Cube, u32)>>,
    accepting: Vec<bool>,
    /// Whether a cycle through the state may be accepted.
    in_cycles: Vec<bool>,
    initial: Vec<u32>,
    /// The propositions that each state reads.
    asked: Vec<u64>,
    dead_ends: DeadEnds,
    /// The bit of the proposition that holds in states that the automaton does not read.
    skipped: u64,
    /// The fairness conditions, if only fair runs count.
    fair: Option<FairnessConditions>,
    /// Number of bits of the counter.
    counter: u32,
    /// Number of bits of the counter and of the guess.
    beside: u32,
    /// The automaton's progress, if it counts below that of the model.
    ranks: Option<Ranks>,
}

impl Acceptor {
    /// Creates the automaton of a property, for the runs that meet these conditions, or for all
    /// runs.
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
            skipped: property.skipped(),
            counter,
            beside: counter + guess_bits,
            fair,
            ranks: None,
        }
    }

    /// Lets the automaton's components count as progress, below that of the model. The model's
    /// progress takes `model` bits; `None` if it has none. No effect if the automaton has only one
    /// component, or there is no room for their numbers.
    pub fn with_ranks(self, model: Option<u32>) -> Self {
        let successors: Vec<Vec<u32>> =
            self.edges.iter().map(|edges| edges.iter().map(|(_, target)| *target).collect()).collect();
        Self { ranks: Ranks::new(strong_components(&successors).ranks(), model), ..self }
    }

    /// Number of bits of a progress value below those of the model.
    pub fn rank_bits(&self) -> u32 {
        self.ranks.as_ref().map_or(0, Ranks::bits)
    }

    #[inline]
    fn mode(&self, state: u32) -> usize {
        (state >> self.beside) as usize
    }

    #[inline]
    fn guess(&self, state: u32) -> u32 {
        (state & ((1 << self.beside) - 1)) >> self.counter
    }

    /// Whether the guess was made.
    #[inline]
    fn is_guessed(&self, state: u32) -> bool {
        self.fair.as_ref().is_none_or(|fair| fair.is_guessed(self.guess(state)))
    }

    #[inline]
    fn level(&self, state: u32) -> u32 {
        state & ((1 << self.counter) - 1)
    }

    /// Whether a run that passes this state infinitely often is accepted.
    #[inline]
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[self.mode(state)] && self.level(state) == 0 && self.is_guessed(state)
    }

    /// Whether a cycle through this state may be accepted.
    #[inline]
    pub fn may_cycle(&self, state: u32) -> bool {
        self.in_cycles[self.mode(state)] && self.is_guessed(state)
    }

    /// The propositions that the labels of this state read: others need not have a value.
    #[inline]
    fn asked(&self, state: u32) -> u64 {
        self.asked[self.mode(state)]
    }

    /// Computes the targets from a state of the model in which these propositions hold, with the
    /// counter at zero.
    #[inline]
    fn targets(&self, state: u32, propositions: u64, targets: &mut Vec<u32>) {
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

    /// The target with the counter after a step out of this state by an action. These processes can
    /// move in the state.
    #[inline]
    fn counted(&self, target: u32, state: u32, can_move: u64, action: ActionId) -> u32 {
        match &self.fair {
            // Where nothing is accepted any more, there is nothing to count.
            Some(fair) if self.may_cycle(target) => {
                let accepts = self.accepting[self.mode(state)];
                let met = fair.met(self.guess(target), can_move, fair.of(action));
                target | fair.next_level(self.level(state), accepts, met)
            }
            _ => target,
        }
    }

    /// The conditions of fair runs, if only fair runs count.
    pub fn fairness(&self) -> Option<&FairnessConditions> {
        self.fair.as_ref()
    }

    /// Whether states without successors are repeated.
    fn repeats_dead_ends(&self) -> bool {
        self.dead_ends == DeadEnds::Repeated
    }
}

impl Automaton for Acceptor {
    const READS_STATES: bool = true;

    fn states(&self) -> usize {
        self.edges.len() << self.beside
    }

    fn initial(&self) -> Vec<u32> {
        self.initial.iter().map(|state| state << self.beside).collect()
    }

    /// Combines each step of the model with each step of the automaton.
    fn append_steps<'s>(
        &self,
        from: &ProductState<'_>,
        steps: impl ExactSizeIterator<Item = (ActionId, &'s [u64])> + Clone,
        batch: &mut SuccessorBatch,
        Scratch { targets, joined }: &mut Scratch,
    ) {
        let ProductState { place, model, automaton, holds } = *from;
        let fair = self.fair.as_ref();
        let can_move = match fair {
            // That a process waits for an atomic sequence does not mean that it rests.
            _ if holds & self.skipped != 0 => u64::MAX,
            None => 0,
            Some(fair) => {
                let can_move = steps.clone().fold(0, |all, (action, _)| all | fair.of(action));
                if can_move & fair.excluded(self.guess(automaton)) != 0 {
                    return;
                }
                can_move
            }
        };
        self.targets(automaton, holds, targets);
        let is_end = steps.len() == 0;
        let mut append = |action, successor: &[u64]| {
            for target in &*targets {
                place.join(successor, self.counted(*target, automaton, can_move, action), joined);
                batch.push(action, joined);
            }
        };
        steps.for_each(|(action, successor)| append(action, successor));
        if is_end && self.repeats_dead_ends() {
            append(REPEATED, model);
        }
    }

    fn asks_model(&self, state: u32) -> bool {
        self.asked(state) != 0
    }

    /// Whether the automaton's state accepts, and above that bit, which state it is. The last bit
    /// marks intermediate states.
    fn truth(&self, state: u32, model: Truth) -> Truth {
        let is_skipped = model.holds & self.skipped != 0;
        let undefined = !is_skipped && model.undefined & self.asked(state) != 0;
        let accepts = u64::from(self.is_accepting(state));
        let mark = if is_skipped { INTERMEDIATE } else { 0 };
        Truth { holds: accepts | u64::from(state) << 1 | mark, undefined: u64::from(undefined) }
    }

    fn marks_intermediate(&self) -> bool {
        self.skipped != 0
    }

    fn ranks(&self) -> Option<&Ranks> {
        self.ranks.as_ref()
    }

    #[inline]
    fn ranked(&self, state: u32) -> usize {
        self.mode(state)
    }
}
