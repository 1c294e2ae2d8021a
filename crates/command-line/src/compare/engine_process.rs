//! One engine in its own process, so that its peak memory is its own.
//!
//! The child is this program, run as `explore` with the run record on stdout. It stays in the
//! process group of its parent, so Ctrl-C reaches both, and the child ends by itself with a record.
//! A signal that was sent to the parent alone is passed on.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use report::{Coloring, RunRecord, read_run_record};

use crate::monitor::Interrupt;
use crate::options::{Choice, ModelOptions, SearchOptions};

/// Time between two checks whether the process has ended. The process measures its own time.
const LOOK: Duration = Duration::from_millis(10);
/// Time after which an interrupt is passed on. A second interrupt would end the process without a
/// record.
const PATIENCE: Duration = Duration::from_secs(2);

/// An engine to be run on a model.
#[derive(Debug)]
pub struct EngineProcess<'a> {
    /// The model file.
    pub model: &'a Path,
    /// Its text, if it came from stdin.
    pub input: Option<&'a str>,
    /// Options of the model.
    pub definitions: &'a ModelOptions,
    /// How to search, and when to stop.
    pub search: &'a SearchOptions,
    /// Whether its diagnostics are coloured.
    pub coloring: Coloring,
}

/// A process that ended.
#[derive(Debug)]
pub struct EndedProcess {
    /// Its exit status.
    pub status: ExitStatus,
    /// The record that it wrote.
    pub record: io::Result<RunRecord>,
    /// What it wrote to stderr.
    pub said: Vec<u8>,
}

impl EngineProcess<'_> {
    /// Runs the engine to its end.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn run(&self, interrupt: &Interrupt) -> io::Result<EndedProcess> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(self.arguments())
            .stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (status, record, said) = thread::scope(|scope| {
            if let Some((mut pipe, text)) = input.zip(self.input) {
                // A process that ends before it has read everything reports why itself.
                scope.spawn(move || pipe.write_all(text.as_bytes()));
            }
            let record = scope.spawn(move || everything(output));
            let said = scope.spawn(move || everything(errors));
            (wait(&mut child, interrupt), record.join(), said.join())
        });
        Ok(EndedProcess {
            status: status?,
            record: read_run_record(&record.unwrap_or_default()),
            said: said.unwrap_or_default(),
        })
    }

    /// The command line of `explore`.
    fn arguments(&self) -> Vec<OsString> {
        let Self { definitions, search, .. } = self;
        let color = if self.coloring == Coloring::Colored { "always" } else { "never" };
        let mut arguments: Vec<OsString> =
            ["explore", "-q", "--json", "-", "--no-course", "--color", color].map(OsString::from).into();
        let mut add = |option: &str, value: Option<OsString>| {
            if let Some(value) = value {
                arguments.extend([option.into(), value]);
            }
        };
        add("--engine", Some(search.engine.option_name().into()));
        add("--measure", search.measure.as_ref().map(OsString::from));
        add("--prefer", search.prefer.map(|prefer| prefer.option_name().into()));
        add("--seed", search.seed.map(|seed| seed.to_string().into()));
        add("--memory", search.memory.map(|bytes| bytes.to_string().into()));
        add("--disk", search.disk.as_ref().map(OsString::from));
        add("--time-limit", search.time_limit.map(|limit| format!("{}ms", limit.as_millis()).into()));
        add("--language", definitions.language.map(|language| language.option_name().into()));
        for (name, value) in &definitions.constants {
            add("--define", Some(format!("{name}={value}").into()));
        }
        // The name of a file may look like an option.
        arguments.extend(["--".into(), self.model.into()]);
        arguments
    }
}

/// Reads a pipe to its end. A truncated record does not parse.
fn everything(pipe: Option<impl Read>) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut text);
    }
    text
}

/// Waits for a process to end, and passes on an interrupt.
fn wait(child: &mut Child, interrupt: &Interrupt) -> io::Result<ExitStatus> {
    let mut interrupted: Option<Instant> = None;
    let mut is_signalled = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt.is_wanted() && !is_signalled {
            let since = *interrupted.get_or_insert_with(Instant::now);
            if since.elapsed() >= PATIENCE {
                is_signalled = true;
                terminate(child);
            }
        }
        thread::sleep(LOOK);
    }
}

#[cfg(unix)]
fn terminate(child: &mut Child) {
    // This fails only if the process has ended already.
    let _ =
        rustix::process::kill_process(rustix::process::Pid::from_child(child), rustix::process::Signal::TERM);
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    let _ = child.kill();
}
