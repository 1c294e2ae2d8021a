//! Every model of the BEEM benchmark is read without an error, and so is every reachability question about it.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the benchmark may be missing, and a test may fail"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use languages::{Model, Source, read_model};
use sweepline::model::guarded_commands::DeclaredPropertyKind;

/// The benchmark's folder, if this machine has it.
fn benchmark() -> Option<PathBuf> {
    let oracles = std::env::var_os("SWEEPLINE_ORACLES").map(PathBuf::from);
    let oracles =
        oracles.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracles"));
    let benchmark = oracles.join("beem");
    if !benchmark.join("models").is_dir() {
        println!("skipped: no benchmark in {}", oracles.display());
        return None;
    }
    Some(benchmark)
}

fn models(benchmark: &Path) -> BTreeMap<String, Model> {
    let folder = std::fs::read_dir(benchmark.join("models")).unwrap();
    let (mut models, mut refused) = (BTreeMap::new(), Vec::new());
    for path in folder.map(|entry| entry.unwrap().path()) {
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
    let Some(benchmark) = benchmark() else { return };
    let models = models(&benchmark);
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
            let [first, rest @ ..] = action.participants.as_slice() else { panic!("{name}: nobody moves") };
            assert!(rest.iter().all(|other| other.process != first.process), "{name}: a process met itself");
        }
    }
    // The figures that a change of the lowering would move first.
    assert_eq!(models["pouring.1"].commands.actions.len(), 2018);
    assert_eq!(models["firewire_tree.5"].commands.actions.len(), 1280);
}

#[test]
fn all_reachability_questions_are_read() {
    let Some(benchmark) = benchmark() else { return };
    let models = models(&benchmark);
    let table = std::fs::read_to_string(benchmark.join("properties.csv")).unwrap();
    let (mut read, mut refused) = (0, Vec::new());
    for row in table.lines().skip(1) {
        // The formula is the last column and the only one that may hold a comma.
        let columns: Vec<&str> = row.splitn(7, ',').collect();
        let [instance, "reach", .., formula] = columns.as_slice() else { continue };
        match models[*instance].expression(formula.trim_matches('"')) {
            Ok(_) => read += 1,
            Err(errors) => refused.push(format!("{instance}: {formula}: {}", errors[0])),
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(read, 275);
}
