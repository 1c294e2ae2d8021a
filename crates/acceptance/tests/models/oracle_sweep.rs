//! The sweep on every complete instance of the BEEM benchmark: with measures projected from the state it finds the same
//! states, the same deadlocks and the same answers as full exploration.
//!
//! The measures are two cells of the state that seldom fall in a small sample: none of them is good, most fall somewhere,
//! so that persistent states and further sweeps are the normal case. The ordinary tests take the instances up to 100,000
//! states; `SWEEPLINE_SLOW_TESTS=1` takes those up to a million.

use std::collections::HashSet;

use crate::coverage::{Collected, explore, initial, reach_goals, run, sweep};
use engine::check::{Engine, Plan, SearchPlan, check};
use engine::explore::Counters;
use engine::explore::search::{Limits, Spills};
use engine::explore::sweep::{InMemory, Nesting, Order, Retention, Spilling, SweepSearch};
use engine::property::{Property, PropertyKind};
use engine::store::ahead::QueueKind;
use engine::store::external::array_heap::Parameters;
use engine::store::external::disk::Disk;
use engine::verdict::{Evidence, Verdict};
use model::guarded_commands::{CellId, Expression, GuardedCommands, UnaryOperator};
use model::measure::ExpressionMeasure;
use model::state_layout::StateLayout;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Execution, StateFunctions, TransitionSystem};
use model::value_ranges::proved_ranges;
use native_code::Compiled;
use oracles::{Beem, Instance};

/// States of the sample that measures are chosen from.
const SAMPLE: usize = 2_000;
/// A measure that makes every state be expanded more often than this is given up for the next one.
const MOST_REVISITS: u64 = 25;

/// Instances up to this size are swept with states ahead on disk as well.
const ON_DISK: u64 = 10_000;

/// Pairs of cells, or of their negations, in the order of how often they fall in a sample.
fn measures(model: &GuardedCommands) -> Vec<ExpressionMeasure> {
    let interpreter = model::interpreter::Interpreter::new(model);
    let mut seen = HashSet::from([model.initial_state()]);
    let mut queue = vec![model.initial_state()];
    let mut steps = vec![[0usize; 2]; model.cells.len()];
    let mut next = 0;
    while next < queue.len() && next < SAMPLE {
        let state = queue[next].clone();
        next += 1;
        for successor in interpreter.successors(&state).into_iter().filter_map(|(_, state)| state.ok()) {
            for ((before, after), counts) in state.iter().zip(&successor).zip(&mut steps) {
                counts[0] += usize::from(after < before);
                counts[1] += usize::from(after > before);
            }
            if seen.insert(successor.clone()) {
                queue.push(successor);
            }
        }
    }
    let cell = |number: usize| Expression::Cell(CellId(number as u32));
    let mut candidates: Vec<(usize, Expression)> = Vec::new();
    for (number, [falls, rises]) in steps.into_iter().enumerate().filter(|(_, counts)| *counts != [0, 0]) {
        candidates.push((falls, cell(number)));
        candidates.push((rises, Expression::Unary(UnaryOperator::Negate, Box::new(cell(number)))));
    }
    candidates.sort_by_key(|(falls, _)| *falls);
    let chosen: Vec<Expression> = candidates.into_iter().map(|(_, expression)| expression).collect();
    let pairs = chosen.windows(2).map(|pair| ExpressionMeasure::new(model, pair).unwrap());
    pairs.take(8).collect()
}

/// What a search meets that has next to no room for states.
fn explore_on_disk(
    system: &dyn TransitionSystem,
    initial: &SuccessorBatch,
    order: Order,
    queue: QueueKind,
    states: u64,
) -> (Collected, Counters) {
    let search = SweepSearch::new(system.shape(), order, Limits::default()).unwrap();
    let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
    let most = InMemory {
        ahead: 100.max(states as usize / 100),
        persistent: 50.max(states as usize / 200),
        current: 500.max(states as usize / 50),
    };
    let spilling = Spilling { disk, queue, most, current_on_disk: order == Order::Constant, is_saved: false };
    run(system, initial, search.spill_to(spilling), u64::MAX).unwrap()
}

