//! Simulated and saved traces: repeatable, replayable, and refused if they are no runs of the
//! model.

use crate::session::{BROKEN_LOCK, COUNTER, OVERRUN, Session};

#[test]
fn the_same_seed_gives_the_same_simulation() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = |seed: &str| {
        session.run(&["simulate", "m.dve", "--random", "--seed", seed, "--steps", "40"]).expect(0).stdout
    };
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
    assert!(run("7").contains("\n   40  "), "{}", run("7"));
    let default = session.run(&["simulate", "m.dve", "--random", "--steps", "40"]).expect(0).stdout;
    assert_eq!(default, run("0"));
}

#[test]
fn a_simulation_reports_how_it_ends() {
    let session = Session::with_model(COUNTER);
    session
        .run(&["simulate", "m.dve", "--random"])
        .expect(0)
        .out("deadlock after 9 steps: no action is enabled\n");
    let session = Session::with_model(OVERRUN);
    session
        .run(&["simulate", "m.dve", "--random"])
        .expect(1)
        .out("run-time error after 2 steps: in `P: s -> s`: index 2");
}

#[test]
fn the_prompt_works_with_a_pipe() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = session.run_with_input(&["simulate", "m.dve"], "2\n1\ns\nb\nwhat\n?\nr 3\nq\n").expect(0);
    let run = run.out("  (1)  P: away -> take\n  (2)  Q: away -> take\n> 2\n    1  Q: away -> take\n");
    let run = run
        .out("locked = 0, inside = 0, P = take, Q = take")
        .out("back after 1 step\n")
        .out("expected 1 to 2");
    let run = run.out("take a random step").out("\n    4  ");
    assert!(run.stdout.ends_with("> q\n"), "{}", run.stdout);
    session.run_with_input(&["simulate", "m.dve"], "").expect(0);
    let session = Session::with_model(OVERRUN);
    let run = session.run_with_input(&["simulate", "m.dve"], "1\n1\n1\n").expect(0);
    run.out("(1)  P: s -> s  (run-time error: index 2").out("run-time error after 2 steps");
}

#[test]
fn a_simulation_can_be_saved_and_shown() {
    let session = Session::with_model(BROKEN_LOCK);
    session.run(&["simulate", "m.dve", "--random", "--steps", "5", "--trace-out", "t.json"]).expect(0);
    session.run(&["trace", "t.json"]).expect(0).out("5 steps of `m.dve`, replayed:");
    let run = session.run(&["simulate", "m.dve", "--random", "--steps", "5", "--trace-out", "-"]).expect(0);
    assert_eq!(run.stdout, session.read("t.json"));
}

#[test]
fn a_saved_counterexample_is_shown_as_before() {
    let session = Session::with_model(BROKEN_LOCK);
    let check = session.run(&["check", "m.dve", "--trace-out", "t.json"]).expect(1);
    let saved = session.json("t.json");
    assert_eq!(saved["format"], "sweepline-trace/1");
    assert_eq!((&saved["model"], &saved["property"]), (&"m.dve".into(), &"assert P.critical".into()));
    assert_eq!(saved["actions"].as_array().unwrap().len(), 4);
    assert_eq!(saved["actions"][0]["name"], "P: away -> take");
    assert!(saved["actions"][0]["action"].is_number());
    let shown = session.run(&["trace", "t.json"]).expect(0).stdout;
    let (heading, trace) = shown.split_once("\n\n").unwrap();
    assert_eq!(heading, "4 steps of `m.dve` for `assert P.critical`, replayed:");
    assert!(check.stdout.contains(trace), "{trace}\nis not in\n{}", check.stdout);
    session.run(&["trace", "t.json", "--view", "actions"]).expect(0).out("    4  Q: take -> critical\n");
    session.run(&["trace", "t.json", "--view", "full"]).expect(0).out("inside = 2");
}

#[test]
fn a_counterexample_is_saved_rather_than_a_witness() {
    let session = Session::with_model(BROKEN_LOCK);
    let arguments =
        ["check", "m.dve", "--reach", "P.take", "--invariant", "inside < 2", "--trace-out", "t.json"];
    session.run(&arguments).expect(1).err("warning[W0026]");
    assert_eq!(session.json("t.json")["property"], "inside < 2");
    session.run(&["check", "m.dve", "--reach", "P.take", "--trace-out", "t.json"]).expect(0);
    assert_eq!(session.json("t.json")["property"], "P.take");
}

#[test]
fn without_a_trace_no_file_is_written() {
    let session = Session::with_model(BROKEN_LOCK);
    session.run(&["check", "m.dve", "--deadlock", "--trace-out", "t.json"]).expect(0).err("warning[W0027]");
    assert_eq!(session.files(), ["m.dve"]);
}

#[test]
fn a_trace_can_go_through_a_pipe() {
    let session = Session::with_model(COUNTER);
    let trace =
        session.run(&["check", "m.dve", "--trace-out", "-"]).expect(1).err("violated  no deadlock").stdout;
    session.run_with_input(&["trace", "-"], &trace).expect(0).out("9 steps of `m.dve` for `no deadlock`");
}

#[test]
fn the_model_is_found_in_the_folder_of_the_trace() {
    let session = Session::with_model(COUNTER);
    std::fs::create_dir(session.path("kept")).unwrap();
    session.run(&["check", "m.dve", "--trace-out", "kept/t.json"]).expect(1);
    std::fs::rename(session.path("m.dve"), session.path("kept/m.dve")).unwrap();
    session.run(&["trace", "kept/t.json"]).expect(0);
    std::fs::rename(session.path("kept/m.dve"), session.path("elsewhere.dve")).unwrap();
    session.run(&["trace", "kept/t.json"]).expect(2).err("error[E0001]");
    session.run(&["trace", "kept/t.json", "--model", "elsewhere.dve"]).expect(0);
}

