//! The live display of a running search, on stderr.
//!
//! On a terminal it is one line that is rewritten, with a bar if the range of progress is known. In
//! a file or pipe it is a line every ten seconds. For programs it is a line of JSON every second,
//! and one at the beginning of each phase. All three are made from the same [`Moment`].

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use engine::explore::{Phase, Snapshot};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use languages::Model;
use model::measure::ExpressionMeasure;
use report::{Bytes, Count, Seconds, brief_measure};
use serde::Serialize;

/// Time between two updates on a terminal.
const ON_TERMINAL: Duration = Duration::from_millis(200);
/// Time between two lines in a file or pipe.
const IN_FILE: Duration = Duration::from_secs(10);
/// Time between two lines for a program.
const FOR_PROGRAMS: Duration = Duration::from_secs(1);
/// Length of the bar, in units of its position.
const BAR: u64 = 1000;

/// The form of the live display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LiveDisplay {
    /// One line that is rewritten on a terminal, a line every ten seconds elsewhere
    #[default]
    Auto,
    /// A line every ten seconds
    Lines,
    /// A line of JSON every second, for programs; errors and warnings are JSON, too
    Json,
    /// No display
    None,
}

/// A live display.
#[derive(Debug)]
pub struct Live<'m> {
    display: Display,
    /// The model, which names the components of measures.
    model: Option<&'m Model>,
    start: Instant,
    /// Name of the current phase.
    phase: Option<String>,
    /// The measure that the search follows, if any.
    measure: Option<ExpressionMeasure>,
    /// Time of the last update, and the number of explored states then.
    shown: (Instant, u64),
    /// Time of the last merging phase that was shown.
    merged: Instant,
}

#[derive(Debug)]
enum Display {
    Hidden,
    Line(ProgressBar),
    Lines,
    Json,
}

/// A running search at one moment.
#[derive(Debug, Serialize)]
struct Moment<'a> {
    event: &'static str,
    /// Seconds since the run began.
    seconds: f64,
    /// The current phase.
    phase: Option<&'a str>,
    /// Number of expansions.
    explored: u64,
    /// Expansions per second since the last moment.
    states_per_second: u64,
    /// Number of states in the store.
    stored: u64,
    /// Number of states that are not expanded yet.
    waiting: u64,
    /// Number of the current sweep, if the search sweeps.
    sweep: Option<u64>,
    /// Current value of the measure.
    progress: Option<String>,
    /// Fraction of the range of progress that is completed, from 0 to 1.
    share: Option<f64>,
    /// Bytes of memory for states.
    bytes: u64,
}

/// The beginning of a phase.
#[derive(Debug, Serialize)]
struct PhaseEvent<'a> {
    event: &'static str,
    seconds: f64,
    phase: &'a str,
}

impl<'m> Live<'m> {
    /// The display of a run of this model that began at `start`.
    pub fn new(choice: LiveDisplay, start: Instant, model: Option<&'m Model>) -> Self {
        let display = match choice {
            LiveDisplay::None => Display::Hidden,
            LiveDisplay::Json => Display::Json,
            LiveDisplay::Auto if io::stderr().is_terminal() => {
                let line = ProgressBar::with_draw_target(Some(BAR), ProgressDrawTarget::stderr());
                line.set_style(ProgressStyle::default_spinner());
                Display::Line(line)
            }
            LiveDisplay::Auto | LiveDisplay::Lines => Display::Lines,
        };
        Self { display, model, start, phase: None, measure: None, shown: (start, 0), merged: start }
    }

    /// Begins a phase.
    pub fn phase(&mut self, phase: Phase<'_>) {
        let words = match (phase, self.model) {
            (Phase::Sweeping(measure), Some(model)) => {
                format!("{phase} by {}", brief_measure(model, measure.components()))
            }
            _ => phase.to_string(),
        };
        match phase {
            Phase::Sweeping(measure) => self.measure = Some(measure.clone()),
            Phase::FindingMeasure(_) | Phase::Exploring | Phase::Partitioning | Phase::Shortening => {
                self.measure = None;
            }
            _ => {}
        }
        // Merging may happen many times a second.
        if matches!(phase, Phase::MergingRuns) {
            if self.merged.elapsed() < FOR_PROGRAMS {
                return;
            }
            self.merged = Instant::now();
        }
        let seconds = self.start.elapsed().as_secs_f64();
        match &self.display {
            Display::Line(line) => {
                line.set_style(ProgressStyle::default_spinner());
                line.set_message(format!("{}  {words}", Seconds(seconds)));
                line.tick();
            }
            Display::Json => json_line(&PhaseEvent { event: "phase", seconds, phase: &words }),
            Display::Lines | Display::Hidden => {}
        }
        // After merging, the search continues the phase before it.
        if !matches!(phase, Phase::MergingRuns) {
            self.phase = Some(words);
        }
    }

