//! The buffer between a model and a search: successors of a run of states, owned and reused by the search.
//!
//! States lie packed one behind the other, action numbers in a parallel array, and `ends[i]` tells how many successors
//! there are up to and including those of the `i`-th expanded state. Nothing is allocated once the buffer has grown to
//! its working size.

use std::ops::Range;

use super::guarded_commands::ActionId;

/// Successors of several states, with the actions that lead to them.
#[derive(Debug, Default)]
pub struct SuccessorBatch {
    width: usize,
    wanted: usize,
    words: Vec<u64>,
    actions: Vec<u32>,
    ends: Vec<u32>,
}

impl SuccessorBatch {
    /// An empty batch of states of `width` words that is full when it holds `wanted` successors or more.
    pub fn new(width: usize, wanted: usize) -> Self {
        Self { width, wanted, ..Self::default() }
    }

    /// Forgets the contents, keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.actions.clear();
        self.ends.clear();
    }

    /// Whether the search should take what is there before more states are expanded.
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

    /// Number of words of a state.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All successors' words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The `i`-th successor.
    #[inline]
    pub fn state(&self, i: usize) -> &[u64] {
        &self.words[i * self.width..(i + 1) * self.width]
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
        debug_assert_eq!(state.len(), self.width);
        self.words.extend_from_slice(state);
        self.actions.push(action.0);
    }

    /// Marks the end of one state's successors.
    #[inline]
    pub fn end_state(&mut self) {
        self.ends.push(self.actions.len() as u32);
    }

    /// Takes back the successors that were pushed since the last [`end_state`](Self::end_state).
    pub fn discard_unfinished(&mut self) {
        let keep = self.ends.last().map_or(0, |&end| end as usize);
        self.actions.truncate(keep);
        self.words.truncate(keep * self.width);
    }

    /// Leaves out successors of the expanded states from number `first` on. `choose` is given such a state's number, the numbers of its successors, and the
    /// batch as far as they are concerned; it fills a list, which comes empty, with the numbers of those that stay, ascending.
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
                    self.words.copy_within(one * self.width..(one + 1) * self.width, kept * self.width);
                }
                kept += 1;
            }
            self.ends[number] = kept as u32;
            start = end;
        }
        self.actions.truncate(kept);
        self.words.truncate(kept * self.width);
    }

    /// Room for `count` more successors, for code that writes them itself: words, then actions.
    #[inline]
    pub fn spare(&mut self, count: usize) -> (*mut u64, *mut u32) {
        self.words.reserve(count * self.width);
        self.actions.reserve(count);
        (
            self.words.spare_capacity_mut().as_mut_ptr().cast(),
            self.actions.spare_capacity_mut().as_mut_ptr().cast(),
        )
    }

    /// Takes over `count` successors written to the [`spare`](Self::spare) room and ends their state.
    ///
    /// # Safety
    /// `spare` was called for at least `count` successors since the last change, and the words and actions of `count`
    /// successors were written there.
    #[inline]
    pub unsafe fn commit_state(&mut self, count: usize) {
        debug_assert!(self.words.capacity() - self.words.len() >= count * self.width);
        debug_assert!(self.actions.capacity() - self.actions.len() >= count);
        // SAFETY: the caller wrote these elements, and `spare` made room for them.
        unsafe {
            self.words.set_len(self.words.len() + count * self.width);
            self.actions.set_len(self.actions.len() + count);
        }
        self.end_state();
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8 + (self.actions.capacity() + self.ends.capacity()) * 4
    }
}
