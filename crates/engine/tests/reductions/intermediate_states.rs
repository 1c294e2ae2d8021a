//! Models with intermediate states are judged like the graph of their other states, which is made
//! here by following each path through intermediate states to its end.

use std::collections::BTreeSet;
use std::num::NonZero;

use engine::check::{Engine, Outcome, Plan, Reduction, SearchPlan, check};
use engine::explore::sweep::Threads;
use engine::progress::ExpressionMeasure;
use engine::property::fairness::Fairness;
use engine::property::linear::{DeadEnds, LinearProperty, Runs};
use engine::property::{BranchingProperty, Property, PropertyKind};
use engine::verdict::{Evidence, Verdict};
use logic::ctl::Ctl;
use logic::ltl::Ltl;
use logic::ltl_to_buchi::Limits;
use model::guarded_commands::{
    Action, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType, Location,
    LocationId, LocationKind, Participant, Shape, Span, Target,
};
use model::interpreted_model::Interpreted;
use model::interpreter::Interpreter;
use model::random::Random;

use LocationKind::{Intermediate, Ordinary};

use crate::Graph;
use crate::loose_model::merged_model;
use crate::verdicts::predicate;

/// The states of a model that are not intermediate.
struct Visible {
    /// Numbers of their successors.
    successors: Vec<BTreeSet<usize>>,
    /// Their cells.
    states: Vec<Vec<i64>>,
    /// Number of steps to them.
    transitions: u64,
}

impl Visible {
    /// `None` if a path through intermediate states does not end, or ends inside.
    fn of(model: &GuardedCommands, graph: &Graph) -> Option<Self> {
        let inside = |state: &Vec<i64>| model.state_priority(state) == Intermediate;
        let visible: Vec<usize> =
            (0..graph.states.len()).filter(|one| !inside(&graph.states[*one])).collect();
        let number = |state: usize| visible.binary_search(&state).ok();
        let mut successors = Vec::new();
        for &state in &visible {
            let mut found = BTreeSet::new();
            let mut paths = vec![vec![state]];
            while let Some(path) = paths.pop() {
                let steps = &graph.steps[*path.last().unwrap()];
                if path.len() > 1 && steps.is_empty() {
                    return None;
                }
                for to in steps.iter().filter_map(|(_, to)| *to) {
                    match number(to) {
                        Some(to) => _ = found.insert(to),
                        None if path.contains(&to) || path.len() > 6 => return None,
                        None => paths.push([&path[..], &[to]].concat()),
                    }
                }
            }
            successors.push(found);
        }
        let steps = graph.steps.iter().flatten().filter_map(|(_, to)| *to);
        let transitions = steps.filter(|to| number(*to).is_some()).count() as u64;
        let states = visible.iter().map(|state| graph.states[*state].clone()).collect();
        Some(Self { successors, states, transitions })
    }

    /// A model with a location for each of these states, and a cell with the truth of propositions.
    fn model(&self, truth: impl Fn(&[i64]) -> i64) -> GuardedCommands {
        let mut model = GuardedCommands::default();
        let labels = &[truth(&self.states[0])];
        model.add_variable("labels", None, Shape::Scalar(IntegerType::BYTE), labels, Span::default());
        let location = Location { name: "l".into(), kind: Ordinary, span: Span::default() };
        let locations = vec![location; self.states.len()];
        let process = model.add_process("space", locations, LocationId(0), Span::default());
        for (from, targets) in self.successors.iter().enumerate() {
            for &to in targets {
                let value = Expression::Constant(truth(&self.states[to]));
                let (from, to) = (LocationId(from as u32), LocationId(to as u32));
                let participant = Participant { process, from, to, guards: vec![], span: Span::default() };
                let change = Assignment { target: Target::Cell(CellId(0)), value };
                let effects = vec![Effect::Assign(vec![change])];
                model.actions.push(Action {
                    participants: vec![participant],
                    effects,
                    channel: None,
                    name: None,
                });
            }
        }
        model
    }
}

/// The proposition with this number in such a model.
fn label(number: i64) -> Expression {
    let shifted = Expression::binary(
        BinaryOperator::ShiftRight,
        Expression::Cell(CellId(0)),
        Expression::Constant(number),
    );
    Expression::binary(BinaryOperator::BitAnd, shifted, Expression::Constant(1))
}

