//! Ahead: states that this sweep has found and not yet come to, by progress value.
//!
//! The near half is in memory: [future layers](future_layers), append-only buffers without an
//! index. The far half is a [queue on disk](far_layers), which exists once the near half has
//! spilled. States always enter the near half; when it holds too much, the layers with the greatest
//! progress values move to the far half. When the sweep comes to a value, it reads both halves.
//! Where progress values are vectors, `WaitingVectors` says which layer is next; then nothing
//! spills, because their order is not total and no queue could keep it.
//!
//! The tier owns its bytes, its duplicates, its repacking and its part of a checkpoint.

pub mod far_layers;
pub mod future_layers;
mod waiting_vectors;

use std::collections::BTreeSet;
use std::io;

use model::measure::Comparison;

use super::external::disk::Disk;
use super::layer::{LayerCopy, LayerFull};
use super::memory::Budget;
use super::records::{RecordShape, Records};
use super::saved::{Loader, Saver};
use super::spilling::Spilling;

pub use far_layers::QueueKind;
pub use future_layers::Buffer;

use far_layers::{EarlyRoom, FarLayers};
use future_layers::FutureLayers;
use waiting_vectors::WaitingVectors;

/// Entries from which on duplicates are removed whenever the number of entries has grown enough.
const COMPACTED_FROM: usize = 1 << 18;
/// Most entries that return from disk before their layer is the current one.
const EARLY: usize = 100_000;

/// The layers ahead.
#[derive(Debug)]
pub struct Ahead {
    shape: RecordShape,
    origins: bool,
    near: FutureLayers,
    far: Option<FarLayers>,
    /// The progress values that wait, where they are vectors.
    vectors: Option<WaitingVectors>,
    /// Where the far half goes.
    room: Option<FarRoom>,
    /// Most entries in memory.
    most: usize,
    /// Number of entries at which duplicates are removed next.
    compacted_next: usize,
}

/// Where the far half goes.
#[derive(Clone, Debug)]
struct FarRoom {
    disk: Disk,
    queue: QueueKind,
    budget: Budget,
}

impl FarRoom {
    fn far(&self, shape: RecordShape, origins: bool) -> io::Result<FarLayers> {
        FarLayers::new(&self.disk, self.queue, shape, origins, self.budget.for_duplicates())
    }
}

impl Ahead {
    /// No layers, of states of this shape. With origins, each entry carries its origin.
    pub fn new(shape: RecordShape, origins: bool, comparison: Comparison) -> Self {
        let mut near = FutureLayers::new(shape, origins);
        let vectors = (comparison != Comparison::Total).then(|| WaitingVectors::new(comparison));
        if vectors.is_some() {
            near.list_new_layers();
        }
        let (far, room) = (None, None);
        Self { shape, origins, near, far, vectors, room, most: usize::MAX, compacted_next: COMPACTED_FROM }
    }

    /// Lets layers spill to disk. Not for vectors.
    pub fn spill_to(&mut self, spilling: &Spilling, budget: Budget) {
        debug_assert!(self.vectors.is_none(), "no queue keeps a partial order");
        self.most = spilling.most.ahead;
        self.room = Some(FarRoom { disk: spilling.disk.clone(), queue: spilling.queue, budget });
    }

    /// From now on, entries carry their origin or not. There are none yet.
    pub fn with_origins(&mut self, origins: bool) {
        debug_assert!(self.is_empty(), "the search begins");
        let new_layers = self.vectors.is_some();
        (self.origins, self.near) = (origins, FutureLayers::new(self.shape, origins));
        if new_layers {
            self.near.list_new_layers();
        }
    }

    /// Words of an entry behind its state: its origin, if that is wanted.
    #[inline]
    pub fn after(&self) -> usize {
        self.near.after()
    }

    /// Number of entries in a buffer that was taken out.
    pub fn entries_in(&self, buffer: &Buffer) -> usize {
        self.near.entries_in(buffer)
    }

    /// Appends a state to the layer of its progress value.
    #[inline]
    pub fn append<R: Records>(&mut self, records: R, value: u64, state: &[u64], origin: u64) {
        self.near.append(records, value, state, origin);
    }

    /// Whether no entry waits.
    pub fn is_empty(&self) -> bool {
        self.waiting() == 0
    }

