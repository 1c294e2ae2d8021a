//! When a statement is executable, as an expression over the state.
//!
//! Guards use it, and so do `else`, `unless`, `timeout`, `enabled(p)`, the priorities of processes,
//! and the question whether a process in an atomic sequence can go on.

use model::guarded_commands::{BinaryOperator as Ir, CellId, Expression as Value, VariableId};

use super::super::graph::{Edge, EdgeKind, LocationNumber};
use super::super::program::{Basic, Place, ReceiveArgument};
use super::Lowering;
use super::system::Storage;
use super::value::{Bounded, View, and, compare, equal, not, or};

/// A channel that a place may name, and the condition that it does.
#[derive(Clone)]
pub(super) struct Choice {
    pub(super) channel: usize,
    pub(super) is_chosen: Value,
}

/// A partner of a sender on a rendezvous channel.
pub(super) struct Handshake<'p> {
    /// The condition that the sender means this channel.
    pub(super) is_sent: Value,
    /// The receiver, with the statement that receives.
    pub(super) slot: usize,
    pub(super) location: LocationNumber,
    pub(super) edge: &'p Edge<'p>,
    /// The conditions of the receiver, without its location.
    pub(super) conditions: Vec<Value>,
    /// The message, as the channel holds it.
    pub(super) message: Vec<Bounded>,
}

/// A message that a sender offers on a rendezvous channel.
struct Offer<'m> {
    channel: usize,
    message: &'m [Bounded],
}

/// The place of a receiving statement.
pub(super) type Receiver = (usize, LocationNumber, usize);

