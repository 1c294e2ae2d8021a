//! Behind: what a sweep remembers of states that it has passed.
//!
//! [Persistent states](persistent_states) are targets of regress edges. They are never forgotten;
//! those that a sweep finds are the roots of the next one. The near half of them is in memory; the
//! [far half](far_persistent) is on disk, and exists once the near half has spilled. The [`Window`]
//! remembers layers that were expanded a short while ago.
//!
//! The tier owns its bytes, its repacking and its part of a checkpoint.

pub mod far_persistent;
pub mod persistent_states;
mod window;

use std::io;
use std::ops::RangeInclusive;

use model::measure::Comparison;

use super::current::Current;
use super::external::disk::Disk;
use super::layer::LayerFull;
use super::memory::Budget;
use super::pages::OutOfMemory;
use super::records::{RecordShape, Records};
use super::saved::{Loader, Saver};
use super::spilling::Spilling;

pub use far_persistent::FarPersistent;
pub use window::{KeptLayer, Retention, Window};

use persistent_states::PersistentStates;

/// Persistent states, near and far, and the window.
#[derive(Debug)]
pub struct Behind {
    near: PersistentStates,
    far: Option<FarPersistent>,
    /// Layers that were expanded a short while ago.
    pub window: Window,
    found: Found,
    comparison: Comparison,
    shape: RecordShape,
    origins: bool,
    /// Whether persistent states of the current layer's value that an earlier sweep expanded are
    /// not in the layer, but looked up here.
    looks_up: bool,
    /// Where the far half goes, and the bytes of its filter.
    room: Option<(Disk, usize)>,
    /// Most persistent states in memory.
    most: usize,
    /// How often persistent states have spilled.
    spilled: u64,
}

/// Targets of regress edges that are about to become persistent.
#[derive(Debug, Default)]
struct Found {
    words: Vec<u64>,
    /// For each state, its progress value and its origin.
    described: Vec<(u64, u64)>,
}

impl Behind {
    /// Without states. Those have this shape, and use at most `memory` bytes.
    pub fn new(
        shape: RecordShape,
        memory: usize,
        comparison: Comparison,
        retention: Retention,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self {
            near: PersistentStates::new(shape, memory, false)?,
            far: None,
            window: Window::new(retention),
            found: Found::default(),
            comparison,
            shape,
            origins: false,
            looks_up: false,
            room: None,
            most: usize::MAX,
            spilled: 0,
        })
    }

    /// Lets persistent states spill to disk.
    pub fn spill_to(&mut self, spilling: &Spilling, budget: Budget) {
        self.most = spilling.most.persistent;
        self.room = Some((spilling.disk.clone(), budget.for_filter()));
    }

    /// From now on, persistent states carry their origin or not. There are none yet.
    pub fn with_origins(&mut self, origins: bool, memory: usize) -> Result<(), OutOfMemory> {
        debug_assert!(self.near.is_empty(), "the search begins");
        self.origins = origins;
        self.near = PersistentStates::new(self.shape, memory, origins)?;
        Ok(())
    }

    /// Number of persistent states, in memory or on disk.
    pub fn len(&self) -> u64 {
        self.near.len() as u64 + self.far.as_ref().map_or(0, FarPersistent::len)
    }

    /// Whether there are no persistent states.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of persistent states in memory.
    pub fn held(&self) -> u64 {
        self.near.len() as u64 + self.far.as_ref().map_or(0, FarPersistent::in_memory)
    }

    /// Number of persistent states in the near half.
    pub fn near_len(&self) -> usize {
        self.near.len()
    }

    /// The persistent state with this number in the near half.
    pub fn near_state(&self, number: usize) -> &[u64] {
        self.near.state(number)
    }

    /// How often persistent states have spilled.
    pub fn spilled(&self) -> u64 {
        self.spilled
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let found = self.found.words.capacity() * 8 + self.found.described.capacity() * 16;
        self.near_bytes() + found + self.window.bytes() + self.far.as_ref().map_or(0, FarPersistent::bytes)
    }

    /// Bytes of memory that [`spill`](Self::spill) can free.
    pub fn near_bytes(&self) -> usize {
        self.near.bytes()
    }

    /// Bytes of a persistent state in memory without its share of the index, in the mean if lengths vary.
    pub fn state_bytes(&self) -> usize {
        self.near.state_bytes()
    }

    /// Calls `each` with every persistent state: its progress value, its words and its origin,
    /// which is `unknown` where no origins are kept. States on disk may come more than once.
    pub fn for_each(&self, unknown: u64, mut each: impl FnMut(u64, &[u64], u64)) -> io::Result<()> {
        self.near.for_each(&mut each);
        self.far.as_ref().map_or(Ok(()), |far| {
            far.for_each(|value, state, origin| each(value, state, origin.unwrap_or(unknown)))
        })
    }

    /// Gives all states another layout of `width` words. Returns an error of the disk, after which
    /// the search cannot continue.
    ///
    /// # Errors
    /// If there is no room for both forms of the states in memory.
    pub fn repack(
        &mut self,
        width: usize,
        mut translate: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<io::Result<()>, LayerFull> {
        self.shape = RecordShape::Fixed(width);
        self.near.repack(width, &mut translate)?;
        self.window.repack(width, &mut translate);
        Ok(self.far.as_mut().map_or(Ok(()), |far| far.repack(width, translate)))
    }

    /// Saves the tier.
    pub fn save(&self, to: &mut Saver) -> io::Result<()> {
        to.put(&(self.looks_up, self.spilled, self.far.is_some()))?;
        self.near.save(to)?;
        self.window.save(to)?;
        self.far.as_ref().map_or(Ok(()), |far| far.save(to))
    }

    /// Loads what was saved, in place of what is here.
    pub fn load(&mut self, from: &mut Loader) -> io::Result<()> {
        let has_far: bool;
        (self.looks_up, self.spilled, has_far) = from.get()?;
        self.near.forget_all().map_err(io::Error::other)?;
        self.near.load(from)?;
        self.window.load(self.shape, from)?;
        if let Some((disk, filter)) = self.room.as_ref().filter(|_| has_far) {
            let mut far = FarPersistent::new(disk, self.shape, self.origins, *filter)?;
            far.load(from)?;
            self.far = Some(far);
        }
        Ok(())
    }
}

