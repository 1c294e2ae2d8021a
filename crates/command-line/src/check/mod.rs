//! `check` and `explore`: one run, from the options to the exit code. `explore` is a check without
//! properties that visits all states.
//!
//! The order of the steps matters. Output files are probed first, so that no finished search is
//! lost. The record is filled in while the run proceeds, and is written wherever the run ends, also
//! after bad input. Files are written before the terminal, so that a closed pipe loses no file.

mod arguments;
mod findings;
mod plan;
pub mod properties;
pub mod stop_advice;

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use engine::check::{Automatic, CheckError, Outcome, TraceChoice};
use engine::explore::StopReason;
use engine::progress::{ExpressionMeasure, MeasureKind};
use engine::property::soundness::Unsound;
use model::guarded_commands::{Expression, GuardedCommands};
use report::{
    AnswerRecord, Exit, Finding, FinishedSearch, RateRecord, RunRecord, SpaceRecord, Summary, TimesRecord,
    TraceFile, TraceView, WrittenFile, page, write_junit,
};
use serde::Serialize;
use sweepline::planning::Purpose;
use sweepline::vacuity::vacuous_properties;

pub use arguments::{CheckArguments, ExploreArguments};
pub use plan::{ChosenPlan, probe_disk};

use crate::convert::reachable_states::ReachableStates;
use crate::convert::space_record::space_record;
use crate::foreign::contest::ContestRun;
use crate::input::model_file::ModelFile;
use crate::monitor::{Interrupt, SearchMonitor, usage_since};
use crate::options::{ModelOptions, OutputOptions, PropertyOptions, SearchOptions, free_stream};
use crate::output::console::Console;
use crate::output::failure::Failure;
use crate::output::output_file::{OutputFile, result_lost};
use crate::progress::proof::is_proved;
use crate::resume::Invocation;
use findings::{
    findings_of, has_longer_trace, no_trace, not_shortened, several_traces, sweep_advice, vacuity_warnings,
};
use plan::provisional_record;
use properties::{Questions, nothing_to_check};

/// Greatest number of states that the web page draws one by one; larger state spaces are drawn
/// layer by layer.
const DRAWN: u32 = 20_000;

/// What a run was asked to do.
#[derive(Clone, Copy, Debug)]
pub enum Task<'a> {
    /// `sweepline check`.
    Check(&'a CheckArguments),
    /// `sweepline explore`.
    Explore(&'a ExploreArguments),
}

impl<'a> Task<'a> {
    /// The model file.
    pub fn model(self) -> &'a Path {
        match self {
            Self::Check(check) => &check.model,
            Self::Explore(explore) => &explore.model,
        }
    }

    fn definitions(self) -> &'a ModelOptions {
        match self {
            Self::Check(check) => &check.definitions,
            Self::Explore(explore) => &explore.definitions,
        }
    }

    /// The properties to check; `None` if all states are to be visited.
    pub fn properties(self) -> Option<&'a PropertyOptions> {
        match self {
            Self::Check(check) => Some(&check.properties),
            Self::Explore(_) => None,
        }
    }

    /// How to search.
    pub fn search(self) -> &'a SearchOptions {
        match self {
            Self::Check(check) => &check.search,
            Self::Explore(explore) => &explore.search,
        }
    }

    fn output(self) -> &'a OutputOptions {
        match self {
            Self::Check(check) => &check.output,
            Self::Explore(explore) => &explore.output,
        }
    }

    fn purpose(self) -> Purpose {
        match self {
            Self::Check(check) if check.shortest => Purpose::Check(TraceChoice::Shortest),
            Self::Check(_) => Purpose::Check(TraceChoice::First),
            Self::Explore(_) => Purpose::Explore,
        }
    }

    fn survey(self) -> bool {
        matches!(self, Self::Explore(explore) if explore.survey)
    }

    fn trace_out(self) -> Option<&'a Path> {
        match self {
            Self::Check(check) => check.trace_out.as_deref(),
            Self::Explore(_) => None,
        }
    }

    fn junit(self) -> Option<&'a Path> {
        match self {
            Self::Check(check) => check.junit.as_deref(),
            Self::Explore(_) => None,
        }
    }

    fn trace_view(self) -> TraceView {
        match self {
            Self::Check(check) => check.trace_view,
            Self::Explore(_) => TraceView::default(),
        }
    }
}

