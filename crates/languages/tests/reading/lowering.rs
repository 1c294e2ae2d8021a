//! The meaning of a DVE text as guarded commands.

use crate::support::read_model;
use languages::{Model, format};
use model::guarded_commands::{
    Assignment, BinaryOperator, CellId, DeclaredPropertyKind, Effect, Expression, Shape, Target,
};

fn cell_names(model: &Model) -> Vec<String> {
    (0..model.commands.cells.len()).map(|cell| model.commands.cell_name(CellId(cell as u32))).collect()
}

/// All effects of an action in one line.
fn effects(model: &Model, action: usize) -> String {
    let show = |assignment: &Assignment| match (&assignment.target, &assignment.value) {
        (Target::Cell(cell), Expression::Constant(value)) => {
            format!("{} = {value}", model.commands.cell_name(*cell))
        }
        (Target::Cell(cell), value) => format!("{} = {value:?}", model.commands.cell_name(*cell)),
        (Target::Element { array, .. }, _) => format!("{}[…]", model.commands.variable(*array).name),
    };
    let shown: Vec<String> = model.commands.actions[action]
        .effects
        .iter()
        .map(|effect| match effect {
            Effect::Assign(all) => all.iter().map(show).collect::<Vec<_>>().join(" & "),
            Effect::Push { values, .. } => format!("push {}", values.len()),
            Effect::Pop { targets, .. } => {
                let kept = targets.iter().filter(|target| target.is_some()).count();
                format!("pop {kept} of {}", targets.len())
            }
            Effect::Guard(condition) => format!("guard {condition:?}"),
            Effect::Fail { reason, .. } => format!("fail: {reason}"),
        })
        .collect();
    shown.join("; ")
}

fn action_names(model: &Model) -> Vec<String> {
    (0..model.commands.actions.len())
        .map(|action| model.commands.action_name(model::guarded_commands::ActionId(action as u32)))
        .collect()
}