fn linear_formula(random: &mut Random, operators: usize) -> Ltl {
    if operators == 0 {
        return Ltl::Proposition(random.below(2) as u8);
    }
    let left = random.below(operators);
    let right = operators - 1 - left;
    match random.below(8) {
        0 => Ltl::negation(linear_formula(random, operators - 1)),
        1 => Ltl::next(linear_formula(random, operators - 1)),
        2 => Ltl::finally(linear_formula(random, operators - 1)),
        3 => Ltl::globally(linear_formula(random, operators - 1)),
        4 => Ltl::until(linear_formula(random, left), linear_formula(random, right)),
        5 => Ltl::implies(linear_formula(random, left), linear_formula(random, right)),
        _ => Ltl::or(linear_formula(random, left), linear_formula(random, right)),
    }
}

fn branching_formula(random: &mut Random, operators: usize) -> Ctl {
    if operators == 0 {
        return Ctl::Proposition(random.below(2) as u8);
    }
    let left = random.below(operators);
    let right = operators - 1 - left;
    match random.below(7) {
        0 => Ctl::negation(branching_formula(random, operators - 1)),
        1 => Ctl::exists_next(branching_formula(random, operators - 1)),
        2 => Ctl::always_next(branching_formula(random, operators - 1)),
        3 => Ctl::exists_globally(branching_formula(random, operators - 1)),
        4 => Ctl::exists_until(branching_formula(random, left), branching_formula(random, right)),
        5 => Ctl::always_until(branching_formula(random, left), branching_formula(random, right)),
        _ => Ctl::and(branching_formula(random, left), branching_formula(random, right)),
    }
}

/// The same questions about two models with other propositions.
fn kinds(random: &mut Random, propositions: [Vec<Expression>; 2]) -> Vec<[PropertyKind; 2]> {
    let of_one = |kind: fn(Expression) -> PropertyKind| propositions.clone().map(|all| kind(all[0].clone()));
    let mut kinds = vec![
        [PropertyKind::DeadlockFree, PropertyKind::DeadlockFree],
        of_one(PropertyKind::Invariant),
        of_one(PropertyKind::Reachable),
        of_one(PropertyKind::AlwaysPossible),
        of_one(PropertyKind::PossiblyForEver),
    ];
    for _ in 0..2 {
        let operators = 1 + random.below(4);
        let formula = linear_formula(random, operators);
        let dead_ends = [DeadEnds::Repeated, DeadEnds::Ignored][random.below(2)];
        kinds.push(propositions.clone().map(|all| {
            let linear = LinearProperty::of_formula(formula.clone(), all, &Limits::default()).unwrap();
            PropertyKind::Linear(Box::new(linear.of_runs(Runs { dead_ends, ..Runs::default() })))
        }));
        let operators = 1 + random.below(4);
        let formula = branching_formula(random, operators);
        kinds.push(propositions.clone().map(|propositions| {
            let formula = formula.clone();
            PropertyKind::Branching(Box::new(BranchingProperty { formula, propositions }))
        }));
    }
    kinds
}

fn holds(outcome: &Outcome) -> bool {
    match &outcome.verdicts[..] {
        [Verdict::Holds(_)] => true,
        [Verdict::Violated(_)] => false,
        other => panic!("{other:?}"),
    }
}

fn random_plan(random: &mut Random, model: &GuardedCommands, engines: &[Engine]) -> Plan {
    let engine = engines[random.below(engines.len())];
    let measure = match engine.is_sweep() {
        true => {
            let cell = CellId(random.below(model.cells.len()) as u32);
            ExpressionMeasure::new(model, &[Expression::Cell(cell)]).ok()
        }
        false => None,
    };
    let threads = match random.below(3) {
        0 => {
            let two = Threads::new(NonZero::new(2).unwrap());
            Threads { shared_from: 1, least_chunk: 1, most_chunk: 3, ..two }
        }
        _ => Threads::default(),
    };
    Plan { search: SearchPlan::with_measure(engine, measure), threads, ..Plan::default() }
}

const ENGINES: [Engine; 6] = [
    Engine::Breadth,
    Engine::BreadthDisk,
    Engine::Depth,
    Engine::Sweep,
    Engine::SweepDisk,
    Engine::Partition,
];

