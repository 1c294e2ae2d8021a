//! A state space as guarded commands, so that every engine, question and trace works on it
//! unchanged.
//!
//! The state of the one process determines everything. The variables repeat what the file says
//! about it, because expressions, measures and traces refer to variables. Each arc is an action
//! that moves the process and assigns the variables that differ between its two ends.

use std::collections::BTreeMap;

use model::guarded_commands::{
    Action, Assignment, CellId, Effect, Expression, GuardedCommands, IntegerType, Location, LocationId,
    LocationKind, Participant, ProcessId, Shape, Span, Target,
};
use model::measure::MeasureKind;

use super::{INTERNAL, StateRow, StateSpace};
use crate::names::{Names, ProcessNames, Symbol};
use crate::{DeclaredMeasure, Extras, Model, format};

/// The type of a proposition.
const BIT: IntegerType = IntegerType { bits: 1, signed: false };

impl StateSpace {
    /// The space as a model, which declares its progress values as a measure. The space must have a
    /// state, as every space that was read does.
    pub fn model(&self) -> Model {
        debug_assert!(!self.states.is_empty(), "a model starts somewhere");
        let mut commands = GuardedCommands::default();
        let mut names = Names::default();
        let initial = self.states.first();
        for (place, name) in self.propositions.iter().enumerate() {
            let holds = initial.and_then(|state| state.truths.get(place)).copied().unwrap_or(false);
            declare(name, BIT, i64::from(holds), &mut commands, &mut names);
        }
        let highest = self.states.iter().map(|state| state.progress).max().unwrap_or(0);
        let integer = IntegerType::unsigned_up_to(highest);
        let first = i64::from(initial.map_or(0, |state| state.progress));
        let text = self.free_name("progress");
        let progress = declare(&text, integer, first, &mut commands, &mut names);
        let process = self.process(&mut commands, &mut names);
        commands.actions = self.arcs(process, progress);
        let components = vec![Expression::Cell(progress)];
        let progress = Some(DeclaredMeasure {
            text,
            span: Span::default(),
            components,
            kind: MeasureKind::Lexicographic,
        });
        let (format, extras) = (&format::STATE_SPACE, Extras::Space);
        let (warnings, progress_errors) = (Vec::new(), Vec::new());
        let (formulas, optional, valid_end) = Default::default();
        Model {
            format,
            commands,
            warnings,
            progress,
            progress_errors,
            formulas,
            optional,
            valid_end,
            extras,
            names,
        }
    }

    /// `name`, extended until no proposition has it.
    pub(super) fn free_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.propositions.contains(&name) {
            name.push('_');
        }
        name
    }

    fn process(&self, commands: &mut GuardedCommands, names: &mut Names) -> ProcessId {
        let described = |state: &StateRow| Location {
            name: state.id.to_string(),
            kind: LocationKind::Ordinary,
            span: Span::default(),
        };
        let described = self.states.iter().map(described).collect();
        let name = self.free_name("space");
        let process = commands.add_process(name.clone(), described, LocationId(0), Span::default());
        let numbered = self.states.iter().enumerate();
        let locations = numbered.map(|(number, state)| (state.id.to_string(), LocationId(number as u32)));
        let (location, symbols) = (commands.process(process).location, BTreeMap::new());
        let known = ProcessNames { location, locations: locations.collect(), symbols };
        names.processes.insert(name, known);
        process
    }

    fn arcs(&self, process: ProcessId, progress: CellId) -> Vec<Action> {
        let mut actions = Vec::with_capacity(self.states.iter().map(|state| state.arcs.len()).sum());
        for (number, state) in self.states.iter().enumerate() {
            for arc in &state.arcs {
                let target = &self.states[arc.target as usize];
                let participant = Participant {
                    process,
                    from: LocationId(number as u32),
                    to: LocationId(arc.target),
                    guards: Vec::new(),
                    span: Span::default(),
                };
                let changes = changes(state, target, progress);
                let effects = if changes.is_empty() { Vec::new() } else { vec![Effect::Assign(changes)] };
                let name = self.actions[arc.action as usize].as_str();
                let channel = (name != INTERNAL).then(|| name.to_owned());
                actions.push(Action { participants: vec![participant], effects, channel, name: None });
            }
        }
        actions
    }
}

/// Adds a global variable and its name.
fn declare(
    name: &str,
    integer: IntegerType,
    initial: i64,
    commands: &mut GuardedCommands,
    names: &mut Names,
) -> CellId {
    let shape = Shape::Scalar(integer);
    let variable = commands.add_variable(name, None, shape, &[initial], Span::default());
    let cell = commands.variable(variable).first_cell;
    names.globals.insert(name.to_owned(), Symbol::Scalar { cell, integer });
    cell
}

/// The assignments on an arc from one state to another. Propositions have the first cells.
fn changes(from: &StateRow, to: &StateRow, progress: CellId) -> Vec<Assignment> {
    let assign = |cell, value| Assignment { target: Target::Cell(cell), value: Expression::Constant(value) };
    let truths = from.truths.iter().zip(&to.truths).enumerate();
    let truths = truths.filter(|(_, (before, after))| before != after);
    let truths = truths.map(|(place, (_, after))| assign(CellId(place as u32), i64::from(*after)));
    let moved = (from.progress != to.progress).then(|| assign(progress, i64::from(to.progress)));
    truths.chain(moved).collect()
}
