//! Current: the layer that is being expanded, in memory or in parts on disk.
//!
//! In memory it is a [`Layer`]: a cursor runs through the arena, and new states are appended behind it.
//! A layer that outgrows its budget is split: its states go to a [`LargeLayer`] on disk, and the arena
//! then holds a part of the states that wait, up to the end of the level, and behind them what these
//! lead to. Whether those are new is only known when the level ends: they are *candidates*, and have no
//! record number until then.
//!
//! The tier owns the cursor, the record numbers of its states, its bytes, its repacking and its part of
//! a checkpoint. Callers see states to expand, insert successors, and ask for what is
//! [left](Current::rest); they need not know which half a state is in.

pub mod large_layer;

use std::io;

use serde::{Deserialize, Serialize};

use super::behind::KeptLayer;
use super::external::disk::Disk;
use super::layer::{Inserted, Layer, LayerCopy, LayerFull};
use super::memory::{Candidate, states_in_part, words_in_part};
use super::pages::OutOfMemory;
use super::records::{RecordShape, Records};
use super::saved::{Loader, Saver};
use super::spilling::{Spilling, StoreError};

use large_layer::LargeLayer;

/// States that are inserted together.
const TOGETHER: usize = 256;

/// The current layer.
#[derive(Debug)]
pub struct Current {
    layer: Layer,
    /// The half on disk, if the layer is split.
    parts: Option<Parts>,
    span: Span,
    begun: Begun,
    /// Number of states in memory that are persistent.
    persistent: usize,
    /// Whether states are still being entered that waited for the layer.
    is_loading: bool,
    /// Whether candidates must carry their origin.
    origins: bool,
    /// Whether the end of a level is the end of a batch, so that levels can be counted.
    counts_levels: bool,
    /// Where the layer may be split to.
    room: Option<PartsRoom>,
    /// Number of layers that were split.
    spilled: u64,
    staged: Staged,
}

/// States that are about to enter the layer.
#[derive(Debug, Default)]
struct Staged {
    words: Vec<u64>,
    origins: Vec<u64>,
}

/// The half of a layer that is on disk.
#[derive(Debug)]
struct Parts {
    large: LargeLayer,
    /// Origins of the candidates in memory.
    proposed: Vec<u64>,
    /// Record numbers given so far, in all layers.
    records: u64,
}

/// Where the current layer may be split to.
#[derive(Clone, Debug)]
struct PartsRoom {
    disk: Disk,
    /// Most states in memory.
    most: usize,
    /// Whether the layer is split before the first state is expanded.
    at_once: bool,
}

/// Where the search is in the arena, and which numbers the states in it have.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// The record number of the first state that is not known.
    first: u64,
    /// Number of states at the beginning that an earlier sweep expanded.
    known: usize,
    /// The next state to expand.
    cursor: usize,
    /// The end of the breadth-first level.
    level_end: usize,
}

impl Span {
    /// The record number of the state at this place.
    #[inline(always)]
    pub fn record(&self, place: usize) -> u64 {
        self.first + (place - self.known) as u64
    }

    /// The record number of the state `number` places after the next one to expand.
    #[inline(always)]
    pub fn record_ahead(&self, number: usize) -> u64 {
        self.record(self.cursor + number)
    }
}

/// How the layer began, and what this sweep has done: nothing may be lost, and nothing taken twice.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Begun {
    /// The record number of the first state that was stored in the layer since.
    at: u64,
    /// Whether this sweep was in the layer before.
    is_resumed: bool,
    /// The first record number of this sweep.
    sweep_at: u64,
    /// Number of states that this sweep has expanded.
    expanded: u64,
}

