//! Names, references and operators.

use super::shown::Shown;
use super::{body, program, warnings};
use crate::codes;

#[test]
fn a_variable_hides_the_name_of_a_message() {
    let text = "byte x; x = A; { byte A = 5; x = A }; x = A";
    assert_eq!(body("mtype = { A };", text), "[x = 1]; { [A = 5]; [x = A] }; [x = 1]");
}

#[test]
fn a_local_hides_a_global_from_its_declaration_to_the_end_of_its_block() {
    let text = "x = 1; { x = 2; byte x = x; x = 3 }; x = 4";
    let expected = "[x = 1]; { [x = 2]; [x' = x]; [x' = 3] }; [x = 4]";
    // The local has the same name as the global, so they are told apart by their identities.
    let program = program(&format!("byte x; active proctype P() {{ {text} }}"));
    let mut locals = program;
    locals.proctypes[0].locals[0].name = "x'".to_owned();
    assert_eq!(Shown(&locals, 0).nodes(&locals.proctypes[0].body), expected);
}

#[test]
fn indices_and_fields_become_a_place() {
    let globals = "typedef A { byte x; byte y[3] }; typedef B { A a[2]; byte z }; B b[4]; byte i;";
    assert_eq!(body(globals, "b[i].a[1].y[2] = b[0].z"), "[b.a.y[i][1][2] = b.z[0]]");
}

#[test]
fn an_array_without_an_index_is_its_first_element() {
    let text = "byte a[3]; active proctype P() { a = a + a[1]; a = 2 }";
    assert_eq!(warnings(text), [(codes::BARE_ARRAY, "a")]);
    assert_eq!(body("byte a[3];", "a = a[1]"), "[a[0] = a[1]]");
}

#[test]
fn predefined_names_are_expressions_and_noted() {
    let text = "byte x; active proctype P() { x = _pid + _nr_pr + _last; _priority = 3; _ = x; np_ }";
    let program = program(text);
    let expected = "[x = ((_pid + _nr_pr) + _last)]; set_priority(_pid, 3); print \"\" x; np_";
    assert_eq!(Shown(&program, 0).nodes(&program.proctypes[0].body), expected);
    let mentions = program.mentions;
    assert!(mentions.last && mentions.priorities && mentions.non_progress);
    let program = super::program("active proctype P() { skip }");
    assert!(!program.mentions.last && !program.mentions.priorities && !program.mentions.non_progress);
}

#[test]
fn run_is_done_first_and_its_pid_used_afterwards() {
    let globals = "typedef T { byte a; byte b[2] }; byte x; proctype Q(byte n; T t) { skip }";
    let run = |text: &str| {
        let program = program(&format!("{globals} init {{ T s; {text} }}"));
        Shown(&program, 1).nodes(&program.proctypes[1].body)
    };
    assert_eq!(run("run Q(1, s)"), "run Q(1,s.a,s.b[0],s.b[1]) then created");
    assert_eq!(run("x = run Q(x, s) + 1"), "run Q(x,s.a,s.b[0],s.b[1]) then x = (created + 1)");
    assert_eq!(run("run Q(1, s) priority 7"), "run Q(1,s.a,s.b[0],s.b[1]) priority 7 then created");
}

#[test]
fn remote_references_name_labels_and_locals() {
    let text = "active proctype P() { Q[1]@here && Q@here; R[0]@there } proctype R() { skip; there: skip }
        active proctype Q() { byte x; byte a[3]; skip; { byte x }; here: x = 1 }
        active proctype S() { Q[0]:x == 1 && Q:a[2] > 0 }";
    let program = program(text);
    assert_eq!(Shown(&program, 0).nodes(&program.proctypes[0].body), "(Q[1]@here && Q@here); R[0]@there");
    let expected = "((Q[0]:x == 1) && (Q:a[2] > 0))";
    assert_eq!(Shown(&program, 3).nodes(&program.proctypes[3].body), expected);
}

#[test]
fn probes_and_polls_name_their_channel() {
    let globals = "mtype = { A, B }; chan c[2] = [1] of { mtype, byte }; byte x;";
    let text = "full(c[1]) && nempty(c[0]); len(c[x]) == 1; c[0]?[A, x]; c[0]??[eval(x), _]; c[1]?[B]";
    let expected =
        "(full(c[1]) && nempty(c[0])); (len(c[x]) == 1); c[0]?[==2,_]; c[0]??[==x,_]; c[1]?[==1,_]";
    assert_eq!(body(globals, text), expected);
}

#[test]
fn formulas_see_declarations_further_down() {
    let text = "ltl { [] (x == 1 -> <> P@done) } ltl named { !(x > 2) U x < 3 } ltl { <> x }
        byte x; active proctype P() { x = 1; done: skip }";
    let program = program(text);
    let shown: Vec<String> = program
        .formulas
        .iter()
        .map(|formula| format!("{}: {}", formula.name, Shown(&program, 0).formula(&formula.formula)))
        .collect();
    assert_eq!(shown, ["ltl_0: [] ((x == 1) -> <> P@done)", "named: (!(x > 2) U (x < 3))", "ltl_1: <> x"]);
}

#[test]
fn never_claims_are_bodies_of_conditions() {
    let text = "byte x; active proctype P() { x = 1 }
        never { accept: do :: x == 1 -> goto accept :: else; skip od }";
    let program = program(text);
    assert_eq!(program.never[0].name, "never");
    let expected = "accept: do :: (x == 1); goto accept :: else; 1 od";
    assert_eq!(Shown(&program, 0).nodes(&program.never[0].body), expected);
}
