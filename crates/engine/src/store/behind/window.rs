//! The window: layers behind the front that are expanded, and not yet forgotten.
//!
//! Models that run in cycles have no monotone measure, but often one by which the steps that close
//! a cycle fall by a bounded amount. Such a step leads to a state that this sweep expanded not long
//! ago. While the sweep remembers the layers that far back, it knows the state, and the step costs
//! nothing: no persistent state, and no sweep of what follows it. If the state is new, the sweep
//! returns to its layer: a state inside the window is expanded once, in whatever order.
//!
//! The head is the greatest progress value that this sweep has met, the floor the least that it
//! remembers. Neither ever falls, so a state below the floor is met only by a step that falls out
//! of the window: a regress edge like any other. Values from the floor on may be met again; their
//! layer is then resumed where it was left.
//!
//! A window takes memory, and closing it loses nothing but work: what waits behind the front
//! becomes persistent. It closes when memory is short, and when the sweep returns so often that
//! copying layers takes more than expanding states again would.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use crate::store::layer::{LayerCopy, Width};
use crate::store::saved::{Loader, Saver};

/// Most layers in a window: each takes some memory of its own.
const MOST_LAYERS: usize = 1 << 14;
/// States that may be copied for each one that is expanded, and beyond that. A layer that is left
/// is copied once, and one that is resumed twice.
const COPIED: u64 = 4;
const COPIED_AT_LEAST: u64 = 1 << 18;
/// Estimated bytes around a layer that is kept: its entry in the tree.
const LAYER_BYTES: usize = 128;

/// How long a sweep remembers layers that are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Retention {
    /// Not at all: a step to smaller progress leads to a persistent state.
    #[default]
    Immediate,
    /// While the greatest value so far is greater by at most `reach`, where only bits from `bit` on
    /// count.
    Window {
        /// The lowest bit of the component that counts.
        bit: u32,
        /// How far the component may fall.
        reach: u64,
    },
}

/// The layers that are kept.
#[derive(Debug)]
pub struct Window {
    kept: BTreeMap<u64, KeptLayer>,
    /// Number of states in them that are not persistent.
    states: usize,
    /// Bytes of memory of the kept layers.
    bytes: usize,
    extent: Extent,
    /// Steps of the batch that lead into the window.
    announced: Vec<Announced>,
}

/// How far the window reaches, and how it was used.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Extent {
    retention: Retention,
    /// The greatest value that this sweep has met.
    head: Option<u64>,
    /// The least value that the sweep remembers.
    floor: u64,
    /// Whether the current layer belongs to this sweep.
    is_current: bool,
    /// Whether each state was stored once in its sweep.
    is_exact: bool,
    /// Number of states that were copied, in all sweeps.
    copied: u64,
}

impl Extent {
    fn new(retention: Retention) -> Self {
        Self { retention, head: None, floor: 0, is_current: false, is_exact: true, copied: 0 }
    }
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
pub struct KeptLayer {
    /// Its progress value.
    pub value: u64,
    /// Its states.
    pub states: LayerCopy,
    /// How many of the states are persistent.
    pub persistent: usize,
    /// Whether states that an earlier sweep expanded are missing, and looked up instead.
    pub looks_up: bool,
}

impl KeptLayer {
    fn bytes(&self) -> usize {
        self.states.bytes() + LAYER_BYTES
    }
}

impl Window {
    /// An empty window.
    pub fn new(retention: Retention) -> Self {
        Self::of(Extent::new(retention))
    }

    fn of(extent: Extent) -> Self {
        Self { kept: BTreeMap::new(), states: 0, bytes: 0, extent, announced: Vec::new() }
    }

    /// Announces a step of the batch to a state of this value, which the window has or not. `state`
    /// is the number of the state in its batch, and its origin.
    #[inline]
    pub fn announce<W: Width>(&mut self, width: W, value: u64, target: &[u64], state: (u32, u64)) {
        let hash = self.kept.get(&value).map_or(0, |kept| kept.states.announce(width, target));
        self.announced.push(Announced { value, hash, state });
    }

    /// Calls `each` with the announced states that the window does not have.
    #[inline]
    pub fn unknown<'s, W: Width>(
        &mut self,
        width: W,
        state: impl Fn(u32) -> &'s [u64],
        mut each: impl FnMut(u64, &[u64], u64),
    ) {
        for Announced { value, hash, state: (number, origin) } in self.announced.drain(..) {
            let (state, kept) = (state(number), self.kept.get(&value));
            if !kept.is_some_and(|kept| kept.states.contains_announced(width, state, hash)) {
                each(value, state, origin);
            }
        }
    }

