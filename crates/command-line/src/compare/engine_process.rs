//! One engine in a process of its own, so that the memory it is said to need is its own.
//!
//! This program is started again, as `explore` with the run record on stdout. The process stays in the group of this one: Ctrl-C
//! reaches both, and the child ends by itself with a record of what it has. A signal that was sent to this process alone is passed on.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use report::{Coloring, RunRecord, read_run_record};

use crate::interrupt::Interrupt;
use crate::options::{ModelOptions, SearchOptions, option_name};

/// Time between two looks at the process. It measures its own time.
const LOOK: Duration = Duration::from_millis(10);
/// After this time, an interrupt did not reach the process. A second one would end it without a record.
const PATIENCE: Duration = Duration::from_secs(2);

/// An engine to be run on a model.
#[derive(Debug)]
pub struct EngineProcess<'a> {
    /// The model file.
    pub model: &'a Path,
    /// Its text, if it comes from stdin.
    pub input: Option<&'a str>,
    /// What belongs to the model.
    pub definitions: &'a ModelOptions,
    /// How to search, and when to stop.
    pub search: &'a SearchOptions,
    /// Whether its diagnostics are coloured.
    pub coloring: Coloring,
}

/// A process that ended.
#[derive(Debug)]
pub struct EndedProcess {
    /// How.
    pub status: ExitStatus,
    /// The record it left behind.
    pub record: io::Result<RunRecord>,
    /// What it said on stderr.
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
                // A process that ends before it has read everything says why itself.
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
        add("--engine", Some(option_name(search.engine).into()));
        add("--measure", search.measure.as_ref().map(OsString::from));
        add("--prefer", search.prefer.map(|prefer| option_name(prefer).into()));
        add("--seed", search.seed.map(|seed| seed.to_string().into()));
        add("--memory", search.memory.map(|bytes| bytes.to_string().into()));
        add("--disk", search.disk.as_ref().map(OsString::from));
        add("--time-limit", search.time_limit.map(|limit| format!("{}ms", limit.as_millis()).into()));
        add("--language", definitions.language.map(|language| option_name(language).into()));
        for (name, value) in &definitions.constants {
            add("--define", Some(format!("{name}={value}").into()));
        }
        // A file may be called like an option.
        arguments.extend(["--".into(), self.model.into()]);
        arguments
    }
}

/// All that comes out of a pipe. A record that breaks off is none.
fn everything(pipe: Option<impl Read>) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut text);
    }
    text
}

/// Waits for the end of a process, which an interrupt brings about.
fn wait(child: &mut Child, interrupt: &Interrupt) -> io::Result<ExitStatus> {
    let mut interrupted: Option<Instant> = None;
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt.is_wanted() && !told {
            let since = *interrupted.get_or_insert_with(Instant::now);
            if since.elapsed() >= PATIENCE {
                told = true;
                end_politely(child);
            }
        }
        thread::sleep(LOOK);
    }
}

#[cfg(unix)]
fn end_politely(child: &mut Child) {
    // It fails only if the process has ended already.
    let _ =
        rustix::process::kill_process(rustix::process::Pid::from_child(child), rustix::process::Signal::TERM);
}

#[cfg(not(unix))]
fn end_politely(child: &mut Child) {
    let _ = child.kill();
}
