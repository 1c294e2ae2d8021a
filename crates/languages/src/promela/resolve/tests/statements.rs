//! Statements, loops and labels.

use super::{body, leaves, program, warnings};
use crate::codes;

#[test]
fn arguments_of_receives_are_names_of_messages_or_variables() {
    let globals = "mtype = { A, B }; chan c = [1] of { mtype, byte, byte, byte }; byte x, a[2];";
    assert_eq!(body(globals, "c?A,x,eval(x + 1),_"), "c?==2,x,==(x + 1),_");
    assert_eq!(body(globals, "c??<B(3,a[x],x)>"), "c??<==1,==3,a[x],x>");
    assert_eq!(body(globals, "c!!A(1,x,a[1])"), "c!!2,1,x,a[1]");
}

#[test]
fn structures_in_messages_are_flattened() {
    let globals =
        "typedef I { byte p; byte q[2] }; typedef T { I i; byte r }; chan c = [1] of { byte, T }; T t[2];";
    let fields = "t.i.p[1],t.i.q[1][0],t.i.q[1][1],t.r[1]";
    assert_eq!(body(globals, "c!1,t[1]; c?_,t[1]"), format!("c!1,{fields}; c?_,{fields}"));
}

#[test]
fn a_channel_that_is_assigned_may_carry_other_messages() {
    let globals = "chan c = [1] of { byte }; chan d = [1] of { byte, byte };";
    assert_eq!(body(globals, "c = d; c!1,2"), "[c = d]; c!1,2");
}

#[test]
fn for_over_a_range_is_a_loop_behind_an_assignment() {
    let expected = "[i = 1]; do :: (i <= x); [x = i]; break; [i = (i + 1)] :: else; break od";
    assert_eq!(body("byte i, x;", "for (i : 1 .. x) { x = i; break }"), expected);
}

#[test]
fn for_over_an_array_runs_over_its_indices() {
    let expected = "[i = 0]; do :: (i <= 4); [a[i] = i]; [i = (i + 1)] :: else; break od";
    assert_eq!(body("byte i, a[5];", "for (i in a) { a[i] = i }"), expected);
    let globals = "typedef T { byte a[3] }; T t[2]; byte i;";
    assert!(body(globals, "for (i in t[1].a) { skip }").contains("(i <= 2)"));
}

#[test]
fn for_over_a_channel_takes_each_message_out_and_puts_it_back() {
    let text = "typedef M { byte a, b }; chan c = [3] of { M };
        active proctype P() { M m; for (m in c) { skip }; for (m in c) { skip } }";
    let program = program(text);
    let round = |counter: &str| {
        format!(
            "[{counter} = 0]; do :: ({counter} < len(c)); c?m.a,m.b; c!m.a,m.b; print \"\" ; \
             [{counter} = ({counter} + 1)] :: else; break od"
        )
    };
    let expected = format!("{}; {}", round("for'"), round("for'2"));
    assert_eq!(super::shown::Shown(&program, 0).nodes(&program.proctypes[0].body), expected);
    let expected = ["u8 m.a = 0", "u8 m.b = 0", "u8 for' = 0", "u8 for'2 = 0"];
    assert_eq!(leaves(&program.proctypes[0].locals), expected);
}

#[test]
fn select_depends_on_how_its_bounds_are_written() {
    let globals = "byte x, a_b, n = 3;";
    assert_eq!(body(globals, "select (x : 1 .. 3)"), "if :: [x = 1] :: [x = 2] :: [x = 3] fi");
    let wide = "[x = 0]; do :: (x < 33); [x = (x + 1)] :: break od";
    assert_eq!(body(globals, "select (x : 0 .. 33)"), wide);
    let general = "[a_b = 1]; do :: break :: (a_b < 3); [a_b = (a_b + 1)] od";
    assert_eq!(body(globals, "select (a_b : 1 .. 3)"), general);
    let general = "[x = 1]; do :: break :: (x < n); [x = (x + 1)] od";
    assert_eq!(body(globals, "select (x : 1 .. n)"), general);
}

#[test]
fn a_label_of_a_loop_belongs_to_the_loop() {
    let expected = "[i = 1]; L: do :: (i <= 2); print \"\" ; [i = (i + 1)] :: else; break od; goto L";
    assert_eq!(body("byte i;", "L: for (i : 1 .. 2) { skip }; goto L"), expected);
}

#[test]
fn labels_belong_to_their_blocks() {
    let text =
        "{ skip; L: skip; goto L }; { skip; L: skip; { skip; goto L } }; goto L; M: skip; { skip; goto M }";
    let expected = "{ 1; L: 1; goto L }; { 1; L'2: 1; { 1; goto L'2 } }; goto L'2; M: 1; { 1; goto M }";
    assert_eq!(body("", text), expected);
    let inline = "inline f(x) { skip; end: x = 1 }; byte a;";
    assert_eq!(body(inline, "f(a); f(a)"), "{ 1; end: [a = 1] }; { 1; end'2: [a = 1] }");
}

#[test]
fn a_label_before_a_block_with_an_escape_is_before_both() {
    assert_eq!(body("", "L: { skip } unless { skip }"), "L: { { 1 } unless { 1 } }");
    assert_eq!(body("", "L: atomic { skip } unless { skip }"), "L: atomic { { 1 } unless { 1 } }");
    assert_eq!(body("", "{ skip } unless { skip }"), "{ 1 } unless { 1 }");
}

#[test]
fn an_else_that_begins_no_option_is_always_executable() {
    let text = "byte x; active proctype P() { if :: x == 1 -> x = 2; else; skip fi }";
    assert_eq!(warnings(text), [(codes::LONE_ELSE, "else")]);
    assert_eq!(body("byte x;", "if :: x == 1 -> x = 2; else fi"), "if :: (x == 1); [x = 2]; 1 fi");
}

#[test]
fn an_else_beside_a_channel_operation_is_reported() {
    let text = "chan c = [0] of { byte }; active proctype P() { if :: c!1 :: else fi }";
    assert_eq!(warnings(text), [(codes::DUBIOUS_ELSE, "else")]);
}

#[test]
fn an_else_may_be_inside_of_a_block_that_begins_an_option() {
    assert_eq!(body("byte x;", "if :: x :: atomic { else -> skip } fi"), "if :: x :: atomic { else; 1 } fi");
}

#[test]
fn increments_are_assignments() {
    assert_eq!(body("byte a[2]; byte i;", "a[i]++; i--"), "[a[i] = (a[i] + 1)]; [i = (i - 1)]");
}

#[test]
fn printm_prints_the_name_of_a_message() {
    assert_eq!(body("mtype = { A };", "printm(A); printf(\"%d\", 3)"), "print \"%e\" 1; print \"%d\" 3");
}
