//! Each rule by which a measure is proved never to fall, and the doubt where it does not apply.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::sync::Arc;

use engine::progress::{Raise, control_orders, prove_monotone, static_measure};
use model::guarded_commands::{
    Action, ActionId, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType,
    Location, LocationId, LocationKind, Participant, ProcessId, Shape, Span, Target, UnaryOperator,
    VariableId,
};
use model::value_order::ValueOrder;

use BinaryOperator::{Add, Equal, Greater, Less, NotEqual, Or, Remainder, Subtract};

const BYTE: IntegerType = IntegerType::BYTE;
const INT: IntegerType = IntegerType { bits: 32, signed: true };

/// Two bytes, two wide integers, an array of three bytes, a queue for two bytes, and a process.
const X: u32 = 0;
const Y: u32 = 1;
const W: u32 = 2;
const V: u32 = 3;
const A: VariableId = VariableId(4);
const A0: u32 = 4;
const Q: VariableId = VariableId(5);
const Q_LENGTH: u32 = 7;
const P: u32 = 10;

fn model(locations: u32) -> GuardedCommands {
    let mut model = GuardedCommands::default();
    for (name, integer) in [("x", BYTE), ("y", BYTE), ("w", INT), ("v", INT)] {
        model.add_variable(name, None, Shape::Scalar(integer), &[], Span::default());
    }
    model.add_variable("a", None, Shape::Array { element: BYTE, length: 3 }, &[], Span::default());
    let queue = Shape::Queue { fields: vec![BYTE], capacity: 2 };
    model.add_variable("q", None, queue, &[], Span::default());
    add_process(&mut model, locations);
    model
}

fn add_process(model: &mut GuardedCommands, locations: u32) -> ProcessId {
    let location =
        |number| Location { name: format!("l{number}"), kind: LocationKind::Ordinary, span: Span::default() };
    model.add_process("P", (0..locations).map(location).collect(), LocationId(0), Span::default())
}

fn add(model: &mut GuardedCommands, from: u32, to: u32, guards: Vec<Expression>, effects: Vec<Effect>) {
    let start = 10 * model.actions.len();
    let (from, to, span) = (LocationId(from), LocationId(to), Span::new(start, start + 5));
    let participant = Participant { process: ProcessId(0), from, to, guards, span };
    model.actions.push(Action { participants: vec![participant], effects, channel: None, name: None });
}

/// A model of one location with these actions.
fn with(actions: Vec<(Vec<Expression>, Vec<Effect>)>) -> GuardedCommands {
    let mut model = model(1);
    for (guards, effects) in actions {
        add(&mut model, 0, 0, guards, effects);
    }
    model
}

fn cell(number: u32) -> Expression {
    Expression::Cell(CellId(number))
}

fn number(value: i64) -> Expression {
    Expression::Constant(value)
}

fn op(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    Expression::binary(operator, left, right)
}

fn plus(cell_number: u32, value: i64) -> Expression {
    op(Add, cell(cell_number), number(value))
}

fn negated(operand: Expression) -> Expression {
    Expression::Unary(UnaryOperator::Negate, Box::new(operand))
}

fn ranked(operand: Expression, classes: &[&[i64]]) -> Expression {
    Expression::Rank(Box::new(operand), Arc::new(ValueOrder::new(classes).unwrap()))
}

fn set(cell: u32, value: Expression) -> Effect {
    Effect::Assign(vec![Assignment { target: Target::Cell(CellId(cell)), value }])
}

fn element(index: Expression) -> Expression {
    Expression::Element { array: A, index: Box::new(index), span: Span::default() }
}

fn set_element(index: Expression, value: Expression) -> Effect {
    let target = Target::Element { array: A, index, span: Span::default() };
    Effect::Assign(vec![Assignment { target, value }])
}

fn proved(model: &GuardedCommands, components: &[Expression]) -> bool {
    prove_monotone(model, components).is_ok()
}

#[test]
fn a_counter_rises_until_it_wraps_around() {
    let free = with(vec![(vec![], vec![set(X, plus(X, 1))])]);
    assert!(!proved(&free, &[cell(X)]));
    let guarded = with(vec![(vec![op(Less, cell(X), number(255))], vec![set(X, plus(X, 1))])]);
    assert!(proved(&guarded, &[cell(X)]));
    assert!(!proved(&guarded, &[negated(cell(X))]));
    // 254 + 2 is 0.
    let by_two = with(vec![(vec![op(Less, cell(X), number(255))], vec![set(X, plus(X, 2))])]);
    assert!(!proved(&by_two, &[cell(X)]));
}

