//! Checks by measures that the program finds itself answer as full exploration does: on random models, with all kinds of
//! properties at once; and what a measure is said to cost is what it costs.

use crate::random_model::random_model;
use engine::check::{
    AutomaticPlan, Engine, OnRuntimeError, Outcome, Packing, Plan, SearchPlan, Start, TerminalList, check,
    check_automatically, find_measures, judge_measure,
};
use engine::explore::search::Limits;
use engine::progress::finder::{Aim, FinderOptions, Prefer, SmallModels};
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use model::guarded_commands::{BinaryOperator, CellId, Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::measure::ExpressionMeasure;

fn kind_of<R, T>(verdict: &Verdict<R, T>) -> &'static str {
    match verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}

fn answers(outcome: &Outcome) -> Vec<&'static str> {
    outcome.verdicts.iter().map(kind_of).collect()
}

/// What is asked of a random model: two predicates, in all ways, or only in those that any measure can answer.
fn questions(model: &GuardedCommands, seed: u64, with_components: bool) -> Vec<Property> {
    let cells = model.cells.len() as u64;
    let predicate = |number: u64| {
        let cell = Expression::Cell(CellId(((seed / 7 + number * 3) % cells) as u32));
        let operators = [BinaryOperator::Equal, BinaryOperator::Greater, BinaryOperator::NotEqual];
        let value = Expression::Constant((seed / 3 + number) as i64 % 4);
        Expression::binary(operators[(seed + number) as usize % 3], cell, value)
    };
    let mut kinds = vec![PropertyKind::DeadlockFree];
    for number in 0..2 {
        kinds.push(PropertyKind::Reachable(predicate(number)));
        kinds.push(PropertyKind::Invariant(predicate(number)));
        if with_components {
            kinds.push(PropertyKind::AlwaysPossible(predicate(number)));
            kinds.push(PropertyKind::PossiblyForEver(predicate(number)));
        }
    }
    kinds.into_iter().map(|kind| Property::new("asked", kind)).collect()
}

#[test]
fn random_models_are_answered_as_by_full_exploration() {
    let (mut compared, mut swept) = (0, 0);
    for seed in 1..3_000u64 {
        let model = random_model(seed * 31);
        let properties = questions(&model, seed, seed.is_multiple_of(2));
        let plan = Plan {
            on_runtime_error: OnRuntimeError::GoOn,
            explore_all: seed.is_multiple_of(3),
            terminal_states: TerminalList::Listed,
            packing: if seed.is_multiple_of(5) { Packing::Observed } else { Packing::Auto },
            limits: Limits { states: 3_000, ..Limits::default() },
            ..Plan::default()
        };
        let full = check(&model, &Interpreted, &properties, &plan, &mut ()).unwrap();
        if full.stopped.is_some() || full.figures.estimated_distinct < 8 {
            continue;
        }
        let plan = Plan { limits: Limits::default(), ..plan };
        let aim = match seed % 4 {
            0 => Prefer::Memory.aim(),
            1 => Prefer::Balanced.aim(),
            2 => Prefer::Time.aim(),
            _ => Aim::Bounded { regress: 0.2 },
        };
        let options = FinderOptions { aim, seed, small: SmallModels::Swept, ..FinderOptions::default() };
        let automatic = AutomaticPlan { finder: options, start: Start::Finder };
        let plans = (&plan, &automatic);
        let found = check_automatically(&model, &Interpreted, &properties, plans, &mut ()).unwrap();
        let outcome = &found.outcome;
        compared += 1;
        swept += usize::from(found.attempts.last().unwrap().proposal.is_some());
        assert_eq!(answers(outcome), answers(&full), "seed {seed}");
        assert_eq!(outcome.complete, full.complete, "seed {seed}");
        if full.complete {
            assert!(
                outcome.figures.distinct.is_none_or(|states| Some(states) == full.figures.distinct),
                "seed {seed}"
            );
            assert_eq!(outcome.figures.deadlocks, full.figures.deadlocks, "seed {seed}");
            let sorted = |outcome: &Outcome| {
                let mut states = outcome.terminal_states.clone().unwrap();
                states.sort_unstable();
                states
            };
            assert_eq!(sorted(outcome), sorted(&full), "seed {seed}");
        }
    }
    eprintln!("{compared} random models, {swept} of them swept");
    assert!(compared > 300 && swept > 30, "{compared} {swept}");
}

/// On a sample that is the whole, the cost is that of the sweep.
#[test]
fn the_cost_on_all_states_is_that_of_the_sweep() {
    let mut compared = 0;
    for seed in 1..3_000u64 {
        let model = random_model(seed * 41);
        let plan = Plan { limits: Limits { states: 3_000, ..Limits::default() }, ..Plan::default() };
        let full = check(&model, &Interpreted, &[], &plan, &mut ()).unwrap();
        if !full.complete || full.figures.estimated_distinct < 8 {
            continue;
        }
        let options = FinderOptions {
            aim: Prefer::Memory.aim(),
            small: SmallModels::Swept,
            ..FinderOptions::default()
        };
        let found = find_measures(&model, &Interpreted, plan.packing, &options).unwrap().findings;
        assert_eq!(found.sample.states as u64, full.figures.distinct.unwrap(), "seed {seed}");
        let cells = (0..model.cells.len() as u32).map(|cell| vec![Expression::Cell(CellId(cell))]);
        for components in found.proposals.into_iter().map(|one| one.components).chain(cells) {
            let Ok(measure) = ExpressionMeasure::new(&model, &components) else { continue };
            let (cost, facts) =
                judge_measure(&model, &Interpreted, plan.packing, &measure, &options).unwrap();
            if cost.is_given_up || !facts.complete {
                continue;
            }
            let sweep =
                Plan { search: SearchPlan::with_measure(Engine::Sweep, Some(measure)), ..plan.clone() };
            let counters = check(&model, &Interpreted, &[], &sweep, &mut ()).unwrap().figures.counters;
            assert_eq!(cost.explored as u64, counters.explored, "seed {seed}: {components:?}");
            assert_eq!(cost.regress as u64, counters.regress, "seed {seed}: {components:?}");
            assert_eq!(cost.peak as u64, counters.peak.total(), "seed {seed}: {components:?}");
            compared += 1;
        }
    }
    eprintln!("{compared} measures cost what was foreseen");
    assert!(compared > 300, "{compared}");
}

fn model(text: &str) -> GuardedCommands {
    languages::read_model(text).unwrap().commands
}

#[test]
fn a_measure_of_a_model_that_cannot_take_a_step_is_judged() {
    let model = model(
        "int a[2]; byte i = 5; process P { state s, t; init s; trans s -> t { effect a[i] = 1; }; }\nsystem async;",
    );
    let measure = ExpressionMeasure::new(&model, &[Expression::Cell(CellId(0))]).unwrap();
    let options = FinderOptions::default();
    let (cost, facts) = judge_measure(&model, &Interpreted, Packing::Auto, &measure, &options).unwrap();
    assert_eq!((cost.states, cost.peak_share(), cost.revisits()), (0, 0.0, 1.0));
    assert!(!facts.complete);
    find_measures(
        &model,
        &Interpreted,
        Packing::Auto,
        &FinderOptions { small: SmallModels::Swept, ..options },
    )
    .unwrap();
}
