//! The team: several threads share the expansion of a layer.
//!
//! One thread owns the search: it hands out chunks of states, and commits their successors in the
//! order of the chunks, exactly as it would alone. Helpers, and the owner while it waits, expand
//! chunks: they compute successors, predicates and progress values, hash the successors that stay in
//! the layer, and look them up in its index, while the owner inserts states there. A successor that
//! is found is known, and is dropped. One that is not found may be new, and the owner looks again
//! when it commits. So look-ups beside the owner only save work: the order of states, their numbers,
//! the trace log and all counts are those of one thread, whatever the schedule.
//!
//! What it costs and gives: committing, the sequential part, takes a fifth to a third of the time of
//! a search by one thread, so that two to four threads are used well. A design in which helpers
//! insert, too, under provisional numbers, was considered: it scales further, but needs two barriers
//! a round, and takes up to a fifth more time on each thread.
//!
//! The owner may insert states while helpers look up. Everything else that changes the layer, such
//! as a larger index, waits until they are at [rest](Others::rest).
//!
//! Layers of few states are expanded by the owner alone. If states cause trouble, as run-time errors
//! of the model do, the run ends and begins again for each, and helpers would be started each time:
//! so the owner works alone for a while after trouble.

use std::convert::Infallible;
use std::num::NonZero;
use std::time::Duration;

use model::transition_system::TransitionSystem;

use crate::explore::course::Course;
use crate::explore::exchange::{Exchange, Owner};
use crate::explore::observer::Observer;
use crate::explore::search::{Monitor, SearchEnd};
use crate::store::layer::{Layer, SharedView};
use crate::store::pages::MemoryAhead;
use crate::store::recent_states::RecentStates;
use crate::store::records::{RecordShape, Records};

use super::Sweep;
use super::routing::Front;
use super::worker::{Known, RoutedBatch, Scratch, Sight, Worker};

/// Successors of a chunk that are wanted: enough that handing it over costs little, few enough that
/// it stays in the cache.
const WANTED: usize = 1280;
/// Tasks for each thread: while one is worked on, others wait to be committed.
const TASKS: usize = 3;
/// Bytes of the memory limit for each thread: tasks and caches take a few percent of it.
const LEAST_MEMORY: usize = 8 << 20;
/// States that the owner expands alone after trouble. Doubled each time, up to the second number.
const CALM: (u64, u64) = (1 << 10, 1 << 20);

/// The threads of a search, and which work they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Number of threads.
    pub number: NonZero<usize>,
    /// States that must be ready for threads to share them. A level of fewer is over before helpers
    /// are at work: with 512, short searches took up to twice as long as by one thread.
    pub shared_from: usize,
    /// Fewest states of a chunk, the unit that is shared, while more may follow.
    pub least_chunk: usize,
    /// Most states of a chunk.
    pub most_chunk: usize,
    /// Number of expansions from which on small layers are merged. Shorter searches gain too little
    /// to report other layers and peaks than one thread does.
    pub merged_from: u64,
}

impl Threads {
    /// So many threads.
    pub fn new(number: NonZero<usize>) -> Self {
        Self { number, shared_from: 4096, least_chunk: 16, most_chunk: 256, merged_from: 1 << 22 }
    }

    /// As many threads as processors that this process may use: its affinity and the quota of its
    /// group count.
    pub fn of_this_machine() -> Self {
        Self::new(std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN))
    }
}

impl Default for Threads {
    /// One thread.
    fn default() -> Self {
        Self::new(NonZero::<usize>::MIN)
    }
}

/// The threads of a search, and when they work together.
#[derive(Clone, Copy, Debug)]
pub(super) struct TeamState {
    threads: Threads,
    /// Until this many states are expanded, the owner works alone.
    alone_until: u64,
    /// States that the owner expands alone after the next trouble.
    calm: u64,
    /// Changes when caches of recent states must be emptied: when a sweep ends, and when tasks were
    /// discarded, whose states were not stored.
    pub(super) epoch: u64,
    /// Bytes of all tasks, and of the caches of helpers.
    pub(super) bytes: usize,
}

impl Default for TeamState {
    fn default() -> Self {
        Self::new(Threads::default())
    }
}

impl TeamState {
    pub(super) fn new(threads: Threads) -> Self {
        Self { threads, alone_until: 0, calm: CALM.0, epoch: 0, bytes: 0 }
    }

    /// Whether a search that has expanded so many states may merge small layers.
    pub(super) fn merges(&self, explored: u64) -> bool {
        self.has_helpers() && explored >= self.threads.merged_from
    }

    /// Whether there are helpers.
    pub(super) fn has_helpers(&self) -> bool {
        self.threads.number.get() > 1
    }

    /// Notes the bytes of a task, and of a cache of recent states.
    fn note_task(&mut self, task: usize, cache: usize) {
        let threads = self.threads.number.get();
        self.bytes = self.bytes.max(threads * (TASKS * task + cache));
    }

