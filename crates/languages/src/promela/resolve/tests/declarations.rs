//! Types, variables, messages and proctypes.

use super::super::super::program::{Initial, LeafKind, ProctypeId};
use super::{body, leaves, program, warnings};
use crate::codes;

const RUN: &str = "active proctype P() { skip }";

fn globals(text: &str) -> Vec<String> {
    leaves(&program(&format!("{text}\n{RUN}")).globals)
}

fn locals(text: &str) -> Vec<String> {
    leaves(&program(text).proctypes[0].locals)
}

#[test]
fn scalars_have_the_widths_of_spin() {
    let text =
        "bit a; bool b = true; byte c = 7; pid d; short e = -3; int f; unsigned g : 5; mtype h; chan i";
    assert_eq!(
        globals(text),
        [
            "u1 a = 0",
            "u1 b = 1",
            "u8 c = 7",
            "u8 d = 0",
            "i16 e = -3",
            "i32 f = 0",
            "u5 g = 0",
            "mtype0 h = 0",
            "chan i = 0"
        ]
    );
}

#[test]
fn initial_values_are_folded_and_cut() {
    assert_eq!(globals("#define N 3\nint a = N * 2 - 1; byte b = 300;"), ["i32 a = 5", "u8 b = 44"]);
    assert_eq!(warnings(&format!("byte b = 300; {RUN}")), [(codes::INITIAL_VALUE_WRAPS, "300")]);
    assert_eq!(globals("byte a[3] = 5; byte b[3] = {1, 2}"), ["u8 a[3] = 5", "u8 b[3] = {1,2}"]);
    let surplus = format!("byte a[2] = {{1, 2, 3}}; {RUN}");
    assert_eq!(warnings(&surplus), [(codes::SURPLUS_INITIAL_VALUES, "3")]);
}

#[test]
fn an_initial_value_may_use_variables_before_it() {
    let program = program(&format!("byte a = 2; byte b = a + 1; {RUN}"));
    let Initial::Value(value) = &program.globals[1].initial else { panic!() };
    assert_eq!(super::shown::Shown(&program, 0).expression(value), "(a + 1)");
}

#[test]
fn structures_become_leaves_with_a_dimension_for_each_array_on_the_way() {
    let text = "typedef A { byte x = 4; short y[3] = {1, 2} }; typedef B { A a[2]; chan c = [1] of { byte } }; B b[5]; A z";
    assert_eq!(
        globals(text),
        [
            "u8 b.a.x[5][2] = 4",
            // The list is repeated for each of the ten arrays.
            &format!("i16 b.a.y[5][2][3] = {{{}}}", ["1,2,0"; 10].join(",")),
            "chan b.c[5] = [1] of 1",
            "u8 z.x = 4",
            "i16 z.y[3] = {1,2}"
        ]
    );
}

#[test]
fn messages_are_numbered_from_the_end_of_each_list() {
    let text = "mtype = { A, B, C }; mtype { D E }; mtype:k = { U, V }; mtype:k v = U; mtype m = D";
    let program = program(&format!("{text}; {RUN}"));
    let kinds = program.message_kinds.iter().map(|kind| kind.names.join(" "));
    assert_eq!(kinds.collect::<Vec<_>>(), ["C B A E D", "V U"]);
    assert_eq!(leaves(&program.globals), ["mtype1 v = 2", "mtype0 m = 5"]);
}

#[test]
fn a_variable_may_be_declared_before_the_messages_of_its_kind() {
    assert_eq!(globals("mtype:k v; mtype:k = { U }"), ["mtype1 v = 0"]);
}

#[test]
fn sizes_are_constant_expressions() {
    let text = "mtype = { A, B }; byte a[2 * 3 + 1]; byte b[B + 1]; chan c = [7 / 2] of { byte, byte }";
    assert_eq!(globals(text), ["u8 a[7] = 0", "u8 b[2] = 0", "chan c = [3] of 2"]);
    let variable = format!("byte n = 3; byte a[n]; {RUN}");
    assert_eq!(warnings(&variable), [(codes::VARIABLE_AS_SIZE, "n")]);
}

