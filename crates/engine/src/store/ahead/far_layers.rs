//! Future layers that do not fit into memory, in a queue on disk.
//!
//! States enter [future layers](super::future_layers) in memory, without a look at anything else. When those take too much, the layers that lie farthest
//! ahead move here, whole; when the sweep comes to a layer, what lies here joins what came to memory in the meantime.

use std::io;

use serde::Serialize;

use super::future_layers::FutureLayers;
use crate::store::external::array_heap::{ArrayHeap, Parameters};
use crate::store::external::disk::Disk;
use crate::store::external::radix_heap::RadixHeap;
use crate::store::external::{ExternalQueue, Receiver};
use crate::store::layer::Dynamic;
use crate::store::saved::{Loader, Saver};

/// Entries that are given together.
const TOGETHER: usize = 256;

/// Which queue.
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
    width: usize,
    /// Words of an entry in memory; on disk its progress value stands before it.
    stride: usize,
    memory: usize,
    queue: Box<dyn ExternalQueue>,
    record: Vec<u64>,
    spilled: u64,
}

/// A layer on its way to memory.
struct Taking<'a, F> {
    width: usize,
    stride: usize,
    near: &'a mut FutureLayers,
    room: usize,
    entries: Vec<u64>,
    each: F,
}

impl<F: FnMut(&[u64]) -> io::Result<()>> Receiver for Taking<'_, F> {
    fn receive(&mut self, records: &[u64]) -> io::Result<()> {
        for record in records.chunks_exact(self.stride + 1) {
            self.entries.extend_from_slice(&record[1..]);
            if self.entries.len() >= TOGETHER * self.stride {
                (self.each)(&self.entries)?;
                self.entries.clear();
            }
        }
        Ok(())
    }

    fn offer(&mut self, record: &[u64]) -> bool {
        let (key, entry) = (record[0], &record[1..]);
        let is_taken = self.near.len() < self.room;
        if is_taken {
            let origin = entry.get(self.width).copied().unwrap_or(0);
            self.near.append(Dynamic(self.width), key, entry, origin);
        }
        is_taken
    }
}

impl FarLayers {
    /// No layers. Entries have `stride` words, of which the first `width` are the state. `memory` bytes
    /// are used to find duplicates.
    pub fn new(disk: &Disk, kind: QueueKind, width: usize, stride: usize, memory: usize) -> io::Result<Self> {
        let queue: Box<dyn ExternalQueue> = match kind {
            QueueKind::Radix => Box::new(RadixHeap::new(disk, width, stride + 1, memory)?),
            QueueKind::Array(parameters) => Box::new(ArrayHeap::new(disk, width, stride + 1, parameters)),
        };
        Ok(Self { disk: disk.clone(), kind, width, stride, memory, queue, record: Vec::new(), spilled: 0 })
    }

    /// Saves everything.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&self.spilled)?;
        self.queue.save(to)
    }

    /// What was saved, in these layers, which are none.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        self.spilled = from.get()?;
        self.queue.load(from)
    }

    /// Takes over the farthest layers, so that about `kept` entries stay; none whose values are not greater than `head`.
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

    /// Layers that moved here so far.
    pub fn spilled(&self) -> u64 {
        self.spilled
    }

    /// The least progress value of a layer.
    pub fn first(&mut self) -> io::Result<Option<u64>> {
        self.queue.first()
    }

    /// Takes out the layer of this value, if it is the first. `each` gets its entries, some at a time. What comes along of the next layers goes to
    /// `near`, as long as there are no more than `room` entries.
    pub fn take(
        &mut self,
        value: u64,
        near: &mut FutureLayers,
        room: usize,
        each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.queue.first()? != Some(value) {
            return Ok(());
        }
        let (width, stride) = (self.width, self.stride);
        let mut taking =
            Taking { width, stride, near, room, entries: Vec::with_capacity(TOGETHER * stride), each };
        self.queue.take(value, &mut taking)?;
        let Taking { mut each, entries, .. } = taking;
        each(&entries)
    }

    /// The next sweep begins; there are no layers.
    pub fn restart(&mut self) {
        self.queue.restart();
    }

    /// Number of entries.
    pub fn entries(&self) -> u64 {
        self.queue.records()
    }

    /// How many of them are in memory.
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
        let stride = self.stride - self.width + width;
        let mut new = Self::new(&self.disk, self.kind, width, stride, self.memory)?;
        let (mut entry, old) = (Vec::new(), self.width);
        while let Some(value) = self.first()? {
            let mut none = FutureLayers::new(old, false);
            self.take(value, &mut none, 0, |entries| {
                for one in entries.chunks_exact(new.stride - width + old) {
                    translate(&one[..old], &mut entry);
                    entry.truncate(width);
                    entry.extend_from_slice(&one[old..]);
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
