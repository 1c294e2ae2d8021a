//! A net as guarded commands.
//!
//! A place is a variable. A transition is an action that tests and changes its places in one
//! assignment. All actions belong to one process with a single location, which is named after the
//! net and takes no bits. They are in the order in which they are best [tested](test_order).
//!
//! The range of a variable is never guessed. Where a bound is proved, its type is just wide enough,
//! and no store needs a test. If the file claims that the net is safe, places without a proof get
//! one bit. Every other place gets 32 bits. A token too many is then a run-time error and never
//! wraps around.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::guarded_commands::{
    Action, ActionId, Assignment, BinaryOperator, CellId, Effect, Expression, GuardedCommands, IntegerType,
    Location, LocationId, LocationKind, Overflow, Participant, ProcessId, Shape, Span, Strength, Target,
};

use super::bounds;
use super::net::{Fairness, Net, NetArc, NetTransition};
use super::test_order::{self, Ordered};
use crate::lowering::fold;
use crate::names::{Names, ProcessNames, Symbol};
use crate::question::tokens::is_name;
use crate::{Extras, Format, Model};

/// The type of a place without a proved bound.
const ANY_NUMBER: IntegerType = IntegerType { bits: 32, signed: false };

/// The name of the one location.
const LOCATION: &str = "net";

/// The net as a model.
pub(super) fn model(net: Arc<Net>, format: &'static Format) -> Model {
    let mut commands = GuardedCommands::default();
    let mut names = Names::default();
    let proved = bounds::proved_bounds(&net);
    for (place, proved) in net.places.iter().zip(&proved) {
        let integer = match proved {
            Some(bound) => IntegerType::unsigned_up_to(*bound),
            None if net.claimed_safe && place.tokens <= 1 => IntegerType::unsigned_up_to(1),
            None => ANY_NUMBER,
        };
        let initial = i64::from(place.tokens);
        let shape = Shape::Scalar(integer);
        let variable = commands.add_variable(place.name.clone(), None, shape, &[initial], place.span);
        let cell = commands.variable(variable).first_cell;
        let overflow = if proved.is_some() { Overflow::IsExcluded } else { Overflow::IsError };
        commands.cells[cell.index()].overflow = overflow;
        names.globals.insert(place.name.clone(), Symbol::Scalar { cell, integer });
    }
    let process = add_process(&net, &mut commands, &mut names);
    let transitions = test_order::ordered(&net);
    let strength = |(number, one): (u32, &Ordered)| {
        let strength = match net.transitions[one.transition].fairness {
            Fairness::None => return None,
            Fairness::Weak => Strength::Weak,
            Fairness::Strong => Strength::Strong,
        };
        Some((ActionId(number), strength))
    };
    commands.fair_actions = (0..).zip(&transitions).filter_map(strength).collect();
    let actions = transitions.into_iter().map(|one| {
        let transition = &net.transitions[one.transition];
        action(transition, guards(&one.inputs, &transition.inhibitors), &commands, process)
    });
    commands.actions = actions.collect();
    Model {
        format,
        commands,
        warnings: Vec::new(),
        progress: None,
        progress_errors: Vec::new(),
        formulas: Vec::new(),
        optional: Vec::new(),
        valid_end: None,
        extras: Extras::Net(net),
        names,
    }
}

/// Adds the process that owns the actions.
fn add_process(net: &Net, commands: &mut GuardedCommands, names: &mut Names) -> ProcessId {
    // A net may have any name, but the name of a process is a word.
    let word = |one: char| if one.is_ascii_alphanumeric() { one } else { '_' };
    let mut name: String = net.name.chars().map(word).collect();
    if !is_name(&name) {
        name.insert(0, '_');
    }
    while names.globals.contains_key(&name) {
        name.push('_');
    }
    let location = Location { name: LOCATION.into(), kind: LocationKind::Ordinary, span: Span::default() };
    let process = commands.add_process(name.clone(), vec![location], LocationId(0), Span::default());
    let location = commands.process(process).location;
    let locations = BTreeMap::from([(LOCATION.to_owned(), LocationId(0))]);
    names.processes.insert(name, ProcessNames { location, locations, symbols: BTreeMap::new() });
    process
}

fn action(
    transition: &NetTransition,
    guards: Vec<Expression>,
    commands: &GuardedCommands,
    process: ProcessId,
) -> Action {
    let (from, to) = (LocationId(0), LocationId(0));
    let participant = Participant { process, from, to, guards, span: transition.span };
    let changes: Vec<Assignment> = transition
        .changes()
        .into_iter()
        .map(|(place, change)| {
            let cell = CellId(place);
            let value = changed(cell, change, commands.cells[cell.index()].declared);
            Assignment { target: Target::Cell(cell), value }
        })
        .collect();
    let effects = if changes.is_empty() { Vec::new() } else { vec![Effect::Assign(changes)] };
    Action { participants: vec![participant], effects, channel: None, name: Some(transition.name.clone()) }
}

/// The tests of a transition. Cells have the numbers of places.
fn guards(inputs: &[NetArc], inhibitors: &[NetArc]) -> Vec<Expression> {
    let test = |operator, place: u32, weight: u32| {
        let (tokens, weight) = (Expression::Cell(CellId(place)), Expression::Constant(i64::from(weight)));
        Expression::binary(operator, tokens, weight)
    };
    let enough = inputs.iter();
    let enough = enough.map(|arc| test(BinaryOperator::GreaterOrEqual, arc.place, arc.weight));
    let few = inhibitors.iter();
    let few = few.map(|arc| test(BinaryOperator::Less, arc.place, arc.weight));
    enough.chain(few).collect()
}

/// The tokens of a place after a change. A transition that takes all that a place can hold leaves
/// none.
fn changed(cell: CellId, change: i64, declared: IntegerType) -> Expression {
    if change == -declared.max() {
        return Expression::Constant(0);
    }
    let operator = if change < 0 { BinaryOperator::Subtract } else { BinaryOperator::Add };
    Expression::binary(operator, Expression::Cell(cell), Expression::Constant(change.abs()))
}

/// The condition under which a transition can fire.
pub(super) fn enabled(transition: &NetTransition) -> Expression {
    fold::all(guards(&transition.inputs, &transition.inhibitors))
}
