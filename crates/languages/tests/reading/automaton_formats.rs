//! Automata in the notations of other tools, and service automata.

use crate::support::{advised_places, first, read_model, read_space};
use languages::{AutomatonFormat, AutomatonWithPropositions, Model, ServiceText, codes};
use model::guarded_commands::DeclaredPropertyKind;

fn model() -> Model {
    read_model(
        "byte x, a[3], p, q, r;
         process P { byte v; state idle, busy; init idle; }
         system async;",
    )
}

#[track_caller]
fn read(text: &str) -> AutomatonWithPropositions {
    model().automaton(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"))
}

/// The edges, each as `from [label] to {sets}`.
fn edges(read: &AutomatonWithPropositions) -> Vec<String> {
    let mut shown = Vec::new();
    for (from, edges) in read.automaton.states.iter().enumerate() {
        for edge in edges {
            let literals = read.propositions.iter().enumerate().filter_map(|(number, proposition)| {
                let bit = 1_u64 << number;
                match (edge.label.holds & bit != 0, edge.label.fails & bit != 0) {
                    (true, _) => Some(proposition.text.clone()),
                    (_, true) => Some(format!("!{}", proposition.text)),
                    _ => None,
                }
            });
            let label = literals.collect::<Vec<_>>().join(" & ");
            let sets: Vec<String> = (0..read.automaton.acceptance_sets)
                .filter(|set| edge.accepting >> set & 1 == 1)
                .map(|set| set.to_string())
                .collect();
            let sets = if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) };
            let state = |number: usize| &read.states[number];
            shown.push(format!("{} [{label}] {}{sets}", state(from), state(edge.target as usize)));
        }
    }
    shown
}

/// A file of the Hanoi format about `p` and `q`.
fn hoa(headers: &str, body: &str) -> String {
    format!("HOA: v1\nStart: 0\nAP: 2 \"p\" \"q\"\n{headers}\n--BODY--\n{body}\n--END--\n")
}

const BUCHI: &str = "Acceptance: 1 Inf(0)";

#[test]
fn an_array_without_an_index_in_an_automaton_is_a_warning_at_its_place() {
    let claim = "never { s: do :: (1) -> goto s :: (a == 1) -> goto accept od; accept: do :: (x > 2) od }";
    let file = hoa(BUCHI, "State: 0\n[t] 0").replace("\"p\"", "\"a == 1\"");
    for text in [claim, &file] {
        let warnings = read(text).warnings;
        assert_eq!(warnings.len(), 1, "{text}");
        let span = warnings[0].span;
        let place = &text[span.start as usize..span.end as usize];
        assert_eq!((warnings[0].code, place), (codes::BARE_ARRAY, "a"));
    }
    assert!(read(&hoa(BUCHI, "State: 0\n[t] 0")).warnings.is_empty());
}

#[test]
fn a_file_as_spot_writes_it() {
    let text = "HOA: v1
name: \"G(P.idle -> Fx == 1)\"
States: 2
Start: 0
AP: 2 \"P.idle\" \"x == 1\"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc complete
properties: deterministic stutter-invariant
--BODY--
State: 0 \"fine\" {0}
[!0 | 1] 0
[0&!1] 1
State: 1
[1] 0
[!1] 1
--END--";
    let read = read(text);
    assert_eq!(read.format, AutomatonFormat::Hoa);
    assert_eq!(read.states, ["fine", "1"]);
    assert_eq!(read.automaton.initial, [0]);
    assert_eq!(
        edges(&read),
        [
            "fine [!P.idle] fine {0}",
            "fine [x == 1] fine {0}",
            "fine [P.idle & !x == 1] 1 {0}",
            "1 [x == 1] fine",
            "1 [!x == 1] 1"
        ]
    );
    assert!(read.automaton.accepts_by_states());
    let place = read.propositions[1].span;
    assert_eq!(&text[place.start as usize..place.end as usize], "x == 1");
    assert_eq!(read.propositions[1].text, "x == 1");
}