#[test]
fn wide_counters_are_compared_by_distance() {
    let up = |guard, by| with(vec![(vec![guard], vec![set(W, plus(W, by))])]);
    let below = |limit| op(Less, cell(W), number(limit));
    assert!(proved(&up(below(1 << 20), 1), &[cell(W)]));
    assert!(proved(&up(below((1 << 31) - 1), 1), &[cell(W)]));
    assert!(!proved(&up(number(1), 1), &[cell(W)]), "wraps around");
    assert!(!proved(&up(below(1 << 20), -1), &[cell(W)]), "falls");
    let above = op(Greater, cell(W), number(-(1 << 20)));
    assert!(proved(&up(above, -3), &[op(Subtract, number(7), cell(W))]));
    // The bound may be given by a sum.
    let sum = op(Less, plus(W, 5), number(1 << 20));
    assert!(proved(&up(sum, 3), &[cell(W)]));
}

#[test]
fn a_wide_cell_takes_a_greater_value() {
    let take = |operator| {
        let mut model = with(vec![
            (vec![op(operator, cell(W), cell(V))], vec![set(W, cell(V))]),
            (vec![op(Less, cell(V), number(1 << 20))], vec![set(V, plus(V, 7))]),
        ]);
        model.cells[V as usize].initial = 5;
        model
    };
    assert!(proved(&take(Less), &[cell(W)]));
    assert!(proved(&take(Less), &[op(Add, cell(W), cell(V))]));
    assert!(!proved(&take(NotEqual), &[cell(W)]));
    let proof = prove_monotone(&take(BinaryOperator::LessOrEqual), &[cell(W)]).unwrap();
    assert_eq!(proof.raised_by(0)[0].raise, Raise::Sometimes);
}

#[test]
fn a_guarded_constant_and_a_flag_rise() {
    let jump =
        |limit, value| with(vec![(vec![op(Less, cell(X), number(limit))], vec![set(X, number(value))])]);
    assert!(proved(&jump(9, 9), &[cell(X)]));
    assert!(proved(&jump(9, 200), &[cell(X)]));
    // After 8 comes 7.
    let mut down = jump(9, 7);
    down.cells[X as usize].initial = 8;
    assert!(!proved(&down, &[cell(X)]));
    let flag = with(vec![(vec![], vec![set(X, number(1))]), (vec![cell(X)], vec![set(Y, cell(X))])]);
    let proof = prove_monotone(&flag, &[cell(X), cell(Y)]).unwrap();
    let raises: Vec<_> = proof.components().iter().map(|one| (one[0].action, one[0].raise)).collect();
    assert_eq!(raises, [(ActionId(0), Raise::Sometimes), (ActionId(1), Raise::Sometimes)]);
    assert_eq!(proof.spans(1), [Span::new(10, 15)]);
}

#[test]
fn orders_are_compared_by_rank() {
    let step = |from: i64, to: i64| (vec![op(Equal, cell(X), number(from))], vec![set(X, number(to))]);
    let model = with(vec![step(0, 5), step(5, 3), step(3, 9), step(3, 0)]);
    assert!(!proved(&model, &[ranked(cell(X), &[&[0], &[5], &[3], &[9]])]));
    assert!(proved(&model, &[ranked(cell(X), &[&[0, 5, 3], &[9]])]));
    assert!(proved(&model, &[negated(ranked(negated(cell(X)), &[&[-9], &[0, -3, -5]]))]));
    // The values that are not named rank highest.
    assert!(proved(&model, &[ranked(cell(X), &[&[0, 5, 3]])]));
    assert!(!proved(&model, &[ranked(cell(X), &[&[9]])]));
}

#[test]
fn modulo_and_either_or_are_followed_value_by_value() {
    let ring = op(Remainder, plus(X, 1), number(4));
    let model = with(vec![(vec![], vec![set(X, ring.clone())])]);
    assert!(!proved(&model, &[cell(X)]));
    let unless = with(vec![(vec![op(NotEqual, cell(X), number(3))], vec![set(X, ring)])]);
    assert!(proved(&unless, &[cell(X)]));
    let either = op(Or, op(Equal, cell(X), number(0)), op(Equal, cell(X), number(2)));
    assert!(proved(&with(vec![(vec![either], vec![set(X, number(2))])]), &[cell(X)]));
}

