//! What a run prints besides its answers: events for programs, warnings, and the files it wrote.

use serde_json::Value;

use crate::session::{COUNTER, ENDLESS, Run, Session};

/// The events on stderr, which has nothing else.
#[track_caller]
fn events(run: &Run) -> Vec<Value> {
    run.stderr.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn phases_and_the_end_are_events() {
    let session = Session::with_model(COUNTER);
    let run = ["check", "m.dve", "--measure", "x", "--invariant", "x < 10", "--live", "json", "--json", "-"];
    let run = session.run(&run).expect(0);
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["exit_code"], 0);
    let events = events(&run);
    assert_eq!((&events[0]["event"], &events[0]["phase"]), (&"phase".into(), &"sweeping by x".into()));
    let end = events.last().unwrap();
    assert_eq!((&end["event"], &end["exit_code"], &end["stopped"]), (&"end".into(), &0.into(), &Value::Null));
}

#[test]
fn progress_and_the_reason_of_the_end_are_events() {
    let session =
        Session::with_model(&ENDLESS.replace("effect a = (a + 1) % 30000", "guard a < 2; effect a = a + 1"));
    let run = [
        "explore",
        "m.dve",
        "--measure",
        "a",
        "--live",
        "json",
        "--time-limit",
        "2500ms",
        "--json",
        "r.json",
    ];
    let run = session.run(&run).expect(3);
    let events = events(&run);
    let moment = events.iter().find(|event| event["event"] == "progress").expect("a second has passed");
    assert!(moment["explored"].as_u64().unwrap() > 0 && moment["sweep"] == 1, "{moment}");
    assert!(moment["share"].as_f64().unwrap() < 1.0, "{moment}");
    assert!(events.iter().any(|event| event["event"] == "diagnostic" && event["code"] == "W0022"));
    let end = events.last().unwrap();
    assert_eq!(end["stopped"], "the time limit is reached");
    assert_eq!(end["files"][0]["path"], "r.json");
}

#[test]
fn bad_input_is_an_event_too() {
    let session = Session::with_model("byte x; process P { state s; init t; } system async;");
    let events = events(&session.run(&["check", "m.dve", "--live", "json"]).expect(2));
    assert_eq!((&events[0]["event"], &events[0]["code"]), (&"diagnostic".into(), &"E0203".into()));
}

#[test]
fn files_that_were_written_are_named_at_the_end() {
    let session = Session::with_model(COUNTER);
    let run = ["check", "m.dve", "--json", "run.json", "--html", "run.html", "--trace-out", "t.json"];
    let run = session.run(&run).expect(1);
    let last = run.stdout.lines().last().unwrap();
    assert_eq!(last, "written           t.json (trace), run.json (run record), run.html (page)");
    // A file that exists already keeps the name on the command line.
    let again = session.run(&["check", "m.dve", "--json", "run.json"]).expect(1);
    assert!(again.stdout.ends_with("\nwritten           run.json (run record)\n"), "{}", again.stdout);
}

#[test]
fn properties_that_hold_vacuously_get_a_warning() {
    let session = Session::with_model(COUNTER);
    let check = |question: &[&str]| session.run(&[&["check", "m.dve", "-q"], question].concat());
    for question in [
        ["--ltl", "G (x == 12 -> F x == 3)"],
        ["--ctl", "AG (x == 12 -> AF x == 3)"],
        ["--invariant", "x == 12 imply x == 3"],
        ["--invariant", "not (x == 12) or x == 3"],
    ] {
        check(&question)
            .expect(0)
            .err("warning[W0052]")
            .err("holds vacuously: its premise `x == 12` is unreachable");
    }
    check(&["--invariant", "x >= 0"]).expect(0).err("W0052").err("the types of its variables imply it");
    for question in [
        ["--ltl", "G (x == 3 -> F x == 9)"],
        ["--ctl", "AG (x == 3 -> AF x == 9)"],
        ["--invariant", "x == 3 imply x < 5"],
        ["--invariant", "x < 10"],
        ["--reach", "x == 9"],
    ] {
        assert_eq!(check(&question).expect(0).stderr, "", "{question:?}");
    }
    // A proved bound of a place is not a declared type.
    let net = format!("{}/../../models/petri/store.lola", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(session.run(&["check", &net, "-q", "--invariant", "parts <= 3"]).expect(0).stderr, "");
    // A violated property is not vacuous.
    assert_eq!(check(&["--invariant", "x == 3 imply x > 5"]).expect(1).stderr, "");
}

#[test]
fn man_pages_are_printed() {
    let session = Session::new();
    session.run(&["man", "check"]).expect(0).out(".TH sweepline-check 1").out("\\-\\-invariant");
    session.run(&["man"]).expect(0).out(".TH sweepline 1");
    session.run(&["man", "dance"]).expect(2).err("there is no such command");
}
