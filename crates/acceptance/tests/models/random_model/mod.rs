//! Random guarded commands: small, closed, and rich in what goes wrong (negative numbers, wrapping,
//! indices out of range, division by zero, queues, committed locations, simultaneous assignments).
//!
//! Merged models have what languages with atomic sequences need besides: guards between effects,
//! stated errors, conditional expressions, and intermediate locations.

use std::sync::Arc;

use model::guarded_commands::{
    Action, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType, Location,
    LocationId, LocationKind, Participant, ProcessId, Shape, Span, Target, UnaryOperator, VariableId,
};
use model::value_order::ValueOrder;

/// A model that depends on the seed only.
pub fn random_model(seed: u64) -> GuardedCommands {
    Generator::new(seed).build().model
}

/// The same with what the steps of merged statements are made of.
#[allow(dead_code, reason = "not every test needs it")]
pub fn merged_model(seed: u64) -> GuardedCommands {
    Generator::new(seed).build().merged()
}

struct Generator {
    random: u64,
    model: GuardedCommands,
    arrays: Vec<VariableId>,
    queues: Vec<(VariableId, usize, u32)>,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let (arrays, queues) = (Vec::new(), Vec::new());
        Self { random: seed | 1, model: GuardedCommands::default(), arrays, queues }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % limit
    }

    fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 0
    }

    fn integer_type(&mut self) -> IntegerType {
        match self.below(4) {
            0 => IntegerType { bits: 2, signed: false },
            1 => IntegerType { bits: 3, signed: true },
            2 => IntegerType::BYTE,
            _ => IntegerType::SHORT,
        }
    }

    fn build(mut self) -> Self {
        for number in 0..1 + self.below(4) {
            let integer = self.integer_type();
            let initial = self.below(5) as i64 - 2;
            self.model.add_variable(
                format!("x{number}"),
                None,
                Shape::Scalar(integer),
                &[initial],
                Span::default(),
            );
        }
        for number in 0..self.below(3) {
            let element = self.integer_type();
            // Long ones spread over several words.
            let length = if self.one_in(4) { 20 } else { 1 + self.below(4) as u32 };
            let shape = Shape::Array { element, length };
            let array =
                self.model.add_variable(format!("a{number}"), None, shape, &[1, 0, 2], Span::default());
            self.arrays.push(array);
        }
        for number in 0..self.below(2) {
            let fields: Vec<IntegerType> = (0..1 + self.below(2)).map(|_| self.integer_type()).collect();
            let (parts, capacity) = (fields.len(), 1 + self.below(3) as u32);
            let shape = Shape::Queue { fields, capacity };
            let queue = self.model.add_variable(format!("q{number}"), None, shape, &[], Span::default());
            self.queues.push((queue, parts, capacity));
        }
        let with_commits = self.one_in(4);
        let processes = 1 + self.below(3);
        for number in 0..processes {
            let count = 1 + self.below(4);
            let locations = (0..count)
                .map(|location| Location {
                    name: format!("l{location}"),
                    kind: if with_commits && location > 0 && self.one_in(3) {
                        LocationKind::Committed
                    } else {
                        LocationKind::Ordinary
                    },
                    span: Span::default(),
                })
                .collect();
            self.model.add_process(format!("P{number}"), locations, LocationId(0), Span::default());
        }
        for _ in 0..2 + self.below(10) {
            let action = self.action(processes);
            self.model.actions.push(action);
        }
        self
    }

    /// Puts guards between the effects of some actions, and conditional expressions into them. Makes
    /// some locations intermediate.
    fn merged(mut self) -> GuardedCommands {
        let with_atomic = self.one_in(2);
        for process in 0..self.model.processes.len() {
            for location in 1..self.model.processes[process].locations.len() {
                if with_atomic && self.one_in(3) {
                    self.model.processes[process].locations[location].kind = LocationKind::Intermediate;
                }
            }
        }
        let mut actions = std::mem::take(&mut self.model.actions);
        for action in &mut actions {
            // One process has control.
            for place in 1..action.participants.len() {
                let Participant { process, to, .. } = action.participants[place];
                if self.model.location_kind(process, to) == LocationKind::Intermediate {
                    action.participants[place].to = LocationId(0);
                }
            }
            if self.one_in(3) {
                let place = self.below(action.effects.len() + 1);
                let guard = if self.one_in(3) { self.conditional() } else { self.expression(3) };
                action.effects.insert(place, Effect::Guard(guard));
                if self.one_in(6) {
                    let place = place + 1 + self.below(action.effects.len() - place);
                    let reason = "it went wrong".to_owned();
                    action.effects.insert(place, Effect::Fail { reason, span: Span::default() });
                }
            }
            for effect in &mut action.effects {
                if let Effect::Assign(assignments) = effect
                    && self.one_in(3)
                {
                    let value = self.conditional();
                    match &mut assignments[0] {
                        Assignment { target: Target::Element { index, .. }, .. } if self.one_in(2) => {
                            *index = value
                        }
                        assignment => assignment.value = value,
                    }
                }
            }
            if self.one_in(4) {
                let guard = self.conditional();
                action.participants[0].guards.push(guard);
            }
        }
        self.model.actions = actions;
        self.model
    }

    fn participant(&mut self, process: usize) -> Participant {
        let locations = self.model.processes[process].locations.len();
        let guards = (0..self.below(3)).map(|_| self.expression(3)).collect();
        Participant {
            process: ProcessId(process as u32),
            from: LocationId(self.below(locations) as u32),
            to: LocationId(self.below(locations) as u32),
            guards,
            span: Span::default(),
        }
    }

    fn action(&mut self, processes: usize) -> Action {
        let first = self.below(processes);
        let mut participants = vec![self.participant(first)];
        if processes > 1 && self.one_in(3) {
            let second = (first + 1 + self.below(processes - 1)) % processes;
            participants.push(self.participant(second));
        }
        let mut effects: Vec<Effect> = (0..self.below(5))
            .map(|_| {
                let count = if self.one_in(5) { 2 } else { 1 };
                Effect::Assign((0..count).map(|_| self.assignment()).collect())
            })
            .collect();
        if !self.queues.is_empty() && self.one_in(2) {
            let (queue, parts, capacity) = self.queues[0];
            let length = Expression::Cell(self.model.variable(queue).first_cell);
            let guards = &mut participants[0].guards;
            if self.one_in(2) {
                guards.push(Expression::binary(
                    BinaryOperator::Less,
                    length,
                    Expression::Constant(i64::from(capacity)),
                ));
                let values = (0..parts).map(|_| self.expression(2)).collect();
                effects.insert(0, Effect::Push { queue, values });
            } else {
                guards.push(Expression::binary(BinaryOperator::Greater, length, Expression::Constant(0)));
                let targets =
                    (0..parts).map(|_| if self.one_in(4) { None } else { Some(self.target()) }).collect();
                effects.insert(0, Effect::Pop { queue, targets });
            }
        }
        Action { participants, effects, channel: None, name: None }
    }

    fn assignment(&mut self) -> Assignment {
        let value = self.expression(3);
        Assignment { target: self.target(), value }
    }

    /// A scalar: the first variables are.
    fn scalar(&mut self) -> CellId {
        let scalars = self
            .model
            .variables
            .iter()
            .take_while(|variable| matches!(variable.shape, Shape::Scalar(_)))
            .count();
        CellId(self.below(scalars) as u32)
    }

    fn array(&mut self) -> VariableId {
        let number = self.below(self.arrays.len());
        self.arrays[number]
    }

    /// An element known before the run.
    fn fixed_element(&mut self) -> CellId {
        let array = self.array();
        let variable = self.model.variable(array);
        let (first, count) = (variable.first_cell.0, variable.cell_count());
        CellId(first + self.below(count) as u32)
    }

    fn target(&mut self) -> Target {
        if self.arrays.is_empty() || self.one_in(3) {
            return Target::Cell(self.scalar());
        }
        if self.one_in(3) {
            return Target::Cell(self.fixed_element());
        }
        let array = self.array();
        Target::Element { array, index: self.expression(1), span: Span::default() }
    }

    fn conditional(&mut self) -> Expression {
        let inner = if self.one_in(3) { self.conditional() } else { self.expression(2) };
        let conditional = Expression::conditional(self.expression(2), self.expression(2), inner);
        match self.below(3) {
            0 => Expression::binary(BinaryOperator::And, self.expression(1), conditional),
            _ => conditional,
        }
    }

    fn expression(&mut self, depth: usize) -> Expression {
        use BinaryOperator as Op;
        const OPERATORS: [Op; 24] = [
            Op::Add,
            Op::Add,
            Op::Subtract,
            Op::Multiply,
            Op::Divide,
            Op::Remainder,
            Op::BitAnd,
            Op::BitOr,
            Op::BitXor,
            Op::ShiftLeft,
            Op::ShiftRight,
            Op::Equal,
            Op::Equal,
            Op::NotEqual,
            Op::NotEqual,
            Op::Less,
            Op::Less,
            Op::LessOrEqual,
            Op::Greater,
            Op::GreaterOrEqual,
            Op::And,
            Op::Or,
            Op::Imply,
            Op::Less,
        ];
        match self.below(if depth == 0 { 3 } else { 8 }) {
            0 => Expression::Constant(self.below(7) as i64 - 2),
            1 if !self.arrays.is_empty() && self.one_in(3) => Expression::Cell(self.fixed_element()),
            1 | 2 => Expression::Cell(self.scalar()),
            3 if !self.arrays.is_empty() => {
                let array = self.array();
                Expression::Element {
                    array,
                    index: Box::new(self.expression(depth - 1)),
                    span: Span::default(),
                }
            }
            4 => {
                let operators = [UnaryOperator::Negate, UnaryOperator::Complement, UnaryOperator::Not];
                Expression::Unary(operators[self.below(3)], Box::new(self.expression(depth - 1)))
            }
            5 if self.one_in(3) => {
                let classes: [[i64; 2]; 4] = [(); 4].map(|()| [(); 2].map(|()| self.below(9) as i64 - 3));
                let order = ValueOrder::new(&classes).expect("small numbers lie close together");
                Expression::Rank(Box::new(self.expression(depth - 1)), Arc::new(order))
            }
            _ => {
                let operator = OPERATORS[self.below(OPERATORS.len())];
                Expression::binary(operator, self.expression(depth - 1), self.expression(depth - 1))
            }
        }
    }
}
