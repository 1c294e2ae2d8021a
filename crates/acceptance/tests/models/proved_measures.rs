//! What is proved never to fall never falls: on random models, on models that were spoilt on
//! purpose, and on the corpora.
//!
//! A wrong proof would make a sweep forget states that it meets again, so every claim is compared
//! with the steps that the interpreter takes. The random models of the other tests are wild, and
//! little can be proved about them; a second kind is made of what people write (counters, flags,
//! locks, messages), so that many proofs succeed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::random_model::random_model;
use engine::check::{OnRuntimeError, Plan, SweepPlan, check};
use engine::explore::sweep::OnRegress;
use engine::progress::{ExpressionMeasure, control_orders, prove_monotone, static_measure};
use model::guarded_commands::{
    Action, ActionId, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType,
    Location, LocationId, LocationKind, Participant, ProcessId, Shape, Span, Target, UnaryOperator,
    VariableId,
};
use model::interpreter::Interpreter;
use model::value_order::ValueOrder;
use native_code::Compiled;
use oracles::Beem;

/// States of a random model that are looked at.
const MOST_STATES: usize = 1_000;

/// A random model with fewer states than this says little.
const FEW_STATES: usize = 8;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % limit
    }

    fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 0
    }
}

/// The first states of a model, breadth-first, and all steps between them. Erroneous steps lead
/// nowhere.
struct Steps {
    states: Vec<Vec<i64>>,
    steps: Vec<(usize, ActionId, usize)>,
}

impl Steps {
    fn of(model: &GuardedCommands) -> Self {
        let interpreter = Interpreter::new(model);
        let initial = model.initial_state();
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut found = Self { states: vec![initial], steps: Vec::new() };
        let mut next = 0;
        while next < found.states.len() {
            for (action, successor) in interpreter.successors(&found.states[next]) {
                let Ok(successor) = successor else { continue };
                let number = match numbers.get(&successor) {
                    Some(number) => *number,
                    None if found.states.len() >= MOST_STATES => continue,
                    None => {
                        numbers.insert(successor.clone(), found.states.len());
                        found.states.push(successor);
                        found.states.len() - 1
                    }
                };
                found.steps.push((next, action, number));
            }
            next += 1;
        }
        found
    }

    /// A step that lowers the tuple.
    fn fall(&self, model: &GuardedCommands, components: &[Expression]) -> Option<String> {
        let interpreter = Interpreter::new(model);
        let value = |state: &Vec<i64>| -> Option<Vec<i64>> {
            components.iter().map(|one| interpreter.evaluate(one, state).ok()).collect()
        };
        let values: Vec<Option<Vec<i64>>> = self.states.iter().map(value).collect();
        self.steps.iter().find_map(|(from, action, to)| {
            let (before, after) = (values[*from].as_ref()?, values[*to].as_ref()?);
            let states = || format!("{:?} to {:?}", self.states[*from], self.states[*to]);
            (after < before).then(|| format!("{action:?}: {before:?} to {after:?}, {}", states()))
        })
    }
}

fn cell(number: usize) -> Expression {
    Expression::Cell(CellId(number as u32))
}

fn negated(operand: Expression) -> Expression {
    Expression::Unary(UnaryOperator::Negate, Box::new(operand))
}

fn constant(value: i64) -> Expression {
    Expression::Constant(value)
}

/// An expression to be tried as part of a measure: most are about one cell.
fn random_component(model: &GuardedCommands, steps: &Steps, random: &mut Random) -> Expression {
    let number = random.below(model.cells.len());
    let mut seen: Vec<i64> = steps.states.iter().map(|state| state[number]).collect();
    seen.sort_unstable();
    seen.dedup();
    let operand = match random.below(8) {
        0 => negated(cell(number)),
        1 => Expression::binary(BinaryOperator::Subtract, constant(3), cell(number)),
        _ => cell(number),
    };
    match random.below(8) {
        0 => operand,
        1 => Expression::binary(BinaryOperator::Add, operand, cell(random.below(model.cells.len()))),
        2 => {
            let operators = [
                BinaryOperator::BitAnd,
                BinaryOperator::Divide,
                BinaryOperator::Remainder,
                BinaryOperator::Greater,
                BinaryOperator::Multiply,
            ];
            let right = constant(random.below(4) as i64 + 1);
            Expression::binary(operators[random.below(operators.len())], operand, right)
        }
        // A set that is never left, or a random order of what occurs.
        way => {
            let classes = if way < 6 { 2 } else { 4 };
            let mut order = vec![Vec::new(); classes];
            for value in seen {
                let value = if operand == cell(number) { value } else { -value };
                order[random.below(classes)].push(value);
            }
            match ValueOrder::new(&order) {
                Some(order) => Expression::Rank(Box::new(operand), Arc::new(order)),
                None => operand,
            }
        }
    }
}

