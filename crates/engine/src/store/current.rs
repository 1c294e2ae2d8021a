//! Current: the layer that is being expanded, in memory or in parts on disk.
//!
//! In memory it is a [`Layer`]: a cursor runs through the arena, and new states are appended behind
//! it. A layer that outgrows its budget is split: its states go to a [`LargeLayer`] on disk, and
//! the arena then holds a part of the states that wait, up to the end of the level, and behind them
//! what these lead to. Whether those are new is only known when the level ends: they are
//! *candidates*, and have no record number until then.
//!
//! The tier owns the cursor, the record numbers of its states, its bytes, its repacking and its
//! part of a checkpoint. Callers see states to expand, insert successors, and ask for what is
//! [left](Current::rest); they need not know which half a state is in.

mod entering;
pub mod large_layer;
mod parts;
mod span;

use std::io;
use std::ops::Range;

use super::layer::claims::Chunk;
use super::layer::{Inserted, Layer, LayerCopy, LayerFull};
use super::memory::Candidate;
use super::pages::OutOfMemory;
use super::records::{RecordShape, Records};
use super::saved::{Loader, Saver};
use super::spilling::Spilling;

pub use parts::{Part, Rest};
pub use span::Span;

use large_layer::LargeLayer;
use parts::{Parts, PartsRoom};
use span::Begun;

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

/// What became of a state that was inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is new, and has this record number.
    New(u64),
    /// It was there, under this number. States that an earlier sweep expanded have no number, nor
    /// have candidates.
    Known(Option<u64>),
    /// It may be new: it is a candidate until the level ends.
    Candidate,
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
        let staged = (self.staged.words.capacity() + self.staged.origins.capacity()) * 8;
        self.layer.bytes() + parts + staged
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

    /// Record numbers given so far: states that were stored in a layer and not expanded by an
    /// earlier sweep.
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

    /// The next states to expand, at most `most` of them. A batch of these ends with a level only
    /// where levels are counted, or where the layer is split.
    #[inline(always)]
    pub fn work(&self, most: usize) -> &[u64] {
        let is_bounded = self.counts_levels || self.parts.is_some();
        let end = if is_bounded { self.span.level_end } else { self.layer.len() };
        self.layer.states(self.span.cursor..end.min(self.span.cursor + most))
    }

    /// Number of states to expand that are in memory, up to the end of the level where levels are
    /// counted, after the next `ahead` ones.
    pub fn ready(&self, ahead: usize) -> usize {
        let end = if self.counts_levels { self.span.level_end } else { self.layer.len() };
        end.saturating_sub(self.span.cursor + ahead)
    }

    /// Where the words of the `most` states are that are to be expanded after the next `ahead` ones.
    pub fn work_after(&self, ahead: usize, most: usize) -> Range<usize> {
        let start = self.span.cursor + ahead;
        self.layer.words_of(start..start + most)
    }

    /// The state at the cursor, which cannot be expanded.
    pub fn troubled(&self) -> &[u64] {
        self.layer.state(self.span.cursor)
    }

    /// Number of states in memory before the next one to expand.
    pub fn cursor(&self) -> usize {
        self.span.cursor
    }

    /// Whether the layer is split.
    pub fn is_split(&self) -> bool {
        self.parts.is_some()
    }

    /// Frees the index: from now on states can only be read, until the layer
    /// [ends](Self::end_unmeasured).
    pub fn free_index(&mut self) -> Result<(), OutOfMemory> {
        self.layer.free_index()
    }

    /// Gives the memory of the first states back to the system: they must not be read any more, and
    /// the layer [ends](Self::end_unmeasured).
    pub fn release_before(&mut self, place: usize) {
        self.layer.release_before(place);
    }

    /// Ends a layer that held all states. Those that are not expanded lose their numbers, and wait
    /// elsewhere. Layers of a measure follow: levels are not counted any more.
    pub fn end_unmeasured(&mut self) -> Result<(), LayerFull> {
        let expanded = self.span.record(self.span.cursor);
        self.layer = self.layer.empty()?;
        self.span = Span { first: expanded, ..Span::default() };
        self.begun = Begun { at: expanded, is_resumed: false, sweep_at: expanded, expanded: 0 };
        self.counts_levels = false;
        self.persistent = 0;
        Ok(())
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

    /// Lets this many threads fill a larger index, and claim states under so many numbers.
    pub fn set_threads(&mut self, threads: usize, claim_numbers: usize) {
        self.layer.set_threads(threads, claim_numbers);
    }

    /// Inserts states with these hashes. `each` gets the fate of each state, in order, and gives
    /// the state's origin, which is kept for candidates. What threads have found out about a chunk
    /// counts unless the layer was split since.
    #[inline(always)]
    pub fn insert<R: Records>(
        &mut self,
        records: R,
        (words, hashes): (&[u64], &[u64]),
        chunk: Option<Chunk<'_>>,
        mut each: impl FnMut(Stored) -> u64,
    ) -> Result<(), LayerFull> {
        let (span, is_split, origins) = (self.span, self.parts.is_some(), self.origins);
        let parts = &mut self.parts;
        let mut each = |inserted| {
            let stored = match inserted {
                None => Stored::Known(None),
                Some(Inserted::New(_)) if is_split => Stored::Candidate,
                Some(Inserted::New(place)) => Stored::New(span.record(place as usize)),
                Some(Inserted::Known(place)) if is_split || (place as usize) < span.known => {
                    Stored::Known(None)
                }
                Some(Inserted::Known(place)) => Stored::Known(Some(span.record(place as usize))),
            };
            let origin = each(stored);
            if stored == Stored::Candidate
                && origins
                && let Some(parts) = parts
            {
                parts.proposed.push(origin);
            }
        };
        match chunk.filter(|_| !is_split) {
            None => self.layer.insert_announced(records, words, hashes, |inserted| each(Some(inserted))),
            Some(chunk) => self.layer.insert_chunk(records, (words, hashes), chunk, each),
        }
    }

    /// Makes a larger index unless so many states more have slots.
    pub fn reserve_slots<R: Records>(&mut self, records: R, states: usize) -> Result<(), LayerFull> {
        self.layer.reserve_slots(records, states)
    }

    /// Gives states that threads have claimed the next record numbers. See [`Layer::number`].
    pub fn number<R: Records>(
        &mut self,
        records: R,
        states: (usize, usize),
        more: (usize, usize),
    ) -> Result<(usize, usize), LayerFull> {
        debug_assert!(self.parts.is_none(), "candidates have no numbers");
        self.layer.number(records, states, more)
    }

    /// All claims in the index are void.
    pub fn void_claims(&mut self) {
        self.layer.void_claims();
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

    /// Gives all states another layout of `width` words. Returns the bytes that took at its peak,
    /// and an error of the disk, after which the search cannot continue.
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
