//! CTL and LTL formulas, with counterexamples and witnesses.

use crate::session::{COUNTER, Session};

/// Runs until it enters one of two traps: a cycle, or a deadlock.
const TRAPS: &str = "\
// progress: P.run * 0 + (P.round or P.back) * 1 + P.stop * 2
byte x;
process P {
    state run, round, back, stop;
    init run;
    trans run -> run { effect x = 1 - x; },
        run -> round { effect x = 5; },
        run -> stop { guard x == 1; effect x = 7; },
        round -> back { effect x = 6; },
        back -> round { effect x = 5; };
}
system async;
";

fn verdicts(arguments: &[&str], code: i32) -> String {
    Session::with_model(TRAPS).run(&[&["check", "m.dve", "-q"], arguments].concat()).expect(code).stdout
}

#[test]
fn the_four_forms_are_decided_by_sweeps_and_by_breadth() {
    for engine in ["sweep", "breadth"] {
        let ask = |formula: &str| {
            let arguments = ["--ctl", formula, "--engine", engine];
            let session = Session::with_model(TRAPS);
            let run = session.run(&[&["check", "m.dve", "--json", "run.json"], &arguments[..]].concat());
            let record = session.json("run.json");
            assert_eq!(record["properties"][0]["kind"], "ctl", "{}{}", run.stdout, run.stderr);
            (run.code, record["traces"][0]["kind"].as_str().unwrap_or("none").to_owned())
        };
        let answer = |code: i32, kind: &str| (code, kind.to_owned());
        assert_eq!(ask("EF x == 6"), answer(0, "finite"));
        assert_eq!(ask("EF x == 8"), answer(1, "none"));
        assert_eq!(ask("AG x < 8"), answer(0, "none"));
        assert_eq!(ask("AG x < 7"), answer(1, "finite"));
        assert_eq!(ask("AG EF x >= 5"), answer(0, "none"));
        assert_eq!(ask("AG EF x == 6"), answer(1, "component"));
        assert_eq!(ask("EF AG (x == 5 or x == 6)"), answer(0, "component"));
        assert_eq!(ask("EF AG x == 5"), answer(1, "none"));
        assert_eq!(ask("AGEF(P.stop)"), answer(1, "component"));
    }
}

#[test]
fn a_formula_is_printed_as_it_is_parsed() {
    let shown = verdicts(&["--ctl", "AG x < 5 or x < 9", "--ctl", "AGEF(x >= 5)", "--ctl", "EF P.stop"], 0);
    for name in ["AG (x < 5 or x < 9)", "AG EF (x >= 5)", "EF P.stop"] {
        assert!(shown.contains(&format!("holds     {name}")), "{shown}");
    }
}

#[test]
fn a_component_is_shown_with_the_trace_to_it() {
    let session = Session::with_model(TRAPS);
    let run = session.run(&["check", "m.dve", "--home", "P.stop", "--json", "run.json"]).expect(1);
    let run = run.out("Counterexample: `AG EF (P.stop)` is violated after 1 step (as found):\n");
    let run = run.out("    1  P: run -> round\n").out("violated  AG EF (P.stop) (after 1 step)\n");
    run.out(
        "Terminal SCC, 2 states; no run leaves it:\n\n    1    x = 5, P = round\n    2    x = 6, P = back\n",
    );
    let component = &session.json("run.json")["traces"][0]["component"];
    assert_eq!(component["size"], 2);
    assert_eq!(component["states"][1][0], serde_json::json!({"variable": "x", "value": "6"}));
    let run = session.run(&["check", "m.dve", "--ctl", "EF AG P.stop"]).expect(0);
    run.out("Witness: `EF AG P.stop` is shown after 2 steps").out("Terminal SCC, 1 state; no run leaves it:");
}