#[test]
fn acceptance_conditions_become_sets_of_edges() {
    let body = "State: 0 {0}\n[0] 0 {1}\n[1] 0\nState: 1\n[t] 0 {2}";
    for (condition, sets, first, second, third) in [
        ("3 Inf(0)", 1, "{0}", "{0}", ""),
        ("3 t", 0, "", "", ""),
        ("3 Inf(0)&Inf(1)&Inf(2)", 3, "{0 1}", "{0}", "{2}"),
        ("3 Inf(2) & (Inf(1))", 2, "{0}", "", "{1}"),
        ("3 Inf(0)|Inf(2)", 1, "{0}", "{0}", "{0}"),
        ("3 (Inf(0)|Inf(2))&Inf(1)", 2, "{0 1}", "{1}", "{1}"),
        ("3 Inf(1) | t", 0, "", "", ""),
    ] {
        let read = read(&hoa(&format!("Acceptance: {condition}"), body));
        assert_eq!(read.automaton.acceptance_sets, sets, "{condition}");
        let expected = [("0 [p] 0", first), ("0 [q] 0", second), ("1 [] 0", third)];
        let expected = expected.map(|(edge, sets)| format!("{edge} {sets}").trim_end().to_owned());
        assert_eq!(edges(&read), expected, "{condition}");
    }
}

#[test]
fn labels_are_on_edges_on_states_or_absent() {
    let labelled = |body: &str| edges(&read(&hoa(BUCHI, body)));
    assert_eq!(labelled("State: [0 & !1] 0 1 0\nState: 1"), ["0 [p & !q] 1", "0 [p & !q] 0"]);
    assert_eq!(
        labelled("State: 0 0 {0} 1 0 1 State: 1"),
        ["0 [!p & !q] 0 {0}", "0 [p & !q] 1", "0 [!p & q] 0", "0 [p & q] 1"]
    );
    assert_eq!(labelled("State: 0 [f] 0 [!(0&1)] 0 [!t|(0&(1|t))] 0"), ["0 [!p] 0", "0 [!q] 0", "0 [p] 0"]);
    let aliases = format!("Alias: @a 0 & !1\nAlias: @b-c !@a | 1\n{BUCHI}");
    let read = read(&hoa(&aliases, "State: 0 [@a] 0 [@b-c] 0"));
    assert_eq!(edges(&read), ["0 [p & !q] 0", "0 [!p] 0", "0 [q] 0"]);
}

#[test]
fn propositions_of_the_file_are_expressions_of_the_model() {
    let text = |names: &str, body: &str| {
        format!("HOA: v1 Start: 0 Start: 1 Start: 0 AP: {names} {BUCHI} --BODY-- {body} --END--")
    };
    let read =
        read(&text("4 \"p\" \"not p\" \"1 < 2\" \" p \"", "State: 0 [0&!1] 0 [0&1] 0 [2&3] 1 State: 1"));
    assert_eq!(read.propositions.len(), 1, "equal ones are one");
    assert_eq!(edges(&read), ["0 [p] 0", "0 [p] 1"]);
    assert_eq!(read.automaton.initial, [0, 1]);
    let unknown = text("2 \"pp\" \"P.bussy\"", "State: 0");
    let errors = model().automaton(&unknown).unwrap_err();
    assert_eq!(
        errors.iter().map(|error| error.code).collect::<Vec<_>>(),
        [codes::UNKNOWN_NAME, codes::UNKNOWN_LOCATION]
    );
    assert_eq!(errors[1].help.as_deref(), Some("did you mean `busy`?"));
}