#[test]
fn intermediate_states_are_not_states_of_the_model() {
    let (mut compared, mut counted, mut violated, mut left_out) = (0, 0, 0, 0);
    for seed in 0..30_000 {
        let model = merged_model(seed);
        if !model.has_locations(Intermediate) {
            continue;
        }
        let Some(graph) = Graph::of(&model).filter(|graph| !graph.has_error()) else { continue };
        let Some(visible) = Visible::of(&model, &graph) else { continue };
        if visible.states.len() == graph.states.len() {
            continue;
        }
        let mut random = Random::new(seed);
        let asked = [(); 2].map(|()| predicate(&mut random, &model, &graph));
        let interpreter = Interpreter::new(&model);
        let truth = |state: &[i64]| -> Option<i64> {
            let bits = asked.iter().map(|one| Some(i64::from(interpreter.evaluate(one, state).ok()? != 0)));
            bits.enumerate().try_fold(0, |all, (number, bit)| Some(all | bit? << number))
        };
        if graph.states.iter().any(|state| truth(state).is_none()) {
            continue;
        }
        let reference = visible.model(|state| truth(state).unwrap());

        for engine in ENGINES {
            let plan = random_plan(&mut random, &model, &[engine]);
            let outcome = check(&model, &Interpreted, &[], &plan, &mut ()).unwrap();
            let figures = &outcome.figures;
            let what = format!("{seed}: {plan:?}");
            assert!(outcome.complete, "{what}");
            let distinct = figures.distinct;
            assert!(distinct.is_none_or(|states| states == visible.states.len() as u64), "{what}");
            if distinct.is_some() {
                counted += 1;
                assert_eq!(figures.counters.model_states(), visible.states.len() as u64, "{what}");
                assert_eq!(figures.counters.model_transitions(), visible.transitions, "{what}");
                assert_eq!(figures.counters.explored, graph.states.len() as u64, "{what}");
            }
        }
        left_out += graph.states.len() - visible.states.len();

        let propositions = [asked.to_vec(), vec![label(0), label(1)]];
        for [kind, same] in kinds(&mut random, propositions) {
            let expected =
                check(&reference, &Interpreted, &[Property::new("it", same)], &Plan::default(), &mut ());
            let expected = holds(&expected.unwrap());
            let by_states = !kind.needs_layers();
            let engines: &[Engine] = match &kind {
                _ if by_states => &ENGINES,
                PropertyKind::Linear(_) => &ENGINES[..5],
                _ => &[Engine::Breadth, Engine::Sweep],
            };
            let mut plan = random_plan(&mut random, &model, engines);
            let keeps = match &kind {
                PropertyKind::Linear(linear) => linear.formula().is_some_and(Ltl::is_next_free),
                _ => by_states,
            };
            let can_reduce = plan.search.engine() != Engine::BreadthDisk || by_states;
            if keeps && can_reduce && random.below(2) == 0 {
                plan.reduction = Reduction::StubbornAlways;
            }
            let property = Property::new("it", kind);
            let outcome = check(&model, &Interpreted, std::slice::from_ref(&property), &plan, &mut ());
            let outcome = outcome.unwrap_or_else(|error| panic!("{seed}: {error}, {property:?} {plan:?}"));
            assert_eq!(holds(&outcome), expected, "{seed}: {property:?} {plan:?}");
            compared += 1;
            violated += usize::from(!expected);
        }
    }
    assert!(
        compared > 2_000 && counted > 500 && violated > 400 && left_out > 500,
        "{compared} {counted} {violated} {left_out}"
    );
    assert!(compared - violated > 400, "{compared} {counted} {violated} {left_out}");
}

/// Processes whose locations are of these kinds, and actions: process, from, to.
fn processes(kinds: &[&[LocationKind]], actions: &[(u32, u32, u32)]) -> GuardedCommands {
    let mut model = GuardedCommands::default();
    let mut numbers = Vec::new();
    for kinds in kinds {
        let location =
            |kind: &LocationKind| Location { name: "l".into(), kind: *kind, span: Span::default() };
        let locations = kinds.iter().map(location).collect();
        numbers.push(model.add_process("P", locations, LocationId(0), Span::default()));
    }
    for &(process, from, to) in actions {
        let (process, from, to) = (numbers[process as usize], LocationId(from), LocationId(to));
        let participant = Participant { process, from, to, guards: vec![], span: Span::default() };
        let (channel, name) = (None, None);
        model.actions.push(Action { participants: vec![participant], effects: vec![], channel, name });
    }
    model
}

