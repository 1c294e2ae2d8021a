//! Future layers: one append-only buffer for each progress value.
//!
//! A forward successor is appended without a look-up; most duplicates are dropped when the buffer
//! becomes the current layer. That makes a sweep fast: the only index that is probed at random is
//! that of the current layer, which is small. A table for each future layer was tried, and was
//! slower.
//!
//! Three things keep the buffers short nevertheless. The [cache](crate::store::recent_states) in
//! front of the store catches most duplicates, which come a few steps apart. A large buffer removes
//! its duplicates when it has tripled, as long as that finds many; where it finds few, the next
//! time is far away. And all buffers can be [compacted](FutureLayers::compact): when memory is
//! short, and, while that is cheap, to count held states as the papers do, as a set.
//!
//! A buffer consists of chunks of equal size, except the last one, which grows by doubling. So
//! nothing large is ever copied, a layer gives its chunks back while it is loaded, and thousands of
//! layers with a handful of states each cost no more than their states. A state that is longer than
//! a chunk gets a chunk of its own.

use std::collections::BTreeMap;
use std::io;

use crate::store::layer::{Inserted, Layer, LayerCopy, LayerFull};
use crate::store::records::{RecordShape, Records, with_records};
use crate::store::saved::{Loader, Saver};

/// Words of a whole chunk.
const CHUNK: usize = 4096;
/// Words of the smallest chunk.
const SMALLEST_CHUNK: usize = 16;
/// Recently used layers that are found without the search tree.
const NEAR: usize = 128;
/// Number of entries from which on a buffer removes its duplicates by itself.
const COMPACTED_FROM: usize = 1 << 20;
/// Most bytes of a set that is kept for the next time.
const KEPT_SET: usize = 1 << 20;
/// Entries that are looked up together when duplicates are removed.
const TOGETHER: usize = 256;
/// Estimated bytes of a buffer beside its words: its entries in the vector and in the tree.
const BUFFER_BYTES: usize = 96;

/// No layer has this number.
const NOT_NEAR: (u64, u32) = (0, u32::MAX);

#[inline(always)]
fn near_place(value: u64) -> usize {
    (value.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - NEAR.ilog2())) as usize
}

/// States that wait, by progress value.
#[derive(Debug)]
pub struct FutureLayers {
    shape: RecordShape,
    /// Words of an entry behind its state: its origin, if that is wanted.
    after: usize,
    layers: BTreeMap<u64, u32>,
    /// Values of layers that are new since [`take_new_layers`](Self::take_new_layers), if they are
    /// listed.
    new_layers: Option<Vec<u64>>,
    buffers: Vec<Buffer>,
    unused: Vec<u32>,
    near: [(u64, u32); NEAR],
    entries: usize,
    chunk_words: usize,
    spare: Vec<Vec<u64>>,
    /// The set that finds duplicates, once it was needed.
    set: Option<Layer>,
}

/// Entries of one layer.
#[derive(Debug, Default)]
pub struct Buffer {
    full: Vec<Vec<u64>>,
    last: Vec<u64>,
    /// Number of entries, if they vary in length. Otherwise it follows from the number of words.
    varying: usize,
    /// Number of entries at the beginning that are known to differ.
    clean: usize,
    /// Number of entries at which the buffer is compacted next.
    full_at: Option<usize>,
}

impl Buffer {
    /// The chunks, each a row of whole entries, in the order in which they were appended.
    pub fn into_chunks(self) -> impl Iterator<Item = Vec<u64>> {
        self.full.into_iter().chain([self.last])
    }

    /// Words of all entries.
    fn words(&self) -> usize {
        self.full.iter().map(Vec::len).sum::<usize>() + self.last.len()
    }
}

impl FutureLayers {
    /// No layers. With origins, each entry carries the origin of its state.
    pub fn new(shape: RecordShape, origins: bool) -> Self {
        Self {
            shape,
            after: usize::from(origins),
            layers: BTreeMap::new(),
            new_layers: None,
            buffers: Vec::new(),
            unused: Vec::new(),
            near: [NOT_NEAR; NEAR],
            entries: 0,
            chunk_words: 0,
            spare: Vec::new(),
            set: None,
        }
    }

