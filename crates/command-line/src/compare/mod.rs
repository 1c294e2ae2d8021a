//! `compare`: runs several engines on the same models, and prints a table.
//!
//! A comparison may take hours, so all errors in files, models and measures are reported before the
//! first engine starts. After that, an engine that fails loses only its own row.

mod arguments;
mod engine_process;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::explore::StopReason;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use report::{ComparedRun, ComparisonRecord, ComparisonTable, Exit, Finding};
use sweepline::planning::{EngineRequest, Purpose};

pub use arguments::CompareArguments;
use engine_process::{EndedProcess, EngineProcess};

use crate::check::{ChosenPlan, probe_disk};
use crate::explain::codes;
use crate::input::model_file::ModelFile;
use crate::monitor::Interrupt;
use crate::options::{Choice, free_stream, is_standard_stream};
use crate::output::console::Console;
use crate::output::failure::{Failure, bug};
use crate::output::output_file::{OutputFile, result_lost};

/// One run of `compare`.
pub struct Comparison<'a> {
    arguments: &'a CompareArguments,
    console: Console,
}

/// A model to be explored by every engine.
struct Subject<'a> {
    path: &'a Path,
    /// Its text, if it came from stdin, which can be read only once.
    input: Option<Arc<str>>,
}

/// The output files.
struct Outputs {
    json: Option<OutputFile>,
    csv: Option<OutputFile>,
}

impl<'a> Comparison<'a> {
    /// A comparison with these arguments.
    pub fn new(arguments: &'a CompareArguments, console: Console) -> Self {
        let stream = free_stream(&[&arguments.json, &arguments.csv]);
        Self { arguments, console: console.with_results_on(stream) }
    }

    /// Runs all engines on all models.
    pub fn run(&self) -> Exit {
        let prepared = self.outputs().and_then(|outputs| Ok((outputs, self.subjects()?)));
        let (outputs, subjects) = match prepared {
            Ok(prepared) => prepared,
            Err(Failure { exit, findings }) => {
                self.console.report(&findings);
                return exit;
            }
        };
        let mut record = ComparisonRecord::default();
        let interrupt = Interrupt::listen();
        self.run_engines(&subjects, &interrupt, &mut record);
        let mut exit = record.exit_of_runs();
        if interrupt.is_wanted() {
            let all = subjects.len() * self.arguments.engines.len();
            self.console.report(&[interrupted(&record, all)]);
            exit = if exit == Exit::Holds { Exit::Unknown } else { exit };
        }
        let disagreements = record.disagreements.iter();
        let findings: Vec<Finding> =
            disagreements.map(|one| bug(&format!("the engines disagree: {}", one.sentence()))).collect();
        self.console.report(&findings);
        record.exit_code = exit.code();
        self.write(&outputs, &record, exit)
    }

    fn outputs(&self) -> Result<Outputs, Failure> {
        let probe = |path: &Option<std::path::PathBuf>| path.as_deref().map(OutputFile::probe).transpose();
        Ok(Outputs { json: probe(&self.arguments.json)?, csv: probe(&self.arguments.csv)? })
    }