#[test]
fn several_questions_are_answered_together() {
    assert_eq!(
        verdicts(&["--home", "x >= 5", "--ctl", "EF P.stop", "--invariant", "x < 9"], 0),
        "holds     x < 9 (invariant)\nholds     EF P.stop (after 2 steps)\nholds     AG EF (x >= 5)\n"
    );
}

#[test]
fn an_unsound_combination_is_refused_with_advice() {
    let session = Session::with_model(TRAPS);
    session.run(&["check", "m.dve", "--home", "P.stop", "--engine", "depth"]).expect(2).err("has no layers");
    session.run(&["check", "m.dve", "--ctl", "EG P.run", "--engine", "partition"]).expect(2).err("E0017");
    let run = session.run(&["check", "m.dve", "--ltl", "F P.stop", "--engine", "partition"]).expect(2);
    run.err("error[E0017]").err("use the engine `sweep`");
    let run = session.run(&["check", "m.dve", "--ltl", "F P.stop", "--checkpoint", "saved"]).expect(2);
    run.err("cannot be saved").err("leave --checkpoint out");
}

#[test]
fn with_regress_edges_the_recorded_graph_decides() {
    let session = Session::with_model(TRAPS);
    let falling = ["check", "m.dve", "--home", "P.stop", "--measure", "x"];
    session.run(&falling).expect(1).out("violated  AG EF (P.stop) (after");
    session.run(&["check", "m.dve", "--ctl", "EF AG P.stop", "--measure", "x"]).expect(0);
    // Other properties are decided before the regress edge, or need their own search.
    let others =
        ["--ctl", "EF x == 0", "--ltl", "G x < 9", "--invariant", "x < 9", "--ctl", "EX EX P.run", "-q"];
    let run = session.run(&[&falling[..], &others].concat()).expect(1);
    let verdicts: Vec<&str> = run.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(verdicts.iter().filter(|word| **word == "holds").count(), 4, "{}", run.stdout);
    assert_eq!(verdicts.iter().filter(|word| **word == "violated").count(), 1, "{}", run.stdout);
    // --expect-monotone is answered, too.
    let run = session.run(&[&falling[..], &["--expect-monotone"]].concat()).expect(1);
    run.out("unknown   AG EF (P.stop): the measure is not monotone").out("violated  progress never falls");
}

#[test]
fn a_lasso_is_shown_saved_and_replayed_with_its_loop() {
    let session = Session::with_model(TRAPS);
    for engine in ["breadth", "depth", "sweep", "sweep-disk"] {
        let run = session
            .run(&["check", "m.dve", "--ltl", "F P.stop", "--engine", engine, "--trace-out", "t.json"])
            .expect(1);
        run.out("-- loop starts here\n").out("-- loop: back to step");
        let run = session.run(&["trace", "t.json"]).expect(0);
        run.out("-- loop starts here\n").out("-- loop: back to step");
    }
    session.run(&["check", "m.dve", "--ltl", "F P.stop", "--json", "run.json"]).expect(1);
    let trace = &session.json("run.json")["traces"][0];
    assert_eq!(trace["kind"], "lasso");
    assert!(trace["loop_start"].is_u64());
    // A finite run repeats its last state, unless only infinite runs count.
    let run = session.run(&["check", "m.dve", "--ltl", "G not P.stop", "--engine", "breadth"]).expect(1);
    run.out("-- loop: the last state repeats forever");
    session.run(&["check", "m.dve", "--ltl", "G not P.stop", "--dead-ends", "ignored"]).expect(0);
}