#[test]
fn fields_of_messages_are_flattened() {
    let text = "typedef T { byte x; mtype y[2]; chan z }; chan c = [1] of { T, int }";
    let program = program(&format!("{text}; {RUN}"));
    let Initial::Channels { capacity: 1, fields, .. } = &program.globals[0].initial else { panic!() };
    let message = LeafKind::Message(0);
    assert_eq!((fields.len(), fields[1], fields[2], fields[3]), (5, message, message, LeafKind::Channel));
}

#[test]
fn all_locals_of_a_proctype_are_in_one_list_with_unique_names() {
    let text = "typedef T { byte b }; active proctype P() {
        byte i = 3; skip; { byte i; i = 1 }; if :: true -> atomic { T i; i.b = 2 } fi }";
    assert_eq!(locals(text), ["u8 i = 3", "u8 i'2 = 0", "u8 i'3.b = 0"]);
}

#[test]
fn parameters_are_the_first_locals() {
    let text = "typedef T { byte b; byte c[2] }; proctype P(byte x, y; T t; chan q) { byte z }
        init { T t; chan q; run P(1, 2, t, q) }";
    let program = program(text);
    assert_eq!(program.proctypes[0].parameters, 5);
    let expected = ["u8 x = 0", "u8 y = 0", "u8 t.b = 0", "u8 t.c[2] = 0", "chan q = 0", "u8 z = 0"];
    assert_eq!(leaves(&program.proctypes[0].locals), expected);
}

#[test]
fn processes_at_the_start_come_in_the_order_of_the_text() {
    let text = "active [2] proctype A() { skip } proctype B() { skip } init priority 5 { run B() }
        active proctype C() provided (_pid > 0) { skip } active [0] proctype D() { skip }";
    let program = program(text);
    assert_eq!(program.active, [0, 0, 2, 3].map(ProctypeId));
    assert_eq!((program.proctypes[2].name.as_str(), program.proctypes[2].priority), ("init", 5));
    assert!(program.proctypes[3].provided.is_some() && program.mentions.priorities);
}

#[test]
fn a_declaration_at_the_start_of_a_body_is_no_step() {
    assert_eq!(body("byte g;", "byte i = 1; chan c = [1] of { byte }; byte j = i + g; g = j"), "[g = j]");
    let program = program("byte g; active proctype P(byte p) { byte j = p + 1; g = j }");
    let Initial::Value(value) = &program.proctypes[0].locals[1].initial else { panic!() };
    assert_eq!(super::shown::Shown(&program, 0).expression(value), "(p + 1)");
}

#[test]
fn a_later_declaration_is_a_step_for_each_variable() {
    let text = "skip; byte i = 3, j, a[4] = 5; chan c = [1] of { byte }; chan d; { byte k }";
    assert_eq!(body("", text), "1; [i = 3]; [j = 0]; [a[0] = 5]; [d = 0]; { [k = 0] }");
    assert_eq!(body("typedef T { byte b = 1 };", "skip; T t; t.b = 2"), "1; []; [t.b = 2]");
    let late = locals(
        "typedef T { byte b = 1 }; active proctype P() { skip; T t; byte x = 3; chan c = [2] of { byte } }",
    );
    assert_eq!(late, ["u8 t.b = 1", "u8 x = 0", "chan c = [2] of 1"]);
}

#[test]
fn hidden_variables_that_are_assigned_are_reported() {
    let text = "hidden byte table[2] = 3; hidden byte scratch; active proctype P() { scratch = table[1] }";
    assert_eq!(warnings(text), [(codes::HIDDEN_VARIABLE, "scratch")]);
    assert!(program(text).globals.iter().all(|leaf| leaf.hidden));
}

#[test]
fn a_message_that_does_not_fit_its_channel_is_warned_of() {
    let text = "chan c = [1] of { byte }; byte x; active proctype P() { c!1,2; c?x,_; c?[1,2] }";
    let expected = ["c!1,2", "c?x,_", "c?[1,2]"].map(|place| (codes::MISFIT_MESSAGE, place));
    assert_eq!(warnings(text), expected);
}
