//! Sweeps: measures, windows, regress edges, and the summary.

use crate::session::{COUNTER, Session};
use serde_json::Value;

/// Counts to nine, starts again at most twice, and ends.
const ROUNDS: &str = "\
// progress: x
byte x, round;
process P {
    state run, done;
    init run;
    trans run -> run { guard x < 9; effect x = x + 1; },
        run -> run { guard x == 9 and round < 2; effect x = 0, round = round + 1; },
        run -> done { guard x == 9 and round == 2; };
}
system async;
";

/// Two paths to six: a short one with early progress, a long one with late progress.
const DETOUR: &str = "\
// progress: late
byte at, late;
process P {
    state s;
    init s;
    trans s -> s { guard at == 0; effect at = 6, late = 1; },
        s -> s { guard at < 5; effect at = at + 1; },
        s -> s { guard at == 5; effect at = 6; };
}
system async;
";

fn model(name: &str) -> String {
    format!("{}/../../models/dve/{name}.dve", env!("CARGO_MANIFEST_DIR"))
}

/// The record of a run that ends with this code.
#[track_caller]
fn record(session: &Session, arguments: &[&str], code: i32) -> Value {
    session.run(&[arguments, &["--json", "run.json"]].concat()).expect(code);
    session.json("run.json")
}

#[test]
fn the_command_line_overrides_a_declared_measure() {
    let session = Session::with_model(ROUNDS);
    let plan = |arguments: &[&str]| {
        let plan = record(&session, &[&["explore", "m.dve"], arguments].concat(), 0)["plan"].clone();
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        (text(&plan["engine"]), text(&plan["measure"]["expression"]), text(&plan["measure"]["origin"]))
    };
    let plan = |arguments: &[&str]| {
        let (engine, expression, origin) = plan(arguments);
        format!("{engine} {expression} {origin}")
    };
    assert_eq!(plan(&[]), "sweep x user");
    assert_eq!(plan(&["--measure", "auto"]), "sweep x user");
    assert_eq!(plan(&["--engine", "sweep"]), "sweep x user");
    assert_eq!(plan(&["--measure", "(round, x)"]), "sweep (round, x) user");
    assert_eq!(plan(&["--measure", "(round, P)", "--engine", "sweep"]), "sweep (round, P) user");
    assert_eq!(plan(&["--measure", "-x"]), "sweep -x user");
    assert_eq!(plan(&["--measure", "none"]), "breadth - none");
    assert_eq!(plan(&["--engine", "breadth"]), "breadth - none");
    assert_eq!(plan(&["--engine", "depth"]), "depth - none");
    let session = Session::with_model(COUNTER);
    assert_eq!(record(&session, &["explore", "m.dve", "--measure", "auto"], 0)["plan"]["engine"], "breadth");
}

#[test]
fn monotonicity_is_known_after_a_regress_edge_or_a_complete_search() {
    let session = Session::with_model(ROUNDS);
    let monotone = |arguments: &[&str], code| {
        record(&session, &[&["explore", "m.dve"], arguments].concat(), code)["plan"]["measure"]["monotone"]
            .clone()
    };
    assert_eq!(monotone(&["--measure", "(round, x)"], 0), true);
    assert_eq!(monotone(&["--measure", "x"], 0), false);
    assert_eq!(monotone(&["--measure", "x", "--state-limit", "3"], 3), Value::Null);
    assert_eq!(monotone(&["--measure", "none"], 0), true);
}

#[test]
fn a_bad_measure_is_shown_with_its_position_and_advice() {
    let session = Session::with_model(
        "int a, b; byte i; byte v[3];\nprocess P { state s; init s; trans s -> s { effect a = a + 1, b = b - 1, i = i + 1; }; }\nsystem async;\n",
    );
    let refused = |measure: &str, code: &str| {
        let run = session.run(&["check", "m.dve", "--measure", measure]).expect(2);
        assert_eq!(run.stderr.matches("error[").count(), 1, "{}", run.stderr);
        run.err(&format!("error[{code}]")).err("help: ")
    };
    refused("(a, zz)", "E0201").err("--measure:1:5");
    refused("a +", "E0105").err("--measure:1:4");
    refused("(i, v[i])", "E0018")
        .err("--measure:1:5")
        .err("the index into `v` may be anything from 0 to 255");
    refused("a / i", "E0018").err("the divisor may be anything");
    refused("(a, b, a, b)", "E0018").err("needs 64 bits").err("--measure:1:1");
    session.run(&["check", "m.dve", "--measure", ""]).expect(2);
    let run = session.run(&["check", "m.dve", "--measure", "zz", "--invariant", "yy"]).expect(2);
    run.err("--measure:1:1").err("--invariant:1:1");
    // A declared measure is shown in the model file.
    session.write("d.dve", format!("// progress: (i, v[i])\n{}", session.read("m.dve")));
    session.run(&["explore", "d.dve"]).expect(2).err("error[E0018]").err("d.dve:1:18");
    session.run(&["explore", "d.dve", "--measure", "none", "--state-limit", "100"]).expect(3);
}

