//! Propagation: finds accepting cycles across layers by the largest persistent predecessor of each
//! state, round by round.
//!
//! A cycle that is not inside one layer has a regress edge, and the target of a regress edge is
//! persistent. So each such cycle passes a persistent state. It is enough to find out which of
//! these, the *candidates*, can reach themselves through an accepting state.
//!
//! Every candidate sends a wave along all steps. Where waves meet, the wave of the larger candidate
//! continues. A wave carries a flag: whether it has passed an accepting state. If it returns to its
//! own candidate with the flag set, there is an accepting cycle. Otherwise, at the end of a round,
//! two kinds of candidates are on no accepting cycle:
//!
//! - Candidates that no wave overwrote: their own wave has reached everything it can reach.
//! - Candidates that a larger one reached without an accepting state on the way: had they been on
//!   such a cycle, the wave would have come around with one.
//!
//! These are blocked, and the rest begin another round. A round follows progress in ascending
//! order, like a sweep. It forgets the states behind the front, except for the candidates.
//!
//! This is algorithm 4 of Lilleskare's thesis (2017), after the maximal accepting predecessors of
//! Brim et al. (2004). In addition, it records the blocked states: without them, a version that
//! clears its map in each round need not terminate. Candidates that were found later are the larger
//! ones. So a candidate that was found from another one is not overwritten by it, and a chain of
//! them is decided in one round. (In the opposite order, there would be as many rounds as
//! candidates.)
//!
//! The origin of a wave is logged by positions, never by states: a state that was forgotten and
//! visited again has other predecessors.

use std::collections::{BTreeMap, BinaryHeap};

use super::observer::Record;
use super::search::{Counters, Limits, Monitor, SearchEnd, Snapshot, StopReason};
use crate::store::layer::{Inserted, Layer, LayerFull};
use crate::store::pages::OutOfMemory;
use crate::store::records::{RecordShape, with_records};
use model::guarded_commands::ActionId;
use model::successor_batch::SuccessorBatch;

/// Number of expansions between two calls of the monitor.
const PER_LOOK: u64 = 1 << 14;
/// Least number of states besides the candidates before some are forgotten.
const FORGOTTEN: usize = 1 << 12;
/// Flag in the numbers of waiting candidates.
const CANDIDATE: u32 = 1 << 31;

/// A product, as the propagation sees it.
pub trait Waves {
    /// Computes the successors of a state. They replace the contents of the batch.
    fn successors(&mut self, state: &[u64], batch: &mut SuccessorBatch) -> Result<(), SearchEnd>;

    /// Appends the progress values of states.
    fn progress(&mut self, states: &[u64], values: &mut Vec<u64>);

    /// Whether the state accepts.
    fn is_accepting(&self, state: &[u64]) -> bool;

    /// Whether the state can be on any accepting cycle.
    fn may_cycle(&self, state: &[u64]) -> bool;

    /// The component of layers that are on cycles with this one, among the layers that accepting
    /// cycles can pass.
    fn layers(&self, progress: u64) -> Option<u32>;

    /// Begins a round. The log of earlier rounds is no longer needed.
    fn begin_log(&mut self);

    /// Logs that a wave took this step, or, without a parent, that it began. Records are numbered
    /// in order from the beginning of the round.
    fn log(&mut self, parent: Option<Record>, action: ActionId);

    /// Bytes of memory that the log takes.
    ///
    /// # Errors
    /// The log cannot be written.
    fn log_bytes(&self) -> Result<usize, SearchEnd>;
}

/// An accepting cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaveCycle {
    /// The number of the candidate at which the cycle begins and ends.
    pub candidate: usize,
    /// The record of the state before the candidate.
    pub last: Record,
    /// The step from there to the candidate.
    pub action: ActionId,
}

/// The largest candidate that reaches a state. The lowest bit says whether it does so through an
/// accepting state. Zero for none.
type Value = u64;

/// A state that a wave has reached, or a candidate.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    value: Value,
    record: Record,
    progress: u64,
    waits: bool,
}

/// The search for accepting cycles across layers.
#[derive(Debug)]
pub struct Propagation {
    /// The candidates, in the order of their ranks.
    candidates: Layer,
    reached: Vec<Reached>,
    blocked: Vec<bool>,
    /// Other states that waves have reached. Those that do not wait are forgotten from time to
    /// time.
    others: Others,
    /// Waiting states by progress, the largest value first. An entry whose value is not the current
    /// one is outdated.
    waiting: BTreeMap<u64, BinaryHeap<(Value, u32)>>,
    records: Record,
    limits: Limits,
    counters: Counters,
}

#[derive(Debug)]
struct Others {
    states: Layer,
    reached: Vec<Reached>,
    /// The set that replaces the current one when states are forgotten.
    next: Layer,
    /// Number of states that wait.
    live: usize,
}

