//! No text makes the reader panic, hang or overflow its stack, and every refusal is a proper one.
//!
//! The texts are correct models that were damaged: cut off anywhere, with tokens deleted, doubled,
//! swapped and replaced. Damaged models reach much further into the reader than random bytes, which
//! are tried too.

use languages::{
    Automaton, Diagnostic, Model, ServiceText, Severity, StateSpace, codes, ctl_over_names, ltl_over_names,
    read_model,
};
use proptest::prelude::*;

/// Together these use every construct of the language.
const MODELS: [&str; 3] = [
    "byte x = 1, a[3] = {1, 2, 3}; const int N = 2 * 3; int y;
     channel c, d; channel {byte, int} q[2]; channel {byte} r[0];
     process P { byte v; const byte K = 1; state s, t, u; init s; commit u; assert s: x < 9, t: a[x] == 0;
       trans s -> t { guard x == 1 and not (y > 2), v < N; sync c!x + 1; effect a[x] = 2, y = -y; },
       -> u { sync q!{1, y}; }, u -> s { sync r?v; }, t -> s {}; }
     process Q { byte m, n; state s; init s;
       trans s -> s { guard P.t || P->v == 3; sync c?m; }, s -> s { sync q?{m, n}; }, s -> s { sync r!2; }; }
     system async;",
    "byte x; process P { state s; init s; trans s -> s { effect x = (x + 1) % 4; }; }
     process W { state q1, q2; init q1; accept q2; trans q1 -> q1 {}, q1 -> q2 { guard not (x == 2); }; }
     system async property W; // done",
    "/* shifts */ int i; process P { int k[2]; state s; init s;
     trans s -> s { guard i << 2 >> 1 == ~i ^ 3 & 7 | 1, true imply false; effect k[i / 2] = i % 3; }; } system async;",
];

/// A state space, an automaton over it, and questions.
const SPACE: &str = "1 7 2 !p !q * 2 RP2 3\r\n\n2 8 2 p !q * 3 * 1\n3 12 2 !p q go 3\n";
const AUTOMATON: &str = "0\n1 2\n0 true 0 p!q 1 pq 2\n1 !q 1\n2\n";
const AUTOMATA: [&str; 3] = [
    "HOA: v1 States: 2 Start: 0 AP: 2 \"x == 1\" \"P.s\" Alias: @a !0 & (1 | t) acc-name: Buchi Acceptance: 2 Inf(0)&Inf(1)
     --BODY-- State: 0 \"a\" {0} [@a] 1 {1} [0|f] 0 State: 1 0 1 1 0 --END--",
    "never { /* F x */ T0_init: do :: (x == 1 && !P.s) -> goto accept_S1 :: else -> break od;
     accept_S1: if :: atomic { (1) -> assert(!(x)) } :: P->v > 2; skip fi; goto T0_init; L: false; skip }",
    "initial s # here\nfinal s t\ns -> t : go on\nt -> s\n",
];
const QUESTIONS: [&str; 8] = [
    "[] (x == 1 -> <> (P.s && P->v > 2)) <-> \"x\" U !y /\\ GF ~P.t # end",
    "A[x W E (y R P.s)] => EX A[] x \\/ E<> AGEF y",
    "AG (EF (x == 1 and P.s))",
    "(P, 2 * x, a[x] + P->v)",
    "EFAG not x",
    "A[x U y] or EG x",
    "(order(P: s, t < 2), q.length, order(q[0].1: -1 < N))",
    "order(process P: t < s) + channel q[1].0 - order((P): 1 < 0)",
];

/// Pieces to put where they do not belong.
const PIECES: [&str; 55] = [
    "State:",
    "Inf(0)",
    "--END--",
    "@a",
    "::",
    "goto",
    "skip",
    "[]",
    "<->",
    "E",
    "GF",
    "\"",
    "#",
    "W",
    "order(",
    ":",
    "<",
    "EF",
    "AG",
    "U",
    "*",
    "// progress: ",
    "\n",
    "process",
    "system",
    "async",
    "property",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "->",
    "=",
    "==",
    "!",
    "?",
    "-",
    "/",
    "99999999999",
    "0",
    "65536",
    "x",
    "P",
    "channel",
    "byte",
    "trans",
    "guard",
    "sync",
    "effect",
    "/*",
    "\0",
];

/// Reads a text and checks the result; the value itself does not matter.
fn read(text: &str) {
    match read_model(text) {
        Ok(model) => {
            assert!(model.warnings.iter().all(|warning| warning.severity == Severity::Warning));
            for question in ["x == 1 and P.s", "P->v", "a[x", "", text] {
                ask(&model, question);
            }
        }
        Err(errors) => check(text, &errors),
    }
}

