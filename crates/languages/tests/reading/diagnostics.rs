//! Errors in models: their codes and places, and where it matters their words.

use languages::{Diagnostic, Severity, codes, read_model};

/// A correct model around declarations, before line 1, and the body of a transition.
fn model(declarations: &str, body: &str) -> String {
    format!(
        "{declarations}\nbyte x, a[3];\nchannel c;\nprocess P {{\nbyte v; state s, t; init s;\ntrans\ns -> t {{ {body} }};\n}}\nsystem async;"
    )
}

fn errors(text: &str) -> Vec<Diagnostic> {
    read_model(text).map(|_| ()).expect_err(text)
}

/// Code, line and column of every error.
fn places(text: &str) -> Vec<(&'static str, usize, usize)> {
    crate::support::places(text, &errors(text))
}

#[track_caller]
fn in_body(body: &str, code: &'static str, column: usize) {
    assert_eq!(places(&model("", body)), [(code, 7, "s -> t { ".len() + column)], "{body}");
}

#[track_caller]
fn in_declarations(declarations: &str, code: &'static str, column: usize) {
    assert_eq!(places(&model(declarations, "")), [(code, 1, column)], "{declarations}");
}

#[test]
fn the_frame_of_these_tests_is_a_model() {
    assert!(
        read_model(&model("const byte N = 2;", "guard x < N, a[x] == 0; effect a[2] = x, v = 1;")).is_ok()
    );
}

#[test]
fn names_that_do_not_exist() {
    in_body("guard y == 1;", codes::UNKNOWN_NAME, 7);
    in_body("effect y = 1;", codes::UNKNOWN_NAME, 8);
    in_body("guard Q.s;", codes::UNKNOWN_PROCESS, 7);
    in_body("guard P.u;", codes::UNKNOWN_LOCATION, 9);
    in_body("guard P->w;", codes::UNKNOWN_NAME, 10);
    in_body("sync d!;", codes::UNKNOWN_CHANNEL, 6);
}

#[test]
fn names_used_as_what_they_are_not() {
    in_body("guard x[0] == 1;", codes::NOT_AN_ARRAY, 7);
    in_body("effect x[1] = 1;", codes::NOT_AN_ARRAY, 8);
    in_body("guard a[3] == 1;", codes::INDEX_OUT_OF_RANGE, 7);
    in_body("effect a[0 - 1] = 1;", codes::INDEX_OUT_OF_RANGE, 8);
    in_body("effect P->v = 1;", codes::NOT_ASSIGNABLE, 8);
    assert_eq!(places(&model("const int K = 1;", "effect K = 2;")), [(codes::NOT_ASSIGNABLE, 7, 17)]);
}

#[test]
fn declarations_that_cannot_be() {
    in_declarations("byte b = x;", codes::UNKNOWN_NAME, 10);
    in_declarations("byte b, b;", codes::DECLARED_TWICE, 9);
    in_declarations("byte b, d = b + 1;", codes::NOT_CONSTANT, 13);
    in_declarations("byte b = 1 / 0;", codes::NOT_CONSTANT, 10);
    in_declarations("byte b[0];", codes::BAD_SIZE, 8);
    in_declarations("byte b[65537];", codes::BAD_SIZE, 8);
    in_declarations("byte b[-1];", codes::BAD_SIZE, 8);
    in_declarations("byte b[2] = 1;", codes::BAD_INITIAL_VALUE, 13);
    in_declarations("byte b = {1};", codes::BAD_INITIAL_VALUE, 10);
    in_declarations("channel e, e;", codes::DECLARED_TWICE, 12);
    in_declarations("channel e[2];", codes::CHANNEL_WITHOUT_TYPE, 9);
    in_declarations("channel {byte} e[70000];", codes::BAD_SIZE, 18);
    in_declarations(
        "channel {byte,int,int,byte,int,int,byte,int,int,byte,int,int,byte,byte,byte,byte,byte} e[65536];",
        codes::STATE_TOO_LARGE,
        88,
    );
    let big: Vec<String> = (0..17).map(|number| format!("b{number}[65536]")).collect();
    let text = model(&format!("int {};", big.join(", ")), "");
    assert!(places(&text).iter().all(|(code, ..)| *code == codes::STATE_TOO_LARGE));
}

