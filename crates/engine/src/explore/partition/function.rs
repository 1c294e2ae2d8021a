//! The partition function: a tree that grows while the search runs.
//!
//! An inner node tests one bit of the packed state, or of its hash; a leaf is a partition. A
//! partition that is too large is split by one more bit. A good bit seldom changes in a step, so
//! that few successors leave the partition, and splits it into halves, roughly. Both are judged by
//! samples: of the states of the partition, and of recent steps. The paper refines by a variable of
//! the state; a bit of one is finer, and the search need not know the layout of variables.

use crate::store::hash::hash_state;
use crate::store::layer::Layer;

/// Most states that bits are judged by.
const STATES: usize = 1024;
/// Most steps that bits are judged by.
const STEPS: usize = 512;
/// The larger part is at most this many times as large as the smaller one, in the sample.
const UNEVEN: usize = 8;

/// The test of an inner node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// This bit of the packed state, counted from the first bit of the first word.
    State(u32),
    /// This bit of the state's hash.
    Hash(u32),
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Partition(u32),
    Inner(Test, [u32; 2]),
}

/// Maps each state to its partition. Partitions are numbered from zero.
#[derive(Debug)]
pub(super) struct PartitionFunction {
    nodes: Vec<Node>,
    /// For each partition, its leaf.
    leaves: Vec<u32>,
}

impl PartitionFunction {
    /// The function of a single partition.
    pub(super) fn constant() -> Self {
        Self { nodes: vec![Node::Partition(0)], leaves: vec![0] }
    }

    /// The partition of the state.
    #[inline(always)]
    pub(super) fn partition(&self, state: &[u64]) -> usize {
        let (mut node, mut hash) = (0, None);
        loop {
            let (test, children) = match self.nodes[node] {
                Node::Partition(number) => return number as usize,
                Node::Inner(test, children) => (test, children),
            };
            let side = match test {
                Test::State(bit) => state[bit as usize / 64] >> (bit % 64) & 1,
                Test::Hash(bit) => *hash.get_or_insert_with(|| hash_twice(state)) >> bit & 1,
            };
            node = children[side as usize] as usize;
        }
    }

    /// Splits a partition: the states for which the bit is set belong to a new one, with the next
    /// number.
    pub(super) fn split(&mut self, partition: usize, test: Test) {
        let (leaf, new) = (self.leaves[partition] as usize, self.leaves.len() as u32);
        let children = [self.nodes.len() as u32, self.nodes.len() as u32 + 1];
        self.nodes.extend([Node::Partition(partition as u32), Node::Partition(new)]);
        self.nodes[leaf] = Node::Inner(test, children);
        self.leaves[partition] = children[0];
        self.leaves.push(children[1]);
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.leaves.capacity() * 4
    }
}

/// Hashes the hash. The index of a layer takes its slots from the bits of the hash itself: states
/// that share some of them would share slots, too.
fn hash_twice(state: &[u64]) -> u64 {
    hash_state(&[hash_state(state)])
}

/// A sample of the last steps of the search.
#[derive(Debug)]
pub(super) struct RecentSteps {
    width: usize,
    /// The states before and after each step.
    words: Vec<u64>,
    /// The number of the step that is forgotten next.
    oldest: usize,
}

impl RecentSteps {
    pub(super) fn new(width: usize) -> Self {
        Self { width, words: Vec::new(), oldest: 0 }
    }

    pub(super) fn push(&mut self, from: &[u64], to: &[u64]) {
        if self.words.len() < STEPS * 2 * self.width {
            self.words.extend_from_slice(from);
            self.words.extend_from_slice(to);
            return;
        }
        let start = self.oldest * 2 * self.width;
        self.words[start..start + self.width].copy_from_slice(from);
        self.words[start + self.width..start + 2 * self.width].copy_from_slice(to);
        self.oldest = (self.oldest + 1) % STEPS;
    }

