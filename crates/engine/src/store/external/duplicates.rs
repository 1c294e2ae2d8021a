//! Duplicate detection among many records in little memory. It finds most duplicates, not all.

use std::io;

use crate::store::layer::{Inserted, Layer};
use crate::store::records::{EntryShape, with_records};

/// Records that are looked up together.
const TOGETHER: usize = 256;

/// Records that are looked up before their share of duplicates is judged.
const JUDGED: usize = 1 << 14;
/// The share of duplicates is small if it is less than one in this many.
const FEW: usize = 8;
/// Records that pass without a look-up if the share is small.
const LET_PASS: usize = 1 << 17;

/// The last records, as many as fit.
#[derive(Debug)]
pub struct Duplicates {
    shape: EntryShape,
    /// States, each with its key as the last word.
    seen: Layer,
    /// Most bytes of those.
    most: usize,
    identities: Vec<u64>,
    is_new: Vec<bool>,
    /// Number of records that pass without a look-up, because the share of duplicates was small.
    unseen: usize,
    looked_at: usize,
    found: usize,
}

impl Duplicates {
    /// For records of this shape, which have keys.
    pub fn new(shape: EntryShape, memory: usize) -> io::Result<Self> {
        let seen = Layer::new(shape.state().extended(), usize::MAX).map_err(io::Error::other)?;
        Ok(Self {
            shape,
            seen,
            most: memory,
            identities: Vec::new(),
            is_new: Vec::new(),
            unseen: 0,
            looked_at: 0,
            found: 0,
        })
    }

    /// The counters that decide whether records are looked up, to be saved.
    pub fn habits(&self) -> [usize; 3] {
        [self.unseen, self.looked_at, self.found]
    }

    /// Continues with saved counters.
    pub fn set_habits(&mut self, [unseen, looked_at, found]: [usize; 3]) {
        (self.unseen, self.looked_at, self.found) = (unseen, looked_at, found);
    }

    /// Forgets all records.
    pub fn clear(&mut self) -> io::Result<()> {
        self.seen.restart(0).map_err(io::Error::other)
    }

    /// Passes the records to `each`, except those that are duplicates of the last ones.
    pub fn filter(
        &mut self,
        records: &[u64],
        mut each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (shape, mut rest) = (self.shape, records);
        while !rest.is_empty() {
            let mut count = 0;
            let words = shape.words_while(rest, |_| {
                count += 1;
                count <= TOGETHER
            });
            let (records, others) = rest.split_at(words);
            rest = others;
            if self.unseen > 0 {
                self.unseen = self.unseen.saturating_sub(TOGETHER);
                shape.entries(records).try_for_each(&mut each)?;
                continue;
            }
            // Bytes of a record, and its share of the index at its emptiest.
            if self.seen.words() * 8 + self.seen.len() * 16 >= self.most {
                self.clear()?;
            }
            self.identities.clear();
            for record in shape.entries(records) {
                shape.state().append_extended(shape.state_of(record), record[0], &mut self.identities);
            }
            self.is_new.clear();
            let (seen, identities, is_new) = (&mut self.seen, &self.identities, &mut self.is_new);
            let inserted = with_records!(seen.shape(), width => seen.insert_batch(width, identities, |inserted| {
                is_new.push(matches!(inserted, Inserted::New(_)));
            }));
            inserted.map_err(io::Error::other)?;
            self.looked_at += self.is_new.len();
            self.found += self.is_new.iter().filter(|is_new| !**is_new).count();
            if self.looked_at >= JUDGED {
                self.unseen = if self.found < self.looked_at / FEW { LET_PASS } else { 0 };
                (self.looked_at, self.found) = (0, 0);
            }
            for (record, _) in shape.entries(records).zip(&self.is_new).filter(|(_, is_new)| **is_new) {
                each(record)?;
            }
        }
        Ok(())
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.seen.bytes() + self.identities.capacity() * 8 + self.is_new.capacity()
    }
}