#[test]
fn a_swap_reads_before_it_writes() {
    let swap = |guards| {
        let both = [(X, Y), (Y, X)];
        let one = |(to, from)| Assignment { target: Target::Cell(CellId(to)), value: cell(from) };
        let mut model = with(vec![(guards, vec![Effect::Assign(both.map(one).into())])]);
        model.cells[Y as usize].initial = 3;
        model
    };
    assert!(!proved(&swap(vec![]), &[cell(X)]));
    let sorted = swap(vec![op(Less, cell(X), cell(Y))]);
    assert!(proved(&sorted, &[cell(X)]));
    assert!(proved(&sorted, &[negated(cell(Y))]));
    assert!(!proved(&sorted, &[cell(Y)]));
    assert!(proved(&swap(vec![]), &[op(Add, cell(X), cell(Y))]), "the sum stays, case by case");
}

#[test]
fn effects_see_the_ones_before() {
    let model = with(vec![(
        vec![op(Less, cell(X), number(9))],
        vec![set(Y, plus(X, 1)), set(X, number(0)), set(X, cell(Y))],
    )]);
    assert!(proved(&model, &[cell(X)]));
    assert!(!proved(&model, &[cell(Y), cell(X)]), "nothing relates y to x before the step");
}

#[test]
fn elements_with_known_and_unknown_index() {
    let next = (vec![], vec![set(Y, op(Remainder, plus(Y, 1), number(3)))]);
    let count = |index: Expression| {
        let few = op(Less, element(index.clone()), number(9));
        let more = set_element(index.clone(), op(Add, element(index), number(1)));
        with(vec![next.clone(), (vec![few], vec![more])])
    };
    let elements = [cell(A0), cell(A0 + 1), cell(A0 + 2)];
    assert!(proved(&count(number(1)), &elements));
    assert!(proved(&count(cell(Y)), &elements));
    assert!(proved(&count(op(Remainder, plus(Y, 2), number(3))), &elements));
    let free = with(vec![next, (vec![], vec![set_element(cell(Y), plus(X, 1)), set(X, number(4))])]);
    assert!(!proved(&free, &[cell(A0)]));
    // Known to be another one.
    let other =
        with(vec![(vec![], vec![set_element(number(1), number(7)), set_element(number(1), number(3))])]);
    assert!(proved(&other, &[cell(A0), cell(A0 + 2)]));
    // The element is 7 only in the midst of a step.
    assert!(proved(&other, &[cell(A0 + 1)]));
}

#[test]
fn an_index_that_the_action_moves_first() {
    let model = with(vec![(
        vec![op(Less, cell(Y), number(2))],
        vec![set_element(cell(Y), number(5)), set(Y, plus(Y, 1)), set_element(cell(Y), number(2))],
    )]);
    assert!(proved(&model, &[cell(Y)]));
    assert!(!proved(&model, &[negated(cell(A0 + 1))]), "2 becomes 5");
    assert!(proved(&model, &[cell(A0)]), "only the first write hits it");
    assert!(proved(&model, &[cell(A0 + 2)]), "only the second one hits it");
}

#[test]
fn queues_grow_and_shrink_and_their_messages_move() {
    let push = |value| Effect::Push { queue: Q, values: vec![value] };
    let room = op(Less, cell(Q_LENGTH), number(2));
    let some = op(Greater, cell(Q_LENGTH), number(0));
    let pop = |target| Effect::Pop { queue: Q, targets: vec![target] };
    let filling = with(vec![(vec![room.clone()], vec![push(number(4))])]);
    assert!(proved(&filling, &[cell(Q_LENGTH), cell(Q_LENGTH + 1), cell(Q_LENGTH + 2)]));
    assert!(!proved(&filling, &[negated(cell(Q_LENGTH))]));
    let both = with(vec![(vec![room], vec![push(number(4))]), (vec![some], vec![pop(None)])]);
    for offset in 0..3 {
        assert!(!proved(&both, &[cell(Q_LENGTH + offset)]), "{offset}");
        assert!(!proved(&both, &[negated(cell(Q_LENGTH + offset))]), "{offset}");
    }
    // What comes out of a queue is anything that was put in.
    let through = |first: i64| {
        let room = op(Less, cell(Q_LENGTH), number(2));
        let some = op(Greater, cell(Q_LENGTH), number(0));
        let take = pop(Some(Target::Cell(CellId(X))));
        let limit = op(Less, cell(X), number(4));
        with(vec![(vec![room], vec![push(number(first))]), (vec![some, limit], vec![take])])
    };
    assert!(proved(&through(4), &[ranked(cell(X), &[&[0, 1, 2, 3], &[4]])]));
    assert!(!proved(&through(4), &[cell(X)]), "an interval from 0 to 4");
    assert!(!proved(&through(4), &[negated(cell(X))]));
}