/// Persistent states.
impl Behind {
    /// Makes these states persistent, and roots of the next sweep. `described` gives the progress
    /// value and the origin of each.
    pub fn insert<R: Records>(
        &mut self,
        records: R,
        words: &[u64],
        described: impl Iterator<Item = (u64, u64)>,
    ) -> Result<(), LayerFull> {
        self.near.insert(records, words, described)
    }

    /// Notes the target of a regress edge. It is persistent after [`persist`](Self::persist).
    #[inline]
    pub fn find(&mut self, value: u64, state: &[u64], origin: u64) {
        self.found.words.extend_from_slice(state);
        self.found.described.push((value, origin));
    }

    /// Whether targets of regress edges are noted and not yet persistent.
    #[inline(always)]
    pub fn has_found(&self) -> bool {
        !self.found.described.is_empty()
    }

    /// Makes the targets of regress edges that were noted persistent, unless they are already.
    pub fn persist<R: Records>(&mut self, records: R) -> Result<(), LayerFull> {
        let Found { words, described } = &mut self.found;
        if let Some(far) = &mut self.far {
            far.sift(records, words, described);
        }
        let inserted = self.near.insert(records, words, described.drain(..));
        words.clear();
        inserted
    }

    /// Whether a state of the current layer, or of one ahead, is persistent and need not be stored
    /// for this sweep. In a total order that holds for all persistent ones: those that this sweep
    /// found are behind the front. In a partial order they may be ahead, and are met as if not
    /// found.
    #[inline]
    pub fn is_known(&self, state: &[u64]) -> bool {
        match self.comparison {
            Comparison::Total => self.near.contains(state),
            Comparison::ComponentWise { .. } => self.near.contains_earlier(state),
        }
    }

    /// Whether a state ahead, of this value, need not be stored: it is persistent, or in the
    /// window.
    pub fn remembers(&self, value: u64, state: &[u64]) -> bool {
        self.is_known(state) || self.window.get(value).is_some_and(|kept| kept.states.contains(state))
    }

    /// Whether states that enter the current layer must be [looked up](Self::is_known) first.
    #[inline(always)]
    pub fn looks_up(&self) -> bool {
        self.looks_up
    }

    /// Says whether the current layer's known states are looked up instead of entered.
    pub fn set_looks_up(&mut self, looks_up: bool) {
        self.looks_up = looks_up;
    }

    /// Numbers of persistent states of this value in memory: expanded ones, and roots.
    pub fn count(&self, value: u64) -> (usize, usize) {
        self.near.count(value)
    }

    /// Makes what was found at these progress values roots of a local sweep; `false` if nothing
    /// was.
    pub fn begin_local_sweep(&mut self, values: RangeInclusive<u64>) -> bool {
        self.near.begin_sweep(values)
    }

    /// Makes what was found roots of the next sweep; `false` if nothing was.
    pub fn begin_sweep(&mut self) -> io::Result<bool> {
        match &mut self.far {
            Some(far) => far.begin_sweep(&mut self.near),
            None => Ok(self.near.begin_sweep(0..=u64::MAX)),
        }
    }

    /// Whether all persistent states are in memory, and there is no window.
    pub fn can_merge(&self) -> bool {
        self.far.is_none() && !self.window.is_open()
    }

    /// Drops the lowest bits of all progress values. Only if [possible](Self::can_merge).
    pub fn merge(&mut self, bits: u32) {
        self.near.merge(bits);
    }

