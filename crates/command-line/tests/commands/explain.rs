//! `explain`: every code that the program can show has an explanation, and a misspelt code gets a
//! suggestion.

use crate::session::{COUNTER, Session};

/// The codes that the sources declare or use.
fn declared() -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
    let sources =
        ["command-line/src/explain/codes.rs", "languages/src/codes.rs", "report/src/diagnostics.rs"];
    let mut codes: Vec<String> = Vec::new();
    for source in sources {
        let text = std::fs::read_to_string(format!("{root}{source}")).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let quoted = text.split('"').filter(|part| {
            let mut characters = part.chars();
            part.len() == 5
                && matches!(characters.next(), Some('E' | 'W'))
                && characters.all(|digit| digit.is_ascii_digit())
        });
        codes.extend(quoted.map(str::to_owned));
    }
    codes.sort();
    codes.dedup();
    codes
}

#[test]
fn every_code_is_explained() {
    let session = Session::new();
    let codes = declared();
    assert!(codes.len() > 120, "{codes:?}");
    for code in codes {
        let run = session.run(&["explain", &code]).expect(0).out("\nWhat to do: ");
        assert!(run.stdout.starts_with(&format!("{code}  ")), "{}", run.stdout);
        assert!(run.stderr.is_empty(), "{}", run.stderr);
    }
}

#[test]
fn without_a_code_all_are_listed_with_a_summary() {
    let run = Session::new().run(&["explain"]).expect(0);
    let mut listed: Vec<&str> = run.stdout.lines().map(|line| line.split_once("  ").unwrap().0).collect();
    listed.sort_unstable();
    assert_eq!(listed, declared());
    let run = run.out("E0203  The process has no state of this name.\n");
    run.out("W0050  ").out("E0502  ").out("W0404  ");
}

#[test]
fn an_unknown_code_is_bad_input_with_a_suggestion() {
    let session = Session::new();
    session.run(&["explain", "E203"]).expect(2).err("did you mean `E0203`?");
    session.run(&["explain", "E0050"]).expect(2).err("did you mean `W0050`?");
    session.run(&["explain", "model"]).expect(2).err("`sweepline explain` lists all");
    session.run(&["explain", "e0203"]).expect(0).out("E0203");
}

#[test]
fn a_code_copied_from_a_message_is_explained() {
    let session = Session::with_model(&COUNTER.replace("s -> s", "s -> t"));
    let told = session.run(&["check", "m.dve"]).expect(2).stderr;
    let code = told.split_once("error").unwrap().1.split_once(':').unwrap().0;
    session.run(&["explain", &format!("error{code}")]).expect(0).out("E0203  ").out("state idle, busy;");
}
