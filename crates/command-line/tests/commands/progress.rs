//! Measures that the program finds: by default in `check` and `explore`, and by `progress`.

use crate::session::{COUNTER, Session};
use serde_json::Value;

/// Three counters that only increase, and a cyclic one: 64,000 states, more than a small model has.
const COUNTERS: &str = "\
byte a, b, c, turn;
process P { state s; init s; trans s -> s { guard a < 19; effect a = a + 1; }; }
process Q { state s; init s; trans s -> s { guard b < 19; effect b = b + 1; }; }
process R { state s; init s; trans s -> s { guard c < 19; effect c = c + 1; }; }
process T { state s; init s; trans s -> s { effect turn = (turn + 1) % 8; }; }
system async;
";

/// Two cyclic counters: there is no progress.
const ROUND: &str = "\
byte a, b;
process P { state s; init s; trans s -> s { effect a = (a + 1) % 5; }; }
process Q { state s; init s; trans s -> s { effect b = (b + 1) % 5; }; }
system async;
";

/// The record of a run that ends with this code.
#[track_caller]
fn record(session: &Session, arguments: &[&str], code: i32) -> Value {
    session.run(&[arguments, &["--json", "run.json"]].concat()).expect(code);
    session.json("run.json")
}

/// A record without the fields that differ between runs.
fn without_times(mut value: Value) -> Value {
    fn clear(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                // Which thread does what depends on time.
                let is_time = |name: &str| ["seconds", "resources", "workers"].contains(&name);
                fields
                    .iter_mut()
                    .filter(|(name, _)| is_time(name))
                    .for_each(|(_, value)| *value = Value::Null);
                fields.values_mut().for_each(clear);
            }
            Value::Array(values) => values.iter_mut().for_each(clear),
            _ => {}
        }
    }
    clear(&mut value);
    value
}

#[test]
fn a_small_model_is_explored_in_full_and_says_so() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["explore", "m.dve", "--json", "run.json"]).expect(0);
    run.out("search            breadth-first, compiled: complete\n")
        .out("measure           none; small model, all states are stored\n");
    let record = session.json("run.json");
    assert_eq!(record["plan"]["engine"], "breadth");
    assert_eq!(record["plan"]["measure"]["origin"], "none");
    let search = &record["measure_search"];
    assert_eq!(
        search["searches"],
        Value::Array(Vec::new()),
        "the search ended before one for a measure began"
    );
    assert_eq!(record["plan"]["change"], Value::Null);
    assert_eq!(search["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&search["attempts"][0]["measure"], &search["attempts"][0]["end"]),
        (&Value::Null, &"kept".into())
    );
    // With explicit options, there is no measure search.
    for options in
        [&["--measure", "none"][..], &["--measure", "x"], &["--engine", "depth"], &["--engine", "breadth"]]
    {
        let record = self::record(&session, &[&["explore", "m.dve"], options].concat(), 0);
        assert_eq!(record["measure_search"], Value::Null, "{options:?}");
    }
}

#[test]
fn a_sweep_finds_a_measure_for_a_small_model_too() {
    let text = "byte x, turn;
        process P { state s; init s; trans s -> s { guard x < 9; effect x = x + 1; }; }
        process T { state s; init s; trans s -> s { effect turn = (turn + 1) % 8; }; }
        system async;";
    let session = Session::with_model(text);
    let arguments = ["check", "m.dve", "--engine", "sweep", "--invariant", "x < 10", "--json", "run.json"];
    let run = session.run(&arguments).expect(0);
    run.out("search            sweep, compiled: complete\n").out("measure           x, found in ");
    let found = session.json("run.json");
    let measure = &found["plan"]["measure"];
    assert_eq!((&measure["expression"], &measure["origin"]), (&"x".into(), &"derived".into()));
    assert_eq!((&measure["monotone"], &measure["proved"]), (&true.into(), &true.into()));
    assert_eq!(measure["expected"]["revisits"], 1.0);
    assert_eq!(found["search"]["states"]["explored"], 80);
    // `--measure auto` is the same sweep.
    let given = record(&session, &["check", "m.dve", "--measure", "x", "--invariant", "x < 10"], 0);
    assert_eq!(given["search"], found["search"]);
    assert_eq!(given["plan"]["measure"]["origin"], "user");
}