#[derive(Debug, Default)]
struct Tally {
    models: usize,
    states: usize,
    measures: usize,
    tried: usize,
    accepted: usize,
    accepted_rising: usize,
}

fn confirm(seed: u64, model: &GuardedCommands, random: &mut Random, tally: &mut Tally) {
    let steps = Steps::of(model);
    if steps.states.len() < FEW_STATES {
        return;
    }
    let measure: Vec<Expression> = static_measure(model).into_iter().map(|one| one.expression).collect();
    tally.models += 1;
    tally.states += steps.states.len();
    if !measure.is_empty() {
        tally.measures += 1;
        prove_monotone(model, &measure).unwrap();
        ExpressionMeasure::new(model, &measure).unwrap();
        assert_eq!(steps.fall(model, &measure), None, "seed {seed}: {measure:?}\n{model:#?}");
    }
    for _ in 0..12 {
        let mut components: Vec<Expression> =
            (0..1 + random.below(3)).map(|_| random_component(model, &steps, random)).collect();
        if random.one_in(3) {
            components.splice(0..0, measure.iter().take(1 + random.below(3)).cloned());
        }
        tally.tried += 1;
        let Ok(proof) = prove_monotone(model, &components) else { continue };
        tally.accepted += 1;
        assert_eq!(steps.fall(model, &components), None, "seed {seed}: {components:?}\n{model:#?}");
        let interpreter = Interpreter::new(model);
        for (from, action, to) in &steps.steps {
            // Every action that raises a component, and changes none before it, is named.
            let value = |state: usize, component: &Expression| {
                interpreter.evaluate(component, &steps.states[state]).ok()
            };
            let differs = |one: &Expression| value(*from, one) != value(*to, one);
            if let Some(component) = components.iter().position(differs) {
                let named = proof.raised_by(component).iter().any(|one| one.action == *action);
                assert!(named, "seed {seed}: {action:?} raises {component} of {components:?}");
                tally.accepted_rising += 1;
            }
        }
    }
}

#[test]
fn proofs_about_wild_random_models_hold() {
    let mut tally = Tally::default();
    for seed in 1..12_000 {
        confirm(seed, &random_model(seed * 77), &mut Random(seed), &mut tally);
    }
    eprintln!("wild random models: {tally:?}");
    assert!(tally.models > 1_000 && tally.measures > 200 && tally.accepted > 1_000, "{tally:?}");
}

#[test]
fn proofs_about_tame_random_models_hold() {
    let mut tally = Tally::default();
    for seed in 1..6_000 {
        confirm(seed, &tame_model(seed * 77), &mut Random(seed), &mut tally);
    }
    eprintln!("tame random models: {tally:?}");
    assert!(tally.models > 1_000 && tally.measures > 500 && tally.accepted_rising > 10_000, "{tally:?}");
}

/// A model of what people write: `x`, `y`, `i`, `w`, an array, a queue, and processes that mostly
/// go forward.
struct Tame {
    random: Random,
    model: GuardedCommands,
    array: VariableId,
    queue: VariableId,
}

const SCALARS: usize = 4;
/// The one that is an index.
const INDEX: usize = 2;
const LENGTH: u32 = 3;
const CAPACITY: i64 = 2;

