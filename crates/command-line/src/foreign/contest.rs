//! Output in the format of the Model Checking Contest.
//!
//! ```text
//! FORMULA Philosophers-PT-000005-CTLCardinality-00 TRUE TECHNIQUES EXPLICIT
//! FORMULA Philosophers-PT-000005-UpperBounds-00 3 TECHNIQUES EXPLICIT
//! STATE_SPACE STATES 243 TECHNIQUES EXPLICIT
//! ```
//!
//! One search decides many properties together; each CTL and LTL formula needs its own. The answer
//! to a formula that could not be decided is `CANNOT_COMPUTE`. Each answer is printed as soon as it
//! is known, because the contest stops programs that take too long.

use std::path::Path;
use std::time::Instant;

use engine::check::{CheckError, Outcome, Plan, Reduction, SearchPlan, WhenFull};
use engine::property::soundness::Unsound;
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use languages::petri::Net;
use languages::petri::contest::{ContestProperty, ContestQuestion, Examination};
use report::{Exit, Finding};
use sweepline::execution::Execution;
use sweepline::greatest_value::{GreatestValue, GreatestValues, QUESTIONS};
use sweepline::planning::Purpose;
use sweepline::properties::PropertyReader;

use crate::check::ChosenPlan;
use crate::check::properties::{contest_kind, contest_properties};
use crate::explain::codes;
use crate::input::model_file::ModelFile;
use crate::monitor::Interrupt;
use crate::monitor::SearchMonitor;
use crate::options::{ModelOptions, OutputOptions, PropertyOptions, SearchOptions};
use crate::output::console::Console;
use crate::output::failure::Failure;
use crate::output::output_file::result_lost;

/// One run with contest output.
pub struct ContestRun<'a> {
    /// The file of the net.
    pub model: &'a Path,
    /// Options of the net.
    pub definitions: &'a ModelOptions,
    /// What to answer.
    pub properties: &'a PropertyOptions,
    /// How to search.
    pub search: &'a SearchOptions,
    /// How much to show meanwhile.
    pub output: &'a OutputOptions,
    /// Where to print answers.
    pub console: Console,
    /// When the run began.
    pub start: Instant,
}

/// What every search of a run needs.
struct Searching<'a> {
    run: &'a ContestRun<'a>,
    file: &'a ModelFile,
    plan: Plan,
    execution: Execution,
    techniques: &'static str,
    /// Shared by all searches, because a process has only one handler.
    interrupt: Interrupt,
    undecided: bool,
}

impl ContestRun<'_> {
    /// Answers everything. The exit code says whether all answers are known, not what they are.
    ///
    /// # Errors
    /// What is wrong with the net, its properties or the options.
    pub fn run(&self) -> Result<Exit, Failure> {
        let file = ModelFile::read(self.model, self.definitions)?;
        let mut properties = Vec::new();
        for path in &self.properties.property_files {
            properties.extend(contest_properties(path, &file)?);
        }
        let names = &self.properties.properties;
        properties.retain(|property| names.is_empty() || names.contains(&property.name));
        let examination = self.properties.examination;
        let Some(net) = file.model.net().cloned().filter(|_| examination.is_some() || !properties.is_empty())
        else {
            return Err(not_asked().into());
        };
        let ChosenPlan { search, execution, .. } =
            ChosenPlan::new(self.search, Purpose::Check(Default::default()), &file)?;
        let mut plan = search.plan;
        if search.automatic.is_some() {
            plan.search = SearchPlan::Breadth(WhenFull::Spill);
        }
        // One file may contain any kind of property, and bounds and counts need all states.
        if plan.reduction != Reduction::None {
            return Err(Failure::of_check(&CheckError::Unsound(Unsound::ReducedCounts), Some(self.search)));
        }
        let techniques = if plan.search.measure().is_some() { "EXPLICIT SWEEP_LINE" } else { "EXPLICIT" };
        let (file, interrupt) = (&file, Interrupt::listen());
        let mut searching =
            Searching { run: self, file, plan, execution, techniques, interrupt, undecided: false };
        if let Some(examination) = examination {
            searching.examine(examination, &net)?;
        }
        searching.answer(properties)?;
        Ok(if searching.undecided { Exit::Unknown } else { Exit::Holds })
    }

    fn print(&self, line: &str) -> Result<(), Failure> {
        self.console.print(&format!("{line}\n")).map_err(|error| Failure {
            exit: Exit::Unknown,
            findings: vec![result_lost("the answer", &error)],
        })
    }
}

