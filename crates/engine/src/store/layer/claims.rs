//! Claims: states that several threads enter into the index of a layer, before they have numbers.
//!
//! The states of a layer are expanded in chunks, which are numbered in the order of the search. A
//! thread that finds a successor that the layer does not have enters it into the index at once, under
//! a provisional number: the place of its chunk, and its position there. If two chunks claim the same
//! state, the one that comes first in the order of the search keeps the slot, whichever thread came
//! first. When all chunks before it are done, the owner of the layer *numbers* a chunk: the claims
//! that were not lost get the next record numbers, in order. So every state gets the number that one
//! thread alone would have given it, in every schedule. The owner only counts. The thread that has
//! claimed the states then *stores* them: it copies them into the layer and replaces their provisional
//! numbers in the index. All of that is in its cache, and in no other.
//!
//! A place holds the claims of a chunk until they are stored. Others that meet a slot with a
//! provisional number compare with the state there, and may do so even shortly after the state was
//! stored. So a place is used again only when all chunks are committed that were offered before its
//! states were stored: there are twice as many places as chunks under way, and one that is being
//! committed. Each thread looks for a
//! place from a number of its own on, so that it mostly writes to memory that it has in its cache.
//!
//! `claim_schedules` runs this file under `shuttle`, which replaces the primitives in
//! [`sync`](super::sync) and tries many schedules. So [`seek`] and [`enter`] are written for any
//! [`Slots`].

use model::guarded_commands::ActionId;

use super::BUCKET;
use super::index_view::{TagMatch, prefetch};
use super::sync::Ordering::{Acquire, Relaxed, Release, SeqCst};
use super::sync::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence, look_again};
use crate::store::records::{RecordShape, Records};

/// Words for each claim, if states vary in length.
const VARYING_WORDS: usize = 8;
/// Most words of a place.
const MOST_WORDS: usize = 1 << 13;

/// Claims before a slot is used that it is fetched.
const FETCHED: usize = 16;

/// Nothing is claimed at a place.
const FREE: usize = 0;

/// What happens to the claims of a chunk at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A thread claims states, or the chunk waits for its turn.
    Taken = 1,
    /// The claims have record numbers.
    Numbered = 2,
    /// A thread stores the states.
    Storing = 3,
}

impl Stage {
    /// This stage of this chunk, as a number.
    fn of(self, chunk: usize) -> usize {
        chunk << 2 | self as usize
    }
}

/// The claims of all chunks that are under way.
#[derive(Debug)]
pub struct Claims {
    places: Box<[Place]>,
    /// Most claims of a chunk.
    most: usize,
    /// Bits of a provisional number that hold the position.
    position_bits: u32,
    bytes: usize,
    course: ChunkCourse,
}

/// How far the chunks are, for all threads.
#[derive(Debug, Default)]
#[repr(align(128))]
struct ChunkCourse {
    /// Number of chunks that were offered.
    offered: AtomicUsize,
    /// Number of chunks that were committed.
    committed: AtomicUsize,
}

/// The claims of one chunk. Aligned, so that threads at different places do not share cache lines.
#[derive(Debug)]
#[repr(align(128))]
struct Place {
    /// The [stage](Stage::of) of the chunk that has the place, or [`FREE`].
    stage: AtomicUsize,
    /// The number of the chunk.
    chunk: AtomicUsize,
    /// The place is free when this many chunks are committed.
    free_from: AtomicUsize,
    /// The number of the last chunk that was stored from here, plus one.
    stored: AtomicUsize,
    /// Number of claims, and of their words.
    claimed: Amount,
    /// Number of claims that an earlier one made superfluous, and of their words.
    lost_amount: Amount,
    /// The record number of the first claim that is not lost, and its place in the arena.
    base: Amount,
    /// The claimed states, one after the other.
    words: Box<[AtomicU64]>,
    /// Where each begins, if they vary in length.
    starts: Box<[AtomicU32]>,
    /// Whether each is lost.
    lost: Box<[AtomicBool]>,
    /// The slot of each.
    slots: Box<[AtomicUsize]>,
    /// The origin of each, if it is wanted: the number of the parent in the chunk, and the action.
    origins: Box<[AtomicU64]>,
}

