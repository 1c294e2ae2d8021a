//! The name of an array without an index means its first element, as DiVinE reads it, with a
//! warning.
//!
//! Published translations of UPPAAL's train gate rely on it: `byte e[3]; … effect e = list[0]`.

use std::collections::BTreeSet;

use languages::{Model, Source, codes};
use model::guarded_commands::GuardedCommands;
use model::interpreter::Interpreter;

use crate::support::{cell_of, read_model};

/// Two trains and a gate that lets them pass in the order of their arrival. `FIRST` and `WHO` are
/// the places where the translations write a bare name.
const GATE: &str = "
    byte list[3], who[2], length;
    channel appr, go, leave;
    process Train0 { state far, near, cross; init far;
        trans far -> near { sync appr!; effect list[length] = 1; },
              near -> cross { guard WHO == 1; sync go?; },
              cross -> far { sync leave!; }; }
    process Train1 { state far, near, cross; init far;
        trans far -> near { sync appr!; effect list[length] = 2; },
              near -> cross { guard WHO == 2; sync go?; },
              cross -> far { sync leave!; }; }
    process Gate { state free, send, busy; init free;
        trans free -> free { sync appr?; effect length = length + 1; },
              free -> send { guard length > 0; effect WHO = FIRST; },
              send -> busy { sync go!; },
              busy -> busy { sync appr?; effect length = length + 1; },
              busy -> free { sync leave?;
                  effect length = length - 1, FIRST = list[1], list[length] = 0, WHO = 0; }; }
    system async;
";

fn gate(who: &str, first: &str) -> String {
    GATE.replace("WHO", who).replace("FIRST", first)
}

/// States and transitions, by breadth-first search on the interpreter.
fn counts(model: &GuardedCommands) -> (usize, usize) {
    let interpreter = Interpreter::new(model);
    let mut waiting = vec![model.initial_state()];
    let mut known = BTreeSet::from([model.initial_state()]);
    let mut transitions = 0;
    while let Some(state) = waiting.pop() {
        for (_, next) in interpreter.successors(&state) {
            let next = next.unwrap();
            transitions += 1;
            if known.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    (known.len(), transitions)
}

/// The text at the place of every warning of this kind, with its line.
fn warned<'a>(model: &Model, text: &'a str) -> Vec<(&'a str, usize)> {
    let source = Source::new(text);
    let found = model.warnings.iter().filter(|warning| warning.code == codes::BARE_ARRAY);
    let shown = found.map(|warning| {
        let place = warning.span.start as usize..warning.span.end as usize;
        (&text[place], source.start_of(warning.span).line)
    });
    shown.collect()
}

#[test]
fn a_bare_array_is_its_first_element_in_guards_and_effects() {
    let (bare, indexed) = (gate("who", "list"), gate("who[0]", "list[0]"));
    let (bare_model, indexed_model) = (read_model(&bare), read_model(&indexed));
    assert_eq!(counts(&bare_model.commands), counts(&indexed_model.commands));
    assert_eq!(counts(&bare_model.commands), (13, 18));
    assert!(indexed_model.warnings.is_empty());
}

#[test]
fn the_warning_points_at_the_first_use_of_each_array() {
    let text = gate("who", "list");
    let model = read_model(&text);
    assert_eq!(warned(&model, &text), [("who", 6), ("list", 14)]);
    let warning = &model.warnings[0];
    assert_eq!(warning.message, "the array `who` has no index, and is read as `who[0]`");
    assert_eq!(warning.help.as_deref(), Some("write `who[0]`"));
}

#[test]
fn constants_messages_and_other_processes_have_bare_arrays_too() {
    let text = "const byte C[2] = {7, 8}; channel {byte} q[1]; byte x;
        process P { byte a[2] = {5, 6}; state s; init s;
            trans s -> s { guard C == 7; sync q?a; effect x = a[1]; }; }
        process Q { state s; init s; trans s -> s { guard P->a == 5; sync q!C; }; }
        system async;";
    let model = read_model(text);
    assert_eq!(warned(&model, text), [("C", 3), ("a", 3)]);
    assert_eq!(counts(&model.commands), (3, 2));
}

#[test]
fn questions_and_measures_read_a_bare_array_with_a_warning() {
    let model = read_model("byte e[3]; system async;");
    let (read, warnings) = model.expression_with_warnings("e[1] == e").unwrap();
    assert_eq!((warnings[0].code, warnings[0].span.start), (codes::BARE_ARRAY, 8));
    let (meant, none) = model.expression_with_warnings("e[1] == e[0]").unwrap();
    assert!(none.is_empty());
    assert_eq!(model.measure_text(&[read]), model.measure_text(&[meant]));
    let measure = model.measure("(e, e[1])").unwrap();
    assert_eq!(measure.components, [cell_of(&model, "e[0]"), cell_of(&model, "e[1]")]);
    assert_eq!(measure.warnings.len(), 1);
    assert_eq!(model.measure_text(&measure.components), "(e[0], e[1])");
    assert_eq!(model.ltl("F e").unwrap().warnings.len(), 1);
    assert_eq!(model.ctl("EF e > 1").unwrap().warnings.len(), 1);
    assert!(model.ctl("EF e[0] > 1").unwrap().warnings.is_empty());
}

#[test]
fn a_declared_measure_warns_in_its_place() {
    let text = "byte e[2];\n// progress: e\nsystem async;";
    let model = read_model(text);
    assert_eq!(model.progress.as_ref().unwrap().components, [cell_of(&model, "e[0]")]);
    assert_eq!(warned(&model, text), [("e", 2)]);
}