#[test]
fn wrong_files_of_the_hanoi_format_are_refused_in_their_place() {
    let many: String = (0..65).map(|number| format!(" \"x == {number}\"")).collect();
    let alternating_start = "HOA: v1 Start: 0&1 Acceptance: 0 t --BODY-- --END--";
    for (text, code, place) in [
        ("HOA: v2", codes::BAD_HEADER, "v2"),
        ("HOA:", codes::BAD_HEADER, ""),
        ("HOA: v1 --BODY-- --END--", codes::BAD_HEADER, "--BODY--"),
        ("HOA: v1 States: 1 States: 2", codes::BAD_HEADER, "States:"),
        ("HOA: v1 Controllable: 1", codes::BAD_HEADER, "Controllable:"),
        ("HOA: v1 States: x", codes::UNEXPECTED_TOKEN, "x"),
        ("HOA: v1 AP: 2 \"p\" --BODY--", codes::BAD_PROPOSITION_COUNT, "AP:"),
        (&format!("HOA: v1 AP: 65{many}"), codes::TOO_MANY_PROPOSITIONS, "\"x == 64\""),
        ("HOA: v1 AP: 1 \"p", codes::UNCLOSED_QUOTATION, "\""),
        ("HOA: v1 /* ", codes::UNCLOSED_COMMENT, "/*"),
        ("HOA: v1 §", codes::UNKNOWN_CHARACTER, "§"),
        (alternating_start, codes::ALTERNATING_AUTOMATON, "&"),
        (&hoa(BUCHI, "State: 0 [0] 0&0"), codes::ALTERNATING_AUTOMATON, "&"),
        (&hoa("Acceptance: 2 Fin(0)&Inf(1)", ""), codes::OTHER_ACCEPTANCE, "Fin"),
        (&hoa("acc-name: co-Buchi Acceptance: 1 Fin(0)", ""), codes::OTHER_ACCEPTANCE, "Fin"),
        (&hoa("Acceptance: 1 Inf(!0)", ""), codes::OTHER_ACCEPTANCE, "Inf"),
        (&hoa("Acceptance: 0 f", ""), codes::OTHER_ACCEPTANCE, "f"),
        (&hoa("Acceptance: 33 t", ""), codes::OTHER_ACCEPTANCE, "33"),
        (&hoa("Acceptance: 1 Inf(1)", ""), codes::UNKNOWN_SET, "1"),
        (&hoa("Acceptance: 1 In(0)", ""), codes::UNEXPECTED_TOKEN, "In"),
        (&hoa("Acceptance: 1 (Inf(0)", ""), codes::UNEXPECTED_TOKEN, "--BODY--"),
        (&hoa(BUCHI, "State: 0 {1}"), codes::UNKNOWN_SET, "1"),
        (&hoa(BUCHI, "State: 0 [2] 0"), codes::UNKNOWN_SET, "2"),
        (&hoa(BUCHI, "State: 0 [@a] 0"), codes::UNKNOWN_SET, "@a"),
        (&hoa(BUCHI, "State: 0 [0 0"), codes::UNEXPECTED_TOKEN, "0"),
        (&hoa(BUCHI, "State: 0 [] 0"), codes::UNEXPECTED_TOKEN, "]"),
        (&hoa(BUCHI, "State: 0 [0] 0 1"), codes::BAD_LABEL, "0"),
        (&hoa(BUCHI, "State: 0 0 0 0"), codes::BAD_LABEL, "0"),
        (&hoa(BUCHI, "State: [0] 0 [1] 0"), codes::BAD_LABEL, "0"),
        (&hoa(BUCHI, "State: 0 State: 0"), codes::DECLARED_TWICE, "0"),
        (&hoa(&format!("States: 2 {BUCHI}"), "State: 0 [t] 2"), codes::UNKNOWN_STATE, "2"),
        (&hoa(BUCHI, "State: 0 [t] 4000000000"), codes::AUTOMATON_TOO_LARGE, "4000000000"),
        (&hoa(BUCHI, "State: 0 --ABORT--"), codes::UNEXPECTED_TOKEN, "--ABORT--"),
        (&hoa(BUCHI, "--END-- HOA: v1"), codes::UNEXPECTED_TOKEN, "HOA:"),
        (&hoa(BUCHI, &format!("State: 0 [{}0] 0", "!".repeat(5000))), codes::NESTED_TOO_DEEPLY, "!"),
        (&hoa(BUCHI, "x"), codes::UNEXPECTED_TOKEN, "x"),
        ("HOA: v1", codes::UNEXPECTED_TOKEN, ""),
    ] {
        assert_eq!(first(text, model().automaton(text)), (code, place), "{text}");
    }
    let errors = model().automaton(&hoa("acc-name: Rabin 1 Acceptance: 2 Fin(0)&Inf(1)", "")).unwrap_err();
    assert!(errors[0].message.contains("(Rabin)") && errors[0].help.as_deref().unwrap().contains("autfilt"));
}

