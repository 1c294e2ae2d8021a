//! Web pages and pictures of runs.

use crate::session::{BROKEN_LOCK, Session};
use serde_json::Value;

/// A cycle with one regress edge.
const ROUNDS: &str = "\
byte round, step;
process P {
    state on, back, done;
    init on;
    trans
        on -> on { guard step < 9; effect step = step + 1; },
        on -> on { guard step == 9 and round < 3; effect step = 0, round = round + 1; },
        on -> back { guard step == 9 and round == 3; },
        back -> on { guard 0 == 1; },
        back -> done { effect round = 0; };
}
system async;
";

fn sum(list: &Value, field: &str) -> u64 {
    list.as_array().unwrap().iter().map(|one| one[field].as_u64().unwrap()).sum()
}

#[test]
fn the_course_of_a_sweep_adds_up() {
    let session = Session::with_model(ROUNDS);
    for engine in ["sweep", "sweep-disk", "breadth"] {
        let run =
            ["explore", "m.dve", "--engine", engine, "--measure", "(round, step)", "--json", "run.json"];
        let run = if engine == "breadth" { [&run[..4], &run[6..]].concat() } else { run.to_vec() };
        session.run(&run).expect(0);
        let record = session.json("run.json");
        let (search, sweeps) = (&record["search"], record["search"]["profile"]["sweeps"].as_array().unwrap());
        assert_eq!(sweeps.len() as u64, search["sweeps"], "{engine}");
        let expanded: u64 = sweeps.iter().map(|sweep| sum(&sweep["points"], "expanded")).sum();
        assert_eq!(expanded, search["states"]["explored"], "{engine}");
        let held = |point: &Value| -> u64 {
            ["current", "future", "persistent"].iter().map(|kind| point[*kind].as_u64().unwrap()).sum()
        };
        let points = sweeps.iter().flat_map(|sweep| sweep["points"].as_array().unwrap());
        assert_eq!(points.map(held).max().unwrap(), search["states"]["peak_stored"], "{engine}");
        assert_eq!(sum(&search["actions"], "fired"), search["transitions"]["total"], "{engine}");
        let never: Vec<&Value> =
            search["actions"].as_array().unwrap().iter().filter(|one| one["fired"] == 0).collect();
        assert_eq!(never.len(), 1);
        assert_eq!(never[0]["action"], "P: back -> on");
    }
}

#[test]
fn steps_name_their_processes() {
    let session = Session::with_model(BROKEN_LOCK);
    session.run(&["check", "m.dve", "--invariant", "inside < 2", "--json", "run.json"]).expect(1);
    assert_eq!(session.json("run.json")["traces"][0]["steps"][0]["participants"], serde_json::json!(["P"]));
}

#[test]
fn a_page_is_one_file_with_the_answers() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = ["check", "m.dve", "--invariant", "inside < 2", "--html", "run.html", "--json", "run.json"];
    session.run(&run).expect(1).out("violated");
    let page = session.read("run.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("inside &lt; 2"), "{page}");
    assert!(!page.contains("http://") || !page.contains("src=\"http"), "nothing is fetched");
    assert!(session.json("run.json")["space"]["states"].as_array().unwrap().len() > 3);
    // `report` makes the same page from the record.
    session.run(&["report", "run.json", "--html", "again.html"]).expect(0).out("again.html");
    assert_eq!(session.read("again.html"), page);
    session.run(&["report", "run.json", "--html", "-"]).expect(0).out("<!doctype html>");
    session.run(&["report", "run.json"]).expect(0).out("run.html");
}

#[test]
fn bad_input_has_a_page_too() {
    let session = Session::with_model("byte x; process P { state s; init t; } system async;");
    session.run(&["check", "m.dve", "--html", "run.html"]).expect(2);
    assert!(session.read("run.html").contains("E0203"));
}

#[test]
fn a_file_that_is_not_a_record_is_refused() {
    let session = Session::with_model(ROUNDS);
    session.run(&["report", "m.dve"]).expect(2).err("E0051");
    session.write("old.json", "{\"format\": \"sweepline-run/0\"}");
    session.run(&["report", "old.json"]).expect(2).err("E0051");
    let clash = session.run(&["check", "m.dve", "--html", "a", "--json", "a"]).expect(2);
    clash.err("--json and --html would write to the same file");
    session.run(&["check", "m.dve", "--html", "m.dve"]).expect(2).err("would overwrite the input");
}

#[test]
fn a_state_space_is_drawn_by_layers() {
    let session = Session::with_model(ROUNDS);
    session.run(&["convert", "m.dve", "--to", "svg", "--measure", "round", "-o", "m.svg"]).expect(0);
    let picture = session.read("m.svg");
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
}
