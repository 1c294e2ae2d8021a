//! Inlines.

use super::{error, file, help, shown};
use crate::codes;

fn read(text: &str) -> String {
    shown::file(&file(text))
}

#[test]
fn a_call_is_a_block_with_arguments_for_parameters() {
    assert_eq!(
        read("inline f(a, b) { a = b * 2 } init { f(x, 1 + y) }"),
        "init: {{x = (1 Add (y Multiply 2))}}"
    );
    assert_eq!(read("inline f() { skip } init { f(); f() f() x }"), "init: {{1}; {1}; {1}; x}");
    assert_eq!(read("inline f(a) { x.a++; a: goto a } init { f(b) }"), "init: {{x.b++; b: goto b}}");
    assert_eq!(
        read("inline f(a, b) { c!a; c?b } init { f((x -> y : z), A(_, v)) }"),
        "init: {{c!(x -> y : z); c?A,_,v}}"
    );
}

#[test]
fn calls_inside_of_inlines_see_its_arguments() {
    let text = "inline f(a) { a++ } inline g(b) { f(b); f(c) } init { g(x) }";
    assert_eq!(read(text), "init: {{{x++}; {c++}}}");
    let swapped = "inline f(a, b) { a = b } inline g(a, b) { f(b, a) } init { g(x, y) }";
    assert_eq!(read(swapped), "init: {{{y = x}}}");
}

#[test]
fn a_value_is_returned_by_an_assignment() {
    let text = "inline f(a) { return a + 1; x } init { y.z = f(2); w }";
    assert_eq!(read(text), "init: {{y.z = (2 Add 1); x}; w}");
    let nested = "inline g() { return 2 } inline f() { y = g(); return 3 } init { x = f() }";
    assert_eq!(read(nested), "init: {{{y = 2}; x = 3}}");
    assert_eq!(error("inline f() { return 1 } init { f() }").0, codes::BAD_INLINE);
    assert_eq!(error("init { return 1 }").0, codes::BAD_INLINE);
}

#[test]
fn a_body_has_lines_and_an_escape() {
    let text = "inline f(a)\n{\n a = 1\n a = 2\n}\ninit {\n f(x)\n f(y)\n z\n }";
    assert_eq!(read(text), "init: {{x = 1; x = 2}; {y = 1; y = 2}; z}");
    assert_eq!(read("inline f() { x } init { f() unless { y } }"), "init: {{x} unless {y}}");
}

#[test]
fn wrong_calls_are_errors() {
    assert_eq!(error("inline f(a) { a } init { f() }").0, codes::BAD_INLINE);
    assert_eq!(error("inline f() { skip } init { f(1) }").0, codes::BAD_INLINE);
    assert_eq!(error("inline f() { f() } init { f() }").0, codes::BAD_INLINE);
    assert_eq!(error("inline f() { g() } inline g() { f() } init { g() }").0, codes::BAD_INLINE);
    assert_eq!(error("inline f() { } init { f() }").0, codes::UNEXPECTED_TOKEN);
    assert_eq!(error("inline f() { skip } inline f() { skip }").0, codes::DECLARED_TWICE);
    assert_eq!(help("inline send(a) { skip } init { sned(1) }"), "did you mean `send`?");
    assert_eq!(help("init { foo(1) }"), "no inline `foo` is declared before this line");
    assert_eq!(help("proctype P() { skip } init { P() }"), "`P` is a process: write `run P(…)`");
}
