//! The command line of the thesis as printed, and the ten rows for CTL and safety of its table 8.1.
//! The state spaces come from our own model of its protocol: 6 packets, at most 3 in transit.

use crate::session::Session;

/// The files of the thesis, with the meaning of `p` and the constants of the model.
const SPACES: &[(&str, &str, &[&str])] = &[
    ("EFallreceived-true.ss", "next_receive == PACKETS + 1", &[]),
    ("EFallreceived-true-nm.ss", "next_receive == PACKETS + 1", &["-D", "DO_MAX=0"]),
    ("EFtwoahead-false.ss", "next_send - 2 >= next_receive", &[]),
    ("EFtwoahead-false-nm.ss", "next_send - 2 >= next_receive", &["-D", "DO_MAX=0"]),
    ("AGEFallreceived-true.ss", "next_receive == PACKETS + 1", &[]),
    ("AGEFallreceived-false.ss", "next_receive == PACKETS + 1", &["-D", "ACK_ALL=0"]),
];

fn validation() -> Session {
    let session = Session::new();
    let model = format!("{}/../../models/dve/stop_and_wait_overtaking.dve", env!("CARGO_MANIFEST_DIR"));
    for (name, proposition, constants) in SPACES {
        let proposition = format!("p={proposition}");
        let convert = ["convert", &model, "--to", "ss", "-o", name, "--proposition", &proposition];
        session.run(&[&convert[..], constants].concat()).expect(0);
    }
    session.write("EF-p.txt", "EF p\n");
    session.write("AGEF-p.txt", "AGEF p\n");
    session.write("pPred.txt", "0\n1\n0 true 0 p 1\n1 true 1\n");
    session
}

#[test]
fn the_ten_rows_of_table_8_1() {
    let session = validation();
    // Model, option, its file, kind, whether there is a trace, exit code.
    let rows = [
        ("EFallreceived-true.ss", "-f", "EF-p.txt", "-s", true, 0),
        ("EFallreceived-true-nm.ss", "-f", "EF-p.txt", "-s", true, 0),
        ("EFtwoahead-false.ss", "-f", "EF-p.txt", "-s", false, 1),
        ("EFtwoahead-false-nm.ss", "-f", "EF-p.txt", "-s", false, 1),
        ("AGEFallreceived-false.ss", "-f", "AGEF-p.txt", "-c", true, 1),
        ("AGEFallreceived-true.ss", "-f", "AGEF-p.txt", "-c", false, 0),
        ("EFallreceived-true.ss", "-a", "pPred.txt", "-s", true, 0),
        ("EFallreceived-true-nm.ss", "-a", "pPred.txt", "-s", true, 0),
        ("EFtwoahead-false.ss", "-a", "pPred.txt", "-s", false, 1),
        ("EFtwoahead-false-nm.ss", "-a", "pPred.txt", "-s", false, 1),
    ];
    for (model, option, file, kind, trace, code) in rows {
        let _ = std::fs::remove_file(session.path("trace.txt"));
        let run = session.run(&["-m", model, option, file, kind]).expect(code);
        run.out(if trace { "trace     yes" } else { "trace     no\n" });
        assert_eq!(session.files().contains(&"trace.txt".into()), trace, "{model} {option} {file}");
        if trace {
            assert_is_run(&session.read("trace.txt"), &session.read(model), kind == "-s");
        }
    }
}

