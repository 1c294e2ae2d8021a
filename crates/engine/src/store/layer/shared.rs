//! A layer as other threads see it while its owner and they enter states.

use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::claims::{ClaimPlace, Claims, Entered, Holder, Slots, Sought, enter, seek};
use super::index_view::{IndexView, TagMatch, prefetch_for_writing};
use crate::store::records::Records;

/// The index and the states of a layer, for threads beside its owner.
#[derive(Clone, Copy, Debug)]
pub struct SharedView(pub(super) IndexView);

// SAFETY: a view is only an address. Reading through it is `unsafe`, with a contract that allows
// other threads.
unsafe impl Send for SharedView {}
// SAFETY: likewise.
unsafe impl Sync for SharedView {}

impl SharedView {
    /// Fetches the part of the index where a state with this hash belongs. Any address may be
    /// fetched.
    #[inline(always)]
    pub fn fetch(&self, hash: u64) {
        self.0.fetch(hash);
    }

    /// The states at [this place](super::Layer::words_of) in the arena.
    ///
    /// # Safety
    /// The layer exists and has these states, and they stay where they are as long as the result is
    /// used.
    #[inline(always)]
    pub unsafe fn states<'a>(&self, words: Range<usize>) -> &'a [u64] {
        // SAFETY: by the contract of this function.
        unsafe { self.0.words(words) }
    }

    /// Looks at the part of the index where this hash belongs, and fetches the state that
    /// [`find`](Self::find) or [`seek`](Self::seek) will compare first.
    ///
    /// # Safety
    /// That of [`find`](Self::find).
    #[inline(always)]
    pub unsafe fn look<R: Records>(&self, records: R, hash: u64, claims: Option<&Claims>) -> TagMatch {
        // SAFETY: by the contract of this function.
        unsafe { self.0.look_shared(records, hash, claims) }
    }

    /// The record number of the state with this hash, if it is in the layer. A state that was
    /// entered since the [look](Self::look) at this hash may be found or not; one that is only
    /// claimed is not found.
    ///
    /// # Safety
    /// The layer exists and has an index. Since the view was made, states were only entered for which
    /// there were [slots](super::Layer::has_slots): the owner has neither grown the index, nor
    /// removed, repacked or dropped states.
    #[inline(always)]
    pub unsafe fn find<R: Records>(
        &self,
        records: R,
        state: &[u64],
        (hash, matched): (u64, TagMatch),
    ) -> Option<u32> {
        // SAFETY: by the contract of this function. A slot is published after the state was
        // written, and an index always has empty slots.
        unsafe { self.0.find_shared(records, state, hash, matched) }
    }

    /// Searches for a state, from the [look](Self::look) at its hash on. The result is `None` if the
    /// layer has it, or if this chunk or an earlier one claims it. Otherwise the state can be
    /// [claimed](Self::claim), and the part of the index that this takes is fetched.
    ///
    /// # Safety
    /// That of [`find`](Self::find).
    #[inline(always)]
    pub unsafe fn seek<R: Records>(
        &self,
        records: R,
        state: &[u64],
        (hash, matched): (u64, TagMatch),
        (claims, chunk): (&Claims, usize),
    ) -> Option<Sought> {
        let (view, state) = (&self.0, records.first(state));
        let sought = Sought { bucket: view.home(hash), matched };
        // SAFETY: by the contract of this function, the index has buckets and stays where it is.
        let slots = unsafe { SharedSlots::new(view) };
        // SAFETY: by the contract of this function.
        let holder = |slot| unsafe { view.holder(records, slot, state, (claims, chunk)) };
        let sought = seek(&slots, sought, view.tag(hash), holder);
        if let Some(sought) = sought {
            prefetch_for_writing(view.bucket(sought.bucket));
        }
        sought
    }

    /// Claims a state that was [sought](Self::seek) for this chunk, under a provisional number. The
    /// state is [written](super::claims::ClaimWriter::write) there. Returns the slot, or `None` if an earlier chunk has
    /// claimed the state meanwhile, or this one did.
    ///
    /// # Safety
    /// That of [`find`](Self::find), since the call of `seek`.
    #[inline(always)]
    pub unsafe fn claim<R: Records>(
        &self,
        records: R,
        state: &[u64],
        (hash, sought): (u64, Sought),
        number: u32,
        (claims, chunk): (&Claims, usize),
    ) -> Option<usize> {
        let entry = self.0.claim_slot(hash, number);
        // SAFETY: by the contract of this function.
        match unsafe { self.enter(records, state, (hash, sought), entry, (claims, chunk)) } {
            Entered::At(slot, _) => Some(slot),
            Entered::Known(_) => None,
        }
    }