/// What became of a state that was inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is new, and has this record number.
    New(u64),
    /// It was there, under this number. States that an earlier sweep expanded have no number, nor have
    /// candidates.
    Known(Option<u64>),
    /// It may be new: it is a candidate until the level ends.
    Candidate,
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
    /// An empty layer of states of this shape that uses at most `memory` bytes. If levels are
    /// counted, no batch crosses the end of one.
    pub fn new(shape: RecordShape, memory: usize, counts_levels: bool) -> Result<Self, OutOfMemory> {
        Ok(Self {
            layer: Layer::new(shape, memory)?,
            parts: None,
            span: Span::default(),
            begun: Begun::default(),
            persistent: 0,
            is_loading: false,
            origins: false,
            counts_levels,
            room: None,
            spilled: 0,
            staged: Staged::default(),
        })
    }

    /// Lets the layer be split.
    pub fn spill_to(&mut self, spilling: &Spilling) {
        let Spilling { disk, most, current_on_disk, .. } = spilling;
        let (disk, most, at_once) = (disk.clone(), most.current, *current_on_disk);
        self.room = Some(PartsRoom { disk, most, at_once });
    }

    /// Whether candidates must carry their origin.
    pub fn with_origins(&mut self, origins: bool) {
        self.origins = origins;
    }

    /// From now on, the layer is not split.
    pub fn stay_whole(&mut self) {
        self.room = None;
    }

    /// Number of states in memory.
    #[inline]
    pub fn len(&self) -> usize {
        self.layer.len()
    }

    /// Whether no state is in memory.
    pub fn is_empty(&self) -> bool {
        self.layer.is_empty()
    }

    /// Number of states of this layer that were met, in memory or on disk.
    pub fn met(&self) -> u64 {
        self.parts.as_ref().map_or(self.layer.len() as u64, |parts| parts.large.closed())
    }

    /// Number of states in memory that are not persistent.
    pub fn held(&self) -> u64 {
        let on_disk = self.parts.as_ref().map_or(0, |parts| parts.large.in_memory());
        (self.layer.len() - self.persistent) as u64 + on_disk
    }

    /// Number of states that wait to be expanded.
    pub fn waiting(&self) -> u64 {
        let on_disk = self.parts.as_ref().map_or(0, |parts| parts.large.waiting());
        (self.layer.len() - self.span.cursor) as u64 + on_disk
    }

    /// Whether all states of the layer are expanded, and none is about to enter it.
    pub fn is_expanded(&self) -> bool {
        !self.is_loading && self.parts.is_none() && self.span.cursor == self.layer.len()
    }

    /// Whether the layer has states to expand.
    pub fn has_work(&self) -> bool {
        self.parts.is_some() || self.span.cursor < self.layer.len()
    }

    /// Number of layers that were split.
    pub fn spilled(&self) -> u64 {
        self.spilled
    }

    /// Shape of the states.
    pub fn shape(&self) -> RecordShape {
        self.layer.shape()
    }

    /// Bytes of a state without its share of the index, in the mean of those in memory if lengths vary.
    pub fn state_bytes(&self) -> usize {
        self.layer.state_bytes()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let parts =
            self.parts.as_ref().map_or(0, |parts| parts.large.bytes() + parts.proposed.capacity() * 8);
        self.layer.bytes() + parts
    }

    /// Bytes of memory held by the layer alone: what its budget is for.
    pub fn layer_bytes(&self) -> usize {
        self.layer.bytes()
    }

    /// Bytes that the layer may use.
    pub fn budget(&self) -> usize {
        self.layer.budget()
    }

    /// From now on, the layer may use this many bytes.
    pub fn set_budget(&mut self, bytes: usize) {
        self.layer.set_budget(bytes);
    }

    /// What a candidate takes, if the layer may be split.
    pub fn candidate(&self) -> Option<Candidate> {
        self.room.as_ref().map(|_| Candidate::new(&self.layer, self.origins))
    }

    /// Whether the layer may be split.
    #[inline]
    pub fn can_split(&self) -> bool {
        self.room.is_some()
    }

    /// Whether this many more states would be more than should be in memory.
    #[inline(always)]
    pub fn has_too_many(&self, more: usize) -> bool {
        self.room.as_ref().is_some_and(|room| self.layer.len() + more > room.most)
    }

    /// Whether the layer is to be split before its first state is expanded.
    pub fn starts_on_disk(&self) -> bool {
        let at_once = self.room.as_ref().is_some_and(|room| room.at_once);
        at_once && self.parts.is_none() && self.counts_levels && self.span.cursor == 0
    }

    /// Record numbers given so far: states that were stored in a layer and not expanded by an earlier
    /// sweep.
    #[inline(always)]
    pub fn records(&self) -> u64 {
        match &self.parts {
            Some(parts) => parts.records,
            None => self.span.record(self.layer.len()),
        }
    }

    /// The numbers of the states in memory.
    #[inline(always)]
    pub fn span(&self) -> Span {
        self.span
    }

    /// The layer in memory, for look-ups.
    #[inline(always)]
    pub fn layer(&self) -> &Layer {
        &self.layer
    }

    pub(super) fn layer_mut(&mut self) -> &mut Layer {
        &mut self.layer
    }

    /// The states of this layer in memory that an earlier sweep did not expand.
    pub fn new_states(&self) -> &[u64] {
        self.layer.states(self.span.known..self.layer.len())
    }

    /// The next states to expand, at most `most` of them. A batch of these ends with a level only where
    /// levels are counted, or where the layer is split.
    #[inline(always)]
    pub fn work(&self, most: usize) -> &[u64] {
        let is_bounded = self.counts_levels || self.parts.is_some();
        let end = if is_bounded { self.span.level_end } else { self.layer.len() };
        self.layer.states(self.span.cursor..end.min(self.span.cursor + most))
    }

    /// The state at the cursor, which cannot be expanded.
    pub fn troubled(&self) -> &[u64] {
        self.layer.state(self.span.cursor)
    }

    /// Moves the cursor over states that are expanded.
    #[inline(always)]
    pub fn advance(&mut self, states: usize) {
        self.span.cursor += states;
        self.begun.expanded += states as u64;
    }

    /// Whether this sweep has expanded a state.
    pub fn has_expanded(&self) -> bool {
        self.begun.expanded > 0
    }

    /// Whether the layer got a state that is to be expanded, since it began or was resumed.
    pub fn has_grown(&self) -> bool {
        self.records() > self.begun.at
    }

    /// Whether this sweep was in the layer before.
    pub fn is_resumed(&self) -> bool {
        self.begun.is_resumed
    }

    /// A sweep ends.
    pub fn end_sweep(&mut self) {
        let records = self.records();
        debug_assert_eq!(
            records - self.begun.sweep_at,
            self.begun.expanded,
            "what was recorded was expanded, once"
        );
        self.begun = Begun { sweep_at: records, expanded: 0, ..self.begun };
    }

    /// Whether all states of the level that are in memory are expanded.
    #[inline(always)]
    pub fn is_level_over(&self) -> bool {
        self.span.cursor >= self.span.level_end
    }

    /// Inserts states with these hashes. `each` gets the fate of each state, in order, and gives the
    /// state's origin, which is kept for candidates.
    #[inline(always)]
    pub fn insert<R: Records>(
        &mut self,
        records: R,
        words: &[u64],
        hashes: &[u64],
        mut each: impl FnMut(Stored) -> u64,
    ) -> Result<(), LayerFull> {
        let (span, is_split, origins) = (self.span, self.parts.is_some(), self.origins);
        let parts = &mut self.parts;
        self.layer.insert_announced(records, words, hashes, |inserted| {
            let stored = match inserted {
                Inserted::New(_) if is_split => Stored::Candidate,
                Inserted::New(place) => Stored::New(span.record(place as usize)),
                Inserted::Known(place) if is_split || (place as usize) < span.known => Stored::Known(None),
                Inserted::Known(place) => Stored::Known(Some(span.record(place as usize))),
            };
            let origin = each(stored);
            if stored == Stored::Candidate
                && origins
                && let Some(parts) = parts
            {
                parts.proposed.push(origin);
            }
        })
    }

    /// A copy of the states in memory, and the number of those that are persistent.
    pub fn copy(&self) -> (LayerCopy, usize) {
        (LayerCopy::new(&self.layer), self.persistent)
    }

    /// These states of the layer are persistent now, beside those that were: no state counts twice.
    pub fn count_persistent(&mut self, states: usize) {
        self.persistent += states;
    }

    /// All states in memory are persistent now.
    pub fn all_persistent(&mut self) {
        self.persistent = self.layer.len();
    }

    /// Gives all states another layout of `width` words. Returns the bytes that took at its peak, and an
    /// error of the disk, after which the search cannot continue.
    pub fn repack(
        &mut self,
        width: usize,
        mut translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<(usize, io::Result<()>), LayerFull> {
        let peak = self.layer.repack(width, &mut translate)?;
        let parts = self.parts.as_mut().map_or(Ok(()), |parts| parts.large.repack(width, translate));
        Ok((peak, parts))
    }

    /// Whether there is room for both forms of the states in memory while they get another layout.
    pub fn has_room_to_repack(&self) -> bool {
        2 * self.layer.bytes() <= self.layer.budget()
    }

    /// Saves the tier.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&(self.span, self.begun, self.persistent, self.is_loading, self.spilled))?;
        to.put(&self.layer.len())?;
        self.layer.save(to)?;
        to.put(&self.parts.as_ref().map(|parts| (&parts.proposed, parts.records)))?;
        self.parts.as_ref().map_or(Ok(()), |parts| parts.large.save(to))
    }

    /// Loads what was saved, in place of what is here.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        (self.span, self.begun, self.persistent, self.is_loading, self.spilled) = from.get()?;
        let states: usize = from.get()?;
        self.layer.restart(states).map_err(io::Error::other)?;
        self.layer.load(from)?;
        let parts: Option<(Vec<u64>, u64)> = from.get()?;
        if let (Some((proposed, records)), Some(room)) = (parts, &self.room) {
            let mut large = LargeLayer::new(&room.disk, self.layer.shape(), self.origins)?;
            large.load(from)?;
            self.parts = Some(Parts { large, proposed, records });
        }
        Ok(())
    }
}

