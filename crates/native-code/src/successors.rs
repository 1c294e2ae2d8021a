//! The successor function: dispatch on locations, test guards, write successors.
//!
//! The actions of a location form a decision tree. A test that neighbouring actions share is made
//! once: the guard of a sender is evaluated once for all its receivers, and receivers in different
//! locations of one process become one jump. Successors keep the order of the interpreter, because
//! only neighbours are merged and locations exclude each other.
//!
//! The code of a large model is cut into *sections*, one function each.

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{Switch, Variable};
use model::guarded_commands::{
    ActionId, Effect, Expression, GuardedCommands, LocationId, LocationKind, ProcessId,
};
use model::interpreter::actions_by_location;
use model::meaning::StateDomain;

use crate::expressions::Translator;
use crate::working_state::WorkingState;

/// Actions of one function. Beyond a few hundred, compile time grows faster than the code.
const ACTIONS_PER_SECTION: usize = 200;

/// The states in which a section is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All states of a model whose locations are ordinary.
    Always,
    /// States of this priority.
    Of(LocationKind),
}

/// Some of a model's actions, compiled as one function.
#[derive(Debug)]
pub struct Section {
    pub mode: Mode,
    /// For each process, some of its locations.
    processes: Vec<(ProcessId, Vec<LocationActions>)>,
}

/// A location with the actions that start there.
type LocationActions = (LocationId, Vec<ActionId>);

/// All actions of the model in their order, cut into sections.
pub fn sections(model: &GuardedCommands) -> Vec<Section> {
    let greater = LocationKind::ALL.into_iter().skip(1).filter(|kind| model.has_locations(*kind));
    let mut modes: Vec<Mode> = std::iter::once(LocationKind::Ordinary).chain(greater).map(Mode::Of).collect();
    if let [only] = &mut modes[..] {
        *only = Mode::Always;
    }
    let table = actions_by_location(model);
    let mut sections = Vec::new();
    for mode in modes {
        let mut section = Section { mode, processes: Vec::new() };
        let mut size = 0;
        for (number, locations) in table.iter().enumerate() {
            let process = ProcessId(number as u32);
            for (number, actions) in locations.iter().enumerate() {
                let location = LocationId(number as u32);
                let actions: Vec<ActionId> =
                    actions.iter().copied().filter(|action| fires_in(model, *action, mode)).collect();
                if actions.is_empty() {
                    continue;
                }
                if size > 0 && size + actions.len() > ACTIONS_PER_SECTION {
                    sections.push(std::mem::replace(&mut section, Section { mode, processes: Vec::new() }));
                    size = 0;
                }
                size += actions.len();
                match section.processes.last_mut() {
                    Some((last, locations)) if *last == process => locations.push((location, actions)),
                    _ => section.processes.push((process, vec![(location, actions)])),
                }
            }
        }
        sections.push(section);
    }
    sections
}

/// Whether the action can fire in this mode.
fn fires_in(model: &GuardedCommands, action: ActionId, mode: Mode) -> bool {
    match mode {
        Mode::Always => true,
        Mode::Of(kind) => model.priority(model.action(action)) == Some(kind),
    }
}

/// A condition of an action.
#[derive(Clone, Copy)]
enum Test<'m> {
    Location(ProcessId, LocationId),
    Guard(&'m Expression),
}

/// An action with all its tests, except the location that it is listed under.
struct Candidate<'m> {
    action: ActionId,
    tests: Vec<Test<'m>>,
}

impl<'m> Candidate<'m> {
    fn new(model: &'m GuardedCommands, action: ActionId) -> Self {
        let mut tests = Vec::new();
        for (number, participant) in model.action(action).participants.iter().enumerate() {
            if number > 0 {
                tests.push(Test::Location(participant.process, participant.from));
            }
            tests.extend(participant.guards.iter().map(Test::Guard));
        }
        Self { action, tests }
    }
}

/// The addresses of the next successor.
#[derive(Clone, Copy)]
struct Output {
    words: Variable,
    actions: Variable,
}

