//! The team: several threads share the expansion of a layer.
//!
//! One thread owns the search: it hands out chunks of states, and commits them in order, exactly as it
//! would alone. Helpers, and the owner while it waits, expand chunks: they compute successors,
//! predicates and progress values, hash the successors that stay in the layer, and look them up in its
//! index. A successor that is found is known, and is dropped. The others are
//! [claimed](crate::store::layer::claims): they are entered into the index under provisional numbers.
//! When the owner commits the chunk, it gives the claims their record numbers, and the thread that has
//! claimed the states stores them. The order of states, their numbers, the trace log and all counts
//! are those of one thread, whatever the schedule.
//!
//! What goes from one thread to another is small: the owner gets a summary of a chunk, unless
//! successors leave the layer, which it stores. Everything else stays in the cache of the thread that
//! made it, but for the index. This counts where processors share no cache: each cache line that has
//! to be fetched from another one takes some 200 ns there. A version in which the owner stored all
//! states took up to 1.4 times as long with two threads as one thread alone.
//!
//! Nothing is claimed if an observer needs every step, because it needs the number of each target:
//! then, as for what a chunk has no more room to claim, the owner inserts what was not found.
//!
//! Whatever changes the layer in other ways, such as a larger index, waits until the helpers are at
//! [rest](Others::rest), and all states are stored. Claims in an old index are void: the owner inserts
//! those states itself.
//!
//! Layers of few states are expanded by the owner alone. If states cause trouble, as run-time errors
//! of the model do, the run ends and begins again for each, and helpers would be started each time:
//! so the owner works alone for a while after trouble.

use std::collections::VecDeque;
use std::convert::Infallible;

use model::transition_system::TransitionSystem;

use crate::explore::course::Course;
use crate::explore::exchange::{Exchange, Owner};
use crate::explore::observer::Observer;
use crate::explore::origin::{UNKNOWN, origin};
use crate::explore::search::{Monitor, SearchEnd};
use crate::explore::sync::pause;
use crate::store::current::Stored;
use crate::store::hash::hash_state;
use crate::store::layer::claims::{Chunk, ClaimPlace, Claims};
use crate::store::layer::{LayerFull, SharedView};
use crate::store::pages::MemoryAhead;
use crate::store::recent_states::RecentStates;
use crate::store::records::Records;

use super::batch::{Expanded, RoutedBatch};
use super::routing::Front;
use super::task::{Bench, Task};
use super::threads::{TeamState, Threads, WorkerFigures};
use super::worker::{Scratch, Worker};
use super::{Commit, Sweep};

/// Successors of a chunk that are wanted: enough that handing it over costs little, few enough that
/// it stays in the cache.
const WANTED: usize = 1280;
/// Bytes of the memory limit for each thread: tasks and caches take a few percent of it.
const LEAST_MEMORY: usize = 8 << 20;

/// Others who look states up in the current layer, and claim them.
pub(super) trait Others {
    /// Waits until none of them does.
    fn rest(&mut self);
    /// Slots that their claims may need.
    fn reserved(&self) -> usize;
    /// The claims, and the number of the chunk that is being committed.
    fn claims(&self) -> Option<(&Claims, usize)>;
}

/// There are no others.
pub(super) struct Alone;

impl Others for Alone {
    #[inline(always)]
    fn rest(&mut self) {}

    #[inline(always)]
    fn reserved(&self) -> usize {
        0
    }

    #[inline(always)]
    fn claims(&self) -> Option<(&Claims, usize)> {
        None
    }
}

/// The owner's side: tasks that were handed out, and what it needs to commit them.
struct Team<'x, 'w, 's, R> {
    owner: Owner<'x, Task>,
    claims: &'w Claims,
    /// Whether chunks claim states.
    is_claiming: bool,
    /// The number of the chunk that is being committed.
    committing: usize,
    records: R,
    bench: Bench<'w, 's>,
    /// Chunks whose claims have record numbers, with the first of them, and are perhaps not stored.
    numbered: VecDeque<(ClaimPlace, usize, SharedView)>,
    /// Successors that left the layer a moment ago, in this epoch.
    recent: (RecentStates, u64),
    /// States that were handed out and not committed.
    handed_out: usize,
    /// States of the next chunk.
    chunk: usize,
    /// A task that is not at any place, so that the one at a place can be taken out.
    spare: Task,
    /// The memory that a helper was last told to ask for.
    populated: Option<MemoryAhead>,
}

impl<R: Records> Others for Team<'_, '_, '_, R> {
    fn rest(&mut self) {
        let Self { owner, bench, records, .. } = self;
        owner.finish_all(|task| task.work(*records, bench));
        self.store_all();
    }

    fn reserved(&self) -> usize {
        if self.is_claiming { self.owner.pending() * self.claims.most() } else { 0 }
    }

    fn claims(&self) -> Option<(&Claims, usize)> {
        Some((self.claims, self.committing))
    }
}

