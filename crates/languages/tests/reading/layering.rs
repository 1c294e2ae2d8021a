//! Which modules may know which: languages know questions, names and lowering, and not the reverse.

use std::path::{Path, PathBuf};

/// The modules that read a language.
const LANGUAGES: [&str; 4] = ["dve", "petri", "promela", "state_space"];

/// The modules that all languages share.
const SHARED: [&str; 3] = ["lowering", "names", "question"];

/// Every source file, with its path below `src`.
fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path.strip_prefix(&root).unwrap().to_owned(), text));
        }
    }
}

/// The first component of a path, without an ending: `names` for `names.rs`, `dve` for
/// `dve/mod.rs`.
fn module(path: &Path) -> String {
    let first = path.iter().next().unwrap().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Whether a line of code, not of a comment, uses a module of the crate.
fn uses(text: &str, module: &str) -> bool {
    let mut code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.any(|line| line.contains(&format!("crate::{module}::")))
}

#[test]
fn what_languages_share_knows_no_language() {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 60, "the sources are elsewhere");
    for (path, text) in &found {
        let module = module(path);
        if SHARED.contains(&module.as_str()) {
            for language in LANGUAGES {
                assert!(!uses(text, language), "{} uses `{language}`", path.display());
            }
        }
        // One language does not go through another one.
        if LANGUAGES.contains(&module.as_str()) && module != "dve" {
            assert!(!uses(text, "dve"), "{} uses `dve`", path.display());
        }
    }
}
