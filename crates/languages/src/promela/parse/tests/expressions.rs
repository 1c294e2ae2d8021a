//! Expressions: strength of operators, operands, probes.

use super::{body, error, help};
use crate::codes;

#[test]
fn each_level_binds_tighter_than_the_one_before() {
    let ladder = ["||", "&&", "|", "^", "&", "==", "<", "<<", "+", "*"];
    for pair in ladder.windows(2) {
        let tight_right = body(&format!("a {} b {} c", pair[0], pair[1]));
        let tight_left = body(&format!("a {} b {} c", pair[1], pair[0]));
        assert!(tight_right.ends_with("c))}"), "{tight_right}");
        assert!(tight_left.starts_with("{((a"), "{tight_left}");
    }
}

#[test]
fn operators_group_to_the_left_and_prefixes_bind_tightest() {
    assert_eq!(body("a - b + c"), "{((a Subtract b) Add c)}");
    assert_eq!(body("!a == -b * ~c"), "{(Not(a) Equal (Negate(b) Multiply Complement(c)))}");
    assert_eq!(body("!!a && - -b"), "{(Not(Not(a)) And Negate(Negate(b)))}");
    assert_eq!(body("(a -> b : c) > 0"), "{((a -> b : c) Greater 0)}");
}

#[test]
fn operands_are_numbers_references_and_calls() {
    assert_eq!(
        body("true + false + skip + 'a' + '\\n' + '\\\\'"),
        "{(((((1 Add 0) Add 1) Add 97) Add 10) Add 92)}"
    );
    assert_eq!(body("a[i + 1].b[0].c"), "{a[(i Add 1)].b[0].c}");
    assert_eq!(body("timeout && np_"), "{(timeout And np_)}");
    assert_eq!(body("len(c[1]) > 0"), "{(Len(c[1]) Greater 0)}");
    assert_eq!(
        body("enabled(1) + pc_value(_pid) + get_priority(2)"),
        "{((enabled(1) Add pc(_pid)) Add priority(2))}"
    );
    assert_eq!(body("(run P(1, x)) && run Q() priority 3"), "{(run P(1,x) And run Q() priority 3)}");
    assert_eq!(body("c?[A, eval(x), _] || c??[-1]"), "{(c?[A,eval x,_] Or c??[-1])}");
}

#[test]
fn what_is_known_about_another_process_needs_its_name() {
    assert_eq!(body("P@L && P[1]@L"), "{(P@L And P[1]@L)}");
    let text = "proctype P() { byte x; skip } init { P[0]:x == 1; P:x[2] > 0; (c -> P:x : 1) }";
    let shown = super::shown::file(&super::file(text));
    assert!(shown.ends_with("init: {(P[0]:x Equal 1); (P:x[2] Greater 0); (c -> P:x : 1)}"), "{shown}");
}

#[test]
fn numbers_have_32_bits() {
    assert_eq!(body("2147483647"), "{2147483647}");
    assert_eq!(body("x = -2147483648"), "{x = -2147483648}");
    assert_eq!(error("init { 2147483648 }").0, codes::NUMBER_TOO_LARGE);
    assert_eq!(error("init { x = 0x10 }").0, codes::MALFORMED_NUMBER);
}

#[test]
fn probes_are_conditions_and_nothing_else() {
    assert_eq!(body("empty(c) && (full(d) || x)"), "{(Empty(c) And (Full(d) Or x))}");
    assert_eq!(body("x = nempty(c)"), "{x = NonEmpty(c)}");
    for wrong in
        ["!full(c)", "full(c) == 1", "printf(\"\", full(c))", "c!full(c)", "a[full(c)]", "(full(c) -> 1 : 2)"]
    {
        assert_eq!(error(&format!("init {{ {wrong} }}")).0, codes::MISPLACED_PROBE, "{wrong}");
    }
    assert_eq!(
        help("init { !full(c) }"),
        "the opposite of `full` is `nfull`; `len` may be in any expression"
    );
}
