//! The two streams of the process: stdout for results, stderr for everything else.
//!
//! When stdout carries JSON, readable text moves to stderr. A reader that closes the pipe
//! (`sweepline … | head`) is not an error: the rest is not printed, and the exit code is the same.

use std::io::{self, IsTerminal, Write};

use clap::ColorChoice;
use report::{Coloring, Detail, DiagnosticRecord, Finding};
use serde::Serialize;

use crate::monitor::{LiveDisplay, json_line};

/// The stream for readable text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stream {
    /// Stdout.
    #[default]
    Output,
    /// Stderr, because stdout carries output for programs.
    Error,
}

/// Prints results and findings, coloured or plain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Console {
    color: ColorChoice,
    live: LiveDisplay,
    result: Stream,
}

/// An error or warning as an event for programs.
#[derive(Serialize)]
struct FindingEvent {
    event: &'static str,
    #[serde(flatten)]
    finding: DiagnosticRecord,
}

impl Console {
    /// A console that prints results to stdout.
    pub fn new(color: ColorChoice, live: LiveDisplay) -> Self {
        Self { color, live, ..Self::default() }
    }

    /// The form of the live display; none if only answers are printed.
    pub fn live(&self, detail: Detail) -> LiveDisplay {
        match (self.live, detail) {
            (LiveDisplay::Auto, Detail::Quiet) => LiveDisplay::None,
            (live, _) => live,
        }
    }

    /// Emits an event, if the live display is for programs.
    pub fn event(&self, event: &impl Serialize) {
        if self.live == LiveDisplay::Json {
            json_line(event);
        }
    }

    /// The same console with results on another stream.
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

    /// A writer for results.
    pub fn writer(&self) -> Box<dyn Write> {
        match self.result {
            Stream::Output => Box::new(io::stdout()),
            Stream::Error => Box::new(io::stderr()),
        }
    }

    /// Prints a result.
    ///
    /// # Errors
    /// The stream cannot be written. A closed pipe is not an error.
    pub fn print(&self, text: &str) -> io::Result<()> {
        // Both streams carry output for programs.
        if self.live == LiveDisplay::Json && self.result == Stream::Error {
            return Ok(());
        }
        let mut out = self.writer();
        quietly_if_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Prints findings to stderr. If stderr is closed, they are lost.
    pub fn report(&self, findings: &[Finding]) {
        if self.live == LiveDisplay::Json {
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

/// Turns the error of a closed pipe into a success.
pub fn quietly_if_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
