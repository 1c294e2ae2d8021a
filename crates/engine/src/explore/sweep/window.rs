//! A window behind the front: layers that are expanded, and not yet forgotten.
//!
//! Models that go round in circles have no measure that never falls, but often one by which the steps that close a circle fall by so much and no more.
//! Such a step leads to a state that this sweep has expanded, if not long ago. As long as the sweep remembers the layers that far back, it knows the
//! state, and the step costs nothing: no persistent state, no sweep of what follows it. Should the state be new, the sweep goes back to it: what is
//! in the window is expanded once, in whatever order.
//!
//! The head is the greatest progress value that this sweep has met, the floor the least that it remembers. Neither ever falls, so a state
//! below the floor is met by no other way than a step that falls out of the window: a regress edge like any other. Values from the floor on may
//! be met again, and then their layer is taken up where it was left.
//!
//! A window takes memory, and nothing is lost but work if it is closed: what waits behind the front becomes persistent then. It is closed when memory is
//! short, and when the sweep goes back so often that copying layers takes more than expanding states again would.

use std::collections::BTreeMap;
use std::io;

use crate::explore::observer::Observer;
use crate::explore::origin::UNKNOWN;
use crate::explore::search::{Search, SearchEnd};
use crate::store::layer::LayerCopy;
use crate::store::records::{RecordShape, Records};
use crate::store::saved::{Loader, Saver};

use super::{Front, Retention, SweepSearch};

/// Layers in a window at the most: each takes some memory of its own.
const MOST_LAYERS: usize = 1 << 14;
/// States that may be copied for each one that is expanded, and beyond that: a layer that is left is copied once, and one that is taken up again twice.
const COPIED: u64 = 4;
const COPIED_AT_LEAST: u64 = 1 << 18;
/// Estimated bytes around a layer that is kept: its entry in the tree.
const LAYER_BYTES: usize = 128;
/// Bytes of a state beside its words, in the index of a layer that has just grown; and bytes of a layer of few states.
const BESIDE: usize = 10;
const LEAST: usize = 64 << 10;

/// The layers that are kept.
#[derive(Debug)]
pub(super) struct Window {
    retention: Retention,
    kept: BTreeMap<u64, KeptLayer>,
    /// States in them that are not persistent.
    states: usize,
    bytes: usize,
    /// The greatest value that this sweep has met.
    head: Option<u64>,
    /// The least value that it remembers.
    floor: u64,
    /// Whether the current layer belongs to this sweep.
    is_current: bool,
    /// Whether each state of a sweep was stored in it once.
    is_exact: bool,
    /// States that were copied, in all sweeps.
    copied: u64,
    /// Steps of the batch that lead into the window.
    announced: Vec<Announced>,
}

/// A step that leads into the window.
#[derive(Debug)]
struct Announced {
    value: u64,
    hash: u64,
    /// The number of the state in its batch, and where it comes from.
    state: (u32, u64),
}

/// A layer that is kept.
#[derive(Debug)]
pub(super) struct KeptLayer {
    pub(super) states: LayerCopy,
    /// How many of them are persistent.
    pub(super) persistent: usize,
    /// Whether states that an earlier sweep expanded are not among them.
    pub(super) looks_up: bool,
}

impl KeptLayer {
    fn bytes(&self) -> usize {
        self.states.bytes() + LAYER_BYTES
    }
}

impl Window {
    /// Empty.
    pub(super) fn new(retention: Retention) -> Self {
        Self {
            retention,
            kept: BTreeMap::new(),
            states: 0,
            bytes: 0,
            head: None,
            floor: 0,
            is_current: false,
            is_exact: true,
            copied: 0,
            announced: Vec::new(),
        }
    }

    /// A step of the batch leads to a state of this value, which the window has or not.
    #[inline]
    pub(super) fn announce<R: Records>(&mut self, records: R, value: u64, target: &[u64], state: (u32, u64)) {
        let hash = self.kept.get(&value).map_or(0, |kept| kept.states.announce(records, target));
        self.announced.push(Announced { value, hash, state });
    }