#[test]
fn a_sweep_without_a_measure_is_refused_and_so_are_contradictions() {
    let session = Session::with_model(COUNTER);
    for options in [
        &["--engine", "sweep", "--measure", "none"][..],
        &["--expect-monotone"],
        &["--expect-monotone", "--measure", "auto"],
        &["--unpinned"],
        &["--window", "3"],
    ] {
        let run = session.run(&[&["check", "m.dve"], options].concat()).expect(2);
        run.err("error[E0019]").err("--measure EXPR").err("// progress: EXPR");
    }
    for engine in ["breadth", "depth"] {
        for options in [
            &["--measure", "x"][..],
            &["--measure", "auto"],
            &["--expect-monotone"],
            &["--unpinned"],
            &["--window", "3"],
        ] {
            let run = session.run(&[&["explore", "m.dve", "--engine", engine], options].concat()).expect(2);
            assert!(run.stderr.starts_with("error: --"), "{}", run.stderr);
        }
        session.run(&["explore", "m.dve", "-q", "--engine", engine, "--measure", "none"]).expect(0);
    }
}

#[test]
fn the_summary_of_a_sweep_has_the_peak_and_the_saving() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["explore", "m.dve", "--measure", "x", "-v"]).expect(0);
    let run = run.out("search            sweep by x, compiled: complete\n").out("states explored   10\n");
    let run = run.out("distinct states   10\n").out("largest layer     1\n").out("layers            10\n");
    let run =
        run.out("sweeps            1\n").out("transitions       9: 9 forward, 0 stationary, 0 regress\n");
    let run = run.out("states stored     3 at most: 1 current, 1 future, 1 persistent\n");
    run.out("memory saved      70 %: at most 3 of 10 explored states in memory\n")
        .out("persistent        1\n");
    let run = session.run(&["explore", "m.dve", "--measure", "x", "-q"]).expect(0);
    assert_eq!(run.stdout, "10 states, 9 transitions, 3 states stored at most\n");
    let run = session.run(&["explore", "m.dve", "--measure", "9 - x", "-q"]).expect(0);
    assert_eq!(run.stdout, "10 states explored in 10 sweeps, 9 transitions, 10 states stored at most\n");
}

#[test]
fn a_window_keeps_layers_behind_the_front() {
    let session = Session::with_model(
        "byte x, y;\n\
         process P { state s; init s; trans s -> s { effect x = (x + 1) % 9; }; }\n\
         process Q { state s; init s; trans s -> s { effect y = (y + 1) % 9; }; }\n\
         system async;\n",
    );
    let ask = |options: &[&str]| record(&session, &[&["explore", "m.dve"], options].concat(), 0);
    let plain = ask(&["--measure", "x + y"]);
    assert!(plain["search"]["states"]["explored"].as_u64().unwrap() > 81);
    assert_eq!(plain["plan"]["measure"]["window"], Value::Null);
    let window = ask(&["--measure", "x + y", "--window", "8"]);
    assert_eq!(window["search"]["states"]["explored"], 81);
    assert_eq!(window["search"]["states"]["distinct"], 81);
    assert_eq!((&window["search"]["sweeps"], &window["search"]["layers"]), (&1.into(), &17.into()));
    assert_eq!(window["search"]["states"]["persistent"], 1);
    assert_eq!(window["plan"]["measure"]["window"], serde_json::json!({"component": 1, "reach": 8}));
    let tuple = ask(&["--measure", "(x / 9, x + y)", "--window", "2:8"]);
    assert_eq!(tuple["search"]["states"]["explored"], 81);
    assert_eq!(tuple["plan"]["measure"]["window"], serde_json::json!({"component": 2, "reach": 8}));
    let run = session.run(&["explore", "m.dve", "--measure", "x + y", "--window", "8"]).expect(0);
    run.out("search            sweep by x + y, window 8, compiled: complete\n");
    // Traces contain regress edges as the search does, and do not claim to be shortest.
    let options = ["--measure", "x + y", "--window", "8", "--reach", "x == 8 and y == 8"];
    let run = session.run(&[&["check", "m.dve"], &options[..]].concat()).expect(0);
    run.out("Witness: `x == 8 and y == 8` is true after 16 steps (as found):");
    // Temporal-logic formulas ignore the window.
    let options = ["--measure", "x + y", "--window", "8", "--ltl", "G F (x == 0)", "--fairness"];
    session.run(&[&["check", "m.dve"], &options[..]].concat()).expect(0);
    for (options, help) in [
        (&["--measure", "x + y", "--window", "2:8"][..], "the measure has no component 2"),
        (&["--measure", "[x, y]", "--window", "8"], "that are totally ordered"),
    ] {
        let run = session.run(&[&["explore", "m.dve"], options].concat()).expect(2);
        run.err("error[E0053]").err(help);
    }
    for wrong in ["", "x", "0:3", "1:", ":3", "-3"] {
        let option = format!("--window={wrong}");
        session.run(&["explore", "m.dve", "--measure", "x", &option]).expect(2).err("like 17");
    }
}

