//! The layers ahead: one append-only buffer for each progress value.
//!
//! A forward successor is appended without a look-up; most duplicates fall out when the buffer becomes the current
//! layer. That is what makes a sweep fast: the only index that is probed at random is that of the current layer, which is small. A table for each future
//! layer was tried, and was slower.
//!
//! Three things keep the buffers short all the same. The [cache](crate::store::recent_states) in front of the store catches most duplicates, which come a
//! few steps apart. A large buffer removes its duplicates when it has tripled, as long as that finds many: where
//! few are found, the next time is far away. And all buffers can be [compacted](FutureLayers::compact): when memory is short, and,
//! while that is cheap, to count what is held as the papers do, as a set.
//!
//! Buffers are chunks of equal size, but for the last one, which grows by doubling. So nothing large is ever copied, a layer gives its chunks back while it is being
//! loaded, and thousands of layers with a handful of states each cost no more than their states.

use std::collections::BTreeMap;
use std::io;

use crate::store::layer::{Inserted, Layer, LayerCopy, LayerFull, Width, with_width};
use crate::store::saved::{Loader, Saver};

/// Words of a whole chunk.
const CHUNK: usize = 4096;
/// Words of the smallest one.
const SMALLEST_CHUNK: usize = 16;
/// Layers that were appended to lately, found without a search tree.
const NEAR: usize = 128;
/// Entries from which on a buffer removes its duplicates by itself.
const COMPACTED_FROM: usize = 1 << 20;
/// Bytes of a set that is kept for the next time.
const KEPT_SET: usize = 1 << 20;
/// Entries that are looked up together when duplicates are removed.
const TOGETHER: usize = 256;
/// Estimated bytes around the words of a buffer: its entry here and in the tree.
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
    width: usize,
    /// Words of an entry: a state, and, if wanted, where it comes from.
    stride: usize,
    layers: BTreeMap<u64, u32>,
    /// Values of layers that are new since somebody asked, if anybody does.
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
    /// Entries that are known to differ, at the beginning.
    clean: usize,
    /// Entries at which it is compacted next.
    full_at: Option<usize>,
}

impl Buffer {
    /// The chunks, each a row of whole entries, in the order in which they came.
    pub fn into_chunks(self) -> impl Iterator<Item = Vec<u64>> {
        self.full.into_iter().chain([self.last])
    }

    /// Words of all entries.
    pub fn words(&self) -> usize {
        self.full.iter().map(Vec::len).sum::<usize>() + self.last.len()
    }
}