/// What a sweep finds on an instance, and with which measure it came to an end.
fn compare(
    beem: &Beem,
    instance: &Instance,
    goals: &[(String, bool)],
    spilled: &mut Spills,
) -> Result<Counters, String> {
    let text = std::fs::read_to_string(beem.dve(&instance.name)).unwrap();
    let model = languages::read_model(&text).unwrap();
    let commands = &model.commands;
    let layout = StateLayout::proved(commands, &proved_ranges(commands));
    let initial = initial(commands, &layout);
    let most = instance.states * MOST_REVISITS;
    for measure in measures(commands) {
        let functions = StateFunctions { predicates: &[], progress: Some(measure.packed()) };
        let system = Compiled.prepare(commands, &layout, functions).unwrap();
        let Some((swept, counters)) = explore(
            &*system,
            &initial,
            sweep(Nesting::default(), Retention::Immediate),
            Limits::default(),
            most,
        ) else {
            continue;
        };
        let (full, _) = explore(&*system, &initial, Order::Constant, Limits::default(), u64::MAX).unwrap();
        if swept.states != full.states || swept.deadlocks != full.deadlocks {
            return Err(format!("{}: {} states", instance.name, swept.states.len()));
        }
        if instance.states <= ON_DISK || std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() {
            let tiny = Parameters { in_memory: 200, written: 100, runs: 3 };
            let flat = sweep(Nesting::default(), Retention::Immediate);
            let plans = [
                (flat, QueueKind::Radix, counters.explored),
                (flat, QueueKind::Array(tiny), counters.explored),
                (Order::Constant, QueueKind::Radix, full.states.len() as u64),
            ];
            for (order, queue, explored) in plans {
                let (on_disk, its_counters) =
                    explore_on_disk(&*system, &initial, order, queue, instance.states);
                let same = on_disk.states == full.states && on_disk.deadlocks == full.deadlocks;
                if !same || its_counters.explored != explored {
                    return Err(format!("{}: {} states on disk", instance.name, on_disk.states.len()));
                }
                spilled.ahead += its_counters.spilled.ahead;
                spilled.persistent += its_counters.spilled.persistent;
                spilled.current += u64::from(order != Order::Constant) * its_counters.spilled.current;
            }
        }
        for (formula, expected) in goals {
            let goal = model.expression(formula).unwrap();
            let property = Property::new("goal", PropertyKind::Reachable(goal));
            let measure = Some(measure.clone());
            let plan = Plan { search: SearchPlan::with_measure(Engine::Sweep, measure), ..Plan::default() };
            let outcome = check(commands, &Compiled, &[property], &plan, &mut ()).unwrap();
            let found = matches!(outcome.verdicts[0], Verdict::Holds(Evidence::Trace(..)));
            let none = matches!(outcome.verdicts[0], Verdict::Violated(Evidence::Search(_)));
            if (found, none) != (*expected, !*expected) {
                return Err(format!("{}: `{formula}` should be {expected}", instance.name));
            }
        }
        return Ok(counters);
    }
    Err(format!("{}: every measure leads to too many revisits", instance.name))
}

fn compare_all(states: std::ops::RangeInclusive<u64>) {
    let Some(beem) = Beem::find_or_say_skipped("the sweep on BEEM") else { return };
    let goals = reach_goals(&beem);
    let (mut compared, mut swept, mut spilled, mut wrong) = (0, 0, Spills::default(), Vec::new());
    for instance in
        beem.instances().unwrap().iter().filter(|one| one.complete && states.contains(&one.states))
    {
        let asked = goals.get(&instance.name).map_or(&[][..], Vec::as_slice);
        compared += 1;
        eprintln!("the sweep on BEEM: {} with {} states", instance.name, instance.states);
        match compare(&beem, instance, asked, &mut spilled) {
            Ok(counters) => swept += u64::from(counters.sweeps > 1),
            Err(difference) => wrong.push(difference),
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        spilled.ahead > 0 && spilled.persistent > 0 && spilled.current > 0,
        "states of all kinds went to disk"
    );
    eprintln!(
        "the sweep on BEEM: {compared} instances agree, {swept} of them with several sweeps; on disk: {spilled:?}"
    );
}

#[test]
fn instances_up_to_100_000_states_agree() {
    compare_all(0..=100_000);
}

#[test]
fn instances_up_to_a_million_states_agree() {
    if std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some() {
        compare_all(100_001..=1_000_000);
    } else {
        eprintln!(
            "skipped: the sweep on instances of 100,000 to a million states (set SWEEPLINE_SLOW_TESTS=1)"
        );
    }
}
