//! `--junit`: JUnit XML for every way in which a check can end.

use crate::session::{BROKEN_LOCK, COUNTER, ENDLESS, OVERRUN, Session};

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn each_property_is_a_test() {
    let session = Session::with_model(BROKEN_LOCK);
    let arguments = ["check", "m.dve", "--invariant", "inside < 2", "--reach", "P.take && locked == 0"];
    let run = session.run(&[&arguments[..], &["--junit", "j.xml"]].concat()).expect(1);
    run.out("violated  inside < 2").out("holds     P.take && locked == 0");
    let text = session.read("j.xml");
    has(
        &text,
        &[
            "<testsuite name=\"m.dve\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"",
            "<testcase classname=\"m.dve\" name=\"inside &lt; 2\">",
            "<failure type=\"invariant\" message=\"Counterexample: `inside &lt; 2` is false after 4 steps",
            "    4  Q: take -&gt; critical\n         inside: 1 -&gt; 2",
            "<testcase classname=\"m.dve\" name=\"P.take &amp;&amp; locked == 0\"/>",
        ],
    );
    assert!(text.starts_with("<?xml version=\"1.0\"") && text.ends_with("</testsuites>\n"), "{text}");
}

#[test]
fn an_unknown_answer_is_an_error() {
    let session = Session::with_model(ENDLESS);
    let junit = |code, arguments: &[&str]| {
        session.run(&[&["check", "m.dve", "--junit", "j.xml"], arguments].concat()).expect(code);
        session.read("j.xml")
    };
    let stopped = junit(3, &["--invariant", "a < 30001", "--state-limit", "1000", "--measure", "none"]);
    has(&stopped, &["failures=\"0\" errors=\"1\"", "<error type=\"unknown\" message=\"", "warning[W0021]"]);
    session.write("m.dve", OVERRUN);
    has(&junit(1, &[]), &["name=\"no run-time error\"", "<error type=\"run-time error\"", "E0501"]);
    session.write("m.dve", COUNTER.replace("s -> s", "s -> t"));
    let bad = junit(2, &[]);
    has(
        &bad,
        &["tests=\"1\" failures=\"0\" errors=\"1\"", "name=\"the run\"", "<error type=\"E0203\"", "m.dve:5:"],
    );
    session.write("m.dve", COUNTER);
    let unknown = junit(2, &["--property", "nothing"]);
    has(&unknown, &["<error type=\"E0006\" message=\"the model declares no property `nothing`\""]);
}

#[test]
fn the_report_goes_to_its_file_or_stdout() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["check", "m.dve", "--junit", "-"]).expect(1).err("violated  no deadlock");
    assert!(run.stdout.starts_with("<?xml ") && run.stdout.contains("type=\"deadlock\""), "{}", run.stdout);
    let refused = |arguments: &[&str]| session.run(&[&["check", "m.dve"], arguments].concat()).expect(2);
    refused(&["--junit", "m.dve"]).err("--junit would overwrite the input");
    refused(&["--junit", "x", "--json", "x"]).err("--json and --junit would write to the same file");
    refused(&["--junit", "-", "--trace-out", "-"]).err("--trace-out and --junit");
    refused(&["--junit", "none/j.xml"]).err("error[E0007]");
    assert_eq!(session.files(), ["m.dve"]);
}
