//! Several threads, and searches that change over to a measure, count what others counted on the BEEM benchmark.
//!
//! The ordinary tests take the instances up to 100,000 states; `SWEEPLINE_SLOW_TESTS=1` takes those up to a million.

use std::num::NonZero;

use engine::check::{Engine, OnRuntimeError, Outcome, Plan, SearchPlan, check};
use engine::explore::Monitor;
use engine::explore::search::Limits;
use engine::explore::sweep::Threads;
use model::guarded_commands::{CellId, Expression, GuardedCommands};
use model::measure::ExpressionMeasure;
use native_code::Compiled;
use oracles::{Beem, Instance};

use crate::change_over::ChangesAt;

/// Some cell as a measure, the same for each model.
fn measure(commands: &GuardedCommands, name: &str) -> Option<ExpressionMeasure> {
    let number = name.bytes().map(u32::from).sum::<u32>() % commands.cells.len() as u32;
    ExpressionMeasure::new(commands, &[Expression::Cell(CellId(number))]).ok()
}

fn threads(number: usize) -> Threads {
    Threads::new(NonZero::new(number).unwrap())
}

/// What differs from the counts of the oracle, or from a search by one thread.
fn differs(what: &str, outcome: &Outcome, one: &Outcome, instance: &Instance) -> Option<String> {
    let states = outcome.figures.distinct;
    let is_once = outcome.figures.counters.explored == instance.expected_states();
    let is_right = outcome.complete
        && states.is_none_or(|states| states == instance.expected_states())
        && (!is_once || outcome.figures.counters.transitions == one.figures.counters.transitions)
        && outcome.figures.deadlocks.is_none_or(|deadlocks| Some(deadlocks) == one.figures.deadlocks);
    (!is_right)
        .then(|| format!("{}: {what}: {states:?} states, {:?}", instance.name, outcome.figures.counters))
}

fn compare_all(states: std::ops::RangeInclusive<u64>) {
    let Some(beem) = Beem::find_or_say_skipped("threads and changes of measure on BEEM") else { return };
    let (mut wrong, mut compared, mut changed) = (Vec::new(), 0, 0);
    for instance in
        beem.instances().unwrap().iter().filter(|one| one.complete && states.contains(&one.states))
    {
        let text = std::fs::read_to_string(beem.dve(&instance.name)).unwrap();
        let commands = languages::read_model(&text).unwrap().commands;
        let base = Plan { on_runtime_error: OnRuntimeError::GoOn, explore_all: true, ..Plan::default() };
        let ask =
            |plan: &Plan, monitor: &mut dyn Monitor| check(&commands, &Compiled, &[], plan, monitor).unwrap();
        let one = ask(&base, &mut ());
        for number in [2, 3, 8] {
            let several = ask(&Plan { threads: threads(number), ..base.clone() }, &mut ());
            wrong.extend(differs(&format!("{number} threads"), &several, &one, instance));
            if several.figures.counters.depth != one.figures.counters.depth {
                wrong.push(format!("{}: other levels with {number} threads", instance.name));
            }
        }
        let partition = Plan { search: Engine::Partition.into(), threads: threads(2), ..base.clone() };
        wrong.extend(differs("partitions", &ask(&partition, &mut ()), &one, instance));
        if let Some(measure) = measure(&commands, &instance.name) {
            let sweep = SearchPlan::with_measure(Engine::Sweep, Some(measure.clone()));
            let sweep = Plan { search: sweep, threads: threads(2), ..base.clone() };
            wrong.extend(differs("a sweep", &ask(&sweep, &mut ()), &one, instance));
            let limits = Limits { batches_per_look: 4, ..Limits::default() };
            let looks = 1 + (instance.states / 10_000) as u32;
            for number in [1, 2] {
                let plan =
                    Plan { search: SearchPlan::Adaptive, limits, threads: threads(number), ..base.clone() };
                let outcome = ask(&plan, &mut ChangesAt { looks, measure: measure.clone() });
                changed += u32::from(!outcome.changes.is_empty());
                wrong.extend(differs("a change of measure", &outcome, &one, instance));
            }
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(changed > compared, "{changed} changes of measure in {compared} instances");
    eprintln!("threads on BEEM: {compared} instances agree, with {changed} changes of measure");
}

#[test]
fn small_instances_agree() {
    compare_all(0..=100_000);
}

#[test]
fn instances_up_to_a_million_states_agree() {
    match std::env::var_os("SWEEPLINE_SLOW_TESTS") {
        Some(_) => compare_all(100_001..=1_000_000),
        None => eprintln!(
            "skipped: threads on instances of 100,000 to a million states (set SWEEPLINE_SLOW_TESTS=1)"
        ),
    }
}
