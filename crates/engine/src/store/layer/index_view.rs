//! Look-ups: an index of buckets, and the records that its slots name.
//!
//! A view borrows the memory of its creator: a layer that grows, or a copy that stays as it is.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::BUCKET;
use super::claims::Claims;
use crate::store::records::{Records, prefixed_len};

/// An index and its records in memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct IndexView {
    slots: *mut u32,
    buckets: usize,
    /// Bits of a slot that hold the record number.
    record_bits: u32,
    arena: *const u64,
    /// Where each record begins in the arena, for records of varying length.
    offsets: *const u32,
    /// Slots with this record number or a greater one have a [claim](super::claims).
    claims_from: u32,
}

/// Bit sets of the slots of a bucket.
#[derive(Clone, Copy, Debug, Default)]
pub struct TagMatch {
    /// Slots with the right tag.
    pub(super) candidates: u16,
    /// Slots without a record.
    pub(super) empty: u16,
}

impl IndexView {
    /// A view of this many buckets from `slots` on, each aligned to a cache line. `offsets` may be
    /// null where all records have one length.
    #[inline(always)]
    pub fn new(
        slots: *mut u32,
        buckets: usize,
        record_bits: u32,
        arena: *const u64,
        offsets: *const u32,
    ) -> Self {
        Self { slots, buckets, record_bits, arena, offsets, claims_from: u32::MAX }
    }

    /// The same view of an index where slots with this record number or a greater one have a claim.
    #[inline(always)]
    pub fn with_claims_from(self, claims_from: u32) -> Self {
        Self { claims_from, ..self }
    }

