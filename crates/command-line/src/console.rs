//! The two streams of the process: stdout for the result, stderr for everything else.
//!
//! When stdout carries JSON, the text for people moves to stderr. A reader that goes away (`sweepline … | head`) is
//! not an error: the rest is not printed, and the exit code is what it would have been.

use std::io::{self, IsTerminal, Write};

use clap::ColorChoice;
use report::{Coloring, Finding};

/// Where text for people goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Stdout.
    Output,
    /// Stderr, because stdout carries something for programs.
    Error,
}

/// Prints, in colours or without.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    color: ColorChoice,
    result: Stream,
}

impl Console {
    /// A console that prints results to stdout.
    pub fn new(color: ColorChoice) -> Self {
        Self { color, result: Stream::Output }
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
        let mut out = self.writer();
        quietly_if_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Prints findings to stderr. If even that fails, there is nobody left to tell.
    pub fn report(&self, findings: &[Finding]) {
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
