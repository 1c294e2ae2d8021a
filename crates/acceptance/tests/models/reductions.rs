//! Stubborn sets with machine code: corners by hand, and the deadlocks of the BEEM models.

use engine::check::{Engine, Plan, Reduction, TerminalList, check};
use engine::property::linear::LinearProperty;
use engine::property::{Property, PropertyKind};
use engine::verdict::Verdict;
use languages::read_model;
use logic::ltl::Ltl;
use logic::ltl_to_buchi::Limits;
use model::guarded_commands::GuardedCommands;
use native_code::Compiled;
use oracles::Beem;

/// Instances with more states are left out.
const MOST_STATES: u64 = 30_000;

fn holds(model: &GuardedCommands, kind: PropertyKind, engine: Engine, reduction: Reduction) -> (bool, u64) {
    let plan = Plan { search: engine.into(), reduction, ..Plan::default() };
    let outcome = check(model, &Compiled, &[Property::new("it", kind)], &plan, &mut ()).unwrap();
    let holds = match &outcome.verdicts[0] {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => panic!("{reason:?}"),
    };
    (holds, outcome.figures.counters.explored)
}

#[test]
fn a_loop_does_not_put_others_off_for_ever() {
    let text = "process A { state a0, a1, a2, a3; init a0; trans a0 -> a1 {}, a1 -> a0 {}, a1 -> a2 {}, a2 -> a3 {}; } \
        process B { state b0, b1; init b0; trans b0 -> b1 {}; } system async;";
    let model = read_model(text).unwrap();
    let propositions = ["B.b1", "A.a3"].map(|one| model.expression(one).unwrap()).to_vec();
    let formula = Ltl::implies(Ltl::finally(Ltl::Proposition(0)), Ltl::finally(Ltl::Proposition(1)));
    let linear = LinearProperty::of_formula(formula, propositions, &Limits::default()).unwrap();
    for engine in [Engine::Breadth, Engine::Depth, Engine::Sweep] {
        for reduction in [Reduction::None, Reduction::StubbornAlways] {
            let kind = PropertyKind::Linear(Box::new(linear.clone()));
            assert!(!holds(&model.commands, kind, engine, reduction).0, "{engine:?} {reduction:?}");
        }
    }
}

#[test]
fn who_makes_a_guard_of_several_variables_true_is_not_left_out() {
    let text = "byte x = 0; byte y = 0; \
        process A { state l0, l1, l2; init l0; trans l0 -> l1 {}, l1 -> l1 {}, l0 -> l2 { guard x + y == 1; }; } \
        process C { state c0, c1; init c0; trans c0 -> c1 { effect x = 1; }; } system async;";
    let model = read_model(text).unwrap();
    for reduction in [Reduction::None, Reduction::StubbornAlways] {
        let (is_free, _) = holds(&model.commands, PropertyKind::DeadlockFree, Engine::Breadth, reduction);
        assert!(!is_free, "{reduction:?}");
    }
}

#[test]
fn all_states_without_successors_are_listed() {
    let text = std::fs::read_to_string("../../models/petri/forks.pnml").unwrap();
    let options = languages::ReadOptions { format: &languages::format::PNML, ..Default::default() };
    let model = languages::read_model_with(&text, &options).unwrap().commands;
    let listed = |reduction| {
        let plan =
            Plan { reduction, explore_all: true, terminal_states: TerminalList::Listed, ..Plan::default() };
        let property = [Property::new("it", PropertyKind::DeadlockFree)];
        let outcome = check(&model, &Compiled, &property, &plan, &mut ()).unwrap();
        let mut states = outcome.terminal_states.unwrap();
        states.sort();
        (states, outcome.figures.counters.explored)
    };
    let (all, full) = listed(Reduction::None);
    let (same, reduced) = listed(Reduction::StubbornAlways);
    assert_eq!(all, same);
    assert!(!all.is_empty() && reduced < full, "{reduced} of {full}");
}

/// Processes that count on their own, or all on one shared variable.
fn counters(effect: &str) -> GuardedCommands {
    let one = |number: u32| {
        format!(
            "process P{number} {{ byte x = 0; state s; init s; trans s -> s {{ guard x < 5; effect x = x + 1{effect}; }}; }} "
        )
    };
    let text = format!("int sum = 0; {} system async;", (0..5).map(one).collect::<String>());
    read_model(&text).unwrap().commands
}

#[test]
fn a_reduction_without_gain_is_given_up() {
    let property = [Property::new("it", PropertyKind::DeadlockFree)];
    let run = |model: &GuardedCommands, reduction| {
        let plan = Plan { reduction, ..Plan::default() };
        let outcome = check(model, &Compiled, &property, &plan, &mut ()).unwrap();
        assert!(matches!(outcome.verdicts[0], Verdict::Violated(_)), "all counters stop");
        outcome
    };
    // Multiplication and addition do not commute, so that each order has a result of its own.
    let dependent = counters(", sum = (sum * 3 + x) % 1009");
    let given_up = run(&dependent, Reduction::Stubborn);
    let gain = given_up.given_up.expect("no step can be left out");
    assert_eq!(gain.states, gain.reached);
    let full = run(&dependent, Reduction::None);
    assert_eq!(given_up.figures.distinct, full.figures.distinct);
    assert!(run(&dependent, Reduction::StubbornAlways).given_up.is_none());

    let independent = counters("");
    let reduced = run(&independent, Reduction::Stubborn);
    assert!(reduced.given_up.is_none());
    assert_eq!(reduced.figures.distinct, Some(26), "one order");
}

#[test]
fn deadlocks_of_oracle_models_are_found() {
    let Some(beem) = Beem::find_or_say_skipped("stubborn sets on BEEM") else { return };
    let (mut full, mut reduced, mut models) = (0, 0, 0);
    for file in beem.model_files().unwrap() {
        if file.to_string_lossy().contains(".prop") {
            continue;
        }
        let model = read_model(&std::fs::read_to_string(&file).unwrap()).unwrap().commands;
        let mut plan = Plan::default();
        plan.limits.states = MOST_STATES;
        let property = [Property::new("it", PropertyKind::DeadlockFree)];
        let outcome = check(&model, &Compiled, &property, &plan, &mut ()).unwrap();
        let expected = match &outcome.verdicts[0] {
            Verdict::Holds(_) => true,
            Verdict::Violated(_) => false,
            Verdict::Unknown(_) => continue,
        };
        for engine in [Engine::Breadth, Engine::Depth] {
            let (found, states) =
                holds(&model, PropertyKind::DeadlockFree, engine, Reduction::StubbornAlways);
            assert_eq!(found, expected, "{}", file.display());
            if engine == Engine::Breadth && expected {
                full += outcome.figures.counters.explored;
                reduced += states;
            }
        }
        models += 1;
    }
    eprintln!("{models} models; of {full} states without a deadlock, {reduced} were explored");
    assert!(models > 30 && reduced < full, "{models} models, {reduced} of {full} states");
}