    /// The number of the bucket where this hash belongs.
    #[inline(always)]
    pub(super) fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize
    }

    #[inline(always)]
    pub(super) fn bucket(&self, number: usize) -> *mut u32 {
        self.slots.wrapping_add(number * BUCKET)
    }

    #[inline(always)]
    pub(super) fn next(&self, number: usize) -> usize {
        if number + 1 == self.buckets { 0 } else { number + 1 }
    }

    #[inline(always)]
    fn tag_mask(&self) -> u32 {
        u32::MAX.unbounded_shl(self.record_bits)
    }

    #[inline(always)]
    pub(super) fn tag(&self, hash: u64) -> u32 {
        (hash as u32).unbounded_shl(self.record_bits)
    }

    /// The contents of the slot of this record.
    #[inline(always)]
    pub fn slot(&self, hash: u64, record: u32) -> u32 {
        self.tag(hash) | (record + 1)
    }

    #[inline(always)]
    pub(super) fn record_of(&self, slot: u32) -> u32 {
        (slot & !self.tag_mask()).wrapping_sub(1)
    }

    /// The contents of the slot of the claim with this provisional number.
    #[inline(always)]
    pub(super) fn claim_slot(&self, hash: u64, number: u32) -> u32 {
        self.slot(hash, self.claims_from + number)
    }

    /// The provisional number of the claim in a slot, if it has one.
    #[inline(always)]
    pub(super) fn claim_in(&self, slot: u32) -> Option<u32> {
        self.record_of(slot).checked_sub(self.claims_from)
    }

    /// The address of a slot.
    #[inline(always)]
    pub(super) fn slot_at(&self, slot: usize) -> *const u32 {
        self.slots.wrapping_add(slot)
    }

    /// The contents of a slot of the same state with this record number.
    #[inline(always)]
    pub(super) fn renumbered(&self, slot: u32, record: u32) -> u32 {
        (slot & self.tag_mask()) | (record + 1)
    }

    /// The address of a word of the arena.
    #[inline(always)]
    pub(super) fn word(&self, word: usize) -> *mut u64 {
        self.arena.wrapping_add(word).cast_mut()
    }

    /// The address of the offset of a record, if records vary in length.
    #[inline(always)]
    pub(super) fn offset_of(&self, record: usize) -> *mut u32 {
        self.offsets.wrapping_add(record).cast_mut()
    }

    /// The words of the arena in this range.
    ///
    /// # Safety
    /// They were written, and stay as they are as long as the result is used.
    #[inline(always)]
    pub(super) unsafe fn words<'a>(&self, words: Range<usize>) -> &'a [u64] {
        // SAFETY: by the contract of this function.
        unsafe { std::slice::from_raw_parts(self.arena.add(words.start), words.len()) }
    }

    /// A slot, for accesses by several threads.
    ///
    /// # Safety
    /// The index has this slot, and stays where it is as long as the result is used.
    #[inline(always)]
    pub(super) unsafe fn atomic(&self, slot: usize) -> &AtomicU32 {
        // SAFETY: by the contract of this function. Slots are aligned.
        unsafe { AtomicU32::from_ptr(self.slots.add(slot)) }
    }

    /// Where the record begins.
    ///
    /// # Safety
    /// The record exists, and if records vary in length, its offset can be read.
    #[inline(always)]
    unsafe fn record_start<R: Records>(&self, records: R, record: u32) -> *const u64 {
        // SAFETY: by the contract of this function.
        let offset = if R::VARYING { unsafe { *self.offsets.add(record as usize) as usize } } else { 0 };
        self.arena.wrapping_add(records.start(record as usize, offset))
    }

    /// Whether the record is this state.
    ///
    /// # Safety
    /// The record exists and can be read, and so can its offset if records vary in length.
    #[inline(always)]
    pub(super) unsafe fn is_state<R: Records>(&self, records: R, record: u32, state: &[u64]) -> bool {
        // SAFETY: by the contract of this function. A prefixed record has at least its head. If
        // that is also the head of the state, the record is as long as the state. A fixed record
        // has the length of the state, which the compiler often knows.
        unsafe {
            let start = self.record_start(records, record);
            if R::VARYING && *start != state[0] {
                return false;
            }
            debug_assert!(!R::VARYING || prefixed_len(*start) == state.len());
            let len = if R::VARYING { state.len() } else { records.fixed_len() };
            std::slice::from_raw_parts(start, len) == &state[..len]
        }
    }

    /// Fetches the bucket where this hash belongs.
    #[inline(always)]
    pub fn fetch(&self, hash: u64) {
        prefetch(self.bucket(self.home(hash)));
    }

    /// Fetches the bucket where this hash belongs, to be written by this thread.
    #[inline(always)]
    pub fn fetch_for_writing(&self, hash: u64) {
        prefetch_for_writing(self.bucket(self.home(hash)));
    }

    /// Matches the tags of the bucket where this hash belongs, and fetches what the next step
    /// reads.
    ///
    /// # Safety
    /// The index has buckets, and its slots can be read. All slots that are not empty name records
    /// that exist.
    #[inline(always)]
    pub unsafe fn look<R: Records>(&self, records: R, hash: u64) -> TagMatch {
        let slots = self.bucket(self.home(hash));
        // SAFETY: `home` is a bucket of the index. The bit number of a candidate is below the size
        // of a bucket, and its slot is not empty.
        unsafe {
            let matched = self.match_tags(slots, self.tag(hash));
            if matched.empty == 0 {
                prefetch(slots.wrapping_add(BUCKET));
            }
            if matched.candidates != 0 {
                let slot = *slots.add(matched.candidates.trailing_zeros() as usize);
                prefetch(self.record_start(records, self.record_of(slot)));
            }
            matched
        }
    }

    /// Finds the record number of the state, or the empty slot where it belongs.
    ///
    /// # Safety
    /// The index has buckets and at least one empty slot. All other slots name records that can be
    /// read. A match, if given, was made for this hash since the index last grew.
    #[inline(always)]
    pub unsafe fn find<R: Records>(
        &self,
        records: R,
        state: &[u64],
        hash: u64,
        mut matched: Option<TagMatch>,
    ) -> Result<u32, *mut u32> {
        let (tag, state) = (self.tag(hash), records.first(state));
        let mut number = self.home(hash);
        loop {
            let slots = self.bucket(number);
            // SAFETY: `number` is below the number of buckets. Candidates are slots that name
            // records, which can be read.
            unsafe {
                // Slots are filled in order: while the first empty one is empty, the bucket has not
                // changed.
                let is_current =
                    |old: &TagMatch| old.empty == 0 || *slots.add(old.empty.trailing_zeros() as usize) == 0;
                let TagMatch { mut candidates, empty } =
                    matched.take().filter(is_current).unwrap_or_else(|| self.match_tags(slots, tag));
                while candidates != 0 {
                    let record = self.record_of(*slots.add(candidates.trailing_zeros() as usize));
                    if self.is_state(records, record, state) {
                        return Ok(record);
                    }
                    candidates &= candidates - 1;
                }
                if empty != 0 {
                    return Err(slots.add(empty.trailing_zeros() as usize));
                }
            }
            number = self.next(number);
        }
    }

    /// The record number of the state, if it is in the index. The owner of the index may insert
    /// states meanwhile: those may be found or not. `matched` was made for this hash by
    /// [`look_shared`](Self::look_shared).
    ///
    /// # Safety
    /// The index has buckets and at least one empty slot. It does not move, and no slot is cleared,
    /// from the call of `look_shared` to the end of this one. A slot that is not empty names a record
    /// that can be read: its words were written before the slot was [published](Self::publish).
    #[inline(always)]
    pub unsafe fn find_shared<R: Records>(
        &self,
        records: R,
        state: &[u64],
        hash: u64,
        mut matched: TagMatch,
    ) -> Option<u32> {
        let state = records.first(state);
        let mut number = self.home(hash);
        loop {
            let slots = self.bucket(number);
            // SAFETY: `number` is below the number of buckets. Candidates are slots that name
            // records, which can be read. A slot does not change once it is not empty.
            unsafe {
                while matched.candidates != 0 {
                    let slot = AtomicU32::from_ptr(slots.add(matched.candidates.trailing_zeros() as usize));
                    let record = self.record_of(slot.load(Ordering::Acquire));
                    if record < self.claims_from && self.is_state(records, record, state) {
                        return Some(record);
                    }
                    matched.candidates &= matched.candidates - 1;
                }
                if matched.empty != 0 {
                    return None;
                }
                number = self.next(number);
                matched = self.match_tags_shared(self.bucket(number), self.tag(hash));
            }
        }
    }

    /// Matches the tags of the bucket where this hash belongs, while the owner of the index may insert
    /// states, and fetches the record that [`find_shared`](Self::find_shared) will look at first.
    ///
    /// # Safety
    /// That of [`find_shared`](Self::find_shared).
    #[inline(always)]
    pub unsafe fn look_shared<R: Records>(&self, records: R, hash: u64, claims: Option<&Claims>) -> TagMatch {
        let slots = self.bucket(self.home(hash));
        // SAFETY: by the contract of this function. A candidate is not empty.
        unsafe {
            let matched = self.match_tags_shared(slots, self.tag(hash));
            if matched.empty == 0 {
                prefetch(slots.wrapping_add(BUCKET));
            }
            if matched.candidates != 0 {
                let slot = AtomicU32::from_ptr(slots.add(matched.candidates.trailing_zeros() as usize))
                    .load(Ordering::Acquire);
                match (self.claim_in(slot), claims) {
                    (None, _) => prefetch(self.record_start(records, self.record_of(slot))),
                    (Some(number), Some(claims)) => claims.fetch(records, number),
                    (Some(_), None) => {}
                }
            }
            matched
        }
    }

    /// Fills an empty slot, after the words of the record were written: threads that see the slot see
    /// the words.
    ///
    /// # Safety
    /// The slot came from [`find`](Self::find), or has a claim to this record, and only the owner of the
    /// index writes to it.
    #[inline(always)]
    pub unsafe fn publish(&self, slot: *mut u32, hash: u64, record: u32) {
        // SAFETY: by the contract of this function. Slots are aligned.
        unsafe { AtomicU32::from_ptr(slot) }.store(self.slot(hash, record), Ordering::Release);
    }

    /// Enters a record whose state is not in the index.
    ///
    /// # Safety
    /// The index has an empty slot, and no other view reads it meanwhile. The number of the record
    /// plus one fits into its bits.
    #[inline(always)]
    pub unsafe fn enter(&self, hash: u64, record: u32) {
        let mut number = self.home(hash);
        loop {
            let slots = self.bucket(number);
            // SAFETY: `number` is below the number of buckets.
            unsafe {
                let empty = self.match_tags(slots, 0).empty;
                if empty != 0 {
                    *slots.add(empty.trailing_zeros() as usize) = self.slot(hash, record);
                    return;
                }
            }
            number = self.next(number);
        }
    }

    /// Enters a record whose state is not in the index, while other threads enter others.
    ///
    /// # Safety
    /// The index has an empty slot for each record that is entered. The number of the record plus one
    /// fits into its bits.
    #[inline(always)]
    pub unsafe fn enter_shared(&self, hash: u64, record: u32) {
        let mut number = self.home(hash);
        let entry = self.slot(hash, record);
        loop {
            let slots = self.bucket(number);
            // SAFETY: `number` is below the number of buckets.
            let mut empty = unsafe { self.match_tags_shared(slots, 0) }.empty;
            while empty != 0 {
                // SAFETY: slots are aligned, and all threads access them atomically.
                let slot = unsafe { AtomicU32::from_ptr(slots.add(empty.trailing_zeros() as usize)) };
                if slot.compare_exchange(0, entry, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                    return;
                }
                empty &= empty - 1;
            }
            number = self.next(number);
        }
    }

    /// Finds the slots of a bucket with this tag, and the empty ones, while the owner of the index may
    /// fill empty ones.
    ///
    /// # Safety
    /// `slots` is the start of a bucket.
    #[inline(always)]
    pub(super) unsafe fn match_tags_shared(&self, slots: *mut u32, tag: u32) -> TagMatch {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a bucket is four aligned vectors. The processor reads each aligned slot of a vector
        // as a whole. As assembly, this is no data race by the rules of the language.
        unsafe {
            use std::arch::x86_64::__m128i;
            let load = |part: usize| {
                let four: __m128i;
                std::arch::asm!(
                    "movdqa {four}, xmmword ptr [{from}]",
                    four = out(xmm_reg) four,
                    from = in(reg) slots.add(4 * part),
                    options(nostack, preserves_flags, readonly),
                );
                four
            };
            self.matches(tag, load)
        }
        #[cfg(not(target_arch = "x86_64"))]
        // SAFETY: a bucket has this many slots, which are aligned.
        self.matches(tag, |bit| unsafe { AtomicU32::from_ptr(slots.add(bit)) }.load(Ordering::Relaxed))
    }

    /// Finds the slots of a bucket with this tag, and the empty ones.
    ///
    /// # Safety
    /// `slots` is the start of a bucket.
    #[inline(always)]
    unsafe fn match_tags(&self, slots: *const u32, tag: u32) -> TagMatch {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a bucket is four aligned vectors.
        return self
            .matches(tag, |part| unsafe { std::arch::x86_64::_mm_load_si128(slots.add(4 * part).cast()) });
        #[cfg(not(target_arch = "x86_64"))]
        // SAFETY: a bucket has this many slots.
        return self.matches(tag, |bit| unsafe { *slots.add(bit) });
    }

    /// Finds the slots with this tag, and the empty ones, in the four vectors of a bucket.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn matches(&self, tag: u32, load: impl Fn(usize) -> std::arch::x86_64::__m128i) -> TagMatch {
        use std::arch::x86_64::*;
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let tags = _mm_set1_epi32(tag as i32);
            let mask = _mm_set1_epi32(self.tag_mask() as i32);
            let zero = _mm_setzero_si128();
            let (mut same, mut empty) = (0, 0);
            for part in 0..4 {
                let four = load(part);
                let equal = _mm_cmpeq_epi32(_mm_and_si128(four, mask), tags);
                let none = _mm_cmpeq_epi32(four, zero);
                same |= _mm_movemask_ps(_mm_castsi128_ps(equal)) << (4 * part);
                empty |= _mm_movemask_ps(_mm_castsi128_ps(none)) << (4 * part);
            }
            TagMatch { candidates: (same & !empty) as u16, empty: empty as u16 }
        }
    }

    /// Finds the slots with this tag, and the empty ones, in the slots of a bucket.
    #[cfg(not(target_arch = "x86_64"))]
    fn matches(&self, tag: u32, load: impl Fn(usize) -> u32) -> TagMatch {
        let (mut same, mut empty) = (0, 0);
        for bit in 0..BUCKET {
            let slot = load(bit);
            same |= u16::from(slot & self.tag_mask() == tag) << bit;
            empty |= u16::from(slot == 0) << bit;
        }
        TagMatch { candidates: same & !empty, empty }
    }
}

/// Fetches the memory at an address into the cache of this processor alone, to be written. The
/// intrinsic function would only read: the compiler knows no such instruction for every x86-64. Those
/// that lack it take it for no operation.
#[inline(always)]
pub(super) fn prefetch_for_writing<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is allowed. It cannot fault, and changes nothing.
    unsafe {
        std::arch::asm!(
            "prefetchw [{address}]",
            address = in(reg) address,
            options(nostack, preserves_flags, readonly),
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Fetches the memory at an address into the cache.
#[inline(always)]
pub(in crate::store) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is allowed. It cannot fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