#[test]
fn a_large_model_is_swept_and_the_record_has_the_measure_search() {
    let session = Session::with_model(COUNTERS);
    let arguments = ["explore", "m.dve", "-v", "--prefer", "memory", "--threads", "1", "--json", "run.json"];
    let run = session.run(&arguments).expect(0);
    run.out("search            sweep, compiled: complete\n")
        .out("\nexpected          ")
        .out(" expansions per state\n")
        .out("\nattempt           ");
    let found = session.json("run.json");
    assert_eq!(
        (&found["plan"]["engine"], &found["plan"]["measure"]["origin"]),
        (&"sweep".into(), &"derived".into())
    );
    let expected = &found["plan"]["measure"]["expected"];
    for figure in ["peak_share", "revisits", "regress_share"] {
        assert!(expected[figure].is_f64(), "{figure} of {expected}");
    }
    assert!(expected["layers"].is_u64());
    let search = &found["measure_search"]["searches"][0];
    assert_eq!(search["effort"], "quick");
    assert!(search["sample"]["expanded"].as_u64().unwrap() > 10_000);
    let best = &search["proposals"][0];
    assert_eq!(best["expression"], found["plan"]["measure"]["expression"]);
    assert!(best["peak_share"].as_f64().unwrap() < 0.2, "{best}");
    assert!(best["monotone"].is_boolean());
    let attempt = &found["measure_search"]["attempts"][0];
    assert_eq!((&attempt["measure"], &attempt["end"]), (&best["expression"], &"kept".into()));
    assert_eq!(attempt["explored"], found["search"]["states"]["explored"]);
    assert_eq!(found["search"]["states"]["distinct_estimate"], 64_000);
    // The measure in the record parses, and is the same measure.
    let expression = best["expression"].as_str().unwrap();
    let given = record(&session, &["explore", "m.dve", "--threads", "1", "--measure", expression], 0);
    assert_eq!(given["search"], found["search"]);
    let full = record(&session, &["explore", "m.dve", "--measure", "none"], 0);
    assert_eq!(full["search"]["states"]["distinct"], 64_000);
    assert_eq!(full["search"]["deadlocks"], found["search"]["deadlocks"]);
}

#[test]
fn a_found_measure_gives_shortest_traces_too() {
    let session = Session::with_model(COUNTERS);
    let arguments = [
        "check",
        "m.dve",
        "--reach",
        "a == 3 and c == 2",
        "--shortest",
        "--trace-view",
        "actions",
        "--prefer",
        "memory",
    ];
    session.run(&arguments).expect(0).out("is true after 5 steps (shortest)").out("sweep, compiled: ");
}

#[test]
fn two_runs_differ_only_in_times() {
    let session = Session::with_model(COUNTERS);
    for arguments in [&["explore", "m.dve"][..], &["progress", "m.dve"], &["explore", "m.dve", "--seed", "7"]]
    {
        let [first, second] = [0, 1].map(|_| without_times(record(&session, arguments, 0)));
        assert_eq!(first, second, "{arguments:?}");
    }
}

#[test]
fn a_saved_measure_gives_the_same_counts() {
    let session = Session::with_model(COUNTERS);
    let found = record(&session, &["progress", "m.dve", "--save", "best.measure"], 0);
    let saved = session.read("best.measure");
    let (comment, text) = saved.split_once('\n').unwrap();
    assert!(comment.starts_with("// progress of m.dve, found by `sweepline progress`: "), "{comment}");
    assert_eq!(text.trim_end(), found["candidates"][0]["expression"].as_str().unwrap());
    let by_file = record(&session, &["explore", "m.dve", "--measure", "@best.measure"], 0);
    let by_text = record(&session, &["explore", "m.dve", "--measure", text.trim_end()], 0);
    assert_eq!(without_times(by_file["search"].clone()), without_times(by_text["search"].clone()));
    assert_eq!(by_file["plan"]["measure"]["expression"], by_text["plan"]["measure"]["expression"]);
    assert_eq!(by_file["plan"]["measure"]["origin"], "user");
    session.write("own.measure", "// over two lines\n(a,\n    // and more\n    b)\n");
    let run = session.run(&["explore", "m.dve", "--measure", "@own.measure"]).expect(0);
    run.out("search            sweep by (a, b), compiled: complete\n");
    session.run(&["convert", "m.dve", "--to", "dot", "--measure", "@own.measure", "--limit", "10"]).expect(2);
    // The measure of --judge is saved, too.
    record(&session, &["progress", "m.dve", "--judge", "@own.measure", "--save", "again.measure"], 0);
    assert!(session.read("again.measure").ends_with("\n(a, b)\n"));
}

