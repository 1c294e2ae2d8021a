//! Progress measures: lists, names of processes, and declarations in files.

use crate::support::{cell_of, first, read_model};
use languages::{Model, codes};
use model::guarded_commands::{BinaryOperator, Expression, Span};
use model::measure::MeasureKind;

const TEXT: &str = "byte x, y, a[3], both;
process Sender { byte v; state idle, busy; init idle; }
process both { state s; init s; }
process Watch { state w; init w; }
system async property Watch;";

fn model() -> Model {
    read_model(TEXT)
}

fn cell(name: &str) -> Expression {
    cell_of(&model(), name)
}

#[test]
fn a_measure_is_an_expression_or_a_list() {
    let model = model();
    assert_eq!(model.measure("x").unwrap().components, [cell("x")]);
    assert_eq!(model.measure(" ((x)) ").unwrap().components, [cell("x")]);
    assert_eq!(model.measure("(x, y,\na[1])").unwrap().components, [cell("x"), cell("y"), cell("a[1]")]);
    assert_eq!(model.measure("(x) + (y)").unwrap().components.len(), 1);
    assert_eq!(model.measure("((x) + 1, Sender->v)").unwrap().components[1], cell("Sender.v"));
    assert!(matches!(model.measure("Sender.busy").unwrap().components[0], Expression::Binary { .. }));
}

#[test]
fn brackets_make_a_measure_a_vector() {
    let model = model();
    let vector = model.measure(" [x, (y) + 1,\na[1]] ").unwrap();
    assert_eq!((vector.components.len(), vector.kind), (3, MeasureKind::Product));
    assert_eq!(vector.components[2], cell("a[1]"));
    assert_eq!(model.measure_text_of_kind(&vector.components, vector.kind), "[x, y + 1, a[1]]");
    assert_eq!(vector.pack(&model.commands).unwrap().kind(), MeasureKind::Product);
    assert_eq!(model.measure("(x, y)").unwrap().kind, MeasureKind::Lexicographic);
    // A single component is compared in one way only.
    let single = model.measure("[x]").unwrap();
    assert_eq!((single.components, single.kind), (vec![cell("x")], MeasureKind::Lexicographic));
    let check = |text: &'static str| first(text, model.measure(text));
    assert_eq!(check("[x, zz]"), (codes::UNKNOWN_NAME, "zz"));
    assert_eq!(check("[x, y] + 1"), (codes::UNEXPECTED_TOKEN, "+"));
    assert_eq!(check("[]"), (codes::UNEXPECTED_TOKEN, "]"));
    assert_eq!(check("[x, y"), (codes::UNEXPECTED_TOKEN, ""));
    assert_eq!(check("[x, [y, x]]"), (codes::UNEXPECTED_TOKEN, "["));
    assert_eq!(check("[(x, y), x]"), (codes::UNEXPECTED_TOKEN, ","));
    let text = format!("{TEXT}\n// progress: [Sender, 2 * x]\n");
    let progress = read_model(&text).progress.unwrap();
    assert_eq!((progress.text.as_str(), progress.kind), ("[Sender, 2 * x]", MeasureKind::Product));
    assert_eq!(progress.expressions().pack(&model.commands).unwrap().kind(), MeasureKind::Product);
}

#[test]
fn in_a_measure_a_process_is_the_number_of_its_location() {
    let model = model();
    assert_eq!(model.measure("Sender").unwrap().components, [cell("Sender")]);
    assert!(matches!(model.measure("(2 * Sender, x)").unwrap().components[0], Expression::Binary { .. }));
    // A variable hides a process of the same name.
    assert_eq!(model.measure("both").unwrap().components, [model.expression("both").unwrap()]);
    assert_eq!(first("Watch", model.measure("Watch")), (codes::UNKNOWN_NAME, "Watch"));
    assert_eq!(first("Sender[0]", model.measure("Sender[0]")), (codes::UNKNOWN_NAME, "Sender"));
}

