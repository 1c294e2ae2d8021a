//! The exchange: tasks that one thread, the owner, hands to helpers and takes back in order.
//!
//! A ring of places holds the tasks. The owner offers tasks, which get ascending numbers. A helper
//! claims the least number that is not claimed, works on that task, and marks it as done. The owner
//! takes tasks back in the order of their numbers. While the next one is not done, the owner claims
//! tasks itself. So the order of results does not depend on who did the work, and nobody waits as
//! long as there is a task to claim.
//!
//! Claims are compare-and-swap operations on a counter, and each task is behind a lock that is never
//! contended: the counters say who may lock it. A helper that finds nothing to do spins for a while,
//! because tasks are short, and then sleeps.
//!
//! `exchange_schedules` runs this file under `shuttle`, which replaces the primitives in
//! [`sync`](super::sync) and tries many schedules.

use std::time::{Duration, Instant};

use super::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use super::sync::{Condvar, Mutex, PoisonError, SPINS, pause};

/// Tasks on their way between the owner and its helpers.
#[derive(Debug)]
pub struct Exchange<T> {
    places: Box<[Place<T>]>,
    /// Number of tasks that were offered.
    offered: Apart<AtomicUsize>,
    /// Number of tasks that were claimed.
    claimed: Apart<AtomicUsize>,
    is_closed: AtomicBool,
    /// Whether a helper has panicked.
    has_failed: AtomicBool,
    /// Number of helpers that sleep, or are about to.
    sleeping: AtomicUsize,
    bed: Mutex<()>,
    bell: Condvar,
}

/// Something that shares no cache line with anything else.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A task, and whether it is done.
#[derive(Debug)]
#[repr(align(128))]
struct Place<T> {
    task: Mutex<T>,
    /// The number of the last task that was done here, plus one.
    done: AtomicUsize,
}

/// Marks a task as done when it is dropped, also by a panic, which is a defect: the owner must not
/// wait for ever.
struct Done<'x, T> {
    exchange: &'x Exchange<T>,
    place: &'x Place<T>,
    number: usize,
}

impl<T> Drop for Done<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.exchange.has_failed.store(true, SeqCst);
        }
        self.place.done.store(self.number + 1, SeqCst);
    }
}

/// The side of the exchange that offers tasks and takes them back. Dropping it ends the helpers.
#[derive(Debug)]
pub struct Owner<'x, T> {
    exchange: &'x Exchange<T>,
    /// Number of tasks that were taken back.
    taken: usize,
    idle: Idle,
}

/// The time in which a thread had nothing to do, for the record of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Idle {
    since: Option<Instant>,
    total: Duration,
}

impl Idle {
    fn begin(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    fn end(&mut self) {
        if let Some(since) = self.since.take() {
            self.total += since.elapsed();
        }
    }
}

impl<T> Exchange<T> {
    /// An exchange with a place for each of these tasks.
    pub fn new(tasks: impl Iterator<Item = T>) -> Self {
        let place = |task| Place { task: Mutex::new(task), done: AtomicUsize::new(0) };
        Self {
            places: tasks.map(place).collect(),
            offered: Apart(AtomicUsize::new(0)),
            claimed: Apart(AtomicUsize::new(0)),
            is_closed: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            sleeping: AtomicUsize::new(0),
            bed: Mutex::new(()),
            bell: Condvar::new(),
        }
    }

    /// The owner's side. There must be only one.
    pub fn owner(&self) -> Owner<'_, T> {
        Owner { exchange: self, taken: 0, idle: Idle::default() }
    }

    /// Works on tasks until the owner is dropped. Returns the time without work.
    pub fn help(&self, mut work: impl FnMut(&mut T)) -> Duration {
        let (mut spins, mut idle) = (0, Idle::default());
        while !self.is_closed.load(SeqCst) {
            if self.work_on_one(&mut work) {
                spins = 0;
                idle.end();
                continue;
            }
            idle.begin();
            if spins < SPINS {
                spins += 1;
                pause();
            } else {
                self.sleep();
                spins = 0;
            }
        }
        idle.end();
        idle.total
    }

    fn place(&self, number: usize) -> &Place<T> {
        &self.places[number % self.places.len()]
    }

