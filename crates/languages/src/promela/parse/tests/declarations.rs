//! What stands outside of processes.

use super::{error, file, help, shown};
use crate::codes;

fn read(text: &str) -> String {
    shown::file(&file(text))
}

#[test]
fn variables_have_types_lengths_and_values() {
    assert_eq!(read("byte a, b = 2, c[N]"), "byte a,b=2,c[N]");
    assert_eq!(read("bit a; bool b; pid c short d int e"), "bit a; bool b; pid c; short d; int e");
    assert_eq!(read("hidden byte a; show byte b; local byte c"), "hidden byte a; byte b; byte c");
    assert_eq!(read("unsigned a : 3 = 1, b : 4"), "unsigned a:3=1,b:4");
    assert_eq!(read("byte a[3] = {1, 2, -3}, b[2] = 5"), "byte a[3]={1,2,Negate(3)},b[2]=5");
}

#[test]
fn channels_have_a_capacity_and_fields() {
    let text = "mtype { A } typedef T { byte x } chan c = [A + 1] of { byte, mtype, mtype:k, chan, T }, d[2]";
    let shown = read(text);
    assert!(shown.ends_with("chan c=[(A Add 1)]{byte,mtype,mtype:k,chan,T},d[2]"), "{shown}");
    assert_eq!(error("byte n; chan c = [n] of { byte }").0, codes::NOT_CONSTANT);
    assert!(help("chan c = [N] of { byte }").contains("`#define N`"));
    assert!(error("chan c = [1] of { unsigned : 3 }").2.contains("`unsigned`"));
}

#[test]
fn messages_are_lists_with_optional_punctuation() {
    assert_eq!(read("mtype = { A, B, C }"), "mtype = A B C");
    assert_eq!(read("mtype { A B } mtype:k = { C } mtype:k x = C"), "mtype = A B; mtype:k = C; mtype:k x=C");
    assert_eq!(read("mtype = {\n A,\n B\n}\nmtype x"), "mtype = A B; mtype x");
}

#[test]
fn structures_are_types_after_their_declaration() {
    assert_eq!(error("typedef T { byte a; U b }").1, "U");
    let text =
        "typedef T {\n byte a\n bit b[2] = 1;\n chan c = [1] of { byte }\n}\ntypedef U { T t; } U u[2]";
    assert_eq!(read(text), "typedef T: byte a, bit b[2]=1, chan c=[1]{byte}; typedef U: T t; U u[2]");
    assert_eq!(error("typedef T { T t }").1, "T");
}

#[test]
fn processes_have_parameters_and_clauses() {
    assert_eq!(read("proctype P() { skip }"), "P: {1}");
    assert_eq!(read("active proctype P() { skip }"), "active[1] P: {1}");
    assert_eq!(read("active [N] D_proctype P() { skip }"), "active[N] P: {1}");
    assert_eq!(
        read("proctype P(byte a; chan b, c, int d) priority 3 provided (a > 0) { skip }"),
        "P(byte a, chan b,c, int d) priority 3 provided (a Greater 0): {1}"
    );
    assert_eq!(
        read("init priority 2 { skip } never { skip } never n { x }"),
        "init priority 2: {1}; never : {1}; never n: {x}"
    );
    assert!(error("proctype P(byte a = 1) { skip }").2.contains("initial value"));
}

#[test]
fn a_misspelt_type_or_keyword_is_named() {
    assert_eq!(help("boool b;"), "did you mean `bool`?");
    assert_eq!(help("typedef Message { byte x } Mesage m;"), "did you mean `Message`?");
    assert_eq!(help("proctyp P() { skip }"), "did you mean `proctype`?");
    assert_eq!(help("init { atomci { skip } }"), "did you mean `atomic`?");
    assert_eq!(help("proctype P(bite b) { skip }"), "did you mean `bit`?");
    assert!(help("Foo x;").contains("`typedef`"));
}

#[test]
fn embedded_c_is_refused_once() {
    for text in [
        "c_code { int x = 0x10; if (a->b) { f(); } }\nbyte x;",
        "c_decl { \\#include <stdio.h> 'ab' } init { c_code [x > 0] { y; }; c_expr { z } -> skip }",
        "c_state \"int x\" \"Global\" \"0\" c_track \"&x\" \"4\" init { skip }",
        "ltl p { [] c_expr { x->y } }",
    ] {
        let errors = super::read(text).unwrap_err();
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert_eq!(errors[0].code, codes::EMBEDDED_C);
    }
}

#[test]
fn trace_assertions_are_refused() {
    let errors = super::read("notrace { do :: c!1 od } byte x y").unwrap_err();
    assert_eq!((errors.len(), errors[0].code), (2, codes::TRACE_ASSERTION));
}