    /// Number of entries that wait, in memory or on disk, duplicates included.
    pub fn waiting(&self) -> u64 {
        self.near.len() as u64 + self.far.as_ref().map_or(0, FarLayers::entries)
    }

    /// Number of entries in memory, duplicates included.
    pub fn held(&self) -> u64 {
        self.near.len() as u64 + self.far.as_ref().map_or(0, FarLayers::in_memory)
    }

    /// Number of layers in memory.
    pub fn layers(&self) -> usize {
        self.near.layers()
    }

    /// Number of layers that have spilled so far.
    pub fn spilled(&self) -> u64 {
        self.far.as_ref().map_or(0, FarLayers::spilled)
    }

    /// Number of entries of the layer of this value that are in memory, duplicates included.
    pub fn entries_of(&self, value: u64) -> usize {
        self.near.entries_of(value)
    }

    /// Progress values of layers in memory that are less than `value`, in order.
    pub fn values_below(&self, value: u64) -> Vec<u64> {
        self.near.values().take_while(|one| *one < value).collect()
    }

    /// The progress values of the layers in memory, in order, with their numbers of entries.
    pub fn sizes(&self) -> Vec<(u64, usize)> {
        self.near.values().map(|value| (value, self.near.entries_of(value))).collect()
    }

    /// Whether all layers are in memory, and their values numbers.
    pub fn can_merge(&self) -> bool {
        self.far.is_none() && self.vectors.is_none()
    }

    /// Drops the lowest bits of all progress values. Only if [possible](Self::can_merge).
    pub fn merge(&mut self, bits: u32) {
        self.near.merge(bits);
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.near_bytes()
            + self.far.as_ref().map_or(0, FarLayers::bytes)
            + self.vectors.as_ref().map_or(0, WaitingVectors::bytes)
    }

    /// Bytes of memory that [`spill`](Self::spill) can free.
    pub fn near_bytes(&self) -> usize {
        self.near.bytes()
    }

    /// A sweep begins, and has roots of these progress values.
    pub fn begin_sweep(&mut self, roots: impl Iterator<Item = u64>) {
        if let Some(vectors) = &mut self.vectors {
            roots.for_each(|vector| vectors.add(vector));
        }
    }

    /// A sweep ends.
    pub fn end_sweep(&mut self) {
        debug_assert!(self.is_empty(), "nothing waits at the end of a sweep");
        if let Some(far) = &mut self.far {
            far.restart();
        }
        if let Some(vectors) = &mut self.vectors {
            vectors.end_sweep();
        }
    }

    /// The progress value of the next layer: the least one, or a minimal vector. Roots wait, too:
    /// `first_root` is the least value of one, and `roots` gives the number of those of a value.
    pub fn next_value(
        &mut self,
        first_root: Option<u64>,
        roots: impl Fn(u64) -> usize,
    ) -> io::Result<Option<u64>> {
        let Some(vectors) = &mut self.vectors else {
            let far = self.far.as_mut().map_or(Ok(None), FarLayers::first)?;
            return Ok([self.near.first(), far, first_root].into_iter().flatten().min());
        };
        for vector in self.near.take_new_layers() {
            // A vector with roots waits already.
            if roots(vector) == 0 {
                vectors.add(vector);
            }
        }
        Ok(vectors.take(|vector| self.near.entries_of(vector) + roots(vector)))
    }

    /// Takes out the entries of this value that are in memory.
    pub fn take(&mut self, value: u64) -> Option<Buffer> {
        self.near.take(value)
    }

    /// Takes back the memory of a chunk of a buffer that was taken out.
    pub fn recycle(&mut self, chunk: Vec<u64>) {
        self.near.recycle(chunk);
    }

    /// Gives back memory that is kept for chunks to come, and for removing duplicates.
    pub fn forget_spare(&mut self) {
        self.near.forget_spare();
    }

    /// The tier with its far half, if it has one: `self` is empty until
    /// [`put_back`](Self::put_back).
    pub fn lend_far(&mut self) -> Option<Self> {
        self.far.as_ref()?;
        let empty = Self { most: self.most, ..Self::new(self.shape, self.origins, Comparison::Total) };
        Some(std::mem::replace(self, empty))
    }

    /// Ends [`lend_far`](Self::lend_far).
    pub fn put_back(&mut self, lent: Self) {
        debug_assert!(self.is_empty(), "a layer that is entered adds no entries ahead");
        *self = lent;
    }