/// From one layer to the next.
impl Current {
    /// Enters the initial states into the layer, which is the only one. `each` is called for new ones,
    /// with their number among the states.
    pub fn start<R: Records>(
        &mut self,
        records: R,
        states: &[u64],
        mut each: impl FnMut(usize),
    ) -> Result<(), LayerFull> {
        let mut number = 0;
        self.layer.insert_batch(records, states, |inserted| {
            if let Inserted::New(_) = inserted {
                each(number);
            }
            number += 1;
        })
    }

    /// Forgets all states, and begins a layer of about this many.
    pub fn begin(&mut self, expected: usize) -> Result<(), LayerFull> {
        // If there is no room, what was taken out of other layers is not counted any more.
        self.is_loading = true;
        let first = self.records();
        self.begun = Begun { at: first, is_resumed: false, ..self.begun };
        self.span = Span { first, ..Span::default() };
        self.persistent = 0;
        self.layer.restart(expected)
    }

    /// Forgets all states, and resumes a layer that the window kept.
    ///
    /// # Errors
    /// If there is no room. Then nothing of the layer is left in memory, and nothing of it waits.
    pub fn resume(&mut self, kept: &KeptLayer) -> Result<(), LayerFull> {
        let first = self.records();
        let restored = self.layer.restore(&kept.states);
        let is_resumed = restored.is_ok() || self.begun.is_resumed;
        self.begun = Begun { at: first, is_resumed, ..self.begun };
        let len = self.layer.len();
        self.span = Span { first, known: len, cursor: len, level_end: len };
        self.persistent = if restored.is_ok() { kept.persistent } else { len };
        self.is_loading = restored.is_ok();
        restored
    }

