//! Where a sweep and what watches it meet: ends inside a batch, erroneous steps, progress that falls late, no room.

use engine::check::{Engine, OnRuntimeError, Outcome, Plan, SearchPlan, TerminalList, check};
use engine::explore::search::Limits;
use engine::property::{Property, PropertyKind};
use engine::verdict::{UnknownReason, Verdict};
use model::interpreted_model::Interpreted;

/// Checks with a measure; each property is a kind of question and an expression.
fn run(text: &str, measure: &str, asked: &[(&str, &str)], plan: Plan) -> Outcome {
    let model = languages::read_model(text).unwrap();
    let measure = model.measure(measure).unwrap().pack(&model.commands).unwrap();
    let property = |(kind, expression): &(&str, &str)| {
        let predicate = || model.expression(expression).unwrap();
        let kind = match *kind {
            "deadlock" => PropertyKind::DeadlockFree,
            "invariant" => PropertyKind::Invariant(predicate()),
            "AG EF" => PropertyKind::AlwaysPossible(predicate()),
            _ => PropertyKind::PossiblyForEver(predicate()),
        };
        Property::new(*expression, kind)
    };
    let properties: Vec<Property> = asked.iter().map(property).collect();
    let plan = Plan { search: SearchPlan::with_measure(Engine::Sweep, Some(measure)), ..plan };
    check(&model.commands, &Interpreted, &properties, &plan, &mut ()).unwrap()
}

const COUNTER: &str = "byte x; process P { state s; init s; trans s -> s { guard x < 9; effect x = x + 1; }, \
    s -> s { guard x < 8; effect x = x + 2; }; } system async;";

#[test]
fn the_state_that_decides_is_counted_like_all_others() {
    let outcome = run(COUNTER, "x", &[("deadlock", "1")], Plan::default());
    assert!(matches!(outcome.verdicts[0], Verdict::Violated(_)));
    assert_eq!(outcome.figures.deadlocks, Some(1));
    let listed = Plan { terminal_states: TerminalList::Listed, ..Plan::default() };
    let outcome = run(COUNTER, "x", &[("deadlock", "1")], listed);
    assert_eq!(outcome.terminal_states.unwrap(), [[9, 0]]);
}

#[test]
fn a_search_that_ends_inside_a_batch_has_counted_all_kinds_of_steps() {
    let counters = run(COUNTER, "x", &[("invariant", "x == 0")], Plan::default()).figures.counters;
    assert!(counters.forward + counters.regress <= counters.transitions, "{counters:?}");
}

/// Where an erroneous step leads is not known, so a state with one is in no terminal component.
#[test]
fn components_with_erroneous_steps_decide_nothing() {
    let text = "byte x; byte a[2]; process P { state s; init s; trans s -> s { effect a[x + 5] = 1; }; } system async;";
    let go_on = Plan { on_runtime_error: OnRuntimeError::GoOn, ..Plan::default() };
    let outcome = run(text, "x", &[("AG EF", "x == 1"), ("EF AG", "x == 0")], go_on);
    for verdict in &outcome.verdicts {
        assert!(matches!(verdict, Verdict::Unknown(UnknownReason::RuntimeError)), "{verdict:?}");
    }
}

#[test]
fn what_was_decided_before_progress_falls_stays_decided_and_the_rest_is_asked_of_the_graph() {
    let text = "byte x; process P { state s, t, u, v; init s; trans s -> t { effect x = 1; }, s -> u { effect x = 4; }, \
        u -> v { effect x = 2; }; } system async;";
    let asked = [("AG EF", "x == 4"), ("EF AG", "x == 3")];
    let outcome = run(text, "x", &asked, Plan::default());
    assert!(matches!(outcome.verdicts[0], Verdict::Violated(_)), "{:?}", outcome.verdicts[0]);
    assert!(matches!(outcome.verdicts[1], Verdict::Violated(_)), "{:?}", outcome.verdicts[1]);
    // The search that ended when progress fell met some states, the one for the graph all of them.
    assert!(outcome.regress.is_none() && outcome.complete);
    assert_eq!((outcome.figures.distinct, outcome.figures.counters.regress), (Some(4), 1));
}