impl<'a> Translator<'a, '_> {
    /// A function that writes the successors by the actions of one section.
    pub fn translate_section(mut self, section: &Section) {
        let output = Output {
            words: self.builder.declare_var(types::I64),
            actions: self.builder.declare_var(types::I64),
        };
        self.builder.def_var(output.words, self.parameters[1]);
        self.builder.def_var(output.actions, self.parameters[2]);
        for (process, locations) in &section.processes {
            let location = self.read_cell(self.model.process(*process).location);
            let after = self.builder.create_block();
            let mut switch = Switch::new();
            let blocks: Vec<_> = locations
                .iter()
                .map(|(location, _)| {
                    let block = self.builder.create_block();
                    switch.set_entry(u128::from(location.0), block);
                    block
                })
                .collect();
            switch.emit(self.builder, location, after);
            for (block, (_, actions)) in blocks.into_iter().zip(locations) {
                self.builder.switch_to_block(block);
                let candidates: Vec<Candidate<'a>> =
                    actions.iter().map(|action| Candidate::new(self.model, *action)).collect();
                self.decide(&candidates.iter().collect::<Vec<_>>(), 0, output);
                self.builder.ins().jump(after, &[]);
            }
            self.builder.switch_to_block(after);
        }
        let end = self.builder.use_var(output.actions);
        self.builder.ins().return_(&[end]);
        self.give_up();
    }

    fn give_up(&mut self) {
        self.builder.switch_to_block(self.trouble);
        let null = self.constant(0);
        self.builder.ins().return_(&[null]);
    }

    /// Code for candidates whose first `depth` tests are true.
    fn decide(&mut self, candidates: &[&Candidate<'a>], depth: usize, output: Output) {
        let mut rest = candidates;
        while let Some(first) = rest.first() {
            let Some(test) = first.tests.get(depth).copied() else {
                self.fire(first.action, output);
                rest = &rest[1..];
                continue;
            };
            let shared = rest
                .iter()
                .take_while(|other| other.tests.get(depth).is_some_and(|next| merge(test, *next)))
                .count();
            let (group, others) = rest.split_at(shared);
            rest = others;
            let after = self.builder.create_block();
            match test {
                Test::Guard(_) => {
                    // All guards that the group shares, in a loop: a transition may have thousands.
                    let mut depth = depth;
                    while let Some(Test::Guard(guard)) = first.tests.get(depth)
                        && group.iter().all(|one| {
                            one.tests.get(depth).is_some_and(|next| merge(Test::Guard(guard), *next))
                        })
                    {
                        let is_true = self.builder.create_block();
                        self.branch(guard, is_true, after);
                        self.builder.switch_to_block(is_true);
                        depth += 1;
                    }
                    self.decide(group, depth, output);
                    self.builder.ins().jump(after, &[]);
                }
                Test::Location(process, _) => {
                    let mut by_location: BTreeMap<LocationId, Vec<&Candidate<'a>>> = BTreeMap::new();
                    for candidate in group {
                        if let Some(Test::Location(_, location)) = candidate.tests.get(depth) {
                            by_location.entry(*location).or_default().push(candidate);
                        }
                    }
                    let location = self.read_cell(self.model.process(process).location);
                    let mut switch = Switch::new();
                    let blocks: Vec<_> = by_location
                        .keys()
                        .map(|location| {
                            let block = self.builder.create_block();
                            switch.set_entry(u128::from(location.0), block);
                            block
                        })
                        .collect();
                    switch.emit(self.builder, location, after);
                    for (block, candidates) in blocks.into_iter().zip(by_location.values()) {
                        self.builder.switch_to_block(block);
                        self.decide(candidates, depth + 1, output);
                        self.builder.ins().jump(after, &[]);
                    }
                }
            }
            self.builder.switch_to_block(after);
        }
    }

    /// Writes the successor by an action that is enabled.
    fn fire(&mut self, id: ActionId, output: Output) {
        let action = self.model.action(id);
        let successor = self.builder.use_var(output.words);
        let may_end = |effect: &Effect| matches!(effect, Effect::Guard(_) | Effect::Fail { .. });
        let after = action.effects.iter().any(may_end).then(|| self.builder.create_block());
        self.working = WorkingState::to(successor, after);
        let effects = action.effects.iter().try_for_each(|effect| self.effect(effect));
        if effects.is_ok() {
            self.write_successor(id, successor, output);
        }
        if let Some(after) = after {
            if effects.is_ok() {
                self.builder.ins().jump(after, &[]);
            }
            self.builder.switch_to_block(after);
        }
        self.working = WorkingState::default();
    }

    /// Writes the successor, whose effects are in the working state.
    fn write_successor(&mut self, id: ActionId, successor: Value, output: Output) {
        let action = self.model.action(id);
        for participant in &action.participants {
            self.move_to(participant.process, participant.to);
        }
        self.finish_state();
        let actions = self.builder.use_var(output.actions);
        let number = self.builder.ins().iconst(types::I32, i64::from(id.0));
        self.builder.ins().store(MemFlagsData::trusted(), number, actions, 0);
        let actions = self.builder.ins().iadd_imm_s(actions, 4);
        self.builder.def_var(output.actions, actions);
        let words = self.builder.ins().iadd_imm_s(successor, self.layout.words() as i64 * 8);
        self.builder.def_var(output.words, words);
    }

    /// A function that calls the sections that apply to a state, one after the other.
    pub fn call_sections(mut self, sections: &[Section], functions: &[FuncRef]) {
        let with_mode = |mode: Mode| {
            sections
                .iter()
                .zip(functions)
                .filter(move |(section, _)| section.mode == mode)
                .map(|(_, function)| *function)
        };
        if sections.iter().any(|section| section.mode == Mode::Always) {
            self.call_all(with_mode(Mode::Always));
        } else {
            for kind in LocationKind::ALL.into_iter().skip(1).rev() {
                if sections.iter().any(|section| section.mode == Mode::Of(kind)) {
                    let (inside, outside) = (self.builder.create_block(), self.builder.create_block());
                    self.branch_on_location(kind, inside, outside);
                    self.builder.switch_to_block(inside);
                    self.call_all(with_mode(Mode::Of(kind)));
                    self.builder.switch_to_block(outside);
                }
            }
            self.call_all(with_mode(Mode::Of(LocationKind::Ordinary)));
        }
        self.give_up();
    }

    fn call_all(&mut self, functions: impl Iterator<Item = FuncRef>) {
        let [state, first_word, first_action] = [self.parameters[0], self.parameters[1], self.parameters[2]];
        let (mut words, mut actions) = (first_word, first_action);
        for function in functions {
            let call = self.builder.ins().call(function, &[state, words, actions]);
            actions = self.builder.inst_results(call)[0];
            let gave_up = self.builder.ins().icmp_imm_s(IntCC::Equal, actions, 0);
            self.trouble_if(gave_up);
            // Four bytes of actions for each successor, eight for each of its words.
            let written = self.builder.ins().isub(actions, first_action);
            let written = self.builder.ins().imul_imm_s(written, self.layout.words() as i64 * 2);
            words = self.builder.ins().iadd(first_word, written);
        }
        self.builder.ins().return_(&[actions]);
    }

    /// Goes to one of two blocks, by whether some process is in a location of this kind.
    fn branch_on_location(&mut self, kind: LocationKind, inside: Block, outside: Block) {
        for process in &self.model.processes {
            if !process.locations.iter().any(|location| location.kind == kind) {
                continue;
            }
            let location: Value = self.read_cell(process.location);
            let next = self.builder.create_block();
            let mut switch = Switch::new();
            for (number, location) in process.locations.iter().enumerate() {
                if location.kind == kind {
                    switch.set_entry(number as u128, inside);
                }
            }
            switch.emit(self.builder, location, next);
            self.builder.switch_to_block(next);
        }
        self.builder.ins().jump(outside, &[]);
    }
}

/// Whether one piece of code can make both tests.
fn merge(first: Test<'_>, second: Test<'_>) -> bool {
    match (first, second) {
        (Test::Guard(a), Test::Guard(b)) => a == b,
        (Test::Location(a, _), Test::Location(b, _)) => a == b,
        _ => false,
    }
}
