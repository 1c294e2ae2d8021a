//! The [exchange](super::exchange) under `shuttle`, which runs it in thousands of schedules.
//!
//! Covered: every task is worked on exactly once, also when the owner helps; tasks come back in the
//! order in which they were offered; after `finish_all` no helper works on a task; discarded tasks
//! are not seen again; sleeping helpers are woken, and end with the owner. What threads do with the
//! index of a layer meanwhile is tested in `store/layer/claim_schedules.rs`.

#[allow(clippy::duplicate_mod, dead_code, reason = "the same file with other primitives; not all is used")]
#[path = "exchange.rs"]
mod exchange;

/// The primitives of `shuttle`.
mod sync {
    pub use shuttle::sync::{Condvar, Mutex, atomic};
    pub use std::sync::PoisonError;

    /// Few, so that helpers sleep in most schedules.
    pub const SPINS: u32 = 2;

    /// Lets another thread run.
    pub fn pause() {
        shuttle::thread::yield_now();
    }
}

use std::collections::HashSet;

use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicUsize, Ordering};

use exchange::Exchange;

/// A task: its number, how often it was worked on, and whether someone is at work.
#[derive(Debug, Default)]
struct Task {
    number: usize,
    worked: usize,
}

/// Offers tasks to helpers and takes them back, with some waiting and some discarding in between.
fn exchange(helpers: usize, places: usize, tasks: usize) {
    let exchange = Arc::new(Exchange::new((0..places).map(|_| Task::default())));
    let at_work = Arc::new(AtomicUsize::new(0));
    let work = |at_work: &AtomicUsize, task: &mut Task| {
        at_work.fetch_add(1, Ordering::SeqCst);
        task.worked += 1;
        shuttle::thread::yield_now();
        at_work.fetch_sub(1, Ordering::SeqCst);
    };
    let threads: Vec<_> = (0..helpers)
        .map(|_| {
            let (exchange, at_work) = (exchange.clone(), at_work.clone());
            shuttle::thread::spawn(move || exchange.help(|task| work(&at_work, task)))
        })
        .collect();
    let mut owner = exchange.owner();
    let (mut next, mut seen, mut last) = (0, HashSet::new(), None);
    while next < tasks || owner.pending() > 0 {
        while next < tasks && owner.has_room() {
            owner.offer(|task| *task = Task { number: next, worked: 0 });
            next += 1;
        }
        if next == tasks / 2 {
            owner.finish_all(|task| work(&at_work, task));
            assert_eq!(at_work.load(Ordering::SeqCst), 0, "all are at rest");
        }
        if next == tasks - 1 {
            owner.discard_all(|_| {});
            assert_eq!((owner.pending(), at_work.load(Ordering::SeqCst)), (0, 0));
            continue;
        }
        owner.take(
            |task| work(&at_work, task),
            |task| {
                assert_eq!(task.worked, 1, "a task is worked on once");
                assert!(last < Some(task.number) && seen.insert(task.number), "tasks come back in order");
                last = Some(task.number);
            },
        );
    }
    drop(owner);
    for thread in threads {
        thread.join().expect("a helper ends with the owner");
    }
}

#[test]
fn random_schedules_of_two_helpers() {
    shuttle::check_random(|| exchange(2, 3, 7), 3_000);
}

#[test]
fn random_schedules_of_one_helper_and_one_place() {
    shuttle::check_random(|| exchange(1, 1, 5), 2_000);
}

/// Schedules in which few threads are preempted at adverse moments find more of some defects.
#[test]
fn adverse_schedules_of_three_helpers() {
    shuttle::check_pct(|| exchange(3, 2, 6), 2_000, 3);
}
