//! The run record: every documented field is present, with the documented type, however the run
//! ends.

use crate::session::{BROKEN_LOCK, COUNTER, OVERRUN, Session};
use serde_json::Value;

/// The documented fields: a path, and its possible JSON types.
const FIELDS: &[(&str, &str)] = &[
    ("format", "string"),
    ("exit_code", "number"),
    ("model.path", "string"),
    ("model.language", "string?"),
    ("model.variables", "number?"),
    ("model.state_bits", "number?"),
    ("model.constants", "object"),
    ("plan.engine", "string?"),
    ("plan.execution", "string?"),
    ("plan.threads", "number"),
    ("plan.measure.expression", "string?"),
    ("plan.measure.origin", "string"),
    ("plan.measure.monotone", "boolean?"),
    ("plan.measure.proved", "boolean?"),
    ("plan.measure.expected", "object?"),
    ("plan.measure.summary", "string?"),
    ("search.complete", "boolean"),
    ("search.states.distinct", "number?"),
    ("search.states.explored", "number?"),
    ("search.states.peak_stored", "number?"),
    ("search.states.peak_layer", "number?"),
    ("search.states.persistent", "number?"),
    ("search.states.distinct_estimate", "number?"),
    ("search.transitions.total", "number?"),
    ("search.transitions.forward", "number?"),
    ("search.transitions.stationary", "number?"),
    ("search.transitions.regress", "number?"),
    ("search.sweeps", "number?"),
    ("search.layers", "number?"),
    ("search.deadlocks", "number?"),
    ("search.io.states_written", "number?"),
    ("search.io.states_read", "number?"),
    ("search.io.bytes_written", "number?"),
    ("search.io.bytes_read", "number?"),
    ("search.terminal_states", "object?"),
    ("search.local_sweeps", "number?"),
    ("search.graph", "object?"),
    ("search.profile", "object?"),
    ("search.actions", "array?"),
    ("properties", "array"),
    ("traces", "array"),
    ("diagnostics", "array"),
    ("resources.wall_seconds", "number?"),
    ("resources.cpu_seconds", "number?"),
    ("resources.peak_rss_bytes", "number?"),
    ("resources.peak_state_bytes", "number?"),
    ("resources.disk_bytes", "number?"),
    ("resources.rate", "array?"),
    ("measure_search", "object?"),
    ("space", "object?"),
];

/// The fields of the objects in lists.
const LISTED: &[(&str, &[(&str, &str)])] = &[
    (
        "properties",
        &[
            ("name", "string"),
            ("kind", "string"),
            ("verdict", "string"),
            ("reason", "string?"),
            ("trace", "number?"),
        ],
    ),
    ("traces", &[("kind", "string"), ("loop_start", "number?"), ("replayed", "boolean"), ("steps", "array")]),
    (
        "diagnostics",
        &[
            ("code", "string"),
            ("severity", "string"),
            ("message", "string"),
            ("line", "number?"),
            ("column", "number?"),
            ("help", "string?"),
        ],
    ),
];

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[track_caller]
fn assert_fields(object: &Value, fields: &[(&str, &str)]) {
    for (path, expected) in fields {
        let found = path.split('.').try_fold(object, |value, name| value.as_object()?.get(name));
        let found = found.unwrap_or_else(|| panic!("`{path}` is missing in {object:#}"));
        let (expected, optional) = expected.strip_suffix('?').map_or((*expected, false), |name| (name, true));
        let fits = type_name(found) == expected || optional && found.is_null();
        assert!(fits, "`{path}` is {found}, expected {expected}");
    }
}

#[track_caller]
fn assert_record(record: &Value) {
    assert_fields(record, FIELDS);
    assert_eq!(record["format"], "sweepline-run/1");
    for (list, fields) in LISTED {
        for object in record[*list].as_array().unwrap() {
            assert_fields(object, fields);
        }
    }
    let traces = record["traces"].as_array().unwrap();
    for property in record["properties"].as_array().unwrap() {
        assert!(property["trace"].as_u64().is_none_or(|number| (number as usize) < traces.len()));
        assert!(["holds", "violated", "unknown"].contains(&property["verdict"].as_str().unwrap()));
        assert!(property["verdict"] != "unknown" || property["reason"].is_string());
    }
    for step in traces.iter().flat_map(|trace| trace["steps"].as_array().unwrap()) {
        assert_fields(
            step,
            &[("action", "string"), ("changes", "array"), ("participants", "array"), ("channel", "string?")],
        );
        for change in step["changes"].as_array().unwrap() {
            assert_fields(change, &[("variable", "string"), ("from", "string"), ("to", "string")]);
        }
    }
}

