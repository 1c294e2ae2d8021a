//! `check` and `explore`: one run from the options to the exit code.
//!
//! The order matters. Where results will go is tried out first, so that no finished search is lost. The record is filled in as
//! the run proceeds and written wherever it ends, bad input included. Files are written before the terminal, so that
//! a pipe that closes takes nothing with it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine::check::{Automatic, CheckError, ErrorPlace, Outcome, Plan, TraceChoice};
use engine::explore::StopReason;
use engine::progress::{ExpressionMeasure, MeasureKind};
use engine::property::soundness::Unsound;
use model::guarded_commands::GuardedCommands;
use report::{
    AnswerRecord, Exit, Finding, FinishedSearch, LengthRecord, PropertyKindRecord, RateRecord, RunRecord,
    SpaceRecord, Summary, TraceFile, TraceKind, TraceView, Within, WrittenFile, page, runtime_error,
    write_junit,
};
use serde::Serialize;

use crate::arguments::{CheckArguments, ExploreArguments, is_standard_stream};
use crate::codes;
use crate::console::{Console, Stream};
use crate::contest::ContestRun;
use crate::drawn_space::drawn_space;
use crate::execution::{check_automatically_by, check_by};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::model_file::ModelFile;
use crate::options::{ModelOptions, OutputOptions, QuestionOptions, SearchOptions};
use crate::output_file::{OutputFile, result_lost};
use crate::planning::{Planned, Purpose, preliminary, probe_disk};
use crate::premises::Premises;
use crate::proof::is_proved;
use crate::questions::{Questions, nothing_to_check};
use crate::reachable_states::ReachableStates;
use crate::resumption::Invocation;
use crate::stop_advice::stop_advice;
use crate::usage::usage_since;
use crate::watch::Watch;

/// State spaces up to this size are drawn on the page, larger ones layer by layer.
const DRAWN: u32 = 20_000;

/// One run of `check` or `explore`.
pub struct Exploration<'a> {
    model: &'a Path,
    definitions: &'a ModelOptions,
    /// Without questions, all states are met, whatever they are.
    questions: Option<&'a QuestionOptions>,
    search: &'a SearchOptions,
    purpose: Purpose,
    survey: bool,
    output: &'a OutputOptions,
    trace_out: Option<&'a Path>,
    junit: Option<&'a Path>,
    view: TraceView,
    console: Console,
    start: Instant,
    invocation: Invocation,
}

impl<'a> Exploration<'a> {
    /// A run that answers questions.
    pub fn check(arguments: &'a CheckArguments, console: Console) -> Self {
        let CheckArguments { model, definitions, questions, search, shortest, output, trace_out, .. } =
            arguments;
        Self {
            model,
            definitions,
            questions: Some(questions),
            search,
            purpose: Purpose::Check(if *shortest { TraceChoice::Shortest } else { TraceChoice::First }),
            survey: false,
            output,
            trace_out: trace_out.as_deref(),
            junit: arguments.junit.as_deref(),
            view: arguments.trace_view.into(),
            console: console.with_results_on(free_stream(&[
                &output.json,
                &output.html,
                trace_out,
                &arguments.junit,
            ])),
            start: Instant::now(),
            invocation: Invocation::of_process(),
        }
    }

    /// A run that meets all states.
    pub fn explore(arguments: &'a ExploreArguments, console: Console) -> Self {
        let ExploreArguments { model, survey, definitions, search, output } = arguments;
        Self {
            model,
            definitions,
            questions: None,
            search,
            purpose: Purpose::Explore,
            survey: *survey,
            output,
            trace_out: None,
            junit: None,
            view: TraceView::Diff,
            console: console.with_results_on(free_stream(&[&output.json, &output.html])),
            start: Instant::now(),
            invocation: Invocation::of_process(),
        }
    }

    /// The same as part of a run that began earlier.
    pub fn of(self, invocation: Invocation) -> Self {
        Self { invocation, ..self }
    }