/// One run of `check` or `explore`.
pub struct CheckRun<'a> {
    task: Task<'a>,
    console: Console,
    start: Instant,
    invocation: Invocation,
}

impl<'a> CheckRun<'a> {
    /// A run of a process that started at `start`.
    pub fn new(task: Task<'a>, console: Console, start: Instant) -> Self {
        let stream = match task {
            Task::Check(CheckArguments { output, trace_out, junit, .. }) => {
                free_stream(&[&output.json, &output.html, trace_out, junit])
            }
            Task::Explore(ExploreArguments { output, .. }) => free_stream(&[&output.json, &output.html]),
        };
        let console = console.with_results_on(stream);
        Self { task, console, start, invocation: Invocation::of_process() }
    }

    /// The same run as the continuation of an earlier one.
    pub fn of(self, invocation: Invocation) -> Self {
        Self { invocation, ..self }
    }

    /// Runs the task and reports its results.
    pub fn run(&self) -> Exit {
        if let Some(properties) = self.task.properties().filter(|properties| properties.contest_output) {
            let exit = self.answer_contest(properties);
            return self.ended(exit, None, &[]);
        }
        let output = self.task.output();
        let probe = |path: Option<&Path>| path.map(OutputFile::probe).transpose();
        let files = [output.json.as_deref(), output.html.as_deref(), self.task.junit()].map(probe);
        let (json, html, junit) = match files {
            [Ok(json), Ok(html), Ok(junit)] => (json, html, junit),
            files => {
                let findings: Vec<Finding> = files.into_iter().filter_map(Result::err).collect();
                self.console.report(&findings);
                return self.ended(Exit::BadInput, None, &[]);
            }
        };
        let mut record =
            RunRecord::new(self.task.model().display().to_string(), provisional_record(self.task.search()));
        record.set_constants(&self.task.definitions().constants);
        let mut files = Vec::new();
        let mut exit = match self.answer(&mut record, &mut files) {
            Ok(exit) => exit,
            Err(Failure { exit, findings }) => {
                self.tell(&findings, &mut record);
                exit
            }
        };
        if record.resources.wall_seconds.is_none() {
            record.set_usage(usage_since(self.start));
        }
        record.exit_code = exit.code();
        type Writer = fn(&OutputFile, &RunRecord) -> io::Result<()>;
        let results: [(_, _, Writer); 3] = [
            ("run record", json, |out, record| out.write_record(record)),
            ("JUnit report", junit, |out, record| {
                out.write_by(|mut out| write_junit(record, &mut out)).map(drop)
            }),
            ("page", html, |out, record| out.write(page(record).as_bytes())),
        ];
        for (content, out, write) in results {
            let Some(out) = out else { continue };
            match write(&out, &record) {
                Ok(()) => files.extend(out.as_written(content)),
                Err(error) => exit = self.lose(&format!("the {content}"), &error, exit),
            }
        }
        let coloring = self.console.coloring();
        let (detail, view) = (output.detail(), self.task.trace_view());
        let summary = Summary { record: &record, detail, view, coloring, files: &files };
        if let Err(error) = self.console.print(&summary.to_string()) {
            exit = self.lose("the result", &error, exit);
        }
        self.ended(exit, record.search.stopped.as_deref(), &files)
    }

    /// Runs with contest output, which replaces all other output.
    fn answer_contest(&self, properties: &PropertyOptions) -> Exit {
        let contest = ContestRun {
            model: self.task.model(),
            definitions: self.task.definitions(),
            properties,
            search: self.task.search(),
            output: self.task.output(),
            console: self.console,
            start: self.start,
        };
        contest.run().unwrap_or_else(|Failure { exit, findings }| {
            self.console.report(&findings);
            exit
        })
    }

    /// Emits the end event, for programs.
    fn ended(&self, exit: Exit, stopped: Option<&str>, files: &[WrittenFile]) -> Exit {
        let seconds = self.start.elapsed().as_secs_f64();
        self.console.event(&EndEvent { event: "end", seconds, exit_code: exit.code(), stopped, files });
        exit
    }

