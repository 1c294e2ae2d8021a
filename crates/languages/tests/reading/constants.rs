//! Values for constants that are not in the text.

use languages::{Diagnostic, Model, ReadOptions, codes, format, read_model_with};
use model::guarded_commands::Expression;

const FAMILY: &str =
    "const int N = 3, LAST = N - 1; const byte table[2] = {1, 2}; const byte SMALL = 300 / 0;
byte forks[N] = {1, 2, 3}, first = N;
process P { const byte OWN = 1; byte own[N]; state s; init s; trans s -> s { guard first == LAST; }; }
system async;";

fn read(text: &str, constants: &[(&str, i64)]) -> Result<Model, Vec<Diagnostic>> {
    let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    read_model_with(text, &ReadOptions { constants, ..ReadOptions::default() })
}

fn refused(constants: &[(&str, i64)]) -> Vec<Diagnostic> {
    let mut all = constants.to_vec();
    all.push(("SMALL", 1));
    read(FAMILY, &all).map(|_| ()).unwrap_err()
}

#[test]
fn everything_that_depends_on_a_constant_follows() {
    let model = read(FAMILY, &[("N", 5), ("SMALL", 1)]).unwrap();
    let cells = model.commands.initial_state();
    // table, forks, first, then P with its own.
    assert_eq!(cells, [1, 2, 1, 2, 3, 0, 0, 5, 0, 0, 0, 0, 0, 0]);
    assert_eq!(model.expression("LAST + N").unwrap(), Expression::Constant(9));
}

#[test]
fn the_value_in_the_file_is_not_even_computed() {
    assert_eq!(read(FAMILY, &[]).unwrap_err()[0].code, codes::NOT_CONSTANT);
    assert!(read(FAMILY, &[("SMALL", 255)]).is_ok());
}

#[test]
fn the_last_value_counts() {
    let model = read(FAMILY, &[("N", 5), ("SMALL", 1), ("N", 4)]).unwrap();
    assert_eq!(model.expression("N").unwrap(), Expression::Constant(4));
}

#[test]
fn sizes_from_outside_are_checked_like_any_others() {
    let errors = refused(&[("N", 0)]);
    assert!(errors.iter().all(|error| error.code == codes::BAD_SIZE), "{errors:?}");
    assert_eq!(&FAMILY[errors[0].span.start as usize..][..3], "N] ");
}

#[test]
fn names_that_are_no_constant_are_refused_at_the_start_of_the_text() {
    let errors = refused(&[("LSAT", 1), ("nothing", 2)]);
    let found: Vec<_> = errors.iter().map(|error| (error.code, error.span.start, error.span.end)).collect();
    assert_eq!(found, [(codes::UNKNOWN_CONSTANT, 0, 0), (codes::UNKNOWN_CONSTANT, 0, 0)]);
    assert_eq!(errors[0].message, "no global constant `LSAT` in this model");
    assert_eq!(
        errors[0].help.as_deref(),
        Some("did you mean `LAST`? the model has `N`, `LAST`, `SMALL`"),
        "{errors:?}"
    );
    assert_eq!(errors[1].help.as_deref(), Some("the model has `N`, `LAST`, `SMALL`"));
    let none = read("system async;", &[("N", 1)]).unwrap_err();
    assert!(none[0].help.as_deref().unwrap().starts_with("the model has no global constants"));
}

#[test]
fn what_is_no_single_global_constant_is_refused_where_it_is_declared() {
    let at = |name: &str, start: &str| {
        let errors = refused(&[(name, 1)]);
        assert_eq!(errors[0].code, codes::UNKNOWN_CONSTANT);
        assert!(FAMILY[errors[0].span.start as usize..].starts_with(start), "{errors:?}");
        errors[0].help.clone().unwrap()
    };
    assert_eq!(at("first", "first = N"), "declare it with `const` to set `first` from outside");
    assert_eq!(at("table", "table[2]"), "only constants that hold one number can be set");
    assert_eq!(at("OWN", "const int N"), "process `P` has one, but only global constants can be set");
}

#[test]
fn values_must_fit_the_type() {
    let errors = refused(&[("N", 40_000)]);
    assert_eq!(errors.len(), 1, "what depends on it is not at fault: {errors:?}");
    assert_eq!(errors[0].code, codes::CONSTANT_OUT_OF_RANGE);
    assert_eq!(errors[0].label, "holds -32768 to 32767");
    assert!(FAMILY[errors[0].span.start as usize..].starts_with("N = 3"));
    assert_eq!(read(FAMILY, &[("SMALL", -1)]).unwrap_err()[0].code, codes::CONSTANT_OUT_OF_RANGE);
    assert_eq!(read(FAMILY, &[("SMALL", i64::MIN)]).unwrap_err()[0].code, codes::CONSTANT_OUT_OF_RANGE);
}

#[test]
fn a_state_space_has_no_constants() {
    let constants = vec![("N".to_owned(), 1)];
    let options = ReadOptions { format: &format::STATE_SPACE, constants, ..ReadOptions::default() };
    let errors = read_model_with("1 0 0", &options).unwrap_err();
    assert_eq!(errors[0].code, codes::UNKNOWN_CONSTANT);
}
