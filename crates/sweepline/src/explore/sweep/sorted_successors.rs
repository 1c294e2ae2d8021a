//! The successors of a batch, sorted by where they go: into the current layer, to another one, behind.

use crate::store::layer::Width;

/// Successors in the batch that stay in the current layer.
#[derive(Debug, Default)]
pub(super) struct Staying {
    pub(super) words: Vec<u64>,
    /// Their numbers in the batch.
    pub(super) numbers: Vec<u32>,
}

/// Sorts successors out without a branch that depends on them: everything is written down, and what does not belong there is
/// overwritten by the next. Whether a successor is new is what no processor can predict.
pub(super) struct Sorted<'a, W> {
    width: W,
    staying: &'a mut Staying,
    leaving: &'a mut Vec<u32>,
    stay: usize,
    leave: usize,
}

impl<'a, W: Width> Sorted<'a, W> {
    #[inline(always)]
    pub(super) fn begin(width: W, staying: &'a mut Staying, leaving: &'a mut Vec<u32>, words: usize) -> Self {
        let (stay, leave) = (staying.numbers.len(), leaving.len());
        let more = words / width.get();
        staying.words.resize((stay + more) * width.get(), 0);
        staying.numbers.resize(stay + more, 0);
        leaving.resize(leave + more, 0);
        Self { width, staying, leaving, stay, leave }
    }

    #[inline(always)]
    pub(super) fn stays(&mut self, number: usize, state: &[u64], truly: bool) {
        let words = self.width.get();
        self.staying.words[self.stay * words..(self.stay + 1) * words].copy_from_slice(&state[..words]);
        self.staying.numbers[self.stay] = number as u32;
        self.stay += usize::from(truly);
    }

    #[inline(always)]
    pub(super) fn leaves(&mut self, number: usize, truly: bool) {
        self.leaving[self.leave] = number as u32;
        self.leave += usize::from(truly);
    }

    #[inline(always)]
    pub(super) fn end(self) {
        self.staying.words.truncate(self.stay * self.width.get());
        self.staying.numbers.truncate(self.stay);
        self.leaving.truncate(self.leave);
    }
}

/// Successors in the batch with less progress.
#[derive(Debug, Default)]
pub(super) struct Behind {
    pub(super) words: Vec<u64>,
    /// For each, its progress value and where it comes from.
    pub(super) origins: Vec<(u64, u64)>,
}