/// Bits that hold positions of so many claims.
fn position_bits(most: usize) -> u32 {
    most.next_power_of_two().ilog2()
}

/// A number of states and of words.
#[derive(Debug, Default)]
struct Amount {
    states: AtomicUsize,
    words: AtomicUsize,
}

impl Amount {
    fn get(&self) -> (usize, usize) {
        (self.states.load(Relaxed), self.words.load(Relaxed))
    }

    fn set(&self, (states, words): (usize, usize)) {
        self.states.store(states, Relaxed);
        self.words.store(words, Relaxed);
    }
}

impl Place {
    /// Where the claim at this position begins.
    #[inline(always)]
    fn start<R: Records>(&self, records: R, position: usize) -> usize {
        let offset = if R::VARYING { self.starts[position].load(Relaxed) as usize } else { 0 };
        records.start(position, offset)
    }

    /// The words of the claim at this position.
    #[inline(always)]
    fn state<R: Records>(&self, records: R, position: usize) -> &[AtomicU64] {
        let words = &self.words[self.start(records, position)..];
        let len = match R::VARYING {
            true => records.len_of(&[words[0].load(Relaxed)]),
            false => records.fixed_len(),
        };
        &words[..len]
    }

    /// Whether the claim at this position is this state.
    #[inline(always)]
    fn is_state<R: Records>(&self, records: R, position: usize, state: &[u64]) -> bool {
        // The first word of a state of varying length tells the length.
        let words = &self.words[self.start(records, position)..];
        words.iter().zip(state).all(|(word, other)| word.load(Relaxed) == *other)
    }
}

/// Writes the states of claims.
#[derive(Debug)]
pub struct ClaimWriter<'a> {
    place: &'a Place,
    /// The provisional number of the first claim of the place.
    first: u32,
    most: usize,
    /// Number of claims so far, and of their words.
    position: usize,
    end: usize,
}

impl ClaimWriter<'_> {
    /// Writes the state and the origin of the next claim. Returns its provisional number, or `None` if
    /// there is no room.
    #[inline(always)]
    pub fn write<R: Records>(
        &mut self,
        records: R,
        state: &[u64],
        origin: impl FnOnce() -> (u32, ActionId),
    ) -> Option<u32> {
        let Self { place, position, end: start, .. } = *self;
        let words = place.words.get(start..start + state.len()).filter(|_| position < self.most)?;
        if R::VARYING {
            place.starts[position].store(start as u32, Relaxed);
        }
        debug_assert_eq!(place.start(records, position), start);
        for (to, from) in words.iter().zip(state) {
            to.store(*from, Relaxed);
        }
        place.lost[position].store(false, Relaxed);
        if let Some(to) = place.origins.get(position) {
            let (parent, action) = origin();
            to.store(u64::from(parent) << 32 | u64::from(action.0), Relaxed);
        }
        (self.position, self.end) = (position + 1, start + state.len());
        Some(self.first | position as u32)
    }

    /// Counts what was written.
    pub fn finish(self) {
        self.place.claimed.set((self.position, self.end));
    }
}

/// What threads beside the owner of a layer have found out about the states of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The claims of all chunks.
    pub claims: &'a Claims,
    /// The number of the chunk.
    pub number: usize,
    /// The record numbers of states that were found; empty if none was looked up.
    pub hints: &'a [u32],
}

/// Where a chunk has its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimPlace {
    place: usize,
    chunk: usize,
}

impl ClaimPlace {
    /// The number of the chunk.
    pub fn chunk(self) -> usize {
        self.chunk
    }
}