    /// Lists new layers from now on, for [`take_new_layers`](Self::take_new_layers).
    pub fn list_new_layers(&mut self) {
        self.new_layers.get_or_insert_default();
    }

    /// The values of the layers that are new since the last call.
    pub fn take_new_layers(&mut self) -> Vec<u64> {
        self.new_layers.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Sets the list of new layers.
    pub fn set_new_layers(&mut self, values: impl IntoIterator<Item = u64>) {
        self.new_layers = Some(values.into_iter().collect());
    }

    /// Words of an entry behind its state.
    #[inline]
    pub fn after(&self) -> usize {
        self.after
    }

    /// Number of entries in a buffer.
    pub fn entries_in(&self, buffer: &Buffer) -> usize {
        match self.shape {
            RecordShape::Fixed(width) => buffer.words() / (width + self.after),
            RecordShape::Prefixed => buffer.varying,
        }
    }

    /// Number of entries in all layers, duplicates included.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.chunk_words * 8 + self.buffers.len() * BUFFER_BYTES + self.set.as_ref().map_or(0, Layer::bytes)
    }

    /// The least progress value of a layer.
    pub fn first(&self) -> Option<u64> {
        self.layers.first_key_value().map(|(value, _)| *value)
    }

    /// Number of entries in the layer of this value, duplicates included.
    pub fn entries_of(&self, value: u64) -> usize {
        self.layers.get(&value).map_or(0, |number| self.entries_in(&self.buffers[*number as usize]))
    }

    /// Appends a state to the layer of its progress value.
    #[inline]
    pub fn append<R: Records>(&mut self, records: R, value: u64, state: &[u64], origin: u64) {
        let near = self.near[near_place(value)];
        let is_near = near.0 == value && near.1 != NOT_NEAR.1;
        let number = if is_near { near.1 } else { self.find_layer(value) } as usize;
        let needed = records.len_of(state) + self.after;
        if self.buffers[number].last.capacity() - self.buffers[number].last.len() < needed {
            self.make_room(number, needed);
        }
        let buffer = &mut self.buffers[number];
        buffer.last.extend_from_slice(records.first(state));
        if self.after > 0 {
            buffer.last.push(origin);
        }
        if R::VARYING {
            buffer.varying += 1;
        }
        self.entries += 1;
    }

    #[cold]
    #[inline(never)]
    fn find_layer(&mut self, value: u64) -> u32 {
        let number = *self.layers.entry(value).or_insert_with(|| {
            if let Some(new) = &mut self.new_layers {
                new.push(value);
            }
            self.unused.pop().unwrap_or_else(|| {
                self.buffers.push(Buffer::default());
                self.buffers.len() as u32 - 1
            })
        });
        self.near[near_place(value)] = (value, number);
        number
    }

    /// Words of a whole chunk.
    fn chunk(&self) -> usize {
        match self.shape {
            RecordShape::Fixed(width) => {
                let stride = width + self.after;
                CHUNK.max(stride) / stride * stride
            }
            RecordShape::Prefixed => CHUNK,
        }
    }