    /// Gives `each` those of the announced states that the window does not have.
    #[inline]
    pub(super) fn unknown<'s, R: Records>(
        &mut self,
        records: R,
        state: impl Fn(u32) -> &'s [u64],
        mut each: impl FnMut(u64, &[u64], u64),
    ) {
        for Announced { value, hash, state: (number, origin) } in self.announced.drain(..) {
            let (state, kept) = (state(number), self.kept.get(&value));
            if !kept.is_some_and(|kept| kept.states.contains_announced(records, state, hash)) {
                each(value, state, origin);
            }
        }
    }

    /// Whether states behind the front are remembered.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.retention != Retention::Immediate
    }

    /// States that are remembered, but for persistent ones.
    pub(super) fn states(&self) -> usize {
        self.states
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.announced.capacity() * size_of::<Announced>()
    }

    /// The greatest value that this sweep has met.
    pub(super) fn head(&self) -> Option<u64> {
        self.head
    }

    /// Whether each state of a sweep was stored in it once.
    pub(super) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The layer of this value, if it is kept.
    pub(super) fn get(&self, value: u64) -> Option<&KeptLayer> {
        self.kept.get(&value)
    }

    /// The least value that is remembered while the sweep is at this one.
    pub(super) fn floor(&self, value: u64) -> u64 {
        if self.is_open() { self.floor } else { value }
    }

    /// The sweep goes on to this value: forgets what is now too far behind.
    fn advance(&mut self, value: u64) {
        let head = self.head.map_or(value, |head| head.max(value));
        self.head = Some(head);
        if let Retention::Window { bit, reach } = self.retention {
            self.floor = self.floor.max((head >> bit).saturating_sub(reach) << bit);
            self.forget_below_floor();
        }
    }

    fn forget_below_floor(&mut self) {
        while let Some(first) = self.kept.first_entry().filter(|first| *first.key() < self.floor) {
            let layer = first.remove();
            self.removed(&layer);
        }
    }

    fn removed(&mut self, layer: &KeptLayer) {
        self.states -= layer.states.len() - layer.persistent;
        self.bytes -= layer.bytes();
    }

    /// Keeps a layer. Where there are too many, the floor rises, but not above the value that comes next.
    fn keep(&mut self, value: u64, layer: KeptLayer, next: u64) {
        if value < self.floor {
            return;
        }
        self.states += layer.states.len() - layer.persistent;
        self.bytes += layer.bytes();
        self.kept.insert(value, layer);
        if self.kept.len() > MOST_LAYERS
            && let Some((second, _)) = self.kept.iter().nth(1)
        {
            self.floor = self.floor.max(next.min(*second));
            self.forget_below_floor();
        }
    }

    /// Takes the layer of this value out: it is the current one again.
    pub(super) fn take(&mut self, value: u64) -> Option<KeptLayer> {
        let layer = self.kept.remove(&value)?;
        self.removed(&layer);
        Some(layer)
    }

    /// The next sweep remembers nothing.
    pub(super) fn end_sweep(&mut self) {
        let Self { retention, is_exact, copied, .. } = *self;
        *self = Self { is_exact, copied, ..Self::new(retention) };
    }

    /// Nothing is remembered any more; the sweep is at this value.
    fn close(&mut self, value: u64) {
        let Self { head, is_current, .. } = *self;
        // What lies between here and the head may be stored again.
        let is_exact = self.is_exact && head.is_none_or(|head| head <= value);
        *self = Self { head, is_current, is_exact, ..Self::new(Retention::Immediate) };
    }

    pub(super) fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&(self.retention, self.head, self.floor, self.is_current, self.is_exact))?;
        to.put(&(self.copied, self.kept.len()))?;
        for (value, layer) in &self.kept {
            to.put(&(*value, layer.persistent, layer.looks_up))?;
            to.put_words(layer.states.words())?;
        }
        Ok(())
    }

    pub(super) fn load(&mut self, shape: RecordShape, from: &mut Loader) -> io::Result<()> {
        let layers: usize;
        (self.retention, self.head, self.floor, self.is_current, self.is_exact) = from.get()?;
        (self.copied, layers) = from.get()?;
        for _ in 0..layers {
            let (value, persistent, looks_up) = from.get()?;
            let states = LayerCopy::of(shape, from.get_words()?);
            self.keep(value, KeptLayer { states, persistent, looks_up }, 0);
        }
        Ok(())
    }

    /// Gives all states another layout.
    pub(super) fn repack(&mut self, width: usize, mut translate: impl FnMut(&[u64], &mut Vec<u64>)) {
        let mut packed = Vec::with_capacity(width);
        for layer in self.kept.values_mut() {
            let mut words = Vec::with_capacity(layer.states.len() * width);
            for state in layer.states.states() {
                translate(state, &mut packed);
                words.extend_from_slice(&packed[..width]);
            }
            self.bytes -= layer.bytes();
            layer.states = LayerCopy::of(RecordShape::Fixed(width), words);
            self.bytes += layer.bytes();
        }
    }
}