/// Asserts that the lines are a run of the state space from its initial state. With `last`, `p`
/// holds only in the last state. Otherwise it holds nowhere, and the component after the run is
/// terminal.
#[track_caller]
fn assert_is_run(trace: &str, space: &str, last: bool) {
    let row = |id: &str| -> Vec<&str> {
        let line = space.lines().find(|line| line.split(' ').next() == Some(id));
        line.unwrap_or_else(|| panic!("no state {id}")).split(' ').collect()
    };
    let successors = |id: &str| -> Vec<&str> { row(id)[4..].iter().skip(1).step_by(2).copied().collect() };
    let mut lines = trace.lines();
    let run: Vec<&str> = lines.by_ref().take_while(|line| !line.ends_with(':')).collect();
    assert_eq!(run[0], "1");
    assert!(run.windows(2).all(|pair| successors(pair[0]).contains(&pair[1])), "{trace}");
    let (end, way) = run.split_last().unwrap();
    assert!(way.iter().all(|state| row(state)[3] == "!p"));
    assert_eq!(row(end)[3], if last { "p" } else { "!p" });
    let component: Vec<&str> = lines.collect();
    assert_eq!(component.is_empty(), last);
    for state in &component {
        assert_eq!(row(state)[3], "!p");
        assert!(successors(state).iter().all(|next| component.contains(next)));
    }
    if !last {
        assert!(component.contains(end), "{trace}");
    }
}

#[test]
fn a_component_follows_the_trace() {
    let session = Session::new();
    session.write("m.ss", "a 0 1 p x b y c\nb 1 1 !p z c\nc 1 1 !p * b\n");
    session.write("f", "AGEF p");
    let run = session.run(&["-m", "m.ss", "-f", "f", "-c"]).expect(1);
    assert_eq!(
        run.stdout,
        "violated  AG EF p\ntrace     yes: 2 states in trace.txt\ncomponent 2 states that cannot be left, in trace.txt\n"
    );
    let trace = session.read("trace.txt");
    let (run, component) = trace.split_once("terminal strongly connected component:\n").unwrap();
    assert!(["a\nb\n", "a\nc\n"].contains(&run), "{trace}");
    let mut states: Vec<&str> = component.lines().collect();
    states.sort_unstable();
    assert_eq!(states, ["b", "c"]);
    // A witness is a trace, too.
    session.write("f", "EFAG !p\n");
    session.run(&["-m", "m.ss", "-f", "f", "-c"]).expect(0).out("holds     EF AG !p\ntrace     yes");
}

#[test]
fn runs_that_an_automaton_accepts_are_found_in_layers_and_across_them() {
    let session = Session::new();
    // `p` infinitely often: not in the first space, in a layer of the second, across layers of the
    // third.
    session.write("ends.ss", "a 0 1 p x b\nb 1 1 !p z c\nc 1 1 !p * b\n");
    session.write("layer.ss", "a 0 1 !p x b\nb 1 1 p z c\nc 1 1 !p * b\n");
    session.write("across.ss", "a 0 1 p x b\nb 1 1 !p z c\nc 2 1 !p * a\n");
    session.write("again.txt", "0\n1\n0 true 0 p 1\n1 true 0 p 1\n");
    let run = session.run(&["-m", "ends.ss", "-a", "again.txt", "-l"]).expect(0);
    assert_eq!(run.stdout, "holds     `again.txt` accepts no run\ntrace     no\n");
    let run = session.run(&["-m", "layer.ss", "-a", "again.txt", "-l"]).expect(1);
    assert_eq!(
        run.stdout,
        "violated  `again.txt` accepts no run\ntrace     yes: 3 states in trace.txt\ncycle     the last 2 of them, repeated forever\n"
    );
    let trace = session.read("trace.txt");
    assert!(
        ["a\nrepeated forever:\nb\nc\n", "a\nb\nrepeated forever:\nc\nb\n"].contains(&&trace[..]),
        "{trace}"
    );
    session.run(&["-l", "-m", "across.ss", "-a", "again.txt"]).expect(1).out("cycle     the last 3 of them");
    assert!(session.read("trace.txt").contains("repeated forever:\n"));
    // The same property as a formula, and as an automaton in the Hanoi format.
    session.write("f", "F G !p\n");
    session.run(&["-m", "ends.ss", "-f", "f", "-l"]).expect(0).out("holds     F G !p\ntrace     no");
    session.run(&["-m", "across.ss", "-f", "f", "-l"]).expect(1).out("violated  F G !p\ntrace     yes");
    session.run(&["convert", "across.ss", "--to", "hoa", "--ltl", "F G !p", "-o", "f.hoa"]).expect(0);
    session.run(&["-m", "across.ss", "-a", "f.hoa", "-l"]).expect(1);
    session.run(&["-m", "ends.ss", "-a", "f.hoa", "-l"]).expect(0);
}

