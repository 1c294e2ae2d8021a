//! What is said about actions holds in every reachable state, by the interpreter's word.

use std::sync::Arc;

use engine::reduce::Kept;
use engine::reduce::cell_access::Condition;
use engine::reduce::independence::{CellTest, Independence};
use engine::reduce::reduced_system::ReducedSystem;
use engine::reduce::stubborn_sets::StubbornSets;
use engine::reduce::visibility::visible_actions;
use model::guarded_commands::{ActionId, CellId, Expression, GuardedCommands};
use model::interpreted_model::Interpreted;
use model::interpreter::Interpreter;
use model::random::Random;
use model::state_layout::{CellRange, StateLayout};
use model::successor_batch::SuccessorBatch;
use model::transition_system::{Execution, StateFunctions, TransitionSystem};

use crate::{Graph, models};

fn is_true(model: &GuardedCommands, test: &CellTest, state: &[i64]) -> bool {
    let kind = |process| {
        let process = model.process(process);
        process.locations[state[process.location.index()] as usize].kind
    };
    match *test {
        CellTest::Within(cell, range) => range.covers(CellRange::exactly(state[cell.index()])),
        CellTest::Differs(cell, value) => state[cell.index()] != value,
        CellTest::Outside(process, outside) => kind(process) != outside,
        CellTest::Inside(process, inside) => kind(process) == inside,
    }
}

#[test]
fn what_does_not_conflict_commutes() {
    let (mut pairs, mut commuting) = (0, 0);
    for (name, model) in models(800) {
        let Some(graph) = Graph::of(&model) else { continue };
        let facts = Independence::new(&model);
        let interpreter = Interpreter::new(&model);
        for (state, steps) in graph.states.iter().zip(&graph.steps) {
            let good = steps.iter().filter_map(|(action, to)| Some((*action, (*to)?)));
            for (one, after_one) in good.clone() {
                for (other, after_other) in good.clone().filter(|(other, _)| *other != one) {
                    pairs += 1;
                    if facts.conflicts(one.0 as usize).is_none_or(|list| list.contains(&other.0)) {
                        continue;
                    }
                    commuting += 1;
                    let this = interpreter.step(&graph.states[after_one], other);
                    let that = interpreter.step(&graph.states[after_other], one);
                    assert!(
                        matches!((&this, &that), (Some(Ok(this)), Some(Ok(that))) if this == that),
                        "{name}: {one:?} and {other:?} in {state:?} lead to {this:?} and {that:?}"
                    );
                }
            }
        }
    }
    assert!(commuting * 3 > pairs, "{commuting} of {pairs}");
}

#[test]
fn whoever_makes_a_test_true_is_listed() {
    let mut made_true = 0;
    for (name, model) in models(800) {
        let Some(graph) = Graph::of(&model) else { continue };
        let facts = Independence::new(&model);
        for (state, steps) in graph.states.iter().zip(&graph.steps) {
            for (action, to) in steps.iter().filter_map(|(action, to)| Some((*action, (*to)?))) {
                let after = &graph.states[to];
                for (number, test) in (0..).zip(facts.tests()) {
                    if !is_true(&model, test, state) && is_true(&model, test, after) {
                        made_true += 1;
                        assert!(facts.enablers(number).contains(&action.0), "{name}: {test:?} by {action:?}");
                    }
                }
                for cell in (0..model.cells.len()).filter(|cell| state[*cell] != after[*cell]) {
                    assert!(facts.writers(cell as u32).contains(&action.0), "{name}: {cell} by {action:?}");
                }
            }
            // All tests of an enabled action are true.
            for (action, _) in steps.iter().filter(|(_, to)| to.is_some()) {
                for test in facts.tests_of(action.0 as usize) {
                    assert!(is_true(&model, &facts.tests()[*test as usize], state), "{name}: {action:?}");
                }
            }
            // An action that is not enabled has a false test, or one that is not evaluated.
            for action in
                (0..model.actions.len()).filter(|one| !steps.iter().any(|(step, _)| step.0 as usize == *one))
            {
                let footprint = facts.footprint(ActionId(action as u32));
                let mut tests = facts.tests_of(action).iter();
                assert!(
                    footprint.never_fires
                        || footprint.conditions.iter().any(|one| matches!(one, Condition::DependsOn(_)))
                        || tests.any(|test| !is_true(&model, &facts.tests()[*test as usize], state)),
                    "{name}: {action} is not enabled in {state:?}"
                );
            }
        }
    }
    assert!(made_true > 3_000, "{made_true}");
}

