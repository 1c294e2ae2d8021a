//! Depth-first search with all states in memory.
//!
//! The stack holds successors that were computed and not yet visited, with the record of the state
//! they come from. A successor is looked up when it is popped, not when it is pushed. So states are
//! met in the order of a recursive depth-first search, without its recursion and without computing
//! successors again on the way back. The price is a larger stack: the untried siblings along the
//! path.

use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::pages::OutOfMemory;
use crate::store::records::{RecordShape, Records, with_records};
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Expander, TransitionSystem, Truth};

use super::inner_steps::InnerActions;
use super::observer::{Observer, Record, Successors};
use super::search::{
    CompleteSearch, Counters, Held, Limits, Monitor, Search, SearchEnd, Snapshot, StopReason, consult,
};

/// States between two calls of the monitor.
const STATES_PER_LOOK: u32 = 4096;

/// A depth-first search that holds all states.
#[derive(Debug)]
pub struct DepthSearch {
    layer: Layer,
    batch: SuccessorBatch,
    /// The truth of the predicates in the state at work.
    truths: Vec<Truth>,
    stack: Stack,
    /// The state that is stored and about to be expanded.
    current: Option<u32>,
    /// Number of states so far. It continues after trouble, so that no run escapes the monitor.
    rounds: u32,
    counters: Counters,
    inner: InnerActions,
    limits: Limits,
}

/// Successors that wait to be visited: last in, first out.
#[derive(Debug, Default)]
struct Stack {
    words: Vec<u64>,
    /// Where each state begins in `words`, for states of varying length.
    starts: Vec<usize>,
    origins: Vec<Origin>,
}

/// The parent of a successor, unless it is an initial state, and the action.
type Origin = (Option<u32>, ActionId);

impl Stack {
    /// Makes sure that the successors in the batch fit, within `budget` bytes.
    fn make_room(&mut self, batch: &SuccessorBatch, budget: usize) -> Result<(), LayerFull> {
        let varies = batch.shape() == RecordShape::Prefixed;
        let (entries, words) = (self.origins.len() + batch.len(), self.words.len() + batch.words().len());
        // Each grows on its own: a long state needs words, and no room for more entries.
        let (has_entries, has_words) = (entries <= self.origins.capacity(), words <= self.words.capacity());
        if has_entries && has_words {
            return Ok(());
        }
        let entry = size_of::<Origin>() + if varies { size_of::<usize>() } else { 0 };
        // Growing may need the old and the new memory at once.
        let bytes = |entries: usize, words: usize| {
            let entries = if has_entries { 0 } else { entries * entry };
            let words = if has_words { 0 } else { words * 8 };
            self.bytes() + entries + words
        };
        let twice = (entries.max(self.origins.len() * 2), words.max(self.words.len() * 2));
        let (entries, words) = [twice, (entries + entries / 8, words + words / 8), (entries, words)]
            .into_iter()
            .find(|&(entries, words)| bytes(entries, words) <= budget)
            .ok_or(LayerFull::Budget)?;
        if !has_words {
            self.words.reserve_exact(words - self.words.len());
        }
        if !has_entries {
            self.origins.reserve_exact(entries - self.origins.len());
            if varies {
                self.starts.reserve_exact(entries - self.starts.len());
            }
        }
        Ok(())
    }

    fn push_all(&mut self, parent: Option<u32>, batch: &SuccessorBatch) {
        // Reversed, so that the first successor is visited first.
        for i in (0..batch.len()).rev() {
            if batch.shape() == RecordShape::Prefixed {
                self.starts.push(self.words.len());
            }
            self.words.extend_from_slice(batch.state(i));
            self.origins.push((parent, batch.action(i)));
        }
    }

    /// Where the last state begins. There is one.
    #[inline]
    fn last<R: Records>(&self, records: R) -> usize {
        if R::VARYING {
            self.starts.last().copied().unwrap_or_default()
        } else {
            self.words.len() - records.fixed_len()
        }
    }

    fn bytes(&self) -> usize {
        (self.words.capacity() + self.starts.capacity()) * 8 + self.origins.capacity() * size_of::<Origin>()
    }
}

impl DepthSearch {
    /// A search over states of this shape.
    pub fn new(shape: RecordShape, limits: Limits) -> Result<Self, OutOfMemory> {
        Ok(Self {
            layer: Layer::new(shape, limits.memory)?,
            batch: SuccessorBatch::new(shape, 1),
            truths: Vec::new(),
            stack: Stack::default(),
            current: None,
            rounds: 0,
            counters: Counters::default(),
            inner: InnerActions::default(),
            limits,
        })
    }

    /// Counts steps by these actions apart.
    pub fn with_inner(self, inner: InnerActions) -> Self {
        Self { inner, ..self }
    }