#[test]
fn a_finite_run_repeats_its_last_state() {
    let session = Session::new();
    session.write("m.ss", "a 0 1 !p x b\nb 1 1 p\n");
    session.write("never.txt", "0\n0\n0 p 0\n");
    session.write("later.txt", "0\n1\n0 !p 0 p 1\n1 p 1\n");
    session.run(&["-m", "m.ss", "-a", "never.txt", "-l"]).expect(0).out("trace     no");
    let run = session.run(&["-m", "m.ss", "-a", "later.txt", "-l"]).expect(1);
    run.out("trace     yes: 2 states in trace.txt\ncycle     the last of them, repeated forever\n");
    assert_eq!(session.read("trace.txt"), "a\nrepeated forever:\nb\n");
}

/// The two rows for linear time: does the sender finish in every run?
#[test]
fn automata_are_checked_on_the_spaces_of_table_8_1() {
    let session = validation();
    // Runs on which `p` never holds.
    session.write("never-p.txt", "0\n0\n0 !p 0\n");
    session.write("F-p.txt", "F p");
    for (space, _, _) in SPACES {
        let by_automaton = session.run(&["-m", space, "-a", "never-p.txt", "-l"]);
        let by_formula = session.run(&["-m", space, "-f", "F-p.txt", "-l"]);
        let by_check = session.run(&["check", space, "--ltl", "F p"]);
        assert_eq!(by_automaton.code, by_check.code, "{space}: {}", by_automaton.stderr);
        assert_eq!(by_formula.code, by_check.code, "{space}: {}", by_formula.stderr);
    }
}

#[test]
fn options_come_in_any_order_and_names_are_those_of_the_file() {
    let session = Session::new();
    // File extensions do not matter, and names of states may contain any characters.
    session.write("testModel.txt", "in/it 0 1 !p * a/b\na/b 0 1 p\n");
    session.write("testPredicate.txt", "AG !p");
    session.write("automaton", "q0\nq1\nq0 true q0 p q1\nq1\n");
    session.run(&["-m", "testModel.txt", "-f", "testPredicate.txt", "-s"]).expect(1).out("violated  AG !p\n");
    assert_eq!(session.read("trace.txt"), "in/it\na/b\n");
    session.write("trace.txt", "old");
    session
        .run(&["-s", "-a", "automaton", "-m", "testModel.txt"])
        .expect(0)
        .out("is reachable\ntrace     yes");
    assert_eq!(session.read("trace.txt"), "in/it\na/b\n");
    session.run(&["-f", "testPredicate.txt", "-c", "-m", "testModel.txt"]).expect(1);
}