impl Claims {
    /// Room for so many chunks under way, with so many claims each, to states of this shape, with
    /// `origins` or not.
    pub fn new(shape: RecordShape, under_way: usize, most: usize, origins: bool) -> Self {
        let (width, starts) = match shape {
            RecordShape::Fixed(width) => (width, 0),
            RecordShape::Prefixed => (VARYING_WORDS, most),
        };
        // A chunk that finds more long states leaves the rest to the owner.
        let words = (most * width).min(MOST_WORDS.max(width));
        let origins = if origins { most } else { 0 };
        let place = |_| Place {
            stage: AtomicUsize::new(FREE),
            chunk: AtomicUsize::new(0),
            free_from: AtomicUsize::new(0),
            stored: AtomicUsize::new(0),
            claimed: Amount::default(),
            lost_amount: Amount::default(),
            base: Amount::default(),
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
            starts: (0..starts).map(|_| AtomicU32::new(0)).collect(),
            lost: (0..most).map(|_| AtomicBool::new(false)).collect(),
            slots: (0..most).map(|_| AtomicUsize::new(0)).collect(),
            origins: (0..origins).map(|_| AtomicU64::new(0)).collect(),
        };
        let places = Self::places(under_way);
        let bytes = places * ((words + most + origins) * 8 + starts * 4 + most);
        let places = (0..places).map(place).collect();
        Self { places, most, position_bits: position_bits(most), bytes, course: ChunkCourse::default() }
    }

    /// Places for so many chunks under way, and one that is being committed.
    fn places(under_way: usize) -> usize {
        2 * (under_way + 1)
    }

    /// Provisional numbers of so many chunks under way with so many claims each.
    pub fn numbers(under_way: usize, most: usize) -> usize {
        Self::places(under_way) << position_bits(most)
    }

    /// Most claims of a chunk.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// So many chunks are offered from now on. Called before the last of them is.
    pub fn offer(&self, chunks: usize) {
        self.course.offered.store(chunks, Relaxed);
        // See `free`.
        fence(SeqCst);
    }

    /// So many chunks are committed: no thread works on them.
    pub fn commit(&self, chunks: usize) {
        self.course.committed.store(chunks, Release);
    }

    /// Takes a place for the claims of a chunk. Different threads begin to search at different ones.
    /// There is always a free one, because at most `under_way` chunks are offered and not stored.
    pub fn take_place(&self, chunk: usize, first: usize) -> ClaimPlace {
        let all = self.places.len();
        let mut place = first % all;
        loop {
            let it = &self.places[place];
            let is_free = || it.free_from.load(Acquire) <= self.course.committed.load(Acquire);
            let taken = Stage::Taken.of(chunk);
            if is_free() && it.stage.compare_exchange(FREE, taken, Acquire, Relaxed).is_ok() {
                // It may have been taken and freed again between the two.
                if is_free() {
                    it.chunk.store(chunk, Relaxed);
                    it.claimed.set((0, 0));
                    it.lost_amount.set((0, 0));
                    return ClaimPlace { place, chunk };
                }
                it.stage.store(FREE, Release);
            }
            place = (place + 1) % all;
            look_again();
        }
    }

