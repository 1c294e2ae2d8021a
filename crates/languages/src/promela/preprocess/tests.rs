//! Tests of the preprocessor. It was also compared with gcc, on random programs and on the oracles.

use super::preprocess;
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Files that can be included.
fn include(including: &str, name: &str) -> Result<(String, String), String> {
    let text = match name {
        "one.h" => "one\n#define ONE 1\n#include \"two.h\"\n",
        "two.h" => "two ONE",
        "self.h" => "#include \"self.h\"\n",
        "twice.h" => "x\n#include \"twice.h\"\n#include \"twice.h\"\n",
        "bad.h" => "\n\nfine §\n",
        "guard.h" => "#ifndef GUARD\n#define GUARD\nguarded\n#endif\n",
        _ => return Err(format!("no `{name}` beside `{including}`")),
    };
    Ok((name.to_owned(), text.to_owned()))
}

fn run(text: &str, definitions: &[(&str, &str)]) -> (String, Diagnostics) {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let definitions: Vec<(String, String)> = definitions.iter().map(owned).collect();
    let mut diagnostics = Diagnostics::default();
    let result = preprocess(text, &definitions, &include, &mut diagnostics);
    let tokens: Vec<&str> = result.tokens.iter().map(|token| result.symbols.text(token.symbol)).collect();
    (tokens.join(" "), diagnostics)
}