#[test]
fn two_phase_commit_has_the_counts_of_the_survey() {
    let session = Session::new();
    let path = model("two_phase_commit_survey");
    let run = record(&session, &["explore", &path, "--unpinned"], 0);
    let search = &run["search"];
    assert_eq!(search["states"]["distinct"], Value::Null, "two sweeps cannot know it");
    assert_eq!(search["states"]["explored"], 38, "every one of the 19 states twice");
    assert_eq!((&search["sweeps"], &search["layers"]), (&2.into(), &6.into()));
    // The 13 of the survey, and the initial state, which is persistent in the second sweep.
    assert_eq!(search["states"]["peak_stored"], 14);
    assert_eq!(search["states"]["peak"], serde_json::json!({"current": 9, "future": 4, "persistent": 1}));
    assert_eq!(search["transitions"]["regress"], 8);
    assert_eq!(run["plan"]["measure"]["monotone"], false);
    let pinned = record(&session, &["explore", &path], 0);
    assert_eq!(pinned["search"]["states"]["explored"], 19);
    assert_eq!(pinned["search"]["states"]["distinct"], 19);
    assert_eq!(pinned["search"]["sweeps"], 1);
    let breadth = record(&session, &["explore", &path, "--engine", "breadth"], 0);
    assert_eq!(breadth["search"]["states"]["distinct"], 19);
}

#[test]
fn states_grow_with_the_packets_and_memory_does_not() {
    let session = Session::new();
    let path = model("stop_and_wait_ages");
    let runs: Vec<Value> = [20, 200, 2000, 20_000]
        .iter()
        .map(|packets| record(&session, &["explore", &path, "-D", &format!("PACKETS={packets}")], 0))
        .collect();
    let explored = |run: &Value| run["search"]["states"]["explored"].as_u64().unwrap();
    assert_eq!(runs.iter().map(explored).collect::<Vec<_>>(), [2796, 28_716, 287_916, 2_879_916]);
    for run in &runs {
        assert_eq!(run["search"]["states"]["distinct"], run["search"]["states"]["explored"]);
        assert_eq!(run["search"]["states"]["peak_stored"], 96);
        assert_eq!(run["plan"]["measure"]["monotone"], true);
    }
    let memory = |run: &Value| run["resources"]["peak_rss_bytes"].as_u64();
    if let Some(least) = memory(&runs[0]) {
        for run in &runs {
            let more = memory(run).unwrap().saturating_sub(least);
            assert!(more < 2 << 20, "{more} bytes more than with 20 packets");
        }
    }
    let thousand = record(&session, &["explore", &path, "-D", "PACKETS=1000"], 0);
    assert!(100 * 96 < explored(&thousand), "less than one per cent is ever in memory");
}

#[test]
fn an_unexpected_regress_edge_is_shown_with_its_trace_and_both_values() {
    let session = Session::with_model(ROUNDS);
    let run = session.run(&["check", "m.dve", "--expect-monotone", "--invariant", "x != 4"]).expect(1);
    let run =
        run.out("Counterexample: progress decreases after 10 steps (as found): `P: run -> run` leads from progress 9 to 0:\n");
    let run = run.out("   10  P: run -> run\n         x: 9 -> 0, round: 0 -> 1\n");
    let run = run
        .out("violated  progress never falls (after 10 steps): `P: run -> run` leads from progress 9 to 0");
    // Violations found before it are still reported.
    run.out("violated  x != 4 (invariant, after 4 steps)\n").out("compiled: stopped when progress decreased");
    let run = record(&session, &["explore", "m.dve", "--measure", "(round / 2, x)", "--expect-monotone"], 1);
    let property = &run["properties"][0];
    assert_eq!((&property["name"], &property["kind"]), (&"progress never falls".into(), &"safety".into()));
    assert!(property["reason"].as_str().unwrap().ends_with("leads from progress (0, 9) to (0, 0)"));
    assert_eq!(run["traces"][0]["steps"].as_array().unwrap().len(), 10);
    assert_eq!(run["plan"]["measure"]["monotone"], false);
    assert_eq!(run["search"]["complete"], false);
}

