//! `check`: answers, traces and exit codes.

use crate::session::{BROKEN_LOCK, COUNTER, OVERRUN, Session, WITH_AUTOMATON};

#[test]
fn a_property_that_holds_ends_with_zero() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["check", "m.dve", "--invariant", "x < 10"]).expect(0);
    assert!(run.stdout.starts_with("holds     x < 10 (invariant)\n\n"), "{}", run.stdout);
    let run = run.out("states stored     10\n").out("states matched    0\n").out("transitions       9\n");
    let run = run.out("levels            10\n").out("deadlocks         1\n").out("breadth-first");
    assert_eq!(run.stderr, "");
}

#[test]
fn a_violated_invariant_ends_with_one_and_the_shortest_trace() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = session.run(&["check", "m.dve", "--invariant", "inside < 2"]).expect(1);
    let expected = "\
Counterexample: `inside < 2` is false after 4 steps (shortest):

    0  initial state
         P = away, Q = away, everything else is 0
    1  P: away -> take
    2  Q: away -> take
    3  P: take -> critical
         locked: 0 -> 1, inside: 0 -> 1
    4  Q: take -> critical
         inside: 1 -> 2

violated  inside < 2 (invariant, after 4 steps)

";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
}

#[test]
fn by_default_declared_properties_and_deadlocks_are_checked() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = session.run(&["check", "m.dve", "-q"]).expect(1);
    assert_eq!(run.stdout, "holds     no deadlock\nviolated  assert P.critical (invariant, after 4 steps)\n");
    let run = session.run(&["check", "m.dve", "-q", "--no-deadlock"]).expect(1);
    assert_eq!(run.stdout, "violated  assert P.critical (invariant, after 4 steps)\n");
}

#[test]
fn with_options_only_the_named_properties_are_checked() {
    let session = Session::with_model(BROKEN_LOCK);
    let verdicts = |arguments: &[&str]| session.run(&[&["check", "m.dve", "-q"], arguments].concat()).stdout;
    assert_eq!(verdicts(&["--deadlock"]), "holds     no deadlock\n");
    assert_eq!(verdicts(&["--invariant", "inside < 9"]), "holds     inside < 9 (invariant)\n");
    assert_eq!(
        verdicts(&["--property", "assert P.critical", "--deadlock", "--reach", "Q.critical"]),
        "holds     no deadlock\n\
         violated  assert P.critical (invariant, after 4 steps)\n\
         holds     Q.critical (reach, after 2 steps)\n"
    );
}

#[test]
fn a_deadlock_is_a_violation() {
    let session = Session::with_model(COUNTER);
    let run = session
        .run(&["check", "m.dve"])
        .expect(1)
        .out("Counterexample: no action is enabled after 9 steps (shortest):");
    run.out("violated  no deadlock (after 9 steps)");
    session.run(&["check", "m.dve", "--no-deadlock"]).expect(0).err("warning[W0020]");
}

#[test]
fn reach_holds_with_a_witness_and_is_violated_without() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["check", "m.dve", "--reach", "x == 4", "--trace-view", "actions"]).expect(0);
    run.out("Witness: `x == 4` is true after 4 steps (shortest):\n\n    1  P: s -> s\n    2  P: s -> s\n");
    session.run(&["check", "m.dve", "--reach", "x == 0"]).expect(0).out("is true in the initial state");
    session.run(&["check", "m.dve", "--reach", "x == 10"]).expect(1).out("violated  x == 10 (reach)\n");
}

#[test]
fn a_runtime_error_is_shown_in_the_model_and_counts_as_a_violation() {
    let session = Session::with_model(OVERRUN);
    let run = session
        .run(&["check", "m.dve"])
        .expect(1)
        .out("Counterexample: the model has a run-time error after 2 steps (shortest):");
    let run = run
        .out("violated  no run-time error (after 2 steps): in `P: s -> s`: index 2 is out of range for `a`");
    let run = run.out("unknown   no deadlock: the model has a run-time error");
    run.err("error[E0501]: run-time error: index 2").err("m.dve:6:").err("a[at] = 1");
}

