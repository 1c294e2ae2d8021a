//! Random models of the kind that can be reduced: several processes that seldom touch what others
//! use.
//!
//! Some are nets, with one process and places that transitions take from and put to.

use model::guarded_commands::{
    Action, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType, Location,
    LocationId, LocationKind, Overflow, Participant, ProcessId, Shape, Span, Target,
};
use model::random::Random;

/// A model that depends on the seed only.
pub fn loose_model(seed: u64) -> GuardedCommands {
    let mut random = Random::new(seed);
    if random.below(3) == 0 { net(&mut random) } else { processes(&mut random) }
}

/// A model of processes with guards between effects and intermediate locations.
pub fn merged_model(seed: u64) -> GuardedCommands {
    let mut random = Random::new(seed);
    let mut model = processes(&mut random);
    let cells = model.cells.len();
    let with_atomic = random.below(2) == 0;
    for process in &mut model.processes {
        for location in process.locations.iter_mut().skip(1) {
            if with_atomic && random.below(3) == 0 {
                location.kind = LocationKind::Intermediate;
            }
        }
    }
    // One process has control.
    for action in &mut model.actions {
        for one in action.participants.iter_mut().skip(1) {
            let kind = model.processes[one.process.0 as usize].locations[one.to.0 as usize].kind;
            if kind == LocationKind::Intermediate {
                one.to = LocationId(0);
            }
        }
    }
    for action in &mut model.actions {
        if random.below(3) == 0 {
            let place = random.below(action.effects.len() + 1);
            let condition = guard(&mut random, CellId(0));
            let cell = CellId(random.below(cells) as u32);
            let condition = if random.below(2) == 0 { condition } else { guard(&mut random, cell) };
            action.effects.insert(place, Effect::Guard(condition));
            if random.below(16) == 0 {
                let reason = "it went wrong".to_owned();
                action.effects.push(Effect::Fail { reason, span: Span::default() });
            }
        }
    }
    model
}

const SMALL: IntegerType = IntegerType { bits: 2, signed: false };

fn processes(random: &mut Random) -> GuardedCommands {
    let mut model = GuardedCommands::default();
    let count = 2 + random.below(3);
    let shared = random.below(3) as u32;
    for number in 0..shared {
        model.add_variable(format!("g{number}"), None, Shape::Scalar(SMALL), &[], Span::default());
    }
    let array = (random.below(3) == 0).then(|| {
        let shape = Shape::Array { element: SMALL, length: count as u32 };
        model.add_variable("a", None, shape, &[], Span::default())
    });
    let queue = (random.below(4) == 0).then(|| {
        let shape = Shape::Queue { fields: vec![SMALL], capacity: 2 };
        model.add_variable("q", None, shape, &[], Span::default())
    });
    let errs = random.below(4) == 0;
    let commits = random.below(5) == 0;
    let mut locals = Vec::new();
    for number in 0..count {
        let locations = 2 + random.below(3);
        let locations = (0..locations).map(|location| Location {
            name: format!("l{location}"),
            kind: if commits && location > 0 && random.below(3) == 0 {
                LocationKind::Committed
            } else {
                LocationKind::Ordinary
            },
            span: Span::default(),
        });
        let locations = locations.collect();
        let process = model.add_process(format!("P{number}"), locations, LocationId(0), Span::default());
        let local = model.add_variable("x", Some(process), Shape::Scalar(SMALL), &[], Span::default());
        locals.push(model.variable(local).first_cell);
    }
    for (process, &own) in locals.iter().enumerate() {
        let locations = model.processes[process].locations.len();
        for from in 0..locations {
            for _ in 0..random.below(3) {
                let to = if random.below(2) == 0 { (from + 1) % locations } else { random.below(locations) };
                let participant = |process: usize, from: usize, to: usize| Participant {
                    process: ProcessId(process as u32),
                    from: LocationId(from as u32),
                    to: LocationId(to as u32),
                    guards: Vec::new(),
                    span: Span::default(),
                };
                let mut participants = vec![participant(process, from, to)];
                if random.below(5) == 0 {
                    let other = (process + 1 + random.below(count - 1)) % count;
                    let locations = model.processes[other].locations.len();
                    participants.push(participant(other, random.below(locations), random.below(locations)));
                }
                let mut effects = Vec::new();
                let any = |random: &mut Random| match random.below(4) {
                    0 if shared > 0 => CellId(random.below(shared as usize) as u32),
                    1 if array.is_some() => {
                        let first = model.variable(array.unwrap()).first_cell.0;
                        CellId(first + random.below(count) as u32)
                    }
                    _ => own,
                };
                for participant in &mut participants {
                    for _ in 0..random.below(2) {
                        let cell = any(random);
                        participant.guards.push(guard(random, cell));
                    }
                }
                for _ in 0..random.below(3) {
                    let cell = any(random);
                    let value = match random.below(4) {
                        0 => Expression::Constant(random.below(4) as i64),
                        1 => Expression::Cell(any(random)),
                        2 => binary(BinaryOperator::Subtract, Expression::Cell(cell), 1),
                        _ => binary(BinaryOperator::Add, Expression::Cell(cell), 1),
                    };
                    effects.push(Effect::Assign(vec![Assignment { target: Target::Cell(cell), value }]));
                }
                if let Some(array) = array.filter(|_| random.below(4) == 0) {
                    let index = if errs && random.below(2) == 0 {
                        Expression::Cell(own)
                    } else {
                        Expression::Constant(random.below(count) as i64)
                    };
                    let target = Target::Element { array, index, span: Span::default() };
                    let value = Expression::Cell(own);
                    effects.push(Effect::Assign(vec![Assignment { target, value }]));
                } else if let Some(array) = array.filter(|_| errs && random.below(4) == 0) {
                    let index = Box::new(Expression::Cell(own));
                    let element = Expression::Element { array, index, span: Span::default() };
                    participants[0].guards.push(binary(BinaryOperator::Less, element, 2));
                }
                if let Some(queue) = queue.filter(|_| random.below(3) == 0) {
                    let length = Expression::Cell(model.variable(queue).first_cell);
                    if random.below(2) == 0 {
                        participants[0].guards.push(binary(BinaryOperator::Less, length, 2));
                        effects.insert(0, Effect::Push { queue, values: vec![Expression::Cell(own)] });
                    } else {
                        participants[0].guards.push(binary(BinaryOperator::Greater, length, 0));
                        effects.insert(0, Effect::Pop { queue, targets: vec![Some(Target::Cell(own))] });
                    }
                }
                model.actions.push(Action { participants, effects, channel: None, name: None });
            }
        }
    }
    if errs && random.below(3) == 0 {
        let cell = locals[random.below(count)];
        model.cells[cell.index()].overflow = Overflow::IsError;
    }
    if model.actions.is_empty() {
        return processes(random);
    }
    model
}