    /// Claims the next task; `None` if all that were offered are claimed.
    fn claim(&self) -> Option<usize> {
        let mut next = self.claimed.load(SeqCst);
        loop {
            if next >= self.offered.load(SeqCst) {
                return None;
            }
            match self.claimed.compare_exchange(next, next + 1, SeqCst, SeqCst) {
                Ok(_) => return Some(next),
                Err(now) => next = now,
            }
        }
    }

    /// Works on the next task, if there is one.
    fn work_on_one(&self, work: &mut impl FnMut(&mut T)) -> bool {
        let Some(number) = self.claim() else { return false };
        let place = self.place(number);
        let _done = Done { exchange: self, place, number };
        work(&mut place.task.lock().unwrap_or_else(PoisonError::into_inner));
        true
    }

    /// Sleeps until a task is offered, or the owner is dropped. The counter of sleepers rises before
    /// the last look at the tasks, and the owner reads it after it has offered one: one of the two
    /// notices the other.
    fn sleep(&self) {
        let mut bed = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleeping.fetch_add(1, SeqCst);
        while self.claimed.load(SeqCst) >= self.offered.load(SeqCst) && !self.is_closed.load(SeqCst) {
            bed = self.bell.wait(bed).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleeping.fetch_sub(1, SeqCst);
    }

    fn wake(&self) {
        if self.sleeping.load(SeqCst) > 0 {
            // A helper that counts as asleep holds this lock until it really is.
            drop(self.bed.lock());
            self.bell.notify_all();
        }
    }
}

impl<T> Owner<'_, T> {
    /// Number of tasks that were taken back.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Number of tasks that were offered and not taken back.
    pub fn pending(&self) -> usize {
        self.exchange.offered.load(SeqCst) - self.taken
    }

    /// The number of the task that is offered next.
    pub fn next_number(&self) -> usize {
        self.exchange.offered.load(SeqCst)
    }

    /// Whether another task can be offered.
    pub fn has_room(&self) -> bool {
        self.pending() < self.exchange.places.len()
    }

    /// Offers the next task, which `fill` prepares. There must be room.
    pub fn offer(&mut self, fill: impl FnOnce(&mut T)) {
        debug_assert!(self.has_room(), "every place has a task");
        let number = self.exchange.offered.load(SeqCst);
        fill(&mut self.exchange.place(number).task.lock().unwrap_or_else(PoisonError::into_inner));
        self.exchange.offered.store(number + 1, SeqCst);
        self.exchange.wake();
    }

    /// Takes back the oldest task, when it is done. Works on others meanwhile. `None` if none is
    /// pending.
    pub fn take<R>(&mut self, mut work: impl FnMut(&mut T), each: impl FnOnce(&mut T) -> R) -> Option<R> {
        if self.pending() == 0 {
            return None;
        }
        self.wait_for(self.taken, &mut work);
        let place = self.exchange.place(self.taken);
        let taken = each(&mut place.task.lock().unwrap_or_else(PoisonError::into_inner));
        self.taken += 1;
        Some(taken)
    }

    /// Waits until all pending tasks are done. No helper works on one after that.
    pub fn finish_all(&mut self, mut work: impl FnMut(&mut T)) {
        for number in self.taken..self.exchange.offered.load(SeqCst) {
            self.wait_for(number, &mut work);
        }
    }

    /// Drops all pending tasks, done or not, after `each` has seen them. No helper works on one after
    /// that.
    pub fn discard_all(&mut self, mut each: impl FnMut(&mut T)) {
        self.finish_all(|_| {});
        let offered = self.exchange.offered.load(SeqCst);
        for number in self.taken..offered {
            each(&mut self.exchange.place(number).task.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.taken = offered;
    }

    /// The time in which the owner waited for helpers.
    pub fn waited(&self) -> Duration {
        self.idle.total
    }

    fn wait_for(&mut self, number: usize, work: &mut impl FnMut(&mut T)) {
        while self.exchange.place(number).done.load(SeqCst) != number + 1 {
            if self.exchange.work_on_one(work) {
                self.idle.end();
            } else {
                self.idle.begin();
                pause();
            }
        }
        self.idle.end();
        assert!(!self.exchange.has_failed.load(SeqCst), "a helper of the search has panicked");
    }
}

impl<T> Drop for Owner<'_, T> {
    fn drop(&mut self) {
        self.exchange.is_closed.store(true, SeqCst);
        self.exchange.wake();
    }
}
