//! The sweep: least progress first, one layer at a time; layers behind the front are forgotten.
//!
//! This is the generalised sweep-line method: Kristensen and Mailund 2002; Jensen, Kristensen and
//! Mailund 2012, whose figure 3 can be read beside `Sweep::run`. A layer is the set of states of
//! one progress value that one sweep meets. The loop takes the next layer (`next_layer`), expands
//! its states until none of them is new, routes their successors (`worker.rs`, `routing.rs`) and
//! commits them (`commit`):
//!
//! - a step inside the layer leads to the [current](crate::store::current) layer;
//! - a step to a greater value leads to a layer [ahead](crate::store::ahead);
//! - a step to a smaller value, a regress edge, leads to a persistent state
//!   [behind](crate::store::behind) the front. It is never forgotten, and is a root of the next
//!   sweep unless it was persistent before.
//!
//! When there are no more roots, every reachable state was expanded at least once; with a monotone
//! measure, exactly once.
//!
//! Where the loop departs from figure 3:
//!
//! - The last layer of a sweep is forgotten like any other: a repair that the figure needs.
//! - The figure looks up every successor in one set of states. Here only the current layer has an
//!   index; duplicates ahead are removed when their layer becomes the current one.
//! - Initial states are persistent from the start (*pinned*), unless that is switched off. That
//!   costs one state, and models that return to their initial state do not repeat the first sweep.
//! - Layers may be remembered for a while after they were expanded, in a *window* behind the front.
//!   Steps into the window cost nothing if it has the state. If it has not, the sweep returns
//!   there.
//! - Progress values may be vectors, compared component by component: a partial order. The next
//!   layer is then that of any minimal vector, and a step to an incomparable vector is a regress
//!   edge like one to a smaller vector. Its target may still wait in this sweep, and be met by it;
//!   then it is persistent, and not a root of the next sweep.
//! - States may be swept in groups ([`Nesting`]), and a sweep that repeats too much work stops
//!   forgetting ([`Limits::revisits`](super::search::Limits::revisits)).
//!
//! Full exploration, breadth-first, is the sweep with the constant measure: all states are one
//! layer. There is no second loop. A search that begins so may [change over](change) to a measure,
//! and between two sweeps another measure may replace the last one.
//!
//! Inside a layer the cursor runs through the arena behind which new states are appended, so the
//! order is breadth-first from all states that enter the layer. States are expanded in batches, so
//! that the memory accesses of a few hundred insertions overlap. With the constant measure a batch
//! never crosses the end of a breadth-first level: the number of levels is exact, and a path in the
//! trace log is a shortest one. With other measures it is shortest subject to progress: the fewest
//! regress edges, then the least progress of the last state, then the fewest steps in its layer.
//! With vectors it has the fewest regress edges and a goal below which there is none, and the rest
//! as above.
//!
//! Each tier owns its half in memory and its half on disk. What happens when memory is short is in
//! `relief.rs`; how a layer is filled from the tiers, in `loading.rs`.

mod batch;
mod change;
mod figures;
mod loading;
mod look_up;
mod merging;
mod order;
mod relief;
mod revisits;
mod routing;
mod search;
mod task;
mod team;
mod threads;
mod worker;

use std::convert::Infallible;

use model::transition_system::Truth;

use crate::store::ahead::Ahead;
use crate::store::behind::Behind;
use crate::store::current::{Current, Part, Rest, Stored};
use crate::store::hash::hash_state;
use crate::store::layer::LayerFull;
use crate::store::layer::claims::{Chunk, Claims};
use crate::store::memory::Budget;
use crate::store::records::Records;
use crate::store::settled::Settled;

pub use crate::store::behind::Retention;
pub use crate::store::spilling::{InMemory, Spilling};
pub use order::{Initial, Nesting, NewOrder, OnRegress, Order};
pub use search::SweepSearch;
pub use threads::{Threads, WorkerFigures};

use batch::{Expanded, RoutedBatch};
use figures::Figures;
use merging::Merging;
use order::Rules;
use routing::{Front, Route};
use team::{Alone, Others};
use threads::TeamState;
use worker::{Known, Sight, Worker};

