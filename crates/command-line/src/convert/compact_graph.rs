//! `convert --to graph`: all steps between states, without the states, in the file format of
//! [`engine::store::compact_graph::file`].
//!
//! With a measure, a sweep visits the states and forgets them, so the state space need not fit into
//! memory. The size of the graph is printed on stderr, beside the size that the literature
//! predicts.

use std::time::Instant;

use engine::check::{Engine, ErrorPlace, ModelError, OnRuntimeError, Plan, SearchPlan, WhenFull};
use engine::explore::StopReason;
use engine::explore::search::Limits;
use engine::store::compact_graph::file::{GraphNames, NamedProposition};
use engine::store::compact_graph::{self, RecordedGraph};
use model::guarded_commands::{ActionId, Expression, GuardedCommands};
use report::{
    Count, Detail, Exit, Finding, FinishedSearch, MeasureOrigin, MeasureRecord, PlanRecord, RunRecord,
    States, Within, graph_row, runtime_error,
};
use sweepline::execution::Execution;

use super::{ConvertArguments, Proposition, lost, own_propositions, propositions, too_many_states};
use crate::check::stop_advice::stop_advice;
use crate::explain::codes;
use crate::input::chosen_measure::{self, Measure};
use crate::input::model_file::ModelFile;
use crate::monitor::Interrupt;
use crate::monitor::SearchMonitor;
use crate::monitor::usage_since;
use crate::output::console::{Console, Stream};
use crate::output::failure::{Failure, bug};
use crate::output::output_file::{OutputFile, result_lost};

/// Advice when `--limit` is reached.
const LIMIT: &str = "raise --limit, or leave it out: then only memory and disk limit the search";

/// Writes the graph, and the run record if the options ask for it.
///
/// # Errors
/// The record cannot be written.
pub fn write_graph(arguments: &ConvertArguments, console: Console, start: Instant) -> Result<Exit, Failure> {
    let json = arguments.json.as_deref().map(OutputFile::probe).transpose()?;
    let plan = PlanRecord::asked(None, None, None);
    let mut conversion = Conversion {
        arguments,
        console: console.with_results_on(Stream::Error),
        start,
        record: RunRecord::new(arguments.model.display().to_string(), plan),
    };
    conversion.record.set_constants(&arguments.definitions.constants);
    let mut exit = conversion.run().unwrap_or_else(|Failure { exit, findings }| {
        conversion.tell(&findings);
        exit
    });
    let Conversion { mut record, console, .. } = conversion;
    record.set_usage(usage_since(start));
    record.exit_code = exit.code();
    if let Some(json) = json
        && let Err(error) = json.write_record(&record)
    {
        console.report(&[result_lost("the run record", &error)]);
        exit = if exit == Exit::Holds { Exit::Unknown } else { exit };
    }
    Ok(exit)
}

/// One run of `convert --to graph`.
struct Conversion<'a> {
    arguments: &'a ConvertArguments,
    console: Console,
    start: Instant,
    record: RunRecord,
}

