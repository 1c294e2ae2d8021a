//! `-D NAME=VALUE`: constants from the command line, also in saved traces.

use crate::session::Session;

const PARAMETER: &str = "\
const byte LAST = 3;
byte x;
process P { state s; init s; trans s -> s { guard x < LAST; effect x = x + 1; }; }
system async;
";

#[test]
fn every_command_takes_constants() {
    let session = Session::with_model(PARAMETER);
    session.run(&["explore", "m.dve", "-q"]).expect(0).out("4 states");
    session.run(&["explore", "m.dve", "-q", "-D", "LAST=7"]).expect(0).out("8 states");
    session.run(&["explore", "m.dve", "-q", "-DLAST=7", "-D", "LAST=9"]).expect(0).out("10 states");
    session.run(&["explore", "m.dve", "-q", "--define", "LAST=0"]).expect(0).out("1 state, 0 transitions");
    session.run(&["check", "m.dve", "-D", "LAST=7", "--reach", "x == LAST and x == 7"]).expect(0);
    session.run(&["simulate", "m.dve", "-D", "LAST=5", "--random"]).expect(0).out("deadlock after 5 steps");
    let run = session.run(&["convert", "m.dve", "-D", "LAST=5", "--to", "ss"]).expect(0);
    assert_eq!(run.stdout.lines().count(), 6);
}

#[test]
fn the_record_and_the_saved_trace_have_the_constants() {
    let session = Session::with_model(PARAMETER);
    session.run(&["check", "m.dve", "-D", "LAST=5", "--json", "r.json", "--trace-out", "t.json"]).expect(1);
    assert_eq!(session.json("r.json")["model"]["constants"]["LAST"], 5);
    session.run(&["trace", "t.json"]).expect(0).out("5 steps of `m.dve`");
    // Without them, the trace is not a run of the model.
    let forgotten = session.read("t.json").replace("\"LAST\": 5", "");
    session.write("t.json", forgotten);
    session.run(&["trace", "t.json"]).expect(2).err("error[E0012]");
    let simulate = ["simulate", "m.dve", "-D", "LAST=6", "--random", "--trace-out", "s.json"];
    session.run(&simulate).expect(0);
    session.run(&["trace", "s.json"]).expect(0).out("6 steps of `m.dve`");
}

#[test]
fn unknown_or_bad_constants_are_refused() {
    let session = Session::with_model(PARAMETER);
    let refused = |definition: &str| session.run(&["check", "m.dve", "-D", definition]).expect(2);
    let run = refused("LOST=4").err("error[E0215]").err("did you mean `LAST`?");
    assert!(!run.stderr.contains("m.dve:1:1"), "{}", run.stderr);
    refused("x=4").err("error[E0215]").err("is a variable");
    refused("LAST=256").err("error[E0216]").err("0 to 255");
    refused("=4").err("NAME=VALUE");
    refused("LAST=many").err("expected a number");
    session.write("m.ss", "1 0 0\n");
    session.run(&["check", "m.ss", "-D", "LAST=1"]).expect(2).err("error[E0215]");
}
