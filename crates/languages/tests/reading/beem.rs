//! Every model of the BEEM benchmark is read without an error, and so is every question about it.

use std::collections::BTreeMap;

use languages::{Model, Source, ltl_over_names, read_model};
use model::guarded_commands::DeclaredPropertyKind;
use oracles::{Beem, PropertyKind};

fn models(beem: &Beem) -> BTreeMap<String, Model> {
    let (mut models, mut refused) = (BTreeMap::new(), Vec::new());
    for path in beem.model_files().unwrap() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        match read_model(&text) {
            Ok(model) => drop(models.insert(name, model)),
            Err(errors) => {
                let source = Source::new(&text);
                let shown: Vec<String> =
                    errors.iter().map(|error| format!("{:?} {error}", source.start_of(error.span))).collect();
                refused.push((name, shown));
            }
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
    models
}

#[test]
fn all_models_are_read() {
    let Some(beem) = Beem::find_or_say_skipped("reading all models of BEEM") else { return };
    let models = models(&beem);
    assert_eq!(models.len(), 606);
    for (name, model) in &models {
        let automata = model
            .commands
            .properties
            .iter()
            .filter(|property| matches!(property.kind, DeclaredPropertyKind::NoAcceptedRun(_)))
            .count();
        assert_eq!(automata, usize::from(name.contains(".prop")), "{name}");
        for action in &model.commands.actions {
            let [first, rest @ ..] = action.participants.as_slice() else {
                panic!("{name}: an action without participants")
            };
            assert!(rest.iter().all(|other| other.process != first.process), "{name}: a process met itself");
        }
    }
    // The figures that a change of the lowering would move first.
    assert_eq!(models["pouring.1"].commands.actions.len(), 2018);
    assert_eq!(models["firewire_tree.5"].commands.actions.len(), 1280);
}

#[test]
fn all_reachability_questions_are_read() {
    let Some(beem) = Beem::find_or_say_skipped("reading all reachability questions of BEEM") else { return };
    let models = models(&beem);
    let (mut read, mut refused) = (0, Vec::new());
    for row in beem.properties().unwrap().iter().filter(|row| row.kind == PropertyKind::Reach) {
        match models[&row.instance].expression(&row.formula) {
            Ok(_) => read += 1,
            Err(errors) => refused.push(format!("{}: {}: {}", row.instance, row.formula, errors[0])),
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(read, 275);
}

/// Their propositions are macros of the benchmark, which the models do not have.
#[test]
fn all_formulas_of_linear_temporal_logic_are_read() {
    let Some(beem) = Beem::find_or_say_skipped("reading all formulas of BEEM") else { return };
    let (mut read, mut refused) = (0, Vec::new());
    for row in beem.properties().unwrap().iter().filter(|row| row.kind == PropertyKind::Ltl) {
        match ltl_over_names(&row.formula) {
            Ok((_, names)) => {
                read += 1;
                let is_macro =
                    |name: &String| name.bytes().all(|one| one.is_ascii_alphanumeric() || one == b'_');
                assert!(names.iter().all(is_macro), "{}: {names:?}", row.formula);
                assert!(names.iter().all(|name| name.len() > 1), "{}: {names:?}", row.formula);
            }
            Err(errors) => refused.push(format!("{}: {}: {}", row.instance, row.formula, errors[0])),
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(read, 379);
}
