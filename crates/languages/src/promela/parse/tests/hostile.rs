//! No text makes the parser panic, overflow the stack, or run for long.

use std::time::{Duration, Instant};

use super::read;
use crate::codes;

/// The codes of all errors. Fails if reading takes long.
fn codes_of(text: &str) -> Vec<&'static str> {
    let start = Instant::now();
    let errors = read(text).err().unwrap_or_default();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", &text[..text.len().min(60)]);
    errors.iter().map(|error| error.code).collect()
}

#[test]
fn deep_nesting_is_one_error() {
    let parts = [
        "(",
        "!",
        "- ",
        "~",
        "!!",
        "a[",
        "{",
        "if :: ",
        "do :: ",
        "atomic { ",
        "d_step { if :: do :: ",
        "run P(",
        "enabled(",
        "(a -> ",
        "for (i : 1 .. 2) { ",
        "c?[eval(",
        "1 + (",
        "P[",
        "L: { ",
        "{ skip } unless { ",
    ];
    for part in parts {
        let text = format!("init {{ {} ", part.repeat(200_000));
        assert!(codes_of(&text).contains(&codes::NESTED_TOO_DEEPLY), "{part}");
    }
    assert!(codes_of(&format!("init {{ c?{}", "(".repeat(200_000))).contains(&codes::NESTED_TOO_DEEPLY));
    for part in ["(", "!", "[]", "<>", "X ", "always ", "a U (", "a -> (", "a["] {
        let text = format!("ltl {{ {} ", part.repeat(200_000));
        assert!(codes_of(&text).contains(&codes::NESTED_TOO_DEEPLY), "{part}");
    }
}

#[test]
fn long_chains_are_too_deep() {
    for operator in ["+", "&&", "||", "==", "<<"] {
        let text = format!("init {{ {} }}", vec!["a"; 100_000].join(operator));
        assert_eq!(codes_of(&text), [codes::NESTED_TOO_DEEPLY], "{operator}");
    }
    for operator in [" U ", " -> ", " && [] "] {
        let text = format!("ltl {{ {} }}", vec!["a"; 100_000].join(operator));
        assert_eq!(codes_of(&text), [codes::NESTED_TOO_DEEPLY], "{operator}");
    }
}

#[test]
fn long_lists_are_read() {
    let many = |part: &str| part.repeat(50_000);
    let texts = [
        format!("init {{ skip; {} }}", many("skip; ")),
        format!("init {{ {} skip }}", many("L: ")),
        format!("init {{ x{} = 1 }}", many(".f")),
        format!("init {{ c!1{} }}", many(",1")),
        format!("init {{ if {} fi }}", many(":: skip ")),
        format!("byte a{};", many(", a")),
        format!("mtype {{ a {} }}", many("a ")),
        many("byte x;"),
        many("init { skip }"),
        many("\n#define A 1\n"),
        many("\n#if 1\n") + &many("\n#endif\n"),
        many("\n#if 0\n#if x\n#endif\n#else\n#endif"),
        format!("#define A {}\nbyte x = A;", many("1 - ").trim_end_matches(" - ").replace(" - ", "").len()),
    ];
    for text in &texts {
        assert_eq!(codes_of(text), [""; 0], "{}", &text[..40]);
    }
}

#[test]
fn unfinished_texts_are_errors() {
    let many = |part: &str| part.repeat(200_000);
    let texts = [
        many("("),
        many(")"),
        many("{"),
        many("}"),
        many("#"),
        many("\n##"),
        many("\n#if 1\n"),
        many("\n#endif\n"),
        many("\n#else\n"),
        many("::"),
        many("if "),
        many("fi "),
        many("init "),
        many("ltl "),
        many("ltl { "),
        many("init {"),
        many("\""),
        many("'"),
        many("\\"),
        many("/*"),
        many("0x"),
        many("§ "),
        many("inline f() { "),
        many("inline f("),
        many("typedef T { "),
        many("never "),
        many("active "),
        many("proctype P("),
        many("mtype {"),
        many("trace {"),
        many("c_code {"),
        many("c_expr ["),
        many("c_state \"a\""),
        many("byte a["),
        many("chan c = ["),
        many("byte a = {"),
        many("init { x y } "),
        many("\n#include \"f\"\n"),
        many("\n#define f(x\n"),
        many("init { goto } "),
        many("\n#if ("),
        many("\n#if 1 +\n"),
        many("\n#error\n"),
        many("hidden "),
        many("byte "),
    ];
    for text in &texts {
        assert!(!codes_of(text).is_empty(), "{}", &text[..text.floor_char_boundary(40)]);
    }
    for text in ["", " ", "\n", ";", "\u{feff}", "// x", "\0"] {
        assert_eq!(codes_of(text), [""; 0], "{text:?}");
    }
}

