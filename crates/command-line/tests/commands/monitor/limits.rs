//! Limits and interrupts: the answer is `unknown`, the exit code is 3, and the record is written.

use crate::session::{BROKEN_LOCK, COUNTER, ENDLESS, Session};

#[track_caller]
fn stopped(arguments: &[&str], code: &str) -> crate::session::Run {
    let session = Session::with_model(ENDLESS);
    let run = session.run(&[&["check", "m.dve", "--json", "run.json"], arguments].concat()).expect(3);
    let record = session.json("run.json");
    assert_eq!(record["exit_code"], 3);
    assert_eq!(record["search"]["complete"], false);
    assert_eq!(record["properties"][0]["verdict"], "unknown");
    assert_eq!(record["diagnostics"][0]["code"], code);
    run.out("unknown   no deadlock").err(&format!("warning[{code}]"))
}

#[test]
fn the_state_limit_stops_a_search() {
    stopped(&["--state-limit", "1000"], "W0021")
        .err("raise --state-limit")
        .out("incomplete, the limit of 1000 states");
    stopped(&["--state-limit", "1000", "--engine", "depth"], "W0021");
    stopped(&["--state-limit", "1000", "--engine", "partition"], "W0021");
}

#[test]
fn the_time_limit_stops_a_search() {
    stopped(&["--time-limit", "100ms"], "W0022").err("raise --time-limit");
    stopped(&["--time-limit", "100ms", "--execution", "interpreted"], "W0022").err("--execution compiled");
    stopped(&["--time-limit", "100ms", "--engine", "depth"], "W0022");
}

#[test]
fn the_memory_limit_stops_a_search_and_is_not_exceeded() {
    for (engine, most) in [("breadth", 17 << 20), ("depth", 17 << 20)] {
        let session = Session::with_model(ENDLESS);
        let arguments = ["explore", "m.dve", "--memory", "16MiB", "--engine", engine, "--json", "run.json"];
        session
            .run(&arguments)
            .expect(3)
            .err("warning[W0023]")
            .err("raise --memory, which is 16.0 MiB now")
            .err("warning[W0035]")
            .err("--measure EXPR");
        let record = session.json("run.json");
        assert!(record["resources"]["peak_state_bytes"].as_u64().unwrap() <= most);
        assert!(record["search"]["states"]["distinct"].as_u64().unwrap() > 10_000);
    }
}

#[test]
fn states_ahead_spill_to_disk_when_memory_is_full() {
    let model = format!("{}/../../models/dve/two_phase_commit.dve", env!("CARGO_MANIFEST_DIR"));
    let session = Session::with_model(ENDLESS);
    let explored = |more: &[&str]| {
        let run = session.run(&[&["explore", &model, "--json", "run.json"], more].concat()).expect(0);
        (run, session.json("run.json"))
    };
    let (_, roomy) = explored(&["--engine", "sweep"]);
    assert_eq!(roomy["search"]["io"]["states_written"], 0);
    for more in
        [&["--engine", "sweep", "--memory", "1MiB"][..], &["--engine", "sweep-disk", "--memory", "1MiB"]]
    {
        let (run, record) = explored(more);
        run.out("\non disk           ");
        let io = &record["search"]["io"];
        assert!(io["states_written"].as_u64().unwrap() > 0);
        assert_eq!(record["search"]["deadlocks"], roomy["search"]["deadlocks"]);
        assert_eq!(record["search"]["states"]["explored"], roomy["search"]["states"]["explored"]);
        assert!(record["resources"]["peak_state_bytes"].as_u64().unwrap() <= 1 << 20);
        assert!(
            record["search"]["states"]["peak_stored"].as_u64()
                < roomy["search"]["states"]["peak_stored"].as_u64()
        );
    }
}

#[test]
fn partitions_spill_to_disk_when_memory_is_full() {
    let model = format!("{}/../../models/dve/two_phase_commit.dve", env!("CARGO_MANIFEST_DIR"));
    let session = Session::with_model(ENDLESS);
    let explored = |more: &[&str]| {
        let run = session.run(&[&["explore", &model, "--json", "run.json"], more].concat()).expect(0);
        (run, session.json("run.json"))
    };
    let (_, roomy) = explored(&["--engine", "breadth"]);
    let (run, record) = explored(&["--engine", "partition", "--memory", "1MiB"]);
    run.out("partitioned, compiled: complete\n").out("\non disk           ");
    assert_eq!(record["plan"]["engine"], "partition");
    assert!(record["search"]["layers"].as_u64().unwrap() > 1);
    assert_eq!(record["search"]["deadlocks"], roomy["search"]["deadlocks"]);
    assert_eq!(record["search"]["states"]["distinct"], roomy["search"]["states"]["distinct"]);
    assert_eq!(record["search"]["transitions"]["total"], roomy["search"]["transitions"]["total"]);
    let short = session.run(&["check", "m.dve", "--engine", "partition", "--ctl", "AG EF a == 0"]);
    short.expect(2).err("one partition in memory");
}