    /// Reads all models and plans all runs, to find all errors.
    fn subjects(&self) -> Result<Vec<Subject<'a>>, Failure> {
        let CompareArguments { models, definitions, engines, .. } = self.arguments;
        let mut subjects = Vec::new();
        let mut wrong = Vec::new();
        for path in models {
            let file = match ModelFile::read(path, definitions) {
                Ok(file) => file,
                Err(findings) => {
                    wrong.extend(findings);
                    continue;
                }
            };
            self.console.report(&file.warnings());
            let planned = |engine: &EngineRequest| {
                let search = self.arguments.search(*engine);
                probe_disk(&search).map_err(|finding| vec![finding])?;
                ChosenPlan::new(&search, Purpose::Explore, &file).map(drop)
            };
            // The other engines would report the same errors.
            wrong.extend(engines.iter().find_map(|engine| planned(engine).err()).into_iter().flatten());
            subjects.push(Subject { path, input: is_standard_stream(path).then_some(file.text) });
        }
        if wrong.is_empty() { Ok(subjects) } else { Err(wrong.into()) }
    }

    /// Runs one engine after the other, until the user interrupts.
    fn run_engines(&self, subjects: &[Subject<'_>], interrupt: &Interrupt, record: &mut ComparisonRecord) {
        let engines = &self.arguments.engines;
        let all = subjects.len() * engines.len();
        for (subject, &engine) in
            subjects.iter().flat_map(|one| engines.iter().map(move |engine| (one, engine)))
        {
            if interrupt.is_wanted() {
                return;
            }
            let number = record.runs.len() + 1;
            let display = display(&format!(
                "{} on {}, run {number} of {all}",
                engine.option_name(),
                subject.path.display()
            ));
            let search = self.arguments.search(engine);
            let process = EngineProcess {
                model: subject.path,
                input: subject.input.as_deref(),
                definitions: &self.arguments.definitions,
                search: &search,
                coloring: self.console.diagnostics_coloring(),
            };
            let ended = process.run(interrupt);
            if let Some(display) = display {
                display.finish_and_clear();
            }
            record.add(self.compared(subject, engine, ended, interrupt));
        }
    }

    /// The row of a process that ended. Its errors are printed.
    fn compared(
        &self,
        subject: &Subject<'_>,
        engine: EngineRequest,
        ended: io::Result<EndedProcess>,
        interrupt: &Interrupt,
    ) -> ComparedRun {
        let (model, engine) = (subject.path.display().to_string(), engine.option_name());
        let EndedProcess { status, record, said } = match ended {
            Ok(ended) => ended,
            Err(error) => {
                let message = format!("{engine} could not be started on `{model}`: {error}");
                let help = "run it alone by `sweepline explore MODEL --engine ENGINE`";
                self.console.report(&[Finding::error(codes::ENGINE_NOT_STARTED, message, help)]);
                return ComparedRun::without_record(&model, engine, None, "it could not be started");
            }
        };
        let exit_code = status.code().and_then(|code| u8::try_from(code).ok());
        let failed = [Exit::BadInput, Exit::Defect].iter().any(|exit| exit_code == Some(exit.code()));
        if failed || (record.is_err() && !interrupt.is_wanted()) {
            // If stderr is closed, the messages are lost.
            let _ = io::stderr().lock().write_all(&said);
        }
        match record {
            Ok(record) => ComparedRun::new(&model, engine, record),
            // The signal ended the process before it could write its record.
            Err(_) if interrupt.is_wanted() => {
                let why = StopReason::Interrupted.to_string();
                ComparedRun::without_record(&model, engine, exit_code, why)
            }
            Err(error) => {
                let message = format!("{engine} on `{model}` ended without a run record ({status}): {error}");
                let help = "the system may have killed it for lack of memory: --memory sets a limit";
                self.console.report(&[Finding::error(codes::ENGINE_LOST, message, help)]);
                let why = format!("it left no record ({status})");
                ComparedRun::without_record(&model, engine, exit_code, why)
            }
        }
    }

    /// Writes the results, files first, so that a closed pipe loses no file.
    fn write(&self, outputs: &Outputs, record: &ComparisonRecord, exit: Exit) -> Exit {
        let mut exit = exit;
        let mut keep = |what: &str, written: io::Result<()>| {
            if let Err(error) = written {
                self.console.report(&[result_lost(what, &error)]);
                exit = if exit == Exit::Holds { Exit::Unknown } else { exit };
            }
        };
        if let Some(json) = &outputs.json {
            keep("the record", json.write_record(record));
        }
        if let Some(csv) = &outputs.csv {
            keep("the CSV", csv.write(record.csv().as_bytes()));
        }
        keep("the table", self.console.print(&ComparisonTable { record }.to_string()));
        exit
    }
}

/// A line that shows the current run, on a terminal.
fn display(text: &str) -> Option<ProgressBar> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
    line.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    line.set_message(text.to_owned());
    line.enable_steady_tick(Duration::from_millis(200));
    Some(line)
}

fn interrupted(record: &ComparisonRecord, all: usize) -> Finding {
    let made = record.runs.iter().filter(|run| run.complete).count();
    let message = format!("the comparison is not complete: interrupted after {made} of {all} runs");
    let help = "the table shows the finished runs; run it again for the rest";
    Finding::warning(codes::INTERRUPTED, message, help)
}
