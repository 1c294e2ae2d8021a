//! What is refused, and where.

use super::{errors, read};
use crate::codes;

/// The errors in the body of a process, after declarations.
#[track_caller]
fn in_body(globals: &str, body: &str, expected: &[(&str, &str)]) {
    let text = format!("{globals} active proctype P() {{ {body} }}");
    assert_eq!(errors(&text), expected, "{body}");
}

/// The errors in declarations.
#[track_caller]
fn in_globals(globals: &str, expected: &[(&str, &str)]) {
    let text = format!("{globals} active proctype P() {{ skip }}");
    assert_eq!(errors(&text), expected, "{globals}");
}

const T: &str =
    "typedef T { byte a; byte b[3] }; T t, u[2]; byte x, v[3]; chan c = [1] of { byte }; mtype = { A };";

#[test]
fn names_that_are_not_visible() {
    in_body(T, "y = 1", &[(codes::UNKNOWN_NAME, "y")]);
    in_body(T, "{ byte y; y = 1 }; y = 2", &[(codes::UNKNOWN_NAME, "y")]);
    in_body(T, "t.z = 1", &[(codes::UNKNOWN_FIELD, "z")]);
    in_body(T, "x.z = 1", &[(codes::UNKNOWN_FIELD, "z")]);
    in_body(T, "run Q()", &[(codes::UNKNOWN_PROCESS, "Q")]);
    in_body(T, "goto L", &[(codes::UNKNOWN_LABEL, "L")]);
    in_body(T, "P@L", &[(codes::UNKNOWN_LABEL, "L")]);
    in_body(T, "P:y == 1", &[(codes::UNKNOWN_NAME, "y")]);
    in_globals("mtype:k x;", &[(codes::UNKNOWN_TYPE, "k")]);
}

#[test]
fn an_unknown_name_is_reported_once_in_each_proctype() {
    in_body("", "y = 1; y = 2; z = y", &[(codes::UNKNOWN_NAME, "y"), (codes::UNKNOWN_NAME, "z")]);
}

#[test]
fn errors_advise() {
    let help = |text: &str| read(text).1[0].help.clone().unwrap_or_default();
    assert!(help("byte count; active proctype P() { cuont = 1 }").contains("`count`"));
    assert!(help("active proctype P() { later = 1 } byte later;").contains("further down"));
    assert!(help("active proctype P() { x = 1 } proctype x() { skip }").contains("proctype"));
    assert!(help("active proctype P() { run Worke() } proctype Worker() { skip }").contains("`Worker`"));
    assert!(help("active proctype P() { goto lopp; loop: skip }").contains("`loop`"));
    assert!(help("byte a[NODES]; active proctype P() { skip }").contains("#define NODES"));
}

#[test]
fn structures_are_no_values() {
    in_body(T, "t = u[1]", &[(codes::STRUCTURE_AS_VALUE, "t"), (codes::STRUCTURE_AS_VALUE, "u[1]")]);
    in_body(T, "t == 1", &[(codes::STRUCTURE_AS_VALUE, "t")]);
    in_globals(
        "typedef I { byte x }; typedef O { I i[2] }; chan c = [1] of { O };",
        &[(codes::STRUCTURE_AS_VALUE, "[1] of { O }")],
    );
}

#[test]
fn constants_are_not_assigned() {
    in_body(T, "A = 1", &[(codes::NOT_ASSIGNABLE, "A")]);
    in_body(T, "_pid = 1", &[(codes::NOT_ASSIGNABLE, "_pid")]);
    in_body(T, "c?_nr_pr", &[(codes::NOT_ASSIGNABLE, "_nr_pr")]);
    in_body(T, "c++", &[(codes::NOT_ASSIGNABLE, "c")]);
}

#[test]
fn scalars_have_no_elements() {
    in_body(T, "x[1] = 2", &[(codes::NOT_AN_ARRAY, "x")]);
    in_body(T, "t.a[1] = 2", &[(codes::NOT_AN_ARRAY, "a")]);
}

#[test]
fn channel_operations_need_channels() {
    in_body(T, "x!1", &[(codes::NOT_A_CHANNEL, "x")]);
    in_body(T, "A?1", &[(codes::NOT_A_CHANNEL, "A")]);
    in_body(T, "len(t) == 1", &[(codes::NOT_A_CHANNEL, "t")]);
}

#[test]
fn messages_fit_their_channels() {
    in_body("chan d = [1] of { byte, byte }; byte x;", "d?x,x", &[(codes::STORED_TWICE, "x")]);
}

