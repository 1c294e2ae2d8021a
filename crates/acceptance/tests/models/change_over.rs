//! Full exploration of random models that becomes a sweep, at a random moment and by a random measure: answers, counts
//! and traces are those of full exploration, also where layouts widen and threads share the work.

use std::num::NonZero;
use std::time::Duration;

use engine::check::{
    AutomaticPlan, OnRuntimeError, Outcome, Packing, Plan, Reduction, SearchPlan, Start, TerminalList, check,
    check_automatically,
};
use engine::explore::search::{Limits, Snapshot};
use engine::explore::sweep::{Nesting, NewOrder, Retention, Threads};
use engine::explore::{AfterPause, Change, Monitor, PausedSearch, Phase, StopReason};
use engine::progress::finder::FinderOptions;
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use model::guarded_commands::{BinaryOperator, CellId, Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::measure::ExpressionMeasure;
use model::transition_system::Execution;
use native_code::Compiled;

use crate::random_model::random_model;

/// Lets a search change over to a measure at its look with this number.
pub struct ChangesAt {
    pub looks: u32,
    pub measure: ExpressionMeasure,
}

impl Monitor for ChangesAt {
    fn look(&mut self, _: &Snapshot) -> Option<StopReason> {
        self.looks = self.looks.wrapping_sub(1);
        (self.looks == 0).then_some(StopReason::Pause)
    }

    fn paused(&mut self, search: &PausedSearch<'_>) -> AfterPause {
        if !search.can_change_over {
            return AfterPause::Continue;
        }
        assert!(!(search.sample)(5).is_empty(), "there are states to look at");
        let order = NewOrder {
            nesting: Nesting::default(),
            retention: Retention::Immediate,
            revisits: f64::INFINITY,
        };
        AfterPause::Follow(Box::new(Change { measure: self.measure.clone(), order }))
    }
}

fn measure(model: &GuardedCommands, seed: u64) -> Option<ExpressionMeasure> {
    let cells = model.cells.len() as u64;
    let component = |number: u64| {
        let cell = Expression::Cell(CellId(((seed / 5 + number * 3) % cells) as u32));
        match (seed + number) % 3 {
            0 => Expression::binary(BinaryOperator::Subtract, Expression::Constant(0), cell),
            _ => cell,
        }
    };
    let components: Vec<Expression> = (0..1 + seed % 3).map(component).collect();
    ExpressionMeasure::new(model, &components).ok()
}

fn answers(outcome: &Outcome) -> Vec<&'static str> {
    let name = |verdict: &Verdict| match verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    };
    outcome.verdicts.iter().map(name).collect()
}

fn sorted(outcome: &Outcome) -> Vec<Vec<i64>> {
    let mut states = outcome.terminal_states.clone().unwrap();
    states.sort_unstable();
    states
}

#[test]
fn random_models_change_over_and_answer_as_before() {
    let (mut compared, mut changed) = (0, 0);
    for seed in 1..6_000u64 {
        let model = random_model(seed * 37);
        let Some(measure) = measure(&model, seed) else { continue };
        let predicate =
            Expression::cell_equals(CellId((seed % model.cells.len() as u64) as u32), (seed / 3) as i64 % 4);
        let kinds = [
            PropertyKind::DeadlockFree,
            PropertyKind::Reachable(predicate.clone()),
            PropertyKind::Invariant(predicate),
        ];
        let properties = kinds.map(|kind| Property::new("asked", kind));
        let limits = Limits { states: 3_000, batches_per_look: 1, ..Limits::default() };
        let plan = Plan {
            on_runtime_error: OnRuntimeError::GoOn,
            explore_all: seed.is_multiple_of(3),
            terminal_states: TerminalList::Listed,
            packing: if seed.is_multiple_of(2) { Packing::Observed } else { Packing::Auto },
            limits,
            ..Plan::default()
        };
        let execution: &dyn Execution = if seed.is_multiple_of(16) { &Compiled } else { &Interpreted };
        let full = check(&model, execution, &properties, &plan, &mut ()).unwrap();
        if full.stopped.is_some() || full.figures.estimated_distinct < 8 {
            continue;
        }
        let threads = Threads {
            shared_from: 1,
            least_chunk: 1,
            most_chunk: 4,
            ..Threads::new(NonZero::new(1 + seed as usize % 3).unwrap())
        };
        let plan = Plan {
            search: SearchPlan::Adaptive,
            threads,
            limits: Limits { states: u64::MAX, ..limits },
            ..plan
        };
        let mut monitor = ChangesAt { looks: 1 + (seed / 7) as u32 % 9, measure };
        let outcome = check(&model, execution, &properties, &plan, &mut monitor).unwrap();
        compared += 1;
        changed += u32::from(!outcome.changes.is_empty());
        assert_eq!(answers(&outcome), answers(&full), "seed {seed}");
        assert_eq!(outcome.complete, full.complete, "seed {seed}");
        if full.complete {
            let counted = outcome.figures.distinct.is_none_or(|states| Some(states) == full.figures.distinct);
            assert!(counted, "seed {seed}");
            assert_eq!(outcome.figures.deadlocks, full.figures.deadlocks, "seed {seed}");
            assert_eq!(sorted(&outcome), sorted(&full), "seed {seed}");
        }
    }
    eprintln!("{compared} random models, {changed} changed over");
    assert!(changed > 300, "{compared} {changed}");
}

