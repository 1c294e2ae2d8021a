//! Chunks: what the owner of a layer does while other threads look states up in it and claim them.

use super::claims::{Chunk, Entered, UNCLAIMED};
use super::index_view::prefetch_for_writing;
use super::{Inserted, Layer, LayerFull, NOT_FOUND, SharedView};
use crate::store::records::Records;

impl Layer {
    /// A view for other threads. See [`SharedView::find`] for how long it is valid.
    pub fn shared(&self) -> SharedView {
        SharedView(self.view().with_claims_from(self.capacity as u32))
    }

    /// Makes a larger index unless so many states more have slots.
    pub fn reserve_slots<R: Records>(&mut self, records: R, states: usize) -> Result<(), LayerFull> {
        if self.has_slots(states) { Ok(()) } else { self.grow(records, self.count + states) }
    }

    /// The number of the present index, which rises when it is made anew.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// All claims in the index are void: it is made anew before the next state is inserted.
    pub fn void_claims(&mut self) {
        self.generation += 1;
        (self.capacity, self.has_void_claims) = (0, true);
    }

    /// Fetches the parts of the index where states with these hashes belong, before they are inserted
    /// by [`insert_chunk`](Self::insert_chunk).
    #[inline]
    pub fn fetch_for_writing(&self, hashes: &[u64]) {
        let view = self.view();
        hashes.iter().for_each(|hash| view.fetch_for_writing(*hash));
    }

    /// Fetches slots before claims there get their record numbers.
    #[inline]
    pub fn fetch_slots_for_writing(&self, slots: &[usize]) {
        slots.iter().for_each(|slot| prefetch_for_writing(self.index.start().wrapping_add(*slot)));
    }

    /// Inserts the states of a chunk, while other threads claim states for later ones. All earlier
    /// chunks are stored, and the index was [fetched](Self::fetch_for_writing). States with a hint are
    /// known. Those that are claimed get their record numbers, unless the claims were lost; the others
    /// are looked up. `each` gets what became of each, in order: nothing for a claim that was lost. If
    /// there is no room, none is stored.
    pub fn insert_chunk<R: Records>(
        &mut self,
        records: R,
        (words, hashes): (&[u64], &[u64]),
        chunk: Chunk<'_>,
        mut each: impl FnMut(Option<Inserted>),
    ) -> Result<(), LayerFull> {
        assert!(records.has_count(words, hashes.len()), "one hash for each state");
        assert!(chunk.slots.is_empty() || self.has_slots(hashes.len()), "a larger index has no claims");
        self.make_room(records, hashes.len(), words.len())?;
        let (mut hints, mut slots) = (chunk.hints.iter(), chunk.slots.iter());
        for (position, (state, &hash)) in records.states(words).zip(hashes).enumerate() {
            let state = records.first(state);
            let hint = hints.next().map_or(NOT_FOUND, |hint| *hint);
            let slot = slots.next().map_or(UNCLAIMED, |slot| *slot);
            debug_assert!(hint == NOT_FOUND || self.state(hint as usize) == state);
            each(if hint != NOT_FOUND {
                Some(Inserted::Known(hint))
            } else if slot == UNCLAIMED {
                // SAFETY: there is room for all of them.
                Some(unsafe { self.insert_beside(records, state, hash, &chunk) })
            } else if chunk.claims.is_lost(chunk.number, position) {
                None
            } else {
                assert!(slot < self.index.len(), "the slot is in the present index");
                // SAFETY: there is room for all of them. The slot exists, and has this claim: only a
                // claim of an earlier chunk could have replaced it, and those are all stored.
                Some(unsafe { self.store_next::<R>(state, hash, self.view().slot_at(slot)) })
            });
        }
        Ok(())
    }

    /// Inserts a state of a chunk, while other threads claim states for later ones.
    ///
    /// # Safety
    /// `make_room` reserved room for this state.
    unsafe fn insert_beside<R: Records>(
        &mut self,
        records: R,
        state: &[u64],
        hash: u64,
        chunk: &Chunk<'_>,
    ) -> Inserted {
        let (view, record) = (self.shared(), self.count as u32);
        // SAFETY: by the contract of this function. The words are written before the slot that names
        // them, and count only if the state is new.
        let entered = unsafe {
            self.write_next::<R>(state);
            let (matched, entry) = (view.look(records, hash), view.0.slot(hash, record));
            view.enter(records, state, (hash, matched), entry, (chunk.claims, chunk.number))
        };
        match entered {
            Entered::At(..) => {
                self.count_next::<R>(state.len());
                Inserted::New(record)
            }
            Entered::Known(record) => Inserted::Known(record.expect("earlier chunks are stored")),
        }
    }
}