use super::expansion::{Parents, STATES, successors};
use super::inner_steps::InnerActions;
use super::observer::{Observer, Step, Successors};
use super::origin::{UNKNOWN, origin, tell_origin};
use super::phase::Phase;
use super::search::{CompleteSearch, Limits, Monitor, RegressEdge, SearchEnd, Snapshot, StopReason};

/// A batch that is committed.
#[derive(Clone, Copy, Debug)]
struct Commit<'a> {
    expanded: Expanded<'a>,
    /// The batch, if successors may leave the layer.
    leaving: Option<&'a RoutedBatch>,
    /// What is known of a state whose successors were supplied.
    kind: Option<Successors>,
    /// Bytes that the tiers and the observer do not hold.
    elsewhere: usize,
}

/// The state of a search by progress, between two batches.
#[derive(Debug)]
struct Sweep {
    rules: Rules,
    front: Front,
    current: Current,
    ahead: Ahead,
    behind: Behind,
    /// States ahead that were expanded before the search followed a measure.
    settled: Option<Settled>,
    /// Number of initial states.
    initial: usize,
    figures: Figures,
    inner: InnerActions,
    limits: Limits,
    budget: Budget,
    /// The disk, if tiers may spill.
    spilling: Option<Spilling>,
    /// Number of batches so far. It continues after trouble, so that no run escapes the monitor.
    batches: u32,
    /// The threads of the search.
    team: TeamState,
    /// What each thread did; empty if there is one.
    workers: Vec<WorkerFigures>,
    merging: Merging,
    /// Words of the successors that were found since the search last looked at its memory.
    since_look: usize,
    /// Why states that are on disk cannot be read any more.
    failure: Option<String>,
}

impl Sweep {
    /// Searches until there is an end of some kind.
    fn run<R: Records, O: Observer>(
        &mut self,
        records: R,
        worker: &mut Worker<'_>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<Infallible, SearchEnd> {
        self.begin_run(records)?;
        loop {
            if self.current.is_level_over() {
                self.next_level(records, worker, observer, monitor)?;
            }
            self.run_alone(records, worker, observer, monitor)?;
        }
    }

    /// Expands a batch of states.
    #[inline(always)]
    fn run_alone<R: Records, O: Observer>(
        &mut self,
        records: R,
        worker: &mut Worker<'_>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        self.refuse_more_states()?;
        self.look_if_due(records, worker, observer, monitor)?;
        let sight = self.sight(observer.wants_truth());
        // SAFETY: the sight is not shared.
        let trouble = unsafe { worker.expand(records, self.current.work(STATES), &sight) };
        let elsewhere = worker.bytes();
        self.commit_routed(records, (worker.routed(), elsewhere), None, observer, &mut Alone)?;
        self.end_batch(records, trouble)
    }

    /// Ends the search if it has stored as many states as it may.
    #[inline(always)]
    fn refuse_more_states(&self) -> Result<(), SearchEnd> {
        match self.current.records() > self.limits.states {
            true => Err(SearchEnd::Stopped(StopReason::StateLimit(self.limits.states))),
            false => Ok(()),
        }
    }