#[test]
fn monotonicity_holds_only_after_a_complete_search() {
    let session = Session::with_model(ROUNDS);
    let monotone = ["--measure", "(round, x)", "--expect-monotone"];
    let check =
        |arguments: &[&str]| session.run(&[&["check", "m.dve", "-q"], &monotone[..], arguments].concat());
    check(&["--no-deadlock"]).expect(0).out("holds     progress never falls\n");
    // The search continues although the other property is decided in the initial state.
    check(&["--reach", "x == 0"]).expect(0).out("holds     progress never falls\n");
    check(&["--no-deadlock", "--state-limit", "5"])
        .expect(3)
        .out("unknown   progress never falls: the limit of 5");
    let explored = session.run(&[&["explore", "m.dve"], &monotone[..]].concat()).expect(0);
    explored.out("holds     progress never falls\n").out("complete");
}

#[test]
fn every_trace_says_whether_it_is_shortest() {
    let session = Session::with_model(DETOUR);
    let reach = |arguments: &[&str]| {
        let run = [&["check", "m.dve", "--reach", "at == 6", "--json", "run.json"], arguments].concat();
        let text = session.run(&run).expect(0).stdout;
        let length = session.json("run.json")["traces"][0]["length"].as_str().unwrap().to_owned();
        (text.split_once("\n\n").unwrap().0.to_owned(), length)
    };
    let (heading, length) = reach(&[]);
    let expected = "Witness: `at == 6` is true after 6 steps (shortest subject to progress):\n\
        (fewest regress edges, then least progress, then fewest steps in its layer; --shortest searches for a shorter one)";
    assert_eq!((heading.as_str(), length.as_str()), (expected, "subject-to-progress"));
    let shortest = ("Witness: `at == 6` is true after 1 step (shortest):".to_owned(), "shortest".to_owned());
    assert_eq!(reach(&["--shortest"]), shortest);
    assert_eq!(reach(&["--engine", "breadth"]), shortest);
    assert_eq!(reach(&["--engine", "depth", "--shortest"]), shortest);
    assert!(reach(&["--engine", "depth"]).0.ends_with(" (as found):"));
    // The first search finds the deadlock in layer 0 after six steps; the second finds a shorter
    // trace.
    let run = session.run(&["check", "m.dve", "--deadlock", "--shortest"]).expect(1);
    run.out("Counterexample: no action is enabled after 1 step (shortest)");
}

#[test]
fn a_second_search_that_reaches_a_limit_gets_a_warning() {
    // Layer 0 has a narrow path to the goal; layer 1 has many states, which only the second search
    // visits.
    let session = Session::with_model(
        "// progress: wide\nbyte at, a, b, wide;\nprocess P { state s; init s;\n\
         trans s -> s { guard wide == 0 and at < 100; effect at = at + 1; },\n\
         s -> s { guard at == 0; effect wide = 1; },\n\
         s -> s { guard wide == 1 and a < 200; effect a = a + 1; },\n\
         s -> s { guard wide == 1 and b < 200; effect b = b + 1; }; }\nsystem async;\n",
    );
    let check = ["check", "m.dve", "--trace-view", "actions", "--reach", "at == 100", "--shortest"];
    let run = session.run(&[&check[..], &["--state-limit", "500"]].concat()).expect(0);
    run.out("after 100 steps (shortest subject to progress)")
        .err("warning[W0028]")
        .err("raise --state-limit");
    let run = session.run(&check).expect(0).out("Witness: `at == 100` is true after 100 steps (shortest):\n");
    assert_eq!(run.stderr, "");
}

#[test]
fn terminal_states_are_listed_on_request() {
    let session = Session::with_model(ROUNDS);
    let expected = "1 terminal state:\n\n    1    x = 9, round = 2, P = done\n\n";
    for engine in ["sweep", "sweep-disk", "breadth", "depth", "partition"] {
        for command in [&["explore"][..], &["check", "--invariant", "x < 0"]] {
            let arguments = ["m.dve", "--terminal-states", "--engine", engine, "--json", "run.json"];
            let run = session.run(&[command, &arguments].concat());
            assert!(run.stdout.contains(expected), "{}{}", run.stdout, run.stderr);
            let listed = &session.json("run.json")["search"]["terminal_states"];
            let expected = serde_json::json!({"variables": ["x", "round", "P"], "states": [[9, 2, "done"]]});
            assert_eq!(*listed, expected);
        }
    }
    assert_eq!(record(&session, &["explore", "m.dve"], 0)["search"]["terminal_states"], Value::Null);
    session.write("loop.dve", "process P { state s; init s; trans s -> s {}; } system async;");
    session.run(&["explore", "loop.dve", "--terminal-states"]).expect(0).out("No terminal state.\n");
}

