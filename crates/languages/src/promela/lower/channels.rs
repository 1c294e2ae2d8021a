//! Which channels a `chan` variable can name.
//!
//! A use of a variable channel becomes one step for each channel that the variable may hold, so the
//! sets should be small. They are the least solution of subset constraints, one for each assignment,
//! message and parameter, without regard to control flow (Andersen 1994). Each slot has sets of its
//! own, and a parameter gets only what the runs bring that create a process in its slot.

use std::collections::{BTreeMap, BTreeSet};

use super::super::program::{
    AfterRun, Basic, Expression, ExpressionKind, Initial, LeafId, LeafKind, Place, ReceiveArgument,
};
use super::system::{Channel, Storage, System};
use super::walk::for_each_basic;

/// Something that holds the number of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Global(usize),
    Local { slot: usize, leaf: usize },
    Field { channel: usize, field: usize },
}

/// The channels that each variable may name.
#[derive(Debug, Default)]
pub(super) struct Pointees {
    sets: BTreeMap<Holder, BTreeSet<usize>>,
}

impl Pointees {
    /// Solves the constraints of a system.
    pub(super) fn of(system: &System<'_>) -> Self {
        let mut pointees = Self::default();
        while !system.channels.is_empty() && pointees.round(system) {}
        pointees
    }

    /// The channels that a place may name, by their indices.
    pub(super) fn candidates(&self, system: &System<'_>, place: &Place, slot: Option<usize>) -> Vec<usize> {
        match system.storage(place.leaf, slot) {
            Storage::Channels(first) => {
                let elements = system.leaf(place.leaf, slot).elements() as usize;
                (first..first + elements).collect()
            }
            Storage::Variable(_) => {
                self.sets.get(&holder(place.leaf, slot)).into_iter().flatten().copied().collect()
            }
        }
    }

    /// Adds what follows directly from what is known; `true` if that is anything.
    fn round(&mut self, system: &System<'_>) -> bool {
        let mut is_changed = false;
        let program = system.program;
        for (number, leaf) in program.globals.iter().enumerate() {
            is_changed |= self.declared(system, LeafId::Global(number), &leaf.initial, None);
        }
        for slot in 0..system.slots.len() {
            let proctype = &program.proctypes[system.slots[slot].proctype];
            for (number, leaf) in proctype.locals.iter().enumerate() {
                is_changed |= self.declared(system, LeafId::Local(number), &leaf.initial, Some(slot));
            }
            for_each_basic(&proctype.body, &mut |basic| is_changed |= self.step(system, basic, slot));
        }
        is_changed
    }

    fn declared(
        &mut self,
        system: &System<'_>,
        leaf: LeafId,
        initial: &Initial,
        slot: Option<usize>,
    ) -> bool {
        if system.leaf(leaf, slot).kind != LeafKind::Channel {
            return false;
        }
        let mut found = BTreeSet::new();
        match initial {
            Initial::Value(value) => self.values(system, value, slot, &mut found),
            Initial::List(values) => {
                values.iter().for_each(|value| self.values(system, value, slot, &mut found));
            }
            Initial::Channels { .. } => {
                let is_own = |channel: &Channel| channel.owner == slot && channel.leaf == leaf;
                found.extend((0..system.channels.len()).filter(|number| is_own(&system.channels[*number])));
            }
        }
        self.add(holder(leaf, slot), found)
    }

    fn step(&mut self, system: &System<'_>, basic: &Basic, slot: usize) -> bool {
        let here = Some(slot);
        let mut is_changed = false;
        match basic {
            Basic::Assign(assignments) => {
                for (target, value) in assignments {
                    is_changed |= self.assign(system, target, value, slot);
                }
            }
            Basic::Send { channel, arguments, .. } => {
                for candidate in self.candidates(system, channel, here) {
                    for (field, argument) in arguments.iter().enumerate() {
                        let mut found = BTreeSet::new();
                        self.values(system, argument, here, &mut found);
                        is_changed |= self.add(Holder::Field { channel: candidate, field }, found);
                    }
                }
            }
            Basic::Receive { channel, arguments, .. } => {
                for candidate in self.candidates(system, channel, here) {
                    for (field, argument) in arguments.iter().enumerate() {
                        let ReceiveArgument::Store(target) = argument else { continue };
                        let field = Holder::Field { channel: candidate, field };
                        let found = self.sets.get(&field).cloned().unwrap_or_default();
                        if system.leaf(target.leaf, here).kind == LeafKind::Channel {
                            is_changed |= self.add(holder(target.leaf, here), found);
                        }
                    }
                }
            }
            Basic::Run { proctype, arguments, then, .. } => {
                for pid in system.created.pids(system.runs.number(basic)) {
                    let Some(born) = system.slot_of(pid, proctype.0) else { continue };
                    let locals = &system.program.proctypes[proctype.0].locals;
                    let elements = locals.iter().enumerate();
                    let leaves = elements.flat_map(|(leaf, one)| (0..one.elements()).map(move |_| leaf));
                    for (leaf, argument) in leaves.zip(arguments) {
                        if system.program.proctypes[proctype.0].locals[leaf].kind == LeafKind::Channel {
                            let mut found = BTreeSet::new();
                            self.values(system, argument, here, &mut found);
                            is_changed |= self.add(Holder::Local { slot: born, leaf }, found);
                        }
                    }
                }
                if let AfterRun::Assign(target, value) = then {
                    is_changed |= self.assign(system, target, value, slot);
                }
            }
            Basic::Condition(_) | Basic::Assert(_) | Basic::Print { .. } | Basic::SetPriority { .. } => {}
        }
        is_changed
    }

