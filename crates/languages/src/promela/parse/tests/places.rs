//! The places of statements in the text.

use super::file;
use crate::promela::syntax::{File, Item, Statement, StatementKind};

/// The texts of all statements, blocks before their contents.
fn places(text: &str) -> Vec<&str> {
    fn add<'text>(statements: &[Statement], text: &'text str, found: &mut Vec<&'text str>) {
        for statement in statements {
            found.push(&text[statement.span.start as usize..statement.span.end as usize]);
            match &statement.kind {
                StatementKind::Block(inner) | StatementKind::Atomic(inner) => add(inner, text, found),
                StatementKind::If(choices) => {
                    choices.iter().for_each(|choice| add(&choice.body, text, found))
                }
                _ => {}
            }
        }
    }
    let File { items, .. } = file(text);
    let mut found = Vec::new();
    for item in &items {
        if let Item::Proctype(process) = item {
            add(&process.body, text, &mut found);
        }
    }
    found
}

#[test]
fn statements_have_the_place_of_their_text() {
    let text = "init { L: x = 1; atomic { c?y, (z) }; if :: p -> goto L fi }";
    assert_eq!(
        places(text),
        ["x = 1", "atomic { c?y, (z) }", "c?y, (z)", "if :: p -> goto L fi", "p", "goto L"]
    );
}

#[test]
fn statements_of_a_macro_have_the_place_of_the_outermost_call() {
    let text = "#define ONE(v) v = 1\n#define TWO(v) ONE(v); v++\ninit { TWO( a ); x = N }\n";
    assert_eq!(places(text), ["TWO( a )", "TWO( a )", "x = N"]);
}

#[test]
fn statements_of_an_inline_have_the_place_in_its_body() {
    let text = "inline f(a) { a = 1; g(a) }\ninit { f(variable[2]); skip }";
    let text = &format!("inline g(b) {{ b++ }}\n{text}");
    assert_eq!(places(text), ["f(variable[2])", "a = 1", "g(a)", "b++", "skip"]);
}

#[test]
fn statements_of_an_included_file_have_the_place_of_the_directive() {
    let text = "#include \"f\"\ninit { f(1) }\n";
    let mut diagnostics = crate::diagnostic::Diagnostics::default();
    let include = |including: &str, name: &str| {
        assert_eq!((including, name), ("", "f"));
        Ok(("f".to_owned(), "\n\ninline f(a) { x = a }\nproctype P() { y = 2 }".to_owned()))
    };
    let file = super::parse(text, &[], &include, &mut diagnostics);
    let file = diagnostics.check(file).unwrap();
    let [Item::Proctype(included), Item::Proctype(init)] = file.items.as_slice() else { panic!() };
    let place = |statement: &Statement| &text[statement.span.start as usize..statement.span.end as usize];
    assert_eq!(place(&included.body[0]), "include \"f\"");
    let StatementKind::Block(inner) = &init.body[0].kind else { panic!() };
    assert_eq!((place(&init.body[0]), place(&inner[0])), ("f(1)", "f(1)"));
}