impl<R: Records> Team<'_, '_, '_, R> {
    /// Stores all states that have numbers, or waits until another thread has.
    fn store_all(&mut self) {
        for (place, _, view) in self.numbered.drain(..) {
            // SAFETY: the layer has the index in which these states were claimed as long as they have
            // numbers and are not stored.
            if !unsafe { view.store(self.records, self.claims, place) } {
                while !self.claims.is_stored(place) {
                    pause();
                }
            }
        }
    }

    /// The number of the first chunk that is not stored, and of the first state that may not be, of
    /// `all` states.
    fn stored_up_to(&mut self, all: usize) -> (usize, usize) {
        while let Some((place, ..)) = self.numbered.front()
            && self.claims.is_stored(*place)
        {
            self.numbered.pop_front();
        }
        let first = self.numbered.front();
        first.map_or((self.owner.taken(), all), |(place, base, _)| (place.chunk(), *base))
    }

    /// Forgets all tasks: their states are expanded again.
    fn discard(&mut self, state: &mut TeamState) {
        self.handed_out = 0;
        if self.owner.pending() > 0 {
            let claims = self.claims;
            self.owner.discard_all(|task| {
                if let Some(place) = task.place.take() {
                    claims.drop_place(place);
                }
            });
            state.epoch += 1;
            self.bench.worker.begin_epoch(state.epoch);
        }
        self.claims.commit(self.owner.taken());
    }

    /// Drops successors that leave the layer and were stored a moment ago, except regress edges.
    fn sift_leaving(&mut self, routed: &mut RoutedBatch, front: Front, epoch: u64) {
        let records = self.records;
        if self.recent.1 != epoch {
            self.recent = (RecentStates::new(records.shape()), epoch);
        }
        let mut recent = self.recent.0.look(records);
        let RoutedBatch { successors, values, leaving, .. } = routed;
        leaving.retain(|&number| {
            let number = number as usize;
            front.falls(values[number]) || !recent.knows(successors.record(records, number))
        });
    }
}

