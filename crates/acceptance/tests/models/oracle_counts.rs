//! Every complete instance of the BEEM benchmark has exactly the states, transitions and levels that others counted.
//!
//! The ordinary tests take the instances up to 300,000 states; `SWEEPLINE_SLOW_TESTS=1` takes all of them, and those
//! up to two million states on the interpreter as well.

use engine::check::{Engine, OnRuntimeError, Outcome, Plan, check};
use model::interpreted_model::Interpreted;
use model::transition_system::Execution;
use native_code::Compiled;
use oracles::{Beem, Instance};

fn explore<E: Execution>(beem: &Beem, instance: &Instance, execution: &E, engine: Engine) -> Outcome {
    let text = std::fs::read_to_string(beem.dve(&instance.name)).unwrap();
    let model = languages::read_model(&text).unwrap();
    let plan = Plan { search: engine.into(), on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() };
    check(&model.commands, execution, &[], &plan, &mut ()).unwrap()
}

fn compare<E: Execution>(
    beem: &Beem,
    instance: &Instance,
    execution: &E,
    engine: Engine,
) -> Result<(), String> {
    let outcome = explore(beem, instance, execution, engine);
    let found = (outcome.figures.distinct.unwrap(), outcome.figures.counters.transitions);
    let levels = outcome.figures.counters.depth;
    let differs = found.0 != instance.expected_states()
        || instance.edges.is_some_and(|edges| edges != found.1)
        || (engine == Engine::Breadth && instance.levels.is_some_and(|expected| expected != levels))
        || outcome.figures.counters.erroneous > 0
        || !outcome.complete;
    if differs { Err(format!("{instance:?}: found {found:?}, {levels} levels")) } else { Ok(()) }
}

fn compare_all<E: Execution>(execution: &E, engine: Engine, states: std::ops::RangeInclusive<u64>) {
    let what = format!("state counts of BEEM ({}, {engine:?})", execution.name());
    let Some(beem) = Beem::find_or_say_skipped(&what) else { return };
    let instances: Vec<Instance> = beem.instances().unwrap().into_iter().filter(|one| one.complete).collect();
    let chosen: Vec<&Instance> = instances.iter().filter(|one| states.contains(&one.states)).collect();
    let wrong: Vec<String> =
        chosen.iter().filter_map(|one| compare(&beem, one, execution, engine).err()).collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
    eprintln!("{what}: {} of {} complete instances agree", chosen.len(), instances.len());
}

fn slow_tests(what: &str) -> bool {
    let wanted = std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some();
    if !wanted {
        eprintln!("skipped: {what} (set SWEEPLINE_SLOW_TESTS=1)");
    }
    wanted
}

#[test]
fn instances_up_to_300_000_states_agree() {
    compare_all(&Compiled, Engine::Breadth, 0..=300_000);
}

#[test]
fn depth_first_search_counts_the_same() {
    compare_all(&Compiled, Engine::Depth, 0..=300_000);
}

#[test]
fn the_interpreter_counts_the_same_on_small_instances() {
    compare_all(&Interpreted, Engine::Breadth, 0..=20_000);
}

#[test]
fn all_other_instances_agree() {
    if slow_tests("instances above 300,000 states") {
        compare_all(&Compiled, Engine::Breadth, 300_001..=u64::MAX);
    }
}

#[test]
fn the_interpreter_counts_the_same_up_to_two_million_states() {
    if slow_tests("the interpreter on instances of 20,000 to two million states") {
        compare_all(&Interpreted, Engine::Breadth, 20_001..=2_000_000);
    }
}