impl Searching<'_> {
    fn answer(&mut self, properties: Vec<ContestProperty>) -> Result<(), Failure> {
        let (mut bounds, mut together, mut alone) = (Vec::new(), Vec::new(), Vec::new());
        for property in properties {
            match property.question {
                ContestQuestion::Bound(sum) => {
                    bounds.push((property.name, GreatestValue::new(&self.file.model.commands, vec![sum])));
                }
                question => {
                    let (model, runs) = (&self.file.model, self.run.properties.runs());
                    let reader = PropertyReader { model, runs };
                    let (kind, opposite) = contest_kind(&property.name, question, reader)?;
                    let list = if kind.needs_own_search() { &mut alone } else { &mut together };
                    list.push((Property::new(property.name, kind), opposite));
                }
            }
        }
        let batches = together.chunks(QUESTIONS).chain(alone.chunks(1));
        for batch in batches {
            let asked: Vec<Property> = batch.iter().map(|(property, _)| property.clone()).collect();
            let answers = self.decide(&asked)?;
            for ((property, opposite), answer) in batch.iter().zip(answers) {
                self.say(&property.name, answer.map(|holds| truth(holds != *opposite).to_owned()))?;
            }
        }
        self.narrow(bounds)
    }

    /// Finds greatest values, several in one search.
    fn narrow(&mut self, bounds: Vec<(String, GreatestValue)>) -> Result<(), Failure> {
        let (names, values): (Vec<String>, Vec<GreatestValue>) = bounds.into_iter().unzip();
        let mut values = GreatestValues::new(values);
        loop {
            for (position, value) in values.take_known() {
                self.say(&names[position], Some(value.to_string()))?;
            }
            if values.is_empty() {
                return Ok(());
            }
            let answers = self.decide(&values.questions())?;
            if !values.learn(&answers) {
                for position in values.unknown() {
                    self.say(&names[position], None)?;
                }
                return Ok(());
            }
        }
    }

    fn examine(&mut self, examination: Examination, net: &Net) -> Result<(), Failure> {
        let name = format!("{}-{}", net.name, examination.name());
        let answer = match examination {
            Examination::StateSpace => return self.count(net),
            Examination::ReachabilityDeadlock => {
                self.each(vec![PropertyKind::DeadlockFree], |holds| holds)?.map(|free| !free)
            }
            Examination::OneSafe => {
                self.each(vec![PropertyKind::Invariant(net.is_safe_now())], |holds| holds)?
            }
            Examination::StableMarking => {
                let places = net.unchanged_places().into_iter().map(PropertyKind::Invariant).collect();
                // One stable place is enough: the answer is no only if every place changes.
                self.each(places, |holds| !holds)?.map(|all_change| !all_change)
            }
            Examination::QuasiLiveness => {
                let fire = net.fireable_transitions().into_iter().map(PropertyKind::Reachable).collect();
                self.each(fire, |holds| holds)?
            }
            Examination::Liveness => {
                let live = net.fireable_transitions().into_iter().map(PropertyKind::AlwaysPossible).collect();
                self.each(live, |holds| holds)?
            }
        };
        self.say(&name, answer.map(|answer| truth(answer).to_owned()))
    }

    /// Whether all answers are as wanted. The first other answer ends the searches.
    fn each(&mut self, kinds: Vec<PropertyKind>, wanted: fn(bool) -> bool) -> Result<Option<bool>, Failure> {
        let mut decided = true;
        for batch in kinds.chunks(QUESTIONS) {
            let asked: Vec<Property> =
                batch.iter().map(|kind| Property::new("examination", kind.clone())).collect();
            for answer in self.decide(&asked)? {
                match answer {
                    Some(answer) if !wanted(answer) => return Ok(Some(false)),
                    Some(_) => {}
                    None => decided = false,
                }
            }
        }
        Ok(decided.then_some(true))
    }

    fn count(&mut self, net: &Net) -> Result<(), Failure> {
        let plan = Plan { explore_all: true, ..self.plan.clone() };
        let outcome = self.search(&[], &plan)?;
        let counted = outcome.figures.distinct.filter(|_| outcome.complete);
        let Some(states) = counted else {
            self.undecided = true;
            return self.run.print("CANNOT_COMPUTE");
        };
        let commands = &self.file.model.commands;
        self.run.print(&format!("STATE_SPACE STATES {states} TECHNIQUES {}", self.techniques))?;
        // A sweep counts the steps of a state again when it visits the state again.
        if outcome.figures.counters.explored == states {
            let transitions = outcome.figures.counters.transitions;
            self.run
                .print(&format!("STATE_SPACE TRANSITIONS {transitions} TECHNIQUES {}", self.techniques))?;
        } else {
            self.say("TRANSITIONS", None)?;
        }
        self.narrow(vec![
            ("MAX_TOKEN_PER_MARKING".into(), GreatestValue::new(commands, vec![net.all_tokens()])),
            ("MAX_TOKEN_IN_PLACE".into(), GreatestValue::new(commands, net.tokens())),
        ])
    }

    fn say(&mut self, name: &str, answer: Option<String>) -> Result<(), Failure> {
        let is_count = name.starts_with("MAX_TOKEN") || name == "TRANSITIONS";
        let kind = if is_count { "STATE_SPACE" } else { "FORMULA" };
        self.undecided |= answer.is_none();
        self.run.print(&match answer {
            Some(answer) => format!("{kind} {name} {answer} TECHNIQUES {}", self.techniques),
            None => format!("{kind} {name} CANNOT_COMPUTE"),
        })
    }

    /// Whether each property holds; `None` if that could not be decided.
    fn decide(&mut self, properties: &[Property]) -> Result<Vec<Option<bool>>, Failure> {
        let plan = self.plan.clone();
        let outcome = self.search(properties, &plan)?;
        let answer = |verdict: &Verdict| match verdict {
            Verdict::Holds(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Unknown(_) => None,
        };
        Ok(outcome.verdicts.iter().map(answer).collect())
    }

    fn search(&self, properties: &[Property], plan: &Plan) -> Result<Outcome, Failure> {
        let run = self.run;
        let live = run.console.live(run.output.detail());
        let interrupt = self.interrupt.clone();
        let mut monitor = SearchMonitor::new(run.start, run.search.time_limit, interrupt, (live, None));
        let outcome = self.execution.check(&self.file.model.commands, properties, plan, &mut monitor);
        monitor.finish();
        outcome.map_err(|error| Failure::of_check(&error, Some(run.search)))
    }
}

fn truth(holds: bool) -> &'static str {
    if holds { "TRUE" } else { "FALSE" }
}

fn not_asked() -> Finding {
    let message = "--contest-output needs a Petri net, and properties or an examination";
    let help = "name a file by --properties, or an examination by --examination";
    Finding::error(codes::NOT_ASKED, message, help)
}