fn tame_model(seed: u64) -> GuardedCommands {
    let mut model = GuardedCommands::default();
    let types =
        [IntegerType::BYTE, IntegerType { bits: 3, signed: true }, IntegerType::BYTE, IntegerType::SHORT];
    for (name, integer) in ["x", "y", "i", "w"].into_iter().zip(types) {
        model.add_variable(name, None, Shape::Scalar(integer), &[], Span::default());
    }
    let bits = IntegerType { bits: 2, signed: false };
    let shape = Shape::Array { element: bits, length: LENGTH };
    let array = model.add_variable("a", None, shape, &[0, 1], Span::default());
    let shape =
        Shape::Queue { fields: vec![IntegerType { bits: 3, signed: false }], capacity: CAPACITY as u32 };
    // Some queues are full from the beginning.
    let initial: &[i64] = if seed.is_multiple_of(5) { &[2, 4, 7] } else { &[] };
    let queue = model.add_variable("q", None, shape, initial, Span::default());
    Tame { random: Random(seed | 1), model, array, queue }.build()
}

impl Tame {
    fn build(mut self) -> GuardedCommands {
        let processes = 1 + self.random.below(2);
        let with_commits = self.random.one_in(5);
        for number in 0..processes {
            let locations = (0..2 + self.random.below(4))
                .map(|location| Location {
                    name: format!("l{location}"),
                    kind: if with_commits && location > 0 && self.random.one_in(3) {
                        LocationKind::Committed
                    } else {
                        LocationKind::Ordinary
                    },
                    span: Span::default(),
                })
                .collect();
            self.model.add_process(format!("P{number}"), locations, LocationId(0), Span::default());
        }
        for _ in 0..4 + self.random.below(9) {
            let action = self.action(processes);
            self.model.actions.push(action);
        }
        self.model
    }

    fn action(&mut self, processes: usize) -> Action {
        let first = self.random.below(processes);
        let mut participants = vec![self.participant(first)];
        if processes > 1 && self.random.one_in(4) {
            participants.push(self.participant(1 - first));
        }
        let mut effects = Vec::new();
        for _ in 0..self.random.below(4) {
            let effect = self.effect();
            let length = Expression::Cell(self.model.variable(self.queue).first_cell);
            let is_queue = |effect: &Effect| matches!(effect, Effect::Push { .. } | Effect::Pop { .. });
            if is_queue(&effect) && effects.iter().any(is_queue) {
                continue;
            }
            let guards = &mut participants[0].guards;
            match effect {
                Effect::Push { .. } => {
                    guards.push(Expression::binary(BinaryOperator::Less, length, constant(CAPACITY)));
                }
                Effect::Pop { .. } => {
                    guards.push(Expression::binary(BinaryOperator::Greater, length, constant(0)));
                }
                Effect::Assign(_) | Effect::Guard(_) | Effect::Fail { .. } => {}
            }
            effects.push(effect);
        }
        Action { participants, effects, channel: None, name: None }
    }

    fn participant(&mut self, process: usize) -> Participant {
        let locations = self.model.processes[process].locations.len();
        let from = if self.random.one_in(2) { 0 } else { self.random.below(locations) };
        let forward = (from + 1).min(locations - 1);
        let to = if self.random.one_in(5) { self.random.below(locations) } else { forward };
        let guards = (0..self.random.below(3)).map(|_| self.guard()).collect();
        let (from, to) = (LocationId(from as u32), LocationId(to as u32));
        Participant { process: ProcessId(process as u32), from, to, guards, span: Span::default() }
    }

    fn element(&mut self) -> Expression {
        let index = self.index();
        Expression::Element { array: self.array, index: Box::new(index), span: Span::default() }
    }

    fn index(&mut self) -> Expression {
        match self.random.below(4) {
            0 => constant(self.random.below(3) as i64),
            1 => Expression::binary(BinaryOperator::Remainder, cell(0), constant(3)),
            _ => cell(INDEX),
        }
    }

    fn operand(&mut self) -> Expression {
        let first_message = self.model.variable(self.queue).first_cell.index() + 1;
        match self.random.below(8) {
            0..3 => constant(self.random.below(5) as i64),
            3 => self.element(),
            4 => cell(first_message + self.random.below(CAPACITY as usize)),
            _ => cell(self.random.below(SCALARS)),
        }
    }

