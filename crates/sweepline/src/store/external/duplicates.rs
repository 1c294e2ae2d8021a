//! Finds most duplicates among many records in little memory.

use std::io;

use crate::store::layer::{Inserted, Layer, with_width};

/// The records that came last, as many as fit.
#[derive(Debug)]
pub struct Duplicates {
    seen: Layer,
    most: usize,
}

impl Duplicates {
    /// For records whose first `width` words say whether they are the same.
    pub fn new(width: usize, memory: usize) -> io::Result<Self> {
        // A record, and its share of the index at its emptiest.
        let most = memory / (width * 8 + 16);
        Ok(Self { seen: Layer::new(width, usize::MAX).map_err(io::Error::other)?, most })
    }

    /// From here on, others come.
    pub fn clear(&mut self) -> io::Result<()> {
        self.seen = Layer::new(self.seen.width(), usize::MAX).map_err(io::Error::other)?;
        Ok(())
    }

    /// Whether the record is a duplicate for sure; from now on it is known.
    pub fn is_known(&mut self, record: &[u64]) -> bool {
        if self.seen.len() >= self.most && self.clear().is_err() {
            return false;
        }
        let record = &record[..self.seen.width()];
        with_width!(self.seen.width(), width => matches!(self.seen.insert(width, record), Ok(Inserted::Known(_))))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.seen.bytes()
    }
}