impl<'p> Lowering<'p, '_> {
    /// The channels that a place may name, with the condition that it names none of them.
    pub(super) fn choices(&self, place: &Place, view: View<'_>) -> (Vec<Choice>, Value) {
        let leaf = self.system.leaf(place.leaf, view.slot);
        if let Storage::Channels(first) = self.system.storage(place.leaf, view.slot) {
            let elements = leaf.elements();
            let Some(index) = self.element_index(&leaf.dimensions, &place.indices, view) else {
                return (vec![Choice { channel: first, is_chosen: Value::Constant(1) }], Value::Constant(0));
            };
            let choices = (0..elements).map(|element| Choice {
                channel: first + element as usize,
                is_chosen: compare(Ir::Equal, index.clone(), i64::from(element)),
            });
            let is_outside = or([
                compare(Ir::Less, index.clone(), 0),
                compare(Ir::GreaterOrEqual, index.clone(), i64::from(elements)),
            ]);
            let possible = choices.filter(|choice| choice.is_chosen != Value::Constant(0));
            return (possible.collect(), is_outside);
        }
        let value = self.bounded(&super::read_of(place), view).value;
        let candidates = self.pointees.candidates(&self.system, place, view.slot);
        let choices: Vec<Choice> = candidates
            .into_iter()
            .map(|channel| {
                let number = super::system::Channel::number(channel);
                let is_named = compare(Ir::Equal, value.clone(), number);
                Choice { channel, is_chosen: and([is_named, self.lives(channel, view)]) }
            })
            .collect();
        let is_none = and(choices.iter().map(|choice| not(choice.is_chosen.clone())));
        (choices, is_none)
    }

    /// The channels that a statement with so many arguments may use.
    pub(super) fn choices_for(&self, place: &Place, arguments: usize, view: View<'_>) -> Vec<Choice> {
        let (mut choices, _) = self.choices(place, view);
        choices.retain(|choice| self.system.channels[choice.channel].fields.len() == arguments);
        choices
    }

    /// Whether the process exists that a channel lives and dies with.
    fn lives(&self, channel: usize, view: View<'_>) -> Value {
        match self.system.channels[channel].owner {
            Some(owner) if view.slot != Some(owner) => {
                match view.moved.iter().rev().find(|(moved, _)| *moved == owner) {
                    Some((_, now)) => Value::Constant(i64::from(now.is_some())),
                    None => compare(Ir::NotEqual, Value::Cell(self.system.slots[owner].location), 0),
                }
            }
            _ => Value::Constant(1),
        }
    }

    fn queue_length(&self, queue: VariableId) -> Value {
        Value::Cell(self.system.commands.variable(queue).first_cell)
    }

    /// The cell of a field of the message at a position, the oldest being at 0.
    pub(super) fn message_cell(&self, channel: usize, position: usize, field: usize) -> CellId {
        let channel = &self.system.channels[channel];
        let queue = channel.queue.expect("a rendezvous channel holds no messages");
        let first = self.system.commands.variable(queue).first_cell.0;
        CellId(first + 1 + (position * channel.fields.len() + field) as u32)
    }

    /// `len(c)`
    pub(super) fn length(&self, place: &Place, view: View<'_>) -> Bounded {
        let (choices, _) = self.choices(place, view);
        let most = choices.iter().map(|one| self.system.channels[one.channel].capacity).max().unwrap_or(0);
        let mut value = Value::Constant(0);
        for choice in choices.into_iter().rev() {
            let length = match self.system.channels[choice.channel].queue {
                Some(queue) => self.queue_length(queue),
                None => Value::Constant(0),
            };
            value = match choice.is_chosen {
                Value::Constant(0) => value,
                Value::Constant(_) => length,
                condition => Value::Conditional {
                    condition: Box::new(condition),
                    then: Box::new(length),
                    otherwise: Box::new(value),
                },
            };
        }
        Bounded::within(value, 0, i64::from(most))
    }

    /// `full(c)`; a rendezvous channel is never full.
    pub(super) fn is_full(&self, place: &Place, view: View<'_>) -> Value {
        let (choices, _) = self.choices(place, view);
        or(choices.into_iter().map(|choice| {
            let channel = &self.system.channels[choice.channel];
            match channel.queue {
                Some(queue) => {
                    let length = self.queue_length(queue);
                    and([choice.is_chosen, compare(Ir::GreaterOrEqual, length, i64::from(channel.capacity))])
                }
                None => Value::Constant(0),
            }
        }))
    }

    /// Whether the buffer has room for a message.
    pub(super) fn has_room(&self, channel: usize) -> Value {
        let channel = &self.system.channels[channel];
        match channel.queue {
            Some(queue) => compare(Ir::Less, self.queue_length(queue), i64::from(channel.capacity)),
            None => Value::Constant(0),
        }
    }

    /// Whether there is a message at a position that a receive with these arguments takes.
    pub(super) fn matches(
        &self,
        channel: usize,
        position: usize,
        arguments: &[ReceiveArgument],
        view: View<'_>,
    ) -> Value {
        let Some(queue) = self.system.channels[channel].queue else { return Value::Constant(0) };
        let is_there = compare(Ir::Greater, self.queue_length(queue), position as i64);
        let fields = arguments.iter().enumerate().filter_map(|(field, argument)| match argument {
            ReceiveArgument::Equal(wanted) => {
                let held = Value::Cell(self.message_cell(channel, position, field));
                Some(equal(held, self.value(wanted, view)))
            }
            ReceiveArgument::Store(_) | ReceiveArgument::Ignore => None,
        });
        and([is_there].into_iter().chain(fields))
    }

    /// `c?[m]`, `c??[m]`
    pub(super) fn has_message(
        &self,
        place: &Place,
        any: bool,
        arguments: &[ReceiveArgument],
        view: View<'_>,
    ) -> Value {
        or(self.choices_for(place, arguments.len(), view).into_iter().map(|choice| {
            let positions = if any { self.system.channels[choice.channel].capacity as usize } else { 1 };
            let found =
                (0..positions).map(|position| self.matches(choice.channel, position, arguments, view));
            and([choice.is_chosen, or(found)])
        }))
    }

    /// Whether an edge is executable for a process at its location.
    pub(super) fn is_ready(
        &self,
        slot: usize,
        location: LocationNumber,
        edge: &Edge<'p>,
        view: View<'_>,
    ) -> Value {
        and(self
            .side_conditions(slot, location, edge, view)
            .into_iter()
            .chain([self.is_ready_alone(slot, edge, view)]))
    }

    /// What an edge needs besides its own statement.
    pub(super) fn side_conditions(
        &self,
        slot: usize,
        location: LocationNumber,
        edge: &Edge<'p>,
        view: View<'_>,
    ) -> Vec<Value> {
        let at = &self.system.graph(slot).locations[location];
        // A `d_step` needs it at its start only.
        let provided = self.provided(slot, view).filter(|_| at.inside.deterministic.is_none());
        let mut conditions: Vec<Value> = provided.into_iter().collect();
        let edges = &at.edges;
        for other in &edge.not_if {
            let other = &edges[*other];
            // If another edge holds the other one back, and that edge is among these, too, then one of
            // these is executable. So their own conditions need not be asked: a choice of n options
            // would ask 2^n times.
            let is_covered = other.not_if.iter().all(|one| edge.not_if.contains(one));
            conditions.push(not(match is_covered {
                true => self.is_ready_alone(slot, other, view),
                false => self.is_ready(slot, location, other, view),
            }));
        }
        conditions
    }

    /// Whether any edge of a location is executable. What holds an edge back is another one, so only
    /// the statements count.
    pub(super) fn is_any_ready(&self, slot: usize, location: LocationNumber, view: View<'_>) -> Value {
        let at = &self.system.graph(slot).locations[location];
        let provided = self.provided(slot, view).filter(|_| at.inside.deterministic.is_none());
        let ready = or(at.edges.iter().map(|edge| self.is_ready_alone(slot, edge, view)));
        and(provided.into_iter().chain([ready]))
    }

    /// The condition of `provided`.
    fn provided(&self, slot: usize, view: View<'_>) -> Option<Value> {
        let proctype = &self.system.program.proctypes[self.system.slots[slot].proctype];
        proctype.provided.as_ref().map(|provided| self.value(provided, view))
    }

    /// That no process of higher priority can move.
    pub(super) fn has_highest_priority(&self, slot: usize) -> Value {
        let Some(own) = self.system.slots[slot].priority else { return Value::Constant(1) };
        let others = (0..self.system.slots.len()).filter(|other| *other != slot);
        not(or(others.filter_map(|other| {
            let priority = self.system.slots[other].priority?;
            let is_higher = Value::binary(Ir::Greater, Value::Cell(priority), Value::Cell(own));
            Some(and([is_higher, self.can_move(other, true)]))
        })))
    }

    /// Whether the statement itself is executable.
    fn is_ready_alone(&self, slot: usize, edge: &Edge<'p>, view: View<'_>) -> Value {
        let basic = match edge.kind {
            EdgeKind::Else | EdgeKind::Jump => return Value::Constant(1),
            EdgeKind::End => {
                let alive = i64::from(self.system.slots[slot].pid) + 1;
                return compare(Ir::Equal, Value::Cell(self.system.count), alive);
            }
            EdgeKind::Basic(basic) => basic,
        };
        match basic {
            Basic::Condition(condition) => {
                let value = self.value(condition, view);
                if let Value::Constant(value) = value {
                    Value::Constant(i64::from(value != 0))
                } else {
                    value
                }
            }
            Basic::Assign(_) | Basic::Assert(_) | Basic::Print { .. } | Basic::SetPriority { .. } => {
                Value::Constant(1)
            }
            // Whether what stands around a `run` is true is known only when it has run.
            Basic::Run { .. } => match view.count {
                Some(count) => Value::Constant(i64::from(count < 255)),
                None => compare(Ir::Less, Value::Cell(self.system.count), 255),
            },
            Basic::Send { channel, arguments, .. } => {
                let buffered = self
                    .choices_for(channel, arguments.len(), view)
                    .into_iter()
                    .map(|choice| and([choice.is_chosen, self.has_room(choice.channel)]));
                let buffered = or(buffered);
                let met = self.handshakes(slot, basic, view).into_iter().map(|shake| {
                    let there = self.at(shake.slot, shake.location, view);
                    and([there, shake.is_sent].into_iter().chain(shake.conditions))
                });
                or([buffered].into_iter().chain(met))
            }
            Basic::Receive { channel, any, arguments, .. } => {
                self.has_message(channel, *any, arguments, view)
            }
        }
    }

    /// Whether a process can move, seen from outside.
    pub(super) fn can_move(&self, slot: usize, no_timeout: bool) -> Value {
        if let Some(known) = self.moves.borrow().get(&(slot, no_timeout)) {
            return known.clone();
        }
        // `enabled(p)` inside of a guard that decides whether p is enabled has no meaning.
        self.moves.borrow_mut().insert((slot, no_timeout), Value::Constant(0));
        let view = View { slot: Some(slot), no_timeout, ..View::default() };
        let mut ways = Vec::new();
        for number in 0..self.system.graph(slot).locations.len() {
            let here = self.at(slot, number, view);
            if here != Value::Constant(0) {
                ways.push(and([here, self.is_any_ready(slot, number, view)]));
            }
        }
        let value = or(ways);
        self.moves.borrow_mut().insert((slot, no_timeout), value.clone());
        value
    }

    /// `timeout`: no process can move without it.
    pub(super) fn timeout(&self) -> Value {
        not(or((0..self.system.slots.len()).map(|slot| self.can_move(slot, true))))
    }

    /// The partners of a sender on rendezvous channels.
    pub(super) fn handshakes(&self, slot: usize, send: &'p Basic, view: View<'_>) -> Vec<Handshake<'p>> {
        let Basic::Send { channel, arguments, .. } = send else { unreachable!("only a send has partners") };
        let mut found = Vec::new();
        for choice in self.choices_for(channel, arguments.len(), view) {
            let sent = &self.system.channels[choice.channel];
            if sent.queue.is_some() {
                continue;
            }
            let message: Vec<Bounded> = arguments
                .iter()
                .zip(&sent.fields)
                .map(|(argument, field)| self.bounded(argument, view).cut(field.integer()))
                .collect();
            for (partner, location, number) in &self.receivers[choice.channel] {
                if *partner == slot {
                    continue;
                }
                let edge = &self.system.graph(*partner).locations[*location].edges[*number];
                let here = View { slot: Some(*partner), ..view };
                let offer = Offer { channel: choice.channel, message: &message };
                let Some(mut conditions) = self.accepts((*partner, *location), edge, &offer, here) else {
                    continue;
                };
                conditions.retain(|condition| *condition != Value::Constant(1));
                if conditions.contains(&Value::Constant(0)) {
                    continue;
                }
                found.push(Handshake {
                    is_sent: choice.is_chosen.clone(),
                    slot: *partner,
                    location: *location,
                    edge,
                    conditions,
                    message: message.clone(),
                });
            }
        }
        found
    }

    /// The conditions under which a process takes an offered message by this edge. `None` if it never
    /// does.
    ///
    /// While a message is offered, nothing but receiving it is executable. So an escape, or an option
    /// before, holds the edge back only if it receives the message, too.
    fn accepts(
        &self,
        (slot, location): (usize, LocationNumber),
        edge: &Edge<'p>,
        offer: &Offer<'_>,
        view: View<'_>,
    ) -> Option<Vec<Value>> {
        let EdgeKind::Basic(Basic::Receive { channel, copies: false, arguments, .. }) = edge.kind else {
            return None;
        };
        let named = self.choices_for(channel, arguments.len(), view);
        let named = named.into_iter().find(|one| one.channel == offer.channel)?;
        let mut conditions = vec![named.is_chosen];
        for (argument, sent) in arguments.iter().zip(offer.message) {
            match argument {
                ReceiveArgument::Equal(wanted) => {
                    conditions.push(equal(sent.value.clone(), self.value(wanted, view)));
                }
                ReceiveArgument::Store(_) | ReceiveArgument::Ignore => {}
            }
        }
        conditions.extend(self.provided(slot, view));
        let edges = &self.system.graph(slot).locations[location].edges;
        for other in &edge.not_if {
            let taken = self.accepts((slot, location), &edges[*other], offer, view);
            conditions.extend(taken.map(|conditions| not(and(conditions))));
        }
        Some(conditions)
    }
}
