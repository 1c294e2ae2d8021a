//! Automata over state spaces, and their products.

use std::collections::BTreeSet;

use crate::support::{advised_places, read_space};
use languages::state_space::{ProductError, model_state};
use languages::{Automaton, StateSpace, codes};
use proptest::prelude::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn automaton(text: &str, propositions: &[&str]) -> Automaton {
    Automaton::read(text, &names(propositions)).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn label(automaton: &Automaton, state: usize, transition: usize) -> Vec<(&str, bool)> {
    let literals = automaton.transitions[state][transition].label.iter();
    literals.map(|one| (automaton.propositions[one.proposition].as_str(), one.holds)).collect()
}

/// Code, line and column of every error.
fn places(text: &str) -> Vec<(&'static str, usize, usize)> {
    let errors = Automaton::read(text, &names(&["p", "q"])).map(|_| ()).expect_err(text);
    advised_places(text, &errors)
}

/// The names of product states where the automaton accepts.
fn accepted(space: &StateSpace, automaton: &str) -> Vec<String> {
    let automaton = Automaton::read(automaton, &space.propositions).unwrap();
    let product = space.product(&automaton).unwrap();
    let accepting = product.states.iter().filter(|state| state.truths.last() == Some(&true));
    accepting.map(|state| state.id.to_string()).collect()
}

/// Some state where p holds can be reached.
const REACHES_P: &str = "0\n1\n0 true 0 p 1\n1 true 1\n";

#[test]
fn the_automaton_in_the_thesis_is_read() {
    let automaton = automaton("0\n1\n0 true 0 p!q 1\n1 !q 1\n", &["p", "q"]);
    assert_eq!((automaton.initial, automaton.accepting.as_slice()), (0, &[false, true][..]));
    assert_eq!(label(&automaton, 0, 0), []);
    assert_eq!(label(&automaton, 0, 1), [("p", true), ("q", false)]);
    assert_eq!(label(&automaton, 1, 0), [("q", false)]);
    let targets: Vec<usize> = automaton.transitions[0].iter().map(|transition| transition.target).collect();
    assert_eq!(targets, [0, 1]);
}

#[test]
fn the_longest_proposition_is_taken_from_a_label() {
    let automaton = automaton("a\r\n\r\na pq a qp a p!qp a\r\n", &["p", "q", "pq"]);
    assert_eq!(label(&automaton, 0, 0), [("pq", true)]);
    assert_eq!(label(&automaton, 0, 1), [("q", true), ("p", true)]);
    assert_eq!(label(&automaton, 0, 2), [("p", true), ("q", false), ("p", true)]);
    assert_eq!(automaton.accepting, [false], "an empty second line names no acceptance state");
}

#[test]
fn wrong_automata_are_refused_in_their_place() {
    assert_eq!(places(""), [(codes::NO_STATES, 1, 1)]);
    assert_eq!(places("\n \n"), [(codes::NO_STATES, 3, 1)]);
    assert_eq!(places("0"), [(codes::UNKNOWN_STATE, 1, 1)]);
    assert_eq!(places("0 1\n1\n0\n1"), [(codes::BAD_AUTOMATON_STATE, 1, 3)]);
    assert_eq!(places("0\n0 2\n0"), [(codes::UNKNOWN_STATE, 2, 3)]);
    assert_eq!(places("0\n0\n0 true 1"), [(codes::UNKNOWN_STATE, 3, 8)]);
    assert_eq!(places("0\n0\n0 p"), [(codes::INCOMPLETE_ARC, 3, 3)]);
    assert_eq!(places("0\n0\n0 p!r 0"), [(codes::BAD_LABEL, 3, 5)]);
    assert_eq!(places("0\n0\n0 ! 0"), [(codes::BAD_LABEL, 3, 4)]);
    assert_eq!(places("0\n0\n0 pü 0"), [(codes::BAD_LABEL, 3, 4)]);
    assert_eq!(places("0\n0\n0\n0 p 0"), [(codes::DECLARED_TWICE, 4, 1)]);
    assert_eq!(places("0/1\n\n0/1"), [(codes::BAD_AUTOMATON_STATE, 3, 1)]);
    // Mistakes of several lines are reported together.
    assert_eq!(places("x\ny\n0 r 0\n1 p 2").len(), 4);
}

#[test]
fn a_proposition_that_holds_only_at_a_dead_end_is_seen() {
    assert_eq!(accepted(&read_space("1 0 1 !p * 2\n2 1 1 !p * 3\n3 1 1 p"), REACHES_P), ["3/0"]);
    assert_eq!(accepted(&read_space("1 0 1 p"), REACHES_P), ["1/0"], "the initial state is read too");
    assert_eq!(accepted(&read_space("1 0 1 !p * 1\n2 0 1 p * 1"), REACHES_P), [""; 0], "2 is out of reach");
}

#[test]
fn the_product_keeps_progress_actions_and_names() {
    let space = read_space("a/b 3 1 !p * c\nc 5 1 p back a/b go c");
    let automaton = Automaton::read(REACHES_P, &space.propositions).unwrap();
    let product = space.product(&automaton).unwrap();
    assert_eq!(product.propositions, ["p", "accepting"]);
    let ids: Vec<&str> = product.states.iter().map(|state| &*state.id).collect();
    assert_eq!(ids, ["a/b/0", "c/0", "a/b/1", "c/1"]);
    let back: Vec<&str> = ids.iter().map(|id| model_state(id)).collect();
    assert_eq!(back, ["a/b", "c", "a/b", "c"]);
    let progress: Vec<u32> = product.states.iter().map(|state| state.progress).collect();
    assert_eq!(progress, [3, 5, 3, 5]);
    // Both readings of `c`, for each of its actions.
    let arcs: Vec<(&str, u32)> = product.states[1]
        .arcs
        .iter()
        .map(|arc| (product.actions[arc.action as usize].as_str(), arc.target))
        .collect();
    assert_eq!(arcs, [("back", 0), ("back", 2), ("go", 1), ("go", 3)]);
    let mut text = Vec::new();
    product.write(&mut text).unwrap();
    assert_eq!(StateSpace::read(&String::from_utf8(text).unwrap()).unwrap(), product);
    assert!(product.model().ctl("EF accepting").is_ok());
}

#[test]
fn the_product_stops_where_nothing_can_be_read() {
    let space = read_space("1 0 2 p !q * 2\n2 0 2 p q * 3\n3 0 2 p !q");
    let accepted = accepted(&space, "0\n1\n0 p!q 1\n1 !q 1\n");
    assert_eq!(accepted, ["1/0"], "state 2 cannot be read, so 3 is not reached");
}

#[test]
fn names_do_not_clash_and_propositions_must_fit() {
    let taken = read_space("1 0 2 accepting !accepting_");
    let product = taken.product(&automaton("0\n\n0 accepting 0", &["accepting"])).unwrap();
    assert_eq!(product.propositions, ["accepting", "accepting_", "accepting__"]);
    let other = automaton("0\n\n0 r 0", &["accepting", "r"]);
    assert_eq!(taken.product(&other), Err(ProductError::UnknownProposition("r".into())));
    // Only propositions in use must exist, and their order does not matter.
    let reordered = automaton("0\n0\n0 !accepting_accepting 0", &["r", "accepting_", "accepting"]);
    assert_eq!(taken.product(&reordered).unwrap().states[0].truths.last(), Some(&true));
}

/// Whether definition 3.3 of the thesis, taken literally, reaches an acceptance state: pairs after
/// reading.
fn reaches_by_definition(space: &StateSpace, automaton: &Automaton) -> bool {
    let read = |from: usize, state: usize| -> Vec<usize> {
        let truths = &space.states[state].truths;
        let fitting = automaton.transitions[from].iter().filter(|transition| {
            transition.label.iter().all(|literal| truths[literal.proposition] == literal.holds)
        });
        fitting.map(|transition| transition.target).collect()
    };
    let mut seen: BTreeSet<(usize, usize)> = read(automaton.initial, 0).iter().map(|one| (0, *one)).collect();
    let mut open: Vec<(usize, usize)> = seen.iter().copied().collect();
    while let Some((state, watcher)) = open.pop() {
        for arc in &space.states[state].arcs {
            for next in read(watcher, arc.target as usize) {
                if seen.insert((arc.target as usize, next)) {
                    open.push((arc.target as usize, next));
                }
            }
        }
    }
    seen.iter().any(|(_, watcher)| automaton.accepting[*watcher])
}

proptest! {
    #[test]
    fn the_product_accepts_exactly_when_the_definition_does(
        rows in prop::collection::vec((any::<bool>(), any::<bool>(), prop::collection::vec(0..6_usize, 0..3)), 6),
        lines in prop::collection::vec(prop::collection::vec((0..7_usize, 0..4_usize), 0..4), 4),
        accepting in prop::collection::vec(0..4_usize, 0..2),
    ) {
        let literal = |name: &str, holds: bool| format!("{}{name}", if holds { "" } else { "!" });
        let mut text = String::new();
        for (id, (p, q, targets)) in rows.iter().enumerate() {
            let arcs: String = targets.iter().map(|target| format!(" * {target}")).collect();
            text.push_str(&format!("{id} 0 2 {} {}{arcs}\n", literal("p", *p), literal("q", *q)));
        }
        let space = read_space(&text);
        const LABELS: [&str; 7] = ["true", "p", "!p", "q", "!q", "p!q", "!pq"];
        let accepting: Vec<String> = accepting.iter().map(usize::to_string).collect();
        let mut text = format!("0\n{}\n", accepting.join(" "));
        for (id, transitions) in lines.iter().enumerate() {
            let arcs: String =
                transitions.iter().map(|(label, target)| format!(" {} {target}", LABELS[*label])).collect();
            text.push_str(&format!("{id}{arcs}\n"));
        }
        let automaton = Automaton::read(&text, &space.propositions).unwrap();
        let product = space.product(&automaton).unwrap();
        let accepts = product.states.iter().any(|state| state.truths.last() == Some(&true));
        prop_assert_eq!(accepts, reaches_by_definition(&space, &automaton));
    }
}
