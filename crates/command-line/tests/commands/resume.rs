//! Checkpoints: runs that are killed, interrupted, out of disk space or damaged, and then resumed.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::session::{COUNTER, Session};
use serde_json::Value;

/// Two cyclic counters and one that is not: the measure below has regress edges.
const COUNTERS: &str = "\
int a, b, c;
process P { state s; init s; trans s -> s { guard a < 170; effect a = a + 1; }; }
process Q { state s; init s; trans s -> s { effect b = (b + 1) % 170; }; }
process R { state s; init s; trans s -> s { effect c = (c + 1) % 170; }; }
system async;
";

/// By one thread: only then does a resumed run count everything as one that was never interrupted.
const RUN: [&str; 11] = [
    "check",
    "m.dve",
    "--reach",
    "a == 171",
    "--reach",
    "a == 170 and b == 169 and c == 169",
    "--measure",
    "(a, b)",
    "--threads",
    "1",
    "--engine",
];

fn run<'a>(engine: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&RUN[..], &[engine], more].concat()
}

const SAVED: [&str; 4] = ["--checkpoint", "saved", "--checkpoint-every", "20ms"];

/// The record without the fields that differ between runs.
fn comparable(mut record: Value) -> Value {
    record.as_object_mut().unwrap().remove("resources");
    record
}

/// Whether there is a checkpoint in the folder. A process that is killed while it replaces one leaves
/// only the one before it.
fn has_checkpoint(session: &Session) -> bool {
    ["saved/checkpoint", "saved/checkpoint.previous"].iter().any(|name| session.path(name).exists())
}