    fn assign(&mut self, system: &System<'_>, target: &Place, value: &Expression, slot: usize) -> bool {
        if system.leaf(target.leaf, Some(slot)).kind != LeafKind::Channel {
            return false;
        }
        let mut found = BTreeSet::new();
        self.values(system, value, Some(slot), &mut found);
        self.add(holder(target.leaf, Some(slot)), found)
    }

    fn add(&mut self, holder: Holder, found: BTreeSet<usize>) -> bool {
        if found.is_empty() {
            return false;
        }
        let set = self.sets.entry(holder).or_default();
        let before = set.len();
        set.extend(found);
        set.len() > before
    }

    /// The channels whose numbers an expression can have as its value.
    fn values(
        &self,
        system: &System<'_>,
        value: &Expression,
        slot: Option<usize>,
        found: &mut BTreeSet<usize>,
    ) {
        match &value.kind {
            ExpressionKind::Number(number) => {
                let index = usize::try_from(*number - 1).ok().filter(|index| *index < system.channels.len());
                found.extend(index);
            }
            ExpressionKind::Read(place) if system.leaf(place.leaf, slot).kind == LeafKind::Channel => {
                match (system.storage(place.leaf, slot), place.indices.as_slice()) {
                    (Storage::Channels(first), [Expression { kind: ExpressionKind::Number(index), .. }])
                        if *index >= 0 && *index < i64::from(system.leaf(place.leaf, slot).elements()) =>
                    {
                        found.insert(first + *index as usize);
                    }
                    (Storage::Channels(first), [Expression { kind: ExpressionKind::Pid, .. }])
                        if let Some(slot) = slot
                            && system.slots[slot].pid < system.leaf(place.leaf, Some(slot)).elements() =>
                    {
                        found.insert(first + system.slots[slot].pid as usize);
                    }
                    _ => found.extend(self.candidates(system, place, slot)),
                }
            }
            ExpressionKind::Conditional(_, then, otherwise) => {
                self.values(system, then, slot, found);
                self.values(system, otherwise, slot, found);
            }
            ExpressionKind::RemoteVariable { proctype, local, .. } => {
                for (number, other) in system.slots.iter().enumerate() {
                    if other.proctype != proctype.0 {
                        continue;
                    }
                    match other.locals[*local] {
                        Storage::Channels(first) => {
                            let leaf = system.leaf(LeafId::Local(*local), Some(number));
                            found.extend(first..first + leaf.elements() as usize);
                        }
                        Storage::Variable(_) => {
                            let held = Holder::Local { slot: number, leaf: *local };
                            found.extend(self.sets.get(&held).into_iter().flatten());
                        }
                    }
                }
            }
            // Comparisons and the like: 0 and 1 are no channels that anybody means.
            ExpressionKind::Unary(..)
            | ExpressionKind::Timeout
            | ExpressionKind::NonProgress
            | ExpressionKind::Length(_)
            | ExpressionKind::Empty(_)
            | ExpressionKind::NonEmpty(_)
            | ExpressionKind::Full(_)
            | ExpressionKind::NonFull(_)
            | ExpressionKind::Poll { .. }
            | ExpressionKind::Enabled(_)
            | ExpressionKind::RemoteLocation { .. } => {}
            // Numbers that were computed, or kept in a variable of another type.
            ExpressionKind::Read(_)
            | ExpressionKind::Binary(..)
            | ExpressionKind::Pid
            | ExpressionKind::ProcessCount
            | ExpressionKind::Last
            | ExpressionKind::OwnPriority
            | ExpressionKind::Created
            | ExpressionKind::ProgramCounter(_)
            | ExpressionKind::Priority(_) => found.extend(0..system.channels.len()),
        }
    }
}

fn holder(leaf: LeafId, slot: Option<usize>) -> Holder {
    match leaf {
        LeafId::Global(leaf) => Holder::Global(leaf),
        LeafId::Local(leaf) => Holder::Local { slot: slot.expect("claims have no locals"), leaf },
    }
}