    /// Whether layers behind the front are remembered.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.extent.retention != Retention::Immediate
    }

    /// Number of states that are remembered and not persistent.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.bytes + self.announced.capacity() * size_of::<Announced>()
    }

    /// The greatest value that this sweep has met.
    pub fn head(&self) -> Option<u64> {
        self.extent.head
    }

    /// Whether each state was stored once in its sweep.
    pub fn is_exact(&self) -> bool {
        self.extent.is_exact
    }

    /// Whether so many states were copied, beside those `explored`, that the window does not pay.
    pub fn copies_too_much(&self, explored: u64) -> bool {
        self.extent.copied > COPIED_AT_LEAST + COPIED * explored
    }

    /// Counts states that were copied.
    pub fn count_copied(&mut self, states: usize) {
        self.extent.copied += states as u64;
    }

    /// The layer of this value, if the window has it.
    pub fn get(&self, value: u64) -> Option<&KeptLayer> {
        self.kept.get(&value)
    }

    /// The least value that is remembered while the sweep is at this one.
    pub fn floor(&self, value: u64) -> u64 {
        if self.is_open() { self.extent.floor } else { value }
    }

    /// Moves the head to this value, or leaves it, and forgets what is now too far behind. Says
    /// whether the window reaches back to the current layer, whose value is `here`.
    pub fn advance(&mut self, here: u64, value: u64) -> bool {
        let Extent { retention, head, floor, is_current, .. } = &mut self.extent;
        let has_current = std::mem::replace(is_current, true);
        let head = *head.insert(head.map_or(value, |head| head.max(value)));
        let Retention::Window { bit, reach } = *retention else { return false };
        *floor = (*floor).max((head >> bit).saturating_sub(reach) << bit);
        self.forget_below_floor();
        has_current && here >= self.extent.floor
    }

    fn forget_below_floor(&mut self) {
        let floor = self.extent.floor;
        while let Some(first) = self.kept.first_entry().filter(|first| *first.key() < floor) {
            let layer = first.remove();
            self.removed(&layer);
        }
    }

    fn removed(&mut self, layer: &KeptLayer) {
        self.states -= layer.states.len() - layer.persistent;
        self.bytes -= layer.bytes();
    }

    /// Keeps a layer. Where there are too many, the floor rises, but not above the next value.
    pub fn keep(&mut self, layer: KeptLayer, next: u64) {
        if layer.value < self.extent.floor {
            return;
        }
        self.states += layer.states.len() - layer.persistent;
        self.bytes += layer.bytes();
        self.kept.insert(layer.value, layer);
        if self.kept.len() > MOST_LAYERS
            && let Some((second, _)) = self.kept.iter().nth(1)
        {
            self.extent.floor = self.extent.floor.max(next.min(*second));
            self.forget_below_floor();
        }
    }

    /// Takes out the layer of this value: it is the current one again.
    pub fn take(&mut self, value: u64) -> Option<KeptLayer> {
        let layer = self.kept.remove(&value)?;
        self.removed(&layer);
        Some(layer)
    }

    /// Forgets everything: the next sweep begins.
    pub fn end_sweep(&mut self) {
        let Extent { retention, is_exact, copied, .. } = self.extent;
        *self = Self::of(Extent { is_exact, copied, ..Extent::new(retention) });
    }

    /// Forgets everything for good, while the sweep is at this value.
    pub fn close(&mut self, value: u64) {
        let Extent { head, is_current, is_exact, .. } = self.extent;
        // States between here and the head may be stored again.
        let is_exact = is_exact && head.is_none_or(|head| head <= value);
        *self = Self::of(Extent { head, is_current, is_exact, ..Extent::new(Retention::Immediate) });
    }

    /// Saves the window.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&(self.extent, self.kept.len()))?;
        for (value, layer) in &self.kept {
            to.put(&(*value, layer.persistent, layer.looks_up))?;
            to.put_words(layer.states.words())?;
        }
        Ok(())
    }

    /// Loads what was saved, in this window, which is empty.
    pub fn load(&mut self, width: usize, from: &mut Loader) -> io::Result<()> {
        let layers: usize;
        (self.extent, layers) = from.get()?;
        for _ in 0..layers {
            let (value, persistent, looks_up) = from.get()?;
            let states = LayerCopy::of(width, from.get_words()?);
            self.keep(KeptLayer { value, states, persistent, looks_up }, 0);
        }
        Ok(())
    }

    /// Gives all states another layout of `width` words.
    pub fn repack(&mut self, width: usize, mut translate: impl FnMut(&[u64], &mut Vec<u64>)) {
        let mut packed = Vec::with_capacity(width);
        for layer in self.kept.values_mut() {
            let mut words = Vec::with_capacity(layer.states.len() * width);
            for state in layer.states.states() {
                translate(state, &mut packed);
                words.extend_from_slice(&packed[..width]);
            }
            self.bytes -= layer.bytes();
            layer.states = LayerCopy::of(width, words);
            self.bytes += layer.bytes();
        }
    }
}