#[test]
fn invisible_actions_change_no_truth_and_no_error() {
    let mut invisible = 0;
    for (number, (name, model)) in models(600).enumerate() {
        let Some(graph) = Graph::of(&model) else { continue };
        let facts = Independence::new(&model);
        let interpreter = Interpreter::new(&model);
        let mut random = Random::new(number as u64);
        let predicates = [crate::verdicts::predicate(&mut random, &model, &graph)];
        let visible = visible_actions(&model, &facts, &predicates);
        let erroneous = |state: usize| -> Vec<u32> {
            let steps = graph.steps[state].iter();
            steps.filter(|(_, to)| to.is_none()).map(|(action, _)| action.0).collect()
        };
        for (number, steps) in graph.steps.iter().enumerate() {
            for (action, to) in steps.iter().filter_map(|(action, to)| Some((*action, (*to)?))) {
                if visible[action.0 as usize] {
                    continue;
                }
                invisible += 1;
                let truth = |state: usize| {
                    interpreter.evaluate(&predicates[0], &graph.states[state]).map(|value| value != 0).ok()
                };
                assert_eq!(truth(number), truth(to), "{name}: {action:?}, {:?}", predicates[0]);
                assert_eq!(erroneous(number), erroneous(to), "{name}: {action:?}");
            }
        }
    }
    assert!(invisible > 3_000, "{invisible}");
}

/// The steps of one state, by a system that is given others before it, or not.
fn actions_of(system: &impl TransitionSystem, states: &[Vec<u64>], wanted: usize) -> Vec<Option<Vec<u32>>> {
    let mut found = Vec::new();
    let words: Vec<u64> = states.concat();
    let shape = system.shape();
    let mut expander = system.expander();
    let mut batch = SuccessorBatch::new(shape, wanted);
    while found.len() < states.len() {
        batch.clear();
        let expansion = expander.expand(&words[shape.words_of(&words, found.len())..], &mut batch);
        assert_eq!(batch.ends().len(), expansion.states);
        let mut start = 0;
        for &end in batch.ends() {
            found.push(Some(batch.actions(start..end as usize).to_vec()));
            start = end as usize;
        }
        if expansion.trouble {
            found.push(None);
        }
    }
    found
}

#[test]
fn a_reduced_expansion_is_a_function_of_the_state() {
    let (mut all, mut kept_steps) = (0, 0);
    for (number, (name, model)) in models(600).enumerate() {
        let Some(graph) = Graph::of(&model) else { continue };
        let facts = Arc::new(Independence::new(&model));
        let mut random = Random::new(number as u64);
        let predicates = [crate::verdicts::predicate(&mut random, &model, &graph)];
        let kept = [Kept::Deadlocks, Kept::States, Kept::Runs][number % 3];
        let measure = model::measure::ExpressionMeasure::new(
            &model,
            &[Expression::Cell(CellId(random.below(model.cells.len()) as u32))],
        );
        let measure = measure.ok().filter(|_| number % 2 == 0);
        let functions = StateFunctions {
            predicates: &predicates,
            progress: measure.as_ref().map(model::measure::ExpressionMeasure::packed),
        };
        // What a cell holds, and what it might hold by its type: fields of other widths, in other
        // places.
        let proved = facts.proved().to_vec();
        let declared: Vec<CellRange> = model
            .cells
            .iter()
            .zip(&proved)
            .map(|(cell, proved)| {
                CellRange { low: cell.declared.min(), high: cell.declared.max() }.join(*proved)
            })
            .collect();
        let layouts = [StateLayout::proved(&model, &proved), StateLayout::proved(&model, &declared)];
        let mut answers = Vec::new();
        for layout in &layouts {
            let packed: Vec<Vec<u64>> = graph
                .states
                .iter()
                .map(|state| {
                    let mut words = vec![0; layout.words()];
                    layout.encode(state, &mut words).unwrap();
                    words
                })
                .collect();
            let base = || Interpreted.prepare(&model, layout, functions).unwrap();
            let sets = || StubbornSets::new(&model, facts.clone(), layout, kept, &predicates);
            let system = ReducedSystem::new(base(), sets(), measure.is_some());
            let full = actions_of(&base(), &packed, 50);
            let together = actions_of(&system, &packed, 50);
            let one_by_one: Vec<_> = packed
                .iter()
                .rev()
                .flat_map(|state| actions_of(&system, std::slice::from_ref(state), 1))
                .collect();
            assert!(together.iter().eq(one_by_one.iter().rev()), "{name}");
            for (full, reduced) in full.iter().zip(&together) {
                assert_eq!(full.is_none(), reduced.is_none(), "{name}");
                let (Some(full), Some(reduced)) = (full, reduced) else { continue };
                let mut rest = full.iter();
                assert!(
                    reduced.iter().all(|one| rest.any(|other| one == other)),
                    "{name}: {full:?} {reduced:?}"
                );
                assert_eq!(full.is_empty(), reduced.is_empty(), "{name}");
                all += full.len();
                kept_steps += reduced.len();
            }
            answers.push(together);
        }
        assert_eq!(answers[0], answers[1], "{name}");
    }
    assert!(kept_steps * 10 < all * 9, "{kept_steps} of {all}");
}