    /// Gives the states another layout.
    pub(super) fn repack(&mut self, width: usize, translate: &mut dyn FnMut(&[u64], &mut Vec<u64>)) {
        let mut packed = Vec::with_capacity(width);
        let mut words = Vec::with_capacity(self.words.len() / self.width * width);
        for state in self.words.chunks_exact(self.width) {
            translate(state, &mut packed);
            words.extend_from_slice(&packed[..width]);
        }
        *self = Self { width, words, oldest: self.oldest };
    }

    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }
}

/// The bit that changes in the fewest steps, of those that split the states of the layer evenly
/// enough. A bit of the hash, if there is none; nothing if no bit splits them.
pub(super) fn best_test(layer: &Layer, steps: &RecentSteps) -> Option<Test> {
    let (width, sampled) = (layer.width(), layer.len().min(STATES));
    let (mut set, mut changed) = (vec![0usize; width * 64], vec![0usize; width * 64]);
    let mut hashed = [0usize; 64];
    for number in 0..sampled {
        let state = layer.state(number * layer.len() / sampled);
        state.iter().zip(set.chunks_exact_mut(64)).for_each(|(&word, counts)| count_bits(word, counts));
        count_bits(hash_twice(state), &mut hashed);
    }
    for step in steps.words.chunks_exact(2 * width) {
        let (from, to) = step.split_at(width);
        let words = from.iter().zip(to).map(|(from, to)| from ^ to);
        words.zip(changed.chunks_exact_mut(64)).for_each(|(word, counts)| count_bits(word, counts));
    }
    let smaller = |set: usize| set.min(sampled - set);
    let even =
        (0..set.len()).filter(|&bit| smaller(set[bit]) > 0 && smaller(set[bit]) * (UNEVEN + 1) >= sampled);
    if let Some(bit) = even.min_by_key(|&bit| (changed[bit], sampled - smaller(set[bit]))) {
        return Some(Test::State(bit as u32));
    }
    let bit = (0..64).max_by_key(|&bit| smaller(hashed[bit]))?;
    (smaller(hashed[bit]) > 0).then_some(Test::Hash(bit as u32))
}

fn count_bits(mut word: u64, counts: &mut [usize]) {
    while word != 0 {
        counts[word.trailing_zeros() as usize] += 1;
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::layer::Dynamic;

    fn layer(states: impl Iterator<Item = [u64; 2]>) -> Layer {
        let mut layer = Layer::new(2, 1 << 20).unwrap();
        states.for_each(|state| assert!(layer.insert(Dynamic(2), &state).is_ok()));
        layer
    }

    #[test]
    fn the_bit_that_changes_least_is_chosen_among_even_ones() {
        // The first word counts, and its bit 5 changes least; bit 3 of the second word never
        // changes, and is set in one state of sixty-four.
        let state = |number: u64| [number, u64::from(number == 7) << 3];
        let layer = layer((0..64).map(state));
        let mut steps = RecentSteps::new(2);
        (0..63).for_each(|number| steps.push(&state(number), &state(number + 1)));
        assert_eq!(best_test(&layer, &steps), Some(Test::State(5)));
    }

    #[test]
    fn states_without_an_even_bit_are_split_by_their_hash() {
        let layer = layer((0..64).map(|bit| [1 << bit, 0]));
        assert!(matches!(best_test(&layer, &RecentSteps::new(2)), Some(Test::Hash(_))));
        assert_eq!(best_test(&self::layer(std::iter::once([1, 2])), &RecentSteps::new(2)), None);
    }

    #[test]
    fn a_split_moves_only_states_of_its_partition() {
        let mut function = PartitionFunction::constant();
        assert_eq!(function.partition(&[6, 9]), 0);
        function.split(0, Test::State(64));
        function.split(1, Test::State(1));
        function.split(0, Test::State(0));
        let of = |first, second| function.partition(&[first, second]);
        assert_eq!([of(0, 0), of(0, 1), of(2, 1), of(1, 0), of(3, 2), of(2, 2)], [0, 1, 2, 3, 3, 0]);
    }
}
