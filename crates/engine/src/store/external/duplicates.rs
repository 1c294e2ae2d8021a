//! Finds most duplicates among many records in little memory.

use std::io;

use crate::store::layer::{Inserted, Layer};
use crate::store::records::{EntryShape, with_records};

/// Records that are looked up together.
const TOGETHER: usize = 256;

/// Records that are looked at before it is judged whether that is worth it.
const JUDGED: usize = 1 << 14;
/// Fewer than one duplicate in so many are few.
const FEW: usize = 8;
/// Then so many records pass without a look.
const LET_PASS: usize = 1 << 17;

/// The records that came last, as many as fit.
#[derive(Debug)]
pub struct Duplicates {
    shape: EntryShape,
    /// States, with their keys behind them.
    seen: Layer,
    /// Bytes of those, at the most.
    most: usize,
    identities: Vec<u64>,
    is_new: Vec<bool>,
    /// Records that are let pass without a look, because there were few duplicates among the last ones.
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

    /// Whether it looks at records at present, for others that go on from here.
    pub fn habits(&self) -> [usize; 3] {
        [self.unseen, self.looked_at, self.found]
    }

    /// Goes on from there.
    pub fn set_habits(&mut self, [unseen, looked_at, found]: [usize; 3]) {
        (self.unseen, self.looked_at, self.found) = (unseen, looked_at, found);
    }

    /// From here on, others come.
    pub fn clear(&mut self) -> io::Result<()> {
        self.seen.restart(0).map_err(io::Error::other)
    }

    /// Gives `each` the records that are no duplicates for sure.
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
            // A record, and its share of the index at its emptiest.
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
        self.seen.bytes()
    }
}
