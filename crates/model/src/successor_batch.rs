//! The buffer between a model and a search: the successors of a sequence of states. The search owns
//! it and reuses it.
//!
//! Packed states are contiguous, and a parallel array holds the action numbers. `ends[i]` is the
//! number of successors up to and including those of the `i`-th expanded state. Where states vary
//! in length, one more array holds the start of each, so that access to the `i`-th successor takes
//! constant time. The buffer allocates nothing once it has grown to its working size.

use std::ops::Range;

use super::guarded_commands::ActionId;
use super::records::{RecordShape, Records};

/// Successors of several states, with the actions that lead to them.
#[derive(Debug)]
pub struct SuccessorBatch {
    shape: RecordShape,
    wanted: usize,
    words: Vec<u64>,
    /// Start of each state in `words`. Empty for states of one length.
    starts: Vec<usize>,
    actions: Vec<u32>,
    ends: Vec<u32>,
}

impl Default for SuccessorBatch {
    /// A batch that is never used, as a placeholder for one that was moved out.
    fn default() -> Self {
        Self::new(RecordShape::Fixed(0), 0)
    }
}

impl SuccessorBatch {
    /// Creates an empty batch of states of this shape that is full when it holds `wanted`
    /// successors or more.
    pub fn new(shape: RecordShape, wanted: usize) -> Self {
        Self { shape, wanted, words: Vec::new(), starts: Vec::new(), actions: Vec::new(), ends: Vec::new() }
    }

    /// Changes the number of successors with which the batch is full.
    pub fn set_wanted(&mut self, wanted: usize) {
        self.wanted = wanted;
    }