    /// Does it.
    pub fn run(&self) -> Exit {
        if let Some(questions) = self.questions.filter(|questions| questions.contest_output) {
            let contest = ContestRun {
                model: self.model,
                definitions: self.definitions,
                questions,
                search: self.search,
                output: self.output,
                console: self.console,
                start: self.start,
            };
            let exit = contest.run().unwrap_or_else(|Failure { exit, findings }| {
                self.console.report(&findings);
                exit
            });
            return self.ended(exit, None, &[]);
        }
        let probe = |path: Option<&Path>| path.map(OutputFile::probe).transpose();
        let files = [self.output.json.as_deref(), self.output.html.as_deref(), self.junit].map(probe);
        let (json, html, junit) = match files {
            [Ok(json), Ok(html), Ok(junit)] => (json, html, junit),
            files => {
                let findings: Vec<Finding> = files.into_iter().filter_map(Result::err).collect();
                self.console.report(&findings);
                return self.ended(Exit::BadInput, None, &[]);
            }
        };
        let mut record = RunRecord::new(self.model.display().to_string(), preliminary(self.search));
        record.set_constants(&self.definitions.constants);
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
        let (detail, view) = (self.output.detail(), self.view);
        let summary = Summary { record: &record, detail, view, coloring, files: &files };
        if let Err(error) = self.console.print(&summary.to_string()) {
            exit = self.lose("the result", &error, exit);
        }
        self.ended(exit, record.search.stopped.as_deref(), &files)
    }

    /// Tells programs that the run is over.
    fn ended(&self, exit: Exit, stopped: Option<&str>, files: &[WrittenFile]) -> Exit {
        let seconds = self.start.elapsed().as_secs_f64();
        self.console.event(&EndEvent { event: "end", seconds, exit_code: exit.code(), stopped, files });
        exit
    }

    /// Everything up to the answers and the saved trace.
    fn answer(&self, record: &mut RunRecord, files: &mut Vec<WrittenFile>) -> Result<Exit, Failure> {
        let trace_out = self.trace_out.map(OutputFile::probe).transpose()?;
        probe_disk(self.search)?;
        let file = ModelFile::read(self.model, self.definitions)?;
        record.set_model(&file.model);
        self.tell(&file.warnings(), record);
        let (questions, mut planned) = self.prepared(&file)?;
        planned.plan.survey = self.survey;
        let is_recorded = self.output.json.is_some() || self.output.html.is_some();
        planned.plan.course = is_recorded && !self.output.no_course;
        planned.plan.checkpoint = self.invocation.checkpoints(self.search, self.model, &file)?;
        record.plan = planned.record();
        if self.questions.is_some() && questions.properties.is_empty() && !self.search.expect_monotone {
            self.tell(&[nothing_to_check()], record);
        }
        self.tell(&questions.of_all_runs(&file), record);
        let interrupt = Interrupt::listen();
        let (explored, rate) = self.explored(&file, &questions, &planned, interrupt.clone());
        let explored = explored.map_err(|error| {
            let failure = Failure::of_check(&error, Some(self.search));
            if matches!(error, CheckError::Unsound(Unsound::ComponentsAcrossLayers(_))) {
                record.plan.measure.monotone = Some(false);
            }
            if failure.exit != Exit::BadInput {
                record.set_undecided(&questions.properties, &error.to_string());
            }
            failure
        })?;
        let commands = &file.model.commands;
        let (plan, outcome, components) = match &explored {
            Explored::AsPlanned(outcome) => (planned.plan.clone(), outcome, planned.components(None)),
            Explored::Automatically(automatic) => {
                let kept = planned.kept(automatic, commands);
                record.set_automatic(&file.model, automatic, kept.engine);
                (kept, &automatic.outcome, planned.components(Some(automatic)))
            }
        };
        let (plan, properties) = (&plan, &questions.properties);
        record.set_outcome(FinishedSearch { plan, commands, properties, outcome });
        record.resources.rate = Some(rate);
        // What comes now is not part of the search.
        record.set_usage(usage_since(self.start));
        if self.output.html.is_some() {
            record.space = small_space(commands, plan.measure.as_ref());
        }
        let kind = plan.measure.as_ref().map_or(MeasureKind::default(), ExpressionMeasure::kind);
        record.plan.measure.proved = components.map(|components| {
            record.plan.measure.monotone != Some(false) && is_proved(&file, components, kind)
        });
        self.tell(&findings_of(outcome, &file, &questions, self.search), record);
        let premises = Premises::of(properties, outcome, &file);
        self.tell(&self.trivially_true(&premises, (plan, &planned), interrupt, commands), record);
        if matches!(outcome.stopped, Some(StopReason::Memory(_))) && !plan.engine.is_sweep() {
            self.tell(&[sweep_advice(record.measure_search.is_some())], record);
        }
        if self.purpose == Purpose::Check(TraceChoice::Shortest) && has_longer_trace(record) {
            self.tell(&[not_shortened()], record);
        }
        let exit = record.exit_of_answers();
        Ok(match trace_out {
            Some(out) => self.save_trace(&out, (&file, record), exit, files),
            None => exit,
        })
    }

