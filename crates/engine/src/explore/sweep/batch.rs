//! What comes of a batch of states: their successors, sorted by where they go, or a summary.

use model::successor_batch::SuccessorBatch;
use model::transition_system::Truth;

use crate::explore::expansion::Staying;
use crate::store::records::{RecordShape, reuse};

/// Successors of some states, sorted by where they go.
#[derive(Debug)]
pub(super) struct RoutedBatch {
    /// All successors.
    pub(super) successors: SuccessorBatch,
    /// The progress value of each, unless the measure is constant.
    pub(super) values: Vec<u64>,
    /// For each expanded state, the truth of the predicates, if it is wanted.
    pub(super) truths: Vec<Truth>,
    /// Successors that stay in the current layer.
    pub(super) staying: Staying,
    /// The numbers of successors that leave the layer.
    pub(super) leaving: Vec<u32>,
    /// How often each action was taken, where a thread beside the owner has counted.
    pub(super) taken: Vec<u32>,
    /// Number of steps to a greater value.
    pub(super) forward: u64,
    /// Number of steps that fall.
    pub(super) regress: u64,
}

/// What is known of states that were expanded together, apart from where their successors are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expanded<'a> {
    /// For each, the number of successors up to and including its own.
    pub(super) ends: &'a [u32],
    /// For each, the truth of the predicates, if it is wanted.
    pub(super) truths: &'a [Truth],
    /// The actions that were taken.
    pub(super) taken: Taken<'a>,
    /// Number of steps, and of the words of their targets.
    pub(super) steps: (usize, usize),
    /// Number of steps to a greater value, and of those that fall.
    pub(super) kinds: (u64, u64),
}

/// The actions of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Taken<'a> {
    /// The action of each step.
    Each(&'a [u32]),
    /// How often each action was taken.
    Counted(&'a [u32]),
}

/// What is known of the states of a chunk, where their successors were stored on the thread that has
/// found them.
#[derive(Debug, Default)]
pub(super) struct Summary {
    ends: Vec<u32>,
    truths: Vec<Truth>,
    taken: Vec<u32>,
    steps: (usize, usize),
    kinds: (u64, u64),
}

impl Summary {
    /// What is known of the states of this batch.
    pub(super) fn copy(&mut self, routed: &RoutedBatch) {
        fn replace<T: Copy>(to: &mut Vec<T>, from: &[T]) {
            to.clear();
            to.extend_from_slice(from);
        }
        let Expanded { ends, truths, steps, kinds, .. } = routed.expanded();
        replace(&mut self.ends, ends);
        replace(&mut self.truths, truths);
        replace(&mut self.taken, &routed.taken);
        (self.steps, self.kinds) = (steps, kinds);
    }

    pub(super) fn expanded(&self) -> Expanded<'_> {
        let Self { ends, truths, taken, steps, kinds } = self;
        Expanded { ends, truths, taken: Taken::Counted(taken), steps: *steps, kinds: *kinds }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.ends.capacity() + self.taken.capacity()) * 4 + self.truths.capacity() * size_of::<Truth>()
    }
}

impl RoutedBatch {
    /// What is known of the states that were expanded.
    #[inline(always)]
    pub(super) fn expanded(&self) -> Expanded<'_> {
        let batch = &self.successors;
        let taken = match &self.taken[..] {
            [] => Taken::Each(batch.actions(0..batch.len())),
            taken => Taken::Counted(taken),
        };
        Expanded {
            ends: batch.ends(),
            truths: &self.truths,
            taken,
            steps: (batch.len(), batch.words().len()),
            kinds: (self.forward, self.regress),
        }
    }

    /// Counts how often each of so many actions was taken.
    pub(super) fn count_actions(&mut self, actions: usize) {
        self.taken.resize(actions, 0);
        for action in self.successors.actions(0..self.successors.len()) {
            if let Some(taken) = self.taken.get_mut(*action as usize) {
                *taken += 1;
            }
        }
    }

    /// An empty batch that is full with about this many successors.
    pub(super) fn new(shape: RecordShape, wanted: usize) -> Self {
        Self {
            successors: SuccessorBatch::new(shape, wanted),
            values: Vec::new(),
            truths: Vec::new(),
            staying: Staying::default(),
            leaving: Vec::new(),
            taken: Vec::new(),
            forward: 0,
            regress: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        // Before they are sorted, all successors may stay.
        reuse(&mut self.staying.words, self.successors.words().len());
        self.staying.clear();
        self.successors.clear();
        self.values.clear();
        self.truths.clear();
        self.leaving.clear();
        self.taken.clear();
        (self.forward, self.regress) = (0, 0);
    }

    pub(super) fn bytes(&self) -> usize {
        let described = self.values.capacity() * 8 + self.truths.capacity() * size_of::<Truth>();
        self.successors.bytes() + self.staying.bytes() + described + self.leaving.capacity() * 4
    }
}
