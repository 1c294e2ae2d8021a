//! Texts that are made to be large or deep.

use oracles::Promela;

use super::super::super::parse::parse;
use super::super::resolve;
use super::read;
use crate::diagnostic::Diagnostics;

#[test]
fn deep_nesting_is_resolved_or_refused() {
    for depth in [50, 120] {
        let blocks = format!("{}skip{}", "{ ".repeat(depth), " }".repeat(depth));
        let options = format!("{}skip{}", "if :: ".repeat(depth), " fi".repeat(depth));
        let sum = format!("byte x; x = {}1{}", "(1 + ".repeat(depth), ")".repeat(depth));
        for body in [blocks, options, sum] {
            read(&format!("active proctype P() {{ {body} }}"));
        }
    }
}

#[test]
fn structures_that_double_are_refused_where_they_are_used() {
    let mut text = "typedef T0 { byte a, b }; ".to_owned();
    for level in 1..300 {
        text += &format!("typedef T{level} {{ T{0} a; T{0} b }}; ", level - 1);
    }
    for last in [20, 100, 299] {
        let (program, errors) = read(&format!("{text} T{last} t; active proctype P() {{ skip }}"));
        assert!(program.is_none() && !errors.is_empty());
        let channel = format!("{text} chan c = [1] of {{ T{last} }}; active proctype P() {{ skip }}");
        assert!(read(&channel).0.is_none());
    }
}

#[test]
fn a_broken_structure_does_not_double_either() {
    let mut text = "typedef T0 { byte a[0] }; ".to_owned();
    for level in 1..200 {
        text += &format!("typedef T{level} {{ T{0} a; T{0} b }}; ", level - 1);
    }
    let (program, errors) = read(&format!("{text} T199 t; active proctype P() {{ t.a.b = 1 }}"));
    assert!(program.is_none());
    assert_eq!(errors.len(), 1);
}

#[test]
fn many_errors_are_cut_off() {
    let body: String = (0..5_000).map(|number| format!("x{number} = y{number}; ")).collect();
    let (program, errors) = read(&format!("active proctype P() {{ {body} }}"));
    assert!(program.is_none() && errors.len() == 20);
}

/// The text cut into words and single other characters.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(word.max(first.len_utf8()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[test]
fn models_with_a_missing_or_another_word_do_not_panic() {
    let Some(promela) = Promela::find_or_say_skipped("resolving damaged models") else { return };
    let is_slow = std::env::var("SWEEPLINE_SLOW_TESTS").is_ok();
    let answers = promela.answers().unwrap();
    let mut files: Vec<String> = answers.into_iter().map(|answer| answer.file).collect();
    files.dedup();
    let mut resolved = 0;
    for file in files.iter().filter(|file| is_slow || file.starts_with("probes/")) {
        let Ok(text) = std::fs::read_to_string(promela.path(file)) else { continue };
        if text.len() > 3_000 {
            continue;
        }
        let pieces = pieces(&text);
        let words: Vec<&str> = pieces.iter().copied().filter(|piece| piece.len() > 1).collect();
        for damaged in 0..pieces.len() {
            for other in ["", words[damaged * 7 % words.len()]] {
                let before = pieces[..damaged].concat();
                let text = before + other + &pieces[damaged + 1..].concat();
                let mut diagnostics = Diagnostics::default();
                let none = |_: &str, name: &str| Err(format!("no file {name}"));
                let file = parse(&text, &[], &none, &mut diagnostics);
                if let Ok(file) = diagnostics.check(file) {
                    let program = resolve(&file, &mut diagnostics);
                    resolved += usize::from(diagnostics.check(program).is_ok());
                }
            }
        }
    }
    assert!(resolved > 1_000, "only {resolved} damaged models are still models");
}