    /// Removes the contents and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.starts.clear();
        self.actions.clear();
        self.ends.clear();
    }

    /// Whether the search should take these successors before it expands more states.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.actions.len() >= self.wanted
    }

    /// Number of successors.
    #[inline]
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether there are no successors.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// Shape of the states.
    pub fn shape(&self) -> RecordShape {
        self.shape
    }

    /// Words of all successors.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Start of the `i`-th successor in [`words`](Self::words); the end of the words if `i` is the
    /// number of successors.
    #[inline]
    fn start(&self, i: usize) -> usize {
        match self.shape {
            RecordShape::Fixed(width) => i * width,
            RecordShape::Prefixed => self.starts.get(i).copied().unwrap_or(self.words.len()),
        }
    }

    /// The `i`-th successor.
    #[inline]
    pub fn state(&self, i: usize) -> &[u64] {
        match self.shape {
            RecordShape::Fixed(width) => &self.words[i * width..(i + 1) * width],
            RecordShape::Prefixed => RecordShape::Prefixed.first(&self.words[self.starts[i]..]),
        }
    }

    /// The `i`-th successor, where its shape is known to the compiler: no branch depends on it.
    #[inline(always)]
    pub fn record<R: Records>(&self, records: R, i: usize) -> &[u64] {
        let start = records.start(i, if R::VARYING { self.starts[i] } else { 0 });
        &self.words[start..start + records.len_of(&self.words[start..])]
    }

    /// Words of a range of successors.
    #[inline]
    pub fn states(&self, range: Range<usize>) -> &[u64] {
        &self.words[self.start(range.start)..self.start(range.end)]
    }

    /// Words of the successors from the `i`-th on.
    #[inline(always)]
    pub fn words_from<R: Records>(&self, records: R, i: usize) -> &[u64] {
        let offset = if R::VARYING { self.starts.get(i).copied().unwrap_or(self.words.len()) } else { 0 };
        &self.words[records.start(i, offset)..]
    }

    /// The actions that lead to these successors.
    #[inline]
    pub fn actions(&self, range: Range<usize>) -> &[u32] {
        &self.actions[range]
    }

    /// The action that leads to the `i`-th successor.
    #[inline]
    pub fn action(&self, i: usize) -> ActionId {
        ActionId(self.actions[i])
    }

    /// For each expanded state, the number of successors up to and including its own.
    #[inline]
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Appends one successor.
    pub fn push(&mut self, action: ActionId, state: &[u64]) {
        debug_assert_eq!(state.len(), self.shape.len_of(state));
        if self.shape == RecordShape::Prefixed {
            self.starts.push(self.words.len());
        }
        self.words.extend_from_slice(state);
        self.actions.push(action.0);
    }

    /// Marks the end of one state's successors.
    #[inline]
    pub fn end_state(&mut self) {
        self.ends.push(self.actions.len() as u32);
    }

    /// Removes the successors that were pushed since the last [`end_state`](Self::end_state).
    pub fn discard_unfinished(&mut self) {
        self.truncate(self.ends.last().map_or(0, |&end| end as usize));
    }

    /// Keeps the first `count` successors.
    fn truncate(&mut self, count: usize) {
        self.words.truncate(self.start(count));
        self.starts.truncate(count);
        self.actions.truncate(count);
    }

    /// Removes successors of the expanded states from number `first` on.
    ///
    /// `choose` gets the number of such a state, the numbers of its successors, and the batch, in
    /// which these successors are still in place. It fills an empty list with the numbers of the
    /// successors to keep, ascending.
    pub fn thin_out(
        &mut self,
        first: usize,
        chosen: &mut Vec<u32>,
        mut choose: impl FnMut(usize, Range<usize>, &Self, &mut Vec<u32>),
    ) {
        let mut start = if first == 0 { 0 } else { self.ends[first - 1] as usize };
        let mut kept = start;
        for number in first..self.ends.len() {
            let end = self.ends[number] as usize;
            chosen.clear();
            choose(number, start..end, self, chosen);
            for &one in &*chosen {
                let one = one as usize;
                debug_assert!((start..end).contains(&one) && kept <= one);
                if kept != one {
                    self.actions[kept] = self.actions[one];
                    let (from, len) = (self.start(one), self.state(one).len());
                    let to = if kept == 0 { 0 } else { self.start(kept - 1) + self.state(kept - 1).len() };
                    self.words.copy_within(from..from + len, to);
                    if self.shape == RecordShape::Prefixed {
                        self.starts[kept] = to;
                    }
                }
                kept += 1;
            }
            self.ends[number] = kept as u32;
            start = end;
        }
        // Removed states may lie before the next start, so it does not give the end of the last
        // kept state.
        let end = if kept == 0 { 0 } else { self.start(kept - 1) + self.state(kept - 1).len() };
        self.words.truncate(end);
        self.starts.truncate(kept);
        self.actions.truncate(kept);
    }

    /// Number of words of each state, if all have one length.
    ///
    /// # Panics
    /// If they vary in length. Only code that writes states of one length calls this.
    #[inline]
    fn width(&self) -> usize {
        match self.shape {
            RecordShape::Fixed(width) => width,
            RecordShape::Prefixed => panic!("states of varying length are pushed one by one"),
        }
    }

    /// Memory for `count` more successors of one length, for code that writes them itself: words,
    /// then actions.
    #[inline]
    pub fn spare(&mut self, count: usize) -> (*mut u64, *mut u32) {
        self.words.reserve(count * self.width());
        self.actions.reserve(count);
        (
            self.words.spare_capacity_mut().as_mut_ptr().cast(),
            self.actions.spare_capacity_mut().as_mut_ptr().cast(),
        )
    }

    /// Takes over `count` successors written to the [`spare`](Self::spare) memory and ends their
    /// state.
    ///
    /// # Safety
    /// `spare` was called for at least `count` successors since the last change, and the words and
    /// actions of `count` successors were written there.
    #[inline]
    pub unsafe fn commit_state(&mut self, count: usize) {
        let words = count * self.width();
        debug_assert!(self.words.capacity() - self.words.len() >= words);
        debug_assert!(self.actions.capacity() - self.actions.len() >= count);
        // SAFETY: the caller wrote these elements, and `spare` reserved memory for them.
        unsafe {
            self.words.set_len(self.words.len() + words);
            self.actions.set_len(self.actions.len() + count);
        }
        self.end_state();
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        (self.words.capacity() + self.starts.capacity()) * 8
            + (self.actions.capacity() + self.ends.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn state(shape: RecordShape, number: u64) -> Vec<u64> {
        match shape {
            RecordShape::Fixed(width) => vec![number; width],
            RecordShape::Prefixed => {
                let len = 1 + number % 4;
                [number << 16 | len].into_iter().chain((1..len).map(|word| number * word)).collect()
            }
        }
    }

    proptest! {
        /// Compares a batch with a list of lists: after any removal, each successor is found under
        /// its number.
        #[test]
        fn successors_are_found_by_number(
            lists in prop::collection::vec(prop::collection::vec((0..50u64, any::<bool>()), 0..6), 1..12),
            first in 0..3usize, unfinished in 0..3u64, is_fixed: bool,
        ) {
            let shape = if is_fixed { RecordShape::Fixed(2) } else { RecordShape::Prefixed };
            let first = first.min(lists.len());
            let mut batch = SuccessorBatch::new(shape, usize::MAX);
            for list in &lists {
                list.iter().for_each(|(number, _)| batch.push(ActionId(*number as u32), &state(shape, *number)));
                batch.end_state();
            }
            let flat: Vec<(u64, bool)> = lists.concat();
            batch.thin_out(first, &mut Vec::new(), |_, range, batch, chosen| {
                for number in range {
                    assert_eq!(batch.state(number), state(shape, flat[number].0));
                    chosen.extend(flat[number].1.then_some(number as u32));
                }
            });
            (0..unfinished).for_each(|number| batch.push(ActionId(0), &state(shape, number)));
            batch.discard_unfinished();
            let stays = |(number, list): (usize, &Vec<(u64, bool)>)| {
                list.iter().filter(|(_, kept)| number < first || *kept).map(|(one, _)| *one).collect::<Vec<_>>()
            };
            let expected: Vec<Vec<u64>> = lists.iter().enumerate().map(stays).collect();
            let numbers: Vec<u64> = expected.concat();
            prop_assert_eq!(batch.len(), numbers.len());
            for (i, number) in numbers.iter().enumerate() {
                prop_assert_eq!(batch.state(i), state(shape, *number));
                prop_assert_eq!(u64::from(batch.action(i).0), *number);
                let rest: Vec<u64> = numbers[i..].iter().flat_map(|one| state(shape, *one)).collect();
                prop_assert_eq!(batch.states(i..numbers.len()), rest);
            }
            let ends = expected.iter().scan(0, |end, list| {
                *end += list.len() as u32;
                Some(*end)
            });
            prop_assert_eq!(batch.ends(), ends.collect::<Vec<_>>());
        }
    }
}
