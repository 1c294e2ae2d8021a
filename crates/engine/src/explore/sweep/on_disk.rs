//! What a sweep keeps on disk when there is no room: layers that lie ahead, persistent states, and the current layer itself.
//!
//! Each of them goes there on its own, and only when it must, or when whoever made the search wants to see it there. From then on the parts
//! in memory are what came since, and join what is on disk when the sweep needs it.

use std::io;

use crate::explore::observer::{Observer, Record};
use crate::explore::origin::{UNKNOWN, origin_of, tell_origin};
use crate::explore::phase::Phase;
use crate::explore::search::{Monitor, SearchEnd, Spills, StopReason};
use crate::store::external::disk::Disk;
use crate::store::far_layers::{FarLayers, QueueKind};
use crate::store::far_persistent::FarPersistent;
use crate::store::future_layers::FutureLayers;
use crate::store::large_layer::LargeLayer;
use crate::store::layer::LayerFull;
use crate::store::records::{RecordShape, Records, with_records};
use crate::store::saved::{Loader, Saver};
use model::guarded_commands::ActionId;

use super::{BATCH, Front, Nesting, SweepSearch, out_of_memory};

/// Entries of future layers that come back from disk early, at the most.
const FROM_DISK: usize = 100_000;
/// States of a large layer that are expanded together, at the least: those of a batch.
const TOGETHER: usize = 4 * BATCH;

/// How states go to disk.
#[derive(Clone, Debug)]
pub struct Spilling {
    /// Where to.
    pub disk: Disk,
    /// What layers that lie ahead are there.
    pub queue: QueueKind,
    /// How many states are in memory at the most, however much memory there is.
    pub most: InMemory,
    /// Whether the current layer is on disk from the first state on.
    pub current_on_disk: bool,
    /// Whether there must be room for a checkpoint on the same disk.
    pub is_saved: bool,
}

/// Numbers of states in memory. By default only the limit of memory counts.
#[derive(Clone, Copy, Debug)]
pub struct InMemory {
    /// Entries of layers that lie ahead.
    pub ahead: usize,
    /// Persistent states.
    pub persistent: usize,
    /// States of the current layer.
    pub current: usize,
}

impl Default for InMemory {
    fn default() -> Self {
        Self { ahead: usize::MAX, persistent: usize::MAX, current: usize::MAX }
    }
}

/// What is on disk.
#[derive(Debug, Default)]
pub(super) struct OnDisk {
    /// Layers that lie ahead.
    pub(super) layers: Option<FarLayers>,
    pub(super) persistent: Option<FarPersistent>,
    /// All but a part of the current layer.
    pub(super) current: Option<LargeLayer>,
    /// Of the states in memory that may be new in the current layer: where they come from.
    origins: Vec<u64>,
    /// Records so far, while the current layer is on disk.
    pub(super) records: Record,
    /// Why something cannot be read any more.
    pub(super) failure: Option<String>,
    spills: Spills,
}

impl OnDisk {
    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.layers.as_ref().map_or(0, FarLayers::bytes)
            + self.persistent.as_ref().map_or(0, FarPersistent::bytes)
            + self.current.as_ref().map_or(0, LargeLayer::bytes)
            + self.origins.capacity() * 8
    }

    /// How often something went to disk.
    pub(super) fn spills(&self) -> Spills {
        Spills { ahead: self.layers.as_ref().map_or(0, FarLayers::spilled), ..self.spills }
    }

    /// States that wait there.
    pub(super) fn waiting(&self) -> u64 {
        let ahead = self.layers.as_ref().map_or(0, FarLayers::entries);
        ahead + self.current.as_ref().map_or(0, LargeLayer::waiting)
    }

    /// Whether a layer waits there.
    pub(super) fn has_layers(&self) -> bool {
        self.layers.as_ref().is_some_and(|layers| layers.entries() > 0)
    }

    /// Gives all states another layout. What cannot be read any more is noticed when it is asked for.
    pub(super) fn repack(&mut self, width: usize, mut translate: impl FnMut(&[u64], &mut Vec<u64>)) {
        let Self { layers, persistent, current, failure, .. } = self;
        let layers = layers.as_mut().map_or(Ok(()), |layers| layers.repack(width, &mut translate));
        let persistent = persistent.as_mut().map_or(Ok(()), |states| states.repack(width, &mut translate));
        let current = current.as_mut().map_or(Ok(()), |layer| layer.repack(width, &mut translate));
        let error = layers.and(persistent).and(current).err().map(|error| error.to_string());
        *failure = failure.take().or(error);
    }

    /// Where the state that was stored last comes from, of which nobody knows whether it is new.
    #[inline]
    pub(super) fn propose(&mut self, origin: u64) {
        self.origins.push(origin);
    }
}

