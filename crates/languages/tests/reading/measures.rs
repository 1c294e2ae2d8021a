//! Measures that can be read, written and read back: orders of values, queues of channels, every
//! cell of every model.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::support::{first, places, read_model, read_space};
use languages::{Automaton, Model, codes};
use model::guarded_commands::{BinaryOperator, CellId, Expression, Shape, Span, UnaryOperator, VariableId};
use model::interpreter::Interpreter;
use model::measure::MeasureKind;
use model::value_order::ValueOrder;
use proptest::prelude::*;

/// Names of all kinds, many of them shared by items of different kinds.
const NAMES: &str =
    "byte x, order, both, a[3], c, init0; int low = -3, process_; const int N = 3; const byte t[2] = {4, 5};
channel {byte} c[2], one[1], both[2]; channel {byte, int} pair[2], Lamp[1]; channel hand; channel {byte} none[0];
process P { int v = -1; byte k[2], order; state NCS, wait, CS; init NCS; }
process both { state s, length; init s; }
process Lamp { byte x; state off, on, length; init on; }
process order_ { state order, x; init x; }
process Watch { state w; init w; }
system async property Watch;";

fn cell(model: &Model, name: &str) -> CellId {
    let cells = (0..model.commands.cells.len() as u32).map(CellId);
    cells.into_iter().find(|cell| model.commands.cell_name(*cell) == name).unwrap()
}

fn order<C: AsRef<[i64]>>(classes: &[C]) -> Arc<ValueOrder> {
    Arc::new(ValueOrder::new(classes).unwrap())
}

fn rank(model: &Model, name: &str, classes: &[&[i64]]) -> Expression {
    Expression::Rank(Box::new(Expression::Cell(cell(model, name))), order(classes))
}