#[test]
fn a_trace_of_a_changed_model_is_refused() {
    let session = Session::with_model(COUNTER);
    session.run(&["check", "m.dve", "--trace-out", "t.json"]).expect(1);
    session.write("m.dve", COUNTER.replace("x < 9", "x < 5"));
    session.run(&["trace", "t.json"]).expect(2).err("error[E0012]").err("step 6: `P: s -> s` is not enabled");
    session.write("m.dve", COUNTER.replace("x + 1", "x + 2").replace("x < 9", "x < 90"));
    session
        .run(&["trace", "t.json"])
        .expect(2)
        .err("error[E0012]")
        .err("step 1: `P: s -> s` does not change");
    session.write("m.dve", BROKEN_LOCK);
    session.run(&["trace", "t.json"]).expect(2).err("the action was `P: s -> s`, and is `P: away -> take`");
}

#[test]
fn a_file_that_is_not_a_trace_is_refused() {
    let session = Session::with_model(COUNTER);
    session.run(&["trace", "m.dve"]).expect(2).err("error[E0011]").err("--trace-out");
    session.run(&["check", "m.dve", "--json", "run.json"]).expect(1);
    session.run(&["trace", "run.json"]).expect(2).err("is a `sweepline-run/1` file");
    session.run(&["trace", "."]).expect(2).err("error[E0002]");
    session.run(&["trace", "t.json"]).expect(2).err("error[E0001]");
    session.run(&["check", "m.dve", "--trace-out", "t.json"]).expect(1);
    let text = session.read("t.json");
    for cut in (0..text.len() - 2).step_by(97) {
        session.write("cut.json", &text[..cut]);
        session.run(&["trace", "cut.json"]).expect(2).err("error[E0011]");
    }
    session.write("deep.json", "[".repeat(200_000));
    session.run(&["trace", "deep.json"]).expect(2).err("error[E0011]");
}

#[test]
fn a_trace_keeps_the_component_that_it_leads_to() {
    let session = Session::new();
    session.write("m.ss", "a 0 1 p x b y c\nb 1 1 !p z c\nc 1 1 !p * b\n");
    session.run(&["check", "m.ss", "--home", "p", "--trace-out", "t.json"]).expect(1);
    let run = session.run(&["trace", "t.json"]).expect(0).out("1 step of `m.ss` for `AG EF (p)`, replayed:");
    let run = run.out("As saved, not replayed: Terminal SCC, 2 states; no run leaves it:");
    assert!(run.stdout.contains("space = b") && run.stdout.contains("space = c"), "{}", run.stdout);
}

#[test]
fn the_model_of_a_trace_may_have_come_from_stdin() {
    let session = Session::with_model(COUNTER);
    session.run_with_input(&["check", "-", "--trace-out", "t.json"], COUNTER).expect(1);
    session.run(&["trace", "t.json"]).expect(2).err("error[E0036]").err("--model");
    session.run(&["trace", "t.json", "--model", "m.dve"]).expect(0);
}

#[test]
fn terminal_states_are_listed_even_with_quiet() {
    let session = Session::with_model(COUNTER);
    session
        .run(&["explore", "m.dve", "-q", "--terminal-states"])
        .expect(0)
        .out("1 terminal state:")
        .out("x = 9");
}

#[test]
fn a_trace_is_written_for_other_tools() {
    let session = Session::with_model(BROKEN_LOCK);
    session.run(&["check", "m.dve", "--trace-out", "t.json"]).expect(1);
    session.run(&["trace", "t.json", "--to", "itf", "-o", "t.itf.json"]).expect(0);
    let itf = session.json("t.itf.json");
    assert_eq!(itf["vars"], serde_json::json!(["locked", "inside", "P", "Q"]));
    let states = itf["states"].as_array().unwrap();
    assert_eq!((states.len(), &states[4]["inside"], &states[4]["Q"]), (5, &2.into(), &"critical".into()));
    assert_eq!(states[4]["#meta"], serde_json::json!({"index": 4, "action": "Q: take -> critical"}));
    assert!(itf.get("loop").is_none() && itf["#meta"]["description"] == "a trace for `assert P.critical`");
    let run = session.run(&["trace", "t.json", "--to", "itf"]).expect(0);
    assert_eq!(run.stdout, session.read("t.itf.json"));
    session.run(&["trace", "t.json", "-o", "x"]).expect(2).err("--to");
    session.run(&["trace", "t.json", "--to", "itf", "--view", "full"]).expect(2);
    session.run(&["trace", "t.json", "--to", "itf", "-o", "none/x"]).expect(2).err("error[E0007]");
    for same in ["t.json", "m.dve"] {
        let before = session.read(same);
        session.run(&["trace", "t.json", "--to", "itf", "-o", same]).expect(2).err("would overwrite");
        assert_eq!(session.read(same), before);
    }
}

#[test]
fn a_lasso_keeps_its_loop_in_other_formats() {
    let session = Session::with_model(BROKEN_LOCK);
    session.run(&["check", "m.dve", "--ltl", "F Q.critical", "--trace-out", "t.json"]).expect(1);
    let start = session.json("t.json")["loop_start"].clone();
    let run = session.run(&["trace", "t.json", "--to", "itf"]).expect(0);
    let itf: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(start.is_number() && itf["loop"] == start, "{itf}");
    assert!(itf["states"].as_array().unwrap().len() > start.as_u64().unwrap() as usize);
}
