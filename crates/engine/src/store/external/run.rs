//! Runs: rows of records that are written once and read in order.
//!
//! The last records, which do not fill a block, stay in memory. So a short run takes no space on
//! disk.

use std::io;
use std::sync::Arc;

use super::block::Block;
use super::disk::{Disk, FileClass, RecordFile};
use crate::store::records::EntryShape;
use crate::store::saved::{Loader, Saver};

/// A run that is being written.
#[derive(Debug)]
pub struct RunWriter {
    disk: Disk,
    class: FileClass,
    shape: EntryShape,
    /// Exists once a block was full.
    file: Option<Arc<RecordFile>>,
    last: Block,
    records: u64,
}

/// A complete run. It may be read more than once.
#[derive(Clone, Debug)]
pub struct Run {
    file: Option<Arc<RecordFile>>,
    last: Arc<Block>,
    shape: EntryShape,
    records: u64,
}

/// Reads a run from beginning to end.
#[derive(Debug)]
pub struct RunReader {
    file: Option<Arc<RecordFile>>,
    /// The number of the next block.
    number: usize,
    /// The block that follows the file.
    last: Option<Arc<Block>>,
    block: Block,
    shape: EntryShape,
    /// Word of the block where the next record begins.
    next: usize,
    /// Number of records of the block that are not read yet.
    left: usize,
}

impl RunWriter {
    /// An empty run of records of this shape.
    pub fn new(disk: &Disk, class: FileClass, shape: EntryShape) -> Self {
        Self { disk: disk.clone(), class, shape, file: None, last: Block::new(shape), records: 0 }
    }

    /// Appends a record.
    #[inline]
    pub fn push(&mut self, record: &[u64]) -> io::Result<()> {
        if self.last.is_full() {
            self.write_block()?;
        }
        self.last.push(record);
        self.records += 1;
        Ok(())
    }

    /// Appends the records of `entries`, which are contiguous and lack the key; all have the key
    /// `key`.
    pub fn push_all(&mut self, key: u64, entries: &[u64]) -> io::Result<()> {
        self.shape.unkeyed().entries(entries).try_for_each(|entry| self.push_parts(key, entry))
    }

    /// Appends a record that consists of this first word and the others.
    #[inline]
    pub fn push_parts(&mut self, first: u64, others: &[u64]) -> io::Result<()> {
        if self.last.is_full() {
            self.write_block()?;
        }
        self.last.push_parts(first, others);
        self.records += 1;
        Ok(())
    }

    fn write_block(&mut self) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(self.disk.create(self.class)),
        };
        let next = Block::to_be_filled(self.shape);
        self.disk.write(file, std::mem::replace(&mut self.last, next))
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Number of records in memory.
    pub fn in_memory(&self) -> usize {
        self.last.records()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.last.bytes() + self.file.as_ref().map_or(0, |file| file.bytes())
    }

    /// Writes the records in memory to the file and frees their memory.
    pub fn write_out(&mut self) -> io::Result<()> {
        if self.last.records() > 0 { self.write_block() } else { Ok(()) }
    }

    /// Reads the records so far. More may be appended once these are read.
    pub fn reader(&self) -> io::Result<RunReader> {
        if let Some(file) = &self.file {
            self.disk.settle(file)?;
        }
        let (file, last) = (self.file.clone(), Arc::new(self.last.clone()));
        Ok(Run { file, last, shape: self.shape, records: self.records }.reader())
    }

    /// Saves the records so far.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        if let Some(file) = &self.file {
            self.disk.settle(file)?;
        }
        let Self { file, last, shape, records, .. } = self;
        save(to, file.as_ref(), last, *shape, *records)
    }

    /// Loads a saved run.
    pub fn load(disk: &Disk, class: FileClass, from: &mut Loader) -> io::Result<Self> {
        let Run { file, last, shape, records } = Run::load(disk, class, from)?;
        Ok(Self { disk: disk.clone(), class, shape, file, last: Arc::unwrap_or_clone(last), records })
    }

    /// Ends the run.
    pub fn finish(self) -> io::Result<Run> {
        if let Some(file) = &self.file {
            self.disk.settle(file)?;
        }
        let Self { file, mut last, shape, records, .. } = self;
        last.shrink();
        Ok(Run { file, last: Arc::new(last), shape, records })
    }

    /// Ends the run and reads it. The file is freed when it is read.
    pub fn into_reader(self) -> io::Result<RunReader> {
        Ok(self.finish()?.reader())
    }
}

impl Run {
    /// Saves the run.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        save(to, self.file.as_ref(), &self.last, self.shape, self.records)
    }

    /// Loads a saved run.
    pub fn load(disk: &Disk, class: FileClass, from: &mut Loader) -> io::Result<Self> {
        let (has_file, shape, records): (bool, EntryShape, u64) = from.get()?;
        let file = has_file.then(|| RecordFile::load(disk, class, from)).transpose()?;
        let last = Arc::new(Block::from_words(from.get_words()?, shape));
        Ok(Self { file, last, shape, records })
    }

    /// Reads the run from the beginning. Its file exists as long as the run or one of its readers.
    pub fn reader(&self) -> RunReader {
        RunReader {
            file: self.file.clone(),
            number: 0,
            last: Some(self.last.clone()),
            block: Block::new(self.shape),
            shape: self.shape,
            next: 0,
            left: 0,
        }
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Number of records in memory.
    pub fn in_memory(&self) -> usize {
        self.last.records()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        share(&self.last) + self.file.as_ref().map_or(0, |file| file.bytes())
    }
}

/// Bytes of a block, divided among the run and the readers that share it: together they count it
/// once.
fn share(block: &Arc<Block>) -> usize {
    block.bytes() / Arc::strong_count(block)
}