    /// Lets a thread write claims of a chunk, behind those that it has written.
    pub fn writer(&self, at: ClaimPlace) -> ClaimWriter<'_> {
        let place = &self.places[at.place];
        let (position, end) = place.claimed.get();
        let first = (at.place as u32) << self.position_bits;
        ClaimWriter { place, first, most: self.most, position, end }
    }

    /// The place and the position of a claim.
    #[inline(always)]
    fn find(&self, number: u32) -> (&Place, usize) {
        let (place, bits) = (number >> self.position_bits, u32::MAX << self.position_bits);
        (&self.places[place as usize], (number & !bits) as usize)
    }

    /// The chunk of the claim with this provisional number, if it is a claim to this state.
    #[inline(always)]
    pub(super) fn claim<R: Records>(&self, records: R, number: u32, state: &[u64]) -> Option<usize> {
        let (place, position) = self.find(number);
        place.is_state(records, position, state).then(|| place.chunk.load(Relaxed))
    }

    /// Fetches the state of the claim with this provisional number.
    #[inline(always)]
    pub(super) fn fetch<R: Records>(&self, records: R, number: u32) {
        let (place, position) = self.find(number);
        prefetch(&raw const place.words[place.start(records, position)]);
    }

    /// The claim has this slot.
    #[inline(always)]
    pub fn set_slot(&self, number: u32, slot: usize) {
        let (place, position) = self.find(number);
        place.slots[position].store(slot, Relaxed);
    }

    /// The claim to a state of so many words is superfluous: an earlier one has the slot of its state.
    #[inline(always)]
    pub fn lose(&self, number: u32, words: usize) {
        let (place, position) = self.find(number);
        place.lost[position].store(true, Relaxed);
        place.lost_amount.states.fetch_add(1, Relaxed);
        place.lost_amount.words.fetch_add(words, Relaxed);
    }

    /// Number of claims of a chunk that are not lost, and of their words. All chunks before it are
    /// done.
    pub fn winners(&self, at: ClaimPlace) -> (usize, usize) {
        let place = &self.places[at.place];
        let ((states, words), (lost, lost_words)) = (place.claimed.get(), place.lost_amount.get());
        (states - lost, words - lost_words)
    }

    /// The positions of the claims of a chunk that are not lost.
    fn positions(place: &Place) -> impl Iterator<Item = usize> {
        let (claimed, _) = place.claimed.get();
        (0..claimed).filter(|position| !place.lost[*position].load(Relaxed))
    }

    /// The origins of the claims of a chunk that are not lost, if they are wanted: the number of the
    /// parent in the chunk, and the action.
    pub fn origins(&self, at: ClaimPlace) -> impl Iterator<Item = (usize, ActionId)> {
        let place = &self.places[at.place];
        Self::positions(place).filter_map(|position| {
            let origin = place.origins.get(position)?.load(Relaxed);
            Some(((origin >> 32) as usize, ActionId(origin as u32)))
        })
    }

    /// Appends the claimed states of a chunk that are not lost.
    pub fn copy_states<R: Records>(&self, records: R, at: ClaimPlace, to: &mut Vec<u64>) {
        let place = &self.places[at.place];
        for position in Self::positions(place) {
            to.extend(place.state(records, position).iter().map(|word| word.load(Relaxed)));
        }
    }

    /// Gives the claims of a chunk that are not lost record numbers from this one on, and words from
    /// this place in the arena on. A thread will [store](super::SharedView::store) them.
    pub fn number(&self, at: ClaimPlace, base: (usize, usize)) {
        let place = &self.places[at.place];
        place.base.set(base);
        place.stage.store(Stage::Numbered.of(at.chunk), Release);
    }

    /// The claims of a chunk are not needed any more.
    pub fn drop_place(&self, at: ClaimPlace) {
        self.free(&self.places[at.place]);
    }

    /// Whether the states of a chunk that was [numbered](Self::number) are stored.
    pub fn is_stored(&self, at: ClaimPlace) -> bool {
        self.places[at.place].stored.load(Acquire) > at.chunk
    }

    /// Whether the chunk waits for its turn.
    pub fn is_unnumbered(&self, at: ClaimPlace) -> bool {
        self.places[at.place].stage.load(Acquire) == Stage::Taken.of(at.chunk)
    }

    /// Frees a place when all chunks are committed that may have met a provisional number of it. A
    /// chunk that is offered after the number of chunks is read here sees no such number any more:
    /// both sides have a fence between their write and what the other one reads.
    fn free(&self, place: &Place) {
        fence(SeqCst);
        place.free_from.store(self.course.offered.load(Relaxed), Release);
        place.stage.store(FREE, Release);
    }

    /// Stores the states of a chunk, if it was numbered and no thread does so already. `each` gets the
    /// words, their place in the arena, the record number and the slot of each; `fetch`, a slot that it
    /// will get soon.
    pub(super) fn store<R: Records>(
        &self,
        records: R,
        at: ClaimPlace,
        fetch: impl Fn(usize),
        mut each: impl FnMut(&[AtomicU64], usize, usize, usize),
    ) -> bool {
        let place = &self.places[at.place];
        let (numbered, storing) = (Stage::Numbered.of(at.chunk), Stage::Storing.of(at.chunk));
        if place.stage.compare_exchange(numbered, storing, Acquire, Relaxed).is_err() {
            return false;
        }
        let (mut record, mut to) = place.base.get();
        let (claimed, _) = place.claimed.get();
        for position in Self::positions(place) {
            if let Some(soon) = place.slots[..claimed].get(position + FETCHED) {
                fetch(soon.load(Relaxed));
            }
            let state = place.state(records, position);
            each(state, to, record, place.slots[position].load(Relaxed));
            (record, to) = (record + 1, to + state.len());
        }
        place.stored.store(at.chunk + 1, Release);
        self.free(place);
        true
    }
}