    /// Relieves memory and consults the monitor, every few batches.
    #[inline(always)]
    fn look_if_due<R: Records, O: Observer>(
        &mut self,
        records: R,
        worker: &Worker<'_>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        match self.is_look_due() {
            true => self.look(records, worker, observer, monitor),
            false => Ok(()),
        }
    }

    /// Counts a batch. Says whether the search is to look at its memory.
    #[inline(always)]
    fn is_look_due(&mut self) -> bool {
        self.batches = self.batches.wrapping_add(1);
        self.batches.is_multiple_of(self.limits.batches_per_look)
            || self.budget.is_look_due(self.since_look * 8)
    }

    /// After a batch was committed: spills what is too much. Ends the run if the next state cannot be
    /// expanded.
    #[inline(always)]
    fn end_batch<R: Records>(&mut self, records: R, trouble: bool) -> Result<(), SearchEnd> {
        if self.ahead.has_too_many() || self.behind.has_too_many() {
            self.spill_surplus(records)?;
        }
        match trouble {
            true => Err(SearchEnd::Trouble(self.current.span().record_ahead(0))),
            false => Ok(()),
        }
    }

    /// What a worker reads of the search.
    #[inline(always)]
    fn sight(&self, wants_truth: bool) -> Sight<'_> {
        let front = self.rules.is_measured.then_some(self.front);
        Sight { front, known: Known::Owned(self.current.layer(), &self.behind), wants_truth }
    }

    /// Moves to the next level of the layer, or to the next layer, or to the next sweep.
    #[inline(always)]
    fn next_level<R: Records, O: Observer>(
        &mut self,
        records: R,
        worker: &mut Worker<'_>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        loop {
            match self.current.rest() {
                Rest::Level => return self.begin_level(),
                Rest::Nothing => self.next_layer(records, worker, observer, monitor)?,
                Rest::OnDisk => {
                    self.note_peak();
                    let merging = || monitor.phase(Phase::MergingRuns);
                    let new = |origin: Option<u64>| tell_origin(observer, origin.unwrap_or(UNKNOWN));
                    match self.current.next_part(records, merging, new)? {
                        Part::SameLevel => return Ok(()),
                        Part::NextLevel => return self.begin_level(),
                        Part::Nothing => self.next_layer(records, worker, observer, monitor)?,
                    }
                }
            }
        }
    }

    fn begin_level(&mut self) -> Result<(), SearchEnd> {
        let depth = &mut self.figures.counters.depth;
        if *depth > self.limits.levels {
            return Err(SearchEnd::Stopped(StopReason::LevelLimit(self.limits.levels)));
        }
        *depth += u64::from(!self.rules.is_measured);
        Ok(())
    }

    /// Forgets the current layer and loads the one of least progress, or a minimal one, that has
    /// states to be expanded.
    fn next_layer<R: Records, O: Observer>(
        &mut self,
        records: R,
        worker: &mut Worker<'_>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        self.end_layer(records, observer)?;
        if !self.rules.is_measured {
            return Err(SearchEnd::Complete(CompleteSearch::attest()));
        }
        loop {
            let first_root = self.behind.first_root()?;
            let Some(value) = self.ahead.next_value(first_root, |value| self.behind.count(value).1)? else {
                self.end_sweep(worker, observer, monitor)?;
                continue;
            };
            let value = self.merge_small_layers(value);
            if !self.has_new(value) || (value > self.front.value && self.leave_group(value)?) {
                continue;
            }
            debug_assert!(
                self.may_enter(value),
                "a sweep returns to smaller values only inside a group or a window"
            );
            self.load(records, value, worker, observer)?;
            if self.current.has_work() {
                return Ok(());
            }
        }
    }

    /// Whether the layer of this value may come after the current one.
    fn may_enter(&self, value: u64) -> bool {
        let is_in_window = self.behind.window.is_open() && value >= self.front.floor;
        !self.current.has_expanded() || value > self.front.value || self.rules.is_nested() || is_in_window
    }

    /// Before the sweep moves on to this value: `true` if there are roots in the group that it
    /// leaves.
    fn leave_group(&mut self, next: u64) -> Result<bool, SearchEnd> {
        let (here, nesting) = (self.front.value, self.rules.nesting);
        if nesting.parts != 0 && self.behind.begin_local_sweep(nesting.left(here, next)) {
            self.figures.counters.local_sweeps += 1;
            return Ok(true);
        }
        if let Some(bit) = nesting.monotone
            && here >> bit != next >> bit
        {
            // The whole group: its last sweep may have ended below values that an earlier one had
            // met.
            self.behind.forget(here >> bit << bit..=here | !(u64::MAX << bit))?;
        }
        Ok(false)
    }

    /// Ends a sweep, and begins the next one if there are roots. Pauses between the two if the
    /// monitor wants that.
    fn end_sweep<O: Observer>(
        &mut self,
        worker: &mut Worker<'_>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        self.current.end_sweep();
        self.settled = None;
        self.ahead.end_sweep();
        self.behind.end_sweep();
        self.team.epoch += 1;
        worker.begin_epoch(self.team.epoch);
        if !self.begin_sweep()? {
            return Err(SearchEnd::Complete(CompleteSearch::attest()));
        }
        self.figures.is_sweep_counted = false;
        if let Some(reason) = observer.failure() {
            return Err(SearchEnd::Stopped(StopReason::Observer(reason)));
        }
        let bytes = self.bytes() + worker.bytes() + observer.bytes();
        let snapshot = Snapshot { bytes: bytes as u64, ..self.snapshot() };
        if monitor.sweep_ended(&snapshot) {
            // The last layer has ended, and must not end again when the search continues.
            self.current.begin(0)?;
            self.current.end_loading();
            return Err(SearchEnd::Stopped(StopReason::Pause));
        }
        Ok(())
    }

    /// Makes what was found roots of a sweep; `false` if nothing was.
    fn begin_sweep(&mut self) -> Result<bool, SearchEnd> {
        let has_roots = self.behind.begin_sweep()?;
        self.ahead.begin_sweep(self.behind.root_values());
        Ok(has_roots)
    }

    /// [Commits](Self::commit) a batch whose successors are all there. `kind` is what is known of a
    /// state whose successors were supplied.
    #[inline(always)]
    fn commit_routed<R: Records, O: Observer>(
        &mut self,
        records: R,
        (routed, elsewhere): (&RoutedBatch, usize),
        kind: Option<Successors>,
        observer: &mut O,
        others: &mut impl Others,
    ) -> Result<(), SearchEnd> {
        let commit = Commit { expanded: routed.expanded(), leaving: Some(routed), kind, elsewhere };
        let staying = routed.staying.tags.len();
        self.commit(records, &commit, staying, observer, others, |sweep, chunk, observer| {
            sweep.commit_staying(records, routed, chunk, observer)
        })
    }

    /// Shows the states that were expanded to the observer, stores their successors, moves the
    /// cursor. `store` stores those that stay in the layer, at most `staying` of them; if there is no
    /// room, it stores none. The layer is not touched in a way that `others` would notice before they
    /// are at rest.
    #[inline(always)]
    fn commit<R: Records, O: Observer, T: Others>(
        &mut self,
        records: R,
        commit: &Commit<'_>,
        staying: usize,
        observer: &mut O,
        others: &mut T,
        mut store: impl FnMut(&mut Self, Option<(&Claims, usize)>, &mut O) -> Result<(), LayerFull>,
    ) -> Result<(), SearchEnd> {
        let Commit { expanded, leaving, kind, elsewhere } = *commit;
        // Counted with their kinds, also if one of these states ends the search.
        self.figures.count_steps(&expanded, &self.inner);
        self.since_look += expanded.steps.1;
        self.show(records, &expanded, kind, observer)?;
        if let Some(routed) = leaving {
            self.commit_leaving(records, routed, observer)?;
        }
        if self.current.has_too_many(staying) {
            others.rest();
            self.split(records)?;
        }
        if !self.current.layer().has_slots(staying + others.reserved()) {
            others.rest();
            // Claims stay valid only if there are slots for all of them.
            if others.reserved() > 0
                && self.current.reserve_slots(records, staying + others.reserved()).is_err()
            {
                self.current.void_claims();
            }
        }
        if let Err(full) = store(self, others.claims(), observer) {
            others.rest();
            self.make_more_room(records, elsewhere + observer.bytes(), full, |sweep| {
                store(sweep, others.claims(), observer)
            })?;
        }
        self.current.advance(expanded.ends.len());
        self.figures.count_expanded(expanded.ends.len());
        Ok(())
    }

    /// Makes room in the layer for the successors that stay in it, at the cost of the window or by
    /// splitting the layer, and stores them.
    #[cold]
    fn make_more_room<R: Records>(
        &mut self,
        records: R,
        elsewhere: usize,
        full: LayerFull,
        mut store: impl FnMut(&mut Self) -> Result<(), LayerFull>,
    ) -> Result<(), SearchEnd> {
        if self.behind.window.is_open() {
            self.close_window(records)?;
            self.grant_layer(elsewhere);
            if store(self).is_ok() {
                return Ok(());
            }
        }
        self.split_full(records, full)?;
        Ok(store(self)?)
    }

    /// Shows the states that were expanded to the observer.
    #[inline(always)]
    fn show<R: Records, O: Observer>(
        &mut self,
        records: R,
        expanded: &Expanded<'_>,
        kind: Option<Successors>,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let span = self.current.span();
        let states = records.states(self.current.work(expanded.ends.len()));
        let mut truths = expanded.truths.iter();
        for (number, (state, successors)) in states.zip(successors(expanded.ends, kind)).enumerate() {
            self.figures.counters.deadlocks += u64::from(successors == Successors::Steps(0));
            if self.rules.is_measured {
                self.figures.revisits.expanded(hash_state(records.first(state)));
            }
            let truth = truths.next().map_or(Truth::default(), |truth| *truth);
            if observer.taken(span.record_ahead(number), state, truth, successors).is_break() {
                return Err(SearchEnd::Decided);
            }
        }
        Ok(())
    }

    /// Stores the successors that leave the layer: ahead, in the window, or behind the front.
    #[inline(always)]
    fn commit_leaving<R: Records, O: Observer>(
        &mut self,
        records: R,
        routed: &RoutedBatch,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let RoutedBatch { successors: batch, values, leaving, .. } = routed;
        let (span, front, mut parents) = (self.current.span(), self.front, Parents::new(batch));
        for i in leaving.iter().map(|i| *i as usize) {
            let (value, state, action) = (values[i], batch.record(records, i), batch.action(i));
            let from = span.record_ahead(parents.of(i));
            observer.step(Step { from, action, target: state, number: None });
            observer.progress_step(front.value, value);
            let origin = origin(from, action);
            match front.route(value) {
                Route::Stays => unreachable!("it leaves the layer"),
                Route::Ahead => self.ahead.append(records, value, state, origin),
                Route::Window => self.behind.window.announce(records, value, state, (i as u32, origin)),
                Route::Regress => {
                    if self.rules.regress == OnRegress::Stop {
                        let edge = RegressEdge { from, action, before: front.value, after: value };
                        return Err(SearchEnd::Regress(edge));
                    }
                    self.rules.note_regress(front.value, value);
                    self.behind.find(value, state, origin);
                }
            }
        }
        let (ahead, window) = (&mut self.ahead, &mut self.behind.window);
        window.unknown(
            records,
            |number| batch.record(records, number as usize),
            |value, state, origin| ahead.append(records, value, state, origin),
        );
        if self.behind.has_found() { Ok(self.behind.persist(records)?) } else { Ok(()) }
    }

    /// Stores the successors that stay in the layer. If there is no room, none is stored. `claims` are
    /// those of the team, with the number of the chunk, if it was prepared beside the owner.
    #[inline(always)]
    fn commit_staying<R: Records, O: Observer>(
        &mut self,
        records: R,
        routed: &RoutedBatch,
        claims: Option<(&Claims, usize)>,
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let RoutedBatch { successors: batch, staying, .. } = routed;
        let (span, mut parents) = (self.current.span(), Parents::new(batch));
        let mut numbers = staying.tags.iter().map(|i| *i as usize);
        let chunk = claims.map(|(claims, number)| Chunk { claims, number, hints: &staying.hints });
        let states = (&staying.words[..], &staying.hashes[..]);
        if !observer.wants_origins() && !observer.wants_steps() {
            // Nothing is to be told of them.
            return self.current.insert(records, states, chunk, |_| UNKNOWN);
        }
        self.current.insert(records, states, chunk, |stored| {
            let i = numbers.next().expect("each of them has a number");
            let (from, action) = (span.record_ahead(parents.of(i)), batch.action(i));
            let number = match stored {
                Stored::New(number) => {
                    observer.stored(Some(from), action);
                    Some(number)
                }
                Stored::Known(number) => number,
                Stored::Candidate => None,
            };
            observer.step(Step { from, action, target: batch.record(records, i), number });
            origin(from, action)
        })
    }
}