#[test]
fn a_guard_about_a_message_says_nothing_about_the_next_one() {
    // The first message is 1 when the step begins; x becomes the one behind it.
    let room = op(Less, cell(Q_LENGTH), number(2));
    let some = op(Greater, cell(Q_LENGTH), number(0));
    let push = |value| vec![Effect::Push { queue: Q, values: vec![value] }];
    let is_one = op(Equal, cell(Q_LENGTH + 1), number(1));
    let pop = Effect::Pop { queue: Q, targets: vec![None] };
    let mut model = with(vec![
        (vec![room.clone()], push(number(1))),
        (vec![room], push(number(0))),
        (vec![some, is_one], vec![pop, set(X, cell(Q_LENGTH + 1))]),
    ]);
    model.cells[X as usize].initial = 1;
    assert!(!proved(&model, &[cell(X)]));
}

#[test]
fn a_guard_about_an_element_says_nothing_after_a_write() {
    let turn = set(Y, op(Remainder, plus(Y, 1), number(3)));
    let spoil = |effect: Effect| {
        let is_one = op(Equal, element(cell(Y)), number(1));
        let mut model =
            with(vec![(vec![], vec![turn.clone()]), (vec![is_one], vec![effect, set(X, element(cell(Y)))])]);
        model.cells[X as usize].initial = 1;
        model.cells[A0 as usize].initial = 2;
        model.cells[A0 as usize + 1].initial = 1;
        model
    };
    assert!(proved(&spoil(set(W, number(3))), &[cell(X)]));
    assert!(!proved(&spoil(set(A0 + 1, number(0))), &[cell(X)]));
    assert!(!proved(&spoil(set_element(cell(Y), number(0))), &[cell(X)]));
    assert!(!proved(&spoil(turn.clone()), &[cell(X)]));
}

#[test]
fn messages_that_are_there_from_the_beginning_come_out() {
    let some = op(Greater, cell(Q_LENGTH), number(0));
    let pop = Effect::Pop { queue: Q, targets: vec![Some(Target::Cell(CellId(X)))] };
    let mut model = with(vec![(vec![some], vec![pop])]);
    for (cell, initial) in [(Q_LENGTH, 2), (Q_LENGTH + 1, 4), (Q_LENGTH + 2, 7), (X, 9)] {
        model.cells[cell as usize].initial = initial;
    }
    assert!(!proved(&model, &[ranked(cell(X), &[&[7]])]), "x becomes 7");
    assert!(proved(&model, &[ranked(cell(X), &[&[8]])]));
}

#[test]
fn what_does_not_fit_into_64_bits_is_doubted() {
    let model = with(vec![(vec![op(Less, cell(W), number(1 << 20))], vec![set(W, plus(W, 1))])]);
    let far = op(Add, cell(W), number(i64::MAX - 5));
    assert!(!proved(&model, &[far]), "this sum wraps around");
    assert!(proved(&model, &[op(Add, cell(W), number(1 << 40))]));
}

#[test]
fn locations_move_last_and_only_where_their_participants_stand() {
    let mut ring = model(3);
    add(&mut ring, 0, 1, vec![], vec![]);
    add(&mut ring, 1, 2, vec![], vec![]);
    assert!(proved(&ring, &[cell(P)]));
    add(&mut ring, 2, 0, vec![], vec![]);
    let doubt = prove_monotone(&ring, &[cell(X), cell(P)]).unwrap_err();
    assert_eq!((doubt.action, doubt.component, &doubt.spans[..]), (ActionId(2), 1, &[Span::new(20, 25)][..]));
    // Each round is counted: the counter decides before the location may fall.
    ring.actions[2].effects.push(set(X, plus(X, 1)));
    assert!(!proved(&ring, &[cell(X), cell(P)]));
    ring.actions[2].participants[0].guards.push(op(Less, cell(X), number(20)));
    let proof = prove_monotone(&ring, &[cell(X), cell(P)]).unwrap();
    assert_eq!(proof.spans(0), [Span::new(20, 25)]);
    assert_eq!(proof.spans(1), [Span::new(0, 5), Span::new(10, 15)]);
    assert_eq!(proof.raised_by(0)[0].raise, Raise::Always);
}

