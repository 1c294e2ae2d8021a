//! From a resolved program to guarded commands.
//!
//! Every process that may exist is a process of the guarded commands ([`system`]), channels are
//! queues ([`channels`]), and a step of Promela is an action ([`path`]), made from the ways to execute
//! its statements ([`step`]), the conditions under which they are executable ([`ready`]) and their
//! expressions ([`value`]). [`claim`] makes properties of never claims, formulas and labels.
//!
//! The lowering is repeated until every process that a sample of runs creates has a place
//! ([`created`]). A model that needs more later ends with a run-time error that says so, and is lowered
//! again with what was learnt.

mod channels;
mod claim;
mod created;
mod known;
mod names;
mod path;
mod ready;
mod step;
mod system;
mod value;
mod walk;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use model::guarded_commands::{ActionId, DeclaredProperty, Expression as Value, GuardedCommands, Span};
use model::interpreter::Interpreter;

use self::channels::Pointees;
use self::created::Missing;
pub use self::created::{CreatedProcesses, MissingProcesses};
use self::ready::Receiver;
use self::system::{Storage, System};
use self::value::{View, or};
use super::graph::{self, EdgeKind, Graph};
use super::program::{Basic, Expression, ExpressionKind, LeafId, Place, Program};
use crate::diagnostic::{Checked, Diagnostics};
use crate::{DeclaredFormula, Source};

/// A program as guarded commands.
pub(crate) struct Lowered {
    pub(crate) commands: GuardedCommands,
    /// The formulas of its `ltl` blocks.
    pub(crate) formulas: Vec<DeclaredFormula>,
    /// Properties of labels, which are checked only if they are named.
    pub(crate) optional: Vec<DeclaredProperty>,
    /// Where a run may end.
    pub(crate) valid_end: Value,
    /// The names of processes, with their variables, channels and labelled locations.
    pub(crate) names: crate::names::Names,
    /// The steps that would need a place for another process.
    pub(crate) missing: MissingProcesses,
}

/// One attempt at lowering, with the places that are known so far.
struct Lowering<'p, 't> {
    system: System<'p>,
    pointees: Pointees,
    /// For each channel, the statements that receive from it.
    receivers: Vec<Vec<Receiver>>,
    /// Expressions that say whether a process can move, by whether `timeout` is taken to be false.
    moves: RefCell<BTreeMap<(usize, bool), Value>>,
    missing: BTreeMap<ActionId, Missing>,
    text: &'t str,
    lines: Source<'t>,
}

/// Lowers a program with places for these processes, and for more that a sample finds. `text` is the
/// text of the file, in which spans are.
pub(crate) fn lower(
    program: &Program,
    text: &str,
    created: &CreatedProcesses,
    diagnostics: &mut Diagnostics,
) -> Checked<Lowered> {
    let referenced = referenced_labels(program);
    let graphs: Vec<Graph<'_>> = program
        .proctypes
        .iter()
        .map(|proctype| graph::build(&proctype.body, proctype.end, &referenced))
        .collect();
    let mut created = created.clone();
    loop {
        let mut lowering = Lowering::new(program, &graphs, &created, text);
        lowering.make_actions();
        let missing = std::mem::take(&mut lowering.missing);
        lowering.system.commands.outgrowing = missing.keys().copied().collect();
        let missing = MissingProcesses::new(&created, missing, lowering.system.count);
        let found = missing.sampled(&lowering.system.commands);
        if found == created {
            return lowering.finish(missing, diagnostics);
        }
        created = found;
    }
}

