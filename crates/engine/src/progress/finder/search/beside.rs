//! What happens beside the search: another search, and the other half of the work.

use std::sync::atomic::AtomicBool;

use super::super::sample::Sample;

/// The number of threads of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// The thread that calls it.
    One,
    /// Another one beside it.
    Two,
}

/// What goes on beside a search for a measure.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// Some of the states that a search has met, and the number of all of them.
    pub explored: Option<(&'a Sample, usize)>,
    /// The number of threads.
    pub threads: Threads,
    /// Once this is set, the result is of no use.
    pub stop: &'a AtomicBool,
}

/// Does the work on one thread, or in two halves on two threads. The result depends on the halves,
/// not on which of them ends first.
pub(super) fn side_by_side<T: Send, R: Send>(
    threads: Threads,
    items: Vec<T>,
    work: impl Fn(Vec<T>) -> Vec<R> + Sync,
) -> Vec<R> {
    if threads == Threads::One {
        return work(items);
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (number, item) in items.into_iter().enumerate() {
        if number % 2 == 0 { first.push(item) } else { second.push(item) }
    }
    if second.is_empty() {
        return work(first);
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(|| work(second));
        let mut results = work(first);
        // A panic is a defect on either thread.
        results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        results
    })
}
