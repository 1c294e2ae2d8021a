//! Bad input of every kind: exit code 2, one message with a code and advice; never a crash.

use crate::session::{BROKEN_LOCK, COUNTER, Session};

/// Runs `check` with bad input.
#[track_caller]
fn refused(session: &Session, arguments: &[&str], code: &str) -> crate::session::Run {
    let run = session.run(&[&["check"], arguments].concat()).expect(2);
    assert_eq!(run.stdout, "", "nothing is a result");
    assert_eq!(run.stderr.matches("error[").count(), 1, "one message:\n{}", run.stderr);
    let run = run.err(&format!("error[{code}]"));
    // Diagnostics of a language may have no help; errors about files and options always do.
    if code.starts_with("E00") { run.err("help: ") } else { run }
}

#[test]
fn a_missing_file_gets_a_similar_name_as_a_suggestion() {
    let session = Session::with_model(COUNTER);
    session.write("bakery.dve", COUNTER);
    refused(&session, &["baker.dve"], "E0001").err("no file `baker.dve`").err("did you mean `bakery.dve`?");
    refused(&session, &["nowhere/model.dve"], "E0001").err("the directory `nowhere` does not exist either");
    session.run(&["check", ""]).expect(2);
}

#[test]
fn a_directory_is_not_a_model() {
    let session = Session::with_model(COUNTER);
    refused(&session, &["."], "E0002").err("is a directory").err("m.dve");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_says_why() {
    // Reading this file from its beginning fails for all users, including root.
    let session = Session::new();
    refused(&session, &["/proc/self/mem"], "E0003").err("cannot be read");
}

#[test]
fn binary_files_and_other_encodings_have_different_errors() {
    let session = Session::new();
    session.write("binary.dve", b"\x7fELF\x02\x01\x01\x00\x00");
    refused(&session, &["binary.dve"], "E0004").err("binary file");
    session.write("latin.dve", b"byte x;\n// gr\xfc\xdfe\n");
    refused(&session, &["latin.dve"], "E0005").err("line 2").err("iconv");
}

#[test]
fn a_text_without_end_is_too_large() {
    let session = Session::new();
    session.write("large.dve", " ".repeat((64 << 20) + 1));
    refused(&session, &["large.dve"], "E0016").err("larger than 64.0 MiB");
}

#[test]
fn every_truncation_of_a_model_is_refused_or_checked() {
    let session = Session::new();
    let end = BROKEN_LOCK.len() - "\n".len();
    for cut in (0..end).step_by(7) {
        session.write("cut.dve", &BROKEN_LOCK[..cut]);
        let run = session.run(&["check", "cut.dve"]).expect(2);
        assert!(run.stderr.contains("error[E0"), "{}", run.stderr);
    }
}

#[test]
fn a_mistake_in_a_model_is_shown_with_its_position() {
    let session = Session::with_model(&COUNTER.replace("x + 1", "y + 1"));
    refused(&session, &["m.dve"], "E0201").err("m.dve:5:").err("y + 1");
}

#[test]
fn a_mistake_in_an_expression_is_shown_with_its_position() {
    let session = Session::with_model(COUNTER);
    refused(&session, &["m.dve", "--invariant", "x < zz"], "E0201").err("--invariant:1:5");
    refused(&session, &["m.dve", "--reach", "x <"], "E0105").err("--reach:1:4");
    session.run(&["check", "m.dve", "--reach", ""]).expect(2);
}

#[test]
fn an_unknown_property_gets_a_suggestion_and_a_list() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = refused(&session, &["m.dve", "--property", "assert P.critcal"], "E0006");
    run.err("did you mean `assert P.critical`?");
    refused(&session, &["m.dve", "--property", "fairness"], "E0006").err("it declares `assert P.critical`");
    let session = Session::with_model(COUNTER);
    refused(&session, &["m.dve", "--property", "p"], "E0006").err("it declares none").err("--invariant");
}

#[test]
fn all_mistakes_in_properties_are_reported_together() {
    let session = Session::with_model(COUNTER);
    let run =
        session.run(&["check", "m.dve", "--property", "p", "--invariant", "y", "--reach", "z"]).expect(2);
    run.err("E0006").err("--invariant:1:1").err("--reach:1:1");
}