impl Conversion<'_> {
    fn run(&mut self) -> Result<Exit, Failure> {
        let arguments = self.arguments;
        let out = OutputFile::probe(&arguments.output)?;
        let file = ModelFile::read(&arguments.model, &arguments.definitions)?;
        self.record.set_model(&file.model);
        self.tell(&file.warnings());
        let measure = chosen_measure::choose(arguments.measure.as_deref(), &file)?.given();
        let (propositions, warnings) = propositions(own_propositions(&file.model), arguments, &file)?;
        self.tell(measure.as_ref().map_or(&[], |measure| &measure.warnings));
        self.tell(&warnings);
        let graph = self.recorded(&file, measure.as_ref(), &propositions)?;
        let names = names(&file.model.commands, &propositions);
        let bytes = out
            .write_by(|out| compact_graph::file::write_graph(&graph, &names, out))
            .map_err(|error| lost(&error))?;
        if let (Some(summary), Some(bytes)) = (&self.record.search.graph, bytes) {
            let text = format!("graph     {}; {} bytes\n", graph_row(summary), Count(bytes));
            // A closed stderr is not an error.
            let _ = self.console.print(&text);
        }
        Ok(Exit::Holds)
    }

    /// Explores the model and returns its graph.
    fn recorded(
        &mut self,
        file: &ModelFile,
        measure: Option<&Measure>,
        propositions: &[Proposition],
    ) -> Result<RecordedGraph, Failure> {
        let (plan, execution) = (self.plan(measure), Execution::suited_to(&file.model));
        self.record.plan = plan_record(&plan, execution.name(), measure);
        let live = self.console.live(Detail::Normal);
        let mut monitor = SearchMonitor::new(self.start, None, Interrupt::listen(), (live, None));
        let commands = &file.model.commands;
        let expressions: Vec<Expression> = propositions.iter().map(|one| one.expression.clone()).collect();
        let result = execution.record_graph(commands, &expressions, &plan, &mut monitor);
        monitor.finish();
        let (mut outcome, graph) = result.map_err(|error| Failure::of_check(&error, None))?;
        // A step that fails is left out, with a warning. A proposition that fails is a bad option.
        let error = outcome.error.take();
        self.record.set_outcome(FinishedSearch { plan: &plan, commands, properties: &[], outcome: &outcome });
        if let Some(ModelError { error, place: ErrorPlace::Property(number), .. }) = &error {
            let text = propositions.get(*number).map(|one| one.text.clone()).unwrap_or_default();
            return Err(runtime_error(error, Within::Expression, "--proposition", &text).into());
        }
        match (outcome.stopped, self.arguments.limit) {
            (Some(StopReason::StateLimit(_)), Some(limit)) => {
                return Err(too_many_states(limit, LIMIT).into());
            }
            (Some(reason), _) => {
                return Err(Failure { exit: Exit::Unknown, findings: vec![stop_advice(&reason, None)] });
            }
            (None, _) => {}
        }
        if error.is_some() {
            self.tell(&[steps_left_out(outcome.figures.counters.erroneous)]);
        }
        graph.ok_or_else(|| Failure { exit: Exit::Defect, findings: vec![bug("a search without a graph")] })
    }

    fn plan(&self, measure: Option<&Measure>) -> Plan {
        let search = match measure {
            Some(measure) => SearchPlan::with_measure(Engine::Sweep, Some(measure.packed.clone())),
            None => SearchPlan::Breadth(WhenFull::Spill),
        };
        let mut limits = Limits::of_this_machine();
        if let Some(limit) = self.arguments.limit {
            limits.states = limit.into();
        }
        Plan { search, limits, on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() }
    }

    /// Prints findings and adds them to the record.
    fn tell(&mut self, findings: &[Finding]) {
        self.console.report(findings);
        self.record.report(findings);
    }
}

fn plan_record(plan: &Plan, execution: &str, measure: Option<&Measure>) -> PlanRecord {
    let record = PlanRecord::new(plan.search.engine(), execution);
    let Some(measure) = measure else { return record };
    let record = record.with_measure(&measure.text, MeasureOrigin::User);
    let measure = MeasureRecord { summary: measure.summary.clone(), ..record.measure };
    PlanRecord { measure, ..record }
}

fn names(commands: &GuardedCommands, propositions: &[Proposition]) -> GraphNames {
    let actions = (0..).take(commands.actions.len()).map(|number| commands.action_name(ActionId(number)));
    let proposition =
        |one: &Proposition| NamedProposition { name: one.name.clone(), expression: one.text.trim().into() };
    GraphNames { propositions: propositions.iter().map(proposition).collect(), actions: actions.collect() }
}

fn steps_left_out(states: u64) -> Finding {
    let message = match states {
        1 => "in 1 state a step is a run-time error and is left out".into(),
        many => format!("in {} a step is a run-time error and is left out", States(many)),
    };
    Finding::warning(codes::STEPS_LEFT_OUT, message, "`sweepline check` shows the first one")
}
