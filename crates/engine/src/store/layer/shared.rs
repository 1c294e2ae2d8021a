//! A layer as other threads see it while its owner and they enter states.

use super::claims::{Claims, Entered, Holder, Slots, UNCLAIMED, enter};
use super::index_view::{IndexView, TagMatch};
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

    /// Looks at the part of the index where this hash belongs, and fetches the state that
    /// [`find`](Self::find) will compare first.
    ///
    /// # Safety
    /// That of [`find`](Self::find).
    #[inline(always)]
    pub unsafe fn look<R: Records>(&self, records: R, hash: u64) -> TagMatch {
        // SAFETY: by the contract of this function.
        unsafe { self.0.look_shared(records, hash) }
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

    /// Claims the state for this position of a chunk, unless the layer has it, or an earlier claim to
    /// it: then the result is `None`. Otherwise it is the slot of the claim, or [`UNCLAIMED`] if there
    /// is no room for more claims.
    ///
    /// # Safety
    /// That of [`find`](Self::find).
    #[inline(always)]
    pub unsafe fn claim<R: Records>(
        &self,
        records: R,
        state: &[u64],
        (hash, matched): (u64, TagMatch),
        (claims, chunk, position): (&Claims, usize, usize),
    ) -> Option<usize> {
        let Some(number) = claims.write(records, records.first(state), (chunk, position)) else {
            // SAFETY: by the contract of this function.
            return unsafe { self.find(records, state, (hash, matched)) }.is_none().then_some(UNCLAIMED);
        };
        let entry = self.0.claim_slot(hash, number);
        // SAFETY: by the contract of this function.
        match unsafe { self.enter(records, state, (hash, matched), entry, (claims, chunk)) } {
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
        (hash, matched): (u64, TagMatch),
        entry: u32,
        (claims, chunk): (&Claims, usize),
    ) -> Entered {
        let (view, state) = (&self.0, records.first(state));
        let holder = |slot| match view.claim_in(slot) {
            // SAFETY: a slot that is not empty names a record that can be read.
            None if unsafe { view.is_state(records, view.record_of(slot), state) } => {
                Holder::Record(view.record_of(slot))
            }
            Some(number) => match claims.claim(records, number, state) {
                None => Holder::Another,
                Some(by) if by <= chunk => Holder::Earlier,
                Some(_) => Holder::Later(number),
            },
            None => Holder::Another,
        };
        let home = (view.home(hash), view.tag(hash));
        // SAFETY: by the contract of this function, the index has buckets and stays where it is.
        let slots = unsafe { SharedSlots::new(view) };
        let entered = enter(&slots, home, matched, entry, holder);
        if let Entered::At(_, Some(number)) = entered {
            claims.lose(number);
        }
        entered
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
        unsafe { self.0.atomic(slot) }.load(std::sync::atomic::Ordering::Acquire)
    }

    #[inline(always)]
    fn replace(&self, slot: usize, from: u32, to: u32) -> Result<(), u32> {
        use std::sync::atomic::Ordering::{AcqRel, Acquire};
        // SAFETY: as above.
        unsafe { self.0.atomic(slot) }.compare_exchange(from, to, AcqRel, Acquire).map(|_| ())
    }
}
