//! How the current layer begins, and how states that waited for it enter it.

use crate::store::behind::KeptLayer;
use crate::store::layer::{Inserted, LayerFull};
use crate::store::records::{Records, reuse};

use super::span::{Begun, Span};
use super::{Current, Staged};

impl Current {
    /// Enters the initial states into the layer, which is the only one. `each` is called for new
    /// ones, with their number among the states.
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
    pub(in crate::store) fn end_persistent(&mut self, known: usize) {
        self.span = Span { known, cursor: known, level_end: known, ..self.span };
        self.persistent = self.layer.len();
    }

    /// All states that waited for the layer are entered.
    pub fn end_loading(&mut self) {
        self.is_loading = false;
    }

    /// Stages entries that waited, each a state and perhaps its origin, except those that are
    /// known. Returns how many are staged. Without an origin of its own, a state has the origin
    /// `unknown`.
    #[inline]
    pub fn stage<'e, R: Records>(
        &mut self,
        records: R,
        entries: impl Iterator<Item = &'e [u64]>,
        unknown: u64,
        is_known: impl Fn(&[u64]) -> bool,
    ) -> usize {
        let Staged { words, origins } = &mut self.staged;
        let used = words.len();
        reuse(words, used);
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

    /// Enters the staged states. `each` gets the origins of new ones, in order. If there is no
    /// room, none is entered, and all stay staged.
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

    /// Says of each of these entries whether it is among the states behind the first `before`:
    /// those were new. If the layer is split it cannot tell, and says nothing.
    pub fn tell_new(&self, before: usize, entries: &[u64], after: usize, is_new: &mut Vec<bool>) {
        if self.parts.is_some() {
            return;
        }
        let shape = self.shape();
        let mut new = shape.states(self.layer.states(before..self.layer.len())).peekable();
        let entries = shape.entries(entries, after);
        is_new.extend(entries.map(|entry| new.next_if(|state| *state == shape.first(entry)).is_some()));
    }
}
