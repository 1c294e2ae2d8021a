//! Several sorted runs as one, without duplicates.

use std::io;

use super::run::RunReader;

/// Runs that are read side by side, least record first. For a dozen runs or so: the next record is looked for in all of them.
#[derive(Debug)]
pub struct Merge {
    readers: Vec<RunReader>,
    /// Words that say whether two records are the same.
    identity: usize,
    current: Vec<u64>,
}

impl Merge {
    /// Of records that are the same in their first `identity` words, one stays: the least.
    pub fn new(identity: usize, readers: Vec<RunReader>) -> Self {
        Self { readers, identity, current: Vec::new() }
    }

    /// The next record.
    #[expect(clippy::should_implement_trait, reason = "it may fail, and what it gives is borrowed")]
    pub fn next(&mut self) -> io::Result<Option<&[u64]>> {
        loop {
            let mut least: Option<(usize, &[u64])> = None;
            for (number, reader) in self.readers.iter_mut().enumerate() {
                if let Some(record) = reader.peek()?
                    && least.is_none_or(|(_, least)| record < least)
                {
                    least = Some((number, record));
                }
            }
            let Some((number, record)) = least else { return Ok(None) };
            let is_new = self.current.is_empty() || self.current[..self.identity] != record[..self.identity];
            if is_new {
                self.current.clear();
                self.current.extend_from_slice(record);
            }
            self.readers[number].advance();
            if is_new {
                return Ok(Some(&self.current));
            }
        }
    }
}
