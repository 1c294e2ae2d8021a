//! The protocol of [claims](super::claims) under `shuttle`, which runs it in thousands of schedules.
//!
//! Several threads work on chunks, and enter their states into one index, while an owner gives the
//! claims of finished chunks their record numbers, in order, and threads store them. Covered: every
//! state is entered and stored once; the earliest claim to it wins; the numbers are those of one
//! thread; a bucket that fills up continues in the next one; places are used again, and never while
//! one of their claims can still be met; there is always a free place. Not covered: the order of memory
//! accesses, which `shuttle` takes to be sequentially consistent.

#[allow(clippy::duplicate_mod, dead_code, reason = "the same file with other primitives; not all is used")]
#[path = "claims.rs"]
mod claims;

/// The primitives of `shuttle`.
mod sync {
    pub use shuttle::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

    /// Lets another thread run.
    pub fn look_again() {
        shuttle::thread::yield_now();
    }
}

use model::guarded_commands::ActionId;
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};

use super::{BUCKET, index_view};
use crate::store::records::{Fixed, RecordShape};
use claims::{ClaimPlace, Claims, Entered, Holder, Slots, Sought, enter, seek};
use index_view::TagMatch;

/// Slots from this value on have a claim.
const CLAIMS: u32 = 1 << 16;
/// Most states of a chunk.
const MOST: usize = 16;

struct Index {
    slots: Vec<AtomicU32>,
    claims: Claims,
    /// The states that each chunk finds.
    chunks: Vec<Vec<u64>>,
    /// Number of chunks that were offered, and of those that a thread works on, or has.
    offered: AtomicUsize,
    begun: AtomicUsize,
    /// Where the claims of each chunk are, once it is done.
    done: Vec<shuttle::sync::Mutex<Option<ClaimPlace>>>,
    /// The states that were stored, at their record numbers. Zero if one is not.
    stored: Vec<AtomicUsize>,
}

impl Slots for Index {
    fn next(&self, bucket: usize) -> usize {
        (bucket + 1) % (self.slots.len() / BUCKET)
    }

    /// All states have the same tag.
    fn match_tags(&self, bucket: usize, _: u32) -> TagMatch {
        let mut matched = TagMatch::default();
        for bit in 0..BUCKET {
            let is_empty = self.load(bucket * BUCKET + bit) == 0;
            matched.empty |= u16::from(is_empty) << bit;
            matched.candidates |= u16::from(!is_empty) << bit;
        }
        matched
    }

    fn load(&self, slot: usize) -> u32 {
        self.slots[slot].load(SeqCst)
    }

    fn replace(&self, slot: usize, from: u32, to: u32) -> Result<(), u32> {
        self.slots[slot].compare_exchange(from, to, SeqCst, SeqCst).map(|_| ())
    }
}

impl Index {
    fn holder(&self, value: u32, state: u64, chunk: usize) -> Holder {
        match value.checked_sub(CLAIMS) {
            None => match self.stored[value as usize - 1].load(SeqCst) as u64 == state {
                true => Holder::Record(value - 1),
                false => Holder::Another,
            },
            Some(number) => match self.claims.claim(Fixed::<1>, number, &[state]) {
                None => Holder::Another,
                Some(by) if by <= chunk => Holder::Earlier,
                Some(_) => Holder::Later(number),
            },
        }
    }

    /// Claims the states of a chunk: looks them up, writes those that are new, and enters them.
    fn work(&self, chunk: usize, first_place: usize) -> ClaimPlace {
        let place = self.claims.take_place(chunk, first_place);
        let (mut claimed, mut writer) = (Vec::new(), self.claims.writer(place));
        for &state in &self.chunks[chunk] {
            let sought = Sought { bucket: 0, matched: self.match_tags(0, 0) };
            if let Some(sought) = seek(self, sought, 0, |value| self.holder(value, state, chunk)) {
                let origin = || (0, ActionId(0));
                let number = writer.write(Fixed::<1>, &[state], origin).expect("there is room");
                claimed.push((state, sought, number));
            }
        }
        writer.finish();
        for (state, sought, number) in claimed {
            let holder = |value| self.holder(value, state, chunk);
            match enter(self, sought, 0, CLAIMS + number, holder) {
                Entered::Known(_) => self.claims.lose(number, 1),
                Entered::At(slot, displaced) => {
                    if let Some(later) = displaced {
                        self.claims.lose(later, 1);
                    }
                    self.claims.set_slot(number, slot);
                }
            }
        }
        place
    }

    /// Stores the states of a chunk, if they have numbers.
    fn store(&self, place: ClaimPlace) -> bool {
        self.claims.store(
            Fixed::<1>,
            place,
            |_| {},
            |state, to, record, slot| {
                assert_eq!(to, record, "states have one word");
                let before = self.stored[record].swap(state[0].load(SeqCst) as usize, SeqCst);
                assert_eq!(before, 0, "a record is stored once");
                self.slots[slot].store(record as u32 + 1, SeqCst);
            },
        )
    }

