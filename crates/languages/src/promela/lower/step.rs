//! What a basic statement does: its ways to be executed, as conditions and effects.
//!
//! A statement has several ways where Promela chooses by a value that guarded commands fix: the
//! channel that a variable names, the partner of a handshake, the place of a message in a buffer,
//! the pid of a new process.

use model::guarded_commands::{
    Assignment, BinaryOperator as Ir, CellId, Effect, Expression as Value, Target,
};

use super::super::graph::{Edge, EdgeKind, LocationNumber};
use super::super::program::{AfterRun, Basic, Expression, Initial, LeafId, Place, ReceiveArgument};
use super::Lowering;
use super::ready::Handshake;
use super::system::{Channel, Storage};
use super::value::{View, and, compare, not, or};

/// One way to execute a statement.
#[derive(Default)]
pub(super) struct Way<'p> {
    /// Conditions on the state before, in the order of their evaluation.
    pub(super) conditions: Vec<Value>,
    pub(super) partner: Option<Handshake<'p>>,
    /// The slot of a process that begins to exist.
    pub(super) born: Option<usize>,
    /// Whether the process ceases to exist.
    pub(super) dies: bool,
    pub(super) effects: Vec<Effect>,
    /// The number of processes afterwards, where it is known.
    pub(super) count: Option<u32>,
    /// The `run` that has no place for its process, and its proctype. This way ends in an error.
    pub(super) missing: Option<(&'p Basic, usize)>,
    /// Whether it ends in a run-time error.
    pub(super) fails: bool,
}