/// The slots of an index, which several threads fill.
pub(super) trait Slots {
    /// The bucket after this one.
    fn next(&self, bucket: usize) -> usize;
    /// The slots of a bucket with this tag, and the empty ones.
    fn match_tags(&self, bucket: usize, tag: u32) -> TagMatch;
    /// What a slot has.
    fn load(&self, slot: usize) -> u32;
    /// Replaces `from` by `to`. Gives what the slot has if that is something else.
    fn replace(&self, slot: usize, from: u32, to: u32) -> Result<(), u32>;
}

/// Whom a slot belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// Another state.
    Another,
    /// The state itself, under this record number.
    Record(u32),
    /// The state itself, claimed by this chunk or an earlier one.
    Earlier,
    /// The state itself, claimed by a later chunk, under this provisional number.
    Later(u32),
}

/// Where the search for a state has arrived in an index.
#[derive(Clone, Copy, Debug)]
pub struct Sought {
    pub(super) bucket: usize,
    /// The slots of the bucket that may have the state, and the empty ones, as they were a moment ago.
    pub(super) matched: TagMatch,
}

/// What became of a state that was to be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// It is in this slot. A later chunk may have lost its claim to it, which has this provisional
    /// number.
    At(usize, Option<u32>),
    /// The index has it, with this record number if it has one.
    Known(Option<u32>),
}

/// Searches for a state, and changes nothing. The result is `None` if the index has it, or an earlier
/// claim to it. Otherwise it is where [`enter`] begins: in the first bucket with an empty slot, or with
/// a claim of a later chunk. What has another state now will never have this one.
#[inline(always)]
pub(super) fn seek<S: Slots>(
    slots: &S,
    Sought { mut bucket, mut matched }: Sought,
    tag: u32,
    holder: impl Fn(u32) -> Holder,
) -> Option<Sought> {
    loop {
        let mut candidates = matched.candidates;
        while candidates != 0 {
            let slot = bucket * BUCKET + candidates.trailing_zeros() as usize;
            match holder(slots.load(slot)) {
                Holder::Another => {}
                Holder::Record(_) | Holder::Earlier => return None,
                Holder::Later(_) => {
                    return Some(Sought { bucket, matched: TagMatch { candidates, ..matched } });
                }
            }
            candidates &= candidates - 1;
        }
        if matched.empty != 0 {
            return Some(Sought { bucket, matched: TagMatch { candidates, ..matched } });
        }
        bucket = slots.next(bucket);
        matched = slots.match_tags(bucket, tag);
    }
}

/// Enters a state as `entry`, unless the index has it already, or an earlier claim to it. Slots of a
/// bucket are filled in their order, and none is ever emptied.
#[inline(always)]
pub(super) fn enter<S: Slots>(
    slots: &S,
    Sought { mut bucket, mut matched }: Sought,
    tag: u32,
    entry: u32,
    holder: impl Fn(u32) -> Holder,
) -> Entered {
    loop {
        while matched.candidates != 0 {
            let slot = bucket * BUCKET + matched.candidates.trailing_zeros() as usize;
            let mut value = slots.load(slot);
            loop {
                match holder(value) {
                    Holder::Another => break,
                    Holder::Record(record) => return Entered::Known(Some(record)),
                    Holder::Earlier => return Entered::Known(None),
                    Holder::Later(number) => match slots.replace(slot, value, entry) {
                        Ok(()) => return Entered::At(slot, Some(number)),
                        // A third chunk was faster.
                        Err(now) => value = now,
                    },
                }
            }
            matched.candidates &= matched.candidates - 1;
        }
        if matched.empty == 0 {
            bucket = slots.next(bucket);
            matched = slots.match_tags(bucket, tag);
            continue;
        }
        let place = matched.empty.trailing_zeros();
        let slot = bucket * BUCKET + place as usize;
        match slots.replace(slot, 0, entry) {
            Ok(()) => return Entered::At(slot, None),
            // It was filled a moment ago, and perhaps others behind it.
            Err(_) => {
                matched = slots.match_tags(bucket, tag);
                matched.candidates &= u16::MAX << place;
            }
        }
    }
}