impl FutureLayers {
    /// No layers. With origins, each entry carries a word that says where the state comes from.
    pub fn new(width: usize, origins: bool) -> Self {
        Self {
            width,
            stride: width + usize::from(origins),
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

    /// From now on, new layers are listed for [`take_new_layers`](Self::take_new_layers).
    pub fn list_new_layers(&mut self) {
        self.new_layers.get_or_insert_default();
    }

    /// The values of the layers that are new since the last time.
    pub fn take_new_layers(&mut self) -> Vec<u64> {
        self.new_layers.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// These are new.
    pub fn set_new_layers(&mut self, values: impl IntoIterator<Item = u64>) {
        self.new_layers = Some(values.into_iter().collect());
    }

    /// Words of an entry.
    #[inline]
    pub fn stride(&self) -> usize {
        self.stride
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
        self.layers.get(&value).map_or(0, |number| self.buffers[*number as usize].words() / self.stride)
    }

    /// Appends a state to the layer of its progress value.
    #[inline]
    pub fn append<W: Width>(&mut self, width: W, value: u64, state: &[u64], origin: u64) {
        let near = self.near[near_place(value)];
        let is_near = near.0 == value && near.1 != NOT_NEAR.1;
        let number = if is_near { near.1 } else { self.find_layer(value) } as usize;
        if self.buffers[number].last.capacity() - self.buffers[number].last.len() < self.stride {
            self.make_room(number);
        }
        let last = &mut self.buffers[number].last;
        last.extend_from_slice(&state[..width.get()]);
        if self.stride > width.get() {
            last.push(origin);
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

    /// Room for one more entry at the end of a buffer.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, number: usize) {
        let chunk = CHUNK.max(self.stride) / self.stride * self.stride;
        let last = &mut self.buffers[number].last;
        let before = last.capacity();
        if before < chunk {
            // Doubled, but never beyond a chunk: those are alike, and used again.
            let wanted = (before * 2).max(SMALLEST_CHUNK).max(self.stride).min(chunk);
            match self.spare.pop_if(|_| wanted == chunk) {
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
        let entries = self.buffers[number].words() / self.stride;
        if entries >= self.buffers[number].full_at.unwrap_or(COMPACTED_FROM) {
            // Without room for the set it goes on as it is.
            let kept = self.compact_one(number, |_| false).map_or(entries, |()| self.buffers[number].clean);
            let factor = if kept * 2 <= entries { 3 } else { 8 };
            self.buffers[number].full_at = Some((kept * factor).max(COMPACTED_FROM));
            return self.make_room(number);
        }
        let last = &mut self.buffers[number].last;
        let fresh = self.spare.pop().unwrap_or_else(|| {
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

    /// What was saved, in these layers, which are none.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let layers: usize = from.get()?;
        for _ in 0..layers {
            let (value, clean, full_at, chunks): (u64, usize, Option<usize>, usize) = from.get()?;
            let number = self.find_layer(value) as usize;
            // It is not to be compacted on the way.
            self.buffers[number].full_at = Some(usize::MAX);
            for _ in 0..chunks {
                let words = from.get_words()?;
                words.chunks_exact(self.stride).for_each(|entry| self.put_back(number, entry));
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

    /// Takes the layer of this value out.
    pub fn take(&mut self, value: u64) -> Option<Buffer> {
        let number = self.layers.remove(&value)?;
        self.near[near_place(value)] = NOT_NEAR;
        self.unused.push(number);
        let buffer = std::mem::take(&mut self.buffers[number as usize]);
        self.entries -= buffer.words() / self.stride;
        Some(buffer)
    }

    /// The values of the layers that lie beyond the first `entries` entries.
    pub fn layers_beyond(&self, entries: usize) -> Vec<u64> {
        let mut before = 0;
        let mut is_near = |number: u32| {
            before += self.buffers[number as usize].words() / self.stride;
            before <= entries
        };
        self.layers.iter().skip_while(|(_, number)| is_near(**number)).map(|(value, _)| *value).collect()
    }

    /// Gives back the memory that is kept for other chunks.
    pub fn forget_spare(&mut self) {
        self.chunk_words -= self.spare.iter().map(Vec::capacity).sum::<usize>();
        self.spare = Vec::new();
    }

    /// Takes back the memory of a chunk of a layer that was taken out.
    pub fn recycle(&mut self, mut chunk: Vec<u64>) {
        if chunk.capacity() == CHUNK.max(self.stride) / self.stride * self.stride {
            chunk.clear();
            self.spare.push(chunk);
        } else {
            self.chunk_words -= chunk.capacity();
        }
    }

    /// Number of entries that [`compact`](Self::compact) would look at.
    pub fn uncompacted(&self) -> usize {
        let dirty = |buffer: &Buffer| {
            let entries = buffer.words() / self.stride;
            if entries > buffer.clean { entries } else { 0 }
        };
        self.layers.values().map(|number| dirty(&self.buffers[*number as usize])).sum()
    }

    /// Removes duplicates, and what is known from elsewhere, from layers that were appended to.
    ///
    /// # Errors
    /// If there is no room for a set of one layer's states; then the rest stays as it is.
    pub fn compact(&mut self, is_known: impl Fn(u64, &[u64]) -> bool) -> Result<(), LayerFull> {
        for (value, number) in self.layers.iter().map(|(value, number)| (*value, *number)).collect::<Vec<_>>()
        {
            self.compact_one(number as usize, |state| is_known(value, state))?;
        }
        Ok(())
    }

    /// Removes from the layer of this value what is known, and tells how many entries are left.
    pub fn remove_known(&mut self, value: u64, known: &LayerCopy) -> usize {
        let Some(number) = self.layers.get(&value).map(|number| *number as usize) else { return 0 };
        let buffer = std::mem::take(&mut self.buffers[number]);
        self.entries -= buffer.words() / self.stride;
        for chunk in buffer.into_chunks() {
            known.look_up(self.stride, &chunk, |entry, is_known| {
                if !is_known {
                    self.put_back(number, entry);
                }
            });
            self.recycle(chunk);
        }
        let left = self.buffers[number].words() / self.stride;
        if left == 0 {
            self.take(value).into_iter().flat_map(Buffer::into_chunks).for_each(|chunk| self.recycle(chunk));
        }
        left
    }

    fn compact_one(&mut self, number: usize, is_known: impl Fn(&[u64]) -> bool) -> Result<(), LayerFull> {
        let entries = self.buffers[number].words() / self.stride;
        if entries == self.buffers[number].clean {
            return Ok(());
        }
        let mut set = match self.set.take() {
            Some(set) => set,
            None => Layer::new(self.width, usize::MAX)?,
        };
        set.restart(entries / 2)?;
        let buffer = std::mem::take(&mut self.buffers[number]);
        self.buffers[number].full_at = Some(usize::MAX);
        self.entries -= entries;
        let mut full = None;
        with_width!(self.width, width => for chunk in buffer.into_chunks() {
            for entries in chunk.chunks(TOGETHER * self.stride) {
                let (stride, words) = (self.stride, self.width);
                let mut entries = entries.chunks_exact(stride).filter(|entry| !is_known(&entry[..words]));
                let words: Vec<u64> = entries.clone().flat_map(|entry| &entry[..words]).copied().collect();
                if full.is_none() {
                    let inserted = set.insert_batch(width, &words, |inserted| {
                        let entry = entries.next().expect("each state belongs to an entry");
                        if let Inserted::New(_) = inserted {
                            self.put_back(number, entry);
                        }
                    });
                    full = inserted.err();
                }
                // Nothing is lost for want of room: what was not looked at is kept.
                entries.for_each(|entry| self.put_back(number, entry));
            }
            self.recycle(chunk);
        });
        self.buffers[number].full_at = None;
        if let Some(error) = full {
            return Err(error);
        }
        self.buffers[number].clean = set.len();
        // A large one would count against the memory that it is there to save.
        self.set = (set.bytes() <= KEPT_SET).then_some(set);
        Ok(())
    }

    fn put_back(&mut self, number: usize, entry: &[u64]) {
        let last = &self.buffers[number].last;
        if last.capacity() - last.len() < entry.len() {
            self.make_room(number);
        }
        self.buffers[number].last.extend_from_slice(entry);
        self.entries += 1;
    }

    /// Gives all states another layout of `width` words.
    pub fn repack(&mut self, width: usize, mut translate: impl FnMut(&[u64], &mut Vec<u64>)) {
        let mut new = Self::new(width, self.stride > self.width);
        let mut packed = Vec::with_capacity(new.stride);
        let values: Vec<u64> = self.layers.keys().copied().collect();
        for value in values {
            let number = new.find_layer(value) as usize;
            let Some(buffer) = self.take(value) else { continue };
            for chunk in buffer.into_chunks() {
                for entry in chunk.chunks_exact(self.stride) {
                    translate(&entry[..self.width], &mut packed);
                    packed.truncate(width);
                    packed.extend_from_slice(&entry[self.width..]);
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
    use crate::store::layer::Dynamic;

    type Sets = BTreeMap<u64, BTreeSet<Vec<u64>>>;

    fn drain(future: &mut FutureLayers, width: usize) -> (Sets, usize) {
        let (mut sets, mut entries) = (Sets::new(), 0);
        while let Some(value) = future.first() {
            for chunk in future.take(value).unwrap().into_chunks() {
                for entry in chunk.chunks_exact(future.stride()) {
                    sets.entry(value).or_default().insert(entry[..width].to_vec());
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

        /// Whatever was appended comes back in its layer; compacted, it comes once; another layout changes no set.
        #[test]
        fn what_is_appended_comes_back(
            picks in prop::collection::vec(0..5_000u64, 0..6_000), width in 1..4usize, origins: bool,
        ) {
            let state = |pick: u64| (0..width as u64).map(|word| pick / 7 * (word + 1)).collect::<Vec<u64>>();
            let value = |pick: u64| pick / 7 % 40 * 1_000_003;
            let (mut plain, mut compacted) = (FutureLayers::new(width, origins), FutureLayers::new(width, origins));
            let mut expected = Sets::new();
            for (i, &pick) in picks.iter().enumerate() {
                expected.entry(value(pick)).or_default().insert(state(pick));
                for future in [&mut plain, &mut compacted] {
                    future.append(Dynamic(width), value(pick), &state(pick), i as u64);
                }
                if i % 1_500 == 1_499 {
                    compacted.compact(|_, _| false).unwrap();
                }
            }
            compacted.compact(|_, _| false).unwrap();
            prop_assert_eq!(compacted.uncompacted(), 0);
            prop_assert_eq!(compacted.len(), expected.values().map(BTreeSet::len).sum::<usize>());
            plain.repack(width + 1, |old, new| {
                new.clear();
                new.extend_from_slice(old);
                new.push(9);
            });
            prop_assert!(drain(&mut plain, width).0 == expected);
            let (sets, entries) = drain(&mut compacted, width);
            prop_assert_eq!(entries, sets.values().map(BTreeSet::len).sum::<usize>());
            prop_assert!(sets == expected);
        }
    }

    /// The same few states again and again, too far apart for a cache: what is held stays small, and nothing is lost.
    #[test]
    fn a_buffer_full_of_duplicates_removes_them_by_itself() {
        let mut future = FutureLayers::new(1, true);
        for round in 0..20 {
            for state in 0..400_000 {
                future.append(Dynamic(1), 7, &[state], round);
                assert!(future.len() <= 3 * 400_000 + CHUNK);
            }
        }
        let (sets, entries) = drain(&mut future, 1);
        assert_eq!(sets[&7].len(), 400_000);
        assert!(entries <= 3 * 400_000 + CHUNK, "{entries}");
    }

    /// Layer after layer, the memory of those before is used again.
    #[test]
    fn chunks_are_used_again() {
        let mut future = FutureLayers::new(1, true);
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