#[test]
fn grammar_mistakes() {
    in_body("guard x = 1;", codes::UNEXPECTED_TOKEN, 9);
    in_body("effect x == 1;", codes::UNEXPECTED_TOKEN, 10);
    in_body("guard x == 1", codes::UNEXPECTED_TOKEN, 14);
    in_body("guard (x == 1;", codes::UNEXPECTED_TOKEN, 14);
    in_body("guard ;", codes::UNEXPECTED_TOKEN, 7);
    in_body("gaurd x == 1;", codes::UNEXPECTED_TOKEN, 1);
    in_body("guard x; guard x;", codes::REPEATED_SECTION, 10);
    in_body("sync c;", codes::UNEXPECTED_TOKEN, 7);
    in_body("guard x == 99999999999;", codes::NUMBER_TOO_LARGE, 12);
    in_body("guard x # 1;", codes::UNKNOWN_CHARACTER, 9);
    in_declarations("byte;", codes::UNEXPECTED_TOKEN, 5);
    in_declarations("byte state;", codes::UNEXPECTED_TOKEN, 6);
    in_declarations("channel {} e[2];", codes::UNEXPECTED_TOKEN, 10);
    in_declarations("/* no end", codes::UNCLOSED_COMMENT, 1);
}

#[test]
fn messages_list_what_was_expected() {
    let error = &errors(&model("", "guard x = 1;"))[0];
    assert_eq!(error.message, "expected an operator, `,` or `;`, found `=`");
    assert_eq!(error.help.as_deref(), Some("`==` compares; `=` is only for declarations and after `effect`"));
    let error = &errors("process P { state s; init s; } sistem async;")[0];
    assert_eq!(
        error.message,
        "expected `const`, `byte`, `int`, `channel`, `process` or `system`, found `sistem`"
    );
    assert_eq!(error.help.as_deref(), Some("did you mean `system`?"));
}

#[test]
fn help_knows_the_usual_mistakes() {
    let help = |text: &str| errors(text)[0].help.clone().unwrap_or_default();
    assert_eq!(help(&model("byte counter;", "guard conter == 1;")), "did you mean `counter`?");
    assert_eq!(help(&model("", "guard P.v == 1;")), "it is a variable, which is read by `P->v`");
    assert_eq!(help(&model("", "guard P->s == 1;")), "it is a state, which is tested by `P.s`");
    assert_eq!(help(&model("", "effect x == 1;")), "`=` assigns; `==` compares");
    assert_eq!(help(&model("", "guard t;")), "it is a state of process `P`: write `P.t`");
    assert_eq!(help(&model("byte one", "")), "is a `;` missing before it?");
    assert_eq!(help(&model("", "guard x")), "is a `;` missing before it?");
    assert_eq!(help(&model("byte init;", "")), "`init` is a reserved word and cannot be a name");
    assert_eq!(help(""), "end the model with `system async;`");
}

#[test]
fn one_run_shows_mistakes_of_several_places() {
    let text = "byte x = ;\nbyte 5y;\nprocess P {\nstate s;\ninit s;\ntrans\ns -> s { guard ); effect = 1; },\n-> s { bad },\ns => s {},\ns -> { };\n}\nprocess Q { state q; }\nsystem async;";
    assert_eq!(
        places(text),
        [
            (codes::UNEXPECTED_TOKEN, 1, 10),
            (codes::MALFORMED_NUMBER, 2, 6),
            (codes::UNEXPECTED_TOKEN, 7, 16),
            (codes::UNEXPECTED_TOKEN, 7, 26),
            (codes::UNEXPECTED_TOKEN, 8, 8),
            (codes::UNEXPECTED_TOKEN, 9, 3),
            (codes::UNEXPECTED_TOKEN, 10, 6),
            (codes::MISSING_SECTION, 12, 9),
        ]
    );
    let text = model("byte b = nothing;", "guard u, b; sync e!w; effect z = y, a[q] = 1;");
    let found = places(&text);
    assert_eq!(found.len(), 7, "the use of the broken `b` is not an error of its own: {found:?}");
}

#[test]
fn broken_off_models() {
    assert_eq!(places(""), [(codes::MISSING_SECTION, 1, 1)]);
    assert_eq!(places("byte x;"), [(codes::MISSING_SECTION, 1, 8)]);
    assert_eq!(places("process P {"), [(codes::UNEXPECTED_TOKEN, 1, 12)]);
    assert_eq!(places("process"), [(codes::UNEXPECTED_TOKEN, 1, 8)]);
    assert_eq!(places("system async"), [(codes::UNEXPECTED_TOKEN, 1, 13)]);
    assert_eq!(places("system;"), [(codes::UNEXPECTED_TOKEN, 1, 7)]);
    assert_eq!(places("\0\u{1}\u{2}"), [(codes::UNKNOWN_CHARACTER, 1, 1)]);
}