/// The only component of a measure.
fn only(model: &Model, text: &str) -> Expression {
    let measure = model.measure(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    let mut components = measure.components;
    assert_eq!(components.len(), 1, "{text}");
    components.remove(0)
}

/// The error in a wrong measure: code, place and advice.
fn refused(model: &Model, text: &str) -> (&'static str, String, String) {
    let errors = model.measure(text).expect_err(text);
    let (code, place) = first(text, Err::<(), _>(errors.clone()));
    (code, place.to_owned(), errors[0].help.clone().unwrap_or_default())
}

#[test]
fn an_order_gives_values_their_ranks() {
    let model = read_model(NAMES);
    assert_eq!(only(&model, "order(x: 0 < 1, 2 < 5)"), rank(&model, "x", &[&[0], &[1, 2], &[5]]));
    assert_eq!(only(&model, "order(low: 3 < -1,-3)"), rank(&model, "low", &[&[3], &[-3, -1]]));
    assert_eq!(only(&model, "order(P->v:- 1)"), rank(&model, "P.v", &[&[-1]]));
    assert_eq!(only(&model, "order(a[1 + 1]: N < 1)"), rank(&model, "a[2]", &[&[3], &[1]]));
    let largest = "order(x: 9223372036854775807 < 9223372036854775806)";
    assert_eq!(only(&model, largest), rank(&model, "x", &[&[i64::MAX], &[i64::MAX - 1]]));
    assert_eq!(only(&model, "order(2: 1 < 2 < 3)"), Expression::Constant(1), "constants are computed");

    let measure =
        model.measure("(order(x: 0, 1), 2 * order(order(low: 1 < 0): 1 < 0), x)").unwrap().components;
    assert_eq!(measure.len(), 3);
    let value = |text: &str, low: i64| {
        let mut state = model.commands.initial_state();
        state[cell(&model, "low").index()] = low;
        Interpreter::new(&model.commands).evaluate(&only(&model, text), &state).unwrap()
    };
    let ranks = [0, 1, 2, 5, -7].map(|low| value("10 * order(low + 1: 1 < 2, 3) + 1", low));
    assert_eq!(ranks, [1, 11, 11, 21, 21], "values without a place rank above all others");
}

#[test]
fn locations_are_ordered_by_name_or_by_number() {
    let model = read_model(NAMES);
    let expected = rank(&model, "P", &[&[0], &[1, 2]]);
    for text in ["order(P: NCS < wait, CS)", "order(P: 0 < CS, 1)", "order(process P:NCS<CS,wait)"] {
        assert_eq!(only(&model, text), expected, "{text}");
    }
    assert_eq!(only(&model, "order((P): 0 < 77)"), rank(&model, "P", &[&[0], &[77]]));
    assert_eq!(only(&model, "order(order_: x < order)"), rank(&model, "order_", &[&[1], &[0]]));
}

#[test]
fn a_name_in_front_of_a_parenthesis_is_all_that_an_order_takes() {
    let model = read_model(NAMES);
    assert_eq!(only(&model, "order"), Expression::Cell(cell(&model, "order")));
    assert_eq!(model.measure("(order, order + (x))").unwrap().components.len(), 2);
    assert_eq!(only(&model, "order(order: 1 < 0)"), rank(&model, "order", &[&[1], &[0]]));
    assert_eq!(only(&model, "order(P->order: 1 < 0)"), rank(&model, "P.order", &[&[1], &[0]]));
    let text = "order(x: 0 < 1)";
    assert_eq!(first(text, model.expression(text)), (codes::UNEXPECTED_TOKEN, "("));
    let help = model.expression(text).unwrap_err()[0].help.clone();
    assert_eq!(help.as_deref(), Some("only progress measures have orders of values"));
    assert_eq!(first("c.length", model.expression("c.length")), (codes::UNKNOWN_PROCESS, "c"));
}

#[test]
fn buffers_are_read_by_length_message_and_part() {
    let model = read_model(NAMES);
    let same = |text: &str, name: &str| {
        assert_eq!(only(&model, text), Expression::Cell(cell(&model, name)), "{text}");
    };
    same("one.length", "one.length");
    same("one[0]", "one[0]");
    same("one[0].0", "one[0]");
    same("pair[N - 2].1", "pair[1].1");
    same("channel pair[0].1", "pair[0].1");
    // Variables and processes hide channels.
    same("c", "c");
    same("channel c.length", "c.length");
    same("channel c[1]", "c[1]");
    same("channel Lamp.length", "Lamp.length");
    same("Lamp[0].1", "Lamp[0].1");
    assert_eq!(model.measure_text(&[only(&model, "Lamp.length")]), "Lamp.length", "a state of process Lamp");
    // And variables hide processes.
    same("both", "both");
    assert_eq!(only(&model, "process both"), Expression::Cell(CellId(cell(&model, "P").0 + 5)));
    assert_eq!(refused(&model, "c[0]").0, codes::NOT_AN_ARRAY);
}

#[test]
fn wrong_orders_are_refused_in_their_place() {
    let model = read_model(NAMES);
    let check = |text: &str| {
        let (code, place, _) = refused(&model, text);
        (code, place)
    };
    let unexpected = |place: &str| (codes::UNEXPECTED_TOKEN, place.to_owned());
    let grammar = [
        ("order()", ")"),
        ("order(x)", ")"),
        ("order(x:)", ")"),
        ("order(x: 0 < )", ")"),
        ("order(x: 0 < , 1)", ","),
        ("order(x: 0 1)", "1"),
        ("order(x: 0 > 1)", ">"),
        ("order(x: -P)", "P"),
        ("order(x: 0 + 1)", "+"),
        ("order(x, 0 < 1)", ","),
        ("order(x: 0 < 1", ""),
    ];
    for (text, place) in grammar {
        assert_eq!(check(text), unexpected(place), "{text}");
        assert!(refused(&model, text).2.contains("`order(x: 0 < 1, 2 < 5)`"), "{text}");
    }
    let message = model.measure("order(x: )").unwrap_err()[0].message.clone();
    assert_eq!(message, "expected `-`, a number or a name, found `)`");

    assert_eq!(check("order(x: 0 < 1, 0)"), (codes::VALUE_ORDERED_TWICE, "0".into()));
    assert_eq!(check("order(P: NCS < 0)"), (codes::VALUE_ORDERED_TWICE, "0".into()));
    assert_eq!(check("order(x: 3, N)"), (codes::VALUE_ORDERED_TWICE, "N".into()));
    assert_eq!(check("order(x: 0 < 4096, 1)"), (codes::ORDER_TOO_WIDE, "0 < 4096, 1".into()));
    assert!(model.measure("order(x: 0 < 4095)").is_ok());
    assert_eq!(check("order(P: NCS < waits)"), (codes::UNKNOWN_LOCATION, "waits".into()));
    assert_eq!(refused(&model, "order(P: NCS < waits)").2, "did you mean `wait`?");
    assert_eq!(check("order(P: 0 < 3)"), (codes::UNKNOWN_LOCATION, "3".into()));
    assert_eq!(refused(&model, "order(P: -1)").2, "its states have the numbers 0 to 2");
    assert_eq!(check("order((P): NCS)"), (codes::UNKNOWN_NAME, "NCS".into()));
    assert_eq!(check("order(x: NCS < 1)"), (codes::UNKNOWN_NAME, "NCS".into()));
    assert_eq!(check("order(x: low < 1)"), (codes::NOT_CONSTANT, "low".into()));
    assert_eq!(check("order(zz: 0)"), (codes::UNKNOWN_NAME, "zz".into()));
    assert_eq!(
        check("order(x: 9223372036854775808)"),
        (codes::NUMBER_TOO_LARGE, "9223372036854775808".into())
    );
    assert_eq!(check("process Q"), (codes::UNKNOWN_PROCESS, "Q".into()));
    assert_eq!(check("process"), unexpected(""));
    let several = model.measure("(order(yy: 0 < 0), order(P: no < CS, CS))").unwrap_err();
    assert_eq!(several.len(), 4, "mistakes come together: {several:#?}");
}

#[test]
fn wrong_buffers_are_refused_in_their_place() {
    let model = read_model(NAMES);
    let check = |text: &str, code: &str, place: &str| {
        let (found, at, help) = refused(&model, text);
        assert_eq!((found, at.as_str()), (code, place), "{text}");
        help
    };
    let one = "`one.length` counts its messages, and `one[0]` is from the oldest one";
    let pair = "`pair.length` counts its messages, and `pair[0].0` is from the oldest one";
    assert_eq!(check("one", codes::BAD_BUFFER_CELL, "one"), one);
    assert_eq!(check("one.size", codes::BAD_BUFFER_CELL, "size"), one);
    assert_eq!(check("pair[0]", codes::BAD_BUFFER_CELL, "pair[0]"), pair);
    assert_eq!(check("pair[0].2", codes::BAD_BUFFER_CELL, "2"), pair);
    assert!(check("hand.length", codes::BAD_BUFFER_CELL, "hand").contains("no state holds them"));
    assert!(check("none[0]", codes::BAD_BUFFER_CELL, "none").contains("no state holds them"));
    check("one[1]", codes::INDEX_OUT_OF_RANGE, "one[1]");
    check("one[x]", codes::NOT_CONSTANT, "x");
    check("one[0].x", codes::UNEXPECTED_TOKEN, "x");
    check("channel one", codes::UNEXPECTED_TOKEN, "");
    assert_eq!(check("channel pairs.length", codes::UNKNOWN_CHANNEL, "pairs"), "did you mean `pair`?");
    check("a[0].1", codes::UNKNOWN_CHANNEL, "a");
}

#[test]
fn a_file_can_declare_an_order_and_its_errors_point_into_the_file() {
    let text = format!("{NAMES}\n// progress: (order(P: NCS < CS), one.length)\n");
    let model = read_model(&text);
    let progress = model.progress.as_ref().unwrap();
    assert_eq!(progress.components[0], rank(&model, "P", &[&[0], &[2]]));
    assert_eq!(model.measure_text(&progress.components), progress.text);
    let text = format!("{NAMES}\n// progress: order(P: NCS < CSS)\n");
    let found = places(&text, &read_model(&text).progress_errors);
    assert_eq!(found, [(codes::UNKNOWN_LOCATION, text.lines().count(), 29)]);
}

#[test]
fn measures_are_written_as_people_write_them() {
    let model = read_model(NAMES);
    let same = |text: &str| assert_eq!(model.measure_text(&model.measure(text).unwrap().components), text);
    same("order(P: NCS < wait, CS)");
    same("(order(P: CS < NCS), process both, channel c[1], pair[0].1, Lamp, P->k[1])");
    same("order(process both: length < s)");
    same("order(low: 3 < -2, -1)");
    same("order(x - 1: 0 < 1) * 2 + a[x % N]".replace('N', "3").as_str());
    same("(x + 1) * -low - (x - (1 - x)) << 2");
    same("!(x and low) or ~x != - -low".replace("- -", "--").as_str());
    same("P.CS imply Lamp.length");
    same("a[P->k[x]]");
    let text = |measure: &str| model.measure_text(&model.measure(measure).unwrap().components);
    assert_eq!(text("((x) + (low)) && (1 << 40)"), "x + low and 1099511627776");
    assert_eq!(text("-9223372036854775807 - 1"), "(-9223372036854775807 - 1)");
    assert_eq!(text("order((P): 1 < 9)"), "order((P): 1 < 9)", "there is no location 9");
}

#[test]
fn a_conditional_expression_has_a_text() {
    let model = read_model("byte x; process P { state s, t; init s; } system async;");
    let [test, then] = ["P.s or x > 1", "x + 1"].map(|text| only(&model, text));
    let inner = Expression::conditional(only(&model, "x"), Expression::Constant(2), only(&model, "not P.t"));
    let value = Expression::conditional(test, then, inner);
    assert_eq!(model.measure_text(&[value]), "(P.s or x > 1 -> x + 1 : (x -> 2 : !P.t))");
}

#[test]
fn a_summary_cuts_long_components() {
    let locations = (0..20).map(|number| format!("place_{number}")).collect::<Vec<_>>().join(", ");
    let model = read_model(&format!(
        "int x; byte {long}; process P_0 {{ state NCS, try, {locations}; init NCS; }} system async;",
        long = "long".repeat(20)
    ));
    let summary = |measure: &str| model.measure_summary(&model.measure(measure).unwrap().components);
    assert_eq!(summary("(x, order(P_0: NCS < try))"), "(x, order(P_0: NCS < try))");
    let all = format!("order(P_0: NCS < try < {})", locations.replace(',', " <"));
    assert_eq!(summary(&all), "order(P_0: NCS < try < place_0 < …)");
    let level = format!("order(P_0: NCS < {locations})");
    assert_eq!(summary(&level), "order(P_0: NCS < place_0, place_1, …)");
    assert_eq!(summary(&format!("(x, {all})")), "(x, order(P_0: NCS < try < place_0 < …))");
    let sum = vec!["x"; 30].join(" + ");
    assert_eq!(summary(&sum), "x + x + x + x + x + x + x + x + x + x +…");
    let hidden = format!("order({}: 0 < 1)", "long".repeat(20));
    assert_eq!(summary(&hidden), "order(longlonglonglonglonglonglonglongl…");
}

#[test]
fn states_of_a_space_are_ordered_by_their_names() {
    let model = read_space("1 7 2 !p !q * 2\n2 4000000000 2 p !q * 10\n10 8 2 p q * 0\n0 9 2 p q").model();
    let by_name = only(&model, "order(space: 1 < 10 < 2)");
    assert_eq!(by_name, rank(&model, "space", &[&[0], &[2], &[1]]));
    assert_eq!(model.measure_text(std::slice::from_ref(&by_name)), "order(space: 1 < 10 < 2)");
    // 3 is no name, so it is a number.
    assert_eq!(only(&model, "order(space: 3 < 10)"), rank(&model, "space", &[&[3], &[2]]));
    let late = "order(progress: 4000000000 < 3999999999)";
    assert_eq!(model.measure_text(&[only(&model, late)]), late);

    // Names of product states are no words of the language, and are numbered.
    let space = read_space("1 0 1 !p * 2\n2 1 1 p * 1");
    let automaton = Automaton::read("0\n1\n0 true 0 p 1\n1 true 1\n", &space.propositions).unwrap();
    let product = space.product(&automaton).unwrap().model();
    let order = rank(&product, "space", &[&[2], &[0, 1]]);
    let text = product.measure_text(std::slice::from_ref(&order));
    assert_eq!(text, "order((space): 2 < 0, 1)");
    assert_eq!(only(&product, &text), order);
}

/// Models of all kinds, with their names.
static MODELS: LazyLock<Vec<(String, Model)>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dve");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut models: Vec<(String, Model)> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "dve"))
        .map(|path| (path.display().to_string(), read_model(&fs::read_to_string(path).unwrap())))
        .collect();
    assert!(models.len() > 10);
    models.sort_by(|(left, _), (right, _)| left.cmp(right));
    let space =
        read_space("1 0 2 !p progress * a/b\na/b 4000000000 2 p !progress * 01\n01 5 2 p !progress * 1");
    let automaton = Automaton::read("0\n1\n0 true 0 p 1\n1 true 1\n", &space.propositions).unwrap();
    models.push(("product".into(), space.product(&automaton).unwrap().model()));
    models.push(("space".into(), space.model()));
    let numbered = read_space(
        "7 0 1 space * 007\n007 1 1 !space * 1\n1 2 1 space * 2\n2 3 1 space * state\nstate 4 1 space",
    );
    models.push(("numbered".into(), numbered.model()));
    models.push(("names".into(), read_model(NAMES)));
    models
});