    fn guard(&mut self) -> Expression {
        use BinaryOperator as Op;
        let operators =
            [Op::Less, Op::Less, Op::LessOrEqual, Op::Greater, Op::GreaterOrEqual, Op::Equal, Op::NotEqual];
        let left = if self.random.one_in(4) { self.element() } else { cell(self.random.below(SCALARS)) };
        let right = self.operand();
        let one = Expression::binary(operators[self.random.below(operators.len())], left, right);
        match self.random.below(10) {
            0 => Expression::binary(Op::Or, one, self.guard()),
            1 => Expression::binary(Op::And, one, self.guard()),
            2 => Expression::binary(Op::Imply, one, self.guard()),
            3 => one.negated(),
            4 => self.operand(),
            5 => {
                let sum = Expression::binary(Op::Add, cell(self.random.below(SCALARS)), constant(2));
                Expression::binary(Op::Less, sum, self.operand())
            }
            _ => one,
        }
    }

    fn effect(&mut self) -> Effect {
        let scalar = self.random.below(SCALARS);
        let set = |number: usize, value| Assignment { target: Target::Cell(CellId(number as u32)), value };
        let sum = |one, other| Expression::binary(BinaryOperator::Add, one, constant(other));
        let modulo = |one, other| Expression::binary(BinaryOperator::Remainder, one, constant(other));
        Effect::Assign(match self.random.below(15) {
            0..3 => vec![set(scalar, sum(cell(scalar), 1 + self.random.below(2) as i64))],
            3 if self.random.one_in(2) => vec![set(scalar, sum(cell(scalar), -1))],
            4 => vec![set(scalar, constant(self.random.below(5) as i64))],
            5 => vec![set(scalar, self.operand())],
            6 => vec![set(INDEX, modulo(sum(cell(INDEX), 1), i64::from(LENGTH)))],
            7 => vec![set(scalar, modulo(sum(cell(scalar), 1), 4))],
            8 => {
                let other = self.random.below(SCALARS);
                vec![set(scalar, cell(other)), set(other, cell(scalar))]
            }
            11 => return Effect::Guard(self.guard()),
            9 => return Effect::Push { queue: self.queue, values: vec![self.operand()] },
            10 => {
                let target = match self.random.below(3) {
                    0 => None,
                    1 => Some(Target::Cell(CellId(scalar as u32))),
                    _ => {
                        let index = self.index();
                        Some(Target::Element { array: self.array, index, span: Span::default() })
                    }
                };
                return Effect::Pop { queue: self.queue, targets: vec![target] };
            }
            _ => {
                let index = self.index();
                let read = Expression::Element {
                    array: self.array,
                    index: Box::new(index.clone()),
                    span: Span::default(),
                };
                let value = if self.random.one_in(2) { sum(read, 1) } else { self.operand() };
                let target = Target::Element { array: self.array, index, span: Span::default() };
                vec![Assignment { target, value }]
            }
        })
    }
}

/// The model with a step that goes back: a location before, or a cell of the measure set to
/// something lower.
fn spoilt(model: &GuardedCommands, steps: &Steps, cells: &[CellId], random: &mut Random) -> GuardedCommands {
    let mut model = model.clone();
    let cell = cells[random.below(cells.len())];
    // An action that fires, from a location that is reached.
    let (state, action, _) = steps.steps[random.below(steps.steps.len())];
    if let Shape::Location(process) = model.variable(model.cells[cell.index()].variable).shape {
        let locations = model.process(process).locations.len();
        let from = LocationId(steps.states[state][cell.index()] as u32);
        let to = LocationId(random.below(locations) as u32);
        let participant = Participant { process, from, to, guards: Vec::new(), span: Span::default() };
        model.actions.push(Action {
            participants: vec![participant],
            effects: Vec::new(),
            channel: None,
            name: None,
        });
        return model;
    }
    let value = match random.below(3) {
        0 => constant(0),
        1 => Expression::binary(BinaryOperator::Subtract, Expression::Cell(cell), constant(1)),
        _ => Expression::binary(BinaryOperator::Add, Expression::Cell(cell), constant(1)),
    };
    let spoiling = Effect::Assign(vec![Assignment { target: Target::Cell(cell), value }]);
    let effects = &mut model.actions[action.0 as usize].effects;
    let position = random.below(effects.len() + 1);
    effects.insert(position, spoiling);
    model
}