/// Whatever the limit, a run ends with figures and lists that can be read.
#[test]
fn every_memory_limit_ends_cleanly() {
    let text = "int x; int y; int z; process P { state s, t; init s; trans \
        s -> s { guard x < 300; effect x = x + 1; }, s -> s { guard y < 200; effect y = y + 1; }, \
        s -> t { effect z = x * y; }; } system async;";
    let mut stopped = 0;
    for memory in (200..4_000).step_by(170).map(|kibibytes| kibibytes << 10) {
        for measure in ["0", "x", "(y, 0 - x)", "0 - y"] {
            let limits = Limits { memory, ..Limits::default() };
            let plan = Plan { limits, terminal_states: TerminalList::Listed, ..Plan::default() };
            let outcome = run(text, measure, &[("invariant", "z < 30000 or z > 40000")], plan);
            assert!(
                outcome.figures.counters.forward + outcome.figures.counters.regress
                    <= outcome.figures.counters.transitions
            );
            if outcome.complete {
                assert_eq!(outcome.figures.deadlocks, Some(60_501));
            } else {
                stopped += u32::from(outcome.stopped.is_some());
                assert!(outcome.verdicts.iter().all(|verdict| !matches!(verdict, Verdict::Holds(_))));
            }
        }
    }
    assert!(stopped > 0);
}

/// Two workers that know nothing of each other. The last step of each brings one of ten results.
fn two_workers() -> String {
    let worker = |name: &str, count: &str| {
        let results: String = (1..=10)
            .map(|i| format!(", s -> s {{ guard {count} == 19; effect {count} = 20, result = {i}; }}"))
            .collect();
        format!(
            "process {name} {{ state s; init s; trans s -> s {{ guard {count} < 19; effect {count} = {count} + 1; }}{results}; }}"
        )
    };
    format!("byte left, right, result; {} {} system async;", worker("L", "left"), worker("R", "right"))
}

/// A tuple makes all states wait in which one worker is done and the other is anywhere; a vector goes on with them as they come.
#[test]
fn a_vector_may_need_less_memory_than_each_tuple() {
    let peak = |measure: &str| {
        let counters = run(&two_workers(), measure, &[], Plan::default()).figures.counters;
        assert_eq!((counters.explored, counters.sweeps, counters.regress), (810, 1, 0), "{measure}");
        counters.peak.total()
    };
    assert_eq!(["(left, right)", "(right, left)"].map(peak), [221, 221]);
    assert_eq!(["[left, right]", "[right, left]"].map(peak), [50, 50]);
    assert_eq!(peak("left + right"), 78);
}

#[test]
fn components_of_a_layer_decide_when_it_is_that_of_a_vector() {
    let asked = [("AG EF", "left == 20 and right == 20"), ("EF AG", "result == 7"), ("AG EF", "result == 7")];
    let outcome = run(&two_workers(), "[left, right]", &asked, Plan::default());
    let [Verdict::Holds(_), Verdict::Holds(_), Verdict::Violated(_)] = &outcome.verdicts[..] else {
        panic!("{:?}", outcome.verdicts)
    };
}

/// One step makes one worker go back while the other goes on: that is a fall, whichever comes first.
#[test]
fn a_step_to_an_incomparable_vector_is_a_regress_edge() {
    let text = "byte x, y; process P { state s; init s; trans s -> s { guard x < 9; effect x = x + 1; }, \
        s -> s { guard x > 0 and y < 9; effect x = x - 1, y = y + 1; }; } system async;";
    let counters = |measure: &str| run(text, measure, &[], Plan::default()).figures.counters;
    assert_eq!(counters("(y, x)").regress, 0);
    let vector = counters("[y, x]");
    assert_eq!(vector, counters("[x, y]"));
    // From nine values of each to nine; they are all different states, and the initial one is persistent, too.
    assert_eq!((vector.regress, vector.persistent, vector.explored), (81, 82, 100));
    assert!(vector.sweeps > 1, "{vector:?}");
}
