//! `--safety-automaton`: sequences of visible actions.

use crate::session::{Run, Session};

/// Orders and deliveries alternate, until the client leaves while it waits: then the run ends.
const SHOP: &str = "\
byte served;
channel order, delivery;
process Client {
    state idle, waiting, gone;
    init idle;
    trans idle -> waiting { sync order!; },
        waiting -> idle { sync delivery?; effect served = 1; },
        waiting -> gone { guard served == 1; };
}
process Shop {
    state free, busy;
    init free;
    trans free -> busy { sync order?; }, busy -> free { sync delivery!; };
}
system async;
";

/// Every order is answered before the next one.
const ALTERNATING: &str = "initial a\nfinal a\na -> b : order\nb -> a : delivery\n";

/// Exactly one order.
const ONCE: &str = "initial a\na -> b : order\nb -> c\nc -> c : delivery # silently on\n";

const ENGINES: [&str; 6] = ["breadth", "depth", "sweep", "sweep-disk", "breadth-disk", "partition"];

fn check(service: &str, arguments: &[&str]) -> (Session, Run) {
    let session = Session::with_model(SHOP);
    session.write("shop.service", service);
    let asked = ["check", "m.dve", "--safety-automaton", "shop.service", "--json", "run.json"];
    let run = session.run(&[&asked[..], arguments].concat());
    (session, run)
}

#[test]
fn every_engine_accepts_legal_sequences() {
    for engine in ENGINES {
        let (session, run) = check(ALTERNATING, &["--halt", "prefix", "--engine", engine]);
        run.expect(0).out("holds     conforms to shop.service\n");
        let record = session.json("run.json");
        assert_eq!(record["properties"][0]["kind"], "safety");
        assert_eq!(record["search"]["complete"], true);
        let service = ALTERNATING.replace("final a", "final a b");
        check(&service, &["--engine", engine]).1.expect(0);
    }
}

#[test]
fn every_engine_finds_an_illegal_event() {
    for engine in ENGINES {
        let (session, run) = check(ONCE, &["--engine", engine]);
        run.expect(1).out("violated  conforms to shop.service (after 3 steps): illegal event `order`\n");
        let record = session.json("run.json");
        assert_eq!(record["properties"][0]["reason"], "illegal event `order`");
        assert_eq!(record["traces"][0]["replayed"], true);
        let last = record["traces"][0]["steps"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["action"], "Client: idle -> waiting | Shop: free -> busy (order)");
    }
}

#[test]
fn a_run_that_ends_in_a_state_that_is_not_final_is_a_violation() {
    for engine in ENGINES {
        let (_, run) = check(ALTERNATING, &["--engine", engine]);
        run.expect(1).out(" steps): premature end\n").out("Client: waiting -> gone");
    }
    let shortest = "violated  conforms to shop.service (after 4 steps): premature end\n";
    check(ALTERNATING, &["--halt", "deadlock", "--engine", "breadth"]).1.expect(1).out(shortest);
    check(ALTERNATING, &["--measure", "served", "--shortest"]).1.expect(1).out(shortest);
    let waiting = check(ALTERNATING, &["--halt", "Client.waiting"]).1.expect(1);
    waiting.out("violated  conforms to shop.service (after 1 step): premature end\n");
    check(ALTERNATING, &["--halt", "Client.idle"]).1.expect(0);
}

#[test]
fn events_are_moves_channels_or_whole_actions() {
    for leaving in ["Client: waiting -> gone", "Client: * -> gone", "Client: *gone"] {
        let service = format!("{ALTERNATING}b -> a : {leaving}\n");
        let (_, run) = check(&service, &[]);
        run.expect(0);
    }
    let whole = "initial a\na -> b : Client: idle -> waiting | Shop: free -> busy (order)\nb -> c : del*\n";
    let (_, run) = check(whole, &["--halt", "prefix"]);
    run.expect(1).out("illegal event `Client: idle -> waiting | Shop: free -> busy (order)`");
    // The columns of the thesis.
    check("0\n0\n0 order 1\n1 delivery 0\n", &["--halt", "prefix"]).1.expect(0);
}

#[test]
fn several_questions_are_answered_together() {
    let (_, run) = check(ONCE, &["--deadlock", "--invariant", "served < 2", "-q"]);
    let run = run.expect(1).out("violated  no deadlock").out("holds     served < 2 (invariant)");
    run.out("violated  conforms to shop.service (after 3 steps): illegal event `order`");
}

#[test]
fn events_that_the_model_does_not_have_are_errors() {
    let (_, run) = check("initial a\na -> a : oder\n", &[]);
    let run = run.expect(2).err("error[E0228]").err("shop.service:2:1").err("did you mean `order`?");
    assert_eq!(run.stdout, "");
    let (_, run) = check("initial a\na -> a : Client: waiting -> gome\n", &[]);
    run.expect(2).err("error[E0228]").err("did you mean `Client: waiting -> gone`?");
    let (_, run) = check("initial a\na -> a : Nobody: *\n", &[]);
    run.expect(2).err("error[E0228]").err("help: an event is a move");
    let (_, run) = check("initial a\na -> a : order\na -> a : Client: idle -> *\n", &[]);
    run.expect(2).err("error[E0229]").err("matches two events").err("shop.service:3:1");
}

#[test]
fn mistakes_in_files_and_options_are_shown_with_their_position() {
    check("initial a\nnonsense\n", &[]).1.expect(2).err("error[E0126]").err("shop.service:2:1");
    check("a -> a : order\n", &[]).1.expect(2).err("error[E0111]");
    check(ALTERNATING, &["--halt", "Client.wating"]).1.expect(2).err("--halt:1:8").err("`waiting`");
    let session = Session::with_model(SHOP);
    session.run(&["check", "m.dve", "--safety-automaton", "none"]).expect(2).err("error[E0001]");
    session.run(&["check", "m.dve", "--halt", "prefix"]).expect(2).err("--safety-automaton");
    check(ALTERNATING, &["--checkpoint", "saved"]).1.expect(2).err("cannot be saved").err("help: ");
    // An expression without a value is a run-time error.
    let (_, run) = check(ALTERNATING, &["--halt", "6 / (1 - served) > 9"]);
    run.expect(1).out("no run-time error").err("--halt:1:1");
}

#[test]
fn arcs_of_a_state_space_are_events_by_their_labels() {
    let session = Session::new();
    session.write("s.ss", "0 0 0 send 1\n1 0 0 receive 0 * 2\n2 0 0 receive 0\n");
    session.write("alternating", "initial a\na -> b : send\nb -> a : receive\n");
    let asked = ["check", "s.ss", "--safety-automaton", "alternating", "-q"];
    session.run(&asked).expect(0).out("holds     conforms to alternating\n");
}
