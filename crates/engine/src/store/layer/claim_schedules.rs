//! The protocol of [claims](super::claims) under `shuttle`, which runs it in thousands of schedules.
//!
//! Several chunks enter states into one index, each on a thread of its own, while an owner gives the
//! claims of finished chunks their record numbers, in the order of the chunks. Covered: every state is
//! entered once; the earliest claim to it wins; the numbers are those of one thread; a bucket that
//! fills up continues in the next one. Not covered: the order of memory accesses, which `shuttle` takes
//! to be sequentially consistent, and the use of a place for a later chunk.

use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

use super::BUCKET;
use super::claims::{Entered, Holder, Slots, enter};
use super::index_view::TagMatch;

/// Slots from this value on have a claim.
const CLAIMS: u32 = 1 << 16;
/// Most states of a chunk.
const MOST: u32 = 100;

struct Index {
    slots: Vec<AtomicU32>,
    /// For each chunk and position, whether the claim was lost.
    lost: Vec<Vec<AtomicBool>>,
    /// The states that each chunk finds.
    chunks: Vec<Vec<u32>>,
    /// The states that were given record numbers, at their numbers.
    stored: shuttle::sync::Mutex<Vec<u32>>,
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
    /// Claims the states of a chunk. Returns the slot of each claim.
    fn claim(&self, chunk: usize) -> Vec<Option<usize>> {
        let states = self.chunks[chunk].iter();
        let slots = (0u32..).zip(states).map(|(position, state)| {
            let holder = |value: u32| match value.checked_sub(CLAIMS) {
                None => match self.stored.lock().unwrap()[value as usize - 1] == *state {
                    true => Holder::Record(value - 1),
                    false => Holder::Another,
                },
                Some(number) => {
                    let (by, position) = ((number / MOST) as usize, (number % MOST) as usize);
                    match self.chunks[by][position] == *state {
                        false => Holder::Another,
                        true if by <= chunk => Holder::Earlier,
                        true => Holder::Later(number),
                    }
                }
            };
            let entry = CLAIMS + chunk as u32 * MOST + position;
            let matched = self.match_tags(0, 0);
            match enter(self, (0, 0), matched, entry, holder) {
                Entered::Known(_) => None,
                Entered::At(slot, displaced) => {
                    if let Some(number) = displaced {
                        self.lost[(number / MOST) as usize][(number % MOST) as usize].store(true, SeqCst);
                    }
                    Some(slot)
                }
            }
        });
        slots.collect()
    }
}

/// The states of all chunks in order, each once: what one thread would store.
fn in_order(chunks: &[Vec<u32>]) -> Vec<u32> {
    let mut stored = Vec::new();
    for state in chunks.iter().flatten() {
        if !stored.contains(state) {
            stored.push(*state);
        }
    }
    stored
}

fn numbers_are_those_of_one_thread(chunks: &[Vec<u32>], buckets: usize) {
    let index = Arc::new(Index {
        slots: (0..buckets * BUCKET).map(|_| AtomicU32::new(0)).collect(),
        lost: chunks.iter().map(|chunk| chunk.iter().map(|_| AtomicBool::new(false)).collect()).collect(),
        chunks: chunks.to_vec(),
        stored: shuttle::sync::Mutex::new(Vec::new()),
    });
    let threads: Vec<_> = (0..chunks.len())
        .map(|chunk| {
            let index = index.clone();
            shuttle::thread::spawn(move || index.claim(chunk))
        })
        .collect();
    for (chunk, thread) in threads.into_iter().enumerate() {
        let slots = thread.join().unwrap();
        for (position, slot) in slots.into_iter().enumerate() {
            let Some(slot) = slot else { continue };
            if index.lost[chunk][position].load(SeqCst) {
                continue;
            }
            let record = {
                let mut stored = index.stored.lock().unwrap();
                stored.push(chunks[chunk][position]);
                stored.len() as u32
            };
            index.slots[slot].store(record, SeqCst);
        }
    }
    let stored = index.stored.lock().unwrap().clone();
    assert_eq!(stored, in_order(chunks), "the numbers of one thread");
    let entered = index.slots.iter().filter(|slot| slot.load(SeqCst) != 0).count();
    assert_eq!(entered, stored.len(), "every state has one slot");
}

#[test]
fn random_schedules_of_three_chunks() {
    let chunks = [vec![1, 2, 3, 1], vec![3, 4, 2, 5], vec![5, 1, 6, 4, 7]];
    shuttle::check_random(move || numbers_are_those_of_one_thread(&chunks, 1), 3_000);
}

/// All chunks find the same states, in different orders.
#[test]
fn random_schedules_of_chunks_that_agree() {
    let chunks = [vec![4, 3, 2, 1], vec![1, 2, 3, 4], vec![2, 1, 4, 3], vec![3, 4, 1, 2]];
    shuttle::check_random(move || numbers_are_those_of_one_thread(&chunks, 1), 3_000);
}

/// More states than a bucket has slots.
#[test]
fn adverse_schedules_with_a_full_bucket() {
    let chunks = [(0..9).collect(), (5..16).rev().collect(), (10..22).collect::<Vec<u32>>()];
    shuttle::check_pct(move || numbers_are_those_of_one_thread(&chunks, 2), 1_000, 3);
}
