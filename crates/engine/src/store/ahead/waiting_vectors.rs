//! Vectors that wait, where progress is compared component by component, and which of them is next.
//!
//! The next layer may be that of any minimal vector. No other state that waits is at or below it,
//! and none will be before the sweep ends, since all that a sweep adds is above a state that
//! waited. So a layer that is closed is never entered again in its sweep, and can be forgotten at
//! once. That is the exact rule of deletion for partial orders; "strictly below all that is
//! unprocessed", as in the first paper, keeps more.
//!
//! The freedom is in the choice. The minimal vector with the most waiting states is taken, since
//! its completion frees those; among equals, the least packed value.
//!
//! Every vector that is not minimal waits behind one minimal vector below it, the first that was
//! found, as a clause watches a literal in a SAT solver. Only when that one is taken, another is
//! searched for. A new vector is above the layer that was closed last, and therefore below no
//! minimal vector. A choice costs one look at each minimal vector, and one at each vector that
//! waited behind the last one or is new. Searching for minimal vectors among all that wait, each
//! time, is quadratic and was not tried.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::measure::Comparison;

/// Bytes of a vector.
const VECTOR_BYTES: usize = 8;
/// Bytes of a minimal vector, which others wait behind.
const MINIMAL_BYTES: usize = 64;

/// The vectors that wait, each once.
#[derive(Debug)]
pub(super) struct WaitingVectors {
    comparison: Comparison,
    /// The minimal vectors, each with those that wait behind it.
    minimal: BTreeMap<u64, Vec<u64>>,
    /// Vectors that are new, or waited behind one that was taken.
    unplaced: Vec<u64>,
    waiting: usize,
    /// All vectors that were taken in this sweep.
    #[cfg(debug_assertions)]
    taken: std::collections::BTreeSet<u64>,
}

impl WaitingVectors {
    pub(super) fn new(comparison: Comparison) -> Self {
        Self {
            comparison,
            minimal: BTreeMap::new(),
            unplaced: Vec::new(),
            waiting: 0,
            #[cfg(debug_assertions)]
            taken: std::collections::BTreeSet::new(),
        }
    }

    /// Adds a vector that does not wait yet.
    pub(super) fn add(&mut self, vector: u64) {
        #[cfg(debug_assertions)]
        assert!(!self.taken.contains(&vector), "a layer that is closed gets no state in the same sweep");
        self.unplaced.push(vector);
        self.waiting += 1;
    }

    /// A sweep ends: the next one may begin anywhere.
    pub(super) fn end_sweep(&mut self) {
        debug_assert_eq!(self.waiting, 0, "nothing waits at the end of a sweep");
        #[cfg(debug_assertions)]
        self.taken.clear();
    }

    /// Takes out the minimal vector of the greatest size.
    pub(super) fn take(&mut self, size: impl Fn(u64) -> usize) -> Option<u64> {
        self.place();
        let next = self.minimal.keys().copied().max_by_key(|vector| (size(*vector), Reverse(*vector)))?;
        self.unplaced = self.minimal.remove(&next).unwrap_or_default();
        self.waiting -= 1;
        #[cfg(debug_assertions)]
        assert!(self.taken.insert(next), "a vector is taken once in a sweep");
        Some(next)
    }

    fn place(&mut self) {
        // A vector comes before those above it.
        self.unplaced.sort_unstable();
        debug_assert!(self.unplaced.is_sorted_by(|one, other| one < other), "a vector waits once");
        for vector in self.unplaced.drain(..) {
            let comparison = self.comparison;
            let mut near = self.minimal.range_mut(..=vector).rev();
            if let Some((_, behind)) = near.find(|(least, _)| comparison.is_at_most(**least, vector)) {
                behind.push(vector);
                continue;
            }
            debug_assert!(
                self.minimal.keys().all(|other| !comparison.is_at_most(vector, *other)),
                "what is new is below no minimal vector"
            );
            self.minimal.insert(vector, Vec::new());
        }
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.waiting * VECTOR_BYTES + self.minimal.len() * MINIMAL_BYTES
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Three components of four bits with guards.
    const GUARDS: u64 = 0b10000_10000_10000;

    proptest! {
        /// Compared with all vectors that wait, one by one.
        #[test]
        fn the_largest_minimal_vector_is_next(
            roots in prop::collection::btree_set(any::<u64>(), 1..20),
            more in prop::collection::vec(prop::collection::btree_set(any::<u64>(), 0..4), 0..80),
        ) {
            let order = Comparison::ComponentWise { guards: GUARDS };
            let vector = |random: u64| random & 0x7fff & !GUARDS;
            let size = |vector: u64| (vector % 7) as usize;
            let mut waiting: BTreeSet<u64> = roots.into_iter().map(vector).collect();
            let mut vectors = WaitingVectors::new(order);
            waiting.iter().for_each(|vector| vectors.add(*vector));
            for steps in more.into_iter().map(Some).chain(std::iter::repeat(None)) {
                let is_minimal = |one: &u64| waiting.iter().all(|other| !order.is_below(*other, *one));
                let best = waiting.iter().copied().filter(is_minimal).max_by_key(|one| (size(*one), Reverse(*one)));
                let next = vectors.take(size);
                prop_assert_eq!(next, best);
                let Some(next) = next else { break };
                waiting.remove(&next);
                for new in steps.into_iter().flatten().map(vector) {
                    if order.is_below(next, new) && waiting.insert(new) {
                        vectors.add(new);
                    }
                }
            }
            vectors.end_sweep();
            prop_assert_eq!(vectors.bytes(), 0);
        }
    }
}