#[test]
fn a_bad_measure_in_a_file_is_shown_with_its_position() {
    let session = Session::with_model(COUNTERS);
    session.write("bad.measure", "// für x\n(a,\n zz)\n");
    let bad = |option: &str| {
        let command = if option == "--judge" { "progress" } else { "explore" };
        session.run(&[command, "m.dve", option, "@bad.measure"]).expect(2)
    };
    for option in ["--measure", "--judge"] {
        bad(option).err("error[E0201]").err("bad.measure:3:2").err("help: ");
    }
    session.write("bad.measure", "// nothing but this\n");
    bad("--measure").err("error[").err("bad.measure").err("help: ");
    session.write("bad.measure", "(a, a / turn)");
    bad("--measure").err("error[E0018]").err("bad.measure:1:").err("help: ");
    session
        .run(&["explore", "m.dve", "--measure", "@none.measure"])
        .expect(2)
        .err("error[E0001]")
        .err("none.measure");
    session.run(&["explore", "m.dve", "--measure", "@"]).expect(2).err("error[");
    session.run(&["progress", "m.dve", "--judge", "zz"]).expect(2).err("--judge:1:1");
}

#[test]
fn progress_shows_a_table_with_the_reason_for_the_choice() {
    let session = Session::with_model(COUNTERS);
    let run = session.run(&["progress", "m.dve"]).expect(0);
    let run = run.out("no.  ").out("  regress  ").out("\n  1  ").out(" none: all states are stored\n");
    let run = run.out("\n\nMeasure 1 is the ");
    let run = run.out(" in memory, ");
    assert_eq!(run.stderr, "");
    let quiet = session.run(&["progress", "m.dve", "-q"]).expect(0).stdout;
    assert_eq!(quiet.lines().count(), 1);
    session.run(&["explore", "m.dve", "-q", "--measure", quiet.trim_end()]).expect(0);
}

#[test]
fn a_proof_names_the_steps_that_raise_a_measure_and_a_doubt_those_that_may_lower_it() {
    let session = Session::with_model(COUNTERS);
    let run = session.run(&["progress", "m.dve", "--judge", "(a, c)"]).expect(0);
    let run = run.out("  proved      0 %").out("(a, c) (yours)\n").out(" is proved monotone:\n");
    run.out("    a is increased in line 2\n    c is increased in line 4\n");
    let run = session.run(&["progress", "m.dve", "--judge", "(a, turn)", "--json", "run.json"]).expect(0);
    run.out(" is not proved monotone: `T: s -> s`, in line 5, may decrease turn.\n");
    let found = session.json("run.json");
    let judged =
        found["candidates"].as_array().unwrap().iter().find(|one| one["origin"] == "judged").unwrap();
    assert_eq!((&judged["proved"], &judged["doubt"]["component"]), (&false.into(), &"turn".into()));
    assert_eq!(judged["doubt"]["places"][0]["line"], 5);
    assert!(judged["regress_share"].as_f64().unwrap() > 0.0);
    // The declared measure is judged without an option.
    session.write("d.dve", format!("// progress: (a, b)\n{COUNTERS}"));
    session.run(&["progress", "d.dve"]).expect(0).out("(a, b) (declared)\n");
}

#[test]
fn without_progress_the_answer_is_none() {
    let session = Session::with_model(ROUND);
    let run = session.run(&["progress", "m.dve", "--save", "none.measure"]).expect(0);
    run.out("No measure is better than full exploration: on all 25 states of the model")
        .err("warning[W0038]");
    assert_eq!(session.files(), ["m.dve"]);
    assert_eq!(session.run(&["progress", "m.dve", "-q"]).expect(0).stdout, "none\n");
    let found = record(&session, &["progress", "m.dve"], 0);
    assert_eq!((&found["chosen"], &found["candidates"]), (&Value::Null, &Value::Array(Vec::new())));
    let run = session.run(&["explore", "m.dve", "--engine", "sweep"]).expect(0);
    run.out("breadth-first").out("all states are stored");
}

#[test]
fn the_record_of_progress_has_all_its_fields() {
    let session = Session::with_model(COUNTERS);
    let found = record(&session, &["progress", "m.dve", "--judge", "turn"], 0);
    assert_eq!((&found["format"], &found["exit_code"]), (&"sweepline-measures/1".into(), &0.into()));
    assert_eq!((&found["chosen"], &found["effort"]), (&1.into(), &"quick".into()));
    assert_eq!(found["aim"], serde_json::json!({"prefer": "balanced", "regress_bound": null}));
    assert!(found["reason"].is_string() && found["seconds"].is_f64());
    for (at, candidate) in found["candidates"].as_array().unwrap().iter().enumerate() {
        assert_eq!(candidate["number"], at + 1);
        for field in ["expression", "summary", "origin"] {
            assert!(candidate[field].is_string(), "{field} of {candidate}");
        }
        for field in ["peak_share", "revisits", "regress_share", "relative_time"] {
            assert!(candidate[field].is_f64(), "{field} of {candidate}");
        }
        assert!(candidate["proved"].is_boolean() && candidate["layers"].is_u64());
    }
    let run = session.run(&["progress", "m.dve", "--json", "-"]).expect(0).err("Measure 1 is ");
    let on_stdout: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(on_stdout["chosen"], 1);
    // A failed run has all fields, too.
    let failed = record(&session, &["progress", "none.dve"], 2);
    assert_eq!((&failed["exit_code"], &failed["diagnostics"][0]["code"]), (&2.into(), &"E0001".into()));
}