    /// Enters a state of this chunk into the index as `entry`, unless the index has it. A claim of a
    /// later chunk is lost.
    ///
    /// # Safety
    /// That of [`find`](Self::find). What `entry` names can be read.
    #[inline(always)]
    pub(super) unsafe fn enter<R: Records>(
        &self,
        records: R,
        state: &[u64],
        (hash, sought): (u64, Sought),
        entry: u32,
        (claims, chunk): (&Claims, usize),
    ) -> Entered {
        let (view, state) = (&self.0, records.first(state));
        // SAFETY: by the contract of this function.
        let holder = |slot| unsafe { view.holder(records, slot, state, (claims, chunk)) };
        // SAFETY: by the contract of this function, the index has buckets and stays where it is.
        let slots = unsafe { SharedSlots::new(view) };
        let entered = enter(&slots, sought, view.tag(hash), entry, holder);
        if let Entered::At(_, Some(number)) = entered {
            claims.lose(number, state.len());
        }
        entered
    }

    /// Stores the claimed states of a chunk that has record numbers, unless another thread does:
    /// copies them into the arena, and replaces the provisional numbers in the index.
    ///
    /// # Safety
    /// That of [`find`](Self::find), since the states were claimed. The owner has
    /// [numbered](super::Layer::number) them, and reads none of them before they are
    /// [stored](Claims::is_stored).
    pub unsafe fn store<R: Records>(&self, records: R, claims: &Claims, at: ClaimPlace) -> bool {
        let (view, mut is_first) = (&self.0, true);
        let fetch = |slot| prefetch_for_writing(view.slot_at(slot));
        claims.store(records, at, fetch, |state, to, record, slot| {
            // SAFETY: the owner has made room for the words and the offset, which belong to this
            // thread now. The offset of the first state is already there. The slot has the claim to
            // this state: only a claim of an earlier chunk could have replaced it, and those have been
            // committed.
            unsafe {
                for (word, offset) in state.iter().zip(0..) {
                    *view.word(to + offset) = word.load(Relaxed);
                }
                if R::VARYING && !is_first {
                    *view.offset_of(record) = to as u32;
                }
                let slot = view.atomic(slot);
                slot.store(view.renumbered(slot.load(Relaxed), record as u32), Release);
            }
            is_first = false;
        })
    }
}

impl IndexView {
    /// Whom a slot belongs to that is not empty, for a search for this state by a chunk.
    ///
    /// # Safety
    /// The slot names a record that can be read, or a claim.
    #[inline(always)]
    unsafe fn holder<R: Records>(
        &self,
        records: R,
        slot: u32,
        state: &[u64],
        (claims, chunk): (&Claims, usize),
    ) -> Holder {
        match self.claim_in(slot) {
            // SAFETY: by the contract of this function.
            None if unsafe { self.is_state(records, self.record_of(slot), state) } => {
                Holder::Record(self.record_of(slot))
            }
            Some(number) => match claims.claim(records, number, state) {
                None => Holder::Another,
                Some(by) if by <= chunk => Holder::Earlier,
                Some(_) => Holder::Later(number),
            },
            None => Holder::Another,
        }
    }
}

/// The slots of an index, accessed by several threads.
struct SharedSlots<'a>(&'a IndexView);

impl<'a> SharedSlots<'a> {
    /// The slots that a view shows.
    ///
    /// # Safety
    /// The index has buckets and stays where it is as long as this is used, and all threads access its
    /// slots atomically.
    #[inline(always)]
    unsafe fn new(view: &'a IndexView) -> Self {
        Self(view)
    }
}

impl Slots for SharedSlots<'_> {
    #[inline(always)]
    fn next(&self, bucket: usize) -> usize {
        self.0.next(bucket)
    }

    #[inline(always)]
    fn match_tags(&self, bucket: usize, tag: u32) -> TagMatch {
        // SAFETY: `new` promises that there is an index. Buckets come from `home` and `next`.
        unsafe { self.0.match_tags_shared(self.0.bucket(bucket), tag) }
    }

    #[inline(always)]
    fn load(&self, slot: usize) -> u32 {
        // SAFETY: `new` promises that there is an index. Slots are those of a bucket.
        unsafe { self.0.atomic(slot) }.load(Acquire)
    }

    #[inline(always)]
    fn replace(&self, slot: usize, from: u32, to: u32) -> Result<(), u32> {
        // SAFETY: as above.
        unsafe { self.0.atomic(slot) }.compare_exchange(from, to, AcqRel, Acquire).map(|_| ())
    }
}