#[test]
fn run_stands_alone_and_is_always_executed() {
    let globals = "byte x; chan c = [1] of { byte }; proctype Q(byte n) { skip }";
    let misplaced = |body: &str, place: &str| in_body(globals, body, &[(codes::MISPLACED_RUN, place)]);
    misplaced("run Q(run Q(1))", "run Q(1)");
    misplaced("x = run Q(1) + run Q(2)", "run Q(2)");
    misplaced("x == 1 && run Q(1)", "run Q(1)");
    misplaced("c!run Q(1)", "run Q(1)");
    misplaced("assert(run Q(1) == 1)", "run Q(1)");
    in_globals(&format!("{globals} byte y = run Q(1);"), &[(codes::MISPLACED_RUN, "run Q(1)")]);
    in_body(globals, "run Q(1, 2)", &[(codes::ARGUMENT_MISMATCH, "run Q(1, 2)")]);
}

#[test]
fn declarations_that_cannot_be() {
    in_globals("byte x; byte x;", &[(codes::DECLARED_TWICE, "x")]);
    in_globals("typedef T { byte a; byte a };", &[(codes::DECLARED_TWICE, "a")]);
    in_globals("typedef T { byte a }; typedef T { byte b };", &[(codes::DECLARED_TWICE, "T")]);
    in_globals("mtype = { A, B }; mtype = { A };", &[(codes::DECLARED_TWICE, "A")]);
    in_globals("proctype P() { skip }", &[(codes::DECLARED_TWICE, "P")]);
    in_body("", "byte x; byte x", &[(codes::DECLARED_TWICE, "x")]);
    in_body("", "L: skip; L: skip", &[(codes::DECLARED_TWICE, "L")]);
    in_globals("byte a[0];", &[(codes::BAD_SIZE, "0")]);
    in_globals("chan c = [256] of { byte };", &[(codes::BAD_SIZE, "256")]);
    in_globals("byte x = {1, 2};", &[(codes::BAD_INITIAL_VALUE, "x = {1, 2}")]);
    in_globals("byte x = [1] of { byte };", &[(codes::BAD_INITIAL_VALUE, "x = [1] of { byte }")]);
    in_globals("unsigned x : 32;", &[(codes::BAD_WIDTH, "32")]);
    in_globals("byte x : 3;", &[(codes::BAD_WIDTH, "3")]);
    in_globals("proctype Q(byte a[2]) { skip }", &[(codes::BAD_PARAMETER, "a[2]")]);
    in_globals(
        "byte a[60000], b[60000]; typedef T { int x[60000] }; T t[60000];",
        &[(codes::STATE_TOO_LARGE, "t")],
    );
    in_body("", "skip; byte a[2] = {1, 2}", &[(codes::BAD_INITIAL_VALUE, "a[2] = {1, 2}")]);
}

#[test]
fn what_uses_a_broken_declaration_is_no_error() {
    let text = "typedef T { byte a[0] }; T t; byte b[0]; active proctype P() { t.a = 1; b[1] = 2 }";
    assert_eq!(errors(text), [(codes::BAD_SIZE, "0"), (codes::BAD_SIZE, "0")]);
}

#[test]
fn control_statements_in_wrong_places() {
    in_body("", "break", &[(codes::MISPLACED_BREAK, "break")]);
    in_body("", "do :: skip od unless { break }", &[(codes::MISPLACED_BREAK, "break")]);
    in_body("byte x;", "if :: x :: else :: else fi", &[(codes::SECOND_ELSE, "else")]);
    in_body("", "L: goto M; M: goto L", &[(codes::ENDLESS_GOTO, "L")]);
}

#[test]
fn jumps_in_a_circle_are_steps_with_a_special_or_referenced_label() {
    super::body("", "end: goto end");
    super::program("active proctype P() { L: goto L } active proctype Q() { P@L }");
}

#[test]
fn loops_over_what_cannot_be_counted() {
    in_body(T, "for (c : 1 .. 2) { skip }", &[(codes::BAD_LOOP, "c")]);
    in_body(T, "for (x in t.a) { skip }", &[(codes::BAD_LOOP, "t.a")]);
    in_body(T, "for (t in c) { skip }", &[(codes::BAD_LOOP, "c")]);
    in_body(T, "select (x : 3 .. 1)", &[(codes::BAD_LOOP, "select (x : 3 .. 1)")]);
}

#[test]
fn claims_only_watch() {
    let claim = |body: &str, expected: &[(&str, &str)]| {
        in_globals(&format!("byte x; chan c = [1] of {{ byte }}; never {{ {body} }}"), expected);
    };
    claim("x = 1", &[(codes::BAD_CLAIM, "x = 1")]);
    claim("c!1", &[(codes::BAD_CLAIM, "c!1")]);
    claim("do :: c?1 od", &[(codes::BAD_CLAIM, "c?1")]);
    claim("run P()", &[(codes::MISPLACED_RUN, "run P()")]);
    claim("_pid == 1", &[(codes::OUTSIDE_PROCESS, "_pid")]);
}

#[test]
fn a_program_has_a_process() {
    assert_eq!(errors("proctype P() { skip }"), [(codes::NO_PROCESS, "P")]);
    assert_eq!(
        errors("active [200] proctype P() { skip } active [200] proctype Q() { skip }"),
        [(codes::BAD_SIZE, "Q")]
    );
}