/// The tokens of a text that has no errors.
fn tokens(text: &str) -> String {
    let (tokens, mut diagnostics) = run(text, &[]);
    diagnostics.check(Ok(tokens)).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn errors(text: &str) -> Vec<Diagnostic> {
    run(text, &[]).1.check(Ok(())).unwrap_err()
}

/// The first error of a text, as its code and the text that it is about.
fn error(text: &str) -> (&'static str, &str) {
    let span = errors(text)[0].span;
    (errors(text)[0].code, &text[span.start as usize..span.end as usize])
}

#[test]
fn macros_are_replaced_by_their_bodies() {
    assert_eq!(tokens("#define N 3\n#define M N + 1\nM N NN"), "3 + 1 3 NN");
    assert_eq!(tokens("#define FI :: else \\\n fi\nif x FI"), "if x :: else fi");
    assert_eq!(tokens("#define Place byte\n#undef Place\nPlace"), "Place");
    assert_eq!(tokens("#define E\nx E y"), "x y");
    assert_eq!(tokens("#define N 4\n0..N"), "0 .. 4");
    assert_eq!(tokens("a\n__LINE__"), "a 2");
}

#[test]
fn calls_replace_parameters_by_arguments() {
    assert_eq!(tokens("#define f(a, b) b - a\nf(1, (2, 3)) f(,x)"), "( 2 , 3 ) - 1 x -");
    assert_eq!(tokens("#define f(a) [a]\nf (1) f\n(2) f"), "[ 1 ] [ 2 ] f");
    assert_eq!(tokens("#define f() x\n#define g (1)\nf() f( ) g"), "x x ( 1 )");
    assert_eq!(tokens("#define f(a) a\n#define g f(\ng 1)"), "1");
}

#[test]
fn a_macro_does_not_call_itself() {
    assert_eq!(tokens("#define x x + 1\nx"), "x + 1");
    assert_eq!(tokens("#define a b\n#define b a\na b"), "a b");
    assert_eq!(tokens("#define f(a) a f\nf(1)(2)"), "1 f ( 2 )");
    assert_eq!(tokens("#define f(a) a * g\n#define g(a) f(a)\nf(2)(9)"), "2 * 9 * g");
    // An example of the C standard (6.10.3.5).
    let standard = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\nf(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n";
    assert_eq!(
        tokens(standard),
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;"
    );
}

#[test]
fn parts_are_joined_and_quoted() {
    assert_eq!(tokens("#define cat(a, b) a ## b\ncat(x, 1) cat(, y) cat(z,) cat(-, >)"), "x1 y z ->");
    assert_eq!(tokens("#define N 3\n#define cat(a, b) a ## b\ncat(N, N) cat(L_, N)"), "NN L_N");
    assert_eq!(tokens("#define text(a) #a\ntext( x + \"y\\n\"  z )"), "\"x + \\\"y\\\\n\\\" z\"");
    assert_eq!(tokens("#define o a ## b\no"), "ab");
    assert_eq!(error("#define cat(a, b) a ## b\ncat(+, x)"), (codes::BAD_MACRO_CALL, "cat(+, x)"));
}

#[test]
fn the_rest_of_the_arguments_may_have_a_name_or_none() {
    assert_eq!(tokens("#define p(f, ...) f, __VA_ARGS__\np(1, 2, 3) p(1,)"), "1 , 2 , 3 1 ,");
    assert_eq!(tokens("#define p(f, r...) f , ## r\np(1) p(1, 2, 3)"), "1 1 , 2 , 3");
    assert_eq!(tokens("#define p(...) [__VA_ARGS__]\np() p(1, 2)"), "[ ] [ 1 , 2 ]");
}

#[test]
fn conditions_choose_lines() {
    assert_eq!(tokens("#define A\n#ifdef A\nx\n#else\ny\n#endif\n#ifndef A\nz\n#endif"), "x");
    assert_eq!(tokens("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif e"), "b");
    assert_eq!(tokens("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif"), "c");
    assert_eq!(tokens("#if 0\ndon't \"x\n#error y\n#nonsense\n#endif\nz"), "z");
    assert_eq!(tokens("#define A 1\n#if 1\nx\n#elif 1 / 0\ny\n#elifdef A\nz\n#endif"), "x");
}

#[test]
fn conditions_are_expressions_of_c() {
    for holds in [
        "1 + 2 * 3 == 7",
        "-1 < 0 && !0",
        "defined(N) && defined N",
        "N > 2 ? 1 : 0",
        "unknown == 0",
        "0x1F == 31",
        "010 == 8",
        "'a' == 97",
        "(1 | 6) == 7 && (3 ^ 1) == 2",
        "1 << 4 == 16",
        "!defined(M) || M / 0",
        "~0 == -1",
        "10 % 4 == 2UL",
        "HAS_N && !HAS(M)",
        "f(2) == 4",
    ] {
        let text = format!(
            "#define N 3\n#define f(x) x * x\n#define HAS_N defined N\n#define HAS(x) defined(x)\n#if {holds}\nyes\n#endif"
        );
        assert_eq!(tokens(&text), "yes", "{holds}");
    }
    for wrong in ["", "1 +", "(1", "1 / 0", "x y", "defined", "\"x\"", "1 ? 2", "5x"] {
        assert_eq!(error(&format!("#if {wrong}\n#endif")).0, codes::BAD_DIRECTIVE, "{wrong}");
    }
}

#[test]
fn other_files_are_included() {
    assert_eq!(tokens("#include \"one.h\"\nx ONE"), "one two 1 x 1");
    assert_eq!(tokens("#define F \"two.h\"\n#include F"), "two ONE");
    assert_eq!(tokens("#include \"guard.h\"\n#include \"guard.h\"\n"), "guarded");
    assert_eq!(error("#include \"none.h\"\n"), (codes::BAD_INCLUDE, "\"none.h\""));
    assert_eq!(error("#include \"self.h\"\n").0, codes::BAD_INCLUDE);
    assert_eq!(error("#include \"twice.h\"\n").0, codes::BAD_INCLUDE);
    assert_eq!(error("#include <stdio.h>\n"), (codes::BAD_DIRECTIVE, "<"));
}

#[test]
fn directives_that_only_compilers_need_are_skipped() {
    assert_eq!(tokens("# 1 \"f\"\n#line 3\n#pragma once\n#ident \"x\"\n#\nx"), "x");
    assert_eq!(tokens("x # y"), "x # y");
}

#[test]
fn malformed_directives_are_errors() {
    for text in [
        "#define\n",
        "#define 1\n",
        "#define defined\n",
        "#define f(a, a) x\n",
        "#define f(a x\n",
        "#define f(a) #b\n",
        "#define f a ##\n",
        "#define f ## a\n",
        "#undef\n",
        "#ifdef\n#endif",
        "#include\n",
        "#nonsense\n",
        "#endif\n",
        "#else\n",
        "#elif 1\n",
        "#if 1\n",
        "#if 1\n#else\n#else\n#endif",
        "#if 1\n#else\n#elif 1\n#endif",
    ] {
        assert_eq!(error(text).0, codes::BAD_DIRECTIVE, "{text}");
    }
    assert_eq!(errors("#defin N 3\n")[0].help.as_deref(), Some("did you mean `define`?"));
    assert_eq!(error("#define f(a) a\nf(1, 2)"), (codes::BAD_MACRO_CALL, "f"));
    assert_eq!(error("#define f(a) a\nf(1"), (codes::BAD_MACRO_CALL, "f"));
}

#[test]
fn an_error_directive_ends_reading() {
    let found = errors("#error no N\n");
    assert_eq!(
        (found[0].code, found[0].message.as_str()),
        (codes::ERROR_DIRECTIVE, "`#error` was reached: no N")
    );
    let (_, diagnostics) = run("#warning careful, N\n", &[]);
    assert_eq!(diagnostics.into_warnings()[0].message, "`#warning` was reached: careful, N");
}

#[test]
fn definitions_from_outside_come_first() {
    let (tokens, _) = run("N\n#undef N\nN", &[("N", "a + b")]);
    assert_eq!(tokens, "a + b N");
    let (tokens, diagnostics) = run("#ifndef N\n#define N 3\n#endif\nN", &[("N", "5")]);
    assert_eq!((tokens.as_str(), diagnostics.into_warnings().len()), ("5", 0));
    let (tokens, diagnostics) = run("#define N 3\nN", &[("N", "4"), ("N", "5")]);
    let warnings = diagnostics.into_warnings();
    assert_eq!((tokens.as_str(), warnings[0].code), ("3", codes::MACRO_REDEFINED));
    assert!(warnings[0].help.as_deref().unwrap().contains("`#ifndef`"));
}

#[test]
fn definitions_from_outside_should_be_used() {
    let unknown = |text: &str| {
        let warnings = run(text, &[("SIZE", "5")]).1.into_warnings();
        warnings.first().map(|warning| (warning.code, warning.help.clone().unwrap()))
    };
    assert_eq!(unknown("#ifdef SIZE\n#endif"), None);
    assert_eq!(unknown("#if 0\nSIZE\n#endif"), None);
    assert_eq!(unknown("#define SIZES 1"), Some((codes::UNUSED_MACRO, "did you mean `SIZES`?".to_owned())));
    assert!(unknown("// SIZE").is_some());
}

#[test]
fn a_second_definition_is_a_warning_unless_it_is_the_same() {
    let warnings = |text: &str| run(text, &[]).1.into_warnings().len();
    assert_eq!(warnings("#define A 1\n#define A 1\n"), 0);
    assert_eq!(warnings("#define A 1\n#undef A\n#define A 2\n"), 0);
    assert_eq!(warnings("#define A 1\n#define A 2\n"), 1);
    assert_eq!(warnings("#define A(x) 1\n#define A 1\n"), 1);
}

#[test]
fn lines_of_calls_are_kept_for_separators() {
    let breaks = |text: &str| {
        let mut diagnostics = Diagnostics::default();
        let tokens = preprocess(text, &[], &include, &mut diagnostics).tokens;
        tokens.iter().skip(1).map(|token| token.before.new_line).collect::<Vec<bool>>()
    };
    assert_eq!(breaks("#define A 1 \\\n 2\nx\nA y"), [true, false, false]);
    assert_eq!(breaks("#define f(a, b) a b\nx f(1,\n2) y"), [false, false, true]);
    assert_eq!(breaks("#define E\nx\nE y"), [true]);
    assert_eq!(breaks("x\n#define E\ny"), [true]);
}
