//! `convert`: state spaces that can be read back, drawings, graphs and automata.

use std::collections::{BTreeMap, BTreeSet};

use crate::session::{BROKEN_LOCK, COUNTER, ENDLESS, OVERRUN, Session};
use engine::store::compact_graph::file::read_graph;
use engine::store::external::disk::Disk;
use model::guarded_commands::ActionId;
use model::interpreter::Interpreter;

fn model(name: &str) -> String {
    format!("{}/../../models/dve/{name}.dve", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_state_space_has_a_line_for_each_state_in_breadth_first_order() {
    let session = Session::with_model(&COUNTER.replace("x < 9", "x < 2"));
    let ss = |arguments: &[&str]| {
        session.run(&[&["convert", "m.dve", "--to", "ss"], arguments].concat()).expect(0).stdout
    };
    assert_eq!(ss(&[]), "1 0 0 P:s->s 2\n2 0 0 P:s->s 3\n3 0 0\n");
    assert_eq!(
        ss(&["--proposition", "end=x == 2", "--proposition", "one= x == 1", "--measure", "x * 5"]),
        "1 0 2 !end !one P:s->s 2\n2 5 2 !end one P:s->s 3\n3 10 2 end !one\n"
    );
    // Tuples and negative values become their ranks.
    assert_eq!(ss(&["--measure", "(x / 2, x)"]), "1 0 0 P:s->s 2\n2 1 0 P:s->s 3\n3 2 0\n");
    assert_eq!(ss(&["--measure", "-x"]), "1 2 0 P:s->s 2\n2 1 0 P:s->s 3\n3 0 0\n");
}

#[test]
fn a_converted_model_has_the_same_figures() {
    let session = Session::new();
    let figures = |path: &str, arguments: &[&str]| {
        session.run(&[&["explore", path, "--json", "run.json"], arguments].concat()).expect(0);
        let search = &session.json("run.json")["search"];
        let names = ["sweeps", "layers", "deadlocks", "transitions"];
        let figures: Vec<String> = names.iter().map(|name| search[name].to_string()).collect();
        let states = &search["states"];
        format!("{} {} {}", states["explored"], states["peak_stored"], figures.join(" "))
    };
    for name in ["two_phase_commit_survey", "stop_and_wait", "sliding_window", "peterson", "timed_lock"] {
        let path = model(name);
        let limit = ["convert", &path, "--to", "ss", "-o", "m.ss", "--limit", "200000"];
        session.run(&limit).expect(0);
        // Without a measure the search is breadth-first, and the state space has one layer.
        let (dve, ss) = (figures(&path, &[]), figures("m.ss", &[]));
        if name == "peterson" {
            assert_eq!(dve, figures("m.ss", &["--measure", "none"]), "{name}");
        } else {
            assert_eq!(dve, ss, "{name}");
        }
        // A state space is a model, too, and can be converted again.
        session.run(&["convert", "m.ss", "--to", "ss", "-o", "again.ss"]).expect(0);
        assert_eq!(session.read("again.ss"), session.read("m.ss"), "{name}");
    }
}

#[test]
fn state_spaces_work_in_all_commands() {
    let session = Session::with_model(COUNTER);
    let convert =
        ["convert", "m.dve", "--to", "ss", "-o", "m.ss", "--proposition", "p=x == 4", "--measure", "x"];
    session.run(&convert).expect(0);
    session
        .run(&["check", "m.ss", "--reach", "p", "--trace-out", "t.json"])
        .expect(0)
        .out("sweep by progress");
    session.run(&["trace", "t.json"]).expect(0).out("4 steps of `m.ss` for `p`");
    session
        .run(&["check", "m.ss", "--reach", "space.10", "--measure", "none"])
        .expect(0)
        .out("breadth-first");
    session.run(&["simulate", "m.ss", "--random"]).expect(0).out("deadlock after 9 steps");
    let executed = |arguments: &[&str]| {
        session.run(&[&["explore", "--json", "run.json"], arguments].concat()).expect(0);
        session.json("run.json")["plan"]["execution"].as_str().unwrap().to_owned()
    };
    assert_eq!(executed(&["m.ss"]), "compiled");
    assert_eq!(executed(&["m.ss", "--execution", "interpreted"]), "interpreted");
    // A state space with thousands of actions is interpreted.
    session.run(&["convert", &model("peterson"), "--to", "ss", "-o", "large.ss"]).expect(0);
    assert_eq!(executed(&["large.ss"]), "interpreted");
    session.write("bad.ss", "1 0 0 * 2\n");
    session.run(&["check", "bad.ss"]).expect(2).err("error[E0217]").err("bad.ss:1:9");
}

#[test]
fn a_drawing_has_a_box_for_each_layer_and_marks_regress_edges() {
    let session = Session::new();
    let path = model("two_phase_commit_survey");
    let dot = session.run(&["convert", &path, "--to", "dot"]).expect(0).stdout;
    assert_eq!(dot.matches("subgraph cluster_").count(), 3);
    assert_eq!(dot.matches("style=dashed, color=red").count(), 4);
    assert_eq!(dot.matches("constraint=false").count(), 4);
    assert!(dot.contains("s1 [label=\"1\", fillcolor=lightblue]"), "{dot}");
    let places: Vec<usize> =
        (0..3).map(|value| dot.find(&format!("label=\"progress {value}\"")).unwrap()).collect();
    assert!(places.is_sorted());
    assert_eq!(dot.matches(" -> s").count(), 1 + 2 + 27, "the start, two to keep the order, and all steps");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    let session = Session::with_model(COUNTER);
    let dot = session.run(&["convert", "m.dve", "--to", "dot", "--measure", "(x / 5, 1)"]).expect(0).stdout;
    assert!(dot.contains("label=\"progress (1, 1)\""), "{dot}");
    assert!(dot.contains("s10 [label=\"10\\nx = 9\", peripheries=2]"), "{dot}");
    let dot = session.run(&["convert", "m.dve", "--to", "dot"]).expect(0).stdout;
    assert_eq!(dot.matches("subgraph cluster_").count(), 1);
}

#[test]
fn state_spaces_above_the_limit_are_refused() {
    let session = Session::with_model(ENDLESS);
    let run = session.run(&["convert", "m.dve", "--to", "dot"]).expect(2);
    run.err("error[E0029]").err("more than 2,000 states").err("--limit N");
    session.run(&["convert", "m.dve", "--to", "ss", "--limit", "3000", "-o", "m.ss"]).expect(2).err("3,000");
    assert_eq!(session.files(), ["m.dve"]);
    session.write("m.dve", COUNTER);
    session.run(&["convert", "m.dve", "--to", "ss", "--limit", "10"]).expect(0);
    session.run(&["convert", "m.dve", "--to", "ss", "--limit", "9"]).expect(2);
}

#[test]
fn mistakes_are_refused_and_missing_steps_get_a_warning() {
    let session = Session::with_model(BROKEN_LOCK);
    let refused = |arguments: &[&str]| {
        session.run(&[&["convert", "m.dve", "--to", "ss"], arguments].concat()).expect(2)
    };
    refused(&["--proposition", "p=zz"]).err("error[E0201]").err("--proposition:1:1");
    refused(&["--proposition", "1p=inside"]).err("error[E0030]");
    refused(&["--proposition", "!p=inside"]).err("error[E0030]");
    refused(&["--proposition", "p q=inside"]).err("error[E0030]");
    refused(&["--proposition", "p=inside", "--proposition", "p=locked"]).err("error[E0030]");
    refused(&["--proposition", "p"]).err("NAME=EXPR");
    refused(&["--proposition", "p=1 / inside"]).err("error[E0502]");
    refused(&["--measure", "zz"]).err("--measure:1:1");
    refused(&["-o", "no/m.ss"]).err("error[E0007]");
    refused(&["-o", "./m.dve"]).err("overwrite the input");
    session.run(&["convert", "m.dve"]).expect(2);
    session.run(&["convert", "m.dve", "--to", "pdf"]).expect(2);
    session.write("m.dve", OVERRUN);
    let run = session.run(&["convert", "m.dve", "--to", "ss"]).expect(0).err("warning[W0031]").out("3 0 0\n");
    run.err("1 step is a run-time error and is left out; 1 state has no other step and becomes terminal");
}

#[test]
fn a_state_space_keeps_its_propositions() {
    let session = Session::new();
    let space = "1 0 2 p !q * 2\n2 1 2 !p q go 1\n";
    session.write("m.ss", space);
    assert_eq!(session.run(&["convert", "m.ss", "--to", "ss"]).expect(0).stdout, space);
    let run = session.run(&["convert", "m.ss", "--to", "ss", "--proposition", "r=p or q"]).expect(0);
    assert_eq!(run.stdout, "1 0 3 p !q r * 2\n2 1 3 !p q r go 1\n");
    let run = session.run(&["convert", "m.ss", "--to", "ss", "--proposition", "p=q"]).expect(2);
    run.err("error[E0030]").err("two propositions have the name `p`");
}

#[test]
fn a_drawing_shows_propositions() {
    let session = Session::with_model(COUNTER);
    let run = session.run(&["convert", "m.dve", "--to", "dot", "--proposition", "odd=x % 2"]).expect(0);
    run.out("label=\"1\\n!odd\"").out("label=\"2\\nodd\\nx = 1\"");
}

#[test]
fn the_language_can_be_chosen() {
    let session = Session::new();
    let space = "1 0 1 p * 2\n2 1 1 !p\n";
    let run = session.run_with_input(&["explore", "-", "-q", "--language", "ss"], space).expect(0);
    run.out("2 states, 1 transition");
    let run = session.run_with_input(&["explore", "-"], space).expect(2);
    run.err("--language ss reads it as one");
    session.write("space.txt", space);
    session.run(&["check", "space.txt", "--reach", "!p"]).expect(2).err("--language ss");
    let check = ["check", "space.txt", "--language", "ss", "--reach", "!p", "--trace-out", "t.json"];
    session.run(&check).expect(0);
    session.run(&["trace", "t.json", "--language", "ss"]).expect(0).out("1 step of `space.txt`");
    session.run(&["simulate", "space.txt", "--language", "ss", "--random"]).expect(0);
    assert_eq!(
        session.run(&["convert", "space.txt", "--language", "ss", "--to", "ss"]).expect(0).stdout,
        space
    );
}

/// Reads the graph in a file, and compares it with the interpreter step by step.
#[track_caller]
fn assert_is_graph_of(bytes: &[u8], text: &str, proposition: &str) {
    let disk = Disk::new(&std::env::temp_dir(), u64::MAX);
    let (recorded, names) = read_graph(&mut &bytes[..], &disk, 1_000).unwrap();
    let model = languages::read_model(text).unwrap();
    let interpreter = Interpreter::new(&model.commands);
    let expression = model.expression(proposition).unwrap();
    let mut states: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    let mut open = vec![(recorded.graph.initial()[0].1, model.commands.initial_state())];
    let mut edges = Vec::new();
    while let Some((node, state)) = open.pop() {
        if let Some(known) = states.get(&node) {
            assert_eq!(*known, state);
            continue;
        }
        assert_eq!(recorded.truths[0].get(node), interpreter.evaluate(&expression, &state).unwrap() != 0);
        recorded.graph.row(node, &mut edges).unwrap();
        let mut steps: Vec<(u32, Vec<i64>)> = interpreter
            .successors(&state)
            .into_iter()
            .map(|(action, next)| (action.0, next.unwrap()))
            .collect();
        steps.sort_by_key(|(action, _)| *action);
        assert_eq!(steps.len(), edges.len());
        for (edge, (action, next)) in edges.iter().zip(steps) {
            assert_eq!(edge.action, action);
            assert_eq!(names.actions[action as usize], model.commands.action_name(ActionId(action)));
            open.push((edge.target, next));
        }
        states.insert(node, state);
    }
    assert_eq!(states.len() as u64, recorded.graph.nodes());
    let different: BTreeSet<Vec<i64>> = states.into_values().collect();
    assert_eq!(different.len() as u64, recorded.graph.nodes(), "no two nodes are one state");
}

#[test]
fn the_file_of_a_graph_is_the_state_space_without_states() {
    let session = Session::new();
    // The first one has regress edges, the last one has no measure.
    for (name, proposition) in [
        ("two_phase_commit_survey", "Coordinator.idle"),
        ("stop_and_wait", "1 == 1"),
        ("reconnect", "packet == 1"),
        ("peterson", "0 == 1"),
    ] {
        let path = model(name);
        let named = format!("p={proposition}");
        let arguments = ["convert", &path, "--to", "graph", "--proposition", &named, "-o", "m.graph"];
        let run = session.run(&[&arguments[..], &["--json", "run.json"]].concat()).expect(0);
        let bytes = std::fs::read(session.path("m.graph")).unwrap();
        assert_is_graph_of(&bytes, &std::fs::read_to_string(&path).unwrap(), proposition);
        let record = session.json("run.json");
        let graph = &record["search"]["graph"];
        assert!(
            bytes.starts_with(format!("sweepline-graph/1\nnodes {}\n", graph["nodes"]).as_bytes()),
            "{name}"
        );
        assert!(graph["bits"].as_u64().unwrap() < graph["formula_bits"].as_u64().unwrap(), "{graph}");
        assert_eq!((&record["exit_code"], &graph["passes"]), (&0.into(), &0.into()));
        run.err("graph     ").err(" bits (by the formula ");
    }
}

#[test]
fn a_graph_goes_to_stdout_and_its_size_to_stderr() {
    let session = Session::with_model(&COUNTER.replace("x < 9", "x < 2"));
    let arguments = ["convert", "m.dve", "--to", "graph", "--proposition", "end= x == 2", "--measure", "x"];
    let output = session.command(&arguments).output().unwrap();
    let head =
        "sweepline-graph/1\nnodes 3\nedges 2\ninitial 0\nproposition end x == 2\naction P: s -> s\nrows\n";
    assert!(output.status.success() && output.stdout.starts_with(head.as_bytes()));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.starts_with("graph     3 states, 2 transitions in ") && told.contains("(by the formula 391); "),
        "{told}"
    );
    assert_eq!(session.files(), ["m.dve"]);
}

#[test]
fn an_incomplete_graph_is_not_written() {
    let session = Session::with_model(ENDLESS);
    let graph = |arguments: &[&str]| {
        session.run(&[&["convert", "m.dve", "--to", "graph", "-o", "m.graph"], arguments].concat())
    };
    graph(&["--limit", "3000", "--json", "run.json"])
        .expect(2)
        .err("error[E0029]")
        .err("3,000")
        .err("raise --limit");
    assert_eq!(session.json("run.json")["diagnostics"][0]["code"], "E0029");
    assert_eq!(session.files(), ["m.dve", "run.json"]);
    session.write("m.dve", COUNTER);
    graph(&["--limit", "9"]).expect(2).err("error[E0029]");
    graph(&["--proposition", "p=1 / (x - 3)"]).expect(2).err("error[E0502]").err("--proposition:1:1");
    graph(&["--proposition", "p q=x"]).expect(2).err("error[E0030]");
    graph(&["--measure", "zz"]).expect(2).err("--measure:1:1");
    session.run(&["convert", "m.dve", "--to", "graph", "--json", "-"]).expect(2).err("the same file");
    assert_eq!(session.files(), ["m.dve", "run.json"]);
    graph(&["--limit", "10"]).expect(0);
    session.write("m.dve", OVERRUN);
    graph(&["--json", "run.json"])
        .expect(0)
        .err("warning[W0031]")
        .err("in 1 state a step is a run-time error");
    assert_eq!(session.json("run.json")["diagnostics"][0]["code"], "W0031");
}

#[test]
fn aldebaran_numbers_states_from_zero_and_quotes_actions() {
    let session = Session::with_model(&COUNTER.replace("x < 9", "x < 2"));
    let aut = |path: &str| session.run(&["convert", path, "--to", "aut"]).expect(0).stdout;
    let step = "P: s -> s";
    assert_eq!(aut("m.dve"), format!("des (0, 2, 3)\n(0, \"{step}\", 1)\n(1, \"{step}\", 2)\n"));
    // Internal steps are `i`, and a label must not contain quotation marks.
    session.write("m.ss", "a 0 0 say\"hi\" b * a\nb 0 0\n");
    assert_eq!(aut("m.ss"), "des (0, 2, 2)\n(0, \"say'hi'\", 1)\n(0, i, 0)\n");
    for option in [["--measure", "x"], ["--proposition", "p=x"]] {
        let arguments = [&["convert", "m.dve", "--to", "aut"][..], &option[..]].concat();
        session.run(&arguments).expect(2).err("--to aut writes only steps");
    }
}

#[test]
fn graphml_has_the_values_of_states_and_the_actions_of_steps() {
    let session = Session::with_model(&COUNTER.replace("x < 9", "x < 1"));
    let arguments = [
        "convert",
        "m.dve",
        "--to",
        "graphml",
        "--measure",
        "x",
        "--proposition",
        "end=x == 1",
        "-o",
        "m.xml",
    ];
    session.run(&arguments).expect(0);
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <desc>m.dve</desc>
  <key id="v0" for="node" attr.name="x" attr.type="long"/>
  <key id="v1" for="node" attr.name="P" attr.type="string"/>
  <key id="p0" for="node" attr.name="end" attr.type="boolean"/>
  <key id="progress" for="node" attr.name="progress" attr.type="long"/>
  <key id="action" for="edge" attr.name="action" attr.type="string"/>
  <graph id="states" edgedefault="directed">
    <node id="s1"><data key="v0">0</data><data key="v1">s</data><data key="p0">false</data><data key="progress">0</data></node>
    <node id="s2"><data key="v0">1</data><data key="v1">s</data><data key="p0">true</data><data key="progress">1</data></node>
    <edge source="s1" target="s2"><data key="action">P: s -&gt; s</data></edge>
  </graph>
</graphml>
"#;
    assert_eq!(session.read("m.xml"), expected);
    // Markup in a name is escaped.
    session.write("m.ss", "<a>&\u{1} 0 0 </graph> <a>&\u{1}\n");
    let run = session.run(&["convert", "m.ss", "--to", "graphml"]).expect(0);
    run.out("&lt;a&gt;&amp;\\u{1}").out("&lt;/graph&gt;");
}

#[test]
fn incomplete_labelled_graphs_are_not_written() {
    let session = Session::with_model(COUNTER);
    for format in ["aut", "graphml"] {
        let convert =
            |limit: &str| session.run(&["convert", "m.dve", "--to", format, "-o", "m.out", "--limit", limit]);
        convert("9").expect(2).err("error[E0029]").err("--limit N");
        assert_eq!(session.files(), ["m.dve"]);
        convert("10").expect(0);
        let text = session.read("m.out");
        let steps = text.matches("P: s -").count();
        assert_eq!(steps, 9, "{text}");
        std::fs::remove_file(session.path("m.out")).unwrap();
    }
    session.write("m.dve", OVERRUN);
    session.run(&["convert", "m.dve", "--to", "aut"]).expect(0).err("warning[W0031]").out("des (0, 2, 3)");
    session.write("m.dve", ENDLESS);
    session.run(&["convert", "m.dve", "--to", "graphml"]).expect(2).err("more than 100,000 states");
}