impl<'p, 't> Lowering<'p, 't> {
    fn new(
        program: &'p Program,
        graphs: &'p [Graph<'p>],
        created: &'p CreatedProcesses,
        text: &'t str,
    ) -> Self {
        let system = System::new(program, graphs, created);
        let pointees = Pointees::of(&system);
        let receivers = vec![Vec::new(); system.channels.len()];
        let (moves, missing) = Default::default();
        let lines = Source::new(text);
        let mut lowering = Self { system, pointees, receivers, moves, missing, text, lines };
        lowering.set_initial_values();
        lowering.find_receivers();
        lowering
    }

    /// Evaluates the initial values of globals and of the processes that exist at the start, in
    /// order: each may use those before it.
    fn set_initial_values(&mut self) {
        let program = self.system.program;
        let globals = (0..program.globals.len()).map(|number| (LeafId::Global(number), None));
        let mut leaves: Vec<(LeafId, Option<usize>)> = globals.collect();
        for (pid, proctype) in program.active.iter().enumerate() {
            let Some(slot) = self.system.slot_of(pid as u32, proctype.0) else { continue };
            let locals = 0..program.proctypes[proctype.0].locals.len();
            leaves.extend(locals.map(|number| (LeafId::Local(number), Some(slot))));
        }
        for (leaf, slot) in leaves {
            let Storage::Variable(variable) = self.system.storage(leaf, slot) else { continue };
            let view = View { slot, ..View::default() };
            let initial = &self.system.leaf(leaf, slot).initial;
            let values = self.initial_values(leaf, initial, view);
            let interpreter = Interpreter::new(&self.system.commands);
            let state = self.system.commands.initial_state();
            let known: Vec<i64> =
                values.iter().map(|value| interpreter.evaluate(value, &state).unwrap_or(0)).collect();
            let first = self.system.commands.variable(variable).first_cell.index();
            for (cell, value) in (first..).zip(known) {
                let declared = self.system.commands.cells[cell].declared;
                self.system.commands.cells[cell].initial = declared.wrap(value);
            }
        }
    }

    fn find_receivers(&mut self) {
        for slot in 0..self.system.slots.len() {
            let view = View { slot: Some(slot), ..View::default() };
            let graph = self.system.graph(slot);
            for (location, at) in graph.locations.iter().enumerate() {
                for (number, edge) in at.edges.iter().enumerate() {
                    if let EdgeKind::Basic(Basic::Receive { channel, copies: false, arguments, .. }) =
                        edge.kind
                    {
                        for choice in self.choices_for(channel, arguments.len(), view) {
                            self.receivers[choice.channel].push((slot, location, number));
                        }
                    }
                }
            }
        }
    }

    /// The text of a statement, on one line and not too long.
    fn statement_text(&self, span: Span) -> String {
        const LONGEST: usize = 40;
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > LONGEST {
            line = line.chars().take(LONGEST - 1).chain(['…']).collect();
        }
        line
    }

    /// The states without steps that are valid ends: every process is at its end, or at a label that
    /// begins with `end`.
    fn valid_end(&self) -> Value {
        let slots = (0..self.system.slots.len()).map(|slot| {
            let graph = self.system.graph(slot);
            let ends = graph.locations.iter().enumerate().filter(|(number, location)| {
                *number == graph.end || location.labels.iter().any(|label| label.starts_with("end"))
            });
            let absent = Value::cell_equals(self.system.slots[slot].location, 0);
            let at_ends = ends.map(|(number, _)| self.at(slot, number, View::default()));
            or([absent].into_iter().chain(at_ends))
        });
        value::and(slots)
    }
}

/// An expression that reads a place.
fn read_of(place: &Place) -> Expression {
    Expression::new(ExpressionKind::Read(place.clone()), place.span)
}

/// The labels that remote references mention.
fn referenced_labels(program: &Program) -> BTreeSet<String> {
    let mut labels = BTreeSet::new();
    let mut note = |expression: &Expression| {
        walk::for_each_subexpression(expression, &mut |one| {
            if let ExpressionKind::RemoteLocation { label, .. } = &one.kind {
                labels.insert(label.clone());
            }
        });
    };
    for proctype in &program.proctypes {
        proctype.provided.iter().for_each(&mut note);
        walk::for_each_basic(&proctype.body, &mut |basic| walk::for_each_expression(basic, &mut note));
    }
    for claim in &program.never {
        walk::for_each_basic(&claim.body, &mut |basic| walk::for_each_expression(basic, &mut note));
    }
    for formula in &program.formulas {
        claim::for_each_proposition(&formula.formula, &mut note);
    }
    labels
}
