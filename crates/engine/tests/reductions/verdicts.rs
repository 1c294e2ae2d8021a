//! The same answers with and without a reduction: all engines, all kinds of measures, and models
//! with run-time errors.

use engine::check::{
    CheckError, Engine, OnRuntimeError, Outcome, Packing, Plan, Reduction, SearchPlan, check,
};
use engine::progress::{ExpressionMeasure, prove_monotone};
use engine::property::linear::{DeadEnds, LinearProperty, Runs};
use engine::property::soundness::Unsound;
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use logic::ltl::Ltl;
use logic::ltl_to_buchi::Limits;
use model::guarded_commands::{BinaryOperator, CellId, Expression, GuardedCommands, LocationKind};
use model::interpreted_model::Interpreted;
use model::interpreter::Interpreter;
use model::random::Random;

use crate::{Graph, models};

/// Something that is true in few states, if in any.
pub fn predicate(random: &mut Random, model: &GuardedCommands, graph: &Graph) -> Expression {
    let some = |random: &mut Random| {
        let cell = random.below(model.cells.len());
        let value = graph.states[random.below(graph.states.len())][cell];
        (CellId(cell as u32), value)
    };
    let (one, is) = some(random);
    let (other, was) = some(random);
    let sum = |operator| Expression::binary(operator, Expression::Cell(one), Expression::Cell(other));
    let left = Expression::cell_equals(one, is);
    match random.below(8) {
        0 => left,
        1 => Expression::binary(
            BinaryOperator::Equal,
            sum(BinaryOperator::Add),
            Expression::Constant(is + was),
        ),
        // One that may have no value.
        2 if random.below(3) == 0 => sum(BinaryOperator::Divide),
        3 => Expression::binary(
            BinaryOperator::And,
            left,
            Expression::binary(BinaryOperator::Greater, Expression::Cell(other), Expression::Constant(was)),
        ),
        _ => Expression::binary(BinaryOperator::And, left, Expression::cell_equals(other, was)),
    }
}

fn formula(random: &mut Random, operators: usize) -> Ltl {
    if operators == 0 {
        return Ltl::Proposition(random.below(2) as u8);
    }
    let left = random.below(operators);
    let right = operators - 1 - left;
    match random.below(8) {
        0 => Ltl::negation(formula(random, operators - 1)),
        1 | 2 => Ltl::finally(formula(random, operators - 1)),
        3 | 4 => Ltl::globally(formula(random, operators - 1)),
        5 => Ltl::until(formula(random, left), formula(random, right)),
        6 => Ltl::implies(formula(random, left), formula(random, right)),
        _ => Ltl::and(formula(random, left), formula(random, right)),
    }
}

fn measure(random: &mut Random, model: &GuardedCommands) -> Option<ExpressionMeasure> {
    let any = |random: &mut Random| Expression::Cell(CellId(random.below(model.cells.len()) as u32));
    let components = match random.below(3) {
        0 => return None,
        1 => vec![any(random)],
        _ => vec![Expression::binary(BinaryOperator::Add, any(random), any(random)), any(random)],
    };
    ExpressionMeasure::new(model, &components).ok()
}

fn plan(random: &mut Random, model: &GuardedCommands, engines: &[Engine]) -> Plan {
    let engine = engines[random.below(engines.len())];
    let measure = if engine.is_sweep() { measure(random, model) } else { None };
    let packing = [Packing::Auto, Packing::Proved, Packing::Observed][random.below(3)];
    Plan { search: SearchPlan::with_measure(engine, measure), packing, ..Plan::default() }
}

fn run(model: &GuardedCommands, property: &Property, plan: &Plan) -> Outcome {
    check(model, &Interpreted, std::slice::from_ref(property), plan, &mut ()).unwrap()
}