/// Runs `check` with `--json` and returns the record.
#[track_caller]
fn record_of(model: &str, arguments: &[&str], code: i32) -> Value {
    let session = Session::with_model(model);
    session.run(&[&["check", "m.dve", "--json", "run.json"], arguments].concat()).expect(code);
    let record = session.json("run.json");
    assert_record(&record);
    assert_eq!(record["exit_code"], code);
    assert_eq!(record["model"]["path"], "m.dve");
    record
}

#[test]
fn the_record_of_a_complete_search_has_all_fields() {
    let record = record_of(COUNTER, &["--invariant", "x < 10"], 0);
    let search = &record["search"];
    assert_eq!(search["complete"], true);
    assert_eq!(search["states"]["distinct"], 10);
    assert_eq!(search["states"]["explored"], 10);
    assert_eq!(search["states"]["peak_stored"], 10);
    assert_eq!(search["states"]["peak_layer"], 10);
    assert_eq!(search["states"]["persistent"], 0);
    assert_eq!(search["transitions"]["total"], 9);
    assert_eq!(search["transitions"]["stationary"], 9);
    assert_eq!(search["transitions"]["forward"], 0);
    assert_eq!(search["transitions"]["regress"], 0);
    assert_eq!((&search["sweeps"], &search["layers"]), (&1.into(), &1.into()));
    assert_eq!(search["deadlocks"], 1);
    assert_eq!(record["model"]["language"], "dve");
    assert_eq!(record["model"]["variables"], 2);
    assert_eq!(record["model"]["state_bits"], 4);
    assert_eq!(record["plan"]["engine"], "breadth");
    assert_eq!(record["plan"]["execution"], "compiled");
    assert_eq!(record["plan"]["measure"]["origin"], "none");
    assert_eq!(record["plan"]["measure"]["monotone"], true);
    assert_eq!(record["properties"][0]["name"], "x < 10");
    assert_eq!(record["properties"][0]["kind"], "invariant");
    assert_eq!(record["properties"][0]["verdict"], "holds");
    assert!(record["properties"][0]["trace"].is_null());
    assert!(record["resources"]["wall_seconds"].as_f64().unwrap() > 0.0);
    assert!(record["resources"]["peak_state_bytes"].as_u64().unwrap() > 0);
}

#[test]
fn the_order_of_the_fields_is_the_documented_one() {
    let session = Session::with_model(COUNTER);
    session.run(&["explore", "m.dve", "--json", "run.json"]).expect(0);
    let text = session.read("run.json");
    let places: Vec<usize> = [
        "format",
        "exit_code",
        "model",
        "plan",
        "search",
        "properties",
        "traces",
        "diagnostics",
        "resources",
        "measure_search",
    ]
    .iter()
    .map(|name| text.find(&format!("\n  \"{name}\"")).unwrap())
    .collect();
    assert!(places.is_sorted(), "{text}");
    assert_record(&session.json("run.json"));
}

#[test]
fn a_violation_has_a_replayed_trace() {
    let record = record_of(BROKEN_LOCK, &["--invariant", "inside < 2", "--deadlock"], 1);
    assert_eq!(record["properties"][0]["verdict"], "holds");
    let property = &record["properties"][1];
    assert_eq!(property["verdict"], "violated");
    let trace = &record["traces"][property["trace"].as_u64().unwrap() as usize];
    assert_eq!((&trace["kind"], &trace["replayed"]), (&"finite".into(), &true.into()));
    assert_eq!(trace["steps"].as_array().unwrap().len(), 4);
    assert_eq!(trace["steps"][0]["action"], "P: away -> take");
    let change = &trace["steps"][3]["changes"][0];
    assert_eq!(
        (&change["variable"], &change["from"], &change["to"]),
        (&"inside".into(), &"1".into(), &"2".into())
    );
}

#[test]
fn a_runtime_error_is_a_property_and_a_diagnostic() {
    let record = record_of(OVERRUN, &[], 1);
    let error = record["properties"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "no run-time error")
        .unwrap();
    assert_eq!((&error["kind"], &error["verdict"]), (&"safety".into(), &"violated".into()));
    assert!(error["trace"].is_number());
    let diagnostic = &record["diagnostics"][0];
    assert_eq!((&diagnostic["code"], &diagnostic["line"]), (&"E0501".into(), &6.into()));
    let clean = record_of(COUNTER, &["--invariant", "x < 10"], 0);
    assert_eq!(clean["properties"].as_array().unwrap().len(), 1);
}

#[test]
fn a_stopped_search_says_so() {
    let record = record_of(BROKEN_LOCK, &["--state-limit", "3"], 3);
    assert_eq!(record["search"]["complete"], false);
    assert!(record["properties"].as_array().unwrap().iter().all(|property| property["verdict"] == "unknown"));
    assert_eq!(record["diagnostics"][0]["code"], "W0021");
}