#[test]
fn prefer_time_has_no_more_revisits_and_prefer_memory_no_higher_peak() {
    let session =
        Session::with_model(&COUNTERS.replace("guard b < 19; effect b = b + 1;", "effect b = (b + 1) % 20;"));
    let best = |prefer: &str| {
        let found = record(&session, &["progress", "m.dve", "--prefer", prefer], 0);
        assert_eq!(found["aim"]["prefer"], prefer);
        found["candidates"][0].clone()
    };
    let [memory, time] = ["memory", "time"].map(best);
    assert!(memory["peak_share"].as_f64().unwrap() <= time["peak_share"].as_f64().unwrap());
    assert!(time["revisits"].as_f64().unwrap() <= memory["revisits"].as_f64().unwrap());
    record(&session, &["explore", "m.dve", "--prefer", "memory"], 0);
}

#[test]
fn a_regress_level_bounds_the_fraction_of_regress_edges() {
    let session =
        Session::with_model(&COUNTERS.replace("guard b < 19; effect b = b + 1;", "effect b = (b + 1) % 20;"));
    for (level, bound) in [("1", 0.0), ("4", 0.05)] {
        let found = record(&session, &["progress", "m.dve", "--regress-level", level], 0);
        assert_eq!(found["aim"], serde_json::json!({"prefer": null, "regress_bound": bound}));
        let candidates = found["candidates"].as_array().unwrap();
        assert!(!candidates.is_empty());
        assert!(candidates.iter().all(|one| one["regress_share"].as_f64().unwrap() <= bound), "{found:#}");
    }
    session.run(&["progress", "m.dve", "--regress-level", "7"]).expect(2);
    session.run(&["progress", "m.dve", "--regress-level", "2", "--prefer", "time"]).expect(2);
}

#[test]
fn options_of_the_measure_search_are_refused_without_one() {
    let session = Session::with_model(COUNTERS);
    for options in [&["--measure", "a"][..], &["--measure", "none"], &["--engine", "breadth"]] {
        for asked in [&["--prefer", "time"][..], &["--seed", "3"]] {
            let run = session.run(&[&["explore", "m.dve"], options, asked].concat()).expect(2);
            run.err("is for the automatic measure search");
        }
    }
    session.run(&["progress", "m.dve", "--save", "m.dve"]).expect(2).err("would overwrite the input");
    session.run(&["progress", "m.dve", "--save", "x", "--json", "x"]).expect(2).err("the same file");
}

#[test]
fn with_a_small_state_limit_there_is_no_measure_search() {
    let session = Session::with_model(COUNTERS);
    let record = record(&session, &["check", "m.dve", "--invariant", "a < 3", "--state-limit", "1000"], 1);
    let searches = &record["measure_search"]["searches"];
    assert_eq!((searches, &record["plan"]["engine"]), (&Value::Array(Vec::new()), &"breadth".into()));
}

#[test]
fn a_formula_that_needs_a_monotone_measure_gets_a_proved_one_or_full_exploration() {
    let session = Session::with_model(COUNTERS);
    let run = session.run(&["check", "m.dve", "--home", "a == 19", "--prefer", "memory"]).expect(0);
    run.out("sweep, compiled: complete").out("; proved monotone\n");
    // A cyclic counter is not part of a monotone measure.
    let session =
        Session::with_model(&COUNTERS.replace("guard a < 19; effect a = a + 1", "effect a = (a + 1) % 40"));
    session.run(&["check", "m.dve", "--home", "a == 19"]).expect(0).out("AG EF (a == 19)");
}

#[test]
fn exact_uses_all_states() {
    let session = Session::with_model(COUNTERS);
    let found = record(&session, &["progress", "m.dve", "--exact", "--regress-level", "1"], 0);
    assert_eq!((&found["effort"], &found["sample"]["complete"]), (&"exact".into(), &true.into()));
    assert_eq!(found["sample"]["expanded"], 64_000);
    // The fourth counter is cyclic.
    assert_eq!(found["sample"]["largest_component"], 8);
    let run =
        session.run(&["progress", "m.dve", "--exact"]).expect(0).out("of all 64,000 states of the model");
    run.out("the largest strongly connected component has 8 states.\n");
}