#[test]
fn fairness_excludes_runs_in_which_an_enabled_process_never_moves() {
    let session = Session::with_model(
        "byte x;\nprocess P { state on; init on; trans on -> on { effect x = 1 - x; }; }\n\
         process Q { state wait, done; init wait; trans wait -> done {}; }\n\
         process R { state wait, done; init wait; trans wait -> done { guard x == 1; }; }\n\
         system async;\n",
    );
    for engine in ["breadth", "depth", "sweep", "sweep-disk"] {
        let engine = ["check", "m.dve", "--engine", engine];
        session.run(&[&engine[..], &["--ltl", "F Q.done"]].concat()).expect(1);
        let fair = session.run(&[&engine[..], &["--ltl", "F Q.done", "--fairness"]].concat()).expect(0);
        fair.out("F Q.done (fair runs)");
        // R is enabled again and again, but never continuously: weak fairness does not force it to
        // move.
        session.run(&[&engine[..], &["--ltl", "F R.done", "--fairness"]].concat()).expect(1);
    }
    let refused = session.run(&["check", "m.dve", "--ctl", "AF Q.done", "--fairness"]).expect(2);
    refused.err("E0048");
}

#[test]
fn fair_transitions_of_a_net_restrict_runs() {
    let session = Session::with_model(TRAPS);
    let net = |fairness: &str| {
        format!(
            "PLACE a, b, c; MARKING a, c; TRANSITION round CONSUME c; PRODUCE c; \
             TRANSITION go {fairness} CONSUME a; PRODUCE b; FORMULA ALLPATH EVENTUALLY b = 1"
        )
    };
    for (fairness, exit) in [("", 1), ("WEAK FAIR", 0), ("STRONG FAIR", 0)] {
        session.write("n.lola", net(fairness));
        for engine in ["breadth", "depth", "sweep", "sweep-disk"] {
            session.run(&["check", "n.lola", "--engine", engine, "--ltl", "F b == 1"]).expect(exit);
        }
        // The task after the net is checked if nothing else is named.
        session.run(&["check", "n.lola"]).expect(exit).out("task");
    }
    let branching = session.run(&["check", "n.lola", "--ctl", "AF (b == 1 and EX b == 1)"]).expect(1);
    branching.err("W0050");
    session.run(&["check", "n.lola", "--ltl", "F b == 1", "--reduction", "stubborn"]).expect(2).err("E0049");
    session.write("n.lola", format!("{} AND", net("")));
    session.run(&["check", "n.lola"]).expect(2).err("n.lola:1");
    session.write("a.buechi", "buechi { s: TRUE => s } accept { s };");
    session.run(&["check", "m.dve", "--automaton", "a.buechi"]).expect(2).err("and the model is none");
}

#[test]
fn automata_of_other_tools_are_read() {
    let session = Session::with_model(TRAPS);
    session.write(
        "a.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"P.stop\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[!0] 0\n--END--\n",
    );
    session.run(&["check", "m.dve", "--automaton", "a.hoa"]).expect(1).out("no run of a.hoa");
    session.write("a.never", "never {\naccept_init:\n  do\n  :: (!(P.stop)) -> goto accept_init\n  od;\n}\n");
    session.run(&["check", "m.dve", "--automaton", "a.never"]).expect(1).out("violated");
    session.write(
        "r.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nacc-name: Rabin 1\nAcceptance: 2 Fin(0) & Inf(1)\n--BODY--\nState: 0\n[t] 0\n--END--\n",
    );
    session.run(&["check", "m.dve", "--automaton", "r.hoa"]).expect(2).err("error[E0307]").err("help: ");
    session.run(&["check", "m.dve", "--automaton", "missing.hoa"]).expect(2);
}

#[test]
fn mistakes_in_formulas_are_shown_with_their_position() {
    let session = Session::with_model(COUNTER);
    session.run(&["check", "m.dve", "--ctl", "EF y == 1"]).expect(2).err("error[E0201]").err("--ctl:1:4");
    session.run(&["check", "m.dve", "--ctl", "AF G x == 1"]).expect(2).err("error[E0223]").err("help: ");
    session.run(&["check", "m.dve", "--ltl", "G (y == 1"]).expect(2).err("--ltl:1:").err("help: ");
    let large: String = (0..40).map(|n| format!("(G F x == {n}) && ")).collect::<String>() + "true";
    session
        .run(&["check", "m.dve", "--ltl", &format!("!({large})")])
        .expect(2)
        .err("error[E0045]")
        .err("help: ");
    session.run(&["check", "m.dve", "--home", "zz"]).expect(2).err("--home:1:1").err("help: ");
    let run = session.run(&["check", "m.dve", "--home", "6 / (3 - x) < 9"]).expect(1);
    run.out("no run-time error").err("error[E0502]").err("--home:1:1");
}