#[test]
fn exponential_macros_are_an_error() {
    let doubling = |empty: bool| {
        let mut text = if empty { "#define A0\n".to_owned() } else { "#define A0 x;\n".to_owned() };
        for level in 1..64 {
            text += &format!("#define A{level} A{} A{}\n", level - 1, level - 1);
        }
        text + "init { A63 }"
    };
    assert_eq!(codes_of(&doubling(false)), [codes::EXPANSION_TOO_LARGE]);
    assert_eq!(codes_of(&doubling(true)), [codes::EXPANSION_TOO_LARGE]);
    let in_condition = doubling(false).replace("init { A63 }", "#if A63\n#endif\n");
    assert_eq!(codes_of(&in_condition)[0], codes::EXPANSION_TOO_LARGE);
    let arguments =
        "#define f(x) x x\n".to_owned() + "init { " + &"f(".repeat(60) + "y;" + &")".repeat(60) + " }";
    assert_eq!(codes_of(&arguments), [codes::EXPANSION_TOO_LARGE]);
    let deep =
        "#define f(x) x\n".to_owned() + "init { " + &"f(".repeat(1_000) + "y" + &")".repeat(1_000) + " }";
    assert!(codes_of(&deep).contains(&codes::NESTED_TOO_DEEPLY));
    let open = "#define f(x) x\n".to_owned() + "init { " + &"f(".repeat(100_000);
    assert!(codes_of(&open).contains(&codes::BAD_MACRO_CALL));
    let texts = "#define f(x) #x f\n".to_owned() + &"f(f(".repeat(1_000) + &"))".repeat(1_000);
    assert!(!codes_of(&texts).is_empty());
}

#[test]
fn exponential_inlines_are_an_error() {
    let mut text = "byte x; inline f0() { x = 1; x = 2 }\n".to_owned();
    for level in 1..64 {
        text += &format!("inline f{level}() {{ f{}(); f{}() }}\n", level - 1, level - 1);
    }
    assert_eq!(codes_of(&(text + "init { f63() }")), [codes::EXPANSION_TOO_LARGE]);
    let mut arguments = "byte x; inline f0(a) { a }\n".to_owned();
    for level in 1..64 {
        arguments += &format!("inline f{level}(a) {{ f{}(a; a) }}\n", level - 1);
    }
    assert_eq!(codes_of(&(arguments + "init { f63(x = 1) }")), [codes::EXPANSION_TOO_LARGE]);
    let mut chain = "inline f0() { skip }\n".to_owned();
    for level in 1..1_000 {
        chain += &format!("inline f{level}() {{ f{}() }}\n", level - 1);
    }
    assert!(codes_of(&(chain + "init { f999() }")).contains(&codes::NESTED_TOO_DEEPLY));
}

/// Texts that use all of the grammar, for mutations.
const SEEDS: [&str; 4] = [
    "#define N 3\n#define CAT(a, b) a ## b /* c */\n#if N > 2 && defined(N)\nmtype = { A, B };\n#else\nmtype = { C }\n#endif\ntypedef T { byte x; unsigned y : 3 = N; chan c = [1] of { mtype, T } };\nT CAT(g, 1)[N] = 0; byte a[2] = {1, 2}; hidden short s\nproctype P(chan c; byte a, b) priority 2 provided (_pid > 0) { xr c; c!A,1; c?B(_, eval(s)); c??<-1>; c!!1 }\n",
    "inline f(p, q) { p = q; return p + 1 }\nactive [2] proctype Q() { int i; L: M: do :: i < 3 -> x = f(i, (i)) :: else break od unless { timeout };\nif :: c?[A] && !x -> goto L; :: atomic { skip } fi\nfor (i : 1 .. N) { printf(\"%d\\n\", i) } for (i in a) { i++ }\nselect (i : 0 .. 2); d_step { a[i].b = 'x'; i-- } assert(run Q() == 1); { x } }\n",
    "ltl p { [] (x == 1 -> <> y U P[1]@L) && !(a /\\ b \\/ X c) <-> always P:v[2] }\nnever n { do :: np_ :: (enabled(1) || pc_value(2) > 3) od; }\ninit { run P(1, 2) priority 3; (x -> y : z) > ~1 << -2; set_priority(1, 2); printm(A); nempty(q) && (full(q) || len(q) > 1) }\n",
    "c_code { if (x) { y->z; } }\ntrace { c!1; do :: c?1 od }\n#include \"f\"\n#undef N\n#error x\n#define V(x, ...) x #x , ## __VA_ARGS__\nV(1) V(1, 2, (3, 4)) \\\n V(\"a'\\\"\") '\\n' 0x1 @ $ #\n",
];

#[test]
fn no_mutation_of_a_text_makes_the_parser_panic() {
    let mut random = 1_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % below
    };
    let all = SEEDS.concat();
    let parts: Vec<&str> = all.split_inclusive(|one: char| !one.is_ascii_alphanumeric()).collect();
    for _ in 0..3_000 {
        let mut text: Vec<&str> = parts.clone();
        for _ in 0..=next(6) {
            let (at, other) = (next(text.len()), next(parts.len()));
            match next(4) {
                0 if text.len() > 1 => drop(text.remove(at)),
                1 => text.insert(at, parts[other]),
                2 => text[at] = parts[other],
                _ => text.truncate(at + 1),
            }
        }
        let start = next(text.len());
        codes_of(&text[start..].concat());
        codes_of(&text.concat());
    }
}