#[test]
fn participants_move_together_or_not_at_all() {
    let mut both = model(2);
    let other = add_process(&mut both, 2);
    let location = both.process(other).location.0;
    add(&mut both, 0, 1, vec![], vec![]);
    let back = Participant {
        process: other,
        from: LocationId(0),
        to: LocationId(1),
        guards: vec![],
        span: Span::new(70, 80),
    };
    both.actions[0].participants.push(back.clone());
    let (from, to) = (LocationId(1), LocationId(0));
    let back = Participant { from, to, ..back };
    both.actions.push(Action { participants: vec![back], effects: vec![], channel: None, name: None });
    assert!(proved(&both, &[cell(P)]) && !proved(&both, &[cell(P), cell(location)]));
    // A committed and an uncommitted location have no common step.
    add(&mut both, 1, 0, vec![], vec![]);
    let from_start =
        Participant { from: LocationId(0), to: LocationId(0), ..both.actions[1].participants[0].clone() };
    both.actions[2].participants.push(from_start);
    assert!(!proved(&both, &[cell(P)]));
    both.processes[0].locations[1].kind = LocationKind::Committed;
    assert!(proved(&both, &[cell(P)]));
}

#[test]
fn cases_in_which_an_expression_stays_decide_about_the_rest() {
    // x may go from 0 to 1, and then y falls; where x stays at 1, y rises.
    let y_of_x = op(BinaryOperator::Multiply, cell(X), op(Add, cell(Y), number(1)));
    let model = with(vec![(vec![op(Less, cell(Y), number(9))], vec![set(Y, y_of_x), set(X, number(1))])]);
    assert!(proved(&model, &[cell(X), cell(Y)]));
    assert!(!proved(&model, &[cell(Y), cell(X)]));
}

#[test]
fn a_counter_cuts_a_loop_and_the_locations_inside_get_an_order() {
    let mut model = model(4);
    add(&mut model, 0, 1, vec![], vec![]);
    add(&mut model, 1, 2, vec![], vec![]);
    add(&mut model, 2, 1, vec![op(Less, cell(X), number(20))], vec![set(X, plus(X, 1))]);
    add(&mut model, 2, 3, vec![], vec![]);
    let measure = static_measure(&model);
    let shown: Vec<(CellId, Vec<u32>)> =
        measure.iter().map(|one| (one.cell, one.raised_by.iter().map(|action| action.0).collect())).collect();
    assert_eq!(shown, [(CellId(P), vec![0, 3]), (CellId(X), vec![2]), (CellId(P), vec![1])]);
    let components: Vec<Expression> = measure.into_iter().map(|one| one.expression).collect();
    assert_eq!(components[0], ranked(cell(P), &[&[0], &[1, 2], &[3]]));
    assert_eq!(components[1], cell(X));
    assert!(proved(&model, &components));
    // A way back that is not counted leaves the locations alone.
    add(&mut model, 3, 0, vec![], vec![]);
    assert!(!proved(&model, &components));
    assert!(static_measure(&model).iter().all(|one| one.cell == CellId(X)));
}

#[test]
fn static_measures_take_wide_cells_both_ways() {
    let up = (vec![op(Less, cell(W), number(1 << 20))], vec![set(W, plus(W, 2))]);
    let down = (vec![op(Greater, cell(V), number(-(1 << 20)))], vec![set(V, plus(V, -1))]);
    let model = with(vec![up, down]);
    let components: Vec<Expression> = static_measure(&model).into_iter().map(|one| one.expression).collect();
    assert_eq!(components, [negated(cell(V)), cell(W)], "fewest values first");
}

#[test]
fn control_orders_are_reverse_post_orders() {
    let mut model = model(4);
    add_process(&mut model, 1);
    for (from, to) in [(0, 2), (2, 1), (1, 0), (1, 3), (3, 2)] {
        add(&mut model, from, to, vec![], vec![]);
    }
    assert_eq!(control_orders(&model), [ranked(cell(P), &[&[0], &[2], &[1], &[3]])]);
}

#[test]
fn a_guard_between_effects_says_what_was_written() {
    let below = |limit| Effect::Guard(op(Less, cell(X), number(limit)));
    let not_zero = Effect::Guard(op(Greater, cell(X), number(0)));
    assert!(proved(&with(vec![(vec![], vec![set(X, plus(X, 1)), not_zero])]), &[cell(X)]));
    // Before the effects it is like any other.
    assert!(proved(&with(vec![(vec![], vec![below(255), set(X, plus(X, 1))])]), &[cell(X)]));
    assert!(proved(
        &with(vec![(vec![], vec![set(Y, number(3)), below(255), set(X, plus(X, 1))])]),
        &[cell(X)]
    ));
    // It says nothing about the value before the step: 4 may become 1.
    let by_copy = vec![set(X, number(1)), below(2)];
    assert!(!proved(&with(vec![(vec![], by_copy), (vec![], vec![set(X, number(4))])]), &[cell(X)]));
}
