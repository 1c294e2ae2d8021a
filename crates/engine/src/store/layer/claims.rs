//! Claims: states that several threads enter into the index of a layer, before they have numbers.
//!
//! The states of a layer are expanded in chunks, which are numbered in the order of the search. A
//! thread that finds a successor that the layer does not have enters it into the index at once, under
//! a provisional number: the place of its chunk, and its position in the chunk. If two chunks claim
//! the same state, the one that comes first in the order of the search keeps the slot, whichever
//! thread came first. When all chunks before it are stored, the owner of the layer gives the claims of
//! a chunk that were not lost their record numbers, in order. So every state gets the number that one
//! thread alone would have given it, in every schedule.
//!
//! The words of a claim are beside the index until the state is stored, and others that meet its slot
//! compare with them there. A thread may do so even shortly after the slot got its record number. So a
//! place is used again only when all chunks are done that were under way at that time: there are twice
//! as many places as chunks under way.
//!
//! [`enter`] is the protocol itself. It is written for any [`Slots`], so that `claim_schedules` can
//! run it under `shuttle`.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::BUCKET;
use super::index_view::TagMatch;
use crate::store::records::{RecordShape, Records};

/// Words for each claim, if states vary in length.
const VARYING_WORDS: usize = 8;

/// The claims of all chunks that are under way.
#[derive(Debug)]
pub struct Claims {
    places: Box<[Place]>,
    /// Most claims of a chunk.
    most: usize,
    /// Words of a place.
    words: usize,
    bytes: usize,
}

/// The claims of one chunk.
#[derive(Debug)]
struct Place {
    /// The number of the chunk.
    chunk: AtomicUsize,
    /// The claimed states, one after the other.
    words: Box<[AtomicU64]>,
    /// Where each begins, if they vary in length, and where the last one ends.
    starts: Box<[AtomicU32]>,
    /// Whether an earlier chunk has taken over the slot of a claim.
    lost: Box<[AtomicBool]>,
}

impl Place {
    /// Where the claim at this position begins.
    #[inline(always)]
    fn start<R: Records>(&self, records: R, position: usize) -> usize {
        let offset = if R::VARYING { self.starts[position].load(Ordering::Relaxed) as usize } else { 0 };
        records.start(position, offset)
    }
}

/// What threads beside the owner of a layer have found out about the states of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The claims of all chunks.
    pub claims: &'a Claims,
    /// The number of the chunk.
    pub number: usize,
    /// The record numbers of states that were found; empty if none was.
    pub hints: &'a [u32],
    /// The slots of the claims, or [`UNCLAIMED`]; empty if no state is claimed.
    pub slots: &'a [usize],
}

/// The slot of a state that is not claimed.
pub const UNCLAIMED: usize = usize::MAX;

impl Claims {
    /// Room for so many chunks under way, with so many claims each, to states of this shape.
    pub fn new(shape: RecordShape, under_way: usize, most: usize) -> Self {
        let (width, starts) = match shape {
            RecordShape::Fixed(width) => (width, 0),
            RecordShape::Prefixed => (VARYING_WORDS, most + 1),
        };
        let words = most * width;
        let place = |_| Place {
            chunk: AtomicUsize::new(0),
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
            starts: (0..starts).map(|_| AtomicU32::new(0)).collect(),
            lost: (0..most).map(|_| AtomicBool::new(false)).collect(),
        };
        let bytes = 2 * under_way * (words * 8 + starts * 4 + most);
        Self { places: (0..2 * under_way).map(place).collect(), most, words, bytes }
    }

    /// Provisional numbers of so many chunks under way with so many claims each.
    pub fn numbers(under_way: usize, most: usize) -> usize {
        2 * under_way * most
    }

    /// Number of places.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// Most claims of a chunk.
    pub fn most(&self) -> usize {
        self.most
    }

    fn place(&self, chunk: usize) -> &Place {
        &self.places[chunk % self.places.len()]
    }

    /// Begins the claims of a chunk.
    pub fn begin(&self, chunk: usize) {
        self.place(chunk).chunk.store(chunk, Ordering::Relaxed);
    }

    /// Writes the state of the next claim of a chunk, behind those at the positions before this one.
    /// Returns its provisional number, or `None` if there is no room.
    #[inline(always)]
    pub(super) fn write<R: Records>(
        &self,
        records: R,
        state: &[u64],
        (chunk, position): (usize, usize),
    ) -> Option<u32> {
        let place = self.place(chunk);
        if position >= self.most {
            return None;
        }
        let start = place.start(records, position);
        if R::VARYING {
            let end = start + state.len();
            let fits = end <= self.words;
            // A state that is not claimed has a position, too: the next one begins where it would have.
            place.starts[position + 1].store(if fits { end } else { start } as u32, Ordering::Relaxed);
            if !fits {
                return None;
            }
        }
        for (to, from) in place.words[start..].iter().zip(state) {
            to.store(*from, Ordering::Relaxed);
        }
        place.lost[position].store(false, Ordering::Relaxed);
        Some(((chunk % self.places.len()) * self.most + position) as u32)
    }

    /// Whether an earlier chunk has the state of this claim. All chunks before this one are done.
    #[inline(always)]
    pub fn is_lost(&self, chunk: usize, position: usize) -> bool {
        self.place(chunk).lost[position].load(Ordering::Relaxed)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The chunk of the claim with this provisional number, if it is a claim to this state.
    #[inline(always)]
    pub(super) fn claim<R: Records>(&self, records: R, number: u32, state: &[u64]) -> Option<usize> {
        let (place, position) = (number as usize / self.most, number as usize % self.most);
        let place = &self.places[place];
        // The first word of a state of varying length tells the length.
        let words = &place.words[place.start(records, position)..];
        let is_it = words.iter().zip(state).all(|(word, other)| word.load(Ordering::Relaxed) == *other);
        is_it.then(|| place.chunk.load(Ordering::Relaxed))
    }

    /// An earlier chunk has taken over the slot of this claim.
    pub(super) fn lose(&self, number: u32) {
        let (place, position) = (number as usize / self.most, number as usize % self.most);
        self.places[place].lost[position].store(true, Ordering::Relaxed);
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

/// What became of a state that was to be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// It is in this slot. A later chunk may have lost its claim to it, which has this provisional
    /// number.
    At(usize, Option<u32>),
    /// The index has it, with this record number if it has one.
    Known(Option<u32>),
}

/// Enters a state as `entry`, unless the index has it already, or an earlier claim to it. The search
/// begins at a bucket, which `matched` describes, as it was a moment ago. Slots of a bucket are filled
/// in their order, and none is ever emptied.
#[inline(always)]
pub(super) fn enter<S: Slots>(
    slots: &S,
    (mut bucket, tag): (usize, u32),
    mut matched: TagMatch,
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
