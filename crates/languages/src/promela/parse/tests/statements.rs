//! Statements, separators and labels.

use super::{body, error, file, help, shown};
use crate::codes;

#[test]
fn all_kinds_of_statements_are_read() {
    assert_eq!(body("x = 1; x++; a[1].b--; goto L; L: skip"), "{x = 1; x++; a[1].b--; goto L; L: 1}");
    assert_eq!(body("assert(x == 1); assert x"), "{assert (x Equal 1); assert x}");
    assert_eq!(body("printf(\"%d\\n\", x, 1); printm(A)"), "{print <%d\\n> x,1; printm A}");
    assert_eq!(body("set_priority(_pid, 2); _priority = 3"), "{priority _pid 2; _priority = 3}");
    assert_eq!(body("xr c; xs c, d[1]; atomic { x } d_step { y }"), "{atomic{x}; d_step{y}}");
    assert_eq!(body("if :: x -> y :: else fi; do :: break od"), "{if{x; y}{else}; do{break}}");
}

#[test]
fn sends_and_receives_have_two_forms() {
    assert_eq!(body("c!1; c!A(1, 2); c!!x, y; c[1]!x"), "{c!1; c!A,1,2; c!!x,y; c[1]!x}");
    assert_eq!(body("c?x; c?A(x, _); c??-1, eval(y + 1)"), "{c?x; c?A,x,_; c??-1,eval (y Add 1)}");
    assert_eq!(body("c?<x>; c??<A, y>; c?(x, y); c?A(B(x))"), "{c?<x>; c??<A,y>; c?x,y; c?A,B,x}");
    assert_eq!(body("c?[A] && x; c??[A]"), "{(c?[A] And x); c??[A]}");
}

#[test]
fn loops_and_selections_over_ranges_are_read() {
    assert_eq!(body("for (i : 1 .. N - 1) { x }"), "{for i:1..(N Subtract 1){x}}");
    assert_eq!(body("for (a.i : 0..2); { x } for (i in a)\n { y }"), "{for a.i:0..2{x}; for i in a{y}}");
    assert_eq!(body("byte in; in = 1"), "{byte in; in = 1}");
    assert_eq!(body("select (i : 0 .. 3)"), "{select plain i:0..3}");
    assert_eq!(body("select (i : 0 .. n); select (x_1 : 0 .. 1)"), "{select i:0..n; select x_1:0..1}");
    assert_eq!(
        body("select (a[0] : 0 .. 1); select (i : -1 .. 1)"),
        "{select a[0]:0..1; select i:Negate(1)..1}"
    );
    let text = "inline f() { select (i : 0 .. 3) } init { f() }";
    assert_eq!(shown::file(&file(text)), "init: {{select i:0..3}}");
}

#[test]
fn separators_count_once_and_may_be_missing() {
    assert_eq!(body("x;; y -> ; z; "), "{x; y; z}");
    assert_eq!(body("{ x } y; atomic { z } { w }"), "{{x}; y; atomic{z}; {w}}");
    assert_eq!(body("if :: x :: else y fi\ndo :: z; od"), "{if{x}{else; y}; do{z}}");
    assert_eq!(body("x = 1\ny = 2\n\nc!m\n(x > 0) -> z"), "{x = 1; y = 2; c!m; (x Greater 0); z}");
    assert_eq!(body("x = (1\n + 2)\n"), "{x = (1 Add 2)}");
    assert_eq!(body("x --> y"), "{x; y}");
    assert_eq!(error("init { x y }").1, "y");
    assert_eq!(error("init { if :: x fi x }").1, "x");
}

#[test]
fn an_operator_cannot_begin_a_line() {
    let text = "init { x = 1\n + 2 }";
    assert_eq!(error(text).1, "+");
    assert!(help(text).starts_with("the line before is a complete statement"), "{}", help(text));
}

#[test]
fn a_sequence_needs_a_statement() {
    for text in
        ["init { }", "init { atomic { } }", "init { if :: fi }", "init { do :: x :: od }", "init { ; }"]
    {
        let (code, _, message) = error(text);
        assert_eq!(code, codes::UNEXPECTED_TOKEN, "{text}");
        assert!(message.starts_with("expected a statement, found"), "{message}");
    }
    assert_eq!(help("init { }"), "a sequence needs at least one statement; `skip` does nothing");
    assert!(error("init { if fi }").2.starts_with("expected `::`"));
}

#[test]
fn labels_stand_before_statements() {
    assert_eq!(body("L: M: x; N: { y }; O: if :: z fi"), "{L: M: x; N: {y}; O: if{z}}");
    assert_eq!(body("x; L: }; init { M:; y"), "{x; L: 1}; init: {M: 1; y}");
    assert_eq!(body("if :: x; L: :: y; M: fi"), "{if{x; L: 1}{y; M: 1}}");
}

#[test]
fn labels_cannot_stand_everywhere() {
    for text in [
        "init { L: byte x; skip }",
        "init { L: xr c }",
        "init { atomic { L: x } }",
        "init { d_step { L: x } }",
        "init { { L: x } }",
        "init { { L: { x } unless { y } } }",
        "init { do :: L: x od }",
        "init { x unless L: y }",
        "init { x unless L: { y } }",
        "init { L: x unless { y } }",
    ] {
        let (code, place, _) = error(text);
        assert_eq!((code, place), (codes::MISPLACED_LABEL, "L"), "{text}");
    }
}

#[test]
fn escapes_belong_to_one_statement() {
    assert_eq!(body("x unless { y }; L: { z } unless x++"), "{x unless {y}; L: {z} unless x++}");
    assert_eq!(body("do :: x od\nunless { y }\nz"), "{do{x} unless {y}; z}");
    assert!(error("init { { x } unless { y } unless { z } }").2.ends_with("found `unless`"));
}

#[test]
fn declarations_are_steps() {
    assert_eq!(body("byte a, b = 2; x; { int c[3] } chan d"), "{byte a,b=2; x; {int c[3]}; chan d}");
    assert!(error("init { mtype = { A }; skip }").2.contains("outside of processes"));
}