    /// Persistent states were entered: first those that an earlier sweep expanded, then roots.
    pub(super) fn end_persistent(&mut self, known: usize) {
        self.span = Span { known, cursor: known, level_end: known, ..self.span };
        self.persistent = self.layer.len();
    }

    /// All states that waited for the layer are entered.
    pub fn end_loading(&mut self) {
        self.is_loading = false;
    }

    /// Stages entries that waited, each a state and perhaps its origin, except those that are known.
    /// Returns how many are staged. Without an origin of its own, a state has the origin `unknown`.
    #[inline]
    pub fn stage<'e, R: Records>(
        &mut self,
        records: R,
        entries: impl Iterator<Item = &'e [u64]>,
        unknown: u64,
        is_known: impl Fn(&[u64]) -> bool,
    ) -> usize {
        let Staged { words, origins } = &mut self.staged;
        words.clear();
        origins.clear();
        for entry in entries {
            let state = records.first(entry);
            if !is_known(state) {
                words.extend_from_slice(state);
                origins.push(entry.get(records.len_of(entry)).copied().unwrap_or(unknown));
            }
        }
        origins.len()
    }

    /// Enters the staged states. `each` gets the origins of new ones, in order. If there is no room, none
    /// is entered, and all stay staged.
    #[inline]
    pub fn enter_staged<R: Records>(
        &mut self,
        records: R,
        mut each: impl FnMut(u64),
    ) -> Result<(), LayerFull> {
        let Self { layer, parts, staged, origins: wants_origins, .. } = self;
        let mut origins = staged.origins.iter();
        layer.insert_batch(records, &staged.words, |inserted| {
            let origin = *origins.next().expect("each state has an origin");
            match (inserted, &mut *parts) {
                (Inserted::New(_), None) => each(origin),
                (Inserted::New(_), Some(parts)) if *wants_origins => parts.proposed.push(origin),
                _ => {}
            }
        })
    }

    /// Enters states that an earlier sweep expanded, and that are on disk, into the layer, which has no
    /// others yet.
    pub fn enter_known<R: Records>(&mut self, records: R, words: &[u64]) -> Result<(), StoreError> {
        if !self.room.as_ref().is_some_and(|room| self.layer.len() >= room.most) {
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

    /// Says of each of these entries whether it is among the states behind the first `before`: those
    /// were new. If the layer is split it cannot tell, and says nothing.
    pub fn tell_new(&self, before: usize, entries: &[u64], after: usize, is_new: &mut Vec<bool>) {
        if self.parts.is_some() {
            return;
        }
        let shape = self.shape();
        let mut new = shape.states(self.layer.states(before..self.layer.len())).peekable();
        let entries = shape.entries(entries, after);
        is_new.extend(entries.map(|entry| new.next_if(|state| *state == shape.first(entry)).is_some()));
    }

    /// The layer is expanded. Returns its half on disk, which holds all of its states, if there is one.
    pub fn end(&mut self) -> Option<LargeLayer> {
        let Parts { large, records, .. } = self.parts.take()?;
        debug_assert!(large.is_settled(), "all states of the layer are expanded");
        self.span = Span { first: records, known: 0, ..self.span };
        self.persistent = 0;
        Some(large)
    }
}

/// A layer that is larger than memory.
impl Current {
    /// What is left to expand when a level in memory is over. Begins the next level, if that is in memory.
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

    /// Replaces the states in memory by these, of which the first has the number of the one at the cursor.
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

    /// Brings more states from disk to memory when those at work are expanded. When the level is over,
    /// candidates are compared with the states that were met: `merging` is called before, and `each`
    /// with the origin of each new one.
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
        Ok(self.layer.restart(0)?)
    }
}