#[test]
fn large_labels_are_refused_before_they_fill_the_memory() {
    let code = |headers: &str, body: &str| model().automaton(&hoa(headers, body)).unwrap_err()[0].code;
    let doubling: String =
        (1..60).map(|number| format!("Alias: @a{number} @a{0}&@a{0}\n", number - 1)).collect();
    assert_eq!(code(&format!("Alias: @a0 0\n{doubling}{BUCHI}"), ""), codes::AUTOMATON_TOO_LARGE);
    let deepening: String =
        (1..20_000).map(|number| format!("Alias: @a{number} !@a{}\n", number - 1)).collect();
    assert_eq!(code(&format!("Alias: @a0 0\n{deepening}{BUCHI}"), ""), codes::AUTOMATON_TOO_LARGE);
    let long = vec!["0&!1"; 20_000].join("|");
    assert_eq!(edges(&read(&hoa(BUCHI, &format!("State: 0 [{long}] 0")))), ["0 [p & !q] 0"]);
    let names: String = (0..40).map(|number| format!(" \"x == {number}\"")).collect();
    let pairs: Vec<String> = (0..20).map(|number| format!("({}|{})", 2 * number, 2 * number + 1)).collect();
    let text = format!("HOA: v1 AP: 40{names} {BUCHI} --BODY-- State: 0 [{}] 0 --END--", pairs.join("&"));
    assert_eq!(model().automaton(&text).unwrap_err()[0].code, codes::AUTOMATON_TOO_LARGE);
}

#[test]
fn a_claim_as_spin_writes_it() {
    let text = "never  {    /* !([] (p -> <> x == 1)) */
T0_init:
        do
        :: (! ((x == 1)) && (p)) -> goto accept_S4
        :: (1) -> goto T0_init
        od;
accept_S4:
        do
        :: (! ((x == 1))) -> goto accept_S4
        od;
}
";
    let read = read(text);
    assert_eq!(read.format, AutomatonFormat::NeverClaim);
    assert_eq!(read.states, ["T0_init", "accept_S4"]);
    assert_eq!(
        edges(&read),
        ["T0_init [!x == 1 & p] accept_S4", "T0_init [] T0_init", "accept_S4 [!x == 1] accept_S4 {0}"]
    );
    assert!(read.automaton.accepts_by_states());
}

#[test]
fn statements_of_claims() {
    let claim = |body: &str| edges(&read(&format!("never {{ {body} }}")));
    assert_eq!(claim("accept_all: skip"), ["accept_all [] end {0}", "end [] end {0}"]);
    assert_eq!(claim("S: false;"), [""; 0]);
    assert_eq!(claim("S: if :: p -> goto S :: q -> goto S fi"), ["S [p] S", "S [q] S"]);
    assert_eq!(
        claim("S: if :: (p) :: q; skip fi; accept: do :: true od"),
        ["S [p] accept", "S [q] accept", "accept [] accept {0}"]
    );
    assert_eq!(claim("S: do :: p :: q -> break od; T: do :: r od"), ["S [p] S", "S [q] T", "T [r] T"]);
    assert_eq!(
        claim("T0_init: do :: atomic { (!p) -> assert(!(!p)) } :: (1) -> goto T0_init od; accept_all: skip"),
        ["T0_init [!p] end", "T0_init [] T0_init", "accept_all [] end {0}", "end [] end {0}"]
    );
    assert_eq!(
        claim("S: if :: p -> goto S :: else -> goto T fi; T: do :: 1 od"),
        ["S [p] S", "S [!p] T", "T [] T"]
    );
    assert_eq!(claim("p; S: q; goto S"), ["statement 1 [p] S", "S [q] S"]);
    assert_eq!(claim("A: p -> goto B; B: goto A"), ["A [p] A"]);
    assert_eq!(claim("A: p -> goto B; B: goto B"), [""; 0], "who goes round in circles never moves");
    assert_eq!(claim("A: accept_B: do :: p od"), ["A [p] A {0}"]);
    assert_eq!(
        claim("S: do :: P->v > 2 && P.idle -> goto S :: P->v -> goto S od"),
        ["S [P->v > 2 & P.idle] S", "S [P.v] S"]
    );
    assert_eq!(claim("S: do :: p || q && !r :: p == 1 od")[..2], ["S [p] S", "S [q & !r] S"]);
    assert_eq!(
        claim("S: do :: x < 3 && a[x] == 1 od"),
        ["S [x < 3 && a[x] == 1] S"],
        "one protects the other"
    );
    assert_eq!(read("never name { init: do :: 1 od };").states, ["init"]);
    let goes_first = read("never { goto B; A: do :: p od; B: do :: q od }");
    assert_eq!(goes_first.automaton.initial, [2]);
}