    /// Everything up to the answers and the saved trace.
    fn answer(&self, record: &mut RunRecord, files: &mut Vec<WrittenFile>) -> Result<Exit, Failure> {
        let (search, output) = (self.task.search(), self.task.output());
        let mut stopwatch = Stopwatch { last: self.start };
        let mut times = TimesRecord::default();
        let trace_out = self.task.trace_out().map(OutputFile::probe).transpose()?;
        probe_disk(search)?;
        let mut file = ModelFile::read(self.task.model(), self.task.definitions())?;
        times.reading_seconds = stopwatch.lap();
        record.set_model(&file.model);
        self.tell(&file.warnings(), record);
        let (mut questions, mut planned) = self.prepared(&file)?;
        self.tell(&questions.warnings, record);
        self.tell(planned.measure.as_ref().map_or(&[], |measure| &measure.warnings), record);
        record.plan = planned.record();
        if self.task.properties().is_some() && questions.properties.is_empty() && !search.expect_monotone {
            self.tell(&[nothing_to_check()], record);
        }
        self.tell(&questions.of_unfair_runs(&file), record);
        let interrupt = Interrupt::listen();
        times.planning_seconds = stopwatch.lap();
        let (mut searched, mut rate) = self.searched(&file, &questions, &planned, interrupt.clone());
        while let Err(CheckError::Outgrown(outgrown)) = &searched
            && let Some(larger) = file.larger(outgrown)
        {
            file = larger;
            record.set_model(&file.model);
            (questions, planned) = self.prepared(&file)?;
            (searched, rate) = self.searched(&file, &questions, &planned, interrupt.clone());
        }
        times.search_seconds = stopwatch.lap();
        let searched = searched.map_err(|error| {
            let failure = Failure::of_check(&error, Some(search));
            if matches!(error, CheckError::Unsound(Unsound::ComponentsAcrossLayers(_))) {
                record.plan.measure.monotone = Some(false);
            }
            if failure.exit != Exit::BadInput {
                record.set_undecided(&questions.properties, &error.to_string());
            }
            failure
        })?;
        let commands = &file.model.commands;
        let (plan, outcome, components) = match &searched {
            Searched::AsPlanned(outcome) => (planned.search.plan.clone(), outcome, planned.components(None)),
            Searched::Automatically(automatic) => {
                let adopted = planned.search.adopted(automatic, commands);
                record.set_automatic(&file.model, automatic, adopted.search.engine());
                (adopted, &automatic.outcome, planned.components(Some(automatic)))
            }
        };
        let (plan, properties) = (&plan, &questions.properties);
        record.set_outcome(FinishedSearch { plan, commands, properties, outcome });
        record.resources.rate = Some(rate);
        // Everything after this is not part of the search: drawings, proofs, vacuity, writing
        // files.
        times.collecting_seconds = stopwatch.lap();
        record.set_usage(usage_since(self.start));
        record.resources.times = Some(times);
        if output.html.is_some() {
            record.space = small_space(commands, plan.search.measure());
        }
        record.plan.measure.proved = components.map(|components| {
            let kind = plan.search.measure().map_or(MeasureKind::default(), ExpressionMeasure::kind);
            record.plan.measure.monotone != Some(false) && is_proved(&file, components, kind)
        });
        self.tell(&findings_of(outcome, &file, &questions, search), record);
        let mut monitor = self.monitor(interrupt, &file);
        let checked = (&properties[..], outcome);
        let vacuous = vacuous_properties(commands, checked, (planned.execution, plan), &mut monitor);
        monitor.finish();
        self.tell(&vacuity_warnings(&vacuous, properties, &file), record);
        if matches!(outcome.stopped, Some(StopReason::Memory(_))) && plan.search.sweep().is_none() {
            self.tell(&[sweep_advice(record.measure_search.is_some())], record);
        }
        if self.task.purpose() == Purpose::Check(TraceChoice::Shortest) && has_longer_trace(record) {
            self.tell(&[not_shortened()], record);
        }
        let exit = record.exit_of_answers();
        Ok(match trace_out {
            Some(out) => self.save_trace(&out, (&file, record), exit, files),
            None => exit,
        })
    }

    /// The properties and the plan, or everything that is wrong with either.
    fn prepared(&self, file: &ModelFile) -> Result<(Questions, ChosenPlan), Failure> {
        let asked = self.task.properties();
        let questions = asked.map_or(Ok(Questions::default()), |asked| Questions::read(asked, file));
        match (questions, ChosenPlan::new(self.task.search(), self.task.purpose(), file)) {
            (Ok(questions), Ok(mut planned)) => {
                let output = self.task.output();
                let plan = &mut planned.search.plan;
                plan.survey = self.task.survey();
                plan.course = (output.json.is_some() || output.html.is_some()) && !output.no_course;
                plan.checkpoint = self.invocation.checkpoints(self.task, file)?;
                Ok((questions, planned))
            }
            (questions, planned) => {
                let findings = [questions.err(), planned.err()].into_iter().flatten().flatten();
                Err(findings.collect::<Vec<Finding>>().into())
            }
        }
    }

