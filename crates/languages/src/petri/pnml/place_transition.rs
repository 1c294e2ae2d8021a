//! From a document to a place/transition net.

use std::collections::HashMap;

use model::guarded_commands::Span;

use super::read::{Node, WrittenArc, WrittenNet};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics};
use crate::petri::net::{Fairness, Net, NetArc, NetPlace, NetTransition, Unit};
use crate::petri::xml::Element;
use crate::spelling::did_you_mean;

/// A place or a transition, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeId {
    Place(u32),
    Transition(u32),
}

/// The net. After a reported error it lacks what could not be read.
pub(super) fn net(written: &WrittenNet, diagnostics: &mut Diagnostics) -> Net {
    let mut net = Net { name: written.name.clone(), claimed_safe: written.claimed_safe, ..Net::default() };
    let names = node_names(written, diagnostics);
    for place in &written.places {
        let tokens = place.part("initialMarking").map_or(Ok(0), |part| count(part, diagnostics));
        let place = NetPlace { name: place.id.clone(), tokens: tokens.unwrap_or(0), span: place.span };
        let group = place.name.clone();
        net.add_place(place, &group);
    }
    let mut transitions: Vec<NetTransition> = written.transitions.iter().map(transition).collect();
    for arc in &written.arcs {
        // The error was reported; the other arcs are still read.
        let _ = add_arc(arc, &names, &mut transitions, diagnostics);
    }
    for transition in transitions {
        let group = transition.name.clone();
        net.add_transition(transition, &group);
    }
    net.units = units(written, &names, diagnostics);
    net
}

fn transition(node: &Node) -> NetTransition {
    NetTransition {
        name: node.id.clone(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        inhibitors: Vec::new(),
        fairness: Fairness::None,
        span: node.span,
    }
}

/// All nodes by name, including references.
pub(super) fn node_names<'w>(
    written: &'w WrittenNet,
    diagnostics: &mut Diagnostics,
) -> HashMap<&'w str, NodeId> {
    let places = written.places.iter().zip(0..).map(|(node, number)| (node, NodeId::Place(number)));
    let transitions = written.transitions.iter().zip(0..);
    let transitions = transitions.map(|(node, number)| (node, NodeId::Transition(number)));
    let mut names = HashMap::new();
    for (node, number) in places.chain(transitions) {
        if names.insert(node.id.as_str(), number).is_some() {
            diagnostics.report(declared_twice(&node.id, node.span));
        }
    }
    let targets: HashMap<&str, &str> =
        written.references.iter().map(|(id, target, _)| (id.as_str(), target.as_str())).collect();
    for (id, target, span) in &written.references {
        let mut meant = target.as_str();
        // A reference may lead to another one, but not in a circle.
        for _ in 0..written.references.len() {
            match targets.get(meant) {
                Some(next) => meant = next,
                None => break,
            }
        }
        match names.get(meant).copied() {
            Some(number) if !names.contains_key(id.as_str()) => {
                names.insert(id, number);
            }
            Some(_) => {
                diagnostics.report(declared_twice(id, *span));
            }
            None => {
                diagnostics.report(unknown_node(target, *span, names.keys().copied()));
            }
        }
    }
    names
}

fn declared_twice(id: &str, span: Span) -> Diagnostic {
    let message = format!("two nodes have the id `{id}`");
    let error = Diagnostic::error(codes::DECLARED_TWICE, span, message, "the second one");
    error.help("give every place and every transition an id of its own")
}

/// The error about a name that is no node.
pub(in crate::petri) fn unknown_node<'n>(
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    let message = format!("the net has no node `{name}`");
    let error = Diagnostic::error(codes::UNKNOWN_NODE, span, message, "unknown place or transition");
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    let help = did_you_mean(name, known);
    error.help(help.unwrap_or_else(|| "nodes are named by their id, not by their label".to_owned()))
}

/// The two ends of an arc: a place, a transition, and whether it leads to the transition.
pub(super) fn ends(
    arc: &WrittenArc,
    names: &HashMap<&str, NodeId>,
    diagnostics: &mut Diagnostics,
) -> Checked<(u32, u32, bool)> {
    let mut end = |name: &str| match names.get(name) {
        Some(node) => Ok(*node),
        None => Err(diagnostics.report(unknown_node(name, arc.span, names.keys().copied()))),
    };
    match (end(&arc.source)?, end(&arc.target)?) {
        (NodeId::Place(place), NodeId::Transition(transition)) => Ok((place, transition, true)),
        (NodeId::Transition(transition), NodeId::Place(place)) if !arc.inhibits => {
            Ok((place, transition, false))
        }
        (source, _) => {
            let message = match source {
                NodeId::Place(_) => "an arc from a place to a place",
                NodeId::Transition(_) if arc.inhibits => "an inhibitor arc that leaves a transition",
                NodeId::Transition(_) => "an arc from a transition to a transition",
            };
            let label = format!("from `{}` to `{}`", arc.source, arc.target);
            let error = Diagnostic::error(codes::BAD_ARC, arc.span, message, label);
            Err(diagnostics.report(error.help("arcs lead from places to transitions, or back")))
        }
    }
}

fn add_arc(
    arc: &WrittenArc,
    names: &HashMap<&str, NodeId>,
    transitions: &mut [NetTransition],
    diagnostics: &mut Diagnostics,
) -> Checked<()> {
    let (place, transition, to_transition) = ends(arc, names, diagnostics)?;
    let weight = arc.inscription.as_ref().map_or(Ok(1), |part| count(part, diagnostics))?;
    // An arc without weight moves nothing; one that inhibits at zero tokens always does.
    if weight == 0 && !arc.inhibits {
        return Ok(());
    }
    let transition = &mut transitions[transition as usize];
    let arcs = match (arc.inhibits, to_transition) {
        (true, _) => &mut transition.inhibitors,
        (false, true) => &mut transition.inputs,
        (false, false) => &mut transition.outputs,
    };
    arcs.push(NetArc { place, weight });
    Ok(())
}

/// The number in the text of a marking or an inscription.
pub(super) fn count(part: &Element, diagnostics: &mut Diagnostics) -> Checked<u32> {
    let Some(text) = part.child("text") else { return Err(diagnostics.report(part.incomplete("a `text`"))) };
    let number = text.text.trim();
    number.parse().map_err(|_| {
        let message = format!("`{number}` is not a number from 0 to {}", u32::MAX);
        let place = if text.text_span == Span::default() { text.span } else { text.text_span };
        let error = Diagnostic::error(codes::BAD_TOKEN_COUNT, place, message, "expected a number of tokens");
        diagnostics.report(error.help("weights and markings are written in decimal digits, without a sign"))
    })
}

fn units(written: &WrittenNet, names: &HashMap<&str, NodeId>, diagnostics: &mut Diagnostics) -> Vec<Unit> {
    let mut units = Vec::with_capacity(written.units.len());
    for unit in &written.units {
        let mut places = Vec::with_capacity(unit.places.len());
        for name in &unit.places {
            match names.get(name.as_str()) {
                Some(NodeId::Place(place)) => places.push(*place),
                _ => {
                    let known = written.places.iter().map(|place| place.id.as_str());
                    diagnostics.report(unknown_node(name, unit.span, known));
                }
            }
        }
        units.push(Unit { places });
    }
    units
}