#[test]
fn wrong_claims_are_refused_in_their_place() {
    for (body, code, place) in [
        ("", codes::NO_STATES, "{"),
        ("S: do :: zz -> goto S od", codes::UNKNOWN_NAME, "zz"),
        ("S: do :: (p -> goto S od", codes::UNBALANCED, "("),
        ("S: do :: p -> goto T od", codes::UNKNOWN_STATE, "T"),
        ("S: p; S: q", codes::DECLARED_TWICE, "S"),
        ("S: do p od", codes::UNEXPECTED_TOKEN, "p"),
        ("S: do :: -> goto S od", codes::UNEXPECTED_TOKEN, "->"),
        ("S: do :: p -> x = 1 od", codes::UNEXPECTED_TOKEN, "="),
        ("S: do :: p; x = 1 od", codes::BAD_CLAIM, "x"),
        ("S: do :: if :: p fi od", codes::BAD_CLAIM, "if"),
        ("S: do :: goto S od", codes::BAD_CLAIM, "goto"),
        ("S: do :: p -> goto 1 od", codes::UNEXPECTED_TOKEN, "1"),
        ("S: do :: atomic { p -> assert(p od", codes::UNBALANCED, "("),
        ("S: assert(p)", codes::BAD_CLAIM, "assert"),
        ("S: §", codes::UNKNOWN_CHARACTER, "§"),
    ] {
        let text = format!("never {{ {body} }}");
        assert_eq!(first(&text, model().automaton(&text)), (code, place), "{text}");
    }
    for (text, code, place) in [
        ("never", codes::UNEXPECTED_TOKEN, ""),
        ("never {", codes::UNBALANCED, "{"),
        ("never { S: do :: p", codes::UNBALANCED, "do"),
        ("never { S: p } never { T: q }", codes::UNEXPECTED_TOKEN, "never"),
    ] {
        assert_eq!(first(text, model().automaton(text)), (code, place), "{text}");
    }
    let errors = model().automaton("never { S: do :: zz :: yy od; T: ww }").unwrap_err();
    assert_eq!(errors.len(), 3, "mistakes of several conditions come together");
    let misspelt = "never { accept_S: do :: p -> goto acept_S od }";
    assert_eq!(model().automaton(misspelt).unwrap_err()[0].help.as_deref(), Some("did you mean `accept_S`?"));
}

#[test]
fn the_file_of_the_thesis_is_a_buchi_automaton_too() {
    let space = read_space("1 7 2 !p q * 2\n2 8 2 p !q * 1\n").model();
    let automaton = space.automaton("0\n1\n0 true 0 p!q 1 p!p 0\n1 q 1\n").unwrap();
    assert_eq!(automaton.format, AutomatonFormat::Thesis);
    assert_eq!(edges(&automaton), ["0 [] 0", "0 [p & !q] 1", "1 [q] 1 {0}"]);
    let text = "0\n\n0 progress 0\n";
    assert_eq!(first(text, space.automaton(text)), (codes::BAD_LABEL, "rogress"));
    assert_eq!(edges(&read("s\ns\ns p!x s\n")), ["s [p & !x] s {0}"]);
    assert_eq!(first("s\ns\ns P s\n", model().automaton("s\ns\ns P s\n")), (codes::BAD_LABEL, "P"));
    let many: Vec<String> = (0..65).map(|number| format!("p{number}_")).collect();
    let declared = read_model(&format!("byte {}; system async;", many.join(", ")));
    let text = format!("0\n0\n0 {} 0\n", many.join(""));
    assert_eq!(declared.automaton(&text).unwrap_err()[0].code, codes::TOO_MANY_PROPOSITIONS);
}

#[test]
fn a_property_process_is_one_as_well() {
    let model = read_model(
        "byte x, y; process P { state s, t; init s; }
         process W { state a, b; init a; accept b;
           trans a -> a {}, a -> b { guard P.t and not (x == 2), y > 1 or x == 2; }, b -> b { guard not P.t; }; }
         system async property W;",
    );
    let DeclaredPropertyKind::NoAcceptedRun(declared) = &model.commands.properties[0].kind else {
        panic!("an automaton")
    };
    let read = model.declared_automaton(declared).unwrap();
    assert_eq!(read.format, AutomatonFormat::PropertyProcess);
    assert_eq!(read.states, ["a", "b"]);
    assert_eq!(edges(&read), ["a [] a", "a [P.t & !x == 2 & y > 1] b", "b [!P.t] b {0}"]);
}