#[test]
fn a_tiny_memory_limit_is_a_limit_like_any_other() {
    for memory in ["1", "4KiB", "64KiB"] {
        stopped(&["--memory", memory], "W0023");
        stopped(&["--memory", memory, "--engine", "partition"], "W0023");
    }
}

#[test]
fn a_violation_within_the_limits_is_a_violation() {
    let session = Session::with_model(ENDLESS);
    session.run(&["check", "m.dve", "--invariant", "a < 5", "--deadlock", "--state-limit", "5000"]).expect(1);
}

#[test]
fn limits_that_are_not_reached_change_nothing() {
    let session = Session::with_model(BROKEN_LOCK);
    let arguments = [
        "check",
        "m.dve",
        "--deadlock",
        "--memory",
        "100MB",
        "--time-limit",
        "1h",
        "--state-limit",
        "1000",
        "--disk",
        ".",
    ];
    session.run(&arguments).expect(0);
    assert_eq!(session.files(), ["m.dve"]);
    let session = Session::with_model(COUNTER);
    session.run(&["explore", "m.dve", "--state-limit", "11"]).expect(0);
}

#[test]
fn a_stopped_exploration_ends_with_three() {
    Session::with_model(ENDLESS).run(&["explore", "m.dve", "--state-limit", "1000"]).expect(3).err("W0021");
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_writes_its_record() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    for signal in ["INT", "TERM"] {
        let session = Session::with_model(ENDLESS);
        // Slow enough to be still running; the time limit is for a signal that does not arrive.
        let arguments =
            ["check", "m.dve", "--execution", "interpreted", "--time-limit", "60s", "--json", "run.json"];
        let child = session.spawn(&arguments, Stdio::null());
        std::thread::sleep(Duration::from_millis(700));
        let sent =
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let run = crate::session::Run::of(child.wait_with_output().unwrap()).expect(3);
        run.out("unknown   no deadlock: interrupted").err("warning[W0024]");
        let record = session.json("run.json");
        assert_eq!(record["exit_code"], 3);
        assert_eq!(record["search"]["stopped"], "interrupted");
        assert!(record["search"]["states"]["distinct_estimate"].as_u64().unwrap() > 0);
    }
}

#[test]
fn a_model_with_errors_in_every_state_stops_in_time() {
    let session = Session::with_model(
        "int a; int b; int c; byte z;\nprocess P { state s; init s;\n\
         trans s -> s { guard a < 300; effect a = a + 1; }, s -> s { guard b < 300; effect b = b + 1; },\n\
         s -> s { guard c < 300; effect c = c + 1; }, s -> s { effect z = 1 / z; }; }\nsystem async;\n",
    );
    for engine in ["breadth", "depth"] {
        session.run(&["explore", "m.dve", "-q", "--engine", engine, "--time-limit", "100ms"]).expect(3);
    }
}

#[test]
fn states_are_counted_even_if_there_is_no_memory_to_repack_them() {
    let session = Session::with_model(
        "int a; int b; int c; int d; int e; int f; int g; int h;\nprocess P { state s; init s;\n\
         trans s -> s { guard a < 150; effect a = a + 1; }, s -> s { guard b < 150; effect b = b + 1; },\n\
         s -> s { guard c < 150; effect c = c + 1; },\n\
         s -> s { guard a == 130, b == 0, c == 0; effect d = d - 9999, e = e + d*3, f = f + e*7, g = g-f*11, h = g*d; }; }\n\
         system async;\n",
    );
    let arguments = ["explore", "m.dve", "--engine", "breadth", "--memory", "6MiB", "--json", "-"];
    let run = session.run(&arguments).expect(3);
    let record: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(record["search"]["states"]["distinct"].as_u64().unwrap() > 200_000, "{record}");
}

#[test]
fn a_limit_that_is_just_enough_does_not_stop_the_search() {
    let session = Session::with_model(
        "byte x;\nprocess P { state s; init s; trans s -> s { effect x = x + 1; }; }\nsystem async;\n",
    );
    for engine in ["breadth", "depth"] {
        session.run(&["explore", "m.dve", "-q", "--engine", engine, "--state-limit", "256"]).expect(0);
        session.run(&["explore", "m.dve", "-q", "--engine", engine, "--state-limit", "255"]).expect(3);
    }
}