fn full(full: LayerFull) -> SearchEnd {
    SearchEnd::Stopped(StopReason::Memory(full))
}

impl Propagation {
    /// Creates a search with these states as candidates. All have this shape, and each comes with
    /// its progress value, in the order in which they were found.
    pub fn new<'s>(
        shape: RecordShape,
        states: impl Iterator<Item = (u64, &'s [u64])>,
        limits: Limits,
    ) -> Result<Self, SearchEnd> {
        let mut candidates = new_layer(shape, limits.memory)?;
        let mut reached = Vec::new();
        for (progress, state) in states {
            let inserted = with_records!(shape, records => candidates.insert(records, state));
            if let Inserted::New(_) = inserted.map_err(full)? {
                reached.push(Reached { progress, ..Reached::default() });
            }
        }
        let (states, next) = (new_layer(shape, limits.memory)?, new_layer(shape, limits.memory)?);
        Ok(Self {
            blocked: vec![false; reached.len()],
            reached,
            candidates,
            others: Others { states, reached: Vec::new(), next, live: 0 },
            waiting: BTreeMap::new(),
            records: 0,
            limits,
            counters: Counters::default(),
        })
    }

    /// The candidate with this number.
    pub fn candidate(&self, number: usize) -> &[u64] {
        self.candidates.state(number)
    }