#[test]
fn unsupported_combinations_are_errors() {
    let session = Session::new();
    session.write("m.ss", "a 0 1 p x b\nb 1 1 !p z a\n");
    session.write("m.dve", crate::session::COUNTER);
    session.write("f", "AGEF p");
    session.write("x", "EX p");
    session.write("a", "0\n1\n0 q 1\n1\n");
    session.run(&["-m", "m.ss", "-a", "a", "-l"]).expect(2).err("error[E0117]").err("a:3:3");
    session.run(&["-l", "-m", "m.ss", "-f", "x"]).expect(2).err("x:1:1");
    session.run(&["-m", "m.ss", "-f", "f", "-s"]).expect(2).err("error[E0034]").err("-c");
    // With regress edges, the recorded graph decides.
    session.run(&["-m", "m.ss", "-f", "f", "-c"]).expect(0).out("holds     AG EF p\ntrace     no");
    session.run(&["-m", "m.ss", "-f", "x", "-c"]).expect(2).err("error[E0305]").err("x:1:1");
    session.run(&["-m", "m.ss", "-a", "a", "-s"]).expect(2).err("error[E0117]").err("a:3:3");
    session
        .run(&["-m", "m.dve", "-f", "f", "-c"])
        .expect(2)
        .err("error[E0033]")
        .err("sweepline convert m.dve");
    session.run(&["-m", "none.ss", "-f", "f", "-c"]).expect(2).err("error[E0001]");
    for usage in [
        &["-m", "m.ss"][..],
        &["-m", "m.ss", "-s"],
        &["-m", "m.ss", "-f", "f"],
        &["-f", "f", "-s"],
        &["-m", "m.ss", "-f", "f", "-s", "-c"],
        &["-m", "m.ss", "-f", "f", "-a", "a", "-s"],
        &["-m", "m.ss", "-a", "a", "-c"],
        &["-m", "m.ss", "-f", "f", "-s", "--json", "x"],
    ] {
        let run = session.run(usage).expect(2);
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
    assert!(!session.files().contains(&"trace.txt".into()));
}

#[test]
fn the_trace_overwrites_no_input() {
    let session = Session::new();
    session.write("trace.txt", "a 0 1 p x b\nb 1 1 !p\n");
    session.write("f", "AG p");
    let run = session.run(&["-m", "./trace.txt", "-f", "f", "-s"]).expect(2);
    run.err("would overwrite the file of -m");
    session.write("m.ss", session.read("trace.txt"));
    session.run(&["-m", "m.ss", "-f", "trace.txt", "-s"]).expect(2).err("the file of -f");
    session.run(&["-m", "m.ss", "-a", "trace.txt", "-s"]).expect(2).err("the file of -a");
    assert_eq!(session.read("trace.txt"), session.read("m.ss"));
}

#[test]
fn without_a_trace_the_file_of_an_earlier_run_is_removed() {
    let session = Session::new();
    session.write("m.ss", "a 0 1 p x b\nb 1 1 !p\n");
    session.write("f", "EF !p");
    session.run(&["-m", "m.ss", "-f", "f", "-s"]).expect(0).out("trace     yes: 2 states in trace.txt\n");
    session.write("f", "AG (p or !p)");
    let run = session.run(&["-m", "m.ss", "-f", "f", "-s"]).expect(0);
    run.out("trace     no; trace.txt of an earlier run is removed\n");
    assert!(!session.files().contains(&"trace.txt".into()));
    session.write("f", "EF p");
    session.run(&["-m", "m.ss", "-f", "f", "-s"]).expect(0).out("trace     yes: 1 state in trace.txt\n");
}

#[test]
fn a_formula_without_a_value_is_a_runtime_error() {
    let session = Session::new();
    session.write("m.ss", "a 0 1 p x b\nb 1 1 !p\n");
    session.write("f", "AG 1 / p == 1");
    let run = session.run(&["-m", "m.ss", "-f", "f", "-s"]).expect(1);
    let run =
        run.err("error[E0502]").err("f:1:4").out("unknown   AG").out("violated  no run-time error: in `AG");
    assert!(
        !run.stderr.contains("step") && run.stdout.contains("trace     no\n"),
        "{}{}",
        run.stderr,
        run.stdout
    );
}

#[test]
fn the_extension_of_a_state_space_does_not_matter() {
    let session = Session::new();
    session.write("m.dve", "a 0 1 p x b\nb 1 1 !p\n");
    session.write("f", "EF !p");
    session.run(&["-m", "m.dve", "-f", "f", "-s"]).expect(0);
}

#[test]
fn its_options_are_in_the_help() {
    let session = Session::new();
    session.run(&["-h"]).expect(0).out("sweepline -m FILE -f FORMULA_FILE -s");
    session.run(&["-m", "x", "-h"]).expect(0).out("File path to automaton").out("trace.txt");
}