#[test]
fn elsewhere_a_process_alone_is_refused_with_a_way_out() {
    let errors = model().expression("x == Sender").unwrap_err();
    assert_eq!((errors[0].code, errors[0].span), (codes::UNKNOWN_NAME, Span::new(5, 11)));
    let help = "`Sender` is a process: `Sender.idle` is 1 while it is in `idle`";
    assert_eq!(errors[0].help.as_deref(), Some(help));
    assert_eq!(first("EF Sender", model().ctl("EF Sender")), (codes::UNKNOWN_NAME, "Sender"));
}

#[test]
fn bad_measures_are_refused_in_their_place() {
    let model = model();
    let check = |text: &'static str| first(text, model.measure(text));
    assert_eq!(check("(x, zz, y)"), (codes::UNKNOWN_NAME, "zz"));
    assert_eq!(check("x +"), (codes::UNEXPECTED_TOKEN, ""));
    assert_eq!(check(""), (codes::UNEXPECTED_TOKEN, ""));
    assert_eq!(check("(x, y) + 1"), (codes::UNEXPECTED_TOKEN, "+"));
    assert_eq!(check("(x, )"), (codes::UNEXPECTED_TOKEN, ")"));
    for list in ["x, y", "(x, (y, x))", "((x, y))"] {
        let errors = model.measure(list).unwrap_err();
        let help = "enclose a list of measures in one pair of parentheses or brackets: `(a, b, c)`";
        assert_eq!((errors[0].code, errors[0].help.as_deref()), (codes::UNEXPECTED_TOKEN, Some(help)));
    }
    let errors = model.measure("(nn, x + mm)").unwrap_err();
    assert_eq!(errors.len(), 2, "mistakes of both components come together");
}

#[test]
fn a_file_declares_its_measure_in_a_comment() {
    let text = format!("{TEXT}\r\n   // progress: (Sender, 2 * x)  \r\n");
    let progress = read_model(&text).progress.unwrap();
    assert_eq!(progress.text, "(Sender, 2 * x)");
    assert_eq!(&text[progress.span.start as usize..progress.span.end as usize], progress.text);
    assert_eq!(progress.components[0], cell("Sender"));
    let Expression::Binary { operator, span, .. } = &progress.components[1] else { panic!("a product") };
    assert_eq!(*operator, BinaryOperator::Multiply);
    assert_eq!(&text[span.start as usize..span.end as usize], "2 * x");
    assert_eq!(model().progress, None);
}

#[test]
fn a_wrong_declaration_is_reported_in_its_place_and_spares_the_model() {
    let places = |text: &str| {
        let model = read_model(text);
        assert_eq!(model.progress, None);
        crate::support::places(text, &model.progress_errors)
    };
    assert_eq!(places("byte x;\n // progress: x + zz\nsystem async;"), [(codes::UNKNOWN_NAME, 2, 19)]);
    assert_eq!(places("byte x;\n// progress: x +\nsystem async;"), [(codes::UNEXPECTED_TOKEN, 2, 17)]);
    assert_eq!(places("//progress:\nsystem async;"), [(codes::UNEXPECTED_TOKEN, 1, 12)]);
    assert_eq!(places("// progress: x ; y\nbyte x; system async;"), [(codes::UNEXPECTED_TOKEN, 1, 16)]);
    let twice = "byte x; // progress: x\n// progress: y\nsystem async;";
    assert_eq!(places(twice), [(codes::REPEATED_MEASURE, 2, 14)]);
}

#[test]
fn a_comment_that_is_nearly_a_measure_is_a_warning() {
    let warned = |comment: &str| {
        let warnings = read_model(&format!("byte x; {comment}\nsystem async;")).warnings;
        warnings.first().map(|warning| (warning.code, warning.span.end - warning.span.start))
    };
    assert_eq!(warned("// Progress: x"), Some((codes::NEARLY_A_MEASURE, 8)));
    assert_eq!(warned("//progress : x"), Some((codes::NEARLY_A_MEASURE, 8)));
    for comment in ["// progress: x", "// progress is x", "// no progress: x", "// progré", "//"] {
        assert_eq!(warned(comment), None, "{comment}");
    }
}