    /// Files all persistent states, which are in memory, by another measure: the next sweep follows
    /// it. `progress` appends the values of some states, which are numbers.
    pub fn refile(&mut self, retention: Retention, progress: impl FnMut(&[u64], &mut Vec<u64>)) {
        debug_assert!(self.far.is_none(), "states on disk are sorted by their values");
        self.near.refile(progress);
        self.window = Window::new(retention);
        self.comparison = Comparison::Total;
        self.looks_up = false;
    }

    /// Forgets the window: a sweep ends.
    pub fn end_sweep(&mut self) {
        self.window.end_sweep();
    }

    /// The least progress value of a root that is still to be expanded in this sweep.
    pub fn first_root(&mut self) -> io::Result<Option<u64>> {
        let far = self.far.as_mut().map_or(Ok(None), FarPersistent::first_root)?;
        Ok(self.near.first_root().into_iter().chain(far).min())
    }

    /// The progress values of roots in memory.
    pub fn root_values(&self) -> impl Iterator<Item = u64> {
        self.near.root_values()
    }

    /// Whether there are roots that are not expanded yet, of this sweep or of the next.
    pub fn is_root_ahead(&self) -> bool {
        self.near.is_root_ahead() || self.far.as_ref().is_some_and(FarPersistent::is_root_ahead)
    }

    /// Enters the states of this value that are in memory into the current layer, which is empty:
    /// those that an earlier sweep expanded, unless they are looked up, then roots. `root` gets the
    /// origin of each root.
    pub fn enter<R: Records>(
        &mut self,
        records: R,
        value: u64,
        current: &mut Current,
        root: impl FnMut(u64),
    ) -> Result<(), LayerFull> {
        let (expanded, roots) = self.near.count(value);
        let known = if self.looks_up { 0 } else { expanded };
        if !self.looks_up {
            self.near.enter_expanded(records, value, current.layer_mut())?;
        }
        self.near.enter_roots(records, value, current.layer_mut(), root)?;
        debug_assert_eq!(current.len(), known + roots, "a root is a root once");
        current.end_persistent(known);
        Ok(())
    }

    /// States of this value that this sweep found, and that its layer, now complete, has met all
    /// the same, are expanded: they are not roots. Returns their number. Only for partial orders.
    pub fn settle(&mut self, value: u64, current: &Current) -> usize {
        match self.comparison {
            Comparison::Total => 0,
            Comparison::ComponentWise { .. } => self.near.settle(value, current.layer()),
        }
    }

    /// Makes states of this value persistent that are expanded.
    pub fn remember<R: Records>(&mut self, records: R, value: u64, states: &[u64]) -> Result<(), LayerFull> {
        self.near.remember(records, value, states)
    }

    /// Forgets persistent states of these values, which no step will lead to any more.
    pub fn forget(&mut self, values: RangeInclusive<u64>) -> Result<(), LayerFull> {
        self.near.forget(values)
    }

    /// Whether more persistent states are in memory than should be, and they can spill.
    #[inline(always)]
    pub fn has_too_many(&self) -> bool {
        self.near.len() > self.most && !self.looks_up
    }

    /// Moves all persistent states to disk. The window is closed, because states that return from
    /// disk are read in the order of their values.
    #[cold]
    pub fn spill(&mut self) -> io::Result<()> {
        debug_assert!(!self.window.is_open(), "the window closes before persistent states spill");
        let Some((disk, filter)) = &self.room else { return Ok(()) };
        self.spilled += 1;
        match &mut self.far {
            Some(far) => far.take_over(&mut self.near),
            none => {
                let far = FarPersistent::new(disk, self.shape, self.origins, *filter)?;
                none.insert(far).begin(&mut self.near)
            }
        }
    }

    /// The far half, if there is one; [`put_back`](Self::put_back) ends the loan.
    pub fn lend_far(&mut self) -> Option<FarPersistent> {
        self.far.take()
    }

    /// Ends [`lend_far`](Self::lend_far).
    pub fn put_back(&mut self, far: FarPersistent) {
        self.far = Some(far);
    }

    /// Whether persistent states are on disk.
    pub fn has_far(&self) -> bool {
        self.far.is_some()
    }

    /// Makes states of this value persistent that are expanded, and are on disk already.
    pub fn remember_far(
        &mut self,
        value: u64,
        states: impl FnOnce(&mut dyn FnMut(&[u64]) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.far.as_mut().map_or(Ok(()), |far| far.remember(value, states))
    }
}

/// The window.
impl Behind {
    /// Keeps the current layer, whose value is `here`, before the sweep moves to `next`.
    pub fn keep(&mut self, here: u64, current: &Current, next: u64) {
        self.window.count_copied(current.len());
        let (states, persistent) = current.copy();
        let kept = KeptLayer { value: here, states, persistent, looks_up: self.looks_up };
        self.window.keep(kept, next);
    }

    /// Takes the layer of this value out of the window, to be the current one again.
    pub fn take_kept(&mut self, value: u64) -> Option<KeptLayer> {
        let kept = self.window.take(value)?;
        self.window.count_copied(2 * kept.states.len());
        Some(kept)
    }
}