    /// Makes room for one more entry, of `needed` words, at the end of a buffer.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, number: usize, needed: usize) {
        let whole = self.chunk();
        // An entry that is longer than a chunk has one of its own.
        let chunk = whole.max(needed);
        let last = &mut self.buffers[number].last;
        let before = last.capacity();
        if last.len() + needed <= chunk {
            // Doubled, but never beyond a whole chunk: those have one size, and are used again.
            let wanted = (before * 2).max(SMALLEST_CHUNK).max(last.len() + needed).min(chunk);
            match self.spare.pop_if(|_| wanted == whole) {
                Some(mut whole) => {
                    whole.extend_from_slice(last);
                    *last = whole;
                    self.chunk_words -= before;
                }
                None => {
                    last.reserve_exact(wanted - last.len());
                    self.chunk_words += last.capacity() - before;
                }
            }
            return;
        }
        let entries = self.entries_in(&self.buffers[number]);
        if entries >= self.buffers[number].full_at.unwrap_or(COMPACTED_FROM) {
            // Without room for the set the buffer stays as it is.
            let kept = self.compact_one(number, |_| false).map_or(entries, |()| self.buffers[number].clean);
            let factor = if kept * 2 <= entries { 3 } else { 8 };
            self.buffers[number].full_at = Some((kept * factor).max(COMPACTED_FROM));
            return self.make_room(number, needed);
        }
        let last = &mut self.buffers[number].last;
        let fresh = self.spare.pop_if(|_| chunk == whole).unwrap_or_else(|| {
            self.chunk_words += chunk;
            Vec::with_capacity(chunk)
        });
        let full = std::mem::replace(last, fresh);
        self.buffers[number].full.push(full);
    }

    /// Saves all layers.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&self.layers.len())?;
        for (value, number) in &self.layers {
            let buffer = &self.buffers[*number as usize];
            to.put(&(*value, buffer.clean, buffer.full_at, buffer.full.len() + 1))?;
            buffer.full.iter().chain([&buffer.last]).try_for_each(|chunk| to.put_words(chunk))?;
        }
        to.put(&self.new_layers)
    }

    /// Loads saved layers. There are none yet.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let layers: usize = from.get()?;
        for _ in 0..layers {
            let (value, clean, full_at, chunks): (u64, usize, Option<usize>, usize) = from.get()?;
            let number = self.find_layer(value) as usize;
            // The buffer is not compacted while it is loaded.
            self.buffers[number].full_at = Some(usize::MAX);
            for _ in 0..chunks {
                let words = from.get_words()?;
                self.shape.entries(&words, self.after).for_each(|entry| self.put_back(number, entry));
            }
            (self.buffers[number].clean, self.buffers[number].full_at) = (clean, full_at);
        }
        self.new_layers = from.get()?;
        Ok(())
    }

    /// The values of all layers.
    pub fn values(&self) -> impl Iterator<Item = u64> {
        self.layers.keys().copied()
    }

    /// Takes out the layer of this value.
    pub fn take(&mut self, value: u64) -> Option<Buffer> {
        let number = self.layers.remove(&value)?;
        self.near[near_place(value)] = NOT_NEAR;
        self.unused.push(number);
        let buffer = std::mem::take(&mut self.buffers[number as usize]);
        self.entries -= self.entries_in(&buffer);
        Some(buffer)
    }

    /// Drops the lowest bits of all progress values: layers whose values agree in the others become
    /// one.
    pub fn merge(&mut self, bits: u32) {
        let mut merged = Self::new(self.shape, self.after > 0);
        let values: Vec<u64> = self.values().collect();
        for value in values {
            for chunk in self.take(value).into_iter().flat_map(Buffer::into_chunks) {
                with_records!(self.shape, records => for entry in records.entries(&chunk, self.after) {
                    let origin = entry.get(records.len_of(entry)).copied().unwrap_or(0);
                    merged.append(records, value >> bits, records.first(entry), origin);
                });
            }
        }
        *self = merged;
    }

    /// The values of the layers beyond the first `entries` entries.
    pub fn layers_beyond(&self, entries: usize) -> Vec<u64> {
        let mut before = 0;
        let mut is_near = |number: u32| {
            before += self.entries_in(&self.buffers[number as usize]);
            before <= entries
        };
        self.layers.iter().skip_while(|(_, number)| is_near(**number)).map(|(value, _)| *value).collect()
    }

    /// Frees the memory that is kept for new chunks, and for the next set that finds duplicates.
    pub fn forget_spare(&mut self) {
        self.set = None;
        self.chunk_words -= self.spare.iter().map(Vec::capacity).sum::<usize>();
        self.spare = Vec::new();
    }

    /// Takes back the memory of a chunk of a layer that was taken out.
    pub fn recycle(&mut self, mut chunk: Vec<u64>) {
        if chunk.capacity() == self.chunk() {
            chunk.clear();
            self.spare.push(chunk);
        } else {
            self.chunk_words -= chunk.capacity();
        }
    }

    /// Number of entries that [`compact`](Self::compact) would look at.
    pub fn uncompacted(&self) -> usize {
        let dirty = |buffer: &Buffer| {
            let entries = self.entries_in(buffer);
            if entries > buffer.clean { entries } else { 0 }
        };
        self.layers.values().map(|number| dirty(&self.buffers[*number as usize])).sum()
    }

    /// Removes duplicates, and states that `is_known`, from layers that were appended to.
    ///
    /// # Errors
    /// If there is no room for a set of the states of one layer. The rest then stays as it is.
    pub fn compact(&mut self, is_known: impl Fn(u64, &[u64]) -> bool) -> Result<(), LayerFull> {
        for (value, number) in self.layers.iter().map(|(value, number)| (*value, *number)).collect::<Vec<_>>()
        {
            self.compact_one(number as usize, |state| is_known(value, state))?;
        }
        Ok(())
    }

    /// Removes known states from the layer of this value. Returns the number of entries that are
    /// left.
    pub fn remove_known(&mut self, value: u64, known: &LayerCopy) -> usize {
        let Some(number) = self.layers.get(&value).map(|number| *number as usize) else { return 0 };
        let buffer = std::mem::take(&mut self.buffers[number]);
        self.entries -= self.entries_in(&buffer);
        for chunk in buffer.into_chunks() {
            known.look_up(self.after, &chunk, |entry, is_known| {
                if !is_known {
                    self.put_back(number, entry);
                }
            });
            self.recycle(chunk);
        }
        let left = self.entries_in(&self.buffers[number]);
        if left == 0 {
            self.take(value).into_iter().flat_map(Buffer::into_chunks).for_each(|chunk| self.recycle(chunk));
        }
        left
    }

    fn compact_one(&mut self, number: usize, is_known: impl Fn(&[u64]) -> bool) -> Result<(), LayerFull> {
        let entries = self.entries_in(&self.buffers[number]);
        if entries == self.buffers[number].clean {
            return Ok(());
        }
        let mut set = match self.set.take() {
            Some(set) => set,
            None => Layer::new(self.shape, usize::MAX)?,
        };
        set.restart(entries / 2)?;
        let buffer = std::mem::take(&mut self.buffers[number]);
        self.buffers[number].full_at = Some(usize::MAX);
        self.entries -= entries;
        let mut full = None;
        let mut states = Vec::new();
        with_records!(self.shape, records => for chunk in buffer.into_chunks() {
            for entries in records.entry_parts(&chunk, self.after, TOGETHER) {
                let entries = records.entries(entries, self.after);
                let mut entries = entries.filter(|entry| !is_known(records.first(entry)));
                states.clear();
                entries.clone().for_each(|entry| states.extend_from_slice(records.first(entry)));
                if full.is_none() {
                    let inserted = set.insert_batch(records, &states, |inserted| {
                        let entry = entries.next().expect("each state belongs to an entry");
                        if let Inserted::New(_) = inserted {
                            self.put_back(number, entry);
                        }
                    });
                    full = inserted.err();
                }
                // Entries that were not looked up for want of room are kept.
                entries.for_each(|entry| self.put_back(number, entry));
            }
            self.recycle(chunk);
        });
        self.buffers[number].full_at = None;
        if let Some(error) = full {
            return Err(error);
        }
        self.buffers[number].clean = set.len();
        // A large set would count against the memory that it is there to save.
        self.set = (set.bytes() <= KEPT_SET).then_some(set);
        Ok(())
    }

    fn put_back(&mut self, number: usize, entry: &[u64]) {
        let last = &self.buffers[number].last;
        if last.capacity() - last.len() < entry.len() {
            self.make_room(number, entry.len());
        }
        self.buffers[number].last.extend_from_slice(entry);
        self.buffers[number].varying += usize::from(self.shape == RecordShape::Prefixed);
        self.entries += 1;
    }

    /// Gives all states another layout of `width` words.
    pub fn repack(&mut self, width: usize, mut translate: impl FnMut(&[u64], &mut Vec<u64>)) {
        let mut new = Self::new(RecordShape::Fixed(width), self.after > 0);
        let mut packed = Vec::with_capacity(width + self.after);
        let values: Vec<u64> = self.layers.keys().copied().collect();
        for value in values {
            let number = new.find_layer(value) as usize;
            let Some(buffer) = self.take(value) else { continue };
            for chunk in buffer.into_chunks() {
                for entry in self.shape.entries(&chunk, self.after) {
                    let (state, origin) = entry.split_at(entry.len() - self.after);
                    translate(state, &mut packed);
                    packed.truncate(width);
                    packed.extend_from_slice(origin);
                    new.put_back(number, &packed);
                }
            }
        }
        new.new_layers = self.new_layers.take();
        *self = new;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::store::records::Dynamic;

    type Sets = BTreeMap<u64, BTreeSet<Vec<u64>>>;

    fn drain(future: &mut FutureLayers, shape: RecordShape) -> (Sets, usize) {
        let (mut sets, mut entries) = (Sets::new(), 0);
        while let Some(value) = future.first() {
            for chunk in future.take(value).unwrap().into_chunks() {
                for entry in future.shape.entries(&chunk, future.after()) {
                    sets.entry(value).or_default().insert(shape.first(entry).to_vec());
                    entries += 1;
                }
                future.recycle(chunk);
            }
        }
        assert!(future.is_empty());
        (sets, entries)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever is appended comes back in its layer; compacted, it comes back once. Another
        /// layout changes no set.
        #[test]
        fn what_is_appended_comes_back(
            picks in prop::collection::vec(0..5_000u64, 0..6_000), width in 0..4usize, origins: bool,
        ) {
            let shape = if width == 0 { RecordShape::Prefixed } else { RecordShape::Fixed(width) };
            let state = |pick: u64| match shape {
                RecordShape::Fixed(width) => (0..width as u64).map(|word| pick / 7 * (word + 1)).collect::<Vec<u64>>(),
                // Some are longer than a chunk.
                RecordShape::Prefixed => {
                    let len = if pick / 7 % 200 == 199 { 5_000 } else { 1 + pick / 7 % 9 };
                    [(pick / 7) << 16 | len].into_iter().chain(1..len).collect()
                }
            };
            let value = |pick: u64| pick / 7 % 40 * 1_000_003;
            let (mut plain, mut compacted) = (FutureLayers::new(shape, origins), FutureLayers::new(shape, origins));
            let mut expected = Sets::new();
            for (i, &pick) in picks.iter().enumerate() {
                expected.entry(value(pick)).or_default().insert(state(pick));
                for future in [&mut plain, &mut compacted] {
                    with_records!(shape, records => future.append(records, value(pick), &state(pick), i as u64));
                }
                if i % 1_500 == 1_499 {
                    compacted.compact(|_, _| false).unwrap();
                }
            }
            compacted.compact(|_, _| false).unwrap();
            prop_assert_eq!(compacted.uncompacted(), 0);
            prop_assert_eq!(compacted.len(), expected.values().map(BTreeSet::len).sum::<usize>());
            if shape != RecordShape::Prefixed {
                plain.repack(width + 1, |old, new| {
                    new.clear();
                    new.extend_from_slice(old);
                    new.push(9);
                });
            }
            prop_assert_eq!(plain.values().map(|value| plain.entries_of(value)).sum::<usize>(), picks.len());
            prop_assert!(drain(&mut plain, shape).0 == expected);
            let (sets, entries) = drain(&mut compacted, shape);
            prop_assert_eq!(entries, sets.values().map(BTreeSet::len).sum::<usize>());
            prop_assert!(sets == expected);
        }
    }

    /// The same few states again and again, too far apart for a cache: few are held, and none is
    /// lost.
    #[test]
    fn a_buffer_full_of_duplicates_removes_them_by_itself() {
        let mut future = FutureLayers::new(RecordShape::Fixed(1), true);
        for round in 0..20 {
            for state in 0..400_000 {
                future.append(Dynamic(1), 7, &[state], round);
                assert!(future.len() <= 3 * 400_000 + CHUNK);
            }
        }
        let (sets, entries) = drain(&mut future, RecordShape::Fixed(1));
        assert_eq!(sets[&7].len(), 400_000);
        assert!(entries <= 3 * 400_000 + CHUNK, "{entries}");
    }

    /// Layer after layer, memory is used again.
    #[test]
    fn chunks_are_used_again() {
        let mut future = FutureLayers::new(RecordShape::Fixed(1), true);
        let mut most = 0;
        for value in 1..2_000u64 {
            for state in 0..3_000 {
                future.append(Dynamic(1), value, &[value << 32 | state], 0);
            }
            most = if value == 10 { future.bytes() } else { most };
            for chunk in future.take(value).unwrap().into_chunks() {
                future.recycle(chunk);
            }
        }
        assert!(future.bytes() <= most, "{} bytes after many layers, {most} after ten", future.bytes());
    }
}
