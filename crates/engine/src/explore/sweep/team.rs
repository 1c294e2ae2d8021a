//! The team: several threads share the expansion of a layer.
//!
//! One thread owns the search: it hands out chunks of states, and commits their successors in the
//! order of the chunks, exactly as it would alone. Helpers, and the owner while it waits, expand
//! chunks: they compute successors, predicates and progress values, hash the successors that stay in
//! the layer, and look them up in its index. A successor that is found is known, and is dropped. The
//! others are [claimed](crate::store::layer::claims): they are entered into the index under
//! provisional numbers, and the owner gives those that are new their record numbers when it commits
//! the chunk. The order of states, their numbers, the trace log and all counts are those of one
//! thread, whatever the schedule.
//!
//! Committing, the sequential part, so takes a small share of the time: it copies new states, writes
//! their slots and the trace log, and stores what leaves the layer. Nothing is claimed if an observer
//! needs every step, because it needs the number of each target: then, as for what a chunk has no more
//! room to claim, the owner inserts what was not found.
//!
//! Whatever changes the layer in other ways, such as a larger index, waits until the helpers are at
//! [rest](Others::rest). Claims in an old index are void: the owner inserts those states itself.
//!
//! Layers of few states are expanded by the owner alone. If states cause trouble, as run-time errors
//! of the model do, the run ends and begins again for each, and helpers would be started each time:
//! so the owner works alone for a while after trouble.

use std::convert::Infallible;

use model::transition_system::TransitionSystem;

use crate::explore::course::Course;
use crate::explore::exchange::{Exchange, Owner};
use crate::explore::observer::Observer;
use crate::explore::search::{Monitor, SearchEnd};
use crate::store::layer::claims::Claims;
use crate::store::layer::{Layer, SharedView};
use crate::store::pages::MemoryAhead;
use crate::store::recent_states::RecentStates;
use crate::store::records::{RecordShape, Records};

use super::Sweep;
use super::routing::Front;
use super::threads::{TeamState, Threads, WorkerFigures};
use super::worker::{Claiming, Known, RoutedBatch, Scratch, Sight, Worker};

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

/// A chunk of states, and what came of it.
#[derive(Debug)]
struct Task {
    /// The number of the chunk.
    number: usize,
    states: Vec<u64>,
    front: Option<Front>,
    /// The layer, and the number of its index.
    view: Option<(SharedView, u64)>,
    /// Whether states are claimed.
    claims: bool,
    wants_truth: bool,
    epoch: u64,
    /// Number of actions, if it is to be counted how often each was taken.
    actions: usize,
    routed: RoutedBatch,
    trouble: bool,
    /// Memory that the layer will need soon.
    memory: Option<MemoryAhead>,
    /// Whether the owner has fetched what it needs to store the successors.
    is_fetched: bool,
}

impl Task {
    fn new(shape: RecordShape) -> Self {
        Self {
            number: 0,
            states: Vec::new(),
            front: None,
            view: None,
            claims: false,
            wants_truth: false,
            epoch: 0,
            actions: 0,
            routed: RoutedBatch::new(shape, usize::MAX),
            trouble: false,
            memory: None,
            is_fetched: false,
        }
    }

    /// Expands the states, looks their successors up and claims those that are new.
    fn work<R: Records>(
        &mut self,
        records: R,
        worker: &mut Worker<'_>,
        claims: &Claims,
        figures: &mut WorkerFigures,
    ) {
        let Some((view, generation)) = self.view else { return };
        let claiming = self.claims.then_some(Claiming { claims, chunk: self.number, generation });
        let known = Known::Shared(view, claiming);
        let sight = Sight { front: self.front, known, wants_truth: self.wants_truth };
        worker.begin_epoch(self.epoch);
        self.is_fetched = false;
        // SAFETY: the view is that of the current layer, which is not changed before this task is
        // done, except that states are entered into slots that exist.
        self.trouble = unsafe { worker.expand_into(records, &self.states, &sight, &mut self.routed) };
        debug_assert!(
            self.trouble || self.routed.successors.ends().len() == records.shape().count(&self.states),
            "all states of a chunk are expanded"
        );
        if self.actions > 0 {
            self.routed.count_actions(self.actions);
        }
        figures.states += self.routed.successors.ends().len() as u64;
        figures.steps += self.routed.successors.len() as u64;
    }

    /// Asks the system for memory that the layer will need soon: zeroing it takes long.
    fn populate(&mut self) {
        if let Some(memory) = self.memory.take() {
            memory.populate();
        }
    }

    /// Fetches the parts of the index where the successors will be stored: they are in the cache of
    /// another processor.
    fn fetch(&mut self, layer: &Layer) {
        if !std::mem::replace(&mut self.is_fetched, true) {
            match self.routed.staying.claimed_in {
                Some(_) => layer.fetch_slots_for_writing(&self.routed.staying.slots),
                None => layer.fetch_for_writing(&self.routed.staying.hashes),
            }
        }
    }

    fn bytes(&self) -> usize {
        self.states.capacity() * 8 + self.routed.bytes()
    }
}