#[test]
fn a_runtime_error_in_an_expression_points_into_the_expression() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["check", "m.dve", "--invariant", "6 / (3 - x) < 9"]).expect(1);
    run.out("in `6 / (3 - x) < 9`: division by zero").err("error[E0502]").err("--invariant:1:1");
}

#[test]
fn a_property_process_is_decided() {
    let session = Session::with_model(WITH_AUTOMATON);
    session.run(&["check", "m.dve"]).expect(0).out("holds     no deadlock").out("holds     Never");
    session.run(&["check", "m.dve", "--deadlock"]).expect(0);
    session.run(&["check", "m.dve", "--property", "Never", "--invariant", "x == 0"]).expect(1);
}

#[test]
fn engines_and_executions_agree() {
    let session = Session::with_model(BROKEN_LOCK);
    let counts = |arguments: &[&str]| {
        let run = session.run(&[&["explore", "m.dve"], arguments].concat()).expect(0);
        let counted = ["states stored", "states matched", "transitions", "deadlocks"];
        run.stdout
            .lines()
            .filter(|line| counted.iter().any(|name| line.starts_with(name)))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let expected = counts(&[]);
    assert_eq!(expected.lines().count(), 4);
    for engine in ["auto", "breadth", "depth"] {
        for execution in ["compiled", "interpreted"] {
            assert_eq!(counts(&["--engine", engine, "--execution", execution]), expected);
        }
    }
    let depth = session.run(&["check", "m.dve", "--engine", "depth"]).expect(1);
    depth.out("depth-first").out("stack depth");
}

#[test]
fn options_control_how_much_is_shown() {
    let session = Session::with_model(BROKEN_LOCK);
    let shown = |arguments: &[&str]| session.run(&[&["check", "m.dve"], arguments].concat()).expect(1).stdout;
    assert!(shown(&["--trace-view", "full"]).contains("locked = 1, inside = 2, P = critical, Q = critical"));
    assert!(!shown(&["--trace-view", "none"]).contains("initial state"));
    assert!(shown(&["-v"]).contains("CPU time"));
    assert!(shown(&["--color", "always"]).contains("\u{1b}["));
    assert!(!shown(&["--color", "auto"]).contains('\u{1b}'));
}

#[test]
fn the_same_run_gives_the_same_output() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = || {
        let text = session.run(&["check", "m.dve"]).stdout;
        text.lines()
            .filter(|line| !line.starts_with("time") && !line.starts_with("memory"))
            .collect::<String>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_model_can_come_from_a_pipe() {
    Session::new().run_with_input(&["check", "-", "--invariant", "x < 10"], COUNTER).expect(0);
}

#[test]
fn completions_are_a_script() {
    Session::new().run(&["completions", "bash"]).expect(0).out("sweepline");
    Session::new().run(&["completions", "cobol"]).expect(2);
}

#[test]
fn a_runtime_error_in_an_expression_keeps_earlier_verdicts() {
    let session = Session::with_model(
        "byte x; byte a[3];\nprocess P { state s; init s; trans s -> s { guard x < 9; effect x = x + 1; }; }\nsystem async;\n",
    );
    session.run(&["check", "m.dve", "-q", "--reach", "a[x] == 0", "--reach", "x == 9"]).expect(0);
    // The other properties are decided in the state in which one expression has no value.
    let run =
        session.run(&["check", "m.dve", "-q", "--invariant", "x != 3", "--invariant", "a[x] == 0"]).expect(1);
    assert!(run.stdout.contains("violated  x != 3"), "{}", run.stdout);
}

#[test]
fn an_expression_may_begin_with_a_minus() {
    let session =
        Session::with_model("byte x;\nprocess P { state s; init s; trans s -> s {}; }\nsystem async;\n");
    session.run(&["check", "m.dve", "-q", "--invariant", "-1 < x"]).expect(0);
}

#[test]
fn thousands_of_guards_do_not_overflow_the_stack() {
    let guards = vec!["x < 9"; 3_000].join(", ");
    let session = Session::with_model(&format!(
        "byte x;\nprocess P {{ state s; init s; trans s -> s {{ guard {guards}; effect x = x + 1; }}; }}\nsystem async;\n"
    ));
    session.run(&["explore", "m.dve", "-q"]).expect(0);
}

/// A model with an array, whose bare name is its first element.
const ARRAY: &str = "byte e[3], x; process P { state s; init s; trans s -> s { guard x < 3; effect x = x + 1; }; } system async;";

/// The never claim that `e == 9` is true at some time.
const CLAIM: &str = "never { T: do :: (1) -> goto T :: (e == 9) -> goto accept od; accept: do :: (1) od }\n";

#[test]
fn warnings_about_questions_are_shown_with_their_place() {
    let session = Session::with_model(ARRAY);
    session.write("claim.txt", CLAIM);
    session.write("service.txt", "initial 0\n");
    let service = ["--safety-automaton", "service.txt", "--halt", "e == 0"];
    let questions: [(&[&str], &str); 7] = [
        (&["--invariant", "x < 9 and e < 9"], "--invariant:1:11"),
        (&["--reach", "e == 0"], "--reach:1:1"),
        (&["--ltl", "G (e == 0)"], "--ltl:1:4"),
        (&["--ctl", "AF (e == 0)"], "--ctl:1:5"),
        (&["--home", "e == 0"], "--home:1:1"),
        (&["--automaton", "claim.txt"], "claim.txt:1:36"),
        (&service, "--halt:1:1"),
    ];
    for (question, place) in questions {
        let arguments = [&["check", "m.dve", "--json", "run.json"], question].concat();
        let run = session.run(&arguments).expect(0).err("warning[W0405]").err("write `e[0]`").err(place);
        assert_eq!(run.stderr.matches("warning[").count(), 1, "{}", run.stderr);
        let diagnostics = &session.json("run.json")["diagnostics"];
        let (origin, column) = place.split_once(":1:").unwrap();
        assert_eq!(diagnostics.as_array().unwrap().len(), 1, "{diagnostics}");
        let found = &diagnostics[0];
        assert_eq!((&found["code"], &found["severity"]), (&"W0405".into(), &"warning".into()));
        assert_eq!((&found["source"], &found["line"]), (&origin.into(), &1.into()));
        assert_eq!(found["column"].to_string(), column);
    }
}

#[test]
fn warnings_about_questions_are_events_of_the_live_display() {
    let session = Session::with_model(ARRAY);
    let run = session.run(&["check", "m.dve", "--invariant", "e < 9", "--live", "json"]).expect(0);
    let event = run.stderr.lines().find(|line| line.contains("\"diagnostic\"")).unwrap();
    assert!(event.contains("\"W0405\"") && event.contains("\"source\":\"--invariant\""), "{event}");
}

#[test]
fn warnings_about_measures_and_propositions_are_shown() {
    let session = Session::with_model(ARRAY);
    session.run(&["explore", "m.dve", "--measure", "(x, e)"]).expect(0).err("W0405").err("--measure:1:5");
    session.run(&["progress", "m.dve", "--judge", "(x, e)"]).expect(0).err("W0405").err("--judge:1:5");
    session
        .run(&["convert", "m.dve", "--to", "ss", "--proposition", "p=e == 0"])
        .expect(0)
        .err("W0405")
        .err("--proposition:1:1");
    session.run(&["convert", "m.dve", "--to", "hoa", "--ltl", "F e == 1"]).expect(0).err("--ltl:1:3");
    let graph = ["convert", "m.dve", "--to", "graph", "-o", "g", "--json", "g.json"];
    session.run(&[&graph[..], &["--measure", "e", "--proposition", "p=e == 0"]].concat()).expect(0);
    assert_eq!(session.json("g.json")["diagnostics"].as_array().unwrap().len(), 2);
}
