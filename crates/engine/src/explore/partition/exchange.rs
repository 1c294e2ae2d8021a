//! The exchange of partitions between memory and disk: whole, in two parts, or together with all
//! others.

use std::io;

use crate::explore::expansion::BATCH;
use crate::explore::observer::Observer;
use crate::explore::origin::tell_origin;
use crate::explore::search::StopReason;
use crate::store::layer::{Inserted, Layer, LayerFull, Width};
use crate::store::pages::OutOfMemory;

use super::function::{Test, best_test};
use super::partitions::Partition;
use super::{Front, PartitionSearch, Scratch, stage};

impl PartitionSearch {
    /// Enters some candidates of the partition in memory.
    pub(super) fn take_in<W: Width, O: Observer>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), StopReason> {
        let Some(mut reader) = self.front.candidates.take() else { return Ok(()) };
        let Some(mut rest) = reader.next_block()? else { return Ok(()) };
        let Self { layer, scratch: Scratch { staying, .. }, records, partitions, .. } = self;
        let stride = partitions.stride();
        let mut stored = Ok(());
        while !rest.is_empty() && stored.is_ok() {
            let (some, others) = rest.split_at(rest.len().min(BATCH * stride));
            stage(staying, width, some, stride);
            let mut origins = staying.tags.iter();
            stored = layer.insert_batch(width, &staying.words, |inserted| {
                let origin = *origins.next().expect("each of them has an origin");
                if let Inserted::New(_) = inserted {
                    *records += 1;
                    tell_origin(observer, origin);
                }
            });
            rest = if stored.is_ok() { others } else { rest };
        }
        stage(staying, width, rest, stride);
        self.front.candidates = Some(reader);
        if let Err(full) = stored {
            self.make_room(full)?;
            self.send_staying(width)?;
        }
        Ok(())
    }

    /// Writes the partition in memory back, and loads the one with the longest queue; `false` if
    /// there is none.
    pub(super) fn next_partition<W: Width>(&mut self, width: W) -> Result<bool, StopReason> {
        let Some(next) = self.partitions.longest_queue() else { return Ok(false) };
        self.put_back(self.front.known)?;
        self.unload(width.get()).map_err(|error| StopReason::Memory(error.into()))?;
        self.counters.layers += 1;
        self.front.partition = Some(next);
        let (known, queue) = {
            let partition = self.partitions.get(next);
            (
                partition.visited.records() as usize + partition.waiting.records() as usize,
                partition.candidates.records(),
            )
        };
        // A little more than is known to come. If that is too much, the layer starts small.
        let expected = known + (queue as usize).min(known / 4);
        self.layer.restart(expected).or_else(|_| self.layer.restart(0)).map_err(StopReason::Memory)?;
        if let Err(full) = self.load(width, next)? {
            let test = self.test_for_more_room(full)?;
            // Everything is still on disk, and is split there.
            self.unload(width.get()).map_err(|error| StopReason::Memory(error.into()))?;
            self.front.partition = Some(next);
            self.split(test)?;
            return Ok(true);
        }
        self.front.candidates = Some(self.partitions.take_queue(next)?);
        Ok(true)
    }

    /// Reads states that were visited, and those that wait with their record numbers.
    fn load<W: Width>(&mut self, width: W, partition: usize) -> io::Result<Result<(), LayerFull>> {
        let (mut visited, mut waiting) = {
            let partition = self.partitions.get(partition);
            (partition.visited.reader()?, partition.waiting.reader()?)
        };
        while let Some(block) = visited.next_block()? {
            for states in block.chunks(BATCH * width.get()) {
                if let Err(full) = self.layer.insert_batch(width, states, |_| {}) {
                    return Ok(Err(full));
                }
            }
        }
        let known = self.layer.len();
        while let Some(block) = waiting.next_block()? {
            for record in block.chunks_exact(width.get() + 1) {
                if let Err(full) = self.layer.insert(width, &record[..width.get()]) {
                    return Ok(Err(full));
                }
                self.front.waited.push(record[width.get()]);
            }
        }
        (self.front.known, self.front.cursor) = (known, known);
        self.layer.set_budget(self.budget());
        debug_assert_eq!(self.layer.len(), known + self.front.waited.len(), "no state is there twice");
        Ok(Ok(()))
    }

    /// Splits the partition in memory, because there is no room for it.
    #[cold]
    pub(super) fn make_room(&mut self, full: LayerFull) -> Result<(), StopReason> {
        let test = self.test_for_more_room(full)?;
        self.split(test)
    }

    fn test_for_more_room(&self, full: LayerFull) -> Result<Test, StopReason> {
        match full {
            LayerFull::System(_) => Err(StopReason::Memory(full)),
            LayerFull::Budget | LayerFull::RecordNumbers => {
                best_test(&self.layer, &self.scratch.steps).ok_or(StopReason::Memory(full))
            }
        }
    }

    /// Splits the partition in memory. Nothing of it is in memory afterwards.
    pub(super) fn split(&mut self, test: Test) -> Result<(), StopReason> {
        let Some(partition) = self.front.partition else { return Ok(()) };
        self.note_peak();
        self.counters.spilled.current += 1;
        let old = self.partitions.split(partition, test);
        self.partitions.allow(self.allowance());
        self.distribute(old)?;
        self.unload(self.layer.width()).map_err(|error| StopReason::Memory(error.into()))
    }

    /// Gives the states of a partition that was split to its parts: those in memory, and those on
    /// disk.
    fn distribute(&mut self, old: Partition) -> io::Result<()> {
        let width = self.layer.width();
        let as_it_is = &mut |state: &[u64], same: &mut Vec<u64>| {
            same.clear();
            same.extend_from_slice(state);
        };
        self.put_back(0)?;
        if self.front.known == 0 {
            self.partitions.keep_all(old.visited.into_reader()?, width, as_it_is)?;
        }
        let (waiting, candidates) = (old.waiting.into_reader()?, old.candidates.into_reader()?);
        self.partitions.queue_all(waiting, candidates, width, as_it_is)?;
        if let Some(rest) = self.front.candidates.take() {
            self.partitions.send_all(rest, width, as_it_is)?;
        }
        self.partitions.relieve()
    }

    /// Writes the states of the layer from this place on to where they belong.
    fn put_back(&mut self, from: usize) -> io::Result<()> {
        for place in from..self.layer.len() {
            if place < self.front.cursor {
                self.partitions.keep(self.layer.state(place))?;
            } else {
                self.partitions.wait(self.layer.state(place), self.front.record(place))?;
            }
            self.partitions.look(place)?;
        }
        Ok(())
    }

    /// Forgets what is in memory, and gives the memory back.
    pub(super) fn unload(&mut self, width: usize) -> Result<(), OutOfMemory> {
        self.note_peak();
        self.front = Front { first: self.records, ..Front::default() };
        self.layer = Layer::new(width, self.limits.memory)?;
        self.layer.set_budget(self.budget());
        Ok(())
    }

    /// Pours everything into one partition, in another layout.
    pub(super) fn pour_together(
        &mut self,
        width: usize,
        translate: &mut dyn FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let old_width = self.layer.width();
        let mut new = self.partitions.of_width(width);
        let mut state = Vec::with_capacity(width);
        for place in self.front.known..self.layer.len() {
            translate(self.layer.state(place), &mut state);
            if place < self.front.cursor {
                new.keep(&state[..width])?;
            } else {
                new.wait(&state[..width], self.front.record(place))?;
            }
            new.look(place)?;
        }
        for number in 0..self.partitions.len() {
            let one = self.partitions.get(number);
            new.keep_all(one.visited.reader()?, old_width, translate)?;
            new.queue_all(one.waiting.reader()?, one.candidates.reader()?, old_width, translate)?;
        }
        if let Some(rest) = self.front.candidates.take() {
            new.send_all(rest, old_width, translate)?;
        }
        self.partitions = new;
        Ok(())
    }
}