#[test]
fn every_cell_of_every_model_has_a_spelling() {
    let mut constants = 0;
    for (name, model) in MODELS.iter() {
        for (number, found) in model.commands.cells.iter().enumerate() {
            let cell = Expression::Cell(CellId(number as u32));
            let text = model.measure_text(std::slice::from_ref(&cell));
            let read = only(model, &text);
            if read != cell {
                assert_eq!(read, Expression::Constant(found.initial), "{name}: {text}");
                constants += 1;
            }
        }
    }
    assert_eq!(constants, 2, "elements of a constant array are computed when they are read");
}

/// A measure made of arbitrary choices. No part of it is constant, since reading computes constant
/// parts.
struct Measures<'m> {
    model: &'m Model,
    choices: std::vec::IntoIter<u32>,
}

impl Measures<'_> {
    /// A number below `bound`; zero when there are no choices left.
    fn choose(&mut self, bound: usize) -> usize {
        self.choices.next().map_or(0, |choice| choice as usize % bound)
    }

    fn cell(&mut self) -> CellId {
        let number = self.choose(self.model.commands.cells.len());
        let name = self.model.commands.cell_name(CellId(number as u32));
        if name.starts_with("t[") { CellId(0) } else { CellId(number as u32) }
    }

    fn constant(&mut self) -> i64 {
        const VALUES: [i64; 8] = [0, 1, -1, 300, -40_000, 1 << 40, i64::MAX, i64::MIN];
        VALUES[self.choose(VALUES.len())]
    }

    fn expression(&mut self, depth: usize) -> Expression {
        match if depth == 0 { 0 } else { self.choose(7) } {
            0 => Expression::Cell(self.cell()),
            1 => self.rank(),
            2 => self.element(depth - 1),
            3 => {
                use UnaryOperator::{Complement, Negate, Not};
                let operator = [Negate, Complement, Not][self.choose(3)];
                Expression::Unary(operator, Box::new(self.expression(depth - 1)))
            }
            _ => self.binary(depth - 1),
        }
    }

    fn binary(&mut self, depth: usize) -> Expression {
        use BinaryOperator::*;
        let all = [
            Add,
            Subtract,
            Multiply,
            Divide,
            Remainder,
            BitAnd,
            BitOr,
            BitXor,
            ShiftLeft,
            ShiftRight,
            Equal,
            NotEqual,
            Less,
            LessOrEqual,
            Greater,
            GreaterOrEqual,
            And,
            Or,
            Imply,
        ];
        let operator = all[self.choose(all.len())];
        let left = self.expression(depth);
        match self.choose(4) {
            0 => Expression::binary(operator, left, Expression::Constant(self.constant())),
            1 if !matches!(operator, And | Or | Imply) => {
                Expression::binary(operator, Expression::Constant(self.constant()), left)
            }
            _ => Expression::binary(operator, left, self.expression(depth)),
        }
    }

    fn element(&mut self, depth: usize) -> Expression {
        let variables = self.model.commands.variables.iter().enumerate();
        let arrays: Vec<u32> = variables
            .filter(|(_, variable)| matches!(variable.shape, Shape::Array { .. }))
            .map(|(number, _)| number as u32)
            .collect();
        if arrays.is_empty() {
            return Expression::Cell(self.cell());
        }
        let array = VariableId(arrays[self.choose(arrays.len())]);
        Expression::Element { array, index: Box::new(self.expression(depth)), span: Span::default() }
    }

    fn rank(&mut self) -> Expression {
        let processes = &self.model.commands.processes;
        let operand = match self.choose(3) {
            0 => Expression::Cell(processes[self.choose(processes.len())].location),
            1 => Expression::Cell(self.cell()),
            _ => self.expression(2),
        };
        let low = [0, 0, 0, -2, 1 << 40, i64::MAX - 5][self.choose(6)];
        let mut values: Vec<i64> = (0..6).map(|offset| low + offset).collect();
        let mut classes = vec![vec![values.remove(self.choose(6))]];
        for _ in 0..self.choose(values.len() + 1) {
            let value = values.remove(self.choose(values.len()));
            match self.choose(3) {
                0 => classes.last_mut().unwrap().push(value),
                _ => classes.push(vec![value]),
            }
        }
        Expression::Rank(Box::new(operand), order(&classes))
    }
}

