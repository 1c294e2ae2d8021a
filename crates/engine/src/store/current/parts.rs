//! A current layer that is larger than memory: one part of it in memory, the rest on disk.

use std::io;

use crate::store::external::disk::Disk;
use crate::store::layer::LayerFull;
use crate::store::memory::{states_in_part, words_in_part};
use crate::store::records::Records;
use crate::store::spilling::StoreError;

use super::Current;
use super::large_layer::LargeLayer;
use super::span::Span;

/// States that are inserted together.
const TOGETHER: usize = 256;

/// The half of a layer that is on disk.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) large: LargeLayer,
    /// Origins of the candidates in memory.
    pub(super) proposed: Vec<u64>,
    /// Record numbers given so far, in all layers.
    pub(super) records: u64,
}

/// Where the current layer may be split to.
#[derive(Clone, Debug)]
pub(super) struct PartsRoom {
    pub(super) disk: Disk,
    /// Most states in memory.
    pub(super) most: usize,
    /// Whether the layer is split before the first state is expanded.
    pub(super) at_once: bool,
}

/// What is left of the current layer when the states of a level in memory are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// States in memory: the next level.
    Level,
    /// Perhaps more on disk.
    OnDisk,
    /// Nothing.
    Nothing,
}

/// What [`Current::next_part`] found on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// More states of the same level.
    SameLevel,
    /// The first states of the next level.
    NextLevel,
    /// Nothing: the layer is expanded.
    Nothing,
}

impl Current {
    /// What is left to expand when a level in memory is over. Begins the next level, if that is in
    /// memory.
    pub fn rest(&mut self) -> Rest {
        if self.parts.is_some() {
            return Rest::OnDisk;
        }
        self.span.level_end = self.layer.len();
        if self.span.cursor < self.layer.len() { Rest::Level } else { Rest::Nothing }
    }

    /// The half on disk, which begins to exist.
    fn parts(&mut self) -> Result<&mut Parts, StoreError> {
        let Some(room) = &self.room else { return Err(LayerFull::Budget.into()) };
        let records = self.records();
        if self.parts.is_none() {
            self.spilled += 1;
        }
        match &mut self.parts {
            Some(parts) => Ok(parts),
            none => {
                let large = LargeLayer::new(&room.disk, self.layer.shape(), self.origins)?;
                Ok(none.insert(Parts { large, proposed: Vec::new(), records }))
            }
        }
    }

    /// Makes room in memory: what is not at work goes to disk.
    #[cold]
    pub fn split<R: Records>(&mut self, records: R) -> Result<(), StoreError> {
        let Span { cursor, level_end, .. } = self.span;
        if self.parts.is_some() {
            let waiting = self.layer.states(cursor..level_end).to_vec();
            self.flush_candidates()?;
            return Ok(self.put_to_work(records, &waiting)?);
        }
        let len = self.layer.len();
        let level_end = if self.counts_levels { level_end } else { len };
        self.parts()?;
        if let Some(Parts { large, .. }) = &mut self.parts {
            large.close(self.layer.states(0..len))?;
            large.wait(self.layer.states(cursor..level_end))?;
            large.wait_for_next(self.layer.states(level_end..len))?;
        }
        self.span = Span { first: self.span.record(cursor), known: 0, cursor: 0, ..self.span };
        self.persistent = 0;
        if self.is_loading { Ok(self.put_to_work(records, &[])?) } else { self.next_waiting(records) }
    }

    /// Writes the candidates in memory.
    fn flush_candidates(&mut self) -> io::Result<()> {
        let Some(Parts { large, proposed, .. }) = &mut self.parts else { return Ok(()) };
        let written = large.propose(self.layer.states(self.span.level_end..self.layer.len()), proposed);
        proposed.clear();
        written
    }

    /// Replaces the states in memory by these, of which the first has the number of the one at the
    /// cursor.
    fn put_to_work<R: Records>(&mut self, records: R, states: &[u64]) -> Result<(), LayerFull> {
        let first = self.span.record_ahead(0);
        self.layer.restart(0)?;
        for states in records.parts(states, TOGETHER) {
            self.layer.insert_batch(records, states, |_| {})?;
        }
        self.span = Span { first, cursor: 0, level_end: self.layer.len(), ..self.span };
        Ok(())
    }

    /// Brings the next states that wait to memory.
    fn next_waiting<R: Records>(&mut self, records: R) -> Result<(), StoreError> {
        let most = self.room.as_ref().map_or(usize::MAX, |room| room.most);
        let most = states_in_part(self.layer.budget(), self.layer.state_bytes(), most);
        // Those that come may be longer than those that went.
        let most_words = if R::VARYING { words_in_part(self.layer.budget()) } else { usize::MAX };
        let mut words = Vec::new();
        if let Some(Parts { large, .. }) = &mut self.parts {
            large.take_waiting(most, most_words, &mut words)?;
        }
        Ok(self.put_to_work(records, &words)?)
    }

    /// Brings more states from disk to memory when those at work are expanded. When the level is
    /// over, candidates are compared with the states that were met: `merging` is called before, and
    /// `each` with the origin of each new one.
    pub fn next_part<R: Records>(
        &mut self,
        records: R,
        merging: impl FnOnce(),
        mut each: impl FnMut(Option<u64>),
    ) -> Result<Part, StoreError> {
        self.flush_candidates()?;
        let Some(Parts { large, records: stored, .. }) = &mut self.parts else { return Ok(Part::Nothing) };
        let mut part = Part::SameLevel;
        if large.is_round_over() {
            merging();
            let waiting = large.next_round(|origin| {
                each(origin);
                *stored += 1;
            })?;
            if waiting == 0 {
                self.put_to_work(records, &[])?;
                return Ok(Part::Nothing);
            }
            part = Part::NextLevel;
        }
        self.next_waiting(records)?;
        Ok(part)
    }

    /// All states in memory are met, and none of them is to be expanded.
    fn close_all(&mut self) -> Result<(), StoreError> {
        if let Some(Parts { large, .. }) = &mut self.parts {
            large.close(self.layer.states(0..self.layer.len()))?;
        }
        self.persistent = 0;
        Ok(self.layer.restart(0)?)
    }

    /// Enters states that an earlier sweep expanded, and that are on disk, into the layer, which
    /// has no others yet.
    pub fn enter_known<R: Records>(&mut self, records: R, words: &[u64]) -> Result<(), StoreError> {
        if self.room.as_ref().is_none_or(|room| self.layer.len() < room.most) {
            match self.layer.insert_batch(records, words, |_| {}) {
                Err(_) if self.can_split() => {}
                entered => {
                    self.span.known = self.layer.len();
                    return Ok(entered?);
                }
            }
        }
        self.parts()?;
        self.close_all()?;
        self.layer.insert_batch(records, words, |_| {})?;
        self.span.known = self.layer.len();
        Ok(())
    }

    /// All states that an earlier sweep expanded are entered.
    pub fn end_known(&mut self) -> Result<(), StoreError> {
        if self.parts.is_some() {
            self.close_all()?;
        }
        let known = self.layer.len();
        self.span = Span { known, cursor: known, level_end: known, ..self.span };
        Ok(())
    }

    /// The layer is expanded. Returns its half on disk, which holds all of its states, if there is
    /// one.
    pub fn end(&mut self) -> Option<LargeLayer> {
        let Parts { large, records, .. } = self.parts.take()?;
        debug_assert!(large.is_settled(), "all states of the layer are expanded");
        self.span = Span { first: records, known: 0, ..self.span };
        self.persistent = 0;
        Some(large)
    }
}
