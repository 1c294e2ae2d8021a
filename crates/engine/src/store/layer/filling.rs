//! Filling: a larger index is made and filled from the states of the layer.

use super::{BUCKET, GROWTH, Layer, LayerFull, MAX_LOAD};
use crate::store::hash::hash_state;
use crate::store::records::Records;

/// States from which on several threads fill a larger index.
const SHARED_FROM: usize = 1 << 17;
/// States that are entered together, so that writes to their buckets overlap.
pub(super) const TOGETHER: usize = 256;

impl Layer {
    /// Makes a larger index, and fills it from the arena.
    #[cold]
    #[inline(never)]
    pub(super) fn grow<R: Records>(&mut self, records: R, needed: usize) -> Result<(), LayerFull> {
        // An index with void claims need not be larger.
        let growth = if self.has_void_claims { 1.0 } else { GROWTH };
        self.renew_index((needed as f64 / MAX_LOAD).max(self.index.len() as f64 * growth))?;
        self.enter_all(records);
        Ok(())
    }

    /// Makes an empty index of at least `wanted` slots.
    pub(super) fn renew_index(&mut self, wanted: f64) -> Result<(), LayerFull> {
        let buckets = (wanted / BUCKET as f64).ceil().max(4.0) as usize;
        let slots = buckets * BUCKET;
        let capacity = (slots as f64 * MAX_LOAD) as usize;
        if capacity + self.claim_numbers >= u32::MAX as usize {
            return Err(LayerFull::RecordNumbers);
        }
        // One that is made anew because of void claims takes no more memory.
        let is_larger = !self.has_void_claims || slots > self.index.len();
        if is_larger && self.index.bytes_with(slots) + self.arena_bytes() > self.budget {
            return Err(LayerFull::Budget);
        }
        self.index.clear();
        self.index.resize(slots)?;
        self.buckets = buckets;
        self.capacity = capacity;
        self.record_bits = usize::BITS - (capacity + self.claim_numbers).leading_zeros();
        self.generation += 1;
        self.has_void_claims = false;
        Ok(())
    }

    /// Enters all states of the arena into an empty index. All are different, so nothing is
    /// compared. Several threads share the work if there is much of it: the order of slots in a bucket
    /// then depends on chance, and nothing else does.
    pub(super) fn enter_all<R: Records>(&mut self, records: R) {
        let (layer, threads) = (&*self, self.threads);
        if threads == 1 || self.count < SHARED_FROM {
            return layer.enter_range::<R, false>(records, 0..self.count);
        }
        let part = self.count.div_ceil(threads);
        std::thread::scope(|scope| {
            for number in 1..threads {
                let range = number * part..((number + 1) * part).min(layer.count);
                scope.spawn(move || layer.enter_range::<R, true>(records, range));
            }
            layer.enter_range::<R, true>(records, 0..part);
        });
    }

    /// Enters a part of the states; `SHARED` with other threads.
    fn enter_range<R: Records, const SHARED: bool>(&self, records: R, range: std::ops::Range<usize>) {
        let view = self.view();
        let mut hashes = [0; TOGETHER];
        for start in range.clone().step_by(TOGETHER) {
            let end = (start + TOGETHER).min(range.end);
            for (hash, state) in hashes.iter_mut().zip(records.states(self.states(start..end))) {
                *hash = hash_state(records.first(state));
                view.fetch_for_writing(*hash);
            }
            for (record, &hash) in (start..end).zip(&hashes) {
                // SAFETY: the index belongs to this layer. `renew_index` made it large enough for
                // all states, with enough bits for their numbers. The exclusive borrow of the layer
                // in `enter_all` keeps all others away but threads that enter other states.
                unsafe {
                    if SHARED {
                        view.enter_shared(hash, record as u32);
                    } else {
                        view.enter(hash, record as u32);
                    }
                }
            }
        }
    }
}