    /// Updates the display, if it is time.
    pub fn show(&mut self, snapshot: &Snapshot, now: Instant) {
        let every = match self.display {
            Display::Hidden => return,
            Display::Line(_) => ON_TERMINAL,
            Display::Lines => IN_FILE,
            Display::Json => FOR_PROGRAMS,
        };
        if now.duration_since(self.shown.0) < every {
            return;
        }
        let moment = self.moment(snapshot, now);
        let explored = moment.explored;
        match &self.display {
            Display::Hidden => {}
            Display::Line(line) => {
                line.set_style(style(moment.share));
                if let Some(share) = moment.share {
                    line.set_position((share * BAR as f64) as u64);
                }
                line.set_message(moment.to_string());
                line.tick();
            }
            // A closed stderr must not end the search.
            Display::Lines => drop(writeln!(io::stderr().lock(), "{moment}")),
            Display::Json => json_line(&moment),
        }
        self.shown = (now, explored);
    }

    fn moment(&self, snapshot: &Snapshot, now: Instant) -> Moment<'_> {
        let (last, before) = self.shown;
        let explored = snapshot.counters.explored;
        // Another search counts from zero.
        let before = if before > explored { 0 } else { before };
        let rate = (explored - before) as f64 / now.duration_since(last).as_secs_f64();
        let measure = self.measure.as_ref();
        Moment {
            event: "progress",
            seconds: now.duration_since(self.start).as_secs_f64(),
            phase: self.phase.as_deref(),
            explored,
            states_per_second: rate as u64,
            stored: snapshot.stored,
            waiting: snapshot.waiting,
            sweep: measure.map(|_| snapshot.counters.sweeps),
            progress: measure.map(|measure| measure.show(snapshot.progress)),
            share: measure.and_then(|measure| measure.share(snapshot.progress)),
            bytes: snapshot.bytes,
        }
    }

    /// Removes the line from the terminal.
    pub fn finish(self) {
        if let Display::Line(line) = self.display {
            line.finish_and_clear();
        }
    }
}

/// A bar if the completed fraction is known, a spinner otherwise.
fn style(share: Option<f64>) -> ProgressStyle {
    match share {
        Some(_) => ProgressStyle::with_template("{spinner} [{bar:24}] {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        None => ProgressStyle::default_spinner(),
    }
}

/// Writes a line of JSON to stderr. Errors are ignored: a closed stderr must not end the run.
pub fn json_line(event: &impl Serialize) {
    if let Ok(mut text) = serde_json::to_string(event) {
        text.push('\n');
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

impl fmt::Display for Moment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  ", Seconds(self.seconds))?;
        if let Some(phase) = self.phase {
            write!(f, "{phase}: ")?;
        }
        write!(f, "{} states, {} states/s, ", Count(self.explored), Count(self.states_per_second))?;
        match (&self.progress, self.sweep) {
            (Some(progress), Some(sweep)) => {
                write!(f, "progress {progress} of sweep {}, {} stored", Count(sweep), Count(self.stored))?;
            }
            _ => write!(f, "{} waiting", Count(self.waiting))?,
        }
        write!(f, ", {}", Bytes(self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched() -> Snapshot {
        let mut snapshot = Snapshot { stored: 1234, waiting: 7, progress: 21, ..Snapshot::default() };
        (snapshot.counters.sweeps, snapshot.counters.explored) = (2, 500);
        snapshot
    }

    #[test]
    fn a_sweep_shows_its_progress_in_the_terms_of_the_measure() {
        let text = "byte x, y; process P { state s; init s; trans s -> s { guard x < 15 and y < 15; effect x = x + 1, y = y + 1; }; } system async;";
        let model = languages::read_model(text).unwrap();
        let mut live = Live::new(LiveDisplay::None, Instant::now(), Some(&model));
        let later = Instant::now() + Duration::from_secs(1);
        live.phase(Phase::Exploring);
        let text = live.moment(&searched(), later).to_string();
        assert!(text.contains("exploring: 500 states, ") && text.contains(", 7 waiting, "), "{text}");
        let measure = model.measure("(x % 4, y % 8)").unwrap().pack(&model.commands).unwrap();
        live.phase(Phase::Sweeping(&measure));
        let moment = live.moment(&searched(), later);
        assert_eq!((moment.share, moment.sweep), (Some(21.0 / 32.0), Some(2)));
        assert_eq!(moment.phase, Some("sweeping by (x % 4, y % 8)"));
        assert!(moment.to_string().contains(", progress (2, 5) of sweep 2, 1,234 stored, "), "{moment}");
        // A property with its own search keeps the measure; full exploration has none.
        live.phase(Phase::Checking("G x"));
        let moment = live.moment(&searched(), later);
        assert_eq!((moment.phase, moment.progress.as_deref()), (Some("checking `G x`"), Some("(2, 5)")));
        live.phase(Phase::Exploring);
        assert_eq!(live.moment(&searched(), later).progress, None);
    }

    #[test]
    fn merging_does_not_replace_the_phase() {
        let mut live = Live::new(LiveDisplay::None, Instant::now(), None);
        live.phase(Phase::Exploring);
        live.phase(Phase::MergingRuns);
        assert_eq!(live.phase.as_deref(), Some("exploring"));
    }

    #[test]
    fn a_bar_has_a_template() {
        assert!(ProgressStyle::with_template("{spinner} [{bar:24}] {msg}").is_ok());
    }
}
