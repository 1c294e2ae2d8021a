//! `AG EF`, `EF AG` and LTL on measures with regress edges: decided on the recorded graph, together
//! with other properties.

use crate::session::Session;

/// A trap close to the initial state, and many other states in one layer.
const TRAP: &str = "\
byte x; byte c1; byte c2; byte c3;
process A { state s0, trap, big; init s0; trans s0 -> trap {}, trap -> trap {}, s0 -> big { effect x = 1; }; }
process C {
    state q;
    init q;
    trans
        q -> q { guard x == 1 and c1 < 60; effect c1 = c1 + 1; },
        q -> q { guard x == 1 and c2 < 60; effect c2 = c2 + 1; },
        q -> q { guard x == 1 and c3 < 60; effect c3 = c3 + 1; },
        q -> q { guard x == 1; effect c1 = 0, c2 = 0, c3 = 0; };
}
system async;
";

/// A cycle with a regress edge, and two terminal states.
const ROUND: &str = "\
byte x;
process P {
    state on, left, right;
    init on;
    trans
        on -> on { effect x = (x + 1) % 5; },
        on -> left { guard x == 2; },
        on -> right { guard x == 3; };
}
system async;
";

const SMALL: [&str; 6] = ["--engine", "sweep", "--measure", "x", "--memory", "2MiB"];

#[test]
fn verdicts_before_the_memory_limit_are_kept() {
    // The graph does not fit into memory either, so a second search would give no answer.
    let session = Session::with_model(&TRAP.replace("60", "80"));
    let check = |question: &[&str]| session.run(&[&["check", "m.dve", "-q"], question, &SMALL].concat());
    check(&["--home", "not A.trap"]).expect(1);
    let both = check(&["--home", "not A.trap", "--invariant", "c1 <= 90"]).expect(1);
    both.out("violated  AG EF (not A.trap)").out("holds     c1 <= 90");
    check(&["--ctl", "EF AG A.trap", "--invariant", "c1 <= 90"]).expect(0);
}

#[test]
fn ltl_works_on_disk_too() {
    let session = Session::with_model(TRAP);
    let check = |formula: &str, more: &[&str]| {
        session.run(&[&["check", "m.dve", "-q", "--ltl", formula, "--json", "r.json"], more].concat())
    };
    check("G (A.big -> c1 <= 60)", &SMALL).expect(0);
    assert!(session.json("r.json")["search"]["graph"]["nodes"].as_u64().unwrap() > 200_000);
    let roomy = [&SMALL[..5], &["4MiB"]].concat();
    check("G (A.big -> F c1 == 60)", &roomy).expect(1).out("violated");
    assert_eq!(session.json("r.json")["traces"][0]["kind"], "lasso");
    for engine in ["breadth", "breadth-disk", "depth"] {
        check("G (A.big -> c1 <= 60)", &["--engine", engine]).expect(0);
        check("F A.trap", &["--engine", engine]).expect(1);
    }
}

#[test]
fn the_record_is_that_of_the_complete_search() {
    let session = Session::with_model(ROUND);
    let home = ["--ctl", "AG EF (P.left or P.right)"];
    for engine in [&["--engine", "sweep", "--measure", "x"][..], &["--engine", "breadth-disk"]] {
        let run = ["check", "m.dve", "--reach", "x == 0", "--json", "r.json"];
        session.run(&[&run[..], &home, engine].concat()).expect(0);
        let record = session.json("r.json");
        assert_eq!(
            (&record["search"]["complete"], &record["search"]["states"]["distinct"]),
            (&true.into(), &7.into())
        );
        let run = ["check", "m.dve", "--terminal-states", "--reach", "x == 0"];
        session.run(&[&run[..], &home, engine].concat()).expect(0).out("2 terminal states:");
        session.run(&[&run[..3], &home, engine].concat()).expect(0).out("2 terminal states:");
        // Graphs have no shortest paths, and no limit was reached.
        let shortest = ["check", "m.dve", "--home", "P.on", "--shortest", "-q"];
        assert_eq!(session.run(&[&shortest[..], engine].concat()).expect(1).stderr, "");
    }
}

#[test]
fn a_runtime_error_belongs_to_its_property() {
    let text = "byte i; byte a[3]; process P { state s; init s; trans s -> s { guard i < 5; effect i = i + 1; }; } system async;";
    let session = Session::with_model(text);
    for engine in ["breadth", "breadth-disk"] {
        for question in [["--home", "a[i] == 0"], ["--ltl", "G (a[i] == 0)"]] {
            let run = ["check", "m.dve", "-q", "--engine", engine, "--invariant", "i < 9"];
            let run = session.run(&[&run[..], &question].concat());
            assert!(run.stderr.contains("a[i]") && !run.stderr.contains("`i < 9`: index"), "{}", run.stderr);
        }
    }
}