/// Kills the process at twenty random moments of one run, resumes it each time, and compares with
/// an uninterrupted run.
#[test]
fn a_run_that_is_killed_twenty_times_has_the_same_result() {
    for (engine, seed) in [("sweep-disk", 1u64), ("sweep", 7)] {
        let session = Session::with_model(COUNTERS);
        session.run(&run(engine, &["--json", "whole.json"])).expect(1);
        let begin = run(engine, &[&SAVED[..], &["--json", "pieces.json"]].concat());
        let (mut random, mut killed, mut resumed) = (seed, 0, 0);
        while killed < 20 {
            let is_begun = has_checkpoint(&session);
            resumed += u32::from(is_begun);
            let arguments = if is_begun { vec!["resume", "saved"] } else { begin.clone() };
            let mut child = session.spawn(&arguments, Stdio::null());
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let moment = Instant::now() + Duration::from_millis(20 + (random >> 33) % 230);
            let mut is_over = false;
            while Instant::now() < moment && !is_over {
                is_over = child.try_wait().unwrap().is_some();
                std::thread::sleep(Duration::from_millis(1));
            }
            if is_over {
                // The run ended before it was killed twenty times: start again.
                assert!(!session.path("saved").exists());
                continue;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            killed += 1;
        }
        assert!(resumed > 5, "{resumed} of 20 went on");
        let last = if session.path("saved").exists() { vec!["resume", "saved"] } else { begin };
        session.run(&last).expect(1);
        assert_eq!(comparable(session.json("pieces.json")), comparable(session.json("whole.json")));
        assert_eq!(session.files(), ["m.dve", "pieces.json", "whole.json"], "nothing is left behind");
    }
}

/// A run by several threads, or one that changes over, is saved and resumed like others: it is killed again and again, and
/// its answers and counts are those of a run that was not.
#[test]
fn runs_by_several_threads_and_without_a_measure_survive_being_killed() {
    for (options, seed) in [
        (&["--measure", "(a, b)", "--threads", "2"][..], 3u64),
        (&["--threads", "2"], 5),
        // Little memory: the finder starts soon, and the search spills.
        (&["--memory", "40MiB"], 9),
    ] {
        let session = Session::with_model(COUNTERS);
        let begin = [&RUN[..6], options].concat();
        session.run(&[&begin[..], &["--json", "whole.json"]].concat()).expect(1);
        let begin = [&begin[..], &SAVED, &["--json", "pieces.json"]].concat();
        let mut random = seed;
        for _ in 0..6 {
            let arguments = if has_checkpoint(&session) { vec!["resume", "saved"] } else { begin.clone() };
            let mut child = session.spawn(&arguments, Stdio::null());
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(Duration::from_millis(30 + random % 150));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        session.run(&if has_checkpoint(&session) { vec!["resume", "saved"] } else { begin }).expect(1);
        let [pieces, whole] = ["pieces.json", "whole.json"].map(|name| session.json(name));
        for record in [&pieces, &whole] {
            let verdicts =
                record["properties"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap());
            assert_eq!(verdicts.collect::<Vec<_>>(), ["violated", "holds"], "{options:?}");
            assert_eq!(record["search"]["deadlocks"], 0, "{options:?}");
            let states = &record["search"]["states"]["distinct"];
            assert!(states.is_null() || *states == 171 * 170 * 170, "{options:?}: {states}");
        }
    }
}

/// A run that the time limit stopped, with two checkpoints.
fn stopped() -> Session {
    let session = Session::with_model(COUNTERS);
    let limited = run("sweep", &[&SAVED[..], &["--time-limit", "400ms", "--json", "run.json"]].concat());
    session.run(&limited).expect(3).err("`sweepline resume saved` continues").err("W0022");
    assert!(session.path("saved/checkpoint").exists() && session.path("saved/checkpoint.previous").exists());
    session
}

#[test]
fn a_damaged_checkpoint_is_noticed_and_the_one_before_it_is_used() {
    let session = stopped();
    let whole = fs::read(session.path("saved/checkpoint")).unwrap();
    let resume = ["resume", "saved", "--time-limit", "1h", "--json", "pieces.json"];
    for damage in [whole[..whole.len() / 2].to_vec(), Vec::new(), {
        let mut changed = whole.clone();
        changed[whole.len() / 3] ^= 4;
        changed
    }] {
        session.write("saved/checkpoint", &damage);
        let copy = fs::read(session.path("saved/checkpoint.previous")).unwrap();
        session.run(&resume).expect(1).err("warning[W0042]").err("the one before it");
        session.run(&run("sweep", &["--json", "whole.json"])).expect(1);
        assert_eq!(comparable(session.json("pieces.json")), comparable(session.json("whole.json")));
        fs::create_dir(session.path("saved")).unwrap();
        session.write("saved/checkpoint.previous", copy);
    }
    session.write("saved/checkpoint", "nothing");
    session.write("saved/checkpoint.previous", &whole[..99]);
    session.run(&resume).expect(2).err("error[E0041]").err("damaged");
    session.run(&["resume", "elsewhere"]).expect(2).err("error[E0041]").err("--checkpoint");
}

#[test]
fn a_changed_model_is_refused_and_a_checkpoint_is_not_overwritten() {
    let session = stopped();
    session.run(&run("sweep", &SAVED)).expect(2).err("error[E0044]").err("sweepline resume saved");
    session.write("m.dve", COUNTERS.replace("a < 170", "a < 169"));
    session.run(&["resume", "saved"]).expect(2).err("error[E0043]").err("has changed since");
    session.write("m.dve", COUNTERS);
    // From another folder, with a record there.
    fs::create_dir(session.path("other")).unwrap();
    let mut command = session.command(&["resume", "../saved", "--time-limit", "1h", "--json", "here.json"]);
    let output = command.current_dir(session.path("other")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(session.path("other/here.json").exists());
    assert!(!session.path("saved").exists(), "nothing is left behind");
}

/// A resumed search would test a changed property only on the remaining states.
#[test]
fn changed_files_of_properties_and_measures_are_refused() {
    let net = "PLACE a, b, c, d; MARKING a: 40, c: 40; TRANSITION ab CONSUME a: 1; PRODUCE b: 1; \
        TRANSITION ba CONSUME b: 1; PRODUCE a: 1; TRANSITION cd CONSUME c: 1; PRODUCE d: 1;";
    let session = Session::new();
    session.write("n.lola", net);
    session.write("p.task", "AG (b < 41)");
    session.write("m.measure", "d");
    let arguments = [
        &["check", "n.lola", "--properties", "p.task", "--measure", "@m.measure", "--state-limit", "200"][..],
        &SAVED,
    ];
    session.run(&arguments.concat()).expect(3).err("W0021");
    let resume = ["resume", "saved", "--state-limit", "1000000"];
    session.write("p.task", "AG (b < 30)");
    session.run(&resume).expect(2).err("error[E0043]").err("`p.task` has changed since");
    session.write("p.task", "AG (b < 41)");
    session.write("m.measure", "0 - b");
    session.run(&resume).expect(2).err("error[E0043]").err("`m.measure` has changed since");
    session.write("m.measure", "d");
    session.run(&resume).expect(0).out("holds");
}

#[test]
fn runs_that_cannot_be_saved_are_refused() {
    let session = Session::with_model(COUNTER);
    for engine in ["depth", "partition"] {
        let arguments = ["check", "m.dve", "--engine", engine, "--checkpoint", "saved"];
        session.run(&arguments).expect(2).err("--checkpoint is for sweeps");
    }
    let run = session.run_with_input(&["check", "-", "--checkpoint", "saved"], COUNTER);
    run.expect(2).err("a model from stdin cannot be saved");
    session.run(&["check", "m.dve", "--checkpoint-every", "1s"]).expect(2).err("--checkpoint");
    assert_eq!(session.files(), ["m.dve"]);
}

/// A disk limit ends the run with a checkpoint, which a run with a higher limit completes.
#[test]
fn a_full_disk_ends_in_unknown_with_a_usable_checkpoint() {
    let session = Session::with_model(COUNTERS);
    let disk =
        ["check", "m.dve", "--reach", "a == 171", "--engine", "breadth-disk", "--disk-limit", "600KiB"];
    let limited = [&disk[..], &SAVED, &["--json", "run.json"]].concat();
    session.run(&limited).expect(3).err("warning[W0025]").err("--disk-limit").err("sweepline resume saved");
    let record = session.json("run.json");
    assert_eq!((&record["exit_code"], &record["search"]["complete"]), (&3.into(), &false.into()));
    let resume = ["resume", "saved", "--disk-limit", "1GiB", "--json", "pieces.json"];
    session.run(&resume).expect(1);
    let (pieces, states) = (session.json("pieces.json"), 171 * 170 * 170);
    assert_eq!(pieces["search"]["complete"], true);
    assert!(pieces["search"]["states"]["explored"].as_u64().unwrap() >= states);
    assert_eq!(session.files(), ["m.dve", "pieces.json", "run.json"]);
}

/// Ctrl-C and SIGUSR1 make a checkpoint at once.
#[cfg(unix)]
#[test]
fn signals_make_checkpoints() {
    let session = Session::with_model(COUNTERS);
    let child = session.spawn(&run("sweep", &["--checkpoint", "saved", "--json", "run.json"]), Stdio::null());
    let checkpoint = session.path("saved/checkpoint");
    let wait_for = |what: &dyn Fn() -> bool| {
        let end = Instant::now() + Duration::from_secs(60);
        while !what() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(what(), "it takes too long");
    };
    let signal = |name: &str| {
        let pid = child.id().to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        assert!(sent.success());
    };
    wait_for(&|| checkpoint.exists());
    signal("USR1");
    wait_for(&|| session.path("saved/checkpoint.previous").exists());
    signal("INT");
    let run = crate::session::Run::of(child.wait_with_output().unwrap());
    run.expect(3).err("warning[W0024]").err("sweepline resume saved");
    session.run(&["resume", "saved"]).expect(1);
    assert_eq!(session.files(), ["m.dve", "run.json"]);
}

/// Tokens that go round in a circle of three places: half a million states.
const CIRCLE: &str = "\
PLACE a, b, c;
MARKING a: 1000;
TRANSITION t CONSUME a: 1; PRODUCE b: 1;
TRANSITION u CONSUME b: 1; PRODUCE c: 1;
TRANSITION v CONSUME c: 1; PRODUCE a: 1;
";

/// A file of properties: each is `AG (place <= bound)`, with a name.
fn bounds(properties: &[(&str, &str, u32)]) -> String {
    let property = |(name, place, bound): &(&str, &str, u32)| {
        format!(
            "<property><id>{name}</id><formula><all-paths><globally><integer-le>\
             <tokens-count><place>{place}</place></tokens-count>\
             <integer-constant>{bound}</integer-constant>\
             </integer-le></globally></all-paths></formula></property>"
        )
    };
    format!("<property-set>{}</property-set>", properties.iter().map(property).collect::<String>())
}

/// Stops a run at its state limit, changes an input file, and resumes the run.
fn is_refused(arguments: &[&str], file: &str, before: &str, after: &str) {
    let session = Session::new();
    session.write("n.lola", CIRCLE);
    session.write(file, before);
    let limited = ["--state-limit", "50000", "--checkpoint", "saved"];
    session
        .run(&[&["check", "n.lola"], arguments, &limited].concat())
        .expect(3)
        .err("sweepline resume saved");
    session.write(file, after);
    let resume = ["resume", "saved", "--state-limit", "5000000"];
    session.run(&resume).expect(2).err("error[E0043]").err(&format!("`{file}` has changed"));
    // With the original file, the run completes.
    session.write(file, before);
    session.run(&resume).expect(0);
    assert!(!session.path("saved").exists());
}

/// Otherwise `resume` would report that `a <= 999` holds: the initial state was tested with another
/// bound.
#[test]
fn changed_properties_are_refused() {
    let asked = bounds(&[("one", "a", 1000), ("two", "b", 1000)]);
    let arguments = ["--properties", "p.xml", "--engine", "breadth"];
    for after in [
        bounds(&[("one", "a", 999), ("two", "b", 1000)]),
        bounds(&[("one", "a", 1000), ("other", "b", 1000)]),
        bounds(&[("two", "b", 1000), ("one", "a", 1000)]),
        bounds(&[("one", "a", 1000)]),
        bounds(&[("one", "a", 1000), ("two", "b", 1000), ("three", "c", 1000)]),
        asked.replace("all-paths", "exists-path").replace("globally", "finally"),
    ] {
        is_refused(&arguments, "p.xml", &asked, &after);
    }
    // With --property, the names on the command line choose among those in the file.
    let chosen = [&arguments[..], &["--property", "two"]].concat();
    is_refused(&chosen, "p.xml", &asked, &asked.replace("1000", "999"));
}

#[test]
fn a_changed_task_of_lola_is_refused() {
    let arguments = ["--properties", "p.task", "--engine", "breadth"];
    is_refused(&arguments, "p.task", "FORMULA AG (a <= 1000);", "FORMULA AG (a <= 999);");
}

#[test]
fn a_changed_model_or_measure_is_refused() {
    let arguments = ["--invariant", "a <= 1000", "--engine", "sweep", "--measure", "@m.txt"];
    is_refused(&arguments, "m.txt", "c", "b");
    let arguments = ["--invariant", "a <= 1000", "--engine", "breadth", "--reach", "a == 1000", "--deadlock"];
    is_refused(&arguments, "n.lola", CIRCLE, &CIRCLE.replace("a: 1000", "a: 999"));
}

/// What is asked on the command line is in the checkpoint, and `resume` takes no questions.
#[test]
fn questions_of_the_command_line_come_from_the_checkpoint() {
    let session = Session::new();
    session.write("n.lola", CIRCLE);
    let asked =
        ["--invariant", "a <= 1000", "--reach", "b == 1000", "--ctl", "AG EF c == 0", "--home", "a == 1000"];
    let limited = ["--engine", "breadth", "--state-limit", "50000", "--checkpoint", "saved"];
    session.run(&[&["check", "n.lola"], &asked[..], &limited].concat()).expect(3);
    for option in ["--invariant", "--reach", "--ctl", "--ltl", "--home", "--property", "--properties"] {
        session.run(&["resume", "saved", option, "a == 1"]).expect(2).err(option);
    }
    session.run(&["resume", "saved", "--state-limit", "5000000", "--json", "r.json"]).expect(0);
    let record = session.json("r.json");
    assert_eq!(record["properties"].as_array().unwrap().len(), 4);
    assert_eq!(record["search"]["states"]["distinct"], 501_501);
}

/// Formulas, automata and services are not saved: there is no checkpoint that other ones could resume.
#[test]
fn questions_that_need_an_automaton_are_not_saved() {
    let session = Session::new();
    session.write("n.lola", CIRCLE);
    session.write("never.txt", "never { T0_init: do :: (a == 0) -> goto accept od; accept: skip }");
    session.write("service.txt", "initial s\nfinal s\ns -> s : t\n");
    for arguments in [
        ["--ltl", "G a <= 1000"],
        ["--automaton", "never.txt"],
        ["--safety-automaton", "service.txt"],
        ["--ctl", "EG a > 0"],
    ] {
        let run = session.run(&[&["check", "n.lola"], &arguments[..], &["--checkpoint", "saved"]].concat());
        run.expect(2).err("error[").err("--checkpoint");
        assert!(!session.path("saved/checkpoint").exists());
    }
}