#[test]
fn a_step_back_is_noticed() {
    let (mut refused, mut kept) = (0, 0);
    for seed in 1..4_000 {
        let model = tame_model(seed * 13);
        let random = &mut Random(seed);
        let measure = static_measure(&model);
        let is_queue = |cell: &CellId| {
            matches!(model.variable(model.cells[cell.index()].variable).shape, Shape::Queue { .. })
        };
        let cells: Vec<CellId> = measure.iter().map(|one| one.cell).filter(|cell| !is_queue(cell)).collect();
        let steps = Steps::of(&model);
        if cells.is_empty() || steps.states.len() < FEW_STATES {
            continue;
        }
        let components: Vec<Expression> = measure.into_iter().map(|one| one.expression).collect();
        for _ in 0..3 {
            let model = spoilt(&model, &steps, &cells, random);
            if prove_monotone(&model, &components).is_err() {
                refused += 1;
                continue;
            }
            kept += 1;
            let fall = Steps::of(&model).fall(&model, &components);
            assert_eq!(fall, None, "seed {seed}: {components:?}\n{model:#?}");
        }
    }
    eprintln!("spoilt models: {refused} proofs refused, {kept} rightly kept");
    assert!(refused > 500 && kept > 500, "{refused} {kept}");
}

/// Sweeps with the static measure, which must not fall; its number of expressions, and how long it
/// took to find.
fn sweep(name: &str, model: &GuardedCommands, states: Option<u64>) -> (usize, Duration) {
    let start = Instant::now();
    let components: Vec<Expression> = static_measure(model).into_iter().map(|one| one.expression).collect();
    let taken = start.elapsed();
    if components.is_empty() {
        return (0, taken);
    }
    let proof = prove_monotone(model, &components).unwrap();
    assert!(proof.components().iter().any(|raised| !raised.is_empty()), "{name}");
    let measure = ExpressionMeasure::new(model, &components).unwrap();
    let plan = Plan {
        search: SweepPlan { measure: Some(measure), on_regress: OnRegress::Stop, ..SweepPlan::default() }
            .into(),
        on_runtime_error: OnRuntimeError::GoOn,
        explore_all: true,
        ..Plan::default()
    };
    let outcome = check(model, &Compiled, &[], &plan, &mut ()).unwrap();
    let fall = outcome.regress.map(|regress| (regress.before, regress.after));
    assert_eq!(fall, None, "{name}: {components:?}");
    assert!(outcome.complete, "{name}");
    if let Some(states) = states {
        assert_eq!(outcome.figures.distinct, Some(states), "{name}");
    }
    (components.len(), taken)
}

fn dve_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "dve"));
    files.sort();
    files
}

fn read(path: &Path) -> GuardedCommands {
    languages::read_model(&std::fs::read_to_string(path).unwrap()).unwrap().commands
}

#[test]
fn static_measures_of_our_models_never_fall() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dve");
    for file in dve_files(&folder) {
        let name = file.file_name().unwrap().to_string_lossy();
        let model = read(&file);
        let (components, taken) = sweep(&name, &model, None);
        eprintln!("{name}: {components} expressions, {taken:?}");
        assert!(control_orders(&model).len() <= model.processes.len());
    }
}

#[test]
fn static_measures_of_beem_never_fall() {
    let Some(beem) = Beem::find_or_say_skipped("static measures of BEEM") else { return };
    let (mut swept, mut with_measure) = (0, 0);
    for instance in beem.instances().unwrap().iter().filter(|one| one.complete && one.states <= 60_000) {
        let (components, _) = sweep(&instance.name, &read(&beem.dve(&instance.name)), Some(instance.states));
        swept += 1;
        with_measure += usize::from(components > 0);
    }
    eprintln!("static measures of BEEM: {with_measure} of {swept} instances have one, none falls");
}

#[test]
fn static_measures_take_no_time_to_speak_of() {
    let Some(beem) = Beem::find_or_say_skipped("the time for static measures of BEEM") else { return };
    let (mut all, mut with_measure, mut slowest) = (0, 0, (Duration::ZERO, String::new()));
    for file in beem.model_files().unwrap() {
        let Ok(model) = languages::read_model(&std::fs::read_to_string(&file).unwrap()) else { continue };
        let start = Instant::now();
        let measure = static_measure(&model.commands);
        let taken = start.elapsed();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        all += 1;
        with_measure += usize::from(!measure.is_empty());
        slowest = slowest.max((taken, name));
    }
    eprintln!("{with_measure} of {all} files have a static measure; the slowest took {slowest:?}");
    assert!(slowest.0 < Duration::from_secs(2), "{slowest:?}");
}