    /// Takes out the entries of this value that are on disk; `each` gets some at a time. Entries of
    /// the next layers that come along stay in memory, as long as there are few, and they do not take
    /// so much that they would spill again.
    pub fn take_far(&mut self, value: u64, each: impl FnMut(&[u64]) -> io::Result<()>) -> io::Result<()> {
        let bytes = self.room.as_ref().map_or(usize::MAX, |room| room.budget.for_early());
        let room = EarlyRoom { entries: self.most.min(EARLY) / 2, bytes };
        self.far.as_mut().map_or(Ok(()), |far| far.take(value, &mut self.near, room, each))
    }

    /// Whether more entries are in memory than should be.
    #[inline(always)]
    pub fn has_too_many(&self) -> bool {
        self.near.len() > self.most
    }

    /// Moves the farther half of the entries to disk, but none of a value that is not greater than
    /// `head`. From then on, values must not fall inside a sweep: the queue needs that.
    #[cold]
    pub fn spill(&mut self, head: Option<u64>) -> io::Result<()> {
        let Some(room) = &self.room else { return Ok(()) };
        let far = match &mut self.far {
            Some(far) => far,
            none => none.insert(room.far(self.shape, self.origins)?),
        };
        let kept = self.near.len() / 2;
        far.take_over(&mut self.near, kept, head)
    }

    /// Number of entries that [`compact`](Self::compact) would look at.
    pub fn uncompacted(&self) -> usize {
        self.near.uncompacted()
    }

    /// Removes duplicates, and what is known from elsewhere, from layers in memory.
    ///
    /// # Errors
    /// If there is no room for a set of one layer's states. The rest then stays as it is.
    pub fn compact(&mut self, is_known: impl Fn(u64, &[u64]) -> bool) -> Result<(), LayerFull> {
        self.near.compact(is_known)
    }

    /// Removes duplicates if there are many entries, and says whether it tried. What is removed
    /// here need not be looked up later. Where few are found, the next time is far away.
    pub fn compact_if_grown(&mut self, is_known: impl Fn(u64, &[u64]) -> bool) -> bool {
        let before = self.near.len();
        if before < self.compacted_next {
            return false;
        }
        // Without room for a set, all entries stay.
        let _ = self.near.compact(is_known);
        let left = self.near.len();
        let factor = match left as f64 / before as f64 {
            ..0.5 => 2,
            ..0.8 => 3,
            _ => 8,
        };
        self.compacted_next = (left * factor).max(COMPACTED_FROM);
        true
    }

    /// Removes from the layer of this value the states that are `known`. Returns how many are left.
    pub fn remove_known(&mut self, value: u64, known: &LayerCopy) -> usize {
        self.near.remove_known(value, known)
    }

    /// Gives all states another layout of `width` words. States on disk that cannot be read are
    /// lost: after an error of the disk the search cannot continue.
    pub fn repack(
        &mut self,
        width: usize,
        mut translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> io::Result<()> {
        self.shape = RecordShape::Fixed(width);
        self.near.repack(width, &mut translate);
        self.far.as_mut().map_or(Ok(()), |far| far.repack(width, translate))
    }

    /// Saves the tier.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&(self.compacted_next, self.far.is_some()))?;
        self.near.save(to)?;
        self.far.as_ref().map_or(Ok(()), |far| far.save(to))
    }

    /// Loads what was saved, in place of what is here. `roots` are the values of this sweep's
    /// roots.
    pub fn load(&mut self, from: &mut Loader, roots: impl Iterator<Item = u64>) -> io::Result<()> {
        let has_far: bool;
        (self.compacted_next, has_far) = from.get()?;
        self.near = FutureLayers::new(self.shape, self.origins);
        self.near.load(from)?;
        if let Some(room) = self.room.as_ref().filter(|_| has_far) {
            let mut far = room.far(self.shape, self.origins)?;
            far.load(from)?;
            self.far = Some(far);
        }
        if let Some(vectors) = &mut self.vectors {
            let new: BTreeSet<u64> = self.near.take_new_layers().into_iter().collect();
            let waiting = self.near.values().filter(|value| !new.contains(value));
            let waiting: BTreeSet<u64> = waiting.chain(roots).collect();
            waiting.into_iter().for_each(|vector| vectors.add(vector));
            self.near.set_new_layers(new);
        }
        Ok(())
    }
}
