//! Properties that the file itself declares: assertions in states, and the property process.
//!
//! `assert s: e` becomes the invariant "in `s`, `e` holds". The process named after
//! `system async property` is not part of the model but observes it. Its transitions become a Büchi
//! automaton, and the property is that it accepts no run of the model.

use std::collections::BTreeMap;

use model::guarded_commands::{
    BinaryOperator, BuchiAutomaton, DeclaredProperty, DeclaredPropertyKind, Expression, LocationId, Span,
};

use super::declare::{Declarations, unknown_location};
use super::syntax::{self, Mutability, Process};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic};
use crate::lowering::fold;
use crate::names::Symbols;
use crate::question::resolve::Resolver;
use crate::question::syntax::Name;
use crate::spelling::did_you_mean;

/// Adds all properties of `file` to the model.
pub(crate) fn declare(file: &syntax::File<'_>, declarations: &mut Declarations<'_, '_>) {
    let mut uses = BTreeMap::new();
    for (_, process) in declarations.members.clone() {
        assertions(process, &mut uses, declarations);
    }
    let Some(name) = file.system.and_then(|system| system.property) else { return };
    match declarations.property {
        Some(process) => watch(process, declarations),
        None => {
            let message = format!("no process `{}` to be the property", name.text);
            let error = Diagnostic::error(codes::UNKNOWN_PROCESS, name.span, message, "unknown process");
            let help = did_you_mean(name.text, file.processes.iter().map(|process| process.name.text));
            declarations.diagnostics.report(error.help_if_any(help));
        }
    }
}

/// Adds one invariant for each assertion of a process of the model.
fn assertions(
    process: &Process<'_>,
    uses: &mut BTreeMap<String, usize>,
    declarations: &mut Declarations<'_, '_>,
) {
    let Some(known) = declarations.names.processes.get(process.name.text) else { return };
    for assertion in &process.assertions {
        let mut resolver = Resolver::new(&declarations.names, Some(&known.symbols), declarations.diagnostics);
        let condition = resolver.expression(&assertion.condition);
        let Some(location) = known.locations.get(assertion.location.text) else {
            unknown_location(process, assertion.location, declarations.diagnostics);
            continue;
        };
        let Ok(condition) = condition else { continue };
        let here = Expression::cell_equals(known.location, i64::from(location.0));
        let span = assertion.location.span.to(assertion.condition.span);
        let invariant = fold::binary(BinaryOperator::Imply, here, condition, span);
        let base = format!("assert {}.{}", process.name.text, assertion.location.text);
        let count = uses.entry(base.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { base } else { format!("{base}#{count}") };
        let kind = DeclaredPropertyKind::Invariant(invariant);
        declarations.commands.properties.push(DeclaredProperty { name, kind, span });
    }
}

/// Adds the property process as an automaton.
fn watch(process: &Process<'_>, declarations: &mut Declarations<'_, '_>) {
    let locations = declarations.locations(process);
    let initial = known_location(process, process.initial, &locations, declarations);
    let accepting: Vec<Checked<u32>> = process
        .accepting
        .iter()
        .map(|name| known_location(process, *name, &locations, declarations))
        .collect();
    let constants = constants(process, declarations);
    let mut transitions = Vec::with_capacity(process.transitions.len());
    for transition in &process.transitions {
        if let Some(sync) = &transition.synchronisation {
            interferes(sync.span, "synchronise", declarations);
        }
        if let Some(effect) = transition.effects.first() {
            interferes(effect.place.span, "assign variables", declarations);
        }
        let mut resolver = Resolver::new(&declarations.names, Some(&constants), declarations.diagnostics);
        let guards = resolver.expressions(&transition.guards);
        let from = known_location(process, transition.from, &locations, declarations);
        let to = known_location(process, transition.to, &locations, declarations);
        if let (Ok(from), Ok(to), Ok(guards)) = (from, to, guards) {
            transitions.push((from, to, fold::all(guards)));
        }
    }
    let (Ok(initial), Ok(accepting)) = (initial, accepting.into_iter().collect()) else { return };
    let states = process.locations.iter().map(|name| name.text.to_owned()).collect();
    let automaton = BuchiAutomaton { states, initial, accepting, transitions };
    declarations.commands.properties.push(DeclaredProperty {
        name: process.name.text.to_owned(),
        kind: DeclaredPropertyKind::NoAcceptedRun(automaton),
        span: process.name.span,
    });
}

/// The constants of the property process, which may have no variables.
fn constants(process: &Process<'_>, declarations: &mut Declarations<'_, '_>) -> Symbols {
    let mut constants = Symbols::new();
    for declaration in &process.variables {
        let is_constant = declaration.mutability == Mutability::Constant && declaration.length.is_none();
        if !is_constant {
            interferes(declaration.name.span, "have variables", declarations);
        } else {
            declarations.local(declaration, None, &mut constants);
        }
    }
    constants
}

fn known_location(
    process: &Process<'_>,
    name: Name<'_>,
    locations: &BTreeMap<String, LocationId>,
    declarations: &mut Declarations<'_, '_>,
) -> Checked<u32> {
    match locations.get(name.text) {
        Some(location) => Ok(location.0),
        None => Err(unknown_location(process, name, declarations.diagnostics)),
    }
}

fn interferes(span: Span, what: &str, declarations: &mut Declarations<'_, '_>) {
    let message = format!("the property process cannot {what}");
    let error = Diagnostic::error(codes::PROPERTY_CHANGES_MODEL, span, message, "only guards are allowed");
    declarations
        .diagnostics
        .report(error.help("a property only observes the model: put this into another process"));
}
