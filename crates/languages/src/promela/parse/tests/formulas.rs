//! Formulas of linear temporal logic.

use super::{error, file, help, shown};
use crate::codes;

fn formula(text: &str) -> String {
    let shown = shown::file(&file(&format!("ltl p {{ {text} }}")));
    shown.strip_prefix("ltl p: ").unwrap().to_owned()
}

#[test]
fn temporal_operators_have_symbols_and_words() {
    assert_eq!(formula("[] p"), "G<p>");
    assert_eq!(formula("<>[]!p"), "FG<Not(p)>");
    assert_eq!(formula("always eventually next X p"), "GFXX<p>");
    assert_eq!(formula("p U q"), "(<p> U <q>)");
    assert_eq!(formula("p until q stronguntil r"), "((<p> U <q>) U <r>)");
    assert_eq!(formula("p V q release r"), "((<p> V <q>) V <r>)");
    assert_eq!(formula("p W q weakuntil r"), "((<p> W <q>) W <r>)");
    assert_eq!(formula("p implies q equivalent r"), "((<p> -> <q>) <-> <r>)");
    assert_eq!(formula("p -> q <-> r"), "((<p> -> <q>) <-> <r>)");
    assert_eq!(formula("[]p /\\ <>q \\/ r"), "((G<p> && F<q>) || <r>)");
}

#[test]
fn strength_is_that_of_spin() {
    assert_eq!(formula("p -> q U r"), "(<p> -> (<q> U <r>))");
    assert_eq!(formula("[] p -> q"), "(G<p> -> <q>)");
    assert_eq!(formula("p && q U r || []s"), "((<p> && (<q> U <r>)) || G<s>)");
    assert_eq!(formula("x == 1 U y + 1 > 2"), "(<(x Equal 1)> U <((y Add 1) Greater 2)>)");
    assert_eq!(formula("!(p U q)"), "!(<p> U <q>)");
    assert_eq!(formula("!p U q"), "(<Not(p)> U <q>)");
}

#[test]
fn a_part_without_temporal_operators_is_one_proposition() {
    assert_eq!(formula("[] (p && q || !r == 1)"), "G<((p And q) Or (Not(r) Equal 1))>");
    assert_eq!(formula("(p && q) && <> r"), "(<(p And q)> && F<r>)");
    assert_eq!(formula("[] (P[1]@L || P:x[2] > Q@M)"), "G<(P[1]@L Or (P:x[2] Greater Q@M))>");
    assert_eq!(formula("len(c) > 1 -> c?[A]"), "(<(Len(c) Greater 1)> -> <c?[A]>)");
    assert_eq!(formula("[] empty(c)"), "G<Empty(c)>");
}

#[test]
fn words_are_operators_only_in_formulas() {
    assert_eq!(super::body("U = V; X; always = 1"), "{U = V; X; always = 1}");
    assert_eq!(formula("<>U1"), "F<U1>");
}

#[test]
fn a_comparison_of_a_formula_is_an_error_that_shows_the_parentheses() {
    let text = "ltl { [] x == 1 }";
    assert_eq!((error(text).0, error(text).1), (codes::TEMPORAL_OPERAND, "[] x"));
    assert_eq!(help(text), "`[]` is stronger than `==`; write `[] (… == …)`, as in `[] (x == 1)`");
    assert!(help("ltl { always !p + 1 }").starts_with("`always` is stronger than `+`"));
    assert_eq!(error("ltl { x > ([] y) }").0, codes::TEMPORAL_OPERAND);
    assert_eq!(error("ltl { ([] y) & x }").0, codes::TEMPORAL_OPERAND);
}

#[test]
fn blocks_may_have_no_name_and_a_semicolon() {
    assert_eq!(shown::file(&file("ltl { [] p; }")), "ltl : G<p>");
    let text = "ltl q {  <> p  }";
    let crate::promela::syntax::Item::Ltl(block) = &file(text).items[0] else { panic!("{text}") };
    assert_eq!(&text[block.span.start as usize..block.span.end as usize], "  <> p  ");
}

#[test]
fn malformed_formulas_are_errors() {
    for text in ["[]", "p U", "U p", "p q", "(p", "p ->", "p = 1", ""] {
        assert_eq!(error(&format!("ltl {{ {text} }}")).0, codes::UNEXPECTED_TOKEN, "{text}");
    }
}