/// The owner's side: tasks that were handed out, and what it needs to commit them.
struct Team<'x, 'w, 's, R> {
    owner: Owner<'x, Task>,
    claims: &'x Claims,
    /// Whether chunks claim states.
    is_claiming: bool,
    /// The number of the chunk that is being committed.
    committing: usize,
    records: R,
    worker: &'w mut Worker<'s>,
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
    /// What the owner expanded of the tasks.
    figures: WorkerFigures,
}

impl<R: Records> Others for Team<'_, '_, '_, R> {
    fn rest(&mut self) {
        let Self { owner, worker, records, claims, figures, .. } = self;
        owner.finish_all(|task| task.work(*records, worker, claims, figures));
    }

    fn reserved(&self) -> usize {
        if self.is_claiming { self.owner.pending() * self.claims.most() } else { 0 }
    }

    fn claims(&self) -> Option<(&Claims, usize)> {
        Some((self.claims, self.committing))
    }
}

impl<R: Records> Team<'_, '_, '_, R> {
    /// Forgets all tasks: their states are expanded again.
    fn discard(&mut self, state: &mut TeamState) {
        self.handed_out = 0;
        if self.owner.pending() > 0 {
            self.owner.discard_all();
            state.epoch += 1;
            self.worker.begin_epoch(state.epoch);
        }
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
        let threads = self.team.threads.number.get();
        let claims = &Claims::new(shape, self.team.threads.under_way(), self.team.threads.most_claims);
        let exchange = Exchange::new((0..claims.places()).map(|_| Task::new(shape)));
        std::thread::scope(|scope| {
            let mut team = Team {
                owner: exchange.owner(),
                claims,
                is_claiming: false,
                committing: 0,
                records,
                worker,
                recent: (RecentStates::new(shape), self.team.epoch),
                handed_out: 0,
                chunk: self.team.threads.most_chunk,
                spare: Task::new(shape),
                populated: None,
                figures: WorkerFigures::default(),
            };
            let mut helpers = Vec::new();
            let end = self.run_team(&mut team, observer, monitor, &mut || {
                if !helpers.is_empty() {
                    return;
                }
                for _ in 1..threads {
                    helpers.push(scope.spawn(|| {
                        let mut scratch = Scratch::new(shape);
                        scratch.set_all_steps(all_steps);
                        let mut worker = Worker::new(system.expander(), &mut scratch);
                        let mut figures = WorkerFigures::default();
                        figures.waited = exchange.help(|task| {
                            task.populate();
                            task.work(records, &mut worker, claims, &mut figures);
                        });
                        figures
                    }));
                }
            });
            let Team { owner, figures, .. } = team;
            self.workers.resize(threads, WorkerFigures::default());
            self.workers[0].add(WorkerFigures { waited: owner.waited(), ..figures });
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
                self.next_level(records, team.worker, observer, monitor)?;
            }
            if !self.is_shared() {
                self.run_alone(records, team.worker, observer, monitor)?;
                continue;
            }
            start_helpers();
            team.is_claiming = !team.worker.all_steps();
            let end = self.run_shared(team, observer, monitor);
            // Also if nothing is claimed any more: the chunk that was being committed may have claims.
            if !team.worker.all_steps() && (end.is_err() || team.owner.pending() > 0) {
                team.rest();
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
                return Ok(());
            }
            self.refuse_more_states()?;
            self.look_if_due(records, team.worker, observer, monitor)?;
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
        let actions = self.figures.course.as_ref().map_or(0, Course::actions);
        while team.owner.pending() < self.team.threads.under_way() {
            let ready = self.current.ready(team.handed_out);
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
            let memory = layer.memory_ahead().filter(|memory| Some(*memory) != team.populated);
            team.populated = memory.or(team.populated);
            team.owner.offer(|task| {
                task.states.clear();
                task.states.extend_from_slice(words);
                (task.number, task.claims) = (number, claims);
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
        let (records, measured, front) = (team.records, self.rules.is_measured, self.front);
        // The task is taken out of its place, so that the others can be brought to rest meanwhile.
        let Team { owner, worker, claims, spare, figures, .. } = &mut *team;
        owner.take(|task| task.work(records, worker, claims, figures), |task| std::mem::swap(task, spare));
        let mut task = std::mem::replace(&mut team.spare, Task::new(self.current.shape()));
        team.committing = task.number;
        let layer = self.current.layer();
        task.fetch(layer);
        // What is committed next is fetched while this task is committed.
        team.owner.peek(|next| next.fetch(layer));
        self.hand_out(team, observer.wants_truth());
        if measured && !team.worker.all_steps() {
            team.sift_leaving(&mut task.routed, front, self.team.epoch);
        }
        let states = task.routed.successors.ends().len();
        self.team.note_task(task.bytes(), team.recent.0.bytes(), team.claims.bytes());
        let successors = task.routed.successors.len().max(1);
        let Threads { least_chunk, most_chunk, .. } = self.team.threads;
        team.chunk = (WANTED * states.max(1) / successors).clamp(least_chunk, most_chunk);
        let elsewhere = team.worker.bytes();
        let committed = self.commit(records, (&task.routed, elsewhere), None, observer, team);
        if committed.is_ok() {
            team.handed_out -= states;
        }
        let trouble = task.trouble;
        team.spare = task;
        committed?;
        self.end_batch(records, trouble)
    }
}
