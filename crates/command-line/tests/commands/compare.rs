//! `compare`: tables, JSON and CSV; limits, mistakes and interrupts.

use crate::session::{BROKEN_LOCK, COUNTER, ENDLESS, Run, Session};
use serde_json::Value;

/// The line of an engine, without the blanks between its cells.
#[track_caller]
fn cells(run: &Run, engine: &str) -> Vec<String> {
    let mut lines =
        run.stdout.lines().map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()));
    let line = lines.find(|line| line.clone().next() == Some(engine));
    line.unwrap_or_else(|| panic!("no line of {engine} in\n{}", run.stdout)).map(String::from).collect()
}

/// The records of the runs.
fn runs(record: &Value) -> &[Value] {
    record["runs"].as_array().unwrap()
}

#[test]
fn every_engine_has_a_line_with_its_figures() {
    let session = Session::with_model(COUNTER);
    let run =
        session.run(&["compare", "m.dve", "--engines", "breadth,depth,sweep", "--measure", "x"]).expect(0);
    assert!(run.stdout.starts_with("m.dve\nengine   states  explored  peak "), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 5, "{}", run.stdout);
    assert_eq!(run.stderr, "");
    let breadth = cells(&run, "breadth");
    assert_eq!(breadth[1..4], ["10", "10", "10"]);
    assert_eq!(breadth[5], "0.00");
    // Peak memory is known only on some systems.
    assert_eq!([&breadth[7], &breadth[8]], ["1.00", "1.00"]);
    let sweep = cells(&run, "sweep");
    assert_eq!(sweep[1..3], ["10", "10"]);
    assert!(sweep[3].parse::<u64>().unwrap() < 5, "a sweep forgets: {sweep:?}");
    assert_eq!(cells(&run, "depth")[1..4], ["10", "10", "10"]);
}

#[test]
fn the_default_is_breadth_first_and_two_sweeps() {
    let session = Session::with_model(&format!("// progress: x\n{COUNTER}"));
    let run = session.run(&["compare", "m.dve"]).expect(0);
    for engine in ["breadth", "sweep", "sweep-disk"] {
        assert_eq!(cells(&run, engine)[1], "10");
    }
}

#[test]
fn a_sweep_without_a_measure_names_the_search_it_used() {
    let session = Session::with_model(BROKEN_LOCK);
    let run = session.run(&["compare", "m.dve", "--engines", "breadth,auto"]).expect(0);
    assert_eq!(cells(&run, "auto (breadth)").len(), 10);
}

#[test]
fn the_record_has_the_figures_of_the_runs() {
    let session = Session::with_model(COUNTER);
    let arguments = ["compare", "m.dve", "--engines", "breadth,sweep-disk", "--measure", "x", "--json", "-"];
    let run = session.run(&arguments).expect(0).err("breadth");
    let record: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(record["format"], "sweepline-compare/1");
    assert_eq!(record["exit_code"], 0);
    assert_eq!(record["disagreements"], Value::Array(Vec::new()));
    let [breadth, sweep] = runs(&record) else { panic!("{record}") };
    assert_eq!((&breadth["model"], &breadth["engine"]), (&"m.dve".into(), &"breadth".into()));
    assert_eq!(breadth["measure"], Value::Null, "a measure is for engines that sweep");
    assert_eq!((&breadth["ratios"]["time"], &breadth["ratios"]["peak_stored"]), (&1.0.into(), &1.0.into()));
    assert_eq!((&sweep["engine"], &sweep["searched_by"]), (&"sweep-disk".into(), &"sweep-disk".into()));
    assert_eq!(sweep["measure"]["expression"], "x");
    for one in [breadth, sweep] {
        assert_eq!(
            (&one["exit_code"], &one["complete"], &one["stopped"]),
            (&0.into(), &true.into(), &Value::Null)
        );
        assert_eq!((&one["states"]["distinct"], &one["states"]["explored"]), (&10.into(), &10.into()));
        assert_eq!((&one["transitions"]["total"], &one["deadlocks"]), (&9.into(), &1.into()));
        assert!(one["resources"]["wall_seconds"].as_f64().unwrap() > 0.0);
    }
    let peak = |one: &Value| one["states"]["peak_stored"].as_f64().unwrap();
    assert_eq!(sweep["ratios"]["peak_stored"].as_f64().unwrap(), peak(sweep) / peak(breadth));
    let io = &sweep["io"];
    let moved = io["states_written"].as_f64().unwrap() + io["states_read"].as_f64().unwrap();
    assert_eq!(sweep["ios_per_state"].as_f64().unwrap(), moved / 10.0);
}