#[test]
fn only_the_first_of_many_terminal_states_are_shown() {
    let session = Session::with_model(
        "byte x; process P { state s, t; init s; trans s -> s { guard x < 30; effect x = x + 1; }, s -> t {}; } system async;",
    );
    let run = session.run(&["explore", "m.dve", "--terminal-states"]).expect(0);
    let run = run.out("31 terminal states:").out("   20    x = 19, P = t\n  ...    11 more; -v lists them\n");
    assert!(!run.stdout.contains("x = 25"));
    session.run(&["explore", "m.dve", "--terminal-states", "-v"]).expect(0).out("   31    x = 30, P = t\n");
    assert_eq!(
        record(&session, &["explore", "m.dve", "--terminal-states"], 0)["search"]["terminal_states"]["states"]
            .as_array()
            .unwrap()
            .len(),
        31
    );
}

#[test]
fn a_bad_declared_measure_is_an_error_only_for_a_sweep() {
    for comment in ["// progress: x +", "// progress: zz", "// progress: x\n// progress: round"] {
        let session = Session::with_model(&ROUNDS.replace("// progress: x", comment));
        let run = session.run(&["explore", "m.dve"]).expect(2);
        run.err("is read as a measure; --measure none ignores it").err("m.dve:");
        session.run(&["explore", "m.dve", "--engine", "sweep"]).expect(2);
        session.run(&["explore", "m.dve", "--measure", "none"]).expect(0);
        session.run(&["explore", "m.dve", "--measure", "round"]).expect(0).out("sweep by round");
        session.run(&["explore", "m.dve", "--engine", "breadth"]).expect(0);
        session.run(&["simulate", "m.dve", "--random", "--steps", "2"]).expect(0);
    }
    let session = Session::with_model(&ROUNDS.replace("// progress: x", "// Progress: x"));
    session.run(&["explore", "m.dve"]).expect(0).err("warning[W0404]").out("breadth-first");
}

#[test]
fn a_sweep_that_stops_at_a_regress_edge_claims_no_saving() {
    let session = Session::with_model(
        "int x; process P { state s; init s; trans s -> s { guard x == 0; effect x = -1; }; } system async;",
    );
    let arguments = ["explore", "m.dve", "--measure", "x", "--expect-monotone", "--json", "run.json"];
    let run = session.run(&arguments).expect(1).out("stopped when progress decreased");
    assert!(!run.stdout.contains("memory saved"), "{}", run.stdout);
    let record = session.json("run.json");
    assert_eq!(record["search"]["stopped"], "progress decreased");
    assert_eq!(record["plan"]["measure"]["monotone"], false);
}

#[test]
fn a_survey_reports_what_occurs_and_what_is_unknown() {
    let session = Session::with_model(ROUNDS);
    let survey = |arguments: &[&str]| {
        let arguments = [&["explore", "m.dve", "--survey"], arguments].concat();
        record(&session, &arguments, 0)["search"]["survey"].clone()
    };
    let (whole, swept) = (survey(&["--measure", "none"]), survey(&[]));
    let bounds = |name: &str, least: i64, greatest: i64| serde_json::json!({"name": name, "least": least, "greatest": greatest});
    assert_eq!(whole["bounds"], serde_json::json!([bounds("x", 0, 9), bounds("round", 0, 2)]));
    assert_eq!((&whole["home_states"], &whole["initial_is_home"]), (&1.into(), &false.into()));
    assert_eq!((&whole["live"], &whole["unknown"]), (&serde_json::json!([]), &Value::Null));
    assert_eq!(whole["components"], 31);
    // The measure has regress edges.
    assert_eq!((&swept["bounds"], &swept["never_taken"]), (&whole["bounds"], &whole["never_taken"]));
    assert_eq!(swept["home_states"], Value::Null);
    let unknown = swept["unknown"].as_str().unwrap();
    assert!(unknown.starts_with("unknown: the measure is not monotone"), "{unknown}");
    let refused = session.run(&["explore", "m.dve", "--survey", "--engine", "depth"]);
    refused.expect(2).err("error[E0017]").err("use the engine `breadth`");
}
