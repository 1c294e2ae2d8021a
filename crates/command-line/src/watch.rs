//! Watching a running search: the clock, the user's Ctrl-C, and the live display.
//!
//! Searches read no clock and print nothing; they show themselves to a [`Monitor`] every few thousand states. On a
//! terminal the display is one line that is rewritten; elsewhere, where nobody watches it move, a line every ten
//! seconds tells that something still happens.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use report::{Bytes, Count, Detail, RateRecord, Seconds};
use sweepline::explore::{Monitor, Snapshot, StopReason};
use sweepline::progress::ExpressionMeasure;

use crate::interrupt::Interrupt;
use crate::usage::UnusedHeap;

/// Time between two looks on a terminal.
const ON_TERMINAL: Duration = Duration::from_millis(200);
/// Time between two lines in a file.
const IN_FILE: Duration = Duration::from_secs(10);

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
    display: Display,
    /// What progress is, if the search follows it.
    measure: Option<ExpressionMeasure>,
    /// What is done, where that changes.
    phase: Option<String>,
    /// When the display last changed, and how many states there were.
    shown: (Instant, u64),
    heap: UnusedHeap,
    /// How far the search had come, from time to time.
    rate: Vec<RateRecord>,
    /// Time between two entries of it.
    rate_every: Duration,
}

/// How a running search is shown.
#[derive(Debug)]
enum Display {
    Hidden,
    Line(ProgressBar),
    Lines,
}

impl Watch {
    /// A watch over a run that began at `start`.
    pub fn new(start: Instant, time_limit: Option<Duration>, interrupt: Interrupt, detail: Detail) -> Self {
        let display = if detail == Detail::Quiet {
            Display::Hidden
        } else if io::stderr().is_terminal() {
            let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            line.set_style(ProgressStyle::default_spinner());
            Display::Line(line)
        } else {
            Display::Lines
        };
        Self {
            start,
            time_limit,
            interrupt,
            display,
            measure: None,
            phase: None,
            shown: (start, 0),
            heap: UnusedHeap::new(start),
            rate: Vec::new(),
            rate_every: RATE_EVERY,
        }
    }

    /// The same over a sweep by this measure.
    pub fn with_measure(self, measure: Option<ExpressionMeasure>) -> Self {
        Self { measure, ..self }
    }

    /// Takes the live display away, so that the result has the terminal for itself; and tells how far the search had come when.
    pub fn finish(self) -> Vec<RateRecord> {
        if let Display::Line(line) = self.display {
            line.finish_and_clear();
        }
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

    fn show(&mut self, snapshot: &Snapshot, now: Instant) {
        let every = match self.display {
            Display::Hidden => return,
            Display::Line(_) => ON_TERMINAL,
            Display::Lines => IN_FILE,
        };
        let (last, before) = self.shown;
        let since = now.duration_since(last);
        if since < every {
            return;
        }
        // A sweep forgets, so the number of stored states says nothing about its speed.
        let forgets = self.measure.is_some() || self.phase.is_some();
        let met = if forgets { snapshot.counters.explored } else { snapshot.stored };
        self.shown = (now, met);
        let rate = met.saturating_sub(before) as f64 / since.as_secs_f64();
        let phase = self.phase.as_ref().map_or(String::new(), |phase| format!("{phase}: "));
        let text = format!(
            "{}  {phase}{} states, {} states/s, {}, {}",
            Seconds(now.duration_since(self.start).as_secs_f64()),
            Count(met),
            Count(rate as u64),
            self.front(snapshot),
            Bytes(snapshot.bytes),
        );
        match &self.display {
            Display::Hidden => {}
            Display::Line(line) => {
                line.set_message(text);
                line.tick();
            }
            Display::Lines => {
                // A progress line that nobody takes is no reason to end a search.
                let _ = writeln!(io::stderr().lock(), "{text}");
            }
        }
    }
}

impl Watch {
    /// Where the search stands.
    fn front(&self, snapshot: &Snapshot) -> String {
        let (stored, sweep) = (Count(snapshot.stored), Count(snapshot.counters.sweeps));
        match (&self.measure, &self.phase) {
            (Some(measure), _) => {
                format!("progress {} of sweep {sweep}, {stored} stored", measure.show(snapshot.progress))
            }
            // By a measure that only the search knows, or by none.
            (None, Some(_)) => format!("sweep {sweep}, {stored} stored"),
            (None, None) => format!("{} waiting", Count(snapshot.waiting)),
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
        self.show(snapshot, now);
        None
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.interrupt.takes_checkpoint()
    }

    fn phase(&mut self, phase: &str) {
        self.phase = Some(phase.into());
        // Counting begins anew.
        self.shown.1 = 0;
        if let Display::Line(line) = &self.display {
            line.set_message(format!("{}  {phase}", Seconds(self.start.elapsed().as_secs_f64())));
            line.tick();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_shows_its_progress_in_the_terms_of_the_measure() {
        let watch = Watch::new(Instant::now(), None, Interrupt::default(), Detail::Quiet);
        let mut snapshot = Snapshot { stored: 1234, waiting: 7, progress: 21, ..Snapshot::default() };
        snapshot.counters.sweeps = 2;
        assert_eq!(watch.front(&snapshot), "7 waiting");
        let text = "byte x, y; process P { state s; init s; trans s -> s { guard x < 15 and y < 15; effect x = x + 1, y = y + 1; }; } system async;";
        let model = languages::read_model(text).unwrap();
        let measure = model.measure("(x % 4, y % 8)").unwrap();
        let watch = watch.with_measure(measure.pack(&model.commands).ok());
        assert_eq!(watch.front(&snapshot), "progress (2, 5) of sweep 2, 1,234 stored");
    }

    #[test]
    fn of_a_measure_that_is_found_the_phase_is_shown() {
        let mut watch = Watch::new(Instant::now(), None, Interrupt::default(), Detail::Quiet);
        watch.phase("sweeping");
        let mut snapshot = Snapshot { stored: 1234, ..Snapshot::default() };
        snapshot.counters.sweeps = 2;
        assert_eq!(watch.front(&snapshot), "sweep 2, 1,234 stored");
        assert_eq!(watch.phase.as_deref(), Some("sweeping"));
    }

    #[test]
    fn the_clock_and_the_user_stop_a_search() {
        let look = |limit, interrupt| {
            Watch::new(Instant::now(), limit, interrupt, Detail::Quiet).look(&Snapshot::default())
        };
        assert_eq!(look(None, Interrupt::default()), None);
        assert_eq!(look(Some(Duration::from_secs(3600)), Interrupt::default()), None);
        assert_eq!(look(Some(Duration::ZERO), Interrupt::default()), Some(StopReason::TimeLimit));
    }
}