#[test]
fn service_automata_are_read_in_two_notations() {
    let words = "# deliveries\ninitial idle\r\nfinal  idle done // all\nidle -> busy : send it\nbusy->idle : receive\nbusy -> busy\nbusy -> done: epsilon\n";
    let service = ServiceText::read(words).unwrap();
    assert_eq!(service.states, ["idle", "busy", "done"]);
    assert_eq!((service.initial, service.finals.as_slice()), (0, &[0, 2][..]));
    let steps = |service: &ServiceText| -> Vec<(usize, Option<String>, usize)> {
        service.transitions.iter().map(|step| (step.from, step.event.clone(), step.to)).collect()
    };
    let seen = |event: &str| Some(event.to_owned());
    assert_eq!(
        steps(&service),
        [(0, seen("send it"), 1), (1, seen("receive"), 0), (1, None, 1), (1, None, 2)]
    );
    let place = service.transitions[0].span;
    assert_eq!(&words[place.start as usize..place.end as usize], "idle -> busy : send it");
    let columns = ServiceText::read("0\n0 2\n0 send 1\n1 receive 0 * 1 * 2\n2\n").unwrap();
    assert_eq!(steps(&columns), [(0, seen("send"), 1), (1, seen("receive"), 0), (1, None, 1), (1, None, 2)]);
    assert_eq!(columns.finals, [0, 2]);
    let open = ServiceText::read("initial a\na -> b : x").unwrap();
    assert_eq!(open.finals, [0, 1], "without `final`, all are");
    assert_eq!(ServiceText::read("initial a").unwrap().states, ["a"]);
    let odd = ServiceText::read("initial initial\ninitial -> final : a -> b").unwrap();
    assert_eq!(odd.transitions[0].event.as_deref(), Some("a -> b"));
}

#[test]
fn wrong_service_automata_are_refused_in_their_place() {
    let places = |text: &str| advised_places(text, &ServiceText::read(text).expect_err(text));
    assert_eq!(places(""), [(codes::NO_STATES, 1, 1)]);
    assert_eq!(places("# nothing\n"), [(codes::NO_STATES, 2, 1)]);
    assert_eq!(places("a -> b : x\n"), [(codes::NO_STATES, 2, 1)]);
    assert_eq!(places("initial a b"), [(codes::BAD_SERVICE_LINE, 1, 1), (codes::NO_STATES, 1, 12)]);
    assert_eq!(places("initial a\ninitial b"), [(codes::BAD_SERVICE_LINE, 2, 1)]);
    assert_eq!(places("initial a\n  a b c"), [(codes::BAD_SERVICE_LINE, 2, 3)]);
    assert_eq!(places("initial a\na -> b c : x"), [(codes::BAD_SERVICE_LINE, 2, 1)]);
    assert_eq!(places("initial a\na -> : x"), [(codes::BAD_SERVICE_LINE, 2, 1)]);
    assert_eq!(places("initial a\na -> b :"), [(codes::BAD_SERVICE_LINE, 2, 1)]);
    assert_eq!(places("initial a\na : x -> b"), [(codes::BAD_SERVICE_LINE, 2, 1)]);
    assert_eq!(places("initial a\nfinal b"), [(codes::UNKNOWN_STATE, 2, 7)]);
    assert_eq!(places("0 1\n\n0"), [(codes::BAD_SERVICE_LINE, 1, 1)]);
    assert_eq!(
        places("1\n2\n0 a"),
        [(codes::UNKNOWN_STATE, 1, 1), (codes::UNKNOWN_STATE, 2, 1), (codes::INCOMPLETE_ARC, 3, 3)]
    );
    assert_eq!(places("0\n\n0 a 1"), [(codes::UNKNOWN_STATE, 3, 5)]);
    assert_eq!(places("0\n\n0\n0"), [(codes::DECLARED_TWICE, 4, 1)]);
}
