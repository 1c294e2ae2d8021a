//! Every model in `models/` gives the answers that stand in its first lines, with every engine, execution and layout.

use std::path::{Path, PathBuf};

use engine::check::{CheckError, Engine, OnRuntimeError, Outcome, Packing, Plan, SearchPlan, check};
use engine::explore::{Counters, Held};
use engine::property::fairness::Fairness;
use engine::property::linear::Runs;
use engine::property::soundness::Unsound;
use engine::property::{Property, PropertyKind};
use engine::verdict::{Evidence, Verdict};
use languages::{Format, ReadOptions, read_model_with};
use model::guarded_commands::{CellId, Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::measure::ExpressionMeasure;
use native_code::Compiled;
use sweepline::properties::PropertyReader;

/// What the first lines of a model expect of it, with these values for its constants or macros.
struct Instance {
    path: PathBuf,
    text: String,
    constants: Vec<(String, i64)>,
    expectations: Vec<String>,
}

impl Instance {
    fn describe(&self) -> String {
        let constants: String =
            self.constants.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        format!("{}{constants}", self.path.display())
    }

    /// The model, with places for all processes that it creates.
    fn model(&self) -> languages::Model {
        let mut options = ReadOptions {
            format: Format::by_ending(&self.path).unwrap(),
            constants: self.constants.clone(),
            ..ReadOptions::default()
        };
        loop {
            let model = read_model_with(&self.text, &options)
                .unwrap_or_else(|found| panic!("{}: {found:?}", self.describe()));
            let plan = Plan { on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() };
            match check(&model.commands, &Compiled, &[], &plan, &mut ()) {
                Err(CheckError::Outgrown(outgrown)) => {
                    options = model.options_for(outgrown.action, &outgrown.state, &options).unwrap();
                }
                _ => return model,
            }
        }
    }
}

/// The lines `// expect: …` and `// expect with NAME=VALUE, …: …` at the beginning of a model.
fn instances(path: &Path) -> Vec<Instance> {
    let text = std::fs::read_to_string(path).unwrap();
    let new =
        |constants| Instance { path: path.into(), text: text.clone(), constants, expectations: Vec::new() };
    let mut instances = vec![new(Vec::new())];
    for line in text.lines().take_while(|line| line.starts_with("//") || line.trim().is_empty()) {
        let Some(rest) = line.strip_prefix("// expect") else { continue };
        let (constants, expectation) = rest.split_once(": ").unwrap();
        let constants: Vec<(String, i64)> = match constants.strip_prefix(" with ") {
            None => Vec::new(),
            Some(list) => list
                .split(", ")
                .map(|one| one.split_once('=').unwrap())
                .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
                .collect(),
        };
        let known = instances.iter().position(|instance| instance.constants == constants);
        let at = known.unwrap_or_else(|| {
            instances.push(new(constants));
            instances.len() - 1
        });
        instances[at].expectations.push(expectation.trim().to_owned());
    }
    assert!(!instances[0].expectations.is_empty(), "{} expects nothing", path.display());
    instances
}

fn models() -> Vec<Instance> {
    let mut files = Vec::new();
    for language in ["dve", "promela"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(language);
        files.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.sort();
    assert!(files.len() > 25, "{files:?}");
    files.iter().flat_map(|path| instances(path)).collect()
}

/// Runs a model with both executions and both kinds of layout; all must agree, and the first outcome is given. Only `Auto`
/// leaves the choice of layouts to this function, and of executions.
fn run(model: &GuardedCommands, properties: &[Property], plan: Plan) -> Outcome {
    if plan.packing != Packing::Auto {
        return check(model, &Compiled, properties, &plan, &mut ()).unwrap();
    }
    let mut outcomes = Vec::new();
    for packing in [Packing::Proved, Packing::Observed] {
        let plan = Plan { packing, ..plan.clone() };
        outcomes.push(check(model, &Compiled, properties, &plan, &mut ()).unwrap());
        outcomes.push(check(model, &Interpreted, properties, &plan, &mut ()).unwrap());
    }
    // How many duplicates wait depends on the layout.
    let counters = |outcome: &Outcome| Counters { peak: Held::default(), ..outcome.figures.counters };
    let figures = |outcome: &Outcome| {
        (outcome.figures.distinct, outcome.figures.deadlocks, counters(outcome), outcome.complete)
    };
    assert!(outcomes.iter().all(|outcome| figures(outcome) == figures(&outcomes[0])));
    outcomes.swap_remove(0)
}

fn steps(verdict: &Verdict) -> Option<usize> {
    match verdict {
        Verdict::Holds(Evidence::Trace(trace, _)) | Verdict::Violated(Evidence::Trace(trace, _)) => {
            Some(trace.trace().steps.len())
        }
        _ => None,
    }
}

/// Compares one expectation; `breadth` finds shortest paths, other engines some path.
fn meets(plan: &Plan, model: &languages::Model, whole: &Outcome, expectation: &str) -> bool {
    let engine = plan.search.engine();
    let number = |text: &str| text.parse::<u64>().unwrap();
    let as_short = |verdict: &Verdict, text: &str| match engine {
        Engine::Breadth | Engine::BreadthDisk => steps(verdict) == Some(text.parse().unwrap()),
        Engine::Depth | Engine::Sweep | Engine::SweepDisk | Engine::Partition => {
            steps(verdict).is_some_and(|found| found >= text.parse().unwrap())
        }
    };
    let ask = |property: Property| run(&model.commands, &[property], plan.clone()).verdicts.swap_remove(0);
    let violated = |verdict: &Verdict| matches!(verdict, Verdict::Violated(_));
    let holds = |verdict: &Verdict| matches!(verdict, Verdict::Holds(_));
    let counters = &whole.figures.counters;
    if let Some(states) = expectation.strip_prefix("states ") {
        let (explored, expected) = (counters.model_states(), number(states));
        let distinct = whole.figures.distinct;
        return distinct.map_or(explored >= expected, |distinct| distinct == expected);
    }
    if let Some(transitions) = expectation.strip_prefix("transitions ") {
        let (found, expected) = (counters.model_transitions(), number(transitions));
        return if counters.sweeps == 1 { found == expected } else { found >= expected };
    }
    if let Some(deadlocks) = expectation.strip_prefix("deadlocks ") {
        return whole.figures.deadlocks == Some(number(deadlocks));
    }
    if let Some(rest) = expectation.strip_prefix("run-time error in ") {
        let plan = Plan { on_runtime_error: OnRuntimeError::Stop, ..plan.clone() };
        let error = run(&model.commands, &[], plan).error.unwrap();
        let found = error.trace.trace().steps.len();
        let expected: usize = rest.strip_suffix(" steps").unwrap().parse().unwrap();
        return if engine == Engine::Breadth { found == expected } else { found >= expected };
    }
    let mut reader = PropertyReader { model, runs: Runs::default() };
    if expectation == "valid ends" {
        return holds(&ask(reader.no_deadlock()));
    }
    let ends = ["deadlock in ", "invalid end in "].iter().find_map(|what| expectation.strip_prefix(what));
    if let Some(rest) = ends {
        let verdict = ask(reader.no_deadlock());
        return violated(&verdict) && as_short(&verdict, rest.strip_suffix(" steps").unwrap());
    }
    let (what, subject) = expectation.split_once(": ").unwrap();
    let (what, steps) = match what.split_once(" in ") {
        Some((what, steps)) => (what, steps.strip_suffix(" steps")),
        None => (what, None),
    };
    let what = match what.strip_suffix(" with fairness") {
        Some(what) => {
            reader.runs.fairness = Fairness::Weak;
            what
        }
        None => what,
    };
    let (kind, answer) = what.split_once(' ').unwrap_or((what, "holds"));
    let property = match kind {
        "invariant" => reader.expression(subject, PropertyKind::Invariant).unwrap().property,
        "reach" | "unreachable" => reader.expression(subject, PropertyKind::Reachable).unwrap().property,
        "ltl" => reader.ltl(subject).unwrap().property,
        "assert" | "property" => declared(&reader, subject),
        _ => panic!("what does `{expectation}` expect?"),
    };
    if engine == Engine::Partition && matches!(property.kind, PropertyKind::Linear(_)) {
        // A partitioned search finds no cycles, and says so.
        let refused = check(&model.commands, &Compiled, &[property], plan, &mut ());
        return matches!(refused, Err(CheckError::Unsound(Unsound::Cycles(..))));
    }
    let is_linear = matches!(property.kind, PropertyKind::Linear(_));
    let verdict = ask(property);
    let is_expected = match (kind, answer) {
        ("unreachable", _) => violated(&verdict),
        (_, "holds") if is_linear => matches!(verdict, Verdict::Holds(Evidence::Search(_))),
        (_, "violated") if is_linear => matches!(verdict, Verdict::Violated(Evidence::Lasso(..))),
        (_, "holds") => holds(&verdict),
        (_, "violated") => violated(&verdict),
        (_, other) => panic!("what is `{other}`?"),
    };
    is_expected && steps.is_none_or(|steps| as_short(&verdict, steps))
}

/// A property that a model declares.
fn declared(reader: &PropertyReader<'_>, name: &str) -> Property {
    let model = reader.model;
    if let Some(formula) = model.formulas.iter().find(|formula| formula.name == name) {
        return reader.declared_formula(formula).unwrap();
    }
    let mut properties = model.commands.properties.iter().chain(&model.optional);
    let property = properties.find(|property| property.name == name);
    reader.declared(property.unwrap_or_else(|| panic!("there is no property {name}"))).unwrap()
}

fn all_models_meet_their_expectations(
    engine: Engine,
    packing: Packing,
    measure: fn(&languages::Model) -> Option<Vec<Expression>>,
) {
    let mut failures = Vec::new();
    for instance in models() {
        let model = instance.model();
        let measure = measure(&model).map(|some| ExpressionMeasure::new(&model.commands, &some).unwrap());
        let plan = Plan {
            search: SearchPlan::with_measure(engine, measure),
            packing,
            on_runtime_error: OnRuntimeError::GoOn,
            ..Plan::default()
        };
        let whole = run(&model.commands, &[], plan.clone());
        for expectation in &instance.expectations {
            if !meets(&plan, &model, &whole, expectation) {
                let (instance, found) = (instance.describe(), whole.figures.counters);
                failures.push(format!("{instance}: {expectation}; found {found:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn breadth_first_search_meets_all_expectations() {
    all_models_meet_their_expectations(Engine::Breadth, Packing::Auto, |_| None);
}

#[test]
fn depth_first_search_meets_all_expectations() {
    all_models_meet_their_expectations(Engine::Depth, Packing::Auto, |_| None);
}

#[test]
fn partitioned_search_meets_all_expectations() {
    all_models_meet_their_expectations(Engine::Partition, Packing::Auto, |_| None);
}

#[test]
fn the_sweep_meets_all_expectations_with_the_measures_that_the_models_declare() {
    all_models_meet_their_expectations(Engine::Sweep, Packing::Auto, |model| {
        model.progress.as_ref().map(|progress| progress.components.clone())
    });
}

/// Where all processes stand says little about progress: steps go back, and there are many sweeps.
#[test]
fn the_sweep_meets_all_expectations_with_poor_measures() {
    all_models_meet_their_expectations(Engine::Sweep, Packing::Observed, |model| {
        Some(model.commands.processes.iter().map(|process| Expression::Cell(process.location)).collect())
    });
    all_models_meet_their_expectations(Engine::Sweep, Packing::Proved, |model| {
        let last = CellId(model.commands.cells.len() as u32 - 1);
        Some(vec![Expression::Cell(last).negated()])
    });
}