impl SweepSearch {
    /// Before the layer of this value is loaded: keeps the current one, if the window reaches that far, and there is room for a copy of it.
    pub(super) fn keep_current<R: Records>(
        &mut self,
        records: R,
        value: u64,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        let is_current = std::mem::replace(&mut self.window.is_current, true);
        self.window.advance(value);
        if !self.window.is_open() || !is_current || self.front.value < self.window.floor {
            return Ok(());
        }
        let is_full = self.bytes() + self.layer.bytes() + elsewhere > self.limits.memory;
        if is_full || self.window.copied > COPIED_AT_LEAST + COPIED * self.counters.explored {
            return self.close_window(records);
        }
        self.window.copied += self.layer.len() as u64;
        let states = LayerCopy::new(&self.layer);
        let Front { persistent, looks_up, .. } = self.front;
        self.window.keep(self.front.value, KeptLayer { states, persistent, looks_up }, value);
        self.peak_bytes = self.peak_bytes.max(self.bytes());
        Ok(())
    }

    /// Lets the layer of this value have the memory that nothing else needs, and, if that is not enough, what the window has.
    pub(super) fn make_room_beside_window<R: Records>(
        &mut self,
        records: R,
        value: u64,
        elsewhere: usize,
    ) -> Result<(), SearchEnd> {
        if !self.window.is_open() {
            return Ok(());
        }
        self.grant_layer(elsewhere);
        let (expanded, roots) = self.persistent.count(value);
        let kept = self.window.get(value).map_or(0, |kept| kept.states.len());
        let states = expanded + roots + kept + self.future.entries_of(value);
        if states * (self.layer.state_bytes() + BESIDE) + LEAST > self.layer.budget() {
            self.close_window(records)?;
            self.grant_layer(elsewhere);
        }
        Ok(())
    }

    /// Whether there is a state to be expanded in the layer of this value. Where it is kept, what it has need not be looked at again.
    pub(super) fn has_new(&mut self, value: u64) -> bool {
        let Some(kept) = self.window.get(value) else { return true };
        self.future.remove_known(value, &kept.states) > 0
    }

    /// Makes a layer that was kept the current one, with what was found for it since.
    pub(super) fn take_up<R: Records, O: Observer>(
        &mut self,
        records: R,
        value: u64,
        kept: &KeptLayer,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let first = self.records();
        self.loaded_at = first;
        self.window.copied += 2 * kept.states.len() as u64;
        if self.layer.restore(&kept.states).is_err() {
            // Nothing of the layer is left in memory, and nothing of it waits.
            let len = self.layer.len();
            self.front = Front { known: len, persistent: len, first, ..self.front };
            (self.cursor, self.level_end) = (len, len);
            self.close_window(records)?;
            self.grant_layer(observer.bytes());
            return Ok(());
        }
        let known = self.layer.len();
        let KeptLayer { persistent, looks_up, .. } = *kept;
        self.front =
            Front { value, floor: self.window.floor, is_taken_up: true, known, persistent, first, looks_up };
        (self.cursor, self.level_end) = (known, known);
        observer.layer_begins(first, value);
        let buffer = self.future.take(value);
        self.is_loading = true;
        self.load_waiting(records, buffer, observer)?;
        self.is_loading = false;
        Ok(())
    }

    /// Forgets what is behind, for good. What waits there is to be met by the next sweep.
    #[cold]
    pub(super) fn close_window<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        if !self.window.is_open() {
            return Ok(());
        }
        let here = self.front.value;
        let waiting: Vec<u64> = self.future.values().take_while(|value| *value < here).collect();
        waiting.iter().for_each(|value| {
            self.has_new(*value);
        });
        self.window.close(here);
        self.front.floor = here;
        let after = self.future.after();
        for value in waiting {
            let Some(buffer) = self.future.take(value) else { continue };
            for chunk in buffer.into_chunks() {
                for entry in records.entries(&chunk, after) {
                    let state = records.first(entry);
                    self.behind.words.extend_from_slice(state);
                    self.behind.origins.push((value, entry.get(state.len()).copied().unwrap_or(UNKNOWN)));
                }
                self.future.recycle(chunk);
            }
        }
        self.future.forget_spare();
        // Should there be no room for them, they are lost, and with them the search, which ends and is not saved.
        self.persist(records)
    }
}