fn answer(outcome: &Outcome) -> Option<bool> {
    match outcome.verdicts[0] {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

const ENGINES: [Engine; 6] =
    [Engine::Breadth, Engine::Depth, Engine::Sweep, Engine::Sweep, Engine::SweepDisk, Engine::Partition];

#[test]
fn states_are_found_or_not_found_as_without_a_reduction() {
    let (mut full, mut reduced, mut with_errors, mut found) = (0, 0, 0, 0);
    for (number, (name, model)) in models(1_000).enumerate() {
        let Some(graph) = Graph::of(&model) else { continue };
        let mut random = Random::new(number as u64);
        let interpreter = Interpreter::new(&model);
        let goal = predicate(&mut random, &model, &graph);
        // Properties do not refer to intermediate states.
        let truths: Vec<Option<bool>> = graph
            .states
            .iter()
            .filter(|state| model.state_priority(state) != LocationKind::Intermediate)
            .map(|state| interpreter.evaluate(&goal, state).ok().map(|value| value != 0))
            .collect();
        let (is_reached, is_undefined) = (truths.contains(&Some(true)), truths.contains(&None));
        let kinds = [
            (PropertyKind::DeadlockFree, !graph.has_deadlock(), false, false),
            (PropertyKind::Reachable(goal.clone()), is_reached, is_undefined, true),
            (PropertyKind::Invariant(goal.clone().negated()), !is_reached, is_undefined, false),
        ];
        for (kind, truth, is_undefined, shown_if) in kinds {
            let on_runtime_error = [OnRuntimeError::Stop, OnRuntimeError::GoOn][random.below(2)];
            let plan = Plan {
                reduction: Reduction::StubbornAlways,
                on_runtime_error,
                ..plan(&mut random, &model, &ENGINES)
            };
            let property = Property::new("it", kind);
            let outcome = run(&model, &property, &plan);
            let said = answer(&outcome);
            let what = format!("{name}: {property:?} {plan:?}");
            let has_error = graph.has_error();
            if !has_error && !is_undefined {
                assert_eq!(said, Some(truth), "{what}");
            } else if is_undefined || on_runtime_error == OnRuntimeError::Stop {
                // Whatever comes first: but nothing is concluded from a search that did not meet
                // all.
                assert!(said.is_none() || (said == Some(shown_if) && truth == shown_if), "{what}");
            } else {
                // All that is no error is explored.
                assert_eq!(said, (truth == shown_if).then_some(shown_if), "{what}");
            }
            with_errors += usize::from(has_error);
            found += usize::from(said == Some(shown_if));
            if let (true, Some(states)) = (outcome.complete && !has_error, outcome.figures.distinct) {
                assert!(states as usize <= graph.states.len(), "{what}");
                full += graph.states.len();
                reduced += states as usize;
                let dead = graph.steps.iter().filter(|steps| steps.is_empty()).count();
                assert_eq!(outcome.figures.deadlocks, Some(dead as u64), "{what}");
            }
        }
    }
    assert!(with_errors > 200 && found > 400, "{with_errors} {found}");
    assert!(reduced * 4 < full * 3, "{reduced} of {full}");
}

#[test]
fn runs_are_judged_as_without_a_reduction() {
    let (mut violated, mut holds, mut monotone) = (0, 0, 0);
    let (mut full, mut reduced) = (0, 0);
    for (number, (name, model)) in models(1_000).enumerate() {
        let Some(graph) = Graph::of(&model) else { continue };
        let mut random = Random::new(number as u64);
        let propositions =
            vec![predicate(&mut random, &model, &graph), predicate(&mut random, &model, &graph)];
        for _ in 0..2 {
            let operators = 2 + random.below(5);
            let formula = formula(&mut random, operators);
            let linear =
                LinearProperty::of_formula(formula, propositions.clone(), &Limits::default()).unwrap();
            let dead_ends = [DeadEnds::Repeated, DeadEnds::Ignored][random.below(2)];
            let linear = linear.of_runs(Runs { dead_ends, ..Runs::default() });
            let property = Property::new("it", PropertyKind::Linear(Box::new(linear)));
            let expected = run(&model, &property, &Plan::default());
            let engines = [Engine::Breadth, Engine::Depth, Engine::Sweep, Engine::Sweep, Engine::SweepDisk];
            let plan = Plan { reduction: Reduction::StubbornAlways, ..plan(&mut random, &model, &engines) };
            let outcome = run(&model, &property, &plan);
            let what = format!("{name}: {property:?} {plan:?}");
            match answer(&expected) {
                Some(true) => assert_eq!(answer(&outcome), Some(true), "{what}"),
                // An error may come first.
                Some(false) if graph.has_error() || expected.error.is_some() => {
                    assert_ne!(answer(&outcome), Some(true), "{what}");
                }
                Some(false) => assert_eq!(answer(&outcome), Some(false), "{what}"),
                None => assert_ne!(answer(&outcome), Some(true), "{what}"),
            }
            violated += usize::from(answer(&outcome) == Some(false));
            holds += usize::from(answer(&outcome) == Some(true));
            if let (Some(true), true, Some(one), Some(other)) = (
                answer(&expected),
                plan.search.engine() == Engine::Breadth,
                expected.figures.distinct,
                outcome.figures.distinct,
            ) {
                full += one;
                reduced += other;
            }
            if let Some(measure) = plan.search.measure()
                && prove_monotone(&model, std::slice::from_ref(measure.packed())).is_ok()
            {
                monotone += 1;
            }
        }
    }
    assert!(violated > 400 && holds > 400 && monotone > 8, "{violated} {holds} {monotone}");
    assert!(reduced * 20 < full * 19, "{reduced} of {full}");
}

/// The sample decides whether steps are left out, never what the answer is.
#[test]
fn a_reduction_that_may_be_given_up_gives_the_same_answers() {
    let (mut given_up, mut used) = (0, 0);
    for (number, (name, model)) in models(600).enumerate() {
        let Some(graph) = Graph::of(&model) else { continue };
        if graph.has_error() {
            continue;
        }
        let mut random = Random::new(number as u64);
        let plan = Plan { reduction: Reduction::Stubborn, ..plan(&mut random, &model, &ENGINES) };
        let property = Property::new("it", PropertyKind::DeadlockFree);
        let outcome = run(&model, &property, &plan);
        assert_eq!(answer(&outcome), Some(!graph.has_deadlock()), "{name}: {plan:?}");
        if let Some(gain) = outcome.given_up {
            assert!(gain.is_too_small(), "{name}: {gain:?}");
            if let (true, Some(states)) = (outcome.complete, outcome.figures.distinct) {
                let stored = states + outcome.figures.counters.intermediate;
                assert_eq!(stored as usize, graph.states.len(), "{name}: all steps are taken");
            }
            given_up += 1;
        } else {
            used += 1;
        }
    }
    assert!(given_up > 20 && used > 20, "{given_up} {used}");
}

#[test]
fn what_a_reduction_does_not_keep_is_refused() {
    let model = crate::loose_model::loose_model(1);
    let truth = || Expression::cell_equals(CellId(0), 0);
    let plan = Plan { reduction: Reduction::Stubborn, ..Plan::default() };
    let refused = |kind: PropertyKind, plan: &Plan| {
        let property = Property::new("it", kind);
        check(&model, &Interpreted, &[property], plan, &mut ()).err()
    };
    let linear =
        |formula: Ltl| LinearProperty::of_formula(formula, vec![truth()], &Limits::default()).unwrap();
    let next = linear(Ltl::globally(Ltl::next(Ltl::Proposition(0))));
    let automaton = LinearProperty::of_automaton(next.automaton(), vec![truth()]);
    let fair = Runs { fairness: engine::property::fairness::Fairness::Weak, ..Runs::default() };
    let fair = linear(Ltl::finally(Ltl::Proposition(0))).of_runs(fair);
    let kinds = [
        PropertyKind::AlwaysPossible(truth()),
        PropertyKind::PossiblyForEver(truth()),
        PropertyKind::AlwaysPossible(truth()).as_branching().unwrap(),
        PropertyKind::Linear(Box::new(next)),
        PropertyKind::Linear(Box::new(automaton)),
        PropertyKind::Linear(Box::new(fair)),
    ];
    for kind in kinds {
        let what = format!("{kind:?}");
        assert!(matches!(refused(kind, &plan), Some(CheckError::Unsound(Unsound::Reduced(..)))), "{what}");
    }
    let all = Plan { explore_all: true, ..plan.clone() };
    let whole = refused(PropertyKind::DeadlockFree, &all);
    assert!(matches!(whole, Some(CheckError::Unsound(Unsound::ReducedCounts))));
    let survey = Plan { survey: true, ..plan.clone() };
    let surveyed = refused(PropertyKind::DeadlockFree, &survey);
    assert!(matches!(surveyed, Some(CheckError::Unsound(Unsound::ReducedCounts))));
    assert!(refused(PropertyKind::DeadlockFree, &plan).is_none());
}