#[test]
fn output_files_are_probed_before_the_search() {
    let session = Session::with_model(crate::session::ENDLESS);
    refused(&session, &["m.dve", "--json", "no/run.json"], "E0007").err("create the directory `no` first");
    refused(&session, &["m.dve", "--trace-out", "no/trace.json"], "E0007");
    refused(&session, &["m.dve", "--json", "."], "E0007").err("it is a directory");
    refused(&session, &["m.dve", "--disk", "no"], "E0008");
    refused(&session, &["m.dve", "--disk", "m.dve"], "E0008");
    assert_eq!(session.files(), ["m.dve"]);
}

#[test]
fn too_many_expressions_are_refused() {
    let session = Session::with_model(COUNTER);
    let arguments: Vec<&str> = ["m.dve"].into_iter().chain(["--invariant", "x < 10"].repeat(65)).collect();
    refused(&session, &arguments, "E0009").err("64");
}

#[test]
fn contradictory_and_wrong_options_are_usage_errors() {
    let session = Session::with_model(COUNTER);
    let usage = |arguments: &[&str]| {
        let run = session.run(arguments).expect(2);
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    };
    usage(&["check", "m.dve", "--deadlock", "--no-deadlock"]);
    usage(&["check", "m.dve", "-q", "-v"]);
    usage(&["check", "m.dve", "--json", "-", "--trace-out", "-"]);
    usage(&["check", "m.dve", "--json", "a.json", "--trace-out", "a.json"]);
    usage(&["check", "m.dve", "--memory", "lots"]);
    usage(&["check", "m.dve", "--memory", "0"]);
    usage(&["check", "m.dve", "--time-limit", "soon"]);
    usage(&["check", "m.dve", "--state-limit", "0"]);
    usage(&["check", "m.dve", "--state-limit", "-1"]);
    usage(&["check", "m.dve", "--engine", "warp"]);
    usage(&["check", "m.dve", "--no-such-option"]);
    usage(&["check", "m.dve", "m.dve"]);
    usage(&["check"]);
    usage(&["verify", "m.dve"]);
    usage(&["simulate", "m.dve", "--steps", "5"]);
    assert_eq!(session.run(&[] as &[&str]).code, 2);
    assert_eq!(session.files(), ["m.dve"]);
}

#[test]
fn help_and_version_are_not_errors() {
    let session = Session::new();
    session.run(&["--help"]).expect(0).out("check").out("Exit codes");
    session.run(&["check", "--help"]).expect(0).out("--invariant");
    session.run(&["--version"]).expect(0).out("sweepline 0.");
}

#[test]
fn bad_input_leaves_a_record_with_json() {
    let session = Session::with_model(&COUNTER.replace("init s;", "init ;"));
    refused_with_record(&session, &["m.dve"], "E0105", Some(4));
    refused_with_record(&session, &["none.dve"], "E0001", None);
    session.write("good.dve", COUNTER);
    refused_with_record(&session, &["good.dve", "--property", "p"], "E0006", None);
    refused_with_record(&session, &["good.dve", "--trace-out", "no/t.json"], "E0007", None);
}

#[track_caller]
fn refused_with_record(session: &Session, arguments: &[&str], code: &str, line: Option<u64>) {
    session.run(&[&["check", "--json", "run.json"], arguments].concat()).expect(2);
    let record = session.json("run.json");
    assert_eq!(record["exit_code"], 2);
    assert_eq!(record["search"]["complete"], false);
    assert!(record["search"]["states"]["distinct"].is_null());
    let diagnostic = &record["diagnostics"][0];
    assert_eq!(diagnostic["code"], code);
    assert_eq!(diagnostic["line"].as_u64(), line);
    assert_eq!(diagnostic["severity"], "error");
}

#[test]
fn no_output_overwrites_the_model_or_another_output() {
    let session = Session::with_model(COUNTER);
    session.run(&["check", "m.dve", "--json", "./m.dve"]).expect(2).err("overwrite the input");
    session.run(&["explore", "m.dve", "--json", "m.dve"]).expect(2).err("overwrite the input");
    session.run(&["check", "m.dve", "--json", "o", "--trace-out", "./o"]).expect(2).err("the same file");
}