    fn run_with<R: Records, O: Observer>(
        &mut self,
        records: R,
        expander: &mut dyn Expander,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        loop {
            self.rounds = self.rounds.wrapping_add(1);
            if self.rounds.is_multiple_of(STATES_PER_LOOK)
                && let Some(reason) = consult(&Snapshot::of(self, observer), observer, &self.limits, monitor)
            {
                return SearchEnd::Stopped(reason);
            }
            if let Some(record) = self.current {
                let mut batch = std::mem::take(&mut self.batch);
                batch.clear();
                let expansion = expander.expand(self.layer.state(record as usize), &mut batch);
                let taken = if expansion.trouble {
                    Err(SearchEnd::Trouble(Record::from(record)))
                } else {
                    self.take(expander, &batch, Successors::Steps(batch.len()), observer)
                };
                self.batch = batch;
                if let Err(end) = taken {
                    return end;
                }
            }
            if let Err(end) = self.visit_next(records, observer) {
                return end;
            }
        }
    }

    /// Pops successors until one is new, and makes it the current state.
    fn visit_next<R: Records, O: Observer>(&mut self, records: R, observer: &mut O) -> Result<(), SearchEnd> {
        loop {
            let Some(&(parent, action)) = self.stack.origins.last() else {
                return Err(SearchEnd::Complete(CompleteSearch::attest()));
            };
            if self.layer.len() as u64 > self.limits.states {
                return Err(SearchEnd::Stopped(StopReason::StateLimit(self.limits.states)));
            }
            let start = self.stack.last(records);
            let inserted = self.layer.insert(records, &self.stack.words[start..])?;
            self.stack.words.truncate(start);
            self.stack.starts.pop();
            self.stack.origins.pop();
            if let Inserted::New(record) = inserted {
                observer.stored(parent.map(Record::from), action);
                self.current = Some(record);
                return Ok(());
            }
        }
    }

    /// Shows the current state to the observer and puts its successors on the stack.
    fn take<O: Observer>(
        &mut self,
        expander: &mut dyn Expander,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let Some(record) = self.current else { return Ok(()) };
        self.counters.deadlocks += u64::from(successors == Successors::Steps(0));
        let state = self.layer.state(record as usize);
        self.truths.clear();
        if observer.wants_truth() {
            expander.predicates(state, &mut self.truths);
        }
        let truth = self.truths.first().copied().unwrap_or_default();
        if observer.taken(Record::from(record), state, truth, successors).is_break() {
            return Err(SearchEnd::Decided);
        }
        self.current = None;
        self.counters.explored += 1;
        self.counters.transitions += batch.len() as u64;
        self.counters.into_intermediate += self.inner.count_batch(batch);
        let budget = self.limits.memory.saturating_sub(self.layer.bytes());
        self.stack.make_room(batch, budget)?;
        self.stack.push_all(Some(record), batch);
        self.counters.depth = self.counters.depth.max(self.stack.origins.len() as u64);
        Ok(())
    }
}

impl Search for DepthSearch {
    fn run<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> SearchEnd {
        with_records!(self.layer.shape(), records => self.run_with(records, &mut *system.expander(), observer, monitor))
    }

    fn start<O: Observer>(
        &mut self,
        _system: &dyn TransitionSystem,
        initial: &SuccessorBatch,
        _observer: &mut O,
    ) -> Result<(), LayerFull> {
        self.stack.push_all(None, initial);
        Ok(())
    }

    fn supply<O: Observer>(
        &mut self,
        system: &dyn TransitionSystem,
        batch: &SuccessorBatch,
        successors: Successors,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        self.counters.erroneous += u64::from(successors == Successors::WithError);
        self.take(&mut *system.expander(), batch, successors, observer)
    }

    fn repack(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<usize, LayerFull> {
        let old = self.layer.shape();
        let peak = self.layer.repack(width, &mut *translate)?;
        let mut packed = Vec::with_capacity(width);
        let mut words = Vec::with_capacity(self.stack.origins.len() * width);
        for state in old.states(&self.stack.words) {
            translate(state, &mut packed);
            words.extend_from_slice(&packed);
        }
        let peak = peak + self.stack.bytes() + words.capacity() * 8;
        self.stack.words = words;
        self.batch = SuccessorBatch::new(RecordShape::Fixed(width), 1);
        Ok(peak)
    }

    fn troubled(&self) -> &[u64] {
        self.current.map_or(&[], |record| self.layer.state(record as usize))
    }

    fn stored(&self) -> usize {
        self.layer.len()
    }

    fn distinct(&self) -> Option<u64> {
        Some(self.layer.len() as u64)
    }

    fn waiting(&self) -> u64 {
        self.stack.origins.len() as u64
    }

    fn counters(&self) -> Counters {
        let stored = self.layer.len() as u64;
        let peak = Held { current: stored, ..Held::default() };
        Counters { sweeps: 1, layers: 1, largest_layer: stored, peak, ..self.counters }
    }

    fn bytes(&self) -> usize {
        self.layer.bytes() + self.batch.bytes() + self.stack.bytes()
    }
}
