//! Tasks of the [team](super::team): chunks of states that a thread expands, and what it needs for that.

use std::collections::VecDeque;
use std::ops::Range;

use crate::store::layer::SharedView;
use crate::store::layer::claims::{ClaimPlace, Claims};
use crate::store::pages::MemoryAhead;
use crate::store::records::{RecordShape, Records};

use super::batch::{Expanded, RoutedBatch, Summary};
use super::look_up::Claiming;
use super::routing::Front;
use super::threads::WorkerFigures;
use super::worker::{Beside, Known, Sight, Worker};

/// A chunk of states, and what came of it.
#[derive(Debug)]
pub(super) struct Task {
    /// The number of the chunk.
    pub(super) number: usize,
    /// Where the states are in the arena.
    pub(super) words: Range<usize>,
    pub(super) front: Option<Front>,
    /// The layer, and the number of its index.
    pub(super) view: Option<(SharedView, u64)>,
    /// Whether states are to be claimed.
    pub(super) claims: bool,
    pub(super) wants_truth: bool,
    pub(super) epoch: u64,
    /// Number of actions, if it is to be counted how often each was taken.
    pub(super) actions: usize,
    /// Memory that the layer will need soon.
    pub(super) memory: Option<MemoryAhead>,
    pub(super) beside: Beside,
    pub(super) summary: Summary,
    /// All successors, if the summary is not enough.
    pub(super) routed: RoutedBatch,
    /// Where states are claimed.
    pub(super) place: Option<ClaimPlace>,
}

impl Task {
    pub(super) fn new(shape: RecordShape) -> Self {
        Self {
            number: 0,
            words: 0..0,
            front: None,
            view: None,
            claims: false,
            wants_truth: false,
            epoch: 0,
            actions: 0,
            memory: None,
            beside: Beside::default(),
            summary: Summary::default(),
            routed: RoutedBatch::new(shape, usize::MAX),
            place: None,
        }
    }

    /// Expands the states, looks their successors up and claims those that are new.
    pub(super) fn work<R: Records>(&mut self, records: R, bench: &mut Bench<'_, '_>) {
        let Some((view, _)) = self.view else { return };
        let Bench { worker, claims, first_place, claimed, figures } = bench;
        self.place = self.claims.then(|| claims.take_place(self.number, *first_place));
        let claiming = self.place.map(|place| Claiming { claims, place });
        let sight =
            Sight { front: self.front, known: Known::Shared(view, claiming), wants_truth: self.wants_truth };
        worker.begin_epoch(self.epoch);
        // SAFETY: the view is that of the current layer, which is not changed before this task is
        // done, except that states are entered into slots that exist, and stored behind these ones.
        unsafe {
            let states = view.states(self.words.clone());
            let to = (&mut self.summary, &mut self.routed);
            self.beside = worker.expand_beside(records, states, &sight, to, self.actions);
        }
        let expanded = self.expanded();
        figures.states += expanded.ends.len() as u64;
        figures.steps += expanded.steps.0 as u64;
        claimed.extend(self.place.map(|place| (place, view)));
        bench.store_numbered(records);
    }

    /// What is known of the states that were expanded.
    pub(super) fn expanded(&self) -> Expanded<'_> {
        if self.beside.is_whole { self.routed.expanded() } else { self.summary.expanded() }
    }

    /// Asks the system for memory that the layer will need soon: zeroing it takes long.
    pub(super) fn populate(&mut self) {
        if let Some(memory) = self.memory.take() {
            memory.populate();
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.summary.bytes() + self.routed.bytes()
    }
}

/// What a thread needs to work on tasks.
pub(super) struct Bench<'w, 's> {
    pub(super) worker: &'w mut Worker<'s>,
    pub(super) claims: &'w Claims,
    /// Where it begins to look for places.
    pub(super) first_place: usize,
    /// Where its tasks have claimed states that it has not stored yet.
    pub(super) claimed: VecDeque<(ClaimPlace, SharedView)>,
    pub(super) figures: WorkerFigures,
}

impl<'w, 's> Bench<'w, 's> {
    pub(super) fn new(worker: &'w mut Worker<'s>, claims: &'w Claims, first_place: usize) -> Self {
        Self { worker, claims, first_place, claimed: VecDeque::new(), figures: WorkerFigures::default() }
    }

    /// Stores the states that this thread has claimed, up to the first chunk whose turn has not come.
    pub(super) fn store_numbered<R: Records>(&mut self, records: R) {
        while let Some((place, view)) = self.claimed.front()
            && !self.claims.is_unnumbered(*place)
        {
            // SAFETY: the layer has the index in which these states were claimed as long as they have
            // numbers and are not stored.
            unsafe { view.store(records, self.claims, *place) };
            self.claimed.pop_front();
        }
    }
}
