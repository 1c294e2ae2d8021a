//! The two streams of the process: stdout for the result, stderr for everything else.
//!
//! When stdout carries JSON, the text for people moves to stderr. A reader that goes away (`sweepline … | head`) is
//! not an error: the rest is not printed, and the exit code is what it would have been.

use std::io::{self, IsTerminal, Write};

use clap::ColorChoice;
use report::{Coloring, Detail, DiagnosticRecord, Finding};
use serde::Serialize;

use crate::live::{LiveChoice, json_line};

/// Where text for people goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stream {
    /// Stdout.
    #[default]
    Output,
    /// Stderr, because stdout carries something for programs.
    Error,
}

/// Prints, in colours or without.
#[derive(Clone, Copy, Debug, Default)]
pub struct Console {
    color: ColorChoice,
    live: LiveChoice,
    result: Stream,
}

/// Something that was wrong or odd, in a line for programs.
#[derive(Serialize)]
struct FindingEvent {
    event: &'static str,
    #[serde(flatten)]
    finding: DiagnosticRecord,
}

impl Console {
    /// A console that prints results to stdout.
    pub fn new(color: ColorChoice, live: LiveChoice) -> Self {
        Self { color, live, ..Self::default() }
    }

    /// How a running search is shown, if more is to be said than the answers.
    pub fn live(&self, detail: Detail) -> LiveChoice {
        match (self.live, detail) {
            (LiveChoice::Auto, Detail::Quiet) => LiveChoice::None,
            (live, _) => live,
        }
    }

    /// Tells programs what happened, if they listen.
    pub fn event(&self, event: &impl Serialize) {
        if self.live == LiveChoice::Json {
            json_line(event);
        }
    }

    /// The same with results on another stream.
    pub fn with_results_on(self, result: Stream) -> Self {
        Self { result, ..self }
    }

    /// Whether results are coloured.
    pub fn coloring(&self) -> Coloring {
        self.coloring_of(self.result)
    }

    /// Whether findings are coloured.
    pub fn diagnostics_coloring(&self) -> Coloring {
        self.coloring_of(Stream::Error)
    }

    /// A writer for results that come piece by piece.
    pub fn writer(&self) -> Box<dyn Write> {
        match self.result {
            Stream::Output => Box::new(io::stdout()),
            Stream::Error => Box::new(io::stderr()),
        }
    }

    /// Prints a result.
    ///
    /// # Errors
    /// The stream does not take it, for another reason than that nobody reads any more.
    pub fn print(&self, text: &str) -> io::Result<()> {
        // Stderr is for programs, and stdout, too.
        if self.live == LiveChoice::Json && self.result == Stream::Error {
            return Ok(());
        }
        let mut out = self.writer();
        quietly_if_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Prints findings to stderr. If even that fails, there is nobody left to tell.
    pub fn report(&self, findings: &[Finding]) {
        if self.live == LiveChoice::Json {
            let event = |finding: &Finding| FindingEvent { event: "diagnostic", finding: finding.record() };
            return findings.iter().for_each(|finding| json_line(&event(finding)));
        }
        let coloring = self.coloring_of(Stream::Error);
        let text: Vec<String> = findings.iter().map(|finding| finding.render(coloring)).collect();
        let _ = io::stderr().lock().write_all(text.join("\n").as_bytes());
    }

    fn coloring_of(&self, stream: Stream) -> Coloring {
        let colored = match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let terminal = match stream {
                    Stream::Output => io::stdout().is_terminal(),
                    Stream::Error => io::stderr().is_terminal(),
                };
                let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
                terminal && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
            }
        };
        if colored { Coloring::Colored } else { Coloring::Plain }
    }
}

/// Turns the error that nobody reads the stream any more into a success.
pub fn quietly_if_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
