//! Look-ups beside the owner of the current layer.
//!
//! A worker looks up the successors that stay in the layer in batches: first the index is matched for
//! all of them, so that their cache misses overlap, then they are compared. States that are found are
//! known. The others are [claimed](crate::store::layer::claims), unless the owner is to insert them.

use model::successor_batch::SuccessorBatch;

use crate::explore::expansion::{Parents, Staying};
use crate::store::layer::claims::{ClaimPlace, Claims, Sought};
use crate::store::layer::{NOT_FOUND, SharedView, TagMatch};
use crate::store::records::Records;

/// Where a worker claims states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claiming<'a> {
    pub(super) claims: &'a Claims,
    /// The place of the chunk.
    pub(super) place: ClaimPlace,
}

/// A state that is about to be claimed.
#[derive(Clone, Copy, Debug)]
struct Claimed {
    /// Where it begins, among the states that stay.
    start: usize,
    hash: u64,
    sought: Sought,
    /// The provisional number.
    claim: u32,
}

/// The scratch space of look-ups, and how far those of a chunk are.
#[derive(Debug, Default)]
pub(super) struct LookUp {
    /// Hashes of the states, and what the index has for them.
    matches: Vec<(u64, TagMatch)>,
    /// Those that are new, and about to be claimed.
    claimed: Vec<Claimed>,
    /// Those that are new and cannot be claimed: their numbers, and where they begin.
    unclaimed: Vec<(usize, usize)>,
    /// Of the states that stay, the number of those that were looked up, and of their words.
    looked_up: (usize, usize),
    /// The number of the expanded state whose successors are claimed.
    parent: usize,
}

impl LookUp {
    /// Begins with the states of another chunk.
    pub(super) fn begin(&mut self) {
        (self.looked_up, self.parent) = ((0, 0), 0);
    }

    /// Number of states that stay and were not looked up.
    #[inline(always)]
    pub(super) fn remaining(&self, staying: &Staying) -> usize {
        staying.tags.len() - self.looked_up.0
    }

    /// Looks up the states that stay and were not looked up yet, successors of this batch, in the layer
    /// that the view shows. Those that are found are dropped, or, if an observer needs every step, marked
    /// with their numbers. The others are claimed. What a chunk has no more room to claim stays.
    ///
    /// # Safety
    /// The contract of [`SharedView::find`] holds for the view.
    #[inline(always)]
    pub(super) unsafe fn run<R: Records>(
        &mut self,
        records: R,
        (view, claiming): (SharedView, Option<Claiming<'_>>),
        (staying, batch): (&mut Staying, &SuccessorBatch),
        all_steps: bool,
    ) {
        let (from, first) = self.looked_up;
        let Staying { words, tags, hashes, hints } = &mut *staying;
        let claims = claiming.map(|one| one.claims);
        self.matches.clear();
        self.matches.extend(hashes[from..].iter().map(|&hash| {
            // SAFETY: by the contract of this function.
            (hash, unsafe { view.look(records, hash, claims) })
        }));
        if all_steps {
            let found = records.states(&words[first..]).zip(&self.matches).map(|(state, &matched)| {
                // SAFETY: by the contract of this function.
                unsafe { view.find(records, state, matched) }.unwrap_or(NOT_FOUND)
            });
            hints.extend(found);
            self.looked_up = (tags.len(), words.len());
            return;
        }
        match claiming {
            // SAFETY: by the contract of this function.
            None => unsafe { self.drop_found(records, view, staying) },
            // SAFETY: likewise.
            Some(claiming) => unsafe { self.claim(records, view, claiming, (staying, batch)) },
        }
    }

    /// Drops the states that the layer has.
    ///
    /// # Safety
    /// The contract of [`SharedView::find`] holds for the view.
    #[inline(always)]
    unsafe fn drop_found<R: Records>(&mut self, records: R, view: SharedView, staying: &mut Staying) {
        let Staying { words, tags, hashes, .. } = &mut *staying;
        let (from, first) = self.looked_up;
        let (mut stay, mut start, mut end) = (from, first, first);
        // Without a branch: what is new cannot be predicted.
        for (number, &matched) in (from..).zip(&self.matches) {
            let len = records.len_of(&words[start..]);
            // SAFETY: by the contract of this function.
            let is_new = unsafe { view.find(records, &words[start..start + len], matched) }.is_none();
            words.copy_within(start..start + len, end);
            (tags[stay], hashes[stay]) = (tags[number], hashes[number]);
            start += len;
            stay += usize::from(is_new);
            end += if is_new { len } else { 0 };
        }
        self.keep(staying, (stay, end));
    }

    /// Claims the states that the layer does not have, of those that are being looked up, successors of
    /// this batch. Only those stay that the chunk has no room to claim.
    ///
    /// # Safety
    /// The contract of [`SharedView::find`] holds for the view.
    #[inline(never)]
    unsafe fn claim<R: Records>(
        &mut self,
        records: R,
        view: SharedView,
        Claiming { claims, place }: Claiming<'_>,
        (staying, batch): (&mut Staying, &SuccessorBatch),
    ) {
        let Staying { words, tags, hashes, .. } = &mut *staying;
        let (from, first) = self.looked_up;
        let (chunk, mut start) = ((claims, place.chunk()), first);
        let (mut parents, mut writer) = (Parents::from(batch, self.parent), claims.writer(place));
        self.claimed.clear();
        self.unclaimed.clear();
        for (number, &(hash, matched)) in (from..).zip(&self.matches) {
            let len = records.len_of(&words[start..]);
            let state = &words[start..start + len];
            // SAFETY: by the contract of this function.
            if let Some(sought) = unsafe { view.seek(records, state, (hash, matched), chunk) } {
                let tag = tags[number] as usize;
                let origin = || (parents.of(tag) as u32, batch.action(tag));
                // What follows one that is not claimed is not claimed, either: their order counts.
                let has_room = from == 0 && self.unclaimed.is_empty();
                match has_room.then(|| writer.write(records, state, origin)).flatten() {
                    Some(claim) => self.claimed.push(Claimed { start, hash, sought, claim }),
                    None => self.unclaimed.push((number, start)),
                }
            }
            start += len;
        }
        self.parent = parents.number();
        writer.finish();
        // Only now, because an atomic operation waits for the writes before it, and their memory may be
        // in the cache of another processor.
        for &Claimed { start, hash, sought, claim } in &self.claimed {
            let state = &words[start..start + records.len_of(&words[start..])];
            // SAFETY: by the contract of this function.
            match unsafe { view.claim(records, state, (hash, sought), claim, chunk) } {
                Some(slot) => claims.set_slot(claim, slot),
                None => claims.lose(claim, state.len()),
            }
        }
        let mut end = first;
        for (stay, &(number, start)) in (from..).zip(&self.unclaimed) {
            let len = records.len_of(&words[start..]);
            words.copy_within(start..start + len, end);
            (tags[stay], hashes[stay]) = (tags[number], hashes[number]);
            end += len;
        }
        self.keep(staying, (from + self.unclaimed.len(), end));
    }

    /// Of the states that stay, keeps those that were looked up: so many, of so many words.
    #[inline(always)]
    fn keep(&mut self, staying: &mut Staying, (states, end): (usize, usize)) {
        staying.words.truncate(end);
        staying.tags.truncate(states);
        staying.hashes.truncate(states);
        self.looked_up = (states, end);
    }
}
