//! Explicit state spaces: reading, errors, and the meaning as a model.

use std::collections::BTreeSet;

use crate::support::{advised_places, read_space};
use languages::{ReadOptions, StateSpace, codes, format, read_model_with};
use model::guarded_commands::{ActionId, CellId, Expression};
use model::interpreter::Interpreter;
use proptest::prelude::*;

fn written(space: &StateSpace) -> String {
    let mut bytes = Vec::new();
    space.write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Code, line and column of every error.
fn places(text: &str) -> Vec<(&'static str, usize, usize)> {
    advised_places(text, &StateSpace::read(text).map(|_| ()).expect_err(text))
}

#[test]
fn lines_are_states() {
    let space = read_space("1 7 2 !p !q * 2\r\n\r\n2 8 2 q !p RP2 1 * 2 RP2 1\n");
    assert_eq!(space.propositions, ["p", "q"]);
    assert_eq!(space.actions, ["*", "RP2"]);
    let [one, two] = space.states.as_slice() else { panic!("two states") };
    assert_eq!((&*one.id, one.progress, &*one.truths), ("1", 7, &[false, false][..]));
    assert_eq!((&*two.id, two.progress, &*two.truths), ("2", 8, &[false, true][..]));
    let arcs: Vec<(u32, u32)> = two.arcs.iter().map(|arc| (arc.action, arc.target)).collect();
    assert_eq!(arcs, [(1, 0), (0, 1), (1, 0)]);
    assert_eq!(written(&space), "1 7 2 !p !q * 2\n2 8 2 !p q RP2 1 * 2 RP2 1\n");
}

#[test]
fn small_spaces_are_spaces() {
    assert_eq!(read_space("only 0 0").states.len(), 1);
    assert_eq!(read_space("\u{feff}\n a/b 4294967295 1 p").states[0].progress, u32::MAX);
}

/// The shape of the dump in the thesis (listing 8.2), which is cut off: states that it only
/// mentions are added.
#[test]
fn the_dump_in_the_thesis_is_read_once_it_is_complete() {
    let dump = "1 7 2 !p !q * 2\n10 8 2 !p !q * 16\n100 15 2 !p q * 134 RP2 133 * 131\n\
                10002 24 2 !p !q * 9140 * 10720 RP6 10726 * 3154\n";
    let rows: Vec<Vec<&str>> = dump.lines().map(|line| line.split(' ').collect()).collect();
    let defined: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    let mentioned: BTreeSet<&str> =
        rows.iter().flat_map(|row| row[5..].chunks(2)).map(|arc| arc[1]).collect();
    let missing: Vec<&str> = mentioned.difference(&defined).copied().collect();
    assert_eq!(places(dump).len(), rows.len(), "each line stops at its first unknown successor");
    assert!(places(dump).iter().all(|(code, ..)| *code == codes::UNKNOWN_STATE));
    let rest: String = missing.iter().map(|id| format!("{id} 30 2 p !q\n")).collect();
    let space = read_space(&format!("{dump}{rest}"));
    assert_eq!(space.states.len(), 4 + missing.len());
    assert_eq!(space.actions, ["*", "RP2", "RP6"]);
    let hundred = &space.states[2];
    let named = |arc: usize| &*space.states[hundred.arcs[arc].target as usize].id;
    assert_eq!((named(0), named(1), named(2)), ("134", "133", "131"));
    assert_eq!(space.actions[hundred.arcs[1].action as usize], "RP2");
}

#[test]
fn lines_that_end_too_early() {
    assert_eq!(places(""), [(codes::NO_STATES, 1, 1)]);
    assert_eq!(places(" \r\n\n"), [(codes::NO_STATES, 3, 1)]);
    assert_eq!(places("1"), [(codes::INCOMPLETE_STATE, 1, 2)]);
    assert_eq!(places("1 7  \r\n"), [(codes::INCOMPLETE_STATE, 1, 4)]);
    assert_eq!(places("1 7 2 p"), [(codes::BAD_PROPOSITION_COUNT, 1, 5)]);
    assert_eq!(places("1 7 1 p * 1 *"), [(codes::INCOMPLETE_ARC, 1, 13)]);
}

#[test]
fn numbers_that_are_none() {
    assert_eq!(places("1 -7 0"), [(codes::BAD_PROGRESS_VALUE, 1, 3)]);
    assert_eq!(places("1 +7 0"), [(codes::BAD_PROGRESS_VALUE, 1, 3)]);
    assert_eq!(places("1 7.5 0"), [(codes::BAD_PROGRESS_VALUE, 1, 3)]);
    assert_eq!(places("1 4294967296 0"), [(codes::BAD_PROGRESS_VALUE, 1, 3)]);
    assert_eq!(places("1 7 p"), [(codes::BAD_PROPOSITION_COUNT, 1, 5)]);
    assert_eq!(places("1 7 99999999999 p"), [(codes::BAD_PROPOSITION_COUNT, 1, 5)]);
}

#[test]
fn propositions_that_do_not_fit() {
    assert_eq!(places("1 7 2 p * 1"), [(codes::BAD_PROPOSITION, 1, 9)]);
    assert_eq!(places("1 7 1 !!p"), [(codes::BAD_PROPOSITION, 1, 7)]);
    assert_eq!(places("1 7 1 state"), [(codes::BAD_PROPOSITION, 1, 7)]);
    assert_eq!(places("1 7 1 !p !q * 1"), [(codes::BAD_PROPOSITION_COUNT, 1, 10)]);
    assert_eq!(places("1 7 2 p !p"), [(codes::DECLARED_TWICE, 1, 9)]);
    assert_eq!(places("1 7 1 p\n2 7 1 r"), [(codes::UNKNOWN_PROPOSITION, 2, 7)]);
    assert_eq!(places("1 7 2 p q\n2 7 1 p"), [(codes::MISSING_PROPOSITION, 2, 5)]);
    assert_eq!(places("1 7 0\n2 7 1 p"), [(codes::UNKNOWN_PROPOSITION, 2, 7)]);
    // A mistake in the first line does not make the others wrong.
    assert_eq!(places("1 7 2 p\n2 7 1 q\n3 7 1 !q"), [(codes::BAD_PROPOSITION_COUNT, 1, 5)]);
}

#[test]
fn states_that_are_not_there_or_there_twice() {
    assert_eq!(places("1 7 0 * 2"), [(codes::UNKNOWN_STATE, 1, 9)]);
    assert_eq!(places("1 7 0\n2 7 0 * 1\n1 8 0"), [(codes::DECLARED_TWICE, 3, 1)]);
    assert_eq!(places("1 7 0 * 01"), [(codes::UNKNOWN_STATE, 1, 9)]);
    assert_eq!(places(&"1\n".repeat(1000)).len(), 20);
}

#[test]
fn a_space_is_a_model_with_one_process() {
    let text = "1 7 2 !p !q * 2 send 2\n2 8 2 p !q RP2 3 * 1\n3 300 2 p q";
    let options = ReadOptions { format: &format::STATE_SPACE, ..ReadOptions::default() };
    let model = read_model_with(text, &options).unwrap();
    assert_eq!((model.format, model.format.name), (&format::STATE_SPACE, "ss"));
    let commands = &model.commands;
    let names: Vec<String> = (0..4).map(|cell| commands.cell_name(CellId(cell))).collect();
    assert_eq!(names, ["p", "q", "progress", "space"]);
    let names: Vec<String> = (0..4).map(|action| commands.action_name(ActionId(action))).collect();
    assert_eq!(names, ["space: 1 -> 2", "space: 1 -> 2 (send)", "space: 2 -> 3 (RP2)", "space: 2 -> 1"]);
    let progress = model.progress.as_ref().unwrap();
    assert_eq!(
        (progress.text.as_str(), &*progress.components),
        ("progress", &[Expression::Cell(CellId(2))][..])
    );

    // Firing the actions gives every state what its line says.
    let interpreter = Interpreter::new(commands);
    let first = commands.initial_state();
    assert_eq!(first, [0, 0, 7, 0]);
    let second = interpreter.step(&first, ActionId(1)).unwrap().unwrap();
    assert_eq!(second, [1, 0, 8, 1]);
    assert_eq!(interpreter.step(&second, ActionId(3)).unwrap().unwrap(), first);
    let third = interpreter.step(&second, ActionId(2)).unwrap().unwrap();
    assert_eq!(third, [1, 1, 300, 2]);
    assert!(interpreter.successors(&third).is_empty());
    let value = |text: &str, state: &[i64]| interpreter.evaluate(&model.expression(text).unwrap(), state);
    for spelling in ["p && !q", "p and not q", "space.2", "progress == 8", "!(q || !p)"] {
        assert_eq!(value(spelling, &second), Ok(1), "{spelling}");
        assert_eq!(value(spelling, &third), Ok(0), "{spelling}");
    }
    assert_eq!(model.expression("r").unwrap_err()[0].code, codes::UNKNOWN_NAME);
    assert_eq!(model.expression("space.4").unwrap_err()[0].code, codes::UNKNOWN_LOCATION);
    assert!(["EF p\n", "AG p", "EFAG p", "AGEF p"].iter().all(|formula| model.ctl(formula).is_ok()));
    assert_eq!(model.measure("(progress, space)").unwrap().components.len(), 2);
}

#[test]
fn propositions_may_have_our_names() {
    let model = read_space("1 7 3 progress space !accepting").model();
    assert_eq!(model.progress.as_ref().unwrap().text, "progress_");
    let names: Vec<String> = (0..5).map(|cell| model.commands.cell_name(CellId(cell))).collect();
    assert_eq!(names, ["progress", "space", "accepting", "progress_", "space_"]);
    assert_eq!(model.expression("progress").unwrap(), Expression::Cell(CellId(0)));
    assert!(model.expression("space_.1 and progress_ == 7").is_ok());
}

#[test]
fn large_spaces_are_read_in_reasonable_time() {
    let states = 200_000_u32;
    let mut text = String::new();
    for state in 0..states {
        let arcs: String = (1..=5).map(|step| format!(" * {}", (state * step + 1) % states)).collect();
        text.push_str(&format!(
            "{state} {} 2 {}p !q{arcs}\n",
            state / 7,
            if state % 3 == 0 { "" } else { "!" }
        ));
    }
    let space = read_space(&text);
    assert_eq!(space.states.iter().map(|state| state.arcs.len()).sum::<usize>(), 1_000_000);
    assert_eq!(written(&space), text);
    assert_eq!(space.model().commands.actions.len(), 1_000_000);
}

fn random_space() -> impl Strategy<Value = String> {
    let word = "[a-zA-Z0-9*./:+-]{1,4}";
    let names = prop::collection::btree_set("[a-z_][a-z0-9_]{0,3}x", 0..4);
    let ids = prop::collection::btree_set(word, 1..12);
    (names, ids).prop_flat_map(move |(names, ids)| {
        let (names, ids): (Vec<String>, Vec<String>) =
            (names.into_iter().collect(), ids.into_iter().collect());
        let target = prop::sample::select(ids.clone());
        let arcs = prop::collection::vec((word, target), 0..4);
        let row = (any::<u32>(), prop::collection::vec(any::<bool>(), names.len()), arcs, any::<bool>());
        prop::collection::vec(row, ids.len()).prop_map(move |rows| {
            let mut text = String::new();
            for (id, (progress, truths, arcs, reversed)) in ids.iter().zip(rows) {
                let mut literals: Vec<String> = names
                    .iter()
                    .zip(truths)
                    .map(|(name, holds)| format!("{}{name}", if holds { "" } else { "!" }))
                    .collect();
                if reversed {
                    literals.reverse();
                }
                let arcs = arcs.into_iter().flat_map(|(action, target)| [action, target]);
                let words: Vec<String> = literals.into_iter().chain(arcs).collect();
                text.push_str(&format!("{id} {progress} {} {}\r\n", names.len(), words.join("  ")));
            }
            text
        })
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(text in random_space()) {
        let space = read_space(&text);
        let again = read_space(&written(&space));
        prop_assert_eq!(&again, &space);
        prop_assert_eq!(written(&again), written(&space));
    }

    #[test]
    fn the_model_steps_as_the_space_does(text in random_space()) {
        let space = read_space(&text);
        let model = space.model();
        let interpreter = Interpreter::new(&model.commands);
        let cells = |number: usize| {
            let state = &space.states[number];
            let truths = state.truths.iter().map(|holds| i64::from(*holds));
            truths.chain([i64::from(state.progress), number as i64]).collect::<Vec<i64>>()
        };
        prop_assert_eq!(model.commands.initial_state(), cells(0));
        for (number, state) in space.states.iter().enumerate() {
            let found: Vec<Vec<i64>> =
                interpreter.successors(&cells(number)).into_iter().map(|(_, next)| next.unwrap()).collect();
            let expected: Vec<Vec<i64>> = state.arcs.iter().map(|arc| cells(arc.target as usize)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