#[test]
fn the_record_of_a_formula_has_the_graph() {
    let session = Session::with_model(TRAPS);
    let run = session.run(&["check", "m.dve", "--ctl", "AG EX true", "--json", "run.json"]);
    let graph = session.json("run.json")["search"]["graph"].clone();
    assert_eq!((&graph["nodes"], &graph["edges"]), (&5.into(), &7.into()), "{graph} {}", run.stderr);
    let number = |name: &str| graph[name].as_u64().unwrap();
    // Two words for each of 5 states; three bits for the action and three for the target of each of
    // 7 steps.
    assert_eq!(number("formula_bits"), 5 * 128 + 7 * (3 + 3));
    assert!(number("bits") < number("formula_bits") && number("passes") > 0);
    run.out("graph             5 states, 7 transitions in ");
    session.run(&["check", "m.dve", "--reach", "P.stop", "--json", "run.json"]).expect(0);
    assert!(session.json("run.json")["search"]["graph"].is_null());
}

#[test]
fn a_converted_automaton_reads_back_as_the_same_property() {
    let session = Session::new();
    let model = format!("{}/../../models/dve/reconnect.dve", env!("CARGO_MANIFEST_DIR"));
    for formula in [
        "F Client.done",
        "F G not Client.broken -> F Client.done",
        "G (Client.broken -> F Client.closed)",
        "G (packet != 1 imply X (packet == 0 || packet >= 1))",
        "(not Client.done) W packet > 0 /\\ Client.sending",
        "G F (Client.sending && packet % 2 == 1)",
        "G F (packet > 0 /\\ Client.sending)",
        "F G (packet == 0 imply false)",
        "G F ~Client.done",
        "true",
        "false",
        "packet == 0 U (G F Client.broken) \\/ F G Client.done",
    ] {
        session.run(&["convert", &model, "--to", "hoa", "--ltl", formula, "-o", "f.hoa"]).expect(0);
        let by_formula = session.run(&["check", &model, "--ltl", formula, "-q"]);
        let by_automaton = session.run(&["check", &model, "--automaton", "f.hoa", "-q"]);
        assert!([0, 1].contains(&by_formula.code), "{formula}: {}", by_formula.stderr);
        assert_eq!(
            by_automaton.code,
            by_formula.code,
            "{formula}: {}{}",
            session.read("f.hoa"),
            by_automaton.stderr
        );
    }
    let text = session.run(&["convert", &model, "--to", "hoa", "--ltl", "F Client.done"]).expect(0).stdout;
    assert!(text.starts_with("HOA: v1\nname: \"not (F Client.done)\"\n"), "{text}");
    assert!(text.contains("AP: 1 \"Client.done\"\n"), "{text}");
}

#[test]
fn options_without_meaning_for_an_automaton_are_refused() {
    let session = Session::with_model(COUNTER);
    let refused =
        |arguments: &[&str]| session.run(&[&["convert", "m.dve", "--to"], arguments].concat()).expect(2);
    refused(&["hoa"]).err("--ltl FORMULA");
    refused(&["ss", "--ltl", "F x == 1"]).err("--ltl is for --to hoa");
    refused(&["hoa", "--ltl", "F x == 1", "--measure", "x"]).err("drop them");
    refused(&["hoa", "--ltl", "F x == 1", "--json", "j"]).err("--json is for --to graph");
    refused(&["hoa", "--ltl", "F y == 1"]).err("error[E0201]").err("--ltl:1:3");
}