impl<'p> Lowering<'p, '_> {
    /// All ways to take an edge.
    pub(super) fn ways(
        &self,
        slot: usize,
        location: LocationNumber,
        edge: &'p Edge<'p>,
        view: View<'_>,
    ) -> Vec<Way<'p>> {
        let mut ways = match edge.kind {
            EdgeKind::Else | EdgeKind::Jump => {
                vec![Way { count: view.count, ..Way::default() }]
            }
            EdgeKind::End => vec![self.death(slot)],
            EdgeKind::Basic(basic) => self.basic(slot, basic, edge, view),
        };
        let mut side = self.side_conditions(slot, location, edge, view);
        if view.moved.is_empty() && self.system.program.mentions.priorities {
            side.push(self.has_highest_priority(slot));
        }
        for way in &mut ways {
            way.conditions.splice(0..0, side.iter().cloned());
            way.conditions.retain(|condition| !is_true(condition));
        }
        ways.retain(|way| !way.conditions.contains(&Value::Constant(0)));
        ways
    }

    fn basic(&self, slot: usize, basic: &'p Basic, edge: &'p Edge<'p>, view: View<'_>) -> Vec<Way<'p>> {
        let plain = || Way { count: view.count, ..Way::default() };
        match basic {
            Basic::Condition(condition) => {
                vec![Way { conditions: vec![self.value(condition, view)], ..plain() }]
            }
            Basic::Assign(assignments) => {
                let effects = assignments.iter().map(|(target, value)| self.assign(target, value, view));
                vec![Way { effects: effects.collect(), ..plain() }]
            }
            Basic::Assert(_) | Basic::Print { .. } => vec![plain()],
            Basic::SetPriority { pid, priority } => {
                vec![Way { effects: self.set_priority(pid, priority, view), ..plain() }]
            }
            Basic::Send { channel, sorted, arguments } => {
                let mut ways = self.buffered_sends(channel, *sorted, arguments, view);
                let mut shakes = self.handshakes(slot, basic, view);
                // Of a partner that has moved in this step, the location is known.
                shakes.retain(|shake| self.at(shake.slot, shake.location, view) != Value::Constant(0));
                ways.extend(shakes.into_iter().map(|shake| {
                    let here = View { slot: Some(shake.slot), ..view };
                    let EdgeKind::Basic(Basic::Receive { arguments, .. }) = shake.edge.kind else {
                        unreachable!("the partner of a send receives")
                    };
                    let stores = arguments.iter().zip(&shake.message).filter_map(|(argument, sent)| {
                        let ReceiveArgument::Store(place) = argument else { return None };
                        Some(Assignment { target: self.target(place, here), value: sent.value.clone() })
                    });
                    let effects = in_order(stores.collect());
                    let conditions = vec![shake.is_sent.clone()];
                    Way { conditions, effects, partner: Some(shake), ..plain() }
                }));
                ways.extend(self.no_channel(channel, edge, view));
                ways.extend(self.misfits(channel, arguments.len(), true, edge, view));
                ways
            }
            Basic::Receive { channel, any, copies, arguments } => {
                let mut ways = self.receives(channel, *any, *copies, arguments, view);
                ways.extend(self.no_channel(channel, edge, view));
                ways.extend(self.misfits(channel, arguments.len(), false, edge, view));
                ways
            }
            Basic::Run { .. } => self.runs(basic, edge, view),
        }
    }

    fn assign(&self, target: &Place, value: &Expression, view: View<'_>) -> Effect {
        let (target, value) = (self.target(target, view), self.value(value, view));
        Effect::Assign(vec![Assignment { target, value }])
    }

    /// The use of a variable that names no channel.
    fn no_channel(&self, place: &Place, edge: &Edge<'_>, view: View<'_>) -> Option<Way<'p>> {
        let (_, is_none) = self.choices(place, view);
        let name = &self.system.leaf(place.leaf, view.slot).name;
        let reason = format!("`{name}` names no channel that exists");
        let fail = Effect::Fail { reason, span: edge.span };
        let way = Way { conditions: vec![is_none], effects: vec![fail], fails: true, ..Way::default() };
        (way.conditions[0] != Value::Constant(0)).then_some(way)
    }

    /// The use of channels with another number of fields than the statement has values.
    fn misfits(
        &self,
        place: &Place,
        values: usize,
        is_send: bool,
        edge: &Edge<'_>,
        view: View<'_>,
    ) -> Vec<Way<'p>> {
        let (choices, _) = self.choices(place, view);
        let misfits = choices.into_iter().filter_map(|choice| {
            let channel = &self.system.channels[choice.channel];
            let queue = channel.queue.filter(|_| channel.fields.len() != values)?;
            let length = Value::Cell(self.system.commands.variable(queue).first_cell);
            let is_ready = match is_send {
                true => self.has_room(choice.channel),
                false => compare(Ir::Greater, length, 0),
            };
            let fields = channel.fields.len();
            let reason = format!("a message of {values} values on channel `{}` of {fields}", channel.name);
            let fail = Effect::Fail { reason, span: edge.span };
            let conditions = vec![choice.is_chosen, is_ready];
            Some(Way { conditions, effects: vec![fail], fails: true, ..Way::default() })
        });
        misfits.collect()
    }

    fn buffered_sends(
        &self,
        place: &Place,
        sorted: bool,
        arguments: &[Expression],
        view: View<'_>,
    ) -> Vec<Way<'p>> {
        let mut ways = Vec::new();
        for choice in self.choices_for(place, arguments.len(), view) {
            let channel = &self.system.channels[choice.channel];
            let Some(queue) = channel.queue else { continue };
            let room = self.has_room(choice.channel);
            let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument, view)).collect();
            if !sorted || channel.capacity == 1 {
                let conditions = vec![choice.is_chosen, room];
                let effects = vec![Effect::Push { queue, values }];
                ways.push(Way { conditions, effects, count: view.count, ..Way::default() });
                continue;
            }
            let message: Vec<Value> = arguments
                .iter()
                .zip(&channel.fields)
                .map(|(argument, field)| self.bounded(argument, view).cut(field.integer()).value)
                .collect();
            let capacity = channel.capacity as usize;
            for position in 0..capacity {
                let goes_before = self.is_greater(choice.channel, position, &message);
                let is_first =
                    (0..position).map(|other| not(self.is_greater(choice.channel, other, &message)));
                let length = Value::Cell(self.system.commands.variable(queue).first_cell);
                let is_end = compare(Ir::Equal, length.clone(), position as i64);
                let goes_here = or([is_end, goes_before]);
                let is_near = compare(Ir::GreaterOrEqual, length.clone(), position as i64);
                let conditions: Vec<Value> = [choice.is_chosen.clone(), room.clone(), is_near, goes_here]
                    .into_iter()
                    .chain(is_first)
                    .collect();
                let effects = vec![self.insert(choice.channel, position, &message)];
                ways.push(Way { conditions, effects, count: view.count, ..Way::default() });
            }
        }
        ways
    }

    /// Whether there is a message at the position, and it is greater than this one.
    fn is_greater(&self, channel: usize, position: usize, message: &[Value]) -> Value {
        let queue = self.system.channels[channel].queue.expect("only buffers hold messages");
        let length = Value::Cell(self.system.commands.variable(queue).first_cell);
        let is_there = compare(Ir::Greater, length, position as i64);
        let mut greater = Value::Constant(0);
        for (field, value) in message.iter().enumerate().rev() {
            let held = Value::Cell(self.message_cell(channel, position, field));
            let is_equal = Value::binary(Ir::Equal, held.clone(), value.clone());
            let is_more = Value::binary(Ir::Greater, held, value.clone());
            greater = or([is_more, and([is_equal, greater])]);
        }
        and([is_there, greater])
    }

    /// Inserts a message before the one at the position.
    fn insert(&self, channel: usize, position: usize, message: &[Value]) -> Effect {
        let capacity = self.system.channels[channel].capacity as usize;
        let cell = |position, field| self.message_cell(channel, position, field);
        let mut changes = Vec::new();
        for (field, value) in message.iter().enumerate() {
            changes.push(set(cell(position, field), value.clone()));
            for moved in position..capacity - 1 {
                changes.push(set(cell(moved + 1, field), Value::Cell(cell(moved, field))));
            }
        }
        changes.push(self.lengthen(channel, Ir::Add));
        Effect::Assign(changes)
    }

    /// Removes the message at the position.
    fn remove(&self, channel: usize, position: usize) -> Effect {
        let channel_data = &self.system.channels[channel];
        let queue = channel_data.queue.expect("only buffers hold messages");
        let (capacity, fields) = (channel_data.capacity as usize, channel_data.fields.len());
        if position == 0 {
            return Effect::Pop { queue, targets: vec![None; fields] };
        }
        let cell = |position, field| self.message_cell(channel, position, field);
        let mut changes = Vec::new();
        for field in 0..fields {
            for moved in position..capacity - 1 {
                changes.push(set(cell(moved, field), Value::Cell(cell(moved + 1, field))));
            }
            changes.push(set(cell(capacity - 1, field), Value::Constant(0)));
        }
        changes.push(self.lengthen(channel, Ir::Subtract));
        Effect::Assign(changes)
    }

    fn lengthen(&self, channel: usize, operator: Ir) -> Assignment {
        let queue = self.system.channels[channel].queue.expect("only buffers have a length");
        let length = self.system.commands.variable(queue).first_cell;
        set(length, Value::binary(operator, Value::Cell(length), Value::Constant(1)))
    }

    fn receives(
        &self,
        place: &Place,
        any: bool,
        copies: bool,
        arguments: &[ReceiveArgument],
        view: View<'_>,
    ) -> Vec<Way<'p>> {
        let mut ways = Vec::new();
        for choice in self.choices_for(place, arguments.len(), view) {
            let channel = &self.system.channels[choice.channel];
            let Some(queue) = channel.queue else { continue };
            let positions = if any { channel.capacity as usize } else { 1 };
            for position in 0..positions {
                let matched = self.matches(choice.channel, position, arguments, view);
                let before =
                    (0..position).map(|other| not(self.matches(choice.channel, other, arguments, view)));
                let conditions: Vec<Value> =
                    [choice.is_chosen.clone(), matched].into_iter().chain(before).collect();
                let stores: Vec<(usize, Target)> = arguments
                    .iter()
                    .enumerate()
                    .filter_map(|(field, argument)| match argument {
                        ReceiveArgument::Store(target) => Some((field, self.target(target, view))),
                        ReceiveArgument::Equal(_) | ReceiveArgument::Ignore => None,
                    })
                    .collect();
                let is_plain =
                    stores.len() < 2 || stores.iter().all(|(_, target)| matches!(target, Target::Cell(_)));
                let mut effects = Vec::new();
                if position == 0 && !copies && is_plain {
                    let mut targets = vec![None; arguments.len()];
                    stores.into_iter().for_each(|(field, target)| targets[field] = Some(target));
                    effects.push(Effect::Pop { queue, targets });
                } else {
                    // An index may depend on a field before, so the fields are stored one by one.
                    for (field, target) in stores {
                        let value = Value::Cell(self.message_cell(choice.channel, position, field));
                        effects.push(Effect::Assign(vec![Assignment { target, value }]));
                    }
                    if !copies {
                        effects.push(self.remove(choice.channel, position));
                    }
                }
                ways.push(Way { conditions, effects, count: view.count, ..Way::default() });
            }
        }
        ways
    }

    fn set_priority(&self, pid: &Expression, priority: &Expression, view: View<'_>) -> Vec<Effect> {
        let (pid, priority) = (self.value(pid, view), self.value(priority, view));
        let changes = self.system.slots.iter().filter_map(|slot| {
            let cell = slot.priority?;
            let is_meant = and([
                compare(Ir::Equal, pid.clone(), i64::from(slot.pid)),
                compare(Ir::NotEqual, Value::Cell(slot.location), 0),
            ]);
            let value = match is_meant {
                Value::Constant(0) => return None,
                is_meant => Value::Conditional {
                    condition: Box::new(is_meant),
                    then: Box::new(priority.clone()),
                    otherwise: Box::new(Value::Cell(cell)),
                },
            };
            Some(set(cell, value))
        });
        vec![Effect::Assign(changes.collect())]
    }

    /// The creation of a process.
    fn runs(&self, run: &'p Basic, edge: &Edge<'_>, view: View<'_>) -> Vec<Way<'p>> {
        let Basic::Run { proctype, .. } = run else { unreachable!("only called for `run`") };
        let count = Value::Cell(self.system.count);
        let mut ways = Vec::new();
        let mut is_covered = view.count.is_some();
        let mut others = Vec::new();
        for pid in self.system.created.pids(self.system.runs.number(run)) {
            if view.count.is_some_and(|count| count != pid) {
                continue;
            }
            let Some(slot) = self.system.slot_of(pid, proctype.0) else { continue };
            let is_next = compare(Ir::Equal, count.clone(), i64::from(pid));
            let conditions = if view.count.is_some() { Vec::new() } else { vec![is_next.clone()] };
            others.push(not(is_next));
            ways.extend(self.birth(run, slot, conditions, view));
        }
        is_covered &= !ways.is_empty();
        if !is_covered {
            let reason = "this creates more processes than expected".into();
            ways.push(Way {
                conditions: if view.count.is_some() { Vec::new() } else { others },
                effects: vec![Effect::Fail { reason, span: edge.span }],
                missing: Some((run, proctype.0)),
                fails: true,
                count: view.count,
                ..Way::default()
            });
        }
        ways
    }

    fn birth(&self, run: &'p Basic, slot: usize, conditions: Vec<Value>, view: View<'_>) -> Option<Way<'p>> {
        let Basic::Run { proctype, arguments, priority, then } = run else {
            unreachable!("only called for `run`")
        };
        let born = &self.system.slots[slot];
        let declared = &self.system.program.proctypes[proctype.0];
        // One argument per element: an array in a structure takes several.
        let cells = (0..declared.parameters).flat_map(|leaf| {
            let Storage::Variable(variable) = born.locals[leaf] else {
                unreachable!("a parameter is assigned when its process is created")
            };
            let first = self.system.commands.variable(variable).first_cell.0;
            (first..first + declared.locals[leaf].elements()).map(CellId)
        });
        let values = arguments.iter().map(|argument| self.value(argument, view));
        let mut first: Vec<Assignment> = cells.zip(values).map(|(cell, value)| set(cell, value)).collect();
        if let Some(cell) = born.priority {
            let value = match priority {
                Some(priority) => self.value(priority, view),
                None => Value::Constant(i64::from(declared.priority)),
            };
            first.push(set(cell, value));
        }
        first.push(set(self.system.count, Value::Constant(i64::from(born.pid) + 1)));
        let mut effects = vec![Effect::Assign(first)];
        let count = Some(born.pid + 1);
        let inside = View { slot: Some(slot), count, ..view };
        for (number, leaf) in declared.locals.iter().enumerate().skip(declared.parameters) {
            let Storage::Variable(variable) = born.locals[number] else { continue };
            let first = self.system.commands.variable(variable).first_cell.0;
            let values = self.initial_values(LeafId::Local(number), &leaf.initial, inside);
            let changes: Vec<Assignment> = values
                .into_iter()
                .enumerate()
                .filter(|(_, value)| *value != Value::Constant(0))
                .map(|(element, value)| set(CellId(first + element as u32), value))
                .collect();
            if !changes.is_empty() {
                effects.push(Effect::Assign(changes));
            }
        }
        let after = View { created: Some(born.pid), count, ..view };
        match then {
            AfterRun::Condition(condition) => match self.value(condition, after) {
                Value::Constant(0) => return None,
                Value::Constant(_) => {}
                condition => effects.push(Effect::Guard(condition)),
            },
            AfterRun::Assign(target, value) => effects.push(self.assign(target, value, after)),
        }
        Some(Way { conditions, born: Some(slot), effects, count, ..Way::default() })
    }

    /// The values of a variable when it begins to exist, one per element.
    pub(super) fn initial_values(&self, leaf: LeafId, initial: &Initial, view: View<'_>) -> Vec<Value> {
        let elements = self.system.leaf(leaf, view.slot).elements() as usize;
        match initial {
            Initial::Value(value) => vec![self.value(value, view); elements],
            Initial::List(values) => {
                let mut values: Vec<Value> = values.iter().map(|value| self.value(value, view)).collect();
                values.resize(elements, Value::Constant(0));
                values
            }
            Initial::Channels { .. } => {
                let is_own = |channel: &Channel| channel.owner == view.slot && channel.leaf == leaf;
                let channels = self.system.channels.iter().enumerate().filter(|(_, one)| is_own(one));
                channels.map(|(number, _)| Value::Constant(Channel::number(number))).collect()
            }
        }
    }

    /// The end of a process: everything that it owned is 0.
    fn death(&self, slot: usize) -> Way<'p> {
        let dying = &self.system.slots[slot];
        let own = dying.locals.iter().filter_map(|storage| match storage {
            Storage::Variable(variable) => Some(*variable),
            Storage::Channels(_) => None,
        });
        let queues = self.system.channels.iter().filter(|one| one.owner == Some(slot));
        let queues = queues.filter_map(|channel| channel.queue);
        let mut changes = Vec::new();
        for variable in own.chain(queues) {
            let variable = self.system.commands.variable(variable);
            let cells = variable.first_cell.0..variable.first_cell.0 + variable.cell_count() as u32;
            changes.extend(cells.map(|cell| set(CellId(cell), Value::Constant(0))));
        }
        changes.extend(dying.priority.map(|cell| set(cell, Value::Constant(0))));
        changes.push(set(self.system.count, Value::Constant(i64::from(dying.pid))));
        let alive = i64::from(dying.pid) + 1;
        Way {
            conditions: vec![compare(Ir::Equal, Value::Cell(self.system.count), alive)],
            dies: true,
            effects: vec![Effect::Assign(changes)],
            count: Some(dying.pid),
            ..Way::default()
        }
    }
}

/// `cell = value`
pub(super) fn set(cell: CellId, value: Value) -> Assignment {
    Assignment { target: Target::Cell(cell), value }
}

/// Whether the condition is a constant that is not 0.
pub(super) fn is_true(condition: &Value) -> bool {
    matches!(condition, Value::Constant(value) if *value != 0)
}

/// Assignments of values that are read in the same state. Where an index may depend on a value
/// before, they are made one by one.
fn in_order(stores: Vec<Assignment>) -> Vec<Effect> {
    let is_plain = stores.len() < 2 || stores.iter().all(|one| matches!(one.target, Target::Cell(_)));
    match (stores.is_empty(), is_plain) {
        (true, _) => Vec::new(),
        (false, true) => vec![Effect::Assign(stores)],
        (false, false) => stores.into_iter().map(|one| Effect::Assign(vec![one])).collect(),
    }
}
