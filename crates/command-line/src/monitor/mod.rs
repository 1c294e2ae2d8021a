//! Watching a running search: the clock, the user's Ctrl-C, and the live display.
//!
//! Searches read no clock and print nothing; they show themselves to a [`Monitor`] every few thousand states.

use std::time::{Duration, Instant};

use engine::explore::{Monitor, Phase, Snapshot, StopReason};
use report::RateRecord;

use crate::interrupt::Interrupt;
use crate::live::{Live, LiveChoice};
use crate::usage::UnusedHeap;

/// Time between two notes of how far a search has come, at first.
const RATE_EVERY: Duration = Duration::from_millis(20);
/// The most notes that are kept.
const MOST_RATES: usize = 256;

/// Looks at a running search.
#[derive(Debug)]
pub struct Watch {
    start: Instant,
    time_limit: Option<Duration>,
    interrupt: Interrupt,
    live: Live,
    heap: UnusedHeap,
    /// How far the search had come, from time to time.
    rate: Vec<RateRecord>,
    /// Time between two entries of it.
    rate_every: Duration,
}

impl Watch {
    /// A watch over a run that began at `start`.
    pub fn new(start: Instant, time_limit: Option<Duration>, interrupt: Interrupt, live: LiveChoice) -> Self {
        Self {
            start,
            time_limit,
            interrupt,
            live: Live::new(live, start),
            heap: UnusedHeap::new(start),
            rate: Vec::new(),
            rate_every: RATE_EVERY,
        }
    }

    /// Takes the live display away, and tells how far the search had come when.
    pub fn finish(self) -> Vec<RateRecord> {
        self.live.finish();
        self.rate
    }

    /// Notes how far the search has come; half as often, whenever there are too many notes.
    fn note_rate(&mut self, explored: u64, now: Instant) {
        let seconds = now.duration_since(self.start).as_secs_f64();
        let last = self.rate.last().map_or(0.0, |last| last.seconds);
        if seconds - last < self.rate_every.as_secs_f64() {
            return;
        }
        // A measure was looked for, or another search begins.
        if self.rate.last().is_some_and(|last| last.explored > explored) {
            self.rate.clear();
        }
        self.rate.push(RateRecord { seconds, explored });
        if self.rate.len() > MOST_RATES {
            let mut number = 0;
            self.rate.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.rate_every *= 2;
        }
    }
}

impl Monitor for Watch {
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason> {
        if self.interrupt.is_wanted() {
            return Some(StopReason::Interrupted);
        }
        let now = Instant::now();
        if self.time_limit.is_some_and(|limit| now.duration_since(self.start) >= limit) {
            return Some(StopReason::TimeLimit);
        }
        self.heap.look(now, snapshot.bytes);
        self.note_rate(snapshot.counters.explored, now);
        self.live.show(snapshot, now);
        None
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.interrupt.takes_checkpoint()
    }

    fn phase(&mut self, phase: Phase<'_>) {
        self.live.phase(phase);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_and_the_user_stop_a_search() {
        let look = |limit, interrupt| {
            Watch::new(Instant::now(), limit, interrupt, LiveChoice::None).look(&Snapshot::default())
        };
        assert_eq!(look(None, Interrupt::default()), None);
        assert_eq!(look(Some(Duration::from_secs(3600)), Interrupt::default()), None);
        assert_eq!(look(Some(Duration::ZERO), Interrupt::default()), Some(StopReason::TimeLimit));
    }
}