/// The expression without its spans.
fn placeless(expression: Expression) -> Expression {
    let inside = |one: Box<Expression>| Box::new(placeless(*one));
    match expression {
        Expression::Element { array, index, .. } => {
            Expression::Element { array, index: inside(index), span: Span::default() }
        }
        Expression::Unary(operator, operand) => Expression::Unary(operator, inside(operand)),
        Expression::Binary { operator, left, right, .. } => {
            Expression::binary(operator, placeless(*left), placeless(*right))
        }
        Expression::Rank(operand, order) => Expression::Rank(inside(operand), order),
        leaf => leaf,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn what_is_written_is_read_back(
        number in any::<prop::sample::Index>(),
        components in 1..4_usize,
        choices in prop::collection::vec(any::<u32>(), 0..80),
        vector: bool,
    ) {
        let (name, model) = &MODELS[number.index(MODELS.len())];
        let mut measures = Measures { model, choices: choices.into_iter() };
        let components: Vec<Expression> = (0..components).map(|_| measures.expression(5)).collect();
        let is_vector = vector && components.len() > 1;
        let kind = if is_vector { MeasureKind::Product } else { MeasureKind::Lexicographic };
        let text = model.measure_text_of_kind(&components, kind);
        let read = model.measure(&text).unwrap_or_else(|errors| panic!("{name}: {text}: {errors:#?}"));
        prop_assert_eq!(read.kind, kind);
        let read: Vec<Expression> = read.components.into_iter().map(placeless).collect();
        prop_assert_eq!(&read, &components, "{}: {}", name, text);
        let longest = 44 * components.len() + 2;
        prop_assert!(model.measure_summary(&components).chars().count() <= longest);
    }
}