    /// Works on chunks until there are no more.
    fn help(&self, first_place: usize) {
        let mut mine: Vec<ClaimPlace> = Vec::new();
        while self.begun.load(SeqCst) < self.chunks.len() {
            let next = self.begun.load(SeqCst);
            if next < self.offered.load(SeqCst)
                && self.begun.compare_exchange(next, next + 1, SeqCst, SeqCst).is_ok()
            {
                let place = self.work(next, first_place);
                mine.push(place);
                *self.done[next].lock().unwrap() = Some(place);
            }
            while let Some(place) = mine.first()
                && !self.claims.is_unnumbered(*place)
            {
                self.store(*place);
                mine.remove(0);
            }
            shuttle::thread::yield_now();
        }
    }

    /// Offers all chunks, at most so many at a time, and numbers them in order.
    fn own(&self, under_way: usize) {
        let (mut taken, mut count) = (0, 0);
        let mut numbered: Vec<ClaimPlace> = Vec::new();
        while taken < self.chunks.len() {
            while let Some(place) = numbered.first()
                && self.claims.is_stored(*place)
            {
                numbered.remove(0);
            }
            let oldest = numbered.first().map_or(taken, |place| place.chunk());
            let offered = self.offered.load(SeqCst);
            if offered < self.chunks.len() && offered - oldest < under_way {
                self.claims.offer(offered + 1);
                self.offered.store(offered + 1, SeqCst);
            }
            let done = *self.done[taken].lock().unwrap();
            if let Some(place) = done {
                let (winners, words) = self.claims.winners(place);
                assert_eq!(winners, words, "states have one word");
                self.claims.number(place, (count, count));
                count += winners;
                taken += 1;
                self.claims.commit(taken);
                numbered.push(place);
            } else if let Some(place) = numbered.first() {
                // A helper may be asleep: the owner stores what it needs.
                self.store(*place);
            }
            shuttle::thread::yield_now();
        }
        for place in numbered {
            if !self.store(place) {
                while !self.claims.is_stored(place) {
                    shuttle::thread::yield_now();
                }
            }
        }
    }
}

/// The states of all chunks in order, each once: what one thread would store.
fn in_order(chunks: &[Vec<u64>]) -> Vec<usize> {
    let mut stored = Vec::new();
    for state in chunks.iter().flatten() {
        if !stored.contains(&(*state as usize)) {
            stored.push(*state as usize);
        }
    }
    stored
}

fn numbers_are_those_of_one_thread(chunks: &[Vec<u64>], buckets: usize, helpers: usize) {
    let (expected, under_way) = (in_order(chunks), helpers);
    let index = Arc::new(Index {
        slots: (0..buckets * BUCKET).map(|_| AtomicU32::new(0)).collect(),
        claims: Claims::new(RecordShape::Fixed(1), under_way, MOST, false),
        chunks: chunks.to_vec(),
        offered: AtomicUsize::new(0),
        begun: AtomicUsize::new(0),
        done: chunks.iter().map(|_| shuttle::sync::Mutex::new(None)).collect(),
        stored: expected.iter().map(|_| AtomicUsize::new(0)).collect(),
    });
    let threads: Vec<_> = (0..helpers)
        .map(|helper| {
            let index = index.clone();
            shuttle::thread::spawn(move || index.help(helper))
        })
        .collect();
    index.own(under_way);
    for thread in threads {
        thread.join().unwrap();
    }
    let stored: Vec<usize> = index.stored.iter().map(|state| state.load(SeqCst)).collect();
    assert_eq!(stored, expected, "the numbers of one thread");
    let mut slots: Vec<u32> =
        index.slots.iter().map(|slot| slot.load(SeqCst)).filter(|slot| *slot != 0).collect();
    slots.sort_unstable();
    let numbers: Vec<u32> = (1..=expected.len() as u32).collect();
    assert_eq!(slots, numbers, "every state has one slot, with its record number");
}

#[test]
fn random_schedules_of_three_threads() {
    let chunks = [vec![1, 2, 3, 1], vec![3, 4, 2, 5], vec![5, 1, 6, 4, 7]];
    shuttle::check_random(move || numbers_are_those_of_one_thread(&chunks, 1, 3), 3_000);
}

/// All chunks find the same states, in different orders.
#[test]
fn random_schedules_of_chunks_that_agree() {
    let chunks = [vec![4, 3, 2, 1], vec![1, 2, 3, 4], vec![2, 1, 4, 3], vec![3, 4, 1, 2]];
    shuttle::check_random(move || numbers_are_those_of_one_thread(&chunks, 1, 3), 3_000);
}

/// More states than a bucket has slots.
#[test]
fn random_schedules_across_buckets() {
    let chunks: Vec<Vec<u64>> =
        (0..6).map(|chunk| (0..5).map(|state| 1 + chunk * 3 + state).collect()).collect();
    shuttle::check_random(move || numbers_are_those_of_one_thread(&chunks, 2, 2), 2_000);
}

/// Many more chunks than places.
#[test]
fn random_schedules_in_which_places_are_used_again() {
    let chunks: Vec<Vec<u64>> =
        (0..16).map(|chunk| (0..3).map(|state| 1 + chunk / 2 + state).collect()).collect();
    shuttle::check_random(move || numbers_are_those_of_one_thread(&chunks, 1, 2), 2_000);
}

/// More states than a bucket has slots, in schedules that are made to be bad.
#[test]
fn adverse_schedules_with_a_full_bucket() {
    let chunks = [(1..10).collect(), (5..16).rev().collect(), (10..22).collect::<Vec<u64>>()];
    shuttle::check_pct(move || numbers_are_those_of_one_thread(&chunks, 2, 3), 1_000, 3);
}