fn binary(operator: BinaryOperator, left: Expression, right: i64) -> Expression {
    Expression::binary(operator, left, Expression::Constant(right))
}

fn guard(random: &mut Random, cell: CellId) -> Expression {
    const OPERATORS: [BinaryOperator; 5] = [
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
        BinaryOperator::Less,
        BinaryOperator::GreaterOrEqual,
        BinaryOperator::Greater,
    ];
    let simple = |random: &mut Random| {
        binary(OPERATORS[random.below(5)], Expression::Cell(cell), random.below(4) as i64)
    };
    match random.below(6) {
        0 => Expression::binary(BinaryOperator::Or, simple(random), simple(random)),
        1 => Expression::binary(BinaryOperator::And, simple(random), simple(random)),
        2 => simple(random).negated(),
        _ => simple(random),
    }
}

/// A net that keeps its tokens, in places that can hold them all; or one that may overflow, which
/// is then an error or wraps around.
fn net(random: &mut Random) -> GuardedCommands {
    let mut model = GuardedCommands::default();
    let places = 3 + random.below(5);
    let kind = random.below(4);
    let overflow = [Overflow::IsExcluded, Overflow::IsExcluded, Overflow::IsError, Overflow::Wraps][kind];
    let mut left = 3;
    for place in 0..places {
        let tokens = random.below(left + 1);
        left -= tokens;
        let shape = Shape::Scalar(SMALL);
        let variable =
            model.add_variable(format!("p{place}"), None, shape, &[tokens as i64], Span::default());
        let cell = model.variable(variable).first_cell;
        model.cells[cell.index()].overflow = overflow;
    }
    let location = Location { name: "net".into(), kind: LocationKind::Ordinary, span: Span::default() };
    let process = model.add_process("net", vec![location], LocationId(0), Span::default());
    for _ in 0..2 + random.below(7) {
        let mut changes = vec![0; places];
        let mut guards = Vec::new();
        for _ in 0..1 + random.below(2) {
            let (from, to) = (random.below(places), random.below(places));
            changes[from] -= 1;
            changes[to] += 1;
            if kind >= 2 && random.below(6) == 0 {
                changes[to] += 1;
            }
        }
        for (place, change) in changes.iter().enumerate() {
            let wanted = -change + i64::from(random.below(8) == 0);
            let tokens = Expression::Cell(CellId(place as u32));
            if wanted > 0 {
                guards.push(binary(BinaryOperator::GreaterOrEqual, tokens, wanted));
            } else if random.below(10) == 0 {
                guards.push(binary(BinaryOperator::Less, tokens, 1 + random.below(3) as i64));
            }
        }
        let at = LocationId(0);
        let participant = Participant { process, from: at, to: at, guards, span: Span::default() };
        let changes =
            changes.iter().enumerate().filter(|(_, change)| **change != 0).map(|(place, change)| {
                let cell = CellId(place as u32);
                let value = match *change {
                    // All that it can hold.
                    -3 => Expression::Constant(0),
                    change if change < 0 => binary(BinaryOperator::Subtract, Expression::Cell(cell), -change),
                    change => binary(BinaryOperator::Add, Expression::Cell(cell), change),
                };
                Assignment { target: Target::Cell(cell), value }
            });
        let changes: Vec<Assignment> = changes.collect();
        let effects = if changes.is_empty() { Vec::new() } else { vec![Effect::Assign(changes)] };
        model.actions.push(Action { participants: vec![participant], effects, channel: None, name: None });
    }
    model
}
