//! Dependencies point one way, between crates and between the modules of the engine.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::path::{Path, PathBuf};

/// The crates of the workspace that each crate may depend on, apart from its tests.
const CRATES: [(&str, &[&str]); 8] = [
    ("model", &[]),
    ("logic", &["model"]),
    ("native-code", &["model"]),
    ("languages", &["logic", "model"]),
    ("engine", &["logic", "model"]),
    ("sweepline", &["engine", "languages", "logic", "model", "native-code"]),
    ("report", &["engine", "languages", "logic", "model"]),
    ("command-line", &["engine", "languages", "logic", "model", "native-code", "report", "sweepline"]),
];

/// The modules of the engine that each module may use. `verdict` and `property` observe searches, so
/// they are above them.
const MAY_USE: [(&str, &[&str]); 8] = [
    ("reduce", &["reduce"]),
    ("store", &["store"]),
    ("progress", &["progress", "store"]),
    ("explore", &["explore", "store", "progress"]),
    ("property", &["property", "explore", "store"]),
    ("verdict", &["verdict", "explore", "store"]),
    ("check", &["check", "property", "verdict", "explore", "store", "progress", "reduce"]),
    ("rust_model", &["rust_model", "check", "property", "verdict", "explore"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn modules_use_only_what_lies_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in sources(&root) {
        let relative = file.strip_prefix(&root).unwrap();
        let module = relative.iter().next().unwrap().to_string_lossy().replace(".rs", "");
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
            assert_eq!(module, "lib", "{} belongs to no layer", file.display());
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap();
        // What tests use is their business.
        let code = text.split("#[cfg(test)]").next().unwrap();
        for line in code.lines() {
            let Some(rest) = line.trim_start().strip_prefix("use crate::") else { continue };
            let used = rest.split([':', ';']).next().unwrap();
            if !allowed.contains(&used) {
                wrong.push(format!("{}: {line}", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "these point the wrong way:\n{}", wrong.join("\n"));
}

#[test]
fn crates_depend_only_on_crates_below_them() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (name, allowed) in CRATES {
        let manifest = std::fs::read_to_string(crates.join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
        let used = dependencies.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        for used in used.filter(|used| CRATES.iter().any(|(name, _)| name == used)) {
            assert!(allowed.contains(&used), "{name} must not depend on {used}");
        }
    }
}