    /// What is asked, and how it will be searched for; or all that is wrong with either.
    fn prepared(&self, file: &ModelFile) -> Result<(Questions, Planned), Vec<Finding>> {
        let questions = self.questions.map_or(Ok(Questions::default()), |asked| Questions::ask(asked, file));
        match (questions, Planned::new(self.search, self.purpose, file)) {
            (Ok(questions), Ok(planned)) => Ok((questions, planned)),
            (questions, planned) => {
                Err([questions.err(), planned.err()].into_iter().flatten().flatten().collect())
            }
        }
    }

    fn explored(
        &self,
        file: &ModelFile,
        questions: &Questions,
        planned: &Planned,
        interrupt: Interrupt,
    ) -> (Result<Explored, CheckError>, Vec<RateRecord>) {
        let Planned { plan, execution, finder, .. } = planned;
        let mut watch = self.watch(interrupt);
        let (commands, properties) = (&file.model.commands, &questions.properties);
        let explored = match finder {
            None => check_by(*execution, commands, properties, plan, &mut watch).map(Explored::AsPlanned),
            Some(finder) => {
                check_automatically_by(*execution, commands, properties, (plan, finder), &mut watch)
                    .map(Explored::Automatically)
            }
        };
        (explored, watch.finish())
    }

    fn watch(&self, interrupt: Interrupt) -> Watch {
        let live = self.console.live(self.output.detail());
        Watch::new(self.start, self.search.time_limit, interrupt, live)
    }

    /// What holds for a trivial reason, as far as a short search tells.
    fn trivially_true(
        &self,
        premises: &Premises<'_>,
        found: (&Plan, &Planned),
        interrupt: Interrupt,
        commands: &GuardedCommands,
    ) -> Vec<Finding> {
        let (plan, planned) = found;
        let answer = premises.question(plan).and_then(|(properties, plan)| {
            let mut watch = self.watch(interrupt);
            let answer = check_by(planned.execution, commands, &properties, &plan, &mut watch);
            watch.finish();
            answer.ok()
        });
        premises.findings(answer.as_ref())
    }

