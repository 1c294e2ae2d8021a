//! Finds most duplicates among many records in little memory.

use std::io;

use crate::store::layer::{Inserted, Layer, with_width};

/// Records that are looked up together.
const TOGETHER: usize = 256;

/// The records that came last, as many as fit.
#[derive(Debug)]
pub struct Duplicates {
    seen: Layer,
    most: usize,
    identities: Vec<u64>,
    is_new: Vec<bool>,
}

impl Duplicates {
    /// For records whose first `width` words say whether they are the same.
    pub fn new(width: usize, memory: usize) -> io::Result<Self> {
        // A record, and its share of the index at its emptiest.
        let most = memory / (width * 8 + 16);
        let seen = Layer::new(width, usize::MAX).map_err(io::Error::other)?;
        Ok(Self { seen, most, identities: Vec::new(), is_new: Vec::new() })
    }

    /// From here on, others come.
    pub fn clear(&mut self) -> io::Result<()> {
        self.seen.restart(0).map_err(io::Error::other)
    }

    /// Gives `each` the records, of `stride` words, that are no duplicates for sure.
    pub fn filter(
        &mut self,
        records: &[u64],
        stride: usize,
        mut each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let words = self.seen.width();
        for records in records.chunks(TOGETHER * stride) {
            if self.seen.len() >= self.most {
                self.clear()?;
            }
            self.identities.clear();
            records.chunks_exact(stride).for_each(|one| self.identities.extend_from_slice(&one[..words]));
            self.is_new.clear();
            let (seen, identities, is_new) = (&mut self.seen, &self.identities, &mut self.is_new);
            let inserted = with_width!(words, width => seen.insert_batch(width, identities, |inserted| {
                is_new.push(matches!(inserted, Inserted::New(_)));
            }));
            inserted.map_err(io::Error::other)?;
            for (record, _) in records.chunks_exact(stride).zip(&self.is_new).filter(|(_, is_new)| **is_new) {
                each(record)?;
            }
        }
        Ok(())
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.seen.bytes()
    }
}