fn linear(formula: Ltl, proposition: Expression, fairness: Fairness) -> [Property; 1] {
    let linear = LinearProperty::of_formula(formula, vec![proposition], &Limits::default()).unwrap();
    let linear = linear.of_runs(Runs { fairness, ..Runs::default() });
    [Property::new("it", PropertyKind::Linear(Box::new(linear)))]
}

const CYCLE_ENGINES: [Engine; 4] = [Engine::Breadth, Engine::Depth, Engine::Sweep, Engine::BreadthDisk];

/// While one process runs through its atomic sequence again and again, another one can always move,
/// except in intermediate states. So it must.
#[test]
fn an_atomic_sequence_is_no_rest_for_the_others() {
    let actions = [(0, 0, 1), (0, 1, 2), (0, 2, 0), (1, 0, 1)];
    let model = processes(&[&[Ordinary, Intermediate, Intermediate], &[Ordinary, Ordinary]], &actions);
    let has_moved = || Expression::cell_equals(CellId(1), 1);
    for engine in CYCLE_ENGINES {
        let plan = Plan { search: engine.into(), ..Plan::default() };
        let ask = |fairness| {
            let asked = linear(Ltl::finally(Ltl::Proposition(0)), has_moved(), fairness);
            holds(&check(&model, &Interpreted, &asked, &plan, &mut ()).unwrap())
        };
        assert!(!ask(Fairness::Unfair), "{engine:?}");
        assert!(ask(Fairness::Weak), "{engine:?}");
    }
}

/// The process never leaves its atomic sequence: nothing else ever happens.
#[test]
fn an_atomic_sequence_without_an_end_is_an_infinite_run() {
    let model = processes(&[&[Ordinary, Intermediate, Ordinary]], &[(0, 0, 1), (0, 1, 1), (0, 0, 2)]);
    let is_done = || Expression::cell_equals(CellId(0), 2);
    for engine in CYCLE_ENGINES {
        let plan = Plan { search: engine.into(), ..Plan::default() };
        let ask = |formula| {
            let asked = linear(formula, is_done(), Fairness::Unfair);
            check(&model, &Interpreted, &asked, &plan, &mut ()).unwrap()
        };
        let stuck = ask(Ltl::finally(Ltl::Proposition(0)));
        let Verdict::Violated(Evidence::Lasso(run, start)) = &stuck.verdicts[0] else { panic!("{engine:?}") };
        assert_eq!((run.trace().steps.len(), *start), (2, 1), "{engine:?}");
        assert!(holds(&ask(Ltl::globally(Ltl::implies(Ltl::Proposition(0), Ltl::Proposition(0))))));
    }
}

#[test]
fn a_survey_leaves_intermediate_states_out() {
    let actions = [(0, 0, 1), (0, 1, 2), (0, 2, 0), (1, 0, 1)];
    let mut model = processes(&[&[Ordinary, Intermediate, Ordinary], &[Ordinary, Ordinary]], &actions);
    let x = model.add_variable("x", None, Shape::Scalar(IntegerType::BYTE), &[], Span::default());
    let cell = model.variable(x).first_cell;
    let set = |value| {
        let change = Assignment { target: Target::Cell(cell), value: Expression::Constant(value) };
        vec![Effect::Assign(vec![change])]
    };
    model.actions[0].effects = set(9);
    model.actions[1].effects = set(3);
    let plan = Plan { survey: true, ..Plan::default() };
    let outcome = check(&model, &Interpreted, &[], &plan, &mut ()).unwrap();
    let survey = outcome.survey.unwrap();
    assert_eq!(survey.ranges[cell.index()].map(|range| (range.low, range.high)), Some((0, 3)));
    assert_eq!(survey.occurring[0].as_deref(), Some(&[true, false, true][..]));
    let ends = survey.ends.unwrap();
    // The first round, and the loop, before and after the second process moves.
    assert_eq!((ends.components, ends.terminal, ends.home_states), (4, 1, 2));
}
