//! Merging: several sorted runs read as one, without duplicates.

use std::io;

use super::run::RunReader;
use crate::store::records::EntryShape;

/// Runs that are read side by side, least record first.
#[derive(Debug)]
pub struct Merge {
    readers: Vec<RunReader>,
    /// Numbers of the runs that are not at their end, sorted by their next record, the greatest
    /// first. Filled when the first record is read.
    order: Option<Vec<usize>>,
    /// Shape of a record. It says which words tell duplicates apart.
    shape: EntryShape,
    current: Vec<u64>,
}

/// Whether two rows of words are equal. They are short: a call would cost more than the comparison.
#[inline(always)]
fn same(one: &[u64], other: &[u64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one == other)
}

impl Merge {
    /// Merges these runs. Of duplicates, the least record stays.
    pub fn new(shape: EntryShape, readers: Vec<RunReader>) -> Self {
        Self { readers, order: None, shape, current: Vec::new() }
    }

    /// Reads the next record.
    #[expect(clippy::should_implement_trait, reason = "it may fail, and what it gives is borrowed")]
    pub fn next(&mut self) -> io::Result<Option<&[u64]>> {
        if self.order.is_none() {
            self.order = Some(Vec::with_capacity(self.readers.len()));
            (0..self.readers.len()).try_for_each(|number| self.put_in_order(number))?;
        }
        while let Some(number) = self.order.as_mut().and_then(Vec::pop) {
            let record = self.readers[number].head();
            let is_new = self.current.is_empty()
                || !same(self.shape.identity(&self.current), self.shape.identity(record));
            if is_new {
                self.current.clear();
                self.current.extend_from_slice(record);
            }
            self.readers[number].advance();
            self.put_in_order(number)?;
            if is_new {
                return Ok(Some(&self.current));
            }
        }
        Ok(None)
    }

    /// The record that was read last.
    pub fn current(&self) -> &[u64] {
        &self.current
    }

    /// The position of each reader, and the record that was read last.
    pub fn position(&self) -> (Vec<(usize, usize)>, Vec<u64>) {
        (self.readers.iter().map(RunReader::position).collect(), self.current.clone())
    }

    /// Continues at a position, with the same runs.
    pub fn go_to(&mut self, (readers, current): (Vec<(usize, usize)>, Vec<u64>)) -> io::Result<()> {
        self.current = current;
        self.readers.iter_mut().zip(readers).try_for_each(|(reader, position)| reader.go_to(position))
    }

    /// Number of records in memory.
    pub fn in_memory(&self) -> usize {
        self.readers.iter().map(RunReader::in_memory).sum()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.readers.iter().map(RunReader::bytes).sum::<usize>() + self.current.capacity() * 8
    }

    #[inline]
    fn put_in_order(&mut self, number: usize) -> io::Result<()> {
        if self.readers[number].peek()?.is_some()
            && let Some(order) = &mut self.order
        {
            let readers = &self.readers;
            let record = readers[number].head();
            // Often the same run has the next record, too.
            if order.last().is_none_or(|other| readers[*other].head() > record) {
                order.push(number);
            } else {
                let place = order.partition_point(|other| readers[*other].head() > record);
                order.insert(place, number);
            }
        }
        Ok(())
    }
}
