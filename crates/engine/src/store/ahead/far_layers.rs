//! Far layers: future layers that do not fit into memory, in a queue on disk.
//!
//! States enter [future layers](super::future_layers) in memory, without a look-up. When those take
//! too much memory, the layers farthest ahead move here, whole. When the sweep comes to a layer,
//! both halves of it are entered.

use std::io;

use serde::Serialize;

use super::future_layers::FutureLayers;
use crate::store::external::array_heap::{ArrayHeap, Parameters};
use crate::store::external::disk::Disk;
use crate::store::external::radix_heap::RadixHeap;
use crate::store::external::{ExternalQueue, Receiver};
use crate::store::records::{EntryShape, RecordShape, with_records};
use crate::store::saved::{Loader, Saver};

/// Entries that are passed on together.
const TOGETHER: usize = 256;

/// The kind of queue.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub enum QueueKind {
    /// The external radix heap.
    #[default]
    Radix,
    /// The external array heap.
    Array(Parameters),
}

/// Layers on disk, by progress value.
#[derive(Debug)]
pub struct FarLayers {
    disk: Disk,
    kind: QueueKind,
    /// Shape of an entry in memory. On disk its progress value is before it.
    entry: EntryShape,
    memory: usize,
    queue: Box<dyn ExternalQueue>,
    record: Vec<u64>,
    spilled: u64,
}

/// How much of the next layers may return to memory early.
#[derive(Clone, Copy, Debug)]
pub struct EarlyRoom {
    /// Entries in memory, at most.
    pub entries: usize,
    /// Bytes in memory, at most.
    pub bytes: usize,
}

/// A receiver of the entries of one layer.
struct Taking<'a, F> {
    entry: EntryShape,
    near: &'a mut FutureLayers,
    room: EarlyRoom,
    entries: Vec<u64>,
    /// Number of those entries.
    count: usize,
    each: F,
}

impl<F: FnMut(&[u64]) -> io::Result<()>> Receiver for Taking<'_, F> {
    fn receive(&mut self, records: &[u64]) -> io::Result<()> {
        for record in self.entry.keyed().entries(records) {
            self.entries.extend_from_slice(&record[1..]);
            self.count += 1;
            if self.count == TOGETHER {
                (self.each)(&self.entries)?;
                self.entries.clear();
                self.count = 0;
            }
        }
        Ok(())
    }

    fn offer(&mut self, record: &[u64]) -> bool {
        let (key, entry) = (record[0], &record[1..]);
        let is_taken = self.near.len() < self.room.entries && self.near.bytes() < self.room.bytes;
        if is_taken {
            let (state, origin) = (self.entry.state_of(entry), self.entry.origin_of(entry).unwrap_or(0));
            with_records!(self.entry.state(), records => self.near.append(records, key, state, origin));
        }
        is_taken
    }
}

impl FarLayers {
    /// No layers. Entries are states of this shape, each with its origin behind it, or not. `memory`
    /// bytes are used to find duplicates.
    pub fn new(
        disk: &Disk,
        kind: QueueKind,
        shape: RecordShape,
        origins: bool,
        memory: usize,
    ) -> io::Result<Self> {
        let entry = EntryShape::of(shape).with_origin(origins);
        let queue: Box<dyn ExternalQueue> = match kind {
            QueueKind::Radix => Box::new(RadixHeap::new(disk, entry.keyed(), memory)?),
            QueueKind::Array(parameters) => Box::new(ArrayHeap::new(disk, entry.keyed(), parameters)),
        };
        Ok(Self { disk: disk.clone(), kind, entry, memory, queue, record: Vec::new(), spilled: 0 })
    }

    /// Saves the layers.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&self.spilled)?;
        self.queue.save(to)
    }

    /// Loads saved layers. There are none yet.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.spilled = from.get()?;
        self.queue.load(from)
    }

    /// Takes over the farthest layers, so that about `kept` entries stay, but none whose value is
    /// not greater than `head`.
    pub fn take_over(&mut self, near: &mut FutureLayers, kept: usize, head: Option<u64>) -> io::Result<()> {
        for value in near.layers_beyond(kept).into_iter().filter(|value| Some(*value) > head) {
            let Some(buffer) = near.take(value) else { continue };
            for chunk in buffer.into_chunks() {
                self.queue.push_all(value, &chunk)?;
                near.recycle(chunk);
            }
            self.spilled += 1;
        }
        Ok(())
    }

    fn push(&mut self, value: u64, entry: &[u64]) -> io::Result<()> {
        self.record.clear();
        self.record.push(value);
        self.record.extend_from_slice(entry);
        self.queue.push(&self.record)
    }

    /// Number of layers that moved to disk so far.
    pub fn spilled(&self) -> u64 {
        self.spilled
    }

    /// The least progress value of a layer.
    pub fn first(&mut self) -> io::Result<Option<u64>> {
        self.queue.first()
    }

    /// Takes out the layer of this value, if it is the first. `each` gets its entries, some at a
    /// time. Entries of the next layers that come along go to `near`, as long as that has room for
    /// them.
    pub fn take(
        &mut self,
        value: u64,
        near: &mut FutureLayers,
        room: EarlyRoom,
        each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.queue.first()? != Some(value) {
            return Ok(());
        }
        let mut taking = Taking { entry: self.entry, near, room, entries: Vec::new(), count: 0, each };
        self.queue.take(value, &mut taking)?;
        let Taking { mut each, entries, .. } = taking;
        each(&entries)
    }

    /// Begins the next sweep. There are no layers.
    pub fn restart(&mut self) {
        self.queue.restart();
    }

    /// Number of entries.
    pub fn entries(&self) -> u64 {
        self.queue.records()
    }

    /// Number of entries in memory.
    pub fn in_memory(&self) -> u64 {
        self.queue.in_memory()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.queue.bytes()
    }

    /// Gives all states another layout of `width` words.
    pub fn repack(
        &mut self,
        width: usize,
        mut translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        let (shape, origins) = (RecordShape::Fixed(width), self.entry.has_origin());
        let mut new = Self::new(&self.disk, self.kind, shape, origins, self.memory)?;
        let (mut entry, old) = (Vec::new(), self.entry);
        while let Some(value) = self.first()? {
            let mut none = FutureLayers::new(old.state(), false);
            self.take(value, &mut none, EarlyRoom { entries: 0, bytes: 0 }, |entries| {
                for one in old.entries(entries) {
                    translate(old.state_of(one), &mut entry);
                    entry.truncate(width);
                    entry.extend(old.origin_of(one));
                    new.push(value, &entry)?;
                }
                Ok(())
            })?;
        }
        new.spilled = self.spilled;
        *self = new;
        Ok(())
    }
}
