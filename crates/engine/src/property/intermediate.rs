//! Properties of models with intermediate states, which are inside an atomic sequence.
//!
//! A search stores intermediate states like others, but properties do not refer to them. So each
//! property is replaced by one about all stored states that says the same about the states of the
//! model. A predicate says nothing about intermediate states, an automaton waits in them, and a
//! formula speaks of the paths without them.
//!
//! A run that never leaves an atomic sequence has no further states of the model. It counts as an
//! infinite run: the automaton waits forever, and the run is accepted if the automaton waits in an
//! accepting state. In branching time it is a path that ends before the sequence.

use std::borrow::Cow;

use super::service::Halt;
use super::{BranchingProperty, Property, PropertyKind};
use logic::ltl::Proposition;
use model::guarded_commands::{BinaryOperator, Expression, GuardedCommands};
use model::transition_system::MAX_PREDICATES;

/// A property with too many predicates: the number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPredicates(pub usize);

/// The properties as a search over all stored states decides them, in the same order.
///
/// # Errors
/// A property has as many predicates as can be evaluated together, and one more is needed.
pub fn of_stored_states<'p>(
    model: &GuardedCommands,
    properties: &'p [Property],
) -> Result<Cow<'p, [Property]>, TooManyPredicates> {
    let Some(intermediate) = model.intermediate() else { return Ok(Cow::Borrowed(properties)) };
    let restricted = properties.iter().map(|property| {
        let kind = restricted(&property.kind, &intermediate)?;
        Ok(Property { kind, ..property.clone() })
    });
    restricted.collect::<Result<_, _>>().map(Cow::Owned)
}

fn restricted(kind: &PropertyKind, intermediate: &Expression) -> Result<PropertyKind, TooManyPredicates> {
    let inside = || intermediate.clone();
    let or_inside = |one: &Expression| Expression::binary(BinaryOperator::Or, inside(), one.clone());
    let and_outside =
        |one: &Expression| Expression::binary(BinaryOperator::And, inside().negated(), one.clone());
    Ok(match kind {
        PropertyKind::DeadlockFree => PropertyKind::DeadlockFree,
        // An intermediate state has a successor.
        PropertyKind::ProperEnd(predicate) => PropertyKind::ProperEnd(predicate.clone()),
        PropertyKind::Assertion(predicate) => PropertyKind::Assertion(predicate.clone()),
        PropertyKind::Invariant(predicate) => PropertyKind::Invariant(or_inside(predicate)),
        PropertyKind::Reachable(predicate) => PropertyKind::Reachable(and_outside(predicate)),
        PropertyKind::AlwaysPossible(predicate) => PropertyKind::AlwaysPossible(and_outside(predicate)),
        PropertyKind::PossiblyForEver(predicate) => PropertyKind::PossiblyForEver(or_inside(predicate)),
        PropertyKind::Linear(linear) => {
            let skipping = linear.as_ref().clone().skipping(inside());
            PropertyKind::Linear(Box::new(skipping.ok_or(TooManyPredicates(MAX_PREDICATES + 1))?))
        }
        PropertyKind::Branching(branching) => {
            let mut propositions = branching.propositions.clone();
            let number = Proposition::try_from(propositions.len());
            let number = number.map_err(|_| TooManyPredicates(propositions.len() + 1))?;
            propositions.push(inside());
            let formula = branching.formula.skipping(number);
            PropertyKind::Branching(Box::new(BranchingProperty { formula, propositions }))
        }
        PropertyKind::Service(service) => {
            let halt = match service.halt() {
                Halt::When(predicate) => Halt::When(and_outside(predicate)),
                same => same.clone(),
            };
            PropertyKind::Service(Box::new(service.as_ref().clone().halting(halt)))
        }
    })
}
