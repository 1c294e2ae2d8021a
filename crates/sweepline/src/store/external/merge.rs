//! Sorted runs as one sorted row without duplicates.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use super::run::RunReader;

/// Runs that are read side by side, least record first.
#[derive(Debug)]
pub struct Merge {
    readers: Vec<RunReader>,
    /// The next record of each run that has one, and the number of the run.
    heads: BinaryHeap<Reverse<(Vec<u64>, usize)>>,
    /// Words that say whether two records are the same.
    identity: usize,
    current: Vec<u64>,
    has_begun: bool,
}

impl Merge {
    /// Of records that are the same in their first `identity` words, one stays: the least.
    pub fn new(identity: usize, readers: Vec<RunReader>) -> io::Result<Self> {
        let mut merge =
            Self { readers, heads: BinaryHeap::new(), identity, current: Vec::new(), has_begun: false };
        for number in 0..merge.readers.len() {
            merge.refill(number, Vec::new())?;
        }
        Ok(merge)
    }

    fn refill(&mut self, number: usize, mut record: Vec<u64>) -> io::Result<()> {
        if let Some(next) = self.readers[number].peek()? {
            record.clear();
            record.extend_from_slice(next);
            self.heads.push(Reverse((record, number)));
            self.readers[number].advance();
        }
        Ok(())
    }

    /// The next record.
    #[expect(clippy::should_implement_trait, reason = "it may fail, and what it gives is borrowed")]
    pub fn next(&mut self) -> io::Result<Option<&[u64]>> {
        while let Some(Reverse((record, number))) = self.heads.pop() {
            let is_new = !self.has_begun || self.current[..self.identity] != record[..self.identity];
            let old = if is_new { std::mem::replace(&mut self.current, record) } else { record };
            self.has_begun = true;
            self.refill(number, old)?;
            if is_new {
                return Ok(Some(&self.current));
            }
        }
        Ok(None)
    }
}
