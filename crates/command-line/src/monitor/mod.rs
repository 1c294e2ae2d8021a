//! Monitoring a running search: the time limit, Ctrl-C, the live display, and the rate over time.
//!
//! A search does not read the clock and does not print. It calls its [`Monitor`] every few thousand
//! states.

mod interrupt;
mod live_display;
mod resource_usage;

use std::time::{Duration, Instant};

use engine::explore::{Monitor, Phase, Snapshot, StopReason};
use languages::Model;
use report::RateRecord;

pub use interrupt::Interrupt;
use live_display::Live;
pub use live_display::{LiveDisplay, json_line};
pub use resource_usage::usage_since;

/// Initial time between two samples of the rate.
const RATE_EVERY: Duration = Duration::from_millis(20);
/// Greatest number of samples.
const MOST_SAMPLES: usize = 256;

/// The monitor of one search.
#[derive(Debug)]
pub struct SearchMonitor<'m> {
    start: Instant,
    time_limit: Option<Duration>,
    interrupt: Interrupt,
    live: Live<'m>,
    /// Number of explored states at certain times.
    rate: Vec<RateRecord>,
    /// Time between two samples of `rate`.
    rate_every: Duration,
}

impl<'m> SearchMonitor<'m> {
    /// Monitors a search of a run that began at `start`. The model names what the display shows.
    pub fn new(
        start: Instant,
        time_limit: Option<Duration>,
        interrupt: Interrupt,
        (live, model): (LiveDisplay, Option<&'m Model>),
    ) -> Self {
        Self {
            start,
            time_limit,
            interrupt,
            live: Live::new(live, start, model),
            rate: Vec::new(),
            rate_every: RATE_EVERY,
        }
    }

    /// Removes the live display and returns the samples of the rate.
    pub fn finish(self) -> Vec<RateRecord> {
        self.live.finish();
        self.rate
    }

    /// Samples the rate. When there are too many samples, drops every other one and samples half as
    /// often.
    fn sample_rate(&mut self, explored: u64, now: Instant) {
        let seconds = now.duration_since(self.start).as_secs_f64();
        let last = self.rate.last().map_or(0.0, |last| last.seconds);
        if seconds - last < self.rate_every.as_secs_f64() {
            return;
        }
        // The count starts again after a measure search, and for each further search.
        if self.rate.last().is_some_and(|last| last.explored > explored) {
            self.rate.clear();
        }
        self.rate.push(RateRecord { seconds, explored });
        if self.rate.len() > MOST_SAMPLES {
            let mut number = 0;
            self.rate.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.rate_every *= 2;
        }
    }
}

impl Monitor for SearchMonitor<'_> {
    fn look(&mut self, snapshot: &Snapshot) -> Option<StopReason> {
        if self.interrupt.is_wanted() {
            return Some(StopReason::Interrupted);
        }
        let now = Instant::now();
        if self.time_limit.is_some_and(|limit| now.duration_since(self.start) >= limit) {
            return Some(StopReason::TimeLimit);
        }
        self.sample_rate(snapshot.counters.explored, now);
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
    fn the_time_limit_and_the_user_stop_a_search() {
        let look = |limit, interrupt| {
            let monitor = SearchMonitor::new(Instant::now(), limit, interrupt, (LiveDisplay::None, None));
            { monitor }.look(&Snapshot::default())
        };
        assert_eq!(look(None, Interrupt::default()), None);
        assert_eq!(look(Some(Duration::from_secs(3600)), Interrupt::default()), None);
        assert_eq!(look(Some(Duration::ZERO), Interrupt::default()), Some(StopReason::TimeLimit));
    }
}