#[test]
fn cells_come_in_the_order_globals_buffers_processes() {
    let model = read_model(
        "channel {byte, int} q[2]; const byte N = 1 + 1;
         process P { byte j; int k[N]; state s, t; init t; }
         byte a[N] = {7, 300}; int y = -1;
         process Q { state s; init s; }
         system async;",
    );
    assert_eq!(model.format, &format::DVE);
    assert_eq!(model.format.name, "dve");
    let expected = [
        "a[0]", "a[1]", "y", "q.length", "q[0].0", "q[0].1", "q[1].0", "q[1].1", "P", "P.j", "P.k[0]",
        "P.k[1]", "Q",
    ];
    assert_eq!(cell_names(&model), expected);
    assert_eq!(model.commands.initial_state(), [7, 44, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
}

#[test]
fn actions_keep_the_order_of_the_text_and_pair_every_sender_with_every_receiver() {
    let model = read_model(
        "channel c;
         process P { state a, b; init a; trans a -> b { sync c!; }, b -> a {}, -> b { sync c?; }; }
         process Q { state a, b; init a; trans a -> b { sync c?; }, b -> a { sync c?; }, a -> a { sync c!; }; }
         system async;",
    );
    assert_eq!(
        action_names(&model),
        ["P: a -> b | Q: a -> b (c)", "P: a -> b | Q: b -> a (c)", "P: b -> a", "Q: a -> a | P: b -> b (c)"]
    );
}

#[test]
fn in_a_pair_the_message_travels_first_then_the_sender_acts_then_the_receiver() {
    let model = read_model(
        "byte x, y; channel c;
         process P { state s; init s; trans s -> s { guard y == 0; sync c!5; effect x = 1, x = 2; }; }
         process Q { byte m; state s; init s; trans s -> s { guard m == 0; sync c?m; effect y = 3; }; }
         system async;",
    );
    assert_eq!(effects(&model, 0), "Q.m = 5; x = 1; x = 2; y = 3");
    let guards: Vec<usize> =
        model.commands.actions[0].participants.iter().map(|participant| participant.guards.len()).collect();
    assert_eq!(guards, [1, 1]);
}

#[test]
fn a_tuple_arrives_at_once_and_is_cut_to_the_type_of_the_channel() {
    let model = read_model(
        "channel {byte, int} c[0];
         process P { state s; init s; trans s -> s { sync c!{300, 300}; }; }
         process Q { int m; byte n; state s; init s; trans s -> s { sync c?{m, n}; }; }
         system async;",
    );
    // 300 as a byte is 44, even in the int variable; the byte variable cuts by itself.
    assert_eq!(effects(&model, 0), "Q.m = 44 & Q.n = 300");
}

#[test]
fn buffers_guard_themselves_before_the_guards_of_the_user() {
    let model = read_model(
        "channel {byte, byte} q[3]; byte x;
         process P { state s; init s; trans s -> s { guard x == 0; sync q!{1, 2}; effect x = 1; }, s -> s { sync q?; }; }
         system async;",
    );
    assert_eq!(action_names(&model), ["P: s -> s (q)", "P: s -> s (q)"]);
    assert_eq!(effects(&model, 0), "push 2; x = 1");
    assert_eq!(effects(&model, 1), "pop 0 of 2");
    let length = || Expression::Cell(CellId(1));
    let guards = &model.commands.actions[0].participants[0].guards;
    assert_eq!(guards[0], Expression::binary(BinaryOperator::Less, length(), Expression::Constant(3)));
    assert_eq!(guards.len(), 2);
    let guards = &model.commands.actions[1].participants[0].guards;
    assert_eq!(*guards, [Expression::binary(BinaryOperator::Greater, length(), Expression::Constant(0))]);
}

#[test]
fn a_committed_location_never_meets_an_uncommitted_one() {
    let model = read_model(
        "channel c;
         process P { state s, k; init s; commit k; trans s -> k { sync c!; }, k -> s { sync c!; }; }
         process Q { state s, k; init s; commit k; trans s -> k { sync c?; }, k -> s { sync c?; }; }
         system async;",
    );
    assert_eq!(action_names(&model), ["P: s -> k | Q: s -> k (c)", "P: k -> s | Q: k -> s (c)"]);
}

#[test]
fn constants_are_computed_but_run_time_errors_are_kept() {
    let model = read_model("const int N = 3; const byte t[2] = {4, 5}; byte a[4], i; system async;");
    let expression = |text: &str| model.expression(text).unwrap();
    assert_eq!(expression("(N + 1) * 2 - -N"), Expression::Constant(11));
    assert_eq!(expression("t[1] << 2"), Expression::Constant(20));
    assert_eq!(model.commands.cell_name(CellId(2)), "a[0]");
    assert_eq!(expression("a[N - 1]"), Expression::Cell(CellId(4)));
    assert!(matches!(expression("t[i]"), Expression::Element { .. }));
    assert!(matches!(expression("1 / (N - 3)"), Expression::Binary { .. }));
    assert_eq!(expression("false and a[i / 0]"), Expression::Constant(0));
}

#[test]
fn local_names_hide_global_ones_and_states_share_names_with_variables() {
    let model = read_model(
        "byte x = 1;
         process P { byte x = 2, s; state s, x; init s; trans s -> x { guard x == s, P.s; effect x = 3; }; }
         process Q { state s; init s; trans s -> s { effect x = P->x; }; }
         system async;",
    );
    assert_eq!(effects(&model, 0), "P.x = 3");
    assert_eq!(effects(&model, 1), "x = Cell(CellId(2))");
    assert_eq!(model.expression("x").unwrap(), Expression::Cell(CellId(0)));
    assert_eq!(model.expression("P->x").unwrap(), Expression::Cell(CellId(2)));
}

#[test]
fn assertions_become_invariants_with_unique_names() {
    let model = read_model(
        "byte x;
         process P { byte v; state s, t; init s; assert s: x == 0, t: v < 2, s: x < 9; }
         system async;",
    );
    let names: Vec<&str> = model.commands.properties.iter().map(|property| property.name.as_str()).collect();
    assert_eq!(names, ["assert P.s", "assert P.t", "assert P.s#2"]);
    let DeclaredPropertyKind::Invariant(Expression::Binary { operator, left, .. }) =
        &model.commands.properties[1].kind
    else {
        panic!("not an implication");
    };
    assert_eq!(*operator, BinaryOperator::Imply);
    assert_eq!(**left, Expression::cell_equals(CellId(1), 1));
}

#[test]
fn the_property_process_is_an_automaton_and_not_part_of_the_model() {
    let model = read_model(
        "byte x;
         process W { const byte K = 4; state q1, q2; init q2; accept q1, q2;
                     trans q2 -> q1 { guard x == K, P.t; }, q1 -> q1 {}; }
         process P { state s, t; init s; trans s -> t {}; }
         system async property W;",
    );
    assert_eq!(model.commands.processes.len(), 1);
    assert_eq!(cell_names(&model), ["x", "P"]);
    let [property] = model.commands.properties.as_slice() else { panic!("one property") };
    assert_eq!(property.name, "W");
    let DeclaredPropertyKind::NoAcceptedRun(automaton) = &property.kind else { panic!("an automaton") };
    assert_eq!((automaton.initial, automaton.accepting.as_slice()), (1, &[0, 1][..]));
    assert_eq!(automaton.transitions.len(), 2);
    assert_eq!(automaton.transitions[1], (0, 0, Expression::Constant(1)));
    assert!(model.expression("W.q1").is_err());
}

#[test]
fn spans_point_at_the_transition_and_the_declaration() {
    let text = "byte one; process P { state s; init s; trans s -> s { guard one == 0; }; } system async;";
    let model = read_model(text);
    let span = model.commands.actions[0].participants[0].span;
    assert_eq!(&text[span.start as usize..span.end as usize], "s -> s { guard one == 0; }");
    let variable = &model.commands.variables[0];
    assert_eq!(&text[variable.span.start as usize..variable.span.end as usize], "one");
    assert!(matches!(variable.shape, Shape::Scalar(_)));
}
