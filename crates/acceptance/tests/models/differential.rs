//! Machine code gives what the interpreter gives: the same successors, by the same actions, in the
//! same order.

use std::collections::HashSet;

use crate::random_model::{merged_model, random_model};
use engine::check::{Engine, OnRuntimeError, Packing, Plan, check};
use model::guarded_commands::{Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::measure::ExpressionMeasure;
use model::observed_ranges::observed_ranges;
use model::state_layout::StateLayout;
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Execution, StateFunctions};
use model::value_ranges::proved_ranges;
use native_code::Compiled;
use oracles::Beem;
use proptest::prelude::*;

/// Compares both executions on the first `limit` states that are reached; the number of states
/// compared.
fn compare(model: &GuardedCommands, layout: &StateLayout, predicates: &[Expression], limit: usize) -> usize {
    // Whatever the predicates are made of is a measure, too, if it always has a value.
    let measure = ExpressionMeasure::new(model, predicates.get(..2).unwrap_or(predicates)).ok();
    let functions = StateFunctions { predicates, progress: measure.as_ref().map(ExpressionMeasure::packed) };
    let compiled = Compiled.prepare(model, layout, functions).unwrap();
    let interpreted = Interpreted.prepare(model, layout, functions).unwrap();
    let (mut compiled, mut interpreted) = (compiled.expander(), interpreted.expander());
    let mut initial = vec![0; layout.words()];
    layout.encode(&model.initial_state(), &mut initial).unwrap();
    let mut seen = HashSet::from([initial.clone()]);
    let mut queue = vec![initial];
    let mut next = 0;
    let mut batches = [SuccessorBatch::new(layout.shape(), 1), SuccessorBatch::new(layout.shape(), 1)];
    let mut truths = [Vec::new(), Vec::new()];
    while next < queue.len() && next < limit {
        let state = queue[next].clone();
        next += 1;
        batches.iter_mut().for_each(SuccessorBatch::clear);
        let expansions =
            [compiled.expand(&state, &mut batches[0]), interpreted.expand(&state, &mut batches[1])];
        compiled.predicates(&state, &mut truths[0]);
        interpreted.predicates(&state, &mut truths[1]);
        // Machine code may also give up for a value that only an effect in between has: slower
        // then, not wrong.
        if expansions[0] != expansions[1] {
            assert!(expansions[0].trouble, "only the interpreter sees an error");
            continue;
        }
        let [ours, theirs] = &batches;
        let mut progress = [Vec::new(), Vec::new()];
        compiled.progress(ours.words(), &mut progress[0]);
        interpreted.progress(ours.words(), &mut progress[1]);
        assert_eq!(progress[0], progress[1]);
        assert_eq!(progress[0].len(), ours.len());
        assert_eq!(ours.words(), theirs.words());
        assert!((0..ours.len()).all(|i| ours.action(i) == theirs.action(i)));
        for i in 0..ours.len() {
            if queue.len() < limit && seen.insert(ours.state(i).to_vec()) {
                queue.push(ours.state(i).to_vec());
            }
        }
    }
    // Both agree state by state, and on all states in one call.
    assert_eq!(truths[0], truths[1]);
    let together = queue[..next].concat();
    for expander in [&mut compiled, &mut interpreted] {
        let mut at_once = Vec::new();
        expander.predicates(&together, &mut at_once);
        assert_eq!(at_once, truths[0]);
    }
    next
}

#[test]
fn oracle_models_run_the_same_compiled_and_interpreted() {
    let Some(beem) = Beem::find_or_say_skipped("machine code against the interpreter on BEEM") else {
        return;
    };
    let slow = std::env::var_os("SWEEPLINE_SLOW_TESTS").is_some();
    let limit = if slow { 100_000 } else { 1_000 };
    let properties = beem.properties().unwrap();
    let (mut models, mut states) = (0, 0);
    for file in beem.model_files().unwrap() {
        // A property variant is the same system, beside its automaton.
        if file.to_string_lossy().contains(".prop") {
            continue;
        }
        let model = languages::read_model(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let goals: Vec<Expression> = properties
            .iter()
            .filter(|row| file.file_stem().is_some_and(|stem| *stem == *row.instance))
            .filter_map(|row| model.expression(&row.formula).ok())
            .collect();
        let proved = proved_ranges(&model.commands);
        let observed = observed_ranges(&model.commands);
        states += compare(&model.commands, &StateLayout::proved(&model.commands, &proved), &goals, limit);
        compare(&model.commands, &StateLayout::observed(&model.commands, &observed, &proved), &goals, limit);
        models += 1;
    }
    eprintln!(
        "{models} models, {states} states: machine code and interpreter agree (up to {limit} states each)"
    );
}

/// A random model of either kind.
fn any_model(seed: u64) -> GuardedCommands {
    if seed.is_multiple_of(2) { random_model(seed) } else { merged_model(seed) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_models_run_the_same_compiled_and_interpreted(seed in any::<u64>()) {
        let model = any_model(seed);
        let proved = proved_ranges(&model);
        let predicates: Vec<Expression> =
            model.actions.iter().flat_map(|action| action.participants[0].guards.clone()).take(20).collect();
        compare(&model, &StateLayout::proved(&model, &proved), &predicates, 300);
        compare(&model, &StateLayout::observed(&model, &observed_ranges(&model), &proved), &predicates, 300);
    }

    /// Wherever an observed layout is too narrow, the run widens it and ends as if it had been wide
    /// from the start.
    #[test]
    fn engines_executions_and_layouts_agree_on_random_models(seed in any::<u64>()) {
        let model = any_model(seed);
        let mut results = Vec::new();
        for engine in [Engine::Breadth, Engine::Depth] {
            for packing in [Packing::Proved, Packing::Observed] {
                let mut plan = Plan { search: engine.into(), packing, on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() };
                plan.limits.states = 1_500;
                for outcome in [
                    check(&model, &Compiled, &[], &plan, &mut ()).unwrap(),
                    check(&model, &Interpreted, &[], &plan, &mut ()).unwrap(),
                ] {
                    if outcome.complete {
                        let counters = outcome.figures.counters;
                        results.push((outcome.figures.distinct, counters.transitions, counters.deadlocks, counters.erroneous));
                    }
                }
            }
        }
        prop_assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    }

    #[test]
    fn proved_ranges_cover_what_happens(seed in any::<u64>()) {
        let model = any_model(seed);
        for (observed, proved) in observed_ranges(&model).iter().zip(proved_ranges(&model)) {
            prop_assert!(proved.covers(*observed), "{proved:?} does not cover {observed:?}");
        }
    }
}
