//! Every model in `models/` gives the answers that stand in its first lines, with every engine, execution and layout.

use std::path::{Path, PathBuf};

use engine::check::{CheckError, Engine, OnRuntimeError, Outcome, Packing, Plan, SearchPlan, check};
use engine::explore::{Counters, Held};
use engine::property::linear::LinearProperty;
use engine::property::soundness::Unsound;
use engine::property::{Property, PropertyKind};
use engine::verdict::{Evidence, Verdict};
use model::guarded_commands::{CellId, DeclaredPropertyKind, Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::measure::ExpressionMeasure;
use native_code::Compiled;

/// The lines `// expect: …` at the beginning of a model.
fn expectations(text: &str) -> Vec<String> {
    text.lines()
        .take_while(|line| line.starts_with("//") || line.trim().is_empty())
        .filter_map(|line| line.strip_prefix("// expect: "))
        .map(|line| line.trim().to_string())
        .collect()
}

fn models() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dve");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "dve"));
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
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
    let ask = |kind: PropertyKind| {
        let property = Property::new(expectation, kind);
        run(&model.commands, &[property], plan.clone()).verdicts.swap_remove(0)
    };
    let expression = |text: &str| model.expression(text).unwrap();
    let declared = |name: &str| {
        let property = model.commands.properties.iter().find(|property| property.name == name).unwrap();
        let DeclaredPropertyKind::Invariant(expression) = &property.kind else {
            panic!("{name} is no assertion")
        };
        expression.clone()
    };
    let as_short = |verdict: &Verdict, text: &str| match engine {
        Engine::Breadth | Engine::BreadthDisk => steps(verdict) == Some(text.parse().unwrap()),
        Engine::Depth | Engine::Sweep | Engine::SweepDisk | Engine::Partition => {
            steps(verdict).is_some_and(|found| found >= text.parse().unwrap())
        }
    };
    let violated = |verdict: &Verdict| matches!(verdict, Verdict::Violated(_));
    let holds = |verdict: &Verdict| matches!(verdict, Verdict::Holds(_));
    if let Some(states) = expectation.strip_prefix("states ") {
        let (explored, expected) = (whole.figures.counters.explored, number(states));
        return whole.figures.distinct.map_or(explored >= expected, |distinct| distinct == expected);
    }
    if let Some(transitions) = expectation.strip_prefix("transitions ") {
        let (found, expected) = (whole.figures.counters.transitions, number(transitions));
        return if whole.figures.counters.sweeps == 1 { found == expected } else { found >= expected };
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
    if let Some(rest) = expectation.strip_prefix("deadlock in ") {
        let verdict = ask(PropertyKind::DeadlockFree);
        return violated(&verdict) && as_short(&verdict, rest.strip_suffix(" steps").unwrap());
    }
    let (what, subject) = expectation.split_once(": ").unwrap();
    if let Some(answer) = what.strip_prefix("ltl ") {
        let formula = model.ltl(subject).unwrap();
        let propositions = formula.propositions.into_iter().map(|one| one.expression).collect();
        let linear = LinearProperty::of_formula(formula.formula, propositions, &Default::default()).unwrap();
        let kind = PropertyKind::Linear(Box::new(linear));
        if engine == Engine::Partition {
            // A partitioned search finds no cycles, and says so.
            let refused = check(&model.commands, &Compiled, &[Property::new(subject, kind)], plan, &mut ());
            return matches!(refused, Err(CheckError::Unsound(Unsound::Cycles(..))));
        }
        let verdict = ask(kind);
        return match answer {
            "holds" => matches!(verdict, Verdict::Holds(Evidence::Search(_))),
            "violated" => matches!(verdict, Verdict::Violated(Evidence::Lasso(..))),
            other => panic!("what is `{other}`?"),
        };
    }
    match what.split_once(" in ").map(|(what, steps)| (what, steps.strip_suffix(" steps").unwrap())) {
        Some(("invariant violated", steps)) => {
            let verdict = ask(PropertyKind::Invariant(expression(subject)));
            violated(&verdict) && as_short(&verdict, steps)
        }
        Some(("assert violated", steps)) => {
            let verdict = ask(PropertyKind::Invariant(declared(subject)));
            violated(&verdict) && as_short(&verdict, steps)
        }
        Some(("reach", steps)) => {
            let verdict = ask(PropertyKind::Reachable(expression(subject)));
            holds(&verdict) && as_short(&verdict, steps)
        }
        None if what == "invariant holds" => holds(&ask(PropertyKind::Invariant(expression(subject)))),
        None if what == "assert holds" => holds(&ask(PropertyKind::Invariant(declared(subject)))),
        None if what == "unreachable" => violated(&ask(PropertyKind::Reachable(expression(subject)))),
        _ => panic!("what does `{expectation}` expect?"),
    }
}

fn all_models_meet_their_expectations(
    engine: Engine,
    packing: Packing,
    measure: fn(&languages::Model) -> Option<Vec<Expression>>,
) {
    let mut failures = Vec::new();
    for (path, text) in models() {
        let model = languages::read_model(&text).unwrap();
        let expectations = expectations(&text);
        assert!(!expectations.is_empty(), "{} expects nothing", path.display());
        let measure = measure(&model).map(|some| ExpressionMeasure::new(&model.commands, &some).unwrap());
        let plan = Plan {
            search: SearchPlan::with_measure(engine, measure),
            packing,
            on_runtime_error: OnRuntimeError::GoOn,
            ..Plan::default()
        };
        let whole = run(&model.commands, &[], plan.clone());
        for expectation in expectations {
            if !meets(&plan, &model, &whole, &expectation) {
                failures.push(format!(
                    "{}: {expectation}; found {:?}",
                    path.display(),
                    whole.figures.counters
                ));
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