    /// A state caused trouble after so many expansions.
    fn trouble(&mut self, explored: u64) {
        self.alone_until = explored + self.calm;
        self.calm = (self.calm * 2).min(CALM.1);
    }
}

/// What a thread did while threads shared their work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerFigures {
    /// States that it expanded.
    pub states: u64,
    /// Steps from them.
    pub steps: u64,
    /// Time without work.
    pub waited: Duration,
}

impl WorkerFigures {
    fn add(&mut self, more: Self) {
        self.states += more.states;
        self.steps += more.steps;
        self.waited += more.waited;
    }
}

/// Others who look states up in the current layer.
pub(super) trait Others {
    /// Waits until none of them does.
    fn rest(&mut self);
}

/// There are no others.
pub(super) struct Alone;

impl Others for Alone {
    #[inline(always)]
    fn rest(&mut self) {}
}

/// A chunk of states, and what came of it.
#[derive(Debug)]
struct Task {
    states: Vec<u64>,
    front: Option<Front>,
    view: Option<SharedView>,
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
            states: Vec::new(),
            front: None,
            view: None,
            wants_truth: false,
            epoch: 0,
            actions: 0,
            routed: RoutedBatch::new(shape, usize::MAX),
            trouble: false,
            memory: None,
            is_fetched: false,
        }
    }

    /// Expands the states and looks their successors up.
    fn work<R: Records>(&mut self, records: R, worker: &mut Worker<'_>, figures: &mut WorkerFigures) {
        let Some(view) = self.view else { return };
        let sight = Sight { front: self.front, known: Known::Shared(view), wants_truth: self.wants_truth };
        worker.begin_epoch(self.epoch);
        self.is_fetched = false;
        // SAFETY: the view is that of the current layer, which the owner of the exchange does not
        // change, except by insertions into slots that exist, before this task is done.
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
            layer.fetch_for_writing(&self.routed.staying.hashes);
        }
    }

    fn bytes(&self) -> usize {
        self.states.capacity() * 8 + self.routed.bytes()
    }
}

/// The owner's side: tasks that were handed out, and what it needs to commit them.
struct Team<'x, 'w, 's, R> {
    owner: Owner<'x, Task>,
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
        let Self { owner, worker, records, figures, .. } = self;
        owner.finish_all(|task| task.work(*records, worker, figures));
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
        let exchange = Exchange::new((0..threads * TASKS).map(|_| Task::new(shape)));
        std::thread::scope(|scope| {
            let mut team = Team {
                owner: exchange.owner(),
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
                            task.work(records, &mut worker, &mut figures);
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
            let end = self.run_shared(team, observer, monitor);
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
        while team.owner.has_room() {
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
            let states = ready.min(team.chunk);
            let (layer, epoch) = (self.current.layer(), self.team.epoch);
            let words = self.current.work_after(team.handed_out, states);
            let memory = layer.memory_ahead().filter(|memory| Some(*memory) != team.populated);
            team.populated = memory.or(team.populated);
            team.owner.offer(|task| {
                task.states.clear();
                task.states.extend_from_slice(words);
                (task.front, task.view) = (front, Some(layer.shared()));
                (task.wants_truth, task.epoch) = (wants_truth, epoch);
                (task.memory, task.actions) = (memory, actions);
            });
            team.handed_out += states;
        }
    }

    /// Commits the oldest chunk.
    fn commit_next<R: Records, O: Observer>(
        &mut self,
        team: &mut Team<'_, '_, '_, R>,
        observer: &mut O,
    ) -> Result<(), SearchEnd> {
        let (records, measured, front) = (team.records, self.rules.is_measured, self.front);
        // The task is taken out of its place, so that the others can be brought to rest meanwhile.
        let Team { owner, worker, spare, figures, .. } = &mut *team;
        owner.take(|task| task.work(records, worker, figures), |task| std::mem::swap(task, spare));
        let mut task = std::mem::replace(&mut team.spare, Task::new(self.current.shape()));
        let layer = self.current.layer();
        task.fetch(layer);
        // What is committed next is fetched while this task is committed.
        team.owner.peek(|next| next.fetch(layer));
        self.hand_out(team, observer.wants_truth());
        if measured && !team.worker.all_steps() {
            team.sift_leaving(&mut task.routed, front, self.team.epoch);
        }
        let states = task.routed.successors.ends().len();
        self.team.note_task(task.bytes(), team.recent.0.bytes());
        let successors = task.routed.successors.len().max(1);
        let Threads { least_chunk, most_chunk, .. } = self.team.threads;
        team.chunk = (WANTED * states.max(1) / successors).clamp(least_chunk, most_chunk);
        let elsewhere = team.worker.bytes();
        self.commit(records, (&task.routed, elsewhere), None, observer, team)?;
        team.handed_out -= states;
        let trouble = task.trouble;
        team.spare = task;
        self.end_batch(records, trouble)
    }
}