#[test]
fn a_found_measure_does_not_change_the_engine() {
    let model = format!("{}/../../models/dve/two_phase_commit.dve", env!("CARGO_MANIFEST_DIR"));
    let session = Session::new();
    let engines = ["--engines", "sweep-disk,breadth-disk", "--memory", "1MiB"];
    let run = session.run(&[&["compare", &model, "--json", "c.json"][..], &engines].concat()).expect(0);
    assert_eq!(cells(&run, "breadth-disk")[1], "150,629");
    let record = session.json("c.json");
    assert_eq!(runs(&record)[0]["searched_by"], "sweep-disk");
    assert!(runs(&record)[0]["ios_per_state"].as_f64().unwrap() > 0.0);
    assert_eq!(runs(&record)[0]["measure"]["origin"], "derived");
}

#[test]
fn the_csv_has_a_line_a_run() {
    let session = Session::with_model(COUNTER);
    session.write("a,b.dve", BROKEN_LOCK);
    let arguments = ["compare", "m.dve", "a,b.dve", "--engines", "breadth,depth", "--csv", "c.csv"];
    session.run(&arguments).expect(0).out("m.dve").out("a,b.dve");
    let csv = session.read("c.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("model,engine,searched_by,exit_code,complete,stopped,distinct,"), "{csv}");
    assert!(lines[1].starts_with("m.dve,breadth,breadth,0,true,,10,10,10,10,9,1,0,0,0,"), "{csv}");
    assert!(lines[4].starts_with("\"a,b.dve\",depth,depth,0,true,,"), "{csv}");
    assert_eq!(lines.len(), 5);
    let columns = |line: &str| line.split(',').count();
    assert_eq!(columns(lines[0]), columns(lines[1]));
}

#[test]
fn every_model_has_a_block_and_is_compared_with_itself() {
    let session = Session::with_model(COUNTER);
    session.write("n.dve", BROKEN_LOCK);
    let arguments = ["compare", "--engines", "depth,breadth", "m.dve", "n.dve", "--json", "c.json"];
    let run = session.run(&arguments).expect(0).out("m.dve\nengine").out("\n\nn.dve\nengine");
    assert_eq!(run.stdout.lines().count(), 9, "{}", run.stdout);
    let record = session.json("c.json");
    let firsts: Vec<&Value> = runs(&record).iter().step_by(2).collect();
    assert!(firsts.iter().all(|run| run["engine"] == "depth" && run["ratios"]["time"] == 1.0), "{record}");
    assert_eq!(runs(&record)[2]["model"], "n.dve");
}

#[test]
fn an_engine_that_reaches_a_limit_does_not_stop_the_others() {
    let model = format!("{}/../../models/dve/sliding_window.dve", env!("CARGO_MANIFEST_DIR"));
    let session = Session::new();
    let arguments = [
        "compare",
        &model,
        "--engines",
        "breadth,sweep",
        "-D",
        "PACKETS=80",
        "--memory",
        "640KiB",
        "--json",
        "c.json",
    ];
    let run = session.run(&arguments).expect(3);
    let stopped = cells(&run, "breadth");
    assert!(stopped[1].starts_with("incomplete: the memory limit is reached ("), "{stopped:?}");
    assert_eq!(stopped.len(), 2, "no figures: {stopped:?}");
    let sweep = cells(&run, "sweep");
    assert_eq!(sweep[7..], ["-", "-", "-"], "nothing to be measured by");
    let record = session.json("c.json");
    let [breadth, sweep] = runs(&record) else { panic!("{record}") };
    assert_eq!((&breadth["exit_code"], &breadth["complete"]), (&3.into(), &false.into()));
    assert_eq!(breadth["stopped"], "the memory limit is reached");
    assert_eq!(sweep["complete"], true);
    assert_eq!(record["exit_code"], 3);
}

#[test]
fn the_time_limit_is_for_each_engine() {
    let session = Session::with_model(ENDLESS);
    let run =
        session.run(&["compare", "m.dve", "--engines", "breadth,depth", "--time-limit", "100ms"]).expect(3);
    for engine in ["breadth", "depth"] {
        assert!(cells(&run, engine)[1].starts_with("incomplete: the time limit is reached ("));
    }
}

#[test]
fn a_model_may_come_from_stdin() {
    let session = Session::new();
    let run = session.run_with_input(&["compare", "-", "--engines", "breadth,depth"], COUNTER).expect(0);
    assert_eq!((&cells(&run, "breadth")[1], &cells(&run, "depth")[1]), (&"10".into(), &"10".into()));
}

/// Asserts that the command line is refused and that no engine runs.
#[track_caller]
fn refused(session: &Session, arguments: &[&str], part: &str) {
    let run = session.run(&[&["compare"], arguments].concat()).expect(2).err(part);
    assert_eq!(run.stdout, "");
}

#[test]
fn mistakes_on_the_command_line_are_refused() {
    let session = Session::with_model(COUNTER);
    refused(&session, &["m.dve", "--engines", "breadth,swep"], "'sweep'");
    refused(&session, &["m.dve", "--engines", "depth,breadth,depth"], "names depth more than once");
    refused(&session, &["m.dve", "m.dve"], "`m.dve` is named more than once");
    refused(&session, &["m.dve", "--engines", "breadth", "--measure", "x"], "--measure is for a sweep");
    refused(
        &session,
        &["m.dve", "--measure", "x", "--seed", "1"],
        "--seed is for the automatic measure search",
    );
    refused(&session, &["m.dve", "--json", "m.dve"], "--json would overwrite the input");
    refused(&session, &["m.dve", "--json", "-", "--csv", "-"], "would write to the same file");
    refused(&session, &["m.dve", "--csv", "none/c.csv"], "error[E0007]");
    refused(&session, &["m.dve", "--disk", "none"], "error[E0008]");
    refused(&session, &[], "MODEL");
    assert_eq!(session.files(), ["m.dve"]);
}

#[test]
fn mistakes_in_models_and_measures_are_reported_once_before_any_run() {
    let session = Session::with_model(COUNTER);
    session.write("bad.dve", COUNTER.replace("x + 1", "y + 1"));
    refused(&session, &["m.dve", "bad.dve"], "error[E0201]");
    refused(&session, &["m.dve", "none.dve"], "error[E0001]");
    refused(&session, &["m.dve", "--measure", "zz"], "error[E0201]");
    refused(&session, &["m.dve", "--measure", "none"], "error[E0019]");
    let run = session.run(&["compare", "bad.dve"]);
    assert_eq!(run.stderr.matches("error[").count(), 1, "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_shows_the_finished_runs() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let session = Session::with_model(COUNTER);
    session.write("endless.dve", ENDLESS);
    // The time limit is for a signal that does not arrive.
    let arguments = [
        "compare",
        "m.dve",
        "endless.dve",
        "--engines",
        "breadth,depth",
        "--time-limit",
        "60s",
        "--json",
        "c.json",
    ];
    let start = Instant::now();
    let child = session.spawn(&arguments, Stdio::null());
    std::thread::sleep(Duration::from_millis(1500));
    // The signal goes to this process alone, which passes it on.
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let run = Run::of(child.wait_with_output().unwrap()).expect(3).err("warning[W0024]");
    assert!(start.elapsed() < Duration::from_secs(50));
    assert!(cells(&run, "breadth").len() == 10, "{}", run.stdout);
    let record = session.json("c.json");
    let last = runs(&record).last().unwrap();
    assert_eq!((&last["model"], &last["stopped"]), (&"endless.dve".into(), &"interrupted".into()));
    assert_eq!(record["exit_code"], 3);
}