pub(super) fn disk_failed(error: io::Error) -> SearchEnd {
    SearchEnd::Stopped(StopReason::Disk(error.to_string()))
}

/// Lets the end of a search pass through what can only fail with an error of the disk.
fn carried<T>(end: Option<SearchEnd>, result: io::Result<T>) -> Result<T, SearchEnd> {
    match end {
        Some(end) => Err(end),
        None => result.map_err(disk_failed),
    }
}

fn carry(end: &mut Option<SearchEnd>, result: Result<(), SearchEnd>) -> io::Result<()> {
    result.map_err(|why| {
        *end = Some(why);
        io::Error::other("the search ends")
    })
}

/// What lies ahead, and what is persistent.
impl SweepSearch {
    /// Lets states go to disk when there is no room for them. Not for vectors: their order is none that a queue could keep.
    pub fn spill_to(mut self, spilling: Spilling) -> Self {
        if self.vectors.is_none() {
            self.most = spilling.most;
            self.spilling = Some(spilling);
        }
        self
    }

    /// Whether more states are in memory than are wanted there.
    #[inline(always)]
    pub(super) fn has_too_many(&self) -> bool {
        self.future.len() > self.most.ahead
            || (self.persistent.len() > self.most.persistent && !self.front.looks_up)
    }

    /// Moves to disk what there is too much of in memory.
    #[cold]
    pub(super) fn spill_surplus(&mut self) -> Result<(), SearchEnd> {
        if self.future.len() > self.most.ahead {
            self.spill_ahead()?;
        }
        let too_many = self.persistent.len() > self.most.persistent && !self.front.looks_up;
        if too_many { self.spill_persistent() } else { Ok(()) }
    }

    /// Moves to disk what takes much memory, if memory is short.
    pub(super) fn relieve(&mut self, bytes: usize) -> Result<(), SearchEnd> {
        let much = self.limits.memory / 8;
        if self.spilling.is_none() || bytes < self.limits.memory / 2 {
            return Ok(());
        }
        if self.future.bytes() > much {
            let _ = self.compact();
            if self.future.bytes() > much {
                self.spill_ahead()?;
            }
            self.future.forget_spare();
        }
        let can_go = self.is_measured() && !self.front.looks_up;
        if can_go && self.persistent.bytes() > much { self.spill_persistent() } else { Ok(()) }
    }

    /// What of this memory is for the current layer. Should it not fit, its states are sorted, and in parts of it that may be new, each
    /// says where it comes from: the rest is for that.
    pub(super) fn share_of_layer(&self, memory: usize) -> usize {
        let state = self.layer.state_bytes() + 7;
        // To sort states of varying length takes their offsets, too.
        let sorted = if self.layer.shape() == RecordShape::Prefixed { 8 } else { 4 };
        let beside = sorted + if self.wants_origins { 12 } else { 0 };
        (memory as f64 * state as f64 / (state + beside) as f64) as usize
    }

    /// Whether there is hardly room on disk for more, and, if it may be saved, for what is in memory.
    pub(super) fn disk_limit(&self, in_memory: usize) -> Option<StopReason> {
        let spilling = self.spilling.as_ref()?;
        let all = spilling.disk.used() + in_memory as u64;
        spilling.disk.is_nearly_full(if spilling.is_saved { all } else { 0 }).map(StopReason::DiskLimit)
    }