#[test]
fn processes_must_be_complete_and_unique() {
    let two = "process P { state s; init s; } process P { state s; init s; } system async;";
    assert_eq!(places(two), [(codes::DECLARED_TWICE, 1, 40)]);
    assert_eq!(places("process P { state s, s; init s; } system async;"), [(codes::DECLARED_TWICE, 1, 22)]);
    assert_eq!(places("process P { init s; } system async;"), [(codes::MISSING_SECTION, 1, 9)]);
    assert_eq!(places("process P { state s; init t; } system async;"), [(codes::UNKNOWN_LOCATION, 1, 27)]);
    let commit = "process P { state s; init s; commit t; } system async;";
    assert_eq!(places(commit), [(codes::UNKNOWN_LOCATION, 1, 37)]);
    assert_eq!(places("system async; system async;"), [(codes::REPEATED_SECTION, 1, 15)]);
}

#[test]
fn messages_must_fit_their_channel() {
    let text = |channel: &str, send: &str, receive: &str| {
        format!(
            "channel {channel};\nprocess P {{ state s; init s; trans s -> s {{ sync {send}; }}; }}\nprocess Q {{ byte m, n; state s; init s; trans s -> s {{ sync {receive}; }}; }}\nsystem async;"
        )
    };
    let mismatch = |line, column| vec![(codes::MESSAGE_MISMATCH, line, column)];
    assert_eq!(places(&text("c", "c!", "c?m")), mismatch(3, 61));
    assert_eq!(places(&text("c", "c!{1,2}", "c?m")), mismatch(3, 61));
    assert_eq!(places(&text("{byte} c[0]", "c!", "c?m")), mismatch(2, 50));
    assert_eq!(places(&text("{byte,int} c[2]", "c!{1,2}", "c?m")), mismatch(3, 61));
    assert!(read_model(&text("c", "c!1", "c?")).is_ok());
    assert!(read_model(&text("{byte,int} c[2]", "c!{1,2}", "c?{m,n}")).is_ok());
}

#[test]
fn what_is_understood_but_not_supported() {
    assert_eq!(places("process P { state s; init s; } system sync;"), [(codes::SYNCHRONOUS_SYSTEM, 1, 32)]);
    let watcher =
        |inside: &str| format!("byte x; channel c; process W {{ {inside} }} system async property W;");
    let column = |text: &str| vec![(codes::PROPERTY_CHANGES_MODEL, 1, 32 + text.len())];
    let with_variable = "byte v; state s; init s;";
    assert_eq!(places(&watcher(with_variable)), column("byte "));
    let with_effect = "state s; init s; trans s -> s { effect x = 1; };";
    assert_eq!(places(&watcher(with_effect)), column("state s; init s; trans s -> s { effect "));
    let with_channel = "state s; init s; trans s -> s { sync c!; };";
    assert_eq!(places(&watcher(with_channel)), column("state s; init s; trans s -> s { sync "));
    let none = "process P { state s; init s; } system async property W;";
    assert_eq!(places(none), [(codes::UNKNOWN_PROCESS, 1, 54)]);
}

#[test]
fn at_most_twenty_errors_are_shown() {
    let body = vec!["y = 1"; 1000].join(", ");
    assert_eq!(errors(&model("", &format!("effect {body};"))).len(), 20);
    assert_eq!(errors(&"process { } ".repeat(1000)).len(), 20);
}

#[test]
fn quadratic_pairing_is_refused_before_it_fills_the_memory() {
    let many = |name: &str, end: char| {
        let transitions = vec![format!("s -> s {{ sync c{end}; }}"); 5000].join(",\n");
        format!("process {name} {{ state s; init s; trans {transitions}; }}\n")
    };
    let text = format!("channel c;\n{}{}system async;", many("P", '!'), many("Q", '?'));
    let found = errors(&text);
    assert_eq!(found[0].code, codes::TOO_MANY_ACTIONS);
}

#[test]
fn odd_models_are_accepted_with_a_warning() {
    let warnings = |text: &str| {
        let model = read_model(text).unwrap();
        assert!(model.warnings.iter().all(|warning| warning.severity == Severity::Warning));
        model.warnings.iter().map(|warning| (warning.code, warning.span.start)).collect::<Vec<_>>()
    };
    assert_eq!(warnings("byte x = 256; system async;"), [(codes::INITIAL_VALUE_WRAPS, 9)]);
    assert_eq!(warnings("byte x[2] = {1, 2, 3, 4}; system async;"), [(codes::SURPLUS_INITIAL_VALUES, 19)]);
    let lonely = "channel c, d; process P { state s; init s; trans s -> s { sync c!; }, s -> s { sync c?; }; } system async;";
    assert_eq!(warnings(lonely), [(codes::ONE_SIDED_CHANNEL, 8)]);
}
