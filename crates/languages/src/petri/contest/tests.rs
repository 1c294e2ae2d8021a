//! Reading property files.

use super::*;
use crate::codes;
use crate::{ReadOptions, format, read_model_with};

fn model() -> Model {
    let net =
        "PLACE p, q; MARKING p: 1; TRANSITION t CONSUME p; PRODUCE q; TRANSITION u CONSUME q; PRODUCE q;";
    let options = ReadOptions { format: &format::LOLA, ..ReadOptions::default() };
    read_model_with(net, &options).unwrap()
}

fn file(id: &str, formula: &str) -> String {
    format!("<property-set><property><id>{id}</id><formula>{formula}</formula></property></property-set>")
}

fn question(id: &str, formula: &str) -> ContestQuestion {
    properties(&model(), &file(id, formula)).unwrap().swap_remove(0).question
}

fn code(formula: &str) -> &'static str {
    properties(&model(), &file("x", formula)).unwrap_err()[0].code
}

const FIREABLE: &str = "<is-fireable><transition>t</transition><transition>u</transition></is-fireable>";
const FEW: &str = "<integer-le><tokens-count><place>p</place><place>q</place></tokens-count>\
    <integer-constant>1</integer-constant></integer-le>";

#[test]
fn what_a_search_decides_is_recognised() {
    let deadlock = "<exists-path><finally><deadlock/></finally></exists-path>";
    assert_eq!(question("x", deadlock), ContestQuestion::Deadlock);
    let invariant =
        format!("<all-paths><globally><conjunction>{FIREABLE}{FEW}</conjunction></globally></all-paths>");
    let expected = model().expression("(p >= 1 or q >= 1) and p + q <= 1").unwrap();
    let ContestQuestion::Invariant(found) = question("x", &invariant) else { panic!("an invariant") };
    assert_eq!(
        format!("{found:?}").replace(char::is_numeric, ""),
        format!("{expected:?}").replace(char::is_numeric, "")
    );
    let bound = "<place-bound><place>q</place></place-bound>";
    assert_eq!(question("x", bound), ContestQuestion::Bound(model().expression("q").unwrap()));
}

#[test]
fn the_examination_tells_the_logic() {
    let next = format!("<all-paths><next>{FEW}</next></all-paths>");
    assert!(matches!(question("n-CTLCardinality-00", &next), ContestQuestion::Branching(_)));
    assert!(matches!(question("n-LTLCardinality-00", &next), ContestQuestion::EveryRun(_)));
    assert!(matches!(question("n", &next), ContestQuestion::Branching(_)));
    let nested = format!("<exists-path><globally><finally>{FEW}</finally></globally></exists-path>");
    let ContestQuestion::NotEveryRun(formula) = question("n", &nested) else { panic!("linear time") };
    assert_eq!(formula.text, "E G (F (tokens-count(p, q) <= 1))");
    let until =
        format!("<exists-path><until><before>{FEW}</before><reach>{FIREABLE}</reach></until></exists-path>");
    let ContestQuestion::Branching(formula) = question("n", &until) else { panic!("branching time") };
    assert_eq!(formula.propositions.len(), 2);
}

#[test]
fn mistakes_are_reported() {
    assert_eq!(code("<all-paths/>"), codes::MISSING_PART);
    assert_eq!(
        code(
            "<all-paths><globally><is-fireable><transition>v</transition></is-fireable></globally></all-paths>"
        ),
        codes::UNKNOWN_NODE
    );
    assert_eq!(code("<place-bound><place>v</place></place-bound>"), codes::UNKNOWN_NODE);
    assert_eq!(code("<all-paths><sometimes/></all-paths>"), codes::UNSUPPORTED_NET);
    assert_eq!(code("<integer-le><tokens-count/></integer-le>"), codes::MISSING_PART);
    let deep = format!("<all-paths><globally><all-paths>{FEW}</all-paths></globally></all-paths>");
    assert_eq!(code(&deep), codes::UNSUPPORTED_NET);
    let other = |text: &str| properties(&model(), text).unwrap_err()[0].code;
    assert_eq!(other("<pnml/>"), codes::NOT_A_NET);
    assert_eq!(other(""), codes::NOT_A_NET);
    assert_eq!(other("<property-set>"), codes::MALFORMED_XML);
    let dve = crate::read_model("byte x; system async;").unwrap();
    assert_eq!(properties(&dve, "<property-set/>").unwrap_err()[0].code, codes::NOT_A_NET);
}