    /// Runs the search, and returns also how many states it had explored at which time.
    fn searched(
        &self,
        file: &ModelFile,
        questions: &Questions,
        planned: &ChosenPlan,
        interrupt: Interrupt,
    ) -> (Result<Searched, CheckError>, Vec<RateRecord>) {
        let (execution, plan) = (planned.execution, &planned.search.plan);
        let mut monitor = self.monitor(interrupt, file);
        let (commands, properties) = (&file.model.commands, &questions.properties);
        let searched = match &planned.search.automatic {
            None => execution.check(commands, properties, plan, &mut monitor).map(Searched::AsPlanned),
            Some(automatic) => execution
                .check_automatically(commands, properties, (plan, automatic), &mut monitor)
                .map(Searched::Automatically),
        };
        (searched, monitor.finish())
    }

    fn monitor<'m>(&self, interrupt: Interrupt, file: &'m ModelFile) -> SearchMonitor<'m> {
        let live = self.console.live(self.task.output().detail());
        let display = (live, Some(&file.model));
        SearchMonitor::new(self.start, self.task.search().time_limit, interrupt, display)
    }

    /// Saves the most important trace: the first counterexample, or else the first witness.
    fn save_trace(
        &self,
        out: &OutputFile,
        (file, record): (&ModelFile, &mut RunRecord),
        exit: Exit,
        files: &mut Vec<WrittenFile>,
    ) -> Exit {
        let with_trace = || record.properties.iter().filter(|property| property.trace.is_some());
        let violated = with_trace().find(|property| property.verdict == AnswerRecord::Violated);
        let chosen = violated.or_else(|| with_trace().next());
        let Some((property, trace)) = chosen.and_then(|one| Some((one, record.traces.get(one.trace?)?)))
        else {
            self.tell(&[no_trace()], record);
            return exit;
        };
        let saved = TraceFile::new(&file.path, Some(property.name.clone()), trace);
        let saved = saved.with_constants(&file.constants);
        let written = out.write_record(&saved);
        if record.traces.len() > 1 {
            self.tell(&[several_traces(&property.name, record.traces.len())], record);
        }
        match written {
            Ok(()) => {
                files.extend(out.as_written("trace"));
                exit
            }
            Err(error) => self.lose("the trace", &error, exit),
        }
    }

    /// Prints findings and adds them to the record.
    fn tell(&self, findings: &[Finding], record: &mut RunRecord) {
        self.console.report(findings);
        record.report(findings);
    }

    /// Reports a result that could not be written. The exit code must not then say success.
    fn lose(&self, what: &str, error: &io::Error, exit: Exit) -> Exit {
        self.console.report(&[result_lost(what, error)]);
        if exit == Exit::Holds { Exit::Unknown } else { exit }
    }
}

/// The last event of a run.
#[derive(Serialize)]
struct EndEvent<'a> {
    event: &'static str,
    seconds: f64,
    exit_code: u8,
    stopped: Option<&'a str>,
    files: &'a [WrittenFile],
}

/// Measures the time between laps.
struct Stopwatch {
    last: Instant,
}

impl Stopwatch {
    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let lap: Duration = now.duration_since(self.last);
        self.last = now;
        lap.as_secs_f64()
    }
}

/// A finished search.
enum Searched {
    AsPlanned(Outcome),
    /// With a measure search before it.
    Automatically(Automatic),
}

impl ChosenPlan {
    /// The components of the measure that the run followed.
    fn components<'a>(&'a self, automatic: Option<&'a Automatic>) -> Option<&'a [Expression]> {
        match automatic {
            Some(automatic) => sweepline::planning::adopted_components(automatic),
            None => self.measure.as_ref().map(|measure| &measure.components[..]),
        }
    }
}

/// The state space, if it is small enough to be drawn.
fn small_space(commands: &GuardedCommands, measure: Option<&ExpressionMeasure>) -> Option<SpaceRecord> {
    let graph = ReachableStates::explore(commands, DRAWN).ok()?;
    let progress = graph.progress_values(measure, commands);
    Some(space_record(&graph, &progress, measure, commands))
}