    /// Saves the trace that matters most: of the first violation, or else of the first witness.
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
            let help = "a trace shows a violation or a reached state; a property that always holds has none";
            self.tell(&[Finding::warning(codes::NO_TRACE, "there is no trace to save", help)], record);
            return exit;
        };
        let saved = TraceFile::new(&file.path, Some(property.name.clone()), trace);
        let saved = saved.with_constants(&file.constants);
        let written = out.write_record(&saved);
        if record.traces.len() > 1 {
            let message =
                format!("the saved trace is that of `{}`, one of {}", property.name, record.traces.len());
            let help = "--json keeps all of them; a check of one property has only its own";
            self.tell(&[Finding::warning(codes::SEVERAL_TRACES, message, help)], record);
        }
        match written {
            Ok(()) => {
                files.extend(out.as_written("trace"));
                exit
            }
            Err(error) => self.lose("the trace", &error, exit),
        }
    }

    /// Shows findings now, and keeps them for the record.
    fn tell(&self, findings: &[Finding], record: &mut RunRecord) {
        self.console.report(findings);
        record.report(findings);
    }

    /// A result could not be written: whoever relies on the file must not read success from the exit code.
    fn lose(&self, what: &str, error: &io::Error, exit: Exit) -> Exit {
        self.console.report(&[result_lost(what, error)]);
        if exit == Exit::Holds { Exit::Unknown } else { exit }
    }
}

/// The run is over.
#[derive(Serialize)]
struct EndEvent<'a> {
    event: &'static str,
    seconds: f64,
    exit_code: u8,
    stopped: Option<&'a str>,
    files: &'a [WrittenFile],
}

/// The state space, if it is small enough to be drawn.
fn small_space(commands: &GuardedCommands, measure: Option<&ExpressionMeasure>) -> Option<SpaceRecord> {
    let graph = ReachableStates::explore(commands, DRAWN).ok()?;
    let progress = graph.progress_values(measure, commands);
    Some(drawn_space(&graph, &progress, measure, commands))
}

/// A finished search.
enum Explored {
    AsPlanned(Outcome),
    /// By a measure that was found, or by none.
    Automatically(Automatic),
}

/// What a search found out besides the answers.
fn findings_of(
    outcome: &Outcome,
    file: &ModelFile,
    questions: &Questions,
    options: &SearchOptions,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(error) = &outcome.error {
        let (within, (origin, text)) = match error.place {
            ErrorPlace::Action(_) => (Within::Step, (file.path.clone(), file.text.clone())),
            ErrorPlace::Property(number) => (Within::Expression, questions.text_of(number, file)),
        };
        findings.push(runtime_error(&error.error, within, &origin, &text));
    }
    findings.extend(outcome.stopped.as_ref().map(|reason| stop_advice(reason, Some(options))));
    findings
}

/// Whether a trace is there of which it is not known that no other is shorter. Components have no shortest trace.
fn has_longer_trace(record: &RunRecord) -> bool {
    let is_short = |kind: PropertyKindRecord| {
        use PropertyKindRecord::{Deadlock, Invariant, Reach};
        matches!(kind, Deadlock | Invariant | Reach)
    };
    let of_property = record.properties.iter().filter(|property| is_short(property.kind));
    let mut traces = of_property.filter_map(|property| record.traces.get(property.trace?));
    traces.any(|trace| trace.kind == TraceKind::Finite && trace.length != Some(LengthRecord::Shortest))
}

/// Said when all states do not fit into memory, and nobody tried without; or did, and found no measure.
fn sweep_advice(searched: bool) -> Finding {
    let message = "this search keeps all states, and a sweep does not";
    let help = match searched {
        true => {
            "say what progress is, by --measure EXPR; `sweepline progress --thorough --prefer memory` looks harder for it"
        }
        false => {
            "say what progress is, by --measure EXPR or by a line `// progress: EXPR` in the model; --measure auto looks for it"
        }
    };
    Finding::warning(codes::SWEEP_WOULD_HELP, message, help)
}

fn not_shortened() -> Finding {
    let message = "there may be a shorter trace: the search for it was stopped by a limit";
    let help = "raise --state-limit, --memory or --time-limit; it keeps all states that it meets";
    Finding::warning(codes::NOT_SHORTENED, message, help)
}

/// The stream for people: stdout, unless one of the files is stdout.
pub fn free_stream(files: &[&Option<PathBuf>]) -> Stream {
    let taken = files.iter().copied().flatten().any(|path| is_standard_stream(path));
    if taken { Stream::Error } else { Stream::Output }
}