impl Sweep {
    /// [`run`](Self::run), with helpers.
    pub(super) fn run_with_helpers<R: Records, O: Observer>(
        &mut self,
        records: R,
        system: &dyn TransitionSystem,
        worker: &mut Worker<'_>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<Infallible, SearchEnd> {
        self.begin_run(records)?;
        let (shape, all_steps) = (self.current.shape(), worker.all_steps());
        let Threads { number, most_claims, .. } = self.team.threads;
        let (threads, under_way) = (number.get(), self.team.threads.under_way());
        let claims = &Claims::new(shape, under_way, most_claims, observer.wants_origins());
        let exchange = &Exchange::new((0..under_way).map(|_| Task::new(shape)));
        std::thread::scope(|scope| {
            let mut team = Team {
                owner: exchange.owner(),
                claims,
                is_claiming: false,
                committing: 0,
                records,
                bench: Bench::new(worker, claims, 0),
                numbered: VecDeque::new(),
                recent: (RecentStates::new(shape), self.team.epoch),
                handed_out: 0,
                chunk: self.team.threads.most_chunk,
                spare: Task::new(shape),
                populated: None,
            };
            let mut helpers = Vec::new();
            let end = self.run_team(&mut team, observer, monitor, &mut || {
                if !helpers.is_empty() {
                    return;
                }
                for helper in 1..threads {
                    helpers.push(scope.spawn(move || {
                        let mut scratch = Scratch::new(shape);
                        scratch.set_all_steps(all_steps);
                        let mut worker = Worker::new(system.expander(), &mut scratch);
                        let mut bench = Bench::new(&mut worker, claims, helper * 2 * under_way / threads);
                        let waited = exchange.help(|task| {
                            task.populate();
                            task.work(records, &mut bench);
                        });
                        WorkerFigures { waited, ..bench.figures }
                    }));
                }
            });
            let Team { owner, bench, .. } = team;
            self.workers.resize(threads, WorkerFigures::default());
            self.workers[0].add(WorkerFigures { waited: owner.waited(), ..bench.figures });
            drop(owner);
            for (helper, total) in helpers.into_iter().zip(&mut self.workers[1..]) {
                // A panic is a defect on either thread.
                total.add(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            end
        })
    }

    /// Searches until there is an end of some kind. `start_helpers` is called before there is work
    /// for them.
    fn run_team<R: Records, O: Observer>(
        &mut self,
        team: &mut Team<'_, '_, '_, R>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
        start_helpers: &mut dyn FnMut(),
    ) -> Result<Infallible, SearchEnd> {
        let records = team.records;
        loop {
            if self.current.is_level_over() {
                self.next_level(records, team.bench.worker, observer, monitor)?;
            }
            if !self.is_shared() {
                self.run_alone(records, team.bench.worker, observer, monitor)?;
                continue;
            }
            start_helpers();
            team.is_claiming = !team.bench.worker.all_steps();
            let end = self.run_shared(team, observer, monitor);
            team.rest();
            // Also if nothing is claimed any more: the chunk that was being committed may have claims.
            if !team.bench.worker.all_steps() && (end.is_err() || team.owner.pending() > 0) {
                self.current.void_claims();
            }
            team.discard(&mut self.team);
            if let Err(SearchEnd::Trouble(_)) = end {
                self.team.trouble(self.figures.counters.explored);
            }
            end?;
        }
    }

    /// Whether helpers can take part in expanding the current layer, and enough states are ready.
    fn is_shared(&self) -> bool {
        self.current.ready(0) >= self.team.threads.shared_from.max(1)
            && !self.current.is_split()
            && self.budget.limit() / LEAST_MEMORY >= self.team.threads.number.get()
            // What a sweep of a group expands again depends on the caches.
            && self.rules.nesting.parts == 0
            && !(self.behind.looks_up() && self.rules.is_measured)
            && self.figures.counters.explored >= self.team.alone_until
    }

    /// Expands the states of the layer, together with helpers, until few are ready.
    fn run_shared<R: Records, O: Observer>(
        &mut self,
        team: &mut Team<'_, '_, '_, R>,
        observer: &mut O,
        monitor: &mut dyn Monitor,
    ) -> Result<(), SearchEnd> {
        let records = team.records;
        loop {
            self.hand_out(team, observer.wants_truth());
            if team.owner.pending() == 0 {
                if team.numbered.is_empty() {
                    return Ok(());
                }
                // The states that come next are not stored.
                team.store_all();
                continue;
            }
            self.refuse_more_states()?;
            if self.is_look_due() {
                team.store_all();
                self.look(records, team.bench.worker, observer, monitor)?;
            }
            self.commit_next(team, observer)?;
            // The tasks are out of date.
            if self.current.is_split() {
                return Ok(());
            }
        }
    }

    /// Hands out chunks of states as long as there is room for tasks and enough states are ready.
    fn hand_out<R: Records>(&mut self, team: &mut Team<'_, '_, '_, R>, wants_truth: bool) {
        let front = self.rules.is_measured.then_some(self.front);
        let Threads { shared_from, least_chunk, most_chunk, .. } = self.team.threads;
        let actions = self.figures.course.as_ref().map_or(0, Course::actions).max(self.inner.actions());
        loop {
            let (chunk, state) = team.stored_up_to(self.current.len());
            if team.owner.next_number() - chunk >= self.team.threads.under_way() {
                return;
            }
            let stored = state.saturating_sub(self.current.cursor() + team.handed_out);
            let ready = self.current.ready(team.handed_out).min(stored);
            // More may follow when what is pending is committed. The last ones are not worth sharing.
            let least = match (team.owner.pending(), self.rules.is_measured) {
                (0, _) => most_chunk.min(shared_from).max(1),
                (_, true) => least_chunk,
                // The end of a level: none will follow.
                (_, false) => 1,
            };
            if ready < least.max(1) {
                return;
            }
            if team.is_claiming && !self.has_slots_for_claims(team) {
                return;
            }
            let states = ready.min(team.chunk);
            let (layer, epoch) = (self.current.layer(), self.team.epoch);
            let (number, claims) = (team.owner.next_number(), team.is_claiming);
            let words = self.current.work_after(team.handed_out, states);
            team.claims.offer(number + 1);
            let memory = layer.memory_ahead().filter(|memory| Some(*memory) != team.populated);
            team.populated = memory.or(team.populated);
            team.owner.offer(|task| {
                (task.number, task.words, task.place) = (number, words, None);
                task.claims = claims;
                (task.front, task.view) = (front, Some((layer.shared(), layer.generation())));
                (task.wants_truth, task.epoch) = (wants_truth, epoch);
                (task.memory, task.actions) = (memory, actions);
            });
            team.handed_out += states;
        }
    }

    /// Whether there are slots for the claims of one more chunk. If not, the index must grow when no
    /// chunk is under way. If it must not grow, nothing is claimed any more.
    fn has_slots_for_claims<R: Records>(&mut self, team: &mut Team<'_, '_, '_, R>) -> bool {
        let most = team.claims.most();
        // One more may be about to be committed.
        if self.current.layer().has_slots((team.owner.pending() + 2) * most) {
            return true;
        }
        if team.owner.pending() > 0 {
            return false;
        }
        // A larger index is filled from the states that are stored.
        team.store_all();
        let wanted = (self.team.threads.under_way() + 1) * most;
        team.is_claiming = self.current.reserve_slots(team.records, wanted).is_ok();
        true
    }

    /// Commits the oldest chunk.
    fn commit_next<R: Records, O: Observer>(
        &mut self,
        team: &mut Team<'_, '_, '_, R>,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let records = team.records;
        // The task is taken out of its place, so that the others can be brought to rest meanwhile.
        let Team { owner, bench, spare, .. } = &mut *team;
        owner.take(|task| task.work(records, bench), |task| std::mem::swap(task, spare));
        let mut task = std::mem::replace(&mut team.spare, Task::new(self.current.shape()));
        team.committing = task.number;
        if task.beside.is_whole {
            self.current.layer().fetch_for_writing(&task.routed.staying.hashes);
        }
        self.hand_out(team, observer.wants_truth());
        if task.beside.is_whole && self.rules.is_measured && !team.bench.worker.all_steps() {
            team.sift_leaving(&mut task.routed, self.front, self.team.epoch);
        }
        self.team.note_task(task.bytes(), team.recent.0.bytes(), team.claims.bytes());
        let Expanded { ends, steps, .. } = task.expanded();
        let states = ends.len();
        let Threads { least_chunk, most_chunk, .. } = self.team.threads;
        team.chunk = (WANTED * states.max(1) / steps.0.max(1)).clamp(least_chunk, most_chunk);
        let committed = self.commit_task(team, &task, observer);
        if committed.is_ok() {
            team.handed_out -= states;
            team.claims.commit(team.owner.taken());
        }
        let trouble = task.beside.trouble;
        team.spare = task;
        committed?;
        team.bench.store_numbered(records);
        self.end_batch(records, trouble)
    }

    /// Commits a chunk.
    fn commit_task<R: Records, O: Observer>(
        &mut self,
        team: &mut Team<'_, '_, '_, R>,
        task: &Task,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let (records, claims, elsewhere) = (team.records, team.claims, team.bench.worker.bytes());
        let (Some(place), Some((view, generation))) = (task.place, task.view) else {
            let commit = (&task.routed, elsewhere);
            return self.commit_routed(records, commit, None, observer, team);
        };
        let routed = task.beside.is_whole.then_some(&task.routed);
        let rest = routed.map_or((0, 0), |one| (one.staying.tags.len(), one.staying.words.len()));
        let winners = claims.winners(place);
        let commit = Commit { expanded: task.expanded(), leaving: routed, kind: None, elsewhere };
        let mut numbered = None;
        let committed =
            self.commit(records, &commit, winners.0 + rest.0, observer, team, |sweep, chunk, observer| {
                // Claims in an old index are void. One that has no slots for all states must grow first.
                if !sweep.current.is_split() {
                    sweep.current.reserve_slots(records, winners.0 + rest.0)?;
                }
                if sweep.current.layer().generation() == generation && !sweep.current.is_split() {
                    let base = sweep.current.number(records, winners, rest)?;
                    if observer.wants_origins() {
                        let span = sweep.current.span();
                        for (parent, action) in claims.origins(place) {
                            observer.stored(Some(span.record_ahead(parent)), action);
                        }
                    }
                    claims.number(place, base);
                    numbered = Some(base.0);
                } else {
                    sweep.insert_claimed(records, (claims, place), observer)?;
                }
                match routed {
                    Some(routed) if rest.0 > 0 => sweep.commit_staying(records, routed, chunk, observer),
                    _ => Ok(()),
                }
            });
        match numbered {
            Some(base) => team.numbered.push_back((place, base, view)),
            None => claims.drop_place(place),
        }
        committed
    }

    /// Inserts the states that a chunk has claimed in an index that is gone.
    #[cold]
    fn insert_claimed<R: Records, O: Observer>(
        &mut self,
        records: R,
        (claims, place): (&Claims, ClaimPlace),
        observer: &mut O,
    ) -> Result<(), LayerFull> {
        let (mut words, span) = (Vec::new(), self.current.span());
        claims.copy_states(records, place, &mut words);
        let hashes: Vec<u64> = records.states(&words).map(|state| hash_state(records.first(state))).collect();
        let chunk = Chunk { claims, number: place.chunk(), hints: &[] };
        let mut origins = claims.origins(place);
        self.current.insert(records, (&words, &hashes), Some(chunk), |stored| match origins.next() {
            Some((parent, action)) => {
                let from = span.record_ahead(parent);
                if let Stored::New(_) = stored {
                    observer.stored(Some(from), action);
                }
                origin(from, action)
            }
            None => UNKNOWN,
        })
    }
}
