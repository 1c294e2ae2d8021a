//! Messages, advice, and recovery.

use super::{error, help, read};
use crate::codes;
use crate::diagnostic::Diagnostic;

fn messages(text: &str) -> Vec<String> {
    read(text).unwrap_err().iter().map(|error| error.message.clone()).collect()
}

#[test]
fn expected_tokens_are_named() {
    assert_eq!(error("init skip }").2, "expected `priority` or `{`, found `skip`");
    assert_eq!(error("proctype P( { skip }").2, "expected `)` or a parameter, found `{`");
    assert_eq!(error("init { goto }").2, "expected a name, found `}`");
    assert_eq!(error("init { x + }").2, "expected an expression, found `}`");
    assert_eq!(error("init { run }").2, "expected a name, found `}`");
    assert_eq!(error("5").2, "expected a declaration or a process, found `5`");
}

#[test]
fn advice_tells_what_was_most_likely_meant() {
    assert!(help("init { if :: x = 1 = 2 fi }").starts_with("`==` compares"));
    assert_eq!(help("init { byte len; skip }"), "`len` is a reserved word and cannot be a name");
    assert!(help("init { if (x) { y } }").starts_with("a selection is `if ::"));
    assert!(help("init { do { y } while (x) }").starts_with("a loop is `do ::"));
    assert!(help("init { while (x) { y } }").starts_with("a loop is `do ::"));
    assert_eq!(help("init { skip"), "is a `}` missing?");
    assert_eq!(help("init { ; skip }"), "remove it, or write `skip` before it");
}

#[test]
fn several_mistakes_are_found_in_one_run() {
    let text = "byte a b;\ninit { x y; if :: p + :: q fi; goto; z = = 1 }\nproctype P( { skip }\nbyte c d;";
    let starts: Vec<u32> = read(text).unwrap_err().iter().map(|error| error.span.start).collect();
    let lines: Vec<usize> = starts.iter().map(|at| text[..*at as usize].matches('\n').count() + 1).collect();
    assert_eq!(lines, [1, 2, 2, 2, 2, 3, 4]);
}

#[test]
fn a_mistake_in_a_block_is_one_finding() {
    assert_eq!(messages("init { atomic { x y z }; a; do :: b :: c od; d }").len(), 1);
    assert_eq!(messages("init { do :: x y :: z od; a }").len(), 1);
    assert_eq!(messages("init { if :: x -> + :: w fi; y; z }").len(), 1);
}

#[test]
fn a_missing_brace_is_found_at_the_next_process() {
    let text = "proctype P() { do :: x od\nproctype Q() { skip }\ninit { skip }";
    let errors = read(text).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(&text[errors[0].span.start as usize..errors[0].span.end as usize], "proctype");
    assert_eq!(error("init { do :: x }").1, "}");
}

#[test]
fn no_more_than_twenty_findings_are_made() {
    assert_eq!(messages(&"init { x y }\n".repeat(100)).len(), 20);
}

#[test]
fn messages_about_macros_name_the_macro() {
    let text = "\n#define BAD x y\ninit { BAD }";
    let (code, place, message) = error(text);
    assert_eq!((code, place), (codes::UNEXPECTED_TOKEN, "BAD"));
    assert!(message.ends_with("found `y`, in the expansion of macro `BAD`, defined in line 2"), "{message}");
}

#[test]
fn places_in_macros_are_explained_after_parsing() {
    let text = "#define TWICE(x) x; x\n#define N 3\ninit { TWICE(y = N) }";
    let at = u32::try_from(text.find("TWICE(y").unwrap()).unwrap();
    let call = model::guarded_commands::Span { start: at, end: at + 12 };
    let file = super::file(text);
    let other = model::guarded_commands::Span { start: at, end: at + 5 };
    let finding = |span| Diagnostic::error(codes::UNKNOWN_NAME, span, "no `x`", "");
    let explained = file.expansions.explained(vec![finding(call), finding(other)]);
    assert_eq!(explained[0].message, "no `x`, in the expansion of macro `TWICE`, defined in line 1");
    assert_eq!(explained[1].message, "no `x`");
}

#[test]
fn messages_about_inlines_name_the_call() {
    let text = "inline f(a) { x = a + }\ninit { f(1) }";
    let (_, place, message) = error(text);
    assert_eq!(place, "}");
    assert!(message.ends_with("in inline `f` as called in line 2"), "{message}");
}
