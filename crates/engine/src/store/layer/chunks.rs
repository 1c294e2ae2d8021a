//! Chunks: what the owner of a layer does while other threads look states up in it and claim them.

use super::claims::{Chunk, Entered, Sought};
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

    /// Gives so many states, which threads have [claimed](super::claims) and will
    /// [store](SharedView::store), the next record numbers. Returns the first one, and where its words
    /// begin. There must be slots for the states. If there is no room for `more` states besides, of so
    /// many words, nothing changes.
    pub fn number<R: Records>(
        &mut self,
        records: R,
        (states, words): (usize, usize),
        more: (usize, usize),
    ) -> Result<(usize, usize), LayerFull> {
        assert!(self.has_slots(states + more.0), "a larger index has no claims");
        self.make_room(records, states + more.0, words + more.1)?;
        let base = (self.count, self.arena.len());
        if states > 0 {
            if R::VARYING
                && let Some(offsets) = &mut self.offsets
            {
                // SAFETY: `make_room` made room for the offsets. The end of the state before is known
                // at once.
                unsafe { offsets.write_next(&[base.1 as u32]) };
                offsets.count_next(states);
            }
            self.arena.count_next(words);
            self.count += states;
        }
        Ok(base)
    }

    /// Inserts the states of a chunk, while other threads claim states for later ones. All earlier
    /// chunks have record numbers, and the index was [fetched](Self::fetch_for_writing). States with a
    /// hint are known; the others are looked up. `each` gets what became of each, in order: nothing for
    /// a state that is claimed. If there is no room, none is stored.
    pub fn insert_chunk<R: Records>(
        &mut self,
        records: R,
        (words, hashes): (&[u64], &[u64]),
        chunk: Chunk<'_>,
        mut each: impl FnMut(Option<Inserted>),
    ) -> Result<(), LayerFull> {
        assert!(records.has_count(words, hashes.len()), "one hash for each state");
        self.make_room(records, hashes.len(), words.len())?;
        let mut hints = chunk.hints.iter();
        for (state, &hash) in records.states(words).zip(hashes) {
            let state = records.first(state);
            let hint = hints.next().map_or(NOT_FOUND, |hint| *hint);
            debug_assert!(hint == NOT_FOUND || self.state(hint as usize) == state);
            each(match hint {
                // SAFETY: there is room for all of them.
                NOT_FOUND => unsafe { self.insert_beside(records, state, hash, &chunk) },
                hint => Some(Inserted::Known(hint)),
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
    ) -> Option<Inserted> {
        let (view, record) = (self.shared(), self.count as u32);
        // SAFETY: by the contract of this function. The words are written before the slot that names
        // them, and count only if the state is new.
        let entered = unsafe {
            self.write_next::<R>(state);
            let sought = Sought { bucket: view.0.home(hash), matched: view.look(records, hash, None) };
            let entry = view.0.slot(hash, record);
            view.enter(records, state, (hash, sought), entry, (chunk.claims, chunk.number))
        };
        match entered {
            Entered::At(..) => {
                self.count_next::<R>(state.len());
                Some(Inserted::New(record))
            }
            Entered::Known(record) => record.map(Inserted::Known),
        }
    }
}
