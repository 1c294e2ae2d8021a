//! Partitioned search on the smaller complete instances of the BEEM benchmark: with so few states in memory that partitions are split again and again it
//! counts what others counted.

use engine::check::{DiskUse, Engine, OnRuntimeError, Outcome, Plan, check};
use native_code::Compiled;
use oracles::{Beem, Instance};

/// Instances up to this size are explored; `SWEEPLINE_SLOW_TESTS=1` takes all up to the second.
const MOST_STATES: [u64; 2] = [10_000, 1_000_000];
/// States of a partition in memory, or a part of all if that is more.
const IN_MEMORY: usize = 500;
const PARTS: usize = 20;

fn compare(beem: &Beem, instance: &Instance) -> Result<Outcome, String> {
    let text = std::fs::read_to_string(beem.dve(&instance.name)).unwrap();
    let model = languages::read_model(&text).unwrap();
    let explore = |engine: Engine| {
        let disk =
            DiskUse { in_memory: IN_MEMORY.max(instance.states as usize / PARTS), ..DiskUse::default() };
        let plan =
            Plan { search: engine.into(), on_runtime_error: OnRuntimeError::GoOn, disk, ..Plan::default() };
        check(&model.commands, &Compiled, &[], &plan, &mut ()).unwrap()
    };
    let (full, found) = (explore(Engine::Breadth), explore(Engine::Partition));
    let same = found.complete
        && found.figures.distinct == Some(instance.expected_states())
        && found.figures.counters.explored == instance.expected_states()
        && found.figures.counters.transitions == full.figures.counters.transitions
        && instance.edges.is_none_or(|edges| edges == found.figures.counters.transitions)
        && found.figures.deadlocks == full.figures.deadlocks;
    if same {
        Ok(found)
    } else {
        Err(format!("{instance:?}: {:?}, {:?}", found.figures.counters, found.stopped))
    }
}

#[test]
fn small_instances_agree() {
    let Some(beem) = Beem::find_or_say_skipped("partitioned search on BEEM") else { return };
    let (mut compared, mut split, mut wrong) = (0, 0, Vec::new());
    let most = MOST_STATES[usize::from(std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some())];
    for instance in beem.instances().unwrap().iter().filter(|one| one.complete && one.states <= most) {
        compared += 1;
        match compare(&beem, instance) {
            Ok(found) => split += u32::from(found.figures.counters.spilled.current > 0),
            Err(difference) => wrong.push(difference),
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(split > 10, "{split} instances were split");
    eprintln!("partitioned search on BEEM: {compared} instances agree, {split} of them in parts");
}
