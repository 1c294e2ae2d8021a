//! Formulas of temporal logic: how they are read, and the errors in wrong ones.

use crate::support::{cell_of, first, read_model, read_space};
use languages::{CtlForm, Model, codes, ctl_over_names, ltl_over_names};
use logic::ctl::Ctl;
use logic::ltl::Ltl;
use model::guarded_commands::{BinaryOperator, Expression};
use proptest::prelude::*;

const TEXT: &str = "byte x, y, a[3], EFfort, AG, p, q, r, s, both, until;
process Sender { byte v; state idle, busy; init idle; }
process both { byte v; state s; init s; }
process Watch { state w; init w; }
system async property Watch;";

fn model() -> Model {
    read_model(TEXT)
}

fn cell(name: &str) -> Expression {
    cell_of(&model(), name)
}

/// A formula as Sweepline understands it, in one spelling.
#[track_caller]
fn ltl(text: &str) -> String {
    model().ltl(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}")).to_string()
}

#[track_caller]
fn ctl(text: &str) -> String {
    model().ctl(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}")).to_string()
}

#[track_caller]
fn propositions(text: &str) -> Vec<String> {
    let read = model().ltl(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    read.propositions.into_iter().map(|proposition| proposition.text).collect()
}

#[test]
fn linear_operators_have_many_spellings() {
    for (shown, spellings) in [
        ("G p", &["G p", "[] p", "[]p", "always p", "G(p)", "Gp", "[](p)"][..]),
        ("F p", &["F p", "<>p", "eventually p", "Fp", "F\n# why\np // because\n"]),
        ("X p", &["X p", "next p", "X(p)"]),
        ("G F p", &["GF p", "G F p", "[]<>p", "[] <> p", "GFp", "always eventually p", "G(F(p))", "GF(p)"]),
        ("F G p", &["FG p", "FGp", "<>[]p"]),
        ("p U q", &["p U q", "p until q", "p stronguntil q", "pU(q)", "(p)U(q)"]),
        ("p R q", &["p R q", "p V q", "p release q"]),
        ("p W q", &["p W q", "p weakuntil q"]),
        ("p M q", &["p M q"]),
        ("F p && F q", &["F p && F q", "F p and F q", "F p /\\ F q"]),
        ("F p || F q", &["F p || F q", "F p or F q", "F p \\/ F q"]),
        ("F p -> F q", &["F p -> F q", "F p => F q", "F p imply F q", "F p implies F q"]),
        ("F p <-> F q", &["F p <-> F q", "F p <=> F q", "F p equivalent F q"]),
        ("!F p", &["!F p", "not F p", "~F p", "! (F p)"]),
    ] {
        for spelling in spellings {
            assert_eq!(ltl(spelling).replace("(p)", "p").replace("(q)", "q"), shown, "{spelling}");
        }
    }
}

#[test]
fn strength_is_that_of_spin_around_that_of_the_model() {
    for (text, shown) in [
        ("G p -> F q", "G p -> F q"),
        ("G (p -> F q)", "G (p -> F q)"),
        ("F p U q", "F p U q"),
        ("p U F q", "p U F q"),
        ("p U q U r", "p U (q U r)"),
        ("p U q && r U s", "(p U q) && (r U s)"),
        ("p && q U r", "p && (q U r)"),
        ("F p || F q && F r", "F p || (F q && F r)"),
        ("F p -> F q -> F r", "F p -> (F q -> F r)"),
        ("F p imply F q imply F r", "(F p -> F q) -> F r"),
        ("F p <-> F q -> F r || F s", "F p <-> (F q -> (F r || F s))"),
        ("F x == 1 && y", "F (x == 1) && y"),
        ("F x + 1 == y * 2 U p", "F (x + 1 == y * 2) U p"),
        ("!p U q", "!p U q"),
        ("!F p && q", "!F p && q"),
        ("G !p -> X X q", "G !p -> X X q"),
        ("x < 2 U y > 1", "(x < 2) U (y > 1)"),
        ("F (p & q) && G p", "F (p & q) && G p"),
    ] {
        assert_eq!(ltl(text), shown, "{text}");
    }
}

#[test]
fn formulas_mean_what_they_should() {
    let p = |number| Ltl::Proposition(number);
    for (text, meaning) in [
        ("G (p -> F q)", Ltl::globally(Ltl::implies(p(0), Ltl::finally(p(1))))),
        ("p W X q", Ltl::weak_until(p(0), Ltl::next(p(1)))),
        ("p M X q", Ltl::strong_release(p(0), Ltl::next(p(1)))),
        ("X p V q", Ltl::release(Ltl::next(p(0)), p(1))),
        ("X p <-> X q", Ltl::equivalent(Ltl::next(p(0)), Ltl::next(p(1)))),
        ("!p U p", Ltl::until(Ltl::negation(p(0)), p(0))),
        ("~p U not not p", Ltl::until(Ltl::negation(p(0)), p(0))),
        ("true U (1 > 2)", Ltl::until(Ltl::True, Ltl::False)),
        ("p", p(0)),
    ] {
        assert_eq!(model().ltl(text).unwrap().formula, meaning, "{text}");
    }
    let p = |number| Ctl::Proposition(number);
    for (text, meaning) in [
        ("EX p", Ctl::exists_next(p(0))),
        ("AX p", Ctl::always_next(p(0))),
        ("AF p", Ctl::always_finally(p(0))),
        ("EG !p", Ctl::exists_globally(Ctl::negation(p(0)))),
        ("E[p U q]", Ctl::exists_until(p(0), p(1))),
        ("A(p U q)", Ctl::always_until(p(0), p(1))),
        ("A[p W q]", Ctl::always_weak_until(p(0), p(1))),
        ("E[p W q]", Ctl::exists_weak_until(p(0), p(1))),
        ("E[p R q]", Ctl::exists_release(p(0), p(1))),
        ("A[p V q]", Ctl::always_release(p(0), p(1))),
        ("E[p M q]", Ctl::exists_until(p(1), Ctl::and(p(0), p(1)))),
        ("A[p M q]", Ctl::always_until(p(1), Ctl::and(p(0), p(1)))),
        ("AX p -> EX q", Ctl::implies(Ctl::always_next(p(0)), Ctl::exists_next(p(1)))),
        ("AX p <-> EX q", Ctl::equivalent(Ctl::always_next(p(0)), Ctl::exists_next(p(1)))),
    ] {
        assert_eq!(model().ctl(text).unwrap().formula, meaning, "{text}");
    }
}

#[test]
fn a_part_without_temporal_operators_is_one_proposition() {
    assert_eq!(
        propositions("G (x == 1 and Sender.busy -> F Sender->v > 2)"),
        ["x == 1 and Sender.busy", "Sender->v > 2"]
    );
    assert_eq!(propositions("F (x  ==  1) && G(x == 1)"), ["x == 1"]);
    assert_eq!(propositions("F \"x == 1 or y\" && F y"), ["x == 1 or y", "y"]);
    assert_eq!(propositions("p -> q"), ["p -> q"]);
    assert_eq!(propositions("(p <-> q) U r"), ["p <-> q", "r"]);
    // Adjacent parts may guard each other: `a[x]` fails if `x` is 3.
    assert_eq!(propositions("F p && x < 3 && a[x] == 1"), ["p", "x < 3 && a[x] == 1"]);
    assert_eq!(propositions("F p || x >= 3 || a[x] == 1"), ["p", "x >= 3 || a[x] == 1"]);
    assert_eq!(propositions("F a[x + 1] && F a[1]"), ["a[x + 1]", "a[1]"]);
    let span = model().ltl("F p && \"q\"").unwrap().propositions[1].span;
    assert_eq!((span.start, span.end), (7, 10));
}

#[test]
fn propositions_are_read_as_the_model_reads_expressions() {
    for text in ["x == 1 and not y", "x imply y imply p", "not x == 1", "-x + ~y > 3", "x << 1 | y & 3"] {
        let read = model().ltl(text).unwrap();
        assert_eq!(read.formula, Ltl::Proposition(0), "{text}");
        let expression = model().expression(text).unwrap();
        assert_eq!(read.propositions[0].expression, expression, "{text}");
    }
    let equivalent = model().ltl("p <-> q").unwrap().propositions[0].expression.clone();
    let Expression::Binary { operator, left, .. } = equivalent else { panic!("a comparison") };
    assert_eq!((operator, *left), (BinaryOperator::Equal, cell("p").negated()));
}

#[test]
fn an_arrow_reads_a_variable_where_it_can() {
    assert_eq!(propositions("F Sender->v"), ["Sender->v"]);
    assert_eq!(ltl("p -> F q"), "p -> F q");
    assert_eq!(ltl("p->F q"), "p -> F q");
    assert_eq!(ltl("Sender.idle->F q"), "Sender.idle -> F q");
    assert_eq!(ltl("a[1] -> F q"), "a[1] -> F q");
    // A variable and a process share a name: a variable of the process is read from the process.
    assert_eq!(ltl("F both -> v == 1"), "F (both -> v == 1)");
    assert_eq!(ltl("both -> F p"), "both -> F p");
    assert_eq!(first("F Sender->w", model().ltl("F Sender->w")), (codes::UNKNOWN_NAME, "w"));
}

#[test]
fn names_of_the_model_stay_names_where_they_can_be() {
    let model = model();
    assert_eq!(model.ctl("EF EFfort").unwrap().special(), Some((CtlForm::Ef, cell("EFfort"))));
    assert_eq!(ctl("AG AG == 1"), "AG (AG == 1)");
    assert_eq!(ctl("EF (x + AG > 1)"), "EF (x + AG > 1)");
    assert_eq!(ctl("EF AG"), "EF AG");
    assert_eq!(ctl("EFx"), "EF x", "operators come off names");
    assert_eq!(ltl("until U until"), "until U until");
    assert_eq!(ltl("until until until"), "until U until");
    assert_eq!(ltl("F until -> F p"), "F until -> F p");
    let letters = read_model("byte G, F, A[2], E; process X { byte v; state s; init s; } system async;");
    for (text, shown) in [
        ("G", "G"),
        ("G G", "G G"),
        ("G U F", "G U F"),
        ("G F", "G F"),
        ("G (F)", "G (F)"),
        ("F F U F", "F F U F"),
        ("F (G + F == 2)", "F (G + F == 2)"),
        ("X X.s && X->v == 1", "X X.s && (X->v == 1)"),
        ("G - 1 == F", "G - 1 == F"),
        ("F A[1]", "F A[1]"),
    ] {
        let read = letters.ltl(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
        assert_eq!(read.to_string(), shown, "{text}");
    }
    assert_eq!(letters.ctl("A[1] == 0").unwrap().to_string(), "A[1] == 0");
    assert_eq!(letters.ctl("A[G U E]").unwrap().to_string(), "A[G U E]");
    assert_eq!(letters.ctl("E == 1 or E[G U F]").unwrap().to_string(), "(E == 1) || E[G U F]");
}

#[test]
fn branching_operators_have_many_spellings() {
    for (shown, spellings) in [
        ("AG p", &["AG p", "A[] p", "A[]p", "A G p", "A (G p)", "A[G p]", "AGp"][..]),
        ("EF p", &["EF p", "E<> p", "E F p", "E<>p", "E eventually p"]),
        ("AF p", &["AF p", "A<> p", "A F p"]),
        ("EG p", &["EG p", "E[] p"]),
        ("EX p", &["EX p", "E X p", "E next p"]),
        ("AG EF p", &["AG EF p", "AGEF p", "A[] E<> p", "AG(EF(p))", "AGEFp"]),
        ("AG AF p", &["AGAF p", "AG AF p", "A[]A<>p"]),
        ("E[p U q]", &["E[p U q]", "E(p U q)", "E (p until q)", "E [ p U q ]", "E[p U (q)]"]),
        ("A[p W q]", &["A[p W q]", "A(p weakuntil q)"]),
        ("E[p R q]", &["E[p R q]", "E[p V q]", "E(p release q)"]),
    ] {
        for spelling in spellings {
            assert_eq!(ctl(spelling).replace("(p)", "p").replace("(q)", "q"), shown, "{spelling}");
        }
    }
    for (text, shown) in [
        ("E[p or q U r and s]", "E[(p or q) U (r and s)]"),
        ("E[x == 1 U A[p U q]]", "E[(x == 1) U A[p U q]]"),
        ("EF p and EF q", "EF p && EF q"),
        ("AG p or EF q", "AG p || EF q"),
        ("AG (p -> AF q)", "AG (p -> AF q)"),
        ("AF p or q", "AF p || q"),
        ("!EX p && q", "!EX p && q"),
        ("p", "p"),
    ] {
        assert_eq!(ctl(text), shown, "{text}");
    }
}

#[test]
fn the_four_forms_are_read_as_people_type_them() {
    let model = model();
    let forms = [
        (CtlForm::Ef, ["EF x == 1", "EF(x == 1)", "(EF x == 1)", "( EF((x) == 1))"]),
        (CtlForm::Ag, ["AG x == 1", "AG (x==1)\n", "(AG (x == 1))", "!EF !(x == 1)"]),
        (CtlForm::AgEf, ["AG EF x == 1", "AGEF x == 1", "AG (EF (x == 1))", "AG(EF x==1)"]),
        (CtlForm::EfAg, ["EF AG x == 1", "EFAG(x == 1)", "(EF (AG x == 1))", "((EF ((AG (x==1)))))"]),
    ];
    for (form, texts) in forms {
        for text in texts {
            let read = model.ctl(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
            let (found, operand) = read.special().unwrap_or_else(|| panic!("{text}: {read:?}"));
            assert_eq!(found, form, "{text}");
            let Expression::Binary { left, .. } = operand else { panic!("a comparison") };
            assert_eq!(*left, cell("x"), "{text}");
        }
    }
    assert_eq!(CtlForm::AgEf.to_string(), "AG EF");
    assert_eq!(model.ctl("AG !x").unwrap().special(), Some((CtlForm::Ag, cell("x").negated())));
    assert_eq!(model.ctl("EF true").unwrap().special(), Some((CtlForm::Ef, Expression::Constant(1))));
    for other in ["AF x", "EF EF x", "AG EF AG x", "x", "AG x and EF y", "AG (x or EF y)", "E[x U y]"] {
        let read = model.ctl(other).unwrap();
        assert_eq!(read.special(), None, "{other}");
        let refusal = read.undecided(other);
        assert_eq!((refusal.code, refusal.span.end as usize), (codes::UNDECIDED_FORMULA, other.len()));
    }
}

#[test]
fn in_the_four_forms_an_operator_takes_all_that_follows() {
    for (text, shown) in [
        ("AG x == 1  or y == 2", "AG (x == 1 or y == 2)"),
        ("AG (x == 1) or y == 2", "AG ((x == 1) or y == 2)"),
        ("AGEF (x == 1) or (y == 2)", "AG EF ((x == 1) or (y == 2))"),
        ("(EF ((x == 1)))", "EF ((x == 1))"),
        ("EF AG !x", "EF AG !x"),
        ("AG p -> q", "AG (p -> q)"),
    ] {
        assert_eq!(ctl(text), shown, "{text}");
        assert!(model().ctl(text).unwrap().special().is_some(), "{text}");
    }
}

#[test]
fn propositions_of_state_spaces_are_names() {
    let model = read_space("1 0 2 !p q * 2\n2 1 2 p !q\n").model();
    let read = model.ltl("G (p -> F q && space.2)").unwrap();
    let texts: Vec<&str> = read.propositions.iter().map(|proposition| proposition.text.as_str()).collect();
    assert_eq!(texts, ["p", "q", "space.2"]);
    assert_eq!(first("F pp", model.ltl("F pp")), (codes::UNKNOWN_NAME, "pp"));
}

#[test]
fn without_a_model_all_names_are_propositions() {
    let (formula, names) = ltl_over_names("G(r1->(!p1U(p1U(p1&& co))))").unwrap();
    assert_eq!(names, ["r1", "p1", "co"]);
    let p = |number| Ltl::Proposition(number);
    let inside = Ltl::until(p(1), Ltl::and(p(1), p(2)));
    let expected = Ltl::globally(Ltl::implies(p(0), Ltl::until(Ltl::negation(p(1)), inside)));
    assert_eq!(formula, expected);
    let (_, names) = ltl_over_names("F (x == 3) && P.s U P.s && \"a + b\"").unwrap();
    assert_eq!(names, ["x == 3", "P.s", "a + b"]);
    assert_eq!(ltl_over_names("R -> F V").unwrap().1, ["R", "V"]);
    assert_eq!(ltl_over_names("p -> -q").unwrap().1, ["p", "-q"]);
    let (formula, names) = ctl_over_names("AG (p && !q)").unwrap();
    assert_eq!(
        (formula, names.len()),
        (Ctl::always_globally(Ctl::and(Ctl::Proposition(0), Ctl::negation(Ctl::Proposition(1)))), 2)
    );
    let many: Vec<String> = (0..65).map(|number| format!("p{number}")).collect();
    assert_eq!(ltl_over_names(&many[..64].join(" U ")).unwrap().1.len(), 64);
    assert_eq!(ltl_over_names(&many.join(" U ")).unwrap_err()[0].code, codes::TOO_MANY_PROPOSITIONS);
}

#[test]
fn wrong_linear_formulas_are_refused_in_their_place() {
    let model = model();
    for (text, code, place) in [
        ("", codes::EMPTY_FORMULA, ""),
        (" # nothing\n", codes::EMPTY_FORMULA, ""),
        ("F zz", codes::UNKNOWN_NAME, "zz"),
        ("F Sender", codes::UNKNOWN_NAME, "Sender"),
        ("G Sender.bussy", codes::UNKNOWN_LOCATION, "bussy"),
        ("F \"x == zz\"", codes::UNKNOWN_NAME, "zz"),
        ("F \"x ==\" && p", codes::UNEXPECTED_TOKEN, ""),
        ("F \"x", codes::UNCLOSED_QUOTATION, "\""),
        ("F", codes::MISSING_OPERAND, ""),
        ("p U", codes::MISSING_OPERAND, ""),
        ("U p", codes::MISSING_OPERAND, "U"),
        ("p && (U q)", codes::MISSING_OPERAND, "U"),
        ("p -> ", codes::MISSING_OPERAND, ""),
        ("-> p", codes::MISSING_OPERAND, "->"),
        ("p && || q", codes::MISSING_OPERAND, "||"),
        ("()", codes::MISSING_OPERAND, ")"),
        ("G ()", codes::MISSING_OPERAND, ")"),
        ("!", codes::MISSING_OPERAND, ""),
        ("F (p", codes::UNBALANCED, "("),
        ("(F p", codes::UNBALANCED, "("),
        ("F p)", codes::UNBALANCED, ")"),
        ("F (p]", codes::UNBALANCED, "]"),
        ("F x = 1", codes::UNEXPECTED_TOKEN, "="),
        ("F p q", codes::UNEXPECTED_TOKEN, "q"),
        ("F p; G q", codes::UNEXPECTED_TOKEN, ";"),
        ("F {p}", codes::UNEXPECTED_TOKEN, "{"),
        ("F p ? q", codes::UNEXPECTED_TOKEN, "?"),
        ("F p @ q", codes::UNEXPECTED_TOKEN, "@"),
        ("AG p", codes::PATH_QUANTIFIER, "AG"),
        ("G (p -> EF q)", codes::PATH_QUANTIFIER, "EF"),
        ("A[p U q]", codes::PATH_QUANTIFIER, "A"),
        ("E (p U q)", codes::PATH_QUANTIFIER, "E"),
        ("E<> p", codes::PATH_QUANTIFIER, "E"),
        ("(F p) == 1", codes::TEMPORAL_OPERAND, "=="),
        ("x + F p", codes::TEMPORAL_OPERAND, "+"),
        ("-F p", codes::TEMPORAL_OPERAND, "-"),
        ("F p & q", codes::TEMPORAL_OPERAND, "&"),
        ("p | q U r", codes::TEMPORAL_OPERAND, "|"),
        ("p U q ^ r", codes::TEMPORAL_OPERAND, "^"),
        ("F a[G p]", codes::UNEXPECTED_TOKEN, "p"),
    ] {
        assert_eq!(first(text, model.ltl(text)), (code, place), "{text}");
    }
    let errors = model.ltl("F zz && G yy").unwrap_err();
    assert_eq!(errors.len(), 2, "mistakes of both sides come together");
}

#[test]
fn wrong_branching_formulas_are_refused_in_their_place() {
    let model = model();
    for (text, code, place) in [
        ("", codes::EMPTY_FORMULA, ""),
        ("AG EF (x == zz)", codes::UNKNOWN_NAME, "zz"),
        ("AG Sender.bussy", codes::UNKNOWN_LOCATION, "bussy"),
        ("EF Sender", codes::UNKNOWN_NAME, "Sender"),
        ("AG (EF x == 1", codes::UNBALANCED, "("),
        ("AG x = 1", codes::UNEXPECTED_TOKEN, "="),
        ("EF", codes::MISSING_OPERAND, ""),
        ("EF x y", codes::UNEXPECTED_TOKEN, "y"),
        ("AG (EF x) )", codes::UNBALANCED, ")"),
        ("G p", codes::MISSING_QUANTIFIER, "G"),
        ("GF p", codes::MISSING_QUANTIFIER, "GF"),
        ("[] p", codes::MISSING_QUANTIFIER, "[]"),
        ("AG (p -> F q)", codes::MISSING_QUANTIFIER, "F"),
        ("A GF p", codes::MISSING_QUANTIFIER, "GF"),
        ("p U q", codes::MISSING_QUANTIFIER, "U"),
        ("AG (p U q)", codes::MISSING_QUANTIFIER, "U"),
        ("E[p U q U r]", codes::MISSING_QUANTIFIER, "U"),
        ("E[(p U q) and r]", codes::MISSING_QUANTIFIER, "U"),
        ("E p", codes::QUANTIFIER_ALONE, "E"),
        ("A (p)", codes::QUANTIFIER_ALONE, "A"),
        ("A[p]", codes::QUANTIFIER_ALONE, "A"),
        ("E[p U q", codes::UNBALANCED, "["),
        ("E[p U q)", codes::UNBALANCED, ")"),
        ("E[p U ]", codes::MISSING_OPERAND, "]"),
        ("E[U p]", codes::MISSING_OPERAND, "U"),
        ("AG ((EF x) == 1)", codes::TEMPORAL_OPERAND, "=="),
    ] {
        assert_eq!(first(text, model.ctl(text)), (code, place), "{text}");
    }
}

#[test]
fn mistakes_come_with_advice() {
    let model = model();
    let ltl = |text: &str| model.ltl(text).unwrap_err()[0].help.clone().unwrap_or_default();
    let ctl = |text: &str| model.ctl(text).unwrap_err()[0].help.clone().unwrap_or_default();
    assert!(ltl("AG p").starts_with("formulas with `A` and `E` are computation tree logic"));
    assert!(ltl("F p & F q").contains("write `&&`"));
    assert_eq!(ltl("F Sendr->v"), "did you mean `Sender`?");
    assert_eq!(ltl("G EFort"), "did you mean `EFfort`?");
    assert!(ltl("F x = 1").starts_with("`==` compares"));
    assert!(ctl("G p").starts_with("write `AG` for all paths or `EG` for some"));
    assert!(ctl("<> p").starts_with("write `A<>`"));
    assert!(ctl("p W q").starts_with("write `A[f W g]`"));
    assert!(ctl("E p").contains("`E[f U g]`"));
    for text in ["", "F", "(p", "p)", "F \"p", "-F p", "E p"] {
        assert!(!ltl(text).is_empty() && !ctl(text).is_empty(), "{text}");
    }
}

#[test]
fn large_formulas_are_refused_before_they_fill_the_memory() {
    let model = model();
    let codes_of = |text: &str| (model.ltl(text).unwrap_err()[0].code, model.ctl(text).unwrap_err()[0].code);
    let long = format!("p{}", " ".repeat(1 << 20));
    assert_eq!(codes_of(&long), (codes::FORMULA_TOO_LARGE, codes::FORMULA_TOO_LARGE));
    let umlauts = "ü".repeat(1 << 20);
    assert_eq!(codes_of(&umlauts), (codes::FORMULA_TOO_LARGE, codes::FORMULA_TOO_LARGE));
    let doubling = ["X p"; 40].join(" <-> ");
    assert_eq!(model.ltl(&doubling).unwrap_err()[0].code, codes::FORMULA_TOO_LARGE);
    assert_eq!(model.ltl(&["p"; 40].join(" W ")).unwrap_err()[0].code, codes::FORMULA_TOO_LARGE);
    let nested = format!("{}p{}", "A[p U ".repeat(40), "]".repeat(40));
    assert_eq!(model.ctl(&nested).unwrap_err()[0].code, codes::FORMULA_TOO_LARGE);
    let linear = format!("{}p{}", "E[p U ".repeat(80), "]".repeat(80));
    assert!(model.ctl(&linear).is_ok());
    for deep in ["G ", "!", "(", "p U ", "p -> ", "X p && ", "\"p\" R ("] {
        let text = format!("{}p", deep.repeat(5000));
        assert_eq!(model.ltl(&text).unwrap_err()[0].code, codes::NESTED_TOO_DEEPLY, "{deep}");
    }
    assert_eq!(model.ltl(&format!("{} p", "G".repeat(5000))).unwrap_err()[0].code, codes::NESTED_TOO_DEEPLY);
    assert_eq!(
        model.ctl(&format!("{} p", "AGEF".repeat(5000))).unwrap_err()[0].code,
        codes::NESTED_TOO_DEEPLY
    );
    assert!(model.ltl(&format!("{}p", "G ".repeat(250))).is_ok());
}

/// Random formulas about `p` to `s`, in one spelling, with their expected meaning.
fn formulas() -> impl Strategy<Value = (String, Ltl)> {
    let name = prop::sample::select(vec![("p", 0), ("q", 1), ("r", 2), ("s", 3)]);
    let leaf = name.prop_map(|(name, number)| (name.to_owned(), Ltl::Proposition(number)));
    leaf.prop_recursive(5, 24, 2, |inner| {
        let unary = (prop::sample::select(vec!["!", "X ", "<>", "[]", "GF "]), inner.clone()).prop_map(
            |(operator, (text, f))| {
                let meaning = match operator {
                    "!" => Ltl::negation(f),
                    "X " => Ltl::next(f),
                    "<>" => Ltl::finally(f),
                    "[]" => Ltl::globally(f),
                    _ => Ltl::globally(Ltl::finally(f)),
                };
                (format!("{operator}({text})"), meaning)
            },
        );
        let operators = vec!["&&", "||", "->", "<->", "U", "V", "W", "M"];
        let binary = (prop::sample::select(operators), inner.clone(), inner).prop_map(
            |(operator, (left, f), (right, g))| {
                let meaning = match operator {
                    "&&" => Ltl::and(f, g),
                    "||" => Ltl::or(f, g),
                    "->" => Ltl::implies(f, g),
                    "<->" => Ltl::equivalent(f, g),
                    "U" => Ltl::until(f, g),
                    "V" => Ltl::release(f, g),
                    "W" => Ltl::weak_until(f, g),
                    _ => Ltl::strong_release(f, g),
                };
                (format!("({left}) {operator} ({right})"), meaning)
            },
        );
        prop_oneof![unary, binary]
    })
}

/// The same formula with propositions numbered in the order of the text.
fn renumbered(formula: &Ltl, numbers: &[u8]) -> Ltl {
    let inner = |formula: &Ltl| Box::new(renumbered(formula, numbers));
    match formula {
        Ltl::True => Ltl::True,
        Ltl::False => Ltl::False,
        Ltl::Proposition(number) => Ltl::Proposition(numbers[usize::from(*number)]),
        Ltl::Not(f) => Ltl::Not(inner(f)),
        Ltl::And(f, g) => Ltl::And(inner(f), inner(g)),
        Ltl::Or(f, g) => Ltl::Or(inner(f), inner(g)),
        Ltl::Next(f) => Ltl::Next(inner(f)),
        Ltl::Until(f, g) => Ltl::Until(inner(f), inner(g)),
        Ltl::Release(f, g) => Ltl::Release(inner(f), inner(g)),
    }
}

proptest! {
    #[test]
    fn random_formulas_mean_what_they_were_made_from((text, meaning) in formulas()) {
        let (read, names) = ltl_over_names(&text).unwrap();
        let numbers: Vec<u8> =
            names.iter().map(|name| ["p", "q", "r", "s"].iter().position(|one| one == name).unwrap() as u8).collect();
        prop_assert_eq!(renumbered(&read, &numbers), meaning);
        // About a model, parts about one state are joined; the shown text reads back as the same
        // formula.
        let read = model().ltl(&text).unwrap();
        let again = model().ltl(&read.text).unwrap();
        prop_assert_eq!(again.formula, read.formula);
    }
}