    /// Counters: expansions, steps, and rounds as sweeps.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Looks for a cycle, round by round.
    ///
    /// # Errors
    /// The search was stopped.
    pub fn run<P: Waves>(
        &mut self,
        product: &mut P,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<WaveCycle>, SearchEnd> {
        for number in 0..self.reached.len() {
            let is_near = product.layers(self.reached[number].progress).is_some();
            self.blocked[number] = !is_near || !product.may_cycle(self.candidates.state(number));
        }
        while self.blocked.iter().any(|blocked| !blocked) {
            self.counters.sweeps += 1;
            self.begin_round(product)?;
            while let Some(progress) = self.waiting.keys().next().copied() {
                if let Some(cycle) = self.expand_layer(progress, product, monitor)? {
                    return Ok(Some(cycle));
                }
                self.forget()?;
            }
            let before = self.blocked.iter().filter(|blocked| **blocked).count();
            for (number, reached) in self.reached.iter().enumerate() {
                self.blocked[number] |= reached.value >> 1 == rank(number) || reached.value & 1 == 0;
            }
            let after = self.blocked.iter().filter(|blocked| **blocked).count();
            debug_assert!(after > before, "the largest candidate is never overwritten");
            if after == before {
                let reason = "a round has decided nothing: a defect of this program".into();
                return Err(SearchEnd::Stopped(StopReason::Observer(reason)));
            }
        }
        Ok(None)
    }

    fn begin_round<P: Waves>(&mut self, product: &mut P) -> Result<(), SearchEnd> {
        self.others.states.restart(0).map_err(full)?;
        self.others.reached.clear();
        self.records = 0;
        product.begin_log();
        for number in 0..self.reached.len() {
            let progress = self.reached[number].progress;
            self.reached[number] = Reached { progress, ..Reached::default() };
            if self.blocked[number] {
                continue;
            }
            let accepts = product.is_accepting(self.candidates.state(number));
            product.log(None, ActionId(0));
            let value = rank(number) << 1 | u64::from(accepts);
            self.reached[number] = Reached { value, record: self.records, progress, waits: true };
            self.records += 1;
            self.waiting.entry(progress).or_default().push((value, number as u32 | CANDIDATE));
        }
        Ok(())
    }

    fn at(&mut self, number: u32) -> (&[u64], &mut Reached) {
        if number & CANDIDATE != 0 {
            let number = (number & !CANDIDATE) as usize;
            (self.candidates.state(number), &mut self.reached[number])
        } else {
            (self.others.states.state(number as usize), &mut self.others.reached[number as usize])
        }
    }

    /// Expands all waiting states of this progress value.
    fn expand_layer<P: Waves>(
        &mut self,
        progress: u64,
        product: &mut P,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<WaveCycle>, SearchEnd> {
        let mut batch = SuccessorBatch::new(self.candidates.shape(), 1);
        let (mut state, mut values) = (Vec::new(), Vec::new());
        while let Some((value, next)) = self.waiting.get_mut(&progress).and_then(BinaryHeap::pop) {
            let (words, reached) = self.at(next);
            if reached.value != value || !reached.waits {
                continue;
            }
            reached.waits = false;
            let sent = *reached;
            state.clear();
            state.extend_from_slice(words);
            self.others.live -= usize::from(next & CANDIDATE == 0);
            let sent = Reached { value: value | u64::from(product.is_accepting(&state)), ..sent };
            batch.clear();
            product.successors(&state, &mut batch)?;
            values.clear();
            product.progress(batch.words(), &mut values);
            self.counters.explored += 1;
            self.counters.transitions += batch.len() as u64;
            for (i, progress) in values.iter().enumerate() {
                let arrived = self.arrive(*progress, (batch.state(i), batch.action(i)), sent, product)?;
                if arrived.is_some() {
                    return Ok(arrived);
                }
            }
            if self.counters.explored.is_multiple_of(PER_LOOK) {
                self.look(product.log_bytes()?, monitor)?;
            }
        }
        self.waiting.remove(&progress);
        Ok(None)
    }

    /// Forgets states that do not wait, if most states do not.
    fn forget(&mut self) -> Result<(), SearchEnd> {
        let Others { states, reached, next, live } = &mut self.others;
        if states.len() < FORGOTTEN || states.len() < 4 * *live {
            return Ok(());
        }
        next.restart(*live).map_err(full)?;
        let mut kept = Vec::with_capacity(*live);
        self.waiting.clear();
        for (number, one) in reached.iter().enumerate().filter(|(_, one)| one.waits) {
            with_records!(states.shape(), records => next.insert(records, states.state(number)))
                .map_err(full)?;
            self.waiting.entry(one.progress).or_default().push((one.value, kept.len() as u32));
            kept.push(*one);
        }
        std::mem::swap(states, next);
        *reached = kept;
        for (number, one) in self.reached.iter().enumerate().filter(|(_, one)| one.waits) {
            self.waiting.entry(one.progress).or_default().push((one.value, number as u32 | CANDIDATE));
        }
        Ok(())
    }

    /// Handles a wave that arrives at a state by this step.
    fn arrive<P: Waves>(
        &mut self,
        progress: u64,
        (state, action): (&[u64], ActionId),
        sent: Reached,
        product: &mut P,
    ) -> Result<Option<WaveCycle>, SearchEnd> {
        if !product.may_cycle(state) || product.layers(progress) != product.layers(sent.progress) {
            return Ok(None);
        }
        let number =
            with_records!(self.candidates.shape(), records => self.candidates.number_of(records, state));
        let (reached, waiting) = match number.map(|number| number as usize) {
            Some(number) if self.blocked[number] => return Ok(None),
            Some(number) => {
                if sent.value == rank(number) << 1 | 1 {
                    return Ok(Some(WaveCycle { candidate: number, last: sent.record, action }));
                }
                (&mut self.reached[number], number as u32 | CANDIDATE)
            }
            None => {
                let Others { states, reached, .. } = &mut self.others;
                let inserted = with_records!(states.shape(), records => states.insert(records, state));
                let number = match inserted.map_err(full)? {
                    Inserted::New(number) => {
                        reached.push(Reached { progress, ..Reached::default() });
                        number
                    }
                    Inserted::Known(number) => number,
                };
                (&mut reached[number as usize], number)
            }
        };
        if sent.value > reached.value {
            product.log(Some(sent.record), action);
            let waited = reached.waits;
            *reached = Reached { value: sent.value, record: self.records, progress, waits: true };
            self.others.live += usize::from(!waited && waiting & CANDIDATE == 0);
            self.records += 1;
            self.waiting.entry(progress).or_default().push((sent.value, waiting));
        }
        Ok(None)
    }

    fn look(&mut self, log: usize, monitor: &mut dyn Monitor) -> Result<(), SearchEnd> {
        let bytes = self.bytes() + log;
        if bytes > self.limits.memory {
            return Err(full(LayerFull::Budget));
        }
        let snapshot = Snapshot {
            stored: (self.reached.len() + self.others.states.len()) as u64,
            waiting: self.others.live as u64,
            progress: self.waiting.keys().next().copied().unwrap_or(0),
            counters: self.counters,
            bytes: bytes as u64,
        };
        monitor.look(&snapshot).map_or(Ok(()), |reason| Err(SearchEnd::Stopped(reason)))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let Others { states, reached, next, .. } = &self.others;
        let waiting: usize = self.waiting.values().map(|heap| heap.capacity() * 16 + 64).sum();
        let all = self.reached.capacity() + reached.capacity();
        self.candidates.bytes() + states.bytes() + next.bytes() + all * size_of::<Reached>() + waiting
    }
}

/// The rank of a candidate, above zero. Zero stands for none.
fn rank(candidate: usize) -> u64 {
    candidate as u64 + 1
}

fn new_layer(shape: RecordShape, memory: usize) -> Result<Layer, SearchEnd> {
    Layer::new(shape, memory).map_err(|error: OutOfMemory| full(LayerFull::System(error)))
}