/// Values outgrow their fields before the change and after it: states that wait, that are settled and that are persistent
/// get the wider layout.
#[test]
fn layouts_widen_before_and_after_a_change() {
    // The sample of values ends after a thousand steps, so that what is assigned later finds no room.
    let text = "int x, v, w; int a[6]; byte y, z; process P { state s, t; init s; trans \
        s -> s { guard x < 30000; effect x = x + 6, z = (z + 1) % 3; }, s -> s { guard y < 9; effect y = y + 1; }, \
        s -> s { guard z == 2; effect z = 0; }, s -> s { guard x == 6600 and y == 3; effect v = x; }, \
        s -> t { guard x == 12000; effect w = x, a[y % 6] = x, a[0] = x - 1, a[1] = x - 2, a[2] = x - 3; }, \
        s -> s { guard x == 27000; effect a[5] = x, a[4] = x, v = x; }; } system async;";
    let model = languages::read_model(text).unwrap().commands;
    let cell = |number| Expression::Cell(CellId(number));
    let number =
        |name: &str| (0..model.cells.len() as u32).find(|one| model.cell_name(CellId(*one)) == name).unwrap();
    let limits = Limits { batches_per_look: 1, ..Limits::default() };
    let base = Plan { packing: Packing::Observed, explore_all: true, limits, ..Plan::default() };
    let properties = [Property::new("deadlock", PropertyKind::DeadlockFree)];
    let full = check(&model, &Compiled, &properties, &base, &mut ()).unwrap();
    assert!(full.figures.widenings > 0 && full.complete);
    for (looks, component) in [(5, "x"), (60, "y"), (600, "x"), (3_000, "z")] {
        let measure = ExpressionMeasure::new(&model, &[cell(number(component))]).unwrap();
        let plan = Plan { search: SearchPlan::Adaptive, ..base.clone() };
        let outcome =
            check(&model, &Compiled, &properties, &plan, &mut ChangesAt { looks, measure }).unwrap();
        assert!(!outcome.changes.is_empty() && outcome.figures.widenings > 0, "{looks} {component}");
        assert!(outcome.figures.distinct.is_none_or(|states| Some(states) == full.figures.distinct));
        assert_eq!(outcome.figures.deadlocks, full.figures.deadlocks, "{looks} {component}");
        assert_eq!(answers(&outcome), answers(&full), "{looks} {component}");
    }
}

/// The proviso of a reduction compares states by the measure, so the measure stays.
#[test]
fn a_reduced_search_does_not_change_over() {
    let text = "byte x, y; process P { state s; init s; trans s -> s { guard x < 90; effect x = x + 1; }; } \
        process Q { state s; init s; trans s -> s { guard y < 90; effect y = y + 1; }; } system async;";
    let model = languages::read_model(text).unwrap().commands;
    let measure = ExpressionMeasure::new(&model, &[Expression::Cell(CellId(0))]).unwrap();
    let properties = [Property::new("deadlock", PropertyKind::DeadlockFree)];
    for (reduction, changes) in [(Reduction::None, true), (Reduction::StubbornAlways, false)] {
        let limits = Limits { batches_per_look: 1, ..Limits::default() };
        let plan = Plan { search: SearchPlan::Adaptive, reduction, limits, ..Plan::default() };
        let mut monitor = ChangesAt { looks: 3, measure: measure.clone() };
        let outcome = check(&model, &Compiled, &properties, &plan, &mut monitor).unwrap();
        assert_eq!(!outcome.changes.is_empty(), changes, "{reduction:?}");
        assert!(matches!(outcome.verdicts[0], Verdict::Violated(_)));
    }
}

/// Slows the search while a measure is looked for beside it, so that the search does not end first.
struct WaitsForFinder(bool);

impl Monitor for WaitsForFinder {
    fn look(&mut self, _: &Snapshot) -> Option<StopReason> {
        if self.0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }

    fn phase(&mut self, phase: Phase<'_>) {
        self.0 = matches!(phase, Phase::FindingMeasure(_));
    }
}

/// The measure that is found first decreases where no sample has been: late in the state space, a counter goes back.
/// Another one is found then, and the sweep follows it.
#[test]
fn a_sweep_that_disappoints_gets_another_measure() {
    let text = "int x, y; byte v, z; process P { state s; init s; trans \
        s -> s { guard x < 3000; effect x = x + 1; }, s -> s { guard y < 20 and x > y; effect y = y + 1; }, \
        s -> s { guard z < 9; effect z = z + 1; }, s -> s { guard z > 0; effect z = z - 1; }, \
        s -> s { guard x > 2000 and z == 9; effect x = x - 1000; }, \
        s -> s { guard x > 2500 and z == 0 and v < 3; effect x = x - 1500, v = v + 1; }; } system async;";
    let model = languages::read_model(text).unwrap().commands;
    let properties = [Property::new("deadlock", PropertyKind::DeadlockFree)];
    let plan = Plan { explore_all: true, ..Plan::default() };
    let full = check(&model, &Compiled, &properties, &plan, &mut ()).unwrap();
    let automatic =
        AutomaticPlan { finder: FinderOptions::default(), start: Start::Search { threshold: 1 << 19 } };
    let plans = (&plan, &automatic);
    let found =
        check_automatically(&model, &Compiled, &properties, plans, &mut WaitsForFinder(false)).unwrap();
    let outcome = &found.outcome;
    assert_eq!(answers(outcome), answers(&full));
    assert_eq!(outcome.figures.deadlocks, full.figures.deadlocks);
    assert!(outcome.figures.distinct.is_none_or(|states| Some(states) == full.figures.distinct));
    assert_eq!(found.changes.len(), outcome.changes.len(), "each change was decided");
    let explored = outcome.changes.iter().map(|one| one.explored);
    assert!(explored.eq(found.changes.iter().map(|one| one.explored)), "and made there");
    assert!(outcome.changes.len() >= 2, "it disappointed");
}