    /// Moves the farther half of the future layers to disk.
    #[cold]
    fn spill_ahead(&mut self) -> Result<(), SearchEnd> {
        let Some(spilling) = &self.spilling else { return Ok(()) };
        // From here on, values never fall inside a sweep: the queue needs that.
        self.nesting = Nesting::default();
        let far = match &mut self.disk.layers {
            Some(far) => far,
            None => {
                let (shape, origins) = (self.layer.shape(), self.future.after() > 0);
                let far = FarLayers::new(&spilling.disk, spilling.queue, shape, origins, self.limits.memory);
                self.disk.layers.insert(far.map_err(disk_failed)?)
            }
        };
        let kept = self.future.len() / 2;
        far.take_over(&mut self.future, kept, self.window.head()).map_err(disk_failed)
    }

    /// Moves all persistent states to disk. Not while states of the current layer are looked up among them.
    #[cold]
    fn spill_persistent(&mut self) -> Result<(), SearchEnd> {
        if self.spilling.is_none() {
            return Ok(());
        }
        // From here on they are read in the order of their values.
        self.nesting = Nesting::default();
        with_records!(self.layer.shape(), records => self.close_window(records))?;
        let Some(spilling) = &self.spilling else { return Ok(()) };
        let far = match &mut self.disk.persistent {
            Some(far) => far.take_over(&mut self.persistent),
            none => {
                let (shape, origins) = (self.layer.shape(), self.wants_origins);
                let far = FarPersistent::new(&spilling.disk, shape, origins).map_err(disk_failed)?;
                let far = none.insert(far);
                far.begin(&mut self.persistent)
            }
        };
        self.disk.spills.persistent += 1;
        far.map_err(disk_failed)
    }

    /// What was found becomes roots; `false` if nothing was.
    pub(super) fn begin_sweep(&mut self) -> Result<bool, SearchEnd> {
        if let Some(far) = &mut self.disk.persistent {
            return far.begin_sweep(&mut self.persistent).map_err(disk_failed);
        }
        let has_roots = self.persistent.begin_sweep(0..=u64::MAX);
        if let Some(vectors) = &mut self.vectors {
            self.persistent.root_values().for_each(|vector| vectors.add(vector));
        }
        Ok(has_roots)
    }

    /// The least progress value of what is on disk and waits.
    pub(super) fn next_value_on_disk(&mut self) -> Result<Option<u64>, SearchEnd> {
        if let Some(reason) = &self.disk.failure {
            return Err(SearchEnd::Stopped(StopReason::Disk(reason.clone())));
        }
        let layer = self.disk.layers.as_mut().map_or(Ok(None), FarLayers::first);
        let root = self.disk.persistent.as_mut().map_or(Ok(None), FarPersistent::first_root);
        let (layer, root) = (layer.map_err(disk_failed)?, root.map_err(disk_failed)?);
        Ok(layer.into_iter().chain(root).min())
    }

    /// Makes sure that the persistent states of this value find room in the current layer: if they are many, by way of the disk.
    pub(super) fn make_room_for_known(&mut self, value: u64) -> Result<(), SearchEnd> {
        let (expanded, roots) = self.persistent.count(value);
        let bytes = (expanded + roots) * self.persistent.state_bytes() * 2;
        if self.can_split() && bytes > self.limits.memory / 8 { self.spill_persistent() } else { Ok(()) }
    }

    /// Enters the persistent states of this value that are on disk into the current layer: first those that were expanded earlier, then roots.
    pub(super) fn load_far_persistent<R: Records, O: Observer>(
        &mut self,
        records: R,
        value: u64,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let Some(mut far) = self.disk.persistent.take() else { return Ok(()) };
        let mut end = None;
        let entered = far.enter_expanded(value, |words| {
            let entered = self.enter_known(records, words);
            carry(&mut end, entered)
        });
        let entered = carried(end.take(), entered).and_then(|()| self.end_known());
        let entered = entered.and_then(|()| {
            let entered = far.enter_roots(value, |entries, is_new| {
                let before = self.layer.len();
                let entered = self.load_chunk(records, entries, observer);
                if self.disk.current.is_none() {
                    self.tell_new(before, entries, is_new);
                }
                carry(&mut end, entered)
            });
            carried(end, entered)
        });
        self.disk.persistent = Some(far);
        entered
    }