/// Asks every kind of question with a text.
fn ask(model: &Model, question: &str) {
    let expression = model.expression(question).map(|_| ());
    let measure = model.measure(question).map(|measure| {
        assert!(!measure.components.is_empty());
        let text = model.measure_text_of_kind(&measure.components, measure.kind);
        let again = model.measure(&text).unwrap_or_else(|errors| panic!("{question}, {text}: {errors:#?}"));
        assert_eq!(again.kind, measure.kind, "{question}");
        assert_eq!(model.measure_text_of_kind(&again.components, again.kind), text, "{question}");
    });
    // The text of a formula is understood again, unless it has too many parentheses.
    let linear = model.ltl(question).map(|read| match model.ltl(&read.text) {
        Ok(again) => assert_eq!((again.formula, again.text), (read.formula, read.text), "{question}"),
        Err(errors) => assert_eq!(errors[0].code, codes::NESTED_TOO_DEEPLY, "{question}: {}", read.text),
    });
    let branching = model.ctl(question).map(|read| match model.ctl(&read.text) {
        Ok(again) => assert_eq!((again.formula, again.text), (read.formula, read.text), "{question}"),
        Err(errors) => assert_eq!(errors[0].code, codes::NESTED_TOO_DEEPLY, "{question}: {}", read.text),
    });
    let names = [ltl_over_names(question).map(|_| ()), ctl_over_names(question).map(|_| ())];
    read_automaton(model, question);
    for errors in [expression, measure, linear, branching].into_iter().chain(names).filter_map(Result::err) {
        check(question, &errors);
    }
}

/// Reads a text as an automaton about a model.
fn read_automaton(model: &Model, text: &str) {
    match model.automaton(text) {
        Ok(read) => {
            let states = read.automaton.states.len();
            assert_eq!(read.states.len(), states);
            assert!(read.propositions.len() <= 64);
            assert!(read.automaton.initial.iter().all(|state| (*state as usize) < states));
            assert!(read.automaton.states.iter().flatten().all(|edge| (edge.target as usize) < states));
        }
        Err(errors) => check(text, &errors),
    }
    match ServiceText::read(text) {
        Ok(service) => {
            assert!(service.initial < service.states.len());
            assert!(service.transitions.iter().all(|step| step.from.max(step.to) < service.states.len()));
        }
        Err(errors) => check(text, &errors),
    }
}

/// Reads a text as a state space and as an automaton.
fn read_space(text: &str) {
    match StateSpace::read(text) {
        Ok(space) => {
            let mut written = Vec::new();
            space.write(&mut written).unwrap();
            assert_eq!(StateSpace::read(&String::from_utf8(written).unwrap()).unwrap(), space);
            ask(&space.model(), text);
        }
        Err(errors) => check(text, &errors),
    }
    let space = StateSpace::read(SPACE).unwrap();
    match Automaton::read(text, &space.propositions) {
        Ok(automaton) => drop(space.product(&automaton).unwrap()),
        Err(errors) => check(text, &errors),
    }
}

fn check(text: &str, errors: &[Diagnostic]) {
    assert!((1..=20).contains(&errors.len()));
    for error in errors {
        assert_eq!(error.severity, Severity::Error);
        assert!(codes::ALL.iter().any(|(code, _)| *code == error.code));
        let (start, end) = (error.span.start as usize, error.span.end as usize);
        assert!(start <= end && text.get(start..end).is_some(), "{error} is at {start}..{end}");
    }
}

/// The text cut into words, spaces and single other characters.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |character: char| match character {
        character if character.is_alphanumeric() || character == '_' => 0,
        character if character.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, character) in text.char_indices() {
        let kind = kind(character);
        if last.is_some_and(|last| last != kind || kind == 2) {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = Some(kind);
    }
    pieces.push(&text[start..]);
    pieces
}

#[test]
fn undamaged_the_models_are_accepted() {
    for text in MODELS {
        assert!(read_model(text).is_ok(), "{:#?}", read_model(text).map(|_| ()));
    }
}

#[test]
fn cutting_a_model_off_anywhere_is_refused_in_good_order() {
    for text in MODELS {
        for end in 0..=text.len() {
            read(&text[..end]);
            read(&text[end..]);
        }
    }
}

#[test]
fn deleting_doubling_or_replacing_any_token_is_survived() {
    for text in MODELS {
        let pieces = pieces(text);
        for at in 0..pieces.len() {
            for replacement in PIECES.iter().chain(&["", "x x", pieces[at]]) {
                let mut changed = pieces.clone();
                changed[at] = replacement;
                read(&changed.concat());
                changed[at] = pieces[at];
                changed.insert(at, replacement);
                read(&changed.concat());
            }
        }
    }
}