#[test]
fn explore_counts_what_check_would_stop_at() {
    let session = Session::with_model(OVERRUN);
    session.run(&["explore", "m.dve", "--json", "run.json"]).expect(0).out("run-time errors   1\n");
    let record = session.json("run.json");
    assert_record(&record);
    assert_eq!(record["search"]["complete"], true);
    assert_eq!(record["search"]["erroneous"], 1);
    assert_eq!(record["search"]["deadlocks"], 0);
    assert_eq!(record["properties"], Value::Array(Vec::new()));
}

#[test]
fn stdout_has_only_the_record() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = session.run(&["check", "m.dve", "--json", "-"]).expect(1).err("violated  assert P.critical");
    assert_record(&serde_json::from_str(&run.stdout).unwrap());
    session.run(&["explore", "m.dve", "-q", "--json", "-"]).expect(0).out("sweepline-run/1");
}

#[test]
fn writing_a_file_does_not_silence_the_terminal_and_leaves_no_other_file() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["check", "m.dve", "--json", "run.json", "--trace-out", "trace.json"]).expect(1);
    run.out("violated  no deadlock").out("states stored");
    assert_eq!(session.files(), ["m.dve", "run.json", "trace.json"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_not_a_success() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["check", "m.dve", "--invariant", "x < 10", "--json", "/dev/full"]).expect(3);
    run.err("error[E0013]").out("holds     x < 10");
    session.run(&["check", "m.dve", "--invariant", "x < 10", "--json", "/dev/null"]).expect(0);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_does_not_change_the_exit_code() {
    use std::process::Stdio;
    let session = Session::with_model(COUNTER);
    let arguments = ["check", "m.dve", "--json", "run.json"];
    let mut child =
        session.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let run = crate::session::Run::of(child.wait_with_output().unwrap()).expect(1);
    assert_eq!(run.stderr, "");
    assert_record(&session.json("run.json"));
}

#[cfg(unix)]
#[test]
fn results_go_to_named_pipes() {
    let session = Session::with_model(COUNTER);
    assert!(std::process::Command::new("mkfifo").arg(session.path("pipe")).status().unwrap().success());
    let path = session.path("pipe");
    let reader = std::thread::spawn(move || std::fs::read_to_string(path).unwrap());
    session.run(&["explore", "m.dve", "-q", "--json", "pipe"]).expect(0);
    assert!(reader.join().unwrap().contains("sweepline-run/1"));
}

#[cfg(target_os = "linux")]
#[test]
fn results_go_to_anonymous_pipes() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["explore", "m.dve", "-q", "--json", "/dev/stdout"]).expect(0);
    run.out("sweepline-run/1").out("10 states");
    // Output to a file that the shell has opened is appended.
    let mut command = session.command(&["explore", "m.dve", "-q", "--json", "/dev/stdout"]);
    session.write("log", "before\n");
    let log = std::fs::OpenOptions::new().append(true).open(session.path("log")).unwrap();
    assert!(command.stdout(log).status().unwrap().success());
    let text = session.read("log");
    assert!(text.starts_with("before\n") && text.contains("sweepline-run/1") && text.contains("10 states"));
    // An impossible file name is noticed before the search.
    std::fs::create_dir(session.path("d")).unwrap();
    for name in ["d/new/".into(), "n".repeat(256)] {
        session.run(&["explore", "m.dve", "--json", &*name]).expect(2).err("E0007");
    }
}

#[test]
fn the_record_of_a_failed_run_has_only_the_requested_plan() {
    let session = Session::new();
    let plan = |arguments: &[&str]| {
        session.run(&[&["check", "none.dve", "--json", "run.json"], arguments].concat()).expect(2);
        let plan = session.json("run.json")["plan"].clone();
        assert!(plan["measure"]["monotone"].is_null());
        [&plan["engine"], &plan["execution"], &plan["measure"]["expression"]]
            .map(|value| value.as_str().map(String::from))
    };
    let known = |text: &str| Some(text.to_owned());
    assert_eq!(plan(&[]), [None, None, None]);
    assert_eq!(plan(&["--engine", "depth"]), [known("depth"), None, None]);
    assert_eq!(plan(&["--measure", "x"]), [known("sweep"), None, known("x")]);
    assert_eq!(
        plan(&["--measure", "none", "--execution", "compiled"]),
        [known("breadth"), known("compiled"), None]
    );
}

#[test]
fn a_regress_edge_is_in_the_record() {
    let session = Session::with_model(BROKEN_LOCK);
    let arguments = ["check", "m.dve", "--home", "locked == 0", "--measure", "locked", "--json", "run.json"];
    session.run(&arguments).expect(0);
    let record = session.json("run.json");
    assert_eq!(record["plan"]["measure"]["monotone"], false);
    assert!(
        record["search"]["graph"]["nodes"].is_u64(),
        "the graph has decided: {}",
        record["search"]["graph"]
    );
}