fn save(
    to: &mut Saver,
    file: Option<&Arc<RecordFile>>,
    last: &Block,
    shape: EntryShape,
    records: u64,
) -> io::Result<()> {
    to.put(&(file.is_some(), shape, records))?;
    file.map_or(Ok(()), |file| file.save(0, to))?;
    to.put_words(last.words())
}

impl RunReader {
    /// The position: the number of the next block, and the word of the present block where the next
    /// record begins.
    pub fn position(&self) -> (usize, usize) {
        (self.number, self.next)
    }

    /// Continues at a position in the same run.
    pub fn go_to(&mut self, (number, next): (usize, usize)) -> io::Result<()> {
        if number > 0 {
            let blocks = self.file.as_ref().map_or(0, |file| file.blocks());
            match self.file.take().filter(|_| number <= blocks) {
                Some(file) => {
                    file.read(number - 1, &mut self.block, false)?;
                    self.file = Some(file);
                }
                // In the block that follows the file, or at the end.
                None => {
                    let last = self.last.take().filter(|_| number == blocks + 1);
                    self.block = last.map_or_else(|| Block::new(self.shape), Arc::unwrap_or_clone);
                }
            }
        }
        (self.number, self.next) = (number, next.min(self.block.words().len()));
        self.left = self.shape.count(&self.block.words()[self.next..]);
        Ok(())
    }

    /// Saves the records that are not read yet.
    pub fn save_rest(&self, to: &mut Saver) -> io::Result<()> {
        let Self { file, number, block, last, next, shape, .. } = self;
        to.put(&(file.is_some(), *shape))?;
        file.as_ref().map_or(Ok(()), |file| file.save(*number, to))?;
        let rest = block.words().get(*next..).unwrap_or_default();
        to.put_words(rest)?;
        to.put_words(last.as_ref().map_or(&[], |last| last.words()))
    }

    /// Loads what [`save_rest`](Self::save_rest) saved.
    pub fn load_rest(disk: &Disk, class: FileClass, from: &mut Loader) -> io::Result<Self> {
        let (has_file, shape): (bool, EntryShape) = from.get()?;
        let file = has_file.then(|| RecordFile::load(disk, class, from)).transpose()?;
        let block = Block::from_words(from.get_words()?, shape);
        let last = Some(Arc::new(Block::from_words(from.get_words()?, shape)));
        let left = block.records();
        Ok(Self { file, number: 0, last, block, shape, next: 0, left })
    }

    /// Returns the next record without advancing.
    pub fn peek(&mut self) -> io::Result<Option<&[u64]>> {
        if self.next == self.block.words().len() && !self.load()? {
            return Ok(None);
        }
        Ok(Some(self.head()))
    }

    /// The record that [`peek`](Self::peek) returned.
    pub fn head(&self) -> &[u64] {
        let rest = &self.block.words()[self.next..];
        &rest[..self.shape.len_of(rest)]
    }

    /// Advances past the record that [`peek`](Self::peek) returned.
    pub fn advance(&mut self) {
        debug_assert!(self.next < self.block.words().len(), "a record was peeked at");
        self.next += self.shape.len_of(&self.block.words()[self.next..]);
        self.left -= 1;
    }

    /// Reads the rest of the present block, or the next one.
    pub fn next_block(&mut self) -> io::Result<Option<&[u64]>> {
        if self.next == self.block.words().len() && !self.load()? {
            return Ok(None);
        }
        let from = std::mem::replace(&mut self.next, self.block.words().len());
        self.left = 0;
        Ok(Some(&self.block.words()[from..]))
    }

    /// Skips records with a smaller first word in a sorted run. Blocks without other records are
    /// not read.
    pub fn pass(&mut self, first: u64) -> io::Result<()> {
        loop {
            let rest = self.block.words().get(self.next..).unwrap_or_default();
            let left = &mut self.left;
            self.next += self.shape.words_while(rest, |record| {
                let is_passed = record[0] < first;
                *left -= usize::from(is_passed);
                is_passed
            });
            if self.next < self.block.words().len() {
                return Ok(());
            }
            if let Some(file) = &self.file
                && self.number < file.blocks()
            {
                self.number = file.block_of(self.number, first);
            }
            if !self.load()? {
                return Ok(());
            }
        }
    }

    /// Reads the next records with this first word, as many as the present block has.
    pub fn next_of(&mut self, first: u64) -> io::Result<Option<&[u64]>> {
        if self.next == self.block.words().len() && !self.load()? {
            return Ok(None);
        }
        let (rest, from, left) = (&self.block.words()[self.next..], self.next, &mut self.left);
        self.next += self.shape.words_while(rest, |record| {
            let is_taken = record[0] == first;
            *left -= usize::from(is_taken);
            is_taken
        });
        Ok((self.next > from).then(|| &self.block.words()[from..self.next]))
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.block.bytes() + self.last.as_ref().map_or(0, share)
    }

    /// Number of records in memory.
    pub fn in_memory(&self) -> usize {
        self.left + self.last.as_ref().map_or(0, |last| last.records())
    }

    fn load(&mut self) -> io::Result<bool> {
        if let Some(file) = &self.file {
            if self.number < file.blocks() {
                file.read(self.number, &mut self.block, true)?;
                self.number += 1;
                (self.next, self.left) = (0, self.block.records());
                return Ok(true);
            }
            // The pages of the file are free as soon as it is read.
            self.file = None;
        }
        self.number += 1;
        self.block = self.last.take().map_or_else(|| Block::new(self.shape), Arc::unwrap_or_clone);
        (self.next, self.left) = (0, self.block.records());
        Ok(self.left > 0)
    }
}
