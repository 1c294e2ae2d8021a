//! The console sessions in the README and in the guide, executed.
//!
//! A block that is marked `console` contains commands, after `$ `, each followed by its output
//! (stdout, then stderr). In expected text `[..]` matches anything within a line and a line `...`
//! any number of lines. Times, rates and memory differ between machines, so the comparison ignores
//! those numbers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command with its expected output.
struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
}

#[test]
fn the_sessions_in_the_readme_are_true() {
    assert_sessions_are_true(&[root().join("README.md")]);
}

/// Runs the sessions of all pages one after the other, because some need files of earlier ones.
#[test]
fn the_sessions_in_the_guide_are_true() {
    let mut pages = guide();
    pages.retain(|page| !steps(&std::fs::read_to_string(page).unwrap()).is_empty());
    assert!(pages.len() >= 12, "{pages:?}");
    assert_sessions_are_true(&pages);
}

/// The pages of the guide.
fn guide() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("docs/book")).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    pages
}

/// Every link has a target, and every page is listed.
#[test]
fn links_in_the_guide_have_targets_and_all_pages_are_listed() {
    let pages = guide();
    let summary = std::fs::read_to_string(root().join("docs/book/SUMMARY.md")).unwrap();
    let mut wrong = Vec::new();
    for page in &pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        if name != "SUMMARY.md" && !summary.contains(&format!("({name})")) {
            wrong.push(format!("{name} is not listed in SUMMARY.md"));
        }
        let text = std::fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let file = link.split('#').next().unwrap();
            let is_outside = link.contains(':') || file.is_empty() || link.contains(' ');
            if !is_outside && !page.with_file_name(file).exists() {
                wrong.push(format!("{name} leads to {link}, which is not there"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The picture in the chapter on the method.
#[test]
fn the_picture_of_the_method_is_what_the_program_draws() {
    let drawn = run("sweepline convert models/dve/two_phase_commit_survey.dve --to svg");
    let file = root().join("docs/book/pictures/two_phase_commit.svg");
    assert!(std::fs::read_to_string(file).unwrap() == drawn, "draw it again: `convert --to svg -o FILE`");
}

/// Runs all sessions of the pages, and shows all differences.
fn assert_sessions_are_true(pages: &[PathBuf]) {
    let mut wrong = Vec::new();
    for page in pages {
        let steps = steps(&std::fs::read_to_string(page).unwrap());
        assert!(!steps.is_empty(), "{} has no ```console block with a `$ sweepline` line", page.display());
        let differences = steps.iter().filter_map(difference);
        wrong.extend(differences.map(|difference| format!("{}, {difference}", page.display())));
    }
    assert!(wrong.is_empty(), "{} sessions have changed:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The difference between actual and expected output of a command, if any.
fn difference(step: &Step) -> Option<String> {
    let printed = run(&step.command);
    let printed: Vec<&str> = printed.trim_end().lines().collect();
    let expected: Vec<&str> = step.expected.iter().map(String::as_str).collect();
    let Step { line, command, .. } = step;
    let (found, wanted) = (printed.join("\n"), expected.join("\n"));
    (!matches(&expected, &printed))
        .then(|| format!("line {line}: `{command}` prints\n{found}\nand not\n{wanted}"))
}

/// All commands in `console` blocks.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    let mut current: Option<Step> = None;
    for (number, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        if fence || line.starts_with("$ ") {
            steps.extend(current.take());
        }
        if fence {
            inside = !inside && line.trim() == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            current = Some(Step { line: number + 1, command: command.into(), expected: Vec::new() });
        } else if let Some(step) = &mut current {
            step.expected.push(line.into());
        }
    }
    for step in &mut steps {
        while step.expected.last().is_some_and(|line| line.trim().is_empty()) {
            step.expected.pop();
        }
    }
    steps
}

/// The output of a command, run by a shell in the root of the repository with `sweepline` on its
/// path.
fn run(command: &str) -> String {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_sweepline"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    // The order of two pipes is not defined, so stderr is kept and printed after stdout.
    let script = format!("{{ {command}\n}} 2>\"$errors\"; cat \"$errors\"");
    let errors = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(root())
        .env("PATH", path)
        .env("errors", errors.path())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        Some((line, rest)) => printed.split_first().is_some_and(|(first, others)| {
            line_matches(&normalised(line), &normalised(first)) && matches(rest, others)
        }),
    }
}

/// Whether the line matches the pattern, in which `[..]` matches anything.
fn line_matches(pattern: &str, line: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|tail| {
            tail.char_indices()
                .map(|(at, _)| at)
                .chain([tail.len()])
                .any(|at| line_matches(rest, &tail[at..]))
        }),
    }
}

/// The line with every number that has a unit of time, rate or memory replaced by `#`.
fn normalised(line: &str) -> String {
    let units = ["s", "ms", "min", "h", "states/s", "KiB", "MiB", "GiB", "bytes"];
    let words: Vec<&str> = line.trim_end().split(' ').collect();
    let is_number = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    let measured = |at: usize| {
        let unit = words.get(at + 1).map(|unit| unit.trim_end_matches([',', ';', ')']));
        // The size of a state vector is the same on all machines.
        is_number(words[at])
            && unit.is_some_and(|unit| units.contains(&unit))
            && !line.starts_with("state vector")
    };
    let shown = (0..words.len()).map(|at| if measured(at) { "#" } else { words[at] });
    // The unit depends on the amount.
    let joined = shown.collect::<Vec<_>>().join(" ");
    ["KiB", "MiB", "GiB"].iter().fold(joined, |line, unit| line.replace(&format!("# {unit}"), "# bytes"))
}

#[test]
fn blocks_are_found_and_split_into_commands() {
    let text = "```console\n$ a b\none\n\n$ c\n```\n\n```text\n$ d\n```\n```console\n$ e\n```\n";
    let found: Vec<(usize, String, Vec<String>)> =
        steps(text).into_iter().map(|step| (step.line, step.command, step.expected)).collect();
    assert_eq!(found[0], (2, "a b".into(), vec!["one".into()]));
    assert_eq!(found[1], (5, "c".into(), Vec::new()));
    assert_eq!(found[2], (12, "e".into(), Vec::new()));
    assert_eq!(found.len(), 3);
}

#[test]
fn a_session_is_run_in_the_root_and_compared_with_what_it_prints() {
    let text = "```console\n$ ls Cargo.toml\nCargo.toml\n$ sweepline --version\nsweepline [..]\n\
        $ sweepline check none.dve; echo $?\n2\nerror[E0001]: there is no file `none.dve`\n...\n```\n";
    let differences: Vec<String> = steps(text).iter().filter_map(difference).collect();
    assert!(differences.is_empty(), "{differences:#?}");
    let wrong = steps("```console\n$ sweepline --version\nsweepline from the future\n```\n");
    assert!(difference(&wrong[0]).unwrap().starts_with("line 2: `sweepline --version` prints\nsweepline 0."));
}

#[test]
fn only_wildcards_match_anything() {
    assert!(matches(&["a[..]c", "...", "z"], &["abbc", "x", "y", "z"]));
    assert!(matches(&["...", "z"], &["z"]));
    assert!(!matches(&["a[..]c"], &["abbd"]));
    assert!(!matches(&["a"], &["a", "b"]));
    assert!(!matches(&["a", "b"], &["a"]));
}

#[test]
fn measured_numbers_are_ignored_and_counts_are_not() {
    assert!(matches(&["time  0.003 s, 1,234 states/s"], &["time  0.123 s, 99 states/s"]));
    assert!(matches(
        &["memory  1.0 MiB for states, 8.1 bytes per state"],
        &["memory  900.0 KiB for states, 7 bytes per state"]
    ));
    assert!(!matches(&["states stored  12"], &["states stored  13"]));
    assert!(!matches(&["state vector  8 bytes (5 bits)"], &["state vector  16 bytes (5 bits)"]));
}