#[test]
fn damaged_spaces_automata_and_questions_are_survived() {
    let model = read_model(MODELS[0]).unwrap();
    let use_all = |text: &str| {
        read_space(text);
        ask(&model, text);
    };
    for text in [SPACE, AUTOMATON].iter().chain(&QUESTIONS).chain(&AUTOMATA) {
        let pieces = pieces(text);
        for at in 0..pieces.len() {
            use_all(&pieces[..at].concat());
            use_all(&pieces[at..].concat());
            for replacement in PIECES.iter().chain(&["", " ", "!", "p", "1 1", pieces[at]]) {
                let mut changed = pieces.clone();
                changed[at] = replacement;
                use_all(&changed.concat());
                changed[at] = pieces[at];
                changed.insert(at, replacement);
                use_all(&changed.concat());
            }
        }
    }
}

#[test]
fn deep_and_long_questions_and_spaces_are_refused_quickly() {
    let model = read_model(MODELS[0]).unwrap();
    for repeated in [
        "AG ",
        "AG (",
        "(",
        "(AG ",
        "x, ",
        "(x, ",
        "EF",
        "not AG ",
        "x or AG ",
        "P.1 ",
        "A[",
        "E[x U ",
        "x U ",
        "[]",
        "x -> ",
        "x <-> X ",
        "x W ",
        "GF",
        "xU(",
        "\"",
        "~",
        "order(",
        "order(x:",
        "order(x: 0 < 1) <",
        "0 < ",
    ] {
        ask(&model, &repeated.repeat(50_000));
        ask(&model, &format!("AG {} x", repeated.repeat(50_000)));
        ask(&model, &format!("{}EF x", repeated.repeat(50_000)));
    }
    for repeated in [
        "State: 0 ",
        "[",
        "[!",
        "[(0&",
        "[0|1&",
        "0 ",
        "Inf(0)&",
        "(Inf(0)|",
        "Start: 0 ",
        "Alias: @a !0 ",
        "{0",
        "/*",
        "\"p\" ",
    ] {
        let start = "HOA: v1 AP: 2 \"x\" \"y\" Acceptance: 1 ";
        for middle in
            ["", "Inf(0) ", "Inf(0) --BODY-- ", "Inf(0) --BODY-- State: 0 ", "Inf(0) --BODY-- State: 0 [0"]
        {
            read_automaton(&model, &format!("{start}{middle}{}", repeated.repeat(20_000)));
        }
    }
    for repeated in [
        ":: x ",
        ":: (",
        "L: ",
        "do ",
        "x; ",
        "goto L; ",
        "if :: x fi; ",
        ":: x -> goto L ",
        "(",
        "atomic { ",
        "x -> ",
    ] {
        for start in ["never { ", "never { L: do ", "never { L: x; "] {
            read_automaton(&model, &format!("{start}{} od }}", repeated.repeat(20_000)));
        }
    }
    for repeated in ["1 ", "1\n", "1 1 1 p ", "! ", "p!", "1 1 0\n", "\n", "\r", "true 0 ", "1 99999 "] {
        read_space(&repeated.repeat(50_000));
        read_space(&format!("0\n\n0 {}", repeated.repeat(50_000)));
        read_space(&format!("0\n\n0 {} 0", repeated.trim().repeat(50_000)));
    }
}

#[test]
fn deep_and_long_texts_neither_overflow_the_stack_nor_take_long() {
    for repeated in
        ["(", "-", "a[", "{", "process P {", "x+", "byte x[", "guard ", "/*", "s -> s {", "channel {"]
    {
        read(&repeated.repeat(50_000));
        for part in ["guard", "effect x =", "sync c!", "effect a["] {
            let body = repeated.repeat(10_000);
            read(&format!(
                "byte x, a[2]; channel c; process P {{ state s; init s; trans s -> s {{ {part} {body}"
            ));
        }
    }
    let many = vec!["x == 1"; 50_000].join(", ");
    read(&format!(
        "byte x; process W {{ state s; init s; trans s -> s {{ guard {many}; }}; }} system async property W;"
    ));
}

proptest! {
    #[test]
    fn random_texts_are_survived(text in "\\PC{0,200}") {
        read(&text);
        read_space(&text);
    }

    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
        read_space(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn shuffled_models_are_survived(
        model in 0..MODELS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4), 1..12),
    ) {
        let mut pieces = pieces(MODELS[model]);
        for (at, other, change) in changes {
            let (at, place) = (at.index(pieces.len()), other.index(pieces.len()));
            let piece = PIECES[other.index(PIECES.len())];
            match change {
                0 => pieces[at] = piece,
                1 => pieces.insert(at, piece),
                2 => pieces.swap(at, place),
                _ if pieces.len() > 1 => drop(pieces.remove(at)),
                _ => {}
            }
        }
        read(&pieces.concat());
    }
}