    /// Which of these entries are behind the first so many states of the current layer, and so were new.
    fn tell_new(&self, before: usize, entries: &[u64], is_new: &mut Vec<bool>) {
        let shape = self.layer.shape();
        let mut new = shape.states(self.layer.states(before..self.layer.len())).peekable();
        let entries = shape.entries(entries, self.future.after());
        is_new.extend(entries.map(|entry| new.next_if(|state| *state == shape.first(entry)).is_some()));
    }

    /// The part of the layer that is on disk.
    pub(super) fn load_far<R: Records, O: Observer>(
        &mut self,
        records: R,
        value: u64,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let Some(mut far) = self.disk.layers.take() else { return Ok(()) };
        let empty = FutureLayers::new(records.shape(), self.future.after() > 0);
        let mut near = std::mem::replace(&mut self.future, empty);
        // Room for those that come in the meantime is left.
        let room = self.most.ahead.min(FROM_DISK) / 2;
        let mut end = None;
        let taken = far.take(value, &mut near, room, |entries| {
            let entered = self.load_chunk(records, entries, observer);
            carry(&mut end, entered)
        });
        self.future = near;
        self.disk.layers = Some(far);
        carried(end, taken)
    }
}

/// When all is done.
impl SweepSearch {
    /// All persistent states, each with its progress value, and where it comes from: the number of its parent, unless it is an initial state, and the
    /// action.
    pub fn persistent_states(
        &mut self,
        mut each: impl FnMut(u64, &[u64], (Option<Record>, ActionId)),
    ) -> io::Result<()> {
        self.persistent.for_each(|value, state, origin| each(value, state, origin_of(origin)));
        self.disk.persistent.as_ref().map_or(Ok(()), |far| {
            far.for_each(|value, state, origin| each(value, state, origin_of(origin.unwrap_or(UNKNOWN))))
        })
    }
}

/// On the way to a checkpoint and back.
impl SweepSearch {
    pub(super) fn save_disk(&self, to: &mut Saver) -> io::Result<()> {
        let OnDisk { layers, persistent, current, origins, records, failure, spills } = &self.disk;
        to.put(&(layers.is_some(), persistent.is_some(), current.is_some()))?;
        to.put(&(origins, records, failure, spills))?;
        layers.as_ref().map_or(Ok(()), |layers| layers.save(to))?;
        persistent.as_ref().map_or(Ok(()), |states| states.save(to))?;
        current.as_ref().map_or(Ok(()), |layer| layer.save(to))?;
        self.spilling.as_ref().map_or(Ok(()), |spilling| spilling.disk.save(to))
    }

    pub(super) fn load_disk(&mut self, from: &mut Loader) -> io::Result<()> {
        let (layers, persistent, current): (bool, bool, bool) = from.get()?;
        (self.disk.origins, self.disk.records, self.disk.failure, self.disk.spills) = from.get()?;
        let Some(Spilling { disk, queue, .. }) = &self.spilling else { return Ok(()) };
        let (shape, memory, origins) = (self.layer.shape(), self.limits.memory, self.wants_origins);
        if layers {
            let mut far = FarLayers::new(disk, *queue, shape, self.future.after() > 0, memory)?;
            far.load(from)?;
            self.disk.layers = Some(far);
        }
        if persistent {
            let mut far = FarPersistent::new(disk, shape, origins)?;
            far.load(from)?;
            self.disk.persistent = Some(far);
        }
        if current {
            let mut large = LargeLayer::new(disk, shape, origins)?;
            large.load(from)?;
            self.disk.current = Some(large);
        }
        disk.load(from)
    }
}

/// A current layer that is larger than memory.
///
/// In memory are some of its states that wait, from the beginning of the layer to the end of the level, and behind them what these lead to.
impl SweepSearch {
    /// Whether the current layer may be on disk in part.
    pub(super) fn can_split(&self) -> bool {
        self.spilling.is_some() && !self.whole_layers
    }

    /// Number of states of the current layer that were met, if part of it is on disk.
    pub(super) fn met_on_disk(&self) -> Option<u64> {
        self.disk.current.as_ref().map(LargeLayer::closed)
    }

    fn large(&mut self) -> Result<&mut LargeLayer, SearchEnd> {
        let Some(spilling) = self.spilling.as_ref().filter(|_| !self.whole_layers) else {
            return Err(out_of_memory(LayerFull::Budget));
        };
        if self.disk.current.is_none() {
            let origins = self.wants_origins;
            let large = LargeLayer::new(&spilling.disk, self.layer.shape(), origins).map_err(disk_failed)?;
            self.disk.spills.current += 1;
            self.disk.records = self.records();
            self.disk.current = Some(large);
        }
        self.disk.current.as_mut().ok_or_else(|| out_of_memory(LayerFull::Budget))
    }

    /// Makes room in memory: what is not at work goes to disk.
    #[cold]
    pub(super) fn split_layer<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        self.note_peak();
        self.close_window(records)?;
        if self.disk.current.is_some() {
            let waiting = self.layer.states(self.cursor..self.level_end).to_vec();
            self.flush_candidates()?;
            return self.put_to_work(records, &waiting);
        }
        let len = self.layer.len();
        let level_end = if self.is_measured() { len } else { self.level_end };
        let (cursor, is_loading) = (self.cursor, self.is_loading);
        self.large()?;
        let (layer, large) = (&self.layer, self.disk.current.as_mut());
        large
            .map_or(Ok(()), |large| {
                large.close(layer.states(0..len))?;
                large.wait(layer.states(cursor..level_end))?;
                large.wait_for_next(layer.states(level_end..len))
            })
            .map_err(disk_failed)?;
        self.front = Front { first: self.front.record(cursor), known: 0, persistent: 0, ..self.front };
        self.cursor = 0;
        if is_loading { self.put_to_work(records, &[]) } else { self.next_waiting(records) }
    }

    /// Before the first state is expanded: moves the layer to disk, if it is to be there in any case.
    pub(super) fn split_at_once<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        let is_wanted = self.spilling.as_ref().is_some_and(|spilling| spilling.current_on_disk);
        let is_first = self.counters.explored == 0 && self.disk.current.is_none() && !self.is_measured();
        if is_wanted && is_first { self.split_layer(records) } else { Ok(()) }
    }

    /// Writes the states in memory that may be new.
    fn flush_candidates(&mut self) -> Result<(), SearchEnd> {
        let states = self.layer.states(self.level_end..self.layer.len());
        let origins = &mut self.disk.origins;
        let proposed = self.disk.current.as_mut().map_or(Ok(()), |large| large.propose(states, origins));
        origins.clear();
        proposed.map_err(disk_failed)
    }

    /// These states, of which the first has the number of the one at the cursor, are what is in memory.
    fn put_to_work<R: Records>(&mut self, records: R, states: &[u64]) -> Result<(), SearchEnd> {
        self.front.first = self.front.record(self.cursor);
        self.layer.restart(0).map_err(out_of_memory)?;
        for states in records.parts(states, BATCH) {
            self.layer.insert_batch(records, states, |_| {}).map_err(out_of_memory)?;
        }
        (self.cursor, self.level_end) = (0, self.layer.len());
        Ok(())
    }

    /// The next states that wait come to memory.
    fn next_waiting<R: Records>(&mut self, records: R) -> Result<(), SearchEnd> {
        let share = self.layer.budget() / 4;
        let most = (share / (self.layer.state_bytes() + 10)).min(self.most.current / 2).max(TOGETHER);
        // Those that come may be longer than those that went.
        let most_words = if R::VARYING { share / 8 } else { usize::MAX };
        let mut words = Vec::new();
        let large = self.disk.current.as_mut();
        large
            .map_or(Ok(()), |large| large.take_waiting(most, most_words, &mut words))
            .map_err(disk_failed)?;
        self.put_to_work(records, &words)
    }

    /// All states at work are expanded: others come to memory, or the next round begins; `false` if there are no others.
    pub(super) fn next_part<R: Records, O: Observer>(
        &mut self,
        records: R,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<bool, SearchEnd> {
        if let Some(reason) = &self.disk.failure {
            return Err(SearchEnd::Stopped(StopReason::Disk(reason.clone())));
        }
        self.note_peak();
        self.flush_candidates()?;
        let Some(large) = &mut self.disk.current else { return Ok(false) };
        if large.is_round_over() {
            monitor.phase(Phase::MergingRuns);
            let stored = &mut self.disk.records;
            let waiting = large.next_round(|origin| {
                tell_origin(observer, origin.unwrap_or(UNKNOWN));
                *stored += 1;
            });
            if waiting.map_err(disk_failed)? == 0 {
                self.put_to_work(records, &[])?;
                return Ok(false);
            }
            self.begin_level()?;
        }
        self.next_waiting(records)?;
        Ok(true)
    }

    /// Enters states that were expanded in an earlier sweep into the current layer, which has no others yet.
    fn enter_known<R: Records>(&mut self, records: R, words: &[u64]) -> Result<(), SearchEnd> {
        let is_full = self.layer.len() >= self.most.current && self.can_split();
        if !is_full {
            match self.layer.insert_batch(records, words, |_| {}) {
                Err(_) if self.can_split() => {}
                entered => {
                    self.front.known = self.layer.len();
                    return entered.map_err(out_of_memory);
                }
            }
        }
        self.large()?;
        self.close_all()?;
        self.layer.insert_batch(records, words, |_| {}).map_err(out_of_memory)?;
        self.front.known = self.layer.len();
        Ok(())
    }

    /// All states in memory are met, and none of them is to be expanded.
    fn close_all(&mut self) -> Result<(), SearchEnd> {
        let states = self.layer.states(0..self.layer.len());
        let closed = self.disk.current.as_mut().map_or(Ok(()), |large| large.close(states));
        closed.map_err(disk_failed)?;
        self.layer.restart(0).map_err(out_of_memory)
    }

    /// All states that an earlier sweep expanded are entered.
    fn end_known(&mut self) -> Result<(), SearchEnd> {
        if self.disk.current.is_some() {
            self.close_all()?;
        }
        self.front.known = self.layer.len();
        (self.cursor, self.level_end) = (self.front.known, self.front.known);
        Ok(())
    }

    /// The layer is expanded: forgets what of it is on disk, unless nothing is forgotten any more.
    pub(super) fn end_large(&mut self) -> Result<(), SearchEnd> {
        let Some(large) = self.disk.current.take() else { return Ok(()) };
        debug_assert!(large.is_settled(), "all states of the layer are expanded");
        self.front = Front { first: self.disk.records, known: 0, persistent: 0, ..self.front };
        if self.counters.remembers_from.is_some() && self.is_measured() {
            if self.disk.persistent.is_none() {
                self.spill_persistent()?;
            }
            if let Some(far) = &mut self.disk.persistent {
                far.remember(self.front.value, |each| large.for_each_closed(each)).map_err(disk_failed)?;
            }
        }
        Ok(())
    }

    /// Whether there are roots that are not expanded yet, of this sweep or of the next.
    pub(super) fn is_root_ahead(&self) -> bool {
        self.persistent.is_root_ahead()
            || self.disk.persistent.as_ref().is_some_and(FarPersistent::is_root_ahead)
    }

    /// Number of states in memory that belong to what is on disk.
    pub(super) fn held_of_disk(&self) -> (u64, u64, u64) {
        let OnDisk { layers, persistent, current, .. } = &self.disk;
        (
            current.as_ref().map_or(0, LargeLayer::in_memory),
            layers.as_ref().map_or(0, FarLayers::in_memory),
            persistent.as_ref().map_or(0, FarPersistent::in_memory),
        )
    }

    /// Number of persistent states, wherever they are.
    pub(super) fn all_persistent(&self) -> u64 {
        self.persistent.len() as u64 + self.disk.persistent.as_ref().map_or(0, FarPersistent::len)
    }
}
